/* SPDX-License-Identifier: MIT
 * The judgement of verify on samples of counters whose fault is known.
 * A seed makes a machine: how fast it moves, how noisy it is, in which order the rates come. A
 * fault is then applied to what a right counter would have counted. The names of the causes that
 * count as correct are written here by hand.
 */
#include "base/bits.h"
#include "verify/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { RATES = 5, KINDS = 4, IDLE = 4, WINDOWS = 2 * RATES * KINDS + IDLE, SEEDS = 200,
       CLEAN_SEEDS = 1000 };

static uint64_t state;

static double uniform(double low, double high)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return low + (high - low) * ((double)(z >> 11) / 9007199254740992.0);
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform(1e-12, 1))) * cos(6.283185307179586 * uniform(0, 1));
}

struct fault {
	const char *name;
	enum verify_cause cause;
	double truth, other, elsewhere;         /* what is counted of each byte */
	double background[2];                   /* share of the most that others move, at random */
	double noise;                           /* of a window; 0: the machine's */
	bool stuck, wraps;
};

/* Kinds: this direction, the other one, both on the other socket. Each rate comes twice, and all
 * that in random order. */
static unsigned make(const struct fault *f, bool one_socket, struct verify_sample *v)
{
	double speed = uniform(4e9, 80e9), noise = f->noise ? f->noise : uniform(0.001, 0.008);
	double background = uniform(f->background[0], f->background[1]) * speed;
	/* it wraps in each window that moves more than half as fast as the fastest */
	double holds = ldexp(64, (int)floor(log2(0.5 * speed / 64)));
	unsigned n = 0, stuck_at;

	for (unsigned i = 0; i < WINDOWS; i++) {
		unsigned kind = i / 2 / RATES, rate = i / 2 % RATES + 1;
		double moved = i < WINDOWS - IDLE ? speed * rate / RATES : 0;

		if (one_socket && kind > 1 && moved > 0)
			continue;
		v[n].seconds = uniform(0.999, 1.001);
		moved *= uniform(0.6, 1.05);
		v[n].moved[VERIFY_EXPECTED] = kind == 0 ? moved : 0;
		v[n].moved[VERIFY_OTHER_DIRECTION] = kind == 1 ? moved : 0;
		v[n++].moved[VERIFY_OTHER_SOCKETS] = kind == 2 ? moved : 0;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned j = (unsigned)uniform(i, n);
		struct verify_sample other = v[j];

		v[j] = v[i];
		v[i] = other;
	}
	stuck_at = (unsigned)uniform(0, 0.7 * n);
	for (unsigned i = 0; i < n; i++) {
		struct verify_sample *s = &v[i];

		s->count = f->truth * s->moved[VERIFY_EXPECTED] +
			f->other * s->moved[VERIFY_OTHER_DIRECTION] +
			f->elsewhere * s->moved[VERIFY_OTHER_SOCKETS];
		if (f->wraps)
			s->count = fmod(s->count, holds);
		s->count *= 1 + noise * gauss();
		s->count += background * s->seconds * (1 + 0.1 * gauss()) +
			fabs(0.002 * speed * gauss());
		if (uniform(0, 1) < 0.03)       /* somebody did something */
			s->count += uniform(0, 0.2) * speed;
		if (f->stuck && i >= stuck_at)
			s->count = 0;
	}
	return n;
}

#define QUIET .background = { 0, 0.02 }
static const struct fault right = { "right", VERIFY_RIGHT, 1, 0, 0, QUIET };
static const struct fault faults[] = {
	{ "counted twice", VERIFY_TWICE, 2, 0, 0, QUIET },
	{ "half of the channels", VERIFY_HALF, 0.5, 0, 0, QUIET },
	{ "three copies", VERIFY_COPIES, 3, 0, 0, QUIET },
	{ "twelve copies", VERIFY_COPIES, 12, 0, 0, QUIET },
	{ "read and write exchanged", VERIFY_DIRECTION, 0, 1, 0, QUIET },
	{ "reads for ownership", VERIFY_BOTH, 1, 1, 0, QUIET },
	{ "sockets exchanged", VERIFY_SOCKETS, 0, 0, 1, QUIET },
	{ "one dead channel of 4", VERIFY_DEAD, 0.75, 0, 0, QUIET },
	{ "one dead channel of 8", VERIFY_DEAD, 0.875, 0, 0, QUIET },
	{ "10 % lost", VERIFY_LOST, 0.9, 0, 0, QUIET },
	{ "one counter stuck", VERIFY_STUCK, 1, 0, 0, QUIET, .stuck = true },
	{ "wrap every second", VERIFY_WRAP, 1, 0, 0, QUIET, .wraps = true },
	{ "background traffic", VERIFY_BACKGROUND, 1, 0, 0, .background = { 0.08, 0.5 } },
	{ "not quiet", VERIFY_NOISY, 1, 0, 0, QUIET, .noise = 0.6 },
};

static bool named(const struct fault *f, bool one_socket)
{
	struct verify_sample v[WINDOWS];
	struct verify_verdict verdict;

	verify_judge(v, make(f, one_socket, v), &verdict);
	for (unsigned i = 0; i < verdict.n_causes; i++)
		if (verdict.causes[i] == f->cause)
			return verdict.n_causes <= VERIFY_NAMED;
	return false;
}

static void test_faults(void **unused)
{
	(void)unused;
	for (unsigned one_socket = 0; one_socket < 2; one_socket++)
		for (size_t i = 0; i < COUNT(faults); i++) {
			unsigned good = 0;

			if (one_socket && faults[i].elsewhere > 0)
				continue;
			for (unsigned seed = 0; seed < SEEDS; seed++) {
				state = seed * 1000003 + i;
				good += named(&faults[i], one_socket);
			}
			printf("%-26s %s: named in %u of %u seeds\n", faults[i].name,
			       one_socket ? "1 socket " : "2 sockets", good, SEEDS);
			assert_true(good >= 0.95 * SEEDS);
		}
}

/* An alarm is any verdict on a right counter but "right" alone. */
static void test_clean(void **unused)
{
	struct verify_sample v[WINDOWS];
	struct verify_verdict verdict;
	unsigned alarms = 0, missed = 0;

	(void)unused;
	for (unsigned seed = 0; seed < CLEAN_SEEDS; seed++) {
		state = UINT64_C(77) << 32 | seed;
		verify_judge(v, make(&right, seed % 2, v), &verdict);
		alarms += verdict.n_causes != 1 || verdict.causes[0] != VERIFY_RIGHT;
		missed += verdict.low > 1 || verdict.high < 1;
	}
	printf("clean: %u alarms in %u seeds; the interval leaves 1 out in %u\n", alarms,
	       CLEAN_SEEDS, missed);
	assert_true(alarms <= 0.01 * CLEAN_SEEDS);
}

/* Nobody moves anything else and nothing is uncertain: the slope by hand. */
static void test_exact(void **unused)
{
	struct verify_sample v[12];
	struct verify_verdict verdict;
	char text[VERIFY_TEXT];

	(void)unused;
	for (unsigned i = 0; i < COUNT(v); i++)
		v[i] = (struct verify_sample){ 1, { 1e9 * (i % 6) }, 0.75e9 * (i % 6) };
	verify_judge(v, COUNT(v), &verdict);
	assert_true(fabs(verdict.slope - 0.75) < 1e-6);
	assert_true(verdict.low <= 0.75 + 1e-6 && verdict.high >= 0.75 - 1e-6);
	assert_true(fabs(verdict.background) < 1e3);
	assert_true(fabs(verdict.moved - 30e9) < 1e3);          /* 2 x (1 + 2 + 3 + 4 + 5) GB */
	assert_true(fabs(verdict.counted - 22.5e9) < 1e3);      /* three quarters of it */
	assert_int_equal(verdict.causes[0], VERIFY_DEAD);
	assert_string_equal(verify_cause_names[VERIFY_DEAD], "dead_channel");
	assert_string_equal(verify_cause_say(&verdict, VERIFY_DEAD, text, sizeof(text)),
			    "one of 4 channels is not counted");
	assert_string_equal(verify_cause_say(&verdict, VERIFY_LOST, text, sizeof(text)),
			    "25 % is lost");
}

/* What windows of another kind count is no part of what is compared. */
static void test_bytes_of_one_kind(void **unused)
{
	struct verify_sample v[12];
	struct verify_verdict verdict;

	(void)unused;
	for (unsigned i = 0; i < COUNT(v); i++)
		v[i] = (struct verify_sample){ 2, { i % 2 ? 4e9 : 0, i % 2 ? 0 : 6e9 },
					       i % 2 ? 4e9 : 1e9 };
	verify_judge(v, COUNT(v), &verdict);
	assert_true(fabs(verdict.moved - 6 * 4e9) < 1e3);
	assert_true(fabs(verdict.counted - 6 * 4e9) < 1e3);
}

/* A counter that wraps does so in each window that is fast enough. One window of which a part is
 * lost, on a machine that was busy, is an accident, the fastest one's too. */
static void test_one_cut_window(void **unused)
{
	struct verify_sample v[WINDOWS];
	struct verify_verdict verdict;
	unsigned right_alone = 0;

	(void)unused;
	for (unsigned seed = 0; seed < 200; seed++) {
		unsigned n, fastest = 0;

		state = UINT64_C(78) << 32 | seed;
		n = make(&(struct fault){ .truth = 1, .noise = 1e-6 }, seed % 2, v);
		for (unsigned i = 0; i < n; i++)
			if (v[i].moved[VERIFY_EXPECTED] > v[fastest].moved[VERIFY_EXPECTED])
				fastest = i;
		v[fastest].count *= uniform(0.3, 0.7);
		verify_judge(v, n, &verdict);
		for (unsigned i = 0; i < verdict.n_causes; i++)
			assert_int_not_equal(verdict.causes[i], VERIFY_WRAP);
		right_alone += verdict.n_causes == 1 && verdict.causes[0] == VERIFY_RIGHT;
	}
	printf("one cut window: right in %u of 200 seeds\n", right_alone);
	assert_true(right_alone >= 190);
}

/* Samples in which nothing was moved say nothing. */
static void test_nothing_moved(void **unused)
{
	struct verify_sample v[VERIFY_SAMPLES_MIN];
	struct verify_verdict verdict;

	(void)unused;
	for (unsigned i = 0; i < COUNT(v); i++)
		v[i] = (struct verify_sample){ 1, { 0 }, 0 };
	verify_judge(v, COUNT(v), &verdict);
	assert_int_equal(verdict.n_causes, 1);
	assert_int_equal(verdict.causes[0], VERIFY_NOISY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults), cmocka_unit_test(test_clean),
		cmocka_unit_test(test_exact), cmocka_unit_test(test_bytes_of_one_kind),
		cmocka_unit_test(test_one_cut_window),
		cmocka_unit_test(test_nothing_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
