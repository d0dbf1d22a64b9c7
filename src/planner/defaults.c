/* SPDX-License-Identifier: MIT
 * What counts through perf without a configuration: the ready-made groups (ready.c) for which a
 * socket has room.
 * Owns:  how many series there is room for; which events of a group this machine's PMUs have.
 * Never: what a row means.
 * Pure; main thread.
 */
#include "planner/defaults.h"

#include "planner/planning.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MEMORY_MAX ((size_t)64 << 20)  /* memory, at most, to look at a machine's rows */

const char *plan_predefined_missing_pmu(const struct topo *topo, const struct topo_pmus *pmus)
{
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];

		/* a table of sets only adds to another one; what few have is not missed */
		if (!t->n_ids || t->sets || t->few || t->by_pmu)
			continue;
		if (perf_table_is_for(t, topo) && !perf_has_any(pmus, t))
			return t->pmus[0].name;
	}
	return NULL;
}

static const struct sched_item *find_config(const struct sched_group *g, const char *box,
					    uint64_t config)
{
	for (unsigned i = 0; i < g->n_items; i++)
		if (g->items[i].perf && strcmp(g->items[i].p.box, box) == 0 &&
		    g->items[i].p.v[0].config[0] == config)
			return &g->items[i];
	return NULL;
}

void defaults_note_caveats(struct build *b, const struct sched_group *g)
{
	for PERF_EACH_TABLE(t, &b->s.machine)
		for (const struct cat_perf_caveat *c = t->caveats; c && c->box; c++) {
			const struct sched_item *half = find_config(g, c->box, c->config);

			if (half && !find_config(g, c->box, c->other))
				schedule_note_once(&b->s, "%s %s.", half->spec->text, c->text);
		}
}

void defaults_note_beside(struct build *b)
{
	const struct topo *t = b->s.machine.perf_topo;
	const char *missing = plan_predefined_missing_pmu(t, b->in->pmus);
	unsigned beside = 0, n = 0;
	struct err old;

	for SCHED_EACH_ITEM(item, g, &b->s) {
		n++;
		beside += item->perf && cat_perf_is_beside(item->p.v[0].name);
	}
	if (!n || beside < n || t->hypervisor)
		return;
	if (perf_too_old(t, b->in->pmus, &old)) {
		schedule_note(&b->s, "Only energy and sleep states are counted: %s.", old.text);
		return;
	}
	schedule_note(&b->s, "Only energy and sleep states are counted: the kernel has no PMU of "
		      "the uncore%s%s; uncorectl doctor says what to do.", missing ?
		      ", such as this processor's " : "", missing ?: "");
}

static bool counts_box(const struct build *b, const char *box)
{
	for (unsigned g = 0; g < b->s.n_groups; g++)
		for (unsigned i = 0; i < b->s.groups[g].n_items; i++)
			if (b->s.groups[g].items[i].perf &&
			    strcmp(b->s.groups[g].items[i].p.box, box) == 0)
				return true;
	return false;
}

const char *defaults_uncounted(struct build *b)
{
	const struct topo *m = b->s.machine.perf_topo;
	char type[32], box[64];

	if (!m || !b->in->pmus)
		return NULL;
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];
		bool named;

		if (!t->unnamed || !perf_table_is_for(t, m))
			continue;
		snprintf(type, sizeof(type), "uncore_type_%u", t->unnamed);
		perf_pmu_box(t->pmus[0].name, box, sizeof(box), NULL);
		named = perf_has_pmu(b->in->pmus, t->pmus[0].name);
		if ((!named && !perf_has_pmu(b->in->pmus, type)) || counts_box(b, box) ||
		    !counts_box(b, "imc"))
			continue;
		return arena_printf(b->s.keep, "Memory traffic is that of DDR alone: this "
				    "processor's other memory (%s) is not counted%s", box, named ?
				    "" : ", because this kernel gives its counters no names; "
				    "uncorectl doctor says which Linux does");
	}
	return NULL;
}

struct every {
	struct schedule s;
	const struct plan_knees *knees;
	const char *missing;        /* of knee_missing() */
	void (*each)(void *p, const struct plan_predefined *r);
	void *p;
};

static bool counts_by_default(const struct spec_machine *m, const struct cat_group *g)
{
	bool nvdimm = m->perf_topo->nvdimm;

	return !g->on_request && (g->nvdimm != CAT_WITH_NVDIMM || nvdimm) &&
	       (g->nvdimm != CAT_WITHOUT_NVDIMM || !nvdimm);
}

/* See plan_predefined.of. */
static const struct cat_perf *named_table(const struct spec_machine *m, const struct cat_perf *t)
{
	for PERF_EACH_TABLE(o, m)
		if (t->sets && !o->sets && cat_perf_adds_to(t, o))
			return o;
	return t;
}

static const struct metric_rows *rows_of(struct every *e)
{
	static const struct conf none;

	return metric_rows_new(&e->s, &none, NULL, e->knees, NULL);
}

static void find_missing(void *p)
{
	struct every *e = p;

	e->missing = knee_missing(rows_of(e));
}

static void every_row(void *p)
{
	struct every *e = p;
	const struct metric_rows *rows = rows_of(e);
	const struct spec_perf *first;

	for PERF_EACH_TABLE(t, &e->s.machine)
		for (unsigned i = 0; i < t->n_metrics; i++) {
			const struct cat_metric *m = &t->metrics[i];
			struct plan_predefined r = { .table = t, .metric = m,
				.of = named_table(&e->s.machine, t),
				.absent = metric_row_absent(rows, m, &first),
				.rests = m->knee ? plan_knee_rests(e->knees) :
					CAT_RESTS_FORMULA };

			if (!r.absent && m->knee)
				r.absent = knee_refused(rows);
			if (!r.absent && m->knee)
				r.in_part = knee_in_part(rows);
			for (unsigned g = 0; g < t->n_groups; g++)
				r.by_default |= counts_by_default(&e->s.machine, &t->groups[g]) &&
					cat_perf_yields(&t->groups[g], m);
			e->each(e->p, &r);
		}
}

struct every_group {
	struct arena *work;
	const struct spec_machine *machine;
	void (*each)(void *p, const struct cat_group *g);
	void *p;
};

static void every_group(void *p)
{
	const struct every_group *e = p;
	struct ready_groups all;

	ready_groups(e->work, e->machine, &all);
	for (unsigned i = 0; i < all.n; i++)
		e->each(e->p, all.v[i].group);
}

void plan_ready_each(const struct spec_machine *m, void (*each)(void *p, const struct cat_group *g),
		     void *p)
{
	struct every_group e = { arena_new(ROWS_MEMORY_MAX, NULL), m, each, p };

	if (e.work)
		arena_try(e.work, every_group, &e);
	arena_free(e.work);
}

static void with_rows(struct every *e, const struct topo *topo, const struct topo_pmus *pmus,
		      void (*f)(void *p))
{
	e->s = (struct schedule){ .machine = spec_machine(NULL, topo, topo, pmus),
				  .work = arena_new(ROWS_MEMORY_MAX, NULL) };
	if (e->s.work)
		arena_try(e->s.work, f, e);
	arena_free(e->s.work);
}

void plan_predefined_each(const struct topo *topo, const struct topo_pmus *pmus,
			  const struct plan_knees *knees,
			  void (*each)(void *p, const struct plan_predefined *r), void *p)
{
	struct every e = { .each = each, .p = p, .knees = knees };

	with_rows(&e, topo, pmus, every_row);
}

const char *plan_knee_missing(const struct topo *topo, const struct topo_pmus *pmus)
{
	struct every e = { .missing = NULL };

	with_rows(&e, topo, pmus, find_missing);
	return e.missing;
}

struct conf_group *default_group_add(struct build *b, const char *origin, const char *name,
				     bool metrics_only)
{
	struct conf_group *g = ARENA_ADD(b->s.work, b->defaults, b->n_defaults);

	g->name = arena_text(b->s.work, name);
	g->where = (struct where){ origin, 0 };
	g->resolution = b->in->conf->resolution;
	g->metrics_only = metrics_only;
	return g;
}

bool ready_made_add(const struct build *b, struct conf_group *g, const char *text,
		    unsigned *series, struct err *err)
{
	unsigned *none = arena_alloc(b->s.work, b->s.machine.perf_topo->n_sockets, sizeof(*none));
	struct spec *s = ARENA_ADD(b->s.work, g->specs, g->n_specs);
	struct spec_perf p = { 0 };
	bool can = spec_parse(b->s.work, text, s, err) == 0;

	s->ready_made = true;
	if (can && s->perf)
		can = perf_resolve_here(b->s.work, &b->s.machine, s, &p, err) == 0 &&
		      ready_series(&b->s.machine, &p, series ?: none);
	s->where = g->where;
	g->n_specs -= !can;
	return can;
}

/* Does another group of the table, which counts already, yield the metric? */
static bool yielded_before(const struct build *b, const struct cat_perf *t,
			   const struct cat_group *g, const struct cat_metric *m)
{
	for (unsigned i = 0; i < t->n_groups; i++) {
		const struct cat_group *o = &t->groups[i];

		for (unsigned k = 0; o != g && cat_perf_yields(o, m) && k < b->n_defaults; k++)
			if (strcmp(b->defaults[k].name, o->name) == 0)
				return true;
	}
	return false;
}

/* Adds the series of the metrics that a group yields. */
static void metric_series(struct build *b, const struct cat_perf *t, const struct cat_group *g,
			  unsigned *series)
{
	for (unsigned i = 0; i < t->n_metrics; i++) {
		const struct cat_metric *m = &t->metrics[i];
		const struct spec_perf *first;

		if (!cat_perf_yields(g, m) || metric_row_absent(b->rows, m, &first) ||
		    yielded_before(b, t, g, m))
			continue;
		for (unsigned s = 0; m->per == CAT_PER_SOCKET &&
		     s < b->s.machine.perf_topo->n_sockets; s++)
			series[s]++;
		if (m->per != CAT_PER_SOCKET && first)
			ready_units(&b->s.machine, first, 1, series);
	}
}

bool ready_yields(const struct build *b, const struct ready_group *r, struct err *err)
{
	const struct spec_perf *first;

	for (unsigned i = 0; r->table && i < r->table->n_metrics; i++) {
		const struct cat_metric *m = &r->table->metrics[i];
		const char *why;

		if (!cat_perf_yields(r->group, m))
			continue;
		why = metric_row_absent(b->rows, m, &first);
		if (!why)
			return true;
		err_set(err, -ENODATA, "%s", why);
	}
	return !r->table || !r->group->metrics_only;
}

/* Counts the group where each socket has room for it. used: series of each socket so far. */
static void add_group(struct build *b, const struct ready_group *r, unsigned *used)
{
	unsigned n = b->s.machine.perf_topo->n_sockets, most;
	unsigned *series = arena_alloc(b->s.work, n, sizeof(*series));
	const struct cat_group *g = r->group;
	struct conf_group *o = default_group_add(b, r->table ? r->table->name : "sysfs", g->name,
						 g->metrics_only);
	bool room = true;
	struct err err;

	if (r->table)
		metric_series(b, r->table, g, series);
	for (const char *const *s = g->specs; *s; s++)
		ready_made_add(b, o, *s, g->metrics_only ? NULL : series, &err);
	most = ready_most(&b->s.machine, series);
	for (unsigned s = 0; s < n; s++)
		room &= used[s] + series[s] <= READY_SERIES;
	for (unsigned i = 0; i < r->n_notes; i++)
		schedule_note_once(&b->s, "%s", r->notes[i]);
	if (!room)
		schedule_note(&b->s, "The ready-made group '%s' is left out: with its %u series a "
			      "socket would have more than %u. It counts where the "
			      "configuration's groups name it.", g->name, most, READY_SERIES);
	if (!o->n_specs || !most || !room) {
		b->n_defaults--;
		return;
	}
	for (unsigned s = 0; s < n; s++)
		used[s] += series[s];
}

/* Says once for each PMU that a table knows what its instances lack. */
static void note_unplaced(struct build *b)
{
	const struct topo_pmus *pmus = b->in->pmus;
	const char *said = "";

	for (unsigned i = 0; i < pmus->n; i++) {
		struct spec_perf p = { .n = 0 };

		if (!perf_table_of(&b->s.machine, pmus->v[i].name, NULL) ||
		    !perf_is_unplaced(&b->s.machine, &pmus->v[i]) ||
		    perf_same_family(said, pmus->v[i].name))
			continue;
		said = pmus->v[i].name;
		perf_find_pmus(b->s.work, pmus, said, &p, NULL);
		schedule_note(&b->s, "The ready-made groups count no %s: %s.",
			      perf_family(said).s,
			      perf_unplaced(b->s.work, &b->s.machine, &p));
	}
}

void perf_default_groups(struct build *b)
{
	unsigned *used = arena_alloc(b->s.work, b->s.machine.perf_topo->n_sockets, sizeof(*used));
	struct ready_groups all;
	struct err err;

	if (!b->in->pmus || !b->s.machine.perf_topo->n_sockets)
		return;
	note_unplaced(b);
	ready_groups(b->s.work, &b->s.machine, &all);
	for (unsigned last = 0; last < 2; last++)
		for (unsigned i = 0; i < all.n; i++)
			if (all.v[i].group->last == last && ready_yields(b, &all.v[i], &err) &&
			    counts_by_default(&b->s.machine, all.v[i].group))
				add_group(b, &all.v[i], used);
}
