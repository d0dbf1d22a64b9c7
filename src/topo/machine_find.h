/* SPDX-License-Identifier: MIT
 * The machines that are installed with uncored.
 *
 * Owns:  where their texts are, and what they are called.
 * Never: what is in a text.
 * Main thread.
 */
#ifndef TOPO_MACHINE_FIND_H
#define TOPO_MACHINE_FIND_H

#include "topo/machine_text.h"

/*
 * machine_find - the machine of a file, or the installed one of this name: "host17.txt", "gnr".
 *
 * Returns 0, or -errno after mistakes: -ENOENT there is neither, -EINVAL the text is faulty.
 */
int machine_find(const char *what, struct machine_text **ret, struct diags *d);
/* For a machine_find_fn: the text NAME.txt of a directory. */
const char *machine_find_in(const char *dir, struct arena *a, const char *name, size_t *ret_n,
			    struct err *err);

#endif
