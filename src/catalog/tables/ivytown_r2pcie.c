/* SPDX-License-Identifier: MIT
 * R2PCIe of the Xeon E5/E7 v2: between the ring and the I/O unit.
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "catalog/tables/ivytown.h"

#define SRC "kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("R2", 4, SRC),
	IVYTOWN_PCI_CTL("R2", 4, ivytown_ctl_fields, SRC),
	IVYTOWN_PCI_CTR("R2", 4, ivytown_ctr44_fields, SRC),
};

#define DRS U("DRS", 0x08, "Data responses")
#define NCB U("NCB", 0x10, "Non-coherent bypass messages")
#define NCS U("NCS", 0x20, "Non-coherent standard messages")
static const struct cat_umask io_classes[] = { DRS, NCB, NCS };
static const struct cat_umask nc_classes[] = { NCB, NCS };
static const struct cat_umask drs[] = { DRS };

#define MOST IVYTOWN_R2PCIE_MOST
#define FIRST .counters = 0x1
#define PAIR  .counters = 0x3
/* The event file has counters 0 and 1, libpfm4 counter 0: that one is right by both. */
#define NACK_OPEN .disputed = "Counter 0 alone by libpfm4; Intel's event file allows 0 and 1"
#define NACK_SRC JSON ", counter by " LIBPFM4
#define RING(name_, code_, text) \
	E("RING_" name_ "_USED", code_, 1, JSON, SUMMED(ivytown_ring, -1), \
	  .help = "Cycles in which the " text " ring carries a packet at R2PCIe's stop", \
	  .note = "Passing and arriving packets count, those that start here do not")

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x01, 1, JSON, CLOCK,
	  .help = "Cycles of the uncore clock at R2PCIe"),
	RING("AD", 0x07, "address"),
	RING("AK", 0x08, "acknowledge"),
	RING("BL", 0x09, "data"),
	E("RING_IV_USED", 0x0a, 1, JSON, SUMMED(ivytown_ring_iv, 0),
	  .help = "Cycles in which the invalidate ring carries a packet at R2PCIe's stop",
	  .note = "Passing packets and those that start here count, arriving ones do not"),
	E("RXR_CYCLES_NE", 0x10, 1, JSON, SUMMED(nc_classes, -1), PAIR,
	  .help = "Cycles in which a message from the ring waits in R2PCIe"),
	E("RXR_INSERTS", 0x11, MOST, JSON, MASKS(nc_classes, -1), PAIR,
	  .help = "Messages from the ring that R2PCIe put into an ingress queue"),
	E("RXR_AK_BOUNCES", 0x12, MOST, JSON, FIRST, IVYTOWN_BARE,
	  .help = "Acknowledgements that found no room at R2PCIe and made another round on the ring",
	  MASKS_HERE(CAT_OPTIONAL, U("CW", 0x01, "Clockwise"), U("CCW", 0x02, "Counterclockwise"))),
	E("RXR_OCCUPANCY", 0x13, MOST, JSON, MASKS(drs, 0), FIRST,
	  .help = "Messages from the ring that wait in R2PCIe, added up each cycle"),
	E("TXR_CYCLES_NE", 0x23, 1, JSON, SUMMED(ivytown_rings, -1), FIRST,
	  .help = "Cycles in which a message waits in R2PCIe to get onto the ring"),
	E("TXR_CYCLES_FULL", 0x25, 1, JSON, SUMMED(ivytown_rings, -1), FIRST,
	  .help = "Cycles in which R2PCIe's queue to the ring is full"),
	E("TXR_NACK_CW", 0x26, MOST, NACK_SRC, MASKS(ivytown_rings, -1), FIRST, NACK_OPEN,
	  .help = "Messages of R2PCIe that were refused the clockwise ring"),
	E("TXR_NACK_CCW", 0x28, MOST, NACK_SRC, MASKS(ivytown_rings, -1), FIRST, NACK_OPEN,
	  .help = "Messages of R2PCIe that were refused the counterclockwise ring"),
	E("IIO_CREDITS_USED", 0x32, 1, JSON, SUMMED(io_classes, -1), PAIR,
	  .help = "Cycles in which credits to send to the I/O unit are in use"),
	E("IIO_CREDITS_ACQUIRED", 0x33, MOST, JSON, MASKS(io_classes, -1), PAIR,
	  .help = "Credits taken to send messages to the I/O unit"),
	E("IIO_CREDITS_REJECT", 0x34, MOST, JSON, MASKS(drs, 0), PAIR,
	  .help = "Times no credit was left to send a message to the I/O unit"),
};

const struct cat_box ivytown_r2pcie = {
	.name = "r2pcie", .letter = "R2", .title = "R2PCIe: between the ring and the I/O unit",
	UNITS_HERE({ .dev = { 19 }, .fn = { 1 }, .id = { 0x0e34 } }), ROWS, .max_inc = IVYTOWN_R2PCIE_MOST,
	IVYTOWN_UCLK,
	.space = SPACE_PCI, .width = 44, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.9",
};
