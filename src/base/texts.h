/* SPDX-License-Identifier: MIT
 * Texts, each with a number: finds one among many as fast as among few.
 *
 * Owns:  where each stands. The texts are somebody else's, and have to stay.
 * Never: what a number means.
 * Pure; one thread at a time; inside arena_try().
 */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "base/arena.h"

struct texts { /* all 0: none */
	struct texts_entry *v;
	unsigned n, size;
};

/* Where the number of a text stands until the next call: 0 for a new one, which is to be set. */
unsigned *texts_number(struct arena *a, struct texts *t, const char *text);

#endif
