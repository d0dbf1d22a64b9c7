/* SPDX-License-Identifier: MIT
 * Are the registers still ours; see state.h.
 * Owns:  what a check finds does to a slot; when a slot is armed again.
 * Never: which register it was (access/).
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

#include <string.h>

#define REARMS          3                       /* after 1, 2, 4 s, then left alone; one that fails
                                                 * does not count, and is tried again */
#define REARM_FORGET    (600 * NSEC_PER_SEC)    /* quiet for so long: the count of attempts starts
                                                 * anew */

void slot_mark_foreign(struct sampler *s, struct slot_state *st, nsec now)
{
	st->pending = 0;
	st->has_baseline = st->complete = false;
	if (st->reason == REASON_FOREIGN)
		return;
	s->words[W_FOREIGN]++;
	s->words[W_INVALID + REASON_FOREIGN] += st->unverified_ticks;
	st->unverified_ticks = 0;
	st->reason = REASON_FOREIGN;
	if (now - st->armed_at > REARM_FORGET)
		st->rearms = 0;
	st->rearm_at = st->rearms < REARMS ? now + (NSEC_PER_SEC << st->rearms) : 0;
}

bool sampler_check(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec now = mono(s);
	bool known = true;

	for EACH_ENGINE(e, s) {
		memset(s->reason[e], 0, engine_slots(s, e));
		if (s->engine[e]->ops->check(s->engine[e], s->reason[e]) < 0) {
			memset(s->reason[e], REASON_READ_ERROR, engine_slots(s, e));
			known = false;
		}
	}
	for (unsigned i = 0; i < round->n_slots; i++) {
		uint8_t reason = slot_reason(s, &round->slots[i]);

		st[i].check_failed = reason == REASON_READ_ERROR;
		if (reason == REASON_FOREIGN)
			slot_mark_foreign(s, &st[i], now);
		else if (!st[i].reason)
			st[i].reason = reason;
	}
	distributions_judge(s);
	return known;
}

void sampler_rearm(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	nsec now = mono(s);
	bool any = false;
	int r;

	for (unsigned i = 0; i < round->n_slots; i++) {
		bool due = (st[i].reason == REASON_FOREIGN || st[i].reason == REASON_REFUSED) &&
			   st[i].rearm_at && now >= st[i].rearm_at;

		if (round->slots[i].engine != PLAN_REGISTERS)
			continue;
		s->rearm[round->slots[i].engine_slot] = due;
		any |= due;
	}
	if (!any)
		return;
	sampler_check(s);                       /* sees other changes before our writes undo them */
	memset(s->reason[PLAN_REGISTERS], 0, round->n_reg);
	r = overflow_windows_rearm(&s->overflow, s->rearm, s->raw[PLAN_REGISTERS],
				   s->reason[PLAN_REGISTERS]);
	if (r == -ENXIO)
		return;                         /* no CPU answers: at a later tick */
	for (unsigned i = 0; i < round->n_slots; i++) {
		unsigned k = round->slots[i].engine_slot;

		if (round->slots[i].engine != PLAN_REGISTERS || !s->rearm[k])
			continue;
		st[i].armed_at = now;
		st[i].reason = r < 0 ? REASON_FOREIGN : s->reason[PLAN_REGISTERS][k];
		st[i].rearm_at = st[i].reason ? now + REARM_FAILED : 0;
		st[i].rearms += !st[i].reason;
		overflow_rearmed(s, i);
		if (!st[i].reason)
			slot_set_baseline(&st[i], s->raw[PLAN_REGISTERS][k], now);
	}
}
