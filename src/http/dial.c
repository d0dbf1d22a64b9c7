/* SPDX-License-Identifier: MIT
 * A URL taken apart, the addresses of its name, and an attempt at each; see dial.h.
 * Owns:  the grammar of URLs, the search that goes on where nobody waits any more.
 * Never: what is said on the connection (client.c).
 * Any thread.
 */
#include "http/dial.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

enum { AGAIN_MS = 10 };

/* ---- the URL */

static int hex(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) % 16 : -1;
}

/* "a%40b" is "a@b". Returns the length, or -EINVAL. */
static int percent_decode(const char *s, size_t n, char *ret)
{
	int length = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] != '%') {
			ret[length++] = s[i];
			continue;
		}
		if (i + 2 >= n || hex(s[i + 1]) < 0 || hex(s[i + 2]) < 0)
			return -EINVAL;
		ret[length++] = (char)(16 * hex(s[i + 1]) + hex(s[i + 2]));
		i += 2;
	}
	return length;
}

/* ret: 4 bytes for each 3, and a NUL. */
static void base64(const char *s, size_t n, char *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = 0;

		for (size_t k = i; k < i + 3; k++)
			v = v << 8 | (k < n ? (unsigned char)s[k] : 0);
		*ret++ = digits[v >> 18];
		*ret++ = digits[v >> 12 & 63];
		*ret++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*ret++ = i + 2 < n ? digits[v & 63] : '=';
	}
	*ret = '\0';
}

/* "USER:PASSWORD", or "USER" alone, for RFC 7617. */
static int take_user(const char *s, size_t n, struct dial_address *ret)
{
	char plain[DIAL_URL_MAX];
	int length = percent_decode(s, n, plain);

	if (length < 0)
		return -EINVAL;
	if (!memchr(s, ':', n))
		plain[length++] = ':';
	if ((size_t)(length + 2) / 3 * 4 >= sizeof(ret->user))
		return -EINVAL;
	base64(plain, (size_t)length, ret->user);
	return 0;
}

/* ":PORT", ":" or "". */
static int take_port(const char *s, size_t n, struct dial_address *ret)
{
	uint64_t port;

	strcpy(ret->port, ret->tls ? "443" : "80");
	if (n <= 1)
		return n && *s != ':' ? -EINVAL : 0;
	if (*s != ':' || n > 6 || strspn(s + 1, "0123456789") < n - 1)
		return -EINVAL;
	snprintf(ret->port, sizeof(ret->port), "%.*s", (int)n - 1, s + 1);
	return num_parse_u64(ret->port, &port) < 0 || !port || port > UINT16_MAX ? -EINVAL : 0;
}

/* "[ADDRESS]", "[ADDRESS%25ZONE]": the zone is of this machine, and no part of the field. */
static int take_literal(const char *s, size_t n, struct dial_address *ret)
{
	const char *zone = memchr(s, '%', n);
	size_t n_address = zone ? (size_t)(zone - s) : n;

	snprintf(ret->host, sizeof(ret->host), "%.*s", (int)n_address, s);
	snprintf(ret->field, sizeof(ret->field), "[%s]", ret->host);
	if (!strchr(ret->host, ':'))
		return -EINVAL;
	if (!zone)
		return 0;
	s += n_address;
	n -= n_address;
	if (n > 3 && strncmp(s, "%25", 3) == 0) {
		s += 2;
		n -= 2;
	}
	snprintf(ret->host + n_address, sizeof(ret->host) - n_address, "%%%.*s", (int)n - 1,
		 s + 1);
	return 0;
}

/* What is between "://" and the path. */
static int take_authority(const char *s, size_t n, struct dial_address *ret)
{
	const char *at = memrchr(s, '@', n), *end;
	size_t n_user = at ? (size_t)(at - s) : 0, n_host;
	int r = n_user ? take_user(s, n_user, ret) : 0;

	if (r < 0)
		return r;
	if (at) {
		s += n_user + 1;
		n -= n_user + 1;
	}
	if (n && *s == '[') {
		end = memchr(s, ']', n);
		n_host = end ? (size_t)(end + 1 - s) : 0;
		r = n_host > 2 ? take_literal(s + 1, n_host - 2, ret) : -EINVAL;
	} else {
		end = memchr(s, ':', n);
		n_host = end ? (size_t)(end - s) : n;
		snprintf(ret->host, sizeof(ret->host), "%.*s", (int)n_host, s);
		strcpy(ret->field, ret->host);
		r = n_host ? 0 : -EINVAL;
	}
	if (r < 0 || take_port(s + n_host, n - n_host, ret) < 0)
		return -EINVAL;
	if (strcmp(ret->port, ret->tls ? "443" : "80") != 0) {
		strcat(ret->field, ":");
		strcat(ret->field, ret->port);
	}
	return 0;
}

static int parse_file(const char *path, struct dial_address *ret)
{
	ret->file = true;
	if (*path != '/' || strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return -EINVAL;
	strcpy(ret->host, path);
	strcpy(ret->field, "localhost");
	return 0;
}

/* "HOST:PORT", as people write it who have it from the key `listen`. */
static bool is_bare(const char *url)
{
	const char *port = strrchr(url, ':');

	return port && !strchr(url, '/') && port[1] &&
	       strspn(port + 1, "0123456789") == strlen(port + 1);
}

int dial_parse(const char *url, struct dial_address *ret)
{
	static const char file[] = "unix:", plain[] = "http://", tls[] = "https://";
	size_t n, scheme;

	*ret = (struct dial_address){ .port = "" };
	if (strlen(url) >= DIAL_URL_MAX)
		return -EINVAL;
	if (strncmp(url, file, sizeof(file) - 1) == 0)
		return parse_file(url + sizeof(file) - 1, ret);
	ret->tls = strncmp(url, tls, sizeof(tls) - 1) == 0;
	if (ret->tls)
		scheme = sizeof(tls) - 1;
	else if (strncmp(url, plain, sizeof(plain) - 1) == 0)
		scheme = sizeof(plain) - 1;
	else if (is_bare(url))
		scheme = 0;
	else
		return -EINVAL;
	for (const char *s = url; *s; s++)      /* it goes into the head of a request */
		if (*s <= ' ' || *s > '~' || strchr("?#\\\"<>", *s))
			return -EINVAL;
	url += scheme;
	n = strcspn(url, "/");
	strcpy(ret->path, url + n);
	if (take_authority(url, n, ret) < 0)
		return -EINVAL;
	n = strlen(ret->path);
	if (n && ret->path[n - 1] == '/')
		ret->path[n - 1] = '\0';
	return 0;
}

/* ---- the addresses of a name */

/* What the resolver's thread works on: it goes on where nobody waits any more. */
struct search {
	struct gaicb cb;
	struct addrinfo hints;
	struct dial_address address;
};

static void search_free(struct search *s)
{
	if (gai_cancel(&s->cb) != EAI_NOTCANCELED) {
		if (s->cb.ar_result)
			freeaddrinfo(s->cb.ar_result);
		free(s);
	}
}
CLEANUP_POINTER(search_free, struct search);

/* Nobody has to know the name localhost for it to be this machine (RFC 6761, 6.3): without a name
 * the resolver gives the loopback addresses. */
static bool is_localhost(const char *host)
{
	return strcasecmp(host, "localhost") == 0 || strcasecmp(host, "localhost.") == 0;
}

/* The C library looks in a thread of its own, which ThreadSanitizer does not know and crashes in:
 * with that it looks here, however long it takes. */
static int search_begin(struct search *s)
{
#ifdef __SANITIZE_THREAD__
	return getaddrinfo(s->cb.ar_name, s->cb.ar_service, &s->hints, &s->cb.ar_result);
#else
	struct gaicb *list[] = { &s->cb };

	return getaddrinfo_a(GAI_NOWAIT, list, 1, NULL);
#endif
}

/* 0, or an error of getaddrinfo(): EAI_INPROGRESS where the time was too short. */
static int search_run(struct search *s, nsec end)
{
	const struct gaicb *const all[] = { &s->cb };
	struct addrinfo literal = s->hints;
	int r;

	literal.ai_flags = AI_NUMERICHOST;      /* nothing to ask anybody for */
	r = getaddrinfo(s->cb.ar_name, s->cb.ar_service, &literal, &s->cb.ar_result);
	if (r != EAI_NONAME)
		return r;
	r = search_begin(s);
	while (!r && gai_error(&s->cb) == EAI_INPROGRESS) {
		nsec left = end - clock_read(CLOCK_MONOTONIC);
		struct timespec ts = { left / NSEC_PER_SEC, left % NSEC_PER_SEC };

		if (left <= 0)
			return EAI_INPROGRESS;
		gai_suspend(all, 1, &ts);
	}
	return r ? r : gai_error(&s->cb);
}

/* ---- connections */

int dial_wait(int fd, short events, nsec end)
{
	struct pollfd one = { .fd = fd, .events = events };

	for (;;) {
		nsec left = end - clock_read(CLOCK_MONOTONIC);
		int r;

		if (left <= 0)
			return -ETIMEDOUT;
		r = poll(&one, 1, (int)(left / NSEC_PER_MSEC) + 1);
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
}

/* Returns the descriptor, or -errno. */
static int connect_one(int family, const struct sockaddr *to, socklen_t n, nsec end)
{
	AUTO_FD int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(int);
	int why = 0, r;

	if (fd < 0)
		return -errno;
	while (connect(fd, to, n) < 0) {
		if (errno == EINPROGRESS || errno == EINTR)
			break;
		if (errno != EAGAIN)
			return -errno;
		if (clock_read(CLOCK_MONOTONIC) >= end)
			return -ETIMEDOUT;
		poll(NULL, 0, AGAIN_MS);        /* the queue of a socket file is full */
	}
	r = dial_wait(fd, POLLOUT, end);
	if (r < 0)
		return r;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) < 0)
		return -errno;
	if (why)
		return -why;
	return TAKE_FD(fd);
}

static int connect_file(const char *path, nsec end)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	strcpy(to.sun_path, path);
	return connect_one(AF_UNIX, (struct sockaddr *)&to, sizeof(to), end);
}

/* One after the other; none takes the time of those after it. */
static int connect_any(const struct addrinfo *all, nsec end)
{
	int left = 0, r = -EHOSTUNREACH;

	for (const struct addrinfo *a = all; a; a = a->ai_next)
		left++;
	for (const struct addrinfo *a = all; a && r < 0; a = a->ai_next) {
		nsec now = clock_read(CLOCK_MONOTONIC);

		r = connect_one(a->ai_family, a->ai_addr, a->ai_addrlen, now + (end - now) / left);
		left--;
	}
	return r;
}

int dial_connect(const struct dial_address *a, nsec end, const char **ret_why)
{
	AUTO_FREE(search_free) struct search *s = NULL;
	int r;

	if (a->file) {
		r = connect_file(a->host, end);
	} else {
		s = calloc(1, sizeof(*s));
		if (!s) {
			*ret_why = strerror(ENOMEM);
			return -ENOMEM;
		}
		s->address = *a;
		s->hints.ai_socktype = SOCK_STREAM;
		s->cb = (struct gaicb){ .ar_service = s->address.port, .ar_request = &s->hints };
		if (!is_localhost(s->address.host))
			s->cb.ar_name = s->address.host;
		r = search_run(s, end);
		if (r) {
			*ret_why = r == EAI_INPROGRESS ? "nobody knows the name in time" :
				   gai_strerror(r);
			return -EHOSTUNREACH;
		}
		r = connect_any(s->cb.ar_result, end);
	}
	if (r < 0)
		*ret_why = strerror(-r);
	return r;
}
