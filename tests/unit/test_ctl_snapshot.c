/* SPDX-License-Identifier: MIT
 * How much of a snapshot is taken from a server that anybody can be: values are counted before
 * memory is taken for them, whatever they are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "ctl/snapshot_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN "{\"format\":\"uncored-snapshot-1\",\"interval_seconds\":1,\"sockets\":[]," \
	      "\"metrics\":[],\"x\":["
enum { IN_BEGIN = 9 };          /* 1, and its commas and brackets */

/* Is a snapshot taken that has so many of this beside what it needs? */
static bool is_taken(const char *value, size_t times)
{
	size_t n = strlen(value);
	char *text = malloc(strlen(BEGIN) + times * (n + 1) + 3), *at = text;
	json_t *j;

	assert_non_null(text);
	at = stpcpy(at, BEGIN);
	for (size_t i = 0; i < times; i++) {
		if (i)
			*at++ = ',';
		memcpy(at, value, n);
		at += n;
	}
	strcpy(at, "]}");
	j = snapshot_read(text);
	free(text);
	json_decref(j);
	return j;
}

/* A number is one value; an empty list or object counts by its comma and its bracket. */
static void test_bound(void **state)
{
	static const struct { int line; const char *value; size_t each; } rows[] = {
		{ __LINE__, "0", 1 }, { __LINE__, "[]", 2 }, { __LINE__, "{}", 2 },
	};

	(void)state;
	assert_true(is_taken("0", SNAPSHOT_VALUES_MAX - IN_BEGIN));
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!is_taken(rows[i].value, 1000))
			fail_msg("row at line %d: not taken", rows[i].line);
		if (is_taken(rows[i].value, SNAPSHOT_VALUES_MAX / rows[i].each))
			fail_msg("row at line %d: taken", rows[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bound) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
