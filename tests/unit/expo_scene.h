/* A blob of a plan with its rings and a renderer. Include cmocka's headers first. */
#ifndef TESTS_EXPO_SCENE_H
#define TESTS_EXPO_SCENE_H

#include "expo_plan.h"

/* A blob with its rings, renderer and words to write. */
struct scene {
	void *blob;
	size_t len;
	struct ring *rings, board;
	uint64_t *words[EXPO_SOCKETS_MAX];
	uint64_t board_words[B_WORDS];
	struct expo_renderer *r;
	nsec now;                   /* 0: nothing is too old */
	unsigned n;
};

static inline void scene_open(struct scene *s, const struct plan *p, const struct expo_carry *carry)
{
	struct err err = { 0 };

	memset(s, 0, sizeof(*s));
	if (expo_blob_build(p, &hand_identity, carry, &s->blob, &s->len, &err) < 0)
		fail_msg("%s", err.text);
	s->n = expo_blob_sockets(s->blob);
	assert_int_equal(s->n, p->n_sockets);
	s->rings = calloc(s->n + 1, sizeof(*s->rings));
	for (unsigned i = 0; i < s->n; i++) {
		assert_int_equal(expo_blob_words(s->blob, i), layout_of(&p->sockets[i]).n_words);
		s->rings[i] = ring_new(expo_blob_words(s->blob, i));
		s->words[i] = calloc(s->rings[i].n_words, sizeof(uint64_t));
	}
	s->board = ring_new(B_WORDS);
	if (expo_renderer_new(s->blob, s->len, s->rings, &s->board, &s->r, &err) < 0)
		fail_msg("%s", err.text);
}

static inline void scene_publish(struct scene *s)
{
	for (unsigned i = 0; i < s->n; i++)
		ring_write(&s->rings[i], s->words[i]);
	ring_write(&s->board, s->board_words);
}

static inline void scene_close(struct scene *s)
{
	expo_renderer_free(s->r);
	for (unsigned i = 0; i < s->n; i++) {
		free(s->rings[i].mem);
		free(s->words[i]);
	}
	free(s->rings);
	free(s->board.mem);
	free(s->blob);
}

/* A body as a C string; free() it. */
static inline char *body_text(struct scene *s, enum expo_format f)
{
	struct expo_body *body = expo_render(s->r, f, s->now);
	char *text;

	assert_non_null(body);
	text = malloc(body->n + 1);
	memcpy(text, body->bytes, body->n);
	text[body->n] = '\0';
	assert_int_equal(strlen(text), body->n);
	expo_body_unref(body);
	return text;
}

#endif
