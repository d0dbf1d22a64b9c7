/* SPDX-License-Identifier: MIT
 * Every family of registers counts exactly: all counters of all boxes at once,
 * over wraps of every width, with rotation, freeze, somebody who interferes, and nothing left
 * behind.
 */
#include "families.h"

static uint64_t top(const struct slot *s)
{
	return BIT(s->plan->width);
}

/* All counters, each set to wrap at its own moment of the run. */
static void count_all(const struct family *f)
{
	const unsigned ticks = 40;
	static uint64_t start[2][256];
	struct rig r;
	struct run u;

	rig_open_as(&r, f->name, 2, "day", 3);
	run_open(&u, &r, all(f, "interval = \"1s\";"), NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(u.s[i].n_slots, f->counters);
	run_start(&u);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < f->counters; k++) {
			const struct slot *s = &u.s[i].slots[k];
			double rate = model_rate(r.m, i, s->data), whole = (double)top(s);
			double ahead = rate * ticks * (double)(k + 1) / (double)(f->counters + 2);

			if (rate <= 0)
				fail_msg("%s: %s counts nothing", f->name, s->plan->identity);
			start[i][k] = (uint64_t)(whole - ahead);
		}
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);

	peek(&r, 0, before, REGS);
	run_open(&u, &r, all(f, "interval = \"1s\";"), NULL);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < f->counters; k++)
			model_poke(r.m, i, u.s[i].slots[k].data, start[i][k]);
	run_start(&u);
	run_exact(&u, __LINE__, NULL);
	run_ticks(&u, ticks, 0);
	run_exact(&u, __LINE__, NULL);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t wraps = 0;

		for (unsigned k = 0; k < f->counters; k++)
			wraps += (start[i][k] +
				  slot_truth(&u, i, &u.s[i].slots[k])) / top(&u.s[i].slots[k]);
		assert_in_range(wraps, f->counters * 9 / 10, f->counters);
		assert_int_equal(u.s[i].words[W_WRAPS], wraps);
		assert_int_equal(u.s[i].words[W_RESETS], 0);
		assert_int_equal(u.s[i].words[W_FOREIGN], 0);
	}
	rig_no_violation(&r);
	run_restore(&u, NULL);
	same_as_before(&r, f->name);
	run_close(&u);
	rig_close(&r);
}

static void every_counter_of_every_family_is_exact(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++)
		count_all(&families[i]);
}

/* Whatever is read stands still. */
static void must_stand(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	assert_false(!write && model_counting(r->m, socket, reg));
}

static void freeze_stops_all_of_them(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		r.latency = 1000;
		r.hook = must_stand;
		peek(&r, 0, before, REGS);
		run_open(&u, &r, all(&families[i], "interval = \"1s\"; freeze = true;"), NULL);
		run_start(&u);
		run_ticks(&u, 20, 0);
		assert_true(slot_total(&u,
				       0, run_slot(&u, 0,
						   families[i].clock)) > UINT64_C(15) * 1000000000);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		assert_true(u.s[0].words[W_FROZEN] > 0);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		same_as_before(&r, families[i].name);
		run_close(&u);
		rig_close(&r);
	}
}

/* Somebody changes an event's control, then its box's enables: flagged at the next tick, counted on
 * after. */
static void interference_is_flagged_and_repaired(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		const struct slot *s;
		uint64_t held;
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		run_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL);
		run_start(&u);
		run_ticks(&u, 5, 0);
		s = &u.s[0].slots[families[i].counters - 1];
		held = slot_total(&u, 0, s);
		model_poke(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ BIT(0));
		run_ticks(&u, 1, 0);
		assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
		assert_int_equal(slot_total(&u, 0, s), held);
		assert_int_equal(u.s[0].words[W_FOREIGN], 1);
		run_ticks(&u, 3, 0);
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* A counter that somebody uses is not ours, and stays as it is. */
static void a_counter_in_use_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		struct err err = { "" };
		struct reg ctl_reg, box_reg = { 0 };
		struct plan_counter k;
		uint64_t ctl;
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		run_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL);
		k = u.plan->sockets[0].program->counters[u.s[0].slots[families[i].counters -
			1].regs->counter];
		ctl_reg = u.plan->sockets[0].program->regs[k.ctl].reg;
		if (k.box_enable)
			box_reg = u.plan->sockets[0].program->regs[k.box].reg;
		run_start(&u);
		ctl = model_peek(r.m, 0, ctl_reg);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);

		model_poke(r.m, 0, ctl_reg, ctl);
		if (k.box_enable)
			model_poke(r.m, 0, box_reg, k.box_enable);
		if (k.global_enable)
			model_poke(r.m, 0, r.cpu->global->ctl, k.global_enable);
		assert_int_equal(run_try_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL,
					      &err), -EBUSY);
		assert_non_null(strstr(err.text, k.name));
		assert_int_equal(model_peek(r.m, 0, ctl_reg), ctl);
		run_close(&u);
		run_open(&u, &r, all(&families[i], "interval = \"1s\"; takeover = true;"), NULL);
		run_start(&u);
		run_ticks(&u, 3, 0);
		run_exact(&u, __LINE__, NULL);
		run_stop(&u);
		run_restore(&u, NULL);
		assert_int_equal(model_peek(r.m, 0, ctl_reg), ctl);
		run_close(&u);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_of_every_family_is_exact),
		cmocka_unit_test(freeze_stops_all_of_them),
		cmocka_unit_test(interference_is_flagged_and_repaired),
		cmocka_unit_test(a_counter_in_use_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
