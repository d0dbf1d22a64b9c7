/* SPDX-License-Identifier: MIT
 * A load at a rate: how much it moves of what, and what it says of that. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "verify/pace.h"

#include <math.h>
#include <unistd.h>

#define RATE 60e6               /* bytes a second, which any machine can */
#define TIME 0.4

static struct load *made(void)
{
	struct load *l = NULL;
	struct err err;

	assert_int_equal(load_new("/sys", "/proc", &l, &err), 0);
	return l;
}

struct moved {
	double read, written, seconds, own;
};

static struct moved run(struct load *l, bool told, enum pace_mix mix, double of)
{
	struct pace *p = pace_new(l, told);
	double rate[LOAD_SOCKETS] = { of }, began;
	struct err err;
	struct moved m = { -(double)l->sockets[0].moved[TRAFFIC_READ],
			   -(double)l->sockets[0].moved[TRAFFIC_WRITTEN], 0, 0 };

	assert_non_null(p);
	began = load_seconds();
	assert_int_equal(pace_start(p, mix, rate, &err), 0);
	m.seconds = -load_seconds();
	usleep((useconds_t)(1e6 * TIME));
	pace_stop(p);
	m.seconds += load_seconds();
	assert_true(m.seconds <= load_seconds() - began);
	m.read += (double)l->sockets[0].moved[TRAFFIC_READ];
	m.written += (double)l->sockets[0].moved[TRAFFIC_WRITTEN];
	m.own = (double)pace_moved(p, 0);
	pace_free(p);
	return m;
}

/* Never more than the rate; on a machine with other work much less. A write reads its line, so two
 * reads a write are a third of writes, one is a half. The chase reads beside that. */
static void test_rates(void **state)
{
	static const double writes[PACE_MIXES] = { 0, 1.0 / 3, 0.5 };
	struct load *l = made();

	(void)state;
	for (unsigned mix = 0; mix < PACE_MIXES; mix++) {
		struct moved m = run(l, false, mix, RATE);
		double most = RATE * m.seconds * writes[mix];

		assert_true(m.written <= most * 1.05 + 65536);
		assert_true(m.written > 0 || mix == PACE_READS);
		assert_true(m.read >= m.written);
		assert_true(m.own == m.read + m.written);
	}
	load_free(l);
}

/* The same of a load that only says so; it takes no memory. */
static void test_told(void **state)
{
	static const double reads[PACE_MIXES] = { 1, 2.0 / 3, 0.5 };
	struct load *l = made();

	(void)state;
	for (unsigned mix = 0; mix < PACE_MIXES; mix++) {
		struct moved m = run(l, true, mix, 1e11);

		assert_true(m.own <= 1e11 * (m.seconds + 0.1) && m.own > 1e11 * m.seconds / 2);
		assert_true(fabs(m.read / (m.read + m.written) - reads[mix]) < 1e-3);
		assert_true(fabs(pace_shares[mix] - reads[mix]) < 1e-9);
	}
	assert_null(l->sockets[0].memory);
	load_free(l);
}

/* As fast as it goes is faster than a rate; nothing is nothing but the chase. */
static void test_ends(void **state)
{
	struct load *l = made();
	struct moved none = run(l, false, PACE_ONE_TO_ONE, 0);
	struct moved all = run(l, false, PACE_ONE_TO_ONE, INFINITY);

	(void)state;
	assert_true(none.written == 0 && none.read > 0);
	assert_true(all.written / all.seconds > RATE);
	load_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates), cmocka_unit_test(test_told),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
