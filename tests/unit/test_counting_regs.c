/* SPDX-License-Identifier: MIT
 * The register engine against a register file that remembers every access. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "regs_fixture.h"

/* ------------------------------------------------------------------ start */

static void new_writes_nothing(void **state)
{
	(void)state;
	assert_int_equal(new_with(&prog_both, false, false), 0);
	assert_int_equal(fake_writes(&f), 0);
	f.cpu = 3;
	assert_int_equal(c->ops->cpu(c), 3);
}

static void writes_in_order(void **state)
{
	/* By hand from the program: value of each write over registers that held 0. */
	static const struct { uint32_t off; uint64_t value; } want[] = {
		{ 0xe48, 0 }, { 0xe49, 0x1234 }, { 0xe4a, 0x5678 }, { 0xe48, BIT(63) },
		{ 0xe0c, 0x2211 },
		{ 0xd10, 0x400f15 }, { 0xd12, 0x400114 }, { 0xc50, 0x420300 }, { 0xc10, 0x400042 },
		{ 0xe10, 5 },
		{ 0xe12, 7 }, { 0xc00, 1 }, { 0xd00, 3 }, { 0xc40, 1 }, { 0xe00, 3 },
		{ 0xc00, 0x10000001 },
	};
	unsigned n = 0;

	(void)state;
	begin(&prog);
	for (unsigned i = 0; i < f.n_log; i++) {
		if (f.log[i].op != 'W')
			continue;
		assert_true(n < COUNT(want));
		assert_int_equal(f.log[i].off, want[n].off);
		assert_int_equal(f.log[i].value, want[n].value);
		n++;
	}
	assert_int_equal(n, COUNT(want));
	assert_reasons(0, 0, __LINE__);
}

static void base_is_read_while_still(void **state)
{
	(void)state;
	begin(&prog);
	for (unsigned i = 0; i < N_SLOTS; i++) {
		unsigned at = log_find('R', prog_slots[i].data.off, 0);

		assert_int_equal(base[i], 1000 + i);
		assert_true(at > log_find('W', 0xe0c, 0));      /* selected */
		assert_true(at < log_find('W', 0xd10, 0));      /* not yet enabled */
	}
}

static void others_bits_survive_start(void **state)
{
	(void)state;
	fake_set(&f, 0xc00, 0x1e);                      /* pmi_core_sel */
	fake_set(&f, 0xd00, 0x24);                      /* counters 2 and 5 */
	fake_set(&f, 0xe0c, UINT64_C(0xff000000));
	begin(&prog);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL | 0x1f);
	assert_int_equal(fake_get(&f, 0xd00), 0x27);
	assert_int_equal(fake_get(&f, 0xe0c), UINT64_C(0xff002211));
}

static void left_over_local_enable_goes_off_first(void **state)
{
	unsigned first;

	(void)state;
	fake_set(&f, 0xd10, EN22 | 0x77);	/* local enable only: not enabled, so no refusal */
	begin(&prog);
	first = log_find('W', 0xd10, 0);
	assert_int_equal(f.log[first].value, 0x77);
	assert_true(first < log_find('R', 0xd11, 0));
	assert_int_equal(fake_get(&f, 0xd10), 0x400f15);
	assert_int_equal(writes_to(0xd10), 2);
}

static void rst_all_is_cleared_with_the_enabling_write(void **state)
{
	(void)state;
	fake_set(&f, 0xc00, RST_ALL);
	begin(&prog);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL | 1);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xc00), RST_ALL);
}

static void pulse_need_not_read_back(void **state)
{
	(void)state;
	fake_at(&f, 0xc50)->zero = BIT(17);
	begin(&prog);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(check(), 0);
}

static void refused_where_it_does_not_read_back(void **state)
{
	static const struct { int line; uint32_t off; uint64_t zero; bool stuck;
			      unsigned slots; } rows[] = {
		{ __LINE__, 0xd10, 0x0100, false, BIT(CBOX0_0) },       /* a unit mask bit */
		{ __LINE__, 0xd10, EN22, false, BIT(CBOX0_0) },
		{ __LINE__, 0xd12, 0, true, BIT(CBOX0_1) },
		{ __LINE__, 0xe49, 0x4, false, BIT(SBOX0_0) },
		{ __LINE__, 0xe48, BIT(63), false, BIT(SBOX0_0) },
		{ __LINE__, 0xe0c, 0x2200, false, BIT(RBOX_0) | BIT(RBOX_1) },
		{ __LINE__, 0xd00, 2, false, BIT(CBOX0_1) },            /* its own box bit only */
		{ __LINE__, 0xc00, 1, false, BIT(UBOX_0) },
		{ __LINE__, 0xc00, EN_ALL, false, BIT(N_SLOTS) - 1 },
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		set_up(state);
		fake_at(&f, rows[i].off)->zero = rows[i].zero;
		fake_at(&f, rows[i].off)->stuck = rows[i].stuck;
		begin(&prog);
		assert_reasons(rows[i].slots, REASON_REFUSED, rows[i].line);
		/* Not ours to blame on somebody: the check keeps the reason and finds nothing
		 * foreign. */
		if (check() != 0)
			fail_msg("line %d: check finds something foreign", rows[i].line);
		assert_reasons(rows[i].slots, REASON_REFUSED, rows[i].line);
		tear_down(state);
		c = NULL;
	}
}

static void fault_of_one_register_refuses_its_slots_only(void **state)
{
	(void)state;
	assert_int_equal(new_with(&prog, false, false), 0);
	fake_at(&f, 0xd12)->write_error = -EIO;
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	assert_reasons(BIT(CBOX0_1), REASON_REFUSED, __LINE__);
	assert_int_equal(fake_get(&f, 0xd10), 0x400f15);
}

/* Without it nothing counts: what was written before is taken back. */
static void a_fault_of_the_global_control_ends_the_start(void **state)
{
	(void)state;
	assert_int_equal(new_with(&prog, false, false), 0);
	fake_at(&f, 0xc00)->write_error = -EIO;
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), -EIO);
	assert_non_null(strstr(err.text, "U_MSR_PMON_GLOBAL_CTL"));
	for (unsigned i = 0; i < COUNT(prog_written); i++)
		assert_int_equal(fake_get(&f, prog_written[i]), 0);
}

static void hidden_register_is_never_written(void **state)
{
	(void)state;
	fake_at(&f, 0xe49)->read_error = -EIO;
	begin(&prog);
	assert_reasons(BIT(SBOX0_0), REASON_HIDDEN, __LINE__);
	assert_int_equal(writes_to(0xe48) + writes_to(0xe49) + writes_to(0xc50) + writes_to(0xc40),
			 0);
	assert_int_equal(check(), 0);
	assert_reasons(BIT(SBOX0_0), REASON_HIDDEN, __LINE__);
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
}

static void no_uncore_at_all(void **state)
{
	(void)state;
	fake_at(&f, 0xc00)->read_error = -EIO;
	assert_int_equal(new_with(&prog, false, false), -ENODEV);
	assert_non_null(strstr(err.text, "U_MSR_PMON_GLOBAL_CTL"));
	assert_int_equal(f.freed, 1);
}

/* Every write of the start fails in turn: all before it are taken back. */
static void eperm_midway_rolls_back(void **state)
{
	unsigned n = 0;

	for (;; n++) {
		uint64_t before[COUNT(prog_written)];

		set_up(state);
		/* somebody's match, which faults if written unguarded */
		fake_set(&f, 0xe48, BIT(63));
		fake_set(&f, 0xe49, 0x99);
		fake_set(&f, 0xd10, EN22 | 0x77);
		fake_set(&f, 0xc00, 0x1e);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			before[i] = fake_get(&f, prog_written[i]);
		assert_int_equal(new_with(&prog, false, false), 0);
		f.fail_write_at = (int)n + 1;
		f.fail_with = -EPERM;
		int r = c->ops->start(c, 0, base, reason, &err);

		if (f.fail_write_at > 0) {              /* there were not so many */
			assert_int_equal(r, 0);
			break;
		}
		assert_int_equal(r, -EPERM);
		for (unsigned i = 0; i < COUNT(prog_written); i++)
			if (fake_get(&f, prog_written[i]) != before[i])
				fail_msg("write %u failed, 0x%x not taken back", n,
					 prog_written[i]);
		if (n == 2) {   /* local enable off, write enable, then: */
			assert_non_null(strstr(err.text, "S0_MSR_MATCH (0xe49)"));
			assert_non_null(strstr(err.text, "0x1234"));
			assert_non_null(strstr(err.text, "lockdown"));
			assert_non_null(strstr(err.text, "msr.allow_writes"));
			assert_non_null(strstr(err.text, "socket 1"));
		}
		tear_down(state);
		c = NULL;
	}
	assert_int_equal(n, 17);        /* 16 of the program, one local enable found on */
}

/* ------------------------------------------------------------------ whose counter it is */

static void enable_cbox1(void)
{
	fake_set(&f, 0xd12, EN22 | 0x33);
	fake_set(&f, 0xd00, 2);
	fake_set(&f, 0xc00, EN_ALL);
}

static void refuses_a_counter_in_use(void **state)
{
	(void)state;
	enable_cbox1();
	assert_int_equal(new_with(&prog, false, false), -EBUSY);
	assert_null(c);
	assert_non_null(strstr(err.text, "socket 1"));
	assert_non_null(strstr(err.text, "cbox0 counter 1"));
	assert_non_null(strstr(err.text, "takeover = true"));
	assert_int_equal(fake_writes(&f), 0);
	assert_int_equal(f.freed, 1);
}

/* Enabled is all three; the U-Box: its own bit of C00 too. */
static void enabled_means_all_levels(void **state)
{
	static const struct { int line; uint64_t ctl, box, global; bool ubox; int want; } rows[] = {
		{ __LINE__, EN22, 2, EN_ALL, false, -EBUSY },
		{ __LINE__, 0x33, 2, EN_ALL, false, 0 },
		{ __LINE__, EN22, 1, EN_ALL, false, 0 },
		{ __LINE__, EN22, 2, 0, false, 0 },
		{ __LINE__, EN22, 0, EN_ALL | 1, true, -EBUSY },
		{ __LINE__, EN22, 0, EN_ALL, true, 0 },
		{ __LINE__, EN22, 0, 1, true, 0 },
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		set_up(state);
		fake_set(&f, rows[i].ubox ? 0xc10 : 0xd12, rows[i].ctl);
		fake_set(&f, 0xd00, rows[i].box);
		fake_set(&f, 0xc00, rows[i].global);
		if (new_with(&prog, false, false) != rows[i].want)
			fail_msg("line %d", rows[i].line);
		tear_down(state);
		c = NULL;
	}
}

static void takeover_stops_it_before_the_base(void **state)
{
	unsigned at;

	(void)state;
	enable_cbox1();
	assert_int_equal(new_with(&prog, true, false), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	at = log_find('W', 0xd12, 0);
	assert_int_equal(f.log[at].value, 0x33);
	assert_true(at < log_find('R', 0xd13, 0));
	assert_int_equal(fake_get(&f, 0xd12), 0x400114);
	assert_reasons(0, 0, __LINE__);
	/* and gives it back, enabled as it was */
	assert_int_equal(counting_regs_restore(c, NULL, NULL), 0);
	assert_int_equal(fake_get(&f, 0xd12), EN22 | 0x33);
	assert_int_equal(fake_get(&f, 0xd00), 2);
	assert_int_equal(fake_get(&f, 0xc00), EN_ALL);
}

static void freeze_refuses_for_bystanders_only(void **state)
{
	(void)state;
	fake_set(&f, 0xd14, EN22 | 1);
	fake_set(&f, 0xd00, 4);
	fake_set(&f, 0xc00, EN_ALL);
	assert_int_equal(new_with(&prog, false, true), -EBUSY);
	assert_non_null(strstr(err.text, "cbox0 counter 2"));
	assert_non_null(strstr(err.text, "freeze"));
	assert_int_equal(new_with(&prog, false, false), 0);
}

static void left_overs_that_we_enable_are_named(void **state)
{
	char names[100], small[4];

	(void)state;
	fake_set(&f, 0xd14, EN22 | 1);
	fake_set(&f, 0xd00, 4);
	fake_set(&f, 0xc32, 1);
	fake_set(&f, 0xc20, 2);
	fake_set(&f, 0xd12, EN22);                      /* ours is no left-over */
	assert_int_equal(new_with(&prog, false, true), 0);
	assert_int_equal(counting_regs_others_started(c, names, sizeof(names)), 2);
	assert_string_equal(names, "cbox0 counter 2, bbox0 counter 1");
	assert_int_equal(counting_regs_others_started(c, small, sizeof(small)), 2);
	assert_string_equal(small, "cbo");
}

/* ------------------------------------------------------------------ read */

static void read_gives_raw_values(void **state)
{
	(void)state;
	begin(&prog);
	fake_set(&f, 0xd13, 7);
	fake_at(&f, 0xc51)->read_error = -EIO;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(raw[CBOX0_0], 1000);
	assert_int_equal(raw[CBOX0_1], 7);
	assert_reasons(BIT(SBOX0_0), REASON_READ_ERROR, __LINE__);
}

static void read_fails_if_nothing_can_be_read(void **state)
{
	(void)state;
	begin(&prog);
	for (unsigned i = 0; i < N_SLOTS; i++)
		fake_at(&f, prog_slots[i].data.off)->read_error = -EIO;
	assert_int_equal(c->ops->read(c, raw, reason), -EIO);
	assert_reasons(BIT(N_SLOTS) - 1, REASON_READ_ERROR, __LINE__);
}

static void cpu_offline_moves_at_once(void **state)
{
	(void)state;
	begin(&prog);
	f.gone = -ENXIO;
	f.can_move = true;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(raw[RBOX_1], 1005);
	assert_int_equal(f.cpu, 1);
	f.gone = -ENODEV;
	assert_int_equal(check(), 0);
	assert_int_equal(f.cpu, 2);
}

static void all_cpus_offline(void **state)
{
	(void)state;
	begin(&prog);
	f.gone = -ENOENT;
	assert_int_equal(c->ops->read(c, raw, reason), -ENXIO);
	assert_reasons(BIT(N_SLOTS) - 1, REASON_OFFLINE, __LINE__);
	assert_int_equal(check(), -ENXIO);
	f.can_move = true;                              /* one comes back */
	memset(reason, 0, sizeof(reason));
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_reasons(0, 0, __LINE__);
	assert_int_equal(check(), 0);
}

static void freeze_surrounds_the_reads(void **state)
{
	unsigned off, on;

	(void)state;
	assert_int_equal(new_with(&prog, false, true), 0);
	assert_int_equal(c->ops->start(c, 0, base, reason, &err), 0);
	f.n_log = 0;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	off = log_find('W', 0xc00, 0);
	on = log_find('W', 0xc00, off + 1);
	assert_int_equal(f.log[off].value, 1);
	assert_int_equal(f.log[on].value, EN_ALL | 1);
	for (unsigned i = 0; i < N_SLOTS; i++) {
		unsigned at = log_find('R', prog_slots[i].data.off, 0);

		assert_true(off < at && at < on);
	}
	/* If somebody has cleared it, we do not set it behind his back: the check tells. */
	fake_set(&f, 0xc00, 1);
	f.n_log = 0;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(fake_writes(&f), 0);
	assert_int_equal(check(), N_SLOTS);
}

/* ------------------------------------------------------------------ check */

static void check_finds_each_change(void **state)
{
	static const struct { int line; uint32_t off; uint64_t flip; unsigned slots; } rows[] = {
		{ __LINE__, 0xd10, 0x1, BIT(CBOX0_0) },
		{ __LINE__, 0xd10, EN22, BIT(CBOX0_0) },
		{ __LINE__, 0xc50, BIT(31), BIT(SBOX0_0) },
		{ __LINE__, 0xe4a, 1, BIT(SBOX0_0) },
		{ __LINE__, 0xe48, BIT(63), BIT(SBOX0_0) },
		{ __LINE__, 0xe0c, 0x0001, BIT(RBOX_0) | BIT(RBOX_1) },
		{ __LINE__, 0xe0c, 0x10000, 0 },                /* not our half */
		{ __LINE__, 0xd00, 1, BIT(CBOX0_0) },
		{ __LINE__, 0xd00, 4, 0 },                      /* somebody's counter */
		{ __LINE__, 0xe00, 3, BIT(RBOX_0) | BIT(RBOX_1) },
		{ __LINE__, 0xc00, EN_ALL, BIT(N_SLOTS) - 1 },
		{ __LINE__, 0xc00, 1, BIT(UBOX_0) },
		{ __LINE__, 0xc00, 0x1e, 0 },                   /* pmi_core_sel */
		{ __LINE__, 0xc50, BIT(17), 0 },                /* a pulse is not compared */
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		set_up(state);
		begin(&prog);
		fake_set(&f, rows[i].off, fake_get(&f, rows[i].off) ^ rows[i].flip);
		if (check() != __builtin_popcount(rows[i].slots))
			fail_msg("line %d: wrong number", rows[i].line);
		assert_reasons(rows[i].slots, REASON_FOREIGN, rows[i].line);
		tear_down(state);
		c = NULL;
	}
}

static void check_writes_nothing(void **state)
{
	(void)state;
	begin(&prog);
	f.n_log = 0;
	assert_int_equal(check(), 0);
	assert_int_equal(fake_writes(&f), 0);
	/* each distinct register once: 14 of them */
	assert_int_equal(f.n_log, COUNT(prog_written));
}

static void unreadable_control_is_not_foreign(void **state)
{
	(void)state;
	begin(&prog);
	fake_at(&f, 0xd10)->read_error = -EIO;
	assert_int_equal(check(), 1);
	assert_reasons(BIT(CBOX0_0), REASON_READ_ERROR, __LINE__);
}

static void overflow_bits_of_ours_only(void **state)
{
	unsigned at;

	(void)state;
	begin(&prog);
	fake_set(&f, 0xd11, 5);                         /* both C-Box counters went over */
	fake_set(&f, 0xd13, 6);
	fake_set(&f, 0xc51, 4);                         /* so did the S-Box's */
	fake_set(&f, 0xe11, 7);                         /* has no overflow bit to clear */
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	f.n_log = 0;
	assert_int_equal(check(), 0);
	at = log_find('W', 0xd02, 0);
	assert_int_equal(f.log[at].value, 3);
	at = log_find('W', 0xc42, 0);
	assert_int_equal(f.log[at].value, 1);
	assert_int_equal(fake_writes(&f), 2);
	assert_int_equal(log_find('R', 0xd02, 0), FAKE_LOG);    /* write-only (Table 2-9) */
	f.n_log = 0;
	assert_int_equal(check(), 0);
	assert_int_equal(fake_writes(&f), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(new_writes_nothing), T(writes_in_order), T(base_is_read_while_still),
		T(others_bits_survive_start),
		T(left_over_local_enable_goes_off_first),
		T(rst_all_is_cleared_with_the_enabling_write),
		T(pulse_need_not_read_back), T(refused_where_it_does_not_read_back),
		T(fault_of_one_register_refuses_its_slots_only),
		T(a_fault_of_the_global_control_ends_the_start),
		T(hidden_register_is_never_written), T(no_uncore_at_all),
		T(eperm_midway_rolls_back),
		T(refuses_a_counter_in_use), T(enabled_means_all_levels),
		T(takeover_stops_it_before_the_base),
		T(freeze_refuses_for_bystanders_only), T(left_overs_that_we_enable_are_named),
		T(read_gives_raw_values), T(read_fails_if_nothing_can_be_read),
		T(cpu_offline_moves_at_once),
		T(all_cpus_offline), T(freeze_surrounds_the_reads),
		T(check_finds_each_change), T(check_writes_nothing),
		T(unreadable_control_is_not_foreign),
		T(overflow_bits_of_ours_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
