/* counting_regs.c - the register engine: start, read, check, re-arm and stop a round of lowered writes.
 *
 * Owns:  which slots are programmed, whose value a register holds.
 * Never: events, boxes, time.
 * The socket's sampler thread, or main while that thread is not running. Allocates nothing.
 */
#include "config.h"

#include "access/regs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct counting_regs *regs_of(const struct counting *c)
{
	assert(c->ops == &counting_regs_ops);
	return (struct counting_regs *)c;
}

static struct regs_round *now_running(struct counting_regs *c)
{
	return c->round < 0 ? NULL : &c->rounds[c->round];
}

/* ------------------------------------------------------------------ start */

static bool is_hidden(const struct regs_round *rd, const struct regs_slot *s)
{
	for (unsigned d = 0; d < s->n_dep; d++)
		if (rd->entries[s->dep[d].entry].saved < 0)
			return true;
	return false;
}

static bool has_bits(struct counting_regs *c, struct reg r, uint64_t set, uint64_t clear)
{
	uint64_t v;

	return (set | clear) == 0 || (regio_read_any(c->io, r, &v) == 0 && (v & (set | clear)) == set);
}

static bool is_known(const struct counting_regs *c, struct reg r, uint64_t enable, uint64_t now)
{
	int i = saved_find(c->saved, c->n_saved, r);

	return i < 0 || saved_is_ours(&c->saved[i], enable, now);
}

/* Somebody uses the counter, and not with a value that we found or wrote. */
static bool is_taken(struct counting_regs *c, const struct plan_counter *k)
{
	uint64_t now;

	return regio_read_any(c->io, k->ctl, &now) == 0 && (now & k->ctl_enable) && !is_known(c, k->ctl, k->ctl_enable, now) &&
	       has_bits(c, k->box, k->box_enable, k->box_freeze) && has_bits(c, k->global, k->global_enable, 0);
}

/* The bits of each write that selected slots depend on. */
static void limit_selected(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->n_writes; k++)
		rd->limit[k] = 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_regslot *p = &rd->plan->slots[i];

		for (unsigned d = 0; rd->slots[i].selected && d < p->n_dep; d++)
			rd->limit[p->dep[d]] |= regs_slot_bits(c, rd->plan, p, d);
	}
}

static int regs_stop(struct counting *base);

/* Nobody may write, so the running round goes on as it is. */
static int run_on(struct counting_regs *c, unsigned round, uint64_t *values, uint8_t *reason, struct err *err)
{
	struct regs_round *rd = now_running(c);

	if (rd != &c->rounds[round])
		return regs_refused(c, err);
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		rd->slots[i].selected = !rd->slots[i].state;
		if (rd->slots[i].state)
			reason[i] = rd->slots[i].state;
	}
	return regs_read_base(c, rd, values, reason, err);
}

static int regs_start(struct counting *base, unsigned round, uint64_t *values, uint8_t *reason, struct err *err)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd;
	int r;

	assert(round < c->program->n_rounds);
	if (c->running && regs_stop(base) == -EPERM)
		return run_on(c, round, values, reason, err);
	rd = &c->rounds[round];
	c->over = false;
	memset(c->done, false, c->n_saved * sizeof(*c->done));  /* restored already, for a reload that then failed */
	for (unsigned i = 0; i < rd->n_entries; i++)
		rd->entries[i].bad = rd->entries[i].wrong = 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];

		s->taken |= is_taken(c, &c->program->counters[rd->plan->slots[i].counter]);
		s->state = is_hidden(rd, s) ? REASON_HIDDEN : s->taken ? REASON_FOREIGN : REASON_NONE;
		s->selected = s->state == REASON_NONE;
		if (s->state)
			reason[i] = s->state;
	}
	limit_selected(c, rd);
	for (unsigned k = 0; k < rd->plan->n_writes; k++)
		if (rd->entries[rd->entry_of[k]].saved >= 0)
			rd->limit[k] |= rd->free_bits[k];
	if (regs_windowed(rd))
		window_clear(c, rd);            /* what stands from before would keep the first window from ending */
	r = regs_program(c, rd, false, values, reason, err);
	if (r < 0)
		return r;
	if (regs_windowed(rd))
		window_check_base(rd, values, reason);
	c->round = (int)round;
	c->running = true;
	return 0;
}

/* ------------------------------------------------------------------ read */

/* Returns true, and what to write to let the counters go on, if they were stopped. */
static bool freeze(struct counting_regs *c, const struct plan_freeze *f, uint64_t *ret_go)
{
	uint64_t v;

	if (!c->freeze || !c->running || !f->mask || regio_read_any(c->io, f->reg, &v) < 0 || ((v ^ f->go) & f->seen) ||
	    regio_write_any(c->io, f->reg, (v & ~f->mask) | f->stop) < 0)
		return false;
	*ret_go = (v & ~f->mask) | f->go;
	return true;
}

static void read_none(const struct regs_round *rd, uint8_t *reason, uint8_t why)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++)
		reason[i] = rd->slots[i].state == REASON_HIDDEN ? REASON_HIDDEN : why;
}

static int read_slots(struct counting_regs *c, struct regs_round *rd, uint64_t *raw, uint8_t *reason)
{
	unsigned n = rd ? rd->plan->n_slots : 0, good = 0;
	uint64_t go = 0;
	bool frozen = rd && freeze(c, &rd->plan->freeze, &go);
	int r = 0, first = 0;

	for (unsigned i = 0; i < n; i++) {
		struct regs_slot *s = &rd->slots[i];

		__builtin_prefetch(s + 1);      /* it comes while the kernel is busy */
		if (s->state == REASON_HIDDEN) {
			reason[i] = REASON_HIDDEN;
			continue;
		}
		r = regio_read_any(c->io, s->data, &raw[i]);
		if (regio_gone(r))
			break;
		if (r < 0) {
			reason[i] = REASON_READ_ERROR;
			first = first ? first : r;
			continue;
		}
		s->wrapped |= raw[i] < s->last;
		s->last = raw[i];
		good++;
	}
	if (frozen)
		regio_write_any(c->io, rd->plan->freeze.reg, go);
	if (regio_gone(r)) {
		read_none(rd, reason, REASON_OFFLINE);
		return -ENXIO;
	}
	return good || n == 0 ? 0 : first;
}

/* A window that ends while it is read is over at the next read: until then everything stands still. What is read while
 * nobody can tell whether it is over belongs to no known time. */
static int regs_read(struct counting *base, uint64_t *raw, uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = now_running(c);
	int r;

	if (rd && regs_windowed(rd) && c->running) {
		r = window_hold(c, rd);
		if (r < 0) {
			read_none(rd, reason, regio_gone(r) ? REASON_OFFLINE : REASON_READ_ERROR);
			return regio_gone(r) ? -ENXIO : r;
		}
		c->over = r;
	}
	return read_slots(c, rd, raw, reason);
}

/* ------------------------------------------------------------------ check */

/* Only the bits of our own counters that went over, once per register (rules.md 14). */
static void clear_overflows(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_regslot *p = &rd->plan->slots[i];
		uint64_t bits = 0;

		if (regs_windowed(rd) && i == rd->plan->window.slot)
			rd->slots[i].wrapped = false;   /* this one ends the window: until again() it tells so */
		for (unsigned k = i; rd->slots[i].wrapped && k < rd->plan->n_slots; k++) {
			const struct plan_regslot *q = &rd->plan->slots[k];

			if (k != i && (!rd->slots[k].wrapped || !reg_equal(p->ovf_ctl, q->ovf_ctl) ||
				       (regs_windowed(rd) && k == rd->plan->window.slot)))
				continue;
			bits |= q->ovf_clear;
			if (k != i)
				rd->slots[k].wrapped = false;
		}
		rd->slots[i].wrapped = false;
		if (bits)
			regio_write_any(c->io, p->ovf_ctl, bits);
	}
}

static int regs_check(struct counting *base, uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = now_running(c);
	int n = 0;

	if (!rd)
		return 0;
	for (unsigned i = 0; i < rd->n_entries; i++) {
		struct regs_entry *e = &rd->entries[i];
		uint64_t now = 0;
		int r = e->saved < 0 ? 0 : regio_read_any(c->io, e->reg, &now);

		if (regio_gone(r))
			return -ENXIO;
		e->unread = r < 0;
		e->diff = r < 0 ? e->check : ((now ^ e->ref) & e->check) | e->wrong;
		if (r == 0 && e->diff && e->kind == SAVED_GLOBAL && regs_windowed(rd)) {
			int over = c->over ? 1 : window_seen(c, rd);

			e->unread = over < 0;
			e->diff &= over > 0 ? ~rd->plan->freeze.seen : ~UINT64_C(0);    /* the hardware itself did that */
		}
	}
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];
		uint8_t found = REASON_NONE;

		for (unsigned d = 0; d < s->n_dep && !s->state; d++) {
			const struct regs_entry *e = &rd->entries[s->dep[d].entry];

			if ((e->diff & s->dep[d].mask) && found != REASON_FOREIGN)
				found = e->unread ? REASON_READ_ERROR : REASON_FOREIGN;
		}
		s->taken |= found == REASON_FOREIGN;
		n += found != REASON_NONE;
		if (s->state || found)
			reason[i] = s->state ? s->state : found;
	}
	clear_overflows(c, rd);
	return n;
}

/* ------------------------------------------------------------------ re-arm */

/* Does a sub-control or filter of the slot hold something else than it should? If not, it is the reference. */
static bool is_disturbed(struct counting_regs *c, struct regs_round *rd, const struct regs_slot *s)
{
	for (unsigned d = 0; d < s->n_dep; d++) {
		struct regs_entry *e = &rd->entries[s->dep[d].entry];
		uint64_t now, bits = s->dep[d].mask;

		if (e->kind != SAVED_PLAIN && e->kind != SAVED_GATE)
			continue;
		if (regio_read_any(c->io, e->reg, &now) < 0 || ((now ^ e->want) & e->check & bits))
			return true;
		e->ref = (e->ref & ~bits) | (now & bits);
	}
	return false;
}

/* Sub-controls that are right stay unwritten: another slot may count through them. */
static void spare_undisturbed(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->n_writes; k++) {
		const struct regs_entry *e = &rd->entries[rd->entry_of[k]];

		if (e->kind == SAVED_PLAIN || e->kind == SAVED_GATE)
			rd->limit[k] = 0;
	}
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_regslot *p = &rd->plan->slots[i];

		if (!rd->slots[i].selected || !is_disturbed(c, rd, &rd->slots[i]))
			continue;
		for (unsigned d = 0; d < p->n_dep; d++)
			rd->limit[p->dep[d]] |= regs_slot_bits(c, rd->plan, p, d);
	}
}

/* A window that is over was not read yet: what stands still stays so. */
static void spare_global(struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->n_writes; k++)
		if (rd->plan->writes[k].phase == PHASE_ENABLE_GLOBAL)
			rd->limit[k] &= ~rd->plan->freeze.mask;
}

static int regs_rearm(struct counting *base, const uint8_t *slots, uint64_t *values, uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = now_running(c);
	int r;

	if (!rd || !c->running)
		return 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];

		s->selected = slots[i] && s->state != REASON_HIDDEN;
		if (slots[i] && s->state == REASON_HIDDEN)
			reason[i] = REASON_HIDDEN;
	}
	limit_selected(c, rd);
	spare_undisturbed(c, rd);
	if (regs_windowed(rd) && (c->over || window_seen(c, rd) != 0))
		spare_global(rd);
	r = regs_program(c, rd, true, values, reason, NULL);
	if (r == 0 && regs_windowed(rd))
		window_check_base(rd, values, reason);
	return r;
}

/* ------------------------------------------------------------------ stop */

struct stopping {
	bool wrote;                 /* something is stopped */
	int first;                  /* first error */
};

/* Writes are refused, and nothing is changed yet. */
static bool is_refused(const struct stopping *st)
{
	return st->first == -EPERM && !st->wrote;
}

/* An enabling register of the round without `bits`: what it shows from now on is its new reference. */
static void stop_entry(struct counting_regs *c, struct regs_entry *e, uint64_t now, uint64_t bits, struct stopping *st)
{
	int r;

	if (!(now & bits))
		return;
	r = regio_write_any(c->io, e->reg, now & ~bits);
	if (r < 0)                      /* a passing error is none; a kernel that refuses writes refuses this one, too */
		r = regio_write_any(c->io, e->reg, now & ~bits);
	st->first = st->first ? st->first : r;
	if (r < 0)
		return;                 /* it counts on: no change by somebody */
	st->wrote = true;
	e->ref &= ~bits;
}

/* Local enables off. A control register that holds somebody else's event is his. */
static void stop_counters(struct counting_regs *c, struct regs_round *rd, struct stopping *st)
{
	for (unsigned i = 0; i < rd->n_entries && !is_refused(st); i++) {
		struct regs_entry *e = &rd->entries[i];
		uint64_t now;
		int r;

		if (e->kind != SAVED_CTL || e->saved < 0)
			continue;
		r = regio_read_any(c->io, e->reg, &now);
		st->first = st->first ? st->first : r;
		if (r < 0)
			continue;
		e->wrong |= (now ^ e->ref) & e->check;
		e->held = (now & e->enable) && (e->wrong & ~e->enable);
		stop_entry(c, e, now, e->held ? 0 : e->enable, st);
	}
}

/* Our counters' box bits, less those of counters that somebody took. */
static uint64_t box_bits(const struct counting_regs *c, const struct regs_round *rd, unsigned entry)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_counter *k = &c->program->counters[rd->plan->slots[i].counter];
		const struct regs_slot *s = &rd->slots[i];
		bool held = !reg_equal(k->box, rd->entries[entry].reg);

		for (unsigned d = 0; d < s->n_dep; d++)
			held |= rd->entries[s->dep[d].entry].held;
		if (!held)
			bits |= k->box_enable;
	}
	return bits;
}

static void stop_boxes(struct counting_regs *c, struct regs_round *rd, struct stopping *st)
{
	for (unsigned i = 0; i < rd->n_entries && !is_refused(st); i++) {
		struct regs_entry *e = &rd->entries[i];
		uint64_t now;
		int r;

		if (e->kind != SAVED_BOX || e->saved < 0)
			continue;
		r = regio_read_any(c->io, e->reg, &now);
		st->first = st->first ? st->first : r;
		if (r < 0)
			continue;
		e->wrong |= (now ^ e->ref) & e->check;
		stop_entry(c, e, now, box_bits(c, rd, i), st);
	}
}

static int regs_stop(struct counting *base)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = now_running(c);
	struct stopping st = { 0 };

	if (!rd || !c->running)
		return 0;
	c->over = regs_windowed(rd) && (c->over || window_seen(c, rd) > 0);
	stop_counters(c, rd, &st);
	stop_boxes(c, rd, &st);
	if (is_refused(&st)) {
		for (unsigned i = 0; i < rd->n_entries; i++)
			rd->entries[i].wrong = 0;       /* the next check sees it again */
		return -EPERM;
	}
	if (regs_windowed(rd)) {
		int r = window_leave(c, rd);

		st.first = st.first ? st.first : r;
	}
	c->running = false;
	return st.first == -EPERM ? -EIO : st.first;
}

/* ------------------------------------------------------------------ end */

/* The engine that goes on knows it (counting_regs_new() with `old`) and puts it back when it ends. */
static void owe(struct counting_regs *to, const struct saved_reg *s)
{
	int i = saved_find(to->saved, to->n_saved, s->reg);

	if (i >= 0)
		to->mine[i] = true;
}

int counting_regs_restore(struct counting *base, struct counting *keep, struct diags *left)
{
	struct counting_regs *c = regs_of(base), *k = keep ? regs_of(keep) : NULL;
	struct restore in = {
		.io = c->io, .socket = c->program->socket, .saved = c->saved, .n_saved = c->n_saved,
		.counters = c->program->counters, .n_counters = c->program->n_counters,
		.ref = c->ref, .has_ref = c->has_ref, .skip = c->kept, .done = c->done, .left = left,
		.driver_came = c->driver_came && *c->driver_came,
	};
	int r;

	for (unsigned i = 0; i < c->n_saved; i++) {
		int other = k ? saved_find(k->saved, k->n_saved, c->saved[i].reg) : -1;

		c->kept[i] = !c->mine[i] || c->done[i] || (other >= 0 && k->mine[other]);
	}
	c->running = false;
	r = restore_socket(&in);
	for (unsigned i = 0; k && i < c->n_saved; i++)
		if (!c->kept[i] && !c->done[i])
			owe(k, &c->saved[i]);
	return r;
}

static void regs_free(struct counting *base)
{
	struct counting_regs *c = regs_of(base);

	for (unsigned i = 0; c->rounds && i < c->program->n_rounds; i++) {
		free(c->rounds[i].entries);
		free(c->rounds[i].entry_of);
		free(c->rounds[i].saved_of);
		free(c->rounds[i].free_bits);
		free(c->rounds[i].limit);
		free(c->rounds[i].slots);
	}
	free(c->rounds);
	free(c->saved);
	free(c->present);
	free(c->ref);
	free(c->has_ref);
	free(c->mine);
	free(c->done);
	free(c->kept);
	free(c->needed);
	free(c->undo);
	regio_free(c->io);
	free(c);
}

const struct counting_ops counting_regs_ops = {
	.start = regs_start, .read = regs_read, .check = regs_check, .rearm = regs_rearm, .stop = regs_stop,
	.over = regs_over, .look = regs_look, .again = regs_again, .free = regs_free,
};
