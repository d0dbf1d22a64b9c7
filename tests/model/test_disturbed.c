/* test_disturbed.c - others write our registers, reads fail, clocks stop: what is not ours is flagged and left out, to
 * the last count, and nobody else's slot is touched by it.
 *
 * Time stands still during a tick here, so each expectation is an equation between a published total and what the
 * model says that the counter counted at the moments of the ticks.
 */
#include "config.h"

#include "access/counting.h"
#include "rig.h"

#define SECOND "interval = \"1s\"; "
#define EN_ALL BIT(28)
#define RST_ALL BIT(29)

static struct rig r;
static struct run u;

static void begin(const char *conf)
{
	rig_open(&r, 1, "stream", 21);
	run_open(&u, &r, conf, NULL);
	/* High up, so that a counter set to 0 is seen to be: not every one could have come there by counting. */
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, TOP48 / 2 + k * 12345);
	run_start(&u);
	run_ticks(&u, 3, 0);
	run_exact(&u, __LINE__, NULL);
}

static void end(void)
{
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

static void write_foreign(uint32_t off, uint64_t value)
{
	assert_int_equal(model_write(r.m, 0, msr(off), value), 0);
}

static uint64_t peek(uint32_t off)
{
	return model_peek(r.m, 0, msr(off));
}

static void has_reason(const struct slot *s, enum reason want, int line)
{
	if (slot_reason(&u, 0, s) != want)
		print_error("line %d: %s is \"%s\", not \"%s\"\n", line, s->plan->identity,
			    reason_name(slot_reason(&u, 0, s)), reason_name(want));
	assert_int_equal(slot_reason(&u, 0, s), want);
}

static void has_total(const struct slot *s, uint64_t want, int line)
{
	same_u64(slot_total(&u, 0, s), want, s->plan->identity, line);
}

/* ------------------------------------------------------------------ foreign writes */

static void foreign_control_write(void **state)
{
	static const char *const skip[] = { "cbox3/LLC_MISSES:ALL", NULL };
	uint64_t ours, taken, before[RIG_REGS], after[RIG_REGS];
	struct slot *s;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	ours = slot_truth(&u, 0, s);            /* at the last check that passed */
	taken = model_peek(r.m, 0, s->ctl);
	rig_peek_all(&r, 0, before);
	rig_advance(&r, NSEC_PER_SEC / 4);
	write_foreign(s->ctl.off, 0x400f15);    /* another event, counting */
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_FOREIGN, __LINE__);
	has_total(s, ours, __LINE__);
	run_exact(&u, __LINE__, skip);
	/* His value stays, and nothing else has changed. */
	assert_int_equal(model_peek(r.m, 0, s->ctl), 0x400f15);
	write_foreign(s->ctl.off, taken);
	rig_peek_all(&r, 0, after);
	rig_same(before, after, __LINE__);
	write_foreign(s->ctl.off, 0x400f15);
	assert_int_equal(u.s[0].words[W_FOREIGN], 1);

	/* A second later it is ours again and goes on from where it stood. */
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_NONE, __LINE__);
	has_total(s, ours, __LINE__);
	assert_int_equal(model_peek(r.m, 0, s->ctl), taken);
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

static void foreign_sub_control_write(void **state)
{
	/* Port 2's IPERF_CFG1 carries NULL_IDLE. M-Box 0's FVC register holds the fields of EV0 and EV1: who writes it
	 * has his hands on both. S-Box 0's mask belongs to its match register. */
	static const struct {
		int line; uint32_t off; uint64_t flip; const char *hit[3];
	} rows[] = {
		{ __LINE__, 0xe26, BIT(31), { "rbox0/NULL_IDLE,port=2" } },
		{ __LINE__, 0xcab, BIT(15), { "mbox0/FVC_EV1:BBOX_RSP_ACK", "mbox0/FVC_EV0:BBOX_CMDS_READS" } },
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
		if (reason == REASON_RESET)             /* the read that showed it is the new base */
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
	same_u64(s->words[reason == REASON_RESET ? W_RESETS : W_FOREIGN], s->n_slots, "counted", line);
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
		"interval = \"1s\"; groups = ( { name = \"a\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"cbox5/MAF_ACK\" ]; },"
		"{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; } );";

	static const uint32_t off[] = { 0xdb0, 0xc72, 0xda0 };   /* its own control; B-Box 1's, later; C-Box 5's enables */

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

/* While it was not our round's turn somebody began to use its counter: it is his, flagged at once, ours again after the
 * back-off. Had he only left an event in it without counting, it would be written over. */
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

/* ------------------------------------------------------------------ reads that fail */

static void data_register_fails_for_a_while(void **state)
{
	static const char *const skip[] = { "sbox1/PKTS_SENT_HOM:RBOX", NULL };
	uint64_t before;
	struct slot *s;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	before = slot_truth(&u, 0, s);
	model_fault(r.m, 0, MODEL_EIO, s->data, true);
	for (unsigned k = 0; k < 7; k++) {
		run_ticks(&u, 1, 0);
		has_reason(s, REASON_READ_ERROR, __LINE__);
		has_total(s, before, __LINE__);
		run_exact(&u, __LINE__, skip);
	}
	model_fault(r.m, 0, MODEL_EIO, s->data, false);
	run_ticks(&u, 1, 0);
	run_exact(&u, __LINE__, NULL);          /* the gap counts */
	assert_int_equal(u.s[0].words[W_READ_ERRORS], 7);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	end();
}

static void every_cpu_offline_for_a_while(void **state)
{
	uint64_t before[98];

	(void)state;
	begin(RIG_ALL(SECOND));
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		before[k] = slot_truth(&u, 0, &u.s[0].slots[k]);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), true);
	run_ticks(&u, 5, 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		has_total(&u.s[0].slots[k], before[k], __LINE__);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), false);
	run_ticks(&u, 1, 0);
	run_exact(&u, __LINE__, NULL);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	end();
}

/* A control register that cannot be read: the count is not vouched for, so it waits; and if then it turns out that it
 * was not ours, it never enters the total. */
static void control_register_fails(void **state)
{
	static const char *const skip[] = { "cbox0/TRANS_IRQ", NULL };
	struct slot *s;
	uint64_t ours;

	(void)state;
	for (unsigned taken = 0; taken < 2; taken++) {
		begin(RIG_ALL(SECOND));
		s = run_slot(&u, 0, skip[0]);
		ours = slot_truth(&u, 0, s);
		if (taken)
			write_foreign(s->ctl.off, 0x400f15);
		model_fault(r.m, 0, MODEL_EIO, s->ctl, true);
		for (unsigned k = 0; k < 3; k++) {
			run_ticks(&u, 1, 0);
			has_reason(s, REASON_READ_ERROR, __LINE__);
			has_total(s, ours, __LINE__);
			run_exact(&u, __LINE__, skip);
		}
		model_fault(r.m, 0, MODEL_EIO, s->ctl, false);
		run_ticks(&u, 1, 0);
		if (taken) {
			has_reason(s, REASON_FOREIGN, __LINE__);
			has_total(s, ours, __LINE__);
		} else {
			has_total(s, slot_truth(&u, 0, s), __LINE__);
		}
		run_exact(&u, __LINE__, taken ? skip : NULL);
		run_stop(&u);
		end();
	}
}

static void gap_longer_than_is_safe(void **state)
{
	static const char *const skip[] = { "sbox0/REQ_TBL_OCCUPANCY:ALL", NULL };
	uint64_t ours;
	struct slot *s;
	nsec gap = 0;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	ours = slot_truth(&u, 0, s);
	/* 48 increments a cycle at 2.67 GHz and a quarter more: 2^48 / 160e9 = 1757 s. */
	assert_int_equal(s->plan->safe_interval / NSEC_PER_SEC, 1757);
	model_fault(r.m, 0, MODEL_EIO, s->data, true);
	while (gap < s->plan->safe_interval) {
		run_ticks(&u, 1, 50 * NSEC_PER_SEC);
		gap += 50 * NSEC_PER_SEC;
		has_reason(s, REASON_READ_ERROR, __LINE__);
	}
	model_fault(r.m, 0, MODEL_EIO, s->data, false);
	run_ticks(&u, 1, NSEC_PER_SEC);
	has_reason(s, REASON_LATE, __LINE__);
	has_total(s, ours, __LINE__);
	run_exact(&u, __LINE__, skip);
	ours -= slot_truth(&u, 0, s);
	run_ticks(&u, 3, 0);
	has_reason(s, REASON_NONE, __LINE__);
	has_total(s, ours + slot_truth(&u, 0, s), __LINE__);
	run_stop(&u);
	run_exact(&u, __LINE__, skip);
	end();
}

/* The sampler itself is late: the machine slept, say. Only what may have wrapped meanwhile is lost. */
static void sleep_longer_than_is_safe(void **state)
{
	nsec slept = 4000 * NSEC_PER_SEC;
	uint64_t ours[98];
	unsigned late = 0;

	(void)state;
	begin(RIG_ALL(SECOND));
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		ours[k] = slot_truth(&u, 0, &u.s[0].slots[k]);
	run_ticks(&u, 1, slept);
	for (unsigned k = 0; k < u.s[0].n_slots; k++) {
		struct slot *s = &u.s[0].slots[k];
		bool unsafe = s->plan->safe_interval <= slept;

		late += unsafe;
		has_reason(s, unsafe ? REASON_LATE : REASON_NONE, __LINE__);
		has_total(s, unsafe ? ours[k] : slot_truth(&u, 0, s), __LINE__);
		ours[k] -= unsafe ? slot_truth(&u, 0, s) : ours[k];
	}
	assert_int_equal(late, 8 + 2);          /* 24 a cycle in each C-Box, 48 in each S-Box; 2^48 / 80e9 = 3515 s */
	run_ticks(&u, 3, 0);
	run_stop(&u);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		has_total(&u.s[0].slots[k], ours[k] + slot_truth(&u, 0, &u.s[0].slots[k]), __LINE__);
	end();
}

/* ------------------------------------------------------------------ a clock that stands still */

static void stopped_clock(void **state)
{
	uint64_t before[98];

	(void)state;
	begin(RIG_ALL(SECOND));
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		before[k] = slot_truth(&u, 0, &u.s[0].slots[k]);
	model_fault(r.m, 0, MODEL_STOP_CLOCK, msr(0), true);
	run_ticks(&u, 9, 0);
	run_exact(&u, __LINE__, NULL);          /* not yet: 0 is a value */
	run_ticks(&u, 2, 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++) {
		has_reason(&u.s[0].slots[k], REASON_STOPPED, __LINE__);
		has_total(&u.s[0].slots[k], before[k], __LINE__);
	}
	model_fault(r.m, 0, MODEL_STOP_CLOCK, msr(0), false);
	run_ticks(&u, 2, 0);
	run_exact(&u, __LINE__, NULL);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	end();
}

/* ------------------------------------------------------------------ no writing at all */

static void writes_refused_at_start(void **state)
{
	uint64_t before[RIG_REGS], after[RIG_REGS];
	struct err err = { "" };

	(void)state;
	rig_open(&r, 1, "stream", 2);
	/* Somebody has left things behind. */
	write_foreign(0xd10, 0x400f15);
	write_foreign(0xe04, 0x80000000);
	write_foreign(0xc00, RST_ALL);
	rig_peek_all(&r, 0, before);
	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), true);
	assert_int_equal(run_try_start(&u, &err), -EPERM);
	assert_non_null(strstr(err.text, "lockdown"));
	rig_peek_all(&r, 0, after);
	rig_same(before, after, __LINE__);
	end();
}

/* The n-th write fails, whichever it is: what was written is taken back. */
static void refuse_nth_write(struct rig *rig, unsigned socket, struct reg reg, bool write)
{
	unsigned *left = rig->hook_arg;

	(void)reg;
	if (!write)
		return;
	model_fault(rig->m, socket, MODEL_WRITE_EPERM, msr(0), *left == 0);
	*left -= 1;
}

static void a_write_in_the_middle_refused(void **state)
{
	uint64_t before[RIG_REGS], after[RIG_REGS];
	unsigned n, failed = 0;

	(void)state;
	for (n = 0; n < 400; n += 7) {
		struct err err = { "" };
		unsigned left = n;
		int rc;

		rig_open(&r, 1, "stream", 2);
		write_foreign(0xd10, 0x15);
		write_foreign(0xe04, 0x80000000);
		write_foreign(0xc00, RST_ALL);
		rig_peek_all(&r, 0, before);
		run_open(&u, &r, RIG_ALL(SECOND), NULL);
		r.hook = refuse_nth_write;
		r.hook_arg = &left;
		rc = run_try_start(&u, &err);
		r.hook = NULL;
		model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), false);
		if (rc == 0) {
			end();
			break;
		}
		assert_int_equal(rc, -EPERM);
		rig_peek_all(&r, 0, after);
		rig_same(before, after, __LINE__);
		failed++;
		end();
	}
	assert_in_range(failed, 10, 40);        /* about 140 writes, each seventh */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_control_write),
		cmocka_unit_test(foreign_to_the_end),
		cmocka_unit_test(foreign_sub_control_write),
		cmocka_unit_test(another_tool_stops_everything),
		cmocka_unit_test(another_tool_resets_everything),
		cmocka_unit_test(foreign_within_a_tick),
		cmocka_unit_test(foreign_while_a_round_stops),
		cmocka_unit_test(foreign_out_of_turn),
		cmocka_unit_test(data_register_fails_for_a_while),
		cmocka_unit_test(every_cpu_offline_for_a_while),
		cmocka_unit_test(control_register_fails),
		cmocka_unit_test(gap_longer_than_is_safe),
		cmocka_unit_test(sleep_longer_than_is_safe),
		cmocka_unit_test(stopped_clock),
		cmocka_unit_test(writes_refused_at_start),
		cmocka_unit_test(a_write_in_the_middle_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
