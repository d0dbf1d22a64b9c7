/* ivytown_qpi.c - link layer of the QPI links of the Xeon E5/E7 v2, one unit a link.
 *
 * Owns:  its registers in three functions of a device, the packet filter, the link's speed, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A flit is 80 bits, 8 bytes of them data; two can pass in a cycle of the link layer, whose clock is an
 * eighth of the transfer rate. R3QPI is the next box towards the ring.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

enum { ID_MATCH0 = 1, ID_MATCH1, ID_MASK0, ID_MASK1, ID_RATE = IVYTOWN_QPI_RATE };
enum { BANK_COUNT, BANK_FILTER, BANK_RATE };

static const struct cat_field ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ev_sel_ext", 21, 21, CAT_FIELD, "Event, bit 8" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

/* Match and mask have the same layout. */
static const struct cat_field packet0_fields[] = {
	{ "RNID_4", 31, 31, CAT_FIELD, "Requesting (remote) node, bit 4" },
	{ "rsv", 30, 18, CAT_FIELD_RSV, NULL },
	{ "DNID", 17, 13, CAT_FIELD, "Destination node" },
	{ "MC", 12, 9, CAT_FIELD, "Class: 0 HOM request, 1 HOM response, 2 NDR, 3 SNP, 4 NCS, 12 NCB, 14 DRS" },
	{ "OPC", 8, 5, CAT_FIELD, "Opcode; bit 8 is the length: 9 or 11 flits (DRS, NCB), 1-2 or 3 (NCS)" },
	{ "VNW", 4, 3, CAT_FIELD, "Network: 0 VN0, 1 VN1, 2-3 VNA" },
	{ "rsv", 2, 0, CAT_FIELD_RSV, NULL },
};

static const struct cat_field packet1_fields[] = {
	{ "rsv", 31, 20, CAT_FIELD_RSV, NULL },
	{ "RDS", 19, 16, CAT_FIELD, "Data state of a response: 8 M, 4 E, 2 S, 1 F, 0 I" },
	{ "rsv", 15, 4, CAT_FIELD_RSV, NULL },
	{ "RNID_3_0", 3, 0, CAT_FIELD, "Requesting (remote) node, bits 3:0" },
};

static const struct cat_field rate_fields[] = {
	{ "qpi_rate", 2, 0, CAT_FIELD, "Transfers per second: 4.0 + 0.8 x this, in GT/s; 0: unknown" },
};

#define SRC "329468-002 2.8.3, kernel uncore_snbep, pcm"
#define FILTER(name_, id_, off_, f, src) \
	{ .name = "Q_P%u_PCI_PMON_PKT_" name_, .role = CAT_FILTER, .access = CAT_RW, .id = (id_), \
	  .bank = BANK_FILTER, .count = 1, .bytes = 4, .off = (off_), IVYTOWN_FIELDS(f), .source = src }
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("Q_P%u", 4, "329468-002 Tables 2-129, 2-130"),
	FILTER("MATCH0", ID_MATCH0, 0x228, packet0_fields, "329468-002 Table 2-134, kernel"),
	FILTER("MATCH1", ID_MATCH1, 0x22c, packet1_fields, "329468-002 Table 2-133, kernel"),
	FILTER("MASK0", ID_MASK0, 0x238, packet0_fields, "329468-002 Table 2-136, kernel"),
	FILTER("MASK1", ID_MASK1, 0x23c, packet1_fields, "329468-002 Table 2-135, kernel"),
	{ .name = "QPI_RATE_STATUS", .role = CAT_OTHER, .access = CAT_RO, .id = ID_RATE, .bank = BANK_RATE,
	  .count = 1, .bytes = 4, .off = 0xd4, IVYTOWN_FIELDS(rate_fields),
	  .source = "329468-002 Table 2-138, pcm" },
	IVYTOWN_PCI_CTL("Q_P%u", 4, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("Q_P%u", 4, ivytown_ctr48_fields, SRC),
};

/* Ports 0 and 1 share one rate register. Port 2 exists on the E7 v2 only; likwid looks for it on device 10
 * with other ids, and the place of its filter is inferred from those of the others. */
static const struct cat_unit units[] = {
	{ .dev = { 8, 8, 8 }, .fn = { 2, 6, 0 }, .id = { 0x0e32, 0x0e86, 0x0e80 } },
	{ .dev = { 9, 9, 8 }, .fn = { 2, 6, 0 }, .id = { 0x0e33, 0x0e96, 0x0e80 } },
	{ .dev = { 24, 24, 24 }, .fn = { 2, 6, 0 }, .id = { 0x0e3a, 0x0ec6, 0x0ec0 } },
};

/* ------------------------------------------------------------------ packet filter */

enum { T_MATCH0, T_MATCH1, T_MASK0, T_MASK1 };

static const struct cat_place packet_places[] = {
	{ .code = 0x38, .t = { [T_MATCH0] = { ID_MATCH0, 31, 0 }, [T_MATCH1] = { ID_MATCH1, 31, 0 },
	  [T_MASK0] = { ID_MASK0, 31, 0 }, [T_MASK1] = { ID_MASK1, 31, 0 } } },
};

/* 1 = compare: masks of 0 let every packet through. */
static const struct cat_key packet_keys[] = {
	{ .name = "match0", .target = T_MATCH0, .hi = 31, .lo = 0, .hex = true, .needs = "mask0",
	  .help = "Low word of a packet's header: class, opcode, network, destination" },
	{ .name = "mask0", .target = T_MASK0, .hi = 31, .lo = 0, .hex = true,
	  .help = "1 = compare this bit with match0" },
	{ .name = "match1", .target = T_MATCH1, .hi = 31, .lo = 0, .hex = true, .needs = "mask1",
	  .help = "High word of a packet's header: data state, requesting node" },
	{ .name = "mask1", .target = T_MASK1, .hi = 31, .lo = 0, .hex = true,
	  .help = "1 = compare this bit with match1" },
};

static const struct cat_route packet_route = {
	.n_places = COUNT(packet_places), .places = packet_places, .n_keys = COUNT(packet_keys),
	.keys = packet_keys, .name = "packet match and mask registers of the QPI port",
};

#define ALL_FOUR BIT(T_MATCH0) | BIT(T_MATCH1) | BIT(T_MASK0) | BIT(T_MASK1)
#define PACKET(name_, n, match, mask, text) \
	{ .name = name_, .value = (n), .set = SET(ALL_FOUR, { [T_MATCH0] = (match), [T_MASK0] = (mask) }), .help = text }
#define STATE(name_, n, match, state, text) \
	{ .name = name_, .value = (n), .set = SET(ALL_FOUR, { [T_MATCH0] = (match), [T_MASK0] = 0x1fe0, \
	  [T_MATCH1] = (state) << 16, [T_MASK1] = 0xf << 16 }), .help = text }
/* Not in Table 2-137: class and opcode from Tables 2-216 and 2-218. */
#define BUILT(name_, n, match, mask, text) \
	{ .name = name_, .value = (n), .set = SET(ALL_FOUR, { [T_MATCH0] = (match), [T_MASK0] = (mask) }), \
	  .help = text, .disputed = "Intel's event file gives the name only: match and mask are built from the " \
		"codes of class and opcode" }

static const struct cat_umask packets[] = {
	PACKET("DRS.ANYDATAC", 1, 0x1c00, 0x1f80, "Cache lines that answer a core's request"),
	STATE("DRS.DATAC_M", 2, 0x1c00, 0x8, "Cache lines in state M that answer a core's request"),
	STATE("DRS.DATAC_E", 3, 0x1c00, 0x4, "Cache lines in state E that answer a core's request"),
	STATE("DRS.DATAC_F", 4, 0x1c00, 0x1, "Cache lines in state F that answer a core's request"),
	STATE("DRS.DATAC_E_CMP", 5, 0x1c40, 0x4, "Cache lines in state E that also complete the request"),
	STATE("DRS.DATAC_F_CMP", 6, 0x1c40, 0x1, "Cache lines in state F that also complete the request"),
	STATE("DRS.DATAC_E_FRCACKCNFLT", 7, 0x1c20, 0x4,
	      "Cache lines in state E that demand an acknowledgement of a conflict"),
	STATE("DRS.DATAC_F_FRCACKCNFLT", 8, 0x1c20, 0x1,
	      "Cache lines in state F that demand an acknowledgement of a conflict"),
	PACKET("DRS.WBIDATA", 9, 0x1c80, 0x1fe0, "Written back data, the line becomes I"),
	PACKET("DRS.WBSDATA", 10, 0x1ca0, 0x1fe0, "Written back data, the line becomes S"),
	PACKET("DRS.WBEDATA", 11, 0x1cc0, 0x1fe0, "Written back data, the line becomes E"),
	PACKET("DRS.ANYRESP", 12, 0x1c00, 0x1e00,
	       "All data responses; less ANYDATAC: write-backs and writes without snoop"),
	PACKET("DRS.ANYRESP9FLITS", 13, 0x1c00, 0x1f00, "Data responses of 9 flits: a whole cache line"),
	PACKET("DRS.ANYRESP11FLITS", 14, 0x1d00, 0x1f00, "Data responses of 11 flits: part of a cache line"),
	{ .name = "NCB.ANYMSG", .value = 15, .alias = "NCB.ANYRESP",
	  .set = SET(ALL_FOUR, { [T_MATCH0] = 0x1800, [T_MASK0] = 0x1e00 }),
	  .help = "All non-coherent bypass messages" },
	PACKET("NCB.ANYMSG9FLITS", 16, 0x1800, 0x1f00,
	       "Non-coherent bypass messages of 9 flits: a whole cache line"),
	PACKET("NCB.ANYMSG11FLITS", 17, 0x1900, 0x1f00,
	       "Non-coherent bypass messages of 11 flits: part of a line, or an interrupt"),
	PACKET("NCB.ANYINT", 18, 0x1900, 0x1f80, "Interrupts among the non-coherent bypass messages"),
	BUILT("HOM.ANYREQ", 19, 0x0000, 0x1e00, "Requests to a home agent"),
	BUILT("HOM.ANYRESP", 20, 0x0200, 0x1e00, "Responses to a home agent"),
	BUILT("HOM.RESPFWD", 21, 0x0300, 0x1fe0, "Data sent to the requester, the line stays as it was"),
	BUILT("HOM.RESPFWDI", 22, 0x0320, 0x1fe0, "Data sent to the requester, the line becomes I"),
	BUILT("HOM.RESPFWDS", 23, 0x0340, 0x1fe0, "Data sent to the requester, the line becomes S"),
	BUILT("HOM.RESPFWDIWB", 24, 0x0360, 0x1fe0,
	      "Data sent to the requester and written back, the line becomes I"),
	BUILT("HOM.RESPFWDSWB", 25, 0x0380, 0x1fe0,
	      "Data sent to the requester and written back, the line becomes S"),
	BUILT("HOM.RESPIWB", 26, 0x03a0, 0x1fe0, "Data written back only, the line becomes I"),
	BUILT("HOM.RESPSWB", 27, 0x03c0, 0x1fe0, "Data written back only, the line becomes S"),
	BUILT("SNP.ANYSNP", 28, 0x0600, 0x1e00, "All snoops"),
	BUILT("NDR.ANYCMP", 29, 0x0500, 0x1f00, "Completions without data: opcodes 8 to 15 of class NDR"),
	BUILT("NCS.NCRD", 30, 0x0800, 0x1fe0, "Non-coherent reads"),
	BUILT("NCS.ANYMSG1OR2FLITS", 31, 0x0800, 0x1f00, "Non-coherent standard messages of one or two flits"),
	BUILT("NCS.ANYMSG3FLITS", 32, 0x0900, 0x1f00, "Non-coherent standard messages of three flits"),
};

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask vns[] = {
	{ .name = "VN0", .value = 0x01, .help = "Virtual network VN0" },
	{ .name = "VN1", .value = 0x02, .help = "Virtual network VN1" },
};

static const struct cat_umask vns_shared[] = {
	{ .name = "VN0", .value = 0x01, .help = "Virtual network VN0" },
	{ .name = "VN1", .value = 0x02, .help = "Virtual network VN1" },
	{ .name = "VN_SHR", .value = 0x04, .help = "Shared by the networks" },
};

static const struct cat_umask flits0_out[] = {
	{ .name = "DATA", .value = 0x02, .help = "Data flits, 8 bytes each" },
	{ .name = "NON_DATA", .value = 0x04, .help = "Flits with protocol, headers of data packets too" },
};

static const struct cat_umask flits0_in[] = {
	{ .name = "IDLE", .value = 0x01, .help = "Flits without content" },
	{ .name = "DATA", .value = 0x02, .help = "Data flits, 8 bytes each" },
	{ .name = "NON_DATA", .value = 0x04, .help = "Flits with protocol, headers of data packets too" },
};

static const struct cat_umask flits1[] = {
	{ .name = "SNP", .value = 0x01, .help = "Snoop requests" },
	{ .name = "HOM_REQ", .value = 0x02, .help = "Requests to a home agent" },
	{ .name = "HOM_NONREQ", .value = 0x04, .help = "Home messages other than requests, mostly snoop responses" },
	{ .name = "HOM", .value = 0x06, .help = "All home messages" },
	{ .name = "DRS_DATA", .value = 0x08, .help = "Data of data responses" },
	{ .name = "DRS_NONDATA", .value = 0x10, .help = "Headers of data responses" },
	{ .name = "DRS", .value = 0x18, .help = "All of data responses" },
};

static const struct cat_umask flits2[] = {
	{ .name = "NDR_AD", .value = 0x01, .help = "Responses without data, for the address ring" },
	{ .name = "NDR_AK", .value = 0x02, .help = "Responses without data, for the acknowledge ring" },
	{ .name = "NCB_DATA", .value = 0x04, .help = "Data of non-coherent bypass messages" },
	{ .name = "NCB_NONDATA", .value = 0x08, .help = "Headers of non-coherent bypass messages" },
	{ .name = "NCB", .value = 0x0c, .help = "All of non-coherent bypass messages" },
	{ .name = "NCS", .value = 0x10, .help = "Non-coherent standard messages" },
};

static const struct cat_umask crc[] = {
	{ .name = "LINK_INIT", .value = 0x01, .help = "While the link was being set up" },
	{ .name = "NORMAL_OP", .value = 0x02, .help = "In normal operation" },
};

static const struct cat_umask no_retry_credits[] = {
	{ .name = "FULL", .value = 0x01, .help = "The retry buffer is full: nothing can be sent" },
	{ .name = "ALMOST_FULL", .value = 0x02, .help = "The retry buffer is nearly full: some packets have to wait" },
};

static const struct cat_umask direct2core[] = {
	{ .name = "SUCCESS_RBT_HIT", .value = 0x01, .help = "Sent straight to the core" },
	{ .name = "FAILURE_CREDITS", .value = 0x02, .help = "Not, for want of credits" },
	{ .name = "FAILURE_RBT_HIT", .value = 0x04, .help = "Not, the route-back table forbade it" },
	{ .name = "FAILURE_CREDITS_RBT", .value = 0x08, .help = "Not, for want of credits, and the table forbade it" },
	{ .name = "FAILURE_MISS", .value = 0x10, .help = "Not, the table had another tag" },
	{ .name = "FAILURE_CREDITS_MISS", .value = 0x20, .help = "Not, for want of credits, and the table had another tag" },
	{ .name = "FAILURE_RBT_MISS", .value = 0x40, .help = "Not, the table had another tag and forbade it" },
	{ .name = "FAILURE_CREDITS_RBT_MISS", .value = 0x80,
	  .help = "Not, for want of credits, and the table had another tag and forbade it" },
};

static const struct cat_umask classes[] = {
	{ .name = "DRS", .value = 0x01, .help = "Data responses" },
	{ .name = "NCB", .value = 0x02, .help = "Non-coherent bypass messages" },
	{ .name = "NCS", .value = 0x04, .help = "Non-coherent standard messages" },
	{ .name = "HOM", .value = 0x08, .help = "Home messages" },
	{ .name = "SNP", .value = 0x10, .help = "Snoop requests" },
	{ .name = "NDR", .value = 0x20, .help = "Responses without data" },
};

/* The texts of Intel's event file name other classes than the unit masks do (BGF_DRS "HOM" ...). */
#define OTHER_TEXT .disputed = "Intel's event file describes this unit mask with another class than its name says"
#define BGF \
	{ .name = "BGF_DRS", .value = 0x01, .help = "Data responses, by its name", OTHER_TEXT }, \
	{ .name = "BGF_NCB", .value = 0x02, .help = "Non-coherent bypass messages, by its name", OTHER_TEXT }, \
	{ .name = "BGF_NCS", .value = 0x04, .help = "Non-coherent standard messages, by its name", OTHER_TEXT }, \
	{ .name = "BGF_HOM", .value = 0x08, .help = "Home messages, by its name", OTHER_TEXT }, \
	{ .name = "BGF_SNP", .value = 0x10, .help = "Snoops, by its name", OTHER_TEXT }, \
	{ .name = "BGF_NDR", .value = 0x20, .help = "Responses without data, by its name", OTHER_TEXT }
static const struct cat_umask stalls_vn0[] = {
	BGF,
	{ .name = "EGRESS_CREDITS", .value = 0x40, .help = "For want of an egress credit" },
	{ .name = "GV", .value = 0x80, .help = "The frequency was being changed" },
};
static const struct cat_umask stalls_vn1[] = { BGF };

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_QPI_MOST
#define FLITS .max_inc = 2      /* two flits a cycle, of whatever kind: 327043-001 2.7.1 */
#define PLAIN .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON
#define CYCLE .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON
#define BITS(m) .max_inc = MOST, IVYTOWN_MASKS(m, -1), .source = IVYTOWN_JSON
/* Flits that had to wait in the receive buffer, of one class. */
#define RXQ(class, insert, ne, occupancy, what) \
	{ .name = "RXL_INSERTS_" class, .code = (insert), IVYTOWN_EXT, .max_inc = MOST, \
	  IVYTOWN_MASKS(vns, CAT_OPTIONAL), .bare = true, IVYTOWN_BARE, .source = IVYTOWN_JSON, \
	  .help = "Received flits of " what " that had to wait in the link's receive buffer" }, \
	{ .name = "RXL_CYCLES_NE_" class, .code = (ne), IVYTOWN_EXT, IVYTOWN_CYCLES, IVYTOWN_MASKS(vns, -1), \
	  .source = IVYTOWN_JSON, .help = "Cycles in which the receive buffer holds flits of " what }, \
	{ .name = "RXL_OCCUPANCY_" class, .code = (occupancy), IVYTOWN_EXT, .max_inc = MOST, \
	  IVYTOWN_MASKS(vns, CAT_OPTIONAL), .bare = true, IVYTOWN_BARE, .source = IVYTOWN_MANUAL " p 153", \
	  .help = "Flits of " what " in the link's receive buffer, added up each cycle" }
#define CREDITS(name_, acquired, occupancy, m, what) \
	{ .name = "TXR_" name_ "_CREDIT_ACQUIRED", .code = (acquired), IVYTOWN_EXT, BITS(m), \
	  .help = "Credits taken to pass " what " on to R3QPI" }, \
	{ .name = "TXR_" name_ "_CREDIT_OCCUPANCY", .code = (occupancy), IVYTOWN_EXT, BITS(m), \
	  .help = "Credits left to pass " what " on to R3QPI, added up each cycle" }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x14, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the link layer's clock, an eighth of the link's transfer rate" },

	/* Sent. */
	{ .name = "TXL_FLITS_G0", .code = 0x00, FLITS, IVYTOWN_MASKS(flits0_out, -1), .source = IVYTOWN_JSON,
	  .help = "Flits sent over the link, with data or with protocol" },
	{ .name = "TXL_FLITS_G1", .code = 0x00, IVYTOWN_EXT, FLITS, IVYTOWN_MASKS(flits1, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Flits of snoops, home messages and data responses sent over the link" },
	{ .name = "TXL_FLITS_G2", .code = 0x01, IVYTOWN_EXT, FLITS, IVYTOWN_MASKS(flits2, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Flits of responses without data and of non-coherent messages sent over the link" },
	{ .name = "TXL_CRC_NO_CREDITS", .code = 0x02, IVYTOWN_CYCLES, IVYTOWN_MASKS(no_retry_credits, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which sending stalls because the buffer for repeats after errors fills up" },
	{ .name = "TXL_INSERTS", .code = 0x04, .max_inc = 1, .dflt = -1, .source = IVYTOWN_MANUAL " p 158",
	  .help = "Flits that had to wait in the link's send buffer" },
	{ .name = "TXL_BYPASSED", .code = 0x05, PLAIN,
	  .help = "Flits that were sent without waiting in the send buffer" },
	{ .name = "TXL_CYCLES_NE", .code = 0x06, CYCLE,
	  .help = "Cycles in which the link's send buffer is not empty" },
	{ .name = "TXL_OCCUPANCY", .code = 0x07, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_MANUAL " p 158",
	  .disputed = "Largest increment per cycle: the manual prints 1, which no sum of flits keeps to",
	  .help = "Flits in the link's send buffer, added up each cycle" },
	{ .name = "TXL0_POWER_CYCLES", .code = 0x0c, CYCLE,
	  .help = "Cycles in which the sending direction of the link runs at full width (L0)" },
	{ .name = "TXL0P_POWER_CYCLES", .code = 0x0d, CYCLE,
	  .help = "Cycles in which the sending direction runs at half width to save power (L0p)" },

	/* Received. */
	{ .name = "RXL_FLITS_G0", .code = 0x01, FLITS, IVYTOWN_MASKS(flits0_in, -1), .source = IVYTOWN_JSON,
	  .help = "Flits received over the link: idle, with data or with protocol" },
	{ .name = "RXL_FLITS_G1", .code = 0x02, IVYTOWN_EXT, FLITS, IVYTOWN_MASKS(flits1, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Flits of snoops, home messages and data responses received over the link" },
	{ .name = "RXL_FLITS_G2", .code = 0x03, IVYTOWN_EXT, FLITS, IVYTOWN_MASKS(flits2, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Flits of responses without data and of non-coherent messages received over the link" },
	{ .name = "RXL_CRC_ERRORS", .code = 0x03, BITS(crc),
	  .help = "Received flits with a checksum error; they are sent again" },
	{ .name = "RXL_INSERTS", .code = 0x08, PLAIN,
	  .help = "Received flits that had to wait in the link's receive buffer" },
	{ .name = "RXL_BYPASSED", .code = 0x09, PLAIN,
	  .help = "Received flits that did not have to wait in the receive buffer" },
	{ .name = "RXL_CYCLES_NE", .code = 0x0a, CYCLE,
	  .help = "Cycles in which the link's receive buffer is not empty" },
	{ .name = "RXL_OCCUPANCY", .code = 0x0b, PLAIN,
	  .help = "Flits in the link's receive buffer, added up each cycle" },
	{ .name = "RXL0_POWER_CYCLES", .code = 0x0f, CYCLE,
	  .help = "Cycles in which the receiving direction of the link runs at full width (L0)" },
	{ .name = "RXL0P_POWER_CYCLES", .code = 0x10, CYCLE,
	  .help = "Cycles in which the receiving direction runs at half width to save power (L0p)" },
	{ .name = "L1_POWER_CYCLES", .code = 0x12, CYCLE,
	  .help = "Cycles in which the link is switched off to save power (L1)" },
	{ .name = "DIRECT2CORE", .code = 0x13, BITS(direct2core),
	  .help = "Data responses that could be sent straight to the core that asked, past the cache" },
	RXQ("DRS", 0x09, 0x0f, 0x15, "data responses"),
	RXQ("NCB", 0x0a, 0x10, 0x16, "non-coherent bypass messages"),
	RXQ("NCS", 0x0b, 0x11, 0x17, "non-coherent standard messages"),
	RXQ("HOM", 0x0c, 0x12, 0x18, "home messages"),
	RXQ("SNP", 0x0d, 0x13, 0x19, "snoops"),
	RXQ("NDR", 0x0e, 0x14, 0x1a, "responses without data"),

	/* Credits, which the receiver gives and takes back. */
	{ .name = "VNA_CREDIT_RETURN_OCCUPANCY", .code = 0x1b, IVYTOWN_EXT, PLAIN,
	  .help = "VNA credits that wait to be given back over the link, added up each cycle" },
	{ .name = "VNA_CREDIT_RETURNS", .code = 0x1c, IVYTOWN_EXT, PLAIN,
	  .help = "VNA credits given back over the link" },
	{ .name = "RXL_CREDITS_CONSUMED_VNA", .code = 0x1d, IVYTOWN_EXT, .max_inc = 1, .dflt = -1,
	  .source = IVYTOWN_MANUAL " p 146",
	  .help = "VNA credits of the receive buffer that received messages used" },
	{ .name = "RXL_CREDITS_CONSUMED_VN0", .code = 0x1e, IVYTOWN_EXT, BITS(classes),
	  .help = "VN0 credits of the receive buffer that received messages used" },
	CREDITS("BL_DRS", 0x2a, 0x1f, vns_shared, "data responses"),
	CREDITS("BL_NCB", 0x2b, 0x20, vns, "non-coherent bypass messages"),
	CREDITS("BL_NCS", 0x2c, 0x21, vns, "non-coherent standard messages"),
	CREDITS("AD_HOM", 0x26, 0x22, vns, "home messages"),
	CREDITS("AD_SNP", 0x27, 0x23, vns, "snoops"),
	CREDITS("AD_NDR", 0x28, 0x24, vns, "responses without data for the address ring"),
	{ .name = "TXR_AK_NDR_CREDIT_ACQUIRED", .code = 0x29, IVYTOWN_EXT, .max_inc = MOST,
	  IVYTOWN_MASKS(vns, CAT_OPTIONAL), .bare = true, IVYTOWN_BARE, .source = IVYTOWN_JSON,
	  .help = "Credits taken to pass responses without data for the acknowledge ring on to R3QPI" },
	{ .name = "TXR_AK_NDR_CREDIT_OCCUPANCY", .code = 0x25, IVYTOWN_EXT, .max_inc = MOST,
	  IVYTOWN_MASKS(vns, CAT_OPTIONAL), .bare = true, IVYTOWN_BARE, .source = IVYTOWN_JSON,
	  .help = "Credits left to pass responses without data for the acknowledge ring on to R3QPI, added up "
		"each cycle" },
	{ .name = "RXL_STALLS_VN0", .code = 0x35, IVYTOWN_EXT, BITS(stalls_vn0),
	  .help = "Times a message of VN0 could not be passed on to R3QPI at once" },
	{ .name = "CTO_COUNT", .code = 0x38, IVYTOWN_EXT, .max_inc = 2, IVYTOWN_ONE(packets, CAT_OPTIONAL),
	  .route = &packet_route, .set = SET(.has = ALL_FOUR), .named_sets = true,
	  .alias = TEXTS("MESSAGE", "MATCH_MASK"),
	  .source = IVYTOWN_MANUAL " Tables 2-133 to 2-137, kernel",
	  .note = "Without unit mask and match every packet fits; one filter per port: two different matches do not "
		"fit into one round",
	  .help = "Packets on the link that fit a unit mask or match and mask" },
	{ .name = "RXL_CREDITS_CONSUMED_VN1", .code = 0x39, IVYTOWN_EXT, .max_inc = 2, .adds = CAT_ADDS,
	  IVYTOWN_MASKS(classes, -1), .source = IVYTOWN_MANUAL " p 146",
	  .help = "VN1 credits of the receive buffer that received messages used" },
	{ .name = "RXL_STALLS_VN1", .code = 0x3a, IVYTOWN_EXT, BITS(stalls_vn1),
	  .help = "Times a message of VN1 could not be passed on to R3QPI at once" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_qpi = {
	.name = "qpi", .letter = "Q", .title = "QPI: link layer of a QPI link",
	UNITS(units), ROWS, .max_inc = IVYTOWN_QPI_MOST, .links = ivytown_links,
	.clock = "qpi/CLOCKTICKS", .max_hz = IVYTOWN_QCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN, .source = "329468-002 2.8",
};
