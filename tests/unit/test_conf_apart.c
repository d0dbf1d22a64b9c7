/* SPDX-License-Identifier: MIT
 * The configuration file is read in a process of its own: what it leaves, and what is said where
 * none can be made. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "conf_test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child leaves what it read, and what is wrong with it. */
static void test_apart(void **state)
{
	static const char good[] = "interval = \"3s\"; groups = ( { name = \"a\"; "
		"events = [ \"a/B\" ]; } );", bad[] = "bogus = 1;\nrotation = \"3s\";\nx = 1;";
	struct diags d = { 0 };
	struct conf *c = NULL;

	(void)state;
	assert_int_equal(conf_parse_apart(FILE_NAME, good, strlen(good), &c, &d), 0);
	assert_int_equal(d.n, 0);
	assert_int_equal(c->interval, 3000000000);
	assert_string_equal(c->file, FILE_NAME);
	assert_string_equal(c->groups[0].specs[0].event, "B");
	conf_free(c);

	diags_add(&d, (struct where){ NULL, 0 }, "an earlier one");
	assert_int_equal(conf_parse_apart(FILE_NAME, bad, strlen(bad), &c, &d), -EINVAL);
	assert_int_equal(d.n, 3);
	assert_string_equal(d.v[0], "an earlier one");
	assert_ptr_equal(strstr(d.v[1], FILE_NAME ":1: "), d.v[1]);
	assert_ptr_equal(strstr(d.v[2], FILE_NAME ":3: "), d.v[2]);
	assert_true(c->faulty);
	assert_int_equal(c->rotation, 3000000000);
	conf_free(c);
	diags_done(&d);

	assert_int_equal(conf_parse_apart(FILE_NAME, "groups = (", 10, &c, &d), -EINVAL);
	assert_null(c);
	assert_int_equal(d.n, 1);
	diags_done(&d);
}

#ifdef SYS_vfork
/* What conf_parse_apart() says where no process can be made: 0 if that is right. */
static int without_process(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT(f), f };
	struct diags d = { 0 };
	struct conf *c = NULL;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return 77;
	return conf_parse_apart(FILE_NAME, "#", 1, &c, &d) != -EAGAIN || c || d.n != 1 ||
	       strcmp(d.v[0], FILE_NAME ": cannot start the process that reads it: Resource "
		      "temporarily unavailable (is TasksMax too small?)") != 0;
}

static void test_no_process(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(without_process());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status == 77 << 8)
		skip();
	assert_int_equal(status, 0);
}
#endif

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
#ifdef SYS_vfork
		cmocka_unit_test(test_no_process),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
