/* SPDX-License-Identifier: MIT */
#include "http/connection.h"

#include "http/tls.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#define SCAN_MIN          (10 * NSEC_PER_MSEC)
#define SCAN_MAX          (250 * NSEC_PER_MSEC)
#define CLOSE_WAIT        8                 /* tcpi_state: the peer has closed its side */
#define CROWDED_DEADLINE  (500 * NSEC_PER_MSEC)   /* of a request, while all places are taken */

void connections_init(struct connections *all, const struct http_options *o)
{
	nsec every = o->request_deadline / 4;

	every = every < SCAN_MIN ? SCAN_MIN : every > SCAN_MAX ? SCAN_MAX : every;
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

void connections_notify(void *p, struct MHD_Connection *mc, void **context,
			enum MHD_ConnectionNotificationCode code)
{
	struct connections *all = p;
	struct connection *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD);

		*context = c = calloc(1, sizeof(*c));
		if (!c) {               /* no connection without a deadline */
			all->refused++;
			if (info)
				shutdown(info->connect_fd, SHUT_RDWR);
			return;
		}
		c->fd = info->connect_fd;
		if (all->tls)
			tls_begin(all->tls, mc, &c->shaking);
		c->loopback = socket_loopback(c->fd);
		c->accepted = c->request = all->now;
		LIST_INSERT_HEAD(&all->list, c, entry);
		all->n++;
	} else if (c) {
		LIST_REMOVE(c, entry);
		all->n--;
		all->handshake_failures += c->shaking;
		free(c);
	}
}

struct connection *connection_of(struct MHD_Connection *mc)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
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
		c->listens = c->has_received = false;
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

/* While all places are taken, an idle one is overdue at once. */
static bool connection_overdue(const struct connections *all, const struct connection *c)
{
	nsec deadline = all->request_deadline;

	if (c->listens)
		return false;
	if (all->n >= all->most && deadline > CROWDED_DEADLINE)
		deadline = CROWDED_DEADLINE;
	if (all->now - c->accepted >= all->connection_deadline)
		return true;
	return c->request < 0 ? all->n >= all->most : all->now - c->request >= deadline;
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
		} else if (connection_overdue(all, c)) {
			all->overdue += !c->dropped;
			c->dropped = true;
			connection_drop(c->fd);
		} else if (c->request >= 0 || c->listens || c->peer_closed) {
			all->idle_until = -1;
		}
	}
}

nsec connections_due(const struct connections *all)
{
	return !all->n ? -1 : all->idle_until < 0 ? all->scan_at : all->idle_until;
}
