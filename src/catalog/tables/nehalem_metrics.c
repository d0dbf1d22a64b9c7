/* SPDX-License-Identifier: MIT
 * Derived metrics of Nehalem and Westmere.
 * Owns:  the formulas: those of both, then those whose events only Westmere has.
 * Never: how they are evaluated (derive/).
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem.h"

#define EV(event) { .spec = "uncore/" event }
#define CLOCK     EV("CLK_UNHALTED")
#define OF_CLOCK  .cycles_of = "uncore/CLK_UNHALTED"
#define LINES(name_, event, source_, text) \
	M(name_, "bytes", SOCKET, source_, SUM(EV(event)), .scale = 64, .help = text)
#define HITS(name_, mask, text) \
	M(name_, "ratio", SOCKET, "likwid L3CACHE group", SUM(EV("LLC_HITS:" mask)), \
	  .den = SUM(EV("LLC_HITS:" mask), EV("LLC_MISS:" mask)), .help = text)
#define MISSES(name_, mask, text) \
	M(name_, "ratio", SOCKET, "likwid L3CACHE group", SUM(EV("LLC_MISS:" mask)), \
	  .den = SUM(EV("LLC_HITS:" mask), EV("LLC_MISS:" mask)), .help = text)
/* A tracker: what it holds, and how long an entry stays in it. */
#define TRACKER_SRC "SDM 3B 18.17.2.2 (occupancy events)"
#define HELD(class, occupied, what) \
	M(class "_occupancy_entries", "entries", SOCKET, TRACKER_SRC, SUM(EV(occupied)), .den = SUM(CLOCK), \
	  .help = "Mean number of " what)
#define LATENCY(class, occupied, what, ...) \
	M(class "_latency_cycles", "cycles", SOCKET, TRACKER_SRC, SUM(EV(occupied)), .den = SUM(__VA_ARGS__), \
	  .help = "Mean uncore cycles that " what), \
	M(class "_latency_seconds", "seconds", SOCKET, TRACKER_SRC, SUM(EV(occupied)), .den = SUM(__VA_ARGS__), \
	  OF_CLOCK, \
	  .help = "Mean time that " what)

static const struct cat_metric rows[] = {
	M("clock_hertz", "hertz", SOCKET, "SDM 3B 18.17.2", SUM(CLOCK), .den = SUM({ .spec = "seconds" }),
	  .help = "Frequency of the uncore clock"),

	LINES("memory_read_bytes_total", "QMC_NORMAL_READS:ANY", "likwid MEM group, PCM",
	  "Bytes read from memory: 64 for each ordinary read; isochronous reads are not among them"),
	LINES("memory_write_bytes_total", "QMC_WRITES:FULL_ANY", "likwid MEM group, PCM",
	  "Bytes written to memory: 64 for each whole line; partial writes are not among them"),
	M("memory_partial_writes_total", "writes", SOCKET, "libpfm4, likwid", SUM(EV("QMC_WRITES:PARTIAL_ANY")),
	  .help = "Writes to memory of less than a line; each makes the controller read the line first"),

	LINES("local_read_bytes_total", "QHL_REQUESTS:LOCAL_READS", "likwid MEM group, PCM",
	  "Bytes that this socket read from its own memory: 64 for each request to the home logic"),
	LINES("local_write_bytes_total", "QHL_REQUESTS:LOCAL_WRITES", "likwid MEM group, PCM",
	  "Bytes that this socket wrote to its own memory: 64 for each request to the home logic"),
	LINES("remote_read_bytes_total", "QHL_REQUESTS:REMOTE_READS", "likwid MEM group, PCM",
	  "Bytes of this socket's memory that the other socket read: 64 for each request to the home logic"),
	LINES("remote_write_bytes_total", "QHL_REQUESTS:REMOTE_WRITES", "likwid MEM group, PCM",
	  "Bytes of this socket's memory that the other socket wrote: 64 for each request to the home logic"),
	LINES("io_read_bytes_total", "QHL_REQUESTS:IOH_READS", "PCM",
	  "Bytes of this socket's memory that the I/O hub read: 64 for each request to the home logic"),
	LINES("io_write_bytes_total", "QHL_REQUESTS:IOH_WRITES", "PCM",
	  "Bytes of this socket's memory that the I/O hub wrote: 64 for each request to the home logic"),
	M("remote_read_ratio", "ratio", SOCKET, "likwid MEM group", SUM(EV("QHL_REQUESTS:REMOTE_READS")),
	  .den = SUM(EV("QHL_REQUESTS:REMOTE_READS"), EV("QHL_REQUESTS:LOCAL_READS")),
	  .help = "Share of the sockets' reads of this socket's memory that came from the other socket"),

	HITS("llc_socket_hit_ratio", "ANY",
	  "Share of the look-ups of cores in the L3 cache that hit"),
	MISSES("llc_socket_miss_ratio", "ANY",
	  "Share of the look-ups of cores in the L3 cache that missed"),
	HITS("llc_read_hit_ratio", "READ", "Share of the reads of cores that hit the L3 cache"),

	HELD("home_local", "QHL_OCCUPANCY:LOCAL", "requests of this socket in the home logic"),
	LATENCY("home_local", "QHL_OCCUPANCY:LOCAL",
	  "a request of this socket spends in the home logic",
	  EV("QHL_REQUESTS:LOCAL_READS"), EV("QHL_REQUESTS:LOCAL_WRITES")),
	HELD("home_remote", "QHL_OCCUPANCY:REMOTE",
	  "requests of the other socket in the home logic"),
	LATENCY("home_remote", "QHL_OCCUPANCY:REMOTE",
	  "a request of the other socket spends in the home logic",
	  EV("QHL_REQUESTS:REMOTE_READS"), EV("QHL_REQUESTS:REMOTE_WRITES")),
	HELD("home_io", "QHL_OCCUPANCY:IOH", "requests of the I/O hub in the home logic"),
	LATENCY("home_io", "QHL_OCCUPANCY:IOH",
	  "a request of the I/O hub spends in the home logic",
	  EV("QHL_REQUESTS:IOH_READS"), EV("QHL_REQUESTS:IOH_WRITES")),

	M("page_miss_ratio", "ratio", SOCKET, "libpfm4, likwid", SUM(EV("DRAM_PAGE_MISS:CH0:CH1:CH2")),
	  .den = SUM(EV("DRAM_READ_CAS:CH0:AUTOPRE_CH0:CH1:AUTOPRE_CH1:CH2:AUTOPRE_CH2"),
	  EV("DRAM_WRITE_CAS:CH0:AUTOPRE_CH0:CH1:AUTOPRE_CH1:CH2:AUTOPRE_CH2")),
	  .help = "DRAM pages that had to be closed for another, per read or write command"),
	M("gq_read_busy_ratio", "ratio", SOCKET, "libpfm4, likwid", SUM(EV("GQ_CYCLES_NOT_EMPTY:READ_TRACKER")),
	  .den = SUM(CLOCK),
	  .help = "Share of uncore cycles in which the read tracker of the global queue holds a request"),

	/* Westmere alone: WESTMERE_ALONE rows */
	HELD("gq_read", "GC_OCCUPANCY:READ_TRACKER", "reads of cores in the global queue"),
	LATENCY("gq_read", "GC_OCCUPANCY:READ_TRACKER",
	  "a read of a core spends in the global queue",
	  EV("GQ_ALLOC:READ_TRACKER")),
};

enum { WESTMERE_ALONE = 3 };

const struct cat_metrics nehalem_metrics = { rows, COUNT(rows) - WESTMERE_ALONE };
const struct cat_metrics westmere_metrics = { rows, COUNT(rows) };
