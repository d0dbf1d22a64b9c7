/* SPDX-License-Identifier: MIT
 * The least that sampling registers can cost: a pread of 8 bytes for each, at each
 * tick of an absolute timer.
 * floor_pread FILE INTERVAL_US SECONDS CPU FIFO OFFSET... [+ EVERY OFFSET...]
 *   FILE -: a system call that does nothing in the place of each pread. filter:FILE: behind a
 *   system call filter that allows them, as uncored's does. INTERVAL_US 0: no timer, one tick after
 *   the other. FIFO: priority, 0: ordinary. At each tick that is a multiple of EVERY
 *   those behind the + are read as well. Prints "TICKS CPU_NS" of the loop alone.
 */
#include "bench.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTERS_MAX 1024
#define FILTER        "filter:"

static int refuse_acct(void)
{
	struct sock_filter ins[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr) },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_acct },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	const struct sock_fprog program = { sizeof(ins) / sizeof(ins[0]), ins };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -1 :
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	static off_t at[REGISTERS_MAX];
	static uint64_t value;
	int64_t interval, next, end, cpu, ticks = 0, every = 1;
	int fd = -1, n = 0, often = 0;
	bool filtered = argc > 1 && strncmp(argv[1], FILTER, strlen(FILTER)) == 0;
	const char *file = argc > 1 ? argv[1] : "";

	if (filtered)
		file += strlen(FILTER);
	for (int i = 6; i < argc && n < REGISTERS_MAX; i++) {
		if (strcmp(argv[i], "+") == 0 && ++i < argc) {
			every = atoi(argv[i]);
			often = n;
		} else {
			at[n++] = (off_t)strtoull(argv[i], NULL, 0);
		}
	}
	if (!often)
		often = n;
	if (!n || every < 1) {
		fprintf(stderr, "usage: floor_pread FILE INTERVAL_US SECONDS CPU FIFO OFFSET... [+ "
				"EVERY OFFSET...]\n");
		return 64;
	}
	if (strcmp(file, "-") != 0 && (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		return bench_fail(file);
	if (filtered && refuse_acct() < 0)
		return bench_fail("seccomp");
	bench_place(atoi(argv[4]), atoi(argv[5]));
	interval = atoi(argv[2]) * INT64_C(1000);
	next = interval ? bench_first_tick(interval) : bench_clock(CLOCK_MONOTONIC);
	end = next + (int64_t)(atof(argv[3]) * 1e9);
	cpu = bench_clock(CLOCK_THREAD_CPUTIME_ID);
	while ((next = interval ? next + interval : bench_clock(CLOCK_MONOTONIC)) <= end) {
		if (interval)
			bench_sleep_until(next);
		ticks++;
		for (int i = 0; i < (ticks % every ? often : n); i++)
			if (fd < 0)
				syscall(SYS_getppid);
			else if (pread(fd, &value, sizeof(value), at[i]) != sizeof(value))
				return bench_fail("pread");
	}
	printf("%lld %lld\n", (long long)ticks,
	       (long long)(bench_clock(CLOCK_THREAD_CPUTIME_ID) - cpu));
	return 0;
}
