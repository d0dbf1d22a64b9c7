/* SPDX-License-Identifier: MIT
 * How long a server takes from its start to the first scrape that has everything.
 * first_scrape PORT PATH MARKER COMMAND...: starts COMMAND, which is to listen on 127.0.0.1:PORT,
 * and asks for PATH until a reply of status 200 contains MARKER; then terminates it. Prints the
 * milliseconds from fork to that reply's end.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE (10 * INT64_C(1000000000))
#define PAUSE_US 100

static char reply[4 * 1024 * 1024];

/* While nobody listens on a port that the kernel also gives to clients, a client can get it, and is
 * connected with itself. */
static bool is_own(int fd, int port)
{
	struct sockaddr_in own;
	socklen_t n = sizeof(own);

	return getsockname(fd, (struct sockaddr *)&own, &n) < 0 ||
	       own.sin_port == htons((uint16_t)port);
}

/* One request on a connection of its own. */
static bool scrape(int port, const char *path, const char *marker)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t n = 0;
	ssize_t got;
	bool full = false;

	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
	    !is_own(fd, port) &&
	    dprintf(fd, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
		    path) > 0) {
		while (n < sizeof(reply) - 1 &&
		       (got = read(fd, reply + n, sizeof(reply) - 1 - n)) > 0)
			n += (size_t)got;
		reply[n] = '\0';
		full = strncmp(reply, "HTTP/1.1 200", 12) == 0 && strstr(reply, marker);
	}
	if (fd >= 0)
		close(fd);
	return full;
}

int main(int argc, char **argv)
{
	int64_t begin, now;
	bool full = false;
	pid_t pid;

	if (argc < 5) {
		fprintf(stderr, "usage: first_scrape PORT PATH MARKER COMMAND...\n");
		return 64;
	}
	signal(SIGPIPE, SIG_IGN);
	begin = now = bench_clock(CLOCK_MONOTONIC);
	pid = fork();
	if (pid < 0)
		return bench_fail("fork");
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, STDERR_FILENO);
		dup2(null, STDOUT_FILENO);
		execv(argv[4], argv + 4);
		_exit(127);
	}
	while (!full && now < begin + PATIENCE && waitpid(pid, NULL, WNOHANG) == 0) {
		full = scrape(atoi(argv[1]), argv[2], argv[3]);
		now = bench_clock(CLOCK_MONOTONIC);
		if (!full)
			usleep(PAUSE_US);
	}
	if (!full) {
		fprintf(stderr, "first_scrape: %s never served %s\n", argv[4], argv[3]);
		kill(pid, SIGKILL);
		return 1;
	}
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	printf("%.3f\n", (double)(now - begin) / 1e6);
	return 0;
}
