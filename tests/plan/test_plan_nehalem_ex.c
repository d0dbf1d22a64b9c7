/* SPDX-License-Identifier: MIT
 * Whole plans for the Xeon 7500: placement, rounds, registers, labels.
 * Addresses and values are those of 323535-001 (table or page at each) and of the contract's own
 * examples.
 */
#include "groups.h"

/* ------------------------------------------------------------------ the contract's example */

static void test_memory_group(void **state)
{
	static const struct { const char *identity; int counter; unsigned ctl, data,
			      value; } rows[] = {
		/* Tables 2-16, 2-20, 2-24: event in bits 5:1, enable in bit 0 */
		{ "bbox0/IMT_VALID_OCCUPANCY", 0, 0xc30, 0xc31, 0x07 << 1 | 1 },
		{ "bbox0/IMT_INSERTS_ALL", 1, 0xc32, 0xc33, 0x07 << 1 | 1 },
		{ "bbox0/IMT_NE_CYCLES", 2, 0xc34, 0xc35, 0x07 << 1 | 1 },
		{ "bbox0/CONFLICTS", 3, 0xc36, 0xc37, 0x17 << 1 | 1 },
		{ "bbox1/IMT_INSERTS_ALL", 1, 0xc72, 0xc73, 0x07 << 1 | 1 },
	};
	struct made m = make_nhmex(GROUPS(GROUP("memory", MEMORY)));
	const struct plan_socket *s = &m.p->sockets[0];
	const struct reg_write *w;

	(void)state;
	assert_int_equal(m.p->n_notes, 0);
	assert_int_equal(s->n_rounds, 1);
	assert_int_equal(s->rounds[0].n_slots, 8);
	assert_true(s->has_reg && !s->has_perf);
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_slot *slot = slot_of(m.p, 0, rows[i].identity);
		const struct plan_reg_slot *reg = &s->program->rounds[0].slots[slot->engine_slot];

		assert_int_equal(slot->counter, rows[i].counter);
		assert_int_equal(slot->width, 48);
		assert_int_equal(slot->max_inc, 1);
		assert_int_equal(reg->data.off, rows[i].data);
		assert_int_equal(reg->ovf_clear, 1 << rows[i].counter);
		assert_int_equal(s->program->rounds[0].clear[reg->clear].reg.off,
				 slot->unit ? 0xc62 : 0xc22);
		w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, rows[i].ctl);
		assert_non_null(w);
		assert_int_equal(w->value, rows[i].value);
		assert_int_equal(w->mask, ~UINT64_C(0));
		assert_int_equal(w->enable, 1);
		assert_int_equal(w->check & 0x3f, 0x3f);
	}
	/* Table 2-17: four enables in the box; 2-2: en_all set, rst_all cleared (rule 12, 13),
	 * nothing else. */
	w = write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc20);
	assert_true(w->value == 0xf && w->mask == 0xf && w->check == 0xf);
	w = write_of(m.p, 0, PHASE_ENABLE_GLOBAL, 0xc00);
	assert_true(w->value == UINT64_C(1) << 28 && w->mask == UINT64_C(3) << 28 &&
		    w->check == UINT64_C(1) << 28);
	assert_string_equal(w->name, "U_MSR_PMON_GLOBAL_CTL");
	assert_int_equal(s->program->rounds[0].start.n, 8 + 2 + 1);
	/* 98 counters: 1 + 8 x 6 + 2 x 4 + 2 x 4 + 16 + 2 x 6 + 4 + 1 fixed */
	assert_int_equal(s->program->n_counters, 98);

	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "imt_latency_seconds", NULL, NULL), 0);
	for (unsigned i = 0, found = 0; i <= s->n_lacking; i++) {
		assert_true(i < s->n_lacking || found);
		found |= i < s->n_lacking && !strcmp(s->lacking[i].metric, "imt_latency_seconds") &&
			 !strcmp(s->lacking[i].event, "wbox/CLOCKTICKS") &&
			 !strcmp(s->lacking[i].group, "memory");
	}
	assert_int_equal(m.p->n_series, 8 + 2);
	made_done(&m);
}

/* 2.6.2.1: FLITS_SENT of QPI0 (port 1) by IPERF1 on counter 3: bit 31 of PORT1_IPERF_CFG1, select
 * 7. */
static void test_rbox_example(void **state)
{
	static const enum plan_phase order[] = { PHASE_SELECT, PHASE_ENABLE_COUNTER,
						 PHASE_ENABLE_BOX, PHASE_ENABLE_GLOBAL };
	struct made m =
		make_nhmex(GROUPS(GROUP("q", "\"rbox/FLITS_SENT,port=1,iperf=1,counter=3\"")));
	const struct plan_slot *slot = slot_of(m.p, 0, "rbox0/FLITS_SENT,port=1");
	const struct plan_reg_round *r = &m.p->sockets[0].program->rounds[0];
	const struct plan_reg_slot *reg = &r->slots[0];

	(void)state;
	assert_int_equal(slot->counter, 3);
	assert_string_equal(labels_text(m.p->arena, slot->labels), ",port=\"1\",link=\"qpi0\"");
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe25)->value, UINT64_C(1) << 31);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe25)->mask, 0xffffffff);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe16)->value, 7 << 1 | 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xe00)->value, 1 << 3);
	/* The slot hangs on all four writes. */
	assert_int_equal(r->start.n, 4);
	assert_int_equal(reg->n_dep, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(reg->dep[i].write, i);
		assert_int_equal(r->start.v[i].phase, order[i]);
	}
	assert_string_equal(m.p->sockets[0].program->counters[reg->counter].name,
			    "rbox0 counter 3");
	made_done(&m);
}

/* ------------------------------------------------------------------ shared sub-controls */

static void test_partner_fields(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("p",
		"\"mbox0/FVC_EV0:BBOX_CMDS_READS\", \"mbox0/FVC_EV0:SMI_CRC_ERR\","
		"\"rbox/QUE_ARB_BID:VN0_HOM,port=0\", \"rbox/GLOBAL_ARB_BID:VN0_HOM,port=0\","
		"\"rbox/FLITS_SENT,port=5\", \"rbox/NULL_IDLE,port=5\"")));

	(void)state;
	/* Table 2-89: reads are event 5 and command 0 in FVC (0x2800, as Linux and PCM write it);
	 * the link error is event 0 and moves to the second field: inc_sel 0x0e. Both controls keep
	 * wrap_mode, bit 6. */
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xcab)->value, 0x2800);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xcab)->mask & 0x1f800, 0x1f800);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xcb0)->value, 0x1a41);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xcb2)->value, 0x1c41);
	assert_string_equal(slot_of(m.p, 0, "mbox0/FVC_EV0:SMI_CRC_ERR")->event_name, "FVC_EV0");
	/* Table 2-49: types 0 and 2; the second goes to bits 15:8, selects 2 and 3. One write. */
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe0c)->value, 0x0200);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe0c)->mask, 0xffff);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe10)->value, 2 << 1 | 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe12)->value, 3 << 1 | 1);
	/* Port 5: right half, counters 8 and up at 0xe30, selects 6 and 7, IPERF_CFG0 0xe09, CFG1
	 * 0xe29. */
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe09)->value, UINT64_C(1) << 31);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe29)->value, UINT64_C(1) << 30);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe30)->value, 6 << 1 | 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe32)->value, 7 << 1 | 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xe20)->value, 3);
	made_done(&m);
}

/* 2.5.3.4: MM_CFG[63] = 0, match, mask, MM_CFG[63] = 1, then the control register. */
static void test_sbox_match_order(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("s", "\"sbox1/TO_R_PROG_EV,match=0x12\", "
						     "\"sbox1/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")));
	const struct plan_program *p = m.p->sockets[0].program;
	const struct plan_reg_round *r = &p->rounds[0];
	static const struct { uint32_t off; uint8_t phase; uint64_t value, mask, check; } want[] = {
		{ 0xe58, PHASE_STOP, 0, UINT64_C(1) << 63, 0 },
		{ 0xe59, PHASE_SELECT, 0x12, ~UINT64_C(0), ~UINT64_C(0) },
		{ 0xe5a, PHASE_SELECT, 0x7fffffffff, ~UINT64_C(0), ~UINT64_C(0) },      /* rule 7 */
		{ 0xe58, PHASE_SELECT, UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63 },
	};
	const struct reg_write *w;

	(void)state;
	assert_int_equal(r->start.n, 4 + 2 + 2);
	for (unsigned i = 0; i < COUNT(want); i++) {
		w = write_nth(m.p, 0, i);
		assert_int_equal(w->reg.off, want[i].off);
		assert_int_equal(w->phase, want[i].phase);
		assert_int_equal(w->value, want[i].value);
		assert_int_equal(w->mask, want[i].mask);
		assert_int_equal(w->check, want[i].check);
		assert_int_equal(r->slots[0].dep[i].write, i);
		assert_int_equal(p->regs[r->start.v[i].reg].write_enable,
				 i % 3 ? r->start.v[0].reg : PLAN_NONE);
	}
	assert_int_equal(r->slots[0].n_dep, 4 + 3);
	assert_int_equal(r->slots[1].n_dep, 3);
	/* 2.5.2.1: the occupancy is reset in the write that enables, and that bit need not read
	 * back (rule 6). */
	w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xcd2);
	assert_int_equal(w->value, 1 << 22 | 1 << 17 | 0x0f << 8 | 0x10);
	assert_int_equal(w->check & 1 << 17, 0);
	assert_int_equal(w->check & (1 << 22 | 0xffff), 1 << 22 | 0xffff);
	made_done(&m);
}

/* A plain M-Box event turns the address filter off in one write; no write enable. */
static void test_no_write_enable_without_filter(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("m", "\"mbox0/DRAM_CMD:RAS\"")));

	(void)state;
	assert_null(write_of(m.p, 0, PHASE_STOP, 0xe54));
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe54)->value, 0);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe54)->mask, UINT64_C(1) << 63);
	assert_null(write_of(m.p, 0, PHASE_SELECT, 0xe55));
	made_done(&m);
}

struct listed { uint32_t off; uint64_t mask, value, found; };

static void same_list(const struct plan_program *p, const struct plan_list *l,
		      const struct listed *want, unsigned n)
{
	assert_int_equal(l->n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(p->regs[l->v[i].reg].reg.off, want[i].off);
		assert_true(l->v[i].mask == want[i].mask && l->v[i].value == want[i].value &&
			    l->v[i].found == want[i].found);
	}
}

/* Local enable (2-7: bit 22), then the box's bit of the counter; at the end the counter is off and
 * MM_CFG[63] is 0 while match and mask go back, and of shared registers only our bits do. */
static void test_stop_and_restore(void **state)
{
	struct made m = make_nhmex("freeze = true; " GROUPS(GROUP("s",
		"\"sbox1/TO_R_PROG_EV,match=0x12,counter=2\"")));
	const struct plan_program *p = m.p->sockets[0].program;
	static const uint64_t all = ~UINT64_C(0), mm_en = UINT64_C(1) << 63, en_all = 1 << 28;
	const struct listed freeze[] = { { 0xc00, en_all, 0, 0 }, { 0xc00, en_all, en_all, 0 } };
	const struct listed stop[] = { { 0xcd4, 1 << 22, 0, 0 }, { 0xcc0, 1 << 2, 0, 0 } };
	const struct listed restore[] = {
		{ 0xcd4, 1 << 22, 0, 0 }, { 0xe58, mm_en, 0, 0 },
		{ 0xe59, all, 0, all }, { 0xe5a, all, 0, all }, { 0xe58, mm_en, 0, mm_en },
		{ 0xcd4, all, 0, all }, { 0xcc0, 1 << 2, 0, 1 << 2 },
		{ 0xc00, 3 << 28, 0, 3 << 28 },
	};

	(void)state;
	same_list(p, &p->rounds[0].freeze, freeze, COUNT(freeze));
	same_list(p, &p->rounds[0].stop, stop, COUNT(stop));
	same_list(p, &p->restore, restore, COUNT(restore));
	made_done(&m);
}

/* The U-Box's enable is bit 0 of the global control (Table 2-2); the W-Box's fixed counter has bit
 * 31 of 0xc80. */
static void test_odd_enables(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("u", "\"ubox/WOKEN\", \"wbox/CLOCKTICKS\"")));
	const struct plan_program *p = m.p->sockets[0].program;
	const struct plan_slot *clock = slot_of(m.p, 0, "wbox0/CLOCKTICKS");
	const struct plan_counter *c;

	(void)state;
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc00)->value, 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc00)->mask, 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc80)->value, UINT64_C(1) << 31);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0x395)->value, 1);
	assert_int_equal(clock->counter, -1);
	assert_true(clock->always_runs);
	assert_int_equal(clock->clock_slot, -1);
	assert_int_equal(slot_of(m.p, 0, "ubox0/WOKEN")->clock_slot, -1);     /* another box's */
	assert_int_equal(clock->erratum.sub, 0x1000000);                /* p 2-128 */
	assert_int_equal(p->rounds[0].slots[1].data.off, 0x394);
	assert_string_equal(p->counters[p->rounds[0].slots[1].counter].name, "wbox0 fixed counter");
	c = &p->counters[p->rounds[0].slots[0].counter];
	assert_string_equal(c->name, "ubox0 counter 0");
	assert_int_equal(c->box_enable, 0);
	assert_int_equal(c->global_enable, UINT64_C(1) << 28 | 1);
	made_done(&m);
}

/* ------------------------------------------------------------------ identity, rounds */

static void test_shared_between_groups(void **state)
{
	struct made m =
		make_nhmex(GROUPS(GROUP("a", "\"wbox/CLOCKTICKS\", \"cbox3/LLC_HITS:E:M\"") ","
				  GROUP("b", "\"cbox3/LLC_HITS:M:E,counter=4\", "
					     "\"wbox/UNCORE_CLOCK\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 1);
	assert_int_equal(s->rounds[0].n_slots, 2);
	assert_int_equal(s->groups[0].n_slots, 2);
	assert_int_equal(s->groups[0].slots[0][0], 0);
	assert_int_equal(s->groups[1].slots[0][0], 1);     /* in the order written */
	assert_int_equal(s->groups[1].slots[0][1], 0);
	/* the pin holds for both */
	assert_int_equal(slot_of(m.p, 0, "cbox3/LLC_HITS:M:E")->counter, 4);
	/* two slots, whoever names them, and the clock's frequency */
	assert_int_equal(m.p->n_series, 2 + 1);
	made_done(&m);
}

static void test_rotation(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("a", "\"bbox/IMT_FULL\"") ","
					  GROUP("b", "\"bbox/CONFLICTS\", \"cbox/LLC_HITS:M\"") ","
					  GROUP("c", "\"bbox/IMT_INSERTS_ALL\"") ","
					  GROUP("d", "\"bbox/DEMAND_FETCH\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 3);
	assert_int_equal(s->groups[0].round, 0);
	assert_int_equal(s->groups[1].round, 1);
	assert_int_equal(s->groups[2].round, 0);
	assert_int_equal(s->groups[3].round, 2);
	/* what fits beside each of the others counts all the time */
	assert_string_equal(rounds_text(m.p), "a c|b c|c d");
	assert_int_equal(s->groups[2].n_rounds, 3);
	assert_int_equal(m.p->n_notes, 3);
	assert_string_equal(m.p->notes[0], "Group 'b' takes turns with 'a': bbox: IMT_FULL and "
					   "CONFLICTS both count only on counter 3.");
	assert_string_equal(m.p->notes[1], "Group 'd' takes turns with 'a': bbox: IMT_FULL and "
			    "DEMAND_FETCH both count only on counter 3.");
	assert_non_null(strstr(m.p->notes[2], "Group 'd' takes turns with 'b'"));
	/* Each round writes its own global enable. */
	for (unsigned i = 0; i < 3; i++)
		assert_non_null(write_of(m.p, i, PHASE_ENABLE_GLOBAL, 0xc00));
	assert_null(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xd10));
	assert_non_null(write_of(m.p, 1, PHASE_ENABLE_COUNTER, 0xd10));
	made_done(&m);
}

static void test_sockets_alike(void **state)
{
	struct made m = make(NULL, "nehalem-ex", 8, NULL, false);

	(void)state;
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_sockets, 8);
	for (unsigned i = 0; i < 8; i++) {
		const struct plan_socket *s = &m.p->sockets[i], *first = &m.p->sockets[0];

		assert_int_equal(s->id, i);
		assert_int_equal(s->program->socket, i);
		assert_int_equal(s->n_rounds, 1);               /* default groups never rotate */
		assert_int_equal(s->n_metrics, first->n_metrics);
		assert_int_equal(s->program->rounds[0].start.n, first->program->rounds[0].start.n);
		assert_int_equal(s->rounds[0].n_slots, first->rounds[0].n_slots);
		assert_int_equal(s->cpus[0], m.p->sockets[0].n_cpus * i);
	}
	assert_true(m.p->n_series / 8 <= 100);
	made_done(&m);
}

/* All 98 counters of a socket at once: 48 C-Box, 8 B-Box, 8 S-Box, 16 R-Box, 12 M-Box, 5 W-Box, 1
 * U-Box. */
static void test_whole_socket(void **state)
{
	struct made m = make(GROUPS(GROUP("all",
		"\"ubox/WOKEN\", \"wbox/CLOCKTICKS\", \"wbox/PROCHOT\", \"wbox/TM1_ON\", "
		"\"wbox/C_THROTTLE_TMP:CORE0\", \"wbox/C_THROTTLE_TMP:CORE1\","
		"\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\", \"cbox/LLC_HITS:S\", "
		"\"cbox/LLC_HITS:F\", \"cbox/LLC_HITS:ALL\", \"cbox/LLC_MISSES:ALL\","
		MEMORY ", \"sbox/PKTS_SENT_SNP\", \"sbox/PKTS_SENT_NDR\", \"sbox/FLITS_SENT_DRS\", "
		"\"sbox/PKTS_RCVD_SNP\","
		"\"mbox/CYCLES\", \"mbox/REFRESH\", \"mbox/CYCLES_MFULL\", \"mbox/RETRY_MFULL\", "
		"\"mbox/RETRY_STARVE\", \"mbox/REFRESH_CONFLICT\","
		"\"rbox/FLITS_SENT,port=0\", \"rbox/NULL_IDLE,port=0\", "
		"\"rbox/FLITS_SENT,port=1\", \"rbox/NULL_IDLE,port=1\","
		"\"rbox/FLITS_SENT,port=2\", \"rbox/NULL_IDLE,port=2\", "
		"\"rbox/FLITS_SENT,port=3\", \"rbox/NULL_IDLE,port=3\","
		"\"rbox/FLITS_SENT,port=4\", \"rbox/NULL_IDLE,port=4\", "
		"\"rbox/FLITS_SENT,port=5\", \"rbox/NULL_IDLE,port=5\","
		"\"rbox/FLITS_SENT,port=6\", \"rbox/NULL_IDLE,port=6\", "
		"\"rbox/FLITS_SENT,port=7\", \"rbox/NULL_IDLE,port=7\"")),
		"nehalem-ex", 8, NULL, false);
	uint64_t seen[2] = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->sockets[7].rounds[0].n_slots, 98);
	for (unsigned i = 0; i < 98; i++) {
		unsigned c = m.p->sockets[7].program->rounds[0].slots[i].counter;

		assert_true(c < 98 && !(seen[c / 64] >> c % 64 & 1));
		seen[c / 64] |= UINT64_C(1) << c % 64;
	}
	/* M-Box counters are measured by the clock of their own M-Box. The W-Box's, one for the
	 * whole socket, says nothing of units of other boxes. */
	assert_string_equal(m.p->sockets[0].rounds[0].slots[slot_of(m.p, 0,
		"mbox1/REFRESH")->clock_slot].identity, "mbox1/CYCLES");
	assert_int_equal(slot_of(m.p, 0, "sbox1/FLITS_SENT_DRS")->clock_slot, -1);
	made_done(&m);
}

/* ------------------------------------------------------------------ labels */

static void test_labels(void **state)
{
	static const struct { int line; const char *spec, *identity, *family, *tail; } rows[] = {
		{ __LINE__, "bbox/MSGS_B_TO_S", "bbox0/MSGS_B_TO_S",
		  "uncore_bbox_msgs_bbox_to_sbox_total", "" },
		{ __LINE__, "sbox/PKTS_RCVD_DRS_FROM_B", "sbox0/PKTS_RCVD_DRS_FROM_B",
		  "uncore_sbox_pkts_rcvd_drs_from_bbox_total", "" },
		{ __LINE__, "cbox/LLC_HITS:E:M,threshold=3,invert,edge",
		  "cbox0/LLC_HITS:M:E,threshold=3,edge,invert",
		  "uncore_cbox_llc_hits_total",
		  ",umask=\"M:E\",threshold=\"3\",edge=\"1\",invert=\"1\"" },
		{ __LINE__, "rbox/XBAR_MM:DRS.ANYRESP,port=4,flits=any",
		  "rbox0/XBAR_MM:DRS.ANYRESP,port=4,flits=any",
		  "uncore_rbox_xbar_mm_total",
		  ",umask=\"DRS.ANYRESP\",port=\"4\",link=\"qpi2\",flits=\"any\"" },
		{ __LINE__, "rbox/XBAR_MM,port=3,match=0X1C00,mask=0x1e00,xbar=2",
		  "rbox0/XBAR_MM,port=3,match=0x1c00,mask=0x1e00",
		  "uncore_rbox_xbar_mm_total", ",port=\"3\",match=\"0x1c00\",mask=\"0x1e00\"" },
		{ __LINE__, "mbox/DRAM_CMD:RAS,address=16", "mbox0/DRAM_CMD:RAS,address=0x10",
		  "uncore_mbox_dram_cmd_total",
		  ",umask=\"RAS\",address=\"0x10\"" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;
		const struct plan_slot *s;
		size_t n;
		static const char end[] = ". Series of one unit differ by umask and filter and "
					  "overlap: select, do not sum.";

		snprintf(text, sizeof(text), GROUPS("{ name = \"g\"; events = [ \"%s\" ]; }"),
			 rows[i].spec);
		m = make_nhmex(text);
		s = slot_of(m.p, 0, rows[i].identity);
		if (strcmp(s->family, rows[i].family) != 0 ||
		    strcmp(labels_text(m.p->arena, s->labels), rows[i].tail) != 0)
			fail_msg("line %d: %s{%s}", rows[i].line, s->family,
				 labels_text(m.p->arena, s->labels));
		n = strlen(s->help);
		assert_true(n > sizeof(end) && strcmp(s->help + n - (sizeof(end) - 1), end) == 0);
		made_done(&m);
	}
}

/* Rule 8 (Table 2-53): data answers to cores go to S-Boxes only: ports 2 and 6. */
static void test_port_note(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("a", "\"rbox/XBAR_MM:DRS.ANYDATAC,port=0\", "
						     "\"rbox/XBAR_MM:DRS.ANYDATAC,port=6\"")));

	(void)state;
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "rbox/XBAR_MM:DRS.ANYDATAC on port 0 (QPI 1) will stay "
			    "0: it occurs only at the ports of S-Box 0 "
			    "and S-Box 1.");
	made_done(&m);
}

/* Table 2-15: LLC_HITS counts at most 1 a cycle, OCCUPANCY_IRQ 24. */
static void test_threshold_note(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("a",
		"\"cbox/LLC_HITS:ALL,threshold=2\", \"cbox/LLC_HITS:M,threshold=1\", "
		"\"cbox/OCCUPANCY_IRQ,threshold=24\", "
		"\"cbox/OCCUPANCY_IRQ,threshold=25,invert\"")));

	(void)state;
	assert_int_equal(m.p->n_notes, 2);
	assert_string_equal(m.p->notes[0], "cbox/LLC_HITS with threshold=2 will stay 0: the event "
					   "counts at most 1 in one cycle.");
	assert_string_equal(m.p->notes[1], "cbox/OCCUPANCY_IRQ with threshold=25 will count every "
			    "cycle: the event counts at most 24 in one "
			    "cycle.");
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_group),
		cmocka_unit_test(test_rbox_example),
		cmocka_unit_test(test_partner_fields),
		cmocka_unit_test(test_sbox_match_order),
		cmocka_unit_test(test_no_write_enable_without_filter),
		cmocka_unit_test(test_odd_enables),
		cmocka_unit_test(test_stop_and_restore),
		cmocka_unit_test(test_shared_between_groups),
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_sockets_alike),
		cmocka_unit_test(test_whole_socket),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_port_note),
		cmocka_unit_test(test_threshold_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
