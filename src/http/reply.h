/* SPDX-License-Identifier: MIT
 * From a struct http_reply to a response of libmicrohttpd; inside http/ only.
 *
 * Owns:  header lines; replies that are kept (struct http_page).
 * Never: which reply.
 * The http child's one thread.
 */
#ifndef HTTP_REPLY_H
#define HTTP_REPLY_H

#include "http/connection.h"
#include "http/stream.h"

/* Both take the body, and put status and length of what is sent into *reply. MHD_NO closes the
 * connection. */
enum MHD_Result reply_send(struct MHD_Connection *mc, struct http_reply *reply);
/* An answer past libmicrohttpd, which is about to close the connection: sends it, and nothing can
 * be sent behind it. text: "" or a sentence. false: it could not be sent. */
bool reply_raw(struct connection *c, int status, const char *text);
/* A reply that streams_send() continues, or 503. head: the request was HEAD. */
enum MHD_Result reply_stream(struct streams *streams, struct MHD_Connection *mc,
			     struct connection *c, struct http_reply *reply, bool head,
			     nsec now);

#endif
