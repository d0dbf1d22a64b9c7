/* SPDX-License-Identifier: MIT
 * For how long counts were counted: what a sampler says of it, where a number's time is easily
 * that of another. Each total over its time is a rate, whatever happened in between.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampler_fixture.h"

#include <errno.h>
#include <math.h>

#define WALL_OFFSET (1000 * NSEC_PER_SEC)       /* of hand_wall() */

static uint64_t slot_active(unsigned slot) { return f.words[f.layout.slot_active + slot]; }

static void remake(void)
{
	sampler_free(f.s);
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
}

/* The metric is a derived counter: both slots together. */
static void both_counted(void)
{
	static struct plan_addend both[] = { { CLOCK, 1 }, { EVENT, 1 } };

	f.metric = (struct plan_metric){ .scale = 1, .counter = true, .num = { both, 2 } };
	remake();
}

/* While a slot cannot be read its total stands, and so does its time; the gap's counts bring the
 * gap's time with them. */
static void test_gap(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(slot_active(EVENT), NSEC_PER_SEC);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	for (unsigned i = 0; i < 3; i++) {
		count(100, 10);
		tick();
		assert_int_equal(slot_active(EVENT), NSEC_PER_SEC);
		assert_int_equal(slot_active(CLOCK), (2 + i) * NSEC_PER_SEC);
	}
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 50);
	assert_int_equal(slot_active(EVENT), 5 * NSEC_PER_SEC);
	assert_int_equal(f.words[W_ACTIVE], 5 * NSEC_PER_SEC);
}

/* After a gap that is too long for the counter's width its counts are left out, and its time. */
static void test_late(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e14);       /* 2^48 / 1e14 = 2.8 s */
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	f.hand.read_reason[EVENT] = REASON_OFFLINE;
	for (unsigned i = 0; i < 2; i++) {
		count(100, 30);
		tick();
	}
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 30);
	tick();
	assert_int_equal(reason(EVENT), REASON_LATE);
	count(100, 4);
	tick();
	assert_int_equal(total(EVENT), 10 + 4);
	assert_int_equal(slot_active(EVENT), (1 + 1) * NSEC_PER_SEC);
	assert_int_equal(slot_active(CLOCK), 5 * NSEC_PER_SEC);
	assert_int_equal(f.words[f.layout.slot_active_shown + EVENT], 1);
	assert_int_equal(f.words[f.layout.slot_active_shown + CLOCK], 0);
}

/* Nor is the interval of a reset part of a time. */
static void test_reset(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.raw[EVENT] = 1000;
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	f.hand.raw[EVENT] = 0;
	tick();
	assert_int_equal(reason(EVENT), REASON_RESET);
	count(100, 4);
	tick();
	assert_int_equal(total(EVENT), 10 + 4);
	assert_int_equal(slot_active(EVENT), (1 + 1) * NSEC_PER_SEC);
}

/* A derived counter stands for the time in which all of its inputs counted: what one of them lost
 * is in neither. */
static void test_counter_that_paused(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	both_counted();
	f.hand.raw[EVENT] = 1000;
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(f.words[f.layout.metric_value], 110);
	assert_int_equal(f.words[f.layout.metric_active], NSEC_PER_SEC);
	f.hand.raw[EVENT] = 0;                  /* somebody set it */
	count(100, 0);
	tick();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_RESET);
	count(100, 10);
	tick();
	assert_int_equal(f.words[f.layout.metric_value], 110);
	assert_int_equal(f.words[f.layout.metric_active], NSEC_PER_SEC);
	count(100, 10);
	tick();
	assert_int_equal(f.words[f.layout.metric_value], 220);
	assert_int_equal(f.words[f.layout.metric_active], 2 * NSEC_PER_SEC);
	assert_int_equal(slot_active(CLOCK), 4 * NSEC_PER_SEC);
}

/* Whose turn it is: its slots, its group and its derived counter have the same time, from its
 * start to its stop, and every count of it. */
static void test_turns(void **state)
{
	const uint64_t turn = 2 * NSEC_PER_SEC + NSEC_PER_USEC;         /* a stop takes 1 us */

	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	both_counted();
	f.hand.at_start = 1;                    /* counted before the first sample of a turn */
	f.hand.at_stop = 3;                     /* and after the last check */
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 8; i++) {
		count(100, 10);
		tick();
	}
	assert_int_equal(f.words[W_ROUND], 0);          /* two turns of each are over */
	assert_int_equal(total(EVENT), 2 * (1 + 20 + 3) + 1);
	assert_int_equal(total(CLOCK), 2 * (200 + 1));
	assert_int_equal(f.words[f.layout.metric_value], total(EVENT) + total(CLOCK));
	/* They begin at 5 s, at 7 s + 1 us, ...: the second turn of each is as much shorter as the
	 * grid of ticks does not wait for it. */
	assert_int_equal(f.words[f.layout.group_active], turn + turn - NSEC_PER_USEC);
	assert_int_equal(slot_active(EVENT), turn + turn - NSEC_PER_USEC);
	assert_int_equal(slot_active(CLOCK), turn + turn - NSEC_PER_USEC);
	assert_int_equal(f.words[f.layout.metric_active], turn + turn - NSEC_PER_USEC);
	assert_int_equal(slot_active(SLOTS + EVENT), turn + turn - 2 * NSEC_PER_USEC);
	/* and the socket counted in all of them */
	assert_int_equal(f.words[W_ACTIVE], 2 * (turn + turn) - 3 * NSEC_PER_USEC);
}

/* What two rounds count is one series: both total and time are sums, and whether it is valid now is
 * what the round says that had it last. */
static void test_series_of_two_rounds(void **state)
{
	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	for (unsigned r = 0; r < ROUNDS; r++) {
		f.slots[r][CLOCK].identity = "clock";
		f.slots[r][EVENT].identity = "event";
	}
	free(f.socket.series);
	hand_series(&f.socket);
	f.layout = layout_of(&f.socket);
	ring_init(&f.ring, f.mem, f.layout.n_words);
	remake();
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 2; i++) {
		count(100, 10);
		tick();
	}
	assert_int_equal(f.words[W_ROUND], 1);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	count(100, 10);
	tick();
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	assert_int_equal(total(EVENT), 20);
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_ROUND], 0);
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 40);
	/* The second turn began 1 us behind the grid; in that of each stop no clock counted. */
	assert_int_equal(slot_active(EVENT), 4 * NSEC_PER_SEC - NSEC_PER_USEC);
	f.hand.start_result = -ENXIO;           /* nobody answers at the next turn */
	tick();
	tick();
	assert_int_equal(f.words[W_ROUND], 1);
	assert_int_equal(reason(EVENT), REASON_NONE);   /* as its last round was valid */
}

/* The time of a clock that shows no count is not known to have been counted; when it counts again
 * it is, and after ten seconds it was not. */
static void test_clock_that_stands(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	for (unsigned i = 0; i < 5; i++) {
		tick();
		assert_int_equal(slot_active(CLOCK), NSEC_PER_SEC);
		assert_int_equal(slot_active(EVENT), NSEC_PER_SEC);
	}
	count(100, 10);
	tick();
	assert_int_equal(slot_active(CLOCK), 7 * NSEC_PER_SEC);
	assert_int_equal(slot_active(EVENT), 7 * NSEC_PER_SEC);
	for (unsigned i = 0; i < 20; i++)
		tick();
	assert_int_equal(reason(EVENT), REASON_STOPPED);
	count(100, 10);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 40);
	assert_int_equal(slot_active(EVENT), 9 * NSEC_PER_SEC);
}

/* It begins between two ticks: a first window that would be shorter than a quarter of one ends at
 * the tick after. */
static void test_first_window(void **state)
{
	static const struct { int line; nsec begins, ends; } rows[] = {
		{ __LINE__, 0, 6000 }, { __LINE__, 749, 6000 }, { __LINE__, 751, 7000 },
		{ __LINE__, 999, 7000 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup(1, NSEC_PER_SEC, 48, 1e9);
		now += rows[i].begins * NSEC_PER_MSEC;
		sampler_start(f.s, NULL);
		if (sampler_next(f.s) != rows[i].ends * NSEC_PER_MSEC)
			fail_msg("line %d: %lld", rows[i].line,
				 (long long)sampler_next(f.s));
		teardown(NULL);
	}
}

/* A tick that came late has a longer window, and a rate is over that one. */
static void test_late_tick(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	now = sampler_next(f.s) + NSEC_PER_SEC / 2;
	count(100, 30);
	sampler_tick(f.s);
	ring_read(&f.ring, f.words);
	assert_true(metric() == 20.0);
	now = sampler_next(f.s);                /* and the next one is as much shorter */
	count(100, 30);
	sampler_tick(f.s);
	ring_read(&f.ring, f.words);
	assert_true(metric() == 60.0);
	assert_int_equal(slot_active(EVENT), 3 * NSEC_PER_SEC);
}

/* The published time is that of the last sample in the values, the middle of its read. */
static void test_timestamp(void **state)
{
	nsec at;

	(void)state;
	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	f.hand.slow = NSEC_PER_MSEC;
	sampler_start(f.s, NULL);
	ring_read(&f.ring, f.words);
	assert_int_equal(f.words[W_NOW_WALL],
			 5 * NSEC_PER_SEC + NSEC_PER_MSEC / 2 + WALL_OFFSET);
	for (unsigned i = 0; i < 10; i++) {
		at = sampler_next(f.s);
		tick();
	}
	assert_int_equal(at, 5 * NSEC_PER_SEC + 100 * NSEC_PER_MSEC);
	assert_int_equal(f.words[W_NOW_WALL], at + NSEC_PER_MSEC / 2 + WALL_OFFSET);
	assert_int_equal(f.words[W_DURATION], NSEC_PER_MSEC);
}

/* What a check could not vouch for is in no value, so its time is not published: neither as the
 * sample's nor as active seconds. */
static void test_timestamp_of_a_refused_sample(void **state)
{
	const uint64_t first = 6 * NSEC_PER_SEC + WALL_OFFSET;

	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_NOW_WALL], first);
	f.hand.check_result = -EIO;
	for (unsigned i = 0; i < 2; i++) {
		count(100, 10);
		tick();
		assert_int_equal(f.words[W_NOW_WALL], first);
		assert_int_equal(f.words[W_ACTIVE], NSEC_PER_SEC);
		assert_int_equal(total(EVENT), 10);
	}
	f.hand.check_result = 0;
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_NOW_WALL], first + 3 * NSEC_PER_SEC);
	assert_int_equal(f.words[W_ACTIVE], 4 * NSEC_PER_SEC);
	assert_int_equal(total(EVENT), 40);
}

/* What freeze stops while it is read is registers, not the kernel's events. */
static void test_freeze_stops_no_perf(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.options.freeze = true;
	remake();
	f.hand.slow = NSEC_PER_MSEC;
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_FROZEN], 0);
	assert_int_equal(f.words[W_ACTIVE], NSEC_PER_SEC + NSEC_PER_MSEC / 2);
}

/* Somebody ends the window between two ticks: it has what was counted until then, and the next one
 * the rest. */
static void test_window_that_is_ended(void **state)
{
	(void)state;
	setup(1, 10 * NSEC_PER_SEC, 48, 1e9);
	f.rounds[0].tick = NSEC_PER_SEC;
	remake();
	sampler_start(f.s, NULL);
	count(1000, 100);
	tick();
	count(500, 200);
	now += NSEC_PER_SEC / 2;
	sampler_end_window(f.s);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(total(EVENT), 300);
	assert_int_equal(slot_active(EVENT), 3 * NSEC_PER_SEC / 2);
	assert_true(fabs(metric() - 300 / 1.5) < 1e-9);
	assert_int_equal(sampler_next(f.s), 7 * NSEC_PER_SEC);
	count(500, 40);
	tick();
	count(500, 60);
	now += NSEC_PER_SEC / 2;
	f.hand.check_result = -EIO;             /* somebody changed it */
	sampler_end_window(f.s);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(total(EVENT), 340);
	f.hand.check_result = 0;
	sampler_end_window(f.s);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(total(EVENT), 400);
	assert_true(fabs(metric() - 100) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_gap, teardown),
		cmocka_unit_test_teardown(test_late, teardown),
		cmocka_unit_test_teardown(test_reset, teardown),
		cmocka_unit_test_teardown(test_counter_that_paused, teardown),
		cmocka_unit_test_teardown(test_turns, teardown),
		cmocka_unit_test_teardown(test_series_of_two_rounds, teardown),
		cmocka_unit_test_teardown(test_clock_that_stands, teardown),
		cmocka_unit_test_teardown(test_first_window, teardown),
		cmocka_unit_test_teardown(test_late_tick, teardown),
		cmocka_unit_test_teardown(test_timestamp, teardown),
		cmocka_unit_test_teardown(test_timestamp_of_a_refused_sample, teardown),
		cmocka_unit_test_teardown(test_freeze_stops_no_perf, teardown),
		cmocka_unit_test_teardown(test_window_that_is_ended, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
