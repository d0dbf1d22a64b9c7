/* SPDX-License-Identifier: MIT
 * What uncorectl stat prints at the end: totals of the runs, their mean and its standard error.
 * Owns:  the forms of the report: text, CSV, JSON.
 * Never: how anything was counted.
 */
#include "ctl/stat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ERROR   "standard_error"
#define VALUES  "values"                /* one a run */

void stat_report_add(struct stat_runs *s, json_t *before)
{
	json_auto_t *gains = stat_gains(before, s->about, s->gauges);
	json_t *gain;
	size_t i;

	s->counted += stat_longest(before, s->about);
	json_array_foreach(gains, i, gain) {
		const char *name = ctl_text(gain, STAT_NAME), *reason = ctl_text(gain, STAT_REASON);
		json_t *row = json_object_get(s->rows, name), *time;
		json_t *counted = json_object_get(gain, STAT_TIME);

		if (!row) {
			row = JS_OBJECT({ STAT_NAME, js_text(name) },
					{ "type", json_incref(json_object_get(gain, "type")) },
					{ "unit", json_incref(json_object_get(gain, "unit")) },
					{ STAT_KNOWN,
					  json_incref(json_object_get(gain, STAT_KNOWN)) },
					{ VALUES, json_array() },
					{ STAT_TIME, counted ? json_real(0) : NULL });
			json_object_set_new(s->rows, name, row);
		}
		time = json_object_get(row, STAT_TIME);
		if (time)
			json_real_set(time, json_real_value(time) +
				      json_real_value(counted) / s->runs);
		if (*reason)
			json_object_set_new(row, STAT_REASON, json_string(reason));
		json_array_append(json_object_get(row, VALUES), json_object_get(gain, STAT_VALUE));
	}
}

/* Mean of the values and its standard error; null where one of them is. */
static void add_mean(json_t *row)
{
	json_t *values = json_object_get(row, VALUES), *j;
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
	double value = json_real_value(mean), seconds = json_real_value(json_object_get(row,
										STAT_TIME));
	const char *unit = ctl_human_unit(ctl_text(row, "unit"), counter);
	char why[STAT_WHY], spread[32] = "", share[32] = "", total[32] = "";

	if (json_is_null(mean)) {
		fprintf(stderr, "%20s %14s  %s  (%s)\n", "not counted", "", name,
			stat_why(row, why));
		return;
	}
	if (counter)
		snprintf(total, sizeof(total), "%.0f", value);
	if (seconds > 0 && seconds * s->runs < 0.99 * s->counted)
		snprintf(share, sizeof(share), "  (%.0f %%)", 100 * seconds * s->runs / s->counted);
	if (json_is_real(error) && value > 0)
		snprintf(spread, sizeof(spread), "  +- %.2f %%",
			 100 * json_real_value(error) / value);
	fprintf(stderr, "%20s %14s  %s%s%s\n", total,
		ctl_human(counter ? value / seconds : value, unit).s, name, spread, share);
}

void stat_print_cell(const char *text)
{
	putchar('"');
	for (; *text; text++)
		printf(*text == '"' ? "\"\"" : "%c", *text);
	putchar('"');
}

/* simulated: in a column that no measurement has, so that it stays with the numbers. */
static void print_csv(const char *by, const char *name, json_t *row, bool simulated)
{
	json_t *mean = json_object_get(row, "mean"), *error = json_object_get(row, ERROR);

	stat_print_cell(name);
	printf("%s%s%s%s%s%zu%s", by, ctl_text(row, "type"), by, ctl_text(row, "unit"), by,
	       json_array_size(json_object_get(row, VALUES)), by);
	if (json_is_real(mean))
		printf("%.17g", json_real_value(mean));
	fputs(by, stdout);
	if (json_is_real(error))
		printf("%.17g", json_real_value(error));
	if (simulated)
		printf("%sSIMULATED", by);
	putchar('\n');
}

static void print_title(const struct stat_runs *s, bool simulated)
{
	const struct ctl *c = s->c;

	fprintf(stderr, "\n%s", simulated ? "SIMULATED: " : "");
	if (c->n_args)
		fprintf(stderr, "'%s', ", c->args[0]);
	fprintf(stderr, "%d run%s of %.3f s%s; %.3f s of wall time:\n\n",
		s->runs, s->runs == 1 ? "" : "s", s->counted / s->runs,
		s->beside ? ", rounded up to whole intervals of the running uncored" : "",
		s->wall / s->runs);
}

static bool all_counted(const struct stat_runs *s)
{
	const char *name;
	json_t *row;

	json_object_foreach(s->rows, name, row)
		if (ctl_text(row, STAT_REASON))
			return false;
	return true;
}

/* What was not counted may not have had its turn: then longer runs help. */
static void print_turns(const struct stat_runs *s)
{
	double turn = json_number_value(json_object_get(s->about, "rotation_seconds"));
	double turns = 0;
	json_t *series;
	size_t i;

	json_array_foreach(ctl_series(s->about, "uncored_rounds"), i, series)
		turns = fmax(turns, ctl_number(series));
	if (s->counted / s->runs < turns * turn && !all_counted(s))
		fprintf(stderr, "\nSome had no turn: the groups take %.0f turns of %g s each. "
			"Count for %g s or longer.\n", turns, turn, turns * turn);
}

static int print_json(const struct stat_runs *s, int code, json_t *series, json_t *sums)
{
	const struct ctl *c = s->c;

	return ctl_json(JS_OBJECT(
		{ "format", js_text("uncored-stat-1") },
		{ "command", JS_LIST(i, (unsigned)c->n_args, js_text(c->args[i])) },
		{ "exit_code", json_integer(code) }, { "runs", json_integer(s->runs) },
		{ "counted_seconds", json_real(s->counted / s->runs) },
		{ "wall_seconds", json_real(s->wall / s->runs) },
		{ "beside", js_text(s->beside ? c->server.url : NULL) },
		{ "processor", json_incref(json_object_get(s->about, "processor")) },
		{ "model", json_incref(json_object_get(s->about, "model")) },
		{ "engine", json_incref(json_object_get(s->about, "engine")) },
		{ "simulated", json_incref(json_object_get(s->about, "simulated")) },
		{ "series", json_incref(series) }, { "sums", json_incref(sums) }));
}

/* Why there are no gauges; NULL: there are. */
static const char *gauges_left_out(const struct stat_runs *s)
{
	if (s->beside)
		return "Gauges are left out: the running uncored knows only their last interval.\n"
		       "To get them, stop it and run uncorectl stat again.\n";
	if (s->lines)
		return "Gauges are left out: each line has that of its interval.\n"
		       "To get those of all the time, leave out --interval.\n";
	return NULL;
}

int stat_report(const struct stat_runs *s, int code)
{
	json_auto_t *series = json_array(), *sums = json_array();
	bool text = s->form.kind == STAT_TEXT, json = s->form.kind == STAT_JSON,
		simulated = json_is_true(json_object_get(s->about, "simulated"));
	const char *name, *by = s->form.by, *note = gauges_left_out(s);
	json_t *row;

	if (text)
		print_title(s, simulated);
	else if (!json)
		printf("series%stype%sunit%sruns%smean%sstandard_error%s%s\n", by, by, by, by, by,
		       simulated ? by : "", simulated ? "simulated" : "");
	json_object_foreach(s->rows, name, row) {
		add_mean(row);
		if (text)
			print_text(s, name, row);
		else if (!json)
			print_csv(by, name, row, simulated);
		json_array_append(stat_is_sum(name) ? sums : series, row);
	}
	if (text)
		print_turns(s);
	if (text && note)
		fprintf(stderr, "\n%s", note);
	return json ? print_json(s, code, series, sums) : 0;
}
