/* SPDX-License-Identifier: MIT
 * B-Boxes of the Xeon 7500: two home agents, four counters each.
 * Owns:  their registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * Every counter has a set of events of its own: one code means something else on another counter.
 */
#include "catalog/tables/nehalem_ex.h"

static const struct cat_field match_fields[] = {
	F("opc_out", 59, 56, "Outgoing opcode"),
	F("opc_in", 55, 52, "Incoming opcode"),
	F("msg_out", 51, 48, "Outgoing message class"),
	F("msg_in", 47, 44, "Incoming message class"),
	F("addr", 43, 0, "Cache line address, bits 49:6"),
};

enum { MATCH = 1, MASK };

static const struct cat_reg regs[] = {
	R("BB%u_CR_B_MSR_PERF_GLOBAL_CTL", BOX_CTL, RW, 4, 4, 0x00, "323535-001 Tables 2-16, 2-17",
	  FIELDS_HERE(F("ctr_en", 3, 0, "Bit n enables counter n"))),
	R("BB%u_CR_B_MSR_PMON_GLOBAL_STATUS", STATUS, RW, 4, 4, 0x01, "323535-001 Tables 2-16, 2-18",
	  FIELDS_HERE(F("ov", 3, 0, "Bit n: counter n overflowed"))),
	/* Table 2-16 prints this name with a C; the register is the B-Box's. */
	R("BB%u_CR_C_MSR_PMON_GLOBAL_OVF_CTL", OVF_CTL, WO, 4, 4, 0x02, "323535-001 Tables 2-16, 2-19",
	  FIELDS_HERE(PULSE("clr_ov", 3, 0, "Write 1 to clear ov"))),
	R("BB%u_CR_B_MSR_MATCH", FILTER, RW, 1, 8, 0, "323535-001 Tables 2-16, 2-22", .id = MATCH, .bank = 1,
	  FIELDS(match_fields)),
	R("BB%u_CR_B_MSR_MASK", FILTER, RW, 1, 8, 1, "323535-001 Tables 2-16, 2-23", .id = MASK, .bank = 1,
	  FIELDS(match_fields)),
	R("BB%u_CR_B_MSR_PERF_CTL%n_REG", CTL, RW, 4, 8, 0x10, "323535-001 Tables 2-16, 2-20", .step = 2, FIELDS_HERE(
	  RSV(62, 61),
	  RSV(50, 50),
	  F("pmi_en", 20, 20, "Sends a PMI when the counter overflows"),
	  F("ev_sel", 5, 1, "Event, of this counter's own set"),
	  F("en", 0, 0, "Enables this counter"))),
	R("BB%u_CR_B_MSR_PERF_CNT%n_REG", CTR, RW, 4, 8, 0x11, "323535-001 Tables 2-16, 2-21", .step = 2,
	  NEHALEM_EX_COUNT),
};

static const struct cat_unit units[] = {
	{ .base = { 0xc20, 0xe45 } },
	{ .base = { 0xc60, 0xe4d } },
};

static const struct cat_key match_keys[] = {
	K("match", 0, 59, 0,
	  "What packets are compared with: opc_out 59:56, opc_in 55:52, msg_out 51:48, msg_in 47:44, address 49:6 in 43:0",
	  .hex = true, .needs = "mask", .required = true),
	K("mask", 1, 59, 0,
	  "Which bits are compared, in the fields of match; whether a 1 compares or ignores is not documented",
	  .hex = true, .required = true),
};

#define MATCHING(code_) ENCODING(code_, { MATCH, 59, 0 }, { MASK, 59, 0 })

#define SRC "323535-001 Table 2-24, 2.4.6"
#define ON(n) .counters = BIT(n), PLAIN
#define MATCHED(n, code_) ON(n), .selector = &(const struct cat_selector){ \
	ENCODINGS(MATCHING(code_)), KEYS(match_keys), .name = "match and mask registers" }, \
	.values = VALUES(.has = 0x3), \
	.disputed = "No source says whether a 1 in the mask compares a bit or ignores it"
#define SWAPPED "Table 2-24 swaps the texts of codes 02 and 03; 2.4.6 and the names agree with " \
		"each other"
#define INSERT_NOTE "Conflicts count as inserts: no latency follows from it when CONFLICTS is " \
		"more than 5 % of it"
#define TRACKER .per = 256, \
	.note = "Each count stands for 256: true occupancy is the count times 256"
#define DEPTH(n) .per = (n), \
	.disputed = "That a count stands for " #n " entries is concluded from the depth of the " \
		"queue, not documented"

static const struct cat_event events[] = {
	/* counter 0 */
	E("MSG_ADDR_IN_MATCH", 0x01, 1, SRC, MATCHED(0, 0x01),
	  .help = "Incoming packets whose message class and address fit the match register"),
	E("OPCODE_ADDR_IN_MATCH", 0x02, 1, SRC, MATCHED(0, 0x02), .note = SWAPPED,
	  .help = "Incoming packets whose opcode and address fit the match register"),
	E("MSG_OPCODE_ADDR_IN_MATCH", 0x03, 1, SRC, MATCHED(0, 0x03), .note = SWAPPED,
	  .help = "Incoming packets whose message class, opcode and address fit the match register"),
	E("TF_ALL", 0x04, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_ALL"),
	  .help = "Entries in the tracker file, which holds every transaction from arrival to completion, summed over cycles in steps of 256"),
	E("TF_WR", 0x05, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_WR"),
	  .help = "Tracker file entries of writes, summed over cycles in steps of 256"),
	E("TF_INVITOE", 0x06, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_INVITOE"),
	  .help = "Tracker file entries of InvItoE requests, which want to own a line without its data, summed over cycles in steps of 256"),
	E("IMT_VALID_OCCUPANCY", 0x07, 1, SRC ", 2.4.4.2", ON(0), .per = 32,
	  .help = "Entries in the in-flight memory table, which holds requests that the memory controller works on, summed over cycles in steps of 32",
	  .note = "Each count stands for 32: true occupancy is the count times 32"),
	E("DRSQ_OCCUPANCY", 0x09, 1, SRC, ON(0), DEPTH(4),
	  .help = "Data responses that wait in their queue, summed over cycles in steps of 4"),
	E("TF_IOH", 0x0b, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH"),
	  .help = "Tracker file entries of requests from I/O hubs, summed over cycles in steps of 256"),
	E("TF_IOH_WR", 0x0d, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH_WR"),
	  .help = "Tracker file entries of writes from I/O hubs, summed over cycles in steps of 256"),
	E("TF_IOH_INVITOE", 0x0f, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH_INVITOE"),
	  .help = "Tracker file entries of InvItoE requests from I/O hubs, summed over cycles in steps of 256"),
	E("SNPOQ_OCCUPANCY", 0x12, 1, SRC, ON(0), DEPTH(256),
	  .help = "Snoops that wait in their output queue for credits or for the port, summed over cycles in steps of 256"),
	E("DIRQ_OCCUPANCY", 0x17, 1, SRC, ON(0), DEPTH(256),
	  .help = "Entries in the directory queue, summed over cycles in steps of 256"),
	E("TF_IOH_NON_INVITOE_RD", 0x1c, 1, SRC, ON(0), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH_NON_INVITOE_RD"),
	  .help = "Tracker file entries of reads from I/O hubs other than InvItoE, summed over cycles in steps of 256"),

	/* counter 1 */
	E("MSG_IN_MATCH", 0x01, 1, SRC, MATCHED(1, 0x01),
	  .help = "Incoming packets whose message class fits the match register"),
	E("MSG_OUT_MATCH", 0x02, 1, SRC, MATCHED(1, 0x02),
	  .help = "Outgoing packets whose message class fits the match register"),
	E("OPCODE_IN_MATCH", 0x03, 1, SRC, MATCHED(1, 0x03),
	  .help = "Incoming packets whose opcode fits the match register"),
	E("OPCODE_OUT_MATCH", 0x04, 1, SRC, MATCHED(1, 0x04),
	  .help = "Outgoing packets whose opcode fits the match register"),
	E("MSG_OPCODE_IN_MATCH", 0x05, 1, SRC, MATCHED(1, 0x05),
	  .help = "Incoming packets whose message class and opcode fit the match register"),
	E("MSG_OPCODE_OUT_MATCH", 0x06, 1, SRC, MATCHED(1, 0x06),
	  .help = "Outgoing packets whose message class and opcode fit the match register"),
	E("IMT_INSERTS_ALL", 0x07, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Requests for the memory of this home agent that entered the in-flight memory table"),
	E("DRSQ_INSERTS", 0x09, 1, SRC, ON(1),
	  .help = "Data responses that entered their queue"),
	E("IMT_INSERTS_IOH", 0x0a, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Requests from I/O hubs that entered the in-flight memory table"),
	E("IMT_INSERTS_NON_IOH", 0x0b, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Requests from elsewhere than I/O hubs that entered the in-flight memory table"),
	E("IMT_INSERTS_WR", 0x0c, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Writes that entered the in-flight memory table, each of one cache line"),
	E("IMT_INSERTS_IOH_WR", 0x0d, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Writes from I/O hubs that entered the in-flight memory table"),
	E("IMT_INSERTS_NON_IOH_WR", 0x0e, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Writes from elsewhere than I/O hubs that entered the in-flight memory table"),
	E("IMT_INSERTS_INVITOE", 0x0f, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "InvItoE requests, which want to own a line without its data, that entered the in-flight memory table"),
	E("IMT_INSERTS_IOH_INVITOE", 0x10, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "InvItoE requests from I/O hubs that entered the in-flight memory table"),
	E("SNPOQ_INSERTS", 0x12, 1, SRC, ON(1),
	  .help = "Snoops that had to wait in their output queue for credits or for the port"),
	E("DIRQ_INSERTS", 0x17, 1, SRC, ON(1),
	  .help = "Requests that entered the directory queue"),
	E("IMT_INSERTS_NON_IOH_INVITOE", 0x1c, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "InvItoE requests from elsewhere than I/O hubs that entered the in-flight memory table"),
	E("IMT_INSERTS_RD", 0x1d, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Reads that entered the in-flight memory table, each of one cache line"),
	E("IMT_INSERTS_NON_IOH_RD", 0x1f, 1, SRC, ON(1), .note = INSERT_NOTE,
	  .help = "Reads from elsewhere than I/O hubs that entered the in-flight memory table"),

	/* counter 2 */
	E("MSGS_IN_NON_SNP", 0x01, 1, SRC, ON(2), .alias = TEXTS("MSGS_IN_NON_SNOOP"),
	  .help = "Messages other than snoops that arrived at the home agent"),
	E("MSGS_S_TO_B", 0x02, 1, SRC, ON(2),
	  .help = "Messages that came over the direct link from the S-Box"),
	E("MSGS_B_TO_S", 0x03, 1, SRC, ON(2),
	  .help = "Messages that went over the direct link to the S-Box",
	  .note = "Each message is 9 flits"),
	E("ADDR_IN_MATCH", 0x04, 1, SRC, MATCHED(2, 0x04),
	  .help = "Incoming packets whose address fits the match register"),
	E("IMT_NE_CYCLES", 0x07, 1, SRC, ON(2),
	  .help = "Cycles in which the in-flight memory table holds at least one request"),

	/* counter 3 */
	E("EARLY_ACK", 0x02, 1, SRC, ON(3),
	  .help = "Acknowledgements that the memory controller gave early"),
	E("IMT_PREALLOC", 0x06, 1, SRC, ON(3),
	  .help = "Time that the in-flight memory table spent with one data response allocated in advance"),
	E("COHQ_BYPASS", 0x0e, 1, "323535-001 2.4.6", ON(3),
	  .help = "Transactions that went around the coherence queue",
	  .note = "The manual lists this event in 2.4.6, but not in Table 2-24"),
	E("DEMAND_FETCH", 0x0f, 1, SRC, ON(3),
	  .help = "Memory reads that were issued only after the coherence queue, because no prefetch had been made on arrival"),
	E("IMPLICIT_WBS", 0x12, 1, SRC, ON(3),
	  .help = "Write-backs that a snoop caused because it found a modified line"),
	E("COHQ_IMT_ALLOC_WAIT", 0x13, 1, SRC, ON(3),
	  .help = "Cycles in which the coherence queue waits for a free entry of the in-flight memory table"),
	E("SBOX_VN0_UNAVAIL", 0x14, 1, SRC, ON(3),
	  .help = "Times a message needed a VN0 credit of the S-Box and there was none"),
	E("RBOX_VNA_UNAVAIL", 0x15, 1, SRC, ON(3),
	  .help = "Times a message needed a VNA credit of the R-Box and there was none"),
	E("IMT_FULL", 0x16, 1, SRC, ON(3),
	  .help = "Times a transaction needed an entry of the in-flight memory table and found it full",
	  .note = "Counts times, not cycles"),
	E("CONFLICTS", 0x17, 1, SRC, ON(3),
	  .help = "Requests that met another one to the same line: above 5 % of inserts, no memory latency can be derived"),
	E("ACK_BEFORE_LAST_SNP", 0x19, 1, SRC, ON(3),
	  .help = "Prefetched reads whose memory acknowledge came before the last snoop response"),
};

/* In its list for this processor likwid gives these two the codes of COHQ_BYPASS and IMPLICIT_WBS,
 * which it lists as well: more likely a slip than a change. */
#define ON3 .counters = BIT(3), PLAIN
static const struct cat_event westmere_events[] = {
	E("COHQ_IMT_ALLOC_WAIT", 0x13, 1, "323535-001 Table 2-24, 2.4.6", ON3,
	  .help = "Cycles in which the coherence queue waits for a free entry of the in-flight memory table",
	  .disputed = "likwid prints code 0x0e for this processor, which is COHQ_BYPASS; the Xeon 7500's code is used"),
	E("IMT_FULL", 0x16, 1, "323535-001 Table 2-24, 2.4.6", ON3,
	  .help = "Times a transaction needed an entry of the in-flight memory table and found it full",
	  .note = "Counts times, not cycles",
	  .disputed = "likwid prints code 0x12 for this processor, which is IMPLICIT_WBS; the Xeon 7500's code is used"),
};

#define BBOX \
	.name = "bbox", .letter = "B", .title = "B-Box: home agent of one memory controller", \
	.n_counters = 4, \
	.ctl_overflow = BIT(20), \
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, \
	.invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.4, Table 2-20", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_bbox = { BBOX, UNITS(units) };
const struct cat_box westmere_ex_bbox = { BBOX, UNITS(units), EXTRA(westmere_events) };
