/* SPDX-License-Identifier: MIT
 * C-Boxes of the Xeon E5/E7 v2: up to 15 slices of the last-level cache.
 * Owns:  their registers, the two filter registers that all counters of a C-Box share, their
 *        events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A filter field has one value per C-Box: two events that want different ones do not fit into one
 * round. "Cachebo" is the cache's side of the slice, "corebo" the core's.
 */
#include "catalog/tables/ivytown.h"

enum { ID_FILTER0 = 1, ID_FILTER1 };

#define SRC "329468-002 2.3.3, kernel uncore_snbep, likwid"
static const struct cat_reg regs[] = {
	R("C%u_MSR_PMON_BOX_CTL", BOX_CTL, RW, 4, 4, 0x04, SRC, FIELDS(ivytown_box_fields)),
	R("C%u_MSR_PMON_BOX_FILTER", FILTER, RW, 1, 4, 0x14, "329468-002 Table 2-16, kernel", .id = ID_FILTER0,
	  FIELDS_HERE(
	  /* link: from the kernel's driver; the manual's Table 2-16 has no such field. Intel's
	   * event file draws state one bit wider (23:17). c6: from the kernel too, bit 29 is
	   * reserved in Table 2-17. */
	  F("state", 22, 17, "Line states that LLC_LOOKUP counts, a bit each: M' F M E S I"),
	  F("link", 8, 5, "QPI link"),
	  F("tid", 4, 0, "Core (bits 3:1) and thread (bit 0); bit 4: not of a thread"))),
	R("C%u_MSR_PMON_BOX_FILTER1", FILTER, RW, 1, 4, 0x1a, "329468-002 Table 2-17, kernel", .id = ID_FILTER1,
	  FIELDS_HERE(
	  F("isoc", 31, 31, "Isochronous requests"),
	  F("nc", 30, 30, "Non-coherent requests"),
	  F("c6", 29, 29, "Requests for state C6"),
	  F("opc", 28, 20, "Opcode of the request, two leading ones and seven bits"),
	  F("nid", 15, 0, "Target nodes, a bit each"))),
	R("C%u_MSR_PMON_CTL%n", CTL, RW, 4, 4, 0x10, SRC, .step = 1, FIELDS_HERE(
	  IVYTOWN_THRESH(31), IVYTOWN_EN, IVYTOWN_OV_EN,
	  F("tid_en", 19, 19, "Counts only what the thread in FILTER.tid caused"),
	  IVYTOWN_EDGE_RST, IVYTOWN_SELECTION)),
	R("C%u_MSR_PMON_CTR%n", CTR, RW, 4, 8, 0x16, "329468-002 Table 2-15", .step = 1, FIELDS(ivytown_ctr44_fields)),
};

enum { F_TID, F_LINK, F_STATE, F_NID, F_OPC, F_C6, F_NC, F_ISOC };

#define FILTER_FIELDS [F_TID] = { ID_FILTER0, 4, 0 }, [F_LINK] = { ID_FILTER0, 8, 5 }, \
	[F_STATE] = { ID_FILTER0, 22, 17 }, [F_NID] = { ID_FILTER1, 15, 0 }, \
	[F_OPC] = { ID_FILTER1, 28, 20 }, \
	[F_C6] = { ID_FILTER1, 29, 29 }, [F_NC] = { ID_FILTER1, 30, 30 }, \
	[F_ISOC] = { ID_FILTER1, 31, 31 }

/* Unit masks with these bits read the field: 329468-002 Tables 2-19, 2-33, 2-34, kernel. */
#define UMASK_OPC 0x01
#define UMASK_LINK 0x10
#define UMASK_NID 0x40

#define KEY_TID \
	K("tid", F_TID, 4, 0, \
	  "Count only what this thread caused: core x 2 + hyper-thread; 16 and above: not of a thread", \
	  .ctl = BIT(19))
#define KEY_NID \
	K("nid", F_NID, 15, 0, \
	  "Count only requests to these nodes, a bit for each: 1 is node 0, 2 node 1, 3 both", \
	  .min = 1, .umask_bits = UMASK_NID, .required = true)

static const struct cat_key tid_keys[] = { KEY_TID };

static const struct cat_key link_keys[] = {
	KEY_TID,
	K("link", F_LINK, 3, 0, "QPI link whose credits are missing", .umask_bits = UMASK_LINK),
};

static const struct cat_key lookup_keys[] = {
	KEY_TID, KEY_NID,
	K("state", F_STATE, 5, 0,
	  "Count only look-ups that find the line in these states, added up: 1 I (a miss), 2 S, 4 E, 8 M, 16 F, 32 M'; 63 is all",
	  .dflt = 0x3f),
};

static const struct cat_key nid_keys[] = { KEY_TID, KEY_NID };

static const struct cat_key tor_keys[] = {
	KEY_TID, KEY_NID,
	K("opc", F_OPC, 8, 0,
	  "Count only requests with this opcode: 0x180 read for ownership, 0x181 code read, 0x182 data read, 0x190 to 0x192 their prefetches, 0x19c write of a device, 0x19e "
	    "read of a device",
	  .hex = true, .umask_bits = UMASK_OPC, .required = true),
	K("nc", F_NC, 0, 0, "Count non-coherent requests of the opcode", .umask_bits = UMASK_OPC),
	K("c6", F_C6, 0, 0,
	  "Count requests of the opcode for state C6; known to the kernel's driver only",
	  .umask_bits = UMASK_OPC),
	K("isoc", F_ISOC, 0, 0,
	  "Count isochronous requests of the opcode",
	  .umask_bits = UMASK_OPC),
};

/* An event with one encoding: its own code, and the filters of the C-Box that its keys set. */
#define FILTERED(name_, code_, most, src, keys_, ...) \
	E(name_, code_, most, src, __VA_ARGS__, .selector = &(const struct cat_selector){ \
	  ENCODINGS(ENCODING(code_, FILTER_FIELDS)), KEYS(keys_), .name = "filter registers of the C-Box" })

static const struct cat_umask ring[] = {
	IVYTOWN_RING_VR("UP", "Upwards", 0),
	IVYTOWN_RING_VR("DOWN", "Downwards", 2),
	U("UP", 0x33, "Upwards on both virtual rings"),
	U("DOWN", 0xcc, "Downwards on both virtual rings"),
	U("CW", 0x03, "Clockwise, virtual ring 0"),
	U("CCW", 0x0c, "Counterclockwise, virtual ring 0"),
};

#define TWO_NAMES .disputed = "Intel's event file gives one code two names (AK_CORE and AD_IRQ, " \
		"BL_CORE and AK, IV_CORE and BL); libpfm4 has the newer ones"
#define AGE(n, bit) U("AGE" #n, bit, "The age of a line was set to " #n)
#define IRQ_TEXT "Queue of core requests (IRQ)"
#define IPQ_TEXT "Queue of snoops from other sockets (IPQ)"

static const struct cat_umask ingress[] = {
	U("IRQ", 0x01, IRQ_TEXT),
	U("IRQ_REJECTED", 0x02,
	  "Core requests that were rejected and wait to be tried again",
	  .alias = "IRQ_REJ"),
	U("IPQ", 0x04, IPQ_TEXT),
	U("VFIFO", 0x10, "FIFO that keeps requests of devices in order"),
};

#define RETRY_ANY U("ANY", 0x01, "For any reason")
#define RETRY_FULL U("FULL", 0x02, "No room in an egress queue to the ring")
#define RETRY_ADDR U("ADDR_CONFLICT", 0x04, "The TOR holds a request to this address")
#define RETRY_RTID U("RTID", 0x08, "No request number (RTID) of the home agent is free")
#define RETRY_IIO U("IIO_CREDITS", 0x20, "No credit for the I/O unit")
#define RETRY_QPI(...) U("QPI_CREDITS", 0x10, "No credit for a QPI link", __VA_ARGS__)
#define NID .values = VALUES(.has = BIT(F_NID))
#define OPC .values = VALUES(.has = BIT(F_OPC) | BIT(F_NC) | BIT(F_C6) | BIT(F_ISOC))
#define NID_OPC \
	.values = VALUES(.has = BIT(F_NID) | BIT(F_OPC) | BIT(F_NC) | BIT(F_C6) | BIT(F_ISOC))
/* The subset that the manual calls valid: they are names for numbers, not bits to combine. */
#define TOR_MASKS \
	U("ALL", 0x08, "All entries, also those of requests that hit"), \
	U("OPCODE", 0x01, "Requests with the opcode of opc=", OPC), \
	U("MISS_OPCODE", 0x03, "Misses with the opcode of opc=", OPC), \
	U("EVICTION", 0x04, "Lines thrown out of the cache"), \
	U("WB", 0x10, "Writes that carry data of a core; reads for ownership are not"), \
	U("LOCAL", 0x28, "Requests to memory of this socket"), \
	U("LOCAL_OPCODE", 0x21, "Requests to memory of this socket with the opcode of opc=", OPC), \
	U("MISS_LOCAL", 0x2a, "Misses to memory of this socket"), \
	U("MISS_LOCAL_OPCODE", 0x23, \
	  "Misses to memory of this socket with the opcode of opc=", \
	  OPC), \
	U("REMOTE", 0x88, "Requests to caches or memory of other sockets"), \
	U("REMOTE_OPCODE", 0x81, \
	  "Requests to caches or memory of other sockets with the opcode of opc=", \
	  OPC), \
	U("MISS_REMOTE", 0x8a, "Misses to caches or memory of other sockets"), \
	U("MISS_REMOTE_OPCODE", 0x83, \
	  "Misses to caches or memory of other sockets with the opcode of opc=", \
	  OPC), \
	U("NID_ALL", 0x48, "Requests to the nodes of nid=", NID), \
	U("NID_EVICTION", 0x44, "Lines of the nodes of nid= thrown out of the cache", NID), \
	U("NID_WB", 0x50, "Writes with data of a core to the nodes of nid=", NID), \
	U("NID_MISS_ALL", 0x4a, "Misses to the nodes of nid=", NID), \
	U("NID_OPCODE", 0x41, "Requests to the nodes of nid= with the opcode of opc=", NID_OPC), \
	U("NID_MISS_OPCODE", 0x43, "Misses to the nodes of nid= with the opcode of opc=", NID_OPC)

static const struct cat_umask egress[] = {
	U("AD_CACHE", 0x01, "Cachebo to address ring: requests, snoop responses"),
	U("AK_CACHE", 0x02, "Cachebo to acknowledge ring: credits, completions"),
	U("BL_CACHE", 0x04, "Cachebo to data ring: data for cores and others"),
	U("IV_CACHE", 0x08, "Cachebo to invalidate ring: snoops of cores"),
	U("AD_CORE", 0x10, "Corebo to address ring: requests"),
	U("AK_CORE", 0x20, "Corebo to acknowledge ring: snoop responses of cores"),
	U("BL_CORE", 0x40, "Corebo to data ring: lines written back"),
};

#define MOST IVYTOWN_CBOX_MOST
#define PAIR  .counters = 0x3
#define RINGS .counters = 0xc
#define BY_NAME .note = "Intel's event file gives its name only"
#define RING_NOTE .note = "Passing and arriving packets count, those that start here do not; " \
		"upwards is clockwise at the first half of the C-Boxes and counterclockwise at " \
		"the others"

static const struct cat_event events[] = {
	E("CLOCKTICKS", 0x00, 1, JSON, CLOCK,
	  .help = "Cycles of the uncore clock at this C-Box"),
	FILTERED("TXR_INSERTS", 0x02, MOST, JSON, tid_keys, MASKS(egress, -1), PAIR,
	  .help = "Messages put into an egress queue of the C-Box, where they wait for the ring"),
	FILTERED("TXR_STARVED", 0x03, 1, JSON, tid_keys, PAIR,
	  .help = "Cycles in which an egress queue has waited too long to get onto the ring",
	  SUMMED_HERE(-1,
	  U("AK_BOTH", 0x02, "Both egress queues to the acknowledge ring"),
	  U("IV", 0x08, "Cachebo's egress queue to the invalidate ring"),
	  U("AD_CORE", 0x10, "Corebo's egress queue to the address ring"))),
	FILTERED("TXR_ADS_USED", 0x04, MOST, JSON, tid_keys, MASKS(ivytown_rings, -1), PAIR, BY_NAME,
	  .help = "Uses of the slots that let the C-Box get onto the chosen ring"),
	FILTERED("RING_BOUNCES", 0x05, MOST, JSON, tid_keys, PAIR,
	  .help = "Messages that found no room at the C-Box and made another round on the ring",
	  MASKS_HERE(-1,
	  U("AD_IRQ", 0x02, "Address ring", TWO_NAMES),
	  U("AK", 0x04, "Acknowledgements to a core", TWO_NAMES),
	  U("BL", 0x08, "Data to a core", TWO_NAMES),
	  U("IV", 0x10, "Snoops of a core's caches"),
	  U("AK_CORE", 0x02, "Acknowledgements to a core, older name", TWO_NAMES),
	  U("BL_CORE", 0x04, "Data to a core, older name", TWO_NAMES),
	  U("IV_CORE", 0x08, "Snoops of a core's caches, older name", TWO_NAMES))),
	FILTERED("RING_SINK_STARVED", 0x06, MOST, JSON, tid_keys, PAIR, BY_NAME,
	  .help = "Cycles in which messages on the ring have waited too long to enter the C-Box",
	  MASKS_HERE(-1,
	  U("AD_IRQ", 0x01, "Address ring, into the queue of core requests"),
	  U("AD_IPQ", 0x02, "Address ring, into the queue of snoops"),
	  U("IV", 0x10, "Invalidate ring"))),
	FILTERED("RING_SRC_THRTL", 0x07, MOST, JSON, tid_keys, PLAIN, PAIR, BY_NAME,
	  .help = "Cycles in which the C-Box was slowed down so that others get onto the ring"),
	FILTERED("RXR_OCCUPANCY", 0x11, MOST, JSON, tid_keys, MASKS(ingress, -1), .counters = 0x1,
	  .help = "Entries in an ingress queue of the C-Box, added up each cycle"),
	FILTERED("RXR_EXT_STARVED", 0x12, MOST, JSON, tid_keys, PAIR,
	  .help = "Cycles in which one ingress queue is blocked because another one starves",
	  MASKS_HERE(-1,
	  U("IRQ", 0x01, "Core requests starve, so snoops are held back"),
	  U("IPQ", 0x02, "Snoops starve, so core requests are held back"),
	  U("PRQ", 0x04, "Prefetch requests starve"),
	  U("ISMQ_BIDS", 0x08, "Bids of the queue of responses (ISMQ)"))),
	FILTERED("RXR_INSERTS", 0x13, MOST, JSON, tid_keys, MASKS(ingress, -1), PAIR,
	  .help = "Requests put into an ingress queue of the C-Box"),
	FILTERED("RXR_INT_STARVED", 0x14, 1, JSON, tid_keys, PAIR,
	  .help = "Cycles in which an entry of an ingress queue starves behind others of that queue",
	  SUMMED_HERE(-1,
	  U("IRQ", 0x01, IRQ_TEXT),
	  U("IPQ", 0x04, IPQ_TEXT),
	  U("ISMQ", 0x08, "Queue of responses (ISMQ)"))),
	FILTERED("RING_AD_USED", 0x1b, 1, MANUAL " p 42", tid_keys, SUMMED(ring, -1), RINGS, RING_NOTE,
	  .help = "Cycles in which the address ring carries a packet at this C-Box"),
	FILTERED("RING_AK_USED", 0x1c, 1, MANUAL " p 42", tid_keys, SUMMED(ring, -1), RINGS, RING_NOTE,
	  .help = "Cycles in which the acknowledge ring carries a packet at this C-Box"),
	FILTERED("RING_BL_USED", 0x1d, 1, MANUAL " p 42", tid_keys, SUMMED(ring, -1), RINGS, RING_NOTE,
	  .help = "Cycles in which the data ring carries a packet at this C-Box"),
	FILTERED("RING_IV_USED", 0x1e, 1, MANUAL " p 42", tid_keys, RINGS, RING_NOTE,
	  .help = "Cycles in which the invalidate ring carries a packet at this C-Box",
	  SUMMED_HERE(0,
	  U("ANY", 0x0f, "Any direction"),
	  U("UP", 0x33, "Upwards only"),
	  U("DOWN", 0xcc, "Downwards only"))),
	E("COUNTER0_OCCUPANCY", 0x1f, MOST, JSON, PLAIN, .counters = 0xe,
	  .help = "The occupancy that counter 0 of this C-Box measures, once more",
	  .note = "Counts what counter 0 adds up: with threshold=1 the cycles in which counter 0's queue is not empty"),
	FILTERED("RXR_IPQ_RETRY", 0x31, MOST, JSON, link_keys, PAIR,
	  MASKS_HERE(0, RETRY_ANY, RETRY_FULL, RETRY_ADDR, RETRY_QPI(.values = VALUES(.has = BIT(F_LINK)))),
	  .help = "Snoops of other sockets that could not proceed and had to try again"),
	FILTERED("RXR_IRQ_RETRY", 0x32, MOST, JSON, tid_keys, PAIR,
	  MASKS_HERE(0, RETRY_ANY, RETRY_FULL, RETRY_ADDR, RETRY_RTID, RETRY_QPI(), RETRY_IIO),
	  .help = "Requests of cores that could not proceed and had to try again"),
	FILTERED("RXR_ISMQ_RETRY", 0x33, MOST, JSON, tid_keys, PAIR,
	  .help = "Responses to requests under way that could not proceed and had to try again",
	  MASKS_HERE(0, RETRY_ANY, RETRY_FULL, RETRY_RTID,
	  RETRY_QPI(),
	  RETRY_IIO,
	  U("WB_CREDITS", 0x80, "No credit to write a line back to the home agent"))),
	FILTERED("LLC_LOOKUP", 0x34, MOST, MANUAL " Table 2-16", lookup_keys, PAIR,
	  .values = VALUES(.has = BIT(F_STATE)),
	  .help = "Look-ups in this slice of the last-level cache",
	  .note = "A request that looks several times is counted each time; misses are the look-ups with state=1, and a C-Box has one "
	    "state filter: hits and misses do not fit into one round",
	  MASKS_HERE(0,
	  U("ANY", 0x11, "Requests of cores and snoops of other sockets"),
	  U("DATA_READ", 0x03, "Reads of data"),
	  U("WRITE", 0x05, "Writes: lines written back by cores, uncacheable writes too"),
	  U("REMOTE_SNOOP", 0x09, "Snoops of other sockets"),
	  U("NID", 0x41,
	    "Only requests to the nodes of nid=; qualifies the others",
	    .values = VALUES(.has = BIT(F_NID))))),
	FILTERED("TOR_INSERTS", 0x35, MOST, MANUAL " Table 2-33", tor_keys, PAIR, ONE_OF_HERE(0, TOR_MASKS),
	  .help = "Requests that entered the C-Box's table of requests under way (TOR)",
	  .note = "Opcodes are seen of core requests only, not of snoops"),
	FILTERED("TOR_OCCUPANCY", 0x36, MOST, MANUAL " p 51, Table 2-34", tor_keys, .counters = 0x1,
	  .help = "Requests in the C-Box's table of requests under way (TOR), added up each cycle",
	  .note = "Opcodes are seen of core requests only, not of snoops",
	  ONE_OF_HERE(0, TOR_MASKS,
	  U("MISS_ALL", 0x0a, "Misses: requests that need the home agent"))),
	FILTERED("LLC_VICTIMS", 0x37, MOST, MANUAL " p 42", nid_keys, PAIR,
	  .help = "Lines thrown out of the last-level cache to make room for others",
	  MASKS_HERE(-1,
	  U("M_STATE", 0x01, "Modified lines, which go back to memory", .alias = "STATE_M"),
	  U("E_STATE", 0x02, "Exclusive lines", .alias = "STATE_E"),
	  U("S_STATE", 0x04, "Shared lines", .alias = "STATE_S"),
	  U("MISS", 0x08, "Lines that a miss threw out; not documented further"),
	  U("NID", 0x40,
	    "Only lines of the nodes of nid=; qualifies the others",
	    .values = VALUES(.has = BIT(F_NID))))),
	FILTERED("MISC", 0x39, 1, MANUAL " p 42", tid_keys, PAIR,
	  .help = "Rare cases in the C-Box, one for each unit mask",
	  SUMMED_HERE(-1,
	  U("RSPI_WAS_FSE", 0x01, "A snoop dropped a clean line of a core without telling it"),
	  U("WC_ALIASING", 0x02, "A write-combining store hit a modified line"),
	  U("STARTED", 0x04, "Meaning not documented"),
	  U("RFO_HIT_S", 0x08, "A read for ownership hit a shared line"))),
	FILTERED("QLRU", 0x3c, MOST, JSON, tid_keys, PAIR,
	  .help = "Work of the replacement algorithm, which gives each line an age",
	  MASKS_HERE(-1,
	  AGE(0, 0x01),
	  AGE(1, 0x02),
	  AGE(2, 0x04),
	  AGE(3, 0x08),
	  U("LRU_DECREMENT", 0x10, "All ages went down by one"),
	  U("VICTIM_NON_ZERO", 0x20, "The victim's age was not 0"))),
};

const struct cat_box ivytown_cbox = {
	.name = "cbox", .letter = "C", .title = "C-Box: slice of the last-level cache",
	ROWS, .max_inc = IVYTOWN_CBOX_MOST, IVYTOWN_UCLK,
	UNITS_HERE(
	  { .base = { 0xd00 } }, { .base = { 0xd20 } }, { .base = { 0xd40 } }, { .base = { 0xd60 } },
	  { .base = { 0xd80 } }, { .base = { 0xda0 } }, { .base = { 0xdc0 } }, { .base = { 0xde0 } },
	  { .base = { 0xe00 } }, { .base = { 0xe20 } }, { .base = { 0xe40 } }, { .base = { 0xe60 } },
	  { .base = { 0xe80 } }, { .base = { 0xea0 } }, { .base = { 0xec0 } }),
	.space = SPACE_MSR, .width = 44, .n_counters = 4, IVYTOWN_CONTROL_8, IVYTOWN_FROZEN,
	.source = "329468-002 2.3",
};
