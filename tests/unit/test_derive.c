/* SPDX-License-Identifier: MIT
 * Metric rows on windows whose answer was worked out by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "derive/derive.h"

#include <math.h>

/* IMT latency (323535-001 2.4.4.2): occupancy 3000 overflows of 32, 960 inserts -> 32 x 3000 / 960
 * = 100 cycles. */
enum { OCC, INS, CONF, CLK, SLOTS };

static struct plan_addend occ[] = { { OCC, 1 } }, ins[] = { { INS, 1 } },
	conflicts[] = { { CONF, 1 } };
static struct plan_addend clk[] = { { CLK, 1 } }, seconds[] = { { -1, 1 } };

static const bool all[SLOTS] = { true, true, true, true }, none[SLOTS] = { false };

static const struct derive_input *inputs(const uint64_t *counts, const bool *usable,
					 const bool *absent)
{
	static struct derive_input v[SLOTS];

	for (unsigned i = 0; i < SLOTS; i++)
		v[i] = (struct derive_input){ counts[i], usable[i], absent[i], false };
	return v;
}

static enum derive_state eval(const struct plan_metric *m, const uint64_t *counts,
			      const bool *usable, const bool *absent, nsec window, double *ret)
{
	return derive_eval(m, inputs(counts, usable, absent),
			   &(struct derive_window){ .length = window }, ret);
}

static enum derive_state rate(const struct plan_metric *m, const uint64_t *counts,
			      const bool *usable, const bool *absent, nsec window, double *ret)
{
	return derive_rate(m, inputs(counts, usable, absent),
			   &(struct derive_window){ .length = window }, ret);
}

static struct plan_metric latency(void)
{
	return (struct plan_metric){ .scale = 32, .num = { occ, 1 }, .den = { ins, 1 },
				     .guard_num = { conflicts, 1 }, .guard_den = { ins, 1 },
				     .guard_max = 0.05 };
}

static void test_latency(void **state)
{
	uint64_t d[SLOTS] = { 3000, 960, 48, 2400000000 };
	struct plan_metric m = latency();
	double v = -1;

	(void)state;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 100.0);
	m.clock = (struct plan_sum){ clk, 1 };  /* 100 cycles at 2.4 GHz: 41.666... ns */
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v > 41.66e-9 && v < 41.67e-9);
	/* A window of two seconds with twice the clock ticks is the same clock. */
	d[CLK] = 4800000000;
	assert_int_equal(eval(&m, d, all, none, 2 * NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v > 41.66e-9 && v < 41.67e-9);
}

static void test_guard(void **state)
{
	uint64_t d[SLOTS] = { 3000, 960, 49, 1 };       /* 49 / 960 = 5.1 % */
	struct plan_metric m = latency();
	double v = -1;

	(void)state;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_CONFLICT);
	assert_true(v == -1);
	d[CONF] = 48;                   /* exactly 5 % is still allowed */
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
}

static void test_no_sample(void **state)
{
	uint64_t d[SLOTS] = { 3000, 0, 0, 1 };
	bool usable[SLOTS] = { true, true, false, true };
	struct plan_metric m = latency();
	double v = -1;

	(void)state;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_NONE);	/* D = 0 */
	d[INS] = 960;
	/* the guard's input */
	assert_int_equal(eval(&m, d, usable, none, NSEC_PER_SEC, &v), DERIVE_UNUSABLE);
	assert_int_equal(eval(&m, d, all, none, 0, &v), DERIVE_NONE);
	m.clock = (struct plan_sum){ clk, 1 };
	d[CLK] = 0;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_NONE);
	assert_true(v == -1);
}

static void test_ratio(void **state)
{
	uint64_t d[SLOTS] = { 30, 120, 0, 0 };
	struct plan_metric m = { .scale = 1, .num = { occ, 1 }, .den = { ins, 1 },
				 .complement = true };
	double v = -1;

	(void)state;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 0.75);
	d[OCC] = 150;                   /* more idle than cycles: clamped only if the row says so */
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == -0.25);
	m.clamp = true;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 0);
}

/* Two reads of 0.5 ms make a second of one counter 1.0010005 seconds of the other at most. */
static void test_no_more_than_reads_are_apart(void **state)
{
	static const struct { uint64_t events; enum derive_state state; } rows[] = {
		{ 1000900000, DERIVE_VALID }, { 1001000000, DERIVE_VALID },
		{ 1001002000, DERIVE_CONFLICT }, { 1002000000, DERIVE_CONFLICT },
	};
	const struct derive_window w = { .length = NSEC_PER_SEC, .apart = NSEC_PER_MSEC };
	struct plan_metric m = { .scale = 1, .num = { occ, 1 }, .den = { clk, 1 },
				 .bounded = true };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t d[SLOTS] = { rows[i].events, 0, 0, 1000000000 };
		double v = 0;

		assert_int_equal(derive_eval(&m, inputs(d, all, none), &w, &v), rows[i].state);
		assert_true(v == (rows[i].state == DERIVE_VALID));
	}
}

/* A clock of at most 1 GHz: two reads of 0.1 ms make 10 ms of it 10.1 ms at most. */
static void test_no_faster_than_reads_are_apart(void **state)
{
	static const struct { uint64_t clocks; enum derive_state state; } rows[] = {
		{ 10000000, DERIVE_VALID }, { 10099999, DERIVE_VALID },
		{ 10100001, DERIVE_CONFLICT }, { 10200000, DERIVE_CONFLICT },
	};
	const struct derive_window w = { .length = 10 * NSEC_PER_MSEC,
					 .apart = 200 * NSEC_PER_USEC };
	const struct plan_metric use = { .scale = 1, .num = { occ, 1 }, .den = { clk, 1 },
					 .clock_most = 1e9 };
	const struct plan_metric capacity = { .scale = 16, .counter = true, .num = { clk, 1 },
					      .clock_most = 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t d[SLOTS] = { 5000000, 0, 0, rows[i].clocks };
		const struct derive_input *in = inputs(d, all, none);
		double v;

		assert_int_equal(derive_eval(&use, in, &w, &v), rows[i].state);
		assert_int_equal(derive_rate(&capacity, in, &w, &v), rows[i].state);
	}
}

static void test_hertz(void **state)
{
	uint64_t d[SLOTS] = { 0, 0, 0, 600000000 };
	struct plan_metric m = { .scale = 1, .num = { clk, 1 }, .den = { seconds, 1 } };
	double v;

	(void)state;
	assert_int_equal(eval(&m, d, all, none, 250 * NSEC_PER_MSEC, &v), DERIVE_VALID);
	assert_true(v == 2.4e9);
}

static void test_total(void **state)
{
	struct plan_addend both[] = { { OCC, 1 }, { INS, 2 } };
	uint64_t t[SLOTS] = { UINT64_C(1) << 60, 3, 0, 0 };
	double v = 0;
	bool usable[SLOTS] = { true, false, true, true };
	struct plan_metric m = { .counter = true, .scale = 64, .num = { both, 2 } };

	(void)state;
	/* 2^53 + 1: a double would lose the 1 */
	assert_true(derive_scale(&m, UINT64_C(9007199254740993)) ==
		    UINT64_C(9007199254740993) * 64);
	assert_int_equal(rate(&m, t, usable, none, NSEC_PER_SEC, &v), DERIVE_UNUSABLE);
	t[OCC] = 5;
	assert_int_equal(rate(&m, t, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 11 * 64);
}

/* UPI: 64 bytes of data in nine flits (perfmon, upi_data_transmit_bw). By hand: 8 flits carry 56.9,
 * 10 carry 71.1. */
static void test_total_of_ninths(void **state)
{
	static const struct { uint64_t flits, bytes; } rows[] = {
		{ 0, 0 }, { 8, 57 }, { 9, 64 }, { 10, 71 }, { 27, 192 },
		{ 9000000000009, 64000000000064 },
	};
	struct plan_metric m = { .counter = true, .scale = 64.0 / 9, .num = { occ, 1 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(derive_scale(&m, rows[i].flits), rows[i].bytes);
	}
}

/* Four units of which the hardware has three: a sum leaves the fourth out, a row of one unit does
 * not. */
static void test_units_that_do_not_exist(void **state)
{
	struct plan_addend units[] = { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 3, 1 } };
	const uint64_t d[SLOTS] = { 10, 20, 99, 30 };
	const bool usable[SLOTS] = { true, true, false, true },
		absent[SLOTS] = { false, false, true, false };
	const bool foreign[SLOTS] = { true, false, false, true },
		gone[SLOTS] = { true, true, true, true };
	struct plan_metric m = { .counter = true, .sum = true, .scale = 64, .num = { units, 4 } };
	double total = 0, v = -1;

	(void)state;
	assert_int_equal(rate(&m, d, usable, absent, NSEC_PER_SEC, &total), DERIVE_VALID);
	assert_true(total == 60 * 64);
	assert_int_equal(rate(&m, d, foreign, absent, NSEC_PER_SEC, &total),
			 DERIVE_UNUSABLE);
	/* nothing left to sum */
	assert_int_equal(rate(&m, d, none, gone, NSEC_PER_SEC, &total), DERIVE_UNUSABLE);
	m.sum = false;
	assert_int_equal(rate(&m, d, usable, absent, NSEC_PER_SEC, &total), DERIVE_UNUSABLE);
	m = (struct plan_metric){ .sum = true, .scale = 1, .num = { units, 4 },
				  .den = { seconds, 1 } };
	assert_int_equal(eval(&m, d, usable, absent, 2 * NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 30.0);
	assert_int_equal(eval(&m, d, none, gone, NSEC_PER_SEC, &v), DERIVE_UNUSABLE);
	m.sum = false;
	assert_int_equal(eval(&m, d, usable, absent, NSEC_PER_SEC, &v), DERIVE_UNUSABLE);
}

/* Knees at 100, 67 and 50 percent of reads: 200, 150 and 120 units of traffic a second; one count
 * of OCC is a unit that is read, one of INS one that is written. Worked out by hand. */
static const struct plan_knee three = {
	.n = 3, .mix = { { 0.5, 120, 0 }, { 0.67, 150, 0 }, { 1, 200, 0 } },
};
static const struct plan_knee two = { .n = 2, .mix = { { 0.5, 120, 0 }, { 0.67, 100, 0 } } };
/* Reads alone never wait so long, although they move 200: their knee, if they had one, would be
 * beyond that. */
static const struct plan_knee lower = {
	.n = 3, .mix = { { 0.5, 120, 0 }, { 0.67, 150, 0 }, { 1, 0, 200 } },
};
static const struct plan_knee outer = {
	.n = 3, .mix = { { 0.5, 120, 0 }, { 0.67, 0, 150 }, { 1, 200, 0 } },
};
static const struct plan_knee neither = {
	.n = 3, .mix = { { 0.5, 120, 0 }, { 0.67, 0, 150 }, { 1, 0, 200 } },
};
static const struct plan_knee one = { .n = 1, .mix = { { 0.67, 150, 0 } } };

static void test_knee(void **unused)
{
	static const struct {
		const struct plan_knee *knee;
		uint64_t read, written;
		double expected, headroom;
	} rows[] = {
		{ &three, 100, 0, 200, 0.5 },
		{ &three, 67, 33, 150, 1 - 100.0 / 150 },
		{ &three, 50, 50, 120, 1 - 100.0 / 120 },
		/* the middle of 0.67 and 1: (1/150 + 1/200) / 2 = 7/1200 s a unit */
		{ &three, 167, 33, 1200.0 / 7, 1 - 200 * 7.0 / 1200 },
		/* and of 0.5 and 0.67: (1/120 + 1/150) / 2 = 9/1200 */
		{ &three, 117, 83, 1200.0 / 9, 1 - 200 * 9.0 / 1200 },
		/* beyond: the nearest */
		{ &three, 20, 80, 120, 1 - 100.0 / 120 },
		{ &three, 0, 60, 120, 0.5 },
		{ &two, 60, 0, 100, 0.4 },
		{ &two, 0, 60, 120, 0.5 },
		{ &one, 30, 45, 150, 0.5 },
		/* beyond the knee it is below 0 */
		{ &three, 400, 0, 200, -1 },
		/* no traffic, no mix: the least knee, all of it left */
		{ &three, 0, 0, 120, 1 },
		{ &two, 0, 0, 100, 1 },
		{ &lower, 0, 0, 120, 1 },
		/* a neighbour has none: as if it were at its most; 0: it is that one itself */
		{ &lower, 117, 83, 1200.0 / 9, 1 - 200 * 9.0 / 1200 },
		{ &lower, 167, 33, 1200.0 / 7, 1 - 200 * 7.0 / 1200 },
		/* 0.985: (1/150 + 21/200) / 22 = 67/13200 */
		{ &lower, 197, 3, 13200.0 / 67, 1 - 200 * 67.0 / 13200 },
		{ &lower, 997, 3, 0, 0 },
		{ &lower, 100, 0, 0, 0 },
		{ &outer, 117, 83, 1200.0 / 9, 1 - 200 * 9.0 / 1200 },
		/* a percent beside it: (1/120 + 16/150) / 17 = 69/10200, (32/150 + 1/200) / 33 */
		{ &outer, 66, 34, 10200.0 / 69, 1 - 100 * 69.0 / 10200 },
		{ &outer, 68, 32, 19800.0 / 131, 1 - 100 * 131.0 / 19800 },
		{ &outer, 667, 333, 0, 0 },
		{ &outer, 67, 33, 0, 0 },
		{ &outer, 673, 327, 0, 0 },
		{ &outer, 167, 33, 1200.0 / 7, 1 - 200 * 7.0 / 1200 },
		{ &neither, 117, 83, 1200.0 / 9, 1 - 200 * 9.0 / 1200 },
		{ &neither, 167, 33, 0, 0 },
		{ &neither, 100, 0, 0, 0 },
	};
	static const bool half[SLOTS] = { true, false, true, true };
	struct plan_metric m = { .of_knee = true, .scale = 1, .num = { occ, 1 },
				 .den = { ins, 1 } };
	uint64_t d[SLOTS] = { 0 };
	enum derive_state state;
	double v = -7;

	(void)unused;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		d[OCC] = rows[i].read;
		d[INS] = rows[i].written;
		m.knee = rows[i].knee;
		m.headroom = false;
		state = rows[i].expected > 0 ? DERIVE_VALID : DERIVE_CONFLICT;
		v = 0;
		assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), state);
		assert_true(fabs(v - rows[i].expected) < 1e-9);
		m.headroom = true;
		assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), state);
		assert_true(fabs(v - rows[i].headroom) < 1e-12);
	}
	/* 64 units a count, in a tenth of a second: 3 x 64 / 0.1 = 1920 of 7680 */
	d[OCC] = 3;
	d[INS] = 0;
	m.scale = 64;
	m.knee = &(struct plan_knee){ .n = 1, .mix = { { 1, 7680, 0 } } };
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC / 10, &v), DERIVE_VALID);
	assert_true(fabs(v - 0.75) < 1e-12);
	/* half of the traffic is no traffic */
	assert_int_equal(eval(&m, d, half, none, NSEC_PER_SEC, &v), DERIVE_UNUSABLE);
	/* Reads and writes in one count: the least knee, whatever the mix. */
	m = (struct plan_metric){ .of_knee = true, .scale = 1, .knee = &three, .num = { occ, 1 } };
	d[OCC] = 100;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 120);
	m.headroom = true;
	d[OCC] = 90;
	assert_int_equal(eval(&m, d, all, none, NSEC_PER_SEC, &v), DERIVE_VALID);
	assert_true(v == 0.25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latency), cmocka_unit_test(test_guard),
		cmocka_unit_test(test_no_sample),
		cmocka_unit_test(test_ratio), cmocka_unit_test(test_no_more_than_reads_are_apart),
		cmocka_unit_test(test_no_faster_than_reads_are_apart),
		cmocka_unit_test(test_hertz),
		cmocka_unit_test(test_total), cmocka_unit_test(test_total_of_ninths),
		cmocka_unit_test(test_units_that_do_not_exist),
		cmocka_unit_test(test_knee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
