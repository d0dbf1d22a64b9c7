/* SPDX-License-Identifier: MIT
 * The list of connections, which of them end, and why; see connection.h.
 * Owns:  struct connections: peers and how many places each has, deadlines, who gives way.
 * Never: what is asked or answered (request.c).
 * The http child's one thread.
 */
#include "http/connection.h"

#include "http/tls.h"

#include <stdlib.h>
#include <string.h>

#define SCAN_MIN          (10 * NSEC_PER_MSEC)
#define SCAN_MAX          (250 * NSEC_PER_MSEC)
#define CLOSE_WAIT        8                 /* tcpi_state: the peer has closed its side */
#define CROWDED_DEADLINE  (500 * NSEC_PER_MSEC)   /* of a request, while others want the place */

void connections_init(struct connections *all, const struct http_options *o)
{
	nsec every = o->request_deadline / 4;

	if (every > SCAN_MAX)
		every = SCAN_MAX;
	if (every < SCAN_MIN)
		every = SCAN_MIN;
	*all = (struct connections){ .most = o->connections, .scan_every = every,
				     .request_deadline = o->request_deadline,
				     .connection_deadline = o->connection_deadline,
				     .tls = o->tls };
}

struct tcp_info connection_info(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t n = sizeof(info);
	char byte;

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) == 0)
		return info;
	/* a socket file, which has no such information */
	return (struct tcp_info){ .tcpi_state = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0 ?
				  CLOSE_WAIT : 0 };
}

/* Bytes, without the FIN. */
static uint64_t received(struct tcp_info info)
{
	bool fin = info.tcpi_state == CLOSE_WAIT && info.tcpi_bytes_received;

	return info.tcpi_bytes_received - fin;
}

bool connection_has_sent(int fd)
{
	char byte;

	return received(connection_info(fd)) > 0 ||
	       recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* The address at which the peer reached us; an IPv4 address may be written as an IPv6 one. */
static bool socket_loopback(int fd)
{
	struct sockaddr_storage a = { 0 };
	socklen_t n = sizeof(a);
	const struct in6_addr *v6 = &((const struct sockaddr_in6 *)&a)->sin6_addr;

	if (getsockname(fd, (struct sockaddr *)&a, &n) < 0)
		return true;
	if (a.ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)&a)->sin_addr.s_addr) >> 24 == 127;
	return a.ss_family == AF_INET6 &&
	       (IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127));
}

/* ---- addresses */

struct address address_of(const struct sockaddr_storage *a)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)a;
	struct address r = { 0 };

	if (a->ss_family == AF_INET) {
		memset(&r.v6.s6_addr[10], 0xff, 2);
		memcpy(&r.v6.s6_addr[12], &v4->sin_addr, 4);
	} else if (a->ss_family == AF_INET6) {
		memcpy(&r.v6, &v6->sin6_addr, IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) ? 16 : 8);
	}
	return r;
}

bool address_equal(const struct address *a, const struct address *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static struct peer *peer_of(const struct connections *all, const struct address *a)
{
	struct peer *p;

	LIST_FOREACH(p, &all->peers, entry)
		if (address_equal(&p->address, a))
			return p;
	return NULL;
}

unsigned connections_of(const struct connections *all, const struct address *a)
{
	const struct peer *p = peer_of(all, a);

	return p ? p->n : 0;
}

/* NULL: out of memory. */
static struct peer *peer_join(struct connections *all, struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct sockaddr_storage from = { .ss_family = AF_UNIX };
	struct address a;
	struct peer *p;

	/* Of a socket file's client there is a family and no more. */
	if (info && info->client_addr && info->client_addr->sa_family == AF_INET)
		memcpy(&from, info->client_addr, sizeof(struct sockaddr_in));
	else if (info && info->client_addr && info->client_addr->sa_family == AF_INET6)
		memcpy(&from, info->client_addr, sizeof(struct sockaddr_in6));
	a = address_of(&from);
	p = peer_of(all, &a);
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (p) {
		p->address = a;
		LIST_INSERT_HEAD(&all->peers, p, entry);
	}
	return p;
}

/* ---- who gives way */

static void give_way(struct connections *all, struct connection *c)
{
	if (!c->dropped) {
		c->dropped = true;
		c->peer->n--;
		all->dropped++;
		all->overdue++;
	}
	connection_drop(c->fd);
}

/* No byte of its next request is there. Of a socket file nobody can tell. */
static bool is_silent(struct connection *c)
{
	uint64_t got;

	if (c->asks || c->answered)
		return false;
	got = received(connection_info(c->fd));
	if (c->request >= 0)
		c->asks = got > 0;
	else if (c->has_received)
		c->asks = got != c->received;
	return !c->asks;
}

/* The address that holds the most places; NULL: nobody holds one. */
static struct peer *most_of_all(const struct connections *all)
{
	struct peer *p, *most = NULL;

	LIST_FOREACH(p, &all->peers, entry)
		if (p->n && (!most || p->n > most->n))
			most = p;
	return most;
}

static bool over_half(const struct connections *all, const struct peer *p)
{
	return p->n > all->most / 2;
}

/* The newest of an address that gives way; NULL: none has to. */
static struct connection *newest_of(const struct connections *all, const struct peer *p)
{
	struct connection *c, *asks = NULL, *answered = NULL;

	LIST_FOREACH(c, &p->list, of_peer) {
		if (c->dropped)
			continue;
		if (is_silent(c))
			return c;
		if (c->answered && !answered)
			answered = c;
		else if (!c->answered && !asks)
			asks = c;
	}
	if (!over_half(all, p))
		return NULL;
	return asks ? asks : answered;
}

bool connections_room(struct connections *all, unsigned own, unsigned coming)
{
	struct connection *c;
	struct peer *most;

	if (all->n - all->dropped + coming < all->most)
		return true;
	most = most_of_all(all);
	if (!most || own >= most->n)
		return false;
	c = newest_of(all, most);
	if (c)
		give_way(all, c);
	return c;
}

/* ---- what libmicrohttpd tells */

/* Something came and nothing was sent: libmicrohttpd 0.9.75 closes a connection without a word if
 * the first line has no blank, and 1.0 does if a method fills the memory. Or the client has left in
 * the middle of its request. Known of TCP without TLS alone. */
static bool closed_unanswered(const struct connection *c)
{
	struct tcp_info info;

	if (c->request < 0 || c->dropped || c->shaking)
		return false;
	info = connection_info(c->fd);
	return info.tcpi_bytes_received > 1 && !info.tcpi_bytes_sent;       /* 1: it may be a FIN */
}

void connections_notify(void *p, struct MHD_Connection *mc, void **context,
			enum MHD_ConnectionNotificationCode code)
{
	struct connections *all = p;
	struct connection *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		/* Taken out at once: libmicrohttpd 1.0 answers the next question in the same
		 * place. */
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD);
		int fd = info ? info->connect_fd : -1;

		*context = c = calloc(1, sizeof(*c));
		if (c)
			c->peer = peer_join(all, mc);
		if (!c || !c->peer) {           /* no connection without a deadline */
			free(c);
			*context = NULL;
			all->refused++;
			shutdown(fd, SHUT_RDWR);
			return;
		}
		c->mc = mc;
		c->fd = fd;
		if (all->tls)
			tls_begin(all->tls, mc, &c->shaking);
		c->loopback = socket_loopback(c->fd);
		c->accepted = c->request = all->now;
		LIST_INSERT_HEAD(&all->list, c, entry);
		LIST_INSERT_HEAD(&c->peer->list, c, of_peer);
		c->peer->n++;
		all->n++;
	} else if (c) {
		LIST_REMOVE(c, entry);
		LIST_REMOVE(c, of_peer);
		c->peer->n -= !c->dropped;
		if (LIST_EMPTY(&c->peer->list)) {
			LIST_REMOVE(c->peer, entry);
			free(c->peer);
		}
		all->n--;
		all->dropped -= c->dropped;
		all->handshake_failures += c->shaking;
		all->refused += closed_unanswered(c);
		free(c);
	}
}

struct connection *connection_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

struct connection *connections_parsed(const struct connections *all)
{
	struct connection *c;

	LIST_FOREACH(c, &all->list, entry)
		if (MHD_get_connection_info(c->mc, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) &&
		    !MHD_get_connection_info(c->mc, MHD_CONNECTION_INFO_HTTP_STATUS))
			return c;
	return NULL;
}

/* A reply has gone out, or its connection broke. */
void connections_completed(void *p, struct MHD_Connection *mc, void **request,
			   enum MHD_RequestTerminationCode code)
{
	struct connection *c = connection_of(mc);
	struct connections *all = p;

	*request = NULL;
	if (c) {
		all->sent += code == MHD_REQUEST_TERMINATED_COMPLETED_OK ? c->body : 0;
		c->listens = c->has_received = c->asks = c->answered = false;
		c->request = -1;
		c->peer_closed = 0;
	}
}

/* Has the next request of an idle connection begun? Bytes before the first scan do not count. */
static void idle_scan(const struct connections *all, struct connection *c)
{
	struct tcp_info info = connection_info(c->fd);

	if (c->has_received && info.tcpi_bytes_received != c->received)
		c->request = all->now;
	c->received = info.tcpi_bytes_received;
	c->has_received = true;
	c->peer_closed = info.tcpi_state == CLOSE_WAIT ? c->peer_closed + 1 : 0;
}

/* While somebody waits for its place, an idle one is overdue at once. */
static bool connection_overdue(const struct connections *all, const struct connection *c,
			       bool wanted)
{
	nsec deadline = all->request_deadline;

	if (c->listens)
		return false;
	if (wanted && deadline > CROWDED_DEADLINE)
		deadline = CROWDED_DEADLINE;
	if (all->now - c->accepted >= all->connection_deadline)
		return true;
	return c->request < 0 ? wanted : all->now - c->request >= deadline;
}

void connection_drop(int fd)
{
	const struct linger drop = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop));
	shutdown(fd, SHUT_RDWR);
}

/* After MHD_run(), bytes of an incomplete request are in the socket's count, or will wake us. */
void connections_scan(struct connections *all)
{
	const struct peer *most = all->waited_for ? most_of_all(all) : NULL;
	const struct peer *blamed = most && over_half(all, most) ? most : NULL;
	struct connection *c;

	all->idle_until = -1;
	if (all->now < all->scan_at)
		return;
	all->scan_at = all->now + all->scan_every;
	all->idle_until = INT64_MAX;
	LIST_FOREACH(c, &all->list, entry) {
		if (c->request < 0)
			idle_scan(all, c);
		if (c->accepted + all->connection_deadline < all->idle_until)
			all->idle_until = c->accepted + all->connection_deadline;
		/* Between two scans libmicrohttpd answers what it has; answers still go out. */
		if (c->request < 0 && c->peer_closed > 1) {
			shutdown(c->fd, SHUT_RDWR);
		} else if (connection_overdue(all, c, most && (!blamed || c->peer == blamed))) {
			give_way(all, c);
		} else if (c->request >= 0 || c->listens || c->peer_closed) {
			all->idle_until = -1;
		}
	}
}

nsec connections_due(const struct connections *all)
{
	if (!all->n)
		return -1;
	return all->idle_until < 0 || all->waited_for ? all->scan_at : all->idle_until;
}
