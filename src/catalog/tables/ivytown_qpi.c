/* SPDX-License-Identifier: MIT
 * Link layer of the QPI links of the Xeon E5/E7 v2, one unit a link.
 * Owns:  its registers in three functions of a device, the packet filter, the link's speed, its
 *        events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A flit is 80 bits, 8 bytes of them data; two can pass in a cycle of the link layer, whose clock
 * is an eighth of the transfer rate. R3QPI is the next box towards the ring.
 */
#include "catalog/tables/ivytown.h"

enum { ID_MATCH0 = 1, ID_MATCH1, ID_MASK0, ID_MASK1, ID_RATE = IVYTOWN_QPI_RATE };
enum { BANK_COUNT, BANK_FILTER, BANK_RATE };

static const struct cat_field ctl_fields[] = {
	IVYTOWN_THRESH(31), IVYTOWN_EN, F("ev_sel_ext", 21, 21, "Event, bit 8"), IVYTOWN_OV_EN,
	IVYTOWN_EDGE_RST, IVYTOWN_SELECTION,
};

/* Match and mask have the same layout. */
static const struct cat_field packet0_fields[] = {
	F("RNID_4", 31, 31, "Requesting (remote) node, bit 4"),
	RSV(30, 18),
	F("DNID", 17, 13, "Destination node"),
	F("MC", 12, 9, "Class: 0 HOM request, 1 HOM response, 2 NDR, 3 SNP, 4 NCS, 12 NCB, 14 DRS"),
	F("OPC", 8, 5, "Opcode; bit 8 is the length: 9 or 11 flits (DRS, NCB), 1-2 or 3 (NCS)"),
	F("VNW", 4, 3, "Network: 0 VN0, 1 VN1, 2-3 VNA"),
	RSV(2, 0),
};

static const struct cat_field packet1_fields[] = {
	RSV(31, 20),
	F("RDS", 19, 16, "Data state of a response: 8 M, 4 E, 2 S, 1 F, 0 I"),
	RSV(15, 4),
	F("RNID_3_0", 3, 0, "Requesting (remote) node, bits 3:0"),
};

#define SRC "329468-002 2.8.3, kernel uncore_snbep, pcm"
#define FILTER(name_, id_, off_, f, src) \
	R("Q_P%u_PCI_PMON_PKT_" name_, FILTER, RW, 1, 4, off_, src, .id = (id_), .bank = BANK_FILTER, FIELDS(f))
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("Q_P%u", 4, "329468-002 Tables 2-129, 2-130"),
	FILTER("MATCH0", ID_MATCH0, 0x228, packet0_fields, "329468-002 Table 2-134, kernel"),
	FILTER("MATCH1", ID_MATCH1, 0x22c, packet1_fields, "329468-002 Table 2-133, kernel"),
	FILTER("MASK0", ID_MASK0, 0x238, packet0_fields, "329468-002 Table 2-136, kernel"),
	FILTER("MASK1", ID_MASK1, 0x23c, packet1_fields, "329468-002 Table 2-135, kernel"),
	R("QPI_RATE_STATUS", OTHER, RO, 1, 4, 0xd4, "329468-002 Table 2-138, pcm", .id = ID_RATE, .bank = BANK_RATE,
	  FIELDS_HERE(
	  F("qpi_rate", 2, 0, "Transfers per second: 4.0 + 0.8 x this, in GT/s; 0: unknown"))),
	IVYTOWN_PCI_CTL("Q_P%u", 4, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("Q_P%u", 4, ivytown_ctr48_fields, SRC),
};

enum { F_MATCH0, F_MATCH1, F_MASK0, F_MASK1 };

/* 1 = compare: masks of 0 let every packet through. */
static const struct cat_selector packet_selector = {
	ENCODINGS(ENCODING(0x38, [F_MATCH0] = { ID_MATCH0, 31, 0 }, [F_MATCH1] = { ID_MATCH1, 31, 0 },
	  [F_MASK0] = { ID_MASK0, 31, 0 }, [F_MASK1] = { ID_MASK1, 31, 0 })),
	.name = "packet match and mask registers of the QPI port",
	KEYS_HERE(
	  K("match0", F_MATCH0, 31, 0,
	    "Low word of a packet's header: class, opcode, network, destination",
	    .hex = true, .needs = "mask0"),
	  K("mask0", F_MASK0, 31, 0, "1 = compare this bit with match0", .hex = true),
	  K("match1", F_MATCH1, 31, 0,
	    "High word of a packet's header: data state, requesting node",
	    .hex = true, .needs = "mask1"),
	  K("mask1", F_MASK1, 31, 0, "1 = compare this bit with match1", .hex = true)),
};

#define ALL_FOUR BIT(F_MATCH0) | BIT(F_MATCH1) | BIT(F_MASK0) | BIT(F_MASK1)
#define PACKET(name_, n, match, mask, text) \
	U(name_, n, text, .values = VALUES(ALL_FOUR, { [F_MATCH0] = (match), [F_MASK0] = (mask) }))
#define STATE(name_, n, match, state, text) \
	U(name_, n, text, .values = VALUES(ALL_FOUR, \
	  { [F_MATCH0] = (match), [F_MASK0] = 0x1fe0, [F_MATCH1] = (state) << 16, [F_MASK1] = 0xf << 16 }))
/* Not in Table 2-137: class and opcode from Tables 2-216 and 2-218. */
#define BUILT(name_, n, match, mask, text) \
	U(name_, n, text, .values = VALUES(ALL_FOUR, { [F_MATCH0] = (match), [F_MASK0] = (mask) }), \
	  .disputed = "Intel's event file gives the name only: match and mask are built from the codes of class and opcode")

static const struct cat_umask packets[] = {
	PACKET("DRS.ANYDATAC", 1, 0x1c00, 0x1f80, "Cache lines that answer a core's request"),
	STATE("DRS.DATAC_M", 2, 0x1c00, 0x8, "Cache lines in state M that answer a core's request"),
	STATE("DRS.DATAC_E", 3, 0x1c00, 0x4, "Cache lines in state E that answer a core's request"),
	STATE("DRS.DATAC_F", 4, 0x1c00, 0x1, "Cache lines in state F that answer a core's request"),
	STATE("DRS.DATAC_E_CMP", 5, 0x1c40, 0x4,
	  "Cache lines in state E that also complete the request"),
	STATE("DRS.DATAC_F_CMP", 6, 0x1c40, 0x1,
	  "Cache lines in state F that also complete the request"),
	STATE("DRS.DATAC_E_FRCACKCNFLT", 7, 0x1c20, 0x4,
	  "Cache lines in state E that demand an acknowledgement of a conflict"),
	STATE("DRS.DATAC_F_FRCACKCNFLT", 8, 0x1c20, 0x1,
	  "Cache lines in state F that demand an acknowledgement of a conflict"),
	PACKET("DRS.WBIDATA", 9, 0x1c80, 0x1fe0, "Written back data, the line becomes I"),
	PACKET("DRS.WBSDATA", 10, 0x1ca0, 0x1fe0, "Written back data, the line becomes S"),
	PACKET("DRS.WBEDATA", 11, 0x1cc0, 0x1fe0, "Written back data, the line becomes E"),
	PACKET("DRS.ANYRESP", 12, 0x1c00, 0x1e00,
	  "All data responses; less ANYDATAC: write-backs and writes without snoop"),
	PACKET("DRS.ANYRESP9FLITS", 13, 0x1c00, 0x1f00,
	  "Data responses of 9 flits: a whole cache line"),
	PACKET("DRS.ANYRESP11FLITS", 14, 0x1d00, 0x1f00,
	  "Data responses of 11 flits: part of a cache line"),
	U("NCB.ANYMSG", 15,
	  "All non-coherent bypass messages",
	  .alias = "NCB.ANYRESP", .values = VALUES(ALL_FOUR, { [F_MATCH0] = 0x1800, [F_MASK0] = 0x1e00 })),
	PACKET("NCB.ANYMSG9FLITS", 16, 0x1800, 0x1f00,
	  "Non-coherent bypass messages of 9 flits: a whole cache line"),
	PACKET("NCB.ANYMSG11FLITS", 17, 0x1900, 0x1f00,
	  "Non-coherent bypass messages of 11 flits: part of a line, or an interrupt"),
	PACKET("NCB.ANYINT", 18, 0x1900, 0x1f80,
	  "Interrupts among the non-coherent bypass messages"),
	BUILT("HOM.ANYREQ", 19, 0x0000, 0x1e00, "Requests to a home agent"),
	BUILT("HOM.ANYRESP", 20, 0x0200, 0x1e00, "Responses to a home agent"),
	BUILT("HOM.RESPFWD", 21, 0x0300, 0x1fe0,
	  "Data sent to the requester, the line stays as it was"),
	BUILT("HOM.RESPFWDI", 22, 0x0320, 0x1fe0, "Data sent to the requester, the line becomes I"),
	BUILT("HOM.RESPFWDS", 23, 0x0340, 0x1fe0, "Data sent to the requester, the line becomes S"),
	BUILT("HOM.RESPFWDIWB", 24, 0x0360, 0x1fe0,
	  "Data sent to the requester and written back, the line becomes I"),
	BUILT("HOM.RESPFWDSWB", 25, 0x0380, 0x1fe0,
	  "Data sent to the requester and written back, the line becomes S"),
	BUILT("HOM.RESPIWB", 26, 0x03a0, 0x1fe0, "Data written back only, the line becomes I"),
	BUILT("HOM.RESPSWB", 27, 0x03c0, 0x1fe0, "Data written back only, the line becomes S"),
	BUILT("SNP.ANYSNP", 28, 0x0600, 0x1e00, "All snoops"),
	BUILT("NDR.ANYCMP", 29, 0x0500, 0x1f00,
	  "Completions without data: opcodes 8 to 15 of class NDR"),
	BUILT("NCS.NCRD", 30, 0x0800, 0x1fe0, "Non-coherent reads"),
	BUILT("NCS.ANYMSG1OR2FLITS", 31, 0x0800, 0x1f00,
	  "Non-coherent standard messages of one or two flits"),
	BUILT("NCS.ANYMSG3FLITS", 32, 0x0900, 0x1f00,
	  "Non-coherent standard messages of three flits"),
};

static const struct cat_umask vns[] = {
	U("VN0", 0x01, "Virtual network VN0"),
	U("VN1", 0x02, "Virtual network VN1"),
};

static const struct cat_umask vns_shared[] = {
	U("VN0", 0x01, "Virtual network VN0"),
	U("VN1", 0x02, "Virtual network VN1"),
	U("VN_SHR", 0x04, "Shared by the networks"),
};

static const struct cat_umask flits1[] = {
	U("SNP", 0x01, "Snoop requests"),
	U("HOM_REQ", 0x02, "Requests to a home agent"),
	U("HOM_NONREQ", 0x04, "Home messages other than requests, mostly snoop responses"),
	U("HOM", 0x06, "All home messages"),
	U("DRS_DATA", 0x08, "Data of data responses"),
	U("DRS_NONDATA", 0x10, "Headers of data responses"),
	U("DRS", 0x18, "All of data responses"),
};

static const struct cat_umask flits2[] = {
	U("NDR_AD", 0x01, "Responses without data, for the address ring"),
	U("NDR_AK", 0x02, "Responses without data, for the acknowledge ring"),
	U("NCB_DATA", 0x04, "Data of non-coherent bypass messages"),
	U("NCB_NONDATA", 0x08, "Headers of non-coherent bypass messages"),
	U("NCB", 0x0c, "All of non-coherent bypass messages"),
	U("NCS", 0x10, "Non-coherent standard messages"),
};

static const struct cat_umask classes[] = {
	U("DRS", 0x01, "Data responses"),
	U("NCB", 0x02, "Non-coherent bypass messages"),
	U("NCS", 0x04, "Non-coherent standard messages"),
	U("HOM", 0x08, "Home messages"),
	U("SNP", 0x10, "Snoop requests"),
	U("NDR", 0x20, "Responses without data"),
};

/* The texts of Intel's event file name other classes than the unit masks do (BGF_DRS "HOM" ...). */
#define OTHER_TEXT .disputed = "Intel's event file describes this unit mask with another class " \
		"than its name says"
#define BGF \
	U("BGF_DRS", 0x01, "Data responses, by its name", OTHER_TEXT), \
	U("BGF_NCB", 0x02, "Non-coherent bypass messages, by its name", OTHER_TEXT), \
	U("BGF_NCS", 0x04, "Non-coherent standard messages, by its name", OTHER_TEXT), \
	U("BGF_HOM", 0x08, "Home messages, by its name", OTHER_TEXT), \
	U("BGF_SNP", 0x10, "Snoops, by its name", OTHER_TEXT), \
	U("BGF_NDR", 0x20, "Responses without data, by its name", OTHER_TEXT)
#define MOST IVYTOWN_QPI_MOST
#define FLITS 2    /* two flits a cycle, of whatever kind: 327043-001 2.7.1 */
/* Flits that had to wait in the receive buffer, of one class. */
#define RXQ(class, insert, ne, occupancy, what) \
	E("RXL_INSERTS_" class, insert, MOST, JSON, MASKS(vns, CAT_OPTIONAL), IVYTOWN_EXT, IVYTOWN_BARE, \
	  .help = "Received flits of " what " that had to wait in the link's receive buffer"), \
	E("RXL_CYCLES_NE_" class, ne, 1, JSON, SUMMED(vns, -1), IVYTOWN_EXT, \
	  .help = "Cycles in which the receive buffer holds flits of " what), \
	E("RXL_OCCUPANCY_" class, occupancy, MOST, MANUAL " p 153", MASKS(vns, CAT_OPTIONAL), IVYTOWN_EXT, \
	  IVYTOWN_BARE, \
	  .help = "Flits of " what " in the link's receive buffer, added up each cycle")
#define CREDITS(name_, acquired, occupancy, m, what) \
	E("TXR_" name_ "_CREDIT_ACQUIRED", acquired, MOST, JSON, MASKS(m, -1), IVYTOWN_EXT, \
	  .help = "Credits taken to pass " what " on to R3QPI"), \
	E("TXR_" name_ "_CREDIT_OCCUPANCY", occupancy, MOST, JSON, MASKS(m, -1), IVYTOWN_EXT, \
	  .help = "Credits left to pass " what " on to R3QPI, added up each cycle")

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x14, 1, JSON, CLOCK,
	  .help = "Cycles of the link layer's clock, an eighth of the link's transfer rate"),

	/* Sent. */
	E("TXL_FLITS_G0", 0x00, FLITS, JSON,
	  .help = "Flits sent over the link, with data or with protocol",
	  MASKS_HERE(-1,
	  U("DATA", 0x02, "Data flits, 8 bytes each"),
	  U("NON_DATA", 0x04, "Flits with protocol, headers of data packets too"))),
	E("TXL_FLITS_G1", 0x00, FLITS, JSON, MASKS(flits1, -1), IVYTOWN_EXT,
	  .help = "Flits of snoops, home messages and data responses sent over the link"),
	E("TXL_FLITS_G2", 0x01, FLITS, JSON, MASKS(flits2, -1), IVYTOWN_EXT,
	  .help = "Flits of responses without data and of non-coherent messages sent over the link"),
	E("TXL_CRC_NO_CREDITS", 0x02, 1, JSON,
	  .help = "Cycles in which sending stalls because the buffer for repeats after errors fills up",
	  SUMMED_HERE(-1,
	  U("FULL", 0x01, "The retry buffer is full: nothing can be sent"),
	  U("ALMOST_FULL", 0x02, "The retry buffer is nearly full: some packets have to wait"))),
	E("TXL_INSERTS", 0x04, 1, MANUAL " p 158", PLAIN,
	  .help = "Flits that had to wait in the link's send buffer"),
	E("TXL_BYPASSED", 0x05, MOST, JSON, PLAIN,
	  .help = "Flits that were sent without waiting in the send buffer"),
	E("TXL_CYCLES_NE", 0x06, 1, JSON, PLAIN,
	  .help = "Cycles in which the link's send buffer is not empty"),
	E("TXL_OCCUPANCY", 0x07, MOST, MANUAL " p 158", PLAIN,
	  .help = "Flits in the link's send buffer, added up each cycle",
	  .disputed = "Largest increment per cycle: the manual prints 1, which no sum of flits keeps to"),
	E("TXL0_POWER_CYCLES", 0x0c, 1, JSON, PLAIN,
	  .help = "Cycles in which the sending direction of the link runs at full width (L0)"),
	E("TXL0P_POWER_CYCLES", 0x0d, 1, JSON, PLAIN,
	  .help = "Cycles in which the sending direction runs at half width to save power (L0p)"),

	/* Received. */
	E("RXL_FLITS_G0", 0x01, FLITS, JSON,
	  .help = "Flits received over the link: idle, with data or with protocol",
	  MASKS_HERE(-1,
	  U("IDLE", 0x01, "Flits without content"),
	  U("DATA", 0x02, "Data flits, 8 bytes each"),
	  U("NON_DATA", 0x04, "Flits with protocol, headers of data packets too"))),
	E("RXL_FLITS_G1", 0x02, FLITS, JSON, MASKS(flits1, -1), IVYTOWN_EXT,
	  .help = "Flits of snoops, home messages and data responses received over the link"),
	E("RXL_FLITS_G2", 0x03, FLITS, JSON, MASKS(flits2, -1), IVYTOWN_EXT,
	  .help = "Flits of responses without data and of non-coherent messages received over the link"),
	E("RXL_CRC_ERRORS", 0x03, MOST, JSON,
	  .help = "Received flits with a checksum error; they are sent again",
	  MASKS_HERE(-1,
	  U("LINK_INIT", 0x01, "While the link was being set up"),
	  U("NORMAL_OP", 0x02, "In normal operation"))),
	E("RXL_INSERTS", 0x08, MOST, JSON, PLAIN,
	  .help = "Received flits that had to wait in the link's receive buffer"),
	E("RXL_BYPASSED", 0x09, MOST, JSON, PLAIN,
	  .help = "Received flits that did not have to wait in the receive buffer"),
	E("RXL_CYCLES_NE", 0x0a, 1, JSON, PLAIN,
	  .help = "Cycles in which the link's receive buffer is not empty"),
	E("RXL_OCCUPANCY", 0x0b, MOST, JSON, PLAIN,
	  .help = "Flits in the link's receive buffer, added up each cycle"),
	E("RXL0_POWER_CYCLES", 0x0f, 1, JSON, PLAIN,
	  .help = "Cycles in which the receiving direction of the link runs at full width (L0)"),
	E("RXL0P_POWER_CYCLES", 0x10, 1, JSON, PLAIN,
	  .help = "Cycles in which the receiving direction runs at half width to save power (L0p)"),
	E("L1_POWER_CYCLES", 0x12, 1, JSON, PLAIN,
	  .help = "Cycles in which the link is switched off to save power (L1)"),
	E("DIRECT2CORE", 0x13, MOST, JSON,
	  .help = "Data responses that could be sent straight to the core that asked, past the cache",
	  MASKS_HERE(-1,
	  U("SUCCESS_RBT_HIT", 0x01, "Sent straight to the core"),
	  U("FAILURE_CREDITS", 0x02, "Not, for want of credits"),
	  U("FAILURE_RBT_HIT", 0x04, "Not, the route-back table forbade it"),
	  U("FAILURE_CREDITS_RBT", 0x08, "Not, for want of credits, and the table forbade it"),
	  U("FAILURE_MISS", 0x10, "Not, the table had another tag"),
	  U("FAILURE_CREDITS_MISS", 0x20,
	    "Not, for want of credits, and the table had another tag"),
	  U("FAILURE_RBT_MISS", 0x40, "Not, the table had another tag and forbade it"),
	  U("FAILURE_CREDITS_RBT_MISS", 0x80,
	    "Not, for want of credits, and the table had another tag and forbade it"))),
	RXQ("DRS", 0x09, 0x0f, 0x15, "data responses"),
	RXQ("NCB", 0x0a, 0x10, 0x16, "non-coherent bypass messages"),
	RXQ("NCS", 0x0b, 0x11, 0x17, "non-coherent standard messages"),
	RXQ("HOM", 0x0c, 0x12, 0x18, "home messages"),
	RXQ("SNP", 0x0d, 0x13, 0x19, "snoops"),
	RXQ("NDR", 0x0e, 0x14, 0x1a, "responses without data"),

	/* Credits, which the receiver gives and takes back. */
	E("VNA_CREDIT_RETURN_OCCUPANCY", 0x1b, MOST, JSON, PLAIN, IVYTOWN_EXT,
	  .help = "VNA credits that wait to be given back over the link, added up each cycle"),
	E("VNA_CREDIT_RETURNS", 0x1c, MOST, JSON, PLAIN, IVYTOWN_EXT,
	  .help = "VNA credits given back over the link"),
	E("RXL_CREDITS_CONSUMED_VNA", 0x1d, 1, MANUAL " p 146", PLAIN, IVYTOWN_EXT,
	  .help = "VNA credits of the receive buffer that received messages used"),
	E("RXL_CREDITS_CONSUMED_VN0", 0x1e, MOST, JSON, MASKS(classes, -1), IVYTOWN_EXT,
	  .help = "VN0 credits of the receive buffer that received messages used"),
	CREDITS("BL_DRS", 0x2a, 0x1f, vns_shared, "data responses"),
	CREDITS("BL_NCB", 0x2b, 0x20, vns, "non-coherent bypass messages"),
	CREDITS("BL_NCS", 0x2c, 0x21, vns, "non-coherent standard messages"),
	CREDITS("AD_HOM", 0x26, 0x22, vns, "home messages"),
	CREDITS("AD_SNP", 0x27, 0x23, vns, "snoops"),
	CREDITS("AD_NDR", 0x28, 0x24, vns, "responses without data for the address ring"),
	E("TXR_AK_NDR_CREDIT_ACQUIRED", 0x29, MOST, JSON, MASKS(vns, CAT_OPTIONAL), IVYTOWN_EXT, IVYTOWN_BARE,
	  .help = "Credits taken to pass responses without data for the acknowledge ring on to R3QPI"),
	E("TXR_AK_NDR_CREDIT_OCCUPANCY", 0x25, MOST, JSON, MASKS(vns, CAT_OPTIONAL), IVYTOWN_EXT, IVYTOWN_BARE,
	  .help = "Credits left to pass responses without data for the acknowledge ring on to R3QPI, added up each cycle"),
	E("RXL_STALLS_VN0", 0x35, MOST, JSON, IVYTOWN_EXT,
	  .help = "Times a message of VN0 could not be passed on to R3QPI at once",
	  MASKS_HERE(-1, BGF,
	  U("EGRESS_CREDITS", 0x40, "For want of an egress credit"),
	  U("GV", 0x80, "The frequency was being changed"))),
	E("CTO_COUNT", 0x38, 2, MANUAL " Tables 2-133 to 2-137, kernel", ONE_OF(packets, CAT_OPTIONAL), IVYTOWN_EXT,
	  .selector = &packet_selector, .values = VALUES(.has = ALL_FOUR), .named_values = true,
	  .alias = TEXTS("MESSAGE", "MATCH_MASK"),
	  .help = "Packets on the link that fit a unit mask or match and mask",
	  .note = "Without unit mask and match every packet fits; one filter per port: two different matches do not fit into one round"),
	E("RXL_CREDITS_CONSUMED_VN1", 0x39, 2, MANUAL " p 146", SUMMED(classes, -1), IVYTOWN_EXT,
	  .help = "VN1 credits of the receive buffer that received messages used"),
	E("RXL_STALLS_VN1", 0x3a, MOST, JSON, IVYTOWN_EXT, MASKS_HERE(-1, BGF),
	  .help = "Times a message of VN1 could not be passed on to R3QPI at once"),
};

const struct cat_box ivytown_qpi = {
	.name = "qpi", .letter = "Q", .title = "QPI: link layer of a QPI link",
	ROWS, .max_inc = IVYTOWN_QPI_MOST, .links = ivytown_links,
	/* Ports 0 and 1 share one rate register. Port 2 exists on the E7 v2 only; likwid looks
	 * for it on device 10 with other ids, and the place of its filter is inferred from those
	 * of the others. */
	UNITS_HERE(
	  { .dev = { 8, 8, 8 }, .fn = { 2, 6, 0 }, .id = { 0x0e32, 0x0e86, 0x0e80 } },
	  { .dev = { 9, 9, 8 }, .fn = { 2, 6, 0 }, .id = { 0x0e33, 0x0e96, 0x0e80 } },
	  { .dev = { 24, 24, 24 }, .fn = { 2, 6, 0 }, .id = { 0x0e3a, 0x0ec6, 0x0ec0 } }),
	.clock = "qpi/CLOCKTICKS", .max_hz = IVYTOWN_QCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.8",
};
