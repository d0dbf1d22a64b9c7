/* SPDX-License-Identifier: MIT
 * Self-check of a box: counter geometry, control word, registers, ports.
 * Pure; one thread at a time.
 */
#include "check.h"

#include <string.h>

struct named_bits {
	const char *name;
	struct cat_bits bits;
	bool needed;
};

static bool overlap(unsigned hi1, unsigned lo1, unsigned hi2, unsigned lo2)
{
	return lo1 <= hi2 && lo2 <= hi1;
}

/* The control word's fields: inside the word, apart from each other and from reserved bits. */
static void check_control(struct check *k)
{
	const struct cat_box *b = k->box;
	const struct cat_reg *ctl = b->n_counters ? cat_reg_find(b, CAT_CTL, 0, 0) : NULL;
	const struct named_bits f[] = {
		{ "event", b->event, b->n_counters }, { "unit mask", b->umask, false },
		{ "threshold", b->threshold, false }, { "edge", b->edge, false },
		{ "invert", b->invert, false }, { "enable", b->enable, b->n_counters },
		{ "occupancy reset", b->occ_reset, false },
	};

	for (unsigned i = 0; i < COUNT(f); i++) {
		if (!cat_has(f[i].bits)) {
			WRONG_IF(k, f[i].needed, "the control word has no %s field", f[i].name);
			continue;
		}
		if (WRONG_IF(k, f[i].bits.lo < 0 || f[i].bits.hi > 63,
			     "the %s field leaves the control word", f[i].name))
			continue;
		for (unsigned j = 0; j < i; j++)
			if (cat_has(f[j].bits) &&
			    overlap((unsigned)f[i].bits.hi, (unsigned)f[i].bits.lo,
				    (unsigned)f[j].bits.hi, (unsigned)f[j].bits.lo))
				check_wrong(k, "the %s and %s fields of the control word overlap",
					    f[j].name, f[i].name);
		for (unsigned j = 0; ctl && j < ctl->n_fields; j++)
			if (ctl->fields[j].kind == CAT_FIELD_RSV &&
			    overlap((unsigned)f[i].bits.hi, (unsigned)f[i].bits.lo,
				    ctl->fields[j].hi, ctl->fields[j].lo))
				check_wrong(k, "the %s field covers reserved bits", f[i].name);
	}
}

static void check_fields(struct check *k, const struct cat_field *fields, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++) {
		const struct cat_field *f = &fields[i];

		WRONG_IF(k, !f->name || !*f->name, "a field has no name");
		WRONG_IF(k, f->hi < f->lo || f->hi >= bits,
			 "field %s %u:%u is not inside %u bits", f->name, f->hi, f->lo, bits);
		for (unsigned j = 0; j < i; j++)
			if (overlap(f->hi, f->lo, fields[j].hi, fields[j].lo))
				check_wrong(k, "fields %s %u:%u and %s %u:%u overlap",
					       fields[j].name, fields[j].hi, fields[j].lo, f->name,
					       f->hi, f->lo);
	}
}

/* One address belongs to one row: what cat_locate() finds first must be this row. */
static void check_addresses(struct check *k, const struct cat_reg *r)
{
	const struct cat_box *b = k->box;

	for (unsigned u = 0; u < b->n_units; u++)
		for (unsigned i = 0; i < (r->step ? r->count : 1); i++) {
			struct reg a = cat_reg_address(b, r, u, r->first + i);
			char name[CAT_NAME_TEXT], other[CAT_NAME_TEXT];
			struct cat_location at;

			if (!cat_locate(k->p, a, &at) || !at.row)
				continue;
			if (at.row == r && at.unit == u && at.index == r->first + i)
				continue;
			if (at.row == r && r->role == CAT_OTHER && r->access == CAT_RO)
				continue;       /* units may share one that is only read */
			check_wrong(k, "registers %s and %s have the same address %s",
				    cat_reg_name(at.row, at.unit, at.index, other, sizeof(other)),
				    cat_reg_name(r, u, r->first + i, name, sizeof(name)),
				    reg_text(a).s);
		}
}

/* These serve all their counters with one register. */
static bool is_shared_role(unsigned role)
{
	return role != CAT_CTL && role != CAT_CTR && role != CAT_SUB && role != CAT_FILTER;
}

static void check_register(struct check *k, const struct cat_reg *r)
{
	const struct cat_field *fields;
	unsigned n;

	k->row = r->name;
	check_source(k, r->source);
	if (r->count > 1 && !r->step && !is_shared_role(r->role))
		check_wrong(k, "covers several indexes with one address");
	if (r->step && r->count > 1 && !strstr(r->name, "%n"))
		check_wrong(k, "covers several registers, but its name has no %%n");
	fields = cat_reg_fields(k->box, r, &n);
	check_fields(k, fields, n, r->bytes * 8);
	check_addresses(k, r);
	k->row = NULL;
}

/* What sends an overflow on is a field of the control register that reads back. */
static void check_sent(struct check *k, const struct cat_reg *ctl, uint64_t bits)
{
	for (unsigned i = 0; ctl && i < ctl->n_fields; i++)
		if (ctl->fields[i].kind == CAT_FIELD)
			bits &= ~bits_mask(ctl->fields[i].hi, ctl->fields[i].lo);
	WRONG_IF(k, ctl && bits, "what sends an overflow on is no field of %s", ctl->name);
}

/* Every counter has its registers, and something that enables it. */
static void check_counters(struct check *k)
{
	const struct cat_box *b = k->box;

	WRONG_IF(k, b->width < 1 || b->width > 64, "counters of %u bits", b->width);
	WRONG_IF(k, b->n_counters > 32, "%u counters; a mask holds 32", b->n_counters);
	for (unsigned i = 0; i < b->n_counters; i++) {
		if (!cat_reg_find(b, CAT_CTL, 0, i) || !cat_reg_find(b, CAT_CTR, 0, i))
			check_wrong(k, "counter %u lacks its control or counter register", i);
		if (!b->global_also && !b->local_only && !cat_reg_find(b, CAT_BOX_CTL, 0, i))
			check_wrong(k, "no box control register enables counter %u", i);
	}
	if (b->global_also + b->local_only + !!b->box_freeze > 1)
		check_wrong(k, "what stands between counter and global control is said twice");
	for (unsigned i = 0; i < b->n_counters; i++)
		check_sent(k, cat_reg_find(b, CAT_CTL, 0, i), b->ctl_overflow);
	if (b->has_fixed)
		check_sent(k, cat_reg_find(b, CAT_FIXED_CTL, 0, 0), b->fixed_overflow);
	if (b->fixed_width && (!b->has_fixed || b->fixed_width > 64))
		check_wrong(k, "a fixed counter of %u bits", b->fixed_width);
	if (b->has_fixed && (!cat_reg_find(b, CAT_FIXED_CTL, 0, 0) ||
			     !cat_reg_find(b, CAT_FIXED_CTR, 0, 0) || !b->fixed_enable))
		check_wrong(k, "the fixed counter lacks its registers or its enable bits");
	if (b->global_also && !k->p->global->box_enable)
		check_wrong(k, "no global bit enables the box's counters");
}

static void check_ports(struct check *k)
{
	const struct cat_box *b = k->box;

	if (WRONG_IF(k, !b->port_key != !b->n_ports,
		     "ports need a key, and a port key needs ports"))
		return;
	for (unsigned i = 0; i < b->n_ports; i++) {
		WRONG_IF(k, !b->ports[i].counters, "no counter serves port %u", i);
		if ((uint64_t)b->ports[i].counters >> b->n_counters)
			check_wrong(k, "port %u is served by a counter outside the box", i);
	}
}

static void check_rows_named(struct check *k, const struct cat_event *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		WRONG_IF(k, !v[i].name || !*v[i].name, "an event has no name");
		for (unsigned u = 0; u < v[i].n_umasks; u++)
			if (!v[i].umasks[u].name || !*v[i].umasks[u].name)
				check_wrong(k, "a unit mask of %s has no name", v[i].name);
		for (unsigned y = 0; v[i].selector && y < v[i].selector->n_keys; y++)
			if (v[i].selector->keys[y].shift > 63)
				check_wrong(k, "a key of %s leaves out all bits", v[i].name);
	}
}

static void check_rows(struct check *k)
{
	const struct cat_box *b = k->box;

	for (unsigned i = 0; i < b->n_regs; i++) {
		const struct cat_reg *r = &b->regs[i];

		k->row = r->name;
		WRONG_IF(k, !r->name || !*r->name, "a register has no name");
		WRONG_IF(k, !r->count, "covers no index");
		WRONG_IF(k, r->bytes != 4 && r->bytes != 8, "has %u bytes", r->bytes);
		WRONG_IF(k, r->bank >= CAT_BANKS, "bank %u does not exist", r->bank);
	}
	k->row = NULL;
	check_rows_named(k, b->events, b->n_events);
	check_rows_named(k, b->extra, b->n_extra);
}

/* What a variant says does not hold must be among the rows that it points to. */
static void check_variant(struct check *k)
{
	const struct cat_box *b = k->box;

	for (unsigned i = 0; b->absent && b->absent[i]; i++) {
		bool found = false;

		for (unsigned e = 0; e < b->n_events; e++)
			found |= !strcmp(b->events[e].name, b->absent[i]);
		WRONG_IF(k, !found, "%s, said to be absent, is not there anyway", b->absent[i]);
	}
}

void check_geometry(struct check *k)
{
	const struct cat_box *b = k->box;

	if (!b->letter || *b->letter)
		check_name(k, "letter", b->letter, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	WRONG_IF(k, !b->n_units, "no units");
	WRONG_IF(k, !b->n_events && !b->n_extra, "no events");
	check_rows(k);
	check_counters(k);
	check_control(k);
	check_ports(k);
	if (!k->bad)
		check_variant(k);
}

void check_box(struct check *k)
{
	const struct cat_box *b = k->box;

	check_text(k, "title", b->title, 8);
	check_source(k, b->source);
	WRONG_IF(k, !b->max_hz,
		 "no highest clock: a wrong count could not be told from a right one");
	for (unsigned i = 0; i < b->n_regs; i++)
		check_register(k, &b->regs[i]);
}
