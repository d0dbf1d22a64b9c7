/* SPDX-License-Identifier: MIT
 * Which slots of a socket's rounds are one series.
 * Owns:  the numbers of series; that no two events share one.
 * Never: values (sample/), how a series is written (expo/).
 * Pure; main thread.
 */
#include "planner/planning.h"

#include <stdlib.h>
#include <string.h>

static int compare_identities(const void *a, const void *b)
{
	const struct plan_slot *const *x = a, *const *y = b;

	return strcmp((*x)->identity, (*y)->identity);
}

/* Several rounds may have a slot of the same identity: the number of the first one is that of all.
 * Within a round identities differ. */
void series_build(const struct build *b, struct plan_socket *s)
{
	unsigned n = 0, most = 0;
	struct plan_slot **sorted, **same;

	for (unsigned r = 0; r < s->n_rounds; r++)
		most += s->rounds[r].n_slots;
	sorted = arena_alloc(b->s.work, most, sizeof(struct plan_slot *));
	s->series = arena_alloc(b->s.keep, most, sizeof(*s->series));
	for (unsigned r = 0; r < s->n_rounds; r++) {
		for (unsigned i = 0; i < s->rounds[r].n_slots; i++) {
			struct plan_slot *slot = &s->rounds[r].slots[i];

			same = bsearch(&slot, sorted, n, sizeof(struct plan_slot *),
				       compare_identities);
			slot->series = same ? (*same)->series : s->n_series++;
			if (!same)
				s->series[slot->series].slot = slot;
			s->series[slot->series].shown |= slot->shown;
		}
		for (unsigned i = n; i < s->n_series; i++)
			sorted[i] = (struct plan_slot *)s->series[i].slot;
		n = s->n_series;
		if (r + 1 < s->n_rounds)
			qsort(sorted, n, sizeof(struct plan_slot *), compare_identities);
	}
}
