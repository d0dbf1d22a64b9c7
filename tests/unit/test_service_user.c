/* SPDX-License-Identifier: MIT
 * Root writes into the service's run directory, as `uncored --restore` by hand does: what it leaves
 * there belongs to the service, which else could not open it. Whoever runs this test is taken for
 * root; geteuid(), fchown() and user_find() are this file's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "access/counting.h"
#include "base/user.h"

#include <sys/syscall.h>

#define NOBODY 65534

static uid_t service;               /* whose the run directory is */
static unsigned given;              /* files that were given to somebody */
static ino_t file;                  /* the last of them ... */
static uid_t owner;                 /* ... and to whom */

uid_t geteuid(void)
{
	return 0;
}

bool user_find(uid_t *uid, gid_t *gid)
{
	*uid = *gid = service;
	return true;
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	struct stat st;

	assert_int_equal(gid, (gid_t)-1);
	assert_int_equal(fstat(fd, &st), 0);
	file = st.st_ino;
	owner = uid;
	given++;
	return syscall(SYS_geteuid) ? 0 : (int)syscall(SYS_fchown, fd, uid, gid);
}

static int set_up(void **state)
{
	(void)state;
	if (temp_make("service") < 0)
		return -1;
	service = syscall(SYS_geteuid) ? (uid_t)syscall(SYS_geteuid) : NOBODY;
	given = 0;
	return chown(root, service, (gid_t)-1);
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

static void is_given(const char *name)
{
	struct stat st;

	assert_int_equal(stat(temp_path(name), &st), 0);
	assert_true(given > 0);
	assert_int_equal(file, st.st_ino);
	assert_int_equal(owner, service);
	assert_int_equal(st.st_uid, service);
	given = 0;
}

static void test_the_lock(void **state)
{
	struct err err;
	int fd = lock_take(root, &err);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	is_given("uncored.lock");
}

/* It is a new file each time, and moves into the place of the old one. */
static void test_the_state_file(void **state)
{
	char device[] = "/dev";
	const struct state s = { .device = device };
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(state_write(root, &s, &err), 0);
		is_given("uncored.state");
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = { T(test_the_lock), T(test_the_state_file) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
