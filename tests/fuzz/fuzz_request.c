/* SPDX-License-Identifier: MIT
 * What a client sends, through libmicrohttpd: targets, arguments, headers, several requests in one
 * packet.
 * The input is the bytes. The routes are the program's own, and what is served is the hand-made
 * plan of tests/unit; Host must be localhost or box.example.
 */
#include "fuzz.h"

#include "scene.h"

#include "serve/routes.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TURNS = 40, INPUT_MAX = 65536, REPLY_MAX = 1 << 20 };

static struct scene scene;
static struct serve serve;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_n;
static nsec now;

static void open_server(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct http_options o = { .fds = &fd, .n_fds = 1, .connections = 8, .streams = 2,
				  .request_deadline = NSEC_PER_SEC,
				  .connection_deadline = 10 * NSEC_PER_SEC,
				  .stream_deadline = 10 * NSEC_PER_SEC, .handler = serve_handle,
				  .knows = serve_knows, .answered = serve_answered, .p = &serve };
	struct err err;

	/* abstract: no file, no network */
	address_n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		(size_t)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
				 "uncored-fuzz-%d", (int)getpid()));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, address_n), 0);
	assert_int_equal(listen(fd, 8), 0);
	scene_of_hand(&scene);
	assert_int_equal(http_new(&o, &serve.http, &err), 0);
	http_names(serve.http, "localhost", "box.example");
	serve_swap(&serve, scene.r);
}

static void turn(void)
{
	struct pollfd p[2];
	unsigned n = http_poll(serve.http, p);

	now += NSEC_PER_SEC / 20;
	serve.now = now;
	poll(p, n, 0);
	http_run(serve.http, now, p);
}

/* Each answer has a status that uncored(8) or libmicrohttpd names. */
static void see_reply(const char *reply, size_t n)
{
	static const int known[] = { 100, 200, 400, 403, 404, 405, 408, 411, 413, 414, 417, 431,
				     500, 501, 503, 505 };
	unsigned found = 0;
	int status = 0;

	if (!n)
		return;
	assert_true(n > 12 && memcmp(reply, "HTTP/1.", 7) == 0);
	assert_int_equal(sscanf(reply + 9, "%3d", &status), 1);
	for (size_t i = 0; i < COUNT(known); i++)
		found += status == known[i];
	assert_int_equal(found, 1);
	assert_non_null(memmem(reply, n, "\r\n\r\n", 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static char reply[REPLY_MAX];
	size_t sent = 0, got = 0;
	ssize_t r = -1;
	int fd;

	if (!serve.http)
		open_server();
	n = n < INPUT_MAX ? n : INPUT_MAX;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, address_n), 0);
	for (unsigned i = 0; i < TURNS && r; i++) {
		if (sent < n) {
			ssize_t k = send(fd, data + sent, n - sent, MSG_NOSIGNAL);

			sent = k < 0 && errno != EAGAIN ? n : sent + (size_t)(k > 0 ? k : 0);
			if (sent == n)
				shutdown(fd, SHUT_WR);
		}
		turn();
		while (got < sizeof(reply) &&
		       (r = recv(fd, reply + got, sizeof(reply) - got, 0)) > 0)
			got += (size_t)r;
		if (got == sizeof(reply))
			break;
	}
	close(fd);
	see_reply(reply, got);
	while (http_count(serve.http).connections)
		turn();
	return 0;
}
