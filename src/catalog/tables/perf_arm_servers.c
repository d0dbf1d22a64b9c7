/* SPDX-License-Identifier: MIT
 * Servers with Arm cores whose makers have PMUs of their own: HiSilicon's Kunpeng, AmpereOne,
 * Alibaba's Yitian 710. */
#include "catalog/tables/perf_tables.h"

/* By implementer and part: Linux arch/arm64/include/asm/cputype.h. */
enum { ARM = 0x41, HISILICON = 0x48, AMPERE = 0xc0 };
#define NEOVERSE_N2 ARM, 0xd49, 0xd49, 0

/* What a memory controller's clock says of its memory, nobody publishes of these. */
#define NO_USE(what_, source_) \
	NO_MEMORY_USE(BUS_USE("the clock of " what_), BUS_USE("the clock of " what_), source_)

/* ------------------------------------------------------------------ HiSilicon */

/*
 * Kunpeng 920 (hip08) and its successor (hip09, identifier 0x30), whose drivers give events of the
 * same name other codes: rows are by name. A cpumask is a CPU of the die, by whose number the PMU is
 * called. The kernel gives no unit of what the memory controllers count; their maker does.
 */
#define HISI_C "Linux drivers/perf/hisilicon/hisi_uncore_"
#define HIP08  "Linux tools/perf/pmu-events/arch/arm64/hisilicon/hip08/uncore-"
#define FLUX   "Huawei's libkperf pmu/pmu_metric.cpp DDRBw, hip08 and hip09; openEuler hip09/sys/uncore-ddrc.json: x 32"
#define HISI_DDRC "the DDRC"

#define FLUX_READ  "perf/hisi_sccl_ddrc/flux_rd/"
#define FLUX_WRITE "perf/hisi_sccl_ddrc/flux_wr/"
#define HHA_ALL    "perf/hisi_sccl_hha/rx_ops_num/"
#define HHA_OUTER  "perf/hisi_sccl_hha/rx_outer/"
#define HHA_RD_64  "perf/hisi_sccl_hha/rd_ddr_64b/"
#define HHA_RD_128 "perf/hisi_sccl_hha/rd_ddr_128b/"
#define HHA_WR_64  "perf/hisi_sccl_hha/wr_ddr_64b/"
#define HHA_WR_128 "perf/hisi_sccl_hha/wr_ddr_128b/"
#define L3C_READ      "perf/hisi_sccl_l3c/rd_cpipe/"
#define L3C_WRITE     "perf/hisi_sccl_l3c/wr_cpipe/"
#define L3C_READ_HIT  "perf/hisi_sccl_l3c/rd_hit_cpipe/"
#define L3C_WRITE_HIT "perf/hisi_sccl_l3c/wr_hit_cpipe/"
#define L3C_REF       "perf/hisi_sccl_l3c/l3c_ref/"
#define L3C_HIT       "perf/hisi_sccl_l3c/l3c_hit/"

/* A counter of the DDRC is for one event alone. */
#define DDRC_PMU { "hisi_sccl_ddrc", 8, HISI_C "ddrc_pmu.c DDRC_NR_COUNTERS" }
#define FLUX_EVENTS \
	P(FLUX_READ, HISI_C "ddrc_pmu.c flux_rd", .cas = true), \
	P(FLUX_WRITE, HISI_C "ddrc_pmu.c flux_wr", .cas = true)
#define HHA_EVENTS \
	P(HHA_ALL, HISI_C "hha_pmu.c rx_ops_num"), \
	P(HHA_OUTER, HISI_C "hha_pmu.c rx_outer")
#define FLUX_GROUP \
	G("memory", TEXTS(FLUX_READ, FLUX_WRITE), .metrics_only = true, .help = MEMORY_HELP)
#define FLUX_METRICS \
	M("memory_read_bytes_total", "bytes", SOCKET, FLUX, SUM(IN(FLUX_READ)), .scale = 32, \
	  .help = "Bytes that the memory controllers of the socket read, 32 for each count"), \
	M("memory_write_bytes_total", "bytes", SOCKET, FLUX, SUM(IN(FLUX_WRITE)), .scale = 32, \
	  .help = "Bytes that the memory controllers of the socket wrote, 32 for each count"), \
	NO_USE(HISI_DDRC, HISI_C "ddrc_pmu.c")
#define HHA_GROUP \
	G("numa", TEXTS(HHA_ALL, HHA_OUTER), .metrics_only = true, .on_request = true, \
	  .help = "Operations of the home agents, and the share that another socket asked for")
#define HHA_METRICS \
	M("home_requests_total", "requests", SOCKET, HIP08 "hha.json rx_ops_num", SUM(IN(HHA_ALL)), \
	  .help = "Operations that the home agents of the socket received"), \
	M("home_remote_request_ratio", "ratio", SOCKET, HIP08 "hha.json rx_outer, rx_ops_num", SUM(IN(HHA_OUTER)), \
	  .den = SUM(IN(HHA_ALL)), \
	  .help = "Share of the operations on the memory of the socket, at its home agents, that came from another socket")

const struct cat_perf cat_perf_hip08 = {
	.name = "hip08", .title = "HiSilicon Kunpeng 920", .vendor = "", IDS({ HISILICON, 0xd01, 0xd01, 0 }),
	.by_pmu = true, .instead_of = OF_ARM,
	PMUS(
		DDRC_PMU,
		{ "hisi_sccl_hha", 16, HISI_C "hha_pmu.c HHA_V1_NR_COUNTERS" },
		{ "hisi_sccl_l3c", 8, HISI_C "l3c_pmu.c L3C_NR_COUNTERS" }),
	EVENTS(
		FLUX_EVENTS,
		HHA_EVENTS,
		P(HHA_RD_64, HISI_C "hha_pmu.c rd_ddr_64b"),
		P(HHA_RD_128, HISI_C "hha_pmu.c rd_ddr_128b"),
		P(HHA_WR_64, HISI_C "hha_pmu.c wr_ddr_64b"),
		P(HHA_WR_128, HISI_C "hha_pmu.c wr_ddr_128b"),
		P(L3C_READ, HISI_C "l3c_pmu.c rd_cpipe"),
		P(L3C_WRITE, HISI_C "l3c_pmu.c wr_cpipe"),
		P(L3C_READ_HIT, HISI_C "l3c_pmu.c rd_hit_cpipe"),
		P(L3C_WRITE_HIT, HISI_C "l3c_pmu.c wr_hit_cpipe")),
	GROUPS(
		FLUX_GROUP,
		G("llc", TEXTS(L3C_READ, L3C_WRITE, L3C_READ_HIT, L3C_WRITE_HIT), .metrics_only = true,
		  .help = "Requests of cores to the last-level cache, and how many hit"),
		HHA_GROUP,
		G("home", TEXTS(HHA_RD_64, HHA_RD_128, HHA_WR_64, HHA_WR_128), .metrics_only = true,
		  .on_request = true, .help = "Bytes that home agents read from memory and wrote to it")),
	METRICS(
		FLUX_METRICS,
		M("home_read_bytes_total", "bytes", SOCKET, HIP08 "hha.json rd_ddr_64b, rd_ddr_128b: their sizes",
		  SUM(TIMES(64, HHA_RD_64), TIMES(128, HHA_RD_128)),
		  .help = "Bytes that the home agents of the socket read from memory; compare memory_read_bytes_total"),
		M("home_write_bytes_total", "bytes", SOCKET, HIP08 "hha.json wr_ddr_64b, wr_ddr_128b: their sizes",
		  SUM(TIMES(64, HHA_WR_64), TIMES(128, HHA_WR_128)),
		  .help = "Bytes that the home agents of the socket wrote to memory; compare memory_write_bytes_total"),
		HHA_METRICS,
		M("llc_lookups_total", "lookups", SOCKET, HIP08 "l3c.json rd_cpipe, wr_cpipe",
		  SUM(IN(L3C_READ), IN(L3C_WRITE)),
		  .help = "Requests of the cores of the socket to its last-level caches"),
		M("llc_socket_hit_ratio", "ratio", SOCKET,
		  HIP08 "l3c.json rd_hit_cpipe, wr_hit_cpipe, rd_cpipe, wr_cpipe",
		  SUM(IN(L3C_READ_HIT), IN(L3C_WRITE_HIT)), .den = SUM(IN(L3C_READ), IN(L3C_WRITE)),
		  .help = "Share of the requests of cores that hit the last-level cache, on the whole socket")),
};

const struct cat_perf cat_perf_hip09 = {
	.name = "hip09", .title = "HiSilicon Kunpeng with PMUs of version 2 (hip09)", .vendor = "",
	/* Of later ones (hip10 to hip12) no source says what a count of the DDRC is. */
	IDS({ HISILICON, 0xd02, 0xd02, 0 }), .by_pmu = true, .instead_of = OF_ARM,
	PMUS(
		DDRC_PMU,
		{ "hisi_sccl_hha", 8, HISI_C "hha_pmu.c HHA_V2_NR_COUNTERS" },
		{ "hisi_sccl_l3c", 8, HISI_C "l3c_pmu.c L3C_NR_COUNTERS" }),
	EVENTS(
		FLUX_EVENTS,
		HHA_EVENTS,
		P(L3C_REF, HISI_C "l3c_pmu.c l3c_ref"),
		P(L3C_HIT, HISI_C "l3c_pmu.c l3c_hit")),
	GROUPS(
		FLUX_GROUP,
		G("llc", TEXTS(L3C_REF, L3C_HIT), .metrics_only = true,
		  .help = "Requests to the last-level cache, and how many hit"),
		HHA_GROUP),
	METRICS(
		FLUX_METRICS,
		HHA_METRICS,
		M("llc_lookups_total", "lookups", SOCKET, HISI_C "l3c_pmu.c l3c_ref", SUM(IN(L3C_REF)),
		  .help = "Requests to the last-level caches of the socket"),
		M("llc_socket_hit_ratio", "ratio", SOCKET, HISI_C "l3c_pmu.c l3c_hit, l3c_ref", SUM(IN(L3C_HIT)),
		  .den = SUM(IN(L3C_REF)),
		  .help = "Share of the requests that hit the last-level cache, on the whole socket")),
};

/* ------------------------------------------------------------------ AmpereOne */

#define AMPERE_C "Linux drivers/perf/arm_cspmu/ampere_cspmu.c "
#define MCU_CLOCK "perf/ampere_mcu_pmu/cycle_count/"
#define MCU_READ  "perf/ampere_mcu_pmu/rd_rda_sent/"
#define MCU_WRITE "perf/ampere_mcu_pmu/wr_wra_sent/"
#define MCU_BYTES "no public source says how many bytes a command of AmpereOne's memory controllers moves: see memory_"
#define MCU_USE   BUS_USE("the clock of AmpereOne's memory controllers")

/* threshold, rank and bank are registers of the instance. */
static const char *const mcu_one_filter[] = { "ampere_mcu_pmu", NULL };

const struct cat_perf cat_perf_ampereone = {
	.name = "ampereone", .title = "AmpereOne memory controllers", .vendor = "", IDS({ AMPERE, 0xac3, 0xac5, 0 }),
	.by_pmu = true, .instead_of = OF_ARM,
	PMUS({ "ampere_mcu_pmu", CAT_COUNTERS_UNKNOWN, AMPERE_C "ampere_cspmu_set_ev_filter" }),
	.one_filter = mcu_one_filter,
	EVENTS(
		P(MCU_CLOCK, AMPERE_C "cycle_count", .clock = true),
		P(MCU_READ, AMPERE_C "rd_rda_sent", .cas = true),
		P(MCU_WRITE, AMPERE_C "wr_wra_sent", .cas = true)),
	GROUPS(
		G("clock", TEXTS(MCU_CLOCK), .metrics_only = true, .help = "Clock of the memory controllers"),
		G("memory", TEXTS(MCU_READ, MCU_WRITE), .metrics_only = true, .on_request = true,
		  .help = "Read and write commands of the memory controllers, whose bytes no public source says")),
	METRICS(
		M("memory_read_commands_total", "commands", SOCKET, AMPERE_C "rd_rda_sent", SUM(IN(MCU_READ)),
		  .help = "Read commands that the memory controllers of the socket sent"),
		M("memory_write_commands_total", "commands", SOCKET, AMPERE_C "wr_wra_sent", SUM(IN(MCU_WRITE)),
		  .help = "Write commands that the memory controllers of the socket sent"),
		ABSENT("memory_read_bytes_total", "bytes", MCU_BYTES "read_commands_total", AMPERE_C "rd_rda_sent",
		  "Bytes that the memory controllers of the socket read"),
		ABSENT("memory_write_bytes_total", "bytes", MCU_BYTES "write_commands_total", AMPERE_C "wr_wra_sent",
		  "Bytes that the memory controllers of the socket wrote"),
		NO_MEMORY_USE(MCU_USE, MCU_USE, AMPERE_C "cycle_count"),
		M("memory_controller_clock_hertz", "hertz", UNIT, AMPERE_C "cycle_count", SUM(IN(MCU_CLOCK)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the memory controller")),
};

/* ------------------------------------------------------------------ Yitian 710 */

#define ALI_C    "Linux drivers/perf/alibaba_uncore_drw_pmu.c "
#define ALI_JSON "Linux tools/perf/pmu-events/arch/arm64/thead/yitian710/sys/metrics.json "
#define DRW_READ  "perf/ali_drw/hif_rd/"
#define DRW_WRITE "perf/ali_drw/hif_wr/"
#define DRW_RMW   "perf/ali_drw/hif_rmw/"
#define DRW_CLOCK "perf/ali_drw/cycle/"
#define DRW       "the DDR controller"

const struct cat_perf cat_perf_yitian = {
	.name = "yitian710", .title = "Alibaba Yitian 710 memory controllers", .vendor = "",
	IDS({ NEOVERSE_N2 }), .by_pmu = true, .instead_of = TEXTS("dmc620", "cmn-memory"),
	/* Sixteen counters, and one of the clock. */
	PMUS({ "ali_drw", 17, ALI_C "ALI_DRW_PMU_COMMON_MAX_COUNTERS" }),
	/* The driver says "driveway only allow one event", and takes the CPU on which it runs. */
	.each_alone = true, .served_anywhere = true,
	EVENTS(
		P(DRW_READ, ALI_C "hif_rd", .counters = 0xffff, .cas = true),
		P(DRW_WRITE, ALI_C "hif_wr", .counters = 0xffff, .cas = true),
		P(DRW_RMW, ALI_C "hif_rmw", .counters = 0xffff, .cas = true),
		P(DRW_CLOCK, ALI_C "cycle", .counters = 0x10000, .clock = true)),
	GROUPS(G("memory", TEXTS(DRW_READ, DRW_WRITE, DRW_RMW, DRW_CLOCK), .metrics_only = true,
	  .help = "Bytes read from memory and written to it, and the clock of its controllers")),
	METRICS(
		M("memory_read_bytes_total", "bytes", SOCKET, ALI_JSON "ddr_read_bandwidth.all", SUM(IN(DRW_READ)),
		  .scale = 64, .help = "Bytes that the memory controllers of the socket read"),
		M("memory_write_bytes_total", "bytes", SOCKET, ALI_JSON "ddr_write_bandwidth.all",
		  SUM(IN(DRW_WRITE), IN(DRW_RMW)),
		  .scale = 64, .help = "Bytes that the memory controllers of the socket wrote"),
		NO_USE(DRW, ALI_C "cycle"),
		M("memory_controller_clock_hertz", "hertz", UNIT, ALI_C "cycle", SUM(IN(DRW_CLOCK)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the memory controller")),
};
