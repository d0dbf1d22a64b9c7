/* SPDX-License-Identifier: MIT
 * Scrapers: keep-alive connections that ask for one page, as fast as they can or at a
 * fixed rate.
 * load PORT PATH CONNECTIONS SECONDS RATE CPU
 *   RATE 0: each connection asks again as soon as its reply is complete. Else so many requests a
 *   second, all connections together, at times fixed beforehand: a late reply delays those behind
 *   it, and that counts as their latency.
 * Prints "REQUESTS SECONDS BYTES ERRORS P50_US P99_US MAX_US"; BYTES is the size of the last body,
 * 0 if it came in chunks.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 1000
#define LATENCIES_MAX   (4 * 1024 * 1024)
#define HEAD_MAX        4096
#define LAST_CHUNK      "\r\n0\r\n\r\n"    /* a text format has no carriage return of its own */

struct scraper {
	int fd;
	bool busy;
	int64_t asked;              /* when it was to be asked */
	char head[HEAD_MAX + 1];
	size_t head_n;
	bool in_body;
	/* bytes of the body to come; of one in chunks it is not known: 1 until the last came */
	size_t left;
	bool chunked;
	char tail[sizeof(LAST_CHUNK) - 1];          /* what came last of one in chunks */
};

static struct scraper scrapers[CONNECTIONS_MAX];
static uint32_t latency[LATENCIES_MAX];         /* ns, of the first that fit */
static size_t n_latency, n_requests, n_errors, body_bytes;
static char request[1024];
static size_t request_n;

static int scraper_connect(struct scraper *s, int port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1;

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		return -1;
	return setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void scraper_ask(struct scraper *s, int64_t at)
{
	s->busy = true;
	s->asked = at;
	s->head_n = 0;
	s->in_body = false;
	if (send(s->fd, request, request_n, MSG_NOSIGNAL) != (ssize_t)request_n)
		n_errors++;
}

/* n bytes of a body have come. */
static void scraper_body(struct scraper *s, const char *bytes, size_t n)
{
	size_t keep = sizeof(s->tail);

	if (!s->chunked) {
		s->left -= n;
		return;
	}
	if (n >= keep) {
		memcpy(s->tail, bytes + n - keep, keep);
	} else {
		memmove(s->tail, s->tail + n, keep - n);
		memcpy(s->tail + keep - n, bytes, n);
	}
	s->left = memcmp(s->tail, LAST_CHUNK, keep) != 0;
}

/* Is the head complete? Then how long the body is; what came behind the head is part of it. */
static bool scraper_head(struct scraper *s)
{
	char *end, *length;

	s->head[s->head_n] = '\0';
	end = strstr(s->head, "\r\n\r\n");
	if (!end)
		return false;
	length = strcasestr(s->head, "\r\nContent-Length:");
	s->chunked = !length || length > end;
	s->left = s->chunked ? 1 : strtoull(length + 17, NULL, 10);
	if (!s->chunked)
		body_bytes = s->left;
	if (strncmp(s->head, "HTTP/1.1 200", 12) != 0 || !s->left)
		n_errors++;
	s->in_body = true;
	memset(s->tail, 0, sizeof(s->tail));
	scraper_body(s, end + 4, s->head_n - (size_t)(end + 4 - s->head));
	return true;
}

static void scraper_done(struct scraper *s)
{
	int64_t took = bench_clock(CLOCK_MONOTONIC) - s->asked;

	s->busy = false;
	n_requests++;
	if (n_latency < LATENCIES_MAX)
		latency[n_latency++] = took > UINT32_MAX ? UINT32_MAX : (uint32_t)took;
}

/* Returns true when a reply is complete. A server that closes its connections is not measured. */
static bool scraper_receive(struct scraper *s)
{
	static char drain[256 * 1024];
	ssize_t n;

	if (!s->in_body) {
		n = recv(s->fd, s->head + s->head_n, HEAD_MAX - s->head_n, MSG_DONTWAIT);
		if (n > 0)
			s->head_n += (size_t)n;
		if (n > 0 && !scraper_head(s))
			n = s->head_n < HEAD_MAX ? -2 : 0;
	} else {
		n = recv(s->fd, drain, s->chunked ||
			 s->left > sizeof(drain) ? sizeof(drain) : s->left, MSG_DONTWAIT);
		if (n > 0)
			scraper_body(s, drain, (size_t)n);
	}
	if (n == 0 || (n == -1 && errno != EAGAIN)) {
		fprintf(stderr, "load: the server closed a connection\n");
		exit(1);
	}
	if (!s->in_body || s->left || !s->busy)
		return false;
	scraper_done(s);
	return true;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static double percentile(double p)
{
	return n_latency ? latency[(size_t)(p * (double)(n_latency - 1))] / 1000.0 : 0;
}

/* Asks on idle connections for every request that is due; returns how long to wait for the next,
 * ns. */
static int64_t ask_due(unsigned n, double rate, int64_t begin, size_t *asked)
{
	static unsigned turn;
	int64_t now = bench_clock(CLOCK_MONOTONIC), at;

	for (unsigned tried = 0; tried < n; tried++) {
		struct scraper *s = &scrapers[turn];

		at = begin + (int64_t)((double)*asked / rate * 1e9);
		if (at > now)
			return at - now;
		turn = (turn + 1) % n;
		if (!s->busy) {
			scraper_ask(s, at);
			++*asked;
		}
	}
	return 1000000;
}

int main(int argc, char **argv)
{
	static struct epoll_event events[CONNECTIONS_MAX];
	unsigned n = argc == 7 ? (unsigned)atoi(argv[3]) : 0;
	double rate;
	int64_t begin, end, now;
	size_t asked = 0;
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (n < 1 || n > CONNECTIONS_MAX || epoll < 0) {
		fprintf(stderr, "usage: load PORT PATH CONNECTIONS SECONDS RATE CPU\n");
		return 64;
	}
	rate = atof(argv[5]);
	bench_place(atoi(argv[6]), 0);
	request_n = (size_t)snprintf(request, sizeof(request),
				     "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", argv[2]);
	for (unsigned i = 0; i < n; i++) {
		struct epoll_event e = { .events = EPOLLIN, .data.u32 = i };

		if (scraper_connect(&scrapers[i], atoi(argv[1])) < 0 ||
		    epoll_ctl(epoll, EPOLL_CTL_ADD, scrapers[i].fd, &e) < 0)
			return bench_fail("connect");
	}
	begin = now = bench_clock(CLOCK_MONOTONIC);
	end = begin + (int64_t)(atof(argv[4]) * 1e9);
	for (unsigned i = 0; rate <= 0 && i < n; i++)
		scraper_ask(&scrapers[i], now);
	while ((now = bench_clock(CLOCK_MONOTONIC)) < end) {
		int64_t wait = rate > 0 ? ask_due(n, rate, begin, &asked) : 100000000;
		int k = epoll_pwait2(epoll, events, CONNECTIONS_MAX,
				     &(struct timespec){ 0, wait < end - now ? wait : end - now },
				     NULL);

		for (int i = 0; i < k; i++) {
			struct scraper *s = &scrapers[events[i].data.u32];

			if (scraper_receive(s) && rate <= 0)
				scraper_ask(s, bench_clock(CLOCK_MONOTONIC));
		}
	}
	qsort(latency, n_latency, sizeof(latency[0]), by_size);
	printf("%zu %.6f %zu %zu %.1f %.1f %.1f\n", n_requests, (double)(now - begin) / 1e9,
	       body_bytes, n_errors, percentile(0.5),
	       percentile(0.99), percentile(1));
	return 0;
}
