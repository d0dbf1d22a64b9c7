/* SPDX-License-Identifier: MIT
 * uncorectl list: what the catalog and the tables of keys know. */
#include "ctl/ctl.h"

#include "base/name.h"
#include "conf/key.h"
#include "expo/catalog_json.h"
#include "base/words.h"
#include "topo/machine_find.h"

#include <stdio.h>

static int list_processors(const struct ctl *c)
{
	if (c->json)
		return ctl_json(JS_OBJECT({ "processors", JS_LIST(i, cat_n_processors, JS_OBJECT(
			{ "name", js_text(cat_processors[i]->name) },
			{ "title", js_text(cat_processors[i]->title) },
			{ "ids", catalog_ids_json(cat_processors[i]) })) }));
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		printf("%-12s %s (family %u model", p->name, p->title, p->ids[0].family);
		for (unsigned k = 0; k < p->n_ids; k++)
			printf("%s %u", k ? "," : "", p->ids[k].model);
		printf(")\n");
	}
	return 0;
}

static void add_machine(void *p, const struct machine_installed *m)
{
	json_array_append_new(p, JS_OBJECT(
		{ "name", js_text(m->name) }, { "title", js_text(m->title) },
		{ "others", js_texts(m->others) }));
}

/* A search has no machines: what it would find is no answer. */
static int no_machine(const char *word)
{
	char nearest[MACHINE_NAME];
	struct err err;

	err_set(&err, 0, "no machine is called '%.100s', and none has it in its title; see: "
		"uncorectl list machines", word);
	words_add_nearest(&err, machine_nearest(word, nearest));
	return ctl_fail(CTL_CONFIG, "%s", err.text);
}

static int list_machines(const struct ctl *c)
{
	json_auto_t *machines = json_array();
	json_t *j, *other;
	size_t i, k;

	machine_each_installed(add_machine, machines);
	ctl_filter(c, machines);
	if (json_array_size(machines) && c->json)
		return ctl_json(JS_OBJECT({ "machines", json_incref(machines) }));
	json_array_foreach(machines, i, j) {
		const char *before = " (also ";

		printf("%-12s %s", ctl_text(j, "name"), ctl_text(j, "title"));
		json_array_foreach(json_object_get(j, "others"), k, other) {
			printf("%s%s", before, json_string_value(other));
			before = ", ";
		}
		puts(k ? ")" : "");
	}
	if (json_array_size(machines))
		return 0;
	if (c->n_args > 1)
		return no_machine(c->args[1]);
	return ctl_fail(CTL_UNAVAILABLE, "no machine is installed in %s", UNCORED_MACHINES);
}

static void print_box(const struct cat_box *b)
{
	printf("%-6s %2u unit%s %2u counter%s%s of %u bits, %3u events: %s\n", b->name, b->n_units,
	       b->n_units == 1 ? ", " : "s,", b->n_counters, b->n_counters == 1 ? "" : "s",
	       b->has_fixed ? " and a fixed one" : "", b->width, cat_event_count(b), b->title);
}

static void print_perf_box(json_t *j)
{
	json_int_t units = json_integer_value(json_object_get(j, "units"));
	json_int_t events = json_integer_value(json_object_get(j, "events"));
	json_t *counters = json_object_get(j, "counters");

	printf("%-22s %3lld unit%s a socket, ", ctl_text(j, "name"), (long long)units,
	       units == 1 ? "" : "s");
	if (counters)
		printf("%lld counter%s, ", (long long)json_integer_value(counters),
		       json_integer_value(counters) == 1 ? "" : "s");
	printf("%lld named event%s: PMU %s\n", (long long)events, events == 1 ? "" : "s",
	       ctl_text(j, "pmu"));
}

/* Those of the processor whose registers count, or of the kernel that counts; see list_events(). */
static int list_boxes(const struct ctl *c)
{
	const struct cat_processor *p = ctl_registers(c);
	json_auto_t *boxes = JS_LIST(i, p ? p->n_boxes : 0, catalog_box_json(p->boxes[i]));
	json_auto_t *pmus = p ? json_array() : ctl_perf_boxes(c);
	json_t *j;
	size_t i;

	if (!c->processor && !json_array_size(pmus)) {
		ctl_processor(c);
		return CTL_USAGE;
	}
	ctl_filter(c, boxes);
	ctl_filter(c, pmus);
	if (!json_array_size(boxes) && !json_array_size(pmus))
		return ctl_search_none(c, "boxes");
	if (c->json)
		return ctl_json(JS_OBJECT({ "processor", js_text(ctl_processor_name(c)) },
					  { "boxes", json_incref(boxes) },
					  { "pmus", json_incref(pmus) }));
	json_array_foreach(boxes, i, j)
		print_box(cat_box_by_name(p, ctl_text(j, "name")));
	json_array_foreach(pmus, i, j)
		print_perf_box(j);
	ctl_note_registers(c, "boxes");
	return 0;
}

/* The keys of a block, and of those in it; before: the keys around it, with dots. */
static void add_keys(json_t *list, const struct block *b, const char *before)
{
	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		char name[100];

		snprintf(name, sizeof(name) - 1, "%s%s", before, k->name);
		json_array_append_new(list, JS_OBJECT(
			{ "name", js_text(name) }, { "type", js_text(k->type) },
			{ "least", k->least ? js_text(nsec_text(k->least).s) : NULL },
			{ "most", k->most ? json_integer(k->most) : NULL },
			{ "choices", *k->choices ? js_texts(k->choices) : NULL },
			{ "default", k->def && *k->def ? js_text(k->def) : NULL },
			{ "required", json_boolean(k->required) }, { "help", js_text(k->help) }));
		strcat(name, ".");
		if (k->block)
			add_keys(list, k->block, name);
	}
}

static int list_keys(const struct ctl *c)
{
	json_auto_t *keys = json_array();
	json_t *j;
	size_t i, n;

	add_keys(keys, &conf_root, "");
	ctl_filter(c, keys);
	n = json_array_size(keys);
	if (n && c->json)
		return ctl_json(JS_OBJECT({ "keys", json_incref(keys) }));
	json_array_foreach(keys, i, j) {
		const char *least = ctl_text(j, "least"), *def = ctl_text(j, "default");

		printf("%-34s %s (%s%s%s%s%s)\n", ctl_text(j, "name"), ctl_text(j, "help"),
		       ctl_text(j, "type"), least ? " from " : "", least ? least : "",
		       def ? ", default " : "", def ? def : "");
	}
	return n ? 0 : ctl_search_none(c, "keys");
}

/* The events of the processor whose registers count, and the kernel's. --processor asks for one
 * that may be elsewhere.
 * In JSON the whole catalog: what an event needs to be encoded lies in its box. */
static int list_events(const struct ctl *c)
{
	const struct cat_processor *p = ctl_registers(c);
	json_t *perf = c->processor_given ? json_array() : ctl_perf_list(c), *j;
	json_auto_t *root = p ? catalog_document(p) : catalog_other(ctl_processor_name(c));
	json_t *events = json_object_get(root, "events");
	size_t i, n = json_array_size(perf);
	int r = 0;

	json_object_set_new(root, "perf", perf);
	if (!c->processor && !n) {
		ctl_processor(c);
		r = CTL_USAGE;
	}
	ctl_filter(c, events);
	ctl_filter(c, perf);
	if (!r && !json_array_size(events) && !json_array_size(perf))
		r = ctl_search_none(c, "events");
	if (!r && c->json)
		return ctl_json(json_incref(root));
	json_array_foreach(events, i, j)
		printf("%s/%-34s %s\n", ctl_text(j, "box"), ctl_text(j, "event"),
		       ctl_text(j, "help"));
	json_array_foreach(perf, i, j)
		ctl_perf_print(j);
	ctl_note_registers(c, "events");
	return r;
}

static const struct list {
	const char *name, *singular;
	int (*run)(const struct ctl *c);
} lists[] = {
	{ "processors", "processor", list_processors },
	{ "boxes", "box", list_boxes },
	{ "events", "event", list_events },
	{ "keys", "key", list_keys },
	{ "metrics", "metric", ctl_list_metrics },
	{ "groups", "group", ctl_list_groups },
	{ "machines", "machine", list_machines },
};

static const struct list *find_list(const char *word)
{
	for (unsigned i = 0; i < COUNT(lists); i++)
		if (strcmp(word, lists[i].name) == 0 || strcmp(word, lists[i].singular) == 0)
			return &lists[i];
	return NULL;
}

const char *ctl_list_name(const char *word)
{
	const struct list *list = find_list(word);

	return list ? list->name : NULL;
}

int ctl_list(const struct ctl *c)
{
	const struct list *list = find_list(c->args[0]);

	if (c->verbose && (!list || list->run != ctl_list_metrics))
		return ctl_fail(CTL_USAGE, "list %s has no --verbose; list metrics has",
				c->args[0]);
	if (!list)
		return ctl_fail(CTL_USAGE, "list takes processors, machines, boxes, events, keys, "
				"metrics or groups, not '%s'", c->args[0]);
	if (list == lists && c->n_args > 1)
		return ctl_fail(CTL_USAGE, "list processors takes no word");
	if (c->unread.text[0] && list->run != list_processors && list->run != list_keys &&
	    list->run != list_machines)
		return ctl_fail(c->unread_code, "%s", c->unread.text);
	return list->run(c);
}
