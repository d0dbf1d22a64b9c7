/* SPDX-License-Identifier: MIT
 * What the catalog's tables say of an event of the kernel's PMUs, on this machine or on others.
 * Owns:  the sheet of such a row: its counters, the metrics that use it, its source.
 * Never: what the kernel says of it (list_kernel.c).
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "catalog/cpu.h"
#include "spec/kernel.h"

#include <stdio.h>
#include <string.h>

static bool adds(const struct cat_term *t, const char *spec)
{
	for (; t && t->spec; t++)
		if (strcmp(t->spec, spec) == 0)
			return true;
	return false;
}

static bool uses(const struct cat_metric *m, const char *spec)
{
	return adds(m->num, spec) || adds(m->den, spec) ||
	       (m->guard && (adds(m->guard->num, spec) || adds(m->guard->den, spec))) ||
	       (m->cycles_of && strcmp(m->cycles_of, spec) == 0);
}

static json_t *metrics_of(const struct spec_machine *m, const struct cat_perf_event *e)
{
	json_t *list = json_array();

	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; i < t->n_metrics; i++)
			if (!t->metrics[i].absent && uses(&t->metrics[i], e->spec))
				ctl_add_once(list, t->metrics[i].name);
	return list;
}

/* ------------------------------------------------------------------ of this machine */

struct row_search {
	struct arena *a;
	const struct spec_machine *m;
	const struct plan_perf *event;
	const struct cat_perf_event *row;
};

static void find_row(void *p)
{
	struct row_search *q = p;
	const struct spec_pmu v = {
		.name = q->event->pmu,
		.config = { q->event->config, q->event->config1, q->event->config2 },
	};
	struct perf_rows rows = { .n = 0 };

	perf_rows_resolve(q->a, q->m, &rows);
	q->row = perf_row(&rows, &v);
}

/* whole: or of one port of the row alone, which no metric adds. */
static json_t *row_json(const struct spec_machine *on, const struct cat_perf_event *row,
			bool whole)
{
	return JS_OBJECT(
		{ "counters", row->counters ? js_bits(row->counters) : NULL },
		{ "metrics", whole ? metrics_of(on, row) : json_array() },
		{ "source", js_text(row->source) });
}

json_t *ctl_row_json(const struct machine *m, const struct plan_perf *event)
{
	const struct spec_machine on = spec_machine(NULL, m->topo, m->topo, m->pmus);
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	struct row_search q = { a, &on, event, NULL };

	if (!a || !arena_try(a, find_row, &q) || !q.row)
		return json_object();
	return row_json(&on, q.row, true);
}

void ctl_row_print(json_t *row)
{
	json_t *j;
	size_t i;

	if (json_object_get(row, "counters"))
		printf("counts only on counter");
	json_array_foreach(json_object_get(row, "counters"), i, j)
		printf("%s %lld", i ? "," : "", (long long)json_integer_value(j));
	if (json_object_get(row, "counters"))
		putchar('\n');
	json_array_foreach(json_object_get(row, "metrics"), i, j)
		printf("used by uncore_%s\n", json_string_value(j));
	if (ctl_text(row, "source"))
		printf("source: %s\n", ctl_text(row, "source"));
	json_decref(row);
}

/* ------------------------------------------------------------------ of other machines */

struct elsewhere {
	struct arena *a;
	const char *name;
	struct spec found;          /* of the first table that has it; row NULL: none has */
	struct spec_machine on;     /* the tables that have the same */
	json_t *processors;         /* their names */
};

/* Has the table's id models of the processor? */
static bool is_of(const struct cat_cpu *cpu, const struct cat_perf *t, const struct cat_perf_id *id)
{
	return strcmp(cpu->vendor, t->vendor) == 0 && cpu->family == id->family &&
	       cpu->first <= id->last && id->first <= cpu->last;
}

/* by_pmu: processors that are known by a PMU of the table, or all others. Are there any? */
static bool add_known(json_t *list, const struct cat_perf *t, bool by_pmu)
{
	bool any = false;

	for (unsigned i = 0; i < t->n_ids; i++)
		for (unsigned k = 0; k < cat_n_cpus; k++) {
			const struct cat_cpu *cpu = &cat_cpus[k];

			if (!is_of(cpu, t, &t->ids[i]) || (cpu->pmu && !by_pmu) ||
			    (by_pmu && !(cpu->pmu && name_after(t->pmus[0].name, cpu->pmu))))
				continue;
			ctl_add_once(list, cpu->name);
			any = true;
		}
	return any;
}

/* Those that the table holds for, by the names that --machine takes; or what it is of itself. */
static void add_processors(json_t *list, const struct cat_perf *t)
{
	if (!add_known(list, t, true) && !add_known(list, t, false))
		ctl_add_once(list, t->title);
}

static void take_table(struct elsewhere *w, const struct cat_perf *t)
{
	struct spec_machine on = { .tables = { t } };
	unsigned n = 0;
	struct spec s, row;

	if (spec_parse_name(w->a, w->name, &s, NULL) < 0 ||
	    spec_of_name(w->a, &on, &s, &row, NULL) < 0 || !row.row)
		return;
	if (w->found.row && strcmp(w->found.text, row.text) != 0)
		return;
	if (!w->found.row)
		w->found = row;
	while (w->on.tables[n])
		n++;
	w->on.tables[n] = t;
	add_processors(w->processors, t);
}

static void look_elsewhere(void *p)
{
	for (unsigned i = 0; i < cat_n_perfs; i++)
		take_table(p, cat_perfs[i]);
}

/* "perf/PMU/TERMS/": the terms are those of the row. */
static bool is_whole(const struct spec *s)
{
	const size_t pmu = strlen("perf/");

	return strcmp(strchr(s->text + pmu, '/'), strchr(s->row->spec + pmu, '/')) == 0;
}

static void print_elsewhere(const struct elsewhere *w)
{
	json_t *j;
	size_t i;

	printf("%s\n\n", w->found.text);
	json_array_foreach(w->processors, i, j)
		printf("%s%s", i ? ", " : "available only on: ", json_string_value(j));
	putchar('\n');
	ctl_row_print(row_json(&w->on, w->found.row, is_whole(&w->found)));
}

bool ctl_describe_row(const struct ctl *c, int *ret)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	json_auto_t *processors = json_array();
	struct elsewhere w = { .a = a, .name = c->args[0], .processors = processors };

	if (!a || !arena_try(a, look_elsewhere, &w) || !w.found.row)
		return false;
	*ret = 0;
	if (c->json)
		*ret = ctl_json(JS_ADD(row_json(&w.on, w.found.row, is_whole(&w.found)),
			{ "spec", js_text(w.found.text) },
			{ "processors", json_incref(processors) }));
	else
		print_elsewhere(&w);
	return true;
}
