/* SPDX-License-Identifier: MIT
 * What the service manager hears: sd_notify(3)'s socket, path or
 * abstract. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/notify.h"
#include "temp_dir.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The manager's end; name: as NOTIFY_SOCKET has it. */
static int manager(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));

	memcpy(a.sun_path, name, strlen(name));
	if (name[0] == '@')
		a.sun_path[0] = '\0';
	assert_int_equal(bind(fd, (struct sockaddr *)&a, len), 0);
	assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
	return fd;
}

static void assert_heard(int fd, const char *want)
{
	char text[1024];
	ssize_t n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);

	assert_true(n >= 0);
	text[n] = '\0';
	assert_string_equal(text, want);
}

static void test_path(void **state)
{
	int fd = manager(temp_path("notify"));

	(void)state;
	assert_true(notify_send("READY=1"));
	assert_heard(fd, "READY=1");
	assert_true(notify_send("STATUS=%u events\nMAINPID=%d", 7, 12));
	assert_heard(fd, "STATUS=7 events\nMAINPID=12");
	close(fd);
}

/* systemd gives containers an abstract one; it has no byte 0 at its end. */
static void test_abstract(void **state)
{
	char name[64];
	int fd;

	(void)state;
	snprintf(name, sizeof(name), "@uncored-notify-%d", (int)getpid());
	fd = manager(name);
	assert_true(notify_send("WATCHDOG=1"));
	assert_heard(fd, "WATCHDOG=1");
	close(fd);
}

/* Nobody listens, or the variable is none of the two kinds: that is no failure, and nothing
 * waits. */
static void test_nobody(void **state)
{
	static const char *const names[] = { "", "/", "@", "relative", "vsock:2:1" };

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_true(notify_send("READY=1"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(setenv("NOTIFY_SOCKET", names[i], 1), 0);
		assert_true(notify_send("READY=1"));
	}
	assert_int_equal(setenv("NOTIFY_SOCKET", temp_path("gone"), 1), 0);
	assert_true(notify_send("READY=1"));
}

/* 512 bytes with the end of the string: 511 of them go out. */
static void test_cut(void **state)
{
	char text[601], want[512];
	int fd = manager(temp_path("cut"));

	(void)state;
	memset(text, 'x', 600);
	text[600] = '\0';
	memset(want, 'x', 511);
	want[511] = '\0';
	assert_true(notify_send("%s", text));
	assert_heard(fd, want);
	close(fd);
}

/* A manager that hears nothing for a while: the queue fills, what does not fit is told to be lost,
 * and once it listens again, the next one comes. */
static void test_full(void **state)
{
	int fd = manager(temp_path("full"));
	unsigned sent = 0;
	char text[16];

	(void)state;
	while (notify_send("WATCHDOG=1") && sent < 100000)
		sent++;
	assert_in_range(sent, 1, 99999);
	while (recv(fd, text, sizeof(text), MSG_DONTWAIT) > 0)
		sent--;
	assert_int_equal(sent, 0);
	assert_true(notify_send("STOPPING=1"));
	assert_heard(fd, "STOPPING=1");
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	return temp_make("notify");
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("NOTIFY_SOCKET");
	return drop("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path), cmocka_unit_test(test_abstract),
		cmocka_unit_test(test_nobody), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
