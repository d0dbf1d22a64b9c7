/* SPDX-License-Identifier: MIT
 *
 * Owns:  the spawner's two ends: ask() here, spawner_run() there; the one message between them.
 *
 *	uncored                     spawner                     spawner, younger
 *	   | message, descriptors      |
 *	   |-------------------------->| clone(CLONE_PARENT)
 *	   |                           |-------------------------->|
 *	   |                           | executes the program:     |
 *	   |                           | uncored's child, its pid  |
 *	   |                           | is known from before      |
 *	   | message, with its own pid in `next`                   |
 *	   |<------------------------------------------------------|
 *	   |                                                       | waits for the next message
 *
 * If there can be no younger one, the spawner answers itself, with -errno in `next`, and stays. The
 * younger one answers before it takes another message, so that answers come in the order of the
 * requests. uncored counts these: an answer that comes after a second, too late, is known by its
 * number, and what was started for it is ended.
 */
#include "children/spawner.h"

#include "base/bits.h"
#include "base/cleanup.h"
#include "base/command.h"
#include "process/confine.h"
#include "process/exit_code.h"
#include "process/log.h"
#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 1000,
	RETRY_MS = 100,
	/* descriptors of the spawner, above those of a program */
	SPAWNER_SOCK = 5, SPAWNER_FILES, SPAWNER_END = SPAWNER_FILES + PROGRAMS,
};

struct message {
	unsigned number;                /* of the request */
	enum program program;
	char engine[SPAWN_ENGINE];      /* of the check */
	pid_t next;                     /* in the answer: the next spawner, or -errno */
};

static const char *const names[] = { "uncored-http", "uncored-http", "uncored" };
static const char *const titles[] = { "the http process", "the http process",
				      "the process that checks the configuration" };
static int files[PROGRAMS] = { -1, -1, -1 };
/* Of uncored-http without TLS: GnuTLS stays as it was loaded, which spares 0.9 MB (http/tls.c). */
static char **environment;
static struct { int sock; pid_t pid; } spawner = { -1, 0 };
/* In the spawner: what the check is executed with. */
static char **check_argv, check_option[sizeof(CHECK_OPTION) + SPAWN_ENGINE];

/* A file to be executed, above the descriptors that its process gets. */
static int open_above(const char *path)
{
	AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);
	int above;

	if (fd < 0)
		return -errno;
	above = fcntl(fd, F_DUPFD_CLOEXEC, SPAWNER_END);
	if (above >= 0)
		return above;
	return errno == EINVAL ? -EMFILE : -errno;      /* beyond the limit */
}

static const char *advice(int r, const char *if_it_is_not_there)
{
	return r == -EMFILE ? "raise LimitNOFILE= in the unit, or ulimit -n" : if_it_is_not_there;
}

static int make_environment(struct err *err)
{
	size_t n = 0;

	while (environ[n])
		n++;
	environment = calloc(n + 2, sizeof(*environment));
	if (!environment)
		return err_set(err, -ENOMEM, "out of memory");
	environment[0] = (char *)"GNUTLS_NO_IMPLICIT_INIT=1";
	memcpy(environment + 1, environ, n * sizeof(*environ));
	return 0;
}

/* All of them, or none. */
static int files_open(struct err *err)
{
	AUTO_FD int own = -1;
	char path[PATH_MAX];
	int http, r;

	if (files[PROGRAM_CHECK] >= 0)
		return 0;
	if (!environment) {
		r = make_environment(err);
		if (r < 0)
			return r;
	}
	own = open_above("/proc/self/exe");
	if (own < 0)
		return err_set(err, own, "cannot open /proc/self/exe: %s; %s", strerror(-own),
			       advice(own, "is /proc mounted?"));
	command_find_ours(names[PROGRAM_HTTP], UNCORED_LIBEXEC, path);
	http = open_above(path);
	if (http < 0)
		return err_set(err, http, "cannot open %s, which serves HTTP: %s; %s", path,
			       strerror(-http), advice(http, "reinstall uncored"));
	files[PROGRAM_HTTP] = files[PROGRAM_HTTPS] = http;
	files[PROGRAM_CHECK] = TAKE_FD(own);
	return 0;
}

static _Noreturn void cannot_execute(enum program program)
{
	log_msg(LOG_ERR, "cannot execute %s: %s", names[program], strerror(errno));
	_exit(EXIT_TEMPFAIL);
}

/* Executes the program in this process, with these descriptors and no others. */
static _Noreturn void become(enum program program, const int *fds, unsigned n)
{
	char *http[] = { (char *)names[PROGRAM_HTTP], NULL };
	char **argv = program == PROGRAM_CHECK ? check_argv : http;
	char **env = program == PROGRAM_HTTP ? environment : environ;
	int file = (int)n;
	sigset_t none;

	for (int i = 0; i < (int)n; i++) {
		if (dup2(fds[i], i) < 0)
			cannot_execute(program);
		fcntl(i, F_SETFD, 0);           /* it may have been there already */
	}
	if (dup3(files[program], file, O_CLOEXEC) < 0)
		cannot_execute(program);
	closefrom(file + 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execveat(file, "", argv, env, AT_EMPTY_PATH);
	cannot_execute(program);
}

/* A child of uncored, as its spawner is. */
static pid_t fork_sibling(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	return pid < 0 ? -errno : pid;
}

/* It ends with its parent, when the socket does, and by no signal that others handle. The next one
 * answers before it takes a request, so that answers come in their order. */
static _Noreturn void spawner_run(void)
{
	struct message q;
	int fds[SPAWN_FDS], n;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* else whoever takes over uncored, the same user, writes to this memory */
		prctl(PR_SET_DUMPABLE, 0);
		prctl(PR_SET_NAME, "uncored-spawner");
		n = wire_receive(SPAWNER_SOCK, &q, sizeof(q), fds, SPAWN_FDS, 0);
		if (n < 0) {            /* the end, or want of memory: then the next may come */
			struct pollfd end = { .fd = SPAWNER_SOCK };

			if (poll(&end, 1, RETRY_MS) > 0)
				_exit(0);
			continue;
		}
		snprintf(check_option, sizeof(check_option), CHECK_OPTION "%.*s",
			 SPAWN_ENGINE - 1, q.engine);
		q.next = fork_sibling();
		if (q.next > 0)
			become(q.program, fds, (unsigned)n);
		if (!q.next)
			q.next = getpid();
		send(SPAWNER_SOCK, &q, sizeof(q), MSG_NOSIGNAL);
		for (int i = 0; i < n; i++)
			close(fds[i]);
	}
}

static int check_arguments(char **args, unsigned n)
{
	check_argv = calloc(n + 3UL, sizeof(*check_argv));
	if (!check_argv)
		return -ENOMEM;
	check_argv[0] = (char *)"uncored-check";
	check_argv[1] = check_option;
	memcpy(check_argv + 2, args, n * sizeof(*args));
	return 0;
}

int spawner_begin(char **args, unsigned n_args, struct err *err)
{
	int sv[2], r = files_open(err);

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(err, -errno, "cannot create a socket pair: %s", strerror(errno));
	spawner.pid = fork();
	if (!spawner.pid) {
		int above = fcntl(sv[1], F_DUPFD, SPAWNER_END);

		for (int i = 0; i < PROGRAMS; i++)
			files[i] = dup3(files[i], SPAWNER_FILES + i, O_CLOEXEC);
		if (dup3(above, SPAWNER_SOCK, O_CLOEXEC) < 0 || check_arguments(args, n_args) < 0)
			_exit(0);               /* who asks it hears that it has ended */
		close_range(STDERR_FILENO + 1, SPAWNER_SOCK - 1, 0);
		closefrom(SPAWNER_END);
		spawner_run();
	}
	if (spawner.pid < 0)
		r = err_set(err, -errno, "cannot start the spawner: %s", strerror(errno));
	close(sv[1]);
	spawner.sock = sv[0];
	return r < 0 ? r : confine_execution(err);
}

/* 0, or -errno. What it becomes late, for a request that had been given up, is thrown away. */
static int ask(enum program program, const char *engine, const int *fds, unsigned n, pid_t *ret)
{
	static unsigned number;
	struct message q = { .number = ++number, .program = program }, a = { 0 };
	int r, ignored;

	snprintf(q.engine, sizeof(q.engine), "%s", engine);
	r = wire_send(spawner.sock, &q, sizeof(q), fds, n);
	while (r >= 0 && a.number != number) {
		ssize_t got;

		poll(&(struct pollfd){ .fd = spawner.sock, .events = POLLIN }, 1, PATIENCE_MS);
		got = recv(spawner.sock, &a, sizeof(a), MSG_DONTWAIT);
		if (got <= 0)
			return got < 0 && errno == EAGAIN ? -ETIMEDOUT : -ENOTRECOVERABLE;
		if (a.next < 0) {
			r = a.number == number ? a.next : 0;
			continue;
		}
		*ret = spawner.pid;
		spawner.pid = a.next;
		if (a.number != number) {
			kill(*ret, SIGKILL);
			command_ended(*ret, true, &ignored);
		}
	}
	return r;
}

/* Its socket ends with it; the zombie that is left is taken away. */
bool spawner_up(void)
{
	struct pollfd end = { .fd = spawner.sock };
	static bool said;
	int code = 0;

	if (spawner.sock < 0 || poll(&end, 1, 0) <= 0 || !(end.revents & POLLHUP))
		return true;
	if (said)
		return false;
	said = true;
	command_ended(spawner.pid, false, &code);
	log_msg(LOG_ERR, "the spawner has ended (%s %d); counting continues, but reloads are "
		"refused, and if the http process ends, uncored ends with exit code %d; restart "
		"uncored", code > COMMAND_SIGNALLED ? "signal" : "exit code",
		code > COMMAND_SIGNALLED ? code - COMMAND_SIGNALLED : code, EXIT_TEMPFAIL);
	return false;
}

int spawner_start(enum program program, const char *engine, const int *fds, unsigned n, pid_t *ret,
		  struct err *err)
{
	const char *why;
	int r = files_open(err);

	if (r < 0)
		return r;
	if (spawner.sock >= 0) {
		r = ask(program, engine, fds, n, ret);
	} else {
		*ret = vfork();         /* nothing is copied: every reply waits for this program */
		if (!*ret)
			become(program, fds, n);
		r = *ret < 0 ? -errno : 0;
	}
	if (!r)
		return 0;
	why = strerror(-r);
	if (r == -ENOTRECOVERABLE)
		why = "the spawner has ended; restart uncored";
	else if (r == -ETIMEDOUT)
		why = "the spawner does not answer";
	return err_set(err, r, "cannot start %s: %s", titles[program], why);
}
