/* SPDX-License-Identifier: MIT
 * AMD's data fabric through Linux: memory before Zen 4, links between sockets, traffic of devices.
 * The fabric of Zen to Zen 3 has four counters for eight memory channels of a socket: what it moves
 * cannot be counted at once, and a part of it is no answer; the halves are metrics of their own. An
 * EPYC 7001 has a fabric in each of its dies, with two channels.
 */
#include "catalog/tables/perf_amd.h"

#define DF(name_, code_, umask_) "perf/amd_df/event=" code_ ",umask=" umask_ ",name=" name_ "/"
#define DF_EVENT(zen_, spec_) P(spec_, EVENTS_OF(zen_) "/data-fabric.json")
#define MEMORY_ABSENT(why_, source_) \
	ABSENT("memory_read_bytes_total", "bytes", why_, source_, \
	  "Bytes that all memory channels of the socket read"), \
	ABSENT("memory_write_bytes_total", "bytes", why_, source_, "Bytes that all memory channels of the socket wrote")
#define NO_DEVICES "no public source names events of this processor's data fabric for what " \
		"devices read and write"
#define PCIE_ABSENT \
	ABSENT("pcie_read_bytes_total", "bytes", NO_DEVICES, \
	       EVENTS_OF("zen1 to amdzen5") "/data-fabric.json", \
	       "Bytes that devices of the socket read from memory"), \
	ABSENT("pcie_write_bytes_total", "bytes", NO_DEVICES, \
	       EVENTS_OF("zen1 to amdzen5") "/data-fabric.json", \
	       "Bytes that devices of the socket wrote to memory")

#define DF_PMUS PMUS({ "amd_df", 4, UNCORE_C "NUM_COUNTERS_NB, " AMD_PACKAGE })

/* -------------------------------------------------------------- Zen, Zen+: a fabric in each die */

#define CHANNEL(n_, code_) DF("dram_channel_data_controller_" n_, code_, "0x38")
#define CHANNEL0 CHANNEL("0", "0x07")
#define CHANNEL1 CHANNEL("1", "0x47")

const struct cat_perf cat_perf_naples = {
	.name = "naples", .title = "AMD EPYC 7001 and the first two Ryzen, memory of a die",
	.vendor = AMD, IDS({ 23, 0x01, 0x01, 0 }, { 23, 0x08, 0x08, 0 }),
	DF_PMUS, .part = CAT_PART_DIE,
	EVENTS(DF_EVENT("zen1", CHANNEL0), DF_EVENT("zen1", CHANNEL1)),
	GROUPS(G("memory", TEXTS(CHANNEL0, CHANNEL1), .metrics_only = true,
	  .help = "Bytes that each die's memory channels read and wrote")),
	/* By unit: since Linux 6.10 the driver counts one die of a socket, and that is no sum of a
	 * socket. */
	METRICS(
		M("die_memory_bytes_total", "bytes", UNIT,
		  "likwid groups/zen/MEM.txt: two channels a die, 64 bytes each; codes: " EVENTS_OF("zen1") "/data-fabric.json",
		  SUM(IN(CHANNEL0), IN(CHANNEL1)), .scale = 64,
		  .help = "Bytes that the two memory channels of a die read and wrote, 64 for each request with data"),
		MEMORY_ABSENT(
		  "the events of this data fabric count reads and writes together, and some kernels count one die of a socket: see die_memory_bytes_total",
		  EVENTS_OF("zen1") "/data-fabric.json dram_channel_data_controller"),
		ABSENT("link_sent_data_bytes_total", "bytes",
		  "public sources disagree about the codes of the events for links of this data fabric",
		  EVENTS_OF("zen1") " all_remote_links_outbound, "
		  "against likwid perfmon_zen_events.txt DATA_OUT_TO_REMOTE",
		  "Bytes of data that the socket sent to the other one"),
		PCIE_ABSENT),
};

/* ----------------------------------------------------- Zen to Zen 3 without sockets beside them */

const struct cat_perf cat_perf_ryzen = {
	.name = "ryzen", .title = "AMD Ryzen and Threadripper to Zen 3, memory and devices",
	.vendor = AMD,
	IDS({ 23, 0x11, 0x2f, 0 }, { 23, 0x32, 0xff, 0 }, { 25, 0x20, 0x2f, 0 },
	    { 25, 0x40, 0x5f, 0 }),
	DF_PMUS, .part = CAT_PART_SOCKET,
	METRICS(
		MEMORY_ABSENT(
		  "no public source says which events of the data fabric are this processor's memory channels",
		  EVENTS_OF("zen2, amdzen3") "/data-fabric.json: channels of a server"),
		PCIE_ABSENT),
};

const struct cat_perf cat_perf_raphael = {
	.name = "raphael", .title = "AMD Ryzen of Zen 4 and later, devices", .vendor = AMD,
	IDS({ 25, 0x60, 0x7f, 0 }, { 26, 0x20, 0x4f, 0 }, { 26, 0x60, 0x7f, 0 }),
	DF_PMUS, .part = CAT_PART_SOCKET,
	/* Memory controllers count by themselves since Zen 4. */
	METRICS(PCIE_ABSENT),
};

/* ------------------------------------------------------------------ EPYC 7002 and 7003 */

#define OUT(n_, code_) DF("remote_outbound_data_controller_" n_, code_, "0x02")
#define OUT0 OUT("0", "0x7c7")
#define OUT1 OUT("1", "0x807")
#define OUT2 OUT("2", "0x847")
#define OUT3 OUT("3", "0x887")
#define CHANNEL2 CHANNEL("2", "0x87")
#define CHANNEL3 CHANNEL("3", "0xc7")
#define CHANNEL4 CHANNEL("4", "0x107")
#define CHANNEL5 CHANNEL("5", "0x147")
#define CHANNEL6 CHANNEL("6", "0x187")
#define CHANNEL7 CHANNEL("7", "0x1c7")
#define EPYC_EVENT(spec_) DF_EVENT("zen2, amdzen3", spec_)

#define DRAM_SOURCE ZEN_JSON("zen2, amdzen3") "nps1_die_to_dram"

const struct cat_perf cat_perf_epyc = {
	.name = "epyc",
	.title = "AMD EPYC 7002 and 7003, memory channels and links between sockets", .vendor = AMD,
	IDS({ 23, 0x31, 0x31, 0 }, { 25, 0x00, 0x0f, 0 }),
	DF_PMUS, .part = CAT_PART_SOCKET,
	EVENTS(
		EPYC_EVENT(OUT0), EPYC_EVENT(OUT1), EPYC_EVENT(OUT2), EPYC_EVENT(OUT3),
		EPYC_EVENT(CHANNEL0), EPYC_EVENT(CHANNEL1), EPYC_EVENT(CHANNEL2), EPYC_EVENT(CHANNEL3),
		EPYC_EVENT(CHANNEL4), EPYC_EVENT(CHANNEL5), EPYC_EVENT(CHANNEL6), EPYC_EVENT(CHANNEL7)),
	GROUPS(G("links", TEXTS(OUT0, OUT1, OUT2, OUT3), .metrics_only = true,
	  .help = "Bytes of data that the socket sent to the other one")),
	METRICS(
		M("link_sent_data_bytes_total", "bytes", SOCKET,
		  EVENTS_OF("zen2") "/recommended.json all_remote_links_outbound",
		  SUM(IN(OUT0), IN(OUT1), IN(OUT2), IN(OUT3)), .scale = 32,
		  .help = "Bytes of data that the socket sent to the other one, 32 for each packet"),
		/* For groups of a configuration: the links have the counters. */
		M("memory_channels_0_to_3_bytes_total", "bytes", SOCKET, DRAM_SOURCE,
		  SUM(IN(CHANNEL0), IN(CHANNEL1), IN(CHANNEL2), IN(CHANNEL3)), .scale = 64,
		  .help = "Bytes that the memory channels 0 to 3 of the socket read and wrote, half of its channels"),
		M("memory_channels_4_to_7_bytes_total", "bytes", SOCKET, DRAM_SOURCE,
		  SUM(IN(CHANNEL4), IN(CHANNEL5), IN(CHANNEL6), IN(CHANNEL7)), .scale = 64,
		  .help = "Bytes that the memory channels 4 to 7 of the socket read and wrote, half of its channels"),
		MEMORY_ABSENT(
		  "the events of this data fabric count reads and writes together, on four counters for eight channels: memory_channels_0_to_3_bytes_total and "
		    "memory_channels_4_to_7_bytes_total can take turns",
		  DRAM_SOURCE),
		PCIE_ABSENT),
};

/* ------------------------------------------- EPYC 9004 and 9005: devices, links between sockets */

#define DF_COUNTERS UNCORE_C "amd_uncore_df_ctx_init: CPUID 0x80000022, 16 on these"
#define PCIE_READ(source_, ...) \
	M("pcie_read_bytes_total", "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = 64, \
	  .help = "Bytes that devices of the socket read from memory, 64 for each beat")
#define PCIE_WRITE(source_, ...) \
	M("pcie_write_bytes_total", "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = 64, \
	  .help = "Bytes that devices of the socket wrote to memory, 64 for each beat")

/* All sixteen counters are the devices': links for a group of a configuration. */
#define LINK_BYTES(name_, source_, help_, ...) \
	M(name_, "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = 64, .help = help_)

/* Four I/O moderators, memory of the own socket and of the other. */
#define IOM_LOCAL_READ(n_, code_)   DF("local_socket_upstream_read_beats_iom" n_, code_, "0x7fe")
#define IOM_LOCAL_WRITE(n_, code_)  DF("local_socket_upstream_write_beats_iom" n_, code_, "0x7ff")
#define IOM_REMOTE_READ(n_, code_)  DF("remote_socket_upstream_read_beats_iom" n_, code_, "0xbfe")
#define IOM_REMOTE_WRITE(n_, code_) DF("remote_socket_upstream_write_beats_iom" n_, code_, "0xbff")
#define FOUR(of_, what_) \
	of_(what_("0", "0x81f")), of_(what_("1", "0x85f")), of_(what_("2", "0x89f")), \
	of_(what_("3", "0x8df"))
#define TEXT(spec_) spec_

#define XGMI(n_, code_) DF("local_socket_outbound_data_beats_link" n_, code_, "0xf3e")
#define EACH_XGMI(of_) \
	of_(XGMI("0", "0xb5f")), of_(XGMI("1", "0xb9f")), of_(XGMI("2", "0xbdf")), \
		of_(XGMI("3", "0xc1f")), \
	of_(XGMI("4", "0xc5f")), of_(XGMI("5", "0xc9f")), of_(XGMI("6", "0xcdf")), \
	of_(XGMI("7", "0xd1f"))
#define ZEN4_EVENT(spec_) DF_EVENT("zen4", spec_)

const struct cat_perf cat_perf_genoa = {
	.name = "genoa", .title = "AMD EPYC 9004 and 8004, traffic of devices and links",
	.vendor = AMD, IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0xa0, 0xaf, 0 }),
	PMUS({ "amd_df", 16, DF_COUNTERS ", " AMD_PACKAGE }), .part = CAT_PART_SOCKET,
	EVENTS(
		FOUR(ZEN4_EVENT, IOM_LOCAL_READ), FOUR(ZEN4_EVENT, IOM_REMOTE_READ),
		FOUR(ZEN4_EVENT, IOM_LOCAL_WRITE), FOUR(ZEN4_EVENT, IOM_REMOTE_WRITE),
		EACH_XGMI(ZEN4_EVENT)),
	GROUPS(
		G("pcie",
		  TEXTS(FOUR(TEXT, IOM_LOCAL_READ), FOUR(TEXT, IOM_REMOTE_READ),
		    FOUR(TEXT, IOM_LOCAL_WRITE), FOUR(TEXT, IOM_REMOTE_WRITE)),
		  .metrics_only = true, .help = PCIE_HELP)),
	METRICS(
		PCIE_READ(ZEN_JSON("zen4") "local_socket_upstream_dma_read_data, remote_socket_upstream_dma_read_data",
		  FOUR(IN, IOM_LOCAL_READ), FOUR(IN, IOM_REMOTE_READ)),
		PCIE_WRITE(ZEN_JSON("zen4") "local_socket_upstream_dma_write_data, "
		  "remote_socket_upstream_dma_write_data",
		  FOUR(IN, IOM_LOCAL_WRITE), FOUR(IN, IOM_REMOTE_WRITE)),
		LINK_BYTES("link_sent_data_bytes_total", ZEN_JSON("zen4") "local_socket_outbound_data_from_all_links",
		  "Bytes of data that the socket sent on its links to the other one, 64 for each beat",
		  EACH_XGMI(IN))),
};

/* Eight I/O root complexes. */
#define IO_READ(n_, code_) \
	DF("local_or_remote_socket_upstream_read_data_beats_io_" n_, code_, "0xffe")
#define IO_WRITE(n_, code_) \
	DF("local_or_remote_socket_upstream_write_data_beats_io_" n_, code_, "0xfff")
#define EIGHT(of_, what_) \
	FOUR(of_, what_), of_(what_("4", "0x91f")), of_(what_("5", "0x95f")), \
	of_(what_("6", "0x99f")), of_(what_("7", "0x9df"))

#define CROSS(way_, umask_, n_, code_) \
	DF("local_socket_" way_ "_data_beats_link_" n_, code_, umask_)
#define EACH_CROSS(of_, way_, umask_) \
	of_(CROSS(way_, umask_, "0", "0xd5f")), of_(CROSS(way_, umask_, "1", "0xd9f")), \
		of_(CROSS(way_, umask_, "2", "0xddf")), \
	of_(CROSS(way_, umask_, "3", "0xe1f")), of_(CROSS(way_, umask_, "4", "0xe5f")), \
	of_(CROSS(way_, umask_, "5", "0xe9f"))
#define ZEN5_EVENT(spec_) DF_EVENT("zen5", spec_)

const struct cat_perf cat_perf_turin = {
	.name = "turin", .title = "AMD EPYC 9005, traffic of devices and links", .vendor = AMD,
	IDS({ 26, 0x00, 0x1f, 0 }),
	PMUS({ "amd_df", 16, DF_COUNTERS ", " AMD_PACKAGE }), .part = CAT_PART_SOCKET,
	EVENTS(
		EIGHT(ZEN5_EVENT, IO_READ), EIGHT(ZEN5_EVENT, IO_WRITE),
		EACH_CROSS(ZEN5_EVENT, "outbound", "0xf3e"), EACH_CROSS(ZEN5_EVENT, "inbound", "0xf3f")),
	GROUPS(G("pcie", TEXTS(EIGHT(TEXT, IO_READ), EIGHT(TEXT, IO_WRITE)), .metrics_only = true, .help = PCIE_HELP)),
	METRICS(
		PCIE_READ(ZEN_JSON("zen5") "and data-fabric.json, upstream DMA read data beats (64 bytes)",
		  EIGHT(IN, IO_READ)),
		PCIE_WRITE(ZEN_JSON("zen5") "and data-fabric.json, upstream DMA write data beats (64 bytes)",
		  EIGHT(IN, IO_WRITE)),
		LINK_BYTES("link_sent_data_bytes_total",
		  ZEN_JSON("zen5") "cross_socket_outbound_data_bandwidth_for_local_socket",
		  "Bytes of data that the socket sent on its links to the other one, 64 for each beat",
		  EACH_CROSS(IN, "outbound", "0xf3e")),
		LINK_BYTES("link_received_data_bytes_total",
		  ZEN_JSON("zen5") "cross_socket_inbound_data_bandwidth_for_local_socket",
		  "Bytes of data that the socket received on its links from the other one, 64 for each beat",
		  EACH_CROSS(IN, "inbound", "0xf3f"))),
};
