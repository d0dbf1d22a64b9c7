/* SPDX-License-Identifier: MIT */
#include "http/reply.h"

#include "http/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct http_page {
	struct MHD_Response *m;
	int status;
	size_t n;
};

static void add_headers(struct MHD_Response *m, const struct http_reply *reply)
{
	MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_TYPE, reply->content_type);
	MHD_add_response_header(m, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(m, "X-Content-Type-Options", "nosniff");
	if (reply->encoding)
		MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_ENCODING, reply->encoding);
	if (reply->vary)
		MHD_add_response_header(m, MHD_HTTP_HEADER_VARY, reply->vary);
	if (reply->policy)
		MHD_add_response_header(m, "Content-Security-Policy", reply->policy);
	if (reply->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(m, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
}

/* Takes the body. libmicrohttpd does not change the bytes; its parameter is not const. */
static struct MHD_Response *response_new(const struct http_reply *reply)
{
	void *bytes = (void *)(uintptr_t)reply->bytes;
	struct MHD_Response *m;

	if (reply->release)
		m = MHD_create_response_from_buffer_with_free_callback_cls(
			reply->n, bytes, reply->release, reply->p);
	else
		m = MHD_create_response_from_buffer(reply->n, bytes, MHD_RESPMEM_PERSISTENT);
	if (m)
		add_headers(m, reply);
	else if (reply->release)
		reply->release(reply->p);
	return m;
}

struct http_page *http_page_new(const struct http_reply *reply)
{
	struct MHD_Response *m = response_new(reply);
	struct http_page *page = m ? malloc(sizeof(*page)) : NULL;

	if (page)
		*page = (struct http_page){ m, reply->status, reply->n };
	else if (m)
		MHD_destroy_response(m);
	return page;
}

void http_page_free(struct http_page *page)
{
	if (!page)
		return;
	MHD_destroy_response(page->m);
	free(page);
}

/* Takes the response; NULL: out of memory. */
static enum MHD_Result response_send(struct MHD_Connection *mc, int status, struct MHD_Response *m)
{
	enum MHD_Result r = m ? MHD_queue_response(mc, (unsigned)status, m) : MHD_NO;

	if (m)
		MHD_destroy_response(m);
	return r;
}

enum MHD_Result reply_send(struct MHD_Connection *mc, struct http_reply *reply)
{
	if (!reply->page)
		return response_send(mc, reply->status, response_new(reply));
	reply->status = reply->page->status;
	reply->n = reply->page->n;
	return MHD_queue_response(mc, (unsigned)reply->status, reply->page->m);
}

/* What comes in and is not read would make the kernel take back what went out. */
static void drain(int fd)
{
	char bytes[4096];

	for (unsigned i = 0; i < 16; i++)
		if (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
			break;
}

bool reply_raw(struct connection *c, int status, const char *text)
{
	char bytes[512];
	int n = snprintf(bytes, sizeof(bytes), "HTTP/1.1 %d %s\r\nConnection: close\r\n"
			 "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"
			 "X-Content-Type-Options: nosniff\r\nContent-Length: %zu\r\n\r\n%s", status,
			 MHD_get_reason_phrase_for((unsigned)status), strlen(text), text);
	bool sent = tls_send_last(c->mc, c->fd, bytes, (size_t)n);

	drain(c->fd);
	return sent;
}

enum MHD_Result reply_stream(struct streams *streams, struct MHD_Connection *mc,
			     struct connection *c, struct http_reply *reply, bool head,
			     nsec now)
{
	struct MHD_Response *m = streams_join(streams, mc, c->fd, &c->peer->address, reply,
					      now);
	struct http_reply full = http_text(MHD_HTTP_SERVICE_UNAVAILABLE,
					   "Too many clients follow the stream; try later.\n");

	if (!m) {
		*reply = full;
		m = response_new(&full);
		if (m)
			MHD_add_response_header(m, MHD_HTTP_HEADER_RETRY_AFTER, "10");
		return response_send(mc, full.status, m);
	}
	add_headers(m, reply);
	c->listens = true;
	if (head)                       /* else the last chunk's end would follow the head */
		MHD_set_response_options(m, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
	return response_send(mc, reply->status, m);
}

struct http_reply http_text(int status, const char *text)
{
	return (struct http_reply){ .status = status, .content_type = "text/plain; charset=utf-8",
				    .bytes = text, .n = strlen(text) };
}
