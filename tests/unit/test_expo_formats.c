/* Protobuf byte by byte, and bodies compressed once. */
#include "config.h"

#include "expo/expo.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

#include "base/bits.h"
#include "expo_scene.h"

static void scene_hand(struct scene *s)
{
	scene_open(s, &hand_plan, NULL);
	hand_words(s->words[0], s->words[1], s->board_words);
	scene_publish(s);
}

#define BYTES(text) { __LINE__, text, sizeof(text) - 1 }

/* Messages put together by hand from the wire format's rules and the client model's field numbers. */
static void test_protobuf_bytes(void **state)
{
	static const struct { int line; const char *bytes; size_t n; } rows[] = {
		/* two gauges, 1 and 0; the length of the whole in front */
		BYTES("\x6c" "\x0a\x0a" "uncored_up" "\x12\x28" "Whether the sampler of the socket ticks." "\x18\x01"
		      "\x22\x18" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "0" "\x12\x09\x09" "\0\0\0\0\0\0\xf0\x3f"
		      "\x22\x18" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "2" "\x12\x09\x09" "\0\0\0\0\0\0\0\0"),
		/* a counter with a unit: 2^59 */
		BYTES("\x71" "\x0a\x25" "uncore_imc_cas_count_read_bytes_total" "\x12\x0b" "Bytes read." "\x18\0" "\x2a\x05" "bytes"
		      "\x22\x32" "\x0a\x0b" "\x0a\x06" "socket" "\x12\x01" "0" "\x0a\x09" "\x0a\x04" "unit" "\x12\x01" "1"
		      "\x0a\x0d" "\x0a\x05" "group" "\x12\x04" "dram" "\x1a\x09\x09" "\0\0\0\0\0\0\xa0\x43"),
		/* labels that are known only now, and one whose text has escapes */
		BYTES("\x0a\x11" "\x0a\x06" "reason" "\x12\x07" "foreign" "\x12\x09\x09" "\0\0\0\0\0\0\xf0\x3f"),
		BYTES("\x0a\x10" "\x0a\x05" "group" "\x12\x07" "we\"ird\\"),
	};
	struct expo_body *body;
	struct scene s;

	(void)state;
	scene_hand(&s);
	body = expo_render(s.r, EXPO_PROTOBUF);
	assert_non_null(body);
	for (size_t i = 0; i < COUNT(rows); i++)
		if (!memmem(body->bytes, body->n, rows[i].bytes, rows[i].n))
			fail_msg("row at line %d is not in the body", rows[i].line);
	expo_body_unref(body);
	scene_close(&s);
}

/* A distribution: native buckets -40, -38 and -30 hold 3, 5 and 1; a short gap is part of a span, a long one begins the next. */
static void test_protobuf_histogram(void **state)
{
	static const struct { int line; const char *bytes; size_t n; } full = BYTES(
		"\x28\x06" "\x31" "\0\0\0\0\0\0\x10\x3e" "\x38\x02"      /* schema 3, zero to 2^-30, two in it */
		"\x62\x04" "\x08\x4f\x10\x03" "\x62\x04" "\x08\x0e\x10\x01"  /* 3 from -40, 7 on: 1 */
		"\x6a\x04" "\x06\x05\x0a\x07"                            /* +3, -3, +5, -4 */
		"\x7a\x04" "\x08\x01\x10\x05"), empty = BYTES(           /* 1.000000005 s after 1970 */
		"\x38\0" "\x62\x04" "\x08\0\x10\0" "\x7a\x04" "\x08\x01\x10\x05");
	static const struct { int line; const char *bytes; size_t n; } classic = BYTES(
		"\x3a\xbf\x01" "\x08\x0b" "\x11" "\0\0\0\0\0\0\xf0\x3f"
		"\x1a\x0b" "\x08\x05\x11" "\xf1\x68\xe3\x88\xb5\xf8\xe4\x3e");     /* 5 up to 1e-5 */
	struct plan_round rounds[2] = { a_rounds[0], a_rounds[1] };
	struct plan_socket sockets[2] = { plan_sockets[0], plan_sockets[1] };
	struct plan plan = hand_plan;
	struct expo_body *body;
	struct scene s;
	uint64_t *w;
	double one = 1;

	(void)state;
	rounds[0].tick = rounds[1].tick = NSEC_PER_SEC / 2;     /* else there is no lateness to be seen */
	sockets[0].rounds = rounds;
	plan.sockets = sockets;
	scene_open(&s, &plan, NULL);
	hand_words(s.words[0], s.words[1], s.board_words);
	w = s.words[0] + layout_of(&sockets[0]).lateness;
	memset(w, 0, histogram_words(&layout_lateness) * sizeof(*w));
	w[H_CREATED] = NSEC_PER_SEC + 5;
	w[H_SCHEMA] = 3;
	scene_publish(&s);
	body = expo_render(s.r, EXPO_PROTOBUF);
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
	body = expo_render(s.r, EXPO_PROTOBUF);
	assert_non_null(memmem(body->bytes, body->n, full.bytes, full.n));
	assert_non_null(memmem(body->bytes, body->n, classic.bytes, classic.n));
	expo_body_unref(body);
	scene_close(&s);
}

/* Before the first sample there is less to show, but what there is is whole: lengths lead exactly to the end. */
static void test_protobuf_lengths(void **state)
{
	struct expo_body *body;
	struct scene s;

	(void)state;
	scene_open(&s, &hand_plan, NULL);
	for (unsigned moment = 0; moment < 2; moment++) {
		size_t at = 0, families = 0;

		body = expo_render(s.r, EXPO_PROTOBUF);
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
		hand_words(s.words[0], s.words[1], s.board_words);
		scene_publish(&s);
	}
	scene_close(&s);
}

static void expect_unzipped(const struct expo_body *gzip, const struct expo_body *plain)
{
	char *bytes = malloc(plain->n + 1);
	z_stream z = { .next_in = (Bytef *)gzip->bytes, .avail_in = (uInt)gzip->n, .next_out = (Bytef *)bytes,
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
	static const enum expo_format formats[] = { EXPO_TEXT, EXPO_OPENMETRICS, EXPO_PROTOBUF, EXPO_STATUS, EXPO_PAGE };
	struct scene s;

	(void)state;
	scene_hand(&s);
	for (size_t i = 0; i < COUNT(formats); i++) {
		struct expo_body *plain = expo_render(s.r, formats[i]), *a = expo_body_gzip(plain), *b, *next;

		expo_body_unref(plain);
		plain = expo_render(s.r, formats[i]);           /* the same, from the cache */
		b = expo_body_gzip(plain);
		assert_non_null(a);
		assert_ptr_equal(a, b);
		assert_true(a->n < plain->n);
		expect_unzipped(a, plain);
		ring_write(&s.board, s.board_words);
		next = expo_render(s.r, formats[i]);
		expo_body_unref(b);                             /* a keeps its memory from being used again */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
