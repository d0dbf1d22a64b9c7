/* SPDX-License-Identifier: MIT
 * How an arena grows, what its end gives back, and how a run in it ends early; see arena.h.
 * Owns:  chunks of memory, the gaps between pieces under AddressSanitizer, the jump out of a run.
 * Never: what the pieces mean.
 * Pure; one thread at a time.
 */
#include "base/arena.h"

#include "base/populate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__     /* poisons free bytes, and a gap behind each piece */
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
enum { GAP = 0 };
#endif

#ifndef ARENA_CHUNK
#define ARENA_CHUNK ((size_t)32 << 10)  /* from malloc() at once, at most; the first are smaller */
#endif
#define LARGE (ARENA_CHUNK / 4)         /* of a chunk with one piece; of the first one with many */
enum { ALIGN = _Alignof(max_align_t) };

struct chunk {
	struct chunk *before;
	size_t size, used;              /* of bytes */
	_Alignas(max_align_t) char bytes[];
};

struct arena {
	struct arena *parent;
	/* The last ones. A large piece is a chunk by itself, so that what is left of the other
	 * stays in use: small pieces come from that alone. */
	struct chunk *chunk, *large;
	size_t room;                    /* left of the maximum */
	bool failed;
	jmp_buf *run;                   /* where the run ends that arena_try() began; NULL: none */
};

struct arena *arena_new(size_t max, struct arena *parent)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (a)
		*a = (struct arena){ .parent = parent, .room = max };
	return a;
}

static size_t rounded(size_t n)
{
	return (n + GAP + ALIGN - 1) / ALIGN * ALIGN;
}

static void drop_last(struct arena *a, struct chunk **list)
{
	struct chunk *c = *list;

	*list = c->before;
	a->room += sizeof(*c) + c->size;
	ASAN_UNPOISON_MEMORY_REGION(c->bytes, c->size);
	free(c);
}

void arena_free(struct arena *a)
{
	while (a && a->chunk)
		drop_last(a, &a->chunk);
	while (a && a->large)
		drop_last(a, &a->large);
	free(a);
}

bool arena_try(struct arena *a, void (*run)(void *p), void *p)
{
	jmp_buf end;

	if (a->run) {
		run(p);
		return true;
	}
	a->run = &end;
	if (!a->failed && setjmp(end) == 0)
		run(p);
	a->run = NULL;
	return !a->failed;
}

static void *give_up(struct arena *a)
{
	a->failed = true;
	if (a->parent)
		return give_up(a->parent);
	if (a->run)
		longjmp(*a->run, 1);
	return NULL;
}

static bool has_failed(const struct arena *a)
{
	return a->failed || (a->parent && has_failed(a->parent));
}

/* A chunk of so many bytes, the last of a list; NULL: there is no memory. */
static struct chunk *add_chunk(struct arena *a, struct chunk **list, size_t size)
{
	struct chunk *c = size <= a->room &&
		sizeof(*c) <= a->room - size ? malloc(sizeof(*c) + size) : NULL;

	if (!c)
		return NULL;
	populate(c, sizeof(*c) + size);
	*c = (struct chunk){ .before = *list, .size = size };
	*list = c;
	a->room -= sizeof(*c) + size;
	ASAN_POISON_MEMORY_REGION(c->bytes, size);
	return c;
}

/* A chunk for small pieces, twice as large as the one before: an arena with few takes few. */
static struct chunk *add_next(struct arena *a)
{
	size_t size = a->chunk ? 2 * (sizeof(struct chunk) + a->chunk->size) : LARGE;

	if (size > ARENA_CHUNK)
		size = ARENA_CHUNK;
	return add_chunk(a, &a->chunk, size - sizeof(struct chunk));
}

/* Not zeroed; NULL: there is no memory. */
static void *piece(struct arena *a, size_t n, size_t size)
{
	struct chunk *c = a->chunk;
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX / 2 || has_failed(a))
		return NULL;
	if (sizeof(*c) + rounded(bytes) > LARGE)
		c = add_chunk(a, &a->large, rounded(bytes));
	else if (!c || rounded(bytes) > c->size - c->used)
		c = add_next(a);
	if (!c)
		return NULL;
	p = c->bytes + c->used;
	c->used += rounded(bytes);
	ASAN_UNPOISON_MEMORY_REGION(p, bytes);
	return p;
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	void *p = piece(a, n, size);

	return p ? memset(p, 0, n * size) : give_up(a);
}

void *arena_grow(struct arena *a, void *v, unsigned n, size_t size)
{
	struct chunk *c = a->chunk;
	size_t bytes = n * size, more = rounded(2 * bytes) - rounded(bytes);
	void *p = v;

	/* Doubles at every power of two: the capacity needs no field of its own. */
	if (n == 0) {
		p = piece(a, 1, size);
	} else if ((n & (n - 1)) == 0 && c && c->bytes + c->used == (char *)v + rounded(bytes) &&
		   more <= c->size - c->used) {
		c->used += more;                /* it is the last piece */
		ASAN_UNPOISON_MEMORY_REGION(v, 2 * bytes);
	} else if ((n & (n - 1)) == 0) {
		p = piece(a, 2 * (size_t)n, size);
		if (p)
			memcpy(p, v, bytes);
	}
	if (!p)
		return give_up(a);
	memset((char *)p + bytes, 0, size);
	return p;
}

void *arena_copy(struct arena *a, const void *v, size_t n, size_t size)
{
	void *p = piece(a, n, size);

	if (!p)
		return give_up(a);
	return n ? memcpy(p, v, n * size) : p;
}

char *arena_text_n(struct arena *a, const char *text, size_t n)
{
	size_t length = strnlen(text, n);
	char *s = arena_alloc(a, length + 1, 1);

	return s ? memcpy(s, text, length) : NULL;
}

char *arena_text(struct arena *a, const char *text)
{
	return arena_copy(a, text, strlen(text) + 1, 1);
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char text[256], *s;                     /* mostly it fits */
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= 0 && n < (int)sizeof(text))
		return arena_copy(a, text, (size_t)n + 1, 1);
	s = n < 0 ? give_up(a) : arena_alloc(a, (size_t)n + 1, 1);
	va_start(ap, fmt);
	if (s)
		vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

char *arena_take(struct arena *a, char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;
	char *s = text ? piece(a, n, 1) : NULL;

	if (s)
		memcpy(s, text, n);
	free(text);
	return s ? s : give_up(a);
}

struct arena_mark arena_mark(const struct arena *a)
{
	return (struct arena_mark){ a->chunk, a->large, a->chunk ? a->chunk->used : 0 };
}

void arena_release(struct arena *a, struct arena_mark m)
{
	struct chunk *c;

	while (a->chunk != m.chunk)
		drop_last(a, &a->chunk);
	while (a->large != m.large)
		drop_last(a, &a->large);
	c = a->chunk;
	if (!c)
		return;
	ASAN_POISON_MEMORY_REGION(c->bytes + m.used, c->used - m.used);
	c->used = m.used;
}
