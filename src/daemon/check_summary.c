/* SPDX-License-Identifier: MIT */
#include "daemon/check_summary.h"

#include <stdio.h>
#include <string.h>

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

static bool same_event(const struct plan_lacking *a, const struct plan_lacking *b)
{
	return strcmp(a->group, b->group) == 0 && strcmp(a->event, b->event) == 0;
}

static bool same_row(const struct plan_lacking *a, const struct plan_lacking *b)
{
	return same_event(a, b) && strcmp(a->metric, b->metric) == 0;
}

/* Does a row before number n say the same? */
static bool is_repeated(const struct plan_socket *s, unsigned n,
			bool (*same)(const struct plan_lacking *, const struct plan_lacking *))
{
	for (unsigned i = 0; i < n; i++)
		if (same(&s->lacking[i], &s->lacking[n]))
			return true;
	return false;
}

/* The metrics that one event would add, from the first row that names it. */
static void print_event(const struct plan_socket *s, unsigned first)
{
	for (unsigned i = first; i < s->n_lacking; i++)
		if (same_event(&s->lacking[i], &s->lacking[first]) && !is_repeated(s, i, same_row))
			printf("%s%s", i == first ? "" : ", ", s->lacking[i].metric);
	printf(" (add %s to group %s)", s->lacking[first].event, s->lacking[first].group);
}

void check_summary_print(const struct plan *p)
{
	const struct plan_socket *s = &p->sockets[0];   /* the others' groups are the same */
	unsigned n = p->n_sockets;
	bool each = n > 1 && p->n_series % n == 0;
	const char *before = "; missing: ";

	printf("%u group%s, %u round%s, ", s->n_groups, plural(s->n_groups), s->n_rounds,
	       plural(s->n_rounds));
	printf("%u series on %s%u socket%s", each ? p->n_series / n : p->n_series,
	       each ? "each of " : "", n, plural(n));
	for (unsigned i = 0; i < s->n_lacking; i++)
		if (!is_repeated(s, i, same_event)) {
			fputs(before, stdout);
			before = "; ";
			print_event(s, i);
		}
	putchar('\n');
}
