/* SPDX-License-Identifier: MIT
 * Which of the configuration and the command line says where to listen, and the numbers of owners.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/listening.h"

#include <errno.h>

/* Both at once, each in its line. */
static void test_names(void **state)
{
	struct conf_socket s = { .owner = (char *)"no such user", .group = (char *)"no such group",
				 .owner_where = { "u.conf", 4 }, .group_where = { "u.conf", 5 } };
	struct diags d = { 0 };

	(void)state;
	assert_int_equal(listening_names(&s, &d), -EINVAL);
	assert_int_equal(d.n, 2);
	assert_string_equal(d.v[0],
			    "u.conf:4: listen_socket: \"no such user\" is not in /etc/passwd");
	assert_string_equal(d.v[1],
			    "u.conf:5: listen_socket: \"no such group\" is not in /etc/group");
	diags_done(&d);
	s = (struct conf_socket){ .owner = (char *)"root", .group = (char *)"12345" };
	assert_int_equal(listening_names(&s, &d), 0);
	assert_true(s.permission.owner == 0 && s.permission.group == 12345 && d.n == 0);
	s = (struct conf_socket){ 0 };
	assert_int_equal(listening_names(&s, &d), 0);
	assert_true(s.permission.owner == (uid_t)-1 && s.permission.group == (gid_t)-1);
}

/* --listen stands instead of the configuration's; nothing of it has a line. */
static void test_option(void **state)
{
	static char *list[] = { (char *)"192.0.2.1:80", (char *)"unix:/x" };
	const struct conf conf = { .listen = list, .n_listen = 2, .listen_where = { "t.conf", 3 },
				   .socket.permission = { 0640, 5, 6 },
				   .socket_where = { "t.conf", 9 } };
	struct options o = { 0 };
	struct listen_wanted w = listening_wanted(&o, &conf);

	(void)state;
	assert_true(w.n == 2 && !w.given && !w.option && !w.tls && w.where.line == 3);
	assert_string_equal(w.addresses[1], "unix:/x");
	assert_true(w.permission.mode == 0640 && w.permission.owner == 5 &&
		    w.permission.group == 6 && w.permission_where.line == 9);
	o.listen[o.n_listen++] = "127.0.0.1:0";
	w = listening_wanted(&o, &conf);
	assert_true(w.n == 1 && w.given && w.option && !w.where.file);
	assert_string_equal(w.addresses[0], "127.0.0.1:0");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
