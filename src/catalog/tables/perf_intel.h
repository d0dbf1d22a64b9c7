/* SPDX-License-Identifier: MIT
 * Rows that several generations of Intel servers have in common; private to the
 * room.
 *
 * The events behind them differ and are the tables' own. Bytes of a link: nine counted data flits
 * carry a line of 64 bytes on UPI, one carries 8 on QPI (perfmon's metrics upi_data_transmit_bw and
 * qpi_data_transmit_bw).
 *
 * Generations name their PMUs alike, so model numbers decide and each code has its source: Sapphire
 * Rapids counts its clock as event 1, Skylake and Ice Lake as 0; QPI's clock runs twice as fast on
 * Haswell-EP; only the first of the four generations with QPI has names for its events in sysfs.
 */
#ifndef CATALOG_TABLES_PERF_INTEL_H
#define CATALOG_TABLES_PERF_INTEL_H

#include "catalog/tables/perf_tables.h"

#define SNBEP_C "Linux arch/x86/events/intel/uncore_snbep.c "

#define DISCOVERY "the number of counters is in the units' discovery table (uncore_discovery.c)"

#define CAS_READ  "perf/uncore_imc/cas_count_read/"
#define CAS_WRITE "perf/uncore_imc/cas_count_write/"
/* As Intel publishes them. */
#define PUBLISHED_READ  .published = "CAS_COUNT.RD"
#define PUBLISHED_WRITE .published = "CAS_COUNT.WR"
#define PUBLISHED_CLOCK .published = "CLOCKTICKS"
/* each_: what a count is: SCALED by the kernel, whose names of these events are older than their
 * .scale (Linux 3.13); .scale = 64 where the event is given by numbers */
#define SCALED .scaled = true, .unscaled = 64
#define MEMORY_METRICS(each_, read_, write_) \
	M("memory_read_bytes_total", "bytes", SOCKET, "perfmon metric memory_bandwidth_read", SUM(read_), each_, \
	  .help = "Bytes that all DDR channels of the socket read, 64 for each read command; persistent and high-bandwidth memory are not among them"), \
	M("memory_write_bytes_total", "bytes", SOCKET, "perfmon metric memory_bandwidth_write", SUM(write_), each_, \
	  .help = "Bytes that all DDR channels of the socket wrote, 64 for each write command; persistent and high-bandwidth memory are not among them"), \
	KNEE_METRICS(SUM(read_), SUM(write_), each_)

/* The clock of a memory channel. Event 0 counts DCLK until Ice Lake, half the data rate. From
 * Sapphire Rapids on event 1 does with unit mask 1: with 0, which the kernel calls clockticks, it
 * counts HCLK, on an Emerald Rapids with 4400 MT/s 1.1 GHz and not 2.2. */
#define DCLK      "perf/uncore_imc/event=0x00,name=dclk/"
#define DCLK_MASK "perf/uncore_imc/event=0x01,umask=0x01,name=dclk/"
/* With two transfers of 8 bytes in a clock a line of 64 bytes takes 4 of them. Granite Rapids counts
 * a clock of a quarter of the data rate: 4 transfers, a line takes 2. */
#define HALF_RATE(cas_, clock_, most_, source_, ...) \
	CHANNEL_METRICS(SUM(cas_), IN(clock_), 4, 16, source_ "; DCLK is half the data rate, the bus 8 bytes wide", \
	  .clock_most = most_ __VA_OPT__(,) __VA_ARGS__)
#define QUARTER_RATE(cas_, clock_, most_, source_, ...) \
	CHANNEL_METRICS(SUM(cas_), IN(clock_), 2, 32, \
	  source_ "; DCLK is a quarter of the data rate, the bus 8 bytes wide", \
	  .clock_most = most_ __VA_OPT__(,) __VA_ARGS__)
/* Of the fastest memory, and one in a hundred. */
#define DDR_MOST(mega_transfers_, transfers_) (1.01e6 * mega_transfers_ / transfers_)
#define BOTH_CAS IN(CAS_READ), IN(CAS_WRITE)
#define USE_SPECS(clock_) TEXTS(CAS_READ, CAS_WRITE, clock_)
#define USE_GROUPS(clock_, ...) \
	G("memory_use", USE_SPECS(clock_), .metrics_only = true, .last = true __VA_OPT__(,) __VA_ARGS__, \
	  .help = "Share of what the memory channels can move that they move"), \
	G("channels", USE_SPECS(clock_), .metrics_only = true, .on_request = true, .metrics = CHANNEL_NAMES, \
	  .help = CHANNELS_HELP)

/* By unit: where a socket has several dies, each has its own. */
#define CLOCK_METRIC(clock_, source_) \
	M("clock_hertz", "hertz", UNIT, source_, SUM(IN(clock_)), .den = SUM(IN("seconds")), \
	  .help = "Measured frequency of the uncore clock")

/* ------------------------------------------------------------------ last-level cache */

/* reads_: what counts as a core's data read; generations differ in it, so HELP says which */
#define DEMAND_ALONE  "demand reads, without prefetches"
#define WITH_PREFETCH "demand reads and the prefetches of the cores"
#define LLC_MISS_METRICS(miss_, occupancy_, clock_, reads_, metric_) \
	M("llc_data_read_misses_total", "misses", SOCKET, "perfmon metric " metric_, SUM(IN(miss_)), \
	  .help = "Data reads of the socket's cores that missed the last-level cache, all its slices together: " reads_), \
	M("llc_data_read_miss_latency_seconds", "seconds", SOCKET, "perfmon metric " metric_, SUM(IN(occupancy_)), \
	  .den = SUM(IN(miss_)), .cycles_of = clock_, \
	  .help = "Mean time from a core's data read that missed the last-level cache until it was served: " reads_)
#define LLC_METRICS(hit_, miss_, occupancy_, clock_, reads_, metric_) \
	LLC_MISS_METRICS(miss_, occupancy_, clock_, reads_, metric_), \
	M("llc_data_reads_total", "reads", SOCKET, "perfmon metric " metric_ " and the hits beside the misses", \
	  SUM(IN(hit_), IN(miss_)), \
	  .help = "Data reads of the socket's cores that the last-level cache looked up, all its slices together: " reads_), \
	M("llc_data_read_miss_ratio", "ratio", SOCKET, "perfmon metric " metric_ " and the hits beside the misses", \
	  SUM(IN(miss_)), .den = SUM(IN(hit_), IN(miss_)), \
	  .help = "Share of the data reads of the socket's cores that missed the last-level cache: " reads_)

/* ------------------------------------------------------------------ the set numa */

/* What its groups and metrics say in perf_snbep.c and perf_published.tsv. */
#define HOME_HELP "Bytes of this socket's memory that its own units and other sockets asked for"
#define HOME_OF "64 for each request to the home agent"
#define HOME_LOCAL_READ_HELP   "Bytes of this socket's memory that its own units read: " HOME_OF
#define HOME_REMOTE_READ_HELP  "Bytes of this socket's memory that other sockets read: " HOME_OF
#define HOME_LOCAL_WRITE_HELP  "Bytes of this socket's memory that its own units wrote: " HOME_OF
#define HOME_REMOTE_WRITE_HELP "Bytes of this socket's memory that other sockets wrote: " HOME_OF
#define READS_HELP "Reads of the socket's cores that went to its own memory, and to another socket's"
#define LOCAL_READS_HELP \
	"Data reads and prefetches of the socket's cores that missed the last-level cache and went to its own memory"
#define REMOTE_READS_HELP \
	"Data reads and prefetches of the socket's cores that missed the last-level cache and went to another socket"
#define LOCAL_SHARE_HELP \
	"Share of the socket's data reads past the last-level cache, prefetches included, that went to its own memory"
#define REMOTE_SHARE_HELP \
	"Share of the socket's data reads past the last-level cache, prefetches included, that went to another socket"
#define LOCAL_LATENCY_HELP  "How long the cores' reads of their own socket's memory take"
#define REMOTE_LATENCY_HELP "How long the cores' reads of another socket's memory take"
/* DEMAND_ALONE or WITH_PREFETCH follows. */
#define LOCAL_LATENCY_OF \
	"Mean time from a core's data read past the last-level cache until memory of its socket served it: "
#define REMOTE_LATENCY_OF \
	"Mean time from a core's data read past the last-level cache until another socket's memory served it: "

/* ------------------------------------------------------------------ UPI */

#define UPI_CLOCK  "perf/uncore_upi/event=0x01,name=clockticks/"
#define UPI_SENT   "perf/uncore_upi/event=0x02,umask=0x0f,name=txl_flits_all_data/"
#define UPI_ACTIVE "perf/uncore_upi/event=0x02,umask=0x9f,name=txl_flits_active/"
#define UPI_GOT    "perf/uncore_upi/event=0x03,umask=0x0f,name=rxl_flits_all_data/"
#define UPI_EVENTS(perfmon_) \
	P(UPI_CLOCK, "perfmon " perfmon_ " UNC_UPI_CLOCKTICKS", .clock = true), \
	P(UPI_SENT, "perfmon " perfmon_ " UNC_UPI_TxL_FLITS.ALL_DATA"), \
	P(UPI_ACTIVE, "pcm cpucounters.cpp: TxL_FLITS.NON_DATA+ALL_DATA"), \
	P(UPI_GOT, "perfmon " perfmon_ " UNC_UPI_RxL_FLITS.ALL_DATA")
#define UPI_SPECS TEXTS(UPI_CLOCK, UPI_SENT, UPI_ACTIVE, UPI_GOT)
#define UPI_METRICS \
	M("link_sent_data_bytes_total", "bytes", UNIT, "perfmon metric upi_data_transmit_bw", SUM(IN(UPI_SENT)), \
	  .scale = 64.0 / 9, \
	  .disputed = "perfmon's Info_System_UPI_Data_Transmit_BW of SPR, SPR with HBM, EMR and GNR calls the bytes " \
	    "themselves a bandwidth: it divides them by no time", \
	  .help = "Bytes of data that the UPI link sent, headers not included: 64 for nine data flits"), \
	M("link_received_data_bytes_total", "bytes", UNIT, "perfmon metric upi_data_receive_bw", SUM(IN(UPI_GOT)), \
	  .scale = 64.0 / 9, \
	  .help = "Bytes of data that the UPI link received, headers not included: 64 for nine data flits"), \
	M("link_sent_utilization_ratio", "ratio", UNIT, \
	  "pcm cpucounters.h: three slots a flit, five flits in six link cycles", SUM(IN(UPI_ACTIVE)), .bounded = true, \
	  .den = SUM(TIMES(2.5, UPI_CLOCK)), \
	  .help = "Share of the UPI link's slots that it sent with data or protocol"), \
	M("link_clock_hertz", "hertz", UNIT, "perfmon SKX UNC_UPI_CLOCKTICKS", SUM(IN(UPI_CLOCK)), \
	  .den = SUM(IN("seconds")), \
	  .help = "Measured frequency of the UPI link layer's clock, an eighth of the link's transfer rate")

/* ------------------------------------------------------------------ PCIe */

#define IIO_READ(ports_) "perf/uncore_iio/event=0x83,umask=0x04,ch_mask=" ports_ \
		",fc_mask=0x07,name=data_req_of_cpu_mem_read/"
#define IIO_WRITE(ports_) "perf/uncore_iio/event=0x83,umask=0x01,ch_mask=" ports_ \
		",fc_mask=0x07,name=data_req_of_cpu_mem_write/"
/* Runs beside them, whatever the ports do. (The memory controllers' free-running clock stands while
 * memory refreshes itself, as in deep sleep states of a package, or is not there.) */
#define IIO_CLOCK "perf/uncore_iio_free_running/ioclk/"
#define IIO_EVENTS(ports_, source_) \
	P(IIO_CLOCK, SNBEP_C "skx_uncore_iio_freerunning_events", .clock = true, \
	  .never_still = "Linux 0e0162dfcd1f: free running counters cannot be disabled and are always active"), \
	P(IIO_READ(ports_), source_, .counters = 0x3, .published = "DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS"), \
	P(IIO_WRITE(ports_), source_, .counters = 0x3, .published = "DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS")
#define IIO_METRICS(ports_, source_, ...) \
	M("pcie_read_bytes_total", "bytes", UNIT, source_, SUM(IN(IIO_READ(ports_))), .scale = 4 \
	  __VA_OPT__(,) __VA_ARGS__, \
	  .help = "Bytes that devices below this I/O stack read from memory, 4 for each request"), \
	M("pcie_write_bytes_total", "bytes", UNIT, source_, SUM(IN(IIO_WRITE(ports_))), .scale = 4 \
	  __VA_OPT__(,) __VA_ARGS__, \
	  .help = "Bytes that devices below this I/O stack wrote to memory, 4 for each request")
/* Two published metrics mean opposite directions, by processor. */
#define IO_SLIP \
	"perfmon's Info_System_IO_Read_BW is what devices read on ICX and later processors, but what they write on " \
	"SKX and CLX; Info_System_IO_Write_BW the other way round"
/* On SKX and CLX it is of the memory controllers, later of the CHAs. */
#define DRAM_SLIP \
	"perfmon's Info_System_MEM_DRAM_Read_Latency is divided by no time, so that it depends on how long one measures"
#define IO_GROUPS(ports_) \
	G("links", UPI_SPECS, .metrics_only = true, .help = LINKS_HELP), \
	G("pcie", TEXTS(IIO_READ(ports_), IIO_WRITE(ports_)), .metrics_only = true, .help = PCIE_HELP)

#endif
