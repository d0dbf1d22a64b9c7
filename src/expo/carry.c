/* carry.c - totals of an old blob, to go on from in the next one; see expo.h.
 *
 * A total is the same one if family, labels (socket, group and all keys among them) and identity agree.
 * Main thread; allocates.
 */
#include "config.h"

#include "expo/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct carried {
	const char *family, *labels, *key;      /* in the copied blob */
	uint64_t total;
};

struct expo_carry {
	void *blob;
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

static int carry_fill(struct expo_carry *c, const struct ring *rings)
{
	const struct blob *b = c->blob;

	for (uint32_t i = 0; i < b->n_sockets; i++) {
		uint64_t *words = words_now(&rings[i]);

		if (!words)
			return -ENOMEM;
		for (uint32_t f = 0; f < b->n_families; f++) {
			const struct blob_family *family = &blob_families(b)[f];

			for (uint32_t k = family->first; k < family->first + family->n; k++) {
				const struct blob_series *s = &blob_series(b)[k];

				if (s->socket == i && s->carries)
					c->v[c->n++] = (struct carried){
						blob_text(b, family->name), blob_text(b, s->labels),
						blob_text(b, s->key), words[s->word] + s->carry };
			}
		}
		free(words);
	}
	qsort(c->v, c->n, sizeof(*c->v), carried_compare);
	return 0;
}

struct expo_carry *expo_carry_new(const void *old_blob, size_t len, const struct ring *rings)
{
	struct expo_carry *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	if (blob_check(old_blob, len, NULL) == 0) {
		c->blob = malloc(len);
		c->v = calloc(((const struct blob *)old_blob)->n_series + 1, sizeof(*c->v));
	}
	if (!c->blob || !c->v || (memcpy(c->blob, old_blob, len), carry_fill(c, rings)) < 0) {
		expo_carry_free(c);
		return NULL;
	}
	return c;
}

void expo_carry_free(struct expo_carry *c)
{
	if (!c)
		return;
	free(c->blob);
	free(c->v);
	free(c);
}

uint64_t carry_find(const struct expo_carry *c, const char *family, const char *labels, const char *key)
{
	struct carried want = { family, labels, key, 0 }, *found;

	found = c ? bsearch(&want, c->v, c->n, sizeof(*c->v), carried_compare) : NULL;
	return found ? found->total : 0;
}
