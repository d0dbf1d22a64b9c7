/* SPDX-License-Identifier: MIT
 * Files of the state directory: whole, ours, or refused with a sentence. geteuid() and user_find()
 * are this file's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/state_dir.h"
#include "base/user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define SOMEBODY 4242

static uid_t me, service;

uid_t geteuid(void)
{
	return me;
}

bool user_find(uid_t *uid, gid_t *gid)
{
	*uid = *gid = service;
	return true;
}

static int set_up(void **state)
{
	(void)state;
	me = (uid_t)syscall(SYS_geteuid);
	service = SOMEBODY + 1;
	return temp_make("state_dir");
}

static int tear_down(void **state)
{
	(void)state;
	return drop("");
}

static void assert_reads(const char *dir, const char *want)
{
	struct err err = { "" };
	char *text;
	size_t n;

	assert_int_equal(state_dir_read(dir, "a.json", &text, &n, &err), 0);
	if (want) {
		assert_string_equal(text, want);
		assert_int_equal(n, strlen(want));
	} else {
		assert_null(text);
		assert_int_equal(n, 0);
	}
	assert_string_equal(err.text, "");
	free(text);
}

/* The sentence names the file and says what to do. */
static void assert_refused(const char *dir, int r, const char *why)
{
	struct err err = { "" };
	char *text = NULL;
	size_t n = 0;

	assert_int_equal(state_dir_read(dir, "a.json", &text, &n, &err), r);
	assert_non_null(strstr(err.text, dir));
	assert_non_null(strstr(err.text, why));
	assert_null(text);
}

static void what_is_written_is_read(void **state)
{
	char *dir = temp_path("new");
	struct err err = { "" };
	struct stat st;
	mode_t before = umask(0077);

	(void)state;
	assert_reads(dir, NULL);                        /* no directory is no mistake */
	assert_int_equal(state_dir_write(dir, "a.json", "{}", 2, &err), 0);
	assert_reads(dir, "{}");
	assert_int_equal(state_dir_write(dir, "a.json", "[1]", 3, &err), 0);
	assert_reads(dir, "[1]");
	assert_int_equal(stat(temp_path("new/a.json"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);     /* whoever asks describe may be anybody */
	assert_int_equal(stat(temp_path("new/a.json.new"), &st), -1);
	umask(before);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
	struct err err = { "" };
	char *big = calloc(STATE_DIR_FILE_MAX + 1, 1);

	(void)state;
	assert_non_null(big);
	put("a.json", "old");
	put("a.json.new/in the way", "");
	assert_true(state_dir_write(root, "a.json", "new", 3, &err) < 0);
	assert_non_null(strstr(err.text, "a.json: cannot be written"));
	assert_reads(root, "old");
	assert_int_equal(drop("a.json.new"), 0);
	assert_int_equal(state_dir_write(root, "a.json", big, STATE_DIR_FILE_MAX + 1, &err),
			 -EFBIG);
	assert_reads(root, "old");
	free(big);
}

static void what_is_too_large_is_refused(void **state)
{
	char *big = calloc(STATE_DIR_FILE_MAX + 1, 1), *text;
	struct err err = { "" };
	size_t n;

	(void)state;
	assert_non_null(big);
	put_bytes("a.json", big, STATE_DIR_FILE_MAX);
	assert_int_equal(state_dir_read(root, "a.json", &text, &n, &err), 0);
	assert_int_equal(n, STATE_DIR_FILE_MAX);
	free(text);
	put_bytes("a.json", big, STATE_DIR_FILE_MAX + 1);
	assert_refused(root, -EFBIG, "a.json: it is larger than 262144 bytes");
	free(big);
}

static void links_are_refused(void **state)
{
	(void)state;
	put("elsewhere", "{}");
	assert_int_equal(symlink("elsewhere", temp_path("a.json")), 0);
	assert_refused(root, -ELOOP, "a.json: cannot be opened: it is a symbolic link, which is "
		       "not followed: remove it");
	assert_int_equal(drop("a.json"), 0);
	assert_int_equal(link(temp_path("elsewhere"), temp_path("a.json")), 0);
	assert_refused(root, -EBUSY, "must be a regular file without links");
	assert_int_equal(mkdir(temp_path("real"), 0755), 0);
	put("real/a.json", "{}");
	assert_int_equal(symlink("real", temp_path("link")), 0);
	assert_refused(temp_path("link"), -ENOTDIR, "symbolic links are not followed");
	assert_refused(temp_path("link/"), -ENOTDIR, "symbolic links are not followed");
}

static void what_others_may_write_is_refused(void **state)
{
	struct err err = { "" };

	(void)state;
	put("a.json", "{}");
	assert_int_equal(chmod(temp_path("a.json"), 0664), 0);
	assert_refused(root, -EBUSY, "(mode 664) and could make uncored say what nobody measured");
	assert_int_equal(chmod(temp_path("a.json"), 0644), 0);
	assert_int_equal(chmod(root, 0777), 0);
	assert_refused(root, -EBUSY, "choose another directory with --path-state");
	assert_int_equal(state_dir_write(root, "a.json", "x", 1, &err), -EBUSY);
	assert_int_equal(chmod(root, 0700), 0);
	assert_reads(root, "{}");
}

/* Whoever runs the test owns the files; who looks at them is somebody else. */
static void whose_it_may_be(void **state)
{
	uid_t owner = me;

	(void)state;
	put("a.json", "{}");
	me = SOMEBODY;
	service = owner;
	assert_reads(root, "{}");                       /* the service's, for anybody */
	service = SOMEBODY + 1;
	if (owner)
		assert_refused(root, -EBUSY, "uncored runs as user 4242");
	else
		assert_reads(root, "{}");               /* root's, for anybody */
	me = 0;
	service = owner;
	assert_reads(root, "{}");
	if (syscall(SYS_geteuid) != 0)
		return;
	assert_int_equal(chown(root, SOMEBODY, (gid_t)-1), 0);
	service = SOMEBODY + 1;
	assert_refused(root, -EBUSY, "belongs to user 4242");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failed_write_leaves_the_old_file, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_too_large_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_others_may_write_is_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(whose_it_may_be, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
