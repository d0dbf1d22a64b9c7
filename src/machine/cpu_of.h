/* SPDX-License-Identifier: MIT
 * What this machine's processor is called.
 *
 * Owns:  which row of catalog/cpu.h it is.
 * Never: the names; how the machine was read.
 * Pure; any thread.
 */
#ifndef MACHINE_CPU_OF_H
#define MACHINE_CPU_OF_H

#include "catalog/cpu.h"
#include "topo/topo.h"

/* NULL: no row is of it. pmus: those of the machine; NULL: none can be read. */
const struct cat_cpu *cpu_of(const struct topo *t, const struct topo_pmus *pmus);

#endif
