/* SPDX-License-Identifier: MIT */
#include "machine/choose.h"

#include "machine/cpu_of.h"
#include "topo/sysfile.h"

#include <string.h>

const char *choose_kernel_driver(const struct topo_pmus *pmus)
{
	/* PMUs that cannot be read count, too */
	for (unsigned i = 0; pmus && i < pmus->n + pmus->n_bad; i++) {
		const char *name = i < pmus->n ? pmus->v[i].name : pmus->bad[i - pmus->n].name;

		if (strncmp(name, CHOOSE_DRIVER_PMUS, strlen(CHOOSE_DRIVER_PMUS)) == 0)
			return name;
	}
	return NULL;
}

enum plan_engine choose_engine(const struct choose_input *m, struct err *why)
{
	const char *pmu = choose_kernel_driver(m->pmus);
	const struct cat_cpu *cpu = cpu_of(m->topo, m->pmus);
	char cpuid[TOPO_CPUID];

	if (m->processor && !pmu && !m->device) {
		err_set(why, 0, "%s: registers through %s", m->processor->name,
			sysfile_shown(sysfile_path("%s/cpu/N/msr", m->dev).s).s);
		return PLAN_REGISTERS;
	}
	if (!m->processor && cpu)
		err_set(why, 0, "%s: counting through the kernel (perf)", cpu->title);
	else if (!m->processor && !m->topo->family && !m->topo->implementer)
		err_set(why, 0, "a processor without CPUID: counting through the kernel (perf)");
	else if (!m->processor)
		err_set(why, 0, "%s: counting through the kernel (perf)",
			topo_cpuid(m->topo, cpuid));
	else if (pmu)
		err_set(why, 0, "the kernel's driver owns the counters (%s); counting through the "
			"kernel (perf)", pmu);
	else
		err_set(why, 0, "cannot access the registers of %s (%s); counting through the "
			"kernel (perf)", m->processor->name, m->device);
	return PLAN_PERF;
}
