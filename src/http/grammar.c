/* SPDX-License-Identifier: MIT */
#include "http/grammar.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct head {
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

static enum MHD_Result head_next(void *p, enum MHD_ValueKind kind, const char *name,
				 const char *value)
{
	struct head *h = p;

	(void)kind;
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

struct http_reply grammar_check(struct MHD_Connection *mc, const char *version)
{
	struct head h = { 0 };

	MHD_get_connection_values(mc, MHD_HEADER_KIND, head_next, &h);
	if (h.lengths > 1 ||
	    (h.codings && (h.lengths || strcmp(version, MHD_HTTP_VERSION_1_0) == 0)))
		h.wrong = "The length of the body is ambiguous.\n";
	if (h.wrong)
		return http_text(MHD_HTTP_BAD_REQUEST, h.wrong);
	if (h.codings > 1 || (h.codings && !h.chunked))
		return http_text(MHD_HTTP_NOT_IMPLEMENTED, "Only the transfer coding \"chunked\" "
				  "is supported, and only once.\n");
	return (struct http_reply){ 0 };
}
