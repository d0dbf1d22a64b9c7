/* watch.c - single samples of metrics: distributions and peaks; see state.h.
 *
 * Owns:  when a metric takes a sample, which samples wait for a check, which are not valid; the
 *        windows of peaks.
 * Never: which bucket a sample belongs to (histogram.c), the arithmetic of a metric (derive/).
 * The sampler thread; allocates only when the sampler is made.
 *
 * A sample is the metric on the counts since the sample before, at the resolution of its group. It
 * waits, like the counts it is made of, until a check passes.
 */
#include "config.h"

#include "sample/histogram.h"
#include "sample/state.h"

#include "derive/derive.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ life */

static unsigned round_of_metric(const struct sampler *s, const struct plan_metric *m)
{
	return s->socket->groups[m->group].round;
}

/* Every resolution of a round is a pace, once. */
static struct pace *pace_for(struct sampler *s, const struct plan_metric *m)
{
	const struct plan_group *g = &s->socket->groups[m->group];
	struct pace *p = s->paces;

	while (p < s->paces + s->n_paces && (p->round != g->round || p->every != g->resolution))
		p++;
	if (p < s->paces + s->n_paces)
		return p;
	p->round = g->round;
	p->every = g->resolution;
	p->slots = arena_alloc(s->arena, s->socket->rounds[g->round].n_slots, sizeof(*p->slots));
	p->times = arena_alloc(s->arena, s->socket->rounds[g->round].n_slots, sizeof(*p->times));
	s->n_paces++;
	return p;
}

void watches_new(struct sampler *s)
{
	const struct plan_socket *socket = s->socket;
	nsec wall = s->o.clock.wall(s->o.clock.p);

	s->paces = arena_alloc(s->arena, socket->n_distributions, sizeof(*s->paces));
	s->watches = arena_alloc(s->arena, socket->n_distributions, sizeof(*s->watches));
	for (unsigned i = 0; i < socket->n_distributions; i++) {
		const struct plan_distribution *w = &socket->distributions[i];
		struct watch_state *to = &s->watches[i];

		to->metric = plan_distribution_metric(socket, w);
		if (!in_overflow_windows(socket, to->metric))
			to->pace = pace_for(s, to->metric);
		/* What comes between two checks, twice: the first of them may not be able to
		 * tell. */
		to->room = 2 *
			   (unsigned)(CHECK_EVERY / socket->groups[to->metric->group].resolution +
				      2);
		to->pending = arena_alloc(s->arena, to->room, sizeof(*to->pending));
		for (unsigned k = 0; k < PEAK_PARTS; k++)
			to->parts[k] = -INFINITY;
		if (!w->has_histogram)
			continue;
		to->histogram = &s->words[layout_histogram(socket, i)];
		histogram_begin(&w->histogram, to->histogram, wall);
	}
}

void sampler_carry(struct sampler *s, const struct sampler *old)
{
	s->round = old->running && old->o.plan == s->o.plan ? old->round : 0;
	memcpy(&s->words[s->layout.lateness], &old->words[old->layout.lateness],
	       histogram_words(&layout_lateness) * sizeof(*s->words));
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		for (unsigned k = 0; k < old->socket->n_distributions; k++) {
			const struct plan_distribution *a = &s->socket->distributions[i],
				*b = &old->socket->distributions[k];
			struct watch_state *to = &s->watches[i];
			const struct watch_state *from = &old->watches[k];

			if (!plan_distribution_same(s->socket, a, old->socket, b))
				continue;
			if (s->o.plan->peak_window == old->o.plan->peak_window) {
				to->part = from->part;
				memcpy(to->parts, from->parts, sizeof(to->parts));
			}
			if (to->histogram && from->histogram &&
			    histogram_same(&a->histogram, &b->histogram))
				memcpy(to->histogram, from->histogram,
				       histogram_words(&a->histogram) * sizeof(*to->histogram));
		}
}

/* ------------------------------------------------------------------ taking a sample */

static uint64_t *invalid_word(struct sampler *s, unsigned watch)
{
	return &s->words[s->layout.watch_invalid + watch];
}

/* Counts of perf events as if they had had a counter all the time; one that had none is not
 * usable. */
static void perf_share(struct sampler *s, struct pace *p, nsec window)
{
	const struct plan_round *round = round_of(s);
	const struct counting *c = s->engine[PLAN_PERF];

	for (unsigned k = 0; c && c->ops->times && k < round->n_slots; k++) {
		struct pace_time *was = &p->times[k];
		uint64_t enabled, running, on, ran;

		if (round->slots[k].engine != PLAN_PERF)
			continue;
		c->ops->times(c, round->slots[k].engine_slot, &enabled, &running);
		on = enabled - was->enabled;
		ran = running - was->running;
		*was = (struct pace_time){ enabled, running };
		s->delta[k] = slot_spread(&round->slots[k], s->delta[k], (nsec)ran, window);
		s->usable[k] = s->usable[k] && (ran || !on);
	}
}

/* What each slot counted since the last sample of this pace, and from where the next one counts. */
static void pace_step(struct sampler *s, struct pace *p, nsec window)
{
	unsigned n = round_of(s)->n_slots;
	const struct slot_state *st = states_of(s);
	nsec took = (nsec)s->words[W_DURATION];
	bool steady = reads_steady(s, p->took, took, window);

	for (unsigned k = 0; k < n; k++) {
		struct pace_slot *was = &p->slots[k];
		struct pace_slot now = { st[k].total + st[k].pending, st[k].bases,
					 st[k].based & (st[k].prev_at == s->read_before) };

		s->delta[k] = now.count - was->count;
		s->usable[k] = steady & now.read & was->read & (now.bases == was->bases) &
			       slot_counts(&st[k]);
		s->absent[k] = st[k].reason == REASON_HIDDEN;
		*was = now;
	}
	if (round_of(s)->n_perf)
		perf_share(s, p, window);
	p->took = took;
	p->start = s->sample_at;
	s->time->unfrozen(s, &p->unfrozen);
}

void watches_begin(struct sampler *s)
{
	for (unsigned i = 0; i < s->n_paces; i++)
		if (s->paces[i].round == s->round) {
			pace_step(s, &s->paces[i], 0);
			s->paces[i].cell = s->sample_at / s->paces[i].every;
		}
}

static void watch_sample(struct sampler *s, unsigned watch, nsec window)
{
	struct watch_state *w = &s->watches[watch];
	const struct plan_metric *m = w->metric;
	enum derive_state state;
	double v;

	state = m->counter ? derive_rate(m, s->delta, s->usable, s->absent, window, &v) :
			     derive_eval(m, s->delta, s->usable, s->absent, window, &v);
	if (state == DERIVE_NONE)
		return;                         /* nothing happened that could be measured */
	if (state == DERIVE_VALID && w->n_pending < w->room)
		w->pending[w->n_pending++] = v;
	else
		++*invalid_word(s, watch);
}

void watches_sample(struct sampler *s, nsec now)
{
	for (unsigned i = 0; i < s->n_paces; i++) {
		struct pace *p = &s->paces[i];
		nsec window = s->sample_at - p->start, unfrozen;

		if (p->round != s->round || now / p->every == p->cell)
			continue;
		/* After a late tick the next one comes soon: too little for a sample of its own, so
		 * the one after has it too. */
		if (window < p->every / 2)
			p->cell = now / p->every;
		if (window < p->every / 2 || !s->time->unfrozen(s, &unfrozen))
			continue;
		unfrozen -= p->unfrozen;
		pace_step(s, p, window);
		p->cell = now / p->every;
		for (unsigned w = 0; w < s->socket->n_distributions; w++) {
			const struct plan_metric *m = s->watches[w].metric;
			nsec span = group_unfrozen(round_of(s), &s->socket->groups[m->group],
						   window, unfrozen);

			if (s->watches[w].pace == p && span > 0)
				watch_sample(s, w, span);
		}
	}
}

void watches_overflow(struct sampler *s, nsec active)
{
	bool fresh;

	metrics_gather(s, OF_OVERFLOW_WINDOW);
	for (unsigned w = 0; active > 0 && w < s->socket->n_distributions; w++) {
		const struct plan_metric *m = s->watches[w].metric;

		if (!s->watches[w].pace && round_of_metric(s, m) == s->round &&
		    overflow_usable(s, m, &fresh))
			watch_sample(s, w, active);
	}
}

/* ------------------------------------------------------------------ after a check */

static bool any_addend(const struct plan_addend *a, unsigned n, const struct slot_state *st,
		       bool (*is)(const struct slot_state *))
{
	for (unsigned i = 0; i < n; i++)
		if (a[i].slot >= 0 && is(&st[a[i].slot]))
			return true;
	return false;
}

bool metric_any(const struct plan_metric *m, const struct slot_state *st,
		bool (*is)(const struct slot_state *))
{
	return any_addend(m->num, m->n_num, st, is) || any_addend(m->den, m->n_den, st, is) ||
	       any_addend(m->guard_num, m->n_guard_num, st, is) ||
	       any_addend(m->guard_den, m->n_guard_den, st, is) ||
	       (m->cycles_of >= 0 && is(&st[m->cycles_of]));
}

static bool is_foreign(const struct slot_state *st)
{
	return st->reason == REASON_FOREIGN;
}

static bool is_doubtful(const struct slot_state *st)
{
	return st->doubtful;
}

/* The samples of a watch that no check vouched for are not valid. */
static void watch_drop(struct sampler *s, unsigned watch)
{
	*invalid_word(s, watch) += s->watches[watch].n_pending;
	s->watches[watch].n_pending = 0;
}

void watches_judge(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		if (s->watches[i].n_pending &&
		    metric_any(s->watches[i].metric, states_of(s), is_foreign))
			watch_drop(s, i);
}

void watches_drop(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		if (round_of_metric(s, s->watches[i].metric) == s->round)
			watch_drop(s, i);
}

/* ------------------------------------------------------------------ committing */

/* Moves a peak's window on to `at`. Returns its newest part. */
static double *peak_part(const struct sampler *s, struct watch_state *w, nsec at)
{
	nsec part = at / (s->o.plan->peak_window / PEAK_PARTS);

	if (part - w->part > PEAK_PARTS)
		w->part = part - PEAK_PARTS;
	while (w->part < part)
		w->parts[++w->part % PEAK_PARTS] = -INFINITY;
	return &w->parts[w->part % PEAK_PARTS];
}

void watches_commit(struct sampler *s)
{
	const struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < s->socket->n_distributions; i++) {
		struct watch_state *w = &s->watches[i];
		double *peak;

		if (!w->n_pending || metric_any(w->metric, st, is_doubtful))
			continue;
		if (round_of(s)->n_perf && times_uneven(s, w->metric)) {
			watch_drop(s, i);
			continue;
		}
		if (w->histogram)
			histogram_add(&s->socket->distributions[i].histogram, w->histogram,
				      w->pending, w->n_pending);
		peak = peak_part(s, w, s->sample_at);
		for (unsigned k = 0; k < w->n_pending; k++)
			if (w->pending[k] > *peak)
				*peak = w->pending[k];
		w->n_pending = 0;
	}
}

void watches_publish(struct sampler *s)
{
	nsec now = mono(s);             /* nothing is read while no round can begin, and peaks grow
	                                 * old all the same */

	for (unsigned i = 0; i < s->socket->n_distributions; i++) {
		struct watch_state *w = &s->watches[i];
		double peak = *peak_part(s, w, now);

		for (unsigned k = 0; k < PEAK_PARTS; k++)
			if (w->parts[k] > peak)
				peak = w->parts[k];
		s->words[s->layout.watch_peaked + i] = peak > -INFINITY;
		memcpy(&s->words[s->layout.watch_peak + i], &peak, sizeof(peak));
	}
}
