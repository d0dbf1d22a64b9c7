/* SPDX-License-Identifier: MIT
 * Sets of ready-made groups: a configuration names one, and its groups take turns.
 * Which events each group has, and that they want more than the four counters of a CHA, is written
 * from perfmon's ICX and SKX uncore event files.
 */
#include "pmus_fixture.h"

#include "catalog/perf.h"

#define READS_LOCAL "perf/uncore_cha/event=0x50,umask=0x1,name=requests_reads_local/"
#define NAMED(metric) "groups = ( { name = \"g\"; metrics = [ \"" metric "\" ]; } );"

static bool yields(const struct plan *p, const char *metric)
{
	for (unsigned i = 0; i < p->sockets[0].n_metrics; i++)
		if (strcmp(p->sockets[0].metrics[i].name, metric) == 0)
			return true;
	return false;
}

static void test_turns(void **state)
{
	static const struct { int line; const char *machine, *groups, *turns; } rows[] = {
		{ __LINE__, "icx.txt", "\"numa\"",
		  "numa_reads|numa_home|numa_local_latency|numa_remote_latency" },
		/* one filter: reads of local and of remote memory are never beside each other */
		{ __LINE__, "skx.txt", "\"numa\"", "numa_home|numa_local|numa_remote" },
		{ __LINE__, "srf.txt", "\"numa\"", "numa_reads|numa_home" },
		/* beside other PMUs' groups; what is named alone is in its own place, once */
		{ __LINE__, "icx.txt", "\"numa_home\", \"numa\"",
		  "numa_home|numa_reads|numa_local_latency|numa_remote_latency" },
		{ __LINE__, "icx.txt", "\"links\", \"numa_reads\"", "links numa_reads" },
		/* who counts on other PMUs has all of the time, wherever it is named */
		{ __LINE__, "icx.txt", "\"memory\", \"numa\", \"links\"",
		  "memory numa_reads links|memory numa_home links|memory numa_local_latency links|"
		  "memory numa_remote_latency links" },
		/* the interrupts are counted by another PMU: beside each of the others */
		{ __LINE__, "gnr.txt", "\"io\"",
		  "io_reads io_interrupts|io_writes io_interrupts|io_write_homes io_interrupts|"
		  "io_partial_writes io_interrupts" },
		/* beside the group of its PMU, which that has as one without a table */
		{ __LINE__, "vera.txt", "\"nvidia_nvclink_pmu\", \"numa_remote_latency\"",
		  "nvidia_nvclink_pmu numa_remote_latency" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;

		tree_make(&tree, rows[i].machine);
		snprintf(text, sizeof(text), "groups = ( %s );", rows[i].groups);
		m = make_on(&tree, text);
		if (m.r < 0 || strcmp(rounds_text(m.p), rows[i].turns) != 0)
			fail_msg("line %d: %s", rows[i].line, m.r < 0 ? m.d.v[0] :
				 rounds_text(m.p));
		made_done(&m);
		tree_drop(&tree);
	}
}

/* No notes about groups of one set, one about a group of a set and others. */
static void test_notes(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	m = make_on(&tree, "groups = ( \"numa\" );");
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_notes, 0);
	made_done(&m);
	m = make_on(&tree, "groups = ( \"llc\", \"numa\" );");
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_notes, 4);
	assert_string_equal(m.p->notes[0], "Group 'numa_reads' takes turns with 'llc': 8 events "
			    "compete for the 4 counters of the kernel's PMU uncore_cha_0.");
	assert_non_null(strstr(m.p->notes[3], "'numa_remote_latency' takes turns with 'llc'"));
	made_done(&m);
	tree_drop(&tree);
}

/* A metric of a set comes where its events are counted, whoever names these, and not by default. */
static void test_metrics(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	m = make_on(&tree, NULL);
	assert_int_equal(m.r, 0);
	assert_false(yields(m.p, "home_local_read_bytes_total"));
	made_done(&m);
	m = make_on(&tree, ONE("\"perf/uncore_cha/event=0x50,umask=0x1,name=asked/\""));
	assert_int_equal(m.r, 0);
	assert_false(yields(m.p, "home_local_read_bytes_total"));       /* another name */
	made_done(&m);
	m = make_on(&tree, ONE("\"" READS_LOCAL "\""));
	assert_int_equal(m.r, 0);
	assert_true(yields(m.p, "home_local_read_bytes_total"));
	made_done(&m);
	m = make_on(&tree, NAMED("numa_remote_read_ratio"));
	assert_int_equal(m.r, 0);
	assert_true(yields(m.p, "numa_remote_read_ratio"));
	made_done(&m);
	tree_drop(&tree);
}

static const struct cat_perf *table(const char *name)
{
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (strcmp(cat_perfs[i]->name, name) == 0)
			return cat_perfs[i];
	fail_msg("there is no table %s", name);
	return NULL;
}

/* Rows of a set are of the processor's table, and of no other one that has its PMU, too. */
static void test_whose(void **state)
{
	(void)state;
	assert_true(cat_perf_adds_to(table("icx-pages"), table("icx")));
	assert_false(cat_perf_adds_to(table("icx-pages"), table("pmem")));
	assert_true(cat_perf_adds_to(table("ep-pages"), table("snbep")));
	assert_true(cat_perf_adds_to(table("ep-pages"), table("skx")));
	assert_true(cat_perf_adds_to(table("vera-links"), table("vera")));
	assert_false(cat_perf_adds_to(table("vera-links"), table("grace")));
}

static void test_refused(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "icx.txt");
	m = make_on(&tree, "groups = ( \"nmua\" );");
	assert_int_not_equal(m.r, 0);
	assert_non_null(strstr(m.d.v[0], "there is no ready-made group 'nmua' here; the nearest is "
			       "'numa'"));
	made_done(&m);
	tree_drop(&tree);
	tree_make(&tree, "skx.txt");
	m = make_on(&tree, NAMED("numa_local_read_ratio"));
	assert_int_not_equal(m.r, 0);
	assert_non_null(strstr(m.d.v[0], "a CHA of this processor has one filter"));
	made_done(&m);
	tree_drop(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
