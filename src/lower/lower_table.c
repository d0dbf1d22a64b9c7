/* SPDX-License-Identifier: MIT
 * The table of a program's registers, and what follows from it alone.
 * Owns:  one row for each register, the kind of a register that has several.
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
