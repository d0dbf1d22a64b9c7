/* SPDX-License-Identifier: MIT
 * How fast the time stamp counter runs, in Hz, by the clock of this kernel now. What the kernel
 * itself measures when it boots may be wrong on a busy machine; then it takes another clock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
#include <x86intrin.h>
#else
static uint64_t __rdtsc(void)
{
	return 0;
}
#endif

#define NSEC 1000000000

/* Of some attempts the one that was interrupted least. */
static void read_both(uint64_t *tsc, int64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		*tsc = before + least / 2;
		*ns = (int64_t)t.tv_sec * NSEC + t.tv_nsec;
	}
}

int main(void)
{
	uint64_t tsc[2] = { 0, 0 };
	int64_t ns[2] = { 0, 0 };

	read_both(&tsc[0], &ns[0]);
	sleep(1);
	read_both(&tsc[1], &ns[1]);
	printf("%.0f\n", (double)(tsc[1] - tsc[0]) * NSEC / (double)(ns[1] - ns[0]));
	return 0;
}
