/* SPDX-License-Identifier: MIT */
#include "verify/verdict.h"

#include "base/bits.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A line that is prefetched and thrown away, page tables, the kernel's own work: a counter that
 * counts as it should may differ by so much from what the load moved. */
#define TOLERANCE  0.03
#define BACKGROUND 0.05         /* of the most that was moved: more, and nothing can be compared */
#define WIDEST     0.10         /* half an interval; beyond it one in ten is as likely as all */
#define ALIKE      0.01         /* of the most: samples nearer to each other have no slope */
#define LOST_MIN   0.50         /* less than that, and "a part is lost" says nothing */

#define NAME(cause, name, text) name,
#define TEXT(cause, name, text) text,
const char *const verify_cause_names[] = { VERIFY_CAUSE_LIST(NAME) };
static const char *const texts[] = { VERIFY_CAUSE_LIST(TEXT) };

/* How many channels there are if one is missing. */
static double channels(double slope)
{
	return slope < 0.95 ? round(1 / (1 - slope)) : 20;
}

char *verify_cause_say(const struct verify_verdict *v, enum verify_cause c, char *buf, size_t n)
{
	const double numbers[VERIFY_CAUSES] = {
		[VERIFY_COPIES] = round(v->slope), [VERIFY_DEAD] = channels(v->slope),
		[VERIFY_LOST] = 100 * (1 - v->slope), [VERIFY_BACKGROUND] = v->background / 1e9,
	};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(buf, n, texts[c], numbers[c]);
#pragma GCC diagnostic pop
	return buf;
}

/* A second's traffic of one kind; -1: the sample has traffic of another. */
static double alone(const struct verify_sample *s, unsigned kind)
{
	for (unsigned k = 0; k < VERIFY_TRAFFICS; k++)
		if (k != kind && s->moved[k] > 0)
			return -1;
	return s->moved[kind] / s->seconds;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_size);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

struct line { double slope, low, high, half, rest, most; };

/* The count over one kind of traffic: the median of the slopes between any two samples that have
 * this kind or none, and its interval by Kendall's test (Theil; Sen 1968, equation 2.6); rest: what
 * a second without traffic counts; most: the traffic of the fastest. A third of the samples may be
 * far off. Without such traffic all is 0. */
static struct line fit(const struct verify_sample *v, unsigned n, unsigned kind)
{
	double slopes[VERIFY_SAMPLES_MAX * (VERIFY_SAMPLES_MAX - 1) / 2];
	double x[VERIFY_SAMPLES_MAX], y[VERIFY_SAMPLES_MAX], within;
	unsigned pairs = 0, used = 0;
	struct line l = { 0 };

	for (unsigned i = 0; i < n; i++) {
		x[used] = alone(&v[i], kind);
		y[used] = v[i].count / v[i].seconds;
		l.most = fmax(l.most, x[used]);
		used += x[used] >= 0;
	}
	for (unsigned i = 0; i < used; i++)
		for (unsigned j = 0; j < i; j++)
			if (fabs(x[i] - x[j]) > ALIKE * l.most)
				slopes[pairs++] = (y[i] - y[j]) / (x[i] - x[j]);
	if (!pairs)
		return l;
	l.slope = median(slopes, pairs);
	within = 1.959964 * sqrt(used * (used - 1.0) * (2 * used + 5) / 18);
	l.low = slopes[(unsigned)fmax(0, (pairs - within) / 2)];
	l.high = slopes[(unsigned)fmin(pairs - 1, (pairs + within) / 2)];
	l.half = fmax(l.slope - l.low, l.high - l.slope);
	for (unsigned i = 0; i < used; i++)
		y[i] -= l.slope * x[i];
	l.rest = median(y, used);
	return l;
}

/* Does the counter lose counts when there is much traffic? Some samples were counted whole, two or
 * more were not, and nearly all of the latter have more traffic than the former. */
static bool is_wrapping(const struct verify_sample *v, unsigned n)
{
	unsigned pairs = 0, ordered = 0, cut = 0;

	for (unsigned i = 0; i < n; i++)
		cut += v[i].count / v[i].moved[VERIFY_EXPECTED] < 1 - WIDEST;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < n; j++) {
			double all = v[i].moved[VERIFY_EXPECTED];
			double lost = v[j].moved[VERIFY_EXPECTED];
			bool is_pair = fabs(v[i].count / all - 1) < WIDEST &&
				v[j].count / lost < 1 - WIDEST;

			pairs += is_pair;
			ordered += is_pair && all < lost;
		}
	return cut > 1 && pairs > 1 && ordered >= 0.9 * pairs;
}

/* Names the causes that the slopes fit, those first that say most. */
static void name_slopes(const struct line *lines, struct verify_verdict *ret)
{
	double b = lines[VERIFY_EXPECTED].slope, k = channels(b);
	const struct { enum verify_cause cause; double slopes[VERIFY_TRAFFICS]; } rows[] = {
		{ VERIFY_RIGHT, { 1, 0, 0 } }, { VERIFY_TWICE, { 2, 0, 0 } },
		{ VERIFY_HALF, { 0.5, 0, 0 } }, { VERIFY_COPIES, { fmax(2, round(b)), 0, 0 } },
		{ VERIFY_DIRECTION, { 0, 1, 0 } }, { VERIFY_BOTH, { 1, 1, 0 } },
		{ VERIFY_SOCKETS, { 0, 0, 1 } }, { VERIFY_DEAD, { k >= 3 ? 1 - 1 / k : -1 } },
		{ VERIFY_LOST, { b > LOST_MIN && b < 1 - TOLERANCE ? b : -1 } },
	};

	for (unsigned i = 0; i < COUNT(rows) && ret->n_causes < VERIFY_NAMED; i++) {
		bool fits = true;

		for (unsigned t = 0; t < VERIFY_TRAFFICS; t++)
			fits &= fabs(lines[t].slope - rows[i].slopes[t]) <=
				TOLERANCE * fmax(1, rows[i].slopes[t]) + lines[t].half;
		if (fits)
			ret->causes[ret->n_causes++] = rows[i].cause;
		if (fits && rows[i].cause == VERIFY_RIGHT)
			break;
	}
}

void verify_judge(const struct verify_sample *v, unsigned n, struct verify_verdict *ret)
{
	struct line lines[VERIFY_TRAFFICS], *l = &lines[VERIFY_EXPECTED];
	unsigned stuck = 0;

	assert(n >= VERIFY_SAMPLES_MIN && n <= VERIFY_SAMPLES_MAX);
	for (unsigned i = 0; i < n; i++)
		stuck += v[i].moved[VERIFY_EXPECTED] > 0 && fabs(v[i].count) <= 0;
	for (unsigned t = 0; t < VERIFY_TRAFFICS; t++)
		lines[t] = fit(v, n, t);
	*ret = (struct verify_verdict){ .slope = l->slope, .low = l->low, .high = l->high,
					.background = l->rest };
	for (unsigned i = 0; i < n; i++) {
		double moved = alone(&v[i], VERIFY_EXPECTED) * v[i].seconds;

		if (moved > 0) {
			ret->moved += moved;
			ret->counted += v[i].count;
		}
	}
	if (stuck >= 2 && lines[VERIFY_OTHER_DIRECTION].slope < 0.5 &&
	    lines[VERIFY_OTHER_SOCKETS].slope < 0.5) {  /* and it counts nothing else */
		ret->causes[ret->n_causes++] = VERIFY_STUCK;
		return;
	}
	/* no one slope explains the samples, or the fit left out those that wrapped */
	if (is_wrapping(v, n) && (l->half > TOLERANCE || l->slope > 1 - 2 * TOLERANCE))
		ret->causes[ret->n_causes++] = VERIFY_WRAP;
	if (l->rest > BACKGROUND * l->most)
		ret->causes[ret->n_causes++] = VERIFY_BACKGROUND;
	if (l->most <= 0 || l->half > WIDEST * fmax(1, l->slope))
		ret->causes[ret->n_causes++] = VERIFY_NOISY;
	if (!ret->n_causes)
		name_slopes(lines, ret);
	if (!ret->n_causes)
		ret->causes[ret->n_causes++] = VERIFY_UNKNOWN;
}
