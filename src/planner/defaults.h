/* SPDX-License-Identifier: MIT
 * Which ready-made metrics of the catalog a machine's kernel can count, and why not the
 * others.
 *
 * Owns:  the match of catalog/perf.h with the PMUs of a machine.
 * Never: what is counted in the end: a configuration may have groups of its own.
 * Pure; main thread.
 */
#ifndef PLANNER_DEFAULTS_H
#define PLANNER_DEFAULTS_H

#include "catalog/perf.h"
#include "plan/knee.h"
#include "topo/topo.h"

struct plan_predefined {
	const struct cat_perf *table;
	const struct cat_perf *of;  /* the same; of a set, whose name is nobody's: the machine's
				     * table to which it adds */
	const struct cat_metric *metric;
	const char *absent;         /* why it cannot be counted here, a sentence; NULL: it can */
	const char *in_part;        /* when its value is left out here, a sentence; NULL: nothing
				     * is known of that */
	const char *rests;          /* what its formula rests on, in words */
	bool by_default;            /* a group that counts without a configuration has its events */
};

/* plan_predefined_each - every metric of the tables that hold for the machine, in the order of the
 * tables. pmus may be NULL; knees NULL: nobody looked. */
void plan_predefined_each(const struct topo *topo, const struct topo_pmus *pmus,
			  const struct plan_knees *knees,
			  void (*each)(void *p, const struct plan_predefined *r), void *p);

/* What a knee of the machine's memory would need that its kernel does not count, a sentence that
 * lives for ever; NULL: nothing, or there is no memory to find out. pmus may be NULL. */
const char *plan_knee_missing(const struct topo *topo, const struct topo_pmus *pmus);

struct spec_machine;

/* plan_ready_each - every ready-made group of the kernel's PMUs, in the order in which they count
 * by default: of tables, then of PMUs that no table knows. g is gone after the call. */
void plan_ready_each(const struct spec_machine *m, void (*each)(void *p, const struct cat_group *g),
		     void *p);

/* Another name of the ready-made group; NULL: it has none. The example of uncored's contract calls
 * that of the last-level cache "cache". */
const char *plan_ready_other(const struct cat_group *g);
/* Is this a name of the ready-made group? */
bool plan_ready_called(const struct cat_group *g, const char *name);

/* The first PMU of a table for just this processor, if the kernel has none of that table's: its
 * driver is not loaded. Or NULL. */
const char *plan_predefined_missing_pmu(const struct topo *topo, const struct topo_pmus *pmus);

#endif
