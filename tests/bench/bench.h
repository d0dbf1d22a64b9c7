/* SPDX-License-Identifier: MIT
 * What the floors and the load generator share: clocks, a CPU to run on, a scheduling
 * policy. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline int64_t bench_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void bench_sleep_until(int64_t at)
{
	struct timespec until = { at / 1000000000, at % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Best effort, as the sampler does. cpu -1: any. fifo: priority of SCHED_FIFO, 0: the ordinary
 * policy. */
static inline void bench_place(int cpu, int fifo)
{
	struct sched_param p = { .sched_priority = fifo };
	cpu_set_t set;

	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	if (fifo)
		sched_setscheduler(0, SCHED_FIFO, &p);
}

/* uncored ticks half a millisecond behind the multiples of its interval, where the kernel's own
 * tick is not. */
#define BENCH_GRID 500000

/* A floor ticks half-way, so that neither finds what the other warmed; not quite, or at 1 kHz it
 * would meet the kernel's tick. */
static inline int64_t bench_first_tick(int64_t interval)
{
	return bench_clock(CLOCK_MONOTONIC) / interval * interval + BENCH_GRID + interval / 2 -
		125000;
}

static inline int bench_fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	return 1;
}

#endif
