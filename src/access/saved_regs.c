/* SPDX-License-Identifier: MIT
 * Questions about registers with the values that were found and written there.
 * Owns:  which row a register is, whose a value is, which counters count by the values, a
 *        register's name.
 * Never: reads or writes a register.
 * Any thread.
 */
#include "access/regs.h"

#include <stdio.h>

struct saved_reg *saved_find(struct saved_reg *saved, unsigned n, struct reg r)
{
	for (unsigned i = 0; i < n; i++)
		if (reg_equal(saved[i].r.reg, r))
			return &saved[i];
	return NULL;
}

/* Is it this value, running or stopped? */
static bool saved_equals(const struct saved_reg *s, uint64_t value, uint64_t enable, uint64_t now)
{
	return !((now ^ value) & s->r.check) || !((now ^ (value & ~enable)) & s->r.check);
}

bool saved_is_ours(const struct saved_reg *s, uint64_t enable, uint64_t now)
{
	bool ours = saved_equals(s, s->found, enable, now);

	for (unsigned i = 0; i < s->n_ours && !ours; i++)
		ours = saved_equals(s, s->ours[i], enable, now);
	return ours;
}

/* All bits of `set` set, all of `clear` clear; none of either: true. */
static bool saved_has(const struct saved_reg *saved, bool now, uint16_t row, uint64_t set,
		      uint64_t clear)
{
	const struct saved_reg *s = &saved[row];

	return (set | clear) == 0 || (row != PLAN_NONE && s->r.kind != REG_HIDDEN &&
				      ((now ? s->now : s->found) & (set | clear)) == set);
}

bool saved_enabled(const struct saved_reg *saved, bool now, const struct plan_counter *k,
		   bool with_shared)
{
	return saved_has(saved, now, k->ctl, k->ctl_enable, 0) &&
	       saved_has(saved, now, k->box, k->box_enable, with_shared ? k->box_freeze : 0) &&
	       (!with_shared || saved_has(saved, now, k->global, k->global_enable, 0));
}

char *regs_name(const struct plan_program *p, const struct plan_reg *r, char *buf, size_t n)
{
	const char *name = r->name;

	if (!name && r->counter != PLAN_NONE)
		name = p->counters[r->counter].name;
	if (name)
		snprintf(buf, n, "%s (%s)", name, reg_text(r->reg).s);
	else
		snprintf(buf, n, "%s", reg_text(r->reg).s);
	return buf;
}
