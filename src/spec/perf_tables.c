/* SPDX-License-Identifier: MIT
 * Which of the catalog's tables hold for a machine and the PMUs of its kernel.
 * Pure; main thread.
 */
#include "spec/kernel.h"

#include "base/bits.h"
#include "base/name.h"

#include <string.h>

bool perf_has_pmu(const struct topo_pmus *pmus, const char *name)
{
	for PERF_EACH_NEAR(pmu, pmus, name)
		if (strcmp(pmu->name, name) == 0 || perf_is_family(name, pmu->name))
			return true;
	return false;
}

bool perf_table_is_for(const struct cat_perf *t, const struct topo *m)
{
	return cat_perf_is_for(t, m->vendor, topo_family(m), topo_part(m), m->stepping);
}

bool perf_has_any(const struct topo_pmus *pmus, const struct cat_perf *t)
{
	for (unsigned i = 0; i < t->n_pmus; i++)
		if (perf_has_pmu(pmus, t->pmus[i].name))
			return true;
	return false;
}

/* Does an instance of the PMU name the event? */
static bool names_event(const struct topo_pmus *pmus, const char *name, const char *event)
{
	for PERF_EACH_NEAR(pmu, pmus, name)
		if (perf_is_family(name, pmu->name) &&
		    NAME_FIND(pmu->events, pmu->n_events, event))
			return true;
	return false;
}

static bool has_what_it_asks_for(const struct topo_pmus *pmus, const struct cat_perf *t)
{
	for (const char *const *event = t->needs; event && *event; event++)
		if (!names_event(pmus, t->pmus[0].name, *event))
			return false;
	if (t->by_pmu)
		return perf_has_any(pmus, t);
	return t->n_ids || perf_has_pmu(pmus, t->pmus[0].name);
}

static bool holds(const struct spec_machine *m, const struct cat_perf *t)
{
	return perf_table_is_for(t, m->perf_topo) && has_what_it_asks_for(m->pmus, t);
}

/* By another one that holds? */
static bool is_replaced(const struct spec_machine *m, const struct cat_perf *t)
{
	for (unsigned i = 0; i < cat_n_perfs; i++)
		if (cat_perf_is_instead_of(cat_perfs[i], t) && holds(m, cat_perfs[i]))
			return true;
	return false;
}

struct spec_machine spec_machine(const struct cat_processor *p, const struct topo *topo,
				 const struct topo *perf_topo, const struct topo_pmus *pmus)
{
	struct spec_machine m = { .processor = p, .topo = topo, .perf_topo = perf_topo,
				  .pmus = pmus };
	unsigned n = 0;

	for (unsigned i = 0; perf_topo && i < cat_n_perfs; i++)
		if (holds(&m, cat_perfs[i]) && !is_replaced(&m, cat_perfs[i]))
			m.tables[n++] = cat_perfs[i];
	return m;
}

void spec_machine_without_sets(struct spec_machine *m)
{
	unsigned n = 0;

	for PERF_EACH_TABLE(t, m)
		if (!t->sets)
			m->tables[n++] = t;
	m->tables[n] = NULL;
}

const struct cat_perf *perf_table_of(const struct spec_machine *m, const char *pmu,
				     const struct cat_perf_pmu **ret_pmu)
{
	const struct perf_family family = perf_family(pmu);
	bool type = strncmp(pmu, "uncore_type_", strlen("uncore_type_")) == 0;

	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; i < t->n_pmus; i++) {
			const char *name = t->pmus[i].name;

			if (type)
				name = cat_perf_unnamed(name);
			if (!name || strcmp(name, family.s) != 0)
				continue;
			if (ret_pmu)
				*ret_pmu = &t->pmus[i];
			return t;
		}
	return NULL;
}

static const char *numbers_of(const struct cat_perf *t, const char *spec)
{
	for (unsigned i = 0; i < t->n_events; i++)
		if (t->events[i].numbers && strcmp(t->events[i].spec, spec) == 0)
			return t->events[i].numbers;
	return NULL;
}

bool perf_unnamed_spec(struct arena *a, const struct spec_machine *m, const struct spec *s,
		       struct spec *ret)
{
	const struct cat_perf_pmu *row = NULL;
	const struct cat_perf *t = s->ready_made ? perf_table_of(m, s->box, &row) : NULL;
	const char *type = t ? cat_perf_unnamed(row->name) : NULL, *numbers;

	if (!type || perf_has_pmu(m->pmus, row->name) || !perf_has_pmu(m->pmus, type))
		return false;
	*ret = *s;
	ret->box = arena_printf(a, "%s%s", type, s->box + strlen(row->name));
	numbers = numbers_of(t, s->text);
	if (numbers)
		ret->terms = arena_text(a, numbers);
	return true;
}

void perf_rows_resolve(struct arena *a, const struct spec_machine *m, struct perf_rows *ret)
{
	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; i < t->n_events; i++) {
			struct spec_perf p;
			struct spec s, unnamed;
			int r = spec_parse(a, t->events[i].spec, &s, NULL);

			s.ready_made = true;
			if (r == 0 && perf_unnamed_spec(a, m, &s, &unnamed))
				s = unnamed;
			if (r == 0 && perf_resolve(a, m->pmus, &s, &p, NULL) == 0)
				*ARENA_ADD(a, ret->v, ret->n) =
					(struct perf_row){ &t->events[i], p.v[0] };
		}
}

const struct cat_perf_event *perf_row(const struct perf_rows *rows, const struct spec_pmu *event)
{
	for (unsigned i = 0; i < rows->n; i++)
		if (memcmp(rows->v[i].v.config, event->config, sizeof(event->config)) == 0 &&
		    perf_same_family(rows->v[i].v.name, event->name))
			return rows->v[i].row;
	return NULL;
}
