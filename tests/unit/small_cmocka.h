/* SPDX-License-Identifier: MIT
 * As much of cmocka as test_verify_load.c and test_verify_bank.c use, for
 * processors for which it is not installed. UNCORED_TEST_SKIP has names of tests to leave out. */
#ifndef SMALL_CMOCKA_H
#define SMALL_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_true(c) \
	((c) ? (void)0 : (printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #c), exit(1)))
#define assert_int_equal(a, b)      assert_true((a) == (b))
#define assert_int_not_equal(a, b)  assert_true((a) != (b))
#define assert_ptr_equal(a, b)      assert_true((a) == (b))
#define assert_non_null(p)          assert_true((p) != NULL)
#define assert_string_equal(a, b)   assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)
#define skip()                      exit(77)
#define print_message               printf

struct CMUnitTest { const char *name; void (*run)(void **state); };
#define cmocka_unit_test(f) { #f, f }

static int run_tests(const struct CMUnitTest *v, size_t n)
{
	const char *left_out = getenv("UNCORED_TEST_SKIP");

	for (size_t i = 0; i < n; i++)
		if (!left_out || !strstr(left_out, v[i].name)) {
			v[i].run(NULL);
			printf("ok %s\n", v[i].name);
		}
	return 0;
}
#define cmocka_run_group_tests(v, setup, teardown) run_tests(v, sizeof(v) / sizeof((v)[0]))

#endif
