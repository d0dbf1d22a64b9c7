/* SPDX-License-Identifier: MIT
 * Numbers as text, and which format an Accept header asks for. */
#include "expo/digits.h"
#include "expo/exported.h"
#include "expo/expo.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"

static void expect(int line, const char *text, const char *end, const char *want)
{
	if ((size_t)(end - text) != strlen(want) || memcmp(text, want, strlen(want)) != 0)
		fail_msg("row at line %d: \"%.*s\", not \"%s\"", line,
			 (int)(end - text), text, want);
}

static void test_u64(void **state)
{
	static const struct { int line; uint64_t v; const char *want; } rows[] = {
		{ __LINE__, 0, "0" }, { __LINE__, 9, "9" }, { __LINE__, 10, "10" },
		{ __LINE__, 99, "99" },
		{ __LINE__, 100, "100" }, { __LINE__, 101, "101" },
		{ __LINE__, 9007199254740993, "9007199254740993" },
		{ __LINE__, UINT64_MAX, "18446744073709551615" },
	};
	uint64_t v = 1;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char t[DIGITS_MAX];

		expect(rows[i].line, t, digits_u64(t, rows[i].v), rows[i].want);
	}
	for (int i = 0; i < 2000; i++, v = v * 6364136223846793005u + 1442695040888963407u) {
		char t[DIGITS_MAX], want[32];
		uint64_t x = v >> (i % 64);

		snprintf(want, sizeof(want), "%" PRIu64, x);
		expect(__LINE__, t, digits_u64(t, x), want);
	}
}

static void test_seconds(void **state)
{
	static const struct { int line; uint64_t ns; const char *want; } rows[] = {
		{ __LINE__, 0, "0" }, { __LINE__, 1, "0.000000001" }, { __LINE__, 1000000000, "1" },
		{ __LINE__, 1500000000, "1.5" }, { __LINE__, 1000000010, "1.00000001" },
		{ __LINE__, 100000000, "0.1" },
		{ __LINE__, 1790000000123456789, "1790000000.123456789" },
		{ __LINE__, UINT64_MAX, "18446744073.709551615" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char t[DIGITS_MAX];

		expect(rows[i].line, t, digits_seconds(t, rows[i].ns), rows[i].want);
	}
}

static void test_double(void **state)
{
	static const struct { int line; double v; const char *want; } rows[] = {
		{ __LINE__, 0.0, "0" }, { __LINE__, -0.0, "0" }, { __LINE__, 0.1, "0.1" },
		{ __LINE__, 0.5, "0.5" },
		{ __LINE__, -1, "-1" }, { __LINE__, 2.26e9, "2260000000" },
		{ __LINE__, 0.1 + 0.2, "0.30000000000000004" },
		{ __LINE__, 1.0 / 3, "0.3333333333333333" },
		{ __LINE__, 5e-324, "4.94065645841247e-324" },
		{ __LINE__, 8.4e-8, "0.000000084" }, { __LINE__, 1.5e-11, "0.000000000015" },
		{ __LINE__, 1e-12, "1e-12" },
		{ __LINE__, -0.25, "-0.25" },
		{ __LINE__, 4503599627370495.5, "4503599627370495.5" },
		/* one digit behind many zeros, the last of eight, the first behind eight, none but
		 * zeros in the last eight */
		{ __LINE__, 1e-11, "0.00000000001" }, { __LINE__, 1e-9, "0.000000001" },
		{ __LINE__, 1e-6, "0.000001" },
		{ __LINE__, 9.5e-7, "0.00000095" }, { __LINE__, 0.00390625, "0.00390625" },
		{ __LINE__, 0.001953125, "0.001953125" },
		{ __LINE__, 123456789.125, "123456789.125" },
		{ __LINE__, 2147483648.5, "2147483648.5" },
		/* 15, 16 and 17 digits are needed */
		{ __LINE__, 10.0000000000001, "10.0000000000001" },
		{ __LINE__, 4.000000000000001, "4.000000000000001" },
		{ __LINE__, 9.000000000000002, "9.000000000000002" },
		{ __LINE__, 0.1 + 0.7, "0.7999999999999999" },
		{ __LINE__, 1.0000000000000002, "1.0000000000000002" },
		{ __LINE__, 9.999999999999998, "9.999999999999998" },
		{ __LINE__, 0.95, "0.95" }, { __LINE__, 999999.999999, "999999.999999" },
		{ __LINE__, 1e22, "1e+22" }, { __LINE__, 9007199254740991.0, "9007199254740991" },
		{ __LINE__, DBL_MAX, "1.7976931348623157e+308" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char t[DIGITS_MAX];

		expect(rows[i].line, t, digits_double(t, rows[i].v), rows[i].want);
	}
}

/* By hand, with fractions of whole numbers. */
static void test_exported(void **state)
{
	static const struct { int line; double v, want; } gauges[] = {
		{ __LINE__, 0, 0 }, { __LINE__, 1, 1 }, { __LINE__, 2.5, 2.5 },
		{ __LINE__, 0x1.fffffp0, 2 },                   /* 21 digits: up, a carry */
		{ __LINE__, 0x1.fffffp10, 0x1p11 },
		{ __LINE__, 0x1.00001p0, 0x1.00002p0 },         /* in the middle: up in size */
		{ __LINE__, -0x1.00001p0, -0x1.00002p0 },
		{ __LINE__, 0x1.00000fffffffcp0, 1 },           /* just below the middle */
		{ __LINE__, 0x1.00002p-40, 0x1.00002p-40 },     /* 20 digits stay */
		{ __LINE__, 2261000000.5, 2261000192 },
		{ __LINE__, DBL_MAX, DBL_MAX },                 /* finite stays finite */
	};
	static const struct { int line; uint64_t ns; double want; } seconds[] = {
		{ __LINE__, 0, 0 }, { __LINE__, 953, 0 }, { __LINE__, 954, 0x1p-20 },
		{ __LINE__, 1000000000, 1 }, { __LINE__, 1500000000, 1.5 },
		{ __LINE__, 999999999, 0x1.ffffep-1 },          /* down */
		{ __LINE__, 1790000000250000000, 1790000000.25 },
		{ __LINE__, 1790000000000000001, 1790000000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(gauges); i++)
		if (exported_gauge(gauges[i].v) != gauges[i].want)
			fail_msg("row at line %d: %a", gauges[i].line,
				 exported_gauge(gauges[i].v));
	for (size_t i = 0; i < COUNT(seconds); i++)
		if (exported_seconds(seconds[i].ns) != seconds[i].want)
			fail_msg("row at line %d: %a", seconds[i].line,
				 exported_seconds(seconds[i].ns));
	assert_true(exported_duration(41500) == 0x1.5c20ap-15);
	/* A total that rises never falls, whatever its steps. */
	for (uint64_t ns = 0; ns < 4000000000; ns += 99991)
		assert_true(exported_seconds(ns) <= exported_seconds(ns + 1));
}

/* Significant digits of a number's text. */
static int significant(const char *t)
{
	int n = 0, zeros = 0;

	for (; *t && *t != 'e'; t++) {
		if (*t < '0' || *t > '9' || (*t == '0' && !n))
			continue;
		zeros = *t == '0' ? zeros + 1 : 0;
		n++;
	}
	return n - zeros;
}

/* Every kind of double, and those of the usual size: nothing is lost, and no digit too many is
 * printed. */
static void test_double_round_trip(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	(void)state;
	print_message("seed %u\n", seed);
	srandom(seed);
	for (int i = 0; i < 40000; i++) {
		uint64_t bits =
			(uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();
		char t[DIGITS_MAX + 1], want[64];
		int precision = 14;
		double v, back;

		if (i % 2)              /* 2^-40 .. 2^60 */
			bits = (bits & 0x800fffffffffffff) |
				(uint64_t)(1023 - 40 + random() % 100) << 52;
		if (i % 32 == 1)        /* powers of two have a nearer neighbour below */
			bits &= 0xfff0000000000000;
		memcpy(&v, &bits, sizeof(v));
		if (!isfinite(v))
			continue;
		*digits_double(t, v) = '\0';
		back = strtod(t, NULL);
		if (back != v)
			fail_msg("%a came back from \"%s\" as %a (seed %u)", v, t, back, seed);
		do
			snprintf(want, sizeof(want), "%.*g", ++precision, v);
		while (strtod(want, NULL) != v);
		if (strtod(t, NULL) != strtod(want, NULL) ||
		    significant(t) > (v == floor(v) && fabs(v) < 0x1p53 ? 16 : precision))
			fail_msg("\"%s\" where \"%s\" would do (seed %u)", t, want, seed);
	}
}

static void test_scaled(void **state)
{
	static const struct { int line; uint64_t v; double scale; const char *want; } rows[] = {
		{ __LINE__, 3, 64, "192" },
		{ __LINE__, (UINT64_C(1) << 57) + 1, 64, "9223372036854775872" },
		{ __LINE__, UINT64_C(1) << 58, 64, "1.8446744073709552e+19" },          /* 2^64: no uint64 any more */
		{ __LINE__, 10, 0.5, "5" }, { __LINE__, 3, 0.1, "0.30000000000000004" },
		{ __LINE__, 1, 2.3283064365386962890625e-10, "0.00000000023283064365386963" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char t[DIGITS_MAX];

		expect(rows[i].line, t, digits_scaled(t, rows[i].v, rows[i].scale), rows[i].want);
	}
}

/* In a locale with a decimal comma, which localedef makes from the texts of Debian's locales. */
static void test_locale(void **state)
{
	char dir[] = "/tmp/test_locale.XXXXXX", command[256], t[DIGITS_MAX];
	bool there;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir, dir);
	there = system(command) == 0;
	if (there) {
		char *end;

		assert_int_equal(0, setenv("LOCPATH", dir, 1));
		assert_non_null(setlocale(LC_NUMERIC, "de_DE.UTF-8"));
		snprintf(t, sizeof(t), "%.1f", 1.5);
		assert_string_equal(t, "1,5");
		end = digits_double(t, 1.5);
		setlocale(LC_NUMERIC, "C");
		expect(__LINE__, t, end, "1.5");
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(0, system(command));
	if (!there) {
		print_message("skipped: no locales, from whose texts localedef makes one\n");
		skip();
	}
}

#define OM          "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define PROTO       "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; " \
		    "encoding=delimited"
#define PROTO_ASKED "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;" \
		    "encoding=delimited"

/* What Prometheus 2.49 and later send for a list of protocols: each with its weight, then all
 * (config.ScrapeProtocolsHeaders, scrape.acceptHeader). Prometheus 3 names an escaping. */
#define OM_ASKED    "application/openmetrics-text;version=1.0.0"
#define OM_0        "application/openmetrics-text;version=0.0.1"
#define TEXT_0      "text/plain;version=0.0.4"
#define TEXT_1      "text/plain;version=1.0.0"
#define UTF_8       ";escaping=allow-utf-8"

static void test_negotiate(void **state)
{
	static const struct { int line; const char *accept; enum expo_format want; } rows[] = {
		{ __LINE__, NULL, EXPO_TEXT },
		{ __LINE__, "", EXPO_TEXT },
		/* Prometheus 2.42 */
		{ __LINE__, "application/openmetrics-text;version=1.0.0,"
			    "application/openmetrics-text;version=0.0.1;q=0.75,"
			    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", EXPO_OPENMETRICS },
		/* 2.42 with native histograms: protobuf first */
		{ __LINE__, "application/vnd.google.protobuf;"
			    "proto=io.prometheus.client.MetricFamily;encoding=delimited,"
			    "application/openmetrics-text;version=1.0.0;q=0.8,"
			    "application/openmetrics-text;version=0.0.1;q=0.75,"
			    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", EXPO_PROTOBUF },
		/* 2.55: by default; with native histograms */
		{ __LINE__, OM_ASKED ";q=0.5," OM_0 ";q=0.4,"
			    TEXT_0 ";q=0.3,*/*;q=0.2", EXPO_OPENMETRICS },
		{ __LINE__, PROTO_ASKED ";q=0.5," OM_ASKED ";q=0.4," OM_0 ";q=0.3,"
			    TEXT_0 ";q=0.2,*/*;q=0.1", EXPO_PROTOBUF },
		/* 3.x: by default; with native histograms; with names as before; with one protocol,
		 * also the one that is not here: its text is read as any text */
		{ __LINE__, OM_ASKED UTF_8 ";q=0.6," OM_0 ";q=0.5," TEXT_1 UTF_8 ";q=0.4,"
			    TEXT_0 ";q=0.3,*/*;q=0.2", EXPO_OPENMETRICS },
		{ __LINE__, PROTO_ASKED UTF_8 ";q=0.6," OM_ASKED UTF_8 ";q=0.5," OM_0 ";q=0.4,"
			    TEXT_1 UTF_8 ";q=0.3," TEXT_0 ";q=0.2,*/*;q=0.1", EXPO_PROTOBUF },
		{ __LINE__, OM_ASKED ";escaping=underscores;q=0.6," OM_0 ";q=0.5,"
			    TEXT_1 ";escaping=underscores;q=0.4,"
			    TEXT_0 ";q=0.3,*/*;q=0.2", EXPO_OPENMETRICS },
		{ __LINE__, TEXT_1 UTF_8 ";q=0.6," TEXT_0 ";q=0.5,*/*;q=0.4", EXPO_TEXT },
		{ __LINE__, TEXT_1 UTF_8 ";q=0.6,*/*;q=0.5", EXPO_TEXT },
		{ __LINE__, TEXT_0 ";q=0.6,*/*;q=0.5", EXPO_TEXT },
		{ __LINE__, OM_ASKED UTF_8 ";q=0.6,*/*;q=0.5", EXPO_OPENMETRICS },
		{ __LINE__, PROTO_ASKED UTF_8 ";q=0.6,*/*;q=0.5", EXPO_PROTOBUF },
		/* text of another version is answered only if nothing else fits; a parameter that
		 * means nothing here is ignored */
		{ __LINE__, TEXT_1, EXPO_TEXT },
		{ __LINE__, TEXT_1 "," OM_ASKED ";q=0.5", EXPO_OPENMETRICS },
		{ __LINE__, TEXT_0 ";q=0,text/*", EXPO_TEXT },
		{ __LINE__, "text/plain;escaping=dots", EXPO_TEXT },
		{ __LINE__, TEXT_0 ";escaping=dots," OM_ASKED ";q=0.9", EXPO_TEXT },
		{ __LINE__, OM_ASKED ";escaping=dotty;x=y,text/plain;q=0.9", EXPO_OPENMETRICS },
		{ __LINE__, OM_ASKED ";escaping=\"x,text/plain\",text/plain;q=0.9",
		  EXPO_OPENMETRICS },
		{ __LINE__, "text/plain;version=1.1.0", EXPO_TEXT },
		{ __LINE__, "text/plain;version=1.0.0;q=0.4,text/plain;q=0.5", EXPO_TEXT },
		/* protobuf: delimited and of this message alone */
		{ __LINE__, PROTO_ASKED, EXPO_PROTOBUF },
		{ __LINE__, "application/vnd.google.protobuf", EXPO_PROTOBUF },
		{ __LINE__, "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", EXPO_TEXT },
		{ __LINE__, "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=compact-text", EXPO_TEXT },
		{ __LINE__, "application/vnd.google.protobuf;proto=x.y.Z;encoding=delimited", EXPO_TEXT },
		{ __LINE__, PROTO_ASKED ",*/*", EXPO_PROTOBUF },
		{ __LINE__, PROTO_ASKED ";q=0.5,text/plain", EXPO_TEXT },
		{ __LINE__, PROTO_ASKED ",application/openmetrics-text;version=1.0.0", EXPO_OPENMETRICS },
		{ __LINE__, PROTO_ASKED ";q=0,application/*", EXPO_OPENMETRICS },
		{ __LINE__, "application/openmetrics-text;q=0,application/*", EXPO_PROTOBUF },
		/* Telegraf's input prometheus; netdata's go.d.plugin */
		{ __LINE__, PROTO_ASKED ";q=0.7,text/plain;version=0.0.4;q=0.3,*/*;q=0.1", EXPO_PROTOBUF },
		{ __LINE__, "text/plain;version=0.0.4;q=1,*/*;q=0.1", EXPO_TEXT },
		/* a browser, curl */
		{ __LINE__, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", EXPO_TEXT },
		{ __LINE__, "*/*", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=0.5,*/*", EXPO_TEXT },
		/* only unknown versions of OpenMetrics */
		{ __LINE__, "application/openmetrics-text;version=0.0.1", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;version=2.0.0,text/plain;q=0.1", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text", EXPO_OPENMETRICS },
		{ __LINE__, "Application/OpenMetrics-Text ; Version=\"1.0.0\" ; charset=utf-8", EXPO_OPENMETRICS },
		{ __LINE__, "application/*", EXPO_OPENMETRICS },
		{ __LINE__, "application/*, text/*", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text, text/plain", EXPO_OPENMETRICS },
		{ __LINE__, "text/plain;q=0.9, application/openmetrics-text;q=0.8", EXPO_TEXT },
		{ __LINE__, "text/plain;q=0.8, application/openmetrics-text;q=0.9", EXPO_OPENMETRICS },
		{ __LINE__, "text/plain;q=0.001, application/openmetrics-text;q=0.002", EXPO_OPENMETRICS },
		/* q=0: never; the more specific range decides */
		{ __LINE__, "application/openmetrics-text;q=0, */*", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;version=1.0.0;q=0, application/openmetrics-text;q=1", EXPO_TEXT },
		{ __LINE__, "text/plain;q=0, application/openmetrics-text;q=0", EXPO_TEXT },
		{ __LINE__, "*/*;q=0", EXPO_TEXT },
		/* no q-values: the range is not taken */
		{ __LINE__, "application/openmetrics-text;q=NaN,text/plain;q=0.5", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=2,text/plain;q=0.5", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=-1,text/plain;q=0.5", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=1.001,text/plain;q=0.5", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=0.00001,text/plain;q=0", EXPO_TEXT },
		{ __LINE__, "application/openmetrics-text;q=,text/plain;q=0.5", EXPO_TEXT },
		/* commas and semicolons inside quotes, rubbish */
		{ __LINE__, "text/x;a=\"application/openmetrics-text,b;\\\"c\", text/plain", EXPO_TEXT },
		{ __LINE__, "text/x;a=\"unended,application/openmetrics-text", EXPO_TEXT },
		{ __LINE__, ",,;;==,;q=1,;version,\t ,application/openmetrics-text", EXPO_OPENMETRICS },
		{ __LINE__, "application/openmetrics-textual", EXPO_TEXT },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (expo_negotiate(rows[i].accept) != rows[i].want)
			fail_msg("row at line %d: \"%s\" is answered as \"%s\"", rows[i].line,
				 rows[i].accept, expo_content_type(expo_negotiate(rows[i].accept)));
	assert_string_equal(expo_content_type(EXPO_TEXT),
			    "text/plain; version=0.0.4; charset=utf-8");
	assert_string_equal(expo_content_type(EXPO_OPENMETRICS), OM);
	assert_string_equal(expo_content_type(EXPO_PROTOBUF), PROTO);
}

static void test_gzip_wanted(void **state)
{
	static const struct { int line; const char *accept; bool want; } rows[] = {
		{ __LINE__, NULL, false },
		{ __LINE__, "", false },
		{ __LINE__, "gzip", true },                     /* Prometheus */
		{ __LINE__, "gzip, deflate, br, zstd", true },  /* browsers */
		{ __LINE__, "x-gzip", true },
		{ __LINE__, "GZIP;Q=0.5", true },
		{ __LINE__, "deflate, br", false },
		{ __LINE__, "identity", false },
		{ __LINE__, "*", true },
		{ __LINE__, "*;q=0", false },
		{ __LINE__, "gzip;q=0", false },
		{ __LINE__, "gzip;q=0.0, *", false },
		{ __LINE__, "gzip;q=0.5, identity", false },
		{ __LINE__, "gzip;q=0.5, identity;q=0.5", true },
		{ __LINE__, "gzip;q=0.001, identity;q=0", true },
		{ __LINE__, "identity;q=0.5, *;q=0.4", false },
		{ __LINE__, "identity;q=0.4, *;q=0.5", true },
		{ __LINE__, "gzip;q=2", false },
		{ __LINE__, "gzipped", false },
		{ __LINE__, " , gzip ;q=1.0", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (expo_accepts_gzip(rows[i].accept) != rows[i].want)
			fail_msg("row at line %d: \"%s\"", rows[i].line, rows[i].accept);
}

/* A thousand ranges and headers of some size take their length, not its square. */
static void test_negotiate_long(void **state)
{
	struct timespec a, b;
	struct strb t;
	char *semicolons;

	(void)state;
	strb_init(&t, 1u << 20);
	for (int i = 0; i < 1000; i++)
		strb_addf(&t, "text/x%d;q=0.%d,", i, i % 999);
	strb_add(&t, "application/openmetrics-text;version=1.0.0");
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 10; i++)
		assert_int_equal(expo_negotiate(t.s), EXPO_OPENMETRICS);
	semicolons = strdup(t.s);
	assert_non_null(semicolons);
	memset(semicolons, ';', strlen(semicolons));
	assert_int_equal(expo_negotiate(semicolons), EXPO_TEXT);
	memset(semicolons, '"', strlen(semicolons));
	assert_int_equal(expo_negotiate(semicolons), EXPO_TEXT);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < 0.5);
	free(semicolons);
	strb_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64), cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_double), cmocka_unit_test(test_exported),
		cmocka_unit_test(test_double_round_trip), cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_locale),
		cmocka_unit_test(test_negotiate), cmocka_unit_test(test_gzip_wanted),
	        cmocka_unit_test(test_negotiate_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
