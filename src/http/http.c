/* http.c - libmicrohttpd, fed with connections that we accept ourselves; see http.h.
 *
 * Accepting is ours because libmicrohttpd 0.9.75 spins when no descriptor is left and no connection is open; deadlines
 * are ours because its timeout starts anew at every byte received or sent.
 */
#include "config.h"

#include "http/http.h"

#include "base/bits.h"
#include "http/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTION_MEMORY (16 * 1024)       /* request head and reply head; more is answered 431 or 414 */
#define HEADER_LIST       1024              /* of a header that comes in several lines */
#define FDS_SPARE         8                 /* descriptors that connections must leave to everything else */
#define MHD_FDS           3                 /* libmicrohttpd's own: epoll, and two to wake it up */
#define ACCEPTS_AT_ONCE   16                /* then those who wait for an answer have their turn */
#define ACCEPT_PAUSE      (500 * NSEC_PER_MSEC)   /* after accept() failed: no descriptor, no memory */
#define SCAN_MIN          (10 * NSEC_PER_MSEC)
#define SCAN_MAX          (250 * NSEC_PER_MSEC)
#define CROWDED_DEADLINE  (500 * NSEC_PER_MSEC)   /* of a request while all places are taken; idle peers go at once */

struct connection {
	struct connection *prev, *next;
	int fd;
	nsec accepted;
	nsec request;               /* when the current request began; -1: none has */
	uint64_t received;          /* bytes at the first scan after the last request: more is the next one */
	bool counted;               /* received was taken; asking the kernel at each request would be a tenth of its cost */
	size_t target;              /* length of the request target, up to a NUL */
	bool escaped_nul;
	bool listens;               /* to the stream: its deadlines are stream.c's */
};

struct http {
	struct http_options o;
	int *fds;                   /* a copy of o.fds, ours to close */
	struct MHD_Daemon *mhd;
	struct streams *streams;
	int epoll;                  /* libmicrohttpd's */
	nsec now;
	nsec paused_until;          /* no accept() before; 0: not paused */
	nsec scan_at, scan_every;
	nsec quiet_until;           /* all connections are idle, and need no scan before; -1: some are not */
	struct connection *first;
	unsigned n;                 /* connections */
};

/* ------------------------------------------------------------------ connections */

/* Bytes received so far; a socket that cannot tell is measured by its connection deadline alone. */
static uint64_t bytes_received(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t n = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0 ? info.tcpi_bytes_received : 0;
}

static void notify_connection(void *p, struct MHD_Connection *mc, void **context, enum MHD_ConnectionNotificationCode code)
{
	struct http *h = p;
	struct connection *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info = MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD);

		c = calloc(1, sizeof(*c));
		*context = c;
		if (!c) {               /* no deadline without a place to keep it: no connection */
			if (info)
				shutdown(info->connect_fd, SHUT_RDWR);
			return;
		}
		c->fd = info->connect_fd;
		c->accepted = c->request = h->now;
		c->next = h->first;
		if (c->next)
			c->next->prev = c;
		h->first = c;
		h->n++;
	} else if (c) {
		if (c->prev)
			c->prev->next = c->next;
		else
			h->first = c->next;
		if (c->next)
			c->next->prev = c->prev;
		h->n--;
		free(c);
	}
}

static struct connection *connection_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* A reply has gone out, or its connection broke. */
static void notify_completed(void *p, struct MHD_Connection *mc, void **request, enum MHD_RequestTerminationCode code)
{
	struct connection *c = connection_of(mc);

	(void)p;
	(void)code;
	*request = NULL;
	if (c) {
		c->listens = false;
		c->request = -1;
		c->counted = false;
	}
}

/* An idle connection: has its next request begun? What came before the first look is not held against it: until more comes
 * it is as idle as one that sends nothing. */
static void connection_look(const struct http *h, struct connection *c)
{
	uint64_t received = bytes_received(c->fd);

	if (c->counted && received != c->received)
		c->request = h->now;
	c->received = received;
	c->counted = true;
}

/* Has it had its time? While others wait for a place, that time is short. */
static bool connection_overdue(const struct http *h, const struct connection *c)
{
	nsec deadline = h->o.request_deadline;

	if (c->listens)
		return false;
	if (h->n >= h->o.connections && deadline > CROWDED_DEADLINE)
		deadline = CROWDED_DEADLINE;
	if (h->now - c->accepted >= h->o.connection_deadline)
		return true;
	return c->request < 0 ? h->n >= h->o.connections : h->now - c->request >= deadline;
}

/*
 * Unsent data is thrown away with the socket, not kept for a peer that does not read.
 *
 * Comes after libmicrohttpd had its turn: then bytes of a request that is not complete are in the socket's count, or will
 * wake us. Where every connection is idle there is nothing to look after but their own deadline.
 */
static void scan_deadlines(struct http *h)
{
	const struct linger drop = { .l_onoff = 1, .l_linger = 0 };

	h->quiet_until = -1;
	if (h->now < h->scan_at)
		return;
	h->scan_at = h->now + h->scan_every;
	h->quiet_until = INT64_MAX;
	for (struct connection *c = h->first; c; c = c->next) {
		if (c->request < 0)
			connection_look(h, c);
		if (c->accepted + h->o.connection_deadline < h->quiet_until)
			h->quiet_until = c->accepted + h->o.connection_deadline;
		if (!connection_overdue(h, c)) {
			if (c->request >= 0 || c->listens)
				h->quiet_until = -1;
			continue;
		}
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop));
		shutdown(c->fd, SHUT_RDWR);
	}
}

/* ------------------------------------------------------------------ replies */

struct http_page {
	struct MHD_Response *m;
	unsigned status;
};

static void add_headers(struct MHD_Response *m, const struct http_reply *reply)
{
	MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
	MHD_add_response_header(m, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
	if (reply->encoding)
		MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_ENCODING, reply->encoding);
	if (reply->vary)
		MHD_add_response_header(m, MHD_HTTP_HEADER_VARY, reply->vary);
	if (reply->policy)
		MHD_add_response_header(m, "Content-Security-Policy", reply->policy);
	if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(m, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
}

/* Takes the body. libmicrohttpd does not change the bytes; its parameter is not const. */
static struct MHD_Response *response_new(const struct http_reply *reply)
{
	void *bytes = (void *)(uintptr_t)reply->bytes;
	struct MHD_Response *m;

	if (reply->release)
		m = MHD_create_response_from_buffer_with_free_callback_cls(reply->n, bytes, reply->release, reply->p);
	else
		m = MHD_create_response_from_buffer(reply->n, bytes, MHD_RESPMEM_PERSISTENT);
	if (m)
		add_headers(m, reply);
	else if (reply->release)
		reply->release(reply->p);
	return m;
}

struct http_page *http_page_new(const struct http_reply *reply)
{
	struct http_page page = { response_new(reply), (unsigned)reply->status }, *kept = malloc(sizeof(*kept));

	if (!page.m || !kept) {
		if (page.m)
			MHD_destroy_response(page.m);
		free(kept);
		return NULL;
	}
	*kept = page;
	return kept;
}

void http_page_free(struct http_page *page)
{
	if (!page)
		return;
	MHD_destroy_response(page->m);
	free(page);
}

/* MHD_NO closes the connection. */
static enum MHD_Result reply_send(struct MHD_Connection *mc, const struct http_reply *reply)
{
	struct MHD_Response *m;
	enum MHD_Result r;

	if (reply->page)
		return MHD_queue_response(mc, reply->page->status, reply->page->m);
	m = response_new(reply);
	if (!m)
		return MHD_NO;
	r = MHD_queue_response(mc, (unsigned)reply->status, m);
	MHD_destroy_response(m);
	return r;
}

static enum MHD_Result reply_stream(struct http *h, struct connection *c, struct MHD_Connection *mc,
				    const struct http_reply *reply)
{
	static const char full[] = "There are as many listeners as there may be.\n";
	struct MHD_Response *m = streams_join(h->streams, mc, c->fd, reply, h->now);
	unsigned status = (unsigned)reply->status;
	enum MHD_Result r;

	if (m) {
		add_headers(m, reply);
		c->listens = true;
	} else {
		m = response_new(&(struct http_reply){ .content_type = "text/plain; charset=utf-8", .bytes = full,
						       .n = sizeof(full) - 1 });
		status = MHD_HTTP_SERVICE_UNAVAILABLE;
		if (!m)
			return MHD_NO;
		MHD_add_response_header(m, MHD_HTTP_HEADER_RETRY_AFTER, "10");
	}
	r = MHD_queue_response(mc, status, m);
	MHD_destroy_response(m);
	return r;
}

static struct http_reply reply_text(int status, const char *text)
{
	return (struct http_reply){ .status = status, .content_type = "text/plain; charset=utf-8", .bytes = text,
				    .n = strlen(text) };
}

/* "http://host:port/path" is to be understood as "/path" (RFC 9112 3.2.2). */
static const char *path_of(const char *url)
{
	const char *path;

	if (strncasecmp(url, "http://", 7) != 0)
		return url;
	path = strchr(url + 7, '/');
	return path ? path : "/";
}

/* A NUL in the target, plain or escaped: libmicrohttpd would cut the path there and find what was not asked for. Before
 * 1.0 it leaves a plain one in; method, target and version lie in one buffer there, one byte apart. */
static bool target_has_nul(const struct connection *c, const char *url, const char *version)
{
	if (c->escaped_nul)
		return true;
	return MHD_VERSION < 0x01000000 && *version && (size_t)(version - url) != c->target + 1;
}

/* ------------------------------------------------------------------ requests */

struct argument_walk {
	bool (*each)(void *p, const char *name, const char *value);
	void *p;
};

static enum MHD_Result argument_next(void *p, enum MHD_ValueKind kind, const char *name, const char *value)
{
	const struct argument_walk *w = p;

	(void)kind;
	return w->each(w->p, name, value ? value : "") ? MHD_YES : MHD_NO;
}

void http_each_argument(const struct http_request *r, bool (*each)(void *p, const char *name, const char *value), void *p)
{
	struct argument_walk w = { each, p };

	MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, argument_next, &w);
}

/* A header that came in several lines is one list (RFC 9110 5.2); what does not fit is not heard. */
struct header {
	const char *value;
	char list[HEADER_LIST];
};

struct headers {                    /* that choose a body */
	struct header accept, accept_encoding;
};

static void header_add(struct header *h, const char *value)
{
	if (!h->value) {
		h->value = value;
		return;
	}
	if (h->value != h->list)
		snprintf(h->list, sizeof(h->list), "%s", h->value);
	h->value = h->list;
	if (strlen(h->list) + strlen(value) + 2 < sizeof(h->list)) {
		strcat(h->list, ",");
		strcat(h->list, value);
	}
}

static enum MHD_Result header_next(void *p, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct headers *all = p;

	(void)kind;
	if ((name[0] | ' ') != 'a' || !value)
		return MHD_YES;
	if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT) == 0)
		header_add(&all->accept, value);
	else if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT_ENCODING) == 0)
		header_add(&all->accept_encoding, value);
	return MHD_YES;
}

static bool request_handle(struct http *h, struct MHD_Connection *mc, const char *url, struct http_reply *reply)
{
	struct http_request request = { .path = path_of(url), .connection = mc };
	struct headers headers;

	headers.accept.value = headers.accept_encoding.value = NULL;
	MHD_get_connection_values(mc, MHD_HEADER_KIND, header_next, &headers);
	request.accept = headers.accept.value;
	request.accept_encoding = headers.accept_encoding.value;
	return h->o.handler(h->o.p, &request, reply);
}

/* Called once when the head is there, once for each part of a body (which nobody wants), and once at its end. */
static enum MHD_Result answer(void *p, struct MHD_Connection *mc, const char *url, const char *method, const char *version,
			      const char *upload, size_t *upload_n, void **request)
{
	struct http *h = p;
	struct http_reply reply = { 0 };
	struct connection *c = connection_of(mc);

	(void)upload;
	if (!c)
		return MHD_NO;
	if (c->request < 0)             /* came right behind the one before */
		c->request = h->now;
	if (!*request && target_has_nul(c, url, version)) {
		reply = reply_text(MHD_HTTP_BAD_REQUEST, "The path has a NUL inside.\n");
		return reply_send(mc, &reply);
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		*upload_n = 0;
		if (*request)
			return MHD_YES;
		*request = h;
		reply = reply_text(MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered here.\n");
		return reply_send(mc, &reply);
	}
	if (!*request || *upload_n) {
		*request = h;
		*upload_n = 0;
		return MHD_YES;
	}
	if (!request_handle(h, mc, url, &reply))
		reply = reply_text(MHD_HTTP_NOT_FOUND, "There is nothing at this path.\n");
	if (reply.stream)
		return reply_stream(h, c, mc, &reply);
	return reply_send(mc, &reply);
}

/* The request target as it came. */
static void *note_target(void *p, const char *target, struct MHD_Connection *mc)
{
	struct connection *c = connection_of(mc);

	(void)p;
	if (c) {
		c->target = strlen(target);
		c->escaped_nul = strstr(target, "%00") != NULL;
	}
	return NULL;
}

static void log_nothing(void *p, const char *fmt, va_list ap)
{
	(void)p;
	(void)fmt;
	(void)ap;
}

/* ------------------------------------------------------------------ accepting */

/* Takes what waits on one socket, up to a limit. false: nothing more can be taken for now. */
static bool accept_some(struct http *h, int fd)
{
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct sockaddr_storage address;
		socklen_t n = sizeof(address);
		int c;

		if (h->n >= h->o.connections)
			return false;
		c = accept4(fd, (struct sockaddr *)&address, &n, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (c < 0) {
			if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED || errno == EPROTO || errno == EPERM)
				return true;    /* nobody waits any more, or the peer has gone */
			h->paused_until = h->now + ACCEPT_PAUSE;
			return false;
		}
		MHD_add_connection(h->mhd, c, (struct sockaddr *)&address, n);    /* closes it if it fails */
	}
	return true;
}

static void accept_all(struct http *h, const struct pollfd *listening)
{
	for (unsigned i = 0; i < h->o.n_fds; i++)
		if (listening[i].revents && !accept_some(h, h->fds[i]))
			break;
}

/* ------------------------------------------------------------------ life */

/* No more connections than descriptors allow: beyond the ones open now and a few to spare. */
static unsigned connections_allowed(unsigned wanted, int highest_fd)
{
	struct rlimit limit;
	rlim_t used = (rlim_t)highest_fd + 1 + FDS_SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return wanted;
	if (limit.rlim_cur <= used)
		return 1;
	return limit.rlim_cur - used < wanted ? (unsigned)(limit.rlim_cur - used) : wanted;
}

static int http_start(struct http *h, struct err *err)
{
	const union MHD_DaemonInfo *info;
	int next = dup(h->fds[0]);

	if (next < 0)
		return err_set(err, -errno, "no descriptor is left for HTTP: %s", strerror(errno));
	close(next);
	h->o.connections = connections_allowed(h->o.connections, next + MHD_FDS - 1);
	h->streams = streams_new(h->o.streams < h->o.connections / 2 ? h->o.streams : h->o.connections / 2,
				 h->o.request_deadline, h->o.stream_deadline);
	if (!h->streams)
		return err_set(err, -ENOMEM, "out of memory");
	h->mhd = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME, 0,
				  NULL, NULL, answer, h,
				  MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
				  MHD_OPTION_CONNECTION_LIMIT, h->o.connections,
				  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				  MHD_OPTION_CONNECTION_TIMEOUT, 0u,
				  MHD_OPTION_STRICT_FOR_CLIENT, 1,
				  MHD_OPTION_NOTIFY_CONNECTION, notify_connection, h,
				  MHD_OPTION_NOTIFY_COMPLETED, notify_completed, h,
				  MHD_OPTION_URI_LOG_CALLBACK, note_target, NULL,
				  MHD_OPTION_END);
	if (!h->mhd)
		return err_set(err, -ENOMEM, "libmicrohttpd did not start");
	for (unsigned i = 0; i < h->o.n_fds; i++)
		fcntl(h->fds[i], F_SETFL, fcntl(h->fds[i], F_GETFL) | O_NONBLOCK);
	info = MHD_get_daemon_info(h->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return err_set(err, -EIO, "libmicrohttpd has no epoll instance");
	h->epoll = info->epoll_fd;
	return 0;
}

int http_new(const struct http_options *o, struct http **ret, struct err *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int r;

	if (!h || !(h->fds = malloc((o->n_fds + 1) * sizeof(*h->fds)))) {
		for (unsigned i = 0; i < o->n_fds; i++)
			close(o->fds[i]);
		free(h);
		return err_set(err, -ENOMEM, "out of memory");
	}
	memcpy(h->fds, o->fds, o->n_fds * sizeof(*h->fds));
	h->o = *o;
	h->o.fds = h->fds;
	h->scan_every = o->request_deadline / 4;
	if (h->scan_every < SCAN_MIN)
		h->scan_every = SCAN_MIN;
	if (h->scan_every > SCAN_MAX)
		h->scan_every = SCAN_MAX;
	r = http_start(h, err);
	if (r < 0) {
		http_free(h);
		return r;
	}
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	if (h->streams)
		streams_end(h->streams);
	if (h->mhd)
		MHD_stop_daemon(h->mhd);
	streams_free(h->streams);
	for (unsigned i = 0; i < h->o.n_fds; i++)
		close(h->fds[i]);
	free(h->fds);
	free(h);
}

unsigned http_poll(const struct http *h, struct pollfd *to)
{
	bool accepting = !h->paused_until && h->n < h->o.connections;

	to[0] = (struct pollfd){ .fd = h->epoll, .events = POLLIN };
	for (unsigned i = 0; i < h->o.n_fds; i++)
		to[1 + i] = (struct pollfd){ .fd = accepting ? h->fds[i] : -1, .events = POLLIN };
	return 1 + h->o.n_fds;
}

nsec http_timeout(struct http *h, nsec now)
{
	MHD_UNSIGNED_LONG_LONG ms;
	nsec at = -1;

	if (MHD_get_timeout(h->mhd, &ms) == MHD_YES && !ms)
		return 0;
	if (h->first)
		at = h->quiet_until < 0 ? h->scan_at : h->quiet_until;
	if (h->paused_until && (at < 0 || h->paused_until < at))
		at = h->paused_until;
	return at < 0 ? -1 : at > now ? at - now : 0;
}

void http_run(struct http *h, nsec now, const struct pollfd *polled)
{
	h->now = now;
	if (now >= h->paused_until)
		h->paused_until = 0;
	accept_all(h, polled + 1);
	if (now >= h->scan_at)
		streams_scan(h->streams, now);      /* what it wakes has its turn now */
	MHD_run(h->mhd);
	scan_deadlines(h);
}

void http_stream_send(struct http *h, const struct http_message *m)
{
	streams_send(h->streams, m, h->now);
}

struct http_streams http_stream_count(const struct http *h)
{
	return streams_count(h->streams);
}

unsigned http_connections(const struct http *h)
{
	return h->n;
}

const char *http_library(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "libmicrohttpd %s", MHD_get_version());
	return text;
}
