/* SPDX-License-Identifier: MIT
 * What is written after the start of a round: freeze, stop, between overflow windows.
 * Owns:  these lists, each in the order in which it is executed.
 * Never: the start (lower_regs.c); whether a register still holds what a list expects (access/).
 * Pure; main thread.
 */
#include "lower/lower.h"

/* The writes that stop all our counters at once, and resume them; false: one write cannot do that.
 * It is the socket-wide enable, or, where there is none, the box enables that a processor with one
 * box has in one register. */
static bool freeze_of(const struct cat_processor *cpu, const struct plan_program *program,
		      const struct plan_reg_round *round,
		      struct plan_write *freeze, struct plan_write *resume)
{
	const struct cat_global *g = cpu->global;
	/* the shared enable comes last */
	const struct plan_write *last = &round->start.v[round->start.n - 1];
	uint64_t check = program->regs[last->reg].check & last->mask;

	*freeze = (struct plan_write){ .reg = last->reg, .phase = PHASE_STOP };
	if (g->name) {
		freeze->mask = g->enable | g->freeze;
		freeze->value = g->freeze;
	} else if (cpu->n_boxes == 1 && last->phase == PHASE_ENABLE_BOX) {
		freeze->mask = check;
	}
	*resume = *freeze;
	resume->phase = last->phase;
	resume->value = g->name ? g->enable : last->value & check;
	return freeze->mask;
}

/* Local enables off, then the box enables of the same counters. */
static void stop_list(struct arena *a, const struct plan_program *program,
		      struct plan_reg_round *round)
{
	struct plan_list *l = &round->stop;

	l->v = arena_alloc(a, round->start.n, sizeof(*l->v));
	for (unsigned i = 0; i < round->start.n; i++) {
		const struct plan_write *w = &round->start.v[i];
		const struct plan_reg *r = &program->regs[w->reg];
		uint64_t bits = 0;

		if (w->phase == PHASE_ENABLE_COUNTER)
			bits = program->counters[r->counter].ctl_enable;
		for (unsigned k = 0; k < round->n_slots && w->phase == PHASE_ENABLE_BOX; k++) {
			const struct plan_counter *c = &program->counters[round->slots[k].counter];

			bits |= c->box == w->reg ? c->box_enable : 0;
		}
		if (bits)
			l->v[l->n++] = (struct plan_write){ .reg = w->reg, .phase = PHASE_STOP,
							    .mask = bits };
	}
}

static const struct plan_write *preload_of(const struct plan_reg_round *round)
{
	const struct plan_write *w = round->start.v;

	while (w->phase != PHASE_PRELOAD)
		w++;
	return w;
}

/* The acknowledgement, and n writes after it. */
static struct plan_list acknowledge_then(struct arena *a, const struct plan_overflow *w,
					 const struct plan_write *then, unsigned n)
{
	struct plan_list l = { arena_alloc(a, w->acknowledge.n + n, sizeof(*l.v)), 0 };

	for (; l.n < w->acknowledge.n; l.n++)
		l.v[l.n] = w->acknowledge.v[l.n];
	for (unsigned i = 0; i < n; i++)
		l.v[l.n++] = then[i];
	return l;
}

/* After the last window the shared control gets back what was found in the bits that only windows
 * write; counting stays enabled. */
static void overflow_lists(struct arena *a, const struct cat_global *g,
			   struct plan_program *program,
			   struct plan_reg_round *round, const struct plan_write *resume)
{
	struct plan_overflow *w = &round->overflow;
	const struct plan_write begin[] = { *preload_of(round), *resume };
	struct plan_write go_on = *resume;

	w->between = acknowledge_then(a, w, begin, 2);
	w->preload = w->acknowledge.n;
	w->resume = w->preload + 1;
	go_on.found = g->overflow_stops | g->overflow_interrupts;
	go_on.mask |= go_on.found;
	w->leave = acknowledge_then(a, w, &go_on, 1);
	w->go_on = w->acknowledge.n;
	w->shared = round->start.n - 1;
	program->regs[resume->reg].resume = resume->value;
	program->overflows = true;
}

void lower_lists(struct arena *a, const struct cat_processor *cpu, const struct plan_round *r,
		 struct plan_program *program, struct plan_reg_round *round)
{
	const struct plan_overflow_window *w = &r->overflow_window;
	struct plan_list *freeze = w->count ? &round->overflow.freeze : &round->freeze;
	struct plan_write v[2];
	bool can = freeze_of(cpu, program, round, &v[FREEZE_STOP], &v[FREEZE_RESUME]);

	if (w->count)
		lower_overflow_window(a, cpu, &r->slots[w->slot], program, &round->overflow);
	stop_list(a, program, round);
	if (can && (program->freezes || w->count)) {
		freeze->n = w->count ? 1 : 2;
		freeze->v = arena_copy(a, v, freeze->n, sizeof(*v));
	}
	if (w->count)
		overflow_lists(a, cpu->global, program, round, &v[FREEZE_RESUME]);
}
