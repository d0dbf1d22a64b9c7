/* SPDX-License-Identifier: MIT */
#include "topo/busiest.h"

#include "topo/sysfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int by_pid(const void *a, const void *b)
{
	const struct busiest_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* proc(5): the name in parentheses, which may have some of its own; utime and stime are the 14th
 * and 15th. */
static struct busiest_process read_one(const char *procfs, const char *pid)
{
	struct busiest_process p = { .pid = strtol(pid, NULL, 10) };
	unsigned long long user = 0, system = 0;
	char text[SYSFILE_MAX + 1];
	char *name, *end;

	if (p.pid <= 0 || sysfile_read(sysfile_path("%s/%s/stat", procfs, pid).s, text, NULL) < 0 ||
	    !(name = strchr(text, '(')) || !(end = strrchr(text, ')')) ||
	    sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user,
		   &system) != 2)
		return (struct busiest_process){ 0 };
	*end = '\0';
	snprintf(p.name, sizeof(p.name), "%s", name + 1);
	p.seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	return p;
}

void busiest_begin(struct busiest *b, const char *procfs)
{
	struct dirent **v = NULL;
	int n = scandir(procfs, &v, NULL, versionsort);         /* pids in ascending order */

	*b = (struct busiest){ .was = calloc(n > 0 ? (size_t)n : 1, sizeof(*b->was)) };
	for (int i = 0; i < n; i++) {
		struct busiest_process p = read_one(procfs, v[i]->d_name);

		if (p.pid && b->was)
			b->was[b->n++] = p;
		free(v[i]);
	}
	free(v);
}

struct busiest_process busiest_end(struct busiest *b, const char *procfs)
{
	struct busiest now;
	struct busiest_process most = { 0 };

	busiest_begin(&now, procfs);
	for (unsigned i = 0; i < now.n; i++) {
		struct busiest_process p = now.was[i];
		const struct busiest_process *was = !b->n ? NULL :
			bsearch(&p, b->was, b->n, sizeof(p), by_pid);

		if (was && was->seconds <= p.seconds)   /* else: another process with its number */
			p.seconds -= was->seconds;
		if (p.pid != getpid() && p.seconds > most.seconds)
			most = p;
	}
	free(now.was);
	free(b->was);
	*b = (struct busiest){ 0 };
	return most;
}
