/* groups.c - the groups that are to be counted, each specification resolved.
 *
 * Owns:  what stands in a group: the configuration's, or the defaults of the processor or of the kernel's PMUs.
 * Never: which groups count together (rounds.c).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ default groups */

static void own_add_spec(struct build *b, struct conf_group *g, const char *text)
{
	struct conf_spec *s;
	struct err err;

	g->specs = plan_grow(g->specs, g->n_specs, sizeof(*g->specs));
	s = &g->specs[g->n_specs++];
	if (conf_spec_parse(text, s, &err) < 0)
		diags_add(b->d, g->where, "group '%s': %s", g->name, err.text);
	s->where = g->where;
}

static struct conf_group *own_add_group(struct build *b, const char *origin, const char *name)
{
	struct conf_group *g;

	b->own = plan_grow(b->own, b->n_own, sizeof(*b->own));
	g = &b->own[b->n_own++];
	g->name = plan_text("%s", name);
	g->where = (struct where){ origin, 0 };
	return g;
}

static void processor_groups(struct build *b)
{
	const struct cat_processor *p = b->in->processor;

	for (unsigned i = 0; i < p->n_groups; i++) {
		struct conf_group *g = own_add_group(b, p->name, p->groups[i].name);

		for (const char *const *s = p->groups[i].specs; *s; s++)
			own_add_spec(b, g, *s);
	}
}

#define DEFAULT_SERIES 100          /* of one socket, at most */
#define DEFAULT_EVENTS 4            /* of one PMU: uncore PMUs have four counters or more */

/* Series that a PMU's first events yield on a socket, with their scaled families; 0: it serves no CPU. */
static unsigned pmu_series(const struct topo_pmu *p, const struct topo_pmus *pmus, unsigned n_sockets, const char *box)
{
	unsigned n = 0, events = 0;

	for (unsigned i = 0; i < pmus->n; i++) {
		char other[64];
		int number;

		perf_pmu_box(pmus->v[i].name, other, sizeof(other), &number);
		if (strcmp(other, box) == 0)
			n += pmus->v[i].n_cpumask;
	}
	for (unsigned i = 0; i < p->n_events && i < DEFAULT_EVENTS; i++)
		events += p->events[i].unit ? 2 : 1;
	return (n * events + n_sockets - 1) / n_sockets;
}

/* Uncore-like PMUs have a cpumask; `msr` and `software` count a CPU, not a socket. */
static void pmu_groups(struct build *b)
{
	const struct topo_pmus *pmus = b->in->pmus;
	unsigned left = DEFAULT_SERIES;

	for (unsigned i = 0; pmus && b->in->topo->n_sockets && i < pmus->n; i++) {
		const struct topo_pmu *p = &pmus->v[i];
		struct conf_group *g = NULL;
		char box[64], family[64];
		unsigned series;
		bool known = false;
		int number;

		perf_pmu_box(p->name, box, sizeof(box), &number);
		series = pmu_series(p, pmus, b->in->topo->n_sockets, box);
		for (unsigned k = 0; k < b->n_own; k++)
			known |= strcmp(b->own[k].name, box) == 0;
		if (known || !series || series > left)
			continue;
		left -= series;
		snprintf(family, sizeof(family), "%.*s", (int)(number < 0 ? strlen(p->name) :
			 (size_t)(strrchr(p->name, '_') - p->name)), p->name);
		g = own_add_group(b, "sysfs", box);
		for (unsigned k = 0; k < p->n_events && k < DEFAULT_EVENTS; k++) {
			char *text = plan_text("perf/%s/%s/", family, p->events[k].name);

			own_add_spec(b, g, text);
			free(text);
		}
	}
}

/* ------------------------------------------------------------------ one specification */

static bool pmu_has(const struct topo_pmu *pmu, const char *term)
{
	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		if (strcmp(pmu->format[i].name, term) == 0)
			return true;
	return false;
}

/* The terms of the kernel's uncore drivers for an event: "event=0x15,umask=0xf". */
static char *perf_terms(const struct cat_choice *c, const struct topo_pmu *pmu)
{
	const struct cat_box *b = c->box;
	unsigned code = c->event->route ? c->event->route->places[0].code : c->event->code;
	char umask[32] = "", thresh[32] = "", counter[32] = "";
	uint64_t value = 0;

	if (b->port_key)
		code += b->ports[c->port].event_add;
	for (unsigned i = 0; i < c->event->n_umasks; i++)
		if (c->umasks & BIT(i))
			value |= c->event->umasks[i].value;
	if (c->umasks && cat_has(b->umask))
		snprintf(umask, sizeof(umask), ",umask=0x%llx", (unsigned long long)value);
	if (c->threshold)
		snprintf(thresh, sizeof(thresh), ",thresh=%llu", (unsigned long long)c->threshold);
	if (c->event->counters && pmu_has(pmu, "counter"))
		snprintf(counter, sizeof(counter), ",counter=%d", __builtin_ctz(c->event->counters));
	return plan_text("%s=0x%x%s%s%s%s%s", pmu && !pmu_has(pmu, "event") && pmu_has(pmu, "inc_sel") ? "inc_sel" : "event",
			 code, umask, c->edge ? ",edge=1" : "", c->invert ? ",inv=1" : "", thresh, counter);
}

/* What to write instead of a box specification when perf counts. */
static char *perf_instead(const struct build *b, const struct conf_spec *s)
{
	const struct cat_processor *p = b->in->processor;
	char *terms, *text, family[64], first[80], unit[16] = "", name[64];
	const struct topo_pmu *pmu;
	struct build_spec r;
	struct err err;

	snprintf(family, sizeof(family), "%s%s", strcmp(s->box, "uncore") ? "uncore_" : "", s->box);
	if (!p || spec_resolve(p, s, true, &r, &err) < 0)
		return plan_text("perf/%s/TERMS/", family);
	snprintf(first, sizeof(first), "%s_0", family);
	pmu = b->in->pmus ? topo_pmu_find(b->in->pmus, first) : NULL;
	if (b->in->pmus && !pmu)
		pmu = topo_pmu_find(b->in->pmus, family);
	if (s->unit >= 0 && r.choice.box->n_units > 1)
		snprintf(unit, sizeof(unit), "_%d", s->unit);
	snprintf(name, sizeof(name), "%s", r.choice.event->name);
	for (char *q = name; *q; q++)
		if (*q >= 'A' && *q <= 'Z')
			*q = (char)(*q - 'A' + 'a');
	terms = perf_terms(&r.choice, pmu);
	text = plan_text("perf/%s%s/%s,name=%s/%s", family, unit, terms, name, r.choice.event->route ? " with the terms of its "
			 "sub-control registers, which the PMU's format directory lists" : "");
	free(terms);
	return text;
}

static struct build_item *item_add(struct build_group *g, const struct conf_spec *s)
{
	g->items = plan_grow(g->items, g->n_items, sizeof(*g->items));
	g->items[g->n_items].spec = s;
	return &g->items[g->n_items++];
}

/* Names what the catalog says cannot occur at this port: "AnyDataC is sent to S-Boxes only" (rule 8). */
static void note_port(struct build *b, const struct build_spec *s)
{
	const struct cat_choice *c = &s->choice;

	for (unsigned i = 0; c->box->port_key && i < c->event->n_umasks; i++) {
		const struct cat_umask *u = &c->event->umasks[i];
		uint32_t ports = u->ports;
		const char *names[32];
		unsigned n = 0;
		char *list;

		if (!(c->umasks & BIT(i)) || !ports || (ports & BIT(c->port)))
			continue;
		for (unsigned k = 0; k < c->box->n_ports; k++)
			if (ports & BIT(k))
				names[n++] = c->box->ports[k].name;
		list = plan_join(names, n);
		plan_note(b, plan_text("%s/%s:%s on port %u (%s) will stay 0: it occurs only at the ports of %s.",
				       c->box->name, c->event->name, u->name, c->port, c->box->ports[c->port].name, list));
		free(list);
	}
}

static bool twice(const struct build_group *g, unsigned n, const struct build_spec *s, unsigned unit)
{
	for (unsigned i = 0; i < n; i++) {
		const struct build_item *o = &g->items[i];

		if (!o->perf && o->s.choice.box == s->choice.box && o->s.choice.unit == unit &&
		    spec_equal(&o->s.choice, &s->choice, false))
			return true;
	}
	return false;
}

static void add_box_spec(struct build *b, struct build_group *g, const struct conf_spec *s)
{
	const struct cat_processor *p = b->in->processor;
	unsigned first, end, n = g->n_items;
	struct build_spec r;
	struct err err;
	char *instead;

	if (b->in->perf_engine) {
		instead = perf_instead(b, s);
		diags_add(b->d, s->where, "%s counts through registers, which the perf engine does not use: write %s", s->text,
			  instead);
		free(instead);
		return;
	}
	if (!p) {
		diags_add(b->d, s->where, "%s: this processor's events are unknown; only perf/PMU/TERMS/ counts here", s->text);
		return;
	}
	if (spec_resolve(p, s, true, &r, &err) < 0) {
		diags_add(b->d, s->where, "%s", err.text);
		return;
	}
	note_port(b, &r);
	first = r.every_unit ? 0 : r.choice.unit;
	end = r.every_unit ? r.choice.box->n_units : first + 1;
	for (unsigned unit = first; unit < end; unit++) {
		struct build_item *item;

		if (twice(g, n, &r, unit)) {
			diags_add(b->d, s->where, "%s stands twice in group '%s'", s->text, g->name);
			return;
		}
		item = item_add(g, s);
		item->s = r;
		item->s.choice.unit = unit;
		item->identity = plan_choice_text(&item->s.choice, true);
	}
}

static bool perf_overlaps(const struct build_perf *a, const struct build_perf *b)
{
	if (strcmp(a->box, b->box) != 0 || strcmp(a->rest, b->rest) != 0)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (a->v[i].pmu == b->v[k].pmu)
				return true;
	return false;
}

static void add_perf_spec(struct build *b, struct build_group *g, const struct conf_spec *s)
{
	struct build_perf p;
	struct build_item *item;
	struct err err;

	if (perf_resolve(b->in->pmus, s, &p, &err) < 0) {
		diags_add(b->d, s->where, "%s", err.text);
		return;
	}
	for (unsigned i = 0; i < g->n_items; i++)
		if (g->items[i].perf && perf_overlaps(&g->items[i].p, &p)) {
			diags_add(b->d, s->where, "%s stands twice in group '%s'", s->text, g->name);
			perf_done(&p);
			return;
		}
	item = item_add(g, s);
	item->perf = true;
	item->p = p;
}

/* ------------------------------------------------------------------ all */

/* A specification that counts this box through registers; NULL: none. */
static const struct conf_spec *box_spec(const struct build *b, const char *box)
{
	for (unsigned g = 0; g < b->n_groups; g++)
		for (unsigned i = 0; i < b->groups[g].n_items; i++)
			if (!b->groups[g].items[i].perf && strcmp(b->groups[g].items[i].s.choice.box->name, box) == 0)
				return b->groups[g].items[i].spec;
	return NULL;
}

static void check_engines(struct build *b)
{
	for (unsigned g = 0; g < b->n_groups; g++)
		for (unsigned i = 0; i < b->groups[g].n_items; i++) {
			const struct build_item *item = &b->groups[g].items[i];
			const struct conf_spec *box = item->perf ? box_spec(b, item->p.box) : NULL;

			if (box)
				diags_add(b->d, item->spec->where, "%s would count %s through perf_event while %s counts it "
					  "through registers: use one of the two for a box", item->spec->text, item->p.box,
					  box->text);
		}
}

static void add_group(struct build *b, const struct conf_group *c)
{
	struct build_group *g;

	b->groups = plan_grow(b->groups, b->n_groups, sizeof(*b->groups));
	g = &b->groups[b->n_groups++];
	g->where = c->where;
	g->name = c->name;
	for (unsigned i = 0; i < c->n_specs; i++) {
		if (c->specs[i].perf)
			add_perf_spec(b, g, &c->specs[i]);
		else
			add_box_spec(b, g, &c->specs[i]);
	}
}

void groups_build(struct build *b)
{
	const struct conf *c = b->in->conf;

	if (!c->groups_given && (b->in->perf_engine || !b->in->processor))
		pmu_groups(b);
	else if (!c->groups_given)
		processor_groups(b);
	for (unsigned i = 0; i < (c->groups_given ? c->n_groups : b->n_own); i++)
		add_group(b, c->groups_given ? &c->groups[i] : &b->own[i]);
	check_engines(b);
}

void groups_done(struct build *b)
{
	for (unsigned i = 0; i < b->n_groups; i++) {
		for (unsigned k = 0; k < b->groups[i].n_items; k++) {
			free(b->groups[i].items[k].identity);
			perf_done(&b->groups[i].items[k].p);
		}
		free(b->groups[i].items);
	}
	free(b->groups);
	for (unsigned i = 0; i < b->n_own; i++) {
		for (unsigned k = 0; k < b->own[i].n_specs; k++)
			conf_spec_done(&b->own[i].specs[k]);
		free(b->own[i].specs);
		free(b->own[i].name);
	}
	free(b->own);
}
