/* SPDX-License-Identifier: MIT
 * When the http process is started again, when it is killed, and what
 * ends the loop. The process is a stand-in that waits to be killed; time passes as the test
 * says. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "capture.h"
#include "children/socket_options.h"
#include "children/supervisor.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SECOND UINT64_C(1000000)

/* What stands in for http_process.c and for the handing over of a plan. */
static struct {
	unsigned started, ended, given, plans;
	int start, listeners, plan;     /* what these answer */
	int code;                       /* >= 0: the next one exits with it at once */
	bool beats;
} fake;

int http_process_start(bool tls, struct http_process *ret, struct err *err)
{
	int sv[2];
	pid_t pid;

	(void)tls;
	if (fake.start < 0)
		return err_set(err, fake.start, "it cannot be started");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
	pid = fork();
	if (!pid) {
		if (fake.code >= 0)
			_exit(fake.code);
		for (;;)
			pause();
	}
	close(sv[1]);
	fake.started++;
	*ret = (struct http_process){ pid, sv[0], HTTP_LOG_NONE };
	return 0;
}

int http_process_send_listeners(const struct http_process *child, int tls, const int *fds,
				unsigned n, struct err *err)
{
	(void)child, (void)fds, (void)n, (void)tls;
	fake.given++;
	return fake.listeners < 0 ? err_set(err, fake.listeners, "it takes no sockets") : 0;
}

int http_process_check(int tls, struct err *err)
{
	(void)tls;
	return err_set(err, -ENOSYS, "there are no certificates here");
}

bool http_process_beats(const struct http_process *child)
{
	(void)child;
	return fake.beats;
}

int http_process_end(struct http_process *c)
{
	fake.ended++;
	if (c->pid) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		close(c->sock);
	}
	*c = HTTP_PROCESS_NONE;
	return 0;
}

int shared_send(const struct shared *s, int sock)
{
	(void)s, (void)sock;
	fake.plans++;
	return fake.plan;
}

static struct listeners none;
static struct supervisor r;
static sd_event *event;

static int set_up(void **state)
{
	struct err err = { "" };
	sigset_t child;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.code = -1;
	fake.beats = true;
	r = (struct supervisor){ .tls.fd = -1, .listeners = &none };
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	return sd_event_new(&event) < 0 || http_process_start(false, &r.child, &err) < 0 ||
	       supervisor_watch(&r, event, &err) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	supervisor_end(&r);
	sd_event_unref(event);
	return 0;
}

/* The loop, until the process has ended and what comes of it was decided. */
static void until_it_ended(void)
{
	while (r.child.pid)
		assert_true(sd_event_run(event, UINT64_MAX) >= 0);
}

/* Is a start planned? */
static bool restarts(void)
{
	int on = SD_EVENT_OFF;

	return r.restart_timer && sd_event_source_get_enabled(r.restart_timer, &on) > 0;
}

/* Its next start: how long from now, in microseconds. */
static uint64_t delay(void)
{
	uint64_t now, then;

	assert_true(restarts());
	sd_event_now(event, CLOCK_MONOTONIC, &now);
	assert_true(sd_event_source_get_time(r.restart_timer, &then) >= 0);
	return then - now;
}

/* That moment is now. */
static void start_now(void)
{
	uint64_t now;

	sd_event_now(event, CLOCK_MONOTONIC, &now);
	assert_true(sd_event_source_set_time(r.restart_timer, now) >= 0);
	assert_true(sd_event_run(event, UINT64_MAX) > 0);
}

/* At once, then after 1, 2, 4, 4 s; each is said, but the sixth is not: what fails again and again
 * comes once a minute. */
static void test_back_off(void **state)
{
	static const struct { uint64_t seconds; const char *said; } rows[] = {
		{ 0, "(signal 9); counting continues, and it restarts at once\n" },
		{ 1, "(signal 9, 2 in a row); counting continues, and it restarts in 1 s\n" },
		{ 2, "(signal 9, 3 in a row); counting continues, and it restarts in 2 s\n" },
		{ 4, "" }, { 4, "" }, { 4, "" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *said;

		kill(r.child.pid, SIGKILL);
		capture_begin(STDERR_FILENO);
		until_it_ended();
		said = capture_end();
		if (*rows[i].said ? !strstr(said, rows[i].said) : *said)
			fail_msg("row %u: \"%s\"", i, said);
		assert_int_equal(delay(), rows[i].seconds * SECOND);
		start_now();
		assert_int_equal(fake.started, i + 2);
		assert_true(r.child.pid > 0);
	}
	/* each got its sockets and its plan */
	assert_int_equal(fake.given, 6);
	assert_int_equal(fake.plans, 6);
}

/* What goes on and on is said again once a minute: by its own clock, which is the sum of the times
 * that it waits. */
static void test_once_a_minute(void **state)
{
	uint64_t time = 0, said_at = 0;
	unsigned said = 0;

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		const char *text;

		kill(r.child.pid, SIGKILL);
		capture_begin(STDERR_FILENO);
		until_it_ended();
		text = capture_end();
		if (i > 2 && *text) {
			assert_non_null(strstr(text, " in a row); counting continues, and it "
						     "restarts in 4 s\n"));
			if (said++)
				assert_int_equal(time - said_at, 60 * SECOND);
			said_at = time;
		}
		time += delay();
		start_now();
	}
	assert_int_equal(said, 3);              /* in 191 s, without the first ones */
}

/* One that lived for more than a minute begins a new row; a minute does not do. */
static void test_a_new_row(void **state)
{
	static const struct { uint64_t lived, seconds; } rows[] = { { 59, 4 }, { 61, 0 } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t now;

		sd_event_now(event, CLOCK_MONOTONIC, &now);
		r.started = now - rows[i].lived * SECOND;
		r.fails = 5;
		kill(r.child.pid, SIGKILL);
		capture_begin(STDERR_FILENO);
		until_it_ended();
		capture_end();
		assert_int_equal(delay(), rows[i].seconds * SECOND);
		start_now();
	}
}

/* What cannot be started, or does not take what it needs, is tried again, later and later. */
static void test_a_start_that_fails(void **state)
{
	(void)state;
	kill(r.child.pid, SIGKILL);
	capture_begin(STDERR_FILENO);
	until_it_ended();
	fake.start = -EAGAIN;
	start_now();
	assert_non_null(strstr(capture_end(), "it cannot be started\n"));
	assert_int_equal(fake.started, 1);
	assert_int_equal(delay(), 1 * SECOND);

	fake.start = 0;
	fake.listeners = -EPIPE;
	capture_begin(STDERR_FILENO);
	start_now();
	assert_non_null(strstr(capture_end(), "it takes no sockets\n"));
	assert_int_equal(fake.ended, 1);
	assert_int_equal(r.child.pid, 0);
	assert_int_equal(delay(), 2 * SECOND);

	fake.listeners = 0;
	fake.plan = -EPIPE;
	capture_begin(STDERR_FILENO);
	start_now();
	capture_end();
	assert_int_equal(fake.ended, 2);
	assert_int_equal(delay(), 4 * SECOND);

	fake.plan = 0;
	start_now();
	assert_true(r.child.pid > 0);
}

/* No source of the event loop is made when the process has ended: the timer is the one that was
 * made at the start, so that there is a next time also where no memory is left just then. */
static void test_the_timer_is_there(void **state)
{
	sd_event_source *timer = r.restart_timer;

	(void)state;
	assert_non_null(timer);
	assert_false(restarts());
	kill(r.child.pid, SIGKILL);
	capture_begin(STDERR_FILENO);
	until_it_ended();
	capture_end();
	assert_true(restarts() && r.restart_timer == timer);
	start_now();
	assert_false(restarts());
}

/* Only before any has served, and only where it says that it failed: 127 is the loader's. */
static void first_one(int code, bool serves, bool ends, int exit_code)
{
	struct err err = { "" };
	const char *said;
	int ended_with;

	supervisor_end(&r);
	fake.code = code;
	fake.beats = serves;                    /* unread until its end is seen */
	r = (struct supervisor){ .tls.fd = -1, .listeners = &none };
	assert_int_equal(http_process_start(false, &r.child, &err), 0);
	assert_int_equal(supervisor_watch(&r, event, &err), 0);
	capture_begin(STDERR_FILENO);
	for (unsigned i = 0; i < 100 && sd_event_get_state(event) != SD_EVENT_FINISHED &&
	     !restarts(); i++)
		sd_event_run(event, UINT64_MAX);
	said = capture_end();
	assert_true((sd_event_get_state(event) == SD_EVENT_FINISHED) == ends);
	if (ends) {
		assert_true(sd_event_get_exit_code(event, &ended_with) >= 0);
		assert_int_equal(ended_with, exit_code);
		assert_non_null(strstr(said, "could not start"));
		r.child_end = sd_event_source_unref(r.child_end);
		sd_event_unref(event);
		assert_true(sd_event_new(&event) >= 0);
	} else {
		assert_non_null(strstr(said, "it restarts at once"));
	}
}

static void test_the_first_one(void **state)
{
	(void)state;
	first_one(0, false, false, 0);
}

/* An intruder in it chooses its exit code, and must not end what counts. */
static void test_the_first_one_that_has_served(void **state)
{
	static const int codes[] = { 1, 69, 77, 78, 127 };

	(void)state;
	for (size_t i = 0; i < COUNT(codes); i++)
		first_one(codes[i], true, false, 0);
}

/* Of those that come after it none ends what counts, either, though it has not served yet. */
static void test_one_that_comes_after_it(void **state)
{
	(void)state;
	kill(r.child.pid, SIGKILL);             /* what it has sent is seen at its end */
	capture_begin(STDERR_FILENO);
	until_it_ended();
	fake.beats = false;
	fake.code = 77;
	start_now();
	until_it_ended();
	assert_non_null(strstr(capture_end(), "(exit code 77, 2 in a row); counting continues"));
	assert_int_not_equal(sd_event_get_state(event), SD_EVENT_FINISHED);
	assert_int_equal(delay(), 1 * SECOND);
}

static void test_the_first_one_that_is_refused(void **state)
{
	(void)state;
	first_one(77, false, true, 77);
}

/* 69: it takes a person (uncored(8)). */
static void test_the_first_one_without_its_library(void **state)
{
	(void)state;
	first_one(127, false, true, 69);
}

/* So many microseconds after the last look. */
static void look_after(uint64_t usec)
{
	uint64_t now;

	sd_event_now(event, CLOCK_MONOTONIC, &now);
	r.checked_at = now - usec;
	supervisor_check_beat(&r);
}

/* Five seconds of silence that we were there for: a longer gap is our own standing still and counts
 * as one and a half. */
static void test_beats(void **state)
{
	(void)state;
	fake.beats = false;
	for (unsigned i = 0; i < 4; i++)
		look_after(SECOND);
	fake.beats = true;
	look_after(SECOND);                     /* all is forgotten */
	fake.beats = false;
	for (unsigned i = 0; i < 3; i++)
		look_after(3600 * SECOND);
	assert_int_equal(r.silent_for, 4 * SECOND + SECOND / 2);
	look_after(SECOND / 4);                 /* the clock goes on between the two looks */
	assert_false(r.killed);
	capture_begin(STDERR_FILENO);
	look_after(SECOND / 4);
	assert_non_null(strstr(capture_end(), "has not responded for 5 s; killing it\n"));
	assert_true(r.killed);
	capture_begin(STDERR_FILENO);
	until_it_ended();
	capture_end();
	assert_int_equal(delay(), 0);
	fake.beats = true;
	start_now();
	assert_false(r.killed);
	assert_int_equal(r.silent_for, 0);
}

/* One that beats, and has shut down what it listens on: loopback. */
static void test_shut_down(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct listeners l = { .n = 1, .from = LISTEN_PASSED };

	(void)state;
	l.fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(l.fds[0], (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(l.fds[0], 1), 0);
	l.options[0] = socket_options(l.fds[0]);
	r.listeners = &l;
	look_after(SECOND);
	assert_false(r.killed);
	assert_int_equal(shutdown(l.fds[0], SHUT_RDWR), 0);
	capture_begin(STDERR_FILENO);
	look_after(SECOND);
	assert_non_null(strstr(capture_end(), "closed its listening sockets; killing it\n"));
	assert_true(r.killed);
	capture_begin(STDERR_FILENO);
	until_it_ended();
	start_now();
	assert_non_null(strstr(capture_end(),
			       "closed or changed its listening sockets; reopening them\n"));
	look_after(SECOND);
	assert_false(r.killed);
	close(l.fds[0]);
	r.listeners = &none;
}

/* Who does not take another plan would show values that stand still. */
static void test_another_plan(void **state)
{
	struct shared one = { 0 }, two = { 0 };

	(void)state;
	supervisor_renew_plan(&r, &one);
	assert_ptr_equal(r.plan, &one);
	assert_int_equal(fake.plans, 1);
	fake.plan = -EPIPE;
	capture_begin(STDERR_FILENO);
	supervisor_renew_plan(&r, &two);
	until_it_ended();
	assert_non_null(strstr(capture_end(), "did not accept the plan"));
	fake.plan = 0;
	start_now();
	assert_ptr_equal(r.plan, &two);
	assert_int_equal(fake.plans, 3);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_back_off), T(test_once_a_minute), T(test_a_new_row),
		T(test_a_start_that_fails), T(test_the_timer_is_there),
		T(test_the_first_one), T(test_the_first_one_that_has_served),
		T(test_one_that_comes_after_it),
		T(test_the_first_one_that_is_refused),
		T(test_the_first_one_without_its_library), T(test_beats), T(test_shut_down),
		T(test_another_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
