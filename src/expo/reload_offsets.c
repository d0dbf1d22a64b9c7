/* reload_offsets.c - totals of an old description, to go on from in the next one; see expo.h.
 *
 * A total is the same one if family, labels (socket, group and all keys among them) and identity agree.
 * Main thread; allocates.
 */
#include "config.h"

#include "expo/description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct carried {
	const char *family, *labels, *key;      /* in the copied description */
	uint64_t total;
};

struct expo_offsets {
	void *desc;
	struct carried *v;                      /* sorted */
	size_t n;
};

static int carried_compare(const void *a, const void *b)
{
	const struct carried *x = a, *y = b;
	int c = strcmp(x->family, y->family);

	if (!c)
		c = strcmp(x->labels, y->labels);
	return c ? c : strcmp(x->key, y->key);
}

/* The words of one socket as they stand, 0 if nothing was published. NULL: out of memory. */
static uint64_t *words_now(const struct ring *ring)
{
	uint64_t *words = calloc(ring->n_words + 1, sizeof(*words));

	if (words)
		ring_read(ring, words);
	return words;
}

static int carry_fill(struct expo_offsets *c, const struct ring *rings)
{
	const struct desc *b = c->desc;

	for (uint32_t i = 0; i < b->n_sockets; i++) {
		uint64_t *words = words_now(&rings[i]);

		if (!words)
			return -ENOMEM;
		for (uint32_t f = 0; f < b->n_families; f++) {
			const struct desc_family *family = &desc_families(b)[f];

			for (uint32_t k = family->first; k < family->first + family->n; k++) {
				const struct desc_series *s = &desc_series(b)[k];

				if (s->socket == i && s->carries)
					c->v[c->n++] = (struct carried){
						desc_text(b, family->name), desc_text(b, s->labels),
						desc_text(b, s->key), words[s->word] + s->carry };
			}
		}
		free(words);
	}
	qsort(c->v, c->n, sizeof(*c->v), carried_compare);
	return 0;
}

struct expo_offsets *expo_offsets_new(const void *old_desc, size_t len, const struct ring *rings)
{
	struct expo_offsets *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (desc_check(old_desc, len, NULL) == 0) {
		c->desc = malloc(len);
		c->v = calloc(((const struct desc *)old_desc)->n_series + 1, sizeof(*c->v));
	}
	if (!c->desc || !c->v || (memcpy(c->desc, old_desc, len), carry_fill(c, rings)) < 0) {
		expo_offsets_free(c);
		return NULL;
	}
	return c;
}

void expo_offsets_free(struct expo_offsets *c)
{
	if (!c)
		return;
	free(c->desc);
	free(c->v);
	free(c);
}

uint64_t offset_find(const struct expo_offsets *c, const char *family, const char *labels, const char *key)
{
	struct carried want = { family, labels, key, 0 }, *found;

	found = c ? bsearch(&want, c->v, c->n, sizeof(*c->v), carried_compare) : NULL;
	return found ? found->total : 0;
}
