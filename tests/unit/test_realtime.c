/* SPDX-License-Identifier: MIT
 * SCHED_FIFO where it is permitted, and the way back when a thread does not
 * sleep. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample/realtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static nsec cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

struct seen {
	struct realtime realtime;
	int result, inside, child, after, left;
	struct rlimit most;
	nsec spun;
};

static void *spin(void *p)
{
	struct seen *s = p;
	nsec begun;
	pid_t pid;
	int status;

	s->result = realtime_enter(&s->realtime);
	if (s->result < 0)
		return NULL;
	s->inside = sched_getscheduler(0);
	getrlimit(RLIMIT_RTTIME, &s->most);
	pid = fork();
	if (pid == 0)
		_exit(sched_getscheduler(0));
	waitpid(pid, &status, 0);
	s->child = WEXITSTATUS(status);
	begun = cpu_time();
	while (sched_getscheduler(0) != SCHED_OTHER && cpu_time() - begun < 2 * NSEC_PER_SEC)
		;
	s->spun = cpu_time() - begun;
	s->after = sched_getscheduler(0);
	realtime_leave(&s->realtime);
	return NULL;
}

static struct seen seen;

static int may(void)
{
	pthread_t thread;

	realtime_prepare();
	pthread_create(&thread, NULL, spin, &seen);
	pthread_join(thread, NULL);
	return seen.result;
}

/* Only the thread that asked; a process that it starts is an ordinary one. */
static void test_enter(void **state)
{
	(void)state;
	assert_int_equal(seen.inside, SCHED_FIFO | SCHED_RESET_ON_FORK);
	assert_int_equal(seen.child, SCHED_OTHER);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);
}

static void test_guard(void **state)
{
	(void)state;
	assert_int_equal(seen.most.rlim_cur, 100000);   /* microseconds */
	assert_int_equal(seen.after, SCHED_OTHER);
	assert_in_range(seen.spun, 50 * NSEC_PER_MSEC, NSEC_PER_SEC);
	assert_int_equal(seen.realtime.fallbacks, 1);
	assert_int_equal(seen.realtime.tid, 0);
}

/* Where the limit forbids it nothing changes; root is not bound by the limit, so this is asked in a
 * child without powers. */
static void test_forbidden(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct realtime r = { 0 };
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_RTPRIO, &none);
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		_exit(realtime_enter(&r) != -EPERM || r.tid ||
		      sched_getscheduler(0) != SCHED_OTHER);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_enter), cmocka_unit_test(test_guard),
		cmocka_unit_test(test_forbidden),
	};
	const struct CMUnitTest without[] = { cmocka_unit_test(test_forbidden) };
	int failed;

	if (may() >= 0)
		return cmocka_run_group_tests(all, NULL, NULL);
	failed = cmocka_run_group_tests(without, NULL, NULL);
	printf("skipped: SCHED_FIFO is not permitted here: %s\n", strerror(-seen.result));
	return failed ? failed : 77;
}
