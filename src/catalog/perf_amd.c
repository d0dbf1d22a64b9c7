/* perf_amd.c - caches of AMD Zen to Zen 5, and memory controllers, which count since Zen 4 (Linux
 * 6.10). */
#include "config.h"

#include "catalog/perf_amd.h"

/* ------------------------------------------------------------ last-level cache, all generations */

#define LOOKUPS "perf/amd_l3/event=0x04,umask=0xff,name=l3_lookup_state_all/"
#define MISSES  "perf/amd_l3/event=0x04,umask=0x01,name=l3_lookup_state_miss/"
#define L3_EVENTS(json_) \
	P(LOOKUPS, json_ "l3_cache_accesses"), \
	P(MISSES, json_ "l3_misses")
#define L3_METRICS(json_) \
	M("llc_lookups_total", "lookups", SOCKET, "Requests to the last-level caches of the socket", json_ "l3_cache_accesses", SUM(IN(LOOKUPS))), \
	M("llc_misses_total", "misses", SOCKET, "Requests that the last-level caches of the socket did not have, changes of a line's state among them", json_ "l3_misses", \
	  SUM(IN(MISSES))), \
	M("llc_miss_ratio", "ratio", SOCKET, "Share of the requests to the last-level caches of the socket that missed", json_ "l3_misses, l3_cache_accesses", SUM(IN(MISSES)), \
	  .den = SUM(IN(LOOKUPS))), \
	ABSENT("clock_hertz", "hertz", "no public source names an event that counts the clock of the data fabric", json_ "and the other files there", \
	  "Measured frequency of the data fabric")

/* ------------------------------------------------------------------ Zen to Zen 3 */

#define WAITING "perf/amd_l3/event=0x90,name=xi_sys_fill_latency/"
#define ZEN2_FILLS "perf/amd_l3/event=0x9a,umask=0x3f,name=xi_ccx_sdp_req1/"
#define ZEN3_FILLS "perf/amd_l3/event=0x9a,umask=0xff,name=xi_ccx_sdp_req1/"
#define MISS_CYCLES(fills_, zen_) \
	M("llc_miss_latency_cycles", "cycles", SOCKET, "Mean core cycles from a miss of the last-level cache until the line came", ZEN_JSON(zen_) "l3_read_miss_latency", \
	  SUM(IN(WAITING)), .scale = 16, .den = SUM(IN(fills_)))

static const struct cat_perf_pmu zen_pmus[] = { { "amd_l3", 6, UNCORE_C "NUM_COUNTERS_L3" } };

static const struct cat_perf_event zen2_events[] = {
	L3_EVENTS(ZEN_JSON("zen1, amdzen2")),
	P(WAITING, EVENTS_OF("zen1, amdzen2") "/cache.json xi_sys_fill_latency"),
	P(ZEN2_FILLS, EVENTS_OF("zen1, amdzen2") "/cache.json xi_ccx_sdp_req1.all_l3_miss_req_typs"),
};

static const struct cat_perf_event zen3_events[] = {
	L3_EVENTS(ZEN_JSON("zen3")),
	P(WAITING, EVENTS_OF("zen3") "/cache.json xi_sys_fill_latency"),
	P(ZEN3_FILLS, EVENTS_OF("zen3") "/cache.json xi_ccx_sdp_req1"),
};

static const struct cat_perf_group zen2_groups[] = {
	G("llc", TEXTS(LOOKUPS, MISSES, WAITING, ZEN2_FILLS), .metrics_only = true),
};
static const struct cat_perf_group zen3_groups[] = {
	G("llc", TEXTS(LOOKUPS, MISSES, WAITING, ZEN3_FILLS), .metrics_only = true),
};
static const struct cat_metric zen2_metrics[] = {
	L3_METRICS(ZEN_JSON("zen1, amdzen2")), MISS_CYCLES(ZEN2_FILLS, "zen1, amdzen2"),
};
static const struct cat_metric zen3_metrics[] = {
	L3_METRICS(ZEN_JSON("zen3")), MISS_CYCLES(ZEN3_FILLS, "zen3"),
};

const struct cat_perf cat_perf_zen2 = {
	.name = "zen2", .title = "AMD Zen, Zen+ and Zen 2", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 23, 0, 255, 0 } }, .n_ids = 1,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen2_events,
	.n_events = COUNT(zen2_events),
	.groups = zen2_groups, .n_groups = COUNT(zen2_groups), .metrics = zen2_metrics,
	.n_metrics = COUNT(zen2_metrics),
};

const struct cat_perf cat_perf_zen3 = {
	.name = "zen3", .title = "AMD Zen 3", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x00, 0x0f, 0 }, { 25, 0x20, 0x2f, 0 },
					     { 25, 0x40, 0x5f, 0 } }, .n_ids = 3,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen3_events,
	.n_events = COUNT(zen3_events),
	.groups = zen3_groups, .n_groups = COUNT(zen3_groups), .metrics = zen3_metrics,
	.n_metrics = COUNT(zen3_metrics),
};

/* ------------------------------------------------------------------ Zen 4, Zen 5: cache */

/* These two count only with every field given (Linux commit 498d3486376b). */
#define ALL "enallcores=1,enallslices=1,sliceid=3,threadmask=3"
#define LATENCY "perf/amd_l3/event=0xac,umask=0x3f," ALL ",name=l3_xi_sampled_latency_all/"
#define SAMPLES "perf/amd_l3/event=0xad,umask=0x3f," ALL ",name=l3_xi_sampled_latency_requests_all/"

static const struct cat_perf_event zen4_events[] = { L3_EVENTS(ZEN_JSON("zen4")) };
static const struct cat_perf_group zen4_groups[] = {
	G("llc", TEXTS(LOOKUPS, MISSES), .metrics_only = true),
};

static const struct cat_metric zen4_metrics[] = {
	L3_METRICS(ZEN_JSON("zen4")),
	ABSENT("llc_miss_latency_seconds", "seconds", "public sources disagree whether the events l3_xi_sampled_latency count tens of nanoseconds or of core cycles",
	  ZEN_JSON("zen4") "l3_read_miss_latency (core clocks), against that of amdzen5 (1ns) for the same events",
	  "Mean time from a miss of the last-level cache until the line came"),
};

const struct cat_perf cat_perf_zen4 = {
	.name = "zen4", .title = "AMD Zen 4", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0x7f, 0 },
					     { 25, 0xa0, 0xaf, 0 } }, .n_ids = 3,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen4_events,
	.n_events = COUNT(zen4_events),
	.groups = zen4_groups, .n_groups = COUNT(zen4_groups), .metrics = zen4_metrics,
	.n_metrics = COUNT(zen4_metrics),
};

static const struct cat_perf_event zen5_events[] = {
	L3_EVENTS(ZEN_JSON("zen5")),
	P(LATENCY, EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency.all"),
	P(SAMPLES, EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency_requests.all"),
};

static const struct cat_perf_group zen5_groups[] = {
	G("llc", TEXTS(LOOKUPS, MISSES, LATENCY, SAMPLES), .metrics_only = true),
};

static const struct cat_metric zen5_metrics[] = {
	L3_METRICS(ZEN_JSON("zen5")),
	M("llc_miss_latency_seconds", "seconds", SOCKET, "Mean time from a miss of the last-level cache until the line came, of requests that the hardware samples",
	  ZEN_JSON("zen5") "l3_read_miss_latency, ScaleUnit 1ns", SUM(IN(LATENCY)), .scale = 10e-9, .den = SUM(IN(SAMPLES))),
};

const struct cat_perf cat_perf_zen5 = {
	.name = "zen5", .title = "AMD Zen 5", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 26, 0x00, 0x4f, 0 }, { 26, 0x60, 0x7f, 0 } },
	.n_ids = 2,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen5_events,
	.n_events = COUNT(zen5_events),
	.groups = zen5_groups, .n_groups = COUNT(zen5_groups), .metrics = zen5_metrics,
	.n_metrics = COUNT(zen5_metrics),
};

/* ----------------------------------------------------------------- memory controllers, Zen 4 on */

#define UMC(terms_) "perf/amd_umc/" terms_ "/"
#define MEM_CLOCK UMC("event=0x00,name=umc_mem_clk")
#define CAS_READ  UMC("event=0x0a,rdwrmask=1,name=umc_cas_cmd_rd")
#define CAS_WRITE UMC("event=0x0a,rdwrmask=2,name=umc_cas_cmd_wr")
#define DATA_SLOT UMC("event=0x14,name=umc_data_slot_clks_all")
#define UMC_JSON  EVENTS_OF("zen4, amdzen5") "/memory-controller.json "
#define UMC_METRIC EVENTS_OF("zen4, amdzen5") "/recommended.json "

static const struct cat_perf_pmu umc_pmus[] = {
	{ "amd_umc", 4, UNCORE_C "amd_uncore_umc_ctx_init: CPUID 0x80000022, counters by controllers" },
};

static const struct cat_perf_event umc_events[] = {
	P(MEM_CLOCK, UMC_JSON "umc_mem_clk", .clock = true),
	P(CAS_READ, UMC_JSON "umc_cas_cmd.rd"),
	P(CAS_WRITE, UMC_JSON "umc_cas_cmd.wr"),
	P(DATA_SLOT, UMC_JSON "umc_data_slot_clks.all"),
};

static const struct cat_perf_group umc_groups[] = {
	G("memory", TEXTS(CAS_READ, CAS_WRITE, DATA_SLOT, MEM_CLOCK), .metrics_only = true),
};

static const struct cat_metric umc_metrics[] = {
	M("memory_read_bytes_total", "bytes", SOCKET, "Bytes that all memory channels of the socket read: 64 for each read command", UMC_METRIC "umc_mem_read_bandwidth",
	  SUM(IN(CAS_READ)), .scale = 64),
	M("memory_write_bytes_total", "bytes", SOCKET, "Bytes that all memory channels of the socket wrote: 64 for each write command", UMC_METRIC "umc_mem_write_bandwidth",
	  SUM(IN(CAS_WRITE)), .scale = 64),
	M("memory_bus_utilization_ratio", "ratio", UNIT, "Share of time in which the data bus of the memory channel was in use", UMC_METRIC "umc_data_bus_utilization",
	  SUM(IN(DATA_SLOT)), .clamp = true, .scale = 0.5, .den = SUM(IN(MEM_CLOCK))),
	M("memory_controller_clock_hertz", "hertz", UNIT, "Measured frequency of the memory controller", UMC_JSON "umc_mem_clk", SUM(IN(MEM_CLOCK)), .den = SUM(IN("seconds"))),
};

const struct cat_perf cat_perf_umc = {
	.name = "umc", .title = "AMD memory controllers (Zen 4 and later)", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0xff, 0 },
					     { 26, 0, 255, 0 } }, .n_ids = 3,
	TABLES_OF(umc),
};
