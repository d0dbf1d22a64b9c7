/* SPDX-License-Identifier: MIT
 * The register engine's writes: those of the slots to program in their order, or none of them.
 * Owns:  the order of the writes, what reads back, the moment of the base.
 * Never: which slots are to be programmed, and why.
 * The socket's sampler thread, or main while that thread is not running. Allocates nothing.
 */
#include "access/regs.h"

#include <inttypes.h>
#include <string.h>

#define REFUSED "the kernel refuses register writes (kernel lockdown, as with Secure Boot, or " \
	"msr.allow_writes=off): boot with " \
		"msr.allow_writes=on, or use engine = \"perf\""

int regs_refused(const struct counting_regs *c, struct err *err)
{
	return err_set(err, -EPERM, "socket %u: " REFUSED, c->program->socket);
}

static int write_error(const struct counting_regs *c, uint16_t row, uint64_t value, int e,
		       struct err *err)
{
	char name[NAME_TEXT];

	if (!err)               /* a tick reports no errors, and has no time for texts */
		return e;
	return err_set(err, e, "socket %u: writing 0x%" PRIx64 " to %s failed: %s%s",
		       c->program->socket, value, regs_name(c->program, &c->program->regs[row],
		       name, sizeof(name)), strerror(-e), e == -EPERM ? ": " REFUSED : "");
}

/* A fault of one moment, not of the register, is gone at the second read. */
static int read_twice(const struct counting_regs *c, struct reg reg, uint64_t *value)
{
	int r = regio_read_any(c->io, reg, value);

	return r == -EIO ? regio_read_any(c->io, reg, value) : r;
}

/* A write that can be taken back until the programming is complete. */
static int write_undoable(struct counting_regs *c, uint16_t row, uint64_t before, uint64_t value,
		       struct err *err)
{
	struct reg r = c->program->regs[row].reg;
	int e = regio_write_any(c->io, r, value);

	if (e < 0)
		return write_error(c, row, value, e, err);
	c->undo[c->n_undo++] = (struct regs_undo){ r, before };
	return 0;
}

static void undo_writes(struct counting_regs *c)
{
	while (c->n_undo > 0) {
		c->n_undo--;
		regio_write_any(c->io, c->undo[c->n_undo].reg, c->undo[c->n_undo].before);
	}
}

/* In the bits just written, what the register now holds becomes the reference. */
static int read_back(struct counting_regs *c, struct regs_entry *e, uint64_t bits)
{
	uint64_t got;
	int r = read_twice(c, e->reg, &got);

	if (r < 0)
		return r;
	e->ref = (e->ref & ~bits) | (got & bits);
	e->mismatch = (e->mismatch & ~bits) | ((got ^ e->expected) & e->check & bits);
	__atomic_store_n(&c->saved[e->row].readback, got, __ATOMIC_RELAXED);
	__atomic_store_n(&c->saved[e->row].has_readback, true, __ATOMIC_RELEASE);
	return 0;
}

/* What the programming under way writes of a register, in whichever phase (U-Box: bit 0 of C00). */
static uint64_t written_bits(const struct regs_round *rd, unsigned entry)
{
	uint64_t bits = 0;

	for (unsigned k = 0; k < rd->plan->start.n; k++)
		if (rd->entry_of[k] == entry)
			bits |= rd->write_mask[k];
	return bits;
}

/* One write of the program, within write_mask[]; after the last one of a register, what it reads
 * back. */
static int write_within(struct counting_regs *c, struct regs_round *rd, unsigned k,
			bool keep_equal, struct err *err)
{
	const struct plan_write *w = &rd->plan->start.v[k];
	struct regs_entry *e = &rd->entries[rd->entry_of[k]];
	uint64_t mask = rd->write_mask[k], before, value;
	bool shared = w->phase == PHASE_ENABLE_BOX || w->phase == PHASE_ENABLE_GLOBAL;
	int r = read_twice(c, e->reg, &before);

	if (r < 0) {
		write_error(c, w->reg, w->value, r, err);
		return r;
	}
	value = (before & ~mask) | (w->value & mask);
	if (!keep_equal || !shared || value != before) {
		r = write_undoable(c, w->reg, before, value, err);
		if (r < 0)
			return r;
	}
	return e->last == k ? read_back(c, e, written_bits(rd, rd->entry_of[k])) : 0;
}

/*
 * write_one - one write of the program.
 *
 * A register that alone faults (-EIO), at both of two reads, refuses its slots; but not the global
 * control, without which nothing counts, and no other error: those end the programming.
 */
static int write_one(struct counting_regs *c, struct regs_round *rd, unsigned k, bool keep_equal,
		     struct err *err)
{
	struct regs_entry *e = &rd->entries[rd->entry_of[k]];
	int r = write_within(c, rd, k, keep_equal, err);

	if (r == -EIO && e->kind != REG_GLOBAL) {
		e->mismatch |= e->check;
		return 0;
	}
	return r;
}

/* Stops the counters of the slots to program, with the writes of the stop: a local enable that is
 * on, ours or found, goes off. */
static int stop_before_programming(struct counting_regs *c, struct regs_round *rd, struct err *err)
{
	for (unsigned i = 0; i < rd->plan->stop.n; i++) {
		const struct plan_write *w = &rd->plan->stop.v[i];
		const struct regs_entry *e = &rd->entries[rd->entry_of[rd->plan->start.n + i]];
		uint64_t now;
		int r;

		if (e->kind != REG_CONTROL || !rd->write_mask[e->last] ||
		    regio_read_any(c->io, e->reg, &now) < 0 || !(now & w->mask))
			continue;
		r = write_undoable(c, w->reg, now, now & ~w->mask, err);
		if (r < 0 && r != -EIO)
			return r;
	}
	return 0;
}

int regs_write(struct counting_regs *c, const struct plan_write *w)
{
	const struct saved_reg *s = &c->saved[w->reg];
	uint64_t now = 0;
	int r = w->mask == ~UINT64_C(0) ||
		s->r.kind == REG_ACKNOWLEDGE ? 0 : regio_read_any(c->io, s->r.reg, &now);

	return r < 0 ? r : regio_write_any(c->io, s->r.reg,
					   (now & ~w->mask) | w->value | (s->found & w->found));
}

int regs_read_base(struct counting_regs *c, struct regs_round *rd, uint64_t *base, uint8_t *reason,
		   struct err *err)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];
		int r;

		if (!s->to_program)
			continue;
		r = regio_read_any(c->io, rd->plan->slots[i].data, &s->last);
		if (regio_gone(r))
			return err_set(err, -ENXIO, "socket %u: none of its CPUs answers any more",
				       c->program->socket);
		s->wrapped = false;
		if (r < 0)
			reason[i] = REASON_READ_ERROR;
		else
			base[i] = s->last;
	}
	return 0;
}

/* A slot with a register that did not take what we wrote does not count what its label says. */
static void judge_programmed(struct regs_round *rd, uint8_t *reason)
{
	for (unsigned i = 0; i < rd->plan->n_slots; i++) {
		struct regs_slot *s = &rd->slots[i];

		if (!s->to_program)
			continue;
		s->state = REASON_NONE;
		s->foreign = false;
		for (unsigned d = 0; d < s->plan->n_dep; d++)
			if (regs_dep(rd, s->plan, d)->mismatch & s->plan->dep[d].bits)
				s->state = REASON_REFUSED;
		if (s->state)
			reason[i] = s->state;
	}
}

/* The base is read while the counters stand still: before the first of them is enabled. */
static int stop_and_start(struct counting_regs *c, struct regs_round *rd, bool keep_equal,
			  uint64_t *base, uint8_t *reason, struct err *err)
{
	int r = stop_before_programming(c, rd, err);
	bool has_base = false;

	if (r < 0)
		return r;
	for (unsigned k = 0; k < rd->plan->start.n; k++) {
		if (!has_base && rd->plan->start.v[k].phase >= PHASE_ENABLE_COUNTER) {
			has_base = true;
			r = regs_read_base(c, rd, base, reason, err);
			if (r < 0)
				return r;
		}
		if (!rd->write_mask[k])
			continue;
		r = write_one(c, rd, k, keep_equal, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int regs_program(struct counting_regs *c, struct regs_round *rd, bool keep_equal, uint64_t *base,
		 uint8_t *reason, struct err *err)
{
	int r;

	c->n_undo = 0;
	r = stop_and_start(c, rd, keep_equal, base, reason, err);
	if (r < 0) {
		undo_writes(c);
		return r;
	}
	judge_programmed(rd, reason);
	return 0;
}
