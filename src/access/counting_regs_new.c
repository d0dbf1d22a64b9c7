/* counting_regs_new.c - the register engine before it runs: looking at the registers, refusing, set-up.
 *
 * Owns:  what was found, whose a counter is.
 * Never: a write.
 * Main thread.
 */
#include "config.h"

#include "access/regs.h"

#include "base/bits.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int saved_find(const struct saved_reg *saved, unsigned n, struct reg r)
{
	for (unsigned i = 0; i < n; i++)
		if (reg_equal(saved[i].reg, r))
			return (int)i;
	return -1;
}

bool saved_is_ours(const struct saved_reg *s, uint64_t enable, uint64_t now)
{
	if (((now ^ s->found) & s->check) == 0 || ((now ^ (s->found & ~enable)) & s->check) == 0)
		return true;
	for (unsigned i = 0; i < s->n_ours; i++)
		if (((now ^ s->ours[i]) & s->check) == 0 || ((now ^ (s->ours[i] & ~enable)) & s->check) == 0)
			return true;
	return false;
}

/* All bits of `set` set, all of `clear` clear; none of either: true. */
static bool saved_has(const struct saved_reg *saved, unsigned n, const uint64_t *values, struct reg r, uint64_t set,
		      uint64_t clear)
{
	int i = set | clear ? saved_find(saved, n, r) : -1;

	return (set | clear) == 0 || (i >= 0 && ((values ? values[i] : saved[i].found) & (set | clear)) == set);
}

bool saved_enabled(const struct saved_reg *saved, unsigned n, const uint64_t *values, const struct plan_counter *k,
		   bool with_shared)
{
	return saved_has(saved, n, values, k->ctl, k->ctl_enable, 0) &&
	       saved_has(saved, n, values, k->box, k->box_enable, with_shared ? k->box_freeze : 0) &&
	       (!with_shared || saved_has(saved, n, values, k->global, k->global_enable, 0));
}

char *regs_name(const struct plan_program *p, struct reg r, char *buf, size_t n)
{
	char addr[REG_TEXT];

	reg_format(r, addr, sizeof(addr));
	for (unsigned i = 0; i < p->n_rounds; i++)
		for (unsigned w = 0; w < p->rounds[i].n_writes; w++)
			if (reg_equal(p->rounds[i].writes[w].reg, r)) {
				snprintf(buf, n, "%s (%s)", p->rounds[i].writes[w].name, addr);
				return buf;
			}
	for (unsigned i = 0; i < p->n_counters; i++)
		if (reg_equal(p->counters[i].ctl, r)) {
			snprintf(buf, n, "%s (%s)", p->counters[i].name, addr);
			return buf;
		}
	snprintf(buf, n, "%s", addr);
	return buf;
}

/* ------------------------------------------------------------------ what is there */

/*
 * look - one more register, with its present value.
 *
 * Returns its index, -1 if it cannot be read because there is no such register here, or an -errno below -1.
 */
static int look(struct counting_regs *c, struct reg r, uint8_t kind, struct err *err)
{
	int i = saved_find(c->saved, c->n_saved, r);
	char name[NAME_TEXT];
	uint64_t v;
	int e;

	if (i >= 0)
		return i;
	e = regio_read_any(c->io, r, &v);
	if (e == -EIO)
		return -1;
	if (e < 0)
		return err_set(err, e, "socket %u: reading %s failed: %s", c->program->socket,
			       regs_name(c->program, r, name, sizeof(name)), strerror(-e));
	c->saved[c->n_saved] = (struct saved_reg){ .reg = r, .kind = kind, .found = v };
	c->present[c->n_saved] = v;
	return (int)c->n_saved++;
}

static uint8_t kind_of(const struct plan_write *w)
{
	switch (w->phase) {
	case PHASE_PRELOAD:
		return SAVED_COUNT;
	case PHASE_ENABLE_COUNTER:
		return SAVED_CTL;
	case PHASE_ENABLE_BOX:
		return SAVED_BOX;
	case PHASE_ENABLE_GLOBAL:
		return SAVED_GLOBAL;
	default:
		return SAVED_PLAIN;
	}
}

/* A filter switch is written twice in a round: opened, then closed over the new filters. */
static bool is_gate(const struct plan_reground *rd, struct reg r)
{
	unsigned n = 0;

	for (unsigned w = 0; w < rd->n_writes; w++)
		n += reg_equal(rd->writes[w].reg, r);
	return n > 1;
}

/* Every register that some round writes: ours. */
static int look_at_writes(struct counting_regs *c, struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_rounds; i++)
		for (unsigned k = 0; k < p->rounds[i].n_writes; k++) {
			const struct plan_write *w = &p->rounds[i].writes[k];
			uint8_t kind = kind_of(w);
			int s = look(c, w->reg, kind, err);

			if (s < -1)
				return s;
			if (s == -1 && kind == SAVED_GLOBAL)
				return err_set(err, -EIO, "socket %u: %s, which enables all counters, cannot be read: "
					       "this machine has no such uncore", p->socket, w->name);
			if (s == -1)
				continue;
			c->mine[s] = true;
			c->saved[s].mask |= w->mask;
			c->saved[s].check |= w->check & w->mask;
			if (c->saved[s].kind < kind)
				c->saved[s].kind = kind;
		}
	for (unsigned s = 0; s < c->n_saved; s++)
		for (unsigned i = 0; i < p->n_rounds && c->saved[s].kind == SAVED_PLAIN; i++)
			if (is_gate(&p->rounds[i], c->saved[s].reg))
				c->saved[s].kind = SAVED_GATE;
	return 0;
}

/* What windows change besides: overflow bits, which are only ever cleared, and what an overflow does to the shared control. */
static void note_windows(struct counting_regs *c)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_rounds; i++) {
		const struct plan_regwindow *w = &p->rounds[i].window;
		const struct plan_freeze *f = &p->rounds[i].freeze;
		int g = saved_find(c->saved, c->n_saved, f->reg);

		if (!w->n_seen || saved_find(c->saved, c->n_saved, p->rounds[i].slots[w->slot].data) < 0)
			continue;
		c->saved[g].go = f->go;
		c->saved[g].found |= f->go & ~f->seen;          /* what does not read back was not stopped when we came */
		for (unsigned k = 0; k < w->n_clear; k++) {
			int s = saved_find(c->saved, c->n_saved, w->clear[k].reg);

			if (s < 0) {
				s = (int)c->n_saved++;
				c->saved[s] = (struct saved_reg){ .reg = w->clear[k].reg, .kind = SAVED_CLEAR };
			}
			c->saved[s].mask |= w->clear[k].bits;
			c->mine[s] = true;
		}
	}
}

/* The enables of every counter, ours or not. */
static int look_at_counters(struct counting_regs *c, struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];
		int e = look(c, k->ctl, SAVED_SEEN, err);

		if (e >= -1 && (k->box_enable || k->box_freeze))
			e = look(c, k->box, SAVED_SEEN, err);
		if (e >= -1 && k->global_enable)
			e = look(c, k->global, SAVED_SEEN, err);
		if (e < -1)
			return e;
	}
	return 0;
}

static void add_ours(struct saved_reg *s, uint64_t v)
{
	for (unsigned i = 0; i < s->n_ours; i++)
		if (((s->ours[i] ^ v) & s->check) == 0)
			return;
	if (s->n_ours < SAVED_VALUES)
		s->ours[s->n_ours++] = v & s->mask;
}

/* Every value that the register takes while the rounds take turns: each writes its own bits only, the second
 * turn finds those of the last round where the first found somebody else's. */
static void collect_ours(struct saved_reg *s, uint64_t present, const struct plan_program *p)
{
	uint64_t v = present;

	for (unsigned i = 0; i < 2 * p->n_rounds; i++) {
		const struct plan_reground *rd = &p->rounds[i % p->n_rounds];

		for (unsigned k = 0; k < rd->n_writes; k++)
			if (reg_equal(rd->writes[k].reg, s->reg)) {
				v = (v & ~rd->writes[k].mask) | (rd->writes[k].value & rd->writes[k].mask);
				add_ours(s, v);
			}
	}
}

/* One register of both engines. */
static void merge(struct saved_reg *s, const struct saved_reg *old)
{
	s->found = old->found;
	s->mask |= old->mask;
	s->check |= old->check;
	s->go |= old->go;
	if (s->kind == SAVED_PLAIN)
		s->kind = old->kind;
	for (unsigned v = 0; v < old->n_ours; v++)
		add_ours(s, old->ours[v]);
}

/* What the engine before us has changed is not how we found it. What it owns and we do not is its own to put
 * back; the state file must know it all the same. */
static void inherit(struct counting_regs *c, const struct counting_regs *old)
{
	for (unsigned k = 0; k < old->n_saved; k++) {
		const struct saved_reg *o = &old->saved[k];
		int i = saved_find(c->saved, c->n_saved, o->reg);

		if (i < 0 && old->mine[k]) {
			c->present[c->n_saved] = o->found;
			c->saved[c->n_saved++] = *o;
		} else if (i >= 0 && c->mine[i] && old->mine[k]) {
			merge(&c->saved[i], o);
		} else if (i >= 0 && !c->mine[i] && old->mine[k]) {
			c->saved[i] = *o;
		} else if (i >= 0 && !c->mine[i]) {
			c->saved[i].found = o->found;
		}
	}
}

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
			e->saved = saved_find(c->saved, c->n_saved, w->reg);
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
	c->saved = calloc(regs, sizeof(*c->saved));
	c->present = calloc(regs, sizeof(*c->present));
	c->ref = calloc(regs, sizeof(*c->ref));
	c->has_ref = calloc(regs, sizeof(*c->has_ref));
	c->mine = calloc(regs, sizeof(*c->mine));
	c->done = calloc(regs, sizeof(*c->done));
	c->needed = calloc(p->n_counters + 1, sizeof(*c->needed));
	c->rounds = calloc(p->n_rounds + 1, sizeof(*c->rounds));
	c->undo = calloc(undo, sizeof(*c->undo));
	return c->saved && c->present && c->ref && c->has_ref && c->mine && c->done && c->needed && c->rounds &&
	       c->undo ? 0 : -ENOMEM;
}

/* Room was made for every register that might differ; a counter's are mostly among those that are written. */
static void fit_saved(struct counting_regs *c)
{
	struct saved_reg *fit = realloc(c->saved, (c->n_saved + 1UL) * sizeof(*fit));

	if (fit)
		c->saved = fit;
}

static int set_up(struct counting_regs *c, const struct counting_regs *old, struct err *err)
{
	int r = look_at_writes(c, err);

	if (r == 0)
		r = look_at_counters(c, err);
	if (r < 0)
		return r;
	note_windows(c);
	if (old)
		inherit(c, old);
	fit_saved(c);
	for (unsigned i = 0; i < c->n_saved; i++)
		collect_ours(&c->saved[i], c->present[i], c->program);
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
	c->round = -1;
	r = alloc(c, before);
	if (r < 0)
		err_set(err, r, "out of memory");
	if (r == 0)
		r = set_up(c, before, err);
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
