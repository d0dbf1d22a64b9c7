/* SPDX-License-Identifier: MIT
 * What is counted on every socket, with all names and label texts, and lowered for the
 * engines.
 *
 * Owns:  the shape of a plan.
 * Never: configuration, catalog and topology, of which it is made (planner/); fds, clocks,
 * HTTP. Immutable once built; any thread.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/cleanup.h"
#include "plan/program.h"
#include "plan/socket.h"

struct arena;
struct cat_processor;

/*
 * plan_distribution_same - are two distributions, of a socket's plan and of the one before a
 * reload, of the same samples?
 *
 * True: the same series by the same formula, so that samples of one may continue those of the
 * other.
 */
bool plan_distribution_same(const struct plan_socket *s, const struct plan_distribution *a,
			    const struct plan_socket *t, const struct plan_distribution *b);

struct plan {
	struct arena *arena;	/* owns the plan, and all that it points to but for the catalog */
	const struct cat_processor *processor;   /* NULL: perf only, unknown family */
	nsec interval, rotation, peak_window;
	struct plan_socket *sockets;
	unsigned n_sockets;
	char **notes;               /* why groups were put into rounds, warnings: whole sentences */
	unsigned n_notes;
	const char *uncounted;      /* a sentence: memory that is there, and is not in the memory
				     * traffic that is counted; NULL: none is known of */
	unsigned curve_stale;       /* why the curve of its memory is refused: plan_knees.stale */
	unsigned n_series;          /* series that the plan yields, all sockets */
};

/* NULL is none. */
void plan_free(struct plan *p);
CLEANUP_POINTER(plan_free, struct plan);

/* How many files counting by this plan keeps open: one for each perf event, and on each socket the
 * register device and the functions in PCI configuration space. */
unsigned plan_files(const struct plan *p);
/* How many files uncored may have open at most while it counts by this plan: during a reload those
 * of two plans are, and its log, sockets, shared memory and timers always. */
unsigned plan_files_most(const struct plan *p);

#endif
