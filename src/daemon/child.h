/* child.h - the http process: uncored executed again, without privileges.
 *
 * Owns:  its start, its loop, taking over plans.
 * Never: what is answered (serve.h); registers, configuration: it maps two memfds read-only, can ask the parent for nothing and
 *        tells it nothing but that it is alive.
 */
#ifndef DAEMON_CHILD_H
#define DAEMON_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

#define CHILD_OPTION "--http-child"

struct child {                      /* as its parent sees it */
	pid_t pid;                  /* 0: there is none */
	int sock;                   /* our end of the socketpair, -1: none */
};
#define CHILD_NONE ((struct child){ 0, -1 })

/* This program again, with descriptors fds[0..n-1] from number `first` on and none above. Spawned, not forked: nothing of this process is
 * copied, and it waits until the child is executed, which then does not wait for a CPU that this process keeps. errno, 0: well. */
int child_exec(char **argv, int first, const int *fds, unsigned n, pid_t *pid);
/* Parent: start it; it loads its libraries. */
int child_start(struct child *ret, struct err *err);
/* Parent, once: where it is to listen; 1 to OPTIONS_LISTEN_MAX, copied. It answers nobody until it has a plan, too. A process that has ended
 * meanwhile takes none, which is no error: who watches it will see. */
int child_listen(const struct child *child, const int *fds, unsigned n, struct err *err);
/* Parent: has its loop turned since the last call? It says so each second, and says nothing else: the byte is not looked at. */
bool child_beats(const struct child *child);
/* It ends at EOF; waits for that. */
void child_end(struct child *c);
/* Root becomes somebody else; everybody loses every capability, and gets none again. */
int child_drop(struct err *err);
/* The child's main: argv is { "uncored: http", CHILD_OPTION }. */
int child_main(void);

#endif
