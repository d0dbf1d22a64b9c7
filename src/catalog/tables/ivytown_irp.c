/* SPDX-License-Identifier: MIT
 * IRP of the Xeon E5/E7 v2: keeps requests of I/O devices coherent with the caches.
 * Owns:  its registers, whose order is its own, and its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * "The switch" is the I/O unit's, towards the devices; the other side is R2PCIe and the ring.
 */
#include "catalog/tables/ivytown.h"

/* The second counter is not where that of other boxes is. likwid wraps at 44 bits, the kernel at
 * 48: a wrap at 44 bits would show as a reset, never as a count. */
#define SRC "kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("IRP", 4, SRC),
	IVYTOWN_PCI_CTL("IRP", 4, ivytown_ctl_fields, SRC),
	R("IRP_PCI_PMON_CTR%n", CTR, RW, 1, 8, 0xa0, SRC, .step = 8, FIELDS(ivytown_ctr48_fields)),
	R("IRP_PCI_PMON_CTR%n", CTR, RW, 3, 8, 0xb0, SRC, .first = 1, .step = 8, FIELDS(ivytown_ctr48_fields)),
};

static const struct cat_umask source[] = {
	U("ANY", 0x01, "Requests of any port"),
	U("SOURCE", 0x02, "Requests of the port in the IRP's own filter, which stays as it is"),
};

static const struct cat_umask ack_source[] = {
	U("ANY", 0x01,
	  "Any port, by its name",
	  .disputed = "The texts of ANY and SOURCE are exchanged in Intel's event file"),
	U("SOURCE", 0x02,
	  "The port in the IRP's own filter, by its name",
	  .disputed = "The texts of ANY and SOURCE are exchanged in Intel's event file"),
};

#define MOST IVYTOWN_IRP_MOST
#define PAIR .counters = 0x3
#define IN_FLIGHT(what, code_, m, text) \
	E("CACHE_" what "_OCCUPANCY", code_, MOST, MANUAL " p 104", MASKS(m, 0), PAIR, \
	  .help = text ", added up each cycle")
#define QUEUE(queue, insert, full, occupancy, text) \
	E("RXR_" queue "_INSERTS", insert, MOST, JSON, PLAIN, PAIR, \
	  .help = text " that came in from the ring"), \
	E("RXR_" queue "_CYCLES_FULL", full, 1, JSON, PLAIN, PAIR, \
	  .help = "Cycles in which the queue for " text " from the ring is full"), \
	E("RXR_" queue "_OCCUPANCY", occupancy, MOST, JSON, PLAIN, PAIR, \
	  .help = text " from the ring that wait, added up each cycle")

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x00, 1, JSON, PAIR, CLOCK,
	  .help = "Cycles of the IRP's clock"),
	QUEUE("BL_DRS", 0x01, 0x04, 0x07, "Data responses (DRS)"),
	QUEUE("BL_NCB", 0x02, 0x05, 0x08, "Non-coherent bypass messages (NCB)"),
	QUEUE("BL_NCS", 0x03, 0x06, 0x09, "Non-coherent standard messages (NCS)"),
	QUEUE("AK", 0x0a, 0x0b, 0x0c, "Acknowledgements (AK)"),
	E("TXR_REQUEST_OCCUPANCY", 0x0d, MOST, MANUAL " p 109", PLAIN, PAIR,
	  .help = "Requests on their way to devices, added up each cycle",
	  .disputed = "Largest increment per cycle: the manual prints 1, which no sum of requests keeps to"),
	E("TXR_DATA_INSERTS_NCB", 0x0e, MOST, JSON, PLAIN, PAIR,
	  .help = "Requests sent to devices as non-coherent bypass messages"),
	E("TXR_DATA_INSERTS_NCS", 0x0f, MOST, JSON, PLAIN, PAIR,
	  .help = "Requests sent to devices as non-coherent standard messages"),
	IN_FLIGHT("READ", 0x10, source, "Reads of devices that wait for their data"),
	IN_FLIGHT(
	  "WRITE",
	  0x11, source,
	  "Writes of devices under way in the uncore, prefetches too"),
	IN_FLIGHT("TOTAL", 0x12, source, "Reads and writes of devices under way in the uncore"),
	IN_FLIGHT("OWN", 0x13, source, "Writes of devices that wait to own their line"),
	IN_FLIGHT(
	  "ACK_PENDING",
	  0x14, ack_source,
	  "Writes of devices that own their line and have not sent their data"),
	E("TRANSACTIONS", 0x15, MOST, JSON, PAIR,
	  .help = "Requests of devices that the IRP sent into the uncore",
	  .note = "Intel's event file names a filter register for ORDERINGQ whose place no source gives: it stays as it is",
	  MASKS_HERE(-1,
	  U("READS", 0x01, "Reads; prefetches are not"),
	  U("WRITES", 0x02, "Writes, each with its prefetch"),
	  U("RD_PREFETCHES", 0x04, "Prefetches of reads", .alias = "PD_PREFETCHES"),
	  U("ORDERINGQ", 0x08,
	    "Only requests of the port in the IRP's own filter; qualifies the others"))),
	E("TICKLES", 0x16, MOST, JSON, PAIR,
	  .help = "Times somebody else asked for a line that a request of a device holds",
	  MASKS_HERE(-1,
	  U("LOST_OWNERSHIP", 0x01, "The request lost its line and must ask again"),
	  U("TOP_OF_QUEUE", 0x02, "The request was about to finish and could keep its line"))),
	E("ADDRESS_MATCH", 0x17, MOST, JSON, PAIR,
	  .help = "Times a write of a device met another request to the same address",
	  MASKS_HERE(-1,
	  U("STALL_COUNT", 0x01, "The requests had to wait for each other"),
	  U("MERGE_COUNT", 0x02, "The requests came from one device and became one"))),
	E("TXR_AD_STALL_CREDIT_CYCLES", 0x18, 1, JSON, PLAIN, PAIR,
	  .help = "Cycles in which a request cannot go to R2PCIe for want of an address ring credit"),
	E("TXR_BL_STALL_CREDIT_CYCLES", 0x19, 1, JSON, PLAIN, PAIR,
	  .help = "Cycles in which data cannot go to R2PCIe for want of a data ring credit"),
	E("WRITE_ORDERING_STALL_CYCLES", 0x1a, 1, MANUAL " p 109", PLAIN, PAIR,
	  .help = "Cycles in which writes that own their line wait while the way from the switch is idle"),
};

const struct cat_box ivytown_irp = {
	.name = "irp", .letter = "I", .title = "IRP: coherence of I/O requests",
	ROWS, .max_inc = IVYTOWN_IRP_MOST,
	/* On the socket's I/O bus, not on its uncore bus. */
	UNITS_HERE({ .dev = { 5 }, .fn = { 6 }, .id = { 0x0e39 } }),
	.clock = "irp/CLOCKTICKS", .max_hz = IVYTOWN_UCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.6, kernel uncore_snbep (48 bits; likwid: 44)",
};
