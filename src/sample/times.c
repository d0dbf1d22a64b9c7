/* times.c - how long the events of a group counted, and whether all for the same time; see state.h.
 *
 * Owns:  perf events that share counters with others: the seconds of a group, and the events that they do not hold for.
 * Never: counts.
 * The sampler thread; allocates nothing.
 *
 * A group has one time, by which the rates of its totals are divided. The kernel lets the events of one instance of a
 * PMU wait while those of the others run on. So a group's time is that of the events that ran longest, and what ran for
 * another share of the time is left out. The share is that of the last second or interval, whichever is longer: the
 * kernel changes events every few milliseconds, and a shorter time ends anywhere in that.
 */
#include "config.h"

#include "sample/state.h"

#include <math.h>

#define APART 0.01                      /* shares differ if one is smaller than the other by more than that */

void times_begin(struct sampler *s)
{
	s->memory = s->interval > NSEC_PER_SEC ? s->interval : NSEC_PER_SEC;
	for (unsigned i = 0; i < s->layout.n_slots; i++)
		s->slots[i].lately = (struct share){ (double)s->memory, (double)s->memory };
	for (unsigned g = 0; g < s->socket->n_groups; g++)
		s->leaders[g] = -1;
}

static bool is_apart(const struct share *a, const struct share *b)
{
	double x = a->ran * b->enabled, y = b->ran * a->enabled;

	return fabs(x - y) > APART * fmax(x, y);
}

/* One more commit: what is older counts less and less. */
static void share_add(const struct sampler *s, struct share *to, nsec since, double enabled, double ran)
{
	double keep = since < s->memory ? 1 - (double)since / (double)s->memory : 0;

	to->enabled = to->enabled * keep + enabled;
	to->ran = to->ran * keep + ran;
}

/*
 * How long the kernel had a counter for a perf event since the commit before: less than that if it multiplexes. The
 * kernel takes counts and times at one moment, which lies anywhere in a read that was held up: what is too much for one
 * commit is owed to the next, which then has too little. `whole`: the time is long enough to say that it had none.
 */
static void perf_time(const struct sampler *s, const struct counting *c, unsigned slot, struct slot_state *st, nsec since,
		      bool whole)
{
	nsec most = since > s->interval ? since : s->interval, ran;
	uint64_t enabled, running, was;

	c->ops->times(c, slot, &enabled, &running);
	was = enabled - st->enabled;
	ran = (nsec)(running - st->running);
	st->enabled = enabled;
	st->running = running;
	st->ran += ran;
	st->active = !ran ? 0 : ran + st->owed < since ? ran + st->owed : since;
	st->owed += ran - st->active;
	if (st->owed > most)
		st->owed = most;        /* clocks differ a little, and that adds up */
	share_add(s, &st->lately, since, (double)was, (double)ran);
	if (st->reason == REASON_NO_DATA && (ran || st->uneven))
		st->reason = REASON_NONE;
	if (!st->reason && whole && was && !ran)
		st->reason = REASON_NO_DATA;
	st->uneven = false;
}

/* The slot whose time is the group's: a register's, which counts always, or the perf event that ran longest; -1: none runs. */
static int group_leader(struct sampler *s, unsigned group)
{
	const struct plan_group *g = &s->socket->groups[group];
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	int best = -1, *leader = &s->leaders[group];

	for (unsigned i = 0; i < g->n_slots; i++) {
		unsigned k = g->slots[i];

		if (round->slots[k].engine != PLAN_PERF)
			return *leader = (int)k;
		if (slot_counts(&st[k]) && (best < 0 || st[k].lately.ran * st[best].lately.enabled >
							st[best].lately.ran * st[k].lately.enabled))
			best = (int)k;
	}
	/* The same one as long as it can be: by turns two that differ a little would make more time than either has. */
	if (best < 0 || *leader < 0 || !slot_counts(&st[*leader]) || is_apart(&st[*leader].lately, &st[best].lately))
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

		if (!slot_counts(one)) {
			one->lately = st[leader].lately;        /* it was left out: it begins anew */
		} else if (!one->reason && is_apart(&one->lately, &st[leader].lately)) {
			one->reason = REASON_NO_DATA;
			one->uneven = true;
		}
	}
	return st[leader].active;
}

void times_slots(struct sampler *s, nsec since, nsec unfrozen, bool whole)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct counting *c = s->engine[round->slots[i].engine];

		st[i].active = round->slots[i].engine == PLAN_REGISTERS ? unfrozen : since;
		if (round->slots[i].engine == PLAN_REGISTERS)
			share_add(s, &st[i].lately, since, (double)since, (double)unfrozen);
		else if (c && c->ops->times)
			perf_time(s, c, round->slots[i].engine_slot, &st[i], since, whole);
	}
}

/* The inputs with the smallest and the largest share. */
static void find_ends(const struct plan_addend *a, unsigned n, const struct slot_state *st, const struct share *ends[2])
{
	for (unsigned i = 0; i < n; i++) {
		const struct share *one = a[i].slot < 0 ? NULL : &st[a[i].slot].lately;

		if (one && (!ends[0] || one->ran * ends[0]->enabled < ends[0]->ran * one->enabled))
			ends[0] = one;
		if (one && (!ends[1] || one->ran * ends[1]->enabled > ends[1]->ran * one->enabled))
			ends[1] = one;
	}
}

bool times_uneven(const struct sampler *s, const struct plan_metric *m)
{
	const struct slot_state *st = states_of(s);
	const struct plan_addend clock = { .slot = m->cycles_of };
	const struct share *ends[2] = { NULL, NULL };

	find_ends(m->num, m->n_num, st, ends);
	find_ends(m->den, m->n_den, st, ends);
	find_ends(m->guard_num, m->n_guard_num, st, ends);
	find_ends(m->guard_den, m->n_guard_den, st, ends);
	find_ends(&clock, 1, st, ends);
	return ends[0] && is_apart(ends[0], ends[1]);
}
