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

struct sysfile_path sysfile_path_in(const struct sysfile_dir *dir, const char *name)
{
	return dir ? sysfile_path("%s/%s", dir->path.s, name) : sysfile_path("%s", name);
}

/* ---- what a path is called */

static struct sysfile_stand_in *stand_ins;

void sysfile_stand_in_begin(struct sysfile_stand_in *s)
{
	s->next = stand_ins;
	stand_ins = s;
}

void sysfile_stand_in_end(struct sysfile_stand_in *s)
{
	struct sysfile_stand_in **at = &stand_ins;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
}

static const char *root_of(const char *rest)
{
	if (strcmp(rest, "cpuinfo") == 0 || strncmp(rest, "sys/", 4) == 0)
		return "/proc";
	return strncmp(rest, "cpu/", 4) == 0 ? "/dev" : "/sys";
}

struct sysfile_path sysfile_shown(const char *path)
{
	for (const struct sysfile_stand_in *s = stand_ins; s; s = s->next) {
		size_t n = strlen(s->root);

		if (strncmp(path, s->root, n) == 0 && path[n] == '/')
			return sysfile_path("%s%s", root_of(path + n + 1), path + n);
	}
	return sysfile_path("%s", path);
}

static struct sysfile_path shown_in(const struct sysfile_dir *dir, const char *name)
{
	return sysfile_shown(sysfile_path_in(dir, name).s);
}

/* ---- reading */

static int fd_of(const struct sysfile_dir *dir)
{
	return dir ? dir->fd : AT_FDCWD;
}

/* The reason is in errno. */
static int call_failed(const struct sysfile_dir *dir, const char *name, struct err *err)
{
	int r = -errno;

	return err ? err_set(err, r, "%s: %s", shown_in(dir, name).s, strerror(-r)) : r;
}

static int check_length(const struct sysfile_dir *dir, const char *name, struct err *err)
{
	size_t n = dir ? strlen(dir->path.s) + 1 : 0;

	if (n + strlen(name) < SYSFILE_PATH)
		return 0;
	return err_set(err, -ENAMETOOLONG, "%.100s...: the path is too long",
		       shown_in(dir, name).s);
}

static int open_in(const struct sysfile_dir *dir, const char *name, int flags, struct err *err)
{
	int fd = check_length(dir, name, err);

	if (fd < 0)
		return fd;
	fd = openat(fd_of(dir), name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? call_failed(dir, name, err) : fd;
}

int sysfile_open(const char *path, int flags, struct err *err)
{
	return open_in(NULL, path, flags, err);
}

int sysfile_dir_open(const struct sysfile_dir *in, const char *name, struct sysfile_dir *ret,
		     struct err *err)
{
	ret->fd = open_in(in, name, O_PATH | O_DIRECTORY, err);
	if (ret->fd < 0)
		return ret->fd;
	ret->path = sysfile_path_in(in, name);
	return 0;
}

void sysfile_dir_close(struct sysfile_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
}

DIR *sysfile_opendir(const char *path)
{
	errno = -check_length(NULL, path, NULL);
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

int sysfile_names(const struct sysfile_dir *dir, const char *name, struct dirent ***ret,
		  struct err *err)
{
	int n = check_length(dir, name, err);

	if (n < 0)
		return n;
	n = scandirat(fd_of(dir), name, ret, is_shown, order_name);
	return n < 0 ? call_failed(dir, name, err) : n;
}

/* sysfile_head(), where a read of less than `part` is the last one. */
static int read_parts(const struct sysfile_dir *dir, const char *name, char *buf, size_t n,
		      ssize_t part, struct err *err)
{
	AUTO_FD int fd = open_in(dir, name, O_RDONLY, err);
	size_t total = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	do {
		got = read(fd, buf + total, n - total);
		total += got > 0 ? (size_t)got : 0;
	} while (got >= part && total < n);
	return got < 0 ? call_failed(dir, name, err) : (int)total;
}

int sysfile_head(const char *path, char *buf, size_t n, struct err *err)
{
	return read_parts(NULL, path, buf, n, 1, err);
}

int sysfile_read_in(const struct sysfile_dir *dir, const char *name, char text[SYSFILE_MAX + 1],
		    struct err *err)
{
	/* the kernel gives an attribute at once, up to a page */
	int n = read_parts(dir, name, text, SYSFILE_MAX + 1, SYSFILE_MAX, err);

	if (n < 0)
		return n;
	if (n > SYSFILE_MAX)
		return err_set(err, -EUCLEAN, "%s: larger than %d bytes",
			       shown_in(dir, name).s, SYSFILE_MAX);
	if (n > 0 && text[n - 1] == '\n')
		n--;
	if (n == 0)
		return err_set(err, -ENODATA, "%s: empty", shown_in(dir, name).s);
	text[n] = '\0';
	for (int i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t' && c != '\n') || c >= 0x7f)
			return err_set(err, -EUCLEAN, "%s: not plain text (byte 0x%02x)",
				       shown_in(dir, name).s, c);
	}
	return (int)n;
}

int sysfile_read(const char *path, char text[SYSFILE_MAX + 1], struct err *err)
{
	return sysfile_read_in(NULL, path, text, err);
}

int sysfile_cpulist_in(const struct sysfile_dir *dir, const char *name, unsigned **ret,
		       unsigned *ret_n, struct err *err)
{
	char text[SYSFILE_MAX + 1];
	struct cpu_range range = { text, 0, 0 };
	AUTO_FREE(free) unsigned *v = NULL;
	unsigned n = 0;
	int r = sysfile_read_in(dir, name, text, err);

	if (r < 0)
		return r;
	v = malloc(TOPO_CPUS_MAX * sizeof(*v));
	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	while ((r = num_next_range(&range, TOPO_CPUS_MAX - 1)) > 0)
		for (unsigned cpu = range.first; cpu < range.end; cpu++)
			v[n++] = cpu;
	if (r < 0 || n == 0)
		return err_set(err, -EUCLEAN, "%s: \"%.40s\" is not a list of CPUs below %d, such "
			       "as 0-3,8", shown_in(dir, name).s, text,
			       TOPO_CPUS_MAX);
	*ret = TAKE(v);
	*ret_n = n;
	return 0;
}

int sysfile_cpulist(const char *path, unsigned **ret, unsigned *ret_n, struct err *err)
{
	return sysfile_cpulist_in(NULL, path, ret, ret_n, err);
}

int sysfile_number_in(const struct sysfile_dir *dir, const char *name, long long least,
		      long long most, long long *ret, struct err *err)
{
	char text[SYSFILE_MAX + 1], *end;
	long long v;
	int r = sysfile_read_in(dir, name, text, err);

	if (r < 0)
		return r == -ENODATA ? -EUCLEAN : r;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end || end == text || strchr(" \t\n+", text[0]) || v < least || v > most)
		return err_set(err, -EUCLEAN, "%s: \"%.40s\" is not a number from %lld to %lld",
			       shown_in(dir, name).s, text, least, most);
	*ret = v;
	return 0;
}

int sysfile_number(const char *path, long long least, long long most, long long *ret,
		   struct err *err)
{
	return sysfile_number_in(NULL, path, least, most, ret, err);
}
