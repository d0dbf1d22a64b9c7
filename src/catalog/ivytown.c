/* ivytown.c - Intel Xeon E5 v2 and E7 v2 (Ivytown): the processor, its boxes and its ready-made groups.
 *
 * Owns:  what holds for a whole box or the whole socket, and the register fields that boxes share.
 * Never: single registers and events (ivytown_*.c).
 * Pure data; any thread.
 *
 * There is no enable of a box or of the socket, only stops: freeze bits in a box control, and one write
 * to the UBox that stops or starts all. Overflows are not reported while ov_en is 0, which polling needs:
 * with it the first 44-bit counter that wraps would stop the whole socket.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ shared register fields */

/* 17:16: the manual (QPI, Table 2-129) wants ones, the kernel writes zeros and works too. */
const struct cat_field ivytown_box_fields[] = {
	{ "rsv", 17, 16, CAT_FIELD_PULSE, "Reserved: software writes 1" },
	{ "frz", 8, 8, CAT_FIELD, "Stops all counters of the box" },
	{ "rst_ctrs", 1, 1, CAT_FIELD_PULSE, "Write 1: set the counters to 0" },
	{ "rst_ctrl", 0, 0, CAT_FIELD_PULSE, "Write 1: set the control registers to 0" },
};

const struct cat_field ivytown_status_fields[] = {
	{ "ov", 3, 0, CAT_FIELD, "Bit n: counter n overflowed; write 1 to clear" },
};

const struct cat_field ivytown_ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

const struct cat_umask ivytown_ring[] = {
	IVYTOWN_RING_VR("CW", "Clockwise", 0),
	IVYTOWN_RING_VR("CCW", "Counterclockwise", 2),
	{ .name = "CW", .value = 0x33, .help = "Clockwise on both virtual rings" },
	{ .name = "CCW", .value = 0xcc, .help = "Counterclockwise on both virtual rings" },
};

const struct cat_umask ivytown_ring_iv[] = {
	{ .name = "ANY", .value = 0xff, .help = "Any direction" },
	{ .name = "CW", .value = 0x33, .help = "Clockwise" },
	{ .name = "CCW", .value = 0xcc, .help = "Counterclockwise" },
};

const struct cat_umask ivytown_rings[] = {
	{ .name = "AD", .value = 0x01, .help = "Address ring" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring" },
	{ .name = "BL", .value = 0x04, .help = "Data ring" },
};

const struct cat_field ivytown_ctr44_fields[] = {
	{ "event_count", 43, 0, CAT_FIELD, "The count" },
};

const struct cat_field ivytown_ctr48_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

/* ------------------------------------------------------------------ boxes */

/* Highest clocks. No manual bounds the uncore's, which follows the cores': 4.0 GHz is the fastest turbo of
 * the family (E5-2687W v2); a bound that is too high costs nothing but some safe interval. The PCU runs at a
 * fixed 800 MHz. DDR3-1867 has a DRAM clock of 933 MHz (329468-002 2.5.2), the link of the E7 v2 to its
 * memory buffers transfers up to 2667 MT/s, at 1333 MHz. QPI: an eighth of 8.0 GT/s. */
#define UCLK_HZ INT64_C(4000000000)
#define PCLK_HZ 800000000
#define DCLK_HZ 1333333334
#define QCLK_HZ 1000000000

#define PIECES(box, BOX) \
	.units = ivytown_##box##_units, .n_units = COUNT(ivytown_##box##_units), \
	.regs = ivytown_##box##_regs, .n_regs = COUNT(ivytown_##box##_regs), \
	.events = ivytown_##box##_events, .n_events = COUNT(ivytown_##box##_events), \
	.max_inc = IVYTOWN_##BOX##_MOST
#define FROZEN .box_freeze = BIT(8), .box_always = BIT(17) | BIT(16)
#define UCLK   .clock = "ubox/UCLK", .max_hz = UCLK_HZ
#define CONTROL_5 \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 28, 24 }, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .ctl_overflow = BIT(20)
#define CONTROL_8 \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .ctl_overflow = BIT(20)

static const char *const links[] = { "qpi0", "qpi1", "qpi2" };

static const struct cat_box boxes[] = {
	{ .name = "ubox", .letter = "U", .title = "UBox: interrupts, locks, register access and the uncore clock",
	  PIECES(ubox, UBOX), UCLK, .space = SPACE_MSR, .width = 44, .n_counters = 2, CONTROL_5, .local_only = true,
	  .has_fixed = true, .fixed_width = 48, .fixed_enable = BIT(22), .fixed_overflow = BIT(20), .source = "329468-002 2.2" },
	{ .name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache", PIECES(cbox, CBOX), UCLK,
	  .space = SPACE_MSR, .width = 44, .n_counters = 4, CONTROL_8, FROZEN, .source = "329468-002 2.3" },
	{ .name = "pcu", .letter = "P", .title = "PCU: power control unit", PIECES(pcu, PCU),
	  .clock = "pcu/CLOCKTICKS", .max_hz = PCLK_HZ,
	  .space = SPACE_MSR, .width = 48, .n_counters = 4, CONTROL_5, FROZEN, .source = "329468-002 2.7" },
	{ .name = "ha", .letter = "H", .title = "HA: home agent of one memory controller", PIECES(ha, HA), UCLK,
	  .space = SPACE_PCI, .width = 48, .n_counters = 4, CONTROL_8, FROZEN, .source = "329468-002 2.4" },
	{ .name = "imc", .letter = "M", .title = "iMC: memory channel", PIECES(imc, IMC),
	  .clock = "imc/DCLK", .max_hz = DCLK_HZ,
	  .space = SPACE_PCI, .width = 48, .n_counters = 4, CONTROL_8, FROZEN,
	  .has_fixed = true, .fixed_enable = BIT(22), .source = "329468-002 2.5" },
	{ .name = "irp", .letter = "I", .title = "IRP: coherence of I/O requests", PIECES(irp, IRP),
	  .clock = "irp/CLOCKTICKS", .max_hz = UCLK_HZ,
	  .space = SPACE_PCI, .width = 48, .n_counters = 4, CONTROL_8, FROZEN,
	  .source = "329468-002 2.6, kernel uncore_snbep (48 bits; likwid: 44)" },
	{ .name = "qpi", .letter = "Q", .title = "QPI: link layer of a QPI link", PIECES(qpi, QPI), .links = links,
	  .clock = "qpi/CLOCKTICKS", .max_hz = QCLK_HZ,
	  .space = SPACE_PCI, .width = 48, .n_counters = 4, CONTROL_8, FROZEN, .source = "329468-002 2.8" },
	{ .name = "r2pcie", .letter = "R2", .title = "R2PCIe: between the ring and the I/O unit",
	  PIECES(r2pcie, R2PCIE), UCLK, .space = SPACE_PCI, .width = 44, .n_counters = 4, CONTROL_8, FROZEN, .source = "329468-002 2.9" },
	{ .name = "r3qpi", .letter = "R3", .title = "R3QPI: between the ring and a QPI link",
	  PIECES(r3qpi, R3QPI), UCLK, .links = links,
	  .space = SPACE_PCI, .width = 44, .n_counters = 3, CONTROL_8, FROZEN, .source = "329468-002 2.10" },
};

/* ------------------------------------------------------------------ the socket */

static const struct cat_constant constants[] = {
	{ .name = "link_bytes", .box = "qpi", .id = IVYTOWN_QPI_RATE, .hi = 2, .lo = 0,
	  .base = 8e9, .step = 1.6e9, .unknown = 0,
	  .help = "Bytes of flits that the QPI link can carry in one direction: 2 per transfer",
	  .source = "329468-002 Table 2-138, pcm" },
};

/* One round, and with everything that the daemon says about a socket under 100 series: 23 counts, a validity
 * each, 26 derived values, where all 8 channels and all 3 links exist. */
static const struct cat_group groups[] = {
	{ "memory", (const char *const[]){
		"imc/CAS_COUNT:RD", "imc/CAS_COUNT:WR",
		NULL } },
	{ "links", (const char *const[]){
		"ubox/UCLK",
		"qpi/TXL_FLITS_G0:DATA", "qpi/TXL_FLITS_G0:NON_DATA",
		NULL } },
};

static const struct cat_id ids[] = {
	{ 6, 0x3e },
};

const struct cat_processor cat_ivytown = {
	.name = "ivytown",
	.title = "Intel Xeon E5 v2, E7 v2 (Ivytown)",
	.ids = ids, .n_ids = COUNT(ids),
	.cores = 15,
	.anchor = { .vendor = 0x8086, .device = 0x0e1e, .node = 0x40, .map = 0x54 },      /* kernel uncore_snbep */
	.global = {
		.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 },
		.name = "U_MSR_PMON_GLOBAL_CTL",
		.enable = BIT(29), .reset = BIT(31), .freeze = BIT(31), .pulse = true,
		.overflow_interrupts = BIT(15) - 1,      /* an overflow that is sent on stops the counters by itself */
		.fields = ivytown_global_fields, .n_fields = COUNT(ivytown_global_fields),
	},
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = ivytown_metrics, .n_metrics = COUNT(ivytown_metrics),
	.constants = constants, .n_constants = COUNT(constants),
	.overflows = ivytown_overflows, .n_overflows = COUNT(ivytown_overflows),
	.groups = groups, .n_groups = COUNT(groups),
	.source = "329468-002, Intel ivytown_uncore event file V24, kernel uncore_snbep, likwid, pcm, libpfm4",
};
