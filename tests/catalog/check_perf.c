/* SPDX-License-Identifier: MIT
 * The check of the tables for the PMUs of Linux: see catalog_check_perf() in
 * check_tables.h.
 * Owns:  whether rows are whole and name each other's events.
 * Never: what their event specifications say (spec_check_perf()); whether a kernel has the PMUs.
 * Pure; one thread at a time.
 */
#include "catalog/perf.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOWER "abcdefghijklmnopqrstuvwxyz0123456789_"

const struct cat_perf_event *check_perf_event(const struct cat_perf *t, const char *spec)
{
	for (unsigned i = 0; i < t->n_events; i++)
		if (t->events[i].spec && strcmp(t->events[i].spec, spec) == 0)
			return &t->events[i];
	return NULL;
}

/* ------------------------------------------------------------------ rows */

static void check_pmus(struct check *k)
{
	const struct cat_perf *t = k->perf;

	for (unsigned i = 0; i < t->n_pmus; i++) {
		k->row = t->pmus[i].name;
		check_name(k, "PMU", t->pmus[i].name, LOWER);
		check_source(k, t->pmus[i].source);
		WRONG_IF(k, t->pmus[i].counters > 32 &&
			 t->pmus[i].counters != CAT_COUNTERS_UNKNOWN, "%u counters",
			 t->pmus[i].counters);
		for (unsigned j = 0; j < i; j++)
			if (strcmp(t->pmus[i].name, t->pmus[j].name) == 0)
				check_wrong(k, "it is there twice");
	}
	for (unsigned i = 0; i < t->n_since; i++) {
		const struct cat_perf_since *s = &t->since[i];

		k->row = "since";
		check_source(k, s->source);
		WRONG_IF(k, cat_perf_since(t, t->vendor, s->family, s->model, 255) != s->release,
			 "model %u is none of its processors, or there twice", s->model);
		WRONG_IF(k, s->release < LINUX(2, 6), "release 0x%x", s->release);
	}
	for (const char *const *name = t->one_filter; name && *name; name++) {
		bool found = false;

		for (unsigned i = 0; i < t->n_pmus; i++)
			found |= strcmp(t->pmus[i].name, *name) == 0;
		k->row = *name;
		WRONG_IF(k, !found, "it has one filter and is no PMU of the table");
	}
	k->row = NULL;
}

static bool sum_names(const struct cat_term *t, const char *spec)
{
	for (; t && t->spec; t++)
		if (strcmp(t->spec, spec) == 0)
			return true;
	return false;
}

static bool is_used(const struct cat_perf *t, const char *spec)
{
	for (unsigned i = 0; i < t->n_groups; i++)
		for (const char *const *s = t->groups[i].specs; *s; s++)
			if (strcmp(*s, spec) == 0)
				return true;
	for (unsigned i = 0; i < t->n_metrics; i++)
		if (sum_names(t->metrics[i].num, spec) || sum_names(t->metrics[i].den, spec))
			return true;
	return false;
}

static void check_perf_events(struct check *k)
{
	const struct cat_perf *t = k->perf;

	for (unsigned i = 0; i < t->n_events; i++) {
		const struct cat_perf_event *e = &t->events[i];

		k->row = e->spec ? e->spec : "an event";
		if (WRONG_IF(k, !e->spec, "no perf/PMU/EVENT/ or perf/PMU/TERMS,name=NAME/"))
			continue;
		check_source(k, e->source);
		WRONG_IF(k, e->max_inc && !t->max_hz,
			 "a largest increment, but the table has no highest clock");
		WRONG_IF(k, check_perf_event(t, e->spec) != e, "it is there twice");
		WRONG_IF(k, !is_used(t, e->spec) && !e->never_still,
			 "no group and no metric uses it");
		if (e->never_still)
			check_source(k, e->never_still);
	}
	k->row = NULL;
}

/* ------------------------------------------------------------------ groups */

/* A set's groups count where they are named, and have other names than it. */
static void check_set(struct check *k, const struct cat_group *g)
{
	const struct cat_perf *t = k->perf;

	check_name(k, "set", g->set->name, LOWER);
	check_text(k, "help of the set", g->set->help, 12);
	WRONG_IF(k, !g->on_request, "a group of a set counts by default");
	for (unsigned i = 0; i < t->n_groups; i++)
		WRONG_IF(k, strcmp(t->groups[i].name, g->set->name) == 0,
			 "a group has the name of the set %s", g->set->name);
}

static void check_perf_groups(struct check *k)
{
	const struct cat_perf *t = k->perf;

	for (unsigned i = 0; i < t->n_groups; i++) {
		const struct cat_group *g = &t->groups[i];
		bool yields = false;

		k->row = g->name;
		check_name(k, "group", g->name, LOWER "-");
		for (unsigned j = 0; j < i; j++)
			if (strcmp(t->groups[j].name, g->name) == 0)
				check_wrong(k, "two groups have this name");
		for (unsigned s = 0; g->specs[s]; s++) {
			if (!check_perf_event(t, g->specs[s]))
				check_wrong(k, "there is no event %s", g->specs[s]);
			for (unsigned j = 0; j < s; j++)
				if (strcmp(g->specs[s], g->specs[j]) == 0)
					check_wrong(k, "%s is there twice", g->specs[s]);
		}
		for (unsigned m = 0; m < t->n_metrics; m++)
			yields |= cat_perf_yields(g, &t->metrics[m]);
		check_text(k, "help", g->help, 12);
		WRONG_IF(k, t->sets && !g->on_request, "it counts by default, in a table of sets");
		if (g->set)
			check_set(k, g);
		WRONG_IF(k, g->inputs, "only groups of a processor hide single events");
		WRONG_IF(k, g->metrics_only && !yields, "it is of metrics only and yields none");
	}
	k->row = NULL;
}

/* ------------------------------------------------------------------ tables */

static bool meet(const struct cat_perf *a, const struct cat_perf *b)
{
	if (a->vendor && b->vendor && strcmp(a->vendor, b->vendor) != 0)
		return false;
	if (cat_perf_is_instead_of(a, b) || cat_perf_is_instead_of(b, a))
		return false;
	if (!a->n_ids || !b->n_ids)
		return true;
	for (unsigned i = 0; i < a->n_ids; i++)
		for (unsigned j = 0; j < b->n_ids; j++)
			if (a->ids[i].family == b->ids[j].family &&
			    a->ids[i].first <= b->ids[j].last && b->ids[j].first <= a->ids[i].last)
				return true;
	return false;
}

/* Two tables that may hold for one machine have no group and no metric in common. */
static void check_against(struct check *k, const struct cat_perf *o)
{
	const struct cat_perf *t = k->perf;

	WRONG_IF(k, strcmp(t->name, o->name) == 0, "two tables have this name");
	if (!meet(t, o))
		return;
	for (unsigned i = 0; i < t->n_groups; i++)
		for (unsigned j = 0; j < o->n_groups; j++) {
			const struct cat_group *a = &t->groups[i], *b = &o->groups[j];

			WRONG_IF(k, strcmp(a->name, b->name) == 0,
				 "the group %s is also in %s, for the same processor", a->name,
				 o->name);
			WRONG_IF(k, (a->set && strcmp(a->set->name, b->name) == 0) ||
				 (b->set && strcmp(b->set->name, a->name) == 0),
				 "a group and a set of %s have one name: %s or %s", o->name,
				 a->name, b->name);
		}
	for (unsigned i = 0; i < t->n_metrics; i++)
		for (unsigned j = 0; j < o->n_metrics; j++)
			if (strcmp(t->metrics[i].name, o->metrics[j].name) == 0)
				check_wrong(
					k, "the metric %s is also in %s, for the same processor",
					t->metrics[i].name, o->name);
}

static void check_ids(struct check *k)
{
	const struct cat_perf *t = k->perf;

	WRONG_IF(k, !t->n_pmus, "no PMU");
	WRONG_IF(k, t->n_ids && !t->vendor, "ids need a vendor");
	WRONG_IF(k, t->by_pmu && !t->n_ids, "without ids it holds by its PMU anyway");
	WRONG_IF(k, t->listed && t->executed, "what a guest has executed is not only listed");
	for (unsigned i = 0; i < t->n_ids; i++)
		WRONG_IF(k, t->ids[i].last < t->ids[i].first,
			 "models %u to %u run backwards", t->ids[i].first, t->ids[i].last);
}

int catalog_check_perf(const struct cat_perf *const *v, unsigned n, struct diags *d)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < n; i++) {
		/* What the checks of metrics and texts look at. */
		const struct cat_metrics metrics = { v[i]->metrics, v[i]->n_metrics };
		const struct cat_processor rows = { .name = v[i]->name, .metrics = &metrics };
		struct check k = { .p = &rows, .perf = v[i], .d = d };

		check_name(&k, "table", v[i]->name, LOWER "-");
		check_text(&k, "title", v[i]->title, 8);
		check_ids(&k);
		check_pmus(&k);
		check_perf_events(&k);
		check_perf_groups(&k);
		check_metrics(&k);
		for (unsigned j = 0; j < i; j++)
			check_against(&k, v[j]);
		bad += k.bad;
	}
	return bad ? -EINVAL : 0;
}
