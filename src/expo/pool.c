/* SPDX-License-Identifier: MIT */
#include "expo/pool.h"

#include <stdlib.h>
#include <string.h>

#define POOL_FIRST (64 * 1024)      /* unwritten memory costs nothing, a move costs twice */

char *pool_room(struct pool *p, size_t n)
{
	size_t cap = p->cap ? p->cap : POOL_FIRST;
	char *bytes = p->bytes;

	p->failed |= n > UINT32_MAX / 2 || p->n + n > UINT32_MAX / 2;
	while (!p->failed && cap < p->n + n)
		cap *= 2;
	if (!p->failed && cap != p->cap)
		bytes = realloc(p->bytes, cap);
	p->failed |= !bytes;
	if (p->failed)
		return NULL;
	p->bytes = bytes;
	p->cap = cap;
	p->n += n;
	return bytes + p->n - n;
}

uint32_t pool_add(struct pool *p, const void *from, size_t n)
{
	char *to = pool_room(p, n);

	return to ? (uint32_t)((char *)memcpy(to, from, n) - p->bytes) : 0;
}

void pool_done(struct pool *p)
{
	free(p->bytes);
	*p = (struct pool){ 0 };
}

void strings_init(struct strings *s, struct pool *pool)
{
	*s = (struct strings){ .pool = pool };
	pool_add(pool, "", 1);
}

void strings_done(struct strings *s)
{
	free(s->slots);
	*s = (struct strings){ 0 };
}

static uint64_t hash_word(uint64_t h, const char *text, size_t n)
{
	uint64_t word = 0;

	memcpy(&word, text, n);
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* Eight bytes at a time: HELP texts and metadata are long. */
static uint32_t hash(const char *text, size_t n)
{
	uint64_t h = n;

	for (; n >= sizeof(h); text += sizeof(h), n -= sizeof(h))
		h = hash_word(h, text, sizeof(h));
	return (uint32_t)hash_word(h, text, n);
}

/* The slot of a text: the one that holds it, or a free one. */
static struct desc_str *strings_find(const struct strings *s, const char *text, size_t n)
{
	for (uint32_t i = hash(text, n);; i++) {
		struct desc_str *slot = &s->slots[i & (s->n_slots - 1)];

		if (!slot->len ||
		    (slot->len == n && memcmp(s->pool->bytes + slot->off, text, n) == 0))
			return slot;
	}
}

static bool strings_grow(struct strings *s)
{
	struct strings bigger = *s;

	bigger.n_slots = s->n_slots ? 2 * s->n_slots : 256;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (uint32_t i = 0; i < s->n_slots; i++) {
		struct desc_str old = s->slots[i];

		if (old.len)
			*strings_find(&bigger, s->pool->bytes + old.off, old.len) = old;
	}
	free(s->slots);
	*s = bigger;
	return true;
}

struct desc_str strings_add(struct strings *s, const char *text, size_t n)
{
	struct desc_str *slot;

	if (n && 2 * s->used >= s->n_slots && !strings_grow(s))
		s->pool->failed = true;
	if (!n || s->pool->failed)
		return (struct desc_str){ 0, 0 };
	slot = strings_find(s, text, n);
	if (!slot->len) {
		uint32_t off = pool_add(s->pool, text, n);

		pool_add(s->pool, "", 1);
		if (s->pool->failed)
			return (struct desc_str){ 0, 0 };
		*slot = (struct desc_str){ off, (uint32_t)n };
		s->used++;
	}
	return *slot;
}

struct desc_str strings_add_text(struct strings *s, const char *text)
{
	return strings_add(s, text ? text : "", text ? strlen(text) : 0);
}
