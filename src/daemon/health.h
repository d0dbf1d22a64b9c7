/* health.h - are the samplers well, and who is told: the daemon's values for the http process, the
 * journal, the service manager's status.
 *
 * Owns:  the daemon's words; which samplers have stalled, which faults are told already.
 * Never: what is done about it.
 * Main thread. `g` is always the generation that counts now.
 */
#ifndef DAEMON_HEALTH_H
#define DAEMON_HEALTH_H

#include "daemon/generation.h"

#include <sys/types.h>

struct health {
	uint64_t values[D_VALUES];                /* whoever knows a word writes it; what processes
	                                           * cost is written here */
	bool simulated;                         /* the status says so */
	bool stalled[SHARED_SOCKETS_MAX];       /* as the http process decides it, too
	                                         * (layout_stalled) */
	uint64_t told[SHARED_SOCKETS_MAX];      /* faults already logged ... */
	unsigned told_invalid[SHARED_SOCKETS_MAX];      /* ... and slots that were invalid then */
	nsec told_at[SHARED_SOCKETS_MAX];
	uint64_t *words;                        /* of a ring, for a look */
	unsigned n_words;
};

/* Room for a look at the rings of `plan` too, before it may be the one that counts. 0 or
 * -ENOMEM. */
int health_reserve(struct health *h, const struct plan *plan);
/* Which samplers have stalled; one that has is logged, once. False: none ticks, and none has a
 * reason not to (its socket is offline), so that the service manager is to see to it. */
bool health_look(struct health *h, const struct generation *g);
/* All samplers and all shared memory are new ones: nothing is known of them, and nothing told. */
void health_forget(struct health *h);
/* What the processes cost, and the daemon's values where the http process sees them. child: 0:
 * there is none. */
void health_publish(struct health *h, const struct generation *g, pid_t child);
/* One line per socket and minute when something went wrong since, or all is well again. */
void health_log(struct health *h, const struct generation *g);
/* STATUS=. */
void health_status(struct health *h, const struct generation *g);
void health_done(struct health *h);

#endif
