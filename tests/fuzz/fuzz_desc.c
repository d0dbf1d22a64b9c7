/* SPDX-License-Identifier: MIT
 * The description of what is shown, and the values: changed anywhere.
 * The input is a list of changes, each a byte (its top bit: of the values, not of the description;
 * its lowest four: how many bytes), three bytes for where, and the bytes. What passes the check is
 * rendered in every format but the catalog.
 */
#include "fuzz.h"

#include "scene.h"

static struct scene good;

/* Returns how much of the input one change took; 0: it is at its end. */
static size_t change(const uint8_t *p, size_t n, uint8_t *desc, uint8_t *words, size_t n_words)
{
	size_t bytes = n > 4 ? p[0] & 15 : 0, at;
	uint8_t *to = n > 4 && p[0] & 0x80 ? words : desc;
	size_t size = to == words ? n_words : good.len;

	if (n < 5 || n - 4 < bytes)
		return 0;
	at = ((size_t)p[1] | (size_t)p[2] << 8 | (size_t)p[3] << 16) % size;
	if (bytes > size - at)
		bytes = size - at;
	memcpy(to + at, p + 4, bytes);
	return 4 + (p[0] & 15);
}

static void see_body(enum expo_format f, const struct expo_body *b)
{
	if (b->n && (f == EXPO_TEXT || f == EXPO_OPENMETRICS || f == EXPO_STATUS))
		assert_true(b->bytes[b->n - 1] == '\n');
	if (f == EXPO_OPENMETRICS)
		assert_true(b->n >= 6 && memcmp(b->bytes + b->n - 6, "# EOF\n", 6) == 0);
}

static void see_drawn(struct expo_renderer *r)
{
	struct expo_drawn *now;
	struct strb text;

	if (!expo_drawn_new(r))
		return;
	now = calloc(expo_drawn_count(r) + 1UL, sizeof(*now));
	assert_non_null(now);
	expo_drawn_read(r, 0, now);
	for (unsigned i = 0; i < expo_drawn_count(r); i++) {
		strb_init(&text, 1 << 20);
		expo_drawn_names(r, i, &text);
		assert_true(now[i].reason < REASON_COUNT);
		strb_done(&text);
	}
	free(now);
}

static void render_all(struct expo_renderer *r)
{
	struct expo_filter *filter = expo_filter_new(r);
	struct expo_body *body;
	struct err err;
	unsigned of;

	for (enum expo_format f = 0; f < EXPO_FORMATS; f++) {
		if (f == EXPO_CATALOG)          /* takes long, and one text of it */
			continue;
		body = expo_render(r, f, 0);
		if (body)
			see_body(f, body);
		expo_body_unref(expo_body_gzip(body));
		expo_body_unref(body);
	}
	expo_unsent(r, 0, &of);
	see_drawn(r);
	expo_ready(r, 0);
	assert_non_null(filter);
	expo_filter_add(filter, "group[]", "memory", &err);
	body = expo_render_filtered(r, EXPO_TEXT, filter, 0);
	expo_body_unref(body);
	expo_filter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct expo_renderer *r = NULL;
	struct err err = { "" };
	size_t n_words = 0, took;
	uint64_t *words;
	void *desc;

	if (!good.desc)
		scene_of_hand(&good);
	for (unsigned i = 0; i < good.n; i++)
		n_words += good.rings[i].n_words;
	desc = malloc(good.len);
	words = malloc(n_words * sizeof(*words));
	assert_true(desc && words);
	memcpy(desc, good.desc, good.len);
	for (unsigned i = 0, at = 0; i < good.n; at += good.rings[i++].n_words)
		memcpy(words + at, good.words[i], good.rings[i].n_words * sizeof(*words));
	for (; (took = change(data, n, desc, (uint8_t *)words, n_words * sizeof(*words)));
	     data += took, n -= took)
		;
	for (unsigned i = 0, at = 0; i < good.n; at += good.rings[i++].n_words)
		ring_write(&good.rings[i], words + at);
	if (expo_renderer_new(desc, good.len, good.rings, &good.daemon, &expo_protobuf, &r,
			      &err) == 0) {
		render_all(r);
		expo_renderer_free(r);
	} else {
		assert_true(err.text[0] != '\0');
	}
	free(words);
	free(desc);
	return 0;
}
