/* SPDX-License-Identifier: MIT
 * uncorectl decode: what register contents mean.
 * Owns:  addresses and values of the command line; fields and events as text and JSON.
 * Never: what a bit means (catalog/decode.c); reading a register.
 */
#include "ctl/ctl.h"

#include "base/num.h"
#include "spec/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGS_MAX = 32, SELECTIONS_MAX = 8 };

/* "0xd10", or PCI "19:5+0xd8". */
static int parse_reg(const char *text, struct reg *ret)
{
	char part[64], *off = part, *dev, *fn;
	uint64_t d = 0, f = 0, o;

	if (snprintf(part, sizeof(part), "%s", text) >= (int)sizeof(part))
		return -1;
	dev = strchr(text, ':') ? strsep(&off, ":") : NULL;
	fn = dev ? strsep(&off, "+") : NULL;
	if (!off || num_parse_u64(off, &o) < 0 || o > (dev ? 4095 : UINT32_MAX))
		return -1;
	if (dev && (num_parse_u64(dev, &d) < 0 || d > 31 || num_parse_u64(fn, &f) < 0 || f > 7))
		return -1;
	*ret = (struct reg){ .space = dev ? SPACE_PCI : SPACE_MSR, .bytes = dev ? 4 : 8,
			     .dev = (uint8_t)d, .fn = (uint8_t)f, .off = (uint32_t)o };
	return 0;
}

static const struct cat_field *fields_of(const struct cat_processor *p,
					 const struct cat_location *at, unsigned *ret_n)
{
	if (at->box)
		return cat_reg_fields(at->box, at->row, ret_n);
	*ret_n = p->global->n_fields;
	return p->global->fields;
}

static const char *name_of(const struct cat_processor *p, const struct cat_location *at, char *buf,
			   size_t n)
{
	if (!at->box)
		snprintf(buf, n, "%s", p->global->name);
	else
		cat_reg_name(at->row, at->unit, at->index, buf, n);
	return buf;
}

static json_t *reg_json(const struct cat_processor *p, struct reg r, uint64_t v,
			const struct cat_location *at)
{
	char name[CAT_NAME_TEXT];
	unsigned n;
	const struct cat_field *f = fields_of(p, at, &n);
	json_t *fields = JS_LIST(i, n, JS_OBJECT(
		{ "name", js_text(f[i].name) },
		{ "hi", json_integer(f[i].hi) }, { "lo", json_integer(f[i].lo) },
		{ "value", js_hex(bits_get(v, f[i].hi, f[i].lo)) },
		{ "help", f[i].help ? js_text(f[i].help) : NULL }));

	return JS_OBJECT(
		{ "address", js_text(reg_text(r).s) },
		{ "register", js_text(name_of(p, at, name, sizeof(name))) }, { "value", js_hex(v) },
		{ "box", at->box ? js_text(at->box->name) : json_null() },
		{ "unit", json_integer(at->unit) }, { "index", json_integer(at->index) },
		{ "fields", fields });
}

static void print_reg(const struct cat_processor *p, struct reg r, uint64_t v,
		      const struct cat_location *at)
{
	char name[CAT_NAME_TEXT];
	unsigned n;
	const struct cat_field *f = fields_of(p, at, &n);

	printf("%s = 0x%" PRIx64 "  %s\n", reg_text(r).s, v, name_of(p, at, name, sizeof(name)));
	for (unsigned i = 0; i < n; i++) {
		char bits[16];

		if (f[i].kind == CAT_FIELD_RSV && !bits_get(v, f[i].hi, f[i].lo))
			continue;
		snprintf(bits, sizeof(bits), f[i].hi == f[i].lo ? "%u" : "%u:%u", f[i].hi, f[i].lo);
		printf("  %-16s %-6s 0x%-5" PRIx64 " %s%s\n", f[i].name, bits,
		       bits_get(v, f[i].hi, f[i].lo),
		       f[i].kind == CAT_FIELD_RSV ? " must be 0" : "", f[i].help ? f[i].help : "");
	}
}

static json_t *selection_json(const struct cat_selection *c, unsigned counter)
{
	char *spec = spec_text(c, true);
	json_t *j = JS_OBJECT(
		{ "spec", js_text(spec ? spec : "") }, { "box", js_text(c->box->name) },
		{ "unit", json_integer(c->unit) },
		{ "counter", c->event->fixed ? js_text("fixed") : json_integer(counter) },
		{ "event", js_text(c->event->name) }, { "umask", ctl_umasks(c) },
		{ "help", js_text(c->event->help) });

	free(spec);
	return j;
}

static void selection_text(const struct cat_selection *c, unsigned counter)
{
	char *spec = spec_text(c, true);

	printf("event %s", spec ? spec : c->event->name);
	if (!c->event->fixed)
		printf(" on counter %u", counter);
	printf(": %s\n", c->event->help);
	free(spec);
}

/* An event that the catalog does not have, by numbers, if the register may select one: into JSON,
 * or if that is NULL as text. */
static void add_numbers(const struct cat_processor *p, struct reg r, uint64_t v, json_t *numbers)
{
	AUTO_FREE(arena_free) struct arena *a = arena_new(CTL_SPEC_MAX, NULL);
	struct cat_selection c;
	struct cat_location at;
	char *spec;

	if (!a || !cat_locate(p, r, &at) || at.row->role != CAT_CTL ||
	    !(v & cat_ctl_enable(at.box, false)) || !spec_raw_of(a, &at, v, &c))
		return;
	spec = spec_text(&c, true);
	if (numbers)
		json_array_append_new(numbers, selection_json(&c, at.index));
	else if (spec)
		printf("by numbers: %s on counter %u\n", spec, at.index);
	free(spec);
}

/* The fields that make of an event what no specification can say. */
static void unsaid_text(const struct cat_processor *p, struct reg r, uint64_t unsaid)
{
	struct cat_location at;
	const struct cat_field *f;
	unsigned n;

	if (!cat_locate(p, r, &at))
		return;
	f = fields_of(p, &at, &n);
	printf("no event: control register %s has bits that no specification can express, in",
	       reg_text(r).s);
	for (unsigned i = 0; i < n; i++)
		if (unsaid & bits_mask(f[i].hi, f[i].lo))
			printf(" %s", f[i].name);
	putchar('\n');
}

/* The events that the control register at i selects, beside all the others: into JSON, or if that
 * is NULL as text; numbers: where there is none. */
static void decode_control(const struct cat_processor *p, const struct reg *regs,
			   const uint64_t *values, unsigned n, unsigned i, json_t *events,
			   json_t *numbers)
{
	struct cat_selection selections[SELECTIONS_MAX];
	struct reg r[REGS_MAX + 1] = { regs[i] };
	uint64_t v[REGS_MAX + 1] = { values[i] };
	unsigned counter = 0, found;
	uint64_t unsaid;

	memcpy(r + 1, regs, n * sizeof(*r));    /* cat_decode() takes the first control register */
	memcpy(v + 1, values, n * sizeof(*v));
	found = cat_decode(p, r, v, n + 1, selections, SELECTIONS_MAX, &counter, &unsaid);
	for (unsigned k = 0; k < found; k++) {
		if (events)
			json_array_append_new(events, selection_json(&selections[k], counter));
		else
			selection_text(&selections[k], counter);
	}
	if (unsaid && !events)
		unsaid_text(p, regs[i], unsaid);
	else if (!found && !events)
		printf("no event: control register %s selects none, or one by sub-control "
		       "registers that are not given here\n", reg_text(regs[i]).s);
	if (!found)
		add_numbers(p, regs[i], values[i], numbers);
}

/* In a list of writes a register may occur several times: it holds the last value. */
static bool is_written_later(const struct reg *regs, unsigned n, unsigned i)
{
	for (unsigned k = i + 1; k < n; k++)
		if (reg_equal(regs[i], regs[k]))
			return true;
	return false;
}

static int read_pairs(const struct ctl *c, unsigned n, struct reg *ret_regs, uint64_t *ret_values)
{
	for (unsigned i = 0; i < n; i++) {
		if (parse_reg(c->args[2 * i], &ret_regs[i]) < 0)
			return ctl_fail(CTL_USAGE, "'%s' is not a register address (0xd10, or PCI "
					"19:5+0xd8)", c->args[2 * i]);
		if (num_parse_u64(c->args[2 * i + 1], &ret_values[i]) < 0)
			return ctl_fail(CTL_USAGE, "'%s' is not a number", c->args[2 * i + 1]);
		if (ret_regs[i].bytes == 4 && ret_values[i] > UINT32_MAX)
			return ctl_fail(CTL_USAGE, "'%s' does not fit: the register at %s has 32 "
					"bits", c->args[2 * i + 1], c->args[2 * i]);
	}
	return 0;
}

int ctl_decode(const struct ctl *c)
{
	const struct cat_processor *p = ctl_processor(c);
	struct reg regs[REGS_MAX];
	uint64_t values[REGS_MAX];
	bool control[REGS_MAX];
	json_auto_t *jregs = json_array(), *jevents = json_array(), *jnumbers = json_array();
	unsigned n = (unsigned)c->n_args / 2;
	bool controls = false;
	int r;

	if (!p)
		return CTL_USAGE;
	if (c->n_args % 2)
		return ctl_fail(CTL_USAGE, "decode needs pairs: ADDRESS VALUE");
	r = read_pairs(c, n, regs, values);
	if (r)
		return r;
	for (unsigned i = 0; i < n; i++) {
		struct cat_location at;

		if (!cat_locate(p, regs[i], &at))
			return ctl_fail(CTL_CONFIG, "%s has no PMON register at %s", p->name,
					reg_text(regs[i]).s);
		control[i] = at.box && (at.row->role == CAT_CTL || at.row->role == CAT_FIXED_CTL);
		controls |= control[i];
		if (c->json)
			json_array_append_new(jregs, reg_json(p, regs[i], values[i], &at));
		else
			print_reg(p, regs[i], values[i], &at);
	}
	for (unsigned i = 0; i < n; i++)
		if (control[i] && !is_written_later(regs, n, i))
			decode_control(p, regs, values, n, i, c->json ? jevents : NULL,
				       c->json ? jnumbers : NULL);
	if (!controls && !c->json)
		printf("no event: none of these is a control register\n");
	if (c->json)
		return ctl_json(JS_OBJECT({ "processor", js_text(p->name) },
					  { "registers", json_incref(jregs) },
					  { "events", json_incref(jevents) },
					  { "by_numbers", json_incref(jnumbers) }));
	return 0;
}
