/* SPDX-License-Identifier: MIT
 * Where uncored listens: what is refused and in which words, what a reload asks for.
 */
#include "listen_test.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

static bool has_ipv6(void)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	bool has = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0;

	if (fd >= 0)
		close(fd);
	return has;
}

static void test_configured(void **state)
{
	static const char *const list[] = { "127.0.0.1:0", "127.0.0.1:0" };
	struct listeners l;
	char url[80];

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.from, LISTEN_CONFIGURED);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(url, sizeof(url), "http://127.0.0.1:%u/", port_of(l.fds[i]));
		assert_string_equal(l.urls[i], url);
		listeners_urls(&l, true);
		assert_true(strncmp(l.urls[i], "https://127.0.0.1:", 18) == 0);
		listeners_urls(&l, false);
		assert_string_equal(l.urls[i], url);
		assert_true(fcntl(l.fds[i], F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(l.fds[i], F_GETFD) & FD_CLOEXEC);
	}
	assert_int_not_equal(port_of(l.fds[0]), port_of(l.fds[1]));
	assert_true(listeners_alive(&l));
	listeners_close(&l);
	assert_int_equal(l.n, 0);
}

/* --listen stands instead of the configuration's. */
static void test_option(void **state)
{
	static const char *const option[] = { "127.0.0.1:0" }, *const list[] = { "192.0.2.1:80" };
	struct listeners l;

	(void)state;
	asks(option, 1);
	wanted.option = true;
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.from, LISTEN_OPTION);
	asks(list, 1);
	assert_null(differing(&l));                     /* whatever a reload says */
	listeners_close(&l);
}

static void test_ipv6(void **state)
{
	static const char *const list[] = { "[::1]:0" };
	struct listeners l;

	(void)state;
	if (!has_ipv6())
		skip();
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_memory_equal(l.urls[0], "http://[::1]:", 13);
	listeners_close(&l);
}

/* In a network of its own, whose IPv6 sockets are of IPv6 alone unless they say otherwise: 0, every
 * address is served; 1, those of IPv4 are not; 77, there can be no such network here. */
static int serves_all_in_a_network_of_its_own(const char *const *list, unsigned n)
{
	int fd, only = 1;
	socklen_t len = sizeof(only);
	struct listeners l;

	if (unshare(CLONE_NEWNET) < 0)
		return 77;
	fd = open("/proc/sys/net/ipv6/bindv6only", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1\n", 2) != 2)
		return 77;
	close(fd);
	asks(list, n);
	if (listeners_open(&wanted, &l, &err) < 0)
		return 2;
	for (unsigned i = 0; i < n; i++)
		if (getsockopt(l.fds[i], IPPROTO_IPV6, IPV6_V6ONLY, &only, &len) < 0 || only)
			return 1;
	return 0;
}

/* ":PORT" and "*:PORT", whatever the machine's default is. */
static void test_every_address(void **state)
{
	static const char *const list[] = { ":10062", "*:10063" };
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(serves_all_in_a_network_of_its_own(list, 2));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* RFC 5737: 192.0.2.1 is nobody's. */
static void test_refused(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;
	unsigned port;
	char words[160];

	(void)state;
	refused(__LINE__, "192.0.2.1:0", NULL, -EADDRNOTAVAIL,
		"cannot listen on 192.0.2.1:0: this machine has no such address");

	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	port = port_of(l.fds[0]);
	snprintf(words, sizeof(words), "cannot listen on 127.0.0.1:%u: another program is using it",
		 port);
	refused(__LINE__, at("127.0.0.1", port), NULL, -EADDRINUSE, words);
	/* the first of two is closed again */
	refused(__LINE__, "127.0.0.1:0", at("127.0.0.1", port), -EADDRINUSE, words);
	listeners_close(&l);

	snprintf(words, sizeof(words), "cannot listen on 0.0.0.0:%u and on 127.0.0.1:%u: "
		 "one covers the other", port, port);
	refused(__LINE__, at("127.0.0.1", port), at("0.0.0.0", port), -EINVAL, words);
}

/* A reload that asks for the same, in the same words. */
static void test_match(void **state)
{
	static const char *const list[] = { "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0" };
	static const char *const other[] = { "127.0.0.1:0", "127.0.0.1:1" };
	struct listeners l;

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_null(differing(&l));
	asks(list, 1);
	assert_string_equal(differing(&l), "listen");
	asks(list, 3);
	assert_string_equal(differing(&l), "listen");
	asks(other, 2);
	assert_string_equal(differing(&l), "listen");
	listeners_close(&l);
}

/* Who has a listening socket can shut it down for everybody: a port that was asked for comes
 * back. */
static void test_revive(void **state)
{
	static const char *const any[] = { "127.0.0.1:0", "127.0.0.1:0" };
	const char *list[2];
	struct listeners l;
	unsigned ports[2];

	(void)state;
	asks(any, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	for (unsigned i = 0; i < 2; i++) {
		ports[i] = port_of(l.fds[i]);
		list[i] = at("127.0.0.1", ports[i]);
	}
	listeners_close(&l);
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(listeners_reopen(&l, &err), 0);
	assert_int_equal(shutdown(l.fds[1], SHUT_RDWR), 0);
	assert_false(listeners_alive(&l));
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_true(listeners_alive(&l));
	assert_int_equal(port_of(l.fds[1]), ports[1]);
	listeners_close(&l);
}

/* What one process sets on a listening socket holds for all that have it; accepted connections get
 * SO_LINGER and SO_SNDBUF from it. By number: IP_MINTTL, and of each level the highest ones of
 * Linux (uapi) that may be set without a privilege: SO_BUF_LOCK, SO_TXREHASH,
 * IP_BIND_ADDRESS_NO_PORT, IP_LOCAL_PORT_RANGE, IPV6_MINHOPCOUNT, TCP_INQ, TCP_TX_DELAY. */
static void test_options(void **state)
{
	const char *const list[] = { has_ipv6() ? "[::1]:0" : "127.0.0.1:0", "127.0.0.1:0" };
	static const struct linger linger = { 1, 0 };
	static const struct timeval late = { .tv_sec = 3 };
	static const int none = 0, one = 1, many = 255, big = 100000, range = (40001 << 16) + 40000;
	static const struct { int level, name; const void *value; socklen_t n; } rows[] = {
		{ SOL_SOCKET, SO_LINGER, &linger, sizeof(linger) },
		{ SOL_SOCKET, SO_SNDBUF, &big, sizeof(big) },
		{ SOL_SOCKET, SO_RCVTIMEO, &late, sizeof(late) },
		{ IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one) },
		{ IPPROTO_TCP, TCP_CORK, &one, sizeof(one) },
		{ IPPROTO_TCP, TCP_DEFER_ACCEPT, &many, sizeof(many) },
		{ IPPROTO_IP, 21, &many, sizeof(many) }, { IPPROTO_IP, IP_TTL, &one, sizeof(one) },
		{ SOL_SOCKET, 72, &one, sizeof(one) }, { SOL_SOCKET, 74, &none, sizeof(none) },
		{ IPPROTO_IP, 24, &one, sizeof(one) }, { IPPROTO_IP, 51, &range, sizeof(range) },
		{ IPPROTO_IPV6, 73, &many, sizeof(many) },
		{ IPPROTO_TCP, 36, &one, sizeof(one) }, { IPPROTO_TCP, 37, &one, sizeof(one) },
	};
	struct listeners l;
	unsigned port;

	(void)state;
	asks(list, 2);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	port = port_of(l.fds[1]);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int fd = l.fds[rows[i].level == IPPROTO_IPV6 ? 0 : 1];

		if (setsockopt(fd, rows[i].level, rows[i].name, rows[i].value, rows[i].n) < 0) {
			assert_int_equal(errno, ENOPROTOOPT);   /* of a younger kernel */
			continue;
		}
		assert_true(listeners_alive(&l));
		if (listeners_reopen(&l, &err) != 1)
			fail_msg("row %zu: nobody sees it", i);
		assert_int_equal(listeners_reopen(&l, &err), 0);
		assert_int_equal(port_of(l.fds[1]), port);
	}
	assert_int_equal(fcntl(l.fds[1], F_SETOWN, getpid()), 0);
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_int_equal(fcntl(l.fds[1], F_SETFL, O_NONBLOCK | O_ASYNC), 0);
	assert_int_equal(listeners_reopen(&l, &err), 1);
	assert_int_equal(fcntl(l.fds[1], F_GETFL) & O_ASYNC, 0);
	listeners_close(&l);
}

/* Connections that wait, and those that come and go, are no options. */
static void test_use(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;
	int fds[20];

	(void)state;
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(fds[i], (struct sockaddr *)&l.at[0], l.at_len[0]), 0);
		assert_int_equal(write(fds[i], "GET", 3), 3);
		if (i % 2) {
			int c = accept(l.fds[0], NULL, NULL);

			assert_true(c >= 0);
			close(c);
		}
		assert_int_equal(listeners_reopen(&l, &err), 0);
	}
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	assert_int_equal(listeners_reopen(&l, &err), 0);
	listeners_close(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configured),
		cmocka_unit_test(test_option),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_every_address),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_revive),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_use),
	};

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return cmocka_run_group_tests(tests, make_root, drop_root);
}
