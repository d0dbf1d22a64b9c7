/* SPDX-License-Identifier: MIT
 * Where a sample falls in native and classic buckets; see histogram.h.
 * Owns:  the bounds of native buckets, and when they become twice as wide.
 * Never: which samples there are.
 */
#include "sample/histogram.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PER_DOUBLING = 1 << HISTOGRAM_SCHEMA };

/* The buckets of one doubling, (0.5, 1], end at 2^(k/8 - 1); the last one's end is 1. */
static const double ends[PER_DOUBLING] = {
	0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
	0.7071067811865476, 0.7711054127039704, 0.8408964152537145, 0.9170040432046712,
};

/*
 * native_index - the bucket of a value at the finest schema: v in (2^((i-1)/8), 2^(i/8)].
 *
 * v is above 0. No logarithm, and exact at the bounds.
 */
static int64_t native_index(double v)
{
	int exponent;
	double fraction = frexp(v, &exponent);          /* 0.5 .. 1 */
	int64_t index = (int64_t)(exponent - 1) * PER_DOUBLING;

	for (unsigned k = 0; k < PER_DOUBLING; k++)
		index += fraction > ends[k];
	return index;
}

/* The bucket `by` schemas coarser that holds bucket i. */
static int64_t native_coarser(int64_t i, unsigned by)
{
	return (i + (INT64_C(1) << by) - 1) >> by;
}

/* One schema coarser: buckets of one sign fall together in pairs. */
static void native_halve(uint64_t *first, uint64_t *count)
{
	int64_t was = (int64_t)*first, now = native_coarser(was, 1);
	uint64_t n;

	for (unsigned k = 0; k < HISTOGRAM_NATIVE; k++) {
		n = count[k];
		count[k] = 0;
		count[native_coarser(was + k, 1) - now] += n;
	}
	*first = (uint64_t)now;
}

/* First and last of the buckets that are in use; false: none is. */
static bool native_used(const uint64_t *count, unsigned *ret_first, unsigned *ret_last)
{
	unsigned a = 0, z = HISTOGRAM_NATIVE;

	while (a < z && !count[a])
		a++;
	while (z > a && !count[z - 1])
		z--;
	*ret_first = a;
	*ret_last = z - 1;
	return a < z;
}

/* Moves the buckets so that `index` is among them. False: they would not all fit. */
static bool native_move(uint64_t *first, uint64_t *count, int64_t index)
{
	int64_t from = (int64_t)*first, low, high, to;
	unsigned a, z;

	if (!native_used(count, &a, &z)) {
		*first = (uint64_t)(index - HISTOGRAM_NATIVE / 2);      /* the next ones may lie on
		                                                         * either side */
		return true;
	}
	low = from + a < index ? from + a : index;
	high = from + z > index ? from + z : index;
	if (high - low >= HISTOGRAM_NATIVE)
		return false;
	to = low - (HISTOGRAM_NATIVE - 1 - (high - low)) / 2;
	memmove(&count[from + a - to], &count[a], (z - a + 1) * sizeof(*count));
	for (int64_t k = 0; k < HISTOGRAM_NATIVE; k++)
		if (to + k < from + a || to + k > from + z)
			count[k] = 0;
	*first = (uint64_t)to;
	return true;
}

/* v > 0 of one sign. */
static void native_add(const struct plan_histogram *h, uint64_t *words, bool negative, double v)
{
	uint64_t *first = &words[negative ? H_NEGATIVE : H_POSITIVE],
		*count = &words[histogram_native(h, negative)];
	int64_t finest = native_index(v);

	for (;;) {
		int64_t index = native_coarser(finest, (unsigned)(HISTOGRAM_SCHEMA -
								  (int64_t)words[H_SCHEMA]));
		uint64_t at = (uint64_t)index - *first;

		if (at < HISTOGRAM_NATIVE) {
			count[at]++;
			return;
		}
		if (native_move(first, count, index))
			continue;
		native_halve(&words[H_POSITIVE], &words[histogram_native(h, false)]);
		if (h->negative)
			native_halve(&words[H_NEGATIVE], &words[histogram_native(h, true)]);
		words[H_SCHEMA]--;
	}
}

void histogram_begin(const struct plan_histogram *h, uint64_t *words, nsec wall)
{
	memset(words, 0, histogram_words(h) * sizeof(*words));
	words[H_CREATED] = (uint64_t)wall;
	words[H_SCHEMA] = HISTOGRAM_SCHEMA;
}

void histogram_add(const struct plan_histogram *h, uint64_t *words, const double *v, unsigned n)
{
	unsigned bucket = 0;
	double sum;

	memcpy(&sum, &words[H_SUM], sizeof(sum));
	for (unsigned i = 0; i < n; i++) {
		/* Samples that follow each other are alike: from the last one's bucket it is not
		 * far. */
		while (bucket < h->n_bounds && v[i] > h->bounds[bucket])
			bucket++;
		while (bucket && v[i] <= h->bounds[bucket - 1])
			bucket--;
		words[H_CLASSIC + bucket]++;
		sum += v[i];
		if (v[i] > h->zero)
			native_add(h, words, false, v[i]);
		else if (v[i] >= -h->zero)
			words[H_ZERO]++;
		else if (h->negative)
			native_add(h, words, true, -v[i]);
	}
	if (!isfinite(sum))                     /* JSON has no number for it, and adding further
	                                         * samples could not make it finite again */
		sum = copysign(DBL_MAX, sum);
	memcpy(&words[H_SUM], &sum, sizeof(sum));
}

bool histogram_same(const struct plan_histogram *a, const struct plan_histogram *b)
{
	bool same = a->n_bounds == b->n_bounds && a->zero == b->zero && a->negative == b->negative;

	for (unsigned i = 0; same && i < a->n_bounds; i++)
		same = a->bounds[i] == b->bounds[i];
	return same;
}
