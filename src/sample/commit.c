/* SPDX-License-Identifier: MIT
 * Pending counts become totals and derived values; see state.h.
 * Owns:  what follows from a check that passed: totals, windows, derived values.
 * Never: publication; which counters may stand still (standing.c).
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

#include <string.h>

static bool is_invalid(const struct slot_state *st)
{
	return st->reason && st->reason != REASON_HIDDEN;         /* a sum may do without what
	                                                                 * does not exist */
}

/* Inputs that are all valid and did not count for the same time. */
static bool is_uneven(const struct sampler *s, const struct plan_metric *m)
{
	return s->socket->rounds[m->round].n_perf &&
	       !metric_any(s, m, is_invalid) && slot_times_uneven(s, m);
}

/* Why inputs make a metric unusable: the reason of the first one that has one. Without any, they
 * were not read at the ends of the window, or not at one time. */
static enum reason inputs_reason(const struct sampler *s, const struct plan_metric *m)
{
	const struct slot_state *st = s->slots[m->round];
	bool hidden = false;

	for METRIC_EACH_ADDEND(a, m) {
		enum reason reason = a->slot < 0 ? REASON_NONE : st[a->slot].reason;

		if (input_left_out(s, m, a))
			continue;
		if (reason == REASON_HIDDEN && m->sum)
			hidden = true;          /* the sum does without it */
		else if (reason)
			return reason;
	}
	return hidden ? REASON_HIDDEN : REASON_NO_DATA;
}

static enum reason state_reason(const struct sampler *s, const struct plan_metric *m,
				enum derive_state state)
{
	switch (state) {
	case DERIVE_VALID:
		return REASON_NONE;
	case DERIVE_CONFLICT:
		return REASON_CONFLICT;
	case DERIVE_UNUSABLE:
		return inputs_reason(s, m);
	case DERIVE_NONE:
		break;
	}
	return REASON_NO_DATA;
}

static void derive_gauge(const struct sampler *s, const struct plan_metric *m,
			 const struct derive_window *window, uint64_t *value, uint64_t *reason)
{
	enum derive_state state = DERIVE_NONE;
	double v;

	if (window->length < 0)
		return;
	if (metric_waits(s, m))
		state = DERIVE_UNUSABLE;
	else if (window->length > 0)
		state = metric_eval(s, m, window, &v);
	if (state == DERIVE_VALID)
		memcpy(value, &v, sizeof(v));
	*reason = state_reason(s, m, state);
}

void metrics_new(struct sampler *s)
{
	for (unsigned i = s->socket->n_metrics; i-- > 0;) {
		const struct plan_metric *m = &s->socket->metrics[i];

		s->words[s->layout.metric_reason + m->series] = m->hidden ? REASON_HIDDEN :
								REASON_NO_DATA;
	}
}

void metrics_derive(struct sampler *s, enum metric_kind kind, nsec window, nsec counted)
{
	const struct plan_socket *socket = s->socket;
	struct derive_window w = { .length = 0 };       /* an overflow stops all counters at once */
	uint64_t *value = &s->words[s->layout.metric_value],
		*reason = &s->words[s->layout.metric_reason];

	if (kind == OF_WINDOW) {
		w.apart = s->window.read_duration + s->read.took;
		w.held = s->window.read_held + s->read.held;
	}
	for (unsigned i = 0; i < socket->n_metrics; i++) {
		const struct plan_metric *m = &socket->metrics[i];

		if (m->round != s->round || m->counter || m->hidden ||
		    m->overflow_windows != (kind == OF_OVERFLOW_WINDOW))
			continue;
		if (is_uneven(s, m)) {
			reason[m->series] = REASON_NO_DATA;
			continue;
		}
		w.length = metric_counted(round_of(s), m, window, counted);
		derive_gauge(s, m, &w, &value[m->series], &reason[m->series]);
	}
}

void omit_invalid_metrics(struct sampler *s, unsigned round)
{
	for (unsigned i = 0; i < s->socket->n_metrics; i++) {
		const struct plan_metric *m = &s->socket->metrics[i];

		if (m->round != round || m->hidden || !turns_shows_metric(s, m))
			continue;
		if (metric_any(s, m, is_invalid))
			s->words[s->layout.metric_reason + m->series] = inputs_reason(s, m);
		else if (is_uneven(s, m))
			s->words[s->layout.metric_reason + m->series] = REASON_NO_DATA;
	}
}

/* The next window begins here, with the slots that were just read and verified. */
static void interval_begin(struct sampler *s)
{
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round_of(s)->n_slots; i++) {
		st[i].in_window = 0;
		st[i].complete = st[i].has_baseline && st[i].prev_at == s->read.before &&
				 !st[i].pending;
	}
	if (round_of(s)->n_perf)
		slot_times_window(s);
	window_next(s);
}

void sampler_commit(struct sampler *s, enum commit w)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	struct span span;

	for (unsigned i = 0; i < round->n_slots; i++) {
		st[i].last_commit = st[i].check_failed ? 0 : st[i].pending;
		st[i].total += st[i].last_commit;
		st[i].in_window += st[i].last_commit;
		st[i].pending -= st[i].last_commit;
	}
	span = span_take(s);
	if (round->n_perf)
		slot_times_span(s, &span, w == COMMIT_WINDOW);
	active_span(s, &span);
	standing_judge(s, &span);
	channels_commit(s, &span);
	slot_times_count(s);
	distributions_commit(s);
	counters_commit(s);
	if (s->ops->derive(s, w))
		turns_note_window(s);
	if (w != COMMIT_PART)
		interval_begin(s);
}

void sampler_sample(struct sampler *s, enum commit w)
{
	sampler_read(s);
	if (sampler_check(s))
		sampler_commit(s, w);
	omit_invalid_metrics(s, s->round);
}
