/* SPDX-License-Identifier: MIT
 * uncorectl stat --interval: a line for each interval and value.
 * Owns:  the forms of a line: text, CSV, JSON; whether anybody still reads them.
 * Never: when an interval ends.
 */
#include "ctl/stat.h"

#include "expo/digits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stat_lines {
	struct stat_form form;
	FILE *out;                      /* NULL: nobody reads it any more, or it failed */
	bool failed;                    /* it cannot be written, for another reason */
	bool begun;                     /* what each column is was written */
	json_t *before;                 /* totals at the end of the last interval */
};

struct stat_lines *stat_lines_new(struct stat_form form)
{
	struct stat_lines *l = calloc(1, sizeof(*l));

	if (l)
		*l = (struct stat_lines){ .form = form,
					  .out = form.kind == STAT_TEXT ? stderr : stdout };
	return l;
}

void stat_lines_free(struct stat_lines *l)
{
	if (l)
		json_decref(l->before);
	free(l);
}

void stat_lines_begin(struct stat_lines *l, json_t *before)
{
	json_decref(l->before);
	l->before = before;
}

int stat_lines_fd(const struct stat_lines *l)
{
	return l->out ? fileno(l->out) : -1;
}

void stat_lines_unread(struct stat_lines *l)
{
	l->out = NULL;
}

bool stat_lines_failed(const struct stat_lines *l)
{
	return l->failed;
}

/* Of the newest sample in it, since 1970. */
static double time_of(json_t *snapshot)
{
	double newest = 0;
	json_t *socket;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "sockets"), i, socket)
		newest = fmax(newest, json_number_value(json_object_get(socket,
									"timestamp_seconds")));
	return newest;
}

static void print_head(struct stat_lines *l, bool simulated)
{
	const char *by = l->form.by;

	l->begun = true;
	if (l->form.kind == STAT_TEXT)
		fprintf(l->out, "%s#   seconds                value           rate  series\n",
			simulated ? "# SIMULATED\n" : "");
	else if (l->form.kind == STAT_CSV)
		printf("seconds%stimestamp_seconds%sseries%stype%sunit%svalue%srate%s"
		       "active_seconds%sreason%s%s\n", by, by, by, by, by, by, by, by,
		       simulated ? by : "", simulated ? "simulated" : "");
}

static void print_text(FILE *f, double seconds, json_t *row)
{
	json_t *value = json_object_get(row, STAT_VALUE), *rate = json_object_get(row, STAT_RATE);
	const char *unit = ctl_human_unit(ctl_text(row, "unit"), rate);
	char number[32] = "-", why[STAT_WHY];
	struct ctl_word word = { "not counted" };

	if (json_is_real(value)) {
		snprintf(number, sizeof(number), rate ? "%.0f" : "%.6g", json_real_value(value));
		word = ctl_human(json_real_value(rate ?: value), unit);
	}
	fprintf(f, "%11.3f %20s %14s  %s", seconds, number, word.s, ctl_text(row, STAT_NAME));
	if (!json_is_real(value))
		fprintf(f, "  (%s)", stat_why(row, why));
	fputc('\n', f);
}

/* Nothing for what is not known. */
static void print_number(const char *by, json_t *number)
{
	char text[DIGITS_MAX];
	size_t n = 0;

	if (json_is_real(number))
		n = (size_t)(digits_double(text, json_real_value(number)) - text);
	printf("%s%.*s", by, (int)n, text);
}

static void print_csv(const struct stat_lines *l, double seconds, double at, json_t *row,
		      bool simulated)
{
	const char *by = l->form.by;
	bool known = json_is_real(json_object_get(row, STAT_VALUE));

	printf("%.6f%s%.6f%s", seconds, by, at, by);
	stat_print_cell(ctl_text(row, STAT_NAME));
	printf("%s%s%s%s", by, ctl_text(row, "type"), by, ctl_text(row, "unit"));
	print_number(by, json_object_get(row, STAT_VALUE));
	print_number(by, json_object_get(row, STAT_RATE));
	print_number(by, known ? json_object_get(row, STAT_TIME) : NULL);
	printf("%s%s%s%s\n", by, ctl_text(row, STAT_REASON), simulated ? by : "",
	       simulated ? "SIMULATED" : "");
}

static void print_json(double seconds, double at, json_t *row, bool simulated)
{
	json_t *line = JS_OBJECT({ "seconds", json_real(seconds) },
				 { "timestamp_seconds", json_real(at) });
	char *text;

	json_object_update(line, row);
	json_object_set_new(line, "simulated", json_boolean(simulated));
	text = js_dump(line, 0);
	if (text)
		puts(text);
	free(text);
}

void stat_lines_print(struct stat_lines *l, json_t *snapshot, double seconds)
{
	json_auto_t *rows = stat_gains(l->before, snapshot, true);
	bool simulated = json_is_true(json_object_get(snapshot, "simulated"));
	json_t *row;
	size_t i;

	stat_lines_begin(l, stat_by_name(snapshot, l->before));
	if (!l->out)
		return;
	errno = 0;
	if (!l->begun)
		print_head(l, simulated);
	json_array_foreach(rows, i, row) {
		if (l->form.kind == STAT_TEXT)
			print_text(l->out, seconds, row);
		else if (l->form.kind == STAT_CSV)
			print_csv(l, seconds, time_of(snapshot), row, simulated);
		else
			print_json(seconds, time_of(snapshot), row, simulated);
	}
	if (fflush(l->out) == 0 && !ferror(l->out))
		return;
	l->failed = errno != EPIPE;
	l->out = NULL;
}
