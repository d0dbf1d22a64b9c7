/* counting_regs_found.c - the registers as they are found, and which of their values are ours.
 *
 * Owns:  the saved registers: what stood there, which bits we change, all values that we leave in them.
 * Never: a write; what follows from it: refusing (counting_regs_new.c), restoring (counting_regs_restore.c).
 * Looking around: main thread. The questions that begin with saved_: any thread.
 */
#include "config.h"

#include "access/regs.h"

#include <string.h>

struct saved_reg *saved_same(struct saved_reg *saved, unsigned n, struct reg r)
{
	for (unsigned i = 0; i < n; i++)
		if (reg_equal(saved[i].r.reg, r))
			return &saved[i];
	return NULL;
}

bool saved_is_ours(const struct saved_reg *s, uint64_t enable, uint64_t now)
{
	if (((now ^ s->found) & s->r.check) == 0 || ((now ^ (s->found & ~enable)) & s->r.check) == 0)
		return true;
	for (unsigned i = 0; i < s->n_ours; i++)
		if (((now ^ s->ours[i]) & s->r.check) == 0 || ((now ^ (s->ours[i] & ~enable)) & s->r.check) == 0)
			return true;
	return false;
}

/* All bits of `set` set, all of `clear` clear; none of either: true. */
static bool saved_has(const struct saved_reg *saved, bool now, uint16_t row, uint64_t set, uint64_t clear)
{
	const struct saved_reg *s = &saved[row];

	return (set | clear) == 0 ||
	       (row != PLAN_NONE && s->r.kind != REG_HIDDEN && ((now ? s->now : s->found) & (set | clear)) == set);
}

bool saved_enabled(const struct saved_reg *saved, bool now, const struct plan_counter *k, bool with_shared)
{
	return saved_has(saved, now, k->ctl, k->ctl_enable, 0) &&
	       saved_has(saved, now, k->box, k->box_enable, with_shared ? k->box_freeze : 0) &&
	       (!with_shared || saved_has(saved, now, k->global, k->global_enable, 0));
}

char *regs_name(const struct plan_program *p, const struct plan_reg *r, char *buf, size_t n)
{
	const char *name = r->name ? r->name : r->counter != PLAN_NONE ? p->counters[r->counter].name : NULL;
	char addr[REG_TEXT];

	reg_format(r->reg, addr, sizeof(addr));
	snprintf(buf, n, name ? "%s (%s)" : "%s%s", name ? name : "", addr);
	return buf;
}

/* ------------------------------------------------------------------ what is there */

/* Its present value. There may be no such register here, but one that enables all counters there must be. */
static int look(const struct counting_regs *c, struct saved_reg *s, struct err *err)
{
	char name[NAME_TEXT];
	int r = regio_read_any(c->io, s->r.reg, &s->now);

	if (r == -EIO && s->r.kind == REG_GLOBAL)
		return err_set(err, -ENODEV, "socket %u: %s, which enables all counters, cannot be read: this machine has no such "
			       "uncore", c->program->socket, s->r.name);
	if (r < 0 && r != -EIO)
		return err_set(err, r, "socket %u: reading %s failed: %s", c->program->socket,
			       regs_name(c->program, &s->r, name, sizeof(name)), strerror(-r));
	if (r == -EIO)
		s->r.kind = REG_HIDDEN;
	s->owned = r == 0 && s->r.kind != REG_OTHERS;
	s->found = s->now;
	return 0;
}

static int look_at_table(struct counting_regs *c, struct err *err)
{
	for (unsigned i = 0; i < c->program->n_regs; i++) {
		struct saved_reg *s = &c->saved[c->n_saved++];
		int r = 0;

		*s = (struct saved_reg){ .r = c->program->regs[i] };
		if (s->r.kind != REG_ACKNOWLEDGE)
			r = look(c, s, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Overflows are acknowledged, except those of a counter that is hidden: what acknowledges them is hidden, too. */
static void own_acknowledges(struct counting_regs *c)
{
	for (unsigned i = 0; i < c->program->n_rounds; i++) {
		const struct plan_overflow *o = &c->program->rounds[i].overflow;

		for (unsigned k = 0; k < o->acknowledge.n; k++)
			c->saved[o->acknowledge.v[k].reg].owned |= c->saved[plan_preload(o)->reg].r.kind != REG_HIDDEN;
	}
}

static void add_ours(struct saved_reg *s, uint64_t v)
{
	for (unsigned i = 0; i < s->n_ours; i++)
		if (((s->ours[i] ^ v) & s->r.check) == 0)
			return;
	if (s->n_ours < SAVED_VALUES)
		s->ours[s->n_ours++] = v & s->r.mask;
}

/* Every value that the registers take while the rounds take turns: each writes its own bits only, the second
 * turn finds those of the last round where the first found somebody else's. */
static void collect_ours(struct counting_regs *c)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < c->n_saved; i++)
		c->saved[i].readback = c->saved[i].now;
	for (unsigned i = 0; i < 2 * p->n_rounds; i++) {
		const struct plan_list *l = &p->rounds[i % p->n_rounds].start;

		for (const struct plan_write *w = l->v; w < l->v + l->n; w++) {
			struct saved_reg *s = &c->saved[w->reg];

			s->readback = (s->readback & ~w->mask) | w->value;
			if (s->r.kind != REG_HIDDEN)
				add_ours(s, s->readback);
		}
	}
}

/* One register of both engines. */
static void merge(struct saved_reg *s, const struct saved_reg *old)
{
	s->found = old->found;
	s->r.mask |= old->r.mask;
	s->r.check |= old->r.check;
	s->r.resume |= old->r.resume;
	if (s->r.kind == REG_FILTER)
		s->r.kind = old->r.kind;
	for (unsigned v = 0; v < old->n_ours; v++)
		add_ours(s, old->ours[v]);
}

/* What the engine before us owns and we do not: its own to put back, but the state file must know it all the same. */
static void borrow(struct saved_reg *s, const struct saved_reg *old, uint64_t now)
{
	*s = *old;
	s->now = now;
	s->owned = s->restored = s->has_readback = false;
}

/* What the engine before us has changed is not how we found it. What we could not read it may know. */
static void inherit(struct counting_regs *c, const struct counting_regs *old)
{
	for (unsigned k = 0; k < old->n_saved; k++) {
		const struct saved_reg *o = &old->saved[k];
		struct saved_reg *s = saved_same(c->saved, c->n_saved, o->r.reg);

		if (!s && o->owned)
			borrow(&c->saved[c->n_saved++], o, o->found);
		else if (s && o->owned && s->r.kind == REG_HIDDEN)
			borrow(s, o, o->found);
		else if (s && o->owned && s->owned)
			merge(s, o);
		else if (s && o->owned)
			borrow(s, o, s->now);
		else if (s && !s->owned && s->r.kind != REG_HIDDEN && o->r.kind != REG_HIDDEN)
			s->found = o->found;
	}
}

int regs_look_around(struct counting_regs *c, const struct counting_regs *old, struct err *err)
{
	int r = look_at_table(c, err);

	if (r < 0)
		return r;
	own_acknowledges(c);
	if (old)
		inherit(c, old);
	collect_ours(c);
	return 0;
}
