/* test_plan_nehalem_ex.c - whole plans for the Xeon 7500: placement, rounds, registers, labels, metrics, refusals.
 *
 * Addresses and values are those of 323535-001 (table or page at each) and of the contract's own examples.
 */
#include "config.h"

#include "plan_test.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define GROUP(name, events) "{ name = \"" name "\"; events = [ " events " ]; }"
#define GROUPS(list)        "groups = ( " list " );\n"
#define MEMORY "\"bbox/IMT_VALID_OCCUPANCY\", \"bbox/IMT_INSERTS_ALL\", \"bbox/IMT_NE_CYCLES\", \"bbox/CONFLICTS\""
#define ALONE  "put one into another group"

/* ------------------------------------------------------------------ the contract's example */

static void test_memory_group(void **state)
{
	static const struct { const char *identity; int counter; unsigned ctl, data, value; } rows[] = {
		/* Tables 2-16, 2-20, 2-24: event in bits 5:1, enable in bit 0 */
		{ "bbox0/IMT_VALID_OCCUPANCY", 0, 0xc30, 0xc31, 0x07 << 1 | 1 },
		{ "bbox0/IMT_INSERTS_ALL", 1, 0xc32, 0xc33, 0x07 << 1 | 1 },
		{ "bbox0/IMT_NE_CYCLES", 2, 0xc34, 0xc35, 0x07 << 1 | 1 },
		{ "bbox0/CONFLICTS", 3, 0xc36, 0xc37, 0x17 << 1 | 1 },
		{ "bbox1/IMT_INSERTS_ALL", 1, 0xc72, 0xc73, 0x07 << 1 | 1 },
	};
	struct made m = make_nhmex(GROUPS(GROUP("memory", MEMORY)));
	const struct plan_socket *s = &m.p->sockets[0];
	const struct plan_write *w;

	(void)state;
	assert_int_equal(m.p->n_notes, 0);
	assert_int_equal(s->n_rounds, 1);
	assert_int_equal(s->rounds[0].n_slots, 8);
	assert_true(s->has_reg && !s->has_perf);
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_slot *slot = slot_of(m.p, 0, rows[i].identity);
		const struct plan_regslot *reg = &s->program.rounds[0].slots[slot->engine_slot];

		assert_int_equal(slot->counter, rows[i].counter);
		assert_int_equal(slot->width, 48);
		assert_int_equal(slot->max_inc, 1);
		assert_int_equal(reg->data.off, rows[i].data);
		assert_int_equal(reg->ovf_clear, 1 << rows[i].counter);
		assert_int_equal(reg->ovf_ctl.off, slot->unit ? 0xc62 : 0xc22);
		w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, rows[i].ctl);
		assert_non_null(w);
		assert_int_equal(w->value, rows[i].value);
		assert_int_equal(w->mask, ~UINT64_C(0));
		assert_int_equal(w->enable, 1);
		assert_int_equal(w->check & 0x3f, 0x3f);
	}
	/* Table 2-17: four enables in the box; 2-2: en_all set, rst_all cleared (rule 12, 13), nothing else. */
	w = write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc20);
	assert_true(w->value == 0xf && w->mask == 0xf && w->check == 0xf);
	w = write_of(m.p, 0, PHASE_ENABLE_GLOBAL, 0xc00);
	assert_true(w->value == UINT64_C(1) << 28 && w->mask == UINT64_C(3) << 28 && w->check == UINT64_C(1) << 28);
	assert_string_equal(w->name, "U_MSR_PMON_GLOBAL_CTL");
	assert_int_equal(s->program.rounds[0].n_writes, 8 + 2 + 1);
	/* 98 counters: 1 + 8 x 6 + 2 x 4 + 2 x 4 + 16 + 2 x 6 + 4 + 1 fixed */
	assert_int_equal(s->program.n_counters, 98);
	assert_int_equal(s->program.global_enable, UINT64_C(1) << 28);
	assert_int_equal(s->program.global_reset, UINT64_C(1) << 29);

	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "imt_latency_seconds", NULL, NULL), 0);
	for (unsigned i = 0, found = 0; i <= s->n_lacking; i++) {
		assert_true(i < s->n_lacking || found);
		found |= i < s->n_lacking && !strcmp(s->lacking[i].metric, "imt_latency_seconds") &&
			 !strcmp(s->lacking[i].event, "wbox/CLOCKTICKS") && !strcmp(s->lacking[i].group, "memory");
	}
	assert_int_equal(m.p->n_series, 8 + 2);
	made_done(&m);
}

/* 2.6.2.1: FLITS_SENT of QPI0 (port 1) by IPERF1 on counter 3: bit 31 of PORT1_IPERF_CFG1, select 7. */
static void test_rbox_example(void **state)
{
	static const enum plan_phase order[] = { PHASE_SELECT, PHASE_ENABLE_COUNTER, PHASE_ENABLE_BOX, PHASE_ENABLE_GLOBAL };
	struct made m = make_nhmex(GROUPS(GROUP("q", "\"rbox/FLITS_SENT,port=1,iperf=1,counter=3\"")));
	const struct plan_slot *slot = slot_of(m.p, 0, "rbox0/FLITS_SENT,port=1");
	const struct plan_reground *r = &m.p->sockets[0].program.rounds[0];
	const struct plan_regslot *reg = &r->slots[0];

	(void)state;
	assert_int_equal(slot->counter, 3);
	assert_string_equal(slot->tail, ",port=\"1\",link=\"qpi0\"");
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe25)->value, UINT64_C(1) << 31);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe25)->mask, 0xffffffff);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xe16)->value, 7 << 1 | 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xe00)->value, 1 << 3);
	/* The slot hangs on all four writes. */
	assert_int_equal(r->n_writes, 4);
	assert_int_equal(reg->n_dep, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(reg->dep[i], i);
		assert_int_equal(r->writes[i].phase, order[i]);
	}
	assert_string_equal(m.p->sockets[0].program.counters[reg->counter].name, "rbox0 counter 3");
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
	/* Table 2-89: reads are event 5 and command 0 in FVC (0x2800, as Linux and PCM write it); the link error is
	 * event 0 and moves to the second field: inc_sel 0x0e. Both controls keep wrap_mode, bit 6. */
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
	/* Port 5: right half, counters 8 and up at 0xe30, selects 6 and 7, IPERF_CFG0 0xe09, CFG1 0xe29. */
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
	struct made m = make_nhmex(GROUPS(GROUP("s", "\"sbox1/TO_R_PROG_EV,match=0x12\", \"sbox1/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")));
	const struct plan_reground *r = &m.p->sockets[0].program.rounds[0];
	static const struct { uint32_t off; uint8_t phase; uint64_t value, mask, check; } want[] = {
		{ 0xe58, PHASE_STOP, 0, UINT64_C(1) << 63, 0 },
		{ 0xe59, PHASE_SELECT, 0x12, ~UINT64_C(0), ~UINT64_C(0) },
		{ 0xe5a, PHASE_SELECT, 0x7fffffffff, ~UINT64_C(0), ~UINT64_C(0) },      /* rule 7 */
		{ 0xe58, PHASE_SELECT, UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_C(1) << 63 },
	};
	const struct plan_write *w;

	(void)state;
	assert_int_equal(r->n_writes, 4 + 2 + 2);
	for (unsigned i = 0; i < COUNT(want); i++) {
		assert_int_equal(r->writes[i].reg.off, want[i].off);
		assert_int_equal(r->writes[i].phase, want[i].phase);
		assert_int_equal(r->writes[i].value, want[i].value);
		assert_int_equal(r->writes[i].mask, want[i].mask);
		assert_int_equal(r->writes[i].check, want[i].check);
		assert_int_equal(r->slots[0].dep[i], i);
	}
	assert_int_equal(r->slots[0].n_dep, 4 + 3);
	assert_int_equal(r->slots[1].n_dep, 3);
	/* 2.5.2.1: the occupancy is reset in the write that enables, and that bit need not read back (rule 6). */
	w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xcd2);
	assert_int_equal(w->value, 1 << 22 | 1 << 17 | 0x0f << 8 | 0x10);
	assert_int_equal(w->check & 1 << 17, 0);
	assert_int_equal(w->check & (1 << 22 | 0xffff), 1 << 22 | 0xffff);
	made_done(&m);
}

/* A plain M-Box event turns the address filter off in one write; no gate. */
static void test_no_gate_without_filter(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("m", "\"mbox0/DRAM_CMD:RAS\"")));

	(void)state;
	assert_null(write_of(m.p, 0, PHASE_STOP, 0xe54));
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe54)->value, 0);
	assert_int_equal(write_of(m.p, 0, PHASE_SELECT, 0xe54)->mask, UINT64_C(1) << 63);
	assert_null(write_of(m.p, 0, PHASE_SELECT, 0xe55));
	made_done(&m);
}

/* The U-Box's enable is bit 0 of the global control (Table 2-2); the W-Box's fixed counter has bit 31 of 0xc80. */
static void test_odd_enables(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("u", "\"ubox/WOKEN\", \"wbox/CLOCKTICKS\"")));
	const struct plan_program *p = &m.p->sockets[0].program;
	const struct plan_slot *clock = slot_of(m.p, 0, "wbox0/CLOCKTICKS");
	const struct plan_counter *c;

	(void)state;
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc00)->value, 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc00)->mask, 1);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc80)->value, UINT64_C(1) << 31);
	assert_int_equal(write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0x395)->value, 1);
	assert_int_equal(clock->counter, -1);
	assert_true(clock->always_runs);
	assert_int_equal(clock->clock, -1);
	assert_int_equal(slot_of(m.p, 0, "ubox0/WOKEN")->clock, 1);
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
	struct made m = make_nhmex(GROUPS(GROUP("a", "\"wbox/CLOCKTICKS\", \"cbox3/LLC_HITS:E:M\"") ","
					  GROUP("b", "\"cbox3/LLC_HITS:M:E,counter=4\", \"wbox/UNCORE_CLOCK\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 1);
	assert_int_equal(s->rounds[0].n_slots, 2);
	assert_int_equal(s->groups[0].n_slots, 2);
	assert_int_equal(s->groups[0].slots[0], 0);
	assert_int_equal(s->groups[1].slots[0], 1);     /* in the order written */
	assert_int_equal(s->groups[1].slots[1], 0);
	assert_int_equal(slot_of(m.p, 0, "cbox3/LLC_HITS:M:E")->counter, 4);    /* the pin holds for both */
	/* two slots in two groups, and the clock's frequency in each */
	assert_int_equal(m.p->n_series, 4 + 2);
	made_done(&m);
}

static void test_rotation(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("a", "\"bbox/IMT_FULL\"") "," GROUP("b", "\"bbox/CONFLICTS\", \"cbox/LLC_HITS:M\"") ","
					  GROUP("c", "\"bbox/IMT_INSERTS_ALL\"") "," GROUP("d", "\"bbox/DEMAND_FETCH\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 3);
	assert_int_equal(s->groups[0].round, 0);
	assert_int_equal(s->groups[1].round, 1);
	assert_int_equal(s->groups[2].round, 0);
	assert_int_equal(s->groups[3].round, 2);
	assert_int_equal(s->rounds[0].n_groups, 2);
	assert_int_equal(m.p->n_notes, 3);
	assert_string_equal(m.p->notes[0], "Group 'b' takes turns with 'a': bbox: IMT_FULL and CONFLICTS both count only on counter 3.");
	assert_string_equal(m.p->notes[1], "Group 'd' takes turns with 'a' and 'c': bbox: IMT_FULL and DEMAND_FETCH both count only on "
			    "counter 3.");
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
		assert_int_equal(s->program.socket, i);
		assert_int_equal(s->n_rounds, 1);               /* default groups never rotate */
		assert_int_equal(s->n_metrics, first->n_metrics);
		assert_int_equal(s->program.rounds[0].n_writes, first->program.rounds[0].n_writes);
		assert_int_equal(s->rounds[0].n_slots, first->rounds[0].n_slots);
		assert_int_equal(s->cpus[0], m.p->sockets[0].n_cpus * i);
	}
	assert_true(m.p->n_series / 8 <= 100);
	made_done(&m);
}

/* All 98 counters of a socket at once: 48 C-Box, 8 B-Box, 8 S-Box, 16 R-Box, 12 M-Box, 5 W-Box, 1 U-Box. */
static void test_whole_socket(void **state)
{
	struct made m = make(GROUPS(GROUP("all",
		"\"ubox/WOKEN\", \"wbox/CLOCKTICKS\", \"wbox/PROCHOT\", \"wbox/TM1_ON\", \"wbox/C_THROTTLE_TMP:CORE0\", \"wbox/C_THROTTLE_TMP:CORE1\","
		"\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\", \"cbox/LLC_HITS:S\", \"cbox/LLC_HITS:F\", \"cbox/LLC_HITS:ALL\", \"cbox/LLC_MISSES:ALL\","
		MEMORY ", \"sbox/PKTS_SENT_SNP\", \"sbox/PKTS_SENT_NDR\", \"sbox/FLITS_SENT_DRS\", \"sbox/PKTS_RCVD_SNP\","
		"\"mbox/CYCLES\", \"mbox/REFRESH\", \"mbox/CYCLES_MFULL\", \"mbox/RETRY_MFULL\", \"mbox/RETRY_STARVE\", \"mbox/REFRESH_CONFLICT\","
		"\"rbox/FLITS_SENT,port=0\", \"rbox/NULL_IDLE,port=0\", \"rbox/FLITS_SENT,port=1\", \"rbox/NULL_IDLE,port=1\","
		"\"rbox/FLITS_SENT,port=2\", \"rbox/NULL_IDLE,port=2\", \"rbox/FLITS_SENT,port=3\", \"rbox/NULL_IDLE,port=3\","
		"\"rbox/FLITS_SENT,port=4\", \"rbox/NULL_IDLE,port=4\", \"rbox/FLITS_SENT,port=5\", \"rbox/NULL_IDLE,port=5\","
		"\"rbox/FLITS_SENT,port=6\", \"rbox/NULL_IDLE,port=6\", \"rbox/FLITS_SENT,port=7\", \"rbox/NULL_IDLE,port=7\"")),
		"nehalem-ex", 8, NULL, false);
	uint64_t seen[2] = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->sockets[7].rounds[0].n_slots, 98);
	for (unsigned i = 0; i < 98; i++) {
		unsigned c = m.p->sockets[7].program.rounds[0].slots[i].counter;

		assert_true(c < 98 && !(seen[c / 64] >> c % 64 & 1));
		seen[c / 64] |= UINT64_C(1) << c % 64;
	}
	/* M-Box counters run under the M-Box's own clock, of the same unit; the others under the W-Box's. */
	assert_string_equal(m.p->sockets[0].rounds[0].slots[slot_of(m.p, 0, "mbox1/REFRESH")->clock].identity, "mbox1/CYCLES");
	assert_string_equal(m.p->sockets[0].rounds[0].slots[slot_of(m.p, 0, "sbox1/FLITS_SENT_DRS")->clock].identity,
			    "wbox0/CLOCKTICKS");
	made_done(&m);
}

/* ------------------------------------------------------------------ refusals */

static void test_refusals(void **state)
{
	(void)state;
	refuse(GROUPS(GROUP("a", "\"bbox/IMT_FULL\", \"bbox/CONFLICTS\", \"bbox/TF_ALL\"")),
	       "t.conf:1: group 'a': bbox: IMT_FULL and CONFLICTS both count only on counter 3; " ALONE);
	refuse(GROUPS("\n" GROUP("a", "\"bbox1/IMT_FULL\", \"bbox/CONFLICTS\"")),
	       "t.conf:2: group 'a': bbox1: IMT_FULL and CONFLICTS both count only on counter 3; " ALONE);
	refuse(GROUPS(GROUP("a", "\"cbox/LLC_HITS:M,counter=2\", \"cbox/LLC_MISSES:S,counter=2\"")),
	       "t.conf:1: group 'a': cbox: LLC_HITS and LLC_MISSES are both pinned to counter 2; " ALONE);
	/* 2.6.2 */
	refuse(GROUPS(GROUP("a", "\"rbox/FLITS_SENT,port=4\", \"rbox/NULL_IDLE,port=4\", \"rbox/RETRYQ_NE,port=4\", \"rbox/RETRYQ_NE,port=5\"")),
	       "t.conf:1: group 'a': rbox port 4: FLITS_SENT, NULL_IDLE and RETRYQ_NE all need the IPERF register of the port (at most "
	       "two of any event per port, 323535-001 2.6.2); " ALONE);
	refuse(GROUPS(GROUP("a", "\"bbox/MSG_ADDR_IN_MATCH,match=1,mask=1\", \"bbox/MSG_IN_MATCH,match=2,mask=1\"")),
	       "t.conf:1: group 'a': bbox: MSG_ADDR_IN_MATCH and MSG_IN_MATCH want different values in BB0_CR_B_MSR_MATCH, which they "
	       "share; " ALONE);
	refuse(GROUPS(GROUP("a", "\"ubox/WOKEN\", \"ubox/RECOV\"")),
	       "t.conf:1: group 'a': ubox: WOKEN and RECOV are 2 events, but the unit has only 1 counter; " ALONE);
	refuse(GROUPS(GROUP("a", "\"bbox/IMT_FULL\", \"bbox1/IMT_FULL\"")),
	       "t.conf:1: bbox1/IMT_FULL stands twice in group 'a'");
	refuse(GROUPS(GROUP("a", "\"cbox/LLC_HITS:ALL\", \"cbox/LLC_HITS,counter=3\"")),
	       "t.conf:1: cbox/LLC_HITS,counter=3 stands twice in group 'a'");
}

static void test_every_mistake(void **state)
{
	struct made m = make(GROUPS("\n" GROUP("a", "\"bbox/NIX\", \"cbx/LLC_HITS\"") ",\n" GROUP("b", "\"rbox/NULL_IDLE\"")),
			     "nehalem-ex", 1, NULL, false);

	(void)state;
	assert_int_not_equal(m.r, 0);
	assert_int_equal(m.d.n, 3);
	assert_non_null(strstr(m.d.v[0], "t.conf:2: bbox has no event 'NIX'"));
	assert_non_null(strstr(m.d.v[1], "t.conf:2: nehalem-ex has no box 'cbx'"));
	assert_non_null(strstr(m.d.v[2], "t.conf:3: rbox/NULL_IDLE: 'port' is required"));
	made_done(&m);
}

/* 2^48 counts at 64 a cycle, 2.67 GHz and a quarter more: 1317.8 s; half of it, in whole seconds, is 658 s. */
static void test_safe_interval(void **state)
{
	struct made m;

	(void)state;
	refuse("interval = \"659s\";\n" GROUPS(GROUP("a", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\", \"bbox/IMT_FULL\"")),
	       "t.conf:1: interval 659s is too long for sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL: its 48-bit counter can rise by 64 per cycle and "
	       "must be read at least twice before it wraps; the largest interval allowed is 658s");
	m = make_nhmex("interval = \"658s\";\n" GROUPS(GROUP("a", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\", \"bbox/IMT_FULL\"")));
	assert_int_equal(slot_of(m.p, 0, "sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL")->safe_interval / NSEC_PER_SEC, 1317);
	assert_int_equal(slot_of(m.p, 0, "bbox0/IMT_FULL")->safe_interval / NSEC_PER_SEC, 84337);
	made_done(&m);
}

#define FINE(name, resolution, more, events) \
	"{ name = \"" name "\"; resolution = \"" resolution "\"; " more " events = [ " events " ]; }"

static void test_resolution(void **state)
{
	struct made m;

	(void)state;
	/* What counts is how often it is read, not the interval. */
	m = make_nhmex("interval = \"1300s\";\n" GROUPS(FINE("a", "650s", "", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")));
	assert_int_equal(m.p->sockets[0].rounds[0].tick, 650 * NSEC_PER_SEC);
	assert_int_equal(m.p->sockets[0].groups[0].resolution, 650 * NSEC_PER_SEC);
	assert_int_equal(m.p->interval, 1300 * NSEC_PER_SEC);
	made_done(&m);
	refuse("interval = \"2000s\";\n" GROUPS(FINE("a", "1000s", "", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")),
	       "t.conf:2: resolution 1000s is too long for sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL: its 48-bit counter can rise by 64 per cycle and "
	       "must be read at least twice before it wraps; the largest resolution allowed is 658s");
	/* A round ticks at the finest of its groups. */
	m = make_nhmex("interval = \"1s\";\n" GROUPS(FINE("a", "20ms", "", "\"bbox/IMT_INSERTS_ALL\"") ", "
							FINE("b", "5ms", "", "\"wbox/CLOCKTICKS\"") ", " GROUP("c", "\"bbox/IMT_FULL\"")));
	assert_int_equal(m.p->sockets[0].n_rounds, 1);
	assert_int_equal(m.p->sockets[0].rounds[0].tick, 5 * NSEC_PER_MSEC);
	assert_int_equal(m.p->sockets[0].groups[0].resolution, 20 * NSEC_PER_MSEC);
	assert_int_equal(m.p->sockets[0].groups[2].resolution, NSEC_PER_SEC);
	made_done(&m);
	refuse("interval = \"60ms\";\n" GROUPS(FINE("a", "30ms", "", "\"bbox/IMT_INSERTS_ALL\"") ", "
						FINE("b", "20ms", "", "\"wbox/CLOCKTICKS\"")),
	       "t.conf:2: group 'a' is counted at the same time as group 'b', which is read each 20ms; its resolution of 30ms is no "
	       "multiple of that");
}

#define CLOCK_GROUP(resolution, more) GROUPS(FINE("a", resolution, more, "\"wbox/CLOCKTICKS\", \"bbox0/IMT_NE_CYCLES\""))

/* clock_hertz is of the socket, imt_busy_ratio of one unit; two slots, two metrics. */
static void test_watches(void **state)
{
	static const struct { int line; const char *text; unsigned watches, distributions, series; } rows[] = {
		{ __LINE__, CLOCK_GROUP("1s", ""), 0, 0, 4 },
		{ __LINE__, CLOCK_GROUP("10ms", ""), 2, 1, 4 + 2 + 14 },        /* peaks; 11 bounds, +Inf, sum, count */
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = false;"), 2, 0, 4 + 2 },
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = true;"), 4, 4, 4 + 4 + 4 * 14 },
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = { counters = false; };"), 2, 2, 4 + 2 + 28 },
		{ __LINE__, CLOCK_GROUP("1s", "distribution = { counters = false; buckets = ( 0.5, 1 ); };"), 2, 2, 4 + 2 + 10 },
		{ __LINE__, CLOCK_GROUP("1s", "distribution = { buckets = ( 0.5, 1 ); counters = ( 1e6 ); };"), 4, 4, 4 + 4 + 10 + 8 },
		{ __LINE__, CLOCK_GROUP("1s", "") " metrics = ( { name = \"idle_x_ratio\"; distribution = true; "
		  "numerator = ( \"bbox0/IMT_NE_CYCLES\" ); denominator = ( \"wbox/CLOCKTICKS\" ); complement = true; } );",
		  1, 1, 5 + 1 + 14 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = make_nhmex(rows[i].text);
		const struct plan_socket *s = &m.p->sockets[0];
		unsigned distributions = 0;

		for (unsigned w = 0; w < s->n_watches; w++)
			distributions += s->watches[w].distribution;
		if (s->n_watches != rows[i].watches || distributions != rows[i].distributions || m.p->n_series != rows[i].series)
			fail_msg("line %d: %u watches, %u distributions, %u series", rows[i].line, s->n_watches, distributions,
				 m.p->n_series);
		made_done(&m);
	}
}

static void test_watch_names(void **state)
{
	static const struct { const char *metric, *peak, *family; double zero; bool negative; } rows[] = {
		{ "clock_hertz", "uncore_clock_peak_hertz", "uncore_clock_distribution_hertz", 1, false },
		{ "memory_read_bytes_total", "uncore_memory_read_peak_bytes_per_second",
		  "uncore_memory_read_distribution_bytes_per_second", 1, false },
		{ "imt_busy_ratio", "uncore_imt_busy_peak_ratio", "uncore_imt_busy_distribution_ratio", 0x1p-17, false },
		{ "free_x_ratio", "uncore_free_x_peak_ratio", "uncore_free_x_distribution_ratio", 0x1p-17, true },
		{ "round_trips_per_second", "uncore_round_peak_trips_per_second", "uncore_round_distribution_trips_per_second", 0x1p-17, false },
	};
	struct made m = make_nhmex("metrics = ( { name = \"free_x_ratio\"; numerator = ( \"bbox0/IMT_NE_CYCLES\" ); "
				   "denominator = ( \"wbox/CLOCKTICKS\" ); complement = true; }, { name = \"round_trips_per_second\"; "
				   "numerator = ( \"bbox0/IMT_INSERTS_RD\" ); denominator = ( \"seconds\" ); } );\n"
				   GROUPS(FINE("a", "10ms", "distribution = { buckets = ( 0.5, 1 ); };",
					       "\"wbox/CLOCKTICKS\", \"bbox0/IMT_NE_CYCLES\", \"bbox0/IMT_INSERTS_RD\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct plan_watch *w = s->watches;

		while (w < s->watches + s->n_watches && strcmp(plan_watched(s, w)->name, rows[i].metric) != 0)
			w++;
		if (w == s->watches + s->n_watches)
			fail_msg("no watch of %s", rows[i].metric);
		assert_string_equal(w->peak_family, rows[i].peak);
		assert_string_equal(w->family, rows[i].family);
		assert_true(w->histogram.zero == rows[i].zero && w->histogram.negative == rows[i].negative);
		assert_true(w->histogram.n_bounds == 2 && w->histogram.bounds[0] == 0.5 && w->histogram.bounds[1] == 1);
	}
	made_done(&m);
}

/* Of a counter it is the rate: in each group that asks for it, with the labels of the raw series. */
static void test_counter_watches(void **state)
{
	struct made m = make_nhmex("peak_window = \"90s\"; " GROUPS(
		FINE("a", "10ms", "distribution = { counters = ( 1e6, 2e6 ); };", "\"bbox1/MSGS_B_TO_S\", \"cbox2/LLC_HITS:M:E\"") ", "
		FINE("b", "10ms", "distribution = true;", "\"cbox2/LLC_HITS:M:E\"") ", "
		FINE("c", "10ms", "", "\"cbox2/LLC_HITS:M:E\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	static const struct { const char *name, *labels, *family, *peak; unsigned group, bounds; double last; } rows[] = {
		{ "bbox_msgs_bbox_to_sbox_total", ",unit=\"1\"", "uncore_bbox_msgs_bbox_to_sbox_distribution_events_per_second",
		  "uncore_bbox_msgs_bbox_to_sbox_peak_events_per_second", 0, 2, 2e6 },
		{ "cbox_llc_hits_total", ",unit=\"2\",umask=\"M:E\"", "uncore_cbox_llc_hits_distribution_events_per_second",
		  "uncore_cbox_llc_hits_peak_events_per_second", 0, 2, 2e6 },
		{ "cbox_llc_hits_total", ",unit=\"2\",umask=\"M:E\"", "uncore_cbox_llc_hits_distribution_events_per_second",
		  "uncore_cbox_llc_hits_peak_events_per_second", 1, 11, 1e10 },
	};

	(void)state;
	assert_int_equal(s->n_watches, COUNT(rows));
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_watch *w = &s->watches[i];

		assert_string_equal(plan_watched(s, w)->name, rows[i].name);
		assert_string_equal(plan_watched(s, w)->labels, rows[i].labels);
		assert_string_equal(w->family, rows[i].family);
		assert_string_equal(w->peak_family, rows[i].peak);
		assert_int_equal(plan_watched(s, w)->group, rows[i].group);
		assert_int_equal(w->histogram.n_bounds, rows[i].bounds);
		assert_true(w->histogram.bounds[rows[i].bounds - 1] == rows[i].last);
		assert_non_null(strstr(w->peak_help, "in the last 90s "));
	}
	made_done(&m);
}

/* ------------------------------------------------------------------ labels */

static void test_labels(void **state)
{
	static const struct { int line; const char *spec, *identity, *family, *tail; } rows[] = {
		{ __LINE__, "bbox/MSGS_B_TO_S", "bbox0/MSGS_B_TO_S", "uncore_bbox_msgs_bbox_to_sbox_total", "" },
		{ __LINE__, "sbox/PKTS_RCVD_DRS_FROM_B", "sbox0/PKTS_RCVD_DRS_FROM_B", "uncore_sbox_pkts_rcvd_drs_from_bbox_total", "" },
		{ __LINE__, "cbox/LLC_HITS:E:M,threshold=3,invert,edge", "cbox0/LLC_HITS:M:E,threshold=3,edge,invert",
		  "uncore_cbox_llc_hits_total", ",umask=\"M:E\",threshold=\"3\",edge=\"1\",invert=\"1\"" },
		{ __LINE__, "rbox/XBAR_MM:DRS.ANYRESP,port=4,flits=any", "rbox0/XBAR_MM:DRS.ANYRESP,port=4,flits=any",
		  "uncore_rbox_xbar_mm_total", ",umask=\"DRS.ANYRESP\",port=\"4\",link=\"qpi2\",flits=\"any\"" },
		{ __LINE__, "rbox/XBAR_MM,port=3,match=0X1C00,mask=0x1e00,xbar=2", "rbox0/XBAR_MM,port=3,match=0x1c00,mask=0x1e00",
		  "uncore_rbox_xbar_mm_total", ",port=\"3\",match=\"0x1c00\",mask=\"0x1e00\"" },
		{ __LINE__, "mbox/DRAM_CMD:RAS,address=16", "mbox0/DRAM_CMD:RAS,address=0x10", "uncore_mbox_dram_cmd_total",
		  ",umask=\"RAS\",address=\"0x10\"" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;
		const struct plan_slot *s;
		size_t n;
		static const char end[] = ". Series of one unit differ by umask and filter and overlap: select, do not sum.";

		snprintf(text, sizeof(text), GROUPS("{ name = \"g\"; events = [ \"%s\" ]; }"), rows[i].spec);
		m = make_nhmex(text);
		s = slot_of(m.p, 0, rows[i].identity);
		if (strcmp(s->family, rows[i].family) != 0 || strcmp(s->tail, rows[i].tail) != 0)
			fail_msg("line %d: %s{%s}", rows[i].line, s->family, s->tail);
		n = strlen(s->help);
		assert_true(n > sizeof(end) && strcmp(s->help + n - (sizeof(end) - 1), end) == 0);
		made_done(&m);
	}
}

/* Rule 8 (Table 2-53): data answers to cores go to S-Boxes only: ports 2 and 6. */
static void test_port_note(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("a", "\"rbox/XBAR_MM:DRS.ANYDATAC,port=0\", \"rbox/XBAR_MM:DRS.ANYDATAC,port=6\"")));

	(void)state;
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "rbox/XBAR_MM:DRS.ANYDATAC on port 0 (QPI 1) will stay 0: it occurs only at the ports of S-Box 0 "
			    "and S-Box 1.");
	made_done(&m);
}

/* ------------------------------------------------------------------ metrics */

static void test_metrics(void **state)
{
	struct made m = make_nhmex(GROUPS(
		GROUP("memory", MEMORY ", \"wbox/CLOCKTICKS\"") ","
		GROUP("links", "\"wbox/CLOCKTICKS\", \"rbox/NULL_IDLE,port=0\", \"rbox/NULL_IDLE,port=5\"") ","
		GROUP("llc", "\"cbox/LLC_HITS:ALL\", \"cbox/LLC_MISSES\"") ","
		GROUP("one", "\"cbox2/LLC_HITS:ALL\", \"cbox2/LLC_MISSES:ALL\"") ","
		GROUP("filtered", "\"cbox/LLC_HITS:ALL,threshold=2\", \"cbox/LLC_MISSES\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	const struct plan_slot *v = s->rounds[0].slots;
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "clock_hertz", "", &x), 2);
	assert_string_equal(x->family, "uncore_clock_hertz");
	assert_string_equal(x->unit_label, "");
	assert_int_equal(x->den[0].slot, -1);
	assert_false(x->counter);

	assert_int_equal(metrics_of(m.p, "imt_latency_seconds", ",unit=\"1\"", &x), 1);
	assert_string_equal(x->unit_label, "1");
	assert_int_equal(x->group, 0);
	assert_true(x->n_num == 1 && x->n_den == 1 && x->n_guard_num == 1 && x->n_guard_den == 1);
	assert_string_equal(v[x->num[0].slot].identity, "bbox1/IMT_VALID_OCCUPANCY");
	assert_string_equal(v[x->den[0].slot].identity, "bbox1/IMT_INSERTS_ALL");
	assert_string_equal(v[x->guard_num[0].slot].identity, "bbox1/CONFLICTS");
	assert_string_equal(v[x->cycles_of].identity, "wbox0/CLOCKTICKS");
	assert_true(x->scale > 31.9 && x->scale < 32.1 && x->guard_max > 0.049 && x->guard_max < 0.051);

	assert_int_equal(metrics_of(m.p, "link_utilization_ratio", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "link_utilization_ratio", ",unit=\"0\",port=\"0\",link=\"qpi1\"", NULL), 1);
	assert_int_equal(metrics_of(m.p, "link_utilization_ratio", ",unit=\"0\",port=\"5\",link=\"qpi3\"", &x), 1);
	assert_true(x->complement && x->clamp);

	/* per unit in both groups; the socket's sum only where all slices are; never with a threshold in the way */
	assert_int_equal(metrics_of(m.p, "llc_hit_ratio", NULL, NULL), 8 + 1);
	assert_int_equal(metrics_of(m.p, "llc_hit_ratio", ",unit=\"2\"", NULL), 2);
	assert_int_equal(metrics_of(m.p, "llc_socket_hit_ratio", NULL, &x), 1);
	assert_string_equal(s->groups[x->group].name, "llc");
	assert_true(x->n_num == 8 && x->n_den == 16);
	made_done(&m);
}

/* Links of the S-Box: one family, the link is a label of the row. */
static void test_metric_links(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("s", "\"wbox/CLOCKTICKS\", \"sbox/FLITS_SENT_DRS\", \"sbox/PKTS_RCVD_DRS_FROM_B\"") ","
					  GROUP("bytes", "\"bbox/IMT_INSERTS_RD\"")));
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio", NULL, NULL), 4);
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio", ",unit=\"0\",link=\"s2r\"", NULL), 1);
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio", ",unit=\"1\",link=\"b2s\"", &x), 1);
	assert_true(x->scale > 8.9 && x->scale < 9.1);
	assert_int_equal(metrics_of(m.p, "memory_read_bytes_total", ",unit=\"1\"", &x), 1);
	assert_true(x->counter && x->n_den == 0);
	made_done(&m);
}

#define OWN(fields) "metrics = ( { " fields " } );\n"
#define HITS GROUPS(GROUP("g", "\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\", \"wbox/CLOCKTICKS\"") "," GROUP("h", "\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\""))

static void test_own_metrics(void **state)
{
	struct made m = make_nhmex(HITS "metrics = ( { name = \"modified_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" );"
		"denominator = ( { event = \"cbox/LLC_HITS:M\"; weight = 2; }, \"cbox/LLC_HITS:E\" ); scale = 2.0; help = \"Own\"; },"
		"{ name = \"hits_per_second\"; unit = \"second\"; per = \"socket\"; group = \"h\"; numerator = ( \"cbox/LLC_HITS:M\" );"
		"denominator = ( \"seconds\" ); } );\n");
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "modified_ratio", NULL, NULL), 16);
	assert_int_equal(metrics_of(m.p, "modified_ratio", ",unit=\"7\"", &x), 2);
	assert_string_equal(x->family, "uncore_modified_ratio");
	assert_string_equal(x->help, "Own");
	assert_true(x->den[0].weight > 1.9 && x->den[0].weight < 2.1 && x->scale > 1.9 && x->scale < 2.1);
	assert_int_equal(metrics_of(m.p, "hits_per_second", "", &x), 1);
	assert_int_equal(x->group, 1);
	assert_true(x->n_num == 8 && x->den[0].slot == -1);
	made_done(&m);

	/* both inputs of the same port */
	m = make_nhmex(GROUPS(GROUP("p", "\"rbox/NULL_IDLE,port=0\", \"rbox/NULL_IDLE,port=5\", \"rbox/FLITS_SENT,port=5\"")) OWN(
		"name = \"idle_ratio\"; numerator = ( \"rbox/NULL_IDLE\" ); denominator = ( \"rbox/FLITS_SENT\" );"));
	assert_int_equal(metrics_of(m.p, "idle_ratio", NULL, &x), 1);
	assert_string_equal(x->labels, ",unit=\"0\",port=\"5\",link=\"qpi3\"");
	assert_true(x->num[0].slot == 1 && x->den[0].slot == 2);
	made_done(&m);

	refuse(HITS OWN("name = \"cbox_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = ( \"seconds\" );"),
	       "t.conf:2: metric 'cbox_ratio': its first word 'cbox' is the name of a box or PMU and would look like a count of it");
	/* of any processor's: a configuration may be for many machines */
	refuse(HITS OWN("name = \"r3qpi_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = ( \"seconds\" );"),
	       "t.conf:2: metric 'r3qpi_ratio': its first word 'r3qpi' is the name of a box or PMU and would look like a count of it");
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/NIX\" ); denominator = ( \"seconds\" );"),
	       "t.conf:2: metric 'x_ratio': cbox has no event 'NIX'; the nearest is SNPS");
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/LLC_HITS:S\" ); denominator = ( \"seconds\" );"),
	       "t.conf:2: metric 'x_ratio': no group holds all its events (of the same unit)");
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = ( \"hours\" );"),
	       "t.conf:2: metric 'x_ratio': 'hours' is neither an event (box/EVENT) nor the word 'seconds'");
}

/* The contract's example of a row has the name of one of the processor's: the configuration's counts, once a unit. */
static void test_row_of_the_contract(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("memory", MEMORY)) OWN(
		"name = \"imt_latency_cycles\"; unit = \"cycles\"; per = \"unit\"; group = \"memory\"; scale = 32.0;"
		"numerator = ( \"bbox/IMT_VALID_OCCUPANCY\" ); denominator = ( { event = \"bbox/IMT_INSERTS_ALL\"; weight = 1; } );"
		"guard = { numerator = ( \"bbox/CONFLICTS\" ); denominator = ( \"bbox/IMT_INSERTS_ALL\" ); max = 0.05; };"
		"help = \"Mine\";"));
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", ",unit=\"1\"", &x), 1);
	assert_string_equal(x->help, "Mine");
	assert_true(x->scale > 31.9 && x->scale < 32.1 && x->n_guard_num == 1);
	made_done(&m);
}

/* A clock is in most rows: a group that has no more of a row is not told what it lacks. */
static void test_lacking(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("clock", "\"wbox/CLOCKTICKS\", \"mbox/CYCLES\"") ","
					  GROUP("tf", "\"bbox/TF_ALL\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	unsigned clock = 0, occupancy = 0;

	(void)state;
	for (unsigned i = 0; i < s->n_lacking; i++) {
		clock += strcmp(s->lacking[i].group, "clock") == 0;
		occupancy += strcmp(s->lacking[i].metric, "tf_all_occupancy_entries") == 0 &&
			     strcmp(s->lacking[i].event, "wbox/CLOCKTICKS") == 0;
	}
	assert_int_equal(clock, 0);
	assert_int_equal(occupancy, 1);
	made_done(&m);
}

/* Mistakes of the file's form, of events, of a group that fits nowhere and of the interval: all of them at once. */
static void test_all_mistakes(void **state)
{
	static const char text[] = "interval = \"12h\";\nrotation = 1;\n"
		"groups = ( { name = \"a\"; events = [ \"cbox/NIX\", \"cbox/LLC_HITS:M,\",\n\"bbox/IMT_FULL\" ]; },\n"
		"{ name = \"a\"; events = [ \"bbox/IMT_FULL\", \"bbox/CONFLICTS\" ]; } );\n"
		"metrics = ( { name = \"x_ratio\"; numerator = ( \"bbox/NIX\" ); denominator = ( \"seconds\" ); },\n"
		"{ name = \"X\"; numerator = ( \"bbox/NIX\" ); denominator = ( \"seconds\" ); } );\n";
	static const char *const want[] = {
		"t.conf:2: rotation is a number",
		"t.conf:3: \"cbox/LLC_HITS:M,\": a key (key or key=value) is missing after a comma",
		"t.conf:5: there are two groups \"a\"; the first is on line 3",
		"t.conf:7: metric name \"X\"",
		"t.conf:3: cbox has no event 'NIX'",
		"t.conf:6: metric 'x_ratio': bbox has no event 'NIX'",
		"t.conf:1: interval 43200s is too long for bbox0/IMT_FULL",
		"t.conf:5: group 'a': bbox: IMT_FULL and CONFLICTS both count only on counter 3",
	};
	struct topo *t = topo_model(6, 0x2e, 1, 8);
	struct diags d = { 0 };
	struct conf *c = NULL;
	struct plan *p = NULL;

	(void)state;
	assert_int_not_equal(conf_parse_keep("t.conf", text, strlen(text), &c, &d), 0);
	assert_true(c && c->faulty);
	assert_int_not_equal(plan_build(&(struct plan_input){ .conf = c, .processor = cat_processor_by_name("nehalem-ex"), .topo = t }, &p, &d), 0);
	assert_null(p);
	for (size_t i = 0; i < d.n || i < COUNT(want); i++)
		if (i >= d.n || i >= COUNT(want) || strncmp(d.v[i], want[i], strlen(want[i])) != 0)
			fail_msg("%zu: \"%s\", expected \"%s\"", i, i < d.n ? d.v[i] : "", i < COUNT(want) ? want[i] : "");
	diags_done(&d);
	conf_free(c);
	topo_free(t);
}

/* ------------------------------------------------------------------ random plans */

static void random_spec(char *to, size_t n)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");
	const struct cat_box *b = &p->boxes[random() % p->n_boxes];
	const struct cat_event *e = &b->events[random() % b->n_events];
	char unit[8] = "", port[16] = "";

	if (random() % 2)
		snprintf(unit, sizeof(unit), "%u", (unsigned)random() % b->n_units);
	if (b->port_key)
		snprintf(port, sizeof(port), ",port=%u", (unsigned)random() % 8);
	snprintf(to, n, "%s%s/%s%s%s%s", b->name, unit, e->name, e->n_umasks ? ":" : "",
		 e->n_umasks ? e->umasks[random() % e->n_umasks].name : "", port);
}

static bool depends(const struct plan_reground *r, const struct plan_regslot *s, const struct plan_write *w)
{
	for (unsigned i = 0; i < s->n_dep; i++)
		if (&r->writes[s->dep[i]] == w)
			return true;
	return false;
}

/* Every slot finds in the merged writes what its event wants, and depends on those writes; no counter serves two. */
static void check_round(const struct plan *p, unsigned round)
{
	const struct plan_reground *r = &p->sockets[0].program.rounds[round];
	uint64_t seen[2] = { 0, 0 };

	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_slot *s = &p->sockets[0].rounds[round].slots[i];
		unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter, n, c = r->slots[i].counter;
		struct cat_want wants[CAT_WANTS];
		const struct plan_counter *pc = &p->sockets[0].program.counters[c];
		const struct plan_write *w;
		uint64_t ctl;

		assert_true(!(seen[c / 64] >> c % 64 & 1));
		seen[c / 64] |= UINT64_C(1) << c % 64;
		n = cat_encode(&s->choice, s->place, counter, &ctl, wants);
		for (unsigned k = 0; k < n; k++) {
			w = write_of(p, round, PHASE_SELECT, wants[k].reg.off);
			assert_non_null(w);
			assert_int_equal(w->mask & wants[k].mask, wants[k].mask);
			assert_int_equal(w->value & wants[k].mask, wants[k].value);
			assert_true(depends(r, &r->slots[i], w));
		}
		w = write_of(p, round, PHASE_ENABLE_COUNTER, pc->ctl.off);
		assert_int_equal(w->value, ctl);
		assert_int_equal(w->value & pc->ctl_enable, pc->ctl_enable);
		assert_true(depends(r, &r->slots[i], w));
		if (pc->box_enable)
			assert_true(write_of(p, round, PHASE_ENABLE_BOX, pc->box.off)->value & pc->box_enable);
	}
}

static void test_random_plans(void **state)
{
	const char *env = getenv("SEED");
	unsigned seed = env ? (unsigned)atoi(env) : (unsigned)time(NULL) ^ (unsigned)getpid(), planned = 0, turns = 0;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (unsigned i = 0; i < 120; i++) {
		char text[4096], spec[128];
		size_t n = 0;
		struct made m;

		n += (size_t)snprintf(text + n, sizeof(text) - n, "groups = (");
		for (unsigned g = 0; g < 3; g++) {
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s{ name = \"%u\"; events = [", g ? "," : "", g);
			for (unsigned e = 0; e < 5; e++) {
				random_spec(spec, sizeof(spec));
				n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"%s\"", e ? "," : "", spec);
			}
			n += (size_t)snprintf(text + n, sizeof(text) - n, "]; }");
		}
		snprintf(text + n, sizeof(text) - n, ");");
		m = make(text, "nehalem-ex", 1, NULL, false);
		for (size_t k = 0; k < m.d.n; k++)
			assert_memory_equal(m.d.v[k], "t.conf:1: ", 10);
		if (m.r == 0) {
			planned++;
			turns += m.p->sockets[0].n_rounds > 1;
			for (unsigned r = 0; r < m.p->sockets[0].n_rounds; r++)
				check_round(m.p, r);
		}
		made_done(&m);
	}
	assert_true(planned > 10 && planned < 120 && turns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_group),
		cmocka_unit_test(test_rbox_example),
		cmocka_unit_test(test_partner_fields),
		cmocka_unit_test(test_sbox_match_order),
		cmocka_unit_test(test_no_gate_without_filter),
		cmocka_unit_test(test_odd_enables),
		cmocka_unit_test(test_shared_between_groups),
		cmocka_unit_test(test_rotation),
		cmocka_unit_test(test_sockets_alike),
		cmocka_unit_test(test_whole_socket),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_every_mistake),
		cmocka_unit_test(test_safe_interval), cmocka_unit_test(test_resolution), cmocka_unit_test(test_watches),
		cmocka_unit_test(test_watch_names), cmocka_unit_test(test_counter_watches),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_port_note),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_metric_links),
		cmocka_unit_test(test_own_metrics),
		cmocka_unit_test(test_row_of_the_contract),
		cmocka_unit_test(test_lacking),
		cmocka_unit_test(test_all_mistakes),
		cmocka_unit_test(test_random_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
