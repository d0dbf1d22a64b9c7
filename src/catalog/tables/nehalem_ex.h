/* SPDX-License-Identifier: MIT
 * What the files of the Xeon 7500 (Nehalem-EX) and the Xeon E7 (Westmere-EX) give
 * each other; private to the room.
 *
 * Owns:  the boxes' names, the clock that most of them have, how a row of Westmere-EX is marked.
 * Never: rows.
 *
 * All of a box is in its file, for both processors: registers, units, events, what Westmere-EX
 * has more, the box. No guide of Westmere-EX was at hand: what differs is as Linux
 * (uncore_nhmex.c), Intel PCM and likwid program it, and what only one of them says is marked.
 *
 * What has no row, and why. Bids of other classes and networks: only Table 2-49 tells them apart.
 * Allocations of all classes in an overflow table: the class is a number, and a port has two IPERF
 * registers. Throttling of several cores: no source says what several bits count together (cores 8
 * and 9 of a Westmere-EX have no bit). Flits from S- to B-Box: no source has the size of
 * MSGS_S_TO_B. Differences of two totals: these are read a moment apart, so that one could fall;
 * writebacks are two disjoint matches, not DRS.AnyResp - DRS.AnyDataC.
 */
#ifndef CATALOG_TABLES_NEHALEM_EX_H
#define CATALOG_TABLES_NEHALEM_EX_H

#include "catalog/tables/rows.h"

/* The uncore runs at up to 2.67 GHz. No source gives the M-Box's own clock: the same bound is
 * used for it. */
#define NEHALEM_EX_MAX_HZ 2670000000
#define NEHALEM_EX_UNCLK  .clock = "wbox/CLOCKTICKS", .max_hz = NEHALEM_EX_MAX_HZ

/* The count of every counter. */
#define NEHALEM_EX_COUNT FIELDS_HERE(F("event_count", 47, 0, "The count"))

/* What the controls of C-, S- and W-Box have in common; others are between these fields. */
#define NEHALEM_EX_COMPARED(thresh, en) \
	F(thresh, 31, 24, "If not 0: count 1 in each cycle whose increment is at least this"), \
	F("invert", 23, 23, "Count when the increment is below the threshold"), \
	F(en, 22, 22, "Enables this counter"), \
	F("pmi_en", 20, 20, "Sends a PMI when the counter overflows")
#define NEHALEM_EX_EDGE F("edge_detect", 18, 18, "Counts changes from 0 to 1")
#define NEHALEM_EX_SELECTED(help) F("umask", 15, 8, help), F("ev_sel", 7, 0, "Event")
#define NEHALEM_EX_CONTROL .event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, \
	.edge = { 18, 18 }, .invert = { 23, 23 }, .enable = { 22, 22 }, .ctl_overflow = BIT(20)

#define WESTMERE_LIST "likwid perfmon_westmereEX_events.txt"
#define LIKWID_ALONE .disputed = "Only likwid lists this event"

extern const struct cat_box nehalem_ex_ubox, nehalem_ex_cbox, nehalem_ex_bbox, nehalem_ex_sbox,
	nehalem_ex_rbox,
	nehalem_ex_mbox, nehalem_ex_wbox;
extern const struct cat_box westmere_ex_ubox, westmere_ex_cbox, westmere_ex_bbox, westmere_ex_sbox,
	westmere_ex_mbox;
extern const struct cat_global nehalem_ex_global;
extern const struct cat_overflows nehalem_ex_overflows;
extern const struct cat_metrics nehalem_ex_metrics;
extern const struct cat_processor cat_nehalem_ex, cat_westmere_ex;

#endif
