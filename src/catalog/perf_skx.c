/* perf_skx.c - Skylake-SP, Cascade Lake and Cooper Lake: what to count through Linux. */
#include "config.h"

#include "catalog/perf_tables.h"

#define KERNEL "Linux arch/x86/events/intel/uncore_snbep.c "

#define CAS_READ  "perf/uncore_imc/cas_count_read/"
#define CAS_WRITE "perf/uncore_imc/cas_count_write/"

static const struct cat_perf_pmu pmus[] = {
	{ "uncore_imc", 4, KERNEL "skx_uncore_imc (num_counters)" },
};

static const struct cat_perf_event events[] = {
	{ .spec = CAS_READ, .source = KERNEL "hswep_uncore_imc_events" },
	{ .spec = CAS_WRITE, .source = KERNEL "hswep_uncore_imc_events" },
};

static const struct cat_perf_group groups[] = {
	{ .name = "memory", .specs = SPECS(CAS_READ, CAS_WRITE) },
};

static const struct cat_metric metrics[] = {
	{ .name = "memory_read_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scaled = true, .num = { IN(CAS_READ) },
	  .source = "perfmon SKX memory_bandwidth_read",
	  .help = "Bytes that all channels of the socket read from memory" },
	{ .name = "memory_write_bytes_total", .unit = CAT_BYTES, .per = CAT_PER_SOCKET, .scaled = true, .num = { IN(CAS_WRITE) },
	  .source = "perfmon SKX memory_bandwidth_write",
	  .help = "Bytes that all channels of the socket wrote to memory" },
};

const struct cat_perf cat_perf_skx = {
	.name = "skx", .title = "Intel Xeon Scalable (Skylake-SP, Cascade Lake, Cooper Lake)", .vendor = INTEL,
	.ids = (const struct cat_perf_id[]){ { 6, 85, 85 } }, .n_ids = 1,
	.pmus = pmus, .n_pmus = COUNT(pmus), .events = events, .n_events = COUNT(events),
	.groups = groups, .n_groups = COUNT(groups), .metrics = metrics, .n_metrics = COUNT(metrics),
};
