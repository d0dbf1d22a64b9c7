/* SPDX-License-Identifier: MIT
 * A round lowered: the register program and the perf events of a socket.
 *
 * Owns:  phases, the merging of shared registers, which writes a slot depends on; which CPUs count
 *        for a PMU.
 * Never: files, clocks; which group wants what.
 * Pure; main thread.
 */
#ifndef LOWER_LOWER_H
#define LOWER_LOWER_H

#include "base/texts.h"
#include "plan/program.h"
#include "schedule/schedule.h"

/* ---- lower_regs.c, lower_lists.c, lower_overflow_window.c, lower_table.c */

/* The register program of a socket's rounds; p NULL: one without registers. freezes: see there. */
void lower_regs(const struct schedule *sc, const struct cat_processor *p,
		const struct plan_round *rounds, unsigned n_rounds,
		bool freezes, struct plan_program *program);
/* The row of a register in the program's table; a new one if it has none yet. name: the manual's,
 * or NULL. */
uint16_t lower_reg(struct arena *a, struct plan_program *p, struct reg reg, enum reg_kind kind,
		   const char *name);
/* Every list of a round besides its start; the program's counters and the start's registers are in
 * their tables. */
void lower_lists(struct arena *a, const struct cat_processor *cpu, const struct plan_round *r,
		 struct plan_program *program, struct plan_reg_round *round);
/* The registers that report the overflow of a slot's counter, and the writes that clear them. */
void lower_overflow_window(struct arena *a, const struct cat_processor *cpu,
			   const struct plan_slot *s, struct plan_program *program,
			   struct plan_overflow *w);
/* How an overflow of the counter is summarised above its box; NULL: unknown. */
const struct cat_overflow *lower_overflow(const struct cat_processor *p, const struct cat_box *b,
					  unsigned unit, int counter);
/* The value from which a counter overflows after so many counts. */
static inline uint64_t window_preload(unsigned width, uint64_t count)
{
	return (UINT64_C(0) - count) & bits_mask(width - 1, 0);
}

/* What a processor alone says of every program: its counters, what enables them, and the devices
 * that have their registers. */
void lower_processor(struct arena *a, const struct cat_processor *p, struct plan_program *program);

/* ---- lower_perf.c */

/* Whose masks a socket's plan has already. */
struct lower_masks {
	unsigned *of_pmu;               /* of each PMU of the machine: place in the plan's
					 * masks + 1; 0: not there yet */
	const struct topo_pmu *newest;  /* that of the last one; NULL: there is none */
};

/* Indexes of a round's slots: those of a group, in the order written. */
struct lower_slots { unsigned *v; unsigned n; };
/* A perf event of a group, and the parts of a socket's plan to which its slots are added. */
struct lower_into {
	struct schedule *sc;
	const struct topo_socket *t;
	struct sched_item *item;
	struct plan_perf_program *prog;
	struct lower_masks *masks;
	struct plan_round *round;
	struct plan_perf_round *perf;
	struct texts *identities;       /* of the round's perf slots: index + 1 of each */
	struct lower_slots *slots;      /* of the group */
};
/* Adds the slots of the item. */
void lower_perf(const struct lower_into *to);
/* Which events of a finished round the kernel is to count together. */
void lower_perf_together(struct arena *work, struct plan_perf_round *perf,
			 const struct plan_round *r, const struct plan_group *groups,
			 unsigned round);

/* ---- perf_facts.c */

/* Sets the highest rate of a slot; max_inc or max_hz 0: it is not known. */
void slot_set_max_rate(struct plan_slot *s, unsigned max_inc, uint64_t max_hz);
/* Is the event a clock, can it stand still, and how fast can it count? row: perf_row()'s; event: as
 * resolved on one instance. */
void perf_facts(const struct schedule *sc, const struct cat_perf_event *row,
		const struct spec_pmu *event, struct plan_slot *s);

#endif
