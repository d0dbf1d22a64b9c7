/* SPDX-License-Identifier: MIT
 * Derived counters; see state.h.
 * Owns:  what they come to, and the time that it stands for.
 * Never: how long a slot counted (slot_time.c).
 * The sampler thread; allocates only when the sampler is made.
 *
 * A derived counter rises by what all of its inputs counted since it rose last, or, if one of them
 * lost something since then, not at all.
 */
#include "sample/state.h"

/* What the inputs of a derived counter had counted when it last rose. */
struct counter_state {
	const struct plan_metric *metric;       /* NULL: it is a gauge */
	struct counter_input { uint64_t total; unsigned baselines; } *inputs;   /* of each addend */
	nsec counted;               /* of the first slot */
	nsec took;                  /* the read */
};

struct counters {
	struct counter_state *of;   /* each metric */
	uint64_t *sums;             /* of each series of metrics: its counters, not scaled */
};

void counters_new(struct sampler *s)
{
	const struct plan_socket *p = s->socket;
	struct counters *c = s->counters = arena_alloc(s->arena, 1, sizeof(*c));

	c->of = arena_alloc(s->arena, p->n_metrics, sizeof(*c->of));
	c->sums = arena_alloc(s->arena, p->n_metric_series, sizeof(*c->sums));
	for (unsigned i = 0; i < p->n_metrics; i++) {
		const struct plan_metric *m = &p->metrics[i];

		if (!m->counter || m->hidden)
			continue;
		c->of[i].metric = m;
		c->of[i].inputs = arena_alloc(s->arena, m->num.n, sizeof(*c->of[i].inputs));
	}
}

/* The slot of an addend that has one; -1: a sum does without it. */
static int counter_slot(const struct sampler *s, const struct plan_metric *m, unsigned i)
{
	int slot = m->num.v[i].slot;

	if (slot < 0 || (m->sum && states_of(s)[slot].reason == REASON_HIDDEN))
		return -1;
	return slot;
}

/* From here on it rises by what its inputs count. */
static void counter_mark(struct sampler *s, struct counter_state *c)
{
	const struct slot_state *st = states_of(s);
	const struct slot_time *t = slot_times(s, s->round);

	for (unsigned i = c->metric->num.n; i-- > 0;) {
		int k = counter_slot(s, c->metric, i);

		if (k < 0)
			continue;
		c->inputs[i] = (struct counter_input){ st[k].total, st[k].baselines };
		c->counted = t[k].counted;
	}
	c->took = s->read.took;
}

/* Adds what the inputs counted to the total. Returns why it has no value now. */
static enum reason counter_commit(struct sampler *s, struct counter_state *c)
{
	const struct plan_metric *m = c->metric;
	const struct slot_state *states = states_of(s);
	const struct slot_time *t = slot_times(s, s->round);
	bool read = true, all = true;
	struct derive_window window = { .apart = c->took + s->read.took };
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = m->num.n; i-- > 0;) {
		int k = counter_slot(s, m, i);
		const struct slot_state *st;

		if (k < 0)
			continue;
		st = &states[k];
		if (st->reason == REASON_NO_DATA)       /* the others counted on */
			counter_mark(s, c);
		if (st->reason)
			return st->reason;
		n++;
		read &= t[k].is_current;
		all &= st->baselines == c->inputs[i].baselines;
		sum += (uint64_t)(int64_t)m->num.v[i].weight * (st->total - c->inputs[i].total);
		window.length = t[k].counted - c->counted;
	}
	if (!n)
		return REASON_HIDDEN;
	if (round_of(s)->n_perf && slot_times_uneven(s, m)) {
		counter_mark(s, c);
		return REASON_NO_DATA;
	}
	if (!read)
		return REASON_NONE;
	if (derive_too_fast(m, sum, &window)) {
		counter_mark(s, c);
		return REASON_CONFLICT;
	}
	if (all) {
		s->counters->sums[m->series] += sum;
		s->words[s->layout.metric_active + m->series] += (uint64_t)window.length;
	}
	counter_mark(s, c);
	return REASON_NONE;
}

void counters_commit(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_metrics; i++) {
		const struct plan_metric *m = s->counters->of[i].metric;
		uint64_t *value, *reason;

		if (!m || m->round != s->round)
			continue;
		value = &s->words[s->layout.metric_value + m->series];
		reason = &s->words[s->layout.metric_reason + m->series];
		*reason = counter_commit(s, &s->counters->of[i]);
		*value = derive_scale(m, s->counters->sums[m->series]);
	}
}

void counters_begin(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_metrics; i++) {
		struct counter_state *c = &s->counters->of[i];

		if (c->metric && c->metric->round == s->round)
			counter_mark(s, c);
	}
}
