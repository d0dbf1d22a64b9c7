/* SPDX-License-Identifier: MIT */
#include "base/own_dir.h"

#include "base/cleanup.h"
#include "base/user.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t file_mode(const struct own_dir *d)
{
	return d->shown ? OWN_FILE_MODE_SHOWN : OWN_FILE_MODE;
}

/* Root puts back what the service, which is not root, left; and what is shown may be read by
 * anybody, who trusts these two. */
static bool may_own(const struct own_dir *d, uid_t owner)
{
	uid_t uid;
	gid_t gid;

	if (owner == geteuid() || (d->shown && owner == 0))
		return true;
	return (d->shown || geteuid() == 0) && user_find(&uid, &gid) && uid == owner;
}

/* A file that root made in the directory of the service's user becomes that user's, too. */
static void give_to_owner(int dir, int fd)
{
	struct stat st;

	if (geteuid() == 0 && fstat(dir, &st) == 0 && st.st_uid != 0 &&
	    fchown(fd, st.st_uid, (gid_t)-1) < 0)
		return;                 /* then the service says whose it is */
}

/* Ours, no other name leads to it, nobody else may write to it. */
static int check_ours(const struct own_dir *d, int fd, const char *name, bool dir, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "%s: cannot read its owner and mode: %m", name);
	if (dir && !S_ISDIR(st.st_mode))
		return err_set(err, -EBUSY, "%s: must be a real directory: remove it", name);
	if (!dir && (!S_ISREG(st.st_mode) || st.st_nlink != 1))
		return err_set(err, -EBUSY, "%s: must be a regular file without links: remove it",
			       name);
	if (!may_own(d, st.st_uid))
		return err_set(err, -EBUSY, "%s: belongs to user %u, but uncored runs as user %u: "
			       "its owner could make uncored %s; "
			       "remove it, or choose another directory with %s", name,
			       st.st_uid, geteuid(), d->harm, d->option);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, -EBUSY, "%s: other users may write to it (mode %o) and could "
			       "make uncored %s; remove it, or "
			       "choose another directory with %s", name,
			       st.st_mode & 07777, d->harm, d->option);
	return 0;
}

/* One that an earlier version left may be open to others, and the umask may close one to us. To
 * root without CAP_FOWNER what the service left stays as it is until the service opens it. */
static int set_mode(int fd, mode_t mode, const char *name, struct err *err)
{
	struct stat st = { 0 };

	if (fstat(fd, &st) == 0 && (st.st_mode & 07777) == mode)
		return 0;
	if (fchmod(fd, mode) == 0 || (errno == EPERM && st.st_uid != geteuid()))
		return 0;
	return err_set(err, -errno, "%s: cannot set its mode to %o: %m", name, mode);
}

int own_dir_open(const struct own_dir *d, struct err *err)
{
	char path[PATH_MAX];
	size_t n = strlen(d->path);
	AUTO_FD int fd = -1;
	int r;

	while (n > 1 && d->path[n - 1] == '/')  /* behind a slash a link is followed all the same */
		n--;
	if (n >= sizeof(path))
		return err_set(err, -ENAMETOOLONG, "the directory's name for %s is too long",
			       d->option);
	snprintf(path, sizeof(path), "%.*s", (int)n, d->path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "%s: cannot be opened as a directory: %m (symbolic "
			       "links are not followed)", d->path);
	r = check_ours(d, fd, d->path, true, err);
	if (r < 0)
		return r;
	return TAKE_FD(fd);
}

int own_dir_make(const struct own_dir *d, struct err *err)
{
	if (mkdir(d->path, d->shown ? OWN_DIR_MODE_SHOWN : OWN_DIR_MODE) < 0 && errno != EEXIST)
		return err_set(err, -errno, "%s: cannot be created: %m", d->path);
	return 0;
}

static int open_in(const struct own_dir *d, int dir, const char *name, int flags, struct err *err)
{
	AUTO_FD int fd = openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
				file_mode(d));
	char path[PATH_MAX];
	int r = errno;

	snprintf(path, sizeof(path), "%s/%s", d->path, name);
	if (fd < 0)
		return err_set(err, -r, "%s: cannot be opened: %s", path,
			       r == ELOOP ? "it is a symbolic link, which is not followed: "
					    "remove it" : strerror(r));
	r = check_ours(d, fd, path, false, err);
	if (r < 0)
		return r;
	if (flags & O_CREAT)
		r = set_mode(fd, file_mode(d), path, err);
	if (r < 0)
		return r;
	give_to_owner(dir, fd);
	return TAKE_FD(fd);
}

int own_dir_file(const struct own_dir *d, const char *name, int flags, struct err *err)
{
	AUTO_FD int dir = own_dir_open(d, err);

	return dir < 0 ? dir : open_in(d, dir, name, flags, err);
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = TEMP_FAILURE_RETRY(write(fd, p, n));

		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Its owner, mode and bytes, on disk. */
static int fill_file(const struct own_dir *d, int dir, int fd, const void *bytes, size_t n)
{
	int r;

	give_to_owner(dir, fd);
	if (fchmod(fd, file_mode(d)) < 0)
		return -errno;
	r = write_all(fd, bytes, n);
	if (r < 0)
		return r;
	return fsync(fd) < 0 ? -errno : 0;
}

/* A new file, on disk, under the temporary name. */
static int write_temp(const struct own_dir *d, int dir, const char *temp, const void *bytes,
		      size_t n)
{
	int r, fd;

	if (unlinkat(dir, temp, 0) < 0 && errno != ENOENT)
		return -errno;
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, file_mode(d));
	if (fd < 0)
		return -errno;
	r = fill_file(d, dir, fd, bytes, n);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0)
		unlinkat(dir, temp, 0);
	return r;
}

static int write_in(const struct own_dir *d, int dir, const char *name, const void *bytes, size_t n)
{
	char temp[NAME_MAX + 1];
	int r;

	if ((size_t)snprintf(temp, sizeof(temp), "%s.new", name) >= sizeof(temp))
		return -ENAMETOOLONG;
	r = write_temp(d, dir, temp, bytes, n);
	if (r < 0)
		return r;
	if (renameat(dir, temp, dir, name) < 0)
		return -errno;
	return fsync(dir) < 0 && errno != EINVAL ? -errno : 0;
}

int own_dir_write(const struct own_dir *d, const char *name, const void *bytes, size_t n,
		  struct err *err)
{
	AUTO_FD int dir = own_dir_open(d, err);
	int r;

	if (dir < 0)
		return dir;
	r = write_in(d, dir, name, bytes, n);
	if (r < 0)
		return err_set(err, r, "%s/%s: cannot be written: %s", d->path, name, strerror(-r));
	return 0;
}

/* At most n bytes, and how many there were. */
static int read_all(int fd, char *to, size_t n, size_t *ret)
{
	for (size_t done = 0;;) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, to + done, n - done));

		if (got < 0)
			return -errno;
		done += (size_t)got;
		*ret = done;
		if (got == 0 || done == n)
			return 0;
	}
}

int own_dir_read(const struct own_dir *d, const char *name, size_t max, char **ret, size_t *ret_n,
		 struct err *err)
{
	AUTO_FREE(free) char *text = malloc(max + 1);
	AUTO_FD int fd = own_dir_file(d, name, O_RDONLY, err);
	size_t n = 0;
	int r;

	if (fd == -ENOENT) {
		err_set(err, 0, "%s", "");      /* nothing is wrong */
		*ret = NULL;
		*ret_n = 0;
		return 0;
	}
	if (fd < 0)
		return fd;
	r = text ? read_all(fd, text, max + 1, &n) : -ENOMEM;
	if (r < 0)
		return err_set(err, r, "%s/%s: cannot be read: %s", d->path, name, strerror(-r));
	if (n > max)
		return err_set(err, -EFBIG, "%s/%s: it is larger than %zu bytes, so uncored did "
			       "not write it: remove it", d->path, name, max);
	text[n] = '\0';
	*ret = TAKE(text);
	*ret_n = n;
	return 0;
}
