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
	struct conf c = { .socket = { .owner = (char *)"no such user",
				      .group = (char *)"no such group",
				      .owner_where = { "u.conf", 4 },
				      .group_where = { "u.conf", 5 } },
			  .pause = { .group = (char *)"nor this", .where = { "u.conf", 6 } } };
	struct diags d = { 0 };

	(void)state;
	assert_int_equal(listening_names(&c, &d), -EINVAL);
	assert_int_equal(d.n, 3);
	assert_string_equal(d.v[0],
			    "u.conf:4: listen_socket: \"no such user\" is not in /etc/passwd");
	assert_string_equal(d.v[1],
			    "u.conf:5: listen_socket: \"no such group\" is not in /etc/group");
	assert_string_equal(d.v[2], "u.conf:6: pause: \"nor this\" is not in /etc/group");
	diags_done(&d);
	c = (struct conf){ .socket = { .owner = (char *)"root", .group = (char *)"12345" },
			   .pause.group = (char *)"root" };
	assert_int_equal(listening_names(&c, &d), 0);
	assert_true(c.socket.permission.owner == 0 && c.socket.permission.group == 12345);
	assert_true(c.pause.group_number == 0 && d.n == 0);
	c = (struct conf){ 0 };
	assert_int_equal(listening_names(&c, &d), 0);
	assert_true(c.socket.permission.owner == (uid_t)-1);
	assert_true(c.socket.permission.group == (gid_t)-1 && c.pause.group_number == (gid_t)-1);
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
