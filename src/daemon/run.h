/* SPDX-License-Identifier: MIT
 * uncored from its start to its end: the one event loop, of counting, waiting and --once.
 *
 * Owns:  the loop, its signals and its tick; the order in which a run begins and ends.
 * Never: how it comes to count (start.h), another configuration (reload.h), whether a sampler is
 *        well (health.h), how the http process is kept (children/).
 * Main thread.
 */
#ifndef DAEMON_RUN_H
#define DAEMON_RUN_H

#include "daemon/loop.h"

/* Counts with this configuration, which it takes, until SIGTERM or SIGINT, or as long as --once
 * says; then stops and restores. The http process ends with it. Returns an exit code. */
int run(const struct options *o, struct conf *conf, struct front *front);
/* The same from where l->g is open; that, the machine and the lock stay the caller's. */
int run_opened(struct loop *l);

#endif
