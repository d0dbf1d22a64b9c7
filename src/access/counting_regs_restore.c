/* SPDX-License-Identifier: MIT
 * Registers back to how they were found, by owned bits.
 * Owns:  which bits go back, which value is somebody else's, in which order; the second attempt.
 * Never: a bit that we did not change.
 * Serves the engine and the state file. Main thread.
 */
#include "access/regs.h"

#include <inttypes.h>
#include <stdlib.h>

static void note_error(struct restore *w, struct saved_reg *s, int r)
{
	if (r < 0 && w->first == 0)
		w->first = r;
	s->failed |= r < 0;
}

static void write_value(struct restore *w, struct saved_reg *s, uint64_t value)
{
	int r;

	if (value == s->now)
		return;
	r = regio_write_any(w->io, s->r.reg, value);
	note_error(w, s, r);
	if (r == 0)
		s->now = value;
}

/* Whose control or count it is; NULL: nobody's. */
static const struct plan_counter *counter_of(const struct restore *w, const struct saved_reg *s)
{
	return s->r.counter == PLAN_NONE ? NULL : &w->counters[s->r.counter];
}

static bool is_ours(const struct restore *w, const struct saved_reg *s)
{
	const struct plan_counter *k = counter_of(w, s);
	uint64_t enable = s->r.kind == REG_CONTROL && k ? k->ctl_enable : 0;

	return saved_is_ours(s, enable, s->now) ||
	       (s->has_readback && ((s->now ^ s->readback) & s->r.check & ~enable) == 0);
}

static void report_left(const struct restore *w, const struct saved_reg *s)
{
	const struct plan_counter *k = counter_of(w, s);

	if (w->left)
		diags_add(w->left, (struct where){ NULL, 0 },
			  "socket %u: register %s%s%s%s holds 0x%" PRIx64
			  ", which uncored did not write, so it was left alone", w->socket,
			  reg_text(s->r.reg).s, k ? " (" : "", k ? k->name : "", k ? ")" : "",
			  s->now);
}

/* Reads everything; whole-value registers that hold no value of ours belong to other programs. */
static void read_all(struct restore *w)
{
	for (struct saved_reg *s = w->saved; s < w->saved + w->n_saved; s++) {
		bool whole = s->r.kind == REG_FILTER || s->r.kind == REG_CONTROL ||
			s->r.kind == REG_WRITE_ENABLE;
		int r;

		s->skipped = s->excluded || s->r.kind == REG_OTHERS || s->r.kind == REG_HIDDEN;
		s->foreign = s->failed = false;
		if (s->r.kind == REG_ACKNOWLEDGE || s->r.kind == REG_HIDDEN)
			continue;
		r = regio_read_any(w->io, s->r.reg, &s->now);
		s->now |= s->r.resume;          /* as if no overflow of ours had stopped it */
		if (r < 0) {
			if (!s->skipped)
				note_error(w, s, r);
			s->skipped = true;
			s->now = s->found;
		} else if (!s->skipped && whole && !is_ours(w, s)) {
			s->skipped = s->foreign = true;
		}
	}
}

/* Is it a counter of somebody else that counts now? */
static bool is_used(const struct restore *w, const struct plan_counter *c)
{
	const struct saved_reg *saved = w->saved, *s = &saved[c->ctl];

	return c->ctl != PLAN_NONE && (!s->r.mask || s->skipped) &&
	       saved_enabled(saved, true, c, true) &&
	       !(saved_enabled(saved, false, c, false) && s->now == s->found);
}

/*
 * bits_in_use - bits of an enable register that counters of others need.
 *
 * Such a counter was enabled after counting_regs_new(): its enables were off then, or its control
 * held another value. A counter that only our global enable has started is stopped again. The
 * kernel's driver sets the global enable once, when it is loaded: from then on every counter is the
 * driver's.
 */
static uint64_t bits_in_use(const struct restore *w, uint16_t row)
{
	uint64_t bits = 0;

	for (unsigned k = 0; k < w->n_counters; k++) {
		const struct plan_counter *c = &w->counters[k];

		if (!w->late_driver && !is_used(w, c))
			continue;
		if (c->box == row)
			bits |= c->box_enable | c->box_freeze;
		if (c->global == row)
			bits |= c->global_enable;
	}
	return bits;
}

/* Does a filter change that this write enable may protect? */
static bool filters_change(const struct restore *w, uint16_t row)
{
	for (const struct saved_reg *s = w->saved; s < w->saved + w->n_saved; s++)
		if (s->r.kind == REG_FILTER && !s->skipped && ((s->now ^ s->found) & s->r.mask) &&
		    (s->r.write_enable == row || s->r.write_enable == PLAN_NONE))
			return true;
	return false;
}

/* May a count that we have preloaded be restored? Only while its counter does not run, which its
 * control shows. */
static bool can_restore_count(const struct restore *w, struct saved_reg *s)
{
	const struct plan_counter *c = counter_of(w, s);
	const struct saved_reg *ctl = c && c->ctl != PLAN_NONE ? &w->saved[c->ctl] : NULL;

	if (!ctl)
		return false;
	s->failed |= ctl->failed;
	return !s->skipped && !ctl->skipped &&
	       !(ctl->now == ctl->found && (ctl->now & c->ctl_enable));
}

/* Shared enables: only bits that we changed, without those that others need now. A bit that we had
 * cleared (rst_all) is not set while others count. */
static void restore_enables(struct restore *w, struct saved_reg *s, const struct plan_write *x)
{
	uint64_t was = s->now, used = bits_in_use(w, x->reg), bits = x->mask & ~used;

	if (used && s->r.kind == REG_GLOBAL)
		bits &= ~(s->found & ~was);
	if (s->r.resume)
		s->now = ~s->now;       /* what it holds is not known: written in any case */
	write_value(w, s, (was & ~bits) | ((x->value | (s->found & x->found)) & bits));
}

/* One write of the list, where there is something to put back. */
static void execute_write(struct restore *w, const struct plan_write *x)
{
	struct saved_reg *s = &w->saved[x->reg];
	bool opens = x->phase == PHASE_STOP;

	if (s->r.kind == REG_COUNT && !can_restore_count(w, s))
		return;
	if (s->skipped ||
	    (opens && (s->r.kind == REG_CONTROL ? s->now == s->found : !filters_change(w, x->reg))))
		return;
	if (s->r.kind == REG_ACKNOWLEDGE)
		note_error(w, s, regio_write_any(w->io, s->r.reg, x->value));
	else if (s->r.kind == REG_BOX || s->r.kind == REG_GLOBAL)
		restore_enables(w, s, x);
	else
		write_value(w, s, (s->now & ~x->mask) | x->value | (s->found & x->found));
}

static void restore_pass(struct restore *w, const struct plan_list *l)
{
	w->first = 0;
	read_all(w);
	for (unsigned i = 0; i < l->n; i++)
		execute_write(w, &l->v[i]);
}

/* The list of a table that no program has. */
static int make_list(const struct restore *w, struct plan_list *ret)
{
	struct plan_reg *regs = calloc(w->n_saved + 1UL, sizeof(*regs));

	ret->v = calloc(2UL * w->n_saved + 1, sizeof(*ret->v));
	for (unsigned i = 0; regs && i < w->n_saved; i++)
		regs[i] = w->saved[i].r;
	if (regs && ret->v)
		ret->n = plan_restore_list(regs, w->n_saved, w->counters, ret->v);
	free(regs);
	return regs && ret->v ? 0 : -ENOMEM;
}

int restore_socket(struct restore *w)
{
	struct plan_list made = { 0 };
	const struct plan_list *l = w->list ? w->list : &made;

	w->first = w->list ? 0 : make_list(w, &made);
	if (w->first == 0) {
		restore_pass(w, l);
		if (w->first < 0)               /* what went back holds what was found, and is not
		                                 * written again */
			restore_pass(w, l);
		for (struct saved_reg *s = w->saved; s < w->saved + w->n_saved; s++) {
			if (s->foreign)
				report_left(w, s);
			s->restored |= !s->excluded && !s->failed;
		}
	}
	free(made.v);
	return w->first;
}
