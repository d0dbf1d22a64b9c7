/* SPDX-License-Identifier: MIT
 * A first look at the text, for what libconfig accepts in silence or reports badly.
 *
 * Owns:  tokens; what is said about a text that libconfig refuses, or reads as something else.
 * Never: what a key means, what a value is: libconfig reads both, and reports the lines.
 * Pure; any thread.
 */
#ifndef CONF_SCAN_H
#define CONF_SCAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* An integer of more than 32 bits that is written without an L. */
struct scan_wide {
	unsigned line;
	int64_t value;
	const char *text;           /* as written, borrowed */
	int n;
};

struct scan {
	const char *text;           /* for libconfig; the same lines */
	struct scan_wide *wide;
	unsigned n_wide;
};

#define SCAN_DEPTH 16               /* blocks, lists and arrays inside each other */
#define SCAN_KEYS  64               /* keys in one block */

/*
 * scan_text - find every lexical mistake, and make of the text one that libconfig reads right.
 *
 * text    NUL-terminated; its last line ends in a newline; has to outlive *ret
 *
 * Returns 0 if libconfig may read ret->text, or -EINVAL with all mistakes in d. What ret points to
 * is of the arena, inside whose run this is called.
 */
int scan_text(struct arena *a, const char *file, const char *text, struct scan *ret,
	      struct diags *d);

#endif
