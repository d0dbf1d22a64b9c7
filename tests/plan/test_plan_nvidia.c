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

/* pmu: of a socket, for the shell. */
static void take_away(const char *pmu)
{
	char command[512];

	snprintf(command, sizeof(command), "rm -r %s/%s/%s", tree.root, DEVICES, pmu);
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

struct kind {
	const char *pmu, *rest, *metrics[4];    /* rest: of a name, after the socket's number */
};

static const struct kind graces[] = {
	{ "nvidia_scf_pmu", "", { "memory_read_bytes_total", "memory_write_bytes_total",
				  "llc_miss_latency_seconds", "llc_miss_ratio" } },
	{ "nvidia_pcie_pmu", "", { "pcie_read_bytes_total", "pcie_write_bytes_total" } },
	{ "nvidia_nvlink_c2c0_pmu", "", { "nvlink_c2c0_read_bytes_total",
					  "nvlink_c2c0_write_bytes_total" } },
	{ "nvidia_nvlink_c2c1_pmu", "", { "nvlink_c2c1_read_bytes_total",
					  "nvlink_c2c1_write_bytes_total" } },
	{ "nvidia_cnvlink_pmu", "", { "cnvlink_read_bytes_total", "cnvlink_write_bytes_total" } },
};

static const struct kind veras[] = {
	{ "nvidia_ucf_pmu", "", { "memory_read_bytes_total", "memory_write_bytes_total",
				  "llc_lookups_total", "llc_socket_hit_ratio" } },
	{ "nvidia_cmem_latency_pmu", "", { "llc_miss_latency_seconds" } },
	{ "nvidia_pcie_pmu_rc", "_rc_*", { "pcie_read_bytes_total", "pcie_write_bytes_total" } },
};

static const struct machine {
	const char *tree;
	const struct kind *kinds;
	unsigned n;
} machines[] = {
	{ "grace.txt", graces, COUNT(graces) }, { "vera.txt", veras, COUNT(veras) },
};

static void take_kind(const struct kind *k, unsigned socket)
{
	char pmu[64];

	snprintf(pmu, sizeof(pmu), "%.*s_%u%s", (int)(strstr(k->pmu, "_pmu") + 4 - k->pmu), k->pmu,
		 socket, k->rest);
	take_away(pmu);
}

/* lacks: the kind that a socket has not; m->n: none. */
static void check_socket(const struct machine *m, const struct plan_socket *s, unsigned lacks)
{
	for (unsigned k = 0; k < m->n; k++)
		for (unsigned i = 0; i < 4 && m->kinds[k].metrics[i]; i++)
			if (has_metric(s, m->kinds[k].metrics[i]) != (k != lacks))
				fail_msg("%s without %s socket %u %s %s", m->tree,
					 lacks < m->n ? m->kinds[lacks].pmu : "nothing", s->id,
					 k != lacks ? "lacks" : "has", m->kinds[k].metrics[i]);
}

static struct made make_here(void)
{
	struct made m = make_for_kernel(NULL, topo, pmus);

	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	return m;
}

static void check_without(const struct machine *v, unsigned lacks)
{
	const struct kind *lost = &v->kinds[lacks];
	struct made m;

	tree_make(&tree, v->tree);
	for (unsigned s = 0; s < 2; s++)
		take_kind(lost, s);
	read_tree();
	for (unsigned i = 0; i < 4 && lost->metrics[i]; i++)
		assert_non_null(strstr(said_of(lost->metrics[i]).why, lost->pmu));
	m = make_here();
	assert_int_equal(m.p->n_sockets, 2);
	for (unsigned s = 0; s < 2; s++)
		check_socket(v, &m.p->sockets[s], lacks);
	made_done(&m);
	drop();
}

/* The other one has all of its own, and this one nothing of another's. */
static void check_without_one(const struct machine *v, unsigned lacks)
{
	struct made m;

	tree_make(&tree, v->tree);
	take_kind(&v->kinds[lacks], 1);
	read_tree();
	m = make_here();
	check_socket(v, &m.p->sockets[0], v->n);
	check_socket(v, &m.p->sockets[1], lacks);
	made_done(&m);
	drop();
}

static void test_without_a_pmu(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(machines); i++)
		for (unsigned k = 0; k < machines[i].n; k++) {
			check_without(&machines[i], k);
			check_without_one(&machines[i], k);
		}
}

/* One socket with a GPU whose memory is nodes without CPUs: a Grace Hopper. */
static void test_one_socket(void **state)
{
	const struct machine *v = &machines[0];
	struct made m;

	(void)state;
	tree_make(&tree, v->tree);
	for (unsigned k = 0; k < v->n; k++)
		take_kind(&v->kinds[k], 1);
	tree_put(&tree, "devices/system/cpu/online", "0-7");
	read_tree();
	m = make_here();
	check_socket(v, &m.p->sockets[0], v->n);
	for (unsigned i = 0; m.p->n_sockets > 1 && i < m.p->sockets[1].n_metrics; i++)
		fail_msg("a socket without PMUs has %s", m.p->sockets[1].metrics[i].name);
	made_done(&m);
	drop();
}

/* Each root complex is in the socket's sum, and in none of the other's. */
static void test_root_complexes(void **state)
{
	unsigned n[2] = { 0, 0 };
	struct made m;

	(void)state;
	tree_make(&tree, "vera.txt");
	take_away("nvidia_pcie_pmu_1_rc_2");    /* numbers with a hole */
	read_tree();
	m = make_here();
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < m.p->sockets[s].rounds[0].n_slots; i++) {
			const struct plan_slot *slot = &m.p->sockets[s].rounds[0].slots[i];

			if (strncmp(slot->pmu, "nvidia_pcie_pmu_", 16) != 0)
				continue;
			assert_int_equal(slot->pmu[16] - '0', s);
			n[s] += strcmp(slot->event_name, "rd_bytes") == 0;
		}
	assert_int_equal(n[0], 6);
	assert_int_equal(n[1], 5);
	made_done(&m);
	drop();
}

/* A kernel from before Vera has Grace's names for its PMUs, whose events count nothing or something
 * else: no row, no ready-made group. */
static void test_grace_names_on_vera(void **state)
{
	static const char *const absent[] = {
		"memory_read_bytes_total", "memory_write_bytes_total", "llc_miss_latency_seconds",
		"llc_lookups_total", "pcie_read_bytes_total",
	};
	struct made m;

	(void)state;
	tree_make(&tree, "vera_old.txt");
	read_tree();
	for (unsigned i = 0; i < COUNT(absent); i++) {
		struct said s = said_of(absent[i]);

		assert_true(s.any);
		assert_string_not_equal(s.why, "");
	}
	m = make_here();
	for (unsigned s = 0; s < m.p->n_sockets; s++) {
		const struct plan_round *r = &m.p->sockets[s].rounds[0];

		assert_int_equal(m.p->sockets[s].n_metrics, 0);
		for (unsigned i = 0; i < r->n_slots; i++)
			assert_string_equal(r->slots[i].event_name, "cycles");
	}
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
	assert_null(strstr(said_of("memory_utilization_ratio").why, "Grace"));
	assert_string_equal(said_of("llc_misses_total").why, "");
	drop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_pmu),
		cmocka_unit_test(test_one_socket),
		cmocka_unit_test(test_root_complexes),
		cmocka_unit_test(test_grace_names_on_vera),
		cmocka_unit_test(test_other_cores_of_this_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
