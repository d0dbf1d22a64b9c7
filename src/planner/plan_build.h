/* SPDX-License-Identifier: MIT
 * Conf x catalog x topo: how a plan is made.
 *
 * Owns:  the join of what is wanted, what exists and what fits.
 * Never: fds, clocks, HTTP.
 * Pure; main thread; allocates.
 */
#ifndef PLANNER_PLAN_BUILD_H
#define PLANNER_PLAN_BUILD_H

#include "catalog/catalog.h"
#include "conf/conf.h"
#include "plan/constant.h"
#include "plan/knee.h"
#include "plan/plan.h"
#include "topo/devices.h"
#include "topo/topo.h"

struct plan_input {
	const struct conf *conf;
	const struct cat_processor *processor;   /* NULL: only perf specs are possible */
	const struct topo *topo;
	const struct topo_pmus *pmus;            /* NULL: none */
	const struct topo_devices *devices;     /* behind the I/O stacks of pmus; NULL: none */
	bool perf_engine;           /* engine = perf: box specs are an error */
	bool elsewhere;             /* topo is of another machine: the configuration's `cpus` do not
	                             * apply */
	bool filters_optional;	/* encode: filter values that an event needs may still be missing */
	/* where perf events count: the machine beside a register model; NULL: topo */
	const struct topo *perf_topo;
	const struct plan_constants *constants; /* NULL: unknown, and each is taken as 1 */
	const struct plan_knees *knees;         /* NULL: nobody looked */
};

/*
 * plan_build - the whole plan, or every reason why not.
 *
 * Returns 0 and *ret (release with plan_free), or -EINVAL with d filled and *ret untouched; always
 * the latter for a faulty conf. -ENOMEM: there is no memory, and some mistakes may not have been
 * found. The plan copies what it keeps: conf, topo, pmus and devices may be freed.
 */
int plan_build(const struct plan_input *in, struct plan **ret, struct diags *d);

#endif
