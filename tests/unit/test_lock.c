/* SPDX-License-Identifier: MIT
 * One engine on the registers of a machine, and whose it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "access/counting.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int set_up(void **state)
{
	(void)state;
	return temp_make("lock");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

static void lock_names_the_holder(void **state)
{
	struct err err;
	char want[64];
	int fd, status;
	pid_t pid;

	(void)state;
	fd = lock_take(root, &err);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	snprintf(want, sizeof(want), "another uncored (process %ld) holds it", (long)getpid());
	pid = fork();
	if (pid == 0) {
		int r = lock_take(root, &err);

		_exit(r == -EWOULDBLOCK && strstr(err.text, want) &&
		      strstr(err.text, "uncored.lock") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* the first is undisturbed: its pid still stands there */
	uint8_t text[64] = { 0 };

	get_bytes("uncored.lock", text, sizeof(text));
	snprintf(want, sizeof(want), "%ld\n", (long)getpid());
	assert_string_equal((char *)text, want);
	close(fd);
	/* a file that was left is no lock; the longer pid in it goes */
	put_bytes("uncored.lock", "99999999999999\n", 15);
	fd = lock_take(root, &err);
	assert_true(fd >= 0);
	memset(text, 0, sizeof(text));
	get_bytes("uncored.lock", text, sizeof(text));
	assert_string_equal((char *)text, want);
	close(fd);
}

static void lock_makes_the_directory(void **state)
{
	const char *run = temp_path("run"), *path = temp_path("run/uncored.lock");
	struct err err;
	struct stat st;
	int fd;

	(void)state;
	mode_t old = umask(022);

	fd = lock_take(run, &err);
	umask(old);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(stat(run, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0711);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(lock_take(run, &err), -ELOOP);
	assert_int_equal(lock_take("/nonexistent/run", &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/run"));
}

/* Who can open the lock can hold it: nobody but its owner can, whatever the umask, and although an
 * earlier version let others read it. */
static void lock_is_private(void **state)
{
	static const mode_t umasks[] = { 0, 022, 077, 0777 };
	const char *path = temp_path("uncored.lock");
	mode_t old = umask(0);
	struct err err;
	struct stat st;
	int fd;

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(umasks) / sizeof(*umasks); i++) {
		if (i % 2 == 0)
			unlink(path);
		else
			assert_int_equal(chmod(path, 0644), 0);
		umask(umasks[i / 2]);
		fd = lock_take(root, &err);
		umask(0);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	umask(old);
}

/* No room for the pid: what a crash left must be put back even then. */
static void lock_needs_no_room(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		const struct rlimit none = { 0, 0 };
		struct err err;

		signal(SIGXFSZ, SIG_IGN);
		_exit(setrlimit(RLIMIT_FSIZE, &none) == 0 && lock_take(root, &err) >= 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(lock_names_the_holder), T(lock_makes_the_directory), T(lock_is_private),
		T(lock_needs_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
