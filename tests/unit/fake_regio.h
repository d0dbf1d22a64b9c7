/* fake_regio.h - a register file that remembers every access, and the program that the tests of
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
#define W(p, a, v, m, c, e, n) \
	{ .reg = MSR(a), .value = (v), .mask = (m), .check = (c), .enable = (e), .phase = (p), .name = n }
#define ALL     (~UINT64_C(0))
#define EN22    BIT(22)
#define EN_ALL  BIT(28)
#define RST_ALL BIT(29)

enum { CBOX0_0, CBOX0_1, SBOX0_0, UBOX_0, RBOX_0, RBOX_1, N_SLOTS };

/* Counters of the socket: the six that we use, and two of somebody else. */
static struct plan_counter prog_counters[] = {
	{ MSR(0xd10), MSR(0xd00), MSR(0xc00), EN22, 1, EN_ALL, "cbox0 counter 0", 0, MSR(0xd11) },
	{ MSR(0xd12), MSR(0xd00), MSR(0xc00), EN22, 2, EN_ALL, "cbox0 counter 1", 0, MSR(0xd13) },
	{ MSR(0xc50), MSR(0xc40), MSR(0xc00), EN22, 1, EN_ALL, "sbox0 counter 0", 0, MSR(0xc51) },
	{ MSR(0xc10), MSR(0), MSR(0xc00), EN22, 0, EN_ALL | 1, "ubox0 counter 0", 0, MSR(0xc11) },
	{ MSR(0xe10), MSR(0xe00), MSR(0xc00), 1, 1, EN_ALL, "rbox0 counter 0", 0, MSR(0xe11) },
	{ MSR(0xe12), MSR(0xe00), MSR(0xc00), 1, 2, EN_ALL, "rbox0 counter 1", 0, MSR(0xe13) },
	{ MSR(0xd14), MSR(0xd00), MSR(0xc00), EN22, 4, EN_ALL, "cbox0 counter 2", 0, MSR(0xd15) },
	{ MSR(0xc32), MSR(0xc20), MSR(0xc00), 1, 2, EN_ALL, "bbox0 counter 1", 0, MSR(0xc33) },
};

#define S_CTL (EN22 | BIT(17) | 0x0300)         /* with the occupancy reset, a pulse */
#define S_CHECK (ALL & ~BIT(17))
static struct plan_write prog_writes[] = {
	/* 0 */ W(PHASE_STOP, 0xe48, 0, BIT(63), 0, 0, "S0_MSR_MM_CFG"),
	/* 1 */ W(PHASE_SELECT, 0xe49, 0x1234, ALL, ALL, 0, "S0_MSR_MATCH"),
	/* 2 */ W(PHASE_SELECT, 0xe4a, 0x5678, ALL, ALL, 0, "S0_MSR_MASK"),
	/* 3 */ W(PHASE_SELECT, 0xe48, BIT(63), BIT(63), BIT(63), 0, "S0_MSR_MM_CFG"),
	/* 4 */ W(PHASE_SELECT, 0xe0c, 0x2211, 0xffff, 0xffff, 0, "R_MSR_PORT0_QLX_CFG"),
	/* 5 */ W(PHASE_ENABLE_COUNTER, 0xd10, EN22 | 0x0f15, ALL, ALL, EN22, "CB0_CR_C_MSR_PMON_EVT_SEL_0"),
	/* 6 */ W(PHASE_ENABLE_COUNTER, 0xd12, EN22 | 0x0114, ALL, ALL, EN22, "CB0_CR_C_MSR_PMON_EVT_SEL_1"),
	/* 7 */ W(PHASE_ENABLE_COUNTER, 0xc50, S_CTL, ALL, S_CHECK, EN22, "SR0_CR_S_MSR_PMON_EVT_SEL_0"),
	/* 8 */ W(PHASE_ENABLE_COUNTER, 0xc10, EN22 | 0x42, ALL, ALL, EN22, "U_MSR_PMON_EVT_SEL"),
	/* 9 */ W(PHASE_ENABLE_COUNTER, 0xe10, 1 | 2 << 1, ALL, ALL, 1, "R_MSR_PMON_CTL0"),
	/* 10 */ W(PHASE_ENABLE_COUNTER, 0xe12, 1 | 3 << 1, ALL, ALL, 1, "R_MSR_PMON_CTL1"),
	/* 11 */ W(PHASE_ENABLE_BOX, 0xc00, 1, 1, 1, 0, "U_MSR_PMON_GLOBAL_CTL"),
	/* 12 */ W(PHASE_ENABLE_BOX, 0xd00, 3, 3, 3, 0, "CB0_CR_C_MSR_PMON_GLOBAL_CTL"),
	/* 13 */ W(PHASE_ENABLE_BOX, 0xc40, 1, 1, 1, 0, "SR0_CR_S_MSR_PMON_GLOBAL_CTL"),
	/* 14 */ W(PHASE_ENABLE_BOX, 0xe00, 3, 3, 3, 0, "R_MSR_PMON_GLOBAL_CTL_7_0"),
	/* 15 */ W(PHASE_ENABLE_GLOBAL, 0xc00, EN_ALL, EN_ALL | RST_ALL, EN_ALL, 0, "U_MSR_PMON_GLOBAL_CTL"),
};

static struct plan_regslot prog_slots[N_SLOTS] = {
	[CBOX0_0] = { MSR(0xd11), 1, MSR(0xd02), 0, { 5, 12, 15 }, 3, { 0 } },
	[CBOX0_1] = { MSR(0xd13), 2, MSR(0xd02), 1, { 6, 12, 15 }, 3, { 0 } },
	[SBOX0_0] = { MSR(0xc51), 1, MSR(0xc42), 2, { 0, 1, 2, 3, 7, 13, 15 }, 7, { 0 } },
	[UBOX_0] = { MSR(0xc11), 0, MSR(0), 3, { 8, 11, 15 }, 3, { 0 } },
	[RBOX_0] = { MSR(0xe11), 0, MSR(0), 4, { 4, 9, 14, 15 }, 4, { 0 } },
	[RBOX_1] = { MSR(0xe13), 0, MSR(0), 5, { 4, 10, 14, 15 }, 4, { 0 } },
};

/* A second round: one counter with another event, other bits of QLX, half of them the first round's
 * too. */
static struct plan_write prog_writes2[] = {
	W(PHASE_SELECT, 0xe0c, 0x334400, 0xffff00, 0xffff00, 0, "R_MSR_PORT0_QLX_CFG"),
	W(PHASE_ENABLE_COUNTER, 0xd10, EN22 | 0x0f22, ALL, ALL, EN22, "CB0_CR_C_MSR_PMON_EVT_SEL_0"),
	W(PHASE_ENABLE_COUNTER, 0xe12, 1 | 4 << 1, ALL, ALL, 1, "R_MSR_PMON_CTL1"),
	W(PHASE_ENABLE_BOX, 0xd00, 1, 1, 1, 0, "CB0_CR_C_MSR_PMON_GLOBAL_CTL"),
	W(PHASE_ENABLE_BOX, 0xe00, 2, 2, 2, 0, "R_MSR_PMON_GLOBAL_CTL_7_0"),
	W(PHASE_ENABLE_GLOBAL, 0xc00, EN_ALL, EN_ALL | RST_ALL, EN_ALL, 0, "U_MSR_PMON_GLOBAL_CTL"),
};
static struct plan_regslot prog_slots2[] = {
	{ MSR(0xd11), 1, MSR(0xd02), 0, { 1, 3, 5 }, 3, { 0 } },
	{ MSR(0xe13), 0, MSR(0), 5, { 0, 2, 4, 5 }, 4, { 0 } },
};

#define FREEZE { MSR(0xc00), .mask = EN_ALL, .go = EN_ALL, .seen = EN_ALL }
static struct plan_reground prog_rounds[] = {
	{ .writes = prog_writes, .n_writes = COUNT(prog_writes), .slots = prog_slots, .n_slots = COUNT(prog_slots), .freeze = FREEZE },
	{ .writes = prog_writes2, .n_writes = COUNT(prog_writes2), .slots = prog_slots2, .n_slots = COUNT(prog_slots2), .freeze = FREEZE },
};

#define PROGRAM(rounds_, n_) { \
	.socket = 1, .rounds = (rounds_), .n_rounds = (n_), .counters = prog_counters, \
	.n_counters = COUNT(prog_counters), .global_enable = EN_ALL, .global_reset = RST_ALL }
/* One round; both; the second alone (a smaller plan after reload). */
static const struct plan_program prog = PROGRAM(prog_rounds, 1);
static const struct plan_program prog_both __attribute__((unused)) = PROGRAM(prog_rounds, 2);
static const struct plan_program prog_second __attribute__((unused)) = PROGRAM(&prog_rounds[1], 1);

/* Every register that the programs write. */
static const uint32_t prog_written[] = { 0xe48, 0xe49, 0xe4a, 0xe0c, 0xd10, 0xd12, 0xc50,
					 0xc10, 0xe10, 0xe12,
					 0xc00, 0xd00, 0xc40, 0xe00 };

#endif
