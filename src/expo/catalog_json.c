/* SPDX-License-Identifier: MIT
 * The catalog of one processor as one document; see catalog_json.h.
 * Owns:  the processor, derived metrics, constants, overflows, default groups.
 */
#include "expo/catalog_json.h"

#include "base/name.h"
#include "expo/description.h"

#include <malloc.h>
#include <string.h>

static json_t *sum(const struct cat_term *t)
{
	json_t *list = json_array();

	for (; t && t->spec; t++)
		json_array_append_new(list, JS_OBJECT(
			{ "event", js_text(t->spec) },
			{ "weight", json_real(t->weight != 0 ? t->weight : 1) }));
	return list;
}

static json_t *guard(const struct cat_guard *g)
{
	return !g ? json_null() : JS_OBJECT(
		{ "numerator", sum(g->num) }, { "denominator", sum(g->den) },
		{ "max", json_real(g->max) });
}

json_t *catalog_metric_json(const struct cat_metric *m)
{
	static const char *const units[] = { "ratio", "seconds", "cycles", "bytes", "hertz" };
	static const char *const knees[] = { [CAT_NO_KNEE] = NULL, [CAT_KNEE] = "knee",
					     [CAT_HEADROOM] = "headroom" };
	const char *unit = cat_metric_is_total(m) ? "count" : "other";

	if (NAME_FIND(units, COUNT(units), m->unit))
		unit = m->unit;
	return JS_OBJECT(
		{ "name", js_text(m->name) }, { "family", json_sprintf("uncore_%s", m->name) },
		{ "type", js_text(cat_metric_is_total(m) ? "counter" : "gauge") },
		{ "unit", js_text(unit) },
		{ "per", js_text(m->per == CAT_PER_SOCKET ? "socket" : "unit") },
		{ "scale", json_real(m->scale != 0 ? m->scale : 1) }, { "numerator", sum(m->num) },
		{ "denominator", sum(m->den) }, { "cycles_of", js_text(m->cycles_of) },
		{ "complement", json_boolean(m->complement) }, { "clamp", json_boolean(m->clamp) },
		{ "bounded", json_boolean(m->bounded) },
		{ "with_memory", json_boolean(m->with_memory) },
		{ "knee", js_text(knees[m->knee]) },
		{ "on_request", json_boolean(m->on_request) },
		{ "denominator_most", m->clock_most > 0 ? json_real(m->clock_most) : json_null() },
		{ "scaled", json_boolean(m->scaled) },
		{ "unscaled", m->unscaled > 0 ? json_real(m->unscaled) : json_null() },
		{ "guard", guard(m->guard) },
		{ "link", js_text(m->link) }, { "help", js_text(m->help) },
		{ "disputed", js_text(m->disputed) }, { "source", js_text(m->source) });
}

static json_t *constant(const struct cat_constant *c)
{
	return JS_OBJECT(
		{ "name", js_text(c->name) }, { "box", js_text(c->box) },
		{ "register_id", js_number(c->id) }, { "bits", js_pair(c->hi, c->lo) },
		{ "base", json_real(c->base) }, { "step", json_real(c->step) },
		{ "unknown", js_hex(c->unknown) }, { "help", js_text(c->help) },
		{ "source", js_text(c->source) });
}

json_t *catalog_ids_json(const struct cat_processor *p)
{
	return JS_LIST(i, p->n_ids, JS_OBJECT({ "family", js_number(p->ids[i].family) },
					      { "model", js_number(p->ids[i].model) }));
}

static json_t *anchor(const struct pci_anchor *a)
{
	return !a->device ? json_null() : JS_OBJECT(
		{ "vendor", js_hex(a->vendor) }, { "device_id", js_hex(a->device) },
		{ "node_offset", js_hex(a->node) }, { "map_offset", js_hex(a->map) });
}

static json_t *global(const struct cat_global *g)
{
	return !g->name ? json_null() : JS_OBJECT(
		{ "register", js_text(g->name) }, { "address", js_hex(g->ctl.off) },
		{ "enable", js_hex(g->enable) }, { "cleared", js_hex(g->reset) },
		{ "freeze", js_hex(g->freeze) }, { "box_enable", js_hex(g->box_enable) },
		{ "pulse", json_boolean(g->pulse) },
		{ "overflow_stops", js_hex(g->overflow_stops) },
		{ "overflow_interrupts", js_hex(g->overflow_interrupts) },
		{ "overflow_told", js_hex(g->overflow_summary) },
		{ "overflow_changed", js_hex(g->overflow_changed) },
		{ "fields", catalog_fields_json(g->fields, g->n_fields) });
}

/* How an overflow reaches the global status register. */
static json_t *overflow(const struct cat_overflow *v)
{
	return JS_OBJECT(
		{ "box", js_text(v->box) }, { "unit", js_number(v->unit) },
		{ "counters", v->count ? js_pair(v->first, v->first + v->count - 1) :
		  js_text("fixed") },
		{ "global", js_hex(v->global) }, { "summary_box", js_text(v->summary_box) },
		{ "summary_unit", js_number(v->summary_unit) }, { "summary", js_hex(v->summary) },
		{ "source", js_text(v->source) });
}

json_t *catalog_document(const struct cat_processor *p)
{
	json_t *events = json_array();

	for (unsigned i = 0; i < p->n_boxes; i++)
		cat_each_event(e, p->boxes[i])
			json_array_append_new(events, catalog_event_json(p->boxes[i], e));
	return JS_OBJECT(
		{ "format", js_text(CATALOG_FORMAT) }, { "processor", js_text(p->name) },
		{ "title", js_text(p->title) }, { "ids", catalog_ids_json(p) },
		{ "source", js_text(p->source) }, { "cores", js_number(p->cores) },
		{ "pci_anchor", anchor(&p->anchor) },
		{ "clock_ratio", !p->ratio.off ? json_null() : JS_OBJECT(
			{ "device", js_number(p->ratio.device) },
			{ "function", js_number(p->ratio.function) },
			{ "offset", js_hex(p->ratio.off) }) },
		{ "global", global(p->global) },
		{ "boxes", JS_LIST(i, p->n_boxes, catalog_box_json(p->boxes[i])) },
		{ "events", events },
		{ "constants", JS_LIST(i, p->n_constants, constant(&p->constants[i])) },
		{ "overflows", JS_LIST(i, p->overflows ? p->overflows->n : 0,
				       overflow(&p->overflows->v[i])) },
		{ "metrics", JS_LIST(i, p->metrics->n, catalog_metric_json(&p->metrics->v[i])) },
		{ "groups", JS_LIST(i, p->n_groups, JS_OBJECT(
			{ "name", js_text(p->groups[i].name) },
			{ "help", js_text(p->groups[i].help) },
			{ "default", json_boolean(!p->groups[i].on_request) },
			{ "metrics_only", json_boolean(p->groups[i].metrics_only) },
			{ "events", js_texts(p->groups[i].specs) })) });
}

json_t *catalog_other(const char *name)
{
	return JS_OBJECT({ "format", js_text(CATALOG_FORMAT) }, { "processor", js_text(name) },
			 { "events", json_array() });
}

/* The document of the processor, one line. The tree that it is made of is ten times as large. */
char *catalog_render(const char *processor, const char *kernel, size_t *ret_n)
{
	const struct cat_processor *p = cat_processor_by_name(processor);
	json_t *o = p ? catalog_document(p) : catalog_other(processor);
	char *text;

	json_object_set_new(o, "perf", json_loads(kernel, 0, NULL));
	text = js_body(o, 0, ret_n);
	malloc_trim(0);
	return text;
}
