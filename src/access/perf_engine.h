/* SPDX-License-Identifier: MIT
 * What the files of the perf engine share, and where tests put a kernel of their
 * own.
 *
 * Owns:  the shape of an opened round: groups, their members, their descriptors.
 * Never: anything that another room may use.
 * Threads as access/counting.h.
 */
#ifndef ACCESS_PERF_ENGINE_H
#define ACCESS_PERF_ENGINE_H

#include "access/counting.h"
#include "base/arena.h"
#include "base/nsec.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* The system calls of a kernel. All return -errno. */
struct perf_sys {
	/* disabled; leader -1: alone */
	int (*open)(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int leader);
	ssize_t (*read)(const struct perf_sys *sys, int fd, void *buf, size_t n);
	/* of a leader: its group */
	int (*enable)(const struct perf_sys *sys, int fd, bool on);
	int (*close)(const struct perf_sys *sys, int fd);
	/* why there is no such event, if not for the reasons of a real kernel; NULL: for these */
	const char *unknown;
};
extern const struct perf_sys perf_sys_linux;

/* As every kernel is told of it: read with its group and its times; one that leads is disabled. */
struct perf_event_attr perf_attr_of(const struct plan_perf *e, bool leads);

/* What read() of a group returns: the members' values follow in the order in which they were
 * opened. */
struct group_read {
	uint64_t n, enabled, running;
	uint64_t value[];
};

struct perf_member {
	const struct plan_perf *event;
	unsigned slot;              /* of the round */
	int fd;
	uint64_t before, last;      /* counts of closed descriptors; the last read, with these */
};

/* Events that are counted together. */
struct perf_group {
	struct perf_member *members;    /* the leader first */
	unsigned n;
	int cpu;
	bool offline;               /* its CPU went away: nothing is open, each check tries another
	                             * CPU */
	bool just_enabled;          /* not read since it was enabled */
	/* Nanoseconds of the last read, over all descriptors that the group ever had; of those that
	 * are closed; and at start. */
	uint64_t enabled, running;
	uint64_t enabled_before, running_before;
	uint64_t enabled_base, running_base;
};

struct perf_round {
	const struct plan_perf_round *plan;
	struct perf_group *groups;
	struct perf_member *members;    /* group by group */
	unsigned *group_of;         /* per slot; GROUP_NONE: left out */
	unsigned n_groups;
};
#define GROUP_NONE (~0U)

struct counting_perf {
	struct counting base;
	struct arena *arena;        /* owns it, and all that it points to but sys and program */
	const struct perf_sys *sys;
	const struct plan_perf_program *program;
	struct perf_round *rounds;
	struct perf_round *current; /* last started; NULL: none */
	bool running;
	/* may_lack events: the first reason to leave something out; "" none */
	struct err left_out;
	int left_out_errno;
	struct group_read *buf;     /* room for the largest group */
	size_t buf_size;
};

/* What may keep this process from events of whole CPUs. */
struct perf_rights {
	int level;                  /* kernel.perf_event_paranoid; PERF_LEVEL_UNKNOWN: unreadable */
	bool perfmon, admin;        /* CAP_PERFMON and CAP_SYS_ADMIN are in effect ... */
	bool contained;             /* ... in a user namespace, where they do not count for perf */
	bool filtered;              /* a seccomp filter looks at its system calls */
};
#define PERF_LEVEL_UNKNOWN (-100)

/* In the words of an error: the cause, and what to do about it. */
struct perf_refusal {
	struct err why, todo;
};

/* ---- perf_permission.c */

/* Of this process, now; level PERF_LEVEL_UNKNOWN: it cannot be read. */
struct perf_rights perf_rights_read(void);
/* r: -EACCES or -EPERM, what perf_event_open answered to a process with these rights. */
void perf_refusal_explain(const struct perf_rights *rights, int r, struct perf_refusal *ret);

/* ---- counting_perf_rise.c */

/* counting_perf_rise() with another way to wait. */
int counting_perf_rise_with(const struct perf_sys *sys, void (*wait)(nsec span),
			    const struct plan_perf_program *const *programs, unsigned n);

/* ---- counting_perf_open.c */

/* What the error of an event that was not opened means. todo: gets what to do about a refusal;
 * NULL: that goes into err, too. Returns r; with err, -EINVAL for what a simulated machine's text
 * says nothing of. */
int perf_open_error(const struct perf_sys *sys, const struct plan_perf *e, int cpu, int r,
		    struct err *err, struct err *todo);

/* Opens every event of a round, disabled. What was opened stays, also on failure. */
int perf_round_open(struct counting_perf *c, struct perf_round *rd, struct err *err);
void perf_group_close(struct counting_perf *c, struct perf_group *g);
/* Opens a group that is offline on a CPU that serves its PMU now; its counts continue. Allocates
 * nothing.
 * Returns 0, or -errno: still offline. */
int perf_group_reopen(struct counting_perf *c, struct perf_group *g);

#endif
