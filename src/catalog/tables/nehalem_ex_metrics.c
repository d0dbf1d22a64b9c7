/* SPDX-License-Identifier: MIT
 * Derived metrics of the Xeon 7500.
 * Owns:  the formulas, each with the condition under which it holds.
 * Never: how they are evaluated (derive/).
 * Pure data; any thread.
 *
 * A row appears where one group holds all its events, so each names as few as it can.
 */
#include "catalog/tables/nehalem_ex.h"

#define EV(box, event)        { .spec = box "/" event }
#define TIMES(n, box, event)  { .spec = box "/" event, .weight = (n) }
#define CLOCK                 EV("wbox", "CLOCKTICKS")
#define OF_CLOCK              .cycles_of = "wbox/CLOCKTICKS"
/* Conflicts count as inserts: above 5 % a latency is wrong (2.4.6, note on every IMT_INSERTS
 * event). */
#define FEW_CONFLICTS(inserts) GUARD(EV("bbox", "CONFLICTS"), EV("bbox", inserts), 0.05)

/* The tracker file's latency of one class of requests; the class is the same above and below. It
 * does not hold if the in-flight memory table is full (2.4.4.2), and IMT_FULL is on the counter
 * of CONFLICTS: one of the two can guard. */
#define TF_SRC "323535-001 2.4.4.2"
#define TF_ASSUMES "; omitted while more than 5 % of the requests find the in-flight memory " \
		"table full; assumes that requests prefetch from memory and that conflicts are " \
		"few"
#define RARELY_FULL(inserts) GUARD(EV("bbox", "IMT_FULL"), EV("bbox", inserts), 0.05)
#define TRACKER(class, tf, inserts, what) \
	M("tf_" class "_occupancy_entries", "entries", UNIT, TF_SRC, SUM(EV("bbox", tf)), .scale = 256, \
	  .den = SUM(CLOCK), \
	  .help = "Mean number of " what " in the tracker file, from arrival at the home agent to completion"), \
	M("tf_" class "_latency_cycles", "cycles", UNIT, TF_SRC, SUM(EV("bbox", tf)), .scale = 256, \
	  .den = SUM(EV("bbox", inserts)), RARELY_FULL(inserts), \
	  .help = "Mean uncore cycles that " what " spend in the tracker file" TF_ASSUMES), \
	M("tf_" class "_latency_seconds", "seconds", UNIT, TF_SRC, SUM(EV("bbox", tf)), .scale = 256, \
	  .den = SUM(EV("bbox", inserts)), OF_CLOCK, RARELY_FULL(inserts), \
	  .help = "Mean time that " what " spend in the tracker file" TF_ASSUMES)

/* A C-Box queue: entries summed over cycles, and transactions that went through it. */
#define QUEUE_SRC "323535-001 2.3.4.3, 2.3.6"
#define QUEUE(queue, event, what) \
	M("queue_" queue "_occupancy_entries", "entries", UNIT, QUEUE_SRC, SUM(EV("cbox", "OCCUPANCY_" event)), \
	  .den = SUM(CLOCK), \
	  .help = "Mean number of entries in the " what), \
	M("queue_" queue "_latency_cycles", "cycles", UNIT, QUEUE_SRC, SUM(EV("cbox", "OCCUPANCY_" event)), \
	  .den = SUM(EV("cbox", "TRANS_" event)), \
	  .help = "Mean uncore cycles that an entry spends in the " what), \
	M("queue_" queue "_latency_seconds", "seconds", UNIT, QUEUE_SRC, SUM(EV("cbox", "OCCUPANCY_" event)), \
	  .den = SUM(EV("cbox", "TRANS_" event)), OF_CLOCK, \
	  .help = "Mean time that an entry spends in the " what)

/* S-Box links carry one flit a cycle. Rows of one class share name and help, the link is a
 * label. */
#define LINK(class, link_, flits, event, what) \
	M("link_" class "_utilization_ratio", "ratio", UNIT, "323535-001 2.5.4.3", SUM(EV("sbox", event)), \
	  .scale = (flits), .den = SUM(CLOCK), .link = (link_), \
	  .help = "Share of uncore cycles in which the S-Box link carried " what "; flits that carry only credits are not counted")
#define HOM "home requests and responses"
#define SNP "snoops; of a snoop that s2r broadcasts only the first is counted"
#define NDR "responses without data"
#define DRS "data responses"
#define NCS "non-coherent standard messages"
#define NCB "non-coherent bypass messages"
#define SUM_HELP "Lower bound of the share of uncore cycles in which the S-Box link carried " \
		"messages: HOM, SNP, NDR and DRS on s2r, SNP, NDR, DRS and NCB on r2s; other " \
		"classes and flits that carry only credits are not counted"

/* An S-Box queue in front of a link or of the ring: entries summed over cycles. */
#define WAITING(class, link_, event, what) \
	M("link_" class "_queue_entries", "entries", UNIT, "323535-001 2.5.4.2", SUM(EV("sbox", event)), \
	  .den = SUM(CLOCK), .link = (link_), \
	  .help = "Mean number of messages of the S-Box's " what " queue of a link: on s2r and s2b they wait to be sent, on r2s and b2s for the ring")

/* Data that somebody took off the ring, half a line at a time. */
#define RING_BYTES(way, event, what) \
	M("ring_" way "_data_bytes_total", "bytes", UNIT, "323535-001 2.3.6", SUM(EV("cbox", event)), .scale = 32, \
	  .help = "Bytes of data that went over the ring at this stop " what ", 32 for each message")

/* Shares of the M-Box's own clock, and of its accesses. */
#define MEMORY_TIME(name_, event, page, what) \
	M("memory_" name_ "_ratio", "ratio", UNIT, "323535-001 " page " (p 2-111)", SUM(EV("mbox", event)), \
	  .den = SUM(EV("mbox", "CYCLES")), \
	  .help = "Share of the memory controller's cycles in which " what)
#define PAGES(what, event, text) \
	M("page_" what "_ratio", "ratio", UNIT, "323535-001 p 2-119", SUM(EV("mbox", event)), \
	  .den = SUM(EV("mbox", "PAGE_HIT"), EV("mbox", "PAGE_MISS"), EV("mbox", "PAGE_EMPTY")), \
	  .help = "Share of DRAM accesses that found " text)

/* A port's flits, by the clock of its link, whichever that is. */
#define LINK_SRC "323535-001 Tables 2-48, 2-54 (IPERF bits 31, 30)"
#define LINK_CLOCK .disputed = "PCM takes the rate of FLITS_SENT for the speed of the link, null " \
	"idle flits included, but divides NULL_IDLE by the uncore's cycles. Both cannot hold: at " \
	"6.4 GT/s a link sends 1.6e9 flits a second, the uncore has 2.4e9 cycles, and an idle " \
	"link would read as one third used"

/* What leaves the R-Box through a port, by message class (bits 12:9 of the packet header). */
#define SENT_SRC "323535-001 2.6.3.6, Tables 2-50, 2-51, 2-53, 2.6.4.1"
#define SENT(class, filter, what) \
	M("link_sent_" class "_packets_total", "packets", UNIT, SENT_SRC, SUM(EV("rbox", "XBAR_MM" filter)), \
	  .help = "Packets of " what " that left through the R-Box port"), \
	M("link_sent_" class "_flits_total", "flits", UNIT, SENT_SRC, SUM(EV("rbox", "XBAR_MM" filter ",flits=any")), \
	  .help = "Flits of " what " that left through the R-Box port")

/* Bids of one class and network at a port of the R-Box, which Table 2-49 selects for every type.
 * Bids of queues have tables of unit masks (2-60, 2-61), and likwid has theirs on VN0. Bids within
 * and among ports have none, and likwid leaves the field at 0. */
#define ARBITRATION(round, event, cls, umask, what) \
	M("arb_" round "_" cls "_vn0_fail_ratio", "ratio", UNIT, "323535-001 Tables 2-49, 2-54", \
	  SUM(EV("rbox", event "_FAIL:" umask)), .den = SUM(EV("rbox", event ":" umask)), .help = what)
#define QUEUE_BIDS(cls, umask, what) \
	ARBITRATION("queue", "QUE_ARB_BID", cls, umask, \
	  "Share of the bids of " what " on VN0 that lost in the R-Box " \
	    "port's first round of arbitration, among its queues")
#define HOME_BIDS(round, event, what) \
	ARBITRATION(round, event, "hom", "VN0_HOM", \
	  "Share of the bids that lost in " what "; home messages on VN0, " \
	    "if these bids are told apart by class, which only Table 2-49 says")

/* Allocations in the entry overflow table of an R-Box port, from the overflows of a 7-bit counter
 * of them: EOT_INSERTS counts each, and needs no row. */
#define OVERFLOW_TABLE(cls, umask, what) \
	M("eot_" cls "_inserts_total", "inserts", UNIT, "323535-001 Tables 2-48, 2-54", \
	  SUM(EV("rbox", "EOT_OCCUPANCY:" umask)), .scale = 128, \
	  .help = "Packets of " what " put into the R-Box port's entry overflow table, in steps of 128")

/* One bit of the unit mask is one core; what several of them together count is not documented. */
#define THROTTLED(n, cause, event, why) \
	M("throttle_" cause "_core" #n "_ratio", "ratio", SOCKET, "323535-001 Tables 2-98, 2-102 (p 2-127)", \
	  SUM(EV("wbox", event ":CORE" #n)), .den = SUM(CLOCK), \
	  .help = "Share of uncore cycles in which core " #n " of the socket " why)
#define THROTTLED_CORES(...) \
	THROTTLED(0, __VA_ARGS__), THROTTLED(1, __VA_ARGS__), THROTTLED(2, __VA_ARGS__), THROTTLED(3, __VA_ARGS__), \
	THROTTLED(4, __VA_ARGS__), THROTTLED(5, __VA_ARGS__), THROTTLED(6, __VA_ARGS__), THROTTLED(7, __VA_ARGS__)

static const struct cat_metric rows[] = {
	M("clock_hertz", "hertz", SOCKET, "323535-001 2.1.2, Table 2-101 (p 2-128)", SUM(CLOCK),
	  .den = SUM({ .spec = "seconds" }),
	  .help = "Frequency of the uncore clock"),

	/* in-flight memory table and tracker file */
	M("imt_occupancy_entries", "entries", UNIT, "323535-001 2.4.4.2", SUM(EV("bbox", "IMT_VALID_OCCUPANCY")),
	  .scale = 32, .den = SUM(CLOCK),
	  .help = "Mean number of requests in the in-flight memory table, which has 32 entries"),
	M("imt_latency_cycles", "cycles", UNIT, "323535-001 2.4.4.2, 2.4.6", SUM(EV("bbox", "IMT_VALID_OCCUPANCY")),
	  .scale = 32, .den = SUM(EV("bbox", "IMT_INSERTS_ALL")), FEW_CONFLICTS("IMT_INSERTS_ALL"),
	  .help = "Mean uncore cycles that a request spends in the in-flight memory table; omitted while conflicts are more than 5 % of inserts"),
	M("imt_latency_seconds", "seconds", UNIT, "323535-001 2.4.4.2, 2.4.6", SUM(EV("bbox", "IMT_VALID_OCCUPANCY")),
	  .scale = 32, .den = SUM(EV("bbox", "IMT_INSERTS_ALL")), OF_CLOCK, FEW_CONFLICTS("IMT_INSERTS_ALL"),
	  .help = "Mean time that a request spends in the in-flight memory table; omitted while conflicts are more than 5 % of inserts"),
	M("imt_busy_ratio", "ratio", UNIT, "323535-001 2.4.6", SUM(EV("bbox", "IMT_NE_CYCLES")), .den = SUM(CLOCK),
	  .help = "Share of uncore cycles in which the in-flight memory table holds at least one request"),
	M("imt_full_ratio", "ratio", UNIT, "323535-001 2.4.6", SUM(EV("bbox", "IMT_FULL")),
	  .den = SUM(EV("bbox", "IMT_INSERTS_ALL")),
	  .help = "Times the in-flight memory table was full when a transaction needed an entry, per insert"),
	TRACKER("all", "TF_ALL", "IMT_INSERTS_ALL", "requests"),
	TRACKER("wr", "TF_WR", "IMT_INSERTS_WR", "writes"),
	TRACKER("invitoe", "TF_INVITOE", "IMT_INSERTS_INVITOE",
	  "InvItoE requests (ownership without data)"),
	TRACKER("ioh", "TF_IOH", "IMT_INSERTS_IOH", "requests from I/O hubs"),
	TRACKER("ioh_wr", "TF_IOH_WR", "IMT_INSERTS_IOH_WR", "writes from I/O hubs"),
	TRACKER("ioh_invitoe", "TF_IOH_INVITOE", "IMT_INSERTS_IOH_INVITOE",
	  "InvItoE requests from I/O hubs"),

	/* memory traffic, seen by the home agent and by the memory controller */
	M("memory_read_bytes_total", "bytes", UNIT, "323535-001 2.4.4.3, 2.4.6", SUM(EV("bbox", "IMT_INSERTS_RD")),
	  .scale = 64,
	  .help = "Bytes read from memory as the home agent sees them: 64 for each read, InvItoE requests not among them"),
	M("memory_write_bytes_total", "bytes", UNIT, "323535-001 2.4.4.3, 2.4.6", SUM(EV("bbox", "IMT_INSERTS_WR")),
	  .scale = 64,
	  .help = "Bytes written to memory as the home agent sees them: 64 for each write"),
	M("memory_command_read_bytes_total", "bytes", UNIT, "323535-001 2.4.4.3, Tables 2-82, 2-89",
	  SUM(EV("mbox", "FVC_EV0:BBOX_CMDS_READS")), .scale = 64,
	  .help = "Bytes of read commands to the memory controller: 64 each, InvItoE requests are among them"),
	M("memory_command_write_bytes_total", "bytes", UNIT, "323535-001 Tables 2-82, 2-89",
	  SUM(EV("mbox", "FVC_EV0:BBOX_CMDS_WRITES")), .scale = 64,
	  .help = "Bytes of write commands to the memory controller: 64 each"),
	PAGES("hit", "PAGE_HIT", "their page open"),
	PAGES("miss", "PAGE_MISS", "another page of the bank open"),
	PAGES("empty", "PAGE_EMPTY", "no page of the bank open"),
	MEMORY_TIME("read_queue_full", "CYCLES_DSP_FILL:RDQ_FULL", "Tables 2-84, 2-85",
	  "its dispatch queue has no room for reads"),
	MEMORY_TIME("write_queue_full", "CYCLES_DSP_FILL:WRQ_FULL", "Tables 2-84, 2-85",
	  "its dispatch queue has no room for writes"),
	MEMORY_TIME("read_priority", "CYCLES_SCHED_MODE:RDPRIO", "Tables 2-84, 2-87",
	  "its scheduler prefers reads"),
	MEMORY_TIME("write_priority", "CYCLES_SCHED_MODE:WRPRIO", "Tables 2-84, 2-87",
	  "its scheduler prefers writes"),
	MEMORY_TIME("retry_queue_full", "CYCLES_RETRYQ_MFULL", "Table 2-84",
	  "its retry queue has no room"),
	MEMORY_TIME("retry_starved", "CYCLES_RETRYQ_STARVED", "Table 2-84",
	  "its retry queue is starved"),

	/* last-level cache */
	M("llc_hit_ratio", "ratio", UNIT, "323535-001 2.3.4.4, 2.3.6", SUM(EV("cbox", "LLC_HITS:ALL")),
	  .den = SUM(EV("cbox", "LLC_HITS:ALL"), EV("cbox", "LLC_MISSES:ALL")),
	  .help = "Share of look-ups in this slice of the last-level cache that hit; hits include hints about the age of a line"),
	M("llc_socket_hit_ratio", "ratio", SOCKET, "323535-001 2.3.4.4, 2.3.6", SUM(EV("cbox", "LLC_HITS:ALL")),
	  .den = SUM(EV("cbox", "LLC_HITS:ALL"), EV("cbox", "LLC_MISSES:ALL")),
	  .help = "Share of look-ups in all slices of the last-level cache that hit; compare llc_hit_ratio of the slices before trusting it"),
	M("maf_nack_ratio", "ratio", UNIT, "323535-001 2.3.6", SUM(EV("cbox", "MAF_NACK1:TOTAL_MAF_NACKS")),
	  .den = SUM(EV("cbox", "MAF_NACK1:TOTAL_MAF_NACKS"), EV("cbox", "MAF_ACK")),
	  .help = "Share of passes through the cache pipeline that were rejected and tried again"),
	M("snoop_miss_ratio", "ratio", UNIT, "323535-001 2.3.6", SUM(EV("cbox", "SNP_HITS:REMOTE_ANY")),
	  .complement = true, .clamp = true, .den = SUM(EV("cbox", "SNPS:REMOTE_ANY")),
	  .help = "Share of the snoops from other sockets that did not find their line in this slice of the last-level cache"),
	RING_BYTES("core_to_llc", "SINKS_P2C:BL",
	  "from cores to this slice of the last-level cache"),
	RING_BYTES("llc_to_core", "SINKS_C2P:BL",
	  "from any slice of the last-level cache to this stop's core"),
	RING_BYTES("system_to_llc", "SINKS_S2C:BL",
	  "from QPI and memory to this slice of the last-level cache"),
	RING_BYTES("system_to_core", "SINKS_S2P_BL",
	  "from QPI and memory straight to this stop's core"),
	QUEUE("irq", "IRQ", "ingress request queue of the C-Box, which holds requests of cores"),
	QUEUE("ipq", "IPQ",
	  "ingress probe queue of the C-Box, which holds snoops from other sockets"),
	QUEUE("viq", "VIQ", "victim queue of the C-Box, which holds evicted lines"),
	QUEUE("maf", "MAF",
	  "miss address file of the C-Box, which orders misses and tracks coherence"),
	QUEUE("rwrf", "RWRF", "FIFO of read and write requests between core and ring"),
	QUEUE("rspf", "RSPF", "FIFO of snoop responses between core and ring"),

	/* links of the S-Box */
	LINK("hom", "s2r", 1, "PKTS_SENT_HOM:RBOX", HOM),
	LINK("hom", "s2b", 1, "PKTS_SENT_HOM:BBOX", HOM),
	LINK("snp", "s2r", 1, "PKTS_SENT_SNP", SNP),
	LINK("snp", "r2s", 1, "PKTS_RCVD_SNP", SNP),
	LINK("ndr", "s2r", 1, "PKTS_SENT_NDR", NDR),
	LINK("ndr", "r2s", 1, "PKTS_RCVD_NDR", NDR),
	LINK("drs", "s2r", 1, "FLITS_SENT_DRS", DRS),
	LINK("drs", "r2s", 9, "PKTS_RCVD_DRS_FROM_R", DRS),
	LINK("drs", "b2s", 9, "PKTS_RCVD_DRS_FROM_B", DRS),
	LINK("ncs", "s2r", 1, "FLITS_SENT_NCS", NCS),
	LINK("ncs", "r2s", 3, "PKTS_RCVD_NCS", NCS),
	LINK("ncb", "s2r", 1, "FLITS_SENT_NCB", NCB),
	LINK("ncb", "r2s", 11, "PKTS_RCVD_NCB", NCB),
	WAITING("hom", "s2r", "TO_R_B_HOM_MSGQ_OCCUPANCY:RBOX", "home"),
	WAITING("hom", "s2b", "TO_R_B_HOM_MSGQ_OCCUPANCY:BBOX", "home"),
	WAITING("snp", "s2r", "TO_R_SNP_MSGQ_OCCUPANCY", "snoop"),
	WAITING("snp", "r2s", "TO_RING_MSGQ_OCCUPANCY:SNP", "snoop"),
	WAITING("ndr", "s2r", "TO_R_NDR_MSGQ_OCCUPANCY", "dataless response"),
	WAITING("ndr", "r2s", "TO_RING_NDR_MSGQ_OCCUPANCY", "dataless response"),
	WAITING("drs", "s2r", "TO_R_DRS_MSGQ_OCCUPANCY:ALL", "data response"),
	WAITING("drs", "r2s", "TO_RING_R2S_MSGQ_OCCUPANCY", "data response"),
	WAITING("drs", "b2s", "TO_RING_B2S_MSGQ_OCCUPANCY", "data response"),
	WAITING("ncs", "s2r", "TO_R_NCS_MSGQ_OCCUPANCY:ALL", "non-coherent standard"),
	WAITING("ncs", "r2s", "TO_RING_MSGQ_OCCUPANCY:NCS", "non-coherent standard"),
	WAITING("ncb", "s2r", "TO_R_NCB_MSGQ_OCCUPANCY:ALL", "non-coherent bypass"),
	WAITING("ncb", "r2s", "TO_RING_MSGQ_OCCUPANCY:NCB", "non-coherent bypass"),
	M("link_message_utilization_ratio", "ratio", UNIT, "323535-001 2.5.4.3",
	  SUM(EV("sbox", "PKTS_SENT_HOM:RBOX"), EV("sbox", "PKTS_SENT_SNP"), EV("sbox", "PKTS_SENT_NDR"),
	    EV("sbox", "FLITS_SENT_DRS")),
	  .den = SUM(CLOCK), .link = "s2r", .help = SUM_HELP),
	M("link_message_utilization_ratio", "ratio", UNIT, "323535-001 2.5.4.3",
	  SUM(EV("sbox", "PKTS_RCVD_SNP"), EV("sbox", "PKTS_RCVD_NDR"), TIMES(9, "sbox", "PKTS_RCVD_DRS_FROM_R"),
	    TIMES(11, "sbox", "PKTS_RCVD_NCB")),
	  .den = SUM(CLOCK), .link = "r2s", .help = SUM_HELP),

	M("link_message_flits_total", "flits", UNIT, "323535-001 2.4.6 (p 2-40)", SUM(EV("bbox", "MSGS_B_TO_S")),
	  .scale = 9, .link = "b2s",
	  .help = "Flits of messages that the B-Box sent over its direct link to the S-Box, 9 for each message; unit is the B-Box"),

	/* ports of the R-Box */
	M("link_utilization_ratio", "ratio", UNIT, LINK_SRC, SUM(EV("rbox", "NULL_IDLE")), .complement = true,
	  .den = SUM(EV("rbox", "FLITS_SENT")), GUARD(EV("rbox", "NULL_IDLE"), EV("rbox", "FLITS_SENT"), 1), LINK_CLOCK,
	  .bounded = true,
	  .help = "Share of the flits sent through the R-Box port that were no null idle flits; assumes that FLITS_SENT counts null idle flits, too, "
	    "and is omitted while NULL_IDLE exceeds it"),
	M("link_capacity_bytes_total", "bytes", UNIT, LINK_SRC, SUM(EV("rbox", "FLITS_SENT")), .scale = 8, LINK_CLOCK,
	  .help = "Bytes that the flits sent through the R-Box port could carry, 8 each; assumes that FLITS_SENT counts null idle flits, too: then "
	    "its rate is the speed of the link"),
	M("link_sent_bytes_total", "bytes", UNIT, SENT_SRC, SUM(EV("rbox", "XBAR_MM,flits=any")), .scale = 8,
	  .help = "Bytes that left through the R-Box port, 8 for each flit of a packet, headers included; idle flits are not counted"),
	M("link_received_data_bytes_total", "bytes", UNIT, "323535-001 Table 2-48, 2.6.4.1",
	  SUM(EV("rbox", "NEW_PACKETS_RECV:ANY_DRS")), .scale = 64,
	  .help = "Bytes of data responses that came in through the R-Box port, 64 each; a partial line counts as a whole one"),
	M("link_sent_data_bytes_total", "bytes", UNIT, SENT_SRC, SUM(EV("rbox", "XBAR_MM:DRS.AnyResp")), .scale = 64,
	  .help = "Bytes of data responses that left through the R-Box port, 64 each; a partial line counts as a whole one"),
	SENT("hom", ",match=0x0,mask=0x1c00", "home requests and responses"),
	SENT("snp", ",match=0x600,mask=0x1e00", "snoops"),
	SENT("ndr", ",match=0x400,mask=0x1e00", "responses without data"),
	SENT("drs", ":DRS.AnyResp", "data responses"),
	SENT("ncs", ",match=0x800,mask=0x1e00", "non-coherent standard messages"),
	SENT("ncb", ",match=0x1800,mask=0x1e00", "non-coherent bypass messages"),
	/* DRS.AnyResp less DRS.AnyDataC without a subtraction, whose two reads a moment apart could
	 * let a total fall: what has bit 7 or 8 of the header, as two sets that share nothing. The
	 * opcodes: p 2-133. */
	M("link_sent_drs_write_packets_total", "packets", UNIT, "323535-001 Tables 2-51, 2-53",
	  SUM(EV("rbox", "XBAR_MM,match=0x1c80,mask=0x1f80"), EV("rbox", "XBAR_MM:DRS.AnyResp11flits")),
	  .help = "Packets of written-back data and of writes without snoop that left through the R-Box port: data responses other than cache lines that answer a core's request"),
	QUEUE_BIDS("hom", "VN0_HOM", "home messages"),
	QUEUE_BIDS("snp", "VN0_SNP", "snoops"),
	QUEUE_BIDS("ndr", "VN0_NDR", "responses without data"),
	QUEUE_BIDS("drs", "VN0_DRS", "data responses"),
	QUEUE_BIDS("ncs", "VN0_NCS", "non-coherent standard messages"),
	QUEUE_BIDS("ncb", "VN0_NCB", "non-coherent bypass messages"),
	HOME_BIDS("local", "LOCAL_ARB_BID",
	  "the second round of arbitration, within the R-Box port"),
	HOME_BIDS("global", "GLOBAL_ARB_BID",
	  "the third round of arbitration, among the R-Box's ports for an output"),
	OVERFLOW_TABLE("hom_vn0", "HOM_VN0", "home messages on VN0"),
	OVERFLOW_TABLE("hom_vn1", "HOM_VN1", "home messages on VN1"),
	OVERFLOW_TABLE("snp", "SNP", "snoops"),
	OVERFLOW_TABLE("ndr", "NDR", "responses without data"),
	OVERFLOW_TABLE("drs_vn0", "DRS_VN0", "data responses on VN0"),
	OVERFLOW_TABLE("drs_vn1", "DRS_VN1", "data responses on VN1"),
	OVERFLOW_TABLE("ncs", "NCS", "non-coherent standard messages"),
	OVERFLOW_TABLE("ncb", "NCB", "non-coherent bypass messages"),

	/* throttling, by core */
	THROTTLED_CORES("temperature", "C_THROTTLE_TMP", "is throttled because of its temperature"),
	THROTTLED_CORES("die", "C_C0_THROTTLE_DIE", "runs throttled because the die is too hot"),
	THROTTLED_CORES("prochot", "C0_THROTTLE_PROCHOT", "runs throttled because a pin of the package asks for it"),
	THROTTLED_CORES("tm1", "TM1_ON", "is cooled by thermal monitor 1, which stops and starts its clock"),
	M("package_prochot_ratio", "ratio", SOCKET, "323535-001 Table 2-102 (p 2-128)", SUM(EV("wbox", "PROCHOT")),
	  .den = SUM(CLOCK),
	  .help = "Share of uncore cycles in which the package signals PROCHOT, its over-temperature pin"),
};

const struct cat_metrics nehalem_ex_metrics = { rows, COUNT(rows) };
