/* SPDX-License-Identifier: MIT
 * For how long each slot counted; see state.h.
 * Owns:  struct slot_time, all of it; the seconds of a group, and the perf events that they do not
 *        hold for.
 * Never: counts; how long registers counted (span.c), which this is told by a span.
 * The sampler thread; allocates only when the sampler is made.
 *
 * A total divided by its time is a rate, whatever happened in between. So the two rise together:
 * the time advances when counts were read and checked, and what is missing in the total is missing
 * in the time. If the counts of a gap could be read after it, its time counts, too. While a clock
 * shows no count, the time of its slots does not advance; when it counts again, it is known whether
 * it had stopped, and the time is added or left out.
 *
 * The kernel lets the events of one instance of a PMU wait while those of the others run on. A
 * group's time is that of the events that ran longest. A metric whose inputs ran for different
 * shares of the time, by more than 1 %, is left out.
 *
 * The kernel lets the next events run every few milliseconds, and a time ends anywhere in that:
 * instances that share alike differ by it. So a difference in the last second or interval has to be
 * larger than that, too, and one that is smaller but stays shows in the last three seconds.
 */
#include "base/num.h"
#include "sample/state.h"

#include <math.h>

#define APART 0.01                      /* shares differ if one is smaller than the other by more
                                         * than that */

static const struct {
	nsec memory;                    /* or the interval, if that is longer */
	double slack;                   /* ns: the kernel's turns are 1 to 10 ms, by its HZ */
} shares[SHARES] = {
	[SHARE_SHORT] = { NSEC_PER_SEC, 10e6 }, [SHARE_LONG] = { 3 * NSEC_PER_SEC, 0 },
};

struct slot_times {
	struct slot_time **slots;       /* of each round */
	int **leaders;                  /* of each round and group: the slot whose time is the
	                                 * group's; -1: none */
};

static nsec memory(const struct sampler *s, unsigned share)
{
	return s->interval > shares[share].memory ? s->interval : shares[share].memory;
}

void slot_times_new(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	struct slot_times *t = s->times = arena_alloc(s->arena, 1, sizeof(*t));

	t->slots = arena_alloc(s->arena, p->n_rounds, sizeof(*t->slots));
	s->times_of_round = arena_alloc(s->arena, p->n_rounds, sizeof(*s->times_of_round));
	t->leaders = arena_alloc(s->arena, p->n_rounds, sizeof(*t->leaders));
	for (unsigned r = 0; r < p->n_rounds; r++) {
		t->leaders[r] = arena_alloc(s->arena, p->n_groups, sizeof(**t->leaders));
		for (unsigned g = 0; g < p->n_groups; g++)
			t->leaders[r][g] = -1;
		t->slots[r] = arena_alloc(s->arena, p->rounds[r].n_slots, sizeof(**t->slots));
		s->times_of_round[r] = t->slots[r];
		for (unsigned i = 0; i < p->rounds[r].n_slots; i++)
			for (unsigned k = 0; k < SHARES; k++)   /* all have run for the same time */
				t->slots[r][i].recent[k] = (struct share){ (double)memory(s, k),
									   (double)memory(s, k) };
	}
}

/* How long the slot could count, in all rounds. */
static nsec slot_clock(const struct sampler *s, const struct plan_slot *slot,
		       const struct slot_time *t)
{
	return slot->engine == PLAN_REGISTERS ? s->clock.counted : t->ran_in_all;
}

void slot_times_begin(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	struct slot_time *t = s->times->slots[s->round];

	for (unsigned i = 0; i < round->n_slots; i++) {
		t[i].enabled = t[i].running = 0;
		t[i].counted_baselines = st[i].baselines;
		t[i].counted_to = slot_clock(s, &round->slots[i], &t[i]);
	}
}

static const struct share *recent(const struct slot_time *t)
{
	return &t->recent[SHARE_SHORT];
}

static bool has_larger_share(const struct share *a, const struct share *b)
{
	return a->ran * b->enabled > b->ran * a->enabled;
}

static bool shares_differ(const struct share *a, const struct share *b, unsigned k)
{
	double x = a->ran * b->enabled, y = b->ran * a->enabled;

	return fabs(x - y) > APART * num_larger(x, y) +
			     shares[k].slack * num_larger(a->enabled, b->enabled);
}

static bool slots_differ(const struct slot_time *a, const struct slot_time *b)
{
	return shares_differ(&a->recent[SHARE_SHORT], &b->recent[SHARE_SHORT], SHARE_SHORT) ||
	       shares_differ(&a->recent[SHARE_LONG], &b->recent[SHARE_LONG], SHARE_LONG);
}

/* One span for all slots: its length, and what it leaves of the shares before it: what is older
 * counts less and less. */
struct passed {
	nsec length;
	double keep[SHARES];
	bool whole;                 /* long enough to say that a perf event had no counter */
};

static struct passed passed_of(const struct sampler *s, const struct span *span, bool whole)
{
	struct passed p = { .length = span_length(span), .whole = whole };

	for (unsigned k = 0; k < SHARES; k++)
		if (p.length < memory(s, k))
			p.keep[k] = 1 - (double)p.length / (double)memory(s, k);
	return p;
}

static void shares_add(struct slot_time *t, const struct passed *p, double enabled, double ran)
{
	for (unsigned k = 0; k < SHARES; k++) {
		t->recent[k].enabled = t->recent[k].enabled * p->keep[k] + enabled;
		t->recent[k].ran = t->recent[k].ran * p->keep[k] + ran;
	}
}

/*
 * How long the kernel had a counter for a perf event in the span: less than that if it multiplexes.
 * The kernel takes counts and times at one moment, which lies anywhere in a read that was held up:
 * what is too much for one span stays unaccounted for the next, or for the next turn's first, which
 * has too little, but no more than `most`: clocks differ a little, and that adds up.
 */
static void perf_time(struct slot_time *t, struct slot_state *st, const struct passed *p,
		      nsec most, uint64_t enabled, uint64_t running)
{
	uint64_t was = enabled - t->enabled;
	nsec ran = (nsec)(running - t->running), all = ran + t->unaccounted;

	t->enabled = enabled;
	t->running = running;
	t->ran_in_window += ran;
	t->ran = 0;
	if (ran)
		t->ran = all < p->length ? all : p->length;
	t->unaccounted = all - t->ran < most ? all - t->ran : most;
	shares_add(t, p, (double)was, (double)ran);
	if (st->reason == REASON_NO_DATA && ran)
		st->reason = REASON_NONE;
	if (!st->reason && p->whole && was && !ran)
		st->reason = REASON_NO_DATA;
}

void slot_times_span(struct sampler *s, const struct span *span, bool whole)
{
	const struct plan_round *round = round_of(s);
	const struct counting *perf = s->engine[PLAN_PERF];
	struct slot_state *st = states_of(s);
	struct slot_time *t = s->times->slots[s->round];
	const struct passed p = passed_of(s, span, whole);
	nsec counted = span_counted(span), most = p.length > s->interval ? p.length : s->interval;

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct plan_slot *slot = &round->slots[i];
		uint64_t enabled, running;

		if (slot->engine == PLAN_REGISTERS) {
			t[i].ran = counted;
			shares_add(&t[i], &p, (double)p.length, (double)counted);
			continue;
		}
		t[i].ran = p.length;
		if (perf && perf->ops->times) {
			perf->ops->times(perf, slot->engine_slot, &enabled, &running);
			perf_time(&t[i], &st[i], &p, most, enabled, running);
		}
		t[i].ran_in_all += t[i].ran;
	}
}

/* The slot whose time is the group's: a register's, which counts always, or the perf event that ran
 * longest; -1: none runs. */
static int group_leader(struct sampler *s, unsigned group)
{
	const struct plan_group *g = &s->socket->groups[group];
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	const struct slot_time *t = s->times->slots[s->round];
	int best = -1, *leader = &s->times->leaders[s->round][group];

	for (unsigned i = 0; i < g->n_slots; i++) {
		unsigned k = g->slots[s->round][i];

		if (round->slots[k].engine != PLAN_PERF)
			return *leader = (int)k;
		if (st[k].reason)
			continue;
		if (best < 0 || has_larger_share(recent(&t[k]), recent(&t[best])))
			best = (int)k;
	}
	/* The same one as long as it can be: by turns two that differ a little would make more time
	 * than either has. */
	if (best < 0 || *leader < 0 || st[*leader].reason || slots_differ(&t[*leader], &t[best]))
		*leader = best;
	return *leader;
}

nsec slot_times_group(struct sampler *s, unsigned group)
{
	const struct plan_group *g = &s->socket->groups[group];
	const struct slot_state *st = states_of(s);
	struct slot_time *t = s->times->slots[s->round];
	int leader = group_leader(s, group);

	if (leader < 0)
		return 0;
	for (unsigned i = 0; i < g->n_slots; i++) {
		unsigned k = g->slots[s->round][i];

		/* What was left out is no part of the longer memory, and begins anew once it can be
		 * read again. */
		if (st[k].reason)
			t[k].recent[SHARE_SHORT] = t[leader].recent[SHARE_SHORT];
		if (st[k].reason || shares_differ(recent(&t[k]), recent(&t[leader]), SHARE_SHORT))
			t[k].recent[SHARE_LONG] = t[leader].recent[SHARE_LONG];
	}
	return t[leader].ran;
}

/* Has the slot or its clock counted since the last commit? If not, its counter may be stopped. */
static bool slot_runs(const struct sampler *s, unsigned i)
{
	const struct plan_slot *slots = round_of(s)->slots, *slot = &slots[i];
	const struct slot_state *states = states_of(s);
	int c = slot->clock_slot;

	if (states[i].last_commit)
		return true;
	if (c >= 0)
		return states[c].last_commit || states[c].reason || standing_unused(s, &slots[c]);
	return (!slot->always_runs && !slot->never_still) || standing_unused(s, slot);
}

/* The time that belongs to the slot's total moves on to `now`, if all of it is known. */
static void slot_count(const struct sampler *s, unsigned i, struct slot_time *t, nsec now)
{
	const struct slot_state *st = &states_of(s)[i];

	if (!st->has_baseline || st->prev_at != s->read.before || st->check_failed)
		return;
	if (st->baselines == t->counted_baselines && st->reason != REASON_STOPPED &&
	    !standing_waits(s, &round_of(s)->slots[i])) {
		if (!slot_runs(s, i))
			return;
		t->counted += now - t->counted_to;
	}
	t->counted_baselines = st->baselines;
	t->counted_to = now;
}

void slot_times_count(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_time *t = s->times->slots[s->round];

	for (unsigned i = 0; i < round->n_slots; i++) {
		nsec now = slot_clock(s, &round->slots[i], &t[i]);

		slot_count(s, i, &t[i], now);
		t[i].is_current = t[i].counted_to == now;
	}
}

void slot_times_window(struct sampler *s)
{
	struct slot_time *t = s->times->slots[s->round];

	for (unsigned i = 0; i < round_of(s)->n_slots; i++)
		t[i].ran_in_window = 0;
}

/* Compares the inputs with the smallest and the largest share. */
bool slot_times_uneven(const struct sampler *s, const struct plan_metric *m)
{
	const struct slot_time *times = s->times->slots[m->round], *least = NULL, *most = NULL;

	for METRIC_EACH_ADDEND(a, m) {
		const struct slot_time *t = a->slot < 0 ? NULL : &times[a->slot];

		if (!t || input_left_out(s, m, a))
			continue;
		if (!least || has_larger_share(recent(least), recent(t)))
			least = t;
		if (!most || has_larger_share(recent(t), recent(most)))
			most = t;
	}
	return least && slots_differ(least, most);
}
