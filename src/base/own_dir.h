/* SPDX-License-Identifier: MIT
 * A directory of uncored's own, and the files in it: /run/uncored, /var/lib/uncored.
 *
 * Owns:  whose they have to be, that nobody else can write to them, and that a file in it is whole
 *        or not there.
 * Never: what a file says.
 * Any thread.
 */
#ifndef BASE_OWN_DIR_H
#define BASE_OWN_DIR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct own_dir {
	const char *path;
	const char *option;         /* which names another one: "--path-run" */
	const char *harm;           /* what its owner could make uncored do, or those who write:
	                             * "write any value to the registers" */
	bool shown;                 /* everybody may read its files; then they may also be root's
	                             * or the service's */
};

/* Where no --path-run says otherwise. */
#define OWN_RUN_DIR "/run/uncored"

/* Of files and directories that uncored makes. What nobody may read nobody else can lock. */
#define OWN_FILE_MODE 0600
#define OWN_FILE_MODE_SHOWN 0644
/* Others reach a socket file in it whose name they know. */
#define OWN_DIR_MODE 0711
#define OWN_DIR_MODE_SHOWN 0755

/*
 * own_dir_open - the directory, which must be ours and writable by us alone; root's may be the
 * service's.
 *
 * The last part of its name may not be a symbolic link. Returns a descriptor, or -errno with a
 * sentence: -EBUSY where it is not ours alone. The functions below do it each time.
 */
int own_dir_open(const struct own_dir *d, struct err *err);
/* Makes it where it is not there; its parent has to be. 0, or -errno with a sentence. */
int own_dir_make(const struct own_dir *d, struct err *err);
/* A file in it, of which the same holds, and no other name leads to it. One that it makes has the
 * mode above, whatever the umask, and the directory's owner. A descriptor, or -errno with a
 * sentence. */
int own_dir_file(const struct own_dir *d, const char *name, int flags, struct err *err);
/* The whole file, on disk, or the one that was there before. Readers see one of both. 0, or -errno
 * with a sentence. */
int own_dir_write(const struct own_dir *d, const char *name, const void *bytes, size_t n,
		  struct err *err);
/* All of it, with a 0 behind its last byte; free() it. 0 and NULL: there is no such file, or no
 * such directory. -EFBIG with a sentence: it has more than `max` bytes; else -errno with one. */
int own_dir_read(const struct own_dir *d, const char *name, size_t max, char **ret, size_t *ret_n,
		 struct err *err);

#endif
