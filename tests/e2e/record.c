/* SPDX-License-Identifier: MIT
 * record.c - preloaded by kills.py: which files a program writes, synchronises, renames and
 * removes, a line for each call that succeeded, in the order in which they ended: "fsync PATH".
 * RECORD names the file for the lines. Each is one write(), so lines of threads do not mix.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int out = -1;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("RECORD");

	if (path)
		out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void record(const char *call, int dir, const char *name)
{
	char link[64], at[PATH_MAX] = "", line[2 * PATH_MAX];
	int n;

	if (dir >= 0) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
		if (readlink(link, at, sizeof(at) - 1) < 0)
			strcpy(at, "?");
	}
	n = snprintf(line, sizeof(line), "%s %s%s%s\n", call, at, name ? "/" : "",
		     name ? name : "");
	if (out >= 0)
		syscall(SYS_write, out, line, (size_t)n);
}

#define REAL(name, ...) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t r = syscall(SYS_write, fd, buf, n);

	if (r >= 0)
		record("write", fd, NULL);
	return r;
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	ssize_t r = syscall(SYS_pwrite64, fd, buf, n, at);

	if (r >= 0)
		record("pwrite", fd, NULL);
	return r;
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	return pwrite(fd, buf, n, at);
}

int fsync(int fd)
{
	int r = REAL(fsync, fd);

	if (r == 0)
		record("fsync", fd, NULL);
	return r;
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	int r = REAL(renameat, from_dir, from, to_dir, to);

	if (r == 0)
		record("rename", to_dir, to);
	return r;
}

int unlinkat(int dir, const char *name, int flags)
{
	int r = REAL(unlinkat, dir, name, flags);

	if (r == 0)
		record("unlink", dir, name);
	return r;
}
