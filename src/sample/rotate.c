/* SPDX-License-Identifier: MIT
 * A round begins and ends; see state.h.
 * Owns:  starting and stopping engines, the first and the last sample of a round, which round runs.
 * Never: when it is whose turn (turns.c); what a sample counts for.
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

#include <errno.h>
#include <string.h>

/* The round could not be started. */
static void refuse_round(struct sampler *s, unsigned engine, int error)
{
	uint8_t reason = error == -ENXIO ? REASON_OFFLINE : REASON_REFUSED;

	for (unsigned i = 0; i < round_of(s)->n_slots; i++)
		states_of(s)[i].reason = reason;
	if (engine == PLAN_PERF && engine_slots(s, PLAN_REGISTERS))
		s->engine[PLAN_REGISTERS]->ops->stop(s->engine[PLAN_REGISTERS]);
	omit_invalid_metrics(s, s->round);      /* else the values of its last turn would be shown
	                                         * as long as the start fails */
}

void round_inherit(struct sampler *s, const struct sampler *old)
{
	s->round = turns_inherit(s, old);
}

int round_start(struct sampler *s, unsigned round, struct err *err)
{
	const struct plan_round *r;
	nsec before = mono(s);

	s->round = round;
	s->running = false;
	r = round_of(s);
	s->ops = r->overflow_window.count ? &overflow_round : &plain_round;
	s->tick = r->tick;
	s->checked_at = before;
	for EACH_ENGINE(e, s) {
		int rc;

		memset(s->reason[e], 0, engine_slots(s, e));
		rc = s->engine[e]->ops->start(s->engine[e], round, s->raw[e], s->reason[e], err);
		if (rc < 0) {
			refuse_round(s, e, rc);
			return rc;
		}
	}
	slots_begin(s, before);
	s->running = true;
	span_begin(s, before, mono(s));
	/* Where no global enable comes last, clocks run from their own enabling writes on. */
	s->ops->begin(s, s->window.start, s->window.start - before);
	turns_take_series(s);
	slot_times_begin(s);
	counters_begin(s);
	standing_begin(s);
	/* The first sample at once: from here on windows lie between two reads of the same kind. */
	sampler_sample(s, COMMIT_CUT);
	s->ops->peek(s);
	distributions_begin(s);
	return 0;
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

/* The running round could not be stopped: slots of the others get REASON_REFUSED. */
static void refuse_others(struct sampler *s)
{
	for (unsigned r = 0; r < s->socket->n_rounds; r++) {
		for (unsigned i = 0; r != s->round && i < s->socket->rounds[r].n_slots; i++)
			if (s->slots[r][i].reason != REASON_HIDDEN)
				s->slots[r][i].reason = REASON_REFUSED;
		omit_invalid_metrics(s, r);
	}
}

void round_rotate(struct sampler *s, nsec now)
{
	unsigned next = turns_next(s, now);

	if (next == s->round)
		return;
	if (round_stop(s))
		round_start(s, next, NULL);     /* failed: its slots are refused */
	else
		refuse_others(s);
}
