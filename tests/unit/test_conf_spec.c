/* SPDX-License-Identifier: MIT
 * Event specifications, engine names, listening addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/address.h"
#include "base/bits.h"
#include "conf/conf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct arena *arena;

/* "box|unit|event|umask+umask|key=value key": every part of a specification. */
static void render(const struct spec *s, char *buf, size_t n)
{
	int at = s->perf ? snprintf(buf, n, "perf|%s|%s|", s->box, s->terms)
		 : snprintf(buf, n, "%s|%d|%s|", s->box ?: "", s->unit, s->event);

	for (unsigned i = 0; i < s->n_umasks; i++)
		at += snprintf(buf + at, n - (size_t)at, "%s%s", i ? "+" : "", s->umasks[i]);
	at += snprintf(buf + at, n - (size_t)at, "|");
	for (unsigned i = 0; i < s->n_keys; i++)
		at += snprintf(buf + at, n - (size_t)at, "%s%s%s%s", i ? " " : "", s->keys[i].name,
			       s->keys[i].value ? "=" : "",
			       s->keys[i].value ? s->keys[i].value : "");
}

static void test_good(void **state)
{
	static const struct { int line; const char *text, *want; } rows[] = {
		{ __LINE__, "bbox/IMT_INSERTS_ALL", "bbox|-1|IMT_INSERTS_ALL||" },
		{ __LINE__, "IMT_INSERTS_ALL", "|-1|IMT_INSERTS_ALL||" },
		{ __LINE__, "umc_cas_cmd.rd", "|-1|umc_cas_cmd|rd|" },
		{ __LINE__, "DCLK", "|-1|DCLK||" },
		{ __LINE__, "imc0/cas_count_read,config=0x304",
		  "perf|imc|config=0x304,name=cas_count_read||" },
		{ __LINE__, "cbox3/LLC_HITS:M:E,threshold=2", "cbox|3|LLC_HITS|M+E|threshold=2" },
		{ __LINE__, "rbox/FLITS_SENT,port=1", "rbox|-1|FLITS_SENT||port=1" },
		{ __LINE__, "mbox0/BCMD_SCHEDQ_OCCUPANCY:ALL", "mbox|0|BCMD_SCHEDQ_OCCUPANCY|ALL|" },
		{ __LINE__, "sbox/TO_R_PROG_EV,match=0x10,mask=0xF0", "sbox|-1|TO_R_PROG_EV||match=0x10 mask=0xF0" },
		{ __LINE__, "rbox/XBAR_MM:DRS.AnyResp9flits,port=0,flits=any", "rbox|-1|XBAR_MM|DRS.AnyResp9flits|port=0 flits=any" },
		{ __LINE__, "cbox/UNC_C_LLC_LOOKUP:ANY", "cbox|-1|UNC_C_LLC_LOOKUP|ANY|" },
		{ __LINE__, "cbox/UNC_C_LLC_LOOKUP.ANY,nid=1", "cbox|-1|UNC_C_LLC_LOOKUP|ANY|nid=1" },
		{ __LINE__, "qpi/UNC_Q_MESSAGE.DRS.DataC_M", "qpi|-1|UNC_Q_MESSAGE|DRS.DataC_M|" },
		{ __LINE__, "cbox/x,Edge,INVERT=1", "cbox|-1|x||edge invert=1" },
		{ __LINE__, "CBox255/x", "cbox|255|x||" },
		{ __LINE__, "cbox007/x", "cbox|7|x||" },
		/* digits inside the name of a box are no unit number */
		{ __LINE__, "r3qpi0/x", "r3qpi|0|x||" },
		{ __LINE__, "r3qpi/x", "r3qpi|-1|x||" },
		{ __LINE__, "r2pcie/x", "r2pcie|-1|x||" },
		{ __LINE__, "qpi1/CTO_COUNT:DRS.ANYRESP9FLITS", "qpi|1|CTO_COUNT|DRS.ANYRESP9FLITS|" },
		{ __LINE__, "perfbox/x", "perfbox|-1|x||" },
		/* perf: commas and = between the slashes belong to the terms */
		{ __LINE__, "perf/msr/tsc/", "perf|msr|tsc||" },
		{ __LINE__, "perf/uncore_imc_0/event=0x04,umask=0x03,name=reads/",
		  "perf|uncore_imc_0|event=0x04,umask=0x03,name=reads||" },
		{ __LINE__, "perf/software/cpu-clock/,threshold=2,edge", "perf|software|cpu-clock||threshold=2 edge" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct spec s;
		struct err err = { "" };
		char got[256] = "";

		if (spec_parse(arena, rows[i].text, &s, &err) < 0)
			fail_msg("line %d: %s", rows[i].line, err.text);
		render(&s, got, sizeof(got));
		if (strcmp(got, rows[i].want) != 0 || strcmp(s.text, rows[i].text) != 0)
			fail_msg("line %d: %s", rows[i].line, got);
	}
}

static void test_bad(void **state)
{
	static const struct { int line; const char *text, *sentence; } rows[] = {
		{ __LINE__, "", "not an event" },
		{ __LINE__, "3x", "box/EVENT" },
		{ __LINE__, "imc0/,config=0x304", "event name is missing" },
		{ __LINE__, "/X", "box name" },
		{ __LINE__, "3/X", "box name" },
		{ __LINE__, "3cbox/X", "box name" },
		{ __LINE__, "c.box/X", "box name" },
		{ __LINE__, "_box/X", "box name" },
		{ __LINE__, "cbox256/X", "unit 256 is too large" },
		{ __LINE__, "cbox99999999999999999999/X", "too large" },
		{ __LINE__, "cbox/", "event name is missing" },
		{ __LINE__, "cbox/:M", "event name is missing" },
		{ __LINE__, "cbox/,edge", "event name is missing" },
		{ __LINE__, "cbox/X,threshold=+1", "\"+\" is not allowed in the value of key "
		  "\"threshold\"" },
		{ __LINE__, "cbox/X,threshold=,edge", "key \"threshold\" has no value" },
		{ __LINE__, "cbox/X:", "unit mask is missing" },
		{ __LINE__, "cbox/X::M", "unit mask is missing" },
		{ __LINE__, "cbox/X:M:,edge", "unit mask is missing" },
		{ __LINE__, "cbox/X/Y", "\"/\" is not allowed" },
		{ __LINE__, "uncore_imc/cas_count_read/", "write an event of the kernel as perf/PMU/TERMS/: \"perf/uncore_imc/cas_count_read/\"" },
		{ __LINE__, "cbox/X=1", "\"=\" is not allowed" },
		{ __LINE__, "cbox/X,", "key" },
		{ __LINE__, "cbox/X,,edge", "key" },
		{ __LINE__, "cbox/X,=2", "key" },
		{ __LINE__, "cbox/X,threshold=", "has no value" },
		{ __LINE__, "cbox/X,threshold=,edge", "has no value" },
		{ __LINE__, "cbox/X,threshold=1=2", "threshold" },
		{ __LINE__, "cbox/X,threshold=1:M", "\":\" in key \"threshold\"" },
		{ __LINE__, "cbox/X,edge,edge", "\"edge\" is given twice" },
		{ __LINE__, "cbox/X,edge,EDGE=1", "\"edge\" is given twice" },
		{ __LINE__, " cbox/X", "no blanks" },
		{ __LINE__, "cbox/X, edge", "no blanks" },
		{ __LINE__, "cbox/X\n", "no blanks" },
		{ __LINE__, "cbox/\xc3\xa9", "ASCII" },
		{ __LINE__, "perf/", "perf/PMU/TERMS/" },
		{ __LINE__, "perf/msr", "perf/PMU/TERMS/" },
		{ __LINE__, "perf/msr/tsc", "perf/PMU/TERMS/" },
		{ __LINE__, "perf//tsc/", "perf/PMU/TERMS/" },
		{ __LINE__, "perf/m+r/tsc/", "name of a PMU" },
		{ __LINE__, "perf/[3]/tsc/", "name of a PMU" },
		{ __LINE__, "perf/msr//", "empty term" },
		{ __LINE__, "perf/msr/a,,b/", "empty term" },
		{ __LINE__, "perf/msr/a,/", "empty term" },
		{ __LINE__, "perf/msr/event=/", "not a term" },
		{ __LINE__, "perf/msr/=1/", "not a term" },
		{ __LINE__, "perf/msr/tsc/edge", "follow the last slash" },
		{ __LINE__, "perf/msr/tsc//", "follow the last slash" },
		{ __LINE__, "perf/msr/tsc/,", "key" },
		{ __LINE__, "perf/msr/tsc/,a=1,a", "given twice" },
		{ __LINE__, "cbox/X,socket=0", "every socket is counted" },
		{ __LINE__, "perf/uncore_imc/x/,Socket=1", "every socket is counted" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct spec s;
		struct err err = { "" };
		int r = spec_parse(arena, rows[i].text, &s, &err);

		if (r != -EINVAL || !strstr(err.text, rows[i].sentence))
			fail_msg("line %d: %d \"%s\"", rows[i].line, r, err.text);
	}
}

/* Of /metrics; the labels are keys. */
static void test_series(void **state)
{
	struct spec s;
	struct err err;

	(void)state;
	assert_int_equal(spec_parse_name(arena, "uncore_x_total{unit=\"3\", umask=\"M\"}", &s,
					 &err), 0);
	assert_int_equal(s.n_keys, 2);
	assert_string_equal(s.keys[1].name, "umask");
	assert_int_equal(spec_parse_name(arena, "x{unit=\"3\",unit=\"4\"}", &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "label \"unit\" is given twice"));
}

static void test_units(void **state)
{
	(void)state;
	assert_string_equal(spec_unit_text(arena, "cbox", 3), "cbox3");
	assert_string_equal(spec_unit_text(arena, "pciex16", 3), "pciex16[3]");
	assert_string_equal(spec_unit_text(arena, "x16-", 3), "x16-[3]");
	assert_string_equal(spec_unit_text(arena, "ni-", 3), "ni-3");
	assert_string_equal(spec_units_text(arena, "cbox", 0, 7), "cbox0-7");
}

static void test_length(void **state)
{
	char text[600] = "cbox/";
	struct spec s;
	struct err err;

	(void)state;
	memset(text + 5, 'X', sizeof(text) - 6);
	text[512] = '\0';
	assert_int_equal(spec_parse(arena, text, &s, &err), 0);
	text[512] = 'X';
	text[513] = '\0';
	assert_int_equal(spec_parse(arena, text, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "512"));
}

static void test_keys(void **state)
{
	struct spec s;

	(void)state;
	assert_int_equal(spec_parse(arena, "cbox/X,edge,Threshold=0x1F", &s, NULL), 0);
	assert_int_equal(s.n_keys, 2);
	assert_string_equal(s.keys[0].name, "edge");
	assert_null(s.keys[0].value);           /* bare */
	assert_string_equal(s.keys[1].name, "threshold");
	assert_string_equal(s.keys[1].value, "0x1F");
}

static void test_engine(void **state)
{
	static const struct { int line; const char *text; int r; enum conf_engine kind;
			      const char *processor, *workload; } rows[] = {
		{ __LINE__, "auto", 0, CONF_AUTO, "", "" },
		{ __LINE__, "registers", 0, CONF_REGISTERS, "", "" },
		{ __LINE__, "perf", 0, CONF_PERF, "", "" },
		{ __LINE__, "model", 0, CONF_MODEL, "", "" },
		{ __LINE__, "model:nehalem-ex", 0, CONF_MODEL, "nehalem-ex", "" },
		{ __LINE__, "model:nehalem-ex:stream", 0, CONF_MODEL, "nehalem-ex", "stream" },
		{ __LINE__, "", -EINVAL, 0, "", "" },
		{ __LINE__, "Auto", -EINVAL, 0, "", "" },
		{ __LINE__, "msr", -EINVAL, 0, "", "" },
		{ __LINE__, "auto:nehalem-ex", -EINVAL, 0, "", "" },
		{ __LINE__, "model:", -EINVAL, 0, "", "" },
		{ __LINE__, "model::stream", -EINVAL, 0, "", "" },
		{ __LINE__, "model:nehalem-ex:", -EINVAL, 0, "", "" },
		{ __LINE__, "model:nehalem-ex:stream:x", -EINVAL, 0, "", "" },
		{ __LINE__, "model:nehalem ex", -EINVAL, 0, "", "" },
		{ __LINE__, "model:0123456789012345678901234567890", 0, CONF_MODEL, "0123456789012345678901234567890", "" },
		{ __LINE__, "model:01234567890123456789012345678901", -EINVAL, 0, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct conf_engine_choice e = { .kind = CONF_AUTO };

		if (conf_engine_parse(rows[i].text, &e) != rows[i].r || e.kind != rows[i].kind ||
		    strcmp(e.processor, rows[i].processor) != 0 ||
		    strcmp(e.workload, rows[i].workload) != 0)
			fail_msg("line %d: %d %s %s", rows[i].line, e.kind,
				 e.processor, e.workload);
	}
}

#define A53 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void test_listen(void **state)
{
	static const struct { int line; const char *text; int r; const char *host;
			      unsigned port; } rows[] = {
		{ __LINE__, "127.0.0.1:10062", 0, "127.0.0.1", 10062 },
		{ __LINE__, "[::1]:10062", 0, "::1", 10062 },
		{ __LINE__, "[2001:db8::1:2]:1", 0, "2001:db8::1:2", 1 },
		{ __LINE__, ":10062", 0, "", 10062 },
		{ __LINE__, "*:10062", 0, "", 10062 },
		{ __LINE__, "0.0.0.0:0", 0, "0.0.0.0", 0 },
		{ __LINE__, ":65535", 0, "", 65535 },
		{ __LINE__, ":65536", -EINVAL, "-", 7 },
		{ __LINE__, ":", -EINVAL, "-", 7 },
		{ __LINE__, "", -EINVAL, "-", 7 },
		{ __LINE__, "10062", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:http", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:0x50", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:-1", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:+1", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1: 1", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0.1:000080", -EINVAL, "-", 7 },
		{ __LINE__, "127.0.0:80", -EINVAL, "-", 7 },
		{ __LINE__, "256.0.0.1:80", -EINVAL, "-", 7 },
		{ __LINE__, "localhost:80", -EINVAL, "-", 7 },
		{ __LINE__, "::1:80", -EINVAL, "-", 7 },
		{ __LINE__, "[::1]", -EINVAL, "-", 7 },
		{ __LINE__, "[]:80", -EINVAL, "-", 7 },
		{ __LINE__, "[127.0.0.1]:80", -EINVAL, "-", 7 },
		{ __LINE__, "[::g]:80", -EINVAL, "-", 7 },
		{ __LINE__, "unix:/run/uncored/http", ADDRESS_FILE, "-", 7 },
		{ __LINE__, "unix:run/http", -EINVAL, "-", 7 },
		{ __LINE__, "unix:", -EINVAL, "-", 7 },
		{ __LINE__, "unix:@http", -EINVAL, "-", 7 },
		/* unix(7): sun_path has 108 bytes, with the end of the text */
		{ __LINE__, "unix:/" A53 A53, ADDRESS_FILE, "-", 7 },
		{ __LINE__, "unix:/" A53 A53 "a", -EINVAL, "-", 7 },
		{ __LINE__, "**:80", -EINVAL, "-", 7 },
		{ __LINE__, "0000000000000000000000000000000000000000000000000000000000000127.0.0.1:80", -EINVAL, "-", 7 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char host[64] = "-";
		uint16_t port = 7;

		if (address_parse(rows[i].text, host, &port) != rows[i].r ||
		    strcmp(host, rows[i].host) != 0 ||
		    port != rows[i].port)
			fail_msg("line %d: %s %u", rows[i].line, host, port);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
		cmocka_unit_test(test_series), cmocka_unit_test(test_units),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_keys), cmocka_unit_test(test_engine),
		cmocka_unit_test(test_listen),
	};
	int r;

	arena = arena_new((size_t)1 << 30, NULL);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return r;
}
