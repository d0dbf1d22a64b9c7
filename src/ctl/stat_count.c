/* SPDX-License-Identifier: MIT
 * One run of uncorectl stat: what counts, the command meanwhile, and when lines are due.
 * Owns:  an uncored of its own, and what passes between the two; the wait for one that runs.
 * Never: what is done with a snapshot.
 */
#include "ctl/stat.h"

#include "base/bits.h"
#include "base/clock.h"
#include "base/own_dir.h"
#include "base/state_dir.h"
#include "verify/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Descriptors of an uncored of its own: where the command writes, the groups of -g. */
enum { COMMAND_FD = 3, GROUPS_FD = 4 };
/* From such an interval on, in seconds, it is said what is waited for. */
enum { NOTE_S = 5 };
enum { LOOK_USEC = 20000, READ_SIZE = 65536, SNAPSHOT_MAX = 64 << 20 };

/* ---- an uncored of its own */

/* How often it prints; without lines and without a command only when it is told to end. */
static const char *every(const struct stat_runs *s, char *buf, size_t size)
{
	if (!s->lines)
		return s->c->n_args ? NULL : "24h";
	snprintf(buf, size, "%dms", s->c->interval);
	return buf;
}

/* uncored --once [-- COMMAND], its snapshots into `out`. Returns as ctl_child_start(). */
static int start_uncored(const struct stat_runs *s, int out)
{
	const struct ctl *c = s->c;
	char path[PATH_MAX], ms[32];
	const char *const passed[][3] = {       /* option, value, default */
		{ "--every", every(s, ms, sizeof(ms)) },
		{ "--engine", c->engine },
		{ "--machine", c->machine },
		{ "--config", s->groups >= 0 ? "/dev/fd/4" : c->config },
		{ "--path-sysfs", c->roots.sysfs, "/sys" },
		{ "--path-procfs", c->roots.procfs, "/proc" },
		{ "--path-dev", c->roots.dev, "/dev" },
		{ "--path-run", c->roots.run, OWN_RUN_DIR },
		{ "--path-state", c->roots.state, STATE_DIR },
	};
	const char *const run[] = { "--", "/bin/sh", "-c", "exec \"$@\" >&3 3>&- 4<&-", "sh" };
	AUTO_FREE(free) const char **argv = calloc(32 + (size_t)c->n_args, sizeof(*argv));
	unsigned n = 0;

	if (!argv)
		return ctl_fail(CTL_TEMPORARY, "cannot start uncored: out of memory");
	command_find_ours("uncored", UNCORED_SBIN, path);
	argv[n++] = path;
	argv[n++] = "--once";
	argv[n++] = "--format=json";
	for (unsigned i = 0; i < COUNT(passed); i++)
		if (passed[i][1] && (!passed[i][2] || strcmp(passed[i][1], passed[i][2]) != 0)) {
			argv[n++] = passed[i][0];
			argv[n++] = passed[i][1];
		}
	for (unsigned i = 0; c->n_args && i < COUNT(run); i++)
		argv[n++] = run[i];
	for (int i = 0; i < c->n_args; i++)
		argv[n++] = c->args[i];
	return ctl_child_start(argv, (const struct command_file[]){
		{ s->form.kind == STAT_TEXT ? STDOUT_FILENO : STDERR_FILENO, COMMAND_FD },
		{ out, STDOUT_FILENO }, { s->groups, GROUPS_FD } }, 3);
}

static void take_snapshot(struct stat_runs *s, const char *line)
{
	json_t *j = json_loads(line, 0, NULL);

	if (!j)
		return;
	json_decref(s->about);
	s->about = j;
	if (s->lines)
		stat_lines_print(s->lines, j,
				 json_number_value(json_object_get(j, "elapsed_seconds")));
}

/* Each snapshot is a line. Returns how many bytes are left, of one that has not ended. */
static size_t take_snapshots(struct stat_runs *s, char *text, size_t n)
{
	char *from = text, *end;

	while ((end = memchr(from, '\n', n - (size_t)(from - text)))) {
		*end = '\0';
		take_snapshot(s, from);
		from = end + 1;
	}
	n -= (size_t)(from - text);
	memmove(text, from, n);
	return n;
}

/* Has our reader gone, for whom there is nothing to count any more? It is noticed before the next
 * line is due. */
static void note_unread(struct stat_runs *s, bool *ended)
{
	if (*ended || !s->lines || stat_lines_fd(s->lines) >= 0)
		return;
	*ended = true;
	ctl_child_end();
}

/* Until uncored writes no more. */
static void read_snapshots(struct stat_runs *s, int fd)
{
	AUTO_FREE(free) char *text = NULL;
	size_t n = 0, size = 0;
	bool ended = false;

	for (;;) {
		struct pollfd p[] = { { .fd = fd, .events = POLLIN },
				      { .fd = s->lines ? stat_lines_fd(s->lines) : -1 } };
		ssize_t got;

		if (size - n < READ_SIZE && size < SNAPSHOT_MAX) {
			char *more = realloc(text, size + 2 * READ_SIZE);

			if (!more)
				return;
			text = more;
			size += 2 * READ_SIZE;
		}
		if (poll(p, COUNT(p), -1) < 0)
			continue;               /* a signal */
		if (p[1].revents)
			stat_lines_unread(s->lines);
		note_unread(s, &ended);
		if (!p[0].revents)
			continue;
		got = read(fd, text + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		n = take_snapshots(s, text, n + (size_t)got);
		note_unread(s, &ended);
	}
}

static int count_alone(struct stat_runs *s)
{
	AUTO_FD int from = -1;
	int ends[2], code;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return ctl_fail(CTL_TEMPORARY, "cannot start uncored: %s", strerror(errno));
	from = ends[0];
	code = start_uncored(s, ends[1]);
	close(ends[1]);
	read_snapshots(s, from);
	if (ctl_child_runs())
		code = ctl_child_wait(&s->wall);
	return code;
}

/* ---- beside one that runs */

/* The oldest of the sockets' samples; INFINITY: there is no socket. */
static double oldest_of(json_t *snapshot)
{
	double oldest = INFINITY;
	json_t *socket;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "sockets"), i, socket)
		oldest = fmin(oldest, json_number_value(
			json_object_get(socket, "timestamp_seconds")));
	return oldest;
}

/* Is a series without labels that is 0 or 1 there, and 1? */
static bool is_set(json_t *snapshot, const char *family)
{
	return ctl_number(json_array_get(ctl_series(snapshot, family), 0)) > 0;
}

/* The first snapshot of a running uncored whose samples are all later than t. Waits for the end of
 * a pause, however long that takes. */
static json_t *snapshot_after(const struct ctl *c, double t, struct err *err)
{
	nsec start = clock_read(CLOCK_MONOTONIC);

	for (bool said = false, paused = false;;) {
		json_t *j = ctl_snapshot(&c->server, err);
		double oldest = oldest_of(j), interval, waited;

		if (!j || (oldest > t && oldest < INFINITY))
			return j;
		if (is_set(j, "uncored_paused")) {
			if (!paused)
				fprintf(stderr, "uncorectl: %s is paused, its counters are left to "
					"another tool; waiting for the end of the pause\n",
					c->server.url);
			paused = true;
			start = clock_read(CLOCK_MONOTONIC);
		}
		if (is_set(j, "uncored_without_counters"))
			err_set(err, -ENODEV, "%s has nothing to count (yet); run uncorectl doctor",
				c->server.url);
		interval = json_number_value(json_object_get(j, "interval_seconds"));
		waited = (double)(clock_read(CLOCK_MONOTONIC) - start) / NSEC_PER_SEC;
		if (!said && interval >= NOTE_S && waited > 1) {
			fprintf(stderr, "uncorectl: %s takes a sample each %g s; waiting for the "
				"next one\n", c->server.url, interval);
			said = true;
		}
		if (!err->text[0] && waited > 10 + 3 * interval)
			err_set(err, -ETIME, "%s has stopped sampling; run uncorectl doctor",
				c->server.url);
		json_decref(j);
		if (err->text[0])
			return NULL;
		usleep(LOOK_USEC);
	}
}

/* Waits for a time, or until the run is to end: its command has, a signal came, or nobody reads
 * the lines. true: it is to end. */
static bool wait_for_line(struct stat_runs *s, nsec until, bool *ended)
{
	for (;;) {
		struct pollfd p = { .fd = stat_lines_fd(s->lines) };
		nsec left = until - clock_read(CLOCK_MONOTONIC);

		note_unread(s, ended);
		if (!ctl_child_goes_on())
			return true;
		if (left <= 0)
			return false;
		if (left > LOOK_USEC * NSEC_PER_USEC)
			left = LOOK_USEC * NSEC_PER_USEC;
		if (poll(&p, 1, (int)(left / NSEC_PER_MSEC) + 1) > 0)
			stat_lines_unread(s->lines);
	}
}

/* The newest snapshot; one with a newer sample than t is waited for, but no longer than an uncored
 * takes that is well. What a stalled socket has is invalid, and says so. */
static json_t *snapshot_newer(const struct ctl *c, double t, struct err *err)
{
	const nsec start = clock_read(CLOCK_MONOTONIC);

	for (;;) {
		json_t *j = ctl_snapshot(&c->server, err);
		double interval = json_number_value(json_object_get(j, "interval_seconds"));
		nsec waited = clock_read(CLOCK_MONOTONIC) - start;

		if (!j || oldest_of(j) > t || !ctl_child_goes_on() ||
		    (double)waited > (1 + interval) * NSEC_PER_SEC)
			return j;
		json_decref(j);
		usleep(LOOK_USEC);
	}
}

static double since(nsec begun)
{
	return (double)(clock_read(CLOCK_MONOTONIC) - begun) / NSEC_PER_SEC;
}

/* Lines until the run is to end. NULL: the running uncored does not answer any more. */
static bool lines_beside(struct stat_runs *s, nsec begun, struct err *err)
{
	const nsec interval = s->c->interval * NSEC_PER_MSEC;
	double newest = oldest_of(s->about);
	bool ended = false;

	for (nsec due = begun + interval; !wait_for_line(s, due, &ended);) {
		json_t *j = snapshot_newer(s->c, newest, err);

		if (!j)
			return false;
		newest = oldest_of(j);
		json_decref(s->about);
		s->about = j;
		stat_lines_print(s->lines, j, since(begun));
		due += ((clock_read(CLOCK_MONOTONIC) - due) / interval + 1) * interval;
	}
	return true;
}

/* From a sample just before the command to the first one after it; without a command until a signal
 * comes. */
static int count_beside(struct stat_runs *s, json_t **ret)
{
	const struct ctl *c = s->c;
	struct err err = { "" };
	bool good = true;
	nsec begun;
	json_t *last;
	int code = 0;

	s->about = snapshot_after(c, load_wall(), &err);
	if (!s->about)
		return ctl_fail(CTL_UNAVAILABLE, "%s", err.text);
	*ret = stat_by_name(s->about, NULL);
	if (s->lines)
		stat_lines_begin(s->lines, json_incref(*ret));
	begun = clock_read(CLOCK_MONOTONIC);
	if (c->n_args)
		code = ctl_child_start((const char *const *)c->args,
				       (const struct command_file[]){
			{ s->form.kind == STAT_TEXT ? -1 : STDERR_FILENO, STDOUT_FILENO } }, 1);
	else
		ctl_child_none();
	if (c->n_args && !ctl_child_runs()) {
		json_decref(TAKE(s->about));
		return code;
	}
	if (s->lines)
		good = lines_beside(s, begun, &err);
	code = ctl_child_wait(&s->wall);
	last = good ? snapshot_after(c, c->n_args ? load_wall() : oldest_of(s->about), &err) : NULL;
	json_decref(s->about);
	s->about = last;
	if (!last)
		return ctl_fail(CTL_UNAVAILABLE, "%s", err.text);
	if (s->lines)
		stat_lines_print(s->lines, last, since(begun));
	return code;
}

int stat_count(struct stat_runs *s, json_t **ret)
{
	json_decref(TAKE(s->about));
	*ret = NULL;
	return s->beside ? count_beside(s, ret) : count_alone(s);
}
