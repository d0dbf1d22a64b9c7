/* SPDX-License-Identifier: MIT
 * One engine on the registers of a machine, and whose it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "access/counting.h"
#include "base/bits.h"
#include "base/user.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ROOT = 0, SERVICE = 65533, OTHER = 65532 };
static bool has_service = true;

/* Stands in for base/user.c: this machine may have no user uncored. */
bool user_find(uid_t *uid, gid_t *gid)
{
	*uid = *gid = SERVICE;
	return has_service;
}

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

/* errno of taking it as this user, 0: taken; in a process of its own. */
static int taken_by(uid_t user, const char *run)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct err err;
		int r = seteuid(user) < 0 ? -ENOSYS : lock_take(run, &err);

		_exit(r < 0 ? -r : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Everybody takes his own, and root the service's, to whom he leaves it; the service, who is no
 * root, takes no other's. */
static void lock_of_another_user(void **state)
{
	static const struct { int line; uid_t dir, user; bool has_service; int r; } rows[] = {
		{ __LINE__, ROOT, ROOT, true, 0 }, { __LINE__, SERVICE, ROOT, true, 0 },
		{ __LINE__, SERVICE, SERVICE, true, 0 }, { __LINE__, OTHER, OTHER, true, 0 },
		{ __LINE__, OTHER, ROOT, true, EBUSY }, { __LINE__, SERVICE, ROOT, false, EBUSY },
		{ __LINE__, SERVICE, OTHER, true, EBUSY }, { __LINE__, ROOT, SERVICE, true, EBUSY },
		{ __LINE__, OTHER, SERVICE, true, EBUSY },
	};
	char run[80], file[100];
	struct stat st;

	(void)state;
	snprintf(run, sizeof(run), "%s/run", root);
	snprintf(file, sizeof(file), "%s/uncored.lock", run);
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(root, 0711), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int r;

		assert_int_equal(mkdir(run, 0755), 0);
		assert_int_equal(chown(run, rows[i].dir, 0), 0);
		has_service = rows[i].has_service;
		r = taken_by(rows[i].user, run);
		if (r != rows[i].r)
			fail_msg("row at line %d: %s", rows[i].line, strerror(r));
		if (!r && (stat(file, &st) < 0 || st.st_uid != rows[i].dir))
			fail_msg("row at line %d: of user %u", rows[i].line, st.st_uid);
		drop("run");
	}
	has_service = true;
}

/* Nor a file of another one in his own directory. */
static void lock_file_of_another_user(void **state)
{
	static const struct { int line; uid_t file, user; int r; } rows[] = {
		{ __LINE__, SERVICE, ROOT, 0 }, { __LINE__, OTHER, ROOT, EBUSY },
		{ __LINE__, SERVICE, SERVICE, 0 },
	};
	char run[80], file[100];

	(void)state;
	snprintf(run, sizeof(run), "%s/run", root);
	snprintf(file, sizeof(file), "%s/uncored.lock", run);
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(root, 0711), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int r;

		assert_int_equal(mkdir(run, 0755), 0);
		put_bytes("run/uncored.lock", "", 0);
		assert_int_equal(chmod(file, 0600), 0);
		assert_int_equal(chown(file, rows[i].file, 0), 0);
		assert_int_equal(chown(run, rows[i].user, 0), 0);
		r = taken_by(rows[i].user, run);
		if (r != rows[i].r)
			fail_msg("row at line %d: %s", rows[i].line, strerror(r));
		drop("run");
	}
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
		T(lock_of_another_user), T(lock_file_of_another_user), T(lock_needs_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
