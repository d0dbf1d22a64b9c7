/* SPDX-License-Identifier: MIT */
#include "expo/verified.h"

#include "base/bits.h"
#include "expo/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define CLOCKS_APART 86400          /* seconds; a clock that was set since */

/* A text that is absent is "". One that is cut would be another one: false. */
static bool take_text(json_t *from, const char *key, char *ret, size_t n)
{
	const char *text = json_string_value(json_object_get(from, key)) ?: "";

	return (size_t)snprintf(ret, n, "%s", text) < n;
}

/* Others moved as much, or nobody knows: the error is none of the metric. */
static bool is_disturbed(json_t *one)
{
	const char *cause = json_string_value(json_array_get(json_object_get(one, "causes"), 0));

	return !cause || strcmp(cause, "background") == 0 || strcmp(cause, "noisy") == 0;
}

static unsigned count_of(const struct verified *v, unsigned socket)
{
	unsigned n = 0;

	for (unsigned i = 0; i < v->n; i++)
		n += v->v[i].socket == socket;
	return n;
}

static struct verified_metric *find(struct verified *v, const struct verified_metric *like)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->v[i].socket == like->socket && strcmp(v->v[i].name, like->name) == 0)
			return &v->v[i];
	return NULL;
}

/* Of two errors of one metric, which would be two values of one series, the larger. */
static void take_metric(struct verified *v, json_t *one)
{
	json_t *error = json_object_get(one, "error"), *socket = json_object_get(one, "socket");
	struct verified_metric m = { .error = json_number_value(error) }, *same;

	if (!json_is_number(error) || !json_is_integer(socket) || is_disturbed(one) ||
	    !isfinite(m.error) || json_integer_value(socket) < 0 ||
	    json_integer_value(socket) > UINT32_MAX)
		return;
	m.socket = (unsigned)json_integer_value(socket);
	if (!take_text(one, "metric", m.name, sizeof(m.name)) || !m.name[0])
		return;
	same = find(v, &m);
	if (same && fabs(m.error) > fabs(same->error))
		*same = m;
	if (!same && v->n < COUNT(v->v) && count_of(v, m.socket) < VERIFIED_OF_SOCKET)
		v->v[v->n++] = m;
}

static int cannot_read(struct verified *ret, struct err *err)
{
	*ret = (struct verified){ .stale = BIT(STALE_UNREADABLE) };
	return err_set(err, -EBADMSG, VERIFIED_FILE " is none of this version; run uncorectl "
		       "verify again");
}

int verified_parse(const char *text, size_t n, time_t now, struct verified *ret, struct err *err)
{
	json_auto_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
	const char *format = json_string_value(json_object_get(j, "format"));
	json_t *when = json_object_get(j, "timestamp_seconds"), *one;
	struct verified v = { .timestamp = 0 };
	struct host_versions *of = &v.versions;
	size_t i;

	if (!format || strcmp(format, VERIFIED_FORMAT) != 0 || !json_is_integer(when) ||
	    json_integer_value(when) < 0 ||
	    !take_text(j, "processor", v.processor, sizeof(v.processor)) ||
	    !take_text(j, "kernel", of->kernel, sizeof(of->kernel)) ||
	    !take_text(j, "microcode", of->microcode, sizeof(of->microcode)) ||
	    !take_text(j, "bios_version", of->bios_version, sizeof(of->bios_version)) ||
	    !take_text(j, "bios_date", of->bios_date, sizeof(of->bios_date)))
		return cannot_read(ret, err);
	v.timestamp = (uint64_t)json_integer_value(when);
	if (json_integer_value(when) > now + CLOCKS_APART) {
		*ret = (struct verified){ .stale = BIT(STALE_UNREADABLE) };
		return err_set(err, -EBADMSG, VERIFIED_FILE " was measured in the future: set the "
			       "clock, and run uncorectl verify again");
	}
	v.simulated = !json_is_false(json_object_get(j, "simulated"));
	json_array_foreach(json_object_get(j, "compared"), i, one)
		take_metric(&v, one);
	*ret = v;
	return 0;
}

const char *verified_text(const struct verified *v, const struct verified_metric *m,
			  char ret[VERIFIED_TEXT])
{
	time_t when = (time_t)v->timestamp;
	char day[16] = "?";
	struct tm utc;

	if (gmtime_r(&when, &utc))
		strftime(day, sizeof(day), "%F", &utc);
	snprintf(ret, VERIFIED_TEXT, "measured on this machine on %s, socket %u: error %.4f of "
		 "what was moved", day, m->socket, m->error);
	return ret;
}

void verified_compare(struct verified *v, const struct host_versions *now, const char *processor,
		      bool simulated)
{
	if (v->stale)
		return;
	if (v->simulated != simulated)
		v->stale = BIT(STALE_SIMULATED);
	if (v->simulated || simulated)
		return;
	if (strcmp(v->processor, processor) != 0)
		v->stale |= BIT(STALE_PROCESSOR);
	v->stale |= stale_versions(&v->versions, now);
}
