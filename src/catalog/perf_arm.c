/* perf_arm.c - Arm's mesh (CMN) and memory controller (DMC-620) through Linux, on whatever processor they stand beside.
 *
 * A crosspoint of the mesh has four counters for the devices at it, and each event of a kind of node takes one for each
 * node of that kind: two events of home nodes and two of I/O nodes always fit where a crosspoint has two devices.
 */
#include "config.h"

#include "catalog/perf_tables.h"

/* ------------------------------------------------------------------ CMN */

#define CMN_C "Linux drivers/perf/arm-cmn.c "
#define CMN_JSON "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/metric.json "

#define CYCLES   "perf/arm_cmn/dtc_cycles/"
#define LOOKUPS  "perf/arm_cmn/hnf_slc_sf_cache_access/"
#define MISSES   "perf/arm_cmn/hnf_cache_miss/"
#define MC_REQS  "perf/arm_cmn/hnf_mc_reqs/"
#define IO_READ  "perf/arm_cmn/rnid_rxdat_flits/"
#define IO_WRITE "perf/arm_cmn/rnid_txdat_flits/"

static const struct cat_perf_pmu cmn_pmus[] = {
	{ "arm_cmn", 8, CMN_C "CMN_DT_NUM_COUNTERS" },
};

static const struct cat_perf_event cmn_events[] = {
	{ .spec = CYCLES, .clock = true, .source = CMN_C "dtc_cycles: the counter of the debug and trace controller" },
	{ .spec = LOOKUPS, .source = CMN_C "CMN_EVENT_HNF slc_sf_cache_access" },
	{ .spec = MISSES, .source = CMN_C "CMN_EVENT_HNF cache_miss" },
	{ .spec = MC_REQS, .source = CMN_C "CMN_EVENT_HNF mc_reqs" },
	{ .spec = IO_READ, .source = CMN_C "CMN_EVENT_RNID rxdat_flits" },
	{ .spec = IO_WRITE, .source = CMN_C "CMN_EVENT_RNID txdat_flits" },
};

static const struct cat_perf_group cmn_groups[] = {
	{ .name = "mesh", .specs = SPECS(CYCLES, LOOKUPS, MISSES, IO_READ, IO_WRITE) },
};

static const struct cat_metric cmn_metrics[] = {
	{ .name = "clock_hertz", .unit = "hertz", .per = CAT_PER_UNIT, .num = SUM(IN(CYCLES)), .den = SUM(IN("seconds")),
	  .source = CMN_C "dtc_cycles", .help = "Measured frequency of the mesh" },
	{ .name = "llc_lookups_total", .unit = "lookups", .per = CAT_PER_UNIT, .num = SUM(IN(LOOKUPS)),
	  .source = CMN_JSON "slc_miss_rate", .help = "First look-ups of requests in the system-level cache of the mesh" },
	{ .name = "llc_misses_total", .unit = "misses", .per = CAT_PER_UNIT, .num = SUM(IN(MISSES)),
	  .source = CMN_JSON "slc_miss_rate", .help = "First look-ups that missed the system-level cache of the mesh" },
	{ .name = "llc_miss_ratio", .unit = "ratio", .per = CAT_PER_UNIT, .num = SUM(IN(MISSES)), .den = SUM(IN(LOOKUPS)),
	  .source = CMN_JSON "slc_miss_rate",
	  .help = "Share of the first look-ups that missed the system-level cache of the mesh" },
	/* A third event of home nodes: for a group of a configuration. */
	{ .name = "memory_requests_total", .unit = "requests", .per = CAT_PER_UNIT, .num = SUM(IN(MC_REQS)),
	  .source = "Linux tools/perf/pmu-events/arch/arm64/arm/cmn/sys/cmn.json hnf_mc_reqs",
	  .help = "Requests that the home nodes of the mesh sent to memory controllers" },
	{ .name = "io_read_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 32, .num = SUM(IN(IO_READ)),
	  .source = CMN_JSON "rni_actual_read_bandwidth.all",
	  .help = "Bytes that devices read through the mesh's I/O nodes, 32 for each data flit" },
	{ .name = "io_write_bytes_total", .unit = "bytes", .per = CAT_PER_UNIT, .scale = 32, .num = SUM(IN(IO_WRITE)),
	  .source = CMN_JSON "rni_actual_write_bandwidth.all",
	  .help = "Bytes that devices wrote through the mesh's I/O nodes, 32 for each data flit" },
};

const struct cat_perf cat_perf_cmn = {
	.name = "cmn", .title = "Arm CoreLink CMN mesh (Neoverse servers)", .vendor = "", TABLES_OF(cmn),
};

/* ------------------------------------------------------------------ DMC-620 */

#define DMC_C "Linux drivers/perf/arm_dmc620_pmu.c "

#define COMMANDS "perf/arm_dmc620/clkdiv2_rdwr/"
#define DMC_CLOCK "perf/arm_dmc620/clk_cycle_count/"

/* Eight counters of the half clock and two of the clock: the driver keeps them apart, so are they here. */
static const struct cat_perf_pmu dmc_pmus[] = {
	{ "arm_dmc620", 10, DMC_C "DMC620_PMU_CLKDIV2_MAX_COUNTERS, DMC620_PMU_CLK_MAX_COUNTERS" },
};

static const struct cat_perf_event dmc_events[] = {
	{ .spec = COMMANDS, .counters = 0x0ff, .source = DMC_C "clkdiv2_rdwr, event 0x12" },
	{ .spec = DMC_CLOCK, .counters = 0x300, .clock = true, .source = DMC_C "clk_cycle_count, event 0x0" },
};

static const struct cat_perf_group dmc_groups[] = {
	{ .name = "memory", .specs = SPECS(COMMANDS, DMC_CLOCK) },
};

#define RDWR \
	"no public document says with which match and mask clkdiv2_rdwr counts reads or writes alone: see memory_bytes_total"

static const struct cat_metric dmc_metrics[] = {
	{ .name = "memory_commands_total", .unit = "commands", .per = CAT_PER_SOCKET, .num = SUM(IN(COMMANDS)),
	  .source = DMC_C "clkdiv2_rdwr",
	  .help = "Read and write commands that the memory controllers of the socket sent" },
	{ .name = "memory_bytes_total", .unit = "bytes", .per = CAT_PER_SOCKET, .scale = 64, .num = SUM(IN(COMMANDS)),
	  .source = "altra_pmu.sh, a test of Altra's PMUs for sh-test-lib: clkdiv2_rdwr x 64",
	  .help = "Bytes that the memory controllers of the socket read and wrote, 64 for each command" },
	ABSENT("memory_read_bytes_total", "bytes", RDWR, DMC_C "DMC620_PMU_EVENT_ATTR clkdiv2_rdwr",
	       "Bytes that the memory controllers of the socket read"),
	ABSENT("memory_write_bytes_total", "bytes", RDWR, DMC_C "DMC620_PMU_EVENT_ATTR clkdiv2_rdwr",
	       "Bytes that the memory controllers of the socket wrote"),
	{ .name = "memory_controller_clock_hertz", .unit = "hertz", .per = CAT_PER_UNIT, .num = SUM(IN(DMC_CLOCK)),
	  .den = SUM(IN("seconds")), .source = DMC_C "clk_cycle_count",
	  .help = "Measured frequency of the memory controller" },
};

const struct cat_perf cat_perf_dmc620 = {
	.name = "dmc620", .title = "Arm CoreLink DMC-620 memory controller", .vendor = "", TABLES_OF(dmc),
};
