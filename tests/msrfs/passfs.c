/* SPDX-License-Identifier: MIT
 * Uncore-passfs: a directory's files again, through FUSE. A signal that stops it
 * makes a disk that hangs.
 * Owns:  what uncored does in its run directory, and no more.
 * Never: what is in the files.
 * One thread: FUSE runs single-threaded.
 */
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int base;                                /* the directory's descriptor */

/* "/name" of FUSE, "." for the directory itself. */
static const char *here(const char *path)
{
	return path[1] ? path + 1 : ".";
}

static int done(int r)
{
	return r < 0 ? -errno : 0;
}

static int fs_getattr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	(void)fi;
	return done(fstatat(base, here(path), st, AT_SYMLINK_NOFOLLOW));
}

static int fs_readdir(const char *path, void *buf, fuse_fill_dir_t fill, off_t off,
		      struct fuse_file_info *fi, enum fuse_readdir_flags flags)
{
	DIR *d = fdopendir(openat(base, here(path), O_RDONLY | O_DIRECTORY));
	struct dirent *e;

	(void)off;
	(void)fi;
	(void)flags;
	if (!d)
		return -errno;
	while ((e = readdir(d)))
		fill(buf, e->d_name, NULL, 0, 0);
	closedir(d);
	return 0;
}

static int opened(int fd, struct fuse_file_info *fi)
{
	fi->fh = (uint64_t)fd;
	return done(fd);
}

static int fs_open(const char *path, struct fuse_file_info *fi)
{
	return opened(openat(base, here(path), fi->flags), fi);
}

static int fs_create(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	return opened(openat(base, here(path), fi->flags | O_CREAT, mode), fi);
}

static int fs_read(const char *path, char *buf, size_t size, off_t off, struct fuse_file_info *fi)
{
	ssize_t n = pread((int)fi->fh, buf, size, off);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int fs_write(const char *path, const char *buf, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	ssize_t n = pwrite((int)fi->fh, buf, size, off);

	(void)path;
	return n < 0 ? -errno : (int)n;
}

static int fs_truncate(const char *path, off_t size, struct fuse_file_info *fi)
{
	(void)path;
	return fi ? done(ftruncate((int)fi->fh, size)) : -EACCES;
}

static int fs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *fi)
{
	(void)fi;
	return done(fchownat(base, here(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int fs_chmod(const char *path, mode_t mode, struct fuse_file_info *fi)
{
	(void)fi;
	return done(fchmodat(base, here(path), mode, 0));
}

static int fs_fsync(const char *path, int data, struct fuse_file_info *fi)
{
	(void)path;
	(void)data;
	return done(fsync((int)fi->fh));
}

static int fs_release(const char *path, struct fuse_file_info *fi)
{
	(void)path;
	return done(close((int)fi->fh));
}

static int fs_unlink(const char *path)
{
	return done(unlinkat(base, here(path), 0));
}

static int fs_rename(const char *from, const char *to, unsigned flags)
{
	return flags ? -EINVAL : done(renameat(base, here(from), base, here(to)));
}

/* Every request reaches us: nothing may be remembered by the kernel. */
static void *fs_init(struct fuse_conn_info *conn, struct fuse_config *cfg)
{
	(void)conn;
	cfg->entry_timeout = cfg->attr_timeout = cfg->negative_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = fs_init, .getattr = fs_getattr, .readdir = fs_readdir, .open = fs_open,
	.create = fs_create, .read = fs_read, .write = fs_write, .truncate = fs_truncate,
	.chmod = fs_chmod, .chown = fs_chown, .fsync = fs_fsync, .release = fs_release,
	.unlink = fs_unlink, .rename = fs_rename,
};

/* uncore-passfs DIRECTORY MOUNTPOINT */
int main(int argc, char **argv)
{
	char *mount[] = { argv[0], (char[]){ "-f" }, (char[]){ "-s" }, (char[]){ "-o" },
			  (char[]){ "fsname=uncore-passfs" }, argc == 3 ? argv[2] : NULL, NULL };

	base = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (base < 0) {
		fprintf(stderr, "usage: uncore-passfs DIRECTORY MOUNTPOINT\n");
		return EXIT_FAILURE;
	}
	return fuse_main(6, mount, &operations, NULL);
}
