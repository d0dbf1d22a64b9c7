/* SPDX-License-Identifier: MIT
 * What a sampler does not count, why it says so, and how it goes on
 * afterwards. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampler_fixture.h"
#include "base/bits.h"

#include <errno.h>

/* Slots x ticks: the sample at the start is one, and so is each tick whose count is thrown away
 * later. */
static void test_invalid_is_slots_times_ticks(void **state)
{
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	sampler_start(f.s, NULL);
	tick();
	tick();
	assert_int_equal(f.words[W_TICKS], 3);
	assert_int_equal(f.words[W_INVALID + REASON_READ_ERROR], 3);
	teardown(state);

	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 9; i++)        /* no check is due yet */
		tick();
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	tick();
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(f.words[W_TICKS], 11);
	assert_int_equal(f.words[W_INVALID + REASON_FOREIGN], 10);      /* all but the start's */
}

/* A round whose turn comes while nobody answers is offline, not refused, and counts at a later
 * turn. */
static void test_round_that_cannot_start(void **state)
{
	static const struct { int line, result, reason; } rows[] = {
		{ __LINE__, -ENXIO, REASON_OFFLINE }, { __LINE__, -EPERM, REASON_REFUSED },
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		setup(2, NSEC_PER_SEC, 48, 1e9);
		sampler_start(f.s, NULL);
		f.hand.start_result = rows[i].result;
		while (f.hand.starts < 2)
			tick();
		if (reason(SLOTS + EVENT) != (uint64_t)rows[i].reason ||
		    reason(EVENT) != REASON_NONE)
			fail_msg("line %d: reasons %u and %u", rows[i].line,
				 (unsigned)reason(SLOTS + EVENT), (unsigned)reason(EVENT));
		f.hand.start_result = 0;
		while (!f.hand.counting || f.hand.round != 1)
			tick();
		assert_int_equal(reason(SLOTS + EVENT), REASON_NONE);
		teardown(state);
	}
}

/* Nobody answers when its next turn comes: what it derived in the one before is as old as its
 * totals, and left out with them. */
static void test_round_that_cannot_start_again(void **state)
{
	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	while (f.hand.starts < 2) {
		count(100, 40);
		tick();
	}
	assert_true(metric() == 40.0);          /* it stands while the other round has its turn */
	f.hand.start_result = -ENXIO;
	while (f.hand.starts < 3)
		tick();
	assert_int_equal(reason(EVENT), REASON_OFFLINE);
	assert_int_equal(f.words[f.layout.metric_reason], REASON_OFFLINE);
}

/* No CPU of the socket answers at the start (they went offline while a reload swapped): it begins
 * without values, and counts from when one answers. */
static void test_start_while_offline(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.start_result = -ENXIO;
	assert_int_equal(sampler_start(f.s, NULL), 0);
	assert_int_equal(ring_read(&f.ring, f.words), 1);
	assert_int_equal(reason(EVENT), REASON_OFFLINE);
	for (unsigned i = 0; i < 3; i++) {
		count(100, 40);
		tick();
		assert_int_equal(reason(EVENT), REASON_OFFLINE);
		assert_int_equal(f.hand.starts, 2 + i);
	}
	assert_int_equal(f.words[W_INVALID + REASON_OFFLINE], 4 * SLOTS);
	f.hand.start_result = 0;
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 0);
	count(100, 40);
	tick();
	assert_int_equal(total(EVENT), 40);
	assert_true(metric() == 40.0);
	assert_int_equal(f.hand.starts, 5);
}

/* Any other error is one of the start. */
static void test_start_refused(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.start_result = -EPERM;
	assert_int_equal(sampler_start(f.s, NULL), -EPERM);
}

/* Two rounds derive one metric: its series is that of the round whose turn it is, also in what is
 * left out while that cannot be checked. */
static void test_a_metric_of_two_rounds(void **state)
{
	struct plan_metric two[ROUNDS];

	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	two[0] = two[1] = f.metric;
	two[1].round = 1;
	f.socket.metrics = two;
	f.socket.n_metrics = ROUNDS;
	f.plan.rotation = 4 * NSEC_PER_SEC;
	again();
	for (unsigned turn = 0; turn < 4; turn++) {
		while (f.words[W_ROUND] != turn % 2) {
			count(100, 40);
			tick();
		}
		count(100, 10 * (turn + 1));
		tick();
		assert_int_equal(metric() + 0.5, 10 * (turn + 1));     /* a turn begins 1 us late */
		f.hand.check_result = -EIO;
		f.hand.read_reason[EVENT] = REASON_READ_ERROR;
		count(100, 40);
		tick();
		assert_int_equal(f.words[f.layout.metric_reason], REASON_READ_ERROR);
		f.hand.check_result = 0;
		f.hand.read_reason[EVENT] = REASON_NONE;
	}
}

/* A metric without a value says why: as its first event that is invalid, or by itself. */
static void test_reason_of_a_metric(void **state)
{
	static const uint8_t reasons[] = { REASON_FOREIGN, REASON_READ_ERROR, REASON_REFUSED,
					   REASON_OFFLINE, REASON_HIDDEN, REASON_NO_DATA };

	for (unsigned i = 0; i < COUNT(reasons); i++) {
		setup(1, NSEC_PER_SEC, 48, 1e9);
		f.hand.read_reason[EVENT] = reasons[i];
		sampler_start(f.s, NULL);
		count(100, 40);
		tick();
		assert_int_equal(f.words[f.layout.metric_reason], reasons[i]);
		teardown(state);
	}
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.metric.hidden = "the kernel does not show it";
	again();
	for (unsigned i = 0; i < 3; i++) {
		count(100, 40);
		tick();
		assert_int_equal(f.words[f.layout.metric_reason], REASON_HIDDEN);
		assert_int_equal(reason(EVENT), REASON_NONE);
	}
	f.metric.counter = true;
	again();
	count(100, 40);
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_HIDDEN);
	teardown(state);

	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.metric.scale = 1e308;
	again();
	count(100, 40);
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_NO_DATA);
	teardown(state);
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.metric.den = (struct plan_sum){ &(struct plan_addend){ CLOCK, 1 }, 1 };
	again();
	f.hand.read_reason[EVENT] = REASON_OFFLINE;     /* two at once: the numerator comes first */
	f.hand.read_reason[CLOCK] = REASON_READ_ERROR;
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_OFFLINE);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	f.hand.read_reason[CLOCK] = REASON_OFFLINE;
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_READ_ERROR);
	f.hand.read_reason[EVENT] = f.hand.read_reason[CLOCK] = REASON_NONE;
	tick();
	count(0, 40);                           /* the denominator stands still */
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_NO_DATA);
	count(100, 40);
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_NONE);
}

static void test_implausible_is_a_reset(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.raw[EVENT] = 1000000;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 3;	/* somebody reset it: modulo 2^48 that would be 2^48 - 999997 */
	f.hand.raw[CLOCK] = 100;
	tick();
	assert_int_equal(reason(EVENT), REASON_RESET);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(f.words[W_RESETS], 1);
	assert_int_equal(f.words[W_INVALID + REASON_RESET], 1);
	assert_int_equal(f.words[f.layout.metric_reason], REASON_RESET);
	count(100, 40);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 40);
	assert_true(metric() == 40.0);	/* the new base stood at the beginning of this window */
}

static void test_foreign_discards_and_rearms(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 10);
	count(100, 500);
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	tick();
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	/* what was counted since the last good check is not ours */
	assert_int_equal(total(EVENT), 10);
	assert_int_equal(total(CLOCK), 200);    /* the other slot goes on */
	assert_int_equal(f.words[W_FOREIGN], 1);
	count(100, 600);
	tick();
	/* A perf slot cannot be re-armed: it stays invalid, and is told once. */
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(f.words[W_FOREIGN], 1);
	assert_int_equal(f.words[W_INVALID + REASON_FOREIGN], 2);
}

/* A gap: the old base stays, the delta of the gap counts. */
static void test_gap(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	count(100, 20);
	tick();
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	assert_int_equal(total(EVENT), 10);
	assert_int_equal(f.words[W_READ_ERRORS], 1);
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 30);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 60);
	/* Two windows of counts in a window of one second are no rate. */
	assert_int_equal(f.words[f.layout.metric_reason], REASON_NO_DATA);
	count(100, 5);
	tick();
	assert_true(metric() == 5.0);
}

/* A quarter of the window more for one read than for the other: 10 counts may be those of 0.9 s or
 * of 1.1. Totals know nothing of it. */
static void test_held_up(void **state)
{
	static const struct {
		nsec slow;
		uint64_t state, frozen;         /* without and with `freeze` */
	} rows[] = {
		{ 0, REASON_NONE, REASON_NONE },
		{ NSEC_PER_SEC / 8, REASON_NONE, REASON_NONE },
		{ NSEC_PER_SEC / 8, REASON_NONE, REASON_NONE },
		{ NSEC_PER_SEC / 2, REASON_NO_DATA, REASON_NO_DATA },
		{ NSEC_PER_SEC / 2, REASON_NONE, REASON_NO_DATA },    /* each counter is read as late as the time before */
		{ 0, REASON_NO_DATA, REASON_NO_DATA },
		{ 0, REASON_NONE, REASON_NONE },
	};

	(void)state;
	for (unsigned freeze = 0; freeze < 2; freeze++) {
		setup(1, NSEC_PER_SEC, 48, 1e9);
		f.options.freeze = freeze;
		sampler_free(f.s);
		assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
		sampler_start(f.s, NULL);
		for (unsigned i = 0; i < COUNT(rows); i++) {
			f.hand.slow = rows[i].slow;
			count(100, 10);
			tick();
			if (f.words[f.layout.metric_reason] !=
			    (freeze ? rows[i].frozen : rows[i].state))
				fail_msg("freeze %u, row %u: %u", freeze, i,
					 (unsigned)f.words[f.layout.metric_reason]);
			assert_int_equal(total(EVENT), 10 * (i + 1));
			assert_int_equal(reason(EVENT), REASON_NONE);
		}
		if (!freeze)
			teardown(NULL);
	}
}

static void test_gap_longer_than_safe(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e14);       /* 2^48 / 1e14 = 2.8 s */
	sampler_start(f.s, NULL);
	f.hand.read_reason[EVENT] = REASON_OFFLINE;
	tick();
	tick();
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 30);
	now += 100 * NSEC_PER_MSEC;
	tick();
	assert_int_equal(reason(EVENT), REASON_LATE);
	assert_int_equal(total(EVENT), 0);
	count(100, 4);
	tick();
	assert_int_equal(total(EVENT), 4);
}

/* A check that cannot be made vouches for nothing: the counts wait for the next one. */
static void test_check_fails(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	f.hand.check_result = -EIO;
	tick();
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	f.hand.check_result = 0;
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 20);
	assert_int_equal(f.words[f.layout.group_active], 2 * NSEC_PER_SEC);
}

static void test_stopped_clock(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	for (unsigned i = 0; i < 9; i++) {
		tick();
		assert_int_equal(reason(EVENT), REASON_NONE);
	}
	tick();                                 /* 10 s without a count of the clock */
	assert_int_equal(reason(CLOCK), REASON_STOPPED);
	assert_int_equal(reason(EVENT), REASON_STOPPED);
	assert_int_equal(total(EVENT), 10);
	count(100, 1);
	tick();
	assert_int_equal(reason(CLOCK), REASON_NONE);
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 11);
}

/* How often a clock stood still is counted anew from a new baseline: what was seen before it says
 * nothing of the counter that was read since. */
static void test_stopped_since_a_baseline(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e14);       /* 2^48 / 1e14 = 2.8 s */
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	for (unsigned i = 0; i < 4; i++)        /* it stands, but not for 10 s yet */
		tick();
	assert_int_equal(reason(CLOCK), REASON_NONE);
	f.hand.read_reason[CLOCK] = REASON_OFFLINE;
	for (unsigned i = 0; i < 10; i++)
		tick();
	f.hand.read_reason[CLOCK] = REASON_NONE;
	tick();
	assert_int_equal(reason(CLOCK), REASON_LATE);
	tick();                                 /* one window since the baseline */
	assert_int_equal(reason(CLOCK), REASON_NONE);
	assert_int_equal(reason(EVENT), REASON_NONE);
	tick();                                 /* two */
	assert_int_equal(reason(CLOCK), REASON_STOPPED);
	assert_int_equal(reason(EVENT), REASON_STOPPED);
}

static void test_refused_stays(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.start_reason[EVENT] = REASON_REFUSED;
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(reason(EVENT), REASON_REFUSED);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(total(CLOCK), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_invalid_is_slots_times_ticks, teardown),
		cmocka_unit_test_teardown(test_round_that_cannot_start, teardown),
		cmocka_unit_test_teardown(test_round_that_cannot_start_again, teardown),
		cmocka_unit_test_teardown(test_start_while_offline, teardown),
		cmocka_unit_test_teardown(test_start_refused, teardown),
		cmocka_unit_test_teardown(test_a_metric_of_two_rounds, teardown),
		cmocka_unit_test_teardown(test_reason_of_a_metric, teardown),
		cmocka_unit_test_teardown(test_implausible_is_a_reset, teardown),
		cmocka_unit_test_teardown(test_foreign_discards_and_rearms, teardown),
		cmocka_unit_test_teardown(test_gap, teardown),
		cmocka_unit_test_teardown(test_held_up, teardown),
		cmocka_unit_test_teardown(test_gap_longer_than_safe, teardown),
		cmocka_unit_test_teardown(test_check_fails, teardown),
		cmocka_unit_test_teardown(test_stopped_clock, teardown),
		cmocka_unit_test_teardown(test_stopped_since_a_baseline, teardown),
		cmocka_unit_test_teardown(test_refused_stays, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
