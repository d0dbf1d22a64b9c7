/* SPDX-License-Identifier: MIT
 * What verify left, read and compared with the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "base/strb.h"
#include "expo/verified.h"

#include <errno.h>
#include <string.h>

#define HEAD "{\"format\": \"uncored-verify-1\", \"timestamp_seconds\": 1795738099, " \
	"\"processor\": \"made up\", \"kernel\": \"6.1.0\", \"microcode\": \"0xd\", " \
	"\"bios_version\": \"2.1\", \"bios_date\": \"03/28/2024\", \"simulated\": false, " \
	"\"compared\": ["
#define ONE(metric, socket, error, cause) \
	"{\"metric\": \"" metric "\", \"socket\": " socket ", \"error\": " error \
	", \"causes\": [\"" cause "\"]}"

#define NOW 1795738200              /* seconds since 1970 */

static int parse(const char *text, struct verified *ret)
{
	struct err err = { "" };
	int r = verified_parse(text, strlen(text), NOW, ret, &err);

	assert_true((r == 0) == (err.text[0] == '\0'));
	return r;
}

static void test_metrics(void **state)
{
	struct verified v;

	(void)state;
	assert_int_equal(parse(HEAD ONE("a_bytes_total", "0", "2.0", "copies") ", "
			       ONE("b_bytes_total", "0", "0.1", "background") ", "
			       ONE("c_bytes_total", "0", "0.1", "noisy") ", "
			       "{\"metric\": \"d_ratio\", \"socket\": 0, \"causes\": [\"right\"]}, "
			       ONE("a_bytes_total", "36", "-0.001", "right") "]}", &v), 0);
	assert_int_equal(v.timestamp, 1795738099);
	assert_int_equal(v.n, 2);               /* not what was disturbed, nor without an error */
	assert_string_equal(v.v[0].name, "a_bytes_total");
	assert_true(v.v[0].error > 1.999 && v.v[0].error < 2.001);
	assert_int_equal(v.v[1].socket, 36);
	assert_int_equal(v.stale, 0);
}

/* A series has one value: that which says less for the metric. */
static void test_twice(void **state)
{
	struct verified v;

	(void)state;
	assert_int_equal(parse(HEAD ONE("a_bytes_total", "0", "0.1", "right") ", "
			       ONE("a_bytes_total", "0", "-0.2", "right") ", "
			       ONE("a_bytes_total", "0", "0.0", "right") ", "
			       ONE("a_bytes_total", "1", "0.3", "right") "]}", &v), 0);
	assert_int_equal(v.n, 2);
	assert_true(v.v[0].error == -0.2 && v.v[1].error == 0.3);
}

/* Someone's clock was wrong; a day may be another time zone's. */
static void test_in_the_future(void **state)
{
	struct verified v;

	(void)state;
	assert_int_equal(verified_parse(HEAD "]}", strlen(HEAD "]}"), 1795738099 - 86400, &v,
					NULL), 0);
	assert_int_equal(verified_parse(HEAD "]}", strlen(HEAD "]}"), 1795738099 - 86401, &v,
					NULL), -EBADMSG);
	assert_int_equal(v.stale, BIT(STALE_UNREADABLE));
}

/* However many a file has: so few series come of it. */
static void test_bounded(void **state)
{
	enum { SOCKETS = 5 };
	struct strb text = { .max = 1 << 20 };
	struct verified v;

	(void)state;
	strb_add(&text, HEAD);
	for (unsigned i = 0; i < 1000; i++)
		strb_addf(&text, "%s{\"metric\": \"m%u_total\", \"socket\": %u, \"error\": 0, "
			  "\"causes\": [\"right\"]}", i ? ", " : "", i, i % SOCKETS);
	strb_add(&text, "]}");
	assert_int_equal(parse(text.s, &v), 0);
	assert_int_equal(v.n, SOCKETS * VERIFIED_OF_SOCKET);
	for (unsigned i = 0; i < v.n; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < v.n; k++)
			same += v.v[k].socket == v.v[i].socket;
		assert_true(same <= VERIFIED_OF_SOCKET);
	}
	strb_done(&text);
}

static void test_no_file_of_ours(void **state)
{
	static const char *const texts[] = {
		"", "{}", "[]", "null", "{\"format\": \"uncored-verify-2\"}", HEAD,
		"{\"format\": \"uncored-verify-1\"}",
		"{\"format\": \"uncored-verify-1\", \"timestamp_seconds\": -1}",
		("{\"format\": \"uncored-verify-1\", \"timestamp_seconds\": 1, \"kernel\": "
		 "\"0123456789012345678901234567890123456789012345678901234567890123\"}"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct verified v;

		assert_int_equal(parse(texts[i], &v), -EBADMSG);
		assert_int_equal(v.n, 0);
		assert_int_equal(v.stale, BIT(STALE_UNREADABLE));
	}
}

static void test_another_machine(void **state)
{
	static const struct {
		int line;
		const char *processor;
		struct host_versions now;
		bool simulated;
		unsigned stale;
	} rows[] = {
		{ __LINE__, "made up", { "6.1.0", "0xd", "2.1", "03/28/2024" }, false, 0 },
		{ __LINE__, "made up", { "6.1.1", "0xd", "2.1", "03/28/2024" }, false,
		  BIT(STALE_KERNEL) },
		{ __LINE__, "made up", { "6.1.0", "0xe", "2.1", "03/28/2024" }, false,
		  BIT(STALE_MICROCODE) },
		{ __LINE__, "made up", { "6.1.0", "0xd", "2.2", "03/28/2024" }, false,
		  BIT(STALE_BIOS) },
		{ __LINE__, "made up", { "6.1.0", "0xd", "2.1", "03/29/2024" }, false,
		  BIT(STALE_BIOS) },
		{ __LINE__, "made up", { "6.1.0", "", "", "" }, false,
		  BIT(STALE_MICROCODE) | BIT(STALE_BIOS) },
		{ __LINE__, "other", { "6.1.0", "0xd", "2.1", "03/28/2024" }, false,
		  BIT(STALE_PROCESSOR) },
		{ __LINE__, "made up", { "6.1.0", "0xd", "2.1", "03/28/2024" }, true,
		  BIT(STALE_SIMULATED) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct verified v;

		assert_int_equal(parse(HEAD "]}", &v), 0);
		verified_compare(&v, &rows[i].now, rows[i].processor, rows[i].simulated);
		if (v.stale != rows[i].stale)
			fail_msg("line %d: 0x%x", rows[i].line, v.stale);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics), cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_twice), cmocka_unit_test(test_in_the_future),
		cmocka_unit_test(test_no_file_of_ours), cmocka_unit_test(test_another_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
