/* nehalem_ex_wbox.c - W-Box of the Xeon 7500: power controller, four counters and the uncore clock counter.
 *
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

static const struct cat_field box_fields[] = {
	{ "fixed_en", 31, 31, CAT_FIELD, "Enables the fixed counter" },
	{ "ctr_en", 3, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "ov_fixed", 31, 31, CAT_FIELD, "The fixed counter overflowed" },
	{ "ov", 3, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov_fixed", 31, 31, CAT_FIELD_PULSE, "Write 1 to clear ov_fixed" },
	{ "clr_ov", 3, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "rsv", 50, 50, CAT_FIELD_RSV, NULL },
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "invert", 23, 23, CAT_FIELD, "Count when the increment is below the threshold" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "pmi_en", 20, 20, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "edge_detect", 18, 18, CAT_FIELD, "Counts changes from 0 to 1" },
	{ "umask", 15, 8, CAT_FIELD, "Cores, bit 8 = core 0" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field fixed_fields[] = {
	{ "en", 0, 0, CAT_FIELD, "Enables the fixed counter" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_reg regs[] = {
	{ .name = "W_MSR_PMON_GLOBAL_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 4, .bytes = 4,
	  .off = 0x00,
	  .fields = box_fields, .n_fields = COUNT(box_fields), .source = "323535-001 Tables 2-94, 2-95" },
	{ .name = "W_MSR_PMON_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RW, .count = 4, .bytes = 4,
	  .off = 0x01,
	  .fields = status_fields, .n_fields = COUNT(status_fields),
	  .source = "323535-001 Tables 2-94, 2-96" },
	{ .name = "W_MSR_PMON_GLOBAL_OVF_CTRL", .role = CAT_OVF_CTL, .access = CAT_WO, .count = 4,
	  .bytes = 4, .off = 0x02,
	  .fields = ovf_fields, .n_fields = COUNT(ovf_fields), .source = "323535-001 Tables 2-94, 2-97" },
	{ .name = "W_MSR_PMON_EVT_SEL_%n", .role = CAT_CTL, .access = CAT_RW, .count = 4, .bytes = 8,
	  .step = 2, .off = 0x10,
	  .fields = ctl_fields, .n_fields = COUNT(ctl_fields), .source = "323535-001 Tables 2-94, 2-98" },
	{ .name = "W_MSR_PMON_CTR_%n", .role = CAT_CTR, .access = CAT_RW, .count = 4, .bytes = 8, .step = 2,
	  .off = 0x11,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-94, 2-100" },
	{ .name = "W_MSR_PMON_FIXED_CTR", .role = CAT_FIXED_CTR, .access = CAT_RW, .bank = 1, .count = 1,
	  .bytes = 8, .off = 0,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-94, 2-101" },
	{ .name = "W_MSR_PMON_FIXED_CTR_CTL", .role = CAT_FIXED_CTL, .access = CAT_RW, .bank = 1,
	  .count = 1, .bytes = 8, .off = 1,
	  .fields = fixed_fields, .n_fields = COUNT(fixed_fields),
	  .source = "323535-001 Tables 2-94, 2-99" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc80, 0x394 } },
};

static const struct cat_umask cores[] = {
	{ .name = "CORE0", .alias = "C0", .value = 0x01, .help = "Core 0 of the socket" },
	{ .name = "CORE1", .alias = "C1", .value = 0x02, .help = "Core 1 of the socket" },
	{ .name = "CORE2", .alias = "C2", .value = 0x04, .help = "Core 2 of the socket" },
	{ .name = "CORE3", .alias = "C3", .value = 0x08, .help = "Core 3 of the socket" },
	{ .name = "CORE4", .alias = "C4", .value = 0x10, .help = "Core 4 of the socket" },
	{ .name = "CORE5", .alias = "C5", .value = 0x20, .help = "Core 5 of the socket" },
	{ .name = "CORE6", .alias = "C6", .value = 0x40, .help = "Core 6 of the socket" },
	{ .name = "CORE7", .alias = "C7", .value = 0x80, .help = "Core 7 of the socket" },
	{ .name = "ALL", .alias = "C_ALL", .value = 0xff, .help = "All eight cores" },
};

/* The table prints one count a cycle at most; with several cores the larger reading bounds the rate. */
#define CORES .max_inc = 1, .combine = CAT_UMASK_BITS, .adds = CAT_ADDS, .dflt = 8, \
	.n_umasks = COUNT(cores), .umasks = cores, \
	.source = "323535-001 Table 2-102 (p 2-128), 2.8.2 (p 2-124)", \
	.disputed = "With several cores selected no source says whether each counts or any of them once a cycle"

static const struct cat_event events[] = {
	/* The code is the kernel's way to name the fixed counter; the hardware has no field for it. */
	{ .name = "CLOCKTICKS", .code = 0xff, .max_inc = 1, .dflt = -1, .fixed = true, .always_runs = true,
	  .alias = TEXTS("UNCORE_CLOCK"), .source = "323535-001 2.1.2, Table 2-101 (p 2-128)",
	  .help = "Cycles of the uncore clock, counted by the fixed counter: the time base of every box "
		  "but the M-Box" },
	{ .name = "C_THROTTLE_TMP", .code = 0x00, CORES, .alias = TEXTS("C_C0_THROTTLE_TMP"),
	  .help = "Cycles in which a core is throttled because of its temperature" },
	{ .name = "C_C0_THROTTLE_DIE", .code = 0x01, CORES,
	  .help = "Cycles in which a running core is throttled because the die is too hot" },
	{ .name = "PROCHOT", .code = 0x02, .max_inc = 1, .dflt = -1,
	  .source = "323535-001 Table 2-102 (p 2-128)",
	  .help = "Cycles in which the package signals PROCHOT, its over-temperature pin" },
	{ .name = "C0_THROTTLE_PROCHOT", .code = 0x03, CORES, .alias = TEXTS("C_C0_THROTTLE_PROCHOT"),
	  .note = "The manual's table gives the FORCEPR pin as the cause",
	  .help = "Cycles in which a running core is throttled because a pin of the package asks for it" },
	{ .name = "C_CYCLES_TURBO", .code = 0x04, CORES,
	  .help = "Cycles in which a core runs above its nominal frequency" },
	{ .name = "TM1_ON", .code = 0x07, CORES,
	  .help = "Cycles in which thermal monitor 1 stops and starts the clock of a core to cool it" },
	{ .name = "RATIO_CHANGE_ABORT", .code = 0x08, CORES,
	  .help = "Changes of a core's frequency that were begun and given up" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box nehalem_ex_wbox = {
	.name = "wbox", .letter = "W", .title = "W-Box: power controller and uncore clock",
	.n_counters = 4, .has_fixed = true, .fixed_box_bit = 31, .fixed_enable = BIT(0), .ctl_overflow = BIT(20),
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 },
	.enable = { 22, 22 }, .occ_reset = CAT_NONE,
	.erratum = { 0xffffff, 1, 0x1000000 },        /* p 2-128 */
	.source = "323535-001 2.8, Table 2-98",
	ROWS, UNITS(units), .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK,
};
