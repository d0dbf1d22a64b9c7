/* SPDX-License-Identifier: MIT
 * What is between two snapshots, by hand: totals, and which of them are added.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "ctl/stat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A series of family uncore_x_bytes_total: its labels, its value or "", its seconds. */
#define SERIES(labels, value, seconds) \
	"{\"labels\":{" labels "},\"value\":" value ",\"active_seconds\":" seconds "}"
#define INVALID(labels, reason) \
	"{\"labels\":{" labels "},\"valid\":false,\"reason\":\"" reason "\"}"
#define FAMILY(name, type, unit, series) \
	"{\"name\":\"" name "\",\"type\":\"" type "\",\"unit\":\"" unit "\"," \
	"\"series\":[" series "]}"
#define SNAPSHOT(families) "{\"metrics\":[" families "]}"
#define X(series) SNAPSHOT(FAMILY("uncore_x_bytes_total", "counter", "bytes", series))
#define UNIT(socket, unit) "\"socket\":\"" socket "\",\"unit\":\"" unit "\""
#define SOCKET(socket) "\"socket\":\"" socket "\""

static json_t *snapshot(const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	assert_non_null(j);
	return j;
}

/* "NAME VALUE RATE REASON" of each row, in their order. Sets the totals of `now` for the next. */
static void expect(json_t **before, const char *text, const char *const *rows)
{
	json_auto_t *now = snapshot(text), *gains = stat_gains(*before, now, true);
	json_t *next = stat_by_name(now, *before), *row;
	size_t i, n = 0;

	while (rows[n])
		n++;
	json_array_foreach(gains, i, row) {
		char is[256];
		json_t *rate = json_object_get(row, STAT_RATE);

		snprintf(is, sizeof(is), "%s %g %g %s", ctl_text(row, STAT_NAME),
			 json_is_null(json_object_get(row, STAT_VALUE)) ? NAN :
			 json_real_value(json_object_get(row, STAT_VALUE)),
			 json_is_real(rate) ? json_real_value(rate) : NAN,
			 ctl_text(row, STAT_REASON));
		assert_true(i < n);
		assert_string_equal(is, rows[i]);
	}
	assert_int_equal(json_array_size(gains), n);
	json_decref(*before);
	*before = next;
}

#define ROWS(...) (const char *const []){ __VA_ARGS__, NULL }

/* Two sockets of two units, which count 2 s and 4 s; then another second. */
static void test_units_and_sockets(void **state)
{
	json_t *before = NULL;

	(void)state;
	expect(&before, X(SERIES(UNIT("0", "0"), "100", "2") "," SERIES(UNIT("0", "1"), "40", "4")
			  "," SERIES(UNIT("1", "0"), "10", "2") ","
			  SERIES(UNIT("1", "1"), "6", "2")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 100 50 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} 40 10 ",
		    "uncore_x_bytes_total{socket=\"1\",unit=\"0\"} 10 5 ",
		    "uncore_x_bytes_total{socket=\"1\",unit=\"1\"} 6 3 ",
		    "sum(uncore_x_bytes_total{socket=\"0\"}) 140 60 ",
		    "sum(uncore_x_bytes_total{socket=\"1\"}) 16 8 ",
		    "sum(uncore_x_bytes_total) 156 68 "));
	expect(&before, X(SERIES(UNIT("0", "0"), "130", "3") "," SERIES(UNIT("0", "1"), "47", "5")
			  "," SERIES(UNIT("1", "0"), "10", "3") ","
			  SERIES(UNIT("1", "1"), "7", "3")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 30 30 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} 7 7 ",
		    "uncore_x_bytes_total{socket=\"1\",unit=\"0\"} 0 0 ",
		    "uncore_x_bytes_total{socket=\"1\",unit=\"1\"} 1 1 ",
		    "sum(uncore_x_bytes_total{socket=\"0\"}) 37 37 ",
		    "sum(uncore_x_bytes_total{socket=\"1\"}) 1 1 ",
		    "sum(uncore_x_bytes_total) 38 38 "));
	json_decref(before);
}

/* One socket is the machine; what a socket has once is not added for it. */
static void test_no_sum_of_one(void **state)
{
	json_t *one = NULL, *two = NULL, *alone = NULL;

	(void)state;
	expect(&one, X(SERIES(UNIT("0", "0"), "4", "2") "," SERIES(UNIT("0", "1"), "6", "2")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 4 2 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} 6 3 ",
		    "sum(uncore_x_bytes_total) 10 5 "));
	expect(&two, X(SERIES(SOCKET("0"), "4", "2") "," SERIES(SOCKET("1"), "6", "2")),
	       ROWS("uncore_x_bytes_total{socket=\"0\"} 4 2 ",
		    "uncore_x_bytes_total{socket=\"1\"} 6 3 ",
		    "sum(uncore_x_bytes_total) 10 5 "));
	expect(&alone, X(SERIES(SOCKET("0"), "4", "2")),
	       ROWS("uncore_x_bytes_total{socket=\"0\"} 4 2 "));
	json_decref(one);
	json_decref(two);
	json_decref(alone);
}

/* Unit masks overlap, so that each has sums of its own; ratios and latencies have none. */
static void test_what_may_not_be_added(void **state)
{
	json_t *before = NULL;

	(void)state;
	expect(&before, SNAPSHOT(
		FAMILY("uncore_e_total", "counter", "",
		       SERIES(UNIT("0", "0") ",\"umask\":\"A\"", "1", "1") ","
		       SERIES(UNIT("0", "1") ",\"umask\":\"A\"", "2", "1") ","
		       SERIES(UNIT("0", "0") ",\"umask\":\"B\"", "4", "1")) ","
		FAMILY("uncore_r_ratio", "gauge", "ratio",
		       SERIES(UNIT("0", "0"), "0.5", "null") ","
		       SERIES(UNIT("0", "1"), "0.25", "null")) ","
		FAMILY("uncored_samples_total", "counter", "", SERIES(SOCKET("0"), "9", "1"))),
	       ROWS("uncore_e_total{socket=\"0\",unit=\"0\",umask=\"A\"} 1 1 ",
		    "uncore_e_total{socket=\"0\",unit=\"1\",umask=\"A\"} 2 2 ",
		    "uncore_e_total{socket=\"0\",unit=\"0\",umask=\"B\"} 4 4 ",
		    "sum(uncore_e_total{umask=\"A\"}) 3 3 ",
		    "uncore_r_ratio{socket=\"0\",unit=\"0\"} 0.5 nan ",
		    "uncore_r_ratio{socket=\"0\",unit=\"1\"} 0.25 nan "));
	json_decref(before);
}

/* No part as the whole, no 0 for what is not known; when it is known again, nothing was lost. */
static void test_a_part_is_missing(void **state)
{
	json_t *before = NULL;

	(void)state;
	expect(&before, X(SERIES(UNIT("0", "0"), "4", "2") "," SERIES(UNIT("0", "1"), "6", "2")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 4 2 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} 6 3 ",
		    "sum(uncore_x_bytes_total) 10 5 "));
	expect(&before, X(SERIES(UNIT("0", "0"), "5", "3") ","
			  INVALID(UNIT("0", "1"), "read_error")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 1 1 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} nan nan read_error",
		    "sum(uncore_x_bytes_total) nan nan read_error"));
	expect(&before, X(SERIES(UNIT("0", "0"), "6", "4") "," SERIES(UNIT("0", "1"), "16", "4")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 1 1 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} 10 5 ",
		    "sum(uncore_x_bytes_total) 11 6 "));
	/* the second has no turn; then another uncored answers, whose totals are smaller */
	expect(&before, X(SERIES(UNIT("0", "0"), "8", "5") "," SERIES(UNIT("0", "1"), "16", "4")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} 2 2 ",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} nan nan not_counted",
		    "sum(uncore_x_bytes_total) nan nan not_counted"));
	expect(&before, X(SERIES(UNIT("0", "0"), "1", "6") "," SERIES(UNIT("0", "1"), "17", "1")),
	       ROWS("uncore_x_bytes_total{socket=\"0\",unit=\"0\"} nan nan reset",
		    "uncore_x_bytes_total{socket=\"0\",unit=\"1\"} nan nan reset",
		    "sum(uncore_x_bytes_total) nan nan reset"));
	json_decref(before);
}

/* What had no value at the beginning does not begin at 0: a running uncored has counted before. */
static void test_not_known_at_the_beginning(void **state)
{
	json_auto_t *first = snapshot(X(INVALID(SOCKET("0"), "late")));
	json_t *before = stat_by_name(first, NULL);

	(void)state;
	expect(&before, X(SERIES(SOCKET("0"), "1000", "50")),
	       ROWS("uncore_x_bytes_total{socket=\"0\"} nan nan no_data"));
	expect(&before, X(SERIES(SOCKET("0"), "1002", "51")),
	       ROWS("uncore_x_bytes_total{socket=\"0\"} 2 2 "));
	json_decref(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_and_sockets),
		cmocka_unit_test(test_no_sum_of_one),
		cmocka_unit_test(test_what_may_not_be_added),
		cmocka_unit_test(test_a_part_is_missing),
		cmocka_unit_test(test_not_known_at_the_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
