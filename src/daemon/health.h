/* SPDX-License-Identifier: MIT
 * The state of the samplers, for the journal, the service manager and the http process.
 *
 * Owns:  the daemon's values, which samplers have stalled, which faults have been logged.
 * Never: what is done about a fault.
 * Main thread. `g` is always the generation that counts now.
 */
#ifndef DAEMON_HEALTH_H
#define DAEMON_HEALTH_H

#include "daemon/generation.h"

#include <sys/types.h>

struct health_socket {
	bool stalled;                           /* layout_stalled(), as for the http process */
	nsec logged_at;                         /* when the last line was logged; 0: never */
	uint64_t logged_faults;                 /* faults until then */
	unsigned logged_invalid;                /* slots that were invalid then */
};

struct health {
	uint64_t values[D_VALUES];              /* the cost is written here, the rest by others */
	nsec measured_at;                       /* the cost, last; 0: never. And of which child */
	pid_t measured_child;
	bool simulated;                         /* the status says so */
	struct health_socket sockets[SHARED_SOCKETS_MAX];
	uint64_t *words;                        /* a copy of what a ring holds */
	unsigned n_words;
};

/* Makes room to read the rings of `plan`, before its generation begins to count. 0 or -ENOMEM. */
int health_reserve(struct health *h, const struct plan *plan, struct err *err);
/* Finds samplers that have stalled, and logs each of them once. False: no sampler ticks although
 * its socket is online, so that the watchdog of the service manager must not be fed. True where
 * nothing is counted. */
bool health_check(struct health *h, const struct generation *g);
/* Forgets stalls and logged faults: a reload has made new samplers and new shared memory. */
void health_reset(struct health *h);
/* Writes what this process and its child cost into the daemon's values. child: 0: there is none. */
void health_measure_cost(uint64_t values[D_VALUES], pid_t child);
/* Another configuration is used from now on. */
void health_note_config(struct health *h);
/* The same, once in ten seconds and whenever there is another child, so that what is served is of
 * one moment; and writes all of the daemon's values to the ring which the http process reads. */
void health_publish(struct health *h, const struct generation *g, pid_t child);
/* Logs faults since the last line, and their end: at most one line per socket and minute. */
void health_log(struct health *h, const struct generation *g);
/* Sends STATUS= to the service manager. */
void health_status(struct health *h, const struct generation *g);
void health_done(struct health *h);

#endif
