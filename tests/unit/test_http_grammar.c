/* SPDX-License-Identifier: MIT
 * What RFC 9112 wants refused: here, by libmicrohttpd itself, or seen by
 * neither. Real sockets, port 0. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "http_server.h"

#include <microhttpd.h>

#define HEAD "GET /metrics HTTP/1.1\r\nHost: x\r\n"
#define NEXT \
	"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"     /* one that is all right, right behind */

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* The page of libmicrohttpd, which has no status line of ours to promise. */
static bool is_its_own(const char *reply)
{
	return strstr(reply, "\r\n\r\n<html><head><title>") != NULL;
}

/* Refused at once, and nothing that comes behind it is taken for a request. */
static void test_refused(void **state)
{
	static const struct { int line; const char *request, *status; } rows[] = {
		/* 6.1, 6.3: two lengths, or one of a message that cannot have it */
		{ __LINE__, HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400" },
		{ __LINE__, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n", "400" },
		{ __LINE__, HEAD "Content-Length: 0\r\nContent-Length: 5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "content-length: 0\r\nCONTENT-LENGTH: 0\r\n\r\n", "400" },
		{ __LINE__, HEAD "Content-Length: 0, 0\r\n\r\n", "400" },
		{ __LINE__, HEAD "Content-Length: +0\r\n\r\n", "400" },
		{ __LINE__, HEAD "Content-Length:\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n", "400" },
		/* 6.1, 7: a coding that is not understood, or whose end is not */
		{ __LINE__, HEAD "Transfer-Encoding: identity\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: xchunked\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: gzip\r\n\r\n", "501" },
		{ __LINE__, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "501" },
		{ __LINE__, HEAD "Transfer-Encoding:\r\n\r\n", "501" },
		/* 3.2: one Host, and one that can be a host */
		{ __LINE__, HEAD "Host: y\r\n\r\n", "400" },
		{ __LINE__, HEAD "hOST: x\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: x y\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: x/y\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: a@x\r\n\r\n", "400" },
		/* 5.1, 5.2: names of headers, and what comes before the first one */
		{ __LINE__, HEAD "X : a\r\n\r\n", "400" },
		{ __LINE__, HEAD "X\t: a\r\n\r\n", "400" },
		{ __LINE__, HEAD "Content-Length : 5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "X y: a\r\n\r\n", "400" },
		{ __LINE__, HEAD "X(y): a\r\n\r\n", "400" },
		{ __LINE__, HEAD "X\xe4: a\r\n\r\n", "400" },
		{ __LINE__, HEAD "X\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\n X: a\r\nHost: x\r\n\r\n", "400" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\n\tHost: y\r\nHost: x\r\n\r\n", "400" },
		/* RFC 9110 5.5 */
		{ __LINE__, HEAD "X: a\rb\r\n\r\n", "400" },
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char request[512];
		const char *reply;

		snprintf(request, sizeof(request), "%s%s", rows[i].request, NEXT);
		reply = ask(s.ports[0], request);
		/* 1.0 has another code for some */
		if (strncmp(reply, "HTTP/1.", 7) != 0 ||
		    (strncmp(reply + 9, rows[i].status, 3) != 0 && !is_its_own(reply) &&
		     MHD_get_version()[0] == '0') ||
		    strtol(reply + 9, NULL, 10) < 400 || strstr(reply, "HTTP/1.1 2") || s.handled)
			fail_msg("row at line %d, handled %u: %s", rows[i].line, s.handled, reply);
	}
	server_stop(&s);
}

/* What looks like it and is allowed. */
static void test_not_refused(void **state)
{
	static const struct { int line; const char *request; } rows[] = {
		{ __LINE__, HEAD "Content-Length: 0\r\n\r\n" },
		{ __LINE__, HEAD "Content-Length: 00\r\n\r\n" },
		{ __LINE__, HEAD "!#$%&'*+-.^_`|~09azAZ: a\r\n\r\n" },
		{ __LINE__, HEAD "X:\r\nY: \r\nX: a:b \xe4\r\n\r\n" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost:\r\n\r\n" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: x \t\r\n\r\n" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost:[::1]:10062\r\n\r\n" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: xn--bcher-kva.example:80\r\n\r\n" },
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char request[512];
		const char *reply;

		snprintf(request, sizeof(request), "%s%s", rows[i].request, NEXT);
		reply = ask(s.ports[0], request);
		if (count(reply, "HTTP/1.1 200 OK\r\n") != 2 || s.handled != 2 * (i + 1))
			fail_msg("row at line %d: %s", rows[i].line, reply);
	}
	server_stop(&s);
}

/* One answer, and the connection ends: whatever comes behind a body, or is one, is no request. */
static void test_body(void **state)
{
	static const struct { int line; const char *request, *status; } rows[] = {
		{ __LINE__, HEAD "Content-Length: 3\r\n\r\nabc", "200" },
		{ __LINE__, HEAD "Content-Length: 99\r\n\r\n", "200" },
		{ __LINE__, HEAD "Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200" },
		/* 7.1: lines of chunks that another would end elsewhere */
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n", "200" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\n\r\n0;a=\nb\r\n\r\n", "200" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n", "200" },
		{ __LINE__, HEAD "Transfer-Encoding: chunked\r\n\r\n0\r\nX : a\r\n\r\n", "200" },
		{ __LINE__, HEAD "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n", "200" },
		{ __LINE__, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", "405" },
		/* 6.3, 8.6 */
		{ __LINE__, HEAD "Content-Length: +5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: 0x5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: 5 5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: -5\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: 5,\r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: \r\n\r\nabcde", "400" },
		{ __LINE__, HEAD "Content-Length: 18446744073709551621\r\n\r\nabcde", "413" },
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char request[512];
		const char *reply;

		s.handled = s.answered = 0;
		snprintf(request, sizeof(request), "%s%s", rows[i].request, NEXT);
		reply = ask(s.ports[0], request);
		if (strncmp(reply, "HTTP/1.1 ", 9) != 0 || count(reply, "HTTP/1.") != 1 ||
		    strncmp(reply + 9, rows[i].status, 3) != 0 ||
		    count(reply, "\r\nConnection: close\r\n") != 1 || s.answered != 1 ||
		    s.handled != (strcmp(rows[i].status, "200") == 0))
			fail_msg("row at line %d, handled %u, told %u: %s", rows[i].line, s.handled,
				 s.answered, reply);
	}
	server_stop(&s);
}

/* What 0.9.75 cuts or joins away before it shows a header, and 1.0 refuses itself. */
static void test_hidden(void **state)
{
	static const struct { int line; const char *request; size_t n; } rows[] = {
#define ROW(text) { __LINE__, text, sizeof(text) - 1 }
		ROW(HEAD ": v\r\n" NEXT),               /* would end the head */
		ROW(HEAD ": v\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\n: v\r\nHost: x\r\n\r\n"),
		ROW(HEAD "X: a\r\n b\r\n\r\n"),         /* a fold, which would go to the name: Xb */
		ROW(HEAD "X: a\r\n \r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\nHos: x\r\n t\r\n\r\n"),
		ROW(HEAD "X: a\0b\r\n\r\n"),
		ROW(HEAD "X: a\0\r\n\r\n"),
		ROW(HEAD "X: \0a\r\nY: b\r\n\r\n"),
		ROW(HEAD "X\0: a\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\nHost: x\n\n"),
		ROW("GET /metrics HTTP/1.1\r\nHost: x\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\nHost: x\r\n\n"),
		ROW("GET /metrics HTTP/1.1\nHost: x\r\n\r\n"),
		ROW(HEAD "X: a\nY: b\r\n\r\n"),
		ROW(HEAD "X:\nY: b\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\n\r\n"),
		ROW("GET  /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics  HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1 \r\nHost: x\r\n\r\n"),
		ROW("GET /metrics x HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics\tx HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics?a=b c HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics\x7f HTTP/1.1\r\nHost: x\r\n\r\n"),
#undef ROW
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 5 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *reply;

		s.answered = 0;
		reply = ask_mem(s.ports[0], rows[i].request, rows[i].n);
		if (s.handled || strncmp(reply, "HTTP/1.1 400 ", 13) != 0 ||
		    count(reply, "HTTP/1.") != 1 || s.answered != 1)
			fail_msg("row at line %d, handled %u, told %u with libmicrohttpd %s: %s",
				 rows[i].line, s.handled, s.answered, MHD_get_version(), reply);
	}
	server_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_not_refused),
		cmocka_unit_test(test_body), cmocka_unit_test(test_hidden),
	};

	signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
