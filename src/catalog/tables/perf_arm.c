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

const struct cat_perf cat_perf_cmn = {
	.name = "cmn", .executed = "arm-cmn", .title = "Arm CoreLink CMN mesh (Neoverse servers)", .vendor = "",
	PMUS({ "arm_cmn", 8, CMN_C "CMN_DT_NUM_COUNTERS" }),
	EVENTS(
		P(CYCLES, CMN_C "dtc_cycles: the counter of the debug and trace controller", .clock = true),
		P(LOOKUPS, CMN_C "CMN_EVENT_HNF slc_sf_cache_access"),
		P(MISSES, CMN_C "CMN_EVENT_HNF cache_miss"),
		P(MC_REQS, CMN_C "CMN_EVENT_HNF mc_reqs"),
		P(IO_READ, CMN_C "CMN_EVENT_RNID rxdat_flits"),
		P(IO_WRITE, CMN_C "CMN_EVENT_RNID txdat_flits")),
	GROUPS(
		G("mesh", TEXTS(CYCLES, LOOKUPS, MISSES),
		  .help = "Clock of the mesh, requests to its system-level cache, and its misses"),
		G("io", TEXTS(IO_READ, IO_WRITE), .on_request = true, .apart = true, .help = PCIE_HELP)),
	METRICS(
		M("clock_hertz", "hertz", UNIT, CMN_C "dtc_cycles", SUM(IN(CYCLES)), .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the mesh"),
		M("llc_lookups_total", "lookups", UNIT, CMN_JSON "slc_miss_rate", SUM(IN(LOOKUPS)),
		  .help = "First look-ups of requests in the system-level cache of the mesh"),
		M("llc_misses_total", "misses", UNIT, CMN_JSON "slc_miss_rate", SUM(IN(MISSES)),
		  .help = "First look-ups that missed the system-level cache of the mesh"),
		M("llc_miss_ratio", "ratio", UNIT, CMN_JSON "slc_miss_rate", SUM(IN(MISSES)), .den = SUM(IN(LOOKUPS)),
		  .help = "Share of the first look-ups that missed the system-level cache of the mesh"),
		/* A third event of home nodes: for a group of a configuration. */
		M("memory_requests_total", "requests", UNIT,
		  "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/cmn.json hnf_mc_reqs", SUM(IN(MC_REQS)),
		  .help = "Requests that the home nodes of the mesh sent to memory controllers"),
		M("io_read_bytes_total", "bytes", UNIT, CMN_JSON "rni_actual_read_bandwidth.all", SUM(IN(IO_READ)),
		  .scale = 32,
		  .help = "Bytes that devices read through the mesh's I/O nodes, 32 for each data flit"),
		M("io_write_bytes_total", "bytes", UNIT, CMN_JSON "rni_actual_write_bandwidth.all", SUM(IN(IO_WRITE)),
		  .scale = 32,
		  .help = "Bytes that devices wrote through the mesh's I/O nodes, 32 for each data flit")),
};

/* ------------------------------------------------------------------ DMC-620 */

#define DMC_C "Linux drivers/perf/arm_dmc620_pmu.c "

#define COMMANDS "perf/arm_dmc620/clkdiv2_rdwr/"
#define DMC_CLOCK "perf/arm_dmc620/clk_cycle_count/"

#define RDWR "no public document says with which match and mask clkdiv2_rdwr counts reads or " \
		"writes alone: see memory_bytes_total"

#define BUS_USE "no public source says how the clock that the DMC-620 counts relates to the data rate of its memory"

const struct cat_perf cat_perf_dmc620 = {
	.name = "dmc620", .title = "Arm CoreLink DMC-620 memory controller", .vendor = "",
	/* Eight counters of the half clock and two of the clock: the driver keeps them apart, and
	 * so does this table. */
	PMUS(
		{ "arm_dmc620", 10, DMC_C "DMC620_PMU_CLKDIV2_MAX_COUNTERS, DMC620_PMU_CLK_MAX_COUNTERS" }),
	/* The driver's event_init says "only one event allowed", and its get_irq takes the CPU on
	 * which it runs. */
	.each_alone = true, .served_anywhere = true,
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
		ABSENT("memory_utilization_ratio", "ratio", BUS_USE, DMC_C "clkdiv2_rdwr, clk_cycle_count",
		  "Share of what the memory channels of the socket could move that they moved"),
		ABSENT_UNIT("memory_channel_utilization_ratio", "ratio", BUS_USE, DMC_C "clkdiv2_rdwr, clk_cycle_count",
		  "Share of what the memory channel could move that it moved"),
		ABSENT_UNIT("memory_channel_capacity_bytes_total", "bytes", BUS_USE, DMC_C "clk_cycle_count",
		  "Bytes that the memory channel could have moved"),
		M("memory_controller_clock_hertz", "hertz", UNIT, DMC_C "clk_cycle_count", SUM(IN(DMC_CLOCK)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the memory controller")),
};
