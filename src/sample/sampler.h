/* SPDX-License-Identifier: MIT
 * One socket: wrap arithmetic, pending and committed totals, rotation, validity,
 * publication.
 *
 * Owns:  the numbers of a socket between a read and the ring.
 * Never: names, labels, registers.
 * sampler_tick() and what it calls: the sampler thread; allocates nothing, logs nothing, takes no
 * lock.
 */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "access/counting.h"
#include "base/nsec.h"
#include "plan/plan.h"
#include "sample/layout.h"
#include "sample/ring.h"

/*
 * wrap_delta - events counted between two reads.
 *
 * prev, now  raw register values; bits at or above `width` are ignored
 * width      bits, 1..64, a fact of the box (Nehalem-EX 48, E5 v2 C-Box 44)
 *
 * Returns the count, 0 .. 2^width - 1. Exact while fewer than 2^width events
 * happen between reads; the plan's safe interval ensures that. Cannot fail.
 */
uint64_t wrap_delta(uint64_t prev, uint64_t now, unsigned width);

struct sampler_clock {              /* injected: tests run months in seconds */
	nsec (*mono)(void *);       /* CLOCK_MONOTONIC, less `offset` */
	nsec (*wall)(void *);
	void *p;
	nsec offset;
};

struct sampler_options {
	const struct plan *plan;            /* borrowed, outlives the sampler */
	unsigned socket;                    /* index into plan->sockets */
	struct counting *regs, *perf;       /* borrowed; NULL: none of that engine */
	struct ring *ring;                  /* borrowed */
	struct sampler_clock clock;
	bool freeze;
	uint64_t seed;                      /* of the order of turns; 0: the rounds' own order */
};

struct sampler;
/* All memory that ticks need is allocated here. */
int sampler_new(const struct sampler_options *o, struct sampler **ret, struct err *err);
void sampler_free(struct sampler *s);
/*
 * sampler_inherit - peaks and histograms of an earlier sampler continue in this one.
 *
 * s    not started yet
 * old  stopped; the same socket. A peak continues if plan_distribution_same(), a histogram only if
 *      its buckets are the same, too
 */
void sampler_inherit(struct sampler *s, const struct sampler *old);

/* sampler_start - start the first round and take and publish the first sample. If no CPU of the
 * socket answers it has no values, and begins when one does. -errno with a sentence: nothing
 * runs. */
int sampler_start(struct sampler *s, struct err *err);
/* sampler_tick - one sample: read, check when due, commit or discard, rotate when due, publish when
 * due. */
void sampler_tick(struct sampler *s);
/* sampler_end_window - read, check, commit and publish now, whatever is due: what is derived is of
 * the time since the last window. What ticks next, and when, stays as it was. */
void sampler_end_window(struct sampler *s);
/* When to call sampler_tick() next, on the sampler's clock: sampler_next_peek() if there is one,
 * else the next multiple of the round's tick. */
nsec sampler_next(const struct sampler *s);
/* When sampler_tick() reads the clock of an overflow window, or reopens perf events, before the
 * next tick is due; 0: it need not. */
nsec sampler_next_peek(const struct sampler *s);
/* Time between two ticks of the running round. */
nsec sampler_period(const struct sampler *s);
/* Published: how its thread runs. */
struct sampler_thread_state {
	int cpu;                    /* where; -1: not known, then it is the one that the socket is
	                             * read from */
	bool pinned;                /* to that CPU */
	bool realtime;              /* under SCHED_FIFO */
	unsigned fallbacks;         /* how often it was put back to plain scheduling */
};
/* By that thread; published with the next sample. */
void sampler_note_thread(struct sampler *s, struct sampler_thread_state now);
/* sampler_stop - last read and check, commit, publish, stop counting. */
void sampler_stop(struct sampler *s);
/* Is a round enabled? If so after sampler_stop(), its registers refuse to be written and it counts
 * on. A sampler of the same plan that inherits from this one begins with that round. */
bool sampler_runs(const struct sampler *s);
/* Has a whole window of every round been published since the start? With overflow windows, their
 * time is known as well. */
bool sampler_all_rounds(const struct sampler *s);

/* ---- the thread around it */

struct sampler_thread;
/* Creates the thread; it calls sampler_start(). o: the sampler's own options; pin: bind it to the
 * CPU its engine reads through (best effort). */
int sampler_thread_start(struct sampler *s, const struct sampler_options *o, bool pin,
			 struct sampler_thread **ret, struct err *err);
/* Blocks until the first sample is published (0) or the start failed (-errno). The thread must be
 * stopped in either case. until: on CLOCK_MONOTONIC, then -EINPROGRESS; 0: as long as it takes. */
int sampler_thread_wait(struct sampler_thread *t, nsec until, struct err *err);
/* Blocks until the thread is between two ticks. False: it hangs in a read. Must not be called after
 * sampler_thread_end(). */
bool sampler_thread_answers(struct sampler_thread *t, nsec until);
/* Makes the thread call sampler_stop() and end; does not wait for it. */
void sampler_thread_end(struct sampler_thread *t);
/* sampler_thread_end(), then waits for the thread and frees it. t: may be NULL. until: on
 * CLOCK_MONOTONIC; 0: as long as it takes. False: it hangs in a read, and all that it uses must
 * stay. */
bool sampler_thread_stop(struct sampler_thread *t, nsec until);
/* 0, or why a sampler with a tick below 100 ms does not run under SCHED_FIFO: -errno. */
int sampler_thread_realtime(const struct sampler_thread *t);
/* 0, or why it is not bound to the CPU through which it reads now: -errno. */
int sampler_thread_pinned(const struct sampler_thread *t);

#endif
