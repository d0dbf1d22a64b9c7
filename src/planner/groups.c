/* SPDX-License-Identifier: MIT
 * The groups that are to be counted, each specification resolved.
 * Owns:  what a group contains: the configuration's, or the defaults of the processor (of the
 *        kernel's PMUs: defaults.c).
 * Never: which groups count together (rounds.c).
 * Pure; main thread.
 */
#include "planner/defaults.h"
#include "planner/planning.h"
#include "planner/series_name.h"

#include "base/name.h"
#include "base/words.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Adds what can be counted here of a ready-made group. err: why something cannot. */
static void add_ready_made(struct build *b, struct conf_group *g, const struct cat_group *from,
			   struct err *err)
{
	struct spec *names = NULL;

	for (const char *const *text = from->specs; *text; text++) {
		if (!ready_made_add(b, g, *text, NULL, err))
			continue;
		for (const char *const *in = from->inputs; in && *in; in++)
			g->specs[g->n_specs - 1].input_only |= strcmp(*in, *text) == 0;
	}
	for (const char *const *name = from->metrics; name && *name; name++) {
		const struct sched_named by = { .name = *name, .unit = -1, .port = -1 };
		struct metric_inputs inputs;
		struct spec *s;

		if (metric_inputs(b->rows, &by, b->in->perf_engine, &inputs, err) < 0)
			continue;
		s = ARENA_ADD(b->s.work, names, g->n_metrics);
		spec_parse_name(b->s.work, *name, s, err);
		s->where = g->where;
	}
	g->metrics = names;
}

static void processor_groups(struct build *b)
{
	const struct cat_processor *p = b->in->processor;

	for (unsigned i = 0; i < p->n_groups; i++) {
		const struct cat_group *from = &p->groups[i];
		struct conf_group *g;
		struct err err;

		if (from->on_request)
			continue;
		g = default_group_add(b, p->name, from->name, from->metrics_only);
		add_ready_made(b, g, from, &err);
	}
}

/* What is ready-made, and what of it a name of the configuration means. */
struct meant {
	struct ready_groups all;
	struct ready_groups groups; /* the one of the name, or those of the set of the name */
};

/* Is it a group of the set of this name? */
static bool is_of_set(const struct cat_group *g, const char *name)
{
	return g->set && strcmp(g->set->name, name) == 0;
}

const char *plan_ready_other(const struct cat_group *g)
{
	return strcmp(g->name, "llc") == 0 ? "cache" : NULL;
}

bool plan_ready_called(const struct cat_group *g, const char *name)
{
	const char *other = plan_ready_other(g);

	return strcmp(g->name, name) == 0 || (other && strcmp(other, name) == 0);
}

static void find_meant(const struct build *b, const char *name, struct meant *ret)
{
	const struct cat_processor *p = b->in->perf_engine ? NULL : b->in->processor;

	*ret = (struct meant){ .all = { .n = 0 } };
	for (unsigned i = 0; p && i < p->n_groups; i++)
		*ARENA_ADD(b->s.work, ret->all.v, ret->all.n) =
			(struct ready_group){ .group = &p->groups[i] };
	if (!p)
		ready_groups(b->s.work, &b->s.machine, &ret->all);
	for (unsigned i = 0; i < ret->all.n; i++)
		if (plan_ready_called(ret->all.v[i].group, name) ||
		    is_of_set(ret->all.v[i].group, name))
			*ARENA_ADD(b->s.work, ret->groups.v, ret->groups.n) = ret->all.v[i];
}

/* A box that this processor has not: said at the first of its events in a group. */
static void refuse_no_box(const struct build *b, const struct sched_group *g, const struct spec *s)
{
	struct err err;

	for (const struct spec *o = g->conf->specs; o < s; o++)
		if (!o->perf && o->box && strcmp(o->box, s->box) == 0)
			return;
	spec_no_box(b->in->processor, b->in->topo, s, &err);
	diags_add(b->s.d, s->where, "%s", err.text);
}

/* Names what the catalog says cannot occur at this port: "AnyDataC is sent to S-Boxes only" (rule
 * 8). */
static void note_port(struct build *b, const struct spec_box *s)
{
	const struct cat_selection *c = &s->selection;

	if (!c->box->port_key)
		return;
	for (unsigned i = 0; i < c->event->n_umasks; i++) {
		const struct cat_umask *u = &c->event->umasks[i];
		uint32_t ports = u->ports;
		const char *names[32];
		unsigned n = 0;

		if (!(c->umasks & BIT(i)) || !ports || (ports & BIT(c->port)))
			continue;
		for (unsigned k = 0; k < c->box->n_ports; k++)
			if (ports & BIT(k))
				names[n++] = c->box->ports[k].name;
		schedule_note(&b->s, "%s/%s:%s on port %u (%s) will stay 0: it occurs only at the "
			      "ports of %s.", c->box->name, c->event->name, u->name, c->port,
			      c->box->ports[c->port].name, words_list(b->s.work, names, n));
	}
}

/* What nobody says of an event that is given by numbers. */
static void note_numbers(struct build *b, const struct spec *s, const struct spec_box *r)
{
	const struct cat_selection *c = &r->selection;

	if (c->event->raw)
		schedule_note(&b->s, "%s is given by numbers: uncored takes it to count at most %u "
			      "in one cycle, the most of any event of the %s%s.", s->text,
			      c->event->max_inc, c->box->name,
			      r->pin < 0 ? ", and on any of its counters" : "");
}

/* A threshold above all that the event can count in a cycle is never reached. */
static void note_threshold(struct build *b, const struct spec_box *s)
{
	const struct cat_selection *c = &s->selection;
	struct cat_selection plain = *c;
	unsigned most;

	plain.threshold = 0;
	plain.edge = plain.invert = false;
	most = cat_max_inc(&plain);
	if (c->threshold > most)
		schedule_note(&b->s, "%s/%s with threshold=%" PRIu64 " will %s: the event counts "
			      "at most %u in one cycle.", c->box->name, c->event->name,
			      c->threshold, c->invert && !c->edge ? "count every cycle" :
			      "stay 0", most);
}

static bool twice(const struct sched_group *g, unsigned n, const struct spec_box *s, unsigned unit)
{
	for (unsigned i = 0; i < n; i++) {
		const struct sched_item *o = &g->items[i];

		if (!o->perf && o->s.selection.box == s->selection.box &&
		    o->s.selection.unit == unit && spec_equal(&o->s.selection, &s->selection))
			return true;
	}
	return false;
}

static void add_box_spec(struct build *b, struct sched_group *g, const struct spec *s)
{
	const struct cat_processor *p = b->in->processor;
	unsigned first, end, n = g->n_items;
	struct spec_box r;
	struct err err;

	if (b->in->perf_engine && perf_instead(b->s.work, p, b->in->pmus, s, &err) == -EINVAL) {
		diags_add(b->s.d, s->where, "%s", err.text);
		return;
	}
	if (!p || !cat_box_by_name(p, s->box)) {
		refuse_no_box(b, g, s);
		return;
	}
	if (spec_resolve(b->s.keep, p, s, b->in->filters_optional ? SPEC_FILTERS_OPTIONAL : 0, &r,
			 &err) < 0) {
		diags_add(b->s.d, s->where, "%s", err.text);
		return;
	}
	note_port(b, &r);
	note_numbers(b, s, &r);
	note_threshold(b, &r);
	first = r.every_unit ? 0 : r.selection.unit;
	end = r.every_unit ? r.selection.box->n_units : (unsigned)s->last + 1;
	for (unsigned unit = first; unit < end; unit++) {
		if (twice(g, n, &r, unit)) {
			diags_add(b->s.d, s->where, "%s is listed twice in group '%s'",
				  s->typed ?: s->text, g->name);
			return;
		}
		item_add_box(b, g, s, &r, unit);
	}
}

static bool perf_overlaps(const struct spec_perf *a, const struct spec_perf *b)
{
	if (!spec_perf_is(a, b->box, b->event, b->v[0].config))
		return false;
	if (a->first_unit >= 0 && b->first_unit >= 0 &&
	    (a->last_unit < b->first_unit || b->last_unit < a->first_unit))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++)
			if (a->v[i].pmu == b->v[k].pmu)
				return true;
	return false;
}

static void add_perf_spec(struct build *b, struct sched_group *g, const struct spec *s)
{
	struct spec_perf p;
	struct err err;

	if (perf_resolve_here(b->s.work, &b->s.machine, s, &p, &err) < 0) {
		diags_add(b->s.d, s->where, "%s", err.text);
		return;
	}
	for (unsigned i = 0; i < g->n_items; i++)
		if (g->items[i].perf && perf_overlaps(&g->items[i].p, &p)) {
			diags_add(b->s.d, s->where, "%s is listed twice in group '%s'",
				  s->typed ?: s->text, g->name);
			return;
		}
	item_add_perf(b, g, s, &p);
}

/* No event is called so: a metric may be, as typed or as a scrape shows it. why: not an event. */
static void refuse_event(struct build *b, const struct spec *s, const struct err *why)
{
	const char *name = s->box ? NULL : name_after(s->event, "uncore_") ?: s->event,
		*metric = name ? metric_of_series(b->rows, name) : NULL;

	if (metric)
		diags_add(b->s.d, s->where, "\"%s\" is a metric, not an event: metrics = [ "
			  "\"%s\" ], or uncorectl stat -M %s", s->text, metric, metric);
	else
		diags_add(b->s.d, s->where, "%s", why->text);
}

static void add_spec(struct build *b, struct sched_group *g, const struct spec *written)
{
	struct spec *s = arena_alloc(b->s.work, 1, sizeof(*s));
	struct err err;

	if (spec_of_name(b->s.work, &b->s.machine, written, s, &err) < 0)
		refuse_event(b, written, &err);
	else if (s->perf)
		add_perf_spec(b, g, s);
	else
		add_box_spec(b, g, written->box ? written : s);
}

/* A specification that counts this box through registers; NULL: none. */
static const struct spec *box_spec(const struct build *b, const char *box)
{
	for SCHED_EACH_ITEM(item, g, &b->s)
		if (!item->perf && strcmp(item->s.selection.box->name, box) == 0)
			return item->spec;
	return NULL;
}

static void check_engines(struct build *b)
{
	for SCHED_EACH_ITEM(item, g, &b->s) {
		const struct spec *box = item->perf ? box_spec(b, item->p.box) : NULL;

		if (box)
			diags_add(b->s.d, item->spec->where,
				  "%s would count %s through perf_event, but %s counts it through "
				  "registers; use only one of the two for a box", item->spec->text,
				  item->p.box, box->text);
	}
}

/* The group with the events whose series are named among its metrics. */
static const struct conf_group *take_series(struct build *b, const struct conf_group *c)
{
	struct conf_group *g = arena_copy(b->s.work, c, 1, sizeof(*c));
	struct spec_machine on = b->s.machine;
	struct err err;

	if (b->in->perf_engine)
		on.processor = NULL;
	g->specs = NULL;
	g->n_specs = 0;
	for (unsigned i = 0; i < c->n_specs; i++)
		*ARENA_ADD(b->s.work, g->specs, g->n_specs) = c->specs[i];
	g->metrics = arena_alloc(b->s.work, c->n_metrics, sizeof(*c->metrics));
	g->n_metrics = 0;
	for (unsigned i = 0; i < c->n_metrics; i++) {
		const struct spec *name = &c->metrics[i];
		const char *event = metric_of_series(b->rows, name->event) ? NULL :
				    series_event(b->s.work, &on, name);
		struct spec *s;

		if (!event) {
			g->metrics[g->n_metrics++] = *name;
			continue;
		}
		s = ARENA_ADD(b->s.work, g->specs, g->n_specs);
		if (spec_parse(b->s.work, event, s, &err) < 0) {
			diags_add(b->s.d, name->where, "\"%s\": %s", name->text, err.text);
			g->n_specs--;
		}
		s->where = name->where;
	}
	return g;
}

static void add_group(struct build *b, const struct conf_group *c)
{
	struct sched_group *g = ARENA_ADD(b->s.work, b->s.groups, b->s.n_groups);
	size_t before = diags_count(b->s.d);

	if (c->n_metrics)
		c = take_series(b, c);
	g->conf = c;
	g->where = c->where;
	g->name = c->name;
	g->window = c->has_overflow_window ? &c->overflow_window : NULL;
	g->metrics_only = c->metrics_only;
	g->ready_made = c->ready_made || !b->in->conf->groups_given;
	g->apart = c->apart;
	g->resolution = c->resolution.every;
	g->set = c->set;
	for (unsigned i = 0; i < c->n_specs; i++)
		add_spec(b, g, &c->specs[i]);
	named_build(b, g);
	defaults_note_caveats(b, g);
	g->complete = !c->faulty && diags_count(b->s.d) == before;
}

/* Is the group of a set named by itself, too? */
static bool is_named_alone(const struct build *b, const struct conf_group *set, const char *name)
{
	const struct conf *c = b->in->conf;

	for (unsigned i = 0; i < c->n_groups; i++)
		if (&c->groups[i] != set && strcmp(c->groups[i].name, name) == 0)
			return true;
	return false;
}

/* What can be counted here of a ready-made group; NULL: nothing, and err says why. */
static struct conf_group *made_here(struct build *b, const struct conf_group *c,
				    const struct ready_group *r, struct err *err)
{
	struct conf_group *g = arena_copy(b->s.work, c, 1, sizeof(*c));
	const struct cat_group *found = r->group;

	if (!ready_yields(b, r, err))
		return NULL;
	if (is_of_set(found, c->name))
		g->name = arena_text(b->s.work, found->name);
	g->metrics_only = found->metrics_only;
	g->apart = found->apart;
	g->set = found->set;
	add_ready_made(b, g, found, err);
	return !g->n_specs || (found->metrics && !g->n_metrics) ? NULL : g;
}

static bool add_ready_group(struct build *b, const struct conf_group *c,
			    const struct ready_group *r, struct err *err)
{
	struct conf_group *g = made_here(b, c, r, err);

	if (g)
		add_group(b, g);
	return g;
}

/* No group is called so: the nearest of those that can be counted here. A group is one choice, by
 * whichever of its names. */
static void refuse_name(struct build *b, const struct conf_group *c, const struct ready_groups *all)
{
	char nearest[WORDS_TEXT];
	const char **names = NULL;
	unsigned n = 0;
	struct err err;

	for (unsigned i = 0; i < all->n; i++) {
		const struct cat_group *g = all->v[i].group;
		const char *other = plan_ready_other(g);
		bool meant = other && name_is_typo(c->name, other);
		const char *const its[] = { meant ? other : g->name,
					    g->set ? g->set->name : g->name };

		for (unsigned k = 0; made_here(b, c, &all->v[i], &err) && k < COUNT(its); k++)
			if (!NAME_FIND(names, n, its[k]))
				*ARENA_ADD(b->s.work, names, n) = its[k];
	}
	diags_add(b->s.d, c->where, "there is no ready-made group '%s' here; %s", c->name,
		  n ? words_nearest(nearest, c->name, names, n) :
		  "nothing is ready-made for this machine");
}

/* What has only the name of a ready-made group, or of a set of them. */
static void add_group_by_name(struct build *b, const struct conf_group *c)
{
	struct err err = { "" };
	struct meant meant;
	bool any = false;

	find_meant(b, c->name, &meant);
	if (!meant.groups.n) {
		refuse_name(b, c, &meant.all);
		return;
	}
	for (unsigned i = 0; i < meant.groups.n; i++) {
		const struct ready_group *r = &meant.groups.v[i];

		any |= (is_of_set(r->group, c->name) && is_named_alone(b, c, r->group->name)) ||
		       add_ready_group(b, c, r, &err);
	}
	if (!any)
		diags_add(b->s.d, c->where, "the kernel cannot count the ready-made group '%s' "
			  "here: %s", c->name, err.text);
}

static void configured_groups(struct build *b)
{
	const struct conf *c = b->in->conf;

	for (unsigned i = 0; i < c->n_groups; i++)
		if (c->groups[i].ready_made)
			add_group_by_name(b, &c->groups[i]);
		else
			add_group(b, &c->groups[i]);
}

void groups_build(struct build *b)
{
	const struct conf *c = b->in->conf;

	if (c->groups_given)
		configured_groups(b);
	else if (b->in->perf_engine || !b->in->processor)
		perf_default_groups(b);
	else
		processor_groups(b);
	for (unsigned i = 0; i < b->n_defaults; i++)
		add_group(b, &b->defaults[i]);
	check_engines(b);
	named_check(b);
	windows_build(b);
}
