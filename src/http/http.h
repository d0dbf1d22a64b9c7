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

struct http_reply {
	int status;                 /* 200, 404, 503 ... */
	const char *content_type;   /* static */
	const char *bytes;
	size_t n;
	void (*release)(void *);    /* called once the reply has gone out; NULL: bytes are static */
	void *p;
	bool vary_accept;           /* adds Vary: Accept */
};

/* Called for GET and HEAD with an exact path; accept may be NULL. Fills *reply; false: 404. */
typedef bool (*http_handler)(void *p, const char *path, const char *accept, struct http_reply *reply);

struct http_options {
	const int *fds;             /* listening sockets; taken by http_new() */
	unsigned n_fds;
	unsigned connections;       /* most at a time, all sockets together */
	nsec request_deadline;      /* from the first byte of a request to its last byte out */
	nsec connection_deadline;   /* of a connection, however busy */
	http_handler handler;
	void *p;
};

struct http;
int http_new(const struct http_options *o, struct http **ret, struct err *err);
void http_free(struct http *h);
/* The loop: an fd to poll, and what to do when it is readable or the timeout is over. */
int http_fd(const struct http *h);
nsec http_timeout(struct http *h, nsec now);     /* ns until http_run must be called, -1: only on the fd */
void http_run(struct http *h, nsec now);
unsigned http_connections(const struct http *h);

/* http_confine - no new privileges, then the seccomp filter: only what serving needs. -errno with a sentence. */
int http_confine(struct err *err);

/* Name and version of the library behind it, for --version. */
const char *http_library(void);

#endif
