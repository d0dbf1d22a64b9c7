/* westmere.c - Intel Xeon 3600, 5600 and Core i3/i5/i7 of 32 nm (Westmere): Nehalem's uncore and what differs.
 *
 * Owns:  the events that Nehalem lacks, counts otherwise or is not documented to have.
 * Never: registers: they are Nehalem's.
 * Pure data; any thread.
 */
#include "config.h"

#include "catalog/nehalem.h"

/* ------------------------------------------------------------------ unit masks */

#define U(n, v, text) { .name = n, .value = v, .help = text }
#define LIKWID_ONLY   .disputed = "Only likwid has this unit mask"

static const struct cat_umask read_tracker[] = {
	U("READ_TRACKER", 0x01, "Reads of cores"),
};

static const struct cat_umask gq_snoop[] = {
	U("GOTO_S", 0x01, "The line becomes shared"), U("GOTO_I", 0x02, "The line is invalidated"),
};

static const struct cat_umask sources[] = {
	U("IOH", 0x01, "Requests of the I/O hub"), U("REMOTE", 0x02, "Requests of the other socket"),
	U("LOCAL", 0x04, "Requests of this socket"),
};

static const struct cat_umask forced[] = {
	{ .name = "IOH", .value = 0x01, .help = "Requests of the I/O hub", LIKWID_ONLY },
	{ .name = "REMOTE", .value = 0x02, .help = "Requests of the other socket", LIKWID_ONLY },
	U("LOCAL", 0x04, "Requests of this socket"),
	{ .name = "ANY", .value = 0x07, .help = "Requests of all three", LIKWID_ONLY },
};

static const struct cat_umask sleeps[] = {
	U("IOH_ORDER", 0x01, "I/O hub, to keep the order"), U("REMOTE_ORDER", 0x02, "Other socket, to keep the order"),
	U("LOCAL_ORDER", 0x04, "This socket, to keep the order"),
	U("IOH_CONFLICT", 0x08, "I/O hub, because of a conflict"),
	U("REMOTE_CONFLICT", 0x10, "Other socket, because of a conflict"),
	U("LOCAL_CONFLICT", 0x20, "This socket, because of a conflict"),
};

static const struct cat_umask occupancy[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
	{ .name = "ANY", .value = 0x07, .help = "All three channels", LIKWID_ONLY },
};

static const struct cat_umask retries[] = {
	U("CH0", 0x01, "Channel 0"), U("CH1", 0x02, "Channel 1"), U("CH2", 0x04, "Channel 2"),
	U("ANY", 0x07, "All three channels"),
};

static const struct cat_umask header[] = {
	{ .name = "FULL_LINK_0", .value = 0x01, .help = "Link 0, no room left", LIKWID_ONLY },
	U("BUSY_LINK_0", 0x02, "Link 0, in use"),
	{ .name = "FULL_LINK_1", .value = 0x04, .help = "Link 1, no room left", LIKWID_ONLY },
	U("BUSY_LINK_1", 0x08, "Link 1, in use"),
};

static const struct cat_umask cores[] = {
	U("CORE_0", 0x01, "In core 0"), U("CORE_1", 0x02, "In core 1"), U("CORE_2", 0x04, "In core 2"), U("CORE_3", 0x08, "In core 3"),
};

/* ------------------------------------------------------------------ events */

#define SRC    "libpfm4 intel_wsm_unc_events.h, likwid"
#define MASKS(list, default_) \
	.combine = CAT_UMASK_BITS, .adds = CAT_ADDS, .dflt = (default_), .n_umasks = COUNT(list), .umasks = (list)
#define QUEUE  .occupancy = true, .note = "Divided by cycles: the mean number of entries. No source states how " \
	"many there can be; 64 is the bound that a reset is told by"
#define MASK_GUESSED(v) .ctl = (v) << 8, .dflt = -1, .source = "likwid", \
	.disputed = "libpfm4 programs no unit mask, likwid " #v ": the latter is taken, because an empty mask selects " \
		"nothing elsewhere on this PMU"
#define PRESET(opcode, how) \
	.set = SET(BIT(NEHALEM_T_OPCODE) | BIT(NEHALEM_T_SELECT), \
		 { [NEHALEM_T_OPCODE] = (opcode), [NEHALEM_T_SELECT] = (how) })

static const struct cat_event extra[] = {
	{ .name = "GC_OCCUPANCY", .code = 0x02, .max_inc = 64, MASKS(read_tracker, 0), .alias = TEXTS("GQ_OCCUPANCY"),
	  .source = SRC, QUEUE,
	  .help = "Entries in the read tracker of the global queue, added up each cycle" },
	{ .name = "GQ_SNOOP", .code = 0x0c, .max_inc = 1, MASKS(gq_snoop, -1), .source = "likwid",
	  .disputed = "Only likwid lists this event",
	  .help = "Snoops that the global queue sent to cores for a line that changes its state" },
	{ .name = "QMC_OCCUPANCY", .code = 0x2a, .max_inc = 64, MASKS(occupancy, -1), .source = SRC, QUEUE,
	  .help = "Ordinary reads in the memory controller, added up each cycle" },
	{ .name = "IMC_RETRY", .code = 0x32, .max_inc = 1, MASKS(retries, 3), .source = SRC,
	  .help = "Memory requests that had to be tried again" },
	{ .name = "QHL_FRC_ACK_CNFLTS", .code = 0x33, .max_inc = 1, MASKS(forced, -1), .source = SRC,
	  .help = "Conflicts that the home logic had to end with a forced acknowledge" },
	{ .name = "QHL_SLEEPS", .code = 0x34, .max_inc = 1, MASKS(sleeps, -1), .source = SRC,
	  .help = "Requests that the home logic put to sleep" },
	NEHALEM_MATCH_EVENTS(MASKS(sources, -1), .source = "SDM 3B 18.17.2.3; likwid",),
	{ .name = "ADDR_OPCODE_MATCH_RSPFWDS", .code = 0x35, .max_inc = 1, MASKS(sources, -1),
	  .route = &nehalem_match_opcode, PRESET(0x1a, NEHALEM_MATCH_OPCODE), .source = "likwid; SDM 3B 18.17.2.3",
	  .help = "Snoop responses RspFwdS: the line was forwarded to the requester and kept as shared" },
	{ .name = "ADDR_OPCODE_MATCH_RSPIWB", .code = 0x35, .max_inc = 1, MASKS(sources, -1),
	  .route = &nehalem_match_opcode, PRESET(0x1d, NEHALEM_MATCH_OPCODE), .source = "likwid; SDM 3B 18.17.2.3",
	  .help = "Snoop responses RspIWb: the line was modified, is written back and given up" },
	{ .name = "QPI_TX_HEADER", .code = 0x42, .max_inc = 1, MASKS(header, -1), .source = SRC,
	  .help = "Cycles in which the buffer of outgoing QPI packet headers is in use or full" },
	{ .name = "DRAM_THERMAL_THROTTLED", .code = 0x67, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Cycles in which DRAM accesses are held back because of the temperature" },
	{ .name = "THERMAL_THROTTLING_TEMP", .code = 0x80, .max_inc = 1, MASKS(cores, -1), .source = SRC,
	  .help = "Cycles in which a core is above the temperature at which it is slowed down" },
	{ .name = "THERMAL_THROTTLED_TEMP", .code = 0x81, .max_inc = 1, MASKS(cores, -1), .source = SRC,
	  .help = "Cycles in which a core runs slower because of its temperature" },
	{ .name = "PROCHOT_ASSERTION", .code = 0x82, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Times that the board asserted PROCHOT, the pin that asks the socket to slow down" },
	{ .name = "THERMAL_THROTTLING_PROCHOT", .code = 0x83, .max_inc = 1, MASKS(cores, -1), .source = SRC,
	  .help = "Cycles in which a core runs slower because PROCHOT is asserted" },
	{ .name = "TURBO_MODE", .code = 0x84, .max_inc = 1, MASKS(cores, -1), .source = SRC,
	  .help = "Cycles in which a core runs above its base frequency" },
	{ .name = "CYCLES_UNHALTED_L3_FLL_ENABLE", .code = 0x85, .max_inc = 1, MASK_GUESSED(0x02),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is on" },
	{ .name = "CYCLES_UNHALTED_L3_FLL_DISABLE", .code = 0x86, .max_inc = 1, MASK_GUESSED(0x01),
	  .help = "Cycles of the uncore while at least one core runs and the L3 frequency loop is off" },
};

static const char *const absent[] = { "QMC_NORMAL_FULL", NULL };

/* ------------------------------------------------------------------ derived metrics, Nehalem's first */

#define EV(event) { .spec = "uncore/" event }
#define CLOCK     EV("CLK_UNHALTED")
#define OF_CLOCK  .cycles_of = "uncore/CLK_UNHALTED"
#define COUNTED(name_, event, source_, text) \
	{ .name = name_, .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 64, .num = SUM(EV(event)), .source = source_, \
	  .help = text }
#define HITS(name_, mask, text) \
	{ .name = name_, .unit = CAT_RATIO, .per = CAT_PER_SOCKET, .num = SUM(EV("LLC_HITS:" mask)), \
	  .den = SUM(EV("LLC_HITS:" mask), EV("LLC_MISS:" mask)), .source = "likwid L3CACHE group", .help = text }
#define MISSES(name_, mask, text) \
	{ .name = name_, .unit = CAT_RATIO, .per = CAT_PER_SOCKET, .num = SUM(EV("LLC_MISS:" mask)), \
	  .den = SUM(EV("LLC_HITS:" mask), EV("LLC_MISS:" mask)), .source = "likwid L3CACHE group", .help = text }
/* A tracker: what it holds, and how long an entry stays in it. */
#define TRACKER_SRC "SDM 3B 18.17.2.2 (occupancy events)"
#define HELD(class, occupied, what) \
	{ .name = class "_occupancy_entries", .unit = CAT_OTHER_UNIT, .per = CAT_PER_SOCKET, .num = SUM(EV(occupied)), \
	  .den = SUM(CLOCK), .source = TRACKER_SRC, .help = "Mean number of " what }
#define LATENCY(class, occupied, what, ...) \
	{ .name = class "_latency_cycles", .unit = CAT_CYCLES, .per = CAT_PER_SOCKET, .num = SUM(EV(occupied)), \
	  .den = SUM(__VA_ARGS__), .source = TRACKER_SRC, .help = "Mean uncore cycles that " what }, \
	{ .name = class "_latency_seconds", .unit = CAT_SECONDS, .per = CAT_PER_SOCKET, .num = SUM(EV(occupied)), \
	  .den = SUM(__VA_ARGS__), OF_CLOCK, .source = TRACKER_SRC, .help = "Mean time that " what }

const struct cat_metric westmere_metrics[] = {
	{ .name = "clock_hertz", .unit = CAT_HERTZ, .per = CAT_PER_SOCKET,
	  .num = SUM(CLOCK), .den = SUM({ .spec = "seconds" }), .source = "SDM 3B 18.17.2",
	  .help = "Frequency of the uncore clock" },

	COUNTED("memory_read_bytes_total", "QMC_NORMAL_READS:ANY", "likwid MEM group, PCM",
		"Bytes read from memory: 64 for each ordinary read; isochronous reads are not among them"),
	COUNTED("memory_write_bytes_total", "QMC_WRITES:FULL_ANY", "likwid MEM group, PCM",
		"Bytes written to memory: 64 for each whole line; partial writes are not among them"),
	{ .name = "memory_partial_writes_total", .unit = CAT_COUNT, .per = CAT_PER_SOCKET,
	  .num = SUM(EV("QMC_WRITES:PARTIAL_ANY")), .source = "libpfm4, likwid",
	  .help = "Writes to memory of less than a line; each makes the controller read the line first" },

	COUNTED("local_read_bytes_total", "QHL_REQUESTS:LOCAL_READS", "likwid MEM group, PCM",
		"Bytes that this socket read from its own memory: 64 for each request to the home logic"),
	COUNTED("local_write_bytes_total", "QHL_REQUESTS:LOCAL_WRITES", "likwid MEM group, PCM",
		"Bytes that this socket wrote to its own memory: 64 for each request to the home logic"),
	COUNTED("remote_read_bytes_total", "QHL_REQUESTS:REMOTE_READS", "likwid MEM group, PCM",
		"Bytes of this socket's memory that the other socket read: 64 for each request to the home logic"),
	COUNTED("remote_write_bytes_total", "QHL_REQUESTS:REMOTE_WRITES", "likwid MEM group, PCM",
		"Bytes of this socket's memory that the other socket wrote: 64 for each request to the home logic"),
	COUNTED("io_read_bytes_total", "QHL_REQUESTS:IOH_READS", "PCM",
		"Bytes of this socket's memory that the I/O hub read: 64 for each request to the home logic"),
	COUNTED("io_write_bytes_total", "QHL_REQUESTS:IOH_WRITES", "PCM",
		"Bytes of this socket's memory that the I/O hub wrote: 64 for each request to the home logic"),
	{ .name = "remote_read_ratio", .unit = CAT_RATIO, .per = CAT_PER_SOCKET,
	  .num = SUM(EV("QHL_REQUESTS:REMOTE_READS")),
	  .den = SUM(EV("QHL_REQUESTS:REMOTE_READS"), EV("QHL_REQUESTS:LOCAL_READS")), .source = "likwid MEM group",
	  .help = "Share of the sockets' reads of this socket's memory that came from the other socket" },

	HITS("llc_socket_hit_ratio", "ANY", "Share of the look-ups of cores in the L3 cache that hit"),
	MISSES("llc_socket_miss_ratio", "ANY", "Share of the look-ups of cores in the L3 cache that missed"),
	HITS("llc_read_hit_ratio", "READ", "Share of the reads of cores that hit the L3 cache"),

	HELD("home_local", "QHL_OCCUPANCY:LOCAL", "requests of this socket in the home logic"),
	LATENCY("home_local", "QHL_OCCUPANCY:LOCAL", "a request of this socket spends in the home logic",
		EV("QHL_REQUESTS:LOCAL_READS"), EV("QHL_REQUESTS:LOCAL_WRITES")),
	HELD("home_remote", "QHL_OCCUPANCY:REMOTE", "requests of the other socket in the home logic"),
	LATENCY("home_remote", "QHL_OCCUPANCY:REMOTE", "a request of the other socket spends in the home logic",
		EV("QHL_REQUESTS:REMOTE_READS"), EV("QHL_REQUESTS:REMOTE_WRITES")),
	HELD("home_io", "QHL_OCCUPANCY:IOH", "requests of the I/O hub in the home logic"),
	LATENCY("home_io", "QHL_OCCUPANCY:IOH", "a request of the I/O hub spends in the home logic",
		EV("QHL_REQUESTS:IOH_READS"), EV("QHL_REQUESTS:IOH_WRITES")),

	{ .name = "page_miss_ratio", .unit = CAT_RATIO, .per = CAT_PER_SOCKET,
	  .num = SUM(EV("DRAM_PAGE_MISS:CH0:CH1:CH2")),
	  .den = SUM(EV("DRAM_READ_CAS:CH0:AUTOPRE_CH0:CH1:AUTOPRE_CH1:CH2:AUTOPRE_CH2"),
		     EV("DRAM_WRITE_CAS:CH0:AUTOPRE_CH0:CH1:AUTOPRE_CH1:CH2:AUTOPRE_CH2")),
	  .source = "libpfm4, likwid", .help = "DRAM pages that had to be closed for another, per read or write command" },
	{ .name = "gq_read_busy_ratio", .unit = CAT_RATIO, .per = CAT_PER_SOCKET,
	  .num = SUM(EV("GQ_CYCLES_NOT_EMPTY:READ_TRACKER")), .den = SUM(CLOCK), .source = "libpfm4, likwid",
	  .help = "Share of uncore cycles in which the read tracker of the global queue holds a request" },

	/* Westmere alone */
	HELD("gq_read", "GC_OCCUPANCY:READ_TRACKER", "reads of cores in the global queue"),
	LATENCY("gq_read", "GC_OCCUPANCY:READ_TRACKER", "a read of a core spends in the global queue",
		EV("GQ_ALLOC:READ_TRACKER")),
};

/* ------------------------------------------------------------------ processor */

static const struct cat_box boxes[] = {
	{ NEHALEM_BOX(.extra = extra, .n_extra = COUNT(extra), .absent = absent) },
};

static const struct cat_id ids[] = {
	{ 6, 0x25 }, { 6, 0x2c },
};

const struct cat_processor cat_westmere = {
	.name = "westmere",
	.title = "Intel Core i3, i5, i7 and Xeon 3600, 5600 (Westmere)",
	.ids = ids, .n_ids = COUNT(ids),
	.cores = 6,
	.ratio = { .device = 0, .function = 0, .off = 0xc0 },      /* SDM 3B 18.17.2, p 18-81 */
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = westmere_metrics, .n_metrics = WESTMERE_METRICS,
	.groups = nehalem_groups, .n_groups = NEHALEM_GROUPS,
	.source = "SDM 3B 18.17.2, Table 35-14",
};
