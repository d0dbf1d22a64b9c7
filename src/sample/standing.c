/* SPDX-License-Identifier: MIT
 * Counters that stand still although they cannot; see state.h.
 * Owns:  when a clock counts as stopped, and what has no value for it; that a counter which cannot
 *        stand still has no value before it has counted once.
 * Never: which counters these are (catalog/).
 * The sampler thread; allocates only when the sampler is made.
 *
 * Zero is a value of most events. It is none of a clock that ran and then did not count for 10 s:
 * that has stopped, and nothing is known of what its unit counted. It is none either of a counter
 * that cannot stand still (energy): one that has never counted is not there, whatever the kernel
 * lists, and says nothing about any other.
 *
 * A clock of the kernel's PMUs that has never counted while the same clock of another unit has
 * belongs to a unit that is not in use (a memory channel without memory): its zeros are values.
 */
#include "sample/state.h"

#include <string.h>

#define STOPPED_AFTER   (10 * NSEC_PER_SEC)     /* no count for this long ... */
#define STOPPED_WINDOWS 2                       /* ... and in this many checked windows */

static bool is_judged(const struct plan_slot *slot)
{
	return slot->always_runs || slot->never_still;
}

void standing_new(struct sampler *s)
{
	s->moved = arena_alloc(s->arena, s->socket->n_series, sizeof(*s->moved));
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		for (unsigned i = 0; i < s->socket->rounds[r].n_slots; i++)
			if (s->socket->rounds[r].slots[i].never_still)
				s->slots[r][i].reason = REASON_NO_DATA;
}

void standing_begin(struct sampler *s)
{
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round_of(s)->n_slots; i++) {
		st[i].standing.idle_windows = 0;
		if (!st[i].standing.last_count_at)
			st[i].standing.last_count_at = s->window.start;
	}
}

void standing_inherit(struct sampler *s, const struct sampler *old)
{
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		for (unsigned i = 0; i < s->socket->rounds[r].n_slots; i++) {
			const struct plan_slot *slot = &s->socket->rounds[r].slots[i];

			for (unsigned k = 0; is_judged(slot) && k < old->socket->n_series; k++)
				if (old->moved[k] &&
				    strcmp(old->socket->series[k].slot->identity,
					   slot->identity) == 0)
					s->moved[slot->series] = true;
			if (slot->never_still && s->moved[slot->series])
				s->slots[r][i].reason = REASON_NONE;
		}
}

bool standing_waits(const struct sampler *s, const struct plan_slot *slot)
{
	return slot->never_still && !s->moved[slot->series];
}

bool standing_unused(const struct sampler *s, const struct plan_slot *clock)
{
	const struct plan_round *round = round_of(s);

	if (clock->engine == PLAN_REGISTERS || s->moved[clock->series])
		return false;
	for (unsigned i = 0; i < round->n_slots; i++)
		if (round->slots[i].always_runs && s->moved[round->slots[i].series] &&
		    strcmp(round->slots[i].family, clock->family) == 0)
			return true;
	return false;
}

static bool is_stopped(const struct sampler *s, unsigned i)
{
	const struct plan_slot *slot = &round_of(s)->slots[i];
	const struct slot_state *st = &states_of(s)[i];

	return st->standing.idle_windows >= STOPPED_WINDOWS &&
	       s->read.at - st->standing.last_count_at >= STOPPED_AFTER &&
	       !standing_waits(s, slot) && !standing_unused(s, slot);
}

static void note_counts(struct sampler *s, const struct span *span)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	const struct slot_time *t = slot_times(s, s->round);

	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct plan_slot *slot = &round->slots[i];

		if (!is_judged(slot))
			continue;
		s->moved[slot->series] |= st[i].last_commit > 0;
		if (st[i].baselines != st[i].standing.baselines)
			st[i].standing.idle_windows = 0;
		st[i].standing.baselines = st[i].baselines;
		if (st[i].last_commit || st[i].pending) {
			st[i].standing.last_count_at = s->read.at;
			st[i].standing.idle_windows = 0;
		} else if (st[i].complete && span_length(span) > 0 &&
			   (slot->engine == PLAN_REGISTERS || t[i].ran > 0)) {
			st[i].standing.idle_windows++;
		}
		if (standing_waits(s, slot) && !st[i].reason)
			st[i].reason = REASON_NO_DATA;
		else if (slot->never_still && st[i].last_commit &&
			 st[i].reason == REASON_NO_DATA)
			st[i].reason = REASON_NONE;
	}
}

void standing_judge(struct sampler *s, const struct span *span)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	note_counts(s, span);
	for (unsigned i = 0; i < round->n_slots; i++) {
		int c = is_judged(&round->slots[i]) ? (int)i : round->slots[i].clock_slot;

		if (c < 0 || (st[i].reason && st[i].reason != REASON_STOPPED))
			continue;
		if (st[c].reason && st[c].reason != REASON_STOPPED)
			continue;                       /* not read: it may run or not */
		st[i].reason = REASON_NONE;
		if (is_stopped(s, (unsigned)c))
			st[i].reason = REASON_STOPPED;
		else if (st[i].check_failed)
			st[i].reason = REASON_READ_ERROR;
	}
}
