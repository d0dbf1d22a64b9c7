/* SPDX-License-Identifier: MIT */
#include "machine/curve.h"

#include "base/bits.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define FALLS 0.03              /* so much below one at less traffic a latency contradicts it */
#define AT_REST 0.05            /* share of the most traffic up to which a memory is at rest */
#define SAME 0.02               /* of the most traffic: points that are as near are of one rate */
/* Bursts that move as much as goes: all other rates are shares of that, and what is only there no
 * other one confirms. */
enum { FULL = 3 };

/* ------------------------------------------------------------------ where it is */

static int by_traffic(const void *a, const void *b)
{
	const struct curve_point *x = a, *y = b;

	if (x->bytes_per_second != y->bytes_per_second)
		return x->bytes_per_second < y->bytes_per_second ? -1 : 1;
	return x->latency < y->latency ? -1 : x->latency > y->latency;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Of v, which it sorts. 0 of none. */
static double median(double *v, unsigned n)
{
	if (n == 0)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Points of rising traffic. */
struct points {
	struct curve_point v[CURVE_POINTS];
	unsigned n;
};

/* What all full ones say, so that one of three may be anything; false: there is none. */
static bool take_full(const struct curve_mix *m, struct curve_point *ret)
{
	double traffic[CURVE_POINTS], latency[CURVE_POINTS], reads[CURVE_POINTS];
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		if (!m->points[i].full)
			continue;
		traffic[n] = m->points[i].bytes_per_second;
		latency[n] = m->points[i].latency;
		reads[n++] = m->points[i].reads;
	}
	*ret = (struct curve_point){ .bytes_per_second = median(traffic, n),
				     .latency = median(latency, n), .reads = median(reads, n),
				     .full = true };
	return n > 0;
}

/* Those of a mix, and of the full ones one. */
static struct points points_of(const struct curve_mix *m)
{
	struct points p = { .n = 0 };
	struct curve_point full;

	for (unsigned i = 0; i < m->n; i++)
		if (!m->points[i].full)
			p.v[p.n++] = m->points[i];
	if (take_full(m, &full))
		p.v[p.n++] = full;
	qsort(p.v, p.n, sizeof(*p.v), by_traffic);
	return p;
}

/* Of the points at rest, so that one of three may be anything. Without one, the first point's. */
static double latency_at_rest(const struct points *p, double most)
{
	double v[CURVE_POINTS];
	unsigned n = 0;

	while (n < p->n && p->v[n].bytes_per_second <= AT_REST * most) {
		v[n] = p->v[n].latency;
		n++;
	}
	if (n == 0)
		return p->n ? p->v[0].latency : 0;
	return median(v, n);
}

/* Points of rising traffic none of which contradicts the one before. */
struct chain {
	unsigned n, bursts;         /* that its n points are made of */
	double sum;                 /* of their latencies */
	int before;                 /* the last but one; -1: none */
};

/* Of two that rest on as much the one that waits less: what disturbs a read holds it up. */
static bool is_better(const struct chain *a, const struct chain *b)
{
	return a->bursts > b->bursts || (a->bursts == b->bursts && a->sum < b->sum);
}

/* p follows it. */
static struct chain longer(const struct chain *c, const struct curve_point *p, int before)
{
	return (struct chain){ c->n + 1, c->bursts + (p->full ? FULL : 1), c->sum + p->latency,
			       before };
}

/* The points of most bursts of which none contradicts the one before: indices into ret, by rising
 * traffic. A point that was disturbed contradicts more others than they each other. Returns how
 * many. */
static unsigned agreeing(const struct points *p, unsigned ret[CURVE_POINTS])
{
	struct chain best[CURVE_POINTS];
	unsigned n;
	int last = -1;

	for (unsigned i = 0; i < p->n; i++) {
		best[i] = longer(&(struct chain){ 0 }, &p->v[i], -1);
		for (unsigned k = 0; k < i; k++) {
			struct chain one = longer(&best[k], &p->v[i], (int)k);

			if (p->v[i].latency >= (1 - FALLS) * p->v[k].latency &&
			    is_better(&one, &best[i]))
				best[i] = one;
		}
		if (last < 0 || is_better(&best[i], &best[last]))
			last = (int)i;
	}
	n = last < 0 ? 0 : best[last].n;
	for (unsigned at = n; at > 0; last = best[last].before)
		ret[--at] = (unsigned)last;
	return n;
}

/* Latencies of rising traffic without what falls: each fall is spread over those that it is made
 * of, until none is left (isotonic regression, by pooling adjacent violators). */
static void never_falling(double *latency, unsigned n)
{
	struct { double mean; unsigned n; } pools[CURVE_POINTS];
	unsigned n_pools = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		pools[n_pools].mean = latency[i];
		pools[n_pools++].n = 1;
		while (n_pools > 1 && pools[n_pools - 2].mean > pools[n_pools - 1].mean) {
			unsigned both = pools[n_pools - 2].n + pools[n_pools - 1].n;

			pools[n_pools - 2].mean =
				(pools[n_pools - 2].mean * pools[n_pools - 2].n +
				 pools[n_pools - 1].mean * pools[n_pools - 1].n) / both;
			pools[n_pools - 2].n = both;
			n_pools--;
		}
	}
	for (unsigned i = 0; i < n_pools; i++)
		for (unsigned k = 0; k < pools[i].n; k++)
			latency[at++] = pools[i].mean;
}

void curve_find_knee(struct curve_mix *m)
{
	struct curve_point full;
	struct points p;
	unsigned at[CURVE_POINTS], n;
	double latency[CURVE_POINTS] = { 0 }, limit;

	qsort(m->points, m->n, sizeof(*m->points), by_traffic);
	m->most = m->n ? m->points[m->n - 1].bytes_per_second : 0;
	if (take_full(m, &full)) {
		m->most = full.bytes_per_second;
		m->reads = full.reads;
	}
	p = points_of(m);
	m->least = latency_at_rest(&p, m->most);
	m->knee = 0;
	n = agreeing(&p, at);
	for (unsigned i = 0; i < n; i++)
		latency[i] = p.v[at[i]].latency;
	never_falling(latency, n);
	limit = CURVE_KNEE * m->least;
	for (unsigned i = 1; i < n && !(m->knee > 0); i++) {
		double from = p.v[at[i - 1]].bytes_per_second;
		double to = p.v[at[i]].bytes_per_second;

		if (latency[i - 1] < limit && latency[i] >= limit)
			m->knee = from + (limit - latency[i - 1]) /
					 (latency[i] - latency[i - 1]) * (to - from);
	}
}

/* ------------------------------------------------------------------ where to look for it */

/* Shares of the most traffic, which the first ones show. Three at rest: one of them may be wrong,
 * too, and nothing below it says so. */
static const double shares[] = { 0.01, 0.02, 0.04, 0.5, 0.6, 0.7, 0.8, 0.9 };

static_assert(FULL + COUNT(shares) < CURVE_RATES, "some rates look for the knee");
static_assert((int)CURVE_RATES <= (int)CURVE_POINTS, "each rate makes a point");

static bool is_alone(const struct curve_mix *m, double traffic)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += fabs(m->points[i].bytes_per_second - traffic) < SAME * m->most;
	return n == 1;
}

/* The traffic of a point that contradicts others and was measured once; 0: there is none. */
static double disputed(const struct curve_mix *m, const struct points *p, const unsigned *at,
		       unsigned n)
{
	unsigned i = p->n, k = n;

	while (i-- > 0) {
		if (k > 0 && at[k - 1] == i)
			k--;
		else if (is_alone(m, p->v[i].bytes_per_second))
			return p->v[i].bytes_per_second;
	}
	return 0;
}

double curve_rate(struct curve_mix *m, unsigned step)
{
	unsigned at[CURVE_POINTS], n;
	struct curve_point full;
	struct points p;
	double again;

	if (step < FULL)
		return INFINITY;
	if (!take_full(m, &full))
		return NAN;
	curve_find_knee(m);
	if (step < FULL + COUNT(shares))
		return shares[step - FULL] * m->most;
	p = points_of(m);
	n = agreeing(&p, at);
	again = disputed(m, &p, at, n);
	if (again > 0)
		return again;
	for (unsigned i = 1; i < n; i++) {
		const struct curve_point *a = &p.v[at[i - 1]], *b = &p.v[at[i]];

		if (m->knee > 0 && b->bytes_per_second >= m->knee)
			return (a->bytes_per_second + b->bytes_per_second) / 2;
	}
	return INFINITY;                /* there is none, as far as three say */
}
