/* SPDX-License-Identifier: MIT
 * The promise to leave no trace: lock, state file, restoring after a crash.
 *
 * Owns:  what is in the state file and when it is written; boot id.
 * Main thread. Only the registers engine needs it.
 *
 * The state file is complete and synced before the first write, replaced by rename, and removed
 * after the last register went back. It names the boot (always from the real /proc) and the device;
 * a file of another is ignored. At a reload it holds the registers of both configurations until the
 * swap is over.
 */
#ifndef DAEMON_RESTORE_H
#define DAEMON_RESTORE_H

#include "daemon/generation.h"

/* Takes the lock, then restores what a crashed run left, if these are registers of processor p.
 * Returns the lock's descriptor or -errno. */
int restore_lock(const struct options *o, const struct cat_processor *p, struct err *err);
/* Writes the state file: the original values of all registers that a and b write. b may be NULL.
 * Must be called before the first write to a register. */
int restore_save(const struct options *o, const struct machine *m, const struct generation *a,
		const struct generation *b, struct err *err);
/* Removes the state file: everything is restored. */
void restore_remove_file(const struct options *o);
/* uncored --restore: returns an exit code. */
int restore_main(const struct options *o);

#endif
