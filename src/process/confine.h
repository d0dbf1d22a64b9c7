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
 * takes: nothing can be opened, connected, executed or signalled. Last, after http_new(). */
int confine_http(struct err *err);

#endif
