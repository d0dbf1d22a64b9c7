/* SPDX-License-Identifier: MIT
 * The register engine before it runs: the registers as they are found, refusing, set-up.
 * Owns:  the table of registers with what stood there and all values that we leave in them; whose a
 *        counter is; the engine's memory.
 * Never: a write.
 * Main thread.
 */
#include "access/regs.h"

#include <inttypes.h>
#include <string.h>

#define REGS_MAX ((size_t)16 << 20)

/* Its present value. There may be no such register here, but one that enables all counters there
 * must be. */
static int read_found(const struct counting_regs *c, struct saved_reg *s, struct err *err)
{
	char name[NAME_TEXT];
	int r = regio_read_any(c->io, s->r.reg, &s->now);

	if (r == -EIO && s->r.kind == REG_GLOBAL)
		return err_set(err, -ENODEV, "socket %u: cannot read %s, which enables all "
			       "counters: this machine does not have that uncore",
			       c->program->socket, s->r.name);
	if (r < 0 && r != -EIO)
		return err_set(err, r, "socket %u: reading %s failed: %s", c->program->socket,
			       regs_name(c->program, &s->r, name, sizeof(name)), strerror(-r));
	if (r == -EIO)
		s->r.kind = REG_HIDDEN;
	s->owned = r == 0 && s->r.kind != REG_OTHERS;
	s->found = s->now;
	return 0;
}

static int read_table(struct counting_regs *c, struct err *err)
{
	for (unsigned i = 0; i < c->program->n_regs; i++) {
		struct saved_reg *s = &c->saved[c->n_saved++];
		int r = 0;

		*s = (struct saved_reg){ .r = c->program->regs[i] };
		if (s->r.kind != REG_ACKNOWLEDGE)
			r = read_found(c, s, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Overflows are acknowledged, except those of a counter that is hidden: what acknowledges them is
 * hidden, too. */
static void own_acknowledges(struct counting_regs *c)
{
	for (unsigned i = 0; i < c->program->n_rounds; i++) {
		const struct plan_overflow *o = &c->program->rounds[i].overflow;

		for (unsigned k = 0; k < o->acknowledge.n; k++)
			if (c->saved[plan_preload(o)->reg].r.kind != REG_HIDDEN)
				c->saved[o->acknowledge.v[k].reg].owned = true;
	}
}

static void add_our_value(struct saved_reg *s, uint64_t v)
{
	for (unsigned i = 0; i < s->n_ours; i++)
		if (((s->ours[i] ^ v) & s->r.check) == 0)
			return;
	if (s->n_ours < SAVED_VALUES)
		s->ours[s->n_ours++] = v & s->r.mask;
}

/* Every value that the registers take while the rounds take turns: each writes its own bits only,
 * the second turn finds those of the last round where the first found somebody else's. */
static void collect_our_values(struct counting_regs *c)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < c->n_saved; i++)
		c->saved[i].readback = c->saved[i].now;
	for (unsigned i = 0; i < 2 * p->n_rounds; i++) {
		const struct plan_list *l = &p->rounds[i % p->n_rounds].start;

		for (unsigned k = 0; k < l->n; k++) {
			const struct plan_write *w = &l->v[k];
			struct saved_reg *s = &c->saved[w->reg];

			s->readback = (s->readback & ~w->mask) | w->value;
			if (s->r.kind != REG_HIDDEN)
				add_our_value(s, s->readback);
		}
	}
}

/* One register of both engines. */
static void merge_reg(struct saved_reg *s, const struct saved_reg *old)
{
	s->found = old->found;
	s->r.mask |= old->r.mask;
	s->r.check |= old->r.check;
	s->r.resume |= old->r.resume;
	if (s->r.kind == REG_FILTER)
		s->r.kind = old->r.kind;
	for (unsigned v = 0; v < old->n_ours; v++)
		add_our_value(s, old->ours[v]);
}

/* What the engine before us owns and we do not: its own to put back, but the state file must know
 * it all the same. */
static void copy_unowned(struct saved_reg *s, const struct saved_reg *old, uint64_t now)
{
	*s = (struct saved_reg){ .r = old->r, .n_ours = old->n_ours, .found = old->found,
				 .now = now };
	memcpy(s->ours, old->ours, sizeof(s->ours));
	s->r.write_enable = PLAN_NONE;  /* a row of its own table */
}

/* A register that we could not read, but the engine before us could, is no hidden one. */
static void take_unread(struct counting_regs *c, const struct counting_regs *old)
{
	for (unsigned k = 0; old && k < old->n_saved; k++) {
		const struct saved_reg *o = &old->saved[k];
		struct saved_reg *s = saved_find(c->saved, c->n_saved, o->r.reg);

		if (!s || s->r.kind != REG_HIDDEN || o->r.kind == REG_HIDDEN)
			continue;
		s->r.kind = c->program->regs[s - c->saved].kind;
		s->owned = s->r.kind != REG_OTHERS;
		s->now = s->found = __atomic_load_n(&o->has_readback, __ATOMIC_ACQUIRE) ?
			__atomic_load_n(&o->readback, __ATOMIC_RELAXED) : o->found;
	}
}

/* What the engine before us has changed is not how we found it. */
static void merge_old(struct counting_regs *c, const struct counting_regs *old)
{
	for (unsigned k = 0; old && k < old->n_saved; k++) {
		const struct saved_reg *o = &old->saved[k];
		struct saved_reg *s = saved_find(c->saved, c->n_saved, o->r.reg);

		if (o->owned && !s)
			copy_unowned(&c->saved[c->n_saved++], o, o->found);
		else if (o->owned && s->owned)
			merge_reg(s, o);
		else if (o->owned)
			copy_unowned(s, o, s->now);
		else if (s && !s->owned && s->r.kind != REG_HIDDEN && o->r.kind != REG_HIDDEN)
			s->found = o->found;
	}
}

/* Does the engine before us use it, whose processor has the same counters? */
static bool old_owns(const struct counting_regs *old, unsigned counter)
{
	return old && old->saved[old->program->counters[counter].ctl].owned;
}

/* A left-over that only counts because the engine before us set the global enable. */
static bool others_started_before(const struct counting_regs *c, const struct plan_counter *k)
{
	return saved_enabled(c->saved, false, k, false) && !saved_enabled(c->saved, false, k, true);
}

/* Why somebody else's counter that is enabled is in the way: the sentence around its name, and what
 * to do. */
static const struct conflict { const char *before, *after, *advice; } needs_it = {
	"", ", which the configuration needs, is in use by another program",
	" (perf, PCM, LIKWID, VTune ...), or set takeover = true",
}, window_stops_it = {
	"ending a window would stop ", ", which another program uses",
	", or configure no window",
}, freeze_stops_it = {
	"freeze = true would stop ", ", which another program uses, at each sample",
	", or set freeze = false",
};

/* Is it enabled, and neither by the engine before us nor by its global enable? */
static bool is_others(const struct counting_regs *c, const struct counting_regs *old, unsigned i)
{
	const struct plan_counter *k = &c->program->counters[i];

	return saved_enabled(c->saved, true, k, true) && !old_owns(old, i) &&
	       !others_started_before(c, k);
}

/* Its control is not ours: neither written nor restored. */
static void leave_counter(struct counting_regs *c, unsigned i)
{
	uint16_t ctl = c->program->counters[i].ctl;

	c->saved[ctl].r.kind = REG_OTHERS;
	c->saved[ctl].owned = false;
	for (unsigned r = 0; r < c->program->n_rounds; r++)
		for (unsigned e = 0; e < c->rounds[r].n_entries; e++)
			if (c->rounds[r].entries[e].row == ctl)
				c->rounds[r].entries[e].kind = REG_OTHERS;
}

static void leave_others(struct counting_regs *c, const struct counting_regs *old)
{
	for (unsigned i = 0; i < c->program->n_counters; i++)
		if (c->needed[i] && is_others(c, old, i))
			leave_counter(c, i);
}

/* NULL: it is not. */
static const struct conflict *why_in_the_way(const struct counting_regs *c,
					     const struct counting_regs_options *o, unsigned i)
{
	if (c->needed[i] && o->takeover)
		return NULL;
	if (c->needed[i] && !o->leave)
		return &needs_it;
	if (c->program->overflows)
		return &window_stops_it;
	return c->program->freezes ? &freeze_stops_it : NULL;
}

static int check_others(const struct counting_regs *c, const struct counting_regs_options *o,
		  const struct counting_regs *old, struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];
		const struct saved_reg *ctl = &c->saved[k->ctl];
		const struct conflict *why = why_in_the_way(c, o, i);

		if (why && is_others(c, old, i))
			return err_set(err, -EBUSY, "socket %u: %s%s%s (control %s = 0x%" PRIx64
				       "): stop that program%s", p->socket, why->before, k->name,
				       why->after, reg_text(ctl->r.reg).s, ctl->now, why->advice);
	}
	return 0;
}

unsigned counting_regs_others_started(const struct counting *base, char *names, size_t n)
{
	const struct counting_regs *c = regs_of(base);
	const struct plan_program *p = c->program;
	unsigned found = 0;
	size_t used = 0;

	if (n)
		names[0] = '\0';
	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];

		if (c->needed[i] || !saved_enabled(c->saved, true, k, false) ||
		    saved_enabled(c->saved, true, k, true))
			continue;
		if (used < n)
			used += (size_t)snprintf(names + used, n - used, "%s%s", found ? ", " : "",
						 k->name);
		found++;
	}
	return found;
}

/* The distinct registers of the start; who needs which counter; of each write what belongs to no
 * slot. */
static void build_round(struct counting_regs *c, struct regs_round *rd)
{
	const struct plan_list *start = &rd->plan->start, *stop = &rd->plan->stop;
	uint16_t *entry_at = c->entry_at;

	memset(entry_at, 0xff, c->program->n_regs * sizeof(*entry_at));
	for (unsigned k = 0; k < start->n; k++) {
		const struct plan_write *w = &start->v[k];
		const struct plan_reg *r = &c->saved[w->reg].r;
		struct regs_entry *e;

		if (entry_at[w->reg] == PLAN_NONE) {
			entry_at[w->reg] = (uint16_t)rd->n_entries++;
			rd->entries[entry_at[w->reg]] = (struct regs_entry){ .reg = r->reg,
									     .row = w->reg,
									     .kind = r->kind };
		}
		e = &rd->entries[entry_at[w->reg]];
		e->expected = (e->expected & ~w->mask) | w->value;
		e->check |= c->program->regs[w->reg].check & w->mask;
		e->last = (uint16_t)k;
		rd->entry_of[k] = entry_at[w->reg];
		rd->unclaimed_bits[k] = w->mask;
	}
	for (unsigned k = 0; k < stop->n; k++)
		rd->entry_of[start->n + k] = entry_at[stop->v[k].reg];
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_reg_slot *p = &rd->plan->slots[i];

		c->needed[p->counter] = true;
		rd->slots[i].plan = p;
		rd->slots[i].data = p->data;
		for (unsigned d = 0; d < p->n_dep; d++)
			rd->unclaimed_bits[p->dep[d].write] &= ~p->dep[d].bits;
	}
}

/* Memory for everything; undo: for the largest round. */
static int allocate(struct counting_regs *c, const struct counting_regs *old, struct err *err)
{
	const struct plan_program *p = c->program;
	size_t undo = 1;

	c->saved = arena_alloc(c->arena, p->n_regs + (old ? old->n_saved : 0), sizeof(*c->saved));
	c->entry_at = arena_alloc(c->arena, p->n_regs, sizeof(*c->entry_at));
	c->needed = arena_alloc(c->arena, p->n_counters, sizeof(*c->needed));
	c->rounds = arena_alloc(c->arena, p->n_rounds, sizeof(*c->rounds));
	for (unsigned i = 0; c->rounds && i < p->n_rounds; i++) {
		const struct plan_reg_round *plan = &p->rounds[i];
		unsigned n = plan->start.n;

		c->rounds[i] = (struct regs_round){
			.plan = plan, .entries = arena_alloc(c->arena, n,
							     sizeof(struct regs_entry)),
			.entry_of = arena_alloc(c->arena, n + plan->stop.n, sizeof(uint16_t)),
			.unclaimed_bits = arena_alloc(c->arena, n, sizeof(uint64_t)),
			.write_mask = arena_alloc(c->arena, n, sizeof(uint64_t)),
			.slots = arena_alloc(c->arena, plan->n_slots, sizeof(struct regs_slot)),
		};
		undo = n + plan->n_slots > undo ? n + plan->n_slots : undo;
	}
	c->undo = arena_alloc(c->arena, undo, sizeof(*c->undo));
	/* the last one: none fails alone */
	return c->undo ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* The list for a table that also holds registers of an engine before us. */
static int list_all(struct counting_regs *c, struct err *err)
{
	struct plan_reg *regs = arena_alloc(c->arena, c->n_saved, sizeof(*regs));
	struct plan_write *v = arena_alloc(c->arena, 2UL * c->n_saved, sizeof(*v));

	if (!regs || !v)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < c->n_saved; i++)
		regs[i] = c->saved[i].r;
	c->restore.v = v;
	c->restore.n = plan_restore_list(regs, c->n_saved, c->program->counters, v);
	return 0;
}

/* All but the memory of the engine itself. */
static int set_up(struct counting_regs *c, const struct counting_regs_options *o,
		  const struct counting_regs *before, struct err *err)
{
	int r = allocate(c, before, err);

	if (r < 0)
		return r;
	r = read_table(c, err);
	if (r < 0)
		return r;
	take_unread(c, before);
	own_acknowledges(c);
	merge_old(c, before);
	collect_our_values(c);
	for (unsigned i = 0; i < c->program->n_rounds; i++)
		build_round(c, &c->rounds[i]);
	r = check_others(c, o, before, err);
	if (r < 0)
		return r;
	if (o->leave && !o->takeover)
		leave_others(c, before);
	return before ? list_all(c, err) : 0;
}

int counting_regs_new(const struct plan_program *program, struct regio *io,
		      const struct counting_regs_options *o,
		      struct counting *old, struct counting **ret, struct err *err)
{
	const struct counting_regs *before = old ? regs_of(old) : NULL;
	struct arena *arena = arena_new(REGS_MAX, NULL);
	struct counting_regs *c = arena ? arena_alloc(arena, 1, sizeof(*c)) : NULL;
	int r;

	if (!c) {
		arena_free(arena);
		regio_free(io);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*c = (struct counting_regs){ .base.ops = &counting_regs_ops, .arena = arena,
				     .program = program, .io = io,
				     .restore = program->restore,
				     .late_driver = o->late_driver };
	r = set_up(c, o, before, err);
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
