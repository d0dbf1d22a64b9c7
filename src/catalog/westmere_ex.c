/* westmere_ex.c - Intel Xeon E7-2800/4800/8800 (Westmere-EX): the Xeon 7500's uncore and what differs.
 *
 * Owns:  ten C-Boxes, the wider fill victim index of the M-Box, the events that were added or changed.
 * Never: rows that hold for both: they are nehalem_ex_*.c's.
 * Pure data; any thread.
 *
 * No guide of this processor was at hand: what differs is as Linux (uncore_nhmex.c), Intel PCM and likwid program it,
 * and what only one of them says is marked.
 */
#include "config.h"

#include "catalog/nehalem_ex_m.h"
#include "catalog/nehalem_ex_s.h"

#define LIKWID   .source = "likwid perfmon_westmereEX_events.txt", .disputed = "Only likwid lists this event"
#define NAMED(name_, code_, words_) \
	{ .name = (name_), .code = (code_), .max_inc = 24, .dflt = -1, .source = "likwid perfmon_westmereEX_events.txt", \
	  .disputed = "Only likwid lists this event, by its name alone: the sentence is that name read aloud, and the " \
		      "largest increment per cycle that of any event of the box", \
	  .help = words_ }
#define PLAIN_   .max_inc = 1, .dflt = -1

/* ------------------------------------------------------------------ U-Box, C-Box, B-Box */

static const struct cat_event ubox_extra[] = {
	{ .name = "DOOR_BELL", .alias = TEXTS("BUF_VALID_DOOR_BELL"), .code = 0x05, PLAIN_, LIKWID,
	  .help = "Cycles in which a doorbell message between sockets waits in the U-Box" },
	{ .name = "PM_IN", .alias = TEXTS("BUF_VALID_PM_IN"), .code = 0x06, PLAIN_, LIKWID,
	  .help = "Cycles in which a power management message that arrived waits in the U-Box" },
	{ .name = "PM_OUT", .alias = TEXTS("BUF_VALID_PM_OUT"), .code = 0x07, PLAIN_, LIKWID,
	  .help = "Cycles in which a power management message waits in the U-Box to be sent" },
};

/* C-Boxes 8 and 9 lie apart from the others. */
static const struct cat_unit cbox_units[] = {
	{ .base = { 0xd00 } }, { .base = { 0xd80 } }, { .base = { 0xd40 } }, { .base = { 0xdc0 } }, { .base = { 0xd20 } },
	{ .base = { 0xda0 } }, { .base = { 0xd60 } }, { .base = { 0xde0 } }, { .base = { 0xf40 } }, { .base = { 0xfc0 } },
};

static const struct cat_event cbox_extra[] = {
	{ .name = "ARB_WINS_P2C_SB", .code = 0x33, PLAIN_, LIKWID,
	  .help = "Core requests that got a place on the ring towards the nearest S-Box" },
	{ .name = "ARB_WINS_P2C_NSB", .code = 0x34, PLAIN_, LIKWID,
	  .help = "Core requests that got a place on the ring away from the nearest S-Box" },
	/* Of these likwid has a name and a code, and nobody a sentence. */
	NAMED("SPL_DEAD", 0x29, "Dead cycles of the ring splitter"),
	NAMED("SPL_ARB_PRI_SW", 0x2a, "Switches of priority in the arbitration of the ring splitter"),
	NAMED("SPL_NOT_CO", 0x2b, "Ring splitter, case NOT_CO"),
	NAMED("SPL_CO_SB", 0x2c, "Ring splitter, case CO, towards the nearest S-Box"),
	NAMED("SPL_CO_NSB", 0x2d, "Ring splitter, case CO, away from the nearest S-Box"),
	NAMED("SPL_IN_FULL_IRQ", 0x2e, "Ring splitter, with the ingress request queue full"),
	NAMED("SPL_EGR_SB", 0x2f, "Ring splitter, egress towards the nearest S-Box"),
	NAMED("SPL_EGR_NSB", 0x30, "Ring splitter, egress away from the nearest S-Box"),
	NAMED("IGR_OP_SRAM", 0x31, "Ingress operations on the SRAM"),
	NAMED("IGR_OP_UC", 0x32, "Ingress operations that are not cacheable"),
	NAMED("SPOOF_CRD_EMPTY", 0x35, "Spoofing, with no credit left"),
	NAMED("IDF_NONZERO_NO_BL_CRD", 0x36, "IDF not zero, without a credit for the data ring"),
	NAMED("IDF_NONZERO_NO_VLD", 0x37, "IDF not zero, without a valid entry"),
	NAMED("SPOOF_ASSERT", 0x3a, "Times that spoofing began"),
	NAMED("SPOOF_DEASSERT", 0x3b, "Times that spoofing ended"),
	NAMED("IGR_BID_BLOCKED", 0x3c, "Ingress bids that were blocked"),
	{ .name = "BOUNCE_ASSERT", .code = 0x38, PLAIN_, LIKWID,
	  .help = "Times the C-Box began to send messages back onto the ring because it could not take them" },
	{ .name = "BOUNCE_DEASSERT", .code = 0x39, PLAIN_, LIKWID,
	  .help = "Times the C-Box could take messages off the ring again" },
};

/* In its list for this processor likwid gives these two the codes of COHQ_BYPASS and IMPLICIT_WBS, which it lists as
 * well: more likely a slip than a change. */
#define ON3(code_) .code = (code_), .counters = BIT(3), .max_inc = 1, .dflt = -1
static const struct cat_event bbox_extra[] = {
	{ .name = "COHQ_IMT_ALLOC_WAIT", ON3(0x13), .source = "323535-001 Table 2-24, 2.4.6",
	  .disputed = "likwid prints code 0x0e for this processor, which is COHQ_BYPASS; the Xeon 7500's code is used",
	  .help = "Cycles in which the coherence queue waits for a free entry of the in-flight memory table" },
	{ .name = "IMT_FULL", ON3(0x16), .source = "323535-001 Table 2-24, 2.4.6", .note = "Counts times, not cycles",
	  .disputed = "likwid prints code 0x12 for this processor, which is IMPLICIT_WBS; the Xeon 7500's code is used",
	  .help = "Times a transaction needed an entry of the in-flight memory table and found it full" },
};

/* ------------------------------------------------------------------ S-Box: five C-Boxes on each side */

#define CBOXES \
	{ .name = "CBOX0_5", .value = 0x01, .help = "C-Box 0 at S-Box 0, C-Box 5 at S-Box 1" }, \
	{ .name = "CBOX1_6", .value = 0x02, .help = "C-Box 1 at S-Box 0, C-Box 6 at S-Box 1" }, \
	{ .name = "CBOX2_7", .value = 0x04, .help = "C-Box 2 at S-Box 0, C-Box 7 at S-Box 1" }, \
	{ .name = "CBOX3_8", .value = 0x08, .help = "C-Box 3 at S-Box 0, C-Box 8 at S-Box 1" }, \
	{ .name = "CBOX4_9", .value = 0x10, .help = "C-Box 4 at S-Box 0, C-Box 9 at S-Box 1" }
static const struct cat_umask cbox[] = { CBOXES };
static const struct cat_umask cbox_all[] = {
	CBOXES,
	{ .name = "ALL", .value = 0x1f, .help = "The five C-Boxes of this S-Box" },
};
static const struct cat_umask cbox_one[] = {
	CBOXES,
	{ .name = "ALL", .value = 0x1f, ONE_ONLY },
};

#define LOCAL_MASKS(m, how, d) .umasks = m, .n_umasks = COUNT(m), .combine = CAT_UMASK_BITS, .adds = how, .dflt = d
static const struct cat_event sbox_extra[] = {
	CBOX_QUEUES(cbox_one, cbox_all),
	CBOX_PKTS_DRS(cbox),
	CBOX_PKTS_NCS(cbox),
	CBOX_PKTS_NCB(cbox),
	{ .name = "NO_CREDIT_LOC_NCS", .code = 0x8b, PLAIN_, LIKWID,
	  .help = "Times a local non-coherent standard message had to wait for a credit" },
	{ .name = "TO_R_LOC_NCS_MSGQ_CYCLES_FULL", .code = 0x8c, .max_inc = 1, LOCAL_MASKS(cbox_one, CAT_OR, -1),
	  .one_umask = true, LIKWID,
	  .help = "Cycles in which a C-Box's queue of local non-coherent standard messages has no room" },
	{ .name = "TO_R_LOC_NCS_MSGQ_CYCLES_NE", .code = 0x8d, .max_inc = 1, LOCAL_MASKS(cbox_all, CAT_OR, 5), LIKWID,
	  .help = "Cycles in which a local non-coherent standard message of the chosen C-Boxes waits" },
	{ .name = "TO_R_LOC_NCS_MSGQ_OCCUPANCY", .code = 0x8e, .max_inc = 64, LOCAL_MASKS(cbox_all, CAT_ADDS, 5), LIKWID,
	  QUEUE, .help = "Local non-coherent standard messages of the chosen C-Boxes waiting, added up each cycle" },
	{ .name = "PKTS_RCVD_LOC_NCS", .code = 0x8f, PLAIN_, LIKWID,
	  .help = "Local non-coherent standard packets that the S-Box took" },
	{ .name = "FLITS_SENT_LOC_NCS", .code = 0x90, PLAIN_, LIKWID,
	  .help = "Flits of local non-coherent standard messages that the S-Box sent" },
};

/* ------------------------------------------------------------------ M-Box */

enum { WIDER = 1 };                             /* bits that the fill victim index has more */

static const struct cat_field iss_fields[] = {
	{ "changes_sel", 10, 10, CAT_FIELD, "ISS_SCHED counts 0 changes of the mode, 1 frame beats" },
	{ "sched_mode_pld_trig", 9, 7, CAT_FIELD, "Scheduler mode in which DRAM commands count, if PLD asks for one" },
	{ "sched_mode", 6, 4, CAT_FIELD, "Scheduler mode: 0 trade-off, 1 reads first, 2 writes first, 3 adaptive" },
	{ "frm_type", 3, 0, CAT_FIELD, "Frame: 0 3CMD, 1 WDAT, 2 SYNC, 3 CHNL, 8 NOP, 12 1CMD" },
};
static const struct cat_field map_fields[] = {
	{ "cmd", 9, 6, CAT_FIELD, "B-Box command, 8: all" },
	{ "fvid", 5, 0, CAT_FIELD, "Fill victim index" },
};
static const struct cat_field pgt_fields[] = {
	{ "ev2_sel", 11, 11, CAT_FIELD, "PGT_PAGE_EV2 counts 0 automatic closes, 1 accesses to an empty bank" },
	{ "state_sel", 6, 6, CAT_FIELD, "Page state: 0 closed, 1 open" },
	{ "opn2cls_sel", 0, 0, CAT_FIELD, "Page change: 0 open to closed, 1 closed to open" },
};
static const struct cat_field pld_fields[] = {
	{ "misc_cmd", 23, 19, CAT_FIELD, "DRAM command of DRAM_MISC, if misc_cmd_en is 1" },
	{ "misc_non_nop", 18, 18, CAT_FIELD, "DRAM_MISC counts commands but no-operations and trickles" },
	{ "misc_valid", 17, 17, CAT_FIELD, "DRAM_MISC counts valid commands" },
	{ "misc_cmd_en", 16, 16, CAT_FIELD, "DRAM_MISC counts the command that misc_cmd names" },
	{ "cmd", 12, 8, CAT_FIELD, "DRAM command" },
	{ "retry_fvid", 7, 7, CAT_FIELD, "DRAM_MISC counts retries of one fill victim index only" },
	{ "sched_cond_en", 0, 0, CAT_FIELD, "1: only in the scheduler mode that ISS names" },
};
static const struct cat_field fvc_fields[] = {
	{ "pbox_init_err", 24, 24, CAT_FIELD, "Link initialisation errors" },
	{ "evnt3", 23, 21, CAT_FIELD, "Event of inc_sel 0x10" },
	{ "evnt2", 20, 18, CAT_FIELD, "Event of inc_sel 0x0f" },
	{ "evnt1", 17, 15, CAT_FIELD, "Event of inc_sel 0x0e" },
	{ "evnt0", 14, 12, CAT_FIELD, "Event of inc_sel 0x0d: 0-4 errors and frames, 5 bcmd, 6 resp, 7 trigger" },
	{ "resp", 11, 9, CAT_FIELD, "Response to the B-Box" },
	{ "bcmd", 8, 6, CAT_FIELD, "Command of the B-Box" },
	{ "fvid", 5, 0, CAT_FIELD, "Fill victim index" },
};
static const struct cat_relaid mbox_relaid[] = {
	{ ID_ISS, COUNT(iss_fields), iss_fields }, { ID_MAP, COUNT(map_fields), map_fields },
	{ ID_PGT, COUNT(pgt_fields), pgt_fields }, { ID_PLD, COUNT(pld_fields), pld_fields },
	{ ID_FVC, COUNT(fvc_fields), fvc_fields },
};

#define PLACES(p) .places = p, .n_places = COUNT(p)
static const struct cat_place fvc0_places[] = { FVC(0, WIDER), FVC(1, WIDER), FVC(2, WIDER), FVC(3, WIDER) };
static const struct cat_place fvc1_places[] = { FVC(1, WIDER), FVC(2, WIDER), FVC(3, WIDER), FVC(0, WIDER) };
static const struct cat_place fvc2_places[] = { FVC(2, WIDER), FVC(3, WIDER), FVC(0, WIDER), FVC(1, WIDER) };
static const struct cat_place fvc3_places[] = { FVC(3, WIDER), FVC(0, WIDER), FVC(1, WIDER), FVC(2, WIDER) };
static const struct cat_key fvc_keys[] = { FVID_KEY(T_FVID, WIDER) };
#define FVC_KEYS .keys = fvc_keys, .n_keys = COUNT(fvc_keys), .name = "FVC sub-control of the M-Box"
static const struct cat_route fvc0 = { PLACES(fvc0_places), FVC_KEYS };
static const struct cat_route fvc1 = { PLACES(fvc1_places), FVC_KEYS };
static const struct cat_route fvc2 = { PLACES(fvc2_places), FVC_KEYS };
static const struct cat_route fvc3 = { PLACES(fvc3_places), FVC_KEYS };

static const struct cat_place map_place[] = { MAP(WIDER) };
static const struct cat_key map_keys[] = { FVID_KEY(T_MAP_FVID, WIDER) };
static const struct cat_route map = { PLACES(map_place), .keys = map_keys, .n_keys = COUNT(map_keys),
	.name = "MAP sub-control of the M-Box" };

static const struct cat_place iss_place[] = { { .code = 0x08, .t = { { ID_ISS, 10, 10 } } } };
static const struct cat_route iss = { PLACES(iss_place), .name = "ISS sub-control of the M-Box" };
static const struct cat_place pgt_place[] = { { .code = 0x15, .t = { { ID_PGT, 11, 11 } } } };
static const struct cat_route pgt = { PLACES(pgt_place), .name = "PGT sub-control of the M-Box" };

enum { T_MISC_CMD, T_MISC_HOW, T_MISC_RETRY };  /* PLD 23:19; 18:16; 7 */
static const struct cat_place misc_place[] = {
	{ .code = 0x0b, .t = { [T_MISC_CMD] = { ID_PLD, 23, 19 }, [T_MISC_HOW] = { ID_PLD, 18, 16 },
	  [T_MISC_RETRY] = { ID_PLD, 7, 7 } } },
};
static const struct cat_route misc = { PLACES(misc_place), .name = "PLD sub-control of the M-Box" };

#define SET0(v) .set = SET(BIT(0), { v })
static const struct cat_umask sched_umasks[] = {
	{ .name = "CHANGES", .value = 1, SET0(0), .help = "Changes of the mode" },
	{ .name = "FRAME_BEAT", .value = 2, SET0(1), .help = "Beats of frames" },
};
static const struct cat_umask page_umasks[] = {
	{ .name = "AUTO_CLS", .value = 1, SET0(0), .help = "Pages closed automatically" },
	{ .name = "PAGE_EMPTY", .value = 2, SET0(1), .help = "Accesses that found no page open" },
};
#define HOW(order, n, how, retry, text) \
	{ .name = n, .value = order, .help = text, .set = SET(BIT(T_MISC_HOW) | BIT(T_MISC_RETRY), \
	  { [T_MISC_HOW] = how, [T_MISC_RETRY] = retry }) }
#define COMMAND(order, n, c, text) \
	{ .name = n, .value = order, .help = text, .set = SET(BIT(T_MISC_CMD) | BIT(T_MISC_HOW) | BIT(T_MISC_RETRY), \
	  { [T_MISC_CMD] = c, [T_MISC_HOW] = 1 }) }
static const struct cat_umask misc_umasks[] = {
	HOW(1, "RETRIES_ALL", 0, 0, "Commands that had to be sent again"),
	HOW(2, "RETRIES_FVID", 0, 1, "The same for one fill victim index"),
	HOW(3, "VALID", 2, 0, "Valid commands"),
	HOW(4, "NON_NOP_TRKL", 4, 0, "All but no-operations and trickles"),
	COMMAND(5, "ILLEGAL", 0x00, "Illegal commands"),
	COMMAND(6, "PREALL", 0x01, "Precharge all banks"),
	COMMAND(7, "RAS", 0x02, "Open a row"),
	COMMAND(8, "CAS_RD_OPN", 0x03, "Read, page stays open"),
	COMMAND(9, "CAS_WR_OPN", 0x04, "Write, page stays open"),
	COMMAND(10, "CAS_RD_CLS", 0x05, "Read, then close the page"),
	COMMAND(11, "CAS_WR_CLS", 0x06, "Write, then close the page"),
	COMMAND(12, "MRS", 0x07, "Set a mode register of the DRAM"),
	COMMAND(13, "RFR", 0x09, "Refresh the DRAM"),
	COMMAND(14, "ENSR", 0x0a, "Enter self-refresh"),
	COMMAND(15, "EXSR", 0x0b, "Leave self-refresh"),
	COMMAND(16, "NOP", 0x0c, "No operation"),
	COMMAND(17, "TRKL", 0x10, "Trickle commands"),
	COMMAND(18, "PRE", 0x11, "Precharge one bank"),
	COMMAND(19, "SYNC", 0x12, "Synchronise"),
	COMMAND(20, "CKE_HI", 0x14, "Clock enable high"),
	COMMAND(21, "CKE_LO", 0x15, "Clock enable low"),
	COMMAND(22, "SOFT_RST", 0x17, "Soft reset"),
	COMMAND(23, "WR_CFG", 0x1c, "Write a configuration register"),
	COMMAND(24, "RD_CFG", 0x1d, "Read a configuration register"),
	COMMAND(25, "ZQCAL", 0x1e, "Calibrate the outputs"),
};

#define ONE(r, m, d) .max_inc = 1, .route = &r, .combine = CAT_UMASK_ONE, .umasks = m, .n_umasks = COUNT(m), .dflt = d
#define FVC_EVENT(n, which) \
	{ .name = "FVC_EV" #n, .code = 0x0d + n, ONE(fvc##n, nehalem_ex_m_fvc_umasks, -1), \
	  .set = SET(BIT(T_FVID) | BIT(T_INIT_ERR), { 0 }), .source = "Linux uncore_nhmex.c, PCM, likwid", \
	  .note = "Each of the four takes any of the four FVC fields; all share command, response and fvid. Reads " \
		"include InvItoE", \
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the " which " of four event fields" }
static const struct cat_event mbox_extra[] = {
	{ .name = "ISS_SCHED", .code = 0x08, ONE(iss, sched_umasks, -1), .alias = TEXTS("SCHED_MODE_CHANGES"), LIKWID,
	  .help = "What the scheduler that weighs reads against writes does" },
	{ .name = "DRAM_MISC", .code = 0x0b, ONE(misc, misc_umasks, 0), .alias = TEXTS("RETRIES"), LIKWID,
	  .help = "Commands to the DRAM of the chosen kind, or that had to be sent again" },
	FVC_EVENT(0, "first"), FVC_EVENT(1, "second"), FVC_EVENT(2, "third"), FVC_EVENT(3, "fourth"),
	{ .name = "PGT_PAGE_EV2", .code = 0x15, ONE(pgt, page_umasks, 1), .alias = TEXTS("PAGE_EMPTY"), LIKWID,
	  .help = "Automatic closes of a page, or accesses that found no page open in their bank" },
	{ .name = "BCMD_SCHEDQ_OCCUPANCY", .ctl = CTL_FLAG(6), ONE(map, nehalem_ex_m_queued_umasks, 8),
	  .set = SET(BIT(T_MAP_FVID), { 0 }), .source = "likwid, with the field one bit higher than 323535-001 Table 2-93",
	  .disputed = "ALL: likwid keeps three bits of 8 and so writes 0, which is READS; the guide's 8 is used",
	  .help = "B-Box commands of the chosen kind waiting in the scheduler" },
};
static const char *const mbox_absent[] = { "SCHED_MODE_CHANGES", "RETRIES", "PAGE_EMPTY", NULL };

/* ------------------------------------------------------------------ processor */

/* The uncore runs at up to 2.67 GHz, as the Xeon 7500's; no source gives the M-Box's own clock. */
#define MAX_HZ  2670000000
#define UNCLK   .clock = "wbox/CLOCKTICKS", .max_hz = MAX_HZ
#define ROWS(box) \
	.regs = nehalem_ex_##box##_regs, .n_regs = COUNT(nehalem_ex_##box##_regs), \
	.events = nehalem_ex_##box##_events, .n_events = COUNT(nehalem_ex_##box##_events), \
	.space = SPACE_MSR, .width = 48
#define UNITS(box) .units = nehalem_ex_##box##_units, .n_units = COUNT(nehalem_ex_##box##_units)
#define EXTRA(list) .extra = list, .n_extra = COUNT(list)

static const struct cat_box boxes[] = {
	{ NEHALEM_EX_UBOX, ROWS(ubox), UNITS(ubox), UNCLK, EXTRA(ubox_extra) },
	{ NEHALEM_EX_CBOX, ROWS(cbox), UNCLK, EXTRA(cbox_extra), .units = cbox_units, .n_units = COUNT(cbox_units) },
	{ NEHALEM_EX_BBOX, ROWS(bbox), UNITS(bbox), UNCLK, EXTRA(bbox_extra) },
	{ NEHALEM_EX_SBOX, ROWS(sbox), UNITS(sbox), UNCLK, EXTRA(sbox_extra) },
	{ NEHALEM_EX_RBOX, ROWS(rbox), UNITS(rbox), UNCLK },
	{ NEHALEM_EX_MBOX, ROWS(mbox), UNITS(mbox), .clock = "mbox/CYCLES", .max_hz = MAX_HZ, EXTRA(mbox_extra),
	  .absent = mbox_absent, .relaid = mbox_relaid, .n_relaid = COUNT(mbox_relaid) },
	{ NEHALEM_EX_WBOX, ROWS(wbox), UNITS(wbox), UNCLK },
};

/* Ten C-Boxes leave no room for the links of the Xeon 7500's groups below 100 series. */
static const struct cat_group groups[] = {
	{ "memory", (const char *const[]){
		"wbox/CLOCKTICKS", "bbox/IMT_VALID_OCCUPANCY", "bbox/IMT_INSERTS_ALL", "bbox/CONFLICTS",
		NULL } },
	{ "llc", (const char *const[]){
		"cbox/LLC_HITS:ALL", "cbox/LLC_MISSES:ALL",
		NULL } },
};

static const struct cat_id ids[] = {
	{ 6, 0x2f },
};

const struct cat_processor cat_westmere_ex = {
	.name = "westmere-ex",
	.title = "Intel Xeon E7-2800, 4800, 8800 (Westmere-EX)",
	.ids = ids, .n_ids = COUNT(ids),
	.cores = 10,
	.global = NEHALEM_EX_GLOBAL,
	.boxes = boxes, .n_boxes = COUNT(boxes),
	.metrics = nehalem_ex_metrics, .n_metrics = COUNT(nehalem_ex_metrics),
	.overflows = nehalem_ex_overflows, .n_overflows = COUNT(nehalem_ex_overflows),
	.groups = groups, .n_groups = COUNT(groups),
	.source = "323535-001, Linux uncore_nhmex.c, likwid",
};
