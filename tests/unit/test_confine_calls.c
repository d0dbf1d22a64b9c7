/* SPDX-License-Identifier: MIT
 * The tables of calls, whole: what each wall refuses, and that nothing is left but what a row
 * allows, with just the arguments that it says.
 */
#include "confine_test.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static long make(const struct call *c, const uint64_t *a)
{
	return syscall(c->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Which nobody could mean: without a wall nothing comes of the call but another error. */
static long make_nonsense(const struct call *c)
{
	static const uint64_t none[CALL_ARGUMENTS] = { -1ULL, -1ULL, -1ULL, -1ULL, -1ULL, -1ULL };

	return make(c, none);
}

/* In a process of its own: errno, 0 if it was done; -1: a signal ended it. */
static int error_of(const struct call *c, const uint64_t *arguments, int (*confine)(struct err *))
{
	struct err err;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		if (confine && confine(&err) < 0)
			_exit(255);
		_exit((arguments ? make(c, arguments) : make_nonsense(c)) >= 0 ? 0 : errno);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Each of these fails with EPERM behind the wall. Returns how many would fail otherwise without. */
static unsigned refused_whole(const struct calls *calls, int (*confine)(struct err *))
{
	unsigned shown = 0;

	for (size_t i = 0; i < calls->n; i++) {
		int before = error_of(&calls->rows[i], NULL, NULL),
		    behind = error_of(&calls->rows[i], NULL, confine);

		if (behind != EPERM)
			fail_msg("%s: %s", calls->rows[i].name, strerror(behind));
		shown += before != EPERM;
	}
	return shown;
}

/* What the rows do not say is refused: each with what breaks one condition, by the test's own
 * reading of the manuals. */
static const struct broken {
	int number;
	uint64_t arguments[CALL_ARGUMENTS];
} broken_limits[] = {
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 0 } }, { SYS_socket, { AF_PACKET, SOCK_RAW, 0 } },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, 0 } }, { SYS_socket, { AF_INET6, SOCK_DGRAM, 0 } },
	{ SYS_socket, { AF_INET, SOCK_RAW, 1 } },
	{ SYS_socket, { AF_INET, SOCK_SEQPACKET, 132 } },               /* SCTP */
	{ SYS_socket, { AF_INET, SOCK_STREAM, 132 } },
	{ SYS_socketpair, { 30, SOCK_SEQPACKET, 0 } },                  /* TIPC */
	{ SYS_sendto, { -1ULL, 0, 0, MSG_FASTOPEN } },
	{ SYS_sendmsg, { -1ULL, 0, MSG_FASTOPEN } },
	{ SYS_sendmmsg, { -1ULL, 0, 0, MSG_FASTOPEN } },
	/* each kind of namespace (clone(2)) */
	{ SYS_clone, { CLONE_NEWCGROUP | SIGCHLD } }, { SYS_clone, { CLONE_NEWIPC | SIGCHLD } },
	{ SYS_clone, { CLONE_NEWNET | SIGCHLD } }, { SYS_clone, { CLONE_NEWNS | SIGCHLD } },
	{ SYS_clone, { CLONE_NEWPID | SIGCHLD } }, { SYS_clone, { CLONE_NEWUSER | SIGCHLD } },
	{ SYS_clone, { CLONE_NEWUTS | SIGCHLD } },
	{ SYS_prlimit64, { 1, RLIMIT_NOFILE, 0, 0 } },
}, kept_limits[] = {
	{ SYS_socket, { AF_UNIX, SOCK_DGRAM, 0 } },
	{ SYS_socket, { AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0 } },
	{ SYS_socketpair, { AF_UNIX, SOCK_SEQPACKET, 0, 0 } },
	{ SYS_sendto, { -1ULL, 0, 0, MSG_NOSIGNAL } }, { SYS_sendmsg, { -1ULL, 0, 0 } },
	{ SYS_sendmmsg, { -1ULL, 0, 0, 0 } }, { SYS_prlimit64, { 0, -1ULL } },
};

static void test_what_is_refused(void **state)
{
	const bool root = getuid() == 0;
	unsigned shown;

	(void)state;
	skip_sanitized();
	assert_true(calls_refused.n > 40 && calls_of_spawner.n == 6);
	/* others are refused without capabilities, too */
	shown = refused_whole(&calls_refused, confine_counting);
	print_message("%u of %zu would have been possible\n", shown, calls_refused.n);
	assert_true(shown >= (root ? 35 : 10));
	assert_true(refused_whole(&calls_of_spawner, confine_both) >= (root ? 5 : 2));
	for (size_t i = 0; i < COUNT(broken_limits); i++) {
		const struct broken *b = &broken_limits[i];
		const struct call c = { .number = b->number };

		if (error_of(&c, b->arguments, confine_counting) != EPERM)
			fail_msg("broken limit %zu", i);
	}
	for (size_t i = 0; i < COUNT(kept_limits); i++) {
		const struct broken *b = &kept_limits[i];
		const struct call c = { .number = b->number };

		if (error_of(&c, b->arguments, confine_counting) == EPERM)
			fail_msg("kept limit %zu", i);
	}
	for (size_t i = 0; i < calls_limited.n; i++) {
		unsigned tried = 0;

		for (size_t k = 0; k < COUNT(broken_limits); k++)
			tried += broken_limits[k].number == calls_limited.rows[i].number;
		assert_true(tried);
	}
}

static bool in_table(const struct calls *calls, int number)
{
	for (size_t i = 0; i < calls->n; i++)
		if (calls->rows[i].number == number)
			return true;
	return false;
}

/* uretprobe and uprobe: no filter is asked, and whoever makes them without a probe is ended. */
static bool past_filters(int number)
{
#ifdef __x86_64__
	return number == 335 || number == 336;
#else
	(void)number;
	return false;
#endif
}

/* In this process, behind the wall: 0, or the number of a call that is not in the table and was not
 * refused. */
static int others_are_refused(void)
{
	for (int n = 0; n < 1024; n++) {
		const struct call c = { .number = n };

		if (in_table(&calls_of_http, n) || past_filters(n))
			continue;
		errno = 0;
		if (make_nonsense(&c) >= 0 || errno != EPERM)
			return n ? n : -1;
	}
	return 0;
}

/* Arguments with which all conditions hold. */
static void fulfil(const struct call *c, uint64_t *ret)
{
	memset(ret, 0, CALL_ARGUMENTS * sizeof(*ret));
	for (unsigned i = 0; i < CALL_CONDITIONS; i++) {
		const struct argument_condition *when = &c->when[i];

		if (when->test == ARGUMENT_IS)
			ret[when->argument] = when->value;
		else if (when->test == ARGUMENT_OWN_PROCESS)
			ret[when->argument] = (uint64_t)getpid();
		else if (when->test == ARGUMENT_OWN_DESCRIPTOR)
			ret[when->argument] = 1000;
	}
}

static bool is_refused(const struct call *c, const uint64_t *arguments)
{
	errno = 0;
	return make(c, arguments) < 0 && errno == EPERM;
}

/* In this process, behind the wall: is the row as it says, and no wider? Each condition is broken
 * in each way, of 32 bits one by one; and the upper half of an int means nothing. */
static bool is_exact(const struct call *c)
{
	uint64_t good[CALL_ARGUMENTS], bad[CALL_ARGUMENTS];

	fulfil(c, good);
	if (is_refused(c, good))
		return false;
	for (unsigned i = 0; i < CALL_CONDITIONS && c->when[i].test; i++) {
		const struct argument_condition *when = &c->when[i];
		const unsigned at = when->argument, bits = when->test == ARGUMENT_NULL ? 64 : 32;

		for (unsigned bit = 0; bit < bits; bit++) {
			memcpy(bad, good, sizeof(bad));
			bad[at] = when->test == ARGUMENT_OWN_DESCRIPTOR ? bit % (SHARED + 1) :
								  good[at] ^ UINT64_C(1) << bit;
			if (when->test == ARGUMENT_WITHOUT && !(when->value >> bit & 1))
				continue;
			/* another row may allow that; it has its own turn */
			if (when->test == ARGUMENT_IS && bit < 10)
				continue;
			if (!is_refused(c, bad))
				return false;
		}
		if (when->test == ARGUMENT_NULL)
			continue;
		memcpy(bad, good, sizeof(bad));
		bad[at] |= UINT64_C(1) << 40;
		if (is_refused(c, bad))
			return false;
	}
	return true;
}

static void test_what_serving_takes(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	skip_sanitized();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct err err;

		if (confine_as_http(&err) < 0)
			_exit(255);
		status = others_are_refused();
		if (status)
			print_message("not refused: %d\n", status);
		_exit(status != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < calls_of_http.n; i++) {
		const struct call *c = &calls_of_http.rows[i];

		if (!c->when[0].test)
			continue;
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			struct err err;

			if (confine_as_http(&err) < 0)
				_exit(255);
			_exit(!is_exact(c));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("row %zu, %s: status %#x", i, c->name, (unsigned)status);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_what_serving_takes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
