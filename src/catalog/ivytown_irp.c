/* ivytown_irp.c - IRP of the Xeon E5/E7 v2: keeps requests of I/O devices coherent with the caches.
 *
 * Owns:  its registers, whose order is its own, and its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * "The switch" is the I/O unit's, towards the devices; the other side is R2PCIe and the ring.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

/* The second counter is not where that of other boxes is. likwid wraps at 44 bits, the kernel at 48: a
 * wrap at 44 bits would show as a reset, never as a count. */
#define SRC "kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	IVYTOWN_PCI_BOX("IRP", 4, SRC),
	IVYTOWN_PCI_CTL("IRP", 4, ivytown_ctl_fields, SRC),
	{ .name = "IRP_PCI_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .first = 0, .count = 1, .bytes = 8,
	  .step = 8, .off = 0xa0, IVYTOWN_FIELDS(ivytown_ctr48_fields), .source = SRC },
	{ .name = "IRP_PCI_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .first = 1, .count = 3, .bytes = 8,
	  .step = 8, .off = 0xb0, IVYTOWN_FIELDS(ivytown_ctr48_fields), .source = SRC },
};

/* On the socket's I/O bus, not on its uncore bus. */
static const struct cat_unit units[] = {
	{ .dev = { 5 }, .fn = { 6 }, .id = { 0x0e39 } },
};

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask source[] = {
	{ .name = "ANY", .value = 0x01, .help = "Requests of any port" },
	{ .name = "SOURCE", .value = 0x02, .help = "Requests of the port in the IRP's own filter, which stays as it is" },
};

static const struct cat_umask ack_source[] = {
	{ .name = "ANY", .value = 0x01, .help = "Any port, by its name",
	  .disputed = "The texts of ANY and SOURCE are exchanged in Intel's event file" },
	{ .name = "SOURCE", .value = 0x02, .help = "The port in the IRP's own filter, by its name",
	  .disputed = "The texts of ANY and SOURCE are exchanged in Intel's event file" },
};

static const struct cat_umask transactions[] = {
	{ .name = "READS", .value = 0x01, .help = "Reads; prefetches are not" },
	{ .name = "WRITES", .value = 0x02, .help = "Writes, each with its prefetch" },
	{ .name = "RD_PREFETCHES", .value = 0x04, .alias = "PD_PREFETCHES", .help = "Prefetches of reads" },
	{ .name = "ORDERINGQ", .value = 0x08,
	  .help = "Only requests of the port in the IRP's own filter; qualifies the others" },
};

static const struct cat_umask tickles[] = {
	{ .name = "LOST_OWNERSHIP", .value = 0x01, .help = "The request lost its line and must ask again" },
	{ .name = "TOP_OF_QUEUE", .value = 0x02, .help = "The request was about to finish and could keep its line" },
};

static const struct cat_umask conflicts[] = {
	{ .name = "STALL_COUNT", .value = 0x01, .help = "The requests had to wait for each other" },
	{ .name = "MERGE_COUNT", .value = 0x02, .help = "The requests came from one device and became one" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_IRP_MOST
#define PAIR .counters = 0x3
#define IN_FLIGHT(what, code_, m, text) \
	{ .name = "CACHE_" what "_OCCUPANCY", .code = (code_), PAIR, .max_inc = MOST, IVYTOWN_MASKS(m, 0), \
	  .source = IVYTOWN_MANUAL " p 104", .help = text ", added up each cycle" }
#define QUEUE(queue, insert, full, occupancy, text) \
	{ .name = "RXR_" queue "_INSERTS", .code = (insert), PAIR, .max_inc = MOST, .dflt = -1, \
	  .source = IVYTOWN_JSON, .help = text " that came in from the ring" }, \
	{ .name = "RXR_" queue "_CYCLES_FULL", .code = (full), PAIR, .max_inc = 1, .dflt = -1, \
	  .source = IVYTOWN_JSON, .help = "Cycles in which the queue for " text " from the ring is full" }, \
	{ .name = "RXR_" queue "_OCCUPANCY", .code = (occupancy), PAIR, .max_inc = MOST, .dflt = -1, \
	  .source = IVYTOWN_JSON, .help = text " from the ring that wait, added up each cycle" }

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x00, PAIR, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the IRP's clock" },
	QUEUE("BL_DRS", 0x01, 0x04, 0x07, "Data responses (DRS)"),
	QUEUE("BL_NCB", 0x02, 0x05, 0x08, "Non-coherent bypass messages (NCB)"),
	QUEUE("BL_NCS", 0x03, 0x06, 0x09, "Non-coherent standard messages (NCS)"),
	QUEUE("AK", 0x0a, 0x0b, 0x0c, "Acknowledgements (AK)"),
	{ .name = "TXR_REQUEST_OCCUPANCY", .code = 0x0d, PAIR, .max_inc = MOST, .dflt = -1,
	  .source = IVYTOWN_MANUAL " p 109",
	  .disputed = "Largest increment per cycle: the manual prints 1, which no sum of requests keeps to",
	  .help = "Requests on their way to devices, added up each cycle" },
	{ .name = "TXR_DATA_INSERTS_NCB", .code = 0x0e, PAIR, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Requests sent to devices as non-coherent bypass messages" },
	{ .name = "TXR_DATA_INSERTS_NCS", .code = 0x0f, PAIR, .max_inc = MOST, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Requests sent to devices as non-coherent standard messages" },
	IN_FLIGHT("READ", 0x10, source, "Reads of devices that wait for their data"),
	IN_FLIGHT("WRITE", 0x11, source, "Writes of devices under way in the uncore, prefetches too"),
	IN_FLIGHT("TOTAL", 0x12, source, "Reads and writes of devices under way in the uncore"),
	IN_FLIGHT("OWN", 0x13, source, "Writes of devices that wait to own their line"),
	IN_FLIGHT("ACK_PENDING", 0x14, ack_source, "Writes of devices that own their line and have not sent their data"),
	{ .name = "TRANSACTIONS", .code = 0x15, PAIR, .max_inc = MOST, IVYTOWN_MASKS(transactions, -1),
	  .source = IVYTOWN_JSON, .note = "Intel's event file names a filter register for ORDERINGQ whose place no source gives: "
		"it stays as it is",
	  .help = "Requests of devices that the IRP sent into the uncore" },
	{ .name = "TICKLES", .code = 0x16, PAIR, .max_inc = MOST, IVYTOWN_MASKS(tickles, -1), .source = IVYTOWN_JSON,
	  .help = "Times somebody else asked for a line that a request of a device holds" },
	{ .name = "ADDRESS_MATCH", .code = 0x17, PAIR, .max_inc = MOST, IVYTOWN_MASKS(conflicts, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Times a write of a device met another request to the same address" },
	{ .name = "TXR_AD_STALL_CREDIT_CYCLES", .code = 0x18, PAIR, .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Cycles in which a request cannot go to R2PCIe for want of an address ring credit" },
	{ .name = "TXR_BL_STALL_CREDIT_CYCLES", .code = 0x19, PAIR, .max_inc = 1, .dflt = -1, .source = IVYTOWN_JSON,
	  .help = "Cycles in which data cannot go to R2PCIe for want of a data ring credit" },
	{ .name = "WRITE_ORDERING_STALL_CYCLES", .code = 0x1a, PAIR, .max_inc = 1, .dflt = -1,
	  .source = IVYTOWN_MANUAL " p 109",
	  .help = "Cycles in which writes that own their line wait while the way from the switch is idle" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_irp = {
	.name = "irp", .letter = "I", .title = "IRP: coherence of I/O requests",
	UNITS(units), ROWS, .max_inc = IVYTOWN_IRP_MOST,
	.clock = "irp/CLOCKTICKS", .max_hz = IVYTOWN_UCLK_HZ,
	.space = SPACE_PCI, .width = 48, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.6, kernel uncore_snbep (48 bits; likwid: 44)",
};
