/* SPDX-License-Identifier: MIT
 * When a machine on which nothing can be counted is looked at again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/waiting.h"

#define SECOND UINT64_C(1000000)

/* What a fingerprint does not show is seen all the same, a minute after the last try. */
static void test_once_a_minute(void **state)
{
	struct waiting_tries t = { .tried_at = 1000 * SECOND, .tried = 7, .seen = 7 };

	(void)state;
	for (unsigned s = 1001; s < 1060; s++)
		assert_false(waiting_worth_a_try(&t, 7, s * SECOND));
	assert_false(waiting_worth_a_try(&t, 7, 1060 * SECOND - 1));
	assert_true(waiting_worth_a_try(&t, 7, 1060 * SECOND));
	assert_false(waiting_worth_a_try(&t, 7, 1061 * SECOND));
	/* a tick was late: from then on, and not from when it should have been */
	assert_true(waiting_worth_a_try(&t, 7, 1133 * SECOND));
	assert_false(waiting_worth_a_try(&t, 7, 1192 * SECOND));
	assert_true(waiting_worth_a_try(&t, 7, 1193 * SECOND));
}

/* What changes is looked at when it has come to rest, once. */
static void test_a_change(void **state)
{
	struct waiting_tries t = { .tried_at = 0, .tried = 7, .seen = 7 };

	(void)state;
	assert_false(waiting_worth_a_try(&t, 8, 1 * SECOND));
	assert_false(waiting_worth_a_try(&t, 9, 2 * SECOND));
	assert_true(waiting_worth_a_try(&t, 9, 3 * SECOND));
	assert_false(waiting_worth_a_try(&t, 9, 4 * SECOND));
	/* gone and here again: as it was tried */
	assert_false(waiting_worth_a_try(&t, 7, 5 * SECOND));
	assert_false(waiting_worth_a_try(&t, 9, 6 * SECOND));
	assert_false(waiting_worth_a_try(&t, 9, 7 * SECOND));
	/* a minute after that try */
	assert_false(waiting_worth_a_try(&t, 9, 62 * SECOND));
	assert_true(waiting_worth_a_try(&t, 9, 63 * SECOND));
	/* one that never rests is tried once a minute, too */
	for (unsigned s = 64; s < 123; s++)
		assert_false(waiting_worth_a_try(&t, 100 + s, s * SECOND));
	assert_true(waiting_worth_a_try(&t, 99, 123 * SECOND));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_a_minute), cmocka_unit_test(test_a_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
