/* SPDX-License-Identifier: MIT
 * What RFC 9112 wants refused and libmicrohttpd lets through; inside http/ only.
 *
 * Owns:  how a head is written; that Host, Content-Length and Transfer-Encoding say one thing.
 * Never: what a request asks for.
 *
 * Behind a proxy that reads such a request otherwise, one request could pass for two. libmicrohttpd
 * 1.0 refuses nearly all of it itself, 0.9.75 next to nothing.
 * The http child's one thread.
 */
#ifndef HTTP_GRAMMAR_H
#define HTTP_GRAMMAR_H

#include "http/reply.h"

/* The head of a request, as libmicrohttpd hands it over. */
struct head {
	struct MHD_Connection *mc;
	const char *method, *url, *version;
};

/* Is the libmicrohttpd that runs one before 1.0? */
bool grammar_is_ours(void);
/* grammar_check - the refusal, or status 0. */
struct http_reply grammar_check(const struct head *h);
/* Does it announce a body, of any length but 0? */
bool grammar_has_body(struct MHD_Connection *mc);

#endif
