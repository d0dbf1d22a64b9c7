/* SPDX-License-Identifier: MIT
 * uncorectl pause: the running uncored leaves its counters to another tool, while a command runs or
 * for a time.
 * Owns:  the connection that holds the pause: uncored goes on when it ends, however it ends.
 * Never: which counters these are.
 */
#include "ctl/ctl.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/pausing.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* uncored gives back its counters within 2 s, however long its interval is. */
#define ANSWER_PATIENCE_MS 10000

/* "10m" is ten minutes, too. */
static bool read_duration(const char *text, nsec *ret)
{
	size_t n = strlen(text);
	char minutes[32];

	if (nsec_parse(text, ret) == 0)
		return true;
	if (n < 2 || text[n - 1] != 'm' || !isdigit((unsigned char)text[n - 2]) ||
	    n + 3 > sizeof(minutes))
		return false;
	snprintf(minutes, sizeof(minutes), "%sin", text);
	return nsec_parse(minutes, ret) == 0;
}

/* 0, or an exit code after a sentence. */
static int connect_to(const struct sockaddr_un *a, int fd)
{
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0)
		return 0;
	if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR)
		return ctl_fail(CTL_UNAVAILABLE, "no uncored can be paused at %s: none runs, its "
				"configuration has pause = false, it uses another --path-run, or "
				"its log says why it has no such socket", a->sun_path);
	if (errno == EACCES || errno == EPERM)
		return ctl_fail(CTL_PERMISSION, "%s: %s: only root may pause uncored, and the "
				"group that the key `pause` names, if it could give the socket to "
				"that group: else its log says what to do", a->sun_path,
				strerror(errno));
	return ctl_fail(CTL_TEMPORARY, "%s: %s", a->sun_path, strerror(errno));
}

/* The line with which uncored answers. 0, or an exit code after a sentence. */
static int wait_until_paused(int fd)
{
	struct pollfd asked = { .fd = fd, .events = POLLIN };
	size_t refused = strlen(PAUSE_REFUSED);
	char line[1024];
	ssize_t n = -1;

	if (poll(&asked, 1, ANSWER_PATIENCE_MS) > 0)
		n = read(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return ctl_fail(CTL_TEMPORARY, "uncored does not answer; its counters are not "
				"given back");
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, PAUSE_BEGAN) == 0)
		return 0;
	return ctl_fail(CTL_UNAVAILABLE, "uncored does not pause: %s",
			strncmp(line, PAUSE_REFUSED, refused) == 0 ? line + refused : line);
}

/* Has uncored ended? */
static bool is_closed(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

static int run_command(const struct ctl *c, int fd)
{
	double seconds = 0;
	int code = ctl_child_start((const char *const *)c->args, NULL, 0);

	if (!ctl_child_runs())
		return code;
	code = ctl_child_wait(&seconds);
	if (is_closed(fd))
		fputs("uncorectl: uncored has ended meanwhile, or was restarted: then it has "
		      "counted beside the command\n", stderr);
	return code;
}

/* A signal ends us, and with us the pause. */
static int wait_for(nsec duration, int fd)
{
	nsec end = clock_read(CLOCK_MONOTONIC) + duration, left;
	struct pollfd hears = { .fd = fd, .events = POLLIN };

	fprintf(stderr, "uncorectl: uncored is paused for %s; Ctrl-C ends that earlier\n",
		nsec_text(duration).s);
	while ((left = end - clock_read(CLOCK_MONOTONIC)) > 0) {
		struct timespec t = { left / NSEC_PER_SEC, left % NSEC_PER_SEC };

		if (ppoll(&hears, 1, &t, NULL) > 0 && is_closed(fd))
			return ctl_fail(CTL_UNAVAILABLE, "uncored has ended");
	}
	return 0;
}

int ctl_pause(const struct ctl *c)
{
	AUTO_FD int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	nsec duration = 0;
	bool is_time = c->n_args == 1 && read_duration(c->args[0], &duration);
	char path[PATH_MAX];
	int r;

	if (!is_time && isdigit((unsigned char)*c->args[0]) && command_find(c->args[0], path) < 0)
		return ctl_fail(CTL_USAGE, "'%s' is no command; a duration stands alone and needs "
				"a unit, as in: uncorectl pause 10s; or name a command, as in: "
				"uncorectl pause -- sleep 10", c->args[0]);
	r = is_time ? 0 : ctl_child_find(c->args[0]);
	if (r)
		return r;
	if (snprintf(a.sun_path, sizeof(a.sun_path), "%s/" PAUSE_FILE, c->roots.run) >=
	    (int)sizeof(a.sun_path))
		return ctl_fail(CTL_USAGE, "--path-run is too long for a socket file");
	if (fd < 0)
		return ctl_fail(CTL_TEMPORARY, "no socket can be made: %s", strerror(errno));
	r = connect_to(&a, fd);
	if (r)
		return r;
	r = wait_until_paused(fd);
	if (r)
		return r;
	return is_time ? wait_for(duration, fd) : run_command(c, fd);
}
