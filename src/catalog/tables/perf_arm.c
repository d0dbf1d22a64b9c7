/* SPDX-License-Identifier: MIT
 * Arm's mesh (CMN) and memory controller (DMC-620) through Linux, beside any
 * processor.
 * A crosspoint of the mesh has four counters for the devices at it, and each event of a kind of
 * node takes one for each node of that kind. Where a crosspoint has two home nodes and an I/O node,
 * two events of either kind do not fit together; sysfs does not say where devices are.
 */
#include "catalog/tables/perf_tables.h"

/* ------------------------------------------------------------------ CMN */

#define CMN_C "Linux drivers/perf/arm-cmn.c "
#define CMN_JSON "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/metric.json "

#define CYCLES   "perf/arm_cmn/dtc_cycles/"
#define LOOKUPS  "perf/arm_cmn/hnf_slc_sf_cache_access/"
#define MISSES   "perf/arm_cmn/hnf_cache_miss/"
#define MC_REQS  "perf/arm_cmn/hnf_mc_reqs/"
#define IO_READ  "perf/arm_cmn/rnid_rxdat_flits/"
#define IO_WRITE "perf/arm_cmn/rnid_txdat_flits/"

/* What every mesh has, whatever its home nodes are. */
#define MESH_PMUS PMUS({ "arm_cmn", 8, CMN_C "CMN_DT_NUM_COUNTERS" })
#define MESH_EVENTS \
	P(CYCLES, CMN_C "dtc_cycles: the counter of the debug and trace controller", .clock = true), \
	P(IO_READ, CMN_C "CMN_EVENT_RNID rxdat_flits"), \
	P(IO_WRITE, CMN_C "CMN_EVENT_RNID txdat_flits")
#define MESH_GROUPS(...) \
	G("mesh", TEXTS(CYCLES, __VA_ARGS__), \
	  .help = "Clock of the mesh, requests to its system-level cache, and its misses"), \
	G("io", TEXTS(IO_READ, IO_WRITE), .on_request = true, .apart = true, .help = PCIE_HELP)
#define MESH_METRICS(source_, lookups_, misses_) \
	M("clock_hertz", "hertz", UNIT, CMN_C "dtc_cycles", SUM(IN(CYCLES)), .den = SUM(IN("seconds")), \
	  .help = "Measured frequency of the mesh"), \
	M("llc_lookups_total", "lookups", UNIT, source_, lookups_, \
	  .help = "First look-ups of requests in the system-level cache of the mesh"), \
	M("llc_misses_total", "misses", UNIT, source_, misses_, \
	  .help = "First look-ups that missed the system-level cache of the mesh"), \
	M("llc_miss_ratio", "ratio", UNIT, source_, misses_, .den = lookups_, \
	  .help = "Share of the first look-ups that missed the system-level cache of the mesh"), \
	M("io_read_bytes_total", "bytes", UNIT, CMN_JSON "rni_actual_read_bandwidth.all", SUM(IN(IO_READ)), \
	  .scale = 32, \
	  .help = "Bytes that devices read through the mesh's I/O nodes, 32 for each data flit"), \
	M("io_write_bytes_total", "bytes", UNIT, CMN_JSON "rni_actual_write_bandwidth.all", SUM(IN(IO_WRITE)), \
	  .scale = 32, \
	  .help = "Bytes that devices wrote through the mesh's I/O nodes, 32 for each data flit")

const struct cat_perf cat_perf_cmn = {
	.name = "cmn", .executed = "arm-cmn", .title = "Arm CoreLink CMN mesh (Neoverse servers)", .vendor = "",
	MESH_PMUS,
	EVENTS(
		MESH_EVENTS,
		P(LOOKUPS, CMN_C "CMN_EVENT_HNF slc_sf_cache_access"),
		P(MISSES, CMN_C "CMN_EVENT_HNF cache_miss"),
		P(MC_REQS, CMN_C "CMN_EVENT_HNF mc_reqs")),
	GROUPS(MESH_GROUPS(LOOKUPS, MISSES)),
	METRICS(
		MESH_METRICS(CMN_JSON "slc_miss_rate", SUM(IN(LOOKUPS)), SUM(IN(MISSES))),
		/* A third event of home nodes: for a group of a configuration. */
		M("memory_requests_total", "requests", UNIT,
		  "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/cmn.json hnf_mc_reqs", SUM(IN(MC_REQS)),
		  .help = "Requests that the home nodes of the mesh sent to memory controllers")),
};

/*
 * Home nodes of kind HN-S in place of HN-F (CMN S3; a CMN-700 may have them, too). Each name has
 * variants, of which a node counts one at a time for all its events: _all, _hbt and _wbt; of
 * requests to memory _sn (memory), _home (another home node) and _all (both). No two of a kind are
 * used here.
 */
#define HNS_LOOKUPS "perf/arm_cmn/hns_slc_sf_cache_access_all/"
#define HNS_MISSES  "perf/arm_cmn/hns_cache_miss_all/"
#define HNS_LOCAL   "perf/arm_cmn/hns_mc_reqs_local_sn/"
#define HNS_REMOTE  "perf/arm_cmn/hns_mc_reqs_remote_sn/"
#define HNS_TOOL    "ARM-software/data cmn-tools hns_events; facebookresearch DCPerf, Neoverse V3: "
#define HNS_BYTES   "facebookincubator dynolog, hbt: hns_mc_reqs_local_sn, 64 bytes a request"

const struct cat_perf cat_perf_cmn_hns = {
	.name = "cmn-hns", .title = "Arm CoreLink CMN mesh with HN-S nodes (CMN S3, Neoverse V3 servers)", .vendor = "",
	MESH_PMUS, .needs = TEXTS("hns_cache_miss_all"), .instead_of = TEXTS("cmn"),
	EVENTS(
		MESH_EVENTS,
		P(HNS_LOOKUPS, CMN_C "CMN_EVENT_HNS_HBT slc_sf_cache_access"),
		P(HNS_MISSES, CMN_C "CMN_EVENT_HNS_HBT cache_miss"),
		P(HNS_LOCAL, CMN_C "CMN_EVENT_HNS_SNH mc_reqs_local"),
		P(HNS_REMOTE, CMN_C "CMN_EVENT_HNS_SNH mc_reqs_remote")),
	GROUPS(
		MESH_GROUPS(HNS_LOOKUPS, HNS_MISSES),
		G("mesh_memory", TEXTS(HNS_LOCAL, HNS_REMOTE), .on_request = true, .apart = true,
		  .help = "Requests of the mesh to memory, its own and another mesh's, and their bytes")),
	METRICS(
		MESH_METRICS(HNS_TOOL "hns_cache_miss_all / hns_slc_sf_cache_access_all", SUM(IN(HNS_LOOKUPS)),
			     SUM(IN(HNS_MISSES))),
		M("memory_requests_total", "requests", UNIT, HNS_BYTES, SUM(IN(HNS_LOCAL)),
		  .help = "Requests that the home nodes of the mesh sent to memory controllers on it"),
		M("memory_request_bytes_total", "bytes", UNIT, HNS_BYTES, SUM(IN(HNS_LOCAL)), .scale = 64,
		  .help = "Bytes of the requests that the home nodes of the mesh sent to memory controllers on it, 64 each, "
			  "reads and writes together, with those that were sent again"),
		M("remote_memory_requests_total", "requests", UNIT, HNS_BYTES, SUM(IN(HNS_REMOTE)),
		  .help = "Requests that the home nodes of the mesh sent to memory controllers on another one")),
};

/* A mesh with nodes of both kinds: what one of them looked up is a part. */
#define BOTH_REQUESTS "no source says which requests of HN-F nodes are to memory on the mesh, as " \
	"hns_mc_reqs_local_sn counts those of HN-S nodes"

const struct cat_perf cat_perf_cmn_both = {
	.name = "cmn-both", .title = "Arm CoreLink CMN mesh with HN-F and HN-S nodes", .vendor = "",
	MESH_PMUS, .listed = true, .needs = TEXTS("hns_cache_miss_all", "hnf_cache_miss"),
	.instead_of = TEXTS("cmn", "cmn-hns"),
	EVENTS(
		MESH_EVENTS,
		P(LOOKUPS, CMN_C "CMN_EVENT_HNF slc_sf_cache_access"),
		P(MISSES, CMN_C "CMN_EVENT_HNF cache_miss"),
		P(HNS_LOOKUPS, CMN_C "CMN_EVENT_HNS_HBT slc_sf_cache_access"),
		P(HNS_MISSES, CMN_C "CMN_EVENT_HNS_HBT cache_miss")),
	GROUPS(MESH_GROUPS(LOOKUPS, HNS_LOOKUPS, MISSES, HNS_MISSES)),
	METRICS(
		MESH_METRICS(CMN_JSON "slc_miss_rate; of HN-S nodes " HNS_TOOL "hns_cache_miss_all",
			     SUM(IN(LOOKUPS), IN(HNS_LOOKUPS)), SUM(IN(MISSES), IN(HNS_MISSES))),
		ABSENT_UNIT("memory_requests_total", "requests", BOTH_REQUESTS, CMN_C "mc_reqs",
		  "Requests that the home nodes of the mesh sent to memory controllers")),
};

/* A mesh whose server's memory controllers have no PMU that uncored knows. */
#define NO_CLOCK "the mesh counts requests to its memory, and no clock of it"

const struct cat_perf cat_perf_cmn_memory = {
	.name = "cmn-memory", .title = "Arm CoreLink CMN mesh, use of its memory", .vendor = "",
	MESH_PMUS,
	METRICS(NO_MEMORY_USE(NO_CLOCK, NO_CLOCK, CMN_C "mc_reqs, dtc_cycles")),
};

/* ------------------------------------------------------------------ DMC-620 */

#define DMC_C "Linux drivers/perf/arm_dmc620_pmu.c "

#define COMMANDS "perf/arm_dmc620/clkdiv2_rdwr/"
#define DMC_CLOCK "perf/arm_dmc620/clk_cycle_count/"

#define RDWR "no public document says with which match and mask clkdiv2_rdwr counts reads or " \
		"writes alone: see memory_bytes_total"

#define DMC_USE BUS_USE("the clock that the DMC-620 counts")

const struct cat_perf cat_perf_dmc620 = {
	.name = "dmc620", .title = "Arm CoreLink DMC-620 memory controller", .vendor = "",
	/* Eight counters of the half clock and two of the clock: the driver keeps them apart, and
	 * so does this table. */
	PMUS(
		{ "arm_dmc620", 10, DMC_C "DMC620_PMU_CLKDIV2_MAX_COUNTERS, DMC620_PMU_CLK_MAX_COUNTERS" }),
	/* The driver's event_init says "only one event allowed", and its get_irq takes the CPU on
	 * which it runs. */
	.each_alone = true, .served_anywhere = true, .instead_of = TEXTS("cmn-memory"),
	EVENTS(
		P(COMMANDS, DMC_C "clkdiv2_rdwr, event 0x12", .counters = 0x0ff, .cas = true),
		P(DMC_CLOCK, DMC_C "clk_cycle_count, event 0x0", .counters = 0x300, .clock = true)),
	GROUPS(G("memory", TEXTS(COMMANDS, DMC_CLOCK),
	  .help = "Commands and bytes of the memory controllers, reads and writes together, and their clock")),
	METRICS(
		M("memory_commands_total", "commands", SOCKET, DMC_C "clkdiv2_rdwr", SUM(IN(COMMANDS)),
		  .help = "Read and write commands that the memory controllers of the socket sent"),
		M("memory_bytes_total", "bytes", SOCKET,
		  "altra_pmu.sh, a test of Altra's PMUs for sh-test-lib: clkdiv2_rdwr x 64", SUM(IN(COMMANDS)),
		  .scale = 64,
		  .help = "Bytes that the memory controllers of the socket read and wrote, 64 for each command"),
		ABSENT("memory_read_bytes_total", "bytes", RDWR, DMC_C "DMC620_PMU_EVENT_ATTR clkdiv2_rdwr",
		  "Bytes that the memory controllers of the socket read"),
		ABSENT("memory_write_bytes_total", "bytes", RDWR, DMC_C "DMC620_PMU_EVENT_ATTR clkdiv2_rdwr",
		  "Bytes that the memory controllers of the socket wrote"),
		NO_MEMORY_USE(DMC_USE, DMC_USE, DMC_C "clkdiv2_rdwr, clk_cycle_count"),
		M("memory_controller_clock_hertz", "hertz", UNIT, DMC_C "clk_cycle_count", SUM(IN(DMC_CLOCK)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the memory controller")),
};
