/* SPDX-License-Identifier: MIT
 * What a test may know of the modelled kernel that no program may.
 *
 * Owns:  its shape.
 * With the kernel's lock held.
 */
#ifndef MODEL_PERF_KERNEL_INTERNAL_H
#define MODEL_PERF_KERNEL_INTERNAL_H

#include "base/traffic.h"
#include "model/perf_kernel.h"
#include "model/server.h"

#define COUNTERS_MAX (MACHINE_COUNTERS_MAX + 1)         /* and the fixed one */
#define NO_EVENT (-1)

struct kernel_pmu {
	const struct topo_pmu *pmu;
	const struct machine_family *family;
	uint64_t format[3];         /* bits of config, config1, config2 that its driver reads */
	unsigned first_box, n_boxes;
};

/* A PMU on one of the CPUs of its cpumask: counters of its own. */
struct kernel_box {
	const struct kernel_pmu *pmu;
	int cpu;
	unsigned socket;            /* its rank */
	double part;                /* of what happens on the socket, of all boxes of the family */
	int first;                  /* group in the order in which they get counters */
	bool crowded;               /* not all groups that are enabled have some */
	nsec turn;                  /* then: when the next one gets some */
	nsec counted_to;
};

/* What an event counts of its socket's flows: word less those that other rows have of it, shared
 * by n rows, in units of `each`. */
enum { KERNEL_LESS_MAX = 12 };
struct kernel_counted {
	const struct server_word *word, *less[KERNEL_LESS_MAX];
	unsigned n_less, n;
	double each;
};

struct kernel_event {
	bool open;
	unsigned box;
	struct kernel_counted counted;
	int leader;                 /* itself, if it is one */
	int next_group, next;       /* of the box, of the group; NO_EVENT */
	/* Which counters may count it; 0: it has one of its own. */
	uint64_t counters;          /* the fixed one is behind the general ones */
	uint64_t filter, filtered;  /* config1, and the bits of it that the box has once */
	uint64_t rate[PHASES];      /* per ns, times 2^32 */
	uint64_t count;
	uint64_t seen;              /* the truth up to which it has been counted */
	bool on;
	bool active;                /* of a leader: its group has counters */
	uint64_t read_format;
	uint64_t enabled, running;  /* ns */
};

struct perf_kernel {
	pthread_mutex_t lock;
	struct arena *arena;        /* owns it, and all that it points to but events */
	struct perf_kernel_options o;
	const struct workload *workload;
	nsec start;
	struct server_flow *flows;  /* of sockets and phases */
	/* A load in another process: what it has moved until `taken`, which flows are of. NULL: the
	 * workload has none. */
	struct traffic *traffic;
	uint64_t moved[TRAFFIC_SOCKETS][TRAFFIC_KINDS];
	nsec taken;
	struct kernel_pmu *pmus;
	unsigned n_pmus;
	struct kernel_box *boxes;
	unsigned n_boxes;
	struct kernel_event *events;
	unsigned n_events;
};

/* ---- perf_kernel_event.c */

/* The event on this CPU, alone: what open() takes. Returns 0 or -errno. */
int kernel_event_init(const struct perf_kernel *k, const struct perf_event_attr *attr, int cpu,
		      struct kernel_event *ret);
/* What no PMU of a machine takes. EOPNOTSUPP: Linux does, this model does not. */
int kernel_refuses_all(const struct kernel_pmu *p, const struct perf_event_attr *a, pid_t pid);
/* Drivers of Intel's and Arm's uncore refuse a group that can never count; AMD's does not look
 * (Linux, amd_uncore_event_init), and a PMU without counters to choose from has nothing to look
 * at. */
bool kernel_validates(const struct kernel_pmu *p);
/* What it counts in each phase, by the flows of its socket. */
void kernel_take_rates(const struct perf_kernel *k, struct kernel_event *e);

/* ---- perf_kernel.c */

/* What a counter would show at time t, had it counted since the kernel began. */
uint64_t kernel_truth(const struct perf_kernel *k, const struct kernel_event *e, nsec t);
nsec kernel_now(const struct perf_kernel *k);

#endif
