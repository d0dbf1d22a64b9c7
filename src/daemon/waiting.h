/* SPDX-License-Identifier: MIT
 * A machine on which nothing can be counted, or not yet: it is served all the same.
 *
 * Owns:  when this is done instead of ending; when a start is worth another try.
 * Never: how a start is made, what is served meanwhile (start.h).
 * Main thread.
 */
#ifndef DAEMON_WAITING_H
#define DAEMON_WAITING_H

#include "daemon/generation.h"

/* When starts were tried. */
struct waiting_tries {
	uint64_t tried_at;              /* the last one, microseconds, as sd-event counts */
	unsigned tried, seen;           /* machine_fingerprint() then, and when last asked */
};

/*
 * waiting_worth_a_try - is it time to try a start again?
 *
 * fingerprint  machine_fingerprint() now
 * now          microseconds of the clock of t->tried_at
 * Once the machine has changed, and has not changed any more since the last call: a driver makes
 * its PMUs one after the other. What a fingerprint does not show is seen once a minute. If true, t
 * says that it was tried now. Pure.
 */
bool waiting_worth_a_try(struct waiting_tries *t, unsigned fingerprint, uint64_t now);
/*
 * waiting_due - is there nothing to count, and is that to be served?
 *
 * g  planned for this machine, not opened; NULL: the machine's PMUs and registers as they are do
 *    not allow what is configured
 * --check-config asks the same where somebody waits: a reload takes what this is true for.
 * Returns true with a sentence that says why there is nothing to count.
 */
bool waiting_due(const struct options *o, const struct conf *conf, const struct machine *m,
		 const struct generation *g, struct err *ret_why);
/* Likewise where engine_machine() failed with r: registers are to be counted by, and those of this
 * processor are not known. */
bool waiting_due_unopened(const struct options *o, const struct conf *conf, int r);
/* RUN/uncored.waiting tells --check-config that an uncored waits; false: none does. If the file
 * cannot be made, the check says 78 where a reload is taken. */
void waiting_mark(const struct options *o, bool waits);

#endif
