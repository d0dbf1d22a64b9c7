/* connection.h - connections of libmicrohttpd, with deadlines of our own; inside http/ only.
 *
 * Owns:  which connections there are, since when, and which of them have had their time.
 *        libmicrohttpd's timeout starts anew at every byte received or sent, so that a client which
 *        sends one each second would stay for ever.
 * Never: what is asked or answered.
 *
 * A peer that closes its side right behind the request (nc -N) is answered by libmicrohttpd, which
 * then waits for an event that has passed; such a connection stayed for five minutes. The scan
 * looks for that end. A FIN counts as a byte in tcpi_bytes_received.
 *
 * The http child's one thread.
 */
#ifndef HTTP_CONNECTION_H
#define HTTP_CONNECTION_H

#include "http/http.h"

#include <linux/tcp.h>
#include <microhttpd.h>

struct connection {
	struct connection *prev, *next;
	int fd;
	nsec accepted;
	nsec request;               /* when the current request began; -1: none has */
	/* bytes at the first scan after the last request: more is the next one */
	uint64_t received;
	bool counted;               /* received was taken; asking the kernel at each request would
	                             * be a tenth of its cost */
	unsigned ended;             /* looks at an idle one whose peer will send nothing more */
	size_t target;              /* length of the request target, up to a NUL */
	bool escaped_nul;
	bool loopback;              /* made to 127.0.0.0/8 or ::1 */
	bool listens;               /* to the stream: its deadlines are stream.c's */
};

struct connections {
	unsigned most;              /* at a time */
	nsec request_deadline, connection_deadline;
	nsec now;                   /* of this turn of the loop; set by http.c */
	nsec scan_at, scan_every;
	nsec quiet_until;           /* all are idle, and need no scan before; -1: some are not.
				     * Prometheus keeps its connection: four wake-ups a second
				     * on cold caches would cost more than its scrape */
	struct connection *first;
	unsigned n;
};

void connections_init(struct connections *all, const struct http_options *o);
/* MHD_OPTION_NOTIFY_CONNECTION and MHD_OPTION_NOTIFY_COMPLETED; p is a struct connections. */
void connections_notify(void *p, struct MHD_Connection *mc, void **context,
			enum MHD_ConnectionNotificationCode code);
void connections_completed(void *p, struct MHD_Connection *mc, void **request,
			   enum MHD_RequestTerminationCode code);
/* connections_scan - ends those that have had their time. After libmicrohttpd had its turn. */
void connections_scan(struct connections *all);
/* connections_due - when the next scan has to be; -1: none has. */
nsec connections_due(const struct connections *all);

/* Bytes received so far, and the state. All 0 of a socket that cannot tell: its connection deadline
 * alone measures it. */
struct tcp_info connection_info(int fd);

/* NULL: there was no memory for one, and its connection is being closed. */
struct connection *connection_of(struct MHD_Connection *mc);

#endif
