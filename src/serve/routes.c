/* routes.c - see routes.h. */
#include "config.h"

#include "serve/routes.h"

#include "base/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reply_text(struct http_reply *reply, int status, const char *text)
{
	*reply = (struct http_reply){ .status = status, .content_type = "text/plain; charset=utf-8",
				      .bytes = text, .n = strlen(text) };
	return true;
}

static bool reply_no_memory(struct http_reply *reply)
{
	return reply_text(reply, 503, "out of memory\n");
}

static bool reply_error(struct http_reply *reply, const struct err *err)
{
	char *text;

	if (asprintf(&text, "%s.\n", err->text) < 0)
		return reply_no_memory(reply);
	reply_text(reply, 400, text);
	reply->release = free;
	reply->p = text;
	return true;
}

static void release_body(void *p)
{
	expo_body_unref(p);
}

/* Takes the body. */
static struct http_reply reply_body(struct expo_body *body, unsigned medium, bool gzip,
				    bool metrics)
{
	return (struct http_reply){ .status = 200, .content_type = expo_content_type(medium),
				    .encoding = gzip ? "gzip" : NULL,
				    .vary = metrics ? "Accept, Accept-Encoding" : "Accept-Encoding",
				    .policy = medium == EXPO_PAGE ? expo_page_policy : NULL,
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

/* ------------------------------------------------------------------ pages */

/* The newest body of a medium, in a reply that is kept while it is the newest. */
static bool serve_newest(struct serve *s, unsigned medium, bool gzip, bool metrics,
			 struct http_reply *reply)
{
	enum expo_format format = expo_media_format(medium);
	struct serve_page *page = &s->pages[format][gzip];
	struct expo_body *body = body_encoded(expo_render(s->renderer, format, s->now), gzip);
	struct http_reply made;

	if (!body)
		return reply_no_memory(reply);
	if (page->body == body && page->medium == medium) {
		expo_body_unref(body);
	} else {
		made = reply_body(body, medium, gzip, metrics);
		http_page_free(page->page);
		page->page = http_page_new(&made);
		page->body = page->page ? body : NULL;
		page->medium = medium;
	}
	reply->page = page->page;
	return page->page || reply_no_memory(reply);
}

void serve_swap(struct serve *s, struct expo_renderer *r)
{
	for (unsigned i = 0; i < EXPO_FORMATS; i++)
		for (unsigned k = 0; k < 2; k++) {
			http_page_free(s->pages[i][k].page);
			s->pages[i][k] = (struct serve_page){ 0 };
		}
	expo_renderer_free(s->renderer);
	s->renderer = r;
}

/* ------------------------------------------------------------------ /metrics */

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
static bool serve_metrics(struct serve *s, const struct http_request *request,
			  struct http_reply *reply)
{
	bool gzip = expo_accepts_gzip(request->accept_encoding);
	unsigned medium = expo_negotiate(request->accept);
	struct selection c = { .filter = expo_filter_new(s->renderer) };
	struct expo_body *body;
	bool r;

	if (!c.filter)
		return reply_no_memory(reply);
	http_each_argument(request, select_argument, &c);
	if (c.r < 0) {
		r = reply_error(reply, &c.err);
	} else if (expo_filter_empty(c.filter)) {
		r = serve_newest(s, medium, gzip, true, reply);
	} else {
		body = body_encoded(expo_render_filtered(s->renderer, expo_media_format(medium),
							 c.filter, s->now), gzip);
		r = body || reply_no_memory(reply);
		if (body)
			*reply = reply_body(body, medium, gzip, true);
	}
	expo_filter_free(c.filter);
	return r;
}

/* ------------------------------------------------------------------ /api/v1/stream */

/* Begins with the newest snapshot. If nobody else listens, everybody now has it. */
static bool serve_stream(struct serve *s, struct http_reply *reply)
{
	struct expo_body *body = expo_render(s->renderer, EXPO_EVENT, s->now);

	if (!body)
		return reply_no_memory(reply);
	if (!http_stream_count(s->http).listeners)
		expo_mark_sent(s->renderer);
	*reply = reply_body(body, EXPO_EVENT, false, false);
	reply->vary = NULL;
	reply->stream = true;
	return true;
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

/* ------------------------------------------------------------------ routes */

static const struct route {
	const char *path;
	enum { METRICS, DOCUMENT, STREAM, READY, HEALTHY } what;
	enum expo_format format;        /* of a document */
} routes[] = {
	{ "/metrics", METRICS, EXPO_TEXT },
	{ "/", DOCUMENT, EXPO_PAGE },
	{ "/api/v1/catalog", DOCUMENT, EXPO_CATALOG },
	{ "/api/v1/snapshot", DOCUMENT, EXPO_JSON },
	{ "/api/v1/status", DOCUMENT, EXPO_STATUS },
	{ "/api/v1/stream", STREAM, EXPO_EVENT },
	{ "/-/ready", READY, EXPO_TEXT },
	{ "/-/healthy", HEALTHY, EXPO_TEXT },
};

/* NULL: none. */
static const struct route *route_of(const char *path)
{
	for (size_t i = 0; i < COUNT(routes); i++)
		if (strcmp(path, routes[i].path) == 0)
			return &routes[i];
	return NULL;
}

bool serve_knows(void *p, const char *path)
{
	(void)p;
	return route_of(path);
}

bool serve_handle(void *p, const struct http_request *request, struct http_reply *reply)
{
	const struct route *route = route_of(request->path);
	struct serve *s = p;
	struct http_streams listen = http_stream_count(s->http);

	if (!route)
		return false;
	if (route->what == HEALTHY)
		return reply_text(reply, 200, "uncored is alive\n");
	if (route->what == READY)
		return s->renderer && expo_ready(s->renderer, s->now) ?
		       reply_text(reply, 200, "uncored is ready\n") :
		       reply_text(reply, 503, "a socket has no first sample yet, or has stalled: "
				  "/api/v1/status says which\n");
	if (!s->renderer)
		return reply_text(reply, 503, "starting\n");
	expo_note_stream(s->renderer, listen.listeners, listen.dropped);
	if (route->what == METRICS)
		return serve_metrics(s, request, reply);
	if (route->what == STREAM)
		return serve_stream(s, reply);
	return serve_newest(s, route->format, expo_accepts_gzip(request->accept_encoding), false,
			    reply);
}
