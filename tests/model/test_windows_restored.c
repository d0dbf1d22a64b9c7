/* SPDX-License-Identifier: MIT
 * Overflow windows over reloads, kills and the end: what others had is there
 * again, and only that.
 */
#include "windows.h"
#include "planner/restoring.h"

#include <unistd.h>

/* ------------------------------------------------------------------ reload */

/* The same group with a window, without, and with another: what one leaves, the next one finds as
 * it was. */
static void reloads(void **state)
{
	static const char *const confs[] = {
		SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS),
		SECOND "groups = ( { name = \"w\"; events = [ " EVENTS " ]; } );",
		SECOND GROUP("cbox3/LLC_HITS:ALL", 300000, EVENTS),
	};
	const uint64_t found = BIT(5) | BIT(2);		/* pmi_core_sel of somebody before us */
	struct run u[2];
	struct rig r;

	(void)state;
	rig_open(&r, 1, "stream", 8);
	r.latency = 500;
	model_poke(r.m, 0, msr(0xc00), found);
	for (unsigned k = 0; k < 7; k++) {
		struct run *now = &u[k % 2], *old = k ? &u[(k + 1) % 2] : NULL;
		bool window = k % 3 != 1;

		run_open(now, &r, confs[k % 3], old);
		if (old) {
			rig_advance(&r, NSEC_PER_SEC / 3);
			run_stop(old);
			run_exact(old, __LINE__, NULL);
			assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);
			run_restore(old, now);
		}
		run_start(now);
		if (old)
			run_close(old);
		grid_ticks(now, 5);
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)) & ~BIT(28),
				 window ? BIT(31) : found);
		assert_int_equal(now->s[0].words[W_FROZEN] > NSEC_PER_SEC, window);
		assert_int_equal(now->s[0].words[W_FOREIGN], 0);
		for (unsigned s = 0; s < now->s[0].n_slots; s++)
			assert_int_equal(slot_reason(now, 0, &now->s[0].slots[s]), REASON_NONE);
	}
	run_stop(&u[0]);
	run_restore(&u[0], NULL);
	assert_int_equal(model_peek(r.m, 0, msr(0xc00)), found);
	rig_no_violation(&r);
	run_close(&u[0]);
	rig_close(&r);
}

/* ------------------------------------------------------- killed, and put back by the next start */

static char dir[] = "/tmp/uncored-windows-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void save_state(struct run *u)
{
	struct state_socket socket = { .socket = 0 };
	struct state st = { .device = (char *)(uintptr_t)"model", .sockets = &socket,
			    .n_sockets = 1 };

	socket.regs = counting_regs_saved(u->s[0].engine, &socket.n_regs);
	assert_int_equal(state_write(dir, &st, NULL), 0);
}

static void restore_from_state(struct rig *r, unsigned spared)
{
	struct regio *io = rig_io_new(r, 0, NULL);
	struct diags left = { 0 };
	struct plan_program of;
	struct state *st = NULL;

	assert_int_equal(state_read(dir, &st, NULL), 0);
	assert_int_equal(plan_program_begin(r->cpu, &of), 0);
	assert_int_equal(state_restore_socket(st, 0, &of, io, &left), 0);
	plan_program_done(&of);
	assert_int_equal(left.n, spared);
	diags_done(&left);
	regio_free(io);
	state_free(st);
	assert_int_equal(state_remove(dir), 0);
}

static void die_at_nth_write(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	unsigned *left = r->hook_arg;

	(void)socket;
	(void)reg;
	if (write && *left == 0)
		r->dead = true;
	else if (write)
		*left -= 1;
}

#define HA(off_, bytes_) \
	((struct reg){ .space = SPACE_PCI, .bytes = (bytes_), .dev = 28, .fn = 1, .off = (off_) })

/* Killed before any write, on Ivytown: what was found is there again, no overflow stands, and the
 * socket is not left frozen. */
static void killed_at_any_write(uint64_t control)
{
	static const uint32_t same[] = { 0xd8, 0xdc, 0xf4, 0xf8 };
	unsigned deaths = 0;
	bool survived = false;

	for (unsigned n = 0; !survived; n += rig_long() ? 1 : 3) {
		uint64_t found[COUNT(same)];
		struct err err = { "" };
		unsigned left = n;
		struct rig r;
		struct run u;

		rig_open_as(&r, "ivytown", 1, "stream", n);
		/* left by somebody, and his box is frozen */
		model_poke(r.m, 0, HA(0xd8, 4), 0x1234);
		model_poke(r.m, 0, HA(0xf4, 4), 0x30100);
		model_poke(r.m, 0, HA(0xa0, 8), 77777);
		model_poke(r.m, 0, msr(0xc00), control);
		for (unsigned i = 0; i < COUNT(same); i++)
			found[i] = model_peek(r.m, 0, HA(same[i], 4));
		run_open(&u, &r,
			 SECOND GROUP("ha1/REQUESTS:READS", 200000,
				      "\"ubox/UCLK\", \"ha1/REQUESTS:READS,counter=0\""), NULL);
		save_state(&u);
		r.hook = die_at_nth_write;
		r.hook_arg = &left;
		if (run_try_start(&u, &err) == 0) {
			run_ticks(&u, 6, 0);
			if (!r.dead)
				assert_int_equal(model_peek(r.m, 0, msr(0xc00)), control & BIT(30));
			run_stop(&u);
		}
		r.hook = NULL;
		survived = !r.dead;
		deaths += r.dead;
		run_close(&u);
		rig_advance(&r, NSEC_PER_SEC);
		r.dead = false;
		restore_from_state(&r, 0);
		for (unsigned i = 0; i < COUNT(same); i++)
			assert_int_equal(model_peek(r.m, 0, HA(same[i], 4)), found[i]);
		same_u64(model_peek(r.m, 0, HA(0xa0, 8)), 77777, "the preloaded count", __LINE__);
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), control);
		assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);
		assert_int_equal(model_peek(r.m, 0, msr(0xc08)), 0);
		model_poke(r.m, 0, msr(0xc10), BIT(22));                /* somebody counts now */
		assert_true(model_counting(r.m, 0, msr(0xc16)));
		rig_no_violation(&r);
		rig_close(&r);
	}
	assert_true(deaths > 5);
}

static void killed_on_ivytown(void **state)
{
	(void)state;
	killed_at_any_write(0x40000055);        /* wk_on_pmi, cores for a PMI */
	killed_at_any_write(0);		/* nothing in it but pulses, which do not read back */
}

#define NX_EVENTS "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\""
#define NX_WINDOW GROUP("bbox1/IMT_INSERTS_ALL", 1000000, NX_EVENTS)

/* Killed while all stands still. A counter that somebody has enabled since stands still with ours:
 * for him en_all is set again; without him it is as it was found. */
static void killed_while_it_stands(void **state)
{
	(void)state;
	for (unsigned his = 0; his < 2; his++) {
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", 2);
		run_open(&u, &r, SECOND NX_WINDOW, NULL);
		save_state(&u);
		run_start(&u);
		run_ticks(&u, 3, 0);
		if (his) {
			model_write(r.m, 0, msr(0xdfa), 0x400714);      /* C-Box 7 counter 5 */
			model_write(r.m, 0, msr(0xde0), BIT(5));
		}
		rig_advance(&r, 50 * NSEC_PER_MSEC);
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), BIT(31));
		assert_false(model_counting(r.m, 0, msr(0xdfb)));
		run_close(&u);
		restore_from_state(&r, 0);
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), his ? BIT(28) : 0);
		assert_int_equal(model_counting(r.m, 0, msr(0xdfb)), his);
		assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);
		rig_no_violation(&r);
		rig_close(&r);
	}
}

/* The counter that a window was to preload counts for somebody: from before, and we were killed
 * before we stopped it; or since, and his control was not written by us. His count is his. */
static void the_count_of_somebody_stays(void **state)
{
	(void)state;
	for (unsigned since = 0; since < 2; since++) {
		uint64_t truth;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", 2);
		if (!since) {
			model_poke(r.m, 0, msr(0xc72), 0x2f);
			model_poke(r.m, 0, msr(0xc60), BIT(1));
			model_poke(r.m, 0, msr(0xc00), BIT(28));
		}
		model_poke(r.m, 0, msr(0xc73), 5000);
		run_open(&u, &r, SECOND "takeover = true; " NX_WINDOW, NULL);
		save_state(&u);
		if (since) {
			run_start(&u);
			run_ticks(&u, 3, 0);
			model_write(r.m, 0, msr(0xc72), 0x2f);
			model_write(r.m, 0, msr(0xc73), 42);
		}
		truth = model_truth(r.m, 0, msr(0xc73));
		rig_advance(&r, 5 * NSEC_PER_MSEC);
		assert_true(model_counting(r.m, 0, msr(0xc73)));
		run_close(&u);
		restore_from_state(&r, since);
		assert_true(model_truth(r.m, 0, msr(0xc73)) > truth);
		same_u64(model_peek(r.m, 0, msr(0xc73)),
			 (since ? 42 : 5000) + model_truth(r.m, 0, msr(0xc73)) - truth, "his count",
			 __LINE__);
		assert_true(model_counting(r.m, 0, msr(0xc73)));
		assert_int_equal(model_peek(r.m, 0, msr(0xc72)), 0x2f);
		rig_no_violation(&r);
		rig_close(&r);
	}
}

/* Killed at a reload, when the state file tells of both configurations and the old one's window is
 * over: the new one, which has none, would not know how to let go. */
static void killed_at_a_reload(void **state)
{
	(void)state;
	for (unsigned ivytown = 0; ivytown < 2; ivytown++) {
		struct run old, new;
		struct rig r;

		rig_open_as(&r, ivytown ? "ivytown" : "nehalem-ex", 1, "stream", 2);
		run_open(&old, &r, ivytown ? SECOND GROUP("ha1/REQUESTS:READS", 200000,
			"\"ubox/UCLK\", \"ha1/REQUESTS:READS,counter=0\"") :
			 SECOND NX_WINDOW, NULL);
		run_start(&old);
		run_ticks(&old, 3, 0);
		run_open(&new, &r, ivytown ? SECOND
			 "groups = ( { name = \"w\"; events = [ \"ubox/UCLK\" ]; } );" :
			 SECOND "groups = ( { name = \"w\"; events = [ \"wbox/CLOCKTICKS\" ]; } );",
				 &old);
		save_state(&new);
		if (!ivytown) {
			model_write(r.m, 0, msr(0xdfa), 0x400714); /* C-Box 7 counter 5, since */
			model_write(r.m, 0, msr(0xde0), BIT(5));
		}
		rig_advance(&r, 50 * NSEC_PER_MSEC);
		assert_int_not_equal(model_peek(r.m, 0, msr(0xc01)), 0);
		run_close(&old);
		run_close(&new);
		restore_from_state(&r, 0);
		assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);
		assert_int_equal(ivytown ? model_peek(r.m, 0, HA(0xf8, 4))
				 : model_peek(r.m, 0, msr(0xc61)), 0);
		assert_int_equal(model_peek(r.m, 0, msr(0xc00)), ivytown ? 0 : BIT(28));
		if (ivytown)
			model_poke(r.m, 0, msr(0xc10), BIT(22));        /* somebody counts now */
		assert_true(model_counting(r.m, 0, msr(ivytown ? 0xc16 : 0xdfb)));
		rig_no_violation(&r);
		rig_close(&r);
	}
}

/* Somebody changes what windows rest on just before the round is stopped: what was counted since
 * the last check is nobody's. */
static void changed_just_before_the_end(void **state)
{
	static const struct { int line; uint64_t clear, set; } rows[] = { { __LINE__, BIT(31), 0 },
		{ __LINE__, 0, BIT(3) } };

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		uint64_t held;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", 2);
		run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 900000000, NX_EVENTS), NULL);
		run_start(&u);
		run_ticks(&u, 2, 0);
		held = slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
		rig_advance(&r, NSEC_PER_SEC / 3);
		model_write(r.m, 0, msr(0xc00),
			    (model_peek(r.m, 0, msr(0xc00)) & ~rows[i].clear) | rows[i].set);
		assert_int_equal(u.s[0].engine->ops->stop(u.s[0].engine), 0);
		run_stop(&u);
		same_u64(slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS")), held,
			 "not vouched for", rows[i].line);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reloads),
		cmocka_unit_test(killed_on_ivytown),
		cmocka_unit_test(killed_while_it_stands),
		cmocka_unit_test(the_count_of_somebody_stays),
		cmocka_unit_test(killed_at_a_reload),
		cmocka_unit_test(changed_just_before_the_end),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
