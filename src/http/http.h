/* SPDX-License-Identifier: MIT
 * Libmicrohttpd behind a callback: path in, body out; limits and absolute deadlines.
 *
 * Owns:  connections, methods, status codes, limits, TLS.
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
	/* the body is only the beginning: http_stream_send() sends more */
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
 * until it returns false; once for a request. value is "" if there is none. With more than
 * HTTP_ARGUMENTS_MAX the answer is 400: this limits what a filter can cost. */
#define HTTP_ARGUMENTS_MAX 80
void http_each_argument(const struct http_request *r,
			bool (*each)(void *p, const char *name, const char *value), void *p);

/* Called for GET and HEAD. Fills *reply; false: 404. */
typedef bool (*http_handler)(void *p, const struct http_request *request, struct http_reply *reply);

/* Does this path exist? Asked for methods other than GET and HEAD: the answer is 405 if it does,
 * else 404. */
typedef bool (*http_knows)(void *p, const char *path);

/* Called for every answer; path "": it was refused before anybody looked at its path. by: 1, or -1
 * if what was told could not be sent after all. */
typedef void (*http_answered)(void *p, const char *path, int status, int by);

/* Certificate, key and, if clients have to show a certificate, those that sign theirs: PEM. */
enum { HTTP_TLS_CERT, HTTP_TLS_KEY, HTTP_TLS_CA, HTTP_TLS_FILES };
struct http_tls {
	const char *name[HTTP_TLS_FILES];       /* for messages */
	const char *text[HTTP_TLS_FILES];       /* NULL: none */
	bool only_13;                           /* else TLS 1.2, too */
};
/* http_tls_check - can they be used? Calls say() for all that is wrong, and for what may be. */
typedef void (*http_tls_say)(bool warning, const char *name, const char *text);
bool http_tls_check(const struct http_tls *t, http_tls_say say);

struct http_options {
	const int *fds;             /* listening sockets; taken by http_new() */
	unsigned n_fds;
	const struct http_tls *tls; /* of connections to addresses, borrowed; NULL: no TLS */
	unsigned connections;       /* places: most at a time, all sockets together */
	nsec request_deadline;      /* from the first byte of a request to its last byte out */
	nsec connection_deadline;   /* of a connection, however busy */
	unsigned streams;           /* listeners at a time; 0: none */
	nsec stream_deadline;
	http_handler handler;
	http_knows knows;
	http_answered answered;     /* NULL: nobody wants to know */
	void *p;                    /* of all three */
};

/*
 * Streams: replies that continue with every message until the listener disconnects, until
 * stream_deadline (the reply then ends properly, and the client may ask again), or until the
 * listener is too slow: it has request_deadline to read a message, and at most eight may wait. No
 * other deadline applies. With `streams` listeners, or with half of the connections listening,
 * the newest of the address that has most of them ends for one of an address with fewer; further
 * ones get 503.
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
	uint64_t refused;           /* because there were too many */
	uint64_t sent;              /* bytes */
};

struct http;
/* Takes the listening sockets of o, which are closed by http_free(), and also if it fails; the rest
 * of o is copied, what it points to is borrowed. Returns 0, or -errno with a sentence. */
int http_new(const struct http_options *o, struct http **ret, struct err *err);
void http_free(struct http *h);
/* The names that Host may contain: the machine's own, and those of the configuration, each a
 * borrowed text of words. Any other name is answered with 403 on connections to a loopback address,
 * and on all connections if the configuration has a name. An IP address or no Host is always
 * allowed. Before this is called, Host is not checked. */
void http_names(struct http *h, const char *own, const char *configured);
/* For the loop: fills what is to be polled and returns how many there are, at most 2 + n_fds;
 * http_run() is called after poll() has returned. */
struct pollfd;
unsigned http_poll(const struct http *h, struct pollfd *to);
/* ns until http_run() must be called; -1: not before something polled is ready */
nsec http_timeout(struct http *h, nsec now);
/* polled: with poll()'s answers */
void http_run(struct http *h, nsec now, const struct pollfd *polled);
struct http_counts {
	unsigned connections;       /* now; what follows, since the start: */
	uint64_t refused;           /* for want of descriptors, memory or places, or because
	                             * what came first is no request */
	uint64_t overdue;           /* ended by a deadline, or because others needed their place */
	uint64_t handshake_failures;        /* of TLS */
	uint64_t sent;              /* bytes of bodies that clients took */
};
struct http_counts http_count(const struct http *h);
/* The same bytes to every listener. Takes them. */
void http_stream_send(struct http *h, const struct http_message *m);
struct http_streams http_stream_count(const struct http *h);

#endif
