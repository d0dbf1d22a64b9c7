/* describe_box.c - uncorectl describe BOX: what a box is, its units, counters and events. */
#include "ctl/ctl.h"

#include "expo/catalog_json.h"

#include <stdio.h>

static void print_units(const struct cat_box *b)
{
	printf("units: %u on each socket", b->n_units);
	for (unsigned i = 0; b->links && i < b->n_units; i++)
		printf("%s%s%u = link %s", i ? ", " : ": ", b->name, i, b->links[i]);
	putchar('\n');
	if (b->n_ports)
		printf("ports: an event of it names one, %s=0..%u\n", b->port_key,
		       b->n_ports - 1u);
}

static void print_counters(const struct cat_box *b)
{
	printf("counters of each unit: %u of %u bits", b->n_counters, b->width);
	if (b->has_fixed)
		printf(", and a fixed one of %u", cat_width(b, true));
	printf("\nregisters: %s\n", b->space == SPACE_PCI ? "PCI configuration space" : "MSRs");
	if (b->clock)
		printf("clock: %s\n", b->clock);
}

static json_t *box_json(const struct cat_processor *p, const struct cat_box *b)
{
	json_t *events = json_array();

	cat_each_event(e, b)
		json_array_append_new(events, js_text(e->name));
	return JS_ADD(catalog_box(b), { "processor", js_text(p->name) }, { "events", events });
}

int ctl_describe_box(const struct ctl *c, const struct cat_processor *p, const struct cat_box *b)
{
	if (c->json)
		return ctl_json(box_json(p, b));
	printf("%s (%s)\n\n  %s.\n\n", b->name, p->title, b->title);
	print_units(b);
	print_counters(b);
	printf("events:\n");
	cat_each_event(e, b)
		printf("  %-34s %s\n", e->name, e->help);
	printf("source: %s\n", b->source);
	return 0;
}
