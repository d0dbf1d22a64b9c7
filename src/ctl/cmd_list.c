/* cmd_list.c - uncorectl list: what the catalog knows. */
#include "config.h"

#include "ctl/ctl.h"

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

static int list_boxes(const struct ctl *c, const struct cat_processor *p)
{
	if (c->json)
		return ctl_json(JS_OBJECT(
			{ "processor", js_text(p->name) },
			{ "boxes", JS_LIST(i, p->n_boxes, catalog_box(p->boxes[i])) }));
	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		printf("%-6s %2u unit%s %2u counter%s%s of %u bits, %3u events: %s\n", b->name,
		       b->n_units, b->n_units == 1 ? ", " : "s,", b->n_counters,
		       b->n_counters == 1 ? "" : "s", b->has_fixed ? " and a fixed one" : "",
		       b->width, cat_event_count(b), b->title);
	}
	return 0;
}

/* The processor's events and the kernel's; p NULL: only those. --processor asks for one that may be
 * elsewhere.
 * In JSON the whole catalog: what an event needs to be encoded lies in its box. */
static int list_events(const struct ctl *c, const struct cat_processor *p)
{
	json_t *perf = c->json ? json_array() : NULL, *root;
	unsigned n;

	for (unsigned i = 0; p && !c->json && i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		cat_each_event(e, b)
			printf("%s/%-34s %s\n", b->name, e->name, e->help);
	}
	n = c->processor_given ? 0 : ctl_perf_list(c, perf);
	if (!p && !n) {
		json_decref(perf);
		ctl_processor(c);
		return CTL_USAGE;
	}
	if (!c->json)
		return 0;
	root = p ? catalog_document(p) : catalog_other("other");
	js_put(root, "perf", perf);
	return ctl_json(root);
}

int ctl_list(const struct ctl *c)
{
	const char *what = c->args[0];

	if (strcmp(what, "processors") == 0)
		return list_processors(c);
	if (strcmp(what, "boxes") == 0)
		return ctl_processor(c) ? list_boxes(c, c->processor) : CTL_USAGE;
	if (strcmp(what, "events") == 0)
		return list_events(c, c->processor);
	if (strcmp(what, "metrics") == 0)
		return ctl_list_metrics(c);
	if (strcmp(what, "groups") == 0)
		return ctl_list_groups(c);
	return ctl_fail(CTL_USAGE, "list what? processors, boxes, events, metrics or groups, not "
			"'%s'", what);
}
