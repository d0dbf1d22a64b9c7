/* SPDX-License-Identifier: MIT
 * Ready-made groups and metrics: which tables hold for a machine, what is absent and
 * why. */
#include "planner/defaults.h"

#include "defaults_fixture.h"

static bool try_remove(const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s", tree.root, file);
	return remove(path) == 0;
}

static void remove_file(const char *file)
{
	assert_true(try_remove(file));
}

/* Of all channels; instances may share their files. */
static void remove_event(const char *name)
{
	bool removed = false;

	for (unsigned i = 0; i < 8; i++) {
		char file[128];

		snprintf(file, sizeof(file), "uncore_imc_%u/events/%s", i, name);
		removed |= try_remove(file);
	}
	assert_true(removed);
}

/* The table is chosen by vendor, family and model; what no table knows keeps its first events. */
static void test_processor(void **state)
{
	static const struct { int line; const char *vendor; unsigned family, model;
			      bool ready; } rows[] = {
		{ __LINE__, "GenuineIntel", 6, 85, true },
		{ __LINE__, "GenuineIntel", 6, 1, false },
		{ __LINE__, "GenuineIntel", 15, 85, false },
		{ __LINE__, "AuthenticAMD", 6, 85, false },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		make_skx(rows[i].vendor, rows[i].family, rows[i].model);
		m = make_plan(NULL);
		if (!group_of(m.p, "memory") != !rows[i].ready ||
		    !group_of(m.p, "imc") != rows[i].ready)
			fail_msg("line %d: the groups are others", rows[i].line);
		assert_int_equal(!metric_of(m.p, "memory_read_bytes_total"), !rows[i].ready);
		assert_true(m.p->n_series <= 100 * m.p->n_sockets);
		assert_int_equal(m.p->sockets[0].n_rounds, 1);
		drop(&m);
	}
}

/* 6.103515625e-5 MiB are 64 bytes; a socket's sum has all six channels. */
static void test_scaled(void **state)
{
	const struct plan_metric *x;
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	m = make_plan(NULL);
	x = metric_of(m.p, "memory_read_bytes_total");
	assert_non_null(x);
	assert_true(x->counter && x->sum);
	assert_int_equal(x->num.n, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_true(x->num.v[i].weight == 64);
	assert_int_equal(x->labels.n, 0);
	drop(&m);
}

/* Groups of a configuration yield ready-made metrics too; a row of the same name stands instead. */
static void test_configuration(void **state)
{
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	m = make_plan("groups = ( { name = \"r\"; events = [ \"perf/uncore_imc/cas_count_read/\" "
		      "]; } );");
	assert_int_equal(m.p->sockets[0].n_metrics, 1);
	assert_string_equal(m.p->sockets[0].metrics[0].name, "memory_read_bytes_total");
	made_done(&m);
	m = make_plan("groups = ( { name = \"r\"; events = [ \"perf/uncore_imc/cas_count_read/\" "
		      "]; } );\n"
		      "metrics = ( { name = \"memory_read_bytes_total\"; unit = \"bytes\"; "
		      "per = \"socket\"; scale = 32.0;\n"
		      "numerator = ( \"perf/uncore_imc/cas_count_read/\" ); } );");
	assert_int_equal(m.p->sockets[0].n_metrics, 1);
	assert_true(m.p->sockets[0].metrics[0].scale == 32 &&
		    m.p->sockets[0].metrics[0].num.v[0].weight == 1);
	drop(&m);
}

/* ------------------------------------------------------------------ absent */

struct seen {
	const char *name;
	unsigned n;
	char why[512];
};

static void see(void *p, const struct plan_predefined *r)
{
	struct seen *s = p;

	if (strcmp(r->metric->name, s->name) != 0)
		return;
	s->n++;
	snprintf(s->why, sizeof(s->why), "%s", r->absent ? r->absent : "");
}

static struct seen why_absent(const char *metric)
{
	struct seen s = { .name = metric };
	struct topo *topo = tree_topo(&tree);
	struct topo_pmus *pmus = NULL;
	struct err err;

	assert_int_equal(topo_pmus_read(tree.root, &pmus, &err), 0);
	plan_predefined_each(topo, pmus, NULL, see, &s);
	topo_pmus_free(pmus);
	topo_free(topo);
	return s;
}

/* An event that the kernel does not have takes its metric along and nothing else. */
static void test_absent_event(void **state)
{
	struct seen s;
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	s = why_absent("memory_write_bytes_total");
	assert_int_equal(s.n, 1);
	assert_string_equal(s.why, "");
	remove_event("cas_count_write");
	s = why_absent("memory_write_bytes_total");
	assert_int_equal(s.n, 1);
	assert_string_equal(s.why, "PMU 'uncore_imc_0' has no event or term "
				   "'cas_count_write'");
	s = why_absent("memory_read_bytes_total");
	assert_string_equal(s.why, "");
	m = make_plan(NULL);
	assert_non_null(metric_of(m.p, "memory_read_bytes_total"));
	assert_null(metric_of(m.p, "memory_write_bytes_total"));
	assert_int_equal(group_of(m.p, "memory")->n_slots, 6);
	drop(&m);
}

/* A ready-made group by its name is what this machine can count of it. Skylake-SP has no energy of
 * cores, graphics or the platform (the kernel's RAPL driver): two events are left. */
static void test_named(void **state)
{
	struct topo_pmus *pmus;
	struct topo *topo;
	struct made m;

	(void)state;
	make_skx("GenuineIntel", 6, 85);
	m = make_plan("groups = [ \"power\", \"memory\" ];");
	assert_int_equal(group_of(m.p, "power")->n_slots, 2);
	assert_int_equal(group_of(m.p, "memory")->n_slots, 12);
	drop(&m);
	make_skx("GenuineIntel", 6, 85);
	remove_event("cas_count_write");
	remove_event("cas_count_read");
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m = make_for_kernel("groups = [ \"memory\" ];", topo, pmus);
	assert_true(m.r < 0);
	assert_int_equal(m.d.n, 1);
	assert_non_null(strstr(m.d.v[0], "t.conf:1: the kernel cannot count the ready-made group "
			       "'memory' here: PMU 'uncore_imc_0' has no event"));
	topo_pmus_free(pmus);
	topo_free(topo);
	drop(&m);
}

/* Linux 3.13 has names of these events without .scale and .unit: a command moves 64 bytes. */
static void test_a_kernel_without_scale(void **state)
{
	static const char *const trees[] = { "snbep.txt", "hsx.txt", "bdx.txt", "skx.txt" };
	static const char *const files[] = { "cas_count_read.scale", "cas_count_read.unit",
					     "cas_count_write.scale", "cas_count_write.unit" };

	(void)state;
	for (size_t i = 0; i < COUNT(trees); i++) {
		const struct plan_metric *x;
		struct made m;

		tree_make(&tree, trees[i]);
		for (size_t k = 0; k < COUNT(files); k++)
			remove_event(files[k]);
		assert_string_equal(why_absent("memory_read_bytes_total").why, "");
		m = make_plan(NULL);
		x = metric_of(m.p, "memory_read_bytes_total");
		assert_true(x && x->counter && x->num.v[0].weight * x->scale == 64);
		x = metric_of(m.p, "memory_write_bytes_total");
		assert_true(x && x->counter && x->num.v[0].weight * x->scale == 64);
		drop(&m);
	}
}

/* The sum of a metric needs the kernel's word for what a count is, or that of its row. */
static void test_absent_scale(void **state)
{
	struct seen s;
	struct made m;

	(void)state;
	tree_make(&tree, "skl.txt");
	remove_file("uncore_imc/events/data_reads.scale");
	s = why_absent("memory_read_bytes_total");
	assert_string_equal(s.why, "the kernel gives no .scale and .unit for "
				   "perf/uncore_imc/data_reads/");
	tree_drop(&tree);
	make_skx("GenuineIntel", 6, 85);
	for (unsigned i = 0; i < 6; i++) {
		char file[128];

		snprintf(file, sizeof(file),
			 "bus/event_source/devices/uncore_imc_%u/events/cas_count_read.scale", i);
		tree_put(&tree, file, "1.1e-6");
	}
	s = why_absent("memory_read_bytes_total");
	assert_string_equal(s.why, "a count of perf/uncore_imc/cas_count_read/ is 1.15343 and no "
				   "whole number by the kernel's .scale");
	m = make_plan(NULL);
	assert_null(metric_of(m.p, "memory_read_bytes_total"));
	drop(&m);
}

/* Without its driver a processor has tables and nothing to count. */
static void test_absent_pmu(void **state)
{
	struct seen s;
	struct made m;

	(void)state;
	tree_make(&tree, "cmn700.txt");
	tree_put(&tree, "cpuinfo",
		 "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85");
	s = why_absent("memory_read_bytes_total");
	assert_int_equal(s.n, 1);
	assert_non_null(strstr(s.why, "this machine's kernel has no PMU 'uncore_imc'"));
	m = make_plan(NULL);
	assert_null(group_of(m.p, "memory"));
	drop(&m);
}

/* A driver is missed for what all of a processor have: few Sapphire Rapids have HBM. */
static void test_missing_driver(void **state)
{
	static const char *const trees[] = { "spr.txt", "sprhbm.txt", "cmn700.txt" };

	(void)state;
	for (size_t i = 0; i < COUNT(trees); i++) {
		struct topo_pmus *pmus, none = { .n = 0 };
		struct topo *topo;

		tree_make(&tree, trees[i]);
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		assert_null(plan_predefined_missing_pmu(topo, pmus));
		if (topo->family)
			assert_string_equal(plan_predefined_missing_pmu(topo, &none), "uncore_imc");
		else
			assert_null(plan_predefined_missing_pmu(topo, &none));
		topo_pmus_free(pmus);
		topo_free(topo);
		tree_drop(&tree);
	}
}

/* One model of a family has what another has not, and steppings differ. */
static void test_model(void **state)
{
	/* why: words of the reason; "": it is counted; NULL: no table speaks of it */
	static const struct { int line; const char *tree, *vendor; unsigned family, model, stepping;
			      const char *metric, *why; } rows[] = {
		{ __LINE__, "skx.txt", "GenuineIntel", 6, 85, 4, "persistent_memory_read_bytes_total", NULL },
		{ __LINE__, "skx.txt", "GenuineIntel", 6, 85, 5, "persistent_memory_read_bytes_total", "" },
		{ __LINE__, "skx.txt", "GenuineIntel", 6, 85, 11, "persistent_memory_read_bytes_total", "" },
		{ __LINE__, "zen2.txt", "AuthenticAMD", 23, 0x08, 2, "die_memory_bytes_total", "" },
		{ __LINE__, "zen2.txt", "AuthenticAMD", 23, 0x71, 0, "die_memory_bytes_total", NULL },
		{ __LINE__, "zen2.txt", "AuthenticAMD", 23, 0x71, 0, "memory_read_bytes_total", "no public source says which events" },
		{ __LINE__, "zen3.txt", "AuthenticAMD", 25, 0x21, 0, "memory_read_bytes_total", "no public source says which events" },
		{ __LINE__, "zen3.txt", "AuthenticAMD", 25, 0x21, 0, "link_sent_data_bytes_total", NULL },
		{ __LINE__, "zen4.txt", "AuthenticAMD", 25, 0x61, 2, "memory_read_bytes_total", "" },
		{ __LINE__, "zen4.txt", "AuthenticAMD", 25, 0x61, 2, "pcie_read_bytes_total", "no public source names events" },
		{ __LINE__, "zen5.txt", "AuthenticAMD", 26, 0x44, 0, "pcie_write_bytes_total", "no public source names events" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct seen s;
		char text[256];

		tree_make(&tree, rows[i].tree);
		snprintf(text, sizeof(text), "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\n"
					     "model\t\t: %u\nstepping\t: %u",
			 rows[i].vendor, rows[i].family, rows[i].model, rows[i].stepping);
		tree_put(&tree, "cpuinfo", text);
		s = why_absent(rows[i].metric);
		if (s.n != (rows[i].why ? 1 : 0) ||
		    (rows[i].why && (!strstr(s.why, rows[i].why) || (!*rows[i].why && *s.why))))
			fail_msg("line %d: %u rows, %s", rows[i].line, s.n, s.why);
		tree_drop(&tree);
	}
}

/* One PMU of Zen 1 counts on each of a socket's four dies, and a metric asks it for all of them.
 * One mesh is unit 0, and has no other. */
static void test_a_unit_of_a_metric(void **state)
{
	static const struct { int line; const char *tree, *metric, *mistake; } rows[] = {
		{ __LINE__, "zen1.txt", "die_memory_bytes_total,unit=2", "all units of amd_df count together; remove unit=" },
		{ __LINE__, "zen1.txt", "die_memory_bytes_total,unit=0", "all units of amd_df count together; remove unit=" },
		{ __LINE__, "zen1.txt", "die_memory_bytes_total", NULL },
		{ __LINE__, "clxap.txt", "memory_read_bytes_total,unit=3", "events: \"imc3/cas_count_read,config=0x304\"" },
		{ __LINE__, "cmn600.txt", "llc_lookups_total,unit=1", "has no other unit than 0; remove unit=" },
		{ __LINE__, "cmn600.txt", "llc_lookups_total,unit=0", NULL },
		{ __LINE__, "altra2.txt", "llc_lookups_total,unit=1", NULL },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct topo_pmus *pmus;
		struct topo *topo;
		struct made m;

		tree_make(&tree, rows[i].tree);
		topo = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		snprintf(text, sizeof(text), "groups = ( { name = \"g\"; metrics = [ \"%s\" ]; "
			 "} );", rows[i].metric);
		m = make_for_kernel(text, topo, pmus);
		if (m.d.n != !!rows[i].mistake ||
		    (rows[i].mistake && !strstr(m.d.v[0], rows[i].mistake)))
			fail_msg("line %d: %zu mistakes: %s", rows[i].line, (size_t)m.d.n,
				 m.d.n ? m.d.v[0] : "");
		topo_pmus_free(pmus);
		topo_free(topo);
		drop(&m);
	}
}

/* A memory channel of a Cascade Lake-AP is a unit on each of a socket's two dies. */
static void test_units_of_an_own_metric(void **state)
{
	struct topo_pmus *pmus;
	struct topo *topo;
	struct made m;

	(void)state;
	tree_make(&tree, "clxap.txt");
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m = make_for_kernel("groups = ( { name = \"g\"; events = [ "
			    "\"perf/uncore_imc_1/cas_count_read/\" ]; } ); metrics = ( { name = "
			    "\"own_bytes_total\"; unit = \"bytes\"; per = \"socket\"; help = "
			    "\"Bytes\"; numerator = ( \"perf/uncore_imc_1/cas_count_read/\" ); } "
			    ");", topo, pmus);
	assert_int_equal(m.r, 0);
	assert_string_equal(m.p->sockets[0].metrics[0].help, "Bytes of units 2 and 3");
	topo_pmus_free(pmus);
	topo_free(topo);
	drop(&m);
}

/* Xeon 6: a name or code that counts one subchannel of two, which a kernel before 2026 calls all
 * reads. Elsewhere it is all. */
static void test_half_of_the_reads(void **state)
{
	static const struct { int line; const char *tree, *events, *note; } rows[] = {
		{ __LINE__, "gnr.txt", "\"perf/uncore_imc/cas_count_read/\"", "perf/uncore_imc/cas_count_read/ counts one subchannel of two" },
		{ __LINE__, "srf.txt", "\"perf/uncore_imc_3/cas_count_write/\"", "event=0x06,umask=0xf0 of the same PMU" },
		{ __LINE__, "gnr.txt", "\"perf/uncore_imc/cas_count_read,name=reads/\"", "counts one subchannel of two" },
		{ __LINE__, "cwf.txt", "\"perf/uncore_imc/cas_count_read_sch1/\"", "event=0x05,umask=0xcf of the same PMU" },
		{ __LINE__, "cwf.txt", "\"perf/uncore_imc/cas_count_read_sch1/\", \"perf/uncore_imc/cas_count_read_sch0/\"", NULL },
		{ __LINE__, "gnr.txt", "\"perf/uncore_imc/cas_count_read/\", \"perf/uncore_imc/event=0x06,umask=0xcf,name=other/\"", NULL },
		{ __LINE__, "spr.txt", "\"perf/uncore_imc/cas_count_read/\"", NULL },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;

		tree_make(&tree, rows[i].tree);
		snprintf(text, sizeof(text), "groups = ( { name = \"g\"; events = [ %s ]; } );",
			 rows[i].events);
		m = make_plan(text);
		if (m.p->n_notes != !!rows[i].note ||
		    (rows[i].note && !strstr(m.p->notes[0], rows[i].note)))
			fail_msg("line %d: %u notes: %s", rows[i].line, m.p->n_notes,
				 m.p->n_notes ? m.p->notes[0] : "");
		drop(&m);
	}
}

/* perfmon: llc_data_read_demand_plus_prefetch_miss_latency of HSX and SKX,
 * llc_demand_data_read_miss_latency of ICX to SRF. */
static void test_which_reads(void **state)
{
	static const struct { const char *tree; bool prefetches; } rows[] = {
		{ "snbep.txt", true }, { "hsx.txt", true }, { "skx.txt", true },
		{ "icx.txt", false }, { "spr.txt", false }, { "gnr.txt", false },
		{ "srf.txt", false },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;
		unsigned n = 0;

		tree_make(&tree, rows[i].tree);
		m = make_plan(NULL);
		for (unsigned k = 0; k < m.p->sockets[0].n_metrics; k++) {
			const struct plan_metric *x = &m.p->sockets[0].metrics[k];

			if (strncmp(x->name, "llc_data_read", strlen("llc_data_read")) != 0)
				continue;
			n++;
			if (!strstr(x->help, "without prefetches") != rows[i].prefetches ||
			    !strstr(x->help, "and the prefetches") == rows[i].prefetches)
				fail_msg("%s: %s: %s", rows[i].tree, x->name, x->help);
		}
		assert_true(n >= 2);
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processor), cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_configuration),
		cmocka_unit_test(test_absent_event),
		cmocka_unit_test(test_named), cmocka_unit_test(test_absent_scale),
		cmocka_unit_test(test_a_kernel_without_scale),
		cmocka_unit_test(test_absent_pmu), cmocka_unit_test(test_missing_driver),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_a_unit_of_a_metric),
		cmocka_unit_test(test_units_of_an_own_metric),
		cmocka_unit_test(test_half_of_the_reads), cmocka_unit_test(test_which_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
