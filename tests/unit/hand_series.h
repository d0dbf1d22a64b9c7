/* SPDX-License-Identifier: MIT
 * Series of a plan made by hand: one for each slot of another identity, as planner/series.c numbers
 * them. */
#ifndef TESTS_HAND_SERIES_H
#define TESTS_HAND_SERIES_H

#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

static inline unsigned hand_series_find(const struct plan_socket *s, const char *identity)
{
	unsigned i = 0;

	while (i < s->n_series && (!identity || !s->series[i].slot->identity ||
				   strcmp(s->series[i].slot->identity, identity) != 0))
		i++;
	return i;
}

/* free() s->series. */
static inline void hand_series(struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned r = 0; r < s->n_rounds; r++)
		n += s->rounds[r].n_slots;
	s->series = calloc(n + 1, sizeof(*s->series));
	s->n_series = 0;
	for (unsigned r = 0; r < s->n_rounds; r++)
		for (unsigned i = 0; i < s->rounds[r].n_slots; i++) {
			struct plan_slot *slot = &s->rounds[r].slots[i];

			slot->series = hand_series_find(s, slot->identity);
			if (slot->series == s->n_series)
				s->series[s->n_series++] = (struct plan_series){ slot, true };
		}
}

#endif
