/* SPDX-License-Identifier: MIT
 * R- and M-Box counters: the control register points to a sub-control
 * register, and that one selects the event.
 * Owns:  the fields of IPERF, QLX, crossbar match (323535-001 Tables 2-45 to 2-53) and of the M-Box
 *        sub-controls (2.7.4.4, 2.7.7), and the rates behind them.
 * Never: the catalog.
 * Pure; any thread.
 */
#include "model/model_internal.h"

/* Message classes in the order of NEW_PC: their share of a port's flits, flits a packet. */
enum { NCB, NCS, DRS, NDR, HOM, SNP, CLASSES };
static const struct { double share, flits; } classes[CLASSES] = {
	[NCB] = { 0.025, 9 }, [NCS] = { 0.005, 2 }, [DRS] = { 0.72, 9 },
	[NDR] = { 0.07, 1 }, [HOM] = { 0.08, 1 }, [SNP] = { 0.10, 1 },
};
static const double vn_share[4] = { 0.10, 0.05, 0.50, 0.35 };   /* VN0, VN1, the two codes of VNA */

/* Ports 0, 1, 4, 5: QPI; 2, 6: the S-Boxes; 3, 7: the B-Boxes (Table 2-40). */
static bool is_qpi(unsigned port)
{
	return port % 4 < 2;
}

/* Flits that leave the port in an uncore cycle, idle ones too: a QPI link has its own clock. */
static double port_slots(unsigned port)
{
	return is_qpi(port) ? LINK_GHZ / UNCORE_GHZ : 1;
}

/* Flits of packets in an uncore cycle. */
static double port_flits(const struct load *l, unsigned port)
{
	double side = port % 4 == 2 ? 0.2 + 0.3 * l->remote : 0.25;
	double used = (is_qpi(port) ? l->link : side * l->activity) * (1 - 0.04 * port);

	return port_slots(port) * used;
}

static double packets(const struct load *l, unsigned port, unsigned cls)
{
	return port_flits(l, port) * classes[cls].share / classes[cls].flits;
}

/* The part of new packets by IPERF 7:6: VN0, VN1, VNA, all. */
static double new_share(unsigned vn)
{
	if (vn == 3)
		return 1;
	return vn == 2 ? vn_share[2] + vn_share[3] : vn_share[vn];
}

/* The part of a class's packets that IPERF 20:17 selects: home messages and data responses have two
 * selections each. */
static double eot_share(unsigned mc)
{
	switch (mc) {
	case 2: case 8:
		return 0.3;
	case 1: case 4:
		return 0.7;
	default:
		return 1;
	}
}

/* IPERF 15:9, 5:0, 20:17: allocation to arbitration, new packets, allocations into the EOT. */
static double iperf_packets(const struct load *l, unsigned port, uint64_t cfg)
{
	static const double home_vn[2] = { 0.7, 0.3 };
	static const uint8_t arb[7] = { NCB, NCS, DRS, NDR, SNP, HOM, HOM };
	static const uint8_t eot[9] = { CLASSES, HOM, HOM, NDR, DRS, SNP, NCB, NCS, DRS };
	unsigned vn = (unsigned)bits_get(cfg, 7, 6), mc = (unsigned)bits_get(cfg, 20, 17);
	double sum = 0, new_packets = 0;

	for (unsigned i = 0; i < COUNT(arb); i++)
		if (cfg & BIT(9 + i))
			sum += 1.1 * packets(l, port, arb[i]) *
				(arb[i] == HOM ? home_vn[i == 5] : 1);
	for (unsigned i = 0; i < CLASSES; i++)
		if (cfg & BIT(i))
			new_packets += packets(l, port, i);
	sum += new_packets * new_share(vn);
	if (mc >= 1 && mc < COUNT(eot)) {
		double eots = packets(l, port, eot[mc]) * eot_share(mc);

		sum += cfg & BIT(21) ? eots : eots / 128;
	}
	return sum;
}

/* One IPERF register; several selections in one register count cycles in which any of them is true.
 * A port sends a flit in each of its slots, an idle one when it has nothing else. */
static double iperf(const struct load *l, unsigned port, uint64_t cfg)
{
	double u = port_flits(l, port), sum = iperf_packets(l, port, cfg);
	const double flags[32] = {
		[31] = port_slots(port), [30] = port_slots(port) - u, [29] = 1e-6 * u,
		[28] = 0.3 * u, [27] = 1e-5 * u, [26] = 0.6 * u,
		[25] = 0.01, [24] = 1e-9, [16] = 0.5 * u, [8] = 0.9 * u,
	};

	for (unsigned bit = 0; bit < 32; bit++)
		if (cfg & BIT(bit))
			sum += flags[bit];
	return sum < 1 ? sum : 1;
}

/* One field of QLX: type 3:0, class 6:4, virtual network 7 (Table 2-49). Bids lose sometimes, never
 * more often than they were made. */
static double qlx(const struct load *l, unsigned port, unsigned field)
{
	static const double per_packet[11] = { 1.5,   1.3,   1.1,   0.30, 0.26, 0.22,
					       0.030, 0.026, 0.022, 2.0,  0.001 };
	static const uint8_t cls[6] = { HOM, SNP, NDR, NCS, DRS, NCB };
	unsigned type = field & 15, c = field >> 4 & 7, vn = field >> 7;
	unsigned first = c, last = c;
	double n = 0;

	if (type >= COUNT(per_packet))
		return 0;
	/* the last two are sums: of the first four, of the others */
	if (c == 6) {
		first = 0;
		last = 3;
	} else if (c == 7) {
		first = 4;
		last = 5;
	}
	for (unsigned i = first; i <= last; i++)
		n += packets(l, port, cls[i]);
	return n * vn_share[c < 6 ? vn : 2 + vn] * per_packet[type];
}

/* The opcode's share of its class; data responses 0-3 go to S-Boxes only (Table 2-53). */
static double opcode_share(const struct model *m, unsigned port, unsigned mc, unsigned opcode)
{
	bool to_sbox = port % 4 == 2;

	if (mc == 14) {
		if (opcode < 4)
			return to_sbox ? 0.2 : 0;
		if (opcode < 8)
			return to_sbox ? 0.025 : 0.225;
		return 0.0125;
	}
	return (0.5 + workload_hash(m, 0x7000 + mc * 16 + opcode)) / 16;
}

static unsigned packet_length(unsigned mc, unsigned opcode)
{
	if (mc == 12 || mc == 14)
		return opcode & 8 ? 11 : 9;
	return mc == 4 && opcode & 8 ? 3 : 1;
}

/* The part of the packets with the wanted data state, network and nodes. */
static double match_rest(const struct model *m, uint64_t cfg, uint64_t match, uint64_t mask)
{
	/* F, S, E, M: bits 48 to 51 */
	static const double state_share[4] = { 0.15, 0.25, 0.30, 0.30 };
	uint64_t nodes = mask & (bits_mask(35, 31) | bits_mask(17, 13)), high = bits_get(cfg, 7, 0);
	double vn = 0, state = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (!(((uint64_t)i << 3 ^ match) & mask & bits_mask(4, 3)))
			vn += vn_share[i];
		if (!((BIT(48 + i) ^ match) & mask & bits_mask(51, 48)))
			state += state_share[i];
	}
	if (nodes)
		vn *= 0.1 + 0.3 * workload_hash(m, (match & nodes) ^ nodes << 1);
	if (high)
		vn *= 0.1 + 0.3 * workload_hash(m, bits_get(cfg, 15, 8) << 8 | high);
	return vn * state;
}

/* A crossbar match set: packets that have flit match_flt_cnt; with ig_flt_cnt, flits. */
static double xbar(const struct model *m, const struct load *l, unsigned port, uint64_t cfg,
		   uint64_t match, uint64_t mask)
{
	static const struct { uint8_t mc, cls; double part; } mcs[] = {
		{ 0, HOM, 0.7 }, { 1, HOM, 0.3 }, { 2, NDR, 1 }, { 3, SNP, 1 },
		{ 4, NCS, 1 }, { 12, NCB, 1 }, { 14, DRS, 1 },
	};
	unsigned flit = (unsigned)bits_get(cfg, 19, 16);
	double sum = 0;

	if (cfg & BIT(63) || !(cfg & BIT(21)))
		return 0;
	for (size_t i = 0; i < COUNT(mcs); i++)
		for (unsigned opcode = 0; opcode < 16; opcode++) {
			uint64_t word = (uint64_t)mcs[i].mc << 9 | (uint64_t)opcode << 5;
			unsigned flits = packet_length(mcs[i].mc, opcode);
			double n = packets(l, port, mcs[i].cls) * mcs[i].part *
				opcode_share(m, port, mcs[i].mc, opcode);

			if ((word ^ match) & mask & bits_mask(12, 5))
				continue;
			if (cfg & BIT(20))
				sum += n * flits;
			else if (flit >= 1 && flit <= flits)
				sum += n;
		}
	sum *= match_rest(m, cfg, match, mask);
	return sum < 1 ? sum : 1;
}

/* ev_sel = 6 x (port mod 4) + slot; counters 0-7: ports 0-3, 8-15: 4-7 (Tables 2-45, 2-46). */
double nhmex_rbox(const struct model *m, const struct socket *s, const struct counter *c,
	       const struct load *l)
{
	unsigned sel = (unsigned)bits_get(s->reg[c->ctl], 5, 1), slot = sel % 6;
	unsigned port = 4u * c->unit + (sel < 24 ? sel / 6 : 0);
	unsigned xbr = REGNO(0xe60u + 4u * port + (port >= 4 ? 0x10u : 0) +
			     (slot == 5 ? 0x10u : 0));
	uint64_t q = s->reg[port < 4 ? REGNO(0xe0cu + port) : REGNO(0xe2cu + port - 4)];

	if (sel >= 24)
		return 0;
	switch (slot) {
	case 0: return iperf(l, port, s->reg[REGNO(0xe04u + port)]);
	case 1: return iperf(l, port, s->reg[REGNO(0xe24u + port)]);
	case 2: return qlx(l, port, (unsigned)bits_get(q, 7, 0));
	case 3: return qlx(l, port, (unsigned)bits_get(q, 15, 8));
	default: return xbar(m, l, port, s->reg[xbr], s->reg[xbr + 1], s->reg[xbr + 2]);
	}
}

/* B-Box commands per M-Box cycle: the inserts, seen by a slower clock. */
static double commands(const struct load *l)
{
	return l->inserts * UNCORE_GHZ / MBOX_GHZ;
}

static double any(const struct model *m, const struct load *l, uint64_t what, double scale)
{
	return l->activity * scale * (0.3 + 0.7 * workload_hash(m, UINT64_C(0x4d0000) + what));
}

/* read, write, merge, V2F, V2V, F2V, F2B, spare write, all. Reads include those for ownership,
 * which come with writes. */
static double command_share(const struct load *l, unsigned bcmd)
{
	const double share[9] = { 0.60 * load_reads(l) + 0.04 * load_writes(l),
				  0.32 * load_writes(l), 0.02, 0.005, 0.003, 0.004, 0.006, 0.002,
				  1 };

	return bcmd < COUNT(share) ? share[bcmd] : 0;
}

/* One of FVC's four event fields, which share command and response (Tables 2-80 to 2-83). */
static double fvc(const struct model *m, const struct load *l, uint64_t word, unsigned field)
{
	/* fvid is not looked at, the rest sits a bit higher on Westmere-EX */
	uint64_t reg = word >> m->family->westmere;

	static const double response[8] = { 0.95, 0.02, 1e-8, 1e-9, 0.028, 0.002, 0, 1e-9 };
	unsigned ev = (unsigned)bits_get(reg, 13 + 3 * field, 11 + 3 * field);

	if (ev == 5)
		return commands(l) * command_share(l, (unsigned)bits_get(reg, 7, 5));
	if (ev == 6)
		return commands(l) * response[bits_get(reg, 10, 8)];
	return any(m, l, 0x100 + ev, ev == 7 ? 1e-4 : 1e-8);
}

static double address_part(const struct model *m, const struct socket *s, unsigned unit)
{
	unsigned at = REGNO(0xe54u + 8u * unit);

	return s->reg[at] & BIT(63) ?
	       0.01 + 0.5 * workload_hash(m, s->reg[at + 1] ^ s->reg[at + 2] << 28) : 1;
}

static const double mode_share[4] = { 0.4, 0.3, 0.2, 0.1 };     /* of the scheduler's */

/* DRAM_CMD: PLD[12:8] is the command, 0: all; PLD[0]: only in the scheduler mode ISS[9:7]. */
static double dram_command(const struct load *l, uint64_t pld, uint64_t iss)
{
	const double per_command[32] = {
		[0x00] = 2.6, [0x01] = 0.01, [0x02] = 0.5,
		[0x03] = 0.60 * load_reads(l), [0x04] = 0.28 * load_writes(l),
		[0x05] = 0.06 * load_reads(l), [0x06] = 0.04 * load_writes(l),
		[0x07] = 1e-7, [0x09] = 0.02, [0x0a] = 1e-6, [0x0b] = 1e-6,
		[0x0c] = 0.40, [0x10] = 0.10, [0x11] = 0.30,
		[0x12] = 0.02, [0x14] = 1e-5, [0x15] = 1e-5, [0x17] = 1e-9,
		[0x1c] = 1e-6, [0x1d] = 1e-6, [0x1e] = 1e-6,
	};
	double n = commands(l) * per_command[bits_get(pld, 12, 8)];

	if (pld & 1)
		n *= bits_get(iss, 9, 7) < 4 ? mode_share[bits_get(iss, 9, 7)] : 0;
	return n;
}

/* Westmere-EX's DRAM_MISC: valid commands, all but NOP and trickle, one command, or retries. */
static double dram_misc(const struct load *l, uint64_t pld)
{
	double n = commands(l);

	if (pld & BIT(17))
		return n * 2.6;
	if (pld & BIT(18))
		return n * 2.1;
	if (pld & BIT(16))
		return dram_command(l, bits_get(pld, 23, 19) << 8, 0) + 1e-9;
	return n * (pld & BIT(7) ? 0.001 : 0.02);
}

/* FRM_TYPE: 3CMD, WDAT, SYNC, CHNL, NOP, 1CMD; the other codes are illegal. */
static double frame(const struct load *l, unsigned type)
{
	double busy = commands(l);
	const double per_type[16] = { 0.4 * busy, 0.3 * busy, 0.02, 0.001,
				      [8] = 0.9 - 1.5 * busy, [12] = 0.8 * busy };

	return per_type[type];
}

static double trip_point(const struct model *m, const struct load *l, uint64_t thr,
			 unsigned condition)
{
	unsigned dimms = (unsigned)(thr & BIT(3) ? 8 : bits_get(thr, 6, 4));

	return any(m, l, 0x200 + condition * 16 + dimms, 1e-7);
}

/* Events of inc_sel (Table 2-84); 0 for codes that do not exist. */
static double mbox_increment(const struct model *m, const struct socket *s, unsigned unit,
			     const struct load *l, unsigned sel)
{
	static const double per_command[0x20] = {
		[0x01] = 0.010, [0x02] = 0.005, [0x03] = 0.001, [0x11] = 0.001, [0x12] = 1.00,
		[0x13] = 0.20, [0x14] = 0.50, [0x17] = 0.05, [0x18] = 0.0005, [0x19] = 0.01,
		[0x1a] = 1.00, [0x1c] = 3.00, [0x1d] = 4.00,
	};
	unsigned sub = REGNO(0xca5u + 0x40u * unit);
	uint64_t dsp = s->reg[sub], iss = s->reg[sub + 1], thr = s->reg[sub + 3],
		 pgt = s->reg[sub + 4];
	uint64_t pld = s->reg[sub + 5], field = s->reg[sub + 6];

	switch (sel) {
	case 0x00: return commands(l) * 0.01 * __builtin_popcountll(bits_get(dsp, 10, 7));
	case 0x04: return trip_point(m, l, thr, (unsigned)bits_get(thr, 8, 7));
	case 0x05: return trip_point(m, l, thr, 4 + (unsigned)bits_get(thr, 10, 9));
	case 0x06: return 1.0 / 10400;               /* REFRESH every 7.8 us */
	case 0x08: return commands(l) * (iss & BIT(10) ? 0.80 : 0.02);
	case 0x07: return 1.0 / 10400 * commands(l);
	case 0x09: return frame(l, (unsigned)bits_get(iss, 3, 0));
	case 0x0a: return dram_command(l, pld, iss) * address_part(m, s, unit);
	case 0x0b:
		return (m->family->westmere ? dram_misc(l, pld) : commands(l) * 0.02) *
			address_part(m, s, unit);
	case 0x0c: return any(m, l, 0x300, 1e-9);
	case 0x0d: case 0x0e: case 0x0f: case 0x10: return fvc(m, l, field, sel - 0x0d);
	case 0x15: return commands(l) * (!m->family->westmere || pgt & BIT(11) ? 0.30 : 0.10);
	case 0x16: return commands(l) * (pgt & 1 ? 0.50 : 0.48);
	case 0x1b: return 1;                         /* CYCLES */
	default: return commands(l) * per_command[sel];
	}
}

/* Events of set_flag_sel, with flag_mode 1: cycles in a state. */
static double mbox_flag(const struct model *m, const struct socket *s, unsigned unit,
			const struct load *l, unsigned sel)
{
	/* RDQ full, WRQ full, RDQ empty, WRQ empty */
	static const double fill[4] = { 0.02, 0.03, 0.6, 0.7 };
	unsigned sub = REGNO(0xca5u + 0x40u * unit);
	unsigned up = m->family->westmere;
	uint64_t dsp = s->reg[sub], iss = s->reg[sub + 1], map = s->reg[sub + 2],
		 pgt = s->reg[sub + 4];
	double none = 1;

	switch (sel) {
	case 0:
		for (unsigned i = 0; i < 4; i++)
			if (dsp & BIT(7 + i))
				none *= 1 - fill[i] * (i < 2 ? l->activity : 1 - 0.5 * l->activity);
		return 1 - none;
	case 1: return bits_get(iss, 6, 4) < 4 ? mode_share[bits_get(iss, 6, 4)] : 0;
	case 3: return any(m, l, 0x400, 0.01);
	case 4: return any(m, l, 0x401, 0.002);
	case 5: return pgt & BIT(6) ? 0.3 + 0.4 * l->activity : 0.7 - 0.4 * l->activity;
	case 6: return commands(l) * 4 *
		       command_share(l, (unsigned)bits_get(map, 8 + up, 5 + up)) *
		       (0.5 + 0.5 * workload_hash(m, 0x500 + bits_get(map, 4 + up, 0)));
	default: return 0;
	}
}

/* nhmex_mbox - flag_mode chooses between inc_sel and set_flag_sel. Counting down and conditional
 * storage (count_mode, storage_mode other than 0) are not modelled: nothing counts. */
double nhmex_mbox(const struct model *m, const struct socket *s, const struct counter *c,
	       const struct load *l)
{
	uint64_t ctl = s->reg[c->ctl];
	double mean;

	if (bits_get(ctl, 5, 2))
		return 0;
	mean = ctl & BIT(7) ? mbox_flag(m, s, c->unit, l, (unsigned)bits_get(ctl, 21, 19)) :
			      mbox_increment(m, s, c->unit, l, (unsigned)bits_get(ctl, 13, 9));
	return mean < 1 ? mean : 1;
}
