/* SPDX-License-Identifier: MIT
 * S-Box of the Xeon 7500: between the ring of the cores and the R- and B-Boxes.
 * Owns:  its registers, its match and mask selector, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * "System bound" is what leaves the ring for the R- or B-Box, "ring bound" what comes back.
 */
#include "catalog/tables/nehalem_ex.h"

/* -------------------------------------------------- rows with a unit mask for each C-Box of a side
 *
 * Four on the Xeon 7500, five on Westmere-EX. one: lists each C-Box, of which exactly one may be
 * chosen; all: the same, ALL last. Of packets ALL is likwid's name for the sum over C-Boxes that
 * 2.5.6 describes. */

#define SRC "323535-001 Table 2-37, 2.5.6"
#define QUEUE .occupancy = true, \
	.note = "Entries in use, summed over cycles: divided by the uncore clock it is the mean " \
		"length"
#define MAX_INC(table, list) .disputed = "Largest increment per cycle: Table 2-37 says " table \
		", the event list " list "; the larger is used"
#define CODE(table) .disputed = "Code: from the event list; Table 2-37 says " table
#define BYPASS  .note = "Message and credit flits alike: not to be added to flits of messages"
#define IDLE    .note = "Idle flits that carry credits: not to be added to flits of messages"

#define CBOX_QUEUE(class, code, first, rest, list, one, all) \
	E("TO_R_" class "_MSGQ_CYCLES_FULL", code, 1, SRC, MASKS(one, -1), .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of " rest "s leaving through the R-Box has no room"), \
	E("TO_R_" class "_MSGQ_CYCLES_NE", (code) + 1, 1, SRC, MASKS(all, COUNT(all) - 1), \
	  .help = "Cycles in which a " rest " of the chosen C-Boxes waits to leave through the R-Box"), \
	E("TO_R_" class "_MSGQ_OCCUPANCY", (code) + 2, 64, SRC, SUMMED(all, COUNT(all) - 1), QUEUE, \
	  MAX_INC("64", list), \
	  .help = first "s of the chosen C-Boxes waiting to leave through the R-Box, added up each cycle")
#define CBOX_QUEUES(...) \
	CBOX_QUEUE("DRS", 0x0e, "Data response", "data response", "16", __VA_ARGS__), \
	CBOX_QUEUE("NCB", 0x11, "Non-coherent bypass message", "non-coherent bypass message", "8", __VA_ARGS__), \
	CBOX_QUEUE("NCS", 0x14, "Non-coherent standard message", "non-coherent standard message", "2", __VA_ARGS__)

#define CBOX_PKTS_DRS(all) \
	E("PKTS_SENT_DRS", 0x64, 1, SRC, SUMMED(all, -1), \
	  .help = "Data response packets of the chosen C-Boxes that the S-Box sent to the system", \
	  .note = "Of two messages for one response (to requester and home) only the first is counted; their length varies, FLITS_SENT_DRS counts it")
#define CBOX_PKTS_NCS(all) \
	E("PKTS_SENT_NCS", 0x66, 3, SRC, SUMMED(all, -1), MAX_INC("1", "3"), \
	  .help = "Non-coherent standard packets of the chosen C-Boxes that the S-Box sent to the system")
#define CBOX_PKTS_NCB(all) \
	E("PKTS_SENT_NCB", 0x68, 11, SRC, SUMMED(all, -1), MAX_INC("1", "11"), \
	  .help = "Non-coherent bypass packets of the chosen C-Boxes that the S-Box sent to the system")

/* What the unit masks of C-Boxes say; listed though refused: a combination is undefined. */
#define ONE_ONLY(all) \
	U("ALL", all, \
	  "Listed by the manual, but refused: exactly one C-Box may be chosen", \
	  .disputed = "Listed, yet the manual calls the result undefined when more than one C-Box is chosen")

enum { ID_MATCH = 1, ID_MASK, ID_MM_CFG };

/* The match and mask registers are before MM_CFG: the order in which they are written
 * (2.5.3.4). */
static const struct cat_reg regs[] = {
	R("SR%u_CR_S_MSR_PMON_GLOBAL_CTL", BOX_CTL, RW, 4, 4, 0x00, "323535-001 Tables 2-25, 2-27",
	  FIELDS_HERE(F("ctr_en", 3, 0, "Bit n enables counter n"))),
	R("SR%u_CR_S_MSR_PMON_GLOBAL_STATUS", STATUS, RW, 4, 4, 0x01, "323535-001 Tables 2-25, 2-28",
	  FIELDS_HERE(F("ov", 3, 0, "Bit n: counter n overflowed"))),
	R("SR%u_CR_S_MSR_PMON_OVF_CTL", OVF_CTL, WO, 4, 4, 0x02, "323535-001 Tables 2-25, 2-29",
	  FIELDS_HERE(PULSE("clr_ov", 3, 0, "Write 1 to clear ov"))),
	R("SR%u_CR_S_MSR_PMON_SUMMARY", SUMMARY, RO, 1, 4, 0x03, "323535-001 Tables 2-25, 2-26", FIELDS_HERE(
	  /* 2.6.2.2 sends an overflow of the left R-Box to ov_c_l; Table 2-26 gives it a bit of
	   * its own, which holds. */
	  F("ov_r", 19, 19, "Overflow in the half of the R-Box on this side"),
	  F("ov_s", 18, 18, "Overflow in this S-Box"),
	  F("ov_mb", 16, 16, "Overflow in the M- or B-Box of this side"),
	  F("ov_c_l", 2, 2, "Overflow in C-Box 0 or 1 (S-Box 0), 4 or 5 (S-Box 1)"),
	  F("ov_c_r", 0, 0, "Overflow in C-Box 2 or 3 (S-Box 0), 6 or 7 (S-Box 1)"))),
	R("SS%u_CR_S_MSR_MATCH", FILTER, RW, 1, 8, 1, "323535-001 Tables 2-25, 2-33", .id = ID_MATCH, .bank = 1,
	  FIELDS_HERE(
	  F("resp", 63, 59, "Data state of the response, a bit each: F S E M I; 0: any"),
	  F("opc", 58, 48, "Opcode, a bit each, meaning depends on mc (Table 2-34); 0: any"),
	  F("mc", 47, 43, "Message class, a bit each: NCB NCS NDR HOM1 HOM0; 0: any"),
	  F("addr", 42, 5, "Physical address bits 43:6"),
	  F("hnid", 4, 0, "Home node"))),
	R("SS%u_CR_S_MSR_MASK", FILTER, RW, 1, 8, 2, "323535-001 Tables 2-25, 2-35", .id = ID_MASK, .bank = 1,
	  FIELDS_HERE(
	  F("addr", 38, 1, "1: do not compare this bit of the address"),
	  F("hnid", 0, 0, "1: do not compare the home node"))),
	R("SS%u_CR_S_MSR_MM_CFG", FILTER, RW, 1, 8, 0, "323535-001 Tables 2-25, 2-32", .id = ID_MM_CFG, .bank = 1,
	  .write_enable = BIT(63), FIELDS_HERE(
	  F("mm_en", 63, 63, "Starts matching; while it is 1 a write to match or mask faults"))),
	R("SR%u_CR_S_MSR_PMON_CTL%n", CTL, RW, 4, 8, 0x10, "323535-001 Tables 2-25, 2-30", .step = 2, FIELDS_HERE(
	  RSV(62, 61), NEHALEM_EX_COMPARED("threshold", "enable"), NEHALEM_EX_EDGE,
	  PULSE("reset_occ_cnt", 17, 17, "Resets the 7-bit queue counter behind this counter"),
	  NEHALEM_EX_SELECTED("Sub-event"))),
	R("SR%u_CR_S_MSR_PMON_CTR%n", CTR, RW, 4, 8, 0x11, "323535-001 Tables 2-25, 2-31", .step = 2, NEHALEM_EX_COUNT),
};

static const struct cat_unit units[] = {
	{ .base = { 0xc40, 0xe48 } },
	{ .base = { 0xcc0, 0xe58 } },
};

enum { F_MATCH, F_MASK, F_MM_EN };

/* 1 = ignore: without a mask neither address nor home node is compared. */
static const struct cat_selector match_selector = {
	ENCODINGS(ENCODING(0x00, [F_MATCH] = { ID_MATCH, 63, 0 }, [F_MASK] = { ID_MASK, 63, 0 },
	  [F_MM_EN] = { ID_MM_CFG, 63, 63 })),
	.name = "match and mask registers of the S-Box",
	KEYS_HERE(
	  K("match", F_MATCH, 63, 0,
	    "Match register: data state, opcode and class (a field of 0 fits all), address, home node",
	    .hex = true),
	  K("mask", F_MASK, 38, 0,
	    "Mask register: 1 = do not compare this address bit (38:1) or the home node (0)",
	    .hex = true, .dflt = 0x7fffffffff)),
};

#define CBOX_OF_EACH(n, other, bit) \
	U("CBOX" #n "_" #other, bit, "C-Box " #n " at S-Box 0, C-Box " #other " at S-Box 1")
#define CBOX_ROWS \
	CBOX_OF_EACH(0, 4, 0x01), CBOX_OF_EACH(1, 5, 0x02), CBOX_OF_EACH(2, 6, 0x04), \
	CBOX_OF_EACH(3, 7, 0x08)

static const struct cat_umask cbox_all[] = {
	CBOX_ROWS,
	U("ALL", 0x0f, "The four C-Boxes of this S-Box"),
};

static const struct cat_umask cbox_one[] = {
	CBOX_ROWS,
	ONE_ONLY(0x0f),
};

static const struct cat_umask where[] = {
	U("LOCAL", 0x01, "For a B-Box of this socket"),
	U("REMOTE", 0x02, "For another socket, or for the U-Box of this one"),
	U("ALL", 0x03, "Wherever they go"),
};

static const struct cat_umask egress[] = {
	U("AD_CW", 0x01, "AD ring (requests), clockwise"),
	U("AD_CCW", 0x02, "AD ring (requests), counter-clockwise"),
	U("AD", 0x03, "AD ring (requests), both directions"),
	U("AK_CW", 0x04, "AK ring (acknowledges), clockwise"),
	U("AK_CCW", 0x08, "AK ring (acknowledges), counter-clockwise"),
	U("AK", 0x0c, "AK ring (acknowledges), both directions"),
	U("BL_CW", 0x10, "BL ring (data), clockwise"),
	U("BL_CCW", 0x20, "BL ring (data), counter-clockwise"),
	U("BL", 0x30, "BL ring (data), both directions"),
};

static const struct cat_umask snoop[] = {
	U("SNP", 0x01, "Bypass of snoops"),
	U("BIG_SNP", 0x02, "Bypass of big snoops"),
	U("ALL", 0x03, "Both bypasses"),
};

static const struct cat_umask towards[] = {
	U("RBOX", 0x01, "Towards the R-Box"),
	U("BBOX", 0x02, "Towards the B-Box"),
	U("ALL", 0x03, "Towards both"),
};

static const struct cat_event events[] = {
	/* Leaving the ring: queues. */
	E("TO_R_PROG_EV", 0x00, 1, "323535-001 Table 2-37, 2.5.3.4", PLAIN, .selector = &match_selector,
	  .values = VALUES(BIT(F_MATCH) | BIT(F_MASK) | BIT(F_MM_EN), { [F_MM_EN] = 1 }),
	  .help = "Packets leaving the ring that fit the match and mask registers of the S-Box",
	  .note = "One pair of registers per S-Box: two different matches do not fit into one group"),
	E("TO_R_B_HOM_MSGQ_CYCLES_FULL", 0x03, 1, SRC,
	  .help = "Cycles in which the queue of home requests leaving for the R- or B-Box has no room",
	  MASKS_HERE(-1,
	  U("RBOX", 0x01, "The queue towards the R-Box"),
	  U("BBOX", 0x02, "The queue towards the B-Box"),
	  U("RBBOX", 0x03, "Both queues hold 64 messages together"))),
	E("TO_R_B_HOM_MSGQ_CYCLES_NE", 0x06, 1, SRC,
	  .help = "Cycles in which a home request waits to leave for the R- or B-Box",
	  MASKS_HERE(-1,
	  U("RBOX", 0x01, "The queue towards the R-Box"),
	  U("BBOX", 0x02, "The queue towards the B-Box"),
	  U("RBBOX", 0x03,
	    "Either queue is not empty",
	    .disputed = "The manual repeats the text of CYCLES_FULL here (both together hold 64); read as either queue not empty"))),
	E("TO_R_B_HOM_MSGQ_OCCUPANCY", 0x07, 64, SRC, QUEUE,
	  .help = "Home requests waiting to leave for the R- or B-Box, added up each cycle",
	  SUMMED_HERE(-1,
	  U("RBOX", 0x01, "The queue towards the R-Box, up to 64 messages"),
	  U("BBOX", 0x02, "The queue towards the B-Box, up to 64 messages"),
	  U("RBBOX", 0x03, "Both queues, together never more than 64 messages"))),
	E("TO_R_SNP_MSGQ_CYCLES_FULL", 0x08, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of snoops leaving through the R-Box has no room"),
	E("TO_R_SNP_MSGQ_CYCLES_NE", 0x09, 1, SRC, PLAIN,
	  .help = "Cycles in which a snoop waits to leave through the R-Box"),
	E("TO_R_SNP_MSGQ_OCCUPANCY", 0x0a, 32, SRC, PLAIN, QUEUE,
	  .help = "Snoops waiting to leave through the R-Box, added up each cycle"),
	E("TO_R_NDR_MSGQ_CYCLES_FULL", 0x0b, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of responses without data leaving through the R-Box has no room"),
	E("TO_R_NDR_MSGQ_CYCLES_NE", 0x0c, 1, SRC, PLAIN,
	  .help = "Cycles in which a response without data waits to leave through the R-Box"),
	E("TO_R_NDR_MSGQ_OCCUPANCY", 0x0d, 16, SRC, PLAIN, QUEUE,
	  .help = "Responses without data waiting to leave through the R-Box, added up each cycle"),
	CBOX_QUEUES(cbox_one, cbox_all),

	/* Coming to the ring: queues. */
	E("TO_RING_SNP_MSGQ_CYCLES_FULL", 0x20, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of snoops on their way to the ring has no room"),
	E("TO_RING_NCB_MSGQ_CYCLES_FULL", 0x21, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of non-coherent bypass messages on their way to the ring has no room"),
	E("TO_RING_NCS_MSGQ_CYCLES_FULL", 0x22, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of non-coherent standard messages on their way to the ring has no room"),
	E("TO_RING_SNP_MSGQ_CYCLES_NE", 0x23, 1, SRC, PLAIN,
	  .help = "Cycles in which a snoop waits to enter the ring"),
	E("TO_RING_NCB_MSGQ_CYCLES_NE", 0x24, 1, SRC, PLAIN,
	  .help = "Cycles in which a non-coherent bypass message waits to enter the ring"),
	E("TO_RING_NCS_MSGQ_CYCLES_NE", 0x25, 1, "323535-001 Table 2-37", PLAIN,
	  .help = "Cycles in which a non-coherent standard message waits to enter the ring",
	  .note = "Only the table of codes has it, the event list does not"),
	E("TO_RING_MSGQ_OCCUPANCY", 0x26, 36, SRC, QUEUE, MAX_INC("36 (printed 361, with a footnote)", "1"),
	  .help = "Snoops and non-coherent messages waiting to enter the ring, added up each cycle",
	  SUMMED_HERE(3,
	  U("SNP", 0x01, "Snoops, up to 31"),
	  U("NCS", 0x02, "Non-coherent standard messages, up to 4"),
	  U("NCB", 0x04, "Non-coherent bypass messages, up to 4"),
	  U("ALL", 0x07, "The three classes, together never more than 36"))),
	E("TO_RING_NDR_MSGQ_CYCLES_FULL", 0x27, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of responses without data on their way to the ring has no room"),
	E("TO_RING_NDR_MSGQ_CYCLES_NE", 0x28, 1, SRC, PLAIN,
	  .help = "Cycles in which a response without data waits to enter the ring"),
	E("TO_RING_NDR_MSGQ_OCCUPANCY", 0x29, 32, SRC, PLAIN, QUEUE,
	  .help = "Responses without data waiting to enter the ring, added up each cycle",
	  .disputed = "Largest increment per cycle: Table 2-37 prints 321, read as 32 and a footnote"),
	E("TO_RING_R2S_MSGQ_CYCLES_FULL", 0x2a, 1, SRC, PLAIN,
	  .help = "Cycles in which the queue of data responses from the R-Box to the ring has no room"),
	E("TO_RING_B2S_MSGQ_CYCLES_FULL", 0x2b, 1, SRC, PLAIN, CODE("0x2d"),
	  .help = "Cycles in which the queue of data responses from the B-Box to the ring has no room"),
	E("TO_RING_R2S_MSGQ_CYCLES_NE", 0x2c, 1, SRC, PLAIN, CODE("0x2b"),
	  .help = "Cycles in which a data response from the R-Box waits to enter the ring"),
	E("TO_RING_B2S_MSGQ_CYCLES_NE", 0x2d, 1, SRC, PLAIN, CODE("0x2e"),
	  .help = "Cycles in which a data response from the B-Box waits to enter the ring"),
	E("TO_RING_R2S_MSGQ_OCCUPANCY", 0x2e, 8, SRC, PLAIN, QUEUE, CODE("0x2c"),
	  .help = "Data responses from the R-Box waiting to enter the ring, added up each cycle"),
	E("TO_RING_B2S_MSGQ_OCCUPANCY", 0x2f, 8, SRC, PLAIN, QUEUE,
	  .help = "Data responses from the B-Box waiting to enter the ring, added up each cycle"),
	E("HALFLINE_BYPASS", 0x30, 1, SRC, PLAIN,
	  .help = "Times the first half of a cache line went to the ring before the second had arrived"),
	E("REQ_TBL_OCCUPANCY", 0x31, 48, SRC, SUMMED(where, 2), .occupancy = true,
	  .help = "Requests of this socket that the request table holds, added up each cycle",
	  .note = "From allocation to release of an entry, summed over cycles; the manual says B-Box where the U-Box of this socket is meant: its requests are remote"),

	/* From the S-Box onto the ring. */
	E("EGRESS_BYPASS", 0x40, 1, SRC, SUMMED(egress, -1),
	  .help = "Times a message entered the ring without passing through its egress queue"),
	E("EGRESS_ARB_WINS", 0x41, 1, SRC, SUMMED(egress, -1),
	  .help = "Times an egress queue was allowed to send onto the ring"),
	E("EGRESS_ARB_LOSSES", 0x42, 1, SRC, SUMMED(egress, -1),
	  .help = "Times an egress queue asked to send onto the ring and was not allowed to"),
	E("EGRESS_STARVED", 0x43, 1, SRC, SUMMED(egress, -1),
	  .help = "Cycles in which an egress queue starves because it has not been let onto the ring for long"),

	/* Short cuts. */
	E("RBOX_HOM_BYPASS", 0x50, 1, SRC, PLAIN,
	  .help = "Times a home request took the short cut to the R-Box"),
	E("RBOX_SNP_BYPASS", 0x51, 1, SRC, SUMMED(snoop, 2),
	  .help = "Times a snoop took the short cut to the R-Box"),
	E("S2B_HOM_BYPASS", 0x52, 1, SRC, PLAIN, BYPASS,
	  .help = "Cycles in which the short cut of the home channel from S-Box to B-Box was in use"),
	E("B2S_DRS_BYPASS", 0x53, 1, SRC, PLAIN, BYPASS,
	  .help = "Cycles in which the short cut of the data channel from B-Box to S-Box was in use"),
	E("BBOX_HOM_BYPASS", 0x54, 1, SRC, PLAIN,
	  .help = "Times a home request took the short cut to the B-Box"),

	/* Sent to the system. */
	E("PKTS_SENT_HOM", 0x60, 1, SRC, SUMMED(towards, 2),
	  .help = "Home packets that the S-Box sent to the R-Box or the B-Box",
	  .note = "A home packet is 1 flit"),
	E("PKTS_SENT_SNP", 0x62, 1, SRC, PLAIN,
	  .help = "Snoop packets that the S-Box sent to the system",
	  .note = "A snoop is 1 flit; when the S-Box broadcasts, only the first snoop of a request is counted"),
	E("PKTS_SENT_NDR", 0x63, 1, SRC, PLAIN,
	  .help = "Packets of responses without data that the S-Box sent to the system",
	  .note = "Such a packet is 1 flit"),
	CBOX_PKTS_DRS(cbox_all),
	E("FLITS_SENT_DRS", 0x65, 1, SRC, PLAIN,
	  .help = "Flits of data responses that the S-Box sent to the system"),
	CBOX_PKTS_NCS(cbox_all),
	E("FLITS_SENT_NCS", 0x67, 1, SRC, PLAIN,
	  .help = "Flits of non-coherent standard messages that the S-Box sent to the system"),
	CBOX_PKTS_NCB(cbox_all),
	E("FLITS_SENT_NCB", 0x69, 11, SRC, PLAIN, MAX_INC("1", "11"),
	  .help = "Flits of non-coherent bypass messages that the S-Box sent to the system"),
	E("RBOX_CREDIT_RETURNS", 0x6a, 1, SRC, PLAIN, IDLE,
	  .help = "Idle flits that returned credits to the R-Box"),
	E("BBOX_CREDIT_RETURNS", 0x6b, 1, SRC, PLAIN, IDLE,
	  .help = "Idle flits that returned credits to the B-Box"),
	E("TO_R_B_REQUESTS", 0x6c, 1, SRC, MASKS(where, 2),
	  .help = "Requests of this socket that the S-Box sent to the R-Box or the B-Box",
	  .note = "Requests to the U-Box of this socket are remote"),

	/* Received from the system. */
	E("PKTS_RCVD_NDR", 0x70, 1, SRC, PLAIN,
	  .help = "Packets of responses without data that the S-Box received",
	  .note = "A packet of this class is 1 flit"),
	E("PKTS_RCVD_SNP", 0x71, 1, SRC, PLAIN,
	  .help = "Snoop packets that the S-Box received",
	  .note = "A snoop is 1 flit"),
	E("PKTS_RCVD_DRS_FROM_R", 0x72, 9, SRC, PLAIN, MAX_INC("1", "9"),
	  .help = "Data response packets that the S-Box received from the R-Box",
	  .note = "Each is a whole cache line: 9 flits"),
	E("PKTS_RCVD_DRS_FROM_B", 0x73, 1, SRC, PLAIN,
	  .help = "Data response packets that the S-Box received from the B-Box",
	  .note = "Each is a whole cache line: 9 flits"),
	E("PKTS_RCVD_NCS", 0x74, 1, SRC, PLAIN,
	  .help = "Non-coherent standard packets that the S-Box received",
	  .note = "Always NcMsgS: 3 flits"),
	E("PKTS_RCVD_NCB", 0x75, 1, SRC, PLAIN,
	  .help = "Non-coherent bypass packets that the S-Box received",
	  .note = "Always NcMsgB, IntLogical or IntPhysical: 11 flits"),
	E("RBOX_CREDIT_CARRIERS", 0x76, 1, SRC, PLAIN, IDLE, .alias = TEXTS("RBOX_CREDITS"),
	  .help = "Idle flits from the R-Box that carried credits"),
	E("BBOX_CREDITS", 0x77, 1, SRC, PLAIN, IDLE, .alias = TEXTS("BBOX_CREDIT_CARRIERS"),
	  .help = "Idle flits from the B-Box that carried credits"),

	/* Out of credits. */
	E("NO_CREDIT_HOM", 0x80, 1, SRC, PLAIN,
	  .help = "Times a home message could not be sent for want of a HOM or VNA credit"),
	E("NO_CREDIT_SNP", 0x81, 1, SRC, PLAIN,
	  .help = "Times a snoop could not be sent for want of an SNP or VNA credit"),
	E("NO_CREDIT_DRS", 0x82, 1, SRC, PLAIN,
	  .help = "Times a data response could not be sent for want of a DRS or VNA credit"),
	E("NO_CREDIT_NCS", 0x83, 1, SRC, PLAIN,
	  .help = "Times a non-coherent standard message could not be sent for want of an NCS or VNA credit"),
	E("NO_CREDIT_NCB", 0x84, 1, SRC, PLAIN,
	  .help = "Times a non-coherent bypass message could not be sent for want of an NCB or VNA credit"),
	E("NO_CREDIT_NDR", 0x85, 1, SRC, PLAIN,
	  .help = "Times a response without data could not be sent for want of an NDR or VNA credit"),
	E("NO_CREDIT_VNA", 0x86, 1, SRC, SUMMED(towards, 2),
	  .help = "Times the S-Box had used up its pool of VNA credits"),
	E("NO_CREDIT_AD", 0x87, 1, SRC, PLAIN,
	  .help = "Times a snoop or non-coherent message could not go to the AD ring's egress queue for want of a credit"),
	E("NO_CREDIT_AK", 0x88, 1, SRC, PLAIN,
	  .help = "Times a response without data or a credit could not go to the AK ring's egress queue for want of a credit"),
	E("NO_CREDIT_BL", 0x89, 1, SRC, PLAIN,
	  .help = "Times a data response or debug message could not go to the BL ring's egress queue for want of a credit"),
	E("NO_CREDIT_IPQ", 0x8a, 1, SRC, PLAIN,
	  .help = "Times an incoming snoop had to wait because the target C-Box had no room in its IPQ"),
};

#define CBOXES \
	CBOX_OF_EACH(0, 5, 0x01), CBOX_OF_EACH(1, 6, 0x02), CBOX_OF_EACH(2, 7, 0x04), \
	CBOX_OF_EACH(3, 8, 0x08), CBOX_OF_EACH(4, 9, 0x10)
static const struct cat_umask westmere_cbox_all[] = {
	CBOXES,
	U("ALL", 0x1f, "The five C-Boxes of this S-Box"),
};
static const struct cat_umask westmere_cbox_one[] = {
	CBOXES,
	ONE_ONLY(0x1f),
};

static const struct cat_event westmere_events[] = {
	CBOX_QUEUES(westmere_cbox_one, westmere_cbox_all),
	CBOX_PKTS_DRS(westmere_cbox_all),
	CBOX_PKTS_NCS(westmere_cbox_all),
	CBOX_PKTS_NCB(westmere_cbox_all),
	E("NO_CREDIT_LOC_NCS", 0x8b, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Times a local non-coherent standard message had to wait for a credit"),
	E("TO_R_LOC_NCS_MSGQ_CYCLES_FULL", 0x8c, 1, WESTMERE_LIST, MASKS(westmere_cbox_one, -1), .one_umask = true,
	  LIKWID_ALONE,
	  .help = "Cycles in which a C-Box's queue of local non-coherent standard messages has no room"),
	E("TO_R_LOC_NCS_MSGQ_CYCLES_NE", 0x8d, 1, WESTMERE_LIST, MASKS(westmere_cbox_all, 5), LIKWID_ALONE,
	  .help = "Cycles in which a local non-coherent standard message of the chosen C-Boxes waits"),
	E("TO_R_LOC_NCS_MSGQ_OCCUPANCY", 0x8e, 64, WESTMERE_LIST, SUMMED(westmere_cbox_all, 5), LIKWID_ALONE, QUEUE,
	  .help = "Local non-coherent standard messages of the chosen C-Boxes waiting, added up each cycle"),
	E("PKTS_RCVD_LOC_NCS", 0x8f, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Local non-coherent standard packets that the S-Box took"),
	E("FLITS_SENT_LOC_NCS", 0x90, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Flits of local non-coherent standard messages that the S-Box sent"),
};

#define SBOX \
	.name = "sbox", .letter = "S", \
	.title = "S-Box: interface between the ring and the rest of the system", \
	.n_counters = 4, NEHALEM_EX_CONTROL, .occ_reset = { 17, 17 }, \
	.source = "323535-001 2.5, Table 2-30", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_sbox = { SBOX, UNITS(units) };
const struct cat_box westmere_ex_sbox = { SBOX, UNITS(units), EXTRA(westmere_events) };
