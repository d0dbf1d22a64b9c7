/* SPDX-License-Identifier: MIT
 * What uncored keeps of this machine over boots and reloads: --path-state, /var/lib/uncored.
 *
 * uncorectl verify writes it, as root; uncored, which is the user of the service, reads it at its
 * start and at a reload, and goes on without what it cannot have. Nothing in it is secret.
 *
 * Owns:  where that is, and what is refused there.
 * Never: what a file says.
 * Any thread.
 */
#ifndef BASE_STATE_DIR_H
#define BASE_STATE_DIR_H

#include "base/err.h"

#include <stddef.h>

#define STATE_DIR "/var/lib/uncored"
#define STATE_DIR_FILE_MAX ((size_t)256 << 10)

/* All of the file, with a 0 behind its last byte; free() it. 0 and NULL: there is none. -errno with
 * a sentence that names it: it is a link, larger than STATE_DIR_FILE_MAX, or others may have
 * written it. */
int state_dir_read(const char *dir, const char *name, char **ret, size_t *ret_n, struct err *err);
/* Makes the directory, and says beforehand whether files can be written there. 0, or -errno with a
 * sentence. */
int state_dir_make(const char *dir, struct err *err);
/* The whole file in place of what was there, on disk; makes the directory. 0, or -errno with a
 * sentence. */
int state_dir_write(const char *dir, const char *name, const char *text, size_t n, struct err *err);

#endif
