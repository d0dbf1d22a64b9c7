/* SPDX-License-Identifier: MIT
 * uncorectl stat: what was counted while a command ran, as perf stat says of a core.
 * Owns:  running the command, with an uncored of its own or beside the one that runs; what its time
 *        counted, and the spread of repeats.
 * Never: counting; what a series means.
 */
#include "ctl/ctl.h"

#include "base/bits.h"
#include "base/clock.h"
#include "base/state_dir.h"
#include "verify/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Descriptors of an uncored of its own: where the command writes, the groups of -g. */
enum { COMMAND_FD = 3, GROUPS_FD = 4 };
/* From such an interval on, in seconds, it is said what is waited for. */
enum { NOTE_S = 5 };
#define ERROR   "standard_error"
#define ACTIVE  "uncored_active_seconds_total"
#define TIME    "active_seconds"

struct stat_runs {
	const struct ctl *c;
	bool text, beside;              /* beside: another uncored counts */
	int runs;
	int groups;                     /* -g, -e and -M as a configuration; -1: none */
	json_t *rows;                   /* by the name of a series: what JSON says of it */
	json_t *about;                  /* the last snapshot */
	double counted, longest;        /* seconds of all runs; of a run, on any socket */
};

static double wall;                     /* seconds of all runs */

/* uncored --once -- COMMAND. The snapshot that it prints; NULL: it has said why. *code: its exit
 * code, which is the command's. */
static json_t *count_alone(const struct stat_runs *s, int *code)
{
	const struct ctl *c = s->c;
	const char *const passed[][3] = {       /* option, value, default */
		{ "--engine", c->engine },
		{ "--config", s->groups >= 0 ? "/dev/fd/4" : c->config },
		{ "--path-sysfs", c->roots.sysfs, "/sys" },
		{ "--path-procfs", c->roots.procfs, "/proc" },
		{ "--path-dev", c->roots.dev, "/dev" },
		{ "--path-run", c->roots.run, "/run/uncored" },
		{ "--path-state", c->roots.state, STATE_DIR },
	};
	char path[PATH_MAX];
	const char *const run[] = { "--", "/bin/sh", "-c", "exec \"$@\" >&3 3>&- 4<&-", "sh" };
	const char **argv = calloc(32 + (size_t)c->n_args, sizeof(*argv));
	unsigned n = 0;
	int ends[2];
	json_t *j = NULL;
	FILE *from;

	if (!argv || pipe2(ends, O_CLOEXEC) < 0) {
		*code = ctl_fail(CTL_TEMPORARY, "cannot start uncored: %s", strerror(errno));
		free(argv);
		return NULL;
	}
	command_find_ours("uncored", UNCORED_SBIN, path);
	argv[n++] = path;
	argv[n++] = "--once";
	argv[n++] = "--format=json";
	for (unsigned i = 0; i < COUNT(passed); i++)
		if (passed[i][1] && (!passed[i][2] || strcmp(passed[i][1], passed[i][2]) != 0)) {
			argv[n++] = passed[i][0];
			argv[n++] = passed[i][1];
		}
	for (unsigned i = 0; i < COUNT(run); i++)
		argv[n++] = run[i];
	for (int i = 0; i < c->n_args; i++)
		argv[n++] = c->args[i];
	*code = ctl_child_start(argv, (const struct command_file[]){
		{ s->text ? STDOUT_FILENO : STDERR_FILENO, COMMAND_FD },
		{ ends[1], STDOUT_FILENO }, { s->groups, GROUPS_FD } }, 3);
	free(argv);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	j = from ? json_loadf(from, 0, NULL) : NULL;
	if (from)
		fclose(from);
	if (ctl_child_runs())
		*code = ctl_child_wait(&wall);
	return j;
}

/* The first snapshot of a running uncored whose samples are all later than t. */
static json_t *snapshot_after(const struct ctl *c, double t, struct err *err)
{
	const nsec start = clock_read(CLOCK_MONOTONIC);

	for (bool said = false;;) {
		json_t *j = ctl_snapshot(&c->server, err), *socket;
		double oldest = INFINITY, interval, waited;
		size_t i;

		json_array_foreach(json_object_get(j, "sockets"), i, socket)
			oldest = fmin(oldest, json_number_value(
				json_object_get(socket, "timestamp_seconds")));
		if (!j || (oldest > t && oldest < INFINITY))
			return j;
		if (ctl_number(json_array_get(ctl_series(j, "uncored_without_counters"), 0)) > 0)
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
		usleep(20000);
	}
}

/* From a sample just before the command to the first one after it. */
static json_t *count_beside(const struct stat_runs *s, json_t **before, int *code)
{
	struct err err = { "" };
	json_t *j = NULL;

	*before = snapshot_after(s->c, load_wall(), &err);
	if (*before) {
		*code = ctl_child_start((const char *const *)s->c->args,
					(const struct command_file[]){
			{ s->text ? -1 : STDERR_FILENO, STDOUT_FILENO } }, 1);
		if (!ctl_child_runs())
			return NULL;
		*code = ctl_child_wait(&wall);
		j = snapshot_after(s->c, load_wall(), &err);
	}
	if (!j)
		*code = ctl_fail(CTL_UNAVAILABLE, "%s", err.text);
	return j;
}

static void series_name(char *buf, size_t size, const char *family, json_t *labels)
{
	size_t at = (size_t)snprintf(buf, size, "%s{", family);
	const char *key;
	json_t *value;

	json_object_foreach(labels, key, value)
		if (at < size)
			at += (size_t)snprintf(buf + at, size - at, "%s%s=\"%s\"", buf[at - 1] ==
					       '{' ? "" : ",", key, json_string_value(value));
	if (at < size)
		snprintf(buf + at, size - at, "}");
}

/* Takes the counters and gauges of a snapshot; before: those of an earlier one are left out, by
 * name. Gauges of a running uncored are of its last interval alone. */
static void take_family(struct stat_runs *s, json_t *family, json_t *before, bool is_before)
{
	const char *type = ctl_text(family, "type") ?: "";
	json_t *one, *row;
	char name[1024];
	size_t i;

	if (strcmp(type, "counter") != 0 && (s->beside || strcmp(type, "gauge") != 0))
		return;
	json_array_foreach(json_object_get(family, "series"), i, one) {
		json_t *was, *time;
		double v = ctl_number(one), seconds = ctl_active_seconds(one);

		series_name(name, sizeof(name), ctl_text(family, "name"),
			    json_object_get(one, "labels"));
		if (is_before) {
			json_object_set(before, name, one);
			continue;
		}
		was = json_object_get(before, name);
		v -= was ? ctl_number(was) : 0;
		seconds -= ctl_active_seconds(was);
		if (strcmp(ctl_text(family, "name") ?: "", ACTIVE) == 0)
			s->longest = fmax(s->longest, v);
		row = json_object_get(s->rows, name);
		if (!row && strncmp(name, "uncore_", 7) == 0) {
			row = JS_OBJECT({ "name", js_text(name) }, { "type", js_text(type) },
					{ "unit", json_incref(json_object_get(family, "unit")) },
					{ "values", json_array() },
					{ TIME, *type == 'c' ? json_real(0) : NULL });
			json_object_set_new(s->rows, name, row);
		}
		time = json_object_get(row, TIME);
		json_real_set(time, json_real_value(time) + seconds / s->runs);
		v = *type == 'g' || seconds > 0 ? v : NAN;      /* it had no turn */
		json_array_append_new(json_object_get(row, "values"), json_real(v) ?: json_null());
	}
}

/* One run. Returns the command's exit code; *ok: it was counted. */
static int run_once(struct stat_runs *s, bool *ok)
{
	json_auto_t *first = NULL, *before = json_object();
	json_t *family;
	int code = CTL_INTERNAL;
	size_t i;

	json_decref(s->about);
	s->longest = 0;
	s->about = s->beside ? count_beside(s, &first, &code) : count_alone(s, &code);
	*ok = s->about;
	json_array_foreach(json_object_get(first, "metrics"), i, family)
		take_family(s, family, before, true);
	json_array_foreach(json_object_get(s->about, "metrics"), i, family)
		take_family(s, family, before, false);
	s->counted += s->longest;
	return code;
}

/* Mean of the values and its standard error; null where one of them is. */
static void add_mean(json_t *row)
{
	json_t *values = json_object_get(row, "values"), *j;
	double n = (double)json_array_size(values), mean = 0, squares = 0;
	bool valid = true;
	size_t i;

	json_array_foreach(values, i, j) {
		mean += json_real_value(j) / n;
		valid &= !json_is_null(j);
	}
	json_array_foreach(values, i, j)
		squares += pow(json_real_value(j) - mean, 2);
	JS_ADD(row, { "mean", valid ? json_real(mean) : json_null() },
	       { ERROR, valid && n > 1 ? json_real(sqrt(squares / (n - 1) / n)) :
		       json_null() });
}

static void print_text(const struct stat_runs *s, const char *name, json_t *row)
{
	bool counter = strcmp(ctl_text(row, "type"), "counter") == 0;
	json_t *mean = json_object_get(row, "mean"), *error = json_object_get(row, ERROR);
	double value = json_real_value(mean), seconds = json_real_value(json_object_get(row, TIME));
	char rate[32] = "", spread[32] = "", share[32] = "";

	if (seconds > 0)
		snprintf(rate, sizeof(rate), "%.4g/s", value / seconds);
	if (seconds > 0 && seconds * s->runs < 0.99 * s->counted)
		snprintf(share, sizeof(share), "  (%.0f %%)", 100 * seconds * s->runs / s->counted);
	if (json_is_real(error) && value > 0)
		snprintf(spread, sizeof(spread), "  +- %.2f %%",
			 100 * json_real_value(error) / value);
	if (json_is_null(mean))
		fprintf(stderr, "%20s %14s  %s\n", "not counted", "", name);
	else
		fprintf(stderr, counter ? "%20.0f %14s  %s%s%s\n" : "%20.6g %14s  %s%s%s\n",
			value, counter ? rate : ctl_text(row, "unit"), name, spread, share);
}

/* simulated: in a column that no measurement has, so that it stays with the numbers. */
static void print_csv(const char *name, json_t *row, bool simulated)
{
	json_t *mean = json_object_get(row, "mean"), *error = json_object_get(row, ERROR);

	putchar('"');
	for (; *name; name++)
		printf(*name == '"' ? "\"\"" : "%c", *name);
	printf("\",%s,%s,%zu,", ctl_text(row, "type"), ctl_text(row, "unit"),
	       json_array_size(json_object_get(row, "values")));
	if (json_is_real(mean))
		printf("%.17g", json_real_value(mean));
	if (json_is_real(error))
		printf(",%.17g", json_real_value(error));
	else
		putchar(',');
	puts(simulated ? ",SIMULATED" : "");
}

static int report(const struct stat_runs *s, int code)
{
	const struct ctl *c = s->c;
	bool json = !s->text && *c->output == 'j',
		simulated = json_is_true(json_object_get(s->about, "simulated"));
	json_auto_t *list = json_array();
	const char *name;
	json_t *row;

	if (s->text)
		fprintf(stderr, "\n%s'%s', %d run%s of %.3f s%s; %.3f s of wall time:\n\n",
			simulated ? "SIMULATED: " : "",
			c->args[0], s->runs, s->runs == 1 ? "" : "s", s->counted / s->runs,
			s->beside ? ", rounded up to whole intervals of the running uncored" : "",
			wall / s->runs);
	else if (!json)
		printf("series,type,unit,runs,mean,standard_error%s\n", simulated ?
		       ",simulated" : "");
	json_object_foreach(s->rows, name, row) {
		add_mean(row);
		if (s->text)
			print_text(s, name, row);
		else if (!json)
			print_csv(name, row, simulated);
		json_array_append(list, row);
	}
	if (s->text && s->beside)
		fprintf(stderr, "\nGauges are left out: the running uncored knows only their last "
			"interval.\nTo get them, stop it and run uncorectl stat again.\n");
	if (!json)
		return 0;
	return ctl_json(JS_OBJECT(
		{ "format", js_text("uncored-stat-1") },
		{ "command", JS_LIST(i, (unsigned)c->n_args, js_text(c->args[i])) },
		{ "exit_code", json_integer(code) }, { "runs", json_integer(s->runs) },
		{ "counted_seconds", json_real(s->counted / s->runs) },
		{ "wall_seconds", json_real(wall / s->runs) },
		{ "beside", js_text(s->beside ? c->server.url : NULL) },
		{ "processor", json_incref(json_object_get(s->about, "processor")) },
		{ "model", json_incref(json_object_get(s->about, "model")) },
		{ "engine", json_incref(json_object_get(s->about, "engine")) },
		{ "simulated", json_incref(json_object_get(s->about, "simulated")) },
		{ "series", json_incref(list) }));
}

/* The option that says what to count, beside --config; NULL: none does. */
static const char *asked_by(const struct ctl *c)
{
	if (c->groups)
		return "groups";
	if (c->events.n)
		return "event";
	return c->metrics.n ? "metric" : NULL;
}

int ctl_stat(const struct ctl *c)
{
	struct stat_runs s = { .c = c, .text = !c->output, .groups = -1,
				 .runs = c->repeat ?: 1 };
	bool ok = true;
	const char *what = asked_by(c);
	char *there = NULL;
	int code = 0, r;

	if (c->output && strcmp(c->output, "json") != 0 && strcmp(c->output, "csv") != 0)
		return ctl_fail(CTL_USAGE, "--output is json or csv, not %s", c->output);
	if (what && c->config)
		return ctl_fail(CTL_USAGE, "--%s and --config both say what to count: name "
				"one of them", what);
	if (c->config)
		what = "config";
	if (c->url_given && (what || c->engine))
		return ctl_fail(CTL_USAGE, "--url names a running uncored, which has its own "
				"groups; --%s starts another one: leave out one of them",
				what ?: "engine");
	r = ctl_child_find(c->args[0]);
	if (r)
		return r;
	if (what && !c->config)
		r = ctl_stat_conf(c, &s.groups);
	if (r)
		return r;
	s.rows = json_object();
	s.beside = !what && !c->engine &&
		   http_get(&c->server, "/api/v1/status", &there, NULL) == 0;
	free(there);
	for (int i = 0; i < s.runs && ok; i++)
		code = run_once(&s, &ok);
	r = ok ? report(&s, code) : 0;
	json_decref(s.rows);
	json_decref(s.about);
	return r ?: code;
}
