/* nehalem_ex_rbox.c - R-Box of the Xeon 7500: the router between QPI links, S-Boxes and B-Boxes, 8 ports.
 *
 * Owns:  its registers, its three routes (IPERF, QLX, XBAR), its ports, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A counter does not select an event but a port's sub-register, which selects the event: two IPERF
 * registers, two fields of a QLX register, two match and mask sets. Counters 0-7 see ports 0-3,
 * counters 8-15 ports 4-7; the select is 6 x (port mod 4) + 0..5 (Tables 2-45, 2-46).
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

/* ------------------------------------------------------------------ registers */

enum {
	ID_IPERF0 = 1, ID_IPERF1, ID_QLX,
	ID_MATCH1, ID_MASK1, ID_CFG1,
	ID_MATCH2, ID_MASK2, ID_CFG2,
};

static const struct cat_field box_fields[] = {
	{ "ctr_en", 7, 0, CAT_FIELD, "Bit n enables counter n (left half) or n + 8 (right half)" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 7, 0, CAT_FIELD, "Bit n: counter n (left half) or n + 8 (right half) overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov", 7, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "pmi_en", 6, 6, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "ev_sel", 5, 1, CAT_FIELD, "Port and sub-register: 6 x (port mod 4) + IPERF0, IPERF1, QLX0, "
		"QLX1, XBAR1, XBAR2; 24-31 illegal" },
	{ "en", 0, 0, CAT_FIELD, "Enables this counter" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_field iperf_fields[] = {
	{ "FLT_SENT", 31, 31, CAT_FIELD, "Flit sent" },
	{ "NULL_IDLE", 30, 30, CAT_FIELD, "Idle flit without content sent" },
	{ "RETRYQ_OV", 29, 29, CAT_FIELD, "Retry queue of the output overflowed" },
	{ "RETRYQ_NE", 28, 28, CAT_FIELD, "Retry queue of the output not empty" },
	{ "OUTQ_OV", 27, 27, CAT_FIELD, "Output queue overflowed" },
	{ "OUTQ_NE", 26, 26, CAT_FIELD, "Output queue not empty" },
	{ "RCVD_SPEC_FLT", 25, 25, CAT_FIELD, "Special flit received" },
	{ "RCVD_ERR_FLT", 24, 24, CAT_FIELD, "Flit with a CRC error received" },
	{ "MC_ROLL_ALLOC", 21, 21, CAT_FIELD, "With MC: 1 counts every allocation in the overflow "
		"table, 0 each 128th" },
	{ "MC", 20, 17, CAT_FIELD, "Class in the overflow table: 1 HOM VN0, 2 HOM VN1, 3 NDR, 4 DRS "
		"VN0, 5 SNP, 6 NCB, 7 NCS, 8 DRS VN1" },
	{ "EOT_NE", 16, 16, CAT_FIELD, "Entry overflow table not empty" },
	{ "ARB_SEL", 15, 9, CAT_FIELD, "Allocations to arbitration, a bit a class: HOM VN0, HOM VN1, "
		"SNP, NDR, DRS, NCS, NCB" },
	{ "IQA_READ_OK", 8, 8, CAT_FIELD, "Read of the input queue won" },
	{ "NEW_PVN", 7, 6, CAT_FIELD, "Network of new packets: 0 VN0, 1 VN1, 2 VNA, 3 all" },
	{ "NEW_PC", 5, 0, CAT_FIELD, "Class of new packets, a bit each: SNP, HOM, NDR, DRS, NCS, NCB" },
};

static const struct cat_field qlx_fields[] = {
	{ "ev1_sub", 15, 15, CAT_FIELD, "Second event: 0 VN0, 1 VN1" },
	{ "ev1_cls", 14, 12, CAT_FIELD, "Second event: 0 HOM, 1 SNP, 2 NDR, 3 NCS, 4 DRS, 5 NCB, 6 "
		"VNA small, 7 VNA large" },
	{ "ev1_type", 11, 8, CAT_FIELD, "Second event: what is counted" },
	{ "ev0_sub", 7, 7, CAT_FIELD, "First event: 0 VN0, 1 VN1" },
	{ "ev0_cls", 6, 4, CAT_FIELD, "First event: 0 HOM, 1 SNP, 2 NDR, 3 NCS, 4 DRS, 5 NCB, 6 "
		"VNA small, 7 VNA large" },
	{ "ev0_type", 3, 0, CAT_FIELD, "First event: what is counted" },
};

/* Match and mask have the same layout (Tables 2-51, 2-52). */
static const struct cat_field packet_fields[] = {
	{ "rsv", 63, 52, CAT_FIELD_RSV, NULL },
	{ "RDS", 51, 48, CAT_FIELD, "Data state of a response: 8 M, 4 E, 2 S, 1 F, 0 I" },
	{ "rsv", 47, 36, CAT_FIELD_RSV, NULL },
	{ "RNID", 35, 31, CAT_FIELD, "Requesting (remote) node" },
	{ "rsv", 30, 18, CAT_FIELD_RSV, NULL },
	{ "DNID", 17, 13, CAT_FIELD, "Destination node" },
	{ "MC", 12, 9, CAT_FIELD, "Class: 0 HOM request, 1 HOM response, 2 NDR, 3 SNP, "
		"4 NCS, 12 NCB, 14 DRS" },
	{ "OPC", 8, 5, CAT_FIELD, "Opcode; bit 8 is the length: 9 or 11 flits (DRS, "
		"NCB), 1-2 or 3 (NCS)" },
	{ "VNW", 4, 3, CAT_FIELD, "Network: 0 VN0, 1 VN1, 2-3 VNA" },
	{ "rsv", 2, 0, CAT_FIELD_RSV, NULL },
};

static const struct cat_field mm_cfg_fields[] = {
	{ "dis", 63, 63, CAT_FIELD, "0: the counters may use this set" },
	{ "mm_trig_en", 21, 21, CAT_FIELD, "1: matching is on" },
	{ "ig_flt_cnt", 20, 20, CAT_FIELD, "1: every flit of a packet counts" },
	{ "match_flt_cnt", 19, 16, CAT_FIELD, "Else: the flit of a packet that counts, 1 = the first" },
	{ "match_71_64", 15, 8, CAT_FIELD, "Bits 71:64 of match" },
	{ "mask_71_64", 7, 0, CAT_FIELD, "Bits 71:64 of mask" },
};

#define R_BOX  .bytes = 4, .count = 8
#define R_PAIR .access = CAT_RW, .bytes = 8, .count = 8, .step = 2
#define R_SUB  .role = CAT_SUB, .access = CAT_RW, .bytes = 4, .step = 1
#define R_XBR  .role = CAT_FILTER, .access = CAT_RW, .bytes = 8, .count = 4, .step = 4

#define F(f)    .fields = f, .n_fields = COUNT(f)
#define MATCH_T .source = "323535-001 Tables 2-39, 2-51"
#define MASK_T  .source = "323535-001 Tables 2-39, 2-52"
#define CFG_T   .source = "323535-001 Tables 2-39, 2-50"

/* Table 2-39 prints the name of the overflow control of counters 15:8 at 0xe02 too; that one is 7:0.
 * MM_CFG stands before match and mask: the order in which they are written (2.6.3.6 a, b; Linux does the same). */
static const struct cat_reg regs[] = {
	{ .name = "R_MSR_PMON_GLOBAL_CTL_7_0", .role = CAT_BOX_CTL, .access = CAT_RW, R_BOX, .first = 0,
	  .off = 0x00, F(box_fields),
	  .source = "323535-001 Tables 2-39, 2-41" },
	{ .name = "R_MSR_PMON_GLOBAL_CTL_15_8", .role = CAT_BOX_CTL, .access = CAT_RW, R_BOX, .first = 8,
	  .off = 0x20, F(box_fields),
	  .source = "323535-001 Tables 2-39, 2-41" },
	{ .name = "R_MSR_PMON_GLOBAL_STATUS_7_0", .role = CAT_STATUS, .access = CAT_RO, R_BOX, .first = 0,
	  .off = 0x01,
	  F(status_fields), .source = "323535-001 Tables 2-39, 2-42" },
	{ .name = "R_MSR_PMON_GLOBAL_STATUS_15_8", .role = CAT_STATUS, .access = CAT_RO, R_BOX,
	  .first = 8, .off = 0x21,
	  F(status_fields), .source = "323535-001 Tables 2-39, 2-42" },
	{ .name = "R_MSR_PMON_OVF_CTL_7_0", .role = CAT_OVF_CTL, .access = CAT_W1C, R_BOX, .first = 0,
	  .off = 0x02, F(ovf_fields),
	  .source = "323535-001 Tables 2-39, 2-43" },
	{ .name = "R_MSR_PMON_OVF_CTL_15_8", .role = CAT_OVF_CTL, .access = CAT_W1C, R_BOX, .first = 8,
	  .off = 0x22, F(ovf_fields),
	  .source = "323535-001 Tables 2-39, 2-43" },

	{ .name = "R_MSR_PORT%n_IPERF_CFG0", .id = ID_IPERF0, R_SUB, .first = 0, .count = 8, .off = 0x04,
	  F(iperf_fields),
	  .source = "323535-001 Tables 2-39, 2-48" },
	{ .name = "R_MSR_PORT%n_IPERF_CFG1", .id = ID_IPERF1, R_SUB, .first = 0, .count = 8, .off = 0x24,
	  F(iperf_fields),
	  .source = "323535-001 Tables 2-39, 2-48" },
	{ .name = "R_MSR_PORT%n_QLX_CFG", .id = ID_QLX, R_SUB, .first = 0, .count = 4, .off = 0x0c,
	  F(qlx_fields),
	  .source = "323535-001 Tables 2-39, 2-49" },
	{ .name = "R_MSR_PORT%n_QLX_CFG", .id = ID_QLX, R_SUB, .first = 4, .count = 4, .off = 0x2c,
	  F(qlx_fields),
	  .source = "323535-001 Tables 2-39, 2-49" },

	{ .name = "R_MSR_PORT%n_XBR_SET1_MM_CFG", .id = ID_CFG1, R_XBR, .first = 0, .off = 0x60,
	  F(mm_cfg_fields), CFG_T },
	{ .name = "R_MSR_PORT%n_XBR_SET1_MM_CFG", .id = ID_CFG1, R_XBR, .first = 4, .off = 0x80,
	  F(mm_cfg_fields), CFG_T },
	{ .name = "R_MSR_PORT%n_XBR_SET1_MATCH", .id = ID_MATCH1, R_XBR, .first = 0, .off = 0x61,
	  F(packet_fields), MATCH_T },
	{ .name = "R_MSR_PORT%n_XBR_SET1_MATCH", .id = ID_MATCH1, R_XBR, .first = 4, .off = 0x81,
	  F(packet_fields), MATCH_T },
	{ .name = "R_MSR_PORT%n_XBR_SET1_MASK", .id = ID_MASK1, R_XBR, .first = 0, .off = 0x62,
	  F(packet_fields), MASK_T },
	{ .name = "R_MSR_PORT%n_XBR_SET1_MASK", .id = ID_MASK1, R_XBR, .first = 4, .off = 0x82,
	  F(packet_fields), MASK_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MM_CFG", .id = ID_CFG2, R_XBR, .first = 0, .off = 0x70,
	  F(mm_cfg_fields), CFG_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MM_CFG", .id = ID_CFG2, R_XBR, .first = 4, .off = 0x90,
	  F(mm_cfg_fields), CFG_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MATCH", .id = ID_MATCH2, R_XBR, .first = 0, .off = 0x71,
	  F(packet_fields), MATCH_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MATCH", .id = ID_MATCH2, R_XBR, .first = 4, .off = 0x91,
	  F(packet_fields), MATCH_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MASK", .id = ID_MASK2, R_XBR, .first = 0, .off = 0x72,
	  F(packet_fields), MASK_T },
	{ .name = "R_MSR_PORT%n_XBR_SET2_MASK", .id = ID_MASK2, R_XBR, .first = 4, .off = 0x92,
	  F(packet_fields), MASK_T },

	{ .name = "R_MSR_PMON_CTL%n", .role = CAT_CTL, R_PAIR, .first = 0, .off = 0x10, F(ctl_fields),
	  .source = "323535-001 Tables 2-39, 2-44" },
	{ .name = "R_MSR_PMON_CTL%n", .role = CAT_CTL, R_PAIR, .first = 8, .off = 0x30, F(ctl_fields),
	  .source = "323535-001 Tables 2-39, 2-44" },
	{ .name = "R_MSR_PMON_CTR%n", .role = CAT_CTR, R_PAIR, .first = 0, .off = 0x11, F(ctr_fields),
	  .source = "323535-001 Tables 2-39, 2-47" },
	{ .name = "R_MSR_PMON_CTR%n", .role = CAT_CTR, R_PAIR, .first = 8, .off = 0x31, F(ctr_fields),
	  .source = "323535-001 Tables 2-39, 2-47" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xe00 } },
};

/* Table 2-40 for who is at a port; its select codes of the right half contradict Table 2-45, which holds.
 * 2.6.1 calls the B-Boxes' ports 4 and 7: the figure and Table 2-40 say 3 and 7. */
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

/* ------------------------------------------------------------------ routes */

#define TWICE " (at most two of any event per port, 323535-001 2.6.2)"

static const struct cat_place iperf_places[] = {
	{ .code = 0, .t = { { ID_IPERF0, 31, 0 } } },
	{ .code = 1, .t = { { ID_IPERF1, 31, 0 } } },
};
static const struct cat_route iperf = {
	.pin = "iperf", .n_places = COUNT(iperf_places), .places = iperf_places,
	.name = "IPERF register of the port" TWICE,
};

static const struct cat_place qlx_places[] = {
	{ .code = 2, .t = { { ID_QLX, 7, 0 } } },
	{ .code = 3, .t = { { ID_QLX, 15, 8 } } },
};
static const struct cat_route qlx = {
	.pin = "qlx", .n_places = COUNT(qlx_places), .places = qlx_places,
	.name = "QLX field of the port" TWICE,
};

enum { T_MATCH, T_MASK, T_CFG };

static const struct cat_place xbar_places[] = {
	{ .code = 4, .t = { [T_MATCH] = { ID_MATCH1, 63, 0 }, [T_MASK] = { ID_MASK1, 63, 0 },
	  [T_CFG] = { ID_CFG1, 63, 0 } } },
	{ .code = 5, .t = { [T_MATCH] = { ID_MATCH2, 63, 0 }, [T_MASK] = { ID_MASK2, 63, 0 },
	  [T_CFG] = { ID_CFG2, 63, 0 } } },
};
/* 1 = compare: a mask of 0 lets every packet through. */
static const struct cat_key xbar_keys[] = {
	{ .name = "match", .target = T_MATCH, .hi = 63, .lo = 0, .hex = true, .needs = "mask",
	  .help = "Bits 63:0 of a packet's header: class, opcode, nodes, data state (Table 2-51)" },
	{ .name = "mask", .target = T_MASK, .hi = 63, .lo = 0, .hex = true,
	  .help = "1 = compare this bit with match" },
	{ .name = "match_hi", .target = T_CFG, .hi = 15, .lo = 8, .hex = true, .needs = "mask_hi",
	  .help = "Bits 71:64 of a packet's header" },
	{ .name = "mask_hi", .target = T_CFG, .hi = 7, .lo = 0, .hex = true,
	  .help = "1 = compare this bit with match_hi" },
	{ .name = "flits", .target = T_CFG, .hi = 19, .lo = 16, .min = 1, .dflt = 1, .word = "any",
	  .word_set = BIT(20),
	  .help = "The flit of a packet that is counted: 1 counts packets, any counts all their flits" },
};
static const struct cat_route xbar = {
	.pin = "xbar", .pin_base = 1, .n_places = COUNT(xbar_places), .places = xbar_places,
	.n_keys = COUNT(xbar_keys), .keys = xbar_keys, .name = "match and mask set of the port" TWICE,
};

/* ------------------------------------------------------------------ unit masks */

#define SET0(v) .set = SET(BIT(0), { v })
#define HOM_SNP .disputed = "SNP and HOM: bits 5 and 4 by Table 2-48; likwid has " \
		"them the other way round"
#define HOM_VN  .disputed = "HOM VN0 and VN1: bits 15 and 14 by Table 2-48; likwid has " \
		"them the other way round"

/* Classes of one network; the two upper bits are a number, the six lower ones a mask. */
#define NEW(net, bits, text) \
	{ .name = net "_SNP", .value = bits | 0x20, SET0(bits | 0x20), .help = "Snoops" text, HOM_SNP }, \
	{ .name = net "_HOM", .value = bits | 0x10, SET0(bits | 0x10), .help = "Home messages" text, \
	  HOM_SNP }, \
	{ .name = net "_NDR", .value = bits | 0x08, SET0(bits | 0x08), \
	  .help = "Responses without data" text }, \
	{ .name = net "_DRS", .value = bits | 0x04, SET0(bits | 0x04), .help = "Data responses" text }, \
	{ .name = net "_NCS", .value = bits | 0x02, SET0(bits | 0x02), \
	  .help = "Non-coherent standard messages" text }, \
	{ .name = net "_NCB", .value = bits | 0x01, SET0(bits | 0x01), \
	  .help = "Non-coherent bypass messages" text }, \
	{ .name = net "_ALL", .value = bits | 0x3f, SET0(bits | 0x3f), .help = "All classes" text }

static const struct cat_umask new_packets[] = {
	NEW("VN0", 0x00, " on virtual network VN0"),
	NEW("VN1", 0x40, " on virtual network VN1"),
	NEW("VNA", 0x80, " on the adaptive network VNA"),
	NEW("ANY", 0xc0, " on any network"),
};

static const struct cat_umask to_arb[] = {
	{ .name = "HOM_VN0", .value = 0x8000, SET0(0x8000), .help = "Home messages, VN0", HOM_VN },
	{ .name = "HOM_VN1", .value = 0x4000, SET0(0x4000), .help = "Home messages, VN1", HOM_VN },
	{ .name = "SNP", .value = 0x2000, SET0(0x2000), .help = "Snoop messages" },
	{ .name = "NDR", .value = 0x1000, SET0(0x1000), .help = "Responses without data" },
	{ .name = "DRS_VN01", .value = 0x0800, SET0(0x0800), .help = "Data responses, VN0 and VN1" },
	{ .name = "NCS", .value = 0x0400, SET0(0x0400), .help = "Non-coherent standard messages" },
	{ .name = "NCB", .value = 0x0200, SET0(0x0200), .help = "Non-coherent bypass messages" },
	{ .name = "ALL", .value = 0xfe00, SET0(0xfe00), .help = "All classes" },
};

static const struct cat_umask eot[] = {
	{ .name = "HOM_VN0", .value = 1, SET0(1 << 17), .help = "Home messages, VN0" },
	{ .name = "HOM_VN1", .value = 2, SET0(2 << 17), .help = "Home messages, VN1" },
	{ .name = "NDR", .value = 3, SET0(3 << 17), .help = "Responses without data" },
	{ .name = "DRS_VN0", .value = 4, SET0(4 << 17), .help = "Data responses, VN0" },
	{ .name = "SNP", .value = 5, SET0(5 << 17), .help = "Snoop messages" },
	{ .name = "NCB", .value = 6, SET0(6 << 17), .help = "Non-coherent bypass messages" },
	{ .name = "NCS", .value = 7, SET0(7 << 17), .help = "Non-coherent standard messages" },
	{ .name = "DRS_VN1", .value = 8, SET0(8 << 17), .help = "Data responses, VN1" },
};

/* Which classes an event may take stood in Tables 2-58 to 2-62; what only Table 2-49 knows is disputed. */
#define OPEN "Only Table 2-49 has this class for this event; no other source confirms that it counts"
#define QLX(hom, vn0, vn1) { \
	{ .name = "VN0_HOM", .value = 1, SET0(0x00), .help = "Home messages, VN0", .disputed = hom }, \
	{ .name = "VN0_SNP", .value = 2, SET0(0x10), .help = "Snoops, VN0", .disputed = vn0 }, \
	{ .name = "VN0_NDR", .value = 3, SET0(0x20), .help = "Responses without data, VN0", \
	  .disputed = vn0 }, \
	{ .name = "VN0_NCS", .value = 4, SET0(0x30), .help = "Non-coherent standard messages, VN0", \
	  .disputed = vn0 }, \
	{ .name = "VN0_DRS", .value = 5, SET0(0x40), .help = "Data responses, VN0", .disputed = vn0 }, \
	{ .name = "VN0_NCB", .value = 6, SET0(0x50), .help = "Non-coherent bypass messages, VN0", \
	  .disputed = vn0 }, \
	{ .name = "VN0_VNA_SMALL", .value = 7, SET0(0x60), .help = "Small packets on VNA, sub-class VN0", \
	  .disputed = OPEN }, \
	{ .name = "VN0_VNA_LARGE", .value = 8, SET0(0x70), .help = "Large packets on VNA, sub-class VN0", \
	  .disputed = OPEN }, \
	{ .name = "VN1_HOM", .value = 9, SET0(0x80), .help = "Home messages, VN1", .disputed = vn1 }, \
	{ .name = "VN1_SNP", .value = 10, SET0(0x90), .help = "Snoops, VN1", .disputed = vn1 }, \
	{ .name = "VN1_NDR", .value = 11, SET0(0xa0), .help = "Responses without data, VN1", \
	  .disputed = vn1 }, \
	{ .name = "VN1_NCS", .value = 12, SET0(0xb0), .help = "Non-coherent standard messages, VN1", \
	  .disputed = vn1 }, \
	{ .name = "VN1_DRS", .value = 13, SET0(0xc0), .help = "Data responses, VN1", .disputed = vn1 }, \
	{ .name = "VN1_NCB", .value = 14, SET0(0xd0), .help = "Non-coherent bypass messages, VN1", \
	  .disputed = vn1 }, \
	{ .name = "VN1_VNA_SMALL", .value = 15, SET0(0xe0), .help = "Small packets on VNA, sub-class VN1", \
	  .disputed = OPEN }, \
	{ .name = "VN1_VNA_LARGE", .value = 16, SET0(0xf0), .help = "Large packets on VNA, sub-class VN1", \
	  .disputed = OPEN } }

static const struct cat_umask qlx_both[] = QLX(NULL, NULL, NULL);   /* likwid knows both networks */
static const struct cat_umask qlx_vn0[] = QLX(NULL, NULL, OPEN);    /* ... VN0 only */
static const struct cat_umask qlx_hom[] = QLX(NULL, OPEN, OPEN);    /* ... home messages only */
static const struct cat_umask qlx_none[] = QLX(OPEN, OPEN, OPEN);   /* ... not at all */

#define PACKET(n, match, mask, text) .value = n, .set = SET(BIT(T_MATCH) | BIT(T_MASK), { match, mask }), \
	.help = text

static const struct cat_umask packets[] = {
	{ .name = "DRS.ANYDATAC", PACKET(1, 0x1c00, 0x1f80,
	  "Cache lines that answer a core's request; sent to S-Boxes only"),
	  .ports = SBOX_PORTS },
	{ .name = "DRS.DATAC_M", PACKET(2, 0x1c00 | UINT64_C(0x8) << 48, 0x1fe0 | UINT64_C(0xf) << 48,
	  "Cache lines in state M that answer a core's request; sent to S-Boxes only"),
	  .ports = SBOX_PORTS },
	{ .name = "DRS.WBIDATA", PACKET(3, 0x1c80, 0x1fe0, "Written back data, the line becomes I"),
	  .alias = "DRS.WBLDATA" },
	{ .name = "DRS.WBSDATA", PACKET(4, 0x1ca0, 0x1fe0, "Written back data, the line becomes S") },
	{ .name = "DRS.WBEDATA", PACKET(5, 0x1cc0, 0x1fe0, "Written back data, the line becomes E") },
	{ .name = "DRS.ANYRESP", PACKET(6, 0x1c00, 0x1e00,
	  "All data responses; less ANYDATAC: write-backs and writes without snoop") },
	{ .name = "DRS.ANYRESP9FLITS", PACKET(7, 0x1c00, 0x1f00,
	  "Data responses of 9 flits: a whole cache line") },
	{ .name = "DRS.ANYRESP11FLITS", PACKET(8, 0x1d00, 0x1f00,
	  "Data responses of 11 flits: part of a cache line") },
	{ .name = "NCB.ANYMSG9FLITS", PACKET(9, 0x1800, 0x1f00,
	  "Non-coherent bypass messages of 9 flits: a whole cache line") },
	{ .name = "NCB.ANYMSG11FLITS", PACKET(10, 0x1900, 0x1f00,
	  "Non-coherent bypass messages of 11 flits: part of a line, or an interrupt") },
	{ .name = "NCB.ANYINT", PACKET(11, 0x1900, 0x1f80,
	  "Interrupts among the non-coherent bypass messages") },
};

/* ------------------------------------------------------------------ events */

#define IPERF(bits) .route = &iperf, .max_inc = 1, .set = SET(BIT(0), { bits }), \
	.source = "323535-001 Tables 2-48, 2-54"
#define QLX_EV(type, m) .route = &qlx, .max_inc = 1, .set = SET(BIT(0), { type }), \
	.combine = CAT_UMASK_ONE, .dflt = -1, \
	.umasks = m, .n_umasks = COUNT(m)
#define QLX_SRC  .source = "323535-001 Tables 2-49, 2-54"
#define QLX_ONLY .source = "323535-001 Table 2-49", \
	.disputed = "Listed in Table 2-49 only, not among the events of Table 2-54"
#define PRECISE  .note = "For traffic by class and kind of packet XBAR_MM is the precise way (2.6.4.1)"

static const struct cat_event events[] = {
	{ .name = "NEW_PACKETS_RECV", IPERF(0), .combine = CAT_UMASK_BITS, .enum_bits = 0xc0, .dflt = 27,
	  .umasks = new_packets, .n_umasks = COUNT(new_packets), PRECISE,
	  .help = "Packets of the chosen classes and network that arrived at the port" },
	{ .name = "INQUE_READ_WIN", IPERF(0x100), .dflt = -1,
	  .help = "Times the port's input queue won a read and drained a flit into the crossbar" },
	{ .name = "ALLOC_TO_ARB", IPERF(0), .combine = CAT_UMASK_BITS, .dflt = 7, .umasks = to_arb,
	  .n_umasks = COUNT(to_arb),
	  .help = "Packets of the chosen classes that entered the port's entry table and "
		"asked for a way through" },
	{ .name = "EOT_NE_CYCLES", IPERF(0x10000), .dflt = -1,
	  .help = "Cycles in which the port's entry overflow table holds a packet" },
	{ .name = "EOT_INSERTS", IPERF(0x200000), .combine = CAT_UMASK_ONE, .dflt = -1, .umasks = eot,
	  .n_umasks = COUNT(eot),
	  .alias = TEXTS("EOT_DEPTH_ACC"),
	  .help = "Packets of the chosen class put into the port's entry overflow table" },
	{ .name = "EOT_OCCUPANCY", IPERF(0), .combine = CAT_UMASK_ONE, .dflt = -1, .umasks = eot,
	  .n_umasks = COUNT(eot), .per = 128,
	  .alias = TEXTS("EOT_ROLL_DEPTH_ACC"), .note = "One count stands for 128 packets: a 7-bit counter "
		"in front of it overflows",
	  .help = "Each 128th packet of the chosen class put into the port's entry overflow table" },
	{ .name = "FLITS_RECV_ERR", IPERF(0x1000000), .dflt = -1, .alias = TEXTS("FLITS_REC_ERR"),
	  .help = "Flits with a checksum error that arrived at the port" },
	{ .name = "FLITS_RECV_SPEC", IPERF(0x2000000), .dflt = -1,
	  .help = "Special flits, which carry link control instead of packets, that "
		"arrived at the port" },
	{ .name = "OUTPUTQ_NE", IPERF(0x4000000), .dflt = -1,
	  .help = "Cycles in which the port's output queue holds something to send" },
	{ .name = "OUTPUTQ_OVFL", IPERF(0x8000000), .dflt = -1,
	  .help = "Times the port's output queue overflowed" },
	{ .name = "RETRYQ_NE", IPERF(0x10000000), .dflt = -1,
	  .help = "Cycles in which the port's retry queue keeps sent flits that are "
		"not acknowledged yet" },
	{ .name = "RETRYQ_OV", IPERF(0x20000000), .dflt = -1,
	  .help = "Times the port's retry queue overflowed" },
	{ .name = "NULL_IDLE", IPERF(0x40000000), .dflt = -1,
	  .help = "Idle flits without content that the port sent because it had nothing else" },
	{ .name = "FLITS_SENT", IPERF(0x80000000), .dflt = -1,
	  .note = "Idle flits are counted too: NULL_IDLE counts those alone",
	  .help = "Flits that left the port" },

	{ .name = "QUE_ARB_BID", QLX_EV(0x0, qlx_vn0), QLX_SRC,
	  .help = "Bids of the port's queues in the first of three rounds of arbitration, "
		"among the queues" },
	{ .name = "LOCAL_ARB_BID", QLX_EV(0x1, qlx_hom), QLX_SRC,
	  .help = "Bids in the second round of arbitration, within the port" },
	{ .name = "GLOBAL_ARB_BID", QLX_EV(0x2, qlx_hom), QLX_SRC,
	  .help = "Bids in the third round of arbitration, among the ports for an output" },
	{ .name = "QUE_ARB_BID_FAIL", QLX_EV(0x3, qlx_vn0), QLX_SRC,
	  .help = "Bids lost in the round of arbitration among the queues" },
	{ .name = "LOCAL_ARB_BID_FAIL", QLX_EV(0x4, qlx_hom), QLX_SRC,
	  .help = "Bids lost in the round of arbitration within the port" },
	{ .name = "GLOBAL_ARB_BID_FAIL", QLX_EV(0x5, qlx_both), QLX_SRC,
	  .help = "Bids lost in the round of arbitration among the ports" },
	{ .name = "QUE_ARB_HOME_ORDER_KILL", QLX_EV(0x6, qlx_none), QLX_ONLY,
	  .help = "Bids among the queues dropped to keep home messages in order" },
	{ .name = "LOCAL_ARB_HOME_ORDER_KILL", QLX_EV(0x7, qlx_none), QLX_ONLY,
	  .help = "Bids within the port dropped to keep home messages in order" },
	{ .name = "GLOBAL_ARB_HOME_ORDER_KILL", QLX_EV(0x8, qlx_none), QLX_ONLY,
	  .help = "Bids among the ports dropped to keep home messages in order" },
	{ .name = "TARGET_AVAILABLE", QLX_EV(0x9, qlx_both), QLX_SRC,
	  .help = "Times the output that a packet wants could take it" },
	{ .name = "STARVING", QLX_EV(0xa, qlx_hom), QLX_SRC, .alias = TEXTS("STARVATION_DETECTED"),
	  .help = "Times the arbiter found a class starving for lack of wins" },

	{ .name = "XBAR_MM", .route = &xbar, .max_inc = 1, .combine = CAT_UMASK_ONE, .dflt = CAT_OPTIONAL,
	  .umasks = packets, .n_umasks = COUNT(packets),
	  .set = SET(BIT(T_MATCH) | BIT(T_MASK) | BIT(T_CFG), { [T_CFG] = BIT(21) }),
	  .help = "Packets, or flits with flits=any, crossing to the port's output that fit a unit "
		"mask or match and mask",
	  .note = "Without unit mask and match every packet fits",
	  .source = "323535-001 Tables 2-45, 2-46, 2-50 to 2-53, 2.6.3.6" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box nehalem_ex_rbox = {
	.name = "rbox", .letter = "R", .title = "R-Box: router between QPI links, S-Boxes and B-Boxes",
	.n_counters = 16, .ctl_overflow = BIT(6),
	.port_key = "port", .ports = ports, .n_ports = COUNT(ports),
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE,
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.6, Table 2-44",
	ROWS, UNITS(units), .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK,
};
