/* SPDX-License-Identifier: MIT
 * Metrics that groups name: the events that they need.
 * Owns:  which units and ports a name includes; which event of the group is an input already.
 * Never: what a metric's inputs are (metric/), how they are counted.
 * Pure; main thread.
 */
#include "planner/planning.h"

#include "base/num.h"
#include "conf/conf.h"

#include <errno.h>
#include <string.h>

/* The keys of a name: unit=, port= and link=. */
static void read_keys(struct build *b, const struct spec *s, struct sched_named *ret)
{
	const char *name = metric_of_series(b->rows, s->event);

	*ret = (struct sched_named){ .name = name ?: s->event, .unit = -1, .port = -1,
				     .where = s->where };
	for (unsigned i = 0; i < s->n_keys; i++) {
		const struct spec_key *k = &s->keys[i];
		int *number = NULL;
		uint64_t value = 0;

		if (strcmp(k->name, "socket") == 0) /* of a series: it stands for all */
			continue;
		if (strcmp(k->name, "unit") == 0)
			number = &ret->unit;
		else if (strcmp(k->name, "port") == 0)
			number = &ret->port;
		if (!number && strcmp(k->name, "link") != 0)
			diags_add(b->s.d, s->where, "\"%s\": a metric has no key \"%s\"; the keys "
				  "are unit, port and link", s->text, k->name);
		else if (!k->value || (number && (num_parse_u64(k->value, &value) < 0 ||
						  value > 1000)))
			diags_add(b->s.d, s->where, "\"%s\": key \"%s\" needs a %s", s->text,
				  k->name, number ? "number" : "link, such as link=qpi0");
		else if (number)
			*number = (int)value;
		else
			ret->link = k->value;
	}
}

static bool has_box_event(const struct sched_group *g, const struct spec_box *in, unsigned unit,
			  unsigned port)
{
	for (unsigned i = 0; i < g->n_items; i++) {
		const struct cat_selection *c = &g->items[i].s.selection;

		if (!g->items[i].perf && c->box == in->selection.box && c->unit == unit &&
		    cat_event_same(c->event, in->selection.event) &&
		    (!in->any_port || c->port == port) && spec_matches(in, c))
			return true;
	}
	return false;
}

/* Notes which metric added an item. */
static void needed_by(struct sched_item *item, const struct sched_named *by,
		      const struct metric_input *in)
{
	item->metric = by->name;
	item->metrics_only = in->metrics_only;
}

/* Does the port belong to what was named? */
static bool is_named_port(const struct sched_named *by, const struct cat_box *box, unsigned port)
{
	const char *link = box->ports[port].link;

	return (by->port < 0 || (unsigned)by->port == port) &&
	       (!by->link || (link && strcmp(by->link, link) == 0));
}

static bool is_named_unit(const struct sched_named *by, const struct cat_box *box, unsigned unit)
{
	const char *link = box->links ? box->links[unit] : NULL;

	return (by->unit < 0 || (unsigned)by->unit == unit) &&
	       (!by->link || !link || strcmp(by->link, link) == 0);
}

/* The event on every unit and port that is named. Returns how many those are, counted already or
 * not. */
static unsigned add_box_event(struct build *b, struct sched_group *g, const struct spec *s,
			      const struct sched_named *by, const struct metric_input *in)
{
	const struct cat_selection *c = &in->box->selection;
	bool units = in->box->every_unit && c->box->n_units > 1;
	unsigned n = 0, ports = in->box->any_port ? c->box->n_ports : 1;

	for (unsigned unit = 0; unit < c->box->n_units; unit++)
		for (unsigned port = 0; port < ports; port++) {
			struct spec_box box = *in->box;

			if (units ? !is_named_unit(by, c->box, unit) : unit != c->unit)
				continue;
			if (in->box->any_port && !is_named_port(by, c->box, port))
				continue;
			n++;
			if (has_box_event(g, in->box, unit, port))
				continue;
			if (box.any_port)
				box.selection.port = port;
			box.any_port = false;
			needed_by(item_add_box(b, g, s, &box, unit), by, in);
		}
	return n;
}

/* Is it the same event, on this instance? */
static bool counts_on(const struct spec_perf *item, const struct spec_perf *event,
		      const struct spec_pmu *v)
{
	for (unsigned i = 0; i < item->n; i++)
		if (item->v[i].pmu == v->pmu)
			return spec_perf_is(item, event->box, event->event, v->config);
	return false;
}

/* The same of the instances of a PMU. */
static unsigned add_perf_event(struct build *b, struct sched_group *g, const struct spec *s,
			       const struct sched_named *by, const struct metric_input *in)
{
	struct spec_perf p = *in->perf;
	unsigned n = 0;

	p.v = arena_copy(b->s.work, in->perf->v, in->perf->n, sizeof(*p.v));
	p.n = 0;
	for (unsigned i = 0; i < in->perf->n; i++) {
		const struct spec_pmu *v = &in->perf->v[i];
		bool has = false;

		if (in->perf->n > 1 && by->unit >= 0 && by->unit != v->number)
			continue;
		n++;
		for (unsigned k = 0; k < g->n_items; k++)
			has |= g->items[k].perf && counts_on(&g->items[k].p, &p, v);
		if (!has)
			p.v[p.n++] = *v;
	}
	if (p.n)
		needed_by(item_add_perf(b, g, s, &p), by, in);
	return n;
}

/* The event of one unit of an input, as it can be typed; NULL: it has no such unit. */
static const char *unit_event(const struct build *b, const struct metric_input *in, unsigned unit)
{
	const char *slash = strchr(in->spec->text, '/');
	unsigned most;

	if (in->box && unit >= in->box->selection.box->n_units)
		return NULL;
	if (in->box)
		return arena_printf(b->s.work, "%s%s",
				    spec_unit_text(b->s.work, in->spec->box, unit), slash);
	most = perf_units(&b->s.machine, in->perf->v[0].name);
	for (unsigned i = 0; i < in->perf->n; i++) {
		const struct spec_pmu *v = &in->perf->v[i];

		if (v->number >= 0 && (unsigned)v->number != unit / most)
			continue;
		if (most > 1)
			return arena_printf(b->s.work, "%s/%s", spec_unit_text(b->s.work,
					    in->perf->box, unit), in->perf->rest);
		return arena_printf(b->s.work, "perf/%s%s", v->name, strchr(slash + 1, '/'));
	}
	return NULL;
}

/* A metric counts whole instances of a PMU. Has one of them several units? */
static bool refuse_die(struct build *b, const struct sched_group *g, const struct sched_named *by,
		       const struct metric_inputs *inputs)
{
	for (unsigned i = 0; by->unit >= 0 && i < inputs->n; i++) {
		const struct metric_input *in = &inputs->v[i];

		if (!in->perf || perf_units(&b->s.machine, in->perf->v[0].name) == 1)
			continue;
		diags_add(b->s.d, by->where, "group '%s': metric '%s': all units of %s count "
			  "together; remove unit=", g->name, by->name, in->perf->v[0].name);
		return true;
	}
	return false;
}

/* A metric of a socket has no units. One that has not this unit either is refused elsewhere. */
static bool refuse_unit(struct build *b, const struct sched_group *g, const struct sched_named *by,
			const struct metric_inputs *inputs)
{
	const char *event = NULL;

	if (by->unit < 0 || !inputs->of_socket || !inputs->n)
		return false;
	event = unit_event(b, &inputs->v[0], (unsigned)by->unit);
	if (event)
		diags_add(b->s.d, by->where, "group '%s': metric '%s' is one value for a whole "
			  "socket, so it has no unit=%d; name the event of that unit in events: "
			  "\"%s\"", g->name, by->name, by->unit, event);
	return event != NULL;
}

/* A key of the name that no event of the metric would heed; NULL: each has its meaning. */
static const char *meaningless_key(const struct sched_named *by, const struct metric_inputs *inputs)
{
	bool units = false, ports = false, links = inputs->of_link;

	for (unsigned i = 0; i < inputs->n; i++) {
		const struct metric_input *in = &inputs->v[i];

		units |= in->box ? in->box->selection.box->n_units > 1 : in->perf->n > 1;
		ports |= in->box && in->box->any_port;
		links |= in->box && (in->box->any_port || in->box->selection.box->links);
	}
	if (by->unit > 0 && !units)
		return "unit";
	if (by->port >= 0 && !ports)
		return "port";
	return by->link && !links ? "link" : NULL;
}

static void add_metric(struct build *b, struct sched_group *g, const struct sched_named *by)
{
	struct metric_inputs inputs;
	const char *key;
	bool complete = true;
	struct err err;

	if (metric_inputs(b->rows, by, b->in->perf_engine, &inputs, &err) < 0) {
		diags_add(b->s.d, by->where, "group '%s': %s", g->name, err.text);
		return;
	}
	if (refuse_unit(b, g, by, &inputs) || refuse_die(b, g, by, &inputs))
		return;
	key = meaningless_key(by, &inputs);
	if (key) {
		diags_add(b->s.d, by->where, "group '%s': metric '%s' has no %s; remove %s=",
			  g->name, by->name, strcmp(key, "unit") == 0 ? "other unit than 0" : key,
			  key);
		return;
	}
	for (unsigned i = 0; i < inputs.n; i++) {
		const struct metric_input *in = &inputs.v[i];
		struct spec *s = arena_copy(b->s.work, in->spec, 1, sizeof(*s));

		s->where = by->where;
		if (in->perf)
			complete &= add_perf_event(b, g, s, by, in) > 0;
		else if (b->in->perf_engine && perf_instead(b->s.work, b->in->processor,
							    b->in->pmus, s, &err) == -EINVAL)
			diags_add(b->s.d, by->where, "group '%s': metric '%s': %s", g->name,
				  by->name, err.text);
		else
			complete &= add_box_event(b, g, s, by, in) > 0;
	}
	if (!complete)
		diags_add(b->s.d, by->where, "group '%s': metric '%s' does not have the unit, port "
			  "or link that is given", g->name, by->name);
}

void named_build(struct build *b, struct sched_group *g)
{
	const struct conf_group *c = g->conf;

	for (unsigned i = 0; i < c->n_metrics; i++) {
		struct sched_named *by = ARENA_ADD(b->s.work, g->named, g->n_named);

		read_keys(b, &c->metrics[i], by);
		add_metric(b, g, by);
	}
}

static bool overlaps(const struct sched_named *x, const struct sched_named *y)
{
	return strcmp(x->name, y->name) == 0 &&
	       (x->unit < 0 || y->unit < 0 || x->unit == y->unit) &&
	       (x->port < 0 || y->port < 0 || x->port == y->port) &&
	       (!x->link || !y->link || strcmp(x->link, y->link) == 0);
}

static void refuse_window(struct build *b, const struct sched_group *x,
			  const struct sched_group *y, const struct sched_named *by)
{
	diags_add(b->s.d, by->where, "groups '%s' and '%s' both name '%s', but they do not share "
		  "the windows of '%s'; name the metric in only one of the groups",
		  x->name, y->name, by->name, x->window ? x->name : y->name);
}

/* Two groups that ask for buckets of their own? */
static bool bounds_differ(const struct conf_bounds *x, const struct conf_bounds *y)
{
	return x->n && y->n && (x->n != y->n || memcmp(x->at, y->at, x->n * sizeof(*x->at)) != 0);
}

static void refuse_buckets(struct build *b, const struct sched_group *x,
			   const struct sched_group *y, struct where where, const char *what)
{
	diags_add(b->s.d, where, "groups '%s' and '%s' both name '%s', but with different buckets; "
		  "its samples make one distribution, so give both groups the same buckets, or "
		  "only one of them any", x->name, y->name, what);
}

static void check_metrics(struct build *b, const struct sched_group *x, const struct sched_group *y)
{
	bool buckets = bounds_differ(&x->conf->distribution.metric, &y->conf->distribution.metric);

	for (unsigned i = 0; i < y->n_named; i++)
		for (unsigned k = 0; k < x->n_named; k++) {
			const struct sched_named *by = &y->named[i];

			if (!overlaps(&x->named[k], by))
				continue;
			if (!x->window != !y->window)
				refuse_window(b, x, y, by);
			if (buckets)
				refuse_buckets(b, x, y, by->where, by->name);
		}
}

static bool same_event(const struct sched_item *x, const struct sched_item *y)
{
	if (x->perf || y->perf)
		return x->perf && y->perf && strcmp(x->p.box, y->p.box) == 0 &&
		       strcmp(x->p.rest, y->p.rest) == 0;
	return strcmp(x->identity, y->identity) == 0;
}

/* Passes over events that a metric adds, such as a clock: groups with other buckets share them. */
static void check_events(struct build *b, const struct sched_group *x, const struct sched_group *y)
{
	const struct spec *complained = NULL;       /* one specification is many units */

	if (!bounds_differ(&x->conf->distribution.counter, &y->conf->distribution.counter))
		return;
	for (unsigned i = 0; i < y->n_items; i++)
		for (unsigned k = 0; k < x->n_items; k++) {
			const struct sched_item *item = &y->items[i];

			if (item->metric || x->items[k].metric || item->spec == complained ||
			    !same_event(&x->items[k], item))
				continue;
			complained = item->spec;
			refuse_buckets(b, x, y, complained->where, complained->text);
		}
}

/* What two groups name is one series. So they must agree: values are either of overflow windows
 * or not, and a distribution has one list of buckets. */
void named_check(struct build *b)
{
	for (unsigned g = 0; g < b->s.n_groups; g++)
		for (unsigned o = 0; o < g; o++) {
			check_metrics(b, &b->s.groups[o], &b->s.groups[g]);
			check_events(b, &b->s.groups[o], &b->s.groups[g]);
		}
}
