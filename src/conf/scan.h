/* SPDX-License-Identifier: MIT
 * A first look at the text, for what libconfig accepts in silence or reports badly.
 *
 * Owns:  tokens; what is said about a text that libconfig refuses, or reads as something else.
 * Never: what a key means, what a value is: libconfig reads both, and reports the lines.
 * Pure; any thread.
 *
 * Each part is there for one of these:
 *   misread without a word    integers (scan_number, `wide`), \x00 and the end of a string
 *                             (scan_string), strings without a comma between them (place_token),
 *                             comments that do not end (scan_comment), @include (scan_other)
 *   refused at the first      what may not follow what (place_token), words (scan_name), brackets
 *   mistake, with the words   (scan_open, scan_close), kinds in an array (add_value), a key that is
 *   "syntax error", or less   set twice (scan_key): all of them are found, each with a sentence
 *   on another line           lift_newlines, pass_punctuation: libconfig says that of the token
 *                             that it has read last
 *   without a limit           values, depth, keys: libconfig ends the process where memory is short
 */
#ifndef CONF_SCAN_H
#define CONF_SCAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* An integer of more than 32 bits that is written without an L. */
struct scan_wide {
	unsigned number;            /* among the integers of the text, from 0 */
	const char *text;           /* as written, borrowed */
	size_t n;
};

struct scan {
	const char *text;           /* for libconfig; the same lines */
	unsigned n_integers;
	struct scan_wide *wide;     /* in their order */
	unsigned n_wide;
};

/* What names consist of; the first is a letter or a star. */
#define SCAN_NAME  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_*"
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
