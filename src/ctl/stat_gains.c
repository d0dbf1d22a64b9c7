/* SPDX-License-Identifier: MIT
 * Between two snapshots: how far each total went, gauges as they are, and sums over units, sockets
 * and the machine.
 * Owns:  what may be added, and what a sum is called: as PromQL writes it, to be typed there.
 * Never: where snapshots come from, how rows are printed.
 */
#include "ctl/stat.h"

#include "base/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ACTIVE  "uncored_active_seconds_total"
#define PARTS   "parts"                 /* of a sum while it grows: how many */
/* In which place a series was counted: what differs in these alone counts the same, elsewhere. */
static const char places[] = "unit port link die device";
static const char all_places[] = "socket unit port link die device";

enum { NAME_TEXT = 1024 };

/* family{label="value",...}; without: labels that are left out. */
static void series_name(char *buf, size_t size, const char *family, json_t *labels,
			const char *without)
{
	size_t at = (size_t)snprintf(buf, size, "%s", family);
	const char *key, *before = "{";
	json_t *value;

	json_object_foreach(labels, key, value) {
		if (at >= size || name_listed(without, key, strlen(key)))
			continue;
		at += (size_t)snprintf(buf + at, size - at, "%s%s=\"%s\"", before, key,
				       json_string_value(value));
		before = ",";
	}
	if (*before == ',' && at < size)
		snprintf(buf + at, size - at, "}");
}

static bool is_counter(json_t *family)
{
	return strcmp(ctl_text(family, "type") ?: "", "counter") == 0;
}

static bool is_of_hardware(json_t *family)
{
	return strncmp(ctl_text(family, "name") ?: "", "uncore_", 7) == 0;
}

json_t *stat_by_name(json_t *snapshot, json_t *older)
{
	json_t *all = json_object(), *family, *series;
	char name[NAME_TEXT];
	size_t i, k;

	json_array_foreach(json_object_get(snapshot, "metrics"), i, family) {
		const char *of = ctl_text(family, "name") ?: "";

		if (!is_counter(family) || (!is_of_hardware(family) && strcmp(of, ACTIVE) != 0))
			continue;
		json_array_foreach(json_object_get(family, "series"), k, series) {
			json_t *was;

			series_name(name, sizeof(name), of, json_object_get(series, "labels"), "");
			was = isnan(ctl_number(series)) ? json_object_get(older, name) : NULL;
			json_object_set(all, name, was ?: series);
		}
	}
	return all;
}

double stat_longest(json_t *before, json_t *now)
{
	double longest = 0;
	char name[NAME_TEXT];
	json_t *series;
	size_t i;

	json_array_foreach(ctl_series(now, ACTIVE), i, series) {
		json_t *was;

		series_name(name, sizeof(name), ACTIVE, json_object_get(series, "labels"), "");
		was = json_object_get(before, name);
		longest = fmax(longest, ctl_number(series) - (was ? ctl_number(was) : 0));
	}
	return longest;
}

static json_t *number(double v)
{
	return json_real(v) ?: json_null();     /* none of NAN */
}

/* reason: "" where there is a value. */
static json_t *row_new(const char *name, json_t *family, double v, const char *reason)
{
	return JS_OBJECT({ STAT_NAME, js_text(name) },
			 { "type", json_incref(json_object_get(family, "type")) },
			 { "unit", json_incref(json_object_get(family, "unit")) },
			 { STAT_VALUE, *reason ? json_null() : number(v) },
			 { STAT_REASON, js_text(reason) },
			 { STAT_KNOWN, json_incref(json_object_get(family, STAT_KNOWN)) });
}

/* was: NULL: it began at 0. */
static json_t *total_row(const char *name, json_t *family, json_t *now, json_t *was)
{
	double v = ctl_number(now) - (was ? ctl_number(was) : 0);
	double seconds = ctl_active_seconds(now) - ctl_active_seconds(was);
	const char *reason = ctl_text(now, "reason") ?: "";

	if (!*reason && isnan(v))
		reason = "no_data";             /* it had no value before */
	else if (!*reason && (v < 0 || seconds < 0))
		reason = "reset";               /* another uncored answers */
	else if (!*reason && seconds == 0)
		reason = "not_counted";         /* it had no turn */
	return JS_ADD(row_new(name, family, v, reason),
		      { STAT_TIME, json_real(*reason ? 0 : seconds) },
		      { STAT_RATE, *reason ? json_null() : number(v / seconds) });
}

/* ---- sums */

static void grow(json_t *row, const char *member, json_t *part)
{
	json_t *have = json_object_get(row, member);

	if (json_is_real(have))
		json_real_set(have, json_real_value(have) +
			      json_real_value(json_object_get(part, member)));
}

/* sums: by name. */
static void add_to_sum(json_t *sums, const char *family, json_t *labels, const char *without,
		       json_t *part)
{
	const char *reason = ctl_text(part, STAT_REASON);
	char name[NAME_TEXT], of[NAME_TEXT + 8];
	json_t *sum, *parts;

	series_name(name, sizeof(name), family, labels, without);
	snprintf(of, sizeof(of), "sum(%s)", name);
	sum = json_object_get(sums, of);
	if (!sum) {
		sum = json_deep_copy(part);
		json_object_set_new(sum, STAT_NAME, json_string(of));
		json_object_set_new(sum, PARTS, json_integer(1));
		json_object_set_new(sums, of, sum);
		return;
	}
	parts = json_object_get(sum, PARTS);
	json_integer_set(parts, json_integer_value(parts) + 1);
	if (*reason && !*ctl_text(sum, STAT_REASON)) {
		json_object_set_new(sum, STAT_REASON, json_string(reason));
		json_object_set_new(sum, STAT_VALUE, json_null());
		json_object_set_new(sum, STAT_RATE, json_null());
	}
	grow(sum, STAT_VALUE, part);
	grow(sum, STAT_RATE, part);
	grow(sum, STAT_TIME, part);
}

/* The time with which value / time is the rate; where nothing was counted, that of a part. */
static void settle(json_t *sum)
{
	json_t *time = json_object_get(sum, STAT_TIME);
	double parts = (double)json_integer_value(json_object_get(sum, PARTS));
	double rate = json_real_value(json_object_get(sum, STAT_RATE));
	double v = json_real_value(json_object_get(sum, STAT_VALUE));

	json_real_set(time, rate > 0 ? v / rate : json_real_value(time) / parts);
	json_object_del(sum, PARTS);
}

/* Those that have several parts go to the rows. */
static void take_sums(json_t *rows, json_t *sums)
{
	const char *name;
	json_t *sum;

	json_object_foreach(sums, name, sum) {
		if (json_integer_value(json_object_get(sum, PARTS)) < 2)
			continue;
		settle(sum);
		json_array_append(rows, sum);
	}
}

bool stat_is_sum(const char *name)
{
	return strncmp(name, "sum(", 4) == 0;
}

char *stat_why(json_t *row, char buf[STAT_WHY])
{
	const char *reason = ctl_text(row, STAT_REASON);
	int after = (int)json_integer_value(json_object_get(row, STAT_KNOWN));

	if (after && strcmp(reason, "no_data") == 0)
		snprintf(buf, STAT_WHY, "%s: known after %d s", reason, after);
	else
		snprintf(buf, STAT_WHY, "%s", reason);
	return buf;
}

/* ---- rows */

static void take_totals(json_t *rows, json_t *family, json_t *before)
{
	json_auto_t *of_sockets = json_object(), *of_machine = json_object();
	const char *of = ctl_text(family, "name");
	char name[NAME_TEXT];
	json_t *now;
	size_t i;

	json_array_foreach(json_object_get(family, "series"), i, now) {
		json_t *labels = json_object_get(now, "labels"), *row;

		series_name(name, sizeof(name), of, labels, "");
		row = total_row(name, family, now, json_object_get(before, name));
		json_array_append_new(rows, row);
		add_to_sum(of_sockets, of, labels, places, row);
		add_to_sum(of_machine, of, labels, all_places, row);
	}
	if (json_object_size(of_sockets) > json_object_size(of_machine))
		take_sums(rows, of_sockets);    /* else the machine is one socket */
	take_sums(rows, of_machine);
}

static void take_gauges(json_t *rows, json_t *family)
{
	char name[NAME_TEXT];
	json_t *now;
	size_t i;

	json_array_foreach(json_object_get(family, "series"), i, now) {
		double v = ctl_number(now);
		const char *reason = ctl_text(now, "reason") ?: "";

		if (!*reason && isnan(v))
			reason = "no_data";
		series_name(name, sizeof(name), ctl_text(family, "name"),
			    json_object_get(now, "labels"), "");
		json_array_append_new(rows, row_new(name, family, v, reason));
	}
}

json_t *stat_gains(json_t *before, json_t *now, bool gauges)
{
	json_t *rows = json_array(), *family;
	size_t i;

	json_array_foreach(json_object_get(now, "metrics"), i, family) {
		if (!is_of_hardware(family))
			continue;
		if (is_counter(family))
			take_totals(rows, family, before);
		else if (gauges && strcmp(ctl_text(family, "type") ?: "", "gauge") == 0)
			take_gauges(rows, family);
	}
	return rows;
}
