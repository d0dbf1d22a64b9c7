/* SPDX-License-Identifier: MIT
 * What counts through perf without a configuration: the catalog's ready-made groups, then
 * the kernel's own events.
 * Owns:  which tables hold for a machine, which of their events its PMUs have, how many series
 *        there is room for.
 * Never: what a row means.
 * Pure; main thread.
 */
#include "plan/defaults.h"

#include "plan/planning.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MEMORY_MAX ((size_t)64 << 20)  /* memory, at most, to look at a machine's rows */
#define DEFAULT_SERIES 100          /* of one socket, at most */
#define DEFAULT_EVENTS 4    /* of one PMU that no table knows: uncore PMUs have four counters */

const char *plan_predefined_missing_pmu(const struct topo *topo, const struct topo_pmus *pmus)
{
	for (unsigned i = 0; i < cat_n_perfs; i++) {
		const struct cat_perf *t = cat_perfs[i];
		bool any = false;

		for (unsigned k = 0; k < t->n_pmus; k++)
			any |= perf_has_pmu(pmus, t->pmus[k].name);
		if (!any && t->n_ids &&
		    cat_perf_is_for(t, topo->vendor, topo->family, topo->model, topo->stepping))
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

struct every {
	struct schedule s;
	void (*each)(void *p, const struct plan_predefined *r);
	void *p;
};

static void every_row(void *p)
{
	struct every *e = p;
	const struct conf none = { .n_metrics = 0 };
	const struct metric_rows *rows = metric_rows_new(&e->s, &none, NULL, NULL);
	const struct spec_perf *first;

	for PERF_EACH_TABLE(t, &e->s.machine)
		for (unsigned i = 0; i < t->n_metrics; i++) {
			const struct cat_metric *m = &t->metrics[i];
			struct plan_predefined r = { .table = t, .metric = m,
				.absent = metric_row_absent(rows, m, &first) };

			for (unsigned g = 0; g < t->n_groups; g++)
				r.by_default |= cat_perf_yields(&t->groups[g], m);
			e->each(e->p, &r);
		}
}

void plan_predefined_each(const struct topo *topo, const struct topo_pmus *pmus,
			  void (*each)(void *p, const struct plan_predefined *r), void *p)
{
	struct every e = { .s = { .machine = { NULL, topo, topo, pmus },
				  .work = arena_new(ROWS_MEMORY_MAX, NULL) }, .each = each,
			   .p = p };

	if (e.s.work)
		arena_try(e.s.work, every_row, &e);
	arena_free(e.s.work);
}

/* Series of a socket that an event makes; 0: no CPU of this machine counts it. */
static unsigned event_series(const struct build *b, const struct spec_perf *p)
{
	const struct topo *t = b->s.machine.perf_topo;
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct topo_pmu *pmu = p->v[i].pmu;

		for (unsigned s = 0; s < t->n_sockets; s++)
			n += pmu && pmu->cpumask ? perf_cpus_serving(&t->sockets[s], pmu) : 1;
	}
	return (n + t->n_sockets - 1) / t->n_sockets;
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

unsigned ready_made_add(const struct build *b, struct conf_group *g, const char *text,
			struct err *err)
{
	struct spec *s = ARENA_ADD(b->s.work, g->specs, g->n_specs);
	struct spec_perf p = { 0 };
	unsigned series = 1;

	if (spec_parse(b->s.work, text, s, err) < 0 ||
	    (s->perf && perf_resolve(b->s.work, b->in->pmus, s, &p, err) < 0))
		series = 0;
	else if (s->perf)
		series = event_series(b, &p) * (p.unit ? 2 : 1);
	s->where = g->where;
	g->n_specs -= !series;
	return series;
}

/* Series of the metrics that a group yields, on a socket. */
static unsigned metric_series(struct build *b, const struct cat_perf *t, const struct cat_group *g)
{
	unsigned series = 0;

	for (unsigned i = 0; i < t->n_metrics; i++) {
		const struct cat_metric *m = &t->metrics[i];
		const struct spec_perf *first;

		if (!cat_perf_yields(g, m) || metric_row_absent(b->rows, m, &first))
			continue;
		if (m->per == CAT_PER_SOCKET)
			series++;
		else if (first)
			series += event_series(b, first);
	}
	return series;
}

static void add_group(struct build *b, const struct cat_perf *t, const struct cat_group *g,
		      unsigned *left)
{
	struct conf_group *o = default_group_add(b, t->name, g->name, g->metrics_only);
	unsigned series = metric_series(b, t, g);
	struct err err;

	for (const char *const *s = g->specs; *s; s++) {
		unsigned n = ready_made_add(b, o, *s, &err);

		series += g->metrics_only ? 0 : n;
	}
	if (o->n_specs && series && series <= *left) {
		*left -= series;
		return;
	}
	if (series > *left)
		schedule_note(&b->s, "The ready-made group '%s' is left out: with its %u series a "
			      "socket would have more than %u.", g->name, series, DEFAULT_SERIES);
	b->n_defaults--;
}

static bool is_of_box(const char *pmu, const char *box)
{
	char name[PERF_NAME];

	perf_pmu_box(pmu, name, sizeof(name), NULL);
	return strcmp(name, box) == 0;
}

/* Does a ready-made table speak of this box? */
static bool is_known(const struct build *b, const char *box)
{
	for PERF_EACH_TABLE(t, &b->s.machine)
		for (unsigned i = 0; i < t->n_pmus; i++)
			if (is_of_box(t->pmus[i].name, box))
				return true;
	for (unsigned k = 0; k < b->n_defaults; k++)
		if (strcmp(b->defaults[k].name, box) == 0)
			return true;
	return false;
}

/* The first events of a PMU that can be counted. */
static void add_box(struct build *b, const struct topo_pmu *p, const char *box, unsigned *left)
{
	struct conf_group *g = default_group_add(b, "sysfs", box, false);
	unsigned series = 0;

	for (unsigned k = 0; k < p->n_events && g->n_specs < DEFAULT_EVENTS; k++) {
		char spec[2 * PERF_NAME + 16];
		struct err err = { "" };
		unsigned n;

		if (p->events[k].snapshot || strstr(p->events[k].text, "=?"))
			continue;
		snprintf(spec, sizeof(spec), "perf/%.*s/%s/", (int)perf_pmu_family(p->name),
			 p->name, p->events[k].name);
		n = ready_made_add(b, g, spec, &err);
		if (!n && err.text[0])
			schedule_note_once(&b->s, "%s", err.text);
		series += n;
	}
	if (series && series <= *left)
		*left -= series;
	else
		b->n_defaults--;
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

void perf_default_groups(struct build *b)
{
	const struct topo_pmus *pmus = b->in->pmus;
	unsigned left = DEFAULT_SERIES;

	if (!pmus || !b->s.machine.perf_topo->n_sockets)
		return;
	for PERF_EACH_TABLE(t, &b->s.machine)
		for (unsigned i = 0; i < t->n_groups; i++)
			add_group(b, t, &t->groups[i], &left);
	for (unsigned i = 0; i < pmus->n; i++) {
		char box[PERF_NAME];
	
		perf_pmu_box(pmus->v[i].name, box, sizeof(box), NULL);
		if (!is_known(b, box) && counts_sockets(pmus, box))
			add_box(b, &pmus->v[i], box, &left);
	}
}
