/* nehalem_ex_mbox.c - M-Box of the Xeon 7500: memory controller, six counters.
 *
 * Owns:  its registers, the routes to its sub-controls, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A counter selects an event with inc_sel, or, with flag_mode set, with set_flag_sel. Many events are
 * refined by a sub-control register (DSP, ISS, MAP, THR, PGT, PLD, FVC) that the six counters share,
 * DRAM commands by an address filter too. Of the four FVC fields each belongs to one value of inc_sel.
 *
 * The pages of 323535-001 about this box were at hand in parts; the rest is as Linux (uncore_nhmex.c),
 * Intel PCM and likwid program it. Register names follow the guide's list of tables.
 */
#include "config.h"

#include "catalog/nehalem_ex.h"

enum { ID_MATCH = 1, ID_MASK, ID_MM_CFG, ID_DSP, ID_ISS, ID_MAP, ID_THR, ID_PGT, ID_PLD, ID_FVC };

/* FVC has four event fields, one for each inc_sel 0x0d..0x10; what else it holds is common to all four. Above the
 * fill victim index everything sits `up` bits higher where that index is wider. */
enum { T_EVNT, T_BCMD, T_RESP, T_FVID, T_INIT_ERR };
#define FVC(n, up) { .code = 0x0d + (n), .t = { \
	[T_EVNT] = { ID_FVC, 13 + 3 * (n) + (up), 11 + 3 * (n) + (up) }, \
	[T_BCMD] = { ID_FVC, 7 + (up), 5 + (up) }, [T_RESP] = { ID_FVC, 10 + (up), 8 + (up) }, \
	[T_FVID] = { ID_FVC, 4 + (up), 0 }, [T_INIT_ERR] = { ID_FVC, 23 + (up), 23 + (up) } } }
enum { T_MAP_CMD, T_MAP_FVID };
#define MAP(up) { .code = 0x00, .t = { [T_MAP_CMD] = { ID_MAP, 8 + (up), 5 + (up) }, \
	[T_MAP_FVID] = { ID_MAP, 4 + (up), 0 } } }
#define FVID_KEY(target_, up) \
	{ .name = "fvid", .target = (target_), .hi = 4 + (up), .lo = 0, \
	  .help = "Fill victim index: the controller's number of a transaction" }

/* flag_mode and set_flag_sel of the control word. */
#define CTL_FLAG(sel) (BIT(7) | (uint64_t)(sel) << 19)

/* ------------------------------------------------------------------ registers */

static const struct cat_field box_fields[] = {
	{ "ctr_en", 5, 0, CAT_FIELD, "Bit n enables counter n" },
};

static const struct cat_field status_fields[] = {
	{ "ov", 5, 0, CAT_FIELD, "Bit n: counter n overflowed" },
};

static const struct cat_field ovf_fields[] = {
	{ "clr_ov", 5, 0, CAT_FIELD_PULSE, "Write 1 to clear ov" },
};

static const struct cat_field timestamp_fields[] = {
	{ "timestamp", 15, 0, CAT_FIELD, "Runs freely with the clock of the M-Box" },
};

static const struct cat_field ctl_fields[] = {
	{ "rsv", 62, 61, CAT_FIELD_RSV, NULL },
	{ "rsv", 24, 22, CAT_FIELD_RSV, NULL },
	{ "set_flag_sel", 21, 19, CAT_FIELD, "Event, if flag_mode is 1" },
	{ "rsv", 18, 14, CAT_FIELD_RSV, NULL },
	{ "inc_sel", 13, 9, CAT_FIELD, "Event, if flag_mode is 0" },
	{ "rsv", 8, 8, CAT_FIELD_RSV, NULL },
	{ "flag_mode", 7, 7, CAT_FIELD, "1: set_flag_sel selects the event" },
	{ "wrap_mode", 6, 6, CAT_FIELD, "How the counter wraps: 1 as PCM and likwid set it" },
	{ "storage_mode", 5, 4, CAT_FIELD, "0" },
	{ "count_mode", 3, 2, CAT_FIELD, "0" },
	{ "pmi_en", 1, 1, CAT_FIELD, "Sends a PMI when the counter overflows" },
	{ "en", 0, 0, CAT_FIELD, "Enables this counter" },
};

static const struct cat_field ctr_fields[] = {
	{ "event_count", 47, 0, CAT_FIELD, "The count" },
};

static const struct cat_field match_fields[] = {
	{ "match_addr", 33, 0, CAT_FIELD, "Address" },
};

static const struct cat_field mask_fields[] = {
	{ "addr_mask", 26, 0, CAT_FIELD, "Mask of the address from bit 6 up" },
};

static const struct cat_field mm_cfg_fields[] = {
	{ "mm_en", 63, 63, CAT_FIELD, "1: the address filter is on" },
};

static const struct cat_field dsp_fields[] = {
	{ "fill_sel", 10, 7, CAT_FIELD, "Queue state: 1 reads full, 2 writes full, 4 reads "
		"empty, 8 writes empty" },
};

static const struct cat_field iss_fields[] = {
	{ "sched_mode_pld_trig", 9, 7, CAT_FIELD, "Scheduler mode in which DRAM commands count, "
		"if PLD asks for one" },
	{ "sched_mode", 6, 4, CAT_FIELD, "Scheduler mode: 0 trade-off, 1 reads first, 2 writes "
		"first, 3 adaptive" },
	{ "frm_type", 3, 0, CAT_FIELD, "Frame: 0 3CMD, 1 WDAT, 2 SYNC, 3 CHNL, 8 NOP, 12 1CMD" },
};

static const struct cat_field map_fields[] = {
	{ "cmd", 8, 5, CAT_FIELD, "B-Box command, 8: all" },
	{ "fvid", 4, 0, CAT_FIELD, "Fill victim index" },
};

static const struct cat_field thr_fields[] = {
	{ "trp_pt_dn_cnd", 10, 9, CAT_FIELD, "Trip point on the way down: 0 LT_LO, 1 GT_LO, 2 "
		"GT_MID_FALL, 3 GT_MID_RISE" },
	{ "trp_pt_up_cnd", 8, 7, CAT_FIELD, "Trip point on the way up, same values" },
	{ "dimm_sel", 6, 4, CAT_FIELD, "The DIMM, if all_dimms is 0" },
	{ "all_dimms", 3, 3, CAT_FIELD, "1: any DIMM" },
};

static const struct cat_field pgt_fields[] = {
	{ "state_sel", 6, 6, CAT_FIELD, "Page state: 0 closed, 1 open" },
	{ "opn2cls_sel", 0, 0, CAT_FIELD, "Page change: 0 open to closed, 1 closed to open" },
};

static const struct cat_field pld_fields[] = {
	{ "cmd", 12, 8, CAT_FIELD, "DRAM command" },
	{ "sched_cond_en", 0, 0, CAT_FIELD, "1: only in the scheduler mode that ISS names" },
};

static const struct cat_field fvc_fields[] = {
	{ "pbox_init_err", 23, 23, CAT_FIELD, "Link initialisation errors" },
	{ "evnt3", 22, 20, CAT_FIELD, "Event of inc_sel 0x10" },
	{ "evnt2", 19, 17, CAT_FIELD, "Event of inc_sel 0x0f" },
	{ "evnt1", 16, 14, CAT_FIELD, "Event of inc_sel 0x0e" },
	{ "evnt0", 13, 11, CAT_FIELD, "Event of inc_sel 0x0d: 0-4 errors and frames, 5 "
		"bcmd, 6 resp, 7 trigger" },
	{ "resp", 10, 8, CAT_FIELD, "Response to the B-Box" },
	{ "bcmd", 7, 5, CAT_FIELD, "Command of the B-Box" },
	{ "fvid", 4, 0, CAT_FIELD, "Fill victim index" },
};

#define F(f)  .fields = f, .n_fields = COUNT(f)
#define SUB   .role = CAT_SUB, .access = CAT_RW, .count = 1, .bytes = 8
#define MM    .role = CAT_FILTER, .access = CAT_RW, .bank = 1, .count = 1, .bytes = 8
#define KL    "; Linux uncore_nhmex.c, likwid"

/* The address filter stands before the sub-controls and its switch after match and mask: so they are
 * written with the filter off, as Linux does, and a plain event leaves them alone. */
static const struct cat_reg regs[] = {
	{ .name = "MB%u_CR_M_MSR_PERF_GLOBAL_CTL", .role = CAT_BOX_CTL, .access = CAT_RW, .count = 6,
	  .bytes = 4, .off = 0x00,
	  F(box_fields), .source = "323535-001 Tables 1-2, 2-64 (p 2-100)" KL ", PCM" },
	{ .name = "MB%u_CR_M_MSR_PERF_GLOBAL_STATUS", .role = CAT_STATUS, .access = CAT_RW, .count = 6,
	  .bytes = 4, .off = 0x01,
	  F(status_fields), .source = "323535-001 Tables 1-2, 2-65 (p 2-100); likwid" },
	{ .name = "MB%u_CR_M_MSR_PERF_GLOBAL_OVF_CTL", .role = CAT_OVF_CTL, .access = CAT_WO, .count = 6,
	  .bytes = 4, .off = 0x02,
	  F(ovf_fields), .source = "323535-001 Tables 1-2, 2-66 (p 2-100); likwid" },
	{ .name = "MB%u_CR_M_MSR_PMU_TIMESTAMP_UNIT", .role = CAT_OTHER, .access = CAT_RO, .count = 1,
	  .bytes = 8, .off = 0x04,
	  F(timestamp_fields), .source = "323535-001 Table 2-69 (p 2-101); likwid" },

	{ .name = "MB%u_CR_M_MSR_PMU_ADDR_MATCH", .id = ID_MATCH, MM, .off = 1, F(match_fields),
	  .source = "323535-001 Tables 1-2, 2-71" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_ADDR_MASK", .id = ID_MASK, MM, .off = 2, F(mask_fields),
	  .source = "323535-001 Tables 1-2, 2-72" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_MM_CFG", .id = ID_MM_CFG, MM, .off = 0, .gate = BIT(63),
	  F(mm_cfg_fields),
	  .source = "323535-001 Tables 1-2, 2-70" KL },

	{ .name = "MB%u_CR_M_MSR_PMU_DSP", .id = ID_DSP, SUB, .off = 0x05, F(dsp_fields),
	  .source = "323535-001 Table 2-73" KL },
	{ .name = "MB%u_CR_M_CSR_ISS_PMU", .id = ID_ISS, SUB, .off = 0x06, F(iss_fields),
	  .source = "323535-001 Table 2-74" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_MAP", .id = ID_MAP, SUB, .off = 0x07, F(map_fields),
	  .source = "323535-001 Tables 2-75, 2-93" KL },
	{ .name = "MB%u_CR_M_CSR_PMU_MA_MSC_THR", .id = ID_THR, SUB, .off = 0x08, F(thr_fields),
	  .source = "323535-001 Tables 2-76, 2-77" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_PGT", .id = ID_PGT, SUB, .off = 0x09, F(pgt_fields),
	  .source = "323535-001 Table 2-78" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_PLD", .id = ID_PLD, SUB, .off = 0x0a, F(pld_fields),
	  .source = "323535-001 Table 2-79" KL },
	{ .name = "MB%u_CR_M_MSR_PMU_ZDP_CTL_FVC", .id = ID_FVC, SUB, .off = 0x0b, F(fvc_fields),
	  .source = "323535-001 Tables 2-80, 2-81 to 2-83, 2-89" KL ", PCM" },

	{ .name = "MB%u_CR_M_MSR_PMU_CNT_CTL%n", .role = CAT_CTL, .access = CAT_RW, .count = 6,
	  .bytes = 8, .step = 2, .off = 0x10,
	  F(ctl_fields), .source = "323535-001 Tables 1-2, 2-67 (p 2-101)" KL ", PCM" },
	{ .name = "MB%u_CR_M_MSR_PMU_CNT_%n", .role = CAT_CTR, .access = CAT_RW, .count = 6, .bytes = 8,
	  .step = 2, .off = 0x11,
	  F(ctr_fields), .source = "323535-001 Tables 1-2, 2-68 (p 2-101)" KL ", PCM" },
};

static const struct cat_unit units[] = {
	{ .base = { 0xca0, 0xe54 } },
	{ .base = { 0xce0, 0xe5c } },
};

/* ------------------------------------------------------------------ routes */

#define PLACES(p) .places = p, .n_places = COUNT(p)
#define KEYS(k) .keys = k, .n_keys = COUNT(k)

static const struct cat_place dsp_place[] = { { .code = 0x00, .t = { { ID_DSP, 10, 7 } } } };
static const struct cat_route dsp = { PLACES(dsp_place), .name = "DSP sub-control of the M-Box" };

enum { T_CONDITION, T_ALL, T_DIMM };
static const struct cat_place thr_up_place[] = {
	{ .code = 0x04, .t = { [T_CONDITION] = { ID_THR, 8, 7 }, [T_ALL] = { ID_THR, 3, 3 },
	  [T_DIMM] = { ID_THR, 6, 4 } } },
};
static const struct cat_place thr_dn_place[] = {
	{ .code = 0x05, .t = { [T_CONDITION] = { ID_THR, 10, 9 }, [T_ALL] = { ID_THR, 3, 3 },
	  [T_DIMM] = { ID_THR, 6, 4 } } },
};
static const struct cat_route thr_up = { PLACES(thr_up_place), .name = "THR sub-control of the M-Box" };
static const struct cat_route thr_dn = { PLACES(thr_dn_place), .name = "THR sub-control of the M-Box" };

static const struct cat_place frame_place[] = { { .code = 0x09, .t = { { ID_ISS, 3, 0 } } } };
static const struct cat_place mode_place[] = { { .code = 0x00, .t = { { ID_ISS, 6, 4 } } } };
static const struct cat_route frame = { PLACES(frame_place), .name = "ISS sub-control of the M-Box" };
static const struct cat_route mode = { PLACES(mode_place), .name = "ISS sub-control of the M-Box" };

static const struct cat_place page_place[] = { { .code = 0x16, .t = { { ID_PGT, 0, 0 } } } };
static const struct cat_place state_place[] = { { .code = 0x00, .t = { { ID_PGT, 6, 6 } } } };
static const struct cat_route page = { PLACES(page_place), .name = "PGT sub-control of the M-Box" };
static const struct cat_route state = { PLACES(state_place), .name = "PGT sub-control of the M-Box" };

/* DRAM commands and retries; without the key `address` the filter is off. */
enum { T_CMD, T_COND_EN, T_MODE, T_MM_EN, T_MATCH, T_MASK };
#define FILTER [T_MM_EN] = { ID_MM_CFG, 63, 63 }, [T_MATCH] = { ID_MATCH, 33, 0 }, \
	[T_MASK] = { ID_MASK, 26, 0 }
static const struct cat_place dram_place[] = {
	{ .code = 0x0a, .t = { [T_CMD] = { ID_PLD, 12, 8 }, [T_COND_EN] = { ID_PLD, 0, 0 },
	  [T_MODE] = { ID_ISS, 9, 7 }, FILTER } },
};
static const struct cat_place retry_place[] = { { .code = 0x0b, .t = { FILTER } } };
static const struct cat_key address_keys[] = {
	{ .name = "address", .target = T_MATCH, .hi = 33, .lo = 0, .hex = true, .owns = BIT(T_MASK),
	  .also = true, .also_target = T_MM_EN, .also_value = 1,
	  .help = "Count only at this address (34 bits of the address match register); "
		"switches the filter on" },
	{ .name = "address_mask", .target = T_MASK, .hi = 26, .lo = 0, .hex = true, .needs = "address",
	  .help = "Address mask register, read as 1 = do not compare, 0 compares all bits; width and "
		"polarity are disputed" },
};
static const struct cat_route dram = { PLACES(dram_place), KEYS(address_keys),
	.name = "PLD and ISS sub-controls of the M-Box" };
static const struct cat_route retry = { PLACES(retry_place), KEYS(address_keys),
	.name = "address filter of the M-Box" };

static const struct cat_place fvc0_places[] = { FVC(0, 0), FVC(1, 0), FVC(2, 0), FVC(3, 0) };
static const struct cat_place fvc1_places[] = { FVC(1, 0), FVC(2, 0), FVC(3, 0), FVC(0, 0) };
static const struct cat_place fvc2_places[] = { FVC(2, 0), FVC(3, 0), FVC(0, 0), FVC(1, 0) };
static const struct cat_place fvc3_places[] = { FVC(3, 0), FVC(0, 0), FVC(1, 0), FVC(2, 0) };
static const struct cat_key fvc_keys[] = { FVID_KEY(T_FVID, 0) };
#define FVC_NAME .name = "FVC sub-control of the M-Box"
static const struct cat_route fvc0 = { PLACES(fvc0_places), KEYS(fvc_keys), FVC_NAME };
static const struct cat_route fvc1 = { PLACES(fvc1_places), KEYS(fvc_keys), FVC_NAME };
static const struct cat_route fvc2 = { PLACES(fvc2_places), KEYS(fvc_keys), FVC_NAME };
static const struct cat_route fvc3 = { PLACES(fvc3_places), KEYS(fvc_keys), FVC_NAME };

static const struct cat_place map_place[] = { MAP(0) };
static const struct cat_key map_keys[] = { FVID_KEY(T_MAP_FVID, 0) };
static const struct cat_route map = { PLACES(map_place), KEYS(map_keys),
	.name = "MAP sub-control of the M-Box" };

/* ------------------------------------------------------------------ unit masks
 * All are numbers in a sub-control: `value` only orders them. */

#define SET0(v) .set = SET(BIT(0), { v })

static const struct cat_umask fill[] = {
	{ .name = "RDQ_FULL", .value = 1, SET0(1), .help = "The read queue is full" },
	{ .name = "WRQ_FULL", .value = 2, SET0(2), .help = "The write queue is full" },
	{ .name = "RDQ_EMPTY", .value = 3, SET0(4), .help = "The read queue is empty" },
	{ .name = "WRQ_EMPTY", .value = 4, SET0(8), .help = "The write queue is empty" },
};

#define DIMM_OPEN .disputed = "DIMM select 1 to 4 for DIMM 0 to 3 as likwid writes " \
		"it; 0 to 3 is as likely"
#define DIMM(order, text, n, c, where) \
	{ .name = "DIMM" #n "_" text, .value = order, .help = "DIMM " #n where, DIMM_OPEN, \
	  .set = SET(BIT(T_CONDITION) | BIT(T_ALL) | BIT(T_DIMM), { [T_CONDITION] = c, \
	  [T_DIMM] = n + 1 }) }
#define TRIP(order, text, c, where) \
	{ .name = "ALL_" text, .value = order, .help = "Any DIMM" where, \
	  .set = SET(BIT(T_CONDITION) | BIT(T_ALL), { [T_CONDITION] = c, [T_ALL] = 1 }) }, \
	DIMM(order + 1, text, 0, c, where), DIMM(order + 2, text, 1, c, where), \
	DIMM(order + 3, text, 2, c, where), DIMM(order + 4, text, 3, c, where)
static const struct cat_umask trip[] = {
	TRIP(1, "LT_LO", 0, ", below the low point"),
	TRIP(6, "GT_LO", 1, ", above the low point"),
	TRIP(11, "GT_MID_FALL", 2, ", above the middle point while falling"),
	TRIP(16, "GT_MID_RISE", 3, ", above the middle point while rising"),
};

static const struct cat_umask frames[] = {
	{ .name = "3CMD", .value = 1, SET0(0), .help = "Frames of three commands" },
	{ .name = "WDAT", .value = 2, SET0(1), .help = "Frames of write data" },
	{ .name = "SYNC", .value = 3, SET0(2), .help = "Synchronisation frames" },
	{ .name = "CHNL", .value = 4, SET0(3), .help = "Channel frames" },
	{ .name = "NOP", .value = 5, SET0(8), .help = "Frames without content" },
	{ .name = "1CMD", .value = 6, SET0(12), .help = "Frames of one command" },
};

/* A DRAM command in any scheduler mode, and the same in each of four modes. */
#define CMD(order, n, c, text) \
	{ .name = n, .value = order, .set = SET(BIT(T_CMD), { [T_CMD] = c }), .help = text }
#define IN_MODE(order, n, c, m, text) \
	{ .name = n, .value = order, .help = text, \
	  .set = SET(BIT(T_CMD) | BIT(T_COND_EN) | BIT(T_MODE), { [T_CMD] = c, [T_COND_EN] = 1, \
	  [T_MODE] = m }) }
#define MODES(order, n, c, text) CMD(order, n, c, text), \
	IN_MODE(order + 1, n "_TRDOFF", c, 0, text ", scheduler in trade-off mode"), \
	IN_MODE(order + 2, n "_RDPRIO", c, 1, text ", scheduler preferring reads"), \
	IN_MODE(order + 3, n "_WRPRIO", c, 2, text ", scheduler preferring writes"), \
	IN_MODE(order + 4, n "_ADAPTIVE", c, 3, text ", scheduler in adaptive mode")
#define SAME_CODE .disputed = "likwid gives ALL and ILLEGAL the same code 0: one of them is wrong"
/* likwid's ALL_TRDOFF to ALL_ADAPTIVE are left out: they have a scheduler mode without the bit that the modes of all
 * other commands have, which lets the mode be looked at; so each would count what ALL counts, and that is open. */
static const struct cat_umask commands[] = {
	{ .name = "ALL", .value = 1, .set = SET(BIT(T_CMD), { 0 }), .help = "All commands", SAME_CODE },
	{ .name = "ILLEGAL", .value = 2, .set = SET(BIT(T_CMD), { 0 }), .help = "Illegal commands",
	  SAME_CODE },
	MODES(3, "PREALL", 0x01, "Precharge all banks"),
	MODES(8, "RAS", 0x02, "Open a row"),
	CMD(13, "CAS_RD_OPN", 0x03, "Read, page stays open"),
	MODES(14, "CAS_WR_OPN", 0x04, "Write, page stays open"),
	MODES(19, "CAS_RD_CLS", 0x05, "Read, then close the page"),
	MODES(24, "CAS_WR_CLS", 0x06, "Write, then close the page"),
	CMD(29, "MRS", 0x07, "Set a mode register of the DRAM"),
	CMD(30, "RFR", 0x09, "Refresh the DRAM"),
	CMD(31, "ENSR", 0x0a, "Enter self-refresh"),
	CMD(32, "EXSR", 0x0b, "Leave self-refresh"),
	CMD(33, "NOP", 0x0c, "No operation"),
	CMD(34, "TRKL", 0x10, "Trickle commands"),
	CMD(35, "PRE", 0x11, "Precharge one bank"),
	CMD(36, "SYNC", 0x12, "Synchronise"),
	CMD(37, "CKE_HI", 0x14, "Clock enable high"),
	CMD(38, "CKE_LO", 0x15, "Clock enable low"),
	CMD(39, "SOFT_RST", 0x17, "Soft reset"),
	CMD(40, "WR_CFG", 0x1c, "Write a configuration register"),
	CMD(41, "RD_CFG", 0x1d, "Read a configuration register"),
	CMD(42, "ZQCAL", 0x1e, "Calibrate the outputs"),
};

static const struct cat_umask retries[] = {
	{ .name = "ALL", .value = 1, .help = "All of them",
	  .disputed = "No source states what the PLD sub-control must hold for this event: "
		"it is left as it is" },
};

#define EVNT(order, n, e, text) { .name = n, .value = order, .set = SET(BIT(T_EVNT), { [T_EVNT] = e }), \
	.help = text }
#define BCMD(order, n, c, text) \
	{ .name = n, .value = order, .set = SET(BIT(T_EVNT) | BIT(T_BCMD), { [T_EVNT] = 5, [T_BCMD] = c }), \
	  .help = text }
#define RESP(order, n, r, text) \
	{ .name = n, .value = order, .set = SET(BIT(T_EVNT) | BIT(T_RESP), { [T_EVNT] = 6, [T_RESP] = r }), \
	  .help = text }
static const struct cat_umask fvc_umasks[] = {
	EVNT(1, "SMI_CRC_ERR", 0, "Checksum errors on the link to the memory buffers"),
	EVNT(2, "MEM_ECC_ERR", 1, "ECC errors of the memory"),
	EVNT(3, "POISON_TXN", 2, "Transactions with poisoned data"),
	EVNT(4, "ALERT_FRAMES", 3, "Alert frames from the memory buffers"),
	EVNT(5, "FAST_RESET", 4, "Fast resets of the memory link"),
	BCMD(6, "BBOX_CMDS_READS", 0, "Reads asked for by the B-Box, InvItoE included"),
	BCMD(7, "BBOX_CMDS_WRITES", 1, "Writes asked for by the B-Box"),
	RESP(8, "BBOX_RSP_ACK", 0, "Acknowledges to the B-Box"),
	RESP(9, "BBOX_RSP_RETRY", 1, "Retry responses to the B-Box"),
	RESP(10, "BBOX_RSP_COR", 2, "Responses with a corrected error to the B-Box"),
	RESP(11, "BBOX_RSP_UNCOR", 3, "Responses with an uncorrectable error to the B-Box"),
	RESP(12, "BBOX_RSP_SPEC_ACK", 4, "Speculative acknowledges to the B-Box"),
	RESP(13, "BBOX_RSP_SPR_ACK", 5, "Acknowledges of spare copies to the B-Box"),
	RESP(14, "BBOX_RSP_SPR_UNCOR", 7, "Uncorrectable errors of spare copies reported to the B-Box"),
	EVNT(15, "SMI_NB_TRIG", 7, "Triggers on the link from the memory buffers"),
};

static const struct cat_umask page_changes[] = {
	{ .name = "OPN2CLS", .value = 1, SET0(0), .help = "From open to closed" },
	{ .name = "CLS2OPN", .value = 2, SET0(1), .help = "From closed to open" },
};

static const struct cat_umask modes[] = {
	{ .name = "TRADEOFF", .value = 1, SET0(0), .help = "Trade-off between reads and writes" },
	{ .name = "RDPRIO", .value = 2, SET0(1), .help = "Reads first" },
	{ .name = "WRPRIO", .value = 3, SET0(2), .help = "Writes first" },
	{ .name = "ADAPTIVE", .value = 4, SET0(3), .help = "Adaptive" },
};

static const struct cat_umask page_states[] = {
	{ .name = "CLOSED", .value = 1, SET0(0), .help = "Pages closed" },
	{ .name = "OPEN", .value = 2, SET0(1), .help = "Pages open" },
};

/* likwid shifts these one bit too far (the layout of model 47), where ALL becomes READS; the guide's hold. */
static const struct cat_umask queued_umasks[] = {
	{ .name = "READS", .value = 1, SET0(0), .help = "Read commands" },
	{ .name = "WRITES", .value = 2, SET0(1), .help = "Write commands" },
	{ .name = "MERGE", .value = 3, SET0(2), .help = "Merges of partial writes" },
	{ .name = "V2F", .value = 4, SET0(3), .help = "Victim buffer to fill buffer" },
	{ .name = "V2V", .value = 5, SET0(4), .help = "Victim buffer to victim buffer" },
	{ .name = "F2V", .value = 6, SET0(5), .help = "Fill buffer to victim buffer" },
	{ .name = "F2B", .value = 7, SET0(6), .help = "Fill buffer to B-Box" },
	{ .name = "SPRWR", .value = 8, SET0(7), .help = "Spare writes" },
	{ .name = "ALL", .value = 9, SET0(8), .help = "All commands" },
};

/* ------------------------------------------------------------------ events */

#define INC(c)   .code = c, .max_inc = 1
#define FLAG(s)  .ctl = CTL_FLAG(s), .max_inc = 1
#define PLAIN    .dflt = -1
#define ONE(r, m, d) .route = &r, .combine = CAT_UMASK_ONE, .umasks = m, .n_umasks = COUNT(m), .dflt = d
#define GUIDE(p) .source = "323535-001 " p "; likwid"
#define LIKWID   .source = "likwid event list for this processor"
#define KERNEL   .source = "Linux uncore_nhmex.c, likwid"
#define FVC_SRC  .set = SET(BIT(T_FVID) | BIT(T_INIT_ERR), { 0 }), \
	.source = "323535-001 Tables 2-80 to 2-83, 2-89 (p 2-115); Linux uncore_nhmex.c, PCM", \
	.note = "Each of the four takes any of the four FVC fields; all share command, response and " \
		"fvid. Reads include InvItoE"
#define FILTERED .set = SET(BIT(T_COND_EN) | BIT(T_MM_EN), { 0 }), \
	.disputed = "Address mask: 27 bits in Linux's code, 28 in its attribute and in likwid's " \
		"documentation; its polarity is not stated"

static const struct cat_event events[] = {
	{ .name = "DSP_FILL", INC(0x00), ONE(dsp, fill, -1), KERNEL,
	  .help = "Times the dispatch queue for reads or writes came into the chosen fill state" },
	{ .name = "CYCLES_MFULL", INC(0x01), PLAIN, GUIDE("p 2-111"),
	  .disputed = "likwid's list for Westmere-EX prints the code of a scheduler mode; the guide's is used on both",
	  .help = "Cycles in which the memory controller signals MFULL, too full for more commands" },
	{ .name = "RETRY_MFULL", INC(0x02), PLAIN, LIKWID,
	  .help = "Retries made while the memory controller signals MFULL" },
	{ .name = "RETRY_STARVE", INC(0x03), PLAIN, LIKWID,
	  .help = "Retries made while the retry queue is starving" },
	{ .name = "THERM_TRP_UP", INC(0x04), ONE(thr_up, trip, -1), KERNEL,
	  .help = "Times the temperature of a DIMM rose through the chosen trip point" },
	{ .name = "THERM_TRP_DN", INC(0x05), ONE(thr_dn, trip, -1), KERNEL,
	  .help = "Times the temperature of a DIMM fell through the chosen trip point" },
	{ .name = "REFRESH", INC(0x06), PLAIN, LIKWID,
	  .help = "Refreshes of the DRAM" },
	{ .name = "REFRESH_CONFLICT", INC(0x07), PLAIN, LIKWID,
	  .help = "Refreshes that were in the way of other traffic" },
	{ .name = "SCHED_MODE_CHANGES", INC(0x08), PLAIN, LIKWID,
	  .help = "Times the scheduler changed how it weighs reads against writes" },
	{ .name = "FRM_TYPE", INC(0x09), ONE(frame, frames, -1), GUIDE("p 2-118"),
	  .help = "Frames of the chosen type sent to the memory buffers" },
	{ .name = "DRAM_CMD", INC(0x0a), ONE(dram, commands, -1), FILTERED, KERNEL,
	  .note = "One command at a time per M-Box: the counters share the sub-control that names it",
	  .help = "Commands of the chosen kind sent to the DRAM, with address= only "
		"those at that address" },
	{ .name = "RETRIES", INC(0x0b), ONE(retry, retries, 0), .set = SET(BIT(T_MM_EN), { 0 }), KERNEL,
	  .help = "Commands that the memory controller had to send again" },
	{ .name = "MA_PAR_ERR", INC(0x0c), PLAIN, GUIDE("p 2-119"),
	  .help = "Parity errors on memory addresses" },
	{ .name = "FVC_EV0", INC(0x0d), ONE(fvc0, fvc_umasks, -1), FVC_SRC,
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the first "
		"of four event fields" },
	{ .name = "FVC_EV1", INC(0x0e), ONE(fvc1, fvc_umasks, -1), FVC_SRC,
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the second "
		"of four event fields" },
	{ .name = "FVC_EV2", INC(0x0f), ONE(fvc2, fvc_umasks, -1), FVC_SRC,
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the third "
		"of four event fields" },
	{ .name = "FVC_EV3", INC(0x10), ONE(fvc3, fvc_umasks, -1), FVC_SRC,
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the fourth "
		"of four event fields" },
	{ .name = "PATROL_TXNS", INC(0x11), PLAIN, LIKWID,
	  .help = "Transactions of the patrol scrubber, which looks for memory errors "
		"in the background" },
	{ .name = "TRANS_CMDS", INC(0x12), PLAIN, LIKWID,
	  .help = "Commands that the controller translated for the DRAM" },
	{ .name = "PAGE_MISS", INC(0x13), PLAIN, LIKWID,
	  .help = "Accesses that found another page open in their bank, which had to be closed first" },
	{ .name = "PAGE_HIT", INC(0x14), PLAIN, GUIDE("p 2-119"),
	  .help = "Accesses that found their page already open" },
	{ .name = "PAGE_EMPTY", INC(0x15), PLAIN, GUIDE("p 2-119"),
	  .help = "Accesses that found no page open in their bank" },
	{ .name = "PGT_PAGE_EV", INC(0x16), ONE(page, page_changes, -1), KERNEL,
	  .help = "Changes of a page between open and closed, as the page table saw them" },
	{ .name = "MULTICAS", INC(0x17), PLAIN, GUIDE("p 2-119"),
	  .help = "Transactions that took more than one column command" },
	{ .name = "FVID_RACE", INC(0x18), PLAIN, GUIDE("p 2-118"),
	  .help = "Races between transactions for the same fill victim index" },
	{ .name = "TT_CMD_CONFLICT", INC(0x19), PLAIN, LIKWID,
	  .help = "Commands in conflict with one that is already tracked" },
	{ .name = "BBOX_CMDS_ALL", INC(0x1a), PLAIN, GUIDE("p 2-111"),
	  .help = "Commands of any kind that came from the B-Box" },
	{ .name = "CYCLES", INC(0x1b), PLAIN, GUIDE("p 2-111"), .always_runs = true,
	  .alias = TEXTS("CLOCKTICKS", "MBOX_CLOCKTICKS"),
	  .help = "Clock cycles of the memory controller" },
	{ .name = "SCHED_INFLIGHT_CMDS", INC(0x1c), PLAIN, LIKWID,
	  .help = "Commands in flight inside the scheduler" },
	{ .name = "INFLIGHT_CMDS", INC(0x1d), PLAIN, GUIDE("p 2-118"),
	  .help = "Commands in flight inside the memory controller" },

	{ .name = "CYCLES_DSP_FILL", FLAG(0), ONE(dsp, fill, -1), GUIDE("Tables 2-84, 2-85 (p 2-111)"),
	  .help = "Cycles in which the dispatch queue for reads or writes is in the chosen fill state" },
	{ .name = "CYCLES_SCHED_MODE", FLAG(1), ONE(mode, modes, -1),
	  GUIDE("Tables 2-84, 2-87 (p 2-111)"),
	  .help = "Cycles in which the scheduler weighs reads against writes in the chosen way" },
	{ .name = "CYCLES_RETRYQ_MFULL", FLAG(3), PLAIN, GUIDE("Table 2-84 (p 2-111)"),
	  .help = "Cycles in which the retry queue signals MFULL" },
	{ .name = "CYCLES_RETRYQ_STARVED", FLAG(4), PLAIN, GUIDE("Table 2-84 (p 2-111)"),
	  .help = "Cycles in which the retry queue is starved" },
	{ .name = "CYCLES_PGT_STATE", FLAG(5), ONE(state, page_states, -1),
	  GUIDE("Tables 2-84, 2-86 (p 2-111)"),
	  .help = "Cycles in which pages are in the chosen state" },
	{ .name = "BCMD_SCHEDQ_OCCUPANCY", FLAG(6), ONE(map, queued_umasks, 8),
	  .set = SET(BIT(T_MAP_FVID), { 0 }),
	  GUIDE("Tables 2-84, 2-93 (p 2-119)"),
	  .help = "B-Box commands of the chosen kind waiting in the scheduler" },
};

/* ------------------------------------------------------------------ Westmere-EX */

enum { WIDER = 1 };                             /* bits that the fill victim index has more */

static const struct cat_field westmere_iss_fields[] = {
	{ "changes_sel", 10, 10, CAT_FIELD, "ISS_SCHED counts 0 changes of the mode, 1 frame beats" },
	{ "sched_mode_pld_trig", 9, 7, CAT_FIELD, "Scheduler mode in which DRAM commands count, if PLD asks for one" },
	{ "sched_mode", 6, 4, CAT_FIELD, "Scheduler mode: 0 trade-off, 1 reads first, 2 writes first, 3 adaptive" },
	{ "frm_type", 3, 0, CAT_FIELD, "Frame: 0 3CMD, 1 WDAT, 2 SYNC, 3 CHNL, 8 NOP, 12 1CMD" },
};
static const struct cat_field westmere_map_fields[] = {
	{ "cmd", 9, 6, CAT_FIELD, "B-Box command, 8: all" },
	{ "fvid", 5, 0, CAT_FIELD, "Fill victim index" },
};
static const struct cat_field westmere_pgt_fields[] = {
	{ "ev2_sel", 11, 11, CAT_FIELD, "PGT_PAGE_EV2 counts 0 automatic closes, 1 accesses to an empty bank" },
	{ "state_sel", 6, 6, CAT_FIELD, "Page state: 0 closed, 1 open" },
	{ "opn2cls_sel", 0, 0, CAT_FIELD, "Page change: 0 open to closed, 1 closed to open" },
};
static const struct cat_field westmere_pld_fields[] = {
	{ "misc_cmd", 23, 19, CAT_FIELD, "DRAM command of DRAM_MISC, if misc_cmd_en is 1" },
	{ "misc_non_nop", 18, 18, CAT_FIELD, "DRAM_MISC counts commands but no-operations and trickles" },
	{ "misc_valid", 17, 17, CAT_FIELD, "DRAM_MISC counts valid commands" },
	{ "misc_cmd_en", 16, 16, CAT_FIELD, "DRAM_MISC counts the command that misc_cmd names" },
	{ "cmd", 12, 8, CAT_FIELD, "DRAM command" },
	{ "retry_fvid", 7, 7, CAT_FIELD, "DRAM_MISC counts retries of one fill victim index only" },
	{ "sched_cond_en", 0, 0, CAT_FIELD, "1: only in the scheduler mode that ISS names" },
};
static const struct cat_field westmere_fvc_fields[] = {
	{ "pbox_init_err", 24, 24, CAT_FIELD, "Link initialisation errors" },
	{ "evnt3", 23, 21, CAT_FIELD, "Event of inc_sel 0x10" },
	{ "evnt2", 20, 18, CAT_FIELD, "Event of inc_sel 0x0f" },
	{ "evnt1", 17, 15, CAT_FIELD, "Event of inc_sel 0x0e" },
	{ "evnt0", 14, 12, CAT_FIELD, "Event of inc_sel 0x0d: 0-4 errors and frames, 5 bcmd, 6 resp, 7 trigger" },
	{ "resp", 11, 9, CAT_FIELD, "Response to the B-Box" },
	{ "bcmd", 8, 6, CAT_FIELD, "Command of the B-Box" },
	{ "fvid", 5, 0, CAT_FIELD, "Fill victim index" },
};
static const struct cat_relaid westmere_relaid[] = {
	{ ID_ISS, COUNT(westmere_iss_fields), westmere_iss_fields }, { ID_MAP, COUNT(westmere_map_fields), westmere_map_fields },
	{ ID_PGT, COUNT(westmere_pgt_fields), westmere_pgt_fields }, { ID_PLD, COUNT(westmere_pld_fields), westmere_pld_fields },
	{ ID_FVC, COUNT(westmere_fvc_fields), westmere_fvc_fields },
};

static const struct cat_place westmere_fvc0_places[] = { FVC(0, WIDER), FVC(1, WIDER), FVC(2, WIDER), FVC(3, WIDER) };
static const struct cat_place westmere_fvc1_places[] = { FVC(1, WIDER), FVC(2, WIDER), FVC(3, WIDER), FVC(0, WIDER) };
static const struct cat_place westmere_fvc2_places[] = { FVC(2, WIDER), FVC(3, WIDER), FVC(0, WIDER), FVC(1, WIDER) };
static const struct cat_place westmere_fvc3_places[] = { FVC(3, WIDER), FVC(0, WIDER), FVC(1, WIDER), FVC(2, WIDER) };
static const struct cat_key westmere_fvc_keys[] = { FVID_KEY(T_FVID, WIDER) };
#define FVC_KEYS .keys = westmere_fvc_keys, .n_keys = COUNT(westmere_fvc_keys), .name = "FVC sub-control of the M-Box"
static const struct cat_route westmere_fvc0 = { PLACES(westmere_fvc0_places), FVC_KEYS };
static const struct cat_route westmere_fvc1 = { PLACES(westmere_fvc1_places), FVC_KEYS };
static const struct cat_route westmere_fvc2 = { PLACES(westmere_fvc2_places), FVC_KEYS };
static const struct cat_route westmere_fvc3 = { PLACES(westmere_fvc3_places), FVC_KEYS };

static const struct cat_place westmere_map_place[] = { MAP(WIDER) };
static const struct cat_key westmere_map_keys[] = { FVID_KEY(T_MAP_FVID, WIDER) };
static const struct cat_route westmere_map = { PLACES(westmere_map_place), .keys = westmere_map_keys, .n_keys = COUNT(westmere_map_keys),
	.name = "MAP sub-control of the M-Box" };

static const struct cat_place westmere_iss_place[] = { { .code = 0x08, .t = { { ID_ISS, 10, 10 } } } };
static const struct cat_route westmere_iss = { PLACES(westmere_iss_place), .name = "ISS sub-control of the M-Box" };
static const struct cat_place westmere_pgt_place[] = { { .code = 0x15, .t = { { ID_PGT, 11, 11 } } } };
static const struct cat_route westmere_pgt = { PLACES(westmere_pgt_place), .name = "PGT sub-control of the M-Box" };

enum { T_MISC_CMD, T_MISC_HOW, T_MISC_RETRY };  /* PLD 23:19; 18:16; 7 */
static const struct cat_place westmere_misc_place[] = {
	{ .code = 0x0b, .t = { [T_MISC_CMD] = { ID_PLD, 23, 19 }, [T_MISC_HOW] = { ID_PLD, 18, 16 },
	  [T_MISC_RETRY] = { ID_PLD, 7, 7 } } },
};
static const struct cat_route misc = { PLACES(westmere_misc_place), .name = "PLD sub-control of the M-Box" };

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

#define FVC_EVENT(n, which) \
	{ .name = "FVC_EV" #n, .code = 0x0d + n, .max_inc = 1, ONE(westmere_fvc##n, fvc_umasks, -1), \
	  .set = SET(BIT(T_FVID) | BIT(T_INIT_ERR), { 0 }), .source = "Linux uncore_nhmex.c, PCM, likwid", \
	  .note = "Each of the four takes any of the four FVC fields; all share command, response and fvid. Reads " \
		"include InvItoE", \
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the " which " of four event fields" }
static const struct cat_event westmere_events[] = {
	{ .name = "ISS_SCHED", .code = 0x08, .max_inc = 1, ONE(westmere_iss, sched_umasks, -1), .alias = TEXTS("SCHED_MODE_CHANGES"), WESTMERE_LIKWID,
	  .help = "What the scheduler that weighs reads against writes does" },
	{ .name = "DRAM_MISC", .code = 0x0b, .max_inc = 1, ONE(misc, misc_umasks, 0), .alias = TEXTS("RETRIES"), WESTMERE_LIKWID,
	  .help = "Commands to the DRAM of the chosen kind, or that had to be sent again" },
	FVC_EVENT(0, "first"), FVC_EVENT(1, "second"), FVC_EVENT(2, "third"), FVC_EVENT(3, "fourth"),
	{ .name = "PGT_PAGE_EV2", .code = 0x15, .max_inc = 1, ONE(westmere_pgt, page_umasks, 1), .alias = TEXTS("PAGE_EMPTY"), WESTMERE_LIKWID,
	  .help = "Automatic closes of a page, or accesses that found no page open in their bank" },
	{ .name = "BCMD_SCHEDQ_OCCUPANCY", .ctl = CTL_FLAG(6), .max_inc = 1, ONE(westmere_map, queued_umasks, 8),
	  .set = SET(BIT(T_MAP_FVID), { 0 }), .source = "likwid, with the field one bit higher than 323535-001 Table 2-93",
	  .disputed = "ALL: likwid keeps three bits of 8 and so writes 0, which is READS; the guide's 8 is used",
	  .help = "B-Box commands of the chosen kind waiting in the scheduler" },
};
static const char *const westmere_absent[] = { "SCHED_MODE_CHANGES", "RETRIES", "PAGE_EMPTY", NULL };

/* ------------------------------------------------------------------ the box */

#define MBOX \
	.name = "mbox", .letter = "M", .title = "M-Box: memory controller", .n_counters = 6, \
	.ctl_always = BIT(6), /* wrap_mode: PCM and likwid always set it, the kernel leaves it to the user */ \
	.ctl_overflow = BIT(1), \
	.event = { 13, 9 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, .invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.7, Table 2-67", \
	ROWS, .space = SPACE_MSR, .width = 48, .clock = "mbox/CYCLES", .max_hz = NEHALEM_EX_MAX_HZ
const struct cat_box nehalem_ex_mbox = { MBOX, UNITS(units) };
const struct cat_box westmere_ex_mbox = { MBOX, UNITS(units), EXTRA(westmere_events),
	.absent = westmere_absent, .relaid = westmere_relaid, .n_relaid = COUNT(westmere_relaid) };
