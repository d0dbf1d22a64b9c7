/* SPDX-License-Identifier: MIT
 * Self-check of the specifications that stand in the catalog's tables.
 * Owns:  whether groups and metric rows name what exists, and whether a table's groups fit onto the
 *        counters of its PMUs. What specifications mean is told by those who read a configuration.
 * Never: the rest of the tables (catalog_check(), catalog_check_perf()).
 * Pure; one thread at a time.
 */
#include "check_tables.h"

#include "schedule/assign.h"
#include "spec/kernel.h"
#include "spec/resolve.h"

#include <errno.h>
#include <string.h>

#define CHECK_MAX ((size_t)1 << 20)     /* memory, at most, for one specification */

struct check {
	const struct cat_processor *p;
	const struct cat_perf *t;       /* a table of kernel PMUs; p is NULL then */
	struct arena *a;
	struct diags *d;
	const char *row;
	unsigned bad;
};

static void complain(struct check *k, const struct err *err)
{
	diags_add(k->d, (struct where){ NULL, 0 }, "%s %s: %s", k->p ? k->p->name : k->t->name,
		  k->row, err->text);
	k->bad++;
}

/* As in a configuration. */
static int resolve(const struct check *k, const char *text, struct spec_box *ret, struct err *err)
{
	struct spec s;

	if (spec_parse(k->a, text, &s, err) < 0)
		return -EINVAL;
	if (!s.box)
		return err_set(err, -EINVAL, "\"%s\"" SPEC_NO_EVENT, text);
	if (s.perf)
		return err_set(err, -EINVAL, "%s counts through perf_event and has no register "
			       "encoding", text);
	if (!s.box)                                     /* whose event it is nobody looks up here */
		return err_set(err, -EINVAL, "\"%s\"" SPEC_NO_EVENT, text);
	return spec_resolve(k->a, k->p, &s, 0, ret, err);
}

/* NULL after a complaint. */
static const struct cat_event *check_spec(struct check *k, const char *text, bool is_row)
{
	struct arena_mark mark = arena_mark(k->a);
	struct spec_box s;
	struct err err;
	int r = is_row ? spec_row(k->a, k->p, text, &s, &err) : resolve(k, text, &s, &err);

	arena_release(k->a, mark);
	if (r == 0)
		return s.selection.event;
	complain(k, &err);
	return NULL;
}

static void check_sum(struct check *k, const struct cat_term *t)
{
	for (; t && t->spec; t++)
		if (strchr(t->spec, '/'))
			check_spec(k, t->spec, true);
}

static void check_clock(struct check *k, const char *text)
{
	const struct cat_event *clock = check_spec(k, text, true);
	struct err err;

	if (clock && !clock->always_runs) {
		err_set(&err, -EINVAL, "%s is no clock that always runs", text);
		complain(k, &err);
	}
}

static void check_metric(struct check *k, const struct cat_metric *m)
{
	check_sum(k, m->num);
	check_sum(k, m->den);
	if (m->guard) {
		check_sum(k, m->guard->num);
		check_sum(k, m->guard->den);
	}
	if (m->cycles_of)
		check_clock(k, m->cycles_of);
}

static int finish(struct check *k)
{
	arena_free(k->a);
	return k->bad ? -EINVAL : 0;
}

int spec_check(const struct cat_processor *p, struct diags *d)
{
	struct check k = { .p = p, .d = d, .a = arena_new(CHECK_MAX, NULL) };

	for (unsigned i = 0; i < p->n_boxes; i++) {
		k.row = p->boxes[i]->name;
		if (p->boxes[i]->clock)
			check_clock(&k, p->boxes[i]->clock);
	}
	for (unsigned i = 0; i < p->metrics->n; i++) {
		k.row = p->metrics->v[i].name;
		check_metric(&k, &p->metrics->v[i]);
	}
	for (unsigned i = 0; i < p->n_groups; i++) {
		k.row = p->groups[i].name;
		for (const char *const *s = p->groups[i].specs; *s; s++)
			check_spec(&k, *s, false);
	}
	return finish(&k);
}

/* ------------------------------------------------------------------ kernel PMUs */

/* The PMU that an event's row names; of the instances of a PMU, rows name all or the first. */
static const struct cat_perf_pmu *pmu_of(const struct cat_perf *t, const struct spec *s)
{
	for (unsigned i = 0; i < t->n_pmus; i++) {
		size_t n = strlen(t->pmus[i].name);

		if (strncmp(s->box, t->pmus[i].name, n) == 0 &&
		    (!s->box[n] || strcmp(s->box + n, "_0") == 0))
			return &t->pmus[i];
	}
	return NULL;
}

/* An event that the kernel names, or numbers and a name. */
static const struct cat_perf_pmu *check_event(struct check *k, const struct cat_perf_event *e)
{
	const struct cat_perf_pmu *pmu;
	struct spec s;
	struct err err;

	k->row = e->spec;
	if (spec_parse(k->a, e->spec, &s, &err) < 0 || !s.perf || s.n_keys ||
	    (strpbrk(s.terms, ",=") && !strstr(s.terms, "name="))) {
		err_set(&err, -EINVAL, "no perf/PMU/EVENT/ or perf/PMU/TERMS,name=NAME/");
		complain(k, &err);
		return NULL;
	}
	pmu = pmu_of(k->t, &s);
	if (!pmu)
		err_set(&err, -EINVAL, "the table has no such PMU");
	else if (e->counters && e->fixed)
		err_set(&err, -EINVAL, "has a counter of its own, and others");
	else if (e->counters &&
		 (!pmu->counters || (pmu->counters < 32 && e->counters >> pmu->counters)))
		err_set(&err, -EINVAL, "counts on a counter that the PMU does not have");
	else
		return pmu;
	complain(k, &err);
	return pmu;
}

/* The default groups count at the same time. */
static bool is_counted(const struct cat_perf *t, const struct cat_perf_event *e)
{
	for (unsigned g = 0; g < t->n_groups; g++)
		for (const char *const *s = t->groups[g].specs; !t->groups[g].on_request && *s; s++)
			if (strcmp(*s, e->spec) == 0)
				return true;
	return false;
}

/* pmus: of each event */
static void check_fit(struct check *k, const struct cat_perf_pmu *pmu,
		      const struct cat_perf_pmu *const *pmus)
{
	uint32_t sets[UINT8_MAX];
	struct err err;
	unsigned n = 0;

	if (pmu->counters == CAT_COUNTERS_UNKNOWN)
		return;
	for (unsigned i = 0; i < k->t->n_events; i++) {
		const struct cat_perf_event *e = &k->t->events[i];

		if (pmus[i] == pmu && !e->fixed && is_counted(k->t, e))
			sets[n++] = e->counters ? e->counters : (uint32_t)(BIT(pmu->counters) - 1);
	}
	if (pmu->counters && (n > pmu->counters || !assign_counters(sets, n))) {
		k->row = "groups";
		err_set(&err, -EINVAL, "%u events of %s do not fit onto its %u counters", n,
			pmu->name, pmu->counters);
		complain(k, &err);
	}
}

int spec_check_perf(const struct cat_perf *t, struct diags *d)
{
	struct check k = { .t = t, .d = d, .a = arena_new(CHECK_MAX, NULL) };
	const struct cat_perf_pmu *pmus[UINT8_MAX];

	for (unsigned i = 0; i < t->n_events; i++)
		pmus[i] = check_event(&k, &t->events[i]);
	for (unsigned i = 0; !k.bad && i < t->n_pmus; i++)
		check_fit(&k, &t->pmus[i], pmus);
	return finish(&k);
}
