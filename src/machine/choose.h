/* SPDX-License-Identifier: MIT
 * Which engine `--engine auto` means on a machine, and the sentence that says why.
 *
 * Owns:  the rule. The daemon obeys it and `uncorectl doctor` explains it.
 * Never: how the machine was read.
 * Pure; main thread.
 */
#ifndef MACHINE_CHOOSE_H
#define MACHINE_CHOOSE_H

#include "planner/plan_build.h"

struct choose_input {
	const struct cat_processor *processor;  /* NULL: none whose registers uncored knows */
	const struct topo *topo;
	const struct topo_pmus *pmus;           /* NULL: none */
	const char *dev;                        /* the register devices are below it */
	const char *device;                     /* what keeps us from using them; NULL: nothing */
};

/* Registers where the family is known, the kernel's driver idle and the device usable, else
 * perf. */
enum plan_engine choose_engine(const struct choose_input *m, struct err *why);
/* How the names of its PMUs begin. */
#define CHOOSE_DRIVER_PMUS "uncore"
/* A PMU of the kernel's own uncore driver, which may program the same registers at any time; NULL:
 * it has not bound. */
const char *choose_kernel_driver(const struct topo_pmus *pmus);

#endif
