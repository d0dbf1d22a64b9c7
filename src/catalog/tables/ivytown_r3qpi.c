/* SPDX-License-Identifier: MIT
 * R3QPI of the Xeon E5/E7 v2: between the ring and the QPI links, one unit a link.
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A credit is the right to one place in a buffer on the other side: VN0 and VN1 are reserved for
 * each message class, VNA is a pool that all share. The links share one stop of the ring, so its
 * ring events say the same at each of them.
 */
#include "catalog/tables/ivytown.h"

/* Bit 23, elsewhere the threshold's invert, must be 0. */
static const struct cat_field ctl_fields[] = {
	IVYTOWN_THRESH(31), RSV(23, 23), IVYTOWN_EN, IVYTOWN_OV_EN, IVYTOWN_EDGE_RST,
	IVYTOWN_SELECTION,
};

#define SRC "329468-002 2.10.2, p 176, kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("R3_L%u", 3, SRC),
	IVYTOWN_PCI_CTL("R3_L%u", 3, ctl_fields, SRC),
	IVYTOWN_PCI_CTR("R3_L%u", 3, ivytown_ctr44_fields, SRC),
};

#define RING_VR0(DIR, dir, up) \
	U(DIR "_VR0_EVEN", 0x01 << (up), dir ", even slots"), \
	U(DIR "_VR0_ODD", 0x02 << (up), dir ", odd slots")
static const struct cat_umask ring[] = {
	RING_VR0("CW", "Clockwise", 0),
	RING_VR0("CCW", "Counterclockwise", 2),
	U("CW", 0x33, "Clockwise"),
	U("CCW", 0xcc, "Counterclockwise"),
};

#define HOM U("HOM", 0x01, "Requests to a home agent and responses to it")
#define SNP U("SNP", 0x02, "Snoop requests")
#define NDR U("NDR", 0x04, "Responses without data")
static const struct cat_umask classes[] = {
	HOM, SNP, NDR,
	U("DRS", 0x08, "Data responses"),
	U("NCB", 0x10, "Non-coherent bypass messages"),
	U("NCS", 0x20, "Non-coherent standard messages"),
};

static const struct cat_umask link_credits[] = {
	U("VNA", 0x01, "The pool that all classes share"),
	U("VN0_HOM", 0x02, "Home messages on VN0"),
	U("VN0_SNP", 0x04, "Snoops on VN0"),
	U("VN0_NDR", 0x08, "Responses without data on VN0"),
	U("VN1_HOM", 0x10, "Home messages on VN1"),
	U("VN1_SNP", 0x20, "Snoops on VN1"),
	U("VN1_NDR", 0x40, "Responses without data on VN1"),
};

#define CBO(n, bit) U("CBO" #n, bit, "To C-Box " #n)
#define MOST IVYTOWN_R3QPI_MOST
#define FIRST .counters = 0x1
#define PAIR  .counters = 0x3
/* ring events: 2.10.2; Intel's event file allows counters 0 and 1 too */
#define LAST  .counters = 0x4
#define RING_SRC .disputed = "Counter 2 alone by the manual; Intel's event file allows 0 to 2 " \
		"and Linux has no constraint"
#define RING(name_, code_, text) \
	E("RING_" name_ "_USED", code_, 1, MANUAL " 2.10.2", SUMMED(ring, -1), LAST, RING_SRC, \
	  .help = "Cycles in which the " text " ring carries a packet at the stop of the QPI links", \
	  .note = "Passing and arriving packets count, those that start here do not; the links share one stop: do not add them up")
#define LINK_EMPTY(link, ring_, code_, text) \
	E("QPI" link "_" ring_ "_CREDITS_EMPTY", code_, MOST, JSON, MASKS(link_credits, -1), PAIR, \
	  .help = "Cycles without credits to send messages of the " text " ring over QPI link " link)
#define CREDITS(vn, used, reject) \
	E(vn "_CREDITS_USED", used, MOST, JSON, MASKS(classes, -1), PAIR, \
	  .help = "Times a message took a credit of " vn " to be sent over the link"), \
	E(vn "_CREDITS_REJECT", reject, MOST, JSON, MASKS(classes, -1), PAIR, \
	  .help = "Times a message asked for a credit of " vn " and got none")

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x01, 1, JSON, CLOCK,
	  .help = "Cycles of the uncore clock at R3QPI"),
	RING("AD", 0x07, "address"),
	RING("AK", 0x08, "acknowledge"),
	RING("BL", 0x09, "data"),
	E("RING_IV_USED", 0x0a, 1, MANUAL " 2.10.2", SUMMED(ivytown_ring_iv, 0), LAST, RING_SRC,
	  .help = "Cycles in which the invalidate ring carries a packet at the stop of the QPI links",
	  .note = "Passing packets and those that start here count, arriving ones do not; the links share one stop: do not add them up"),
	E("RXR_CYCLES_NE", 0x10, 1, JSON, PAIR, SUMMED_HERE(-1, HOM, SNP, NDR),
	  .help = "Cycles in which a message from the ring waits to be sent over the link"),
	E("RXR_INSERTS", 0x11, MOST, JSON, MASKS(classes, -1), PAIR,
	  .help = "Messages from the ring that were put into a queue to the link"),
	E("RXR_BYPASSED", 0x12, MOST, JSON, PAIR,
	  .help = "Messages from the ring that went to the link without waiting in a queue",
	  MASKS_HERE(0, U("AD", 0x01, NULL))),
	E("RXR_AD_BYPASSED", 0x12, MOST, JSON, PLAIN, PAIR,
	  .help = "Messages from the address ring that went to the link without waiting in a queue",
	  .note = "RXR_BYPASSED with unit mask field 0, as Intel's event file lists it"),
	E("RXR_OCCUPANCY", 0x13, MOST, MANUAL " 2.10.2", MASKS(classes, -1), FIRST,
	  .help = "Messages from the ring that wait to be sent over the link, added up each cycle"),
	E("TXR_CYCLES_NE", 0x23, MOST, LIBPFM4, PLAIN, PAIR,
	  .help = "Cycles in which a message from the link waits to get onto the ring",
	  .disputed = "Only libpfm4 has it, Intel's event file does not"),
	E("TXR_CYCLES_FULL", 0x25, MOST, LIBPFM4, PLAIN, PAIR,
	  .help = "Cycles in which a queue from the link to the ring is full",
	  .disputed = "Only libpfm4 has it, Intel's event file does not"),
	E("TXR_NACK_CW", 0x26, MOST, JSON, MASKS(ivytown_rings, -1), PAIR,
	  .help = "Messages from the link that were refused the clockwise ring"),
	E("TXR_NACK_CCW", 0x28, MOST, JSON, MASKS(ivytown_rings, -1), PAIR,
	  .help = "Messages from the link that were refused the counterclockwise ring"),
	LINK_EMPTY("0", "AD", 0x29, "address"),
	LINK_EMPTY("1", "AD", 0x2a, "address"),
	E("C_LO_AD_CREDITS_EMPTY", 0x2b, MOST, JSON, PAIR, MASKS_HERE(-1, CBO(0, 0x01), CBO(1, 0x02), CBO(2, 0x04),
	  CBO(3, 0x08), CBO(4, 0x10), CBO(5, 0x20), CBO(6, 0x40), CBO(7, 0x80)),
	  .help = "Cycles without credits to send to a C-Box, 0 to 7, over the address ring"),
	E("C_HI_AD_CREDITS_EMPTY", 0x2c, MOST, JSON, PAIR, MASKS_HERE(-1, CBO(8, 0x01), CBO(9, 0x02), CBO(10, 0x04),
	  CBO(11, 0x08), CBO(12, 0x10), CBO(13, 0x20), CBO(14, 0x40)),
	  .help = "Cycles without credits to send to a C-Box, 8 to 14, over the address ring"),
	LINK_EMPTY("0", "BL", 0x2d, "data"),
	LINK_EMPTY("1", "BL", 0x2e, "data"),
	E("HA_R2_BL_CREDITS_EMPTY", 0x2f, MOST, JSON, PAIR,
	  .help = "Cycles without credits to send to a home agent or to R2PCIe over the data ring",
	  MASKS_HERE(-1,
	  U("HA0", 0x01, "Home agent 0"),
	  U("HA1", 0x02, "Home agent 1"),
	  U("R2_NCB", 0x04, "R2PCIe, non-coherent bypass messages"),
	  U("R2_NCS", 0x08, "R2PCIe, non-coherent standard messages"))),
	E("VNA_CREDIT_CYCLES_OUT", 0x31, 1, MANUAL " p 189", PLAIN, PAIR,
	  .help = "Cycles in which the pool of VNA credits is used up"),
	E("VNA_CREDIT_CYCLES_USED", 0x32, 1, JSON, PLAIN, PAIR,
	  .help = "Cycles in which at least one VNA credit is in use"),
	E("VNA_CREDITS_ACQUIRED", 0x33, MOST, MANUAL " p 189", PAIR, IVYTOWN_BARE,
	  .help = "VNA credits taken to send messages over the link; long messages take several",
	  MASKS_HERE(CAT_OPTIONAL,
	  U("AD", 0x01, "Messages of the address ring"),
	  U("BL", 0x04, "Messages of the data ring"))),
	E("VNA_CREDITS_REJECT", 0x34, MOST, MANUAL " p 189", MASKS(classes, -1), PAIR,
	  .help = "Times a message asked for VNA credits and the pool had not enough"),
	CREDITS("VN0", 0x36, 0x37),
	CREDITS("VN1", 0x38, 0x39),
};

const struct cat_box ivytown_r3qpi = {
	.name = "r3qpi", .letter = "R3", .title = "R3QPI: between the ring and a QPI link",
	ROWS, .max_inc = IVYTOWN_R3QPI_MOST, IVYTOWN_UCLK, .links = ivytown_links,
	/* Link 2 exists on the E7 v2 only. */
	UNITS_HERE(
	  { .dev = { 19 }, .fn = { 5 }, .id = { 0x0e36 } },
	  { .dev = { 19 }, .fn = { 6 }, .id = { 0x0e37 } },
	  { .dev = { 18 }, .fn = { 5 }, .id = { 0x0e3e } }),
	.space = SPACE_PCI, .width = 44, .n_counters = 3, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.10",
};
