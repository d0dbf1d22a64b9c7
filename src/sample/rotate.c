/* SPDX-License-Identifier: MIT
 * A round begins and ends; see state.h.
 * Owns:  starting and stopping engines, the first and the last sample of a round.
 * Never: when it is whose turn (sampler.c).
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

#include <errno.h>
#include <string.h>

int round_start(struct sampler *s, unsigned round, struct err *err)
{
	struct slot_state *st;
	const struct plan_round *r;
	nsec before = mono(s);

	s->round = round;
	s->running = false;
	s->overflow_time.peek_at = 0;
	r = round_of(s);
	s->ops = r->overflow_window.count ? &overflow_round : &plain_round;
	s->tick = r->tick;
	s->checked_at = before;
	st = states_of(s);
	for EACH_ENGINE(e, s) {
		int rc;

		memset(s->reason[e], 0, engine_slots(s, e));
		rc = s->engine[e]->ops->start(s->engine[e], round, s->raw[e], s->reason[e], err);
		if (rc < 0) {
			for (unsigned i = 0; i < r->n_slots; i++)
				st[i].reason = rc == -ENXIO ? REASON_OFFLINE : REASON_REFUSED;
			if (e == PLAN_PERF && engine_slots(s, PLAN_REGISTERS))
				s->engine[PLAN_REGISTERS]->ops->stop(s->engine[PLAN_REGISTERS]);
			omit_invalid_metrics(s);        /* else the values of its last turn would be
			                                 * shown as long as the start fails */
			return rc;
		}
	}
	for (unsigned i = 0; i < r->n_slots; i++) {
		uint8_t reason = slot_reason(s, &r->slots[i]);

		st[i].pending = st[i].enabled = st[i].running = 0;
		st[i].unaccounted = 0;
		if (reason == REASON_FOREIGN)   /* taken while another round ran */
			slot_mark_foreign(s, &st[i], before);
		st[i].reason = reason;
		if (reason == REASON_REFUSED)   /* it may have been a fault of that moment */
			st[i].rearm_at = before + REARM_FAILED;
		if (!st[i].reason)
			slot_set_baseline(&st[i], slot_raw(s, &r->slots[i]), before);
		else
			st[i].has_baseline = st[i].complete = false;
	}
	s->running = true;
	span_begin(s, before, mono(s));
	/* Where no global enable comes last, clocks run from their own enabling writes on. */
	s->ops->begin(s, s->window.start, s->window.start - before);
	active_begin(s);
	for (unsigned i = 0; i < r->n_slots; i++) {
		st[i].idle_windows = 0;
		if (!st[i].last_count_at)
			st[i].last_count_at = st[i].armed_at = s->window.start;
	}
	/* The first sample at once: from here on windows lie between two reads of the same kind. */
	sampler_sample(s, COMMIT_CUT);
	s->ops->peek(s);
	distributions_begin(s);
	return 0;
}

/* A linear congruential generator (Knuth's MMIX) shuffles well enough. */
static unsigned random_below(struct sampler *s, unsigned n)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((s->seed >> 33) % n);
}

unsigned round_next(struct sampler *s)
{
	unsigned n = s->socket->n_rounds;

	s->turn = (s->turn + 1) % n;
	for (unsigned i = n - 1; !s->turn && s->o.seed && i > 0; i--) {
		unsigned k = random_below(s, i + 1), swap = s->order[i];

		s->order[i] = s->order[k];
		s->order[k] = swap;
	}
	return s->order[s->turn];
}

void round_refuse_others(struct sampler *s)
{
	unsigned running = s->round;

	for (s->round = 0; s->round < s->socket->n_rounds; s->round++) {
		struct slot_state *st = states_of(s);

		for (unsigned i = 0; s->round != running && i < round_of(s)->n_slots; i++)
			if (st[i].reason != REASON_HIDDEN)
				st[i].reason = REASON_REFUSED;
		omit_invalid_metrics(s);
	}
	s->round = running;
}

bool round_stop(struct sampler *s)
{
	if (!s->running)
		return true;
	for EACH_ENGINE(e, s)
		if (s->engine[e]->ops->stop(s->engine[e]) == -EPERM && e == PLAN_REGISTERS)
			return false;
	sampler_sample(s, COMMIT_CUT);
	distributions_drop(s);
	s->running = false;
	return true;
}
