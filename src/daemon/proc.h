/* SPDX-License-Identifier: MIT
 * What parent and child cost, from the real /proc, for process_* metrics.
 *
 * Main thread.
 */
#ifndef DAEMON_PROC_H
#define DAEMON_PROC_H

#include "base/nsec.h"

#include <stdint.h>
#include <sys/types.h>

struct proc_cost {
	uint64_t cpu_nsec, rss_bytes, fds;
};

/* Adds what `pid` costs now; 0 or -errno (it is gone). */
int proc_add_cost(pid_t pid, struct proc_cost *sum);
/* Wall time at which this process began, ns since 1970; 0 if unknown. */
uint64_t proc_start_wall(nsec wall_now);

#endif
