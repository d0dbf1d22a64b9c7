/* SPDX-License-Identifier: MIT
 * UBox of the Xeon E5/E7 v2: interrupts, locks and register access between the units.
 * Owns:  its registers and events, the uncore clock, the fields of the socket-wide global control.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/ivytown.h"

static const struct cat_field global_fields[] = {
	PULSE("frz_all", 31, 31, "Write 1: stop all uncore counters of the socket"),
	F("wk_on_pmi", 30, 30, "Wake sleeping cores before they get a PMI"),
	PULSE("unfrz_all", 29, 29, "Write 1: let the uncore counters of the socket count again"),
	RSV(28, 27),
	F("pmi_core_sel", 14, 0, "Cores that get the PMI, a bit each"),
};

/* Page 21 prints 64 bits for CTL1 and 32 for CTL0: both are 32. There is no box control. */
static const struct cat_reg regs[] = {
	R("U_MSR_PMON_GLOBAL_CTL", GLOBAL_CTL, RW, 1, 4, 0x00, "329468-002 Table 2-2", FIELDS(global_fields)),
	R("U_MSR_PMON_GLOBAL_STATUS", GLOBAL_STATUS, W1C, 1, 4, 0x01, "329468-002 p 18, likwid", FIELDS_HERE(
	  /* Which box a bit stands for: likwid's map; the manual names the R3QPI bits both ov_rq
	   * and ov_r3. */
	  F("ov_rp", 26, 26, "Overflow in R2PCIe; write 1 to clear"),
	  F("ov_rq", 25, 24,
	    "Overflow in R3QPI, bit 24 = link 0 (by likwid; open); write 1 to clear"),
	  F("ov_q", 23, 22, "Overflow in a QPI port, bit 22 = port 0; write 1 to clear"),
	  F("ov_m", 21, 20,
	    "Overflow in a memory channel, bit 20 = first controller; write 1 to clear"),
	  F("ov_h", 19, 18, "Overflow in a home agent, bit 18 = HA 0; write 1 to clear"),
	  F("ov_c", 17, 3, "Overflow in a C-Box, bit 3 = C-Box 0; write 1 to clear"),
	  F("ov_p", 2, 2, "Overflow in the PCU; write 1 to clear"),
	  F("ov_u", 1, 1, "Overflow in the UBox; write 1 to clear"),
	  F("ov_uf", 0, 0, "Overflow of the uncore clock counter; write 1 to clear"))),
	R("U_MSR_PMON_GLOBAL_CONFIG", OTHER, RO, 1, 4, 0x06, "329468-002 p 18"),
	R("U_MSR_PMON_UCLK_FIXED_CTL", FIXED_CTL, RW, 1, 4, 0x08, "329468-002 p 21, 327043-001 Table 2-4", FIELDS_HERE(
	  F("en", 22, 22, "Enables the uncore clock counter"),
	  F("ov_en", 20, 20, "Reports an overflow"))),
	R("U_MSR_PMON_UCLK_FIXED_CTR", FIXED_CTR, RW, 1, 8, 0x09, "329468-002 p 21", FIELDS(ivytown_ctr48_fields)),
	R("U_MSR_PMON_CTL%n", CTL, RW, 2, 4, 0x10, "329468-002 p 21", .step = 1, FIELDS_HERE(
	  IVYTOWN_THRESH(28), IVYTOWN_EN, IVYTOWN_OV_EN, IVYTOWN_EDGE_RST, IVYTOWN_SELECTION)),
	R("U_MSR_PMON_BOX_STATUS", STATUS, W1C, 2, 4, 0x15, "329468-002 p 21",
	  FIELDS_HERE(F("ov", 1, 0, "Bit n: counter n overflowed; write 1 to clear"))),
	R("U_MSR_PMON_CTR%n", CTR, RW, 2, 8, 0x16, "329468-002 p 21", .step = 1, FIELDS(ivytown_ctr44_fields)),
};

/* ------------------------------------------------------------------ where an overflow is sent */

#define OV(box_, unit_, count_, bit) \
	{ .box = (box_), .unit = (unit_), .count = (count_), .global = BIT(bit), \
	  .source = "329468-002 p 18, likwid" }

/* No source has a bit for the IRP, nor for the third QPI link. The C-Boxes have no status register
 * of their own. */
static const struct cat_overflow overflows[] = {
	OV("ubox", 0, 0, 0), OV("ubox", 0, 2, 1), OV("pcu", 0, 4, 2),
	OV("cbox", 0, 4, 3), OV("cbox", 1, 4, 4), OV("cbox", 2, 4, 5), OV("cbox", 3, 4, 6), OV("cbox", 4, 4, 7),
	OV("cbox", 5, 4, 8), OV("cbox", 6, 4, 9), OV("cbox", 7, 4, 10), OV("cbox", 8, 4, 11), OV("cbox", 9, 4, 12),
	OV("cbox", 10, 4, 13), OV("cbox", 11, 4, 14), OV("cbox", 12, 4, 15), OV("cbox", 13, 4, 16),
	OV("cbox", 14, 4, 17),
	OV("ha", 0, 4, 18), OV("ha", 1, 4, 19),
	OV("imc", 0, 4, 20), OV("imc", 1, 4, 20), OV("imc", 2, 4, 20), OV("imc", 3, 4, 20),
	OV("imc", 4, 4, 21), OV("imc", 5, 4, 21), OV("imc", 6, 4, 21), OV("imc", 7, 4, 21),
	OV("qpi", 0, 4, 22), OV("qpi", 1, 4, 23), OV("r3qpi", 0, 3, 24), OV("r3qpi", 1, 3, 25), OV("r2pcie", 0, 4, 26),
};

#define MOST IVYTOWN_UBOX_MOST
#define FILTER .note = "Intel's event file names a filter register whose place no source gives: " \
		"it stays as it is"

static const struct cat_umask messages[] = {
	U("VLW_RCVD", 0x01, "Legacy interrupt wires, sent as messages (VLW)"),
	U("MSI_RCVD", 0x02, "Message-signalled interrupts (MSI) of devices"),
	U("IPI_RCVD", 0x04, "Interrupts from one core to another (IPI)"),
	U("DOORBELL_RCVD", 0x08, "Doorbells"),
	U("INT_PRIO", 0x10, "Updates of interrupt priorities"),
};

/* libpfm4's ACK_TO_DEASSERT is left out: it has the value of ASSERT_TO_ACK and so counts nothing
 * else. */
static const struct cat_umask phold[] = { U("ASSERT_TO_ACK", 0x01, NULL) };

static const struct cat_event events[] = {
	E("UCLK", 0, 1, "329468-002 2.2.2, p 21", .fixed = true, CLOCK,
	  .help = "Cycles of the uncore clock, on the counter made for it"),
	E("CLOCKTICKS", 0x00, 1, JSON, CLOCK,
	  .help = "Cycles of the uncore clock, on a general counter"),
	E("FILTER_MATCH", 0x41, MOST, JSON, FILTER,
	  .help = "Interrupt messages that the UBox compared with its thread filter",
	  MASKS_HERE(-1,
	  U("ENABLE", 0x01, "Messages that fit the filter"),
	  U("DISABLE", 0x02, "All messages, without the filter"),
	  U("U2C_ENABLE", 0x04, "Messages from uncore to core that fit the filter"),
	  U("U2C_DISABLE", 0x08, "All messages from uncore to core, without the filter"))),
	E("EVENT_MSG", 0x42, MOST, JSON, MASKS(messages, -1),
	  .help = "Interrupt messages that the UBox received from the uncore"),
	E("U2C_EVENTS", 0x43, MOST, JSON,
	  .help = "Events that the UBox passed on to one or all cores",
	  MASKS_HERE(-1,
	  U("MONITOR_T0", 0x01, "A monitored line was written, for thread 0"),
	  U("MONITOR_T1", 0x02, "A monitored line was written, for thread 1"),
	  U("LIVELOCK", 0x04, "A livelock was seen"),
	  U("LTERROR", 0x08, "An error of the trusted-execution hardware"),
	  U("CMC", 0x10, "A corrected machine check"),
	  U("UMC", 0x20, "An uncorrected machine check"),
	  U("TRAP", 0x40, "Traps of a core"),
	  U("OTHER", 0x80, "All else, power management and thermal events among it"))),
	E("LOCK_CYCLES", 0x44, MOST, JSON, PLAIN,
	  .help = "Times a core began to lock the whole bus, for an atomic access across two cache lines"),
	E("PHOLD_CYCLES", 0x45, 1, JSON, SUMMED(phold, 0),
	  .help = "Cycles from a request to hold all processors still (PHOLD) to its acknowledgement"),
	E("RACU_REQUESTS", 0x46, MOST, JSON, PLAIN,
	  .help = "Requests to the unit that reads and writes configuration registers (RACU)"),
};

const struct cat_box ivytown_ubox = {
	.name = "ubox", .letter = "U",
	.title = "UBox: interrupts, locks, register access and the uncore clock",
	UNITS_HERE({ .base = { 0xc00 } }), ROWS, .max_inc = IVYTOWN_UBOX_MOST, IVYTOWN_UCLK,
	.space = SPACE_MSR, .width = 44, .n_counters = 2,
	IVYTOWN_CONTROL_5, .local_only = true, .has_fixed = true, .fixed_width = 48,
	.fixed_enable = BIT(22), .fixed_overflow = BIT(20), .source = "329468-002 2.2",
};

const struct cat_global ivytown_global = {
	.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 }, .name = "U_MSR_PMON_GLOBAL_CTL",
	.enable = BIT(29), .reset = BIT(31), .freeze = BIT(31), .pulse = true,
	/* an overflow that is sent on stops the counters by itself */
	.overflow_interrupts = BIT(15) - 1,
	.fields = global_fields, .n_fields = COUNT(global_fields),
};
const struct cat_overflows ivytown_overflows = { overflows, COUNT(overflows) };
