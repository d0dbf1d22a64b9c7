/* SPDX-License-Identifier: MIT
 * A model of the hardware at register level: the registers of N sockets, which count.
 *
 * Owns:  register contents, the enable hierarchy, reset, freeze, overflow chain, wrap, access
 *        rules, scripted faults, event rates of named workloads, the ground truth of every counter.
 * Never: the catalog and the planner. It decodes control bits by its own tables, so that an error
 *        in the catalog shows.
 * Thread-safe: one lock per model (samplers of several sockets, tests and the FUSE server use one).
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/err.h"
#include "base/nsec.h"
#include "base/reg.h"

struct model;

struct model_options {
	const char *processor;      /* "nehalem-ex" */
	/* idle, stream; bursty: bursts of 25 ms and storms of conflicts; day: phases of seconds to
	 * minutes, repeated every 10 minutes; rotation: full load in even seconds, an eighth of it
	 * in odd ones; verify: what a load in another process moves (base/traffic.h), in real time;
	 * NULL: "stream" */
	const char *workload;
	unsigned n_sockets, cores;  /* CPU number = socket * cores + core */
	bool real_time;             /* time = CLOCK_MONOTONIC; else only a test moves it */
	uint64_t seed;
};

/* As after a reset, at time 0, or with real_time now. Returns 0, or -EINVAL (no such processor or
 * workload, not 1 to 64 sockets of 1 to 64 cores) or another -errno with a sentence. */
int model_new(const struct model_options *o, struct model **ret, struct err *err);
void model_free(struct model *m);

/* Does what rdmsr, wrmsr or an access to PCI configuration space does on a CPU of `socket`. Returns
 * 0, -EIO for #GP, or -ENXIO if every CPU is offline. A write that sets a reserved bit is carried
 * out and recorded as a violation. */
int model_read(struct model *m, unsigned socket, struct reg r, uint64_t *ret);
int model_write(struct model *m, unsigned socket, struct reg r, uint64_t value);

#endif
