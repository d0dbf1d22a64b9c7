/* SPDX-License-Identifier: MIT
 * The directory of a machine that is a text: its sysfs and procfs.
 *
 * Owns:  a private directory with the machine's files, and that it goes with the process.
 * Never: a file outside of it; what is in the files.
 * Main thread, before there are others.
 */
#ifndef TOPO_MACHINE_DIR_H
#define TOPO_MACHINE_DIR_H

#include "topo/machine_text.h"

struct machine_dir;

/*
 * machine_dir_make - the machine's files in a new directory below `run`, or where that cannot be
 * written, below $TMPDIR, or without one /dev/shm or /tmp. Is `run` the usual one, it is the last.
 *
 * It goes at machine_dir_free(), or when this process ends, however that ends: a child waits for
 * that. Returns 0, or -errno with a sentence.
 */
int machine_dir_make(const struct machine_text *m, const char *run, struct machine_dir **ret,
		     struct err *err);
void machine_dir_free(struct machine_dir *d);
CLEANUP_POINTER(machine_dir_free, struct machine_dir);
/* For sysfs, procfs and dev alike. */
const char *machine_dir_path(const struct machine_dir *d);
/* The files of the machine in a directory that exists. */
int machine_dir_fill(const struct machine_text *m, const char *dir, struct err *err);

#endif
