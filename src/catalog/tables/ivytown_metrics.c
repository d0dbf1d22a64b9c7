/* SPDX-License-Identifier: MIT
 * Derived metrics of the Xeon E5/E7 v2.
 * Owns:  the formulas, each with the condition under which it holds.
 * Never: how they are evaluated (derive/).
 * Pure data; any thread.
 *
 * A row appears where one group holds all its events, so each names as few as it can.
 */
#include "catalog/tables/ivytown.h"

#define EV(box, event)       { .spec = box "/" event }
#define TIMES(n, box, event) { .spec = box "/" event, .weight = (n) }
#define UCLK                 EV("ubox", "UCLK")
#define OF_UCLK              .cycles_of = "ubox/UCLK"

/* Bytes of an event that moves a cache line each time. */
#define LINES(name_, box, event, src, text) \
	M(name_, "bytes", UNIT, src, SUM(EV(box, event)), .scale = 64, .help = text)

/* Entries summed over cycles, and entries that came: the same unit mask and filter on both. */
#define LATENCY(stem, occupancy, inserts, src, text) \
	M(stem "_latency_cycles", "cycles", UNIT, src, SUM(occupancy), .den = SUM(inserts), \
	  .help = "Mean uncore cycles that " text), \
	M(stem "_latency_seconds", "seconds", UNIT, src, SUM(occupancy), .den = SUM(inserts), OF_UCLK, \
	  .help = "Mean time that " text)

#define TOR_SRC MANUAL " p 50-51"
#define TOR(stem, filter, text) LATENCY(stem, EV("cbox", "TOR_OCCUPANCY" filter), \
	EV("cbox", "TOR_INSERTS" filter), TOR_SRC, text " spend in the C-Box's table of requests (TOR)")
#define HOME_SRC MANUAL " p 61, Table 2-45"
#define HOME(stem, umask, text) \
	LATENCY(stem, EV("ha", "BT_OCCUPANCY" umask), EV("ha", "REQUESTS" umask), \
	HOME_SRC, text " spend in the home agent, from arrival to completion")

/* Misses of requests with one opcode: a miss is a request that needs the home agent. */
#define MISS(stem, opc, text) \
	M("llc_" stem "_miss_ratio", "ratio", UNIT, TOR_SRC, SUM(EV("cbox", "TOR_INSERTS:MISS_OPCODE,opc=" opc)), \
	  .den = SUM(EV("cbox", "TOR_INSERTS:OPCODE,opc=" opc)), \
	  .help = "Share of " text " that missed this slice of the last-level cache"), \
	M("llc_socket_" stem "_miss_ratio", "ratio", SOCKET, TOR_SRC, \
	  SUM(EV("cbox", "TOR_INSERTS:MISS_OPCODE,opc=" opc)), .den = SUM(EV("cbox", "TOR_INSERTS:OPCODE,opc=" opc)), \
	  .help = "Share of " text " that missed the last-level cache, all its slices together")

/* QPI, one direction: tx or rx. */
#define FLIT_SRC JSON ", likwid, pcm"
#define LINK_BYTES(dir, box_dir, word) \
	M("link_" dir "_data_bytes_total", "bytes", UNIT, FLIT_SRC, SUM(EV("qpi", box_dir "_FLITS_G0:DATA")), \
	  .scale = 8, \
	  .help = "Bytes of data that the QPI link " word ", 8 for each data flit; what is passed on to another socket is counted, too"), \
	M("link_" dir "_bytes_total", "bytes", UNIT, FLIT_SRC, \
	  SUM(EV("qpi", box_dir "_FLITS_G0:DATA"), EV("qpi", box_dir "_FLITS_G0:NON_DATA")), .scale = 8, \
	  .help = "Bytes that the QPI link " word ", 8 for each flit with data or protocol; idle flits are not counted"), \
	M("link_" dir "_drs_data_bytes_total", "bytes", UNIT, FLIT_SRC ", kernel", \
	  SUM(EV("qpi", box_dir "_FLITS_G1:DRS_DATA")), .scale = 8, \
	  .help = "Bytes of coherent data (data responses) that the QPI link " word), \
	M("link_" dir "_ncb_data_bytes_total", "bytes", UNIT, FLIT_SRC ", kernel", \
	  SUM(EV("qpi", box_dir "_FLITS_G2:NCB_DATA")), .scale = 8, \
	  .help = "Bytes of non-coherent data (bypass messages) that the QPI link " word), \
	M("link_" dir "_utilization_ratio", "ratio", UNIT, FLIT_SRC ", 329468-002 Table 2-138", \
	  SUM(EV("qpi", box_dir "_FLITS_G0:DATA"), EV("qpi", box_dir "_FLITS_G0:NON_DATA")), .scale = 8, \
	  .clamp = true, .bounded = true, \
	  .den = SUM({ .spec = "link_bytes" }), \
	  .help = "Share of the QPI link's capacity, from its rate register, used by the flits with data or protocol that it " word), \
	M("link_" dir "_slot_utilization_ratio", "ratio", UNIT, FLIT_SRC ", 327043-001 2.7.1", \
	  SUM(EV("qpi", box_dir "_FLITS_G0:DATA"), EV("qpi", box_dir "_FLITS_G0:NON_DATA")), .bounded = true, \
	  .den = SUM(TIMES(2, "qpi", "CLOCKTICKS")), \
	  .help = "Share of the QPI link's flit slots, two in a cycle of its clock, with data or protocol that it " word), \
	M("link_" dir "_half_width_ratio", "ratio", UNIT, JSON, SUM(EV("qpi", box_dir "0P_POWER_CYCLES")), \
	  .den = SUM(EV("qpi", "CLOCKTICKS")), \
	  .help = "Share of time at half width, to save power, of the direction in which the QPI link " word " flits")

/* Share of the PCU's clock in which something holds. */
#define OF_PCLK(name_, event, text) \
	M(name_, "ratio", SOCKET, JSON, SUM(EV("pcu", event)), .den = SUM(EV("pcu", "CLOCKTICKS")), \
	  .help = "Share of time in which " text)
#define CORES(state, text) \
	M("residency_" state "_cores", "cores", SOCKET, MANUAL " p 129", \
	  SUM(EV("pcu", "POWER_STATE_OCCUPANCY:CORES_" text)), .den = SUM(EV("pcu", "CLOCKTICKS")), \
	  .help = "Mean number of cores in sleep state " text)

/* R3QPI: messages from the ring that wait for the link, and the stop of the ring. */
#define R3_SRC MANUAL " 2.10.2"
#define INGRESS(class, umask, text) \
	LATENCY("link_ingress_" class, EV("r3qpi", "RXR_OCCUPANCY:" umask), EV("r3qpi", "RXR_INSERTS:" umask), R3_SRC, \
	  text " from the ring wait to be sent over the link")
#define RING(stem, event, way, text) \
	M("ring_" stem "_" way "_utilization_ratio", "ratio", UNIT, R3_SRC, SUM(EV("r3qpi", event)), .bounded = true, \
	  .den = SUM(EV("r3qpi", "CLOCKTICKS")), \
	  .help = "Share of cycles in which the " text " at the stop of the QPI links; all links share that stop and say the same: do not add them up")

static const struct cat_metric rows[] = {
	/* clocks */
	M("clock_hertz", "hertz", SOCKET, "329468-002 2.2.2, likwid", SUM(UCLK), .den = SUM({ .spec = "seconds" }),
	  .help = "Measured frequency of the uncore clock"),
	M("dram_clock_hertz", "hertz", UNIT, "329468-002 2.5.3, likwid", SUM(EV("imc", "DCLK")),
	  .den = SUM({ .spec = "seconds" }),
	  .help = "Measured frequency of the channel's DRAM clock, half its transfer rate"),
	M("link_clock_hertz", "hertz", UNIT, JSON, SUM(EV("qpi", "CLOCKTICKS")), .den = SUM({ .spec = "seconds" }),
	  .help = "Measured frequency of the QPI link layer's clock, an eighth of the link's transfer rate"),

	/* memory, seen by the channels */
#define CAS_SRC JSON ", likwid, pcm, kernel"
	LINES("memory_read_bytes_total", "imc", "CAS_COUNT:RD", CAS_SRC,
	  "Bytes that the channel read from memory: 64 for each read command, underfill reads too"),
	LINES("memory_write_bytes_total", "imc", "CAS_COUNT:WR", CAS_SRC,
	  "Bytes that the channel wrote to memory: 64 for each write command"),
	KNEE_METRICS(SUM(EV("imc", "CAS_COUNT:RD")), SUM(EV("imc", "CAS_COUNT:WR")), .scale = 64),
	/* Two transfers of 8 bytes in a cycle: a line takes four. DDR3-1866 is the fastest memory. */
	CHANNEL_METRICS(SUM(EV("imc", "CAS_COUNT:RD"), EV("imc", "CAS_COUNT:WR")), EV("imc", "DCLK"), 4, 16,
	  CAS_SRC "; 329468-002 2.5.3: DCLK is half the transfer rate, the bus 8 bytes wide",
	  .clock_most = 1.01e6 * 1866 / 2,
	  EXCEPT({ .word = "E7-",
	    .why = "the memory of a Xeon E7 v2 is behind buffers, and no public source says what the link to them moves in a clock" })),
	M("memory_read_queue_busy_ratio", "ratio", UNIT, JSON, SUM(EV("imc", "RPQ_CYCLES_NE")),
	  .den = SUM(EV("imc", "DCLK")),
	  .help = "Share of DRAM cycles in which a read waits in the channel's read queue"),
	M("memory_write_queue_busy_ratio", "ratio", UNIT, JSON, SUM(EV("imc", "WPQ_CYCLES_NE")),
	  .den = SUM(EV("imc", "DCLK")),
	  .help = "Share of DRAM cycles in which a write waits in the channel's write queue"),
	M("memory_write_queue_full_ratio", "ratio", UNIT, JSON, SUM(EV("imc", "WPQ_CYCLES_FULL")),
	  .den = SUM(EV("imc", "DCLK")),
	  .help = "Share of DRAM cycles in which the channel's write queue is full"),

	/* memory, seen by the home agents; traffic of this socket and of others */
#define HA_SRC MANUAL " 2.4.4"
	LINES("home_read_bytes_total", "ha", "IMC_READS:NORMAL", HA_SRC,
	  "Bytes that the home agent read from its memory controller: 64 for each read of normal priority"),
	LINES("home_write_bytes_total", "ha", "IMC_WRITES:ALL", HA_SRC,
	  "Bytes that the home agent wrote to its memory controller: 64 for each write, partial ones too"),
	LINES("home_local_read_bytes_total", "ha", "REQUESTS:READS_LOCAL", HA_SRC,
	  "Bytes of lines that this socket asked its home agent to read: 64 for each request"),
	LINES("home_remote_read_bytes_total", "ha", "REQUESTS:READS_REMOTE", HA_SRC,
	  "Bytes of lines that other sockets asked this home agent to read: 64 for each request"),
	LINES("home_local_write_bytes_total", "ha", "REQUESTS:WRITES_LOCAL", HA_SRC,
	  "Bytes of lines that this socket wrote to its home agent: 64 for each request"),
	LINES("home_remote_write_bytes_total", "ha", "REQUESTS:WRITES_REMOTE", HA_SRC,
	  "Bytes of lines that other sockets wrote to this home agent: 64 for each request"),
	M("home_remote_read_ratio", "ratio", UNIT, HA_SRC, SUM(EV("ha", "REQUESTS:READS_REMOTE")),
	  .den = SUM(EV("ha", "REQUESTS:READS_LOCAL"), EV("ha", "REQUESTS:READS_REMOTE")),
	  .help = "Share of the reads at the home agent that other sockets asked for"),
	M("home_remote_write_ratio", "ratio", UNIT, HA_SRC, SUM(EV("ha", "REQUESTS:WRITES_REMOTE")),
	  .den = SUM(EV("ha", "REQUESTS:WRITES_LOCAL"), EV("ha", "REQUESTS:WRITES_REMOTE")),
	  .help = "Share of the writes at the home agent that came from other sockets"),
	HOME("home_local_read", ":READS_LOCAL", "reads of this socket"),
	HOME("home_remote_read", ":READS_REMOTE", "reads of other sockets"),
	HOME("home_local_write", ":WRITES_LOCAL", "writes of this socket"),
	HOME("home_remote_write", ":WRITES_REMOTE", "writes of other sockets"),

	/* last-level cache */
	M("llc_misses_total", "misses", UNIT, MANUAL " Table 2-16, likwid", SUM(EV("cbox", "LLC_LOOKUP:ANY,state=1")),
	  .help = "Look-ups in this slice of the last-level cache that did not find the line (state I)"),
	M("llc_read_misses_total", "misses", UNIT, MANUAL " Table 2-16, likwid",
	  SUM(EV("cbox", "LLC_LOOKUP:DATA_READ,state=1")),
	  .help = "Reads that did not find their line in this slice of the last-level cache (state I)"),
	M("llc_misses_per_request_ratio", "ratio", UNIT, MANUAL " Table 2-16, p 50, likwid",
	  SUM(EV("cbox", "LLC_LOOKUP:ANY,state=1")), .den = SUM(EV("cbox", "TOR_INSERTS:ALL")),
	  .help = "Look-ups that missed this slice of the last-level cache (state I) per request that entered its C-Box's table; evictions and write-backs enter it too. "
	    "All look-ups cannot be counted beside the misses: a C-Box has one state filter"),
	MISS("data_read", "0x182", "data reads, demand and the prefetches of the cores,"),
	MISS("code_read", "0x181", "demand code reads"),
	MISS("rfo", "0x180", "demand reads for ownership"),
	LINES("llc_writeback_bytes_total", "cbox", "LLC_VICTIMS:M_STATE", JSON ", likwid",
	  "Bytes of modified lines that this slice of the last-level cache threw out: 64 each"),
	M("llc_remote_miss_ratio", "ratio", UNIT, TOR_SRC, SUM(EV("cbox", "TOR_INSERTS:MISS_REMOTE")),
	  .den = SUM(EV("cbox", "TOR_INSERTS:MISS_LOCAL"), EV("cbox", "TOR_INSERTS:MISS_REMOTE")),
	  .help = "Share of the misses of this slice of the last-level cache that go to another socket"),
	M("llc_socket_remote_miss_ratio", "ratio", SOCKET, TOR_SRC, SUM(EV("cbox", "TOR_INSERTS:MISS_REMOTE")),
	  .den = SUM(EV("cbox", "TOR_INSERTS:MISS_LOCAL"), EV("cbox", "TOR_INSERTS:MISS_REMOTE")),
	  .help = "Share of the misses of the last-level cache, all its slices together, that go to another socket"),
	TOR("tor", ":ALL", "requests"),
	TOR("tor_local_miss", ":MISS_LOCAL", "misses to memory of this socket"),
	TOR("tor_remote_miss", ":MISS_REMOTE", "misses to other sockets"),
	TOR("tor_data_read_miss", ":MISS_OPCODE,opc=0x182",
	  "data reads that miss, demand and the prefetches of the cores,"),
	TOR("tor_code_read_miss", ":MISS_OPCODE,opc=0x181", "demand code reads that miss"),
	TOR("tor_rfo_miss", ":MISS_OPCODE,opc=0x180", "demand reads for ownership that miss"),

	/* QPI links */
	LINK_BYTES("sent", "TXL", "sent"),
	LINK_BYTES("received", "RXL", "received"),
	M("link_off_ratio", "ratio", UNIT, JSON, SUM(EV("qpi", "L1_POWER_CYCLES")), .den = SUM(EV("qpi", "CLOCKTICKS")),
	  .help = "Share of time in which the QPI link is switched off to save power (L1)"),
	M("link_direct_bytes_total", "bytes", UNIT, JSON ", likwid sandybridgeEP QPI",
	  SUM(EV("qpi", "DIRECT2CORE:SUCCESS_RBT_HIT")), .scale = 64,
	  .help = "Bytes that came over the QPI link and went straight to the core that asked, 64 for each packet of a data response"),

	/* R3QPI */
	M("link_vna_exhausted_ratio", "ratio", UNIT, MANUAL " p 189", SUM(EV("r3qpi", "VNA_CREDIT_CYCLES_OUT")),
	  .den = SUM(EV("r3qpi", "CLOCKTICKS")),
	  .help = "Share of cycles in which the link's pool of VNA credits is used up and messages have to wait"),
	M("link_vna_used_ratio", "ratio", UNIT, JSON, SUM(EV("r3qpi", "VNA_CREDIT_CYCLES_USED")),
	  .den = SUM(EV("r3qpi", "CLOCKTICKS")),
	  .help = "Share of cycles in which at least one VNA credit of the link is in use"),
	INGRESS("hom", "HOM", "home messages"),
	INGRESS("snp", "SNP", "snoops"),
	INGRESS("ndr", "NDR", "responses without data"),
	INGRESS("drs", "DRS", "data responses"),
	INGRESS("ncb", "NCB", "non-coherent bypass messages"),
	INGRESS("ncs", "NCS", "non-coherent standard messages"),
	RING("ad", "RING_AD_USED:CW", "cw", "address ring carries a packet clockwise"),
	RING("ad", "RING_AD_USED:CCW", "ccw", "address ring carries a packet counterclockwise"),
	RING("ak", "RING_AK_USED:CW", "cw", "acknowledge ring carries a packet clockwise"),
	RING("ak", "RING_AK_USED:CCW", "ccw", "acknowledge ring carries a packet counterclockwise"),
	RING("bl", "RING_BL_USED:CW", "cw", "data ring carries a packet clockwise"),
	RING("bl", "RING_BL_USED:CCW", "ccw", "data ring carries a packet counterclockwise"),

	/* power */
	CORES("c0", "C0"),
	CORES("c3", "C3"),
	CORES("c6", "C6"),
	OF_PCLK("package_c0_ratio", "PKG_C_STATE_RESIDENCY_C0_CYCLES",
	  "the package is in sleep state C0"),
	OF_PCLK("package_c2_ratio", "PKG_C_STATE_RESIDENCY_C2_CYCLES",
	  "the package is in sleep state C2"),
	OF_PCLK("package_c3_ratio", "PKG_C_STATE_RESIDENCY_C3_CYCLES",
	  "the package is in sleep state C3"),
	OF_PCLK("package_c6_ratio", "PKG_C_STATE_RESIDENCY_C6_CYCLES",
	  "the package is in sleep state C6"),
#define BAND_HELP(n) "the frequency is the band of FREQ_BAND" n "_CYCLES, in steps of 100 MHz, " \
		"or above"
	OF_PCLK("frequency_band0_ratio", "FREQ_BAND0_CYCLES", BAND_HELP("0")),
	OF_PCLK("frequency_band1_ratio", "FREQ_BAND1_CYCLES", BAND_HELP("1")),
	OF_PCLK("frequency_band2_ratio", "FREQ_BAND2_CYCLES", BAND_HELP("2")),
	OF_PCLK("frequency_band3_ratio", "FREQ_BAND3_CYCLES", BAND_HELP("3")),
	OF_PCLK("frequency_limit_thermal_ratio", "FREQ_MAX_LIMIT_THERMAL_CYCLES",
	  "heat keeps the frequency down"),
	OF_PCLK("frequency_limit_power_ratio", "FREQ_MAX_POWER_CYCLES",
	  "the power limit keeps the frequency down"),
	OF_PCLK("frequency_limit_current_ratio", "FREQ_MAX_CURRENT_CYCLES",
	  "the electric current keeps the frequency down"),
	OF_PCLK("frequency_limit_os_ratio", "FREQ_MAX_OS_CYCLES",
	  "the operating system keeps the frequency down"),
	OF_PCLK("frequency_change_ratio", "FREQ_TRANS_CYCLES", "the frequency is being changed"),

	/* I/O */
	M("io_read_latency_cycles", "cycles", UNIT, MANUAL " p 104", SUM(EV("irp", "CACHE_READ_OCCUPANCY:ANY")),
	  .den = SUM(EV("irp", "TRANSACTIONS:READS")),
	  .help = "Mean cycles of the IRP's clock from a device's read to its data"),
	M("io_write_latency_cycles", "cycles", UNIT, MANUAL " p 104", SUM(EV("irp", "CACHE_WRITE_OCCUPANCY:ANY")),
	  .den = SUM(EV("irp", "TRANSACTIONS:WRITES")),
	  .help = "Mean cycles of the IRP's clock that a device's write is under way in the uncore"),
};

const struct cat_metrics ivytown_metrics = { rows, COUNT(rows) };
