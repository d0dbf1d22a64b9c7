/* SPDX-License-Identifier: MIT
 * A model of perf events in a kernel: PMUs of a machine that a text describes, which count.
 *
 * Owns:  which events a PMU takes, groups, counters and their constraints, who counts when they do
 *        not suffice, times, counts, their ground truth. What it counts is what the text says
 *        (`counts`); an event of which it says nothing is refused, as a kernel refuses one that it
 *        does not know.
 * Never: the catalog and the plan: an error in an encoding shows as a refusal or a wrong number.
 *        What a name means. Sampling, inheritance, events of tasks.
 * Thread-safe: one lock for all of it.
 */
#ifndef MODEL_PERF_KERNEL_H
#define MODEL_PERF_KERNEL_H

#include "base/nsec.h"
#include "topo/machine_text.h"
#include "topo/topo.h"

#include <linux/perf_event.h>
#include <sys/types.h>

struct perf_kernel;

struct perf_kernel_options {
	const struct machine_text *text;    /* borrowed; these four until perf_kernel_free() */
	const struct topo *topo;            /* what the text's files say: CPUs ... */
	const struct topo_pmus *pmus;       /* ... and PMUs */
	const char *workload;               /* of the register model; NULL: "day" */
	nsec (*clock)(void *p);             /* time, for tests; NULL: CLOCK_MONOTONIC */
	void *of;                           /* p */
};

/* Returns 0, or -EINVAL with a sentence: the text says too little, or a word of it is unknown;
 * -ENOMEM. */
int perf_kernel_new(const struct perf_kernel_options *o, struct perf_kernel **ret,
		    struct err *err);
void perf_kernel_free(struct perf_kernel *k);
CLEANUP_POINTER(perf_kernel_free, struct perf_kernel);

/*
 * What perf_event_open, read, ioctl (PERF_EVENT_IOC_ENABLE and _DISABLE) and close do for a process
 * that may count whole CPUs. leader: -1, or a descriptor.
 *
 * Return -errno as Linux does: ENOENT no such PMU or event; EINVAL an event that the driver does
 * not know, one of a task, samples, what is excluded, a group that cannot count at one time or is
 * of two PMUs or CPUs; ENODEV a CPU that is not there; ENOSPC a buffer that is too small; EBADF.
 */
int perf_kernel_open(struct perf_kernel *k, const struct perf_event_attr *attr, pid_t pid, int cpu,
		     int leader);
ssize_t perf_kernel_read(struct perf_kernel *k, int fd, void *buf, size_t n);
int perf_kernel_enable(struct perf_kernel *k, int fd, bool on);
int perf_kernel_close(struct perf_kernel *k, int fd);

#endif
