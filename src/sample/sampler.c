/* SPDX-License-Identifier: MIT
 * One socket: from raw reads to published totals; see sampler.h.
 * Owns:  the life of a sampler, the order of a tick, its grid, publication.
 * Never: how a step of a tick works: each is a file of its own, and writes what is its own.
 * The sampler thread; allocates only when the sampler is made.
 *
 * A tick, from the top; on the right what a step writes:
 *
 *   rearm    slot_check.c      what others took and is due     -> slot.arming
 *   read     slot_read.c       all counters of the round       -> read, slot.prev, slot.pending
 *   sample   metric_samples.c  samples that are due, pending   -> distributions
 *   check    slot_check.c      still ours?  no: pending goes   -> slot.reason
 *      |
 *      | passed: sampler_commit(), commit.c
 *      v
 *   totals   commit.c          pending becomes total           -> slot.total, slot.in_window
 *   span     span.c            since when, how long counted,   -> clock, window, frozen
 *      |                       frozen, late: made here, once      seconds
 *      |  `- overflow_time.c   how much of it counted          -> overflow_time
 *      +---> slot_time.c       how long each slot ran          -> slot_time
 *      +---> active.c          of the socket and groups        -> active seconds
 *      +---> standing.c        clocks that stand still         -> slot.standing, slot.reason
 *      +---> channels.c        what moves data has memory      -> channels
 *      +---> slot_time.c       the time of each total          -> slot_time
 *   samples  metric_samples.c  what was pending of them        -> histograms, peaks
 *   counters counters.c        derived counters rise           -> counters
 *   derive   commit.c          gauges of a window that ends    -> values and reasons of metrics
 *   window   span.c            the next one begins             -> window, slot.in_window
 *   resume   overflow_time.c   what an overflow stopped        -> overflow_time
 *      |
 *   publish  sampler.c         totals, reasons, active.c       -> the ring
 *   turn     rotate.c          stop, start: turns.c says who   -> round, turns
 *
 * A step before the line knows nothing of time, one after it takes the span. What was read since
 * the last check that passed is `pending`: it enters totals and derived values only when a check
 * passes that was made after the last read.
 */
#include "sample/histogram.h"
#include "sample/state.h"

#include <errno.h>
#include <string.h>

#define SAMPLER_MAX ((size_t)64 << 20)
#define REOPEN_EVERY NSEC_PER_SEC       /* perf events that went with their CPU count again within
                                         * this */

/* Inside arena_try(): no allocation fails here. */
static void make(void *p)
{
	struct sampler *s = p;
	const struct sampler_options *o = &s->o;
	struct arena *a = s->arena;
	unsigned most = 1;

	s->socket = &o->plan->sockets[o->socket];
	s->interval = o->plan->interval;
	s->rotation = o->plan->rotation;
	s->layout = layout_of(s->socket);
	s->engine[PLAN_REGISTERS] = overflow_windows_init(&s->overflow, o->regs);
	s->engine[PLAN_PERF] = o->perf;
	s->slots = arena_alloc(a, s->socket->n_rounds, sizeof(*s->slots));
	for (unsigned r = 0; r < s->socket->n_rounds; r++) {
		unsigned n = s->socket->rounds[r].n_slots;

		s->slots[r] = arena_alloc(a, n, sizeof(**s->slots));
		most = n > most ? n : most;
	}
	s->words = arena_alloc(a, s->layout.n_words, sizeof(*s->words));
	s->cpu = -1;
	overflow_new(s, most);
	s->inputs = arena_alloc(a, most, sizeof(*s->inputs));
	s->rearm = arena_alloc(a, most, sizeof(*s->rearm));
	s->shortest_read = arena_alloc(a, s->socket->n_rounds, sizeof(*s->shortest_read));
	for (unsigned e = 0; e < ENGINES; e++) {
		s->raw[e] = arena_alloc(a, most, sizeof(**s->raw));
		s->reason[e] = arena_alloc(a, most, sizeof(**s->reason));
	}
	turns_new(s);
	metrics_new(s);
	slot_times_new(s);
	active_new(s);
	counters_new(s);
	standing_new(s);
	channels_new(s);
	distributions_new(s);
	histogram_begin(&layout_lateness, &s->words[s->layout.lateness], o->clock.wall(o->clock.p));
}

int sampler_new(const struct sampler_options *o, struct sampler **ret, struct err *err)
{
	struct arena *arena = arena_new(SAMPLER_MAX, NULL);
	struct sampler *s = arena ? arena_alloc(arena, 1, sizeof(*s)) : NULL;

	if (s)
		*s = (struct sampler){ .arena = arena, .o = *o };
	if (!s || !arena_try(arena, make, s)) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*ret = s;
	return 0;
}

void sampler_free(struct sampler *s)
{
	if (s)
		arena_free(s->arena);
}

/* The CPU that the socket is read from; where there is none (model), the socket's first. */
static uint64_t sampler_cpu(const struct sampler *s)
{
	const struct counting *c = s->o.regs ? s->o.regs : s->o.perf;
	int cpu = c && c->ops->cpu ? c->ops->cpu(c) : -1;

	if (cpu >= 0)
		return (uint64_t)cpu;
	return s->socket->n_cpus ? s->socket->cpus[0] : ~UINT64_C(0);
}

static void sampler_publish(struct sampler *s)
{
	const unsigned *last = turns_last(s);

	memset(&s->words[s->layout.slot_total], 0, s->socket->n_series * sizeof(*s->words));
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		for (unsigned i = 0; i < s->socket->rounds[r].n_slots; i++) {
			const struct plan_slot *slot = &s->socket->rounds[r].slots[i];
			const struct slot_state *st = &s->slots[r][i];

			s->words[s->layout.slot_total + slot->series] += st->total;
			if (last[slot->series] == r)
				s->words[s->layout.slot_reason + slot->series] = st->reason;
		}
	active_publish(s);
	channels_publish(s);
	distributions_publish(s);
	s->words[W_UP] = 1;
	s->words[W_TICK_MONO] = (uint64_t)mono(s);
	s->words[W_NOW_WALL] = (uint64_t)(s->o.clock.wall(s->o.clock.p) -
					  ((nsec)s->words[W_TICK_MONO] - s->clock.since));
	s->words[W_DURATION] = (uint64_t)s->read.took;
	s->words[W_ROUND] = s->round;
	s->words[W_CPU] = s->cpu >= 0 ? (uint64_t)s->cpu : sampler_cpu(s);
	ring_write(s->o.ring, s->words);
}

/* Slots x ticks, by reason; `verified`: a check has passed at this tick. */
static void sampler_count_invalid(struct sampler *s, bool verified)
{
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round_of(s)->n_slots; i++) {
		if (st[i].reason &&
		    !(st[i].reason == REASON_NO_DATA &&
		      standing_waits(s, &round_of(s)->slots[i])))
			s->words[W_INVALID + st[i].reason]++;
		st[i].unverified_ticks = verified || st[i].reason ? 0 : st[i].unverified_ticks + 1;
	}
}

/* A tick that began at `now`: how late, and which ones before it were missed. */
static void note_tick(struct sampler *s, nsec now)
{
	nsec late = now > s->next ? now - s->next : 0;
	double seconds = (double)late / (double)NSEC_PER_SEC;

	s->words[W_TICKS]++;
	s->words[W_MISSED] += (uint64_t)(late / s->tick);
	s->words[W_LATENESS] = (uint64_t)late;
	histogram_add(&layout_lateness, &s->words[s->layout.lateness], &seconds, 1);
}

/* The end of the first sample or window: one too short to be worth a value is left out. */
static nsec first_end(nsec now, nsec length)
{
	nsec end = (now / length + 1) * length;

	return end - now < length / 4 ? end + length : end;
}

int sampler_start(struct sampler *s, struct err *err)
{
	nsec now;
	int r;

	s->words[W_TICKS]++;
	r = round_start(s, s->round, err);
	if (r < 0 && r != -ENXIO)       /* else every tick tries again */
		return r;
	sampler_count_invalid(s, true);
	sampler_publish(s);
	now = mono(s);
	s->next = first_end(now, s->tick);
	window_set_end(s, first_end(now, s->interval));
	turns_begin(s, s->window.end);
	return 0;
}

/* A check is due in each new cell of a grid of CHECK_EVERY. Compared with the time since the last
 * check, ten ticks of 10 ms are a little less than 100 ms, and the check would wait for an
 * eleventh. */
static bool check_is_due(const struct sampler *s, nsec now)
{
	return s->tick >= CHECK_EVERY || now / CHECK_EVERY > s->checked_at / CHECK_EVERY ||
	       (s->interval >= CHECK_EVERY && now >= s->window.end);
}

/* Is what was read still ours? If so it counts. */
static bool verify_and_commit(struct sampler *s, enum commit w)
{
	if (!sampler_check(s))
		return false;
	sampler_commit(s, w);
	s->ops->resume(s);
	return true;
}

static bool anything_offline(const struct sampler *s)
{
	for (unsigned i = 0; i < round_of(s)->n_slots; i++)
		if (states_of(s)[i].reason == REASON_OFFLINE)
			return true;
	return false;
}

/* When perf events are read between two ticks that are far apart; 0: not. */
static nsec reopen_at(const struct sampler *s)
{
	if (!s->running || !round_of(s)->n_perf || s->tick <= REOPEN_EVERY)
		return 0;
	return s->read.before + REOPEN_EVERY;
}

/* When a CPU goes offline its perf events are lost. The check opens them again; this counts as a
 * tick only if a slot was offline before it or is after it. */
static void sampler_reopen(struct sampler *s)
{
	bool was = anything_offline(s), verified;

	sampler_read(s);
	verified = verify_and_commit(s, COMMIT_PART);
	if (!was && !anything_offline(s))
		return;
	s->words[W_TICKS]++;
	s->checked_at = s->read.at;
	omit_invalid_metrics(s, s->round);
	sampler_count_invalid(s, verified);
	sampler_publish(s);
}

void sampler_tick(struct sampler *s)
{
	nsec now = mono(s);
	bool rotate = s->socket->n_rounds > 1 && turns_due(s, now);
	bool ends = s->interval < CHECK_EVERY || s->tick == s->interval || now >= s->window.end;
	bool due = check_is_due(s, now) || rotate, check = due;
	bool verified = false;

	if (now < s->next && sampler_next_peek(s)) {
		if (reopen_at(s) && now >= reopen_at(s))
			sampler_reopen(s);
		else if (overflow_peek_at(s))
			s->ops->peek(s);
		return;
	}
	if (s->running) {
		if (check)
			sampler_rearm(s);
		check |= sampler_read(s);       /* frozen counters are resumed only after a check
		                                 * that they are ours */
		distributions_sample(s, now);
		verified = check && verify_and_commit(s, ends ? COMMIT_WINDOW : COMMIT_PART);
		if (check && !(verified && ends))
			omit_invalid_metrics(s, s->round);
	} else if (check && !rotate && anything_offline(s)) {
		round_start(s, s->round, NULL);         /* its CPUs may be back */
	}
	note_tick(s, now);              /* after the read: it is late enough */
	if (check)
		s->checked_at = now;
	sampler_count_invalid(s, verified);
	if (due)                        /* not at each overflow window: those may end a thousand
	                                 * times a second */
		sampler_publish(s);
	if (rotate) {
		round_rotate(s, now);
		sampler_publish(s);
	}
	s->next = (now / s->tick + 1) * s->tick;
}

void sampler_end_window(struct sampler *s)
{
	if (s->running) {
		sampler_read(s);
		if (!verify_and_commit(s, COMMIT_WINDOW))
			omit_invalid_metrics(s, s->round);
		s->checked_at = s->read.at;
	}
	sampler_publish(s);
}

nsec sampler_next(const struct sampler *s)
{
	nsec peek = sampler_next_peek(s);

	return peek ? peek : s->next;
}

nsec sampler_next_peek(const struct sampler *s)
{
	nsec at = s->running ? overflow_peek_at(s) : 0, reopen = reopen_at(s);

	if (reopen && (!at || reopen < at))
		at = reopen;
	return at < s->next ? at : 0;
}

nsec sampler_period(const struct sampler *s)
{
	return s->tick;
}

void sampler_note_thread(struct sampler *s, struct sampler_thread_state now)
{
	s->cpu = now.cpu;
	s->words[W_PINNED] = now.pinned;
	s->words[W_REALTIME] = now.realtime;
	s->words[W_FALLBACKS] = now.fallbacks;
}

void sampler_stop(struct sampler *s)
{
	if (!s->running)
		return;
	sampler_sample(s, COMMIT_WINDOW);
	round_stop(s);
	sampler_publish(s);
}

bool sampler_runs(const struct sampler *s)
{
	return s->running;
}

bool sampler_all_rounds(const struct sampler *s)
{
	return turns_all_done(s);
}

void sampler_inherit(struct sampler *s, const struct sampler *old)
{
	round_inherit(s, old);
	standing_inherit(s, old);
	channels_inherit(s, old);
	distributions_inherit(s, old);
	memcpy(&s->words[s->layout.lateness], &old->words[old->layout.lateness],
	       histogram_words(&layout_lateness) * sizeof(*s->words));
}
