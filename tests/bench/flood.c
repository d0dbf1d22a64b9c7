/* SPDX-License-Identifier: MIT
 * Somebody who opens connections and says nothing.
 * flood PORT ADDRESS RATE SECONDS CPU [TEXT]
 *   From ADDRESS, one of 127.0.0.0/8, to 127.0.0.1:PORT, RATE connections a second at times fixed
 *   beforehand; CPU -1: any. TEXT: each sends it, as a request that never ends. The last OPEN_MOST
 *   are kept open, or as many as there are descriptors; those before them are closed with a reset,
 *   which leaves no port in TIME_WAIT.
 * Prints "CONNECTIONS SECONDS REFUSED"; REFUSED: connect() failed at once.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define OPEN_MOST 16000

static int open_one(const struct sockaddr_in *from, const struct sockaddr_in *to, const char *text)
{
	const struct linger reset = { .l_onoff = 1 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	if (fd < 0)
		return -1;
	/* the port is chosen by connect(): bind() would search for one that is free for all */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (bind(fd, (const struct sockaddr *)from, sizeof(*from)) < 0 ||
	    (connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0 && errno != EINPROGRESS)) {
		close(fd);
		return -1;
	}
	if (*text)
		send(fd, text, strlen(text), MSG_NOSIGNAL);
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in from = { .sin_family = AF_INET };
	static int fds[OPEN_MOST];
	unsigned long made = 0, refused = 0, open_most = OPEN_MOST;
	struct rlimit files;
	int64_t begin, end, now;
	const char *text;
	double rate;

	if (argc < 6 || inet_pton(AF_INET, argv[2], &from.sin_addr) != 1) {
		fprintf(stderr, "usage: flood PORT ADDRESS RATE SECONDS CPU [TEXT]\n");
		return 64;
	}
	to.sin_port = htons((uint16_t)atoi(argv[1]));
	rate = atof(argv[3]);
	text = argc > 6 ? argv[6] : "";
	bench_place(atoi(argv[5]), 0);
	memset(fds, 0xff, sizeof(fds));
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
		if (files.rlim_max < open_most + 10)
			open_most = files.rlim_max - 10;
	}
	begin = bench_clock(CLOCK_MONOTONIC);
	end = begin + (int64_t)(atof(argv[4]) * 1e9);
	while ((now = bench_clock(CLOCK_MONOTONIC)) < end) {
		int64_t at = begin + (int64_t)((double)made / rate * 1e9);
		int *fd = &fds[made % open_most];

		if (at > now) {
			bench_sleep_until(at);
			continue;
		}
		if (*fd >= 0)
			close(*fd);
		*fd = open_one(&from, &to, text);
		refused += *fd < 0;
		made++;
	}
	printf("%lu %.6f %lu\n", made, (double)(now - begin) / 1e9, refused);
	return 0;
}
