/* SPDX-License-Identifier: MIT
 * Memory beside the DDR channels of Intel's servers through Linux: Optane and
 * high-bandwidth memory. */
#include "catalog/tables/perf_intel.h"

/* ------------------------------------------------------- Optane: on the same controllers as DDR */

#define PMM_READ  "perf/uncore_imc/event=0xe3,name=pmm_rpq_inserts/"
#define PMM_WRITE "perf/uncore_imc/event=0xe7,name=pmm_wpq_inserts/"
#define PMM_SOURCE "perfmon metrics pmem_memory_bandwidth_read, pmem_memory_bandwidth_write of " \
		"CLX, ICX, SPR"

/* perfmon mapfile.csv: from stepping 5 on model 85 is a Cascade Lake, which has the events. */
const struct cat_perf cat_perf_pmem = {
	.name = "pmem", .title = "Intel Optane persistent memory (Cascade Lake to Sapphire Rapids)",
	.vendor = INTEL,
	IDS({ 6, 85, 85, 5 }, { 6, 106, 106, 0 }, { 6, 143, 143, 0 }),
	PMUS({ "uncore_imc", 4, SNBEP_C "skx_uncore_imc, icx_uncore_imc, spr_uncore_imc" }),
	EVENTS(
		P(PMM_READ, "perfmon CLX, ICX, SPR UNC_M_PMM_RPQ_INSERTS"),
		P(PMM_WRITE, "perfmon CLX, ICX, SPR UNC_M_PMM_WPQ_INSERTS")),
	GROUPS(G("pmem", TEXTS(PMM_READ, PMM_WRITE), .metrics_only = true, .nvdimm = CAT_WITH_NVDIMM,
	  .help = "Bytes read from Optane persistent memory and written to it")),
	METRICS(
		M("persistent_memory_read_bytes_total", "bytes", SOCKET, PMM_SOURCE, SUM(IN(PMM_READ)), .scale = 64,
		  .help = "Bytes read from Optane persistent memory, 64 for each request that the controllers queued"),
		M("persistent_memory_write_bytes_total", "bytes", SOCKET, PMM_SOURCE, SUM(IN(PMM_WRITE)), .scale = 64,
		  .help = "Bytes written to Optane persistent memory, 64 for each request that the controllers queued")),
};

/* -------------------------------------------------------------- high-bandwidth memory: Xeon Max */

#define HBM_READ  "perf/uncore_hbm/event=0x05,umask=0xcf,name=cas_count_rd/"
#define HBM_WRITE "perf/uncore_hbm/event=0x05,umask=0xf0,name=cas_count_wr/"
#define HBM_SOURCE "pcm cpucounters.cpp, EDC of SPR; cpucounters.h getHBMCASTransferSize: 32 bytes"
#define HBM_USE "no public source says what a channel of the high-bandwidth memory moves in a count of its clock"

const struct cat_perf cat_perf_hbm = {
	.name = "hbm", .title = "Intel Xeon Max, high-bandwidth memory (Sapphire Rapids)",
	.vendor = INTEL, IDS({ 6, 143, 143, 0 }),
	SINCE({ 6, 143, LINUX(6, 11), "commit f8a86a9bb5f7, v6.11-rc1: deepin-community/kernel#841" }),
	.unnamed = 14, .few = true,
	PMUS({ "uncore_hbm", 4, SNBEP_C "spr_uncore_hbm; " DISCOVERY }),
	EVENTS(
		P(HBM_READ, "perfmon SPR UNC_MCHBM_CAS_COUNT.RD"),
		P(HBM_WRITE, "perfmon SPR UNC_MCHBM_CAS_COUNT.WR")),
	GROUPS(G("hbm", TEXTS(HBM_READ, HBM_WRITE), .metrics_only = true,
	  .help = "Bytes read from high-bandwidth memory and written to it")),
	METRICS(
		M("high_bandwidth_memory_read_bytes_total", "bytes", SOCKET, HBM_SOURCE, SUM(IN(HBM_READ)), .scale = 32,
		  .help = "Bytes read from the high-bandwidth memory of the socket, 32 for each read command"),
		M("high_bandwidth_memory_write_bytes_total", "bytes", SOCKET, HBM_SOURCE, SUM(IN(HBM_WRITE)),
		  .scale = 32,
		  .help = "Bytes written to the high-bandwidth memory of the socket, 32 for each write command"),
		ABSENT("high_bandwidth_memory_utilization_ratio", "ratio", HBM_USE,
		  HBM_SOURCE, "Share of what the channels of the high-bandwidth memory could move that they moved"),
		ABSENT_UNIT("high_bandwidth_memory_channel_utilization_ratio", "ratio", HBM_USE,
		  HBM_SOURCE, "Share of what the channel of the high-bandwidth memory could move that it moved"),
		ABSENT_UNIT("high_bandwidth_memory_channel_capacity_bytes_total", "bytes", HBM_USE,
		  HBM_SOURCE, "Bytes that the channel of the high-bandwidth memory could have moved")),
};
