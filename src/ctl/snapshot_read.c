/* SPDX-License-Identifier: MIT
 * Whether what a server sent is a snapshot.
 * Owns:  which members must be there and of which kind; what cannot be printed is escaped.
 * Never: HTTP, what the numbers mean.
 * Any thread.
 */
#include "ctl/snapshot_read.h"

#include "base/bits.h"
#include "base/printable.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 32 };

/* No more values than this, whatever they are: the text is counted before memory is taken. */
static bool is_bounded(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == ',' || *text == '[' || *text == '{';
	return n <= SNAPSHOT_VALUES_MAX;
}

/* ---- what a terminal would not show */

/* NULL: s can be printed as it is, or there is no memory. To be freed. */
static char *escaped(const char *s, bool *failed)
{
	char *text;
	size_t n;

	if (printable(s))
		return NULL;
	n = printable_escape(s, NULL, 0) + 1;
	text = malloc(n);
	if (text)
		printable_escape(s, text, n);
	else
		*failed = true;
	return text;
}

static void escape_all(json_t *j, bool *failed);

/* Two names that would be written alike become one. */
static void escape_object(json_t *j, bool *failed)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(j, next, key, value) {
		char *text = escaped(key, failed);

		escape_all(value, failed);
		if (!text)
			continue;
		json_incref(value);
		json_object_del(j, key);
		*failed |= json_object_set_new(j, text, value) < 0;
		free(text);
	}
}

static void escape_all(json_t *j, bool *failed)
{
	json_t *one;
	size_t i;

	if (json_is_object(j))
		escape_object(j, failed);
	json_array_foreach(j, i, one)
		escape_all(one, failed);
	if (json_is_string(j)) {
		char *text = escaped(json_string_value(j), failed);

		if (text)
			*failed |= json_string_set(j, text) < 0;
		free(text);
	}
}

/* ---- what each member is */

static bool all_texts(json_t *j)
{
	const char *key;
	json_t *value;

	json_object_foreach(j, key, value)
		if (!json_is_string(value))
			return false;
	return json_is_object(j);
}

/* A number, or digits: a count may be larger than a number of JSON holds everywhere. */
static bool is_value(json_t *j)
{
	const char *digits = json_string_value(j);
	size_t n = digits ? strlen(digits) : 0;

	if (digits)
		return n && n < DIGITS_MAX && strspn(digits, "0123456789") == n;
	return json_is_number(j) && isfinite(json_number_value(j));
}

static bool is_time(json_t *j)
{
	return json_is_number(j) && json_number_value(j) >= 0;
}

/* many: it is a distribution, which is an object of buckets. */
static bool is_series(json_t *j, bool many)
{
	json_t *value = json_object_get(j, "value"),
	       *seconds = json_object_get(j, "active_seconds");

	return all_texts(json_object_get(j, "labels")) &&
	       (!value || json_is_null(value) || is_value(value) ||
		(many && json_is_object(value))) &&
	       (!seconds || json_is_null(seconds) || is_time(seconds));
}

static bool is_metric(json_t *j)
{
	static const char *const texts[] = { "name", "type", "unit" };
	json_t *list = json_object_get(j, "series"), *one;
	const char *type;
	bool many;
	size_t i;

	for (i = 0; i < COUNT(texts); i++)
		if (!json_is_string(json_object_get(j, texts[i])))
			return false;
	type = json_string_value(json_object_get(j, "type"));
	many = strcmp(type, "counter") != 0 && strcmp(type, "gauge") != 0;
	json_array_foreach(list, i, one)
		if (!is_series(one, many))
			return false;
	return json_is_array(list);
}

static bool is_socket(json_t *j)
{
	json_t *id = json_object_get(j, "socket"), *at = json_object_get(j, "timestamp_seconds");

	return json_is_integer(id) && json_integer_value(id) >= 0 &&
	       json_integer_value(id) <= INT32_MAX && (!at || json_is_null(at) || is_time(at));
}

static bool all_are(json_t *list, bool (*is)(json_t *j))
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (!is(one))
			return false;
	return json_is_array(list);
}

static bool is_snapshot(json_t *j)
{
	static const char *const texts[] = { "name", "version", "revision", "host", "machine",
					     "processor", "model", "engine" };
	double interval = json_number_value(json_object_get(j, "interval_seconds"));
	const char *format = json_string_value(json_object_get(j, "format"));

	if (!format || strcmp(format, "uncored-snapshot-1") != 0)
		return false;
	for (size_t i = 0; i < COUNT(texts); i++) {
		json_t *text = json_object_get(j, texts[i]);

		if (text && !json_is_string(text))
			return false;
	}
	return interval > 0 && interval <= SNAPSHOT_INTERVAL_MAX &&
	       all_are(json_object_get(j, "sockets"), is_socket) &&
	       all_are(json_object_get(j, "metrics"), is_metric);
}

json_t *snapshot_read(const char *text)
{
	json_t *j = is_bounded(text) ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
	bool failed = false;

	if (j && is_snapshot(j))
		escape_all(j, &failed);
	else
		failed = true;
	if (!failed)
		return j;
	json_decref(j);
	return NULL;
}
