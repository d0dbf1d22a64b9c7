/* SPDX-License-Identifier: MIT
 * One row on one window; see derive.h.
 * Owns:  the formula, the order of its sums, what omits a value.
 * Never: when it is evaluated.
 */
#include "derive/derive.h"

#include "base/num.h"

#include <math.h>

/* Shares of reads that are nearer are of one mix: published curves tell mixes apart by one percent,
 * and of two such neighbours one may wait 1.5 times the least and the other a little less. */
#define SAME_MIX 0.005

/* Does the sum do without it? */
static bool left_out(const struct plan_metric *m, const struct derive_input *in)
{
	return (m->sum && in->absent) || (m->with_memory && in->empty);
}

/* Numerator or denominator, in the order of the row. An absent unit adds nothing to a sum over
 * units. False: an input is not usable, or all units are absent. */
static bool addends_sum(const struct plan_metric *m, const struct plan_sum *of,
			const struct derive_input *slots, double seconds, double *ret)
{
	unsigned all = 0, left = 0;
	double sum = 0;

	for SUM_EACH_ADDEND(a, of) {
		if (a->slot < 0) {
			sum += a->slot == -1 ? a->weight * seconds : a->weight;
			continue;
		}
		all++;
		if (left_out(m, &slots[a->slot]))
			continue;
		if (!slots[a->slot].usable)
			return false;
		left++;
		sum += a->weight * (double)slots[a->slot].count;
	}
	*ret = sum;
	return left || !all;
}

/* By how much of a denominator a quotient may be wrong because counts are whole numbers: a count at
 * either end of the window for each addend. */
static double counts_step(const struct plan_metric *m, double den)
{
	double counts = 0;

	for SUM_EACH_ADDEND(a, &m->num)
		counts += a->slot < 0 ? 0 : fabs(m->scale * a->weight);
	for SUM_EACH_ADDEND(a, &m->den)
		counts += a->slot < 0 ? 0 : fabs(a->weight);
	return 2 * counts / den;
}

/* By how much of itself one count may be larger than another for the times at which they were read:
 * a window ends in the middle of a read, so either may be half of it off. */
static double reads_apart(const struct derive_window *w)
{
	double apart = (double)w->apart, least = (double)w->length - apart / 2;

	return least > 0 ? apart / least : INFINITY;
}

/*
 * A share of what there is at most, on counters that are read one after the other. One that is full
 * comes out above 1 in one window and below in the next, by the difference of two reads. Outside of
 * 0..1 by more than that: the counters contradict what the row takes for the most. Below 1 only as
 * far as something held these reads up: what every read does alike cancels out.
 */
static enum derive_state within_bounds(const struct plan_metric *m, const struct derive_window *w,
				       double den, double *v)
{
	double step = counts_step(m, den);
	double apart = reads_apart(w) + step;
	double held = (double)w->held / (double)w->length + step;

	if (*v > 1 + apart || *v < -apart)
		return DERIVE_CONFLICT;
	if (*v > 1 - held)
		*v = 1;
	if (*v < 0)
		*v = 0;
	return DERIVE_VALID;
}

bool derive_too_fast(const struct plan_metric *m, uint64_t count, const struct derive_window *w)
{
	double most = (double)w->length + (double)w->apart / 2;

	return m->clock_most > 0 && (double)count > m->clock_most * most / (double)NSEC_PER_SEC;
}

/* Is a clock of the sum faster than the row holds for? */
static bool too_fast(const struct plan_metric *m, const struct plan_sum *of,
		     const struct derive_input *slots, const struct derive_window *w)
{
	for SUM_EACH_ADDEND(a, of)
		if (a->slot >= 0 && slots[a->slot].usable && !left_out(m, &slots[a->slot]) &&
		    derive_too_fast(m, slots[a->slot].count, w))
			return true;
	return false;
}

/* The guard of a share compares the counters that it is made of: by as much as they may differ. */
static double guard_slack(const struct plan_metric *m, const struct derive_window *w)
{
	return m->bounded ? 1 + reads_apart(w) : 1;
}

/* The least traffic at which there is a knee. */
static double knee_least(const struct plan_knee *k)
{
	double least = INFINITY;

	for (unsigned i = 0; i < k->n; i++)
		if (k->mix[i].bytes_per_second > 0)
			least = num_smaller(least, k->mix[i].bytes_per_second);
	return least;
}

/* Where a mix has no knee, what it moves at most: there its reads wait less than at a knee. */
static double limit_of(const struct plan_knee_mix *m)
{
	return m->bytes_per_second > 0 ? m->bytes_per_second : m->most;
}

/* Is it this mix, and has that no knee? */
static bool is_without(const struct plan_knee_mix *m, double reads)
{
	return !(m->bytes_per_second > 0) && fabs(m->reads - reads) < SAME_MIX;
}

/* For a share of reads, 0..1: between two that were measured the time of a byte changes with the
 * share, as if each byte that is read took one time and each that is written another. Beyond them
 * it is that of the nearest. 0: the mix is, or is beyond, or lies between such as have none. */
static double knee_of_share(const struct plan_knee *k, double reads)
{
	const struct plan_knee_mix *low, *high;
	double part, time;
	unsigned i = 0;

	while (i + 1 < k->n && k->mix[i].reads < reads)
		i++;
	high = &k->mix[i];
	low = i ? high - 1 : high;
	if (reads <= low->reads)
		return low->bytes_per_second;
	if (reads >= high->reads)
		return high->bytes_per_second;
	if (is_without(low, reads) || is_without(high, reads) ||
	    !(low->bytes_per_second > 0 || high->bytes_per_second > 0))
		return 0;
	part = (reads - low->reads) / (high->reads - low->reads);
	time = (1 - part) / limit_of(low) + part / limit_of(high);
	return 1 / time;
}

/* Without traffic there is no mix, and one that is not told apart is unknown: then the limit is the
 * least one. */
static enum derive_state knee_eval(const struct plan_metric *m, const struct derive_input *slots,
				   double seconds, double *ret)
{
	double read, written, knee;

	if (!addends_sum(m, &m->num, slots, seconds, &read) ||
	    !addends_sum(m, &m->den, slots, seconds, &written))
		return DERIVE_UNUSABLE;
	if (m->den.n && read + written > 0)
		knee = knee_of_share(m->knee, read / (read + written));
	else
		knee = knee_least(m->knee);
	if (!(knee > 0))
		return DERIVE_CONFLICT;
	*ret = m->headroom ? 1 - m->scale * (read + written) / seconds / knee : knee;
	return DERIVE_VALID;
}

enum derive_state derive_eval(const struct plan_metric *m, const struct derive_input *slots,
			      const struct derive_window *window, double *ret)
{
	double seconds = (double)window->length / (double)NSEC_PER_SEC, num, den, gn = 0, gd = 1, v;
	const struct derive_input *clock = m->clock.n ? &slots[m->clock.v->slot] : NULL;

	if (window->length <= 0)
		return DERIVE_NONE;
	if (m->of_knee)
		return knee_eval(m, slots, seconds, ret);
	if (!addends_sum(m, &m->num, slots, seconds, &num) ||
	    !addends_sum(m, &m->den, slots, seconds, &den) || (clock && !clock->usable))
		return DERIVE_UNUSABLE;
	if (m->guard_num.n && (!addends_sum(m, &m->guard_num, slots, seconds, &gn) ||
			       !addends_sum(m, &m->guard_den, slots, seconds, &gd)))
		return DERIVE_UNUSABLE;
	if (!(den > 0) || !(gd > 0))
		return DERIVE_NONE;
	if (m->guard_num.n && gn > gd * m->guard_max * guard_slack(m, window))
		return DERIVE_CONFLICT;
	if (too_fast(m, &m->den, slots, window))
		return DERIVE_CONFLICT;
	v = m->scale * num / den;
	if (clock && !clock->count)
		return DERIVE_NONE;
	if (clock)
		v *= seconds / (double)clock->count;
	if (m->complement)
		v = 1 - v;
	if (m->clamp && v < 0)
		v = 0;
	if (m->clamp && v > 1)
		v = 1;
	if (!isfinite(v))
		return DERIVE_NONE;
	if (m->bounded && within_bounds(m, window, den, &v) != DERIVE_VALID)
		return DERIVE_CONFLICT;
	*ret = v;
	return DERIVE_VALID;
}

uint64_t derive_scale(const struct plan_metric *m, uint64_t sum)
{
	/* 64 bytes for nine flits of UPI: to the nearest whole byte. */
	return m->scale > trunc(m->scale) ? (uint64_t)((double)sum * m->scale + 0.5) :
	       sum * (uint64_t)(int64_t)m->scale;
}

enum derive_state derive_rate(const struct plan_metric *m, const struct derive_input *slots,
			      const struct derive_window *window, double *ret)
{
	unsigned left = 0;
	uint64_t sum = 0;

	if (window->length <= 0)
		return DERIVE_NONE;
	for SUM_EACH_ADDEND(a, &m->num) {
		if (a->slot < 0 || (m->sum && slots[a->slot].absent))
			continue;
		if (!slots[a->slot].usable)
			return DERIVE_UNUSABLE;
		left++;
		sum += (uint64_t)(int64_t)a->weight * slots[a->slot].count;
	}
	if (!left)
		return DERIVE_UNUSABLE;
	if (too_fast(m, &m->num, slots, window))
		return DERIVE_CONFLICT;
	*ret = (double)derive_scale(m, sum) / ((double)window->length / (double)NSEC_PER_SEC);
	return DERIVE_VALID;
}
