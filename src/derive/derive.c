/* derive.c - see derive.h. */
#include "config.h"

#include "derive/derive.h"

#include <math.h>

/* A unit that does not exist adds nothing to a sum over units; a sum of nothing but such units is none. */
static bool addends_usable(const struct plan_metric *m, const struct plan_addend *a, unsigned n, const bool *usable,
			   const bool *absent)
{
	unsigned slots = 0, left = 0;

	for (unsigned i = 0; i < n; i++) {
		if (a[i].slot < 0)
			continue;
		slots++;
		if (m->sum && absent[a[i].slot])
			continue;
		if (!usable[a[i].slot])
			return false;
		left++;
	}
	return left || !slots;
}

/* Sum of one side; events are summed over units first, in the order of the row, and divided once. */
static double addends_sum(const struct plan_addend *a, unsigned n, const uint64_t *delta, const bool *absent, double seconds)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		if (a[i].slot >= 0)
			sum += absent[a[i].slot] ? 0 : a[i].weight * (double)delta[a[i].slot];
		else
			sum += a[i].slot == -1 ? a[i].weight * seconds : a[i].weight;
	}
	return sum;
}

enum derive_state derive_eval(const struct plan_metric *m, const uint64_t *delta, const bool *usable, const bool *absent,
			      nsec window, double *ret)
{
	double seconds = (double)window / (double)NSEC_PER_SEC, den, v;

	if (window <= 0)
		return DERIVE_NONE;
	if (!addends_usable(m, m->num, m->n_num, usable, absent) ||
	    !addends_usable(m, m->den, m->n_den, usable, absent) ||
	    !addends_usable(m, m->guard_num, m->n_guard_num, usable, absent) ||
	    !addends_usable(m, m->guard_den, m->n_guard_den, usable, absent) || (m->cycles_of >= 0 && !usable[m->cycles_of]))
		return DERIVE_UNUSABLE;

	den = addends_sum(m->den, m->n_den, delta, absent, seconds);
	if (!(den > 0))
		return DERIVE_NONE;
	if (m->n_guard_num) {
		double gd = addends_sum(m->guard_den, m->n_guard_den, delta, absent, seconds);
		double gn = addends_sum(m->guard_num, m->n_guard_num, delta, absent, seconds);

		if (!(gd > 0))
			return DERIVE_NONE;
		if (gn > gd * m->guard_max)
			return DERIVE_CONFLICT;
	}
	v = m->scale * addends_sum(m->num, m->n_num, delta, absent, seconds) / den;
	if (m->cycles_of >= 0) {
		if (!delta[m->cycles_of])
			return DERIVE_NONE;
		v *= seconds / (double)delta[m->cycles_of];
	}
	if (m->complement)
		v = 1 - v;
	if (m->clamp)
		v = v < 0 ? 0 : v > 1 ? 1 : v;
	if (!isfinite(v))
		return DERIVE_NONE;
	*ret = v;
	return DERIVE_VALID;
}

enum derive_state derive_total(const struct plan_metric *m, const uint64_t *total, const bool *usable,
			       const bool *absent, uint64_t *ret)
{
	uint64_t sum = 0;

	if (!addends_usable(m, m->num, m->n_num, usable, absent))
		return DERIVE_UNUSABLE;
	for (unsigned i = 0; i < m->n_num; i++)
		if (m->num[i].slot >= 0 && !absent[m->num[i].slot])
			sum += (uint64_t)(int64_t)m->num[i].weight * total[m->num[i].slot];
	*ret = sum * (uint64_t)(int64_t)m->scale;
	return DERIVE_VALID;
}

enum derive_state derive_rate(const struct plan_metric *m, const uint64_t *delta, const bool *usable, const bool *absent,
			      nsec window, double *ret)
{
	enum derive_state state;
	uint64_t total;

	if (window <= 0)
		return DERIVE_NONE;
	state = derive_total(m, delta, usable, absent, &total);
	if (state == DERIVE_VALID)
		*ret = (double)total / ((double)window / (double)NSEC_PER_SEC);
	return state;
}
