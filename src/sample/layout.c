/* layout.c - see layout.h. */
#include "config.h"

#include "sample/layout.h"

struct layout layout_of(const struct plan_socket *s)
{
	struct layout l = { .group_active = W_FIRST };

	for (unsigned r = 0; r < s->n_rounds; r++)
		l.n_slots += s->rounds[r].n_slots;
	l.slot_total = l.group_active + s->n_groups;
	l.slot_reason = l.slot_total + l.n_slots;
	l.metric_value = l.slot_reason + l.n_slots;
	l.metric_state = l.metric_value + s->n_metrics;
	l.n_words = l.metric_state + s->n_metrics;
	return l;
}

unsigned layout_slot(const struct plan_socket *s, unsigned round, unsigned slot)
{
	for (unsigned r = 0; r < round; r++)
		slot += s->rounds[r].n_slots;
	return slot;
}
