/* SPDX-License-Identifier: MIT
 * Others write our registers: what they counted is left out to the last count, and
 * no other slot is touched by it.
 */
#include "solo.h"

static void foreign_control_write(void **state)
{
	static const char *const skip[] = { "cbox3/LLC_MISSES:ALL", NULL };
	uint64_t ours, foreign, before[RIG_REGS], after[RIG_REGS];
	struct slot *s;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	ours = slot_truth(&u, 0, s);            /* at the last check that passed */
	foreign = model_peek(r.m, 0, s->ctl);
	rig_peek_all(&r, 0, before);
	rig_advance(&r, NSEC_PER_SEC / 4);
	write_foreign(s->ctl.off, 0x400f15);    /* another event, counting */
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_FOREIGN, __LINE__);
	has_total(s, ours, __LINE__);
	run_exact(&u, __LINE__, skip);
	/* His value stays, and nothing else has changed. */
	assert_int_equal(model_peek(r.m, 0, s->ctl), 0x400f15);
	write_foreign(s->ctl.off, foreign);
	rig_peek_all(&r, 0, after);
	rig_same(before, after, __LINE__);
	write_foreign(s->ctl.off, 0x400f15);
	assert_int_equal(u.s[0].words[W_FOREIGN], 1);

	/* A second later it is ours again and goes on from where it stood. */
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_NONE, __LINE__);
	has_total(s, ours, __LINE__);
	assert_int_equal(model_peek(r.m, 0, s->ctl), foreign);
	ours -= slot_truth(&u, 0, s);
	run_ticks(&u, 5, 0);
	has_total(s, ours + slot_truth(&u, 0, s), __LINE__);
	assert_true(slot_total(&u, 0, s) < slot_truth(&u, 0, s));
	run_stop(&u);
	run_exact(&u, __LINE__, skip);
	has_total(s, ours + slot_truth(&u, 0, s), __LINE__);
	assert_int_equal(u.s[0].words[W_INVALID + REASON_FOREIGN], 1);
	end();
}

/* Again and again: re-armed after 1, 2 and 4 s, then he has it. */
static void foreign_to_the_end(void **state)
{
	static const char *const skip[] = { "bbox1/IMT_INSERTS_ALL", NULL };
	unsigned armed = 0, at[8] = { 0 };
	uint64_t total = 0;
	struct slot *s;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	for (unsigned tick = 0; tick < 30; tick++) {
		if (slot_reason(&u, 0, s) == REASON_NONE) {
			total = slot_total(&u, 0, s);
			assert_true(armed < COUNT(at));
			at[armed++] = tick;
			write_foreign(s->ctl.off, 0x21);
		}
		run_ticks(&u, 1, 0);
		has_total(s, total, __LINE__);
		run_exact(&u, __LINE__, skip);
	}
	/* Taken in tick 0; seen by the next, armed 1 s after that, taken again ... */
	assert_int_equal(armed, 4);
	assert_int_equal(at[1] - at[0], 1 + 1);
	assert_int_equal(at[2] - at[1], 1 + 2);
	assert_int_equal(at[3] - at[2], 1 + 4);
	assert_int_equal(model_peek(r.m, 0, s->ctl), 0x21);
	run_stop(&u);
	run_restore(&u, NULL);
	assert_int_equal(model_peek(r.m, 0, s->ctl), 0x21);
	end();
}

/* Once in eleven minutes is another time: each is re-armed after a second. */
static void foreign_now_and_then(void **state)
{
	struct slot *s;

	(void)state;
	begin(SECOND "groups = ( { name = \"g\"; events = [ \"bbox1/IMT_INSERTS_ALL\" ]; } );");
	s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
	for (unsigned i = 0; i < 5; i++) {
		write_foreign(s->ctl.off, 0x21);
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_FOREIGN, __LINE__);
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_NONE, __LINE__);
		run_ticks(&u, 660, 0);
		has_reason(s, REASON_NONE, __LINE__);
	}
	end();
}

/* Its register fails whenever it is to be set up again. Nobody takes it, so that it is not given
 * up: once the register answers, it counts within 8 s and the second after that. */
static void foreign_while_its_register_fails(void **state)
{
	static const char *const skip[] = { "bbox1/IMT_INSERTS_ALL", NULL };
	struct slot *s;
	uint64_t total;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	total = slot_total(&u, 0, s);
	write_foreign(s->ctl.off, 0x21);
	run_ticks(&u, 1, 0);
	assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, true);
	run_ticks(&u, 60, 0);
	assert_int_not_equal(slot_reason(&u, 0, s), REASON_NONE);
	has_total(s, total, __LINE__);
	run_exact(&u, __LINE__, skip);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, false);
	run_ticks(&u, 8 + 1, 0);
	assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
	end();
}

static void foreign_sub_control_write(void **state)
{
	/* Port 2's IPERF_CFG1 carries NULL_IDLE. M-Box 0's FVC register holds the fields of EV0 and
	 * EV1, each three bits from bit 11 on. S-Box 0's mask belongs to its match register. */
	static const struct {
		int line; uint32_t off; uint64_t flip; const char *hit[3];
	} rows[] = {
		{ __LINE__, 0xe26, BIT(31), { "rbox0/NULL_IDLE,port=2" } },
		{ __LINE__, 0xcab, BIT(15), { "mbox0/FVC_EV1:BBOX_RSP_ACK" } },
		{ __LINE__, 0xcab, BIT(11), { "mbox0/FVC_EV0:BBOX_CMDS_READS" } },
		{ __LINE__, 0xcab, BIT(11) | BIT(14), { "mbox0/FVC_EV1:BBOX_RSP_ACK", "mbox0/FVC_EV0:BBOX_CMDS_READS" } },
		{ __LINE__, 0xca7, BIT(5), { "mbox0/BCMD_SCHEDQ_OCCUPANCY:ALL" } },
		{ __LINE__, 0xe4a, BIT(0), { "sbox0/TO_R_PROG_EV,match=0x80000000000" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t ours, was;
		struct slot *s;

		begin(RIG_ALL(SECOND));
		s = run_slot(&u, 0, rows[i].hit[0]);
		ours = slot_truth(&u, 0, s);
		was = peek(rows[i].off);
		rig_advance(&r, NSEC_PER_SEC / 2);
		model_poke(r.m, 0, msr(rows[i].off), was ^ rows[i].flip);
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_FOREIGN, rows[i].line);
		has_total(s, ours, rows[i].line);
		run_exact(&u, rows[i].line, rows[i].hit);
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_NONE, rows[i].line);
		has_total(s, ours, rows[i].line);
		same_u64(peek(rows[i].off), was, "sub-control", rows[i].line);
		ours -= slot_truth(&u, 0, s);
		run_ticks(&u, 3, 0);
		has_total(s, ours + slot_truth(&u, 0, s), rows[i].line);
		run_stop(&u);
		run_exact(&u, rows[i].line, rows[i].hit);
		end();
	}
}

/* Each slot's total stands where the last check had passed, then goes on from there. */
static void all_lost_and_found(enum reason reason, int line, void (*disturb)(void))
{
	uint64_t ours[98];
	struct run_socket *s = &u.s[0];

	for (unsigned k = 0; k < s->n_slots; k++)
		ours[k] = slot_truth(&u, 0, &s->slots[k]);
	rig_advance(&r, NSEC_PER_SEC / 3);
	disturb();
	run_ticks(&u, 1, 0);
	for (unsigned k = 0; k < s->n_slots; k++) {
		has_reason(&s->slots[k], reason, line);
		has_total(&s->slots[k], ours[k], line);
		if (reason == REASON_RESET)	/* the read that showed it is the new base */
			ours[k] -= slot_truth(&u, 0, &s->slots[k]);
	}
	run_ticks(&u, 1, 0);
	for (unsigned k = 0; k < s->n_slots; k++) {
		has_reason(&s->slots[k], REASON_NONE, line);
		if (reason == REASON_FOREIGN)           /* re-armed now */
			ours[k] -= slot_truth(&u, 0, &s->slots[k]);
	}
	run_ticks(&u, 4, 0);
	run_stop(&u);
	for (unsigned k = 0; k < s->n_slots; k++)
		has_total(&s->slots[k], ours[k] + slot_truth(&u, 0, &s->slots[k]), line);
	same_u64(s->words[reason == REASON_RESET ? W_RESETS : W_FOREIGN], s->n_slots,
		 "counted", line);
	same_u64(s->words[W_INVALID + reason], s->n_slots, "samples invalid", line);
}

static void clear_en_all(void)
{
	write_foreign(0xc00, peek(0xc00) & ~EN_ALL);
}

static void another_tool_stops_everything(void **state)
{
	(void)state;
	begin(RIG_ALL(SECOND));
	all_lost_and_found(REASON_FOREIGN, __LINE__, clear_en_all);
	end();
}

static void pulse_rst_all(void)
{
	uint64_t ctl = peek(0xc00);

	write_foreign(0xc00, ctl | RST_ALL);
	rig_advance(&r, 100);
	write_foreign(0xc00, ctl & ~RST_ALL);
}

static void another_tool_resets_everything(void **state)
{
	(void)state;
	begin(RIG_ALL(SECOND));
	all_lost_and_found(REASON_RESET, __LINE__, pulse_rst_all);
	end();
}

/* At a given access within a tick somebody takes C-Box 5's counter 5. */
struct moment {
	uint32_t off;
	bool write, come;
	uint64_t truth;             /* of the counter, then */
	const struct slot *slot;
};

static void take_at(struct rig *rig, unsigned socket, struct reg reg, bool write)
{
	struct moment *m = rig->hook_arg;

	if (m->come || reg.off != m->off || write != m->write)
		return;
	m->come = true;
	m->truth = model_truth(rig->m, socket, m->slot->data);
	write_foreign(m->slot->ctl.off, 0x400f15);
}

/* Whatever the moment: nothing that was counted after it is in the total. */
static void foreign_within_a_tick(void **state)
{
	static const char *const skip[] = { "cbox5/MAF_ACK,threshold=1", NULL };
	static const struct { int line; uint32_t off; bool write, now; } rows[] = {
		{ __LINE__, 0xc11, false, true },       /* before the first count is read */
		{ __LINE__, 0xdbb, false, true },       /* before its own is */
		{ __LINE__, 0x394, false, true },       /* before the last */
		{ __LINE__, 0xe04, false, true },       /* before the first register is checked */
		{ __LINE__, 0xdba, false, true },       /* before its own is */
		{ __LINE__, 0x395, false, false },      /* after that: found by the next tick */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct moment m = { .off = rows[i].off, .write = rows[i].write };

		begin(RIG_ALL(SECOND));
		r.latency = 900;
		m.slot = run_slot(&u, 0, skip[0]);
		assert_int_equal(m.slot->ctl.off, 0xdba);
		r.hook = take_at;
		r.hook_arg = &m;
		run_ticks(&u, 1, 0);
		r.hook = NULL;
		assert_true(m.come);
		has_reason(m.slot, rows[i].now ? REASON_FOREIGN : REASON_NONE, rows[i].line);
		assert_true(slot_total(&u, 0, m.slot) <= m.truth - m.slot->truth0);
		run_ticks(&u, 1, 0);
		assert_true(slot_total(&u, 0, m.slot) <= m.truth - m.slot->truth0);
		run_stop(&u);
		run_exact(&u, rows[i].line, skip);
		end();
	}
}

/* The same while a round is stopped: by its end, or for good. */
static void foreign_while_a_round_stops(void **state)
{
	static const char rotating[] =
		"interval = \"1s\"; groups = ( { name = \"a\"; events = [ "
		"\"bbox/IMT_INSERTS_ALL\", \"cbox5/MAF_ACK\" ]; },"
		"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; } );";

	/* its own control; B-Box 1's, later; C-Box 5's enables */
	static const uint32_t off[] = { 0xdb0, 0xc72, 0xda0 };

	(void)state;
	for (unsigned last = 0; last < 2; last++)
		for (size_t i = 0; i < COUNT(off); i++) {
			struct moment m = { .off = off[i], .write = true };

			rig_open(&r, 1, "stream", 1);
			run_open(&u, &r, rotating, NULL);
			run_start(&u);
			m.slot = run_slot(&u, 0, "cbox5/MAF_ACK");
			assert_int_equal(m.slot->ctl.off, 0xdb0);
			r.latency = 900;
			rig_advance(&r, NSEC_PER_SEC / 2);
			r.hook = take_at;
			r.hook_arg = &m;
			if (last)
				run_stop(&u);
			else
				run_ticks(&u, 1, 0);
			r.hook = NULL;
			assert_true(m.come);
			rig_advance(&r, NSEC_PER_SEC / 4);
			assert_true(slot_total(&u, 0, m.slot) > 0);
			assert_true(slot_total(&u, 0, m.slot) <= m.truth - m.slot->truth0);
			end();
		}
}

/* While it was not our round's turn somebody began to use its counter: it is his, flagged at once,
 * ours again after the back-off. Had he only left an event in it without counting, it would be
 * written over. */
static void foreign_out_of_turn(void **state)
{
	static const char rotating[] =
		"interval = \"1s\"; rotation = \"5s\"; groups = ("
		"{ name = \"a\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"cbox5/MAF_ACK\" ]; },"
		"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; } );";

	(void)state;
	for (unsigned counting = 0; counting < 2; counting++) {
		uint64_t ours;
		struct slot *s;

		rig_open(&r, 1, "stream", 1);
		run_open(&u, &r, rotating, NULL);
		run_start(&u);
		s = run_slot(&u, 0, "cbox5/MAF_ACK");
		run_ticks(&u, 6, 0);
		assert_int_equal(u.s[0].words[W_ROUND], 1);
		ours = slot_truth(&u, 0, s);
		has_total(s, ours, __LINE__);
		write_foreign(0xdb0, 0x400f15);
		if (counting)
			write_foreign(0xda0, 1);
		while (u.s[0].words[W_ROUND] == 1) {
			has_reason(s, REASON_NONE, __LINE__);
			has_total(s, ours, __LINE__);
			run_ticks(&u, 1, 0);
		}
		has_reason(s, counting ? REASON_FOREIGN : REASON_NONE, __LINE__);
		has_total(s, ours, __LINE__);
		assert_int_equal(u.s[0].words[W_FOREIGN], counting);
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_NONE, __LINE__);
		if (counting)
			has_total(s, ours, __LINE__);
		ours = slot_total(&u, 0, s) - slot_truth(&u, 0, s);
		run_ticks(&u, 1, 0);
		has_total(s, ours + slot_truth(&u, 0, s), __LINE__);
		run_stop(&u);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_control_write),
		cmocka_unit_test(foreign_to_the_end),
		cmocka_unit_test(foreign_now_and_then),
		cmocka_unit_test(foreign_while_its_register_fails),
		cmocka_unit_test(foreign_sub_control_write),
		cmocka_unit_test(another_tool_stops_everything),
		cmocka_unit_test(another_tool_resets_everything),
		cmocka_unit_test(foreign_within_a_tick),
		cmocka_unit_test(foreign_while_a_round_stops),
		cmocka_unit_test(foreign_out_of_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
