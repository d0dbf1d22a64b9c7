/* SPDX-License-Identifier: MIT
 * Home agents of the Xeon E5/E7 v2: order and answer the requests to a memory controller.
 * Owns:  their registers, the address and opcode filter, their events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A request is local if it comes from a core or device of this socket, remote if from another
 * socket.
 */
#include "catalog/tables/ivytown.h"

enum { ID_ADDR0 = 1, ID_ADDR1, ID_OPC };

static const struct cat_field ctl_fields[] = {
	IVYTOWN_THRESH(31), IVYTOWN_EN, IVYTOWN_OV_EN, IVYTOWN_EDGE_RST,
	PULSE("q_occ_rst", 16, 16, "Sets the queue counter behind this counter to 0"),
	IVYTOWN_SELECTION,
};

#define SRC "329468-002 2.4.2"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("HA%u", 4, SRC),
	R("HA%u_PCI_PMON_BOX_ADDRMATCH0", FILTER, RW, 1, 4, 0x40, "329468-002 p 58, kernel", .id = ID_ADDR0,
	  FIELDS_HERE(F("lo_addr", 31, 6, "Bits 31:6 of the system address"))),
	R("HA%u_PCI_PMON_BOX_ADDRMATCH1", FILTER, RW, 1, 4, 0x44, "329468-002 Table 2-43, kernel", .id = ID_ADDR1,
	  FIELDS_HERE(F("hi_addr", 13, 0, "Bits 45:32 of the system address"))),
	R("HA%u_PCI_PMON_BOX_OPCODEMATCH", FILTER, RW, 1, 4, 0x48, "329468-002 Table 2-42, kernel", .id = ID_OPC,
	  FIELDS_HERE(
	  F("opc", 5, 0,
	    "Class (bits 5:4; on the address ring 0 HOM0, 1 HOM1, 2 NDR, 3 SNP) and opcode"))),
	IVYTOWN_PCI_CTL("HA%u", 4, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("HA%u", 4, ivytown_ctr48_fields, SRC),
};

enum { F_ADDR_LO, F_ADDR_HI, F_OPC };

#define UMASK_ADDR 0x01
#define UMASK_OPC  0x1e
static const struct cat_selector match_selector = {
	ENCODINGS(ENCODING(0x20, [F_ADDR_LO] = { ID_ADDR0, 31, 6 }, [F_ADDR_HI] = { ID_ADDR1, 13, 0 },
	  [F_OPC] = { ID_OPC, 5, 0 })),
	.name = "address and opcode match registers of the home agent",
	KEYS_HERE(
	  K("address", F_ADDR_LO, 39, 0,
	    "Count only requests to the cache line at this system address, a multiple of 64",
	    .shift = 6, .split = 26, .split_field = F_ADDR_HI, .hex = true, .umask_bits = UMASK_ADDR, .required = true),
	  K("opc", F_OPC, 5, 0,
	    "Count only messages with this class (bits 5:4) and QPI opcode (bits 3:0)",
	    .hex = true, .umask_bits = UMASK_OPC, .required = true)),
};

#define ADDR .values = VALUES(.has = BIT(F_ADDR_LO) | BIT(F_ADDR_HI))
#define OPC  .values = VALUES(.has = BIT(F_OPC))
static const struct cat_umask match[] = {
	U("FILT", 0x03,
	  "Both address and opcode fit",
	  .values = VALUES(.has = BIT(F_ADDR_LO) | BIT(F_ADDR_HI) | BIT(F_OPC))),
	U("ADDR", 0x01, "The address fits", ADDR),
	U("OPC", 0x02, "The opcode fits", OPC),
	U("AD", 0x04, "The opcode fits, on the address ring", OPC),
	U("BL", 0x08, "The opcode fits, on the data ring", OPC),
	U("AK", 0x10, "The opcode fits, on the acknowledge ring", OPC),
};

static const struct cat_umask requests[] = {
	U("READS", 0x03, "Reads of any socket; nearly the read misses of the last-level caches"),
	U("READS_LOCAL", 0x01, "Reads of this socket"),
	U("READS_REMOTE", 0x02, "Reads of other sockets"),
	U("WRITES", 0x0c, "Writes of any socket"),
	U("WRITES_LOCAL", 0x04, "Writes of this socket"),
	U("WRITES_REMOTE", 0x08, "Writes of other sockets"),
	U("INVITOE_LOCAL", 0x10, "Requests of this socket to own a line without its data"),
	U("INVITOE_REMOTE", 0x20, "Requests of other sockets to own a line without its data"),
};

static const struct cat_umask conflict[] = {
	U("CONFLICT", 0x02, "A conflict was detected"),
	U("LAST", 0x04, "Last of a chain of conflicts"),
	U("ACKCNFLTS", 0x08, "Conflicts acknowledged (AckCnflt)"),
	U("CMP_FWDS", 0x10, "Completions that order a forward (Cmp_Fwd)"),
};

#define TWICE(other) .disputed = "Intel's event file has the same value for " other
#define PFM4 .disputed = "Only libpfm4 lists this unit mask"
#define OTHER_WAY .disputed = "TAKEN is 0x01 and NOT_TAKEN 0x02 in Intel's event file and the " \
		"manual, the other way round in libpfm4"
#define CHN(n, bit) U("CHN" #n, bit, "Memory channel " #n)
static const struct cat_umask channels[] = {
	CHN(0, 0x01), CHN(1, 0x02), CHN(2, 0x04), CHN(3, 0x08),
};

static const struct cat_umask normal[] = { U("NORMAL", 0x01, "Reads of normal priority") };

static const struct cat_umask writes[] = {
	U("ALL", 0x0f, "All writes"),
	U("FULL", 0x01, "Whole lines"),
	U("PARTIAL", 0x02, "Parts of lines"),
	U("FULL_ISOCH", 0x04, "Whole lines, isochronous"),
	U("PARTIAL_ISOCH", 0x08, "Parts of lines, isochronous"),
};

#define REGION(n, bit) U("REGION" #n, bit, "Address region " #n)
#define RSPI U("RSPI", 0x01, "Nothing found (RspI)")
#define RSPS U("RSPS", 0x02, "A clean line found and kept shared (RspS)")
#define RSPIFWD U("RSPIFWD", 0x04, "Line forwarded and given up (RspIFwd)")
#define RSPSFWD U("RSPSFWD", 0x08, "Line forwarded and kept shared (RspSFwd)")
#define WB_TEXT "Modified line written back (RspIWb, RspSWb)"
#define FWD_WB_TEXT "Modified line forwarded and written back (RspFwdIWb, RspFwdSWb)"
#define RSPCNFLCT U("RSPCNFLCT", 0x40, "Conflict with another request (RspCnflt)")
static const struct cat_umask responses[] = {
	RSPI, RSPS, RSPIFWD, RSPSFWD,
	U("RSP_WB", 0x10, WB_TEXT),
	U("RSP_FWD_WB", 0x20, FWD_WB_TEXT),
	RSPCNFLCT,
};

#define SCHED0 U("SCHED0", 0x01, "Scheduler 0")
#define SCHED1 U("SCHED1", 0x02, "Scheduler 1")
static const struct cat_umask scheds[] = { U("ALL", 0x03, "Both schedulers"), SCHED0, SCHED1 };
static const struct cat_umask each_sched[] = { SCHED0, SCHED1 };

#define MOST IVYTOWN_HA_MOST
#define TABLE MANUAL " 2.4.4"
#define RING(name_, code_, text) \
	E("RING_" name_ "_USED", code_, 1, JSON, SUMMED(ivytown_ring, -1), \
	  .help = "Cycles in which the " text " ring carries a packet at the home agent's stop", \
	  .note = "Passing and arriving packets count, those that start here do not")
#define EGRESS(ring_, insert, occupancy, m, ne, full, text) \
	E("TXR_" ring_ "_INSERTS", insert, MOST, JSON, MASKS(scheds, 0), \
	  .help = "Messages that the home agent put into its queue to the " text " ring"), \
	E("TXR_" ring_ "_OCCUPANCY", occupancy, MOST, JSON, m, \
	  .help = "Messages in the home agent's queue to the " text " ring, added up each cycle"), \
	E("TXR_" ring_ "_CYCLES_NE", ne, 1, JSON, SUMMED(scheds, 0), \
	  .help = "Cycles in which a message waits in the home agent's queue to the " text " ring"), \
	E("TXR_" ring_ "_CYCLES_FULL", full, 1, JSON, SUMMED(scheds, 0), \
	  .help = "Cycles in which the home agent's queue to the " text " ring is full")
#define NO_CREDITS(queue, kind, code_, text) \
	E(queue "_CYCLES_NO_" kind "_CREDITS", code_, 4, MANUAL " p 70", SUMMED(channels, -1), \
	  .help = "Cycles without " text " to a channel of the memory controller")

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x00, 1, TABLE, CLOCK,
	  .help = "Cycles of the uncore clock at the home agent"),
	E("REQUESTS", 0x01, 1, TABLE, SUMMED(requests, -1),
	  .help = "Requests that reached the home agent"),
	E("TRACKER_CYCLES_NE", 0x03, 1, JSON, PLAIN,
	  .help = "Cycles in which the home agent's tracker holds a request"),
	E("CONFLICT_CYCLES", 0x0b, 1, TABLE, SUMMED(conflict, -1),
	  .help = "Conflicts between requests to the same line"),
	E("DIRECTORY_LOOKUP", 0x0c, 1, TABLE,
	  .help = "Look-ups in the directory, which tells whether other sockets have a line",
	  SUMMED_HERE(0,
	  U("ANY", 0x10, "Whatever was found"),
	  U("SNP", 0x01, "Other sockets had to be snooped", .alias = "SNOOP"),
	  U("NO_SNP", 0x02, "No socket had to be snooped", TWICE("SNOOP_S")),
	  U("SNOOP_S", 0x02, "Snooped because of state S, by its name", TWICE("NO_SNP")),
	  U("SNOOP_A", 0x08, "Snooped because of state A, by its name"),
	  U("STATE_I", 0x20, "The line was in state I: no other socket has it"),
	  U("STATE_S", 0x40, "The line was in state S: others may share it"),
	  U("STATE_A", 0x80, "The line was in state A: others may have anything"))),
	E("DIRECTORY_UPDATE", 0x0d, 1, TABLE,
	  .help = "Changes of the directory; each is a write to memory",
	  SUMMED_HERE(0,
	  U("ANY", 0x03, "Set or cleared"),
	  U("SET", 0x01, "Set: a line went to another socket"),
	  U("CLEAR", 0x02, "Cleared: no other socket has the line any more", TWICE("I2S")),
	  U("I2S", 0x02, "From state I to S", TWICE("CLEAR")),
	  U("I2A", 0x04, "From state I to A"),
	  U("S2I", 0x08, "From state S to I"),
	  U("S2A", 0x10, "From state S to A"),
	  U("A2I", 0x20, "From state A to I"),
	  U("A2S", 0x40, "From state A to S"))),
	E("TXR_AK", 0x0e, 1, TABLE,
	  .help = "Messages that the home agent sent on the acknowledge ring",
	  SUMMED_HERE(0,
	  U("CRD_CBO", 0x02, "Credits for C-Boxes"),
	  U("NDR", 0x01, "Responses without data, for this socket", PFM4),
	  U("CRD_QPI", 0x04, "Credits for QPI", PFM4))),
	E("TXR_AD", 0x0f, MOST, JSON,
	  .help = "Messages that the home agent sent on the address ring",
	  MASKS_HERE(0,
	  U("HOM", 0x04,
	    "Home messages, by its name",
	    .disputed = "Intel's event file describes HOM as responses without data"))),
	E("TXR_BL", 0x10, 1, TABLE,
	  .help = "Data responses that the home agent sent on the data ring",
	  SUMMED_HERE(-1,
	  U("DRS_CACHE", 0x01, "Data for the last-level cache"),
	  U("DRS_CORE", 0x02, "Data straight to the core that asked"),
	  U("DRS_QPI", 0x04, "Data for another socket"))),
	E("DIRECT2CORE_COUNT", 0x11, 1, TABLE, PLAIN,
	  .help = "Data sent straight to the core that asked, past the last-level cache (direct to core)"),
	E("DIRECT2CORE_CYCLES_DISABLED", 0x12, 1, TABLE, PLAIN,
	  .help = "Cycles in which sending data straight to a core was switched off"),
	E("DIRECT2CORE_TXN_OVERRIDE", 0x13, 1, TABLE, PLAIN,
	  .help = "Reads that could have gone straight to a core, but were sent through the cache"),
	E("BYPASS_IMC", 0x14, 1, TABLE,
	  .help = "Reads that tried a short cut to the memory controller, which works under light load",
	  SUMMED_HERE(-1,
	  U("TAKEN", 0x01, "Reads that took the short cut", OTHER_WAY),
	  U("NOT_TAKEN", 0x02, "Reads that could not take it", OTHER_WAY))),
	NO_CREDITS("RPQ", "REG", 0x15, "a regular credit to send a read"),
	NO_CREDITS("RPQ", "SPEC", 0x16, "a special credit to send a read"),
	E("IMC_READS", 0x17, 4, TABLE, MASKS(normal, 0),
	  .help = "Reads that the home agent sent to the memory controller"),
	NO_CREDITS("WPQ", "REG", 0x18, "a regular credit to send a write"),
	NO_CREDITS("WPQ", "SPEC", 0x19, "a special credit to send a write"),
	E("IMC_WRITES", 0x1a, 1, TABLE, SUMMED(writes, 0),
	  .help = "Writes that the home agent sent to the memory controller"),
	E("TAD_REQUESTS_G0", 0x1b, 2, TABLE, SUMMED_HERE(-1, REGION(0, 0x01), REGION(1, 0x02), REGION(2, 0x04),
	  REGION(3, 0x08), REGION(4, 0x10), REGION(5, 0x20), REGION(6, 0x40), REGION(7, 0x80)),
	  .help = "Requests to the address regions 0 to 7 of the home agent"),
	E("TAD_REQUESTS_G1", 0x1c, 2, TABLE,
	  SUMMED_HERE(-1, REGION(8, 0x01), REGION(9, 0x02), REGION(10, 0x04), REGION(11, 0x08)),
	  .help = "Requests to the address regions 8 to 11 of the home agent"),
	E("IMC_RETRY", 0x1e, MOST, JSON, PLAIN,
	  .help = "Requests to the memory controller that had to be tried again",
	  .note = "Intel's event file gives its name only"),
	E("ADDR_OPC_MATCH", 0x20, 1, MANUAL " p 58, 61", ONE_OF(match, -1), .selector = &match_selector,
	  .help = "Messages that fit the address and opcode given with address= and opc=",
	  .note = "One pair of filters per home agent: two different matches do not fit into one round"),
	E("SNOOP_RESP", 0x21, 1, MANUAL " p 70", SUMMED(responses, -1),
	  .help = "Answers to snoops that the home agent received"),
	E("IGR_NO_CREDIT_CYCLES", 0x22, 1, JSON,
	  .help = "Cycles in which the home agent cannot send over a QPI link for want of credits",
	  SUMMED_HERE(-1,
	  U("AD_QPI0", 0x01, "Address ring, link 0"),
	  U("AD_QPI1", 0x02, "Address ring, link 1"),
	  U("BL_QPI0", 0x04, "Data ring, link 0"),
	  U("BL_QPI1", 0x08, "Data ring, link 1"))),
	EGRESS("AD", 0x27, 0x28, MASKS(each_sched, -1), 0x29, 0x2a, "address"),
	EGRESS("AK", 0x2f, 0x30, MASKS(each_sched, -1), 0x31, 0x32, "acknowledge"),
	EGRESS("BL", 0x33, 0x34, MASKS(scheds, 0), 0x35, 0x36, "data"),
	RING("AD", 0x3e, "address"),
	RING("AK", 0x3f, "acknowledge"),
	RING("BL", 0x40, "data"),
	E("DIRECTORY_LAT_OPT", 0x41, MOST, JSON, PLAIN,
	  .help = "Reads answered over a faster path because the directory shows no other holder of the line"),
	E("BT_CYCLES_NE", 0x42, 1, MANUAL " p 61", .bare = true,
	  .help = "Cycles in which the backup tracker, where requests wait for the home agent, holds one",
	  .disputed = "Unit masks LOCAL 0x01 and REMOTE 0x02 by Intel's event file, which lists the event without one too; libpfm4 and the manual know no unit mask",
	  SUMMED_HERE(CAT_OPTIONAL,
	  U("LOCAL", 0x01, "Requests of this socket"),
	  U("REMOTE", 0x02, "Requests of other sockets"))),
	E("BT_OCCUPANCY", 0x43, MOST, MANUAL " p 61, Table 2-45",
	  .help = "Requests in the backup tracker, from arrival to completion, added up each cycle",
	  ONE_OF_HERE(-1,
	  U("LOCAL", 0x01, "Requests of this socket"),
	  U("REMOTE", 0x02, "Requests of other sockets"),
	  U("READS_LOCAL", 0x04, "Reads of this socket"),
	  U("READS_REMOTE", 0x08, "Reads of other sockets"),
	  U("WRITES_LOCAL", 0x10, "Writes of this socket"),
	  U("WRITES_REMOTE", 0x20, "Writes of other sockets"))),
	E("BT_TO_HT_NOT_ISSUED", 0x51, 1, JSON,
	  .help = "Cycles in which no request can go on from the backup tracker",
	  SUMMED_HERE(-1,
	  U("INCOMING_SNP_HAZARD", 0x02, "A snoop response is coming in"),
	  U("INCOMING_BL_HAZARD", 0x04, "Data is coming in"),
	  U("RSPACKCFLT_HAZARD", 0x08, "A conflict response is coming in, by its name"),
	  U("WBMDATA_HAZARD", 0x10, "Data written back is coming in, by its name"))),
	E("BT_BYPASS", 0x52, 1, MANUAL " p 61", PLAIN,
	  .help = "Requests that did not have to wait in the backup tracker"),
	E("OSB", 0x53, MOST, JSON,
	  .help = "Requests for which snoops were sent to all sockets although nothing demanded it (OSB)",
	  .note = "One for each request, however many snoops it causes",
	  MASKS_HERE(-1,
	  U("READS_LOCAL", 0x02, "For reads of this socket"),
	  U("INVITOE_LOCAL", 0x04, "For requests of this socket to own a line"),
	  U("REMOTE", 0x08, "For requests of other sockets"))),
	E("OSB_EDR", 0x54, MOST, JSON,
	  .help = "Reads with such snoops that were answered early, because memory had the line unchanged",
	  MASKS_HERE(0,
	  U("ALL", 0x01, "All of these reads"),
	  U("READS_LOCAL_I", 0x02, "Reads of this socket, directory state I"),
	  U("READS_REMOTE_I", 0x04, "Reads of other sockets, directory state I"),
	  U("READS_LOCAL_S", 0x08, "Reads of this socket, directory state S"),
	  U("READS_REMOTE_S", 0x10, "Reads of other sockets, directory state S"))),
	E("IODC_INSERTS", 0x56, MOST, JSON, PLAIN,
	  .help = "Lines put into the directory cache for I/O (IODC)"),
	E("IODC_CONFLICTS", 0x57, MOST, JSON,
	  .help = "Conflicts in the directory cache for I/O (IODC)",
	  MASKS_HERE(0,
	  U("ANY", 0x01, "Any conflict", .alias = "REMOTE_INVI2E_SAME_RTID"),
	  U("LAST", 0x04, "Last conflict", .alias = "REMOTE_OTHER_SAME_ADDR"))),
	E("IODC_OLEN_WBMTOI", 0x58, MOST, JSON, PLAIN,
	  .help = "Writes back without data that the directory cache for I/O (IODC) dropped"),
	E("IGR_CREDITS_AD_QPI2", 0x59, MOST, JSON, PLAIN, .alias = TEXTS("IGR_AD_QPI2_ACCUMULATOR", "IGR_AD_QPI2"),
	  .help = "Credits left to send over the address ring to QPI link 2, added up each cycle"),
	E("IGR_CREDITS_BL_QPI2", 0x5a, MOST, JSON, PLAIN, .alias = TEXTS("IGR_BL_QPI2_ACCUMULATOR", "IGR_BL_QPI2"),
	  .help = "Credits left to send over the data ring to QPI link 2, added up each cycle"),
	E("SNP_RESP_RECV_LOCAL", 0x60, 1, MANUAL " p 71",
	  .help = "Answers to snoops that the home agent sent out for requests of this socket",
	  SUMMED_HERE(-1, RSPI, RSPS, RSPIFWD, RSPSFWD,
	  U("RSPXWB", 0x10, WB_TEXT, .alias = "RSP_WB"),
	  U("RSPXFWDXWB", 0x20, FWD_WB_TEXT, .alias = "RSP_FWD_WB"),
	  RSPCNFLCT,
	  U("OTHER", 0x80, "All others"))),
};

const struct cat_box ivytown_ha = {
	.name = "ha", .letter = "H", .title = "HA: home agent of one memory controller",
	ROWS, .max_inc = IVYTOWN_HA_MOST, IVYTOWN_UCLK,
	UNITS_HERE(
	  { .dev = { 14 }, .fn = { 1 }, .id = { 0x0e30 } },
	  { .dev = { 28 }, .fn = { 1 }, .id = { 0x0e38 } }),
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.4",
};
