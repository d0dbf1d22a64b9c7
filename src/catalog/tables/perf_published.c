/* SPDX-License-Identifier: MIT
 * made by tests/catalog/perfmon.py --rows from tests/catalog/perfmon.tsv and
 * src/catalog/tables/perf_published.tsv; do not edit
 *
 * What Intel publishes (github.com/intel/perfmon, ARCH/metrics) beside the tables of each
 * generation: in sets, which a configuration turns on. A CHA has four counters, and these metrics
 * want up to 38 events of it: each group fits one round, and the groups of a set take turns.
 */
#include "catalog/tables/perf_intel.h"

/* Events; where one name has several codes, with the first of perfmon's ARCHs that has these. */
#define CHA_REQUESTS_READS_LOCAL "perf/uncore_cha/event=0x50,umask=0x01,name=requests_reads_local/"
#define CHA_REQUESTS_READS_REMOTE \
	"perf/uncore_cha/event=0x50,umask=0x02,name=requests_reads_remote/"
#define CHA_REQUESTS_WRITES_LOCAL \
	"perf/uncore_cha/event=0x50,umask=0x04,name=requests_writes_local/"
#define CHA_REQUESTS_WRITES_REMOTE \
	"perf/uncore_cha/event=0x50,umask=0x08,name=requests_writes_remote/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX \
	"perf/uncore_cha/event=0x35,umask=0xc816fe01,name=tor_inserts_ia_miss_drd_local/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_SKX \
	"perf/uncore_cha/event=0x35,umask=0x21,filter_opc0=0x202,filter_loc=1,filter_nm=1," \
	"filter_not_nm=1,name=tor_inserts_ia_miss_drd_local/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xc896fe01,name=tor_inserts_ia_miss_drd_pref_local/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX \
	"perf/uncore_cha/event=0x35,umask=0xc8177e01,name=tor_inserts_ia_miss_drd_remote/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_SKX \
	"perf/uncore_cha/event=0x35,umask=0x21,filter_opc0=0x202,filter_rem=1,filter_nm=1," \
	"filter_not_nm=1,name=tor_inserts_ia_miss_drd_remote/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xc8977e01,name=tor_inserts_ia_miss_drd_pref_remote/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xc826fe01,name=tor_inserts_ia_miss_drd_opt_local/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xc8a6fe01," \
	"name=tor_inserts_ia_miss_drd_opt_pref_local/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xc8277e01,name=tor_inserts_ia_miss_drd_opt_remote/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xc8a77e01," \
	"name=tor_inserts_ia_miss_drd_opt_pref_remote/"
#define CHA_CLOCKTICKS_SKX "perf/uncore_cha_0/event=0x00,name=clockticks/"
#define CHA_CLOCKTICKS_SPR "perf/uncore_cha_0/event=0x01,name=clockticks/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_SKX \
	"perf/uncore_cha/event=0x36,umask=0x21,filter_opc0=0x202,filter_loc=1,filter_nm=1," \
	"filter_not_nm=1,name=tor_occupancy_ia_miss_drd_local/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX \
	"perf/uncore_cha/event=0x36,umask=0xc816fe01,name=tor_occupancy_ia_miss_drd_local/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_SKX \
	"perf/uncore_cha/event=0x36,umask=0x21,filter_opc0=0x202,filter_rem=1,filter_nm=1," \
	"filter_not_nm=1,name=tor_occupancy_ia_miss_drd_remote/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX \
	"perf/uncore_cha/event=0x36,umask=0xc8177e01,name=tor_occupancy_ia_miss_drd_remote/"
#define IMC_DCLK "perf/uncore_imc_0/event=0x00,name=dclk/"
#define IMC_RPQ_INSERTS "perf/uncore_imc/event=0x10,name=rpq_inserts/"
#define IMC_RPQ_OCCUPANCY "perf/uncore_imc/event=0x80,name=rpq_occupancy/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_DDR \
	"perf/uncore_cha/event=0x35,umask=0xc8178601,name=tor_inserts_ia_miss_drd_ddr/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR \
	"perf/uncore_cha/event=0x36,umask=0xc8178601,name=tor_occupancy_ia_miss_drd_ddr/"
#define CHA_TOR_INSERTS_IA_MISS_DRD_PMM \
	"perf/uncore_cha/event=0x35,umask=0xc8178a01,name=tor_inserts_ia_miss_drd_pmm/"
#define CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM \
	"perf/uncore_cha/event=0x36,umask=0xc8178a01,name=tor_occupancy_ia_miss_drd_pmm/"
#define CHA_DIR_UPDATE_HA "perf/uncore_cha/event=0x54,umask=0x01,name=dir_update_ha/"
#define CHA_DIR_UPDATE_TOR "perf/uncore_cha/event=0x54,umask=0x02,name=dir_update_tor/"
#define M2M_DIRECTORY_UPDATE_ANY_ICX \
	"perf/uncore_m2m/event=0x2e,umask=0x01,name=directory_update_any/"
#define M2M_DIRECTORY_UPDATE_ANY_SPR \
	"perf/uncore_m2m/event=0x21,umask=0x301,name=directory_update_any/"
#define CHA_TOR_INSERTS_IO_HIT_PCIRDCUR \
	"perf/uncore_cha/event=0x35,umask=0xc8f3fd04,name=tor_inserts_io_hit_pcirdcur/"
#define CHA_TOR_INSERTS_IO_MISS_PCIRDCUR \
	"perf/uncore_cha/event=0x35,umask=0xc8f3fe04,name=tor_inserts_io_miss_pcirdcur/"
#define CHA_TOR_INSERTS_IO_HIT_ITOM \
	"perf/uncore_cha/event=0x35,umask=0xcc43fd04,name=tor_inserts_io_hit_itom/"
#define CHA_TOR_INSERTS_IO_HIT_ITOMCACHENEAR \
	"perf/uncore_cha/event=0x35,umask=0xcd43fd04,name=tor_inserts_io_hit_itomcachenear/"
#define CHA_TOR_INSERTS_IO_MISS_ITOM \
	"perf/uncore_cha/event=0x35,umask=0xcc43fe04,name=tor_inserts_io_miss_itom/"
#define CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR \
	"perf/uncore_cha/event=0x35,umask=0xcd43fe04,name=tor_inserts_io_miss_itomcachenear/"
#define PCU_CLOCKTICKS_SPR "perf/uncore_pcu/event=0x01,name=clockticks/"
#define PCU_CLOCKTICKS_GNR "perf/uncore_pcu_0/event=0x01,name=clockticks/"
#define PCU_POWER_STATE_OCCUPANCY_CORES_C0 \
	"perf/uncore_pcu/event=0x35,name=power_state_occupancy_cores_c0/"
#define PCU_POWER_STATE_OCCUPANCY_CORES_C6 \
	"perf/uncore_pcu/event=0x37,name=power_state_occupancy_cores_c6/"
#define CHA_TOR_INSERTS_IO_PCIRDCUR \
	"perf/uncore_cha/event=0x35,umask=0xc8f3ff04,name=tor_inserts_io_pcirdcur/"
#define CHA_TOR_INSERTS_IO_PCIRDCUR_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xc8f2ff04,name=tor_inserts_io_pcirdcur_local/"
#define CHA_TOR_INSERTS_IO_PCIRDCUR_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xc8f37f04,name=tor_inserts_io_pcirdcur_remote/"
#define CHA_TOR_INSERTS_IO_ITOM \
	"perf/uncore_cha/event=0x35,umask=0xcc43ff04,name=tor_inserts_io_itom/"
#define CHA_TOR_INSERTS_IO_ITOMCACHENEAR \
	"perf/uncore_cha/event=0x35,umask=0xcd43ff04,name=tor_inserts_io_itomcachenear/"
#define CHA_TOR_INSERTS_IO_ITOM_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xcc42ff04,name=tor_inserts_io_itom_local/"
#define CHA_TOR_INSERTS_IO_ITOMCACHENEAR_LOCAL \
	"perf/uncore_cha/event=0x35,umask=0xcd42ff04,name=tor_inserts_io_itomcachenear_local/"
#define CHA_TOR_INSERTS_IO_ITOM_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xcc437f04,name=tor_inserts_io_itom_remote/"
#define CHA_TOR_INSERTS_IO_ITOMCACHENEAR_REMOTE \
	"perf/uncore_cha/event=0x35,umask=0xcd437f04,name=tor_inserts_io_itomcachenear_remote/"
#define CHA_TOR_INSERTS_IO_RFO \
	"perf/uncore_cha/event=0x35,umask=0xc803ff04,name=tor_inserts_io_rfo/"
#define CHA_TOR_INSERTS_IO_MISS_RFO \
	"perf/uncore_cha/event=0x35,umask=0xc803fe04,name=tor_inserts_io_miss_rfo/"
#define IIO_NUM_REQ_OF_CPU_BY_TGT_UBOX_POSTED \
	"perf/uncore_iio/event=0x8e,umask=0x04,ch_mask=0xff,fc_mask=0x01," \
	"name=num_req_of_cpu_by_tgt_ubox_posted/"
#define IRP_MISC1_LOST_FWD "perf/uncore_irp/event=0x1f,umask=0x10,name=misc1_lost_fwd/"
#define IRP_MISC1_SEC_RCVD_INVLD "perf/uncore_irp/event=0x1f,umask=0x20,name=misc1_sec_rcvd_invld/"

static const struct cat_set numa = {
	"numa", NUMA_HELP
};
static const struct cat_set memory_latency = {
	"memory_latency", "How long reads take, by the kind of memory"
};
static const struct cat_set io = {
	"io", "What devices read and write: in the last-level cache or past it, and in which socket's memory"
};

const struct cat_perf cat_perf_xeon_home = {
	.name = "xeon-home",
	.title = "Intel Xeon from Skylake-SP on, requests to the home agents",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 85, 85, 0 }, { 6, 106, 106, 0 }, { 6, 108, 108, 0 }, { 6, 143, 143, 0 },
	  { 6, 207, 207, 0 }, { 6, 173, 173, 0 }, { 6, 174, 174, 0 }, { 6, 175, 175, 0 },
	  { 6, 221, 221, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "skx_uncore_chabox, icx_uncore_chabox, spr_uncore_chabox" }),
	EVENTS(
		P(CHA_REQUESTS_READS_LOCAL, "perfmon SKX to CWF UNC_CHA_REQUESTS.READS_LOCAL"),
		P(CHA_REQUESTS_READS_REMOTE, "perfmon SKX to CWF UNC_CHA_REQUESTS.READS_REMOTE"),
		P(CHA_REQUESTS_WRITES_LOCAL, "perfmon SKX to CWF UNC_CHA_REQUESTS.WRITES_LOCAL"),
		P(CHA_REQUESTS_WRITES_REMOTE, "perfmon SKX to CWF UNC_CHA_REQUESTS.WRITES_REMOTE")),
	GROUPS(
		G("numa_home", TEXTS(CHA_REQUESTS_READS_LOCAL, CHA_REQUESTS_READS_REMOTE,
		    CHA_REQUESTS_WRITES_LOCAL, CHA_REQUESTS_WRITES_REMOTE), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_MUCH,
		  .help = HOME_HELP)),
	METRICS(
		M("home_local_read_bytes_total", "bytes", SOCKET,
		  "perfmon SKX to CWF metric llc_miss_local_memory_bandwidth_read",
		  SUM(IN(CHA_REQUESTS_READS_LOCAL)), .scale = 64,
		  .help = HOME_LOCAL_READ_HELP),
		M("home_remote_read_bytes_total", "bytes", SOCKET,
		  "perfmon SKX to CWF metric llc_miss_remote_memory_bandwidth_read",
		  SUM(IN(CHA_REQUESTS_READS_REMOTE)), .scale = 64,
		  .help = HOME_REMOTE_READ_HELP),
		M("home_local_write_bytes_total", "bytes", SOCKET,
		  "perfmon SKX to CWF metric llc_miss_local_memory_bandwidth_write",
		  SUM(IN(CHA_REQUESTS_WRITES_LOCAL)), .scale = 64,
		  .help = HOME_LOCAL_WRITE_HELP),
		M("home_remote_write_bytes_total", "bytes", SOCKET,
		  "perfmon SKX to CWF metric llc_miss_remote_memory_bandwidth_write",
		  SUM(IN(CHA_REQUESTS_WRITES_REMOTE)), .scale = 64,
		  .help = HOME_REMOTE_WRITE_HELP)),
};

const struct cat_perf cat_perf_xeon_reads = {
	.name = "xeon-reads",
	.title = "Intel Xeon from Ice Lake-SP on, reads by where the memory is",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 106, 106, 0 }, { 6, 108, 108, 0 }, { 6, 143, 143, 0 }, { 6, 207, 207, 0 },
	  { 6, 173, 173, 0 }, { 6, 174, 174, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "icx_uncore_chabox, spr_uncore_chabox" }),
	EVENTS(
		P(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_LOCAL"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PREF_LOCAL"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PREF_REMOTE")),
	GROUPS(
		G("numa_reads", TEXTS(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		    CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL, CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		    CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_MUCH,
		  .help = READS_HELP)),
	METRICS(
		M("numa_local_reads_total", "reads", SOCKET,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR metric numa_reads_addressed_to_local_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL)),
		  .help = LOCAL_READS_HELP),
		M("numa_remote_reads_total", "reads", SOCKET,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR metric numa_reads_addressed_to_remote_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE)),
		  .help = REMOTE_READS_HELP),
		M("numa_local_read_ratio", "ratio", SOCKET,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR metric numa_reads_addressed_to_local_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE)),
		  .help = LOCAL_SHARE_HELP),
		M("numa_remote_read_ratio", "ratio", SOCKET,
		  "perfmon ICX, SPR, SPRHBM, EMR, GNR metric numa_reads_addressed_to_remote_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_PREF_REMOTE)),
		  .help = REMOTE_SHARE_HELP)),
};

const struct cat_perf cat_perf_srf_reads = {
	.name = "srf-reads",
	.title = "Intel Xeon 6 with E-cores, reads by where the memory is",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 175, 175, 0 }, { 6, 221, 221, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "spr_uncore_chabox" }),
	EVENTS(
		P(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL,
		  "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT_LOCAL"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL,
		  "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT_PREF_LOCAL"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE,
		  "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT_REMOTE"),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE,
		  "perfmon SRF, CWF UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT_PREF_REMOTE")),
	GROUPS(
		G("numa_reads", TEXTS(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL,
		    CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL,
		    CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE,
		    CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_MUCH,
		  .help = READS_HELP)),
	METRICS(
		M("numa_local_reads_total", "reads", SOCKET,
		  "perfmon SRF, CWF metric numa_reads_addressed_to_local_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL)),
		  .help = LOCAL_READS_HELP),
		M("numa_remote_reads_total", "reads", SOCKET,
		  "perfmon SRF, CWF metric numa_reads_addressed_to_remote_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE)),
		  .help = REMOTE_READS_HELP),
		M("numa_local_read_ratio", "ratio", SOCKET,
		  "perfmon SRF, CWF metric numa_reads_addressed_to_local_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE)),
		  .help = LOCAL_SHARE_HELP),
		M("numa_remote_read_ratio", "ratio", SOCKET,
		  "perfmon SRF, CWF metric numa_reads_addressed_to_remote_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_LOCAL),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_REMOTE),
		    IN(CHA_TOR_INSERTS_IA_MISS_DRD_OPT_PREF_REMOTE)),
		  .help = REMOTE_SHARE_HELP)),
};

const struct cat_perf cat_perf_skx_latency = {
	.name = "skx-latency",
	.title = "Intel Xeon Scalable (Skylake-SP, Cascade Lake), latency of reads",
	.vendor = INTEL, .sets = true,
	.one_filter = TEXTS("uncore_cha"),
	IDS({ 6, 85, 85, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "skx_uncore_chabox" },
		{ "uncore_imc", 4, SNBEP_C "skx_uncore_imc" }),
	EVENTS(
		P(CHA_CLOCKTICKS_SKX, "perfmon SKX, CLX UNC_CHA_CLOCKTICKS", .clock = true),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_SKX,
		  "perfmon SKX, CLX UNC_CHA_TOR_INSERTS.IA_MISS, filter 0x40432"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_SKX,
		  "perfmon SKX, CLX UNC_CHA_TOR_OCCUPANCY.IA_MISS, filter 0x40432",
		  .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_SKX,
		  "perfmon SKX, CLX UNC_CHA_TOR_INSERTS.IA_MISS, filter 0x40431"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_SKX,
		  "perfmon SKX, CLX UNC_CHA_TOR_OCCUPANCY.IA_MISS, filter 0x40431",
		  .counters = 0x1),
		P(IMC_DCLK, "perfmon SKX, CLX UNC_M_CLOCKTICKS", .published = "CLOCKTICKS",
		  .clock = true),
		P(IMC_RPQ_INSERTS, "perfmon SKX, CLX UNC_M_RPQ_INSERTS"),
		P(IMC_RPQ_OCCUPANCY, "perfmon SKX, CLX UNC_M_RPQ_OCCUPANCY")),
	GROUPS(
		G("numa_local", TEXTS(CHA_CLOCKTICKS_SKX, CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_SKX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_SKX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = "How many reads of the cores go to their own socket's memory, and how long they take"),
		G("numa_remote", TEXTS(CHA_CLOCKTICKS_SKX, CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_SKX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_SKX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = "How many reads of the cores go to another socket's memory, and how long they take"),
		G("read_queue", TEXTS(IMC_DCLK, IMC_RPQ_INSERTS, IMC_RPQ_OCCUPANCY),
		  .metrics_only = true, .on_request = true, .set = &memory_latency,
		  .help = "How long reads wait in the memory controllers")),
	METRICS(
		M("numa_local_reads_total", "reads", SOCKET,
		  "perfmon SKX, CLX metric numa_reads_addressed_to_local_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_SKX)),
		  .help = LOCAL_READS_HELP),
		M("numa_remote_reads_total", "reads", SOCKET,
		  "perfmon SKX, CLX metric numa_reads_addressed_to_remote_dram",
		  SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_SKX)),
		  .help = REMOTE_READS_HELP),
		ABSENT("numa_local_read_ratio", "ratio",
		  "a CHA of this processor has one filter, which lets its counters count reads of "
		    "local or of remote memory, not both at once: the counts by turns are "
		    "numa_local_reads_total and numa_remote_reads_total",
		  "perfmon SKX, CLX metric numa_reads_addressed_to_local_dram",
		  LOCAL_SHARE_HELP),
		ABSENT("numa_remote_read_ratio", "ratio",
		  "a CHA of this processor has one filter, which lets its counters count reads of "
		    "local or of remote memory, not both at once: the counts by turns are "
		    "numa_local_reads_total and numa_remote_reads_total",
		  "perfmon SKX, CLX metric numa_reads_addressed_to_remote_dram",
		  REMOTE_SHARE_HELP),
		M("numa_local_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SKX, CLX metric llc_data_read_demand_plus_prefetch_miss_latency_for_local_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_SKX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_SKX)),
		  .cycles_of = CHA_CLOCKTICKS_SKX,
		  .help = LOCAL_LATENCY_OF WITH_PREFETCH),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SKX, CLX metric llc_data_read_demand_plus_prefetch_miss_latency_for_remote_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_SKX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_SKX)),
		  .cycles_of = CHA_CLOCKTICKS_SKX,
		  .help = REMOTE_LATENCY_OF WITH_PREFETCH),
		M("memory_read_queue_latency_seconds", "seconds", SOCKET,
		  "perfmon SKX, CLX metric Info_System_MEM_DRAM_Read_Latency",
		  SUM(IN(IMC_RPQ_OCCUPANCY)), .den = SUM(IN(IMC_RPQ_INSERTS)),
		  .cycles_of = IMC_DCLK,
		  .disputed = DRAM_SLIP,
		  .help = "Mean time that a read waits in the memory controllers' queues, by the clock of the first channel"),
		ABSENT("parallel_memory_reads", "reads",
		  "it divides an event by the same event with a threshold, and both can be counted by counter 0 of a CHA alone",
		  "perfmon SKX, CLX metric Info_System_MEM_Parallel_Reads",
		  "Mean number of data reads from memory that wait at once, while any does")),
};

const struct cat_perf cat_perf_icx_latency = {
	.name = "icx-latency",
	.title = "Intel Xeon Scalable (Ice Lake-SP), latency of reads, hits of devices",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 106, 106, 0 }, { 6, 108, 108, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "icx_uncore_chabox" },
		{ "uncore_m2m", 4, SNBEP_C "icx_uncore_m2m" }),
	EVENTS(
		P(CHA_CLOCKTICKS_SKX, "perfmon ICX UNC_CHA_CLOCKTICKS", .clock = true),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IA_MISS_DRD_LOCAL"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX,
		  "perfmon ICX UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_LOCAL", .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX,
		  "perfmon ICX UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_REMOTE", .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_DDR,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR,
		  "perfmon ICX UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR", .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_PMM,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PMM"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM,
		  "perfmon ICX UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_PMM", .counters = 0x1),
		P(CHA_DIR_UPDATE_HA, "perfmon ICX UNC_CHA_DIR_UPDATE.HA"),
		P(CHA_DIR_UPDATE_TOR, "perfmon ICX UNC_CHA_DIR_UPDATE.TOR"),
		P(M2M_DIRECTORY_UPDATE_ANY_ICX, "perfmon ICX UNC_M2M_DIRECTORY_UPDATE.ANY"),
		P(CHA_TOR_INSERTS_IO_HIT_PCIRDCUR,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IO_HIT_PCIRDCUR"),
		P(CHA_TOR_INSERTS_IO_MISS_PCIRDCUR,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IO_MISS_PCIRDCUR"),
		P(CHA_TOR_INSERTS_IO_HIT_ITOM, "perfmon ICX UNC_CHA_TOR_INSERTS.IO_HIT_ITOM"),
		P(CHA_TOR_INSERTS_IO_HIT_ITOMCACHENEAR,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IO_HIT_ITOMCACHENEAR"),
		P(CHA_TOR_INSERTS_IO_MISS_ITOM, "perfmon ICX UNC_CHA_TOR_INSERTS.IO_MISS_ITOM"),
		P(CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR,
		  "perfmon ICX UNC_CHA_TOR_INSERTS.IO_MISS_ITOMCACHENEAR")),
	GROUPS(
		G("numa_local_latency", TEXTS(CHA_CLOCKTICKS_SKX,
		    CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = LOCAL_LATENCY_HELP),
		G("numa_remote_latency", TEXTS(CHA_CLOCKTICKS_SKX,
		    CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = REMOTE_LATENCY_HELP),
		G("dram_latency", TEXTS(CHA_CLOCKTICKS_SKX, CHA_TOR_INSERTS_IA_MISS_DRD_DDR,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR), .metrics_only = true, .on_request = true,
		  .set = &memory_latency,
		  .help = "How long the cores' reads of DRAM take"),
		G("pmem_latency", TEXTS(CHA_CLOCKTICKS_SKX, CHA_TOR_INSERTS_IA_MISS_DRD_PMM,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM), .metrics_only = true, .on_request = true,
		  .set = &memory_latency,
		  .help = "How long the cores' reads of Optane persistent memory take"),
		G("coherence", TEXTS(CHA_DIR_UPDATE_HA, CHA_DIR_UPDATE_TOR,
		    M2M_DIRECTORY_UPDATE_ANY_ICX), .metrics_only = true, .on_request = true,
		  .help = "Bytes written to memory to note which lines other sockets may have"),
		G("io_read_hits", TEXTS(CHA_TOR_INSERTS_IO_HIT_PCIRDCUR,
		    CHA_TOR_INSERTS_IO_MISS_PCIRDCUR), .metrics_only = true, .on_request = true,
		  .set = &io,
		  .help = "Bytes that devices read from the last-level cache, and past it"),
		G("io_write_hits", TEXTS(CHA_TOR_INSERTS_IO_HIT_ITOM,
		    CHA_TOR_INSERTS_IO_HIT_ITOMCACHENEAR, CHA_TOR_INSERTS_IO_MISS_ITOM,
		    CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR), .metrics_only = true,
		  .on_request = true, .set = &io,
		  .help = "Bytes that devices wrote to lines in the last-level cache, and past it")),
	METRICS(
		M("numa_local_read_latency_seconds", "seconds", SOCKET,
		  "perfmon ICX metric llc_demand_data_read_miss_latency_for_local_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX)),
		  .cycles_of = CHA_CLOCKTICKS_SKX,
		  .help = LOCAL_LATENCY_OF DEMAND_ALONE),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET,
		  "perfmon ICX metric llc_demand_data_read_miss_latency_for_remote_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX)),
		  .cycles_of = CHA_CLOCKTICKS_SKX,
		  .help = REMOTE_LATENCY_OF DEMAND_ALONE),
		M("dram_read_latency_seconds", "seconds", SOCKET,
		  "perfmon ICX metrics llc_demand_data_read_miss_to_dram_latency, Info_System_MEM_DRAM_Read_Latency",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_DDR)), .cycles_of = CHA_CLOCKTICKS_SKX,
		  .disputed = DRAM_SLIP,
		  .help = "Mean time from a core's data read past the last-level cache until DRAM served it: " DEMAND_ALONE),
		ABSENT("parallel_memory_reads", "reads",
		  "it divides an event by the same event with a threshold, and both can be counted by counter 0 of a CHA alone",
		  "perfmon ICX metric Info_System_MEM_Parallel_Reads",
		  "Mean number of data reads from memory that wait at once, while any does"),
		M("persistent_memory_read_latency_seconds", "seconds", SOCKET,
		  "perfmon ICX metric llc_demand_data_read_miss_to_pmem_latency",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_PMM)), .cycles_of = CHA_CLOCKTICKS_SKX,
		  .help = "Mean time from a core's data read past the last-level cache until Optane memory served it: " DEMAND_ALONE),
		M("directory_write_bytes_total", "bytes", SOCKET,
		  "perfmon ICX metric memory_extra_write_bw_due_to_directory_updates",
		  SUM(IN(CHA_DIR_UPDATE_HA), IN(CHA_DIR_UPDATE_TOR),
		    IN(M2M_DIRECTORY_UPDATE_ANY_ICX)), .scale = 64,
		  .help = "Bytes written to memory only to note in its directory which lines other sockets may have, 64 for each update"),
		M("io_read_hit_bytes_total", "bytes", SOCKET,
		  "perfmon ICX metric io_bandwidth_read", SUM(IN(CHA_TOR_INSERTS_IO_HIT_PCIRDCUR)),
		  .scale = 64,
		  .help = "Bytes that devices of the socket read and found in the last-level cache, 64 for each line"),
		M("io_write_hit_bytes_total", "bytes", SOCKET,
		  "perfmon ICX metrics io_bandwidth_write, Info_System_IO_Write_BW",
		  SUM(IN(CHA_TOR_INSERTS_IO_HIT_ITOM), IN(CHA_TOR_INSERTS_IO_HIT_ITOMCACHENEAR)),
		  .scale = 64,
		  .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket wrote to lines found in the last-level cache, 64 for each")),
};

const struct cat_perf cat_perf_spr_latency = {
	.name = "spr-latency",
	.title = "Intel Xeon from Sapphire to Granite Rapids, latency of reads",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 143, 143, 0 }, { 6, 207, 207, 0 }, { 6, 173, 173, 0 }, { 6, 174, 174, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "spr_uncore_chabox" }),
	EVENTS(
		P(CHA_CLOCKTICKS_SPR, "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_CLOCKTICKS",
		  .clock = true),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_LOCAL"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_LOCAL",
		  .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_REMOTE",
		  .counters = 0x1),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_DDR,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_INSERTS.IA_MISS_DRD_DDR"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR,
		  "perfmon SPR, SPRHBM, EMR, GNR UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_DDR",
		  .counters = 0x1)),
	GROUPS(
		G("numa_local_latency", TEXTS(CHA_CLOCKTICKS_SPR,
		    CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = LOCAL_LATENCY_HELP),
		G("numa_remote_latency", TEXTS(CHA_CLOCKTICKS_SPR,
		    CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX), .metrics_only = true,
		  .on_request = true, .set = &numa, .part = NUMA_HOW_LONG,
		  .help = REMOTE_LATENCY_HELP),
		G("dram_latency", TEXTS(CHA_CLOCKTICKS_SPR, CHA_TOR_INSERTS_IA_MISS_DRD_DDR,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR), .metrics_only = true, .on_request = true,
		  .set = &memory_latency,
		  .help = "How long the cores' reads of DRAM take")),
	METRICS(
		M("numa_local_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SPR, SPRHBM, EMR, GNR metric llc_demand_data_read_miss_latency_for_local_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_LOCAL_ICX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_LOCAL_ICX)),
		  .cycles_of = CHA_CLOCKTICKS_SPR,
		  .help = LOCAL_LATENCY_OF DEMAND_ALONE),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SPR, SPRHBM, EMR, GNR metric llc_demand_data_read_miss_latency_for_remote_requests",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_REMOTE_ICX)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE_ICX)),
		  .cycles_of = CHA_CLOCKTICKS_SPR,
		  .help = REMOTE_LATENCY_OF DEMAND_ALONE),
		M("dram_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SPR, SPRHBM, EMR, GNR metrics llc_demand_data_read_miss_to_dram_latency, Info_System_MEM_DRAM_Read_Latency",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_DDR)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_DDR)), .cycles_of = CHA_CLOCKTICKS_SPR,
		  .disputed = DRAM_SLIP,
		  .help = "Mean time from a core's data read past the last-level cache until DRAM served it: " DEMAND_ALONE),
		ABSENT("parallel_memory_reads", "reads",
		  "it divides an event by the same event with a threshold, and both can be counted by counter 0 of a CHA alone",
		  "perfmon SPR, SPRHBM, EMR, GNR metric Info_System_MEM_Parallel_Reads",
		  "Mean number of data reads from memory that wait at once, while any does")),
};

const struct cat_perf cat_perf_spr_pmem = {
	.name = "spr-pmem",
	.title = "Intel Xeon Scalable (Sapphire Rapids), latency of persistent memory",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 143, 143, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "spr_uncore_chabox" }),
	EVENTS(
		P(CHA_CLOCKTICKS_SPR, "perfmon SPR, SPRHBM UNC_CHA_CLOCKTICKS", .clock = true),
		P(CHA_TOR_INSERTS_IA_MISS_DRD_PMM,
		  "perfmon SPR, SPRHBM UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PMM"),
		P(CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM,
		  "perfmon SPR, SPRHBM UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_PMM", .counters = 0x1)),
	GROUPS(
		G("pmem_latency", TEXTS(CHA_CLOCKTICKS_SPR, CHA_TOR_INSERTS_IA_MISS_DRD_PMM,
		    CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM), .metrics_only = true, .on_request = true,
		  .set = &memory_latency,
		  .help = "How long the cores' reads of Optane persistent memory take")),
	METRICS(
		M("persistent_memory_read_latency_seconds", "seconds", SOCKET,
		  "perfmon SPR, SPRHBM metric llc_demand_data_read_miss_to_pmem_latency",
		  SUM(IN(CHA_TOR_OCCUPANCY_IA_MISS_DRD_PMM)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IA_MISS_DRD_PMM)), .cycles_of = CHA_CLOCKTICKS_SPR,
		  .help = "Mean time from a core's data read past the last-level cache until Optane memory served it: " DEMAND_ALONE)),
};

const struct cat_perf cat_perf_spr_socket = {
	.name = "spr-socket",
	.title = "Intel Xeon Scalable (Sapphire Rapids, Emerald Rapids), directory and cores",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 143, 143, 0 }, { 6, 207, 207, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "spr_uncore_chabox" },
		{ "uncore_m2m", 4, SNBEP_C "spr_uncore_m2m; " DISCOVERY },
		{ "uncore_pcu", 4, SNBEP_C "spr_uncore_pcu; " DISCOVERY }),
	EVENTS(
		P(CHA_DIR_UPDATE_HA, "perfmon SPR, SPRHBM, EMR UNC_CHA_DIR_UPDATE.HA"),
		P(CHA_DIR_UPDATE_TOR, "perfmon SPR, SPRHBM, EMR UNC_CHA_DIR_UPDATE.TOR"),
		P(M2M_DIRECTORY_UPDATE_ANY_SPR,
		  "perfmon SPR, SPRHBM, EMR UNC_M2M_DIRECTORY_UPDATE.ANY"),
		P(PCU_CLOCKTICKS_SPR, "perfmon SPR, SPRHBM, EMR UNC_P_CLOCKTICKS", .clock = true),
		P(PCU_POWER_STATE_OCCUPANCY_CORES_C0,
		  "perfmon SPR, SPRHBM, EMR UNC_P_POWER_STATE_OCCUPANCY_CORES_C0"),
		P(PCU_POWER_STATE_OCCUPANCY_CORES_C6,
		  "perfmon SPR, SPRHBM, EMR UNC_P_POWER_STATE_OCCUPANCY_CORES_C6")),
	GROUPS(
		G("coherence", TEXTS(CHA_DIR_UPDATE_HA, CHA_DIR_UPDATE_TOR,
		    M2M_DIRECTORY_UPDATE_ANY_SPR), .metrics_only = true, .on_request = true,
		  .help = "Bytes written to memory to note which lines other sockets may have"),
		G("core_states", TEXTS(PCU_CLOCKTICKS_SPR, PCU_POWER_STATE_OCCUPANCY_CORES_C0,
		    PCU_POWER_STATE_OCCUPANCY_CORES_C6), .metrics_only = true, .on_request = true,
		  .help = "How many cores run, and how many sleep deeply, on average")),
	METRICS(
		M("directory_write_bytes_total", "bytes", SOCKET,
		  "perfmon SPR, SPRHBM, EMR metric memory_extra_write_bw_due_to_directory_updates",
		  SUM(IN(CHA_DIR_UPDATE_HA), IN(CHA_DIR_UPDATE_TOR),
		    IN(M2M_DIRECTORY_UPDATE_ANY_SPR)), .scale = 64,
		  .help = "Bytes written to memory only to note in its directory which lines other sockets may have, 64 for each update"),
		M("c0_cores", "cores", SOCKET, "perfmon SPR, SPRHBM, EMR metric cpu_cstate_c0",
		  SUM(IN(PCU_POWER_STATE_OCCUPANCY_CORES_C0)), .den = SUM(IN(PCU_CLOCKTICKS_SPR)),
		  .disputed = "perfmon's name cpu_cstate_c0 looks like a share of time, but it is a number of cores",
		  .help = "Mean number of the socket's cores that were in state c0"),
		M("c6_cores", "cores", SOCKET, "perfmon SPR, SPRHBM, EMR metric cpu_cstate_c6",
		  SUM(IN(PCU_POWER_STATE_OCCUPANCY_CORES_C6)), .den = SUM(IN(PCU_CLOCKTICKS_SPR)),
		  .disputed = "perfmon's name cpu_cstate_c6 looks like a share of time, but it is a number of cores",
		  .help = "Mean number of the socket's cores that were in state c6")),
};

const struct cat_perf cat_perf_xeon_io = {
	.name = "xeon-io",
	.title = "Intel Xeon from Ice Lake-SP on, requests of devices",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 106, 106, 0 }, { 6, 108, 108, 0 }, { 6, 143, 143, 0 }, { 6, 207, 207, 0 },
	  { 6, 173, 173, 0 }, { 6, 174, 174, 0 }, { 6, 175, 175, 0 }, { 6, 221, 221, 0 }),
	PMUS(
		{ "uncore_cha", 4, SNBEP_C "icx_uncore_chabox, spr_uncore_chabox" }),
	EVENTS(
		P(CHA_TOR_INSERTS_IO_PCIRDCUR,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_PCIRDCUR"),
		P(CHA_TOR_INSERTS_IO_MISS_PCIRDCUR,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_MISS_PCIRDCUR"),
		P(CHA_TOR_INSERTS_IO_PCIRDCUR_LOCAL,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_PCIRDCUR_LOCAL"),
		P(CHA_TOR_INSERTS_IO_PCIRDCUR_REMOTE,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_PCIRDCUR_REMOTE"),
		P(CHA_TOR_INSERTS_IO_ITOM, "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOM"),
		P(CHA_TOR_INSERTS_IO_ITOMCACHENEAR,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOMCACHENEAR"),
		P(CHA_TOR_INSERTS_IO_MISS_ITOM,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_MISS_ITOM"),
		P(CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_MISS_ITOMCACHENEAR"),
		P(CHA_TOR_INSERTS_IO_ITOM_LOCAL,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOM_LOCAL"),
		P(CHA_TOR_INSERTS_IO_ITOMCACHENEAR_LOCAL,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOMCACHENEAR_LOCAL"),
		P(CHA_TOR_INSERTS_IO_ITOM_REMOTE,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOM_REMOTE"),
		P(CHA_TOR_INSERTS_IO_ITOMCACHENEAR_REMOTE,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_ITOMCACHENEAR_REMOTE"),
		P(CHA_TOR_INSERTS_IO_RFO, "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_RFO"),
		P(CHA_TOR_INSERTS_IO_MISS_RFO,
		  "perfmon ICX to CWF UNC_CHA_TOR_INSERTS.IO_MISS_RFO")),
	GROUPS(
		G("io_reads", TEXTS(CHA_TOR_INSERTS_IO_PCIRDCUR, CHA_TOR_INSERTS_IO_MISS_PCIRDCUR,
		    CHA_TOR_INSERTS_IO_PCIRDCUR_LOCAL, CHA_TOR_INSERTS_IO_PCIRDCUR_REMOTE),
		  .metrics_only = true, .on_request = true, .set = &io,
		  .help = "Bytes that devices read, past the last-level cache, and from which socket's memory"),
		G("io_writes", TEXTS(CHA_TOR_INSERTS_IO_ITOM, CHA_TOR_INSERTS_IO_ITOMCACHENEAR,
		    CHA_TOR_INSERTS_IO_MISS_ITOM, CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR),
		  .metrics_only = true, .on_request = true, .set = &io,
		  .help = "Bytes that devices wrote, and past the last-level cache"),
		G("io_write_homes", TEXTS(CHA_TOR_INSERTS_IO_ITOM_LOCAL,
		    CHA_TOR_INSERTS_IO_ITOMCACHENEAR_LOCAL, CHA_TOR_INSERTS_IO_ITOM_REMOTE,
		    CHA_TOR_INSERTS_IO_ITOMCACHENEAR_REMOTE), .metrics_only = true,
		  .on_request = true, .set = &io,
		  .help = "Bytes that devices wrote to which socket's memory"),
		G("io_partial_writes", TEXTS(CHA_TOR_INSERTS_IO_ITOMCACHENEAR,
		    CHA_TOR_INSERTS_IO_RFO, CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR,
		    CHA_TOR_INSERTS_IO_MISS_RFO), .metrics_only = true, .on_request = true,
		  .set = &io,
		  .help = "Writes of devices to parts of a line, and how many missed the last-level cache")),
	METRICS(
		M("io_read_bytes_total", "bytes", SOCKET,
		  "perfmon SPR to CWF metric io_bandwidth_read; perfmon ICX, SPR, SPRHBM, EMR, GNR metric Info_System_IO_Read_BW",
		  SUM(IN(CHA_TOR_INSERTS_IO_PCIRDCUR)), .scale = 64,
		  .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket read, 64 for each line that the CHAs looked up"),
		M("io_read_miss_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_read_l3_miss",
		  SUM(IN(CHA_TOR_INSERTS_IO_MISS_PCIRDCUR)), .scale = 64,
		  .help = "Bytes that devices of the socket read and that were not in the last-level cache, 64 for each line"),
		M("io_local_read_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_read_local",
		  SUM(IN(CHA_TOR_INSERTS_IO_PCIRDCUR_LOCAL)), .scale = 64,
		  .help = "Bytes that devices of the socket read from its own memory, 64 for each line"),
		M("io_remote_read_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_read_remote",
		  SUM(IN(CHA_TOR_INSERTS_IO_PCIRDCUR_REMOTE)), .scale = 64,
		  .help = "Bytes that devices of the socket read from another socket's memory, 64 for each line"),
		M("io_write_bytes_total", "bytes", SOCKET,
		  "perfmon SPR to CWF metric io_bandwidth_write; perfmon SPR, SPRHBM, EMR, GNR metric Info_System_IO_Write_BW",
		  SUM(IN(CHA_TOR_INSERTS_IO_ITOM), IN(CHA_TOR_INSERTS_IO_ITOMCACHENEAR)),
		  .scale = 64,
		  .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket wrote, 64 for each line that the CHAs looked up"),
		M("io_write_miss_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_write_l3_miss",
		  SUM(IN(CHA_TOR_INSERTS_IO_MISS_ITOM), IN(CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR)),
		  .scale = 64,
		  .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket wrote to lines that were not in the last-level cache, 64 for each"),
		M("io_local_write_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_write_local",
		  SUM(IN(CHA_TOR_INSERTS_IO_ITOM_LOCAL),
		    IN(CHA_TOR_INSERTS_IO_ITOMCACHENEAR_LOCAL)), .scale = 64,
		  .help = "Bytes that devices of the socket wrote to its own memory, 64 for each line"),
		M("io_remote_write_bytes_total", "bytes", SOCKET,
		  "perfmon ICX to CWF metric io_bandwidth_write_remote",
		  SUM(IN(CHA_TOR_INSERTS_IO_ITOM_REMOTE),
		    IN(CHA_TOR_INSERTS_IO_ITOMCACHENEAR_REMOTE)), .scale = 64,
		  .help = "Bytes that devices of the socket wrote to another socket's memory, 64 for each line"),
		M("io_partial_writes_total", "writes", SOCKET,
		  "perfmon CWF metric io_number_of_partial_pci_writes",
		  SUM(IN(CHA_TOR_INSERTS_IO_ITOMCACHENEAR), IN(CHA_TOR_INSERTS_IO_RFO)),
		  .help = "Writes of the socket's devices to a part of a line"),
		M("io_read_miss_ratio", "ratio", SOCKET,
		  "perfmon ICX to CWF metric io_read_l3_miss",
		  SUM(IN(CHA_TOR_INSERTS_IO_MISS_PCIRDCUR)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IO_PCIRDCUR)),
		  .help = "Share of the lines read by devices of the socket that were not in the last-level cache"),
		M("io_full_write_miss_ratio", "ratio", SOCKET,
		  "perfmon ICX to CWF metric io_full_write_l3_miss",
		  SUM(IN(CHA_TOR_INSERTS_IO_MISS_ITOM)), .den = SUM(IN(CHA_TOR_INSERTS_IO_ITOM)),
		  .help = "Share of the whole lines written by devices of the socket that were not in the last-level cache"),
		M("io_partial_write_miss_ratio", "ratio", SOCKET,
		  "perfmon ICX to CWF metric io_partial_write_l3_miss",
		  SUM(IN(CHA_TOR_INSERTS_IO_MISS_ITOMCACHENEAR), IN(CHA_TOR_INSERTS_IO_MISS_RFO)),
		  .den = SUM(IN(CHA_TOR_INSERTS_IO_ITOMCACHENEAR), IN(CHA_TOR_INSERTS_IO_RFO)),
		  .help = "Share of the writes of the socket's devices to a part of a line that missed the last-level cache")),
};

const struct cat_perf cat_perf_xeon6_socket = {
	.name = "xeon6-socket",
	.title = "Intel Xeon 6, cores, interrupts and lost lines of devices",
	.vendor = INTEL, .sets = true,
	IDS({ 6, 173, 173, 0 }, { 6, 174, 174, 0 }, { 6, 175, 175, 0 }, { 6, 221, 221, 0 }),
	PMUS(
		{ "uncore_iio", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
		{ "uncore_pcu", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
		{ "uncore_irp", 2, SNBEP_C "gnr_uncores; " DISCOVERY }),
	EVENTS(
		P(PCU_CLOCKTICKS_GNR, "perfmon GNR, SRF, CWF UNC_P_CLOCKTICKS", .clock = true),
		P(PCU_POWER_STATE_OCCUPANCY_CORES_C0,
		  "perfmon GNR, SRF, CWF UNC_P_POWER_STATE_OCCUPANCY_CORES_C0"),
		P(PCU_POWER_STATE_OCCUPANCY_CORES_C6,
		  "perfmon GNR, SRF, CWF UNC_P_POWER_STATE_OCCUPANCY_CORES_C6"),
		P(IIO_NUM_REQ_OF_CPU_BY_TGT_UBOX_POSTED,
		  "perfmon GNR, SRF, CWF UNC_IIO_NUM_REQ_OF_CPU_BY_TGT.UBOX_POSTED"),
		P(IRP_MISC1_LOST_FWD, "perfmon GNR, SRF, CWF UNC_I_MISC1.LOST_FWD"),
		P(IRP_MISC1_SEC_RCVD_INVLD, "perfmon GNR, SRF, CWF UNC_I_MISC1.SEC_RCVD_INVLD")),
	GROUPS(
		G("core_states", TEXTS(PCU_CLOCKTICKS_GNR, PCU_POWER_STATE_OCCUPANCY_CORES_C0,
		    PCU_POWER_STATE_OCCUPANCY_CORES_C6), .metrics_only = true, .on_request = true,
		  .help = "How many cores run, and how many sleep deeply, on average"),
		G("io_interrupts", TEXTS(IIO_NUM_REQ_OF_CPU_BY_TGT_UBOX_POSTED, IRP_MISC1_LOST_FWD,
		    IRP_MISC1_SEC_RCVD_INVLD), .metrics_only = true, .on_request = true,
		  .set = &io,
		  .help = "Interrupts of devices, and lines that were taken away before they were written")),
	METRICS(
		M("c0_cores", "cores", SOCKET, "perfmon GNR, SRF, CWF metric cpu_cstate_c0",
		  SUM(IN(PCU_POWER_STATE_OCCUPANCY_CORES_C0)), .den = SUM(IN(PCU_CLOCKTICKS_GNR)),
		  .disputed = "perfmon's name cpu_cstate_c0 looks like a share of time, but it is a number of cores",
		  .help = "Mean number of the socket's cores that were in state c0"),
		M("c6_cores", "cores", SOCKET, "perfmon GNR, SRF, CWF metric cpu_cstate_c6",
		  SUM(IN(PCU_POWER_STATE_OCCUPANCY_CORES_C6)), .den = SUM(IN(PCU_CLOCKTICKS_GNR)),
		  .disputed = "perfmon's name cpu_cstate_c6 looks like a share of time, but it is a number of cores",
		  .help = "Mean number of the socket's cores that were in state c6"),
		M("io_interrupts_total", "interrupts", SOCKET,
		  "perfmon GNR, SRF, CWF metric io_msi",
		  SUM(IN(IIO_NUM_REQ_OF_CPU_BY_TGT_UBOX_POSTED)),
		  .help = "Interrupts that devices sent as messages (MSI): posted requests to the U-Box"),
		M("io_lost_lines_total", "lines", SOCKET, "perfmon GNR, CWF metric io_lost_fwd",
		  SUM(IN(IRP_MISC1_LOST_FWD), IN(IRP_MISC1_SEC_RCVD_INVLD)),
		  .help = "Lines of which the I/O controllers lost ownership before they had written them")),
};
