/* perf_amd.c - AMD Zen to Zen 5 through Linux.
 *
 * The data fabric of Zen to Zen 3 has four counters for eight memory channels: what a socket reads and writes cannot be
 * counted at once, and a part of it is no answer. Memory controllers count since Zen 4 (Linux 6.10).
 */
#include "config.h"

#include "catalog/perf_tables.h"

#define AMD "AuthenticAMD"
#define UNCORE_C "Linux arch/x86/events/amd/uncore.c "
#define EVENTS_OF(zen_) "Linux tools/perf/pmu-events/arch/x86/amd" zen_

/* ------------------------------------------------------------------ last-level cache, all generations */

#define LOOKUPS "perf/amd_l3/event=0x04,umask=0xff,name=l3_lookup_state_all/"
#define MISSES  "perf/amd_l3/event=0x04,umask=0x01,name=l3_lookup_state_miss/"
#define L3_EVENTS(json_) \
	{ .spec = LOOKUPS, .source = json_ "l3_cache_accesses" }, \
	{ .spec = MISSES, .source = json_ "l3_misses" }
#define L3_METRICS(json_) \
	{ .name = "llc_lookups_total", .unit = CAT_COUNT, .per = CAT_PER_SOCKET, .num = { IN(LOOKUPS) }, \
	  .source = json_ "l3_cache_accesses", .help = "Requests to the last-level caches of the socket" }, \
	{ .name = "llc_misses_total", .unit = CAT_COUNT, .per = CAT_PER_SOCKET, .num = { IN(MISSES) }, \
	  .source = json_ "l3_misses", \
	  .help = "Requests that the last-level caches of the socket did not have, changes of a line's state among them" }, \
	{ .name = "llc_miss_ratio", .unit = CAT_RATIO, .per = CAT_PER_SOCKET, .num = { IN(MISSES) }, .den = { IN(LOOKUPS) }, \
	  .source = json_ "l3_misses, l3_cache_accesses", \
	  .help = "Share of the requests to the last-level caches of the socket that missed" }

/* ------------------------------------------------------------------ Zen to Zen 3 */

#define WAITING "perf/amd_l3/event=0x90,name=xi_sys_fill_latency/"
#define ZEN2_FILLS "perf/amd_l3/event=0x9a,umask=0x3f,name=xi_ccx_sdp_req1/"
#define ZEN3_FILLS "perf/amd_l3/event=0x9a,umask=0xff,name=xi_ccx_sdp_req1/"
#define ZEN_JSON(zen_) EVENTS_OF(zen_) "/recommended.json "
#define MISS_CYCLES(fills_, zen_) \
	{ .name = "llc_miss_latency_cycles", .unit = CAT_CYCLES, .per = CAT_PER_SOCKET, .scale = 16, .num = { IN(WAITING) }, \
	  .den = { IN(fills_) }, .source = ZEN_JSON(zen_) "l3_read_miss_latency", \
	  .help = "Mean core cycles from a miss of the last-level cache until the line came" }

static const struct cat_perf_pmu zen_pmus[] = {
	{ "amd_l3", 6, UNCORE_C "NUM_COUNTERS_L3" },
};

static const struct cat_perf_event zen2_events[] = {
	L3_EVENTS(ZEN_JSON("zen1, amdzen2")),
	{ .spec = WAITING, .source = EVENTS_OF("zen1, amdzen2") "/cache.json xi_sys_fill_latency" },
	{ .spec = ZEN2_FILLS, .source = EVENTS_OF("zen1, amdzen2") "/cache.json xi_ccx_sdp_req1.all_l3_miss_req_typs" },
};

static const struct cat_perf_event zen3_events[] = {
	L3_EVENTS(ZEN_JSON("zen3")),
	{ .spec = WAITING, .source = EVENTS_OF("zen3") "/cache.json xi_sys_fill_latency" },
	{ .spec = ZEN3_FILLS, .source = EVENTS_OF("zen3") "/cache.json xi_ccx_sdp_req1" },
};

static const struct cat_perf_group zen2_groups[] = {
	{ .name = "llc", .quiet = true, .specs = SPECS(LOOKUPS, MISSES, WAITING, ZEN2_FILLS) },
};

static const struct cat_perf_group zen3_groups[] = {
	{ .name = "llc", .quiet = true, .specs = SPECS(LOOKUPS, MISSES, WAITING, ZEN3_FILLS) },
};

static const struct cat_metric zen2_metrics[] = {
	L3_METRICS(ZEN_JSON("zen1, amdzen2")), MISS_CYCLES(ZEN2_FILLS, "zen1, amdzen2"),
};

static const struct cat_metric zen3_metrics[] = {
	L3_METRICS(ZEN_JSON("zen3")), MISS_CYCLES(ZEN3_FILLS, "zen3"),
};

const struct cat_perf cat_perf_zen2 = {
	.name = "zen2", .title = "AMD Zen, Zen+ and Zen 2", .vendor = AMD, .ids = (const struct cat_perf_id[]){ { 23, 0, 255 } },
	.n_ids = 1, .pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen2_events, .n_events = COUNT(zen2_events),
	.groups = zen2_groups, .n_groups = COUNT(zen2_groups), .metrics = zen2_metrics, .n_metrics = COUNT(zen2_metrics),
};

const struct cat_perf cat_perf_zen3 = {
	.name = "zen3", .title = "AMD Zen 3", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x00, 0x0f }, { 25, 0x20, 0x2f }, { 25, 0x40, 0x5f } }, .n_ids = 3,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen3_events, .n_events = COUNT(zen3_events),
	.groups = zen3_groups, .n_groups = COUNT(zen3_groups), .metrics = zen3_metrics, .n_metrics = COUNT(zen3_metrics),
};

/* ------------------------------------------------------------------ links between sockets of EPYC 7002 and 7003
 *
 * An EPYC 7001 has a data fabric in each of its four dies, and links among them: left out.
 */

#define OUT(n_, code_) "perf/amd_df/event=" code_ ",umask=0x02,name=remote_outbound_data_controller_" n_ "/"
#define OUT0 OUT("0", "0x7c7")
#define OUT1 OUT("1", "0x807")
#define OUT2 OUT("2", "0x847")
#define OUT3 OUT("3", "0x887")
#define OUT_EVENT(spec_) { .spec = spec_, .source = EVENTS_OF("zen2, amdzen3") "/data-fabric.json" }

static const struct cat_perf_pmu epyc_pmus[] = {
	{ "amd_df", 4, UNCORE_C "NUM_COUNTERS_NB" },
};

static const struct cat_perf_event epyc_events[] = {
	OUT_EVENT(OUT0), OUT_EVENT(OUT1), OUT_EVENT(OUT2), OUT_EVENT(OUT3),
};

static const struct cat_perf_group epyc_groups[] = {
	{ .name = "links", .quiet = true, .specs = SPECS(OUT0, OUT1, OUT2, OUT3) },
};

static const struct cat_metric epyc_metrics[] = {
	{ .name = "link_sent_data_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 32,
	  .num = { IN(OUT0), IN(OUT1), IN(OUT2), IN(OUT3) },
	  .source = EVENTS_OF("zen2") "/recommended.json all_remote_links_outbound",
	  .help = "Bytes of data that the socket sent to the other one, 32 for each packet" },
};

const struct cat_perf cat_perf_epyc = {
	.name = "epyc", .title = "AMD EPYC 7002 and 7003, links between sockets", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 23, 0x31, 0x31 }, { 25, 0x00, 0x0f } }, .n_ids = 2, TABLES_OF(epyc),
};

/* ------------------------------------------------------------------ Zen 4, Zen 5: cache */

/* These two count only with every field given (Linux commit 498d3486376b). */
#define ALL "enallcores=1,enallslices=1,sliceid=3,threadmask=3"
#define LATENCY "perf/amd_l3/event=0xac,umask=0x3f," ALL ",name=l3_xi_sampled_latency_all/"
#define SAMPLES "perf/amd_l3/event=0xad,umask=0x3f," ALL ",name=l3_xi_sampled_latency_requests_all/"

static const struct cat_perf_event zen4_events[] = { L3_EVENTS(ZEN_JSON("zen4")) };

static const struct cat_perf_group zen4_groups[] = {
	{ .name = "llc", .quiet = true, .specs = SPECS(LOOKUPS, MISSES) },
};

/* Sources disagree whether the latency is sampled in nanoseconds or core cycles: left out. */
static const struct cat_metric zen4_metrics[] = { L3_METRICS(ZEN_JSON("zen4")) };

const struct cat_perf cat_perf_zen4 = {
	.name = "zen4", .title = "AMD Zen 4", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x10, 0x1f }, { 25, 0x60, 0x7f }, { 25, 0xa0, 0xaf } }, .n_ids = 3,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen4_events, .n_events = COUNT(zen4_events),
	.groups = zen4_groups, .n_groups = COUNT(zen4_groups), .metrics = zen4_metrics, .n_metrics = COUNT(zen4_metrics),
};

static const struct cat_perf_event zen5_events[] = {
	L3_EVENTS(ZEN_JSON("zen5")),
	{ .spec = LATENCY, .source = EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency.all" },
	{ .spec = SAMPLES, .source = EVENTS_OF("zen5") "/l3-cache.json l3_xi_sampled_latency_requests.all" },
};

static const struct cat_perf_group zen5_groups[] = {
	{ .name = "llc", .quiet = true, .specs = SPECS(LOOKUPS, MISSES, LATENCY, SAMPLES) },
};

static const struct cat_metric zen5_metrics[] = {
	L3_METRICS(ZEN_JSON("zen5")),
	{ .name = "llc_miss_latency_seconds", .unit = CAT_SECONDS, .per = CAT_PER_SOCKET, .scale = 10e-9, .num = { IN(LATENCY) },
	  .den = { IN(SAMPLES) }, .source = ZEN_JSON("zen5") "l3_read_miss_latency, ScaleUnit 1ns",
	  .help = "Mean time from a miss of the last-level cache until the line came, of requests that the hardware samples" },
};

const struct cat_perf cat_perf_zen5 = {
	.name = "zen5", .title = "AMD Zen 5", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 26, 0x00, 0x4f }, { 26, 0x60, 0x7f } }, .n_ids = 2,
	.pmus = zen_pmus, .n_pmus = COUNT(zen_pmus), .events = zen5_events, .n_events = COUNT(zen5_events),
	.groups = zen5_groups, .n_groups = COUNT(zen5_groups), .metrics = zen5_metrics, .n_metrics = COUNT(zen5_metrics),
};

/* ------------------------------------------------------------------ memory controllers, Zen 4 on */

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
	{ .spec = MEM_CLOCK, .clock = true, .source = UMC_JSON "umc_mem_clk" },
	{ .spec = CAS_READ, .source = UMC_JSON "umc_cas_cmd.rd" },
	{ .spec = CAS_WRITE, .source = UMC_JSON "umc_cas_cmd.wr" },
	{ .spec = DATA_SLOT, .source = UMC_JSON "umc_data_slot_clks.all" },
};

static const struct cat_perf_group umc_groups[] = {
	{ .name = "memory", .quiet = true, .specs = SPECS(CAS_READ, CAS_WRITE, DATA_SLOT, MEM_CLOCK) },
};

static const struct cat_metric umc_metrics[] = {
	{ .name = "memory_read_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 64, .num = { IN(CAS_READ) },
	  .source = UMC_METRIC "umc_mem_read_bandwidth",
	  .help = "Bytes that all memory channels of the socket read: 64 for each read command" },
	{ .name = "memory_write_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 64, .num = { IN(CAS_WRITE) },
	  .source = UMC_METRIC "umc_mem_write_bandwidth",
	  .help = "Bytes that all memory channels of the socket wrote: 64 for each write command" },
	{ .name = "memory_bus_utilization_ratio", .unit = CAT_RATIO, .per = CAT_PER_UNIT, .clamp = true, .scale = 0.5,
	  .num = { IN(DATA_SLOT) }, .den = { IN(MEM_CLOCK) }, .source = UMC_METRIC "umc_data_bus_utilization",
	  .help = "Share of time in which the data bus of the memory channel was in use" },
};

const struct cat_perf cat_perf_umc = {
	.name = "umc", .title = "AMD memory controllers (Zen 4 and later)", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 23, 0, 255 }, { 25, 0, 255 }, { 26, 0, 255 } }, .n_ids = 3, TABLES_OF(umc),
};

/* ------------------------------------------------------------------ PCIe of EPYC 9004 and 9005 */

#define DF(name_, code_, umask_) "perf/amd_df/event=" code_ ",umask=" umask_ ",name=" name_ "/"
#define DF_EVENT(zen_, spec_) { .spec = (spec_), .source = EVENTS_OF(zen_) "/data-fabric.json" }
#define DF_COUNTERS UNCORE_C "amd_uncore_df_ctx_init: CPUID 0x80000022, 16 on these"
#define PCIE_READ(source_, ...) \
	{ .name = "pcie_read_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 64, .num = { __VA_ARGS__ }, \
	  .source = source_, .help = "Bytes that devices of the socket read from memory, 64 for each beat" }
#define PCIE_WRITE(source_, ...) \
	{ .name = "pcie_write_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scale = 64, .num = { __VA_ARGS__ }, \
	  .source = source_, .help = "Bytes that devices of the socket wrote to memory, 64 for each beat" }

/* Four I/O moderators, memory of the own socket and of the other. */
#define IOM_LOCAL_READ(n_, code_)   DF("local_socket_upstream_read_beats_iom" n_, code_, "0x7fe")
#define IOM_LOCAL_WRITE(n_, code_)  DF("local_socket_upstream_write_beats_iom" n_, code_, "0x7ff")
#define IOM_REMOTE_READ(n_, code_)  DF("remote_socket_upstream_read_beats_iom" n_, code_, "0xbfe")
#define IOM_REMOTE_WRITE(n_, code_) DF("remote_socket_upstream_write_beats_iom" n_, code_, "0xbff")
#define FOUR(what_) what_("0", "0x81f"), what_("1", "0x85f"), what_("2", "0x89f"), what_("3", "0x8df")
#define IN_FOUR(what_) \
	IN(what_("0", "0x81f")), IN(what_("1", "0x85f")), IN(what_("2", "0x89f")), IN(what_("3", "0x8df"))
#define EVENTS_FOUR(what_) \
	DF_EVENT("zen4", what_("0", "0x81f")), DF_EVENT("zen4", what_("1", "0x85f")), \
	DF_EVENT("zen4", what_("2", "0x89f")), DF_EVENT("zen4", what_("3", "0x8df"))

static const struct cat_perf_pmu genoa_pmus[] = { { "amd_df", 16, DF_COUNTERS } };

static const struct cat_perf_event genoa_events[] = {
	EVENTS_FOUR(IOM_LOCAL_READ), EVENTS_FOUR(IOM_REMOTE_READ), EVENTS_FOUR(IOM_LOCAL_WRITE), EVENTS_FOUR(IOM_REMOTE_WRITE),
};

static const struct cat_perf_group genoa_groups[] = {
	{ .name = "pcie", .quiet = true, .specs = SPECS(FOUR(IOM_LOCAL_READ), FOUR(IOM_REMOTE_READ), FOUR(IOM_LOCAL_WRITE),
							 FOUR(IOM_REMOTE_WRITE)) },
};

static const struct cat_metric genoa_metrics[] = {
	PCIE_READ(ZEN_JSON("zen4") "local_socket_upstream_dma_read_data, remote_socket_upstream_dma_read_data",
		  IN_FOUR(IOM_LOCAL_READ), IN_FOUR(IOM_REMOTE_READ)),
	PCIE_WRITE(ZEN_JSON("zen4") "local_socket_upstream_dma_write_data, remote_socket_upstream_dma_write_data",
		   IN_FOUR(IOM_LOCAL_WRITE), IN_FOUR(IOM_REMOTE_WRITE)),
};

const struct cat_perf cat_perf_genoa = {
	.name = "genoa", .title = "AMD EPYC 9004 and 8004, traffic of devices", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 25, 0x10, 0x1f }, { 25, 0xa0, 0xaf } }, .n_ids = 2, TABLES_OF(genoa),
};

/* Eight I/O root complexes. */
#define IO_READ(n_, code_)  DF("local_or_remote_socket_upstream_read_data_beats_io_" n_, code_, "0xffe")
#define IO_WRITE(n_, code_) DF("local_or_remote_socket_upstream_write_data_beats_io_" n_, code_, "0xfff")
#define EIGHT(what_) FOUR(what_), what_("4", "0x91f"), what_("5", "0x95f"), what_("6", "0x99f"), what_("7", "0x9df")
#define IN_EIGHT(what_) \
	IN_FOUR(what_), IN(what_("4", "0x91f")), IN(what_("5", "0x95f")), IN(what_("6", "0x99f")), IN(what_("7", "0x9df"))
#define EVENTS_EIGHT(what_) \
	DF_EVENT("zen5", what_("0", "0x81f")), DF_EVENT("zen5", what_("1", "0x85f")), \
	DF_EVENT("zen5", what_("2", "0x89f")), DF_EVENT("zen5", what_("3", "0x8df")), \
	DF_EVENT("zen5", what_("4", "0x91f")), DF_EVENT("zen5", what_("5", "0x95f")), \
	DF_EVENT("zen5", what_("6", "0x99f")), DF_EVENT("zen5", what_("7", "0x9df"))

static const struct cat_perf_pmu turin_pmus[] = { { "amd_df", 16, DF_COUNTERS } };
static const struct cat_perf_event turin_events[] = { EVENTS_EIGHT(IO_READ), EVENTS_EIGHT(IO_WRITE) };

static const struct cat_perf_group turin_groups[] = {
	{ .name = "pcie", .quiet = true, .specs = SPECS(EIGHT(IO_READ), EIGHT(IO_WRITE)) },
};

static const struct cat_metric turin_metrics[] = {
	PCIE_READ(ZEN_JSON("zen5") "and data-fabric.json, upstream DMA read data beats (64 bytes)", IN_EIGHT(IO_READ)),
	PCIE_WRITE(ZEN_JSON("zen5") "and data-fabric.json, upstream DMA write data beats (64 bytes)", IN_EIGHT(IO_WRITE)),
};

const struct cat_perf cat_perf_turin = {
	.name = "turin", .title = "AMD EPYC 9005, traffic of devices", .vendor = AMD,
	.ids = (const struct cat_perf_id[]){ { 26, 0x00, 0x1f } }, .n_ids = 1, TABLES_OF(turin),
};
