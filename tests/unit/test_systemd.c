/* SPDX-License-Identifier: MIT
 * What uncored calls of libsystemd, as systemd's manual pages have it: sd_event_add_io(3) and its
 * siblings, sd_listen_fds(3), sd_is_socket(3), sd_watchdog_enabled(3). Linked twice: with
 * libsystemd, and with what takes its place in the image of a container.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "config.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

/* Microseconds; the last is for what would come at once or never. */
enum { SOON = 2000, LATE = 60000000, LATE_FOR_ONE = 10000000 };

/* What the handlers below saw, and what they do. */
static struct seen {
	sd_event *event;
	unsigned calls;
	int exits_at;                   /* the loop ends at this call, with code 7; 0: at none */
	int returns;
	uint64_t usec;
	uint32_t events;
	int number, status, code;
	pid_t pid;
} seen;

static int note(void)
{
	seen.calls++;
	if ((int)seen.calls == seen.exits_at)
		sd_event_exit(seen.event, 7);
	return seen.returns;
}

static int on_io(sd_event_source *s, int fd, uint32_t events, void *p)
{
	char byte;

	(void)s;
	assert_ptr_equal(p, &seen);
	seen.events = events;
	assert_true(read(fd, &byte, 1) >= 0);
	return note();
}

static int on_signal(sd_event_source *s, const struct signalfd_siginfo *si, void *p)
{
	(void)s, (void)p;
	seen.number = (int)si->ssi_signo;
	seen.pid = (pid_t)si->ssi_pid;
	return note();
}

static int on_child(sd_event_source *s, const siginfo_t *si, void *p)
{
	(void)s, (void)p;
	seen.pid = si->si_pid;
	seen.code = si->si_code;
	seen.status = si->si_status;
	return note();
}

static int on_time(sd_event_source *s, uint64_t usec, void *p)
{
	(void)s, (void)p;
	seen.usec = usec;
	return note();
}

static int on_last(sd_event_source *s, uint64_t usec, void *p)
{
	(void)s, (void)usec, (void)p;
	return sd_event_exit(seen.event, 9);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int set_up(void **state)
{
	sigset_t set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	seen = (struct seen){ .exits_at = 1 };
	return sd_event_new(&seen.event);
}

static int tear_down(void **state)
{
	(void)state;
	assert_null(sd_event_unref(seen.event));
	return 0;
}

/* Ends what a test waits for in vain; or, soon, what must not come. */
static void end_after(uint64_t usec)
{
	assert_true(sd_event_add_time_relative(seen.event, NULL, CLOCK_MONOTONIC, usec, 1, on_last,
					       NULL) >= 0);
}

static void test_exit(void **state)
{
	(void)state;
	end_after(LATE);
	assert_true(sd_event_exit(seen.event, 5) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 5);
}

static void test_now(void **state)
{
	uint64_t before = now(), is = 0, at = before + SOON;

	(void)state;
	assert_true(sd_event_now(seen.event, CLOCK_MONOTONIC, &is) > 0);        /* no round yet */
	assert_true(is >= before && is <= now());
	assert_true(sd_event_add_time(seen.event, NULL, CLOCK_MONOTONIC, at, 1, on_time,
				      NULL) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.usec, at);                /* for when it was, not when it came */
	assert_true(now() >= at);
}

/* Once, unless it is enabled again; with SD_EVENT_ON always, until it has another time. */
static void test_timer(void **state)
{
	sd_event_source *s = NULL;

	(void)state;
	seen.exits_at = 0;
	assert_true(sd_event_add_time(seen.event, &s, CLOCK_MONOTONIC, now(), 1, on_time,
				      NULL) >= 0);
	assert_true(sd_event_add_time(seen.event, NULL, CLOCK_MONOTONIC, UINT64_MAX, 1, on_time,
				      NULL) >= 0);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 1);
	assert_null(sd_event_source_unref(s));
}

static int again(sd_event_source *s, uint64_t usec, void *p)
{
	(void)p;
	note();
	assert_true(sd_event_source_set_time(s, usec + 100) >= 0);
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static void test_timer_again(void **state)
{
	sd_event_source *s = NULL;

	(void)state;
	seen.exits_at = 3;
	end_after(LATE);
	assert_true(sd_event_add_time(seen.event, &s, CLOCK_MONOTONIC, UINT64_MAX, 1, again,
				      NULL) >= 0);
	assert_true(sd_event_source_set_enabled(s, SD_EVENT_OFF) >= 0);
	assert_true(sd_event_source_set_time(s, now()) >= 0);
	assert_true(sd_event_source_set_enabled(s, SD_EVENT_ONESHOT) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_null(sd_event_source_unref(s));
}

static sd_event_source *due[2];

static int on_due(sd_event_source *s, uint64_t usec, void *p)
{
	(void)usec, (void)p;
	assert_true(sd_event_source_set_time(due[due[0] == s], now() + LATE) >= 0);
	return note();
}

/* Of two that are due at once the first puts the other off. */
static void test_timer_put_off(void **state)
{
	uint64_t usec = now();

	(void)state;
	seen.exits_at = 0;
	for (unsigned i = 0; i < COUNT(due); i++)
		assert_true(sd_event_add_time(seen.event, &due[i], CLOCK_MONOTONIC, usec, 1,
					      on_due, NULL) >= 0);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 1);
	for (unsigned i = 0; i < COUNT(due); i++)
		assert_null(sd_event_source_unref(due[i]));
}

static void test_signal(void **state)
{
	(void)state;
	assert_true(sd_event_add_signal(seen.event, NULL, SIGUSR1, on_signal, NULL) >= 0);
	end_after(LATE);
	raise(SIGUSR1);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.number, SIGUSR1);
	assert_int_equal(seen.pid, getpid());
}

/* To the process and to its thread: these are two, and each is told. */
static void test_signal_twice(void **state)
{
	(void)state;
	seen.exits_at = 2;
	assert_true(sd_event_add_signal(seen.event, NULL, SIGUSR1, on_signal, NULL) >= 0);
	end_after(LATE_FOR_ONE);
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	raise(SIGUSR1);
	assert_int_equal(sd_event_loop(seen.event), 7);
}

/* Without a handler the loop ends, and what would be the handler's is its code. */
static void test_signal_ends(void **state)
{
	(void)state;
	assert_true(sd_event_add_signal(seen.event, NULL, SIGUSR1, on_signal, NULL) >= 0);
	assert_true(sd_event_add_signal(seen.event, NULL, SIGUSR2, NULL, (void *)3) >= 0);
	end_after(LATE);
	raise(SIGUSR2);
	assert_int_equal(sd_event_loop(seen.event), 3);
	assert_int_equal(seen.calls, 0);
}

static void test_signal_unblocked(void **state)
{
	(void)state;
	assert_int_equal(sd_event_add_signal(seen.event, NULL, SIGWINCH, on_signal, NULL), -EBUSY);
}

static pid_t child(int signal, int code)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (signal)
		kill(getpid(), signal);
	_exit(code);
}

static void ends(int line, bool before, int signal, int code)
{
	sd_event_source *s = NULL;
	pid_t pid = child(signal, code);
	siginfo_t si;

	assert_int_equal(set_up(NULL), 0);
	if (before)
		assert_int_equal(waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
	assert_true(sd_event_add_child(seen.event, &s, pid, WEXITED, on_child, NULL) >= 0);
	end_after(LATE);
	if (sd_event_loop(seen.event) != 7 || seen.pid != pid ||
	    seen.code != (signal ? CLD_KILLED : CLD_EXITED) ||
	    seen.status != (signal ? signal : code))
		fail_msg("line %d: pid %d, code %d, status %d", line, (int)seen.pid, seen.code,
			 seen.status);
	/* it is no zombie any more */
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_null(sd_event_source_unref(s));
	sd_event_unref(seen.event);
}

static void test_child(void **state)
{
	(void)state;
	sd_event_unref(seen.event);
	ends(__LINE__, false, 0, 3);
	ends(__LINE__, true, 0, 0);
	ends(__LINE__, false, SIGKILL, 0);
	ends(__LINE__, true, SIGTERM, 0);
	assert_int_equal(set_up(NULL), 0);
}

/* The end of one of two; the other is heard of later, and what ends unwatched is nobody's. */
static void test_children(void **state)
{
	pid_t first = child(0, 1), none = child(0, 2), sleeper = fork();
	siginfo_t si;

	(void)state;
	if (!sleeper) {
		pause();
		_exit(0);
	}
	assert_true(sd_event_add_child(seen.event, NULL, sleeper, WEXITED, on_child, NULL) >= 0);
	assert_true(sd_event_add_child(seen.event, NULL, first, WEXITED, on_child, NULL) >= 0);
	assert_int_equal(waitid(P_PID, (id_t)none, &si, WEXITED | WNOWAIT), 0);
	end_after(LATE);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.pid, first);
	assert_int_equal(kill(sleeper, SIGKILL), 0);
	assert_int_equal(waitpid(sleeper, NULL, 0), sleeper);
	assert_int_equal(waitpid(none, NULL, WNOHANG), none);
}

static int watch_late(sd_event_source *s, uint64_t usec, void *p)
{
	const pid_t *pid = p;
	siginfo_t si;

	(void)s, (void)usec;
	assert_int_equal(waitid(P_PID, (id_t)*pid, &si, WEXITED | WNOWAIT), 0);
	assert_true(sd_event_add_child(seen.event, NULL, *pid, WEXITED, on_child, NULL) >= 0);
	end_after(LATE_FOR_ONE);
	return 0;
}

/* A child that ended before it was added, when its SIGCHLD had been read for another one. */
static void test_child_late(void **state)
{
	pid_t first = child(0, 1), late = child(0, 2);
	siginfo_t si;

	(void)state;
	seen.exits_at = 2;
	assert_int_equal(waitid(P_PID, (id_t)first, &si, WEXITED | WNOWAIT), 0);
	assert_int_equal(waitid(P_PID, (id_t)late, &si, WEXITED | WNOWAIT), 0);
	assert_true(sd_event_add_child(seen.event, NULL, first, WEXITED, on_child, NULL) >= 0);
	assert_true(sd_event_add_time_relative(seen.event, NULL, CLOCK_MONOTONIC, SOON, 1,
					       watch_late, &late) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.pid, late);
	assert_int_equal(waitpid(late, NULL, WNOHANG), -1);
}

static int linger(sd_event_source *s, uint64_t usec, void *p)
{
	uint64_t began = now(), is = 0;

	(void)s, (void)usec, (void)p;
	assert_int_equal(sd_event_now(seen.event, CLOCK_MONOTONIC, &is), 0);
	assert_true(is >= seen.usec && is <= began);
	while (now() < began + SOON)
		;
	seen.usec = now();
	return note();
}

/* Two are due, and the first takes its time: the second is not told the time before that. */
static void test_now_after_another(void **state)
{
	(void)state;
	seen.exits_at = 2;
	end_after(LATE);
	for (unsigned i = 0; i < 2; i++)
		assert_true(sd_event_add_time(seen.event, NULL, CLOCK_MONOTONIC, 1, 1, linger,
					      NULL) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 7);
}

/* Of a kind of source without a handler the loop ends, too. */
static void test_no_handler(void **state)
{
	sd_event_source *s = NULL;
	pid_t pid = child(0, 0);
	int p[2];

	(void)state;
	end_after(LATE);
	assert_true(sd_event_add_time(seen.event, NULL, CLOCK_MONOTONIC, 1, 1, NULL,
				      (void *)3) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 3);
	sd_event_unref(seen.event);

	assert_int_equal(set_up(NULL), 0);
	end_after(LATE);
	assert_true(sd_event_add_child(seen.event, NULL, pid, WEXITED, NULL, (void *)4) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 4);
	sd_event_unref(seen.event);

	assert_int_equal(set_up(NULL), 0);
	end_after(LATE);
	assert_int_equal(pipe2(p, O_CLOEXEC | O_NONBLOCK), 0);
	close(p[1]);
	assert_true(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, NULL, (void *)5) >= 0);
	assert_int_equal(sd_event_loop(seen.event), 5);
	assert_null(sd_event_source_unref(s));
	close(p[0]);
}

/* epoll(7) hears nothing of a descriptor that is closed. */
static void test_io_closed(void **state)
{
	sd_event_source *s = NULL;
	int p[2];

	(void)state;
	seen.exits_at = 0;
	assert_int_equal(pipe2(p, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, on_io, &seen) >= 0);
	close(p[1]);
	close(p[0]);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 0);
	assert_null(sd_event_source_unref(s));
}

static void test_io(void **state)
{
	sd_event_source *s = NULL;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, on_io, &seen) >= 0);
	end_after(LATE);
	seen.exits_at = 2;
	assert_int_equal(write(p[1], "ab", 2), 2);      /* it is called while there is more */
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.events, EPOLLIN);
	sd_event_unref(seen.event);

	assert_int_equal(set_up(NULL), 0);
	assert_true(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, on_io, &seen) >= 0);
	close(p[1]);
	end_after(LATE);
	assert_int_equal(sd_event_loop(seen.event), 7);
	assert_int_equal(seen.events, EPOLLHUP);
	assert_null(sd_event_source_unref(s));
	sd_event_unref(seen.event);

	assert_int_equal(set_up(NULL), 0);
	close(p[0]);
	assert_int_equal(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, on_io, &seen), -EBADF);
}

static int drop(sd_event_source *s, uint64_t usec, void *p)
{
	sd_event_source **which = p;

	(void)s, (void)usec;
	*which = sd_event_source_unref(*which);
	return note();
}

/* Two are due, and whichever is called first gives the other back: that one is not called. */
static void test_drops_another(void **state)
{
	sd_event_source *s[2];

	(void)state;
	seen.exits_at = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_true(sd_event_add_time(seen.event, &s[i], CLOCK_MONOTONIC, 1, 1, drop,
					      &s[!i]) >= 0);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 1);
	assert_true(!s[0] != !s[1]);
	assert_null(sd_event_source_unref(s[0] ? s[0] : s[1]));
}

static int drop_itself(sd_event_source *s, int fd, uint32_t events, void *p)
{
	(void)fd, (void)events, (void)p;
	assert_null(sd_event_source_unref(s));
	return note();
}

/* There would be more to read. */
static void test_drops_itself(void **state)
{
	sd_event_source *s;
	int p[2];

	(void)state;
	seen.exits_at = 0;
	assert_int_equal(pipe2(p, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write(p[1], "ab", 2), 2);
	assert_true(sd_event_add_io(seen.event, &s, p[0], EPOLLIN, drop_itself, NULL) >= 0);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 1);
	close(p[0]);
	close(p[1]);
}

/* A source whose handler fails is off; the loop goes on. */
static void test_failing(void **state)
{
	int p[2];

	(void)state;
	seen.exits_at = 0;
	seen.returns = -EIO;
	assert_int_equal(pipe2(p, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(write(p[1], "ab", 2), 2);
	assert_true(sd_event_add_io(seen.event, NULL, p[0], EPOLLIN, on_io, &seen) >= 0);
	end_after(SOON);
	assert_int_equal(sd_event_loop(seen.event), 9);
	assert_int_equal(seen.calls, 1);
	close(p[0]);
	close(p[1]);
}

static void test_is_socket(void **state)
{
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), heard = socket(AF_UNIX, SOCK_STREAM, 0);
	const struct { int line, fd, family, type, listening, is; } rows[] = {
		{ __LINE__, tcp, AF_UNSPEC, 0, -1, 1 },
		{ __LINE__, tcp, AF_INET, SOCK_STREAM, 0, 1 },
		{ __LINE__, tcp, AF_INET6, SOCK_STREAM, 0, 0 },
		{ __LINE__, tcp, AF_UNSPEC, SOCK_STREAM, 1, 0 },
		{ __LINE__, udp, AF_UNSPEC, SOCK_STREAM, -1, 0 },
		{ __LINE__, udp, AF_UNSPEC, SOCK_DGRAM, -1, 1 },
		{ __LINE__, heard, AF_UNIX, SOCK_STREAM, 1, 1 },
		{ __LINE__, heard, AF_UNSPEC, 0, 0, 0 },
		{ __LINE__, null, AF_UNSPEC, 0, -1, 0 },
		{ __LINE__, -1, AF_UNSPEC, 0, -1, -EBADF },
	};
	sa_family_t unnamed = AF_UNIX;          /* the kernel chooses the address */

	(void)state;
	assert_int_equal(bind(heard, (const struct sockaddr *)&unnamed, sizeof(unnamed)), 0);
	assert_int_equal(listen(heard, 1), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int is = sd_is_socket(rows[i].fd, rows[i].family, rows[i].type, rows[i].listening);

		if (is != rows[i].is)
			fail_msg("line %d: %d", rows[i].line, is);
	}
	close(tcp);
	close(udp);
	close(heard);
	close(null);
}

static void say(const char *name, const char *text)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (text)
		setenv(name, strcmp(text, "us") == 0 ? pid : text, 1);
	else
		unsetenv(name);
}

/* Descriptor 3 is passed. */
static void test_listen_fds(void **state)
{
	static const struct { int line; const char *pid, *n; int is; } rows[] = {
		{ __LINE__, NULL, NULL, 0 },
		{ __LINE__, NULL, "2", 0 },
		{ __LINE__, "1", "2", 0 },
		{ __LINE__, "us", NULL, 0 },
		{ __LINE__, "us", "two", -EINVAL },
		{ __LINE__, "us", "0", -EINVAL },
		{ __LINE__, "us", "-1", -EINVAL },
		{ __LINE__, "us", "1", 1 },
		{ __LINE__, "x", "1", -EINVAL },
	};
	int null = open("/dev/null", O_RDONLY);

	(void)state;
	assert_true(fcntl(null, F_DUPFD, SD_LISTEN_FDS_START) >= 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		int is;

		say("LISTEN_PID", rows[i].pid);
		say("LISTEN_FDS", rows[i].n);
		is = sd_listen_fds(1);
		if (is != rows[i].is || getenv("LISTEN_FDS") || getenv("LISTEN_PID"))
			fail_msg("line %d: %d", rows[i].line, is);
	}
	assert_int_equal(fcntl(SD_LISTEN_FDS_START, F_GETFD), FD_CLOEXEC);
}

static void test_watchdog_enabled(void **state)
{
	static const struct { int line; const char *usec, *pid; int is; } rows[] = {
		{ __LINE__, NULL, NULL, 0 },
		{ __LINE__, NULL, "us", 0 },
		{ __LINE__, "30000000", NULL, 1 },
		{ __LINE__, "30000000", "us", 1 },
		{ __LINE__, "30000000", "1", 0 },
		{ __LINE__, "0", "us", -EINVAL },
		{ __LINE__, "soon", "us", -EINVAL },
		{ __LINE__, "18446744073709551615", "us", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t usec = 0;
		int is;

		say("WATCHDOG_USEC", rows[i].usec);
		say("WATCHDOG_PID", rows[i].pid);
		is = sd_watchdog_enabled(0, &usec);
		if ((is > 0) != (rows[i].is > 0) || (is <= 0 && is != rows[i].is) ||
		    usec != (is > 0 ? 30000000 : 0))
			fail_msg("line %d: %d", rows[i].line, is);
	}
	say("WATCHDOG_USEC", "30000000");
	say("WATCHDOG_PID", NULL);
	assert_true(sd_watchdog_enabled(1, NULL) > 0);
	assert_null(getenv("WATCHDOG_USEC"));
}

#define LOOP(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		LOOP(test_exit), LOOP(test_now), LOOP(test_timer), LOOP(test_timer_again),
		LOOP(test_timer_put_off),
		LOOP(test_signal), LOOP(test_signal_ends), LOOP(test_signal_unblocked),
		LOOP(test_signal_twice),
		LOOP(test_child), LOOP(test_children), LOOP(test_child_late), LOOP(test_io),
		LOOP(test_io_closed), LOOP(test_no_handler), LOOP(test_now_after_another),
		LOOP(test_drops_another), LOOP(test_drops_itself), LOOP(test_failing),
		cmocka_unit_test(test_is_socket), cmocka_unit_test(test_listen_fds),
		cmocka_unit_test(test_watchdog_enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
