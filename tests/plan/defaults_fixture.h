/* SPDX-License-Identifier: MIT
 * Plans of what is ready-made, on one tree at a time.
 *
 * Never: expected values.
 */
#ifndef DEFAULTS_FIXTURE_H
#define DEFAULTS_FIXTURE_H

#include "plan_test.h"
#include "sysfs_tree.h"

static struct sysfs_tree tree;

/* Skylake-SP of src/topo/machines on a processor of this family and model. */
static inline void make_skx(const char *vendor, unsigned family, unsigned model)
{
	char text[256];

	tree_make(&tree, "skx.txt");
	snprintf(text, sizeof(text),
		 "processor\t: 0\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u", vendor, family,
		 model);
	tree_put(&tree, "cpuinfo", text);
}

static inline struct made make_plan(const char *text)
{
	struct topo *topo = tree_topo(&tree);
	struct topo_pmus *pmus = tree_pmus(&tree);
	struct made m = make_for_kernel(text, topo, pmus);

	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	topo_pmus_free(pmus);
	topo_free(topo);
	return m;
}

static inline void drop(struct made *m)
{
	made_done(m);
	tree_drop(&tree);
}

static inline const struct plan_group *group_of(const struct plan *p, const char *name)
{
	for (unsigned i = 0; i < p->sockets[0].n_groups; i++)
		if (strcmp(p->sockets[0].groups[i].name, name) == 0)
			return &p->sockets[0].groups[i];
	return NULL;
}

static inline const struct plan_metric *metric_of(const struct plan *p, const char *name)
{
	for (unsigned i = 0; i < p->sockets[0].n_metrics; i++)
		if (strcmp(p->sockets[0].metrics[i].name, name) == 0)
			return &p->sockets[0].metrics[i];
	return NULL;
}

#endif
