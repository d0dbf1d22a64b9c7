/* SPDX-License-Identifier: MIT
 * The inputs of metrics: what slots counted, as numbers that derive/ takes; see state.h.
 * Owns:  which counts belong to a window, and which of them are usable.
 * Never: which metrics are derived of them.
 * The sampler thread; allocates nothing.
 */
#include "sample/state.h"

uint64_t slot_spread(const struct plan_slot *slot, uint64_t counted, nsec ran, nsec window)
{
	if (slot->engine != PLAN_PERF || ran <= 0)
		return counted;
	return (uint64_t)((double)counted * ((double)window / (double)ran) + 0.5);
}

void metrics_gather(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	nsec window = s->read.at - s->window.start;
	const struct slot_time *t = slot_times(s, s->round);
	bool steady = reads_steady(s, s->window.read_duration, s->read.took, window);

	for (unsigned k = 0; k < round->n_slots; k++)
		s->inputs[k] = (struct derive_input){
			.count = slot_spread(&round->slots[k], st[k].in_window, t[k].ran_in_window,
					     window),
			.usable = steady && !st[k].reason && st[k].complete,
			.absent = st[k].reason == REASON_HIDDEN,
			.empty = !channel_has_memory(s, &round->slots[k]),
		};
}

bool input_left_out(const struct sampler *s, const struct plan_metric *m,
		    const struct plan_addend *a)
{
	return m->with_memory && a->slot >= 0 &&
	       channel_is_empty(s, &s->socket->rounds[m->round].slots[a->slot]);
}

bool metric_any(const struct sampler *s, const struct plan_metric *m,
		bool (*is)(const struct slot_state *))
{
	const struct slot_state *st = s->slots[m->round];

	for METRIC_EACH_ADDEND(a, m)
		if (a->slot >= 0 && is(&st[a->slot]) && !input_left_out(s, m, a))
			return true;
	return false;
}
