/* child.c - see child.h. */
#include "config.h"

#include "daemon/child.h"

#include "base/num.h"
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
	FD_SOCK = 3, FD_LISTEN = 4,         /* numbers in the child */
	CONNECTIONS = 256,
	LISTENERS = 16,                     /* of the stream */
	END_PATIENCE_MS = 500,
};

struct server {
	struct shared *shared;
	struct serve serve;
	struct live live;
	struct http *http;
};

/* ------------------------------------------------------------------ the parent's side */

/* What the child finds: its end of the socket pair, then the listening sockets, at numbers of its own. They are copied above
 * all of these first, so that none is overwritten before it has moved. */
static int child_files(posix_spawn_file_actions_t *actions, const int *fds, unsigned n_fds, int sock, int *away)
{
	int r = 0;

	for (unsigned i = 0; i <= n_fds && !r; i++) {
		away[i] = fcntl(i ? fds[i - 1] : sock, F_DUPFD_CLOEXEC, FD_LISTEN + n_fds);
		r = away[i] < 0 ? errno : posix_spawn_file_actions_adddup2(actions, away[i], FD_SOCK + (int)i);
	}
	return r ? r : posix_spawn_file_actions_addclosefrom_np(actions, FD_LISTEN + (int)n_fds);
}

/* Spawned, not forked: nothing of this process is copied, and it waits until the child is executed, which then does not wait
 * for a CPU that this process keeps. errno, 0: well. */
static int child_spawn(const int *fds, unsigned n_fds, int sock, pid_t *pid)
{
	char number[] = { (char)('0' + n_fds / 10), (char)('0' + n_fds % 10), '\0' };
	char *argv[] = { (char *)"uncored: http", (char *)CHILD_OPTION, number, NULL };
	int away[1 + OPTIONS_LISTEN_MAX], r;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;

	memset(away, -1, sizeof(away));
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attr, &none);
	r = child_files(&actions, fds, n_fds, sock, away);
	if (!r)
		r = posix_spawn(pid, "/proc/self/exe", &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	for (unsigned i = 0; i <= n_fds; i++)
		if (away[i] >= 0)
			close(away[i]);
	return r;
}

int child_start(const int *fds, unsigned n_fds, struct child *ret, struct err *err)
{
	int sv[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
		return err_set(err, -errno, "socketpair: %s", strerror(errno));
	r = child_spawn(fds, n_fds, sv[1], &pid);
	close(sv[1]);
	if (r) {
		close(sv[0]);
		return err_set(err, -r, "cannot start the http process: %s", strerror(r));
	}
	*ret = (struct child){ pid, sv[0] };
	return 0;
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

/* Root becomes somebody else; everybody loses every capability. */
static int child_drop(struct err *err)
{
	struct passwd user;

	capng_clear(CAPNG_SELECT_BOTH);
	if (getuid() == 0) {
		user = child_user();
		if (capng_change_id((int)user.pw_uid, (int)user.pw_gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING) != 0)
			return err_set(err, -EPERM, "the http process cannot give up root");
	} else if (capng_apply(CAPNG_SELECT_CAPS) != 0) {
		return err_set(err, -EPERM, "the http process cannot give up its capabilities");
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* changing the user id cleared it */
	return http_confine(err);
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
	shared_free(c->shared);
	c->shared = shared;
	malloc_trim(0);
	return 0;
}

static int child_loop(struct server *c)
{
	struct pollfd p[2 + OPTIONS_LISTEN_MAX] = { { .fd = FD_SOCK, .events = POLLIN } };

	for (;;) {
		nsec now = child_now(), wait = http_timeout(c->http, now), live = live_timeout(&c->live, &c->serve, now);
		nfds_t n_fds = c->shared ? 1 + http_poll(c->http, p + 1) : 1;     /* who comes before the plan waits for it */
		int n;

		if (wait < 0 || (live >= 0 && live < wait))
			wait = live;
		n = poll(p, n_fds, wait < 0 ? -1 : (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));

		if (n < 0 && errno != EINTR)
			return EXIT_INTERNAL;
		if (n > 0 && p[0].revents && child_take(c) < 0)
			return 0;               /* the parent is gone: so are we */
		now = child_now();
		live_run(&c->live, &c->serve, now);
		http_run(c->http, now, p + 1);
	}
}

int child_main(const char *n_fds)
{
	struct server c = { 0 };
	struct http_options o = { .connections = CONNECTIONS, .request_deadline = 10 * NSEC_PER_SEC,
				  .connection_deadline = 300 * NSEC_PER_SEC, .streams = LISTENERS,
				  .stream_deadline = 3600 * NSEC_PER_SEC, .handler = serve_handle, .knows = serve_knows,
				  .p = &c.serve };
	struct rlimit files = { 1024, 1024 };
	int fds[OPTIONS_LISTEN_MAX];
	struct err err = { "" };
	uint64_t n;
	int code;

	prctl(PR_SET_PDEATHSIG, SIGKILL);       /* a parent that is gone already has closed FD_SOCK */
	log_init();
	prctl(PR_SET_NAME, "uncored-http");
	if (num_parse_u64(n_fds[0] == '0' ? n_fds + 1 : n_fds, &n) < 0 || n > OPTIONS_LISTEN_MAX)
		return EXIT_USAGE;
	for (unsigned i = 0; i < n; i++) {
		fds[i] = FD_LISTEN + (int)i;
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	fcntl(FD_SOCK, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);                /* the parent decides */
	setrlimit(RLIMIT_NOFILE, &files);
	o.fds = fds;
	o.n_fds = (unsigned)n;
	if (http_new(&o, &c.http, &err) < 0 || child_drop(&err) < 0) {
		log_msg(LOG_ERR, "%s", err.text);
		return EXIT_INTERNAL;
	}
	c.serve.http = c.http;
	code = child_loop(&c);
	serve_swap(&c.serve, NULL);
	http_free(c.http);
	shared_free(c.shared);
	return code;
}
