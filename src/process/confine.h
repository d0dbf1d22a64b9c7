/* SPDX-License-Identifier: MIT
 * The system calls that a process gives up, for ever.
 *
 * Owns:  the seccomp filters of both processes.
 * Never: users, capabilities (privileges.h).
 * Main thread.
 */
#ifndef PROCESS_CONFINE_H
#define PROCESS_CONFINE_H

#include "base/err.h"

/*
 * confine_http - of uncored-http: sets no_new_privs, then loads the seccomp filter, which allows
 * only what serving takes (calls.h). Before anything from outside is parsed: certificate and key,
 * too.
 *
 * shared  the highest descriptor that other processes have as well: nothing can be set on those up
 *         to it, and they stay open
 */
int confine_http(int shared, struct err *err);
/* Of uncored, once it has what it listens on, and before any other thread: it can make sockets
 * that are local or listen, but connect none, and can trace no process, mount nothing, make no
 * namespace, load no module, use no key. Also for what it executes. -errno with a sentence. */
int confine_counting(struct err *err);
/* Of uncored, once it has a spawner: it can execute no program any more, and make no file system.
 * -errno with a sentence. */
int confine_execution(struct err *err);

#endif
