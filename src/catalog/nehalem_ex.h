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

#include "catalog/catalog.h"

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
	NEHALEM_EX_GLOBAL_FIELDS = 7,
	NEHALEM_EX_METRICS = 82,
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
extern const struct cat_metric nehalem_ex_metrics[NEHALEM_EX_METRICS];

extern const struct cat_processor cat_nehalem_ex;

#endif
