/* SPDX-License-Identifier: MIT
 * From a configuration to counting; or to waiting, where nothing can be counted.
 *
 * Owns:  the steps of a start, each of which can refuse with one sentence; a machine on which there
 *        is nothing to count, and the next try.
 * Never: what happens once it counts (run.h, reload.h); when nothing is to be served instead of
 *        ending (waiting.h).
 * Main thread.
 */
#ifndef DAEMON_START_H
#define DAEMON_START_H

#include "daemon/loop.h"

/* Looks at the machine, plans, locks, and opens what is to be counted; writes no register. Takes
 * conf. -1: go on with start_begin(); else an exit code, and why is logged. */
int start_open(struct loop *l, struct conf *conf);
/* From what was opened to values for everybody: under --once it ticks then, else it serves, and the
 * service manager is told. l->event is there. -errno with a sentence; -EINTR: an end was asked for
 * before. */
int start_begin(struct loop *l, struct err *err);
/* To be called at each tick while it waits: if it is time, tries again. now: as sd-event counts. A
 * start that fails ends the loop. */
void start_again(struct loop *l, uint64_t now);
/* While it waits: takes another configuration, and its certificates, and begins to count, or waits
 * on. -errno, which is logged: both are still the caller's, and the old one stays. */
int start_with(struct loop *l, struct conf *conf, struct certs *certs);

#endif
