/* SPDX-License-Identifier: MIT
 * What uncored does at a time: it counts, waits for something to count, is paused, or ends.
 *
 * Owns:  what is true in each of these, and which can follow which: one table, in life.c. Nobody
 *        else compares states.
 * Never: what is done in one of them, or on the way to it (run.h).
 * Pure.
 */
#ifndef DAEMON_LIFE_H
#define DAEMON_LIFE_H

#include <stdbool.h>

enum life_state {
	LIFE_WAITING,       /* nothing is counted (yet): a start is tried again and again */
	LIFE_COUNTING,
	LIFE_PAUSED,        /* the counters are left to somebody else (pause.h) */
	LIFE_ENDING,
	LIFE_STATES
};

enum life_event {
	LIFE_COUNTS,        /* a configuration counts: the first one, or another */
	LIFE_FINDS_NOTHING, /* of a configuration nothing can be counted. Who counts keeps on */
	LIFE_PAUSES,
	LIFE_ENDS,
	LIFE_EVENTS
};

struct life_row {
	const char *name;           /* in messages: "counting" */
	bool counts;                /* counters run: a reload swaps, the driver is looked for */
	bool paused;                /* nothing of ours is in a register or open as an event */
	bool waits;                 /* a start is due, by a tick or a reload; it is told why */
	int next[LIFE_EVENTS];      /* the state that follows, or -EPERM: that cannot happen now */
};

/* Its row; it lives for ever. */
const struct life_row *life_of(enum life_state state);

#endif
