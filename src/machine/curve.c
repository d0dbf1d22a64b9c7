/* SPDX-License-Identifier: MIT */
#include "machine/curve.h"

#include "base/bits.h"
#include "base/state_dir.h"
#include "base/strb.h"
#include "machine/machine.h"
#include "topo/stale.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLOCKS_APART 86400          /* seconds; a clock that was set since */
#define FILE_MOST (1u << 20)        /* bytes; state_dir_write() takes fewer */

/* ------------------------------------------------------------------ reading */

static bool take_text(const json_t *j, const char *key, char *to, size_t n)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text && (size_t)snprintf(to, n, "%s", text) < n;
}

/* One that is absent is "". */
static bool take_version(const json_t *j, const char *key, char *to, size_t n)
{
	return !json_object_get(j, key) || take_text(j, key, to, n);
}

static bool take_versions(const json_t *j, struct host_versions *v)
{
	return take_version(j, "kernel", v->kernel, sizeof(v->kernel)) &&
	       take_version(j, "microcode", v->microcode, sizeof(v->microcode)) &&
	       take_version(j, "bios_version", v->bios_version, sizeof(v->bios_version)) &&
	       take_version(j, "bios_date", v->bios_date, sizeof(v->bios_date));
}

/* Above 0 and at most `most`. */
static bool take_number(const json_t *j, const char *key, double most, double *to)
{
	const json_t *number = json_object_get(j, key);

	*to = json_number_value(number);
	return json_is_number(number) && *to >= 0 && *to <= most;
}

/* A number below n. */
static bool take_count(const json_t *j, const char *key, json_int_t n, unsigned *to)
{
	const json_t *number = json_object_get(j, key);
	json_int_t v = json_integer_value(number);

	*to = (unsigned)v;
	return json_is_integer(number) && v >= 0 && v < n;
}

/* Seconds since 1970 of "2026-11-26T12:00:00Z", as curve_write() has it; -1: it is no such date. */
static time_t time_of(const char *date)
{
	struct tm utc = { .tm_sec = 0 };
	const char *end = strptime(date, "%Y-%m-%dT%H:%M:%SZ", &utc);

	return end && !*end ? timegm(&utc) : -1;
}

#define TRAFFIC_MOST 1e15           /* bytes a second */
#define LATENCY_MOST 1.0

static bool take_mix(const json_t *j, struct curve_mix *m)
{
	const json_t *points = json_object_get(j, "points");

	m->n = (unsigned)json_array_size(points);
	if (!json_is_array(points) || json_array_size(points) > CURVE_POINTS)
		return false;
	for (unsigned i = 0; i < m->n; i++) {
		const json_t *p = json_array_get(points, i);

		if (!take_number(p, "bytes_per_second", TRAFFIC_MOST,
				 &m->points[i].bytes_per_second) ||
		    !take_number(p, "latency_seconds", LATENCY_MOST, &m->points[i].latency))
			return false;
	}
	if (json_object_get(j, "knee_bytes_per_second") &&
	    (!take_number(j, "knee_bytes_per_second", TRAFFIC_MOST, &m->knee) || !(m->knee > 0)))
		return false;
	return take_number(j, "asked_read_ratio", 1, &m->asked) &&
	       take_number(j, "read_ratio", 1, &m->reads) &&
	       take_number(j, "least_latency_seconds", LATENCY_MOST, &m->least) &&
	       take_number(j, "most_bytes_per_second", TRAFFIC_MOST, &m->most);
}

static bool take_socket(const json_t *j, struct curve_socket *s)
{
	const json_t *mixes = json_object_get(j, "mixes");

	if (!take_count(j, "socket", INT32_MAX, &s->id) ||
	    !take_count(j, "channels_with_memory", INT16_MAX, &s->channels) ||
	    !json_is_array(mixes) || json_array_size(mixes) > KNEE_MIXES)
		return false;
	for (; s->n < json_array_size(mixes); s->n++)
		if (!take_mix(json_array_get(mixes, s->n), &s->mix[s->n]))
			return false;
	return true;
}

static bool take_curve(const json_t *j, struct curve *c)
{
	const char *format = json_string_value(json_object_get(j, "format"));
	const json_t *sockets = json_object_get(j, "sockets"), *simulated;

	if (!format || strcmp(format, CURVE_FORMAT) != 0)
		return false;
	simulated = json_object_get(j, "simulated");
	c->simulated = json_is_true(simulated);
	if (!json_is_boolean(simulated) ||
	    !take_text(j, "processor", c->processor, sizeof(c->processor)) ||
	    !take_text(j, "model", c->model, sizeof(c->model)) ||
	    !take_text(j, "version", c->version, sizeof(c->version)) ||
	    !take_text(j, "date", c->date, sizeof(c->date)) || time_of(c->date) < 0 ||
	    !take_versions(j, &c->versions) ||
	    !json_is_array(sockets) || json_array_size(sockets) > CURVE_SOCKETS)
		return false;
	for (; c->n_sockets < json_array_size(sockets); c->n_sockets++)
		if (!take_socket(json_array_get(sockets, c->n_sockets),
				 &c->sockets[c->n_sockets]))
			return false;
	return true;
}

int curve_parse(const char *text, size_t n, struct curve **ret, struct err *err)
{
	AUTO_FREE(free) struct curve *c = calloc(1, sizeof(*c));
	json_auto_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	if (!take_curve(j, c))
		return err_set(err, -EBADMSG, "it is no curve as this version of uncored writes "
			       "it (" CURVE_FORMAT "): measure again: sudo uncorectl verify "
			       "--curve");
	*ret = TAKE(c);
	return 0;
}

int curve_read(const char *state, struct curve **ret, struct err *err)
{
	AUTO_FREE(free) char *text = NULL;
	size_t n = 0;
	int r = state_dir_read(state, CURVE_FILE, &text, &n, err);

	if (r < 0)
		return r;
	if (!text) {
		*ret = NULL;
		return 0;
	}
	r = curve_parse(text, n, ret, err);
	return r < 0 ? err_prefix(err, r, "%s/" CURVE_FILE ": ", state) : 0;
}

/* ------------------------------------------------------------------ writing */

/* Five digits, which is more than was measured. */
static json_t *rounded(double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.5g", v);
	return json_real(strtod(text, NULL));
}

/* The object, or none where a part of it found no memory (lost: not 0): without its knee a mix
 * would be one that has none. */
static json_t *whole(json_t *j, int lost)
{
	if (!lost)
		return j;
	json_decref(j);
	return NULL;
}

static json_t *mix_json(const struct curve_mix *m)
{
	json_t *points = json_array(), *j;
	int lost = 0;

	for (unsigned i = 0; i < m->n; i++)
		lost |= json_array_append_new(points, json_pack("{s:o, s:o}",
			"bytes_per_second", rounded(m->points[i].bytes_per_second),
			"latency_seconds", rounded(m->points[i].latency)));
	j = json_pack("{s:o, s:o, s:o, s:o}", "asked_read_ratio", rounded(m->asked),
		      "read_ratio", rounded(m->reads), "least_latency_seconds", rounded(m->least),
		      "most_bytes_per_second", rounded(m->most));
	if (m->knee > 0)
		lost |= json_object_set_new(j, "knee_bytes_per_second", rounded(m->knee));
	lost |= json_object_set_new(j, "points", points);
	return whole(j, lost);
}

static json_t *socket_json(const struct curve_socket *s)
{
	json_t *mixes = json_array();
	int lost = 0;

	for (unsigned i = 0; i < s->n; i++)
		lost |= json_array_append_new(mixes, mix_json(&s->mix[i]));
	return whole(json_pack("{s:I, s:I, s:o}", "socket", (json_int_t)s->id,
			       "channels_with_memory", (json_int_t)s->channels, "mixes", mixes),
		     lost);
}

/* json_dumps() goes on where its text finds no memory, and drops a quote. */
static int add_text(const char *s, size_t n, void *text)
{
	strb_add_mem(text, s, n);
	return 0;
}

int curve_write(const char *state, const struct curve *c, struct err *err)
{
	json_t *sockets = json_array();
	const struct host_versions *of = &c->versions;
	json_auto_t *j = json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:s, s:s, s:s, s:o}",
				   "format", CURVE_FORMAT, "version", c->version, "date", c->date,
				   "simulated", c->simulated, "processor", c->processor,
				   "model", c->model, "kernel", of->kernel,
				   "microcode", of->microcode, "bios_version", of->bios_version,
				   "bios_date", of->bios_date, "sockets", sockets);
	AUTO_DONE(strb_done) struct strb text = { 0 };
	int lost = 0;

	for (unsigned i = 0; j && i < c->n_sockets; i++)
		lost |= json_array_append_new(sockets, socket_json(&c->sockets[i]));
	strb_init(&text, FILE_MOST);
	if (!j || lost || json_dump_callback(j, add_text, &text, JSON_INDENT(1)) < 0 || text.failed)
		return err_set(err, -ENOMEM, "out of memory");
	return state_dir_write(state, CURVE_FILE, text.s, text.n, err);
}

/* ------------------------------------------------------------------ knees */

struct curve_knees {
	struct plan_knees knees;
	struct plan_knee v[CURVE_SOCKETS];
	char measured[64];
	struct err why;
};

static int by_reads(const void *a, const void *b)
{
	const struct plan_knee_mix *x = a, *y = b;

	return x->reads < y->reads ? -1 : x->reads > y->reads;
}

static void take_knees(struct curve_knees *k, const struct curve *c)
{
	k->knees.v = k->v;
	snprintf(k->measured, sizeof(k->measured), "a curve that was measured on this machine on "
		 "%.10s", c->date);
	k->knees.measured = c->simulated ? NULL : k->measured;
	for (unsigned i = 0; i < c->n_sockets; i++) {
		const struct curve_socket *s = &c->sockets[i];
		struct plan_knee *to = &k->v[k->knees.n++];

		*to = (struct plan_knee){ .socket = s->id, .channels = s->channels };
		for (unsigned m = 0; m < s->n; m++)
			to->mix[to->n++] = (struct plan_knee_mix){
				s->mix[m].reads, s->mix[m].knee, s->mix[m].most };
		qsort(to->mix, to->n, sizeof(*to->mix), by_reads);
	}
}

/* A bit for each enum stale; 0: it holds of this machine. Memory waits no longer under another
 * kernel. A model has no versions. */
static unsigned stale_of(const struct curve *c, const struct machine *m)
{
	const struct machine_cpu cpu = machine_cpu(m);
	struct host_versions now;

	if (c->simulated != (m->engine == CONF_MODEL))
		return BIT(STALE_SIMULATED);
	if (strcmp(c->processor, cpu.name) != 0 || strcmp(c->model, cpu.model) != 0)
		return BIT(STALE_PROCESSOR);
	if (c->simulated)
		return 0;
	host_versions_read(&m->asked.roots, &now);
	return stale_versions(&c->versions, &now) & ~BIT(STALE_KERNEL);
}

/* Why it is refused. */
static void say_stale(const struct curve *c, const char *state, unsigned stale, struct err *err)
{
	static const char again[] = "measure this one: sudo uncorectl verify --curve";
	char what[STALE_TEXT];

	if (stale & BIT(STALE_SIMULATED))
		err_set(err, 0, "%s/" CURVE_FILE " is of a %s machine, and this one is %s: %s",
			state, c->simulated ? "simulated" : "real",
			c->simulated ? "real" : "simulated", again);
	else if (stale & BIT(STALE_PROCESSOR))
		err_set(err, 0, "%s/" CURVE_FILE " is of another machine, %s (%s): %s", state,
			c->model, c->processor, again);
	else
		err_set(err, 0, "since %s/" CURVE_FILE " was measured something has changed, %s: "
			"measure again: sudo uncorectl verify --curve", state,
			stale_text(stale, what));
}

struct curve_knees *curve_knees_new(const struct machine *m, time_t now)
{
	static const char unmeasured[] = "where the memory of this machine saturates was not "
					 "measured: sudo uncorectl verify --curve";
	const char *state = m->asked.roots.state;
	struct curve_knees *k = calloc(1, sizeof(*k));
	AUTO_FREE(free) struct curve *c = NULL;
	struct plan_knees *knees;
	int r;

	if (!k)
		return NULL;
	knees = &k->knees;
	r = state ? curve_read(state, &c, &k->why) : 0;
	if (r == 0 && !c) {
		knees->unmeasured = unmeasured;
		return k;
	}
	if (r == 0 && time_of(c->date) > now + CLOCKS_APART)
		r = err_set(&k->why, -EBADMSG, "%s/" CURVE_FILE " was measured in the future, %s: "
			    "set the clock, or measure again: sudo uncorectl verify --curve",
			    state, c->date);
	knees->stale = r < 0 ? BIT(STALE_UNREADABLE) : stale_of(c, m);
	if (r == 0 && knees->stale)
		say_stale(c, state, knees->stale, &k->why);
	if (knees->stale)
		knees->refused = k->why.text;
	else
		take_knees(k, c);
	return k;
}

const struct plan_knees *curve_knees_of(const struct curve_knees *k)
{
	return k ? &k->knees : NULL;
}

void curve_knees_free(struct curve_knees *k)
{
	free(k);
}
