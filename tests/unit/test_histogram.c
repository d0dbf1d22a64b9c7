/* SPDX-License-Identifier: MIT
 * Every sample is in one classic and one native bucket, the right ones, whatever
 * came before. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample/histogram.h"
#include "base/bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct plan_histogram ratio = { .n_bounds = 3, .bounds = { 0.25, 0.5, 1 },
					     .zero = 0x1p-10 };
static const struct plan_histogram both = { .n_bounds = 1, .bounds = { 0 }, .zero = 0x1p-10,
					    .negative = true };
static uint64_t words[1024];

static void add(const struct plan_histogram *h, double v)
{
	histogram_add(h, words, &v, 1);
}

/* What native bucket i holds; 0 outside of what is kept. */
static uint64_t native(const struct plan_histogram *h, bool negative, int64_t i)
{
	int64_t at = i - (int64_t)words[negative ? H_NEGATIVE : H_POSITIVE];

	return at >= 0 && at < HISTOGRAM_NATIVE ? words[histogram_native(h, negative) + at] : 0;
}

static uint64_t native_sum(const struct plan_histogram *h)
{
	uint64_t n = words[H_ZERO];

	for (unsigned i = 0; i < HISTOGRAM_NATIVE; i++)
		n += words[histogram_native(h, false) + i] +
			(h->negative ? words[histogram_native(h, true) + i] : 0);
	return n;
}

static double sum(void)
{
	double v;

	memcpy(&v, &words[H_SUM], sizeof(v));
	return v;
}

static void test_bounds(void **state)
{
	static const struct { unsigned line; double v; unsigned bucket; } rows[] = {
		{ __LINE__, 0, 0 }, { __LINE__, 0.25, 0 }, { __LINE__, 0.25000000000000006, 1 },
		{ __LINE__, 0.5, 1 },
		{ __LINE__, 0.75, 2 }, { __LINE__, 1, 2 }, { __LINE__, 1.0000000000000002, 3 },
		{ __LINE__, 1e300, 3 },
	};

	(void)state;
	/* by hand, as sample/layout.h says */
	assert_int_equal(histogram_words(&ratio), 6 + 4 + 160);
	assert_int_equal(histogram_words(&both), 6 + 2 + 320);
	for (size_t i = 0; i < COUNT(rows); i++) {
		histogram_begin(&ratio, words, 77);
		assert_int_equal(words[H_CREATED], 77);
		add(&ratio, rows[i].v);
		if (words[H_CLASSIC + rows[i].bucket] != 1 || native_sum(&ratio) != 1 ||
		    sum() != rows[i].v)
			fail_msg("line %u", rows[i].line);
	}
}

/* Schema 3: bucket i is (2^((i-1)/8), 2^(i/8)]; 2^(1/8) = 1.0905077326652577. */
static void test_native_bounds(void **state)
{
	static const struct { unsigned line; double v; int64_t bucket; } rows[] = {
		{ __LINE__, 1, 0 }, { __LINE__, 0.9999999999999999, 0 },
		{ __LINE__, 1.0000000000000002, 1 },
		{ __LINE__, 1.0905077326652577, 1 }, { __LINE__, 1.09050773266526, 2 },
		{ __LINE__, 2, 8 }, { __LINE__, 4, 16 },
		/* log2(3) x 8 = 12.7 */
		{ __LINE__, 0.5, -8 }, { __LINE__, 0.25, -16 }, { __LINE__, 0.2500001, -15 },
		{ __LINE__, 3, 13 },
		{ __LINE__, 0.1, -26 },         /* -26.6 */
		{ __LINE__, 5e9, 258 },         /* 257.8 */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		histogram_begin(&ratio, words, 0);
		add(&ratio, rows[i].v);
		assert_int_equal((int64_t)words[H_SCHEMA], 3);
		if (native(&ratio, false, rows[i].bucket) != 1)
			fail_msg("line %u", rows[i].line);
	}
	histogram_begin(&ratio, words, 0);
	add(&ratio, 0x1p-10);                   /* at the threshold, and below */
	add(&ratio, 1e-300);
	add(&ratio, 0);
	assert_int_equal(words[H_ZERO], 3);
	add(&ratio, 0x1.0000000000001p-10);
	assert_int_equal(words[H_ZERO], 3);
	assert_int_equal(native(&ratio, false, -79), 1);
}

/* Values too far apart for 160 buckets: pairs fall together, none is lost. */
static void test_coarser(void **state)
{
	(void)state;
	histogram_begin(&ratio, words, 0);
	add(&ratio, 1);                         /* 0 */
	add(&ratio, 1.5);                       /* 4.68: bucket 5 */
	add(&ratio, 0x1p19);                    /* 152 */
	assert_int_equal((int64_t)words[H_SCHEMA], 3);
	add(&ratio, 0x1p20);                    /* 160: one too many; at schema 2: 0, 3, 76, 80 */
	assert_int_equal((int64_t)words[H_SCHEMA], 2);
	assert_int_equal(native(&ratio, false, 0), 1);
	assert_int_equal(native(&ratio, false, 3), 1);
	assert_int_equal(native(&ratio, false, 76), 1);
	assert_int_equal(native(&ratio, false, 80), 1);
	add(&ratio, 1e300);	/* log2 = 996.6: 250 with four doublings a bucket, 125 with eight */
	assert_int_equal((int64_t)words[H_SCHEMA], -3);
	assert_int_equal(native(&ratio, false, 0), 1);
	assert_int_equal(native(&ratio, false, 1), 1);
	assert_int_equal(native(&ratio, false, 3), 2);
	assert_int_equal(native(&ratio, false, 125), 1);
	assert_int_equal(native_sum(&ratio), 5);
}

static void test_negative(void **state)
{
	(void)state;
	histogram_begin(&both, words, 0);
	add(&both, -1);
	add(&both, -3);
	add(&both, 3);
	add(&both, -1e-9);
	assert_int_equal(words[H_CLASSIC], 3);
	assert_int_equal(words[H_CLASSIC + 1], 1);
	assert_int_equal(words[H_ZERO], 1);
	assert_int_equal(native(&both, true, 0), 1);
	assert_int_equal(native(&both, true, 13), 1);
	assert_int_equal(native(&both, false, 13), 1);
	add(&both, -0x1p30);                    /* coarser for either sign */
	assert_int_equal((int64_t)words[H_SCHEMA], 2);
	assert_int_equal(native(&both, true, 0), 1);
	assert_int_equal(native(&both, true, 7), 1);
	assert_int_equal(native(&both, true, 120), 1);
	assert_int_equal(native(&both, false, 7), 1);
	assert_int_equal(native_sum(&both), 5);
}

/* Samples that are each a number, and whose sum would be none: it stays at the largest there is,
 * and comes back from there. */
static void test_huge_sum(void **state)
{
	static const double most = 0x1.fffffffffffffp1023, v[] = { 1e308, 1e308, -1e308 };

	(void)state;
	histogram_begin(&both, words, 0);
	histogram_add(&both, words, v, COUNT(v));
	assert_true(sum() == most);
	for (unsigned i = 0; i < 3; i++)
		add(&both, -1e308);
	assert_true(sum() < -1e308 && isfinite(sum()));
	add(&both, -1e308);
	assert_true(sum() == -most);
	add(&both, 1e308);
	assert_true(sum() > -1e308);
	assert_int_equal(words[H_CLASSIC], 5);
	assert_int_equal(native_sum(&both), 8);
}

/* Any order of any values: the same buckets as the C library's logarithm finds, at the schema that
 * was left. */
static void test_random(void **state)
{
	enum { N = 3000 };
	static double v[N];

	(void)state;
	for (unsigned turn = 0; turn < 40; turn++) {
		double wide = 1 + turn * 1.7;
		int64_t schema;

		srand48(turn);
		histogram_begin(&ratio, words, 0);
		for (unsigned i = 0; i < N; i++)
			v[i] = exp2((drand48() - 0.5) * wide + (turn % 5) * 8);
		histogram_add(&ratio, words, v, N / 3);
		histogram_add(&ratio, words, v + N / 3, N - N / 3);
		assert_int_equal(native_sum(&ratio), N);
		schema = (int64_t)words[H_SCHEMA];
		assert_true(schema >= -4 && schema <= 3);
		if (wide < 19)
			assert_int_equal(schema, 3);
		for (unsigned i = 0; i < N; i++) {
			int64_t b = (int64_t)ceil(log2(v[i]) * exp2((double)schema)),
				at = b - (int64_t)words[H_POSITIVE];

			if (v[i] <= ratio.zero)
				words[H_ZERO]--;
			else if (at < 0 || at >= HISTOGRAM_NATIVE ||
				 !words[histogram_native(&ratio, false) + at]--)
				fail_msg("turn %u: %a is not in bucket %lld of schema %lld", turn,
					 v[i], (long long)b, (long long)schema);
		}
		assert_int_equal(native_sum(&ratio), 0); /* each in its own, and nothing else */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_native_bounds),
		cmocka_unit_test(test_coarser),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_huge_sum),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
