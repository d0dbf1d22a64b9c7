/* SPDX-License-Identifier: MIT
 * What a kernel lacks takes the ready-made metrics along that are made of it,
 * with a reason, and no others.
 * On a machine of each table, one after the other: every PMU that a metric needs, every event that
 * it names and every term of format/ that it writes is taken away. The expected values are the
 * rows' own words, looked at as text.
 */
#include "plan_test.h"
#include "sysfs_tree.h"

#include "spec/kernel.h"
#include "planner/defaults.h"

#include <stdlib.h>

/* One for each table. */
static const char *const trees[] = {
	"nehalem", "nehalem_ex", "snbep", "hsx", "clx", "icx", "sprhbm", "gnr", "srf", "cwf", "skl",
	"tgl", "mtl", "lnl",
	"zen1", "zen2", "zen3", "zen4", "zen5", "zen6", "cmn600", "grace", "vera",
};

static struct topo *topo;
static struct topo_pmus *whole;             /* the machine's */
static const struct cat_metric *ready[128]; /* with all of them */
static unsigned n_ready;

/* ------------------------------------------------------------------ specifications, as text */

struct wanted {
	char pmu[64], terms[256];
};

/* "perf/uncore_cbox_0/event=0x00,name=clockticks/"; false: a word such as seconds. */
static bool spec_split(const char *text, struct wanted *s)
{
	const char *slash = strchr(text, '/'), *next = slash ? strchr(slash + 1, '/') : NULL;

	if (!next)
		return false;
	snprintf(s->pmu, sizeof(s->pmu), "%.*s", (int)(next - slash - 1), slash + 1);
	snprintf(s->terms, sizeof(s->terms), "%.*s", (int)strlen(next + 1) - 1, next + 1);
	return true;
}

/* Of one family? Each is an instance, or the family's name. */
static bool is_of(const char *pmu, const char *other)
{
	return strcmp(perf_family(pmu).s, perf_family(other).s) == 0;
}

/* Is "key=..." or "key" among the terms? */
static bool has_key(const char *terms, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = terms; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
		if (strncmp(s, key, n) == 0 && (!s[n] || s[n] == '=' || s[n] == ','))
			return true;
	return false;
}

/* What an event of the kernel's stands for, and the terms behind its name; the terms themselves if
 * they begin with none. Returns ret. */
static const char *meaning(const struct wanted *s, char ret[512])
{
	size_t n = strcspn(s->terms, ",");

	for (unsigned i = 0; i < whole->n; i++)
		for (unsigned k = 0; is_of(whole->v[i].name, s->pmu) &&
		     k < whole->v[i].n_events; k++) {
			const struct topo_term *e = &whole->v[i].events[k];

			if (strlen(e->name) == n && strncmp(e->name, s->terms, n) == 0) {
				snprintf(ret, 512, "%s%s", e->text, s->terms + n);
				return ret;
			}
		}
	snprintf(ret, 512, "%s", s->terms);
	return ret;
}

/* ------------------------------------------------------------------ what is taken away */

enum what { PMU, EVENT, TERM };

struct loss {
	enum what what;
	char pmu[64], name[64];     /* any instance; the event or the term */
};

static bool spec_needs(const char *text, const struct loss *l)
{
	struct wanted s;
	char said[512];

	if (!text || !spec_split(text, &s) || !is_of(s.pmu, l->pmu))
		return false;
	return l->what == PMU ||
		has_key(l->what == EVENT ? s.terms : meaning(&s, said), l->name);
}

static bool metric_needs(const struct cat_metric *m, const struct loss *l)
{
	const struct cat_guard none = { 0 }, *g = m->guard ? m->guard : &none;
	const struct cat_term *const sums[] = { m->num, m->den, g->num, g->den };

	for (unsigned i = 0; i < COUNT(sums); i++)
		for (const struct cat_term *t = sums[i]; t && t->spec; t++)
			if (spec_needs(t->spec, l))
				return true;
	return spec_needs(m->cycles_of, l);
}

static unsigned without(struct topo_term *to, const struct topo_term *from, unsigned n,
			const char *name)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (strcmp(from[i].name, name) != 0)
			to[kept++] = from[i];
	return kept;
}

/* The machine without it; shallow: release with free() of ->v[].format and ->v. */
static struct topo_pmus reduce(const struct loss *l)
{
	struct topo_pmus r = { .v = calloc(whole->n, sizeof(*r.v)) };

	assert_non_null(r.v);
	for (unsigned i = 0; i < whole->n; i++) {
		struct topo_pmu *p = &r.v[r.n];
		struct topo_term *terms;

		if (is_of(whole->v[i].name, l->pmu) && l->what == PMU)
			continue;
		*p = whole->v[i];
		r.n++;
		terms = calloc(p->n_format + p->n_events + 1, sizeof(*terms));
		assert_non_null(terms);
		p->format = terms;
		p->events = terms + p->n_format;
		p->n_format = without(p->format, whole->v[i].format, p->n_format,
				      is_of(p->name, l->pmu) && l->what == TERM ? l->name : "");
		p->n_events = without(p->events, whole->v[i].events, p->n_events,
				      is_of(p->name, l->pmu) && l->what == EVENT ? l->name : "");
	}
	return r;
}

static void reduce_done(struct topo_pmus *r)
{
	for (unsigned i = 0; i < r->n; i++)
		free(r->v[i].format);
	free(r->v);
}

/* ------------------------------------------------------------------ one loss */

struct seen {
	const char *tree;
	const struct loss *loss;
	const struct plan *plan;
};

static bool was_ready(const struct cat_metric *m)
{
	for (unsigned i = 0; i < n_ready; i++)
		if (ready[i] == m)
			return true;
	return false;
}

static bool has_metric(const struct plan *p, const char *name)
{
	for (unsigned s = 0; s < p->n_sockets; s++)
		for (unsigned i = 0; i < p->sockets[s].n_metrics; i++)
			if (strcmp(p->sockets[s].metrics[i].name, name) == 0)
				return true;
	return false;
}

static void check_metric(void *p, const struct plan_predefined *r)
{
	struct seen *s = p;
	const char *named = s->loss->what == PMU ? s->loss->pmu : s->loss->name;
	char word[256];

	if (!was_ready(r->metric))
		return;
	if (!metric_needs(r->metric, s->loss)) {
		if (r->absent)
			fail_msg("%s: %s does not need %s and is absent: %s", s->tree,
				 r->metric->name, named, r->absent);
		return;
	}
	snprintf(word, sizeof(word), "%s", s->loss->what == PMU ? perf_family(named).s : named);
	if (!r->absent || !strstr(r->absent, word))
		fail_msg("%s: without %s of %s %s is %s", s->tree, named, s->loss->pmu,
			 r->metric->name, r->absent ? r->absent : "there");
	if (s->plan && has_metric(s->plan, r->metric->name))
		fail_msg("%s: the plan has %s without %s", s->tree, r->metric->name, named);
}

/* A plan only for the first of a tree: they take time, and the rows are the same. */
static void check_loss(const char *tree, const struct loss *l, bool first)
{
	struct topo_pmus reduced = reduce(l);
	struct made m = first ? make_for_kernel(NULL, topo, &reduced) : (struct made){ 0 };
	struct seen s = { .tree = tree, .loss = l, .plan = m.p };

	if (m.r < 0)
		fail_msg("%s without %s: %s", tree, l->what == PMU ? l->pmu : l->name, m.d.v[0]);
	plan_predefined_each(topo, &reduced, NULL, check_metric, &s);
	made_done(&m);
	reduce_done(&reduced);
}

/* ------------------------------------------------------------------ all losses of a machine */

struct losses {
	struct loss v[128];
	unsigned n;
};

static void add_loss(struct losses *all, enum what what, const char *pmu,
		     const char *name, size_t n)
{
	struct loss l = { .what = what };

	snprintf(l.pmu, sizeof(l.pmu), "%s", pmu);
	snprintf(l.name, sizeof(l.name), "%.*s", (int)n, name);
	for (unsigned i = 0; i < all->n; i++)
		if (all->v[i].what == what && is_of(all->v[i].pmu, pmu) &&
		    strcmp(all->v[i].name, l.name) == 0)
			return;
	assert_true(all->n < COUNT(all->v));
	all->v[all->n++] = l;
}

static void add_spec(struct losses *all, const char *text)
{
	struct wanted s;

	if (!text || !spec_split(text, &s))
		return;
	add_loss(all, PMU, s.pmu, "", 0);
	for (const char *t = s.terms; t; t = strchr(t, ',') ? strchr(t, ',') + 1 : NULL) {
		size_t n = strcspn(t, "=,");

		if (strncmp(t, "name=", 5) != 0)
			add_loss(all, t[n] == '=' ? TERM : EVENT, s.pmu, t, n);
	}
}

static void add_metric(void *p, const struct plan_predefined *r)
{
	if (r->absent)
		return;
	assert_true(n_ready < COUNT(ready));
	ready[n_ready++] = r->metric;
	for (const struct cat_term *t = r->metric->num; t && t->spec; t++)
		add_spec(p, t->spec);
	for (const struct cat_term *t = r->metric->den; t && t->spec; t++)
		add_spec(p, t->spec);
	add_spec(p, r->metric->cycles_of);
}

static void test_machine(void **state)
{
	const char *tree = *state;
	struct losses all = { .n = 0 };
	struct sysfs_tree t;
	char text[64];

	snprintf(text, sizeof(text), "%s.txt", tree);
	tree_make(&t, text);
	topo = tree_topo(&t);
	whole = tree_pmus(&t);
	tree_drop(&t);
	n_ready = 0;
	plan_predefined_each(topo, whole, NULL, add_metric, &all);
	assert_true(all.n >= 3);
	for (unsigned i = 0; i < all.n; i++)
		check_loss(tree, &all.v[i], !i);
	topo_pmus_free(whole);
	topo_free(topo);
}

int main(void)
{
	struct CMUnitTest tests[COUNT(trees)];

	for (size_t i = 0; i < COUNT(trees); i++)
		tests[i] = (struct CMUnitTest){ trees[i], test_machine, NULL, NULL,
						(void *)trees[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
