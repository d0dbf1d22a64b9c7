/* SPDX-License-Identifier: MIT
 * Strings of a description, each kept once; inside expo/ only.
 *
 * Main thread; allocates. After a failure the pool has `failed` set: check once, at the end.
 */
#ifndef EXPO_STRINGS_H
#define EXPO_STRINGS_H

#include "base/strb.h"
#include "expo/description.h"

#define POOL_MAX (UINT32_MAX / 2)       /* bytes: offsets have 32 bits */

struct strings {
	struct strb *pool;
	struct desc_str *slots;     /* open addressing, a power of two; len 0 and off 0: free */
	uint32_t n_slots, used;
};

/* strings_init - the empty string is at offset 0. */
void strings_init(struct strings *s, struct strb *pool);
void strings_done(struct strings *s);
struct desc_str strings_add(struct strings *s, const char *text, size_t n);
struct desc_str strings_add_text(struct strings *s, const char *text);   /* NULL: empty */

#endif
