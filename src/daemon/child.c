/* child.c - see child.h. */
#include "config.h"

#include "daemon/child.h"

#include "daemon/live.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/serve.h"
#include "daemon/shared.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	FD_SOCK = 3,                        /* in the child */
	CONNECTIONS = 256,
	LISTENERS = 16,                     /* of the stream */
	END_PATIENCE_MS = 500,
	BEATS_AT_ONCE = 16,                 /* a child that was taken over may send more than anybody can read */
};

struct server {
	struct shared *shared;
	struct serve serve;
	struct live live;
	struct http *http;
	nsec beat_at;
};

/* ------------------------------------------------------------------ the parent's side */

int child_exec(char **argv, int first, const int *fds, unsigned n, pid_t *pid)
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
		r = posix_spawn(pid, "/proc/self/exe", &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

/*
 * Both are busy now, and some kernels leave a new process on the CPU of its parent until they balance again, 4 ms later: it
 * is sent to another one, if it may run there, and then may run where it could before.
 */
static void child_spread(pid_t pid)
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

int child_start(struct child *ret, struct err *err)
{
	int sv[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(err, -errno, "socketpair: %s", strerror(errno));
	r = child_exec((char *[]){ (char *)"uncored: http", (char *)CHILD_OPTION, NULL }, FD_SOCK, &sv[1], 1, &pid);
	close(sv[1]);
	if (r) {
		close(sv[0]);
		return err_set(err, -r, "cannot start the http process: %s%s", strerror(r),
			       r == ENOENT ? " (/proc/self/exe: is /proc mounted?)" : "");
	}
	child_spread(pid);
	*ret = (struct child){ pid, sv[0] };
	return 0;
}

/* A message of one byte with descriptors. */
union fds_space {
	struct cmsghdr h;
	char space[CMSG_SPACE(OPTIONS_LISTEN_MAX * sizeof(int))];
};

int child_listen(const struct child *child, const int *fds, unsigned n, struct err *err)
{
	struct iovec iov = { (char *)"", 1 };
	union fds_space control = { 0 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	if (sendmsg(child->sock, &h, MSG_NOSIGNAL) < 0 && errno != EPIPE && errno != ECONNRESET)
		return err_set(err, -errno, "the http process does not take the listening sockets: %s", strerror(errno));
	return 0;
}

bool child_beats(const struct child *child)
{
	bool beat = false;
	char byte;

	for (unsigned i = 0; i < BEATS_AT_ONCE && recv(child->sock, &byte, 1, MSG_DONTWAIT) > 0; i++)
		beat = true;
	return beat;
}

/* It ends when nothing more can come from us, and its end of the socket with it; one that is stopped or hangs is not waited for. */
void child_end(struct child *c)
{
	struct pollfd end = { .fd = c->sock };

	if (c->sock >= 0) {
		shutdown(c->sock, SHUT_WR);
		if (poll(&end, 1, END_PATIENCE_MS) == 0)
			kill(c->pid, SIGKILL);
		close(c->sock);
	}
	if (c->pid)
		waitpid(c->pid, NULL, 0);
	*c = CHILD_NONE;
}

/* ------------------------------------------------------------------ the child's side */

static nsec child_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/*
 * The user `uncored`, or nobody. Both are made by the distribution, in the file: asking the name service would load its
 * modules, and wait for a directory in a network that is not there yet.
 */
static struct passwd child_user(void)
{
	struct passwd user = { .pw_uid = 65534, .pw_gid = 65534 };
	FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *pw;
	bool ours = false;

	while (f && !ours && (pw = fgetpwent(f))) {
		ours = strcmp(pw->pw_name, "uncored") == 0;
		if (ours || strcmp(pw->pw_name, "nobody") == 0)
			user = (struct passwd){ .pw_uid = pw->pw_uid, .pw_gid = pw->pw_gid };
	}
	if (f)
		fclose(f);
	return user;
}

int child_drop(struct err *err)
{
	struct passwd user;

	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user = child_user();
		if (capng_change_id((int)user.pw_uid, (int)user.pw_gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "this process cannot give up root: that takes CAP_SETUID, CAP_SETGID, CAP_SETPCAP, "
				       "and user %u in this user namespace; or start uncored as another user", user.pw_uid);
	} else if (capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "this process cannot give up its capabilities");
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* changing the user id cleared it */
	return 0;
}

/* A new plan: swap, then forget the old one. */
static int child_take(struct server *c)
{
	struct expo_renderer *renderer;
	struct shared *shared;
	int r = shared_receive(FD_SOCK, expo_blob_words, expo_blob_sockets, B_WORDS, &shared);

	if (r == -EAGAIN)
		return 0;
	if (r < 0)
		return r;
	r = expo_renderer_new(shared->blob, shared->blob_len, shared->rings, &shared->board, &renderer, NULL);
	if (r < 0) {
		shared_free(shared);
		return r;
	}
	serve_swap(&c->serve, renderer);
	http_names(c->http, shared->names, shared->names + strlen(shared->names) + 1);
	shared_free(c->shared);
	c->shared = shared;
	malloc_trim(0);
	return 0;
}

/* Once a second, and from the loop that serves: one that hangs is silent. A parent that does not read, as it is stopped or
 * has much to do, loses beats and nothing else. */
static void child_beat(struct server *c, nsec now)
{
	if (now < c->beat_at)
		return;
	c->beat_at = now + NSEC_PER_SEC;
	send(FD_SOCK, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int child_loop(struct server *c)
{
	struct pollfd p[2 + OPTIONS_LISTEN_MAX] = { { .fd = FD_SOCK, .events = POLLIN } };

	for (;;) {
		nsec now = child_now(), wait = http_timeout(c->http, now), live = live_timeout(&c->live, &c->serve, now);
		nfds_t n_fds = c->shared ? 1 + http_poll(c->http, p + 1) : 1;     /* who comes before the plan waits for it */
		int n;

		child_beat(c, now);
		if (wait < 0 || c->beat_at - now < wait)
			wait = c->beat_at - now;
		if (live >= 0 && live < wait)
			wait = live;
		n = poll(p, n_fds, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));

		if (n < 0 && errno != EINTR)
			return 0;               /* begins anew */
		if (n > 0 && p[0].revents && child_take(c) < 0)
			return 0;               /* the parent is gone: so are we */
		now = c->serve.now = child_now();
		live_run(&c->live, &c->serve, now);
		http_run(c->http, now, p + 1);
	}
}

/* Waits for child_listen(). Returns how many; 0: the parent is gone, or wants none any more. */
static unsigned child_listeners(int *fds)
{
	char byte;
	struct iovec iov = { &byte, 1 };
	union fds_space control = { 0 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
			    .msg_controllen = sizeof(control.space) };
	struct cmsghdr *c;
	ssize_t got;
	size_t bytes;

	while ((got = recvmsg(FD_SOCK, &h, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	c = got == 1 ? CMSG_FIRSTHDR(&h) : NULL;
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return 0;
	bytes = c->cmsg_len - CMSG_LEN(0);
	memcpy(fds, CMSG_DATA(c), bytes);
	return (unsigned)(bytes / sizeof(int));
}

/* Everything until it serves: 0, -EPIPE if the parent is gone, or another -errno with a sentence. */
static int child_begin(struct server *c, struct err *err)
{
	struct http_options o = { .connections = CONNECTIONS, .request_deadline = 10 * NSEC_PER_SEC,
				  .connection_deadline = 300 * NSEC_PER_SEC, .streams = LISTENERS,
				  .stream_deadline = 3600 * NSEC_PER_SEC, .handler = serve_handle, .knows = serve_knows,
				  .p = &c->serve };
	int fds[OPTIONS_LISTEN_MAX];
	int r = http_load(err);                 /* while the parent reads its configuration */

	if (r < 0)
		return r;
	o.fds = fds;
	o.n_fds = child_listeners(fds);
	if (!o.n_fds)
		return -EPIPE;
	r = http_new(&o, &c->http, err);
	c->serve.http = c->http;
	if (!r)
		r = child_drop(err);
	return r < 0 ? r : http_confine(err);
}

int child_main(void)
{
	struct server c = { 0 };
	struct rlimit files = { 1024, 1024 };
	struct err err = { "" };
	int code = 0, r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* a parent that is gone already has closed FD_SOCK */
	log_init();
	prctl(PR_SET_NAME, "uncored-http");
	fcntl(FD_SOCK, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);                /* the parent decides */
	signal(SIGQUIT, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	r = child_begin(&c, &err);
	if (r == 0) {
		code = child_loop(&c);
	} else if (r != -EPIPE) {
		log_msg(LOG_ERR, "%s", err.text);
		code = exit_code_of(r);
	}
	serve_swap(&c.serve, NULL);
	http_free(c.http);
	shared_free(c.shared);
	return code;
}
