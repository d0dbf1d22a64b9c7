/* SPDX-License-Identifier: MIT
 * A slow reader of the log is waited for, up to a limit; one that was in time is waited for again.
 * poll() is this file's: nothing waits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "process/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 200, WAIT_COSTS = 1 };     /* a wait is at least a millisecond */

static int reader;
static bool reads;                  /* when it is waited for, the reader makes room */
static unsigned waits;              /* how often it was waited for */
static int longest;                 /* for how long at the most, milliseconds */

static size_t read_all(void)
{
	char text[65536];
	size_t got = 0;
	ssize_t n;

	while ((n = read(reader, text, sizeof(text))) > 0)
		got += (size_t)n;
	return got;
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	assert_int_equal(n, 1);
	assert_true(fds->events == POLLOUT && ms > 0);
	waits++;
	longest = ms > longest ? ms : longest;
	return reads && read_all() > 0;
}

static void fill(int writer)
{
	static const char dots[4096];

	while (write(writer, dots, sizeof(dots)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
}

static int begin(void **state)
{
	static int pipes[2];
	int old = dup(STDERR_FILENO);

	if (old < 0 || pipe2(pipes, O_NONBLOCK) < 0 || dup2(pipes[1], STDERR_FILENO) < 0)
		return -1;
	log_init();                     /* which opens it again */
	reader = pipes[0];
	*state = &pipes[1];
	return dup2(old, STDERR_FILENO) < 0 || close(old) < 0 ? -1 : 0;
}

static void test_patience(void **state)
{
	int writer = *(int *)*state;
	uint64_t lost;

	for (unsigned round = 0; round < 3; round++) {
		/* nobody reads: lines are lost, and after a while none of them waits any more */
		fill(writer);
		reads = false;
		longest = 0;
		lost = log_lost();
		for (unsigned i = 0; i < PATIENCE_MS / WAIT_COSTS; i++)
			log_msg(LOG_INFO, "lost");
		waits = 0;
		log_msg(LOG_INFO, "lost at once");
		assert_int_equal(waits, 0);
		assert_true(longest <= PATIENCE_MS);
		assert_int_equal(log_lost() - lost, PATIENCE_MS / WAIT_COSTS + 1);
		/* somebody has read: a line needs no wait */
		assert_true(read_all() > 0);
		lost = log_lost();
		log_msg(LOG_INFO, "written");
		assert_int_equal(log_lost(), lost);
		/* a slow reader is waited for as patiently as the first time */
		fill(writer);
		reads = true;
		longest = 0;
		log_msg(LOG_INFO, "written later");
		assert_int_equal(log_lost(), lost);
		assert_int_equal(waits, 1);
		assert_int_equal(longest, PATIENCE_MS);
		log_msg(LOG_INFO, "and this at once");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patience),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
