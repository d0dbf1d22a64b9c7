/* ivytown_ubox.c - UBox of the Xeon E5/E7 v2: interrupts, locks and register access between the units.
 *
 * Owns:  its registers and events, the uncore clock, the fields of the socket-wide global control.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

static const struct cat_field global_fields[] = {
	{ "frz_all", 31, 31, CAT_FIELD_PULSE, "Write 1: stop all uncore counters of the socket" },
	{ "wk_on_pmi", 30, 30, CAT_FIELD, "Wake sleeping cores before they get a PMI" },
	{ "unfrz_all", 29, 29, CAT_FIELD_PULSE, "Write 1: let the uncore counters of the socket count again" },
	{ "rsv", 28, 27, CAT_FIELD_RSV, NULL },
	{ "pmi_core_sel", 14, 0, CAT_FIELD, "Cores that get the PMI, a bit each" },
};

/* Which box a bit stands for: likwid's map; the manual names the R3QPI bits both ov_rq and ov_r3. */
static const struct cat_field global_status_fields[] = {
	{ "ov_rp", 26, 26, CAT_FIELD, "Overflow in R2PCIe; write 1 to clear" },
	{ "ov_rq", 25, 24, CAT_FIELD, "Overflow in R3QPI, bit 24 = link 0 (by likwid; open); write 1 to clear" },
	{ "ov_q", 23, 22, CAT_FIELD, "Overflow in a QPI port, bit 22 = port 0; write 1 to clear" },
	{ "ov_m", 21, 20, CAT_FIELD, "Overflow in a memory channel, bit 20 = first controller; write 1 to clear" },
	{ "ov_h", 19, 18, CAT_FIELD, "Overflow in a home agent, bit 18 = HA 0; write 1 to clear" },
	{ "ov_c", 17, 3, CAT_FIELD, "Overflow in a C-Box, bit 3 = C-Box 0; write 1 to clear" },
	{ "ov_p", 2, 2, CAT_FIELD, "Overflow in the PCU; write 1 to clear" },
	{ "ov_u", 1, 1, CAT_FIELD, "Overflow in the UBox; write 1 to clear" },
	{ "ov_uf", 0, 0, CAT_FIELD, "Overflow of the uncore clock counter; write 1 to clear" },
};

static const struct cat_field ctl_fields[] = {
	{ "thresh", 28, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field fixed_fields[] = {
	{ "en", 22, 22, CAT_FIELD, "Enables the uncore clock counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 1, 0, CAT_FIELD, "Bit n: counter n overflowed; write 1 to clear" },
};

/* Page 21 prints 64 bits for CTL1 and 32 for CTL0: both are 32. There is no box control. */
static const struct cat_reg regs[] = {
	{ .name = "U_MSR_PMON_GLOBAL_CTL", .role = CAT_GLOBAL_CTL, .access = CAT_RW, .count = 1, .bytes = 4,
	  .off = 0x00, IVYTOWN_FIELDS(global_fields), .source = "329468-002 Table 2-2" },
	{ .name = "U_MSR_PMON_GLOBAL_STATUS", .role = CAT_GLOBAL_STATUS, .access = CAT_W1C, .count = 1,
	  .bytes = 4, .off = 0x01, IVYTOWN_FIELDS(global_status_fields), .source = "329468-002 p 18, likwid" },
	{ .name = "U_MSR_PMON_GLOBAL_CONFIG", .role = CAT_OTHER, .access = CAT_RO, .count = 1, .bytes = 4,
	  .off = 0x06, .source = "329468-002 p 18" },
	{ .name = "U_MSR_PMON_UCLK_FIXED_CTL", .role = CAT_FIXED_CTL, .access = CAT_RW, .count = 1, .bytes = 4,
	  .off = 0x08, IVYTOWN_FIELDS(fixed_fields), .source = "329468-002 p 21, 327043-001 Table 2-4" },
	{ .name = "U_MSR_PMON_UCLK_FIXED_CTR", .role = CAT_FIXED_CTR, .access = CAT_RW, .count = 1, .bytes = 8,
	  .off = 0x09, IVYTOWN_FIELDS(ivytown_ctr48_fields), .source = "329468-002 p 21" },
	{ .name = "U_MSR_PMON_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = 2, .bytes = 4, .step = 1,
	  .off = 0x10, IVYTOWN_FIELDS(ctl_fields), .source = "329468-002 p 21" },
	{ .name = "U_MSR_PMON_BOX_STATUS", .role = CAT_STATUS, .access = CAT_W1C, .count = 2, .bytes = 4,
	  .off = 0x15, IVYTOWN_FIELDS(status_fields), .source = "329468-002 p 21" },
	{ .name = "U_MSR_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .count = 2, .bytes = 8, .step = 1,
	  .off = 0x16, IVYTOWN_FIELDS(ivytown_ctr44_fields), .source = "329468-002 p 21" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xc00 } },
};

/* ------------------------------------------------------------------ who is told of an overflow */

#define OV(box_, unit_, count_, bit) \
	{ .box = (box_), .unit = (unit_), .count = (count_), .global = BIT(bit), .source = "329468-002 p 18, likwid" }

/* No source has a bit for the IRP, nor for the third QPI link. The C-Boxes have no status register of their own. */
static const struct cat_overflow overflows[] = {
	OV("ubox", 0, 0, 0), OV("ubox", 0, 2, 1), OV("pcu", 0, 4, 2),
	OV("cbox", 0, 4, 3), OV("cbox", 1, 4, 4), OV("cbox", 2, 4, 5), OV("cbox", 3, 4, 6), OV("cbox", 4, 4, 7),
	OV("cbox", 5, 4, 8), OV("cbox", 6, 4, 9), OV("cbox", 7, 4, 10), OV("cbox", 8, 4, 11), OV("cbox", 9, 4, 12),
	OV("cbox", 10, 4, 13), OV("cbox", 11, 4, 14), OV("cbox", 12, 4, 15), OV("cbox", 13, 4, 16), OV("cbox", 14, 4, 17),
	OV("ha", 0, 4, 18), OV("ha", 1, 4, 19),
	OV("imc", 0, 4, 20), OV("imc", 1, 4, 20), OV("imc", 2, 4, 20), OV("imc", 3, 4, 20),
	OV("imc", 4, 4, 21), OV("imc", 5, 4, 21), OV("imc", 6, 4, 21), OV("imc", 7, 4, 21),
	OV("qpi", 0, 4, 22), OV("qpi", 1, 4, 23), OV("r3qpi", 0, 3, 24), OV("r3qpi", 1, 3, 25), OV("r2pcie", 0, 4, 26),
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_UBOX_MOST
#define FILTER .note = "Intel's event file names a filter register whose place no source gives: it stays as it is"

static const struct cat_umask messages[] = {
	{ .name = "VLW_RCVD", .value = 0x01, .help = "Legacy interrupt wires, sent as messages (VLW)" },
	{ .name = "MSI_RCVD", .value = 0x02, .help = "Message-signalled interrupts (MSI) of devices" },
	{ .name = "IPI_RCVD", .value = 0x04, .help = "Interrupts from one core to another (IPI)" },
	{ .name = "DOORBELL_RCVD", .value = 0x08, .help = "Doorbells" },
	{ .name = "INT_PRIO", .value = 0x10, .help = "Updates of interrupt priorities" },
};

static const struct cat_umask filter_match[] = {
	{ .name = "ENABLE", .value = 0x01, .help = "Messages that fit the filter" },
	{ .name = "DISABLE", .value = 0x02, .help = "All messages, without the filter" },
	{ .name = "U2C_ENABLE", .value = 0x04, .help = "Messages from uncore to core that fit the filter" },
	{ .name = "U2C_DISABLE", .value = 0x08, .help = "All messages from uncore to core, without the filter" },
};

static const struct cat_umask to_core[] = {
	{ .name = "MONITOR_T0", .value = 0x01, .help = "A monitored line was written, for thread 0" },
	{ .name = "MONITOR_T1", .value = 0x02, .help = "A monitored line was written, for thread 1" },
	{ .name = "LIVELOCK", .value = 0x04, .help = "A livelock was seen" },
	{ .name = "LTERROR", .value = 0x08, .help = "An error of the trusted-execution hardware" },
	{ .name = "CMC", .value = 0x10, .help = "A corrected machine check" },
	{ .name = "UMC", .value = 0x20, .help = "An uncorrected machine check" },
	{ .name = "TRAP", .value = 0x40, .help = "Traps of a core" },
	{ .name = "OTHER", .value = 0x80, .help = "All else, power management and thermal events among it" },
};

/* libpfm4's ACK_TO_DEASSERT is left out: it has the value of ASSERT_TO_ACK and so counts nothing else. */
static const struct cat_umask phold[] = {
	{ .name = "ASSERT_TO_ACK", .value = 0x01 },
};

static const struct cat_event events[] = {
	{ .name = "UCLK", .fixed = true, IVYTOWN_CLOCK, .source = "329468-002 2.2.2, p 21",
	  .help = "Cycles of the uncore clock, on the counter made for it" },
	{ .name = "CLOCKTICKS", .code = 0x00, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the uncore clock, on a general counter" },
	{ .name = "FILTER_MATCH", .code = 0x41, .max_inc = MOST, IVYTOWN_MASKS(filter_match, -1), FILTER,
	  .source = IVYTOWN_JSON,
	  .help = "Interrupt messages that the UBox compared with its thread filter" },
	{ .name = "EVENT_MSG", .code = 0x42, .max_inc = MOST, IVYTOWN_MASKS(messages, -1), .source = IVYTOWN_JSON,
	  .help = "Interrupt messages that the UBox received from the uncore" },
	{ .name = "U2C_EVENTS", .code = 0x43, .max_inc = MOST, IVYTOWN_MASKS(to_core, -1), .source = IVYTOWN_JSON,
	  .help = "Events that the UBox passed on to one or all cores" },
	{ .name = "LOCK_CYCLES", .code = 0x44, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Times a core began to lock the whole bus, for an atomic access across two cache lines" },
	{ .name = "PHOLD_CYCLES", .code = 0x45, IVYTOWN_CYCLES, IVYTOWN_MASKS(phold, 0), .source = IVYTOWN_JSON,
	  .help = "Cycles from a request to hold all processors still (PHOLD) to its acknowledgement" },
	{ .name = "RACU_REQUESTS", .code = 0x46, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Requests to the unit that reads and writes configuration registers (RACU)" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_ubox = {
	.name = "ubox", .letter = "U", .title = "UBox: interrupts, locks, register access and the uncore clock",
	UNITS(units), ROWS, .max_inc = IVYTOWN_UBOX_MOST, IVYTOWN_UCLK, .space = SPACE_MSR, .width = 44, .n_counters = 2,
	IVYTOWN_CONTROL_5, .local_only = true, .has_fixed = true, .fixed_width = 48,
	.fixed_enable = BIT(22), .fixed_overflow = BIT(20), .source = "329468-002 2.2",
};

/* ------------------------------------------------------------------ the socket */

const struct cat_global ivytown_global = {
	.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 }, .name = "U_MSR_PMON_GLOBAL_CTL",
	.enable = BIT(29), .reset = BIT(31), .freeze = BIT(31), .pulse = true,
	.overflow_interrupts = BIT(15) - 1,      /* an overflow that is sent on stops the counters by itself */
	.fields = global_fields, .n_fields = COUNT(global_fields),
};
const struct cat_overflows ivytown_overflows = { overflows, COUNT(overflows) };
