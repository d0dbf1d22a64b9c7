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

struct machine_installed {
	const char *name;           /* "spr" */
	const char *const *others;  /* what else finds it: "genoa"; ended by NULL */
	const char *title;          /* "Sapphire Rapids, 2 sockets" */
};

/*
 * machine_find - the machine of a file, or the installed one of this name: "host17.txt", "gnr".
 *
 * Returns 0, or -errno after mistakes: -ENOENT there is neither, -EINVAL the text is faulty.
 */
int machine_find(const char *what, struct machine_text **ret, struct diags *d);
/* A text that is in memory already, of a machine that runs. */
int machine_text_check(const char *text, size_t n, struct machine_text **ret, struct diags *d);
/* Is there an installed machine of this name? */
bool machine_is_installed(const char *name);
/* Do both name the same machine, as "spr" and "Sapphire Rapids", or the same file? */
bool machine_names_same(const char *a, const char *b);
/* Calls for each installed machine, by name. */
void machine_each_installed(void (*each)(void *p, const struct machine_installed *m), void *p);
/* The installed machine that a mistyped name is most like, into ret, which is returned; NULL: none
 * is near. */
#define MACHINE_NAME 64
const char *machine_nearest(const char *name, char ret[MACHINE_NAME]);
/* For a machine_find_fn: the text NAME.txt of a directory. */
const char *machine_find_in(const char *dir, struct arena *a, const char *name, size_t *ret_n,
			    struct err *err);

#endif
