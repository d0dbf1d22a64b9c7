/* SPDX-License-Identifier: MIT
 * M-Box of the Xeon 7500: memory controller, six counters.
 * Owns:  its registers, the selectors to its sub-controls, its events.
 * Never: other boxes.
 * Pure data; any thread.
 *
 * A counter selects an event with inc_sel, or, with flag_mode set, with set_flag_sel. Many events
 * are refined by a sub-control register (DSP, ISS, MAP, THR, PGT, PLD, FVC) that the six counters
 * share, DRAM commands by an address filter too. Of the four FVC fields each belongs to one value
 * of inc_sel.
 *
 * The pages of 323535-001 about this box were at hand in parts; the rest is as Linux
 * (uncore_nhmex.c), Intel PCM and likwid program it. Register names follow the guide's list of
 * tables.
 */
#include "catalog/tables/nehalem_ex.h"

enum { ID_MATCH = 1, ID_MASK, ID_MM_CFG, ID_DSP, ID_ISS, ID_MAP, ID_THR, ID_PGT, ID_PLD, ID_FVC };

/* FVC has four event fields, one for each inc_sel 0x0d..0x10; what else it holds is common to all
 * four. Above the fill victim index everything sits `up` bits higher where that index is wider. */
enum { F_EVNT, F_BCMD, F_RESP, F_FVID, F_INIT_ERR };
#define FVC(n, up) \
	ENCODING(0x0d + (n), [F_EVNT] = { ID_FVC, 13 + 3 * (n) + (up), 11 + 3 * (n) + (up) }, \
	  [F_BCMD] = { ID_FVC, 7 + (up), 5 + (up) }, [F_RESP] = { ID_FVC, 10 + (up), 8 + (up) }, \
	  [F_FVID] = { ID_FVC, 4 + (up), 0 }, [F_INIT_ERR] = { ID_FVC, 23 + (up), 23 + (up) })
enum { F_MAP_CMD, F_MAP_FVID };
#define MAP(up) \
	ENCODING(0x00, [F_MAP_CMD] = { ID_MAP, 8 + (up), 5 + (up) }, [F_MAP_FVID] = { ID_MAP, 4 + (up), 0 })
#define FVID_KEY(field_, up) \
	K("fvid", field_, 4 + (up), 0, \
	  "Fill victim index: the controller's number of a transaction")

/* flag_mode and set_flag_sel of the control word. */
#define CTL_FLAG(sel) (BIT(7) | (uint64_t)(sel) << 19)
#define ISS_FIELDS \
	F("sched_mode_pld_trig", 9, 7, \
	  "Scheduler mode in which DRAM commands count, if PLD asks for one"), \
	F("sched_mode", 6, 4, \
	  "Scheduler mode: 0 trade-off, 1 reads first, 2 writes first, 3 adaptive"), \
	F("frm_type", 3, 0, "Frame: 0 3CMD, 1 WDAT, 2 SYNC, 3 CHNL, 8 NOP, 12 1CMD")
#define MAP_FIELDS(up) \
	F("cmd", 8 + (up), 5 + (up), "B-Box command, 8: all"), F("fvid", 4 + (up), 0, "Fill victim index")
#define FVC_FIELDS(up) \
	F("pbox_init_err", 23 + (up), 23 + (up), "Link initialisation errors"), \
	F("evnt3", 22 + (up), 20 + (up), "Event of inc_sel 0x10"), \
	F("evnt2", 19 + (up), 17 + (up), "Event of inc_sel 0x0f"), \
	F("evnt1", 16 + (up), 14 + (up), "Event of inc_sel 0x0e"), \
	F("evnt0", 13 + (up), 11 + (up), \
	  "Event of inc_sel 0x0d: 0-4 errors and frames, 5 bcmd, 6 resp, 7 trigger"), \
	F("resp", 10 + (up), 8 + (up), "Response to the B-Box"), \
	F("bcmd", 7 + (up), 5 + (up), "Command of the B-Box"), \
	F("fvid", 4 + (up), 0, "Fill victim index")
#define KL    "; Linux uncore_nhmex.c, likwid"

/* The address filter is before the sub-controls and its switch after match and mask: so they
 * are written with the filter off, as Linux does, and a plain event leaves them alone. */
static const struct cat_reg regs[] = {
	R("MB%u_CR_M_MSR_PERF_GLOBAL_CTL", BOX_CTL, RW, 6, 4, 0x00, "323535-001 Tables 1-2, 2-64 (p 2-100)" KL ", PCM",
	  FIELDS_HERE(F("ctr_en", 5, 0, "Bit n enables counter n"))),
	R("MB%u_CR_M_MSR_PERF_GLOBAL_STATUS", STATUS, RW, 6, 4, 0x01, "323535-001 Tables 1-2, 2-65 (p 2-100); likwid",
	  FIELDS_HERE(F("ov", 5, 0, "Bit n: counter n overflowed"))),
	R("MB%u_CR_M_MSR_PERF_GLOBAL_OVF_CTL", OVF_CTL, WO, 6, 4, 0x02, "323535-001 Tables 1-2, 2-66 (p 2-100); likwid",
	  FIELDS_HERE(PULSE("clr_ov", 5, 0, "Write 1 to clear ov"))),
	R("MB%u_CR_M_MSR_PMU_TIMESTAMP_UNIT", OTHER, RO, 1, 8, 0x04, "323535-001 Table 2-69 (p 2-101); likwid",
	  FIELDS_HERE(F("timestamp", 15, 0, "Runs freely with the clock of the M-Box"))),

	R("MB%u_CR_M_MSR_PMU_ADDR_MATCH", FILTER, RW, 1, 8, 1, "323535-001 Tables 1-2, 2-71" KL, .id = ID_MATCH,
	  .bank = 1,
	  FIELDS_HERE(F("match_addr", 33, 0, "Address"))),
	R("MB%u_CR_M_MSR_PMU_ADDR_MASK", FILTER, RW, 1, 8, 2, "323535-001 Tables 1-2, 2-72" KL, .id = ID_MASK,
	  .bank = 1,
	  FIELDS_HERE(F("addr_mask", 26, 0, "Mask of the address from bit 6 up"))),
	R("MB%u_CR_M_MSR_PMU_MM_CFG", FILTER, RW, 1, 8, 0, "323535-001 Tables 1-2, 2-70" KL, .id = ID_MM_CFG, .bank = 1,
	  .write_enable = BIT(63),
	  FIELDS_HERE(F("mm_en", 63, 63, "1: the address filter is on"))),

	R("MB%u_CR_M_MSR_PMU_DSP", SUB, RW, 1, 8, 0x05, "323535-001 Table 2-73" KL, .id = ID_DSP, FIELDS_HERE(
	  F("fill_sel", 10, 7,
	    "Queue state: 1 reads full, 2 writes full, 4 reads empty, 8 writes empty"))),
	R("MB%u_CR_M_CSR_ISS_PMU", SUB, RW, 1, 8, 0x06, "323535-001 Table 2-74" KL, .id = ID_ISS, FIELDS_HERE(
	  ISS_FIELDS)),
	R("MB%u_CR_M_MSR_PMU_MAP", SUB, RW, 1, 8, 0x07, "323535-001 Tables 2-75, 2-93" KL, .id = ID_MAP, FIELDS_HERE(
	  MAP_FIELDS(0))),
	R("MB%u_CR_M_CSR_PMU_MA_MSC_THR", SUB, RW, 1, 8, 0x08, "323535-001 Tables 2-76, 2-77" KL, .id = ID_THR,
	  FIELDS_HERE(
	  F("trp_pt_dn_cnd", 10, 9,
	    "Trip point on the way down: 0 LT_LO, 1 GT_LO, 2 GT_MID_FALL, 3 GT_MID_RISE"),
	  F("trp_pt_up_cnd", 8, 7, "Trip point on the way up, same values"),
	  F("dimm_sel", 6, 4, "The DIMM, if all_dimms is 0"),
	  F("all_dimms", 3, 3, "1: any DIMM"))),
	R("MB%u_CR_M_MSR_PMU_PGT", SUB, RW, 1, 8, 0x09, "323535-001 Table 2-78" KL, .id = ID_PGT, FIELDS_HERE(
	  F("state_sel", 6, 6, "Page state: 0 closed, 1 open"),
	  F("opn2cls_sel", 0, 0, "Page change: 0 open to closed, 1 closed to open"))),
	R("MB%u_CR_M_MSR_PMU_PLD", SUB, RW, 1, 8, 0x0a, "323535-001 Table 2-79" KL, .id = ID_PLD, FIELDS_HERE(
	  F("cmd", 12, 8, "DRAM command"),
	  F("sched_cond_en", 0, 0, "1: only in the scheduler mode that ISS names"))),
	R("MB%u_CR_M_MSR_PMU_ZDP_CTL_FVC", SUB, RW, 1, 8, 0x0b, "323535-001 Tables 2-80, 2-81 to 2-83, 2-89" KL ", PCM",
	  .id = ID_FVC, FIELDS_HERE(FVC_FIELDS(0))),

	R("MB%u_CR_M_MSR_PMU_CNT_CTL%n", CTL, RW, 6, 8, 0x10, "323535-001 Tables 1-2, 2-67 (p 2-101)" KL ", PCM",
	  .step = 2, FIELDS_HERE(
	  RSV(62, 61),
	  RSV(24, 22),
	  F("set_flag_sel", 21, 19, "Event, if flag_mode is 1"),
	  RSV(18, 14),
	  F("inc_sel", 13, 9, "Event, if flag_mode is 0"),
	  RSV(8, 8),
	  F("flag_mode", 7, 7, "1: set_flag_sel selects the event"),
	  F("wrap_mode", 6, 6, "How the counter wraps: 1 as PCM and likwid set it"),
	  F("storage_mode", 5, 4, "0"),
	  F("count_mode", 3, 2, "0"),
	  F("pmi_en", 1, 1, "Sends a PMI when the counter overflows"),
	  F("en", 0, 0, "Enables this counter"))),
	R("MB%u_CR_M_MSR_PMU_CNT_%n", CTR, RW, 6, 8, 0x11, "323535-001 Tables 1-2, 2-68 (p 2-101)" KL ", PCM",
	  .step = 2, NEHALEM_EX_COUNT),
};

static const struct cat_unit units[] = {
	{ .base = { 0xca0, 0xe54 } },
	{ .base = { 0xce0, 0xe5c } },
};

#define SUB(which) .name = which " sub-control of the M-Box"
#define SELECTOR(which, ...) { ENCODINGS(ENCODING(__VA_ARGS__)), SUB(which) }
static const struct cat_selector dsp = SELECTOR("DSP", 0x00, { ID_DSP, 10, 7 });
static const struct cat_selector frame = SELECTOR("ISS", 0x09, { ID_ISS, 3, 0 });
static const struct cat_selector mode = SELECTOR("ISS", 0x00, { ID_ISS, 6, 4 });
static const struct cat_selector page = SELECTOR("PGT", 0x16, { ID_PGT, 0, 0 });
static const struct cat_selector state = SELECTOR("PGT", 0x00, { ID_PGT, 6, 6 });

enum { F_CONDITION, F_ALL, F_DIMM };
#define TRIP_POINT(code, hi, lo) \
	SELECTOR("THR", code, [F_CONDITION] = { ID_THR, hi, lo }, [F_ALL] = { ID_THR, 3, 3 }, \
	  [F_DIMM] = { ID_THR, 6, 4 })
static const struct cat_selector thr_up = TRIP_POINT(0x04, 8, 7);
static const struct cat_selector thr_dn = TRIP_POINT(0x05, 10, 9);

/* DRAM commands and retries; without the key `address` the filter is off. */
enum { F_CMD, F_COND_EN, F_MODE, F_MM_EN, F_MATCH, F_MASK };
#define FILTER [F_MM_EN] = { ID_MM_CFG, 63, 63 }, [F_MATCH] = { ID_MATCH, 33, 0 }, \
	[F_MASK] = { ID_MASK, 26, 0 }
static const struct cat_key address_keys[] = {
	K("address", F_MATCH, 33, 0,
	  "Count only at this address (34 bits of the address match register); switches the filter on",
	  .hex = true, .owns = BIT(F_MASK), .also = true, .also_field = F_MM_EN, .also_value = 1),
	K("address_mask", F_MASK, 26, 0,
	  "Address mask register, read as 1 = do not compare, 0 compares all bits; width and polarity are disputed",
	  .hex = true, .needs = "address"),
};
static const struct cat_selector dram = {
	ENCODINGS(ENCODING(0x0a, [F_CMD] = { ID_PLD, 12, 8 }, [F_COND_EN] = { ID_PLD, 0, 0 },
	  [F_MODE] = { ID_ISS, 9, 7 }, FILTER)), KEYS(address_keys),
	.name = "PLD and ISS sub-controls of the M-Box",
};
static const struct cat_selector retry = {
	ENCODINGS(ENCODING(0x0b, FILTER)), KEYS(address_keys), .name = "address filter of the M-Box",
};

#define MAP_SELECTOR(up) { ENCODINGS(MAP(up)), KEYS_HERE(FVID_KEY(F_MAP_FVID, up)), SUB("MAP") }
static const struct cat_selector map = MAP_SELECTOR(0);

/* ------------------------------------------------------------------ unit masks
 * All are numbers in a sub-control: `value` only orders them. */

#define SET0(v) .values = VALUES(BIT(0), { v })

static const struct cat_umask fill[] = {
	U("RDQ_FULL", 1, "The read queue is full", SET0(1)),
	U("WRQ_FULL", 2, "The write queue is full", SET0(2)),
	U("RDQ_EMPTY", 3, "The read queue is empty", SET0(4)),
	U("WRQ_EMPTY", 4, "The write queue is empty", SET0(8)),
};

#define DIMM_OPEN .disputed = "DIMM select 1 to 4 for DIMM 0 to 3 as likwid writes " \
		"it; 0 to 3 is as likely"
#define DIMM(order, text, n, c, where) \
	U("DIMM" #n "_" text, order, \
	  "DIMM " #n where, \
	  DIMM_OPEN, \
	  .values = VALUES(BIT(F_CONDITION) | BIT(F_ALL) | BIT(F_DIMM), { [F_CONDITION] = c, [F_DIMM] = n + 1 }))
#define TRIP(order, text, c, where) \
	U("ALL_" text, order, \
	  "Any DIMM" where, \
	  .values = VALUES(BIT(F_CONDITION) | BIT(F_ALL), { [F_CONDITION] = c, [F_ALL] = 1 })), \
	DIMM(order + 1, text, 0, c, where), \
	DIMM(order + 2, text, 1, c, where), \
	DIMM(order + 3, text, 2, c, where), \
	DIMM(order + 4, text, 3, c, where)
static const struct cat_umask trip[] = {
	TRIP(1, "LT_LO", 0, ", below the low point"),
	TRIP(6, "GT_LO", 1, ", above the low point"),
	TRIP(11, "GT_MID_FALL", 2, ", above the middle point while falling"),
	TRIP(16, "GT_MID_RISE", 3, ", above the middle point while rising"),
};

/* Each with its places among the unit masks of DRAM_CMD (some have modes) and of DRAM_MISC. */
#define DRAM_COMMANDS(MODES, CMD) \
	MODES(3, 6, "PREALL", 0x01, "Precharge all banks"), \
	MODES(8, 7, "RAS", 0x02, "Open a row"), \
	CMD(13, 8, "CAS_RD_OPN", 0x03, "Read, page stays open"), \
	MODES(14, 9, "CAS_WR_OPN", 0x04, "Write, page stays open"), \
	MODES(19, 10, "CAS_RD_CLS", 0x05, "Read, then close the page"), \
	MODES(24, 11, "CAS_WR_CLS", 0x06, "Write, then close the page"), \
	CMD(29, 12, "MRS", 0x07, "Set a mode register of the DRAM"), \
	CMD(30, 13, "RFR", 0x09, "Refresh the DRAM"), \
	CMD(31, 14, "ENSR", 0x0a, "Enter self-refresh"), \
	CMD(32, 15, "EXSR", 0x0b, "Leave self-refresh"), \
	CMD(33, 16, "NOP", 0x0c, "No operation"), \
	CMD(34, 17, "TRKL", 0x10, "Trickle commands"), \
	CMD(35, 18, "PRE", 0x11, "Precharge one bank"), \
	CMD(36, 19, "SYNC", 0x12, "Synchronise"), \
	CMD(37, 20, "CKE_HI", 0x14, "Clock enable high"), \
	CMD(38, 21, "CKE_LO", 0x15, "Clock enable low"), \
	CMD(39, 22, "SOFT_RST", 0x17, "Soft reset"), \
	CMD(40, 23, "WR_CFG", 0x1c, "Write a configuration register"), \
	CMD(41, 24, "RD_CFG", 0x1d, "Read a configuration register"), \
	CMD(42, 25, "ZQCAL", 0x1e, "Calibrate the outputs")

/* A DRAM command in any scheduler mode, and the same in each of four modes. */
#define CMD(order, at, n, c, text) U(n, order, text, .values = VALUES(BIT(F_CMD), { [F_CMD] = c }))
#define IN_MODE(order, n, c, m, text) \
	U(n, order, text, \
	  .values = VALUES(BIT(F_CMD) | BIT(F_COND_EN) | BIT(F_MODE), { [F_CMD] = c, [F_COND_EN] = 1, [F_MODE] = m }))
#define MODES(order, at, n, c, text) CMD(order, at, n, c, text), \
	IN_MODE(order + 1, n "_TRDOFF", c, 0, text ", scheduler in trade-off mode"), \
	IN_MODE(order + 2, n "_RDPRIO", c, 1, text ", scheduler preferring reads"), \
	IN_MODE(order + 3, n "_WRPRIO", c, 2, text ", scheduler preferring writes"), \
	IN_MODE(order + 4, n "_ADAPTIVE", c, 3, text ", scheduler in adaptive mode")
#define SAME_CODE .disputed = "likwid gives ALL and ILLEGAL the same code 0: one of them is wrong"
/* likwid's ALL_TRDOFF to ALL_ADAPTIVE are left out: they have a scheduler mode without the bit that
 * the modes of all other commands have, which lets the mode be looked at; so each would count what
 * ALL counts, and that is open. */
static const struct cat_umask commands[] = {
	U("ALL", 1, "All commands", .values = VALUES(BIT(F_CMD), { 0 }), SAME_CODE),
	U("ILLEGAL", 2, "Illegal commands", .values = VALUES(BIT(F_CMD), { 0 }), SAME_CODE),
	DRAM_COMMANDS(MODES, CMD),
};

#define EVNT(order, n, e, text) U(n, order, text, .values = VALUES(BIT(F_EVNT), { [F_EVNT] = e }))
#define BCMD(order, n, c, text) \
	U(n, order, text, .values = VALUES(BIT(F_EVNT) | BIT(F_BCMD), { [F_EVNT] = 5, [F_BCMD] = c }))
#define RESP(order, n, r, text) \
	U(n, order, text, .values = VALUES(BIT(F_EVNT) | BIT(F_RESP), { [F_EVNT] = 6, [F_RESP] = r }))
static const struct cat_umask fvc_umasks[] = {
	EVNT(1, "SMI_CRC_ERR", 0, "Checksum errors on the link to the memory buffers"),
	EVNT(2, "MEM_ECC_ERR", 1, "ECC errors of the memory"),
	EVNT(3, "POISON_TXN", 2, "Transactions with poisoned data"),
	EVNT(4, "ALERT_FRAMES", 3, "Alert frames from the memory buffers"),
	EVNT(5, "FAST_RESET", 4, "Fast resets of the memory link"),
	BCMD(6, "BBOX_CMDS_READS", 0, "Reads asked for by the B-Box, InvItoE included"),
	BCMD(7, "BBOX_CMDS_WRITES", 1, "Writes asked for by the B-Box"),
	RESP(8, "BBOX_RSP_ACK", 0, "Acknowledgements to the B-Box"),
	RESP(9, "BBOX_RSP_RETRY", 1, "Retry responses to the B-Box"),
	RESP(10, "BBOX_RSP_COR", 2, "Responses with a corrected error to the B-Box"),
	RESP(11, "BBOX_RSP_UNCOR", 3, "Responses with an uncorrectable error to the B-Box"),
	RESP(12, "BBOX_RSP_SPEC_ACK", 4, "Speculative acknowledges to the B-Box"),
	RESP(13, "BBOX_RSP_SPR_ACK", 5, "Acknowledgements of spare copies to the B-Box"),
	RESP(14, "BBOX_RSP_SPR_UNCOR", 7,
	  "Uncorrectable errors of spare copies reported to the B-Box"),
	EVNT(15, "SMI_NB_TRIG", 7, "Triggers on the link from the memory buffers"),
};

/* likwid shifts these one bit too far (the layout of model 47), where ALL becomes READS; the
 * guide's hold. */
static const struct cat_umask queued_umasks[] = {
	U("READS", 1, "Read commands", SET0(0)),
	U("WRITES", 2, "Write commands", SET0(1)),
	U("MERGE", 3, "Merges of partial writes", SET0(2)),
	U("V2F", 4, "Victim buffer to fill buffer", SET0(3)),
	U("V2V", 5, "Victim buffer to victim buffer", SET0(4)),
	U("F2V", 6, "Fill buffer to victim buffer", SET0(5)),
	U("F2B", 7, "Fill buffer to B-Box", SET0(6)),
	U("SPRWR", 8, "Spare writes", SET0(7)),
	U("ALL", 9, "All commands", SET0(8)),
};

#define ONE(r, m, d) .selector = &r, ONE_OF(m, d)
#define ONE_HERE(r, d, ...) .selector = &r, ONE_OF_HERE(d, __VA_ARGS__)
#define GUIDE(p) "323535-001 " p "; likwid"
#define LIKWID "likwid event list for this processor"
#define KERNEL "Linux uncore_nhmex.c, likwid"
#define FVC_SRC "323535-001 Tables 2-80 to 2-83, 2-89 (p 2-115); Linux uncore_nhmex.c, PCM"
/* The four take each other's fields, each its own first. */
#define FVC_EVENT(n, which, b, c, d, src, up) \
	E("FVC_EV" #n, 0x0d + n, 1, src, ONE_OF(fvc_umasks, -1), \
	  .selector = &(const struct cat_selector){ ENCODINGS(FVC(n, up), FVC(b, up), FVC(c, up), FVC(d, up)), \
	    KEYS_HERE(FVID_KEY(F_FVID, up)), SUB("FVC") }, \
	  .values = VALUES(BIT(F_FVID) | BIT(F_INIT_ERR), { 0 }), \
	  .help = "B-Box commands, responses or link errors of the chosen kind, by the " which " of four event fields", \
	  .note = "Each of the four takes any of the four FVC fields; all share command, response and fvid. Reads include InvItoE")
#define FVC_EVENTS(...) \
	FVC_EVENT(0, "first", 1, 2, 3, __VA_ARGS__), FVC_EVENT(1, "second", 2, 3, 0, __VA_ARGS__), \
	FVC_EVENT(2, "third", 3, 0, 1, __VA_ARGS__), FVC_EVENT(3, "fourth", 0, 1, 2, __VA_ARGS__)
#define FILTERED .values = VALUES(BIT(F_COND_EN) | BIT(F_MM_EN), { 0 }), \
	.disputed = "Address mask: 27 bits in Linux's code, 28 in its attribute and in likwid's " \
		"documentation; its polarity is not stated"

static const struct cat_event events[] = {
	E("DSP_FILL", 0x00, 1, KERNEL, ONE(dsp, fill, -1),
	  .help = "Times the dispatch queue for reads or writes came into the chosen fill state"),
	E("CYCLES_MFULL", 0x01, 1, GUIDE("p 2-111"), PLAIN,
	  .help = "Cycles in which the memory controller signals MFULL, too full for more commands",
	  .disputed = "likwid's list for Westmere-EX prints the code of a scheduler mode; the guide's is used on both"),
	E("RETRY_MFULL", 0x02, 1, LIKWID, PLAIN,
	  .help = "Retries made while the memory controller signals MFULL"),
	E("RETRY_STARVE", 0x03, 1, LIKWID, PLAIN,
	  .help = "Retries made while the retry queue is starving"),
	E("THERM_TRP_UP", 0x04, 1, KERNEL, ONE(thr_up, trip, -1),
	  .help = "Times the temperature of a DIMM rose through the chosen trip point"),
	E("THERM_TRP_DN", 0x05, 1, KERNEL, ONE(thr_dn, trip, -1),
	  .help = "Times the temperature of a DIMM fell through the chosen trip point"),
	E("REFRESH", 0x06, 1, LIKWID, PLAIN,
	  .help = "Refreshes of the DRAM"),
	E("REFRESH_CONFLICT", 0x07, 1, LIKWID, PLAIN,
	  .help = "Refreshes that were in the way of other traffic"),
	E("SCHED_MODE_CHANGES", 0x08, 1, LIKWID, PLAIN,
	  .help = "Times the scheduler changed how it weighs reads against writes"),
	E("FRM_TYPE", 0x09, 1, GUIDE("p 2-118"),
	  .help = "Frames of the chosen type sent to the memory buffers",
	  ONE_HERE(frame, -1,
	  U("3CMD", 1, "Frames of three commands", SET0(0)),
	  U("WDAT", 2, "Frames of write data", SET0(1)),
	  U("SYNC", 3, "Synchronisation frames", SET0(2)),
	  U("CHNL", 4, "Channel frames", SET0(3)),
	  U("NOP", 5, "Frames without content", SET0(8)),
	  U("1CMD", 6, "Frames of one command", SET0(12)))),
	E("DRAM_CMD", 0x0a, 1, KERNEL, ONE(dram, commands, -1), FILTERED,
	  .help = "Commands of the chosen kind sent to the DRAM, with address= only those at that address",
	  .note = "One command at a time per M-Box: the counters share the sub-control that names it"),
	E("RETRIES", 0x0b, 1, KERNEL, .values = VALUES(BIT(F_MM_EN), { 0 }),
	  .help = "Commands that the memory controller had to send again",
	  ONE_HERE(retry, 0,
	  U("ALL", 1,
	    "All of them",
	    .disputed = "No source states what the PLD sub-control must hold for this event: it is left as it is"))),
	E("MA_PAR_ERR", 0x0c, 1, GUIDE("p 2-119"), PLAIN,
	  .help = "Parity errors on memory addresses"),
	FVC_EVENTS(FVC_SRC, 0),
	E("PATROL_TXNS", 0x11, 1, LIKWID, PLAIN,
	  .help = "Transactions of the patrol scrubber, which looks for memory errors in the background"),
	E("TRANS_CMDS", 0x12, 1, LIKWID, PLAIN,
	  .help = "Commands that the controller translated for the DRAM"),
	E("PAGE_MISS", 0x13, 1, LIKWID, PLAIN,
	  .help = "Accesses that found another page open in their bank, which had to be closed first"),
	E("PAGE_HIT", 0x14, 1, GUIDE("p 2-119"), PLAIN,
	  .help = "Accesses that found their page already open"),
	E("PAGE_EMPTY", 0x15, 1, GUIDE("p 2-119"), PLAIN,
	  .help = "Accesses that found no page open in their bank"),
	E("PGT_PAGE_EV", 0x16, 1, KERNEL,
	  .help = "Changes of a page between open and closed, as the page table saw them",
	  ONE_HERE(page, -1,
	  U("OPN2CLS", 1, "From open to closed", SET0(0)),
	  U("CLS2OPN", 2, "From closed to open", SET0(1)))),
	E("MULTICAS", 0x17, 1, GUIDE("p 2-119"), PLAIN,
	  .help = "Transactions that took more than one column command"),
	E("FVID_RACE", 0x18, 1, GUIDE("p 2-118"), PLAIN,
	  .help = "Races between transactions for the same fill victim index"),
	E("TT_CMD_CONFLICT", 0x19, 1, LIKWID, PLAIN,
	  .help = "Commands in conflict with one that is already tracked"),
	E("BBOX_CMDS_ALL", 0x1a, 1, GUIDE("p 2-111"), PLAIN,
	  .help = "Commands of any kind that came from the B-Box"),
	E("CYCLES", 0x1b, 1, GUIDE("p 2-111"), PLAIN, .always_runs = true,
	  .alias = TEXTS("CLOCKTICKS", "MBOX_CLOCKTICKS"),
	  .help = "Clock cycles of the memory controller"),
	E("SCHED_INFLIGHT_CMDS", 0x1c, 1, LIKWID, PLAIN,
	  .help = "Commands in flight inside the scheduler"),
	E("INFLIGHT_CMDS", 0x1d, 1, GUIDE("p 2-118"), PLAIN,
	  .help = "Commands in flight inside the memory controller"),

	E("CYCLES_DSP_FILL", 0, 1, GUIDE("Tables 2-84, 2-85 (p 2-111)"), .ctl = CTL_FLAG(0), ONE(dsp, fill, -1),
	  .help = "Cycles in which the dispatch queue for reads or writes is in the chosen fill state"),
	E("CYCLES_SCHED_MODE", 0, 1, GUIDE("Tables 2-84, 2-87 (p 2-111)"), .ctl = CTL_FLAG(1),
	  .help = "Cycles in which the scheduler weighs reads against writes in the chosen way",
	  ONE_HERE(mode, -1,
	  U("TRADEOFF", 1, "Trade-off between reads and writes", SET0(0)),
	  U("RDPRIO", 2, "Reads first", SET0(1)),
	  U("WRPRIO", 3, "Writes first", SET0(2)),
	  U("ADAPTIVE", 4, "Adaptive", SET0(3)))),
	E("CYCLES_RETRYQ_MFULL", 0, 1, GUIDE("Table 2-84 (p 2-111)"), PLAIN, .ctl = CTL_FLAG(3),
	  .help = "Cycles in which the retry queue signals MFULL"),
	E("CYCLES_RETRYQ_STARVED", 0, 1, GUIDE("Table 2-84 (p 2-111)"), PLAIN, .ctl = CTL_FLAG(4),
	  .help = "Cycles in which the retry queue is starved"),
	E("CYCLES_PGT_STATE", 0, 1, GUIDE("Tables 2-84, 2-86 (p 2-111)"), .ctl = CTL_FLAG(5),
	  .help = "Cycles in which pages are in the chosen state",
	  ONE_HERE(state, -1,
	  U("CLOSED", 1, "Pages closed", SET0(0)),
	  U("OPEN", 2, "Pages open", SET0(1)))),
	E("BCMD_SCHEDQ_OCCUPANCY", 0, 1, GUIDE("Tables 2-84, 2-93 (p 2-119)"), .ctl = CTL_FLAG(6),
	  ONE(map, queued_umasks, 8), .values = VALUES(BIT(F_MAP_FVID), { 0 }),
	  .help = "B-Box commands of the chosen kind waiting in the scheduler"),
};

enum { WIDER = 1 };                             /* bits that the fill victim index has more */

static const struct cat_relaid westmere_relaid[] = {
	{ .id = ID_ISS, FIELDS_HERE(
	  F("changes_sel", 10, 10, "ISS_SCHED counts 0 changes of the mode, 1 frame beats"),
	  ISS_FIELDS) },
	{ .id = ID_MAP, FIELDS_HERE(MAP_FIELDS(WIDER)) },
	{ .id = ID_PGT, FIELDS_HERE(
	  F("ev2_sel", 11, 11,
	    "PGT_PAGE_EV2 counts 0 automatic closes, 1 accesses to an empty bank"),
	  F("state_sel", 6, 6, "Page state: 0 closed, 1 open"),
	  F("opn2cls_sel", 0, 0, "Page change: 0 open to closed, 1 closed to open")) },
	{ .id = ID_PLD, FIELDS_HERE(
	  F("misc_cmd", 23, 19, "DRAM command of DRAM_MISC, if misc_cmd_en is 1"),
	  F("misc_non_nop", 18, 18, "DRAM_MISC counts commands but no-operations and trickles"),
	  F("misc_valid", 17, 17, "DRAM_MISC counts valid commands"),
	  F("misc_cmd_en", 16, 16, "DRAM_MISC counts the command that misc_cmd names"),
	  F("cmd", 12, 8, "DRAM command"),
	  F("retry_fvid", 7, 7, "DRAM_MISC counts retries of one fill victim index only"),
	  F("sched_cond_en", 0, 0, "1: only in the scheduler mode that ISS names")) },
	{ .id = ID_FVC, FIELDS_HERE(FVC_FIELDS(WIDER)) },
};

static const struct cat_selector westmere_map = MAP_SELECTOR(WIDER);
static const struct cat_selector westmere_iss = SELECTOR("ISS", 0x08, { ID_ISS, 10, 10 });
static const struct cat_selector westmere_pgt = SELECTOR("PGT", 0x15, { ID_PGT, 11, 11 });

enum { F_MISC_CMD, F_MISC_HOW, F_MISC_RETRY };  /* PLD 23:19; 18:16; 7 */
static const struct cat_selector misc =
	SELECTOR("PLD", 0x0b, [F_MISC_CMD] = { ID_PLD, 23, 19 }, [F_MISC_HOW] = { ID_PLD, 18, 16 },
	  [F_MISC_RETRY] = { ID_PLD, 7, 7 });

#define HOW(order, n, how, retry, text) \
	U(n, order, text, \
	  .values = VALUES(BIT(F_MISC_HOW) | BIT(F_MISC_RETRY), { [F_MISC_HOW] = how, [F_MISC_RETRY] = retry }))
#define COMMAND(place, order, n, c, text) \
	U(n, order, text, .values = VALUES(BIT(F_MISC_CMD) | BIT(F_MISC_HOW) | BIT(F_MISC_RETRY), \
	  { [F_MISC_CMD] = c, [F_MISC_HOW] = 1 }))

static const struct cat_event westmere_events[] = {
	E("ISS_SCHED", 0x08, 1, WESTMERE_LIST, .alias = TEXTS("SCHED_MODE_CHANGES"), LIKWID_ALONE,
	  .help = "What the scheduler that weighs reads against writes does",
	  ONE_HERE(westmere_iss, -1,
	  U("CHANGES", 1, "Changes of the mode", SET0(0)),
	  U("FRAME_BEAT", 2, "Beats of frames", SET0(1)))),
	E("DRAM_MISC", 0x0b, 1, WESTMERE_LIST, .alias = TEXTS("RETRIES"), LIKWID_ALONE, ONE_HERE(misc, 0,
	  HOW(1, "RETRIES_ALL", 0, 0, "Commands that had to be sent again"),
	  HOW(2, "RETRIES_FVID", 0, 1, "The same for one fill victim index"), HOW(3, "VALID", 2, 0, "Valid commands"),
	  HOW(4, "NON_NOP_TRKL", 4, 0, "All but no-operations and trickles"),
	  COMMAND(0, 5, "ILLEGAL", 0x00, "Illegal commands"), DRAM_COMMANDS(COMMAND, COMMAND)),
	  .help = "Commands to the DRAM of the chosen kind, or that had to be sent again"),
	FVC_EVENTS("Linux uncore_nhmex.c, PCM, likwid", WIDER),
	E("PGT_PAGE_EV2", 0x15, 1, WESTMERE_LIST, .alias = TEXTS("PAGE_EMPTY"), LIKWID_ALONE,
	  .help = "Automatic closes of a page, or accesses that found no page open in their bank",
	  ONE_HERE(westmere_pgt, 1,
	  U("AUTO_CLS", 1, "Pages closed automatically", SET0(0)),
	  U("PAGE_EMPTY", 2, "Accesses that found no page open", SET0(1)))),
	E("BCMD_SCHEDQ_OCCUPANCY", 0, 1, "likwid, with the field one bit higher than 323535-001 Table 2-93",
	  .ctl = CTL_FLAG(6), ONE(westmere_map, queued_umasks, 8), .values = VALUES(BIT(F_MAP_FVID), { 0 }),
	  .help = "B-Box commands of the chosen kind waiting in the scheduler",
	  .disputed = "ALL: likwid keeps three bits of 8 and so writes 0, which is READS; the guide's 8 is used"),
};
static const char *const westmere_absent[] = { "SCHED_MODE_CHANGES", "RETRIES",
					       "PAGE_EMPTY", NULL };

/* ctl_always: wrap_mode, which PCM and likwid always set and the kernel leaves to the user. */
#define MBOX \
	.name = "mbox", .letter = "M", .title = "M-Box: memory controller", .n_counters = 6, \
	.ctl_always = BIT(6), \
	.ctl_overflow = BIT(1), \
	.event = { 13, 9 }, .umask = CAT_NONE, .threshold = CAT_NONE, .edge = CAT_NONE, \
	.invert = CAT_NONE, \
	.enable = { 0, 0 }, .occ_reset = CAT_NONE, .source = "323535-001 2.7, Table 2-67", \
	ROWS, .space = SPACE_MSR, .width = 48, .clock = "mbox/CYCLES", .max_hz = NEHALEM_EX_MAX_HZ
const struct cat_box nehalem_ex_mbox = { MBOX, UNITS(units) };
const struct cat_box westmere_ex_mbox = { MBOX, UNITS(units), EXTRA(westmere_events),
	.absent = westmere_absent, .relaid = westmere_relaid, .n_relaid = COUNT(westmere_relaid) };
