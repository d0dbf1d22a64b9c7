/* SPDX-License-Identifier: MIT
 * What is an answer and what is none: RFC 9112, counted by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "http/response.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"
enum { BODY_MAX = 16 };

/* PART: more may come, until the connection ends. */
enum { PART = 0, WHOLE = 1 };

static struct response r;

static int take(const char *bytes, size_t n)
{
	response_done(&r);
	response_init(&r, BODY_MAX);
	return response_take(&r, bytes, n);
}

/* ---- one answer a row */

struct row {
	int line;
	const char *bytes;
	int says;                       /* of response_take() */
	int at_end;                     /* of response_end(), where that was PART */
	unsigned status;
	const char *body;
};

static const struct row rows[] = {
	/* by length */
	{ __LINE__, OK "Content-Length: 2\r\n\r\n{}", WHOLE, 0, 200, "{}" },
	{ __LINE__, OK "content-LENGTH:\t2 \r\n\r\n{}", WHOLE, 0, 200, "{}" },
	{ __LINE__, OK "Content-Length: 0\r\n\r\n", WHOLE, 0, 200, "" },
	{ __LINE__, OK "Content-Length: 16\r\n\r\n0123456789abcdef", WHOLE, 0, 200,
	  "0123456789abcdef" },
	{ __LINE__, OK "Content-Length: 2\r\n\r\n{}behind", WHOLE, 0, 200, "{}" },
	{ __LINE__, OK "Content-Length: 3\r\n\r\n{}", PART, -EPROTO, 200, NULL },
	{ __LINE__, OK "Content-Length: 17\r\n\r\n", -EFBIG, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: 999999999999999999\r\n\r\n", -EFBIG, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: 18446744073709551618\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: -2\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: +2\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: 0x2\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: 2, 2\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length:\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", -EPROTO, 0, 0, NULL },
	/* to the end, as HTTP/1.0 has it */
	{ __LINE__, "HTTP/1.0 200 OK\r\n\r\n{}", PART, WHOLE, 200, "{}" },
	{ __LINE__, OK "Connection: close\r\n\r\n", PART, WHOLE, 200, "" },
	{ __LINE__, OK "\r\n0123456789abcdef0", -EFBIG, 0, 0, NULL },
	/* chunks */
	{ __LINE__, CHUNKED "2\r\n{\"\r\n3\r\na\"}\r\n0\r\n\r\n", WHOLE, 0, 200, "{\"a\"}" },
	{ __LINE__, CHUNKED "0\r\n\r\n", WHOLE, 0, 200, "" },
	{ __LINE__, CHUNKED "00a;name=\"v\"\r\n0123456789\r\n0 ; x\r\nAfter: x\r\n\r\n", WHOLE, 0,
	  200, "0123456789" },
	{ __LINE__, CHUNKED "A\r\n0123456789\r\n6\r\nabcdef\r\n0\r\n\r\n", WHOLE, 0, 200,
	  "0123456789abcdef" },
	{ __LINE__, CHUNKED "A\r\n0123456789\r\n7\r\n", -EFBIG, 0, 0, NULL },
	{ __LINE__, CHUNKED "fffffffffffffff\r\n", -EFBIG, 0, 0, NULL },
	{ __LINE__, CHUNKED "ffffffffffffffff\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "10000000000000002\r\n{}\r\n0\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "-2\r\n{}\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "0x2\r\n{}\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED " 2\r\n{}\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "2 x\r\n{}\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "2\r\n{}x\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, CHUNKED "2\r\n{}\r\n", PART, -EPROTO, 200, NULL },
	{ __LINE__, CHUNKED "2\r\n{}\r\n0\r\n", PART, -EPROTO, 200, NULL },
	{ __LINE__, CHUNKED "2\r\n{", PART, -EPROTO, 200, NULL },
	{ __LINE__, CHUNKED "0\r\nno colon\r\n\r\n", -EPROTO, 0, 0, NULL },
	/* two lengths are none */
	{ __LINE__, OK "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n", -EPROTO, 0, 0,
	  NULL },
	{ __LINE__, OK "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", -EPROTO, 0, 0,
	  NULL },
	{ __LINE__, OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", -EPROTO,
	  0, 0, NULL },
	{ __LINE__, OK "Transfer-Encoding: gzip, chunked\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Transfer-Encoding: identity\r\n\r\n", -EPROTO, 0, 0, NULL },
	/* what is not 200 has nothing that anybody reads */
	{ __LINE__, "HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n", WHOLE, 0, 404, "" },
	{ __LINE__, "HTTP/1.1 401\r\n\r\n", WHOLE, 0, 401, "" },
	{ __LINE__, "HTTP/1.1 503 \r\nRetry-After: 5\r\n\r\n", WHOLE, 0, 503, "" },
	{ __LINE__, "HTTP/1.1 301 Moved\r\nLocation: http://x/\r\n\r\n", WHOLE, 0, 301, "" },
	/* what comes before the answer */
	{ __LINE__, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" OK
	  "Content-Length: 1\r\n\r\nx", WHOLE, 0, 200, "x" },
	{ __LINE__, "HTTP/1.1 100 Continue\r\n\r\n", PART, -EPROTO, 100, NULL },
	{ __LINE__, "HTTP/1.1 100 x\r\nContent-Length: 1\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 101 Switching\r\n\r\n", -EPROTO, 0, 0, NULL },
	/* lines of status */
	{ __LINE__, "", PART, -EPROTO, 0, NULL },
	{ __LINE__, "\r\n" OK "\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "SSH-2.0-x\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "\025\003\003", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/2 200\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.10 200\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.x 200\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1  200\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 200OK\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 2000\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 20\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 099 x\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 600 x\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, "HTTP/1.1 200 OK\n\n", -EPROTO, 0, 0, NULL },
	/* fields */
	{ __LINE__, OK "A:\r\nB-1_c: \351\r\n\r\n", PART, WHOLE, 200, "" },
	{ __LINE__, OK "A: b\r\n c\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "Content-Length : 2\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A b\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK ": b\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A: \033[2J\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A: \177\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A: b\rc\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A: b\r\r\n\r\n", -EPROTO, 0, 0, NULL },
	{ __LINE__, OK "A: b\r\n", PART, -EPROTO, 200, NULL },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		int says = take(row->bytes, strlen(row->bytes)), at_end = 0;

		if (says == PART)
			at_end = response_end(&r);
		if (says != row->says || at_end != row->at_end)
			fail_msg("line %d: says %d, at the end %d", row->line, says, at_end);
		if (says >= 0 && r.status != row->status)
			fail_msg("line %d: status %u", row->line, r.status);
		if (row->body && (r.body.n != strlen(row->body) ||
				  memcmp(r.body.s ?: "", row->body, r.body.n) != 0))
			fail_msg("line %d: body '%s'", row->line, r.body.s);
	}
	response_done(&r);
}

/* A NUL is no end of a line, nor of a body. */
static void test_nul(void **state)
{
	static const char line[] = OK "A: \0b\r\n\r\n", body[] = OK "Content-Length: 3\r\n\r\na\0b";

	(void)state;
	assert_int_equal(take(line, sizeof(line) - 1), -EPROTO);
	assert_int_equal(take(body, sizeof(body) - 1), WHOLE);
	assert_int_equal(r.body.n, 3);
	assert_memory_equal(r.body.s, "a\0b", 3);
	response_done(&r);
}

/* ---- as much of it as somebody likes to send */

static const char *lines_of(const char *begin, size_t length, unsigned n)
{
	static char text[2 << 20];
	size_t at = (size_t)sprintf(text, "%s", begin);

	for (unsigned i = 0; i < n; i++) {
		strcpy(text + at, "A: ");
		memset(text + at + 3, 'b', length - 5);
		strcpy(text + at + length - 2, "\r\n");
		at += length;
	}
	return text;
}

static void test_long_heads(void **state)
{
	const char *text = lines_of(OK, RESPONSE_LINE_MAX + 1, 1);

	(void)state;
	assert_int_equal(take(text, strlen(text)), PART);
	text = lines_of(OK, RESPONSE_LINE_MAX + 2, 1);
	assert_int_equal(take(text, strlen(text)), -EPROTO);
	/* without an end, and behind the last chunk, too */
	text = lines_of(OK, 1024, 63);
	assert_int_equal(take(text, strlen(text)), PART);
	text = lines_of(OK, 1024, 1024);
	assert_int_equal(take(text, strlen(text)), -EPROTO);
	text = lines_of(CHUNKED "0\r\n", 1024, 1024);
	assert_int_equal(take(text, strlen(text)), -EPROTO);
	assert_true(r.head <= RESPONSE_HEAD_MAX + 1);
	response_done(&r);
}

static void test_hints_without_end(void **state)
{
	static const char hint[] = "HTTP/1.1 103 x\r\n\r\n";
	int says = 0;
	unsigned n = 0;

	(void)state;
	response_init(&r, BODY_MAX);
	for (; !says; n++)
		says = response_take(&r, hint, sizeof(hint) - 1);
	assert_int_equal(says, -EPROTO);
	assert_in_range(n, RESPONSE_HEAD_MAX / (sizeof(hint) - 1),
			RESPONSE_HEAD_MAX / (sizeof(hint) - 1) + 1);
	response_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_long_heads),
		cmocka_unit_test(test_hints_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
