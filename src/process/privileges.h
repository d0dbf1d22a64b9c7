/* SPDX-License-Identifier: MIT
 * A process that needs no power any more gives it up.
 *
 * Owns:  which user it becomes.
 * Main thread.
 */
#ifndef PROCESS_PRIVILEGES_H
#define PROCESS_PRIVILEGES_H

#include "base/err.h"

/* Root becomes somebody else, in an empty root directory; everybody loses every capability, and
 * gets none again. -EPERM with a sentence. Takes CAP_SETPCAP: libcap-ng drops the bounding set, and
 * if it cannot, it gives up the whole change of user. */
int privileges_drop(struct err *err);

/* Sets of capabilities: what a process needs beside files and perf events. */
enum {
	CAPS_PROCESSES = 1,         /* what it starts becomes another user in an empty root */
	CAPS_REGISTERS = 2,
	CAPS_ADMIN = 4,             /* PCI configuration space; perf events, where CAP_PERFMON
	                             * is not enough for them */
	CAPS_ENGINES = CAPS_REGISTERS | CAPS_ADMIN,
};
/* Root who counts keeps what these take, for itself and for what it executes. Others have less, and
 * keep it. -EPERM with a sentence. */
int privileges_reduce(unsigned caps, struct err *err);
/* What this process executes gets none of the capabilities that its service manager gave it. */
void privileges_keep_here(void);

#endif
