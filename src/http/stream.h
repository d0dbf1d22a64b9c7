/* SPDX-License-Identifier: MIT
 * Replies without an end: all listeners get the same messages; inside http/ only.
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

/* How many messages may wait while a listener reads one; one more, and the listener is dropped. */
#define STREAM_BACKLOG 8

struct streams;
struct address;
/* message_deadline: to read one message; listen_deadline: to listen at all. NULL: out of memory. */
struct streams *streams_new(unsigned most, nsec message_deadline, nsec listen_deadline);
/* After libmicrohttpd has closed all connections. */
void streams_free(struct streams *s);

/*
 * A response that begins with the reply's bytes and continues with what streams_send() sends. Takes
 * the body. NULL: too many listeners, or out of memory. fd, from: the connection's, and its
 * client's address.
 *
 * If there are as many listeners as may be and one address has more of them than this one would,
 * the newest of that one ends.
 */
struct MHD_Response *streams_join(struct streams *s, struct MHD_Connection *mc, int fd,
				  const struct address *from, const struct http_reply *first,
				  nsec now);
/* Takes the bytes. */
void streams_send(struct streams *s, const struct http_message *m, nsec now);
/* Ends listeners that have reached their deadline. Drops those that read too slowly or have
 * disconnected. */
void streams_scan(struct streams *s, nsec now);
/* Ends all listeners. To be called before libmicrohttpd is stopped, because it ends the process if
 * a connection is still suspended. */
void streams_end(struct streams *s);
struct http_streams streams_count(const struct streams *s);

#endif
