/* SPDX-License-Identifier: MIT
 * What is asked and what is answered: methods, headers, arguments, bad requests. Real
 * sockets, port 0. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "http_server.h"

#include <microhttpd.h>

/* ------------------------------------------------------------------ requests */

static void test_requests(void **state)
{
	static const struct { int line; const char *request, *want, *want2; } rows[] = {
		{ __LINE__, GET("/metrics"), "HTTP/1.1 200 OK\r\n", "\r\n\r\nhello\n" },
		{ __LINE__, GET("/metrics"), "\r\nVary: Accept\r\n", "\r\nContent-Length: 6\r\n" },
		{ __LINE__, GET("/metrics"), "\r\nX-Content-Type-Options: nosniff\r\n", "\r\nContent-Type: text/plain; charset=utf-8\r\n" },
		{ __LINE__, GET("/"), "\r\nContent-Security-Policy: default-src 'none'", "\r\nCache-Control: no-store\r\n" },
		{ __LINE__, GET("/-/ready"), "HTTP/1.1 503 Service Unavailable\r\n", "hello\n" },
		{ __LINE__, GET("/metrics?collect[]=x&y"), " 200 OK\r\n", "hello\n" },
		{ __LINE__, GET("/%6detrics"), " 200 OK\r\n", "hello\n" },
		{ __LINE__, GET("http://example.org:1/metrics"), " 200 OK\r\n", "hello\n" },
		{ __LINE__, GET("HTTP://example.org"), " 200 OK\r\n", "hello\n" },
		{ __LINE__, GET("/nothing"), " 404 Not Found\r\n", "No such page.\n" },
		{ __LINE__, GET("/metrics/"), " 404 ", "No such page." },
		{ __LINE__, GET("//metrics"), " 404 ", "No such page." },
		{ __LINE__, GET("/metrics%00x"), " 400 ", "" },         /* libmicrohttpd 1.0.3 and later says so in its own words */
		{ __LINE__, GET("/metrics?x=%00"), " 400 ", "NUL" },
		{ __LINE__, GET("/metrics?a=b&c"), " 200 ", "hello" },
		{ __LINE__, GET("/Metrics"), " 404 ", "No such page." },
		{ __LINE__, "GET /metrics HTTP/1.0\r\n\r\n", " 200 OK\r\n", "hello\n" },
		{ __LINE__, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
		  " 405 Method Not Allowed\r\n",
		  "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "DELETE http://example.org/-/ready?x HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		/* what is not there is not there for any method */
		{ __LINE__, "DELETE /nothing HTTP/1.1\r\nHost: x\r\n\r\n", " 404 Not Found\r\n", "No such page.\n" },
		{ __LINE__, "PUT http://example.org/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", " 404 ", "No such page." },
		{ __LINE__, "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", " 404 ", "No such page." },
		{ __LINE__, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "FOOBARXXX / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "get /metrics HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde", " 200 OK\r\n", "hello\n" },
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *reply = ask(s.ports[0], rows[i].request);

		expect_in(rows[i].line, reply, rows[i].want);
		expect_in(rows[i].line, reply, rows[i].want2);
	}
	server_stop(&s);
}

static void test_head(void **state)
{
	struct server s;
	const char *reply;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	reply = ask(s.ports[0], "HEAD /big HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	expect_in(__LINE__, reply, " 200 OK\r\n");
	expect_in(__LINE__, reply, "\r\nContent-Length: 4194304\r\n");
	assert_string_equal(reply + strlen(reply) - 4, "\r\n\r\n");
	reply = ask(s.ports[0], "HEAD /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
	expect_in(__LINE__, reply, " 404 ");
	assert_string_equal(reply + strlen(reply) - 4, "\r\n\r\n");
	server_stop(&s);
}

/* The header reaches the handler whole, a large one too. */
static void test_accept_header(void **state)
{
	char request[9000] = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: ";
	size_t n = strlen(request);
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	expect_in(__LINE__,
		  ask(s.ports[0], "GET /metrics HTTP/1.1\r\nHost: x\r\n"
				  "accept: text/plain;q=0.5\r\nConnection: close\r\n\r\n"),
		  "hello");
	assert_string_equal(s.accept, "text/plain;q=0.5");
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	assert_string_equal(s.accept, "(none)");
	memset(request + n, 'a', 8192);
	memcpy(request + n + 8192, "\r\n\r\n", 5);
	expect_in(__LINE__, ask(s.ports[0], request), " 200 OK\r\n");
	server_stop(&s);
}

/* Several lines of one header are one list; no other header is taken for them. */
static void test_header_lists(void **state)
{
	char line[1027], request[1200];
	struct server s;
	const char *reply;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	reply = ask(s.ports[0], "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
				"Accept: a/b\r\nAccept-Encoding: gzip;q=0.5\r\n"
				"Accept-Language: de\r\nACCEPT: c/d\r\naccept-encoding: "
				"identity\r\nAccept: e/f\r\nX-Accept: g/h\r\n\r\n");
	expect_in(__LINE__, reply, "hello");
	assert_string_equal(s.accept, "a/b,c/d,e/f");
	assert_string_equal(s.encodings, "gzip;q=0.5,identity");
	/* Lines that together are too long: the first one is heard, and not a half of it, which
	 * here would say q=0. */
	memset(line, 'x', sizeof(line));
	memcpy(line + 1019, ";q=0.75", 8);
	snprintf(request, sizeof(request), "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: "
					   "close\r\nAccept: %s\r\nAccept: c/d\r\n\r\n", line);
	expect_in(__LINE__, ask(s.ports[0], request), "hello");
	assert_string_equal(s.accept, line);
	server_stop(&s);
}

static void test_arguments(void **state)
{
	static const struct { int line; const char *request, *want; } rows[] = {
		{ __LINE__, GET("/metrics"), "" },
		{ __LINE__, GET("/metrics?"), "" },
		{ __LINE__, GET("/metrics?group[]=memory"), "group[]=memory;" },
		{ __LINE__, GET("/metrics?group%5B%5D=a%20b&name[]=x%26y"), "group[]=a b;name[]=x&y;" },
		{ __LINE__, GET("/metrics?a&b="), "a=;b=;" },
		{ __LINE__, GET("/metrics?a=1&a=2&a=3&a=4"), "a=1;a=2;a=3;" },          /* each() said that it has enough */
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		expect_in(rows[i].line, ask(s.ports[0], rows[i].request), "hello");
		if (strcmp(s.arguments, rows[i].want) != 0)
			fail_msg("row at line %d: arguments \"%s\"", rows[i].line, s.arguments);
	}
	server_stop(&s);
}

/* One page goes out many times, its body is given back once, after it was freed. */
static void test_page(void **state)
{
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (unsigned i = 0; i < 3; i++) {
		const char *reply = ask(s.ports[0], GET("/page"));

		expect_in(__LINE__, reply, "\r\nContent-Encoding: gzip\r\n");
		expect_in(__LINE__, reply, "\r\nVary: Accept, Accept-Encoding\r\n");
		expect_in(__LINE__, reply, "\r\n\r\nhello\n");
		assert_int_equal(s.released, 0);
	}
	server_stop(&s);
	assert_int_equal(s.handled, 3);
	assert_int_equal(s.released, 1);
}

/* Nothing of this may reach the handler as a request for /metrics. */
static void test_malformed(void **state)
{
	static const struct { int line; const char *request; size_t n; } rows[] = {
#define ROW(text) { __LINE__, text, sizeof(text) - 1 }
		ROW("GET /metrics\0x HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics\0 HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics?\0 HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("G\0ET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\n\r\n"),                                   /* no Host */
		ROW("GET /metrics HTTP/1.1\r\nHost : x\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
		ROW("GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1x\r\n\r\n"),
		ROW("GET /metrics HTTP/9.9\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics HTTP/2.0\r\nHost: x\r\n\r\n"),
		ROW("GET /metrics\r\n\r\n"),                                            /* HTTP/0.9 */
		ROW("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		ROW("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),                    /* TLS */
		ROW("\r\n\r\n\r\n\r\n"),
		ROW("\0\0\0\0\0\0\0\0"),
		ROW("   GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
#undef ROW
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 100 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *reply = ask_mem(s.ports[0], rows[i].request, rows[i].n);

		if (*reply && strncmp(reply, "HTTP/1.1 4", 10) != 0 &&
		    strncmp(reply, "HTTP/1.1 5", 10) != 0 &&
		    strncmp(reply, "HTTP/1.0 4", 10) != 0 && strncmp(reply, "HTTP/1.0 5", 10) != 0)
			fail_msg("row at line %d: %.60s", rows[i].line, reply);
		if (s.handled)
			fail_msg("row at line %d reached the handler as %s", rows[i].line, s.path);
	}
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");         /* still there */
	server_stop(&s);
}

/* Each request gets an answer, however many arguments it has. */
static void test_many_arguments(void **state)
{
	static const struct { unsigned n; const char *one, *want; } rows[] = {
		{ 80, "name[]=x&", "hello" }, { 81, "name[]=x&", " 400 " },
		{ 200, "name[]=x&", " 400 " }, { 2000, "a&", " 400 " }, { 1000, "&", " 400 " },
	};
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char request[8192] = "GET /metrics?";
		const char *reply;

		for (unsigned k = 0; k < rows[i].n; k++)
			strcat(request, rows[i].one);
		request[strlen(request) - 1] = '\0';    /* without the last & */
		strcat(request, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
		reply = ask(s.ports[0], request);
		expect_in(__LINE__, reply, rows[i].want);
		if (rows[i].n > 80)
			expect_in(__LINE__, reply, "more arguments than");
	}
	server_stop(&s);
	assert_int_equal(s.handled, 1);
}

/* Heads beyond the connection's memory. */
static void test_oversized(void **state)
{
	struct server s;
	char *request = malloc(200000), *at;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	at = request + sprintf(request, "GET /");
	memset(at, 'a', 20000);
	strcpy(at + 20000, " HTTP/1.1\r\nHost: x\r\n\r\n");
	expect_in(__LINE__, ask(s.ports[0], request), " 414 ");
	at = request + sprintf(request, "GET /metrics HTTP/1.1\r\nHost: x\r\n");
	for (int i = 0; i < 3000; i++)
		at += sprintf(at, "X-%d: y\r\n", i);
	strcpy(at, "\r\n");
	expect_in(__LINE__, ask(s.ports[0], request), " 431 ");
	assert_int_equal(s.handled, 0);
	server_stop(&s);
	free(request);
}

static unsigned libmicrohttpd_major(void)
{
	return (unsigned)strtoul(MHD_get_version(), NULL, 10);
}

/* One answer, told once, with its status. Returns 1 if there is none, and none was told. */
static unsigned expect_told(struct server *s, const char *what, unsigned n, const char *request)
{
	unsigned before = s->answered;
	const char *reply = ask(s->ports[0], request), *next = *reply ? reply + 1 : reply;

	if (!*reply && s->answered == before)
		return 1;
	if (strncmp(reply, "HTTP/1.1 ", 9) != 0 || strstr(next, "HTTP/1.1 ") ||
	    !strstr(reply, "\r\nConnection: close\r\n") || s->answered != before + 1 ||
	    strtol(reply + 9, NULL, 10) != s->status)
		fail_msg("%s %u: %u were told, the last with %d: \"%.300s\"", what, n,
			 s->answered - before, s->status, reply);
	return 0;
}

#define FIRST_LINES "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
#define THE_REST    " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static char *put_many(char *at, unsigned n, const char *one)
{
	for (unsigned i = 0; i < n; i++)
		at = stpcpy(at, one);
	return at;
}

static char *put_long(char *at, unsigned n)
{
	memset(at, 'y', n);
	at[n] = '\0';
	return at + n;
}

static void long_target(char *at, unsigned n)
{
	strcpy(put_long(stpcpy(at, "GET /"), n), THE_REST);
}

static void long_arguments(char *at, unsigned n)
{
	at = stpcpy(at, "GET /metrics?");
	for (unsigned i = 0; i < 80; i++)
		at = put_long(stpcpy(at, i ? "&a=" : "a="), n / 80);
	strcpy(put_long(at, n % 80), THE_REST);
}

static void many_arguments(char *at, unsigned n)
{
	strcpy(put_many(stpcpy(at, "GET /metrics?a"), n, "&name[]=x"), THE_REST);
}

static void long_header(char *at, unsigned n)
{
	strcpy(put_long(stpcpy(at, FIRST_LINES "X: "), n), "\r\n\r\n");
}

static void old_version(char *at, unsigned n)
{
	strcpy(put_long(stpcpy(at, "GET /metrics HTTP/1.0\r\nX: "), n), "\r\n\r\n");
}

static void many_headers(char *at, unsigned n)
{
	strcpy(put_many(stpcpy(at, FIRST_LINES), n, "X: y\r\n"), "\r\n");
}

static void long_method(char *at, unsigned n)
{
	strcpy(put_long(at, n), " /metrics" THE_REST);
}

static void long_cookie(char *at, unsigned n)
{
	strcpy(put_long(stpcpy(at, FIRST_LINES "Cookie: a="), n), "\r\n\r\n");
}

static void many_cookies(char *at, unsigned n)
{
	strcpy(put_many(stpcpy(at, FIRST_LINES "Cookie: a=b"), n, "; a=b"), "\r\n\r\n");
}

static void long_header_and_body(char *at, unsigned n)
{
	at = put_long(stpcpy(at, FIRST_LINES "Content-Length: 5000\r\nX: "), n);
	put_long(stpcpy(at, "\r\n\r\n"), 5000);
}

static void both(char *at, unsigned n)
{
	at = put_many(stpcpy(at, "GET /metrics?a"), 79, "&a=b");
	strcpy(put_long(stpcpy(at, " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: "), n),
	       "\r\n\r\n");
}

/* However its memory of 12,288 bytes is filled, a request gets one answer, which is counted once;
 * only of a method that fills it libmicrohttpd 1.0 says nothing. */
static void test_every_head_is_answered(void **state)
{
	static const struct {
		const char *what;
		void (*make)(char *at, unsigned n);
		unsigned from, to, step;
	} rows[] = {
		{ "bytes of a target", long_target, 8000, 14000, 61 },
		{ "bytes of arguments", long_arguments, 8000, 14000, 61 },
		{ "arguments", many_arguments, 1, 400, 1 },
		{ "bytes of a header", long_header, 8000, 14000, 61 },
		{ "bytes of a header, HTTP/1.0", old_version, 11500, 12500, 7 },
		{ "header lines", many_headers, 1, 700, 3 },
		{ "bytes of a method", long_method, 8000, 14000, 61 },
		{ "bytes of a cookie", long_cookie, 5000, 14000, 61 },
		{ "cookies", many_cookies, 1, 400, 3 },
		{ "bytes of a header with a body", long_header_and_body, 5000, 14000, 61 },
		{ "bytes of a header behind arguments", both, 5000, 14000, 61 },
	};
	char *request = malloc(65536);
	unsigned silent = 0, methods = 0;
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(rows); i++)
		for (unsigned n = rows[i].from; n < rows[i].to; n += rows[i].step) {
			unsigned none;

			rows[i].make(request, n);
			none = expect_told(&s, rows[i].what, n, request);
			if (none && rows[i].make != long_method)
				fail_msg("%s: %u: no answer", rows[i].what, n);
			silent += none;
		}
	server_stop(&s);
	for (unsigned n = 11900; n < 14000; n += 61)
		methods++;
	assert_in_range(silent, 0, libmicrohttpd_major() ? methods : 0);
	assert_int_equal(s.counts.refused, silent);
	free(request);
}

/* A request that fills the memory comes right behind one that is answered. */
static void test_full_head_behind_another(void **state)
{
	char *request = malloc(65536);
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (unsigned n = 11500; n < 12500; n += 13) {
		unsigned before = s.answered;
		const char *reply, *second;

		long_header(stpcpy(request, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), n);
		reply = ask(s.ports[0], request);
		second = strstr(reply, "hello\nHTTP/1.1 ");
		if (strncmp(reply, "HTTP/1.1 200 ", 13) != 0 || !second ||
		    strtol(second + 15, NULL, 10) != s.status || s.answered != before + 2)
			fail_msg("%u: %u were told, the last with %d: \"%.500s\"", n,
				 s.answered - before, s.status, reply);
	}
	server_stop(&s);
	assert_int_equal(s.counts.refused, 0);
	free(request);
}

/* To HEAD there is no body, either, where the answer goes past libmicrohttpd. */
static void test_full_head_of_head(void **state)
{
	char request[16384];
	const char *reply, *body;
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (unsigned get = 0; get < 2; get++) {
		long_header(request, 12050);
		memcpy(request, get ? "GET " : "HEAD", 4);
		if (!get)
			memcpy(request + 4, " /page/x", 8);     /* one byte shorter */
		reply = ask(s.ports[0], request);
		expect_in(__LINE__, reply, "HTTP/1.1 431 Request Header Fields Too Large\r\n");
		body = strstr(reply, "\r\n\r\n");
		assert_non_null(body);
		assert_int_equal(strlen(body + 4) > 0, get);
	}
	server_stop(&s);
}

/* What is no request is closed, and counted; a client that says nothing is not. */
static void test_no_request(void **state)
{
	struct server s;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	ask(s.ports[0], "NONSENSE\r\n\r\n");
	ask(s.ports[0], "");
	ask(s.ports[0], "GET /metr");
	for (unsigned i = 0; i < 2; i++)        /* the one before is counted by then */
		expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	server_stop(&s);
	/* 1.0 gives the first one an answer; the last one waits for the rest where the end of what
	 * the client sends came together with it */
	assert_int_equal(s.answered + s.counts.refused + s.counts.overdue, 4);
	assert_true(libmicrohttpd_major() || s.counts.refused);
}

static void test_keep_alive(void **state)
{
	struct server s;
	char reply[4096];
	int fd;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	for (int i = 0; i < 50; i++) {
		const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
		size_t n = 0;

		assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
				 (ssize_t)strlen(request));
		do {
			ssize_t r = recv(fd, reply + n, sizeof(reply) - 1 - n, 0);

			assert_true(r > 0);
			n += (size_t)r;
			reply[n] = '\0';
		} while (!strstr(reply, "hello\n"));
	}
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 50);
	assert_int_equal(s.released, 50);
	assert_int_equal(s.peak, 1);
}

static void test_two_ports(void **state)
{
	struct server s;

	(void)state;
	server_start(&s, 2, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	expect_in(__LINE__, ask(s.ports[1], GET("/metrics")), "hello");
	server_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests), cmocka_unit_test(test_head),
		cmocka_unit_test(test_accept_header),
		cmocka_unit_test(test_header_lists), cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_many_arguments),
		cmocka_unit_test(test_oversized), cmocka_unit_test(test_every_head_is_answered),
		cmocka_unit_test(test_full_head_behind_another),
		cmocka_unit_test(test_full_head_of_head), cmocka_unit_test(test_no_request),
		cmocka_unit_test(test_keep_alive), cmocka_unit_test(test_two_ports),
	};

	signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
