/* http.h - libmicrohttpd behind a callback: path in, body out; limits and absolute deadlines.
 *
 * Owns:  connections, methods, status codes, limits; the seccomp filter of the child.
 * Never: what a body says.
 * The http child's one thread.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "base/err.h"
#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_page;

struct http_reply {
	int status;                 /* 200, 404, 503 ... */
	const char *content_type;   /* static, as the next three */
	const char *encoding;       /* Content-Encoding, or NULL */
	const char *vary;           /* Vary: which headers chose the body, or NULL */
	const char *policy;         /* Content-Security-Policy, or NULL */
	const char *bytes;
	size_t n;
	void (*release)(void *);    /* called once the reply has gone out; NULL: bytes are static */
	void *p;
	struct http_page *page;     /* borrowed; not NULL: this, and nothing of the above */
	/* the body is only the beginning: http_stream_send() goes on with it */
	bool stream;
};

/* http_text - a reply of plain text; the text is borrowed until it has gone out. */
struct http_reply http_text(int status, const char *text);
/*
 * http_page_new - a reply to be sent more than once: its head is made here, and not for every
 * request.
 *
 * Takes the body even on failure; it is released when the page is freed and the last reply has gone
 * out.
 * NULL: out of memory.
 */
struct http_page *http_page_new(const struct http_reply *reply);
void http_page_free(struct http_page *page);

/* What is asked for; valid during the call. */
struct http_request {
	const char *path;           /* exact, without arguments */
	/* header lines of that name as one list; NULL: none came */
	const char *accept, *accept_encoding;
	void *connection;           /* for http_each_argument() */
};

/* http_each_argument - calls each() for every argument behind the "?", percent-decoded, in order,
 * until it returns false. value is "" where there is none. libmicrohttpd keeps arguments in the
 * connection's memory, 64 bytes each beside the text: a hundred fit, and with more it closes
 * without an answer. That bounds what a filter costs. */
void http_each_argument(const struct http_request *r,
			bool (*each)(void *p, const char *name, const char *value), void *p);

/* Called for GET and HEAD. Fills *reply; false: 404. */
typedef bool (*http_handler)(void *p, const struct http_request *request, struct http_reply *reply);

/* Is there anything at this path? Asked where the method is another one: there it is 405, elsewhere
 * 404. */
typedef bool (*http_knows)(void *p, const char *path);

struct http_options {
	const int *fds;             /* listening sockets; taken by http_new() */
	unsigned n_fds;
	unsigned connections;       /* most at a time, all sockets together */
	nsec request_deadline;      /* from the first byte of a request to its last byte out */
	nsec connection_deadline;   /* of a connection, however busy */
	unsigned streams;           /* listeners at a time; 0: none */
	nsec stream_deadline;
	http_handler handler;
	http_knows knows;
	void *p;                    /* of both */
};

/*
 * Streams: replies that go on with every message until the listener leaves, has listened for
 * stream_deadline (it gets a proper end and may ask again), or does not take what it gets: one
 * message within request_deadline, and no more than eight waiting. They have no other deadline.
 * Beyond `streams` listeners, or a half of the connections, others get 503.
 */
struct http_message {
	const char *bytes;
	size_t n;
	void (*release)(void *);    /* when the last listener has it; NULL: static */
	void *p;
};
struct http_streams {
	unsigned listeners;
	uint64_t dropped;           /* since the start: because they were too slow */
	uint64_t refused;           /* for want of a place */
};

struct http;
int http_new(const struct http_options *o, struct http **ret, struct err *err);
void http_free(struct http *h);
/* Whom requests may be for, as Host says: own names, and those that are given, words in a borrowed
 * text each. On connections to a loopback address any other name is answered 403, and everywhere if
 * any name is given. IP addresses and no Host are welcome always. Until this is called nothing is
 * looked at. */
void http_names(struct http *h, const char *own, const char *given);
/* The loop: what to poll, 1 + n_fds of them (returned), and what to do when something is there or
 * the timeout is over. */
struct pollfd;
unsigned http_poll(const struct http *h, struct pollfd *to);
nsec http_timeout(struct http *h, nsec now);     /* ns until http_run must be called, -1: only on
                                                  * what is polled */
/* polled: with poll()'s answers */
void http_run(struct http *h, nsec now, const struct pollfd *polled);
unsigned http_connections(const struct http *h);
/* The same bytes to every listener. Takes them. */
void http_stream_send(struct http *h, const struct http_message *m);
struct http_streams http_stream_count(const struct http *h);

/* http_confine - no new privileges, then the seccomp filter: only what serving needs. -errno with a
 * sentence. */
int http_confine(struct err *err);

#endif
