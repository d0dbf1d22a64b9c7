/* SPDX-License-Identifier: MIT
 * An answer byte by byte, as states; see response.h.
 * Owns:  struct response: which byte may follow which, how long the body is.
 * Never: where the bytes come from (client.c).
 * Pure; one thread at a time.
 */
#include "http/response.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

enum { OK = 200, SWITCHING = 101, HEX_MAX = 15, DIGITS_MAX = 18 };

void response_init(struct response *r, size_t body_max)
{
	*r = (struct response){ .state = RESPONSE_STATUS };
	strb_init(&r->body, body_max);
}

void response_done(struct response *r)
{
	strb_done(&r->body);
}

static int begin_length(struct response *r, uint64_t n, enum response_state state)
{
	if (n > r->body.max - r->body.n)
		return -EFBIG;
	r->left = n;
	r->state = n ? state : RESPONSE_WHOLE;
	return 0;
}

/* ---- lines */

/* "HTTP/1.1 200 OK" */
static int take_status(struct response *r, const char *line)
{
	static const char begin[] = "HTTP/1.";
	const size_t n = sizeof(begin) - 1;

	if (strncmp(line, begin, n) != 0 || !isdigit((unsigned char)line[n]) ||
	    line[n + 1] != ' ' || strspn(line + n + 2, "0123456789") != 3)
		return -EPROTO;
	if (line[n + 5] != ' ' && line[n + 5] != '\0')
		return -EPROTO;
	r->status = (unsigned)strtoul(line + n + 2, NULL, 10);
	if (r->status < 100 || r->status > 599 || r->status == SWITCHING)
		return -EPROTO;
	r->state = RESPONSE_FIELD;
	return 0;
}

/* The head is there: how long is the body? */
static int take_head_end(struct response *r)
{
	if (r->status < OK) {           /* the answer itself comes next */
		if (r->chunked || r->has_length)
			return -EPROTO;
		r->state = RESPONSE_STATUS;
		return 0;
	}
	if (r->chunked && r->has_length)        /* two readers may see two bodies */
		return -EPROTO;
	if (r->status != OK)
		r->state = RESPONSE_WHOLE;
	else if (r->chunked)
		r->state = RESPONSE_CHUNK_SIZE;
	else if (r->has_length)
		return begin_length(r, r->left, RESPONSE_LENGTH);
	else
		r->state = RESPONSE_TO_END;
	return 0;
}

static int take_content_length(struct response *r, const char *value)
{
	size_t n = strspn(value, "0123456789");

	if (r->has_length || !n || n > DIGITS_MAX || value[n])
		return -EPROTO;
	r->has_length = true;
	r->left = strtoull(value, NULL, 10);
	return 0;
}

/* Cuts "Name: value" in two. */
static int split_field(char *line, char **ret_value)
{
	static const char others[] = "!#$%&'*+-.^_`|~";
	char *s = line, *end;

	while (isalnum((unsigned char)*s) || (*s && strchr(others, *s)))
		s++;
	if (s == line || *s != ':')     /* also where a line goes on with the one before it */
		return -EPROTO;
	*s++ = '\0';
	s += strspn(s, " \t");
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	*ret_value = s;
	return 0;
}

static int take_field(struct response *r, char *line)
{
	char *value;

	if (!*line)
		return take_head_end(r);
	if (split_field(line, &value) < 0)
		return -EPROTO;
	if (strcasecmp(line, "Content-Length") == 0)
		return take_content_length(r, value);
	if (strcasecmp(line, "Transfer-Encoding") != 0)
		return 0;
	if (r->chunked || strcasecmp(value, "chunked") != 0)
		return -EPROTO;
	r->chunked = true;
	return 0;
}

/* In hex; extensions behind ';' mean nothing to us. */
static int take_chunk_size(struct response *r, const char *line)
{
	size_t n = strspn(line, "0123456789abcdefABCDEF");
	const char *rest = line + n + strspn(line + n, " \t");
	uint64_t size;

	if (!n || n > HEX_MAX || (*rest && *rest != ';'))
		return -EPROTO;
	size = strtoull(line, NULL, 16);
	if (size)
		return begin_length(r, size, RESPONSE_CHUNK);
	r->state = RESPONSE_TRAILER;
	return 0;
}

static int take_trailer(struct response *r, char *line)
{
	char *value;

	if (*line)
		return split_field(line, &value);
	r->state = RESPONSE_WHOLE;
	return 0;
}

static int take_line(struct response *r, char *line)
{
	switch (r->state) {
	case RESPONSE_STATUS:
		return take_status(r, line);
	case RESPONSE_FIELD:
		return take_field(r, line);
	case RESPONSE_CHUNK_SIZE:
		return take_chunk_size(r, line);
	case RESPONSE_CHUNK_END:
		r->state = RESPONSE_CHUNK_SIZE;
		return *line ? -EPROTO : 0;
	case RESPONSE_TRAILER:
		return take_trailer(r, line);
	case RESPONSE_CHUNK:                    /* these are of bytes: in_line() */
	case RESPONSE_LENGTH:
	case RESPONSE_TO_END:
	case RESPONSE_WHOLE:
		break;
	}
	return -EPROTO;
}

/* ---- bytes */

static bool in_line(const struct response *r)
{
	return r->state < RESPONSE_CHUNK;
}

/* Lines end in CR LF; in them no byte below a blank is allowed but tabs. */
static int take_byte(struct response *r, char byte)
{
	const bool counts = r->state != RESPONSE_CHUNK_SIZE && r->state != RESPONSE_CHUNK_END;
	const bool after_cr = r->n_line && r->line[r->n_line - 1] == '\r';

	if (counts && ++r->head > RESPONSE_HEAD_MAX)
		return -EPROTO;
	if (after_cr && byte == '\n') {
		r->line[r->n_line - 1] = '\0';
		r->n_line = 0;
		return take_line(r, r->line);
	}
	if (after_cr || ((unsigned char)byte < ' ' && byte != '\t' && byte != '\r') ||
	    byte == 0x7f || r->n_line == RESPONSE_LINE_MAX)
		return -EPROTO;
	r->line[r->n_line++] = byte;
	return 0;
}

/* Returns how many of the n bytes are of the body, or -errno. */
static ssize_t take_body(struct response *r, const char *bytes, size_t n)
{
	if (r->state != RESPONSE_TO_END && n > r->left)
		n = r->left;
	if (n > r->body.max - r->body.n)
		return -EFBIG;
	strb_add_mem(&r->body, bytes, n);
	if (r->body.failed)
		return -ENOMEM;
	if (r->state == RESPONSE_TO_END)
		return (ssize_t)n;
	r->left -= n;
	if (!r->left)
		r->state = r->state == RESPONSE_CHUNK ? RESPONSE_CHUNK_END : RESPONSE_WHOLE;
	return (ssize_t)n;
}

int response_take(struct response *r, const char *bytes, size_t n)
{
	while (n && r->state != RESPONSE_WHOLE) {
		ssize_t k = 1;

		if (in_line(r)) {
			int bad = take_byte(r, *bytes);

			if (bad < 0)
				return bad;
		} else {
			k = take_body(r, bytes, n);
			if (k < 0)
				return (int)k;
		}
		bytes += k;
		n -= (size_t)k;
	}
	return r->state == RESPONSE_WHOLE;
}

int response_end(struct response *r)
{
	if (r->state == RESPONSE_TO_END)
		r->state = RESPONSE_WHOLE;
	return r->state == RESPONSE_WHOLE ? 1 : -EPROTO;
}
