/* SPDX-License-Identifier: MIT
 * Reads fail, clocks stop, writes are refused: what is not known is flagged,
 * nothing that was counted is lost if it can be known later, and nothing else is touched.
 */
#include "solo.h"

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

/* The time to re-arm comes while nobody answers: it is done later, and from a base that was read
 * then. */
static void offline_when_it_is_to_be_rearmed(void **state)
{
	static const char *const skip[] = { "cbox2/MAF_ACK,threshold=1", NULL };
	struct slot *s;
	uint64_t ours;

	(void)state;
	begin(RIG_ALL(SECOND));
	s = run_slot(&u, 0, skip[0]);
	ours = slot_truth(&u, 0, s);
	write_foreign(s->ctl.off, 0x400f15);
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_FOREIGN, __LINE__);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), true);
	run_ticks(&u, 20, 0);
	has_reason(s, REASON_FOREIGN, __LINE__);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), false);
	run_ticks(&u, 1, 0);
	has_reason(s, REASON_NONE, __LINE__);
	has_total(s, ours, __LINE__);
	run_exact(&u, __LINE__, skip);
	ours -= slot_truth(&u, 0, s);
	run_ticks(&u, 3, 0);
	has_total(s, ours + slot_truth(&u, 0, s), __LINE__);
	run_stop(&u);
	run_exact(&u, __LINE__, skip);
	end();
}

/* A control register that cannot be read: the count is not vouched for, so it waits; and if then it
 * turns out that it was not ours, it never enters the total. */
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

/* The sampler itself is late: the machine slept, say. Only what may have wrapped meanwhile is
 * lost. */
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
	/* 24 a cycle in each C-Box, 48 in each S-Box; 2^48 / 80e9 = 3515 s */
	assert_int_equal(late, 8 + 2);
	run_ticks(&u, 3, 0);
	run_stop(&u);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		has_total(&u.s[0].slots[k],
			  ours[k] + slot_truth(&u, 0, &u.s[0].slots[k]), __LINE__);
	end();
}

/* Firmware puts every register back to 0 in a sleep of more than an hour: no total falls or has
 * what was not counted, everything is programmed again, and from then on all of it counts. */
static void sleep_and_reset(void **state)
{
	const struct plan_program *program;
	uint64_t last[98], truth[98];
	bool all = false;

	(void)state;
	begin(RIG_ALL(SECOND));
	program = u.plan->sockets[0].program;
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		last[k] = slot_total(&u, 0, &u.s[0].slots[k]);
	for (unsigned i = 0; i < program->n_regs; i++)
		model_poke(r.m, 0, program->regs[i].reg, 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, 0);
	rig_advance(&r, 4000 * NSEC_PER_SEC);
	for (unsigned tick = 0; tick < 20 && !all; tick++) {
		run_ticks(&u, 1, 0);
		all = true;
		for (unsigned k = 0; k < u.s[0].n_slots; k++) {
			struct slot *s = &u.s[0].slots[k];
			uint64_t total = slot_total(&u, 0, s);

			assert_true(tick || slot_reason(&u, 0, s) != REASON_NONE);
			all &= slot_reason(&u, 0, s) == REASON_NONE;
			assert_true(total >= last[k] && total <= slot_truth(&u, 0, s));
			last[k] = total;
			truth[k] = slot_truth(&u, 0, s);
		}
	}
	assert_true(all);
	run_ticks(&u, 5, 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++) {
		struct slot *s = &u.s[0].slots[k];

		has_reason(s, REASON_NONE, __LINE__);
		has_total(s, last[k] + slot_truth(&u, 0, s) - truth[k], __LINE__);
	}
	assert_true(slot_truth(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS")) >
		    truth[run_slot(&u, 0, "wbox0/CLOCKTICKS") - u.s[0].slots]);
	run_stop(&u);
	end();
}

/* ------------------------------------------------------------------ a clock that stands still */

/* The whole socket stands: what is measured by a clock of its own unit has stopped with it. The
 * zeros of all others are values. */
static void stopped_clock(void **state)
{
	unsigned stopped = 0, valid = 0;
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
		const char *box = u.s[0].slots[k].plan->box_name;
		bool clocked = strcmp(box, "wbox") == 0 || strcmp(box, "mbox") == 0;

		has_reason(&u.s[0].slots[k], clocked ? REASON_STOPPED : REASON_NONE, __LINE__);
		has_total(&u.s[0].slots[k], before[k], __LINE__);
		stopped += clocked;
		valid += !clocked;
	}
	assert_true(stopped > 1 && valid > 1);
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

/* A control register that faults at the start refuses its slot, and its alone; once it answers, the
 * slot is armed again after 8 s, and counts from there. */
static void a_fault_at_the_start_heals(void **state)
{
	static const char *const skip[] = { "cbox0/TRANS_IRQ", NULL };
	uint64_t before, at_rearm;
	struct slot *s;

	(void)state;
	rig_open(&r, 1, "stream", 21);
	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	s = run_slot(&u, 0, skip[0]);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, true);
	run_start(&u);
	run_ticks(&u, 3, 0);
	has_reason(s, REASON_REFUSED, __LINE__);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, false);
	run_ticks(&u, 4, 0);
	has_reason(s, REASON_REFUSED, __LINE__);        /* not yet */
	has_total(s, 0, __LINE__);
	run_exact(&u, __LINE__, skip);
	run_ticks(&u, 3, 0);
	has_reason(s, REASON_NONE, __LINE__);
	before = slot_total(&u, 0, s);
	at_rearm = slot_truth(&u, 0, s);
	run_ticks(&u, 3, 0);
	same_u64(slot_total(&u, 0, s) - before, slot_truth(&u, 0, s) - at_rearm, "since", __LINE__);
	assert_true(slot_total(&u, 0, s) > before);
	run_exact(&u, __LINE__, skip);
	run_stop(&u);
	run_exact(&u, __LINE__, skip);
	end();
}

/* One failed read of the start is a fault of that moment: the second read finds nothing wrong. */
static void fail_nth_read(struct rig *rig, unsigned socket, struct reg reg, bool write)
{
	unsigned *left = rig->hook_arg;

	if (write)
		return;
	model_fault(rig->m, socket, MODEL_EIO, reg, *left == 0);
	*left -= 1;
}

static void one_failed_read_of_the_start_refuses_nothing(void **state)
{
	unsigned n, reads = 0;

	(void)state;
	for (n = 0; n < 400; n += 3) {
		unsigned left = n;

		rig_open(&r, 1, "stream", 21);
		run_open(&u, &r, RIG_ALL(SECOND), NULL);
		r.hook = fail_nth_read;
		r.hook_arg = &left;
		run_start(&u);
		r.hook = NULL;
		for (unsigned k = 0; k < u.s[0].n_slots; k++)
			if (slot_reason(&u, 0, &u.s[0].slots[k]) == REASON_REFUSED)
				fail_msg("read %u of the start refuses %s", n,
					 u.s[0].slots[k].plan->identity);
		reads += left > n;              /* it was reached */
		end();
	}
	assert_in_range(reads, 50, 134);
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

/* Every slot of the round that runs counts, every other has this reason, and what is derived of
 * these; and nobody is said to have written. */
static void one_round_counts(unsigned round, enum reason others, int line)
{
	const struct plan_socket *p = &u.plan->sockets[0];

	same_u64(u.s[0].words[W_ROUND], round, "the round", line);
	same_u64(u.s[0].words[W_FOREIGN], 0, "foreign writes", line);
	for (unsigned i = 0; i < u.s[0].n_slots; i++) {
		const struct slot *s = &u.s[0].slots[i];

		has_reason(s, s->round == round ? REASON_NONE : others, line);
		/* the B-Box counter is for both */
		if (s->round == round && s->plan->box->n_units != 2)
			has_total(s, slot_truth(&u, 0, s), line);
	}
	for (unsigned i = 0; i < p->n_metrics; i++) {
		const struct plan_metric *m = &p->metrics[i];

		if (m->round != round && !m->hidden)
			same_u64(u.s[0].words[u.s[0].layout.metric_reason + m->series], others,
				 m->name, line);
	}
}

/* msr.allow_writes=off, or lockdown, while it counts: no other round can have its turn, but to read
 * takes no write. */
static void writes_refused_while_counting(void **state)
{
	struct run again;

	(void)state;
	rig_open(&r, 1, "stream", 2);
	run_open(&u, &r, "interval = \"1s\"; rotation = \"2s\"; groups = ("
		 "{ name = \"a\"; events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; events = [ \"bbox/IMT_INSERTS_RD\", \"cbox/LLC_HITS:ALL\" "
		 "]; } );", NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 2);
	assert_true(u.plan->sockets[0].n_metrics > 0);
	run_start(&u);
	for (unsigned turn = 0; turn < 4; turn++) {
		unsigned round = turn % 2;

		model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), false);
		for (unsigned i = 0; u.s[0].words[W_ROUND] != round && i < 9; i++)
			run_ticks(&u, 1, 0);
		run_ticks(&u, 1, 0);
		model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), true);
		run_ticks(&u, 5, 0);
		for (unsigned i = 0; i < 5; i++) {
			run_ticks(&u, 1, 0);
			one_round_counts(round, REASON_REFUSED, __LINE__);
		}
	}
	/* A reload that cannot take place: its counters run on, and so does who reads them. */
	run_stop(&u);
	assert_true(sampler_runs(u.s[0].sampler));
	again = u;
	again.before = &u;
	again.s[0].sampler = NULL;
	assert_int_equal(run_try_start(&again, NULL), 0);
	run_ticks(&again, 4, 0);
	for (unsigned i = 0; i < again.s[0].n_slots; i++) {
		const struct slot *s = &again.s[0].slots[i];

		if (s->round != 1)
			continue;
		assert_int_equal(slot_reason(&again, 0, s), REASON_NONE);
		if (s->plan->box->n_units != 2)
			same_u64(slot_total(&again, 0, s), slot_truth(&again, 0, s),
				 s->plan->identity, __LINE__);
	}
	sampler_free(again.s[0].sampler);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_register_fails_for_a_while),
		cmocka_unit_test(every_cpu_offline_for_a_while),
		cmocka_unit_test(offline_when_it_is_to_be_rearmed),
		cmocka_unit_test(control_register_fails),
		cmocka_unit_test(gap_longer_than_is_safe),
		cmocka_unit_test(sleep_longer_than_is_safe),
		cmocka_unit_test(sleep_and_reset),
		cmocka_unit_test(stopped_clock),
		cmocka_unit_test(writes_refused_at_start),
		cmocka_unit_test(a_fault_at_the_start_heals),
		cmocka_unit_test(one_failed_read_of_the_start_refuses_nothing),
		cmocka_unit_test(a_write_in_the_middle_refused),
		cmocka_unit_test(writes_refused_while_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
