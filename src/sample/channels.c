/* SPDX-License-Identifier: MIT
 * Which memory channels have memory; see state.h.
 * Owns:  that a channel has memory once it has counted a command that moves data, and is known to
 *        be empty once it was counted for a minute without any; how many have, how many count.
 * Never: which slots these are (catalog/), what is made of them.
 * The sampler thread; allocates only when the sampler is made.
 *
 * Nothing says which channels have a DIMM, and an empty one counts zeros. All channels of a socket
 * take part in most traffic, so after a minute those that moved nothing are taken for empty. One
 * that moves something later belongs to the others from that window on. Of one that could not be
 * counted nothing is known.
 */
#include "sample/state.h"

#include <string.h>

struct channel {
	bool has_memory;
	nsec counted;                   /* for how long all its commands were */
	bool in_round, invalid;         /* scratch */
};

struct channels {
	struct channel *of;             /* each channel of the plan */
	nsec since;                     /* when the first of them was counted; 0: never yet */
	struct channel_series { unsigned series, channel; } *series;    /* of commands */
	unsigned n_series;
};

void channels_new(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	struct channels *c = s->channels = arena_alloc(s->arena, 1, sizeof(*c));

	c->of = arena_alloc(s->arena, p->n_channels, sizeof(*c->of));
	c->series = arena_alloc(s->arena, p->n_series, sizeof(*c->series));
	for (unsigned i = 0; i < p->n_series; i++) {
		const struct plan_slot *slot = p->series[i].slot;

		if (slot->cas && slot->channel)
			c->series[c->n_series++] =
				(struct channel_series){ i, slot->channel - 1 };
	}
}

void channels_inherit(struct sampler *s, const struct sampler *old)
{
	const struct plan_socket *p = s->socket, *o = old->socket;

	for (unsigned i = 0; i < p->n_channels; i++)
		for (unsigned k = 0; k < o->n_channels; k++)
			if (p->channels[i].unit == o->channels[k].unit &&
			    strcmp(p->channels[i].box_name, o->channels[k].box_name) == 0)
				s->channels->of[i] = old->channels->of[k];
	if (p->n_channels)
		s->channels->since = old->channels->since;
}

void channels_commit(struct sampler *s, const struct span *span)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	struct channels *c = s->channels;

	for (unsigned i = 0; s->socket->n_channels && i < round->n_slots; i++) {
		const struct plan_slot *slot = &round->slots[i];
		struct channel *of = slot->channel ? &c->of[slot->channel - 1] : NULL;

		if (!of || !slot->cas)
			continue;
		of->in_round = true;
		of->invalid |= st[i].reason != REASON_NONE;
		of->has_memory |= st[i].last_commit > 0;
	}
	for (unsigned i = 0; i < s->socket->n_channels; i++) {
		struct channel *of = &c->of[i];

		if (of->in_round && !of->invalid)
			of->counted += span_length(span);
		if (of->in_round && !c->since)
			c->since = span->since;
		of->in_round = of->invalid = false;
	}
}

bool channel_has_memory(const struct sampler *s, const struct plan_slot *slot)
{
	return !slot->channel || s->channels->of[slot->channel - 1].has_memory;
}

bool channel_is_empty(const struct sampler *s, const struct plan_slot *slot)
{
	return !channel_has_memory(s, slot) &&
	       s->channels->of[slot->channel - 1].counted >= PLAN_CHANNELS_KNOWN;
}

bool metric_waits(const struct sampler *s, const struct plan_metric *m)
{
	const struct plan_slot *slots = s->socket->rounds[m->round].slots;

	if (!m->with_memory || !m->sum)
		return false;
	if (!s->channels->since || s->read.at - s->channels->since < PLAN_CHANNELS_KNOWN)
		return true;
	for METRIC_EACH_ADDEND(a, m)
		if (a->slot >= 0 && !channel_has_memory(s, &slots[a->slot]) &&
		    !channel_is_empty(s, &slots[a->slot]))
			return true;
	return false;
}

/* Are there as many channels with memory as when a knee was measured? DERIVE_NONE: those that are
 * missing may not have moved anything yet. */
static enum derive_state as_measured(const struct sampler *s, const struct plan_knee *knee)
{
	unsigned with = 0;

	if (!s->socket->n_channels || !knee->channels)
		return DERIVE_VALID;
	for (unsigned i = 0; i < s->socket->n_channels; i++)
		with += s->channels->of[i].has_memory;
	if (with == knee->channels)
		return DERIVE_VALID;
	if (with < knee->channels &&
	    (!s->channels->since || s->read.at - s->channels->since < PLAN_CHANNELS_KNOWN))
		return DERIVE_NONE;
	return DERIVE_CONFLICT;
}

enum derive_state metric_eval(const struct sampler *s, const struct plan_metric *m,
			      const struct derive_window *window, double *ret)
{
	enum derive_state state = m->of_knee ? as_measured(s, m->knee) : DERIVE_VALID;

	return state == DERIVE_VALID ? derive_eval(m, s->inputs, window, ret) : state;
}

void channels_publish(struct sampler *s)
{
	const struct channels *c = s->channels;
	unsigned n = s->socket->n_channels, with = 0, counting = 0;

	for (unsigned i = 0; i < c->n_series; i++)
		c->of[c->series[i].channel].invalid |=
			s->words[s->layout.slot_reason + c->series[i].series] != REASON_NONE;
	for (unsigned i = 0; i < n; i++) {
		with += c->of[i].has_memory;
		counting += !c->of[i].invalid;
		c->of[i].invalid = false;
	}
	s->words[W_CHANNELS_WITH_MEMORY] = with;
	s->words[W_CHANNELS_COUNTING] = counting;
}
