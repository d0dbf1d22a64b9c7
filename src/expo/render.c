/* SPDX-License-Identifier: MIT
 * One body per format and generation; see expo.h.
 * Owns:  the words last read from the rings, the bodies made of them, and their references.
 * Never: what a body says.
 * http child, or main for --once.
 */
#include "expo/drawn.h"

#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct expo_renderer {
	struct expo_view view;
	uint64_t *words[EXPO_SOCKETS_MAX + 1], publications[EXPO_SOCKETS_MAX + 1];  /* of view */
	const struct ring *rings, *daemon;
	uint64_t sent[EXPO_SOCKETS_MAX];        /* socket_state() of what the stream was sent */
	const uint64_t *http;                   /* expo_note_http(); NULL: there is none */
	uint64_t http_generation;               /* when the view took that */
	uint64_t generation;                    /* rises whenever something was published */
	size_t bound;
	const struct expo_encoder *protobuf;    /* NULL: this program has none */
	struct proto *proto;                    /* NULL until somebody asks for protobuf */
	struct snapshot *snapshot;              /* the same of JSON */
	struct drawn *drawn;                    /* NULL: nobody has asked for it */
	struct expo_body *body[EXPO_FORMATS];   /* NULL: none yet */
	uint64_t body_generation[EXPO_FORMATS];
};

/* Makes every slot and metric of a socket invalid, for this reason. */
static void values_omit(const struct desc_socket *s, enum reason why, uint64_t *words)
{
	const struct layout *l = &s->layout;

	words[W_UP] = why == REASON_PAUSED;
	for (uint32_t k = 0; k < s->n_slots; k++)
		words[l->slot_reason + k] = why;
	for (uint32_t k = 0; k < s->n_metrics; k++)
		words[l->metric_reason + k] = why;
	for (uint32_t k = l->peak_valid; k < l->samples_invalid; k++)
		words[k] = 0;
}

static void row_make(const struct expo_view *v, uint32_t k)
{
	const struct desc_series *s = &desc_series(v->desc)[k];
	uint32_t before = (uint32_t)(v->words[s->socket] - v->values);

	v->rows[k] = (struct view_row){ .offset = s->offset, .index = before + s->index,
					.test = before + s->test_index,
					.prefix = s->prefix.off, .prefix_n = s->prefix.len,
					.kind = s->kind, .when = s->when,
					.test_value = s->test_value };
}

/* The memory that a view points into. false: out of memory. */
static bool view_new(struct expo_renderer *r, const struct desc *d)
{
	struct expo_view *v = &r->view;
	size_t n = D_VALUES;

	for (uint32_t i = 0; i < d->sockets.n; i++)
		n += desc_sockets(d)[i].n_words;
	*v = (struct expo_view){ .desc = d, .rows = calloc(d->series.n + 1UL, sizeof(*v->rows)),
				 .values = calloc(n, sizeof(*v->values)),
				 .words = r->words, .publications = r->publications };
	if (!v->rows || !v->values)
		return false;
	v->words[0] = v->values;
	for (uint32_t i = 0; i < d->sockets.n; i++) {
		v->words[i + 1] = v->words[i] + desc_sockets(d)[i].n_words;
		values_omit(&desc_sockets(d)[i], REASON_NO_DATA, v->words[i]);
		v->words[i][W_CPU] = UINT64_MAX;
	}
	for (uint32_t k = 0; k < d->series.n; k++)
		row_make(v, k);
	return true;
}

int expo_renderer_new(const void *desc, size_t len, const struct ring *rings,
		      const struct ring *daemon, const struct expo_encoder *protobuf,
		      struct expo_renderer **ret, struct err *err)
{
	const struct desc *d = desc;
	struct expo_renderer *r;
	int code = desc_check(desc, len, err);

	if (code < 0)
		return code;
	for (uint32_t i = 0; i < d->sockets.n; i++)
		if (rings[i].n_words != desc_sockets(d)[i].n_words)
			return err_set(err, -EBADMSG, "the values of socket %u do not belong to "
				       "the description of what is shown", desc_sockets(d)[i].id);
	if (daemon && daemon->n_words != D_VALUES)
		return err_set(err, -EBADMSG,
			       "the daemon's own values do not belong to this version");
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->rings = rings;
	r->daemon = daemon;
	r->protobuf = protobuf;
	r->bound = text_bound(d);
	if (!view_new(r, d)) {
		expo_renderer_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*ret = r;
	return 0;
}

void expo_renderer_free(struct expo_renderer *r)
{
	if (!r)
		return;
	for (unsigned f = 0; f < EXPO_FORMATS; f++)
		expo_body_unref(r->body[f]);
	if (r->proto)
		r->protobuf->free(r->proto);
	snapshot_free(r->snapshot);
	drawn_free(r->drawn);
	free(r->view.rows);
	free(r->view.values);
	free(r);
}

/* Reads what a socket, or the daemon as the last of them, has published since the last time. Was
 * there any? */
static bool read_published(struct expo_renderer *r, const struct ring *ring, uint32_t i)
{
	if (!ring || ring_published(ring) == r->view.publications[i])
		return false;
	r->view.publications[i] = ring_read(ring, r->view.words[i]);
	r->generation++;
	return true;
}

/* Reads what was published, and makes invalid what nobody counts now, or what is too old. */
static void renderer_refresh(struct expo_renderer *r, nsec now)
{
	const struct desc *d = r->view.desc;
	uint64_t *daemon_values = r->view.words[d->sockets.n];
	bool was_paused = daemon_values[D_PAUSED], paused;

	read_published(r, r->daemon, d->sockets.n);
	paused = daemon_values[D_PAUSED];
	for (uint32_t i = 0; i < d->sockets.n; i++) {
		uint64_t *words = r->view.words[i];
		bool news = read_published(r, &r->rings[i], i);

		if (!words[W_UP] || (paused && was_paused && !news))
			continue;
		if (!paused && !layout_stalled(words, d->interval, now))
			continue;
		values_omit(&desc_sockets(d)[i], paused ? REASON_PAUSED : REASON_STALLED, words);
		r->generation++;
	}
	if (!r->http)
		return;
	r->generation += daemon_values[D_LISTENERS] != r->http[D_LISTENERS] ||
			 daemon_values[D_DROPPED] != r->http[D_DROPPED];
	if (r->generation == r->http_generation)
		return;
	r->http_generation = r->generation;
	daemon_values[D_LISTENERS] = r->http[D_LISTENERS];
	daemon_values[D_DROPPED] = r->http[D_DROPPED];
	memcpy(daemon_values + D_HTTP, r->http + D_HTTP, (D_VALUES - D_HTTP) * sizeof(*r->http));
}

const struct desc *renderer_desc(const struct expo_renderer *r)
{
	return r->view.desc;
}

static char *body_render(struct expo_renderer *r, enum expo_format f, size_t *ret_n)
{
	switch (f) {
	case EXPO_TEXT:
	case EXPO_OPENMETRICS:
		return text_render(&r->view, f == EXPO_OPENMETRICS, r->bound, ret_n);
	case EXPO_PROTOBUF:
		assert(r->protobuf);
		if (!r->proto)
			r->proto = r->protobuf->new(r->view.desc);
		return r->proto ? r->protobuf->render(r->proto, &r->view, ret_n) : NULL;
	case EXPO_JSON:
	case EXPO_EVENT:
		if (!r->snapshot)
			r->snapshot = snapshot_new(r->view.desc);
		if (!r->snapshot)
			return NULL;
		return snapshot_render(r->snapshot, &r->view, f == EXPO_EVENT, ret_n);
	case EXPO_CATALOG:
		return catalog_render(desc_text(r->view.desc, r->view.desc->processor),
				      desc_text(r->view.desc, r->view.desc->kernel), ret_n);
	case EXPO_STATUS:
		return status_render(&r->view, ret_n);
	case EXPO_PAGE:
	case EXPO_FORMATS:
		break;
	}
	return page_render(&r->view, ret_n);
}

/* NULL: out of memory. */
static struct expo_body *body_new(struct expo_renderer *r, enum expo_format f)
{
	struct expo_body made = { .refs = 1 }, *body = malloc(sizeof(*body));

	made.bytes = body ? body_render(r, f, &made.n) : NULL;
	if (!made.bytes) {
		free(body);
		return NULL;
	}
	*body = made;
	return body;
}

struct expo_body *expo_render(struct expo_renderer *r, enum expo_format f, nsec now)
{
	struct expo_body *body;

	renderer_refresh(r, now);
	if (!r->body[f] || (r->body_generation[f] != r->generation && f != EXPO_CATALOG)) {
		body = body_new(r, f);
		if (!body)
			return NULL;
		expo_body_unref(r->body[f]);
		r->body[f] = body;
		r->body_generation[f] = r->generation;
	}
	r->body[f]->refs++;
	return r->body[f];
}

struct expo_body *expo_render_filtered(struct expo_renderer *r, enum expo_format f,
				       const struct expo_filter *filter, nsec now)
{
	struct expo_body *body;

	renderer_refresh(r, now);
	r->view.filter = filter;
	body = body_new(r, f);
	r->view.filter = NULL;
	return body;
}

void expo_body_unref(struct expo_body *b)
{
	if (!b)
		return;
	assert(b->refs);
	if (--b->refs)
		return;
	expo_body_unref(b->gzip);
	free(b->bytes);
	free(b);
}

/* Changes when the socket publishes, stalls or is paused. */
static uint64_t socket_state(const struct expo_renderer *r, uint32_t socket)
{
	return 2 * r->view.publications[socket] +
	       (view_stalled(&r->view, socket) || view_paused(&r->view));
}

unsigned expo_unsent(struct expo_renderer *r, nsec now, unsigned *ret_of)
{
	unsigned n = 0;

	renderer_refresh(r, now);
	*ret_of = 0;
	for (uint32_t i = 0; i < r->view.desc->sockets.n; i++) {
		n += socket_state(r, i) != r->sent[i];
		*ret_of += !view_stalled(&r->view, i);
	}
	return n;
}

void expo_mark_sent(struct expo_renderer *r)
{
	for (uint32_t i = 0; i < r->view.desc->sockets.n; i++)
		r->sent[i] = socket_state(r, i);
}

void expo_note_http(struct expo_renderer *r, const uint64_t words[D_VALUES])
{
	r->http = words;
}

nsec expo_interval(const struct expo_renderer *r)
{
	return r->view.desc->interval;
}

bool expo_drawn_new(struct expo_renderer *r)
{
	r->drawn = drawn_new(r->view.desc);
	return r->drawn;
}

unsigned expo_drawn_count(const struct expo_renderer *r)
{
	return drawn_count(r->drawn);
}

const char *expo_drawn_key(const struct expo_renderer *r, unsigned i)
{
	return drawn_key(r->drawn, r->view.desc, i);
}

void expo_drawn_names(const struct expo_renderer *r, unsigned i, struct strb *t)
{
	drawn_names(r->drawn, r->view.desc, i, t);
}

void expo_drawn_read(struct expo_renderer *r, nsec now, struct expo_drawn *ret)
{
	renderer_refresh(r, now);
	drawn_read(r->drawn, &r->view, ret);
}

bool expo_ready(struct expo_renderer *r, nsec now)
{
	renderer_refresh(r, now);
	for (uint32_t i = 0; i < r->view.desc->sockets.n; i++)
		if (!r->view.words[i][W_UP])
			return false;
	return true;
}

const char *expo_library(void)
{
	static char text[96];

	snprintf(text, sizeof(text), "jansson %s, protobuf-c %s, zlib %s", JANSSON_VERSION,
		 PROTOBUF_C_VERSION, ZLIB_VERSION);
	return text;
}
