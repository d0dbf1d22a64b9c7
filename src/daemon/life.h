/* SPDX-License-Identifier: MIT
 * What uncored does at a time: it counts, waits for something to count, is paused, or ends.
 *
 * Owns:  which of these can follow which, as one table.
 * Never: what is done in one of them, or on the way to it (run.h).
 * Pure.
 *
 *	              COUNTS    FINDS_NOTHING    PAUSES    ENDS
 *	WAITING       COUNTING  WAITING          PAUSED    ENDING
 *	COUNTING      COUNTING  refused          PAUSED    ENDING
 *	PAUSED        COUNTING  WAITING          refused   ENDING
 *	ENDING        refused   refused          refused   ENDING
 */
#ifndef DAEMON_LIFE_H
#define DAEMON_LIFE_H

enum life_state {
	LIFE_WAITING,       /* nothing is counted (yet): a start is tried again and again */
	LIFE_COUNTING,
	LIFE_PAUSED,        /* the counters are left to somebody else. Nothing asks for it yet */
	LIFE_ENDING,
};
#define LIFE_STATES (LIFE_ENDING + 1)

enum life_event {
	LIFE_COUNTS,        /* a configuration counts: the first one, or another */
	LIFE_FINDS_NOTHING, /* of a configuration nothing can be counted. Who counts keeps on */
	LIFE_PAUSES,
	LIFE_ENDS,
};
#define LIFE_EVENTS (LIFE_ENDS + 1)

/* The state that follows, or -EPERM: that cannot happen now. */
int life_next(enum life_state now, enum life_event event);

#endif
