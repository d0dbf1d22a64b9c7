/* SPDX-License-Identifier: MIT
 * What a process costs, read from /proc: also under a name that is made to
 * mislead, and of a process that is gone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "daemon/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child has what we have. */
static void test_descriptors(void **state)
{
	struct proc_cost cost = { .fds = 100 };
	uint64_t open_now = 0;
	pid_t pid;

	(void)state;
	for (int fd = 0; fd < 1024; fd++)
		open_now += fcntl(fd, F_GETFD) >= 0;
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	assert_int_equal(proc_add_cost(pid, &cost), 0);
	assert_int_equal(cost.fds, 100 + open_now);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* proc(5): the name stands in parentheses and may hold any of them, blanks and numbers. */
static void test_name(void **state)
{
	struct proc_cost cost = { 0 };
	struct rusage used;
	uint64_t began;

	(void)state;
	do {                                    /* a tick of CLK_TCK at the least */
		assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
	} while (used.ru_utime.tv_sec * 1000000 + used.ru_utime.tv_usec < 30000);
	assert_int_equal(prctl(PR_SET_NAME, ") R 1 2 3 4 5 6"), 0);
	assert_int_equal(proc_add_cost(getpid(), &cost), 0);
	began = proc_start_wall(0);
	assert_int_equal(prctl(PR_SET_NAME, "plain"), 0);
	assert_int_equal(proc_start_wall(0) / NSEC_PER_SEC, began / NSEC_PER_SEC);
	/* getrusage() looks once more: more CPU, and the most memory ever */
	assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
	assert_in_range(cost.cpu_nsec, 10000000,
			(uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) * NSEC_PER_SEC);
	assert_in_range(cost.rss_bytes, 4096, (uint64_t)used.ru_maxrss * 2048);
}

/* It began before now, and after the machine; other tests of its kind take minutes at most. */
static void test_start(void **state)
{
	struct timespec wall, boot;
	nsec now, up;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	now = wall.tv_sec * NSEC_PER_SEC + wall.tv_nsec;
	up = boot.tv_sec * NSEC_PER_SEC + boot.tv_nsec;
	assert_in_range(proc_start_wall(now), (uint64_t)(now - up), (uint64_t)now);
	/* the wall clock is the caller's: an hour later, an hour later */
	assert_in_range(proc_start_wall(now + 3600 * NSEC_PER_SEC),
			(uint64_t)(now - up) + 3600 * (uint64_t)NSEC_PER_SEC,
			(uint64_t)now + 3600 * (uint64_t)NSEC_PER_SEC);
}

/* Nothing is added for it. */
static void test_gone(void **state)
{
	struct proc_cost cost = { 1, 2, 3 };
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc_add_cost(pid, &cost), -ENOENT);
	assert_true(cost.cpu_nsec == 1 && cost.rss_bytes == 2 && cost.fds == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors), cmocka_unit_test(test_name),
		cmocka_unit_test(test_start), cmocka_unit_test(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
