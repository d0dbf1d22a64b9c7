/* nehalem_ex_ubox.c - U-Box of the Xeon 7500: system configuration controller, one counter.
 *
 * Owns:  its registers and events, and the fields of the socket-wide global control.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

static const struct cat_field global_fields[] = {
	{ "frz_all", 31, 31, CAT_FIELD, "A PMI from an overflowing box clears en_all" },
	{ "rsv", 30, 30, CAT_FIELD_RSV, NULL },
	{ "rst_all", 29, 29, CAT_FIELD, "While 1, every uncore counter stands at 0" },
	{ "en_all", 28, 28, CAT_FIELD, "Lets the uncore counters of the socket count" },
	{ "rsv", 27, 9, CAT_FIELD_RSV, NULL },
	{ "pmi_core_sel", 8, 1, CAT_FIELD, "Cores that get the PMI, bit 1 = core 0" },
	{ "en", 0, 0, CAT_FIELD, "Enables the U-Box counter" },
};

static const struct cat_field status_fields[] = {
	{ "cond", 31, 31, CAT_FIELD, "Condition change" },
	{ "pmi", 30, 30, CAT_FIELD, "A box with an overflowing counter sent a PMI" },
	{ "ov_s0", 3, 3, CAT_FIELD, "Overflow below S-Box 0" },
	{ "ov_s1", 2, 2, CAT_FIELD, "Overflow below S-Box 1" },
	{ "ov_w", 1, 1, CAT_FIELD, "Overflow in the W-Box" },
	{ "ov_u", 0, 0, CAT_FIELD, "Overflow in the U-Box" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_cond", 31, 31, CAT_FIELD_PULSE, "Write 1 to clear cond" },
	{ "clr_pmi", 30, 30, CAT_FIELD_PULSE, "Write 1 to clear pmi" },
	{ "clr_ov_s0", 3, 3, CAT_FIELD_PULSE, "Write 1 to clear ov_s0" },
	{ "clr_ov_s1", 2, 2, CAT_FIELD_PULSE, "Write 1 to clear ov_s1" },
	{ "clr_ov_w", 1, 1, CAT_FIELD_PULSE, "Write 1 to clear ov_w" },
	{ "clr_ov_u", 0, 0, CAT_FIELD_PULSE, "Write 1 to clear ov_u" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 62, CAT_FIELD_RSV, NULL },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "pmi_en", 20, 20, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "edge_detect", 18, 18, CAT_FIELD, "Counts changes from 0 to 1" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

/* Table 2-6 runs to bit 63 although Table 2-5 calls the control register 32 bits wide. */
static const struct cat_reg regs[] = {
	{ .name = "U_MSR_PMON_GLOBAL_CTL", .role = CAT_GLOBAL_CTL, .access = CAT_RW, .count = 1, .bytes = 4,
	  .off = 0x00,
	  .fields = global_fields, .n_fields = COUNT(global_fields),
	  .source = "323535-001 Tables 2-1, 2-2" },
	{ .name = "U_MSR_PMON_GLOBAL_STATUS", .role = CAT_GLOBAL_STATUS, .access = CAT_RW, .count = 1,
	  .bytes = 4, .off = 0x01,
	  .fields = status_fields, .n_fields = COUNT(status_fields),
	  .source = "323535-001 Tables 2-1, 2-3" },
	{ .name = "U_MSR_PMON_GLOBAL_OVF_CTL", .role = CAT_GLOBAL_OVF, .access = CAT_RW, .count = 1,
	  .bytes = 4, .off = 0x02,
	  .fields = ovf_fields, .n_fields = COUNT(ovf_fields), .source = "323535-001 Tables 2-1, 2-4" },
	{ .name = "U_MSR_PMON_EV_SEL", .role = CAT_CTL, .access = CAT_RW, .count = 1, .bytes = 8, .step = 2,
	  .off = 0x10,
	  .fields = ctl_fields, .n_fields = COUNT(ctl_fields), .source = "323535-001 Tables 2-5, 2-6" },
	{ .name = "U_MSR_PMON_CTR", .role = CAT_CTR, .access = CAT_RW, .count = 1, .bytes = 8, .step = 2,
	  .off = 0x11,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-5, 2-7" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc00 } },
};

/* ------------------------------------------------------------------ who is told of an overflow */

/* By way of an S-Box: ov_s0 or ov_s1 of the U-Box, `bit` of the S-Box's summary. */
#define BY_S(box_, unit_, first_, count_, s, bit) \
	{ .box = (box_), .unit = (unit_), .first = (first_), .count = (count_), .global = BIT((s) ? 2 : 3), \
	  .summary_box = "sbox", .summary_unit = (s), .summary = BIT(bit), .source = "323535-001 Tables 2-3, 2-26" }
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
	{ .name = "BUF_VALID_LOCAL_INT", .code = 0x00, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Cycles in which an interrupt message for a core of this socket waits in the U-Box to be "
		  "broadcast" },
	{ .name = "BUF_VALID_REMOTE_INT", .code = 0x01, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Cycles in which an interrupt message for another socket waits in the U-Box to be "
		  "broadcast" },
	{ .name = "BUF_VALID_LOCK", .code = 0x02, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Cycles in which a bus lock or unlock message waits in the U-Box to be broadcast" },
	{ .name = "BUF_VALID_STST", .code = 0x03, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Cycles in which a request to stop or restart traffic waits in the U-Box to be "
		  "broadcast" },
	{ .name = "BUF_VALID_SPC_CYCLES", .code = 0x04, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Cycles in which a special-cycle message (shutdown, cache invalidate or write-back done) "
		  "waits in the U-Box" },
	{ .name = "U2R_REQUESTS", .code = 0x50, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Requests that the U-Box put onto the ring" },
	{ .name = "U2B_REQUEST_CYCLES", .code = 0x51, .max_inc = 1, .dflt = -1, .source = SRC,
	  .alias = TEXTS("U2R_REQUEST_CYCLES"), .note = "likwid spells it U2R_REQUEST_CYCLES",
	  .help = "Cycles in which a request from the U-Box to the B-Box is under way" },
	{ .name = "WOKEN", .code = 0xf8, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Times a core was woken up" },
	{ .name = "IPIS_SENT", .code = 0xf9, .max_inc = 1, .dflt = -1, .source = SRC,
	  .help = "Inter-processor interrupts sent to cores" },
	{ .name = "RECOV", .code = 0xdf, .max_inc = 1, .dflt = -1, .source = SRC, NINE("df"),
	  .help = "Errors from which the hardware or software could recover" },
	{ .name = "CORRECTED_ERR", .code = 0xe4, .max_inc = 1, .dflt = -1, .source = SRC, NINE("e4"),
	  .help = "Errors that the hardware corrected by itself" },
	{ .name = "UNCORRECTED_ERR", .code = 0xe5, .max_inc = 1, .dflt = -1, .source = SRC, NINE("e5"),
	  .help = "Errors that were detected but not corrected" },
	{ .name = "FATAL_ERR", .code = 0xe6, .max_inc = 1, .dflt = -1, .source = SRC, NINE("e6"),
	  .help = "Errors after which the system cannot go on" },
};

/* ------------------------------------------------------------------ Westmere-EX */

static const struct cat_event westmere_events[] = {
	{ .name = "DOOR_BELL", .alias = TEXTS("BUF_VALID_DOOR_BELL"), .code = 0x05, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Cycles in which a doorbell message between sockets waits in the U-Box" },
	{ .name = "PM_IN", .alias = TEXTS("BUF_VALID_PM_IN"), .code = 0x06, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Cycles in which a power management message that arrived waits in the U-Box" },
	{ .name = "PM_OUT", .alias = TEXTS("BUF_VALID_PM_OUT"), .code = 0x07, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Cycles in which a power management message waits in the U-Box to be sent" },
};

/* ------------------------------------------------------------------ the box */

#define UBOX \
	.name = "ubox", .letter = "U", .title = "U-Box: system configuration controller", \
	.n_counters = 1, .global_also = true, .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.2, Table 2-6", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_ubox = { UBOX, UNITS(units) };
const struct cat_box westmere_ex_ubox = { UBOX, UNITS(units), EXTRA(westmere_events) };

/* ------------------------------------------------------------------ the socket */

const struct cat_global nehalem_ex_global = {
	.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 }, .name = "U_MSR_PMON_GLOBAL_CTL",
	.enable = BIT(28), .reset = BIT(29), .box_enable = BIT(0),
	.overflow_stops = BIT(31), .overflow_interrupts = (BIT(9) - BIT(1)),
	.overflow_told = BIT(30), .overflow_changed = BIT(31),
	.fields = global_fields, .n_fields = COUNT(global_fields),
};
const struct cat_overflows nehalem_ex_overflows = { overflows, COUNT(overflows) };
