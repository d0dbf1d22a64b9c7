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

struct child {                      /* as its parent sees it */
	pid_t pid;                  /* 0: there is none */
	int sock;                   /* our end of the socketpair, -1: none */
};
#define CHILD_NONE ((struct child){ 0, -1 })

/* Parent: start it on copies of the listening sockets. It answers nobody until it has a plan. */
int child_start(const int *fds, unsigned n_fds, struct child *ret, struct err *err);
/* It ends at EOF; waits for that. */
void child_end(struct child *c);
/* The child's main: argv is { "uncored: http", CHILD_OPTION, number of listening sockets }. */
int child_main(const char *n_fds);

#endif
