/* SPDX-License-Identifier: MIT
 * The search is complete, sound and prefers low encodings and counters. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "schedule/assign.h"
#include "base/bits.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX 6

/* Bits that an encoding wants of a register. */
#define WANT(reg_, mask_, value_) { .reg.off = reg_, .mask = mask_, .value = value_ }

struct set {                        /* a small random problem */
	unsigned n;
	struct assign_event events[MAX];
	struct assign_option options[MAX][3];
};

static bool valid(const struct set *s, const struct assign_result *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct assign_option *a = &s->options[i][r[i].option];

		if (r[i].option >= s->events[i].n_options ||
		    !(s->events[i].counters & BIT(r[i].counter)))
			return false;
		for (unsigned k = 0; k < i; k++) {
			const struct assign_option *b = &s->options[k][r[k].option];

			if (r[k].counter == r[i].counter)
				return false;
			for (unsigned x = 0; x < a->n; x++)
				for (unsigned y = 0; y < b->n; y++)
					for (unsigned bit = 0; bit < 8; bit++)
						if (a->values[x].reg.off == b->values[y].reg.off &&
						    (a->values[x].mask >> bit & 1) &&
						    (b->values[y].mask >> bit & 1) &&
						    (a->values[x].value >> bit & 1) !=
						    (b->values[y].value >> bit & 1))
							return false;
		}
	}
	return true;
}

/* Every selection of encoding and counter, one after the other. */
static bool brute(const struct set *s, struct assign_result *r, unsigned n)
{
	if (n == s->n)
		return true;
	for (r[n].option = 0; r[n].option < s->events[n].n_options; r[n].option++)
		for (r[n].counter = 0; r[n].counter < 4; r[n].counter++)
			if (valid(s, r, n + 1) && brute(s, r, n + 1))
				return true;
	return false;
}

static void random_set(struct set *s)
{
	memset(s, 0, sizeof(*s));
	s->n = 1 + (unsigned)(random() % 5);
	for (unsigned i = 0; i < s->n; i++) {
		unsigned options = 1 + (unsigned)(random() % 3);

		for (unsigned o = 0; o < options; o++) {
			unsigned values = (unsigned)(random() % 3);

			for (unsigned w = 0; w < values; w++) {
				struct cat_field_value *want = &s->options[i][o].values[w];

				want->reg.off = (uint32_t)(random() % 2);
				want->mask = (uint64_t)(random() & random() & 0xff);
				want->value = (uint64_t)random() & want->mask;
			}
			s->options[i][o].n = values;
		}
		s->events[i] = (struct assign_event){ (uint32_t)(random() & 0xf), s->options[i],
						      options };
	}
}

static void test_against_brute_force(void **state)
{
	const char *env = getenv("SEED");
	unsigned seed = env ? (unsigned)atoi(env) : (unsigned)time(NULL) ^ (unsigned)getpid(),
		fits = 0, sets = 20000;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (unsigned i = 0; i < sets; i++) {
		struct assign_result mine[MAX], theirs[MAX];
		struct set s;
		bool ok;

		random_set(&s);
		ok = assign(s.events, s.n, mine);
		assert_int_equal(ok, brute(&s, theirs, 0));
		if (ok)
			assert_true(valid(&s, mine, s.n));
		fits += ok;
	}
	/* Both outcomes must be common, or the test says nothing. */
	assert_in_range(fits, sets / 20, sets - sets / 20);
}

static void test_prefers_low(void **state)
{
	static struct assign_option none;
	const struct assign_event events[] = { { 0xf, &none, 1 }, { 0x8, &none, 1 },
					       { 0xf, &none, 1 }, { 0x1, &none, 1 } };
	struct assign_result r[4];

	(void)state;
	assert_true(assign(events, 4, r));
	assert_int_equal(r[0].counter, 1);      /* 0 is the only one for the fourth */
	assert_int_equal(r[1].counter, 3);
	assert_int_equal(r[2].counter, 2);
	assert_int_equal(r[3].counter, 0);
}

static void test_moves_to_partner(void **state)
{
	/* Two events that want register 1, or else register 2, with different values; a third that
	 * must have 1. */
	static struct assign_option a[] = { { { WANT(1, 0xf, 1) }, 1 },
					    { { WANT(2, 0xf, 1) }, 1 } };
	static struct assign_option b[] = { { { WANT(1, 0xf, 2) }, 1 },
					    { { WANT(2, 0xf, 2) }, 1 } };
	static struct assign_option c[] = { { { WANT(2, 0xf, 2) }, 1 } };
	const struct assign_event two[] = { { 0xff, a, 2 }, { 0xff, b, 2 } },
		three[] = { { 0xff, a, 2 }, { 0xff, b, 2 }, { 0xff, c, 1 } },
		not[] = { { 0xff, c, 1 }, { 0xff, b, 1 }, { 0xff, a, 1 } };
	struct assign_result r[3];

	(void)state;
	assert_true(assign(two, 2, r));
	assert_int_equal(r[0].option, 0);
	assert_int_equal(r[1].option, 1);
	assert_true(assign(three, 3, r));
	assert_int_equal(r[0].option, 0);
	assert_int_equal(r[1].option, 1);       /* shares register 2 with c: same value */
	assert_false(assign(not, 3, r));
}

static void test_size(void **state)
{
	static struct assign_option none;
	struct assign_event events[40];
	struct assign_result r[40];

	(void)state;
	assert_true(assign(NULL, 0, r));
	for (unsigned i = 0; i < 40; i++)
		events[i] = (struct assign_event){ 0xffff, &none, 1 };
	assert_true(assign(events, 16, r));
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(r[i].counter, i);
	/* Pigeonholes: a plain search would try 16! ways. */
	assert_false(assign(events, 17, r));
	assert_false(assign(events, 40, r));
	for (unsigned i = 0; i < 16; i++)
		events[i] = (struct assign_event){ 0x7fff, &none, 1 };
	assert_false(assign(events, 16, r));
}

/* 8 ports with two fields each, 16 events; the last port is asked for a third value. */
static void test_many_fields(void **state)
{
	static struct assign_option options[17][2];
	struct assign_event events[17];
	struct assign_result r[17];

	(void)state;
	for (unsigned i = 0; i < 17; i++) {
		unsigned port = i < 16 ? i / 2 : 7;

		for (unsigned o = 0; o < 2; o++)
			options[i][o] = (struct assign_option){
				{ WANT(port * 2 + o, 0xff, i + 1) }, 1 };
		events[i] = (struct assign_event){ 0x1ffff, options[i], 2 };
	}
	assert_true(assign(events, 16, r));
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(r[i].option, i % 2);
	assert_false(assign(events, 17, r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_brute_force),
		cmocka_unit_test(test_prefers_low),
		cmocka_unit_test(test_moves_to_partner),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_many_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
