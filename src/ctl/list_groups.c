/* SPDX-License-Identifier: MIT
 * uncorectl list groups, describe GROUP: what is ready-made, what it yields, what it costs.
 * Owns:  the rows of these commands. Cost is of a plan of the group alone, on the socket that has
 *        the most of it.
 * Never: which groups there are (catalog/, planner/).
 */
#include "ctl/ctl.h"

#include "planner/defaults.h"
#include "spec/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_any(const struct ctl *c, struct machine *m)
{
	const struct conf_engine_choice any = { .kind = CONF_AUTO };
	const struct machine_options asked = { .roots = c->roots, .plan_only = true,
		.processor = c->processor_given ? c->processor->name : NULL };
	struct err err = { "" };
	int r = machine_open(&asked, &any, m, &err);

	return r < 0 ? ctl_fail(ctl_code(r, CTL_UNAVAILABLE), "%s", err.text) : 0;
}

static const struct where at = { "--groups", 0 };

/* The mistakes go to d. */
static struct plan *plan_of(const struct machine *m, const char *name, struct diags *d)
{
	struct conf_group group = { .where = at, .name = (char *)name, .ready_made = true };
	struct conf *conf = ctl_conf_of(&group);
	struct plan *plan = NULL;

	if (conf)
		machine_plan(m, conf, 0, &plan, d);
	conf_free(conf);
	return plan;
}

/* The socket of a plan that has the most series; NULL: there is no plan. */
static const struct plan_socket *fullest(const struct plan *p)
{
	const struct plan_socket *s = NULL;

	for (unsigned i = 0; p && i < p->n_sockets; i++)
		if (!s || p->sockets[i].n_exported > s->n_exported)
			s = &p->sockets[i];
	return s;
}

struct groups {                     /* what is being listed */
	const struct machine *m;
	const char *only;           /* this one alone; NULL: all */
	struct plan *by_default;    /* what counts without a configuration; NULL: nothing */
	json_t *parts;              /* ctl_group_parts() */
	json_t *list;
};

static bool counts_by_default(const struct groups *all, const char *name)
{
	const struct plan_socket *s = all->by_default && all->by_default->n_sockets ?
				      &all->by_default->sockets[0] : NULL;

	for (unsigned i = 0; s && i < s->n_groups; i++)
		if (strcmp(s->groups[i].name, name) == 0)
			return true;
	return false;
}

struct counted {
	struct arena *a;
	const struct spec_machine *on;
	const struct cat_group *group;
	json_t *list;
};

static void add_counted(void *p)
{
	const struct counted *q = p;

	for (const char *const *text = q->group->specs; *text; text++) {
		struct spec_perf found = { .n = 0 };
		struct spec s;

		if (spec_parse(q->a, *text, &s, NULL) < 0)
			continue;
		s.ready_made = true;
		if (!s.perf || perf_resolve_here(q->a, q->on, &s, &found, NULL) == 0)
			json_array_append_new(q->list, js_text(*text));
	}
}

/* The events of a group that this machine has. */
static json_t *counted_json(const struct machine *m, const struct cat_group *g)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SERIES_MAX, NULL);
	const struct spec_machine on = spec_machine(m->processor, m->topo, m->real ?: m->topo,
						    m->pmus);
	struct counted q = { a, &on, g, json_array() };

	if (a)
		arena_try(a, add_counted, &q);
	return q.list;
}

/* Has a group before number `group`, or this one before its `n`th, the same slot of a round? */
static bool is_counted(const struct plan_socket *s, unsigned group, unsigned n)
{
	unsigned round = s->groups[group].round, slot = s->groups[group].slots[round][n];

	for (unsigned g = 0; g <= group; g++) {
		unsigned end = g < group ? s->groups[g].n_slots : n;

		for (unsigned k = 0; s->groups[g].round == round && k < end; k++)
			if (s->groups[g].slots[round][k] == slot)
				return true;
	}
	return false;
}

/* The counters that the groups take, each in the first round of its group. */
static unsigned count_counters(const struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned g = 0; s && g < s->n_groups; g++)
		for (unsigned k = 0; k < s->groups[g].n_slots; k++)
			n += !is_counted(s, g, k);
	return n;
}

/* Of a group, or of a set of several. s: of a plan of it alone; NULL: nothing of it can be counted
 * here. */
static json_t *group_json(const struct groups *all, const char *name, const char *help,
			  const struct cat_group *g, const struct plan_socket *s)
{
	char *here = ctl_group_help(all->parts, name, help);
	json_t *j = JS_OBJECT({ "name", js_text(name) }, { "help", js_text(here ?: help) },
			 { "default", json_boolean(counts_by_default(all, name)) },
			 { "metrics_only", json_boolean(g->metrics_only) },
			 { "events", counted_json(all->m, g) },
			 { "metrics", s ? ctl_metric_names(s, -1) : json_array() },
			 { "lacks", ctl_group_lacks(all->parts, name) },
			 { "counters", json_integer(count_counters(s)) },
			 { "series", json_integer(s ? s->n_exported - s->n_locations : 0) },
			 { "turns", json_integer(s ? s->n_rounds : 0) });

	free(here);
	return j;
}

static bool is_listed(const struct groups *all, const char *name)
{
	json_t *j;
	size_t i;

	json_array_foreach(all->list, i, j)
		if (strcmp(ctl_text(j, "name"), name) == 0)
			return true;
	return false;
}

static json_t *set_json(const struct groups *all, const struct cat_group *first,
			const struct plan_socket *s)
{
	json_t *j = group_json(all, first->set->name, first->set->help, first, s);
	json_t *names = json_array();

	for (unsigned i = 0; i < s->n_groups; i++)
		json_array_append_new(names, js_text(s->groups[i].name));
	json_object_set_new(j, "groups", names);
	json_object_set_new(j, "events", json_array());
	return j;
}

/* The set before its first group. */
static void add_set(const struct groups *all, const struct cat_group *g)
{
	struct diags d = { 0 };
	struct plan *plan;

	if (!g->set || is_listed(all, g->set->name) ||
	    (all->only && strcmp(all->only, g->set->name) != 0))
		return;
	plan = plan_of(all->m, g->set->name, &d);
	diags_done(&d);
	if (plan)
		json_array_append_new(all->list, set_json(all, g, fullest(plan)));
	plan_free(plan);
}

/* unless_empty: it must have a plan. */
static void add_group(const struct groups *all, const struct cat_group *g, bool unless_empty)
{
	struct diags d = { 0 };
	struct plan *plan;
	json_t *j;

	add_set(all, g);
	if (all->only && !plan_ready_called(g, all->only))
		return;
	plan = plan_of(all->m, g->name, &d);
	diags_done(&d);
	if (plan || !unless_empty) {
		j = group_json(all, g->name, g->help, g, fullest(plan));
		json_object_set_new(j, "set", g->set ? js_text(g->set->name) : json_null());
		json_array_append_new(all->list, j);
	}
	plan_free(plan);
}

static void add_ready(void *p, const struct cat_group *g)
{
	add_group(p, g, true);
}

/* All of them, planned one by one; only: this one alone. */
static json_t *groups_json(const struct ctl *c, const struct machine *m, const char *only)
{
	struct groups all = { .m = m, .only = only, .list = json_array() };
	const struct cat_processor *p = m->engine == CONF_PERF ? NULL : m->processor;
	const struct spec_machine on = spec_machine(m->processor, m->topo, m->real ?: m->topo,
						    m->pmus);
	struct conf *none = conf_default();
	struct diags d = { 0 };

	all.parts = p ? json_object() : ctl_group_parts(c);
	if (none)
		machine_plan(m, none, 0, &all.by_default, &d);
	for (unsigned i = 0; p && i < p->n_groups; i++)
		add_group(&all, &p->groups[i], false);
	if (!p)
		plan_ready_each(&on, add_ready, &all);
	diags_done(&d);
	conf_free(none);
	plan_free(all.by_default);
	json_decref(all.parts);
	return all.list;
}

static long long number_of(json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

static void print_row(json_t *g)
{
	char when[32] = "";

	if (json_object_get(g, "groups"))
		snprintf(when, sizeof(when), ", a set: %lld turn%s", number_of(g, "turns"),
			 number_of(g, "turns") == 1 ? "" : "s");
	else if (!json_is_true(json_object_get(g, "default")))
		snprintf(when, sizeof(when), ", on request");
	printf("%-20s%4lld counter%s %3lld series per socket%-18s  %s\n", ctl_text(g, "name"),
	       number_of(g, "counters"), number_of(g, "counters") == 1 ? ", " : "s,",
	       number_of(g, "series"), when, ctl_text(g, "help"));
}

int ctl_list_groups(const struct ctl *c)
{
	struct machine m = { 0 };
	int r = open_any(c, &m);
	json_auto_t *list = r ? NULL : groups_json(c, &m, NULL);
	json_t *g;
	size_t i, all = json_array_size(list);

	machine_close(&m);
	ctl_filter(c, list);
	if (!r && all && !json_array_size(list))
		r = ctl_search_none(c, "groups");
	if (!r && c->json)
		return ctl_json(json_incref(list));
	json_array_foreach(list, i, g)
		print_row(g);
	if (!r && !json_array_size(list))
		r = ctl_fail(CTL_UNAVAILABLE, "there are no ready-made groups for this machine; "
			     "for an example: uncorectl list groups -p spr");
	return r;
}

static void print_texts(const char *title, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		printf("%-12s%s\n", i ? "" : title, json_string_value(one));
}

static void print_sheet(json_t *g)
{
	bool set = json_object_get(g, "groups");

	printf("%s %s, ready-made", set ? "set" : "group", ctl_text(g, "name"));
	if (json_is_true(json_object_get(g, "default")))
		puts(", counted by default\n");
	else
		printf("; counted if the configuration names it: groups = ( ..., \"%s\" )\n\n",
		       ctl_text(g, "name"));
	printf("  %s.\n\n", ctl_text(g, "help"));
	print_texts("groups", json_object_get(g, "groups"));
	print_texts("counts", json_object_get(g, "events"));
	print_texts("yields", json_object_get(g, "metrics"));
	print_texts("lacks", json_object_get(g, "lacks"));
	if (ctl_text(g, "set"))
		printf("of          set %s, whose groups take turns\n", ctl_text(g, "set"));
	printf("costs       %lld counter%s and %lld series per socket", number_of(g, "counters"),
	       number_of(g, "counters") == 1 ? "" : "s", number_of(g, "series"));
	if (number_of(g, "turns") > 1)
		printf(", in %lld turns", number_of(g, "turns"));
	puts(json_is_true(json_object_get(g, "metrics_only")) ?
	     "; its events are not shown themselves" : "");
}

bool ctl_describe_group(const struct ctl *c, int *ret)
{
	json_auto_t *list = NULL;
	struct machine m = { 0 };
	json_t *g;

	/* What cannot be read is said by whoever looks last. */
	if (strchr(c->args[0], '/') || c->unread.text[0] || open_any(c, &m))
		return false;
	list = groups_json(c, &m, c->args[0]);
	machine_close(&m);
	g = json_array_get(list, 0);
	if (!g)
		return false;
	*ret = 0;
	if (c->json)
		*ret = ctl_json(json_incref(g));
	else
		print_sheet(g);
	return true;
}
