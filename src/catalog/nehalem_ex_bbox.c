/* nehalem_ex_bbox.c - B-Boxes of the Xeon 7500: two home agents, four counters each.
 *
 * Owns:  their registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * Every counter has a set of events of its own: one code means something else on another counter.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

static const struct cat_field box_fields[] = {
	{ "ctr_en", 3, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 3, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov", 3, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "rsv", 50, 50, CAT_FIELD_RSV, NULL },
	{ "pmi_en", 20, 20, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "ev_sel", 5, 1, CAT_FIELD, "Event, of this counter's own set" },
	{ "en", 0, 0, CAT_FIELD, "Enables this counter" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_field match_fields[] = {
	{ "opc_out", 59, 56, CAT_FIELD, "Outgoing opcode" },
	{ "opc_in", 55, 52, CAT_FIELD, "Incoming opcode" },
	{ "msg_out", 51, 48, CAT_FIELD, "Outgoing message class" },
	{ "msg_in", 47, 44, CAT_FIELD, "Incoming message class" },
	{ "addr", 43, 0, CAT_FIELD, "Cache line address, bits 49:6" },
};

enum { MATCH = 1, MASK };

static const struct cat_reg regs[] = {
	{ .name = "BB%u_CR_B_MSR_PERF_GLOBAL_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 4,
	  .bytes = 4, .off = 0x00,
	  .fields = box_fields, .n_fields = COUNT(box_fields), .source = "323535-001 Tables 2-16, 2-17" },
	{ .name = "BB%u_CR_B_MSR_PMON_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RW, .count = 4,
	  .bytes = 4, .off = 0x01,
	  .fields = status_fields, .n_fields = COUNT(status_fields),
	  .source = "323535-001 Tables 2-16, 2-18" },
	/* Table 2-16 prints this name with a C; the register is the B-Box's. */
	{ .name = "BB%u_CR_C_MSR_PMON_GLOBAL_OVF_CTL", .role = CAT_OVF_CTL, .access = CAT_WO, .count = 4,
	  .bytes = 4, .off = 0x02,
	  .fields = ovf_fields, .n_fields = COUNT(ovf_fields), .source = "323535-001 Tables 2-16, 2-19" },
	{ .name = "BB%u_CR_B_MSR_MATCH", .role = CAT_FILTER, .access = CAT_RW, .id = MATCH, .bank = 1,
	  .count = 1, .bytes = 8,
	  .off = 0, .fields = match_fields, .n_fields = COUNT(match_fields),
	  .source = "323535-001 Tables 2-16, 2-22" },
	{ .name = "BB%u_CR_B_MSR_MASK", .role = CAT_FILTER, .access = CAT_RW, .id = MASK, .bank = 1,
	  .count = 1, .bytes = 8,
	  .off = 1, .fields = match_fields, .n_fields = COUNT(match_fields),
	  .source = "323535-001 Tables 2-16, 2-23" },
	{ .name = "BB%u_CR_B_MSR_PERF_CTL%n_REG", .role = CAT_CTL, .access = CAT_RW, .count = 4, .bytes = 8,
	  .step = 2, .off = 0x10,
	  .fields = ctl_fields, .n_fields = COUNT(ctl_fields), .source = "323535-001 Tables 2-16, 2-20" },
	{ .name = "BB%u_CR_B_MSR_PERF_CNT%n_REG", .role = CAT_CTR, .access = CAT_RW, .count = 4, .bytes = 8,
	  .step = 2, .off = 0x11,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-16, 2-21" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc20, 0xe45 } },
	{ .base = { 0xc60, 0xe4d } },
};

/* ------------------------------------------------------------------ match and mask */

static const struct cat_key match_keys[] = {
	{ .name = "match", .target = 0, .hi = 59, .lo = 0, .hex = true, .needs = "mask",
	  .help = "What packets are compared with: opc_out 59:56, opc_in 55:52, msg_out 51:48, msg_in "
		  "47:44, address 49:6 in 43:0" },
	{ .name = "mask", .target = 1, .hi = 59, .lo = 0, .hex = true,
	  .help = "Which bits are compared, in the fields of match; whether a 1 compares or ignores is not "
		  "documented" },
};

#define PLACE(code_) { .code = (code_), .t = { { MATCH, 59, 0 }, { MASK, 59, 0 } } }
static const struct cat_place match_places[] = {
	PLACE(1), PLACE(2), PLACE(3), PLACE(4), PLACE(5), PLACE(6),
};

#define ROUTE(code_) { .n_places = 1, .places = &match_places[(code_) - 1], .n_keys = COUNT(match_keys), \
	.keys = match_keys, .name = "match and mask registers" }
static const struct cat_route match_routes[] = {
	ROUTE(1), ROUTE(2), ROUTE(3), ROUTE(4), ROUTE(5), ROUTE(6),
};

/* ------------------------------------------------------------------ events */

#define SRC "323535-001 Table 2-24, 2.4.6"
#define ON(n, code_) .code = (code_), .counters = BIT(n), .max_inc = 1, .dflt = -1
#define MATCHED(n, code_) ON(n, code_), .route = &match_routes[(code_) - 1], .set = SET(.has = 0x3), \
	.disputed = "No source says whether a 1 in the mask compares a bit or ignores it", .source = SRC
#define SWAPPED "Table 2-24 swaps the texts of codes 02 and 03; 2.4.6 and the names agree with each other"
#define INSERT_NOTE "Conflicts count as inserts: no latency follows from it when CONFLICTS is more than 5 % of it"
#define TRACKER .per = 256, .note = "Each count stands for 256: true occupancy is the count times 256", .source = SRC
#define DEPTH(n) .per = (n), .source = SRC, \
	.disputed = "That a count stands for " #n " entries is concluded from the depth of the queue, not " \
		"documented"

static const struct cat_event events[] = {
	/* counter 0 */
	{ .name = "MSG_ADDR_IN_MATCH", MATCHED(0, 0x01),
	  .help = "Incoming packets whose message class and address fit the match register" },
	{ .name = "OPCODE_ADDR_IN_MATCH", MATCHED(0, 0x02), .note = SWAPPED,
	  .help = "Incoming packets whose opcode and address fit the match register" },
	{ .name = "MSG_OPCODE_ADDR_IN_MATCH", MATCHED(0, 0x03), .note = SWAPPED,
	  .help = "Incoming packets whose message class, opcode and address fit the match register" },
	{ .name = "TF_ALL", ON(0, 0x04), TRACKER, .alias = TEXTS("TF_OCCUPANCY_ALL"),
	  .help = "Entries in the tracker file, which holds every transaction from arrival to completion, "
		  "summed over cycles in steps of 256" },
	{ .name = "TF_WR", ON(0, 0x05), TRACKER, .alias = TEXTS("TF_OCCUPANCY_WR"),
	  .help = "Tracker file entries of writes, summed over cycles in steps of 256" },
	{ .name = "TF_INVITOE", ON(0, 0x06), TRACKER, .alias = TEXTS("TF_OCCUPANCY_INVITOE"),
	  .help = "Tracker file entries of InvItoE requests, which want to own a line without its data, "
		  "summed over cycles in steps of 256" },
	{ .name = "IMT_VALID_OCCUPANCY", ON(0, 0x07), .per = 32, .source = SRC ", 2.4.4.2",
	  .note = "Each count stands for 32: true occupancy is the count times 32",
	  .help = "Entries in the in-flight memory table, which holds requests that the memory controller "
		  "works on, summed over cycles in steps of 32" },
	{ .name = "DRSQ_OCCUPANCY", ON(0, 0x09), DEPTH(4),
	  .help = "Data responses that wait in their queue, summed over cycles in steps of 4" },
	{ .name = "TF_IOH", ON(0, 0x0b), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH"),
	  .help = "Tracker file entries of requests from I/O hubs, summed over cycles in steps of 256" },
	{ .name = "TF_IOH_WR", ON(0, 0x0d), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH_WR"),
	  .help = "Tracker file entries of writes from I/O hubs, summed over cycles in steps of 256" },
	{ .name = "TF_IOH_INVITOE", ON(0, 0x0f), TRACKER, .alias = TEXTS("TF_OCCUPANCY_IOH_INVITOE"),
	  .help = "Tracker file entries of InvItoE requests from I/O hubs, summed over cycles in steps of "
		  "256" },
	{ .name = "SNPOQ_OCCUPANCY", ON(0, 0x12), DEPTH(256),
	  .help = "Snoops that wait in their output queue for credits or for the port, summed over cycles "
		  "in steps of 256" },
	{ .name = "DIRQ_OCCUPANCY", ON(0, 0x17), DEPTH(256),
	  .help = "Entries in the directory queue, summed over cycles in steps of 256" },
	{ .name = "TF_IOH_NON_INVITOE_RD", ON(0, 0x1c), TRACKER,
	  .alias = TEXTS("TF_OCCUPANCY_IOH_NON_INVITOE_RD"),
	  .help = "Tracker file entries of reads from I/O hubs other than InvItoE, summed over cycles in "
		  "steps of 256" },

	/* counter 1 */
	{ .name = "MSG_IN_MATCH", MATCHED(1, 0x01),
	  .help = "Incoming packets whose message class fits the match register" },
	{ .name = "MSG_OUT_MATCH", MATCHED(1, 0x02),
	  .help = "Outgoing packets whose message class fits the match register" },
	{ .name = "OPCODE_IN_MATCH", MATCHED(1, 0x03),
	  .help = "Incoming packets whose opcode fits the match register" },
	{ .name = "OPCODE_OUT_MATCH", MATCHED(1, 0x04),
	  .help = "Outgoing packets whose opcode fits the match register" },
	{ .name = "MSG_OPCODE_IN_MATCH", MATCHED(1, 0x05),
	  .help = "Incoming packets whose message class and opcode fit the match register" },
	{ .name = "MSG_OPCODE_OUT_MATCH", MATCHED(1, 0x06),
	  .help = "Outgoing packets whose message class and opcode fit the match register" },
	{ .name = "IMT_INSERTS_ALL", ON(1, 0x07), .source = SRC, .note = INSERT_NOTE,
	  .help = "Requests for the memory of this home agent that entered the in-flight memory table" },
	{ .name = "DRSQ_INSERTS", ON(1, 0x09), .source = SRC,
	  .help = "Data responses that entered their queue" },
	{ .name = "IMT_INSERTS_IOH", ON(1, 0x0a), .source = SRC, .note = INSERT_NOTE,
	  .help = "Requests from I/O hubs that entered the in-flight memory table" },
	{ .name = "IMT_INSERTS_NON_IOH", ON(1, 0x0b), .source = SRC, .note = INSERT_NOTE,
	  .help = "Requests from elsewhere than I/O hubs that entered the in-flight memory table" },
	{ .name = "IMT_INSERTS_WR", ON(1, 0x0c), .source = SRC, .note = INSERT_NOTE,
	  .help = "Writes that entered the in-flight memory table, each of one cache line" },
	{ .name = "IMT_INSERTS_IOH_WR", ON(1, 0x0d), .source = SRC, .note = INSERT_NOTE,
	  .help = "Writes from I/O hubs that entered the in-flight memory table" },
	{ .name = "IMT_INSERTS_NON_IOH_WR", ON(1, 0x0e), .source = SRC, .note = INSERT_NOTE,
	  .help = "Writes from elsewhere than I/O hubs that entered the in-flight memory table" },
	{ .name = "IMT_INSERTS_INVITOE", ON(1, 0x0f), .source = SRC, .note = INSERT_NOTE,
	  .help = "InvItoE requests, which want to own a line without its data, that entered the in-flight "
		  "memory table" },
	{ .name = "IMT_INSERTS_IOH_INVITOE", ON(1, 0x10), .source = SRC, .note = INSERT_NOTE,
	  .help = "InvItoE requests from I/O hubs that entered the in-flight memory table" },
	{ .name = "SNPOQ_INSERTS", ON(1, 0x12), .source = SRC,
	  .help = "Snoops that had to wait in their output queue for credits or for the port" },
	{ .name = "DIRQ_INSERTS", ON(1, 0x17), .source = SRC,
	  .help = "Requests that entered the directory queue" },
	{ .name = "IMT_INSERTS_NON_IOH_INVITOE", ON(1, 0x1c), .source = SRC, .note = INSERT_NOTE,
	  .help = "InvItoE requests from elsewhere than I/O hubs that entered the in-flight memory table" },
	{ .name = "IMT_INSERTS_RD", ON(1, 0x1d), .source = SRC, .note = INSERT_NOTE,
	  .help = "Reads that entered the in-flight memory table, each of one cache line" },
	{ .name = "IMT_INSERTS_NON_IOH_RD", ON(1, 0x1f), .source = SRC, .note = INSERT_NOTE,
	  .help = "Reads from elsewhere than I/O hubs that entered the in-flight memory table" },

	/* counter 2 */
	{ .name = "MSGS_IN_NON_SNP", ON(2, 0x01), .source = SRC, .alias = TEXTS("MSGS_IN_NON_SNOOP"),
	  .help = "Messages other than snoops that arrived at the home agent" },
	{ .name = "MSGS_S_TO_B", ON(2, 0x02), .source = SRC,
	  .help = "Messages that came over the direct link from the S-Box" },
	{ .name = "MSGS_B_TO_S", ON(2, 0x03), .source = SRC, .note = "Each message is 9 flits",
	  .help = "Messages that went over the direct link to the S-Box" },
	{ .name = "ADDR_IN_MATCH", MATCHED(2, 0x04),
	  .help = "Incoming packets whose address fits the match register" },
	{ .name = "IMT_NE_CYCLES", ON(2, 0x07), .source = SRC,
	  .help = "Cycles in which the in-flight memory table holds at least one request" },

	/* counter 3 */
	{ .name = "EARLY_ACK", ON(3, 0x02), .source = SRC,
	  .help = "Acknowledges that the memory controller gave early" },
	{ .name = "IMT_PREALLOC", ON(3, 0x06), .source = SRC,
	  .help = "Time that the in-flight memory table spent with one data response allocated in "
		  "advance" },
	{ .name = "COHQ_BYPASS", ON(3, 0x0e), .source = "323535-001 2.4.6",
	  .note = "The manual lists this event in 2.4.6, but not in Table 2-24",
	  .help = "Transactions that went around the coherence queue" },
	{ .name = "DEMAND_FETCH", ON(3, 0x0f), .source = SRC,
	  .help = "Memory reads that were issued only after the coherence queue, because no prefetch had "
		  "been made on arrival" },
	{ .name = "IMPLICIT_WBS", ON(3, 0x12), .source = SRC,
	  .help = "Write-backs that a snoop caused because it found a modified line" },
	{ .name = "COHQ_IMT_ALLOC_WAIT", ON(3, 0x13), .source = SRC,
	  .help = "Cycles in which the coherence queue waits for a free entry of the in-flight memory "
		  "table" },
	{ .name = "SBOX_VN0_UNAVAIL", ON(3, 0x14), .source = SRC,
	  .help = "Times a message needed a VN0 credit of the S-Box and there was none" },
	{ .name = "RBOX_VNA_UNAVAIL", ON(3, 0x15), .source = SRC,
	  .help = "Times a message needed a VNA credit of the R-Box and there was none" },
	{ .name = "IMT_FULL", ON(3, 0x16), .source = SRC, .note = "Counts times, not cycles",
	  .help = "Times a transaction needed an entry of the in-flight memory table and found it full" },
	{ .name = "CONFLICTS", ON(3, 0x17), .source = SRC,
	  .help = "Requests that met another one to the same line: above 5 % of inserts, no memory latency "
		  "can be derived" },
	{ .name = "ACK_BEFORE_LAST_SNP", ON(3, 0x19), .source = SRC,
	  .help = "Prefetched reads whose memory acknowledge came before the last snoop response" },
};

/* ------------------------------------------------------------------ Westmere-EX */

/* In its list for this processor likwid gives these two the codes of COHQ_BYPASS and IMPLICIT_WBS, which it lists as
 * well: more likely a slip than a change. */
#define ON3(code_) .code = (code_), .counters = BIT(3), .max_inc = 1, .dflt = -1
static const struct cat_event westmere_events[] = {
	{ .name = "COHQ_IMT_ALLOC_WAIT", ON3(0x13), .source = "323535-001 Table 2-24, 2.4.6",
	  .disputed = "likwid prints code 0x0e for this processor, which is COHQ_BYPASS; the Xeon 7500's code is used",
	  .help = "Cycles in which the coherence queue waits for a free entry of the in-flight memory table" },
	{ .name = "IMT_FULL", ON3(0x16), .source = "323535-001 Table 2-24, 2.4.6", .note = "Counts times, not cycles",
	  .disputed = "likwid prints code 0x12 for this processor, which is IMPLICIT_WBS; the Xeon 7500's code is used",
	  .help = "Times a transaction needed an entry of the in-flight memory table and found it full" },
};

/* ------------------------------------------------------------------ the box */

#define BBOX \
	.name = "bbox", .letter = "B", .title = "B-Box: home agent of one memory controller", .n_counters = 4, \
	.ctl_overflow = BIT(20), \
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.4, Table 2-20", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_bbox = { BBOX, UNITS(units) };
const struct cat_box westmere_ex_bbox = { BBOX, UNITS(units), EXTRA(westmere_events) };
