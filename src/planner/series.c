/* SPDX-License-Identifier: MIT
 * Which slots of a socket's rounds are one series, and which are of one memory channel.
 * Owns:  the numbers of series; that no two events share one; the numbers of channels.
 * Never: values (sample/), how a series is written (expo/).
 * Pure; main thread.
 */
#include "planner/planning.h"

#include <string.h>

static unsigned channel_of(const struct plan_socket *s, const struct plan_slot *slot)
{
	for (unsigned i = 0; i < s->n_channels; i++)
		if (s->channels[i].unit == slot->unit &&
		    strcmp(s->channels[i].box_name, slot->box_name) == 0)
			return i + 1;
	return 0;
}

void channels_build(const struct build *b, struct plan_socket *s)
{
	for PLAN_EACH_SLOT(slot, r, s)
		if (slot->cas && !channel_of(s, slot))
			*ARENA_ADD(b->s.keep, s->channels, s->n_channels) =
				(struct plan_channel){ slot->box_name, slot->unit };
	for PLAN_EACH_SLOT(slot, r, s)
		slot->channel = channel_of(s, slot);
}

/* Several rounds may have a slot of the same identity: the number of the first one is that of all.
 * Within a round identities differ. */
void series_build(const struct build *b, struct plan_socket *s)
{
	struct texts identities = { 0 };
	unsigned most = 0;

	for (unsigned r = 0; r < s->n_rounds; r++)
		most += s->rounds[r].n_slots;
	s->series = arena_alloc(b->s.keep, most, sizeof(*s->series));
	for PLAN_EACH_SLOT(slot, r, s) {
		unsigned *number = texts_number(b->s.work, &identities, slot->identity);

		if (!*number) {
			*number = s->n_series + 1;
			s->series[s->n_series++].slot = slot;
		}
		slot->series = *number - 1;
		s->series[slot->series].shown |= slot->shown;
	}
}
