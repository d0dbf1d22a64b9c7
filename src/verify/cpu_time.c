/* SPDX-License-Identifier: MIT */
#include "verify/cpu_time.h"

#include "base/bits.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

struct cpu_time cpu_time_read(const char *procfs)
{
	char path[4096];
	unsigned long long t[8] = { 0 };
	struct cpu_time ret = { 0, 0, 0 };
	double hz = (double)sysconf(_SC_CLK_TCK);
	struct rusage own;
	FILE *f;

	snprintf(path, sizeof(path), "%s/stat", procfs);
	f = fopen(path, "re");
	if (!f)
		return ret;
	if (fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
		   &t[4], &t[5], &t[6], &t[7]) == 8)
		for (unsigned i = 0; i < COUNT(t); i++) {
			ret.all += (double)t[i] / hz;
			if (i != 3 && i != 4)           /* idle, and waiting for a disk */
				ret.busy += (double)t[i] / hz;
		}
	fclose(f);
	if (getrusage(RUSAGE_SELF, &own) == 0)
		ret.own = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
			  1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
	return ret;
}
