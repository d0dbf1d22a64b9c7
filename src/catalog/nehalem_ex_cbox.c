/* nehalem_ex_cbox.c - C-Boxes of the Xeon 7500: eight slices of the last-level cache, six counters each.
 *
 * Owns:  their registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

static const struct cat_field box_fields[] = {
	{ "ctr_en", 5, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 5, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov", 5, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "threshold", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least "
		  "this" },
	{ "invert", 23, 23, CAT_FIELD, "Count when the increment is below the threshold" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "pmi_en", 20, 20, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "edge_detect", 18, 18, CAT_FIELD, "Counts changes from 0 to 1, after threshold and invert" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_reg regs[] = {
	{ .name = "CB%u_CR_C_MSR_PMON_GLOBAL_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 6,
	  .bytes = 4, .off = 0x00,
	  .fields = box_fields, .n_fields = COUNT(box_fields), .source = "323535-001 Tables 2-9, 2-10" },
	{ .name = "CB%u_CR_C_MSR_PMON_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RW, .count = 6,
	  .bytes = 4, .off = 0x01,
	  .fields = status_fields, .n_fields = COUNT(status_fields),
	  .source = "323535-001 Tables 2-9, 2-11" },
	{ .name = "CB%u_CR_C_MSR_PMON_GLOBAL_OVF_CTL", .role = CAT_OVF_CTL, .access = CAT_WO, .count = 6,
	  .bytes = 4, .off = 0x02,
	  .fields = ovf_fields, .n_fields = COUNT(ovf_fields), .source = "323535-001 Tables 2-9, 2-12" },
	{ .name = "CB%u_CR_C_MSR_PMON_EVT_SEL_%n", .role = CAT_CTL, .access = CAT_RW, .count = 6,
	  .bytes = 8, .step = 2, .off = 0x10,
	  .fields = ctl_fields, .n_fields = COUNT(ctl_fields), .source = "323535-001 Tables 2-9, 2-13" },
	{ .name = "CB%u_CR_C_MSR_PMON_CTR_%n", .role = CAT_CTR, .access = CAT_RW, .count = 6, .bytes = 8,
	  .step = 2, .off = 0x11,
	  .fields = ctr_fields, .n_fields = COUNT(ctr_fields), .source = "323535-001 Tables 2-9, 2-14" },
};

/* The order of the addresses is not that of the numbers (Table 2-9). */
static const struct cat_unit units[] = {
	{ .base = { 0xd00 } },
	{ .base = { 0xd80 } },
	{ .base = { 0xd40 } },
	{ .base = { 0xdc0 } },
	{ .base = { 0xd20 } },
	{ .base = { 0xda0 } },
	{ .base = { 0xd60 } },
	{ .base = { 0xde0 } },
};

/* ------------------------------------------------------------------ unit masks */

#define SB   "In the direction of the nearest S-Box"
#define NSB  "In the direction away from the nearest S-Box"
#define BOTH "In both directions"

static const struct cat_umask bounces[] = {
	{ .name = "SB", .value = 0x01, .help = SB },
	{ .name = "NSB", .value = 0x02, .help = NSB },
	{ .name = "ALL", .value = 0x03, .help = BOTH },
};

static const struct cat_umask sinks_p2c[] = {
	{ .name = "AD", .alias = "IV", .value = 0x01, .help = "Address ring: read and write requests of cores" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring: snoop responses of cores" },
	{ .name = "BL", .value = 0x04, .help = "Data ring: lines that cores write back" },
};

static const struct cat_umask sinks_c2p[] = {
	{ .name = "IV", .value = 0x01, .help = "Invalidate ring: snoops of a core's caches" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring: messages that complete a request" },
	{ .name = "BL", .value = 0x04, .help = "Data ring: cache data for the core" },
};

static const struct cat_umask sinks_s2c[] = {
	{ .name = "AD", .value = 0x01, .help = "Address ring: snoops from other sockets" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring: completions from QPI" },
	{ .name = "BL", .value = 0x04, .help = "Data ring: data that fills the cache" },
};

static const struct cat_umask arb[] = {
	{ .name = "AD_SB", .value = 0x01, .help = "Address ring, towards the nearest S-Box" },
	{ .name = "AD_NSB", .value = 0x02, .help = "Address ring, away from the nearest S-Box" },
	{ .name = "AD_ALL", .value = 0x03, .help = "Address ring, both directions" },
	{ .name = "AK_SB", .value = 0x04, .help = "Acknowledge ring, towards the nearest S-Box" },
	{ .name = "AK_NSB", .value = 0x08, .help = "Acknowledge ring, away from the nearest S-Box" },
	{ .name = "AK_ALL", .value = 0x0c, .help = "Acknowledge ring, both directions" },
	{ .name = "BL_SB", .value = 0x10, .help = "Data ring, towards the nearest S-Box" },
	{ .name = "BL_NSB", .value = 0x20, .help = "Data ring, away from the nearest S-Box" },
	{ .name = "BL_ALL", .value = 0x30, .help = "Data ring, both directions" },
	{ .name = "IV", .value = 0x40, .help = "Invalidate ring" },
	{ .name = "ALL", .value = 0x7f, .help = "All rings" },
};

static const struct cat_umask starved[] = {
	{ .name = "P2C_AD_SB", .value = 0x01,
	  .help = "Address queue from the core, towards the nearest S-Box" },
	{ .name = "C2S_AD_SB", .alias = "C2P_AD_SB", .value = 0x02, .help = "Address queue from the C-Box to the S-Box" },
	{ .name = "AD_SB", .value = 0x03, .help = "Both address queues towards the nearest S-Box" },
	{ .name = "AD_NSB", .value = 0x04, .help = "Address queues away from the nearest S-Box" },
	{ .name = "AD", .value = 0x07, .help = "All address queues" },
	{ .name = "AK_SB", .value = 0x08, .help = "Acknowledge queue towards the nearest S-Box" },
	{ .name = "AK_NSB", .value = 0x10, .help = "Acknowledge queue away from the nearest S-Box" },
	{ .name = "AK", .value = 0x18, .help = "Both acknowledge queues" },
	{ .name = "BL_SB", .value = 0x20, .help = "Data queue towards the nearest S-Box" },
	{ .name = "BL_NSB", .value = 0x40, .help = "Data queue away from the nearest S-Box" },
	{ .name = "BL", .value = 0x60, .help = "Both data queues" },
	{ .name = "IV", .value = 0x80, .help = "Invalidate queue" },
};

static const struct cat_umask egress_bypass[] = {
	{ .name = "AD_BYP0", .value = 0x01, .help = "Address ring, path of 0 cycles" },
	{ .name = "AD_BYP1", .value = 0x02, .help = "Address ring, path of 1 cycle" },
	{ .name = "AK_BYP0", .value = 0x04, .help = "Acknowledge ring, path of 0 cycles" },
	{ .name = "AK_BYP1", .value = 0x08, .help = "Acknowledge ring, path of 1 cycle" },
	{ .name = "BL_BYP0", .value = 0x10, .help = "Data ring, path of 0 cycles" },
	{ .name = "BL_BYP1", .value = 0x20, .help = "Data ring, path of 1 cycle" },
	{ .name = "IV_BYP0", .value = 0x40, .help = "Invalidate ring, path of 0 cycles" },
	{ .name = "IV_BYP1", .value = 0x80, .help = "Invalidate ring, path of 1 cycle" },
};

static const struct cat_umask ingress_bypass[] = {
	{ .name = "IRQ_BYP0", .value = 0x01, .help = "Ingress request queue, path of 0 cycles" },
	{ .name = "IRQ_BYP1", .value = 0x02, .help = "Ingress request queue, path of 1 cycle" },
	{ .name = "IPQ_BYP0", .value = 0x04, .help = "Ingress probe queue, path of 0 cycles" },
	{ .name = "IPQ_BYP1", .value = 0x08, .help = "Ingress probe queue, path of 1 cycle" },
};

static const struct cat_umask nack1[] = {
	{ .name = "GO_PENDING", .value = 0x01,
	  .help = "The requesting core has not yet seen its transaction complete" },
	{ .name = "VIC_PENDING", .value = 0x02, .help = "A fill waits for the line that it evicts" },
	{ .name = "SNP_PENDING", .value = 0x04, .help = "A snoop for the transaction is not yet answered" },
	{ .name = "AC_PENDING", .value = 0x08,
	  .help = "A remote snoop meets a transaction that waits for a conflict acknowledge" },
	{ .name = "IDX_BLOCK", .value = 0x10,
	  .help = "No way can be chosen yet for the line that a read miss evicts" },
	{ .name = "PA_BLOCK", .value = 0x20,
	  .help = "Another transaction has the same physical address: many of them mean that threads share "
		  "lines heavily" },
	{ .name = "IDLE_QPI", .value = 0x40, .help = "QPI is in its idle state" },
	{ .name = "ALL_MAF_NACK2", .value = 0x80, .help = "Any of the reasons of MAF_NACK2" },
	{ .name = "TOTAL_MAF_NACKS", .value = 0xff, .help = "Every rejected pass, those of MAF_NACK2 too" },
};

static const struct cat_umask nack2[] = {
	{ .name = "MAF_FULL", .value = 0x01, .help = "The miss address file has no free entry" },
	{ .name = "EGRESS_FULL", .value = 0x02,
	  .help = "The ring cannot take the response that the message needs" },
	{ .name = "VIQ_FULL", .value = 0x04, .help = "The queue of evicted lines is full" },
	{ .name = "NO_TRACKER_CREDITS", .value = 0x08,
	  .help = "No credit of the home agent's tracker is left" },
	{ .name = "NO_S_FIFO_CREDITS", .value = 0x10, .help = "The S-Box has no buffer for the message" },
	{ .name = "NO_S_REQTBL_ENTRIES", .value = 0x20, .help = "The request table of the S-Box is full" },
	{ .name = "WB_PENDING", .value = 0x40,
	  .help = "A remote snoop meets a transaction whose write-back is under way" },
	{ .name = "NACK2_ELSE", .value = 0x80, .help = "None of the other reasons" },
};

static const struct cat_umask misses[] = {
	{ .name = "S", .value = 0x01,
	  .help = "The line is there as shared, but the request needs to own it" },
	{ .name = "F", .value = 0x02,
	  .help = "The line is there as forward, but the request needs to own it" },
	{ .name = "I", .value = 0x04, .help = "The line is not there" },
	{ .name = "ALL", .value = 0x07, .help = "All misses" },
};

static const struct cat_umask hits[] = {
	{ .name = "M", .alias = "MODIFIED", .value = 0x01, .help = "Line is modified" },
	{ .name = "E", .alias = "EXCLUSIVE", .value = 0x02, .help = "Line is exclusive" },
	{ .name = "S", .alias = "SHARED", .value = 0x04, .help = "Line is shared" },
	{ .name = "F", .alias = "FORWARD", .value = 0x08, .help = "Line is forward: shared, and this cache answers snoops" },
	{ .name = "ALL", .value = 0x0f, .help = "Line in any state" },
};

static const struct cat_umask fills[] = {
	{ .name = "M", .alias = "MODIFIED", .value = 0x01,
	  .help = "As modified: another socket forwarded it without writing it to memory" },
	{ .name = "E", .alias = "EXCLUSIVE", .value = 0x02, .help = "As exclusive" },
	{ .name = "S", .alias = "SHARED", .value = 0x04, .help = "As shared" },
	{ .name = "F", .alias = "FORWARD", .value = 0x08, .help = "As forward" },
	{ .name = "ALL", .value = 0x0f, .help = "In any state" },
};

/* ALL is likwid's alone, and its two lists differ. */
#define VICTIMS \
	{ .name = "M", .alias = "MODIFIED", .value = 0x01, .help = "Modified line, written back to memory" }, \
	{ .name = "E", .alias = "EXCLUSIVE", .value = 0x02, .help = "Exclusive line" }, \
	{ .name = "S", .alias = "SHARED", .value = 0x04, .help = "Shared line" }, \
	{ .name = "F", .alias = "FORWARD", .value = 0x08, .help = "Forward line" }, \
	{ .name = "I", .alias = "FILL_WITHOUT_VICTIMS", .value = 0x10, .help = "A fill that evicted nothing: no victim" }
static const struct cat_umask victims[] = {
	VICTIMS, { .name = "ALL", .value = 0x1f, .help = "All fills, those that evicted nothing too",
	.disputed = "ALL is likwid's, which leaves such fills out (0x0f) in its list for Westmere-EX" },
};
static const struct cat_umask westmere_victims[] = {
	VICTIMS, { .name = "ALL", .value = 0x0f, .help = "Line in any state",
	.disputed = "ALL is likwid's, which adds fills that evicted nothing (0x1f) in its list for the Xeon 7500" },
};

static const struct cat_umask snps[] = {
	{ .name = "REMOTE_RD", .value = 0x01, .help = "For a data or code read: the line becomes shared" },
	{ .name = "REMOTE_RFO", .value = 0x02, .help = "For ownership: the line is invalidated" },
	{ .name = "REMOTE_ANY", .value = 0x03, .help = "All snoops, whether they hit or not" },
};

static const struct cat_umask snp_hits[] = {
	{ .name = "REMOTE_RD_HITM", .value = 0x01, .help = "Read snoop, modified line" },
	{ .name = "REMOTE_RD_HITE", .value = 0x02, .help = "Read snoop, exclusive line" },
	{ .name = "REMOTE_RD_HITS", .value = 0x04, .help = "Read snoop, shared line" },
	{ .name = "REMOTE_RD_HITF", .value = 0x08, .help = "Read snoop, forward line" },
	{ .name = "REMOTE_RFO_HITM", .value = 0x10, .help = "Ownership snoop, modified line" },
	{ .name = "REMOTE_RFO_HITE", .value = 0x20, .help = "Ownership snoop, exclusive line" },
	{ .name = "REMOTE_RFO_HITS", .value = 0x40, .help = "Ownership snoop, shared line" },
	{ .name = "REMOTE_RFO_HITF", .value = 0x80, .help = "Ownership snoop, forward line" },
	{ .name = "REMOTE_HITM", .value = 0x11, .help = "Any snoop, modified line" },
	{ .name = "REMOTE_HITE", .value = 0x22, .help = "Any snoop, exclusive line" },
	{ .name = "REMOTE_HITS", .value = 0x44, .help = "Any snoop, shared line" },
	{ .name = "REMOTE_HITF", .value = 0x88, .help = "Any snoop, forward line" },
	{ .name = "REMOTE_ANY", .value = 0xff, .help = "Any snoop, line in any state" },
};

/* ------------------------------------------------------------------ events */

#define SRC "323535-001 Table 2-15, 2.3.6"
#define UMASKS(list, how, default_) \
	.combine = CAT_UMASK_BITS, .adds = (how), .dflt = (default_), .n_umasks = COUNT(list), \
	.umasks = (list)
#define LLC_VICTIMS(list) \
	{ .name = "LLC_VICTIMS", .code = 0x17, .max_inc = 1, UMASKS(list, CAT_OR, -1), .source = SRC, \
	  .note = "All victims are M:E:S:F; I counts fills without a victim", \
	  .help = "Lines that a fill evicted from this slice of the last-level cache" }
#define PLAIN .dflt = -1
#define SINK_NOTE "A sink moves 32 bytes: two of them make a cache line"
#define NACK_NOTE "The manual lists this event in 2.3.6, but not in Table 2-15"

static const struct cat_event events[] = {
	{ .name = "BOUNCES_P2C_AD", .code = 0x01, .max_inc = 1, UMASKS(bounces, CAT_OR, 2), .source = SRC,
	  .alias = TEXTS("BOUNCES_C2P_AD"),
	  .help = "Core requests to the cache that the C-Box could not take, so that they went round the "
		  "address ring again" },
	{ .name = "BOUNCES_C2P_AK", .code = 0x02, .max_inc = 1, UMASKS(bounces, CAT_OR, 2), .source = SRC,
	  .help = "Acknowledges from the C-Box that a core could not take, so that they went round the "
		  "acknowledge ring again" },
	{ .name = "BOUNCES_C2P_BL", .code = 0x03, .max_inc = 1, UMASKS(bounces, CAT_OR, 2), .source = SRC,
	  .help = "Data from the C-Box that a core could not take, so that it went round the data ring "
		  "again" },
	{ .name = "BOUNCES_C2P_IV", .code = 0x04, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Snoops of a core's caches that the core could not take, so that they went round the "
		  "invalidate ring again" },
	{ .name = "SINKS_P2C", .code = 0x05, .max_inc = 3, UMASKS(sinks_p2c, CAT_ADDS, -1), .source = SRC,
	  .note = SINK_NOTE,
	  .help = "Messages from cores of this socket that the C-Box took off the ring" },
	{ .name = "SINKS_C2P", .code = 0x06, .max_inc = 3, UMASKS(sinks_c2p, CAT_ADDS, -1), .source = SRC,
	  .note = SINK_NOTE,
	  .help = "Messages from any C-Box that the core at this ring stop took off the ring" },
	{ .name = "SINKS_S2C", .code = 0x07, .max_inc = 3, UMASKS(sinks_s2c, CAT_ADDS, -1), .source = SRC,
	  .note = SINK_NOTE,
	  .help = "Messages from the S-Box, which stands for QPI and memory, that the C-Box took off the "
		  "ring" },
	{ .name = "SINKS_S2P_BL", .code = 0x08, .max_inc = 1, PLAIN, .source = SRC, .note = SINK_NOTE,
	  .help = "Data messages from the S-Box that the core at this ring stop took off the data ring" },
	{ .name = "ARB_WINS", .code = 0x09, .max_inc = 7, UMASKS(arb, CAT_ADDS, 10), .source = SRC,
	  .note = "likwid prints code 0x0a, which is ARB_LOSSES",
	  .help = "Messages that got a free place on the ring at this stop" },
	{ .name = "ARB_LOSSES", .code = 0x0a, .max_inc = 7, UMASKS(arb, CAT_ADDS, 10), .source = SRC,
	  .help = "Tries to put a message onto the ring that failed because the place was taken" },
	{ .name = "STARVED_EGRESS", .code = 0x0b, .max_inc = 8, UMASKS(starved, CAT_ADDS, -1),
	  .source = SRC,
	  .help = "Cycles in which a queue towards the ring has waited so long that it counts as starved" },
	{ .name = "EGRESS_BYPASS_WINS", .code = 0x0c, .max_inc = 7, UMASKS(egress_bypass, CAT_ADDS, -1),
	  .source = SRC,
	  .help = "Messages that went onto the ring by a short cut around the egress queue" },
	{ .name = "INGRESS_BYPASS_WINS_AD", .code = 0x0e, .max_inc = 1, UMASKS(ingress_bypass, CAT_OR, -1),
	  .source = SRC,
	  .help = "Messages off the address ring that took a short cut around the ingress queues of the "
		  "C-Box" },
	{ .name = "MAF_ACK", .code = 0x10, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Passes through the cache pipeline that the miss address file accepted" },
	{ .name = "MAF_NACK1", .code = 0x11, .max_inc = 1, UMASKS(nack1, CAT_OR, 8),
	  .source = "323535-001 2.3.6", .note = NACK_NOTE,
	  .help = "Passes through the cache pipeline that were rejected and must be tried again, first set "
		  "of reasons" },
	{ .name = "MAF_NACK2", .code = 0x12, .max_inc = 1, UMASKS(nack2, CAT_OR, -1),
	  .source = "323535-001 2.3.6", .note = NACK_NOTE,
	  .help = "Passes through the cache pipeline that were rejected and must be tried again, second "
		  "set of reasons" },
	{ .name = "LLC_MISSES", .code = 0x14, .max_inc = 1, UMASKS(misses, CAT_OR, 3), .source = SRC,
	  .help = "Look-ups in this slice of the last-level cache that did not find what they need" },
	{ .name = "LLC_HITS", .code = 0x15, .max_inc = 1, UMASKS(hits, CAT_OR, 4), .source = SRC,
	  .note = "Hints that only refresh the age of a line are counted too",
	  .help = "Look-ups in this slice of the last-level cache that found the line" },
	{ .name = "LLC_S_FILLS", .code = 0x16, .max_inc = 1, UMASKS(fills, CAT_OR, 4), .source = SRC,
	  .help = "Lines that came through the S-Box, from memory or another socket, into this slice" },
	LLC_VICTIMS(victims),
	{ .name = "OCCUPANCY_IRQ", .code = 0x18, .max_inc = 24, PLAIN, .source = SRC,
	  .help = "Entries in the ingress request queue, which holds core requests before the cache sees "
		  "them, summed over cycles" },
	{ .name = "TRANS_IRQ", .code = 0x19, .max_inc = 1, PLAIN, .source = SRC,
	  .note = "Table 2-15 counts entries that leave, 2.3.6 entries that arrive",
	  .help = "Core requests that passed through the ingress request queue" },
	{ .name = "OCCUPANCY_IPQ", .code = 0x1a, .max_inc = 8, PLAIN, .source = SRC,
	  .help = "Entries in the ingress probe queue, which holds snoops from other sockets before the "
		  "cache sees them, summed over cycles" },
	{ .name = "TRANS_IPQ", .code = 0x1b, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Snoops from other sockets that entered the ingress probe queue" },
	{ .name = "OCCUPANCY_VIQ", .code = 0x1c, .max_inc = 8, PLAIN, .source = SRC,
	  .help = "Entries in the victim queue, which holds evicted lines, summed over cycles" },
	{ .name = "TRANS_VIQ", .code = 0x1d, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Evicted lines that entered the victim queue, those that need no write-back too" },
	{ .name = "OCCUPANCY_MAF", .code = 0x1e, .max_inc = 16, PLAIN, .source = SRC,
	  .help = "Entries in the miss address file, which orders misses and tracks coherence, summed over "
		  "cycles" },
	{ .name = "TRANS_MAF", .code = 0x1f, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Transactions that got an entry in the miss address file" },
	{ .name = "OCCUPANCY_RWRF", .code = 0x20, .max_inc = 12, PLAIN, .source = SRC,
	  .help = "Entries in the read and write request FIFO between the core and the ring, summed over "
		  "cycles" },
	{ .name = "TRANS_RWRF", .code = 0x21, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Core requests that passed through the read and write request FIFO on their way to the "
		  "ring" },
	{ .name = "OCCUPANCY_RSPF", .code = 0x22, .max_inc = 8, PLAIN, .source = SRC,
	  .help = "Entries in the snoop response FIFO between the core and the ring, summed over cycles" },
	{ .name = "TRANS_RSPF", .code = 0x23, .max_inc = 1, PLAIN, .source = SRC,
	  .help = "Snoop responses of the core that passed through the snoop response FIFO on their way to "
		  "the ring" },
	{ .name = "SNPS", .code = 0x27, .max_inc = 1, UMASKS(snps, CAT_OR, 2), .source = SRC,
	  .note = "Those that missed are SNPS:REMOTE_ANY less SNP_HITS:REMOTE_ANY",
	  .help = "Snoops from other sockets that reached this slice of the last-level cache" },
	{ .name = "SNP_HITS", .code = 0x28, .max_inc = 1, UMASKS(snp_hits, CAT_OR, 12), .source = SRC,
	  .help = "Snoops from other sockets that found their line in this slice of the last-level cache" },
};

/* ------------------------------------------------------------------ Westmere-EX */

#define NAMED(name_, code_, words_) \
	{ .name = (name_), .code = (code_), .max_inc = 24, .dflt = -1, .source = "likwid perfmon_westmereEX_events.txt", \
	  .disputed = "Only likwid lists this event, by its name alone: the sentence is that name read aloud, and the " \
		      "largest increment per cycle that of any event of the box", \
	  .help = words_ }
/* C-Boxes 8 and 9 lie apart from the others. */
static const struct cat_unit westmere_units[] = {
	{ .base = { 0xd00 } }, { .base = { 0xd80 } }, { .base = { 0xd40 } }, { .base = { 0xdc0 } }, { .base = { 0xd20 } },
	{ .base = { 0xda0 } }, { .base = { 0xd60 } }, { .base = { 0xde0 } }, { .base = { 0xf40 } }, { .base = { 0xfc0 } },
};

static const struct cat_event westmere_events[] = {
	LLC_VICTIMS(westmere_victims),
	{ .name = "ARB_WINS_P2C_SB", .code = 0x33, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Core requests that got a place on the ring towards the nearest S-Box" },
	{ .name = "ARB_WINS_P2C_NSB", .code = 0x34, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Core requests that got a place on the ring away from the nearest S-Box" },
	/* Of these likwid has a name and a code, and nobody a sentence. */
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
	{ .name = "BOUNCE_ASSERT", .code = 0x38, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Times the C-Box began to send messages back onto the ring because it could not take them" },
	{ .name = "BOUNCE_DEASSERT", .code = 0x39, WESTMERE_PLAIN, WESTMERE_LIKWID,
	  .help = "Times the C-Box could take messages off the ring again" },
};

/* ------------------------------------------------------------------ the box */

#define CBOX \
	.name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache", .n_counters = 6, \
	.ctl_overflow = BIT(20), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = CAT_NONE, .source = "323535-001 2.3, Table 2-13", \
	ROWS, .space = SPACE_MSR, .width = 48, NEHALEM_EX_UNCLK
const struct cat_box nehalem_ex_cbox = { CBOX, UNITS(units) };
const struct cat_box westmere_ex_cbox = { CBOX, UNITS(westmere_units), EXTRA(westmere_events) };
