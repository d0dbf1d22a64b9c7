/* distribution_same.c - which peaks and distributions go on over a reload.
 *
 * Owns:  whether two metrics are of the same formula.
 * Never: values (sample/).
 * Pure; main thread.
 */
#include "plan/plan.h"

#include "base/bits.h"

#include <string.h>

/* A side of a metric, whose slots are those of a round. */
struct side {
	const struct plan_slot *slots;
	const struct plan_addend *v;
	unsigned n;
};

static bool addend_same(const struct side *a, const struct plan_addend *x, const struct side *b,
			const struct plan_addend *y)
{
	if (x->weight != y->weight)
		return false;
	if (x->slot < 0 || y->slot < 0)
		return x->slot == y->slot;
	return strcmp(a->slots[x->slot].identity, b->slots[y->slot].identity) == 0;
}

/* In whatever order they stand. */
static bool side_same(const struct side *a, const struct side *b)
{
	for (unsigned i = 0; a->n == b->n && i < a->n; i++) {
		unsigned k = 0;

		while (k < b->n && !addend_same(a, &a->v[i], b, &b->v[k]))
			k++;
		if (k == b->n)
			return false;
	}
	return a->n == b->n;
}

/* The same inputs, weighed and put together alike? m is one of s, o one of t. */
static bool formula_same(const struct plan_socket *s, const struct plan_metric *m,
			 const struct plan_socket *t, const struct plan_metric *o)
{
	const struct plan_slot *ms = s->rounds[m->round].slots;
	const struct plan_slot *os = t->rounds[o->round].slots;
	struct plan_addend clock_m = { m->cycles_of, 1 }, clock_o = { o->cycles_of, 1 };
	struct side mine[] = { { ms, m->num, m->n_num }, { ms, m->den, m->n_den },
			       { ms, m->guard_num, m->n_guard_num },
			       { ms, m->guard_den, m->n_guard_den }, { ms, &clock_m, 1 } };
	struct side other[] = { { os, o->num, o->n_num }, { os, o->den, o->n_den },
				{ os, o->guard_num, o->n_guard_num },
				{ os, o->guard_den, o->n_guard_den }, { os, &clock_o, 1 } };
	bool same = m->counter == o->counter && m->complement == o->complement &&
		    m->clamp == o->clamp && m->scale == o->scale && m->guard_max == o->guard_max;

	for (size_t i = 0; same && i < COUNT(mine); i++)
		same = side_same(&mine[i], &other[i]);
	return same;
}

bool plan_distribution_same(const struct plan_socket *s, const struct plan_distribution *a,
			    const struct plan_socket *t, const struct plan_distribution *b)
{
	return strcmp(a->key, b->key) == 0 &&
		formula_same(s, plan_distribution_metric(s, a), t, plan_distribution_metric(t, b));
}
