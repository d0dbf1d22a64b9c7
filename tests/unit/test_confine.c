/* SPDX-License-Identifier: MIT
 * The walls around both processes, climbed from inside: whatever they try fails
 * with EPERM, and would have worked, or failed for another reason, before the walls stood.
 */
#include "confine_test.h"

#include "process/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A field of /proc/self/status that is hexadecimal. */
static void powers(const char *field, unsigned long long *ret)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, field, strlen(field)) == 0)
			*ret = strtoull(line + strlen(field) + 1, NULL, 16);
	if (f)
		fclose(f);
}

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

static long make_a_tcp_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static long send_to_another_machine(void)
{
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static long connect_to_anybody(void)
{
	return connect(-1, NULL, 0);
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

static long ask_the_kernel_about_its_network(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
}

static long make_a_namespace(void)
{
	return unshare(CLONE_NEWNS);
}

/* What a fork() can make beside a process. */
static long make_a_process_apart(void)
{
	long pid = syscall(SYS_clone, CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(0);
	return pid;
}

/* The same with its flags in memory, where no filter sees them. */
static long make_a_process_apart_by_clone3(void)
{
	struct clone_args a = { .flags = CLONE_NEWNET, .exit_signal = SIGCHLD };
	long pid = syscall(SYS_clone3, &a, sizeof(a));

	if (!pid)
		_exit(0);
	return pid;
}

static long make_a_file_system(void)
{
	return fsopen("tmpfs", FSOPEN_CLOEXEC);
}

static long configure_a_file_system(void)
{
	return fsconfig(-1, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

static long mount_a_file_system(void)
{
	return fsmount(-1, 0, 0);
}

static long change_the_root(void)
{
	return chroot("/nowhere");
}

static long limit_the_parent(void)
{
	struct rlimit files;

	return prlimit(getppid(), RLIMIT_NOFILE, NULL, &files);
}

static long call_past_the_filter(void)
{
	return syscall(SYS_io_uring_setup, 1, NULL);
}

#ifdef __x86_64__
/* A filter that looked at numbers alone would take these for other calls. */
static long call_by_the_x32_abi(void)
{
	return syscall(0x40000000 | SYS_getpid);
}

/* getpid() is 20 in the i386 ABI. */
static long call_by_the_i386_abi(void)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}
#endif

static const struct climb {
	const char *name;
	long (*f)(void);
	bool counting;                  /* the process that counts may not either */
} climbs[] = {
	{ "open a file", open_a_file, false }, { "open a device", open_a_device, false },
	{ "make a file", make_a_file, false }, { "look at a path", look_at_a_path, false },
	/* uncored listens again */
	{ "make a TCP socket", make_a_tcp_socket, false },
	{ "send to another machine", send_to_another_machine, true },
	{ "connect to anybody", connect_to_anybody, true },
	{ "talk to a daemon", talk_to_a_daemon, false },
	{ "run a program", run_a_program, false }, { "make a process", make_a_process, false },
	{ "signal the parent", signal_the_parent, false },
	{ "trace the parent", trace_the_parent, true },
	{ "read the parent's memory", read_the_parents_memory, true },
	{ "make code", make_code, false }, { "count events", count_events, false },
	{ "mount something", mount_something, true }, { "load a module", load_a_module, true },
	{ "ask for a key", ask_for_a_key, true },
	{ "ask the kernel about its network", ask_the_kernel_about_its_network, true },
	{ "make a namespace", make_a_namespace, true },
	{ "make a process apart", make_a_process_apart, true },
	{ "limit the parent", limit_the_parent, true },
	{ "make a file system", make_a_file_system, false },
	{ "configure a file system", configure_a_file_system, false },
	{ "mount a file system", mount_a_file_system, false },
	{ "change the root", change_the_root, false },
	{ "call past the filter", call_past_the_filter, true },
#ifdef __x86_64__
	{ "call by the x32 ABI", call_by_the_x32_abi, true },
	{ "call by the i386 ABI", call_by_the_i386_abi, true },
#endif
};

/* In a process of its own: 1, done; 2, refused with EPERM; 3, failed for another reason; 4, this
 * kernel has no such call and ends whoever makes it. */
static int climb(const struct climb *c, int (*confine)(struct err *))
{
	struct err err;
	int status;
	pid_t pid;

	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);       /* cmocka's handler goes on in this process */
		if (confine && confine(&err) < 0)
			_exit(9);
		if (c->f() >= 0)
			_exit(1);
		_exit(errno == EPERM ? 2 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGSEGV);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

static void test_walls(void **state)
{
	unsigned shown = 0, shown_counting = 0;

	(void)state;
	skip_sanitized();
	for (size_t i = 0; i < COUNT(climbs); i++) {
		const struct climb *c = &climbs[i];
		int before = climb(c, NULL), http = climb(c, confine_as_http),
		    counting = climb(c, confine_counting);

		if (before == 4 && http == 4 && counting == 4) {
			print_message("not tried, this kernel has none: %s\n", c->name);
			continue;
		}
		if (http != 2)
			fail_msg("%s: %s behind the wall of uncored-http", c->name,
				 http == 1 ? "done" : "failed for another reason");
		if (counting != (c->counting ? 2 : before))
			fail_msg("%s: %d and not %d behind the wall of uncored", c->name, counting,
				 c->counting ? 2 : before);
		/* without root some are refused anyway, which shows nothing of the wall */
		shown += before != 2;
		shown_counting += c->counting && before != 2;
	}
	assert_true(shown >= 10 && shown_counting >= 4);
}

static long run_a_descriptor(void)
{
	char *argv[] = { (char *)"true", NULL };
	int fd = open("/bin/true", O_PATH | O_CLOEXEC);

	return execveat(fd, "", argv, environ, AT_EMPTY_PATH);
}

static void test_execution(void **state)
{
	const struct climb path = { "run a program", run_a_program, true },
			   fd = { "run a descriptor", run_a_descriptor, true },
			   child = { "make a process", make_a_process, false },
			   file = { "open a file", open_a_file, false },
			   clone3 = { "clone3", make_a_process_apart_by_clone3, true };
	static long (*const of_others[])(void) = { make_a_file_system, configure_a_file_system,
						   mount_a_file_system, change_the_root };

	(void)state;
	skip_sanitized();
	assert_int_equal(climb(&path, confine_counting), 3);    /* there is none */
	assert_int_equal(climb(&fd, confine_counting), 0);
	assert_int_equal(climb(&path, confine_both), 2);
	assert_int_equal(climb(&fd, confine_both), 2);
	assert_int_equal(climb(&child, confine_both), 1);
	assert_int_equal(climb(&file, confine_both), 1);
	for (size_t i = 0; i < COUNT(of_others); i++) {
		const struct climb c = { "be as the others", of_others[i], true };

		assert_int_equal(climb(&c, confine_both), 2);
	}
	/* as if this kernel had none: with EPERM the C library would not try clone */
	assert_int_equal(climb(&clone3, confine_counting), 3);
}

/* In this process: 0, if of `any`, both effective and at most to be had, nothing else is left. */
static int left_of(unsigned wanted, unsigned long long any, unsigned long long left)
{
	unsigned long long after = 0, bound = 0;
	struct err err;

	if (privileges_reduce(wanted, &err) < 0)
		return 9;
	powers("CapEff", &after);
	powers("CapBnd", &bound);
	if ((after & any) != left)
		return 1;
	return (bound & any) != left ? 2 : 0;
}

/* Of root's capabilities. By their numbers in Linux: 16 loads modules, 19 traces, 12
 * configures networks; 38 counts with perf, 17 with registers, 21 mostly neither; 6 to 8 and 18
 * make another user of a process, in another root directory. */
static void test_powers(void **state)
{
	const unsigned long long never = 1ULL << 16 | 1ULL << 19 | 1ULL << 12,
				 perf = 1ULL << 38, regs = 1ULL << 17, admin = 1ULL << 21,
				 others = 1ULL << 6 | 1ULL << 7 | 1ULL << 8 | 1ULL << 18,
				 all = never | perf | regs | admin | others;
	unsigned long long before = 0;
	int status;
	pid_t pid;

	(void)state;
	powers("CapEff", &before);
	if ((before & all) != all) {
		print_message("needs root with all its capabilities\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const unsigned both = CAPS_REGISTERS | CAPS_ADMIN;
		int r = left_of(CAPS_PROCESSES | both, all, others | regs | admin | perf);

		if (!r)
			r = 10 * left_of(both, all, regs | admin | perf);
		/* the bounding set, which only matters to programs, stays as it is from here on */
		if (!r && left_of(CAPS_REGISTERS, all, regs | perf) != 2)
			r = 3;
		if (!r && left_of(0, all, perf) != 2)
			r = 4;
		_exit(r);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* A process that cannot close its memory, or give up new privileges, does not go on. */
static void test_no_wall_is_missing(void **state)
{
	static const int options[] = { PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG };

	(void)state;
	for (size_t i = 0; i < COUNT(options); i++) {
		struct sock_filter ins[] = {
			{ BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr) },
			{ BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_prctl },
			{ BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, args) },
			{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (unsigned)options[i] },
			{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EACCES },
			{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
		};
		struct sock_fprog program = { COUNT(ins), ins };
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			struct err err = { "" };

			if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
				_exit(9);
			if (privileges_drop(&err) != -EACCES)
				_exit(1);
			_exit(strstr(err.text, "prctl: Permission denied") ? 0 : 2);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

/* Root who serves has no files left, however a file is named. */
static void test_no_files(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	skip_sanitized();
	if (getuid() != 0) {
		print_message("needs root\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct err err;

		if (open_a_file() < 0 || privileges_drop(&err) < 0)
			_exit(9);
		_exit(open_a_file() >= 0 || open("etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ||
		      open("../etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ||
		      open("/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walls),
		cmocka_unit_test(test_execution),
		cmocka_unit_test(test_powers),
		cmocka_unit_test(test_no_wall_is_missing),
		cmocka_unit_test(test_no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
