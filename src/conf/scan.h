/* scan.h - a first look at the text, for what libconfig accepts in silence or reports badly.
 *
 * Owns:  the lexical form of a configuration file; the true line of every value.
 * Never: what a key means.
 * Pure; any thread.
 */
#ifndef CONF_SCAN_H
#define CONF_SCAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* One value that is no block, list or array, in the order of the text. */
struct scan_value {
	unsigned line;
	int64_t integer;            /* of one without a decimal point or an exponent; 0 otherwise */
	const char *doubt;          /* why that number is refused where one is expected; NULL: it is not */
};

struct scan {
	struct scan_value *values;
	unsigned n_values;
};

#define SCAN_DEPTH 16               /* blocks, lists and arrays inside each other */
#define SCAN_KEYS  64               /* keys in one block */

/*
 * scan_text - find every lexical mistake.
 *
 * text    NUL-terminated; its last line ends in a newline
 *
 * Returns 0 if libconfig may read it, or -EINVAL with all mistakes in d. What ret points to is of the arena, inside
 * whose run this is called.
 */
int scan_text(struct arena *a, const char *file, const char *text, struct scan *ret, struct diags *d);

#endif
