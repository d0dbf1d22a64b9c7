/* SPDX-License-Identifier: MIT */
#include "machine/curve.h"

#include "base/bits.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define FALLS 0.03              /* so much below one at less traffic a latency contradicts it */
#define AT_REST 0.05            /* share of the most traffic up to which a memory is at rest */
#define SAME 0.02               /* of the most traffic: points that are as near are of one rate */

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

/* Of the points at rest, so that one of three may be anything. Without one, the first point's. */
static double latency_at_rest(const struct curve_mix *m)
{
	double v[CURVE_POINTS];
	unsigned n = 0;

	while (n < m->n && m->points[n].bytes_per_second <= AT_REST * m->most) {
		v[n] = m->points[n].latency;
		n++;
	}
	if (n == 0)
		return m->n ? m->points[0].latency : 0;
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Points of rising traffic none of which contradicts the one before. */
struct chain {
	unsigned n;
	double sum;                 /* of their latencies */
	int before;                 /* the last but one; -1: none */
};

/* Of two that are as long the one that waits less: what disturbs a read holds it up. */
static bool is_better(const struct chain *a, const struct chain *b)
{
	return a->n > b->n || (a->n == b->n && a->sum < b->sum);
}

/* The most points of which none contradicts the one before: indices into ret, by rising traffic. A
 * point that was disturbed contradicts more others than they each other. Returns how many. */
static unsigned agreeing(const struct curve_mix *m, unsigned ret[CURVE_POINTS])
{
	struct chain best[CURVE_POINTS];
	unsigned n;
	int last = -1;

	for (unsigned i = 0; i < m->n; i++) {
		double latency = m->points[i].latency;

		best[i] = (struct chain){ 1, latency, -1 };
		for (unsigned k = 0; k < i; k++) {
			struct chain longer = { best[k].n + 1, best[k].sum + latency, (int)k };

			if (latency >= (1 - FALLS) * m->points[k].latency &&
			    is_better(&longer, &best[i]))
				best[i] = longer;
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
	unsigned at[CURVE_POINTS], n;
	double latency[CURVE_POINTS] = { 0 }, limit;

	qsort(m->points, m->n, sizeof(*m->points), by_traffic);
	m->most = m->n ? m->points[m->n - 1].bytes_per_second : 0;
	m->least = latency_at_rest(m);
	m->knee = 0;
	n = agreeing(m, at);
	for (unsigned i = 0; i < n; i++)
		latency[i] = m->points[at[i]].latency;
	never_falling(latency, n);
	limit = CURVE_KNEE * m->least;
	for (unsigned i = 1; i < n && !(m->knee > 0); i++) {
		double from = m->points[at[i - 1]].bytes_per_second;
		double to = m->points[at[i]].bytes_per_second;

		if (latency[i - 1] < limit && latency[i] >= limit)
			m->knee = from + (limit - latency[i - 1]) /
					 (latency[i] - latency[i - 1]) * (to - from);
	}
}

/* ------------------------------------------------------------------ where to look for it */

/* Shares of the most traffic, which the first rate shows. Three at rest: one of them may be wrong,
 * too, and nothing below it says so. */
static const double shares[] = { 0.01, 0.02, 0.04, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95 };

static_assert(1 + COUNT(shares) < CURVE_RATES, "some rates look for the knee");
static_assert((int)CURVE_RATES <= (int)CURVE_POINTS, "each rate makes a point");

static bool is_alone(const struct curve_mix *m, unsigned of)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n; i++)
		n += fabs(m->points[i].bytes_per_second - m->points[of].bytes_per_second) <
			SAME * m->most;
	return n == 1;
}

/* The traffic of a point that contradicts others and was measured once; 0: there is none. */
static double disputed(const struct curve_mix *m, const unsigned *at, unsigned n)
{
	unsigned i = m->n, k = n;

	while (i-- > 0) {
		if (k > 0 && at[k - 1] == i)
			k--;
		else if (is_alone(m, i))
			return m->points[i].bytes_per_second;
	}
	return 0;
}

double curve_rate(struct curve_mix *m, unsigned step)
{
	unsigned at[CURVE_POINTS], n;
	double again;

	if (step == 0)
		return INFINITY;
	curve_find_knee(m);
	if (step <= COUNT(shares))
		return shares[step - 1] * m->most;
	n = agreeing(m, at);
	again = disputed(m, at, n);
	if (again > 0)
		return again;
	for (unsigned i = 1; i < n; i++) {
		const struct curve_point *a = &m->points[at[i - 1]], *b = &m->points[at[i]];

		if (m->knee > 0 && b->bytes_per_second >= m->knee)
			return (a->bytes_per_second + b->bytes_per_second) / 2;
	}
	return INFINITY;                /* perhaps it is only there, and the first was disturbed */
}
