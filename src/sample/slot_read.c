/* SPDX-License-Identifier: MIT
 * From raw reads to pending counts; see state.h.
 * Owns:  which readings count: in time and plausible; all that an erratum of a counter asks for;
 *        the baseline of each slot.
 * Never: whether the registers are still ours (slot_check.c).
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

#include <string.h>

#define PREFETCH 4                  /* slots ahead: nothing of them is in a cache after 10 ms */

void slot_set_baseline(struct slot_state *st, uint64_t raw, nsec before)
{
	st->prev = raw;
	st->prev_at = before;
	st->baselines++;
	st->has_baseline = true;
	st->complete = false;
}

/* Can the counter have counted so much in that time? One more cycle is allowed for. */
static bool slot_plausible(const struct plan_slot *slot, uint64_t delta, nsec elapsed)
{
	return slot->max_rate <= 0 || (double)delta <= slot->max_inc +
	       slot->max_rate * ((double)elapsed / (double)NSEC_PER_SEC);
}

/* A reading that the counter's erratum may have made wrong (323535-001 p 2-128): a counter that
 * runs no longer has the doubtful value when it is read again, so the second reading is right. */
static uint64_t read_doubtful_again(const struct sampler *s, const struct plan_slot *slot,
				    uint64_t raw)
{
	struct counting *c = s->engine[slot->engine];
	uint64_t again;

	if (!reg_doubtful(&slot->erratum, raw) || !c->ops->read_again ||
	    c->ops->read_again(c, slot->engine_slot, &again) < 0)
		return raw;
	return again;
}

/* What was still doubtful: the corrected value, if it is possible. */
static uint64_t fix_erratum(const struct plan_slot *slot, const struct slot_state *st, uint64_t raw,
			    nsec elapsed)
{
	const struct reg_erratum *e = &slot->erratum;

	if (reg_doubtful(e, raw) &&
	    slot_plausible(slot, wrap_delta(st->prev, raw - e->sub, slot->width), elapsed))
		return raw - e->sub;
	return raw;
}

/* Corrects a baseline that was read wrong: it shows only when the count from it is not possible. */
static void fix_baseline_erratum(const struct plan_slot *slot, struct slot_state *st, uint64_t raw,
			   nsec elapsed)
{
	const struct reg_erratum *e = &slot->erratum;

	if (reg_doubtful(e, st->prev) &&
	    !slot_plausible(slot, wrap_delta(st->prev, raw, slot->width), elapsed) &&
	    slot_plausible(slot, wrap_delta(st->prev - e->sub, raw, slot->width), elapsed))
		st->prev -= e->sub;
}

/* What the counter of a slot with an erratum had counted. One that stands still has the doubtful
 * value at each read, and is not read again each time. *elapsed: since the baseline. */
static uint64_t mend_erratum(const struct sampler *s, const struct plan_slot *slot,
			     struct slot_state *st, uint64_t raw, nsec *elapsed)
{
	bool stands = raw == st->prev || raw - slot->erratum.sub == st->prev;
	uint64_t again = stands ? raw : read_doubtful_again(s, slot, raw);

	if (again != raw)
		*elapsed = mono(s) - st->prev_at;
	again = fix_erratum(slot, st, again, *elapsed);
	fix_baseline_erratum(slot, st, again, *elapsed);
	return again;
}

static bool reason_sticks(uint8_t reason)
{
	return reason == REASON_FOREIGN || reason == REASON_REFUSED;
}

/* One slot's read into pending. before, after: around the read. */
static void slot_accept(struct sampler *s, const struct plan_slot *slot, struct slot_state *st,
			uint64_t raw, uint8_t failed, nsec before, nsec after)
{
	nsec elapsed;
	uint64_t delta;

	if (failed) {
		if (failed == REASON_READ_ERROR || failed == REASON_OFFLINE)
			s->words[W_READ_ERRORS]++;
		if (!reason_sticks(st->reason))
			st->reason = failed;
		return;
	}
	if (reason_sticks(st->reason))
		return;
	/* these go at a commit */
	if (st->reason != REASON_STOPPED && st->reason != REASON_NO_DATA)
		st->reason = REASON_NONE;
	if (!st->has_baseline) {
		slot_set_baseline(st, read_doubtful_again(s, slot, raw), before);
		return;
	}
	elapsed = after - st->prev_at;
	if (slot->safe_interval && elapsed >= slot->safe_interval) {
		slot_set_baseline(st, read_doubtful_again(s, slot, raw), before);
		st->reason = REASON_LATE;
		return;
	}
	if (slot->erratum.mask)
		raw = mend_erratum(s, slot, st, raw, &elapsed);
	delta = wrap_delta(st->prev, raw, slot->width);
	if (!slot_plausible(slot, delta, elapsed)) {
		s->words[W_RESETS]++;
		slot_set_baseline(st, raw, before);
		st->reason = REASON_RESET;
		return;
	}
	if (raw < st->prev)
		s->words[W_WRAPS]++;
	st->pending += delta;
	st->prev = raw;
	st->prev_at = before;
}

/* How much longer than the shortest of the round a read took. One that failed in part is no
 * measure: it was over sooner. */
static nsec held_up(const struct sampler *s, nsec took, bool whole)
{
	nsec *shortest = &s->shortest_read[s->round];

	if (whole && (!*shortest || took < *shortest))
		*shortest = took;
	return took > *shortest && *shortest ? took - *shortest : 0;
}

bool sampler_read(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec before, after;
	bool stopped = false, whole = true;

	before = mono(s);
	for EACH_ENGINE(e, s) {
		memset(s->reason[e], 0, engine_slots(s, e));
		stopped |= s->engine[e]->ops->read(s->engine[e], s->raw[e], s->reason[e]) > 0;
	}
	after = mono(s);
	for (unsigned i = 0; i < round->n_slots; i++) {
		const struct plan_slot *slot = &round->slots[i];

		if (i + PREFETCH < round->n_slots) {
			__builtin_prefetch(&slot[PREFETCH]);
			__builtin_prefetch(&st[i + PREFETCH]);
		}
		whole &= !slot_reason(s, slot);
		slot_accept(s, slot, &st[i], slot_raw(s, slot), slot_reason(s, slot), before,
			    after);
	}
	s->read = (struct reading){
		.before = before, .at = before + (after - before) / 2, .took = after - before,
		.held = held_up(s, after - before, whole), .stopped = stopped,
	};
	if (s->o.freeze && s->engine[PLAN_REGISTERS])
		span_frozen(s, after - before);
	return stopped;
}
