/* counting_regs_new.c - the register engine before it runs: refusing, set-up.
 *
 * Owns:  whose a counter is; the engine's memory.
 * Never: a write, a read (counting_regs_found.c).
 * Main thread.
 */
#include "config.h"

#include "access/regs.h"

#include "base/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ whose it is */

static bool owns(const struct counting_regs *c, struct reg r)
{
	int i = c ? saved_find(c->saved, c->n_saved, r) : -1;

	return i >= 0 && c->mine[i];
}

/* A left-over that only counts because the engine before us set the global enable. */
static bool woken_before(const struct counting_regs *c, const struct plan_counter *k)
{
	return saved_enabled(c->saved, c->n_saved, NULL, k, false) && !saved_enabled(c->saved, c->n_saved, NULL, k, true);
}

static int refuse(const struct counting_regs *c, const struct counting_regs_options *o, const struct counting_regs *old,
		  struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];
		char addr[REG_TEXT];

		if (!saved_enabled(c->saved, c->n_saved, c->present, k, true) || owns(old, k->ctl) || woken_before(c, k))
			continue;
		reg_format(k->ctl, addr, sizeof(addr));
		if (c->needed[i] && !o->takeover)
			return err_set(err, -EBUSY, "socket %u: %s, which the configuration needs, is enabled by somebody else "
				       "(control %s = 0x%" PRIx64 "): stop that tool (perf, PCM, LIKWID, VTune ...), or set "
				       "takeover = true", p->socket, k->name, addr,
				       c->present[saved_find(c->saved, c->n_saved, k->ctl)]);
		if (!c->needed[i] && p->windows)
			return err_set(err, -EBUSY, "socket %u: the end of a window would stop %s, which somebody else has enabled "
				       "(control %s = 0x%" PRIx64 "): stop that tool, or configure no window", p->socket, k->name,
				       addr, c->present[saved_find(c->saved, c->n_saved, k->ctl)]);
		if (!c->needed[i] && o->freeze)
			return err_set(err, -EBUSY, "socket %u: freeze would stop %s at each sample, which somebody else has "
				       "enabled (control %s = 0x%" PRIx64 "): stop that tool, or set freeze = false",
				       p->socket, k->name, addr, c->present[saved_find(c->saved, c->n_saved, k->ctl)]);
	}
	return 0;
}

unsigned counting_regs_woken(const struct counting *base, char *names, size_t n)
{
	const struct counting_regs *c = regs_of(base);
	const struct plan_program *p = c->program;
	unsigned found = 0;
	size_t used = 0;

	if (n)
		names[0] = '\0';
	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];

		if (c->needed[i] || !saved_enabled(c->saved, c->n_saved, c->present, k, false) ||
		    saved_enabled(c->saved, c->n_saved, c->present, k, true))
			continue;
		if (used < n)
			used += (size_t)snprintf(names + used, n - used, "%s%s", found ? ", " : "", k->name);
		found++;
	}
	return found;
}

/* ------------------------------------------------------------------ set-up */

uint64_t regs_slot_bits(const struct counting_regs *c, const struct plan_reground *round, const struct plan_regslot *s,
			unsigned d)
{
	const struct plan_counter *k = &c->program->counters[s->counter];
	const struct plan_write *w = &round->writes[s->dep[d]];

	if (w->phase == PHASE_ENABLE_BOX && k->box_enable)
		return k->box_enable & w->mask;
	if (w->phase == PHASE_ENABLE_GLOBAL)
		return (k->global_enable | c->program->global_enable | c->program->global_reset | c->program->global_window) &
		       w->mask;
	return s->bits[d] ? s->bits[d] & w->mask : w->mask;
}

static void build_entries(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->n_writes; k++) {
		const struct plan_write *w = &rd->plan->writes[k];
		struct regs_entry *e;
		unsigned i = 0;

		while (i < rd->n_entries && !reg_equal(rd->entries[i].reg, w->reg))
			i++;
		e = &rd->entries[i];
		if (i == rd->n_entries) {
			rd->n_entries++;
			e->reg = w->reg;
			e->saved = rd->saved_of[k];
			e->kind = e->saved >= 0 ? c->saved[e->saved].kind : SAVED_SEEN;
		}
		e->mask |= w->mask;
		e->want = (e->want & ~w->mask) | (w->value & w->mask);
		e->check = (e->check & ~w->mask) | (w->check & w->mask);
		e->enable |= w->enable;
		e->last = (uint16_t)k;
		rd->entry_of[k] = (uint16_t)i;
		rd->free_bits[k] = w->mask;
	}
}

static void build_deps(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_regslot *p = &rd->plan->slots[i];
		struct regs_slot *s = &rd->slots[i];

		c->needed[p->counter] = true;
		s->data = p->data;
		for (unsigned d = 0; d < p->n_dep; d++) {
			uint64_t bits = regs_slot_bits(c, rd->plan, p, d);
			uint16_t entry = rd->entry_of[p->dep[d]];
			unsigned k = 0;

			rd->free_bits[p->dep[d]] &= ~bits;
			while (k < s->n_dep && s->dep[k].entry != entry)
				k++;
			if (k == s->n_dep)
				s->dep[s->n_dep++] = (struct regs_dep){ .entry = entry };
			s->dep[k].mask |= bits & rd->entries[entry].check;
		}
	}
}

static int build_round(struct counting_regs *c, struct regs_round *rd, const struct plan_reground *plan)
{
	rd->plan = plan;
	rd->entries = calloc(plan->n_writes + 1, sizeof(*rd->entries));
	rd->entry_of = calloc(plan->n_writes + 1, sizeof(*rd->entry_of));
	rd->free_bits = calloc(plan->n_writes + 1, sizeof(*rd->free_bits));
	rd->limit = calloc(plan->n_writes + 1, sizeof(*rd->limit));
	rd->slots = calloc(plan->n_slots + 1, sizeof(*rd->slots));
	if (!rd->entries || !rd->entry_of || !rd->free_bits || !rd->limit || !rd->slots)
		return -ENOMEM;
	build_entries(c, rd);
	build_deps(c, rd);
	return 0;
}

static int alloc(struct counting_regs *c, const struct counting_regs *old)
{
	const struct plan_program *p = c->program;
	size_t regs = 1 + 3 * (size_t)p->n_counters + (old ? old->n_saved : 0), undo = 1;

	for (unsigned i = 0; i < p->n_rounds; i++) {
		size_t n = p->rounds[i].n_writes + (size_t)p->rounds[i].n_slots;

		regs += p->rounds[i].n_writes + COUNT(p->rounds[i].window.clear);
		undo = n > undo ? n : undo;
	}
	c->saved = reallocarray(NULL, regs, sizeof(*c->saved));         /* mostly more than are used: each is written whole */
	c->present = calloc(regs, sizeof(*c->present));
	c->ref = calloc(regs, sizeof(*c->ref));
	c->has_ref = calloc(regs, sizeof(*c->has_ref));
	c->mine = calloc(regs, sizeof(*c->mine));
	c->done = calloc(regs, sizeof(*c->done));
	c->kept = calloc(regs, sizeof(*c->kept));
	c->needed = calloc(p->n_counters + 1, sizeof(*c->needed));
	c->rounds = calloc(p->n_rounds + 1, sizeof(*c->rounds));
	c->undo = calloc(undo, sizeof(*c->undo));
	if (!c->saved || !c->present || !c->ref || !c->has_ref || !c->mine || !c->done || !c->kept || !c->needed || !c->rounds || !c->undo)
		return -ENOMEM;
	for (unsigned i = 0; i < p->n_rounds; i++) {
		c->rounds[i].saved_of = calloc(p->rounds[i].n_writes + 1UL, sizeof(*c->rounds[i].saved_of));
		if (!c->rounds[i].saved_of)
			return -ENOMEM;
	}
	return 0;
}

static int set_up(struct counting_regs *c, struct err *err)
{
	for (unsigned i = 0; i < c->program->n_rounds; i++)
		if (build_round(c, &c->rounds[i], &c->program->rounds[i]) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

int counting_regs_new(const struct plan_program *program, struct regio *io, const struct counting_regs_options *o,
		      struct counting *old, struct counting **ret, struct err *err)
{
	const struct counting_regs *before = old ? regs_of(old) : NULL;
	struct counting_regs *c = calloc(1, sizeof(*c));
	int r;

	if (!c) {
		regio_free(io);
		return err_set(err, -ENOMEM, "out of memory");
	}
	c->base.ops = &counting_regs_ops;
	c->program = program;
	c->io = io;
	c->freeze = o->freeze;
	c->driver_came = o->driver_came;
	c->round = -1;
	r = alloc(c, before);
	if (r < 0)
		err_set(err, r, "out of memory");
	if (r == 0)
		r = regs_look_around(c, before, err);
	if (r == 0)
		r = set_up(c, err);
	if (r == 0)
		r = refuse(c, o, before, err);
	if (r < 0) {
		c->base.ops->free(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}

const struct saved_reg *counting_regs_saved(const struct counting *c, unsigned *ret_n)
{
	*ret_n = regs_of(c)->n_saved;
	return regs_of(c)->saved;
}

struct regio *counting_regs_io(struct counting *c)
{
	return regs_of(c)->io;
}
