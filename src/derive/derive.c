/* SPDX-License-Identifier: MIT
 * One row on one window; see derive.h.
 * Owns:  the formula, the order of its sums, what omits a value.
 * Never: when it is evaluated.
 */
#include "derive/derive.h"

#include <math.h>

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
		if (m->sum && slots[a->slot].absent)
			continue;
		if (!slots[a->slot].usable)
			return false;
		left++;
		sum += a->weight * (double)slots[a->slot].count;
	}
	*ret = sum;
	return left || !all;
}

enum derive_state derive_eval(const struct plan_metric *m, const struct derive_input *slots,
			      nsec window, double *ret)
{
	double seconds = (double)window / (double)NSEC_PER_SEC, num, den, gn = 0, gd = 1, v;
	const struct derive_input *clock = m->clock.n ? &slots[m->clock.v->slot] : NULL;

	if (window <= 0)
		return DERIVE_NONE;
	if (!addends_sum(m, &m->num, slots, seconds, &num) ||
	    !addends_sum(m, &m->den, slots, seconds, &den) || (clock && !clock->usable))
		return DERIVE_UNUSABLE;
	if (m->guard_num.n && (!addends_sum(m, &m->guard_num, slots, seconds, &gn) ||
			       !addends_sum(m, &m->guard_den, slots, seconds, &gd)))
		return DERIVE_UNUSABLE;
	if (!(den > 0) || !(gd > 0))
		return DERIVE_NONE;
	if (m->guard_num.n && gn > gd * m->guard_max)
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
			      nsec window, double *ret)
{
	unsigned left = 0;
	uint64_t sum = 0;

	if (window <= 0)
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
	*ret = (double)derive_scale(m, sum) / ((double)window / (double)NSEC_PER_SEC);
	return DERIVE_VALID;
}
