/* SPDX-License-Identifier: MIT
 * The time in which totals were counted, and derived counters; see state.h.
 * Owns:  how long each slot counted; which series counted for less time than the socket; what
 *        derived counters come to.
 * Never: whose turn it is, what is valid.
 * The sampler thread; allocates only when the sampler is made.
 *
 * A total divided by its time is a rate, whatever happened in between. So the two rise together:
 * the time advances when counts were read and checked, and what is missing in the total is missing
 * in the time. If the counts of a gap could be read after it, its time counts, too. While a clock
 * shows no count, the time of its slots does not advance; when it counts again, it is known whether
 * it had stopped, and the time is added or left out.
 *
 * A derived counter rises by what all of its inputs counted since it rose last, or, if one of them
 * lost something since then, not at all.
 */
#include "sample/state.h"

/* Time that no series can miss: a turn of the kernel's between perf events, and a thousandth by
 * which clocks may differ. */
#define LAG_SLACK (20 * NSEC_PER_MSEC)
#define LAG_SHARE 1000

void active_new(struct sampler *s)
{
	const struct plan_socket *p = s->socket;

	s->counters = arena_alloc(s->arena, p->n_metrics, sizeof(*s->counters));
	s->sums = arena_alloc(s->arena, p->n_metric_series, sizeof(*s->sums));
	s->last_round = arena_alloc(s->arena, p->n_series, sizeof(*s->last_round));
	s->lag = arena_alloc(s->arena, p->n_series, sizeof(*s->lag));
	s->metric_last_round = arena_alloc(s->arena, p->n_metric_series,
					   sizeof(*s->metric_last_round));
	s->metric_lag = arena_alloc(s->arena, p->n_metric_series, sizeof(*s->metric_lag));
	for (unsigned i = p->n_metrics; i-- > 0;) {
		const struct plan_metric *m = &p->metrics[i];

		s->metric_last_round[m->series] = m->round;
		s->words[s->layout.metric_reason + m->series] = m->hidden ? REASON_HIDDEN :
								REASON_NO_DATA;
		if (!m->counter || m->hidden)
			continue;
		s->counters[i].metric = m;
		s->counters[i].inputs = arena_alloc(s->arena, m->num.n,
						    sizeof(*s->counters[i].inputs));
	}
	for (unsigned r = p->n_rounds; r-- > 0;)
		for (unsigned k = 0; k < p->rounds[r].n_slots; k++)
			s->last_round[p->rounds[r].slots[k].series] = r;
}

/* The total of the time in which the slot could count. */
static nsec slot_clock(const struct sampler *s, const struct plan_slot *slot,
		       const struct slot_state *st)
{
	return slot->engine == PLAN_REGISTERS ? s->clock.counted : st->running_total;
}

/* Has the slot or its clock counted since the last commit? If not, its counter may be stopped. */
static bool slot_runs(const struct sampler *s, unsigned i)
{
	const struct plan_slot *slots = round_of(s)->slots, *slot = &slots[i];
	const struct slot_state *states = states_of(s);
	int c = slot->clock_slot;

	if (states[i].last_commit)
		return true;
	if (c >= 0)
		return states[c].last_commit || states[c].reason || standing_unused(s, &slots[c]);
	return (!slot->always_runs && !slot->never_still) || standing_unused(s, slot);
}

static void slot_count(struct sampler *s, unsigned i)
{
	const struct plan_round *round = round_of(s);
	const struct plan_slot *slot = &round->slots[i];
	struct slot_state *st = &states_of(s)[i];
	nsec now = slot_clock(s, slot, st);

	if (!st->has_baseline || st->prev_at != s->read.before || st->check_failed)
		return;
	if (st->baselines == st->counted_baselines && st->reason != REASON_STOPPED &&
	    !standing_waits(s, slot)) {
		if (!slot_runs(s, i))
			return;
		st->counted += now - st->counted_to;
		s->words[s->layout.slot_active + slot->series] += (uint64_t)(now - st->counted_to);
	}
	st->counted_baselines = st->baselines;
	st->counted_to = now;
}

void active_commit(struct sampler *s, const struct span *span)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	s->words[W_ACTIVE] += (uint64_t)(round->n_reg ? span_counted(span) :
					 span_length(span));
	for (unsigned i = 0; i < round->n_slots; i++) {
		if (round->slots[i].engine == PLAN_PERF)
			st[i].running_total += st[i].active;
		slot_count(s, i);
	}
}

/* The slot of an addend that has one; NULL: a sum does without it. */
static const struct slot_state *counter_slot(const struct sampler *s, const struct plan_metric *m,
					     unsigned i)
{
	const struct slot_state *st = states_of(s);

	if (m->num.v[i].slot < 0 || (m->sum && st[m->num.v[i].slot].reason == REASON_HIDDEN))
		return NULL;
	return &st[m->num.v[i].slot];
}

/* From here on it rises by what its inputs count. */
static void counter_mark(struct sampler *s, struct counter_state *c)
{
	for (unsigned i = c->metric->num.n; i-- > 0;) {
		const struct slot_state *st = counter_slot(s, c->metric, i);

		if (!st)
			continue;
		c->inputs[i] = (struct counter_input){ st->total, st->baselines };
		c->counted = st->counted;
	}
}

/* Adds what the inputs counted to the total. Returns why it has no value now. */
static enum reason counter_commit(struct sampler *s, struct counter_state *c)
{
	const struct plan_metric *m = c->metric;
	const struct plan_round *round = round_of(s);
	bool read = true, all = true;
	nsec counted = 0;
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = m->num.n; i-- > 0;) {
		const struct slot_state *st = counter_slot(s, m, i);

		if (!st)
			continue;
		if (st->reason == REASON_NO_DATA)       /* the others counted on */
			counter_mark(s, c);
		if (st->reason)
			return st->reason;
		n++;
		read &= st->counted_to == slot_clock(s, &round->slots[m->num.v[i].slot], st);
		all &= st->baselines == c->inputs[i].baselines;
		sum += (uint64_t)(int64_t)m->num.v[i].weight * (st->total - c->inputs[i].total);
		counted = st->counted - c->counted;
	}
	if (!n)
		return REASON_HIDDEN;
	if (round->n_perf && times_uneven(s, m)) {
		counter_mark(s, c);
		return REASON_NO_DATA;
	}
	if (!read)
		return REASON_NONE;
	if (all) {
		s->sums[m->series] += sum;
		s->words[s->layout.metric_active + m->series] += (uint64_t)counted;
	}
	counter_mark(s, c);
	return REASON_NONE;
}

void counters_commit(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_metrics; i++) {
		const struct plan_metric *m = s->counters[i].metric;

		if (!m || m->round != s->round)
			continue;
		s->words[s->layout.metric_reason + m->series] = counter_commit(s, &s->counters[i]);
		s->words[s->layout.metric_value + m->series] = derive_scale(m, s->sums[m->series]);
	}
}

void active_begin(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < round->n_slots; i++) {
		s->last_round[round->slots[i].series] = s->round;
		st[i].counted_baselines = st[i].baselines;
		st[i].counted_to = slot_clock(s, &round->slots[i], &st[i]);
	}
	for (unsigned i = 0; i < s->socket->n_metrics; i++) {
		if (s->socket->metrics[i].round == s->round)
			s->metric_last_round[s->socket->metrics[i].series] = s->round;
		if (s->counters[i].metric && s->counters[i].metric->round == s->round)
			counter_mark(s, &s->counters[i]);
	}
}

/* Has one of n series missed time that the socket counted? Once it has, it is shown for ever. */
static void lag_publish(struct sampler *s, const uint64_t *active, uint64_t *shown, nsec *lag,
			unsigned n)
{
	nsec all = (nsec)s->words[W_ACTIVE], allowed = (all - s->lag_at) / LAG_SHARE;

	for (unsigned i = 0; i < n; i++) {
		nsec now = all - (nsec)active[i];

		if (now > lag[i] + allowed + LAG_SLACK)
			shown[i] = 1;
		lag[i] = now < lag[i] + allowed ? now : lag[i] + allowed;
	}
}

void active_publish(struct sampler *s)
{
	uint64_t *words = s->words;

	lag_publish(s, &words[s->layout.slot_active], &words[s->layout.slot_active_shown], s->lag,
		    s->socket->n_series);
	lag_publish(s, &words[s->layout.metric_active], &words[s->layout.metric_active_shown],
		    s->metric_lag, s->socket->n_metric_series);
	s->lag_at = (nsec)words[W_ACTIVE];
}
