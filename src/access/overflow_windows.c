/* SPDX-License-Identifier: MIT
 * The register engine where the hardware ends windows: see overflow_windows in counting.h.
 * Owns:  the order of what happens between two windows (323535-001 2.1.3, 2.1.4; 329468-002
 *        2.2.2.1).
 * Never: which box or processor it is: registers and bits come lowered; how a round is started,
 * read and stopped.
 * The socket's sampler thread. Allocates nothing.
 */
#include "access/regs.h"

static struct overflow_windows *windows_of(const struct counting *c)
{
	return (struct overflow_windows *)(uintptr_t)c;
}

/* The running round if it has overflow windows, else NULL. */
static struct regs_round *windowed_round(const struct overflow_windows *w)
{
	struct regs_round *rd = regs_of(w->regs)->current;

	return rd && rd->plan->overflow.n_status ? rd : NULL;
}

/* What the round knows of the control that all counters share. */
static struct regs_entry *shared_entry(const struct regs_round *rd)
{
	return &rd->entries[rd->entry_of[rd->plan->overflow.shared]];
}

/* Has the window's counter overflowed? From the socket's status down: 1, 0, or -errno if a status
 * cannot be read. */
static int has_overflowed(struct overflow_windows *w, const struct regs_round *rd)
{
	const struct plan_overflow *o = &rd->plan->overflow;

	for (unsigned i = 0; i < o->n_status; i++) {
		uint64_t v;
		int r = regio_read_any(regs_of(w->regs)->io, o->status[i].reg, &v);

		if (r < 0 || (v & o->status[i].bits) != o->status[i].bits)
			return r;
	}
	return 1;
}

/* Clears the overflow bits of the window's counter, from its box up. */
static int acknowledge(struct overflow_windows *w, const struct plan_list *l)
{
	int first = 0;

	for (unsigned i = 0; i < l->n; i++) {
		int r = regs_write(regs_of(w->regs), &l->v[i]);

		first = first ? first : r;
	}
	return first;
}

static void refuse_slot(struct regs_round *rd, uint8_t *reason)
{
	rd->slots[rd->plan->overflow.slot].state = REASON_REFUSED;
	*reason = REASON_REFUSED;
}

/* The base that start() or rearm() read must be the preloaded value, else no window ends where it
 * should. */
static void check_base(struct regs_round *rd, const uint64_t *base, uint8_t *reason)
{
	const struct plan_overflow *o = &rd->plan->overflow;

	if (rd->slots[o->slot].to_program && !reason[o->slot] &&
	    base[o->slot] != plan_preload(o)->value)
		refuse_slot(rd, &reason[o->slot]);
}

static int windows_stop(struct counting *base);

/* An overflow bit that is still set from before would keep the first window from ending. */
static int windows_start(struct counting *base, unsigned round, uint64_t *values, uint8_t *reason,
			 struct err *err)
{
	struct overflow_windows *w = windows_of(base);
	struct counting_regs *c = regs_of(w->regs);
	bool refused = c->running && windows_stop(base) == -EPERM;
	int r;

	if (!refused) {
		w->ended = false;
		acknowledge(w, &c->program->rounds[round].overflow.acknowledge);
	}
	r = w->regs->ops->start(w->regs, round, values, reason, err);
	if (r < 0)
		return r;
	if (!refused && windowed_round(w))
		check_base(windowed_round(w), values, reason);
	return 0;
}

/* The overflow bit is set a moment before the counters stop, and not every processor shows that
 * they did: "if not, set en_all to 0" (2.1.4). Returns as has_overflowed(). */
static int freeze_ended(struct overflow_windows *w, const struct regs_round *rd)
{
	struct counting_regs *c = regs_of(w->regs);
	const struct plan_write *f = rd->plan->overflow.freeze.v;
	const struct plan_reg *reg = &c->program->regs[f->reg];
	uint64_t readback = f->mask & reg->check, v;
	int r = w->ended ? 1 : has_overflowed(w, rd);

	if (r <= 0)
		return r;
	r = regio_read_any(c->io, reg->reg, &v);
	if (r < 0)
		return r;
	if (readback && ((v ^ f->value) & readback) == 0)
		return 1;
	r = regio_write_any(c->io, reg->reg, (v & ~f->mask) | f->value);
	return r < 0 ? r : 1;
}

/* If a window ends during a read, the next read finds that it has, and the counters are stopped in
 * between. If the status cannot be read, the read fails: its counts would be of an unknown time. */
static int windows_read(struct counting *base, uint64_t *raw, uint8_t *reason)
{
	struct overflow_windows *w = windows_of(base);
	struct regs_round *rd = windowed_round(w);
	int r;

	if (rd && regs_of(w->regs)->running) {
		r = freeze_ended(w, rd);
		if (r < 0) {
			bool gone = regio_gone(r);

			regs_mark_unread(rd, reason, gone ? REASON_OFFLINE : REASON_READ_ERROR);
			if (w->ended)
				return 1;
			return gone ? -ENXIO : r;
		}
		w->ended = r;
	}
	r = w->regs->ops->read(w->regs, raw, reason);
	return w->ended ? 1 : r;
}

static int windows_read_again(struct counting *base, unsigned slot, uint64_t *raw)
{
	struct counting *regs = windows_of(base)->regs;

	return regs->ops->read_again(regs, slot, raw);
}

/* The hardware itself has changed the shared control where a window has ended. */
static void ignore_freeze(struct overflow_windows *w, const struct regs_round *rd,
			  struct regs_entry *e)
{
	int r = w->ended ? 1 : has_overflowed(w, rd);

	e->unread = r < 0;
	if (r > 0)
		e->diff &= ~rd->plan->overflow.freeze.v->mask;
}

static int windows_check(struct counting *base, uint8_t *reason)
{
	struct overflow_windows *w = windows_of(base);
	struct counting_regs *c = regs_of(w->regs);
	struct regs_round *rd = windowed_round(w);
	int r;

	if (!rd)
		return w->regs->ops->check(w->regs, reason);
	r = regs_compare(c, rd);
	if (r < 0)
		return r;
	if (shared_entry(rd)->diff && !shared_entry(rd)->unread)
		ignore_freeze(w, rd, shared_entry(rd));
	return regs_judge(c, rd, reason);
}

int overflow_windows_rearm(struct overflow_windows *w, const uint8_t *slots, uint64_t *values,
			   uint8_t *reason)
{
	struct counting_regs *c = regs_of(w->regs);
	struct regs_round *rd = windowed_round(w);
	int r;

	c->frozen = rd && c->running && (w->ended || has_overflowed(w, rd) != 0);
	r = counting_regs_rearm(w->regs, slots, values, reason);
	if (r < 0)
		return r;
	if (rd && c->running)
		check_base(rd, values, reason);
	return 0;
}

/* After the round's own counters were stopped: writes the shared control as it was found, but with
 * counting enabled. The reference of the check is what the control has then. */
static int restore_global(struct overflow_windows *w, struct regs_round *rd)
{
	struct counting_regs *c = regs_of(w->regs);
	const struct plan_overflow *o = &rd->plan->overflow;
	const struct plan_write *go_on = &o->leave.v[o->go_on];
	const struct plan_list clear = { o->leave.v, o->go_on };
	struct regs_entry *e = shared_entry(rd);
	int cleared = acknowledge(w, &clear), r;
	uint64_t now;

	r = regio_read_any(c->io, e->reg, &now);
	if (r < 0)
		return r;
	e->changed_at_stop |= (now ^ e->ref) & e->check;
	e->ref = (e->ref & ~go_on->found) | (c->saved[e->row].found & go_on->found);
	r = regs_write(c, go_on);
	return r < 0 ? r : cleared;
}

static int windows_stop(struct counting *base)
{
	struct overflow_windows *w = windows_of(base);
	struct regs_round *rd = windowed_round(w);
	int r, left;

	if (!rd || !regs_of(w->regs)->running)
		return w->regs->ops->stop(w->regs);
	w->ended = w->ended || has_overflowed(w, rd) > 0;
	r = w->regs->ops->stop(w->regs);
	if (r == -EPERM)
		return r;
	left = restore_global(w, rd);
	r = r ? r : left;
	return r == -EPERM ? -EIO : r;
}

static const struct counting_ops overflow_windows_ops = {
	.start = windows_start, .read = windows_read, .read_again = windows_read_again,
	.check = windows_check, .stop = windows_stop,
};

struct counting *overflow_windows_init(struct overflow_windows *w, struct counting *regs)
{
	*w = (struct overflow_windows){ .base.ops = &overflow_windows_ops, .regs = regs };
	return regs && regs_of(regs)->program->overflows ? &w->base : regs;
}

bool overflow_windows_peek(struct overflow_windows *w, unsigned slot, uint64_t *ret)
{
	struct counting_regs *c = regs_of(w->regs);
	const struct regs_round *rd = c->current;

	return !w->ended && rd->slots[slot].state == REASON_NONE &&
	       regio_read_any(c->io, rd->plan->slots[slot].data, ret) == 0 &&
	       has_overflowed(w, rd) == 0;
}

/* Is the overflow gone, after it was acknowledged? Else no new one would be seen. */
static int is_acknowledged(struct overflow_windows *w, const struct plan_overflow *o, bool *ret)
{
	struct regio *io = regs_of(w->regs)->io;
	const struct plan_bits *counter_status = &o->status[o->n_status - 1];
	uint64_t top, v;
	int r = regio_read_any(io, o->status[0].reg, &top);

	if (r < 0)
		return r;
	r = regio_read_any(io, counter_status->reg, &v);
	if (r < 0)
		return r;
	*ret = !(v & counter_status->bits);
	return 0;
}

/* Writes the window's first value into its counter. *ret_base: what the counter has then. */
static int preload(struct overflow_windows *w, struct regs_round *rd, bool acknowledged,
		   uint64_t *ret_base, uint8_t *ret_reason)
{
	struct counting_regs *c = regs_of(w->regs);
	const struct plan_write *first = plan_preload(&rd->plan->overflow);
	uint64_t back;
	int r = regs_write(c, first);

	if (r < 0)
		return r;
	r = regio_read_any(c->io, rd->slots[rd->plan->overflow.slot].data, &back);
	if (r < 0)
		return r;
	*ret_base = back;
	if (back != first->value || !acknowledged)
		refuse_slot(rd, ret_reason);
	return 0;
}

int overflow_windows_restart(struct overflow_windows *w, uint64_t *ret_base, uint8_t *ret_reason)
{
	struct counting_regs *c = regs_of(w->regs);
	struct regs_round *rd = c->current;
	const struct plan_overflow *o = &rd->plan->overflow;
	const struct plan_list clear = { o->between.v, o->preload };
	const struct regs_slot *s = &rd->slots[o->slot];
	bool acknowledged = true;
	int r = acknowledge(w, &clear);

	if (r < 0)
		return r;
	r = is_acknowledged(w, o, &acknowledged);
	if (r < 0)
		return r;
	if (s->state == REASON_NONE && !s->foreign)
		r = preload(w, rd, acknowledged, ret_base, ret_reason);
	if (r < 0)
		return r;
	r = regs_write(c, &o->between.v[o->resume]);
	if (r < 0)
		return r;
	w->ended = false;
	return 0;
}
