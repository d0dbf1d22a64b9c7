/* SPDX-License-Identifier: MIT
 * The plan for a machine, with what only this machine can say: see machine.h.
 * Owns:  that constants and the curve are read before planning.
 * Never: how a plan is made (planner/).
 * Main thread.
 */
#include "machine/constants.h"
#include "machine/curve.h"
#include "machine/machine.h"

int machine_plan(const struct machine *m, const struct conf *conf, time_t now, struct plan **ret,
		 struct diags *d)
{
	struct plan_constants constants = { 0 };
	struct plan_input in = { .conf = conf, .processor = m->processor, .topo = m->topo,
				 .pmus = m->pmus, .devices = m->devices,
				 .perf_engine = machine_counts_perf(m),
				 .perf_topo = m->real, .elsewhere = m->elsewhere };
	AUTO_FREE(curve_knees_free) struct curve_knees *knees = NULL;
	AUTO_FREE(free) void *read = NULL;
	int r = now ? constants_read(m, &constants) : 0;

	read = constants.v;
	if (r < 0)
		return r;
	in.constants = constants.n ? &constants : NULL;
	knees = now ? curve_knees_new(m, now) : NULL;
	in.knees = curve_knees_of(knees);
	return plan_build(&in, ret, d);
}
