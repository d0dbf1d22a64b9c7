/* SPDX-License-Identifier: MIT */
#include "ctl/search_words.h"

#include "base/bits.h"
#include "base/name.h"

#include <stdio.h>
#include <string.h>

/* Each line: words that mean the same, of one thing and not of several: search_words_meant(). */
static const char *const same[] = {
	"bandwidth throughput byte traffic bw",
	"memory mem dram ddr ddr3 ddr4 ddr5 lpddr5 dimm imc umc ram",
	"llc l3 slc cache",
	"remote numa",
	"link upi qpi xgmi interconnect",
	"nvlink c2c",
	"io iio pcie pci device dma nvme nic network",
	"utilization util usage use busy saturation saturated bottleneck",
	"miss misses",
	"hit hits",
	"ratio rate",
	"power watt energy rapl joule",
	"clock frequency freq hertz ghz",
	"coherence coherency coherent",
	"depth occupancy outstanding",
	"headroom knee spare limit",
	"read load",
	"write store",
	"cstate sleep idle residency",
	"page row",
};

/* Words of a question that do not change what is meant. */
static const char idle_words[] = "controller subsystem level last data infinity buffer consumption "
	"usage card state balance";

/* Words that say nothing, where several are typed. */
static const char stop_words[] = "a all an and by do does for from how in is many much my of on or "
	"per the to what which with";

#define MEMORY_BYTES "memory_read_bytes_total", "memory_write_bytes_total", "memory_bytes_total", \
	"memory_channels_0_to_3_bytes_total", "memory_channels_4_to_7_bytes_total", \
	"die_memory_bytes_total", "memory_request_bytes_total"
#define HALVES "memory_channels_0_to_3_bytes_total", "memory_channels_4_to_7_bytes_total", \
	"die_memory_bytes_total", "memory_request_bytes_total"
#define REMOTE_SHARE "numa_remote_read_ratio", "home_remote_read_ratio", "remote_read_ratio", \
	"home_remote_write_ratio", "home_remote_request_ratio"
#define REMOTE_BYTES "home_remote_read_bytes_total", "remote_read_bytes_total", \
	"numa_remote_read_bytes_total", "home_remote_write_bytes_total", \
	"remote_write_bytes_total", "numa_remote_write_bytes_total", "remote_memory_requests_total"
#define REMOTE_LATENCY "numa_remote_read_latency_seconds"
#define DEVICE_BYTES "pcie_read_bytes_total", "pcie_write_bytes_total", \
	"pcie_snooped_read_bytes_total", "pcie_allocating_write_bytes_total", \
	"io_read_bytes_total", "io_write_bytes_total", "perf/uncore_imc/io_requests/"
#define DEVICE_READS "pcie_read_bytes_total", "pcie_snooped_read_bytes_total", "io_read_bytes_total"
#define DEVICE_WRITES "pcie_write_bytes_total", "pcie_allocating_write_bytes_total", \
	"io_write_bytes_total"
#define DDIO "io_read_miss_ratio", "io_full_write_miss_ratio", "io_write_hit_bytes_total", \
	"io_write_miss_bytes_total"
#define C_STATES "cstates", "core_states", "package_c2_ratio"
#define HIT_SHARE "llc_socket_hit_ratio", "llc_hit_ratio", "llc_data_read_miss_ratio", \
	"llc_miss_ratio"
#define MISS_SHARE "llc_data_read_miss_ratio", "llc_miss_ratio", "llc_socket_miss_ratio", \
	"llc_socket_hit_ratio", "llc_hit_ratio"
#define HITS_FROM_MISSES "tells hits of its last-level cache from misses"
#define NVLINK_BYTES "nvlink_c2c0_read_bytes_total", "nvlink_c2c0_write_bytes_total"
#define NVLINK_REQUESTS "perf/nvidia_nvlink_c2c_pmu/in_rd_req/", \
	"perf/nvidia_nvlink_c2c_pmu/in_wr_req/", "perf/nvidia_nvlink_c2c_pmu/out_rd_req/", \
	"perf/nvidia_nvlink_c2c_pmu/out_wr_req/"
#define LINK_BYTES "link_sent_data_bytes_total", "link_received_data_bytes_total", \
	"link_received_drs_data_bytes_total", NVLINK_BYTES
/* What connects a Tegra410 (Vera) to another one: Linux
 * Documentation/admin-guide/perf/nvidia-tegra410-pmu.rst. */
#define NVCLINK(event) "perf/nvidia_nvclink_pmu/" event "/"
#define CLINK_READS NVCLINK("in_rd_req"), NVCLINK("out_rd_req")
#define CLINK_WAITING NVCLINK("out_rd_cum_outs"), NVCLINK("out_rd_req")
#define BETWEEN "counts traffic between sockets"
#define MISS_LATENCY "llc_data_read_miss_latency_seconds", "llc_miss_latency_seconds", \
	"llc_miss_latency_cycles"
#define LINKS "links", "link_sent_data_bytes_total"
#define OPEN_PAGES "page_hit_ratio", "page_miss_ratio", "imc/PRE_COUNT", "mbox/PAGE_HIT", \
	"memory_channel_activate_ratio", "memory_channel_precharge_ratio"
#define OTHER_PAGES "page_miss_ratio", "imc/PRE_COUNT", "mbox/PAGE_MISS", \
	"memory_channel_precharge_ratio", "memory_channel_activate_ratio"
#define FINDS_PAGES "tells whether an access to memory found its page open"
#define READ_SHARE "memory_channel_read_cas_ratio", "memory_channel_write_cas_ratio", "memory", \
	MEMORY_BYTES
#define WAITING "imt_occupancy_entries", "uncore/QMC_OCCUPANCY", "cbox/TOR_OCCUPANCY", \
	"parallel_memory_reads", "perf/uncore_imc_free_running/rpq_cycles/", \
	"perf/uncore_imc_free_running/wpq_cycles/", \
	"perf/nvidia_scf_pmu/cmem_rd_outstanding/", \
	"perf/arm_cmn/hnf_qos_pocq_occupancy_all/"
#define COHERENCE "coherence", "directory_write_bytes_total", "ha/SNOOP_RESP", \
	"bbox/DIRQ_INSERTS", "uncore/SNP_RESP_TO_LOCAL_HOME", "perf/arm_cmn/hnf_snp_sent/"
#define TELLS_REMOTE "tells local memory from remote"
#define HOME_REQUESTS "sbox/TO_R_B_REQUESTS"
#define COUNTS_BYTES "counts the bytes of its memory"
#define COUNTS_DEVICES "counts the traffic of devices"
#define COUNTS_LOOKUPS "counts requests to its last-level cache"
#define COUNTS_MISSES "counts misses of its last-level cache"
#define COUNTS_TOR "counts requests in a TOR, the table of requests of Intel's C-Boxes and CHAs"
#define COUNTS_CAS "counts the column commands (CAS) of its memory"
#define MEASURES_LATENCY "measures how long a request takes"
#define MEASURES_POWER "measures power"

static const struct search_question questions[] = {
	{ "bandwidth", { MEMORY_BYTES, "memory_utilization_ratio" }, { "io_read_bytes_total" },
	  COUNTS_BYTES },
	{ "membw", { MEMORY_BYTES, "memory_utilization_ratio" }, { "memory_requests_total" },
	  COUNTS_BYTES },
	{ "memory bandwidth", { MEMORY_BYTES, "memory_utilization_ratio" },
	  { "memory_requests_total" },
	  COUNTS_BYTES },
	{ "bandwidth read", { "memory_read_bytes_total", MEMORY_BYTES },
	  { "memory_requests_total" }, "counts the bytes that its memory reads" },
	{ "memory bandwidth read", { "memory_read_bytes_total", "memory_bytes_total", HALVES },
	  { "memory_requests_total" }, "counts the bytes that its memory reads" },
	{ "memory read", { "memory_read_bytes_total", "memory_bytes_total", HALVES },
	  { "memory_requests_total" }, "counts the bytes that its memory reads" },
	{ "bandwidth write", { "memory_write_bytes_total", MEMORY_BYTES },
	  { "memory_requests_total" }, "counts the bytes that its memory writes" },
	{ "memory bandwidth write", { "memory_write_bytes_total", "memory_bytes_total", HALVES },
	  { "memory_requests_total" }, "counts the bytes that its memory writes" },
	{ "memory write", { "memory_write_bytes_total", "memory_bytes_total", HALVES },
	  { "memory_requests_total" }, "counts the bytes that its memory writes" },
	{ "read write ratio", { READ_SHARE }, { "memory_requests_total" },
	  "tells what its memory reads from what it writes" },
	{ "memory read write ratio", { READ_SHARE }, { "memory_requests_total" },
	  "tells what its memory reads from what it writes" },
	{ "read write", { "memory", MEMORY_BYTES, "memory_requests_total" }, { NULL },
	  "counts the traffic of its memory" },
	{ "memory channel", { "channels", "memory_channel_utilization_ratio",
			      "memory_channels_0_to_3_bytes_total" }, { NULL },
	  "counts each memory channel" },
	{ "memory", { "memory", MEMORY_BYTES, "memory_requests_total" }, { NULL },
	  "counts the traffic of its memory" },
	{ "llc", { "llc", "llc_lookups_total", "llc_misses_total" }, { NULL },
	  COUNTS_LOOKUPS },
	{ "remote", { "numa", REMOTE_SHARE, REMOTE_BYTES, HOME_REQUESTS }, { LINKS },
	  TELLS_REMOTE },
	{ "remote miss", { REMOTE_SHARE, REMOTE_BYTES }, { LINKS }, TELLS_REMOTE },
	{ "local remote", { "numa", REMOTE_SHARE, REMOTE_BYTES, HOME_REQUESTS }, { LINKS },
	  TELLS_REMOTE },
	{ "remote memory", { "numa_remote_reads_total", REMOTE_BYTES, REMOTE_SHARE, REMOTE_LATENCY,
			     HOME_REQUESTS }, { LINKS },
	  TELLS_REMOTE },
	{ "remote bandwidth", { REMOTE_BYTES }, { LINKS }, TELLS_REMOTE },
	{ "remote memory bandwidth", { REMOTE_BYTES }, { LINKS }, TELLS_REMOTE },
	{ "remote latency", { "numa_remote_latency", "numa_latency", REMOTE_LATENCY,
			      CLINK_WAITING }, { NULL },
	  "measures how long reads of remote memory take" },
	{ "remote memory latency", { "numa_remote_latency", "numa_latency", REMOTE_LATENCY,
				     CLINK_WAITING }, { NULL },
	  "measures how long reads of remote memory take" },
	{ "page hit", { OPEN_PAGES }, { NULL }, FINDS_PAGES },
	{ "page", { OPEN_PAGES }, { NULL }, FINDS_PAGES },
	{ "page conflict", { OTHER_PAGES }, { NULL }, FINDS_PAGES },
	{ "bank conflict", { OTHER_PAGES }, { NULL }, FINDS_PAGES },
	{ "queue", { WAITING }, { NULL }, "says how many requests wait" },
	{ "queue depth", { WAITING }, { NULL }, "says how many requests wait" },
	{ "memory queue depth", { WAITING }, { NULL }, "says how many requests wait" },
	{ "coherence", { COHERENCE }, { NULL }, "counts what keeps caches coherent" },
	{ "llc coherence", { COHERENCE }, { NULL }, "counts what keeps caches coherent" },
	{ "mesh bandwidth", { "perf/arm_cmn/mxp_e_dat_txflit_valid/" }, { NULL },
	  "counts what a mesh carries" },
	{ "nvlink", { NVLINK_BYTES, NVLINK_REQUESTS }, { NULL }, "counts the traffic of NVLink" },
	{ "nvlink bandwidth", { NVLINK_BYTES }, { NULL }, "counts the traffic of NVLink" },
	{ "io", { "pcie", "io", DEVICE_BYTES }, { NULL }, COUNTS_DEVICES },
	{ "io bandwidth", { DEVICE_BYTES }, { NULL }, COUNTS_DEVICES },
	{ "io read", { DEVICE_READS }, { NULL }, "counts the bytes that devices read" },
	{ "io bandwidth read", { DEVICE_READS }, { NULL }, "counts the bytes that devices read" },
	{ "io write", { DEVICE_WRITES }, { NULL }, "counts the bytes that devices write" },
	{ "io bandwidth write", { DEVICE_WRITES }, { NULL },
	  "counts the bytes that devices write" },
	{ "io latency", { "io_read_latency_cycles", "tf_ioh_latency_cycles" }, { NULL },
	  "measures how long requests of devices take" },
	{ "ddio", { DDIO }, { NULL }, "tells what devices find in the last-level cache" },
	{ "ddio hit", { DDIO }, { NULL }, "tells what devices find in the last-level cache" },
	{ "ddio hit rate", { DDIO }, { NULL }, "tells what devices find in the last-level cache" },
	{ "ddio miss", { DDIO }, { NULL }, "tells what devices find in the last-level cache" },
	{ "link", { "links", LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "link bandwidth", { LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "fabric", { "links", LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "fabric bandwidth", { LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "cross socket", { "links", LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "cross socket bandwidth", { LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "socket socket", { "links", LINK_BYTES, CLINK_READS }, { NULL }, BETWEEN },
	{ "gpu", { NVLINK_BYTES, DEVICE_BYTES }, { NULL }, COUNTS_DEVICES },
	{ "gpu bandwidth", { NVLINK_BYTES, DEVICE_BYTES }, { NULL },
	  COUNTS_DEVICES },
	{ "link utilization", { "link_utilization_ratio", "link_sent_utilization_ratio" },
	  { "links", "link_sent_data_bytes_total" },
	  "says how much of a link between sockets is in use" },
	{ "tor", { "cbox/TOR_INSERTS", "cbox/TOR_OCCUPANCY", "llc_data_read_misses_total",
		   "llc_data_read_miss_latency_seconds" }, { NULL },
	  COUNTS_TOR },
	{ "cas count", { "imc/CAS_COUNT", "perf/uncore_imc/cas_count_read/",
			 "perf/uncore_imc/cas_count_write/", "perf/uncore_imc/cas_count_read_sch0/",
			 "perf/uncore_imc/cas_count_write_sch0/", "uncore/DRAM_READ_CAS",
			 "uncore/DRAM_WRITE_CAS", "umc memory_read_bytes_total",
			 "umc memory_write_bytes_total", "memory_read_commands_total",
			 "memory_write_commands_total", "mbox/DRAM_CMD" }, { NULL },
	  COUNTS_CAS },
	{ "latency", { "latency", MISS_LATENCY, "imt_latency_seconds",
		       "home_local_latency_seconds" },
	  { NULL }, MEASURES_LATENCY },
	{ "memory latency", { "latency", MISS_LATENCY, "imt_latency_seconds",
			      "home_local_latency_seconds" },
	  { NULL }, MEASURES_LATENCY },
	{ "llc latency", { MISS_LATENCY }, { NULL }, MEASURES_LATENCY },
	{ "utilization", { "memory_utilization_ratio", "memory_headroom_ratio",
			   "link_utilization_ratio", "link_sent_utilization_ratio",
			   "memory_channel_utilization_ratio" },
	  { NULL }, "says which share of what a part can do is in use" },
	{ "memory utilization", { "memory_utilization_ratio", "memory_headroom_ratio",
				  "memory_channel_utilization_ratio" },
	  { NULL }, "says how much of its memory's bandwidth is in use" },
	{ "hit rate", { HIT_SHARE }, { NULL }, HITS_FROM_MISSES },
	{ "llc hit rate", { HIT_SHARE }, { NULL }, HITS_FROM_MISSES },
	{ "miss", { "llc_misses_total", "cbox/LLC_MISSES", "llc_socket_miss_ratio",
		      "llc_data_read_misses_total", "llc_socket_hit_ratio",
		      "perf/cpu/cache-misses/" },
	  { NULL }, COUNTS_MISSES },
	{ "llc miss", { "llc_misses_total", "cbox/LLC_MISSES", "llc_socket_miss_ratio",
			  "llc_data_read_misses_total", "llc_socket_hit_ratio" },
	  { NULL }, COUNTS_MISSES },
	{ "miss rate", { MISS_SHARE }, { NULL }, HITS_FROM_MISSES },
	{ "llc miss rate", { MISS_SHARE }, { NULL }, HITS_FROM_MISSES },
	{ "clock", { "clock_hertz", "memory_controller_clock_hertz", "link_clock_hertz" }, { NULL },
	  "counts a clock of its uncore" },
	{ "uncore clock", { "clock_hertz" }, { "memory_controller_clock_hertz" },
	  "counts the clock of its uncore" },
	{ "mesh clock", { "clock_hertz" }, { "memory_controller_clock_hertz" },
	  "counts the clock of its uncore" },
	{ "memory clock", { "memory_controller_clock_hertz", "dram_clock_hertz" }, { NULL },
	  "gives the clock of its memory" },
	{ "memory power", { "dram_power_watts" }, { NULL }, "measures the power of its memory" },
	{ "cstate", { C_STATES }, { NULL }, "says how long its cores or package sleep" },
	{ "c state", { C_STATES }, { NULL }, "says how long its cores or package sleep" },
	{ "c6", { "package_c6_ratio", C_STATES }, { NULL },
	  "says how long its cores or package sleep" },
	{ "c6 cstate", { "package_c6_ratio", C_STATES }, { NULL },
	  "says how long its cores or package sleep" },
	{ "power", { "power", "package_power_watts" }, { NULL }, MEASURES_POWER },
};

/* Of perfmon SPR and EMR (UNC_M_PRE_COUNT.RD, .WR), GNR, SRF and CWF (UNC_M_ACT_COUNT.ALL), of
 * which no formula of page hits is published. */
#define OPENED "perf/uncore_imc/event=0x2,umask=0xf7,name=act_count/ counts how often a page was " \
	"opened"
/* Of perfmon ADL, MTL, LNL, ARL: UNC_M_DRAM_PAGE_HIT_RD, UNC_M_PRE_COUNT_PAGE_MISS,
 * UNC_M_CAS_COUNT_RD, _WR, UNC_HAC_CBO_TOR_ALLOCATION.ALL. */
#define CLIENT_PAGES "perf/uncore_imc/event=0x1c,name=page_hit_rd/ counts reads that found their " \
	"page open, perf/uncore_imc/event=0x1f,name=page_hit_wr/ writes"
#define CLIENT_CAS "perf/uncore_imc/event=0x22,name=cas_count_rd/ counts those of reads, " \
	"perf/uncore_imc/event=0x23,name=cas_count_wr/ of writes"
static const struct search_numbers numbers[] = {
	{ FINDS_PAGES, "spr", "imc",
	  "perf/uncore_imc/event=0x3,umask=0x11,name=pre_count_rd/ counts reads that found another "
	  "page open, perf/uncore_imc/event=0x3,umask=0x22,name=pre_count_wr/ writes" },
	{ FINDS_PAGES, "gnr", "imc", OPENED }, { FINDS_PAGES, "srf", "imc", OPENED },
	{ FINDS_PAGES, "tgl", "imc", CLIENT_PAGES },
	{ FINDS_PAGES, "lnl", "imc", CLIENT_PAGES },
	{ FINDS_PAGES, "mtl", "imc", "perf/uncore_imc/event=0x27,name=page_miss/ counts "
	  "those that found another page open" },
	{ COUNTS_CAS, "tgl", "imc", CLIENT_CAS },
	{ COUNTS_CAS, "mtl", "imc", CLIENT_CAS },
	{ COUNTS_CAS, "lnl", "imc", CLIENT_CAS },
	{ COUNTS_TOR, "mtl", "hac_cbox",
	  "perf/uncore_hac_cbox/event=0x35,umask=0x8,name=tor_allocation/ counts requests in one" },
};

/*
 * Why nothing of uncored answers a question, on machines of these tables; the first that holds.
 * Of perfmon JKT, SNB to RKL, TGL to ARL, Linux' lists of amdzen1 to amdzen6 and of Arm's CMN, its
 * drivers of CMN, DMC-620, HiSilicon (6.12; hisi-pmu.rst, hisi-pcie-pmu.rst) and RAPL, SDM 3B 19,
 * 323535-001.
 */
#define CLIENTS "snb tgl mtl lnl"
#define FOR_ONE_SOCKET CLIENTS " ryzen raphael"
#define MESH "cmn cmn-hns cmn-both"
#define OLD_FABRIC "naples epyc ryzen"
#define ARM MESH " dmc620 hip08 hip09 ampereone yitian710 grace vera"
#define NO_SLICES "Intel publishes no event of the slices of its cache (uncore_cbox)"
#define SLICES_TO_COMET_LAKE "up to Comet Lake Intel publishes UNC_CBO_CACHE_LOOKUP " \
	"(uncore_cbox, event 0x34), of which there is no row"
#define ONE_SOCKET "it is made for one socket"
#define NO_COMMANDS "no public source names an event of commands to its DRAM"
#define HIP09_DDRC "Linux names events of bytes and of the clock of its DDRC alone"
#define BYTES_ALONE "the kernel counts bytes of its memory alone"
#define MCU_ALONE "uncored has a table of its memory controllers alone"
static const struct search_reason reasons[] = {
	{ TELLS_REMOTE, FOR_ONE_SOCKET, ONE_SOCKET },
	{ TELLS_REMOTE, "naples epyc", "no public event of its data fabric says whose memory is "
	  "meant" },
	{ TELLS_REMOTE, "hsx", "it has no link to another socket" },
	{ TELLS_REMOTE, "snbep", "its home agents count reads and writes of all sockets together" },
	{ TELLS_REMOTE, "ampereone", "its memory controllers do not say who asks" },
	{ COUNTS_LOOKUPS, "ampereone", MCU_ALONE }, { HITS_FROM_MISSES, "ampereone", MCU_ALONE },
	{ COUNTS_MISSES, "ampereone", MCU_ALONE }, { COUNTS_DEVICES, "ampereone", MCU_ALONE },
	{ BETWEEN, "ampereone", MCU_ALONE }, { MEASURES_LATENCY, "ampereone", MCU_ALONE },
	{ FINDS_PAGES, "ampereone", "no public source says which of its events find a page open" },
	{ FINDS_PAGES, "grace vera", NO_COMMANDS }, { COUNTS_CAS, "grace vera", NO_COMMANDS },
	{ TELLS_REMOTE, MESH, "no public source says which of the mesh's requests are for another "
	  "socket's memory" },
	{ BETWEEN, FOR_ONE_SOCKET, ONE_SOCKET },
	{ BETWEEN, "nhm", "its events of QPI links are of what waits, not of what is sent" },
	{ BETWEEN, MESH, "Linux does not say what is behind a gateway of the mesh (cxra, cxha, "
	  "ccra, ccha, ccla)" },
	{ FINDS_PAGES, "snb", BYTES_ALONE },
	{ FINDS_PAGES, "tgl", BYTES_ALONE },
	{ FINDS_PAGES, OLD_FABRIC, NO_COMMANDS },
	{ FINDS_PAGES, "dmc620", "no public source says which of the DMC-620's events find a page "
	  "open" },
	{ FINDS_PAGES, MESH, "the mesh counts requests to memory, no commands of the DRAM" },
	{ COUNTS_CAS, "snb", BYTES_ALONE },
	{ COUNTS_CAS, "tgl", BYTES_ALONE },
	{ COUNTS_CAS, OLD_FABRIC, NO_COMMANDS },
	{ COUNTS_CAS, "dmc620", "the DMC-620 counts reads and writes together, as "
	  "memory_commands_total" },
	{ COUNTS_CAS, MESH, "the mesh counts requests to memory, no commands of the DRAM" },
	{ COUNTS_BYTES, "cmn", "Linux gives no size of the mesh's requests to memory" },
	{ COUNTS_DEVICES, "tgl mtl lnl", "the kernel counts reads and writes of memory, whoever "
	  "asks for them" },
	{ COUNTS_DEVICES, "nhmex", "its devices are behind an I/O hub, at the end of a QPI link" },
	{ COUNTS_TOR, "snb tgl lnl nhm nhmex", "Intel publishes no event of it for this "
	  "processor" },
	{ COUNTS_TOR, "zen2 zen3 zen4 zen5 zen6 " ARM, "it is no processor of Intel's" },
	{ COUNTS_LOOKUPS, "snb", SLICES_TO_COMET_LAKE },
	{ COUNTS_LOOKUPS, "tgl mtl lnl", NO_SLICES },
	{ HITS_FROM_MISSES, "snb", SLICES_TO_COMET_LAKE },
	{ HITS_FROM_MISSES, "tgl mtl lnl", NO_SLICES },
	{ COUNTS_MISSES, "tgl mtl lnl", NO_SLICES },
	{ MEASURES_LATENCY, "snb", "Intel publishes UNC_ARB_TRK_OCCUPANCY.DATA_READ (uncore_arb) "
	  "of Skylake to Comet Lake, of which there is no row" },
	{ MEASURES_LATENCY, "tgl mtl lnl", "Intel publishes no formula of it for this processor" },
	{ MEASURES_LATENCY, MESH, "no public source gives a formula of it for the mesh" },
	{ FINDS_PAGES, "hip08", "its events are of pages opened and closed "
	  "(perf/hisi_sccl_ddrc/act_cmd/, pre_cmd), none of hits" },
	{ FINDS_PAGES, "hip09", HIP09_DDRC }, { COUNTS_CAS, "hip09", HIP09_DDRC },
	{ COUNTS_CAS, "hip08", "Linux does not say what flux_rcmd and flux_wcmd of its DDRC "
	  "count" },
	{ COUNTS_DEVICES, "hip08", "Linux has PMUs of PCIe from hip09 on" },
	{ COUNTS_DEVICES, "hip09", "there is no row of hisi_pcie, the PMUs of its PCIe" },
	{ BETWEEN, "hip08", "Linux has PMUs of its protocol adapters (pa) from hip09 on" },
	{ BETWEEN, "hip09", "Linux does not say how much a request of its protocol adapters (pa) "
	  "is" },
	{ MEASURES_LATENCY, "hip08 hip09", "no event of its caches and memory counts what waits" },
	{ MEASURES_POWER, "nhm nhmex " ARM, "the kernel has no PMU of its energy" },
};

/* Reasons that hold where the machine has such a box: of hsx model 86 alone has home agents that
 * leave the question open, and a guest may have no PMU of its memory at all. */
static const struct {
	const char *lacks, *tables, *box;
} only_with[] = {
	{ TELLS_REMOTE, "hsx", "ha" },
	{ FINDS_PAGES, "snb", "imc" }, { FINDS_PAGES, "tgl", "imc_free_running" },
	{ COUNTS_CAS, "snb", "imc" }, { COUNTS_CAS, "tgl", "imc_free_running" },
};

static bool is_among(const char *list, const struct query *q, unsigned word)
{
	struct query words = { .n = 0 };

	query_add(&words, list);
	for (unsigned i = 0; i < words.n; i++)
		if (query_same_word(&words, i, q, word))
			return true;
	return false;
}

/* Without the ending of several of it: "reads" is "read", "misses" is "miss". */
static size_t one_of(const char *word, size_t length)
{
	if (length < 4 || word[length - 1] != 's' || word[length - 2] == 's')
		return length;
	return length > 5 && strncmp(word + length - 4, "sses", 4) == 0 ? length - 2 : length - 1;
}

void search_words_meant(const char *asked, struct query *ret)
{
	bool several = strchr(asked, ' ') != NULL;
	struct query typed = { .n = 0 };

	query_add(&typed, asked);
	for (unsigned i = 0; i < typed.n; i++) {
		const char *word = typed.words[i] + 1;
		char one[QUERY_TEXT];

		if (several && is_among(stop_words, &typed, i))
			continue;
		snprintf(one, sizeof(one), "%.*s", (int)one_of(word, strcspn(word, " ")), word);
		query_add(ret, one);
	}
	if (!ret->n)
		query_add(ret, asked);
}

void search_words_near(const char *typed, void (*near)(void *p, const char *word), void *p)
{
	for (unsigned i = 0; i < COUNT(same); i++) {
		struct query line = { .n = 0 };

		query_add(&line, same[i]);
		for (unsigned k = 0; k < line.n; k++) {
			const char *word = line.words[k] + 1;
			char one[QUERY_TEXT];

			snprintf(one, sizeof(one), "%.*s", (int)strcspn(word, " "), word);
			if (name_is_typo(typed, one))
				near(p, one);
		}
	}
}

/* Does a line of words that mean the same have this one? */
static bool has_word(const struct query *line, const struct query *q, unsigned word)
{
	for (unsigned k = 0; k < line->n; k++)
		if (query_same_word(line, k, q, word))
			return true;
	return false;
}

void search_words_of(const struct query *q, struct search_words *ret)
{
	for (unsigned i = 0; i < q->n; i++)
		ret->of[i] = (uint32_t)BIT(i);
	query_add(&ret->all, q->text);
	for (unsigned i = 0; i < COUNT(same); i++) {
		struct query line = { .n = 0 };
		uint32_t stands_for = 0;
		unsigned before = ret->all.n;

		query_add(&line, same[i]);
		for (unsigned k = 0; k < q->n; k++)
			if (has_word(&line, q, k))
				stands_for |= (uint32_t)BIT(k);
		if (!stands_for)
			continue;
		query_add(&ret->all, same[i]);
		for (unsigned k = before; k < ret->all.n; k++)
			ret->of[k] = stands_for;
	}
}

uint32_t search_words_found(const struct search_words *w, const char *text)
{
	uint32_t found = query_found(&w->all, text), ret = 0;

	for (unsigned i = 0; i < w->all.n; i++)
		if (found & BIT(i))
			ret |= w->of[i];
	return ret;
}

static bool mean_the_same(const struct query *a, unsigned i, const struct query *b, unsigned k)
{
	if (query_same_word(a, i, b, k))
		return true;
	for (unsigned n = 0; n < COUNT(same); n++) {
		struct query line = { .n = 0 };

		query_add(&line, same[n]);
		if (has_word(&line, a, i) && has_word(&line, b, k))
			return true;
	}
	return false;
}

/* Has b for each word of a one that means the same? idle: but for those that say no more. */
static bool covers(const struct query *a, const struct query *b, bool idle)
{
	for (unsigned i = 0; i < a->n; i++) {
		bool any = idle && is_among(idle_words, a, i);

		for (unsigned k = 0; k < b->n && !any; k++)
			any = mean_the_same(a, i, b, k);
		if (!any)
			return false;
	}
	return true;
}

const struct search_question *search_question_of(const struct query *q)
{
	for (unsigned k = 0; k < 2 * COUNT(questions); k++) {
		const struct search_question *of = &questions[k % COUNT(questions)];
		bool idle = k >= COUNT(questions);      /* those that have every word come first */
		struct query words = { .n = 0 };

		query_add(&words, of->words);
		if (covers(q, &words, idle) && covers(&words, q, false))
			return of;
	}
	return NULL;
}

const struct search_numbers *search_numbers_of(const struct search_question *q, const char *table)
{
	for (unsigned i = 0; q && i < COUNT(numbers); i++)
		if (strcmp(numbers[i].lacks, q->lacks) == 0 && strcmp(numbers[i].table, table) == 0)
			return &numbers[i];
	return NULL;
}

const struct search_reason *search_reason_of(const struct search_question *q, const char *table,
					     const struct search_reason *before)
{
	const struct search_reason *end = before ?: reasons + COUNT(reasons);

	for (const struct search_reason *r = reasons; q && r < end; r++)
		if (strcmp(r->lacks, q->lacks) == 0 &&
		    name_listed(r->tables, table, strlen(table)))
			return r;
	return before;
}

const char *search_reason_box(const struct search_reason *r)
{
	for (unsigned i = 0; r && i < COUNT(only_with); i++)
		if (strcmp(only_with[i].lacks, r->lacks) == 0 &&
		    strcmp(only_with[i].tables, r->tables) == 0)
			return only_with[i].box;
	return NULL;
}
