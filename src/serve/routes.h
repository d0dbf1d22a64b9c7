/* SPDX-License-Identifier: MIT
 * What the http process answers: from a path to a body.
 *
 * Owns:  routes, arguments, replies that are kept together with their bodies.
 * Never: connections (http/), how a body is made (expo/), where a plan comes from (uncored_http.c).
 * The http child's one thread.
 *
 * A counter of this process (uncored_http_*_total, uncored_stream_dropped_total) starts at 0 when
 * the process starts: it cannot tell the parent, and scrapers expect counters to be reset. All
 * other counters of a scrape belong to the parent and outlive this process.
 */
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include "expo/expo.h"
#include "http/http.h"
#include "serve/history.h"

/* The reply with one body; while it is kept, so is the body. */
struct serve_page {
	const struct expo_body *body;
	struct http_page *page;
};

struct serve {
	struct expo_renderer *renderer;         /* NULL: no plan yet */
	nsec now;                               /* CLOCK_MONOTONIC at this turn of the loop */
	uint64_t http_values[D_VALUES];         /* what this process says of itself; the caller
	                                         * fills D_HTTP_BEGAN, CLOCK_REALTIME, in */
	struct http *http;                      /* that calls serve_handle() */
	struct serve_page pages[EXPO_FORMATS][2];       /* plain, gzip */
	struct history history;                         /* of this renderer */
};

/* serve_handle and so on - http_options.handler, .knows and .answered; p is a struct serve. */
bool serve_handle(void *p, const struct http_request *request, struct http_reply *reply);
bool serve_knows(void *p, const char *path);
void serve_answered(void *p, const char *path, int status, int by);
/* serve_publish - the newest snapshot to everybody who listens to the stream. */
void serve_publish(struct serve *s);
/* serve_swap - from now on this renderer, which it takes; the old one and its pages are freed.
 * NULL: none. */
void serve_swap(struct serve *s, struct expo_renderer *r);

#endif
