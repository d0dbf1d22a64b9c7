/* SPDX-License-Identifier: MIT
 * systemd.c - what uncored calls of libsystemd, for the image of a container: sd-event(3) with
 * descriptors, signals, children and timers of CLOCK_MONOTONIC; sd_listen_fds(3),
 * sd_is_socket(3), sd_watchdog_enabled(3).
 *
 * Owns:  the loop's sources, and the descriptor of its signals.
 * Never: a thread; more than one loop in a process that waits for signals.
 * Main thread, but sd_watchdog_enabled(): any.
 *
 * libsystemd of Debian 12 loads five libraries that pack and encrypt its journal, and none of them
 * is for what uncored asks of it. What it takes here is what systemd's manual pages say; that it
 * does the same is tested by one program that is linked with either (test_systemd.c).
 */
#include "config.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <unistd.h>

enum kind { IO, SIGNAL, CHILD, TIME };

struct sd_event_source {
	sd_event *event;
	sd_event_source *next;
	enum kind kind;
	int enabled;                    /* SD_EVENT_OFF, _ON or _ONESHOT */
	bool dropped;                   /* nobody has it any more: freed between two rounds */
	bool due;
	void *userdata;
	int fd;                         /* IO */
	uint32_t asked, revents;
	int number;                     /* SIGNAL */
	struct signalfd_siginfo info;
	pid_t pid;                      /* CHILD */
	int options;
	uint64_t usec;                  /* TIME: when */
	union {                         /* NULL: the loop ends, and userdata is its code */
		sd_event_io_handler_t io;
		sd_event_signal_handler_t signal;
		sd_event_child_handler_t child;
		sd_event_time_handler_t time;
	} call;
};

struct sd_event {
	sd_event_source *sources;       /* newest first */
	struct pollfd *polled;          /* the signals, then the sources of kind IO */
	size_t n_polled, room;
	sigset_t signals;               /* that `fd` hears */
	int fd;                         /* -1: none yet */
	bool child_added;               /* since a round looked at children */
	uint64_t now;                   /* when this call, or this round, began; 0: none has */
	bool ends;
	int code;
};

static uint64_t now_usec(void)
{
	return (uint64_t)(clock_read(CLOCK_MONOTONIC) / NSEC_PER_USEC);
}

int sd_event_new(sd_event **ret)
{
	sd_event *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->fd = -1;
	sigemptyset(&e->signals);
	*ret = e;
	return 0;
}

static void free_dropped(sd_event *e)
{
	for (sd_event_source **at = &e->sources; *at;) {
		sd_event_source *s = *at;

		if (!s->dropped) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		free(s);
	}
}

sd_event *sd_event_unref(sd_event *e)
{
	if (!e)
		return NULL;
	for (sd_event_source *s = e->sources; s; s = s->next)
		s->dropped = true;
	free_dropped(e);
	if (e->fd >= 0)
		close(e->fd);
	free(e->polled);
	free(e);
	return NULL;
}

/* The caller's reference is the only one: the source is not called any more. */
sd_event_source *sd_event_source_unref(sd_event_source *s)
{
	if (s) {
		s->dropped = true;
		s->enabled = SD_EVENT_OFF;
	}
	return NULL;
}

int sd_event_now(sd_event *e, clockid_t clock, uint64_t *ret)
{
	if (clock != CLOCK_MONOTONIC)
		return -EOPNOTSUPP;
	*ret = e->now ? e->now : now_usec();
	return !e->now;
}

int sd_event_exit(sd_event *e, int code)
{
	e->ends = true;
	e->code = code;
	return 0;
}

/* ret: NULL if nobody wants it back: it lives as long as the loop. */
static int add(sd_event *e, sd_event_source **ret, const sd_event_source *what)
{
	sd_event_source *s = malloc(sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = *what;
	s->event = e;
	s->next = e->sources;
	e->sources = s;
	if (ret)
		*ret = s;
	return 0;
}

int sd_event_add_io(sd_event *e, sd_event_source **ret, int fd, uint32_t events,
		    sd_event_io_handler_t call, void *userdata)
{
	if (fcntl(fd, F_GETFD) < 0)
		return -errno;
	return add(e, ret, &(sd_event_source){ .kind = IO, .enabled = SD_EVENT_ON, .fd = fd,
		   .asked = events, .call.io = call, .userdata = userdata });
}

/* The signal has to be blocked, as of sd-event: else it would not wait to be read. */
static int hear(sd_event *e, int number)
{
	sigset_t blocked;
	int fd;

	if (sigprocmask(SIG_SETMASK, NULL, &blocked) < 0)
		return -errno;
	if (!sigismember(&blocked, number))
		return -EBUSY;
	sigaddset(&e->signals, number);
	fd = signalfd(e->fd, &e->signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	e->fd = fd;
	return 0;
}

int sd_event_add_signal(sd_event *e, sd_event_source **ret, int number,
			sd_event_signal_handler_t call, void *userdata)
{
	int r = hear(e, number);

	return r < 0 ? r : add(e, ret, &(sd_event_source){ .kind = SIGNAL, .enabled = SD_EVENT_ON,
			       .number = number, .call.signal = call, .userdata = userdata });
}

int sd_event_add_child(sd_event *e, sd_event_source **ret, pid_t pid, int options,
		       sd_event_child_handler_t call, void *userdata)
{
	int r = hear(e, SIGCHLD);

	e->child_added = true;          /* it may have ended, and its SIGCHLD have been read */
	return r < 0 ? r : add(e, ret, &(sd_event_source){ .kind = CHILD, .pid = pid,
			       .enabled = SD_EVENT_ONESHOT, .options = options,
			       .call.child = call, .userdata = userdata });
}

/* accuracy: it is called at the time itself, which is never later than that. */
int sd_event_add_time(sd_event *e, sd_event_source **ret, clockid_t clock, uint64_t usec,
		      uint64_t accuracy, sd_event_time_handler_t call, void *userdata)
{
	(void)accuracy;
	if (clock != CLOCK_MONOTONIC)
		return -EOPNOTSUPP;
	return add(e, ret, &(sd_event_source){ .kind = TIME, .enabled = SD_EVENT_ONESHOT,
		   .usec = usec, .call.time = call, .userdata = userdata });
}

int sd_event_add_time_relative(sd_event *e, sd_event_source **ret, clockid_t clock, uint64_t usec,
			       uint64_t accuracy, sd_event_time_handler_t call, void *userdata)
{
	uint64_t now = 0;
	int r = sd_event_now(e, clock, &now);

	if (r < 0)
		return r;
	return sd_event_add_time(e, ret, clock, now + usec, accuracy, call, userdata);
}

int sd_event_source_set_time(sd_event_source *s, uint64_t usec)
{
	if (s->kind != TIME)
		return -EDOM;
	s->usec = usec;
	s->due = false;
	return 0;
}

int sd_event_source_set_enabled(sd_event_source *s, int enabled)
{
	s->enabled = enabled;
	if (enabled == SD_EVENT_OFF)
		s->due = false;
	return 0;
}

/* ---- a round: wait, see what is due, call it */

static int list_polled(sd_event *e)
{
	struct pollfd *grown;
	size_t n = 1;

	for (const sd_event_source *s = e->sources; s; s = s->next)
		n++;
	if (n > e->room) {
		grown = reallocarray(e->polled, n, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		e->polled = grown;
		e->room = n;
	}
	e->polled[0] = (struct pollfd){ .fd = e->fd, .events = POLLIN };
	e->n_polled = 1;
	for (sd_event_source *s = e->sources; s; s = s->next)
		if (s->kind == IO && s->enabled != SD_EVENT_OFF)
			e->polled[e->n_polled++] = (struct pollfd){ .fd = s->fd,
				.events = (short)s->asked };
	return 0;
}

/* The next timer's time; UINT64_MAX: none. */
static uint64_t next_time(const sd_event *e)
{
	uint64_t next = UINT64_MAX;

	for (const sd_event_source *s = e->sources; s; s = s->next)
		if (s->kind == TIME && s->enabled != SD_EVENT_OFF && s->usec < next)
			next = s->usec;
	return next;
}

static int wait_for_something(sd_event *e)
{
	uint64_t next = e->child_added ? 0 : next_time(e), now = now_usec();
	uint64_t wait = next > now ? next - now : 0;
	struct timespec t = { .tv_sec = (time_t)(wait / 1000000),
			      .tv_nsec = (long)(wait % 1000000 * 1000) };

	if (ppoll(e->polled, e->n_polled, next == UINT64_MAX ? NULL : &t, NULL) < 0) {
		if (errno != EINTR)
			return -errno;
		for (size_t i = 0; i < e->n_polled; i++)
			e->polled[i].revents = 0;
	}
	e->now = now_usec();
	return 0;
}

/* One a round: of two of a kind, which the kernel keeps apart, each is told. */
static void take_signal(sd_event *e)
{
	struct signalfd_siginfo si;

	if (e->fd < 0 || read(e->fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	for (sd_event_source *s = e->sources; s; s = s->next)
		if (s->kind == SIGNAL && s->number == (int)si.ssi_signo &&
		    s->enabled != SD_EVENT_OFF) {
			s->info = si;
			s->due = true;
		}
}

/* Has it ended? It stays a zombie until it has been told. */
static bool child_ended(const sd_event_source *s, siginfo_t *ret)
{
	memset(ret, 0, sizeof(*ret));
	return waitid(P_PID, (id_t)s->pid, ret, WNOHANG | WNOWAIT | s->options) == 0 &&
	       ret->si_pid == s->pid;
}

static void see_what_is_due(sd_event *e)
{
	size_t polled = 1;
	siginfo_t si;

	take_signal(e);
	e->child_added = false;
	for (sd_event_source *s = e->sources; s; s = s->next) {
		if (s->enabled == SD_EVENT_OFF)
			continue;
		switch (s->kind) {
		case IO:
			s->revents = (uint32_t)e->polled[polled++].revents;
			s->due = s->revents;
			if (s->revents & POLLNVAL)      /* it was closed: epoll(7) forgets it */
				sd_event_source_set_enabled(s, SD_EVENT_OFF);
			break;
		case CHILD:
			s->due = child_ended(s, &si);
			break;
		case TIME:
			s->due = s->usec <= e->now;
			break;
		case SIGNAL:
			break;
		}
	}
}

/* What a source without a handler does. */
static int end_loop(const sd_event_source *s)
{
	return sd_event_exit(s->event, (int)(intptr_t)s->userdata);
}

static int call_child(sd_event_source *s)
{
	siginfo_t si;
	pid_t pid = s->pid;
	int r;

	if (!child_ended(s, &si))
		return 0;
	r = s->call.child ? s->call.child(s, &si, s->userdata) : end_loop(s);
	waitid(P_PID, (id_t)pid, &si, WNOHANG | WEXITED);
	return r;
}

static int call_source(sd_event_source *s)
{
	switch (s->kind) {
	case IO:
		return s->call.io ? s->call.io(s, s->fd, s->revents, s->userdata) : end_loop(s);
	case SIGNAL:
		return s->call.signal ? s->call.signal(s, &s->info, s->userdata) : end_loop(s);
	case CHILD:
		return call_child(s);
	case TIME:
		return s->call.time ? s->call.time(s, s->usec, s->userdata) : end_loop(s);
	}
	return 0;
}

/* What one call switches off is not called any more. Each has a time of its own, as in libsystemd,
 * where a round is one call: the one before may have taken long. */
static void call_what_is_due(sd_event *e)
{
	for (sd_event_source *s = e->sources; s && !e->ends; s = s->next) {
		if (!s->due || s->enabled == SD_EVENT_OFF)
			continue;
		s->due = false;
		e->now = now_usec();
		if (s->enabled == SD_EVENT_ONESHOT)
			s->enabled = SD_EVENT_OFF;
		if (call_source(s) < 0)
			s->enabled = SD_EVENT_OFF;
	}
}

int sd_event_loop(sd_event *e)
{
	while (!e->ends) {
		int r = list_polled(e);

		if (r < 0)
			return r;
		r = wait_for_something(e);
		if (r < 0)
			return r;
		see_what_is_due(e);
		call_what_is_due(e);
		free_dropped(e);
	}
	return e->code;
}

/* ---- sd-daemon(3) */

/* A number of the environment; -ENODATA: there is none, -EINVAL: it is no number. */
static int number_of(const char *name, uint64_t *ret)
{
	const char *said = getenv(name);
	char *end;

	if (!said)
		return -ENODATA;
	errno = 0;
	*ret = strtoumax(said, &end, 10);
	return *said < '0' || *said > '9' || *end || errno ? -EINVAL : 0;
}

/* Is what the manager said for this process, by its number? 0: for another, or for nobody. */
static int is_for_us(const char *name)
{
	uint64_t pid = 0;
	int r = number_of(name, &pid);

	return r < 0 ? r : pid == (uint64_t)getpid();
}

static int passed_fds(void)
{
	uint64_t n = 0;
	int r = is_for_us("LISTEN_PID");

	if (r <= 0)
		return r == -ENODATA ? 0 : r;
	r = number_of("LISTEN_FDS", &n);
	if (r < 0)
		return r == -ENODATA ? 0 : r;
	if (!n || n > INT16_MAX)
		return -EINVAL;
	for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + (int)n; fd++)
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
			return -errno;
	return (int)n;
}

int sd_listen_fds(int unset)
{
	int n = passed_fds();

	if (unset) {
		unsetenv("LISTEN_PID");
		unsetenv("LISTEN_FDS");
		unsetenv("LISTEN_FDNAMES");
	}
	return n;
}

static int option_is(int fd, int option, int wanted)
{
	socklen_t len = sizeof(int);
	int is = 0;

	if (getsockopt(fd, SOL_SOCKET, option, &is, &len) < 0)
		return errno == ENOTSOCK ? 0 : -errno;
	return is == wanted;
}

/* type 0, listening -1, AF_UNSPEC: any. */
int sd_is_socket(int fd, int family, int type, int listening)
{
	int r = 1, any = 0;
	socklen_t len = sizeof(any);

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &any, &len) < 0)
		return errno == ENOTSOCK ? 0 : -errno;
	if (family != AF_UNSPEC)
		r = option_is(fd, SO_DOMAIN, family);
	if (r > 0 && type)
		r = any == type;
	if (r > 0 && listening >= 0)
		r = option_is(fd, SO_ACCEPTCONN, listening > 0);
	return r;
}

static int watchdog(uint64_t *ret)
{
	uint64_t usec = 0;
	int r = number_of("WATCHDOG_USEC", &usec);

	if (r < 0)
		return r == -ENODATA ? 0 : r;
	if (!usec || usec == UINT64_MAX)
		return -EINVAL;
	r = is_for_us("WATCHDOG_PID");
	if (r <= 0 && r != -ENODATA)
		return r;                       /* without it: it is for whoever reads it */
	if (ret)
		*ret = usec;
	return 1;
}

int sd_watchdog_enabled(int unset, uint64_t *ret)
{
	int r = watchdog(ret);

	if (unset) {
		unsetenv("WATCHDOG_USEC");
		unsetenv("WATCHDOG_PID");
	}
	return r;
}
