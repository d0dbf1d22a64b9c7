/* catalog_json.c - the catalog of one processor as one document; see catalog_json.h.
 *
 * Owns:  what is not of a box or an event: the processor, derived metrics, constants, ready-made groups.
 */
#include "config.h"

#include "expo/catalog_json.h"

#include "expo/description.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

void catalog_put_text(json_t *o, const char *key, const char *text)
{
	json_object_set_new(o, key, text ? json_string(text) : json_null());
}

/* Registers hold 64 bits and JSON's readers often only 53: a text in hexadecimal. */
void catalog_put_hex(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_sprintf("0x%" PRIx64, v));
}

void catalog_put_number(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

/* Highest and lowest bit of a field, or null. */
void catalog_put_bits(json_t *o, const char *key, struct cat_bits b)
{
	json_object_set_new(o, key, cat_has(b) ? json_pack("[i, i]", b.hi, b.lo) : json_null());
}

json_t *catalog_fields(const struct cat_field *f, unsigned n)
{
	static const char *const kinds[] = {
		[CAT_FIELD] = "field", [CAT_FIELD_PULSE] = "pulse", [CAT_FIELD_RSV] = "reserved",
	};
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *o = json_object();

		catalog_put_text(o, "name", f[i].name);
		json_object_set_new(o, "bits", json_pack("[i, i]", f[i].hi, f[i].lo));
		catalog_put_text(o, "kind", kinds[f[i].kind]);
		catalog_put_text(o, "help", f[i].help);
		json_array_append_new(list, o);
	}
	return list;
}

/* ------------------------------------------------------------------ derived metrics */

static json_t *sum(const struct cat_term *t)
{
	json_t *list = json_array();

	for (; t && t->spec; t++) {
		json_t *o = json_object();

		catalog_put_text(o, "event", t->spec);
		json_object_set_new(o, "weight", json_real(t->weight != 0 ? t->weight : 1));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *guard(const struct cat_guard *g)
{
	json_t *o;

	if (!g)
		return json_null();
	o = json_object();
	json_object_set_new(o, "numerator", sum(g->num));
	json_object_set_new(o, "denominator", sum(g->den));
	json_object_set_new(o, "max", json_real(g->max));
	return o;
}

json_t *catalog_metric(const struct cat_metric *m)
{
	static const char *const units[] = { "ratio", "seconds", "cycles", "bytes", "hertz" };
	const char *unit = cat_metric_is_total(m) ? "count" : "other";
	json_t *o = json_object();

	for (size_t i = 0; i < COUNT(units); i++)
		unit = strcmp(m->unit, units[i]) == 0 ? units[i] : unit;
	catalog_put_text(o, "name", m->name);
	json_object_set_new(o, "family", json_sprintf("uncore_%s", m->name));
	catalog_put_text(o, "type", cat_metric_is_total(m) ? "counter" : "gauge");
	catalog_put_text(o, "unit", unit);
	catalog_put_text(o, "per", m->per == CAT_PER_SOCKET ? "socket" : "unit");
	json_object_set_new(o, "scale", json_real(m->scale != 0 ? m->scale : 1));
	json_object_set_new(o, "numerator", sum(m->num));
	json_object_set_new(o, "denominator", sum(m->den));
	catalog_put_text(o, "cycles_of", m->cycles_of);
	json_object_set_new(o, "complement", json_boolean(m->complement));
	json_object_set_new(o, "clamp", json_boolean(m->clamp));
	json_object_set_new(o, "scaled", json_boolean(m->scaled));
	json_object_set_new(o, "guard", guard(m->guard));
	catalog_put_text(o, "link", m->link);
	catalog_put_text(o, "help", m->help);
	catalog_put_text(o, "source", m->source);
	return o;
}

static json_t *constant(const struct cat_constant *c)
{
	json_t *o = json_object();

	catalog_put_text(o, "name", c->name);
	catalog_put_text(o, "box", c->box);
	catalog_put_number(o, "register_id", c->id);
	json_object_set_new(o, "bits", json_pack("[i, i]", c->hi, c->lo));
	json_object_set_new(o, "base", json_real(c->base));
	json_object_set_new(o, "step", json_real(c->step));
	catalog_put_hex(o, "unknown", c->unknown);
	catalog_put_text(o, "help", c->help);
	catalog_put_text(o, "source", c->source);
	return o;
}

/* ------------------------------------------------------------------ the processor */

void catalog_identify(json_t *o, const struct cat_processor *p)
{
	json_t *ids = json_array();

	for (unsigned i = 0; i < p->n_ids; i++)
		json_array_append_new(ids, json_pack("{s:i, s:i}", "family", p->ids[i].family, "model", p->ids[i].model));
	catalog_put_text(o, "title", p->title);
	json_object_set_new(o, "ids", ids);
}

static json_t *anchor(const struct pci_anchor *a)
{
	json_t *o;

	if (!a->device)
		return json_null();
	o = json_object();
	catalog_put_hex(o, "vendor", a->vendor);
	catalog_put_hex(o, "device_id", a->device);
	catalog_put_hex(o, "node_offset", a->node);
	catalog_put_hex(o, "map_offset", a->map);
	return o;
}

static json_t *global(const struct cat_global *g)
{
	json_t *o;

	if (!g->name)
		return json_null();
	o = json_object();
	catalog_put_text(o, "register", g->name);
	catalog_put_hex(o, "address", g->ctl.off);
	catalog_put_hex(o, "enable", g->enable);
	catalog_put_hex(o, "cleared", g->reset);
	catalog_put_hex(o, "freeze", g->freeze);
	catalog_put_hex(o, "box_enable", g->box_enable);
	json_object_set_new(o, "pulse", json_boolean(g->pulse));
	catalog_put_hex(o, "overflow_stops", g->overflow_stops);
	catalog_put_hex(o, "overflow_interrupts", g->overflow_interrupts);
	catalog_put_hex(o, "overflow_told", g->overflow_told);
	catalog_put_hex(o, "overflow_changed", g->overflow_changed);
	json_object_set_new(o, "fields", catalog_fields(g->fields, g->n_fields));
	return o;
}

/* The way of an overflow up to the socket. */
static json_t *overflow(const struct cat_overflow *v)
{
	json_t *o = json_object();

	catalog_put_text(o, "box", v->box);
	catalog_put_number(o, "unit", v->unit);
	json_object_set_new(o, "counters", v->count ? json_pack("[i, i]", v->first, v->first + v->count - 1) : json_string("fixed"));
	catalog_put_hex(o, "global", v->global);
	catalog_put_text(o, "summary_box", v->summary_box);
	catalog_put_number(o, "summary_unit", v->summary_unit);
	catalog_put_hex(o, "summary", v->summary);
	catalog_put_text(o, "source", v->source);
	return o;
}

static json_t *groups(const struct cat_processor *p)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < p->n_groups; i++) {
		json_t *specs = json_array();

		for (unsigned k = 0; p->groups[i].specs[k]; k++)
			json_array_append_new(specs, json_string(p->groups[i].specs[k]));
		json_array_append_new(list, json_pack("{s:s, s:o}", "name", p->groups[i].name, "events", specs));
	}
	return list;
}

json_t *catalog_document(const struct cat_processor *p)
{
	json_t *o = json_object(), *boxes = json_array(), *events = json_array(), *metrics = json_array();
	json_t *constants = json_array(), *overflows = json_array();

	for (unsigned i = 0; i < p->n_boxes; i++) {
		const struct cat_box *b = p->boxes[i];

		json_array_append_new(boxes, catalog_box(b));
		for (const struct cat_event *e = cat_event_next(b, NULL); e; e = cat_event_next(b, e))
			json_array_append_new(events, catalog_event(b, e));
	}
	for (unsigned i = 0; i < p->metrics->n; i++)
		json_array_append_new(metrics, catalog_metric(&p->metrics->v[i]));
	for (unsigned i = 0; i < p->n_constants; i++)
		json_array_append_new(constants, constant(&p->constants[i]));
	for (unsigned i = 0; p->overflows && i < p->overflows->n; i++)
		json_array_append_new(overflows, overflow(&p->overflows->v[i]));
	catalog_put_text(o, "format", CATALOG_FORMAT);
	catalog_put_text(o, "processor", p->name);
	catalog_identify(o, p);
	catalog_put_text(o, "source", p->source);
	catalog_put_number(o, "cores", p->cores);
	json_object_set_new(o, "pci_anchor", anchor(&p->anchor));
	json_object_set_new(o, "clock_ratio", p->ratio.off ?
			    json_pack("{s:i, s:i, s:o}", "device", p->ratio.device, "function", p->ratio.function, "offset",
				      json_sprintf("0x%x", p->ratio.off)) : json_null());
	json_object_set_new(o, "global", global(p->global));
	json_object_set_new(o, "boxes", boxes);
	json_object_set_new(o, "events", events);
	json_object_set_new(o, "constants", constants);
	json_object_set_new(o, "overflows", overflows);
	json_object_set_new(o, "metrics", metrics);
	json_object_set_new(o, "groups", groups(p));
	return o;
}

static void add_kernel_event(void *p, const struct spec_kernel_event *e)
{
	json_array_append_new(p, json_pack("{s:s, s:s, s:i, s:s, s:s, s:s*, s:s*}", "spec", e->spec, "pmu", e->pmu, "instances",
					   e->instances, "event", e->term->name, "terms", e->term->text, "scale", e->term->scale,
					   "unit", e->term->unit));
}

void catalog_add_kernel_events(json_t *events, const struct topo_pmus *pmus)
{
	spec_kernel_events(pmus, add_kernel_event, events);
}

char *catalog_kernel_text(const struct topo_pmus *pmus)
{
	json_t *events = json_array();
	char *text;

	if (pmus)
		catalog_add_kernel_events(events, pmus);
	text = json_dumps(events, JSON_COMPACT);
	json_decref(events);
	return text;
}

/* The document of the processor, one line; of "other" it has the kernel's events alone. The tree it is made of is ten times
 * as large. */
char *catalog_render(const char *processor, const char *kernel, size_t *ret_n)
{
	const struct cat_processor *p = cat_processor_by_name(processor);
	json_t *o = p ? catalog_document(p) : json_pack("{s:s, s:s, s:[]}", "format", CATALOG_FORMAT, "processor", processor, "events");
	char *text;

	json_object_set_new(o, "perf", json_loads(kernel, 0, NULL));
	text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
	json_decref(o);
	malloc_trim(0);
	if (!text)
		return NULL;
	*ret_n = strlen(text);
	text[(*ret_n)++] = '\n';        /* in the place of the NUL */
	return text;
}
