/* SPDX-License-Identifier: MIT
 * A modelled kernel of a machine of tests/plan/sysfs, with a clock that a test moves.
 */
#ifndef KERNEL_FIXTURE_H
#define KERNEL_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/perf_engine.h"
#include "model/perf_kernel_internal.h"
#include "sysfs_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct modelled {
	struct sysfs_tree tree;
	struct topo *topo;
	struct topo_pmus *pmus;
	struct perf_kernel *k;
	nsec now;
};

static nsec modelled_now(void *p)
{
	return ((struct modelled *)p)->now;
}

static inline void modelled_make(struct modelled *m, const char *text, const char *workload)
{
	struct perf_kernel_options o = { .workload = workload, .clock = modelled_now, .of = m };
	struct err err;

	*m = (struct modelled){ .now = 1000 * NSEC_PER_SEC };
	tree_make(&m->tree, text);
	o.text = m->tree.text;
	o.topo = m->topo = tree_topo(&m->tree);
	o.pmus = m->pmus = tree_pmus(&m->tree);
	if (perf_kernel_new(&o, &m->k, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static inline void modelled_drop(struct modelled *m)
{
	perf_kernel_free(m->k);
	topo_pmus_free(m->pmus);
	topo_free(m->topo);
	tree_drop(&m->tree);
}

static inline uint32_t type_of(const struct modelled *m, const char *pmu)
{
	const struct topo_pmu *p = topo_pmu_find(m->pmus, pmu);

	if (!p)
		fail_msg("no PMU %s", pmu);
	return p->type;
}

static inline int open_event(struct modelled *m, const char *pmu, uint64_t config, int cpu,
			     int leader)
{
	const struct plan_perf e = { .type = type_of(m, pmu), .config = config };
	const struct perf_event_attr attr = perf_attr_of(&e, leader < 0);

	return perf_kernel_open(m->k, &attr, -1, cpu, leader);
}

struct read_of_group {
	uint64_t n, enabled, running, value[8];
};

static inline struct read_of_group read_group(struct modelled *m, int fd)
{
	struct read_of_group r;
	ssize_t n = perf_kernel_read(m->k, fd, &r, sizeof(r));

	assert_true(n > 0 && (size_t)n == (3 + r.n) * sizeof(uint64_t));
	return r;
}

/* What a counter of it would have counted since the kernel began. */
static inline uint64_t truth(struct modelled *m, const char *pmu, uint64_t config, int cpu)
{
	const struct perf_event_attr attr = { .type = type_of(m, pmu), .config = config };
	struct kernel_event e;

	assert_int_equal(kernel_event_init(m->k, &attr, cpu, &e), 0);
	return kernel_truth(m->k, &e, kernel_now(m->k));
}

#endif
