/* SPDX-License-Identifier: MIT
 *
 * Owns:  the private directory, from mkdtemp() to its removal, and the process uncored-machine that
 *        removes it when its maker has ended, however that was.
 */
#include "topo/machine_dir.h"

#include "base/bits.h"
#include "base/own_dir.h"
#include "topo/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct machine_dir {
	char path[PATH_MAX];
	struct sysfile_stand_in stands_for;
	int held;                   /* the other end is the guard's, who removes the directory when
	                             * this one is closed */
	pid_t guard;
};

/* ------------------------------------------------------------------ files */

/* The directory that a path below the directory `fd` is in, and those above it. Most often these
 * are there: a machine has a thousand files, and not all of the way is tried for each. */
static int make_directories(int fd, const char *path)
{
	const char *end = strrchr(path, '/');
	char part[PATH_MAX];
	int r;

	if (!end)
		return 0;
	if ((size_t)(end - path) >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, (size_t)(end - path));
	part[end - path] = '\0';
	if (mkdirat(fd, part, 0755) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return -errno;
	r = make_directories(fd, part);
	if (r < 0)
		return r;
	return mkdirat(fd, part, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static int write_file(int dir, const struct machine_file *f)
{
	AUTO_FD int fd = openat(dir, f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
				0644);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, f->bytes, f->n);
	if (n < 0)
		return -errno;
	return (size_t)n == f->n ? 0 : -ENOSPC;
}

static int write_link(int dir, const struct machine_file *f)
{
	char to[PATH_MAX];

	if (f->n >= sizeof(to))
		return -ENAMETOOLONG;
	memcpy(to, f->bytes, f->n);
	to[f->n] = '\0';
	if (symlinkat(to, dir, f->path) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	unlinkat(dir, f->path, 0);
	return symlinkat(to, dir, f->path) < 0 ? -errno : 0;
}

static int put_file(int dir, const struct machine_file *f)
{
	int r = f->link ? write_link(dir, f) : write_file(dir, f);

	if (r != -ENOENT)
		return r;
	r = make_directories(dir, f->path);
	if (r < 0)
		return r;
	return f->link ? write_link(dir, f) : write_file(dir, f);
}

int machine_dir_fill(const struct machine_text *m, const char *dir, struct err *err)
{
	AUTO_FD int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, -errno, "%s: %m", dir);
	for (unsigned i = 0; i < m->n_files; i++) {
		int r = put_file(fd, &m->files[i]);

		if (r < 0)
			return err_set(err, r, "%s: the file %s of this machine cannot be made in "
				       "%s: %s", m->name, m->files[i].path, dir, strerror(-r));
	}
	return 0;
}

/* ------------------------------------------------------------------ the directory */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

/* With one directory open at a time: there may be few descriptors. */
static void remove_directory(const char *path)
{
	nftw(path, remove_one, 1, FTW_DEPTH | FTW_PHYS);
}

static int make_directory(const char *run, char ret[PATH_MAX], struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	bool given = tmp && *tmp, named = strcmp(run, OWN_RUN_DIR) != 0;
	/* memory first: on a disk the files of a big machine take seconds, and the /run of a
	 * container may be on one */
	const char *const memory = given ? tmp : "/dev/shm", *disk = given ? tmp : "/tmp";
	const char *const places[] = { named ? run : memory, memory, disk, run };

	for (unsigned i = 0; i < COUNT(places); i++) {
		int n = snprintf(ret, PATH_MAX, "%s/machine-XXXXXX", places[i]);

		if (n >= PATH_MAX)
			errno = ENAMETOOLONG;
		else if (mkdtemp(ret))
			return 0;
	}
	return err_set(err, -errno, "no directory for the files of a machine can be made in %.200s "
		       "or %.200s: %m; name another one with --path-run", run, disk);
}

/* What the guard says when it has made the directory, or could not. */
struct made {
	int r;
	struct err err;
	char path[PATH_MAX];
};

/* Makes the directory, so that there is none without a guard, and removes it when the other end is
 * closed. It has nothing open but its end: whoever waits for the end of our output does not wait
 * for this. No signal ends it before. */
static void __attribute__((noreturn)) guard(const char *run, int end)
{
	static struct made made;
	char byte;

	prctl(PR_SET_NAME, "uncored-machine");
	for (int fd = 0; fd < end; fd++)
		close(fd);
	closefrom(end + 1);
	made.r = make_directory(run, made.path, &made.err);
	if (send(end, &made, sizeof(made), MSG_NOSIGNAL) == (ssize_t)sizeof(made) && made.r == 0)
		while (recv(end, &byte, 1, 0) < 0 && errno == EINTR)
			;
	if (made.r == 0)
		remove_directory(made.path);
	_exit(0);
}

static int start_guard(struct machine_dir *d, const char *run, struct err *err)
{
	AUTO_FREE(free) struct made *made = calloc(1, sizeof(*made));
	sigset_t all, before;
	int ends[2], r = 0;
	ssize_t n;

	if (!made)
		return err_set(err, -ENOMEM, "out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_set(err, -errno, "no directory for a machine can be guarded: %m");
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	d->guard = fork();
	if (d->guard == 0) {
		close(ends[1]);
		guard(run, ends[0]);
	}
	if (d->guard < 0)
		r = err_set(err, -errno, "no process that removes the files of a machine can be "
			    "started: %m");
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[0]);
	d->held = ends[1];
	if (r < 0)
		return r;
	do
		n = recv(d->held, made, sizeof(*made), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*made))
		return err_set(err, -EIO, "the process that makes the directory of a machine "
			       "ended before it had");
	memcpy(d->path, made->path, sizeof(d->path));
	return made->r < 0 ? err_set(err, made->r, "%s", made->err.text) : 0;
}

int machine_dir_make(const struct machine_text *m, const char *run, struct machine_dir **ret,
		     struct err *err)
{
	AUTO_FREE(machine_dir_free) struct machine_dir *d = calloc(1, sizeof(*d));
	struct err why;
	int r;

	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	d->held = -1;
	r = start_guard(d, run, err);
	if (r < 0)
		return r;
	r = machine_dir_fill(m, d->path, &why);
	if (r < 0)
		return err_set(err, r, "%s; name another directory with --path-run", why.text);
	d->stands_for.root = d->path;
	sysfile_stand_in_begin(&d->stands_for);
	*ret = TAKE(d);
	return 0;
}

void machine_dir_free(struct machine_dir *d)
{
	if (!d)
		return;
	sysfile_stand_in_end(&d->stands_for);
	if (d->held >= 0)
		close(d->held);
	if (d->guard > 0)
		waitpid(d->guard, NULL, 0);
	free(d);
}

const char *machine_dir_path(const struct machine_dir *d)
{
	return d->path;
}
