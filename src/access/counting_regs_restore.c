/* counting_regs_restore.c - registers back to how they were found, by owned bits.
 *
 * Owns:  which bits go back, which value is somebody else's, in which order; the second attempt.
 * Never: a bit that we did not change.
 * Serves the engine and the state file. Main thread.
 */
#include "config.h"

#include "access/regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct restore *in;
	uint64_t *now;              /* of each saved */
	struct mark {
		bool spare;         /* not to be touched: skipped, unreadable, or alien: not a value of ours */
		bool alien;
		bool failed;        /* it could not be read or written */
	} *mark;                    /* of each saved */
	int first;                  /* first error */
};

static void note(struct work *w, unsigned i, int r)
{
	if (r < 0 && w->first == 0)
		w->first = r;
	w->mark[i].failed |= r < 0;
}

static void put(struct work *w, unsigned i, uint64_t value)
{
	int r;

	if (value == w->now[i])
		return;
	r = regio_write_any(w->in->io, w->in->saved[i].reg, value);
	note(w, i, r);
	if (r == 0)
		w->now[i] = value;
}

static const struct plan_counter *counter_of(const struct restore *in, struct reg ctl)
{
	for (unsigned k = 0; k < in->n_counters; k++)
		if (reg_equal(in->counters[k].ctl, ctl))
			return &in->counters[k];
	return NULL;
}

static uint64_t enable_of(const struct restore *in, struct reg ctl)
{
	const struct plan_counter *k = counter_of(in, ctl);

	return k ? k->ctl_enable : 0;
}

static bool is_ours(const struct restore *in, unsigned i, uint64_t now)
{
	const struct saved_reg *s = &in->saved[i];
	uint64_t enable = s->kind == SAVED_CTL ? enable_of(in, s->reg) : 0;

	return saved_is_ours(s, enable, now) ||
	       (in->ref && in->has_ref[i] && ((now ^ in->ref[i]) & s->check & ~enable) == 0);
}

static void leave(const struct restore *in, unsigned i, uint64_t now)
{
	const struct plan_counter *k = counter_of(in, in->saved[i].reg);
	char addr[REG_TEXT];

	reg_format(in->saved[i].reg, addr, sizeof(addr));
	if (in->left)
		diags_add(in->left, (struct where){ NULL, 0 }, "socket %u: register %s%s%s%s holds 0x%" PRIx64
			  ", which uncored did not write: it is left as it is", in->socket, addr, k ? " (" : "",
			  k ? k->name : "", k ? ")" : "", now);
}

/* Read everything; whole-value registers that hold no value of ours are somebody's. */
static void look(struct work *w)
{
	const struct restore *in = w->in;

	for (unsigned i = 0; i < in->n_saved; i++) {
		const struct saved_reg *s = &in->saved[i];
		bool whole = s->kind == SAVED_PLAIN || s->kind == SAVED_CTL || s->kind == SAVED_GATE;
		int r = s->kind == SAVED_CLEAR ? 0 : regio_read_any(in->io, s->reg, &w->now[i]);

		w->mark[i] = (struct mark){ .spare = s->kind == SAVED_SEEN || (in->skip && in->skip[i]) };
		w->now[i] |= s->go;             /* stopped by an overflow of ours: who is judged by it, is as if it were not */
		if (r < 0) {
			if (!w->mark[i].spare)
				note(w, i, r);
			w->mark[i].spare = true;
			w->now[i] = s->found;
		} else if (!w->mark[i].spare && whole && !is_ours(in, i, w->now[i])) {
			w->mark[i].spare = w->mark[i].alien = true;
		}
	}
}

/* Is a counter going that is not ours? */
static bool is_used(const struct work *w, const struct plan_counter *c)
{
	const struct restore *in = w->in;
	int i = saved_find(in->saved, in->n_saved, c->ctl);

	if (i < 0 || (in->saved[i].mask && !w->mark[i].spare))
		return false;
	return saved_enabled(in->saved, in->n_saved, w->now, c, true) &&
	       !(saved_enabled(in->saved, in->n_saved, NULL, c, false) && w->now[i] == in->saved[i].found);
}

/*
 * others_use - bits of an enable register that keep a counter going that is not ours.
 *
 * Such a counter became enabled since we looked first: its enables were not on then, or its control
 * held something else. One that was merely woken by our global enable goes back to sleep. The kernel's
 * driver sets the global enable when it is loaded, and never again: once it is there, every counter is its.
 */
static uint64_t others_use(const struct work *w, struct reg r)
{
	const struct restore *in = w->in;
	uint64_t bits = 0;

	for (unsigned k = 0; k < in->n_counters; k++) {
		const struct plan_counter *c = &in->counters[k];

		if (!in->driver_came && !is_used(w, c))
			continue;
		if (reg_equal(c->box, r))
			bits |= c->box_enable | c->box_freeze;
		if (reg_equal(c->global, r))
			bits |= c->global_enable;
	}
	return bits;
}

static bool filters_change(const struct work *w)
{
	for (unsigned i = 0; i < w->in->n_saved; i++) {
		const struct saved_reg *s = &w->in->saved[i];

		if (s->kind == SAVED_PLAIN && !w->mark[i].spare && ((w->now[i] ^ s->found) & s->mask))
			return true;
	}
	return false;
}

static void put_kind(struct work *w, uint8_t kind)
{
	for (unsigned i = 0; i < w->in->n_saved; i++) {
		const struct saved_reg *s = &w->in->saved[i];

		if (s->kind == kind && !w->mark[i].spare)
			put(w, i, (w->now[i] & ~s->mask) | (s->found & s->mask));
	}
}

/* Counters off that will not hold what was found in them; filter switches open where a filter changes. */
static void prepare(struct work *w)
{
	bool change = filters_change(w);

	for (unsigned i = 0; i < w->in->n_saved; i++) {
		const struct saved_reg *s = &w->in->saved[i];

		if (s->kind == SAVED_CTL && !w->mark[i].spare && w->now[i] != s->found)
			put(w, i, w->now[i] & ~enable_of(w->in, s->reg));
	}
	for (unsigned i = 0; change && i < w->in->n_saved; i++)
		if (w->in->saved[i].kind == SAVED_GATE && !w->mark[i].spare)
			put(w, i, w->now[i] & ~w->in->saved[i].mask);
}

/* A count that we have preloaded, while nothing counts on it. Whose it is, its control tells: one that was never stopped,
 * or that is somebody's, counts for him. */
static void put_counts(struct work *w)
{
	const struct restore *in = w->in;

	for (unsigned k = 0; k < in->n_counters; k++) {
		const struct plan_counter *c = &in->counters[k];
		int i = saved_find(in->saved, in->n_saved, c->data), ctl = saved_find(in->saved, in->n_saved, c->ctl);

		if (i >= 0 && ctl >= 0 && in->saved[i].kind == SAVED_COUNT)
			w->mark[i].failed |= w->mark[ctl].failed;
		if (i < 0 || ctl < 0 || in->saved[i].kind != SAVED_COUNT || w->mark[i].spare || w->mark[ctl].spare ||
		    (w->now[ctl] == in->saved[ctl].found && w->now[ctl] & c->ctl_enable))
			continue;
		put(w, (unsigned)i, in->saved[i].found);
	}
}

static void put_clears(struct work *w)
{
	for (unsigned i = 0; i < w->in->n_saved; i++)
		if (w->in->saved[i].kind == SAVED_CLEAR && !w->mark[i].spare)
			note(w, i, regio_write_any(w->in->io, w->in->saved[i].reg, w->in->saved[i].mask));
}

/* Shared enables: only bits that we changed, and none that somebody needs by now. A bit that we had cleared
 * (rst_all) is not set again under somebody's counters. */
static void put_enables(struct work *w, uint8_t kind)
{
	for (unsigned i = 0; i < w->in->n_saved; i++) {
		const struct saved_reg *s = &w->in->saved[i];
		uint64_t used, bits = s->mask, was = w->now[i];

		if (s->kind != kind || w->mark[i].spare)
			continue;
		used = others_use(w, s->reg);
		bits &= ~used;
		if (used && kind == SAVED_GLOBAL)
			bits &= ~(s->found & ~was);
		if (s->go)
			w->now[i] = ~w->now[i]; /* what it holds is not known: written in any case */
		put(w, i, (was & ~bits) | (s->found & bits));
	}
}

static void restore_once(struct work *w)
{
	w->first = 0;
	look(w);
	prepare(w);
	put_kind(w, SAVED_PLAIN);
	put_kind(w, SAVED_GATE);
	put_counts(w);
	put_kind(w, SAVED_CTL);
	put_clears(w);
	put_enables(w, SAVED_BOX);
	put_enables(w, SAVED_GLOBAL);
}

int restore_socket(const struct restore *in)
{
	struct work w = { .in = in, .first = -ENOMEM };

	w.now = calloc(in->n_saved + 1, sizeof(*w.now));
	w.mark = calloc(in->n_saved + 1, sizeof(*w.mark));
	if (w.now && w.mark) {
		restore_once(&w);
		if (w.first < 0)                /* what went back holds what was found, and is not written again */
			restore_once(&w);
		for (unsigned i = 0; i < in->n_saved; i++) {
			if (w.mark[i].alien)
				leave(in, i, w.now[i]);
			if (in->done && !in->skip[i] && !w.mark[i].failed)
				in->done[i] = true;
		}
	}
	free(w.now);
	free(w.mark);
	return w.first;
}
