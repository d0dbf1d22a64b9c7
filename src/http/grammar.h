/* SPDX-License-Identifier: MIT
 * What RFC 9112 wants refused and libmicrohttpd lets through; inside http/ only.
 *
 * Owns:  names of headers; that Host, Content-Length and Transfer-Encoding say one thing.
 * Never: what a request asks for.
 *
 * Behind a proxy that reads such a request otherwise, one request could pass for two. libmicrohttpd
 * 1.0.10 refuses nearly all of it itself, 0.9.75 next to nothing; what it shows to nobody is listed
 * in tests/unit/test_http_grammar.c.
 * The http child's one thread.
 */
#ifndef HTTP_GRAMMAR_H
#define HTTP_GRAMMAR_H

#include "http/reply.h"

/* When the head of a request is there: the refusal, or status 0. */
struct http_reply grammar_check(struct MHD_Connection *mc, const char *version);

#endif
