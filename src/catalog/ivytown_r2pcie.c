/* ivytown_r2pcie.c - R2PCIe of the Xeon E5/E7 v2: between the ring and the I/O unit.
 *
 * Owns:  its registers and events.
 * Never: other boxes.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/ivytown.h"

#define SRC "kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("R2", 4, SRC),
	IVYTOWN_PCI_CTL("R2", 4, ivytown_ctl_fields, SRC),
	IVYTOWN_PCI_CTR("R2", 4, ivytown_ctr44_fields, SRC),
};

static const struct cat_unit units[] = {
	{ .dev = { 19 }, .fn = { 1 }, .id = { 0x0e34 } },
};

/* ------------------------------------------------------------------ unit masks */

#define DRS { .name = "DRS", .value = 0x08, .help = "Data responses" }
#define NCB { .name = "NCB", .value = 0x10, .help = "Non-coherent bypass messages" }
#define NCS { .name = "NCS", .value = 0x20, .help = "Non-coherent standard messages" }
static const struct cat_umask io_classes[] = { DRS, NCB, NCS };
static const struct cat_umask nc_classes[] = { NCB, NCS };
static const struct cat_umask drs[] = { DRS };

static const struct cat_umask bounces[] = {
	{ .name = "CW", .value = 0x01, .help = "Clockwise" },
	{ .name = "CCW", .value = 0x02, .help = "Counterclockwise" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_R2PCIE_MOST
#define FIRST .counters = 0x1
#define PAIR  .counters = 0x3
/* The event file has counters 0 and 1, libpfm4 counter 0: that one is right by both. */
#define NACK_OPEN .disputed = "Counter 0 alone by libpfm4; Intel's event file allows 0 and 1"
#define NACK_SRC IVYTOWN_JSON ", counter by " IVYTOWN_PFM4
#define RING(name_, code_, text) \
	{ .name = "RING_" name_ "_USED", .code = (code_), IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_ring, -1), \
	  .source = IVYTOWN_JSON, .note = "Passing and arriving packets count, those that start here do not", \
	  .help = "Cycles in which the " text " ring carries a packet at R2PCIe's stop" }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x01, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the uncore clock at R2PCIe" },
	RING("AD", 0x07, "address"),
	RING("AK", 0x08, "acknowledge"),
	RING("BL", 0x09, "data"),
	{ .name = "RING_IV_USED", .code = 0x0a, IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_ring_iv, 0), .source = IVYTOWN_JSON,
	  .note = "Passing packets and those that start here count, arriving ones do not",
	  .help = "Cycles in which the invalidate ring carries a packet at R2PCIe's stop" },
	{ .name = "RXR_CYCLES_NE", .code = 0x10, PAIR, IVYTOWN_CYCLES, IVYTOWN_MASKS(nc_classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which a message from the ring waits in R2PCIe" },
	{ .name = "RXR_INSERTS", .code = 0x11, PAIR, .max_inc = MOST, IVYTOWN_MASKS(nc_classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages from the ring that R2PCIe put into an ingress queue" },
	{ .name = "RXR_AK_BOUNCES", .code = 0x12, FIRST, .max_inc = MOST, IVYTOWN_MASKS(bounces, CAT_OPTIONAL),
	  .bare = true, IVYTOWN_BARE, .source = IVYTOWN_JSON,
	  .help = "Acknowledgements that found no room at R2PCIe and made another round on the ring" },
	{ .name = "RXR_OCCUPANCY", .code = 0x13, FIRST, .max_inc = MOST, IVYTOWN_MASKS(drs, 0),
	  .source = IVYTOWN_JSON,
	  .help = "Messages from the ring that wait in R2PCIe, added up each cycle" },
	{ .name = "TXR_CYCLES_NE", .code = 0x23, FIRST, IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which a message waits in R2PCIe to get onto the ring" },
	{ .name = "TXR_CYCLES_FULL", .code = 0x25, FIRST, IVYTOWN_CYCLES, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which R2PCIe's queue to the ring is full" },
	{ .name = "TXR_NACK_CW", .code = 0x26, FIRST, .max_inc = MOST, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = NACK_SRC, NACK_OPEN,
	  .help = "Messages of R2PCIe that were refused the clockwise ring" },
	{ .name = "TXR_NACK_CCW", .code = 0x28, FIRST, .max_inc = MOST, IVYTOWN_MASKS(ivytown_rings, -1),
	  .source = NACK_SRC, NACK_OPEN,
	  .help = "Messages of R2PCIe that were refused the counterclockwise ring" },
	{ .name = "IIO_CREDITS_USED", .code = 0x32, PAIR, IVYTOWN_CYCLES, IVYTOWN_MASKS(io_classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which credits to send to the I/O unit are in use" },
	{ .name = "IIO_CREDITS_ACQUIRED", .code = 0x33, PAIR, .max_inc = MOST, IVYTOWN_MASKS(io_classes, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Credits taken to send messages to the I/O unit" },
	{ .name = "IIO_CREDITS_REJECT", .code = 0x34, PAIR, .max_inc = MOST, IVYTOWN_MASKS(drs, 0),
	  .source = IVYTOWN_JSON,
	  .help = "Times no credit was left to send a message to the I/O unit" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_r2pcie = {
	.name = "r2pcie", .letter = "R2", .title = "R2PCIe: between the ring and the I/O unit",
	UNITS(units), ROWS, .max_inc = IVYTOWN_R2PCIE_MOST, IVYTOWN_UCLK,
	.space = SPACE_PCI, .width = 44, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN, .source = "329468-002 2.9",
};
