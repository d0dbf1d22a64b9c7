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

/* Of uncored-http: sets no_new_privs, then loads the seccomp filter, which allows only what serving
 * takes: nothing can be opened, connected, executed or signalled. Before anything from outside is
 * parsed: certificate and key, too. */
int confine_http(struct err *err);
/* Of uncored, once it has what it listens on, and before any other thread: it can make local
 * sockets only, and can trace no process, mount nothing, make no namespace, load no module, use no
 * key. Also for what it executes. -errno with a sentence. */
int confine_counting(struct err *err);
/* Of uncored, once it has a spawner: it can execute no program any more, and make no file system.
 * -errno with a sentence. */
int confine_execution(struct err *err);

#endif
