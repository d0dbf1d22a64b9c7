/* SPDX-License-Identifier: MIT
 * Caches of AMD Zen to Zen 5, and memory controllers, which count since Zen 4 (Linux 6.10). */
#include "catalog/tables/perf_amd.h"

/* ------------------------------------------------------------ last-level cache, all generations */

#define LOOKUPS "perf/amd_l3/event=0x04,umask=0xff,name=l3_lookup_state_all/"
#define MISSES  "perf/amd_l3/event=0x04,umask=0x01,name=l3_lookup_state_miss/"
#define L3_EVENTS(json_) \
	P(LOOKUPS, json_ "l3_cache_accesses"), \
	P(MISSES, json_ "l3_misses")
#define L3_METRICS(json_) \
	M("llc_lookups_total", "lookups", SOCKET, json_ "l3_cache_accesses", SUM(IN(LOOKUPS)), \
	  .help = "Requests to the last-level caches of the socket"), \
	M("llc_misses_total", "misses", SOCKET, json_ "l3_misses", SUM(IN(MISSES)), \
	  .help = "Requests that the last-level caches of the socket did not have, changes of a line's state among them"), \
	M("llc_miss_ratio", "ratio", SOCKET, json_ "l3_misses, l3_cache_accesses", SUM(IN(MISSES)), \
	  .den = SUM(IN(LOOKUPS)), \
	  .help = "Share of the requests to the last-level caches of the socket that missed"), \
	ABSENT("clock_hertz", "hertz", "no public source names an event that counts the clock of the data fabric", \
	  json_ "and the other files there", "Measured frequency of the data fabric")

/* ------------------------------------------------------------------ Zen to Zen 3 */

#define WAITING "perf/amd_l3/event=0x90,name=xi_sys_fill_latency/"
#define ZEN2_FILLS "perf/amd_l3/event=0x9a,umask=0x3f,name=xi_ccx_sdp_req1/"
#define ZEN3_FILLS "perf/amd_l3/event=0x9a,umask=0xff,name=xi_ccx_sdp_req1/"
/* Events, groups and metrics; request_: the event file's name of the fills. */
#define WITH_FILLS(zen_, fills_, request_) \
	EVENTS( \
		L3_EVENTS(ZEN_JSON(zen_)), P(WAITING, EVENTS_OF(zen_) "/cache.json xi_sys_fill_latency"), \
		P(fills_, EVENTS_OF(zen_) "/cache.json " request_)), \
	GROUPS(G("llc", TEXTS(LOOKUPS, MISSES, WAITING, fills_), .metrics_only = true, .help = LLC_HELP)), \
	METRICS( \
		L3_METRICS(ZEN_JSON(zen_)), \
		M("llc_miss_latency_cycles", "cycles", SOCKET, ZEN_JSON(zen_) "l3_read_miss_latency", \
		  SUM(IN(WAITING)), \
		  .scale = 16, .den = SUM(IN(fills_)), \
		  .help = "Mean core cycles from a miss of the last-level cache until the line came"))

#define ZEN_PMUS \
	PMUS({ "amd_l3", 6, UNCORE_C "NUM_COUNTERS_L3, get_llc_id" }), .part = CAT_PART_CACHE

const struct cat_perf cat_perf_zen2 = {
	.name = "zen2", .title = "AMD Zen, Zen+ and Zen 2", .vendor = AMD,
	IDS({ 23, 0, 255, 0 }),
	ZEN_PMUS,
	WITH_FILLS("zen1, amdzen2", ZEN2_FILLS, "xi_ccx_sdp_req1.all_l3_miss_req_typs"),
};

const struct cat_perf cat_perf_zen3 = {
	.name = "zen3", .title = "AMD Zen 3", .vendor = AMD,
	IDS({ 25, 0x00, 0x0f, 0 }, { 25, 0x20, 0x2f, 0 }, { 25, 0x40, 0x5f, 0 }),
	ZEN_PMUS,
	WITH_FILLS("zen3", ZEN3_FILLS, "xi_ccx_sdp_req1"),
};

/* ------------------------------------------------------------------ Zen 4, Zen 5: cache */

/* These two count only with every field given (Linux commit 498d3486376b). */
#define ALL "enallcores=1,enallslices=1,sliceid=3,threadmask=3"
#define LATENCY "perf/amd_l3/event=0xac,umask=0x3f," ALL ",name=l3_xi_sampled_latency_all/"
#define SAMPLES "perf/amd_l3/event=0xad,umask=0x3f," ALL ",name=l3_xi_sampled_latency_requests_all/"

const struct cat_perf cat_perf_zen4 = {
	.name = "zen4", .title = "AMD Zen 4", .vendor = AMD,
	IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0x7f, 0 }, { 25, 0xa0, 0xaf, 0 }),
	ZEN_PMUS,
	EVENTS(L3_EVENTS(ZEN_JSON("zen4"))),
	GROUPS(G("llc", TEXTS(LOOKUPS, MISSES), .metrics_only = true,
	  .help = "Requests to the last-level cache, and its misses")),
	METRICS(
		L3_METRICS(ZEN_JSON("zen4")),
		ABSENT("llc_miss_latency_seconds", "seconds",
		  "public sources disagree whether the events l3_xi_sampled_latency count tens of nanoseconds or of core cycles",
		  ZEN_JSON("zen4") "l3_read_miss_latency (core clocks), "
		  "against that of amdzen5 (1ns) for the same events",
		  "Mean time from a miss of the last-level cache until the line came")),
};

const struct cat_perf cat_perf_zen5 = {
	.name = "zen5", .title = "AMD Zen 5", .vendor = AMD,
	IDS({ 26, 0x00, 0x4f, 0 }, { 26, 0x60, 0x7f, 0 }),
	ZEN_PMUS,
	EVENTS(
		L3_EVENTS(ZEN_JSON("zen5")),
		P(LATENCY, EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency.all"),
		P(SAMPLES, EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency_requests.all")),
	GROUPS(G("llc", TEXTS(LOOKUPS, MISSES, LATENCY, SAMPLES), .metrics_only = true, .help = LLC_HELP)),
	METRICS(
		L3_METRICS(ZEN_JSON("zen5")),
		M("llc_miss_latency_seconds", "seconds", SOCKET, ZEN_JSON("zen5") "l3_read_miss_latency, ScaleUnit 1ns",
		  SUM(IN(LATENCY)), .scale = 10e-9, .den = SUM(IN(SAMPLES)),
		  .help = "Mean time from a miss of the last-level cache until the line came, of requests that the hardware samples")),
};

/* ----------------------------------------------------------------- memory controllers, Zen 4 on */

#define UMC(terms_) "perf/amd_umc/" terms_ "/"
#define MEM_CLOCK UMC("event=0x00,name=umc_mem_clk")
#define CAS_READ  UMC("event=0x0a,rdwrmask=1,name=umc_cas_cmd_rd")
#define CAS_WRITE UMC("event=0x0a,rdwrmask=2,name=umc_cas_cmd_wr")
#define DATA_SLOT UMC("event=0x14,name=umc_data_slot_clks_all")
#define UMC_SPECS TEXTS(CAS_READ, CAS_WRITE, DATA_SLOT, MEM_CLOCK)
#define UMC_JSON  EVENTS_OF("zen4, amdzen5") "/memory-controller.json "
#define UMC_METRIC EVENTS_OF("zen4, amdzen5") "/recommended.json "

const struct cat_perf cat_perf_umc = {
	.name = "umc", .title = "AMD memory controllers (Zen 4 and later)", .vendor = AMD,
	IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0xff, 0 }, { 26, 0, 255, 0 }),
	PMUS(
		{ "amd_umc", 4,
		UNCORE_C "amd_uncore_umc_ctx_init: CPUID 0x80000022, counters by controllers; " AMD_PACKAGE }),
	.part = CAT_PART_SOCKET,
	EVENTS(
		P(MEM_CLOCK, UMC_JSON "umc_mem_clk", .clock = true),
		P(CAS_READ, UMC_JSON "umc_cas_cmd.rd", .cas = true),
		P(CAS_WRITE, UMC_JSON "umc_cas_cmd.wr", .cas = true),
		P(DATA_SLOT, UMC_JSON "umc_data_slot_clks.all")),
	GROUPS(
		G("memory", UMC_SPECS, .metrics_only = true,
		  .help = "Bytes read from memory and written to it, and the use of its data buses"),
		G("channels", UMC_SPECS, .metrics_only = true, .on_request = true, .metrics = CHANNEL_NAMES,
		  .help = CHANNELS_HELP)),
	METRICS(
		M("memory_read_bytes_total", "bytes", SOCKET, UMC_METRIC "umc_mem_read_bandwidth", SUM(IN(CAS_READ)),
		  .scale = 64,
		  .help = "Bytes that all memory channels of the socket read: 64 for each read command"),
		M("memory_write_bytes_total", "bytes", SOCKET, UMC_METRIC "umc_mem_write_bandwidth", SUM(IN(CAS_WRITE)),
		  .scale = 64,
		  .help = "Bytes that all memory channels of the socket wrote: 64 for each write command"),
		M("memory_knee_bytes_per_second", "bytes_per_second", SOCKET, KNEE_SOURCE, SUM(IN(CAS_READ)),
		  .scale = 64, .den = SUM(IN(CAS_WRITE)), .knee = CAT_KNEE, .help = KNEE_HELP),
		M("memory_headroom_ratio", "ratio", SOCKET, KNEE_SOURCE, SUM(IN(CAS_READ)), .scale = 64,
		  .den = SUM(IN(CAS_WRITE)), .knee = CAT_HEADROOM, .help = HEADROOM_HELP),
		M("memory_utilization_ratio", "ratio", SOCKET, UMC_METRIC "umc_data_bus_utilization",
		  SUM(IN(DATA_SLOT)), .bounded = true, .with_memory = true, .scale = 0.5, .den = SUM(IN(MEM_CLOCK)),
		  .help = "Share of time in which the data buses of the socket's memory channels were in use; channels without memory are left out"),
		M("memory_channel_utilization_ratio", "ratio", UNIT, UMC_METRIC "umc_data_bus_utilization",
		  SUM(IN(DATA_SLOT)), .bounded = true, .with_memory = true, .scale = 0.5, .den = SUM(IN(MEM_CLOCK)),
		  .help = "Share of time in which the data bus of the memory channel was in use; one without memory has no value"),
		CAPACITY_METRIC(IN(MEM_CLOCK), 16,
		  UMC_JSON "umc_mem_clk; MEMCLK is half the data rate of DDR5, the bus 8 bytes wide",
		  .scaled = false),
		M("memory_controller_clock_hertz", "hertz", UNIT, UMC_JSON "umc_mem_clk", SUM(IN(MEM_CLOCK)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the memory controller")),
};
