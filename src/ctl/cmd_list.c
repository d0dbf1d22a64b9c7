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
	json_t *list = json_array();

	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		json_array_append_new(list, JS_OBJECT(
			{ "name", js_text(p->name) }, { "title", js_text(p->title) },
			{ "ids", catalog_ids(p) }));
		if (!c->json)
			print_processor(p);
	}
	if (c->json)
		return ctl_json(json_pack("{s:o}", "processors", list));
	json_decref(list);
	return 0;
}

static int list_boxes(const struct ctl *c, const struct cat_processor *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		if (c->json)
			json_array_append_new(list, catalog_box(b));
		else
			printf("%-6s %2u unit%s %2u counter%s%s of %u bits, %3u events: %s\n",
			       b->name, b->n_units,
			       b->n_units == 1 ? ", " : "s,", b->n_counters,
			       b->n_counters == 1 ? "" : "s",
			       b->has_fixed ? " and a fixed one" : "", b->width, cat_event_count(b),
			       b->title);
	}
	if (c->json)
		return ctl_json(json_pack("{s:s, s:o}", "processor", p->name, "boxes", list));
	json_decref(list);
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

		for (const struct cat_event *e = cat_event_next(b, NULL); e;
		     e = cat_event_next(b, e))
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
	const struct cat_processor *p;

	if (strcmp(c->args[0], "processors") == 0)
		return list_processors(c);
	if (strcmp(c->args[0], "boxes") != 0 && strcmp(c->args[0], "events") != 0 &&
	    strcmp(c->args[0], "metrics") != 0)
		return ctl_fail(CTL_USAGE, "list what? processors, boxes, events or metrics, not "
				"'%s'", c->args[0]);
	if (c->args[0][0] == 'e')
		return list_events(c, c->processor);
	if (c->args[0][0] == 'm')
		return ctl_list_metrics(c);
	p = ctl_processor(c);
	return p ? list_boxes(c, p) : CTL_USAGE;
}
