/* SPDX-License-Identifier: MIT */
#include "expo/strings.h"

#include <stdlib.h>
#include <string.h>

void strings_init(struct strings *s, struct strb *pool)
{
	*s = (struct strings){ .pool = pool };
	strb_add_mem(pool, "", 1);
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

		if (!slot->len || (slot->len == n && memcmp(s->pool->s + slot->off, text, n) == 0))
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
			*strings_find(&bigger, s->pool->s + old.off, old.len) = old;
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
		uint32_t off = (uint32_t)s->pool->n;

		strb_add_mem(s->pool, text, n);
		strb_add_mem(s->pool, "", 1);
		if (s->pool->failed)
			return (struct desc_str){ 0, 0 };
		*slot = (struct desc_str){ off, (uint32_t)n };
		s->used++;
	}
	return *slot;
}

struct desc_str strings_add_text(struct strings *s, const char *text)
{
	return strings_add(s, text ?: "", text ? strlen(text) : 0);
}
