/* state.h - what the files of sample/ share of one sampler; see sampler.h.
 *
 * Owns:  the state of a socket and of its slots; the steps of a tick, one file each.
 * Never: included outside of sample/.
 * The sampler thread.
 *
 * At 10 ms nothing of ours is in a cache when the timer fires: what each tick touches stands first
 * in these structs, which took a third off the price of a tick (`make bench`).
 */
#ifndef SAMPLE_STATE_H
#define SAMPLE_STATE_H

#include "base/arena.h"
#include "sample/sampler.h"

enum { ENGINES = 2 };               /* index is enum plan_engine */

#define CHECK_EVERY (100 * NSEC_PER_MSEC)       /* at shorter intervals not every tick checks */

/* Of a time: how much of it the events were to count, and how much they did; ns. */
struct share { double enabled, ran; };
enum { SPANS = 2 };                 /* looked at over a short time and a long one */

struct slot_state {
	/* What every tick touches stands first. */
	uint64_t prev;              /* raw, at the base or the last read that was accepted */
	nsec prev_at;               /* just before that read */
	uint64_t pending;           /* read, not yet vouched for ... */
	unsigned unvouched;         /* ... at so many ticks */
	uint8_t reason;             /* enum reason, now */
	bool based;                 /* prev holds */
	bool whole;                 /* read with the sample that began the window, and never based
	                             * anew since */
	bool doubtful;              /* the last check could not tell: pending waits for the next */
	uint64_t total;
	unsigned bases;             /* times that counting went on from a new base */
	uint64_t committed;         /* at the last commit */
	uint64_t window;            /* of it what the window has so far */
	uint8_t rearms;
	nsec rearm_at;              /* 0: none planned */
	nsec armed_at;
	nsec moved_at;              /* clocks: last time it had counted */
	unsigned still;             /* clocks: checked windows without a count */
	uint64_t enabled, running;  /* perf: ns since the round began, at the last commit */
	nsec ran;                   /* perf: what the counts of the window stand for */
	nsec active, owed;          /* perf: what of it goes into the last commit's time and what
	                             * into the next */
	struct share lately[SPANS];
	bool uneven;                /* no_data, because it ran for another time than its group */
};

/* What a metric is made of: totals; counts of the window; those of an overflow window. */
enum metric_kind { OF_TOTALS, OF_WINDOW, OF_OVERFLOW_WINDOW };
static inline bool in_overflow_windows(const struct plan_socket *s, const struct plan_metric *m)
{
	const struct plan_round *round = &s->rounds[s->groups[m->group].round];

	return round->window.count && m->group == round->window.group;
}

/* What a commit is to the window of derived values: one of its parts, its end, or its end without a
 * value. */
enum commit { COMMIT_PART, COMMIT_WINDOW, COMMIT_CUT };

/* A slot when a sample of a resolution was taken. */
struct pace_slot {
	uint64_t count;             /* total and pending */
	unsigned bases;
	bool read;
};
struct pace_time { uint64_t enabled, running; };        /* perf */

/* One resolution of a round: its watched metrics take a sample each time.
 *
 * A late tick makes a long sample and a short one. The long one counts once, with the time that it
 * has; the short one is added to the next if it is below half of the resolution; nothing is filled
 * in. A read that was held up in its middle has counters of two times in it, and divided by one
 * time they make a rate that never was: where two reads differ in length by a quarter of the time
 * between them, there is no sample. */
struct pace {
	unsigned round;
	nsec every;
	nsec start, unfrozen;       /* when the last sample was taken; the same without frozen
	                             * time */
	nsec cell;                  /* and in which multiple of `every` */
	nsec took;                  /* how long its read took */
	struct pace_slot *slots;    /* of the round */
	struct pace_time *times;    /* the same */
};

#define PEAK_PARTS 60               /* a peak's window slides in so many steps */
struct watch_state {
	const struct plan_metric *metric;
	const struct pace *pace;    /* NULL: its samples are overflow windows */
	uint64_t *histogram;        /* its words; NULL: the peak alone */
	double *pending;            /* samples that no check has vouched for */
	unsigned n_pending, room;
	nsec part;                  /* the newest part of the peak's window, counted in parts on
	                             * CLOCK_MONOTONIC */
	double parts[PEAK_PARTS];   /* the largest sample of each, -INFINITY: none */
};

/* The overflow window under way in a round that has them (overflow_time.c). No register holds the
 * moment at which it ended. A clock of the group that stopped with it tells how long it ran, at the
 * rate that was seen while it ran; counts from before that rate was known are accounted later. */
struct overflow_time {
	bool broken;                /* its own counter was armed anew: this one is no window */
	bool sampled;               /* its watched metrics have taken their sample */
	nsec begun, uncertain;      /* and how well that is known */
	nsec peek, peek_at;         /* how long after its beginning the clock is read, between two
	                             * ticks; when; 0: not */
	nsec active;                /* unfrozen time of it that has been accounted for ... */
	nsec accounted;             /* ... and of all windows before it */
	nsec ended_at;              /* when it was first seen to have ended, 0: not yet */
	nsec unsure, unsure_from;   /* time in which the clock could not be read, and where it
	                             * began */
	bool blurred;               /* nobody can tell how much of the interval under way was not
	                             * frozen */
	unsigned bases;             /* the clock's when it began: with others, what it shows is not
	                             * all of the window */
	unsigned round;             /* that hz and what is owed belong to */
	double hz, quality;         /* clock counts per ns as seen while it ran, 0: not yet; span
	                             * per what is not known of it */
	uint64_t unaccounted;       /* clock counts whose time is not known, because hz was not
	                             * ... */
	nsec unaccounted_span;      /* ... and the time in which they happened */
	uint64_t *counts;           /* of each slot of the round, since the window began */
	bool *whole;                /* of each slot: nothing of them is missing */
};

/* How much of the time the registers of a round count: all of it (rotate.c), or until an overflow
 * stops them, from one sample that finds them stopped to the next (overflow_time.c). */
struct timekeeping {
	/* Counting began at `at`, to within `uncertain` ns, all counters at their bases. */
	void (*begin)(struct sampler *s, nsec at, nsec uncertain);
	/* Between two ticks, and after the first read of a round. */
	void (*peek)(struct sampler *s);
	/* Accounts the last commit: how much of `span` ns was not frozen; the rest is exported as
	 * frozen. ret_late: unfrozen time of earlier windows, which is only known now. */
	nsec (*account)(struct sampler *s, nsec span, nsec *ret_late);
	/* After a commit: values of windows. */
	void (*derive)(struct sampler *s);
	/* The commit is over: what an overflow stopped goes on. */
	void (*resume)(struct sampler *s);
	/* Unfrozen time up to the last read, since any beginning. False: nobody can tell yet. */
	bool (*unfrozen)(const struct sampler *s, nsec *ret);
};
extern const struct timekeeping overflow_time;

struct sampler {
	struct arena *arena;        /* owns all of it */
	struct sampler_options o;
	const struct plan_socket *socket;
	nsec interval, rotation;
	nsec tick;                  /* of the running round */
	struct layout layout;
	struct overflow_windows overflow;       /* around the register engine, where some round has
	                                         * such windows */
	struct counting *engine[ENGINES];
	struct slot_state *slots;   /* of all rounds, numbered through */
	uint64_t *words;            /* what is published */
	/* scratch of a tick, for the largest round */
	uint64_t *raw[ENGINES];
	uint8_t *reason[ENGINES];
	uint64_t *delta;
	bool *usable, *absent;
	uint8_t *kinds;             /* of each metric: enum metric_kind */
	int *leaders;               /* of each group: the slot whose time is the group's, -1:
	                             * none */
	uint8_t *rearm;             /* of registers */
	struct pace *paces;         /* of all rounds */
	unsigned n_paces;
	struct watch_state *watches;

	unsigned round;
	bool running;               /* the round could be started */
	nsec window_start;          /* sample time, or when counting was enabled */
	nsec window_took;           /* how long that sample's read took; 0 where counting was
	                             * enabled */
	nsec window_end;            /* the first passed check from here on ends the window */
	nsec unfrozen;              /* of the window so far: all of it where there are no overflow
	                             * windows */
	nsec committed_at;          /* sample time at the last commit, or when counting was enabled
	                             * (perf alone: before that) */
	nsec sample_at, read_before;
	nsec checked_at, round_until, next;
	const struct timekeeping *time;         /* of the running round */
	struct overflow_time over;
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

/*
 * Can rates be made of what was counted between two reads that took so long? Where one of them was
 * held up nobody knows before which counters, and they would be wrong by as much; frozen counters
 * stand still together, but the time of the window goes on. The kernel tells of each perf event how
 * long it counted.
 */
static inline bool reads_steady(const struct sampler *s, nsec first, nsec last, nsec window)
{
	const struct counting *perf = s->engine[PLAN_PERF];
	nsec more = last > first ? last - first : first - last;

	if (!round_of(s)->n_reg && perf && perf->ops->times)
		return true;
	return (s->o.freeze ? first + last : more) <= window / 4;
}

/* Does it count? Maybe for another time than its group: then its total is left out, but it can be
 * part of a gauge. */
static inline bool slot_counts(const struct slot_state *st)
{
	return !st->reason || (st->reason == REASON_NO_DATA && st->uneven);
}

static inline struct slot_state *states_of(const struct sampler *s)
{
	return &s->slots[layout_slot(s->socket, s->round, 0)];
}

/* The time in which a group was not frozen: an overflow stops the registers' counters, not the
 * kernel's. */
static inline nsec group_unfrozen(const struct plan_round *round, const struct plan_group *g,
				  nsec all, nsec unfrozen)
{
	for (unsigned i = 0; i < g->n_slots; i++)
		if (round->slots[g->slots[i]].engine == PLAN_REGISTERS)
			return unfrozen;
	return all;
}

/* ---- read.c */

/* Counting goes on from here: raw, read just after `before`. */
void slot_base(struct slot_state *st, uint64_t raw, nsec before);
/* sampler_read - every counter of the running round into pending. */
void sampler_read(struct sampler *s);

/* ---- check.c */

/* Somebody else wrote: what no check had vouched for is thrown away. now: mono(). */
void slot_foreign(struct sampler *s, struct slot_state *st, nsec now);
/* sampler_check - ownership, enables, overflow. False: the registers could not be read, so nothing
 * is known yet. */
bool sampler_check(struct sampler *s);
/* sampler_rearm - write again what was taken from us, when its time has come. */
void sampler_rearm(struct sampler *s);

/* ---- commit.c */

/* sampler_commit - pending becomes total; what the sum is worth depends on what becomes of the
 * window. */
void sampler_commit(struct sampler *s, enum commit w);
/* sampler_omit - metrics of the round with an input that is not valid now are shown no longer:
 * after a check that ends no window, and where a round begins or ends. */
void sampler_omit(struct sampler *s);
/* What metrics of a kind are made of: into s->delta, usable and absent. */
void metrics_gather(struct sampler *s, enum metric_kind kind);
/* The metrics of the running round that are of this kind. */
void metrics_derive(struct sampler *s, enum metric_kind kind);
/* slot_spread - what would have been counted in `window` at the rate of the time that the kernel
 * counted, `ran` ns. */
uint64_t slot_spread(const struct plan_slot *slot, uint64_t counted, nsec ran, nsec window);

/* ---- times.c */

/* No slot has run less than another yet. */
void times_begin(struct sampler *s);
/* How long each slot of the round counted of `since` ns, in which registers were not frozen for
 * `unfrozen`. `whole`: that is long enough to say of a perf event that it had no counter. */
void times_slots(struct sampler *s, nsec since, nsec unfrozen, bool whole);
/* How long the group counted of them; what ran for another share of the time is uneven from here
 * on. */
nsec times_group(struct sampler *s, unsigned group);
/* Did the inputs of a metric count for different shares of the time? Sums of them are of no
 * time. */
bool times_uneven(const struct sampler *s, const struct plan_metric *m);

/* ---- watch.c */

void watches_new(struct sampler *s);
/* The running round has taken its first sample, from which the next ones are counted. */
void watches_begin(struct sampler *s);
/* An overflow window, which lasted `active` ns, is one sample of its group's metrics. */
void watches_overflow(struct sampler *s, nsec active);
/* After a read: metrics whose resolution is due take a sample, pending until a check passes. now:
 * when the tick began. */
void watches_sample(struct sampler *s, nsec now);
/* After a check: samples of slots that somebody else wrote to are not valid. */
void watches_judge(struct sampler *s);
/* After a check that passed. */
void watches_commit(struct sampler *s);
/* The round is over: what is still pending will never be vouched for. */
void watches_drop(struct sampler *s);
/* Is it so of any input of a metric? st: the slots of its round. */
bool metric_any(const struct plan_metric *m, const struct slot_state *st,
		bool (*is)(const struct slot_state *));
/* Peaks into the words that are published. */
void watches_publish(struct sampler *s);

/* ---- overflow_time.c */

/* Is the value of its group's gauges that of the last whole window? ret_fresh: of the present one,
 * which has just ended. */
bool overflow_usable(const struct sampler *s, const struct plan_metric *m, bool *ret_fresh);

/* ---- rotate.c: what a round leaves behind stands until its next turn, and if that cannot begin,
 * for ever. So whatever ends or fails a turn leaves out what was derived in it. Peaks grow old by
 * the clock, not by the last read. */

/* round_start - enable a round and take its first sample. -errno: it does not run, its slots have a
 * reason. */
int round_start(struct sampler *s, unsigned round, struct err *err);
/* round_stop - stop the running round without losing a count: the last delta is read while the
 * counters stand still, and counts if the round was ours until it was stopped. False: registers
 * refuse to be written, and it runs on. */
bool round_stop(struct sampler *s);
/* It runs on, so that the turn of no other can begin. */
void round_refuse_others(struct sampler *s);

#endif
