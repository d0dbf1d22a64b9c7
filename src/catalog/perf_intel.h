/* perf_intel.h - rows that several generations of Intel servers have in common; private to the room.
 *
 * The events behind them differ and are the tables' own. Bytes of a link: nine counted data flits carry a line of 64 bytes
 * on UPI, one carries 8 on QPI (perfmon's metrics upi_data_transmit_bw and qpi_data_transmit_bw).
 */
#ifndef CATALOG_PERF_INTEL_H
#define CATALOG_PERF_INTEL_H

#include "catalog/perf_tables.h"

#define SNBEP_C "Linux arch/x86/events/intel/uncore_snbep.c "

#define DISCOVERY "the number of counters is in the units' discovery table (uncore_discovery.c)"

#define CAS_READ  "perf/uncore_imc/cas_count_read/"
#define CAS_WRITE "perf/uncore_imc/cas_count_write/"
/* each_: what a count is: .scaled = true by the kernel's .scale, .scale = 64 where the event is given by numbers */
#define MEMORY_METRICS(each_, read_, write_) \
	{ .name = "memory_read_bytes_total", .unit = "bytes", .per = CAT_PER_SOCKET, each_, .num = SUM(read_), \
	  .source = "perfmon metric memory_bandwidth_read", \
	  .help = "Bytes that all DDR channels of the socket read, 64 for each read command; persistent and high-bandwidth " \
		  "memory are not among them" }, \
	{ .name = "memory_write_bytes_total", .unit = "bytes", .per = CAT_PER_SOCKET, each_, .num = SUM(write_), \
	  .source = "perfmon metric memory_bandwidth_write", \
	  .help = "Bytes that all DDR channels of the socket wrote, 64 for each write command; persistent and " \
		  "high-bandwidth memory are not among them" }

#define CLOCK_METRIC(clock_, source_) \
	/* by unit: where a socket has several dies, each has its own */ \
	{ .name = "clock_hertz", .unit = "hertz", .per = CAT_PER_UNIT, .num = SUM(IN(clock_)), .den = SUM(IN("seconds")), \
	  .source = source_, .help = "Measured frequency of the uncore clock" }

/* ------------------------------------------------------------------ last-level cache */

/* reads_: what counts as a core's data read; generations differ in it, so HELP says which */
#define DEMAND_ALONE  "demand reads, without prefetches"
#define WITH_PREFETCH "demand reads and the prefetches of the cores"
#define LLC_MISS_METRICS(miss_, occupancy_, clock_, reads_, metric_) \
	{ .name = "llc_data_read_misses_total", .unit = "misses", .per = CAT_PER_SOCKET, .num = SUM(IN(miss_)), \
	  .source = "perfmon metric " metric_, \
	  .help = "Data reads of the socket's cores that missed the last-level cache, all its slices together: " reads_ }, \
	{ .name = "llc_data_read_miss_latency_seconds", .unit = "seconds", .per = CAT_PER_SOCKET, \
	  .num = SUM(IN(occupancy_)), .den = SUM(IN(miss_)), .cycles_of = clock_, .source = "perfmon metric " metric_, \
	  .help = "Mean time from a core's data read that missed the last-level cache until it was served: " reads_ }
#define LLC_METRICS(hit_, miss_, occupancy_, clock_, reads_, metric_) \
	LLC_MISS_METRICS(miss_, occupancy_, clock_, reads_, metric_), \
	{ .name = "llc_data_reads_total", .unit = "reads", .per = CAT_PER_SOCKET, .num = SUM(IN(hit_), IN(miss_)), \
	  .source = "perfmon metric " metric_ " and the hits beside the misses", \
	  .help = "Data reads of the socket's cores that the last-level cache looked up, all its slices together: " reads_ }, \
	{ .name = "llc_data_read_miss_ratio", .unit = "ratio", .per = CAT_PER_SOCKET, .num = SUM(IN(miss_)), \
	  .den = SUM(IN(hit_), IN(miss_)), .source = "perfmon metric " metric_ " and the hits beside the misses", \
	  .help = "Share of the data reads of the socket's cores that missed the last-level cache: " reads_ }

/* ------------------------------------------------------------------ UPI */

#define UPI_CLOCK  "perf/uncore_upi/event=0x01,name=clockticks/"
#define UPI_SENT   "perf/uncore_upi/event=0x02,umask=0x0f,name=txl_flits_all_data/"
#define UPI_ACTIVE "perf/uncore_upi/event=0x02,umask=0x9f,name=txl_flits_active/"
#define UPI_GOT    "perf/uncore_upi/event=0x03,umask=0x0f,name=rxl_flits_all_data/"
#define UPI_EVENTS(perfmon_) \
	{ .spec = UPI_CLOCK, .clock = true, .source = "perfmon " perfmon_ " UNC_UPI_CLOCKTICKS" }, \
	{ .spec = UPI_SENT, .source = "perfmon " perfmon_ " UNC_UPI_TxL_FLITS.ALL_DATA" }, \
	{ .spec = UPI_ACTIVE, .source = "pcm cpucounters.cpp: TxL_FLITS.NON_DATA+ALL_DATA" }, \
	{ .spec = UPI_GOT, .source = "perfmon " perfmon_ " UNC_UPI_RxL_FLITS.ALL_DATA" }
#define UPI_SPECS SPECS(UPI_CLOCK, UPI_SENT, UPI_ACTIVE, UPI_GOT)
#define UPI_METRICS \
	{ .name = "link_sent_data_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 64.0 / 9, \
	  .num = SUM(IN(UPI_SENT)), .source = "perfmon metric upi_data_transmit_bw", \
	  .help = "Bytes of data that the UPI link sent, headers not included: 64 for nine data flits" }, \
	{ .name = "link_received_data_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 64.0 / 9, \
	  .num = SUM(IN(UPI_GOT)), .source = "perfmon metric upi_data_receive_bw", \
	  .help = "Bytes of data that the UPI link received, headers not included: 64 for nine data flits" }, \
	{ .name = "link_sent_utilization_ratio", .unit = "ratio", .per = CAT_PER_UNIT, .clamp = true, \
	  .num = SUM(IN(UPI_ACTIVE)), .den = SUM(TIMES(2.5, UPI_CLOCK)), \
	  .source = "pcm cpucounters.h: three slots a flit, five flits in six link cycles", \
	  .help = "Share of the UPI link's slots that it sent with data or protocol" }, \
	{ .name = "link_clock_hertz", .unit = "hertz", .per = CAT_PER_UNIT, .num = SUM(IN(UPI_CLOCK)), \
	  .den = SUM(IN("seconds")), .source = "perfmon SKX UNC_UPI_CLOCKTICKS", \
	  .help = "Measured frequency of the UPI link layer's clock, an eighth of the link's transfer rate" }

/* ------------------------------------------------------------------ PCIe */

#define IIO_READ(ports_) "perf/uncore_iio/event=0x83,umask=0x04,ch_mask=" ports_ ",fc_mask=0x07,name=data_req_of_cpu_mem_read/"
#define IIO_WRITE(ports_) "perf/uncore_iio/event=0x83,umask=0x01,ch_mask=" ports_ ",fc_mask=0x07,name=data_req_of_cpu_mem_write/"
#define IIO_EVENTS(ports_, source_) \
	{ .spec = IIO_READ(ports_), .counters = 0x3, .source = source_ }, \
	{ .spec = IIO_WRITE(ports_), .counters = 0x3, .source = source_ }
#define IIO_METRICS(ports_, source_) \
	{ .name = "pcie_read_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 4, .num = SUM(IN(IIO_READ(ports_))), \
	  .source = source_, \
	  .help = "Bytes that devices below this I/O stack read from memory, 4 for each request" }, \
	{ .name = "pcie_write_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 4, .num = SUM(IN(IIO_WRITE(ports_))), \
	  .source = source_, \
	  .help = "Bytes that devices below this I/O stack wrote to memory, 4 for each request" }

#endif
