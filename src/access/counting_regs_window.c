/* counting_regs_window.c - exact windows: seeing that the counters were stopped by an overflow, and letting them go on.
 *
 * Owns:  the order of what happens between two windows (323535-001 2.1.3, 2.1.4; 329468-002 2.2.2.1).
 * Never: which box or processor it is: registers and bits come lowered.
 * The socket's sampler thread. Allocates nothing.
 */
#include "config.h"

#include "access/regs.h"

int window_seen(struct counting_regs *c, const struct regs_round *rd)
{
	const struct plan_regwindow *w = &rd->plan->window;

	for (unsigned i = 0; i < w->n_seen; i++) {
		uint64_t v;
		int r = regio_read_any(c->io, w->seen[i].reg, &v);

		if (r < 0 || (v & w->seen[i].bits) != w->seen[i].bits)
			return r;
	}
	return 1;
}

/* The overflow is there a moment before its effect, and not every processor shows the effect: "if not, set en_all to 0"
 * (2.1.4). */
int window_hold(struct counting_regs *c, const struct regs_round *rd)
{
	const struct plan_freeze *f = &rd->plan->freeze;
	int r = c->over ? 1 : window_seen(c, rd);
	uint64_t v;

	if (r <= 0)
		return r;
	r = regio_read_any(c->io, f->reg, &v);
	if (r == 0 && !(f->seen && (v & f->seen) == (f->stop & f->seen)))
		r = regio_write_any(c->io, f->reg, (v & ~f->mask) | f->stop);
	return r < 0 ? r : 1;
}

int window_clear(struct counting_regs *c, const struct regs_round *rd)
{
	const struct plan_regwindow *w = &rd->plan->window;
	int first = 0;

	for (unsigned i = 0; i < w->n_clear; i++) {
		int r = regio_write_any(c->io, w->clear[i].reg, w->clear[i].bits);

		first = first ? first : r;
	}
	return first;
}

static bool window_ours(const struct regs_round *rd)
{
	const struct regs_slot *s = &rd->slots[rd->plan->window.slot];

	return s->state == REASON_NONE && !s->taken;
}

static void window_refuse(struct regs_round *rd, uint8_t *reason)
{
	rd->slots[rd->plan->window.slot].state = REASON_REFUSED;
	*reason = REASON_REFUSED;
}

void window_check_base(struct regs_round *rd, const uint64_t *base, uint8_t *reason)
{
	const struct plan_regwindow *w = &rd->plan->window;

	if (rd->slots[w->slot].selected && !reason[w->slot] && base[w->slot] != w->preload)
		window_refuse(rd, &reason[w->slot]);
}

int window_leave(struct counting_regs *c, struct regs_round *rd)
{
	const struct plan_freeze *f = &rd->plan->freeze;
	uint64_t bits = c->program->global_window, now;
	int i = saved_find(c->saved, c->n_saved, f->reg), cleared = window_clear(c, rd);
	int r = regio_read_any(c->io, f->reg, &now);

	for (unsigned k = 0; r == 0 && k < rd->n_entries; k++) {
		struct regs_entry *e = &rd->entries[k];

		if (e->kind != SAVED_GLOBAL)
			continue;
		e->wrong |= (now ^ e->ref) & e->check;
		e->ref = (e->ref & ~bits) | (c->saved[i].found & bits);
	}
	if (r == 0)
		r = regio_write_any(c->io, f->reg, (now & ~(bits | f->mask)) | (c->saved[i].found & bits) | f->go);
	return r < 0 ? r : cleared;
}

bool regs_over(const struct counting *base)
{
	return regs_of(base)->over;
}

bool regs_look(struct counting *base, unsigned slot, uint64_t *ret)
{
	struct counting_regs *c = regs_of(base);
	const struct regs_round *rd = &c->rounds[c->round];

	return !c->over && rd->slots[slot].state == REASON_NONE && regio_read_any(c->io, rd->plan->slots[slot].data, ret) == 0 &&
	       window_seen(c, rd) == 0;
}

/* Is the overflow gone, after it was cleared? Else no new one would be seen. */
static int window_cleared(struct counting_regs *c, const struct regs_round *rd, bool *ret)
{
	const struct plan_regwindow *w = &rd->plan->window;
	const struct plan_bits *own = &w->seen[w->n_seen - 1];
	uint64_t top, v;
	int r = regio_read_any(c->io, w->seen[0].reg, &top);

	if (r == 0)
		r = regio_read_any(c->io, own->reg, &v);
	if (r == 0)
		*ret = !(v & own->bits);
	return r;
}

int regs_again(struct counting *base, uint64_t *ret_base, uint8_t *ret_reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = &c->rounds[c->round];
	const struct plan_regwindow *w = &rd->plan->window;
	const struct plan_freeze *f = &rd->plan->freeze;
	uint64_t v, back = 0;
	bool cleared = true;
	int r = window_clear(c, rd);

	if (r == 0)
		r = window_cleared(c, rd, &cleared);
	if (r == 0 && window_ours(rd)) {
		r = regio_write_any(c->io, rd->plan->slots[w->slot].data, w->preload);
		if (r == 0)
			r = regio_read_any(c->io, rd->plan->slots[w->slot].data, &back);
		if (r == 0 && (back != w->preload || !cleared))
			window_refuse(rd, ret_reason);
		*ret_base = back;
	}
	if (r == 0)
		r = regio_read_any(c->io, f->reg, &v);
	if (r == 0)
		r = regio_write_any(c->io, f->reg, (v & ~f->mask) | f->go);
	if (r == 0)
		c->over = false;
	return r;
}
