/* SPDX-License-Identifier: MIT
 * From what libmicrohttpd has received to the handler and back; inside http/ only.
 *
 * Owns:  methods, targets, header lists, arguments, the check of Host; answers without the handler.
 * Never: deadlines; what a body says.
 * The http child's one thread.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "http/connection.h"
#include "http/stream.h"

struct requests {                   /* who answers */
	const struct http_options *o;
	struct streams *streams;
	struct connections *connections;
	const char *own_names, *configured_names;       /* see http_names() */
	/* the last answer, as it was told */
	struct {
		struct connection *c;   /* NULL: another request was refused since */
		const char *path;       /* valid until libmicrohttpd has made the head of it */
		int status;
		bool head;              /* the request was HEAD */
	} last;
};

/* libmicrohttpd's handler, and MHD_OPTION_URI_LOG_CALLBACK, which sees the target as it came; p is
 * a struct requests. */
enum MHD_Result requests_answer(void *p, struct MHD_Connection *mc, const char *url,
				const char *method, const char *version,
				const char *upload, size_t *upload_n, void **request);
void *requests_target(void *p, const char *target, struct MHD_Connection *mc);

/* libmicrohttpd refuses a request by itself. */
void requests_refused(struct requests *r, int status);
/* There is no memory for the head of the last answer: the request has filled it. */
void requests_unsendable(struct requests *r);

#endif
