/* nehalem_uncore.c - the one uncore PMU of a socket of Nehalem and Westmere.
 *
 * Owns:  its registers, its events, those that only Westmere has or counts otherwise, the box.
 * Never: Nehalem-EX, which has other registers.
 * Pure data; any thread.
 *
 * Eight general counters take any event. There is no socket-wide enable: MSR_UNCORE_PERF_GLOBAL_CTRL has
 * one bit for each counter, and so it is the control register of the one box.
 */
#include "config.h"

#include "catalog/nehalem.h"

/* ------------------------------------------------------------------ registers */

static const struct cat_field global_fields[] = {
	{ "PMI_FRZ", 63, 63, CAT_FIELD, "1: an overflow interrupt disables all counters; left as found" },
	{ "EN_PMI_CORE", 51, 48, CAT_FIELD, "Bit n: core n takes the overflow interrupt; left as found" },
	{ "EN_FC0", 32, 32, CAT_FIELD, "Enables the fixed counter" },
	{ "EN_PC", 7, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "CHG", 63, 63, CAT_FIELD, "A status bit changed" },
	{ "OVF_PMI", 61, 61, CAT_FIELD, "An overflow interrupt was sent" },
	{ "OVF_FC0", 32, 32, CAT_FIELD, "The fixed counter overflowed" },
	{ "OVF_PC", 7, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "CLR_CHG", 63, 63, CAT_FIELD_PULSE, "Write 1 to clear CHG" },
	{ "CLR_OVF_PMI", 61, 61, CAT_FIELD_PULSE, "Write 1 to clear OVF_PMI" },
	{ "CLR_OVF_FC0", 32, 32, CAT_FIELD_PULSE, "Write 1 to clear OVF_FC0" },
	{ "CLR_OVF_PC", 7, 0, CAT_FIELD_PULSE, "Write 1 to bit n to clear the overflow of counter n" },
};

static const struct cat_field ctl_fields[] = {
	{ "CMASK", 31, 24, CAT_FIELD, "Threshold: count cycles with at least this increment" },
	{ "INV", 23, 23, CAT_FIELD, "1: below the threshold instead" },
	{ "EN", 22, 22, CAT_FIELD, "Enables this counter" },
	{ "PMI", 20, 20, CAT_FIELD, "Sends an interrupt when the counter overflows" },
	{ "E", 18, 18, CAT_FIELD, "Counts rising edges" },
	{ "OCC_CTR_RST", 17, 17, CAT_FIELD_PULSE, "1 clears the queue occupancy counter of the event; reads 0" },
	{ "UMASK", 15, 8, CAT_FIELD, "Unit mask" },
	{ "EVENT_SELECT", 7, 0, CAT_FIELD, "Event" },
};

static const struct cat_field fixed_ctl_fields[] = {
	{ "PMI", 2, 2, CAT_FIELD, "Sends an interrupt when the counter overflows" },
	{ "EN", 0, 0, CAT_FIELD, "Enables the fixed counter" },
};

static const struct cat_field ctr_fields[] = {
	{ "COUNT", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_field match_fields[] = {
	{ "MatchSel", 63, 61, CAT_FIELD, "0 off, 4 address, 2 opcode, 6 either, 1 both" },
	{ "Opcode", 47, 40, CAT_FIELD, "47:44 QPI message class (0 home request, 1 snoop response, 14 data response), "
		"43:40 opcode" },
	{ "ADDR", 39, 3, CAT_FIELD, "Physical address" },
};

enum { ID_MATCH = 1 };
#define F(f) .fields = f, .n_fields = COUNT(f)
#define SDM  "SDM 3B 18.17.2"

static const struct cat_reg regs[] = {
	{ .name = "MSR_UNCORE_PERF_GLOBAL_CTRL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 8, .bytes = 8, .off = 0x391,
	  F(global_fields), .source = SDM ".1, Figure 18-29" },
	{ .name = "MSR_UNCORE_PERF_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RO, .count = 8, .bytes = 8,
	  .off = 0x392, F(status_fields), .source = SDM ".1, p 18-82" },
	{ .name = "MSR_UNCORE_PERF_GLOBAL_OVF_CTRL", .role = CAT_OVF_CTL, .access = CAT_W1C, .count = 8, .bytes = 8,
	  .off = 0x393, F(ovf_fields), .source = SDM ".1, p 18-84" },
	{ .name = "MSR_UNCORE_FIXED_CTR0", .role = CAT_FIXED_CTR, .access = CAT_RW, .count = 1, .bytes = 8, .off = 0x394,
	  F(ctr_fields), .source = SDM "; Linux uncore_snb.c" },
	{ .name = "MSR_UNCORE_FIXED_CTR_CTRL", .role = CAT_FIXED_CTL, .access = CAT_RW, .count = 1, .bytes = 8, .off = 0x395,
	  F(fixed_ctl_fields), .source = SDM ", p 18-85; Linux uncore_snb.c" },
	{ .name = "MSR_UNCORE_ADDR_OPCODE_MATCH", .role = CAT_FILTER, .id = ID_MATCH, .access = CAT_RW, .count = 1,
	  .bytes = 8, .off = 0x396, F(match_fields), .source = SDM ".3" },
	{ .name = "MSR_UNCORE_PMC%n", .role = CAT_CTR, .access = CAT_RW, .count = 8, .bytes = 8, .step = 1, .off = 0x3b0,
	  F(ctr_fields), .source = SDM "; Linux uncore_snb.c" },
	{ .name = "MSR_UNCORE_PERFEVTSEL%n", .role = CAT_CTL, .access = CAT_RW, .count = 8, .bytes = 8, .step = 1,
	  .off = 0x3c0, F(ctl_fields), .source = SDM ".2, p 18-84, 18-85" },
};

static const struct cat_unit units[] = {
	{ .base = { 0 } },
};

/* ------------------------------------------------------------------ address and opcode match */

enum { T_ADDRESS, T_OPCODE, T_SELECT };
enum { MATCH_BOTH = 1, MATCH_OPCODE = 2, MATCH_ADDRESS = 4, MATCH_EITHER = 6 };

/* The five events of code 0x35; on Nehalem with a dispute. */
#define MATCH_EVENTS(masks, ...) \
	{ .name = "ADDR_OPCODE_MATCH", .code = 0x35, .max_inc = 1, masks, .route = &match, \
	  .set = SET(BIT(T_SELECT), { 0 }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address, opcode or both fit the match register" }, \
	{ .name = "ADDR_OPCODE_MATCH_AND", .code = 0x35, .max_inc = 1, masks, .route = &match_fixed, \
	  .set = SET(BIT(T_SELECT), { [T_SELECT] = MATCH_BOTH }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address and opcode both fit the match register" }, \
	{ .name = "ADDR_OPCODE_MATCH_OR", .code = 0x35, .max_inc = 1, masks, .route = &match_fixed, \
	  .set = SET(BIT(T_SELECT), { [T_SELECT] = MATCH_EITHER }), __VA_ARGS__ \
	  .help = "Requests to the home logic whose address or opcode fits the match register" }

/* One register for all counters: two events share it if they ask for the same. */
static const struct cat_place match_place[] = {
	{ .code = 0x35, .t = { [T_ADDRESS] = { ID_MATCH, 39, 3 }, [T_OPCODE] = { ID_MATCH, 47, 40 },
	  [T_SELECT] = { ID_MATCH, 63, 61 } } },
};

static const struct cat_word match_words[] = {
	{ "address", MATCH_ADDRESS, { "address" } },
	{ "opcode", MATCH_OPCODE, { "opc" } },
	{ "either", MATCH_EITHER, { "address", "opc" } },
	{ "both", MATCH_BOTH, { "address", "opc" } },
};

#define ADDRESS .name = "address", .target = T_ADDRESS, .hi = 36, .lo = 0, .shift = 3, .hex = true, \
	.owns = BIT(T_ADDRESS), \
	.help = "Physical address below 1 TiB, a multiple of 8"
#define OPC .name = "opc", .target = T_OPCODE, .hi = 7, .lo = 0, .hex = true, .owns = BIT(T_OPCODE), \
	.help = "QPI message class in bits 7:4 (0 home request, 1 snoop response, 14 data response) and opcode in " \
		"3:0; 0x1a is RspFwdS, 0x1d RspIWb"
static const struct cat_key match_keys[] = {
	{ ADDRESS, .needs = "match" },
	{ OPC, .needs = "match" },
	{ .name = "match", .target = T_SELECT, .hi = 2, .lo = 0, .required = true,
	  .words = match_words, .n_words = COUNT(match_words),
	  .help = "What is compared: the address, the opcode, either of them, or both" },
};
static const struct cat_key match_fixed_keys[] = {
	{ ADDRESS, .required = true }, { OPC, .required = true },
};

#define MATCH_NAME .places = match_place, .n_places = COUNT(match_place), .name = "address and opcode match register"
static const struct cat_route match = { MATCH_NAME, .keys = match_keys, .n_keys = COUNT(match_keys) };
static const struct cat_route match_fixed = { MATCH_NAME, .keys = match_fixed_keys, .n_keys = COUNT(match_fixed_keys) };
static const struct cat_route match_opcode = { MATCH_NAME };

/* ------------------------------------------------------------------ unit masks */

#define U(n, v, text) { .name = n, .value = v, .help = text }

static const struct cat_umask trackers[] = {
	U("READ_TRACKER", 0x01, "Read tracker: reads of cores"),
	U("WRITE_TRACKER", 0x02, "Write tracker: writes of cores"),
	U("PEER_PROBE_TRACKER", 0x04, "Peer probe tracker: snoops from other sockets"),
};

static const struct cat_umask gq_alloc[] = {
	U("READ_TRACKER", 0x01, "Read tracker entries"),
	U("RT_LLC_MISS", 0x02, "Read tracker entries whose look-up missed the L3 cache"),
	U("RT_TO_LLC_RESP", 0x04, "Read tracker entries that got an answer from the L3 cache"),
	U("RT_TO_RTID_ACQUIRED", 0x08, "Read tracker entries that missed and got a transaction number for the way to "
	  "memory or another socket"),
	U("WT_TO_RTID_ACQUIRED", 0x10, "Write tracker entries that missed and got a transaction number"),
	U("WRITE_TRACKER", 0x20, "Write tracker entries"),
	U("PEER_PROBE_TRACKER", 0x40, "Peer probe tracker entries"),
};

static const struct cat_umask data_from[] = {
	U("QPI", 0x01, "From QPI"),
	U("QMC", 0x02, "From the memory controller"),
	U("LLC", 0x04, "From the L3 cache"),
	U("CORES_02", 0x08, "From cores 0 and 2"),
	U("CORES_13", 0x10, "From cores 1 and 3"),
};

static const struct cat_umask data_to[] = {
	U("QPI_QMC", 0x01, "To QPI or to the memory controller"),
	U("LLC", 0x02, "To the L3 cache"),
	U("CORES", 0x04, "To cores"),
};

#define SNOOPED \
	U("I_STATE", 0x01, "The line is not here"), \
	U("S_STATE", 0x02, "The line is here as shared"), \
	U("FWD_S_STATE", 0x04, "The line was forwarded and is kept as shared"), \
	U("FWD_I_STATE", 0x08, "The line was forwarded and given up"), \
	U("CONFLICT", 0x10, "The snoop met a request for the same line"), \
	U("WB", 0x20, "The line was modified and is written back")
static const struct cat_umask snoop_local[] = { SNOOPED };

static const struct cat_umask snoop_remote[] = {
	SNOOPED,
	U("HITM", 0x24, "A modified line was hit: forwarded and kept as shared, or written back"),
};

static const struct cat_umask lookups[] = {
	U("READ", 0x01, "Reads of cores"),
	U("WRITE", 0x02, "Writes of cores"),
	U("PROBE", 0x04, "Snoops from other sockets"),
	U("ANY", 0x03, "Reads and writes of cores"),
};

static const struct cat_umask lines_in[] = {
	U("M_STATE", 0x01, "As modified"), U("E_STATE", 0x02, "As exclusive"), U("S_STATE", 0x04, "As shared"),
	U("F_STATE", 0x08, "As forward: shared, and this cache answers snoops"), U("ANY", 0x0f, "In any state"),
};
static const struct cat_umask lines_out[] = {
	U("M_STATE", 0x01, "Modified lines"), U("E_STATE", 0x02, "Exclusive lines"), U("S_STATE", 0x04, "Shared lines"),
	U("I_STATE", 0x08, "Invalid lines"), U("F_STATE", 0x10, "Forward lines"), U("ANY", 0x1f, "Lines in any state"),
};

static const struct cat_umask requests[] = {
	U("IOH_READS", 0x01, "Reads of the I/O hub"), U("IOH_WRITES", 0x02, "Writes of the I/O hub"),
	U("REMOTE_READS", 0x04, "Reads of the other socket"), U("REMOTE_WRITES", 0x08, "Writes of the other socket"),
	U("LOCAL_READS", 0x10, "Reads of this socket"), U("LOCAL_WRITES", 0x20, "Writes of this socket"),
};

static const struct cat_umask sources[] = {
	U("IOH", 0x01, "Requests of the I/O hub"), U("REMOTE", 0x02, "Requests of the other socket"),
	U("LOCAL", 0x04, "Requests of this socket"),
};
static const struct cat_umask local_only[] = {
	U("LOCAL", 0x04, "Requests of this socket"),
};

static const struct cat_umask conflicts[] = {
	U("2WAY", 0x02, "Two requests"), U("3WAY", 0x04, "Three requests"),
};

static const struct cat_umask channels[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
};
static const struct cat_umask any_channel[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
	U("ANY", 0x07, "All three channels"),
};
static const struct cat_umask directions[] = {
	U("READ_CH0", 0x01, "Reads of channel 0"), U("READ_CH1", 0x02, "Reads of channel 1"),
	U("READ_CH2", 0x04, "Reads of channel 2"), U("WRITE_CH0", 0x08, "Writes of channel 0"),
	U("WRITE_CH1", 0x10, "Writes of channel 1"), U("WRITE_CH2", 0x20, "Writes of channel 2"),
};
static const struct cat_umask normal_full[] = {
	U("READ_CH0", 0x01, "Reads of channel 0"), U("READ_CH1", 0x02, "Reads of channel 1"),
	U("READ_CH2", 0x04, "Reads of channel 2"), U("WRITE_CH0", 0x08, "Writes of channel 0"),
	U("WRITE_CH1", 0x10, "Writes of channel 1"), U("WRITE_CH2", 0x20, "Writes of channel 2"),
	{ .name = "READ_ANY", .value = 0x07, .help = "Reads of any channel", .disputed = "Only likwid has this unit mask" },
};
static const struct cat_umask writes[] = {
	U("FULL_CH0", 0x01, "Whole lines, channel 0"), U("FULL_CH1", 0x02, "Whole lines, channel 1"),
	U("FULL_CH2", 0x04, "Whole lines, channel 2"),
	{ .name = "FULL_ANY", .value = 0x07, .help = "Whole lines, all channels",
	  .disputed = "Linux's alias also sets bit 3, which counts partial writes of channel 0" },
	U("PARTIAL_CH0", 0x08, "Parts of a line, channel 0"), U("PARTIAL_CH1", 0x10, "Parts of a line, channel 1"),
	U("PARTIAL_CH2", 0x20, "Parts of a line, channel 2"), U("PARTIAL_ANY", 0x38, "Parts of a line, all channels"),
};
static const struct cat_umask cas[] = {
	U("CH0", 0x01, "Channel 0"), U("AUTOPRE_CH0", 0x02, "Channel 0, with automatic precharge"),
	U("CH1", 0x04, "Channel 1"), U("AUTOPRE_CH1", 0x08, "Channel 1, with automatic precharge"),
	U("CH2", 0x10, "Channel 2"), U("AUTOPRE_CH2", 0x20, "Channel 2, with automatic precharge"),
};

static const struct cat_umask single_flit[] = {
	U("HOME_LINK_0", 0x01, "Home messages, link 0"), U("SNOOP_LINK_0", 0x02, "Snoops, link 0"),
	U("NDR_LINK_0", 0x04, "Responses without data, link 0"), U("HOME_LINK_1", 0x08, "Home messages, link 1"),
	U("SNOOP_LINK_1", 0x10, "Snoops, link 1"), U("NDR_LINK_1", 0x20, "Responses without data, link 1"),
	U("LINK_0", 0x07, "All messages of one flit, link 0"), U("LINK_1", 0x38, "All messages of one flit, link 1"),
};
static const struct cat_umask multi_flit[] = {
	U("DRS_LINK_0", 0x01, "Data responses, link 0"), U("NCB_LINK_0", 0x02, "Non-coherent bypass messages, link 0"),
	U("NCS_LINK_0", 0x04, "Non-coherent standard messages, link 0"), U("DRS_LINK_1", 0x08, "Data responses, link 1"),
	U("NCB_LINK_1", 0x10, "Non-coherent bypass messages, link 1"),
	U("NCS_LINK_1", 0x20, "Non-coherent standard messages, link 1"),
	U("LINK_0", 0x07, "All messages of several flits, link 0"),
	U("LINK_1", 0x38, "All messages of several flits, link 1"),
};
static const struct cat_umask header_busy[] = {
	U("BUSY_LINK_0", 0x02, "QPI link 0"), U("BUSY_LINK_1", 0x08, "QPI link 1"),
};
static const struct cat_umask ppt_credit[] = {
	U("STALLS_LINK_0", 0x01, "QPI link 0"), U("STALLS_LINK_1", 0x02, "QPI link 1"),
};

/* ------------------------------------------------------------------ events */

#define SRC    "libpfm4 intel_nhm_unc_events.h, likwid"
#define MASKS(list, default_) \
	.combine = CAT_UMASK_BITS, .adds = CAT_ADDS, .dflt = (default_), .n_umasks = COUNT(list), .umasks = (list)
/* No source gives the depth of the queues: 64 entries are taken as the bound of an increment. */
#define QUEUE  .occupancy = true, .note = "Divided by cycles: the mean number of entries. No source states how " \
	"many there can be; 64 is the bound that a reset is told by"
#define ALIAS(l3) .alias = TEXTS(l3)
#define NHM_MATCH .disputed = "The register is documented for this processor, its event is not: likwid warns, and " \
	"offers it with other unit masks (OR 0x00, AND 0x01)", .source = "SDM 3B 18.17.2.3; likwid (Westmere)",

static const struct cat_event events[] = {
	{ .name = "CLK_UNHALTED", .fixed = true, .always_runs = true, .max_inc = 1, .dflt = -1,
	  .alias = TEXTS("UNCORE_CLOCK", "CLOCKTICKS"), .source = "SDM 3B 18.17.2; libpfm4, Linux uncore_snb.c",
	  .help = "Cycles of the uncore clock" },

	/* global queue: what passes between cores, L3 cache, QPI and memory controller */
	{ .name = "GQ_CYCLES_FULL", .code = 0x00, .max_inc = 1, MASKS(trackers, -1), .source = SRC,
	  .help = "Cycles in which a tracker of the global queue has no free entry" },
	{ .name = "GQ_CYCLES_NOT_EMPTY", .code = 0x01, .max_inc = 1, MASKS(trackers, -1), .source = SRC,
	  .help = "Cycles in which a tracker of the global queue holds at least one entry" },
	{ .name = "GQ_ALLOC", .code = 0x03, .max_inc = 1, MASKS(gq_alloc, -1), .source = SRC,
	  .help = "Entries taken in the trackers of the global queue, through which every request of a core passes" },
	{ .name = "GQ_DATA_FROM", .code = 0x04, .max_inc = 1, MASKS(data_from, -1), .source = SRC,
	  .help = "Cycles in which the global queue takes data from one of its neighbours" },
	{ .name = "GQ_DATA_TO", .code = 0x05, .max_inc = 1, MASKS(data_to, -1), .source = SRC,
	  .help = "Cycles in which the global queue hands data to one of its neighbours" },
	{ .name = "SNP_RESP_TO_LOCAL_HOME", .code = 0x06, .max_inc = 1, MASKS(snoop_local, -1), .source = SRC,
	  .help = "Answers to snoops that the home logic of this socket sent" },
	{ .name = "SNP_RESP_TO_REMOTE_HOME", .code = 0x07, .max_inc = 1, MASKS(snoop_remote, -1), .source = SRC,
	  .help = "Answers to snoops that the home logic of another socket sent" },

	/* L3 cache */
	{ .name = "LLC_HITS", .code = 0x08, .max_inc = 1, MASKS(lookups, 3), ALIAS("L3_HITS"), .source = SRC,
	  .help = "Look-ups that found their line in the L3 cache" },
	{ .name = "LLC_MISS", .code = 0x09, .max_inc = 1, MASKS(lookups, 3), ALIAS("L3_MISS"), .source = SRC,
	  .help = "Look-ups that did not find their line in the L3 cache" },
	{ .name = "LLC_LINES_IN", .code = 0x0a, .max_inc = 1, MASKS(lines_in, 4), ALIAS("L3_LINES_IN"), .source = SRC,
	  .help = "Lines put into the L3 cache" },
	{ .name = "LLC_LINES_OUT", .code = 0x0b, .max_inc = 1, MASKS(lines_out, 5), ALIAS("L3_LINES_OUT"), .source = SRC,
	  .help = "Lines that left the L3 cache to make room" },

	/* home logic: who asks for memory of this socket */
	{ .name = "QHL_REQUESTS", .code = 0x20, .max_inc = 1, MASKS(requests, -1), .source = SRC,
	  .help = "Requests to the memory of this socket that the home logic took" },
	{ .name = "QHL_CYCLES_FULL", .code = 0x21, .max_inc = 1, MASKS(sources, -1), .source = SRC,
	  .help = "Cycles in which a tracker of the home logic has no free entry" },
	{ .name = "QHL_CYCLES_NOT_EMPTY", .code = 0x22, .max_inc = 1, MASKS(sources, -1), .source = SRC,
	  .help = "Cycles in which a tracker of the home logic holds at least one request" },
	{ .name = "QHL_OCCUPANCY", .code = 0x23, .max_inc = 64, MASKS(sources, -1), .source = SRC, QUEUE,
	  .help = "Requests in a tracker of the home logic, added up each cycle" },
	{ .name = "QHL_ADDRESS_CONFLICTS", .code = 0x24, .max_inc = 1, MASKS(conflicts, -1), .source = SRC,
	  .help = "Times that several requests for one address met in the home logic" },
	{ .name = "QHL_CONFLICT_CYCLES", .code = 0x25, .max_inc = 1, MASKS(sources, -1), .source = SRC,
	  .help = "Cycles in which a tracker of the home logic holds requests that conflict" },
	{ .name = "QHL_TO_QMC_BYPASS", .code = 0x26, .ctl = 0x0100, .max_inc = 1, .dflt = -1, .source = "likwid",
	  .disputed = "libpfm4 programs no unit mask, likwid 0x01: the latter is taken, because an empty mask selects "
		"nothing elsewhere on this PMU",
	  .help = "Requests that reached the memory controller by a short cut around the home logic" },
	{ .name = "QHL_FRC_ACK_CNFLTS", .code = 0x33, .max_inc = 1, MASKS(local_only, 0), .source = SRC,
	  .help = "Conflicts that the home logic had to end with a forced acknowledge" },
	MATCH_EVENTS(MASKS(sources, -1), NHM_MATCH),

	/* memory controller */
	{ .name = "QMC_NORMAL_FULL", .code = 0x27, .max_inc = 1, MASKS(normal_full, -1), .source = SRC,
	  .help = "Cycles in which the queue of ordinary memory requests has no room" },
	{ .name = "QMC_ISOC_FULL", .code = 0x28, .max_inc = 1, MASKS(directions, -1), .source = SRC,
	  .help = "Cycles in which the queue of isochronous memory requests has no room" },
	{ .name = "QMC_BUSY", .code = 0x29, .max_inc = 1, MASKS(directions, -1), .source = SRC,
	  .help = "Cycles in which the memory controller works on at least one request" },
	{ .name = "QMC_OCCUPANCY", .code = 0x2a, .max_inc = 64, MASKS(channels, -1), .source = SRC, QUEUE,
	  .help = "Ordinary reads in the memory controller, added up each cycle" },
	{ .name = "IMC_ISOC_OCCUPANCY", .code = 0x2b, .max_inc = 64, MASKS(any_channel, 3), .source = SRC, QUEUE,
	  .alias = TEXTS("QMC_ISSOC_OCCUPANCY", "QMC_ISOC_OCCUPANCY", "QMC_ISSOC"),
	  .help = "Isochronous requests in the memory controller, added up each cycle" },
	{ .name = "QMC_NORMAL_READS", .code = 0x2c, .max_inc = 1, MASKS(any_channel, 3), .source = SRC,
	  .help = "Lines read from memory with ordinary priority" },
	{ .name = "QMC_HIGH_PRIORITY_READS", .code = 0x2d, .max_inc = 1, MASKS(any_channel, 3), .source = SRC,
	  .help = "Isochronous lines read from memory with high priority" },
	{ .name = "QMC_CRITICAL_PRIORITY_READS", .code = 0x2e, .max_inc = 1, MASKS(any_channel, 3), .source = SRC,
	  .help = "Isochronous lines read from memory with critical priority" },
	{ .name = "QMC_WRITES", .code = 0x2f, .max_inc = 1, MASKS(writes, -1), .source = SRC,
	  .help = "Writes to memory, of whole lines or of parts" },
	{ .name = "QMC_CANCEL", .code = 0x30, .max_inc = 1, MASKS(any_channel, 3), .source = SRC,
	  .help = "Memory requests that were cancelled" },
	{ .name = "QMC_PRIORITY_UPDATES", .code = 0x31, .max_inc = 1, MASKS(any_channel, 3), .source = SRC,
	  .help = "Memory requests whose priority was raised while they waited" },

	/* QPI */
	{ .name = "QPI_TX_STALLED_SINGLE_FLIT", .code = 0x40, .max_inc = 1, MASKS(single_flit, -1), .source = SRC,
	  .help = "Cycles in which a message of one flit waits because QPI cannot send it" },
	{ .name = "QPI_TX_STALLED_MULTI_FLIT", .code = 0x41, .max_inc = 1, MASKS(multi_flit, -1), .source = SRC,
	  .note = "likwid's Nehalem list prints code 0x40, which is QPI_TX_STALLED_SINGLE_FLIT",
	  .help = "Cycles in which a message of several flits waits because QPI cannot send it" },
	{ .name = "QPI_TX_HEADER", .code = 0x42, .max_inc = 1, MASKS(header_busy, -1), .source = SRC,
	  .help = "Cycles in which the buffer of outgoing QPI packet headers is in use" },
	{ .name = "QPI_RX_NO_PPT_CREDIT", .code = 0x43, .max_inc = 1, MASKS(ppt_credit, -1), .source = SRC,
	  .help = "Cycles in which QPI cannot hand on snoops because the peer probe tracker gives no credit" },

	/* DRAM */
	{ .name = "DRAM_OPEN", .code = 0x60, .max_inc = 1, MASKS(channels, -1), .source = SRC,
	  .help = "DRAM pages opened by an activate command" },
	{ .name = "DRAM_PAGE_CLOSE", .code = 0x61, .max_inc = 1, MASKS(channels, -1), .source = SRC,
	  .help = "DRAM pages closed because nothing used them for some time" },
	{ .name = "DRAM_PAGE_MISS", .code = 0x62, .max_inc = 1, MASKS(channels, -1), .source = SRC,
	  .help = "DRAM pages closed because an access needed another page of the bank" },
	{ .name = "DRAM_READ_CAS", .code = 0x63, .max_inc = 1, MASKS(cas, -1), .source = SRC,
	  .help = "Read commands to the DRAM" },
	{ .name = "DRAM_WRITE_CAS", .code = 0x64, .max_inc = 1, MASKS(cas, -1), .source = SRC,
	  .help = "Write commands to the DRAM" },
	{ .name = "DRAM_REFRESH", .code = 0x65, .max_inc = 1, MASKS(channels, -1), .source = SRC,
	  .help = "Refresh commands to the DRAM" },
	{ .name = "DRAM_PRE_ALL", .code = 0x66, .max_inc = 1, MASKS(channels, -1), .source = SRC,
	  .help = "Commands that close all pages of a DRAM rank" },
};

/* ------------------------------------------------------------------ Westmere */

#define LIKWID_ONLY   .disputed = "Only likwid has this unit mask"

static const struct cat_umask westmere_read_tracker[] = {
	U("READ_TRACKER", 0x01, "Reads of cores"),
};

static const struct cat_umask westmere_gq_snoop[] = {
	U("GOTO_S", 0x01, "The line becomes shared"), U("GOTO_I", 0x02, "The line is invalidated"),
};

static const struct cat_umask westmere_sources[] = {
	U("IOH", 0x01, "Requests of the I/O hub"), U("REMOTE", 0x02, "Requests of the other socket"),
	U("LOCAL", 0x04, "Requests of this socket"),
};

static const struct cat_umask westmere_forced[] = {
	{ .name = "IOH", .value = 0x01, .help = "Requests of the I/O hub", LIKWID_ONLY },
	{ .name = "REMOTE", .value = 0x02, .help = "Requests of the other socket", LIKWID_ONLY },
	U("LOCAL", 0x04, "Requests of this socket"),
	{ .name = "ANY", .value = 0x07, .help = "Requests of all three", LIKWID_ONLY },
};

static const struct cat_umask westmere_sleeps[] = {
	U("IOH_ORDER", 0x01, "I/O hub, to keep the order"), U("REMOTE_ORDER", 0x02, "Other socket, to keep the order"),
	U("LOCAL_ORDER", 0x04, "This socket, to keep the order"),
	U("IOH_CONFLICT", 0x08, "I/O hub, because of a conflict"),
	U("REMOTE_CONFLICT", 0x10, "Other socket, because of a conflict"),
	U("LOCAL_CONFLICT", 0x20, "This socket, because of a conflict"),
};

static const struct cat_umask westmere_occupancy[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
	{ .name = "ANY", .value = 0x07, .help = "All three channels", LIKWID_ONLY },
};

static const struct cat_umask westmere_retries[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
	U("ANY", 0x07, "All three channels"),
};

static const struct cat_umask westmere_header[] = {
	{ .name = "FULL_LINK_0", .value = 0x01, .help = "Link 0, no room left", LIKWID_ONLY },
	U("BUSY_LINK_0", 0x02, "Link 0, in use"),
	{ .name = "FULL_LINK_1", .value = 0x04, .help = "Link 1, no room left", LIKWID_ONLY },
	U("BUSY_LINK_1", 0x08, "Link 1, in use"),
};

static const struct cat_umask westmere_cores[] = {
	U("CORE_0", 0x01, "In core 0"), U("CORE_1", 0x02, "In core 1"), U("CORE_2", 0x04, "In core 2"), U("CORE_3", 0x08, "In core 3"),
};

#define WESTMERE_SRC "libpfm4 intel_wsm_unc_events.h, likwid"
#define MASK_GUESSED(v) .ctl = (v) << 8, .dflt = -1, .source = "likwid", \
	.disputed = "libpfm4 programs no unit mask, likwid " #v ": the latter is taken, because an empty mask selects " \
		"nothing elsewhere on this PMU"
#define PRESET(opcode, how) \
	.set = SET(BIT(T_OPCODE) | BIT(T_SELECT), \
		 { [T_OPCODE] = (opcode), [T_SELECT] = (how) })

static const struct cat_event westmere_events[] = {
	{ .name = "GC_OCCUPANCY", .code = 0x02, .max_inc = 64, MASKS(westmere_read_tracker, 0), .alias = TEXTS("GQ_OCCUPANCY"),
	  .source = WESTMERE_SRC, QUEUE,
	  .help = "Entries in the read tracker of the global queue, added up each cycle" },
	{ .name = "GQ_SNOOP", .code = 0x0c, .max_inc = 1, MASKS(westmere_gq_snoop, -1), .source = "likwid",
	  .disputed = "Only likwid lists this event",
	  .help = "Snoops that the global queue sent to cores for a line that changes its state" },
	{ .name = "QMC_OCCUPANCY", .code = 0x2a, .max_inc = 64, MASKS(westmere_occupancy, -1), .source = WESTMERE_SRC, QUEUE,
	  .help = "Ordinary reads in the memory controller, added up each cycle" },
	{ .name = "IMC_RETRY", .code = 0x32, .max_inc = 1, MASKS(westmere_retries, 3), .source = WESTMERE_SRC,
	  .help = "Memory requests that had to be tried again" },
	{ .name = "QHL_FRC_ACK_CNFLTS", .code = 0x33, .max_inc = 1, MASKS(westmere_forced, -1), .source = WESTMERE_SRC,
	  .help = "Conflicts that the home logic had to end with a forced acknowledge" },
	{ .name = "QHL_SLEEPS", .code = 0x34, .max_inc = 1, MASKS(westmere_sleeps, -1), .source = WESTMERE_SRC,
	  .help = "Requests that the home logic put to sleep" },
	MATCH_EVENTS(MASKS(westmere_sources, -1), .source = "SDM 3B 18.17.2.3; likwid",),
	{ .name = "ADDR_OPCODE_MATCH_RSPFWDS", .code = 0x35, .max_inc = 1, MASKS(westmere_sources, -1),
	  .route = &match_opcode, PRESET(0x1a, MATCH_OPCODE), .source = "likwid; SDM 3B 18.17.2.3",
	  .help = "Snoop responses RspFwdS: the line was forwarded to the requester and kept as shared" },
	{ .name = "ADDR_OPCODE_MATCH_RSPIWB", .code = 0x35, .max_inc = 1, MASKS(westmere_sources, -1),
	  .route = &match_opcode, PRESET(0x1d, MATCH_OPCODE), .source = "likwid; SDM 3B 18.17.2.3",
	  .help = "Snoop responses RspIWb: the line was modified, is written back and given up" },
	{ .name = "QPI_TX_HEADER", .code = 0x42, .max_inc = 1, MASKS(westmere_header, -1), .source = WESTMERE_SRC,
	  .help = "Cycles in which the buffer of outgoing QPI packet headers is in use or full" },
	{ .name = "DRAM_THERMAL_THROTTLED", .code = 0x67, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Cycles in which DRAM accesses are held back because of the temperature" },
	{ .name = "THERMAL_THROTTLING_TEMP", .code = 0x80, .max_inc = 1, MASKS(westmere_cores, -1), .source = WESTMERE_SRC,
	  .help = "Cycles in which a core is above the temperature at which it is slowed down" },
	{ .name = "THERMAL_THROTTLED_TEMP", .code = 0x81, .max_inc = 1, MASKS(westmere_cores, -1), .source = WESTMERE_SRC,
	  .help = "Cycles in which a core runs slower because of its temperature" },
	{ .name = "PROCHOT_ASSERTION", .code = 0x82, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Times that the board asserted PROCHOT, the pin that asks the socket to slow down" },
	{ .name = "THERMAL_THROTTLING_PROCHOT", .code = 0x83, .max_inc = 1, MASKS(westmere_cores, -1), .source = WESTMERE_SRC,
	  .help = "Cycles in which a core runs slower because PROCHOT is asserted" },
	{ .name = "TURBO_MODE", .code = 0x84, .max_inc = 1, MASKS(westmere_cores, -1), .source = WESTMERE_SRC,
	  .help = "Cycles in which a core runs above its base frequency" },
	{ .name = "CYCLES_UNHALTED_L3_FLL_ENABLE", .code = 0x85, .max_inc = 1, MASK_GUESSED(0x02),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is on" },
	{ .name = "CYCLES_UNHALTED_L3_FLL_DISABLE", .code = 0x86, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is off" },
};

static const char *const westmere_absent[] = { "QMC_NORMAL_FULL", NULL };

/* ------------------------------------------------------------------ the box */

#define UNCORE \
	.name = "uncore", .letter = "", .title = "Uncore: global queue, L3 cache, QPI home logic and memory " \
		"controller", \
	.space = SPACE_MSR, .n_counters = 8, .width = 48, .has_fixed = true, .fixed_box_bit = 32, \
	.fixed_enable = BIT(0), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, .invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = { 17, 17 }, \
	UNITS(units), ROWS, \
	/* The fastest stock uncore runs at 2.66 GHz, but these are the parts that people overclock. */ \
	.clock = "uncore/CLK_UNHALTED", .max_hz = 4000000000, \
	.source = "SDM 3B 18.17.2"

const struct cat_box nehalem_uncore = { UNCORE };
const struct cat_box westmere_uncore = { UNCORE, EXTRA(westmere_events), .absent = westmere_absent };
