/* SPDX-License-Identifier: MIT
 * The table of a program's registers, and what follows from it alone.
 * Owns:  one row for each register, the kind of a register that has several; how a table goes back.
 * Never: what is written to a register (lower_regs.c, lower_lists.c, lower_overflow_window.c).
 * Pure; main thread.
 */
#include "lower/lower.h"

uint16_t lower_reg(struct arena *a, struct plan_program *p, struct reg reg, enum reg_kind kind,
		   const char *name)
{
	struct plan_reg *r;
	unsigned i = 0;

	while (i < p->n_regs && !reg_equal(p->regs[i].reg, reg))
		i++;
	if (i == p->n_regs) {
		*ARENA_ADD(a, p->regs, p->n_regs) = (struct plan_reg){
			.reg = reg, .kind = (uint8_t)kind, .counter = PLAN_NONE,
			.write_enable = PLAN_NONE };
	}
	r = &p->regs[i];
	if (kind != REG_OTHERS && kind > r->kind)
		r->kind = (uint8_t)kind;
	if (name && !r->name)
		r->name = arena_text(a, name);
	return (uint16_t)i;
}

unsigned plan_restore_list(const struct plan_reg *regs, unsigned n,
			   const struct plan_counter *counters, struct plan_write *list)
{
	static const struct { uint8_t kind, phase; } steps[] = {
		{ REG_CONTROL, PHASE_STOP }, { REG_WRITE_ENABLE, PHASE_STOP },
		{ REG_FILTER, PHASE_SELECT }, { REG_WRITE_ENABLE, PHASE_SELECT },
		{ REG_COUNT, PHASE_PRELOAD },
		{ REG_CONTROL, PHASE_ENABLE_COUNTER }, { REG_ACKNOWLEDGE, PHASE_ENABLE_COUNTER },
		{ REG_BOX, PHASE_ENABLE_BOX }, { REG_GLOBAL, PHASE_ENABLE_GLOBAL },
	};
	unsigned made = 0;

	for (unsigned k = 0; k < COUNT(steps); k++)
		for (unsigned i = 0; i < n; i++) {
			struct plan_write w = { .reg = (uint16_t)i, .phase = steps[k].phase,
						.mask = regs[i].mask };

			if (regs[i].kind != steps[k].kind)
				continue;
			if (w.phase == PHASE_STOP && regs[i].kind == REG_CONTROL)
				w.mask = regs[i].counter == PLAN_NONE ? 0 :
					 counters[regs[i].counter].ctl_enable;
			if (regs[i].kind == REG_ACKNOWLEDGE)
				w.value = w.mask;
			else if (w.phase != PHASE_STOP)
				/* nobody could find it set */
				w.value = regs[i].resume & ~regs[i].check;
			if (w.phase != PHASE_STOP)
				w.found = w.mask & ~w.value;
			list[made++] = w;
		}
	return made;
}
