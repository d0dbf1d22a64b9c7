/* SPDX-License-Identifier: MIT
 * Sandy Bridge-EP, Ivy Bridge-EP, Haswell-EP and Broadwell-EP through Linux.
 * Their C-Boxes have one opcode filter for all events of the request table. On the first two,
 * inserts count on counters 0 and 1 only and the occupancy on 0: misses and their latency fit, all
 * data reads beside them do not. What devices read and write has opcodes of its own, so it is for
 * groups of a configuration.
 */
#include "catalog/tables/perf_intel.h"

#define DRD     ",filter_opc=0x182,name="
#define CLOCK   "perf/uncore_cbox_0/event=0x00,name=clockticks/"
#define READS   "perf/uncore_cbox/event=0x35,umask=0x01" DRD "tor_inserts_opcode_drd/"
#define MISS    "perf/uncore_cbox/event=0x35,umask=0x03" DRD "tor_inserts_miss_opcode_drd/"
#define IN_MISS "perf/uncore_cbox/event=0x36,umask=0x03" DRD "tor_occupancy_miss_opcode_drd/"
#define LATENCY "llc_data_read_demand_plus_prefetch_miss_latency of HSX"

/* Of an opcode, or of one that comes from a device. */
#define OPCODE(opc_, name_) "perf/uncore_cbox/event=0x35,umask=0x01,filter_opc=" opc_ ",name=" \
		name_ "/"
#define OF_DEVICE(opc_, name_) "perf/uncore_cbox/event=0x35,umask=0x01,tid_en=1,filter_opc=" opc_ \
		",filter_tid=0x3e,name=" name_ "/"
#define DEVICE_LINES(name_, event_, source_, text_) \
	M(name_, "bytes", SOCKET, source_, SUM(IN(event_)), .scale = 64, \
	  .help = "Bytes that devices " text_ ", 64 for each line")
#define DATA_READ_METRICS(perfmon_) \
	M("llc_data_reads_total", "reads", SOCKET, "perfmon " perfmon_ " UNC_C_TOR_INSERTS.OPCODE", SUM(IN(READS)), \
	  .help = "Data reads of cores that the last-level cache looked up, all its slices together: " WITH_PREFETCH), \
	M("llc_data_read_miss_ratio", "ratio", SOCKET, "perfmon " perfmon_ " UNC_C_TOR_INSERTS.MISS_OPCODE, .OPCODE", \
	  SUM(IN(MISS)), .den = SUM(IN(READS)), \
	  .help = "Share of the data reads of cores that missed the last-level cache: " WITH_PREFETCH)

/* By numbers: the driver gives names on the first of the four only. */
#define QPI_CLOCK  "perf/uncore_qpi/event=0x14,name=clockticks/"
#define QPI_ACTIVE "perf/uncore_qpi/event=0x00,umask=0x06,name=txl_flits_active/"
#define QPI_SENT   "perf/uncore_qpi/event=0x00,umask=0x02,name=txl_flits_g0_data/"
#define QPI_GOT    "perf/uncore_qpi/event=0x102,umask=0x08,name=drs_data/"
#define QPI_EVENTS(perfmon_) \
	P(QPI_CLOCK, SNBEP_C "snbep_uncore_qpi_events; perfmon " perfmon_ " UNC_Q_CLOCKTICKS", .clock = true), \
	P(QPI_ACTIVE, SNBEP_C "snbep_uncore_qpi_events; pcm: TxL_FLITS_G0.DATA + .NON_DATA"), \
	P(QPI_SENT, "perfmon " perfmon_ " UNC_Q_TxL_FLITS_G0.DATA"), \
	P(QPI_GOT, SNBEP_C "snbep_uncore_qpi_events; pcm: RxL_FLITS_G1.DRS_DATA")
#define QPI_SPECS TEXTS(QPI_CLOCK, QPI_ACTIVE, QPI_SENT, QPI_GOT)
#define QPI_METRICS(flits_a_clock_, source_) \
	M("link_sent_data_bytes_total", "bytes", UNIT, "perfmon metric qpi_data_transmit_bw of HSX", \
	  SUM(IN(QPI_SENT)), \
	  .scale = 8, \
	  .help = "Bytes of data that the QPI link sent, 8 for each data flit"), \
	M("link_received_drs_data_bytes_total", "bytes", UNIT, "pcm cpucounters.cpp: RxL_FLITS_G1.DRS_DATA", \
	  SUM(IN(QPI_GOT)), .scale = 8, \
	  .help = "Bytes of coherent data (data responses) that the QPI link received, 8 for each flit"), \
	M("link_sent_utilization_ratio", "ratio", UNIT, source_, SUM(IN(QPI_ACTIVE)), .bounded = true, \
	  .den = SUM(TIMES(flits_a_clock_, QPI_CLOCK)), \
	  .help = "Share of the QPI link's flit slots that it sent with data or protocol")

/* Their memory is behind buffers, and a model has both kinds. */
#define BUFFERED \
	{ .word = "E7-", \
	  .why = "the memory of a Xeon E7 v2 to v4 is behind buffers, and no public source says what the link to them moves in a clock" }

#define COMMON_EVENTS(perfmon_) \
	P(CAS_READ, SNBEP_C "snbep_uncore_imc_events, hswep_uncore_imc_events", PUBLISHED_READ, \
	  .max_inc = 1, .cas = true), \
	P(CAS_WRITE, SNBEP_C "snbep_uncore_imc_events, hswep_uncore_imc_events", PUBLISHED_WRITE, \
	  .max_inc = 1, .cas = true), \
	P(DCLK, \
	  "perfmon IVT, HSX, BDX UNC_M_CLOCKTICKS, UNC_M_DCLOCKTICKS, event 0; " SNBEP_C "hswep_uncore_imc_events", \
	  PUBLISHED_CLOCK, .max_inc = 1), \
	QPI_EVENTS(perfmon_), \
	P(CLOCK, "perfmon " perfmon_ " UNC_C_CLOCKTICKS", .clock = true)

/* --------------------------------------------------------------- Sandy Bridge-EP, Ivy Bridge-EP */

#define SNOOP_READ OPCODE("0x19e", "tor_inserts_opcode_pcirdcur")
#define NS_READ    OPCODE("0x1e4", "tor_inserts_opcode_pcinsrd")
#define ALLOCATING OPCODE("0x19c", "tor_inserts_opcode_pciitom")
#define PAST_CACHE OPCODE("0x194", "tor_inserts_opcode_pciwilf")
#define NS_WRITE   OPCODE("0x1e6", "tor_inserts_opcode_pcinswrf")
#define NS_PARTS   OPCODE("0x1e5", "tor_inserts_opcode_pcinswr")
#define PCM_OPCODES "pcm cpucounters.h PCIeEventCode, pcm-pcie.h BromolowPlatform: "
#define DEVICE_EVENT(spec_, name_) P(spec_, PCM_OPCODES name_, .counters = 0x3)

const struct cat_perf cat_perf_snbep = {
	.name = "snbep", .title = "Intel Xeon E5 and E5 v2, E7 v2 (Sandy Bridge-EP, Ivy Bridge-EP)",
	.vendor = INTEL,
	IDS({ 6, 45, 45, 0 }, { 6, 62, 62, 0 }),
	.max_hz = INTEL_MAX_HZ,
	.one_filter = TEXTS("uncore_cbox", "uncore_pcu", "uncore_qpi"),
	PMUS(
		{ "uncore_imc", 4, SNBEP_C "snbep_uncore_imc, ivbep_uncore_imc" },
		{ "uncore_qpi", 4, SNBEP_C "snbep_uncore_qpi, ivbep_uncore_qpi" },
		{ "uncore_cbox", 4, SNBEP_C "snbep_uncore_cbox, ivbep_uncore_cbox" },
		{ "uncore_ubox", 2, SNBEP_C "snbep_uncore_ubox, ivbep_uncore_ubox" },
		{ "uncore_pcu", 4, SNBEP_C "snbep_uncore_pcu, ivbep_uncore_pcu" },
		{ "uncore_ha", 4, SNBEP_C "snbep_uncore_ha, ivbep_uncore_ha" },
		{ "uncore_irp", 4, SNBEP_C "ivbep_uncore_irp" },
		{ "uncore_r2pcie", 4, SNBEP_C "snbep_uncore_r2pcie, ivbep_uncore_r2pcie" },
		{ "uncore_r3qpi", 3, SNBEP_C "snbep_uncore_r3qpi, ivbep_uncore_r3qpi" }),
	EVENTS(
		COMMON_EVENTS("JKT, IVT"),
		P(READS, "perfmon JKT, IVT UNC_C_TOR_INSERTS.OPCODE", .counters = 0x3),
		P(MISS, "perfmon JKT, IVT UNC_C_TOR_INSERTS.MISS_OPCODE", .counters = 0x3),
		P(IN_MISS, "perfmon JKT, IVT UNC_C_TOR_OCCUPANCY.MISS_OPCODE", .counters = 0x1),
		DEVICE_EVENT(SNOOP_READ, "PCIeRdCur"), DEVICE_EVENT(NS_READ, "PCIeNSRd"),
		DEVICE_EVENT(ALLOCATING, "PCIeItoM"),
		DEVICE_EVENT(PAST_CACHE, "PCIeWiLF"), DEVICE_EVENT(NS_WRITE, "PCIeNSWrF"),
		DEVICE_EVENT(NS_PARTS, "PCIeNSWr")),
	GROUPS(
		G("memory", TEXTS(CAS_READ, CAS_WRITE), .help = MEMORY_HELP),
		USE_GROUPS(DCLK),
		G("llc", TEXTS(CLOCK, MISS, IN_MISS), .metrics_only = true, .help = MISSES_HELP),
		G("links", QPI_SPECS, .metrics_only = true, .help = LINKS_HELP)),
	METRICS(
		MEMORY_METRICS(SCALED, IN(CAS_READ), IN(CAS_WRITE)),
		HALF_RATE(BOTH_CAS, DCLK, DDR_MOST(1866, 2), "perfmon IVT UNC_M_CAS_COUNT, UNC_M_DCLOCKTICKS",
		  EXCEPT(BUFFERED, { .model = 45,
		    .why = "no public source says which clock of the memory controller event 0 counts on Sandy Bridge-EP" })),
		CLOCK_METRIC(CLOCK, "perfmon HSX metric uncore_frequency"),
		LLC_MISS_METRICS(MISS, IN_MISS, CLOCK, WITH_PREFETCH, LATENCY),
		QPI_METRICS(2, "327043-001 2.7.1, pcm cpucounters.h: two flits in a link cycle"),
		DATA_READ_METRICS("JKT, IVT"),
		DEVICE_LINES("pcie_snooped_read_bytes_total", SNOOP_READ, PCM_OPCODES "PCIeRdCur",
		  "read from memory or cache with snooping"),
		DEVICE_LINES("pcie_non_snooped_read_bytes_total", NS_READ, PCM_OPCODES "PCIeNSRd",
		  "read from memory without snooping"),
		DEVICE_LINES("pcie_allocating_write_bytes_total", ALLOCATING, PCM_OPCODES "PCIeItoM",
		  "wrote into the last-level cache"),
		DEVICE_LINES("pcie_non_allocating_write_bytes_total", PAST_CACHE, PCM_OPCODES "PCIeWiLF",
		  "wrote to memory past the last-level cache"),
		DEVICE_LINES("pcie_non_snooped_write_bytes_total", NS_WRITE, PCM_OPCODES "PCIeNSWrF",
		  "wrote to memory without snooping, whole lines only"),
		M("pcie_non_snooped_partial_writes_total", "writes", SOCKET, PCM_OPCODES "PCIeNSWr", SUM(IN(NS_PARTS)),
		  .help = "Writes of devices to parts of a line without snooping"),
		ABSENT("pcie_read_bytes_total", "bytes",
		  "a C-Box has one opcode filter, and reads of devices have two opcodes: pcie_snooped_read_bytes_total and pcie_non_snooped_read_bytes_total can take turns",
		  PCM_OPCODES "getReadBw()", "Bytes that devices read"),
		ABSENT("pcie_write_bytes_total", "bytes",
		  "a C-Box has one opcode filter, and writes of devices have four opcodes: pcie_allocating_write_bytes_total, pcie_non_allocating_write_bytes_total, "
		    "pcie_non_snooped_write_bytes_total and pcie_non_snooped_partial_writes_total can take turns",
		  PCM_OPCODES "getWriteBw()", "Bytes that devices wrote")),
};

/* ------------------------------------------------------------------ Haswell-EP, Broadwell-EP */

#define IO_READ  OPCODE("0x19e", "tor_inserts_opcode_pcirdcur")
#define IO_WRITE OF_DEVICE("0x1c8", "tor_inserts_opcode_device_itom")
#define IO_PARTS OF_DEVICE("0x180", "tor_inserts_opcode_device_rfo")

const struct cat_perf cat_perf_hsx = {
	.name = "hsx",
	.title = "Intel Xeon E5 v3, v4, E7 v3, v4 and D-1500 (Haswell-EP, Broadwell-EP, -DE)",
	.vendor = INTEL,
	IDS({ 6, 63, 63, 0 }, { 6, 79, 79, 0 }, { 6, 86, 86, 0 }),
	.max_hz = INTEL_MAX_HZ,
	.one_filter = TEXTS("uncore_cbox", "uncore_pcu", "uncore_qpi", "uncore_ubox"),
	PMUS(
		{ "uncore_imc", 4, SNBEP_C "hswep_uncore_imc, bdx_uncore_imc" },
		{ "uncore_qpi", 4, SNBEP_C "hswep_uncore_qpi, bdx_uncore_qpi" },
		{ "uncore_cbox", 4, SNBEP_C "hswep_uncore_cbox, bdx_uncore_cbox" },
		{ "uncore_ubox", 2, SNBEP_C "hswep_uncore_ubox, bdx_uncore_ubox" },
		{ "uncore_pcu", 4, SNBEP_C "hswep_uncore_pcu" },
		{ "uncore_ha", 4, SNBEP_C "hswep_uncore_ha, bdx_uncore_ha" },
		{ "uncore_sbox", 4, SNBEP_C "hswep_uncore_sbox, bdx_uncore_sbox" },
		{ "uncore_irp", 4, SNBEP_C "hswep_uncore_irp, bdx_uncore_irp" },
		{ "uncore_r2pcie", 4, SNBEP_C "hswep_uncore_r2pcie, bdx_uncore_r2pcie" },
		{ "uncore_r3qpi", 3, SNBEP_C "hswep_uncore_r3qpi, bdx_uncore_r3qpi" }),
	EVENTS(
		COMMON_EVENTS("HSX, BDX"),
		P(READS, "perfmon HSX, BDX UNC_C_TOR_INSERTS.OPCODE"),
		P(MISS, "perfmon HSX, BDX UNC_C_TOR_INSERTS.MISS_OPCODE"),
		P(IN_MISS, "perfmon HSX, BDX UNC_C_TOR_OCCUPANCY.MISS_OPCODE", .counters = 0x1),
		P(IO_READ, "perfmon HSX, BDX UNC_C_TOR_INSERTS.OPCODE"),
		P(IO_WRITE, "perfmon HSX, BDX UNC_C_TOR_INSERTS.OPCODE:opc=0x1c8:tid=0x3e"),
		P(IO_PARTS, "perfmon BDX UNC_C_TOR_INSERTS.OPCODE:opc=0x180:tid=0x3e")),
	GROUPS(
		G("memory", TEXTS(CAS_READ, CAS_WRITE), .help = MEMORY_HELP),
		USE_GROUPS(DCLK),
		G("llc", TEXTS(CLOCK, READS, MISS, IN_MISS), .metrics_only = true, .help = LLC_HELP),
		G("links", QPI_SPECS, .metrics_only = true, .help = LINKS_HELP)),
	METRICS(
		MEMORY_METRICS(SCALED, IN(CAS_READ), IN(CAS_WRITE)),
		HALF_RATE(BOTH_CAS, DCLK, DDR_MOST(2400, 2), "perfmon HSX, BDX UNC_M_CAS_COUNT, UNC_M_CLOCKTICKS",
		  EXCEPT(BUFFERED)),
		CLOCK_METRIC(CLOCK, "perfmon HSX metric uncore_frequency"),
		LLC_MISS_METRICS(MISS, IN_MISS, CLOCK, WITH_PREFETCH, LATENCY),
		DATA_READ_METRICS("HSX"),
		QPI_METRICS(1,
		  "pcm cpucounters.cpp: the clock of HSX and BDX runs at twice the speed, one flit in a cycle"),
		/* Other opcodes than the group above. */
		DEVICE_LINES("pcie_read_bytes_total", IO_READ, "perfmon metric io_bandwidth_read of HSX",
		  "read from memory (PCIRdCur)"),
		DEVICE_LINES("pcie_write_bytes_total", IO_WRITE, "perfmon metric io_bandwidth_write of HSX",
		  "wrote in whole lines (ItoM), writes of parts of a line are not among them"),
		M("pcie_partial_writes_total", "writes", SOCKET,
		  "perfmon metric io_bandwidth_write of BDX, its second opcode (RFO)", SUM(IN(IO_PARTS)),
		  .help = "Writes of devices to parts of a line")),
};

/* ------------------------------------------------------------------ the set numa */

static const struct cat_set numa = NUMA_SET;
#define OF_NUMA(part_) .metrics_only = true, .on_request = true, .set = &numa, .part = part_

/* Home agents are boxes of their own. Those of Sandy Bridge-EP do not tell who asks. */
#define REQUESTS(umask_, name_) "perf/uncore_ha/event=0x01,umask=" umask_ ",name=requests_" name_ "/"
#define READS_LOCAL   REQUESTS("0x01", "reads_local")
#define READS_REMOTE  REQUESTS("0x02", "reads_remote")
#define WRITES_LOCAL  REQUESTS("0x04", "writes_local")
#define WRITES_REMOTE REQUESTS("0x08", "writes_remote")
#define HOME_EVENT(spec_, name_) P(spec_, "perfmon IVT, HSX, BDX UNC_H_REQUESTS." name_)
#define HOME_METRIC(name_, metric_, event_, help_) \
	M("home_" name_ "_bytes_total", "bytes", SOCKET, "perfmon metric llc_miss_" metric_ " of SKX", \
	  SUM(IN(event_)), .scale = 64, .help = help_)

const struct cat_perf cat_perf_ep_home = {
	.name = "ep-home", .title = "Intel Xeon E5, E7 v2 to v4, requests to the home agents",
	.vendor = INTEL, .sets = true, IDS({ 6, 62, 62, 0 }, { 6, 63, 63, 0 }, { 6, 79, 79, 0 }),
	PMUS({ "uncore_ha", 4, SNBEP_C "ivbep_uncore_ha, hswep_uncore_ha, bdx_uncore_ha" }),
	EVENTS(
		HOME_EVENT(READS_LOCAL, "READS_LOCAL"), HOME_EVENT(READS_REMOTE, "READS_REMOTE"),
		HOME_EVENT(WRITES_LOCAL, "WRITES_LOCAL"), HOME_EVENT(WRITES_REMOTE, "WRITES_REMOTE")),
	GROUPS(
		G("numa_home", TEXTS(READS_LOCAL, READS_REMOTE, WRITES_LOCAL, WRITES_REMOTE),
		  OF_NUMA(NUMA_HOW_MUCH), .help = HOME_HELP)),
	METRICS(
		HOME_METRIC("local_read", "local_memory_bandwidth_read", READS_LOCAL, HOME_LOCAL_READ_HELP),
		HOME_METRIC("remote_read", "remote_memory_bandwidth_read", READS_REMOTE, HOME_REMOTE_READ_HELP),
		HOME_METRIC("local_write", "local_memory_bandwidth_write", WRITES_LOCAL, HOME_LOCAL_WRITE_HELP),
		HOME_METRIC("remote_write", "remote_memory_bandwidth_write", WRITES_REMOTE,
		  HOME_REMOTE_WRITE_HELP)),
};

/* Haswell-EP and Broadwell-EP choose local and remote by the unit mask, and data reads by the filter. */
#define TOR(terms_, name_) "perf/uncore_cbox/" terms_ DRD "tor_" name_ "_opcode_drd/"
#define LOCAL     TOR("event=0x35,umask=0x23", "inserts_miss_local")
#define REMOTE    TOR("event=0x35,umask=0x83", "inserts_miss_remote")
#define IN_LOCAL  TOR("event=0x36,umask=0x23", "occupancy_miss_local")
#define IN_REMOTE TOR("event=0x36,umask=0x83", "occupancy_miss_remote")
#define TOR_EVENT(name_) "perfmon HSX, BDX UNC_C_TOR_" name_ "_OPCODE:opc=0x182"
#define LOCAL_DRAM  "perfmon metric numa_reads_addressed_to_local_dram"
#define REMOTE_DRAM "perfmon metric numa_reads_addressed_to_remote_dram"
#define DRD_LATENCY "perfmon metric llc_data_read_demand_plus_prefetch_miss_latency_for_"

const struct cat_perf cat_perf_hsx_reads = {
	.name = "hsx-reads",
	.title = "Intel Xeon E5, E7 v3, v4 (Haswell-EP, Broadwell-EP), reads by where the memory is",
	.vendor = INTEL, .sets = true, IDS({ 6, 63, 63, 0 }, { 6, 79, 79, 0 }),
	.one_filter = TEXTS("uncore_cbox"),
	PMUS({ "uncore_cbox", 4, SNBEP_C "hswep_uncore_cbox, bdx_uncore_cbox" }),
	EVENTS(
		P(CLOCK, "perfmon HSX, BDX UNC_C_CLOCKTICKS", .clock = true),
		P(LOCAL, TOR_EVENT("INSERTS.MISS_LOCAL")), P(REMOTE, TOR_EVENT("INSERTS.MISS_REMOTE")),
		P(IN_LOCAL, TOR_EVENT("OCCUPANCY.MISS_LOCAL"), .counters = 0x1),
		P(IN_REMOTE, TOR_EVENT("OCCUPANCY.MISS_REMOTE"), .counters = 0x1)),
	GROUPS(
		G("numa_reads", TEXTS(LOCAL, REMOTE), OF_NUMA(NUMA_HOW_MUCH), .help = READS_HELP),
		G("numa_local_latency", TEXTS(CLOCK, LOCAL, IN_LOCAL), OF_NUMA(NUMA_HOW_LONG),
		  .help = LOCAL_LATENCY_HELP),
		G("numa_remote_latency", TEXTS(CLOCK, REMOTE, IN_REMOTE), OF_NUMA(NUMA_HOW_LONG),
		  .help = REMOTE_LATENCY_HELP)),
	METRICS(
		M("numa_local_reads_total", "reads", SOCKET, LOCAL_DRAM, SUM(IN(LOCAL)), .help = LOCAL_READS_HELP),
		M("numa_remote_reads_total", "reads", SOCKET, REMOTE_DRAM, SUM(IN(REMOTE)),
		  .help = REMOTE_READS_HELP),
		M("numa_local_read_ratio", "ratio", SOCKET, LOCAL_DRAM, SUM(IN(LOCAL)),
		  .den = SUM(IN(LOCAL), IN(REMOTE)), .help = LOCAL_SHARE_HELP),
		M("numa_remote_read_ratio", "ratio", SOCKET, REMOTE_DRAM, SUM(IN(REMOTE)),
		  .den = SUM(IN(LOCAL), IN(REMOTE)), .help = REMOTE_SHARE_HELP),
		M("numa_local_read_latency_seconds", "seconds", SOCKET, DRD_LATENCY "local_requests",
		  SUM(IN(IN_LOCAL)), .den = SUM(IN(LOCAL)), .cycles_of = CLOCK,
		  .help = LOCAL_LATENCY_OF WITH_PREFETCH),
		M("numa_remote_read_latency_seconds", "seconds", SOCKET, DRD_LATENCY "remote_requests",
		  SUM(IN(IN_REMOTE)), .den = SUM(IN(REMOTE)), .cycles_of = CLOCK,
		  .help = REMOTE_LATENCY_OF WITH_PREFETCH)),
};
