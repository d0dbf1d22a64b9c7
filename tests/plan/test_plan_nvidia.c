/* SPDX-License-Identifier: MIT
 * NVIDIA's PMUs, one of which a firmware may not have: a metric of a socket is whole or absent, and
 * says why; and on which machines there are no rows.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "planner/defaults.h"

#include <stdlib.h>

#define DEVICES "bus/event_source/devices"

static struct sysfs_tree tree;
static struct topo *topo;
static struct topo_pmus *pmus;

static void take_away(const char *pmu)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -r '%s/%s/%s'", tree.root, DEVICES, pmu);
	assert_int_equal(system(command), 0);
}

static void read_tree(void)
{
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
}

static void drop(void)
{
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
}

struct said {
	const char *metric;
	bool any;                   /* a table speaks of it */
	char why[512];              /* it is absent; "": it is not */
};

static void find_said(void *p, const struct plan_predefined *r)
{
	struct said *s = p;

	if (strcmp(r->metric->name, s->metric) != 0)
		return;
	s->any = true;
	if (r->absent)
		snprintf(s->why, sizeof(s->why), "%s", r->absent);
}

static struct said said_of(const char *metric)
{
	struct said s = { .metric = metric };

	plan_predefined_each(topo, pmus, NULL, find_said, &s);
	return s;
}

static bool has_metric(const struct plan_socket *s, const char *name)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (strcmp(s->metrics[i].name, name) == 0)
			return true;
	return false;
}

static const struct { const char *pmu, *metrics[4]; } kinds[] = {
	{ "nvidia_scf_pmu", { "memory_read_bytes_total", "memory_write_bytes_total",
			      "llc_miss_latency_seconds", "llc_miss_ratio" } },
	{ "nvidia_pcie_pmu", { "pcie_read_bytes_total", "pcie_write_bytes_total" } },
	{ "nvidia_nvlink_c2c0_pmu", { "nvlink_c2c0_read_bytes_total",
				      "nvlink_c2c0_write_bytes_total" } },
	{ "nvidia_nvlink_c2c1_pmu", { "nvlink_c2c1_read_bytes_total",
				      "nvlink_c2c1_write_bytes_total" } },
	{ "nvidia_cnvlink_pmu", { "cnvlink_read_bytes_total", "cnvlink_write_bytes_total" } },
};

/* lacks: the kind that a socket has not; COUNT(kinds): none. */
static void check_socket(const struct plan_socket *s, unsigned lacks)
{
	for (unsigned k = 0; k < COUNT(kinds); k++)
		for (unsigned i = 0; i < 4 && kinds[k].metrics[i]; i++)
			if (has_metric(s, kinds[k].metrics[i]) != (k != lacks))
				fail_msg("without %s socket %u %s %s", kinds[lacks].pmu, s->id,
					 k != lacks ? "lacks" : "has", kinds[k].metrics[i]);
}

static struct made make_here(void)
{
	struct made m = make_for_kernel(NULL, topo, pmus);

	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	return m;
}

/* On no socket. */
static void test_without_a_pmu(void **state)
{
	(void)state;
	for (unsigned k = 0; k < COUNT(kinds); k++) {
		struct made m;

		tree_make(&tree, "grace.txt");
		for (unsigned s = 0; s < 2; s++) {
			char pmu[64];

			snprintf(pmu, sizeof(pmu), "%s_%u", kinds[k].pmu, s);
			take_away(pmu);
		}
		read_tree();
		for (unsigned i = 0; i < 4 && kinds[k].metrics[i]; i++)
			assert_non_null(strstr(said_of(kinds[k].metrics[i]).why, kinds[k].pmu));
		m = make_here();
		assert_int_equal(m.p->n_sockets, 2);
		for (unsigned s = 0; s < 2; s++)
			check_socket(&m.p->sockets[s], k);
		made_done(&m);
		drop();
	}
}

/* On one of two: the other one has all of its own, and this one nothing of another's. */
static void test_without_a_pmu_of_a_socket(void **state)
{
	(void)state;
	for (unsigned k = 0; k < COUNT(kinds); k++) {
		char pmu[64];
		struct made m;

		tree_make(&tree, "grace.txt");
		snprintf(pmu, sizeof(pmu), "%s_1", kinds[k].pmu);
		take_away(pmu);
		read_tree();
		m = make_here();
		check_socket(&m.p->sockets[0], COUNT(kinds));
		check_socket(&m.p->sockets[1], k);
		made_done(&m);
		drop();
	}
}

/* One socket with a GPU whose memory is nodes without CPUs: a Grace Hopper. */
static void test_one_socket(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "grace.txt");
	for (unsigned k = 0; k < COUNT(kinds); k++) {
		char pmu[64];

		snprintf(pmu, sizeof(pmu), "%s_1", kinds[k].pmu);
		take_away(pmu);
	}
	tree_put(&tree, "devices/system/cpu/online", "0-7");
	read_tree();
	m = make_here();
	check_socket(&m.p->sockets[0], COUNT(kinds));
	for (unsigned i = 0; m.p->n_sockets > 1 && i < m.p->sockets[1].n_metrics; i++)
		fail_msg("a socket without PMUs has %s", m.p->sockets[1].metrics[i].name);
	made_done(&m);
	drop();
}

/* The same cores without NVIDIA's PMUs: no row of Grace's, and no reason of it. */
static void test_other_cores_of_this_kind(void **state)
{
	(void)state;
	tree_make(&tree, "cmn700.txt");
	read_tree();
	assert_int_equal(topo->part, 0xd4f);
	assert_false(said_of("memory_read_bytes_total").any);
	assert_false(said_of("cnvlink_read_bytes_total").any);
	assert_false(said_of("memory_utilization_ratio").any);
	assert_string_equal(said_of("llc_misses_total").why, "");
	drop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_pmu),
		cmocka_unit_test(test_without_a_pmu_of_a_socket),
		cmocka_unit_test(test_one_socket),
		cmocka_unit_test(test_other_cores_of_this_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
