/* nehalem_ex_sbox.c - S-Box of the Xeon 7500: between the ring of the cores and the R- and B-Boxes.
 *
 * Owns:  its registers, its match and mask route, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * "System bound" is what leaves the ring for the R- or B-Box, "ring bound" what comes back.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

/* ------------------------------------------------------------------ rows with a unit mask for each C-Box of a side
 *
 * Four on the Xeon 7500, five on Westmere-EX. one: lists each C-Box, of which exactly one may be chosen; all: the same,
 * ALL last. Of packets ALL is likwid's name for the sum over C-Boxes that 2.5.6 describes. */

#define SRC     .source = "323535-001 Table 2-37, 2.5.6"
#define PLAIN   .dflt = -1, SRC
#define QUEUE   .occupancy = true, .note = "Entries in use, summed over cycles: divided by the uncore " \
		"clock it is the mean length"
#define MASKS(m, how, d) .umasks = m, .n_umasks = COUNT(m), .combine = CAT_UMASK_BITS, .adds = how, \
	.dflt = d, SRC
#define MAX_INC(table, list) .disputed = "Largest increment per cycle: Table 2-37 says " table ", the " \
		"event list " list "; the larger is used"
#define CODE(table) .disputed = "Code: from the event list; Table 2-37 says " table
#define BYPASS  .note = "Message and credit flits alike: not to be added to flits of messages"
#define IDLE    .note = "Idle flits that carry credits: not to be added to flits of messages"

#define CBOX_QUEUES(one, all) \
	{ .name = "TO_R_DRS_MSGQ_CYCLES_FULL", .code = 0x0e, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of data responses leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_DRS_MSGQ_CYCLES_NE", .code = 0x0f, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a data response of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_DRS_MSGQ_OCCUPANCY", .code = 0x10, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "16"), \
	  .help = "Data responses of the chosen C-Boxes waiting to leave through the R-Box, " \
		"added up each cycle" }, \
	{ .name = "TO_R_NCB_MSGQ_CYCLES_FULL", .code = 0x11, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of non-coherent bypass messages leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_NCB_MSGQ_CYCLES_NE", .code = 0x12, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a non-coherent bypass message of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_NCB_MSGQ_OCCUPANCY", .code = 0x13, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "8"), \
	  .help = "Non-coherent bypass messages of the chosen C-Boxes waiting to leave through the " \
		"R-Box, added up each cycle" }, \
	{ .name = "TO_R_NCS_MSGQ_CYCLES_FULL", .code = 0x14, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of non-coherent standard messages leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_NCS_MSGQ_CYCLES_NE", .code = 0x15, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a non-coherent standard message of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_NCS_MSGQ_OCCUPANCY", .code = 0x16, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "2"), \
	  .help = "Non-coherent standard messages of the chosen C-Boxes waiting to leave through the " \
		"R-Box, added up each cycle" }

#define CBOX_PKTS_DRS(all) \
	{ .name = "PKTS_SENT_DRS", .code = 0x64, .max_inc = 1, MASKS(all, CAT_ADDS, -1), \
	  .note = "Of two messages for one response (to requester and home) only the first is counted; " \
		"their length varies, " \
		  "FLITS_SENT_DRS counts it", \
	  .help = "Data response packets of the chosen C-Boxes that the S-Box sent to the system" }
#define CBOX_PKTS_NCS(all) \
	{ .name = "PKTS_SENT_NCS", .code = 0x66, .max_inc = 3, MASKS(all, CAT_ADDS, -1), \
	  MAX_INC("1", "3"), \
	  .help = "Non-coherent standard packets of the chosen C-Boxes that the S-Box " \
		"sent to the system" }
#define CBOX_PKTS_NCB(all) \
	{ .name = "PKTS_SENT_NCB", .code = 0x68, .max_inc = 11, MASKS(all, CAT_ADDS, -1), \
	  MAX_INC("1", "11"), \
	  .help = "Non-coherent bypass packets of the chosen C-Boxes that the S-Box sent to the system" }

/* What the unit masks of C-Boxes say; listed though refused: a combination is undefined. */
#define ONE_ONLY .help = "Listed by the manual, but refused: exactly one C-Box may be chosen", \
	.disputed = "Listed, yet the manual calls the result undefined when more than one C-Box is chosen"

/* ------------------------------------------------------------------ registers */

enum { ID_MATCH = 1, ID_MASK, ID_MM_CFG };

static const struct cat_field box_fields[] = {
	{ "ctr_en", 3, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 3, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov", 3, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

/* 2.6.2.2 sends an overflow of the left R-Box to ov_c_l; Table 2-26 gives it a bit of its own, which holds. */
static const struct cat_field summary_fields[] = {
	{ "ov_r", 19, 19, CAT_FIELD, "Overflow in the half of the R-Box on this side" },
	{ "ov_s", 18, 18, CAT_FIELD, "Overflow in this S-Box" },
	{ "ov_mb", 16, 16, CAT_FIELD, "Overflow in the M- or B-Box of this side" },
	{ "ov_c_l", 2, 2, CAT_FIELD, "Overflow in C-Box 0 or 1 (S-Box 0), 4 or 5 (S-Box 1)" },
	{ "ov_c_r", 0, 0, CAT_FIELD, "Overflow in C-Box 2 or 3 (S-Box 0), 6 or 7 (S-Box 1)" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "threshold", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment "
		"is at least this" },
	{ "invert", 23, 23, CAT_FIELD, "Count when the increment is below the threshold" },
	{ "enable", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "pmi_en", 20, 20, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "edge_detect", 18, 18, CAT_FIELD, "Counts changes from 0 to 1" },
	{ "reset_occ_cnt", 17, 17, CAT_FIELD_PULSE,
	  "Resets the 7-bit queue counter behind this counter" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-event" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_field match_fields[] = {
	{ "resp", 63, 59, CAT_FIELD, "Data state of the response, a bit each: F S E M I; 0: any" },
	{ "opc", 58, 48, CAT_FIELD, "Opcode, a bit each, meaning depends on mc (Table 2-34); 0: any" },
	{ "mc", 47, 43, CAT_FIELD, "Message class, a bit each: NCB NCS NDR HOM1 HOM0; 0: any" },
	{ "addr", 42, 5, CAT_FIELD, "Physical address bits 43:6" },
	{ "hnid", 4, 0, CAT_FIELD, "Home node" },
};

static const struct cat_field mask_fields[] = {
	{ "addr", 38, 1, CAT_FIELD, "1: do not compare this bit of the address" },
	{ "hnid", 0, 0, CAT_FIELD, "1: do not compare the home node" },
};

static const struct cat_field mm_cfg_fields[] = {
	{ "mm_en", 63, 63, CAT_FIELD, "Starts matching; while it is 1 a write to match or mask faults" },
};

/* The match and mask registers stand before MM_CFG: the order in which they are written (2.5.3.4). */
static const struct cat_reg regs[] = {
	{ .name = "SR%u_CR_S_MSR_PMON_GLOBAL_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 4,
	  .bytes = 4, .off = 0x00,
	  .fields = box_fields, .n_fields = COUNT(box_fields), .source = "323535-001 Tables 2-25, 2-27" },
	{ .name = "SR%u_CR_S_MSR_PMON_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RW, .count = 4,
	  .bytes = 4, .off = 0x01,
	  .fields = status_fields, .n_fields = COUNT(status_fields),
	  .source = "323535-001 Tables 2-25, 2-28" },
	{ .name = "SR%u_CR_S_MSR_PMON_OVF_CTL", .role = CAT_OVF_CTL, .access = CAT_WO, .count = 4,
	  .bytes = 4, .off = 0x02,
	  .fields = ovf_fields, .n_fields = COUNT(ovf_fields), .source = "323535-001 Tables 2-25, 2-29" },
	{ .name = "SR%u_CR_S_MSR_PMON_SUMMARY", .role = CAT_SUMMARY, .access = CAT_RO, .count = 1,
	  .bytes = 4, .off = 0x03,
	  .fields = summary_fields, .n_fields = COUNT(summary_fields),
	  .source = "323535-001 Tables 2-25, 2-26" },
	{ .name = "SS%u_CR_S_MSR_MATCH", .role = CAT_FILTER, .access = CAT_RW, .id = ID_MATCH, .bank = 1,
	  .count = 1, .bytes = 8,
	  .off = 1, .fields = match_fields, .n_fields = COUNT(match_fields),
	  .source = "323535-001 Tables 2-25, 2-33" },
	{ .name = "SS%u_CR_S_MSR_MASK", .role = CAT_FILTER, .access = CAT_RW, .id = ID_MASK, .bank = 1,
	  .count = 1, .bytes = 8,
	  .off = 2, .fields = mask_fields, .n_fields = COUNT(mask_fields),
	  .source = "323535-001 Tables 2-25, 2-35" },
	{ .name = "SS%u_CR_S_MSR_MM_CFG", .role = CAT_FILTER, .access = CAT_RW, .id = ID_MM_CFG,
	  .bank = 1, .count = 1, .bytes = 8,
	  .off = 0, .gate = BIT(63), .fields = mm_cfg_fields, .n_fields = COUNT(mm_cfg_fields),
	  .source = "323535-001 Tables 2-25, 2-32" },
	{ .name = "SR%u_CR_S_MSR_PMON_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = 4, .bytes = 8,
	  .step = 2, .off = 0x10,
	  .fields = ctl_fields, .n_fields = COUNT(ctl_fields), .source = "323535-001 Tables 2-25, 2-30" },
	{ .name = "SR%u_CR_S_MSR_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .count = 4, .bytes = 8,
	  .step = 2, .off = 0x11,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-25, 2-31" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc40, 0xe48 } },
	{ .base = { 0xcc0, 0xe58 } },
};

/* ------------------------------------------------------------------ match and mask */

enum { T_MATCH, T_MASK, T_MM_EN };

static const struct cat_place match_places[] = {
	{ .code = 0x00, .t = { [T_MATCH] = { ID_MATCH, 63, 0 }, [T_MASK] = { ID_MASK, 63, 0 },
	  [T_MM_EN] = { ID_MM_CFG, 63, 63 } } },
};

/* 1 = ignore: without a mask neither address nor home node is compared. */
static const struct cat_key match_keys[] = {
	{ .name = "match", .target = T_MATCH, .hi = 63, .lo = 0, .hex = true,
	  .help = "Match register: data state, opcode and class (a field of 0 fits all), "
		"address, home node" },
	{ .name = "mask", .target = T_MASK, .hi = 38, .lo = 0, .hex = true, .dflt = 0x7fffffffff,
	  .help = "Mask register: 1 = do not compare this address bit (38:1) or the home node (0)" },
};

static const struct cat_route match_route = {
	.n_places = COUNT(match_places), .places = match_places, .n_keys = COUNT(match_keys),
	.keys = match_keys,
	.name = "match and mask registers of the S-Box",
};

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask hom_full[] = {
	{ .name = "RBOX", .value = 0x01, .help = "The queue towards the R-Box" },
	{ .name = "BBOX", .value = 0x02, .help = "The queue towards the B-Box" },
	{ .name = "RBBOX", .value = 0x03, .help = "Both queues hold 64 messages together" },
};

static const struct cat_umask hom_ne[] = {
	{ .name = "RBOX", .value = 0x01, .help = "The queue towards the R-Box" },
	{ .name = "BBOX", .value = 0x02, .help = "The queue towards the B-Box" },
	{ .name = "RBBOX", .value = 0x03, .help = "Either queue is not empty",
	  .disputed = "The manual repeats the text of CYCLES_FULL here (both together hold 64); read as "
		"either queue not empty" },
};

static const struct cat_umask hom_occupancy[] = {
	{ .name = "RBOX", .value = 0x01, .help = "The queue towards the R-Box, up to 64 messages" },
	{ .name = "BBOX", .value = 0x02, .help = "The queue towards the B-Box, up to 64 messages" },
	{ .name = "RBBOX", .value = 0x03, .help = "Both queues, together never more than 64 messages" },
};

#define CBOX_ROWS \
	{ .name = "CBOX0_4", .value = 0x01, .help = "C-Box 0 at S-Box 0, C-Box 4 at S-Box 1" }, \
	{ .name = "CBOX1_5", .value = 0x02, .help = "C-Box 1 at S-Box 0, C-Box 5 at S-Box 1" }, \
	{ .name = "CBOX2_6", .value = 0x04, .help = "C-Box 2 at S-Box 0, C-Box 6 at S-Box 1" }, \
	{ .name = "CBOX3_7", .value = 0x08, .help = "C-Box 3 at S-Box 0, C-Box 7 at S-Box 1" }

static const struct cat_umask cbox_all[] = {
	CBOX_ROWS,
	{ .name = "ALL", .value = 0x0f, .help = "The four C-Boxes of this S-Box" },
};

static const struct cat_umask cbox_one[] = {
	CBOX_ROWS,
	{ .name = "ALL", .value = 0x0f, ONE_ONLY },
};

static const struct cat_umask ring_class[] = {
	{ .name = "SNP", .value = 0x01, .help = "Snoops, up to 31" },
	{ .name = "NCS", .value = 0x02, .help = "Non-coherent standard messages, up to 4" },
	{ .name = "NCB", .value = 0x04, .help = "Non-coherent bypass messages, up to 4" },
	{ .name = "ALL", .value = 0x07, .help = "The three classes, together never more than 36" },
};

static const struct cat_umask where[] = {
	{ .name = "LOCAL", .value = 0x01, .help = "For a B-Box of this socket" },
	{ .name = "REMOTE", .value = 0x02, .help = "For another socket, or for the U-Box of this one" },
	{ .name = "ALL", .value = 0x03, .help = "Wherever they go" },
};

static const struct cat_umask egress[] = {
	{ .name = "AD_CW", .value = 0x01, .help = "AD ring (requests), clockwise" },
	{ .name = "AD_CCW", .value = 0x02, .help = "AD ring (requests), counter-clockwise" },
	{ .name = "AD", .value = 0x03, .help = "AD ring (requests), both directions" },
	{ .name = "AK_CW", .value = 0x04, .help = "AK ring (acknowledges), clockwise" },
	{ .name = "AK_CCW", .value = 0x08, .help = "AK ring (acknowledges), counter-clockwise" },
	{ .name = "AK", .value = 0x0c, .help = "AK ring (acknowledges), both directions" },
	{ .name = "BL_CW", .value = 0x10, .help = "BL ring (data), clockwise" },
	{ .name = "BL_CCW", .value = 0x20, .help = "BL ring (data), counter-clockwise" },
	{ .name = "BL", .value = 0x30, .help = "BL ring (data), both directions" },
};

static const struct cat_umask snoop[] = {
	{ .name = "SNP", .value = 0x01, .help = "Bypass of snoops" },
	{ .name = "BIG_SNP", .value = 0x02, .help = "Bypass of big snoops" },
	{ .name = "ALL", .value = 0x03, .help = "Both bypasses" },
};

static const struct cat_umask towards[] = {
	{ .name = "RBOX", .value = 0x01, .help = "Towards the R-Box" },
	{ .name = "BBOX", .value = 0x02, .help = "Towards the B-Box" },
	{ .name = "ALL", .value = 0x03, .help = "Towards both" },
};

/* ------------------------------------------------------------------ events */

static const struct cat_event events[] = {
	/* Leaving the ring: queues. */
	{ .name = "TO_R_PROG_EV", .code = 0x00, .max_inc = 1, .dflt = -1, .route = &match_route,
	  .set = SET(BIT(T_MATCH) | BIT(T_MASK) | BIT(T_MM_EN), { [T_MM_EN] = 1 }),
	  .help = "Packets leaving the ring that fit the match and mask registers of the S-Box",
	  .note = "One pair of registers per S-Box: two different matches do not fit into one group",
	  .source = "323535-001 Table 2-37, 2.5.3.4" },
	{ .name = "TO_R_B_HOM_MSGQ_CYCLES_FULL", .code = 0x03, .max_inc = 1, MASKS(hom_full, CAT_OR, -1),
	  .help = "Cycles in which the queue of home requests leaving for the R- or B-Box has no room" },
	{ .name = "TO_R_B_HOM_MSGQ_CYCLES_NE", .code = 0x06, .max_inc = 1, MASKS(hom_ne, CAT_OR, -1),
	  .help = "Cycles in which a home request waits to leave for the R- or B-Box" },
	{ .name = "TO_R_B_HOM_MSGQ_OCCUPANCY", .code = 0x07, .max_inc = 64,
	  MASKS(hom_occupancy, CAT_ADDS, -1), QUEUE,
	  .help = "Home requests waiting to leave for the R- or B-Box, added up each cycle" },
	{ .name = "TO_R_SNP_MSGQ_CYCLES_FULL", .code = 0x08, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of snoops leaving through the R-Box has no room" },
	{ .name = "TO_R_SNP_MSGQ_CYCLES_NE", .code = 0x09, .max_inc = 1, PLAIN,
	  .help = "Cycles in which a snoop waits to leave through the R-Box" },
	{ .name = "TO_R_SNP_MSGQ_OCCUPANCY", .code = 0x0a, .max_inc = 32, PLAIN, QUEUE,
	  .help = "Snoops waiting to leave through the R-Box, added up each cycle" },
	{ .name = "TO_R_NDR_MSGQ_CYCLES_FULL", .code = 0x0b, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of responses without data leaving through "
		"the R-Box has no room" },
	{ .name = "TO_R_NDR_MSGQ_CYCLES_NE", .code = 0x0c, .max_inc = 1, PLAIN,
	  .help = "Cycles in which a response without data waits to leave through the R-Box" },
	{ .name = "TO_R_NDR_MSGQ_OCCUPANCY", .code = 0x0d, .max_inc = 16, PLAIN, QUEUE,
	  .help = "Responses without data waiting to leave through the R-Box, added up each cycle" },
	CBOX_QUEUES(cbox_one, cbox_all),

	/* Coming to the ring: queues. */
	{ .name = "TO_RING_SNP_MSGQ_CYCLES_FULL", .code = 0x20, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of snoops on their way to the ring has no room" },
	{ .name = "TO_RING_NCB_MSGQ_CYCLES_FULL", .code = 0x21, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of non-coherent bypass messages on their way to "
		"the ring has no room" },
	{ .name = "TO_RING_NCS_MSGQ_CYCLES_FULL", .code = 0x22, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of non-coherent standard messages on their way to "
		"the ring has no room" },
	{ .name = "TO_RING_SNP_MSGQ_CYCLES_NE", .code = 0x23, .max_inc = 1, PLAIN,
	  .help = "Cycles in which a snoop waits to enter the ring" },
	{ .name = "TO_RING_NCB_MSGQ_CYCLES_NE", .code = 0x24, .max_inc = 1, PLAIN,
	  .help = "Cycles in which a non-coherent bypass message waits to enter the ring" },
	{ .name = "TO_RING_NCS_MSGQ_CYCLES_NE", .code = 0x25, .max_inc = 1, .dflt = -1,
	  .source = "323535-001 Table 2-37",
	  .note = "Only the table of codes has it, the event list does not",
	  .help = "Cycles in which a non-coherent standard message waits to enter the ring" },
	{ .name = "TO_RING_MSGQ_OCCUPANCY", .code = 0x26, .max_inc = 36, MASKS(ring_class, CAT_ADDS, 3),
	  QUEUE,
	  MAX_INC("36 (printed 361, with a footnote)", "1"),
	  .help = "Snoops and non-coherent messages waiting to enter the ring, added up each cycle" },
	{ .name = "TO_RING_NDR_MSGQ_CYCLES_FULL", .code = 0x27, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of responses without data on their way to "
		"the ring has no room" },
	{ .name = "TO_RING_NDR_MSGQ_CYCLES_NE", .code = 0x28, .max_inc = 1, PLAIN,
	  .help = "Cycles in which a response without data waits to enter the ring" },
	{ .name = "TO_RING_NDR_MSGQ_OCCUPANCY", .code = 0x29, .max_inc = 32, PLAIN, QUEUE,
	  .disputed = "Largest increment per cycle: Table 2-37 prints 321, read as 32 and a footnote",
	  .help = "Responses without data waiting to enter the ring, added up each cycle" },
	{ .name = "TO_RING_R2S_MSGQ_CYCLES_FULL", .code = 0x2a, .max_inc = 1, PLAIN,
	  .help = "Cycles in which the queue of data responses from the R-Box to the ring has no room" },
	{ .name = "TO_RING_B2S_MSGQ_CYCLES_FULL", .code = 0x2b, .max_inc = 1, PLAIN, CODE("0x2d"),
	  .help = "Cycles in which the queue of data responses from the B-Box to the ring has no room" },
	{ .name = "TO_RING_R2S_MSGQ_CYCLES_NE", .code = 0x2c, .max_inc = 1, PLAIN, CODE("0x2b"),
	  .help = "Cycles in which a data response from the R-Box waits to enter the ring" },
	{ .name = "TO_RING_B2S_MSGQ_CYCLES_NE", .code = 0x2d, .max_inc = 1, PLAIN, CODE("0x2e"),
	  .help = "Cycles in which a data response from the B-Box waits to enter the ring" },
	{ .name = "TO_RING_R2S_MSGQ_OCCUPANCY", .code = 0x2e, .max_inc = 8, PLAIN, QUEUE, CODE("0x2c"),
	  .help = "Data responses from the R-Box waiting to enter the ring, added up each cycle" },
	{ .name = "TO_RING_B2S_MSGQ_OCCUPANCY", .code = 0x2f, .max_inc = 8, PLAIN, QUEUE,
	  .help = "Data responses from the B-Box waiting to enter the ring, added up each cycle" },
	{ .name = "HALFLINE_BYPASS", .code = 0x30, .max_inc = 1, PLAIN,
	  .help = "Times the first half of a cache line went to the ring before the second had arrived" },
	{ .name = "REQ_TBL_OCCUPANCY", .code = 0x31, .max_inc = 48, MASKS(where, CAT_ADDS, 2),
	  .occupancy = true,
	  .note = "From allocation to release of an entry, summed over cycles; the manual says B-Box "
		"where the U-Box of this socket "
		  "is meant: its requests are remote",
	  .help = "Requests of this socket that the request table holds, added up each cycle" },

	/* From the S-Box onto the ring. */
	{ .name = "EGRESS_BYPASS", .code = 0x40, .max_inc = 1, MASKS(egress, CAT_ADDS, -1),
	  .help = "Times a message entered the ring without passing through its egress queue" },
	{ .name = "EGRESS_ARB_WINS", .code = 0x41, .max_inc = 1, MASKS(egress, CAT_ADDS, -1),
	  .help = "Times an egress queue was allowed to send onto the ring" },
	{ .name = "EGRESS_ARB_LOSSES", .code = 0x42, .max_inc = 1, MASKS(egress, CAT_ADDS, -1),
	  .help = "Times an egress queue asked to send onto the ring and was not allowed to" },
	{ .name = "EGRESS_STARVED", .code = 0x43, .max_inc = 1, MASKS(egress, CAT_ADDS, -1),
	  .help = "Cycles in which an egress queue starves because it has not been let "
		"onto the ring for long" },

	/* Short cuts. */
	{ .name = "RBOX_HOM_BYPASS", .code = 0x50, .max_inc = 1, PLAIN,
	  .help = "Times a home request took the short cut to the R-Box" },
	{ .name = "RBOX_SNP_BYPASS", .code = 0x51, .max_inc = 1, MASKS(snoop, CAT_ADDS, 2),
	  .help = "Times a snoop took the short cut to the R-Box" },
	{ .name = "S2B_HOM_BYPASS", .code = 0x52, .max_inc = 1, PLAIN, BYPASS,
	  .help = "Cycles in which the short cut of the home channel from S-Box to B-Box was in use" },
	{ .name = "B2S_DRS_BYPASS", .code = 0x53, .max_inc = 1, PLAIN, BYPASS,
	  .help = "Cycles in which the short cut of the data channel from B-Box to S-Box was in use" },
	{ .name = "BBOX_HOM_BYPASS", .code = 0x54, .max_inc = 1, PLAIN,
	  .help = "Times a home request took the short cut to the B-Box" },

	/* Sent to the system. */
	{ .name = "PKTS_SENT_HOM", .code = 0x60, .max_inc = 1, MASKS(towards, CAT_ADDS, 2),
	  .note = "A home packet is 1 flit",
	  .help = "Home packets that the S-Box sent to the R-Box or the B-Box" },
	{ .name = "PKTS_SENT_SNP", .code = 0x62, .max_inc = 1, PLAIN,
	  .note = "A snoop is 1 flit; when the S-Box broadcasts, only the first snoop "
		"of a request is counted",
	  .help = "Snoop packets that the S-Box sent to the system" },
	{ .name = "PKTS_SENT_NDR", .code = 0x63, .max_inc = 1, PLAIN, .note = "Such a packet is 1 flit",
	  .help = "Packets of responses without data that the S-Box sent to the system" },
	CBOX_PKTS_DRS(cbox_all),
	{ .name = "FLITS_SENT_DRS", .code = 0x65, .max_inc = 1, PLAIN,
	  .help = "Flits of data responses that the S-Box sent to the system" },
	CBOX_PKTS_NCS(cbox_all),
	{ .name = "FLITS_SENT_NCS", .code = 0x67, .max_inc = 1, PLAIN,
	  .help = "Flits of non-coherent standard messages that the S-Box sent to the system" },
	CBOX_PKTS_NCB(cbox_all),
	{ .name = "FLITS_SENT_NCB", .code = 0x69, .max_inc = 11, PLAIN, MAX_INC("1", "11"),
	  .help = "Flits of non-coherent bypass messages that the S-Box sent to the system" },
	{ .name = "RBOX_CREDIT_RETURNS", .code = 0x6a, .max_inc = 1, PLAIN, IDLE,
	  .help = "Idle flits that returned credits to the R-Box" },
	{ .name = "BBOX_CREDIT_RETURNS", .code = 0x6b, .max_inc = 1, PLAIN, IDLE,
	  .help = "Idle flits that returned credits to the B-Box" },
	{ .name = "TO_R_B_REQUESTS", .code = 0x6c, .max_inc = 1, MASKS(where, CAT_OR, 2),
	  .note = "Requests to the U-Box of this socket are remote",
	  .help = "Requests of this socket that the S-Box sent to the R-Box or the B-Box" },

	/* Received from the system. */
	{ .name = "PKTS_RCVD_NDR", .code = 0x70, .max_inc = 1, PLAIN,
	  .note = "A packet of this class is 1 flit",
	  .help = "Packets of responses without data that the S-Box received" },
	{ .name = "PKTS_RCVD_SNP", .code = 0x71, .max_inc = 1, PLAIN, .note = "A snoop is 1 flit",
	  .help = "Snoop packets that the S-Box received" },
	{ .name = "PKTS_RCVD_DRS_FROM_R", .code = 0x72, .max_inc = 9, PLAIN, MAX_INC("1", "9"),
	  .note = "Each is a whole cache line: 9 flits",
	  .help = "Data response packets that the S-Box received from the R-Box" },
	{ .name = "PKTS_RCVD_DRS_FROM_B", .code = 0x73, .max_inc = 1, PLAIN,
	  .note = "Each is a whole cache line: 9 flits",
	  .help = "Data response packets that the S-Box received from the B-Box" },
	{ .name = "PKTS_RCVD_NCS", .code = 0x74, .max_inc = 1, PLAIN, .note = "Always NcMsgS: 3 flits",
	  .help = "Non-coherent standard packets that the S-Box received" },
	{ .name = "PKTS_RCVD_NCB", .code = 0x75, .max_inc = 1, PLAIN,
	  .note = "Always NcMsgB, IntLogical or IntPhysical: 11 flits",
	  .help = "Non-coherent bypass packets that the S-Box received" },
	{ .name = "RBOX_CREDIT_CARRIERS", .code = 0x76, .max_inc = 1, PLAIN, IDLE,
	  .alias = TEXTS("RBOX_CREDITS"),
	  .help = "Idle flits from the R-Box that carried credits" },
	{ .name = "BBOX_CREDITS", .code = 0x77, .max_inc = 1, PLAIN, IDLE,
	  .alias = TEXTS("BBOX_CREDIT_CARRIERS"),
	  .help = "Idle flits from the B-Box that carried credits" },

	/* Out of credits. */
	{ .name = "NO_CREDIT_HOM", .code = 0x80, .max_inc = 1, PLAIN,
	  .help = "Times a home message could not be sent for want of a HOM or VNA credit" },
	{ .name = "NO_CREDIT_SNP", .code = 0x81, .max_inc = 1, PLAIN,
	  .help = "Times a snoop could not be sent for want of an SNP or VNA credit" },
	{ .name = "NO_CREDIT_DRS", .code = 0x82, .max_inc = 1, PLAIN,
	  .help = "Times a data response could not be sent for want of a DRS or VNA credit" },
	{ .name = "NO_CREDIT_NCS", .code = 0x83, .max_inc = 1, PLAIN,
	  .help = "Times a non-coherent standard message could not be sent for want of "
		"an NCS or VNA credit" },
	{ .name = "NO_CREDIT_NCB", .code = 0x84, .max_inc = 1, PLAIN,
	  .help = "Times a non-coherent bypass message could not be sent for want of "
		"an NCB or VNA credit" },
	{ .name = "NO_CREDIT_NDR", .code = 0x85, .max_inc = 1, PLAIN,
	  .help = "Times a response without data could not be sent for want of an NDR or VNA credit" },
	{ .name = "NO_CREDIT_VNA", .code = 0x86, .max_inc = 1, MASKS(towards, CAT_ADDS, 2),
	  .help = "Times the S-Box had used up its pool of VNA credits" },
	{ .name = "NO_CREDIT_AD", .code = 0x87, .max_inc = 1, PLAIN,
	  .help = "Times a snoop or non-coherent message could not go to the AD ring's egress queue "
		"for want of a credit" },
	{ .name = "NO_CREDIT_AK", .code = 0x88, .max_inc = 1, PLAIN,
	  .help = "Times a response without data or a credit could not go to the AK ring's egress queue "
		"for want of a credit" },
	{ .name = "NO_CREDIT_BL", .code = 0x89, .max_inc = 1, PLAIN,
	  .help = "Times a data response or debug message could not go to the BL ring's egress queue "
		"for want of a credit" },
	{ .name = "NO_CREDIT_IPQ", .code = 0x8a, .max_inc = 1, PLAIN,
	  .help = "Times an incoming snoop had to wait because the target C-Box had no room in its IPQ" },
};

/* ------------------------------------------------------------------ Westmere-EX */

#define CBOXES \
	{ .name = "CBOX0_5", .value = 0x01, .help = "C-Box 0 at S-Box 0, C-Box 5 at S-Box 1" }, \
	{ .name = "CBOX1_6", .value = 0x02, .help = "C-Box 1 at S-Box 0, C-Box 6 at S-Box 1" }, \
	{ .name = "CBOX2_7", .value = 0x04, .help = "C-Box 2 at S-Box 0, C-Box 7 at S-Box 1" }, \
	{ .name = "CBOX3_8", .value = 0x08, .help = "C-Box 3 at S-Box 0, C-Box 8 at S-Box 1" }, \
	{ .name = "CBOX4_9", .value = 0x10, .help = "C-Box 4 at S-Box 0, C-Box 9 at S-Box 1" }
static const struct cat_umask westmere_cbox_all[] = {
	CBOXES,
	{ .name = "ALL", .value = 0x1f, .help = "The five C-Boxes of this S-Box" },
};
static const struct cat_umask westmere_cbox_one[] = {
	CBOXES,
	{ .name = "ALL", .value = 0x1f, ONE_ONLY },
};

#define LOCAL_MASKS(m, how, d) .umasks = m, .n_umasks = COUNT(m), .combine = CAT_UMASK_BITS, .adds = how, .dflt = d
static const struct cat_event westmere_events[] = {
	CBOX_QUEUES(westmere_cbox_one, westmere_cbox_all),
	CBOX_PKTS_DRS(westmere_cbox_all),
	CBOX_PKTS_NCS(westmere_cbox_all),
	CBOX_PKTS_NCB(westmere_cbox_all),
	{ .name = "NO_CREDIT_LOC_NCS", .code = 0x8b, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Times a local non-coherent standard message had to wait for a credit" },
	{ .name = "TO_R_LOC_NCS_MSGQ_CYCLES_FULL", .code = 0x8c, .max_inc = 1, LOCAL_MASKS(westmere_cbox_one, CAT_OR, -1),
	  .one_umask = true, WESTMERE_LIKWID,
	  .help = "Cycles in which a C-Box's queue of local non-coherent standard messages has no room" },
	{ .name = "TO_R_LOC_NCS_MSGQ_CYCLES_NE", .code = 0x8d, .max_inc = 1, LOCAL_MASKS(westmere_cbox_all, CAT_OR, 5), WESTMERE_LIKWID,
	  .help = "Cycles in which a local non-coherent standard message of the chosen C-Boxes waits" },
	{ .name = "TO_R_LOC_NCS_MSGQ_OCCUPANCY", .code = 0x8e, .max_inc = 64, LOCAL_MASKS(westmere_cbox_all, CAT_ADDS, 5), WESTMERE_LIKWID,
	  QUEUE, .help = "Local non-coherent standard messages of the chosen C-Boxes waiting, added up each cycle" },
	{ .name = "PKTS_RCVD_LOC_NCS", .code = 0x8f, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Local non-coherent standard packets that the S-Box took" },
	{ .name = "FLITS_SENT_LOC_NCS", .code = 0x90, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Flits of local non-coherent standard messages that the S-Box sent" },
};

/* ------------------------------------------------------------------ the box */

#define SBOX \
	.name = "sbox", .letter = "S", .title = "S-Box: interface between the ring and the rest of the system", \
	.n_counters = 4, .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = { 17, 17 }, .source = "323535-001 2.5, Table 2-30", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_sbox = { SBOX, UNITS(units) };
const struct cat_box westmere_ex_sbox = { SBOX, UNITS(units), EXTRA(westmere_events) };
