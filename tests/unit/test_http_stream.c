/* SPDX-License-Identifier: MIT
 * Streams against real sockets on 127.0.0.1: order, sharing, limits, listeners that are slow, gone
 * or have had their time. Server and clients take turns in one thread, and the time is made up. */
#include "http/http.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bits.h"

#define BIG (4u << 20)                  /* more than socket buffers hold */
#define LISTEN "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"
#define SLOWLY LISTEN "\r\n"           /* with a small buffer */
#define DEADLINE (10 * NSEC_PER_SEC)

struct server {
	struct http *h;
	int port;
	nsec now;
	unsigned given, released;       /* bodies */
	char *big;
};

static void release(void *p)
{
	((struct server *)p)->released++;
}

static bool handle(void *p, const struct http_request *request, struct http_reply *reply)
{
	struct server *s = p;

	*reply = (struct http_reply){ .status = 200, .content_type = "text/plain",
				      .bytes = "plain\n", .n = 6 };
	if (strcmp(request->path, "/stream") == 0) {
		*reply = (struct http_reply){ .status = 200, .content_type = "text/event-stream",
					      .bytes = "first\n\n", .n = 7,
					      .release = release, .p = s, .stream = true };
		s->given++;
	}
	return true;
}

static void start(struct server *s, unsigned streams)
{
	struct http_options o = { .n_fds = 1, .connections = 32, .request_deadline = DEADLINE,
				  .connection_deadline = 30 * NSEC_PER_SEC,
				  .streams = streams, .stream_deadline = 3600 * NSEC_PER_SEC,
				  .handler = handle, .p = s };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	struct err err;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*s = (struct server){ .now = NSEC_PER_SEC, .big = malloc(BIG) };
	memset(s->big, 'b', BIG);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 64), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	s->port = ntohs(a.sin_port);
	o.fds = &fd;
	assert_int_equal(http_new(&o, &s->h, &err), 0);
}

static void stop(struct server *s)
{
	http_free(s->h);
	assert_int_equal(s->released, s->given);
	free(s->big);
}

static void turn(struct server *s)
{
	struct pollfd p[2];
	nfds_t n = http_poll(s->h, p);

	assert_int_equal(n, 2);
	poll(p, n, http_timeout(s->h, s->now) ? 1 : 0);
	http_run(s->h, s->now, p);
}

static void turns(struct server *s, unsigned n)
{
	while (n--)
		turn(s);
}

static void later(struct server *s, nsec t)
{
	s->now += t;
	turns(s, 3);
}

/* from: the last byte of its address, 127.0.0.x. */
static int client_from(struct server *s, unsigned from, const char *request)
{
	struct sockaddr_in own = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from) };
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)s->port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;

	if (strcmp(request, SLOWLY) == 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 (ssize_t)strlen(request));
	return fd;
}

static int client(struct server *s, const char *request)
{
	return client_from(s, 1, request);
}

/* What has come, until nothing more does: the text, or "(end)" behind it. */
static const char *heard(struct server *s, int fd)
{
	static char buf[65536];
	size_t n = 0;

	for (unsigned quiet = 0; quiet < 3 && n < sizeof(buf) - 16;) {
		ssize_t r;

		turn(s);
		r = recv(fd, buf + n, sizeof(buf) - 16 - n, MSG_DONTWAIT);
		quiet = r > 0 ? 0 : quiet + 1;
		if (r == 0 || (r < 0 && errno != EAGAIN)) {
			strcpy(buf + n, "(end)");
			return buf;
		}
		n += r > 0 ? (size_t)r : 0;
	}
	buf[n] = '\0';
	return buf;
}

static void send_text(struct server *s, const char *text, size_t n)
{
	s->given++;
	http_stream_send(s->h, &(struct http_message){ text, n, release, s });
}

#define expect_listeners(s, n) assert_int_equal(http_stream_count((s)->h).listeners, n)

/* ------------------------------------------------------------------ */

static void test_everybody_hears_the_same(void **state)
{
	struct server s;
	int fds[3];

	(void)state;
	start(&s, 8);
	send_text(&s, "nobody listens\n", 15);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client(&s, LISTEN);
		assert_non_null(strstr(heard(&s, fds[i]),
				       "\r\nContent-Type: text/event-stream\r\n"));
	}
	expect_listeners(&s, 3);
	/* their beginnings; the newest message is kept until the next */
	assert_int_equal(s.released, 3 + 0);
	for (size_t k = 0; k < 5; k++) {
		static const char *const texts[] = { "one\n\n", "two\n\n", "three\n\n",
						     "four\n\n", "five\n\n" };
		char want[32];

		send_text(&s, texts[k], strlen(texts[k]));
		snprintf(want, sizeof(want), "%zx\r\n%s\r\n", strlen(texts[k]), texts[k]);
		for (size_t i = 0; i < COUNT(fds); i++)
			assert_string_equal(heard(&s, fds[i]), want);
		assert_int_equal(s.given - s.released, 1);      /* and none is kept longer */
	}
	close(fds[1]);
	later(&s, NSEC_PER_SEC);
	expect_listeners(&s, 2);
	assert_int_equal(http_stream_count(s.h).dropped, 0);
	stop(&s);
	close(fds[0]);
	close(fds[2]);
}

/* Not a busy loop: a listener that has everything costs nothing. */
static void test_quiet_is_quiet(void **state)
{
	struct server s;
	int fd;

	(void)state;
	start(&s, 8);
	fd = client(&s, LISTEN);
	heard(&s, fd);
	expect_listeners(&s, 1);
	assert_in_range(http_timeout(s.h, s.now), NSEC_PER_MSEC, NSEC_PER_SEC);
	stop(&s);
	close(fd);
}

static void test_limit(void **state)
{
	struct server s;
	const char *reply;
	int fds[3];

	(void)state;
	start(&s, 2);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client(&s, LISTEN);
		reply = heard(&s, fds[i]);
		assert_non_null(strstr(reply, i < 2 ? "HTTP/1.1 200 " : "HTTP/1.1 503 "));
	}
	assert_non_null(strstr(reply, "\r\nRetry-After: "));
	assert_int_equal(http_stream_count(s.h).refused, 1);
	assert_int_equal(send(fds[2], "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, MSG_NOSIGNAL), 27);
	assert_non_null(strstr(heard(&s, fds[2]), "plain"));    /* all else is served */
	close(fds[0]);
	later(&s, NSEC_PER_SEC);
	close(fds[2]);
	fds[2] = client(&s, LISTEN);
	assert_non_null(strstr(heard(&s, fds[2]), "first"));
	stop(&s);
	close(fds[1]);
	close(fds[2]);
}

/* Streams leave half of the places to everybody else, however many they may be. */
static void test_half_of_all_connections(void **state)
{
	struct server s;
	int fds[17];

	(void)state;
	start(&s, 32);
	for (unsigned i = 0; i < 17; i++) {
		fds[i] = client(&s, LISTEN);
		turns(&s, 5);
	}
	expect_listeners(&s, 16);
	assert_int_equal(http_stream_count(s.h).refused, 1);
	stop(&s);
	for (unsigned i = 0; i < 17; i++)
		close(fds[i]);
}

/* Without an end, with the connection's; and nothing but the head for HEAD. */
static void test_other_requests(void **state)
{
	struct server s;
	const char *reply;
	int old, head;

	(void)state;
	start(&s, 8);
	old = client(&s, "GET /stream HTTP/1.0\r\nHost: x\r\n\r\n");
	reply = heard(&s, old);
	assert_null(strstr(reply, "chunked"));
	assert_string_equal(reply + strlen(reply) - 11, "\r\n\r\nfirst\n\n");
	send_text(&s, "more\n\n", 6);
	assert_string_equal(heard(&s, old), "more\n\n");
	head = client(&s, "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
	reply = heard(&s, head);
	assert_string_equal(strstr(reply, "\r\n\r\n"), "\r\n\r\n(end)");
	expect_listeners(&s, 1);
	close(old);
	close(head);
	later(&s, NSEC_PER_SEC);
	expect_listeners(&s, 0);
	stop(&s);
}

/* It takes nothing: after eight messages that wait it goes, and nobody else is held up. */
static void test_slow_listener(void **state)
{
	struct server s;
	int slow, quick;

	(void)state;
	start(&s, 8);
	slow = client(&s, SLOWLY);
	turns(&s, 5);
	quick = client(&s, LISTEN);
	heard(&s, quick);
	expect_listeners(&s, 2);
	for (unsigned i = 0; i < 12; i++) {
		size_t got = 0;

		send_text(&s, s.big, BIG);
		while (got < BIG) {             /* the quick one takes all of each */
			const char *text = heard(&s, quick);

			for (const char *c = text; *c; c++)
				got += *c == 'b';
			assert_null(strstr(text, "(end)"));
		}
		assert_int_equal(got, BIG);
		assert_true(s.given - s.released <= 8 + 2);
		assert_int_equal(http_stream_count(s.h).dropped, i >= 9);
	}
	expect_listeners(&s, 1);
	assert_int_equal(s.given - s.released, 1);
	stop(&s);
	close(slow);
	close(quick);
}

/* Always one behind, but never more than that: it hears twice as many messages as may wait. */
static void test_one_behind(void **state)
{
	struct server s;
	size_t got = 0;
	int behind;

	(void)state;
	start(&s, 8);
	behind = client(&s, SLOWLY);
	heard(&s, behind);
	send_text(&s, s.big, BIG);
	for (unsigned i = 1; i <= 16; i++) {
		send_text(&s, s.big, BIG);      /* while the one before is being read */
		while (got < (size_t)i * BIG) {
			const char *text = heard(&s, behind);

			for (const char *c = text; *c; c++)
				got += *c == 'b';
			assert_null(strstr(text, "(end)"));
		}
		assert_int_equal(http_stream_count(s.h).dropped, 0);
	}
	expect_listeners(&s, 1);
	stop(&s);
	close(behind);
}

/* One message has the time of a request; who takes it may listen on, far beyond what others
 * have. */
static void test_time_for_one_message(void **state)
{
	struct server s;
	int slow, quick;

	(void)state;
	start(&s, 8);
	quick = client(&s, LISTEN);
	heard(&s, quick);
	slow = client(&s, SLOWLY);
	turns(&s, 5);
	send_text(&s, s.big, BIG);
	while (strlen(heard(&s, quick)) > 0)
		;
	later(&s, DEADLINE - NSEC_PER_SEC);
	expect_listeners(&s, 2);
	later(&s, NSEC_PER_SEC);
	expect_listeners(&s, 1);
	assert_int_equal(http_stream_count(s.h).dropped, 1);
	for (unsigned i = 0; i < 10; i++) {
		later(&s, DEADLINE);
		send_text(&s, "on\n\n", 4);
		assert_string_equal(heard(&s, quick), "4\r\non\n\n\r\n");
	}
	stop(&s);
	close(slow);
	close(quick);
}

/* A proper end; the connection has had its time too. */
static void test_end_of_time(void **state)
{
	struct server s;
	int fd;

	(void)state;
	start(&s, 8);
	fd = client(&s, LISTEN);
	heard(&s, fd);
	later(&s, 3599 * NSEC_PER_SEC);
	assert_string_equal(heard(&s, fd), "");
	later(&s, NSEC_PER_SEC);
	assert_memory_equal(heard(&s, fd), "0\r\n\r\n", 5);
	expect_listeners(&s, 0);
	later(&s, NSEC_PER_SEC);
	assert_int_equal(http_count(s.h).connections, 0);
	assert_int_equal(http_stream_count(s.h).dropped, 0);
	stop(&s);
	close(fd);
}

/* Stopped while some wait and one is in the middle of a message. */
static void test_stop_with_listeners(void **state)
{
	struct server s;
	int fds[3];

	(void)state;
	start(&s, 8);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = client(&s, LISTEN);
		heard(&s, fds[i]);
	}
	send_text(&s, s.big, BIG);
	turns(&s, 5);
	send_text(&s, "never\n", 6);
	stop(&s);
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
}

/* 127.0.0.2 follows the stream as often as may be: its newest ends for each of another address,
 * until that one would have as many; the others of 127.0.0.2 stay. */
static void test_one_address_takes_all(void **state)
{
	enum { MOST = 5 };
	struct server s;
	int flood[MOST], other[3];

	(void)state;
	start(&s, MOST);
	for (unsigned i = 0; i < MOST; i++) {
		flood[i] = client_from(&s, 2, LISTEN);
		assert_non_null(strstr(heard(&s, flood[i]), "first\n\n"));
	}
	other[0] = client_from(&s, 2, LISTEN);
	assert_non_null(strstr(heard(&s, other[0]), "HTTP/1.1 503 "));
	close(other[0]);
	for (unsigned i = 0; i < 2; i++) {
		other[i] = client_from(&s, 9, LISTEN);
		assert_non_null(strstr(heard(&s, other[i]), "first\n\n"));
		assert_string_equal(heard(&s, flood[MOST - 1 - i]), "0\r\n\r\n");
		assert_int_equal(http_stream_count(s.h).listeners, MOST);
	}
	other[2] = client_from(&s, 9, LISTEN);         /* 3 and 2: it would only turn round */
	assert_non_null(strstr(heard(&s, other[2]), "HTTP/1.1 503 "));
	send_text(&s, "more\n\n", 6);
	for (unsigned i = 0; i < MOST - 2; i++)
		assert_non_null(strstr(heard(&s, flood[i]), "more\n\n"));
	for (unsigned i = 0; i < 2; i++)
		assert_non_null(strstr(heard(&s, other[i]), "more\n\n"));
	for (unsigned i = 0; i < MOST; i++)
		close(flood[i]);
	for (unsigned i = 0; i < 3; i++)
		close(other[i]);
	turns(&s, 3);
	stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everybody_hears_the_same),
		cmocka_unit_test(test_quiet_is_quiet),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_one_address_takes_all),
		cmocka_unit_test(test_half_of_all_connections),
		cmocka_unit_test(test_other_requests),
		cmocka_unit_test(test_slow_listener),
		cmocka_unit_test(test_one_behind),
		cmocka_unit_test(test_time_for_one_message),
		cmocka_unit_test(test_end_of_time),
		cmocka_unit_test(test_stop_with_listeners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
