/* SPDX-License-Identifier: MIT */
#include "base/texts.h"

#include <stdint.h>
#include <string.h>

struct texts_entry {
	const char *text;           /* NULL: none is here */
	uint32_t hash;              /* of it */
	unsigned number;
};

/* FNV-1a */
static uint32_t text_hash(const char *text)
{
	uint32_t h = 2166136261;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619;
	return h;
}

/* Where the text is, or is to be. There is room; the size is a power of 2. */
static struct texts_entry *place(const struct texts *t, const char *text, uint32_t hash)
{
	unsigned at = hash & (t->size - 1);

	while (t->v[at].text && (t->v[at].hash != hash || strcmp(t->v[at].text, text) != 0))
		at = (at + 1) & (t->size - 1);
	return &t->v[at];
}

static void grow(struct arena *a, struct texts *t)
{
	struct texts before = *t;

	t->size = before.size ? 2 * before.size : 64;
	t->v = arena_alloc(a, t->size, sizeof(*t->v));
	for (const struct texts_entry *e = before.v; e < before.v + before.size; e++)
		if (e->text)
			*place(t, e->text, e->hash) = *e;
}

unsigned *texts_number(struct arena *a, struct texts *t, const char *text)
{
	uint32_t hash = text_hash(text);
	struct texts_entry *e;

	if (2 * t->n >= t->size)
		grow(a, t);
	e = place(t, text, hash);
	if (!e->text) {
		t->n++;
		e->text = text;
		e->hash = hash;
	}
	return &e->number;
}
