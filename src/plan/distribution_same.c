/* SPDX-License-Identifier: MIT
 * Which peaks and distributions continue over a reload.
 * Owns:  whether two metrics are of the same formula.
 * Never: values (sample/).
 * Pure; main thread.
 */
#include "plan/plan.h"

#include <string.h>

static bool addend_same(const struct plan_slot *a, const struct plan_addend *x,
			const struct plan_slot *b, const struct plan_addend *y)
{
	if (x->weight != y->weight)
		return false;
	if (x->slot < 0 || y->slot < 0)
		return x->slot == y->slot;
	return strcmp(a[x->slot].identity, b[y->slot].identity) == 0;
}

/* The same addends, in any order; a and b: the slots of their rounds. */
static bool sum_same(const struct plan_slot *a, const struct plan_sum *x,
		     const struct plan_slot *b, const struct plan_sum *y)
{
	for (unsigned i = 0; x->n == y->n && i < x->n; i++) {
		unsigned k = 0;

		while (k < y->n && !addend_same(a, &x->v[i], b, &y->v[k]))
			k++;
		if (k == y->n)
			return false;
	}
	return x->n == y->n;
}

static bool knee_same(const struct plan_metric *m, const struct plan_metric *o)
{
	const struct plan_knee *a = m->knee, *b = o->knee;
	bool same = !a == !b && m->headroom == o->headroom && (!a || a->n == b->n);

	for (unsigned i = 0; same && a && i < a->n; i++)
		same = a->mix[i].reads == b->mix[i].reads &&
		       a->mix[i].bytes_per_second == b->mix[i].bytes_per_second;
	return same;
}

/* The same inputs, weighed and put together alike? m is one of s, o one of t. */
static bool formula_same(const struct plan_socket *s, const struct plan_metric *m,
			 const struct plan_socket *t, const struct plan_metric *o)
{
	bool same = m->counter == o->counter && m->complement == o->complement &&
		    m->clamp == o->clamp && m->bounded == o->bounded && m->scale == o->scale &&
		    m->guard_max == o->guard_max && m->clock_most == o->clock_most &&
		    m->with_memory == o->with_memory && knee_same(m, o);

	for (unsigned i = 0; same && i < METRIC_SUMS; i++)
		same = sum_same(s->rounds[m->round].slots, &m->sums[i], t->rounds[o->round].slots,
				&o->sums[i]);
	return same;
}

bool plan_distribution_same(const struct plan_socket *s, const struct plan_distribution *a,
			    const struct plan_socket *t, const struct plan_distribution *b)
{
	return strcmp(a->key, b->key) == 0 &&
		formula_same(s, plan_distribution_metric(s, a), t, plan_distribution_metric(t, b));
}
