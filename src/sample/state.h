/* state.h - what the files of sample/ share of one sampler; see sampler.h.
 *
 * Owns:  the state of a socket and of its slots; the steps of a tick, one file each.
 * Never: included outside of sample/.
 * The sampler thread.
 */
#ifndef SAMPLE_STATE_H
#define SAMPLE_STATE_H

#include "sample/sampler.h"

enum { ENGINES = 2 };               /* index is enum plan_engine */

struct slot_state {
	/* What every tick touches stands first. */
	uint64_t prev;              /* raw, at the base or the last read that was accepted */
	nsec prev_at;               /* just before that read */
	uint64_t pending;           /* read, not yet vouched for ... */
	unsigned unvouched;         /* ... at so many ticks */
	uint8_t reason;             /* enum reason, now */
	bool based;                 /* prev holds */
	bool whole;                 /* prev was read with the sample that began the window */
	bool doubtful;              /* the last check could not tell: pending waits for the next */
	uint64_t total;
	uint64_t window;            /* committed last: the counts of the window */
	uint8_t rearms;
	nsec rearm_at;              /* 0: none planned */
	nsec armed_at;
	nsec moved_at;              /* clocks: last time it had counted */
	unsigned still;             /* clocks: checked windows without a count */
	uint64_t enabled, running;  /* perf: ns since the round began, at the last commit */
	nsec ran;                   /* perf: what the counts of the last window stand for */
	nsec active, owed;          /* perf: what of it goes into the last window and what into the next, at most one window */
};

/* The exact window under way in a round that has one (window.c). */
struct window {
	bool over;                  /* at the last read: everything stands still */
	bool broken;                /* its own counter was armed anew: this one is no window */
	nsec begun;
	nsec look, look_at;         /* how long after its beginning the clock is looked at, between two ticks; when; 0: not */
	nsec active;                /* unfrozen time of it that has been accounted for */
	unsigned round;             /* that hz and what is owed belong to */
	double hz, quality;         /* clock counts per ns as seen while it ran, 0: not yet; span per read duration */
	uint64_t owed;              /* clock counts whose time is not known, because hz was not ... */
	nsec owed_span;             /* ... and the time in which they happened */
	uint64_t *counts;           /* of each slot of the round, since the window began */
	bool *whole;                /* of each slot: nothing of them is missing */
};

struct sampler {
	struct sampler_options o;
	const struct plan_socket *socket;
	nsec interval, rotation;
	struct layout layout;
	struct counting *engine[ENGINES];
	struct slot_state *slots;   /* of all rounds, numbered through */
	uint64_t *words;            /* what is published */
	/* scratch of a tick, for the largest round */
	uint64_t *raw[ENGINES];
	uint8_t *reason[ENGINES];
	uint64_t *delta;
	bool *usable, *absent;
	uint8_t *rearm[ENGINES];

	unsigned round;
	bool running;               /* the round could be started */
	nsec window_start;          /* sample time at the last commit, or when counting was enabled */
	nsec sample_at, read_before;
	nsec checked_at, round_until, next;
	struct window window;
	unsigned rounds_done;       /* a whole window of rounds 0 .. rounds_done-1 was published */
};

static inline nsec mono(const struct sampler *s)
{
	return s->o.clock.mono(s->o.clock.p);
}

static inline const struct plan_round *round_of(const struct sampler *s)
{
	return &s->socket->rounds[s->round];
}

static inline struct slot_state *states_of(const struct sampler *s)
{
	return &s->slots[layout_slot(s->socket, s->round, 0)];
}

/* ---- read.c */

/* Counting goes on from here: raw, read just after `before`. */
void slot_base(struct slot_state *st, uint64_t raw, nsec before);
/* sampler_read - every counter of the running round into pending. */
void sampler_read(struct sampler *s);

/* ---- check.c */

/* Somebody else wrote: what no check had vouched for is thrown away. now: mono(). */
void slot_foreign(struct sampler *s, struct slot_state *st, nsec now);
/* sampler_check - ownership, enables, overflow. False: the registers could not be read, so nothing is known yet. */
bool sampler_check(struct sampler *s);
/* sampler_rearm - write again what was taken from us, when its time has come. */
void sampler_rearm(struct sampler *s);

/* ---- commit.c */

/* sampler_commit - pending becomes total. `derived`: this ends a window that is worth a derived value. */
void sampler_commit(struct sampler *s, bool derived);

/* ---- window.c */

/* Counting began at `at`, all counters at their bases. */
void window_begin(struct sampler *s, nsec at);
/* Adds what was just committed and says how much of `span` ns was not frozen; the rest is exported as frozen. */
nsec window_account(struct sampler *s, nsec span);
/* After a commit: the next window begins, if one was over. */
void window_next(struct sampler *s);
/* The clock of a running window, between two ticks: its rate tells later how long a window lasted. */
void window_look(struct sampler *s);
/* A gauge of the group with the window: its value is that of the last whole window. ret_fresh: of the present one, which
 * has just ended. False: it has none. */
bool window_usable(const struct sampler *s, const struct plan_metric *m, bool *ret_fresh);

/* ---- rotate.c */

/* round_start - enable a round and take its first sample. -errno: it does not run, its slots have a reason. */
int round_start(struct sampler *s, unsigned round, struct err *err);
/* round_stop - stop the running round without losing a count: the last delta is read while the counters stand still,
 * and counts if the round was ours until it was stopped. */
void round_stop(struct sampler *s);

#endif
