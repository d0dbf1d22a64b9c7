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

/* Is it worth a word: of a group that was written, and not said of a group before? */
static bool is_news(const struct plan_socket *s, unsigned n)
{
	const struct plan_lacking *v = &s->lacking[n];

	for (unsigned i = 0; i < n; i++) {
		const struct plan_lacking *before = &s->lacking[i];

		if (!before->ready_made && strcmp(before->event, v->event) == 0 &&
		    strcmp(before->metric, v->metric) == 0)
			return false;
	}
	return !v->ready_made;
}

/* Is it the first of what its event would add to its group? */
static bool is_first(const struct plan_socket *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (same_event(&s->lacking[i], &s->lacking[n]) && is_news(s, i))
			return false;
	return is_news(s, n);
}

/* The metrics that one event would add, from the first row that names it. */
static void print_event(const struct plan_socket *s, unsigned first)
{
	for (unsigned i = first; i < s->n_lacking; i++)
		if (same_event(&s->lacking[i], &s->lacking[first]) && is_news(s, i))
			printf("%s%s", i == first ? "" : ", ", s->lacking[i].metric);
	printf(" (add %s to group %s)", s->lacking[first].event, s->lacking[first].group);
}

/* "50 series on each of 2 sockets"; "100 series: 100 on socket 0, none on socket 1". */
static void print_series(const struct plan *p)
{
	unsigned first = p->sockets[0].n_exported;
	bool same = true;

	for (unsigned i = 1; i < p->n_sockets; i++)
		same &= p->sockets[i].n_exported == first;
	if (same) {
		printf("%u series on %s%u socket%s", first, p->n_sockets > 1 ? "each of " : "",
		       p->n_sockets, plural(p->n_sockets));
		return;
	}
	printf("%u series: ", p->n_series);
	for (unsigned i = 0; i < p->n_sockets; i++) {
		const struct plan_socket *s = &p->sockets[i];

		fputs(i ? ", " : "", stdout);
		if (s->n_exported)
			printf("%u on socket %u", s->n_exported, s->id);
		else
			printf("none on socket %u", s->id);
	}
}

void check_summary_print(const struct plan *p)
{
	const struct plan_socket *s = &p->sockets[0];   /* the others' groups are the same */
	const char *before = "; with one event more: ";

	printf("%u group%s, %u round%s, ", s->n_groups, plural(s->n_groups), s->n_rounds,
	       plural(s->n_rounds));
	print_series(p);
	for (unsigned i = 0; i < s->n_lacking; i++)
		if (is_first(s, i)) {
			fputs(before, stdout);
			before = "; ";
			print_event(s, i);
		}
	putchar('\n');
}
