/* SPDX-License-Identifier: MIT */
#include "daemon/http_process.h"

#include "process/exit_code.h"
#include "process/layout_hash.h"
#include "process/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	END_PATIENCE_MS = 500,
	CHECK_PATIENCE_MS = 5000,
	BEATS_AT_ONCE = 16,                 /* an intruder in the child may send without end */
};

#define PROGRAM "uncored-http"

/* Opens uncored-http: beside this program, as in a build tree, or where it is installed. Once, so
 * that all are of this build. The descriptor is above those of the new process. */
static int program_open(struct err *err)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(PROGRAM));
	int fd = -1, above = -1;

	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n > 0) {
		memcpy(path + n, PROGRAM, sizeof(PROGRAM));
		fd = open(path, O_PATH | O_CLOEXEC);
	}
	if (fd < 0)
		fd = open(UNCORED_LIBEXEC "/" PROGRAM, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		above = fcntl(fd, F_DUPFD_CLOEXEC, WIRE_PROGRAM_FD + 1);
		close(fd);
	}
	return above >= 0 ? above :
	       err_set(err, -errno, "cannot open " UNCORED_LIBEXEC "/" PROGRAM ", which serves "
		       "what is counted: %s; install it with uncored", strerror(errno));
}

int process_spawn(const char *path, char **argv, int first, const int *fds, unsigned n, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int r = 0;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawn_file_actions_init(&actions);
	for (unsigned i = 0; i < n && !r; i++)
		r = posix_spawn_file_actions_adddup2(&actions, fds[i], first + (int)i);
	if (!r)
		r = posix_spawn_file_actions_addclosefrom_np(&actions, first + (int)n);
	if (!r)
		r = posix_spawn(pid, path, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

/* Some kernels leave a new process on its parent's CPU until they balance, 4 ms later, and both are
 * busy now. Afterwards it may run where it could before. */
static void move_to_other_cpu(pid_t pid)
{
	int here = sched_getcpu();
	cpu_set_t all, others;

	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(pid, sizeof(all), &all) < 0)
		return;
	others = all;
	CPU_CLR(here, &others);
	if (CPU_COUNT(&others) && sched_setaffinity(pid, sizeof(others), &others) == 0)
		sched_setaffinity(pid, sizeof(all), &all);
}

int http_process_start(struct http_process *ret, struct err *err)
{
	char *argv[] = { (char *)PROGRAM, NULL }, path[32];
	static int program = -1;
	int sv[2], r;
	pid_t pid;

	if (program < 0)
		program = program_open(err);
	if (program < 0)
		return program;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(err, -errno, "socketpair: %s", strerror(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", WIRE_PROGRAM_FD);
	r = process_spawn(path, argv, WIRE_FD, (int[]){ sv[1], program }, 2, &pid);
	close(sv[1]);
	if (r) {
		close(sv[0]);
		return err_set(err, -r, "cannot start the http process: %s%s", strerror(r),
			       r == ENOENT ? " (/proc/self/fd: is /proc mounted?)" : "");
	}
	move_to_other_cpu(pid);
	*ret = (struct http_process){ pid, sv[0] };
	return 0;
}

int http_process_send_listeners(const struct http_process *child, int tls, const int *fds,
				unsigned n, struct err *err)
{
	const uint64_t layout = LAYOUT_HASH;
	int all[WIRE_FDS_MAX] = { tls }, r;

	for (unsigned i = 0; i < n; i++)
		all[1 + i] = fds[i];
	r = wire_send(child->sock, &layout, sizeof(layout), all, 1 + n);
	return r < 0 ? err_set(err, r, "the http process does not take the listening sockets: %s",
			       strerror(-r)) : 0;
}

int http_process_check(int tls, struct err *err)
{
	struct http_process c;
	int status, r = http_process_start(&c, err);

	if (r < 0)
		return r;
	r = http_process_send_listeners(&c, tls, NULL, 0, err);
	poll(&(struct pollfd){ .fd = c.sock }, 1, CHECK_PATIENCE_MS);
	status = http_process_end(&c);
	if (r < 0 || !status)
		return r;
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CONFIG ? -EINVAL :
	       err_set(err, -EIO, "the process that checks certificate and key did not end well "
		       "(status %#x)", (unsigned)status);
}

bool http_process_beats(const struct http_process *child)
{
	bool beat = false;
	char byte;

	for (unsigned i = 0; i < BEATS_AT_ONCE && recv(child->sock, &byte, 1, MSG_DONTWAIT) > 0;
	     i++)
		beat = true;
	return beat;
}

/* It ends when its socket does. One that is stopped or hangs is killed. */
int http_process_end(struct http_process *c)
{
	struct pollfd end = { .fd = c->sock };
	int status = 0;

	if (c->sock >= 0) {
		shutdown(c->sock, SHUT_WR);
		if (poll(&end, 1, END_PATIENCE_MS) == 0)
			kill(c->pid, SIGKILL);
		close(c->sock);
	}
	if (c->pid)
		waitpid(c->pid, &status, 0);
	*c = HTTP_PROCESS_NONE;
	return status;
}
