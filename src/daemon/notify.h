/* SPDX-License-Identifier: MIT
 * Messages to the service manager, without ever waiting for it.
 *
 * Owns:  the socket named by NOTIFY_SOCKET.
 * Main thread.
 *
 * sd_notify() of libsystemd 252 blocks while the manager's queue is full; then nothing would watch
 * the samplers.
 */
#ifndef DAEMON_NOTIFY_H
#define DAEMON_NOTIFY_H

#include <stdbool.h>

/*
 * notify_send - "READY=1", "STATUS=...": assignments, one a line, at most 512 bytes; longer ones
 * are cut.
 *
 * Returns false if the queue is full and the message was dropped; true also where nobody listens.
 */
bool notify_send(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Does somebody listen: did a service manager start this process? */
bool notify_expected(void);

#endif
