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

/* Root who counts keeps what counting and its other processes take, for itself and for what it
 * executes. Others have less, and keep it. -EPERM with a sentence. */
int privileges_reduce(struct err *err);
/* What this process executes gets none of the capabilities that its service manager gave it. */
void privileges_keep_here(void);

#endif
