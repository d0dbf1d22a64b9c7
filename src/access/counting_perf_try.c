/* SPDX-License-Identifier: MIT
 * Whether perf events can be opened here: by opening one.
 *
 * Owns:  which event decides, and that none stays open.
 * Never: what its errors mean (counting_perf_open.c, perf_permission.c).
 * Main thread.
 */
#include "access/perf_engine.h"

#include <sched.h>
#include <stdio.h>

static void try_event(const struct perf_sys *sys, const struct plan_perf *e,
		      struct counting_perf_tried *ret)
{
	int fd = sys->open(sys, e, e->cpu, -1);

	*ret = (struct counting_perf_tried){ .r = fd < 0 ? fd : 0, .cpu = e->cpu };
	snprintf(ret->event, sizeof(ret->event), "%s", e->text);
	if (fd >= 0)
		sys->close(sys, fd);
	else
		perf_open_error(sys, e, e->cpu, fd, &ret->why, &ret->todo);
}

/* One that is online, and the same one each time. */
static int first_cpu(void)
{
	cpu_set_t cpus;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &cpus))
			cpu++;
	return cpu;
}

static void try_software(const struct perf_sys *sys, struct counting_perf_tried *ret)
{
	struct plan_perf e = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
			       .pmu = "software", .text = "perf/software/cpu-clock/",
			       .cpu = first_cpu() };

	try_event(sys, &e, ret);
}

/* Of several that cannot be opened, the first says why. */
static void try_program(const struct perf_sys *sys, const struct plan_perf_program *program,
			struct counting_perf_tried *ret)
{
	struct counting_perf_tried next;
	bool any = false, lacks = false;

	*ret = (struct counting_perf_tried){ 0 };
	for (unsigned r = 0; r < program->n_rounds; r++)
		for (unsigned i = 0; i < program->rounds[r].n_events && !lacks; i++) {
			const struct plan_perf *e = &program->rounds[r].events[i];

			if (e->may_lack && any)
				continue;
			try_event(sys, e, &next);
			lacks = next.r < 0 && !e->may_lack;
			if (!ret->event[0] || lacks || (next.r == 0 && !any))
				*ret = next;
			any |= next.r == 0;
		}
}

int counting_perf_try(const struct perf_sys *sys, const struct plan_perf_program *program,
		      struct counting_perf_tried *ret)
{
	sys = sys ?: &perf_sys_linux;
	if (program)
		try_program(sys, program, ret);
	else
		try_software(sys, ret);
	return ret->r;
}
