/* SPDX-License-Identifier: MIT */
#include "daemon/proc.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "topo/sysfile.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads /proc/PID/stat behind the command's name, which may hold any character. */
static int stat_fields(pid_t pid, uint64_t *utime, uint64_t *stime, uint64_t *start, int64_t *rss)
{
	char text[1024], *p;
	int n = sysfile_head(sysfile_path("/proc/%d/stat", (int)pid).s, text, sizeof(text) - 1,
			     NULL);

	if (n < 0)
		return n;
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			 " %*d %*d %*d %*d %*d %*d %" SCNu64 " %*u %" SCNd64, utime, stime, start,
			 rss) != 4)
		return -EIO;
	return 0;
}

/* Since Linux 6.2 the directory's size is their number; before, it is 0, and they are counted. */
static uint64_t count_fds(pid_t pid)
{
	const struct sysfile_path path = sysfile_path("/proc/%d/fd", (int)pid);
	AUTO_FREE(closedir) DIR *d = NULL;
	struct stat st;
	uint64_t n = 0;

	if (stat(path.s, &st) == 0 && st.st_size > 0)
		return (uint64_t)st.st_size;
	d = opendir(path.s);
	if (!d)
		return 0;
	while (readdir(d))
		n++;
	return n > 2 ? n - 2 : 0;
}

int proc_add_cost(pid_t pid, struct proc_cost *sum)
{
	uint64_t utime, stime, start, tick = (uint64_t)sysconf(_SC_CLK_TCK);
	int64_t rss;
	int r = stat_fields(pid, &utime, &stime, &start, &rss);

	if (r < 0)
		return r;
	sum->cpu_nsec += (utime + stime) * ((uint64_t)NSEC_PER_SEC / tick);
	sum->rss_bytes += (uint64_t)(rss > 0 ? rss : 0) * (uint64_t)sysconf(_SC_PAGESIZE);
	sum->fds += count_fds(pid);
	return 0;
}

uint64_t proc_start_wall(nsec wall_now)
{
	uint64_t utime, stime, start, tick = (uint64_t)sysconf(_SC_CLK_TCK);
	int64_t rss;

	if (stat_fields(getpid(), &utime, &stime, &start, &rss) < 0)
		return 0;
	return (uint64_t)(wall_now - clock_read(CLOCK_BOOTTIME)) + start *
	       ((uint64_t)NSEC_PER_SEC / tick);
}
