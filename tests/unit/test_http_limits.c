/* SPDX-License-Identifier: MIT
 * Limits, exhaustion and confinement of the server. Real sockets, port 0. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "http_server.h"
#include "http/connection.h"
#include "process/confine.h"

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

/* Does the peer still hold it open, all it sent being read? */
static bool is_open(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static void says(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static void expect_hello(int line, int fd)
{
	char reply[4096] = "";

	if (recv(fd, reply, sizeof(reply) - 1, 0) <= 0 || !strstr(reply, "hello"))
		fail_msg("line %d: \"%s\"", line, reply);
}

/* Waits until all of them have a place. */
static void expect_places(struct server *s, unsigned n)
{
	for (nsec start = now(); s->peak < n && now() - start < SLACK;)
		usleep(1000);
	assert_int_equal(s->peak, n);
}

#define KEPT "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

/*
 * 127.0.0.2 has all places but one, which 127.0.0.9 keeps between two scrapes. What each of its
 * connections has said: nothing; a part of a request; a request whose answer it does not read. The
 * newest one gives way to 127.0.0.9, at once, and as many as it needs.
 */
static void test_one_address_takes_all(void **state)
{
	static const char *const saying[] = { "", "G", GET("/big") };
	enum { PLACES = 8, THEIRS = PLACES - 1 };

	(void)state;
	for (size_t k = 0; k < COUNT(saying); k++) {
		int fds[THEIRS], kept, more[3], small = 4096;
		struct server s;
		nsec start;

		server_start(&s, 1, PLACES, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
		kept = client_open_from(9, s.ports[0]);
		says(kept, KEPT);
		expect_hello(__LINE__, kept);
		for (size_t i = 0; i < THEIRS; i++) {
			fds[i] = client_open_from(2, s.ports[0]);
			setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
			if (*saying[k])
				says(fds[i], saying[k]);
			expect_places(&s, (unsigned)i + 2);
		}
		usleep(20000);                  /* what they said has been read */
		start = now();
		for (size_t i = 0; i < COUNT(more); i++) {
			more[i] = client_open_from(9, s.ports[0]);
			says(more[i], KEPT);
			expect_hello(__LINE__, more[i]);
		}
		if (now() - start > 200 * NSEC_PER_MSEC)
			fail_msg("\"%s\": %lld ms", saying[k],
				 (long long)((now() - start) / NSEC_PER_MSEC));
		if (k < 2)
			for (size_t i = 0; i < THEIRS; i++)
				if (is_open(fds[i]) != (i < THEIRS - COUNT(more)))
					fail_msg("\"%s\": their connection %zu", saying[k], i);
		/* both have half of the places now: what more of them come has to wait */
		says(kept, KEPT);
		expect_hello(__LINE__, kept);
		for (size_t i = 0; i < THEIRS; i++)
			close(fds[i]);
		for (size_t i = 0; i < COUNT(more); i++)
			close(more[i]);
		close(kept);
		server_stop(&s);
		assert_int_equal(s.counts.overdue, COUNT(more));
		assert_int_equal(s.peak, PLACES);
	}
}

static struct address address_in(const char *text)
{
	struct sockaddr_storage a = { .ss_family = AF_INET6 };

	if (!strchr(text, ':')) {
		a.ss_family = AF_INET;
		assert_int_equal(inet_pton(AF_INET, text,
					   &((struct sockaddr_in *)&a)->sin_addr), 1);
	} else {
		assert_int_equal(inet_pton(AF_INET6, text,
					   &((struct sockaddr_in6 *)&a)->sin6_addr), 1);
	}
	return address_of(&a);
}

/* A host has one IPv4 address, however its socket writes it, and all IPv6 addresses of a network of
 * 64 bits: whose places count together. */
static void test_whose_places(void **state)
{
	static const struct { int line; const char *a, *b; bool same; } rows[] = {
		{ __LINE__, "192.0.2.1", "192.0.2.2", false },
		{ __LINE__, "192.0.2.1", "::ffff:192.0.2.1", true },
		{ __LINE__, "::ffff:192.0.2.1", "::ffff:192.0.2.2", false },
		{ __LINE__, "2001:db8::1", "2001:db8::ffff:0:0:1", true },
		{ __LINE__, "2001:db8:0:1::1", "2001:db8:0:2::1", false },
		{ __LINE__, "2001:db8::1", "192.0.2.1", false },
	};
	const struct sockaddr_storage file = { .ss_family = AF_UNIX };
	const struct address zeros = { 0 }, of_files = address_of(&file);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct address a = address_in(rows[i].a), b = address_in(rows[i].b);

		if (address_equal(&a, &b) != rows[i].same)
			fail_msg("row at line %d", rows[i].line);
	}
	assert_true(address_equal(&of_files, &zeros));
}

/* 127.0.0.2 fills all places and goes on: what it has too many is turned away, and while its own
 * wait for its own, the connection that 127.0.0.9 keeps is left alone. */
static void test_one_address_goes_on(void **state)
{
	enum { PLACES = 4, FLOOD = 400 };
	struct server s;
	int fds[FLOOD], kept;
	unsigned gone = 0;

	(void)state;
	server_start(&s, 1, PLACES, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	kept = client_open_from(9, s.ports[0]);
	says(kept, KEPT);
	expect_hello(__LINE__, kept);
	for (size_t i = 0; i < FLOOD; i++)
		fds[i] = client_open_from(2, s.ports[0]);
	usleep(1200000);                        /* more than twice the deadline of crowded ones */
	assert_true(is_open(kept));
	says(kept, KEPT);
	expect_hello(__LINE__, kept);
	for (size_t i = 0; i < FLOOD; i++) {
		gone += !is_open(fds[i]);
		close(fds[i]);
	}
	close(kept);
	server_stop(&s);
	/* 3 have places, 128 wait, and twice 3 were overdue: all others were turned away */
	assert_true(s.counts.refused >= FLOOD - 3 - 128 - 12 && s.counts.refused < FLOOD);
	assert_true(gone >= s.counts.refused + 3);
}

/* More connections at once than places, of one address: each waits for its turn. */
static void test_more_than_places(void **state)
{
	enum { MANY = 60 };
	struct server s;
	int fds[MANY];

	(void)state;
	server_start(&s, 1, 8, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC);
	for (size_t i = 0; i < MANY; i++) {
		fds[i] = client_open(s.ports[0]);
		says(fds[i], GET("/metrics"));
	}
	for (size_t i = 0; i < MANY; i++) {
		expect_hello(__LINE__, fds[i]);
		close(fds[i]);
	}
	server_stop(&s);
	assert_int_equal(s.handled, MANY);
	assert_int_equal(s.counts.refused + s.counts.overdue, 0);
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
		struct sockaddr_in a = { .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
					 .sin_port = htons((uint16_t)s.ports[0]) };

		assert_int_equal(connect(fds[i], (struct sockaddr *)&a, sizeof(a)), 0);
		assert_true(send(fds[i], GET("/metrics"), strlen(GET("/metrics")),
				 MSG_NOSIGNAL) > 0);
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
	assert_true(s.counts.refused > 0);
	cpu = s.cpu;
	if (cpu > 100 * NSEC_PER_MSEC)
		fail_msg("%lld ms of CPU while nothing could be done",
			 (long long)(cpu / NSEC_PER_MSEC));
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

/* In the child: serves one request, then tries what it may not. Exit code 0, or the line that went
 * wrong. */
static int confined_main(struct server *s)
{
	char *more;
	struct err err;

	if (confine_http(STDERR_FILENO, &err) < 0)
		return 1;
	while (server_turn(s) && s->handled < 3)
		;
	while (http_count(s->h).connections)
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
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowded),
		cmocka_unit_test(test_crowded_idle),
		cmocka_unit_test(test_one_address_takes_all),
		cmocka_unit_test(test_one_address_goes_on),
		cmocka_unit_test(test_whose_places),
		cmocka_unit_test(test_more_than_places),
		cmocka_unit_test(test_many_clients),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_limit_by_descriptors),
		cmocka_unit_test(test_confined),
	};

	signal(SIGPIPE, SIG_DFL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
