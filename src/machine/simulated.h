/* SPDX-License-Identifier: MIT
 * A machine that is a text, with a modelled kernel on which it counts.
 *
 * Owns:  its files, for as long as it is open, and putting the two together.
 * Never: what its PMUs count (model/), which of them are counted.
 * Main thread, before there are others.
 */
#ifndef MACHINE_SIMULATED_H
#define MACHINE_SIMULATED_H

#include "base/cleanup.h"
#include "base/err.h"

struct perf_sys;
struct simulated;

/*
 * simulated_open - what: an installed machine, or a file (topo/machine_find.h)
 *
 * workload  NULL: the default
 * run       the directory for its files is made there
 * Returns 0, or -errno with a sentence: -ENOENT there is no such machine, -EINVAL its text is
 * faulty or says too little.
 */
int simulated_open(const char *what, const char *workload, const char *run, struct simulated **ret,
		   struct err *err);
void simulated_close(struct simulated *s);
CLEANUP_POINTER(simulated_close, struct simulated);
/* What its text is called, printable; the directory of its sysfs, procfs and devices; the kernel
 * that counts. They are its. */
const char *simulated_name(const struct simulated *s);
const char *simulated_root(const struct simulated *s);
const struct perf_sys *simulated_kernel(const struct simulated *s);

#endif
