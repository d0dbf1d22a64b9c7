/* SPDX-License-Identifier: MIT
 * Totals of an old description, for the next one to start at; see expo.h.
 * A total is the same one if name, labels and identity agree.
 * Main thread; allocates.
 */
#include "expo/description.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct expo_offsets {
	void *desc;                     /* a copy, which has the texts */
	struct desc_total *v;           /* sorted */
	size_t n;
};

static int total_compare(const void *a, const void *b)
{
	const struct desc_total *x = a, *y = b;
	int c = strcmp(x->prefix, y->prefix);

	return c ? c : strcmp(x->key, y->key);
}

static bool was_shown(const struct desc_series *s, const uint64_t *words)
{
	return s->when == DESC_ALWAYS ||
	       (words[s->test_index] == s->test_value) == (s->when == DESC_IF_EQUAL);
}

static int offsets_fill(struct expo_offsets *o, const struct ring *rings)
{
	const struct desc *d = o->desc;

	for (uint32_t i = 0; i < d->sockets.n; i++) {
		uint64_t *words = calloc(rings[i].n_words + 1, sizeof(*words));

		if (!words)
			return -ENOMEM;
		ring_read(&rings[i], words);    /* 0 where nothing was published */
		for (uint32_t k = 0; k < d->series.n; k++) {
			const struct desc_series *s = &desc_series(d)[k];

			if (s->socket == i && s->at_reload != RELOAD_RESTARTS)
				o->v[o->n++] = (struct desc_total){
					desc_text(d, s->prefix), desc_text(d, s->key),
					words[s->index] + s->offset, s->created,
					was_shown(s, words) };
		}
		free(words);
	}
	qsort(o->v, o->n, sizeof(*o->v), total_compare);
	return 0;
}

struct expo_offsets *expo_offsets_new(const void *old, size_t len, const struct ring *rings)
{
	struct expo_offsets *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	if (desc_check(old, len, NULL) == 0) {
		o->desc = malloc(len);
		o->v = calloc(((const struct desc *)old)->series.n + 1, sizeof(*o->v));
	}
	if (!o->desc || !o->v || (memcpy(o->desc, old, len), offsets_fill(o, rings)) < 0) {
		expo_offsets_free(o);
		return NULL;
	}
	return o;
}

void expo_offsets_free(struct expo_offsets *o)
{
	if (!o)
		return;
	free(o->desc);
	free(o->v);
	free(o);
}

const struct desc_total *offset_find(const struct expo_offsets *o, const char *prefix,
				     const char *key)
{
	struct desc_total want = { .prefix = prefix, .key = key };

	return bsearch(&want, o->v, o->n, sizeof(*o->v), total_compare);
}
