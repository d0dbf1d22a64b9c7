/* nehalem_ex_s.h - S-Box rows that the Xeon 7500 and Westmere-EX share, but for the C-Boxes that their unit masks name.
 *
 * Owns:  the rows with one unit mask for each C-Box of a side: four on the Xeon 7500, five on Westmere-EX.
 * Never: anything that another box needs.
 *
 * one: lists each C-Box, of which exactly one may be chosen; all: the same, ALL last; some: the same without ALL.
 */
#ifndef CATALOG_NEHALEM_EX_S_H
#define CATALOG_NEHALEM_EX_S_H

#include "catalog/nehalem_ex.h"

#define SRC     .source = "323535-001 Table 2-37, 2.5.6"
#define PLAIN   .dflt = -1, SRC
#define QUEUE   .occupancy = true, .note = "Entries in use, summed over cycles: divided by the uncore " \
		"clock it is the mean length"
#define MASKS(m, how, d) .umasks = m, .n_umasks = COUNT(m), .combine = CAT_UMASK_BITS, .adds = how, \
	.dflt = d, SRC
#define MAX_INC(table, list) .disputed = "Largest increment per cycle: Table 2-37 says " table ", the " \
		"event list " list "; the larger is used"
#define CODE(table) .disputed = "Code: from the event list; Table 2-37 says " table
#define BYPASS  .note = "Message and credit flits alike: not to be added to flits of messages"
#define IDLE    .note = "Idle flits that carry credits: not to be added to flits of messages"

#define CBOX_QUEUES(one, all) \
	{ .name = "TO_R_DRS_MSGQ_CYCLES_FULL", .code = 0x0e, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of data responses leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_DRS_MSGQ_CYCLES_NE", .code = 0x0f, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a data response of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_DRS_MSGQ_OCCUPANCY", .code = 0x10, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "16"), \
	  .help = "Data responses of the chosen C-Boxes waiting to leave through the R-Box, " \
		"added up each cycle" }, \
	{ .name = "TO_R_NCB_MSGQ_CYCLES_FULL", .code = 0x11, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of non-coherent bypass messages leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_NCB_MSGQ_CYCLES_NE", .code = 0x12, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a non-coherent bypass message of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_NCB_MSGQ_OCCUPANCY", .code = 0x13, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "8"), \
	  .help = "Non-coherent bypass messages of the chosen C-Boxes waiting to leave through the " \
		"R-Box, added up each cycle" }, \
	{ .name = "TO_R_NCS_MSGQ_CYCLES_FULL", .code = 0x14, .max_inc = 1, MASKS(one, CAT_OR, -1), \
	  .one_umask = true, \
	  .help = "Cycles in which a C-Box's queue of non-coherent standard messages leaving through " \
		"the R-Box has no room" }, \
	{ .name = "TO_R_NCS_MSGQ_CYCLES_NE", .code = 0x15, .max_inc = 1, MASKS(all, CAT_OR, COUNT(all) - 1), \
	  .help = "Cycles in which a non-coherent standard message of the chosen C-Boxes waits to " \
		"leave through the R-Box" }, \
	{ .name = "TO_R_NCS_MSGQ_OCCUPANCY", .code = 0x16, .max_inc = 64, MASKS(all, CAT_ADDS, COUNT(all) - 1), \
	  QUEUE, MAX_INC("64", "2"), \
	  .help = "Non-coherent standard messages of the chosen C-Boxes waiting to leave through the " \
		"R-Box, added up each cycle" }

#define CBOX_PKTS_DRS(some) \
	{ .name = "PKTS_SENT_DRS", .code = 0x64, .max_inc = 1, MASKS(some, CAT_ADDS, -1), \
	  .note = "Of two messages for one response (to requester and home) only the first is counted; " \
		"their length varies, " \
		  "FLITS_SENT_DRS counts it", \
	  .help = "Data response packets of the chosen C-Boxes that the S-Box sent to the system" }
#define CBOX_PKTS_NCS(some) \
	{ .name = "PKTS_SENT_NCS", .code = 0x66, .max_inc = 3, MASKS(some, CAT_ADDS, -1), \
	  MAX_INC("1", "3"), \
	  .help = "Non-coherent standard packets of the chosen C-Boxes that the S-Box " \
		"sent to the system" }
#define CBOX_PKTS_NCB(some) \
	{ .name = "PKTS_SENT_NCB", .code = 0x68, .max_inc = 11, MASKS(some, CAT_ADDS, -1), \
	  MAX_INC("1", "11"), \
	  .help = "Non-coherent bypass packets of the chosen C-Boxes that the S-Box sent to the system" }

/* What the unit masks of C-Boxes say; listed though refused: a combination is undefined. */
#define ONE_ONLY .help = "Listed by the manual, but refused: exactly one C-Box may be chosen", \
	.disputed = "Listed, yet the manual calls the result undefined when more than one C-Box is chosen"

#endif
