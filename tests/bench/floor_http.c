/* SPDX-License-Identifier: MIT
 * The least that serving can cost: libmicrohttpd with one static buffer, driven as
 * src/http/http.c drives it.
 * floor_http BYTES CPU [PORT]: CPU -1: any. Listens on 127.0.0.1, without PORT where the kernel
 * chooses, prints "serving http://127.0.0.1:PORT/" on stderr as uncored does, and answers every
 * request with the same BYTES bytes.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS       256
#define CONNECTION_MEMORY (16 * 1024)

static struct MHD_Response *response;

static enum MHD_Result answer(void *p, struct MHD_Connection *c, const char *url,
			      const char *method, const char *version,
			      const char *upload, size_t *upload_n, void **request)
{
	(void)p;
	(void)url;
	(void)method;
	(void)version;
	(void)upload;
	if (!*request) { /* the head is there; the body, of nothing, comes with the next call */
		*request = response;
		return MHD_YES;
	}
	*upload_n = 0;
	return MHD_queue_response(c, MHD_HTTP_OK, response);
}

int main(int argc, char **argv)
{
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *mhd;
	struct pollfd fd = { .events = POLLIN };
	size_t n;
	char *body;

	if (argc < 3 || (n = strtoull(argv[1], NULL, 10)) == 0) {
		fprintf(stderr, "usage: floor_http BYTES CPU [PORT]\n");
		return 64;
	}
	bench_place(atoi(argv[2]), 0);
	signal(SIGPIPE, SIG_IGN);
	body = malloc(n);
	if (!body)
		return bench_fail("malloc");
	memset(body, 'x', n);
	response = MHD_create_response_from_buffer(n, body, MHD_RESPMEM_PERSISTENT);
	mhd = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, NULL,
			       MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&(struct sockaddr_in){
				       .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)(argc > 3 ? atoi(argv[3]) : 0)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
			       MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
			       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
			       MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_STRICT_FOR_CLIENT, 1,
			       MHD_OPTION_END);
	if (!response || !mhd || MHD_add_response_header(response, "Content-Type",
		"text/plain; version=0.0.4") != MHD_YES)
		return bench_fail("libmicrohttpd");
	fprintf(stderr, "serving http://127.0.0.1:%u/\n",
		MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_BIND_PORT)->port);
	info = MHD_get_daemon_info(mhd, MHD_DAEMON_INFO_EPOLL_FD);
	fd.fd = info->epoll_fd;
	for (;;) {
		MHD_UNSIGNED_LONG_LONG ms;
		int wait = MHD_get_timeout(mhd, &ms) == MHD_YES ? (int)ms : -1;

		if (poll(&fd, 1, wait) < 0 && errno != EINTR)
			return bench_fail("poll");
		MHD_run(mhd);
	}
}
