/* SPDX-License-Identifier: MIT
 * Small text files of sysfs and procfs.
 *
 * Owns:  reading with a bound, and refusing what is no plain text; the sentence that names the
 *        file.
 * Never: what a file means.
 * Any thread; nothing here blocks: a FIFO in a made-up tree reads as empty.
 */
#ifndef TOPO_SYSFILE_H
#define TOPO_SYSFILE_H

#include "base/err.h"

#include <dirent.h>
#include <stddef.h>

#define SYSFILE_MAX  4096           /* a sysfs attribute is at most a page */
#define SYSFILE_PATH 1024

/*
 * sysfile_path - a path in an array of its own, so that a call can format its path in place:
 * sysfile_number(sysfile_path("%s/type", dir).s, ...).
 *
 * A path of SYSFILE_PATH characters is one that was too long, and is cut: the functions below
 * return -ENAMETOOLONG for it, with a sentence.
 */
struct sysfile_path {
	char s[SYSFILE_PATH + 1];
};
struct sysfile_path sysfile_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * sysfile_shown - the path as sentences name it.
 *
 * The private directory of a machine that is a text stands for that machine's /sys, /proc and /dev:
 * its files are called as that machine would call them. From _begin to _end `s` is borrowed. Main
 * thread, as all that makes such sentences.
 */
struct sysfile_stand_in {
	const char *root;           /* borrowed */
	struct sysfile_stand_in *next;
};
void sysfile_stand_in_begin(struct sysfile_stand_in *s);
void sysfile_stand_in_end(struct sysfile_stand_in *s);
struct sysfile_path sysfile_shown(const char *path);

/*
 * sysfile_dir - a directory of which several files are read: the kernel looks up the way to it once
 * and not for each of them. The functions that end in _in take a name in it, which may have a
 * slash, or no directory, NULL, and a path; the others take a path. Sentences name the whole path.
 *
 * sysfile_dir_open returns 0, or -errno with a sentence.
 */
struct sysfile_dir {
	int fd;                     /* negative: not open */
	struct sysfile_path path;
};
int sysfile_dir_open(const struct sysfile_dir *in, const char *name, struct sysfile_dir *ret,
		     struct err *err);
void sysfile_dir_close(struct sysfile_dir *dir);
struct sysfile_path sysfile_path_in(const struct sysfile_dir *dir, const char *name);

/* sysfile_open - open(), not blocking and closed on exec. Returns a descriptor, or -errno with a
 * sentence that names the file. */
int sysfile_open(const char *path, int flags, struct err *err);

/* sysfile_opendir - opendir(), with the bound of a path. */
DIR *sysfile_opendir(const char *path);

/* sysfile_names - the names in the directory `name` of dir (NULL: in that path) that do not begin
 * with a dot, in byte order. Returns how many there are, or -errno with a sentence. free() each and
 * *ret. */
int sysfile_names(const struct sysfile_dir *dir, const char *name, struct dirent ***ret,
		  struct err *err);

/*
 * sysfile_read - the whole file without its final newline.
 *
 * Returns its length, or -errno with a sentence naming the file: it cannot be read (-ENOENT:
 * absent), is empty (-ENODATA), or is none of the kernel's (-EUCLEAN): larger than SYSFILE_MAX, or
 * with bytes other than printable ASCII, tab and newline.
 */
int sysfile_read(const char *path, char text[SYSFILE_MAX + 1], struct err *err);
int sysfile_read_in(const struct sysfile_dir *dir, const char *name, char text[SYSFILE_MAX + 1],
		    struct err *err);

/* sysfile_head - the first n bytes at most, whatever they are. Returns how many, or -errno with a
 * sentence. */
int sysfile_head(const char *path, char *buf, size_t n, struct err *err);

/* sysfile_cpulist - "0-3,8", ascending, at least one, all below TOPO_CPUS_MAX; -ENODATA: it is
 * empty; -EUCLEAN: it is something else. *ret is to be freed. */
int sysfile_cpulist(const char *path, unsigned **ret, unsigned *ret_n, struct err *err);
int sysfile_cpulist_in(const struct sysfile_dir *dir, const char *name, unsigned **ret,
		       unsigned *ret_n, struct err *err);

/* sysfile_number - a decimal number within least .. most; -EUCLEAN: it is something else. */
int sysfile_number(const char *path, long long least, long long most, long long *ret,
		   struct err *err);
int sysfile_number_in(const struct sysfile_dir *dir, const char *name, long long least,
		      long long most, long long *ret, struct err *err);

#endif
