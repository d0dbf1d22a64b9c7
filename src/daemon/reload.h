/* SPDX-License-Identifier: MIT
 * Another configuration while uncored counts, or waits for something to count.
 *
 * Owns:  its steps: a process apart reads and checks it (reload_check.h); it is opened beside the
 *        one that counts, takes its place, or leaves it there.
 * Never: how two generations are swapped (generation.h); how a wait comes to count (start.h).
 * Main thread.
 */
#ifndef DAEMON_RELOAD_H
#define DAEMON_RELOAD_H

#include "daemon/loop.h"

/* Begins one, and returns: the loop turns meanwhile, and READY=1 says that it is over. One that is
 * asked for during another begins after it. */
void reload_begin(struct loop *l);
/* Ends the process that checks, without waiting for it: it may hang in a read. */
void reload_stop(struct loop *l);

#endif
