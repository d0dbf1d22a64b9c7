/* SPDX-License-Identifier: MIT
 * The uncore registers of Nehalem and Westmere (SDM 3B 18.17.2): map, access,
 * enables, overflow, and what their events count.
 * Owns:  which address is which register, which bits exist, what a read or write does; event codes
 *        and unit mask bits, typed from the lists of libpfm4 and likwid.
 * Never: the catalog; time (model.c).
 * Called with the model's lock held.
 */
#include "model/model_internal.h"

enum { N_GLOBAL = KIND_FAMILY, N_STATUS, N_OVF, N_MATCH };

#define FIRST     0x391u
#define N_REGS   (0x3c7u - FIRST + 1)
#define AT(addr)  ((addr) - FIRST)
#define FIXED     32            /* index of the fixed counter, as its bits in 391, 392 and 393 */
#define PMI_FRZ   BIT(63)
#define EN_PMI    (UINT64_C(0xf) << 48)
#define EN_ALL    (0xff | BIT(FIXED))
#define CHG       BIT(63)
#define OVF_PMI   BIT(61)

static const struct reg_row registers[] = {
	{ AT(0x391), 1, .def = { N_GLOBAL, .bits = EN_ALL | EN_PMI | PMI_FRZ } },
	{ AT(0x392), 1, .def = { N_STATUS, .access = ACCESS_RO, .bits = EN_ALL | OVF_PMI | CHG } },
	{ AT(0x393), 1, .def = { N_OVF, .bits = EN_ALL | OVF_PMI | CHG } },
	{ AT(0x396), 1, .def = { N_MATCH, .bits = UINT64_C(0xe000fffffffffff8) } },
};

static void map(struct register_map *map)
{
	struct reg_def d = { .bits = UINT64_C(0xffd4ffff) };     /* bit 17, a pulse, reads 0 */

	map_rows(map, registers, COUNT(registers));
	for (; d.index < 8; d.index++)
		map_pair(map, AT(0x3c0u + d.index), AT(0x3b0u + d.index), d, MASK48);
	d = (struct reg_def){ .index = FIXED, .fixed = true, .bits = BIT(0) | BIT(2) };
	map_pair(map, AT(0x395), AT(0x394), d, MASK48);
}

/* What the rate of an event depends on. */
enum base { ANY, LOOKUP, MISS, MEM, READ, WRITE, HOME, MATCH };
struct row {
	uint8_t code, nehalem, westmere; /* unit mask bits; NO: the event does not exist there */
	uint8_t base;
	uint8_t max;         /* of each bit in one cycle */
	float scale;
};
#define NO 0xff                         /* no event has eight unit mask bits */
static const struct row rows[] = {
	/* GQ_CYCLES_FULL, NOT_EMPTY */
	{ 0x00, 0x07, 0x07, ANY, 1, 0.05 }, { 0x01, 0x07, 0x07, ANY, 1, 0.60 },
	{ 0x02, NO, 0x01, LOOKUP, 64, 60 },                                       /* GQ_OCCUPANCY */
	{ 0x03, 0x7f, 0x7f, LOOKUP, 1, 2 },                                           /* GQ_ALLOC */
	/* GQ_DATA_FROM, TO */
	{ 0x04, 0x1f, 0x1f, LOOKUP, 1, 1 }, { 0x05, 0x07, 0x07, LOOKUP, 1, 1 },
	/* SNP_RESP_TO_LOCAL, REMOTE_HOME */
	{ 0x06, 0x3f, 0x3f, MISS, 1, 1 }, { 0x07, 0x3f, 0x3f, MISS, 1, 0.5 },
	/* LLC_HITS, MISS */
	{ 0x08, 0x07, 0x07, LOOKUP, 1, 1.5 }, { 0x09, 0x07, 0x07, MISS, 1, 1.5 },
	{ 0x0a, 0x0f, 0x0f, MISS, 1, 1 }, { 0x0b, 0x1f, 0x1f, MISS, 1, 1 }, /* LLC_LINES_IN, OUT */
	{ 0x0c, NO, 0x03, LOOKUP, 1, 0.1 },                                           /* GQ_SNOOP */
	{ 0x20, 0x3f, 0x3f, HOME, 1, 1 },                                       /* QHL_REQUESTS */
	{ 0x21, 0x07, 0x07, ANY, 1, 0.01 }, { 0x22, 0x07, 0x07, ANY, 1, 0.7 },
	{ 0x23, 0x07, 0x07, HOME, 64, 90 },                                     /* QHL_OCCUPANCY */
	{ 0x24, 0x06, 0x06, HOME, 1, 0.01 }, { 0x25, 0x07, 0x07, ANY, 1, 0.02 },
	{ 0x26, 0x01, 0x01, HOME, 1, 0.3 },                             /* QHL_TO_QMC_BYPASS */
	{ 0x27, 0x3f, NO, ANY, 1, 0.02 },                               /* QMC_NORMAL_FULL */
	/* QMC_ISOC_FULL, BUSY */
	{ 0x28, 0x3f, 0x3f, ANY, 1, 0.001 }, { 0x29, 0x3f, 0x3f, ANY, 1, 0.8 },
	/* QMC_OCCUPANCY, ISOC */
	{ 0x2a, 0x07, 0x07, MEM, 64, 30 }, { 0x2b, 0x07, 0x07, MEM, 64, 0.2 },
	/* QMC_NORMAL_READS, HIGH */
	{ 0x2c, 0x07, 0x07, READ, 1, 0.65 }, { 0x2d, 0x07, 0x07, READ, 1, 0.004 },
	/* CRITICAL, QMC_WRITES */
	{ 0x2e, 0x07, 0x07, READ, 1, 0.001 }, { 0x2f, 0x3f, 0x3f, WRITE, 1, 0.35 },
	/* QMC_CANCEL, PRIORITY_UPDATES */
	{ 0x30, 0x07, 0x07, MEM, 1, 0.001 }, { 0x31, 0x07, 0x07, MEM, 1, 0.001 },
	{ 0x32, NO, 0x07, MEM, 1, 0.002 },                                          /* IMC_RETRY */
	{ 0x33, 0x04, 0x07, HOME, 1, 0.002 },                           /* QHL_FRC_ACK_CNFLTS */
	{ 0x34, NO, 0x3f, HOME, 1, 0.02 },                                          /* QHL_SLEEPS */
	{ 0x35, 0x07, 0x07, MATCH, 1, 1 },                              /* ADDR_OPCODE_MATCH */
	/* QPI_TX_STALLED_SINGLE, MULTI */
	{ 0x40, 0x3f, 0x3f, ANY, 1, 0.1 }, { 0x41, 0x3f, 0x3f, ANY, 1, 0.1 },
	/* QPI_TX_HEADER, RX_NO_PPT_CREDIT */
	{ 0x42, 0x0a, 0x0f, ANY, 1, 0.3 }, { 0x43, 0x03, 0x03, ANY, 1, 0.01 },
	/* DRAM_OPEN, PAGE_CLOSE */
	{ 0x60, 0x07, 0x07, MEM, 1, 0.3 }, { 0x61, 0x07, 0x07, MEM, 1, 0.1 },
	/* PAGE_MISS, READ_CAS */
	{ 0x62, 0x07, 0x07, MEM, 1, 0.2 }, { 0x63, 0x3f, 0x3f, READ, 1, 0.65 },
	/* WRITE_CAS, REFRESH */
	{ 0x64, 0x3f, 0x3f, WRITE, 1, 0.35 }, { 0x65, 0x07, 0x07, ANY, 1, 0.0002 },
	{ 0x66, 0x07, 0x07, ANY, 1, 0.0002 },                                       /* PRE_ALL */
	{ 0x67, NO, 0x01, ANY, 1, 0.0001 },                             /* DRAM_THERMAL_THROTTLED */
	{ 0x80, NO, 0x0f, ANY, 1, 0.001 }, { 0x81, NO, 0x0f, ANY, 1, 0.001 },   /* THERMAL_... */
	{ 0x82, NO, 0x01, ANY, 1, 0.00001 }, { 0x83, NO, 0x0f, ANY, 1, 0.001 }, /* PROCHOT_... */
	{ 0x84, NO, 0x0f, ANY, 1, 0.9 },                                            /* TURBO_MODE */
	/* CYCLES_UNHALTED_L3_FLL_... */
	{ 0x85, NO, 0x02, ANY, 1, 0.9 }, { 0x86, NO, 0x01, ANY, 1, 0.1 },
};

/* Requests per cycle of a socket: twice what one of the B-Boxes of a 7500 sees. */
static double row_base(const struct model *m, const struct socket *s, const struct row *r,
		       const struct load *l)
{
	uint64_t match = s->reg[AT(0x396)], sel = bits_get(match, 63, 61);

	switch ((enum base)r->base) {
	case ANY: return l->activity;
	case LOOKUP: return 4 * l->lookups;
	case MISS: return 4 * l->lookups * l->miss;
	case MEM: case HOME: return 2 * l->inserts;
	case READ: return 2 * l->inserts * load_reads(l);
	case WRITE: return 2 * l->inserts * load_writes(l);
	case MATCH:                                  /* 3, 5 and 7 are reserved */
		return sel == 0 || sel == 3 || sel == 5 || sel == 7 ? 0 :
		       2 * l->inserts * (0.05 + 0.9 * workload_hash(m, match));
	}
	return 0;
}

static double events_per_cycle(const struct model *m, const struct socket *s,
			       const struct counter *c, const struct load *l)
{
	uint64_t ctl = s->reg[c->ctl];
	struct dist d = { 0 };
	unsigned picked;

	if (c->fixed)
		return 1;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		unsigned bits = m->family->westmere ? r->westmere : r->nehalem;

		if (r->code != bits_get(ctl, 7, 0) || bits == NO)
			continue;
		picked = (unsigned)bits_get(ctl, 15, 8) & bits;
		d.max = r->max * (unsigned)(picked ? __builtin_popcount(picked) : 1);
		for (unsigned bit = 0; bit < 8; bit++)
			if (picked & BIT(bit))
				d.mean += row_base(m, s, r, l) * (double)r->scale /
					__builtin_popcount(bits) *
					(0.4 + 1.2 * workload_hash(m, r->code << 8 | bit));
	}
	if (d.mean > 0.9 * d.max)
		d.mean = 0.9 * d.max;
	if (d.max == 0)
		return 0;
	return workload_filter(d, (unsigned)bits_get(ctl, 31, 24), ctl & BIT(23), ctl & BIT(18));
}

static bool pmi(const struct socket *s, const struct counter *c)
{
	return s->reg[c->ctl] & BIT(c->fixed ? 2 : 20) && s->reg[AT(0x391)] & EN_PMI;
}

static bool overflow_freezes(const struct socket *s, const struct counter *c)
{
	return c->active && pmi(s, c) && s->reg[AT(0x391)] & PMI_FRZ;
}

static bool enabled(const struct socket *s, const struct counter *c)
{
	return s->reg[c->ctl] & BIT(c->fixed ? 0 : 22) && s->reg[AT(0x391)] & BIT(c->index);
}

static void overflow(struct socket *s, const struct counter *c)
{
	s->reg[AT(0x392)] |= BIT(c->index) | CHG | (pmi(s, c) ? OVF_PMI : 0);
}

/* PMI_FRZ: "software must explicitly re-enable". */
static void freeze(struct socket *s)
{
	s->reg[AT(0x391)] &= ~EN_ALL;
}

static uint64_t do_read(struct model *m, struct socket *s, unsigned regno)
{
	return m->def[regno].kind == N_OVF ? 0 : register_read(m, s, regno);
}

static bool do_write(struct model *m, struct socket *s, unsigned regno, uint64_t value)
{
	if (m->def[regno].kind == N_OVF)
		s->reg[AT(0x392)] &= ~value;
	else
		register_store(m, s, regno, value);
	return true;
}

static const double ghz[] = { UNCORE_GHZ };
static const struct msr_range msrs = { FIRST, N_REGS };

/* `westmere` tells the two event lists apart. */
#define FAMILY .n_regs = N_REGS, .filter_first = N_MATCH, \
	.filter_last = N_MATCH, .ghz = ghz, .map = map, .msrs = &msrs, .n_msrs = 1, \
	.read = do_read, .write = do_write, .store = register_store, \
	.events_per_cycle = events_per_cycle, .enabled = enabled, \
	.overflow_freezes = overflow_freezes, .overflow = overflow, .freeze = freeze
const struct family family_nehalem = { .processor = "nehalem", FAMILY };
const struct family family_westmere = { .processor = "westmere", .westmere = 1, FAMILY };
