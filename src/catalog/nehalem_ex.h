/* nehalem_ex.h - the pieces of the Xeon 7500 tables that nehalem_ex.c puts together.
 *
 * Owns:  the names and lengths of the arrays that each box file defines.
 * Never: anything that another processor needs.
 *
 * A box file includes this header and defines its arrays with []. A length below that of its rows is a
 * compiler warning, one above it leaves rows without name or source, which catalog_check() refuses.
 */
#ifndef CATALOG_NEHALEM_EX_H
#define CATALOG_NEHALEM_EX_H

#include "catalog/rows.h"

/* Rows of each array. */
enum {
	NEHALEM_EX_UBOX_EVENTS = 13, NEHALEM_EX_UBOX_REGS = 5, NEHALEM_EX_UBOX_UNITS = 1,
	NEHALEM_EX_CBOX_EVENTS = 34, NEHALEM_EX_CBOX_REGS = 5, NEHALEM_EX_CBOX_UNITS = 8,
	NEHALEM_EX_BBOX_EVENTS = 50, NEHALEM_EX_BBOX_REGS = 7, NEHALEM_EX_BBOX_UNITS = 2,
	NEHALEM_EX_SBOX_EVENTS = 77, NEHALEM_EX_SBOX_REGS = 9, NEHALEM_EX_SBOX_UNITS = 2,
	NEHALEM_EX_RBOX_EVENTS = 26, NEHALEM_EX_RBOX_REGS = 26, NEHALEM_EX_RBOX_UNITS = 1,
	NEHALEM_EX_MBOX_EVENTS = 36, NEHALEM_EX_MBOX_REGS = 16, NEHALEM_EX_MBOX_UNITS = 2,
	NEHALEM_EX_WBOX_EVENTS = 8, NEHALEM_EX_WBOX_REGS = 7, NEHALEM_EX_WBOX_UNITS = 1,
	NEHALEM_EX_RBOX_PORTS = 8,
	NEHALEM_EX_GLOBAL_FIELDS = 7, NEHALEM_EX_OVERFLOWS = 18,
	NEHALEM_EX_METRICS = 159,
};

extern const struct cat_event nehalem_ex_ubox_events[NEHALEM_EX_UBOX_EVENTS];
extern const struct cat_event nehalem_ex_cbox_events[NEHALEM_EX_CBOX_EVENTS];
extern const struct cat_event nehalem_ex_bbox_events[NEHALEM_EX_BBOX_EVENTS];
extern const struct cat_event nehalem_ex_sbox_events[NEHALEM_EX_SBOX_EVENTS];
extern const struct cat_event nehalem_ex_rbox_events[NEHALEM_EX_RBOX_EVENTS];
extern const struct cat_event nehalem_ex_mbox_events[NEHALEM_EX_MBOX_EVENTS];
extern const struct cat_event nehalem_ex_wbox_events[NEHALEM_EX_WBOX_EVENTS];

extern const struct cat_reg nehalem_ex_ubox_regs[NEHALEM_EX_UBOX_REGS];
extern const struct cat_reg nehalem_ex_cbox_regs[NEHALEM_EX_CBOX_REGS];
extern const struct cat_reg nehalem_ex_bbox_regs[NEHALEM_EX_BBOX_REGS];
extern const struct cat_reg nehalem_ex_sbox_regs[NEHALEM_EX_SBOX_REGS];
extern const struct cat_reg nehalem_ex_rbox_regs[NEHALEM_EX_RBOX_REGS];
extern const struct cat_reg nehalem_ex_mbox_regs[NEHALEM_EX_MBOX_REGS];
extern const struct cat_reg nehalem_ex_wbox_regs[NEHALEM_EX_WBOX_REGS];

extern const struct cat_unit nehalem_ex_ubox_units[NEHALEM_EX_UBOX_UNITS];
extern const struct cat_unit nehalem_ex_cbox_units[NEHALEM_EX_CBOX_UNITS];
extern const struct cat_unit nehalem_ex_bbox_units[NEHALEM_EX_BBOX_UNITS];
extern const struct cat_unit nehalem_ex_sbox_units[NEHALEM_EX_SBOX_UNITS];
extern const struct cat_unit nehalem_ex_rbox_units[NEHALEM_EX_RBOX_UNITS];
extern const struct cat_unit nehalem_ex_mbox_units[NEHALEM_EX_MBOX_UNITS];
extern const struct cat_unit nehalem_ex_wbox_units[NEHALEM_EX_WBOX_UNITS];

extern const struct cat_port nehalem_ex_rbox_ports[NEHALEM_EX_RBOX_PORTS];
extern const struct cat_field nehalem_ex_global_fields[NEHALEM_EX_GLOBAL_FIELDS];
extern const struct cat_overflow nehalem_ex_overflows[NEHALEM_EX_OVERFLOWS];
extern const struct cat_metric nehalem_ex_metrics[NEHALEM_EX_METRICS];


/* What a box is, whichever processor it is in. */
#define NEHALEM_EX_UBOX \
	.name = "ubox", .letter = "U", .title = "U-Box: system configuration controller", \
	.n_counters = 1, .global_also = true, .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = { 18, 18 }, .invert = CAT_NONE, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.2, Table 2-6"
#define NEHALEM_EX_CBOX \
	.name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache", .n_counters = 6, \
	.ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.3, Table 2-13"
#define NEHALEM_EX_BBOX \
	.name = "bbox", .letter = "B", .title = "B-Box: home agent of one memory controller", .n_counters = 4, \
	.ctl_overflow = BIT(20), \
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.4, Table 2-20"
#define NEHALEM_EX_SBOX \
	.name = "sbox", .letter = "S", .title = "S-Box: interface between the ring and the rest of the system", \
	.n_counters = 4, .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = { 17, 17 }, .source = "323535-001 2.5, Table 2-30"
#define NEHALEM_EX_RBOX \
	.name = "rbox", .letter = "R", .title = "R-Box: router between QPI links, S-Boxes and B-Boxes", \
	.n_counters = 16, .ctl_overflow = BIT(6), \
	.port_key = "port", .ports = nehalem_ex_rbox_ports, .n_ports = COUNT(nehalem_ex_rbox_ports), \
	.event = { 5, 1 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.6, Table 2-44"
#define NEHALEM_EX_MBOX \
	.name = "mbox", .letter = "M", .title = "M-Box: memory controller", .n_counters = 6, \
	.ctl_always = BIT(6), /* wrap_mode: PCM and likwid always set it, the kernel leaves it to the user */ \
	.ctl_overflow = BIT(1), \
	.event = { 13, 9 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.7, Table 2-67"
#define NEHALEM_EX_WBOX \
	.name = "wbox", .letter = "W", .title = "W-Box: power controller and uncore clock", \
	.n_counters = 4, .has_fixed = true, .fixed_box_bit = 31, .fixed_enable = BIT(0), .ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, \
	.erratum = { 0xffffff, 1, 0x1000000 },        /* p 2-128 */ \
	.source = "323535-001 2.8, Table 2-98"

#define NEHALEM_EX_GLOBAL { \
	.ctl = { .space = SPACE_MSR, .bytes = 8, .off = 0xc00 }, .name = "U_MSR_PMON_GLOBAL_CTL", \
	.enable = BIT(28), .reset = BIT(29), .box_enable = BIT(0), \
	.overflow_stops = BIT(31), .overflow_interrupts = (BIT(9) - BIT(1)), \
	.overflow_told = BIT(30), .overflow_changed = BIT(31), \
	.fields = nehalem_ex_global_fields, .n_fields = COUNT(nehalem_ex_global_fields), \
}

extern const struct cat_processor cat_nehalem_ex, cat_westmere_ex;

#endif
