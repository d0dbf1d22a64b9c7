/* SPDX-License-Identifier: MIT
 * The uncore registers of the Xeon 7500 (323535-001) and of Westmere-EX, which
 * has two C-Boxes more and wider fields in the M-Box: map, access, enables, overflow chain.
 * Owns:  which address is which register, which bits exist, what a read or write does.
 * Never: how often events happen (nehalem_ex_events.c), time (model.c).
 * Called with the model's lock held.
 */
#include "model/model_internal.h"


/* U global control and status, Tables 2-2 and 2-3. */
#define U_FRZ_ALL  BIT(31)
#define U_RST_ALL  BIT(29)
#define U_EN_ALL   BIT(28)
#define U_COND     BIT(31)
#define U_PMI      BIT(30)
#define U_OV_S0    BIT(3)
#define U_OV_S1    BIT(2)
#define U_OV_W     BIT(1)
#define U_OV_U     BIT(0)
#define U_CTL      REGNO(0xc00)
#define U_STATUS   REGNO(0xc01)
#define W_STATUS   REGNO(0xc81)
#define MM_EN      BIT(63)

#define RSV_62_61     (BIT(62) | BIT(61))
#define EVSEL_32      UINT64_C(0xffd4ffff) /* threshold, invert, en, pmi_en, edge, umask, ev_sel */
/* Tables 2-51, 2-52 */
#define XBR_FIELDS    UINT64_C(0xf000f8003fff8)  /* 51:48, 35:31, 17:3 */

/* Global control at `base`, status + 1, overflow control + 2, control/counter pairs + 0x10. */
static const struct {
	uint8_t units, counters;                /* C-Boxes: as many as the variant has */
	uint16_t base[10];
	uint64_t ctl, rsv;
} boxes[] = {
	[BOX_U] = { 1, 1, { 0xc00 }, 0x5400ff, BIT(62) },
	[BOX_C] = { 0, 6, { 0xd00, 0xd80, 0xd40, 0xdc0, 0xd20, 0xda0, 0xd60, 0xde0, 0xf40, 0xfc0 },
		    EVSEL_32, RSV_62_61 },
	[BOX_B] = { 2, 4, { 0xc20, 0xc60 }, 0x10003f, RSV_62_61 | BIT(50) },
	[BOX_S] = { 2, 4, { 0xc40, 0xcc0 }, EVSEL_32, RSV_62_61 },
	[BOX_R] = { 2, 8, { 0xe00, 0xe20 }, 0x7f, RSV_62_61 },
	[BOX_M] = { 2, 6, { 0xca0, 0xce0 }, 0x383eff, RSV_62_61 | 0x1c7c100 },
	[BOX_W] = { 1, 4, { 0xc80 }, EVSEL_32, RSV_62_61 | BIT(50) },
};

/* Global control, status, overflow control and the pairs of one unit. */
static void map_unit(struct register_map *map, unsigned box, unsigned unit)
{
	unsigned base = REGNO(boxes[box].base[unit]);
	uint64_t ov = bits_mask(boxes[box].counters - 1u, 0);
	struct reg_def d = { .box = (uint8_t)box, .unit = (uint8_t)unit };

	if (box == BOX_W)
		ov |= BIT(31);
	d.kind = KIND_GLOBAL;
	d.bits = box == BOX_U ? U_FRZ_ALL | U_RST_ALL | U_EN_ALL | bits_mask(8, 0) : ov;
	d.rsv = box == BOX_U ? BIT(30) | bits_mask(27, 9) : 0;
	map_put(map, base, d);
	d.rsv = 0;
	d.kind = KIND_STATUS;
	d.access = box == BOX_R ? ACCESS_RO : ACCESS_RW;
	d.bits = box == BOX_U ? U_COND | U_PMI | bits_mask(3, 0) : ov;
	map_put(map, base + 1, d);
	d.kind = KIND_OVF;
	/* Tables 2-39, 2-1; 2-9, 2-25 */
	d.access = box == BOX_R || box == BOX_U ? ACCESS_RW : ACCESS_WO;
	map_put(map, base + 2, d);
	d.access = ACCESS_RW;
	d.bits = boxes[box].ctl;
	d.rsv = boxes[box].rsv;
	for (; d.index < boxes[box].counters; d.index++)
		map_pair(map, base + 0x10 + 2u * d.index, base + 0x11 + 2u * d.index, d, MASK48);
}

/* Crossbar match set 1 (index 0 to 3) or 2 (4 to 7) of the ports of each half, Tables 2-50 to
 * 2-52. */
#define XBR_ROW(at, kind_, first, bits_, rsv_) \
	{ at, 2, 0x20, 4, 4, \
	  .def = { kind_, BOX_R, .index = first, .bits = bits_, .rsv = rsv_ } }
#define XBR(at, first) \
	XBR_ROW(at, KIND_XBR_CFG, first, BIT(63) | 0x3fffff, 0), \
	XBR_ROW(at + 1, KIND_XBR_MATCH, first, XBR_FIELDS, ~XBR_FIELDS), \
	XBR_ROW(at + 2, KIND_XBR_MASK, first, XBR_FIELDS, ~XBR_FIELDS)

/* Filters of B, S and M, sub-controls of M and R; summaries and clocks. */
static const struct reg_row rows[] = {
	{ REGNO(0xe45), 2, 8, .def = { KIND_MATCH, BOX_B, .bits = UINT64_MAX >> 4 } },
	{ REGNO(0xe46), 2, 8, .def = { KIND_MASK, BOX_B, .bits = UINT64_MAX >> 4 } },
	{ REGNO(0xe48), 2, 0x10, .def = { KIND_MM_CFG, BOX_S, .bits = MM_EN } },
	{ REGNO(0xe49), 2, 0x10, .def = { KIND_MATCH, BOX_S, .bits = UINT64_MAX } },
	{ REGNO(0xe4a), 2, 0x10, .def = { KIND_MASK, BOX_S, .bits = UINT64_MAX >> 25 } },
	{ REGNO(0xc43), 2, 0x80, .def = { KIND_SUMMARY, BOX_S, .access = ACCESS_RO,
					 .bits = 0xd0005 } },
	{ REGNO(0xca4), 2, 0x40, .def = { KIND_STAMP, BOX_M, .access = ACCESS_RO,
					 .bits = 0xffff } },
	{ REGNO(0xca5), 2, 0x40, .def = { KIND_DSP, BOX_M, .bits = 0x780 } },
	{ REGNO(0xca6), 2, 0x40, .def = { KIND_ISS, BOX_M, .bits = 0x3ff }, .westmere = 0x400 },
	{ REGNO(0xca7), 2, 0x40, .def = { KIND_MAP, BOX_M, .bits = 0x1ff }, .westmere = 0x200 },
	{ REGNO(0xca8), 2, 0x40, .def = { KIND_THR, BOX_M, .bits = 0x7f8 } },
	{ REGNO(0xca9), 2, 0x40, .def = { KIND_PGT, BOX_M, .bits = 0x41 }, .westmere = 0x800 },
	{ REGNO(0xcaa), 2, 0x40, .def = { KIND_PLD, BOX_M, .bits = 0x1f01 },
	  .westmere = 0x1ffe080 },
	{ REGNO(0xcab), 2, 0x40, .def = { KIND_FVC, BOX_M, .bits = 0xffffff },
	  .westmere = 0x1000000 },
	{ REGNO(0xe54), 2, 8, .def = { KIND_MM_CFG, BOX_M, .bits = MM_EN } },
	{ REGNO(0xe55), 2, 8, .def = { KIND_MATCH, BOX_M, .bits = UINT64_MAX >> 30 } },
	{ REGNO(0xe56), 2, 8, .def = { KIND_MASK, BOX_M, .bits = UINT64_MAX >> 36 } },
	{ REGNO(0xe04), 2, 4, 4, 1, .def = { KIND_IPERF0, BOX_R, .bits = 0xff3fffff } },
	{ REGNO(0xe24), 2, 4, 4, 1, .def = { KIND_IPERF1, BOX_R, .bits = 0xff3fffff } },
	{ REGNO(0xe0c), 2, 0x20, 4, 1, .def = { KIND_QLX, BOX_R, .bits = 0xffff } },
	XBR(REGNO(0xe60), 0), XBR(REGNO(0xe70), 4),
	{ REGNO_TSC, 1, .def = { KIND_TSC, BOX_CPU, .access = ACCESS_RO, .bits = UINT64_MAX } },
};

static void map(struct register_map *map)
{
	for (unsigned box = 0; box < COUNT(boxes); box++)
		for (unsigned u = 0; u < (box == BOX_C ? map->family->cboxes : boxes[box].units);
		     u++)
			map_unit(map, box, u);
	map_rows(map, rows, COUNT(rows));
	map_pair(map, REGNO_FIXED_CTL, REGNO_FIXED_CTR,
		 (struct reg_def){ .box = BOX_W, .index = 31, .fixed = true, .bits = 1 }, MASK48);
}

static unsigned unit_base(const struct counter *c)
{
	return REGNO(boxes[c->box].base[c->unit]);
}

static bool counter_pmi_en(const struct socket *s, const struct counter *c)
{
	unsigned bit = 20;

	if (c->box == BOX_R)
		bit = 6;
	else if (c->box == BOX_M)
		bit = 1;
	return !c->fixed && s->reg[c->ctl] & BIT(bit);
}

/* The counter's enable, the bit in its box and en_all; U-Box: also bit 0 of C00 (2.1.2). */
static bool enabled(const struct socket *s, const struct counter *c)
{
	bool low = c->fixed || c->box == BOX_B || c->box == BOX_R || c->box == BOX_M;
	uint64_t all = s->reg[U_CTL];

	return all & U_EN_ALL && !(all & U_RST_ALL) && s->reg[c->ctl] & BIT(low ? 0 : 22) &&
	       s->reg[unit_base(c)] & BIT(c->index);
}

/* An overflow does not freeze the socket while the counter's overflow bit is set (2.3.2.1). */
static bool overflow_freezes(const struct socket *s, const struct counter *c)
{
	if (!c->active || !(s->reg[U_CTL] & U_FRZ_ALL) || !counter_pmi_en(s, c))
		return false;
	return !(s->reg[c->box == BOX_U ? U_STATUS : unit_base(c) + 1] & BIT(c->index));
}

/* The summary register of an S-Box: overflows of the boxes on its side (Table 2-26). */
static uint64_t summary(const struct socket *s, unsigned side)
{
	/* The bit of Westmere-EX's C8 and C9 is not documented; here it is that of C0 and C4. */
	static const struct { uint16_t status[2]; uint8_t bit; } from[] = {
		{ { 0xf41, 0xfc1 }, 2 },
		{ { 0xd01, 0xd21 }, 2 }, { { 0xd81, 0xda1 }, 2 },     /* C0, C1 | C4, C5 */
		{ { 0xd41, 0xd61 }, 0 }, { { 0xdc1, 0xde1 }, 0 },     /* C2, C3 | C6, C7 */
		{ { 0xc21, 0xc61 }, 16 }, { { 0xca1, 0xce1 }, 16 },   /* B, M */
		{ { 0xc41, 0xcc1 }, 18 }, { { 0xe01, 0xe21 }, 19 },   /* S, R */
	};
	uint64_t v = 0;

	for (size_t i = 0; i < COUNT(from); i++)
		if (s->reg[REGNO(from[i].status[side])])
			v |= BIT(from[i].bit);
	return v;
}

/* A cleared overflow bit clears those above it, unless another one sets them (2.1.4 b). */
static void summaries_follow(struct socket *s)
{
	if (!summary(s, 0))
		s->reg[U_STATUS] &= ~U_OV_S0;
	if (!summary(s, 1))
		s->reg[U_STATUS] &= ~U_OV_S1;
	if (!s->reg[W_STATUS])
		s->reg[U_STATUS] &= ~U_OV_W;
}

static unsigned counter_side(const struct counter *c)
{
	if (c->box != BOX_C)
		return c->unit;
	return c->unit < 8 ? c->unit / 4 : c->unit - 8;
}

/* A carry out of bit 47 sets the bits of box and socket and sends the PMI. */
static void overflow(struct socket *s, const struct counter *c)
{
	if (c->box == BOX_U) {
		s->reg[U_STATUS] |= U_OV_U;
	} else {
		s->reg[unit_base(c) + 1] |= BIT(c->index);
		if (c->box == BOX_W)
			s->reg[U_STATUS] |= U_OV_W;
		else
			s->reg[U_STATUS] |= counter_side(c) ? U_OV_S1 : U_OV_S0;
	}
	if (counter_pmi_en(s, c))
		s->reg[U_STATUS] |= U_PMI;
}

static void freeze(struct socket *s)
{
	s->reg[U_CTL] &= ~U_EN_ALL;
	s->reg[U_STATUS] |= U_COND;
}

/* M-Box counters with wrap_mode 0 stop when they overflow (Table 2-67); all others count on. */
static bool wraps(const struct socket *s, const struct counter *c)
{
	return c->box != BOX_M || s->reg[c->ctl] & BIT(6);
}

static uint64_t read_ctr(struct model *m, struct socket *s, struct counter *c)
{
	uint64_t value = counter_read(m, s, c);
	bool wrong = s->erratum && c->box == BOX_W && (value & 0xffffff) <= 1;

	return wrong ? (value + 0x1000000) & c->mask : value;
}

static uint64_t do_read(struct model *m, struct socket *s, unsigned regno)
{
	const struct reg_def *d = &m->def[regno];

	switch (d->kind) {
	case KIND_CTR:
		return read_ctr(m, s, &s->ctr[d->counter]);
	case KIND_STAMP:                                    /* M-Box clock */
		return (uint64_t)((__int128)m->now * 4 / 3) & 0xffff;
	case KIND_TSC:                                      /* 2.266 GHz */
		return (uint64_t)((__int128)m->now * 2266 / 1000);
	case KIND_SUMMARY:
		socket_sync(m, s);
		return summary(s, d->unit);
	default:
		return register_read(m, s, d->kind == KIND_OVF ? regno - 1 : regno);
	}
}

static void reset_all(struct socket *s)
{
	for (unsigned i = 0; i < s->n_counters; i++) {
		s->ctr[i].value = 0;
		s->ctr[i].stopped = false;
	}
}

static void store(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	const struct reg_def *d = &m->def[regno];

	if (d->kind == KIND_CTR && s->reg[U_CTL] & U_RST_ALL)
		value = 0;
	register_store(m, s, regno, value);
	if (regno == U_CTL && value & U_RST_ALL)
		reset_all(s);
	if (d->kind == KIND_STATUS)
		summaries_follow(s);
}

static bool do_write(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	const struct reg_def *d = &m->def[regno];

	if (d->box == BOX_S && (d->kind == KIND_MATCH || d->kind == KIND_MASK) &&
	    s->reg[REGNO(0xe48u + 0x10u * d->unit)] & MM_EN)
		return false;                               /* 2.5.3.4 b */
	if (d->kind == KIND_OVF) {                          /* 1 clears */
		regno--;
		value = s->reg[regno] & ~value;
	}
	store(m, s, regno, value);
	return true;
}

static const double ghz[] = {
	[BOX_U] = UNCORE_GHZ, [BOX_C] = UNCORE_GHZ, [BOX_B] = UNCORE_GHZ, [BOX_S] = UNCORE_GHZ,
	[BOX_R] = UNCORE_GHZ, [BOX_M] = MBOX_GHZ, [BOX_W] = UNCORE_GHZ,
};

/* The block; the fixed counter and its control; the time stamp counter. */
static const struct msr_range msrs[] = {
	{ BLOCK_FIRST, BLOCK_LAST - BLOCK_FIRST + 1 }, { 0x394, 2 }, { 0x10, 1 },
};

#define NHMEX_FAMILY .n_regs = NHMEX_REGS, .filter_first = KIND_MM_CFG, .filter_last = KIND_FVC, \
	.ghz = ghz, .map = map, .msrs = msrs, .n_msrs = COUNT(msrs), \
	.read = do_read, .write = do_write, .store = store, \
	.events_per_cycle = nhmex_events_per_cycle, .enabled = enabled, \
	.overflow_freezes = overflow_freezes, .overflow = overflow, .freeze = freeze, \
	.wraps = wraps
const struct family family_nehalem_ex = {
	.processor = "nehalem-ex", .cboxes = 8, NHMEX_FAMILY,
};
const struct family family_westmere_ex = {
	.processor = "westmere-ex", .cboxes = 10, .westmere = 1, NHMEX_FAMILY,
};
