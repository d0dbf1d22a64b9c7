/* SPDX-License-Identifier: MIT
 * The tables that perf.c lists, by file; private to the room. */
#ifndef CATALOG_TABLES_PERF_TABLES_H
#define CATALOG_TABLES_PERF_TABLES_H

#include "catalog/perf.h"
#include "catalog/tables/rows.h"

/* Above all clocks of their uncore: 4.4 GHz (DDR5-8800) is the fastest memory, a ring or mesh has 5
 * GHz or less. */
#define INTEL_MAX_HZ 6000000000
#define IN(spec_) { .spec = (spec_) }
#define TIMES(weight_, spec_) { .spec = (spec_), .weight = (weight_) }
/* Of a socket; why is a sentence that doctor says. */
#define ABSENT(name_, unit_, why_, source_, help_) \
	{ .name = name_, .unit = unit_, .per = CAT_PER_SOCKET, .absent = why_, .source = source_, \
	  .help = help_ }
#define ABSENT_UNIT(name_, unit_, why_, source_, help_) \
	{ .name = name_, .unit = unit_, .per = CAT_PER_UNIT, .absent = why_, .source = source_, \
	  .help = help_ }

/* Where no source says what memory channels could move: why of the socket, and of a channel. */
#define NO_MEMORY_USE(why_, why_channel_, source_) \
	ABSENT("memory_utilization_ratio", "ratio", why_, source_, \
	  "Share of what the memory channels of the socket could move that they moved"), \
	ABSENT_UNIT("memory_channel_utilization_ratio", "ratio", why_channel_, source_, \
	  "Share of what the memory channel could move that it moved"), \
	ABSENT_UNIT("memory_channel_capacity_bytes_total", "bytes", why_channel_, source_, \
	  "Bytes that the memory channel could have moved")
#define BUS_USE(what_) "no public source says how " what_ " relates to the data rate of its memory"
/* Tables of Arm's own mesh and memory controllers, which are not in servers whose makers have PMUs
 * of their own. */
#define OF_ARM TEXTS("cmn", "cmn-hns", "cmn-both", "cmn-memory", "dmc620")

/* What groups answer that many tables have. */
#define MEMORY_HELP "Bytes read from memory and written to it"
#define LLC_HELP    "Requests to the last-level cache, its misses, and how long these take"
#define MISSES_HELP "Data reads that missed the last-level cache, and how long these take"
#define LINKS_HELP  "Bytes that the links between the sockets carry, and their use"
#define PCIE_HELP   "Bytes that devices read from memory and wrote to it"

/* The set that several makers' processors have. */
#define NUMA_HELP     "Memory of this socket and of others"
#define NUMA_SET      { "numa", NUMA_HELP }
#define NUMA_HOW_MUCH "how much is read and written"
#define NUMA_HOW_LONG "how long reads take"

/* The rows of a table. */
#define IDS(...)     COUNTED(ids, cat_perf_id, __VA_ARGS__)
#define SINCE(...)   COUNTED(since, cat_perf_since, __VA_ARGS__)
#define PMUS(...)    COUNTED(pmus, cat_perf_pmu, __VA_ARGS__)
#define EVENTS(...)  COUNTED(events, cat_perf_event, __VA_ARGS__)
#define GROUPS(...)  COUNTED(groups, cat_group, __VA_ARGS__)
#define METRICS(...) COUNTED(metrics, cat_metric, __VA_ARGS__)

extern const struct cat_perf cat_perf_nhm, cat_perf_nhmex;              /* perf_nhm.c */
/* perf_snbep.c */
extern const struct cat_perf cat_perf_snbep, cat_perf_hsx, cat_perf_ep_home, cat_perf_hsx_reads;
extern const struct cat_perf cat_perf_skx;
/* perf_icx.c */
extern const struct cat_perf cat_perf_icx, cat_perf_spr, cat_perf_gnr, cat_perf_srf;
extern const struct cat_perf cat_perf_pmem, cat_perf_hbm;               /* perf_memory.c */
extern const struct cat_perf cat_perf_ep_pages, cat_perf_snbep_pages, cat_perf_icx_pages; /* perf_pages.c */
/* perf_published.c */
extern const struct cat_perf cat_perf_xeon_reads, cat_perf_srf_reads, cat_perf_xeon_home;
extern const struct cat_perf cat_perf_skx_latency, cat_perf_icx_latency, cat_perf_spr_latency;
extern const struct cat_perf cat_perf_spr_pmem, cat_perf_xeon_io, cat_perf_spr_socket;
extern const struct cat_perf cat_perf_xeon6_socket;
/* perf_client.c */
extern const struct cat_perf cat_perf_snb, cat_perf_tgl, cat_perf_mtl, cat_perf_lnl;
/* perf_amd.c */
extern const struct cat_perf cat_perf_zen2, cat_perf_zen3, cat_perf_zen4, cat_perf_zen5;
extern const struct cat_perf cat_perf_zen6, cat_perf_umc, cat_perf_umc_commands, cat_perf_zen5_latency;
extern const struct cat_perf cat_perf_naples, cat_perf_ryzen, cat_perf_raphael; /* perf_amd_df.c */
extern const struct cat_perf cat_perf_epyc, cat_perf_genoa, cat_perf_turin, cat_perf_zen6_df;
extern const struct cat_perf cat_perf_genoa_sets, cat_perf_turin_sets;
extern const struct cat_perf cat_perf_cmn, cat_perf_cmn_hns, cat_perf_cmn_both;    /* perf_arm.c */
extern const struct cat_perf cat_perf_cmn_memory, cat_perf_dmc620;
/* perf_arm_servers.c */
extern const struct cat_perf cat_perf_hip08, cat_perf_hip09, cat_perf_ampereone, cat_perf_yitian;
extern const struct cat_perf cat_perf_cxl;                              /* perf_cxl.c */
extern const struct cat_perf cat_perf_grace, cat_perf_vera, cat_perf_vera_links; /* perf_nvidia.c */
/* perf_power.c */
extern const struct cat_perf cat_perf_rapl, cat_perf_cstate, cat_perf_msr;

#endif
