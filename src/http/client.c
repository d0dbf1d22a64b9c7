/* SPDX-License-Identifier: MIT */
#include "http/client.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20, NAME = 256 };

/* A descriptor, or -errno. */
static int connect_to(const char *host, const char *port)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	const struct timeval patience = { .tv_sec = 5 };
	struct addrinfo *list = NULL;
	int fd = -EHOSTUNREACH;

	if (getaddrinfo(host, port, &hints, &list) != 0)
		return fd;
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		int s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);

		setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		fd = connect(s, a->ai_addr, a->ai_addrlen) < 0 ? -errno : s;
		if (fd < 0)
			close(s);
	}
	freeaddrinfo(list);
	return fd;
}

int http_get(const char *url, const char *path, char **ret, struct err *err)
{
	char host[NAME], port[8] = "80", request[2 * NAME];
	char *answer, *body;
	int end = 0, fd, n;
	ssize_t got, all = 0;

	if ((sscanf(url, "http://[%255[0-9a-fA-F:]]%n", host, &end) != 1 || !end) &&
	    (sscanf(url, "http://%255[^][:/?#@ ]%n", host, &end) != 1))
		return err_set(err, -EINVAL, "'%s' is not a URL of uncored; it looks like "
			       "http://127.0.0.1:10062", url);
	if (url[end] == ':')
		sscanf(url + end + 1, "%7[0-9]", port);
	fd = connect_to(host, port);
	if (fd < 0)
		return err_set(err, fd, "%s cannot be reached: %s; start uncored, or name another "
			       "one with --url", url, strerror(-fd));
	n = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path,
		     strchr(host, ':') ? "localhost" : host);
	answer = calloc(1, ANSWER_MAX);         /* what stays 0 takes no memory */
	got = answer ? send(fd, request, (size_t)n, MSG_NOSIGNAL) : 0;
	for (; got > 0 && all < ANSWER_MAX - 1; all += got > 0 ? got : 0)
		got = recv(fd, answer + all, (size_t)(ANSWER_MAX - 1 - all), 0);
	close(fd);
	end = 0;
	if (got == 0 && answer)
		sscanf(answer, "HTTP/1.%*d 200%n", &end);
	body = end > 0 ? strstr(answer, "\r\n\r\n") : NULL;
	*ret = body ? strdup(body + 4) : NULL;
	free(answer);
	return *ret ? 0 : err_set(err, -EPROTO, "%s does not answer as uncored does; name "
				  "uncored's address with --url", url);
}
