/* SPDX-License-Identifier: MIT
 * One uncored per machine touches registers.
 * Owns:  RUN/uncored.lock; the run directory, and that nobody else can write in it, nor open a file
 *        in it: who can open the lock can hold it.
 * Never: the state file beside it.
 * Main thread.
 */
#include "access/counting.h"

#include "base/cleanup.h"
#include "base/user.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Who holds it, as the file says: "" if it does not say. */
static void read_holder(int fd, char *buf, size_t n)
{
	ssize_t got = pread(fd, buf, n - 1, 0);

	buf[got > 0 ? got : 0] = '\0';
	buf[strspn(buf, "0123456789")] = '\0';
}

/* Root puts back what the service, which is not root, left. */
static bool is_service(uid_t owner)
{
	uid_t uid;
	gid_t gid;

	return geteuid() == 0 && user_find(&uid, &gid) && uid == owner;
}

void rundir_chown(int dir, int fd)
{
	struct stat st;

	if (geteuid() == 0 && fstat(dir, &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, (gid_t)-1) < 0)
		return;                 /* then the service says whose it is */
}

/* Ours, no other name leads to it, nobody else may write to it. */
static int check_ours(int fd, const char *name, bool dir, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s: cannot read its owner and mode: %m", name);
	if (dir && !S_ISDIR(st.st_mode))
		return err_set(err, -EBUSY, "%s: must be a real directory: remove it", name);
	if (!dir && (!S_ISREG(st.st_mode) || st.st_nlink != 1))
		return err_set(err, -EBUSY, "%s: must be a regular file without links: remove it",
			       name);
	if (st.st_uid != geteuid() && !is_service(st.st_uid))
		return err_set(err, -EBUSY, "%s: belongs to user %u, but uncored runs as user %u: "
			       "its owner could make uncored write any value to the registers; "
			       "remove it, or choose another directory with --path-run", name,
			       st.st_uid, geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, -EBUSY, "%s: other users may write to it (mode %o) and could "
			       "make uncored write any value to the registers; remove it, or "
			       "choose another directory with --path-run", name,
			       st.st_mode & 07777);
	return 0;
}

/* One that an earlier version left may be open to others, and the umask may close one to us. To
 * root without CAP_FOWNER what the service left stays as it is until the service opens it. */
static int make_private(int fd, const char *name, struct err *err)
{
	struct stat st = { 0 };

	if (fstat(fd, &st) == 0 && (st.st_mode & 07777) == RUNDIR_FILE_MODE)
		return 0;
	if (fchmod(fd, RUNDIR_FILE_MODE) == 0 || (errno == EPERM && st.st_uid != geteuid()))
		return 0;
	return err_set(err, -errno, "%s: cannot set its mode to %o: %m", name, RUNDIR_FILE_MODE);
}

int rundir_open(const char *run, struct err *err)
{
	char path[PATH_MAX];
	size_t n = strlen(run);
	AUTO_FD int fd = -1;
	int r;

	while (n > 1 && run[n - 1] == '/')      /* behind a slash a link is followed all the same */
		n--;
	if (n >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the run directory's name is too long");
	snprintf(path, sizeof(path), "%.*s", (int)n, run);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot be opened as a directory: %m (symbolic "
			       "links are not followed)", run);
	r = check_ours(fd, run, true, err);
	if (r < 0)
		return r;
	return TAKE_FD(fd);
}

int rundir_file(const char *run, const char *name, int flags, struct err *err)
{
	AUTO_FD int dir = rundir_open(run, err);
	AUTO_FD int fd = -1;
	char path[PATH_MAX];
	int r;

	if (dir < 0)
		return dir;
	snprintf(path, sizeof(path), "%s/%s", run, name);
	fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, RUNDIR_FILE_MODE);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot be opened: %m", path);
	r = check_ours(fd, path, false, err);
	if (r < 0)
		return r;
	if (flags & O_CREAT)
		r = make_private(fd, path, err);
	if (r < 0)
		return r;
	rundir_chown(dir, fd);
	return TAKE_FD(fd);
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
	char path[PATH_MAX], pid[24];
	AUTO_FD int fd = -1;
	ssize_t written;
	int n;

	n = snprintf(path, sizeof(path), "%s/uncored.lock", run);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the run directory's name is too long");
	if (mkdir(run, RUNDIR_MODE) < 0 && errno != EEXIST)
		return err_set(err, -errno, "%s: cannot be created: %m", run);
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
