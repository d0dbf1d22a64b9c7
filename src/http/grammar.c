/* SPDX-License-Identifier: MIT */
#include "http/grammar.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct lines {
	const char *at;             /* where the next one has to begin; NULL: not to be checked */
	unsigned hosts, lengths, codings;
	bool chunked;               /* is the last coding */
	const char *wrong;
};

static bool is_token(const char *s)
{
	const char *p = s;

	while (isalnum((unsigned char)*p) || (*p && strchr("!#$%&'*+-.^_`|~", *p)))
		p++;
	return p > s && !*p;
}

/* At most one name or address (RFC 9112 3.2), and blanks behind it. */
static bool is_host(const char *s)
{
	s += strcspn(s, " \t/?#@\\");
	return !s[strspn(s, " \t")];
}

/* Behind the CR and LF, for which there are two NULs now. */
static const char *line_end(const char *text)
{
	return text + strlen(text) + 2;
}

static enum MHD_Result head_next(void *p, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct lines *h = p;

	(void)kind;
	if (h->at && name != h->at)
		h->wrong = "A line of the head does not end with CR and LF, is continued, or "
			   "contains a NUL byte.\n";
	if (h->at && value)
		h->at = line_end(value);
	if (!value)
		value = "";
	if (!is_token(name) || strchr(value, '\r'))
		h->wrong = "A header name or value has a character that is not allowed.\n";
	if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
		if (h->hosts++ || !is_host(value))
			h->wrong = "Host must be exactly one name or address.\n";
	} else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
		h->lengths++;
	} else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
		h->codings++;
		h->chunked = strcasecmp(value, "chunked") == 0;
	}
	return MHD_YES;
}

bool grammar_is_ours(void)
{
	return MHD_get_version()[0] == '0';
}

/*
 * Before 1.0 libmicrohttpd takes LF for CR and LF, joins a line that is continued to the name of
 * its header, ends a header at a NUL and the head at a header without a name. None of this shows in
 * names and values; but they lie where they were received, and these do not fit together then.
 */
static bool begins_well(const struct head *h)
{
	return h->url == h->method + strlen(h->method) + 1;
}

static bool ends_well(const struct head *h, const struct lines *lines)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(h->mc, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	return info && lines->at + 2 == h->method + info->header_size;
}

struct http_reply grammar_check(const struct head *h)
{
	bool old = strcmp(h->version, MHD_HTTP_VERSION_1_0) == 0;
	struct lines lines = { .at = grammar_is_ours() ? line_end(h->version) : NULL };

	MHD_get_connection_values(h->mc, MHD_HEADER_KIND, head_next, &lines);
	if (lines.at && !lines.wrong && !(begins_well(h) && ends_well(h, &lines)))
		lines.wrong = "The request line or a header line is malformed.\n";
	if (!lines.wrong && !lines.hosts && !old)
		lines.wrong = "There is no Host.\n";
	if (lines.lengths > 1 || (lines.codings && (lines.lengths || old)))
		lines.wrong = "The length of the body is ambiguous.\n";
	if (lines.wrong)
		return http_text(MHD_HTTP_BAD_REQUEST, lines.wrong);
	if (lines.codings > 1 || (lines.codings && !lines.chunked))
		return http_text(MHD_HTTP_NOT_IMPLEMENTED, "Only the transfer coding \"chunked\" "
				  "is supported, and only once.\n");
	return (struct http_reply){ 0 };
}

bool grammar_has_body(struct MHD_Connection *mc)
{
	const char *length = MHD_lookup_connection_value(mc, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_CONTENT_LENGTH);

	return (length && length[strspn(length, "0")]) ||
	       MHD_lookup_connection_value(mc, MHD_HEADER_KIND,
					   MHD_HTTP_HEADER_TRANSFER_ENCODING);
}
