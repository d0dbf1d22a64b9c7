/* SPDX-License-Identifier: MIT
 * What the files of the Xeon E5/E7 v2 (Ivytown) give each other; private to the room.
 *
 * Owns:  the boxes' names, what several boxes have in common: clocks, control words, fields, unit
 *        masks.
 * Never: anything that another processor needs.
 *
 * Names, codes and unit masks are those of Intel's event file; where libpfm4 or the kernel's driver
 * say something else, the row is marked disputed or says so.
 */
#ifndef CATALOG_TABLES_IVYTOWN_H
#define CATALOG_TABLES_IVYTOWN_H

#include "catalog/tables/rows.h"

/* Largest increment per cycle of a box, which its events have whose own no source gives. UBox and
 * PCU: the largest that their 5-bit threshold can ask for (the PCU counts up to 15 cores; the
 * manual's 8, p 129, is the generation before). C-Box: entries of its largest queue, the TOR (p
 * 51). HA: those of the backup tracker (p 61). iMC, R3QPI: 8 bits per cycle (2.5.3, 2.10.2). IRP,
 * QPI, R2PCIe: no source, so what their 8-bit threshold can ask for (the manual's largest single
 * ones are 128). */
enum {
	IVYTOWN_UBOX_MOST = 31, IVYTOWN_CBOX_MOST = 20, IVYTOWN_PCU_MOST = 31,
		IVYTOWN_HA_MOST = 512,
	IVYTOWN_IMC_MOST = 255, IVYTOWN_IRP_MOST = 255, IVYTOWN_QPI_MOST = 255,
	IVYTOWN_R2PCIE_MOST = 255,
	IVYTOWN_R3QPI_MOST = 255,
};

/* Highest clocks. No manual bounds the uncore's, which follows the cores': 4.0 GHz is the fastest
 * turbo of the family (E5-2687W v2); a bound that is too high costs nothing but some safe interval.
 * The PCU runs at a fixed 800 MHz. DDR3-1867 has a DRAM clock of 933 MHz (329468-002 2.5.2), the
 * link of the E7 v2 to its memory buffers transfers up to 2667 MT/s, at 1333 MHz. QPI: an eighth of
 * 8.0 GT/s. */
#define IVYTOWN_UCLK_HZ INT64_C(4000000000)
#define IVYTOWN_PCLK_HZ 800000000
#define IVYTOWN_DCLK_HZ 1333333334
#define IVYTOWN_QCLK_HZ 1000000000

/* What freezes and unfreezes all does not read back. */
#define IVYTOWN_FROZEN .box_freeze = BIT(8), .box_always = BIT(17) | BIT(16)
#define IVYTOWN_UCLK   .clock = "ubox/UCLK", .max_hz = IVYTOWN_UCLK_HZ
#define IVYTOWN_CONTROL_5 .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 28, 24 }, \
	.edge = { 18, 18 }, .invert = CAT_NONE, .enable = { 22, 22 }, .occ_reset = CAT_NONE, \
	.ctl_overflow = BIT(20)
#define IVYTOWN_CONTROL_8 .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, \
	.edge = { 18, 18 }, .invert = CAT_NONE, .enable = { 22, 22 }, .occ_reset = CAT_NONE, \
	.ctl_overflow = BIT(20)

enum { IVYTOWN_QPI_RATE = 5 };      /* id of the QPI ports' rate register, which a constant reads */

extern const struct cat_box ivytown_ubox, ivytown_cbox, ivytown_pcu, ivytown_ha, ivytown_imc,
	ivytown_irp,
	ivytown_qpi, ivytown_r2pcie, ivytown_r3qpi;
extern const struct cat_global ivytown_global;
extern const struct cat_overflows ivytown_overflows;
extern const struct cat_metrics ivytown_metrics;
extern const struct cat_processor cat_ivytown;
extern const char *const ivytown_links[];       /* of each QPI port */

/* ------------------------------------------------------------------ what boxes have in common */

/* 17:16: the manual (QPI, Table 2-129) wants ones, the kernel writes zeros and works too. */
static const struct cat_field ivytown_box_fields[] = {
	PULSE("rsv", 17, 16, "Reserved: software writes 1"),
	F("frz", 8, 8, "Stops all counters of the box"),
	PULSE("rst_ctrs", 1, 1, "Write 1: set the counters to 0"),
	PULSE("rst_ctrl", 0, 0, "Write 1: set the control registers to 0"),
};

static const struct cat_field ivytown_status_fields[] = {
	F("ov", 3, 0, "Bit n: counter n overflowed; write 1 to clear"),
};

/* Fields of a control register, from the top: boxes have others between these. */
#define IVYTOWN_THRESH(hi) \
	F("thresh", hi, 24, "If not 0: count 1 in each cycle whose increment is at least this")
#define IVYTOWN_EN    F("en", 22, 22, "Enables this counter")
#define IVYTOWN_OV_EN F("ov_en", 20, 20, "Reports an overflow, which stops the socket's counters")
#define IVYTOWN_EDGE_RST \
	F("edge_det", 18, 18, "Counts changes from 0 to 1; needs a threshold"), \
	PULSE("rst", 17, 17, "Sets the counter to 0")
#define IVYTOWN_EV_SEL    F("ev_sel", 7, 0, "Event")
#define IVYTOWN_SELECTION F("umask", 15, 8, "Sub-events"), IVYTOWN_EV_SEL

static const struct cat_field ivytown_ctl_fields[] = {
	IVYTOWN_THRESH(31), IVYTOWN_EN, IVYTOWN_OV_EN, IVYTOWN_EDGE_RST, IVYTOWN_SELECTION,
};

static const struct cat_field ivytown_ctr44_fields[] = { F("event_count", 43, 0, "The count") };
static const struct cat_field ivytown_ctr48_fields[] = { F("event_count", 47, 0, "The count") };

/* A counting device in PCI configuration space, prefix_PCI_PMON_*: the order that all but IRP
 * have. */
#define IVYTOWN_PCI_BOX(prefix, n, src) \
	R(prefix "_PCI_PMON_BOX_CTL", BOX_CTL, RW, n, 4, 0xf4, src, FIELDS(ivytown_box_fields)), \
	R(prefix "_PCI_PMON_BOX_STATUS", STATUS, W1C, n, 4, 0xf8, src, FIELDS(ivytown_status_fields))
#define IVYTOWN_PCI_CTL(prefix, n, f, src) \
	R(prefix "_PCI_PMON_CTL%n", CTL, RW, n, 4, 0xd8, src, .step = 4, FIELDS(f))
#define IVYTOWN_PCI_CTR(prefix, n, f, src) \
	R(prefix "_PCI_PMON_CTR%n", CTR, RW, n, 8, 0xa0, src, .step = 8, FIELDS(f))

#define JSON "Intel ivytown_uncore event file V24"
#define MANUAL "Intel ivytown_uncore event file V24, 329468-002"
#define LIBPFM4 "libpfm4 intel_ivbep_unc"

/* Slots of a ring in one direction. libpfm4 repeats the values of ring 0 for ring 1: a slip. */
#define IVYTOWN_RING_VR(DIR, dir, up) \
	U(DIR "_VR0_EVEN", 0x01 << (up), dir ", even slots of virtual ring 0"), \
	U(DIR "_VR0_ODD", 0x02 << (up), dir ", odd slots of virtual ring 0"), \
	U(DIR "_VR1_EVEN", 0x10 << (up), dir ", even slots of virtual ring 1"), \
	U(DIR "_VR1_ODD", 0x20 << (up), dir ", odd slots of virtual ring 1")

/* What several boxes have: slots of their rings, directions of the invalidate ring, the rings
 * themselves. */
static const struct cat_umask ivytown_ring[] = {
	IVYTOWN_RING_VR("CW", "Clockwise", 0),
	IVYTOWN_RING_VR("CCW", "Counterclockwise", 2),
	U("CW", 0x33, "Clockwise on both virtual rings"),
	U("CCW", 0xcc, "Counterclockwise on both virtual rings"),
};

static const struct cat_umask ivytown_ring_iv[] = {
	U("ANY", 0xff, "Any direction"),
	U("CW", 0x33, "Clockwise"),
	U("CCW", 0xcc, "Counterclockwise"),
};

static const struct cat_umask ivytown_rings[] = {
	U("AD", 0x01, "Address ring"),
	U("AK", 0x02, "Acknowledge ring"),
	U("BL", 0x04, "Data ring"),
};

#define CLOCK       PLAIN, .always_runs = true
#define IVYTOWN_EXT .ctl = BIT(21)      /* event select extension */
#define IVYTOWN_BARE .bare = true, \
	.note = "Listed with unit masks and without one; without, the unit mask field is 0 and " \
		"what is counted is not described"

#endif
