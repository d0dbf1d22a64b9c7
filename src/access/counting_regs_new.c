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

/* Does the engine before us use it, whose processor has the same counters? */
static bool owns(const struct counting_regs *old, unsigned counter)
{
	return old && old->saved[old->program->counters[counter].ctl].owned;
}

/* A left-over that only counts because the engine before us set the global enable. */
static bool woken_before(const struct counting_regs *c, const struct plan_counter *k)
{
	return saved_enabled(c->saved, false, k, false) && !saved_enabled(c->saved, false, k, true);
}

static int refuse(const struct counting_regs *c, const struct counting_regs_options *o, const struct counting_regs *old,
		  struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];
		const struct saved_reg *ctl = &c->saved[k->ctl];
		char addr[REG_TEXT];

		if (!saved_enabled(c->saved, true, k, true) || owns(old, i) || woken_before(c, k))
			continue;
		reg_format(ctl->r.reg, addr, sizeof(addr));
		if (c->needed[i] && !o->takeover)
			return err_set(err, -EBUSY, "socket %u: %s, which the configuration needs, is enabled by somebody else "
				       "(control %s = 0x%" PRIx64 "): stop that tool (perf, PCM, LIKWID, VTune ...), or set "
				       "takeover = true", p->socket, k->name, addr, ctl->now);
		if (!c->needed[i] && p->overflows)
			return err_set(err, -EBUSY, "socket %u: the end of a window would stop %s, which somebody else has enabled "
				       "(control %s = 0x%" PRIx64 "): stop that tool, or configure no window", p->socket, k->name,
				       addr, ctl->now);
		if (!c->needed[i] && p->freezes)
			return err_set(err, -EBUSY, "socket %u: freeze would stop %s at each sample, which somebody else has "
				       "enabled (control %s = 0x%" PRIx64 "): stop that tool, or set freeze = false",
				       p->socket, k->name, addr, ctl->now);
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

		if (c->needed[i] || !saved_enabled(c->saved, true, k, false) || saved_enabled(c->saved, true, k, true))
			continue;
		if (used < n)
			used += (size_t)snprintf(names + used, n - used, "%s%s", found ? ", " : "", k->name);
		found++;
	}
	return found;
}

/* ------------------------------------------------------------------ set-up */

/* The distinct registers of the start; entry_at: of each row of the program's table, room for it. */
static void build_entries(struct counting_regs *c, struct regs_round *rd, uint16_t *entry_at)
{
	const struct plan_list *start = &rd->plan->start, *stop = &rd->plan->stop;

	memset(entry_at, 0xff, c->program->n_regs * sizeof(*entry_at));
	for (unsigned k = 0; k < start->n; k++) {
		const struct plan_write *w = &start->v[k];
		const struct plan_reg *r = &c->saved[w->reg].r;
		struct regs_entry *e;

		if (entry_at[w->reg] == PLAN_NONE) {
			entry_at[w->reg] = (uint16_t)rd->n_entries++;
			rd->entries[entry_at[w->reg]] = (struct regs_entry){ .reg = r->reg, .row = w->reg, .kind = r->kind };
		}
		e = &rd->entries[entry_at[w->reg]];
		e->want = (e->want & ~w->mask) | w->value;
		e->check |= c->program->regs[w->reg].check & w->mask;
		e->last = (uint16_t)k;
		rd->entry_of[k] = entry_at[w->reg];
		rd->free_bits[k] = w->mask;
	}
	for (unsigned k = 0; k < stop->n; k++)
		rd->entry_of[start->n + k] = entry_at[stop->v[k].reg];
}

static void build_deps(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_regslot *p = &rd->plan->slots[i];
		struct regs_slot *s = &rd->slots[i];

		c->needed[p->counter] = true;
		s->data = p->data;
		for (unsigned d = 0; d < p->n_dep; d++) {
			uint16_t entry = rd->entry_of[p->dep[d].write];
			unsigned k = 0;

			rd->free_bits[p->dep[d].write] &= ~p->dep[d].bits;
			while (k < s->n_dep && s->dep[k].entry != entry)
				k++;
			if (k == s->n_dep)
				s->dep[s->n_dep++] = (struct regs_dep){ .entry = entry };
			s->dep[k].mask |= p->dep[d].bits & rd->entries[entry].check;
		}
	}
}

static int build_round(struct counting_regs *c, struct regs_round *rd, const struct plan_reground *plan, uint16_t *entry_at)
{
	unsigned n = plan->start.n + 1;

	rd->plan = plan;
	rd->entries = calloc(n, sizeof(*rd->entries));
	rd->entry_of = calloc(n + plan->stop.n, sizeof(*rd->entry_of));
	rd->free_bits = calloc(n, sizeof(*rd->free_bits));
	rd->limit = calloc(n, sizeof(*rd->limit));
	rd->slots = calloc(plan->n_slots + 1, sizeof(*rd->slots));
	if (!rd->entries || !rd->entry_of || !rd->free_bits || !rd->limit || !rd->slots)
		return -ENOMEM;
	build_entries(c, rd, entry_at);
	build_deps(c, rd);
	return 0;
}

static int alloc(struct counting_regs *c, const struct counting_regs *old)
{
	const struct plan_program *p = c->program;
	size_t undo = 1;

	for (unsigned i = 0; i < p->n_rounds; i++) {
		size_t n = p->rounds[i].start.n + (size_t)p->rounds[i].n_slots;

		undo = n > undo ? n : undo;
	}
	c->saved = reallocarray(NULL, 1 + p->n_regs + (old ? old->n_saved : 0), sizeof(*c->saved));
	c->needed = calloc(p->n_counters + 1, sizeof(*c->needed));
	c->rounds = calloc(p->n_rounds + 1, sizeof(*c->rounds));
	c->undo = calloc(undo, sizeof(*c->undo));
	return c->saved && c->needed && c->rounds && c->undo ? 0 : -ENOMEM;
}

static int set_up(struct counting_regs *c, struct err *err)
{
	uint16_t *entry_at = calloc(c->program->n_regs + 1UL, sizeof(*entry_at));
	int r = entry_at ? 0 : -ENOMEM;

	for (unsigned i = 0; r == 0 && i < c->program->n_rounds; i++)
		r = build_round(c, &c->rounds[i], &c->program->rounds[i], entry_at);
	free(entry_at);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
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
	c->restore = old ? NULL : &program->restore;
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

struct saved_reg *counting_regs_saved(const struct counting *c, unsigned *ret_n)
{
	*ret_n = regs_of(c)->n_saved;
	return regs_of(c)->saved;
}

struct regio *counting_regs_io(struct counting *c)
{
	return regs_of(c)->io;
}
