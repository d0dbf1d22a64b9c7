/* SPDX-License-Identifier: MIT
 * The list of processors and every look-up by name or address.
 * Owns:  which processors exist, how names compare.
 * Never: what a row means; how it is encoded (encode.c).
 * Pure; any thread.
 */
#include "catalog/catalog.h"

#include "base/name.h"
#include "base/words.h"
#include "catalog/tables/ivytown.h"
#include "catalog/tables/nehalem.h"
#include "catalog/tables/nehalem_ex.h"

#include <stdio.h>
#include <string.h>

const struct cat_processor *const cat_processors[] = {
	&cat_nehalem_ex,
	&cat_westmere_ex,
	&cat_nehalem,
	&cat_westmere,
	&cat_ivytown,
};
const unsigned cat_n_processors = COUNT(cat_processors);

const struct cat_processor *cat_processor_by_name(const char *name)
{
	for (unsigned i = 0; i < cat_n_processors; i++)
		if (name_same_unmarked(cat_processors[i]->name, name))
			return cat_processors[i];
	return NULL;
}

const struct cat_processor *cat_processor_by_id(const char *vendor, unsigned family,
						unsigned model)
{
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		for (unsigned k = 0; k < p->n_ids && strcmp(p->vendor, vendor) == 0; k++)
			if (p->ids[k].family == family && p->ids[k].model == model)
				return p;
	}
	return NULL;
}

const struct cat_global cat_no_global = { .name = NULL };

unsigned cat_box_index(const struct cat_processor *p, const struct cat_box *b)
{
	unsigned i = 0;

	while (p->boxes[i] != b)
		i++;
	return i;
}

const struct cat_box *cat_box_next(const struct cat_processor *p, const struct cat_box *b)
{
	unsigned next = b ? cat_box_index(p, b) + 1 : 0;

	return next < p->n_boxes ? p->boxes[next] : NULL;
}

bool cat_metric_is(const struct cat_metric *m, const char *series)
{
	size_t n = strlen(m->name), unit = strlen(m->unit), total = strlen("_total");
	const char *rest;

	if (strcmp(m->name, series) == 0)
		return true;
	if (n > total && strcmp(m->name + n - total, "_total") == 0)
		n -= total;
	if (n <= unit + 1 || strncmp(m->name, series, n - unit - 1) != 0)
		return false;
	rest = series + n - unit - 1;
	if (strncmp(rest, "_peak_", 6) == 0)
		rest += strlen("_peak_");
	else if (strncmp(rest, "_distribution_", 14) == 0)
		rest += strlen("_distribution_");
	else
		return false;
	return strncmp(rest, m->unit, unit) == 0 && (!rest[unit] || rest[unit] == '_');
}

const struct cat_box *cat_box_by_name(const struct cat_processor *p, const char *name)
{
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (name_same(p->boxes[i]->name, name))
			return p->boxes[i];
	return NULL;
}

/* What follows Intel's "UNC_x_", where x is this box's letter; else the name itself. */
static const char *without_prefix(const struct cat_box *b, const char *name)
{
	const char *rest = name_after(name, "UNC_");

	if (rest && *b->letter)
		rest = name_after(rest, b->letter);
	if (rest && *b->letter)
		rest = name_after(rest, "_");
	return rest ? rest : name;
}

bool cat_event_is_called(const struct cat_event *e, const char *name)
{
	if (name_same(e->name, name))
		return true;
	for (const char *const *a = e->alias; a && *a; a++)
		if (name_same(*a, name))
			return true;
	return false;
}

/* A base row that does not hold for this variant. */
static bool is_replaced(const struct cat_box *b, const struct cat_event *e)
{
	for (unsigned i = 0; i < b->n_extra; i++)
		if (name_same(b->extra[i].name, e->name))
			return true;
	for (unsigned i = 0; b->absent && b->absent[i]; i++)
		if (name_same(b->absent[i], e->name))
			return true;
	return false;
}

const struct cat_event *cat_event_next(const struct cat_box *b, const struct cat_event *e)
{
	const struct cat_event *last = b->events + b->n_events;
	const struct cat_event *last_extra = b->n_extra ? b->extra + b->n_extra : NULL;

	if (e && b->n_extra && e >= b->extra && e < last_extra)
		return e + 1 < last_extra ? e + 1 : NULL;
	for (e = e ? e + 1 : b->events; e < last; e++)
		if (!is_replaced(b, e))
			return e;
	return b->n_extra ? b->extra : NULL;
}

static bool same_values(const struct cat_event *a, const struct cat_event *b)
{
	if (!a->selector || !b->selector)
		return a->selector == b->selector;
	return memcmp(a->selector->encodings, b->selector->encodings,
		      sizeof(*a->selector->encodings)) == 0 &&
	       memcmp(a->values, b->values, sizeof(*a->values)) == 0;
}

bool cat_event_same(const struct cat_event *a, const struct cat_event *b)
{
	if (!a || !b || !a->raw || !b->raw)
		return a == b;
	return strcmp(a->name, b->name) == 0 && a->code == b->code && a->ctl == b->ctl &&
	       a->occupancy == b->occupancy && a->counters == b->counters && same_values(a, b);
}

unsigned cat_event_count(const struct cat_box *b)
{
	unsigned n = 0;

	cat_each_event(e, b)
		n++;
	return n;
}

const struct cat_event *cat_event_by_name(const struct cat_box *b, const char *name)
{
	name = without_prefix(b, name);
	for (unsigned i = 0; i < b->n_events; i++)      /* mostly it is spelled as here */
		if (*b->events[i].name == *name && strcmp(b->events[i].name, name) == 0 &&
		    !is_replaced(b, &b->events[i]))
			return &b->events[i];
	cat_each_event(e, b)
		if (cat_event_is_called(e, name))
			return e;
	return NULL;
}

bool cat_umask_is_called(const struct cat_umask *u, const char *name)
{
	return name_same_marked(u->name, name) || (u->alias && name_same_marked(u->alias, name));
}

int cat_umask_by_name(const struct cat_event *e, const char *name)
{
	for (int i = 0; i < e->n_umasks; i++)
		if (cat_umask_is_called(&e->umasks[i], name))
			return i;
	return -1;
}

const struct cat_mention *cat_mention_by_name(const struct cat_processor *p, const char *box,
					      const char *name)
{
	for (const struct cat_mention *m = p->mentions; m && m->name; m++)
		if ((!box || name_same(m->box, box)) && name_same_marked(m->name, name))
			return m;
	return NULL;
}

const char *cat_nearest_event(const struct cat_box *b, const char *name)
{
	struct nearest near = { .wanted = without_prefix(b, name) };

	cat_each_event(e, b) {
		nearest_offer(&near, e->name);
		for (const char *const *a = e->alias; a && *a; a++)
			nearest_offer(&near, *a);
	}
	return near.name ? cat_event_by_name(b, near.name)->name : NULL;
}

const char *cat_nearest_processor(const char *name)
{
	struct nearest near = { .wanted = name };

	for (unsigned i = 0; i < cat_n_processors; i++)
		nearest_offer(&near, cat_processors[i]->name);
	return near.name;
}

const struct cat_reg *cat_reg_find(const struct cat_box *b, enum cat_role role, uint8_t id,
				   unsigned index)
{
	for (unsigned i = 0; i < b->n_regs; i++) {
		const struct cat_reg *r = &b->regs[i];

		if (r->role == role && (!id || r->id == id) && cat_reg_covers(r, index))
			return r;
	}
	return NULL;
}

const struct cat_field *cat_reg_fields(const struct cat_box *b, const struct cat_reg *r,
				       unsigned *ret_n)
{
	for (unsigned i = 0; r->id && i < b->n_relaid; i++)
		if (b->relaid[i].id == r->id) {
			*ret_n = b->relaid[i].n_fields;
			return b->relaid[i].fields;
		}
	*ret_n = r->n_fields;
	return r->fields;
}

uint64_t cat_fields_mask(const struct cat_field *f, unsigned n, uint64_t kinds)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		if (kinds & BIT(f[i].kind))
			bits |= bits_mask(f[i].hi, f[i].lo);
	return bits;
}

struct reg cat_reg_address(const struct cat_box *b, const struct cat_reg *r, unsigned unit,
			   unsigned index)
{
	const struct cat_unit *u = &b->units[unit];

	return (struct reg){
		.space = b->space,
		.bytes = b->space == SPACE_MSR ? 8 : r->bytes,
		.dev = u->dev[r->bank], .fn = u->fn[r->bank],
		.off = u->base[r->bank] + r->off + (index - r->first) * r->step,
	};
}

char *cat_reg_name(const struct cat_reg *r, unsigned unit, unsigned index, char *buf, size_t n)
{
	size_t at = 0;

	for (const char *s = r->name; *s && at + 1 < n; s++) {
		if (s[0] == '%' && (s[1] == 'u' || s[1] == 'n')) {
			int k = snprintf(buf + at, n - at, "%u", s[1] == 'u' ? unit : index);

			at += (size_t)k < n - at ? (size_t)k : n - at - 1;
			s++;
		} else {
			buf[at++] = *s;
		}
	}
	buf[at] = '\0';
	return buf;
}

static bool locate_in_box(const struct cat_box *b, struct reg r, struct cat_location *ret)
{
	for (unsigned u = 0; u < b->n_units; u++)
		for (unsigned i = 0; i < b->n_regs; i++) {
			const struct cat_reg *row = &b->regs[i];

			for (unsigned x = row->first; cat_reg_covers(row, x); x++)
				if (reg_equal(cat_reg_address(b, row, u, x), r)) {
					*ret = (struct cat_location){ b, row, u, x };
					return true;
				}
		}
	return false;
}

bool cat_locate(const struct cat_processor *p, struct reg r, struct cat_location *ret)
{
	for (unsigned i = 0; i < p->n_boxes; i++)
		if (locate_in_box(p->boxes[i], r, ret)) {
			if (ret->row->role == CAT_GLOBAL_CTL)
				ret->box = NULL;
			return true;
		}
	if (p->global->name && reg_equal(p->global->ctl, r)) {
		*ret = (struct cat_location){ 0 };
		return true;
	}
	return false;
}

bool cat_metric_is_total(const struct cat_metric *m)
{
	size_t n = m->name ? strlen(m->name) : 0, t = strlen("_total");

	return m->absent ? n > t && strcmp(m->name + n - t, "_total") == 0 : !m->den && !m->knee;
}

const char *cat_metric_excepted(const struct cat_metric *m, unsigned model, const char *name)
{
	for (const struct cat_except *e = m->except; e && e->why; e++)
		if ((!e->model || e->model == model) && (!e->word || strstr(name, e->word)))
			return e->why;
	return NULL;
}
