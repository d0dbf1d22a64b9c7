/* SPDX-License-Identifier: MIT
 * What follows from a program's shape alone: what its phases are called, how its table goes back.
 * Never: what is written to a register (lower/).
 * Pure; any thread; allocates nothing.
 */
#include "plan/program.h"

#include "base/bits.h"

const char *plan_phase_name(enum plan_phase p)
{
	static const char *const names[] = {
		[PHASE_STOP] = "stop", [PHASE_SELECT] = "select", [PHASE_PRELOAD] = "preload",
		[PHASE_ENABLE_COUNTER] = "enable_counter", [PHASE_ENABLE_BOX] = "enable_box",
		[PHASE_ENABLE_GLOBAL] = "enable_global",
	};

	return names[p];
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
