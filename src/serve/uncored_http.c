/* SPDX-License-Identifier: MIT
 * uncored-http: serves what uncored counts. uncored starts it.
 * Owns:  start and end of the process, its loop, taking over plans.
 * Never: what is answered (routes.h); registers, configuration: it maps two memfds read-only,
 *        cannot ask its parent for anything, and tells it only that it is alive.
 * One thread.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "http/http.h"
#include "process/confine.h"
#include "process/exit_code.h"
#include "process/layout_hash.h"
#include "process/log.h"
#include "process/privileges.h"
#include "process/shared.h"
#include "process/wire.h"
#include "serve/stream_poll.h"
#include "serve/routes.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CONNECTIONS = 256,
	LISTENERS = 16,                     /* of the stream */
};

/* The shortest and the longest time between two. The parent takes 5 s of silence for a hang. */
#define HEARTBEAT_MIN (500 * NSEC_PER_MSEC)
#define HEARTBEAT_MAX (2 * NSEC_PER_SEC)

struct server {
	struct shared *shared;
	struct serve serve;
	struct stream_poll stream;
	struct http_tls tls;
	struct http *http;                  /* NULL: this process is to look at tls, and no more */
	nsec last_heartbeat;
};

/* Takes over a new plan and frees the old one. */
static int take_plan(struct server *s)
{
	struct expo_renderer *renderer;
	struct shared *shared;
	int r = shared_receive(WIRE_FD, expo_desc_values, expo_desc_sockets, D_VALUES, &shared);

	if (r == -EAGAIN)
		return 0;
	if (r < 0)
		return r;
	r = expo_renderer_new(shared->desc, shared->desc_len, shared->rings, &shared->daemon,
			      &expo_protobuf, &renderer, NULL);
	if (r < 0) {
		shared_free(shared);
		return r;
	}
	serve_swap(&s->serve, renderer);
	http_names(s->http, shared->names, shared->names + strlen(shared->names) + 1);
	shared_free(s->shared);
	s->shared = shared;
	malloc_trim(0);
	return 0;
}

/*
 * heartbeat - tells the parent that the loop still turns. A heartbeat that the parent does not read
 * is lost.
 *
 * It is sent when the loop turns for a request anyway, because waking up for it costs two fifths of
 * a scrape. Returns ns until the loop must turn for the next one if there is no request.
 */
static nsec heartbeat(struct server *s, nsec now)
{
	if (now - s->last_heartbeat >= HEARTBEAT_MIN) {
		s->last_heartbeat = now;
		send(WIRE_FD, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	return s->last_heartbeat + HEARTBEAT_MAX - now;
}

static int run(struct server *s)
{
	struct pollfd p[3 + WIRE_LISTENERS_MAX] = { { .fd = WIRE_FD, .events = POLLIN } };

	for (;;) {
		nsec now = clock_read(CLOCK_MONOTONIC), wait = http_timeout(s->http, now);
		nsec stream = stream_poll_timeout(&s->stream, &s->serve, now);
		nsec history = history_timeout(&s->serve.history, now);
		/* connections wait for the first plan */
		nfds_t n_fds = s->shared ? 1 + http_poll(s->http, p + 1) : 1;
		nsec heartbeat_in = heartbeat(s, now);
		int n, r;

		if (wait < 0 || heartbeat_in < wait)
			wait = heartbeat_in;
		if (stream >= 0 && stream < wait)
			wait = stream;
		if (history >= 0 && history < wait)
			wait = history;
		n = poll(p, n_fds, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));

		if (n < 0 && errno != EINTR)
			return 0;               /* the parent starts another one */
		r = n > 0 && p[0].revents ? take_plan(s) : 0;
		if (r < 0 && r != -EPIPE)
			log_msg(LOG_ERR, "the http process could not load the new description: %s",
				strerror(-r));
		if (r < 0)
			return 0;               /* its parent has ended, or starts another one */
		now = s->serve.now = clock_read(CLOCK_MONOTONIC);
		stream_poll_run(&s->stream, &s->serve, now);
		history_run(&s->serve.history, s->serve.renderer, now);
		http_run(s->http, now, p + 1);
	}
}

/* Certificate and key, as wire.h describes them; they stay mapped. */
static int take_tls(int fd, struct http_tls *ret, struct err *err)
{
	AUTO_FD int own = fd;
	const char *at = MAP_FAILED;
	struct stat st;

	if (fstat(own, &st) == 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, own, 0);
	if (at == MAP_FAILED)
		return err_set(err, -ENOMEM, "cannot read the certificate and key: %s",
			       strerror(errno));
	ret->only_13 = strcmp(at, "1.3") == 0;
	for (unsigned i = 0; i < HTTP_TLS_FILES; i++) {
		ret->name[i] = at += strlen(at) + 1;
		at += strlen(at) + 1;
		ret->text[i] = *ret->name[i] ? at : NULL;
	}
	return 0;
}

/* Waits for the listening sockets, certificate and key, and the parent's build. Returns how many
 * descriptors that are; -EPIPE: the parent has ended. */
static int take_listeners(int *fds, struct err *err)
{
	uint64_t layout = 0;
	int n;

	do
		n = wire_receive(WIRE_FD, &layout, sizeof(layout), fds, WIRE_FDS_MAX, 0);
	while (n == -EAGAIN);
	if (n == -EPROTO || (n >= 0 && layout != LAYOUT_HASH))
		return err_set(err, -EUCLEAN, "uncored-http and uncored are from different builds: "
			       "install both from the same build, then restart uncored");
	return n;
}

/* Prepares to serve: 0, -EPIPE if the parent has ended, or another -errno with a sentence. */
static int begin(struct server *s, struct err *err)
{
	struct http_options o = { .connections = CONNECTIONS, .request_deadline = 10 * NSEC_PER_SEC,
				  .connection_deadline = 300 * NSEC_PER_SEC, .streams = LISTENERS,
				  .stream_deadline = 3600 * NSEC_PER_SEC, .handler = serve_handle,
				  .knows = serve_knows, .answered = serve_answered,
				  .p = &s->serve };
	int fds[WIRE_FDS_MAX], shared = WIRE_FD;
	int r = take_listeners(fds, err);

	if (r < 0)
		return r;
	o.fds = fds;
	o.n_fds = (unsigned)r - 1;
	for (unsigned i = 0; i < o.n_fds; i++) {
		shared = fds[i] > shared ? fds[i] : shared;
		fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
	}
	r = take_tls(fds[o.n_fds], &s->tls, err);
	if (r < 0)
		return r;
	o.tls = s->tls.text[HTTP_TLS_CERT] ? &s->tls : NULL;
	r = privileges_drop(err);
	if (r < 0)
		return r;
	r = confine_http(shared, err);
	if (r < 0 || !o.n_fds)
		return r;
	r = http_new(&o, &s->http, err);        /* parses certificate and key */
	if (r < 0)
		return r;
	s->serve.http = s->http;
	return 0;
}

static void log_tls(bool warning, const char *name, const char *text)
{
	log_msg(warning ? LOG_WARNING : LOG_ERR, "%s: %s", name, text);
}

/* Did uncored start this process? */
static bool started_by_uncored(void)
{
	int type = 0;
	socklen_t n = sizeof(type);

	return getsockopt(WIRE_FD, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_SEQPACKET;
}

int main(void)
{
	struct server s = { .last_heartbeat = -HEARTBEAT_MAX, .serve.http_values[D_HTTP_BEGAN] =
			    (uint64_t)clock_read(CLOCK_REALTIME) };
	struct rlimit files = { 1024, 1024 };
	struct err err = { "" };
	int code = 0, r;

	if (!started_by_uncored()) {
		fputs("uncored-http is started by uncored: run uncored instead\n", stderr);
		return EXIT_USAGE;
	}
	/* a parent that has ended already has closed WIRE_FD */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log_init();
	log_to_parent();
	/* the kernel has named it after the descriptor that it was executed from */
	prctl(PR_SET_NAME, "uncored-http");
	fcntl(WIRE_FD, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);                /* the parent decides */
	signal(SIGQUIT, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	r = begin(&s, &err);
	if (r == 0 && !s.http)
		code = http_tls_check(&s.tls, log_tls) ? 0 : EXIT_CONFIG;
	else if (r == 0)
		code = run(&s);
	else if (r != -EPIPE)
		code = log_exit(r, &err);
	serve_swap(&s.serve, NULL);
	http_free(s.http);
	shared_free(s.shared);
	return code;
}
