/* SPDX-License-Identifier: MIT
 * Lists, and names that may have been meant, for sentences.
 *
 * Owns:  "a, b and c", "the nearest is 'threshold'", "counters 0 to 7".
 * Never: what the names mean.
 * Pure; any thread.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>

#define WORDS_TEXT sizeof(struct err)       /* of what goes into an error: more of it would be cut
                                             * there */
/* "a", "a and b", "a, b and c", as far as there is room. Returns ret. */
char *words_join(char *ret, size_t size, const char *const *names, unsigned n);
/* The same, whole. */
char *words_list(struct arena *a, const char *const *names, unsigned n);
/* What somebody may have meant by a word that he wrote: among the names offered, all of one kind,
 * the one that is most like it; of several the first. A name of something else that merely looks
 * alike is no help: it has to be a misspelling, name_is_typo(). */
struct nearest {
	const char *wanted;
	const char *name;           /* NULL: no name that was offered is near */
	unsigned distance;
};
/* name is borrowed for as long as n is asked. */
void nearest_offer(struct nearest *n, const char *name);
/* Ends the sentence with "; the nearest is 'threshold'", unless the name is NULL. e may be NULL. */
void words_add_nearest(struct err *e, const char *name);
/* "the nearest is 'threshold'", or if none is near "the choices are counter, edge and threshold".
 * Returns ret. */
char *words_nearest(char ret[WORDS_TEXT], const char *name, const char *const *names, unsigned n);
/* "counter 3", "counters 0 and 1", "counters 0 to 7". Returns ret. */
char *words_counters(char ret[WORDS_TEXT], uint32_t counters);

#endif
