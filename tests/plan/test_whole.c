/* SPDX-License-Identifier: MIT
 * A metric of a socket is whole or absent: every ready-made one, on the tree of
 * every machine, while one instance of a PMU that it needs is left out, does not count on a socket,
 * counts a socket twice, or cannot be opened.
 * What must happen follows from the masks of the tree, which the test changes itself.
 */
#define FDS 4096
#include "plan_test.h"
#include "sysfs_tree.h"

#include "../unit/fake_perf.h"

#include "planner/defaults.h"
#include "sample/sampler.h"
#include "spec/kernel.h"

#include <stdlib.h>

static const char *const trees[] = { SYSFS_TREES };

enum fault { LEFT_OUT, LACKS, TWICE, REFUSED, FAULTS };

/* The machine under test, and how often each fault was tried. */
static struct topo *topo;
static struct topo_pmus *pmus;
static const char *tree_name;
static unsigned tried[FAULTS];
static nsec now;

/* ------------------------------------------------------------------ events and instances */

struct specs { const char *v[64]; unsigned n; };

static void specs_add(struct specs *s, const struct cat_term *t)
{
	for (; t && t->spec; t++) {
		unsigned i = 0;

		while (i < s->n && strcmp(s->v[i], t->spec) != 0)
			i++;
		if (strchr(t->spec, '/') && i == s->n)
			s->v[s->n++] = t->spec;
	}
}

static struct specs specs_of(const struct cat_metric *m)
{
	const struct cat_term clock[] = { { .spec = m->cycles_of }, { .spec = NULL } };
	struct specs s = { .n = 0 };

	specs_add(&s, m->num);
	specs_add(&s, m->den);
	specs_add(&s, clock);
	return s;
}

struct instances { struct topo_pmu *v[256]; unsigned n; };

static struct instances instances_of(const char *spec)
{
	struct instances r = { .n = 0 };
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(spec + 5, "/"), spec + 5);
	for (unsigned i = 0; i < pmus->n; i++)
		if (strcmp(pmus->v[i].name, name) == 0 ||
		    perf_is_family(name, pmus->v[i].name))
			r.v[r.n++] = &pmus->v[i];
	return r;
}

/* A group of these events; of `single`, if it is not NULL, each instance by its own name but for
 * `without`. */
static const char *group_text(const struct specs *s, const char *single,
			      const struct topo_pmu *without)
{
	static char buf[65536];
	const char *before = "";
	size_t n = (size_t)snprintf(buf, sizeof(buf), "groups = ( { name = \"g\"; events = [ ");

	for (unsigned i = 0; i < s->n; i++) {
		struct instances of = { .n = 0 };

		if (single && strcmp(s->v[i], single) == 0)
			of = instances_of(single);
		else
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s\"%s\"", before,
					      s->v[i]);
		for (unsigned j = 0; j < of.n; j++) {
			if (of.v[j] == without)
				continue;
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s\"perf/%s%s\"",
					      before, of.v[j]->name,
					      single + 5 + strcspn(single + 5, "/"));
			before = ", ";
		}
		before = buf[n - 1] == '"' ? ", " : before;
	}
	snprintf(buf + n, sizeof(buf) - n, " ]; } );");
	return buf;
}

/* On how many of its CPUs, or whether at all if it is a device's, does an instance count there? */
static unsigned serving(const struct topo_socket *s, const struct topo_pmu *pmu)
{
	unsigned n = 0;

	for (unsigned i = 0; pmu->has_home && i < s->n_cpus; i++)
		n += s->cpus[i].cpu == pmu->home;
	for (unsigned i = 0; !pmu->has_home && i < s->n_cpus; i++)
		for (unsigned c = 0; c < pmu->n_cpumask; c++)
			n += s->cpus[i].cpu == pmu->cpumask[c];
	return n;
}

/* Does any of these count there? */
static bool any_serves(const struct instances *of, unsigned socket)
{
	for (unsigned i = 0; i < of->n; i++)
		if (serving(&topo->sockets[socket], of->v[i]))
			return true;
	return false;
}

/* ------------------------------------------------------------------ plans */

enum shown { ABSENT, HIDDEN, WHOLE };

static enum shown shown_on(const struct plan *p, unsigned socket, const struct cat_metric *m)
{
	const struct plan_socket *s = &p->sockets[socket];

	for (unsigned i = 0; i < s->n_metrics; i++)
		if (strcmp(s->metrics[i].name, m->name) == 0)
			return s->metrics[i].hidden ? HIDDEN : WHOLE;
	return ABSENT;
}

static struct made plan_of(const char *text)
{
	struct made m = make_for_kernel(text, topo, pmus);

	if (m.r < 0)
		fail_msg("%s: %s\n%s", tree_name, m.d.v[0], text);
	return m;
}

static void expect(const struct made *m, unsigned socket, const struct cat_metric *metric,
		   enum shown wanted, const char *what, const struct topo_pmu *pmu)
{
	static const char *const words[] = { "absent", "hidden", "whole" };
	enum shown is = shown_on(m->p, socket, metric);
	bool noted = wanted != HIDDEN;

	if (is != wanted)
		fail_msg("%s: %s on socket %u is %s, not %s, where %s %s", tree_name, metric->name,
			 topo->sockets[socket].id, words[is], words[wanted], pmu->name, what);
	for (unsigned i = 0; i < m->p->n_notes; i++)
		noted |= strstr(m->p->notes[i], pmu->name) && strstr(m->p->notes[i], "hidden");
	if (!noted)
		fail_msg("%s: no note that %s %s", tree_name, pmu->name, what);
}

static void try_left_out(const struct cat_metric *metric, const struct specs *s, const char *spec,
			 const struct topo_pmu *pmu)
{
	struct made m = plan_of(group_text(s, spec, NULL));

	for (unsigned i = 0; i < topo->n_sockets; i++)
		expect(&m, i, metric, WHOLE, "and its siblings are named one by one", pmu);
	made_done(&m);
	m = plan_of(group_text(s, spec, pmu));
	for (unsigned i = 0; i < topo->n_sockets; i++)
		expect(&m, i, metric, serving(&topo->sockets[i], pmu) ? ABSENT : WHOLE,
		       "is left out", pmu);
	made_done(&m);
	tried[LEFT_OUT]++;
}

/* Does an event name this instance, and not all of its kind? */
static bool names_alone(const struct specs *s, const struct topo_pmu *pmu)
{
	size_t n = strlen(pmu->name);

	for (unsigned i = 0; i < s->n; i++)
		if (strncmp(s->v[i] + 5, pmu->name, n) == 0 && s->v[i][5 + n] == '/')
			return true;
	return false;
}

/* Socket number `socket` is taken out of the mask. */
static void try_lacks(const struct cat_metric *metric, const struct specs *s,
		      const struct instances *of, struct topo_pmu *pmu, unsigned socket)
{
	struct topo_pmu was = *pmu;
	unsigned cpus[64], sockets = 0;
	struct made m;

	pmu->cpumask = cpus;
	pmu->n_cpumask = 0;
	for (unsigned c = 0; c < was.n_cpumask; c++) {
		struct topo_pmu one = { .cpumask = &was.cpumask[c], .n_cpumask = 1 };

		if (!serving(&topo->sockets[socket], &one))
			cpus[pmu->n_cpumask++] = was.cpumask[c];
	}
	for (unsigned i = 0; i < topo->n_sockets; i++)
		sockets += serving(&topo->sockets[i], pmu) > 0;
	/* else there is nothing to count: an event that names the instance is an error */
	if ((of->n > 1 && !names_alone(s, pmu)) || sockets) {
		m = plan_of(group_text(s, NULL, NULL));
		for (unsigned i = 0; i < topo->n_sockets; i++) {
			enum shown wanted = ABSENT;

			if (i != socket && sockets)
				wanted = WHOLE;
			else if (any_serves(of, i) && !names_alone(s, pmu))
				wanted = HIDDEN;
			expect(&m, i, metric, wanted, "lacks a socket", pmu);
		}
		made_done(&m);
		tried[LACKS]++;
	}
	*pmu = was;
}

/* One more CPU of the socket is put into the mask. */
static void try_twice(const struct cat_metric *metric, const struct specs *s, struct topo_pmu *pmu,
		      unsigned socket)
{
	const struct topo_socket *t = &topo->sockets[socket];
	struct topo_pmu was = *pmu;
	unsigned cpus[64], n = 0;
	struct made m;

	for (unsigned c = 0; c < was.n_cpumask; c++)
		cpus[n++] = was.cpumask[c];
	for (unsigned i = 0; i < t->n_cpus && n == was.n_cpumask; i++) {
		struct topo_pmu one = { .cpumask = &t->cpus[i].cpu, .n_cpumask = 1 };
		bool known = false;

		for (unsigned c = 0; c < was.n_cpumask; c++)
			known |= was.cpumask[c] == t->cpus[i].cpu;
		if (!known && serving(t, &one))
			cpus[n++] = t->cpus[i].cpu;
	}
	if (n == was.n_cpumask)
		return;                         /* each CPU counts already */
	pmu->cpumask = cpus;
	pmu->n_cpumask = n;
	m = plan_of(group_text(s, NULL, NULL));
	for (unsigned i = 0; i < topo->n_sockets; i++)
		expect(&m, i, metric, i == socket ? HIDDEN : WHOLE, "counts twice", pmu);
	made_done(&m);
	tried[TWICE]++;
	*pmu = was;
}

/* ------------------------------------------------------------------ one that cannot be opened */

static uint32_t refused_type;

static int open_most(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader)
{
	return e->type == refused_type ? -EACCES : fake_open(sys, e, cpu, leader);
}

static nsec clock_now(void *p)
{
	(void)p;
	return now;
}

/* Every metric of the socket by name: its reason after some windows. */
static enum reason reason_of(const struct plan_socket *s, const uint64_t *words,
			     const struct cat_metric *metric)
{
	unsigned i = 0;

	while (strcmp(s->metrics[i].name, metric->name) != 0)
		i++;
	return (enum reason)words[layout_of(s).metric_reason + s->metrics[i].series];
}

static void try_refused(const struct cat_metric *metric, const struct specs *specs,
			const struct topo_pmu *pmu, unsigned socket)
{
	static const struct perf_sys kernel = {
		.open = open_most, .read = fake_read, .enable = fake_enable, .close = fake_close,
	};
	struct sampler_options o = { .clock = { .mono = clock_now, .wall = clock_now } };
	struct made m = plan_of(group_text(specs, NULL, NULL));
	struct plan_socket *s = &m.p->sockets[socket];
	struct layout lay = layout_of(s);
	struct counting *engine = NULL;
	struct sampler *sampler = NULL;
	struct ring ring;
	uint64_t *words = calloc(lay.n_words, sizeof(*words));
	void *mem = calloc(1, ring_bytes(lay.n_words));
	enum reason is;
	struct err err;

	fake_reset();
	k.counters = 64;
	for (unsigned i = 0; i < COUNT(k.online); i++)
		k.online[i] = true;
	refused_type = pmu->type;
	now = 1000 * NSEC_PER_SEC;
	for (unsigned i = 0; i < s->perf->rounds[0].n_events; i++)      /* as ready-made ones */
		s->perf->rounds[0].events[i].may_lack = true;
	if (counting_perf_new(&kernel, s->perf, &engine, &err) < 0) {
		for (unsigned i = 0; i < s->perf->rounds[0].n_events; i++)
			assert_int_equal(s->perf->rounds[0].events[i].type, pmu->type);
	} else {
		ring_init(&ring, mem, lay.n_words);
		o.plan = m.p;
		o.socket = socket;
		o.perf = engine;
		o.ring = &ring;
		assert_int_equal(sampler_new(&o, &sampler, NULL), 0);
		assert_int_equal(sampler_start(sampler, NULL), 0);
		for (unsigned i = 0; i < 3; i++) {
			nsec next = sampler_next(sampler);

			step((unsigned)((next - now) / NSEC_PER_MSEC));
			now = next;
			sampler_tick(sampler);
		}
		assert_true(ring_read(&ring, words) > 0);
		is = reason_of(s, words, metric);
		if (is != REASON_REFUSED)
			fail_msg("%s: %s is '%s' where %s cannot be opened", tree_name,
				 metric->name, reason_name(is), pmu->name);
		sampler_stop(sampler);
		sampler_free(sampler);
		engine->ops->free(engine);
		tried[REFUSED]++;
	}
	free(words);
	free(mem);
	made_done(&m);
}

/* ------------------------------------------------------------------ every metric */

static void try_metric(void *p, const struct plan_predefined *r)
{
	const struct cat_metric *metric = r->metric;
	struct specs s = specs_of(metric);
	unsigned *number = p;
	struct made m;

	if (r->absent || metric->per != CAT_PER_SOCKET)
		return;
	m = plan_of(group_text(&s, NULL, NULL));
	for (unsigned i = 0; i < topo->n_sockets; i++)
		if (shown_on(m.p, i, metric) != WHOLE)
			fail_msg("%s: %s is not there", tree_name, metric->name);
	made_done(&m);
	for (unsigned i = 0; i < s.n; i++) {
		struct instances of = instances_of(s.v[i]);
		struct topo_pmu *pmu = of.v[(*number)++ % of.n];
		unsigned socket = topo->n_sockets;

		if (!pmu->cpumask)
			continue;
		while (socket > 0 && !serving(&topo->sockets[socket - 1], pmu))
			socket--;
		socket--;
		if (of.n > 1)
			try_left_out(metric, &s, s.v[i], pmu);
		if (!pmu->has_home) {           /* else the mask says nothing of its socket */
			try_lacks(metric, &s, &of, pmu, socket);
			try_twice(metric, &s, pmu, socket);
		}
		try_refused(metric, &s, pmu, socket);
	}
}

static void test_every_tree(void **state)
{
	unsigned number = 0, before;

	(void)state;
	for (unsigned i = 0; i < COUNT(trees); i++) {
		struct sysfs_tree tree;
		char text[64];

		tree_name = trees[i];
		before = tried[LACKS] + tried[TWICE];
		snprintf(text, sizeof(text), "%s.txt", trees[i]);
		tree_make(&tree, text);
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		plan_predefined_each(topo, pmus, NULL, try_metric, &number);
		topo_free(topo);
		topo_pmus_free(pmus);
		tree_drop(&tree);
		print_message("%s: %u\n", trees[i], tried[LACKS] + tried[TWICE] - before);
	}
	print_message("left out %u, lacking a socket %u, twice %u, refused %u\n", tried[LEFT_OUT],
		      tried[LACKS], tried[TWICE], tried[REFUSED]);
	for (unsigned i = 0; i < FAULTS; i++)
		assert_true(tried[i] > 50);
}

/* The defaults: where a note says that metrics of a socket are left out, one is. Of CXL devices
 * only units have metrics, and some of their PMUs have other events. */
static void test_notes(void **state)
{
	static const char *const more[] = { SYSFS_TREES, "dies", "meshes", "zen4_nps4" };

	(void)state;
	for (unsigned i = 0; i < COUNT(more); i++) {
		bool noted = false, hidden = false;
		struct sysfs_tree tree;
		char text[64];
		struct made m;

		tree_name = more[i];
		snprintf(text, sizeof(text), "%s.txt", more[i]);
		tree_make(&tree, text);
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		m = plan_of(NULL);
		for (unsigned n = 0; n < m.p->n_notes; n++)
			noted |= strstr(m.p->notes[n], "Metrics of ") &&
				 strstr(m.p->notes[n], "(reason hidden)");
		for (unsigned s = 0; s < m.p->n_sockets; s++)
			for (unsigned n = 0; n < m.p->sockets[s].n_metrics; n++)
				hidden |= m.p->sockets[s].metrics[n].hidden != NULL;
		if (noted && !hidden)
			fail_msg("%s: a note says it of none", tree_name);
		made_done(&m);
		topo_free(topo);
		topo_pmus_free(pmus);
		tree_drop(&tree);
	}
}

/* A device has a PMU of its link and one of its DRAM. What an event of one of them counts on a
 * socket is the whole of no kind of PMUs. */
static void test_other_events(void **state)
{
	static const struct cat_metric own = { .name = "all_read_commands_total" };
	const struct topo_pmu *pmu;
	struct sysfs_tree tree;
	struct made m;

	(void)state;
	tree_name = "cmns3";
	tree_make(&tree, "cmns3.txt");
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	pmu = topo_pmu_find(pmus, "cxl_pmu_mem0.1");
	m = plan_of("groups = ( { name = \"g\"; metrics = [ \"all_read_commands_total\" ]; } );"
		    "metrics = ( { name = \"all_read_commands_total\"; unit = \"commands\"; "
		    "per = \"socket\"; numerator = ( \"perf/cxl_pmu_mem/m2s_req_memrd/\" ); } );");
	expect(&m, 0, &own, HIDDEN, "has other events", pmu);
	made_done(&m);
	m = plan_of("groups = ( { name = \"g\"; metrics = [ \"all_read_commands_total\" ]; } );"
		    "metrics = ( { name = \"all_read_commands_total\"; unit = \"commands\"; "
		    "per = \"socket\"; numerator = ( \"perf/cxl_pmu_mem/clock_ticks/\" ); } );");
	expect(&m, 0, &own, WHOLE, "has this one, too", pmu);
	made_done(&m);
	topo_free(topo);
	topo_pmus_free(pmus);
	tree_drop(&tree);
}

/* ------------------------------------------------------------------ by registers */

/* A group of these events; of `single`, if it is not NULL, each unit by its number but for
 * `without`. */
static const char *registers_text(const struct specs *s, const char *single, unsigned n_units,
				  unsigned without)
{
	static char buf[65536];
	const char *before = "";
	size_t n = (size_t)snprintf(buf, sizeof(buf), "groups = ( { name = \"g\"; events = [ ");

	for (unsigned i = 0; i < s->n; i++) {
		bool apart = single && strcmp(s->v[i], single) == 0;

		for (unsigned u = 0; u < (apart ? n_units : 1); u++) {
			int box = (int)strcspn(s->v[i], "/");

			if (apart && u == without)
				continue;
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s\"%.*s", before, box,
					      s->v[i]);
			if (apart)
				n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%u", u);
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s\"", s->v[i] + box);
			before = ", ";
		}
	}
	snprintf(buf + n, sizeof(buf) - n, " ]; } );");
	return buf;
}

/* Is the metric on socket 1, with a value? */
static bool shown_by_registers(const struct cat_processor *p, const struct cat_metric *metric,
			       const char *text)
{
	struct made m = make(text, p->name, 2, NULL, false);
	bool shown;

	if (m.r < 0)
		fail_msg("%s: %s: %s\n%s", p->name, metric->name, m.d.v[0], text);
	shown = shown_on(m.p, 1, metric) == WHOLE;
	made_done(&m);
	return shown;
}

/* Tries each unit of each input; returns how many were left out. */
static unsigned try_registers(const struct cat_processor *p, const struct cat_metric *metric)
{
	struct specs s = specs_of(metric);
	unsigned n = 0;

	if (metric->guard) {
		specs_add(&s, metric->guard->num);
		specs_add(&s, metric->guard->den);
	}
	if (!shown_by_registers(p, metric, registers_text(&s, NULL, 0, 0)))
		fail_msg("%s: all inputs of %s do not show it", p->name, metric->name);
	for (unsigned i = 0; i < s.n; i++) {
		char name[32];
		const struct cat_box *box;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(s.v[i], "/"), s.v[i]);
		box = cat_box_by_name(p, name);
		if (box->n_units == 1 && s.n == 1)      /* a group of nothing */
			continue;
		if (!shown_by_registers(p, metric, registers_text(&s, s.v[i], box->n_units,
								  box->n_units)))
			fail_msg("%s: %s does not show where all units of %s are named one by "
				 "one", p->name, metric->name, s.v[i]);
		for (unsigned u = 0; u < box->n_units; u++, n++)
			if (shown_by_registers(p, metric, registers_text(&s, s.v[i],
									 box->n_units, u)))
				fail_msg("%s: %s shows without unit %u of %s", p->name,
					 metric->name, u, s.v[i]);
	}
	return n;
}

static void test_registers(void **state)
{
	unsigned metrics = 0, left_out = 0, of_many = 0;

	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++)
		for (unsigned row = 0; row < cat_processors[i]->metrics->n; row++) {
			const struct cat_metric *m = &cat_processors[i]->metrics->v[row];
			unsigned n;

			if (m->per != CAT_PER_SOCKET || m->absent || m->knee)
				continue;       /* a curve decides about the knee */
			n = try_registers(cat_processors[i], m);
			metrics++;
			left_out += n;
			of_many += n > 4;
		}
	print_message("%u metrics, %u units left out, %u of boxes with many units\n", metrics,
		      left_out, of_many);
	/* the hit ratio of Xeon 7500 and E7, four miss ratios of Xeon E7 v2 */
	assert_true(metrics > 50 && of_many >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_tree),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_other_events),
		cmocka_unit_test(test_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
