/* SPDX-License-Identifier: MIT
 * U-Box of the Xeon 7500: system configuration controller, one counter.
 * Owns:  its registers and events, and the fields of the socket-wide global control.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem_ex.h"

static const struct cat_field global_fields[] = {
	F("frz_all", 31, 31, "A PMI from an overflowing box clears en_all"),
	RSV(30, 30),
	F("rst_all", 29, 29, "While 1, every uncore counter stands at 0"),
	F("en_all", 28, 28, "Lets the uncore counters of the socket count"),
	RSV(27, 9),
	F("pmi_core_sel", 8, 1, "Cores that get the PMI, bit 1 = core 0"),
	F("en", 0, 0, "Enables the U-Box counter"),
};

/* Table 2-6 runs to bit 63 although Table 2-5 calls the control register 32 bits wide. */
static const struct cat_reg regs[] = {
	R("U_MSR_PMON_GLOBAL_CTL", GLOBAL_CTL, RW, 1, 4, 0x00, "323535-001 Tables 2-1, 2-2", FIELDS(global_fields)),
	R("U_MSR_PMON_GLOBAL_STATUS", GLOBAL_STATUS, RW, 1, 4, 0x01, "323535-001 Tables 2-1, 2-3", FIELDS_HERE(
	  F("cond", 31, 31, "Condition change"),
	  F("pmi", 30, 30, "A box with an overflowing counter sent a PMI"),
	  F("ov_s0", 3, 3, "Overflow below S-Box 0"),
	  F("ov_s1", 2, 2, "Overflow below S-Box 1"),
	  F("ov_w", 1, 1, "Overflow in the W-Box"),
	  F("ov_u", 0, 0, "Overflow in the U-Box"))),
	R("U_MSR_PMON_GLOBAL_OVF_CTL", GLOBAL_OVF, RW, 1, 4, 0x02, "323535-001 Tables 2-1, 2-4", FIELDS_HERE(
	  PULSE("clr_cond", 31, 31, "Write 1 to clear cond"),
	  PULSE("clr_pmi", 30, 30, "Write 1 to clear pmi"),
	  PULSE("clr_ov_s0", 3, 3, "Write 1 to clear ov_s0"),
	  PULSE("clr_ov_s1", 2, 2, "Write 1 to clear ov_s1"),
	  PULSE("clr_ov_w", 1, 1, "Write 1 to clear ov_w"),
	  PULSE("clr_ov_u", 0, 0, "Write 1 to clear ov_u"))),
	R("U_MSR_PMON_EV_SEL", CTL, RW, 1, 8, 0x10, "323535-001 Tables 2-5, 2-6", .step = 2, FIELDS_HERE(
	  RSV(62, 62),
	  F("en", 22, 22, "Enables this counter"),
	  F("pmi_en", 20, 20, "Sends a PMI when the counter overflows"),
	  F("edge_detect", 18, 18, "Counts changes from 0 to 1"),
	  F("ev_sel", 7, 0, "Event"))),
	R("U_MSR_PMON_CTR", CTR, RW, 1, 8, 0x11, "323535-001 Tables 2-5, 2-7", .step = 2, NEHALEM_EX_COUNT),
};

static const struct cat_unit units[] = { { .base = { 0xc00 } } };

/* ------------------------------------------------------------------ where an overflow is sent */

/* By way of an S-Box: ov_s0 or ov_s1 of the U-Box, `bit` of the S-Box's summary. */
#define BY_S(box_, unit_, first_, count_, s, bit) \
	{ .box = (box_), .unit = (unit_), .first = (first_), .count = (count_), \
	  .global = BIT((s) ? 2 : 3), \
	  .summary_box = "sbox", .summary_unit = (s), .summary = BIT(bit), \
	  .source = "323535-001 Tables 2-3, 2-26" }
enum { OV_C_R = 0, OV_C_L = 2, OV_MB = 16, OV_S = 18, OV_R = 19 };

/* Where the C-Boxes 8 and 9 of Westmere-EX report is not documented. */
static const struct cat_overflow overflows[] = {
	{ .box = "ubox", .count = 1, .global = BIT(0), .source = "323535-001 Table 2-3" },
	{ .box = "wbox", .count = 4, .global = BIT(1), .source = "323535-001 Table 2-3" },
	BY_S("cbox", 0, 0, 6, 0, OV_C_L), BY_S("cbox", 1, 0, 6, 0, OV_C_L),
	BY_S("cbox", 2, 0, 6, 0, OV_C_R), BY_S("cbox", 3, 0, 6, 0, OV_C_R),
	BY_S("cbox", 4, 0, 6, 1, OV_C_L), BY_S("cbox", 5, 0, 6, 1, OV_C_L),
	BY_S("cbox", 6, 0, 6, 1, OV_C_R), BY_S("cbox", 7, 0, 6, 1, OV_C_R),
	BY_S("bbox", 0, 0, 4, 0, OV_MB), BY_S("bbox", 1, 0, 4, 1, OV_MB),
	BY_S("sbox", 0, 0, 4, 0, OV_S), BY_S("sbox", 1, 0, 4, 1, OV_S),
	/* 2.6.2.2 says that the left half lands in ov_c_l; Table 2-26 has a bit of its own. */
	BY_S("rbox", 0, 0, 8, 0, OV_R), BY_S("rbox", 0, 8, 8, 1, OV_R),
	BY_S("mbox", 0, 0, 6, 0, OV_MB), BY_S("mbox", 1, 0, 6, 1, OV_MB),
};

#define SRC "323535-001 Table 2-8, 2.2.4"
/* The manual prints four codes with nine bits; the event field keeps the lower eight. */
#define NINE(low) .note = "The manual prints code 0x1" low ", but the event field holds 8 bits"

static const struct cat_event events[] = {
	E("BUF_VALID_LOCAL_INT", 0x00, 1, SRC, PLAIN,
	  .help = "Cycles in which an interrupt message for a core of this socket waits in the U-Box to be broadcast"),
	E("BUF_VALID_REMOTE_INT", 0x01, 1, SRC, PLAIN,
	  .help = "Cycles in which an interrupt message for another socket waits in the U-Box to be broadcast"),
	E("BUF_VALID_LOCK", 0x02, 1, SRC, PLAIN,
	  .help = "Cycles in which a bus lock or unlock message waits in the U-Box to be broadcast"),
	E("BUF_VALID_STST", 0x03, 1, SRC, PLAIN,
	  .help = "Cycles in which a request to stop or restart traffic waits in the U-Box to be broadcast"),
	E("BUF_VALID_SPC_CYCLES", 0x04, 1, SRC, PLAIN,
	  .help = "Cycles in which a special-cycle message (shutdown, cache invalidate or write-back done) waits in the U-Box"),
	E("U2R_REQUESTS", 0x50, 1, SRC, PLAIN,
	  .help = "Requests that the U-Box put onto the ring"),
	E("U2B_REQUEST_CYCLES", 0x51, 1, SRC, PLAIN, .alias = TEXTS("U2R_REQUEST_CYCLES"),
	  .help = "Cycles in which a request from the U-Box to the B-Box is under way",
	  .note = "likwid spells it U2R_REQUEST_CYCLES"),
	E("WOKEN", 0xf8, 1, SRC, PLAIN,
	  .help = "Times a core was woken up"),
	E("IPIS_SENT", 0xf9, 1, SRC, PLAIN,
	  .help = "Inter-processor interrupts sent to cores"),
	E("RECOV", 0xdf, 1, SRC, PLAIN, NINE("df"),
	  .help = "Errors from which the hardware or software could recover"),
	E("CORRECTED_ERR", 0xe4, 1, SRC, PLAIN, NINE("e4"),
	  .help = "Errors that the hardware corrected by itself"),
	E("UNCORRECTED_ERR", 0xe5, 1, SRC, PLAIN, NINE("e5"),
	  .help = "Errors that were detected but not corrected"),
	E("FATAL_ERR", 0xe6, 1, SRC, PLAIN, NINE("e6"),
	  .help = "Errors after which the system cannot go on"),
};

static const struct cat_event westmere_events[] = {
	E("DOOR_BELL", 0x05, 1, WESTMERE_LIST, PLAIN, .alias = TEXTS("BUF_VALID_DOOR_BELL"), LIKWID_ALONE,
	  .help = "Cycles in which a doorbell message between sockets waits in the U-Box"),
	E("PM_IN", 0x06, 1, WESTMERE_LIST, PLAIN, .alias = TEXTS("BUF_VALID_PM_IN"), LIKWID_ALONE,
	  .help = "Cycles in which a power management message that arrived waits in the U-Box"),
	E("PM_OUT", 0x07, 1, WESTMERE_LIST, PLAIN, .alias = TEXTS("BUF_VALID_PM_OUT"), LIKWID_ALONE,
	  .help = "Cycles in which a power management message waits in the U-Box to be sent"),
};

#define UBOX \
	.name = "ubox", .letter = "U", .title = "U-Box: system configuration controller", \
	.n_counters = 1, .global_also = true, .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = { 18, 18 }, \
	.invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.2, Table 2-6", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_ubox = { UBOX, UNITS(units) };
const struct cat_box westmere_ex_ubox = { UBOX, UNITS(units), EXTRA(westmere_events) };

const struct cat_global nehalem_ex_global = {
	.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 }, .name = "U_MSR_PMON_GLOBAL_CTL",
	.enable = BIT(28), .reset = BIT(29), .box_enable = BIT(0),
	.overflow_stops = BIT(31), .overflow_interrupts = (BIT(9) - BIT(1)),
	.overflow_summary = BIT(30), .overflow_changed = BIT(31),
	.fields = global_fields, .n_fields = COUNT(global_fields),
};
const struct cat_overflows nehalem_ex_overflows = { overflows, COUNT(overflows) };
