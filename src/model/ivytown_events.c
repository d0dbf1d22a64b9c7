/* SPDX-License-Identifier: MIT
 * What the control registers of Ivytown's boxes select, and how often it happens per cycle.
 * Owns:  event codes (with the extension bit), unit mask bits and counters, typed from Intel's
 *        event file (V24) and libpfm4, ring events of R3QPI on counter 2 only (329468-002 2.10.2);
 *        the rates of a load.
 * Never: the catalog.
 * Pure; any thread.
 */
#include "model/model_ivytown.h"

/* What the rate of an event depends on. ANY: activity x a hash of the selection. */
enum base {
	ANY, CLOCK, LOOKUP, TOR, MISS, MEM, HOME, TRACKED, FLITS_G0, FLITS_G1, FLITS_G2, CORES,
};
struct row {
	uint16_t code;       /* bit 8: event select extension */
	uint8_t umask;       /* bits that exist */
	bool no_umask;       /* counts without unit mask */
	uint8_t counters;
	uint8_t base;
	float scale;
	uint16_t inserts;    /* occupancy: the event that puts entries in, which stay for `scale`
			      * cycles */
	uint16_t last;       /* the row is for all codes up to this one; 0: for one */
};
#define E(code_, umask_, no_umask_, counters_) RANGE(code_, 0, umask_, no_umask_, counters_)
#define RANGE(first_, last_, umask_, no_umask_, counters_) \
	{ first_, umask_, no_umask_, counters_, ANY, 0, 0, last_ }
#define QUEUE(code_, umask_, counters_, of_, cycles) \
	{ code_, umask_, 0, counters_, ANY, cycles, of_, 0 }

static const struct {
	const struct row *rows;
	size_t n;
} tables[] = {
	[IVT_U] = ROWS(
	  E(0x000, 0x00, 1, 0x3), E(0x041, 0x0f, 0, 0x3), E(0x042, 0x1f, 0, 0x3),
	  E(0x043, 0xff, 0, 0x3), E(0x044, 0x00, 1, 0x3), E(0x045, 0x01, 0, 0x3),
	  E(0x046, 0x00, 1, 0x3)),
	[IVT_C] = ROWS(
	  { 0x000, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, E(0x002, 0x7f, 0, 0x3), E(0x003, 0x1a, 0, 0x3),
	  E(0x004, 0x07, 0, 0x3), E(0x005, 0x1e, 0, 0x3), E(0x006, 0x13, 0, 0x3),
	  E(0x007, 0x00, 1, 0x3), QUEUE(0x011, 0x17, 0x1, 0x013, 10), E(0x012, 0x0f, 0, 0x3),
	  E(0x013, 0x17, 0, 0x3), E(0x014, 0x0d, 0, 0x3), RANGE(0x01b, 0x01e, 0xff, 0, 0xc),
	  E(0x01f, 0x00, 1, 0xe), E(0x031, 0x17, 0, 0x3), E(0x032, 0x3f, 0, 0x3),
	  E(0x033, 0xbb, 0, 0x3), { 0x034, 0x5f, 0, 0x3, LOOKUP, 1, 0, 0 },
	  { 0x035, 0xff, 0, 0x3, TOR, 1, 0, 0 }, { 0x036, 0xff, 0, 0x1, TOR, 1, 0, 0 },
	  { 0x037, 0x4f, 0, 0x3, MISS, 1, 0, 0 }, E(0x039, 0x0f, 0, 0x3), E(0x03c, 0x3f, 0, 0x3)),
	[IVT_P] = ROWS(
	  { 0x000, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, RANGE(0x001, 0x007, 0x00, 1, 0xf),
	  RANGE(0x009, 0x00e, 0x00, 1, 0xf), RANGE(0x01e, 0x025, 0x00, 1, 0xf),
	  E(0x02f, 0x00, 1, 0xf), E(0x032, 0x00, 1, 0xf), RANGE(0x040, 0x046, 0x00, 1, 0xf),
	  RANGE(0x060, 0x063, 0x00, 1, 0xf), RANGE(0x070, 0x07e, 0x00, 1, 0xf),
	  { 0x080, 0xc0, 0, 0xf, CORES, 1, 0, 0 }, RANGE(0x117, 0x126, 0x00, 1, 0xf),
	  RANGE(0x12a, 0x12d, 0x00, 1, 0xf)),
	[IVT_H] = ROWS(
	  { 0x000, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, { 0x001, 0x3f, 0, 0xf, HOME, 1, 0, 0 },
	  { 0x003, 0x00, 1, 0xf, HOME, 1, 0, 0 }, E(0x00b, 0x1e, 0, 0xf), E(0x00c, 0xfb, 0, 0xf),
	  E(0x00d, 0x7f, 0, 0xf), E(0x00e, 0x07, 0, 0xf), E(0x00f, 0x04, 0, 0xf),
	  E(0x010, 0x07, 0, 0xf), RANGE(0x011, 0x013, 0x00, 1, 0xf), E(0x014, 0x03, 0, 0xf),
	  RANGE(0x015, 0x016, 0x0f, 0, 0xf), { 0x017, 0x01, 0, 0xf, HOME, 0.6, 0, 0 },
	  RANGE(0x018, 0x019, 0x0f, 0, 0xf), { 0x01a, 0x0f, 0, 0xf, HOME, 0.35, 0, 0 },
	  E(0x01b, 0xff, 0, 0xf), E(0x01c, 0x0f, 0, 0xf), E(0x01e, 0x00, 1, 0xf),
	  E(0x020, 0x1f, 0, 0xf), E(0x021, 0x7f, 0, 0xf), E(0x022, 0x0f, 0, 0xf),
	  RANGE(0x027, 0x02a, 0x03, 0, 0xf), RANGE(0x02f, 0x036, 0x03, 0, 0xf),
	  RANGE(0x03e, 0x040, 0xff, 0, 0xf), E(0x041, 0x00, 1, 0xf), E(0x042, 0x03, 1, 0xf),
	  { 0x043, 0x3f, 0, 0xf, TRACKED, 140, 0, 0 }, E(0x051, 0x1e, 0, 0xf),
	  E(0x052, 0x00, 1, 0xf),
	  E(0x053, 0x0e, 0, 0xf), E(0x054, 0x1f, 0, 0xf), E(0x056, 0x00, 1, 0xf),
	  E(0x057, 0x05, 0, 0xf), RANGE(0x058, 0x05a, 0x00, 1, 0xf), E(0x060, 0xff, 0, 0xf)),
	[IVT_M] = ROWS(
	  { 0x000, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, { 0x001, 0x0b, 0, 0xf, MEM, 0.5, 0, 0 },
	  { 0x002, 0x1f, 0, 0xf, MEM, 0.4, 0, 0 }, { 0x004, 0x3f, 0, 0xf, MEM, 1, 0, 0 },
	  E(0x005, 0x06, 0, 0xf), E(0x006, 0x00, 1, 0xf), E(0x007, 0x0f, 0, 0xf),
	  E(0x008, 0x03, 0, 0xf), E(0x009, 0x00, 1, 0xf), RANGE(0x010, 0x011, 0x00, 1, 0xf),
	  RANGE(0x020, 0x024, 0x00, 1, 0xf), E(0x041, 0xff, 0, 0xf),
	  RANGE(0x042, 0x043, 0x00, 1, 0xf), E(0x083, 0xff, 0, 0xf),
	  RANGE(0x084, 0x086, 0x00, 1, 0xf), E(0x090, 0x03, 0, 0xf), E(0x091, 0x00, 1, 0xf),
	  E(0x0a0, 0x0f, 0, 0xf), E(0x0a1, 0x07, 0, 0xf), RANGE(0x0b0, 0x0bf, 0xff, 0, 0xf),
	  E(0x0c0, 0x07, 0, 0xf), E(0x0c1, 0x00, 1, 0xf)),
	[IVT_I] = ROWS(
	  { 0x000, 0x00, 1, 0x3, CLOCK, 1, 0, 0 }, RANGE(0x001, 0x00f, 0x00, 1, 0x3),
	  QUEUE(0x010, 0x03, 0x3, 0x015, 300), QUEUE(0x011, 0x03, 0x3, 0x015, 200),
	  RANGE(0x012, 0x014, 0x03, 0, 0x3), E(0x015, 0x0f, 0, 0x3),
	  RANGE(0x016, 0x017, 0x03, 0, 0x3), RANGE(0x018, 0x01a, 0x00, 1, 0x3)),
	[IVT_Q] = ROWS(
	  { 0x000, 0x06, 0, 0xf, FLITS_G0, 1, 0, 0 }, { 0x001, 0x07, 0, 0xf, FLITS_G0, 1, 0, 0 },
	  RANGE(0x002, 0x003, 0x03, 0, 0xf), RANGE(0x004, 0x00d, 0x00, 1, 0xf),
	  RANGE(0x00f, 0x010, 0x00, 1, 0xf), E(0x012, 0x00, 1, 0xf), E(0x013, 0xff, 0, 0xf),
	  { 0x014, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, { 0x100, 0x1f, 0, 0xf, FLITS_G1, 1, 0, 0 },
	  { 0x101, 0x1f, 0, 0xf, FLITS_G2, 1, 0, 0 }, { 0x102, 0x1f, 0, 0xf, FLITS_G1, 1, 0, 0 },
	  { 0x103, 0x1f, 0, 0xf, FLITS_G2, 1, 0, 0 }, RANGE(0x109, 0x10e, 0x03, 1, 0xf),
	  RANGE(0x10f, 0x114, 0x03, 0, 0xf), RANGE(0x115, 0x11a, 0x03, 1, 0xf),
	  RANGE(0x11b, 0x11d, 0x00, 1, 0xf), E(0x11e, 0x3f, 0, 0xf), E(0x11f, 0x07, 0, 0xf),
	  RANGE(0x120, 0x124, 0x03, 0, 0xf), E(0x125, 0x03, 1, 0xf),
	  RANGE(0x126, 0x128, 0x03, 0, 0xf), E(0x129, 0x03, 1, 0xf), E(0x12a, 0x07, 0, 0xf),
	  RANGE(0x12b, 0x12c, 0x03, 0, 0xf), E(0x135, 0xff, 0, 0xf), E(0x138, 0x00, 1, 0xf),
	  RANGE(0x139, 0x13a, 0x3f, 0, 0xf)),
	[IVT_R2] = ROWS(
	  { 0x001, 0x00, 1, 0xf, CLOCK, 1, 0, 0 }, RANGE(0x007, 0x00a, 0xff, 0, 0xf),
	  RANGE(0x010, 0x011, 0x30, 0, 0x3), E(0x012, 0x03, 1, 0x1), E(0x013, 0x08, 0, 0x1),
	  E(0x023, 0x07, 0, 0x1), E(0x025, 0x07, 0, 0x1), E(0x026, 0x07, 0, 0x3),
	  E(0x028, 0x07, 0, 0x3), RANGE(0x032, 0x033, 0x38, 0, 0x3), E(0x034, 0x08, 0, 0x3)),
	[IVT_R3] = ROWS(
	  { 0x001, 0x00, 1, 0x7, CLOCK, 1, 0, 0 }, RANGE(0x007, 0x00a, 0xff, 0, 0x4),
	  E(0x010, 0x07, 0, 0x3), E(0x011, 0x3f, 0, 0x3), E(0x012, 0x01, 1, 0x3),
	  QUEUE(0x013, 0x3f, 0x1, 0x011, 12), E(0x023, 0x00, 1, 0x3), E(0x025, 0x00, 1, 0x3),
	  E(0x026, 0x07, 0, 0x3), E(0x028, 0x07, 0, 0x3), RANGE(0x029, 0x02a, 0x7f, 0, 0x3),
	  E(0x02b, 0xff, 0, 0x3), RANGE(0x02c, 0x02e, 0x7f, 0, 0x3), E(0x02f, 0x0f, 0, 0x3),
	  RANGE(0x031, 0x032, 0x00, 1, 0x3), E(0x033, 0x05, 1, 0x3), E(0x034, 0x3f, 0, 0x3),
	  RANGE(0x036, 0x039, 0x3f, 0, 0x3)),
};

/* Finds the row of a code. In a copy of a range, the code is the one that was asked for. */
static bool row_find(const struct counter *c, unsigned code, struct row *ret)
{
	for (size_t i = 0; i < tables[c->box].n; i++) {
		const struct row *r = &tables[c->box].rows[i];

		if ((r->code == code || (r->code < code && code <= r->last)) &&
		    r->counters & BIT(c->index)) {
			*ret = *r;
			ret->code = (uint16_t)code;
			return true;
		}
	}
	return false;
}

/* Per cycle of the box's clock. Channels and home agents share a socket's memory traffic. */
static double row_base(const struct row *r, const struct load *l)
{
	switch ((enum base)r->base) {
	case ANY: return 0.5 * l->activity;
	case CLOCK: return 1;
	case LOOKUP: return l->lookups;
	case TOR: return l->lookups;
	case MISS: return l->lookups * l->miss;
	case MEM: return 0.6 * l->inserts;
	case HOME: case TRACKED: return l->inserts;
	case FLITS_G0: case FLITS_G1: case FLITS_G2: return 2 * l->link;
	case CORES: return 12 * l->activity;
	}
	return 0;
}

/* Requests to a home agent: bits 1:0 read, 3:2 write, 5:4 own; each: this socket's, others'. */
static double request_share(const struct load *l, unsigned bit)
{
	const double kinds[] = { 0.65 * load_reads(l), 0.25 * load_writes(l), 0.10 };

	return kinds[bit / 2] * (bit % 2 ? l->remote : 1 - l->remote);
}

/* The share of a row's rate that one bit of the unit mask counts. */
static double bit_share(const struct model *m, const struct row *r, const struct counter *c,
			unsigned bit, const struct load *l)
{
	static const double data[8] = { 0, 0.60, 0.40 }; /* the other flit slots are idle */
	/* SNP, HOM, HOM, DRS data, DRS */
	static const double g1[8] = { 0.10, 0.05, 0.05, 0.54, 0.07 };
	/* NDR, NDR, NCB data, NCB, NCS */
	static const double g2[8] = { 0.04, 0.04, 0.06, 0.01, 0.04 };
	double part = 1.0 / __builtin_popcount(r->umask);

	switch ((enum base)r->base) {
	case HOME:
		if (r->code == 0x01)
			return request_share(l, bit);
		if (r->code == 0x17 || r->code == 0x1a)
			part *= r->code == 0x17 ? load_reads(l) : load_writes(l);
		break;
	case TRACKED:   /* local, remote; then as the requests; a remote request waits longer */
		return (bit < 2 ? request_share(l, bit) + request_share(l, bit + 2) :
				  request_share(l, bit - 2)) *
			(bit % 2 ? 1.4 : 1);
	case FLITS_G0:
		if (bit)
			return data[bit];
		return l->link > 0 ? (1 - l->link) / l->link : 0;
	case FLITS_G1:
		return g1[bit];
	case FLITS_G2:
		return g2[bit];
	/* bits 1:0 of column accesses read, 3:2 write */
	case MEM:
		if (r->code == 0x04 && bit <= 3)
			part *= bit < 2 ? 1.8 * load_reads(l) : 0.5 * load_writes(l);
		break;
	case ANY:
	case CLOCK:
	case LOOKUP:
	case TOR:
	case MISS:
	case CORES:
		break;
	}
	return part *
		(0.3 + 0.7 * workload_hash(m, (uint64_t)c->box << 24 | r->code << 8 | (bit + 1)));
}

/* Look-ups and requests of a C-Box per cycle: the bits of these unit masks do not add up, they
 * narrow down. Look-ups: 1 reads, 2 writes, 3 snoops, 4 all, in the states of the filter. Requests:
 * 0 with an opcode, 1 misses, 2 evictions, 3 all, 4 write-backs, 5 to this socket, 7 to others. */
static double cbox_requests(const struct load *l, unsigned code, unsigned umask, unsigned states)
{
	double kinds, hits = (1 - l->miss) / 5;

	if (code == 0x34) {
		kinds = 0.6 * !!(umask & 0x02) + 0.25 * !!(umask & 0x04) + 0.15 * !!(umask & 0x08);
		return (umask & 0x10 || !(umask & 0x0e) ? 1 : kinds) *
		       (l->miss * (states & 1) + hits * __builtin_popcount(states & 0x3e));
	}
	kinds = umask & 0x09 ? 1 : 0.10 * !!(umask & 0x04) + 0.15 * !!(umask & 0x10);
	if (umask & 0x02)
		kinds *= l->miss;
	if (umask & 0xa0)
		kinds *= (1 - l->remote) * !!(umask & 0x20) + l->remote * !!(umask & 0x80);
	if (code == 0x35)
		return kinds;
	/* Cycles in the table: of a hit and of a miss. */
	return kinds * (umask & 0x02 ? 160 : 30 * (1 - l->miss) + 160 * l->miss);
}

/* The part that the C-Box's filters let through: node, opcode, link, thread (2.3.3). */
static double cbox_part(const struct model *m, const struct socket *s, const struct counter *c,
			uint64_t ctl)
{
	uint64_t f0 = s->reg[ivt_filter(c, 0)], f1 = s->reg[ivt_filter(c, 1)];
	unsigned code = (unsigned)bits_get(ctl, 7, 0), umask = (unsigned)bits_get(ctl, 15, 8);
	double part = 1;

	if ((code == 0x34 || code == 0x35 || code == 0x36 || code == 0x37) && umask & 0x40)
		part *= __builtin_popcountll(bits_get(f1, 15, 0)) / 16.0;
	if ((code == 0x35 || code == 0x36) && umask & 0x01)
		part *= 0.1 + 0.3 * workload_hash(m, bits_get(f1, 31, 20));
	if (code == 0x31 && umask & 0x10)
		part *= 0.2 + 0.3 * workload_hash(m, bits_get(f0, 8, 5));
	if (ctl & BIT(19))
		part *= 0.05 + 0.1 * workload_hash(m, bits_get(f0, 4, 0));
	return part;
}

static double filter_part(const struct model *m, const struct socket *s, const struct counter *c,
			  uint64_t ctl)
{
	unsigned code = (unsigned)bits_get(ctl, 7, 0), low = 8 * (code - 0x0b);

	switch (c->box) {
	case IVT_C:
		return cbox_part(m, s, c, ctl);
	case IVT_P:                     /* bands 0 to 3, in steps of 100 MHz: time at or above */
		if (code >= 0x0b && code <= 0x0e && !(ctl & BIT(21)))
			return 1 - 0.9 *
				(double)bits_get(s->reg[ivt_filter(c, 0)], low + 7, low) / 255;
		return 1;
	case IVT_H:                                  /* ADDR_OPC_MATCH */
		if (code == 0x20)
			return 0.01 + 0.5 * workload_hash(m, s->reg[ivt_filter(c, 0)] ^
				s->reg[ivt_filter(c, 1)] << 32 ^ s->reg[ivt_filter(c, 2)] << 50);
		return 1;
	case IVT_Q:                                  /* CTO_COUNT */
		if (code == 0x38 && ctl & BIT(21))
			return 0.01 + 0.5 * workload_hash(m, s->reg[ivt_filter(c, 0)] ^
				s->reg[ivt_filter(c, 1)] << 32 ^ s->reg[ivt_filter(c, 2)] << 16 ^
				s->reg[ivt_filter(c, 3)] << 48);
		return 1;
	default:
		return 1;
	}
}

/* What the unit mask selects, before filters. */
static double selected(const struct model *m, const struct row *r, const struct counter *c,
		       unsigned picked, const struct load *l)
{
	const struct row *in = r;
	double all, mean = 0;

	if (r->inserts)
		for (in = tables[c->box].rows; in->code != r->inserts; in++)
			;
	all = row_base(in, l) *
		(in->base == ANY ? 0.2 + 0.8 * workload_hash(m, (uint64_t)c->box << 24 | in->code) :
				   (double)in->scale);
	for (unsigned bit = 0; bit < 8; bit++)
		if (picked & BIT(bit))
			mean += all * bit_share(m, in, c, bit, l);
	return (picked ? mean : all) * (r->inserts ? (double)r->scale : 1);
}

/* 0 for a code or unit mask that the box does not have, or not on this counter. */
double ivt_events_per_cycle(const struct model *m, const struct socket *s, const struct counter *c,
			    const struct load *l)
{
	uint64_t ctl = s->reg[c->ctl];
	bool ext = (c->box == IVT_P || c->box == IVT_Q) && ctl & BIT(21);
	unsigned code = (unsigned)bits_get(ctl, 7, 0) | (ext ? 0x100u : 0), picked, top;
	struct dist d = { 0 };
	struct row r;

	if (c->fixed)
		return 1;
	if (!row_find(c, code, &r))
		return 0;
	picked = (unsigned)bits_get(ctl, 15, 8) & r.umask;
	if (!picked && !(r.no_umask && !bits_get(ctl, 15, 8)))
		return 0;
	if (r.base == LOOKUP || r.base == TOR) {
		unsigned states = (unsigned)bits_get(s->reg[ivt_filter(c, 0)], 22, 17);

		d.mean = row_base(&r, l) * cbox_requests(l, code, picked, states);
	} else {
		d.mean = selected(m, &r, c, picked, l);
	}
	d.max = picked ? (unsigned)__builtin_popcount(picked) : 1;
	if (r.inserts || r.base == TRACKED || code == 0x36 || d.mean > 1)
		d.max = 20;
	if (r.base >= FLITS_G0 && r.base <= FLITS_G2)
		d.max = 2;
	d.mean *= filter_part(m, s, c, ctl);
	if (r.base != CLOCK && d.mean > 0.9 * d.max)
		d.mean = 0.9 * d.max;
	top = c->box == IVT_U || c->box == IVT_P ? 28 : 31;
	return workload_filter(d, (unsigned)bits_get(ctl, top, 24),
			       c->box == IVT_P && code == 0x80 && ctl & BIT(30), ctl & BIT(18));
}
