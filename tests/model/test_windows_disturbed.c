/* SPDX-License-Identifier: MIT
 * Overflow windows beside others, under interference and faults, in turns:
 * they are refused, flagged and repaired.
 */
#include "windows.h"

/* ------------------------------------------------------------------ others, faults, turns */

/* The end of a window would stop them: refused while a counter of somebody else is enabled, and
 * nothing is written. */
static void refused_beside_others(void **state)
{
	static const struct { const char *processor, *conf, *name; } rows[] = {
		{ "nehalem-ex", SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS), "cbox5 counter 2" },
		{ "ivytown", SECOND GROUP("ha0/REQUESTS:READS", 1000000, "\"ubox/UCLK\", \"ha/REQUESTS:READS\""), "cbox5 counter 2" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct plan_counter k = { .name = "" };       /* the plan is gone below */
		struct reg ctl_reg, box_reg = { 0 };
		struct err err = { "" };
		uint64_t control;
		struct rig r;
		struct run u;

		rig_open_as(&r, rows[i].processor, 1, "stream", 1);
		run_open(&u, &r, rows[i].conf, NULL);
		for (unsigned c = 0; c < u.plan->sockets[0].program->n_counters; c++)
			if (strcmp(u.plan->sockets[0].program->counters[c].name, rows[i].name) == 0)
				k = u.plan->sockets[0].program->counters[c];
		assert_string_equal(k.name, rows[i].name);
		ctl_reg = u.plan->sockets[0].program->regs[k.ctl].reg;
		if (k.box_enable)
			box_reg = u.plan->sockets[0].program->regs[k.box].reg;
		model_poke(r.m, 0, ctl_reg, k.ctl_enable | 0x114);
		if (k.box_enable)
			model_poke(r.m, 0, box_reg, k.box_enable);
		if (k.global_enable)
			model_poke(r.m, 0, r.cpu->global->ctl, k.global_enable);
		assert_true(model_counting(r.m, 0, k.data));
		control = model_peek(r.m, 0, r.cpu->global->ctl);
		run_close(&u);

		assert_int_equal(run_try_open(&u, &r, rows[i].conf, NULL, &err), -EBUSY);
		assert_non_null(strstr(err.text, "socket 0: ending a window would stop cbox5 "
						 "counter 2, which another program uses"));
		assert_true(model_counting(r.m, 0, k.data));
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), control);
		run_close(&u);
		rig_close(&r);
	}
}

/* Nobody writes the counter while it is somebody else's. */
static void not_preloaded(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	(void)socket;
	assert_false(write && reg_equal(reg, ((const struct slot *)r->hook_arg)->data));
}

/* Somebody changes what a window rests on, while it runs or when it is over: flagged, repaired, and
 * exact again after that. */
static void interference(void **state)
{
	static const struct { int line; uint32_t off; uint64_t clear, set; bool over; } rows[] = {
		{ __LINE__, 0xc00, BIT(31), 0, false },         /* frz_all: no window would end any more */
		{ __LINE__, 0xc00, 0, BIT(3), false },          /* pmi_core_sel: a core would be interrupted */
		{ __LINE__, 0xc00, BIT(28), 0, false },         /* en_all, but no overflow was the reason */
		{ __LINE__, 0xc72, BIT(20), 0, false },         /* pmi_en of the window's counter */
		{ __LINE__, 0xc72, 0, BIT(4), false },          /* its event */
		{ __LINE__, 0xc00, BIT(31), 0, true },
		{ __LINE__, 0xc00, 0, BIT(3), true },
		{ __LINE__, 0xc72, BIT(20), 0, true },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const uint64_t count = rows[i].over ? 1000000 : 600000000;
		const struct slot *s;
		struct watch w;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", i);
		run_open(&u, &r, rows[i].over
			 ? SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS) :
			 SECOND GROUP("bbox1/IMT_INSERTS_ALL", 600000000, EVENTS), NULL);
		run_start(&u);
		grid_ticks(&u, 10);
		s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		rig_advance(&r, rows[i].over ? 50 * NSEC_PER_MSEC : NSEC_PER_MSEC);
		assert_int_equal(model_counting(r.m, 0, s->data), !rows[i].over);
		model_write(r.m, 0, msr(rows[i].off),
			    (model_peek(r.m, 0, msr(rows[i].off)) & ~rows[i].clear) | rows[i].set);
		r.hook = not_preloaded;
		r.hook_arg = (void *)(uintptr_t)s;
		grid_ticks(&u, 1);
		r.hook = NULL;
		if (slot_reason(&u, 0, s) != REASON_FOREIGN)
			fail_msg("row of line %d: %s", rows[i].line,
				 reason_name(slot_reason(&u, 0, s)));
		grid_ticks(&u, 2);
		if (slot_reason(&u, 0, s))
			fail_msg("row of line %d: still %s", rows[i].line,
				 reason_name(slot_reason(&u, 0, s)));
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), BIT(31) | BIT(28));
		watch_begin(&w, &u, 0, "bbox1/IMT_INSERTS_ALL", count);
		w.truth = model_truth(r.m, 0, s->data) -
			(model_peek(r.m, 0, s->data) - (BIT(48) - count));
		r.hook = watch_writes;
		r.hook_arg = &w;
		grid_ticks(&u, 60);
		assert_in_range(w.windows, rows[i].over ? 60 : 10, 60);
		r.hook = NULL;
		run_stop(&u);
		run_restore(&u, NULL);
		rig_no_violation(&r);
		run_close(&u);
		rig_close(&r);
	}
}

/* A sample between an overflow and its effect: the status is set and the counters run on, for 40 ns
 * in the model. */
static void a_tick_before_the_freeze(void **state)
{
	static const struct { const char *processor, *conf, *event; uint64_t count;
			      uint32_t status; } rows[] = {
		{ "nehalem-ex", SECOND GROUP("mbox0/CYCLES", 1000000, "\"wbox/CLOCKTICKS\", \"mbox/CYCLES\""), "mbox0/CYCLES", 1000000, 0xc01 },
		{ "ivytown", SECOND GROUP("ha1/CLOCKTICKS", 1000000, "\"ubox/UCLK\", \"ha/CLOCKTICKS\""), "ha1/CLOCKTICKS", 1000000, 0xc01 },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct slot *s;
		struct watch w;
		struct rig r;
		struct run u;

		rig_open_as(&r, rows[i].processor, 1, "stream", i);
		r.latency = 4;	/* uncored is there before the effect, and not done before it */
		run_open(&u, &r, rows[i].conf, NULL);
		watch_begin(&w, &u, 0, rows[i].event, rows[i].count);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		grid_ticks(&u, 3);
		s = run_slot(&u, 0, rows[i].event);
		for (unsigned k = 0; k < 5; k++) {
			rig_advance(&r,
				    (nsec)((double)rows[i].count / model_rate(r.m, 0,
				    s->data) * 1e9) - 100);
			while (!model_peek(r.m, 0, msr(rows[i].status)))
				rig_advance(&r, 7);
			assert_true(model_counting(r.m, 0, s->data));
			if (sampler_next_peek(u.s[0].sampler))
				run_tick(&u);	/* only a check, which leaves it alone */
			assert_true(model_counting(r.m, 0, s->data));
			run_tick(&u);
			run_exact(&u, __LINE__, NULL);
			assert_int_equal(w.windows, 4 + k);
		}
		r.hook = NULL;
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		run_restore(&u, NULL);
		rig_no_violation(&r);
		run_close(&u);
		rig_close(&r);
	}
}

/* What clears an overflow does not take it, or the counter its preload: that slot says so, the
 * others count on. */
static void hardware_that_does_not_obey(void **state)
{
	static const uint32_t stuck[] = { 0xc62, 0xc73 };

	(void)state;
	for (unsigned i = 0; i < COUNT(stuck); i++) {
		const struct slot *s, *other;
		uint64_t held;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", i);
		run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS), NULL);
		run_start(&u);
		grid_ticks(&u, 5);
		s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
		other = run_slot(&u, 0, "bbox0/IMT_INSERTS_ALL");
		model_fault(r.m, 0, MODEL_STUCK, msr(stuck[i]), true);
		grid_ticks(&u, 3);
		assert_int_equal(slot_reason(&u, 0, s), REASON_REFUSED);
		held = slot_total(&u, 0, other);
		grid_ticks(&u, 10);
		assert_int_equal(slot_reason(&u, 0, other), REASON_NONE);
		same_u64(slot_total(&u, 0, other), slot_truth(&u, 0, other),
			 "the other B-Box", __LINE__);
		/* nothing freezes it any more */
		assert_true(slot_total(&u, 0, other) > held + UINT64_C(1000000000));
		run_stop(&u);
		run_close(&u);
		rig_close(&r);
	}
}

/* The counter does not take its preload when the round starts, or when it is armed again: it ends
 * no window, and says so. */
static void a_preload_that_does_not_stick(void **state)
{
	(void)state;
	for (unsigned later = 0; later < 2; later++) {
		const struct slot *s, *other;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", later);
		run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 600000000, EVENTS), NULL);
		s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
		other = run_slot(&u, 0, "bbox0/IMT_INSERTS_ALL");
		if (!later)
			model_fault(r.m, 0, MODEL_STUCK, s->data, true);
		run_start(&u);
		assert_int_equal(slot_reason(&u, 0, s), later ? REASON_NONE : REASON_REFUSED);
		if (later) {
			model_fault(r.m, 0, MODEL_STUCK, s->data, true);
			model_write(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ BIT(4));
		}
		for (unsigned k = 0; k < 20; k++) {
			grid_ticks(&u, 1);
			assert_int_not_equal(slot_reason(&u, 0, s), REASON_NONE);
			assert_int_equal(slot_reason(&u, 0, other), REASON_NONE);
			same_u64(slot_total(&u, 0, other), slot_truth(&u, 0, other),
				 "the other B-Box", __LINE__);
		}
		assert_int_equal(slot_reason(&u, 0, s), REASON_REFUSED);
		run_stop(&u);
		run_close(&u);
		rig_close(&r);
	}
}

/* What is frozen stays so until it is read, whoever is armed again before that. */
struct stopped_clock {
	struct watch watch;
	const struct slot *clock;
	uint64_t truth;             /* of the clock, before the tick */
	unsigned preloads;
};

static void clock_stands_until_the_preload(struct rig *r, unsigned socket,
					   struct reg reg, bool write)
{
	struct stopped_clock *s = r->hook_arg;

	watch_writes(r, socket, reg, write);
	if (!write || !reg_equal(reg, s->watch.slot->data))
		return;
	same_u64(model_truth(r->m, 0, s->clock->data), s->truth, "the clock", __LINE__);
	s->preloads++;
}

static void armed_again_under_a_window_that_is_over(void **state)
{
	(void)state;
	for (unsigned ivytown = 0; ivytown < 2; ivytown++) {
		const struct slot *s;
		struct stopped_clock st;
		struct rig r;
		struct run u;

		rig_open_as(&r, ivytown ? "ivytown" : "nehalem-ex", 1, "stream", 4);
		r.latency = 300;
		run_open(&u, &r, ivytown ? SECOND GROUP("ha1/REQUESTS:READS", 200000,
							"\"ubox/UCLK\", \"ha/REQUESTS:READS\"") :
			 SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000,
				      "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\""), NULL);
		watch_begin(&st.watch, &u, 0, ivytown ? "ha1/REQUESTS:READS"
			    : "bbox1/IMT_INSERTS_ALL", ivytown ? 200000 : 1000000);
		st.clock = run_slot(&u, 0, ivytown ? "ubox0/UCLK" : "wbox0/CLOCKTICKS");
		run_start(&u);
		grid_ticks(&u, 3);
		s = run_slot(&u, 0, ivytown ? "ha0/REQUESTS:READS" : "bbox0/IMT_INSERTS_ALL");
		rig_advance(&r, 50 * NSEC_PER_MSEC);
		model_write(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ BIT(4));
		grid_ticks(&u, 1);
		assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
		st.watch.truth = model_truth(r.m, 0, st.watch.slot->data);
		st.preloads = 0;
		for (unsigned k = 0; k < 3; k++) {              /* one of them arms it */
			if (sampler_next_peek(u.s[0].sampler))
				run_ticks(&u, 1, 0);	/* only reads the clock */
			rig_advance(&r, sampler_next(u.s[0].sampler) - model_now(r.m));
			assert_false(model_counting(r.m, 0, st.clock->data));
			st.truth = model_truth(r.m, 0, st.clock->data);
			r.hook = clock_stands_until_the_preload;
			r.hook_arg = &st;
			run_tick(&u);
			r.hook = NULL;
		}
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		assert_int_equal(st.preloads, 3);
		assert_int_equal(u.s[0].words[W_FOREIGN], 1);
		run_stop(&u);
		run_restore(&u, NULL);
		rig_no_violation(&r);
		run_close(&u);
		rig_close(&r);
	}
}

/* The unit that would end the windows is hidden by the BIOS: its slot says so, and the others are
 * polled as ever. */
static void a_hidden_unit_ends_no_window(void **state)
{
	const struct reg ha1 = { .space = SPACE_PCI, .dev = 28, .fn = 1 };
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 9);
	model_fault(r.m, 0, MODEL_HIDDEN, ha1, true);
	run_open(&u, &r,
		 SECOND GROUP("ha1/REQUESTS:READS", 200000,
			      "\"ubox/UCLK\", \"ha/REQUESTS:READS\", \"imc/CAS_COUNT:RD\""), NULL);
	run_start(&u);
	for (unsigned k = 0; k < 20; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, (const char *const[]){ "ha1/REQUESTS:READS", NULL });
	}
	assert_int_equal(slot_reason(&u, 0, run_slot(&u, 0, "ha1/REQUESTS:READS")), REASON_HIDDEN);
	assert_int_equal(u.s[0].words[W_FROZEN], 0);
	same_u64(u.s[0].words[u.s[0].layout.group_active], 20 * NSEC_PER_SEC, "active", __LINE__);
	run_stop(&u);
	run_restore(&u, NULL);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* Two groups with a window each take turns with one that has none. */
static void windows_take_turns(void **state)
{
	struct watch w;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 8);
	r.latency = 700;
	run_open(&u, &r, "interval = \"100ms\"; rotation = \"500ms\"; groups = ("
		 "{ name = \"a\"; window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 500000; }; "
		 "events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; window = { event = \"mbox1/CYCLES\"; count = 20000000; }; "
		 "events = [ \"bbox/IMT_INSERTS_RD\", \"mbox/CYCLES\" ]; },"
		 "{ name = \"c\"; events = [ \"bbox/IMT_INSERTS_WR\", \"wbox/CLOCKTICKS\" ]; } );",
		 NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 3);
	watch_begin(&w, &u, 1, "bbox0/IMT_INSERTS_ALL", 500000);
	r.hook = watch_writes;
	r.hook_arg = &w;
	run_start(&u);
	grid_ticks(&u, 300);
	r.hook = NULL;
	run_stop(&u);
	assert_in_range(w.windows, 70, 100);
	for (unsigned i = 0; i < 2; i++) {
		const struct run_socket *s = &u.s[i];

		for (unsigned k = 0; k < s->n_slots; k++) {
			const struct slot *slot = &s->slots[k];

			assert_int_equal(slot_reason(&u, i, slot), REASON_NONE);
			same_u64(counter_total(&u, i, slot), slot_truth(&u, i, slot),
				 slot->plan->identity, __LINE__);
		}
		for (unsigned g = 0; g < 3; g++)
			assert_true(s->words[s->layout.group_active + g] > NSEC_PER_SEC / 4);
		/* Each clock ran at its own rate, 2.4 and 4/3 GHz, in the time that its total
		 * stands for. */
		for (unsigned g = 0; g < 2; g++) {
			const struct slot *one =
				run_slot(&u, i, g ? "mbox1/CYCLES" : "wbox0/CLOCKTICKS");
			double active = (double)s->words[s->layout.slot_active + one->word];
			double clock = (double)slot_total(&u, i, one);

			assert_true(clock > 0.97 * active * (g ? 4.0 / 3 : 2.4) &&
				    clock < 1.03 * active * (g ? 4.0 / 3 : 2.4));
		}
		/* A third of the time is the third group's, and nothing is frozen then. */
		assert_in_range(s->words[s->layout.group_active + 2], 9 * NSEC_PER_SEC,
				11 * NSEC_PER_SEC);
		assert_int_equal(s->words[W_FOREIGN], 0);
		assert_int_equal(s->words[W_RESETS], 0);
	}
	assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);    /* no overflow is left standing */
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A window that is over when its round ends is no window of the next one. */
static void over_when_its_turn_ends(void **state)
{
	struct watch w;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 8);
	/* the first one lasts half of that: it is over before its round can be stopped */
	r.latency = 700;
	run_open(&u, &r, "interval = \"100ms\"; rotation = \"100ms\"; groups = ("
		 "{ name = \"a\"; window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 50; }; "
		 "events = [ \"bbox0/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; window = { event = \"mbox1/CYCLES\"; count = 20000000; }; "
		 "events = [ \"bbox0/IMT_INSERTS_RD\", \"mbox1/CYCLES\" ]; } );",
		 NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 2);
	watch_begin(&w, &u, 0, "mbox1/CYCLES", 20000000);
	r.hook = watch_writes;
	r.hook_arg = &w;
	run_start(&u);
	grid_ticks(&u, 60);
	r.hook = NULL;
	run_stop(&u);
	assert_in_range(w.windows, 10, 60);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		assert_int_equal(slot_reason(&u, 0, &u.s[0].slots[k]), REASON_NONE);
	assert_int_equal(u.s[0].words[W_RESETS], 0);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A 44-bit counter that is only polled wraps while windows end by another one. */
static void wraps_beside_windows(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 9);
	run_open(&u, &r,
		 SECOND GROUP("ha1/REQUESTS:READS", 200000,
			      "\"ubox/UCLK\", \"ha/REQUESTS:READS\", \"cbox/CLOCKTICKS\""), NULL);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data,
			   BIT(u.s[0].slots[k].plan->width) - 1 - 1000000 * k);
	run_start(&u);
	for (unsigned k = 0; k < 200; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
	}
	/* Each of 200 windows passes the end of its counter, and every other counter has done so
	 * once. */
	assert_int_equal(u.s[0].words[W_WRAPS], 200 + u.s[0].n_slots - 1);
	run_stop(&u);
	run_restore(&u, NULL);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* W-Box values that end in 0x000000 or 0x000001 read too high by 0x1000000 (p 2-128): small rests
 * are such values. */
static void small_rests_of_the_w_box_are_corrected(void **state)
{
	unsigned misread = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "idle", 5);
	model_fault(r.m, 0, MODEL_ERRATUM, msr(0), true);
	run_open(&u, &r, SECOND GROUP("wbox0/C_THROTTLE_TMP:ALL", 500,
				      "\"wbox/CLOCKTICKS\", \"wbox/C_THROTTLE_TMP\""), NULL);
	run_start(&u);
	for (unsigned k = 0; k < 200; k++) {
		uint64_t now;

		rig_advance(&r, sampler_next(u.s[0].sampler) - model_now(r.m));
		assert_int_equal(model_read(r.m, 0,
					    run_slot(&u, 0, "wbox0/C_THROTTLE_TMP:ALL")->data,
					    &now), 0);
		misread += now >= 0x1000000 && now <= 0x1000001;
		run_tick(&u);
		if (model_now(r.m) % NSEC_PER_SEC == 0)
			run_exact(&u, __LINE__, NULL);
	}
	assert_true(misread > 50);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_beside_others),
		cmocka_unit_test(interference),
		cmocka_unit_test(a_tick_before_the_freeze),
		cmocka_unit_test(hardware_that_does_not_obey),
		cmocka_unit_test(a_preload_that_does_not_stick),
		cmocka_unit_test(armed_again_under_a_window_that_is_over),
		cmocka_unit_test(a_hidden_unit_ends_no_window),
		cmocka_unit_test(windows_take_turns),
		cmocka_unit_test(over_when_its_turn_ends),
		cmocka_unit_test(wraps_beside_windows),
		cmocka_unit_test(small_rests_of_the_w_box_are_corrected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
