/* SPDX-License-Identifier: MIT
 * May this process count through perf events? Found out by opening one, as the daemon will.
 *
 * Owns:  the one answer of the daemon's choice of privileges and of `uncorectl doctor`.
 * Never: guesses from kernel.perf_event_paranoid or from capabilities.
 * Main thread.
 */
#ifndef MACHINE_PERF_TRY_H
#define MACHINE_PERF_TRY_H

#include "machine/machine.h"

struct perf_try {
	int r;                      /* 0: the event was opened, and closed again; else -errno */
	char event[160];            /* which, as a configuration names it */
	int cpu;
	struct err why;             /* of a failure: what the daemon would say */
	struct err todo;            /* of a refusal (-EACCES, -EPERM): what to do about it; else
	                             * "" */
};

/* On the kernel of the machine. Events of each socket of the plan; NULL, or one that counts nothing
 * through perf: the software event cpu-clock, which takes the same permission. Returns ret->r. */
int perf_try(const struct machine *m, const struct plan *plan, struct perf_try *ret);
/* The same with CAP_PERFMON alone, as the systemd unit has it: this process takes the others back
 * afterwards. Where it may not have that one, with what it has. */
int perf_try_as_unit(const struct machine *m, const struct plan *plan, struct perf_try *ret);

#endif
