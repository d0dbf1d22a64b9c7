/* SPDX-License-Identifier: MIT
 * The register engine: start, read, check, re-arm and stop a round of lowered writes.
 * Owns:  which slots are programmed, whose value a register holds.
 * Never: events, boxes, time.
 * The socket's sampler thread, or main while that thread is not running. Allocates nothing.
 */
#include "access/regs.h"

#include <assert.h>

struct counting_regs *regs_of(const struct counting *c)
{
	assert(c->ops == &counting_regs_ops);
	return (struct counting_regs *)c;
}

static bool is_hidden(const struct regs_round *rd, const struct regs_slot *s)
{
	for (unsigned d = 0; d < s->plan->n_dep; d++)
		if (regs_dep(rd, s->plan, d)->kind == REG_HIDDEN)
			return true;
	return false;
}

/* Was its counter left to another program when the engine was made? */
static bool is_left(const struct regs_round *rd, const struct regs_slot *s)
{
	for (unsigned d = 0; d < s->plan->n_dep; d++)
		if (regs_dep(rd, s->plan, d)->kind == REG_OTHERS)
			return true;
	return false;
}

static bool has_bits(struct counting_regs *c, uint16_t row, uint64_t set, uint64_t clear)
{
	uint64_t v;

	return (set | clear) == 0 || (regio_read_any(c->io, c->program->regs[row].reg, &v) == 0 &&
				      (v & (set | clear)) == set);
}

/* Does another program use the counter, with a value that we neither found nor wrote? */
static bool is_foreign(struct counting_regs *c, const struct plan_counter *k)
{
	const struct saved_reg *s = &c->saved[k->ctl];
	uint64_t now;

	return regio_read_any(c->io, s->r.reg, &now) == 0 && (now & k->ctl_enable) &&
	       s->r.kind != REG_HIDDEN && !saved_is_ours(s, k->ctl_enable, now) &&
	       has_bits(c, k->box, k->box_enable, k->box_freeze) &&
	       has_bits(c, k->global, k->global_enable, 0);
}

/* The bits of each write that the slot depends on are to be written. */
static void add_to_write_mask(struct regs_round *rd, const struct plan_reg_slot *p)
{
	for (unsigned d = 0; d < p->n_dep; d++)
		rd->write_mask[p->dep[d].write] |= p->dep[d].bits;
}

static void set_write_masks(struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->start.n; k++)
		rd->write_mask[k] = 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++)
		if (rd->slots[i].to_program)
			add_to_write_mask(rd, &rd->plan->slots[i]);
}

static int regs_stop(struct counting *base);

/* Writes are refused: the running round keeps running if it is the one that is wanted. */
static int keep_running(struct counting_regs *c, unsigned round, uint64_t *values, uint8_t *reason,
			struct err *err)
{
	struct regs_round *rd = c->current;

	if (rd != &c->rounds[round])
		return regs_refused(c, err);
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		rd->slots[i].to_program = !rd->slots[i].state;
		if (rd->slots[i].state)
			reason[i] = rd->slots[i].state;
	}
	return regs_read_base(c, rd, values, reason, err);
}

static int regs_start(struct counting *base, unsigned round, uint64_t *values, uint8_t *reason,
		      struct err *err)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd;
	int r;

	assert(round < c->program->n_rounds);
	if (c->running && regs_stop(base) == -EPERM)
		return keep_running(c, round, values, reason, err);
	rd = &c->rounds[round];
	c->frozen = false;
	for (unsigned i = 0; i < c->n_saved; i++)
		c->saved[i].restored = false;   /* already, for a reload that then failed */
	for (unsigned i = 0; i < rd->n_entries; i++)
		rd->entries[i].mismatch = rd->entries[i].changed_at_stop = 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];

		s->foreign |= is_left(rd, s) ||
			      is_foreign(c, &c->program->counters[s->plan->counter]);
		s->state = s->foreign ? REASON_FOREIGN : REASON_NONE;
		if (is_hidden(rd, s))
			s->state = REASON_HIDDEN;
		s->to_program = s->state == REASON_NONE;
		if (s->state)
			reason[i] = s->state;
	}
	set_write_masks(rd);
	for (unsigned k = 0; k < rd->plan->start.n; k++)
		if (rd->entries[rd->entry_of[k]].kind != REG_HIDDEN)
			rd->write_mask[k] |= rd->unclaimed_bits[k];
	r = regs_program(c, rd, false, values, reason, err);
	if (r < 0)
		return regio_gone(r) ? -ENXIO : r;
	c->current = rd;
	c->running = true;
	return 0;
}

/* Stops all counters around a read. False: they were not stopped, or are stopped already.
 * *ret_resume: the value that lets them count again. */
static bool freeze(struct counting_regs *c, const struct plan_list *l, uint64_t *ret_resume)
{
	const struct plan_write *stop, *resume;
	const struct plan_reg *r;
	uint64_t v;

	if (!l->n || !c->running)
		return false;
	stop = &l->v[FREEZE_STOP];
	resume = &l->v[FREEZE_RESUME];
	r = &c->program->regs[stop->reg];
	if (regio_read_any(c->io, r->reg, &v) < 0 ||
	    ((v ^ resume->value) & resume->mask & r->check) ||
	    regio_write_any(c->io, r->reg, (v & ~stop->mask) | stop->value) < 0)
		return false;
	*ret_resume = (v & ~resume->mask) | resume->value;
	return true;
}

void regs_mark_unread(const struct regs_round *rd, uint8_t *reason, uint8_t why)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++)
		reason[i] = rd->slots[i].state == REASON_HIDDEN ? REASON_HIDDEN : why;
}

static int regs_read(struct counting *base, uint64_t *raw, uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = c->current;
	unsigned n = rd ? rd->plan->n_slots : 0, good = 0;
	uint64_t resume = 0;
	bool frozen = rd && freeze(c, &rd->plan->freeze, &resume);
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
		regio_write_any(c->io, c->program->regs[rd->plan->freeze.v->reg].reg, resume);
	if (regio_gone(r)) {
		regs_mark_unread(rd, reason, REASON_OFFLINE);
		return -ENXIO;
	}
	return good || n == 0 ? 0 : first;
}

static int regs_read_again(struct counting *base, unsigned slot, uint64_t *raw)
{
	struct counting_regs *c = regs_of(base);
	struct regs_slot *s = &c->current->slots[slot];
	int r = regio_read_any(c->io, s->data, raw);

	if (r < 0)
		return r;
	s->last = *raw;
	return 0;
}

/* Only the bits of our own counters that went over, once per register (rules.md 14). */
static void clear_overflows(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_reg_slot *p = &rd->plan->slots[i];
		uint64_t bits = 0;

		if (!rd->slots[i].wrapped || rd->slots[i].foreign)
			continue;
		for (unsigned k = i; k < rd->plan->n_slots; k++) {
			struct regs_slot *s = &rd->slots[k];

			if (!s->wrapped || s->foreign || s->plan->clear != p->clear)
				continue;
			bits |= s->plan->ovf_clear;
			s->wrapped = false;
		}
		if (bits)
			regio_write_any(c->io, rd->plan->clear[p->clear].reg, bits);
	}
}

int regs_compare(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned i = 0; i < rd->n_entries; i++) {
		struct regs_entry *e = &rd->entries[i];
		uint64_t now = 0;
		int r = e->kind == REG_HIDDEN ? 0 : regio_read_any(c->io, e->reg, &now);

		if (regio_gone(r))
			return -ENXIO;
		e->unread = r < 0;
		e->diff = r < 0 ? e->check : ((now ^ e->ref) & e->check) | e->changed_at_stop;
	}
	return 0;
}

int regs_judge(struct counting_regs *c, struct regs_round *rd, uint8_t *reason)
{
	int n = 0;

	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];
		uint8_t found = REASON_NONE;

		for (unsigned d = 0; d < s->plan->n_dep && !s->state; d++) {
			const struct regs_entry *e = regs_dep(rd, s->plan, d);

			if ((e->diff & s->plan->dep[d].bits) && found != REASON_FOREIGN)
				found = e->unread ? REASON_READ_ERROR : REASON_FOREIGN;
		}
		s->foreign |= found == REASON_FOREIGN;
		n += found != REASON_NONE;
		if (s->state || found)
			reason[i] = s->state ? s->state : found;
	}
	clear_overflows(c, rd);
	return n;
}

static int regs_check(struct counting *base, uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = c->current;
	int r = rd ? regs_compare(c, rd) : 0;

	return rd && r == 0 ? regs_judge(c, rd, reason) : r;
}

/* Does a sub-control or filter of the slot hold something else than it should? If not, it is the
 * reference. */
static bool filters_differ(struct counting_regs *c, struct regs_round *rd,
			   const struct regs_slot *s)
{
	for (unsigned d = 0; d < s->plan->n_dep; d++) {
		struct regs_entry *e = regs_dep(rd, s->plan, d);
		uint64_t now, bits = s->plan->dep[d].bits & e->check;

		if (e->kind != REG_FILTER && e->kind != REG_WRITE_ENABLE)
			continue;
		if (regio_read_any(c->io, e->reg, &now) < 0 || ((now ^ e->expected) & bits))
			return true;
		e->ref = (e->ref & ~bits) | (now & bits);
	}
	return false;
}

/* Sub-controls that are right stay unwritten: another slot may count through them. */
static void skip_right_filters(struct counting_regs *c, struct regs_round *rd)
{
	for (unsigned k = 0; k < rd->plan->start.n; k++) {
		const struct regs_entry *e = &rd->entries[rd->entry_of[k]];

		if (e->kind == REG_FILTER || e->kind == REG_WRITE_ENABLE)
			rd->write_mask[k] = 0;
	}
	for (unsigned i = 0; i < rd->plan->n_slots; i++)
		if (rd->slots[i].to_program && filters_differ(c, rd, &rd->slots[i]))
			add_to_write_mask(rd, &rd->plan->slots[i]);
}

/* The counters are frozen and were not read yet: the programming does not resume them. */
static void stay_frozen(struct regs_round *rd)
{
	rd->write_mask[rd->plan->overflow.shared] &= ~rd->plan->overflow.freeze.v->mask;
}

int counting_regs_rearm(struct counting *base, const uint8_t *slots, uint64_t *values,
			uint8_t *reason)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = c->current;

	if (!rd || !c->running)
		return 0;
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];

		s->to_program = slots[i] && s->state != REASON_HIDDEN && !is_left(rd, s);
		if (slots[i] && !s->to_program)
			reason[i] = s->state;
	}
	set_write_masks(rd);
	skip_right_filters(c, rd);
	if (c->frozen)
		stay_frozen(rd);
	return regs_program(c, rd, true, values, reason, NULL);
}

struct stopping {
	bool wrote;                 /* something is stopped */
	int first;                  /* first error */
};

/* Writes are refused, and nothing is changed yet. */
static bool is_refused(const struct stopping *st)
{
	return st->first == -EPERM && !st->wrote;
}

/* Bits of an enabling register that belong to counters which another program took. */
static uint64_t bits_of_others(const struct regs_round *rd, const struct regs_entry *e)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		const struct plan_reg_slot *s = &rd->plan->slots[i];
		uint64_t own = 0;
		bool taken = false;

		for (unsigned d = 0; d < s->n_dep; d++) {
			own |= regs_dep(rd, s, d) == e ? s->dep[d].bits : 0;
			taken |= regs_dep(rd, s, d)->taken_at_stop;
		}
		bits |= taken ? own : 0;
	}
	return bits;
}

/* One write of the stop: clears `bits` of an enabling register, and of its reference. If another
 * program has put its event into a counter's control, that counter and its box enable stay on. */
static void stop_one(struct counting_regs *c, struct regs_round *rd, struct regs_entry *e,
		     uint64_t bits, struct stopping *st)
{
	uint64_t now;
	int r;

	if (e->kind == REG_OTHERS)
		e->taken_at_stop = true;
	if (e->kind == REG_HIDDEN || e->kind == REG_OTHERS)
		return;
	r = regio_read_any(c->io, e->reg, &now);
	st->first = st->first ? st->first : r;
	if (r < 0)
		return;
	e->changed_at_stop |= (now ^ e->ref) & e->check;
	e->taken_at_stop = e->kind == REG_CONTROL && (now & bits) && (e->changed_at_stop & ~bits);
	bits &= ~bits_of_others(rd, e);
	if (!(now & bits))
		return;
	r = regio_write_any(c->io, e->reg, now & ~bits);
	if (r < 0)                      /* the error may be gone at once */
		r = regio_write_any(c->io, e->reg, now & ~bits);
	st->first = st->first ? st->first : r;
	if (r < 0)
		return;                 /* it still counts: not changed by another program */
	st->wrote = true;
	e->ref &= ~bits;
}

static int regs_stop(struct counting *base)
{
	struct counting_regs *c = regs_of(base);
	struct regs_round *rd = c->current;
	struct stopping st = { 0 };
	unsigned n = rd ? rd->plan->stop.n : 0;

	if (!rd || !c->running)
		return 0;
	for (unsigned i = 0; i < n && !is_refused(&st); i++)
		stop_one(c, rd, &rd->entries[rd->entry_of[rd->plan->start.n + i]],
			 rd->plan->stop.v[i].mask, &st);
	if (is_refused(&st)) {
		for (unsigned i = 0; i < rd->n_entries; i++)
			rd->entries[i].changed_at_stop = 0;     /* the next check sees it */
		return -EPERM;
	}
	c->running = false;
	return st.first == -EPERM ? -EIO : st.first;
}

int counting_regs_restore(struct counting *base, struct counting *keep, struct diags *left)
{
	struct counting_regs *c = regs_of(base), *k = keep ? regs_of(keep) : NULL;
	struct restore in = {
		.io = c->io, .socket = c->program->socket, .list = &c->restore,
		.saved = c->saved, .n_saved = c->n_saved,
		.counters = c->program->counters, .n_counters = c->program->n_counters,
		.left = left, .late_driver = c->late_driver && *c->late_driver,
	};
	int r;

	for (struct saved_reg *s = c->saved; s < c->saved + c->n_saved; s++) {
		struct saved_reg *kept = k ? saved_find(k->saved, k->n_saved, s->r.reg) : NULL;

		s->excluded = !s->owned || s->restored || (kept && kept->owned);
	}
	c->running = false;
	r = restore_socket(&in);
	for (struct saved_reg *s = c->saved; k && s < c->saved + c->n_saved; s++) {
		struct saved_reg *kept = saved_find(k->saved, k->n_saved, s->r.reg);

		if (!s->excluded && !s->restored && kept)
			kept->owned = true;     /* `keep` restores it when it ends */
	}
	return r;
}

unsigned counting_regs_restored(const struct counting *base, unsigned *of)
{
	const struct counting_regs *c = regs_of(base);
	unsigned n = 0;

	for (const struct saved_reg *s = c->saved; s < c->saved + c->n_saved; s++) {
		n += s->owned && s->restored && !s->foreign;
		*of += s->owned;
	}
	return n;
}

unsigned counting_regs_left(const struct counting *base)
{
	const struct counting_regs *c = regs_of(base);
	unsigned still = 0;

	for (unsigned i = 0; i < c->program->n_counters; i++) {
		const struct plan_counter *k = &c->program->counters[i];
		uint64_t now;

		if (!c->needed[i] || c->saved[k->ctl].r.kind != REG_OTHERS)
			continue;
		still += regio_read_any(c->io, c->saved[k->ctl].r.reg, &now) < 0 ||
			 (now & k->ctl_enable);
	}
	return still;
}

static int regs_cpu(const struct counting *base)
{
	return regio_cpu(regs_of(base)->io);
}

static void regs_free(struct counting *base)
{
	struct counting_regs *c = regs_of(base);

	regio_free(c->io);
	arena_free(c->arena);
}

const struct counting_ops counting_regs_ops = {
	.start = regs_start, .read = regs_read, .read_again = regs_read_again,
	.check = regs_check, .stop = regs_stop,
	.cpu = regs_cpu, .free = regs_free,
};
