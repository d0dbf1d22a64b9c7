/* SPDX-License-Identifier: MIT
 * uncorectl list: what the catalog and the tables of keys know. */
#include "ctl/ctl.h"

#include "base/name.h"
#include "base/query.h"
#include "conf/key.h"
#include "expo/catalog_json.h"

#include <stdio.h>
#include <string.h>

static void print_processor(const struct cat_processor *p)
{
	printf("%-12s %s (family %u model %u", p->name, p->title, p->ids[0].family,
	       p->ids[0].model);
	for (unsigned i = 1; i < p->n_ids; i++)
		printf(", %u", p->ids[i].model);
	printf(")\n");
}

static int list_processors(const struct ctl *c)
{
	if (c->json)
		return ctl_json(JS_OBJECT({ "processors", JS_LIST(i, cat_n_processors, JS_OBJECT(
			{ "name", js_text(cat_processors[i]->name) },
			{ "title", js_text(cat_processors[i]->title) },
			{ "ids", catalog_ids(cat_processors[i]) })) }));
	for (unsigned i = 0; i < cat_n_processors; i++)
		print_processor(cat_processors[i]);
	return 0;
}

/* The words of the query in what a row is called, says, and is made of. */
static uint32_t found_in(const struct query *q, json_t *j)
{
	static const char keys[] = "name event box spec terms help title aliases numerator "
				   "denominator events";
	uint32_t found = json_is_string(j) ? query_found(q, json_string_value(j)) : 0;
	const char *key;
	json_t *v;
	size_t i;

	json_array_foreach(j, i, v)
		found |= found_in(q, v);
	json_object_foreach(j, key, v)
		if (name_listed(keys, key, strlen(key)))
			found |= found_in(q, v);
	return found;
}

void ctl_filter(const struct ctl *c, json_t *list)
{
	const char *word = c->n_args > 1 ? c->args[1] : NULL;
	const struct cat_box *b = word && c->processor ? cat_box_by_name(c->processor, word) : NULL;
	struct query q = { .n = 0 };

	if (word)
		query_add(&q, word);
	for (size_t i = json_array_size(list); word && i--;) {
		json_t *row = json_array_get(list, i);
		const char *box = ctl_text(row, "box");

		if (b && box ? strcmp(box, b->name) != 0 : found_in(&q, row) != query_all(&q))
			json_array_remove(list, i);
	}
}

static void print_box(const struct ctl *c, json_t *row)
{
	const struct cat_box *b = cat_box_by_name(c->processor, ctl_text(row, "name"));

	printf("%-6s %2u unit%s %2u counter%s%s of %u bits, %3u events: %s\n", b->name,
	       b->n_units, b->n_units == 1 ? ", " : "s,", b->n_counters,
	       b->n_counters == 1 ? "" : "s", b->has_fixed ? " and a fixed one" : "",
	       b->width, cat_event_count(b), b->title);
}

/* Prints what the list `what` of root has of the word, and releases root. */
static int list_found(const struct ctl *c, json_t *root, const char *what,
		      void (*print)(const struct ctl *c, json_t *row))
{
	json_t *rows = json_object_get(root, what), *j;
	size_t i, n;

	ctl_filter(c, rows);
	n = json_array_size(rows);
	if (n && c->json)
		return ctl_json(root);
	json_array_foreach(rows, i, j)
		print(c, j);
	json_decref(root);
	return n ? 0 : ctl_search_none(c, c->args[1]);
}

static int list_boxes(const struct ctl *c, const struct cat_processor *p)
{
	return list_found(c, JS_OBJECT({ "processor", js_text(p->name) }, { "boxes",
			  JS_LIST(i, p->n_boxes, catalog_box(p->boxes[i])) }), "boxes", print_box);
}

/* The keys of a block, and of those in it; before: the keys around it, with dots. */
static void add_keys(json_t *list, const struct block *b, const char *before)
{
	for (const struct key *k = b->keys; k < b->keys + b->n_keys; k++) {
		char name[100];

		snprintf(name, sizeof(name), "%s%s", before, k->name);
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

static void print_key(const struct ctl *c, json_t *j)
{
	const char *least = ctl_text(j, "least"), *def = ctl_text(j, "default");

	(void)c;
	printf("%-34s %s (%s%s%s%s%s%s)\n", ctl_text(j, "name"), ctl_text(j, "help"),
	       ctl_text(j, "type"), least ? " from " : "", least ? least : "",
	       json_is_true(json_object_get(j, "required")) ? ", required" : "",
	       def ? ", default " : "", def ? def : "");
}

static int list_keys(const struct ctl *c)
{
	json_t *keys = json_array();

	add_keys(keys, &conf_root, "");
	return list_found(c, JS_OBJECT({ "keys", keys }), "keys", print_key);
}

/* The processor's events and the kernel's; p NULL: only those. --processor asks for one that may be
 * elsewhere.
 * In JSON the whole catalog: what an event needs to be encoded lies in its box. */
static int list_events(const struct ctl *c, const struct cat_processor *p)
{
	json_t *perf = c->processor_given ? json_array() : ctl_perf_list(c), *j;
	json_t *root = p ? catalog_document(p) : catalog_other("other");
	json_t *events = json_object_get(root, "events");
	size_t i, n = json_array_size(perf);
	int r = 0;

	json_object_set_new(root, "perf", perf);
	if (!p && !n) {
		ctl_processor(c);
		r = CTL_USAGE;
	}
	ctl_filter(c, events);
	ctl_filter(c, perf);
	if (!r && !json_array_size(events) && !json_array_size(perf))
		r = ctl_search_none(c, c->args[1]);
	if (!r && c->json)
		return ctl_json(root);
	json_array_foreach(events, i, j)
		printf("%s/%-34s %s\n", ctl_text(j, "box"), ctl_text(j, "event"),
		       ctl_text(j, "help"));
	json_array_foreach(perf, i, j)
		ctl_perf_print(j);
	json_decref(root);
	return r;
}

int ctl_list(const struct ctl *c)
{
	const char *what = c->args[0];

	if (c->verbose && strcmp(what, "metrics") != 0)
		return ctl_fail(CTL_USAGE, "list %s has no --verbose; list metrics has", what);
	if (strcmp(what, "processors") == 0 && c->n_args == 1)
		return list_processors(c);
	if (strcmp(what, "boxes") == 0)
		return ctl_processor(c) ? list_boxes(c, c->processor) : CTL_USAGE;
	if (strcmp(what, "events") == 0)
		return list_events(c, c->processor);
	if (strcmp(what, "keys") == 0)
		return list_keys(c);
	if (strcmp(what, "metrics") == 0)
		return ctl_list_metrics(c);
	if (strcmp(what, "groups") == 0)
		return ctl_list_groups(c);
	if (strcmp(what, "processors") == 0)
		return ctl_fail(CTL_USAGE, "list processors takes no word");
	return ctl_fail(CTL_USAGE, "list takes processors, boxes, events, keys, metrics or groups, "
			"not '%s'", what);
}
