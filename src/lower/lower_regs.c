/* SPDX-License-Identifier: MIT
 * The register program of one socket: every write, in order, with what it owns and what is checked.
 * Owns:  phases, the merging of shared registers, which writes a slot depends on.
 * Never: which events; values come from the catalog's encoding.
 * Pure; main thread.
 */
#include "lower/lower.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* What each phase writes in the start of a round. */
static const uint8_t phase_kind[] = {
	[PHASE_STOP] = REG_WRITE_ENABLE, [PHASE_SELECT] = REG_FILTER, [PHASE_PRELOAD] = REG_COUNT,
	[PHASE_ENABLE_COUNTER] = REG_CONTROL, [PHASE_ENABLE_BOX] = REG_BOX,
	[PHASE_ENABLE_GLOBAL] = REG_GLOBAL,
};

/* A write while it is being collected: where it goes in the order, and what it is. */
struct pending {
	unsigned order[4];          /* phase, box (0 for the socket), unit, row x 256 + index */
	unsigned number;            /* as collected: what slots depend on is renumbered when all are
	                             * sorted */
	struct reg reg;
	uint8_t kind;               /* enum reg_kind */
	uint16_t counter;           /* see plan_reg */
	struct reg write_enable;    /* where has_write_enable */
	bool has_write_enable;
	uint64_t value, mask, check;
	char name[CAT_NAME_TEXT];
};
struct pendings {
	struct arena *work;
	const struct cat_processor *cpu;
	struct pending *v;
	unsigned n;
};

static int pending_compare(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	for (unsigned i = 0; i < COUNT(x->order); i++)
		if (x->order[i] != y->order[i])
			return x->order[i] < y->order[i] ? -1 : 1;
	return 0;
}

static struct pending *pending_find(struct pendings *p, enum plan_phase phase, struct reg reg)
{
	for (unsigned i = 0; i < p->n; i++)
		if (reg_equal(p->v[i].reg, reg) && p->v[i].order[0] == phase)
			return &p->v[i];
	return NULL;
}

/* Adds bits of a register to a phase; a register is written once per phase, values merged. */
static struct pending *pending_add(struct pendings *p, enum plan_phase phase,
				   const unsigned order[3],
				   struct reg reg, uint64_t value, uint64_t mask)
{
	struct pending *e = pending_find(p, phase, reg);

	if (e) {
		e->value |= value;
		e->mask |= mask;
		e->check |= mask;
		return e;
	}
	e = ARENA_ADD(p->work, p->v, p->n);
	*e = (struct pending){ .order = { phase, order[0], order[1], order[2] },
			       .number = p->n - 1, .reg = reg, .kind = phase_kind[phase],
			       .counter = PLAN_NONE, .value = value, .mask = mask,
			       .check = mask };
	return e;
}

/* A box's own register. */
static struct pending *pending_add_row(struct pendings *p, enum plan_phase phase,
				       const struct cat_selection *c, const struct cat_reg *row,
				       unsigned index, uint64_t value, uint64_t mask)
{
	const unsigned order[3] = { cat_box_index(p->cpu, c->box) + 1, c->unit,
				    (unsigned)(row - c->box->regs) * 256 + index };
	struct pending *e = pending_add(p, phase, order,
					cat_reg_address(c->box, row, c->unit, index), value, mask);

	if (!*e->name)
		cat_reg_name(row, c->unit, index, e->name, sizeof(e->name));
	if (row->access == CAT_WO || row->access == CAT_W1C)
		e->check = 0;
	return e;
}

/* The slot counts only as long as these bits of the write hold. */
static void depend(struct plan_reg_slot *r, const struct pending *e, uint64_t bits)
{
	assert(r->n_dep < PLAN_DEPS);
	r->dep[r->n_dep++] = (struct plan_dep){ (uint16_t)e->number, bits };
}

/* The switch that must be off while this slot's registers are written (S-Box MM_CFG[63]); NULL:
 * none. */
static const struct cat_reg *write_enable_of(const struct plan_slot *s,
				     const struct cat_field_value *values, unsigned n)
{
	const struct cat_selector *r = s->selection->event->selector;
	const struct cat_box *b = s->selection->box;
	unsigned index = b->n_ports ? s->selection->port : 0;

	if (!r || !n)
		return NULL;
	for (unsigned t = 0; t < CAT_REG_FIELDS; t++) {
		uint8_t id = r->encodings[s->encoding].fields[t].id;

		for (unsigned i = 0; id && i < b->n_regs; i++) {
			const struct cat_reg *row = &b->regs[i];

			if (row->id == id && row->write_enable && index >= row->first &&
			    index - row->first < row->count && values[0].row < row)
				return row;
		}
	}
	return NULL;
}

static const struct cat_reg *box_ctl_row(const struct cat_box *b, int counter, unsigned *ret_bit)
{
	const struct cat_reg *row = cat_reg_find(b, CAT_BOX_CTL, 0,
						 counter < 0 ? 0 : (unsigned)counter);

	*ret_bit = 0;
	if (counter < 0)
		*ret_bit = b->fixed_box_bit;
	else if (row)
		*ret_bit = (unsigned)counter - row->first;
	return row;
}

static unsigned counter_index(const struct cat_processor *cpu, const struct plan_slot *s)
{
	unsigned n = 0;

	for (const struct cat_box *b = cat_box_next(cpu, NULL); b != s->box;
	     b = cat_box_next(cpu, b))
		n += (b->n_counters + b->has_fixed) * (unsigned)b->n_units;
	n += (s->box->n_counters + s->box->has_fixed) * s->unit;
	return n + (s->counter < 0 ? s->box->n_counters : (unsigned)s->counter);
}

/* The start value from which the counter overflows after `count` events. */
static void add_preload(struct pendings *p, const struct plan_slot *s, unsigned counter,
			uint64_t count, struct plan_reg_slot *r)
{
	const struct cat_reg *row = cat_reg_find(s->box, s->counter < 0 ? CAT_FIXED_CTR : CAT_CTR,
						 0, counter);
	struct pending *e = pending_add_row(p, PHASE_PRELOAD, s->selection, row, counter,
					    window_preload(s->width, count), ~UINT64_C(0));

	e->check = 0;
	e->counter = r->counter;
	depend(r, e, e->mask);
}

static void add_box_enable(struct pendings *p, const struct plan_slot *s, struct plan_reg_slot *r)
{
	const struct cat_global *g = p->cpu->global;
	const struct cat_box *b = s->box;
	unsigned bit;
	const struct cat_reg *row = box_ctl_row(b, s->counter, &bit);
	uint64_t set = (b->box_freeze ? 0 : BIT(bit)) | b->box_always;
	struct pending *e;

	if (b->global_also) {
		e = pending_add(p, PHASE_ENABLE_BOX, (unsigned[3]){ 0 }, g->ctl, g->box_enable,
				g->box_enable);
		snprintf(e->name, sizeof(e->name), "%s", g->name);
		depend(r, e, g->box_enable);
	} else if (row) {
		e = pending_add_row(p, PHASE_ENABLE_BOX, s->selection, row, row->first, set,
				    set | b->box_freeze);
		e->check &= ~b->box_always;
		depend(r, e, b->box_freeze ? set | b->box_freeze : BIT(bit));
	}
}

/* Where a check clears the counter's overflow; not the one that ends a window, which is cleared
 * after all was read. */
static void add_clear(struct arena *keep, const struct plan_slot *s, bool window,
		      struct plan_reg_round *round, struct plan_reg_slot *r)
{
	unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter, i = 0;
	const struct cat_reg *row = window ? NULL : cat_reg_find(s->box, CAT_OVF_CTL, 0, counter);
	struct plan_bits *c;
	struct reg reg;

	r->clear = PLAN_NONE;
	if (!row)
		return;
	reg = cat_reg_address(s->box, row, s->unit, row->first);
	while (i < round->n_clear && !reg_equal(round->clear[i].reg, reg))
		i++;
	c = i < round->n_clear ? &round->clear[i] : ARENA_ADD(keep, round->clear, round->n_clear);
	c->reg = reg;
	cat_reg_name(row, s->unit, row->first, c->name, sizeof(c->name));
	r->clear = (uint16_t)i;
	r->ovf_clear = BIT(s->counter < 0 ? s->box->fixed_box_bit : counter - row->first);
	c->bits |= r->ovf_clear;
}

/* window: counts until the slot's counter ends an overflow window, 0: it does not. */
static void add_slot(struct pendings *p, const struct plan_slot *s, uint64_t window,
		      struct plan_reg_slot *r)
{
	const struct cat_selection *c = s->selection;
	const struct cat_box *b = c->box;
	bool fixed = s->counter < 0;
	unsigned counter = fixed ? 0 : (unsigned)s->counter, n;
	const struct cat_reg *row = cat_reg_find(b, fixed ? CAT_FIXED_CTL : CAT_CTL, 0, counter),
		*enable;
	struct cat_field_value values[CAT_FIELD_VALUES];
	struct pending *e;
	uint64_t ctl;

	r->counter = (uint16_t)counter_index(p->cpu, s);
	n = cat_encode(c, s->encoding, counter, &ctl, values);
	enable = write_enable_of(s, values, n);
	if (enable)
		depend(r, pending_add_row(p, PHASE_STOP, c, enable, values[0].index, 0,
					  enable->write_enable), enable->write_enable);
	for (unsigned i = 0; i < n; i++) {
		e = pending_add_row(p, PHASE_SELECT, c, values[i].row, values[i].index,
				    values[i].value, values[i].mask);
		depend(r, e, values[i].mask);
		e->has_write_enable = enable && values[i].row != enable;
		if (e->has_write_enable)
			e->write_enable = cat_reg_address(b, enable, s->unit, values[0].index);
	}
	if (window) {
		add_preload(p, s, counter, window, r);
		ctl |= fixed ? b->fixed_overflow : b->ctl_overflow;
	}
	e = pending_add_row(p, PHASE_ENABLE_COUNTER, c, row, counter, ctl, ~UINT64_C(0));
	e->counter = r->counter;
	/* what reads back as it was written: fields that are documented and do not just act */
	e->check = cat_fields_mask(row->fields, row->n_fields, BIT(CAT_FIELD));
	depend(r, e, e->mask);
	add_box_enable(p, s, r);

	r->data = cat_reg_address(b, cat_reg_find(b, fixed ? CAT_FIXED_CTR : CAT_CTR, 0, counter),
				  s->unit, counter);
}

/* The last write of all, on which every slot depends. */
static void add_global_enable(struct pendings *p, bool window, struct plan_reg_round *round)
{
	const struct cat_global *g = p->cpu->global;
	uint64_t also = window ? g->overflow_stops | g->overflow_interrupts : 0;
	struct pending *e;

	if (!g->name)
		return;
	e = pending_add(p, PHASE_ENABLE_GLOBAL, (unsigned[3]){ 0 }, g->ctl,
			g->enable | (also & g->overflow_stops), g->enable | g->reset | also);
	e->check = (g->pulse ? 0 : g->enable) | also;
	snprintf(e->name, sizeof(e->name), "%s", g->name);
	for (unsigned i = 0; i < round->n_slots; i++)
		depend(&round->slots[i], e, e->mask);
}

/* Makes a write of the list, and notes in the table what it does to its register. */
static struct plan_write add_write(struct arena *a, struct plan_program *program,
				   const struct pending *e)
{
	uint16_t row = lower_reg(a, program, e->reg, e->kind, e->name);
	uint16_t write_enable = e->has_write_enable ?
		lower_reg(a, program, e->write_enable, REG_WRITE_ENABLE, NULL) : PLAN_NONE;
	struct plan_reg *r = &program->regs[row];

	r->mask |= e->mask;
	r->check |= e->check & e->mask;
	if (e->counter != PLAN_NONE)
		r->counter = e->counter;
	if (write_enable != PLAN_NONE)
		r->write_enable = write_enable;
	return (struct plan_write){ .reg = row, .phase = (uint8_t)e->order[0], .mask = e->mask,
				    .value = e->value };
}

/* Sorts the writes into the start list, and renumbers what the slots depend on. */
static void sort_writes(struct arena *keep, struct pendings *p, struct plan_program *program,
			struct plan_reg_round *round)
{
	uint16_t *new_index = arena_alloc(p->work, p->n, sizeof(*new_index));

	qsort(p->v, p->n, sizeof(*p->v), pending_compare);
	round->start.v = arena_alloc(keep, p->n, sizeof(*round->start.v));
	round->start.n = p->n;
	for (unsigned i = 0; i < p->n; i++) {
		round->start.v[i] = add_write(keep, program, &p->v[i]);
		new_index[p->v[i].number] = (uint16_t)i;
	}
	for (unsigned i = 0; i < round->n_slots; i++)
		for (unsigned d = 0; d < round->slots[i].n_dep; d++)
			round->slots[i].dep[d].write = new_index[round->slots[i].dep[d].write];
}

static void lower_round(const struct schedule *sc, const struct cat_processor *cpu,
			const struct plan_round *r, struct plan_program *program,
			struct plan_reg_round *round)
{
	struct pendings p = { .work = sc->work, .cpu = cpu };
	unsigned k = 0;

	round->n_slots = r->n_reg;
	round->slots = arena_alloc(sc->keep, r->n_reg, sizeof(*round->slots));
	if (!r->n_reg)
		return;
	for (unsigned i = 0; i < r->n_slots; i++) {
		uint64_t window = r->overflow_window.slot == i ? r->overflow_window.count : 0;

		if (r->slots[i].engine != PLAN_REGISTERS)
			continue;
		add_slot(&p, &r->slots[i], window, &round->slots[k]);
		add_clear(sc->keep, &r->slots[i], window, round, &round->slots[k++]);
	}
	add_global_enable(&p, r->overflow_window.count, round);
	sort_writes(sc->keep, &p, program, round);
}

static void add_counter(struct arena *a, const struct cat_processor *cpu, const struct cat_box *b,
			unsigned unit, int counter, struct plan_program *program)
{
	bool fixed = counter < 0;
	unsigned index = fixed ? 0 : (unsigned)counter, bit;
	const struct cat_reg *box = box_ctl_row(b, counter, &bit);
	struct plan_counter *ret = ARENA_ADD(a, program->counters, program->n_counters);
	enum cat_role role = fixed ? CAT_FIXED_CTL : CAT_CTL;
	struct reg ctl = cat_reg_address(b, cat_reg_find(b, role, 0, index), unit, index);

	*ret = (struct plan_counter){ .ctl = lower_reg(a, program, ctl, REG_OTHERS, NULL),
				      .box = PLAN_NONE,
				      .global = PLAN_NONE, .ctl_enable = cat_ctl_enable(b, fixed) };
	program->regs[ret->ctl].counter = (uint16_t)(program->n_counters - 1);
	ret->data = cat_reg_address(b, cat_reg_find(b, fixed ? CAT_FIXED_CTR : CAT_CTR, 0, index),
				    unit, index);
	ret->global_enable = cpu->global->pulse ? 0 : cpu->global->enable;
	if (b->global_also) {
		ret->global_enable |= cpu->global->box_enable;
	} else if (box) {
		ret->box = lower_reg(a, program, cat_reg_address(b, box, unit, box->first),
				     REG_OTHERS, NULL);
		ret->box_enable = b->box_freeze ? 0 : BIT(bit);
		ret->box_freeze = b->box_freeze;
	}
	if (ret->global_enable)
		ret->global = lower_reg(a, program, cpu->global->ctl, REG_OTHERS, NULL);
	if (fixed)
		snprintf(ret->name, sizeof(ret->name), "%s%u fixed counter", b->name, unit);
	else
		snprintf(ret->name, sizeof(ret->name), "%s%u counter %d", b->name, unit, counter);
}

static void lower_counters(struct arena *a, const struct cat_processor *p,
			   struct plan_program *program)
{
	for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b))
		for (unsigned unit = 0; unit < b->n_units; unit++)
			for (int c = 0; c < b->n_counters + b->has_fixed; c++)
				add_counter(a, p, b, unit, c == b->n_counters ? -1 : c, program);
}

static void add_device(struct arena *a, struct plan_program *program, uint8_t dev, uint8_t fn,
		       uint16_t id)
{
	for (unsigned i = 0; i < program->n_devices; i++)
		if (program->devices[i].dev == dev && program->devices[i].fn == fn)
			return;
	*ARENA_ADD(a, program->devices, program->n_devices) = (struct plan_device){ dev, fn, id };
}

/* Every PCI function that has a register of some box: the state of all counters is looked at. */
static void lower_devices(struct arena *a, const struct cat_processor *p,
			  struct plan_program *program)
{
	program->anchor = p->anchor;
	for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b)) {
		if (b->space != SPACE_PCI)
			continue;
		for (unsigned u = 0; u < b->n_units; u++)
			for (unsigned i = 0; i < b->n_regs; i++) {
				uint8_t bank = b->regs[i].bank;

				add_device(a, program, b->units[u].dev[bank], b->units[u].fn[bank],
					   b->units[u].id[bank]);
			}
	}
}

void lower_processor(struct arena *a, const struct cat_processor *p, struct plan_program *program)
{
	lower_counters(a, p, program);
	lower_devices(a, p, program);
}

void lower_regs(const struct schedule *sc, const struct cat_processor *p,
		const struct plan_round *rounds, unsigned n_rounds,
		bool freezes, struct plan_program *program)
{
	program->n_rounds = n_rounds;
	program->rounds = arena_alloc(sc->keep, n_rounds, sizeof(*program->rounds));
	if (!p)
		return;
	program->freezes = freezes;
	for (unsigned i = 0; i < n_rounds; i++)
		lower_round(sc, p, &rounds[i], program, &program->rounds[i]);
	lower_processor(sc->keep, p, program);
	for (unsigned i = 0; i < n_rounds; i++)
		if (rounds[i].n_reg)
			lower_lists(sc->keep, p, &rounds[i], program, &program->rounds[i]);
	program->restore.v = arena_alloc(sc->keep, 2UL * program->n_regs,
					 sizeof(*program->restore.v));
	program->restore.n = plan_restore_list(program->regs, program->n_regs, program->counters,
					       program->restore.v);
}
