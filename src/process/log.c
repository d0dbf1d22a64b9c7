/* SPDX-License-Identifier: MIT
 * Lines for the journal or stderr; see log.h.
 * Owns:  where lines go, and that no reader of them can stop the program.
 * Never: what is worth a line.
 *
 * A wait for a reader would stop the main loop, its watchdog, reload and end. Other processes share
 * standard error, so that it cannot get O_NONBLOCK: a pipe or a terminal is opened again, a socket
 * gets MSG_DONTWAIT, and where neither works, poll() comes first. A file does not block.
 */
#include "process/log.h"

#include "base/bits.h"
#include "base/clock.h"
#include "base/name.h"
#include "process/exit_code.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	TEXT_MAX = 2048,
	PATIENCE_MS = 200,          /* for a slow reader; anew after one that was in time */
};

/* Of what follows: samplers print accesses. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int fd;                     /* standard error, or opened again without blocking */
	int journal;                /* a socket for datagrams; -1: messages go to fd */
	bool socket, poll_first;    /* fd is a socket; fd blocks, so that poll() comes first */
	bool to_parent;             /* a line begins with its priority, not with a name */
	bool partial_line;          /* the last line was written in part */
	int patience;               /* milliseconds */
	uint64_t lost_reported;       /* of `lost` */
} out = { .fd = STDERR_FILENO, .journal = -1, .patience = PATIENCE_MS };
static uint64_t lost;               /* lines, for ever */
static int level = LOG_INFO;

/* From LOG_ERR on, in syslog's order. */
static const char *const levels[] = { "err", "warning", "notice", "info", "debug" };

static bool is_ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, ms) > 0;
}

/* Waits until the reader has made room, or patience is at its end. */
static bool wait_for_room(int fd)
{
	nsec began = clock_read(CLOCK_MONOTONIC);
	bool ready = out.patience > 0 && is_ready(fd, out.patience);

	out.patience -= (int)((clock_read(CLOCK_MONOTONIC) - began) / NSEC_PER_MSEC) + 1;
	return ready;
}

static ssize_t write_some(const char *text, size_t n)
{
	if (out.socket)
		return send(out.fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (out.poll_first && !is_ready(out.fd, 0)) {
		errno = EAGAIN;
		return -1;
	}
	return write(out.fd, text, n);
}

/* Writes a line, newline included. False: it is lost, or its end. */
static bool write_line(const char *text, size_t n)
{
	if (out.partial_line && write_some("\n", 1) != 1)
		return false;
	out.partial_line = false;
	while (n) {
		ssize_t done = write_some(text, n);

		if (done > 0) {
			text += done;
			n -= (size_t)done;
			out.partial_line = n;
		} else if (done < 0 && errno == EAGAIN) {
			if (!wait_for_room(out.fd))
				return false;
		} else if (done == 0 || errno != EINTR) {
			return false;
		}
	}
	return true;
}

static const struct sockaddr_un journal = { .sun_family = AF_UNIX,
					    .sun_path = "/run/systemd/journal/socket" };

/* The journal's own protocol, systemd.io/JOURNAL_NATIVE_PROTOCOL: a datagram of fields, a line
 * each. */
static bool write_journal(int priority, int socket, const char *text)
{
	char fields[TEXT_MAX + 192], of[40] = "";
	int n;

	if (socket >= 0)
		snprintf(of, sizeof(of), "UNCORED_SOCKET=%d\n", socket);
	n = snprintf(fields, sizeof(fields), "MESSAGE=%s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=uncored\n"
		     "DOCUMENTATION=man:uncored(8)\n%s", text, priority, of);
	/* By its name: the journal may have been started anew, and connect() is given up. */
	while (sendto(out.journal, fields, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL,
		      (const struct sockaddr *)&journal, sizeof(journal)) < 0)
		if (errno != EINTR && (errno != EAGAIN || !wait_for_room(out.journal)))
			return false;
	return true;
}

static bool put(int priority, int socket, const char *text)
{
	int before = out.patience, n;
	char line[TEXT_MAX + 16];
	bool complete;

	if (out.to_parent)
		n = snprintf(line, sizeof(line), "<%d>%s\n", priority, text);
	else
		n = snprintf(line, sizeof(line), "uncored: %s\n", text);
	if (out.journal >= 0)
		complete = write_journal(priority, socket, text);
	else
		complete = write_line(line, (size_t)n);
	if (complete && out.patience == before)
		out.patience = PATIENCE_MS;
	return complete;
}

/* Logs how many lines were lost. False: still nobody reads. */
static bool report_lost(void)
{
	uint64_t now = lost;
	char text[128];

	if (now == out.lost_reported)
		return true;
	snprintf(text, sizeof(text), "messages lost because nobody read the log: %" PRIu64,
		 now - out.lost_reported);
	if (!put(LOG_WARNING, -1, text))
		return false;
	out.lost_reported = now;
	return true;
}

void log_report_lost(void)
{
	pthread_mutex_lock(&lock);
	report_lost();
	pthread_mutex_unlock(&lock);
}

uint64_t log_lost(void)
{
	uint64_t n;

	pthread_mutex_lock(&lock);
	n = lost;
	pthread_mutex_unlock(&lock);
	return n;
}

static bool is_journal(const struct stat *st)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;

	return stream && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 && st->st_dev == dev &&
	       st->st_ino == ino;
}

/* It is connected, so that poll() waits for the journal's queue. */
static int journal_open(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&journal, sizeof(journal)) < 0)
		errno = 0;              /* it is not there yet */
	return fd;
}

void log_init(void)
{
	struct stat st;
	int fd;

	if (fstat(STDERR_FILENO, &st) < 0)
		return;
	out.socket = S_ISSOCK(st.st_mode);
	if (is_journal(&st))
		out.journal = journal_open();
	if (!S_ISFIFO(st.st_mode) && !isatty(STDERR_FILENO))
		return;
	fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		out.fd = fd;
	else
		out.poll_first = true;  /* a terminal of another user, or there is no /proc */
}

void log_to_parent(void)
{
	out.to_parent = true;
	level = LOG_DEBUG;              /* the parent knows which are wanted */
}

int log_set_level(const char *name)
{
	const char *const *known = NAME_FIND(levels, COUNT(levels), name);

	level = known ? LOG_ERR + (int)(known - levels) : level;
	return known ? 0 : -EINVAL;
}

bool log_shows(int priority)
{
	return priority <= level;
}

void log_socket(int priority, int socket, const char *fmt, ...)
{
	char text[TEXT_MAX];
	va_list ap;
	int n;

	if (!log_shows(priority))
		return;
	va_start(ap, fmt);
	n = socket < 0 ? 0 : snprintf(text, sizeof(text), "socket %d: ", socket);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	for (char *p = text; (p = strchr(p, '\n')); p++)
		*p = ' ';               /* or a name with one would look like two messages */
	pthread_mutex_lock(&lock);
	lost += !report_lost() || !put(priority, socket, text);
	pthread_mutex_unlock(&lock);
}

static ssize_t trace_write(void *cookie, const char *lines, size_t n)
{
	(void)cookie;
	pthread_mutex_lock(&lock);
	lost += !report_lost() || !write_line(lines, n);
	pthread_mutex_unlock(&lock);
	return (ssize_t)n;
}

FILE *log_trace(void)
{
	static FILE *trace;

	if (!trace)
		trace = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = trace_write });
	if (trace)
		setvbuf(trace, NULL, _IOLBF, 0);
	return trace;
}

void log_diags(int priority, const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		log_msg(priority, "%s", d->v[i]);
	if (d->dropped)
		log_msg(priority, "and %zu more", d->dropped);
}

int log_exit(int r, const struct err *err)
{
	log_msg(LOG_ERR, "%s", err->text);
	return exit_code_of(r);
}
