/* SPDX-License-Identifier: MIT
 * W-Box of the Xeon 7500: power controller, four counters and the uncore clock counter.
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem_ex.h"

static const struct cat_reg regs[] = {
	R("W_MSR_PMON_GLOBAL_CTL", BOX_CTL, RW, 4, 4, 0x00, "323535-001 Tables 2-94, 2-95", FIELDS_HERE(
	  F("fixed_en", 31, 31, "Enables the fixed counter"),
	  F("ctr_en", 3, 0, "Bit n enables counter n"))),
	R("W_MSR_PMON_GLOBAL_STATUS", STATUS, RW, 4, 4, 0x01, "323535-001 Tables 2-94, 2-96", FIELDS_HERE(
	  F("ov_fixed", 31, 31, "The fixed counter overflowed"),
	  F("ov", 3, 0, "Bit n: counter n overflowed"))),
	R("W_MSR_PMON_GLOBAL_OVF_CTRL", OVF_CTL, WO, 4, 4, 0x02, "323535-001 Tables 2-94, 2-97", FIELDS_HERE(
	  PULSE("clr_ov_fixed", 31, 31, "Write 1 to clear ov_fixed"),
	  PULSE("clr_ov", 3, 0, "Write 1 to clear ov"))),
	R("W_MSR_PMON_EVT_SEL_%n", CTL, RW, 4, 8, 0x10, "323535-001 Tables 2-94, 2-98", .step = 2, FIELDS_HERE(
	  RSV(62, 61), RSV(50, 50), NEHALEM_EX_COMPARED("thresh", "en"), NEHALEM_EX_EDGE,
	  NEHALEM_EX_SELECTED("Cores, bit 8 = core 0"))),
	R("W_MSR_PMON_CTR_%n", CTR, RW, 4, 8, 0x11, "323535-001 Tables 2-94, 2-100", .step = 2, NEHALEM_EX_COUNT),
	R("W_MSR_PMON_FIXED_CTR", FIXED_CTR, RW, 1, 8, 0, "323535-001 Tables 2-94, 2-101", .bank = 1, NEHALEM_EX_COUNT),
	R("W_MSR_PMON_FIXED_CTR_CTL", FIXED_CTL, RW, 1, 8, 1, "323535-001 Tables 2-94, 2-99", .bank = 1,
	  FIELDS_HERE(F("en", 0, 0, "Enables the fixed counter"))),
};

#define CORE(n, bit) U("CORE" #n, bit, "Core " #n " of the socket", .alias = "C" #n)
static const struct cat_umask cores[] = {
	CORE(0, 0x01), CORE(1, 0x02), CORE(2, 0x04), CORE(3, 0x08),
	CORE(4, 0x10), CORE(5, 0x20), CORE(6, 0x40), CORE(7, 0x80),
	U("ALL", 0xff, "All eight cores", .alias = "C_ALL"),
};

/* The table prints one count a cycle at most; with several cores the larger reading bounds the
 * rate. */
#define CORES_SRC "323535-001 Table 2-102 (p 2-128), 2.8.2 (p 2-124)"
#define CORES SUMMED(cores, 8), \
	.disputed = "With several cores selected no source says whether each counts or any of " \
		"them once a cycle"

static const struct cat_event events[] = {
	/* The code is the kernel's way to name the fixed counter; the hardware has no field for
	 * it. */
	E("CLOCKTICKS", 0xff, 1, "323535-001 2.1.2, Table 2-101 (p 2-128)", PLAIN, .fixed = true, .always_runs = true,
	  .alias = TEXTS("UNCORE_CLOCK"),
	  .help = "Cycles of the uncore clock, counted by the fixed counter: the time base of every box but the M-Box"),
	E("C_THROTTLE_TMP", 0x00, 1, CORES_SRC, CORES, .alias = TEXTS("C_C0_THROTTLE_TMP"),
	  .help = "Cycles in which a core is throttled because of its temperature"),
	E("C_C0_THROTTLE_DIE", 0x01, 1, CORES_SRC, CORES,
	  .help = "Cycles in which a running core is throttled because the die is too hot"),
	E("PROCHOT", 0x02, 1, "323535-001 Table 2-102 (p 2-128)", PLAIN,
	  .help = "Cycles in which the package signals PROCHOT, its over-temperature pin"),
	E("C0_THROTTLE_PROCHOT", 0x03, 1, CORES_SRC, CORES, .alias = TEXTS("C_C0_THROTTLE_PROCHOT"),
	  .help = "Cycles in which a running core is throttled because a pin of the package asks for it",
	  .note = "The manual's table gives the FORCEPR pin as the cause"),
	E("C_CYCLES_TURBO", 0x04, 1, CORES_SRC, CORES,
	  .help = "Cycles in which a core runs above its nominal frequency"),
	E("TM1_ON", 0x07, 1, CORES_SRC, CORES,
	  .help = "Cycles in which thermal monitor 1 stops and starts the clock of a core to cool it"),
	E("RATIO_CHANGE_ABORT", 0x08, 1, CORES_SRC, CORES,
	  .help = "Changes of a core's frequency that were begun and given up"),
};

const struct cat_box nehalem_ex_wbox = {
	.name = "wbox", .letter = "W", .title = "W-Box: power controller and uncore clock",
	.n_counters = 4, .has_fixed = true, .fixed_box_bit = 31, .fixed_enable = BIT(0),
	NEHALEM_EX_CONTROL, .occ_reset = CAT_NONE,
	.erratum = { 0xffffff, 1, 0x1000000 },        /* p 2-128 */
	.source = "323535-001 2.8, Table 2-98",
	ROWS, UNITS_HERE({ .base = { 0xc80, 0x394 } }),
	.space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK,
};
