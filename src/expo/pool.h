/* SPDX-License-Identifier: MIT
 * Growing memory for the builder of a description: bytes, and strings kept once; inside
 * expo/ only.
 *
 * Main thread; allocates. After a failure (memory, or more than 4 GiB) `failed` is set and nothing
 * more is added: check once, at the end.
 */
#ifndef EXPO_POOL_H
#define EXPO_POOL_H

#include "expo/description.h"

struct pool {
	char *bytes;
	size_t n, cap;
	bool failed;
};

/* pool_room - n more bytes at the end, to be written before anything is added; NULL: failed. */
char *pool_room(struct pool *p, size_t n);
/* pool_add - a copy of n bytes at the end; returns their offset. */
uint32_t pool_add(struct pool *p, const void *from, size_t n);
void pool_done(struct pool *p);

/* Strings, each text once. */
struct strings {
	struct pool *pool;
	struct desc_str *slots;     /* open addressing, a power of two; len 0 and off 0: free */
	uint32_t n_slots, used;
};

/* strings_init - the empty string is at offset 0. */
void strings_init(struct strings *s, struct pool *pool);
void strings_done(struct strings *s);
struct desc_str strings_add(struct strings *s, const char *text, size_t n);
struct desc_str strings_add_text(struct strings *s, const char *text);   /* NULL: empty */

#endif
