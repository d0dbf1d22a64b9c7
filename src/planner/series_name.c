/* SPDX-License-Identifier: MIT
 * From a series of /metrics back to the specification of its event.
 * Owns:  which family is of which event, which label is which key.
 * Never: series of metrics (cat_metric_is()); how a family is spelled (plan/slot_labels.c).
 * Pure; main thread.
 */
#include "planner/series_name.h"

#include "plan/slot_labels.h"

#include <stdlib.h>
#include <string.h>

/* A box is called uncore, too: its families have the word twice, and may be written without one. */
static const char *bare(const char *family)
{
	while (strncmp(family, "uncore_", strlen("uncore_")) == 0)
		family += strlen("uncore_");
	return family;
}

/* Is `family` that of this event? */
static bool is_family(const char *family, const char *box, const char *event)
{
	char *of = labels_family(box, event);
	bool is = of && strcmp(bare(of), bare(family)) == 0;

	free(of);
	return is;
}

static const char *key_of(const struct spec *s, const char *name)
{
	for (unsigned i = 0; i < s->n_keys; i++)
		if (strcmp(s->keys[i].name, name) == 0)
			return s->keys[i].value;
	return NULL;
}

/* The unit, or its number by the label `link` of a box that has one link for each unit. */
static const char *unit_of(struct arena *a, const struct cat_box *b, const struct spec *s)
{
	const char *link = key_of(s, "link"), *unit = key_of(s, "unit");

	if (unit || !link || !b->links)
		return unit;
	for (unsigned i = 0; i < b->n_units; i++)
		if (strcmp(b->links[i], link) == 0)
			return arena_printf(a, "%u", i);
	return NULL;
}

/* ",port=2" by the label `link` where that of the port is missing. */
static const char *port_of(struct arena *a, const struct cat_box *b, const struct spec *s)
{
	const char *link = key_of(s, "link");

	if (!link || !b->port_key || key_of(s, "port"))
		return "";
	for (unsigned i = 0; i < b->n_ports; i++)
		if (b->ports[i].link && strcmp(b->ports[i].link, link) == 0)
			return arena_printf(a, ",%s=%u", b->port_key, i);
	return "";
}

static char *box_spec(struct arena *a, const struct cat_box *b, const struct cat_event *e,
		      const struct spec *s)
{
	const char *unit = unit_of(a, b, s), *umask = key_of(s, "umask");
	const char *units = unit ? arena_printf(a, "[%s]", unit) : "";
	const char *umasks = umask ? arena_printf(a, ":%s", umask) : "";
	char *text = arena_printf(a, "%s%s/%s%s%s", b->name, units, e->name, umasks,
				  port_of(a, b, s));

	for (unsigned i = 0; i < s->n_keys; i++) {
		const struct spec_key *k = &s->keys[i];

		if (strcmp(k->name, "socket") != 0 && strcmp(k->name, "unit") != 0 &&
		    strcmp(k->name, "umask") != 0 && strcmp(k->name, "link") != 0)
			text = arena_printf(a, "%s,%s=%s", text, k->name, k->value);
	}
	return text;
}

static char *event_of_boxes(struct arena *a, const struct cat_processor *p, const struct spec *s)
{
	for (unsigned i = 0; p && i < p->n_boxes; i++)
		cat_each_event(e, p->boxes[i])
			if (is_family(s->event, p->boxes[i]->name, e->name))
				return box_spec(a, p->boxes[i], e, s);
	return NULL;
}

/* Is it the family of the event, or of what its counts are in base units? */
static bool is_of_perf(struct arena *a, const struct spec_perf *p, const char *family)
{
	const char *unit = NULL;
	size_t n;

	if (is_family(family, p->box, p->event))
		return true;
	if (perf_base_scale(a, p, &unit) <= 0 || !unit)
		return false;
	n = strlen(family);
	if (n < strlen(unit) + strlen("__total"))
		return false;
	n -= strlen(unit) + strlen("__total");
	return strcmp(family + n, arena_printf(a, "_%s_total", unit)) == 0 &&
	       is_family(arena_printf(a, "%.*s_total", (int)n, family), p->box, p->event);
}

static char *perf_spec(struct arena *a, const struct spec_perf *p, const char *text,
		       const struct spec *s)
{
	const char *unit = key_of(s, "unit");
	char *end;
	unsigned long number = unit ? strtoul(unit, &end, 10) : 0;

	if (!unit || *end || number > 1000)
		return arena_text(a, text);
	return arena_printf(a, "%s/%s", spec_unit_text(a, p->box, (unsigned)number), p->rest);
}

/* The specification where it counts the family; NULL: it does not, or not here. */
static char *match_spec(struct arena *a, const struct spec_machine *m, const char *text,
			const struct spec *s)
{
	struct spec_perf p;
	struct spec e;

	return spec_parse(a, text, &e, NULL) == 0 && perf_resolve(a, m->pmus, &e, &p, NULL) == 0 &&
	       is_of_perf(a, &p, s->event) ? perf_spec(a, &p, text, s) : NULL;
}

/* The events that a PMU names. */
static char *event_of_pmu(struct arena *a, const struct spec_machine *m, const struct topo_pmu *pmu,
			  const struct spec *s)
{
	char *found = NULL;

	for (unsigned k = 0; k < pmu->n_events && !found; k++)
		if (!strstr(pmu->events[k].text, "=?"))
			found = match_spec(a, m, arena_printf(a, "perf/%s/%s/",
				perf_family(pmu->name).s, pmu->events[k].name), s);
	return found;
}

/* Of the kernel's PMUs: what the tables count, by numbers or by name, then what the PMUs name. */
static char *event_of_pmus(struct arena *a, const struct spec_machine *m, const struct spec *s)
{
	char *found = NULL;

	for PERF_EACH_TABLE(t, m)
		for (unsigned i = 0; i < t->n_events && !found; i++)
			found = match_spec(a, m, t->events[i].spec, s);
	for (unsigned i = 0; i < m->pmus->n && !found; i++)
		if (perf_is_first(m->pmus, &m->pmus->v[i]))
			found = event_of_pmu(a, m, &m->pmus->v[i], s);
	return found;
}

char *series_event(struct arena *a, const struct spec_machine *m, const struct spec *s)
{
	char *found = NULL;

	if (!s->event || s->box || s->perf)
		return NULL;
	found = event_of_boxes(a, m->processor, s);
	return found || !m->pmus ? found : event_of_pmus(a, m, s);
}
