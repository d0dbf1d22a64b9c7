/* health.h - the state of the samplers, for the journal, the service manager and the http process.
 *
 * Owns:  the daemon's values; which samplers have stalled, which faults are logged already.
 * Never: what is done about it.
 * Main thread. `g` is always the generation that counts now.
 */
#ifndef DAEMON_HEALTH_H
#define DAEMON_HEALTH_H

#include "daemon/generation.h"

#include <sys/types.h>

struct health_socket {
	bool stalled;                           /* layout_stalled(), as for the http process */
	uint64_t logged_faults;                 /* so many when the last line was logged, ... */
	unsigned logged_invalid;                /* ... so many slots were invalid then, ... */
	nsec logged_at;                         /* ... and when that was; 0: never */
};

struct health {
	uint64_t values[D_VALUES];              /* the cost is written here, the rest by others */
	bool simulated;                         /* the status says so */
	struct health_socket sockets[SHARED_SOCKETS_MAX];
	uint64_t *words;                        /* what was read from a ring */
	unsigned n_words;
};

/* Room for a look at the rings of `plan` too, before it may be the one that counts. 0 or
 * -ENOMEM. */
int health_reserve(struct health *h, const struct plan *plan);
/* Which samplers have stalled; one that has is logged, once. False: none ticks, and none has a
 * reason not to (its socket is offline), so that the service manager is to see to it. */
bool health_look(struct health *h, const struct generation *g);
/* After a reload, which makes new samplers and new shared memory. */
void health_forget(struct health *h);
/* Writes what this process and its child cost into the daemon's values. child: 0: there is none. */
void health_measure_cost(uint64_t values[D_VALUES], pid_t child);
/* The same, and writes all of the daemon's values to the ring which the http process reads. */
void health_publish(struct health *h, const struct generation *g, pid_t child);
/* One line per socket and minute when something went wrong since, or all is well again. */
void health_log(struct health *h, const struct generation *g);
/* STATUS=. */
void health_status(struct health *h, const struct generation *g);
void health_done(struct health *h);

#endif
