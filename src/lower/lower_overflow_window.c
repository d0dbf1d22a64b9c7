/* SPDX-License-Identifier: MIT
 * The registers that show the overflow which ends an overflow window.
 * Owns:  the chain from a counter's overflow to the socket's status, and where it is cleared.
 * Never: which counters can end a window (planner/windows.c); values of the writes that every
 * counter needs (lower_regs.c).
 * Pure; main thread.
 */
#include "lower/lower.h"

#include <string.h>

const struct cat_overflow *lower_overflow(const struct cat_processor *p, const struct cat_box *b,
					  unsigned unit, int counter)
{
	for (unsigned i = 0; p->overflows && i < p->overflows->n; i++) {
		const struct cat_overflow *o = &p->overflows->v[i];
		bool covers = counter < 0 ? !o->count : counter >= o->first &&
			counter - o->first < o->count;

		if (covers && o->unit == unit && strcmp(o->box, b->name) == 0)
			return o;
	}
	return NULL;
}

static struct plan_bits bits_of(const struct cat_box *b, const struct cat_reg *row, unsigned unit,
				uint64_t bits)
{
	struct plan_bits ret = { .reg = cat_reg_address(b, row, unit, row->first), .bits = bits };

	cat_reg_name(row, unit, row->first, ret.name, sizeof(ret.name));
	return ret;
}

/* The box with the socket's own registers; catalog_check() in tests/ ensures that there is one. */
static const struct cat_box *global_box(const struct cat_processor *p)
{
	unsigned i = 0;

	while (!cat_reg_find(p->boxes[i], CAT_GLOBAL_STATUS, 0, 0))
		i++;
	return p->boxes[i];
}

/* Where a status is cleared: its overflow control, or itself. */
static const struct cat_reg *clears(const struct cat_reg *status, const struct cat_reg *ovf)
{
	if (ovf)
		return ovf;
	return status->access == CAT_W1C ? status : NULL;
}

static void acknowledge(struct arena *a, struct plan_program *program, struct plan_list *l,
			const struct plan_bits *bits)
{
	uint16_t row = lower_reg(a, program, bits->reg, REG_ACKNOWLEDGE, bits->name);

	program->regs[row].mask |= bits->bits;
	l->v[l->n++] = (struct plan_write){ .reg = row, .mask = bits->bits, .value = bits->bits };
}

/* The chain of statuses from the socket's down to the counter's, and what clears them, from the
 * counter up. */
void lower_overflow_window(struct arena *a, const struct cat_processor *cpu,
			   const struct plan_slot *s, struct plan_program *program,
			   struct plan_overflow *w)
{
	const struct cat_overflow *o = lower_overflow(cpu, s->box, s->unit, s->counter);
	const struct cat_box *top = global_box(cpu);
	const struct cat_reg *row = cat_reg_find(top, CAT_GLOBAL_STATUS, 0, 0),
		*ovf = cat_reg_find(top, CAT_GLOBAL_OVF, 0, 0);
	unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter;
	const struct cat_reg *box_status = cat_reg_find(s->box, CAT_STATUS, 0, counter);
	struct plan_bits clear;

	w->slot = s->engine_slot;
	w->acknowledge.v = arena_alloc(a, 2, sizeof(*w->acknowledge.v));
	w->status[w->n_status++] = bits_of(top, row, 0, o->global | cpu->global->overflow_summary);
	if (o->summary_box) {
		const struct cat_box *sb = cat_box_by_name(cpu, o->summary_box);

		w->status[w->n_status++] = bits_of(sb, cat_reg_find(sb, CAT_SUMMARY, 0, 0),
						   o->summary_unit, o->summary);
	}
	if (box_status && s->counter >= 0) {
		uint64_t bit = BIT(counter - box_status->first);

		w->status[w->n_status++] = bits_of(s->box, box_status, s->unit, bit);
		clear = bits_of(s->box, clears(box_status,
					       cat_reg_find(s->box, CAT_OVF_CTL, 0, counter)),
				s->unit, bit);
		acknowledge(a, program, &w->acknowledge, &clear);
	}
	clear = bits_of(top, clears(row, ovf), 0,
			o->global | cpu->global->overflow_summary | cpu->global->overflow_changed);
	acknowledge(a, program, &w->acknowledge, &clear);
}
