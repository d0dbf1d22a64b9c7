/* SPDX-License-Identifier: MIT
 * What has to happen while the main thread hangs in a file system or in a register.
 *
 * Owns:  a thread of its own. While the main thread waits for a file and samplers tick, it feeds
 *        the watchdog of the service manager. It ends uncored when an end takes too long.
 * Never: what the main thread waits for.
 * Main thread.
 */
#ifndef DAEMON_KEEPALIVE_H
#define DAEMON_KEEPALIVE_H

#include "daemon/health.h"

/* Starts the thread, with the signals that end the loop blocked. `health` has to stay. */
int keepalive_start(struct health *health, struct err *err);
/* From here to keepalive_end() the main thread may hang in a file; `g` counts meanwhile. It uses
 * neither `health` nor notify_send() until then. */
void keepalive_begin(const struct generation *g);
void keepalive_end(void);

#endif
