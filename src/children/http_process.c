/* SPDX-License-Identifier: MIT */
#include "children/http_process.h"

#include "base/cleanup.h"
#include "base/command.h"
#include "children/spawner.h"
#include "process/exit_code.h"
#include "process/layout_hash.h"
#include "process/wire.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	END_PATIENCE_MS = 500,
	CHECK_PATIENCE_MS = 5000,
	BEATS_AT_ONCE = 16,                 /* an intruder in the child may send without end */
};

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

int http_process_start(bool tls, struct http_process *ret, struct err *err)
{
	AUTO_DONE(http_log_close) struct http_log log = HTTP_LOG_NONE;
	AUTO_FD int ours = -1;
	AUTO_FD int its = -1;
	AUTO_FD int says = -1;
	int sv[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(err, -errno, "cannot create a socket pair: %s", strerror(errno));
	ours = sv[0];
	its = sv[1];
	r = http_log_open(&log, &says, err);
	if (r < 0)
		return r;
	/* the pipe is its standard input, too: nothing of ours is left to be read */
	r = spawner_start(tls ? PROGRAM_HTTPS : PROGRAM_HTTP, "",
			  (const int[]){ says, says, says, its }, 4, &pid, err);
	if (r < 0)
		return r;
	move_to_other_cpu(pid);
	*ret = (struct http_process){ pid, TAKE_FD(ours), log };
	log = HTTP_LOG_NONE;                    /* it is in *ret */
	return 0;
}

int http_process_send_listeners(const struct http_process *child, int tls, const int *fds,
				unsigned n, struct err *err)
{
	const uint64_t layout = LAYOUT_HASH;
	int all[WIRE_FDS_MAX], r;

	for (unsigned i = 0; i < n; i++)
		all[i] = fds[i];
	all[n] = tls;
	r = wire_send(child->sock, &layout, sizeof(layout), all, 1 + n);
	return r < 0 ? err_set(err, r, "the http process did not accept the listening sockets: %s",
			       strerror(-r)) : 0;
}

int http_process_check(int tls, struct err *err)
{
	struct http_process c;
	int code, r = http_process_start(true, &c, err);

	if (r < 0)
		return r;
	r = http_process_send_listeners(&c, tls, NULL, 0, err);
	poll(&(struct pollfd){ .fd = c.sock }, 1, CHECK_PATIENCE_MS);
	code = http_process_end(&c);
	if (r < 0 || !code)
		return r;
	if (code == EXIT_CONFIG)
		return -EINVAL;
	return err_set(err, -EIO, "the check of the certificate and key failed (exit code %d)",
		       code);
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
	int code = 0;

	if (c->sock >= 0) {
		shutdown(c->sock, SHUT_WR);
		if (poll(&end, 1, END_PATIENCE_MS) == 0)
			kill(c->pid, SIGKILL);
		close(c->sock);
	}
	if (c->pid)
		command_ended(c->pid, true, &code);
	http_log_close(&c->log);
	*c = HTTP_PROCESS_NONE;
	return code;
}
