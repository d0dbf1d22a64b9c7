/* SPDX-License-Identifier: MIT
 * Caches of AMD Zen to Zen 6, and memory controllers, which count since Zen 4. */
#include "catalog/tables/perf_amd.h"

/* ------------------------------------------------------------ last-level cache, all generations */

#define LOOKUPS "perf/amd_l3/event=0x04,umask=0xff,name=l3_lookup_state_all/"
#define MISSES  "perf/amd_l3/event=0x04,umask=0x01,name=l3_lookup_state_miss/"
/* all_, miss_: what the generation's list of events calls them */
#define L3_EVENTS(json_, all_, miss_) \
	P(LOOKUPS, json_ "l3_cache_accesses", .published = all_), \
	P(MISSES, json_ "l3_misses", .published = miss_)
#define ZEN4_L3_EVENTS(json_) \
	L3_EVENTS(json_, "l3_lookup_state.all_coherent_accesses_to_l3", "l3_lookup_state.l3_miss")
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
		L3_EVENTS(ZEN_JSON(zen_), "l3_lookup_state.all_l3_req_typs", "l3_misses"), \
		P(WAITING, EVENTS_OF(zen_) "/cache.json xi_sys_fill_latency"), \
		P(fills_, EVENTS_OF(zen_) "/cache.json " request_, .published = request_)), \
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

/* ------------------------------------------------------------------ Zen 4 to Zen 6: cache */

/* These two count only with every field given (Linux commit 498d3486376b). */
#define ALL "enallcores=1,enallslices=1,sliceid=3,threadmask=3"
#define LATENCY "perf/amd_l3/event=0xac,umask=0x3f," ALL ",name=l3_xi_sampled_latency_all/"
#define SAMPLES "perf/amd_l3/event=0xad,umask=0x3f," ALL ",name=l3_xi_sampled_latency_requests_all/"

const struct cat_perf cat_perf_zen4 = {
	.name = "zen4", .title = "AMD Zen 4", .vendor = AMD,
	IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0x7f, 0 }, { 25, 0xa0, 0xaf, 0 }),
	ZEN_PMUS,
	EVENTS(ZEN4_L3_EVENTS(ZEN_JSON("zen4"))),
	GROUPS(G("llc", TEXTS(LOOKUPS, MISSES), .metrics_only = true,
	  .help = "Requests to the last-level cache, and its misses")),
	METRICS(
		L3_METRICS(ZEN_JSON("zen4")),
		ABSENT("llc_miss_latency_seconds", "seconds", NO_SAMPLED_TIME,
		  ZEN_JSON("zen4") "l3_read_miss_latency (core clocks), "
		  "against that of amdzen5 (1ns) for the same events",
		  "Mean time from a miss of the last-level cache until the line came")),
};

/* What Zen 5 and Zen 6 have. */
#define WITH_SAMPLES(zen_) \
	ZEN_PMUS, \
	EVENTS( \
		ZEN4_L3_EVENTS(ZEN_JSON(zen_)), \
		P(LATENCY, EVENTS_OF(zen_) "/l3-cache.json l3_xi_sampled_latency.all"), \
		P(SAMPLES, EVENTS_OF(zen_) "/l3-cache.json l3_xi_sampled_latency_requests.all")), \
	GROUPS(G("llc", TEXTS(LOOKUPS, MISSES, LATENCY, SAMPLES), .metrics_only = true, .help = LLC_HELP)), \
	METRICS( \
		L3_METRICS(ZEN_JSON(zen_)), \
		M("llc_miss_latency_seconds", "seconds", SOCKET, ZEN_JSON(zen_) "l3_read_miss_latency, ScaleUnit 1ns", \
		  SUM(IN(LATENCY)), .scale = 10e-9, .den = SUM(IN(SAMPLES)), \
		  .help = "Mean time from a miss of the last-level cache until the line came, of requests that the hardware samples"))

const struct cat_perf cat_perf_zen5 = {
	.name = "zen5", .title = "AMD Zen 5", .vendor = AMD,
	IDS({ 26, 0x00, 0x4f, 0 }, { 26, 0x60, 0x7f, 0 }), WITH_SAMPLES("zen5"),
};

const struct cat_perf cat_perf_zen6 = {
	.name = "zen6", .title = "AMD Zen 6", .vendor = AMD, ZEN6_IDS, WITH_SAMPLES("zen6"),
};

#define SAMPLED(umask_, where_) "perf/amd_l3/event=0xac,umask=" umask_ "," ALL ",name=l3_xi_sampled_latency_" where_ "/"
#define SAMPLED_REQUESTS(umask_, where_) \
	"perf/amd_l3/event=0xad,umask=" umask_ "," ALL ",name=l3_xi_sampled_latency_requests_" where_ "/"
#define NEAR_LATENCY SAMPLED("0x01", "dram_near")
#define NEAR_SAMPLES SAMPLED_REQUESTS("0x01", "dram_near")
#define FAR_LATENCY  SAMPLED("0x02", "dram_far")
#define FAR_SAMPLES  SAMPLED_REQUESTS("0x02", "dram_far")
#define SAMPLED_EVENT(spec_, name_) P(spec_, EVENTS_OF("zen5, amdzen6") "/l3-cache.json l3_xi_sampled_latency" name_)

const struct cat_perf cat_perf_zen5_latency = {
	.name = "zen5-latency", .title = "AMD Zen 5 and Zen 6, latency of near and of far memory",
	.vendor = AMD, .sets = true, IDS({ 26, 0x00, 0xaf, 0 }, { 26, 0xc0, 0xcf, 0 }), ZEN_PMUS,
	EVENTS(
		SAMPLED_EVENT(NEAR_LATENCY, ".dram_near"), SAMPLED_EVENT(NEAR_SAMPLES, "_requests.dram_near"),
		SAMPLED_EVENT(FAR_LATENCY, ".dram_far"), SAMPLED_EVENT(FAR_SAMPLES, "_requests.dram_far")),
	GROUPS(
		G("numa_latency", TEXTS(NEAR_LATENCY, NEAR_SAMPLES, FAR_LATENCY, FAR_SAMPLES),
		  .metrics_only = true, .on_request = true, .set = &(const struct cat_set)NUMA_SET,
		  .part = NUMA_HOW_LONG,
		  .help = "How long reads of DRAM in the same NUMA node take, and in other ones")),
	METRICS(
		M("numa_local_read_latency_seconds", "seconds", SOCKET,
		  ZEN_JSON("zen5, amdzen6") "l3_read_miss_latency_for_local_dram, ScaleUnit 1ns",
		  SUM(IN(NEAR_LATENCY)), .scale = 10e-9, .den = SUM(IN(NEAR_SAMPLES)),
		  .help = "Mean time from a miss of the last-level cache until DRAM of the same NUMA node served it, of requests that the hardware samples"),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET,
		  ZEN_JSON("zen5, amdzen6") "l3_read_miss_latency_for_remote_dram, ScaleUnit 1ns",
		  SUM(IN(FAR_LATENCY)), .scale = 10e-9, .den = SUM(IN(FAR_SAMPLES)),
		  .help = "Mean time from a miss of the last-level cache until DRAM of another NUMA node served it, of requests that the hardware samples")),
};

/* ----------------------------------------------------------------- memory controllers, Zen 4 on */

#define UMC(terms_) "perf/amd_umc/" terms_ "/"
#define MEM_CLOCK UMC("event=0x00,name=umc_mem_clk")
#define CAS_READ  UMC("event=0x0a,rdwrmask=1,name=umc_cas_cmd_rd")
#define CAS_WRITE UMC("event=0x0a,rdwrmask=2,name=umc_cas_cmd_wr")
#define DATA_SLOT UMC("event=0x14,name=umc_data_slot_clks_all")
#define UMC_SPECS TEXTS(CAS_READ, CAS_WRITE, DATA_SLOT, MEM_CLOCK)
#define UMC_JSON  EVENTS_OF("zen4, amdzen5, amdzen6") "/memory-controller.json "
#define UMC_METRIC EVENTS_OF("zen4, amdzen5, amdzen6") "/recommended.json "

/* Commit 25e56847821f, pulled for v6.7: linux-kernel, perf-core-2023-10-28. */
#define UMC_HOLDS \
	.pmus_since = LINUX(6, 7), \
	.vendor = AMD, IDS({ 25, 0x10, 0x1f, 0 }, { 25, 0x60, 0xff, 0 }, { 26, 0, 255, 0 }), \
	PMUS( \
		{ "amd_umc", 4, \
		  UNCORE_C "amd_uncore_umc_ctx_init: CPUID 0x80000022, counters by controllers; " AMD_PACKAGE }), \
	.part = CAT_PART_SOCKET

const struct cat_perf cat_perf_umc = {
	.name = "umc", .title = "AMD memory controllers (Zen 4 and later)", UMC_HOLDS,
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
		KNEE_METRICS(SUM(IN(CAS_READ)), SUM(IN(CAS_WRITE)), .scale = 64),
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

/* In AMD's own formulas a rate is of 1000 clocks; here it is of one. */
#define CAS_ALL       UMC("event=0x0a,name=umc_cas_cmd_all")
#define ACTIVATE_ALL  UMC("event=0x05,name=umc_act_cmd_all")
#define PRECHARGE_ALL UMC("event=0x06,name=umc_pchg_cmd_all")
#define OF_COMMANDS   .metrics_only = true, .on_request = true, .set = &memory_commands
#define COMMAND_RATE(name_, metric_, spec_, help_) \
	M("memory_channel_" name_ "_ratio", "ratio", UNIT, UMC_METRIC metric_, SUM(IN(spec_)), \
	  .with_memory = true, .den = SUM(IN(MEM_CLOCK)), .help = help_)
#define COMMAND_SHARE(name_, metric_, spec_, help_) \
	M("memory_channel_" name_ "_ratio", "ratio", UNIT, UMC_METRIC metric_, SUM(IN(spec_)), .bounded = true, \
	  .with_memory = true, .den = SUM(IN(CAS_ALL)), .help = help_)

static const struct cat_set memory_commands = {
	"memory_commands", "Which commands the memory channels get, and how many of a clock"
};

const struct cat_perf cat_perf_umc_commands = {
	.name = "umc-commands", .title = "AMD memory controllers (Zen 4 and later), commands", .sets = true,
	UMC_HOLDS,
	EVENTS(
		P(MEM_CLOCK, UMC_JSON "umc_mem_clk", .clock = true),
		P(CAS_ALL, UMC_JSON "umc_cas_cmd.all", .cas = true),
		P(CAS_READ, UMC_JSON "umc_cas_cmd.rd", .cas = true),
		P(CAS_WRITE, UMC_JSON "umc_cas_cmd.wr", .cas = true),
		P(ACTIVATE_ALL, UMC_JSON "umc_act_cmd.all"),
		P(PRECHARGE_ALL, UMC_JSON "umc_pchg_cmd.all")),
	GROUPS(
		G("command_rates", TEXTS(CAS_ALL, ACTIVATE_ALL, PRECHARGE_ALL, MEM_CLOCK), OF_COMMANDS,
		  .help = "How many commands each memory channel gets in a clock: CAS, ACTIVATE, PRECHARGE"),
		G("command_mix", TEXTS(CAS_ALL, CAS_READ, CAS_WRITE), OF_COMMANDS,
		  .help = "How much of each memory channel's traffic is read, and how much written")),
	METRICS(
		COMMAND_RATE("cas", "umc_cas_cmd_rate, of a clock", CAS_ALL,
		  "CAS commands, which read or write, that the memory channel gets in one of its clocks; one without memory has no value"),
		COMMAND_RATE("activate", "umc_activate_cmd_rate, of a clock", ACTIVATE_ALL,
		  "ACTIVATE commands, which open a row, that the memory channel gets in one of its clocks; one without memory has no value"),
		COMMAND_RATE("precharge", "umc_precharge_cmd_rate, of a clock", PRECHARGE_ALL,
		  "PRECHARGE commands, which close a row, that the memory channel gets in one of its clocks; one without memory has no value"),
		COMMAND_SHARE("read_cas", "umc_cas_cmd_read_ratio", CAS_READ,
		  "Share of the memory channel's CAS commands that read"),
		COMMAND_SHARE("write_cas", "umc_cas_cmd_write_ratio", CAS_WRITE,
		  "Share of the memory channel's CAS commands that write")),
};
