/* SPDX-License-Identifier: MIT
 * What Intel publishes of Skylake-SP to Clearwater Forest beside the tables of each
 * generation (github.com/intel/perfmon, ARCH/metrics): in sets, which a configuration turns on.
 *
 * A CHA has four counters, and these metrics want up to 38 events of it: each group fits one round,
 * and the groups of a set take turns. tests/catalog/perfmon.py compares them with a checkout of
 * perfmon, says what a new processor lacks, and prints the rows. What generations share is one
 * table.
 */
#include "catalog/tables/perf_intel.h"

#define CHA(event_, name_) "perf/uncore_cha/event=" event_ ",name=" name_ "/"
#define INSERTS(umask_, name_) \
	"perf/uncore_cha/event=0x35,umask=" umask_ ",name=tor_inserts_" name_ "/"
#define OCCUPANCY(umask_, name_) \
	"perf/uncore_cha/event=0x36,umask=" umask_ ",name=tor_occupancy_" name_ "/"
#define ICX_CLOCK "perf/uncore_cha_0/event=0x00,name=clockticks/"
#define SPR_CLOCK "perf/uncore_cha_0/event=0x01,name=clockticks/"

#define CHA_PMU { "uncore_cha", 4, SNBEP_C "skx_uncore_chabox, icx_uncore_chabox, spr_uncore_chabox" }
#define ICX_IDS { 6, 106, 106, 0 }, { 6, 108, 108, 0 }
#define SPR_IDS { 6, 143, 143, 0 }, { 6, 207, 207, 0 }
#define GNR_IDS { 6, 173, 173, 0 }, { 6, 174, 174, 0 }
#define SRF_IDS { 6, 175, 175, 0 }, { 6, 221, 221, 0 }

#define ON_REQUEST .metrics_only = true, .on_request = true
#define LINES(name_, metric_, sum_, help_, ...) \
	M(name_, "bytes", SOCKET, "perfmon metric " metric_, sum_, .scale = 64, __VA_ARGS__ \
	  __VA_OPT__(,) .help = help_)
#define SHARE(name_, metric_, num_, den_, help_) \
	M(name_, "ratio", SOCKET, "perfmon metric " metric_, num_, .den = den_, .help = help_)
#define LATENCY(name_, metric_, occupancy_, inserts_, clock_, ...) \
	M(name_, "seconds", SOCKET, "perfmon metric " metric_, SUM(IN(occupancy_)), .den = SUM(IN(inserts_)), \
	  .cycles_of = clock_, __VA_ARGS__)

/* The only counter of a CHA that can count what is in its table of requests. */
#define IN_TABLE(spec_, source_) P(spec_, source_, .counters = 0x1)

static const struct cat_set numa = NUMA_SET;
#define OF_NUMA(part_) .set = &numa, .part = part_
static const struct cat_set memory_latency = {
	"memory_latency", "How long reads take, by the kind of memory"
};
static const struct cat_set io = {
	"io", "What devices read and write: in the last-level cache or past it, and in which socket's memory"
};

/* ------------------------------------------------------------------ who asks a socket's memory */

#define CHA_REQUESTS(umask_, name_) CHA("0x50,umask=" umask_, "requests_" name_)

#define READS_LOCAL   CHA_REQUESTS("0x01", "reads_local")
#define READS_REMOTE  CHA_REQUESTS("0x02", "reads_remote")
#define WRITES_LOCAL  CHA_REQUESTS("0x04", "writes_local")
#define WRITES_REMOTE CHA_REQUESTS("0x08", "writes_remote")
#define HOME_EVENT(spec_, name_) P(spec_, "perfmon SKX to CWF UNC_CHA_REQUESTS." name_)

const struct cat_perf cat_perf_xeon_home = {
	.name = "xeon-home", .title = "Intel Xeon from Skylake-SP on, requests to the home agents",
	.vendor = INTEL, .sets = true, IDS({ 6, 85, 85, 0 }, ICX_IDS, SPR_IDS, GNR_IDS, SRF_IDS),
	PMUS(CHA_PMU),
	EVENTS(
		HOME_EVENT(READS_LOCAL, "READS_LOCAL"), HOME_EVENT(READS_REMOTE, "READS_REMOTE"),
		HOME_EVENT(WRITES_LOCAL, "WRITES_LOCAL"), HOME_EVENT(WRITES_REMOTE, "WRITES_REMOTE")),
	GROUPS(
		G("numa_home", TEXTS(READS_LOCAL, READS_REMOTE, WRITES_LOCAL, WRITES_REMOTE), ON_REQUEST,
		  OF_NUMA(NUMA_HOW_MUCH), .help = HOME_HELP)),
	METRICS(
		LINES("home_local_read_bytes_total", "llc_miss_local_memory_bandwidth_read",
		  SUM(IN(READS_LOCAL)), HOME_LOCAL_READ_HELP),
		LINES("home_remote_read_bytes_total", "llc_miss_remote_memory_bandwidth_read",
		  SUM(IN(READS_REMOTE)), HOME_REMOTE_READ_HELP),
		LINES("home_local_write_bytes_total", "llc_miss_local_memory_bandwidth_write",
		  SUM(IN(WRITES_LOCAL)), HOME_LOCAL_WRITE_HELP),
		LINES("home_remote_write_bytes_total", "llc_miss_remote_memory_bandwidth_write",
		  SUM(IN(WRITES_REMOTE)), HOME_REMOTE_WRITE_HELP)),
};

/* ------------------------------------------------------------------ where reads go */

#define LOCAL_READ  INSERTS("0xc816fe01", "ia_miss_drd_local")
#define REMOTE_READ INSERTS("0xc8177e01", "ia_miss_drd_remote")
#define LOCAL_PREF  INSERTS("0xc896fe01", "ia_miss_drd_pref_local")
#define REMOTE_PREF INSERTS("0xc8977e01", "ia_miss_drd_pref_remote")

#define LOCAL_OPT        INSERTS("0xc826fe01", "ia_miss_drd_opt_local")
#define REMOTE_OPT       INSERTS("0xc8277e01", "ia_miss_drd_opt_remote")
#define LOCAL_OPT_PREF   INSERTS("0xc8a6fe01", "ia_miss_drd_opt_pref_local")
#define REMOTE_OPT_PREF  INSERTS("0xc8a77e01", "ia_miss_drd_opt_pref_remote")

#define READS_EVENT(spec_, archs_, name_) P(spec_, "perfmon " archs_ " UNC_CHA_TOR_INSERTS." name_)
/* drd_: "DRD" in Intel's names */
#define READS(archs_, drd_, local_, local_pref_, remote_, remote_pref_) \
	EVENTS( \
		READS_EVENT(local_, archs_, "IA_MISS_" drd_ "_LOCAL"), \
		READS_EVENT(local_pref_, archs_, "IA_MISS_" drd_ "_PREF_LOCAL"), \
		READS_EVENT(remote_, archs_, "IA_MISS_" drd_ "_REMOTE"), \
		READS_EVENT(remote_pref_, archs_, "IA_MISS_" drd_ "_PREF_REMOTE")), \
	GROUPS( \
		G("numa_reads", TEXTS(local_, local_pref_, remote_, remote_pref_), ON_REQUEST, OF_NUMA(NUMA_HOW_MUCH), \
		  .help = READS_HELP)), \
	METRICS( \
		M("numa_local_reads_total", "reads", SOCKET, "perfmon metric " LOCAL_DRAM, \
		  SUM(IN(local_), IN(local_pref_)), .help = LOCAL_READS_HELP), \
		M("numa_remote_reads_total", "reads", SOCKET, "perfmon metric " REMOTE_DRAM, \
		  SUM(IN(remote_), IN(remote_pref_)), .help = REMOTE_READS_HELP), \
		SHARE("numa_local_read_ratio", LOCAL_DRAM, SUM(IN(local_), IN(local_pref_)), \
		  SUM(IN(local_), IN(local_pref_), IN(remote_), IN(remote_pref_)), LOCAL_SHARE_HELP), \
		SHARE("numa_remote_read_ratio", REMOTE_DRAM, SUM(IN(remote_), IN(remote_pref_)), \
		  SUM(IN(local_), IN(local_pref_), IN(remote_), IN(remote_pref_)), REMOTE_SHARE_HELP))
#define LOCAL_DRAM  "numa_reads_addressed_to_local_dram"
#define REMOTE_DRAM "numa_reads_addressed_to_remote_dram"

const struct cat_perf cat_perf_xeon_reads = {
	.name = "xeon-reads", .title = "Intel Xeon from Ice Lake-SP on, reads by where the memory is",
	.vendor = INTEL, .sets = true, IDS(ICX_IDS, SPR_IDS, GNR_IDS), PMUS(CHA_PMU),
	READS("ICX, SPR, EMR, GNR", "DRD", LOCAL_READ, LOCAL_PREF, REMOTE_READ, REMOTE_PREF),
};

const struct cat_perf cat_perf_srf_reads = {
	.name = "srf-reads", .title = "Intel Xeon 6 with E-cores, reads by where the memory is",
	.vendor = INTEL, .sets = true, IDS(SRF_IDS), PMUS(CHA_PMU),
	READS("SRF, CWF", "DRD_OPT", LOCAL_OPT, LOCAL_OPT_PREF, REMOTE_OPT, REMOTE_OPT_PREF),
};

/* ------------------------------------------------------------------ how long reads take */

#define DRAM_SLIP \
	"perfmon's Info_System_MEM_DRAM_Read_Latency is divided by no time, so that it depends on how long one measures"
#define DRD_AND_PREFETCH "llc_data_read_demand_plus_prefetch_miss_latency"
#define LOCAL_LATENCY(occupancy_, inserts_, clock_, metric_, reads_) \
	LATENCY("numa_local_read_latency_seconds", metric_ "_for_local_requests", occupancy_, inserts_, clock_, \
	  .help = LOCAL_LATENCY_OF reads_)
#define REMOTE_LATENCY(occupancy_, inserts_, clock_, metric_, reads_) \
	LATENCY("numa_remote_read_latency_seconds", metric_ "_for_remote_requests", occupancy_, inserts_, clock_, \
	  .help = REMOTE_LATENCY_OF reads_)
#define PARALLEL_READS(archs_) \
	ABSENT("parallel_memory_reads", "reads", \
	  "it divides an event by the same event with a threshold, and both can be counted by counter 0 of a CHA alone", \
	  "perfmon " archs_ " metric Info_System_MEM_Parallel_Reads", \
	  "Mean number of data reads from memory that wait at once, while any does")

/* Skylake-SP and Cascade Lake choose by a filter, which all counters of a CHA share. */
#define SKX_TOR(event_, where_) \
	"perf/uncore_cha/event=" event_ ",umask=0x21,filter_opc0=0x202," where_ \
	",filter_nm=1,filter_not_nm=1,name="
#define SKX_LOCAL     SKX_TOR("0x35", "filter_loc=1") "tor_inserts_ia_miss_drd_local/"
#define SKX_REMOTE    SKX_TOR("0x35", "filter_rem=1") "tor_inserts_ia_miss_drd_remote/"
#define SKX_IN_LOCAL  SKX_TOR("0x36", "filter_loc=1") "tor_occupancy_ia_miss_drd_local/"
#define SKX_IN_REMOTE SKX_TOR("0x36", "filter_rem=1") "tor_occupancy_ia_miss_drd_remote/"
#define SKX_FILTERS \
	"a CHA of this processor has one filter, which lets its counters count reads of local or of remote memory, " \
	"not both at once: the counts by turns are numa_local_reads_total and numa_remote_reads_total"
#define SKX_EVENT(name_, filter_) "perfmon SKX, CLX UNC_CHA_TOR_" name_ ".IA_MISS, filter " filter_

#define RPQ_INSERTS   "perf/uncore_imc/event=0x10,name=rpq_inserts/"
#define RPQ_OCCUPANCY "perf/uncore_imc/event=0x80,name=rpq_occupancy/"
#define FIRST_DCLK    "perf/uncore_imc_0/event=0x00,name=dclk/"

const struct cat_perf cat_perf_skx_latency = {
	.name = "skx-latency", .title = "Intel Xeon Scalable (Skylake-SP, Cascade Lake), latency of reads",
	.vendor = INTEL, .sets = true, IDS({ 6, 85, 85, 0 }), .one_filter = TEXTS("uncore_cha"),
	PMUS(CHA_PMU, { "uncore_imc", 4, SNBEP_C "skx_uncore_imc" }),
	EVENTS(
		P(ICX_CLOCK, "perfmon SKX, CLX UNC_CHA_CLOCKTICKS", .clock = true),
		P(SKX_LOCAL, SKX_EVENT("INSERTS", "0x40432")), P(SKX_REMOTE, SKX_EVENT("INSERTS", "0x40431")),
		IN_TABLE(SKX_IN_LOCAL, SKX_EVENT("OCCUPANCY", "0x40432")),
		IN_TABLE(SKX_IN_REMOTE, SKX_EVENT("OCCUPANCY", "0x40431")),
		P(FIRST_DCLK, "perfmon SKX, CLX UNC_M_CLOCKTICKS", PUBLISHED_CLOCK, .clock = true),
		P(RPQ_INSERTS, "perfmon SKX, CLX UNC_M_RPQ_INSERTS"),
		P(RPQ_OCCUPANCY, "perfmon SKX, CLX UNC_M_RPQ_OCCUPANCY")),
	GROUPS(
		G("numa_local", TEXTS(ICX_CLOCK, SKX_LOCAL, SKX_IN_LOCAL), ON_REQUEST, OF_NUMA(NUMA_HOW_LONG),
		  .help = "How many reads of the cores go to their own socket's memory, and how long they take"),
		G("numa_remote", TEXTS(ICX_CLOCK, SKX_REMOTE, SKX_IN_REMOTE), ON_REQUEST, OF_NUMA(NUMA_HOW_LONG),
		  .help = "How many reads of the cores go to another socket's memory, and how long they take"),
		G("read_queue", TEXTS(FIRST_DCLK, RPQ_INSERTS, RPQ_OCCUPANCY), ON_REQUEST, .set = &memory_latency,
		  .help = "How long reads wait in the memory controllers")),
	METRICS(
		M("numa_local_reads_total", "reads", SOCKET, "perfmon metric " LOCAL_DRAM,
		  SUM(IN(SKX_LOCAL)), .help = LOCAL_READS_HELP),
		M("numa_remote_reads_total", "reads", SOCKET, "perfmon metric " REMOTE_DRAM,
		  SUM(IN(SKX_REMOTE)), .help = REMOTE_READS_HELP),
		ABSENT("numa_local_read_ratio", "ratio", SKX_FILTERS,
		  "perfmon SKX, CLX metric numa_reads_addressed_to_local_dram", LOCAL_SHARE_HELP),
		ABSENT("numa_remote_read_ratio", "ratio", SKX_FILTERS,
		  "perfmon SKX, CLX metric numa_reads_addressed_to_remote_dram", REMOTE_SHARE_HELP),
		LOCAL_LATENCY(SKX_IN_LOCAL, SKX_LOCAL, ICX_CLOCK, DRD_AND_PREFETCH, WITH_PREFETCH),
		REMOTE_LATENCY(SKX_IN_REMOTE, SKX_REMOTE, ICX_CLOCK, DRD_AND_PREFETCH, WITH_PREFETCH),
		LATENCY("memory_read_queue_latency_seconds", "Info_System_MEM_DRAM_Read_Latency",
		  RPQ_OCCUPANCY, RPQ_INSERTS, FIRST_DCLK, .disputed = DRAM_SLIP,
		  .help = "Mean time that a read waits in the memory controllers' queues, by the clock of the first channel"),
		PARALLEL_READS("SKX, CLX")),
};

/* From Ice Lake-SP on by a wide unit mask. */
#define DRAM_READ INSERTS("0xc8178601", "ia_miss_drd_ddr")
#define PMEM_READ INSERTS("0xc8178a01", "ia_miss_drd_pmm")
#define IN_LOCAL  OCCUPANCY("0xc816fe01", "ia_miss_drd_local")
#define IN_REMOTE OCCUPANCY("0xc8177e01", "ia_miss_drd_remote")
#define IN_DRAM   OCCUPANCY("0xc8178601", "ia_miss_drd_ddr")
#define IN_PMEM   OCCUPANCY("0xc8178a01", "ia_miss_drd_pmm")
#define DRD_METRIC "llc_demand_data_read_miss"
#define TOR_EVENT(archs_, name_) "perfmon " archs_ " UNC_CHA_TOR_" name_

#define LATENCY_EVENTS(clock_, archs_) \
	P(clock_, "perfmon " archs_ " UNC_CHA_CLOCKTICKS", .clock = true), \
	P(LOCAL_READ, TOR_EVENT(archs_, "INSERTS.IA_MISS_DRD_LOCAL")), \
	P(REMOTE_READ, TOR_EVENT(archs_, "INSERTS.IA_MISS_DRD_REMOTE")), \
	P(DRAM_READ, TOR_EVENT(archs_, "INSERTS.IA_MISS_DRD_DDR")), \
	IN_TABLE(IN_LOCAL, TOR_EVENT(archs_, "OCCUPANCY.IA_MISS_DRD_LOCAL")), \
	IN_TABLE(IN_REMOTE, TOR_EVENT(archs_, "OCCUPANCY.IA_MISS_DRD_REMOTE")), \
	IN_TABLE(IN_DRAM, TOR_EVENT(archs_, "OCCUPANCY.IA_MISS_DRD_DDR"))
#define LATENCY_GROUPS(clock_) \
	G("numa_local_latency", TEXTS(clock_, LOCAL_READ, IN_LOCAL), ON_REQUEST, OF_NUMA(NUMA_HOW_LONG), \
	  .help = LOCAL_LATENCY_HELP), \
	G("numa_remote_latency", TEXTS(clock_, REMOTE_READ, IN_REMOTE), ON_REQUEST, OF_NUMA(NUMA_HOW_LONG), \
	  .help = REMOTE_LATENCY_HELP), \
	G("dram_latency", TEXTS(clock_, DRAM_READ, IN_DRAM), ON_REQUEST, .set = &memory_latency, \
	  .help = "How long the cores' reads of DRAM take")
#define LATENCY_METRICS(clock_, archs_) \
	LOCAL_LATENCY(IN_LOCAL, LOCAL_READ, clock_, DRD_METRIC "_latency", DEMAND_ALONE), \
	REMOTE_LATENCY(IN_REMOTE, REMOTE_READ, clock_, DRD_METRIC "_latency", DEMAND_ALONE), \
	LATENCY("dram_read_latency_seconds", DRD_METRIC "_to_dram_latency, Info_System_MEM_DRAM_Read_Latency", \
	  IN_DRAM, DRAM_READ, clock_, .disputed = DRAM_SLIP, \
	  .help = "Mean time from a core's data read past the last-level cache until DRAM served it: " DEMAND_ALONE), \
	PARALLEL_READS(archs_)

#define PMEM_EVENTS(archs_) \
	P(PMEM_READ, TOR_EVENT(archs_, "INSERTS.IA_MISS_DRD_PMM")), \
	IN_TABLE(IN_PMEM, TOR_EVENT(archs_, "OCCUPANCY.IA_MISS_DRD_PMM"))
#define PMEM_GROUP(clock_) \
	G("pmem_latency", TEXTS(clock_, PMEM_READ, IN_PMEM), ON_REQUEST, .set = &memory_latency, \
	  .help = "How long the cores' reads of Optane persistent memory take")
#define PMEM_METRIC(clock_) \
	LATENCY("persistent_memory_read_latency_seconds", DRD_METRIC "_to_pmem_latency", IN_PMEM, PMEM_READ, clock_, \
	  .help = "Mean time from a core's data read past the last-level cache until Optane memory served it: " \
	    DEMAND_ALONE)

/* Writes of the directory, which says for each line of memory whether another socket may have it. */
#define DIRECTORY_HA  CHA("0x54,umask=0x01", "dir_update_ha")
#define DIRECTORY_TOR CHA("0x54,umask=0x02", "dir_update_tor")
#define M2M(event_)   "perf/uncore_m2m/event=" event_ ",name=directory_update_any/"
#define DIRECTORY_EVENTS(m2m_, archs_) \
	P(DIRECTORY_HA, "perfmon " archs_ " UNC_CHA_DIR_UPDATE.HA"), \
	P(DIRECTORY_TOR, "perfmon " archs_ " UNC_CHA_DIR_UPDATE.TOR"), \
	P(m2m_, "perfmon " archs_ " UNC_M2M_DIRECTORY_UPDATE.ANY")
#define DIRECTORY_GROUP(m2m_) \
	G("coherence", TEXTS(DIRECTORY_HA, DIRECTORY_TOR, m2m_), ON_REQUEST, \
	  .help = "Bytes written to memory to note which lines other sockets may have")
#define DIRECTORY_METRIC(m2m_) \
	LINES("directory_write_bytes_total", "memory_extra_write_bw_due_to_directory_updates", \
	  SUM(IN(DIRECTORY_HA), IN(DIRECTORY_TOR), IN(m2m_)), \
	  "Bytes written to memory only to note in its directory which lines other sockets may have, 64 for each update")

/* Mean numbers of cores. */
#define PCU(event_, name_) "perf/uncore_pcu/event=" event_ ",name=" name_ "/"
#define C0_CORES PCU("0x35", "power_state_occupancy_cores_c0")
#define C6_CORES PCU("0x37", "power_state_occupancy_cores_c6")
#define CSTATE_SLIP(state_) \
	"perfmon's name cpu_cstate_" state_ " looks like a share of time, but it is a number of cores"
#define CORES(name_, state_, cores_, clock_) \
	M(name_, "cores", SOCKET, "perfmon metric cpu_cstate_" state_, SUM(IN(cores_)), .den = SUM(IN(clock_)), \
	  .disputed = CSTATE_SLIP(state_), .help = "Mean number of the socket's cores that were in state " state_)
#define CORES_EVENTS(clock_, archs_) \
	P(clock_, "perfmon " archs_ " UNC_P_CLOCKTICKS", .clock = true), \
	P(C0_CORES, "perfmon " archs_ " UNC_P_POWER_STATE_OCCUPANCY_CORES_C0"), \
	P(C6_CORES, "perfmon " archs_ " UNC_P_POWER_STATE_OCCUPANCY_CORES_C6")
#define CORES_GROUP(clock_) \
	G("core_states", TEXTS(clock_, C0_CORES, C6_CORES), ON_REQUEST, \
	  .help = "How many cores run, and how many sleep deeply, on average")
#define CORES_METRICS(clock_) \
	CORES("c0_cores", "c0", C0_CORES, clock_), CORES("c6_cores", "c6", C6_CORES, clock_)

#define ICX_M2M M2M("0x2e,umask=0x01")
#define SPR_M2M M2M("0x21,umask=0x301")
#define PCU_CLOCK       PCU("0x01", "clockticks")
#define FIRST_PCU_CLOCK "perf/uncore_pcu_0/event=0x01,name=clockticks/"

/* Ice Lake-SP's read and write bandwidth is published as a sum of hits and misses. */
#define HIT_READ    INSERTS("0xc8f3fd04", "io_hit_pcirdcur")
#define HIT_WRITE   INSERTS("0xcc43fd04", "io_hit_itom")
#define HIT_PARTIAL INSERTS("0xcd43fd04", "io_hit_itomcachenear")
#define MISS_READ    INSERTS("0xc8f3fe04", "io_miss_pcirdcur")
#define MISS_WRITE   INSERTS("0xcc43fe04", "io_miss_itom")
#define MISS_PARTIAL INSERTS("0xcd43fe04", "io_miss_itomcachenear")

const struct cat_perf cat_perf_icx_latency = {
	.name = "icx-latency", .title = "Intel Xeon Scalable (Ice Lake-SP), latency of reads, hits of devices",
	.vendor = INTEL, .sets = true, IDS(ICX_IDS),
	PMUS(CHA_PMU, { "uncore_m2m", 4, SNBEP_C "icx_uncore_m2m" }),
	EVENTS(
		LATENCY_EVENTS(ICX_CLOCK, "ICX"), PMEM_EVENTS("ICX"), DIRECTORY_EVENTS(ICX_M2M, "ICX"),
		P(HIT_READ, TOR_EVENT("ICX", "INSERTS.IO_HIT_PCIRDCUR")),
		P(HIT_WRITE, TOR_EVENT("ICX", "INSERTS.IO_HIT_ITOM")),
		P(HIT_PARTIAL, TOR_EVENT("ICX", "INSERTS.IO_HIT_ITOMCACHENEAR")),
		P(MISS_READ, TOR_EVENT("ICX", "INSERTS.IO_MISS_PCIRDCUR")),
		P(MISS_WRITE, TOR_EVENT("ICX", "INSERTS.IO_MISS_ITOM")),
		P(MISS_PARTIAL, TOR_EVENT("ICX", "INSERTS.IO_MISS_ITOMCACHENEAR"))),
	GROUPS(
		LATENCY_GROUPS(ICX_CLOCK), PMEM_GROUP(ICX_CLOCK), DIRECTORY_GROUP(ICX_M2M),
		G("io_read_hits", TEXTS(HIT_READ, MISS_READ), ON_REQUEST, .set = &io,
		  .help = "Bytes that devices read from the last-level cache, and past it"),
		G("io_write_hits", TEXTS(HIT_WRITE, HIT_PARTIAL, MISS_WRITE, MISS_PARTIAL), ON_REQUEST,
		  .set = &io, .help = "Bytes that devices wrote to lines in the last-level cache, and past it")),
	METRICS(
		LATENCY_METRICS(ICX_CLOCK, "ICX"), PMEM_METRIC(ICX_CLOCK), DIRECTORY_METRIC(ICX_M2M),
		LINES("io_read_hit_bytes_total", "io_bandwidth_read of ICX", SUM(IN(HIT_READ)),
		  "Bytes that devices of the socket read and found in the last-level cache, 64 for each line"),
		LINES("io_write_hit_bytes_total", "io_bandwidth_write of ICX", SUM(IN(HIT_WRITE), IN(HIT_PARTIAL)),
		  "Bytes that devices of the socket wrote to lines found in the last-level cache, 64 for each",
		  .disputed = IO_SLIP)),
};

const struct cat_perf cat_perf_spr_latency = {
	.name = "spr-latency", .title = "Intel Xeon from Sapphire to Granite Rapids, latency of reads",
	.vendor = INTEL, .sets = true, IDS(SPR_IDS, GNR_IDS), PMUS(CHA_PMU),
	EVENTS(LATENCY_EVENTS(SPR_CLOCK, "SPR, EMR, GNR")),
	GROUPS(LATENCY_GROUPS(SPR_CLOCK)),
	METRICS(LATENCY_METRICS(SPR_CLOCK, "SPR, EMR, GNR")),
};

const struct cat_perf cat_perf_spr_pmem = {
	.name = "spr-pmem", .title = "Intel Xeon Scalable (Sapphire Rapids), latency of persistent memory",
	.vendor = INTEL, .sets = true, IDS({ 6, 143, 143, 0 }), PMUS(CHA_PMU),
	EVENTS(P(SPR_CLOCK, "perfmon SPR UNC_CHA_CLOCKTICKS", .clock = true), PMEM_EVENTS("SPR")),
	GROUPS(PMEM_GROUP(SPR_CLOCK)), METRICS(PMEM_METRIC(SPR_CLOCK)),
};

const struct cat_perf cat_perf_spr_socket = {
	.name = "spr-socket", .title = "Intel Xeon Scalable (Sapphire Rapids, Emerald Rapids), directory and cores",
	.vendor = INTEL, .sets = true, IDS(SPR_IDS),
	PMUS(CHA_PMU, { "uncore_m2m", 4, SNBEP_C "spr_uncore_m2m; " DISCOVERY },
	     { "uncore_pcu", 4, SNBEP_C "spr_uncore_pcu; " DISCOVERY }),
	EVENTS(DIRECTORY_EVENTS(SPR_M2M, "SPR, EMR"), CORES_EVENTS(PCU_CLOCK, "SPR, EMR")),
	GROUPS(DIRECTORY_GROUP(SPR_M2M), CORES_GROUP(PCU_CLOCK)),
	METRICS(DIRECTORY_METRIC(SPR_M2M), CORES_METRICS(PCU_CLOCK)),
};

/* ------------------------------------------------------------------ what devices ask for */

#define READ           INSERTS("0xc8f3ff04", "io_pcirdcur")
#define WRITE          INSERTS("0xcc43ff04", "io_itom")
#define PARTIAL        INSERTS("0xcd43ff04", "io_itomcachenear")
#define OWN            INSERTS("0xc803ff04", "io_rfo")
#define MISS_OWN       INSERTS("0xc803fe04", "io_miss_rfo")
#define IO_LOCAL_READ     INSERTS("0xc8f2ff04", "io_pcirdcur_local")
#define IO_REMOTE_READ    INSERTS("0xc8f37f04", "io_pcirdcur_remote")
#define LOCAL_WRITE    INSERTS("0xcc42ff04", "io_itom_local")
#define REMOTE_WRITE   INSERTS("0xcc437f04", "io_itom_remote")
#define LOCAL_PARTIAL  INSERTS("0xcd42ff04", "io_itomcachenear_local")
#define REMOTE_PARTIAL INSERTS("0xcd437f04", "io_itomcachenear_remote")
#define IO(spec_, name_) P(spec_, TOR_EVENT("ICX to CWF", "INSERTS.IO_" name_))

const struct cat_perf cat_perf_xeon_io = {
	.name = "xeon-io", .title = "Intel Xeon from Ice Lake-SP on, requests of devices",
	.vendor = INTEL, .sets = true, IDS(ICX_IDS, SPR_IDS, GNR_IDS, SRF_IDS), PMUS(CHA_PMU),
	EVENTS(
		IO(READ, "PCIRDCUR"), IO(MISS_READ, "MISS_PCIRDCUR"),
		IO(IO_LOCAL_READ, "PCIRDCUR_LOCAL"), IO(IO_REMOTE_READ, "PCIRDCUR_REMOTE"),
		IO(WRITE, "ITOM"), IO(MISS_WRITE, "MISS_ITOM"),
		IO(PARTIAL, "ITOMCACHENEAR"), IO(MISS_PARTIAL, "MISS_ITOMCACHENEAR"),
		IO(OWN, "RFO"), IO(MISS_OWN, "MISS_RFO"),
		IO(LOCAL_WRITE, "ITOM_LOCAL"), IO(REMOTE_WRITE, "ITOM_REMOTE"),
		IO(LOCAL_PARTIAL, "ITOMCACHENEAR_LOCAL"), IO(REMOTE_PARTIAL, "ITOMCACHENEAR_REMOTE")),
	GROUPS(
		G("io_reads", TEXTS(READ, MISS_READ, IO_LOCAL_READ, IO_REMOTE_READ), ON_REQUEST, .set = &io,
		  .help = "Bytes that devices read, past the last-level cache, and from which socket's memory"),
		G("io_writes", TEXTS(WRITE, PARTIAL, MISS_WRITE, MISS_PARTIAL), ON_REQUEST, .set = &io,
		  .help = "Bytes that devices wrote, and past the last-level cache"),
		G("io_write_homes", TEXTS(LOCAL_WRITE, LOCAL_PARTIAL, REMOTE_WRITE, REMOTE_PARTIAL), ON_REQUEST,
		  .set = &io, .help = "Bytes that devices wrote to which socket's memory"),
		G("io_partial_writes", TEXTS(PARTIAL, OWN, MISS_PARTIAL, MISS_OWN), ON_REQUEST, .set = &io,
		  .help = "Writes of devices to parts of a line, and how many missed the last-level cache")),
	METRICS(
		M("io_read_bytes_total", "bytes", SOCKET, "perfmon metrics io_bandwidth_read, Info_System_IO_Read_BW",
		  SUM(IN(READ)), .scale = 64, .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket read, 64 for each line that the CHAs looked up"),
		LINES("io_read_miss_bytes_total", "io_bandwidth_read_l3_miss", SUM(IN(MISS_READ)),
		  "Bytes that devices of the socket read and that were not in the last-level cache, 64 for each line"),
		LINES("io_local_read_bytes_total", "io_bandwidth_read_local", SUM(IN(IO_LOCAL_READ)),
		  "Bytes that devices of the socket read from its own memory, 64 for each line"),
		LINES("io_remote_read_bytes_total", "io_bandwidth_read_remote", SUM(IN(IO_REMOTE_READ)),
		  "Bytes that devices of the socket read from another socket's memory, 64 for each line"),
		M("io_write_bytes_total", "bytes", SOCKET,
		  "perfmon metrics io_bandwidth_write, Info_System_IO_Write_BW",
		  SUM(IN(WRITE), IN(PARTIAL)), .scale = 64, .disputed = IO_SLIP,
		  .help = "Bytes that devices of the socket wrote, 64 for each line that the CHAs looked up"),
		LINES("io_write_miss_bytes_total", "io_bandwidth_write_l3_miss", SUM(IN(MISS_WRITE), IN(MISS_PARTIAL)),
		  "Bytes that devices of the socket wrote to lines that were not in the last-level cache, 64 for each",
		  .disputed = IO_SLIP),
		LINES("io_local_write_bytes_total", "io_bandwidth_write_local",
		  SUM(IN(LOCAL_WRITE), IN(LOCAL_PARTIAL)),
		  "Bytes that devices of the socket wrote to its own memory, 64 for each line"),
		LINES("io_remote_write_bytes_total", "io_bandwidth_write_remote",
		  SUM(IN(REMOTE_WRITE), IN(REMOTE_PARTIAL)),
		  "Bytes that devices of the socket wrote to another socket's memory, 64 for each line"),
		M("io_partial_writes_total", "writes", SOCKET, "perfmon metric io_number_of_partial_pci_writes of CWF",
		  SUM(IN(PARTIAL), IN(OWN)),
		  .help = "Writes of the socket's devices to a part of a line"),
		SHARE("io_read_miss_ratio", "io_read_l3_miss", SUM(IN(MISS_READ)), SUM(IN(READ)),
		  "Share of the lines read by devices of the socket that were not in the last-level cache"),
		SHARE("io_full_write_miss_ratio", "io_full_write_l3_miss", SUM(IN(MISS_WRITE)), SUM(IN(WRITE)),
		  "Share of the whole lines written by devices of the socket that were not in the last-level cache"),
		SHARE("io_partial_write_miss_ratio", "io_partial_write_l3_miss",
		  SUM(IN(MISS_PARTIAL), IN(MISS_OWN)), SUM(IN(PARTIAL), IN(OWN)),
		  "Share of the writes of the socket's devices to a part of a line that missed the last-level cache")),
};

/* ------------------------------------------------------------------ Xeon 6 */

#define INTERRUPTS \
	"perf/uncore_iio/event=0x8e,umask=0x04,ch_mask=0xff,fc_mask=0x01,name=num_req_of_cpu_by_tgt_ubox_posted/"
#define LOST_FORWARD "perf/uncore_irp/event=0x1f,umask=0x10,name=misc1_lost_fwd/"
#define INVALID      "perf/uncore_irp/event=0x1f,umask=0x20,name=misc1_sec_rcvd_invld/"

const struct cat_perf cat_perf_xeon6_socket = {
	.name = "xeon6-socket", .title = "Intel Xeon 6, cores, interrupts and lost lines of devices",
	.vendor = INTEL, .sets = true, IDS(GNR_IDS, SRF_IDS),
	PMUS(
		{ "uncore_iio", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
		{ "uncore_pcu", 4, SNBEP_C "gnr_uncores; " DISCOVERY },
		{ "uncore_irp", 2, SNBEP_C "gnr_uncores; " DISCOVERY }),
	EVENTS(
		CORES_EVENTS(FIRST_PCU_CLOCK, "GNR, SRF, CWF"),
		P(INTERRUPTS, "perfmon GNR, SRF, CWF UNC_IIO_NUM_REQ_OF_CPU_BY_TGT.UBOX_POSTED"),
		P(LOST_FORWARD, "perfmon GNR, SRF, CWF UNC_I_MISC1.LOST_FWD"),
		P(INVALID, "perfmon GNR, SRF, CWF UNC_I_MISC1.SEC_RCVD_INVLD")),
	GROUPS(
		CORES_GROUP(FIRST_PCU_CLOCK),
		G("io_interrupts", TEXTS(INTERRUPTS, LOST_FORWARD, INVALID), ON_REQUEST, .set = &io,
		  .help = "Interrupts of devices, and lines that were taken away before they were written")),
	METRICS(
		CORES_METRICS(FIRST_PCU_CLOCK),
		M("io_interrupts_total", "interrupts", SOCKET, "perfmon metric io_msi", SUM(IN(INTERRUPTS)),
		  .help = "Interrupts that devices sent as messages (MSI): posted requests to the U-Box"),
		M("io_lost_lines_total", "lines", SOCKET, "perfmon metric io_lost_fwd of GNR, CWF",
		  SUM(IN(LOST_FORWARD), IN(INVALID)),
		  .help = "Lines of which the I/O controllers lost ownership before they had written them")),
};
