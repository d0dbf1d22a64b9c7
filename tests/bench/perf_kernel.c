/* SPDX-License-Identifier: MIT
 * A kernel whose uncore PMUs count, on a machine that has none: preloaded (LD_PRELOAD) before
 * uncored, which is the program as it is shipped.
 * Each perf event is an eventfd: a descriptor that costs a system call to open and the kernel some
 * memory, as an event does. A read of a group is answered here, without a system call: members that
 * rise at different rates while the group is enabled, and its times. What a real kernel takes to
 * program a counter and to read it is not in it.
 */
#include "bench.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DESCRIPTORS_MAX (1 << 20)

/* By the leader's descriptor. */
static struct group {
	uint32_t n;             /* members */
	bool on;
	int64_t since;          /* ns: when it was enabled last */
	int64_t enabled;        /* ns until then */
} groups[DESCRIPTORS_MAX];

static long event_open(int leader)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return fd;
	if (leader < 0)
		groups[fd] = (struct group){ .n = 1 };
	else
		groups[leader].n++;
	return fd;
}

static int64_t enabled_for(const struct group *g)
{
	return g->enabled + (g->on ? bench_clock(CLOCK_MONOTONIC) - g->since : 0);
}

/* struct read_format of PERF_FORMAT_GROUP with both times. */
static long group_read(const struct group *g, uint64_t *buf, size_t size)
{
	int64_t enabled = enabled_for(g);

	if (size < (3 + g->n) * sizeof(*buf)) {
		errno = ENOSPC;
		return -1;
	}
	buf[0] = g->n;
	buf[1] = buf[2] = (uint64_t)enabled;
	/* a count each microsecond, of the next members two, three...: slower than any clock */
	for (uint32_t i = 0; i < g->n; i++)
		buf[3 + i] = (uint64_t)enabled / 1000 * (i + 1);
	return (long)((3 + g->n) * sizeof(*buf));
}

static bool is_leader(long fd)
{
	return fd >= 0 && fd < DESCRIPTORS_MAX && groups[fd].n;
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long v[6];
	va_list ap;

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	va_start(ap, number);
	for (unsigned i = 0; i < 6; i++)
		v[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open)
		return event_open((int)v[3]);
	if (number == SYS_read && is_leader(v[0]))
		return group_read(&groups[v[0]], (uint64_t *)v[1], (size_t)v[2]);
	return real(number, v[0], v[1], v[2], v[3], v[4], v[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct group *g = &groups[is_leader(fd) ? fd : 0];
	va_list ap;
	void *argument;

	if (is_leader(fd) && (request == PERF_EVENT_IOC_ENABLE ||
			      request == PERF_EVENT_IOC_DISABLE)) {
		g->enabled = enabled_for(g);
		g->since = bench_clock(CLOCK_MONOTONIC);
		g->on = request == PERF_EVENT_IOC_ENABLE;
		return 0;
	}
	va_start(ap, request);
	argument = va_arg(ap, void *);
	va_end(ap);
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

int close(int fd)
{
	if (is_leader(fd))
		groups[fd].n = 0;
	return (int)syscall(SYS_close, fd);
}
