/* SPDX-License-Identifier: MIT
 * What processors are called: the label `processor`, and what people read beside it.
 *
 * Owns:  the name of each range of models, by vendor, family, model and stepping of CPUID; on Arm
 *        by implementer and part of the MIDR.
 * Never: what can be counted on one (perf.h, and the processors of catalog.h, which have the same
 *        names here); files; which processor this machine has (machine/cpu_of.h).
 * Pure; any thread; everything here lives for ever.
 *
 * A name is a tag that is in use: of a table of perf.h, of a machine in src/topo/machines, or of a
 * processor whose registers are known. A client has the name of the table of its uncore, which
 * several generations share; its title says which of them it is.
 */
#ifndef CATALOG_CPU_H
#define CATALOG_CPU_H

#include <stdint.h>

struct cat_cpu {
	const char *name;           /* "spr" */
	const char *title;          /* "Sapphire Rapids" */
	const char *vendor;         /* of cpuinfo, "GenuineIntel"; "": Arm, which names none */
	uint16_t family;            /* of CPUID; on Arm the implementer */
	uint16_t first, last;       /* models first to last; on Arm parts */
	uint8_t stepping;           /* and later ones; of two rows of a model the later one's comes
				     * first */
	const char *pmu;            /* only where a PMU of the kernel has a name that begins so;
				     * such a row comes before the one that holds anywhere. NULL:
				     * it holds anywhere */
};

/* Ordered by vendor and generation; rows of one name may stand apart. */
extern const struct cat_cpu cat_cpus[];
extern const unsigned cat_n_cpus;

/* Every row of such a processor, in their order: NULL begins and ends. The first one whose `pmu`
 * the machine has is its name. On Arm the vendor is "", and implementer and part take the places of
 * family and model. */
const struct cat_cpu *cat_cpu_next(const struct cat_cpu *c, const char *vendor, unsigned family,
				   unsigned model, unsigned stepping);
/* The first row of this name, as people type it: in any case, with '-' and '_' or without. NULL:
 * there is none. */
const struct cat_cpu *cat_cpu_by_name(const char *name);

#endif
