/* SPDX-License-Identifier: MIT
 * R-Box of the Xeon 7500: the router between QPI links, S-Boxes and B-Boxes, 8 ports.
 * Owns:  its registers, its three selectors (IPERF, QLX, XBAR), its ports, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A counter does not select an event but a port's sub-register, which selects the event: two IPERF
 * registers, two fields of a QLX register, two match and mask sets. Counters 0-7 see ports 0-3,
 * counters 8-15 ports 4-7; the select is 6 x (port mod 4) + 0..5 (Tables 2-45, 2-46).
 */
#include "catalog/tables/nehalem_ex.h"

enum {
	ID_IPERF0 = 1, ID_IPERF1, ID_QLX,
	ID_MATCH1, ID_MASK1, ID_CFG1,
	ID_MATCH2, ID_MASK2, ID_CFG2,
};

static const struct cat_field box_fields[] = {
	F("ctr_en", 7, 0, "Bit n enables counter n (left half) or n + 8 (right half)"),
};
static const struct cat_field status_fields[] = {
	F("ov", 7, 0, "Bit n: counter n (left half) or n + 8 (right half) overflowed"),
};
static const struct cat_field ovf_fields[] = { PULSE("clr_ov", 7, 0, "Write 1 to clear ov") };

static const struct cat_field ctl_fields[] = {
	RSV(62, 61),
	F("pmi_en", 6, 6, "Sends a PMI when the counter overflows"),
	F("ev_sel", 5, 1,
	  "Port and sub-register: 6 x (port mod 4) + IPERF0, IPERF1, QLX0, QLX1, XBAR1, XBAR2; 24-31 illegal"),
	F("en", 0, 0, "Enables this counter"),
};

static const struct cat_field iperf_fields[] = {
	F("FLT_SENT", 31, 31, "Flit sent"),
	F("NULL_IDLE", 30, 30, "Idle flit without content sent"),
	F("RETRYQ_OV", 29, 29, "Retry queue of the output overflowed"),
	F("RETRYQ_NE", 28, 28, "Retry queue of the output not empty"),
	F("OUTQ_OV", 27, 27, "Output queue overflowed"),
	F("OUTQ_NE", 26, 26, "Output queue not empty"),
	F("RCVD_SPEC_FLT", 25, 25, "Special flit received"),
	F("RCVD_ERR_FLT", 24, 24, "Flit with a CRC error received"),
	F("MC_ROLL_ALLOC", 21, 21,
	  "With MC: 1 counts every allocation in the overflow table, 0 each 128th"),
	F("MC", 20, 17,
	  "Class in the overflow table: 1 HOM VN0, 2 HOM VN1, 3 NDR, 4 DRS VN0, 5 SNP, 6 NCB, 7 NCS, 8 DRS VN1"),
	F("EOT_NE", 16, 16, "Entry overflow table not empty"),
	F("ARB_SEL", 15, 9,
	  "Allocations to arbitration, a bit a class: HOM VN0, HOM VN1, SNP, NDR, DRS, NCS, NCB"),
	F("IQA_READ_OK", 8, 8, "Read of the input queue won"),
	F("NEW_PVN", 7, 6, "Network of new packets: 0 VN0, 1 VN1, 2 VNA, 3 all"),
	F("NEW_PC", 5, 0, "Class of new packets, a bit each: SNP, HOM, NDR, DRS, NCS, NCB"),
};

static const struct cat_field qlx_fields[] = {
	F("ev1_sub", 15, 15, "Second event: 0 VN0, 1 VN1"),
	F("ev1_cls", 14, 12,
	  "Second event: 0 HOM, 1 SNP, 2 NDR, 3 NCS, 4 DRS, 5 NCB, 6 VNA small, 7 VNA large"),
	F("ev1_type", 11, 8, "Second event: what is counted"),
	F("ev0_sub", 7, 7, "First event: 0 VN0, 1 VN1"),
	F("ev0_cls", 6, 4,
	  "First event: 0 HOM, 1 SNP, 2 NDR, 3 NCS, 4 DRS, 5 NCB, 6 VNA small, 7 VNA large"),
	F("ev0_type", 3, 0, "First event: what is counted"),
};

/* Match and mask have the same layout (Tables 2-51, 2-52). */
static const struct cat_field packet_fields[] = {
	RSV(63, 52),
	F("RDS", 51, 48, "Data state of a response: 8 M, 4 E, 2 S, 1 F, 0 I"),
	RSV(47, 36),
	F("RNID", 35, 31, "Requesting (remote) node"),
	RSV(30, 18),
	F("DNID", 17, 13, "Destination node"),
	F("MC", 12, 9, "Class: 0 HOM request, 1 HOM response, 2 NDR, 3 SNP, 4 NCS, 12 NCB, 14 DRS"),
	F("OPC", 8, 5, "Opcode; bit 8 is the length: 9 or 11 flits (DRS, NCB), 1-2 or 3 (NCS)"),
	F("VNW", 4, 3, "Network: 0 VN0, 1 VN1, 2-3 VNA"),
	RSV(2, 0),
};

static const struct cat_field mm_cfg_fields[] = {
	F("dis", 63, 63, "0: the counters may use this set"),
	F("mm_trig_en", 21, 21, "1: matching is on"),
	F("ig_flt_cnt", 20, 20, "1: every flit of a packet counts"),
	F("match_flt_cnt", 19, 16, "Else: the flit of a packet that counts, 1 = the first"),
	F("match_71_64", 15, 8, "Bits 71:64 of match"),
	F("mask_71_64", 7, 0, "Bits 71:64 of mask"),
};

/* A register for the left half (ports 0-3, counters 0-7), and for the right one `up` further. */
#define HALVES(name, role, access, n, bytes, off, up, src, ...) \
	R(name, role, access, n, bytes, off, src, __VA_ARGS__), \
	R(name, role, access, n, bytes, (off) + (up), src, .first = n, __VA_ARGS__)
#define XBR(set, name_, off, table, id_, list) \
	HALVES("R_MSR_PORT%n_XBR_SET" #set name_, FILTER, RW, 4, 8, off, 0x20, "323535-001 Tables 2-39, " table, \
	  .id = id_##set, .step = 4, FIELDS(list))
#define XBR_SET(set, off) \
	XBR(set, "_MM_CFG", off, "2-50", ID_CFG, mm_cfg_fields), \
	XBR(set, "_MATCH", (off) + 1, "2-51", ID_MATCH, packet_fields), \
	XBR(set, "_MASK", (off) + 2, "2-52", ID_MASK, packet_fields)

/* Table 2-39 prints the name of the overflow control of counters 15:8 at 0xe02 too; that one is
 * 7:0. MM_CFG is before match and mask: the order in which they are written (2.6.3.6 a, b;
 * Linux does the same). */
static const struct cat_reg regs[] = {
	R("R_MSR_PMON_GLOBAL_CTL_7_0", BOX_CTL, RW, 8, 4, 0x00, "323535-001 Tables 2-39, 2-41", FIELDS(box_fields)),
	R("R_MSR_PMON_GLOBAL_CTL_15_8", BOX_CTL, RW, 8, 4, 0x20, "323535-001 Tables 2-39, 2-41", .first = 8,
	  FIELDS(box_fields)),
	R("R_MSR_PMON_GLOBAL_STATUS_7_0", STATUS, RO, 8, 4, 0x01, "323535-001 Tables 2-39, 2-42",
	  FIELDS(status_fields)),
	R("R_MSR_PMON_GLOBAL_STATUS_15_8", STATUS, RO, 8, 4, 0x21, "323535-001 Tables 2-39, 2-42", .first = 8,
	  FIELDS(status_fields)),
	R("R_MSR_PMON_OVF_CTL_7_0", OVF_CTL, W1C, 8, 4, 0x02, "323535-001 Tables 2-39, 2-43", FIELDS(ovf_fields)),
	R("R_MSR_PMON_OVF_CTL_15_8", OVF_CTL, W1C, 8, 4, 0x22, "323535-001 Tables 2-39, 2-43", .first = 8,
	  FIELDS(ovf_fields)),

	R("R_MSR_PORT%n_IPERF_CFG0", SUB, RW, 8, 4, 0x04, "323535-001 Tables 2-39, 2-48", .id = ID_IPERF0, .step = 1,
	  FIELDS(iperf_fields)),
	R("R_MSR_PORT%n_IPERF_CFG1", SUB, RW, 8, 4, 0x24, "323535-001 Tables 2-39, 2-48", .id = ID_IPERF1, .step = 1,
	  FIELDS(iperf_fields)),
	HALVES("R_MSR_PORT%n_QLX_CFG", SUB, RW, 4, 4, 0x0c, 0x20, "323535-001 Tables 2-39, 2-49", .id = ID_QLX,
	  .step = 1, FIELDS(qlx_fields)),

	XBR_SET(1, 0x60), XBR_SET(2, 0x70),

	HALVES("R_MSR_PMON_CTL%n", CTL, RW, 8, 8, 0x10, 0x20, "323535-001 Tables 2-39, 2-44", .step = 2,
	  FIELDS(ctl_fields)),
	HALVES("R_MSR_PMON_CTR%n", CTR, RW, 8, 8, 0x11, 0x20, "323535-001 Tables 2-39, 2-47", .step = 2,
	  NEHALEM_EX_COUNT),
};

/* Table 2-40 for who is at a port; its select codes of the right half contradict Table 2-45, which
 * holds. 2.6.1 calls the B-Boxes' ports 4 and 7: the figure and Table 2-40 say 3 and 7. */
static const struct cat_port ports[] = {
	{ .event_add = 0, .counters = 0x00ff, .link = "qpi1", .name = "QPI 1" },
	{ .event_add = 6, .counters = 0x00ff, .link = "qpi0", .name = "QPI 0" },
	{ .event_add = 12, .counters = 0x00ff, .name = "S-Box 0" },
	{ .event_add = 18, .counters = 0x00ff, .name = "B-Box 0" },
	{ .event_add = 0, .counters = 0xff00, .link = "qpi2", .name = "QPI 2" },
	{ .event_add = 6, .counters = 0xff00, .link = "qpi3", .name = "QPI 3" },
	{ .event_add = 12, .counters = 0xff00, .name = "S-Box 1" },
	{ .event_add = 18, .counters = 0xff00, .name = "U-Box and B-Box 1" },
};
#define SBOX_PORTS (BIT(2) | BIT(6))

#define TWICE " (at most two of any event per port, 323535-001 2.6.2)"

static const struct cat_selector iperf = {
	.pin = "iperf",
	ENCODINGS(ENCODING(0, { ID_IPERF0, 31, 0 }), ENCODING(1, { ID_IPERF1, 31, 0 })),
	.name = "IPERF register of the port" TWICE,
};

static const struct cat_selector qlx = {
	.pin = "qlx",
	ENCODINGS(ENCODING(2, { ID_QLX, 7, 0 }), ENCODING(3, { ID_QLX, 15, 8 })),
	.name = "QLX field of the port" TWICE,
};

enum { F_MATCH, F_MASK, F_CFG };

#define XBAR(set) \
	ENCODING(3 + set, [F_MATCH] = { ID_MATCH##set, 63, 0 }, [F_MASK] = { ID_MASK##set, 63, 0 }, \
	  [F_CFG] = { ID_CFG##set, 63, 0 })
/* 1 = compare: a mask of 0 lets every packet through. */
static const struct cat_selector xbar = {
	.pin = "xbar", .pin_base = 1, ENCODINGS(XBAR(1), XBAR(2)),
	.name = "match and mask set of the port" TWICE,
	KEYS_HERE(
	  K("match", F_MATCH, 63, 0,
	    "Bits 63:0 of a packet's header: class, opcode, nodes, data state (Table 2-51)",
	    .hex = true, .needs = "mask"),
	  K("mask", F_MASK, 63, 0, "1 = compare this bit with match", .hex = true),
	  K("match_hi", F_CFG, 15, 8,
	    "Bits 71:64 of a packet's header",
	    .hex = true, .needs = "mask_hi"),
	  K("mask_hi", F_CFG, 7, 0, "1 = compare this bit with match_hi", .hex = true),
	  K("flits", F_CFG, 19, 16,
	    "The flit of a packet that is counted: 1 counts packets, any counts all their flits",
	    .min = 1, .dflt = 1, .word = "any", .word_bits = BIT(20))),
};

#define SET0(v) .values = VALUES(BIT(0), { v })
#define HOM_SNP .disputed = "SNP and HOM: bits 5 and 4 by Table 2-48; likwid has " \
		"them the other way round"
#define HOM_VN  .disputed = "HOM VN0 and VN1: bits 15 and 14 by Table 2-48; likwid has " \
		"them the other way round"

/* Classes of one network; the two upper bits are a number, the six lower ones a mask. */
#define NEW(net, bits, text) \
	U(net "_SNP", bits | 0x20, "Snoops" text, SET0(bits | 0x20), HOM_SNP), \
	U(net "_HOM", bits | 0x10, "Home messages" text, SET0(bits | 0x10), HOM_SNP), \
	U(net "_NDR", bits | 0x08, "Responses without data" text, SET0(bits | 0x08)), \
	U(net "_DRS", bits | 0x04, "Data responses" text, SET0(bits | 0x04)), \
	U(net "_NCS", bits | 0x02, "Non-coherent standard messages" text, SET0(bits | 0x02)), \
	U(net "_NCB", bits | 0x01, "Non-coherent bypass messages" text, SET0(bits | 0x01)), \
	U(net "_ALL", bits | 0x3f, "All classes" text, SET0(bits | 0x3f))

static const struct cat_umask eot[] = {
	U("HOM_VN0", 1, "Home messages, VN0", SET0(1 << 17)),
	U("HOM_VN1", 2, "Home messages, VN1", SET0(2 << 17)),
	U("NDR", 3, "Responses without data", SET0(3 << 17)),
	U("DRS_VN0", 4, "Data responses, VN0", SET0(4 << 17)),
	U("SNP", 5, "Snoop messages", SET0(5 << 17)),
	U("NCB", 6, "Non-coherent bypass messages", SET0(6 << 17)),
	U("NCS", 7, "Non-coherent standard messages", SET0(7 << 17)),
	U("DRS_VN1", 8, "Data responses, VN1", SET0(8 << 17)),
};

/* Which classes an event may take stood in Tables 2-58 to 2-62; what only Table 2-49 knows is
 * disputed. */
#define OPEN "Only Table 2-49 has this class for this event; no other source confirms that it " \
		"counts"
#define QLX_NET(net, n, bits, hom, others) \
	U(net "_HOM", n + 1, "Home messages, " net, SET0(bits), .disputed = hom), \
	U(net "_SNP", n + 2, "Snoops, " net, SET0(bits | 0x10), .disputed = others), \
	U(net "_NDR", n + 3, "Responses without data, " net, SET0(bits | 0x20), .disputed = others), \
	U(net "_NCS", n + 4, \
	  "Non-coherent standard messages, " net, \
	  SET0(bits | 0x30), .disputed = others), \
	U(net "_DRS", n + 5, "Data responses, " net, SET0(bits | 0x40), .disputed = others), \
	U(net "_NCB", n + 6, \
	  "Non-coherent bypass messages, " net, \
	  SET0(bits | 0x50), .disputed = others), \
	U(net "_VNA_SMALL", n + 7, \
	  "Small packets on VNA, sub-class " net, \
	  SET0(bits | 0x60), .disputed = OPEN), \
	U(net "_VNA_LARGE", n + 8, \
	  "Large packets on VNA, sub-class " net, \
	  SET0(bits | 0x70), .disputed = OPEN)
#define QLX(hom, vn0, vn1) QLX_NET("VN0", 0, 0x00, hom, vn0), QLX_NET("VN1", 8, 0x80, vn1, vn1)

/* likwid knows both networks */
static const struct cat_umask qlx_both[] = { QLX(NULL, NULL, NULL) };
static const struct cat_umask qlx_vn0[] = { QLX(NULL, NULL, OPEN) };    /* ... VN0 only */
static const struct cat_umask qlx_hom[] = { QLX(NULL, OPEN, OPEN) };    /* ... home messages only */
static const struct cat_umask qlx_none[] = { QLX(OPEN, OPEN, OPEN) };   /* ... not at all */

#define PACKET(match, mask) .values = VALUES(BIT(F_MATCH) | BIT(F_MASK), { match, mask })

static const struct cat_umask packets[] = {
	U("DRS.ANYDATAC", 1,
	  "Cache lines that answer a core's request; sent to S-Boxes only",
	  PACKET(0x1c00, 0x1f80), .ports = SBOX_PORTS),
	U("DRS.DATAC_M", 2,
	  "Cache lines in state M that answer a core's request; sent to S-Boxes only",
	  PACKET(0x1c00 | UINT64_C(0x8) << 48, 0x1fe0 | UINT64_C(0xf) << 48), .ports = SBOX_PORTS),
	U("DRS.WBIDATA", 3,
	  "Written back data, the line becomes I",
	  PACKET(0x1c80, 0x1fe0), .alias = "DRS.WBLDATA"),
	U("DRS.WBSDATA", 4, "Written back data, the line becomes S", PACKET(0x1ca0, 0x1fe0)),
	U("DRS.WBEDATA", 5, "Written back data, the line becomes E", PACKET(0x1cc0, 0x1fe0)),
	U("DRS.ANYRESP", 6,
	  "All data responses; less ANYDATAC: write-backs and writes without snoop",
	  PACKET(0x1c00, 0x1e00)),
	U("DRS.ANYRESP9FLITS", 7,
	  "Data responses of 9 flits: a whole cache line",
	  PACKET(0x1c00, 0x1f00)),
	U("DRS.ANYRESP11FLITS", 8,
	  "Data responses of 11 flits: part of a cache line",
	  PACKET(0x1d00, 0x1f00)),
	U("NCB.ANYMSG9FLITS", 9,
	  "Non-coherent bypass messages of 9 flits: a whole cache line",
	  PACKET(0x1800, 0x1f00)),
	U("NCB.ANYMSG11FLITS", 10,
	  "Non-coherent bypass messages of 11 flits: part of a line, or an interrupt",
	  PACKET(0x1900, 0x1f00)),
	U("NCB.ANYINT", 11,
	  "Interrupts among the non-coherent bypass messages",
	  PACKET(0x1900, 0x1f80)),
};

#define IPERF_SRC "323535-001 Tables 2-48, 2-54"
#define IPERF(bits) .selector = &iperf, .values = VALUES(BIT(0), { bits })
#define QLX_EV(type, m) .selector = &qlx, .values = VALUES(BIT(0), { type }), ONE_OF(m, -1)
#define QLX_SRC "323535-001 Tables 2-49, 2-54"
#define QLX_ONLY \
	.disputed = "Listed in Table 2-49 only, not among the events of Table 2-54"
#define PRECISE .note = "For traffic by class and kind of packet XBAR_MM is the precise way " \
		"(2.6.4.1)"

static const struct cat_event events[] = {
	E("NEW_PACKETS_RECV", 0, 1, IPERF_SRC, IPERF(0), .enum_bits = 0xc0, PRECISE, MASKS_HERE(27,
	  NEW("VN0", 0x00, " on virtual network VN0"), NEW("VN1", 0x40, " on virtual network VN1"),
	  NEW("VNA", 0x80, " on the adaptive network VNA"), NEW("ANY", 0xc0, " on any network")),
	  .help = "Packets of the chosen classes and network that arrived at the port"),
	E("INQUE_READ_WIN", 0, 1, IPERF_SRC, PLAIN, IPERF(0x100),
	  .help = "Times the port's input queue won a read and drained a flit into the crossbar"),
	E("ALLOC_TO_ARB", 0, 1, IPERF_SRC, IPERF(0),
	  .help = "Packets of the chosen classes that entered the port's entry table and asked for a way through",
	  MASKS_HERE(7,
	  U("HOM_VN0", 0x8000, "Home messages, VN0", SET0(0x8000), HOM_VN),
	  U("HOM_VN1", 0x4000, "Home messages, VN1", SET0(0x4000), HOM_VN),
	  U("SNP", 0x2000, "Snoop messages", SET0(0x2000)),
	  U("NDR", 0x1000, "Responses without data", SET0(0x1000)),
	  U("DRS_VN01", 0x0800, "Data responses, VN0 and VN1", SET0(0x0800)),
	  U("NCS", 0x0400, "Non-coherent standard messages", SET0(0x0400)),
	  U("NCB", 0x0200, "Non-coherent bypass messages", SET0(0x0200)),
	  U("ALL", 0xfe00, "All classes", SET0(0xfe00)))),
	E("EOT_NE_CYCLES", 0, 1, IPERF_SRC, PLAIN, IPERF(0x10000),
	  .help = "Cycles in which the port's entry overflow table holds a packet"),
	E("EOT_INSERTS", 0, 1, IPERF_SRC, ONE_OF(eot, -1), IPERF(0x200000), .alias = TEXTS("EOT_DEPTH_ACC"),
	  .help = "Packets of the chosen class put into the port's entry overflow table"),
	E("EOT_OCCUPANCY", 0, 1, IPERF_SRC, ONE_OF(eot, -1), IPERF(0), .per = 128, .alias = TEXTS("EOT_ROLL_DEPTH_ACC"),
	  .help = "Each 128th packet of the chosen class put into the port's entry overflow table",
	  .note = "One count stands for 128 packets: a 7-bit counter in front of it overflows"),
	E("FLITS_RECV_ERR", 0, 1, IPERF_SRC, PLAIN, IPERF(0x1000000), .alias = TEXTS("FLITS_REC_ERR"),
	  .help = "Flits with a checksum error that arrived at the port"),
	E("FLITS_RECV_SPEC", 0, 1, IPERF_SRC, PLAIN, IPERF(0x2000000),
	  .help = "Special flits, which carry link control instead of packets, that arrived at the port"),
	E("OUTPUTQ_NE", 0, 1, IPERF_SRC, PLAIN, IPERF(0x4000000),
	  .help = "Cycles in which the port's output queue holds something to send"),
	E("OUTPUTQ_OVFL", 0, 1, IPERF_SRC, PLAIN, IPERF(0x8000000),
	  .help = "Times the port's output queue overflowed"),
	E("RETRYQ_NE", 0, 1, IPERF_SRC, PLAIN, IPERF(0x10000000),
	  .help = "Cycles in which the port's retry queue keeps sent flits that are not acknowledged yet"),
	E("RETRYQ_OV", 0, 1, IPERF_SRC, PLAIN, IPERF(0x20000000),
	  .help = "Times the port's retry queue overflowed"),
	E("NULL_IDLE", 0, 1, IPERF_SRC, PLAIN, IPERF(0x40000000),
	  .help = "Idle flits without content that the port sent because it had nothing else"),
	E("FLITS_SENT", 0, 1, IPERF_SRC, PLAIN, IPERF(0x80000000),
	  .help = "Flits that left the port",
	  .disputed = "No manual says whether null idle flits, which NULL_IDLE counts, are among them; PCM takes the rate for the speed of the link: so they are"),

	E("QUE_ARB_BID", 0, 1, QLX_SRC, QLX_EV(0x0, qlx_vn0),
	  .help = "Bids of the port's queues in the first of three rounds of arbitration, among the queues"),
	E("LOCAL_ARB_BID", 0, 1, QLX_SRC, QLX_EV(0x1, qlx_hom),
	  .help = "Bids in the second round of arbitration, within the port"),
	E("GLOBAL_ARB_BID", 0, 1, QLX_SRC, QLX_EV(0x2, qlx_hom),
	  .help = "Bids in the third round of arbitration, among the ports for an output"),
	E("QUE_ARB_BID_FAIL", 0, 1, QLX_SRC, QLX_EV(0x3, qlx_vn0),
	  .help = "Bids lost in the round of arbitration among the queues"),
	E("LOCAL_ARB_BID_FAIL", 0, 1, QLX_SRC, QLX_EV(0x4, qlx_hom),
	  .help = "Bids lost in the round of arbitration within the port"),
	E("GLOBAL_ARB_BID_FAIL", 0, 1, QLX_SRC, QLX_EV(0x5, qlx_both),
	  .help = "Bids lost in the round of arbitration among the ports"),
	E("QUE_ARB_HOME_ORDER_KILL", 0, 1, "323535-001 Table 2-49", QLX_EV(0x6, qlx_none), QLX_ONLY,
	  .help = "Bids among the queues dropped to keep home messages in order"),
	E("LOCAL_ARB_HOME_ORDER_KILL", 0, 1, "323535-001 Table 2-49", QLX_EV(0x7, qlx_none), QLX_ONLY,
	  .help = "Bids within the port dropped to keep home messages in order"),
	E("GLOBAL_ARB_HOME_ORDER_KILL", 0, 1, "323535-001 Table 2-49", QLX_EV(0x8, qlx_none), QLX_ONLY,
	  .help = "Bids among the ports dropped to keep home messages in order"),
	E("TARGET_AVAILABLE", 0, 1, QLX_SRC, QLX_EV(0x9, qlx_both),
	  .help = "Times the output that a packet was headed for could accept it"),
	E("STARVING", 0, 1, QLX_SRC, QLX_EV(0xa, qlx_hom), .alias = TEXTS("STARVATION_DETECTED"),
	  .help = "Times the arbiter found a class starving for lack of wins"),

	E("XBAR_MM", 0, 1, "323535-001 Tables 2-45, 2-46, 2-50 to 2-53, 2.6.3.6", ONE_OF(packets, CAT_OPTIONAL),
	  .selector = &xbar, .values = VALUES(BIT(F_MATCH) | BIT(F_MASK) | BIT(F_CFG), { [F_CFG] = BIT(21) }),
	  .help = "Packets, or flits with flits=any, crossing to the port's output that fit a unit mask or match and mask",
	  .note = "Without unit mask and match every packet fits"),
};

const struct cat_box nehalem_ex_rbox = {
	.name = "rbox", .letter = "R",
	.title = "R-Box: router between QPI links, S-Boxes and B-Boxes",
	.n_counters = 16, .ctl_overflow = BIT(6),
	.port_key = "port", .ports = ports, .n_ports = COUNT(ports),
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE,
	.invert = CAT_NONE,
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.6, Table 2-44",
	ROWS, UNITS_HERE({ .base = { 0xe00 } }), .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK,
};
