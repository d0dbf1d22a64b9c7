/* ivytown_cbox.c - C-Boxes of the Xeon E5/E7 v2: up to 15 slices of the last-level cache.
 *
 * Owns:  their registers, the two filter registers that all counters of a C-Box share, their events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A filter field has one value per C-Box: two events that want different ones do not fit into one round.
 * "Cachebo" is the cache's side of the slice, "corebo" the core's.
 */
#include "config.h"

#include "catalog/ivytown.h"

/* ------------------------------------------------------------------ registers */

enum { ID_FILTER0 = 1, ID_FILTER1 };

static const struct cat_field ctl_fields[] = {
	{ "thresh", 31, 24, CAT_FIELD, "If not 0: count 1 in each cycle whose increment is at least this" },
	{ "en", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "ov_en", 20, 20, CAT_FIELD, "Reports an overflow, which stops the socket's counters" },
	{ "tid_en", 19, 19, CAT_FIELD, "Counts only what the thread in FILTER.tid caused" },
	{ "edge_det", 18, 18, CAT_FIELD, "Counts changes from 0 to 1; needs a threshold" },
	{ "rst", 17, 17, CAT_FIELD_PULSE, "Sets the counter to 0" },
	{ "umask", 15, 8, CAT_FIELD, "Sub-events" },
	{ "ev_sel", 7, 0, CAT_FIELD, "Event" },
};

/* link: from the kernel's driver; the manual's Table 2-16 has no such field. Intel's event file draws
 * state one bit wider (23:17). c6: from the kernel too, bit 29 is reserved in Table 2-17. */
static const struct cat_field filter0_fields[] = {
	{ "state", 22, 17, CAT_FIELD, "Line states that LLC_LOOKUP counts, a bit each: M' F M E S I" },
	{ "link", 8, 5, CAT_FIELD, "QPI link" },
	{ "tid", 4, 0, CAT_FIELD, "Core (bits 3:1) and thread (bit 0); bit 4: not of a thread" },
};

static const struct cat_field filter1_fields[] = {
	{ "isoc", 31, 31, CAT_FIELD, "Isochronous requests" },
	{ "nc", 30, 30, CAT_FIELD, "Non-coherent requests" },
	{ "c6", 29, 29, CAT_FIELD, "Requests for state C6" },
	{ "opc", 28, 20, CAT_FIELD, "Opcode of the request, two leading ones and seven bits" },
	{ "nid", 15, 0, CAT_FIELD, "Target nodes, a bit each" },
};

#define SRC "329468-002 2.3.3, kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	{ .name = "C%u_MSR_PMON_BOX_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 4, .bytes = 4,
	  .off = 0x04, IVYTOWN_FIELDS(ivytown_box_fields), .source = SRC },
	{ .name = "C%u_MSR_PMON_BOX_FILTER", .role = CAT_FILTER, .access = CAT_RW, .id = ID_FILTER0, .count = 1,
	  .bytes = 4, .off = 0x14, IVYTOWN_FIELDS(filter0_fields), .source = "329468-002 Table 2-16, kernel" },
	{ .name = "C%u_MSR_PMON_BOX_FILTER1", .role = CAT_FILTER, .access = CAT_RW, .id = ID_FILTER1, .count = 1,
	  .bytes = 4, .off = 0x1a, IVYTOWN_FIELDS(filter1_fields), .source = "329468-002 Table 2-17, kernel" },
	{ .name = "C%u_MSR_PMON_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = 4, .bytes = 4, .step = 1,
	  .off = 0x10, IVYTOWN_FIELDS(ctl_fields), .source = SRC },
	{ .name = "C%u_MSR_PMON_CTR%n", .role = CAT_CTR, .access = CAT_RW, .count = 4, .bytes = 8, .step = 1,
	  .off = 0x16, IVYTOWN_FIELDS(ivytown_ctr44_fields), .source = "329468-002 Table 2-15" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xd00 } }, { .base = { 0xd20 } }, { .base = { 0xd40 } }, { .base = { 0xd60 } },
	{ .base = { 0xd80 } }, { .base = { 0xda0 } }, { .base = { 0xdc0 } }, { .base = { 0xde0 } },
	{ .base = { 0xe00 } }, { .base = { 0xe20 } }, { .base = { 0xe40 } }, { .base = { 0xe60 } },
	{ .base = { 0xe80 } }, { .base = { 0xea0 } }, { .base = { 0xec0 } },
};

/* ------------------------------------------------------------------ filters */

enum { T_TID, T_LINK, T_STATE, T_NID, T_OPC, T_C6, T_NC, T_ISOC };

#define TARGETS { [T_TID] = { ID_FILTER0, 4, 0 }, [T_LINK] = { ID_FILTER0, 8, 5 }, \
	[T_STATE] = { ID_FILTER0, 22, 17 }, [T_NID] = { ID_FILTER1, 15, 0 }, [T_OPC] = { ID_FILTER1, 28, 20 }, \
	[T_C6] = { ID_FILTER1, 29, 29 }, [T_NC] = { ID_FILTER1, 30, 30 }, [T_ISOC] = { ID_FILTER1, 31, 31 } }

/* Unit masks with these bits read the field: 329468-002 Tables 2-19, 2-33, 2-34, kernel. */
#define UMASK_OPC 0x01
#define UMASK_LINK 0x10
#define UMASK_NID 0x40

#define KEY_TID { .name = "tid", .target = T_TID, .hi = 4, .lo = 0, .ctl = BIT(19), \
	.help = "Count only what this thread caused: core x 2 + hyper-thread; 16 and above: not of a thread" }
#define KEY_NID { .name = "nid", .target = T_NID, .hi = 15, .lo = 0, .min = 1, .umask_bits = UMASK_NID, .required = true, \
	.help = "Count only requests to these nodes, a bit for each: 1 is node 0, 2 node 1, 3 both" }

static const struct cat_key tid_keys[] = { KEY_TID };

static const struct cat_key link_keys[] = {
	KEY_TID,
	{ .name = "link", .target = T_LINK, .hi = 3, .lo = 0, .umask_bits = UMASK_LINK,
	  .help = "QPI link whose credits are missing" },
};

static const struct cat_key lookup_keys[] = {
	KEY_TID, KEY_NID,
	{ .name = "state", .target = T_STATE, .hi = 5, .lo = 0, .dflt = 0x3f,
	  .help = "Count only look-ups that find the line in these states, added up: 1 I (a miss), 2 S, 4 E, 8 M, "
		"16 F, 32 M'; 63 is all" },
};

static const struct cat_key nid_keys[] = { KEY_TID, KEY_NID };

static const struct cat_key tor_keys[] = {
	KEY_TID, KEY_NID,
	{ .name = "opc", .target = T_OPC, .hi = 8, .lo = 0, .hex = true, .umask_bits = UMASK_OPC, .required = true,
	  .help = "Count only requests with this opcode: 0x180 read for ownership, 0x181 code read, 0x182 data "
		"read, 0x190 to 0x192 their prefetches, 0x19c write of a device, 0x19e read of a device" },
	{ .name = "nc", .target = T_NC, .hi = 0, .lo = 0, .umask_bits = UMASK_OPC,
	  .help = "Count non-coherent requests of the opcode" },
	{ .name = "c6", .target = T_C6, .hi = 0, .lo = 0, .umask_bits = UMASK_OPC,
	  .help = "Count requests of the opcode for state C6; known to the kernel's driver only" },
	{ .name = "isoc", .target = T_ISOC, .hi = 0, .lo = 0, .umask_bits = UMASK_OPC,
	  .help = "Count isochronous requests of the opcode" },
};

/* One place: the event's own code, and the filters of the C-Box. */
#define ROUTE(code_, k) .code = (code_), .route = &(const struct cat_route){ \
	.n_places = 1, .places = (const struct cat_place[]){ { .code = (code_), .t = TARGETS } }, \
	.keys = (k), .n_keys = COUNT(k), .name = "filter registers of the C-Box" }

/* ------------------------------------------------------------------ unit masks */

static const struct cat_umask ring[] = {
	IVYTOWN_RING_VR("UP", "Upwards", 0),
	IVYTOWN_RING_VR("DOWN", "Downwards", 2),
	{ .name = "UP", .value = 0x33, .help = "Upwards on both virtual rings" },
	{ .name = "DOWN", .value = 0xcc, .help = "Downwards on both virtual rings" },
	{ .name = "CW", .value = 0x03, .help = "Clockwise, virtual ring 0" },
	{ .name = "CCW", .value = 0x0c, .help = "Counterclockwise, virtual ring 0" },
};

static const struct cat_umask ring_iv[] = {
	{ .name = "ANY", .value = 0x0f, .help = "Any direction" },
	{ .name = "UP", .value = 0x33, .help = "Upwards only" },
	{ .name = "DOWN", .value = 0xcc, .help = "Downwards only" },
};

#define TWO_NAMES .disputed = "Intel's event file gives one code two names (AK_CORE and AD_IRQ, BL_CORE and AK, " \
	"IV_CORE and BL); libpfm4 has the newer ones"
static const struct cat_umask bounces[] = {
	{ .name = "AD_IRQ", .value = 0x02, .help = "Address ring", TWO_NAMES },
	{ .name = "AK", .value = 0x04, .help = "Acknowledgements to a core", TWO_NAMES },
	{ .name = "BL", .value = 0x08, .help = "Data to a core", TWO_NAMES },
	{ .name = "IV", .value = 0x10, .help = "Snoops of a core's caches" },
	{ .name = "AK_CORE", .value = 0x02, .help = "Acknowledgements to a core, older name", TWO_NAMES },
	{ .name = "BL_CORE", .value = 0x04, .help = "Data to a core, older name", TWO_NAMES },
	{ .name = "IV_CORE", .value = 0x08, .help = "Snoops of a core's caches, older name", TWO_NAMES },
};

static const struct cat_umask sink_starved[] = {
	{ .name = "AD_IRQ", .value = 0x01, .help = "Address ring, into the queue of core requests" },
	{ .name = "AD_IPQ", .value = 0x02, .help = "Address ring, into the queue of snoops" },
	{ .name = "IV", .value = 0x10, .help = "Invalidate ring" },
};

static const struct cat_umask lookup[] = {
	{ .name = "ANY", .value = 0x11, .help = "Requests of cores and snoops of other sockets" },
	{ .name = "DATA_READ", .value = 0x03, .help = "Reads of data" },
	{ .name = "WRITE", .value = 0x05, .help = "Writes: lines written back by cores, uncacheable writes too" },
	{ .name = "REMOTE_SNOOP", .value = 0x09, .help = "Snoops of other sockets" },
	{ .name = "NID", .value = 0x41, .set = SET(.has = BIT(T_NID)),
	  .help = "Only requests to the nodes of nid=; qualifies the others" },
};

static const struct cat_umask victims[] = {
	{ .name = "M_STATE", .value = 0x01, .alias = "STATE_M", .help = "Modified lines, which go back to memory" },
	{ .name = "E_STATE", .value = 0x02, .alias = "STATE_E", .help = "Exclusive lines" },
	{ .name = "S_STATE", .value = 0x04, .alias = "STATE_S", .help = "Shared lines" },
	{ .name = "MISS", .value = 0x08, .help = "Lines that a miss threw out; not documented further" },
	{ .name = "NID", .value = 0x40, .set = SET(.has = BIT(T_NID)),
	  .help = "Only lines of the nodes of nid=; qualifies the others" },
};

static const struct cat_umask misc[] = {
	{ .name = "RSPI_WAS_FSE", .value = 0x01, .help = "A snoop dropped a clean line of a core without telling it" },
	{ .name = "WC_ALIASING", .value = 0x02, .help = "A write-combining store hit a modified line" },
	{ .name = "STARTED", .value = 0x04, .help = "Meaning not documented" },
	{ .name = "RFO_HIT_S", .value = 0x08, .help = "A read for ownership hit a shared line" },
};

static const struct cat_umask qlru[] = {
	{ .name = "AGE0", .value = 0x01, .help = "The age of a line was set to 0" },
	{ .name = "AGE1", .value = 0x02, .help = "The age of a line was set to 1" },
	{ .name = "AGE2", .value = 0x04, .help = "The age of a line was set to 2" },
	{ .name = "AGE3", .value = 0x08, .help = "The age of a line was set to 3" },
	{ .name = "LRU_DECREMENT", .value = 0x10, .help = "All ages went down by one" },
	{ .name = "VICTIM_NON_ZERO", .value = 0x20, .help = "The victim's age was not 0" },
};

#define IRQ_TEXT "Queue of core requests (IRQ)"
#define IPQ_TEXT "Queue of snoops from other sockets (IPQ)"
static const struct cat_umask ext_starved[] = {
	{ .name = "IRQ", .value = 0x01, .help = "Core requests starve, so snoops are held back" },
	{ .name = "IPQ", .value = 0x02, .help = "Snoops starve, so core requests are held back" },
	{ .name = "PRQ", .value = 0x04, .help = "Prefetch requests starve" },
	{ .name = "ISMQ_BIDS", .value = 0x08, .help = "Bids of the queue of responses (ISMQ)" },
};

static const struct cat_umask ingress[] = {
	{ .name = "IRQ", .value = 0x01, .help = IRQ_TEXT },
	{ .name = "IRQ_REJECTED", .value = 0x02, .alias = "IRQ_REJ",
	  .help = "Core requests that were rejected and wait to be tried again" },
	{ .name = "IPQ", .value = 0x04, .help = IPQ_TEXT },
	{ .name = "VFIFO", .value = 0x10, .help = "FIFO that keeps requests of devices in order" },
};

static const struct cat_umask int_starved[] = {
	{ .name = "IRQ", .value = 0x01, .help = IRQ_TEXT },
	{ .name = "IPQ", .value = 0x04, .help = IPQ_TEXT },
	{ .name = "ISMQ", .value = 0x08, .help = "Queue of responses (ISMQ)" },
};

#define RETRY_ANY   { .name = "ANY", .value = 0x01, .help = "For any reason" }
#define RETRY_FULL  { .name = "FULL", .value = 0x02, .help = "No room in an egress queue to the ring" }
#define RETRY_ADDR  { .name = "ADDR_CONFLICT", .value = 0x04, .help = "The TOR holds a request to this address" }
#define RETRY_RTID  { .name = "RTID", .value = 0x08, .help = "No request number (RTID) of the home agent is free" }
#define RETRY_IIO   { .name = "IIO_CREDITS", .value = 0x20, .help = "No credit for the I/O unit" }
#define RETRY_QPI(...) { .name = "QPI_CREDITS", .value = 0x10, __VA_ARGS__ .help = "No credit for a QPI link" }
static const struct cat_umask ipq_retry[] = {
	RETRY_ANY, RETRY_FULL, RETRY_ADDR, RETRY_QPI(.set = SET(.has = BIT(T_LINK)),),
};
static const struct cat_umask irq_retry[] = {
	RETRY_ANY, RETRY_FULL, RETRY_ADDR, RETRY_RTID, RETRY_QPI(), RETRY_IIO,
};
static const struct cat_umask ismq_retry[] = {
	RETRY_ANY, RETRY_FULL, RETRY_RTID, RETRY_QPI(), RETRY_IIO,
	{ .name = "WB_CREDITS", .value = 0x80, .help = "No credit to write a line back to the home agent" },
};

#define NID .set = SET(.has = BIT(T_NID))
#define OPC .set = SET(.has = BIT(T_OPC) | BIT(T_NC) | BIT(T_C6) | BIT(T_ISOC))
#define NID_OPC .set = SET(.has = BIT(T_NID) | BIT(T_OPC) | BIT(T_NC) | BIT(T_C6) | BIT(T_ISOC))
/* The subset that the manual calls valid: they are names for numbers, not bits to combine. */
#define TOR_MASKS \
	{ .name = "ALL", .value = 0x08, .help = "All entries, also those of requests that hit" }, \
	{ .name = "OPCODE", .value = 0x01, OPC, .help = "Requests with the opcode of opc=" }, \
	{ .name = "MISS_OPCODE", .value = 0x03, OPC, .help = "Misses with the opcode of opc=" }, \
	{ .name = "EVICTION", .value = 0x04, .help = "Lines thrown out of the cache" }, \
	{ .name = "WB", .value = 0x10, .help = "Writes that carry data of a core; reads for ownership are not" }, \
	{ .name = "LOCAL", .value = 0x28, .help = "Requests to memory of this socket" }, \
	{ .name = "LOCAL_OPCODE", .value = 0x21, OPC, \
	  .help = "Requests to memory of this socket with the opcode of opc=" }, \
	{ .name = "MISS_LOCAL", .value = 0x2a, .help = "Misses to memory of this socket" }, \
	{ .name = "MISS_LOCAL_OPCODE", .value = 0x23, OPC, \
	  .help = "Misses to memory of this socket with the opcode of opc=" }, \
	{ .name = "REMOTE", .value = 0x88, .help = "Requests to caches or memory of other sockets" }, \
	{ .name = "REMOTE_OPCODE", .value = 0x81, OPC, \
	  .help = "Requests to caches or memory of other sockets with the opcode of opc=" }, \
	{ .name = "MISS_REMOTE", .value = 0x8a, .help = "Misses to caches or memory of other sockets" }, \
	{ .name = "MISS_REMOTE_OPCODE", .value = 0x83, OPC, \
	  .help = "Misses to caches or memory of other sockets with the opcode of opc=" }, \
	{ .name = "NID_ALL", .value = 0x48, NID, .help = "Requests to the nodes of nid=" }, \
	{ .name = "NID_EVICTION", .value = 0x44, NID, .help = "Lines of the nodes of nid= thrown out of the cache" }, \
	{ .name = "NID_WB", .value = 0x50, NID, .help = "Writes with data of a core to the nodes of nid=" }, \
	{ .name = "NID_MISS_ALL", .value = 0x4a, NID, .help = "Misses to the nodes of nid=" }, \
	{ .name = "NID_OPCODE", .value = 0x41, NID_OPC, \
	  .help = "Requests to the nodes of nid= with the opcode of opc=" }, \
	{ .name = "NID_MISS_OPCODE", .value = 0x43, NID_OPC, \
	  .help = "Misses to the nodes of nid= with the opcode of opc=" }

static const struct cat_umask tor_inserts[] = { TOR_MASKS };
static const struct cat_umask tor_occupancy[] = {
	TOR_MASKS,
	{ .name = "MISS_ALL", .value = 0x0a, .help = "Misses: requests that need the home agent" },
};

static const struct cat_umask onto_ring[] = {
	{ .name = "AD", .value = 0x01, .help = "Address ring" },
	{ .name = "AK", .value = 0x02, .help = "Acknowledge ring" },
	{ .name = "BL", .value = 0x04, .help = "Data ring" },
};

static const struct cat_umask egress[] = {
	{ .name = "AD_CACHE", .value = 0x01, .help = "Cachebo to address ring: requests, snoop responses" },
	{ .name = "AK_CACHE", .value = 0x02, .help = "Cachebo to acknowledge ring: credits, completions" },
	{ .name = "BL_CACHE", .value = 0x04, .help = "Cachebo to data ring: data for cores and others" },
	{ .name = "IV_CACHE", .value = 0x08, .help = "Cachebo to invalidate ring: snoops of cores" },
	{ .name = "AD_CORE", .value = 0x10, .help = "Corebo to address ring: requests" },
	{ .name = "AK_CORE", .value = 0x20, .help = "Corebo to acknowledge ring: snoop responses of cores" },
	{ .name = "BL_CORE", .value = 0x40, .help = "Corebo to data ring: lines written back" },
};

static const struct cat_umask starved[] = {
	{ .name = "AK_BOTH", .value = 0x02, .help = "Both egress queues to the acknowledge ring" },
	{ .name = "IV", .value = 0x08, .help = "Cachebo's egress queue to the invalidate ring" },
	{ .name = "AD_CORE", .value = 0x10, .help = "Corebo's egress queue to the address ring" },
};

/* ------------------------------------------------------------------ events */

#define MOST IVYTOWN_CBOX_MOST
#define PAIR  .counters = 0x3
#define RINGS .counters = 0xc
#define ONCE  .max_inc = 1, .adds = CAT_ADDS
#define BY_NAME .note = "Intel's event file gives its name only", .source = IVYTOWN_JSON
#define RING_NOTE .note = "Passing and arriving packets count, those that start here do not; upwards is clockwise " \
	"at the first half of the C-Boxes and counterclockwise at the others", .source = IVYTOWN_MANUAL " p 42"

static const struct cat_event events[] = {
	{ .name = "CLOCKTICKS", .code = 0x00, IVYTOWN_CLOCK, .source = IVYTOWN_JSON,
	  .help = "Cycles of the uncore clock at this C-Box" },
	{ .name = "TXR_INSERTS", ROUTE(0x02, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(egress, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages put into an egress queue of the C-Box, where they wait for the ring" },
	{ .name = "TXR_STARVED", ROUTE(0x03, tid_keys), PAIR, IVYTOWN_CYCLES, IVYTOWN_MASKS(starved, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Cycles in which an egress queue has waited too long to get onto the ring" },
	{ .name = "TXR_ADS_USED", ROUTE(0x04, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(onto_ring, -1),
	  BY_NAME,
	  .help = "Uses of the slots that let the C-Box get onto the chosen ring" },
	{ .name = "RING_BOUNCES", ROUTE(0x05, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(bounces, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Messages that found no room at the C-Box and made another round on the ring" },
	{ .name = "RING_SINK_STARVED", ROUTE(0x06, tid_keys), PAIR, .max_inc = MOST,
	  IVYTOWN_MASKS(sink_starved, -1), BY_NAME,
	  .help = "Cycles in which messages on the ring have waited too long to enter the C-Box" },
	{ .name = "RING_SRC_THRTL", ROUTE(0x07, tid_keys), PAIR, .max_inc = MOST, .dflt = -1,
	  BY_NAME,
	  .help = "Cycles in which the C-Box was slowed down so that others get onto the ring" },
	{ .name = "RXR_OCCUPANCY", ROUTE(0x11, tid_keys), .counters = 0x1, .max_inc = MOST,
	  IVYTOWN_MASKS(ingress, -1), .source = IVYTOWN_JSON,
	  .help = "Entries in an ingress queue of the C-Box, added up each cycle" },
	{ .name = "RXR_EXT_STARVED", ROUTE(0x12, tid_keys), PAIR, .max_inc = MOST,
	  IVYTOWN_MASKS(ext_starved, -1), .source = IVYTOWN_JSON,
	  .help = "Cycles in which one ingress queue is blocked because another one starves" },
	{ .name = "RXR_INSERTS", ROUTE(0x13, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(ingress, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Requests put into an ingress queue of the C-Box" },
	{ .name = "RXR_INT_STARVED", ROUTE(0x14, tid_keys), PAIR, IVYTOWN_CYCLES,
	  IVYTOWN_MASKS(int_starved, -1), .source = IVYTOWN_JSON,
	  .help = "Cycles in which an entry of an ingress queue starves behind others of that queue" },
	{ .name = "RING_AD_USED", ROUTE(0x1b, tid_keys), RINGS, ONCE, IVYTOWN_MASKS(ring, -1), RING_NOTE,
	  .help = "Cycles in which the address ring carries a packet at this C-Box" },
	{ .name = "RING_AK_USED", ROUTE(0x1c, tid_keys), RINGS, ONCE, IVYTOWN_MASKS(ring, -1), RING_NOTE,
	  .help = "Cycles in which the acknowledge ring carries a packet at this C-Box" },
	{ .name = "RING_BL_USED", ROUTE(0x1d, tid_keys), RINGS, ONCE, IVYTOWN_MASKS(ring, -1), RING_NOTE,
	  .help = "Cycles in which the data ring carries a packet at this C-Box" },
	{ .name = "RING_IV_USED", ROUTE(0x1e, tid_keys), RINGS, ONCE, IVYTOWN_MASKS(ring_iv, 0), RING_NOTE,
	  .help = "Cycles in which the invalidate ring carries a packet at this C-Box" },
	{ .name = "COUNTER0_OCCUPANCY", .code = 0x1f, .counters = 0xe, .max_inc = MOST, .dflt = -1,
	  .source = IVYTOWN_JSON,
	  .note = "Counts what counter 0 adds up: with threshold=1 the cycles in which counter 0's queue is not empty",
	  .help = "The occupancy that counter 0 of this C-Box measures, once more" },
	{ .name = "RXR_IPQ_RETRY", ROUTE(0x31, link_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(ipq_retry, 0),
	  .source = IVYTOWN_JSON,
	  .help = "Snoops of other sockets that could not proceed and had to try again" },
	{ .name = "RXR_IRQ_RETRY", ROUTE(0x32, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(irq_retry, 0),
	  .source = IVYTOWN_JSON,
	  .help = "Requests of cores that could not proceed and had to try again" },
	{ .name = "RXR_ISMQ_RETRY", ROUTE(0x33, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(ismq_retry, 0),
	  .source = IVYTOWN_JSON,
	  .help = "Responses to requests under way that could not proceed and had to try again" },
	{ .name = "LLC_LOOKUP", ROUTE(0x34, lookup_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(lookup, 0),
	  .set = SET(.has = BIT(T_STATE)), .source = IVYTOWN_MANUAL " Table 2-16",
	  .note = "A request that looks several times is counted each time; misses are the look-ups with state=1, "
		"and a C-Box has one state filter: hits and misses do not fit into one round",
	  .help = "Look-ups in this slice of the last-level cache" },
	{ .name = "TOR_INSERTS", ROUTE(0x35, tor_keys), PAIR, .max_inc = MOST, IVYTOWN_ONE(tor_inserts, 0),
	  .source = IVYTOWN_MANUAL " Table 2-33",
	  .note = "Opcodes are seen of core requests only, not of snoops",
	  .help = "Requests that entered the C-Box's table of requests under way (TOR)" },
	{ .name = "TOR_OCCUPANCY", ROUTE(0x36, tor_keys), .counters = 0x1, .max_inc = MOST,
	  IVYTOWN_ONE(tor_occupancy, 0), .source = IVYTOWN_MANUAL " p 51, Table 2-34",
	  .note = "Opcodes are seen of core requests only, not of snoops",
	  .help = "Requests in the C-Box's table of requests under way (TOR), added up each cycle" },
	{ .name = "LLC_VICTIMS", ROUTE(0x37, nid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(victims, -1),
	  .source = IVYTOWN_MANUAL " p 42",
	  .help = "Lines thrown out of the last-level cache to make room for others" },
	{ .name = "MISC", ROUTE(0x39, tid_keys), PAIR, ONCE, IVYTOWN_MASKS(misc, -1),
	  .source = IVYTOWN_MANUAL " p 42",
	  .help = "Rare cases in the C-Box, one for each unit mask" },
	{ .name = "QLRU", ROUTE(0x3c, tid_keys), PAIR, .max_inc = MOST, IVYTOWN_MASKS(qlru, -1),
	  .source = IVYTOWN_JSON,
	  .help = "Work of the replacement algorithm, which gives each line an age" },
};

/* ------------------------------------------------------------------ the box */

const struct cat_box ivytown_cbox = {
	.name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache",
	UNITS(units), ROWS, .max_inc = IVYTOWN_CBOX_MOST, IVYTOWN_UCLK,
	.space = SPACE_MSR, .width = 44, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN, .source = "329468-002 2.3",
};
