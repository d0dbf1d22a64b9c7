/* SPDX-License-Identifier: MIT
 * Single samples of metrics: distributions and peaks; see state.h.
 * Owns:  when a metric takes a sample, which samples wait for a check, which are not valid; the
 *        windows of peaks.
 * Never: which bucket a sample belongs to (histogram.c), the arithmetic of a metric (derive/).
 * The sampler thread; allocates only when the sampler is made.
 *
 * A sample is the metric on the counts since the sample before, at the resolution of its group. It
 * waits, like the counts it is made of, until a check passes.
 */
#include "sample/histogram.h"
#include "sample/state.h"

#include <math.h>
#include <string.h>

/* A slot when the last sample on a grid was taken. */
struct grid_slot {
	uint64_t count;             /* total and pending */
	unsigned baselines;
	bool read;
};
struct grid_time { uint64_t enabled, running; };        /* perf */

/* One resolution of a round: the times at which its metrics take a sample.
 *
 * A late tick makes a long sample and a short one. The long one counts once, with the time that it
 * has. The short one is added to the next if it is below half of the resolution. Nothing is filled
 * in. A read that was held up in its middle has counters of two times in it, and divided by one
 * time they make a rate that never was. So there is no sample where two reads differ in length by
 * a quarter of the time between them. */
struct sample_grid {
	unsigned round;
	nsec resolution;
	nsec start;                 /* when the last sample was taken */
	nsec counted;               /* how long registers had counted up to then */
	nsec cell;                  /* start / resolution, by the tick */
	nsec read_duration;         /* of the last sample's read */
	nsec read_held;             /* for how much of that it was held up */
	struct grid_slot *slots;    /* of the round */
	struct grid_time *times;    /* the same */
};

#define PEAK_PARTS 60               /* a peak's window slides in so many steps */
struct peak_state {
	nsec part;                  /* the newest part of the window, counted in parts on
	                             * CLOCK_MONOTONIC */
	double parts[PEAK_PARTS];   /* the largest sample of each, -INFINITY: none */
};
struct distribution_state {
	const struct plan_metric *metric;
	const struct sample_grid *grid;         /* NULL: its samples are overflow windows */
	uint64_t *histogram;        /* its words; NULL: the peak alone */
	double *pending;            /* samples since the last check that passed */
	unsigned n_pending, most_pending;
	struct peak_state *peak;
};

struct distributions {
	struct sample_grid *grids;  /* of all rounds */
	unsigned n_grids;
	struct distribution_state *of;          /* each distribution of the plan */
	struct peak_state *peaks;   /* of each series of them */
};

/* The grid of the resolution of a metric: each resolution of a round has one. */
static struct sample_grid *grid_for(struct sampler *s, const struct plan_metric *m)
{
	const struct plan_round *round = &s->socket->rounds[m->round];
	struct distributions *d = s->distributions;
	struct sample_grid *p = d->grids;

	for (; p < d->grids + d->n_grids; p++)
		if (p->round == m->round && p->resolution == m->resolution)
			return p;
	p->round = m->round;
	p->resolution = m->resolution;
	p->slots = arena_alloc(s->arena, round->n_slots, sizeof(*p->slots));
	p->times = arena_alloc(s->arena, round->n_slots, sizeof(*p->times));
	d->n_grids++;
	return p;
}

void distributions_new(struct sampler *s)
{
	const struct plan_socket *socket = s->socket;
	struct distributions *d = s->distributions = arena_alloc(s->arena, 1, sizeof(*d));
	nsec wall = s->o.clock.wall(s->o.clock.p);

	d->grids = arena_alloc(s->arena, socket->n_distributions, sizeof(*d->grids));
	d->of = arena_alloc(s->arena, socket->n_distributions, sizeof(*d->of));
	d->peaks = arena_alloc(s->arena, socket->n_distribution_series, sizeof(*d->peaks));
	for (unsigned i = 0; i < socket->n_distribution_series; i++)
		for (unsigned k = 0; k < PEAK_PARTS; k++)
			d->peaks[i].parts[k] = -INFINITY;
	for (unsigned i = 0; i < socket->n_distributions; i++) {
		const struct plan_distribution *w = &socket->distributions[i];
		struct distribution_state *to = &d->of[i];

		to->metric = plan_distribution_metric(socket, w);
		if (!to->metric->overflow_windows)
			to->grid = grid_for(s, to->metric);
		/* Room for the samples between two checks, twice: a check that cannot read the
		 * registers leaves them pending until the next. */
		to->most_pending = 2 * (unsigned)(CHECK_EVERY / to->metric->resolution + 2);
		to->pending = arena_alloc(s->arena, to->most_pending, sizeof(*to->pending));
		to->peak = &d->peaks[w->series];
		if (!w->has_histogram)
			continue;
		to->histogram = &s->words[layout_histogram(socket, i)];
		if (!to->histogram[H_CREATED])
			histogram_begin(&w->histogram, to->histogram, wall);
	}
}

void distributions_inherit(struct sampler *s, const struct sampler *old)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		for (unsigned k = 0; k < old->socket->n_distributions; k++) {
			const struct plan_distribution *a = &s->socket->distributions[i],
				*b = &old->socket->distributions[k];
			struct distribution_state *to = &s->distributions->of[i];
			const struct distribution_state *from = &old->distributions->of[k];

			if (!plan_distribution_same(s->socket, a, old->socket, b))
				continue;
			if (s->o.plan->peak_window == old->o.plan->peak_window)
				*to->peak = *from->peak;
			if (to->histogram && from->histogram &&
			    histogram_same(&a->histogram, &b->histogram))
				memcpy(to->histogram, from->histogram,
				       histogram_words(&a->histogram) * sizeof(*to->histogram));
		}
}

static uint64_t *invalid_word(struct sampler *s, unsigned i)
{
	return &s->words[s->layout.samples_invalid + s->socket->distributions[i].series];
}

/* Counts of perf events as if they had had a counter all the time; one that had none is not
 * usable. */
static void perf_share(struct sampler *s, struct sample_grid *p, nsec window)
{
	const struct plan_round *round = round_of(s);
	const struct counting *c = s->engine[PLAN_PERF];

	for (unsigned k = 0; c && c->ops->times && k < round->n_slots; k++) {
		struct grid_time *was = &p->times[k];
		struct derive_input *in = &s->inputs[k];
		uint64_t enabled, running, on, ran;

		if (round->slots[k].engine != PLAN_PERF)
			continue;
		c->ops->times(c, round->slots[k].engine_slot, &enabled, &running);
		on = enabled - was->enabled;
		ran = running - was->running;
		*was = (struct grid_time){ enabled, running };
		in->count = slot_spread(&round->slots[k], in->count, (nsec)ran, window);
		in->usable = in->usable && (ran || !on);
	}
}

/* What each slot counted since the last sample of this grid, and from where the next one counts. */
static void grid_advance(struct sampler *s, struct sample_grid *p, nsec window)
{
	unsigned n = round_of(s)->n_slots;
	const struct slot_state *st = states_of(s);
	nsec took = s->read.took;
	bool steady = reads_steady(s, p->read_duration, took, window);

	for (unsigned k = 0; k < n; k++) {
		struct grid_slot *was = &p->slots[k];
		struct grid_slot now = { st[k].total + st[k].pending, st[k].baselines,
					 st[k].has_baseline & (st[k].prev_at == s->read.before) };

		s->inputs[k] = (struct derive_input){
			.count = now.count - was->count,
			.usable = steady & now.read & was->read &
				  (now.baselines == was->baselines) & !st[k].reason,
			.absent = st[k].reason == REASON_HIDDEN,
			.empty = !channel_has_memory(s, &round_of(s)->slots[k]),
		};
		*was = now;
	}
	if (round_of(s)->n_perf)
		perf_share(s, p, window);
	p->read_duration = took;
	p->read_held = s->read.held;
	p->start = s->read.at;
	s->ops->counted(s, &p->counted);
}

void distributions_begin(struct sampler *s)
{
	struct sample_grid *end = s->distributions->grids + s->distributions->n_grids;

	for (struct sample_grid *p = s->distributions->grids; p < end; p++) {
		if (p->round != s->round)
			continue;
		grid_advance(s, p, 0);
		p->cell = s->read.at / p->resolution;
	}
}

static void distribution_sample(struct sampler *s, unsigned i, const struct derive_window *window)
{
	struct distribution_state *w = &s->distributions->of[i];
	const struct plan_metric *m = w->metric;
	enum derive_state state;
	double v;

	if (metric_waits(s, m))
		return;
	if (m->counter)
		state = derive_rate(m, s->inputs, window, &v);
	else
		state = metric_eval(s, m, window, &v);
	if (state == DERIVE_NONE)
		return;                         /* nothing happened that could be measured */
	if (state == DERIVE_VALID && w->n_pending < w->most_pending)
		w->pending[w->n_pending++] = v;
	else
		++*invalid_word(s, i);
}

/* A sample of everything on this grid, of the window since the last one, in which registers counted
 * for `counted`. */
static void grid_sample(struct sampler *s, const struct sample_grid *p,
			const struct derive_window *since, nsec counted)
{
	const struct distribution_state *of = s->distributions->of;

	for (unsigned w = 0; w < s->socket->n_distributions; w++) {
		struct derive_window window = *since;

		if (of[w].grid != p)
			continue;
		window.length = metric_counted(round_of(s), of[w].metric, since->length, counted);
		if (window.length > 0)
			distribution_sample(s, w, &window);
	}
}

void distributions_sample(struct sampler *s, nsec now)
{
	struct sample_grid *end = s->distributions->grids + s->distributions->n_grids;

	for (struct sample_grid *p = s->distributions->grids; p < end; p++) {
		nsec before = p->counted, cell, counted;
		const struct derive_window window = {
			.length = s->read.at - p->start,
			.apart = p->read_duration + s->read.took,
			.held = p->read_held + s->read.held,
		};

		if (p->round != s->round)
			continue;
		cell = now / p->resolution;
		if (cell == p->cell)
			continue;
		/* After a late tick the next one comes soon: too little for a sample of its own, so
		 * the one after has it too. */
		if (window.length < p->resolution / 2) {
			p->cell = cell;
			continue;
		}
		if (!s->ops->counted(s, &counted))
			continue;
		grid_advance(s, p, window.length);
		p->cell = cell;
		grid_sample(s, p, &window, counted - before);
	}
}

void distributions_overflow(struct sampler *s, nsec counted)
{
	/* it stopped all counters at once */
	const struct derive_window window = { .length = counted };

	for (unsigned w = 0; w < s->socket->n_distributions; w++) {
		const struct plan_metric *m = s->distributions->of[w].metric;

		if (!s->distributions->of[w].grid && m->round == s->round)
			distribution_sample(s, w, &window);
	}
}

static bool is_foreign(const struct slot_state *st)
{
	return st->reason == REASON_FOREIGN;
}

static bool has_failed_check(const struct slot_state *st)
{
	return st->check_failed;
}

/* The samples of a distribution that no check verified are not valid. */
static void distribution_drop(struct sampler *s, unsigned i)
{
	*invalid_word(s, i) += s->distributions->of[i].n_pending;
	s->distributions->of[i].n_pending = 0;
}

void distributions_judge(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		if (s->distributions->of[i].n_pending &&
		    metric_any(s, s->distributions->of[i].metric, is_foreign))
			distribution_drop(s, i);
}

void distributions_drop(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++)
		if (s->distributions->of[i].metric->round == s->round)
			distribution_drop(s, i);
}

/* Moves a peak's window on to `at`. Returns its newest part. */
static double *peak_part(const struct sampler *s, struct peak_state *w, nsec at)
{
	nsec part = at / (s->o.plan->peak_window / PEAK_PARTS);

	if (part - w->part > PEAK_PARTS)
		w->part = part - PEAK_PARTS;
	while (w->part < part)
		w->parts[++w->part % PEAK_PARTS] = -INFINITY;
	return &w->parts[w->part % PEAK_PARTS];
}

void distributions_commit(struct sampler *s)
{
	for (unsigned i = 0; i < s->socket->n_distributions; i++) {
		struct distribution_state *w = &s->distributions->of[i];
		double *peak;

		if (!w->n_pending || metric_any(s, w->metric, has_failed_check))
			continue;
		if (round_of(s)->n_perf && slot_times_uneven(s, w->metric)) {
			distribution_drop(s, i);
			continue;
		}
		if (w->histogram)
			histogram_add(&s->socket->distributions[i].histogram, w->histogram,
				      w->pending, w->n_pending);
		peak = peak_part(s, w->peak, s->read.at);
		for (unsigned k = 0; k < w->n_pending; k++)
			if (w->pending[k] > *peak)
				*peak = w->pending[k];
		w->n_pending = 0;
	}
}

void distributions_publish(struct sampler *s)
{
	nsec now = mono(s);             /* nothing is read while no round can begin, and peaks grow
	                                 * old all the same */

	for (unsigned i = 0; i < s->socket->n_distribution_series; i++) {
		struct peak_state *w = &s->distributions->peaks[i];
		double peak = *peak_part(s, w, now);

		for (unsigned k = 0; k < PEAK_PARTS; k++)
			if (w->parts[k] > peak)
				peak = w->parts[k];
		s->words[s->layout.peak_valid + i] = peak > -INFINITY;
		memcpy(&s->words[s->layout.peak_value + i], &peak, sizeof(peak));
	}
}
