/* SPDX-License-Identifier: MIT
 * Preloaded: a quarter of a second after uncorectl began, or as many as STEP_AFTER says, somebody
 * sets the clock forward by 1000 s, or by as many as STEP_BY says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *ret)
{
	const char *after = getenv("STEP_AFTER"), *by = getenv("STEP_BY");
	static double began;
	int (*real)(clockid_t, struct timespec *) =
		(int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, __func__);
	struct timespec t;
	double now;
	int r = real(id, ret);

	if (strcmp(program_invocation_short_name, "uncorectl") != 0)
		return r;
	real(CLOCK_MONOTONIC, &t);
	now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	if (began <= 0)
		began = now;
	if (r == 0 && id == CLOCK_REALTIME && now > began + (after ? atof(after) : 0.25))
		ret->tv_sec += by ? atoi(by) : 1000;
	return r;
}
