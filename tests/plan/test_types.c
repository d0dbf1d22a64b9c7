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
static unsigned needs_later;
static const char *since;               /* what a row says that needs one */

static void each(void *p, const struct plan_predefined *r)
{
	(void)p;
	if (!r->absent)
		snprintf(counted + strlen(counted), sizeof(counted) - strlen(counted), "%s ",
			 r->metric->name);
	else if (strstr(r->absent, "no names (uncore_type_N_M)")) {
		needs_later++;
		if (!strstr(r->absent, since))
			fail_msg("%s: %s", r->metric->name, r->absent);
	}
}

/* The units of a tree, as another processor has them. */
static void read_tree(const char *text, unsigned model)
{
	struct topo_pmus *pmus = NULL;
	struct topo *topo;
	struct err err;

	tree_make(&tree, text);
	topo = tree_topo(&tree);
	topo->model = model;
	assert_int_equal(topo_pmus_read(tree.root, &pmus, &err), 0);
	snprintf(counted, sizeof(counted), " ");
	needs_later = 0;
	plan_predefined_each(topo, pmus, NULL, each, NULL);
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
}

/* By hand, from the events' codes in perfmon's files: memory, UPI, requests to the home agents,
 * clocks, cores and lost lines have an event and a unit mask of 8 bits; what is in the table of
 * requests needs 32 bits of unit mask, an I/O stack's data a mask of ports, and the directory of
 * SPR and EMR a unit mask of 10 bits (UNC_M2M_DIRECTORY_UPDATE.ANY: 0x301). */
#define ANY_XEON \
	"memory_read_bytes_total", "memory_write_bytes_total", "memory_utilization_ratio", \
	"memory_channel_utilization_ratio", "memory_channel_capacity_bytes_total", \
	"clock_hertz", "link_sent_data_bytes_total", "link_received_data_bytes_total", \
	"link_sent_utilization_ratio", "link_clock_hertz", "home_local_read_bytes_total", \
	"home_remote_read_bytes_total", "home_local_write_bytes_total", \
	"home_remote_write_bytes_total", "c0_cores", "c6_cores"
#define LOST_LINES "io_lost_lines_total"
/* Of its own table rows of the cache and of devices; of sets reads by home, what devices do. */
#define ANY_LATER (6 + 4 + 12)

static const struct {
	const char *tree, *release;
	unsigned model, later;
	const char *names[20];
} processors[] = {
	/* latency of local and of remote memory, of DRAM and of Optane; the directory */
	{ "spr_lts.txt", "Linux 5.15 does", 143, ANY_LATER + 4 + 1,
	  { ANY_XEON, "persistent_memory_read_bytes_total",
	    "persistent_memory_write_bytes_total" } },
	{ "spr_lts.txt", "Linux 6.2 does", 207, ANY_LATER + 3 + 1, { ANY_XEON } },
	/* latencies; interrupts */
	{ "gnr_lts.txt", "Linux 6.8 does", 173, ANY_LATER + 3 + 1, { ANY_XEON, LOST_LINES } },
	{ "gnr_lts.txt", "Linux 6.8 does", 174, ANY_LATER + 3 + 1, { ANY_XEON, LOST_LINES } },
	/* interrupts */
	{ "gnr_lts.txt", "Linux 6.8 does", 175, ANY_LATER + 1, { ANY_XEON, LOST_LINES } },
	{ "gnr_lts.txt", "Linux 6.13 does", 221, ANY_LATER + 1, { ANY_XEON, LOST_LINES } },
};

static void test_these_rows_and_no_others(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(processors); k++) {
		const char *const *name = processors[k].names;
		size_t n = 1;

		since = processors[k].release;
		read_tree(processors[k].tree, processors[k].model);
		for (; *name; name++) {
			char word[64];

			snprintf(word, sizeof(word), " %s ", *name);
			if (!strstr(counted, word))
				fail_msg("%u: %s is not counted", processors[k].model, *name);
			n += strlen(*name) + 1;
		}
		if (strlen(counted) != n)
			fail_msg("%u: counted:%s", processors[k].model, counted);
		if (needs_later != processors[k].later)
			fail_msg("%u: %u rows need another Linux", processors[k].model,
				 needs_later);
	}
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
		cmocka_unit_test(test_these_rows_and_no_others),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
