/* SPDX-License-Identifier: MIT
 * Intel Xeon 7500 (Nehalem-EX) and Xeon E7-2800/4800/8800 (Westmere-EX), which is the Xeon 7500's
 * uncore with ten C-Boxes: the processors, the order of their boxes, their ready-made groups.
 * Owns:  what holds for the whole processor.
 * Never: a box (nehalem_ex_*box.c).
 * Pure data; any thread.
 */
#include "catalog/tables/nehalem_ex.h"

static const struct cat_box *const boxes[] = {
	&nehalem_ex_ubox, &nehalem_ex_cbox, &nehalem_ex_bbox, &nehalem_ex_sbox, &nehalem_ex_rbox,
	&nehalem_ex_mbox, &nehalem_ex_wbox,
};

/* One round, and with everything that the daemon says about a socket under 100 series: of eight or
 * ten C-Boxes only the hit ratios are shown, and of the data of a link only the metrics. Reads and
 * writes of the M-Box share one command field, so that writes take turns with the rest. */
#define FLITS(port) "rbox/FLITS_SENT,port=" port, "rbox/NULL_IDLE,port=" port
#define DATA(port)  "rbox/XBAR_MM:DRS.ANYRESP,port=" port
static const struct cat_group groups[] = {
	G("memory", TEXTS("wbox/CLOCKTICKS", "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS",
	  "mbox/FVC_EV0:BBOX_CMDS_READS"),
	  .help = "Latency of the home agent and bytes read from memory"),
	G("llc", TEXTS("cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL"),
	  .help = "Hit ratio of the last-level cache, of each slice and of the socket",
	  .metrics_only = true),
	G("links", TEXTS("wbox/CLOCKTICKS", FLITS("0"), FLITS("1"), FLITS("4"), FLITS("5"), DATA("0"), DATA("1"),
	  DATA("4"), DATA("5")), .inputs = TEXTS(DATA("0"), DATA("1"), DATA("4"), DATA("5")),
	  .help = "Utilisation of the four QPI links and the data that they send"),
	G("writes", TEXTS("wbox/CLOCKTICKS", "mbox/FVC_EV0:BBOX_CMDS_WRITES"),
	  .help = "Bytes written to memory",
	  .on_request = true),
};

/* What both have. */
#define XEON .global = &nehalem_ex_global, .metrics = &nehalem_ex_metrics, \
	.overflows = &nehalem_ex_overflows, .groups = groups, .n_groups = COUNT(groups)

static const struct cat_mention mentions[] = {
	{ "SNP_MERGE", "bbox", "bbox/event=0x3,counter=3,name=snp_merge/",
	  "The guide sets up a session with it, as event 3 of counter 3, but does not have it in its list of the "
	  "B-Box's events: nobody says what that counts", "323535-001 2.1.2; not in Table 2-24, 2.4.6" },
	{ "CACHE_CHAR_QUAL.ANY_HIT", "cbox", "cbox/SNP_HITS:REMOTE_ANY",
	  "The guide says of SNPS that those which missed are found by subtracting it; what counts snoops that hit "
	  "is SNP_HITS", "323535-001 2.3.6, SNPS" },
	{ 0 },
};

const struct cat_processor cat_nehalem_ex = {
	.name = "nehalem-ex",
	.title = "Intel Xeon 7500 (Nehalem-EX)",
	.vendor = INTEL, CPUIDS({ 6, 0x2e }),
	.cores = 8, .caches = 1,
	.boxes = boxes, .n_boxes = COUNT(boxes), .mentions = mentions,
	XEON,
	.source = "323535-001",
};

static const struct cat_box *const westmere_boxes[] = {
	&westmere_ex_ubox, &westmere_ex_cbox, &westmere_ex_bbox, &westmere_ex_sbox,
	&nehalem_ex_rbox, &westmere_ex_mbox, &nehalem_ex_wbox,
};

const struct cat_processor cat_westmere_ex = {
	.name = "westmere-ex",
	.title = "Intel Xeon E7-2800, 4800, 8800 (Westmere-EX)",
	.vendor = INTEL, CPUIDS({ 6, 0x2f }),
	.cores = 10, .caches = 1,
	.boxes = westmere_boxes, .n_boxes = COUNT(westmere_boxes),
	XEON,
	.source = "323535-001, Linux uncore_nhmex.c, likwid",
};
