/* sysfile.h - small text files of sysfs and procfs.
 *
 * Owns:  reading with a bound, and refusing what is no plain text; the sentence that names the
 *        file.
 * Never: what a file means.
 * Any thread; nothing here blocks: a FIFO in a made-up tree reads as empty.
 */
#ifndef TOPO_SYSFILE_H
#define TOPO_SYSFILE_H

#include "base/err.h"

#include <stddef.h>

#define SYSFILE_MAX  4096           /* a sysfs attribute is at most a page */
#define SYSFILE_PATH 1024

/* sysfile_path - "root/rest"; -ENAMETOOLONG with a sentence. */
int sysfile_path(char path[SYSFILE_PATH], struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * sysfile_read - the whole file without its final newline.
 *
 * Returns its length, or -errno with a sentence naming the file: it cannot be read (-ENOENT:
 * absent), is empty (-ENODATA), or is none of the kernel's (-EUCLEAN): larger than SYSFILE_MAX, or
 * with bytes other than printable ASCII, tab and newline.
 */
int sysfile_read(const char *path, char text[SYSFILE_MAX + 1], struct err *err);

/* sysfile_head - the first n bytes at most, whatever they are. Returns how many, or -errno with a
 * sentence. */
int sysfile_head(const char *path, char *buf, size_t n, struct err *err);

/* sysfile_cpulist - "0-3,8", ascending, at least one, all below TOPO_CPUS_MAX; -EUCLEAN: it is
 * something else. *ret is to be freed. */
int sysfile_cpulist(const char *path, unsigned **ret, unsigned *ret_n, struct err *err);

/* sysfile_number - a decimal number within least .. most; -EUCLEAN: it is something else. */
int sysfile_number(const char *path, long long least, long long most, long long *ret,
		   struct err *err);

#endif
