/* SPDX-License-Identifier: MIT
 * The walls around the process that serves HTTP, climbed from inside: whatever it
 * tries fails with EPERM, and would have worked, or failed for another reason, before the walls
 * stood.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "process/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each returns below 0, with errno, if the wall holds. */
static long open_a_file(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static long open_a_device(void)
{
	return open("/dev/null", O_RDWR | O_CLOEXEC);
}

static long make_a_file(void)
{
	return mkdir("/proc/uncored", 0700);
}

static long look_at_a_path(void)
{
	struct stat st;

	return stat("/etc/passwd", &st);
}

static long call_another_machine(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static long talk_to_a_daemon(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static long run_a_program(void)
{
	execl("/nowhere", "nowhere", NULL);
	return -1;
}

static long make_a_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid;
}

static long signal_the_parent(void)
{
	return kill(getppid(), 0);
}

static long trace_the_parent(void)
{
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static long read_the_parents_memory(void)
{
	char here[8];
	struct iovec to = { here, sizeof(here) }, from = { here, sizeof(here) };

	return process_vm_readv(getppid(), &to, 1, &from, 1, 0);
}

static long make_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}

static long count_events(void)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .disabled = 1,
				     .config = PERF_COUNT_SW_CPU_CLOCK, .exclude_kernel = 1 };

	return syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

static long mount_something(void)
{
	return mount("nowhere", "/nowhere", "nosuch", 0, NULL);
}

static long load_a_module(void)
{
	return syscall(SYS_finit_module, -1, "", 0);
}

static long ask_for_a_key(void)
{
	return syscall(SYS_keyctl, 0, -3, 0);
}

static const struct climb { const char *name; long (*f)(void); } climbs[] = {
	{ "open a file", open_a_file }, { "open a device", open_a_device },
	{ "make a file", make_a_file }, { "look at a path", look_at_a_path },
	{ "call another machine", call_another_machine },
	{ "talk to a daemon", talk_to_a_daemon }, { "run a program", run_a_program },
	{ "make a process", make_a_process }, { "signal the parent", signal_the_parent },
	{ "trace the parent", trace_the_parent },
	{ "read the parent's memory", read_the_parents_memory }, { "make code", make_code },
	{ "count events", count_events }, { "mount something", mount_something },
	{ "load a module", load_a_module }, { "ask for a key", ask_for_a_key },
};

/* In a process of its own: 1, done; 2, refused with EPERM; 3, failed for another reason. */
static int climb(const struct climb *c, bool confined)
{
	struct err err;
	int status;
	pid_t pid;

	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (confined && confine_http(&err) < 0)
			_exit(9);
		_exit(c->f() >= 0 ? 1 : errno == EPERM ? 2 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_walls(void **state)
{
	unsigned shown = 0;

	(void)state;
#ifdef UNCORED_SANITIZED
	skip();                         /* sanitizers need calls that the filter refuses */
#endif
	for (size_t i = 0; i < COUNT(climbs); i++) {
		int before = climb(&climbs[i], false), after = climb(&climbs[i], true);

		if (after != 2)
			fail_msg("%s: %s behind the wall", climbs[i].name,
				 after == 1 ? "done" : "failed for another reason");
		/* without root some are refused anyway, which shows nothing of the wall */
		shown += before != 2;
	}
	assert_true(shown >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_walls) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
