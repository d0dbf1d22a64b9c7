/* SPDX-License-Identifier: MIT */
#include "http/request.h"

#include "http/grammar.h"
#include "http/host_field.h"
#include "http/reply.h"

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
static bool target_has_nul(const struct connection *c, const char *url, const char *version)
{
	return c->escaped_nul || (MHD_VERSION < 0x01000000 && *version &&
				  (size_t)(version - url) != c->target_len + 1);
}

struct argument_walk {
	bool (*each)(void *p, const char *name, const char *value);
	void *p;
};

static enum MHD_Result argument_next(void *p, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	const struct argument_walk *w = p;

	(void)kind;
	return w->each(w->p, name, value ? value : "") ? MHD_YES : MHD_NO;
}

void http_each_argument(const struct http_request *r,
			bool (*each)(void *p, const char *name, const char *value), void *p)
{
	struct argument_walk w = { each, p };

	MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND, argument_next, &w);
}

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
			   const struct connection *c, const char *url, struct http_reply *reply)
{
	struct http_request request = { .path = path_of(url), .connection = mc };
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

/* Sends an answer and counts it. */
static enum MHD_Result answer(const struct requests *r, struct MHD_Connection *mc,
			      struct connection *c, const char *path, bool head,
			      struct http_reply *reply)
{
	enum MHD_Result sent = reply->stream ?
		reply_stream(r->streams, mc, c, reply, head, r->connections->now) :
		reply_send(mc, reply);

	c->answered = true;
	c->body = head || reply->stream ? 0 : reply->n;
	if (r->o->answered)
		r->o->answered(r->o->p, path, reply->status);
	return sent;
}

/* Called when the head is there, for each part of a body, which is ignored, and at the end. */
enum MHD_Result requests_answer(void *p, struct MHD_Connection *mc, const char *url,
				const char *method, const char *version,
				const char *upload, size_t *upload_n, void **request)
{
	const struct requests *r = p;
	struct http_reply reply = { 0 };
	struct connection *c = connection_of(mc);
	bool first = !*request, head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
	bool gets = head || strcmp(method, MHD_HTTP_METHOD_GET) == 0;
	const char *path = path_of(url);

	(void)upload;
	if (!c)
		return MHD_NO;
	if (c->request < 0)             /* came right behind the one before */
		c->request = r->connections->now;
	*request = p;
	if (first)
		reply = target_has_nul(c, url, version) ?
			http_text(MHD_HTTP_BAD_REQUEST, "The path contains a NUL byte.\n") :
			grammar_check(mc, version);
	if (first && c->many_arguments && !reply.status)
		reply = http_text(MHD_HTTP_BAD_REQUEST, "The request has more arguments than "
				  "uncored takes, which is 80. Ask for less, or for all.\n");
	if (first && !gets && !reply.status)
		reply = reply_refused(r, path);
	if (!reply.status && (first || *upload_n || !gets)) {
		*upload_n = 0;
		return MHD_YES;
	}
	if (!reply.status && !request_handle(r, mc, c, url, &reply))
		reply = reply_nothing();
	return answer(r, mc, c, path, head, &reply);
}

/* The end of the last argument that is taken; NULL: there are no more. */
static const char *last_argument(const char *target)
{
	const char *at = strchr(target, '?');

	for (unsigned n = 0; at && n < HTTP_ARGUMENTS_MAX; n++)
		at = strchr(at + 1, '&');
	return at;
}

/* libmicrohttpd parses the arguments after this, in its own buffer, which is this one: a request
 * with many gets an answer only if they end here. */
void *requests_target(void *p, const char *target, struct MHD_Connection *mc)
{
	struct connection *c = connection_of(mc);
	const char *end = last_argument(target);

	(void)p;
	if (c) {
		c->target_len = strlen(target);
		c->escaped_nul = strstr(target, "%00") != NULL;
		c->many_arguments = end;
	}
	if (end)
		*(char *)(uintptr_t)end = '\0';
	return NULL;
}
