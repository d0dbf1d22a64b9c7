/* SPDX-License-Identifier: MIT
 * Which file a name means, its process and its end: as sh does it, whose words they are. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/command.h"

#include "temp_dir.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

static void put_mode(const char *name, const char *text, mode_t mode)
{
	put(name, text);
	assert_int_equal(chmod(temp_path(name), mode), 0);
}

static int make_tree(void **state)
{
	(void)state;
	if (temp_make("command") < 0)
		return -1;
	put_mode("a/both", "#!/bin/sh\nexit 3\n", 0644);
	put_mode("a/passive", "#!/bin/sh\nexit 3\n", 0644);
	put_mode("a/folder/x", "", 0644);
	put_mode("b/both", "#!/bin/sh\nexit 7\n", 0755);
	put_mode("b/script", "exit $1\n", 0755);
	put_mode("b/nobody", "#!/no/such/interpreter\n", 0755);
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	return drop("");
}

static void search_in(const char *first, const char *second)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s:%s", temp_path(first), temp_path(second));
	setenv("PATH", path, 1);
}

/* ---- which file */

static void test_found(void **state)
{
	char path[PATH_MAX];

	(void)state;
	search_in("a", "b");
	/* the first may not be run, and a shell goes on */
	assert_int_equal(command_find("both", path), 0);
	assert_string_equal(path, temp_path("b/both"));
	assert_int_equal(command_find("nosuch", path), -ENOENT);
	assert_int_equal(command_find("passive", path), -EACCES);
	assert_int_equal(command_find("folder", path), -EACCES);
	/* with a slash it is that one file, whatever PATH has */
	assert_int_equal(command_find("./both", path), -ENOENT);
	assert_int_equal(command_find(temp_path("a/both"), path), -EACCES);
	assert_int_equal(command_find("/etc/passwd/x", path), -ENOTDIR);
	assert_int_equal(command_find(temp_path("b/both"), path), 0);
}

/* No PATH is that of the system; an empty one, or an empty place in it, is where we are. */
static void test_path(void **state)
{
	char path[PATH_MAX], was[PATH_MAX];

	(void)state;
	unsetenv("PATH");
	assert_int_equal(command_find("sh", path), 0);
	setenv("PATH", "", 1);
	assert_int_equal(command_find("sh", path), -ENOENT);
	assert_non_null(getcwd(was, sizeof(was)));
	assert_int_equal(chdir(temp_path("b")), 0);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const here[] = { "", ":/nowhere", "/nowhere:", "/x::/y" };

		setenv("PATH", here[i], 1);
		assert_int_equal(command_find("both", path), 0);
		assert_string_equal(path, "./both");
	}
	assert_int_equal(chdir(was), 0);
}

/* What does not fit is not looked for under a shorter name. */
static void test_too_long(void **state)
{
	static char name[2 * PATH_MAX], list[2 * PATH_MAX + 64];
	char path[PATH_MAX];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_int_equal(command_find(name, path), -ENAMETOOLONG);
	name[0] = '/';
	assert_int_equal(command_find(name, path), -ENAMETOOLONG);
	/* that directory is passed over */
	snprintf(list, sizeof(list), "%s:/bin", name);
	setenv("PATH", list, 1);
	assert_int_equal(command_find("sh", path), 0);
	assert_string_equal(path, "/bin/sh");
}

static void test_ours(void **state)
{
	char self[PATH_MAX], path[PATH_MAX], *name;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(n > 0);
	self[n] = '\0';
	name = strrchr(self, '/') + 1;
	command_find_ours(name, "/nowhere", path);
	assert_string_equal(path, self);
	command_find_ours("nosuch", "/nowhere", path);
	assert_string_equal(path, "/nowhere/nosuch");
}

/* ---- its process and its end */

/* The exit code, which a shell would have, of the command with these words. */
static int run(const char *const *argv)
{
	int code = -1, r;
	pid_t pid = -1;

	r = command_start(argv, NULL, 0, &pid);
	if (r < 0) {
		assert_int_equal(pid, -1);
		return command_code_of(r);
	}
	assert_true(command_ended(pid, true, &code));
	return code;
}
#define RUN(...) run((const char *const[]){ __VA_ARGS__, NULL })

/* Each of them as /bin/sh says when it is asked for the same. */
static void test_codes(void **state)
{
	(void)state;
	search_in("a", "b");
	assert_int_equal(RUN("both"), 7);
	assert_int_equal(RUN("nosuch"), 127);
	assert_int_equal(RUN(temp_path("nosuch")), 127);
	assert_int_equal(RUN("passive"), 126);
	assert_int_equal(RUN("folder"), 126);
	assert_int_equal(RUN("nobody"), 127);
	setenv("PATH", "/bin:/usr/bin", 1);
	assert_int_equal(RUN("true"), 0);
	assert_int_equal(RUN("sh", "-c", "exit 255"), 255);
	assert_int_equal(RUN("sh", "-c", "kill -KILL $$"), 128 + 9);
	assert_int_equal(RUN("sh", "-c", "kill -SEGV $$"), 128 + 11);
}

/* ENOEXEC: sh takes it as its own script, with its arguments. */
static void test_script(void **state)
{
	(void)state;
	search_in("a", "b");
	assert_int_equal(RUN("script", "0"), 0);
	assert_int_equal(RUN("script", "42"), 42);
}

static void test_files(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "echo said >&7; [ ! -e /dev/fd/8 ]", NULL };
	struct command_file files[] = { { -1, 7 }, { -1, 8 } };
	char said[16] = "";
	int ends[2], code;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	files[0].here = ends[1];
	assert_int_equal(command_start(argv, files, 2, &pid), 0);
	close(ends[1]);
	assert_true(command_ended(pid, true, &code));
	assert_int_equal(code, 0);
	assert_int_equal(read(ends[0], said, sizeof(said) - 1), 5);
	assert_string_equal(said, "said\n");
	close(ends[0]);
}

static void on_alarm(int number)
{
	(void)number;
}

/* Signals come while it is waited for. */
static void test_interrupted(void **state)
{
	const struct sigaction act = { .sa_handler = on_alarm };       /* no SA_RESTART */
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	struct sigaction was;
	int code;

	(void)state;
	assert_int_equal(sigaction(SIGALRM, &act, &was), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	code = RUN("/bin/sh", "-c", "/bin/sleep 0.1; exit 9");
	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &was, NULL), 0);
	assert_int_equal(code, 9);
}

/* One that has not ended is not waited for. */
static void test_not_yet(void **state)
{
	const char *const argv[] = { "/bin/sleep", "1000", NULL };
	int code = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(command_start(argv, NULL, 0, &pid), 0);
	assert_false(command_ended(pid, false, &code));
	assert_int_equal(code, -1);
	kill(pid, SIGTERM);
	assert_true(command_ended(pid, true, &code));
	assert_int_equal(code, 128 + SIGTERM);
	/* it is gone: an end, and no success */
	assert_true(command_ended(pid, true, &code));
	assert_int_not_equal(code, 0);
}

/* What we block or ignore is our own affair, but nohup is the user's; and an ignored SIGCHLD hides
 * no end from us. */
static void test_signals(void **state)
{
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(RUN("/bin/sh", "-c", "kill -TERM $$"), 128 + SIGTERM);
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(RUN("/bin/sh", "-c", "kill -USR1 $$"), 128 + SIGUSR1);
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(RUN("/bin/sh", "-c", "kill -HUP $$; exit 5"), 5);
	signal(SIGHUP, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_not_yet),
		cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
