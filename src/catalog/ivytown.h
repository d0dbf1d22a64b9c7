/* ivytown.h - what the files of the Xeon E5/E7 v2 (Ivytown) give each other; private to the room.
 *
 * Owns:  the boxes' names, what several boxes have in common: clocks, control words, fields, unit masks.
 * Never: anything that another processor needs.
 *
 * Names, codes and unit masks are those of Intel's event file; where libpfm4 or the kernel's driver say
 * something else, the row is marked disputed or says so.
 */
#ifndef CATALOG_IVYTOWN_H
#define CATALOG_IVYTOWN_H

#include "catalog/rows.h"

/* Largest increment per cycle of a box, which its events have whose own no source gives. UBox and PCU: the
 * largest that their 5-bit threshold can ask for (the PCU counts up to 15 cores; the manual's 8, p 129, is
 * the generation before). C-Box: entries of its largest queue, the TOR (p 51). HA: those of the backup
 * tracker (p 61). iMC, R3QPI: 8 bits per cycle (2.5.3, 2.10.2). IRP, QPI, R2PCIe: no source, so what their
 * 8-bit threshold can ask for (the manual's largest single ones are 128). */
enum {
	IVYTOWN_UBOX_MOST = 31, IVYTOWN_CBOX_MOST = 20, IVYTOWN_PCU_MOST = 31, IVYTOWN_HA_MOST = 512,
	IVYTOWN_IMC_MOST = 255, IVYTOWN_IRP_MOST = 255, IVYTOWN_QPI_MOST = 255, IVYTOWN_R2PCIE_MOST = 255,
	IVYTOWN_R3QPI_MOST = 255,
};

/* Highest clocks. No manual bounds the uncore's, which follows the cores': 4.0 GHz is the fastest turbo of
 * the family (E5-2687W v2); a bound that is too high costs nothing but some safe interval. The PCU runs at a
 * fixed 800 MHz. DDR3-1867 has a DRAM clock of 933 MHz (329468-002 2.5.2), the link of the E7 v2 to its
 * memory buffers transfers up to 2667 MT/s, at 1333 MHz. QPI: an eighth of 8.0 GT/s. */
#define IVYTOWN_UCLK_HZ INT64_C(4000000000)
#define IVYTOWN_PCLK_HZ 800000000
#define IVYTOWN_DCLK_HZ 1333333334
#define IVYTOWN_QCLK_HZ 1000000000

#define IVYTOWN_FROZEN .box_freeze = BIT(8), .box_always = BIT(17) | BIT(16)
#define IVYTOWN_UCLK   .clock = "ubox/UCLK", .max_hz = IVYTOWN_UCLK_HZ
#define IVYTOWN_CONTROL_5 \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 28, 24 }, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .ctl_overflow = BIT(20)
#define IVYTOWN_CONTROL_8 \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .ctl_overflow = BIT(20)

enum { IVYTOWN_QPI_RATE = 5 };      /* id of the QPI ports' rate register, which a constant reads */

extern const struct cat_box ivytown_ubox, ivytown_cbox, ivytown_pcu, ivytown_ha, ivytown_imc, ivytown_irp,
	ivytown_qpi, ivytown_r2pcie, ivytown_r3qpi;
extern const struct cat_global ivytown_global;
extern const struct cat_overflows ivytown_overflows;
extern const struct cat_metrics ivytown_metrics;
extern const struct cat_processor cat_ivytown;
extern const char *const ivytown_links[];       /* of each QPI port */

/* ------------------------------------------------------------------ what boxes have in common */

/* 17:16: the manual (QPI, Table 2-129) wants ones, the kernel writes zeros and works too. */
static const struct cat_field ivytown_box_fields[] = {
	{ "rsv", 17, 16, CAT_FIELD_PULSE, "Reserved: software writes 1" },
	{ "frz", 8, 8, CAT_FIELD, "Stops all counters of the box" },
	{ "rst_ctrs", 1, 1, CAT_FIELD_PULSE, "Write 1: set the counters to 0" },
	{ "rst_ctrl", 0, 0, CAT_FIELD_PULSE, "Write 1: set the control registers to 0" },
};

static const struct cat_field ivytown_status_fields[] = {
	{ "ov", 3, 0, CAT_FIELD, "Bit n: counter n overflowed; write 1 to clear" },
};

static const struct cat_field ivytown_ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field ivytown_ctr44_fields[] = {
	{ "event_count", 43, 0, CAT_FIELD, "The count" },
};

static const struct cat_field ivytown_ctr48_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

#define IVYTOWN_FIELDS(f) .fields = (f), .n_fields = COUNT(f)

/* A counting device in PCI configuration space, prefix_PCI_PMON_*: the order that all but IRP have. */
#define IVYTOWN_PCI_BOX(prefix, n, src) \
	{ .name = prefix "_PCI_PMON_BOX_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = (n), .bytes = 4, \
	  .off = 0xf4, IVYTOWN_FIELDS(ivytown_box_fields), .source = src }, \
	{ .name = prefix "_PCI_PMON_BOX_STATUS", .role = CAT_STATUS, .access = CAT_W1C, .count = (n), .bytes = 4, \
	  .off = 0xf8, IVYTOWN_FIELDS(ivytown_status_fields), .source = src }
#define IVYTOWN_PCI_CTL(prefix, n, f, src) \
	{ .name = prefix "_PCI_PMON_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = (n), .bytes = 4, \
	  .step = 4, .off = 0xd8, IVYTOWN_FIELDS(f), .source = src }
#define IVYTOWN_PCI_CTR(prefix, n, f, src) \
	{ .name = prefix "_PCI_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .count = (n), .bytes = 8, \
	  .step = 8, .off = 0xa0, IVYTOWN_FIELDS(f), .source = src }

#define IVYTOWN_JSON "Intel ivytown_uncore event file V24"
#define IVYTOWN_MANUAL "Intel ivytown_uncore event file V24, 329468-002"
#define IVYTOWN_PFM4 "libpfm4 intel_ivbep_unc"

/* Slots of a ring in one direction. libpfm4 repeats the values of ring 0 for ring 1: a slip. */
#define IVYTOWN_RING_VR(DIR, dir, up) \
	{ .name = DIR "_VR0_EVEN", .value = 0x01 << (up), .help = dir ", even slots of virtual ring 0" }, \
	{ .name = DIR "_VR0_ODD", .value = 0x02 << (up), .help = dir ", odd slots of virtual ring 0" }, \
	{ .name = DIR "_VR1_EVEN", .value = 0x10 << (up), .help = dir ", even slots of virtual ring 1" }, \
	{ .name = DIR "_VR1_ODD", .value = 0x20 << (up), .help = dir ", odd slots of virtual ring 1" }

/* What several boxes have: slots of their rings, directions of the invalidate ring, the rings themselves. */
static const struct cat_umask ivytown_ring[] = {
	IVYTOWN_RING_VR("CW", "Clockwise", 0),
	IVYTOWN_RING_VR("CCW", "Counterclockwise", 2),
	{ .name = "CW", .value = 0x33, .help = "Clockwise on both virtual rings" },
	{ .name = "CCW", .value = 0xcc, .help = "Counterclockwise on both virtual rings" },
};

static const struct cat_umask ivytown_ring_iv[] = {
	{ .name = "ANY", .value = 0xff, .help = "Any direction" },
	{ .name = "CW", .value = 0x33, .help = "Clockwise" },
	{ .name = "CCW", .value = 0xcc, .help = "Counterclockwise" },
};

static const struct cat_umask ivytown_rings[] = {
	{ .name = "AD", .value = 0x01, .help = "Address ring" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring" },
	{ .name = "BL", .value = 0x04, .help = "Data ring" },
};

/* Unit masks are bits; how their increments add up: once a cycle each, or up to the box's maximum. */
#define IVYTOWN_MASKS(m, d) .combine = CAT_UMASK_BITS, .umasks = (m), .n_umasks = COUNT(m), .dflt = (d)
#define IVYTOWN_ONE(m, d) .combine = CAT_UMASK_ONE, .umasks = (m), .n_umasks = COUNT(m), .dflt = (d)
#define IVYTOWN_CYCLES .max_inc = 1, .adds = CAT_ADDS    /* a condition that holds in a cycle or does not */
#define IVYTOWN_CLOCK .max_inc = 1, .dflt = -1, .always_runs = true
#define IVYTOWN_EXT .ctl = BIT(21)                       /* event select extension */

#define IVYTOWN_BARE \
	.note = "Listed with unit masks and without one; without, the unit mask field is 0 and what is " \
		"counted is not described"

#endif
