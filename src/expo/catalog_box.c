/* catalog_box.c - a box as JSON: its instances, counters, registers and what stands between a counter and counting.
 *
 * Owns:  the keys of a box; see catalog_json.h.
 */
#include "config.h"

#include "expo/catalog_json.h"

static json_t *counters(uint32_t mask)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < 32; i++)
		if (mask & BIT(i))
			json_array_append_new(list, json_integer(i));
	return list;
}

/* ------------------------------------------------------------------ instances and ports */

/* How many bases a unit has: the banks that registers name. */
static unsigned banks(const struct cat_box *b)
{
	unsigned most = 0;

	for (unsigned i = 0; i < b->n_regs; i++)
		if (b->regs[i].bank > most)
			most = b->regs[i].bank;
	return most + 1;
}

static json_t *unit(const struct cat_box *b, unsigned index)
{
	const struct cat_unit *u = &b->units[index];
	json_t *o = json_object(), *list = json_array();

	for (unsigned k = 0; k < banks(b); k++) {
		json_t *bank = json_object();

		catalog_put_hex(bank, "base", u->base[k]);
		if (b->space == SPACE_PCI) {
			catalog_put_number(bank, "device", u->dev[k]);
			catalog_put_number(bank, "function", u->fn[k]);
			json_object_set_new(bank, "device_id", u->id[k] ? json_sprintf("0x%x", u->id[k]) : json_null());
		}
		json_array_append_new(list, bank);
	}
	catalog_put_number(o, "unit", index);
	catalog_put_text(o, "link", b->links ? b->links[index] : NULL);
	json_object_set_new(o, "banks", list);
	return o;
}

static json_t *ports(const struct cat_box *b)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < b->n_ports; i++) {
		json_t *o = json_object();

		catalog_put_number(o, "port", i);
		catalog_put_text(o, "name", b->ports[i].name);
		catalog_put_text(o, "link", b->ports[i].link);
		catalog_put_number(o, "event_add", b->ports[i].event_add);
		json_object_set_new(o, "counters", counters(b->ports[i].counters));
		json_array_append_new(list, o);
	}
	return json_pack("{s:s, s:o}", "key", b->port_key, "values", list);
}

/* ------------------------------------------------------------------ registers */

static json_t *reg(const struct cat_box *b, const struct cat_reg *r)
{
	static const char *const roles[] = {
		[CAT_GLOBAL_CTL] = "global_control", [CAT_GLOBAL_STATUS] = "global_status",
		[CAT_GLOBAL_OVF] = "global_overflow_control", [CAT_BOX_CTL] = "box_control", [CAT_STATUS] = "status",
		[CAT_OVF_CTL] = "overflow_control", [CAT_SUMMARY] = "overflow_summary", [CAT_CTL] = "control",
		[CAT_CTR] = "counter", [CAT_FIXED_CTL] = "fixed_control", [CAT_FIXED_CTR] = "fixed_counter",
		[CAT_SUB] = "sub_control", [CAT_FILTER] = "filter", [CAT_OTHER] = "other",
	};
	static const char *const accesses[] = {
		[CAT_RW] = "rw", [CAT_RO] = "ro", [CAT_WO] = "wo", [CAT_W1C] = "w1c",
	};
	unsigned n = 0;
	const struct cat_field *fields = cat_reg_fields(b, r, &n);
	json_t *o = json_object();

	catalog_put_text(o, "name", r->name);
	catalog_put_text(o, "role", roles[r->role]);
	catalog_put_text(o, "access", accesses[r->access]);
	json_object_set_new(o, "id", r->id ? json_integer(r->id) : json_null());
	catalog_put_number(o, "bank", r->bank);
	catalog_put_hex(o, "offset", r->off);
	catalog_put_number(o, "first", r->first);
	catalog_put_number(o, "count", r->count);
	catalog_put_number(o, "step", r->step);
	catalog_put_number(o, "bytes", b->space == SPACE_MSR ? 8 : r->bytes);
	catalog_put_hex(o, "gate", r->gate);
	json_object_set_new(o, "fields", catalog_fields(fields, n));
	catalog_put_text(o, "source", r->source);
	return o;
}

static json_t *control(const struct cat_box *b)
{
	json_t *o = json_object();

	catalog_put_bits(o, "event", b->event);
	catalog_put_bits(o, "umask", b->umask);
	catalog_put_bits(o, "threshold", b->threshold);
	catalog_put_bits(o, "edge", b->edge);
	catalog_put_bits(o, "invert", b->invert);
	catalog_put_bits(o, "enable", b->enable);
	catalog_put_bits(o, "occupancy_reset", b->occ_reset);
	catalog_put_hex(o, "always", b->ctl_always);
	catalog_put_hex(o, "overflow", b->ctl_overflow);
	return o;
}

/* What else must be set for a counter that is enabled locally to count. */
static json_t *enabling(const struct cat_box *b)
{
	json_t *o = json_object();

	catalog_put_text(o, "by", b->local_only ? "nothing" : b->box_freeze ? "box_freeze_cleared" : "box_bit");
	catalog_put_hex(o, "box_freeze", b->box_freeze);
	catalog_put_hex(o, "box_always", b->box_always);
	json_object_set_new(o, "global_too", json_boolean(b->global_also));
	return o;
}

static json_t *fixed(const struct cat_box *b)
{
	json_t *o;

	if (!b->has_fixed)
		return json_null();
	o = json_object();
	catalog_put_number(o, "width", cat_width(b, true));
	catalog_put_hex(o, "enable", b->fixed_enable);
	catalog_put_hex(o, "overflow", b->fixed_overflow);
	catalog_put_number(o, "box_bit", b->fixed_box_bit);
	return o;
}

static json_t *erratum(const struct reg_erratum *e)
{
	json_t *o;

	if (!e->mask)
		return json_null();
	o = json_object();
	catalog_put_hex(o, "mask", e->mask);
	catalog_put_hex(o, "max", e->max);
	catalog_put_hex(o, "subtract", e->sub);
	return o;
}

json_t *catalog_box(const struct cat_box *b)
{
	json_t *o = json_object(), *units = json_array(), *regs = json_array();

	for (unsigned i = 0; i < b->n_units; i++)
		json_array_append_new(units, unit(b, i));
	for (unsigned i = 0; i < b->n_regs; i++)
		json_array_append_new(regs, reg(b, &b->regs[i]));
	catalog_put_text(o, "name", b->name);
	catalog_put_text(o, "title", b->title);
	json_object_set_new(o, "prefix", json_sprintf("UNC_%s%s", b->letter, *b->letter ? "_" : ""));
	catalog_put_text(o, "space", b->space == SPACE_MSR ? "msr" : "pci");
	json_object_set_new(o, "units", units);
	json_object_set_new(o, "ports", b->port_key ? ports(b) : json_null());
	catalog_put_number(o, "counters", b->n_counters);
	catalog_put_number(o, "width", b->width);
	json_object_set_new(o, "max_increment", b->max_inc ? json_integer(b->max_inc) : json_null());
	json_object_set_new(o, "fixed", fixed(b));
	json_object_set_new(o, "control", control(b));
	json_object_set_new(o, "enabling", enabling(b));
	json_object_set_new(o, "registers", regs);
	json_object_set_new(o, "erratum", erratum(&b->erratum));
	catalog_put_text(o, "clock", b->clock);
	catalog_put_number(o, "max_hz", b->max_hz);
	catalog_put_number(o, "events", cat_event_count(b));
	catalog_put_text(o, "source", b->source);
	return o;
}
