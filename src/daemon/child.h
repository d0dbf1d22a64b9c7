/* child.h - the http process: uncored forked and executed again, without privileges.
 *
 * Owns:  its start, its loop, taking over plans.
 * Never: what is answered (serve.h); registers, configuration: it maps two memfds read-only and can ask the parent for nothing.
 */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include "base/err.h"

#include <sys/types.h>

#define CHILD_OPTION "--http-child"

/* Parent: start it on copies of the listening sockets. ret_sock: our end of the socketpair. */
int child_start(const int *fds, unsigned n_fds, pid_t *ret_pid, int *ret_sock, struct err *err);
/* The child's main: argv is { "uncored: http", CHILD_OPTION, number of listening sockets }. */
int child_main(const char *n_fds);

#endif
