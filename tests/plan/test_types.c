/* SPDX-License-Identifier: MIT
 * Kernels that give a processor's units no names: uncore_type_N_M, with the fields that all kinds
 * of units have in Linux' discovery of uncore units: an event of 8 bits, a unit mask of 8 bits.
 * The kernel masks what does not fit, so that a wide unit mask would count something else: a row is
 * there if every bit of its terms is in the PMU's own format, and no other.
 */
#include "pmus_fixture.h"

#include "planner/defaults.h"

/* What is counted of the tables, by names: " a b ". */
static char counted[4096];
static unsigned needs_later, others;

static void each(void *p, const struct plan_predefined *r)
{
	(void)p;
	if (!r->absent)
		snprintf(counted + strlen(counted), sizeof(counted) - strlen(counted), "%s ",
			 r->metric->name);
	else if (strstr(r->absent, "no names (uncore_type_N_M)"))
		needs_later++;
	else
		others++;
}

static void read_tree(const char *text)
{
	struct topo_pmus *pmus = NULL;
	struct topo *topo;
	struct err err;

	tree_make(&tree, text);
	topo = tree_topo(&tree);
	assert_int_equal(topo_pmus_read(tree.root, &pmus, &err), 0);
	snprintf(counted, sizeof(counted), " ");
	needs_later = others = 0;
	plan_predefined_each(topo, pmus, NULL, each, NULL);
	topo_pmus_free(pmus);
	topo_free(topo);
}

/* By hand, from the events' codes in perfmon's GNR files: memory, UPI, requests to the home agents,
 * clocks, cores and lost lines have an event and a unit mask of 8 bits; what is in the table of
 * requests needs 32 bits of unit mask, an I/O stack's data a mask of ports. */
static void test_granite_rapids(void **state)
{
	static const char *const names[] = {
		"memory_read_bytes_total", "memory_write_bytes_total", "memory_utilization_ratio",
		"memory_channel_utilization_ratio", "memory_channel_capacity_bytes_total",
		"clock_hertz", "link_sent_data_bytes_total", "link_received_data_bytes_total",
		"link_sent_utilization_ratio", "link_clock_hertz", "home_local_read_bytes_total",
		"home_remote_read_bytes_total", "home_local_write_bytes_total",
		"home_remote_write_bytes_total", "c0_cores", "c6_cores", "io_lost_lines_total",
	};
	size_t n = 1;

	(void)state;
	read_tree("gnr_lts.txt");
	for (size_t i = 0; i < COUNT(names); i++) {
		char word[64];

		snprintf(word, sizeof(word), " %s ", names[i]);
		if (!strstr(counted, word))
			fail_msg("%s is not counted", names[i]);
		n += strlen(names[i]) + 1;
	}
	if (strlen(counted) != n)
		fail_msg("counted:%s", counted);
	/* of its own table 6 rows of the cache and of devices; of sets 4 reads by home, 3
	 * latencies, 12 of devices, and the interrupts */
	assert_int_equal(needs_later, 6 + 4 + 3 + 12 + 1);
	tree_drop(&tree);
}

/* The program counts them: the codes of the traffic of memory, on the PMU without a name. */
static void test_memory(void **state)
{
	struct made m;
	const struct plan_perf_round *r;

	(void)state;
	tree_make(&tree, "spr_lts.txt");
	m = make_on(&tree, "groups = ( \"memory\" );");
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	assert_int_equal(m.p->sockets[0].n_metrics, 2);
	assert_true(m.p->sockets[0].metrics[0].num.v[0].weight *
		    m.p->sockets[0].metrics[0].scale == 64);
	r = &m.p->sockets[0].perf->rounds[0];
	assert_int_equal(m.p->sockets[0].rounds[0].n_slots, 2 * 8);
	assert_int_equal(r->events[0].config, 0xcf05);
	made_done(&m);
	/* as the kernel's driver, which has a name for it: uncore_imc is not there */
	m = make_on(&tree, ONE("\"perf/uncore_imc/event=0x05,umask=0xcf,name=x/\""));
	assert_int_not_equal(m.r, 0);
	made_done(&m);
	m = make_on(&tree, "groups = ( \"llc\" );");
	assert_int_equal(m.r, 0);               /* of it the clock is counted */
	made_done(&m);
	m = make_on(&tree, "groups = ( \"pcie\" );");
	assert_int_not_equal(m.r, 0);
	assert_non_null(strstr(m.d.v[0], "Linux 5.15 does"));
	made_done(&m);
	tree_drop(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_granite_rapids),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
