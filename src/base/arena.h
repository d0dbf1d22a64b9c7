/* SPDX-License-Identifier: MIT
 * Memory that grows piece by piece and is released as a whole, up to a stated maximum.
 *
 * Owns:  its bytes, and what happens when there are no more.
 * Never: what they mean; freeing one piece alone.
 * Pure; one thread at a time.
 *
 * Code that builds something large out of many small pieces need not check each allocation: it runs
 * inside arena_try(), and an allocation that fails ends that run. Such code may own nothing but
 * arenas: no file, no lock, no memory of malloc().
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * arena_new - an empty arena that takes at most `max` bytes from malloc().
 *
 * parent  NULL, or the arena in whose runs this one is used too: where this one fails, that one
 *         fails
 * Returns NULL if there is no memory. Release with arena_free().
 */
struct arena *arena_new(size_t max, struct arena *parent);
void arena_free(struct arena *a);                   /* a may be NULL */
CLEANUP_POINTER(arena_free, struct arena);

/*
 * arena_try - run(p), in which every allocation of `a`, and of arenas whose parent it is, succeeds
 * or ends the run.
 *
 * Returns true; false if it ended early: then, and from then on, `a` has failed. Inside another run
 * of the same arena it is a plain call, and the outer run ends.
 */
bool arena_try(struct arena *a, void (*run)(void *p), void *p);

/* Zeroed memory for n elements, aligned for any type; n may be 0. After a failure, and outside of a
 * run: NULL. */
void *arena_alloc(struct arena *a, size_t n, size_t size);
/* Room for one more element at v[n], zeroed: returns the array, perhaps moved. v is NULL, or came
 * from here. */
void *arena_grow(struct arena *a, void *v, unsigned n, size_t size);
/* One more element, zeroed, behind the n of array v, both of which change: its address. */
#define ARENA_ADD(a, v, n) ((v) = arena_grow(a, v, n, sizeof(*(v))), &(v)[(n)++])
/* Copies: of n elements, of a text, of a text that is printed; v may be NULL where n is 0. NULL as
 * arena_alloc(). */
void *arena_copy(struct arena *a, const void *v, size_t n, size_t size);
char *arena_text(struct arena *a, const char *text);
char *arena_text_n(struct arena *a, const char *text, size_t n);       /* at most n bytes of it */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Copies a text of malloc() and frees it; NULL counts as a failure. */
char *arena_take(struct arena *a, char *text);

/* arena_release() frees all that was allocated since the mark. */
struct arena_mark { void *chunk, *large; size_t used; };
struct arena_mark arena_mark(const struct arena *a);
void arena_release(struct arena *a, struct arena_mark m);

#endif
