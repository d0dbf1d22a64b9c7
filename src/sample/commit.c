/* commit.c - pending counts become totals and derived values; see state.h.
 *
 * Owns:  what a passed check vouches for: totals, windows, derived values; clocks that stand still.
 * Never: publication.
 * The sampler thread; allocates nothing.
 */
#include "config.h"

#include "sample/state.h"

#include "derive/derive.h"

#include <string.h>

#define STOPPED_AFTER   (10 * NSEC_PER_SEC)     /* a clock without a count for this long ... */
#define STOPPED_WINDOWS 2                       /* ... and this many checked windows */

/* A clock that shows no count for long takes every slot under it along. */
static void sampler_stopped_clocks(struct sampler *s, nsec window)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		if (!round->slots[i].always_runs)
			continue;
		if (st[i].window || st[i].pending) {
			st[i].moved_at = s->sample_at;
			st[i].still = 0;
		} else if (st[i].whole && window > 0) {
			st[i].still++;
		}
	}
	for (unsigned i = 0; i < round->n_slots; i++) {
		int c = round->slots[i].always_runs ? (int)i : round->slots[i].clock;

		if (c < 0 || (st[i].reason && st[i].reason != REASON_STOPPED))
			continue;
		if (st[c].reason && st[c].reason != REASON_STOPPED)
			continue;                       /* a clock that cannot be read tells nothing */
		st[i].reason = st[c].still >= STOPPED_WINDOWS && s->sample_at - st[c].moved_at >= STOPPED_AFTER ?
			       REASON_STOPPED : st[i].doubtful ? REASON_READ_ERROR : REASON_NONE;
	}
}

/* What a slot would have counted in the window at the rate of the time in which it had a counter. */
static uint64_t slot_spread(const struct plan_slot *slot, const struct slot_state *st, nsec window)
{
	if (slot->engine != PLAN_PERF || st->ran <= 0)
		return st->window;
	return (uint64_t)((double)st->window * ((double)window / (double)st->ran) + 0.5);
}

/* The part of a commit's time in which a group was not frozen: a window stops the registers' counters, not the kernel's. */
static nsec group_unfrozen(const struct plan_round *round, const struct plan_group *g, nsec window, nsec unfrozen)
{
	for (unsigned i = 0; i < g->n_slots; i++)
		if (round->slots[g->slots[i]].engine == PLAN_REGISTERS)
			return unfrozen;
	return window;
}

static void sampler_derive(struct sampler *s, nsec window, nsec unfrozen)
{
	const struct plan_socket *socket = s->socket;
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	uint64_t *value = &s->words[s->layout.metric_value], *state = &s->words[s->layout.metric_state];

	for (unsigned i = 0; i < socket->n_metrics; i++) {
		const struct plan_metric *m = &socket->metrics[i];
		bool exact = round->window.count && m->group == round->window.group && !m->counter, fresh = true;
		nsec span = exact ? s->window.active : group_unfrozen(round, &socket->groups[m->group], window, unfrozen);
		double v;

		if (socket->groups[m->group].round != s->round)
			continue;
		if (exact && !window_usable(s, m, &fresh)) {
			state[i] = DERIVE_NONE;
			continue;
		}
		if (!fresh)
			continue;               /* the last whole window's value stands */
		for (unsigned k = 0; k < round->n_slots; k++) {
			s->delta[k] = m->counter ? st[k].total : exact ? s->window.counts[k] :
				      slot_spread(&round->slots[k], &st[k], window);
			s->usable[k] = !st[k].reason && (m->counter || (exact ? s->window.whole[k] : st[k].whole));
			s->absent[k] = st[k].reason == REASON_HIDDEN;
		}
		if (m->counter) {
			state[i] = derive_total(m, s->delta, s->usable, s->absent, &value[i]);
		} else {
			state[i] = span > 0 ? derive_eval(m, s->delta, s->usable, s->absent, span, &v) : DERIVE_NONE;
			if (state[i] == DERIVE_VALID)
				memcpy(&value[i], &v, sizeof(v));
		}
	}
}

/*
 * How long the kernel had a counter for each perf event: less than the window if it multiplexes. The kernel takes counts
 * and times at one moment, which lies anywhere in a read that was held up: what is too much for one window is owed to the
 * next, which then has too little. `whole`: the window is long enough to say that an event had none.
 */
static void sampler_times(struct sampler *s, nsec window, bool whole)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct counting *c = s->engine[round->slots[i].engine];
		uint64_t enabled, running, was;
		nsec ran;

		st[i].active = window;
		if (!c || !c->ops->times)
			continue;
		c->ops->times(c, round->slots[i].engine_slot, &enabled, &running);
		was = enabled - st[i].enabled;
		ran = (nsec)(running - st[i].running);
		st[i].enabled = enabled;
		st[i].running = running;
		st[i].ran = ran;
		st[i].active = !ran ? 0 : ran + st[i].owed < window ? ran + st[i].owed : window;
		st[i].owed += ran - st[i].active;
		if (st[i].owed > window)
			st[i].owed = window;    /* clocks differ a little, and that adds up */
		if (st[i].reason == REASON_NO_DATA && ran)
			st[i].reason = REASON_NONE;
		else if (!st[i].reason && whole && was && !ran)
			st[i].reason = REASON_NO_DATA;
	}
}

/* The part of the window in which everything valid in the group counted. */
static nsec group_time(const struct sampler *s, const struct plan_group *g, nsec window)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = &s->slots[layout_slot(s->socket, s->round, 0)];
	bool perf = false, counts = false;
	nsec least = window;

	for (unsigned i = 0; round->n_perf && i < g->n_slots; i++) {
		unsigned k = g->slots[i];

		if (round->slots[k].engine != PLAN_PERF) {
			counts = true;
			continue;
		}
		perf = true;
		counts |= !st[k].reason;
		if (!st[k].reason && st[k].active < least)
			least = st[k].active;
	}
	return perf && !counts ? 0 : least;
}

void sampler_commit(struct sampler *s, bool derived)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec window = s->sample_at - s->window_start, unfrozen = window;

	for (unsigned i = 0; i < round->n_slots; i++) {
		st[i].window = st[i].doubtful ? 0 : st[i].pending;
		st[i].total += st[i].window;
		st[i].pending -= st[i].window;
	}
	sampler_times(s, window, derived);
	if (round->window.count)
		unfrozen = window_account(s, window);
	for (unsigned g = 0; window > 0 && g < round->n_groups; g++) {
		const struct plan_group *group = &s->socket->groups[round->groups[g]];

		s->words[s->layout.group_active + round->groups[g]] +=
			(uint64_t)group_time(s, group, group_unfrozen(round, group, window, unfrozen));
	}
	s->window_start = s->sample_at;
	sampler_stopped_clocks(s, window);
	if (derived)
		sampler_derive(s, window, unfrozen);
	for (unsigned i = 0; i < round->n_slots; i++)
		st[i].whole = st[i].based && st[i].prev_at == s->read_before;
	if (derived && s->rounds_done == s->round)
		s->rounds_done++;
}
