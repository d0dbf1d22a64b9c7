/* SPDX-License-Identifier: MIT
 * The least lateness that a periodic timer can have here: it waits, looks at the
 * clock, waits again.
 * floor_timer INTERVAL_US SECONDS CPU FIFO: FIFO is the priority, 0: the ordinary policy.
 * Prints "TICKS P50_NS P99_NS MAX_NS" of how late it woke; periods that it slept through entirely
 * count as one late tick.
 */
#include "bench.h"

#define TICKS_MAX (1024 * 1024)

static uint32_t late[TICKS_MAX];

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	int64_t interval, next, end, now;
	size_t n = 0;

	if (argc != 5 || (interval = atoi(argv[1]) * INT64_C(1000)) <= 0) {
		fprintf(stderr, "usage: floor_timer INTERVAL_US SECONDS CPU FIFO\n");
		return 64;
	}
	bench_place(atoi(argv[3]), atoi(argv[4]));
	next = bench_first_tick(interval);
	end = next + (int64_t)(atof(argv[2]) * 1e9);
	for (now = next; (next = now - (now - next) % interval + interval) <= end &&
	     n < TICKS_MAX; n++) {
		bench_sleep_until(next);
		now = bench_clock(CLOCK_MONOTONIC);
		late[n] = (uint32_t)(now - next);
	}
	if (!n)
		return bench_fail("no tick");
	qsort(late, n, sizeof(late[0]), by_size);
	printf("%zu %u %u %u\n", n, late[(n - 1) / 2],
	       late[(size_t)(0.99 * (double)(n - 1))], late[n - 1]);
	return 0;
}
