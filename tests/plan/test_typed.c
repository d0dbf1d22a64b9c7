/* SPDX-License-Identifier: MIT
 * What a plan prints of an event is understood when it is typed, on every tree: it is the same
 * event on the same units. */
#include "pmus_fixture.h"

#include "spec/kernel.h"
#include "spec/spec.h"

#include <stdlib.h>

static const char *const trees[] = { SYSFS_TREES, "digits" };

/* A group for every event that the kernel of the tree names, on all instances. */
static struct made make_all(void)
{
	struct topo_pmus *pmus = tree_pmus(&tree);
	char *text = malloc(1 << 20);
	struct made m;
	size_t n = 0;

	assert_non_null(text);
	n += (size_t)sprintf(text + n, "groups = (");
	for (unsigned i = 0; i < pmus->n; i++) {
		const struct topo_pmu *p = &pmus->v[i];

		/* of a family the first instance; some events of cores' PMUs clash in a group */
		if (!p->n_cpumask || !perf_is_first(pmus, p))
			continue;
		for (unsigned k = 0; k < p->n_events && k < 3; k++)
			if (!p->events[k].snapshot && !strstr(p->events[k].text, "=?"))
				n += (size_t)sprintf(text + n, "%s{ name = \"g%u-%u\"; events = [ "
						     "\"perf/%s/%s/\" ]; }", text[n - 1] == '('
						     ? "" : ",", i, k, perf_family(p->name).s,
						     p->events[k].name);
	}
	sprintf(text + n, ");");
	m = make_on(&tree, text);
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	free(text);
	topo_pmus_free(pmus);
	return m;
}

static const struct plan_perf *event_of(const struct plan_socket *s, unsigned round,
					const struct plan_slot *slot)
{
	return &s->perf->rounds[round].events[slot->engine_slot];
}

/* Is the slot, of round r, the only one of what its printed form means, and the same event? */
static void check_slot(const char *name, const struct plan_socket *s, unsigned r,
		       const struct plan_slot *slot)
{
	const struct plan_perf *e = event_of(s, r, slot), *o;
	const struct plan_socket *typed;
	char text[512];
	struct made m;

	snprintf(text, sizeof(text), ONE("\"%s\""), slot->identity);
	m = make_on(&tree, text);
	if (m.r < 0)
		fail_msg("%s: %s: %s", name, slot->identity, m.d.v[0]);
	typed = m.p->sockets;
	while (typed->id != s->id)
		typed++;
	if (typed->rounds[0].n_slots != 1)
		fail_msg("%s: %s: %u slots", name, slot->identity, typed->rounds[0].n_slots);
	o = event_of(typed, 0, typed->rounds[0].slots);
	if (strcmp(typed->rounds[0].slots[0].identity, slot->identity) != 0 ||
	    strcmp(typed->rounds[0].slots[0].family, slot->family) != 0 ||
	    !typed->rounds[0].slots[0].scaled_family != !slot->scaled_family ||
	    typed->rounds[0].slots[0].unit != slot->unit ||
	    e->type != o->type || e->cpu != o->cpu || e->config != o->config ||
	    e->config1 != o->config1 || e->config2 != o->config2)
		fail_msg("%s: %s: typed it is %s", name, slot->identity,
			 typed->rounds[0].slots[0].identity);
	made_done(&m);
}

static void test_identities(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(trees); i++) {
		unsigned checked = 0;
		char file[64];
		struct made m;

		snprintf(file, sizeof(file), "%s.txt", trees[i]);
		tree_make(&tree, file);
		m = make_all();
		for (unsigned k = 0; k < m.p->n_sockets; k++)
			for (unsigned r = 0; r < m.p->sockets[k].n_rounds; r++) {
				const struct plan_round *round = &m.p->sockets[k].rounds[r];
				/* the first and the last unit of each event */
				for (unsigned s = 0; s < round->n_slots; s++) {
					const struct plan_slot *v = &round->slots[s];

					if (s && s + 1 < round->n_slots &&
					    strcmp(v[-1].family, v->family) == 0 &&
					    strcmp(v[1].family, v->family) == 0)
						continue;
					check_slot(trees[i], &m.p->sockets[k], r, v);
					checked++;
				}
			}
		assert_true(checked > 0);
		made_done(&m);
		tree_drop(&tree);
	}
}

/* As they are printed, by hand. */
static void test_digits(void **state)
{
	static const struct { int line; const char *spec, *identities; } rows[] = {
		{ __LINE__, "perf/uncore_pciex16_8/clk/", "pciex16[8]/clk,config=0x1 " },
		{ __LINE__, "perf/uncore_pciex16[8]/clk/", "pciex16[8]/clk,config=0x1 " },
		{ __LINE__, "pciex16[1-3]/clk,config=1", "pciex16[1]/clk,config=0x1 pciex16[2]/clk,config=0x1 pciex16[3]/clk,config=0x1 " },
		{ __LINE__, "pciex[1]/clk,config=1", "pciex1/clk,config=0x1 " },
		{ __LINE__, "pciex0-1/clk,config=1", "pciex0/clk,config=0x1 pciex1/clk,config=0x1 " },
		{ __LINE__, "perf/uncore_type_6[11]/clk/", "type_6[11]/clk,config=0x1 " },
		{ __LINE__, "perf/uncore_type_5/clk/", "type_5[0]/clk,config=0x1 " },
		{ __LINE__, "perf/uncore_l3c1/rd/", "l3c1[0]/rd,config=0x2 " },
		{ __LINE__, "l3c1[0]/rd,config=0x2", "l3c1[0]/rd,config=0x2 " },
		{ __LINE__, "perf/uncore_l3c10/rd/", "l3c10[0]/rd,config=0x2 " },
		{ __LINE__, "l3c10/rd,config=0x2", "l3c10/rd,config=0x2 " },
		{ __LINE__, "perf/uncore_l3c[10]/rd/", "l3c10/rd,config=0x2 " },
		{ __LINE__, "l3c[10]/rd,config=0x2", "l3c10/rd,config=0x2 " },
		{ __LINE__, "die2/rd,config=0x2", "die2/rd,config=0x2 " },
		{ __LINE__, "perf/uncore_die[1]/rd/", "die2/rd,config=0x2 die3/rd,config=0x2 " },
		{ __LINE__, "pciex16[8]/own,config=9,config1=7", "pciex16[8]/own,config=0x9,config1=0x7 " },
	};

	(void)state;
	tree_make(&tree, "digits.txt");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m = make_good(rows[i].line, rows[i].spec);
		const struct plan_round *r = &m.p->sockets[0].rounds[0];
		char all[512] = "";

		for (unsigned k = 0; k < r->n_slots; k++)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s ",
				 r->slots[k].identity);
		if (strcmp(all, rows[i].identities) != 0)
			fail_msg("line %d: %s", rows[i].line, all);
		made_done(&m);
	}
	refused(__LINE__, "perf/uncore_pciex16[4]/clk/",
		"has no instance 4; those that it has are 1, 2, 3, 8");
	refused(__LINE__, "pciex16[4]/clk,config=1", "no such unit of pciex16");
	refused(__LINE__, "perf/uncore_pciex16[x]/clk/", "a unit is a number");
	refused(__LINE__, "pciex16[8/clk,config=1", "\"]\" is missing");
	refused(__LINE__, "pciex16[3-1]/clk,config=1", "is above the last");
	refused(__LINE__, "pciex16[8]/clk,config=1,edge", "only config1= and config2=");
	refused(__LINE__, "pciex16[8]/clk,config=1,configfoo=1", "only config1= and config2=");
	refused(__LINE__, "pciex16[8]/clk,config=1,config3=1", "only config1= and config2=");
	tree_drop(&tree);
}

/* Brackets and ranges of a processor's boxes, too. */
static void test_boxes(void **state)
{
	static const struct { int line; const char *spec; unsigned n, first; } rows[] = {
		{ __LINE__, "cbox3/LLC_HITS:M", 1, 3 }, { __LINE__, "cbox[3]/LLC_HITS:M", 1, 3 },
		{ __LINE__, "cbox[2-5]/LLC_HITS:M", 4, 2 },
		{ __LINE__, "cbox0-7/LLC_HITS:M", 8, 0 },
		{ __LINE__, "wbox[0]/CLOCKTICKS", 1, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;

		snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].spec);
		m = make_nhmex(text);
		if (m.p->sockets[0].rounds[0].n_slots != rows[i].n ||
		    m.p->sockets[0].rounds[0].slots[0].unit != rows[i].first)
			fail_msg("line %d", rows[i].line);
		made_done(&m);
	}
	refuse(ONE("\"cbox[0-8]/LLC_HITS:M\""), "t.conf:1: cbox has no unit 8: 0 to 7");
	refuse(ONE("\"cbox[]/LLC_HITS:M\""), "t.conf:1: \"cbox[]/LLC_HITS:M\": a unit is a "
	       "number, for example cbox[3]/LLC_HITS:M");
	refuse(ONE("\"cbox-7/LLC_HITS:M\""),
	       "t.conf:1: \"cbox-7/LLC_HITS:M\": a box name is letters and an optional unit "
	       "number before the slash, for example cbox3/LLC_HITS:M");
}

/* ------------------------------------------------------------------ series */

/* A plan of what `plan_of` was made for, of one group that names this series. */
static struct made make_series(const char *processor, const char *series)
{
	char text[1024], *at = text;

	at += sprintf(at, "groups = ( { name = \"g\"; metrics = [ \"");
	for (; *series; series++) {
		if (*series == '"')
			*at++ = '\\';
		*at++ = *series;
	}
	sprintf(at, "\" ]; } );");
	return processor ? make(text, processor, 1, NULL, false) : make_on(&tree, text);
}

static void check_series(const char *processor, const char *series, const char *identity,
			 const char *metric)
{
	struct made m = make_series(processor, series);
	unsigned found = 0;

	if (m.r < 0)
		fail_msg("%s: %s", series, m.d.v[0]);
	for (unsigned i = 0; identity && i < m.p->sockets[0].rounds[0].n_slots; i++)
		found += strcmp(m.p->sockets[0].rounds[0].slots[i].identity, identity) == 0 &&
			 m.p->sockets[0].rounds[0].slots[i].shown;
	for (unsigned i = 0; metric && i < m.p->sockets[0].n_metrics; i++)
		found += strcmp(m.p->sockets[0].metrics[i].name, metric) == 0;
	if (!found || (identity && m.p->sockets[0].rounds[0].n_slots != 1))
		fail_msg("%s: %u slots, %u of %s", series, m.p->sockets[0].rounds[0].n_slots, found,
			 identity ? identity : metric);
	made_done(&m);
}

/* Every series of socket 0 of a plan, with all labels; those of metrics with them and without. */
static void check_all(const char *processor, const struct plan *p)
{
	const struct plan_socket *s = &p->sockets[0];
	char series[512];

	for (unsigned i = 0; i < s->n_series; i++) {
		const struct plan_slot *v = s->series[i].slot;
		const char *labels = labels_text(p->arena, v->labels);

		if (!s->series[i].shown || (v->unit && v->unit != 3))
			continue;
		snprintf(series, sizeof(series), "%s{socket=\"%u\",unit=\"%u\"%s}", v->family,
			 s->id, v->unit, labels);
		check_series(processor, series, v->identity, NULL);
		check_series(processor, series + strlen("uncore_"), v->identity, NULL);
		if (!v->scaled_family)
			continue;
		snprintf(series, sizeof(series), "%s{socket=\"%u\",unit=\"%u\"}",
			 v->scaled_family, s->id, v->unit);
		check_series(processor, series, v->identity, NULL);
	}
	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_metric *m = &s->metrics[i];

		if (i && s->metrics[i - 1].row == m->row)
			continue;
		check_series(processor, m->family, NULL, m->name);
		check_series(processor, m->name, NULL, m->name);
	}
	for (unsigned i = 0; i < s->n_distributions; i++)
		if (s->distributions[i].metric >= 0) {
			const char *name = s->metrics[s->distributions[i].metric].name;

			check_series(processor, s->distributions[i].peak_family, NULL, name);
			check_series(processor, s->distributions[i].family, NULL, name);
		}
}

static void test_series_of_trees(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(trees); i++) {
		char file[64];
		struct made m;

		snprintf(file, sizeof(file), "%s.txt", trees[i]);
		tree_make(&tree, file);
		m = make_on(&tree, NULL);
		assert_int_equal(m.r, 0);
		check_all(NULL, m.p);
		made_done(&m);
		tree_drop(&tree);
	}
}

/* With a finer resolution there are peaks; filters, ports and links are labels. */
static void test_series_of_processors(void **state)
{
	struct made m;

	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		m = make("resolution = \"10ms\";", cat_processors[i]->name, 1, NULL, false);
		assert_int_equal(m.r, 0);
		assert_true(m.p->sockets[0].n_distributions > 0);
		check_all(cat_processors[i]->name, m.p);
		made_done(&m);
	}
	m = make_nhmex(ONE("\"rbox/FLITS_SENT,port=4\", \"cbox3/LLC_HITS:M:E,threshold=2,edge\""));
	check_all("nehalem-ex", m.p);
	made_done(&m);
	m = make(ONE("\"cbox3/LLC_LOOKUP:ANY,state=0x1f\", \"ha0/REQUESTS:READS\", "
		     "\"qpi1/CTO_COUNT:DRS.ANYRESP9FLITS\""), "ivytown", 1, NULL, false);
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	check_all("ivytown", m.p);
	made_done(&m);
}

/* As somebody else writes a series: labels in another order, and a link in place of the unit or
 * port that it is at. By hand. */
static void test_series_by_hand(void **state)
{
	static const struct { const char *processor, *series, *identity; } rows[] = {
		{ "nehalem-ex",
		  "uncore_rbox_flits_sent_total{link=\"qpi3\",socket=\"0\",unit=\"0\"}",
		  "rbox0/FLITS_SENT,port=5" },
		{ "nehalem-ex", "rbox_flits_sent_total{port=\"4\",unit=\"0\"}",
		  "rbox0/FLITS_SENT,port=4" },
		{ "nehalem-ex", "cbox_llc_hits_total{threshold=\"2\",edge=\"1\",umask=\"M:E\","
		  "unit=\"3\",socket=\"0\"}", "cbox3/LLC_HITS:M:E,threshold=2,edge" },
		{ "nehalem-ex", "cbox_llc_hits_total{edge=\"1\",socket=\"0\",threshold=\"2\","
		  "umask=\"M:E\",unit=\"3\"}", "cbox3/LLC_HITS:M:E,threshold=2,edge" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++)
		check_series(rows[i].processor, rows[i].series, rows[i].identity, NULL);
}

/* Several units in one line of a plan, by hand; what is printed is read as these units. */
static void test_printed_ranges(void **state)
{
	static const struct { int line; const char *box; unsigned first, last; const char *text; }
	rows[] = {
		{ __LINE__, "cbox", 3, 3, "cbox3" }, { __LINE__, "cbox", 0, 7, "cbox0-7" },
		{ __LINE__, "pciex16", 8, 8, "pciex16[8]" },
		{ __LINE__, "pciex16", 1, 3, "pciex16[1-3]" },
	};
	struct arena *a = arena_new(1 << 20, NULL);

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const char *printed = spec_units_text(a, rows[i].box, rows[i].first, rows[i].last);
		char text[64];
		struct spec s;

		if (strcmp(printed, rows[i].text) != 0)
			fail_msg("line %d: %s", rows[i].line, printed);
		snprintf(text, sizeof(text), "%s/clk,config=1", printed);
		if (spec_parse(a, text, &s, NULL) < 0 || strcmp(s.box, rows[i].box) != 0 ||
		    s.unit != (int)rows[i].first || s.last != (int)rows[i].last)
			fail_msg("line %d: %s", rows[i].line, text);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identities), cmocka_unit_test(test_digits),
		cmocka_unit_test(test_boxes), cmocka_unit_test(test_printed_ranges),
		cmocka_unit_test(test_series_by_hand),
		cmocka_unit_test(test_series_of_trees), cmocka_unit_test(test_series_of_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
