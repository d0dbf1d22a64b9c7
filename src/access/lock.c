/* SPDX-License-Identifier: MIT
 * One uncored per machine touches registers.
 * Owns:  RUN/uncored.lock; what the run directory is called, and what is at stake in it.
 * Never: the state file beside it.
 * Main thread.
 */
#include "access/counting.h"

#include "base/cleanup.h"
#include "base/own_dir.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Who holds it, as the file says: "" if it does not say. */
static void read_holder(int fd, char *buf, size_t n)
{
	ssize_t got = pread(fd, buf, n - 1, 0);

	buf[got > 0 ? got : 0] = '\0';
	buf[strspn(buf, "0123456789")] = '\0';
}

/* Whoever can write in it could forge the state file, and who can open the lock can hold it. */
static struct own_dir run_dir(const char *run)
{
	return (struct own_dir){ .path = run, .option = "--path-run",
				 .harm = "write any value to the registers" };
}

int rundir_file(const char *run, const char *name, int flags, struct err *err)
{
	const struct own_dir d = run_dir(run);

	return own_dir_file(&d, name, flags, err);
}

int rundir_write(const char *run, const char *name, const void *bytes, size_t n, struct err *err)
{
	const struct own_dir d = run_dir(run);

	return own_dir_write(&d, name, bytes, n, err);
}

int rundir_open(const char *run, struct err *err)
{
	const struct own_dir d = run_dir(run);

	return own_dir_open(&d, err);
}

int rundir_make(const char *run, struct err *err)
{
	const struct own_dir d = run_dir(run);
	int r = own_dir_make(&d, err);

	return r < 0 ? r : own_dir_open(&d, err);
}

/* Why the lock cannot be had, by errno. */
static int refuse_lock(int fd, const char *path, struct err *err)
{
	char pid[24], process[40] = "";
	int r = err_set(err, -errno, "%s: cannot be locked: %m", path);

	if (r != -EWOULDBLOCK)
		return r;
	read_holder(fd, pid, sizeof(pid));
	if (*pid)
		snprintf(process, sizeof(process), " (process %s)", pid);
	return err_set(err, r, "%s: another uncored%s holds it; stop that one first, or both would "
		       "overwrite each other's registers", path, process);
}

int lock_take(const char *run, struct err *err)
{
	const struct own_dir d = run_dir(run);
	char path[PATH_MAX], pid[24];
	AUTO_FD int fd = -1;
	ssize_t written;
	int n, r;

	n = snprintf(path, sizeof(path), "%s/uncored.lock", run);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the run directory's name is too long");
	r = own_dir_make(&d, err);
	if (r < 0)
		return r;
	fd = rundir_file(run, "uncored.lock", O_RDWR | O_CREAT, err);
	if (fd < 0)
		return fd;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return refuse_lock(fd, path, err);
	/* The process id only helps another uncored to name the holder. The lock holds without it,
	 * as on a full file system, where registers must be restored nevertheless. */
	n = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	written = ftruncate(fd, 0) < 0 ? -1 : pwrite(fd, pid, (size_t)n, 0);
	(void)written;
	return TAKE_FD(fd);
}
