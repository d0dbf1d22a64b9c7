/* SPDX-License-Identifier: MIT
 * The kernel's events in the document of a catalog; see catalog_json.h.
 * Owns:  what is said of each.
 * Never: the tables of PMUs: uncored-http has only the text, and nothing of what is behind it.
 */
#include "expo/catalog_json.h"

#include "expo/description.h"

static void add_kernel_event(void *p, const struct spec_kernel_event *e)
{
	json_array_append_new(p, JS_OBJECT(
		{ "spec", js_text(e->spec) }, { "pmu", js_text(e->pmu) },
		{ "instances", js_number(e->instances) }, { "event", js_text(e->term->name) },
		{ "terms", js_text(e->term->text) },
		{ "scale", e->term->scale ? js_text(e->term->scale) : NULL },
		{ "unit", e->term->unit ? js_text(e->term->unit) : NULL }));
}

void catalog_add_kernel_events(json_t *events, const struct topo_pmus *pmus)
{
	spec_kernel_events(pmus, add_kernel_event, events);
}

char *catalog_kernel_text(const struct topo_pmus *pmus)
{
	json_t *events = json_array();

	if (pmus)
		catalog_add_kernel_events(events, pmus);
	return js_dump(events, 0);
}
