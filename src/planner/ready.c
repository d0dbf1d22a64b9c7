/* SPDX-License-Identifier: MIT
 * The ready-made groups of a machine's PMUs: those of the catalog's tables, and one for each PMU
 * that no table knows.
 * Owns:  which groups there are and what is in them. Whoever lists, names, plans or describes one
 *        asks here.
 * Never: which of them count without a configuration (defaults.c).
 * Pure; main thread.
 */
#include "planner/planning.h"

#include "base/name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_EVENTS = 4 };           /* of one PMU: uncore PMUs have four counters */

/* ------------------------------------------------------------------ sets */

static bool has_group(const struct spec_machine *m, const char *name)
{
	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; !t->sets && i < t->n_groups; i++)
			if (strcmp(t->groups[i].name, name) == 0)
				return true;
	return false;
}

bool ready_may_mean_sets(const struct conf *c, const struct spec_machine *m)
{
	for (unsigned i = 0; c->groups_given && i < c->n_groups; i++)
		if (!c->groups[i].ready_made || !has_group(m, c->groups[i].name))
			return true;
	return false;
}

/* ------------------------------------------------------------------ series */

bool ready_units(const struct spec_machine *m, const struct spec_perf *p, unsigned each,
		 unsigned *series)
{
	const struct topo *t = m->perf_topo;
	bool any = false;

	for (unsigned i = 0; i < p->n; i++) {
		const struct topo_pmu *pmu = p->v[i].pmu;

		for (unsigned s = 0; s < t->n_sockets; s++) {
			unsigned n = perf_places(m, &t->sockets[s], pmu, NULL);

			any |= n > 0;
			series[s] += n * each;
		}
	}
	return any;
}

bool ready_series(const struct spec_machine *m, const struct spec_perf *p, unsigned *series)
{
	return ready_units(m, p, p->unit ? 2 : 1, series);
}

unsigned ready_most(const struct spec_machine *m, const unsigned *series)
{
	unsigned most = 0;

	for (unsigned s = 0; s < m->perf_topo->n_sockets; s++)
		if (series[s] > most)
			most = series[s];
	return most;
}

/* ------------------------------------------------------------------ which events come first */

/* What an event says: the kernel gives its unit; it has a name of what is asked for; anything; how
 * many clocks went by. */
enum worth { WORTH_SCALED, WORTH_NAMED, WORTH_OTHER, WORTH_CLOCK };

/* What its name is about, one of each before the second of any. */
enum kind { KIND_READ, KIND_WRITE, KIND_HIT, KIND_MISS, KIND_OTHER };

struct candidate {
	const char *spec;
	struct spec_perf p;
	enum worth worth;
	enum kind kind;
	bool amount;                /* its name speaks of bytes or data */
	unsigned turn;              /* how many of its PMU, worth and kind come before it */
	unsigned family, at;        /* its PMU, and its place in the kernel's list of events */
	bool taken;
};

/* Is one of the words of a name in the list? */
static bool has_word(const char *name, const char *list)
{
	while (*name) {
		size_t n = 0;

		while (isalpha((unsigned char)name[n]))
			n++;
		if (n && name_listed(list, name, n))
			return true;
		name += n ? n : 1;
	}
	return false;
}

static enum kind kind_of(const char *name)
{
	static const char *const words[] = {
		[KIND_READ] = "read reads rd", [KIND_WRITE] = "write writes wr",
		[KIND_HIT] = "hit hits", [KIND_MISS] = "miss misses",
	};
	enum kind k = KIND_READ;

	while (k < KIND_OTHER && !has_word(name, words[k]))
		k++;
	return k;
}

static enum worth worth_of(struct arena *a, const struct candidate *c)
{
	if (perf_base_scale(a, &c->p, NULL) > 0)
		return WORTH_SCALED;
	if (c->kind != KIND_OTHER)
		return WORTH_NAMED;
	return has_word(c->p.event, "clock clocks clockticks clk cycle cycles ticks dclk uclk tsc")
		? WORTH_CLOCK : WORTH_OTHER;
}

/* Of one PMU, worth and kind. */
static bool is_before(const struct candidate *x, const struct candidate *y)
{
	return x->amount != y->amount ? x->amount : x->at < y->at;
}

static int by_worth(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? -1 : 1;
	if (x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->family < y->family ? -1 : x->family > y->family;
}

/* ------------------------------------------------------------------ PMUs without a table */

static bool is_of_box(const char *pmu, const char *box)
{
	size_t prefix = strncmp(pmu, "uncore_", strlen("uncore_")) == 0 ? strlen("uncore_") : 0;
	char name[PERF_NAME];

	/* Numbers may be in any word of a name but the first; most differ there already. */
	if (strncmp(pmu + prefix, box, strcspn(box, "_")) != 0)
		return false;
	perf_pmu_box(pmu, name, sizeof(name), NULL);
	return strcmp(name, box) == 0;
}

/* msr, software and the like have no cpumask: they count where they are asked to, and that is not
 * the uncore. */
static bool counts_sockets(const struct topo_pmus *pmus, const char *box)
{
	for (unsigned i = 0; i < pmus->n; i++)
		if (is_of_box(pmus->v[i].name, box) && pmus->v[i].n_cpumask)
			return true;
	return false;
}

/* The PMUs that no table knows, and their events. */
struct made {
	struct arena *a;
	const struct spec_machine *m;
	struct family {
		const struct topo_pmu *pmu;     /* its first instance */
		struct ready_group group;
		unsigned n, n_taken;            /* events that can be counted, and are */
		const char *left;               /* the best that is not */
	} *families;
	unsigned n_families;
	struct candidate *v;
	unsigned n;
};

/* The events that a PMU names and that can be counted; a sentence about the first that cannot. */
static void add_candidates(struct made *d, unsigned family)
{
	struct family *f = &d->families[family];
	unsigned first = d->n;

	for (unsigned i = 0; i < f->pmu->n_events; i++) {
		const struct topo_term *e = &f->pmu->events[i];
		struct candidate c = { .kind = kind_of(e->name), .at = i, .family = family,
				       .amount = has_word(e->name, "byte bytes data") };
		unsigned *none = arena_alloc(d->a, d->m->perf_topo->n_sockets, sizeof(*none));
		struct err err = { "" };
		struct spec s;

		if (e->snapshot || strstr(e->text, "=?"))
			continue;
		c.spec = arena_printf(d->a, "perf/%s/%s/", perf_family(f->pmu->name).s, e->name);
		if (spec_parse(d->a, c.spec, &s, &err) < 0 ||
		    perf_resolve_here(d->a, d->m, &s, &c.p, &err) < 0) {
			if (!f->group.n_notes)
				*ARENA_ADD(d->a, f->group.notes, f->group.n_notes) =
					arena_text(d->a, err.text);
			continue;
		}
		if (!ready_series(d->m, &c.p, none))
			continue;
		c.worth = worth_of(d->a, &c);
		*ARENA_ADD(d->a, d->v, d->n) = c;
	}
	for (unsigned i = first; i < d->n; i++)
		for (unsigned k = first; k < d->n; k++)
			d->v[i].turn += d->v[k].worth == d->v[i].worth &&
					d->v[k].kind == d->v[i].kind &&
					is_before(&d->v[k], &d->v[i]);
	f->n = d->n - first;
}

/* Does a table speak of this box (those of sets add groups to what is there without them), has one
 * a group of that name, or is it added already? */
static bool is_known(const struct made *d, const struct ready_groups *tables, const char *box)
{
	for (unsigned i = 0; i < d->n_families; i++)
		if (strcmp(d->families[i].group.group->name, box) == 0)
			return true;
	for (unsigned i = 0; i < tables->n; i++)
		if (strcmp(tables->v[i].group->name, box) == 0)
			return true;
	for PERF_EACH_TABLE(t, d->m)
		for (unsigned i = 0; !t->sets && i < t->n_pmus; i++)
			if (is_of_box(t->pmus[i].name, box))
				return true;
	return false;
}

static void add_family(struct made *d, const struct topo_pmu *pmu, const char *box)
{
	struct cat_group *g = arena_alloc(d->a, 1, sizeof(*g));
	struct family *f = ARENA_ADD(d->a, d->families, d->n_families);

	g->name = arena_text(d->a, box);
	g->specs = arena_alloc(d->a, MADE_EVENTS + 1, sizeof(*g->specs));
	g->help = arena_printf(d->a, "Events of the kernel's PMU %s, of which uncored has no "
			       "table", perf_family(pmu->name).s);
	f->pmu = pmu;
	f->group.group = g;
	add_candidates(d, d->n_families - 1);
}

static void take(struct family *f, struct candidate *c)
{
	/* the array is this file's, and has an end behind the last one */
	((const char **)f->group.group->specs)[f->n_taken++] = c->spec;
	c->taken = true;
}

/* The best events of all of them, as many as a PMU's counters and a socket's series have room for;
 * of each PMU one at least. */
static void choose(struct made *d)
{
	unsigned n = d->m->perf_topo->n_sockets;
	unsigned *used = arena_alloc(d->a, n, sizeof(*used));

	if (d->n > 1)
		qsort(d->v, d->n, sizeof(*d->v), by_worth);
	for (unsigned i = 0; i < d->n; i++) {
		struct family *f = &d->families[d->v[i].family];
		unsigned *with = arena_copy(d->a, used, n, sizeof(*with));

		ready_series(d->m, &d->v[i].p, with);
		if (f->n_taken == MADE_EVENTS || ready_most(d->m, with) > READY_SERIES)
			continue;
		take(f, &d->v[i]);
		used = with;
	}
	for (unsigned i = 0; i < d->n; i++) {
		struct family *f = &d->families[d->v[i].family];

		if (!f->n_taken)
			take(f, &d->v[i]);
		if (!d->v[i].taken && !f->left)
			f->left = d->v[i].spec;
	}
}

static void note_left(struct made *d, struct family *f)
{
	if (f->left)
		*ARENA_ADD(d->a, f->group.notes, f->group.n_notes) =
			arena_printf(d->a, "The ready-made group '%s' counts %u of the %u events "
				     "of the kernel's PMU %s; a group of your own counts others, "
				     "such as %s (uncorectl list events %s).",
				     f->group.group->name, f->n_taken, f->n,
				     perf_family(f->pmu->name).s, f->left, f->group.group->name);
}

void ready_groups(struct arena *a, const struct spec_machine *m, struct ready_groups *ret)
{
	const struct topo_pmus *pmus = m->pmus;
	struct made d = { .a = a, .m = m };

	*ret = (struct ready_groups){ .v = NULL };
	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; i < t->n_groups; i++)
			*ARENA_ADD(a, ret->v, ret->n) =
				(struct ready_group){ .table = t, .group = &t->groups[i] };
	for (unsigned i = 0; pmus && i < pmus->n; i++) {
		char box[PERF_NAME];

		if (!perf_is_first(pmus, &pmus->v[i]))
			continue;
		perf_pmu_box(pmus->v[i].name, box, sizeof(box), NULL);
		if (!is_known(&d, ret, box) && counts_sockets(pmus, box))
			add_family(&d, &pmus->v[i], box);
	}
	choose(&d);
	for (unsigned i = 0; i < d.n_families; i++) {
		if (!d.families[i].n_taken)
			continue;
		note_left(&d, &d.families[i]);
		*ARENA_ADD(a, ret->v, ret->n) = d.families[i].group;
	}
}
