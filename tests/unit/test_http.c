/* The server against real sockets on 127.0.0.1, port 0: methods, limits, deadlines, bad requests, exhaustion. */
#include "config.h"

#include "http/http.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"

#define BIG (4u << 20)                  /* more than socket buffers hold */
#define SLACK (3 * NSEC_PER_SEC)        /* an upper bound that a loaded machine keeps */

static nsec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* ------------------------------------------------------------------ the server */

struct server {
	struct http *h;
	int ports[2];
	unsigned n_ports;
	int stop[2];
	pthread_t thread;
	char *big;
	unsigned handled, released;     /* calls of the handler, bodies given back */
	char path[64], accept[64], encodings[64], arguments[256];       /* of the last call */
	struct http_page *page;         /* of /page, made at the first call */
	nsec cpu;                       /* of the thread, at its end */
	unsigned peak;                  /* most connections at a time */
	unsigned turns;                 /* of the loop */
};

static void release(void *p)
{
	((struct server *)p)->released++;
}

/* As a list, "name=value;" each; three are enough. */
static bool argument(void *p, const char *name, const char *value)
{
	struct server *s = p;
	size_t n = strlen(s->arguments), seen = 0;

	snprintf(s->arguments + n, sizeof(s->arguments) - n, "%s=%s;", name, value);
	for (const char *c = s->arguments; *c; c++)
		seen += *c == ';';
	return seen < 3;
}

static bool handle(void *p, const struct http_request *request, struct http_reply *reply)
{
	struct server *s = p;
	const char *path = request->path;

	s->handled++;
	snprintf(s->path, sizeof(s->path), "%s", path);
	snprintf(s->accept, sizeof(s->accept), "%s", request->accept ? request->accept : "(none)");
	snprintf(s->encodings, sizeof(s->encodings), "%s", request->accept_encoding ? request->accept_encoding : "(none)");
	s->arguments[0] = '\0';
	http_each_argument(request, argument, s);
	*reply = (struct http_reply){ .status = 200, .content_type = "text/plain; charset=utf-8", .bytes = "hello\n", .n = 6 };
	if (strcmp(path, "/metrics") == 0) {
		reply->release = release;
		reply->p = s;
		reply->vary = "Accept";
	} else if (strcmp(path, "/big") == 0) {
		reply->bytes = s->big;
		reply->n = BIG;
		reply->release = release;
		reply->p = s;
	} else if (strcmp(path, "/page") == 0) {
		reply->status = 200;
		reply->encoding = "gzip";
		reply->vary = "Accept, Accept-Encoding";
		reply->release = release;
		reply->p = s;
		if (!s->page)
			s->page = http_page_new(reply);
		*reply = (struct http_reply){ .page = s->page };
	} else if (strcmp(path, "/") == 0) {
		reply->content_type = "text/html; charset=utf-8";
		reply->policy = "default-src 'none'";
	} else if (strcmp(path, "/-/ready") == 0) {
		reply->status = 503;
	} else {
		return false;
	}
	return true;
}

/* The paths that handle() answers. */
static bool knows(void *p, const char *path)
{
	static const char *const paths[] = { "/metrics", "/big", "/page", "/", "/-/ready" };

	(void)p;
	for (size_t i = 0; i < COUNT(paths); i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	return false;
}

/* One turn of the loop; false when told to stop. */
static bool server_turn(struct server *s)
{
	struct pollfd p[4] = { { .fd = s->stop[0], .events = POLLIN } };
	nsec wait = http_timeout(s->h, now());
	nfds_t n = 1 + http_poll(s->h, p + 1);

	assert_int_equal(n, 2 + s->n_ports);
	poll(p, n, wait < 0 ? -1 : (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
	if (p[0].revents)
		return false;
	http_run(s->h, now(), p + 1);
	__atomic_add_fetch(&s->turns, 1, __ATOMIC_RELAXED);
	if (http_connections(s->h) > s->peak)
		s->peak = http_connections(s->h);
	return true;
}

static void *server_main(void *p)
{
	struct server *s = p;
	struct timespec t;

	while (server_turn(s))
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	s->cpu = t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
	return NULL;
}

static int listen_any(int *ret_port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 512), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	*ret_port = ntohs(a.sin_port);
	return fd;
}

static void server_open(struct server *s, unsigned n_ports, unsigned connections, nsec request, nsec connection)
{
	struct err err;
	int fds[2];
	struct http_options o = { .fds = fds, .n_fds = n_ports, .connections = connections, .request_deadline = request,
				  .connection_deadline = connection, .handler = handle, .knows = knows, .p = s };

	memset(s, 0, sizeof(*s));
	s->n_ports = n_ports;
	for (unsigned i = 0; i < n_ports; i++)
		fds[i] = listen_any(&s->ports[i]);
	s->big = malloc(BIG);
	memset(s->big, 'x', BIG);
	if (http_new(&o, &s->h, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pipe(s->stop), 0);
}

static void server_start(struct server *s, unsigned n_ports, unsigned connections, nsec request, nsec connection)
{
	server_open(s, n_ports, connections, request, connection);
	assert_int_equal(pthread_create(&s->thread, NULL, server_main, s), 0);
}

static void server_stop(struct server *s)
{
	assert_int_equal(write(s->stop[1], "x", 1), 1);
	pthread_join(s->thread, NULL);
	http_page_free(s->page);
	http_free(s->h);
	close(s->stop[0]);
	close(s->stop[1]);
	free(s->big);
}

/* ------------------------------------------------------------------ the client */

static int client_open(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port) };
	struct timeval patience = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* Reads until the peer closes or `max` bytes are there; returns how many. */
static size_t client_read(int fd, char *buf, size_t max)
{
	size_t n = 0;
	ssize_t r;

	while (n < max && (r = recv(fd, buf + n, max - n, 0)) > 0)
		n += (size_t)r;
	return n;
}

/* One request on its own connection; the whole reply as a string, valid until the next call. */
static const char *ask_mem(int port, const char *request, size_t n)
{
	static char reply[65536];
	int fd = client_open(port);

	for (size_t at = 0; at < n;) {
		ssize_t r = send(fd, request + at, n - at, MSG_NOSIGNAL);

		if (r <= 0)
			break;
		at += (size_t)r;
	}
	shutdown(fd, SHUT_WR);
	reply[client_read(fd, reply, sizeof(reply) - 1)] = '\0';
	close(fd);
	return reply;
}

static const char *ask(int port, const char *request)
{
	return ask_mem(port, request, strlen(request));
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/* ------------------------------------------------------------------ requests */

static void expect_in(int line, const char *reply, const char *want)
{
	if (!strstr(reply, want))
		fail_msg("row at line %d: no \"%s\" in \"%s\"", line, want, reply);
}

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
		{ __LINE__, GET("/nothing"), " 404 Not Found\r\n", "There is nothing at this path.\n" },
		{ __LINE__, GET("/metrics/"), " 404 ", "There is nothing" },
		{ __LINE__, GET("//metrics"), " 404 ", "There is nothing" },
		{ __LINE__, GET("/metrics%00x"), " 400 ", "NUL" },
		{ __LINE__, GET("/metrics?x=%00"), " 400 ", "NUL" },
		{ __LINE__, GET("/metrics?a=b&c"), " 200 ", "hello" },
		{ __LINE__, GET("/Metrics"), " 404 ", "There is nothing" },
		{ __LINE__, "GET /metrics HTTP/1.0\r\n\r\n", " 200 OK\r\n", "hello\n" },
		{ __LINE__, "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", " 405 Method Not Allowed\r\n",
		  "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		{ __LINE__, "DELETE http://example.org/-/ready?x HTTP/1.1\r\nHost: x\r\n\r\n", " 405 ", "\r\nAllow: GET, HEAD\r\n" },
		/* what is not there is not there for any method */
		{ __LINE__, "DELETE /nothing HTTP/1.1\r\nHost: x\r\n\r\n", " 404 Not Found\r\n", "There is nothing at this path.\n" },
		{ __LINE__, "PUT http://example.org/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", " 404 ", "There is nothing" },
		{ __LINE__, "POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", " 404 ", "There is nothing" },
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
	expect_in(__LINE__, ask(s.ports[0], "GET /metrics HTTP/1.1\r\nHost: x\r\naccept: text/plain;q=0.5\r\nConnection: close\r\n\r\n"), "hello");
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
	struct server s;
	const char *reply;

	(void)state;
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	reply = ask(s.ports[0], "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept: a/b\r\nAccept-Encoding: gzip;q=0.5\r\n"
				"Accept-Language: de\r\nACCEPT: c/d\r\naccept-encoding: identity\r\nAccept: e/f\r\nX-Accept: g/h\r\n\r\n");
	expect_in(__LINE__, reply, "hello");
	assert_string_equal(s.accept, "a/b,c/d,e/f");
	assert_string_equal(s.encodings, "gzip;q=0.5,identity");
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

		if (*reply && strncmp(reply, "HTTP/1.1 4", 10) != 0 && strncmp(reply, "HTTP/1.1 5", 10) != 0 &&
		    strncmp(reply, "HTTP/1.0 4", 10) != 0 && strncmp(reply, "HTTP/1.0 5", 10) != 0)
			fail_msg("row at line %d: %.60s", rows[i].line, reply);
		if (s.handled)
			fail_msg("row at line %d reached the handler as %s", rows[i].line, s.path);
	}
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");         /* still there */
	server_stop(&s);
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

		assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
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

/* ------------------------------------------------------------------ deadlines */

/* Sends a byte each `every`, until the peer closes; returns how long that took. */
static nsec drip(int fd, const char *bytes, nsec every, nsec most)
{
	nsec start = now();

	while (now() - start < most) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char c;

		if (send(fd, bytes, 1, MSG_NOSIGNAL) != 1)
			break;
		if (bytes[1])
			bytes++;
		if (poll(&p, 1, (int)(every / NSEC_PER_MSEC)) > 0 && recv(fd, &c, 1, 0) <= 0)
			break;
	}
	return now() - start;
}

static void expect_between(int line, nsec t, nsec from, nsec to)
{
	if (t < from || t > to)
		fail_msg("line %d: %lld ms, not %lld to %lld", line, (long long)(t / NSEC_PER_MSEC),
			 (long long)(from / NSEC_PER_MSEC), (long long)(to / NSEC_PER_MSEC));
}

/* A byte each 50 ms keeps libmicrohttpd's own timeout from ever ending; ours does not care. */
static void test_slow_request(void **state)
{
	struct server s;
	int fd;

	(void)state;
	server_start(&s, 1, 8, 300 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	expect_between(__LINE__, drip(fd, "GET /metrics HTTP/1.1\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
				      50 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC), 250 * NSEC_PER_MSEC, SLACK);
	close(fd);
	/* one that says nothing at all */
	fd = client_open(s.ports[0]);
	{
		nsec start = now();
		char c;

		assert_true(recv(fd, &c, 1, 0) <= 0);
		expect_between(__LINE__, now() - start, 250 * NSEC_PER_MSEC, SLACK);
	}
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 0);
}

/* A second request on a kept connection is measured from its own first byte; between requests one may rest. */
static void test_slow_second_request(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct server s;
	char reply[4096];
	int fd;

	(void)state;
	server_start(&s, 1, 8, 200 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
		assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
		usleep(300000);                 /* longer than the request's deadline */
	}
	expect_between(__LINE__, drip(fd, request, 40 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC), 150 * NSEC_PER_MSEC, SLACK);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 2);
}

/* A reader that takes a little now and then: the rest of the body is thrown away with it. */
/* Scrapers keep their connection between scrapes: until the next one nothing is done for it. */
static void test_idle_costs_nothing(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct server s;
	char reply[4096];
	unsigned turns;
	int fd;

	(void)state;
	server_start(&s, 1, 8, 40 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);   /* looked after each 10 ms */
	fd = client_open(s.ports[0]);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
	assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
	usleep(50000);
	turns = __atomic_load_n(&s.turns, __ATOMIC_RELAXED);
	usleep(150000);
	assert_in_range(__atomic_load_n(&s.turns, __ATOMIC_RELAXED) - turns, 0, 1);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), (ssize_t)strlen(request));
	assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
	/* One that was idle is looked after again from its next byte on. */
	expect_between(__LINE__, drip(fd, request, 10 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC), 30 * NSEC_PER_MSEC, SLACK);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 2);
}

static void test_slow_reader(void **state)
{
	struct server s;
	char buf[4096];
	int fd, small = 4096;
	nsec start;
	size_t n = 0;

	(void)state;
	server_start(&s, 1, 8, 300 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	start = now();
	assert_true(send(fd, GET("/big"), strlen(GET("/big")), MSG_NOSIGNAL) > 0);
	for (;;) {
		ssize_t r = recv(fd, buf, 1024, 0);

		if (r <= 0 || now() - start > 5 * NSEC_PER_SEC)
			break;
		n += (size_t)r;
		usleep(20000);
	}
	expect_between(__LINE__, now() - start, 250 * NSEC_PER_MSEC, SLACK);
	assert_true(n < BIG);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 1);
	assert_int_equal(s.released, 1);
}

/* However busy a connection is, it has an end. */
static void test_connection_deadline(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct server s;
	char reply[4096];
	nsec start;
	int fd;

	(void)state;
	server_start(&s, 1, 8, 200 * NSEC_PER_MSEC, 400 * NSEC_PER_MSEC);
	fd = client_open(s.ports[0]);
	start = now();
	while (now() - start < 5 * NSEC_PER_SEC) {
		if (send(fd, request, strlen(request), MSG_NOSIGNAL) <= 0 || recv(fd, reply, sizeof(reply), 0) <= 0)
			break;
		usleep(10000);
	}
	expect_between(__LINE__, now() - start, 380 * NSEC_PER_MSEC, SLACK);
	assert_true(s.handled > 5);
	close(fd);
	server_stop(&s);
}

/* ------------------------------------------------------------------ limits */

/* All places taken by peers that say nothing: the next one is served all the same, soon. */
static void test_crowded(void **state)
{
	struct server s;
	int fds[8];
	nsec start;

	(void)state;
	server_start(&s, 2, 4, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client_open(s.ports[i % 2]);
		assert_int_equal(send(fds[i], "G", 1, MSG_NOSIGNAL), 1);
	}
	start = now();
	for (size_t i = 4; i < COUNT(fds); i++) {
		close(fds[i]);
		fds[i] = -1;
	}
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	assert_true(now() - start < SLACK);
	for (size_t i = 0; i < 4; i++)
		close(fds[i]);
	server_stop(&s);
	assert_int_equal(s.peak, 4);
}

/* Kept connections that rest give way when places are short. */
static void test_crowded_idle(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct server s;
	char reply[4096];
	int fds[4];
	nsec start;

	(void)state;
	server_start(&s, 1, 4, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client_open(s.ports[0]);
		assert_true(send(fds[i], request, strlen(request), MSG_NOSIGNAL) > 0);
		assert_true(recv(fds[i], reply, sizeof(reply), 0) > 0);
	}
	start = now();
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	assert_true(now() - start < NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	server_stop(&s);
}

static void test_many_clients(void **state)
{
	const char *request = GET("/big");
	struct server s;
	int fds[30];

	(void)state;
	server_start(&s, 1, 64, 5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client_open(s.ports[0]);
		assert_true(send(fds[i], request, strlen(request), MSG_NOSIGNAL) > 0);
	}
	for (size_t i = 0; i < COUNT(fds); i++) {
		static char buf[65536];
		size_t n = 0;
		ssize_t r;

		if (i % 3 == 0) {               /* goes away in the middle, with a reset */
			struct linger drop = { .l_onoff = 1 };

			assert_true(recv(fds[i], buf, 100, 0) > 0);
			setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &drop, sizeof(drop));
			close(fds[i]);
			continue;
		}
		while ((r = recv(fds[i], buf, sizeof(buf), 0)) > 0)
			n += (size_t)r;
		assert_true(n > BIG);
		close(fds[i]);
	}
	expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	server_stop(&s);
	assert_int_equal(s.handled, 31);
	assert_int_equal(s.released, 31);
}

/* No descriptor left and nobody connected: libmicrohttpd alone would spin here. */
static void test_no_descriptors(void **state)
{
	struct rlimit old, none;
	struct server s;
	int fds[4];
	nsec cpu;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	server_start(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	for (size_t i = 0; i < COUNT(fds); i++)
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (size_t i = 0; i < COUNT(fds); i++) {
		struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					 .sin_port = htons((uint16_t)s.ports[0]) };

		assert_int_equal(connect(fds[i], (struct sockaddr *)&a, sizeof(a)), 0);
		assert_true(send(fds[i], GET("/metrics"), strlen(GET("/metrics")), MSG_NOSIGNAL) > 0);
	}
	usleep(300000);
	assert_int_equal(s.handled, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	for (size_t i = 0; i < COUNT(fds); i++) {       /* and it comes back by itself */
		char reply[1024] = "";

		client_read(fds[i], reply, sizeof(reply) - 1);
		expect_in(__LINE__, reply, "hello");
		close(fds[i]);
	}
	server_stop(&s);
	cpu = s.cpu;
	if (cpu > 100 * NSEC_PER_MSEC)
		fail_msg("%lld ms of CPU while nothing could be done", (long long)(cpu / NSEC_PER_MSEC));
}

/* Fewer places than asked for where descriptors are few: some stay free for everything else. */
static void test_limit_by_descriptors(void **state)
{
	struct rlimit old, few;
	struct server s;
	int fds[40], n = 0;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = (struct rlimit){ .rlim_cur = 40, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	server_open(&s, 1, 1000, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(pthread_create(&s.thread, NULL, server_main, &s), 0);
	for (n = 0; n < (int)COUNT(fds); n++)
		fds[n] = client_open(s.ports[0]);
	usleep(100000);
	assert_in_range(s.peak, 1, 40 - 8);
	while (n--)
		close(fds[n]);
	server_stop(&s);
}

/* ------------------------------------------------------------------ confined */

/* In the child: serves one request, then tries what it may not. Exit code 0, or the line that went wrong. */
static int confined_main(struct server *s)
{
	char *more;
	struct err err;

	if (http_confine(&err) < 0)
		return 1;
	while (server_turn(s) && s->handled < 3)
		;
	while (http_connections(s->h))
		if (!server_turn(s))
			break;
#ifndef UNCORED_SANITIZED
	if (open("/dev/null", O_RDONLY) >= 0 || errno != EPERM)
		return 2;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 3;
	if (fork() >= 0 || errno != EPERM)
		return 4;
	if (execl("/bin/true", "true", NULL) >= 0 || errno != EPERM)
		return 5;
	if (kill(getppid(), 0) == 0)
		return 6;
#endif
	more = malloc(8u << 20);
	if (!more)
		return 7;
	memset(more, 1, 8u << 20);
	free(more);
	http_free(s->h);
	return 0;
}

static void test_confined(void **state)
{
	struct server s;
	int status;
	pid_t pid;

	(void)state;
	server_open(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(confined_main(&s));
	for (int i = 0; i < 2; i++)
		expect_in(__LINE__, ask(s.ports[0], GET("/metrics")), "hello");
	{
		static char buf[BIG + 4096];
		int fd = client_open(s.ports[0]);

		assert_true(send(fd, GET("/big"), strlen(GET("/big")), MSG_NOSIGNAL) > 0);
		assert_true(client_read(fd, buf, sizeof(buf)) > BIG);
		close(fd);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	http_free(s.h);
	close(s.stop[0]);
	close(s.stop[1]);
	free(s.big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests), cmocka_unit_test(test_head), cmocka_unit_test(test_accept_header), cmocka_unit_test(test_header_lists),
		cmocka_unit_test(test_arguments), cmocka_unit_test(test_page),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_oversized), cmocka_unit_test(test_keep_alive),
		cmocka_unit_test(test_two_ports), cmocka_unit_test(test_slow_request),
		cmocka_unit_test(test_slow_second_request), cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_idle_costs_nothing), cmocka_unit_test(test_connection_deadline), cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_crowded_idle), cmocka_unit_test(test_many_clients),
		cmocka_unit_test(test_no_descriptors), cmocka_unit_test(test_limit_by_descriptors),
		cmocka_unit_test(test_confined),
	};

	signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
