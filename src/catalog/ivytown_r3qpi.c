/* ivytown_r3qpi.c - R3QPI of the Xeon E5/E7 v2: between the ring and the QPI links, one unit a link.
 *
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A credit is the right to one place in a buffer on the other side: VN0 and VN1 are reserved for each
 * message class, VNA is a pool that all share. The links share one stop of the ring, so its ring events
 * say the same at each of them.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* Bit 23, elsewhere the threshold's invert, must be 0. */
static const struct cat_field ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "rsv", 23, 23, CAT_FIELD_RSV, NULL },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

#define SRC "329468-002 2.10.2, p 176, kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("R3_L%u", 3, SRC),
	IVYTOWN_PCI_CTL("R3_L%u", 3, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("R3_L%u", 3, ivytown_ctr44_fields, SRC),
};

/* Link 2 exists on the E7 v2 only. */
static const struct cat_unit units[] = {
	{ .dev = { 19 }, .fn = { 5 }, .id = { 0x0e36 } },
	{ .dev = { 19 }, .fn = { 6 }, .id = { 0x0e37 } },
	{ .dev = { 18 }, .fn = { 5 }, .id = { 0x0e3e } },
};

/* ------------------------------------------------------------------ unit masks */

#define RING_VR0(DIR, dir, up) \
	{ .name = DIR "_VR0_EVEN", .value = 0x01 << (up), .help = dir ", even slots" }, \
	{ .name = DIR "_VR0_ODD", .value = 0x02 << (up), .help = dir ", odd slots" }
static const struct cat_umask ring[] = {
	RING_VR0("CW", "Clockwise", 0),
	RING_VR0("CCW", "Counterclockwise", 2),
	{ .name = "CW", .value = 0x33, .help = "Clockwise" },
	{ .name = "CCW", .value = 0xcc, .help = "Counterclockwise" },
};

static const struct cat_umask vna_rings[] = {
	{ .name = "AD", .value = 0x01, .help = "Messages of the address ring" },
	{ .name = "BL", .value = 0x04, .help = "Messages of the data ring" },
};

static const struct cat_umask ad[] = {
	{ .name = "AD", .value = 0x01 },
};

#define HOM { .name = "HOM", .value = 0x01, .help = "Requests to a home agent and responses to it" }
#define SNP { .name = "SNP", .value = 0x02, .help = "Snoop requests" }
#define NDR { .name = "NDR", .value = 0x04, .help = "Responses without data" }
static const struct cat_umask ad_classes[] = { HOM, SNP, NDR };
static const struct cat_umask classes[] = {
	HOM, SNP, NDR,
	{ .name = "DRS", .value = 0x08, .help = "Data responses" },
	{ .name = "NCB", .value = 0x10, .help = "Non-coherent bypass messages" },
	{ .name = "NCS", .value = 0x20, .help = "Non-coherent standard messages" },
};

static const struct cat_umask link_credits[] = {
	{ .name = "VNA", .value = 0x01, .help = "The pool that all classes share" },
	{ .name = "VN0_HOM", .value = 0x02, .help = "Home messages on VN0" },
	{ .name = "VN0_SNP", .value = 0x04, .help = "Snoops on VN0" },
	{ .name = "VN0_NDR", .value = 0x08, .help = "Responses without data on VN0" },
	{ .name = "VN1_HOM", .value = 0x10, .help = "Home messages on VN1" },
	{ .name = "VN1_SNP", .value = 0x20, .help = "Snoops on VN1" },
	{ .name = "VN1_NDR", .value = 0x40, .help = "Responses without data on VN1" },
};

#define CBO(n, bit) { .name = "CBO" #n, .value = (bit), .help = "To C-Box " #n }
static const struct cat_umask low_cbos[] = {
	CBO(0, 0x01), CBO(1, 0x02), CBO(2, 0x04), CBO(3, 0x08),
	CBO(4, 0x10), CBO(5, 0x20), CBO(6, 0x40), CBO(7, 0x80),
};
static const struct cat_umask high_cbos[] = {
	CBO(8, 0x01), CBO(9, 0x02), CBO(10, 0x04), CBO(11, 0x08), CBO(12, 0x10), CBO(13, 0x20), CBO(14, 0x40),
};

static const struct cat_umask agents[] = {
	{ .name = "HA0", .value = 0x01, .help = "Home agent 0" },
	{ .name = "HA1", .value = 0x02, .help = "Home agent 1" },
	{ .name = "R2_NCB", .value = 0x04, .help = "R2PCIe, non-coherent bypass messages" },
	{ .name = "R2_NCS", .value = 0x08, .help = "R2PCIe, non-coherent standard messages" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_R3QPI_MOST
#define FIRST .counters = 0x1
#define PAIR  .counters = 0x3
#define LAST  .counters = 0x4   /* ring events: 2.10.2; Intel's event file allows counters 0 and 1 too */
#define RING_SRC .source = IVYTOWN_MANUAL " 2.10.2", \
	.disputed = "Counter 2 alone by the manual; Intel's event file allows 0 to 2 and Linux has no constraint"
#define RING(name_, code_, text) \
	{ .name = "RING_" name_ "_USED", .code = (code_), LAST, IVYTOWN_CYCLES, IVYTOWN_MASKS(ring, -1), RING_SRC, \
	  .note = "Passing and arriving packets count, those that start here do not; the links share one stop: " \
		"do not add them up", \
	  .help = "Cycles in which the " text " ring carries a packet at the stop of the QPI links" }
#define LINK_EMPTY(link, ring_, code_, text) \
	{ .name = "QPI" link "_" ring_ "_CREDITS_EMPTY", .code = (code_), PAIR, .max_inc = MOST, \
	  IVYTOWN_MASKS(link_credits, -1), .source = IVYTOWN_JSON, \
	  .help = "Cycles without credits to send messages of the " text " ring over QPI link " link }
#define CREDITS(vn, used, reject) \
	{ .name = vn "_CREDITS_USED", .code = (used), PAIR, .max_inc = MOST, IVYTOWN_MASKS(classes, -1), \
	  .source = IVYTOWN_JSON, .help = "Times a message took a credit of " vn " to be sent over the link" }, \
	{ .name = vn "_CREDITS_REJECT", .code = (reject), PAIR, .max_inc = MOST, IVYTOWN_MASKS(classes, -1), \
	  .source = IVYTOWN_JSON, .help = "Times a message asked for a credit of " vn " and got none" }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x01, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the uncore clock at R3QPI" },
	RING("AD", 0x07, "address"),
	RING("AK", 0x08, "acknowledge"),
	RING("BL", 0x09, "data"),
	{ .name = "RING_IV_USED", .code = 0x0a, LAST, IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_ring_iv, 0), RING_SRC,
	  .note = "Passing packets and those that start here count, arriving ones do not; the links share one "
		"stop: do not add them up",
	  .help = "Cycles in which the invalidate ring carries a packet at the stop of the QPI links" },
	{ .name = "RXR_CYCLES_NE", .code = 0x10, PAIR, IVYTOWN_CYCLES, IVYTOWN_MASKS(ad_classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which a message from the ring waits to be sent over the link" },
	{ .name = "RXR_INSERTS", .code = 0x11, PAIR, .max_inc = MOST, IVYTOWN_MASKS(classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages from the ring that were put into a queue to the link" },
	{ .name = "RXR_BYPASSED", .code = 0x12, PAIR, .max_inc = MOST, IVYTOWN_MASKS(ad, 0), .source = IVYTOWN_JSON,
	  .help = "Messages from the ring that went to the link without waiting in a queue" },
	{ .name = "RXR_AD_BYPASSED", .code = 0x12, PAIR, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .note = "RXR_BYPASSED with unit mask field 0, as Intel's event file lists it",
	  .help = "Messages from the address ring that went to the link without waiting in a queue" },
	{ .name = "RXR_OCCUPANCY", .code = 0x13, FIRST, .max_inc = MOST, IVYTOWN_MASKS(classes, -1),
	  .source = IVYTOWN_MANUAL " 2.10.2",
	  .help = "Messages from the ring that wait to be sent over the link, added up each cycle" },
	{ .name = "TXR_CYCLES_NE", .code = 0x23, PAIR, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_PFM4,
	  .disputed = "Only libpfm4 has it, Intel's event file does not",
	  .help = "Cycles in which a message from the link waits to get onto the ring" },
	{ .name = "TXR_CYCLES_FULL", .code = 0x25, PAIR, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_PFM4,
	  .disputed = "Only libpfm4 has it, Intel's event file does not",
	  .help = "Cycles in which a queue from the link to the ring is full" },
	{ .name = "TXR_NACK_CW", .code = 0x26, PAIR, .max_inc = MOST, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages from the link that were refused the clockwise ring" },
	{ .name = "TXR_NACK_CCW", .code = 0x28, PAIR, .max_inc = MOST, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages from the link that were refused the counterclockwise ring" },
	LINK_EMPTY("0", "AD", 0x29, "address"),
	LINK_EMPTY("1", "AD", 0x2a, "address"),
	{ .name = "C_LO_AD_CREDITS_EMPTY", .code = 0x2b, PAIR, .max_inc = MOST, IVYTOWN_MASKS(low_cbos, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles without credits to send to a C-Box, 0 to 7, over the address ring" },
	{ .name = "C_HI_AD_CREDITS_EMPTY", .code = 0x2c, PAIR, .max_inc = MOST, IVYTOWN_MASKS(high_cbos, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles without credits to send to a C-Box, 8 to 14, over the address ring" },
	LINK_EMPTY("0", "BL", 0x2d, "data"),
	LINK_EMPTY("1", "BL", 0x2e, "data"),
	{ .name = "HA_R2_BL_CREDITS_EMPTY", .code = 0x2f, PAIR, .max_inc = MOST, IVYTOWN_MASKS(agents, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles without credits to send to a home agent or to R2PCIe over the data ring" },
	{ .name = "VNA_CREDIT_CYCLES_OUT", .code = 0x31, PAIR, .max_inc = 1, .dflt = -1,
	  .source = IVYTOWN_MANUAL " p 189",
	  .help = "Cycles in which the pool of VNA credits is used up" },
	{ .name = "VNA_CREDIT_CYCLES_USED", .code = 0x32, PAIR, .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Cycles in which at least one VNA credit is in use" },
	{ .name = "VNA_CREDITS_ACQUIRED", .code = 0x33, PAIR, .max_inc = MOST,
	  IVYTOWN_MASKS(vna_rings, CAT_OPTIONAL), .bare = true, IVYTOWN_BARE, .source = IVYTOWN_MANUAL " p 189",
	  .help = "VNA credits taken to send messages over the link; long messages take several" },
	{ .name = "VNA_CREDITS_REJECT", .code = 0x34, PAIR, .max_inc = MOST, IVYTOWN_MASKS(classes, -1),
	  .source = IVYTOWN_MANUAL " p 189",
	  .help = "Times a message asked for VNA credits and the pool had not enough" },
	CREDITS("VN0", 0x36, 0x37),
	CREDITS("VN1", 0x38, 0x39),
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_r3qpi = {
	.name = "r3qpi", .letter = "R3", .title = "R3QPI: between the ring and a QPI link",
	UNITS(units), ROWS, .max_inc = IVYTOWN_R3QPI_MOST, IVYTOWN_UCLK, .links = ivytown_links,
	.space = SPACE_PCI, .width = 44, .n_counters = 3, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN, .source = "329468-002 2.10",
};
