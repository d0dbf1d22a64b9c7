/* SPDX-License-Identifier: MIT
 * AMD's data fabric through Linux: memory before Zen 4, links between sockets, traffic of devices.
 * The fabric of Zen to Zen 3 has four counters for eight memory channels of a socket: what it moves
 * cannot be counted at once, and a part of it is no answer; the halves are metrics of their own. An
 * EPYC 7001 has a fabric in each of its dies, with two channels.
 *
 * From Zen 4 on sixteen counters do for all devices of a socket. Who asks for which memory is in
 * sets: of twelve channels, or of sixteen interfaces of the cores, one direction of one socket fits
 * a round.
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
	       EVENTS_OF("zen1 to amdzen6") "/data-fabric.json", \
	       "Bytes that devices of the socket read from memory"), \
	ABSENT("pcie_write_bytes_total", "bytes", NO_DEVICES, \
	       EVENTS_OF("zen1 to amdzen6") "/data-fabric.json", \
	       "Bytes that devices of the socket wrote to memory")

#define NO_CLOCK "no public source names an event that counts a clock of this processor's memory"
#define DF_NO_USE NO_MEMORY_USE(NO_CLOCK, NO_CLOCK, EVENTS_OF("zen1 to amdzen3") "/data-fabric.json")

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
		PCIE_ABSENT,
		DF_NO_USE),
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
		PCIE_ABSENT,
		DF_NO_USE),
};

const struct cat_perf cat_perf_raphael = {
	.name = "raphael", .title = "AMD Ryzen of Zen 4 and later, devices", .vendor = AMD,
	IDS({ 25, 0x60, 0x7f, 0 }, { 26, 0x20, 0x4f, 0 }, { 26, 0x60, 0x7f, 0 }),
	DF_PMUS, .part = CAT_PART_SOCKET,
	/* Memory controllers count by themselves since Zen 4. */
	METRICS(PCIE_ABSENT),
};

const struct cat_perf cat_perf_zen6_df = {
	.name = "venice", .title = "AMD Zen 6, devices and links between sockets", .vendor = AMD,
	ZEN6_IDS, DF_PMUS, .part = CAT_PART_SOCKET,
	METRICS(
		PCIE_ABSENT,
		ABSENT("link_sent_data_bytes_total", "bytes",
		  "no public source names events of this processor's data fabric for links between sockets",
		  EVENTS_OF("zen6") ": no data-fabric.json", "Bytes of data that the socket sent to the other one")),
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
		PCIE_ABSENT,
		DF_NO_USE),
};

/* ------------------------------------------- EPYC 9004 and 9005: devices, links between sockets */

#define DF_COUNTERS UNCORE_C "amd_uncore_df_ctx_init: CPUID 0x80000022, 16 on these"
#define PCIE_READ(source_, ...) \
	M("pcie_read_bytes_total", "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = 64, \
	  .help = "Bytes that devices of the socket read from memory, 64 for each beat")
#define PCIE_WRITE(source_, ...) \
	M("pcie_write_bytes_total", "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = 64, \
	  .help = "Bytes that devices of the socket wrote to memory, 64 for each beat")

/* Of beats; bytes_: of one. All sixteen counters are the devices': the others are for groups of a
 * configuration. */
#define BEATS(name_, source_, bytes_, help_, ...) \
	M(name_, "bytes", SOCKET, source_, SUM(__VA_ARGS__), .scale = bytes_, .help = help_)
#define LINK_BYTES(name_, source_, help_, ...) BEATS(name_, source_, 64, help_, __VA_ARGS__)

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

/* ------------------------------------------------- sets: which socket's memory, and who asks it */

static const struct cat_set numa = NUMA_SET;
static const struct cat_set io = {
	"io", "What devices read and write, and in which socket's memory"
};

#define ON_REQUEST .metrics_only = true, .on_request = true
#define OF_NUMA    ON_REQUEST, .set = &numa, .part = NUMA_HOW_MUCH
#define OF_IO      ON_REQUEST, .set = &io

/* The twelve channels of a socket's memory. */
#define TWELVE(of_, what_) \
	of_(what_("0", "0x1f")), of_(what_("1", "0x5f")), of_(what_("2", "0x9f")), \
	of_(what_("3", "0xdf")), of_(what_("4", "0x11f")), of_(what_("5", "0x15f")), \
	of_(what_("6", "0x19f")), of_(what_("7", "0x1df")), of_(what_("8", "0x21f")), \
	of_(what_("9", "0x25f")), of_(what_("10", "0x29f")), of_(what_("11", "0x2df"))

/* The sixteen interfaces of its cores: Zen 4 numbers two of each CPU moderator, Zen 5 all. */
#define SIXTEEN(of_, what_) \
	of_(what_("0", "0", "0", "0x41e")), of_(what_("0", "1", "1", "0x45e")), \
	of_(what_("0", "2", "2", "0x49e")), of_(what_("0", "3", "3", "0x4de")), \
	of_(what_("0", "4", "4", "0x51e")), of_(what_("0", "5", "5", "0x55e")), \
	of_(what_("0", "6", "6", "0x59e")), of_(what_("0", "7", "7", "0x5de")), \
	of_(what_("1", "0", "8", "0x41f")), of_(what_("1", "1", "9", "0x45f")), \
	of_(what_("1", "2", "10", "0x49f")), of_(what_("1", "3", "11", "0x4df")), \
	of_(what_("1", "4", "12", "0x51f")), of_(what_("1", "5", "13", "0x55f")), \
	of_(what_("1", "6", "14", "0x59f")), of_(what_("1", "7", "15", "0x5df"))

#define CORES_EVENTS(event_, kind_) \
	SIXTEEN(event_, kind_##_LOCAL_IN), SIXTEEN(event_, kind_##_REMOTE_IN), \
	SIXTEEN(event_, kind_##_LOCAL_OUT), SIXTEEN(event_, kind_##_REMOTE_OUT)
#define CORES_GROUPS(kind_) \
	G("numa_local_reads", TEXTS(SIXTEEN(TEXT, kind_##_LOCAL_IN)), OF_NUMA, \
	  .help = "Bytes that the socket's cores received from their own socket"), \
	G("numa_remote_reads", TEXTS(SIXTEEN(TEXT, kind_##_REMOTE_IN)), OF_NUMA, \
	  .help = "Bytes that the socket's cores received from the other socket"), \
	G("numa_local_writes", TEXTS(SIXTEEN(TEXT, kind_##_LOCAL_OUT)), OF_NUMA, \
	  .help = "Bytes that the socket's cores sent to their own socket"), \
	G("numa_remote_writes", TEXTS(SIXTEEN(TEXT, kind_##_REMOTE_OUT)), OF_NUMA, \
	  .help = "Bytes that the socket's cores sent to the other socket")
#define CORES_METRICS(kind_, local_in_, remote_in_, local_out_, remote_out_) \
	BEATS("numa_local_read_bytes_total", local_in_, 32, \
	  "Bytes that the socket's cores received from their own socket, its memory and its other caches: 32 for each beat", \
	  SIXTEEN(IN, kind_##_LOCAL_IN)), \
	BEATS("numa_remote_read_bytes_total", remote_in_, 32, \
	  "Bytes that the socket's cores received from the other socket, its memory and its caches: 32 for each beat", \
	  SIXTEEN(IN, kind_##_REMOTE_IN)), \
	BEATS("numa_local_write_bytes_total", local_out_, 64, \
	  "Bytes that the socket's cores sent to their own socket: 64 for each beat", \
	  SIXTEEN(IN, kind_##_LOCAL_OUT)), \
	BEATS("numa_remote_write_bytes_total", remote_out_, 64, \
	  "Bytes that the socket's cores sent to the other socket: 64 for each beat", \
	  SIXTEEN(IN, kind_##_REMOTE_OUT)), \
	ABSENT("numa_local_read_ratio", "ratio", NO_SHARE, local_in_, \
	  "Share of what the socket's cores received that came from their own socket"), \
	ABSENT("numa_remote_read_ratio", "ratio", NO_SHARE, remote_in_, \
	  "Share of what the socket's cores received that came from the other socket")
#define NO_SHARE \
	"local and remote reads are sixteen events each, on sixteen counters: numa_local_read_bytes_total and " \
	"numa_remote_read_bytes_total can take turns"

#define HOME_READ_LOCAL   "Bytes of this socket's memory that its own units read"
#define HOME_READ_REMOTE  "Bytes of this socket's memory that the other socket read"
#define HOME_WRITE_LOCAL  "Bytes of this socket's memory that its own units wrote"
#define HOME_WRITE_REMOTE "Bytes of this socket's memory that the other socket wrote"
#define HOME_GROUP(name_, what_, help_) G(name_, TEXTS(TWELVE(TEXT, what_)), OF_NUMA, .help = help_)

#define IO_BYTES(name_, source_, verb_, whose_, ...) \
	BEATS(name_, source_, 64, \
	  "Bytes that devices of the socket " verb_ " " whose_ " memory: 64 for each beat", __VA_ARGS__)

#define HOME_WRITE_METRICS(local_, remote_, local_source_, remote_source_) \
	BEATS("home_local_write_bytes_total", local_source_, 64, \
	  HOME_WRITE_LOCAL ": 64 for each beat", TWELVE(IN, local_)), \
	BEATS("home_remote_write_bytes_total", remote_source_, 64, \
	  HOME_WRITE_REMOTE ": 64 for each beat", TWELVE(IN, remote_))
#define IO_METRICS(all_, kind_, local_read_, remote_read_, local_write_, remote_write_) \
	IO_BYTES("io_local_read_bytes_total", local_read_, "read from", "its own", all_(IN, kind_##_LOCAL_READ)), \
	IO_BYTES("io_remote_read_bytes_total", remote_read_, "read from", "the other socket's", \
	  all_(IN, kind_##_REMOTE_READ)), \
	IO_BYTES("io_local_write_bytes_total", local_write_, "wrote to", "its own", all_(IN, kind_##_LOCAL_WRITE)), \
	IO_BYTES("io_remote_write_bytes_total", remote_write_, "wrote to", "the other socket's", \
	  all_(IN, kind_##_REMOTE_WRITE))

/* ------------------------------------------------------------------ EPYC 9004, 8004 */

#define CS_LOCAL_READ(n_, code_)   DF("local_processor_read_data_beats_cs" n_, code_, "0x7fe")
#define CS_LOCAL_WRITE(n_, code_)  DF("local_processor_write_data_beats_cs" n_, code_, "0x7ff")
#define CS_REMOTE_READ(n_, code_)  DF("remote_processor_read_data_beats_cs" n_, code_, "0xbfe")
#define CS_REMOTE_WRITE(n_, code_) DF("remote_processor_write_data_beats_cs" n_, code_, "0xbff")

#define CCM(where_, inf_, way_, ccm_, code_, umask_) \
	DF(where_ "_socket_inf" inf_ "_" way_ "_data_beats_ccm" ccm_, code_, umask_)
#define CCM_LOCAL_IN(inf_, ccm_, n_, code_)   CCM("local", inf_, "inbound", ccm_, code_, "0x7fe")
#define CCM_LOCAL_OUT(inf_, ccm_, n_, code_)  CCM("local", inf_, "outbound", ccm_, code_, "0x7ff")
#define CCM_REMOTE_IN(inf_, ccm_, n_, code_)  CCM("remote", inf_, "inbound", ccm_, code_, "0xbfe")
#define CCM_REMOTE_OUT(inf_, ccm_, n_, code_) CCM("remote", inf_, "outbound", ccm_, code_, "0xbff")

#define SAMPLED_OF_ZEN4(where_) \
	EVENTS_OF("zen4") "/cache.json l3_xi_sampled_latency.dram_" where_ ", against " ZEN_JSON("zen5") \
	"l3_read_miss_latency (1ns)"

const struct cat_perf cat_perf_genoa_sets = {
	.name = "genoa-sets", .title = "AMD EPYC 9004 and 8004, whose memory is used by whom",
	.vendor = AMD, .sets = true, IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0xa0, 0xaf, 0 }),
	PMUS({ "amd_df", 16, DF_COUNTERS ", " AMD_PACKAGE }), .part = CAT_PART_SOCKET,
	EVENTS(
		CORES_EVENTS(ZEN4_EVENT, CCM),
		TWELVE(ZEN4_EVENT, CS_LOCAL_READ), TWELVE(ZEN4_EVENT, CS_REMOTE_READ),
		TWELVE(ZEN4_EVENT, CS_LOCAL_WRITE), TWELVE(ZEN4_EVENT, CS_REMOTE_WRITE),
		FOUR(ZEN4_EVENT, IOM_LOCAL_READ), FOUR(ZEN4_EVENT, IOM_REMOTE_READ),
		FOUR(ZEN4_EVENT, IOM_LOCAL_WRITE), FOUR(ZEN4_EVENT, IOM_REMOTE_WRITE)),
	GROUPS(
		CORES_GROUPS(CCM),
		HOME_GROUP("home_local_reads", CS_LOCAL_READ, HOME_READ_LOCAL),
		HOME_GROUP("home_remote_reads", CS_REMOTE_READ, HOME_READ_REMOTE),
		HOME_GROUP("home_local_writes", CS_LOCAL_WRITE, HOME_WRITE_LOCAL),
		HOME_GROUP("home_remote_writes", CS_REMOTE_WRITE, HOME_WRITE_REMOTE),
		G("io_homes",
		  TEXTS(FOUR(TEXT, IOM_LOCAL_READ), FOUR(TEXT, IOM_REMOTE_READ),
		    FOUR(TEXT, IOM_LOCAL_WRITE), FOUR(TEXT, IOM_REMOTE_WRITE)),
		  OF_IO, .help = "Bytes that devices read from and wrote to which socket's memory")),
	METRICS(
		CORES_METRICS(CCM,
		  ZEN_JSON("zen4") "local_socket_inbound_data_to_cpu",
		  ZEN_JSON("zen4") "remote_socket_inbound_data_to_cpu",
		  ZEN_JSON("zen4") "local_socket_outbound_data_from_cpu",
		  ZEN_JSON("zen4") "remote_socket_outbound_data_from_cpu"),
		ABSENT("numa_local_read_latency_seconds", "seconds", NO_SAMPLED_TIME, SAMPLED_OF_ZEN4("near"),
		  "Mean time from a miss of the last-level cache until DRAM of the same NUMA node served it"),
		ABSENT("numa_remote_read_latency_seconds", "seconds", NO_SAMPLED_TIME, SAMPLED_OF_ZEN4("far"),
		  "Mean time from a miss of the last-level cache until DRAM of another NUMA node served it"),
		BEATS("home_local_read_bytes_total", ZEN_JSON("zen4") "dram_read_data_for_local_processor", 64,
		  HOME_READ_LOCAL ": 64 for each beat", TWELVE(IN, CS_LOCAL_READ)),
		BEATS("home_remote_read_bytes_total", ZEN_JSON("zen4") "dram_read_data_for_remote_processor", 64,
		  HOME_READ_REMOTE ": 64 for each beat", TWELVE(IN, CS_REMOTE_READ)),
		HOME_WRITE_METRICS(CS_LOCAL_WRITE, CS_REMOTE_WRITE,
		  ZEN_JSON("zen4") "dram_write_data_for_local_processor",
		  ZEN_JSON("zen4") "dram_write_data_for_remote_processor"),
		IO_METRICS(FOUR, IOM,
		  ZEN_JSON("zen4") "local_socket_upstream_dma_read_data",
		  ZEN_JSON("zen4") "remote_socket_upstream_dma_read_data",
		  ZEN_JSON("zen4") "local_socket_upstream_dma_write_data",
		  ZEN_JSON("zen4") "remote_socket_upstream_dma_write_data")),
};

/* ------------------------------------------------------------------ EPYC 9005 */

#define DRAM_LOCAL_WRITE(n_, code_)  DF("local_socket_write_data_beats_dram_" n_, code_, "0x7ff")
#define DRAM_REMOTE_WRITE(n_, code_) DF("remote_socket_write_data_beats_dram_" n_, code_, "0xbff")

#define CFI(what_, n_, code_, umask_) DF(what_ "_data_beats_cfi_" n_, code_, umask_)
#define CFI_LOCAL_IN(inf_, ccm_, n_, code_)   CFI("local_socket_inbound", n_, code_, "0x7fe")
#define CFI_LOCAL_OUT(inf_, ccm_, n_, code_)  CFI("local_socket_outbound", n_, code_, "0x7ff")
#define CFI_REMOTE_IN(inf_, ccm_, n_, code_)  CFI("remote_socket_inbound", n_, code_, "0xbfe")
#define CFI_REMOTE_OUT(inf_, ccm_, n_, code_) CFI("remote_socket_outbound", n_, code_, "0xbff")

#define UPSTREAM(what_, n_, code_, umask_) DF(what_ "_data_beats_io_" n_, code_, umask_)
#define IO_LOCAL_READ(n_, code_)   UPSTREAM("local_socket_upstream_read", n_, code_, "0x7fe")
#define IO_LOCAL_WRITE(n_, code_)  UPSTREAM("local_socket_upstream_write", n_, code_, "0x7ff")
#define IO_REMOTE_READ(n_, code_)  UPSTREAM("remote_socket_upstream_read", n_, code_, "0xbfe")
#define IO_REMOTE_WRITE(n_, code_) UPSTREAM("remote_socket_upstream_write", n_, code_, "0xbff")

#define READS_TOGETHER \
	"no public source names events of this data fabric for reads of memory by one socket: they count those of " \
	"both together"

const struct cat_perf cat_perf_turin_sets = {
	.name = "turin-sets", .title = "AMD EPYC 9005, whose memory is used by whom",
	.vendor = AMD, .sets = true, IDS({ 26, 0x00, 0x1f, 0 }),
	PMUS({ "amd_df", 16, DF_COUNTERS ", " AMD_PACKAGE }), .part = CAT_PART_SOCKET,
	EVENTS(
		CORES_EVENTS(ZEN5_EVENT, CFI),
		TWELVE(ZEN5_EVENT, DRAM_LOCAL_WRITE), TWELVE(ZEN5_EVENT, DRAM_REMOTE_WRITE),
		EIGHT(ZEN5_EVENT, IO_LOCAL_READ), EIGHT(ZEN5_EVENT, IO_REMOTE_READ),
		EIGHT(ZEN5_EVENT, IO_LOCAL_WRITE), EIGHT(ZEN5_EVENT, IO_REMOTE_WRITE)),
	GROUPS(
		CORES_GROUPS(CFI),
		HOME_GROUP("home_local_writes", DRAM_LOCAL_WRITE, HOME_WRITE_LOCAL),
		HOME_GROUP("home_remote_writes", DRAM_REMOTE_WRITE, HOME_WRITE_REMOTE),
		G("io_read_homes", TEXTS(EIGHT(TEXT, IO_LOCAL_READ), EIGHT(TEXT, IO_REMOTE_READ)), OF_IO,
		  .help = "Bytes that devices read from which socket's memory"),
		G("io_write_homes", TEXTS(EIGHT(TEXT, IO_LOCAL_WRITE), EIGHT(TEXT, IO_REMOTE_WRITE)), OF_IO,
		  .help = "Bytes that devices wrote to which socket's memory")),
	METRICS(
		CORES_METRICS(CFI,
		  ZEN_JSON("zen5") "core_inbound_data_bandwidth_for_local_socket",
		  ZEN_JSON("zen5") "core_inbound_data_bandwidth_for_remote_socket",
		  ZEN_JSON("zen5") "core_outbound_data_bandwidth_for_local_socket",
		  ZEN_JSON("zen5") "core_outbound_data_bandwidth_for_remote_socket"),
		ABSENT("home_local_read_bytes_total", "bytes", READS_TOGETHER, EVENTS_OF("zen5") "/data-fabric.json",
		  HOME_READ_LOCAL),
		ABSENT("home_remote_read_bytes_total", "bytes", READS_TOGETHER, EVENTS_OF("zen5") "/data-fabric.json",
		  HOME_READ_REMOTE),
		HOME_WRITE_METRICS(DRAM_LOCAL_WRITE, DRAM_REMOTE_WRITE,
		  ZEN_JSON("zen5") "dram_write_bandwidth_for_local_socket",
		  ZEN_JSON("zen5") "dram_write_bandwidth_for_remote_socket"),
		IO_METRICS(EIGHT, IO,
		  ZEN_JSON("zen5") "upstream_dma_read_bandwidth_for_local_socket",
		  ZEN_JSON("zen5") "upstream_dma_read_bandwidth_for_remote_socket",
		  ZEN_JSON("zen5") "upstream_dma_write_bandwidth_for_local_socket",
		  ZEN_JSON("zen5") "upstream_dma_write_bandwidth_for_remote_socket")),
};
