/* SPDX-License-Identifier: MIT
 * NVIDIA's Grace and Vera through Linux.
 * Each PMU of Grace counts what somebody else moves: the SCF what CPUs ask for, whichever socket has them,
 * PCIe what the socket's own devices do, NVLink-C2C and CNVLink what comes over these links. What
 * they count is disjoint by the kernel's document, and GPU memory is in most of it: no sum of them
 * is the traffic of the socket's own memory.
 *
 * Vera's UCF and PCIe PMUs have the product numbers of Grace's SCF and PCIe PMU, for which a driver
 * from before Vera takes them: the events that it names there count nothing, or something else.
 * Tables ask for the cores, and Vera's has these PMUs, too, so that nothing of them counts by default.
 */
#include "catalog/tables/perf_tables.h"

/* ------------------------------------------------------------------ Grace */

#define CSPMU_C "Linux drivers/perf/arm_cspmu/nvidia_cspmu.c "
#define GRACE_RST "Linux Documentation/admin-guide/perf/nvidia-tegra241-pmu.rst "
#define LIKWID_MEM "likwid groups/nvidia_grace/MEM.txt "
#define DCPERF "facebookresearch/DCPerf, metrics of Grace: "
/* The driver asks the hardware how many there are. */
#define LIKWID_COUNTERS "likwid perfmon_nvidiagrace_counters.h: six, and a fixed one for the clock"
#define NEOVERSE_V2 0x41, 0xd4f, 0xd4f, 0

#define SCF(name_) "perf/nvidia_scf_pmu/" name_ "/"
/* Older drivers take a filter of 0 for no port and no socket, newer ones for all. */
#define PCIE(code_, name_)    "perf/nvidia_pcie_pmu/event=" code_ ",root_port=0x3ff,name=" name_ "/"
#define C2C0(code_, name_)    "perf/nvidia_nvlink_c2c0_pmu/" name_ "/"
#define C2C1(code_, name_)    "perf/nvidia_nvlink_c2c1_pmu/" name_ "/"
#define CNVLINK(code_, name_) "perf/nvidia_cnvlink_pmu/event=" code_ ",rem_socket=0xf,name=" name_ "/"

#define CYCLES       SCF("cycles")
#define READ_BEATS   SCF("cmem_rd_data")
#define WRITE_BYTES  SCF("cmem_wr_total_bytes")
#define READS        SCF("cmem_rd_access")
#define WAITING      SCF("cmem_rd_outstanding")
#define LOOKUPS      SCF("scf_cache")
#define REFILLS      SCF("scf_cache_refill")
#define REMOTE_BEATS   SCF("remote_socket_rd_data")
#define REMOTE_BYTES   SCF("remote_socket_wr_total_bytes")
#define REMOTE_READS   SCF("remote_socket_rd_access")
#define REMOTE_WAITING SCF("remote_socket_rd_outstanding")

#define SCF_EVENT(spec_)      P(spec_, CSPMU_C "scf_pmu_event_attrs")
#define MCF_EVENT(spec_)      P(spec_, CSPMU_C "mcf_pmu_event_attrs")
/* Of one of the other PMUs: to and from memory of the same socket, and of others. */
#define RD_LOC(pmu_) pmu_("0x0", "rd_bytes_loc")
#define RD_REM(pmu_) pmu_("0x1", "rd_bytes_rem")
#define WR_LOC(pmu_) pmu_("0x2", "wr_bytes_loc")
#define WR_REM(pmu_) pmu_("0x3", "wr_bytes_rem")
#define MCF_EVENTS(pmu_) \
	MCF_EVENT(RD_LOC(pmu_)), MCF_EVENT(RD_REM(pmu_)), MCF_EVENT(WR_LOC(pmu_)), MCF_EVENT(WR_REM(pmu_))
#define MCF_LIST(pmu_)      RD_LOC(pmu_), RD_REM(pmu_), WR_LOC(pmu_), WR_REM(pmu_)
#define READ_BYTES(pmu_)    SUM(IN(RD_LOC(pmu_)), IN(RD_REM(pmu_)))
#define WRITTEN_BYTES(pmu_) SUM(IN(WR_LOC(pmu_)), IN(WR_REM(pmu_)))

#define LINK_METRICS(link_, pmu_, chapter_, who_, what_) \
	M(link_ "_read_bytes_total", "bytes", SOCKET, GRACE_RST chapter_, READ_BYTES(pmu_), \
	  .help = "Bytes that " who_ " read " what_), \
	M(link_ "_write_bytes_total", "bytes", SOCKET, GRACE_RST chapter_, WRITTEN_BYTES(pmu_), \
	  .help = "Bytes that " who_ " wrote " what_)
#define NO_FORMULA .disputed = "the events' names say so: no public formula has them"
#define NO_USE BUS_USE("a clock that Grace's PMUs count")
#define NO_CHANNELS "Grace's PMUs count all channels of a socket's memory as one"

const struct cat_perf cat_perf_grace = {
	.name = "grace", .title = "NVIDIA Grace", .vendor = "", IDS({ NEOVERSE_V2 }),
	.by_pmu = true, .instead_of = OF_ARM,
	.part = CAT_PART_SOCKET,
	PMUS(
		{ "nvidia_scf_pmu", 6, LIKWID_COUNTERS },
		{ "nvidia_pcie_pmu", 6, LIKWID_COUNTERS },
		{ "nvidia_nvlink_c2c0_pmu", 6, LIKWID_COUNTERS },
		{ "nvidia_nvlink_c2c1_pmu", 6, LIKWID_COUNTERS },
		{ "nvidia_cnvlink_pmu", 6, LIKWID_COUNTERS }),
	EVENTS(
		P(CYCLES, "Linux drivers/perf/arm_cspmu/arm_cspmu.h ARM_CSPMU_EVT_CYCLES_DEFAULT",
		  .clock = true, .fixed = true),
		SCF_EVENT(READ_BEATS), SCF_EVENT(WRITE_BYTES), SCF_EVENT(READS), SCF_EVENT(WAITING),
		SCF_EVENT(LOOKUPS), SCF_EVENT(REFILLS),
		SCF_EVENT(REMOTE_BEATS), SCF_EVENT(REMOTE_BYTES),
		SCF_EVENT(REMOTE_READS), SCF_EVENT(REMOTE_WAITING),
		MCF_EVENTS(PCIE), MCF_EVENTS(C2C0), MCF_EVENTS(C2C1), MCF_EVENTS(CNVLINK)),
	GROUPS(
		G("memory", TEXTS(CYCLES, READ_BEATS, WRITE_BYTES, READS, WAITING),
		  .help = "Bytes that CPUs read from the socket's memory and wrote to it, and how long reads take"),
		G("llc", TEXTS(LOOKUPS, REFILLS), .help = "Accesses to the system-level cache, and its misses"),
		G("pcie", TEXTS(MCF_LIST(PCIE)), .help = PCIE_HELP),
		G("links", TEXTS(MCF_LIST(C2C0), MCF_LIST(C2C1), MCF_LIST(CNVLINK)), .metrics_only = true,
		  .help = "Bytes that GPUs and other sockets' devices read and wrote over NVLink-C2C and CNVLink"),
		G("numa", TEXTS(CYCLES, REMOTE_BEATS, REMOTE_BYTES, REMOTE_READS, REMOTE_WAITING), .on_request = true,
		  .help = "Bytes that the socket's CPUs read from other sockets' memory and wrote to it, and how long reads take")),
	METRICS(
		M("memory_read_bytes_total", "bytes", SOCKET, LIKWID_MEM "CMEM_RD_DATA", SUM(IN(READ_BEATS)),
		  .scale = 32,
		  .help = "Bytes that CPUs read from the memory of the socket, 32 for each beat: "
		    "what devices and GPUs read, PCIe and the links count"),
		M("memory_write_bytes_total", "bytes", SOCKET, LIKWID_MEM "CMEM_WR_TOTAL_BYTES", SUM(IN(WRITE_BYTES)),
		  .help = "Bytes that CPUs wrote to the memory of the socket, and devices by strongly ordered writes: "
		    "their other writes, and those of GPUs, PCIe and the links count"),
		M("llc_miss_latency_seconds", "seconds", SOCKET, DCPERF "nvidia_scf_mem_latency_ns", SUM(IN(WAITING)),
		  .den = SUM(IN(READS)), .cycles_of = CYCLES,
		  .help = "Mean time from a read of the socket's memory, which the system-level cache does not have, until its data"),
		M("memory_knee_bytes_per_second", "bytes_per_second", SOCKET, KNEE_SOURCE, SUM(TIMES(32, READ_BEATS)),
		  .den = SUM(IN(WRITE_BYTES)), .knee = CAT_KNEE, .help = KNEE_HELP),
		M("memory_headroom_ratio", "ratio", SOCKET, KNEE_SOURCE, SUM(TIMES(32, READ_BEATS)),
		  .den = SUM(IN(WRITE_BYTES)), .knee = CAT_HEADROOM, .help = HEADROOM_HELP),
		NO_MEMORY_USE(NO_USE, NO_CHANNELS, GRACE_RST "SCF PMU"),
		M("clock_hertz", "hertz", SOCKET, CSPMU_C "cycles", SUM(IN(CYCLES)), .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the scalable coherency fabric (SCF)"),
		M("llc_lookups_total", "lookups", SOCKET, CSPMU_C "scf_cache", SUM(IN(LOOKUPS)), NO_FORMULA,
		  .help = "Accesses to the system-level cache of the socket"),
		M("llc_misses_total", "misses", SOCKET, CSPMU_C "scf_cache_refill", SUM(IN(REFILLS)), NO_FORMULA,
		  .help = "Accesses that refilled the system-level cache of the socket"),
		M("llc_miss_ratio", "ratio", SOCKET, CSPMU_C "scf_cache_refill, scf_cache", SUM(IN(REFILLS)),
		  .den = SUM(IN(LOOKUPS)), NO_FORMULA,
		  .help = "Refills of the system-level cache for each access to it"),
		M("pcie_read_bytes_total", "bytes", SOCKET, GRACE_RST "PCIE PMU", READ_BYTES(PCIE),
		  .help = "Bytes that the socket's PCIe devices read from memory, of whichever socket or GPU"),
		M("pcie_write_bytes_total", "bytes", SOCKET, GRACE_RST "PCIE PMU", WRITTEN_BYTES(PCIE),
		  .help = "Bytes that the socket's PCIe devices wrote to memory, of whichever socket or GPU"),
		LINK_METRICS("nvlink_c2c0", C2C0, "NVLink-C2C0 PMU",
		  "a GPU, or the other CPU's devices on a board of two,",
		  "over NVLink-C2C0, a GPU by addresses that were translated"),
		LINK_METRICS("nvlink_c2c1", C2C1, "NVLink-C2C1 PMU", "a GPU",
		  "over NVLink-C2C1, by addresses that needed no translation"),
		LINK_METRICS("cnvlink", CNVLINK, "CNVLink PMU", "GPUs and devices of other sockets",
		  "over CNVLink in the memory of this one"),
		M("numa_remote_read_bytes_total", "bytes", SOCKET, LIKWID_MEM "32 bytes a beat", SUM(IN(REMOTE_BEATS)),
		  .scale = 32,
		  .help = "Bytes that the socket's CPUs read from memory of other sockets, 32 for each beat"),
		M("numa_remote_write_bytes_total", "bytes", SOCKET, CSPMU_C "remote_socket_wr_total_bytes",
		  SUM(IN(REMOTE_BYTES)),
		  .help = "Bytes that the socket's CPUs wrote to memory of other sockets"),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET,
		  DCPERF "nvidia_scf_mem_latency_ns, of the other socket", SUM(IN(REMOTE_WAITING)),
		  .den = SUM(IN(REMOTE_READS)), .cycles_of = CYCLES,
		  .help = "Mean time from a CPU's read of another socket's memory until its data")),
};

/* ------------------------------------------------------------------ Vera */

/* Of Linux 7.1; its cores are NVIDIA's own (Olympus). */
#define OLYMPUS 0x4e, 0x010, 0x010, 0
#define VERA_RST "Linux Documentation/admin-guide/perf/nvidia-tegra410-pmu.rst "
#define CMEM_C   "Linux drivers/perf/nvidia_t410_cmem_latency_pmu.c "
#define VERA_COUNTERS "no source says how many there are: no more are taken at once than a group of Grace's"

#define UCF(event_, filter_, name_) \
	"perf/nvidia_ucf_pmu/" event_ "," filter_ ",name=" name_ "/"
#define UCF_ALL(event_) "perf/nvidia_ucf_pmu/" event_ "/"
#define CMEM(event_)    "perf/nvidia_cmem_latency_pmu/" event_ "/"
/* To memory of any kind, and not to other devices. */
#define RC(event_) "perf/nvidia_pcie_pmu_rc/" event_ \
	",dst_loc_cmem=1,dst_loc_gmem=1,dst_loc_pcie_cxl=1,dst_rem=1,name=" event_ "/"

#define UCF_CYCLES   UCF_ALL("cycles")
#define SLC_READS    UCF_ALL("slc_access_rd")
#define SLC_WRITES   UCF_ALL("slc_access_wr")
#define SLC_READ_HITS UCF_ALL("slc_hit_rd")
#define OWN_READ     UCF("mem_bytes_rd", "dst_loc_cmem=1", "cmem_bytes_rd")
#define OWN_WRITE    UCF("mem_bytes_wr", "dst_loc_cmem=1", "cmem_bytes_wr")
#define LOCAL_READ   UCF("mem_bytes_rd", "src_loc_cpu=1,dst_loc_cmem=1", "cpu_cmem_bytes_rd")
#define LOCAL_WRITE  UCF("mem_bytes_wr", "src_loc_cpu=1,dst_loc_cmem=1", "cpu_cmem_bytes_wr")
#define REMOTE_READ  UCF("mem_bytes_rd", "src_loc_cpu=1,dst_rem=1", "cpu_remote_bytes_rd")
#define REMOTE_WRITE UCF("mem_bytes_wr", "src_loc_cpu=1,dst_rem=1", "cpu_remote_bytes_wr")
#define CMEM_CYCLES  CMEM("cycles")
#define CMEM_READS   CMEM("rd_req")
#define CMEM_WAITING CMEM("rd_cum_outs")
#define RC_READ      RC("rd_bytes")
#define RC_WRITE     RC("wr_bytes")

#define UCF_EVENT(spec_, ...) P(spec_, CSPMU_C "ucf_pmu_event_attrs", ##__VA_ARGS__)
#define NO_VERA_USE BUS_USE("a clock that Vera's PMUs count")
#define NO_VERA_CHANNELS "Vera's PMUs count all channels of a socket's memory as one"

const struct cat_perf cat_perf_vera = {
	.name = "vera", .title = "NVIDIA Vera", .vendor = "", IDS({ OLYMPUS }),
	.by_pmu = true, .instead_of = OF_ARM,
	.part = CAT_PART_SOCKET,
	PMUS(
		{ "nvidia_ucf_pmu", 6, VERA_COUNTERS },
		{ "nvidia_cmem_latency_pmu", 0, CMEM_C "CMEM_LAT_MAX_ACTIVE_EVENTS: each event reads all" },
		{ "nvidia_pcie_pmu_rc", 6, VERA_COUNTERS },
		/* As a driver from before Vera calls the first and, of the third kind, one of each socket. */
		{ "nvidia_scf_pmu", 6, CSPMU_C "product 0x2cf" },
		{ "nvidia_pcie_pmu", 6, CSPMU_C "product 0x103" }),
	EVENTS(
		UCF_EVENT(UCF_CYCLES, .clock = true, .fixed = true),
		UCF_EVENT(OWN_READ), UCF_EVENT(OWN_WRITE),
		UCF_EVENT(SLC_READS), UCF_EVENT(SLC_WRITES), UCF_EVENT(SLC_READ_HITS),
		UCF_EVENT(LOCAL_READ), UCF_EVENT(LOCAL_WRITE),
		UCF_EVENT(REMOTE_READ), UCF_EVENT(REMOTE_WRITE),
		P(CMEM_CYCLES, CMEM_C "CMEM_LAT_EVENT_CYCLES", .clock = true),
		P(CMEM_READS, CMEM_C "CMEM_LAT_EVENT_REQ"),
		P(CMEM_WAITING, CMEM_C "CMEM_LAT_EVENT_AOR"),
		P(RC_READ, CSPMU_C "pcie_v2_pmu_event_attrs"),
		P(RC_WRITE, CSPMU_C "pcie_v2_pmu_event_attrs")),
	GROUPS(
		G("memory", TEXTS(UCF_CYCLES, OWN_READ, OWN_WRITE, CMEM_CYCLES, CMEM_READS, CMEM_WAITING),
		  .help = "Bytes read from the socket's memory and written to it, and how long reads take"),
		G("llc", TEXTS(SLC_READS, SLC_WRITES, SLC_READ_HITS),
		  .help = "Reads and writes of the system-level cache, and how many reads hit"),
		G("pcie", TEXTS(RC_READ, RC_WRITE), .metrics_only = true, .help = PCIE_HELP),
		G("numa", TEXTS(LOCAL_READ, LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE), .on_request = true,
		  .help = "Bytes that the socket's CPUs read from its own memory and from other sockets', and wrote to them")),
	METRICS(
		M("memory_read_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: mem_bytes_rd, dst_loc_cmem",
		  SUM(IN(OWN_READ)),
		  .help = "Bytes that CPUs, devices, GPUs and other sockets read from the memory of the socket"),
		M("memory_write_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: mem_bytes_wr, dst_loc_cmem",
		  SUM(IN(OWN_WRITE)),
		  .help = "Bytes that CPUs, devices, GPUs and other sockets wrote to the memory of the socket"),
		M("llc_miss_latency_seconds", "seconds", SOCKET, VERA_RST "CMEM latency PMU", SUM(IN(CMEM_WAITING)),
		  .den = SUM(IN(CMEM_READS)), .cycles_of = CMEM_CYCLES,
		  .help = "Mean time from a read of the socket's memory, which the system-level cache does not have, until its data"),
		M("memory_knee_bytes_per_second", "bytes_per_second", SOCKET, KNEE_SOURCE, SUM(IN(OWN_READ)),
		  .den = SUM(IN(OWN_WRITE)), .knee = CAT_KNEE, .help = KNEE_HELP),
		M("memory_headroom_ratio", "ratio", SOCKET, KNEE_SOURCE, SUM(IN(OWN_READ)),
		  .den = SUM(IN(OWN_WRITE)), .knee = CAT_HEADROOM, .help = HEADROOM_HELP),
		NO_MEMORY_USE(NO_VERA_USE, NO_VERA_CHANNELS, VERA_RST "UCF PMU"),
		M("clock_hertz", "hertz", SOCKET, VERA_RST "UCF PMU: cycles", SUM(IN(UCF_CYCLES)),
		  .den = SUM(IN("seconds")),
		  .help = "Measured frequency of the unified coherence fabric (UCF)"),
		M("llc_lookups_total", "lookups", SOCKET, VERA_RST "UCF PMU: slc_access_rd, slc_access_wr",
		  SUM(IN(SLC_READS), IN(SLC_WRITES)),
		  .help = "Read and write requests to the system-level cache of the socket"),
		M("llc_socket_hit_ratio", "ratio", SOCKET, CSPMU_C "slc_hit_rd, slc_access_rd", SUM(IN(SLC_READ_HITS)),
		  .den = SUM(IN(SLC_READS)), NO_FORMULA,
		  .help = "Share of the read requests that hit the system-level cache, on the whole socket"),
		M("pcie_read_bytes_total", "bytes", SOCKET, VERA_RST "PCIE PMU: rd_bytes", SUM(IN(RC_READ)),
		  .help = "Bytes that the socket's PCIe devices read from memory, of whichever socket or GPU"),
		M("pcie_write_bytes_total", "bytes", SOCKET, VERA_RST "PCIE PMU: wr_bytes", SUM(IN(RC_WRITE)),
		  .help = "Bytes that the socket's PCIe devices wrote to memory, of whichever socket or GPU"),
		M("numa_local_read_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: src_loc_cpu, dst_loc_cmem",
		  SUM(IN(LOCAL_READ)),
		  .help = "Bytes that the socket's CPUs read from its own memory"),
		M("numa_local_write_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: src_loc_cpu, dst_loc_cmem",
		  SUM(IN(LOCAL_WRITE)),
		  .help = "Bytes that the socket's CPUs wrote to its own memory"),
		M("numa_remote_read_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: src_loc_cpu, dst_rem",
		  SUM(IN(REMOTE_READ)),
		  .help = "Bytes that the socket's CPUs read from memory of other sockets, their GPUs' and CXL memory too"),
		M("numa_remote_write_bytes_total", "bytes", SOCKET, VERA_RST "UCF PMU: src_loc_cpu, dst_rem",
		  SUM(IN(REMOTE_WRITE)),
		  .help = "Bytes that the socket's CPUs wrote to memory of other sockets, their GPUs' and CXL memory too")),
};

/* What connects it to another Vera. In a table of sets, so that the events of this PMU are still
 * those of any PMU without a table where no configuration names the group. */
#define C2C_C "Linux drivers/perf/nvidia_t410_c2c_pmu.c "
#define CLINK(event_) "perf/nvidia_nvclink_pmu/" event_ "/"
#define CLINK_CYCLES  CLINK("cycles")
#define CLINK_READS   CLINK("out_rd_req")
#define CLINK_WAITING CLINK("out_rd_cum_outs")

const struct cat_perf cat_perf_vera_links = {
	.name = "vera-links", .title = "NVIDIA Vera, reads of another one's memory", .vendor = "",
	IDS({ OLYMPUS }), .by_pmu = true, .sets = true, .part = CAT_PART_SOCKET,
	PMUS({ "nvidia_ucf_pmu", 6, VERA_COUNTERS },
	     { "nvidia_nvclink_pmu", 0, C2C_C "C2C_MAX_ACTIVE_EVENTS: each event reads all" }),
	EVENTS(
		P(CLINK_CYCLES, C2C_C "C2C_EVENT_CYCLES: of one instance", .clock = true),
		P(CLINK_READS, C2C_C "C2C_EVENT_OUT_RD_REQ"), P(CLINK_WAITING, C2C_C "C2C_EVENT_OUT_RD_CUM_OUTS")),
	GROUPS(G("numa_remote_latency", TEXTS(CLINK_CYCLES, CLINK_READS, CLINK_WAITING), .on_request = true,
		 .help = "How long reads that a socket sends to another one over NV-CLink take")),
	METRICS(
		M("numa_remote_read_latency_seconds", "seconds", SOCKET, VERA_RST "NV-CLink PMU",
		  SUM(IN(CLINK_WAITING)), .den = SUM(IN(CLINK_READS)), .cycles_of = CLINK_CYCLES,
		  .help = "Mean time from a read that the socket sends to another one over NV-CLink until its data")),
};
