/* SPDX-License-Identifier: MIT
 * A register file that remembers every access, and the program that the tests of
 * access/ run.
 *
 * The addresses and bits are those of the Xeon 7500 (323535-001, Tables 2-1, 2-9, 2-13, 2-24, 2-30,
 * 2-36); the values are chosen here. No planner, no model: a test says in numbers what must be
 * written.
 */
#ifndef FAKE_REGIO_H
#define FAKE_REGIO_H

#include "access/counting.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

#define FAKE_REGS 96
#define FAKE_LOG 1024

struct fake_reg {
	uint32_t off;
	uint64_t value;
	uint64_t zero;		/* bits that read as 0: pulses, or bits that the hardware lacks */
	int read_error, write_error;
	bool stuck;                 /* writes are ignored */
	uint64_t step;              /* a counter: added at each read */
};

struct fake {
	struct regio base;
	struct fake_reg r[FAKE_REGS];
	unsigned n;
	struct { char op; uint32_t off; uint64_t value; } log[FAKE_LOG];
	unsigned n_log;
	int gone;                   /* accesses fail with this (-ENXIO) until moved */
	bool can_move;
	int fail_write_at, fail_with;   /* the n-th write from now (1 ..) fails */
	int cpu, freed;
	/* called before each access: an interfering hand */
	void (*before)(struct fake *f, char op, uint32_t off);
};

static inline struct fake_reg *fake_at(struct fake *f, uint32_t off)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->r[i].off == off)
			return &f->r[i];
	if (f->n == FAKE_REGS)
		abort();
	f->r[f->n].off = off;
	return &f->r[f->n++];
}

static inline void fake_note(struct fake *f, char op, uint32_t off, uint64_t v)
{
	if (f->n_log == FAKE_LOG)
		abort();
	f->log[f->n_log].op = op;
	f->log[f->n_log].off = off;
	f->log[f->n_log++].value = v;
}

static inline int fake_read(struct regio *io, struct reg r, uint64_t *ret)
{
	struct fake *f = (struct fake *)io;
	struct fake_reg *k = fake_at(f, r.off);

	if (f->before)
		f->before(f, 'R', r.off);
	if (f->gone)
		return f->gone;
	if (k->read_error)
		return k->read_error;
	k->value += k->step;
	*ret = k->value & ~k->zero;
	fake_note(f, 'R', r.off, *ret);
	return 0;
}

static inline int fake_write(struct regio *io, struct reg r, uint64_t v)
{
	struct fake *f = (struct fake *)io;
	struct fake_reg *k = fake_at(f, r.off);

	if (f->before)
		f->before(f, 'W', r.off);
	if (f->gone)
		return f->gone;
	if (f->fail_write_at && --f->fail_write_at == 0)
		return f->fail_with;
	/* 323535-001 2.5.3.4: match and mask fault while MM_CFG[63] is 1 */
	if ((r.off == 0xe49 || r.off == 0xe4a) && (fake_at(f, 0xe48)->value & BIT(63)))
		return -EIO;
	if (k->write_error)
		return k->write_error;
	fake_note(f, 'W', r.off, v);
	if (!k->stuck)
		k->value = v;
	return 0;
}

static inline int fake_move(struct regio *io)
{
	struct fake *f = (struct fake *)io;

	if (!f->can_move)
		return -ENXIO;
	f->gone = 0;
	f->cpu++;
	return 0;
}

static inline int fake_cpu(const struct regio *io)
{
	return ((const struct fake *)io)->cpu;
}

static inline void fake_free(struct regio *io)
{
	((struct fake *)io)->freed++;   /* the test owns it */
}

static const struct regio_ops fake_ops = {
	.read = fake_read, .write = fake_write, .move = fake_move, .cpu = fake_cpu,
	.free = fake_free,
};

static inline void fake_init(struct fake *f)
{
	memset(f, 0, sizeof(*f));
	f->base.ops = &fake_ops;
}

static inline uint64_t fake_get(struct fake *f, uint32_t off) { return fake_at(f, off)->value; }
static inline void fake_set(struct fake *f, uint32_t off, uint64_t v)
{
	fake_at(f, off)->value = v;
}

static inline unsigned fake_writes(const struct fake *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_log; i++)
		n += f->log[i].op == 'W';
	return n;
}

/* ------------------------------------------------------------------ the program */

#define MSR(a)  ((struct reg){ .space = SPACE_MSR, .bytes = 8, .off = (a) })
/* A write as it stands in the manuals' terms: register by address, and what is known of it. */
struct raw_write {
	uint8_t phase;
	uint32_t off;
	uint64_t value, mask, check;
	const char *name;
};
struct raw_counter {
	uint32_t ctl, box;          /* box 0: none */
	uint64_t ctl_enable, box_enable, global_enable;
	const char *name;
	uint32_t data;
};
struct raw_round {
	const struct raw_write *writes;
	unsigned n_writes;
	struct plan_reg_slot *slots;
	unsigned n_slots;
};
#define W(p, a, v, m, c, n) \
	{ .phase = (p), .off = (a), .value = (v), .mask = (m), .check = (c), .name = n }
#define ALL     (~UINT64_C(0))
#define EN22    BIT(22)
#define EN_ALL  BIT(28)
#define RST_ALL BIT(29)

enum { CBOX0_0, CBOX0_1, SBOX0_0, UBOX_0, RBOX_0, RBOX_1, N_SLOTS };

/* Counters of the socket: the six that we use, and two of somebody else. */
static const struct raw_counter raw_counters[] = {
	{ 0xd10, 0xd00, EN22, 1, EN_ALL, "cbox0 counter 0", 0xd11 },
	{ 0xd12, 0xd00, EN22, 2, EN_ALL, "cbox0 counter 1", 0xd13 },
	{ 0xc50, 0xc40, EN22, 1, EN_ALL, "sbox0 counter 0", 0xc51 },
	{ 0xc10, 0, EN22, 0, EN_ALL | 1, "ubox0 counter 0", 0xc11 },
	{ 0xe10, 0xe00, 1, 1, EN_ALL, "rbox0 counter 0", 0xe11 },
	{ 0xe12, 0xe00, 1, 2, EN_ALL, "rbox0 counter 1", 0xe13 },
	{ 0xd14, 0xd00, EN22, 4, EN_ALL, "cbox0 counter 2", 0xd15 },
	{ 0xc32, 0xc20, 1, 2, EN_ALL, "bbox0 counter 1", 0xc33 },
};

#define S_CTL (EN22 | BIT(17) | 0x0300)         /* with the occupancy reset, a pulse */
#define S_CHECK (ALL & ~BIT(17))
static const struct raw_write prog_writes[] = {
	/* 0 */ W(PHASE_STOP, 0xe48, 0, BIT(63), 0, "S0_MSR_MM_CFG"),
	/* 1 */ W(PHASE_SELECT, 0xe49, 0x1234, ALL, ALL, "S0_MSR_MATCH"),
	/* 2 */ W(PHASE_SELECT, 0xe4a, 0x5678, ALL, ALL, "S0_MSR_MASK"),
	/* 3 */ W(PHASE_SELECT, 0xe48, BIT(63), BIT(63), BIT(63), "S0_MSR_MM_CFG"),
	/* 4 */ W(PHASE_SELECT, 0xe0c, 0x2211, 0xffff, 0xffff, "R_MSR_PORT0_QLX_CFG"),
	/* 5 */ W(PHASE_ENABLE_COUNTER, 0xd10, EN22 | 0x0f15, ALL, ALL,
	  "CB0_CR_C_MSR_PMON_EVT_SEL_0"),
	/* 6 */ W(PHASE_ENABLE_COUNTER, 0xd12, EN22 | 0x0114, ALL, ALL,
	  "CB0_CR_C_MSR_PMON_EVT_SEL_1"),
	/* 7 */ W(PHASE_ENABLE_COUNTER, 0xc50, S_CTL, ALL, S_CHECK, "SR0_CR_S_MSR_PMON_EVT_SEL_0"),
	/* 8 */ W(PHASE_ENABLE_COUNTER, 0xc10, EN22 | 0x42, ALL, ALL, "U_MSR_PMON_EVT_SEL"),
	/* 9 */ W(PHASE_ENABLE_COUNTER, 0xe10, 1 | 2 << 1, ALL, ALL, "R_MSR_PMON_CTL0"),
	/* 10 */ W(PHASE_ENABLE_COUNTER, 0xe12, 1 | 3 << 1, ALL, ALL, "R_MSR_PMON_CTL1"),
	/* 11 */ W(PHASE_ENABLE_BOX, 0xc00, 1, 1, 1, "U_MSR_PMON_GLOBAL_CTL"),
	/* 12 */ W(PHASE_ENABLE_BOX, 0xd00, 3, 3, 3, "CB0_CR_C_MSR_PMON_GLOBAL_CTL"),
	/* 13 */ W(PHASE_ENABLE_BOX, 0xc40, 1, 1, 1, "SR0_CR_S_MSR_PMON_GLOBAL_CTL"),
	/* 14 */ W(PHASE_ENABLE_BOX, 0xe00, 3, 3, 3, "R_MSR_PMON_GLOBAL_CTL_7_0"),
	/* 15 */ W(PHASE_ENABLE_GLOBAL, 0xc00, EN_ALL, EN_ALL | RST_ALL, EN_ALL,
	  "U_MSR_PMON_GLOBAL_CTL"),
};

#define GLOBAL (EN_ALL | RST_ALL)
static struct plan_bits prog_clear[] = {
	{ MSR(0xd02), 3, "CB0_CR_C_MSR_PMON_GLOBAL_OVF_CTL" },
	{ MSR(0xc42), 1, "SR0_CR_S_MSR_PMON_OVF_CTL" },
};
static struct plan_reg_slot prog_slots[N_SLOTS] = {
	[CBOX0_0] = { MSR(0xd11), 0, 1, 0, 3, { { 5, ALL }, { 12, 1 }, { 15, GLOBAL } } },
	[CBOX0_1] = { MSR(0xd13), 0, 2, 1, 3, { { 6, ALL }, { 12, 2 }, { 15, GLOBAL } } },
	[SBOX0_0] = { MSR(0xc51), 1, 1, 2, 7,
		      { { 0, BIT(63) }, { 1, ALL }, { 2, ALL }, { 3, BIT(63) }, { 7, ALL },
			{ 13, 1 }, { 15, GLOBAL } } },
	[UBOX_0] = { MSR(0xc11), PLAN_NONE, 0, 3, 3, { { 8, ALL }, { 11, 1 }, { 15, GLOBAL } } },
	[RBOX_0] = { MSR(0xe11), PLAN_NONE, 0, 4, 4,
		     { { 4, 0xffff }, { 9, ALL }, { 14, 1 }, { 15, GLOBAL } } },
	[RBOX_1] = { MSR(0xe13), PLAN_NONE, 0, 5, 4,
		     { { 4, 0xffff }, { 10, ALL }, { 14, 2 }, { 15, GLOBAL } } },
};

/* A second round: one counter with another event, other bits of QLX, half of them the first round's
 * too. */
static const struct raw_write prog_writes2[] = {
	W(PHASE_SELECT, 0xe0c, 0x334400, 0xffff00, 0xffff00, "R_MSR_PORT0_QLX_CFG"),
	W(PHASE_ENABLE_COUNTER, 0xd10, EN22 | 0x0f22, ALL, ALL, "CB0_CR_C_MSR_PMON_EVT_SEL_0"),
	W(PHASE_ENABLE_COUNTER, 0xe12, 1 | 4 << 1, ALL, ALL, "R_MSR_PMON_CTL1"),
	W(PHASE_ENABLE_BOX, 0xd00, 1, 1, 1, "CB0_CR_C_MSR_PMON_GLOBAL_CTL"),
	W(PHASE_ENABLE_BOX, 0xe00, 2, 2, 2, "R_MSR_PMON_GLOBAL_CTL_7_0"),
	W(PHASE_ENABLE_GLOBAL, 0xc00, EN_ALL, EN_ALL | RST_ALL, EN_ALL, "U_MSR_PMON_GLOBAL_CTL"),
};
static struct plan_reg_slot prog_slots2[] = {
	{ MSR(0xd11), 0, 1, 0, 3, { { 1, ALL }, { 3, 1 }, { 5, GLOBAL } } },
	{ MSR(0xe13), PLAN_NONE, 0, 5, 4, { { 0, 0xffff00 }, { 2, ALL }, { 4, 2 }, { 5, GLOBAL } } },
};

static const struct raw_round prog_rounds[] = {
	{ prog_writes, COUNT(prog_writes), prog_slots, COUNT(prog_slots) },
	{ prog_writes2, COUNT(prog_writes2), prog_slots2, COUNT(prog_slots2) },
};

/* A program, put together of these by hand as the planner would do it. */
struct assembled {
	struct plan_program p;
	struct plan_reg regs[40];
	struct plan_counter counters[COUNT(raw_counters)];
	struct plan_reg_round rounds[2];
	struct plan_write start[2][20], stop[2][20], freeze[2][2], restore[80];
};

static inline uint16_t row_at(struct assembled *a, uint32_t off, uint8_t kind)
{
	unsigned i = 0;

	while (i < a->p.n_regs && a->regs[i].reg.off != off)
		i++;
	if (i == a->p.n_regs) {
		a->regs[i] = (struct plan_reg){ .reg = MSR(off), .kind = kind,
						.counter = PLAN_NONE,
						.write_enable = PLAN_NONE };
		a->p.n_regs++;
	}
	if (kind != REG_OTHERS && kind > a->regs[i].kind)
		a->regs[i].kind = kind;
	return (uint16_t)i;
}

static inline void assemble_start(struct assembled *a, unsigned round, const struct raw_round *r)
{
	static const uint8_t kinds[] = { REG_WRITE_ENABLE, REG_FILTER, REG_COUNT, REG_CONTROL,
					 REG_BOX, REG_GLOBAL };

	for (unsigned i = 0; i < r->n_writes; i++) {
		const struct raw_write *w = &r->writes[i];
		struct plan_reg *reg;

		a->start[round][i] = (struct plan_write){ .reg = row_at(a, w->off, kinds[w->phase]),
			.phase = w->phase,
							  .value = w->value, .mask = w->mask };
		reg = &a->regs[a->start[round][i].reg];
		reg->mask |= w->mask;
		reg->check |= w->check;
		reg->name = w->name;
		if ((w->off & 0xfef) == 0xe49 || (w->off & 0xfef) == 0xe4a)     /* either S-Box */
			reg->write_enable = row_at(a, (w->off & ~0xfU) | 8, REG_WRITE_ENABLE);
	}
	a->rounds[round] = (struct plan_reg_round){ .start = { a->start[round], r->n_writes },
						    .slots = r->slots,
						    .n_slots = r->n_slots,
						    .clear = prog_clear,
						    .n_clear = COUNT(prog_clear),
						    .freeze.v = a->freeze[round],
						    .stop.v = a->stop[round] };
}

static inline void assemble_counters(struct assembled *a)
{
	for (unsigned i = 0; i < COUNT(raw_counters); i++) {
		const struct raw_counter *k = &raw_counters[i];

		a->counters[i] = (struct plan_counter){
			.ctl = row_at(a, k->ctl, REG_OTHERS),
			.box = k->box ? row_at(a, k->box, REG_OTHERS) : PLAN_NONE,
			.global = row_at(a, 0xc00, REG_OTHERS), .ctl_enable = k->ctl_enable,
			.box_enable = k->box_enable,
			.global_enable = k->global_enable, .data = MSR(k->data),
		};
		strcpy(a->counters[i].name, k->name);
		a->regs[a->counters[i].ctl].counter = (uint16_t)i;
	}
}

/* Controls off, then boxes; all is frozen by the global enable. */
static inline void assemble_stop(struct assembled *a, unsigned round)
{
	struct plan_reg_round *r = &a->rounds[round];

	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_counter *k = &a->counters[r->slots[i].counter];

		r->stop.v[r->stop.n++] = (struct plan_write){ .reg = k->ctl,
			.mask = k->ctl_enable };
	}
	for (unsigned i = 0; i < r->start.n; i++) {
		uint64_t bits = 0;

		for (unsigned s = 0; s < r->n_slots; s++)
			bits |= a->counters[r->slots[s].counter].box == r->start.v[i].reg ?
				a->counters[r->slots[s].counter].box_enable : 0;
		if (bits)
			r->stop.v[r->stop.n++] = (struct plan_write){ .reg = r->start.v[i].reg,
				.mask = bits };
	}
	r->freeze.v[0] = (struct plan_write){ .reg = row_at(a, 0xc00, REG_OTHERS), .mask = EN_ALL };
	r->freeze.v[1] = (struct plan_write){ .reg = r->freeze.v[0].reg, .mask = EN_ALL,
					      .value = EN_ALL };
}

static inline void assemble(struct assembled *a, const struct raw_round *rounds, unsigned n)
{
	memset(a, 0, sizeof(*a));
	a->p = (struct plan_program){ .socket = 1, .rounds = a->rounds, .n_rounds = n,
				      .regs = a->regs,
				      .counters = a->counters, .n_counters = COUNT(raw_counters),
				      .restore.v = a->restore };
	for (unsigned i = 0; i < n; i++)
		assemble_start(a, i, &rounds[i]);
	assemble_counters(a);
	for (unsigned i = 0; i < n; i++)
		assemble_stop(a, i);
	a->p.restore.n = plan_restore_list(a->regs, a->p.n_regs, a->counters, a->restore);
}

static inline void set_freeze(struct assembled *a, bool freeze)
{
	a->p.freezes = freeze;
	for (unsigned i = 0; i < a->p.n_rounds; i++)
		a->rounds[i].freeze.n = freeze ? 2 : 0;
}

/* One round; both; the second alone (a smaller plan after reload). */
static struct assembled assembled_one, assembled_both, assembled_second;
#define prog            (*(const struct plan_program *)&assembled_one.p)
#define prog_both       (*(const struct plan_program *)&assembled_both.p)
#define prog_second     (*(const struct plan_program *)&assembled_second.p)

__attribute__((constructor)) static void assemble_all(void)
{
	assemble(&assembled_one, prog_rounds, 1);
	assemble(&assembled_both, prog_rounds, 2);
	assemble(&assembled_second, &prog_rounds[1], 1);
}

/* Every register that the programs write. */
static const uint32_t prog_written[] = { 0xe48, 0xe49, 0xe4a, 0xe0c, 0xd10, 0xd12, 0xc50,
					 0xc10, 0xe10, 0xe12,
					 0xc00, 0xd00, 0xc40, 0xe00 };

#endif
