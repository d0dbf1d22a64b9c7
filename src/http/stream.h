/* stream.h - replies without an end: everybody who listens gets the same messages; inside http/
 * only.
 *
 * Owns:  listeners, messages and their references; suspending and resuming libmicrohttpd's
 *        connections.
 * Never: what a message says; deadlines of other connections.
 * The http child's one thread.
 */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "http/http.h"

#include <microhttpd.h>

/* Messages that may wait for a listener while it takes one; with one more it is dropped. */
#define STREAM_BACKLOG 8

struct streams;
/* patience: for the taking of one message; deadline: how long anybody may listen. NULL: out of
 * memory. */
struct streams *streams_new(unsigned most, nsec patience, nsec deadline);
/* When libmicrohttpd has no connection any more. */
void streams_free(struct streams *s);

/* A response that begins with the reply's bytes and goes on with what streams_send() sends. Takes
 * the body. NULL: no place, or no memory. fd: the connection's. */
struct MHD_Response *streams_join(struct streams *s, struct MHD_Connection *mc, int fd,
				  const struct http_reply *first, nsec now);
/* Takes the bytes. */
void streams_send(struct streams *s, const struct http_message *m, nsec now);
/* Ends who has listened long enough; drops who does not take what it gets, or has gone. */
void streams_scan(struct streams *s, nsec now);
/* Ends everybody: before libmicrohttpd is stopped, which ends the process if a suspended connection
 * is left. */
void streams_end(struct streams *s);
struct http_streams streams_count(const struct streams *s);

#endif
