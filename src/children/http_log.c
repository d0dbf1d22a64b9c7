/* SPDX-License-Identifier: MIT */
#include "children/http_log.h"

#include "base/clock.h"
#include "process/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static struct {
	nsec until;                 /* lines have been granted up to then; 0: none was yet */
	unsigned lines;             /* that may still be logged */
	bool said;                  /* that some were left out, since there were none */
} grant;

int http_log_open(struct http_log *ret, int *ret_writer, struct err *err)
{
	int fds[2];

	*ret = HTTP_LOG_NONE;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, -errno, "cannot create a pipe: %s", strerror(errno));
	/* the writer's end may block: that is its matter */
	if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
		close(fds[0]);
		close(fds[1]);
		return err_set(err, -EIO, "cannot read from a pipe without waiting");
	}
	ret->fd = fds[0];
	*ret_writer = fds[1];
	return 0;
}

static void grant_lines(void)
{
	nsec now = clock_read(CLOCK_MONOTONIC);
	nsec seconds = (now - grant.until) / NSEC_PER_SEC;

	if (!grant.until || seconds >= HTTP_LOG_LINES - (nsec)grant.lines) {
		grant.until = now;
		grant.lines = HTTP_LOG_LINES;
	} else {
		grant.until += seconds * NSEC_PER_SEC;
		grant.lines += (unsigned)seconds;
	}
	if (grant.lines)
		grant.said = false;
}

/* A line with its priority, as log_to_parent() has them written; any other is of the loader, of a
 * library, or of an intruder. */
static void log_line(const char *bytes, size_t n)
{
	char line[HTTP_LOG_LINE + 1];
	int priority = LOG_WARNING;

	if (n > 2 && bytes[0] == '<' && bytes[1] >= '0' + LOG_ERR &&
	    bytes[1] <= '0' + LOG_DEBUG && bytes[2] == '>') {
		priority = bytes[1] - '0';
		bytes += 3;
		n -= 3;
	}
	for (size_t i = 0; i < n; i++)
		line[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
	line[n] = '\0';
	if (n)
		log_msg(priority, "uncored-http: %s", line);
}

/* Logs the first line of those that were read. all: also one without an end. False: there is
 * none. */
static bool take_line(struct http_log *l, bool all)
{
	const char *end = memchr(l->bytes, '\n', l->n);
	unsigned n = end ? (unsigned)(end - l->bytes) : l->n, took = end ? n + 1 : n;

	if (!took || (!end && !all && l->n < sizeof(l->bytes)))
		return false;
	log_line(l->bytes, n);
	grant.lines--;
	memmove(l->bytes, l->bytes + took, l->n - took);
	l->n -= took;
	return true;
}

static bool read_more(struct http_log *l)
{
	ssize_t n = l->n < sizeof(l->bytes) ?
		    read(l->fd, l->bytes + l->n, sizeof(l->bytes) - l->n) : 0;

	l->n += n > 0 ? (unsigned)n : 0;
	return n > 0;
}

void http_log_relay(struct http_log *l)
{
	if (l->fd < 0)
		return;
	grant_lines();
	while (grant.lines && (take_line(l, false) || read_more(l)))
		;
}

void http_log_close(struct http_log *l)
{
	if (l->fd < 0)
		return;
	http_log_relay(l);
	if (grant.lines) {
		take_line(l, true);
	} else if ((l->n || read_more(l)) && !grant.said) {
		log_msg(LOG_WARNING, "uncored-http: more was left out: it wrote more than %d "
			"lines, and then one a second", HTTP_LOG_LINES);
		grant.said = true;
	}
	close(l->fd);
	*l = HTTP_LOG_NONE;
}
