/* SPDX-License-Identifier: MIT
 * Whose turn it is; see state.h.
 * Owns:  the order of the rounds and until when a turn lasts; which round had a series last; of
 *        which rounds a whole window was published.
 * Never: how a round begins and ends (rotate.c).
 * The sampler thread; allocates only when the sampler is made.
 */
#include "sample/state.h"

struct turns {
	unsigned *order, turn;      /* the rounds in the order of this cycle, the one that runs */
	uint64_t seed;              /* of what shuffles them; 0: nothing does */
	nsec until;                 /* the turn is over */
	bool *done;                 /* of each round: a whole window of it was published */
	unsigned *last, *last_of_metric;        /* of each series: the last round that had it */
};

void turns_new(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	struct turns *t = s->turns = arena_alloc(s->arena, 1, sizeof(*t));

	t->seed = s->o.seed;
	t->order = arena_alloc(s->arena, p->n_rounds, sizeof(*t->order));
	t->done = arena_alloc(s->arena, p->n_rounds, sizeof(*t->done));
	t->last = arena_alloc(s->arena, p->n_series, sizeof(*t->last));
	t->last_of_metric = arena_alloc(s->arena, p->n_metric_series, sizeof(*t->last_of_metric));
	for (unsigned r = 0; r < p->n_rounds; r++)
		t->order[r] = r;
	/* before its first turn a series is that of the first round that has it */
	for (unsigned i = p->n_metrics; i-- > 0;)
		t->last_of_metric[p->metrics[i].series] = p->metrics[i].round;
	for (unsigned r = p->n_rounds; r-- > 0;)
		for (unsigned i = 0; i < p->rounds[r].n_slots; i++)
			t->last[p->rounds[r].slots[i].series] = r;
}

unsigned turns_inherit(struct sampler *s, const struct sampler *old)
{
	bool goes_on = old->running && old->o.plan == s->o.plan;

	unsigned round = goes_on ? old->round : 0;

	while (s->turns->order[s->turns->turn] != round)
		s->turns->turn++;
	return round;
}

const unsigned *turns_last(const struct sampler *s)
{
	return s->turns->last;
}

bool turns_shows_metric(const struct sampler *s, const struct plan_metric *m)
{
	return s->turns->last_of_metric[m->series] == m->round;
}

void turns_take_series(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	const struct plan_round *round = round_of(s);

	for (unsigned i = 0; i < round->n_slots; i++)
		s->turns->last[round->slots[i].series] = s->round;
	for (unsigned i = 0; i < p->n_metrics; i++)
		if (p->metrics[i].round == s->round)
			s->turns->last_of_metric[p->metrics[i].series] = s->round;
}

/* A linear congruential generator (Knuth's MMIX) shuffles well enough. */
static unsigned random_below(struct turns *t, unsigned n)
{
	t->seed = t->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((t->seed >> 33) % n);
}

static unsigned next_round(struct sampler *s)
{
	struct turns *t = s->turns;
	unsigned n = s->socket->n_rounds;

	t->turn = (t->turn + 1) % n;
	if (t->turn || !s->o.seed)
		return t->order[t->turn];
	for (unsigned i = n - 1; i > 0; i--) {
		unsigned k = random_below(t, i + 1), swap = t->order[i];

		t->order[i] = t->order[k];
		t->order[k] = swap;
	}
	return t->order[0];
}

void turns_begin(struct sampler *s, nsec first_window_end)
{
	s->turns->until = first_window_end - s->interval + s->rotation;
}

bool turns_due(const struct sampler *s, nsec now)
{
	return now >= s->turns->until;
}

unsigned turns_next(struct sampler *s, nsec now)
{
	s->turns->until = now / s->interval * s->interval + s->rotation;
	return next_round(s);
}

void turns_note_window(struct sampler *s)
{
	s->turns->done[s->round] = true;
}

bool turns_all_done(const struct sampler *s)
{
	for (unsigned r = 0; r < s->socket->n_rounds; r++)
		if (!s->turns->done[r])
			return false;
	return true;
}
