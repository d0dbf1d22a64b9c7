/* SPDX-License-Identifier: MIT
 * Listeners and the messages that they have not read yet; see stream.h.
 * Owns:  struct streams: who is suspended, who is dropped, when a message is released.
 * Never: what a message says.
 * The http child's one thread.
 *
 * A listener that has read everything is suspended, because libmicrohttpd would ask for more in a
 * busy loop. libmicrohttpd then notices neither a disconnect nor a timeout; streams_scan() does.
 * Messages form a list: each holds a reference to the next one, and a listener holds one to the
 * message that it reads. A message without references is released. No message is copied for a
 * listener, and at most STREAM_BACKLOG messages wait for the slowest one.
 */
#include "http/stream.h"

#include "http/connection.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#define BLOCK (16 * 1024)
#define TCP_IS_ESTABLISHED 1            /* tcpi_state; above it the peer has gone */
#define KERNEL_BUFFER (128 * 1024)      /* else a slow listener shows after megabytes only */

struct message {
	struct message *next;
	unsigned refs;
	struct http_message m;
};

struct listener {
	LIST_ENTRY(listener) entry;
	struct streams *s;
	struct MHD_Connection *mc;
	int fd;
	struct address from;
	struct message *now;        /* being read; NULL: everything has been read */
	size_t at;
	unsigned waiting;           /* messages after `now` */
	nsec began, since;          /* began to listen, and to read `now` */
	bool suspended;
	bool ending;                /* after this message */
	bool broken;                /* at once */
};

struct streams {
	LIST_HEAD(, listener) list;
	struct message *newest;
	unsigned most;
	nsec message_deadline, listen_deadline, now;
	struct http_streams count;
};

static struct message *message_new(const struct http_message *m)
{
	struct message *new = calloc(1, sizeof(*new));

	if (new) {
		new->m = *m;
		new->refs = 1;
	} else if (m->release) {
		m->release(m->p);
	}
	return new;
}

static void message_unref(struct message *m)
{
	while (m && --m->refs == 0) {
		struct message *next = m->next;

		if (m->m.release)
			m->m.release(m->m.p);
		free(m);
		m = next;
	}
}

static struct message *message_ref(struct message *m)
{
	if (m)
		m->refs++;
	return m;
}

static void listener_resume(struct listener *l)
{
	if (l->suspended)
		MHD_resume_connection(l->mc);
	l->suspended = false;
}

static void listener_break(struct listener *l)
{
	l->broken = true;
	connection_drop(l->fd);
	listener_resume(l);
}

static void listener_drop(struct listener *l)
{
	l->s->count.dropped++;
	listener_break(l);
}

/* libmicrohttpd is done with the response. */
static void listener_free(void *p)
{
	struct listener *l = p;

	LIST_REMOVE(l, entry);
	l->s->count.listeners--;
	message_unref(l->now);
	free(l);
}

static ssize_t listener_read(void *p, uint64_t pos, char *buf, size_t most)
{
	struct listener *l = p;
	size_t n;

	(void)pos;
	if (l->broken)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	while (l->now && l->at == l->now->m.n) {
		struct message *next = message_ref(l->now->next);

		message_unref(l->now);
		l->now = next;
		l->at = 0;
		l->since = l->s->now;
		l->waiting -= next != NULL;
	}
	if (l->ending && !l->at)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!l->now) {
		l->suspended = true;
		MHD_suspend_connection(l->mc);
		return 0;
	}
	n = l->now->m.n - l->at < most ? l->now->m.n - l->at : most;
	memcpy(buf, l->now->m.bytes + l->at, n);
	l->at += n;
	l->s->count.sent += n;
	return (ssize_t)n;
}

static bool stays(const struct listener *l)
{
	return !l->ending && !l->broken;
}

/* How many listen from that address and stay; NULL: from any. */
static unsigned listeners_of(const struct streams *s, const struct address *from)
{
	const struct listener *l;
	unsigned n = 0;

	LIST_FOREACH(l, &s->list, entry)
		n += stays(l) && (!from || address_equal(&l->from, from));
	return n;
}

/* The newest listener of the address that has the most; NULL: nobody listens. */
static struct listener *newest_of_most(const struct streams *s)
{
	struct listener *l, *found = NULL;
	unsigned most = 0;

	LIST_FOREACH(l, &s->list, entry) {
		unsigned n = stays(l) ? listeners_of(s, &l->from) : 0;

		if (n > most) {
			most = n;
			found = l;
		}
	}
	return found;
}

static bool has_room(struct streams *s, const struct address *from)
{
	struct listener *gives_way;

	if (listeners_of(s, NULL) < s->most)
		return true;
	gives_way = newest_of_most(s);
	if (!gives_way || listeners_of(s, &gives_way->from) <= listeners_of(s, from) + 1)
		return false;
	gives_way->ending = true;
	listener_resume(gives_way);
	return true;
}

struct MHD_Response *streams_join(struct streams *s, struct MHD_Connection *mc, int fd,
				  const struct address *from, const struct http_reply *first,
				  nsec now)
{
	struct http_message m = { first->bytes, first->n, first->release, first->p };
	struct listener *l = has_room(s, from) ? calloc(1, sizeof(*l)) : NULL;
	struct message *begin = l ? message_new(&m) : NULL;
	struct MHD_Response *response = NULL;
	int size = KERNEL_BUFFER;

	if (!l && m.release)
		m.release(m.p);
	if (begin)
		response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, listener_read,
							     l, listener_free);
	if (!response) {
		message_unref(begin);
		free(l);
		s->count.refused++;
		return NULL;
	}
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	*l = (struct listener){ .s = s, .mc = mc, .fd = fd, .from = *from, .now = begin,
				.began = now, .since = now };
	LIST_INSERT_HEAD(&s->list, l, entry);
	s->count.listeners++;
	return response;
}

/* The first message of a listener is its own; the next one links it into the list. */
static void listener_take(struct listener *l, struct message *m, nsec now)
{
	if (!l->now) {
		l->now = message_ref(m);
		l->at = 0;
		l->since = now;
		listener_resume(l);
		return;
	}
	if (!l->now->next)
		l->now->next = message_ref(m);
	if (++l->waiting > STREAM_BACKLOG)
		listener_drop(l);
}

void streams_send(struct streams *s, const struct http_message *message, nsec now)
{
	struct message *m = message_new(message);
	struct listener *l;

	if (!m)
		return;
	if (s->newest && s->newest->refs > 1)   /* a listener still takes it */
		s->newest->next = message_ref(m);
	message_unref(s->newest);
	s->newest = m;
	s->now = now;
	LIST_FOREACH(l, &s->list, entry)
		if (!l->broken && !l->ending)
			listener_take(l, m, now);
}

void streams_scan(struct streams *s, nsec now)
{
	struct listener *l;

	s->now = now;
	LIST_FOREACH(l, &s->list, entry) {
		if (l->broken)
			continue;
		if (l->now && now - l->since >= s->message_deadline)
			listener_drop(l);
		else if (l->suspended && connection_info(l->fd).tcpi_state > TCP_IS_ESTABLISHED)
			listener_break(l);
		else if (now - l->began >= s->listen_deadline) {
			l->ending = true;
			listener_resume(l);
		}
	}
}

void streams_end(struct streams *s)
{
	struct listener *l;

	LIST_FOREACH(l, &s->list, entry) {
		l->broken = true;
		listener_resume(l);
	}
}

struct http_streams streams_count(const struct streams *s)
{
	return s->count;
}

struct streams *streams_new(unsigned most, nsec message_deadline, nsec listen_deadline)
{
	struct streams *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct streams){ .most = most, .message_deadline = message_deadline,
				       .listen_deadline = listen_deadline };
	return s;
}

void streams_free(struct streams *s)
{
	if (s)
		message_unref(s->newest);
	free(s);
}
