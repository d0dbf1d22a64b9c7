/* nehalem.h - what the tables of Nehalem and Westmere share.
 *
 * Owns:  the names and lengths of the arrays that nehalem.c defines.
 * Never: anything that another processor needs.
 *
 * Westmere is a variant of Nehalem: the same box, registers and rows, and in westmere.c what differs. The
 * first NEHALEM_METRICS rows of the metrics need only events that both have.
 */
#ifndef CATALOG_NEHALEM_H
#define CATALOG_NEHALEM_H

#include "catalog/rows.h"

enum {
	NEHALEM_EVENTS = 45, NEHALEM_REGS = 8, NEHALEM_UNITS = 1, NEHALEM_GROUPS = 2,
	NEHALEM_METRICS = 25, WESTMERE_METRICS = 28,
};

extern const struct cat_event nehalem_events[NEHALEM_EVENTS];
extern const struct cat_reg nehalem_regs[NEHALEM_REGS];
extern const struct cat_unit nehalem_units[NEHALEM_UNITS];
extern const struct cat_group nehalem_groups[NEHALEM_GROUPS];
extern const struct cat_metric westmere_metrics[WESTMERE_METRICS];

/* Routes of event 0x35 through the one match register. */
extern const struct cat_route nehalem_match, nehalem_match_fixed, nehalem_match_opcode;
enum { NEHALEM_T_ADDRESS, NEHALEM_T_OPCODE, NEHALEM_T_SELECT };
enum { NEHALEM_MATCH_BOTH = 1, NEHALEM_MATCH_OPCODE = 2, NEHALEM_MATCH_ADDRESS = 4, NEHALEM_MATCH_EITHER = 6 };

/* The five events of code 0x35; on Nehalem with a dispute. */
#define NEHALEM_MATCH_EVENTS(masks, ...) \
	{ .name = "ADDR_OPCODE_MATCH", .code = 0x35, .max_inc = 1, masks, .route = &nehalem_match, \
	  .set = SET(BIT(NEHALEM_T_SELECT), { 0 }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address, opcode or both fit the match register" }, \
	{ .name = "ADDR_OPCODE_MATCH_AND", .code = 0x35, .max_inc = 1, masks, .route = &nehalem_match_fixed, \
	  .set = SET(BIT(NEHALEM_T_SELECT), { [NEHALEM_T_SELECT] = NEHALEM_MATCH_BOTH }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address and opcode both fit the match register" }, \
	{ .name = "ADDR_OPCODE_MATCH_OR", .code = 0x35, .max_inc = 1, masks, .route = &nehalem_match_fixed, \
	  .set = SET(BIT(NEHALEM_T_SELECT), { [NEHALEM_T_SELECT] = NEHALEM_MATCH_EITHER }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address or opcode fits the match register" }

/* The one box; `more` says what a variant adds. */
#define NEHALEM_BOX(...) \
	.name = "uncore", .letter = "", .title = "Uncore: global queue, L3 cache, QPI home logic and memory " \
		"controller", \
	.space = SPACE_MSR, .n_counters = 8, .width = 48, .has_fixed = true, .fixed_box_bit = 32, \
	.fixed_enable = BIT(0), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = { 17, 17 }, \
	.units = nehalem_units, .n_units = NEHALEM_UNITS, .regs = nehalem_regs, .n_regs = NEHALEM_REGS, \
	.events = nehalem_events, .n_events = NEHALEM_EVENTS, \
	/* The fastest stock uncore runs at 2.66 GHz, but these are the parts that people overclock. */ \
	.clock = "uncore/CLK_UNHALTED", .max_hz = 4000000000, \
	.source = "SDM 3B 18.17.2", __VA_ARGS__

extern const struct cat_processor cat_nehalem, cat_westmere;

#endif
