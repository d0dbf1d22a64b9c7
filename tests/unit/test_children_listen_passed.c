/* SPDX-License-Identifier: MIT
 * Sockets that systemd passes: sd_listen_fds(3).
 */
#include "listen_test.h"

#include <fcntl.h>
#include <sys/un.h>
#include <sys/wait.h>

enum passed { STREAM, SILENT, DGRAM, PIPE };

/* In a process of its own, whose descriptors from 3 on these are. list: the configuration's, "" the
 * address of the first; where the words are about --listen, the option's. */
static void passed(int line, const enum passed *what, unsigned n, const char *const *list,
		   unsigned n_list, const char *words)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct listeners l = { 0 };
	const char *first;
	char text[16];
	int status, r;
	pid_t pid = fork();

	if (pid) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("line %d: status 0x%x", line, (unsigned)status);
		return;
	}
	for (int fd = 3; fd < 3 + (int)n; fd++) {
		int s = what[fd - 3] == PIPE ? open("/dev/null", O_RDONLY) :
			socket(AF_INET, what[fd - 3] == DGRAM ? SOCK_DGRAM : SOCK_STREAM, 0);

		if (what[fd - 3] != PIPE && bind(s, (struct sockaddr *)&a, sizeof(a)) < 0)
			_exit(2);
		if (what[fd - 3] == STREAM && listen(s, 1) < 0)
			_exit(3);
		if (s != fd && dup2(s, fd) != fd)
			_exit(4);
	}
	snprintf(text, sizeof(text), "%d", (int)getpid());
	setenv("LISTEN_PID", text, 1);
	snprintf(text, sizeof(text), "%u", n);
	setenv("LISTEN_FDS", text, 1);
	first = at("127.0.0.1", n_list && !*list[0] ? port_of(3) : 0);
	asks(n_list && !*list[0] ? &first : list, n_list);
	if (words && strncmp(words, "--listen", 8) == 0) {
		wanted.given = wanted.option = true;
		wanted.where = (struct where){ 0 };
	}
	err.text[0] = '\0';
	r = listeners_open(&wanted, &l, &err);
	if (!words)
		_exit(r == 0 && l.n == n && l.from == LISTEN_PASSED && l.fds[0] == 3 &&
		      !differing(&l) && !getenv("LISTEN_FDS") ? 0 : 5);
	fprintf(stderr, "%s\n", err.text);
	first = strstr(err.text, words);
	_exit(r == -EINVAL && first && (!wanted.option || first == err.text) ? 0 : 6);
}

static void test_passed(void **state)
{
	static const enum passed good[] = { STREAM, STREAM, STREAM };
	static const char *const list[] = { "127.0.0.1:10062" }, *const same[] = { "" };

	(void)state;
	passed(__LINE__, good, 1, NULL, 0, NULL);
	passed(__LINE__, good, 1, same, 1, NULL);
	passed(__LINE__, good, 2, same, 1, "differs from the sockets that systemd passes");
	passed(__LINE__, good, 3, NULL, 0, NULL);
	passed(__LINE__, (enum passed[]){ STREAM, SILENT }, 2, NULL, 0,
	       "descriptor 4 from systemd does not listen");
	passed(__LINE__, (enum passed[]){ DGRAM }, 1, NULL, 0,
	       "descriptor 3 from systemd is not a stream socket");
	passed(__LINE__, (enum passed[]){ PIPE }, 1, NULL, 0, "descriptor 3 from systemd "
	       "is not a socket");
	passed(__LINE__, good, 1, list, 1, "t.conf:3: listen = 127.0.0.1:10062 differs from the "
	       "sockets that systemd passes");
	passed(__LINE__, good, 1, list, 1, "--listen 127.0.0.1:10062 differs from the sockets");
}

/* A socket file that systemd passes is systemd's: whoever connects later needs it. */
static void test_passed_file(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct listeners l;
	char pid[16];
	int status;
	pid_t child;

	(void)state;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/passed", root);
	child = fork();
	if (!child) {
		int s = socket(AF_UNIX, SOCK_STREAM, 0);

		if (bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(s, 1) < 0 ||
		    (s != 3 && dup2(s, 3) != 3))
			_exit(2);
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		asks(NULL, 0);
		if (listeners_open(&wanted, &l, &err) < 0 || l.from != LISTEN_PASSED)
			_exit(3);
		listeners_close(&l);
		_exit(access(a.sun_path, F_OK) == 0 ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(unlink(a.sun_path), 0);
}

/* They are another process's: sd_listen_fds(3). */
static void test_passed_to_another(void **state)
{
	static const char *const list[] = { "127.0.0.1:0" };
	struct listeners l;

	(void)state;
	setenv("LISTEN_PID", "1", 1);
	setenv("LISTEN_FDS", "2", 1);
	asks(list, 1);
	assert_int_equal(listeners_open(&wanted, &l, &err), 0);
	assert_int_equal(l.from, LISTEN_CONFIGURED);
	assert_int_equal(l.n, 1);
	listeners_close(&l);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_passed_file),
		cmocka_unit_test(test_passed_to_another),
	};

	return cmocka_run_group_tests(tests, make_root, drop_root);
}
