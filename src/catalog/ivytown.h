/* ivytown.h - the pieces of the Xeon E5/E7 v2 tables that ivytown.c puts together.
 *
 * Owns:  the names and lengths of the arrays that each box file defines, what its boxes have in common.
 * Never: anything that another processor needs.
 *
 * A box file includes this header and defines its arrays with []. A length below that of its rows is a
 * compiler warning, one above it leaves rows without name or source, which catalog_check() refuses.
 *
 * Names, codes and unit masks are those of Intel's event file; where libpfm4 or the kernel's driver say
 * something else, the row is marked disputed or says so.
 */
#ifndef CATALOG_IVYTOWN_H
#define CATALOG_IVYTOWN_H

#include "catalog/rows.h"

/* Rows of each array. */
enum {
	IVYTOWN_UBOX_EVENTS = 8, IVYTOWN_UBOX_REGS = 8, IVYTOWN_UBOX_UNITS = 1,
	IVYTOWN_CBOX_EVENTS = 25, IVYTOWN_CBOX_REGS = 5, IVYTOWN_CBOX_UNITS = 15,
	IVYTOWN_PCU_EVENTS = 71, IVYTOWN_PCU_REGS = 7, IVYTOWN_PCU_UNITS = 1,
	IVYTOWN_HA_EVENTS = 53, IVYTOWN_HA_REGS = 7, IVYTOWN_HA_UNITS = 2,
	IVYTOWN_IMC_EVENTS = 46, IVYTOWN_IMC_REGS = 6, IVYTOWN_IMC_UNITS = 8,
	IVYTOWN_IRP_EVENTS = 27, IVYTOWN_IRP_REGS = 5, IVYTOWN_IRP_UNITS = 1,
	IVYTOWN_QPI_EVENTS = 63, IVYTOWN_QPI_REGS = 9, IVYTOWN_QPI_UNITS = 3,
	IVYTOWN_R2PCIE_EVENTS = 16, IVYTOWN_R2PCIE_REGS = 4, IVYTOWN_R2PCIE_UNITS = 1,
	IVYTOWN_R3QPI_EVENTS = 29, IVYTOWN_R3QPI_REGS = 4, IVYTOWN_R3QPI_UNITS = 3,
	IVYTOWN_GLOBAL_FIELDS = 5, IVYTOWN_OVERFLOWS = 33,
	IVYTOWN_BOX_FIELDS = 4, IVYTOWN_STATUS_FIELDS = 1, IVYTOWN_CTL_FIELDS = 7, IVYTOWN_CTR_FIELDS = 1,
	IVYTOWN_METRICS = 102,
};

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

enum { IVYTOWN_QPI_RATE = 5 };      /* id of the QPI ports' rate register, which a constant reads */

extern const struct cat_event ivytown_ubox_events[IVYTOWN_UBOX_EVENTS];
extern const struct cat_event ivytown_cbox_events[IVYTOWN_CBOX_EVENTS];
extern const struct cat_event ivytown_pcu_events[IVYTOWN_PCU_EVENTS];
extern const struct cat_event ivytown_ha_events[IVYTOWN_HA_EVENTS];
extern const struct cat_event ivytown_imc_events[IVYTOWN_IMC_EVENTS];
extern const struct cat_event ivytown_irp_events[IVYTOWN_IRP_EVENTS];
extern const struct cat_event ivytown_qpi_events[IVYTOWN_QPI_EVENTS];
extern const struct cat_event ivytown_r2pcie_events[IVYTOWN_R2PCIE_EVENTS];
extern const struct cat_event ivytown_r3qpi_events[IVYTOWN_R3QPI_EVENTS];

extern const struct cat_reg ivytown_ubox_regs[IVYTOWN_UBOX_REGS];
extern const struct cat_reg ivytown_cbox_regs[IVYTOWN_CBOX_REGS];
extern const struct cat_reg ivytown_pcu_regs[IVYTOWN_PCU_REGS];
extern const struct cat_reg ivytown_ha_regs[IVYTOWN_HA_REGS];
extern const struct cat_reg ivytown_imc_regs[IVYTOWN_IMC_REGS];
extern const struct cat_reg ivytown_irp_regs[IVYTOWN_IRP_REGS];
extern const struct cat_reg ivytown_qpi_regs[IVYTOWN_QPI_REGS];
extern const struct cat_reg ivytown_r2pcie_regs[IVYTOWN_R2PCIE_REGS];
extern const struct cat_reg ivytown_r3qpi_regs[IVYTOWN_R3QPI_REGS];

extern const struct cat_unit ivytown_ubox_units[IVYTOWN_UBOX_UNITS];
extern const struct cat_unit ivytown_cbox_units[IVYTOWN_CBOX_UNITS];
extern const struct cat_unit ivytown_pcu_units[IVYTOWN_PCU_UNITS];
extern const struct cat_unit ivytown_ha_units[IVYTOWN_HA_UNITS];
extern const struct cat_unit ivytown_imc_units[IVYTOWN_IMC_UNITS];
extern const struct cat_unit ivytown_irp_units[IVYTOWN_IRP_UNITS];
extern const struct cat_unit ivytown_qpi_units[IVYTOWN_QPI_UNITS];
extern const struct cat_unit ivytown_r2pcie_units[IVYTOWN_R2PCIE_UNITS];
extern const struct cat_unit ivytown_r3qpi_units[IVYTOWN_R3QPI_UNITS];

extern const struct cat_field ivytown_global_fields[IVYTOWN_GLOBAL_FIELDS];
extern const struct cat_overflow ivytown_overflows[IVYTOWN_OVERFLOWS];
extern const struct cat_metric ivytown_metrics[IVYTOWN_METRICS];

extern const struct cat_processor cat_ivytown;

/* ------------------------------------------------------------------ what boxes have in common */

extern const struct cat_field ivytown_box_fields[IVYTOWN_BOX_FIELDS];        /* box control */
extern const struct cat_field ivytown_status_fields[IVYTOWN_STATUS_FIELDS];  /* box status */
extern const struct cat_field ivytown_ctl_fields[IVYTOWN_CTL_FIELDS];        /* control of HA, iMC, IRP ... */
extern const struct cat_field ivytown_ctr44_fields[IVYTOWN_CTR_FIELDS];
extern const struct cat_field ivytown_ctr48_fields[IVYTOWN_CTR_FIELDS];

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
enum { IVYTOWN_RING = 10, IVYTOWN_RING_IV = 3, IVYTOWN_RINGS = 3 };
extern const struct cat_umask ivytown_ring[IVYTOWN_RING];
extern const struct cat_umask ivytown_ring_iv[IVYTOWN_RING_IV];
extern const struct cat_umask ivytown_rings[IVYTOWN_RINGS];

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
