/* SPDX-License-Identifier: MIT
 * A box as JSON: instances, counters, registers, what enables counting.
 * Owns:  the keys of a box; see catalog_json.h.
 */
#include "expo/catalog_json.h"

json_t *catalog_bits_json(struct cat_bits b)
{
	return cat_has(b) ? js_pair(b.hi, b.lo) : json_null();
}

json_t *catalog_fields_json(const struct cat_field *f, unsigned n)
{
	static const char *const kinds[] = {
		[CAT_FIELD] = "field", [CAT_FIELD_PULSE] = "pulse", [CAT_FIELD_RSV] = "reserved",
	};

	return JS_LIST(i, n, JS_OBJECT(
		{ "name", js_text(f[i].name) }, { "bits", js_pair(f[i].hi, f[i].lo) },
		{ "kind", js_text(kinds[f[i].kind]) }, { "help", js_text(f[i].help) }));
}

/* How many bases a unit has: the banks that registers name. */
static unsigned banks(const struct cat_box *b)
{
	unsigned most = 0;

	for (unsigned i = 0; i < b->n_regs; i++)
		if (b->regs[i].bank > most)
			most = b->regs[i].bank;
	return most + 1;
}

/* Of a function in PCI configuration space; null: anything may be there. */
static json_t *device_id(const struct cat_unit *u, unsigned bank)
{
	return u->id[bank] ? js_hex(u->id[bank]) : json_null();
}

static json_t *unit(const struct cat_box *b, unsigned index)
{
	const struct cat_unit *u = &b->units[index];
	bool pci = b->space == SPACE_PCI;

	return JS_OBJECT(
		{ "unit", js_number(index) },
		{ "link", js_text(b->links ? b->links[index] : NULL) },
		{ "banks", JS_LIST(k, banks(b), JS_OBJECT(
			{ "base", js_hex(u->base[k]) },
			{ "device", pci ? js_number(u->dev[k]) : NULL },
			{ "function", pci ? js_number(u->fn[k]) : NULL },
			{ "device_id", pci ? device_id(u, k) : NULL })) });
}

static json_t *ports(const struct cat_box *b)
{
	return JS_OBJECT(
		{ "key", js_text(b->port_key) },
		{ "values", JS_LIST(i, b->n_ports, JS_OBJECT(
			{ "port", js_number(i) }, { "name", js_text(b->ports[i].name) },
			{ "link", js_text(b->ports[i].link) },
			{ "event_add", js_number(b->ports[i].event_add) },
			{ "counters", js_bits(b->ports[i].counters) })) });
}

static json_t *reg(const struct cat_box *b, const struct cat_reg *r)
{
	static const char *const roles[] = {
		[CAT_GLOBAL_CTL] = "global_control", [CAT_GLOBAL_STATUS] = "global_status",
		[CAT_GLOBAL_OVF] = "global_overflow_control", [CAT_BOX_CTL] = "box_control",
		[CAT_STATUS] = "status", [CAT_OVF_CTL] = "overflow_control",
		[CAT_SUMMARY] = "overflow_summary", [CAT_CTL] = "control", [CAT_CTR] = "counter",
		[CAT_FIXED_CTL] = "fixed_control", [CAT_FIXED_CTR] = "fixed_counter",
		[CAT_SUB] = "sub_control", [CAT_FILTER] = "filter", [CAT_OTHER] = "other",
	};
	static const char *const accesses[] = {
		[CAT_RW] = "rw", [CAT_RO] = "ro", [CAT_WO] = "wo", [CAT_W1C] = "w1c",
	};
	unsigned n = 0;
	const struct cat_field *fields = cat_reg_fields(b, r, &n);

	return JS_OBJECT(
		{ "name", js_text(r->name) }, { "role", js_text(roles[r->role]) },
		{ "access", js_text(accesses[r->access]) },
		{ "id", r->id ? json_integer(r->id) : json_null() }, { "bank", js_number(r->bank) },
		{ "offset", js_hex(r->off) }, { "first", js_number(r->first) },
		{ "count", js_number(r->count) }, { "step", js_number(r->step) },
		{ "bytes", js_number(b->space == SPACE_MSR ? 8 : r->bytes) },
		{ "gate", js_hex(r->write_enable) }, { "fields", catalog_fields_json(fields, n) },
		{ "source", js_text(r->source) });
}

static json_t *control(const struct cat_box *b)
{
	return JS_OBJECT(
		{ "event", catalog_bits_json(b->event) }, { "umask", catalog_bits_json(b->umask) },
		{ "threshold", catalog_bits_json(b->threshold) },
		{ "edge", catalog_bits_json(b->edge) },
		{ "invert", catalog_bits_json(b->invert) },
		{ "enable", catalog_bits_json(b->enable) },
		{ "occupancy_reset", catalog_bits_json(b->occ_reset) },
		{ "always", js_hex(b->ctl_always) }, { "overflow", js_hex(b->ctl_overflow) });
}

/* What else must be set for a counter that is enabled locally to count. */
static json_t *enabling(const struct cat_box *b)
{
	const char *by = b->box_freeze ? "box_freeze_cleared" : "box_bit";

	if (b->local_only)
		by = "nothing";
	return JS_OBJECT(
		{ "by", js_text(by) },
		{ "box_freeze", js_hex(b->box_freeze) }, { "box_always", js_hex(b->box_always) },
		{ "global_too", json_boolean(b->global_also) });
}

static json_t *fixed(const struct cat_box *b)
{
	return !b->has_fixed ? json_null() : JS_OBJECT(
		{ "width", js_number(cat_width(b, true)) }, { "enable", js_hex(b->fixed_enable) },
		{ "overflow", js_hex(b->fixed_overflow) },
		{ "box_bit", js_number(b->fixed_box_bit) });
}

static json_t *erratum(const struct reg_erratum *e)
{
	return !e->mask ? json_null() : JS_OBJECT(
		{ "mask", js_hex(e->mask) }, { "max", js_hex(e->max) },
		{ "subtract", js_hex(e->sub) });
}

json_t *catalog_box_json(const struct cat_box *b)
{
	return JS_OBJECT(
		{ "name", js_text(b->name) }, { "title", js_text(b->title) },
		{ "prefix", json_sprintf("UNC_%s%s", b->letter, *b->letter ? "_" : "") },
		{ "space", js_text(b->space == SPACE_MSR ? "msr" : "pci") },
		{ "units", JS_LIST(i, b->n_units, unit(b, i)) },
		{ "ports", b->port_key ? ports(b) : json_null() },
		{ "counters", js_number(b->n_counters) }, { "width", js_number(b->width) },
		{ "max_increment", b->max_inc ? json_integer(b->max_inc) : json_null() },
		{ "fixed", fixed(b) }, { "control", control(b) }, { "enabling", enabling(b) },
		{ "registers", JS_LIST(i, b->n_regs, reg(b, &b->regs[i])) },
		{ "erratum", erratum(&b->erratum) },
		{ "clock", js_text(b->clock) }, { "max_hz", js_number(b->max_hz) },
		{ "events", js_number(cat_event_count(b)) }, { "source", js_text(b->source) });
}
