/* ivytown_ha.c - home agents of the Xeon E5/E7 v2: order and answer the requests to a memory controller.
 *
 * Owns:  their registers, the address and opcode filter, their events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A request is local if it comes from a core or device of this socket, remote if from another socket.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

enum { ID_ADDR0 = 1, ID_ADDR1, ID_OPC };

static const struct cat_field ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "q_occ_rst", 16, 16, CAT_FIELD_PULSE, "Sets the queue counter behind this counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field addr0_fields[] = {
	{ "lo_addr", 31, 6, CAT_FIELD, "Bits 31:6 of the system address" },
};

static const struct cat_field addr1_fields[] = {
	{ "hi_addr", 13, 0, CAT_FIELD, "Bits 45:32 of the system address" },
};

static const struct cat_field opc_fields[] = {
	{ "opc", 5, 0, CAT_FIELD, "Class (bits 5:4; on the address ring 0 HOM0, 1 HOM1, 2 NDR, 3 SNP) and opcode" },
};

#define SRC "329468-002 2.4.2"
#define FILTER .role = CAT_FILTER, .access = CAT_RW, .count = 1, .bytes = 4
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("HA%u", 4, SRC),
	{ .name = "HA%u_PCI_PMON_BOX_ADDRMATCH0", FILTER, .id = ID_ADDR0, .off = 0x40,
	  IVYTOWN_FIELDS(addr0_fields), .source = "329468-002 p 58, kernel" },
	{ .name = "HA%u_PCI_PMON_BOX_ADDRMATCH1", FILTER, .id = ID_ADDR1, .off = 0x44,
	  IVYTOWN_FIELDS(addr1_fields), .source = "329468-002 Table 2-43, kernel" },
	{ .name = "HA%u_PCI_PMON_BOX_OPCODEMATCH", FILTER, .id = ID_OPC, .off = 0x48,
	  IVYTOWN_FIELDS(opc_fields), .source = "329468-002 Table 2-42, kernel" },
	IVYTOWN_PCI_CTL("HA%u", 4, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("HA%u", 4, ivytown_ctr48_fields, SRC),
};

static const struct cat_unit units[] = {
	{ .dev = { 14 }, .fn = { 1 }, .id = { 0x0e30 } },
	{ .dev = { 28 }, .fn = { 1 }, .id = { 0x0e38 } },
};

/* ------------------------------------------------------------------ address and opcode filter */

enum { T_ADDR_LO, T_ADDR_HI, T_OPC };

static const struct cat_place match_places[] = {
	{ .code = 0x20, .t = { [T_ADDR_LO] = { ID_ADDR0, 31, 6 }, [T_ADDR_HI] = { ID_ADDR1, 13, 0 },
	  [T_OPC] = { ID_OPC, 5, 0 } } },
};

#define UMASK_ADDR 0x01
#define UMASK_OPC  0x1e
static const struct cat_key match_keys[] = {
	{ .name = "address", .target = T_ADDR_LO, .hi = 39, .lo = 0, .shift = 6, .split = 26,
	  .split_target = T_ADDR_HI, .hex = true, .umask_bits = UMASK_ADDR, .required = true,
	  .help = "Count only requests to the cache line at this system address, a multiple of 64" },
	{ .name = "opc", .target = T_OPC, .hi = 5, .lo = 0, .hex = true, .umask_bits = UMASK_OPC, .required = true,
	  .help = "Count only messages with this class (bits 5:4) and QPI opcode (bits 3:0)" },
};

static const struct cat_route match_route = {
	.n_places = COUNT(match_places), .places = match_places, .n_keys = COUNT(match_keys), .keys = match_keys,
	.name = "address and opcode match registers of the home agent",
};

#define ADDR .set = SET(.has = BIT(T_ADDR_LO) | BIT(T_ADDR_HI))
#define OPC  .set = SET(.has = BIT(T_OPC))
static const struct cat_umask match[] = {
	{ .name = "FILT", .value = 0x03, .set = SET(.has = BIT(T_ADDR_LO) | BIT(T_ADDR_HI) | BIT(T_OPC)),
	  .help = "Both address and opcode fit" },
	{ .name = "ADDR", .value = 0x01, ADDR, .help = "The address fits" },
	{ .name = "OPC", .value = 0x02, OPC, .help = "The opcode fits" },
	{ .name = "AD", .value = 0x04, OPC, .help = "The opcode fits, on the address ring" },
	{ .name = "BL", .value = 0x08, OPC, .help = "The opcode fits, on the data ring" },
	{ .name = "AK", .value = 0x10, OPC, .help = "The opcode fits, on the acknowledge ring" },
};

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask requests[] = {
	{ .name = "READS", .value = 0x03, .help = "Reads of any socket; nearly the read misses of the last-level caches" },
	{ .name = "READS_LOCAL", .value = 0x01, .help = "Reads of this socket" },
	{ .name = "READS_REMOTE", .value = 0x02, .help = "Reads of other sockets" },
	{ .name = "WRITES", .value = 0x0c, .help = "Writes of any socket" },
	{ .name = "WRITES_LOCAL", .value = 0x04, .help = "Writes of this socket" },
	{ .name = "WRITES_REMOTE", .value = 0x08, .help = "Writes of other sockets" },
	{ .name = "INVITOE_LOCAL", .value = 0x10, .help = "Requests of this socket to own a line without its data" },
	{ .name = "INVITOE_REMOTE", .value = 0x20, .help = "Requests of other sockets to own a line without its data" },
};

static const struct cat_umask conflict[] = {
	{ .name = "CONFLICT", .value = 0x02, .help = "A conflict was detected" },
	{ .name = "LAST", .value = 0x04, .help = "Last of a chain of conflicts" },
	{ .name = "ACKCNFLTS", .value = 0x08, .help = "Conflicts acknowledged (AckCnflt)" },
	{ .name = "CMP_FWDS", .value = 0x10, .help = "Completions that order a forward (Cmp_Fwd)" },
};

#define TWICE(other) .disputed = "Intel's event file has the same value for " other
static const struct cat_umask lookup[] = {
	{ .name = "ANY", .value = 0x10, .help = "Whatever was found" },
	{ .name = "SNP", .value = 0x01, .alias = "SNOOP", .help = "Other sockets had to be snooped" },
	{ .name = "NO_SNP", .value = 0x02, .help = "No socket had to be snooped", TWICE("SNOOP_S") },
	{ .name = "SNOOP_S", .value = 0x02, .help = "Snooped because of state S, by its name", TWICE("NO_SNP") },
	{ .name = "SNOOP_A", .value = 0x08, .help = "Snooped because of state A, by its name" },
	{ .name = "STATE_I", .value = 0x20, .help = "The line was in state I: no other socket has it" },
	{ .name = "STATE_S", .value = 0x40, .help = "The line was in state S: others may share it" },
	{ .name = "STATE_A", .value = 0x80, .help = "The line was in state A: others may have anything" },
};

static const struct cat_umask update[] = {
	{ .name = "ANY", .value = 0x03, .help = "Set or cleared" },
	{ .name = "SET", .value = 0x01, .help = "Set: a line went to another socket" },
	{ .name = "CLEAR", .value = 0x02, .help = "Cleared: no other socket has the line any more", TWICE("I2S") },
	{ .name = "I2S", .value = 0x02, .help = "From state I to S", TWICE("CLEAR") },
	{ .name = "I2A", .value = 0x04, .help = "From state I to A" },
	{ .name = "S2I", .value = 0x08, .help = "From state S to I" },
	{ .name = "S2A", .value = 0x10, .help = "From state S to A" },
	{ .name = "A2I", .value = 0x20, .help = "From state A to I" },
	{ .name = "A2S", .value = 0x40, .help = "From state A to S" },
};

#define PFM4 .disputed = "Only libpfm4 lists this unit mask"
static const struct cat_umask ak[] = {
	{ .name = "CRD_CBO", .value = 0x02, .help = "Credits for C-Boxes" },
	{ .name = "NDR", .value = 0x01, .help = "Responses without data, for this socket", PFM4 },
	{ .name = "CRD_QPI", .value = 0x04, .help = "Credits for QPI", PFM4 },
};

static const struct cat_umask ad_out[] = {
	{ .name = "HOM", .value = 0x04, .help = "Home messages, by its name",
	  .disputed = "Intel's event file describes HOM as responses without data" },
};

static const struct cat_umask bl_out[] = {
	{ .name = "DRS_CACHE", .value = 0x01, .help = "Data for the last-level cache" },
	{ .name = "DRS_CORE", .value = 0x02, .help = "Data straight to the core that asked" },
	{ .name = "DRS_QPI", .value = 0x04, .help = "Data for another socket" },
};

#define OTHER_WAY .disputed = "TAKEN is 0x01 and NOT_TAKEN 0x02 in Intel's event file and the manual, " \
	"the other way round in libpfm4"
static const struct cat_umask bypass[] = {
	{ .name = "TAKEN", .value = 0x01, .help = "Reads that took the short cut", OTHER_WAY },
	{ .name = "NOT_TAKEN", .value = 0x02, .help = "Reads that could not take it", OTHER_WAY },
};

static const struct cat_umask channels[] = {
	{ .name = "CHN0", .value = 0x01, .help = "Memory channel 0" },
	{ .name = "CHN1", .value = 0x02, .help = "Memory channel 1" },
	{ .name = "CHN2", .value = 0x04, .help = "Memory channel 2" },
	{ .name = "CHN3", .value = 0x08, .help = "Memory channel 3" },
};

static const struct cat_umask normal[] = {
	{ .name = "NORMAL", .value = 0x01, .help = "Reads of normal priority" },
};

static const struct cat_umask writes[] = {
	{ .name = "ALL", .value = 0x0f, .help = "All writes" },
	{ .name = "FULL", .value = 0x01, .help = "Whole lines" },
	{ .name = "PARTIAL", .value = 0x02, .help = "Parts of lines" },
	{ .name = "FULL_ISOCH", .value = 0x04, .help = "Whole lines, isochronous" },
	{ .name = "PARTIAL_ISOCH", .value = 0x08, .help = "Parts of lines, isochronous" },
};

#define REGION(n, bit) { .name = "REGION" #n, .value = (bit), .help = "Address region " #n }
static const struct cat_umask regions0[] = {
	REGION(0, 0x01), REGION(1, 0x02), REGION(2, 0x04), REGION(3, 0x08),
	REGION(4, 0x10), REGION(5, 0x20), REGION(6, 0x40), REGION(7, 0x80),
};
static const struct cat_umask regions1[] = {
	REGION(8, 0x01), REGION(9, 0x02), REGION(10, 0x04), REGION(11, 0x08),
};

#define RSPI { .name = "RSPI", .value = 0x01, .help = "Nothing found (RspI)" }
#define RSPS { .name = "RSPS", .value = 0x02, .help = "A clean line found and kept shared (RspS)" }
#define RSPIFWD { .name = "RSPIFWD", .value = 0x04, .help = "Line forwarded and given up (RspIFwd)" }
#define RSPSFWD { .name = "RSPSFWD", .value = 0x08, .help = "Line forwarded and kept shared (RspSFwd)" }
#define WB_TEXT "Modified line written back (RspIWb, RspSWb)"
#define FWD_WB_TEXT "Modified line forwarded and written back (RspFwdIWb, RspFwdSWb)"
#define RSPCNFLCT { .name = "RSPCNFLCT", .value = 0x40, .help = "Conflict with another request (RspCnflt)" }
static const struct cat_umask responses[] = {
	RSPI, RSPS, RSPIFWD, RSPSFWD,
	{ .name = "RSP_WB", .value = 0x10, .help = WB_TEXT },
	{ .name = "RSP_FWD_WB", .value = 0x20, .help = FWD_WB_TEXT },
	RSPCNFLCT,
};
static const struct cat_umask local_responses[] = {
	RSPI, RSPS, RSPIFWD, RSPSFWD,
	{ .name = "RSPXWB", .value = 0x10, .alias = "RSP_WB", .help = WB_TEXT },
	{ .name = "RSPXFWDXWB", .value = 0x20, .alias = "RSP_FWD_WB", .help = FWD_WB_TEXT },
	RSPCNFLCT,
	{ .name = "OTHER", .value = 0x80, .help = "All others" },
};

static const struct cat_umask igr[] = {
	{ .name = "AD_QPI0", .value = 0x01, .help = "Address ring, link 0" },
	{ .name = "AD_QPI1", .value = 0x02, .help = "Address ring, link 1" },
	{ .name = "BL_QPI0", .value = 0x04, .help = "Data ring, link 0" },
	{ .name = "BL_QPI1", .value = 0x08, .help = "Data ring, link 1" },
};

#define SCHED0 { .name = "SCHED0", .value = 0x01, .help = "Scheduler 0" }
#define SCHED1 { .name = "SCHED1", .value = 0x02, .help = "Scheduler 1" }
static const struct cat_umask scheds[] = { { .name = "ALL", .value = 0x03, .help = "Both schedulers" }, SCHED0, SCHED1 };
static const struct cat_umask each_sched[] = { SCHED0, SCHED1 };

static const struct cat_umask bt_where[] = {
	{ .name = "LOCAL", .value = 0x01, .help = "Requests of this socket" },
	{ .name = "REMOTE", .value = 0x02, .help = "Requests of other sockets" },
};

static const struct cat_umask bt[] = {
	{ .name = "LOCAL", .value = 0x01, .help = "Requests of this socket" },
	{ .name = "REMOTE", .value = 0x02, .help = "Requests of other sockets" },
	{ .name = "READS_LOCAL", .value = 0x04, .help = "Reads of this socket" },
	{ .name = "READS_REMOTE", .value = 0x08, .help = "Reads of other sockets" },
	{ .name = "WRITES_LOCAL", .value = 0x10, .help = "Writes of this socket" },
	{ .name = "WRITES_REMOTE", .value = 0x20, .help = "Writes of other sockets" },
};

static const struct cat_umask hazards[] = {
	{ .name = "INCOMING_SNP_HAZARD", .value = 0x02, .help = "A snoop response is coming in" },
	{ .name = "INCOMING_BL_HAZARD", .value = 0x04, .help = "Data is coming in" },
	{ .name = "RSPACKCFLT_HAZARD", .value = 0x08, .help = "A conflict response is coming in, by its name" },
	{ .name = "WBMDATA_HAZARD", .value = 0x10, .help = "Data written back is coming in, by its name" },
};

static const struct cat_umask osb[] = {
	{ .name = "READS_LOCAL", .value = 0x02, .help = "For reads of this socket" },
	{ .name = "INVITOE_LOCAL", .value = 0x04, .help = "For requests of this socket to own a line" },
	{ .name = "REMOTE", .value = 0x08, .help = "For requests of other sockets" },
};

static const struct cat_umask osb_edr[] = {
	{ .name = "ALL", .value = 0x01, .help = "All of these reads" },
	{ .name = "READS_LOCAL_I", .value = 0x02, .help = "Reads of this socket, directory state I" },
	{ .name = "READS_REMOTE_I", .value = 0x04, .help = "Reads of other sockets, directory state I" },
	{ .name = "READS_LOCAL_S", .value = 0x08, .help = "Reads of this socket, directory state S" },
	{ .name = "READS_REMOTE_S", .value = 0x10, .help = "Reads of other sockets, directory state S" },
};

static const struct cat_umask iodc[] = {
	{ .name = "ANY", .value = 0x01, .alias = "REMOTE_INVI2E_SAME_RTID", .help = "Any conflict" },
	{ .name = "LAST", .value = 0x04, .alias = "REMOTE_OTHER_SAME_ADDR", .help = "Last conflict" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_HA_MOST
#define TABLE .source = IVYTOWN_MANUAL " 2.4.4"
#define RING(name_, code_, text) \
	{ .name = "RING_" name_ "_USED", .code = (code_), IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_ring, -1), \
	  .source = IVYTOWN_JSON, .note = "Passing and arriving packets count, those that start here do not", \
	  .help = "Cycles in which the " text " ring carries a packet at the home agent's stop" }
#define EGRESS(ring_, insert, occupancy, m, ne, full, text) \
	{ .name = "TXR_" ring_ "_INSERTS", .code = (insert), .max_inc = MOST, IVYTOWN_MASKS(scheds, 0), \
	  .source = IVYTOWN_JSON, .help = "Messages that the home agent put into its queue to the " text " ring" }, \
	{ .name = "TXR_" ring_ "_OCCUPANCY", .code = (occupancy), .max_inc = MOST, m, .source = IVYTOWN_JSON, \
	  .help = "Messages in the home agent's queue to the " text " ring, added up each cycle" }, \
	{ .name = "TXR_" ring_ "_CYCLES_NE", .code = (ne), IVYTOWN_CYCLES, IVYTOWN_MASKS(scheds, 0), \
	  .source = IVYTOWN_JSON, \
	  .help = "Cycles in which a message waits in the home agent's queue to the " text " ring" }, \
	{ .name = "TXR_" ring_ "_CYCLES_FULL", .code = (full), IVYTOWN_CYCLES, IVYTOWN_MASKS(scheds, 0), \
	  .source = IVYTOWN_JSON, .help = "Cycles in which the home agent's queue to the " text " ring is full" }
#define NO_CREDITS(queue, kind, code_, text) \
	{ .name = queue "_CYCLES_NO_" kind "_CREDITS", .code = (code_), .max_inc = 4, .adds = CAT_ADDS, \
	  IVYTOWN_MASKS(channels, -1), .source = IVYTOWN_MANUAL " p 70", \
	  .help = "Cycles without " text " to a channel of the memory controller" }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x00, IVYTOWN_CLOCK, TABLE,
	  .help = "Cycles of the uncore clock at the home agent" },
	{ .name = "REQUESTS", .code = 0x01, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(requests, -1), TABLE,
	  .help = "Requests that reached the home agent" },
	{ .name = "TRACKER_CYCLES_NE", .code = 0x03, .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Cycles in which the home agent's tracker holds a request" },
	{ .name = "CONFLICT_CYCLES", .code = 0x0b, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(conflict, -1),
	  TABLE, .help = "Conflicts between requests to the same line" },
	{ .name = "DIRECTORY_LOOKUP", .code = 0x0c, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(lookup, 0),
	  TABLE, .help = "Look-ups in the directory, which tells whether other sockets have a line" },
	{ .name = "DIRECTORY_UPDATE", .code = 0x0d, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(update, 0),
	  TABLE, .help = "Changes of the directory; each is a write to memory" },
	{ .name = "TXR_AK", .code = 0x0e, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(ak, 0), TABLE,
	  .help = "Messages that the home agent sent on the acknowledge ring" },
	{ .name = "TXR_AD", .code = 0x0f, .max_inc = MOST, IVYTOWN_MASKS(ad_out, 0), .source = IVYTOWN_JSON,
	  .help = "Messages that the home agent sent on the address ring" },
	{ .name = "TXR_BL", .code = 0x10, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(bl_out, -1), TABLE,
	  .help = "Data responses that the home agent sent on the data ring" },
	{ .name = "DIRECT2CORE_COUNT", .code = 0x11, .max_inc = 1, .dflt = -1, TABLE,
	  .help = "Data sent straight to the core that asked, past the last-level cache (direct to core)" },
	{ .name = "DIRECT2CORE_CYCLES_DISABLED", .code = 0x12, .max_inc = 1, .dflt = -1, TABLE,
	  .help = "Cycles in which sending data straight to a core was switched off" },
	{ .name = "DIRECT2CORE_TXN_OVERRIDE", .code = 0x13, .max_inc = 1, .dflt = -1, TABLE,
	  .help = "Reads that could have gone straight to a core, but were sent through the cache" },
	{ .name = "BYPASS_IMC", .code = 0x14, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(bypass, -1), TABLE,
	  .help = "Reads that tried a short cut to the memory controller, which works under light load" },
	NO_CREDITS("RPQ", "REG", 0x15, "a regular credit to send a read"),
	NO_CREDITS("RPQ", "SPEC", 0x16, "a special credit to send a read"),
	{ .name = "IMC_READS", .code = 0x17, .max_inc = 4, IVYTOWN_MASKS(normal, 0), TABLE,
	  .help = "Reads that the home agent sent to the memory controller" },
	NO_CREDITS("WPQ", "REG", 0x18, "a regular credit to send a write"),
	NO_CREDITS("WPQ", "SPEC", 0x19, "a special credit to send a write"),
	{ .name = "IMC_WRITES", .code = 0x1a, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(writes, 0), TABLE,
	  .help = "Writes that the home agent sent to the memory controller" },
	{ .name = "TAD_REQUESTS_G0", .code = 0x1b, .max_inc = 2, .adds = CAT_ADDS, IVYTOWN_MASKS(regions0, -1),
	  TABLE, .help = "Requests to the address regions 0 to 7 of the home agent" },
	{ .name = "TAD_REQUESTS_G1", .code = 0x1c, .max_inc = 2, .adds = CAT_ADDS, IVYTOWN_MASKS(regions1, -1),
	  TABLE, .help = "Requests to the address regions 8 to 11 of the home agent" },
	{ .name = "IMC_RETRY", .code = 0x1e, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .note = "Intel's event file gives its name only",
	  .help = "Requests to the memory controller that had to be tried again" },
	{ .name = "ADDR_OPC_MATCH", .code = 0x20, .max_inc = 1, .route = &match_route, IVYTOWN_ONE(match, -1),
	  .source = IVYTOWN_MANUAL " p 58, 61",
	  .note = "One pair of filters per home agent: two different matches do not fit into one round",
	  .help = "Messages that fit the address and opcode given with address= and opc=" },
	{ .name = "SNOOP_RESP", .code = 0x21, .max_inc = 1, .adds = CAT_ADDS, IVYTOWN_MASKS(responses, -1),
	  .source = IVYTOWN_MANUAL " p 70",
	  .help = "Answers to snoops that the home agent received" },
	{ .name = "IGR_NO_CREDIT_CYCLES", .code = 0x22, IVYTOWN_CYCLES, IVYTOWN_MASKS(igr, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which the home agent cannot send over a QPI link for want of credits" },
	EGRESS("AD", 0x27, 0x28, IVYTOWN_MASKS(each_sched, -1), 0x29, 0x2a, "address"),
	EGRESS("AK", 0x2f, 0x30, IVYTOWN_MASKS(each_sched, -1), 0x31, 0x32, "acknowledge"),
	EGRESS("BL", 0x33, 0x34, IVYTOWN_MASKS(scheds, 0), 0x35, 0x36, "data"),
	RING("AD", 0x3e, "address"),
	RING("AK", 0x3f, "acknowledge"),
	RING("BL", 0x40, "data"),
	{ .name = "DIRECTORY_LAT_OPT", .code = 0x41, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Reads answered on a faster way because the directory says that nobody else has the line" },
	{ .name = "BT_CYCLES_NE", .code = 0x42, IVYTOWN_CYCLES, IVYTOWN_MASKS(bt_where, CAT_OPTIONAL), .bare = true,
	  .source = IVYTOWN_MANUAL " p 61",
	  .disputed = "Unit masks LOCAL 0x01 and REMOTE 0x02 by Intel's event file, which lists the event without "
		"one too; libpfm4 and the manual know no unit mask",
	  .help = "Cycles in which the backup tracker, where requests wait for the home agent, holds one" },
	{ .name = "BT_OCCUPANCY", .code = 0x43, .max_inc = MOST, IVYTOWN_ONE(bt, -1),
	  .source = IVYTOWN_MANUAL " p 61, Table 2-45",
	  .help = "Requests in the backup tracker, from arrival to completion, added up each cycle" },
	{ .name = "BT_TO_HT_NOT_ISSUED", .code = 0x51, IVYTOWN_CYCLES, IVYTOWN_MASKS(hazards, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which no request can go on from the backup tracker" },
	{ .name = "BT_BYPASS", .code = 0x52, .max_inc = 1, .dflt = -1, .source = IVYTOWN_MANUAL " p 61",
	  .help = "Requests that did not have to wait in the backup tracker" },
	{ .name = "OSB", .code = 0x53, .max_inc = MOST, IVYTOWN_MASKS(osb, -1), .source = IVYTOWN_JSON,
	  .note = "One for each request, however many snoops it causes",
	  .help = "Requests for which snoops were sent to all sockets although nothing demanded it (OSB)" },
	{ .name = "OSB_EDR", .code = 0x54, .max_inc = MOST, IVYTOWN_MASKS(osb_edr, 0), .source = IVYTOWN_JSON,
	  .help = "Reads with such snoops that were answered early, because memory had the line unchanged" },
	{ .name = "IODC_INSERTS", .code = 0x56, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Lines put into the directory cache for I/O (IODC)" },
	{ .name = "IODC_CONFLICTS", .code = 0x57, .max_inc = MOST, IVYTOWN_MASKS(iodc, 0), .source = IVYTOWN_JSON,
	  .help = "Conflicts in the directory cache for I/O (IODC)" },
	{ .name = "IODC_OLEN_WBMTOI", .code = 0x58, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Writes back without data that the directory cache for I/O (IODC) dropped" },
	{ .name = "IGR_CREDITS_AD_QPI2", .code = 0x59, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .alias = TEXTS("IGR_AD_QPI2_ACCUMULATOR", "IGR_AD_QPI2"),
	  .help = "Credits left to send over the address ring to QPI link 2, added up each cycle" },
	{ .name = "IGR_CREDITS_BL_QPI2", .code = 0x5a, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .alias = TEXTS("IGR_BL_QPI2_ACCUMULATOR", "IGR_BL_QPI2"),
	  .help = "Credits left to send over the data ring to QPI link 2, added up each cycle" },
	{ .name = "SNP_RESP_RECV_LOCAL", .code = 0x60, .max_inc = 1, .adds = CAT_ADDS,
	  IVYTOWN_MASKS(local_responses, -1), .source = IVYTOWN_MANUAL " p 71",
	  .help = "Answers to snoops that the home agent sent out for requests of this socket" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_ha = {
	.name = "ha", .letter = "H", .title = "HA: home agent of one memory controller",
	UNITS(units), ROWS, .max_inc = IVYTOWN_HA_MOST, IVYTOWN_UCLK,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN, .source = "329468-002 2.4",
};
