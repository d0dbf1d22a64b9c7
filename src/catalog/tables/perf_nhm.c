/* SPDX-License-Identifier: MIT
 * Nehalem, Westmere, Xeon 7500 and E7 where the kernel's driver owns the counters.
 * The metrics are those of nehalem_metrics.c and nehalem_ex_metrics.c, as far as the driver's terms
 * reach.
 */
#include "catalog/tables/perf_tables.h"

#define LINES(name_, event_, source_, text_) \
	M(name_, "bytes", SOCKET, source_, SUM(IN(event_)), .scale = 64, .help = text_)

/* ------------------------------------------------------------------ Nehalem, Westmere */

#define SNB_C "Linux arch/x86/events/intel/uncore_snb.c "
#define UNCORE(event_) "perf/uncore/" event_ "/"
#define UNCORE_EVENT(event_) P(UNCORE(event_), SNB_C "nhm_uncore_events", .max_inc = 1)
#define QHL "likwid MEM group, pcm, " SNB_C "nhm_uncore_events"
#define QMC "SDM 3B 19 UNC_QMC_NORMAL_READS.ANY, UNC_QMC_WRITES.FULL.ANY; likwid MEM group"

#define NO_USE BUS_USE("the clock of the uncore, the only one that is counted,")

/* By numbers: the driver's names of these two set bit 3 of the unit mask as well, which no manual
 * gives to reads, and which adds partial writes of channel 0 to the writes of whole lines (libpfm4,
 * likwid). */
#define NORMAL_READS UNCORE("event=0x2c,umask=0x07,name=qmc_normal_reads_any")
#define FULL_WRITES  UNCORE("event=0x2f,umask=0x07,name=qmc_writes_full_any")

const struct cat_perf cat_perf_nhm = {
	.name = "nhm", .title = "Intel Core i7, Xeon 3400 to 5600 (Nehalem, Westmere)",
	.vendor = INTEL,
	IDS({ 6, 26, 26, 0 }, { 6, 30, 31, 0 }, { 6, 37, 37, 0 }, { 6, 44, 44, 0 }),
	.max_hz = 4000000000,
	PMUS({ "uncore", 8, SNB_C "nhm_uncore: 8 and a fixed one" }),
	EVENTS(
		P(UNCORE("clockticks"), SNB_C "nhm_uncore_events", .clock = true),
		P(NORMAL_READS, QMC, .max_inc = 1), P(FULL_WRITES, QMC, .max_inc = 1),
		UNCORE_EVENT("qhl_request_remote_reads"), UNCORE_EVENT("qhl_request_remote_writes"),
		UNCORE_EVENT("qhl_request_ioh_reads"), UNCORE_EVENT("qhl_request_ioh_writes")),
	GROUPS(
		G("memory",
		  TEXTS(UNCORE("clockticks"), NORMAL_READS, FULL_WRITES, UNCORE("qhl_request_remote_reads"),
		    UNCORE("qhl_request_remote_writes"), UNCORE("qhl_request_ioh_reads"),
		    UNCORE("qhl_request_ioh_writes")),
		  .help = "Bytes read from memory and written to it, and what of it the other socket and devices ask for")),
	METRICS(
		M("clock_hertz", "hertz", SOCKET, "SDM 3B 18.17.2", SUM(IN(UNCORE("clockticks"))),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the uncore clock"),
		LINES("memory_read_bytes_total", NORMAL_READS, QMC,
		  "Bytes read from memory: 64 for each ordinary read; isochronous reads are not among them"),
		LINES("memory_write_bytes_total", FULL_WRITES, QMC,
		  "Bytes written to memory: 64 for each whole line; partial writes are not among them"),
		LINES("remote_read_bytes_total", UNCORE("qhl_request_remote_reads"), QHL,
		  "Bytes of this socket's memory that the other socket read: 64 for each request to the home logic"),
		LINES("remote_write_bytes_total", UNCORE("qhl_request_remote_writes"), QHL,
		  "Bytes of this socket's memory that the other socket wrote: 64 for each request to the home logic"),
		LINES("io_read_bytes_total", UNCORE("qhl_request_ioh_reads"), QHL,
		  "Bytes of this socket's memory that the I/O hub read: 64 for each request to the home logic"),
		LINES("io_write_bytes_total", UNCORE("qhl_request_ioh_writes"), QHL,
		  "Bytes of this socket's memory that the I/O hub wrote: 64 for each request to the home logic"),
		NO_MEMORY_USE(NO_USE, NO_USE, "SDM 3B 18.17.2: the uncore clock; 19: UNC_DRAM_READ_CAS")),
};

/* ------------------------------------------------------------------ Xeon 7500, Xeon E7 */

#define NHMEX_C "Linux arch/x86/events/intel/uncore_nhmex.c "
#define CLOCK     "perf/uncore_wbox/clockticks/"
#define IMT_VALID "perf/uncore_bbox/event=0x07,counter=0,name=imt_valid_occupancy/"
#define IMT_ALL   "perf/uncore_bbox/event=0x07,counter=1,name=imt_inserts_all/"
#define CONFLICTS "perf/uncore_bbox/event=0x17,counter=3,name=conflicts/"
#define HITS      "perf/uncore_cbox/event=0x15,umask=0x0f,name=llc_hits/"
#define MISSES    "perf/uncore_cbox/event=0x14,umask=0x07,name=llc_misses/"
#define RBOX(event_) "perf/uncore_rbox/" event_ "/"
#define CMD_READ  "perf/uncore_mbox/bbox_cmds_read/"
#define CMD_WRITE "perf/uncore_mbox/bbox_cmds_write/"

#define BUFFERED "the memory of a Xeon 7500 or E7 is behind buffers, and no public source says what the " \
		"link to them moves in a clock"

#define IMT_SRC "323535-001 2.4.4.2, 2.4.6"
#define IMT_ROW .scale = 32, .den = SUM(IN(IMT_ALL)), \
	GUARD(IN(CONFLICTS), IN(IMT_ALL), 0.05)

const struct cat_perf cat_perf_nhmex = {
	.name = "nhmex", .title = "Intel Xeon 7500 and E7 (Nehalem-EX, Westmere-EX)",
	.vendor = INTEL, IDS({ 6, 46, 46, 0 }, { 6, 47, 47, 0 }),
	.max_hz = 2670000000,
	PMUS(
		{ "uncore_wbox", 4, NHMEX_C "nhmex_uncore_wbox" },
		{ "uncore_bbox", 4, NHMEX_C "nhmex_uncore_bbox" },
		{ "uncore_cbox", 6, NHMEX_C "nhmex_uncore_cbox" },
		{ "uncore_mbox", 6, NHMEX_C "nhmex_uncore_mbox" },
		{ "uncore_rbox", 8, NHMEX_C "nhmex_uncore_rbox" },
		{ "uncore_sbox", 4, NHMEX_C "nhmex_uncore_sbox" },
		{ "uncore_ubox", 1, NHMEX_C "nhmex_uncore_ubox" }),
	EVENTS(
		P(CLOCK, NHMEX_C "nhmex_uncore_wbox_events", .clock = true),
		P(IMT_VALID, "323535-001 2.4.6; " NHMEX_C "nhmex_uncore_bbox_constraints", .counters = 0x1,
		  .max_inc = 1),
		P(IMT_ALL, "323535-001 2.4.6; " NHMEX_C "nhmex_uncore_bbox_constraints", .counters = 0x2, .max_inc = 1),
		P(CONFLICTS, "323535-001 2.4.6; " NHMEX_C "nhmex_uncore_bbox_constraints", .counters = 0x8,
		  .max_inc = 1),
		P(HITS, "323535-001 2.3.6", .max_inc = 1),
		P(MISSES, "323535-001 2.3.6", .max_inc = 1),
		P(CMD_READ, NHMEX_C "nhmex_uncore_mbox_events, wsmex_uncore_mbox_events", .max_inc = 1),
		P(CMD_WRITE, NHMEX_C "nhmex_uncore_mbox_events, wsmex_uncore_mbox_events", .max_inc = 1),
		P(RBOX("qpi0_idle_filt"), NHMEX_C "nhmex_uncore_rbox_events", .max_inc = 1),
		P(RBOX("qpi1_idle_filt"), NHMEX_C "nhmex_uncore_rbox_events", .max_inc = 1)),
	GROUPS(
		/* Commands of one kind at a time: the events share a field of ZDP_CTL_FVC. */
		G("traffic", TEXTS(CLOCK, IMT_VALID, IMT_ALL, CONFLICTS, CMD_READ),
		  .help = "Read commands of memory, and how long requests are in the home agent"),
		G("llc", TEXTS(HITS, MISSES), .help = "Look-ups of the last-level cache that hit, and that missed"),
		G("links", TEXTS(RBOX("qpi0_idle_filt"), RBOX("qpi1_idle_filt")),
		  .help = "Idle flits of the QPI links")),
	METRICS(
		M("clock_hertz", "hertz", SOCKET, "323535-001 2.8", SUM(IN(CLOCK)), .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the uncore clock"),
		M("imt_latency_cycles", "cycles", UNIT, IMT_SRC, SUM(IN(IMT_VALID)), IMT_ROW,
		  .help = "Mean uncore cycles that a request spends in the in-flight memory table; omitted while conflicts are more than 5 % of inserts"),
		M("imt_latency_seconds", "seconds", UNIT, IMT_SRC, SUM(IN(IMT_VALID)), IMT_ROW, .cycles_of = CLOCK,
		  .help = "Mean time that a request spends in the in-flight memory table; omitted while conflicts are more than 5 % of inserts"),
		M("memory_command_read_bytes_total", "bytes", UNIT, "323535-001 2.4.4.3, Tables 2-82, 2-89",
		  SUM(IN(CMD_READ)), .scale = 64,
		  .help = "Bytes of read commands to the memory controller: 64 each, InvItoE requests are among them"),
		M("memory_command_write_bytes_total", "bytes", UNIT, "323535-001 Tables 2-82, 2-89", SUM(IN(CMD_WRITE)),
		  .scale = 64,
		  .help = "Bytes of write commands to the memory controller: 64 each"),
		M("llc_socket_hit_ratio", "ratio", SOCKET, "323535-001 2.3.4.4, 2.3.6", SUM(IN(HITS)),
		  .den = SUM(IN(HITS), IN(MISSES)),
		  .help = "Share of look-ups in all slices of the last-level cache that hit"),
		NO_MEMORY_USE(BUFFERED, BUFFERED, "323535-001 2.5: the M-Box and its scalable memory interconnect")),
};
