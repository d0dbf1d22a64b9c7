/* choose.c - see choose.h. */
#include "config.h"

#include "plan/choose.h"

#include <string.h>

const char *plan_kernel_driver(const struct topo_pmus *pmus)
{
	for (unsigned i = 0; pmus && i < pmus->n; i++)
		if (strncmp(pmus->v[i].name, "uncore", strlen("uncore")) == 0)
			return pmus->v[i].name;
	return NULL;
}

enum plan_engine plan_choose_engine(const struct plan_seen *m, struct err *why)
{
	const char *pmu = plan_kernel_driver(m->pmus);

	if (m->processor && !pmu && !m->device) {
		err_set(why, 0, "%s: registers through %s/cpu/N/msr", m->processor->name, m->dev);
		return PLAN_REGISTERS;
	}
	if (!m->processor && !m->topo->family)
		err_set(why, 0, "the processor has no CPUID, so it is no register family of uncored: perf");
	else if (!m->processor)
		err_set(why, 0, "family %u model %u is no register family of uncored: perf", m->topo->family, m->topo->model);
	else if (pmu)
		err_set(why, 0, "the kernel's driver owns the counters (%s): perf", pmu);
	else
		err_set(why, 0, "registers of %s are out of reach (%s): perf", m->processor->name, m->device);
	return PLAN_PERF;
}
