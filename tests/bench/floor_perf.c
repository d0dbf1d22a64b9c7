/* SPDX-License-Identifier: MIT
 * The least that sampling perf events can cost: one read of a group at each tick of
 * an absolute timer.
 * floor_perf EVENTS SECONDS INTERVAL_MS CPUS: EVENTS times msr/tsc/ (type as sysfs says) as one
 * group on each of the first CPUS, read from CPU 0, where the loop is pinned; EVENTS 0: ticks that
 * read nothing. Prints "TICKS CPU_NS" of the loop alone.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_group(unsigned n, uint32_t type, int cpu)
{
	int leader = -1;

	for (unsigned i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = type, .disabled = leader < 0,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING,
		};
		long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, leader,
				  PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			return -1;
		leader = leader < 0 ? (int)fd : leader;
	}
	return leader;
}

int main(int argc, char **argv)
{
	static uint64_t buf[3 + 4096];
	int64_t interval, next, end, cpu, ticks = 0;
	unsigned n, type = 0;
	FILE *f;
	int fd[64], cpus;

	if (argc != 5 || (n = (unsigned)atoi(argv[1])) > 4096 ||
	    (cpus = atoi(argv[4])) < 1 || cpus > 64)
		return bench_fail("usage: floor_perf EVENTS SECONDS INTERVAL_MS CPUS");
	f = fopen("/sys/bus/event_source/devices/msr/type", "r");
	if (!f || fscanf(f, "%u", &type) != 1)
		return bench_fail("no msr PMU");
	fclose(f);
	bench_place(0, 0);
	cpus = n ? cpus : 0;
	for (int i = 0; i < cpus; i++) {
		fd[i] = open_group(n, type, i);
		if (fd[i] < 0 || ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return bench_fail("perf_event_open");
	}
	interval = atoi(argv[3]) * INT64_C(1000000);
	next = bench_first_tick(interval);
	end = next + atoi(argv[2]) * INT64_C(1000000000);
	cpu = bench_clock(CLOCK_THREAD_CPUTIME_ID);
	while ((next += interval) <= end) {
		bench_sleep_until(next);
		for (int i = 0; i < cpus; i++)
			if (read(fd[i], buf, sizeof(buf)) != (ssize_t)((3 + n) * sizeof(buf[0])))
				return bench_fail("read");
		ticks++;
	}
	printf("%lld %lld\n", (long long)ticks,
	       (long long)(bench_clock(CLOCK_THREAD_CPUTIME_ID) - cpu));
	return 0;
}
