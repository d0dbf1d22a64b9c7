/* derive.c - see derive.h. */
#include "config.h"

#include "derive/derive.h"

#include <math.h>

static bool addends_usable(const struct plan_addend *a, unsigned n, const bool *usable)
{
	for (unsigned i = 0; i < n; i++)
		if (a[i].slot >= 0 && !usable[a[i].slot])
			return false;
	return true;
}

/* Sum of one side; events are summed over units first, in the order of the row, and divided once. */
static double addends_sum(const struct plan_addend *a, unsigned n, const uint64_t *delta, double seconds)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		if (a[i].slot >= 0)
			sum += a[i].weight * (double)delta[a[i].slot];
		else
			sum += a[i].slot == -1 ? a[i].weight * seconds : a[i].weight;
	}
	return sum;
}

enum derive_state derive_eval(const struct plan_metric *m, const uint64_t *delta, const bool *usable, nsec window,
			      double *ret)
{
	double seconds = (double)window / (double)NSEC_PER_SEC, den, v;

	if (window <= 0 || !addends_usable(m->num, m->n_num, usable) || !addends_usable(m->den, m->n_den, usable) ||
	    !addends_usable(m->guard_num, m->n_guard_num, usable) ||
	    !addends_usable(m->guard_den, m->n_guard_den, usable) || (m->cycles_of >= 0 && !usable[m->cycles_of]))
		return DERIVE_NONE;

	den = addends_sum(m->den, m->n_den, delta, seconds);
	if (!(den > 0))
		return DERIVE_NONE;
	if (m->n_guard_num) {
		double gd = addends_sum(m->guard_den, m->n_guard_den, delta, seconds);
		double gn = addends_sum(m->guard_num, m->n_guard_num, delta, seconds);

		if (!(gd > 0))
			return DERIVE_NONE;
		if (gn > gd * m->guard_max)
			return DERIVE_CONFLICT;
	}
	v = m->scale * addends_sum(m->num, m->n_num, delta, seconds) / den;
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

enum derive_state derive_total(const struct plan_metric *m, const uint64_t *total, const bool *usable, uint64_t *ret)
{
	uint64_t sum = 0;

	if (!addends_usable(m->num, m->n_num, usable))
		return DERIVE_NONE;
	for (unsigned i = 0; i < m->n_num; i++)
		if (m->num[i].slot >= 0)
			sum += (uint64_t)(int64_t)m->num[i].weight * total[m->num[i].slot];
	*ret = sum * (uint64_t)(int64_t)m->scale;
	return DERIVE_VALID;
}
