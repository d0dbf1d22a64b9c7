/* SPDX-License-Identifier: MIT
 * Skylake-SP, Cascade Lake and Cooper Lake through Linux. */
#include "catalog/tables/perf_intel.h"

/* One filter register holds for all events of a CHA's request table: hits, misses and occupancy
 * want the same. */
#define DRD   ",filter_opc0=0x202,filter_rem=1,filter_loc=1,filter_nm=1,filter_not_nm=1,name="
#define CLOCK "perf/uncore_cha_0/event=0x00,name=clockticks/"
#define HIT   "perf/uncore_cha/event=0x35,umask=0x11" DRD "tor_inserts_ia_hit_drd/"
#define MISS  "perf/uncore_cha/event=0x35,umask=0x21" DRD "tor_inserts_ia_miss_drd/"
#define IN_MISS "perf/uncore_cha/event=0x36,umask=0x21" DRD "tor_occupancy_ia_miss_drd/"
#define PORTS "0x0f"
#define IIO "perfmon SKX UNC_IIO_DATA_REQ_OF_CPU.MEM_{READ,WRITE}.PART0 to PART3; all ports as " \
		"in UNC_IIO_COMP_BUF_INSERTS.CMPD.ALL_PARTS"

const struct cat_perf cat_perf_skx = {
	.name = "skx", .executed = "intel-uncore",
	.title = "Intel Xeon Scalable (Skylake-SP, Cascade Lake, Cooper Lake)",
	/* Steppings: perfmon mapfile.csv; Linux asm/intel-family.h (Cooper Lake). */
	.vendor = INTEL,
	IDS({ 6, 85, 85, 0 }),
	.max_hz = INTEL_MAX_HZ,
	.one_filter = TEXTS("uncore_cha", "uncore_pcu"),
	PMUS(
		{ "uncore_imc", 4, SNBEP_C "skx_uncore_imc" },
		{ "uncore_upi", 4, SNBEP_C "skx_uncore_upi" },
		{ "uncore_cha", 4, SNBEP_C "skx_uncore_chabox" },
		{ "uncore_iio", 4, SNBEP_C "skx_uncore_iio" },
		{ "uncore_iio_free_running", 0, SNBEP_C "skx_uncore_iio_free_running" },
		{ "uncore_ubox", 2, SNBEP_C "skx_uncore_ubox" },
		{ "uncore_irp", 2, SNBEP_C "skx_uncore_irp" },
		{ "uncore_pcu", 4, SNBEP_C "skx_uncore_pcu" },
		{ "uncore_m2m", 4, SNBEP_C "skx_uncore_m2m" },
		{ "uncore_m2pcie", 4, SNBEP_C "skx_uncore_m2pcie" },
		{ "uncore_m3upi", 3, SNBEP_C "skx_uncore_m3upi" }),
	EVENTS(
		P(CAS_READ, SNBEP_C "hswep_uncore_imc_events", PUBLISHED_READ, .max_inc = 1, .cas = true),
		P(CAS_WRITE, SNBEP_C "hswep_uncore_imc_events", PUBLISHED_WRITE, .max_inc = 1, .cas = true),
		P(DCLK, SNBEP_C "hswep_uncore_imc_events clockticks; perfmon SKX, CLX UNC_M_CLOCKTICKS",
		  PUBLISHED_CLOCK, .max_inc = 1),
		UPI_EVENTS("SKX"),
		P(CLOCK, "perfmon SKX UNC_CHA_CLOCKTICKS", .clock = true),
		P(HIT, "perfmon SKX UNC_CHA_TOR_INSERTS.IA_HIT_DRD, filter 0x40433"),
		P(MISS, "perfmon SKX UNC_CHA_TOR_INSERTS.IA_MISS_DRD, filter 0x40433"),
		P(IN_MISS, "perfmon SKX UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD, filter 0x40433", .counters = 0x1),
		IIO_EVENTS(PORTS, IIO)),
	GROUPS(
		G("memory", TEXTS(CAS_READ, CAS_WRITE), .help = MEMORY_HELP),
		USE_GROUPS(DCLK, .nvdimm = CAT_WITHOUT_NVDIMM),
		G("llc", TEXTS(CLOCK, HIT, MISS, IN_MISS), .metrics_only = true, .help = LLC_HELP),
		IO_GROUPS(PORTS)),
	METRICS(
		MEMORY_METRICS(SCALED, IN(CAS_READ), IN(CAS_WRITE)),
		HALF_RATE(BOTH_CAS, DCLK, DDR_MOST(3200, 2), "perfmon SKX, CLX UNC_M_CAS_COUNT, UNC_M_CLOCKTICKS"),
		CLOCK_METRIC(CLOCK, "perfmon SKX metric uncore_frequency"),
		LLC_METRICS(HIT, MISS, IN_MISS, CLOCK, WITH_PREFETCH,
		  "llc_data_read_demand_plus_prefetch_miss_latency of SKX"),
		UPI_METRICS,
		IIO_METRICS(PORTS, "perfmon SKX metrics io_bandwidth_read, io_bandwidth_write",
		  .disputed = IO_SLIP)),
};
