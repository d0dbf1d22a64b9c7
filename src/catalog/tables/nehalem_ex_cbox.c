/* SPDX-License-Identifier: MIT
 * C-Boxes of the Xeon 7500: eight slices of the last-level cache, six counters each.
 * Owns:  their registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem_ex.h"

static const struct cat_reg regs[] = {
	R("CB%u_CR_C_MSR_PMON_GLOBAL_CTL", BOX_CTL, RW, 6, 4, 0x00, "323535-001 Tables 2-9, 2-10",
	  FIELDS_HERE(F("ctr_en", 5, 0, "Bit n enables counter n"))),
	R("CB%u_CR_C_MSR_PMON_GLOBAL_STATUS", STATUS, RW, 6, 4, 0x01, "323535-001 Tables 2-9, 2-11",
	  FIELDS_HERE(F("ov", 5, 0, "Bit n: counter n overflowed"))),
	R("CB%u_CR_C_MSR_PMON_GLOBAL_OVF_CTL", OVF_CTL, WO, 6, 4, 0x02, "323535-001 Tables 2-9, 2-12",
	  FIELDS_HERE(PULSE("clr_ov", 5, 0, "Write 1 to clear ov"))),
	R("CB%u_CR_C_MSR_PMON_EVT_SEL_%n", CTL, RW, 6, 8, 0x10, "323535-001 Tables 2-9, 2-13", .step = 2, FIELDS_HERE(
	  RSV(62, 61), NEHALEM_EX_COMPARED("threshold", "en"),
	  F("edge_detect", 18, 18, "Counts changes from 0 to 1, after threshold and invert"),
	  NEHALEM_EX_SELECTED("Sub-events"))),
	R("CB%u_CR_C_MSR_PMON_CTR_%n", CTR, RW, 6, 8, 0x11, "323535-001 Tables 2-9, 2-14", .step = 2, NEHALEM_EX_COUNT),
};

/* The order of the addresses is not that of the numbers (Table 2-9). The Xeon 7500 has the first
 * eight; 8 and 9 of Westmere-EX lie apart from them. */
static const struct cat_unit units[] = {
	{ .base = { 0xd00 } }, { .base = { 0xd80 } }, { .base = { 0xd40 } },
	{ .base = { 0xdc0 } }, { .base = { 0xd20 } },
	{ .base = { 0xda0 } }, { .base = { 0xd60 } }, { .base = { 0xde0 } },
	{ .base = { 0xf40 } }, { .base = { 0xfc0 } },
};

#define SB   "In the direction of the nearest S-Box"
#define NSB  "In the direction away from the nearest S-Box"
#define BOTH "In both directions"

static const struct cat_umask bounces[] = {
	U("SB", 0x01, SB),
	U("NSB", 0x02, NSB),
	U("ALL", 0x03, BOTH),
};

static const struct cat_umask arb[] = {
	U("AD_SB", 0x01, "Address ring, towards the nearest S-Box"),
	U("AD_NSB", 0x02, "Address ring, away from the nearest S-Box"),
	U("AD_ALL", 0x03, "Address ring, both directions"),
	U("AK_SB", 0x04, "Acknowledge ring, towards the nearest S-Box"),
	U("AK_NSB", 0x08, "Acknowledge ring, away from the nearest S-Box"),
	U("AK_ALL", 0x0c, "Acknowledge ring, both directions"),
	U("BL_SB", 0x10, "Data ring, towards the nearest S-Box"),
	U("BL_NSB", 0x20, "Data ring, away from the nearest S-Box"),
	U("BL_ALL", 0x30, "Data ring, both directions"),
	U("IV", 0x40, "Invalidate ring"),
	U("ALL", 0x7f, "All rings"),
};

static const struct cat_umask starved[] = {
	U("P2C_AD_SB", 0x01, "Address queue from the core, towards the nearest S-Box"),
	U("C2S_AD_SB", 0x02, "Address queue from the C-Box to the S-Box", .alias = "C2P_AD_SB"),
	U("AD_SB", 0x03, "Both address queues towards the nearest S-Box"),
	U("AD_NSB", 0x04, "Address queues away from the nearest S-Box"),
	U("AD", 0x07, "All address queues"),
	U("AK_SB", 0x08, "Acknowledge queue towards the nearest S-Box"),
	U("AK_NSB", 0x10, "Acknowledge queue away from the nearest S-Box"),
	U("AK", 0x18, "Both acknowledge queues"),
	U("BL_SB", 0x20, "Data queue towards the nearest S-Box"),
	U("BL_NSB", 0x40, "Data queue away from the nearest S-Box"),
	U("BL", 0x60, "Both data queues"),
	U("IV", 0x80, "Invalidate queue"),
};

static const struct cat_umask misses[] = {
	U("S", 0x01, "The line is there as shared, but the request needs to own it"),
	U("F", 0x02, "The line is there as forward, but the request needs to own it"),
	U("I", 0x04, "The line is not there"),
	U("ALL", 0x07, "All misses"),
};

static const struct cat_umask fills[] = {
	U("M", 0x01,
	  "As modified: another socket forwarded it without writing it to memory",
	  .alias = "MODIFIED"),
	U("E", 0x02, "As exclusive", .alias = "EXCLUSIVE"),
	U("S", 0x04, "As shared", .alias = "SHARED"),
	U("F", 0x08, "As forward", .alias = "FORWARD"),
	U("ALL", 0x0f, "In any state"),
};

/* ALL is likwid's alone, and its two lists differ. */
#define VICTIMS \
	U("M", 0x01, "Modified line, written back to memory", .alias = "MODIFIED"), \
	U("E", 0x02, "Exclusive line", .alias = "EXCLUSIVE"), \
	U("S", 0x04, "Shared line", .alias = "SHARED"), \
	U("F", 0x08, "Forward line", .alias = "FORWARD"), \
	U("I", 0x10, "A fill that evicted nothing: no victim", .alias = "FILL_WITHOUT_VICTIMS")
static const struct cat_umask victims[] = {
	VICTIMS, U("ALL", 0x1f,
		   "All fills, those that evicted nothing too",
		   .disputed = "ALL is likwid's, which leaves such fills out (0x0f) in its list "
			       "for Westmere-EX"),
};
static const struct cat_umask westmere_victims[] = {
	VICTIMS, U("ALL", 0x0f,
		   "Line in any state", .disputed = "ALL is likwid's, which adds fills that "
						    "evicted nothing (0x1f) in its list for the "
						    "Xeon 7500"),
};

#define SRC "323535-001 Table 2-15, 2.3.6"
#define LLC_VICTIMS(list) \
	E("LLC_VICTIMS", 0x17, 1, SRC, MASKS(list, -1), \
	  .help = "Lines that a fill evicted from this slice of the last-level cache", \
	  .note = "All victims are M:E:S:F; I counts fills without a victim")
#define SINK_NOTE "A sink moves 32 bytes: two of them make a cache line"
#define NACK_NOTE "The manual lists this event in 2.3.6, but not in Table 2-15"

static const struct cat_event events[] = {
	E("BOUNCES_P2C_AD", 0x01, 1, SRC, MASKS(bounces, 2), .alias = TEXTS("BOUNCES_C2P_AD"),
	  .help = "Core requests to the cache that the C-Box could not take, so that they went round the address ring again"),
	E("BOUNCES_C2P_AK", 0x02, 1, SRC, MASKS(bounces, 2),
	  .help = "Acknowledgements from the C-Box that a core could not take, so that they went round the acknowledge ring again"),
	E("BOUNCES_C2P_BL", 0x03, 1, SRC, MASKS(bounces, 2),
	  .help = "Data from the C-Box that a core could not take, so that it went round the data ring again"),
	E("BOUNCES_C2P_IV", 0x04, 1, SRC, PLAIN,
	  .help = "Snoops of a core's caches that the core could not take, so that they went round the invalidate ring again"),
	E("SINKS_P2C", 0x05, 3, SRC, .note = SINK_NOTE,
	  .help = "Messages from cores of this socket that the C-Box took off the ring",
	  SUMMED_HERE(-1,
	  U("AD", 0x01, "Address ring: read and write requests of cores", .alias = "IV"),
	  U("AK", 0x02, "Acknowledge ring: snoop responses of cores"),
	  U("BL", 0x04, "Data ring: lines that cores write back"))),
	E("SINKS_C2P", 0x06, 3, SRC, .note = SINK_NOTE,
	  .help = "Messages from any C-Box that the core at this ring stop took off the ring",
	  SUMMED_HERE(-1,
	  U("IV", 0x01, "Invalidate ring: snoops of a core's caches"),
	  U("AK", 0x02, "Acknowledge ring: messages that complete a request"),
	  U("BL", 0x04, "Data ring: cache data for the core"))),
	E("SINKS_S2C", 0x07, 3, SRC, .note = SINK_NOTE,
	  .help = "Messages from the S-Box, which stands for QPI and memory, that the C-Box took off the ring",
	  SUMMED_HERE(-1,
	  U("AD", 0x01, "Address ring: snoops from other sockets"),
	  U("AK", 0x02, "Acknowledge ring: completions from QPI"),
	  U("BL", 0x04, "Data ring: data that fills the cache"))),
	E("SINKS_S2P_BL", 0x08, 1, SRC, PLAIN, .note = SINK_NOTE,
	  .help = "Data messages from the S-Box that the core at this ring stop took off the data ring"),
	E("ARB_WINS", 0x09, 7, SRC, SUMMED(arb, 10),
	  .help = "Messages that got a free place on the ring at this stop",
	  .note = "likwid prints code 0x0a, which is ARB_LOSSES"),
	E("ARB_LOSSES", 0x0a, 7, SRC, SUMMED(arb, 10),
	  .help = "Attempts to put a message onto the ring that failed because the place was taken"),
	E("STARVED_EGRESS", 0x0b, 8, SRC, SUMMED(starved, -1),
	  .help = "Cycles in which a queue towards the ring has waited so long that it counts as starved"),
	E("EGRESS_BYPASS_WINS", 0x0c, 7, SRC,
	  .help = "Messages that went onto the ring by a short cut around the egress queue",
	  SUMMED_HERE(-1,
	  U("AD_BYP0", 0x01, "Address ring, path of 0 cycles"),
	  U("AD_BYP1", 0x02, "Address ring, path of 1 cycle"),
	  U("AK_BYP0", 0x04, "Acknowledge ring, path of 0 cycles"),
	  U("AK_BYP1", 0x08, "Acknowledge ring, path of 1 cycle"),
	  U("BL_BYP0", 0x10, "Data ring, path of 0 cycles"),
	  U("BL_BYP1", 0x20, "Data ring, path of 1 cycle"),
	  U("IV_BYP0", 0x40, "Invalidate ring, path of 0 cycles"),
	  U("IV_BYP1", 0x80, "Invalidate ring, path of 1 cycle"))),
	E("INGRESS_BYPASS_WINS_AD", 0x0e, 1, SRC,
	  .help = "Messages off the address ring that took a short cut around the ingress queues of the C-Box",
	  MASKS_HERE(-1,
	  U("IRQ_BYP0", 0x01, "Ingress request queue, path of 0 cycles"),
	  U("IRQ_BYP1", 0x02, "Ingress request queue, path of 1 cycle"),
	  U("IPQ_BYP0", 0x04, "Ingress probe queue, path of 0 cycles"),
	  U("IPQ_BYP1", 0x08, "Ingress probe queue, path of 1 cycle"))),
	E("MAF_ACK", 0x10, 1, SRC, PLAIN,
	  .help = "Passes through the cache pipeline that the miss address file accepted"),
	E("MAF_NACK1", 0x11, 1, "323535-001 2.3.6", .note = NACK_NOTE,
	  .help = "Passes through the cache pipeline that were rejected and must be tried again, first set of reasons",
	  MASKS_HERE(8,
	  U("GO_PENDING", 0x01, "The requesting core has not yet seen its transaction complete"),
	  U("VIC_PENDING", 0x02, "A fill waits for the line that it evicts"),
	  U("SNP_PENDING", 0x04, "A snoop for the transaction is not yet answered"),
	  U("AC_PENDING", 0x08,
	    "A remote snoop meets a transaction that waits for a conflict acknowledge"),
	  U("IDX_BLOCK", 0x10, "No way can be chosen yet for the line that a read miss evicts"),
	  U("PA_BLOCK", 0x20,
	    "Another transaction has the same physical address: many of them mean that threads share lines heavily"),
	  U("IDLE_QPI", 0x40, "QPI is in its idle state"),
	  U("ALL_MAF_NACK2", 0x80, "Any of the reasons of MAF_NACK2"),
	  U("TOTAL_MAF_NACKS", 0xff, "Every rejected pass, those of MAF_NACK2 too"))),
	E("MAF_NACK2", 0x12, 1, "323535-001 2.3.6", .note = NACK_NOTE,
	  .help = "Passes through the cache pipeline that were rejected and must be tried again, second set of reasons",
	  MASKS_HERE(-1,
	  U("MAF_FULL", 0x01, "The miss address file has no free entry"),
	  U("EGRESS_FULL", 0x02, "The ring cannot take the response that the message needs"),
	  U("VIQ_FULL", 0x04, "The queue of evicted lines is full"),
	  U("NO_TRACKER_CREDITS", 0x08, "No credit of the home agent's tracker is left"),
	  U("NO_S_FIFO_CREDITS", 0x10, "The S-Box has no buffer for the message"),
	  U("NO_S_REQTBL_ENTRIES", 0x20, "The request table of the S-Box is full"),
	  U("WB_PENDING", 0x40, "A remote snoop meets a transaction whose write-back is under way"),
	  U("NACK2_ELSE", 0x80, "None of the other reasons"))),
	E("LLC_MISSES", 0x14, 1, SRC, MASKS(misses, 3),
	  .help = "Look-ups in this slice of the last-level cache that did not find what they need"),
	E("LLC_HITS", 0x15, 1, SRC,
	  .help = "Look-ups in this slice of the last-level cache that found the line",
	  .note = "Hints that only refresh the age of a line are counted too",
	  MASKS_HERE(4,
	  U("M", 0x01, "Line is modified", .alias = "MODIFIED"),
	  U("E", 0x02, "Line is exclusive", .alias = "EXCLUSIVE"),
	  U("S", 0x04, "Line is shared", .alias = "SHARED"),
	  U("F", 0x08,
	    "Line is forward: shared, and this cache answers snoops",
	    .alias = "FORWARD"),
	  U("ALL", 0x0f, "Line in any state"))),
	E("LLC_S_FILLS", 0x16, 1, SRC, MASKS(fills, 4),
	  .help = "Lines that came through the S-Box, from memory or another socket, into this slice"),
	LLC_VICTIMS(victims),
	E("OCCUPANCY_IRQ", 0x18, 24, SRC, PLAIN,
	  .help = "Entries in the ingress request queue, which holds core requests before the cache sees them, summed over cycles"),
	E("TRANS_IRQ", 0x19, 1, SRC, PLAIN,
	  .help = "Core requests that passed through the ingress request queue",
	  .note = "Table 2-15 counts entries that leave, 2.3.6 entries that arrive"),
	E("OCCUPANCY_IPQ", 0x1a, 8, SRC, PLAIN,
	  .help = "Entries in the ingress probe queue, which holds snoops from other sockets before the cache sees them, summed over cycles"),
	E("TRANS_IPQ", 0x1b, 1, SRC, PLAIN,
	  .help = "Snoops from other sockets that entered the ingress probe queue"),
	E("OCCUPANCY_VIQ", 0x1c, 8, SRC, PLAIN,
	  .help = "Entries in the victim queue, which holds evicted lines, summed over cycles"),
	E("TRANS_VIQ", 0x1d, 1, SRC, PLAIN,
	  .help = "Evicted lines that entered the victim queue, those that need no write-back too"),
	E("OCCUPANCY_MAF", 0x1e, 16, SRC, PLAIN,
	  .help = "Entries in the miss address file, which orders misses and tracks coherence, summed over cycles"),
	E("TRANS_MAF", 0x1f, 1, SRC, PLAIN,
	  .help = "Transactions that got an entry in the miss address file"),
	E("OCCUPANCY_RWRF", 0x20, 12, SRC, PLAIN,
	  .help = "Entries in the read and write request FIFO between the core and the ring, summed over cycles"),
	E("TRANS_RWRF", 0x21, 1, SRC, PLAIN,
	  .help = "Core requests that passed through the read and write request FIFO on their way to the ring"),
	E("OCCUPANCY_RSPF", 0x22, 8, SRC, PLAIN,
	  .help = "Entries in the snoop response FIFO between the core and the ring, summed over cycles"),
	E("TRANS_RSPF", 0x23, 1, SRC, PLAIN,
	  .help = "Snoop responses of the core that passed through the snoop response FIFO on their way to the ring"),
	E("SNPS", 0x27, 1, SRC,
	  .help = "Snoops from other sockets that reached this slice of the last-level cache",
	  .note = "Those that missed are SNPS:REMOTE_ANY less SNP_HITS:REMOTE_ANY",
	  MASKS_HERE(2,
	  U("REMOTE_RD", 0x01, "For a data or code read: the line becomes shared"),
	  U("REMOTE_RFO", 0x02, "For ownership: the line is invalidated"),
	  U("REMOTE_ANY", 0x03, "All snoops, whether they hit or not"))),
	E("SNP_HITS", 0x28, 1, SRC,
	  .help = "Snoops from other sockets that found their line in this slice of the last-level cache",
	  MASKS_HERE(12,
	  U("REMOTE_RD_HITM", 0x01, "Read snoop, modified line"),
	  U("REMOTE_RD_HITE", 0x02, "Read snoop, exclusive line"),
	  U("REMOTE_RD_HITS", 0x04, "Read snoop, shared line"),
	  U("REMOTE_RD_HITF", 0x08, "Read snoop, forward line"),
	  U("REMOTE_RFO_HITM", 0x10, "Ownership snoop, modified line"),
	  U("REMOTE_RFO_HITE", 0x20, "Ownership snoop, exclusive line"),
	  U("REMOTE_RFO_HITS", 0x40, "Ownership snoop, shared line"),
	  U("REMOTE_RFO_HITF", 0x80, "Ownership snoop, forward line"),
	  U("REMOTE_HITM", 0x11, "Any snoop, modified line"),
	  U("REMOTE_HITE", 0x22, "Any snoop, exclusive line"),
	  U("REMOTE_HITS", 0x44, "Any snoop, shared line"),
	  U("REMOTE_HITF", 0x88, "Any snoop, forward line"),
	  U("REMOTE_ANY", 0xff, "Any snoop, line in any state"))),
};

#define NAMED(name_, code_, words_) \
	E(name_, code_, 24, "likwid perfmon_westmereEX_events.txt", PLAIN, .help = words_, \
	  .disputed = "Only likwid lists this event, by its name alone: the sentence is that name read aloud, and the largest increment per cycle that of any event of the box")
static const struct cat_event westmere_events[] = {
	LLC_VICTIMS(westmere_victims),
	E("ARB_WINS_P2C_SB", 0x33, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Core requests that got a place on the ring towards the nearest S-Box"),
	E("ARB_WINS_P2C_NSB", 0x34, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Core requests that got a place on the ring away from the nearest S-Box"),
	/* likwid has a name and a code for these; no source describes them. */
	NAMED("SPL_DEAD", 0x29, "Dead cycles of the ring splitter"),
	NAMED("SPL_ARB_PRI_SW", 0x2a, "Switches of priority in the arbitration of the ring splitter"),
	NAMED("SPL_NOT_CO", 0x2b, "Ring splitter, case NOT_CO"),
	NAMED("SPL_CO_SB", 0x2c, "Ring splitter, case CO, towards the nearest S-Box"),
	NAMED("SPL_CO_NSB", 0x2d, "Ring splitter, case CO, away from the nearest S-Box"),
	NAMED("SPL_IN_FULL_IRQ", 0x2e, "Ring splitter, with the ingress request queue full"),
	NAMED("SPL_EGR_SB", 0x2f, "Ring splitter, egress towards the nearest S-Box"),
	NAMED("SPL_EGR_NSB", 0x30, "Ring splitter, egress away from the nearest S-Box"),
	NAMED("IGR_OP_SRAM", 0x31, "Ingress operations on the SRAM"),
	NAMED("IGR_OP_UC", 0x32, "Ingress operations that are not cacheable"),
	NAMED("SPOOF_CRD_EMPTY", 0x35, "Spoofing, with no credit left"),
	NAMED("IDF_NONZERO_NO_BL_CRD", 0x36, "IDF not zero, without a credit for the data ring"),
	NAMED("IDF_NONZERO_NO_VLD", 0x37, "IDF not zero, without a valid entry"),
	NAMED("SPOOF_ASSERT", 0x3a, "Times that spoofing began"),
	NAMED("SPOOF_DEASSERT", 0x3b, "Times that spoofing ended"),
	NAMED("IGR_BID_BLOCKED", 0x3c, "Ingress bids that were blocked"),
	E("BOUNCE_ASSERT", 0x38, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Times the C-Box began to send messages back onto the ring because it could not take them"),
	E("BOUNCE_DEASSERT", 0x39, 1, WESTMERE_LIST, PLAIN, LIKWID_ALONE,
	  .help = "Times the C-Box could take messages off the ring again"),
};

#define CBOX \
	.name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache", \
	.n_counters = 6, \
	NEHALEM_EX_CONTROL, .occ_reset = CAT_NONE, .source = "323535-001 2.3, Table 2-13", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_cbox = { CBOX, .units = units, .n_units = 8 };
const struct cat_box westmere_ex_cbox = { CBOX, UNITS(units), EXTRA(westmere_events) };
