/* SPDX-License-Identifier: MIT
 * The least that knowing a machine can cost: every file of its CPUs and PMUs that uncored reads is
 * opened in its directory, read and closed.
 * floor_sysfs SYSFS: prints "FILES CPU_NS".
 */
#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static unsigned files;

static void read_file(int dir, const char *name)
{
	char text[4096];
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	files += read(fd, text, sizeof(text)) >= 0;
	close(fd);
}

/* each: with a directory, or NULL: all entries are files. */
static void walk(int at, const char *name, void (*each)(int dir))
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), one;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (!each) {
			read_file(fd, e->d_name);
			continue;
		}
		one = openat(fd, e->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (one < 0)
			continue;
		each(one);
		close(one);
	}
	if (d)
		closedir(d);
}

static void read_cpu(int dir)
{
	read_file(dir, "topology/core_id");
}

static void read_pmu(int dir)
{
	read_file(dir, "type");
	read_file(dir, "cpumask");
	read_file(dir, "../numa_node");
	walk(dir, "format", NULL);
	walk(dir, "events", NULL);
}

int main(int argc, char **argv)
{
	int64_t begin = bench_clock(CLOCK_PROCESS_CPUTIME_ID);
	int root = argc == 2 ? open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	if (root < 0)
		return bench_fail("usage: floor_sysfs SYSFS");
	walk(root, "devices/system/cpu", read_cpu);
	walk(root, "bus/event_source/devices", read_pmu);
	printf("%u %lld\n", files, (long long)(bench_clock(CLOCK_PROCESS_CPUTIME_ID) - begin));
	return 0;
}
