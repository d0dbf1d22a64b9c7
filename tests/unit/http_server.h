/* SPDX-License-Identifier: MIT
 * A server in a thread of its own, and clients of it on 127.0.0.1. Include cmocka's headers
 * first. */
#ifndef TESTS_HTTP_SERVER_H
#define TESTS_HTTP_SERVER_H

#include "http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"

#define BIG (4u << 20)                  /* more than socket buffers hold */
#define SLACK (3 * NSEC_PER_SEC)        /* an upper bound that a loaded machine keeps */

static inline nsec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* ------------------------------------------------------------------ the server */

struct server {
	struct http *h;
	int ports[2];
	unsigned n_ports;
	int stop[2];
	pthread_t thread;
	char *big;
	_Atomic unsigned handled, released;     /* calls of the handler, bodies given back */
	_Atomic unsigned answered;      /* answers that were told */
	_Atomic int status;             /* of the last of them */
	char path[64], accept[2048], encodings[64], arguments[256];       /* of the last call */
	struct http_page *page;         /* of /page, made at the first call */
	nsec cpu;                       /* of the thread, at its end */
	struct http_counts counts;      /* the same */
	_Atomic unsigned peak;          /* most connections at a time */
	_Atomic unsigned turns;         /* of the loop */
};

static inline void release(void *p)
{
	((struct server *)p)->released++;
}

/* As a list, "name=value;" each; three are enough. */
static inline bool argument(void *p, const char *name, const char *value)
{
	struct server *s = p;
	size_t n = strlen(s->arguments), seen = 0;

	snprintf(s->arguments + n, sizeof(s->arguments) - n, "%s=%s;", name, value);
	for (const char *c = s->arguments; *c; c++)
		seen += *c == ';';
	return seen < 3;
}

static inline bool handle(void *p, const struct http_request *request, struct http_reply *reply)
{
	struct server *s = p;
	const char *path = request->path;

	s->handled++;
	snprintf(s->path, sizeof(s->path), "%s", path);
	snprintf(s->accept, sizeof(s->accept), "%s", request->accept ? request->accept : "(none)");
	snprintf(s->encodings, sizeof(s->encodings), "%s",
		 request->accept_encoding ? request->accept_encoding : "(none)");
	s->arguments[0] = '\0';
	http_each_argument(request, argument, s);
	*reply = (struct http_reply){ .status = 200, .content_type = "text/plain; charset=utf-8",
				      .bytes = "hello\n", .n = 6 };
	if (strcmp(path, "/metrics") == 0) {
		reply->release = release;
		reply->p = s;
		reply->vary = "Accept";
	} else if (strcmp(path, "/big") == 0) {
		reply->bytes = s->big;
		reply->n = BIG;
		reply->release = release;
		reply->p = s;
	} else if (strcmp(path, "/page") == 0) {
		reply->status = 200;
		reply->encoding = "gzip";
		reply->vary = "Accept, Accept-Encoding";
		reply->release = release;
		reply->p = s;
		if (!s->page)
			s->page = http_page_new(reply);
		*reply = (struct http_reply){ .page = s->page };
	} else if (strcmp(path, "/") == 0) {
		reply->content_type = "text/html; charset=utf-8";
		reply->policy = "default-src 'none'";
	} else if (strcmp(path, "/-/ready") == 0) {
		reply->status = 503;
	} else {
		return false;
	}
	return true;
}

static inline void count_answer(void *p, const char *path, int status, int by)
{
	struct server *s = p;

	(void)path;
	s->status = status;
	s->answered += (unsigned)by;
}

/* The paths that handle() answers. */
static inline bool knows(void *p, const char *path)
{
	static const char *const paths[] = { "/metrics", "/big", "/page", "/", "/-/ready" };

	(void)p;
	for (size_t i = 0; i < COUNT(paths); i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	return false;
}

/* One turn of the loop; false when told to stop. */
static inline bool server_turn(struct server *s)
{
	struct pollfd p[4] = { { .fd = s->stop[0], .events = POLLIN } };
	nsec wait = http_timeout(s->h, now());
	nfds_t n = 1 + http_poll(s->h, p + 1);

	assert_int_equal(n, 2 + s->n_ports);
	poll(p, n, wait < 0 ? -1 : (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
	if (p[0].revents)
		return false;
	http_run(s->h, now(), p + 1);
	s->turns++;
	if (http_count(s->h).connections > s->peak)
		s->peak = http_count(s->h).connections;
	return true;
}

static inline void *server_main(void *p)
{
	struct server *s = p;
	struct timespec t;

	while (server_turn(s))
		;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	s->counts = http_count(s->h);
	s->cpu = t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
	return NULL;
}

static inline int listen_any(int *ret_port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 512), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	*ret_port = ntohs(a.sin_port);
	return fd;
}

static inline void server_open(struct server *s, unsigned n_ports, unsigned connections,
			       nsec request, nsec connection)
{
	struct err err;
	int fds[2];
	struct http_options o = { .fds = fds, .n_fds = n_ports, .connections = connections,
				  .request_deadline = request,
				  .connection_deadline = connection, .handler = handle,
				  .knows = knows, .answered = count_answer, .p = s };

	memset(s, 0, sizeof(*s));
	s->n_ports = n_ports;
	for (unsigned i = 0; i < n_ports; i++)
		fds[i] = listen_any(&s->ports[i]);
	s->big = malloc(BIG);
	memset(s->big, 'x', BIG);
	if (http_new(&o, &s->h, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(pipe(s->stop), 0);
}

static inline void server_start(struct server *s, unsigned n_ports, unsigned connections,
				nsec request, nsec connection)
{
	server_open(s, n_ports, connections, request, connection);
	assert_int_equal(pthread_create(&s->thread, NULL, server_main, s), 0);
}

static inline void server_stop(struct server *s)
{
	assert_int_equal(write(s->stop[1], "x", 1), 1);
	pthread_join(s->thread, NULL);
	http_page_free(s->page);
	http_free(s->h);
	close(s->stop[0]);
	close(s->stop[1]);
	free(s->big);
}

/* ------------------------------------------------------------------ the client */

/* from: the last byte of its address, 127.0.0.x. */
static inline int client_open_from(unsigned from, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = 5 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	a.sin_port = 0;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	a.sin_port = htons((uint16_t)port);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static inline int client_open(int port)
{
	return client_open_from(1, port);
}

/* Reads until the peer closes or `max` bytes are there; returns how many. */
static inline size_t client_read(int fd, char *buf, size_t max)
{
	size_t n = 0;
	ssize_t r;

	while (n < max && (r = recv(fd, buf + n, max - n, 0)) > 0)
		n += (size_t)r;
	return n;
}

/* One request on its own connection; the whole reply as a string, valid until the next call. */
static const char *ask_mem(int port, const char *request, size_t n)
{
	static char reply[65536];
	int fd = client_open(port);

	for (size_t at = 0; at < n;) {
		ssize_t r = send(fd, request + at, n - at, MSG_NOSIGNAL);

		if (r <= 0)
			break;
		at += (size_t)r;
	}
	shutdown(fd, SHUT_WR);
	reply[client_read(fd, reply, sizeof(reply) - 1)] = '\0';
	close(fd);
	return reply;
}

static inline const char *ask(int port, const char *request)
{
	return ask_mem(port, request, strlen(request));
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static inline void expect_in(int line, const char *reply, const char *want)
{
	if (!strstr(reply, want))
		fail_msg("row at line %d: no \"%s\" in \"%s\"", line, want, reply);
}

#endif
