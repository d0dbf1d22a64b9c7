/* SPDX-License-Identifier: MIT */
#include "machine/curve.h"

#include <stdlib.h>

static int by_traffic(const void *a, const void *b)
{
	const struct curve_point *x = a, *y = b;

	if (x->bytes_per_second != y->bytes_per_second)
		return x->bytes_per_second < y->bytes_per_second ? -1 : 1;
	return x->latency < y->latency ? -1 : x->latency > y->latency;
}

/* The points' latencies without what falls while traffic rises: each fall is spread over the points
 * that it is made of, until none is left (isotonic regression, by pooling adjacent violators). */
static void never_falling(const struct curve_mix *m, double *ret)
{
	struct { double mean; unsigned n; } pools[CURVE_POINTS];
	unsigned n = 0, at = 0;

	for (unsigned i = 0; i < m->n; i++) {
		pools[n].mean = m->points[i].latency;
		pools[n++].n = 1;
		while (n > 1 && pools[n - 2].mean > pools[n - 1].mean) {
			unsigned both = pools[n - 2].n + pools[n - 1].n;

			pools[n - 2].mean = (pools[n - 2].mean * pools[n - 2].n +
					     pools[n - 1].mean * pools[n - 1].n) / both;
			pools[n - 2].n = both;
			n--;
		}
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < pools[i].n; k++)
			ret[at++] = pools[i].mean;
}

void curve_find_knee(struct curve_mix *m)
{
	double latency[CURVE_POINTS] = { 0 }, limit;

	qsort(m->points, m->n, sizeof(*m->points), by_traffic);
	never_falling(m, latency);
	m->least = latency[0];
	m->most = m->n ? m->points[m->n - 1].bytes_per_second : 0;
	m->knee = 0;
	limit = CURVE_KNEE * m->least;
	for (unsigned i = 1; i < m->n && !(m->knee > 0); i++) {
		const struct curve_point *a = &m->points[i - 1], *b = &m->points[i];

		if (latency[i - 1] < limit && latency[i] >= limit)
			m->knee = a->bytes_per_second +
				  (limit - latency[i - 1]) / (latency[i] - latency[i - 1]) *
				  (b->bytes_per_second - a->bytes_per_second);
	}
}
