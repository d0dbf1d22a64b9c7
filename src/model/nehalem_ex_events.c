/* SPDX-License-Identifier: MIT
 * What U, C, B, S and W control registers select, and how often it happens per cycle.
 * Owns:  event codes, unit mask bits, largest increments, typed from 323535-001 Tables 2-8, 2-15,
 *        2-24, 2-37 and 2-102; the rates that the events have in a load.
 * Never: the catalog.
 * Pure; any thread.
 */
#include "model/model_internal.h"

/* What the rate of an event depends on. Sub-events of a row without parts get a share by hash. */
enum base {
	ANY,                 /* activity x a hash of the selection */
	LOOKUP, HIT, MISS, SNP,                        /* per C-Box */
	REQ, TO_RB, TO_LR, DATA_R, DATA_B,           /* per S-Box: four C-Boxes */
	INSERT, INSERT_RD, INSERT_WR, CONFLICT, IMT, TF, TF_WR, IMT_BUSY, MATCH_B,   /* per B-Box */
	MATCH_S,
};
enum form {
	COUNT_IT,
	NOT_EMPTY,           /* cycles in which a queue of that mean occupancy holds something */
	FULL,                /* cycles in which it is full */
	FULL_ONE,	/* the same; several sub-events at once are undefined: nothing counts */
	ANY_OF,              /* sub-events overlap: one count a cycle */
};
struct row {
	uint8_t code, umask; /* umask: the bits that exist; 0: the event has no sub-events; a fifth
			      * C-Box apart */
	uint8_t max;         /* largest increment; 0: the number of sub-events selected */
	uint8_t base, form;
	float scale;         /* events per base; queues: cycles that an entry stays */
	float part[8];       /* of each sub-event */
	bool westmere_only;  /* Westmere-EX */
	uint8_t last;        /* the row is for all codes up to this one; 0: for one */
};

/* An event without sub-events, that happens once a cycle at most. */
#define ONE(code_, base_, scale_) { code_, 0x00, 1, base_, .scale = scale_ }
/* How much a queue holds, and behind it what enters the queue. */
#define ENTRIES(occupancy, max_, base_, cycles) \
	{ occupancy, 0x00, max_, base_, .scale = cycles }, ONE(occupancy + 1, base_, 1)
#define FIVE   0x1f                  /* unit mask bits of the C-Boxes; the last is Westmere-EX's */
#define CBOXES .part = { 0.28, 0.26, 0.24, 0.22, 0.20 }
/* A queue: cycles in which it is full, cycles in which it holds something, how much it holds. */
#define QUEUE(full_, not_empty, occupancy, umask_, max_, base_, cycles, ...) \
	{ full_, umask_, 1, base_, (umask_) == FIVE ? FULL_ONE : FULL, .scale = cycles, \
	  __VA_ARGS__ }, \
	{ not_empty, umask_, 1, base_, NOT_EMPTY, .scale = cycles, __VA_ARGS__ }, \
	{ occupancy, umask_, max_, base_, .scale = cycles, __VA_ARGS__ }

static const struct { const struct row *rows; size_t n; } tables[BOX_CPU][4] = {
	[BOX_C] = { ROWS(
	  { 0x01, 0x03, 1, ANY, .scale = 0.05, .last = 0x03 },         /* BOUNCES_P2C_AD */
	  ONE(0x04, ANY, 0.02),
	  { 0x05, 0x07, 3, LOOKUP, .scale = 1.5 },       /* SINKS_P2C */
	  { 0x06, 0x07, 3, LOOKUP, .scale = 2.2 },
	  { 0x07, 0x07, 3, MISS, .scale = 3.0 },
	  ONE(0x08, MISS, 0.2),
	  { 0x09, 0x7f, 7, LOOKUP, .scale = 6.0 },       /* ARB_WINS, ARB_LOSSES */
	  { 0x0a, 0x7f, 7, LOOKUP, .scale = 1.0 },
	  { 0x0b, 0xff, 8, ANY, .scale = 0.1 },
	  { 0x0c, 0xff, 7, LOOKUP, .scale = 3.0 },
	  { 0x0e, 0x0f, 1, LOOKUP, .scale = 0.5 },
	  ONE(0x10, LOOKUP, 1.0),                        /* MAF_ACK */
	  { 0x11, 0xff, 1, LOOKUP, .scale = 0.2 },
	  { 0x12, 0xff, 1, LOOKUP, .scale = 0.1 },
	  { 0x14, 0x07, 1, MISS, .scale = 1, .part = { 0.05, 0.05, 0.90 } }, /* LLC_MISSES S F I */
	  /* LLC_HITS M E S F */
	  { 0x15, 0x0f, 1, HIT, .scale = 1, .part = { 0.35, 0.25, 0.25, 0.15 } },
	  { 0x16, 0x0f, 1, MISS, .scale = 1, .part = { 0.05, 0.60, 0.20, 0.15 } }, /* LLC_S_FILLS */
	  /* LLC_VICTIMS */
	  { 0x17, 0x1f, 1, MISS, .scale = 1, .part = { 0.35, 0.30, 0.20, 0.10, 0.05 } },
	  /* OCCUPANCY_IRQ, TRANS_IRQ ... */
	  ENTRIES(0x18, 24, LOOKUP, 10), ENTRIES(0x1a, 8, SNP, 8),
	  { 0x1c, 0x00, 8, MISS, .scale = 12 }, ONE(0x1d, MISS, 0.95),
	  ENTRIES(0x1e, 16, LOOKUP, 60), ENTRIES(0x20, 12, LOOKUP, 20), ENTRIES(0x22, 8, SNP, 6),
	  { 0x27, 0x03, 1, SNP, .scale = 1, .part = { 0.7, 0.3 } },                   /* SNPS */
	  { 0x28, 0xff, 1, SNP, .scale = 1,
	    .part = { 0.05, 0.06, 0.07, 0.04, 0.03, 0.02, 0.02, 0.01 } },         /* SNP_HITS */
	  /* likwid has only the names of these. SPL_*, IGR_OP_*, SPOOF_CRD_EMPTY, IDF_*, SPOOF_*,
	   * IGR_BID_BLOCKED */
	  { 0x29, 0x00, 1, ANY, .scale = 0.02, .westmere_only = true, .last = 0x32 },
	  { 0x35, 0x00, 1, ANY, .scale = 0.03, .westmere_only = true, .last = 0x37 },
	  { 0x3a, 0x00, 1, ANY, .scale = 0.04, .westmere_only = true, .last = 0x3c },
	  /* ARB_WINS_P2C_SB, NSB */
	  { 0x33, 0x00, 1, LOOKUP, .scale = 0.5, .westmere_only = true },
	  { 0x34, 0x00, 1, LOOKUP, .scale = 0.4, .westmere_only = true },
	  /* BOUNCE_ASSERT, DEASSERT */
	  { 0x38, 0x00, 1, ANY, .scale = 0.01, .westmere_only = true, .last = 0x39 }) },
	/* System bound: HOM to R and B, SNP, NDR and DRS, NCB, NCS of four C-Boxes. Ring bound
	 * below. */
	[BOX_S] = { ROWS(
	  ONE(0x00, MATCH_S, 1),                       /* TO_R_PROG_EV */
	  QUEUE(0x03, 0x06, 0x07, 0x03, 64, TO_RB, 40),
	  QUEUE(0x08, 0x09, 0x0a, 0x00, 32, REQ, 12),
	  QUEUE(0x0b, 0x0c, 0x0d, 0x00, 16, REQ, 6),
	  QUEUE(0x0e, 0x0f, 0x10, FIVE, 64, REQ, 8, CBOXES),
	  QUEUE(0x11, 0x12, 0x13, FIVE, 64, REQ, 0.4, CBOXES),
	  QUEUE(0x14, 0x15, 0x16, FIVE, 64, REQ, 0.1, CBOXES),
	  { 0x20, 0x00, 1, REQ, FULL, .scale = 9 },    /* TO_RING_SNP, NCB, NCS */
	  { 0x21, 0x00, 1, REQ, FULL, .scale = 0.5 },
	  { 0x22, 0x00, 1, REQ, FULL, .scale = 0.2 },
	  { 0x23, 0x00, 1, REQ, NOT_EMPTY, .scale = 9 },
	  { 0x24, 0x00, 1, REQ, NOT_EMPTY, .scale = 0.5 },
	  { 0x25, 0x00, 1, REQ, NOT_EMPTY, .scale = 0.2 },
	  { 0x26, 0x07, 36, REQ, .scale = 9.7, .part = { 0.92, 0.02, 0.06 } },
	  QUEUE(0x27, 0x28, 0x29, 0x00, 32, REQ, 14),
	  QUEUE(0x2a, 0x2c, 0x2e, 0x00, 8, DATA_R, 11),         /* TO_RING_R2S */
	  QUEUE(0x2b, 0x2d, 0x2f, 0x00, 8, DATA_B, 11),         /* TO_RING_B2S */
	  ONE(0x30, REQ, 0.1),
	  { 0x31, 0x03, 48, TO_LR, .scale = 180 },             /* REQ_TBL_OCCUPANCY */
	  { 0x40, 0x3f, 0, ANY, .scale = 0.5 },
	  { 0x41, 0x3f, 0, ANY, .scale = 0.5 },
	  { 0x42, 0x3f, 0, ANY, .scale = 0.1 },
	  { 0x43, 0x3f, 0, ANY, .scale = 0.02 },
	  ONE(0x50, REQ, 0.3), { 0x51, 0x03, 0, REQ, .scale = 0.3 }, ONE(0x52, REQ, 0.4),
	  ONE(0x53, DATA_B, 0.5), ONE(0x54, REQ, 0.35),
	  { 0x60, 0x03, 0, TO_RB, .scale = 1 },                /* PKTS_SENT_HOM */
	  ONE(0x62, REQ, 0.45), ONE(0x63, REQ, 0.30),
	  { 0x64, FIVE, 0, REQ, .scale = 0.35, CBOXES },       /* PKTS_SENT_DRS, FLITS_SENT_DRS */
	  ONE(0x65, REQ, 0.35 * 9),
	  { 0x66, FIVE, 0, REQ, .scale = 0.004, CBOXES },
	  ONE(0x67, REQ, 0.004 * 3),
	  { 0x68, FIVE, 0, REQ, .scale = 0.010, CBOXES },
	  { 0x69, 0x00, 11, REQ, .scale = 0.010 * 11 },
	  ONE(0x6a, REQ, 0.6), ONE(0x6b, REQ, 0.5),
	  { 0x6c, 0x03, 0, TO_LR, .scale = 1 },                /* TO_R_B_REQUESTS */
	  ONE(0x70, REQ, 0.9), ONE(0x71, REQ, 0.5),          /* PKTS_RCVD_NDR, SNP, DRS, NCS, NCB */
	  { 0x72, 0x00, 9, DATA_R, .scale = 1 },
	  ONE(0x73, DATA_B, 1), ONE(0x74, REQ, 0.003), ONE(0x75, REQ, 0.008), ONE(0x76, REQ, 0.7),
	  ONE(0x77, REQ, 0.6),
	  { 0x80, 0x00, 1, ANY, .scale = 0.04, .last = 0x82 }, /* NO_CREDIT_HOM ... */
	  { 0x83, 0x00, 1, ANY, .scale = 0.01, .last = 0x84 },
	  ONE(0x85, ANY, 0.04),
	  { 0x86, 0x03, 0, ANY, .scale = 0.06 },
	  { 0x87, 0x00, 1, ANY, .scale = 0.02, .last = 0x8a },
	  { 0x8b, 0x00, 1, ANY, .scale = 0.01, .westmere_only = true },        /* local NCS */
	  QUEUE(0x8c, 0x8d, 0x8e, FIVE, 64, REQ, 0.1, CBOXES, .westmere_only = true),
	  { 0x8f, 0x00, 1, REQ, .scale = 0.003, .westmere_only = true },
	  { 0x90, 0x00, 1, REQ, .scale = 0.009, .westmere_only = true }) },
	/* Each B-Box counter has events of its own. Of the inserts 60 % usually read, 32 % write,
	 * 8 % are InvItoE; 10 % of each come from an IOH. Occupancies are overflows of a 32- or
	 * 256-entry accumulator. */
	[BOX_B] = {
	  ROWS(                                                           /* counter 0 */
	  ONE(0x01, MATCH_B, 0.9), ONE(0x02, MATCH_B, 0.8), ONE(0x03, MATCH_B, 0.7),
	  /* TF_ALL, WR, INVITOE */
	  ONE(0x04, TF, 1.00), ONE(0x05, TF_WR, 0.32), ONE(0x06, TF, 0.08),
	  ONE(0x07, IMT, 1),                                              /* IMT_VALID_OCCUPANCY */
	  ONE(0x09, INSERT, 0.5),                                           /* DRSQ_OCCUPANCY */
	  /* TF_IOH, IOH_WR, IOH_INVITOE */
	  ONE(0x0b, TF, 0.100), ONE(0x0d, TF_WR, 0.032), ONE(0x0f, TF, 0.008),
	  ONE(0x12, INSERT, 0.05), ONE(0x17, INSERT, 0.03), ONE(0x1c, TF, 0.060)),
	  ROWS(                                                           /* counter 1 */
	  ONE(0x01, MATCH_B, 0.95), ONE(0x02, MATCH_B, 0.85), ONE(0x03, MATCH_B, 0.75),
	  ONE(0x04, MATCH_B, 0.65), ONE(0x05, MATCH_B, 0.55), ONE(0x06, MATCH_B, 0.45),
	  ONE(0x07, INSERT, 1.00), ONE(0x09, INSERT, 0.40), /* IMT_INSERTS_ALL, DRSQ_INSERTS */
	  ONE(0x0a, INSERT, 0.10), ONE(0x0b, INSERT, 0.90), ONE(0x0c, INSERT_WR, 0.32),
	  ONE(0x0d, INSERT_WR, 0.032), ONE(0x0e, INSERT_WR, 0.288), ONE(0x0f, INSERT, 0.08),
	  ONE(0x10, INSERT, 0.008), ONE(0x12, INSERT, 0.06), ONE(0x17, INSERT, 0.04),
	  ONE(0x1c, INSERT, 0.072), ONE(0x1d, INSERT_RD, 0.60), ONE(0x1f, INSERT_RD, 0.54)),
	  ROWS(                                                           /* counter 2 */
	  ONE(0x01, INSERT, 2.2), ONE(0x02, INSERT, 1.1), ONE(0x03, INSERT, 0.55),
	  /* ADDR_IN_MATCH, IMT_NE_CYCLES */
	  ONE(0x04, MATCH_B, 1.0), ONE(0x07, IMT_BUSY, 1)),
	  ROWS(                                                           /* counter 3 */
	  ONE(0x02, INSERT, 0.35), ONE(0x03, INSERT, 0.25),                 /* SNP_MERGE: 2.1.2 */
	  ONE(0x06, INSERT, 0.50), ONE(0x0e, INSERT, 0.20),
	  ONE(0x0f, INSERT, 0.07), ONE(0x12, INSERT, 0.02), ONE(0x13, INSERT, 0.03),
	  ONE(0x14, ANY, 0.03), ONE(0x15, ANY, 0.03), ONE(0x16, INSERT, 0.002),     /* IMT_FULL */
	  ONE(0x17, CONFLICT, 1), ONE(0x19, INSERT, 0.15)) },
	[BOX_U] = { ROWS(
	  { 0x00, 0, 1, ANY, .scale = 0.001, .last = 0x01 }, ONE(0x02, ANY, 0.0002),
	  { 0x03, 0, 1, ANY, .scale = 0.0005, .last = 0x04 }, ONE(0x50, ANY, 0.002),
	  ONE(0x51, ANY, 0.004), ONE(0xf8, ANY, 0.0001), ONE(0xf9, ANY, 0.0003),
	  ONE(0xdf, ANY, 1e-8), ONE(0xe4, ANY, 1e-8),
	  { 0xe5, 0, 1, ANY, .scale = 1e-9, .last = 0xe6 },
	  { 0x05, 0, 1, ANY, .scale = 1e-4, .westmere_only = true, .last = 0x07 }) },
	[BOX_W] = { ROWS(                                 /* one umask bit per core */
	  { 0x00, 0xff, 1, ANY, ANY_OF, .scale = 0.02 },
	  { 0x01, 0xff, 1, ANY, ANY_OF, .scale = 0.01 },
	  ONE(0x02, ANY, 0.005), { 0x03, 0xff, 1, ANY, ANY_OF, .scale = 0.008 },
	  { 0x04, 0xff, 1, ANY, ANY_OF, .scale = 0.6 },
	  { 0x07, 0xff, 1, ANY, ANY_OF, .scale = 0.004 },
	  { 0x08, 0xff, 1, ANY, ANY_OF, .scale = 0.0001 }) },
};

/* Finds the row of the code in ctl. In a copy of a range, the code is the one that was asked for.
 * */
static bool row_find(const struct model *m, const struct counter *c, uint64_t ctl, struct row *ret)
{
	unsigned list = c->box == BOX_B ? c->index : 0;
	unsigned code = (unsigned)(c->box == BOX_B ? bits_get(ctl, 5, 1) : bits_get(ctl, 7, 0));

	for (size_t i = 0; i < tables[c->box][list].n; i++) {
		const struct row *r = &tables[c->box][list].rows[i];

		if ((r->code == code || (r->code < code && code <= r->last)) &&
		    (!r->westmere_only || m->family->westmere)) {
			*ret = *r;
			ret->code = (uint8_t)code;
			return true;
		}
	}
	return false;
}

/* Packets of one S-Box per cycle: the misses of its four C-Boxes. */
static double sbox_requests(const struct load *l)
{
	return 4 * l->lookups * l->miss;
}

/* TO_R_PROG_EV: message classes are a bit mask (0: all). A comparison of opcode, response, address
 * or home node lets a share of the messages through that depends on the bits (Tables 2-33, 2-35).
 * */
static double sbox_match(const struct model *m, const struct socket *s, unsigned unit,
			 const struct load *l)
{
	/* HOM0, HOM1, NDR, NCS, NCB */
	static const double class_share[] = { 0.70, 0.30, 0.30, 0.004, 0.010 };
	unsigned at = REGNO(0xe48u + 0x10u * unit);
	uint64_t match = s->reg[at + 1], mask = s->reg[at + 2], classes = bits_get(match, 47, 43);
	double sum = 0;

	if (!(s->reg[at] & BIT(63)))
		return 0;
	for (unsigned i = 0; i < COUNT(class_share); i++)
		if (classes == 0 || classes & BIT(i))
			sum += class_share[i];
	if (bits_get(match, 63, 59))
		sum *= 0.1 + 0.4 * workload_hash(m, bits_get(match, 63, 59));
	if (bits_get(match, 58, 48))
		sum *= 0.2 + 0.6 * workload_hash(m, bits_get(match, 58, 48));
	if (bits_get(mask, 38, 1) != bits_mask(37, 0))
		sum *= 0.01 + 0.2 * workload_hash(m, bits_get(match, 42, 5) ^
						  bits_get(mask, 38, 1) << 24);
	if (!(mask & 1))
		sum *= 0.1 + 0.2 * workload_hash(m, bits_get(match, 4, 0));
	return sum * sbox_requests(l);
}

static double imt_occupancy(const struct load *l)
{
	return l->inserts * l->imt_cycles;
}

static double not_empty(double occupancy)
{
	return 1 - 1 / (1 + occupancy + occupancy * occupancy / 2);
}

static double row_base(const struct model *m, const struct socket *s, const struct counter *c,
		       const struct row *r, const struct load *l)
{
	unsigned at = REGNO(0xe45u + 8u * c->unit);

	switch ((enum base)r->base) {
	case ANY: return l->activity;
	case LOOKUP: return l->lookups;
	case HIT: return l->lookups * (1 - l->miss);
	case MISS: return l->lookups * l->miss;
	case SNP: return l->lookups * 0.5;
	case REQ: case TO_RB: case TO_LR: return sbox_requests(l);
	case DATA_R: return sbox_requests(l) * l->remote;
	case DATA_B: return sbox_requests(l) * (1 - l->remote);
	case INSERT: return l->inserts;
	case CONFLICT: return l->inserts * l->conflicts;
	case INSERT_RD: return l->inserts * load_reads(l);
	case INSERT_WR: return l->inserts * load_writes(l);
	case IMT: return imt_occupancy(l) / 32;
	case TF: return imt_occupancy(l) * 1.6 / 256;
	case TF_WR: return imt_occupancy(l) * load_writes(l) * 1.6 / 256;
	case IMT_BUSY: return not_empty(imt_occupancy(l));
	case MATCH_B:
		return l->inserts *
			(0.05 + 0.9 * workload_hash(m, s->reg[at] ^ s->reg[at + 1] << 1));
	case MATCH_S: return sbox_match(m, s, c->unit, l);
	}
	return 0;
}

/* A share of the activity by hash. sub: 0, or the sub-event + 1 */
static double any_part(const struct model *m, const struct counter *c, const struct row *r,
		       unsigned sub)
{
	return 0.3 + 0.7 * workload_hash(m, (uint64_t)c->box << 16 | (uint64_t)r->code << 8 | sub);
}

/* The share of sub-event `bit` in the row's rate. */
static double row_part(const struct model *m, const struct counter *c, const struct row *r,
		       const struct load *l, unsigned bit)
{
	if (r->base == TO_RB)                        /* bit 0: R-Box = remote */
		return bit ? 1 - l->remote : l->remote;
	if (r->base == TO_LR)                        /* bit 0: local */
		return bit ? l->remote : 1 - l->remote;
	if (r->part[0] > 0)
		return (double)r->part[bit];
	return any_part(m, c, r, bit + 1) / __builtin_popcount(r->umask);
}

/* The Xeon 7500 has four C-Boxes on each side. */
static unsigned row_umask(const struct model *m, const struct row *r)
{
	bool four = r->umask == FIVE && r->part[4] > 0 && r->base == REQ && !m->family->westmere;

	return four ? 0x0f : r->umask;
}

static struct dist row_dist(const struct model *m, const struct socket *s, const struct counter *c,
			    const struct row *r, uint64_t ctl, const struct load *l)
{
	unsigned picked = (unsigned)bits_get(ctl, 15, 8) & row_umask(m, r),
		 n = (unsigned)__builtin_popcount(picked);
	double all = row_base(m, s, c, r, l) * (double)r->scale, sum = 0, none = 1;
	struct dist d = { .max = r->max };

	if (!d.max)
		d.max = n ? n : 1;
	if (r->umask == 0)
		sum = r->base == ANY ? all * any_part(m, c, r, 0) : all;
	for (unsigned bit = 0; bit < 8; bit++)
		if (picked & BIT(bit)) {
			sum += all * row_part(m, c, r, l, bit);
			none *= 1 - all * row_part(m, c, r, l, bit);
		}
	switch ((enum form)r->form) {
	case COUNT_IT: d.mean = sum; break;
	case NOT_EMPTY: d.mean = not_empty(sum); break;
	case FULL: d.mean = 0.001 * sum / (1 + sum); break;
	case FULL_ONE: d.mean = n == 1 ? 0.001 * sum / (1 + sum) : 0; break;
	case ANY_OF: d.mean = 1 - none; break;
	}
	if (d.mean > 0.98 * d.max)
		d.mean = 0.98 * d.max;
	return d;
}

/* Mean count per cycle of the box's clock. 0: no such event code on this counter, or unit mask 0
 * where sub-events exist. */
double nhmex_events_per_cycle(const struct model *m, const struct socket *s,
			      const struct counter *c, const struct load *l)
{
	uint64_t ctl = s->reg[c->ctl];
	bool filters = c->box == BOX_C || c->box == BOX_S || c->box == BOX_W;
	struct row r;

	if (c->fixed)
		return 1;
	if (c->box == BOX_R)
		return nhmex_rbox(m, s, c, l);
	if (c->box == BOX_M)
		return nhmex_mbox(m, s, c, l);
	if (!row_find(m, c, ctl, &r) || (r.umask && !(bits_get(ctl, 15, 8) & row_umask(m, &r))))
		return 0;
	return workload_filter(row_dist(m, s, c, &r, ctl, l),
			       filters ? (unsigned)bits_get(ctl, 31, 24) : 0,
			       filters && ctl & BIT(23), c->box != BOX_B && ctl & BIT(18));
}
