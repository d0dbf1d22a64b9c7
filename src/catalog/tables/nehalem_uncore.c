/* SPDX-License-Identifier: MIT
 * The one uncore PMU of a socket of Nehalem and Westmere.
 * Owns:  its registers, its events, those that only Westmere has or counts otherwise, the box.
 * Never: Nehalem-EX, which has other registers.
 * Pure data; any thread.
 *
 * Eight general counters take any event. There is no socket-wide enable:
 * MSR_UNCORE_PERF_GLOBAL_CTRL has one bit for each counter, and so it is the control register of
 * the one box.
 */
#include "catalog/tables/nehalem.h"

static const struct cat_field ctr_fields[] = { F("COUNT", 47, 0, "The count") };

enum { ID_MATCH = 1 };
#define SDM  "SDM 3B 18.17.2"

static const struct cat_reg regs[] = {
	R("MSR_UNCORE_PERF_GLOBAL_CTRL", BOX_CTL, RW, 8, 8, 0x391, SDM ".1, Figure 18-29", FIELDS_HERE(
	  F("PMI_FRZ", 63, 63, "1: an overflow interrupt disables all counters; left as found"),
	  F("EN_PMI_CORE", 51, 48, "Bit n: core n takes the overflow interrupt; left as found"),
	  F("EN_FC0", 32, 32, "Enables the fixed counter"),
	  F("EN_PC", 7, 0, "Bit n enables counter n"))),
	R("MSR_UNCORE_PERF_GLOBAL_STATUS", STATUS, RO, 8, 8, 0x392, SDM ".1, p 18-82", FIELDS_HERE(
	  F("CHG", 63, 63, "A status bit changed"),
	  F("OVF_PMI", 61, 61, "An overflow interrupt was sent"),
	  F("OVF_FC0", 32, 32, "The fixed counter overflowed"),
	  F("OVF_PC", 7, 0, "Bit n: counter n overflowed"))),
	R("MSR_UNCORE_PERF_GLOBAL_OVF_CTRL", OVF_CTL, W1C, 8, 8, 0x393, SDM ".1, p 18-84", FIELDS_HERE(
	  PULSE("CLR_CHG", 63, 63, "Write 1 to clear CHG"),
	  PULSE("CLR_OVF_PMI", 61, 61, "Write 1 to clear OVF_PMI"),
	  PULSE("CLR_OVF_FC0", 32, 32, "Write 1 to clear OVF_FC0"),
	  PULSE("CLR_OVF_PC", 7, 0, "Write 1 to bit n to clear the overflow of counter n"))),
	R("MSR_UNCORE_FIXED_CTR0", FIXED_CTR, RW, 1, 8, 0x394, SDM "; Linux uncore_snb.c", FIELDS(ctr_fields)),
	R("MSR_UNCORE_FIXED_CTR_CTRL", FIXED_CTL, RW, 1, 8, 0x395, SDM ", p 18-85; Linux uncore_snb.c", FIELDS_HERE(
	  F("PMI", 2, 2, "Sends an interrupt when the counter overflows"),
	  F("EN", 0, 0, "Enables the fixed counter"))),
	R("MSR_UNCORE_ADDR_OPCODE_MATCH", FILTER, RW, 1, 8, 0x396, SDM ".3", .id = ID_MATCH, FIELDS_HERE(
	  F("MatchSel", 63, 61, "0 off, 4 address, 2 opcode, 6 either, 1 both"),
	  F("Opcode", 47, 40,
	    "47:44 QPI message class (0 home request, 1 snoop response, 14 data response), 43:40 opcode"),
	  F("ADDR", 39, 3, "Physical address"))),
	R("MSR_UNCORE_PMC%n", CTR, RW, 8, 8, 0x3b0, SDM "; Linux uncore_snb.c", .step = 1, FIELDS(ctr_fields)),
	R("MSR_UNCORE_PERFEVTSEL%n", CTL, RW, 8, 8, 0x3c0, SDM ".2, p 18-84, 18-85", .step = 1, FIELDS_HERE(
	  F("CMASK", 31, 24, "Threshold: count cycles with at least this increment"),
	  F("INV", 23, 23, "1: below the threshold instead"),
	  F("EN", 22, 22, "Enables this counter"),
	  F("PMI", 20, 20, "Sends an interrupt when the counter overflows"),
	  F("E", 18, 18, "Counts rising edges"),
	  PULSE("OCC_CTR_RST", 17, 17,
	    "1 clears the queue occupancy counter of the event; reads 0"),
	  F("UMASK", 15, 8, "Unit mask"),
	  F("EVENT_SELECT", 7, 0, "Event"))),
};

enum { F_ADDRESS, F_OPCODE, F_SELECT };
enum { MATCH_BOTH = 1, MATCH_OPCODE = 2, MATCH_ADDRESS = 4, MATCH_EITHER = 6 };

/* The five events of code 0x35; on Nehalem with a dispute. */
#define MATCH_EVENTS(masks, src, ...) \
	E("ADDR_OPCODE_MATCH", 0x35, 1, src, masks, .selector = &match, .values = VALUES(BIT(F_SELECT), { 0 }), \
	  .help = "Requests to the home logic whose address, opcode or both fit the match register", \
	  __VA_ARGS__), \
	E("ADDR_OPCODE_MATCH_AND", 0x35, 1, src, masks, .selector = &match_fixed, \
	  .values = VALUES(BIT(F_SELECT), { [F_SELECT] = MATCH_BOTH }), \
	  .help = "Requests to the home logic whose address and opcode both fit the match register", \
	  __VA_ARGS__), \
	E("ADDR_OPCODE_MATCH_OR", 0x35, 1, src, masks, .selector = &match_fixed, \
	  .values = VALUES(BIT(F_SELECT), { [F_SELECT] = MATCH_EITHER }), \
	  .help = "Requests to the home logic whose address or opcode fits the match register", \
	  __VA_ARGS__)

static const struct cat_word match_words[] = {
	{ "address", MATCH_ADDRESS, { "address" } },
	{ "opcode", MATCH_OPCODE, { "opc" } },
	{ "either", MATCH_EITHER, { "address", "opc" } },
	{ "both", MATCH_BOTH, { "address", "opc" } },
};

#define ADDRESS(...) \
	K("address", F_ADDRESS, 36, 0, \
	  "Physical address below 1 TiB, a multiple of 8", \
	  .shift = 3, .hex = true, .owns = BIT(F_ADDRESS), __VA_ARGS__)
#define OPC(...) \
	K("opc", F_OPCODE, 7, 0, \
	  "QPI message class in bits 7:4 (0 home request, 1 snoop response, 14 data response) and opcode in 3:0; 0x1a is RspFwdS, 0x1d RspIWb", \
	  .hex = true, .owns = BIT(F_OPCODE), __VA_ARGS__)
static const struct cat_key match_keys[] = {
	ADDRESS(.needs = "match"),
	OPC(.needs = "match"),
	K("match", F_SELECT, 2, 0,
	  "What is compared: the address, the opcode, either of them, or both",
	  .required = true, .words = match_words, .n_words = COUNT(match_words)),
};
static const struct cat_key match_fixed_keys[] = {
	ADDRESS(.required = true), OPC(.required = true),
};

/* One register for all counters: two events share it if they ask for the same. */
#define MATCH_NAME \
	ENCODINGS(ENCODING(0x35, [F_ADDRESS] = { ID_MATCH, 39, 3 }, [F_OPCODE] = { ID_MATCH, 47, 40 }, \
	  [F_SELECT] = { ID_MATCH, 63, 61 })), \
	.name = "address and opcode match register"
static const struct cat_selector match = { MATCH_NAME, KEYS(match_keys) };
static const struct cat_selector match_fixed = { MATCH_NAME, KEYS(match_fixed_keys) };
static const struct cat_selector match_opcode = { MATCH_NAME };

static const struct cat_umask trackers[] = {
	U("READ_TRACKER", 0x01, "Read tracker: reads of cores"),
	U("WRITE_TRACKER", 0x02, "Write tracker: writes of cores"),
	U("PEER_PROBE_TRACKER", 0x04, "Peer probe tracker: snoops from other sockets"),
};

#define SNOOPED \
	U("I_STATE", 0x01, "The line is not here"), \
	U("S_STATE", 0x02, "The line is here as shared"), \
	U("FWD_S_STATE", 0x04, "The line was forwarded and is kept as shared"), \
	U("FWD_I_STATE", 0x08, "The line was forwarded and given up"), \
	U("CONFLICT", 0x10, "The snoop met a request for the same line"), \
	U("WB", 0x20, "The line was modified and is written back")

static const struct cat_umask lookups[] = {
	U("READ", 0x01, "Reads of cores"),
	U("WRITE", 0x02, "Writes of cores"),
	U("PROBE", 0x04, "Snoops from other sockets"),
	U("ANY", 0x03, "Reads and writes of cores"),
};

static const struct cat_umask requests[] = {
	U("IOH_READS", 0x01, "Reads of the I/O hub"),
	U("IOH_WRITES", 0x02, "Writes of the I/O hub"),
	U("REMOTE_READS", 0x04, "Reads of the other socket"),
	U("REMOTE_WRITES", 0x08, "Writes of the other socket"),
	U("LOCAL_READS", 0x10, "Reads of this socket"),
	U("LOCAL_WRITES", 0x20, "Writes of this socket"),
};

static const struct cat_umask sources[] = {
	U("IOH", 0x01, "Requests of the I/O hub"),
	U("REMOTE", 0x02, "Requests of the other socket"),
	U("LOCAL", 0x04, "Requests of this socket"),
};
#define CHANNELS \
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2")
#define ANY_CHANNEL(...) U("ANY", 0x07, "All three channels", __VA_ARGS__)
static const struct cat_umask channels[] = { CHANNELS };
static const struct cat_umask any_channel[] = { CHANNELS, ANY_CHANNEL() };
#define DIRECTIONS \
	U("READ_CH0", 0x01, "Reads of channel 0"), \
	U("READ_CH1", 0x02, "Reads of channel 1"), \
	U("READ_CH2", 0x04, "Reads of channel 2"), \
	U("WRITE_CH0", 0x08, "Writes of channel 0"), \
	U("WRITE_CH1", 0x10, "Writes of channel 1"), \
	U("WRITE_CH2", 0x20, "Writes of channel 2")
static const struct cat_umask directions[] = { DIRECTIONS };
static const struct cat_umask writes[] = {
	U("FULL_CH0", 0x01, "Whole lines, channel 0"),
	U("FULL_CH1", 0x02, "Whole lines, channel 1"),
	U("FULL_CH2", 0x04, "Whole lines, channel 2"),
	U("FULL_ANY", 0x07,
	  "Whole lines, all channels",
	  .disputed = "Linux's alias also sets bit 3, which counts partial writes of channel 0"),
	U("PARTIAL_CH0", 0x08, "Parts of a line, channel 0"),
	U("PARTIAL_CH1", 0x10, "Parts of a line, channel 1"),
	U("PARTIAL_CH2", 0x20, "Parts of a line, channel 2"),
	U("PARTIAL_ANY", 0x38, "Parts of a line, all channels"),
};
static const struct cat_umask cas[] = {
	U("CH0", 0x01, "Channel 0"),
	U("AUTOPRE_CH0", 0x02, "Channel 0, with automatic precharge"),
	U("CH1", 0x04, "Channel 1"),
	U("AUTOPRE_CH1", 0x08, "Channel 1, with automatic precharge"),
	U("CH2", 0x10, "Channel 2"),
	U("AUTOPRE_CH2", 0x20, "Channel 2, with automatic precharge"),
};

#define SRC    "libpfm4 intel_nhm_unc_events.h, likwid"
/* No source gives the depth of the queues: 64 entries are taken as the bound of an increment. */
#define QUEUE .occupancy = true, \
	.note = "Divided by cycles: the mean number of entries. No source states how many there " \
		"can be; 64 is the bound that a reset is told by"
#define ALIAS(l3) .alias = TEXTS(l3)
#define NHM_MATCH .disputed = "The register is documented for this processor, its event is not: " \
		"likwid warns, and offers it with other unit masks (OR 0x00, AND 0x01)"

static const struct cat_event events[] = {
	E("CLK_UNHALTED", 0, 1, "SDM 3B 18.17.2; libpfm4, Linux uncore_snb.c", PLAIN, .fixed = true,
	  .always_runs = true, .alias = TEXTS("UNCORE_CLOCK", "CLOCKTICKS"),
	  .help = "Cycles of the uncore clock"),

	/* global queue: what passes between cores, L3 cache, QPI and memory controller */
	E("GQ_CYCLES_FULL", 0x00, 1, SRC, SUMMED(trackers, -1),
	  .help = "Cycles in which a tracker of the global queue has no free entry"),
	E("GQ_CYCLES_NOT_EMPTY", 0x01, 1, SRC, SUMMED(trackers, -1),
	  .help = "Cycles in which a tracker of the global queue holds at least one entry"),
	E("GQ_ALLOC", 0x03, 1, SRC,
	  .help = "Entries taken in the trackers of the global queue, through which every request of a core passes",
	  SUMMED_HERE(-1,
	  U("READ_TRACKER", 0x01, "Read tracker entries"),
	  U("RT_LLC_MISS", 0x02, "Read tracker entries whose look-up missed the L3 cache"),
	  U("RT_TO_LLC_RESP", 0x04, "Read tracker entries that got an answer from the L3 cache"),
	  U("RT_TO_RTID_ACQUIRED", 0x08,
	    "Read tracker entries that missed and got a transaction number for the way to memory or another socket"),
	  U("WT_TO_RTID_ACQUIRED", 0x10,
	    "Write tracker entries that missed and got a transaction number"),
	  U("WRITE_TRACKER", 0x20, "Write tracker entries"),
	  U("PEER_PROBE_TRACKER", 0x40, "Peer probe tracker entries"))),
	E("GQ_DATA_FROM", 0x04, 1, SRC,
	  .help = "Cycles in which the global queue takes data from one of its neighbours",
	  SUMMED_HERE(-1,
	  U("QPI", 0x01, "From QPI"),
	  U("QMC", 0x02, "From the memory controller"),
	  U("LLC", 0x04, "From the L3 cache"),
	  U("CORES_02", 0x08, "From cores 0 and 2"),
	  U("CORES_13", 0x10, "From cores 1 and 3"))),
	E("GQ_DATA_TO", 0x05, 1, SRC,
	  .help = "Cycles in which the global queue hands data to one of its neighbours",
	  SUMMED_HERE(-1,
	  U("QPI_QMC", 0x01, "To QPI or to the memory controller"),
	  U("LLC", 0x02, "To the L3 cache"),
	  U("CORES", 0x04, "To cores"))),
	E("SNP_RESP_TO_LOCAL_HOME", 0x06, 1, SRC, SUMMED_HERE(-1, SNOOPED),
	  .help = "Answers to snoops that the home logic of this socket sent"),
	E("SNP_RESP_TO_REMOTE_HOME", 0x07, 1, SRC,
	  .help = "Answers to snoops that the home logic of another socket sent",
	  SUMMED_HERE(-1, SNOOPED,
	  U("HITM", 0x24,
	    "A modified line was hit: forwarded and kept as shared, or written back"))),

	/* L3 cache */
	E("LLC_HITS", 0x08, 1, SRC, SUMMED(lookups, 3), ALIAS("L3_HITS"),
	  .help = "Look-ups that found their line in the L3 cache"),
	E("LLC_MISS", 0x09, 1, SRC, SUMMED(lookups, 3), ALIAS("L3_MISS"),
	  .help = "Look-ups that did not find their line in the L3 cache"),
	E("LLC_LINES_IN", 0x0a, 1, SRC, ALIAS("L3_LINES_IN"),
	  .help = "Lines put into the L3 cache",
	  SUMMED_HERE(4,
	  U("M_STATE", 0x01, "As modified"),
	  U("E_STATE", 0x02, "As exclusive"),
	  U("S_STATE", 0x04, "As shared"),
	  U("F_STATE", 0x08, "As forward: shared, and this cache answers snoops"),
	  U("ANY", 0x0f, "In any state"))),
	E("LLC_LINES_OUT", 0x0b, 1, SRC, ALIAS("L3_LINES_OUT"),
	  .help = "Lines that left the L3 cache to make room",
	  SUMMED_HERE(5,
	  U("M_STATE", 0x01, "Modified lines"),
	  U("E_STATE", 0x02, "Exclusive lines"),
	  U("S_STATE", 0x04, "Shared lines"),
	  U("I_STATE", 0x08, "Invalid lines"),
	  U("F_STATE", 0x10, "Forward lines"),
	  U("ANY", 0x1f, "Lines in any state"))),

	/* home logic: who asks for memory of this socket */
	E("QHL_REQUESTS", 0x20, 1, SRC, SUMMED(requests, -1),
	  .help = "Requests to the memory of this socket that the home logic took"),
	E("QHL_CYCLES_FULL", 0x21, 1, SRC, SUMMED(sources, -1),
	  .help = "Cycles in which a tracker of the home logic has no free entry"),
	E("QHL_CYCLES_NOT_EMPTY", 0x22, 1, SRC, SUMMED(sources, -1),
	  .help = "Cycles in which a tracker of the home logic holds at least one request"),
	E("QHL_OCCUPANCY", 0x23, 64, SRC, SUMMED(sources, -1), QUEUE,
	  .help = "Requests in a tracker of the home logic, added up each cycle"),
	E("QHL_ADDRESS_CONFLICTS", 0x24, 1, SRC,
	  .help = "Times that several requests for one address met in the home logic",
	  SUMMED_HERE(-1, U("2WAY", 0x02, "Two requests"), U("3WAY", 0x04, "Three requests"))),
	E("QHL_CONFLICT_CYCLES", 0x25, 1, SRC, SUMMED(sources, -1),
	  .help = "Cycles in which a tracker of the home logic holds requests that conflict"),
	E("QHL_TO_QMC_BYPASS", 0x26, 1, "likwid", PLAIN, .ctl = 0x0100,
	  .help = "Requests that reached the memory controller by a short cut around the home logic",
	  .disputed = "libpfm4 programs no unit mask, likwid 0x01: the latter is taken, because an empty mask selects nothing elsewhere on this PMU"),
	E("QHL_FRC_ACK_CNFLTS", 0x33, 1, SRC,
	  .help = "Conflicts that the home logic had to end with a forced acknowledge",
	  SUMMED_HERE(0, U("LOCAL", 0x04, "Requests of this socket"))),
	MATCH_EVENTS(SUMMED(sources, -1), "SDM 3B 18.17.2.3; likwid (Westmere)", NHM_MATCH),

	/* memory controller */
	E("QMC_NORMAL_FULL", 0x27, 1, SRC,
	  .help = "Cycles in which the queue of ordinary memory requests has no room",
	  SUMMED_HERE(-1, DIRECTIONS,
	  U("READ_ANY", 0x07,
	    "Reads of any channel",
	    .disputed = "Only likwid has this unit mask"))),
	E("QMC_ISOC_FULL", 0x28, 1, SRC, SUMMED(directions, -1),
	  .help = "Cycles in which the queue of isochronous memory requests has no room"),
	E("QMC_BUSY", 0x29, 1, SRC, SUMMED(directions, -1),
	  .help = "Cycles in which the memory controller works on at least one request"),
	E("QMC_OCCUPANCY", 0x2a, 64, SRC, SUMMED(channels, -1), QUEUE,
	  .help = "Ordinary reads in the memory controller, added up each cycle"),
	E("IMC_ISOC_OCCUPANCY", 0x2b, 64, SRC, SUMMED(any_channel, 3), QUEUE,
	  .alias = TEXTS("QMC_ISSOC_OCCUPANCY", "QMC_ISOC_OCCUPANCY", "QMC_ISSOC"),
	  .help = "Isochronous requests in the memory controller, added up each cycle"),
	E("QMC_NORMAL_READS", 0x2c, 1, SRC, SUMMED(any_channel, 3),
	  .help = "Lines read from memory with ordinary priority"),
	E("QMC_HIGH_PRIORITY_READS", 0x2d, 1, SRC, SUMMED(any_channel, 3),
	  .help = "Isochronous lines read from memory with high priority"),
	E("QMC_CRITICAL_PRIORITY_READS", 0x2e, 1, SRC, SUMMED(any_channel, 3),
	  .help = "Isochronous lines read from memory with critical priority"),
	E("QMC_WRITES", 0x2f, 1, SRC, SUMMED(writes, -1),
	  .help = "Writes to memory, of whole lines or of parts"),
	E("QMC_CANCEL", 0x30, 1, SRC, SUMMED(any_channel, 3),
	  .help = "Memory requests that were cancelled"),
	E("QMC_PRIORITY_UPDATES", 0x31, 1, SRC, SUMMED(any_channel, 3),
	  .help = "Memory requests whose priority was raised while they waited"),

	/* QPI */
	E("QPI_TX_STALLED_SINGLE_FLIT", 0x40, 1, SRC,
	  .help = "Cycles in which a message of one flit waits because QPI cannot send it",
	  SUMMED_HERE(-1,
	  U("HOME_LINK_0", 0x01, "Home messages, link 0"),
	  U("SNOOP_LINK_0", 0x02, "Snoops, link 0"),
	  U("NDR_LINK_0", 0x04, "Responses without data, link 0"),
	  U("HOME_LINK_1", 0x08, "Home messages, link 1"),
	  U("SNOOP_LINK_1", 0x10, "Snoops, link 1"),
	  U("NDR_LINK_1", 0x20, "Responses without data, link 1"),
	  U("LINK_0", 0x07, "All messages of one flit, link 0"),
	  U("LINK_1", 0x38, "All messages of one flit, link 1"))),
	E("QPI_TX_STALLED_MULTI_FLIT", 0x41, 1, SRC,
	  .help = "Cycles in which a message of several flits waits because QPI cannot send it",
	  .note = "likwid's Nehalem list prints code 0x40, which is QPI_TX_STALLED_SINGLE_FLIT",
	  SUMMED_HERE(-1,
	  U("DRS_LINK_0", 0x01, "Data responses, link 0"),
	  U("NCB_LINK_0", 0x02, "Non-coherent bypass messages, link 0"),
	  U("NCS_LINK_0", 0x04, "Non-coherent standard messages, link 0"),
	  U("DRS_LINK_1", 0x08, "Data responses, link 1"),
	  U("NCB_LINK_1", 0x10, "Non-coherent bypass messages, link 1"),
	  U("NCS_LINK_1", 0x20, "Non-coherent standard messages, link 1"),
	  U("LINK_0", 0x07, "All messages of several flits, link 0"),
	  U("LINK_1", 0x38, "All messages of several flits, link 1"))),
	E("QPI_TX_HEADER", 0x42, 1, SRC,
	  .help = "Cycles in which the buffer of outgoing QPI packet headers is in use",
	  SUMMED_HERE(-1,
	  U("BUSY_LINK_0", 0x02, "QPI link 0"),
	  U("BUSY_LINK_1", 0x08, "QPI link 1"))),
	E("QPI_RX_NO_PPT_CREDIT", 0x43, 1, SRC,
	  .help = "Cycles in which QPI cannot hand on snoops because the peer probe tracker gives no credit",
	  SUMMED_HERE(-1,
	  U("STALLS_LINK_0", 0x01, "QPI link 0"),
	  U("STALLS_LINK_1", 0x02, "QPI link 1"))),

	/* DRAM */
	E("DRAM_OPEN", 0x60, 1, SRC, SUMMED(channels, -1),
	  .help = "DRAM pages opened by an activate command"),
	E("DRAM_PAGE_CLOSE", 0x61, 1, SRC, SUMMED(channels, -1),
	  .help = "DRAM pages closed because nothing used them for some time"),
	E("DRAM_PAGE_MISS", 0x62, 1, SRC, SUMMED(channels, -1),
	  .help = "DRAM pages closed because an access needed another page of the bank"),
	E("DRAM_READ_CAS", 0x63, 1, SRC, SUMMED(cas, -1),
	  .help = "Read commands to the DRAM"),
	E("DRAM_WRITE_CAS", 0x64, 1, SRC, SUMMED(cas, -1),
	  .help = "Write commands to the DRAM"),
	E("DRAM_REFRESH", 0x65, 1, SRC, SUMMED(channels, -1),
	  .help = "Refresh commands to the DRAM"),
	E("DRAM_PRE_ALL", 0x66, 1, SRC, SUMMED(channels, -1),
	  .help = "Commands that close all pages of a DRAM rank"),
};

#define LIKWID_ONLY   .disputed = "Only likwid has this unit mask"

static const struct cat_umask westmere_cores[] = {
	U("CORE_0", 0x01, "In core 0"),
	U("CORE_1", 0x02, "In core 1"),
	U("CORE_2", 0x04, "In core 2"),
	U("CORE_3", 0x08, "In core 3"),
};

#define WESTMERE_SRC "libpfm4 intel_wsm_unc_events.h, likwid"
#define MASK_GUESSED(v) .ctl = (v) << 8, PLAIN, \
	.disputed = "libpfm4 programs no unit mask, likwid " #v ": the latter is taken, because " \
		"an empty mask selects nothing elsewhere on this PMU"
#define PRESET(opcode, how) \
	.values = VALUES(BIT(F_OPCODE) | BIT(F_SELECT), \
		 { [F_OPCODE] = (opcode), [F_SELECT] = (how) })

static const struct cat_event westmere_events[] = {
	E("GC_OCCUPANCY", 0x02, 64, WESTMERE_SRC, .alias = TEXTS("GQ_OCCUPANCY"), QUEUE,
	  .help = "Entries in the read tracker of the global queue, added up each cycle",
	  SUMMED_HERE(0, U("READ_TRACKER", 0x01, "Reads of cores"))),
	E("GQ_SNOOP", 0x0c, 1, "likwid",
	  .help = "Snoops that the global queue sent to cores for a line that changes its state",
	  .disputed = "Only likwid lists this event",
	  SUMMED_HERE(-1,
	  U("GOTO_S", 0x01, "The line becomes shared"),
	  U("GOTO_I", 0x02, "The line is invalidated"))),
	E("QMC_OCCUPANCY", 0x2a, 64, WESTMERE_SRC, QUEUE, SUMMED_HERE(-1, CHANNELS, ANY_CHANNEL(LIKWID_ONLY)),
	  .help = "Ordinary reads in the memory controller, added up each cycle"),
	E("IMC_RETRY", 0x32, 1, WESTMERE_SRC, SUMMED(any_channel, 3),
	  .help = "Memory requests that had to be tried again"),
	E("QHL_FRC_ACK_CNFLTS", 0x33, 1, WESTMERE_SRC,
	  .help = "Conflicts that the home logic had to end with a forced acknowledge",
	  SUMMED_HERE(-1,
	  U("IOH", 0x01, "Requests of the I/O hub", LIKWID_ONLY),
	  U("REMOTE", 0x02, "Requests of the other socket", LIKWID_ONLY),
	  U("LOCAL", 0x04, "Requests of this socket"),
	  U("ANY", 0x07, "Requests of all three", LIKWID_ONLY))),
	E("QHL_SLEEPS", 0x34, 1, WESTMERE_SRC,
	  .help = "Requests that the home logic put to sleep",
	  SUMMED_HERE(-1,
	  U("IOH_ORDER", 0x01, "I/O hub, to keep the order"),
	  U("REMOTE_ORDER", 0x02, "Other socket, to keep the order"),
	  U("LOCAL_ORDER", 0x04, "This socket, to keep the order"),
	  U("IOH_CONFLICT", 0x08, "I/O hub, because of a conflict"),
	  U("REMOTE_CONFLICT", 0x10, "Other socket, because of a conflict"),
	  U("LOCAL_CONFLICT", 0x20, "This socket, because of a conflict"))),
	MATCH_EVENTS(SUMMED(sources, -1), "SDM 3B 18.17.2.3; likwid",),
	E("ADDR_OPCODE_MATCH_RSPFWDS", 0x35, 1, "likwid; SDM 3B 18.17.2.3", SUMMED(sources, -1),
	  .selector = &match_opcode, PRESET(0x1a, MATCH_OPCODE),
	  .help = "Snoop responses RspFwdS: the line was forwarded to the requester and kept as shared"),
	E("ADDR_OPCODE_MATCH_RSPIWB", 0x35, 1, "likwid; SDM 3B 18.17.2.3", SUMMED(sources, -1),
	  .selector = &match_opcode, PRESET(0x1d, MATCH_OPCODE),
	  .help = "Snoop responses RspIWb: the line was modified, is written back and given up"),
	E("QPI_TX_HEADER", 0x42, 1, WESTMERE_SRC,
	  .help = "Cycles in which the buffer of outgoing QPI packet headers is in use or full",
	  SUMMED_HERE(-1,
	  U("FULL_LINK_0", 0x01, "Link 0, no room left", LIKWID_ONLY),
	  U("BUSY_LINK_0", 0x02, "Link 0, in use"),
	  U("FULL_LINK_1", 0x04, "Link 1, no room left", LIKWID_ONLY),
	  U("BUSY_LINK_1", 0x08, "Link 1, in use"))),
	E("DRAM_THERMAL_THROTTLED", 0x67, 1, "likwid", MASK_GUESSED(0x01),
	  .help = "Cycles in which DRAM accesses are held back because of the temperature"),
	E("THERMAL_THROTTLING_TEMP", 0x80, 1, WESTMERE_SRC, SUMMED(westmere_cores, -1),
	  .help = "Cycles in which a core is above the temperature at which it is slowed down"),
	E("THERMAL_THROTTLED_TEMP", 0x81, 1, WESTMERE_SRC, SUMMED(westmere_cores, -1),
	  .help = "Cycles in which a core runs slower because of its temperature"),
	E("PROCHOT_ASSERTION", 0x82, 1, "likwid", MASK_GUESSED(0x01),
	  .help = "Times that the board asserted PROCHOT, the pin that asks the socket to slow down"),
	E("THERMAL_THROTTLING_PROCHOT", 0x83, 1, WESTMERE_SRC, SUMMED(westmere_cores, -1),
	  .help = "Cycles in which a core runs slower because PROCHOT is asserted"),
	E("TURBO_MODE", 0x84, 1, WESTMERE_SRC, SUMMED(westmere_cores, -1),
	  .help = "Cycles in which a core runs above its base frequency"),
	E("CYCLES_UNHALTED_L3_FLL_ENABLE", 0x85, 1, "likwid", MASK_GUESSED(0x02),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is on"),
	E("CYCLES_UNHALTED_L3_FLL_DISABLE", 0x86, 1, "likwid", MASK_GUESSED(0x01),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is off"),
};

static const char *const westmere_absent[] = { "QMC_NORMAL_FULL", NULL };

/* max_hz: the fastest stock uncore runs at 2.66 GHz, but people overclock these parts. */
#define UNCORE \
	.name = "uncore", .letter = "", \
	.title = "Uncore: global queue, L3 cache, QPI home logic and memory controller", \
	.space = SPACE_MSR, .n_counters = 8, .width = 48, .has_fixed = true, .fixed_box_bit = 32, \
	.fixed_enable = BIT(0), \
	.event = { 7, 0 }, .umask = { 15, 8 }, .threshold = { 31, 24 }, .edge = { 18, 18 }, \
	.invert = { 23, 23 }, \
	.enable = { 22, 22 }, .occ_reset = { 17, 17 }, \
	UNITS_HERE({ .base = { 0 } }), ROWS, \
	.clock = "uncore/CLK_UNHALTED", .max_hz = 4000000000, \
	.source = "SDM 3B 18.17.2"

const struct cat_box nehalem_uncore = { UNCORE };
const struct cat_box westmere_uncore = { UNCORE, EXTRA(westmere_events),
					 .absent = westmere_absent };
