/* counting_regs_found.c - the registers as they are found, and which of their values are ours.
 *
 * Owns:  the saved registers: what stood there, which bits we change, all values that we leave in them.
 * Never: a write; what follows from it: refusing (counting_regs_new.c), restoring (counting_regs_restore.c).
 * Looking around: main thread. The questions that begin with saved_: any thread.
 */
#include "config.h"

#include "access/regs.h"

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

/* Every register that some round writes: ours. */
static int look_at_writes(struct counting_regs *c, struct err *err)
{
	const struct plan_program *p = c->program;

	for (unsigned i = 0; i < p->n_rounds; i++)
		for (unsigned k = 0; k < p->rounds[i].n_writes; k++) {
			const struct plan_write *w = &p->rounds[i].writes[k];
			uint8_t kind = kind_of(w);
			int s = look(c, w->reg, kind, err);

			c->rounds[i].saved_of[k] = s;
			if (s < -1)
				return s;
			if (s == -1 && kind == SAVED_GLOBAL)
				return err_set(err, -ENODEV, "socket %u: %s, which enables all counters, cannot be read: "
					       "this machine has no such uncore", p->socket, w->name);
			if (s == -1)
				continue;
			c->mine[s] = true;
			c->saved[s].mask |= w->mask;
			c->saved[s].check |= w->check & w->mask;
			if (c->saved[s].kind < kind)
				c->saved[s].kind = kind;
		}
	return 0;
}

/* A filter switch is written twice in a round: opened in the first phase, then closed over the new filters. */
static void note_gates(struct counting_regs *c)
{
	for (unsigned i = 0; i < c->program->n_rounds; i++) {
		const struct plan_reground *rd = &c->program->rounds[i];
		const int *saved_of = c->rounds[i].saved_of;

		for (unsigned k = 0; k < rd->n_writes && rd->writes[k].phase == PHASE_STOP; k++)
			for (unsigned w = k + 1; w < rd->n_writes && saved_of[k] >= 0; w++)
				if (saved_of[w] == saved_of[k] && c->saved[saved_of[k]].kind == SAVED_PLAIN)
					c->saved[saved_of[k]].kind = SAVED_GATE;
	}
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

/* The same as the last one found, mostly: what counters share, they share with their neighbours. */
static int look_shared(struct counting_regs *c, struct reg r, int *last, struct err *err)
{
	if (*last < 0 || !reg_equal(c->saved[*last].reg, r))
		*last = look(c, r, SAVED_SEEN, err);
	return *last;
}

/* The enables of every counter, ours or not. */
static int look_at_counters(struct counting_regs *c, struct err *err)
{
	const struct plan_program *p = c->program;
	int box = -1, global = -1;

	for (unsigned i = 0; i < p->n_counters; i++) {
		const struct plan_counter *k = &p->counters[i];
		int e = look(c, k->ctl, SAVED_SEEN, err);

		if (e >= -1 && (k->box_enable || k->box_freeze))
			e = look_shared(c, k->box, &box, err);
		if (e >= -1 && k->global_enable)
			e = look_shared(c, k->global, &global, err);
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

/* Every value that the registers take while the rounds take turns: each writes its own bits only, the second
 * turn finds those of the last round where the first found somebody else's. */
static int collect_ours(struct counting_regs *c, struct err *err)
{
	const struct plan_program *p = c->program;
	uint64_t *now = calloc(c->n_saved + 1UL, sizeof(*now));

	if (!now)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(now, c->present, c->n_saved * sizeof(*now));
	for (unsigned i = 0; i < 2 * p->n_rounds; i++) {
		const struct plan_reground *rd = &p->rounds[i % p->n_rounds];

		for (unsigned k = 0; k < rd->n_writes; k++) {
			const struct plan_write *w = &rd->writes[k];
			int s = c->rounds[i % p->n_rounds].saved_of[k];

			if (s < 0)
				continue;
			now[s] = (now[s] & ~w->mask) | (w->value & w->mask);
			add_ours(&c->saved[s], now[s]);
		}
	}
	free(now);
	return 0;
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
	for (unsigned i = 0; i < c->program->n_rounds; i++)     /* what we could not read may be known from before */
		for (unsigned k = 0; k < c->program->rounds[i].n_writes; k++)
			if (c->rounds[i].saved_of[k] < 0)
				c->rounds[i].saved_of[k] = saved_find(c->saved, c->n_saved, c->program->rounds[i].writes[k].reg);
}

/* Room was made for every register that might differ; a counter's are mostly among those that are written. */
static void fit_saved(struct counting_regs *c)
{
	struct saved_reg *fit = realloc(c->saved, (c->n_saved + 1UL) * sizeof(*fit));

	if (fit)
		c->saved = fit;
}

int regs_look_around(struct counting_regs *c, const struct counting_regs *old, struct err *err)
{
	int r = look_at_writes(c, err);

	if (r == 0)
		r = look_at_counters(c, err);
	if (r < 0)
		return r;
	note_gates(c);
	note_windows(c);
	if (old)
		inherit(c, old);
	fit_saved(c);
	return collect_ours(c, err);
}
