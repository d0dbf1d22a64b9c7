/* client.c - see client.h. */
#include "verify/client.h"

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
	int fd = -1, r = -EHOSTUNREACH;

	if (getaddrinfo(host, port, &hints, &list) != 0)
		return r;
	for (struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		if (connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
			r = -errno;
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	return fd < 0 ? r : fd;
}

/* All that comes until the end, as one text. */
static int receive(int fd, char **ret)
{
	char *all = NULL;
	size_t n = 0, room = 0;
	ssize_t got = 1;

	while (got > 0 && n < ANSWER_MAX) {
		if (room - n < 2) {
			char *more = realloc(all, room = room ? 2 * room : 1 << 16);

			if (!more)
				break;
			all = more;
		}
		got = recv(fd, all + n, room - n - 1, 0);
		n += got > 0 ? (size_t)got : 0;
	}
	if (got != 0) {
		free(all);
		return got < 0 ? -errno : -ENOMEM;
	}
	all[n] = 0;
	*ret = all;
	return 0;
}

int client_get(const char *url, const char *path, char **ret, struct err *err)
{
	char host[NAME], port[8] = "80", request[2 * NAME], *answer = NULL, *body;
	int end = 0, fd, n, r;

	if ((sscanf(url, "http://[%255[0-9a-fA-F:]]%n", host, &end) != 1 || !end) &&
	    (sscanf(url, "http://%255[^][:/?#@ ]%n", host, &end) != 1))
		return err_set(err, -EINVAL, "'%s' is no URL of uncored; it looks like "
			       "http://127.0.0.1:10062", url);
	if (url[end] == ':')
		sscanf(url + end + 1, "%7[0-9]", port);
	fd = connect_to(host, port);
	if (fd < 0)
		return err_set(err, fd, "%s cannot be reached: %s; start uncored, or name another "
			       "one with --url", url, strerror(-fd));
	n = snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path,
		     strchr(host, ':') ? "localhost" : host);
	r = send(fd, request, (size_t)n, MSG_NOSIGNAL) == n ? receive(fd, &answer) : -errno;
	close(fd);
	if (r < 0)
		return err_set(err, r, "%s does not answer: %s", url, strerror(-r));
	body = strstr(answer, "\r\n\r\n");
	answer[strcspn(answer, "\r\n")] = 0;
	if (body && strncmp(answer, "HTTP/1.", 7) == 0 && strncmp(answer + 8, " 200", 4) == 0)
		*ret = strdup(body + 4);
	else
		r = err_set(err, -EPROTO, "%s does not answer as uncored does: %.40s; name "
			    "uncored's address with --url", url, answer);
	free(answer);
	return r == 0 && !*ret ? err_set(err, -ENOMEM, "no memory for the answer") : r;
}
