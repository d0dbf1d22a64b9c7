/* SPDX-License-Identifier: MIT
 * Whom a request is for: the forms of Host, and the names of this machine. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/host_names.h"
#include "http/host_field.h"
#include "http_server.h"
#include "temp_dir.h"

/* Forms from RFC 3986 3.2.2 and RFC 9110 7.2. */
static void test_forms(void **state)
{
	static const struct { int line; const char *host; bool welcome; } rows[] = {
		{ __LINE__, "localhost", true },
		{ __LINE__, "localhost:10062", true },
		{ __LINE__, "LocalHost", true },
		{ __LINE__, "localhost.", true },
		{ __LINE__, "localhost.:80", true },
		{ __LINE__, "localhost:", true },
		{ __LINE__, "localhost \t", true },
		{ __LINE__, "box", true },
		{ __LINE__, "box.example.org:1", true },
		{ __LINE__, "BOX.EXAMPLE.ORG.", true },
		{ __LINE__, "counters.lan", true },
		{ __LINE__, "127.0.0.1", true },
		{ __LINE__, "192.0.2.7:10062", true },
		{ __LINE__, "[::1]", true },
		{ __LINE__, "[::1]:10062", true },
		{ __LINE__, "[::ffff:255.255.255.255]:1", true },
		{ __LINE__, "", false },
		{ __LINE__, "attacker.example", false },
		{ __LINE__, "attacker.example:10062", false },
		{ __LINE__, "localhost.attacker.example", false },
		{ __LINE__, "attackerlocalhost", false },
		{ __LINE__, "localhos", false },
		{ __LINE__, "localhost..", false },
		{ __LINE__, "127.0.0.1.attacker.example", false },
		{ __LINE__, "127.0.0.1.", false },
		{ __LINE__, "127.1", false },
		{ __LINE__, "256.0.0.1", false },
		{ __LINE__, "[::1", false },
		{ __LINE__, "[]", false },
		{ __LINE__, "[127.0.0.1]", false },
		{ __LINE__, "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", false },
		{ __LINE__, "::1", false },
		{ __LINE__, "localhost:80@attacker.example", false },
		{ __LINE__, "box box.example.org", false },
		{ __LINE__, "localhost:80:80", false },
		{ __LINE__, ".", false },
		{ __LINE__, ":", false },
		{ __LINE__, ":80", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (host_allowed(rows[i].host, strlen(rows[i].host),
				 "localhost box\tbox.example.org",
				 " a  counters.lan ") != rows[i].welcome)
			fail_msg("row at line %d: \"%s\"", rows[i].line, rows[i].host);
	assert_false(host_allowed("box", 3, "", ""));
	assert_true(host_allowed("boxes", 3, "box", ""));       /* the length counts */
}

static void expect_names(int line, const char *node, const char *path, const char *given,
			 const char *own)
{
	size_t n;
	char *names = host_names_new(node, path, given, &n);

	assert_non_null(names);
	if (strcmp(names, own) != 0)
		fail_msg("line %d: \"%s\"", line, names);
	assert_string_equal(names + strlen(names) + 1, given ? given : "");
	assert_int_equal(n, strlen(names) + 1 + (given ? strlen(given) : 0) + 1);
	free(names);
}

/* A file as Debian's installer writes it, and lines that hosts(5) allows. */
static void test_names(void **state)
{
	static const char text[] =
		"127.0.0.1\tlocalhost\n127.0.1.1\tBox.example.org\tbox # ours, not theirs\n"
		"# 10.0.0.1 box commented.example\n#x\n\n::1     localhost "
		"ip6-localhost\n10.0.0.9 other boxes box2\n"
		"192.0.2.7 box counters.lan";
	const char *path;

	(void)state;
	assert_int_equal(temp_make("hosts"), 0);
	put("hosts", text);
	path = temp_path("hosts");
	expect_names(__LINE__, "box", path, NULL,
		     "localhost box box\tBox.example.org\tbox  box counters.lan");
	expect_names(__LINE__, "BOX.example.org", path, " a b",
		     "localhost BOX.example.org BOX\tBox.example.org\tbox ");
	expect_names(__LINE__, "alone", path, " a", "localhost alone alone");
	expect_names(__LINE__, "alone", "/nowhere/hosts", NULL, "localhost alone alone");
	assert_int_equal(drop(""), 0);
}

/* A request with these lines; the status in its reply. */
static void expect_status(int line, int port, const char *target, const char *lines, int status)
{
	char request[512];

	snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\n%s\r\n", target, lines);
	expect_in(line, ask(port, request), status == 200 ? " 200 OK\r\n" : " 403 Forbidden\r\n");
}

/* Both clients and server are on 127.0.0.1, a loopback address. */
static void test_server(void **state)
{
	static const char *const paths[] = { "/metrics", "/", "/page", "/nothing" };
	struct server s;

	(void)state;
	server_open(&s, 1, 8, 2 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	http_names(s.h, "localhost box", "");
	assert_int_equal(pthread_create(&s.thread, NULL, server_main, &s), 0);
	for (size_t i = 0; i < COUNT(paths); i++)
		expect_status(__LINE__, s.ports[0], paths[i], "Host: attacker.example\r\n", 403);
	assert_int_equal(s.handled, 0);
	expect_in(__LINE__, ask(s.ports[0], "GET /metrics HTTP/1.0\r\n"
					    "Host: attacker.example\r\n\r\n"),
					    "`hosts` in uncored.conf");
	expect_status(__LINE__, s.ports[0], "/metrics", "Host: box:1\r\n", 200);
	expect_status(__LINE__, s.ports[0], "/metrics", "", 200);
	expect_status(__LINE__, s.ports[0], "/metrics", "Host: \r\n", 403);
	expect_status(__LINE__, s.ports[0], "/metrics", "hOST:  localhost\r\n", 200);
	expect_status(__LINE__, s.ports[0], "/metrics",
		      "Accept: */*\r\nHost: attacker.example\r\n", 403);
	/* The target's authority counts as well. */
	expect_status(__LINE__, s.ports[0], "http://localhost:1/metrics",
		      "Host: localhost\r\n", 200);
	expect_status(__LINE__, s.ports[0], "http://attacker.example/metrics",
		      "Host: localhost\r\n", 403);
	expect_status(__LINE__, s.ports[0], "http://attacker.example", "Host: localhost\r\n", 403);
	server_stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_forms),
					    cmocka_unit_test(test_names),
					    cmocka_unit_test(test_server) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
