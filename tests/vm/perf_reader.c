/* SPDX-License-Identifier: MIT
 * Another tool that counts: perf_reader PMU CPU SECONDS CONFIG...
 * Counts each config of a PMU of the kernel for that time, as `perf stat -a` does: one event each,
 * no group, none pinned. Prints a line for each: its count, and the nanoseconds in which it was
 * wanted and in which it counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_EVENTS 16

static int fail(const char *what)
{
	fprintf(stderr, "perf_reader: %s: %s\n", what, strerror(errno));
	return 1;
}

static unsigned type_of(const char *pmu)
{
	char path[256];
	unsigned type = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%u", &type) != 1)
		exit(fail(path));
	fclose(f);
	return type;
}

int main(int argc, char **argv)
{
	int n = argc - 4, fd[MAX_EVENTS];

	if (n < 1 || n > MAX_EVENTS) {
		fputs("perf_reader PMU CPU SECONDS CONFIG...\n", stderr);
		return 64;
	}
	for (int i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = type_of(argv[1]),
			.config = strtoull(argv[4 + i], NULL, 0),
			.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
		};

		fd[i] = (int)syscall(SYS_perf_event_open, &attr, -1, atoi(argv[2]), -1,
				     PERF_FLAG_FD_CLOEXEC);
		if (fd[i] < 0)
			return fail(argv[4 + i]);
	}
	sleep((unsigned)atoi(argv[3]));
	for (int i = 0; i < n; i++) {
		uint64_t v[3];

		if (read(fd[i], v, sizeof(v)) != sizeof(v))
			return fail(argv[4 + i]);
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", v[0], v[1], v[2]);
	}
	return 0;
}
