/* SPDX-License-Identifier: MIT
 * Where a URL leads, what is asked there, and what is made of servers that answer otherwise. What
 * takes seconds is in tests/e2e/top_terminal.py, TLS in tests/e2e/tls.py. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "http/client.h"
#include "http/dial.h"

#include "temp_dir.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* ---- URLs */

static void test_urls(void **state)
{
	static const struct {
		int line;
		const char *url;
		bool tls;
		const char *host, *port, *field, *path;
	} rows[] = {
		{ __LINE__, "http://127.0.0.1:10062", false, "127.0.0.1", "10062",
		  "127.0.0.1:10062", "" },
		{ __LINE__, "http://host", false, "host", "80", "host", "" },
		{ __LINE__, "https://host/", true, "host", "443", "host", "" },
		{ __LINE__, "https://host:443", true, "host", "443", "host", "" },
		{ __LINE__, "https://host:80", true, "host", "80", "host:80", "" },
		{ __LINE__, "http://host:/", false, "host", "80", "host", "" },
		{ __LINE__, "http://host:1/a/b/", false, "host", "1", "host:1", "/a/b" },
		{ __LINE__, "http://[::1]:10062/x", false, "::1", "10062", "[::1]:10062", "/x" },
		{ __LINE__, "https://[::1]", true, "::1", "443", "[::1]", "" },
		{ __LINE__, "http://[fe80::1%25eth0]:2", false, "fe80::1%eth0", "2", "[fe80::1]:2",
		  "" },
		{ __LINE__, "http://[fe80::1%eth0]", false, "fe80::1%eth0", "80", "[fe80::1]", "" },
		{ __LINE__, "http://host:65535", false, "host", "65535", "host:65535", "" },
		{ __LINE__, "http://host/a@b:c", false, "host", "80", "host", "/a@b:c" },
		{ __LINE__, "127.0.0.1:10062", false, "127.0.0.1", "10062", "127.0.0.1:10062", "" },
		{ __LINE__, "[::1]:10062", false, "::1", "10062", "[::1]:10062", "" },
		{ __LINE__, "host:80", false, "host", "80", "host", "" },
	};
	struct dial_address a;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (dial_parse(rows[i].url, &a) < 0)
			fail_msg("line %d: refused", rows[i].line);
		if (a.file || a.tls != rows[i].tls || strcmp(a.host, rows[i].host) != 0 ||
		    strcmp(a.port, rows[i].port) != 0 || strcmp(a.field, rows[i].field) != 0 ||
		    strcmp(a.path, rows[i].path) != 0 || *a.user)
			fail_msg("line %d: %s %s %s %s", rows[i].line, a.host, a.port, a.field,
				 a.path);
	}
	assert_int_equal(dial_parse("unix:/run/x y?", &a), 0);
	assert_true(a.file);
	assert_string_equal(a.host, "/run/x y?");
	assert_string_equal(a.field, "localhost");
}

static void test_no_urls(void **state)
{
	static const char *const bad[] = {
		"", "127.0.0.1", "host", "host:", "host:x", ":1", "::1:10062", "host:0",
		"host:65536", "host:1/a", "a b:1", "ftp:/x",
		"ftp://x", "HTTP://x", "http:/x", "http://", "https://",
		"http:///x", "http://:1", "http://host:0", "http://host:65536", "http://host:x",
		"http://host:0x1", "http://host:-1", "http://host:123456", "http://a b",
		"http://a/\r\nX: y", "http://a\tb", "http://a/\177", "http://m\303\274ller",
		"http://a/?x", "http://a/#x", "http://a?x", "http://[::1", "http://[]",
		"http://[::1]x", "http://[1.2.3.4]", "http://[host]", "http://%zz@host",
		"http://a%4@host", "unix:", "unix:run/x",
	};
	static char longest[2 * DIAL_URL_MAX], file[256];
	struct dial_address a;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (dial_parse(bad[i], &a) != -EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	/* none is cut */
	memset(longest, 'a', sizeof(longest) - 1);
	memcpy(longest, "http://", 7);
	assert_int_equal(dial_parse(longest, &a), -EINVAL);
	longest[DIAL_URL_MAX - 1] = '\0';
	assert_int_equal(dial_parse(longest, &a), 0);
	assert_int_equal(strlen(a.host), DIAL_URL_MAX - 1 - 7);
	longest[DIAL_URL_MAX - 3] = '@';
	assert_int_equal(dial_parse(longest, &a), -EINVAL);
	memset(file, 'a', sizeof(file) - 1);
	memcpy(file, "unix:/", 6);
	assert_int_equal(dial_parse(file, &a), -EINVAL);
	file[5 + 107] = '\0';           /* sun_path has 108 bytes */
	assert_int_equal(dial_parse(file, &a), 0);
}

/* RFC 7617's example, and what `printf ... | base64` prints. */
static void test_users(void **state)
{
	static const char *const rows[][2] = {
		{ "http://Aladdin:open%20sesame@host:8", "QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
		{ "http://a:@host:8", "YTo=" }, { "http://a@host:8", "YTo=" },
		{ "http://:b@host:8", "OmI=" }, { "http://ab:cd@host:8", "YWI6Y2Q=" },
		{ "http://a:b%40c:%3f@host:8", "YTpiQGM6Pw==" },
		{ "http://a:b@c@host:8", "YTpiQGM=" }, { "http://@host:8", "" },
	};
	struct dial_address a;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(dial_parse(rows[i][0], &a), 0);
		assert_string_equal(a.user, rows[i][1]);
		assert_string_equal(a.field, "host:8");
	}
}

/* ---- servers that answer what a test wants */

static struct {
	pthread_t thread;
	int fd;                         /* that listens */
	const char *says;
	size_t n;
	char asked[4096];               /* the first request since the server began */
	unsigned times;
	char url[600];
} server;

static void serve_one(int fd)
{
	char asked[4096] = "";
	size_t n = 0;
	ssize_t k;

	while (!strstr(asked, "\r\n\r\n") && n < sizeof(asked) - 1) {
		k = read(fd, asked + n, sizeof(asked) - 1 - n);
		if (k <= 0)
			break;
		n += (size_t)k;
		if (asked[0] != 'G')            /* it tries TLS */
			break;
	}
	if (!server.times++)
		memcpy(server.asked, asked, sizeof(asked));
	if (asked[0] == 'G' && server.says)
		send(fd, server.says, server.n, MSG_NOSIGNAL);
	close(fd);
}

static void *serve(void *unused)
{
	int fd;

	(void)unused;
	while ((fd = accept(server.fd, NULL, NULL)) >= 0)
		serve_one(fd);
	return NULL;
}

static void server_on(int fd, const struct sockaddr *at, socklen_t n)
{
	server.fd = fd;
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, at, n), 0);
	assert_int_equal(listen(fd, 8), 0);
	server.times = 0;
	assert_int_equal(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void server_begin(const char *says, size_t n)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server.says = says;
	server.n = n;
	server_on(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&at, size);
	assert_int_equal(getsockname(server.fd, (struct sockaddr *)&at, &size), 0);
	snprintf(server.url, sizeof(server.url), "http://127.0.0.1:%u", ntohs(at.sin_port));
}

static void server_end(void)
{
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.fd);
}

/* What http_get() makes of these bytes: the body, to be freed, or NULL and the sentence. */
static char *get_of(const char *says, size_t n, struct err *err)
{
	const struct http_server s = { .url = server.url };
	char *text = NULL;
	int r;

	server_begin(says, n);
	r = http_get(&s, "/api/v1/x", &text, err);
	server_end();
	assert_true((r == 0) == (text != NULL));
	return text;
}

static void test_answers(void **state)
{
	static const char *const good[][2] = {
		{ "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "{}" },
		{ "HTTP/1.0 200 OK\r\n\r\n{}", "{}" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n"
		  "\r\n", "{}" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		char *text = get_of(good[i][0], strlen(good[i][0]), &err);

		assert_non_null(text);
		assert_string_equal(text, good[i][1]);
		free(text);
		assert_int_equal(server.times, 1);
		assert_string_equal(strstr(server.asked, "\r\n"),
				    strstr(strstr(server.asked, "\r\n"), "\r\nHost: 127.0.0.1:"));
	}
}

static void test_other_answers(void **state)
{
	static const char *const bad[][2] = {
		{ "", "does not answer like uncored; give uncored's address with --url" },
		{ "SSH-2.0-OpenSSH_9\r\n", "does not answer like uncored" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
		  "closed the connection in the middle of its answer; try again" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
		  "closed the connection in the middle of its answer" },
		{ "HTTP/1.1 200 OK\r\nContent-Le", "closed the connection in the middle" },
		{ "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", "more than 64 MB" },
		{ "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffff\r\n",
		  "more than 64 MB" },
		{ "HTTP/1.1 401 Unauthorized\r\n\r\n", "https://NAME:PASSWORD@HOST (status 401)" },
		{ "HTTP/1.1 403 Forbidden\r\n\r\n", "to hosts in uncored.conf, or use its IP" },
		{ "HTTP/1.1 404 Not Found\r\n\r\n",
		  "does not answer like uncored (status 404); give uncored's address" },
		{ "HTTP/1.1 503 Busy\r\n\r\n", "try again later (status 503)" },
		{ "HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\n\r\n",
		  "does not answer like uncored (status 301)" },
	};
	static const char nul[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}\0";
	struct err err;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_null(get_of(bad[i][0], strlen(bad[i][0]), &err));
		if (!strstr(err.text, bad[i][1]) || strncmp(err.text, server.url,
							    strlen(server.url)) != 0)
			fail_msg("row %zu: %s", i, err.text);
	}
	/* what stands in front of a NUL is not all of it */
	assert_null(get_of(nul, sizeof(nul) - 1, &err));
	assert_non_null(strstr(err.text, "does not answer like uncored"));
}

/* A head of a mebibyte: it ends with the first bytes that are too many. */
static void test_a_long_head(void **state)
{
	static const char line[] =
		"A: 3456789012345678901234567890123456789012345678901234567890\r\n";
	static char text[1 << 20];
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i += 64)
		memcpy(text + i, line, 64);
	memcpy(text, "HTTP/1.1 200 OK\r\nB: 6789012345678901234567890123456789012345\r\n", 62);
	assert_null(get_of(text, sizeof(text), &err));
	assert_non_null(strstr(err.text, "does not answer like uncored"));
}

static void test_what_is_asked(void **state)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
	struct http_server s = { .url = server.url };
	char plain[64], *text, *port;
	struct err err;

	(void)state;
	server_begin(ok, strlen(ok));
	port = strrchr(server.url, ':') + 1;
	snprintf(plain, sizeof(plain), "http://a:b@127.0.0.1:%s/behind/", port);
	s.url = plain;
	assert_int_equal(http_get(&s, "/api/v1/x", &text, &err), 0);
	free(text);
	server_end();
	assert_int_equal(strncmp(server.asked, "GET /behind/api/v1/x HTTP/1.1\r\n", 31), 0);
	assert_non_null(strstr(server.asked, "\r\nAuthorization: Basic YTpi\r\n"));
	assert_non_null(strstr(server.asked, "\r\nConnection: close\r\n"));
}

static void test_socket_files(void **state)
{
	static const char ok[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
	const struct http_server s = { .url = server.url };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct err err;
	char *text;

	(void)state;
	assert_int_equal(temp_make("client"), 0);
	strcpy(at.sun_path, temp_path("x"));
	snprintf(server.url, sizeof(server.url), "unix:%s", at.sun_path);
	assert_int_equal(http_get(&s, "/x", &text, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot be reached: No such file or directory; start "));
	server.says = ok;
	server.n = strlen(ok);
	server_on(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof(at));
	assert_int_equal(http_get(&s, "/x", &text, &err), 0);
	free(text);
	server_end();
	assert_non_null(strstr(server.asked, "GET /x HTTP/1.1\r\nHost: localhost\r\n"));
	assert_int_equal(http_get(&s, "/x", &text, &err), -ECONNREFUSED);
	drop("");
}

static void test_nobody(void **state)
{
	static const struct {
		struct http_server s;
		const char *says;
	} rows[] = {
		{ { .url = "http://127.0.0.1:1" }, "cannot be reached: Connection refused; start" },
		{ { .url = "http://name.invalid" }, "http://name.invalid cannot be reached: " },
		{ { .url = "ftp://x" }, "'ftp://x' is not a valid address; use one like" },
		{ { .url = "http://x", .cacert = "y" }, "need a URL that begins with https" },
		{ { .url = "unix:/x", .cert = "y" }, "need a URL that begins with https" },
		{ { .url = "https://x", .key = "y" }, "--key needs --cert" },
		{ { .url = "https://x", .cacert = "/nowhere" },
		  "/nowhere cannot be read: No such file or directory" },
		{ { .url = "https://x", .cacert = "/dev/null" }, "no certificate in PEM form" },
	};
	struct err err;
	char *text;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(http_get(&rows[i].s, "/", &text, &err) < 0);
		assert_null(text);
		if (!strstr(err.text, rows[i].says))
			fail_msg("row %zu: %s", i, err.text);
	}
	assert_true(http_get(&rows[0].s, "/", &text, NULL) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_no_urls),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_other_answers),
		cmocka_unit_test(test_a_long_head),
		cmocka_unit_test(test_what_is_asked),
		cmocka_unit_test(test_socket_files),
		cmocka_unit_test(test_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
