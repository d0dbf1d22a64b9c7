/* SPDX-License-Identifier: MIT
 * What a sampler counts: totals over wraps, late and fast ticks, turns, the rest
 * at the end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampler_fixture.h"

static void test_wrap_delta(void **state)
{
	static const struct {
		unsigned line;
		uint64_t prev, now;
		unsigned width;
		uint64_t delta;
	} rows[] = {
		{ __LINE__, 0, 0, 48, 0 },
		{ __LINE__, 5, 9, 48, 4 },
		{ __LINE__, 0xffffffffffff, 0, 48, 1 },
		{ __LINE__, 0xfffffffffff0, 0x10, 48, 0x20 },
		{ __LINE__, 1, 0, 48, 0xffffffffffff },
		{ __LINE__, 0xfffffffffff, 0, 44, 1 },
		{ __LINE__, 0xffffffff, 0, 32, 1 },
		{ __LINE__, UINT64_MAX, 0, 64, 1 },
		{ __LINE__, 0, 1, 1, 1 },
		{ __LINE__, 1, 0, 1, 1 },
		{ __LINE__, 0xabcd000000000001, 0x1234000000000003, 48, 2 },     /* bits above the width are ignored */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wrap_delta(rows[i].prev, rows[i].now, rows[i].width) != rows[i].delta)
			fail_msg("line %u", rows[i].line);
}

/* Counts from the enabling write on are in the total, also those before the first sample. */
static void test_totals_and_wrap(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.raw[EVENT] = 0xfffffffffff0;
	assert_int_equal(sampler_start(f.s, NULL), 0);
	assert_int_equal(ring_read(&f.ring, f.words), 1);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(f.words[f.layout.metric_reason], REASON_NO_DATA);
	f.hand.raw[EVENT] = 0x20;               /* over the edge: 0x30 events */
	f.hand.raw[CLOCK] = 100;
	tick();
	assert_int_equal(total(EVENT), 0x30);
	assert_int_equal(f.words[W_WRAPS], 1);
	assert_true(metric() == 48.0);          /* 0x30 in one second */
	assert_int_equal(f.words[f.layout.group_active], NSEC_PER_SEC);
	assert_int_equal(f.words[W_MISSED], 0);
	assert_int_equal(f.words[W_TICKS], 2);
}

static void test_missed_ticks(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	now = sampler_next(f.s) + 10 * NSEC_PER_SEC + 5;        /* ten whole intervals late */
	count(1000, 77);
	sampler_tick(f.s);
	ring_read(&f.ring, f.words);
	assert_int_equal(f.words[W_MISSED], 10);
	assert_int_equal(total(EVENT), 77);
	/* back on the grid: one catch-up, not ten */
	assert_int_equal(sampler_next(f.s) % NSEC_PER_SEC, 0);
	assert_true(sampler_next(f.s) - now <= NSEC_PER_SEC);
}

/* Below 100 ms one tick in each 100 ms checks; what lies between is pending until then. */
static void test_fast(void **state)
{
	(void)state;
	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 1; i < 10; i++) {
		count(10, 1);
		tick();
		assert_int_equal(total(EVENT), 0);
	}
	count(10, 1);
	tick();
	assert_int_equal(total(EVENT), 10);
	for (unsigned i = 0; i < 5; i++) {
		count(10, 1);
		tick();
	}
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	for (unsigned i = 0; i < 5; i++) {
		count(10, 1);
		tick();
	}
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(total(EVENT), 10);
}

/* Ten checks a second, however long it runs and whichever tick is a little late. */
static void test_fast_checks_stay_rare(void **state)
{
	(void)state;
	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.reads = f.hand.checks = 0;
	for (unsigned i = 0; i < 600; i++) {
		now = sampler_next(f.s) + (i % 20 == 9 ? 300 : 20) * NSEC_PER_USEC;
		sampler_tick(f.s);
	}
	assert_int_equal(f.hand.reads, 600);
	assert_int_equal(f.hand.checks, 60);
}

/* Zero is a value: an event that does not happen is not stopped. */
static void test_zero_is_a_value(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 30; i++) {
		count(100, 0);
		tick();
	}
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_true(metric() == 0.0);
}

static void test_rotation(void **state)
{
	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.at_stop = 3;	/* counted after the last check, before the stop: not lost */
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_ROUND], 0);
	count(100, 10);
	tick();                                 /* the rotation of 2 s is over */
	assert_int_equal(f.words[W_ROUND], 1);
	assert_int_equal(f.hand.round, 1);
	assert_int_equal(f.hand.stops, 1);
	assert_int_equal(total(f.socket.rounds[0].slots[EVENT].series), 23);
	assert_int_equal(total(f.socket.rounds[1].slots[EVENT].series), 0);
	count(100, 7);
	tick();
	count(100, 7);
	tick();
	assert_int_equal(f.words[W_ROUND], 0);
	assert_int_equal(total(f.socket.rounds[1].slots[EVENT].series), 17);
	assert_int_equal(total(f.socket.rounds[0].slots[EVENT].series), 23);
	/* Stopping takes 1 us, in which the round still counts: 5 s to 7 s + 1 us, then to 9 s + 1
	 * us. */
	assert_int_equal(f.words[f.layout.group_active], 2 * NSEC_PER_SEC + NSEC_PER_USEC);
	assert_int_equal(f.words[f.layout.group_active + 1], 2 * NSEC_PER_SEC);
	assert_true(sampler_all_rounds(f.s));
}

static void test_stop_reads_the_rest(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.at_stop = 5;
	count(100, 10);
	now += 300 * NSEC_PER_MSEC;
	sampler_stop(f.s);
	ring_read(&f.ring, f.words);
	assert_int_equal(total(EVENT), 15);
	assert_false(f.hand.counting);
}

/* 323535-001 p 2-128: low 24 bits 0 or 1 read 0x1000000 too high; never on the base. */
static void test_erratum(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.slots[0][EVENT].erratum = (struct reg_erratum){ 0xffffff, 1, 0x1000000 };
	f.hand.raw[EVENT] = 0xffffff - 10;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 0x2000000;          /* truly 0x1000000 */
	f.hand.raw[CLOCK] = 1;
	tick();
	assert_int_equal(total(EVENT), 11);
	f.hand.raw[EVENT] = 0x1000005;
	f.hand.raw[CLOCK] = 2;
	tick();
	assert_int_equal(total(EVENT), 16);
}

/* What looks too high is read once more, and a counter that ran on in between was right or shows
 * now what it is. One that stands is not read again at each tick. */
static void test_erratum_read_again(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.slots[0][EVENT].erratum = (struct reg_erratum){ 0xffffff, 1, 0x1000000 };
	f.hand.raw[EVENT] = 0xfffff0;
	sampler_start(f.s, NULL);
	assert_int_equal(f.hand.reads_again, 0);
	f.hand.raw[EVENT] = 0x2000000;          /* and it is: no erratum here */
	f.hand.again = 0x2000003;
	f.hand.raw[CLOCK] = 1;
	tick();
	assert_int_equal(f.hand.reads_again, 1);
	assert_int_equal(total(EVENT), 0x1000013);
	f.hand.raw[EVENT] = 0x4000001;          /* truly 0x3000001 */
	f.hand.again = 0x3000002;
	tick();
	assert_int_equal(f.hand.reads_again, 2);
	assert_int_equal(total(EVENT), 0x1000013 + 0xffffff);
	f.hand.raw[EVENT] = 0x5000000;          /* it has stopped at 0x4000000 */
	f.hand.again = 0;
	for (unsigned i = 0; i < 3; i++) {
		tick();
		assert_int_equal(f.hand.reads_again, 3);
		assert_int_equal(total(EVENT), 0x1000013 + 0xffffff + 0xfffffe);
	}
	assert_int_equal(f.words[W_RESETS] + f.words[W_WRAPS], 0);
}

/* A counter that stood at 0 was read as 0x1000000: its base can be told only by what comes after
 * it. */
static void test_erratum_of_a_base(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e6);        /* 2^24 counts are not possible in a second */
	f.slots[0][EVENT].erratum = (struct reg_erratum){ 0xffffff, 1, 0x1000000 };
	f.hand.raw[EVENT] = 0x1000000;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 5;
	f.hand.raw[CLOCK] = 1;
	tick();
	assert_int_equal(total(EVENT), 5);
	assert_int_equal(f.words[W_WRAPS] + f.words[W_RESETS], 0);
	f.hand.raw[EVENT] = 2;                  /* and this is a reset */
	f.hand.raw[CLOCK] = 2;
	tick();
	assert_int_equal(f.words[W_RESETS], 1);
	assert_int_equal(reason(EVENT), REASON_RESET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_delta),
		cmocka_unit_test_teardown(test_totals_and_wrap, teardown),
		cmocka_unit_test_teardown(test_missed_ticks, teardown),
		cmocka_unit_test_teardown(test_fast, teardown),
		cmocka_unit_test_teardown(test_fast_checks_stay_rare, teardown),
		cmocka_unit_test_teardown(test_zero_is_a_value, teardown),
		cmocka_unit_test_teardown(test_rotation, teardown),
		cmocka_unit_test_teardown(test_stop_reads_the_rest, teardown),
		cmocka_unit_test_teardown(test_erratum, teardown),
		cmocka_unit_test_teardown(test_erratum_of_a_base, teardown),
		cmocka_unit_test_teardown(test_erratum_read_again, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
