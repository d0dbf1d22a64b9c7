/* SPDX-License-Identifier: MIT
 * Protobuf byte by byte, filters, and bodies compressed once. */
#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <zlib.h>

#include "base/bits.h"
#include "expo_scene.h"

static void scene_hand(struct scene *s)
{
	scene_open(s, &hand_plan, NULL);
	hand_words(s->words[0], s->words[1], s->daemon_values);
	scene_publish(s);
}

#define BYTES(text) { __LINE__, text, sizeof(text) - 1 }

/* Messages put together by hand from the wire format's rules and the client model's field
 * numbers. */
static void test_protobuf_bytes(void **state)
{
	static const struct { int line; const char *bytes; size_t n; } rows[] = {
		/* two gauges; the length of the whole in front */
		BYTES("\x6b" "\x0a\x0a" "uncored_up" "\x12\x27"
		      "Whether uncored is sampling the socket." "\x18\x01"
		      "\x22\x18" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "0" "\x12\x09\x09"
		      "\0\0\0\0\0\0\xf0\x3f"
		      "\x22\x18" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "2" "\x12\x09\x09"
		      "\0\0\0\0\0\0\xf0\x3f"),
		/* a counter with a unit: 2^59; it began at 1789999991 s (digits of base 128: 6,
		 * 85, 68, 118, 119) and 300 ns (2, 44) */
		BYTES("\x6d" "\x0a\x25" "uncore_imc_cas_count_read_bytes_total" "\x12\x0b"
		      "Bytes read." "\x18\0" "\x2a\x05" "bytes"
		      "\x22\x2e" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "0" "\x0a\x09" "\x0a\x04"
		      "unit" "\x12\x01" "1" "\x1a\x14\x09"
		      "\0\0\0\0\0\0\xa0\x43" "\x1a\x09" "\x08\xf7\xf6\xc4\xd5\x06" "\x10\xac\x02"),
		/* the daemon's: 0.03 s, rounded down, since its process began, at 1789999990 s */
		BYTES("\x22\x15" "\x1a\x13\x09" "\0\0\0\0\x40\xb8\x9e\x3f"
		      "\x1a\x08" "\x08\xf6\xf6\xc4\xd5\x06" "\x10\0"),
		/* labels that are known only now, and one whose text has escapes */
		BYTES("\x0a\x11" "\x0a\x06" "reason" "\x12\x07" "foreign" "\x12\x09\x09" "\0\0\0\0\0\0\xf0\x3f"),
		BYTES("\x0a\x10" "\x0a\x05" "group" "\x12\x07" "we\"ird\\"),
	};
	struct expo_body *body;
	struct scene s;

	(void)state;
	scene_hand(&s);
	body = expo_render(s.r, EXPO_PROTOBUF, 0);
	assert_non_null(body);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!memmem(body->bytes, body->n, rows[i].bytes, rows[i].n))
			fail_msg("row at line %d is not in the body", rows[i].line);
	expo_body_unref(body);
	scene_close(&s);
}

/* A distribution: native buckets -40, -38 and -30 hold 3, 5 and 1; a short gap is part of a span, a
 * long one begins the next. */
static void test_protobuf_histogram(void **state)
{
	static const struct { int line; const char *bytes; size_t n; } full = BYTES(
		/* schema 3, zero to 2^-30, two in it */
		"\x28\x06" "\x31" "\0\0\0\0\0\0\x10\x3e" "\x38\x02"
		/* 3 from -40, 7 on: 1 */
		"\x62\x04" "\x08\x4f\x10\x03" "\x62\x04" "\x08\x0e\x10\x01"
		"\x6a\x04" "\x06\x05\x0a\x07"                            /* +3, -3, +5, -4 */
		"\x7a\x04" "\x08\x01\x10\x05"), empty = BYTES(	/* 1.000000005 s after 1970 */
		"\x38\0" "\x62\x04" "\x08\0\x10\0" "\x7a\x04" "\x08\x01\x10\x05");
	static const struct { int line; const char *bytes; size_t n; } classic = BYTES(
		"\x3a\xbf\x01" "\x08\x0b" "\x11" "\0\0\0\0\0\0\xf0\x3f"
		"\x1a\x0b" "\x08\x05\x11" "\xf1\x68\xe3\x88\xb5\xf8\xe4\x3e");	/* 5 up to 1e-5 */
	struct plan_round rounds[2] = { a_rounds[0], a_rounds[1] };
	struct plan_socket sockets[2] = { plan_sockets[0], plan_sockets[1] };
	struct plan plan = hand_plan;
	struct expo_body *body;
	struct scene s;
	uint64_t *w;
	double one = 1;

	(void)state;
	/* else there is no lateness to be seen */
	rounds[0].tick = rounds[1].tick = NSEC_PER_SEC / 2;
	sockets[0].rounds = rounds;
	plan.sockets = sockets;
	scene_open(&s, &plan, NULL);
	hand_words(s.words[0], s.words[1], s.daemon_values);
	w = s.words[0] + layout_of(&sockets[0]).lateness;
	memset(w, 0, histogram_words(&layout_lateness) * sizeof(*w));
	w[H_CREATED] = NSEC_PER_SEC + 5;
	w[H_SCHEMA] = 3;
	scene_publish(&s);
	body = expo_render(s.r, EXPO_PROTOBUF, 0);
	assert_non_null(memmem(body->bytes, body->n, empty.bytes, empty.n));
	expo_body_unref(body);
	memcpy(&w[H_SUM], &one, sizeof(one));
	w[H_ZERO] = 2;
	w[H_POSITIVE] = (uint64_t)-40;
	w[histogram_native(&layout_lateness, false)] = 3;
	w[histogram_native(&layout_lateness, false) + 2] = 5;
	w[histogram_native(&layout_lateness, false) + 10] = 1;
	w[H_CLASSIC] = 5;
	w[H_CLASSIC + layout_lateness.n_bounds] = 6;
	scene_publish(&s);
	body = expo_render(s.r, EXPO_PROTOBUF, 0);
	assert_non_null(memmem(body->bytes, body->n, full.bytes, full.n));
	assert_non_null(memmem(body->bytes, body->n, classic.bytes, classic.n));
	expo_body_unref(body);
	scene_close(&s);
}

/* Before the first sample there is less to show, but it is whole: lengths lead exactly
 * to the end. */
static void test_protobuf_lengths(void **state)
{
	struct expo_body *body;
	struct scene s;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	for (unsigned moment = 0; moment < 2; moment++) {
		size_t at = 0, families = 0;

		body = expo_render(s.r, EXPO_PROTOBUF, 0);
		assert_non_null(body);
		while (at < body->n) {
			size_t n = 0, shift = 0;

			do
				n |= (size_t)(body->bytes[at] & 0x7f) << shift;
			while (shift += 7, body->bytes[at++] & 0x80);
			assert_int_equal(body->bytes[at], 0x0a);
			at += n;
			families++;
		}
		assert_int_equal(at, body->n);
		assert_true(families > 10);
		expo_body_unref(body);
		hand_words(s.words[0], s.words[1], s.daemon_values);
		scene_publish(&s);
	}
	scene_close(&s);
}

/* ------------------------------------------------------------------ filters */

/* Lines of a text that are samples with `part` in them. */
static unsigned count_samples(const char *text, const char *part)
{
	unsigned n = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *found = strstr(line, part);

		n += *line != '#' && found && found < strchr(line, '\n');
	}
	return n;
}

/* The text that a list of arguments ("group[]", "memory", ..., NULL) leaves; free() it. */
static char *filtered_text(struct scene *s, enum expo_format f, const char *const *arguments)
{
	struct expo_filter *filter = expo_filter_new(s->r);
	struct expo_body *body;
	struct err err;
	char *text;

	for (; arguments[0]; arguments += 2)
		if (expo_filter_add(filter, arguments[0], arguments[1], &err) < 0)
			fail_msg("%s", err.text);
	body = expo_render_filtered(s->r, f, filter, s->now);
	text = strndup(body->bytes, body->n);
	expo_body_unref(body);
	expo_filter_free(filter);
	return text;
}

#define ARGUMENTS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* What a group names, and metrics that have an input in it: counted by hand from the plan and the
 * words of expo_plan.h. */
static void test_filter_groups(void **state)
{
	static const struct { const char *argument; unsigned n; } groups[] = {
		/* its time, two totals, two that say they are valid; of the metrics the one that
		 * needs the clock, and its time */
		{ "memory", 1 + 2 + 2 + 2 },
		/* its time, the clock and whether both are valid, why one is not; the metric */
		{ "we\"ird\\", 1 + 1 + 2 + 1 + 2 },
		/* its time, the total, the same in bytes, its own time, whether it is valid */
		{ "dram", 1 + 1 + 1 + 1 + 1 },
		{ "time", 1 + 1 + 1 },
	};
	struct scene s;
	char *text;

	(void)state;
	scene_hand(&s);
	for (size_t i = 0; i < COUNT(groups); i++) {
		text = filtered_text(&s, EXPO_TEXT, ARGUMENTS("group[]", groups[i].argument));
		if (count_samples(text, "") != groups[i].n)
			fail_msg("%s: %u samples in\n%s", groups[i].argument,
				 count_samples(text, ""), text);
		free(text);
	}
	/* a slot or metric of both stands there once */
	text = filtered_text(&s, EXPO_TEXT,
			     ARGUMENTS("group[]", "memory", "group[]", "we\"ird\\"));
	assert_int_equal(count_samples(text, ""), 2 + 2 + 3 + 1 + 2);
	free(text);
	text = filtered_text(&s, EXPO_TEXT,
			     ARGUMENTS("group[]", "dram", "x", "y", "group[]", "time",
				       "group[]", "dram"));
	assert_int_equal(count_samples(text, ""), 5 + 3);
	free(text);
	scene_close(&s);
}

static void test_filter_names(void **state)
{
	static const char up[] = "# HELP uncored_up Whether uncored is sampling the socket.\n"
				 "# TYPE uncored_up gauge\n"
				 "uncored_up{socket=\"0\"} 1\nuncored_up{socket=\"2\"} 1\n";
	static const char build[] = "# TYPE uncored_build info\n"
				    "# HELP uncored_build Version of the running uncored; "
				    "always 1.\n"
				    "uncored_build_info{version=\"0.1.0\",revision=\"abc123\"} 1\n"
				    "# EOF\n";
	static const char dram[] = "# HELP uncored_group_active_seconds_total "
				   "Time during which the group counted.\n"
				   "# TYPE uncored_group_active_seconds_total counter\n"
				   "uncored_group_active_seconds_total{socket=\"0\","
				   "group=\"dram\"} 4.999999046325684\n";
	const struct { int line; const char *const *arguments; enum expo_format format;
		       const char *want; } rows[] = {
		{ __LINE__, ARGUMENTS("name[]", "uncored_up"), EXPO_TEXT, up },
		{ __LINE__, ARGUMENTS("name[]", "uncored_up", "name[]", "uncored_up", "name", "x", "group", "y"), EXPO_TEXT, up },
		{ __LINE__, ARGUMENTS("name[]", "uncored_build_info"), EXPO_OPENMETRICS, build },
		{ __LINE__, ARGUMENTS("name[]", "uncored_build"), EXPO_OPENMETRICS, build },
		{ __LINE__, ARGUMENTS("name[]", "uncored_group_active_seconds_total", "group[]", "dram"), EXPO_TEXT, dram },
		{ __LINE__, ARGUMENTS("group[]", "dram", "name[]", "uncored_group_active_seconds"), EXPO_TEXT, dram },
		{ __LINE__, ARGUMENTS("group[]", "dram", "name[]", "uncored_group_active_seconds_created"), EXPO_TEXT, dram },
		{ __LINE__, ARGUMENTS("name[]", "uncored_up", "group[]", "dram"), EXPO_TEXT, "" },
		{ __LINE__, ARGUMENTS("name[]", "uncored_up", "group[]", "dram"), EXPO_OPENMETRICS, "# EOF\n" },
		{ __LINE__, ARGUMENTS("name[]", "uncored_up", "group[]", "dram"), EXPO_PROTOBUF, "" },
	};
	struct expo_body *before, *after;
	struct scene s;

	(void)state;
	scene_hand(&s);
	before = expo_render(s.r, EXPO_TEXT, 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = filtered_text(&s, rows[i].format, rows[i].arguments);

		if (strcmp(text, rows[i].want) != 0)
			fail_msg("row at line %d: \"%s\"", rows[i].line, text);
		free(text);
	}
	after = expo_render(s.r, EXPO_TEXT, 0);		/* what everybody else gets is as it was */
	assert_ptr_equal(before, after);
	expo_body_unref(before);
	expo_body_unref(after);
	scene_close(&s);
}

static void test_filter_refuses(void **state)
{
	static const struct { int line; const char *argument, *value, *want; } rows[] = {
		{ __LINE__, "group[]", "memori", "There is no group \"memori\" here; there are: memory, we\"ird\\, dram, time" },
		{ __LINE__, "group[]", "", "There is no group \"\" here; there are: memory, we\"ird\\, dram, time" },
		{ __LINE__, "name[]", "uncored_u", "There is no family \"uncored_u\" here; the lines \"# TYPE\" of /metrics name them all" },
		{ __LINE__, "name[]", "", "There is no family \"\" here; the lines \"# TYPE\" of /metrics name them all" },
		{ __LINE__, "name[]", "uncored_up_created", "There is no family \"uncored_up_created\" here; the lines \"# TYPE\" of /metrics name them all" },
		{ __LINE__, "name[]", "uncored_up_total", "There is no family \"uncored_up_total\" here; the lines \"# TYPE\" of /metrics name them all" },
		{ __LINE__, "name[]", "a\r\nb\033[1m\xff", "There is no family \"a??b?[1m?\" here; the lines \"# TYPE\" of /metrics name them all" },
	};
	char huge[5000];
	struct expo_filter *f;
	struct scene s;
	struct err err;

	(void)state;
	scene_hand(&s);
	f = expo_filter_new(s.r);
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(expo_filter_add(f, rows[i].argument, rows[i].value, &err),
				 -ENOENT);
		if (strcmp(err.text, rows[i].want) != 0)
			fail_msg("row at line %d: \"%s\"", rows[i].line, err.text);
	}
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(expo_filter_add(f, "group[]", huge, &err), -ENOENT);
	assert_true(strlen(err.text) < 200);
	assert_int_equal(expo_filter_add(f, "group", "memory", &err), 0);
	assert_int_equal(expo_filter_add(f, "collect[]", "memory", &err), 0);
	assert_true(expo_filter_empty(f));
	expo_filter_free(f);
	scene_close(&s);
}

/* ------------------------------------------------------------------ gzip */

static void expect_unzipped(const struct expo_body *gzip, const struct expo_body *plain)
{
	char *bytes = malloc(plain->n + 1);
	z_stream z = { .next_in = (Bytef *)gzip->bytes, .avail_in = (uInt)gzip->n,
		       .next_out = (Bytef *)bytes,
		       .avail_out = (uInt)plain->n + 1 };

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, plain->n);
	assert_memory_equal(bytes, plain->bytes, plain->n);
	inflateEnd(&z);
	free(bytes);
}

static void test_gzip_once(void **state)
{
	static const enum expo_format formats[] = { EXPO_TEXT, EXPO_OPENMETRICS, EXPO_PROTOBUF,
						    EXPO_STATUS, EXPO_PAGE };
	struct scene s;

	(void)state;
	scene_hand(&s);
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct expo_body *plain = expo_render(s.r, formats[i], 0),
			*a = expo_body_gzip(plain), *b, *next;

		expo_body_unref(plain);
		plain = expo_render(s.r, formats[i], 0);           /* the same, from the cache */
		b = expo_body_gzip(plain);
		assert_non_null(a);
		assert_ptr_equal(a, b);
		assert_true(a->n < plain->n);
		expect_unzipped(a, plain);
		ring_write(&s.daemon, s.daemon_values);
		next = expo_render(s.r, formats[i], 0);
		expo_body_unref(b);		/* a keeps its memory from being used again */
		expo_body_unref(plain);
		b = expo_body_gzip(next);
		assert_ptr_not_equal(a, b);
		expo_body_unref(a);
		expect_unzipped(b, next);
		expo_body_unref(next);
		expo_body_unref(b);
	}
	scene_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_protobuf_bytes), cmocka_unit_test(test_protobuf_histogram),
		cmocka_unit_test(test_protobuf_lengths), cmocka_unit_test(test_gzip_once),
		cmocka_unit_test(test_filter_groups), cmocka_unit_test(test_filter_names),
		cmocka_unit_test(test_filter_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
