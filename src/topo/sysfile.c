/* SPDX-License-Identifier: MIT
 * Reads small files of sysfs and procfs.
 * Owns:  the bounds of what is read, and the sentence where it cannot be.
 * Never: what a file means.
 * Any thread.
 */
#include "topo/sysfile.h"

#include "base/cleanup.h"
#include "base/num.h"
#include "topo/topo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sysfile_path sysfile_path(const char *fmt, ...)
{
	struct sysfile_path path;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path.s, sizeof(path.s), fmt, ap);
	va_end(ap);
	return path;
}

struct sysfile_path sysfile_in(const char *dir, const char *name)
{
	size_t n = strlen(dir), m = strlen(name);
	struct sysfile_path path;

	if (n + 1 + m > SYSFILE_PATH)
		return sysfile_path("%s/%s", dir, name);
	memcpy(path.s, dir, n);
	path.s[n] = '/';
	memcpy(path.s + n + 1, name, m + 1);
	return path;
}

static int check_length(const char *path, struct err *err)
{
	return strlen(path) < SYSFILE_PATH ? 0 :
	       err_set(err, -ENAMETOOLONG, "%.100s...: the path is too long", path);
}

int sysfile_open(const char *path, int flags, struct err *err)
{
	int fd = check_length(path, err);

	if (fd < 0)
		return fd;
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? err_set(err, -errno, "%s: %m", path) : fd;
}

DIR *sysfile_opendir(const char *path)
{
	errno = -check_length(path, NULL);
	return errno ? NULL : opendir(path);
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int order_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int sysfile_names(const char *path, struct dirent ***ret, struct err *err)
{
	int n = check_length(path, err);

	if (n < 0)
		return n;
	n = scandir(path, ret, is_shown, order_name);
	return n < 0 ? err_set(err, -errno, "%s: %m", path) : n;
}

/* sysfile_head(), where a read of less than `part` is the last one. */
static int read_parts(const char *path, char *buf, size_t n, ssize_t part, struct err *err)
{
	AUTO_FD int fd = sysfile_open(path, O_RDONLY, err);
	size_t total = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	do {
		got = read(fd, buf + total, n - total);
		total += got > 0 ? (size_t)got : 0;
	} while (got >= part && total < n);
	return got < 0 ? err_set(err, -errno, "%s: %m", path) : (int)total;
}

int sysfile_head(const char *path, char *buf, size_t n, struct err *err)
{
	return read_parts(path, buf, n, 1, err);
}

int sysfile_read(const char *path, char text[SYSFILE_MAX + 1], struct err *err)
{
	/* the kernel gives an attribute at once, up to a page */
	int n = read_parts(path, text, SYSFILE_MAX + 1, SYSFILE_MAX, err);

	if (n < 0)
		return n;
	if (n > SYSFILE_MAX)
		return err_set(err, -EUCLEAN, "%s: larger than %d bytes", path, SYSFILE_MAX);
	if (n > 0 && text[n - 1] == '\n')
		n--;
	if (n == 0)
		return err_set(err, -ENODATA, "%s: empty", path);
	text[n] = '\0';
	for (int i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t' && c != '\n') || c >= 0x7f)
			return err_set(err, -EUCLEAN, "%s: not plain text (byte 0x%02x)", path, c);
	}
	return (int)n;
}

int sysfile_cpulist(const char *path, unsigned **ret, unsigned *ret_n, struct err *err)
{
	char text[SYSFILE_MAX + 1];
	struct cpu_range range = { text, 0, 0 };
	AUTO_FREE(free) unsigned *v = NULL;
	unsigned n = 0;
	int r = sysfile_read(path, text, err);

	if (r < 0)
		return r == -ENODATA ? -EUCLEAN : r;
	v = malloc(TOPO_CPUS_MAX * sizeof(*v));
	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	while ((r = num_next_range(&range, TOPO_CPUS_MAX - 1)) > 0)
		for (unsigned cpu = range.first; cpu < range.end; cpu++)
			v[n++] = cpu;
	if (r < 0 || n == 0)
		return err_set(err, -EUCLEAN, "%s: \"%.40s\" is not a list of CPUs below %d, such "
			       "as 0-3,8", path, text, TOPO_CPUS_MAX);
	*ret = TAKE(v);
	*ret_n = n;
	return 0;
}

int sysfile_number(const char *path, long long least, long long most, long long *ret,
		   struct err *err)
{
	char text[SYSFILE_MAX + 1], *end;
	long long v;
	int r = sysfile_read(path, text, err);

	if (r < 0)
		return r == -ENODATA ? -EUCLEAN : r;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || end == text || strchr(" \t\n+", text[0]) || v < least || v > most)
		return err_set(err, -EUCLEAN, "%s: \"%.40s\" is not a number from %lld to %lld",
			       path, text, least, most);
	*ret = v;
	return 0;
}
