/* SPDX-License-Identifier: MIT
 * A load at a rate: how much it moves of what, and what it says of that. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "verify/pace.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#define RATE 60e6               /* bytes a second, which any machine can */
#define BYTES 8e6               /* until so many are moved */
#define PATIENCE 60             /* seconds, on however busy a machine */

static struct load *made(void)
{
	struct load *l = NULL;
	struct err err;

	assert_int_equal(load_new("/sys", "/proc", &l, &err), 0);
	return l;
}

struct moved {
	double read, written, own;
	double seconds, cpu;    /* since before its threads began; of all CPUs */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct moved seen(const struct load *l, const struct pace *p)
{
	return (struct moved){
		.read = (double)l->sockets[0].moved[TRAFFIC_READ],
		.written = (double)l->sockets[0].moved[TRAFFIC_WRITTEN],
		.own = (double)pace_moved(p, 0), .seconds = load_seconds(), .cpu = cpu_seconds(),
	};
}

static struct moved since(struct moved now, struct moved then)
{
	return (struct moved){ now.read - then.read, now.written - then.written,
			       now.own - then.own, now.seconds - then.seconds, now.cpu - then.cpu };
}

/* Until it has moved `bytes`, an eighth of them written if the mix writes at all, and `share` of
 * what the rate makes of the time. */
static struct moved run(struct load *l, bool told, enum pace_mix mix, double of, double bytes,
			double share)
{
	struct pace *p = pace_new(l, told);
	double rate[LOAD_SOCKETS] = { of };
	bool writes = mix != PACE_READS && of > 0;
	struct moved before, m;
	struct err err;

	assert_non_null(p);
	before = seen(l, p);
	assert_int_equal(pace_start(p, mix, rate, &err), 0);
	do {
		usleep(1000);
		m = since(seen(l, p), before);
		assert_true(m.seconds < PATIENCE);
	} while (m.own < bytes || (writes && m.written < bytes / 8) ||
		 (share > 0 && m.own < share * of * m.seconds));
	pace_stop(p);
	m = since(seen(l, p), before);
	pace_free(p);
	return m;
}

/* Never more than the rate; on a machine with other work much less. A write reads its line, so two
 * reads a write are a third of writes, one is a half. The chase reads beside that. */
static void test_rates(void **state)
{
	static const double writes[PACE_MIXES] = { 0, 1.0 / 3, 0.5 };
	struct load *l = made();
	struct err err;

	(void)state;
	assert_int_equal(load_take_memory(l, &err), 0);         /* which takes its time */
	for (unsigned mix = 0; mix < PACE_MIXES; mix++) {
		struct moved m = run(l, false, mix, RATE, BYTES, 0);
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
		struct moved m = run(l, true, mix, 1e11, BYTES, 0.5);

		assert_true(m.own <= 1e11 * m.seconds);
		assert_true(fabs(m.read / (m.read + m.written) - reads[mix]) < 1e-3);
		assert_true(fabs(pace_shares[mix] - reads[mix]) < 1e-9);
	}
	assert_null(l->sockets[0].memory);
	load_free(l);
}

/* As fast as it goes is faster than a rate, of the time that it gets; nothing is nothing but the
 * chase. */
static void test_ends(void **state)
{
	struct load *l = made();
	struct moved none = run(l, false, PACE_ONE_TO_ONE, 0, BYTES, 0);
	struct moved all = run(l, false, PACE_ONE_TO_ONE, INFINITY, 1e8, 0);

	(void)state;
	assert_true(none.written == 0 && none.read > 0);
	assert_true(all.written / all.cpu > RATE);
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
