/* SPDX-License-Identifier: MIT
 * Ice Lake-SP, Sapphire Rapids, Emerald Rapids, Granite Rapids and Sierra Forest through Linux.
 * Their CHAs select what the request table counts by a wide unit mask; there is no filter to share.
 */
#include "catalog/tables/perf_intel.h"

#define HIT     "perf/uncore_cha/event=0x35,umask=0xc817fd01,name=tor_inserts_ia_hit_drd/"
#define MISS    "perf/uncore_cha/event=0x35,umask=0xc817fe01,name=tor_inserts_ia_miss_drd/"
#define IN_MISS "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=tor_occupancy_ia_miss_drd/"
#define ICX_CLOCK "perf/uncore_cha_0/event=0x00,name=clockticks/"
#define SPR_CLOCK "perf/uncore_cha_0/event=0x01,name=clockticks/"
#define PORTS   "0xff"
#define LATENCY "llc_demand_data_read_miss_latency"
#define ALL_PARTS " UNC_IIO_DATA_REQ_OF_CPU.MEM_{READ,WRITE}.ALL_PARTS"

#define CHA_EVENTS(clock_, perfmon_) \
	P(clock_, "perfmon " perfmon_ " UNC_CHA_CLOCKTICKS", .clock = true), \
	P(HIT, "perfmon " perfmon_ " UNC_CHA_TOR_INSERTS.IA_HIT_DRD"), \
	P(MISS, "perfmon " perfmon_ " UNC_CHA_TOR_INSERTS.IA_MISS_DRD"), \
	P(IN_MISS, "perfmon " perfmon_ " UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", .counters = 0x1)

#define JUST(...) __VA_ARGS__
/* What each of them has. The arguments end with its group and its metrics of the memory. */
#define SERVER(name_, clock_, hit_, miss_, in_miss_, iio_source_, memory_, ...) \
	GROUPS( \
		memory_, \
		G("llc", TEXTS(clock_, hit_, miss_, in_miss_), .metrics_only = true, .help = LLC_HELP), \
		IO_GROUPS(PORTS)), \
	METRICS( \
		__VA_ARGS__, \
		CLOCK_METRIC(clock_, "perfmon " name_ " metric uncore_frequency"), \
		LLC_METRICS(hit_, miss_, in_miss_, clock_, DEMAND_ALONE, LATENCY " of " name_), \
		UPI_METRICS, IIO_METRICS(PORTS, iio_source_))

/* ------------------------------------------------------------------ Ice Lake-SP */

const struct cat_perf cat_perf_icx = {
	.name = "icx", .title = "Intel Xeon Scalable (Ice Lake-SP)", .vendor = INTEL,
	IDS({ 6, 106, 106, 0 }, { 6, 108, 108, 0 }), .max_hz = INTEL_MAX_HZ,
	.one_filter = TEXTS("uncore_cha", "uncore_pcu"),
	SINCE({ 6, 106, LINUX(5, 7), "commit 2b3b76b5ec67, pulled for v5.7-rc1: linux-kernel, perf-urgent-2020-04-12" },
	      { 6, 108, LINUX(5, 7), "the same commit" }),
	PMUS(
		{ "uncore_imc", 4, SNBEP_C "icx_uncore_imc" },
		{ "uncore_imc_free_running", 0, SNBEP_C "icx_uncore_imc_free_running" },
		{ "uncore_upi", 4, SNBEP_C "icx_uncore_upi" },
		{ "uncore_cha", 4, SNBEP_C "icx_uncore_chabox" },
		{ "uncore_iio", 4, SNBEP_C "icx_uncore_iio" },
		{ "uncore_iio_free_running", 0, SNBEP_C "icx_uncore_iio_free_running" },
		{ "uncore_ubox", 2, SNBEP_C "snr_uncore_ubox, for icx too" },
		{ "uncore_irp", 2, SNBEP_C "icx_uncore_irp" },
		{ "uncore_pcu", 4, SNBEP_C "snr_uncore_pcu, for icx too" },
		{ "uncore_m2m", 4, SNBEP_C "icx_uncore_m2m" },
		{ "uncore_m2pcie", 4, SNBEP_C "icx_uncore_m2pcie" },
		{ "uncore_m3upi", 4, SNBEP_C "icx_uncore_m3upi" }),
	EVENTS(
		P(CAS_READ, SNBEP_C "icx_uncore_imc_events", PUBLISHED_READ, .max_inc = 1, .cas = true),
		P(CAS_WRITE, SNBEP_C "icx_uncore_imc_events", PUBLISHED_WRITE, .max_inc = 1, .cas = true),
		P(DCLK, SNBEP_C "icx_uncore_imc_events clockticks; perfmon ICX UNC_M_CLOCKTICKS",
		  PUBLISHED_CLOCK, .max_inc = 1),
		UPI_EVENTS("ICX"),
		CHA_EVENTS(ICX_CLOCK, "ICX"),
		IIO_EVENTS(PORTS,
		  "perfmon ICX UNC_IIO_DATA_REQ_OF_CPU.MEM_{READ,WRITE}.PART0 to PART7; all ports as in UNC_IIO_NUM_REQ_OF_CPU.COMMIT.ALL")),
	SERVER("ICX", ICX_CLOCK, HIT, MISS, IN_MISS,
	  "perfmon SPR metrics iio_bandwidth_read, iio_bandwidth_write, whose events ICX has",
	  JUST(G("memory", TEXTS(CAS_READ, CAS_WRITE), .help = MEMORY_HELP),
	    USE_GROUPS(DCLK, .nvdimm = CAT_WITHOUT_NVDIMM)),
	  MEMORY_METRICS(SCALED, IN(CAS_READ), IN(CAS_WRITE)),
	  HALF_RATE(BOTH_CAS, DCLK, DDR_MOST(3200, 2), "perfmon ICX UNC_M_CAS_COUNT, UNC_M_CLOCKTICKS")),
};

/* -------------------------------------------------------------- Sapphire Rapids, Emerald Rapids */

#define HCLK \
	{ "imc", 0x0001, 0x0101, \
	  "counts HCLK on this processor, which the kernel calls clockticks, and not the clock of the channel; DCLK is " \
	  "event=0x01,umask=0x01 of the same PMU" }
static const struct cat_perf_caveat spr_caveats[] = { HCLK, { 0 } };

const struct cat_perf cat_perf_spr = {
	.name = "spr", .title = "Intel Xeon Scalable (Sapphire Rapids, Emerald Rapids)",
	.vendor = INTEL,
	IDS({ 6, 143, 143, 0 }, { 6, 207, 207, 0 }),
	.max_hz = INTEL_MAX_HZ,
	.one_filter = TEXTS("uncore_cha"), .caveats = spr_caveats,
	SINCE({ 6, 143, LINUX(5, 15),
		"commit c54c53d9921a: linux-kernel, [GIT PULL] perf changes for v5.15, perf-core-2021-08-30" },
	      { 6, 207, LINUX(6, 2), "commit 5268a2842066: linux-kernel, [GIT PULL] perf/urgent for v6.2-rc4" }),
	PMUS(
		{ "uncore_imc", 4, SNBEP_C "spr_uncore_imc; " DISCOVERY },
		{ "uncore_imc_free_running", 0, SNBEP_C "spr_uncore_imc_free_running" },
		{ "uncore_upi", 4, SNBEP_C "spr_uncore_upi; " DISCOVERY },
		{ "uncore_cha", 4, SNBEP_C "spr_uncore_chabox; " DISCOVERY },
		{ "uncore_iio", 4, SNBEP_C "spr_uncore_iio; " DISCOVERY },
		{ "uncore_iio_free_running", 0, SNBEP_C "spr_uncore_iio_free_running" }),
	EVENTS(
		P(CAS_READ, SNBEP_C "spr_uncore_imc_events", PUBLISHED_READ, .max_inc = 2, .cas = true,
		  .numbers = "event=0x05,umask=0xcf,name=cas_count_read"),
		P(CAS_WRITE, SNBEP_C "spr_uncore_imc_events", PUBLISHED_WRITE, .max_inc = 2, .cas = true,
		  .numbers = "event=0x05,umask=0xf0,name=cas_count_write"),
		P(DCLK_MASK, "perfmon SPR, EMR UNC_M_CLOCKTICKS: at DCLK frequency", PUBLISHED_CLOCK, .max_inc = 1),
		UPI_EVENTS("SPR, EMR"),
		CHA_EVENTS(SPR_CLOCK, "SPR, EMR"),
		IIO_EVENTS(PORTS, "perfmon SPR, EMR" ALL_PARTS)),
	SERVER("SPR", SPR_CLOCK, HIT, MISS, IN_MISS, "perfmon SPR metrics iio_bandwidth_read, iio_bandwidth_write",
	  JUST(G("memory", TEXTS(CAS_READ, CAS_WRITE), .help = MEMORY_HELP),
	    USE_GROUPS(DCLK_MASK, .nvdimm = CAT_WITHOUT_NVDIMM)),
	  MEMORY_METRICS(SCALED, IN(CAS_READ), IN(CAS_WRITE)),
	  HALF_RATE(BOTH_CAS, DCLK_MASK, DDR_MOST(5600, 2),
	    "perfmon SPR, EMR UNC_M_CAS_COUNT (both halves), UNC_M_CLOCKTICKS")),
};

/* ---------------------------------------------------- Granite Rapids: two subchannels a channel */

/* By numbers: kernels before 2026 have no names for them, only cas_count_read and _write, which
 * count subchannel 0 alone. */
#define READ0  "perf/uncore_imc/event=0x05,umask=0xcf,name=cas_count_read_sch0/"
#define READ1  "perf/uncore_imc/event=0x06,umask=0xcf,name=cas_count_read_sch1/"
#define WRITE0 "perf/uncore_imc/event=0x05,umask=0xf0,name=cas_count_write_sch0/"
#define WRITE1 "perf/uncore_imc/event=0x06,umask=0xf0,name=cas_count_write_sch1/"
#define ALL0   "perf/uncore_imc/event=0x05,umask=0xff,name=cas_count_sch0/"
#define ALL1   "perf/uncore_imc/event=0x06,umask=0xff,name=cas_count_sch1/"

static const struct cat_perf_pmu gnr_pmus[] = {
	{ "uncore_imc", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
	{ "uncore_upi", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
	{ "uncore_cha", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
	{ "uncore_iio", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
	{ "uncore_iio_free_running", 0, SNBEP_C "gnr_uncore_iio_free_running" },
};

#define BOTH(a_, b_) IN(a_), IN(b_)

/* Each channel of the memory is two. */
#define SUBCHANNEL(spec_, name_) \
	P(spec_, "perfmon GNR, SRF, CWF UNC_M_CAS_COUNT_" name_, .published = "CAS_COUNT_" name_, \
	  .max_inc = 1, .cas = true)
#define SUBCHANNELS \
	SUBCHANNEL(READ0, "SCH0.RD"), SUBCHANNEL(READ1, "SCH1.RD"), \
	SUBCHANNEL(WRITE0, "SCH0.WR"), SUBCHANNEL(WRITE1, "SCH1.WR"), \
	SUBCHANNEL(ALL0, "SCH0.ALL"), SUBCHANNEL(ALL1, "SCH1.ALL"), \
	P(DCLK_MASK, "perfmon GNR, SRF, CWF UNC_M_CLOCKTICKS", PUBLISHED_CLOCK, .max_inc = 1)
/* Reads and writes of both and the clock are five events, one more than there are counters. */
#define SUBCHANNEL_GROUPS \
	G("memory", TEXTS(READ0, READ1, WRITE0, WRITE1), .metrics_only = true, .help = MEMORY_HELP), \
	G("channels", TEXTS(ALL0, ALL1, DCLK_MASK), .metrics_only = true, .on_request = true, \
	  .metrics = CHANNEL_NAMES, .help = CHANNELS_HELP)
/* most_: MT/s of the fastest memory of which it is known what a clock moves; than_: what is faster */
#define SUBCHANNEL_METRICS(most_, than_) \
	MEMORY_METRICS(.scale = 64, BOTH(READ0, READ1), BOTH(WRITE0, WRITE1)), \
	QUARTER_RATE(BOTH(ALL0, ALL1), DCLK_MASK, DDR_MOST(most_, 4), \
	  "perfmon GNR, SRF, CWF UNC_M_CAS_COUNT_SCH0.ALL, _SCH1.ALL, UNC_M_CLOCKTICKS", \
	  .disputed = "above " #most_ " MT/s" than_ " no public source says what moves in a count of the clock: left out " \
	    "there (conflict)")

#define ONE_SUBCHANNEL(umask_, this_, event_, other_) \
	{ "imc", umask_ << 8 | this_, umask_ << 8 | other_, \
	  "counts one subchannel of two on this processor, about half of the traffic; the other " \
	  "half is event=" event_ \
	  ",umask=" #umask_ " of the same PMU" }
static const struct cat_perf_caveat gnr_caveats[] = {
	ONE_SUBCHANNEL(0xcf, 0x05, "0x06", 0x06), ONE_SUBCHANNEL(0xcf, 0x06, "0x05", 0x05),
	ONE_SUBCHANNEL(0xf0, 0x05, "0x06", 0x06), ONE_SUBCHANNEL(0xf0, 0x06, "0x05", 0x05), HCLK, { 0 },
};

const struct cat_perf cat_perf_gnr = {
	.name = "gnr", .title = "Intel Xeon 6 with P-cores (Granite Rapids)", .vendor = INTEL,
	IDS({ 6, 173, 173, 0 }, { 6, 174, 174, 0 }),
	.max_hz = INTEL_MAX_HZ, .one_filter = TEXTS("uncore_cha"),
	.caveats = gnr_caveats,
	SINCE({ 6, 173, LINUX(6, 8), "commit 632c4bf6d007, v6.8: deepin-community/kernel#243" },
	      { 6, 174, LINUX(6, 8), "the same commit" }),
	.pmus = gnr_pmus, .n_pmus = COUNT(gnr_pmus),
	EVENTS(
		SUBCHANNELS,
		UPI_EVENTS("GNR"),
		CHA_EVENTS(SPR_CLOCK, "GNR"),
		IIO_EVENTS(PORTS, "perfmon GNR" ALL_PARTS)),
	SERVER("GNR", SPR_CLOCK, HIT, MISS, IN_MISS, "perfmon GNR metrics iio_bandwidth_read, iio_bandwidth_write",
	  JUST(SUBCHANNEL_GROUPS),
	  SUBCHANNEL_METRICS(6400, ", as of memory with multiplexed ranks (MRDIMM),")),
};

/* ------------------------------------------ Sierra Forest, Clearwater Forest: another data read */

#define OPT_HIT     "perf/uncore_cha/event=0x35,umask=0xc827fd01,name=tor_inserts_ia_hit_drd_opt/"
#define OPT_MISS    "perf/uncore_cha/event=0x35,umask=0xc827fe01,name=tor_inserts_ia_miss_drd_opt/"
#define OPT_IN_MISS \
		"perf/uncore_cha/event=0x36,umask=0xc827fe01,name=tor_occupancy_ia_miss_drd_opt/"

const struct cat_perf cat_perf_srf = {
	.name = "srf", .title = "Intel Xeon 6 with E-cores (Sierra Forest, Clearwater Forest)",
	.vendor = INTEL,
	IDS({ 6, 175, 175, 0 }, { 6, 221, 221, 0 }),
	.one_filter = TEXTS("uncore_cha"), .caveats = gnr_caveats, .max_hz = INTEL_MAX_HZ,
	SINCE({ 6, 175, LINUX(6, 8), "commit cb4a6ccf3583, v6.8: deepin-community/kernel#243" },
	      { 6, 221, LINUX(6, 13), "commit b6ccddd6fe1f, v6.13-rc5: openvelinux/kernel#81" }),
	.pmus = gnr_pmus, .n_pmus = COUNT(gnr_pmus),
	EVENTS(
		SUBCHANNELS,
		UPI_EVENTS("SRF, CWF"),
		P(SPR_CLOCK, "perfmon SRF, CWF UNC_CHA_CLOCKTICKS", .clock = true),
		P(OPT_HIT, "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_HIT_DRD_OPT"),
		P(OPT_MISS, "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT"),
		P(OPT_IN_MISS, "perfmon SRF, CWF UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT", .counters = 0x1),
		IIO_EVENTS(PORTS, "perfmon SRF, CWF" ALL_PARTS)),
	SERVER("SRF", SPR_CLOCK, OPT_HIT, OPT_MISS, OPT_IN_MISS,
	  "perfmon SRF metrics iio_bandwidth_read, iio_bandwidth_write",
	  JUST(SUBCHANNEL_GROUPS), SUBCHANNEL_METRICS(8000, "")),
};
