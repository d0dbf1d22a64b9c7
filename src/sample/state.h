/* SPDX-License-Identifier: MIT
 * What the files of sample/ share of one sampler; see sampler.h.
 *
 * Owns:  the state of a socket and of its slots; the steps of a tick, one file each.
 * Never: included outside of sample/.
 * The sampler thread.
 *
 * At 10 ms nothing of ours is in a cache when the timer fires: what each tick touches comes first
 * in these structs, which made a tick cheaper by a third (`make bench`).
 */
#ifndef SAMPLE_STATE_H
#define SAMPLE_STATE_H

#include "base/arena.h"
#include "derive/derive.h"
#include "sample/sampler.h"

enum { ENGINES = 2 };               /* index is enum plan_engine */

#define CHECK_EVERY (100 * NSEC_PER_MSEC)       /* at shorter intervals not every tick checks */

/* Of some time, in ns: how long a slot's events were enabled, and how long they ran. */
struct share { double enabled, ran; };
enum { SHARE_SHORT, SHARE_LONG, SHARES };   /* are kept over a short and a long time */

/* What a slot knows of time, in ns. Only slot_time.c writes it: others get it const, from
 * slot_times(). */
struct slot_time {
	nsec counted;               /* how long it counted what its total has; the span whose time
	                             * is not known yet is added when it is */
	nsec counted_to;            /* up to where that is known, by its clock: how long registers
	                             * counted, or perf: ran_in_all ... */
	unsigned counted_baselines; /* ... and since which baseline */
	bool is_current;            /* up to the last commit */
	/* A round that counts perf events: */
	nsec ran;                   /* in the last span */
	nsec ran_in_window, ran_in_all;     /* perf: in the window so far; in all rounds */
	uint64_t enabled, running;  /* perf: ns since the round began, at the last commit */
	nsec unaccounted;           /* perf: time that it ran, left for the next span */
	struct share recent[SHARES];
};

struct slot_state {
	/* The members that every tick touches come first. */
	uint64_t prev;              /* raw, at the baseline or the last read that was accepted */
	nsec prev_at;               /* just before that read */
	uint64_t pending;           /* read since the last check that passed */
	unsigned unverified_ticks;  /* ticks since that check */
	uint8_t reason;             /* enum reason, now */
	bool has_baseline;          /* prev is valid */
	bool complete;              /* read with the sample that began the window, and the baseline
	                             * has not changed since */
	bool check_failed;          /* the last check could not read: pending waits for the next */
	uint64_t total;
	unsigned baselines;         /* how often a baseline was set */
	uint64_t last_commit;       /* by the last commit */
	uint64_t in_window;         /* committed since the window began */
	/* When registers are written again. Only slot_check.c writes it. */
	struct {
		uint8_t tried;
		nsec at;            /* 0: not planned */
		nsec last;          /* when they were written last */
	} arming;
	/* Of what is judged by standing still. Only standing.c writes it. */
	struct {
		nsec last_count_at; /* the last commit that added a count */
		unsigned idle_windows;      /* checked windows since then ... */
		unsigned baselines;         /* ... and since this baseline */
	} standing;
};

/*
 * What lies between two commits of a round. Made once, by span_take(), and passed on to whoever
 * says for how long something counted. ns.
 */
struct span {
	nsec since, until;          /* the sample of the commit before, or when counting was
	                             * enabled; that of this one */
	nsec counted;               /* how long the registers counted in it, as far as is known */
	nsec frozen;                /* how long an overflow had stopped them: in it, and in earlier
	                             * ones of which it is known only now */
	nsec late;                  /* how long they counted in earlier ones of which it is known
	                             * only now */
};

static inline nsec span_length(const struct span *span)
{
	return span->until - span->since;
}

static inline nsec span_counted(const struct span *span)
{
	return span->counted + span->late;
}

/* The clock of a socket. Only span.c writes it. */
struct socket_clock {
	nsec since;                 /* where the next span begins: the last sample in what is
	                             * published */
	nsec counted;               /* how long registers counted, in all spans */
};

/* The window of derived values. Only span.c writes it. */
struct window {
	nsec start;                 /* a sample, or when counting was enabled */
	nsec read_duration;         /* how long that sample's read took; 0 where counting was
	                             * enabled */
	nsec read_held;             /* and for how much of that it was held up */
	nsec end;                   /* the first passed check from here on ends it */
	nsec counted;               /* how long registers counted in it so far */
};

/* The last read of the running round. Only sampler_read() writes it. */
struct reading {
	nsec before;                /* just before it */
	nsec at;                    /* its middle: the time of the sample */
	nsec took;
	nsec held;                  /* how much longer than the shortest of the round so far */
	bool stopped;               /* an overflow has stopped all counters until they are
	                             * resumed */
};

/* What a gauge is made of: counts of the window, or those of an overflow window. */
enum metric_kind { OF_WINDOW, OF_OVERFLOW_WINDOW };

/* What a commit means for the window of derived values: it is a part of the window, it ends the
 * window, or it ends the window without a value. */
enum commit { COMMIT_PART, COMMIT_WINDOW, COMMIT_CUT };

/* How a round takes its time: plain_round, or where it has overflow windows, overflow_round
 * (overflow_time.c). */
struct round_ops {
	/* Counting began at `at`, to within `uncertain` ns, all counters at their baselines. */
	void (*begin)(struct sampler *s, nsec at, nsec uncertain);
	/* Between two ticks, and after the first read of a round: reads the clock of a running
	 * window. From its rate follows how long a window lasted. */
	void (*peek)(struct sampler *s);
	/* Of what was just committed: sets how long registers counted and were frozen. */
	void (*account)(struct sampler *s, struct span *span);
	/* How long registers had counted up to the last read, since any beginning. False: it is not
	 * known yet. */
	bool (*counted)(const struct sampler *s, nsec *ret);
	/* After a commit: the round's metrics. True: of a whole window. */
	bool (*derive)(struct sampler *s, enum commit w);
	/* The commit is over: resumes what an overflow stopped. */
	void (*resume)(struct sampler *s);
};

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
	struct slot_state **slots;  /* of each round */
	uint64_t *words;            /* what is published */
	int cpu;                    /* on which the thread runs, -1: not known */
	/* scratch of a tick, for the largest round */
	uint64_t *raw[ENGINES];
	uint8_t *reason[ENGINES];
	struct derive_input *inputs;
	nsec *shortest_read;        /* of each round: slot_read.c; 0: none yet */
	const struct slot_time **times_of_round;        /* to read: slot_times() */
	struct slot_times *times;   /* slot_time.c */
	struct active *active;      /* active.c */
	struct counters *counters;  /* counters.c */
	struct turns *turns;        /* turns.c */
	struct channels *channels;  /* channels.c */
	struct overflow_time *overflow_time;    /* overflow_time.c */
	struct distributions *distributions;    /* metric_samples.c */
	bool *moved;                /* of each series: it has counted at least once, also before a
	                             * reload */
	uint8_t *rearm;             /* of registers */
	unsigned round;
	const struct round_ops *ops;            /* of the round, once it was started */
	bool running;               /* the round could be started */
	struct reading read;
	struct socket_clock clock;
	struct window window;
	nsec checked_at, next;
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
 * Are rates exact that are made of what was counted between two reads that took so long? If a read
 * was held up, it is unknown before which counter, and rates would be wrong by that time. If
 * counters are frozen for a read, all stop together, but time goes on. Of each perf event the
 * kernel says how long it counted, so that a rate of perf events alone is always exact.
 */
static inline bool reads_steady(const struct sampler *s, nsec first, nsec last, nsec window)
{
	const struct counting *perf = s->engine[PLAN_PERF];
	nsec more = last > first ? last - first : first - last;

	if (!round_of(s)->n_reg && perf && perf->ops->times)
		return true;
	return (s->o.freeze ? first + last : more) <= window / 4;
}

/* How many slots of the running round engine e counts. */
static inline unsigned engine_slots(const struct sampler *s, unsigned e)
{
	const struct plan_round *round = round_of(s);

	if (!s->engine[e])
		return 0;
	return e == PLAN_REGISTERS ? round->n_reg : round->n_perf;
}

/* The engines that count slots of the running round. */
#define EACH_ENGINE(e, s) (unsigned e = 0; e < ENGINES; e++) if (engine_slots(s, e))

/* What the engine of a slot wrote into the tick's scratch. */
static inline uint64_t slot_raw(const struct sampler *s, const struct plan_slot *slot)
{
	return s->raw[slot->engine][slot->engine_slot];
}

static inline uint8_t slot_reason(const struct sampler *s, const struct plan_slot *slot)
{
	return s->reason[slot->engine][slot->engine_slot];
}

static inline struct slot_state *states_of(const struct sampler *s)
{
	return s->slots[s->round];
}

static inline bool counts_by_registers(const struct plan_round *round, const struct plan_sum *sum)
{
	for SUM_EACH_ADDEND(a, sum)
		if (a->slot >= 0 && round->slots[a->slot].engine == PLAN_REGISTERS)
			return true;
	return false;
}

/* How long a metric's inputs counted in `all` ns, in which registers counted for `counted`: an
 * overflow stops the registers' counters, not the kernel's. */
static inline nsec metric_counted(const struct plan_round *round, const struct plan_metric *m,
				  nsec all, nsec counted)
{
	bool registers = counts_by_registers(round, &m->num) || counts_by_registers(round, &m->den);

	return registers ? counted : all;
}

/* ---- span.c */

/* A round's counting was enabled between `before` and `after`: a span and a window begin. */
void span_begin(struct sampler *s, nsec before, nsec after);
/* span_take - what lies between the last commit and the last read; the next one begins here. */
struct span span_take(struct sampler *s);
/* Publishes `frozen` ns more in which all counters were stopped: of no span that was taken. */
void span_frozen(struct sampler *s, nsec frozen);
/* The next window begins at the last read. */
void window_next(struct sampler *s);
void window_set_end(struct sampler *s, nsec end);

/* ---- slot_read.c */

/* Counting continues from `raw`, which was read just after `before`. */
void slot_set_baseline(struct slot_state *st, uint64_t raw, nsec before);
/* sampler_read - every counter of the running round into pending. True: the counters are stopped,
 * and run again only after a check that passes. */
bool sampler_read(struct sampler *s);

/* ---- slot_check.c */

/* A round was started, at the earliest at `before`: what the engine said of its slots. */
void slots_begin(struct sampler *s, nsec before);
/* sampler_check - ownership, enables, overflow. False: the registers could not be read, so nothing
 * is known yet. */
bool sampler_check(struct sampler *s);
/* sampler_rearm - write again what others overwrote, where that is due. */
void sampler_rearm(struct sampler *s);

/* ---- commit.c */

/* Before its first window no metric has a value. */
void metrics_new(struct sampler *s);
/* Derives the metrics of the running round that are of this kind, from s->inputs, for a window of
 * so many ns, in which registers counted for `counted`. 0: that is not known; below 0: the values
 * stay. */
void metrics_derive(struct sampler *s, enum metric_kind kind, nsec window, nsec counted);
/* sampler_commit - pending counts become totals, and metrics are derived. */
void sampler_commit(struct sampler *s, enum commit w);
/* Stops showing metrics of a round that have an input that is not valid now: after a check that
 * ends no window, and where a round begins or ends. */
void omit_invalid_metrics(struct sampler *s, unsigned round);
/* A whole sample where a round begins or ends: read, check, commit. */
void sampler_sample(struct sampler *s, enum commit w);

/* ---- standing.c */

/* In the sampler's arena, once. */
void standing_new(struct sampler *s);
/* A round begins, whose counters were enabled just now. */
void standing_begin(struct sampler *s);
/* Goes on from the sampler of before a reload. */
void standing_inherit(struct sampler *s, const struct sampler *old);
/* Has the slot, whose counter cannot stand still, never counted? Then it has no value. */
bool standing_waits(const struct sampler *s, const struct plan_slot *slot);
/* Is it the clock of a unit that is not in use? Then zeros of that unit are values. */
bool standing_unused(const struct sampler *s, const struct plan_slot *clock);
/* After a commit: gives slots a reason that stand still and cannot, and takes it from those that
 * count again. */
void standing_judge(struct sampler *s, const struct span *span);

/* ---- channels.c */

/* In the sampler's arena, once. */
void channels_new(struct sampler *s);
/* Goes on from the sampler of before a reload. */
void channels_inherit(struct sampler *s, const struct sampler *old);
/* After standing_judge(): those that moved data have memory. */
void channels_commit(struct sampler *s, const struct span *span);
/* Has the memory channel that the slot's unit is moved data? True of any other unit. */
bool channel_has_memory(const struct sampler *s, const struct plan_slot *slot);
/* Was it counted for long enough to say that it has none? */
bool channel_is_empty(const struct sampler *s, const struct plan_slot *slot);
/* Has the metric no value yet, because it is not known of all channels whether they have memory? */
bool metric_waits(const struct sampler *s, const struct plan_metric *m);
/* derive_eval() on the counts in s->inputs; a knee that was measured with another number of
 * channels that have memory is a conflict. */
enum derive_state metric_eval(const struct sampler *s, const struct plan_metric *m,
			      const struct derive_window *window, double *ret);
/* How many have memory, and how many count: after the reasons of slots. */
void channels_publish(struct sampler *s);

/* ---- inputs.c */

/* The inputs of metrics, of the window: into s->inputs. */
void metrics_gather(struct sampler *s);
/* slot_spread - what would have been counted in `window` at the rate of the time that the kernel
 * counted, `ran` ns. */
uint64_t slot_spread(const struct plan_slot *slot, uint64_t counted, nsec ran, nsec window);
/* Does the metric do without this input, of a channel that is empty? */
bool input_left_out(const struct sampler *s, const struct plan_metric *m,
		    const struct plan_addend *a);
/* Is is() true of any input of a metric that it does not do without? */
bool metric_any(const struct sampler *s, const struct plan_metric *m,
		bool (*is)(const struct slot_state *));

/* ---- slot_time.c */

/* In the sampler's arena, once. */
void slot_times_new(struct sampler *s);
/* Of each slot of a round. */
static inline const struct slot_time *slot_times(const struct sampler *s, unsigned round)
{
	return s->times_of_round[round];
}
/* A round begins, whose counters were enabled just now. */
void slot_times_begin(struct sampler *s);
/* Of a round with perf events: how long each slot ran in the span. whole: that is long enough to
 * say that a perf event had no counter. */
void slot_times_span(struct sampler *s, const struct span *span, bool whole);
/* After slot_times_span(): how long the group counted in that span, as long as the one of its slots
 * that ran longest. */
nsec slot_times_group(struct sampler *s, unsigned group);
/* After standing_judge(), which says whose clock stands: the time of each total. */
void slot_times_count(struct sampler *s);
/* The next window begins. */
void slot_times_window(struct sampler *s);
/* Did the inputs of a metric count for different shares of the time? Then their sum is of no one
 * time. */
bool slot_times_uneven(const struct sampler *s, const struct plan_metric *m);

/* ---- active.c */

/* In the sampler's arena, once. */
void active_new(struct sampler *s);
/* After a commit: of the socket and of the round's groups. */
void active_span(struct sampler *s, const struct span *span);
/* Of slots, and which series have counted for less time than the socket: before anything is
 * published. */
void active_publish(struct sampler *s);

/* ---- counters.c */

/* In the sampler's arena, once. */
void counters_new(struct sampler *s);
/* A round begins: from here on its derived counters rise by what their inputs count. */
void counters_begin(struct sampler *s);
/* After a commit: by what was committed. */
void counters_commit(struct sampler *s);

/* ---- metric_samples.c */

/* In the sampler's arena, once. */
void distributions_new(struct sampler *s);
void distributions_inherit(struct sampler *s, const struct sampler *old);
/* The running round has taken its first sample: the first ones of its grids are counted from it. */
void distributions_begin(struct sampler *s);
/* An overflow window, which lasted `counted` ns and whose counts are in s->inputs, is one sample of
 * its group's metrics. */
void distributions_overflow(struct sampler *s, nsec counted);
/* After a read: metrics whose resolution is due take a sample, pending until a check passes. now:
 * when the tick began. */
void distributions_sample(struct sampler *s, nsec now);
/* After a check: samples of slots that somebody else wrote to are not valid. */
void distributions_judge(struct sampler *s);
/* After a check that passed. */
void distributions_commit(struct sampler *s);
/* The round is over: what is pending counts as not valid. */
void distributions_drop(struct sampler *s);
/* Peaks into the words that are published. */
void distributions_publish(struct sampler *s);

/* ---- overflow_time.c: how much of the time the registers of a round count. Without overflow
 * windows that is all of it. With them it is the time until an overflow stops the counters; they
 * stay stopped until a sample finds that. */

extern const struct round_ops plain_round, overflow_round;

/* slots: of the largest round. */
void overflow_new(struct sampler *s, unsigned slots);
/* When ops->peek() is due, before the next tick; 0: it is not. */
nsec overflow_peek_at(const struct sampler *s);

/* ---- turns.c */

void turns_new(struct sampler *s);
/* Returns the round with which to begin. */
unsigned turns_inherit(struct sampler *s, const struct sampler *old);
/* The first turn has begun, and its first window ends then. */
void turns_begin(struct sampler *s, nsec first_window_end);
bool turns_due(const struct sampler *s, nsec now);
/* turns_next - whose turn begins now: every round once a cycle, and in another order each time, so
 * that a load in step with the turns does not meet the same round for ever. */
unsigned turns_next(struct sampler *s, nsec now);
/* The series of the running round are its own from here on. */
void turns_take_series(struct sampler *s);
/* A whole window of the running round has its values. */
void turns_note_window(struct sampler *s);
bool turns_all_done(const struct sampler *s);
/* Of each series of slots: the last round that had it. */
const unsigned *turns_last(const struct sampler *s);
/* Does the series of a metric show this one, of its round, and not that of another? */
bool turns_shows_metric(const struct sampler *s, const struct plan_metric *m);

/* ---- rotate.c: values of a round stay published until its next turn, and for ever if that cannot
 * begin. So the end and a failed start of a turn omit metrics that are not valid. Peaks grow old by
 * the clock, not by the last read. */

/* The first round to start, after that of a sampler before a reload. */
void round_inherit(struct sampler *s, const struct sampler *old);
/* round_start - enable a round and take its first sample. -errno: it does not run, its slots have a
 * reason. */
int round_start(struct sampler *s, unsigned round, struct err *err);
/* round_stop - stop the running round without losing a count: the last delta is read after the
 * counters were stopped, and counts if no other program changed the round until then. False:
 * register writes are refused, and it keeps running. */
bool round_stop(struct sampler *s);
/* round_rotate - the next round's turn. If the running one cannot be stopped it keeps running, and
 * the others are refused. */
void round_rotate(struct sampler *s, nsec now);

#endif
