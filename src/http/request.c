/* SPDX-License-Identifier: MIT
 * A request looked at before a route sees it, and the answers to those that no route does; see
 * request.h.
 * Owns:  struct requests: what is refused with which status, the arguments of a target.
 * Never: deadlines (connection.c); what a body says.
 * The http child's one thread.
 */
#include "http/request.h"

#include "http/grammar.h"
#include "http/host_field.h"
#include "http/reply.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define HEADER_LIST 1024            /* of a header that comes in several lines */

/* "http://host:port/path" is to be understood as "/path" (RFC 9112 3.2.2). */
static const char *path_of(const char *url)
{
	return strncasecmp(url, "http://", 7) != 0 ? url : strchr(url + 7, '/') ?: "/";
}

/* libmicrohttpd cuts the path at a NUL, plain or escaped. Before 1.0 it leaves a plain one in;
 * target and version then lie in one buffer, one byte apart. */
static bool target_has_nul(const struct connection *c, const struct head *h)
{
	return c->escaped_nul || (grammar_is_ours() && *h->version &&
				  (size_t)(h->version - h->url) != c->target_len + 1);
}

/* ---- arguments */

static int digit_of(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* In place: "+" is a blank, "%" and two hexadecimal digits are a character; any other "%" stays. */
static void argument_decode(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		int high = *c == '%' ? digit_of(c[1]) : -1, low = high < 0 ? -1 : digit_of(c[2]);

		if (low >= 0) {
			*to++ = (char)(high << 4 | low);
			c += 2;
		} else {
			*to++ = *c == '+' ? ' ' : *c;
		}
	}
	*to = '\0';
}

void http_each_argument(const struct http_request *r,
			bool (*each)(void *p, const char *name, const char *value), void *p)
{
	struct connection *c = r->connection;
	char *rest = c->arguments, *name;
	bool more = true;

	if (!rest)
		return;
	c->arguments = NULL;
	*rest = c->arguments_first;
	while (more && (name = strsep(&rest, "&"))) {
		char *value = strchr(name, '=');

		if (value)
			*value++ = '\0';
		argument_decode(name);
		if (value)
			argument_decode(value);
		if (*name || value)
			more = each(p, name, value ? value : "");
	}
}

/* libmicrohttpd would keep a record of 64 bytes for each in the memory of the connection, and
 * closes the connection where these do not fit: it is to find none. */
static void arguments_take(struct connection *c, char *target)
{
	char *mark = strchr(target, '?');
	unsigned n = 0;

	c->many_arguments = false;
	c->arguments = mark ? mark + 1 : NULL;
	if (!mark)
		return;
	c->arguments_first = mark[1];
	for (const char *at = mark; at && n <= HTTP_ARGUMENTS_MAX; n++)
		at = strchr(at + 1, '&');
	c->many_arguments = n > HTTP_ARGUMENTS_MAX;
	mark[1] = '\0';
}

/* ---- headers */

/* Several lines of a header are one list (RFC 9110 5.2); a line that does not fit is ignored. */
struct header {
	const char *value;
	char list[HEADER_LIST];
};

struct headers {
	struct header accept, accept_encoding;      /* choose a body */
	const struct requests *names;       /* each Host must be one of them; NULL: any will do */
	bool welcome;               /* every Host was one of them */
};

static void header_add(struct header *h, const char *value)
{
	if (!h->value) {
		h->value = value;
		return;
	}
	if (strlen(h->value) + strlen(value) + 2 > sizeof(h->list))
		return;
	if (h->value != h->list)
		strcpy(h->list, h->value);
	h->value = h->list;
	strcat(h->list, ",");
	strcat(h->list, value);
}

static enum MHD_Result header_next(void *p, enum MHD_ValueKind kind, const char *name,
				   const char *value)
{
	struct headers *all = p;

	(void)kind;
	if (!value)
		value = "";
	if (all->names && strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0)
		all->welcome &= host_allowed(value, strlen(value), all->names->own_names,
					     all->names->configured_names);
	if ((name[0] | ' ') != 'a')
		return MHD_YES;
	if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT) == 0)
		header_add(&all->accept, value);
	else if (strcasecmp(name, MHD_HTTP_HEADER_ACCEPT_ENCODING) == 0)
		header_add(&all->accept_encoding, value);
	return MHD_YES;
}

static bool request_handle(const struct requests *r, struct MHD_Connection *mc,
			   struct connection *c, const char *url, struct http_reply *reply)
{
	struct http_request request = { .path = path_of(url), .connection = c };
	struct headers headers;

	headers.accept.value = headers.accept_encoding.value = NULL;
	headers.names = r->own_names && (c->loopback || *r->configured_names) ? r : NULL;
	headers.welcome = !headers.names || request.path == url ||
			  host_allowed(url + 7, strcspn(url + 7, "/"), r->own_names,
				       r->configured_names);
	MHD_get_connection_values(mc, MHD_HEADER_KIND, header_next, &headers);
	request.accept = headers.accept.value;
	request.accept_encoding = headers.accept_encoding.value;
	if (headers.welcome)
		return r->o->handler(r->o->p, &request, reply);
	*reply = http_text(MHD_HTTP_FORBIDDEN, "The Host header names another machine. If it is a "
			    "name of this one, add it to the key `hosts` in uncored.conf.\n");
	return true;
}

static struct http_reply reply_nothing(void)
{
	return http_text(MHD_HTTP_NOT_FOUND, "No such page.\n");
}

/* The reply to other methods: 404 where GET has none. "*" and an authority are no path. */
static struct http_reply reply_refused(const struct requests *r, const char *path)
{
	if (*path == '/' && !r->o->knows(r->o->p, path))
		return reply_nothing();
	return http_text(MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed.\n");
}

static void tell(const struct requests *r, const char *path, int status, int by)
{
	if (r->o->answered)
		r->o->answered(r->o->p, path, status, by);
}

/* Sends an answer and tells of it. */
static enum MHD_Result answer(struct requests *r, struct MHD_Connection *mc,
			      struct connection *c, const char *path, bool head,
			      struct http_reply *reply)
{
	enum MHD_Result sent = reply->stream ?
		reply_stream(r->streams, mc, c, reply, head, r->connections->now) :
		reply_send(mc, reply);

	c->answered = true;
	c->body = head || reply->stream ? 0 : reply->n;
	r->last.c = c;
	r->last.path = path;
	r->last.status = reply->status;
	r->last.head = head;
	tell(r, path, reply->status, 1);
	return sent;
}

/* What is wrong with a request whatever it asks for; status 0: nothing. */
static struct http_reply reply_wrong(const struct connection *c, const struct head *h)
{
	struct http_reply wrong;

	if (target_has_nul(c, h))
		return http_text(MHD_HTTP_BAD_REQUEST, "The path contains a NUL byte.\n");
	if (c->bad_target)
		return http_text(MHD_HTTP_BAD_REQUEST, "The request target contains a blank or a "
				 "control character: write %20 for a blank.\n");
	wrong = grammar_check(h);
	if (!wrong.status && c->many_arguments)
		return http_text(MHD_HTTP_BAD_REQUEST, "The request has more arguments than "
				 "uncored takes, which is 80. Ask for less, or for all.\n");
	return wrong;
}

/*
 * Called when the head is there and, if nothing was answered then, once more.
 *
 * A request with a body is answered the first time, and libmicrohttpd then closes the connection:
 * nothing that uncored serves wants one, and so nobody has to find its end, behind which the next
 * request would begin.
 */
enum MHD_Result requests_answer(void *p, struct MHD_Connection *mc, const char *url,
				const char *method, const char *version,
				const char *upload, size_t *upload_n, void **request)
{
	const struct head h = { mc, method, url, version };
	struct requests *r = p;
	struct http_reply reply = { 0 };
	struct connection *c = connection_of(mc);
	bool first = !*request, head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	bool gets = head || strcmp(method, MHD_HTTP_METHOD_GET) == 0;
	const char *path = path_of(url);

	(void)upload, (void)upload_n;
	if (!c)
		return MHD_NO;
	if (c->request < 0)             /* came right behind the one before */
		c->request = r->connections->now;
	*request = p;
	if (first)
		reply = reply_wrong(c, &h);
	if (first && !reply.status && gets && !grammar_has_body(mc))
		return MHD_YES;
	if (!reply.status && !gets)
		reply = reply_refused(r, path);
	if (!reply.status && !request_handle(r, mc, c, url, &reply))
		reply = reply_nothing();
	return answer(r, mc, c, path, head, &reply);
}

/* Blanks and control characters have no place in a target (RFC 9112 3.2). */
static bool target_is_bad(const char *target)
{
	for (const char *c = target; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f)
			return true;
	return false;
}

/* The target lies in a buffer of libmicrohttpd that is not constant. */
void *requests_target(void *p, const char *target, struct MHD_Connection *mc)
{
	struct connection *c = connection_of(mc);

	(void)p;
	if (!c)
		return NULL;
	c->target_len = strlen(target);
	c->escaped_nul = strstr(target, "%00") != NULL;
	c->bad_target = target_is_bad(target);
	arguments_take(c, (char *)(uintptr_t)target);
	return NULL;
}

/* ---- what libmicrohttpd answers itself, and cannot answer */

static void answer_raw(struct requests *r, struct connection *c, int status, const char *text)
{
	tell(r, "", status, 1);
	if (reply_raw(c, status, text))
		return;
	tell(r, "", status, -1);
	r->connections->refused++;
}

/* Where cookies fill the memory, or the length of a body is no number, 0.9.75 goes on with a
 * request that it has refused: it sends the head of its answer twice, or none. */
void requests_refused(struct requests *r, int status)
{
	struct connection *c = connections_parsed(r->connections);

	r->last.c = NULL;
	if (c)
		answer_raw(r, c, status, "");   /* to HEAD, perhaps */
	else
		tell(r, "", status, 1);
}

void requests_unsendable(struct requests *r)
{
	if (!r->last.c)
		return;
	tell(r, r->last.path, r->last.status, -1);
	answer_raw(r, r->last.c, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE, r->last.head ? "" :
		   "The head of the request is longer than uncored takes: 12 KB in all, of which "
		   "each line takes 64 bytes besides its text. Send less.\n");
}
