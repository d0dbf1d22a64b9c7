/* SPDX-License-Identifier: MIT
 * Ready-made metrics on the trees of real machines, against what public
 * sources say they are made of.
 * ready.tsv is written from Intel's, AMD's and Arm's lists of events, their manuals and the
 * kernel's drivers, not from the tables of src/catalog. A metric that it does not know fails, as
 * does one of its rows that no plan yields.
 */
#include "../catalog/tsv.h"
#include "plan_test.h"
#include "sysfs_tree.h"

#include "catalog/perf.h"
#include "planner/defaults.h"
#include "spec/kernel.h"

#include <math.h>
#include <stdlib.h>

static const char *const trees[] = { SYSFS_TREES };

static struct tsv expected;

/* ------------------------------------------------------------------ one sum */

struct want {                       /* "cha@0:0x36:0x10*4", "imc:0x304*64/16" */
	char box[32];
	int unit;                   /* -1: all, or the metric's */
	uint64_t config[3];
	double factor;
};

static void want_parse(char *word, struct want *w)
{
	char *factor = strchr(word, '*'), *over = factor ? strchr(factor, '/') : NULL;
	char *save = NULL, *s, *unit;

	*w = (struct want){ .unit = -1, .factor = factor ? strtod(factor + 1, NULL) : 1 };
	w->factor /= over ? strtod(over + 1, NULL) : 1;
	if (factor)
		*factor = '\0';
	s = strtok_r(word, ":", &save);
	unit = strchr(s, '@');
	if (unit) {
		*unit = '\0';
		w->unit = atoi(unit + 1);
	}
	snprintf(w->box, sizeof(w->box), "%s", s);
	for (unsigned i = 0; i < 3 && (s = strtok_r(NULL, ":", &save)); i++)
		w->config[i] = strtoull(s, NULL, 0);
}

struct metric {                     /* of a plan */
	const struct plan_socket *socket;
	const struct plan_metric *m;
	bool per_unit;
};

static const struct plan_slot *slot_at(const struct metric *x, int slot,
				       const struct plan_perf **ret)
{
	unsigned round = x->m->round;
	const struct plan_slot *s = &x->socket->rounds[round].slots[slot];

	*ret = &x->socket->perf->rounds[round].events[s->engine_slot];
	return s;
}

static bool is_wanted(const struct metric *x, int slot, const struct want *w)
{
	const struct plan_perf *e;
	const struct plan_slot *s = slot_at(x, slot, &e);

	return strcmp(s->box_name, w->box) == 0 && e->config == w->config[0] &&
		e->config1 == w->config[1] &&
	       e->config2 == w->config[2] && (w->unit < 0 || s->unit == (unsigned)w->unit);
}

/* Units of a box on the socket, as the group counts this event. */
static unsigned units_counting(const struct metric *x, const struct want *w)
{
	const struct plan_round *r = &x->socket->rounds[x->m->round];
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_slots; i++)
		n += is_wanted(x, (int)i, w);
	return n;
}

/* Every event of the sum counts once for every unit, or for the metric's own; nothing else is in
 * it. */
static const char *compare(const struct metric *x, const struct plan_addend *v, unsigned n,
			   double scale, const char *text)
{
	char copy[512], *save = NULL;
	unsigned matched = 0;

	if (strcmp(text, "-") == 0)
		return n ? "there should be none" : NULL;
	if (strcmp(text, "seconds") == 0)
		return n == 1 && v[0].slot == -1 && fabs(v[0].weight - 1) < 1e-12 ? NULL
			: "it should be seconds";
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		unsigned here = 0;
		struct want w;

		want_parse(word, &w);
		for (unsigned i = 0; i < n; i++) {
			if (v[i].slot < 0 || !is_wanted(x, v[i].slot, &w))
				continue;
			here++;
			if (fabs(v[i].weight * scale / w.factor - 1) > 1e-9)
				return "a factor differs";
		}
		if (!here || here != (x->per_unit ? 1 : units_counting(x, &w)))
			return here ? "not every unit is in it, or one twice"
				: "an event is not in it";
		matched += here;
	}
	return matched == n ? NULL : "there are other events in it";
}

/* ------------------------------------------------------------------ one metric */

static bool row_is_for(const struct tsv_row *r, const char *tree, const char *metric)
{
	size_t n = strlen(tree), m = strlen(metric);
	const char *at = r->col[0];

	while ((at = strstr(at, tree)) &&
	       ((at > r->col[0] && at[-1] != ',') || (at[n] && at[n] != ',')))
		at++;
	return at && strncmp(r->col[1], metric, m) == 0 &&
		(!r->col[1][m] || (strchr("?!", r->col[1][m]) && !r->col[1][m + 1]));
}

static const struct tsv_row *row_for(const char *tree, const char *metric)
{
	for (unsigned i = 0; i < expected.n; i++)
		if (row_is_for(&expected.rows[i], tree, metric))
			return &expected.rows[i];
	return NULL;
}

static unsigned check_metric(const char *tree, const struct plan_socket *s,
			     const struct plan_metric *m)
{
	const struct tsv_row *r = row_for(tree, m->name);
	struct metric x = { s, m, m->labels.n && strcmp(m->labels.v[0].name, "unit") == 0 };
	const char *why;

	if (!r) {
		print_error("tests/plan/ready.tsv: add %s of %s\n", m->name, tree);
		return 1;
	}
	if (strcmp(r->col[2], x.per_unit ? "unit" : "socket") != 0)
		return tsv_wrong(&expected, r, "on %s it is per %s", tree,
				 x.per_unit ? "unit" : "socket");
	why = compare(&x, m->num.v, m->num.n, m->scale, r->col[3]);
	if (why)
		return tsv_wrong(&expected, r, "%s: the numerator: %s", tree, why);
	why = compare(&x, m->den.v, m->den.n, m->of_knee ? m->scale : 1, r->col[4]);
	if (why)
		return tsv_wrong(&expected, r, "%s: the denominator: %s", tree, why);
	if (!m->clock.n != (strcmp(r->col[5], "-") == 0))
		return tsv_wrong(&expected, r, "%s: a clock makes seconds of it, or should", tree);
	why = m->clock.n ? compare(&x, m->clock.v, 1, 1, r->col[5]) : NULL;
	return why ? tsv_wrong(&expected, r, "%s: the clock: %s", tree, why) : 0;
}

/* ------------------------------------------------------------------ a machine */

static bool has_metric(const struct plan *p, const char *name)
{
	for (unsigned s = 0; s < p->n_sockets; s++)
		for (unsigned i = 0; i < p->sockets[s].n_metrics; i++)
			if (strcmp(p->sockets[s].metrics[i].name, name) == 0)
				return true;
	return false;
}

/* A curve of no socket of this machine: rows of a knee are there, without a value. */
static const struct plan_knees knees = { .n = 0 };
static struct topo *topo;
static struct topo_pmus *pmus;

static struct plan *make_plan(const char *tree, const char *groups)
{
	struct made m = make_for_kernel(groups, topo, pmus);

	if (m.r < 0)
		fail_msg("%s: %s", tree, m.d.v[0]);
	diags_done(&m.d);
	return m.p;
}

static unsigned check_plan(const char *tree, const struct plan *p)
{
	unsigned wrong = 0;

	for (unsigned s = 0; s < p->n_sockets; s++)
		for (unsigned i = 0; i < p->sockets[s].n_metrics; i++)
			wrong += check_metric(tree, &p->sockets[s], &p->sockets[s].metrics[i]);
	return wrong;
}

struct asked {
	const char *name;
	const struct cat_metric *m;
};

static void find_asked(void *p, const struct plan_predefined *r)
{
	struct asked *a = p;

	if (!r->absent && strcmp(r->metric->name, a->name) == 0)
		a->m = r->metric;
}

/* A metric that no default group yields, from a group of the events that its row names. */
static unsigned check_asked_for(const char *tree, const struct tsv_row *r, const char *name)
{
	struct asked a = { name, NULL };
	struct plan *p;
	unsigned wrong;
	char groups[4096];

	plan_predefined_each(topo, pmus, &knees, find_asked, &a);
	if (!a.m)
		return tsv_wrong(&expected, r, "no table has it for %s", tree);
	if (a.m->on_request || a.m->knee)
		snprintf(groups, sizeof(groups), "groups = ( { name = \"named\"; metrics = "
			 "[ \"%s\" ]; } );", name);
	else
		group_of_inputs(a.m, groups, sizeof(groups));
	p = make_plan(tree, groups);
	wrong = has_metric(p, name) ? check_plan(tree, p)
		: tsv_wrong(&expected, r, "a group of its events does not yield it");
	plan_free(p);
	return wrong;
}

struct why {                        /* of a metric */
	const char *name;
	char text[512];
};

static void find_reason(void *p, const struct plan_predefined *r)
{
	struct why *a = p;

	if (r->absent && strcmp(r->metric->name, a->name) == 0)
		snprintf(a->text, sizeof(a->text), "%s", r->absent);
}

/* A metric that the machine's tables know and nobody can count there: the reason has these words,
 * and the plan nothing. */
static unsigned check_absent(const char *tree, const struct tsv_row *r, const char *name,
			     const struct plan *p)
{
	struct why a = { name, "" };

	plan_predefined_each(topo, pmus, &knees, find_reason, &a);
	if (!a.text[0])
		return tsv_wrong(&expected, r, "no table says that %s cannot have it", tree);
	if (!strstr(a.text, r->col[3]))
		return tsv_wrong(&expected, r, "on %s it is absent for another reason: %s",
				 tree, a.text);
	return has_metric(p, name)
		? tsv_wrong(&expected, r, "the plan of %s has it all the same", tree) : 0;
}

struct rows {
	const char *tree;
	unsigned wrong;
};

/* Every row names its source, what a machine cannot count says why, and ready.tsv knows all the
 * rest. */
static void each_row(void *p, const struct plan_predefined *r)
{
	struct rows *rows = p;

	assert_true(r->metric->source && strlen(r->metric->source) > 8);
	if (r->absent && !r->metric->absent && !r->metric->knee && !strstr(r->absent, "PMU") &&
	    !strstr(r->absent, "event"))
		fail_msg("%s: %s", r->metric->name, r->absent);
	if ((r->absent && !r->metric->absent) || row_for(rows->tree, r->metric->name))
		return;
	print_error("tests/plan/ready.tsv: add %s of %s, made of what its source says\n",
		    r->metric->name, rows->tree);
	rows->wrong++;
}

/* What the tables say of a PMU's counters is what its driver has; 0 also where they use the fixed
 * one alone. */
static unsigned check_counters(const struct sysfs_tree *t, const char *tree)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *c = cat_perfs[i];

		if (!perf_table_is_for(c, topo))
			continue;
		for (unsigned k = 0; k < c->n_pmus; k++) {
			const struct machine_family *hw = tree_hw(t, c->pmus[k].name);

			if (!hw || strcmp(hw->name, c->pmus[k].name) != 0 ||
			    hw->counters == c->pmus[k].counters ||
			    (hw->fixed && !c->pmus[k].counters))
				continue;
			print_error("%s: %s has %u counters, the table %s says %u\n", tree,
				    hw->name, hw->counters, c->name,
				    c->pmus[k].counters);
			wrong++;
		}
	}
	return wrong;
}

static void test_machine(void **state)
{
	const char *tree = *state;
	struct plan *p;
	struct sysfs_tree t;
	struct rows rows = { tree, 0 };
	char text[64];
	unsigned wrong;

	snprintf(text, sizeof(text), "%s.txt", tree);
	tree_make(&t, text);
	topo = tree_topo(&t);
	pmus = tree_pmus(&t);
	plan_predefined_each(topo, pmus, &knees, each_row, &rows);
	p = make_plan(tree, NULL);
	wrong = rows.wrong + check_plan(tree, p) + check_counters(&t, tree);
	tree_drop(&t);

	for (unsigned i = 0; i < expected.n; i++) {
		const struct tsv_row *r = &expected.rows[i];
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->col[1], "?!"), r->col[1]);
		if (!row_is_for(r, tree, name))
			continue;
		if (strchr(r->col[1], '!'))
			wrong += check_absent(tree, r, name, p);
		else if (strchr(r->col[1], '?'))
			wrong += check_asked_for(tree, r, name);
		else if (!has_metric(p, name))
			wrong += tsv_wrong(&expected, r, "the plan of %s has no such metric", tree);
	}
	plan_free(p);
	topo_pmus_free(pmus);
	topo_free(topo);
	assert_int_equal(wrong, 0);
}

/* ------------------------------------------------------------------ all rows of all tables */

/* The terms of a specification without the event's number and name; AMD's two events for it have
 * their own unit masks. NVIDIA's names say what they are about before rd_: "cmem_rd_access". */
static void filter_of(const char *spec, char *ret, size_t size)
{
	bool amd = strncmp(spec, "perf/amd_l3/", 12) == 0;
	bool nvidia = strncmp(spec, "perf/nvidia_", 12) == 0;
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", spec);
	*ret = '\0';
	for (char *w = strtok_r(copy, "/,", &save); w; w = strtok_r(NULL, "/,", &save))
		if (strncmp(w, "event=", 6) != 0 && strncmp(w, "name=", 5) != 0 &&
		    !(amd && strncmp(w, "umask=", 6) == 0))
			snprintf(ret + strlen(ret), size - strlen(ret), "%.*s,",
				 nvidia && strstr(w, "rd_") ? (int)(strstr(w, "rd_") - w)
				 : (int)strlen(w), w);
}

/* What waits and what came in must be the same requests: one unit mask and one filter. In the B-Box
 * the counter chooses. */
static void test_latencies(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned t = 0; t < cat_n_perfs; t++)
		for (unsigned i = 0; i < cat_perfs[t]->n_metrics; i++) {
			const struct cat_metric *m = &cat_perfs[t]->metrics[i];
			char num[256], den[256];

			if (!strstr(m->name, "latency") || m->absent ||
			    strncmp(m->num[0].spec, "perf/uncore_bbox/", 17) == 0)
				continue;
			n++;
			assert_true(m->den && !m->num[1].spec && !m->den[1].spec);
			filter_of(m->num[0].spec, num, sizeof(num));
			filter_of(m->den[0].spec, den, sizeof(den));
			if (strcmp(num, den) != 0 || strcmp(m->num[0].spec, m->den[0].spec) == 0)
				fail_msg("%s %s: %s over %s", cat_perfs[t]->name, m->name,
					 m->num[0].spec, m->den[0].spec);
		}
	assert_true(n >= 6);            /* the Intel servers */
}

/* The memory that each processor takes at most, in MT/s, by its maker's data sheets: Clearwater
 * Forest takes DDR5-8000, Granite Rapids 8800 with multiplexed ranks, of which nobody says what
 * moves in a clock. Of this fastest memory all three rows hold. */
static void test_fastest_memory(void **state)
{
	static const struct { const char *tree; double mts, transfers; bool holds; } of[] = {
		{ "ivt", 1866, 2, true }, { "hsx", 2133, 2, true }, { "bdx", 2400, 2, true },
		{ "skx", 2666, 2, true }, { "clx", 2933, 2, true }, { "cpx", 3200, 2, true },
		{ "icx", 3200, 2, true }, { "spr", 4800, 2, true }, { "emr", 5600, 2, true },
		{ "gnr", 6400, 4, true }, { "gnr", 8800, 4, false }, { "srf", 6400, 4, true },
		{ "cwf", 8000, 4, true },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(of); i++) {
		double clock = of[i].mts * 1e6 / of[i].transfers;
		struct sysfs_tree t;
		struct plan *p;
		unsigned n = 0;
		char text[64];

		snprintf(text, sizeof(text), "%s.txt", of[i].tree);
		tree_make(&t, text);
		topo = tree_topo(&t);
		pmus = tree_pmus(&t);
		p = make_plan(of[i].tree, "groups = [ \"channels\" ];");
		for (unsigned k = 0; k < p->sockets[0].n_metrics; k++) {
			const struct plan_metric *m = &p->sockets[0].metrics[k];

			if (strcmp(m->name, "memory_utilization_ratio") != 0 &&
			    strncmp(m->name, "memory_channel_", 15) != 0)
				continue;
			n++;
			if ((clock < m->clock_most) != of[i].holds)
				fail_msg("%s, %g MT/s: %s", of[i].tree, of[i].mts, m->name);
		}
		assert_true(n >= 3);
		plan_free(p);
		tree_drop(&t);
		topo_pmus_free(pmus);
		topo_free(topo);
	}
}

/* What a machine of this tree says about a metric that it lacks for what it is called. */
static void test_model_names(void **state)
{
	static const struct { const char *tree, *model, *why; } of[] = {
		{ "ivt", "Intel(R) Xeon(R) CPU E7-4890 v2 @ 2.80GHz", "E7" },
		{ "hsx", "Intel(R) Xeon(R) CPU E7-8890 v3 @ 2.50GHz", "E7" },
		{ "bdx", "Intel(R) Xeon(R) CPU E7-8890 v4 @ 2.20GHz", "E7" },
		{ "ivt", "Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz", NULL },
		{ "bdx", "", NULL },
	};
	static const char *const names[] = { "memory_utilization_ratio",
		"memory_channel_utilization_ratio", "memory_channel_capacity_bytes_total" };

	(void)state;
	for (unsigned i = 0; i < COUNT(of); i++) {
		struct sysfs_tree t;
		struct plan *p;
		char text[64];

		snprintf(text, sizeof(text), "%s.txt", of[i].tree);
		tree_make(&t, text);
		topo = tree_topo(&t);
		pmus = tree_pmus(&t);
		snprintf(topo->model_name, sizeof(topo->model_name), "%s", of[i].model);
		for (unsigned k = 0; k < COUNT(names); k++) {
			struct why a = { names[k], "" };

			plan_predefined_each(topo, pmus, &knees, find_reason, &a);
			if (of[i].why ? !strstr(a.text, of[i].why) : a.text[0] != '\0')
				fail_msg("%s, %s: %s", of[i].model, names[k], a.text);
		}
		p = make_plan(of[i].tree, NULL);
		assert_int_equal(has_metric(p, names[0]), !of[i].why);
		assert_true(has_metric(p, "memory_read_bytes_total"));
		plan_free(p);
		tree_drop(&t);
		topo_pmus_free(pmus);
		topo_free(topo);
	}
}

/* Optane takes two of the four counters beside reads and writes: the clock finds none. All of it is
 * one round, with Optane and without. */
static void test_optane(void **state)
{
	static const char *const of[] = { "clx.txt", "icx.txt", "spr.txt" };

	(void)state;
	for (unsigned i = 0; i < COUNT(of); i++)
		for (unsigned nvdimm = 0; nvdimm < 2; nvdimm++) {
			struct sysfs_tree t;
			struct plan *p;

			tree_make(&t, of[i]);
			topo = tree_topo(&t);
			pmus = tree_pmus(&t);
			assert_false(topo->nvdimm);
			topo->nvdimm = nvdimm;
			p = make_plan(of[i], NULL);
			assert_int_equal(has_metric(p, "persistent_memory_read_bytes_total"),
					 nvdimm);
			assert_int_equal(has_metric(p, "memory_utilization_ratio"), !nvdimm);
			assert_int_equal(p->sockets[0].n_rounds, 1);
			plan_free(p);
			tree_drop(&t);
			topo_pmus_free(pmus);
			topo_free(topo);
		}
}

int main(void)
{
	struct CMUnitTest tests[COUNT(trees) + 4] =
		{ [COUNT(trees)] = cmocka_unit_test(test_latencies),
		  cmocka_unit_test(test_fastest_memory),
		  cmocka_unit_test(test_model_names), cmocka_unit_test(test_optane) };
	int r;

	for (size_t i = 0; i < COUNT(trees); i++)
		tests[i] = (struct CMUnitTest){ trees[i], test_machine, NULL, NULL,
						(void *)trees[i] };
	tsv_read(&expected, "../plan/ready.tsv");
	r = cmocka_run_group_tests(tests, NULL, NULL);
	tsv_done(&expected);
	return r;
}
