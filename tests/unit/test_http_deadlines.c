/* SPDX-License-Identifier: MIT
 * Deadlines of the server: who is slow, silent or half gone. Real sockets, port 0. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "http_server.h"
#include "http/connection.h"

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
	expect_between(__LINE__, drip(fd, "GET /metrics HTTP/1.1\r\n"
					  "X: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
				      50 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC), 250 * NSEC_PER_MSEC,
				      SLACK);
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

/* A second request on a kept connection is measured from its own first byte; between requests one
 * may rest. */
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
		assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
				 (ssize_t)strlen(request));
		assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
		usleep(300000);                 /* longer than the request's deadline */
	}
	expect_between(__LINE__, drip(fd, request, 40 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC),
		       150 * NSEC_PER_MSEC, SLACK);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 2);
}

/* Scrapers keep their connection between scrapes: until the next one nothing is done for it. */
static void test_idle_costs_nothing(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	struct server s;
	char reply[4096];
	unsigned turns;
	int fd;

	(void)state;
	server_start(&s, 1, 8, 40 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC); /* looked after each 10 ms */
	fd = client_open(s.ports[0]);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 (ssize_t)strlen(request));
	assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
	usleep(50000);
	turns = s.turns;
	usleep(150000);
	assert_in_range(s.turns - turns, 0, 1);
	assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
			 (ssize_t)strlen(request));
	assert_true(recv(fd, reply, sizeof(reply), 0) > 0);
	/* One that was idle is looked after again from its next byte on. */
	expect_between(__LINE__, drip(fd, request, 10 * NSEC_PER_MSEC, 5 * NSEC_PER_SEC),
		       30 * NSEC_PER_MSEC, SLACK);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 2);
}

/* Who asks and closes his side at once, as `nc -N` does, is answered, and then it is over. */
static void test_half_closed(void **state)
{
	const char *request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
	const struct timeval patience = { .tv_sec = 5 };
	struct server s;
	char reply[4096];
	ssize_t n, all = 0;
	int fd;

	(void)state;
	server_start(&s, 1, 8, 200 * NSEC_PER_MSEC, 60 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL),
				 (ssize_t)strlen(request));
	shutdown(fd, SHUT_WR);
	while ((n = recv(fd, reply, sizeof(reply), 0)) > 0)
		all += n;
	assert_int_equal(n, 0);
	assert_true(all > 0);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 3);
}

/* The number that the next descriptor gets: it is above each that has leaked. */
static int lowest_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Who goes in the middle of a body, with a reset: nothing is left of him, and others are served. */
static void test_reset_in_a_body(void **state)
{
	const struct linger reset = { .l_onoff = 1 };
	enum { TIMES = 50 };
	struct server s;
	int fd, free_fd;
	char buf[4096];
	nsec start;

	(void)state;
	server_start(&s, 1, 8, 10 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	free_fd = lowest_fd();
	for (unsigned i = 1; i <= TIMES; i++) {
		start = now();
		fd = client_open(s.ports[0]);
		assert_true(send(fd, GET("/big"), strlen(GET("/big")), MSG_NOSIGNAL) > 0);
		assert_true(recv(fd, buf, sizeof(buf), 0) > 0);
		assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
		close(fd);
		while (s.released < i && now() - start < SLACK)
			usleep(1000);
		assert_int_equal(s.released, i);
	}
	start = now();                          /* what is released is closed a moment later */
	while (lowest_fd() != free_fd && now() - start < SLACK)
		usleep(1000);
	assert_int_equal(s.handled, TIMES);
	assert_int_equal(lowest_fd(), free_fd);
	fd = client_open(s.ports[0]);
	assert_true(send(fd, GET("/metrics"), strlen(GET("/metrics")), MSG_NOSIGNAL) > 0);
	assert_true(recv(fd, buf, sizeof(buf), 0) > 0);
	close(fd);
	server_stop(&s);
}

/* A reader that takes a little now and then: the rest of the body is thrown away with it. */
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

/* The same with a request that came right behind the one before: it has a deadline of its own. */
static void test_slow_reader_of_the_second(void **state)
{
	const char *both = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" GET("/big");
	struct server s;
	char buf[1024];
	int fd, small = 4096;
	nsec start;

	(void)state;
	server_start(&s, 1, 8, 300 * NSEC_PER_MSEC, 10 * NSEC_PER_SEC);
	fd = client_open(s.ports[0]);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	start = now();
	assert_true(send(fd, both, strlen(both), MSG_NOSIGNAL) > 0);
	while (recv(fd, buf, sizeof(buf), 0) > 0 && now() - start < 5 * NSEC_PER_SEC)
		usleep(20000);
	expect_between(__LINE__, now() - start, 250 * NSEC_PER_MSEC, SLACK);
	close(fd);
	server_stop(&s);
	assert_int_equal(s.handled, 2);
	assert_int_equal(s.counts.overdue, 1);
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
		if (send(fd, request, strlen(request), MSG_NOSIGNAL) <= 0 ||
		    recv(fd, reply, sizeof(reply), 0) <= 0)
			break;
		usleep(10000);
	}
	expect_between(__LINE__, now() - start, 380 * NSEC_PER_MSEC, SLACK);
	assert_true(s.handled > 5);
	close(fd);
	server_stop(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_request),
		cmocka_unit_test(test_slow_second_request),
		cmocka_unit_test(test_idle_costs_nothing),
		cmocka_unit_test(test_half_closed),
		cmocka_unit_test(test_reset_in_a_body),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_slow_reader_of_the_second),
		cmocka_unit_test(test_connection_deadline),
	};

	signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
