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
#define REARM_FAILED    (8 * NSEC_PER_SEC)      /* a slot that was refused is tried again after
                                                 * this */
#define REARM_FORGET    (600 * NSEC_PER_SEC)    /* quiet for so long: the count of attempts starts
                                                 * anew */

/* Another program wrote to its registers: what is pending is thrown away. */
static void mark_foreign(struct sampler *s, struct slot_state *st, nsec now)
{
	st->pending = 0;
	st->has_baseline = st->complete = false;
	if (st->reason == REASON_FOREIGN)
		return;
	s->words[W_FOREIGN]++;
	s->words[W_INVALID + REASON_FOREIGN] += st->unverified_ticks;
	st->unverified_ticks = 0;
	st->reason = REASON_FOREIGN;
	if (now - st->arming.last > REARM_FORGET)
		st->arming.tried = 0;
	st->arming.at = 0;
	if (st->arming.tried < REARMS)
		st->arming.at = now + (NSEC_PER_SEC << st->arming.tried);
}

void slots_begin(struct sampler *s, nsec before)
{
	const struct plan_round *r = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < r->n_slots; i++) {
		uint8_t reason = slot_reason(s, &r->slots[i]);

		st[i].pending = 0;
		if (!st[i].arming.last)
			st[i].arming.last = before;
		if (reason == REASON_FOREIGN)   /* taken while another round ran */
			mark_foreign(s, &st[i], before);
		st[i].reason = reason;
		if (reason == REASON_REFUSED)   /* it may have been a fault of that moment */
			st[i].arming.at = before + REARM_FAILED;
		if (!reason)
			slot_set_baseline(&st[i], slot_raw(s, &r->slots[i]), before);
		else
			st[i].has_baseline = st[i].complete = false;
	}
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
			mark_foreign(s, &st[i], now);
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
			   st[i].arming.at && now >= st[i].arming.at;

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
		st[i].arming.last = now;
		st[i].reason = r < 0 ? REASON_FOREIGN : s->reason[PLAN_REGISTERS][k];
		st[i].arming.at = st[i].reason ? now + REARM_FAILED : 0;
		st[i].arming.tried += !st[i].reason;
		if (!st[i].reason)
			slot_set_baseline(&st[i], s->raw[PLAN_REGISTERS][k], now);
	}
}
