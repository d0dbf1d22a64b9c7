/* SPDX-License-Identifier: MIT
 * The events that the kernel names, as specifications.
 * Owns:  which of them can be counted by name, and one row for all instances of a PMU.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include <limits.h>
#include <stdio.h>

/* Instances of a PMU; 0 if they are listed with an earlier one. */
static unsigned instances(const struct topo_pmus *pmus, const struct topo_pmu *pmu)
{
	unsigned n = 0;

	const struct perf_family family = perf_family(pmu->name);

	for PERF_EACH_NEAR(other, pmus, family.s) {
		if (!perf_is_family(family.s, other->name))
			continue;
		if (other < pmu)
			return 0;
		n++;
	}
	return n;
}

void spec_kernel_events(const struct topo_pmus *pmus,
			void (*each)(void *p, const struct spec_kernel_event *e), void *p)
{
	for (unsigned i = 0; i < pmus->n; i++) {
		const struct topo_pmu *pmu = &pmus->v[i];
		unsigned n = instances(pmus, pmu);

		for (unsigned k = 0; n && k < pmu->n_events; k++) {
			char spec[2 * NAME_MAX + sizeof("perf///")], name[NAME_MAX + 1];
			struct spec_kernel_event e = { .term = &pmu->events[k], .instances = n,
						       .spec = spec, .pmu = name };

			if (e.term->bad || e.term->snapshot)
				continue;
			snprintf(name, sizeof(name), "%s", perf_family(pmu->name).s);
			snprintf(spec, sizeof(spec), "perf/%s/%s/", n > 1 ? e.pmu : pmu->name,
				 e.term->name);
			each(p, &e);
		}
	}
}
