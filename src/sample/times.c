/* SPDX-License-Identifier: MIT
 * How long the events of a group counted, and whether all for the same time; see state.h.
 * Owns:  perf events that share counters with others: the seconds of a group, and the events that
 *        they do not hold for.
 * Never: counts.
 * The sampler thread; allocates nothing.
 *
 * The kernel lets the events of one instance of a PMU wait while those of the others run on. A
 * group's time is that of the events that ran longest. A metric whose inputs ran for different
 * shares of the time, by more than 1 %, is left out.
 *
 * The kernel lets the next events run every few milliseconds, and a time ends anywhere in that:
 * instances that share alike differ by it. So a difference in the last second or interval has to be
 * larger than that, too, and one that is smaller but stays shows in the last three seconds.
 */
#include "sample/state.h"

#include <math.h>

#define APART 0.01                      /* shares differ if one is smaller than the other by more
                                         * than that */

static const struct {
	nsec memory;                    /* or the interval, if that is longer */
	double slack;                   /* ns: the kernel's turns are 1 to 10 ms, by its HZ */
} spans[SPANS] = { [SPAN_SHORT] = { NSEC_PER_SEC, 10e6 }, [SPAN_LONG] = { 3 * NSEC_PER_SEC, 0 } };

static nsec memory(const struct sampler *s, unsigned span)
{
	return s->interval > spans[span].memory ? s->interval : spans[span].memory;
}

void times_begin(struct sampler *s)
{
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		for (unsigned i = 0; i < s->socket->rounds[r].n_slots; i++)
			for (unsigned k = 0; k < SPANS; k++)
				s->slots[r][i].recent[k] = (struct share){ (double)memory(s, k),
									   (double)memory(s, k) };
	for (unsigned g = 0; g < s->socket->n_groups; g++)
		s->group_time_slot[g] = -1;
}

static bool has_larger_share(const struct share *a, const struct share *b)
{
	return a->ran * b->enabled > b->ran * a->enabled;
}

static bool shares_differ(const struct share *a, const struct share *b, unsigned span)
{
	double x = a->ran * b->enabled, y = b->ran * a->enabled;

	return fabs(x - y) > APART * fmax(x, y) + spans[span].slack * fmax(a->enabled, b->enabled);
}

static bool slots_differ(const struct slot_state *a, const struct slot_state *b)
{
	return shares_differ(&a->recent[SPAN_SHORT], &b->recent[SPAN_SHORT], SPAN_SHORT) ||
	       shares_differ(&a->recent[SPAN_LONG], &b->recent[SPAN_LONG], SPAN_LONG);
}

/* One more commit: what is older counts less and less. */
static void shares_add(const struct sampler *s, struct slot_state *st, nsec since, double enabled,
		       double ran)
{
	for (unsigned k = 0; k < SPANS; k++) {
		double keep = since < memory(s, k) ? 1 - (double)since / (double)memory(s, k) : 0;

		st->recent[k].enabled = st->recent[k].enabled * keep + enabled;
		st->recent[k].ran = st->recent[k].ran * keep + ran;
	}
}

/*
 * How long the kernel had a counter for a perf event since the commit before: less than that if it
 * multiplexes. The kernel takes counts and times at one moment, which lies anywhere in a read that
 * was held up: what is too much for one commit stays unaccounted for the next, which has too
 * little.
 * `complete`: the time is long enough to say that it had none.
 */
static void perf_time(const struct sampler *s, const struct counting *c, unsigned slot,
		      struct slot_state *st, nsec since, bool complete)
{
	nsec most = since > s->interval ? since : s->interval, ran;
	uint64_t enabled, running, was;

	c->ops->times(c, slot, &enabled, &running);
	was = enabled - st->enabled;
	ran = (nsec)(running - st->running);
	st->enabled = enabled;
	st->running = running;
	st->ran += ran;
	st->active = !ran ? 0 : ran + st->unaccounted < since ? ran + st->unaccounted : since;
	st->unaccounted += ran - st->active;
	if (st->unaccounted > most)
		st->unaccounted = most; /* clocks differ a little, and that adds up */
	shares_add(s, st, since, (double)was, (double)ran);
	if (st->reason == REASON_NO_DATA && ran)
		st->reason = REASON_NONE;
	if (!st->reason && complete && was && !ran)
		st->reason = REASON_NO_DATA;
}

/* The slot whose time is the group's: a register's, which counts always, or the perf event that ran
 * longest; -1: none runs. */
static int group_leader(struct sampler *s, unsigned group)
{
	const struct plan_group *g = &s->socket->groups[group];
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	int best = -1, *leader = &s->group_time_slot[group];

	for (unsigned i = 0; i < g->n_slots; i++) {
		unsigned k = g->slots[i];

		if (round->slots[k].engine != PLAN_PERF)
			return *leader = (int)k;
		if (!st[k].reason && (best < 0 || has_larger_share(&st[k].recent[SPAN_SHORT],
								   &st[best].recent[SPAN_SHORT])))
			best = (int)k;
	}
	/* The same one as long as it can be: by turns two that differ a little would make more time
	 * than either has. */
	if (best < 0 || *leader < 0 || st[*leader].reason || slots_differ(&st[*leader], &st[best]))
		*leader = best;
	return *leader;
}

nsec times_group(struct sampler *s, unsigned group)
{
	const struct plan_group *g = &s->socket->groups[group];
	struct slot_state *st = states_of(s);
	int leader = group_leader(s, group);

	if (leader < 0)
		return 0;
	for (unsigned i = 0; i < g->n_slots; i++) {
		struct slot_state *one = &st[g->slots[i]];

		/* What was left out is no part of the longer memory, and begins anew once it can be
		 * read again. */
		if (one->reason)
			one->recent[SPAN_SHORT] = st[leader].recent[SPAN_SHORT];
		if (one->reason || shares_differ(&one->recent[SPAN_SHORT],
						 &st[leader].recent[SPAN_SHORT], SPAN_SHORT))
			one->recent[SPAN_LONG] = st[leader].recent[SPAN_LONG];
	}
	return st[leader].active;
}

void times_set_slots(struct sampler *s, const struct span *span, bool complete)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec since = span_length(span), counted = span_counted(span);

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct counting *c = s->engine[round->slots[i].engine];

		st[i].active = round->slots[i].engine == PLAN_REGISTERS ? counted : since;
		if (round->slots[i].engine == PLAN_REGISTERS)
			shares_add(s, &st[i], since, (double)since, (double)counted);
		else if (c && c->ops->times)
			perf_time(s, c, round->slots[i].engine_slot, &st[i], since, complete);
	}
}

/* Compares the inputs with the smallest and the largest share. */
bool times_uneven(const struct sampler *s, const struct plan_metric *m)
{
	const struct slot_state *least = NULL, *most = NULL;

	for METRIC_EACH_ADDEND(a, m) {
		const struct slot_state *st = a->slot < 0 ? NULL : &states_of(s)[a->slot];

		if (!st)
			continue;
		if (!least || has_larger_share(&least->recent[SPAN_SHORT], &st->recent[SPAN_SHORT]))
			least = st;
		if (!most || has_larger_share(&st->recent[SPAN_SHORT], &most->recent[SPAN_SHORT]))
			most = st;
	}
	return least && slots_differ(least, most);
}
