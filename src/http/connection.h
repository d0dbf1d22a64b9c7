/* SPDX-License-Identifier: MIT
 * Connections of libmicrohttpd, with deadlines of our own; inside http/ only.
 *
 * Owns:  which connections there are, since when and from where, which of them are overdue, and
 *        which one gives way when all places are taken. (libmicrohttpd's timeout starts again at
 *        every byte: a client that sends one each second stays for ever.)
 * Never: what is asked or answered.
 *
 * If a peer closes its side right after the request (nc -N), libmicrohttpd answers and then waits
 * for an event that is already over. The scan notices the close. tcpi_bytes_received counts a FIN
 * as a byte.
 *
 * The http child's one thread.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/http.h"

#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/queue.h>
#include <sys/socket.h>

/* Whose connections count together: an IPv4 address, written as an IPv6 one; an IPv6 network of 64
 * bits, because one host may use all of its addresses; all clients of socket files: zeros. */
struct address {
	struct in6_addr v6;
};

/* An address that has connections. */
struct peer {
	LIST_ENTRY(peer) entry;
	struct address address;
	LIST_HEAD(, connection) list;           /* the newest first */
	unsigned n;                 /* those that hold a place: not the dropped ones */
};

struct connection {
	LIST_ENTRY(connection) entry, of_peer;
	struct peer *peer;
	struct MHD_Connection *mc;
	int fd;
	nsec accepted;
	nsec request;               /* when the current request began; -1: idle */
	uint64_t received;          /* bytes at the first scan while idle: more begin a request */
	bool has_received;          /* `received` is known; reading it costs a tenth of a request */
	unsigned peer_closed;       /* scans while idle that found the peer's side closed */
	/* of the current request */
	size_t target_len;          /* length of the request target, up to a NUL */
	char *arguments;            /* behind the "?", in libmicrohttpd's buffer; NULL: none */
	char arguments_first;       /* their first character, in whose place is a NUL */
	bool escaped_nul;
	bool many_arguments;        /* more than HTTP_ARGUMENTS_MAX */
	bool bad_target;            /* has a character that no target has */
	bool loopback;              /* made to 127.0.0.0/8 or ::1 */
	bool listens;               /* to the stream: its deadlines are stream.c's */
	bool shaking;               /* its TLS handshake is not over */
	bool dropped;               /* was overdue, or gave way; libmicrohttpd will close it */
	bool asks;                  /* bytes of a request have been seen; false: look again */
	bool answered;              /* an answer goes out */
	size_t body;                /* bytes, of the answer that goes out */
};

struct connections {
	unsigned most;              /* places */
	nsec request_deadline, connection_deadline;
	nsec now;                   /* of this turn of the loop; set by http.c */
	nsec scan_at, scan_every;
	/* All are idle until then and need no scan; -1: some are not idle. Prometheus keeps its
	 * connection open: four scans a second with cold caches would cost more than its scrape. */
	nsec idle_until;
	LIST_HEAD(, connection) list;
	LIST_HEAD(, peer) peers;
	unsigned n, dropped;        /* all, and those of them that hold no place any more */
	bool waited_for;            /* there is a connection that has no place; set by http.c */
	const struct http_tls *tls;             /* NULL: none is encrypted */
	uint64_t refused, overdue, handshake_failures, sent;    /* struct http_counts, but for
	                                                         * streams */
};

void connections_init(struct connections *all, const struct http_options *o);
/* MHD_OPTION_NOTIFY_CONNECTION and MHD_OPTION_NOTIFY_COMPLETED; p is a struct connections. */
void connections_notify(void *p, struct MHD_Connection *mc, void **context,
			enum MHD_ConnectionNotificationCode code);
void connections_completed(void *p, struct MHD_Connection *mc, void **request,
			   enum MHD_RequestTerminationCode code);
struct address address_of(const struct sockaddr_storage *a);
bool address_equal(const struct address *a, const struct address *b);
/* How many places an address holds. */
unsigned connections_of(const struct connections *all, const struct address *a);
/*
 * connections_room - is there a place for a connection?
 *
 * own     places that its address holds, with those of `coming`
 * coming  connections that got a place and are not among the connections yet
 *
 * If all places are taken and another address has the most of them, the newest connection of that
 * one which is silent gives way: it has sent no byte of a request. If none is, and it has more than
 * half of the places, one whose request is not complete, or else one that is being answered.
 */
bool connections_room(struct connections *all, unsigned own, unsigned coming);
/* connections_scan - ends overdue connections. To be called after MHD_run(). */
void connections_scan(struct connections *all);
/* connections_due - when the next scan has to be; -1: none has. */
nsec connections_due(const struct connections *all);

/* Bytes received so far, and the state. Of a socket file only whether the peer has closed its side:
 * an idle connection has only its own deadline then. */
struct tcp_info connection_info(int fd);

/* Has the peer sent a byte since the connection began? Of a socket file: is one there to read? */
bool connection_has_sent(int fd);

/* The connection whose head libmicrohttpd looks at right now, before it hands it to the handler;
 * NULL: it looks at none. */
struct connection *connections_parsed(const struct connections *all);

/* connection_drop - ends it at once; what it has not sent is thrown away with the socket. */
void connection_drop(int fd);

/* NULL: there was no memory for one, and the connection is being closed. */
struct connection *connection_of(struct MHD_Connection *mc);

#endif
