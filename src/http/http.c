/* SPDX-License-Identifier: MIT
 * Libmicrohttpd in our loop; see http.h.
 * Owns:  struct http: the library's handle, the listening sockets, what is polled and for how long.
 * Never: a single connection (connection.c) or request (request.c).
 * The http child's one thread.
 *
 * This accepts connections: libmicrohttpd 0.9.75 spins when it has no descriptor and no connection.
 */
#include "http/http.h"

#include "base/bits.h"
#include "http/connection.h"
#include "http/grammar.h"
#include "http/request.h"
#include "http/stream.h"
#include "http/tls.h"

#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTION_MEMORY (12 * 1024)       /* both heads; a larger request gets 431 or 414 */
#define FDS_SPARE         8                 /* descriptors that connections leave to the rest */
#define MHD_FDS           3                 /* libmicrohttpd's own: epoll, and two to wake it up */
#define ACCEPTS_AT_ONCE   16                /* then requests have their turn */
#define WAITING_MOST      256               /* connections without a place */
#define ENDING_MOST       64                /* that gave way and are not closed yet */
#define ACCEPT_PAUSE      (500 * NSEC_PER_MSEC)   /* after accept() had no descriptor or memory */

/* Accepted, without a place yet. One that is left in the kernel's queue would hold up those of
 * other addresses behind it. */
struct newcomer {
	int fd;
	struct sockaddr_storage from;
	socklen_t from_n;
	struct address address;
	bool asks;                  /* has sent something; false: look again */
};

struct http {
	struct http_options o;
	struct MHD_Daemon *mhd[2];  /* of plain connections, and of encrypted ones, if there are */
	unsigned n_mhd;
	struct streams *streams;
	int epoll[2];               /* libmicrohttpd's */
	struct connections connections;
	struct requests requests;
	nsec paused_until;          /* no accept() before; 0: not paused */
	struct address *queued;     /* accepted, for libmicrohttpd 1.0 to begin in MHD_run() */
	unsigned n_queued;
	struct newcomer *waiting;   /* the eldest first */
	unsigned n_waiting, waiting_most, ending_most;
	int fds[];                  /* o.fds, ours to close */
};

/* Those that gave way keep their descriptors until libmicrohttpd has closed them. */
static bool may_accept(const struct http *h)
{
	return h->connections.n + h->n_queued < h->connections.most + h->ending_most;
}

/* Gives it to libmicrohttpd, which closes it if it fails. */
static void admit(struct http *h, const struct newcomer *w)
{
	unsigned begun = h->connections.n;

	if (MHD_add_connection(h->mhd[h->o.tls && w->from.ss_family != AF_UNIX], w->fd,
			       (const struct sockaddr *)&w->from, w->from_n) != MHD_YES)
		h->connections.refused++;
	else if (h->connections.n == begun)
		h->queued[h->n_queued++] = w->address;
}

static void turn_away(struct http *h, const struct newcomer *w)
{
	connection_drop(w->fd);
	close(w->fd);
	h->connections.refused++;
}

static struct newcomer take_waiting(struct http *h, unsigned i)
{
	struct newcomer w = h->waiting[i];

	h->n_waiting--;
	memmove(&h->waiting[i], &h->waiting[i + 1], (h->n_waiting - i) * sizeof(w));
	h->connections.waited_for = h->n_waiting > 0;
	return w;
}

static unsigned waiting_of(const struct http *h, const struct address *a)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->n_waiting; i++)
		n += address_equal(&h->waiting[i].address, a);
	return n;
}

/* Places that it holds or is about to hold. */
static unsigned places_of(const struct http *h, const struct address *a)
{
	unsigned n = connections_of(&h->connections, a);

	for (unsigned i = 0; i < h->n_queued; i++)
		n += address_equal(&h->queued[i], a);
	return n;
}

/* The newest that waits of this address and has not said anything; -1: there is none. */
static int newest_silent(struct http *h, const struct address *a)
{
	for (unsigned i = h->n_waiting; i-- > 0;) {
		struct newcomer *w = &h->waiting[i];

		if (!address_equal(&w->address, a))
			continue;
		if (!w->asks && !connection_has_sent(w->fd))
			return (int)i;
		w->asks = true;
	}
	return -1;
}

/* All places are taken, and nobody gives way. No address takes more than half of this, either: one
 * that has said nothing gives way to one that may. */
static void let_wait(struct http *h, const struct newcomer *w)
{
	if (h->n_waiting == h->waiting_most ||
	    waiting_of(h, &w->address) >= (h->waiting_most + 1) / 2) {
		int other = newest_silent(h, &w->address);
		struct newcomer gone;

		if (other < 0) {
			turn_away(h, w);
			return;
		}
		gone = take_waiting(h, (unsigned)other);
		turn_away(h, &gone);
	}
	h->waiting[h->n_waiting++] = *w;
	h->connections.waited_for = true;
}

/* Free places for those who wait: first for the address that holds the fewest. */
static void admit_waiting(struct http *h)
{
	struct connections *all = &h->connections;

	while (h->n_waiting && may_accept(h) && all->n - all->dropped + h->n_queued < all->most) {
		unsigned fewest = UINT_MAX, next = 0;
		struct newcomer w;

		for (unsigned i = 0; i < h->n_waiting; i++) {
			unsigned n = places_of(h, &h->waiting[i].address);

			if (n < fewest) {
				fewest = n;
				next = i;
			}
		}
		w = take_waiting(h, next);
		admit(h, &w);
	}
}

/* Accepts what waits on one socket, up to a limit. false: no more can be accepted now. */
static bool accept_some(struct http *h, int fd)
{
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct newcomer w = { .from_n = sizeof(w.from) };

		if (!may_accept(h))
			return false;
		w.fd = accept4(fd, (struct sockaddr *)&w.from, &w.from_n,
			       SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (w.fd < 0) {
			if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ||
			    errno == EPROTO || errno == EPERM)
				return true;    /* no connection waits any more, or its peer left */
			h->paused_until = h->connections.now + ACCEPT_PAUSE;
			h->connections.refused++;
			return false;
		}
		w.address = address_of(&w.from);
		if (connections_room(&h->connections, places_of(h, &w.address), h->n_queued))
			admit(h, &w);
		else
			let_wait(h, &w);
	}
	return true;
}

static void accept_all(struct http *h, const struct pollfd *listening)
{
	for (unsigned i = 0; i < h->o.n_fds; i++)
		if (listening[i].revents && !accept_some(h, h->fds[i]))
			break;
}

/* How many descriptors connections may have besides FDS_SPARE. */
static unsigned descriptors_left(int highest_fd)
{
	struct rlimit limit;
	rlim_t used = (rlim_t)highest_fd + 1 + FDS_SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT_MAX;
	if (limit.rlim_cur <= used)
		return 1;
	return limit.rlim_cur - used < UINT_MAX ? (unsigned)(limit.rlim_cur - used) : UINT_MAX;
}

static unsigned at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

/* Places, and descriptors beside them. Where these are few, two thirds of them are for places. */
static void share_descriptors(struct http *h, unsigned left)
{
	unsigned beside = at_most(WAITING_MOST + ENDING_MOST, left / 3);

	h->o.connections = at_most(h->o.connections, left - beside);
	h->ending_most = at_most(ENDING_MOST, beside - beside / 2);
	if (!h->ending_most)
		h->ending_most = 1;
	h->waiting_most = at_most(WAITING_MOST, beside - at_most(beside, h->ending_most));
}

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What libmicrohttpd refuses by itself it tells nobody, but for a line to its log; nor that a
 * request has left no memory for the head of the answer. The line comes before the connection is
 * closed. */
static void hear_log(void *p, const char *format, va_list arguments)
{
	struct http *h = p;

	if (begins_with(format, "Error processing request (HTTP response code is %u")) {
		requests_refused(&h->requests, (int)va_arg(arguments, unsigned));
	} else if (begins_with(format, "%s") &&
		   begins_with(va_arg(arguments, const char *),
			       "Closing connection (failed to create response header)")) {
		requests_unsendable(&h->requests);
	}
}

/* One more libmicrohttpd: all its connections are encrypted, or none. */
static int mhd_start(struct http *h, const struct http_tls *tls, struct err *err)
{
	const struct http_tls t = tls ? *tls : (struct http_tls){ 0 };
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *mhd;

	mhd = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG |
			       MHD_ALLOW_SUSPEND_RESUME | (tls ? MHD_USE_TLS : 0),
			       0, NULL, NULL, requests_answer, &h->requests,
			       MHD_OPTION_EXTERNAL_LOGGER, hear_log, h,
			       MHD_OPTION_CONNECTION_LIMIT, h->o.connections + h->ending_most,
			       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
			       MHD_OPTION_STRICT_FOR_CLIENT, !grammar_is_ours(),
			       MHD_OPTION_NOTIFY_CONNECTION, connections_notify, &h->connections,
			       MHD_OPTION_NOTIFY_COMPLETED, connections_completed, &h->connections,
			       MHD_OPTION_URI_LOG_CALLBACK, requests_target, NULL,
			       tls ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END, tls_priority(&t),
			       MHD_OPTION_HTTPS_MEM_CERT, t.text[HTTP_TLS_CERT],
			       MHD_OPTION_HTTPS_MEM_KEY, t.text[HTTP_TLS_KEY],
			       t.text[HTTP_TLS_CA] ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END,
			       t.text[HTTP_TLS_CA], MHD_OPTION_END);
	if (!mhd)
		return err_set(err, -ENOMEM, "libmicrohttpd did not start");
	h->mhd[h->n_mhd] = mhd;
	info = MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD);
	h->epoll[h->n_mhd++] = info ? info->epoll_fd : -1;
	return info ? 0 : err_set(err, -EIO, "libmicrohttpd has no epoll instance");
}

static int http_start(struct http *h, struct err *err)
{
	int r, next = epoll_create1(EPOLL_CLOEXEC);

	if (next < 0)
		return err_set(err, -errno, "no descriptor is left for HTTP: %s", strerror(errno));
	close(next);
	next += MHD_FDS * (h->o.tls ? 2 : 1);
	share_descriptors(h, descriptors_left(next - 1));
	h->waiting = calloc(h->waiting_most + 1UL, sizeof(*h->waiting));
	h->queued = calloc(h->o.connections + h->ending_most, sizeof(*h->queued));
	connections_init(&h->connections, &h->o);
	h->streams = streams_new(h->o.streams < h->o.connections / 2 ? h->o.streams :
				 h->o.connections / 2, h->o.request_deadline, h->o.stream_deadline);
	if (!h->streams || !h->waiting || !h->queued)
		return err_set(err, -ENOMEM, "out of memory");
	h->requests = (struct requests){ .o = &h->o, .streams = h->streams,
					 .connections = &h->connections };
	r = mhd_start(h, NULL, err);
	return !r && h->o.tls ? mhd_start(h, h->o.tls, err) : r;
}

int http_new(const struct http_options *o, struct http **ret, struct err *err)
{
	struct http *h = calloc(1, sizeof(*h) + o->n_fds * sizeof(*h->fds));
	int r;

	if (!h) {
		for (unsigned i = 0; i < o->n_fds; i++)
			close(o->fds[i]);
		return err_set(err, -ENOMEM, "out of memory");
	}
	memcpy(h->fds, o->fds, o->n_fds * sizeof(*h->fds));
	h->o = *o;
	h->o.fds = h->fds;
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
	for (unsigned i = 0; i < h->n_mhd; i++)
		MHD_stop_daemon(h->mhd[i]);
	streams_free(h->streams);
	for (unsigned i = 0; i < h->n_waiting; i++)
		close(h->waiting[i].fd);
	free(h->waiting);
	free(h->queued);
	for (unsigned i = 0; i < h->o.n_fds; i++)
		close(h->fds[i]);
	free(h);
}

void http_names(struct http *h, const char *own, const char *configured)
{
	h->requests.own_names = own;
	h->requests.configured_names = configured;
}

unsigned http_poll(const struct http *h, struct pollfd *to)
{
	bool accepting = !h->paused_until && may_accept(h);

	for (unsigned i = 0; i < h->n_mhd; i++)
		*to++ = (struct pollfd){ .fd = h->epoll[i], .events = POLLIN };
	for (unsigned i = 0; i < h->o.n_fds; i++)
		*to++ = (struct pollfd){ .fd = accepting ? h->fds[i] : -1, .events = POLLIN };
	return h->n_mhd + h->o.n_fds;
}

nsec http_timeout(struct http *h, nsec now)
{
	MHD_UNSIGNED_LONG_LONG ms;
	nsec at = connections_due(&h->connections);

	for (unsigned i = 0; i < h->n_mhd; i++)
		if (MHD_get_timeout(h->mhd[i], &ms) == MHD_YES && !ms)
			return 0;
	if (h->paused_until && (at < 0 || h->paused_until < at))
		at = h->paused_until;
	if (at < 0)
		return -1;
	return at > now ? at - now : 0;
}

void http_run(struct http *h, nsec now, const struct pollfd *polled)
{
	h->connections.now = now;
	if (now >= h->paused_until)
		h->paused_until = 0;
	accept_all(h, polled + h->n_mhd);
	if (now >= h->connections.scan_at)
		streams_scan(h->streams, now);      /* before MHD_run(), for what it resumes */
	for (unsigned i = 0; i < h->n_mhd; i++)
		MHD_run(h->mhd[i]);
	h->n_queued = 0;
	connections_scan(&h->connections);
	admit_waiting(h);
}

void http_stream_send(struct http *h, const struct http_message *m)
{
	streams_send(h->streams, m, h->connections.now);
}

struct http_streams http_stream_count(const struct http *h)
{
	return streams_count(h->streams);
}

struct http_counts http_count(const struct http *h)
{
	const struct connections *all = &h->connections;

	return (struct http_counts){ all->n - all->dropped, all->refused, all->overdue,
				     all->handshake_failures,
				     all->sent + http_stream_count(h).sent };
}
