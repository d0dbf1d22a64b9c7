/* SPDX-License-Identifier: MIT
 * What a server answers to one GET: bytes as they come to a status and a body.
 *
 * Owns:  the form of RFC 9112, taken strictly; how much there may be of it; whether it is whole.
 * Never: where the bytes come from, what the body says.
 * Pure; one thread at a time.
 */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include "base/strb.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of the head or of a chunk's size; all lines of the heads (also of those that come before
 * the answer, 100 and 103) and behind the last chunk. */
#define RESPONSE_LINE_MAX 8192
#define RESPONSE_HEAD_MAX 65536

enum response_state {
	RESPONSE_STATUS,        /* lines */
	RESPONSE_FIELD,
	RESPONSE_CHUNK_SIZE,
	RESPONSE_CHUNK_END,
	RESPONSE_TRAILER,
	RESPONSE_CHUNK,         /* bytes of the body: `left` of them */
	RESPONSE_LENGTH,
	RESPONSE_TO_END,        /* all that come */
	RESPONSE_WHOLE,
};

struct response {
	enum response_state state;
	unsigned status;                /* 100..599; 0: not yet */
	bool chunked, has_length;
	uint64_t left;                  /* of the body or of the chunk */
	size_t head;                    /* bytes, of RESPONSE_HEAD_MAX */
	char line[RESPONSE_LINE_MAX];
	size_t n_line;
	struct strb body;
};

/* body_max: bytes. */
void response_init(struct response *r, size_t body_max);
void response_done(struct response *r);

/*
 * response_take - the next n bytes.
 *
 * Returns 1 if the answer is whole (status and, if that is 200, body; what comes behind it is not
 * looked at), 0 if more is to come, -EPROTO if that is no answer in HTTP/1, -EFBIG if the body is
 * or will be longer than its maximum, -ENOMEM. After an error it is not to be called again.
 */
int response_take(struct response *r, const char *bytes, size_t n);
/* The server has closed the connection: 1 if the answer is whole, -EPROTO if it is a part. */
int response_end(struct response *r);

#endif
