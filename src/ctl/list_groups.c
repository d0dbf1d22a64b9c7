/* SPDX-License-Identifier: MIT
 * uncorectl list groups, describe GROUP: what is ready-made, what it yields, what it costs.
 * Owns:  the rows of these commands. Cost is of a plan of the group alone, on one socket.
 * Never: which groups there are (catalog/, plan/).
 */
#include "ctl/ctl.h"

#include "spec/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine of one socket is enough, and the same whatever is asked for. */
static int open_one(const struct ctl *c, struct machine *m)
{
	const struct conf_engine_choice any = { .kind = CONF_AUTO };
	const struct machine_options asked = { .roots = c->roots, .plan_only = true, .sockets = 1,
		.processor = c->processor_given ? c->processor->name : NULL };
	struct err err = { "" };
	int r = machine_open(&asked, &any, m, &err);

	return r < 0 ? ctl_fail(CTL_UNAVAILABLE, "%s", err.text) : 0;
}

static const struct where at = { "--groups", 0 };

/* The mistakes go to d. */
static struct plan *plan_of(const struct machine *m, const char *name, struct diags *d)
{
	struct conf_group group = { .where = at, .name = (char *)name, .ready_made = true };
	struct conf *conf = ctl_conf_of(&group);
	struct plan *plan = NULL;

	if (conf)
		machine_plan(m, conf, false, &plan, d);
	conf_free(conf);
	return plan;
}

/* plan: of the group alone; NULL: nothing of it can be counted here. */
static json_t *group_json(const struct cat_group *g, const struct plan *plan)
{
	const struct plan_socket *s = plan && plan->n_sockets ? &plan->sockets[0] : NULL;
	unsigned counters = 0;

	for (unsigned r = 0; s && r < s->n_rounds; r++)
		counters += s->rounds[r].n_slots;
	return JS_OBJECT({ "name", js_text(g->name) },
			 { "help", g->help ? js_text(g->help) : NULL },
			 { "default", json_boolean(!g->on_request) },
			 { "metrics_only", json_boolean(g->metrics_only) },
			 { "events", js_texts(g->specs) },
			 { "metrics", s ? ctl_metric_names(s, -1) : json_array() },
			 { "counters", json_integer(counters) },
			 { "series", json_integer(s ? plan->n_series : 0) });
}

/* only: adds nothing unless the group has this name. unless_empty: it must have a plan, too. */
static void add_group(json_t *list, const struct machine *m, const char *only,
		      const struct cat_group *g, bool unless_empty)
{
	struct diags d = { 0 };
	struct plan *plan;

	if (only && strcmp(only, g->name) != 0)
		return;
	plan = plan_of(m, g->name, &d);
	diags_done(&d);
	if (plan || !unless_empty)
		json_array_append_new(list, group_json(g, plan));
	plan_free(plan);
}

/* All of them, planned one by one; only: this one alone. */
static json_t *groups_json(const struct machine *m, const char *only)
{
	json_t *list = json_array();
	const struct cat_processor *p = m->engine == CONF_PERF ? NULL : m->processor;
	const struct spec_machine on = { m->processor, m->topo, m->real ? m->real : m->topo,
					 m->pmus };

	for (unsigned i = 0; p && i < p->n_groups; i++)
		add_group(list, m, only, &p->groups[i], false);
	for PERF_EACH_TABLE(t, &on)
		for (unsigned i = 0; !p && i < t->n_groups; i++)
			add_group(list, m, only, &t->groups[i], true);
	return list;
}

int ctl_check_groups(const struct ctl *c)
{
	const struct machine_options asked = { .roots = c->roots, .plan_only = true, .sockets = 1 };
	struct conf_engine_choice engine = { .kind = CONF_AUTO };
	char *list = strdup(c->groups), *rest = list, *name;
	struct machine m = { 0 };
	struct diags d = { 0 };
	int r = c->engine ? conf_engine_parse(c->engine, &engine) : 0;

	r = r < 0 ? r : machine_open(&asked, &engine, &m, NULL);
	while (!r && (name = strsep(&rest, ","))) {
		for (const char *o = list; o < name; o += strlen(o) + 1)
			if (strcmp(o, name) == 0)
				diags_add(&d, at, "'%s' is named twice", name);
		plan_free(plan_of(&m, name, &d));
	}
	free(list);
	machine_close(&m);
	r = d.n ? CTL_CONFIG : 0;
	ctl_print_diags(&d);
	return r;
}

static long long number_of(json_t *o, const char *key)
{
	return (long long)json_integer_value(json_object_get(o, key));
}

int ctl_list_groups(const struct ctl *c)
{
	struct machine m = { 0 };
	int r = open_one(c, &m);
	json_auto_t *list = r ? NULL : groups_json(&m, NULL);
	json_t *g;
	size_t i, all = json_array_size(list);

	machine_close(&m);
	ctl_filter(c, list);
	if (!r && all && !json_array_size(list))
		r = ctl_search_none(c, c->args[1]);
	if (!r && c->json)
		return ctl_json(json_incref(list));
	json_array_foreach(list, i, g)
		printf("%-12s %3lld counters, %3lld series per socket%-12s  %s\n",
		       ctl_text(g, "name"), number_of(g, "counters"), number_of(g, "series"),
		       json_is_true(json_object_get(g, "default")) ? "" : ", on request",
		       ctl_text(g, "help") ? ctl_text(g, "help") : "");
	if (!r && !json_array_size(list))
		r = ctl_fail(CTL_UNAVAILABLE, "there are no ready-made groups for this machine; "
			     "for an example: uncorectl list groups -p nehalem-ex");
	return r;
}

static void print_texts(const char *title, const json_t *list)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		printf("%-12s%s\n", i ? "" : title, json_string_value(one));
}

bool ctl_describe_group(const struct ctl *c, int *ret)
{
	json_auto_t *list = NULL;
	struct machine m = { 0 };
	json_t *g;

	if (strchr(c->args[0], '/') || open_one(c, &m))
		return false;
	list = groups_json(&m, c->args[0]);
	machine_close(&m);
	g = json_array_get(list, 0);
	if (!g)
		return false;
	*ret = 0;
	if (c->json) {
		*ret = ctl_json(json_incref(g));
	} else {
		printf("group %s, ready-made%s\n\n", ctl_text(g, "name"),
		       json_is_true(json_object_get(g, "default")) ? ", counted by default" :
		       "; counted if the configuration names it: groups = ( ..., \"...\" )");
		if (ctl_text(g, "help"))
			printf("  %s.\n\n", ctl_text(g, "help"));
		print_texts("counts", json_object_get(g, "events"));
		print_texts("yields", json_object_get(g, "metrics"));
		printf("costs       %lld counters and %lld series per socket%s\n",
		       number_of(g, "counters"), number_of(g, "series"),
		       json_is_true(json_object_get(g, "metrics_only"))
		       ? "; its events are not shown themselves" : "");
	}
	return true;
}
