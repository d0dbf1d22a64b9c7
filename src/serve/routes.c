/* SPDX-License-Identifier: MIT
 * The table of paths, and bodies kept until there are newer values; see routes.h.
 * Owns:  struct serve: replies with their bodies, counters of answers.
 * Never: how a body is made (expo/), how it is sent (http/).
 * The http child's one thread.
 */
#include "serve/routes.h"

#include "base/bits.h"
#include "base/clock.h"
#include "base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct http_reply no_memory(void)
{
	return http_text(503, "out of memory\n");
}

static struct http_reply refusal(const struct err *err)
{
	struct http_reply reply;
	char *text;

	if (asprintf(&text, "%s.\n", err->text) < 0)
		return no_memory();
	reply = http_text(400, text);
	reply.release = free;
	reply.p = text;
	return reply;
}

static void release_body(void *p)
{
	expo_body_unref(p);
}

/* Takes the body; NULL: out of memory. */
static struct http_reply reply_body(struct expo_body *body, enum expo_format format, bool gzip,
				    bool metrics)
{
	if (!body)
		return no_memory();
	return (struct http_reply){ .status = 200, .content_type = expo_content_type(format),
				    .encoding = gzip ? "gzip" : NULL,
				    .vary = metrics ? "Accept, Accept-Encoding" : "Accept-Encoding",
				    .policy = format == EXPO_PAGE ? expo_page_policy : NULL,
				    .bytes = body->bytes, .n = body->n, .release = release_body,
				    .p = body };
}

/* Takes the reference, gives one to the body as it is sent; NULL: out of memory. */
static struct expo_body *body_encoded(struct expo_body *plain, bool gzip)
{
	struct expo_body *body = plain;

	if (plain && gzip) {
		body = expo_body_gzip(plain);
		expo_body_unref(plain);
	}
	return body;
}

/* The newest body of a format, in a reply that is kept while it is the newest. */
static struct http_reply serve_newest(struct serve *s, enum expo_format format, bool gzip,
				      bool metrics)
{
	struct serve_page *page = &s->pages[format][gzip];
	nsec began = clock_read(CLOCK_MONOTONIC);
	struct expo_body *body = body_encoded(expo_render(s->renderer, format, s->now), gzip);
	struct http_reply made;

	if (!body)
		return no_memory();
	if (page->page && page->body == body) {
		expo_body_unref(body);
	} else {
		made = reply_body(body, format, gzip, metrics);
		http_page_free(page->page);
		*page = (struct serve_page){ body, http_page_new(&made) };
		s->http_values[D_HTTP_RENDER] = (uint64_t)(clock_read(CLOCK_MONOTONIC) - began);
	}
	return page->page ? (struct http_reply){ .page = page->page } : no_memory();
}

void serve_swap(struct serve *s, struct expo_renderer *r)
{
	for (unsigned i = 0; i < EXPO_FORMATS; i++)
		for (unsigned k = 0; k < 2; k++) {
			http_page_free(s->pages[i][k].page);
			s->pages[i][k] = (struct serve_page){ 0 };
		}
	history_swap(&s->history, s->renderer, r);
	expo_renderer_free(s->renderer);
	s->renderer = r;
	if (r)
		expo_note_http(r, s->http_values);
}

struct selection {
	struct expo_filter *filter;
	struct err err;
	int r;
};

static bool select_argument(void *p, const char *name, const char *value)
{
	struct selection *c = p;

	c->r = expo_filter_add(c->filter, name, value, &c->err);
	return c->r == 0;
}

/* Only the series that the arguments select; without any, all. */
static struct http_reply serve_metrics(struct serve *s, const struct http_request *request)
{
	bool gzip = expo_accepts_gzip(request->accept_encoding);
	enum expo_format format = expo_negotiate(request->accept);
	struct selection c = { .filter = expo_filter_new(s->renderer) };
	struct expo_body *body;
	struct http_reply reply;

	if (!c.filter)
		return no_memory();
	http_each_argument(request, select_argument, &c);
	if (c.r < 0) {
		reply = refusal(&c.err);
	} else if (expo_filter_empty(c.filter)) {
		reply = serve_newest(s, format, gzip, true);
	} else {
		body = expo_render_filtered(s->renderer, format, c.filter, s->now);
		reply = reply_body(body_encoded(body, gzip), format, gzip, true);
	}
	expo_filter_free(c.filter);
	return reply;
}

/* What the arguments of a path but /metrics ask for. */
struct asked {
	bool history, selection;
};

static bool ask_argument(void *p, const char *name, const char *value)
{
	struct asked *a = p;

	(void)value;
	a->history |= strcmp(name, "history") == 0;
	a->selection |= strcmp(name, "group[]") == 0 || strcmp(name, "name[]") == 0;
	return true;
}

/* Puts the past before what the stream begins with. */
static struct http_reply with_history(struct serve *s, struct http_reply reply)
{
	size_t n = 0;
	char *past = history_event(&s->history, s->renderer, s->now, clock_read(CLOCK_REALTIME),
				   &n);
	char *both = past ? realloc(past, n + reply.n) : NULL;

	if (both)
		memcpy(both + n, reply.bytes, reply.n);
	else
		free(past);
	reply.release(reply.p);
	if (!both)
		return no_memory();
	reply.bytes = both;
	reply.n += n;
	reply.release = free;
	reply.p = both;
	return reply;
}

/* Begins with the newest snapshot. If nobody else listens, everybody now has it. */
static struct http_reply serve_stream(struct serve *s, bool past)
{
	struct http_reply reply = reply_body(expo_render(s->renderer, EXPO_EVENT, s->now),
					     EXPO_EVENT, false, false);

	if (reply.status == 200 && past)
		reply = with_history(s, reply);
	if (reply.status == 200 && !http_stream_count(s->http).listeners)
		expo_mark_sent(s->renderer);
	reply.vary = NULL;
	reply.stream = reply.status == 200;
	return reply;
}

void serve_publish(struct serve *s)
{
	struct expo_body *body = expo_render(s->renderer, EXPO_EVENT, s->now);

	if (!body)
		return;
	expo_mark_sent(s->renderer);
	http_stream_send(s->http,
			 &(struct http_message){ body->bytes, body->n, release_body, body });
}

static const struct route {
	const char *path;
	enum { METRICS, DOCUMENT, STREAM, READY, HEALTHY } what;
	const char *kind;               /* of HTTP_ANSWERS */
	enum expo_format format;        /* of a document */
} routes[] = {
	{ "/metrics", METRICS, "metrics", EXPO_TEXT },
	{ "/", DOCUMENT, "page", EXPO_PAGE },
	{ "/api/v1/catalog", DOCUMENT, "api", EXPO_CATALOG },
	{ "/api/v1/snapshot", DOCUMENT, "api", EXPO_JSON },
	{ "/api/v1/status", DOCUMENT, "api", EXPO_STATUS },
	{ "/api/v1/stream", STREAM, "stream", EXPO_EVENT },
	{ "/-/ready", READY, "health", EXPO_TEXT },
	{ "/-/healthy", HEALTHY, "health", EXPO_TEXT },
};

/* NULL: none. */
static const struct route *route_of(const char *path)
{
	return NAME_FIND(routes, COUNT(routes), path);
}

bool serve_knows(void *p, const char *path)
{
	(void)p;
	return route_of(path);
}

void serve_answered(void *p, const char *path, int status, int by)
{
#define ANSWER(code, kind) { code, #kind },
	static const struct { int code; const char *kind; } answers[] = { HTTP_ANSWERS(ANSWER) };
	const struct route *route = route_of(path);
	struct serve *s = p;

	for (size_t i = 0; i < COUNT(answers); i++) {
		if (answers[i].code != status || (strcmp(answers[i].kind, "other") != 0 &&
		    (!route || strcmp(answers[i].kind, route->kind) != 0)))
			continue;
		s->http_values[D_ANSWERS + i] += (uint64_t)by;
		return;                 /* the rows of `other` come last */
	}
}

static void count_http(struct serve *s)
{
	struct http_streams streams = http_stream_count(s->http);
	struct http_counts counts = http_count(s->http);

	s->http_values[D_LISTENERS] = streams.listeners;
	s->http_values[D_DROPPED] = streams.dropped;
	s->http_values[D_HTTP_CONNECTIONS] = counts.connections;
	s->http_values[D_HTTP_REFUSED] = counts.refused;
	s->http_values[D_HTTP_OVERDUE] = counts.overdue;
	s->http_values[D_HTTP_HANDSHAKE_FAILURES] = counts.handshake_failures;
	s->http_values[D_HTTP_BYTES] = counts.sent;
}

static struct http_reply serve_route(struct serve *s, const struct route *route,
				     const struct http_request *request)
{
	struct asked asked = { .history = false };

	if (route->what == HEALTHY)
		return http_text(200, "uncored is alive\n");
	if (route->what == READY)
		return s->renderer && expo_ready(s->renderer, s->now) ?
		       http_text(200, "uncored is ready\n") :
		       http_text(503, "not ready: a socket has no sample yet or has "
				 "stalled; see /api/v1/status\n");
	if (!s->renderer)
		return http_text(503, "starting\n");
	count_http(s);
	if (route->what == METRICS)
		return serve_metrics(s, request);
	http_each_argument(request, ask_argument, &asked);
	if (asked.selection)
		return http_text(400, "group[] and name[] select series of /metrics alone; leave "
				 "them out: this answers with everything\n");
	if (route->what == STREAM)
		return serve_stream(s, asked.history);
	return serve_newest(s, route->format, expo_accepts_gzip(request->accept_encoding), false);
}

bool serve_handle(void *p, const struct http_request *request, struct http_reply *reply)
{
	const struct route *route = route_of(request->path);

	if (route)
		*reply = serve_route(p, route, request);
	return route;
}
