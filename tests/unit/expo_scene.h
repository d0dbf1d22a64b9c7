/* SPDX-License-Identifier: MIT
 * A description of a plan with its rings and a renderer. Include cmocka's headers first. */
#ifndef TESTS_EXPO_SCENE_H
#define TESTS_EXPO_SCENE_H

#include "expo_plan.h"

/* A description with its rings, renderer and words to write. */
struct scene {
	void *desc;
	size_t len;
	struct ring *rings, daemon;
	uint64_t *words[EXPO_SOCKETS_MAX];
	uint64_t daemon_values[D_VALUES];
	struct expo_renderer *r;
	nsec now;                   /* 0: nothing is too old */
	unsigned n;
};

static inline void scene_open_as(struct scene *s, const struct plan *p,
				 const struct expo_identity *id, const struct expo_offsets *carry)
{
	struct err err = { 0 };

	memset(s, 0, sizeof(*s));
	if (expo_describe(p, id, carry, &s->desc, &s->len, &err) < 0)
		fail_msg("%s", err.text);
	s->n = expo_desc_sockets(s->desc);
	assert_int_equal(s->n, p->n_sockets);
	s->rings = calloc(s->n + 1, sizeof(*s->rings));
	for (unsigned i = 0; i < s->n; i++) {
		assert_int_equal(expo_desc_values(s->desc, i), layout_of(&p->sockets[i]).n_words);
		s->rings[i] = ring_new(expo_desc_values(s->desc, i));
		s->words[i] = calloc(s->rings[i].n_words, sizeof(uint64_t));
		for (unsigned k = 0; k < p->sockets[i].n_metric_series; k++)
			s->words[i][layout_of(&p->sockets[i]).metric_reason + k] = REASON_NO_DATA;
	}
	s->daemon = ring_new(D_VALUES);
	if (expo_renderer_new(s->desc, s->len, s->rings, &s->daemon, &expo_protobuf, &s->r,
			      &err) < 0)
		fail_msg("%s", err.text);
}

static inline void scene_open(struct scene *s, const struct plan *p,
			      const struct expo_offsets *carry)
{
	scene_open_as(s, p, &hand_identity, carry);
}

static inline void scene_publish(struct scene *s)
{
	for (unsigned i = 0; i < s->n; i++)
		ring_write(&s->rings[i], s->words[i]);
	ring_write(&s->daemon, s->daemon_values);
}

static inline void scene_close(struct scene *s)
{
	expo_renderer_free(s->r);
	for (unsigned i = 0; i < s->n; i++) {
		free(s->rings[i].mem);
		free(s->words[i]);
	}
	free(s->rings);
	free(s->daemon.mem);
	free(s->desc);
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
