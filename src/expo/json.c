/* json.c - JSON: everything that is counted (--once), and the status page for programs.
 *
 * Owns:  both objects' keys. Numbers above 2^53 are strings.
 * http child, or main for --once.
 */
#include "config.h"

#include "expo/distribution.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX   (UINT64_C(1) << 53)
#define TEXT_MAX    65536
#define DUMP_FLAGS  (JSON_INDENT(1) | JSON_REAL_PRECISION(17))

static json_t *json_u64(uint64_t v)
{
	char text[24];

	if (v <= EXACT_MAX)
		return json_integer((json_int_t)v);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	return json_string(text);
}

static json_t *json_seconds(uint64_t ns)
{
	uint64_t second = NSEC_PER_SEC;

	return json_real((double)(ns / second) + (double)(ns % second) / (double)second);
}

static json_t *json_text(const struct blob *b, struct blob_str s)
{
	return json_stringn_nocheck(blob_text(b, s), s.len);
}

static char *json_body(json_t *root, size_t *ret_n)
{
	char *body = root ? json_dumps(root, DUMP_FLAGS) : NULL;

	json_decref(root);
	if (body) {
		*ret_n = strlen(body);
		body[(*ret_n)++] = '\n';        /* in the place of the NUL */
	}
	return body;
}

/* Who speaks: the same in both objects. */
static json_t *json_identity(const struct blob *b)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string("uncored"));
	json_object_set_new(o, "version", json_text(b, b->version));
	json_object_set_new(o, "revision", json_text(b, b->revision));
	json_object_set_new(o, "processor", json_text(b, b->processor));
	json_object_set_new(o, "engine", json_text(b, b->engine));
	json_object_set_new(o, "simulated", json_boolean(strcmp(blob_text(b, b->engine), "model") == 0));
	json_object_set_new(o, "note", json_text(b, b->note));
	json_object_set_new(o, "workload", json_text(b, b->workload));
	json_object_set_new(o, "interval_seconds", json_seconds((uint64_t)b->interval));
	return o;
}

/* ------------------------------------------------------------------ --once */

static json_t *json_labels(const struct expo_view *v, const struct blob_series *s)
{
	const char *at = blob_text(v->blob, s->labels);
	json_t *o = json_object();
	struct strb name, value;

	strb_init(&name, TEXT_MAX);
	strb_init(&value, TEXT_MAX);
	while (labels_next(&at, &name, &value))
		json_object_set_new(o, name.s, json_string(value.s));
	if (s->kind == BLOB_REASON)
		json_object_set_new(o, "reason", json_string(reason_name((enum reason)view_word(v, s))));
	if (s->kind == BLOB_CPU)
		json_object_set_new(o, "cpu", (uint32_t)view_word(v, s) == UINT32_MAX ? json_string("") :
				    json_sprintf("%u", (uint32_t)view_word(v, s)));
	strb_done(&name);
	strb_done(&value);
	return o;
}

/* {"count":7,"sum":1.5,"created":..., "buckets":[{"le":"0.25","count":3},...]}, counts cumulative as in the text. */
static json_t *json_distribution(const struct expo_view *v, const struct blob_series *s)
{
	const struct blob_shape *shape = distribution_shape(v->blob, s);
	const uint64_t *words = distribution_words(v, s);
	json_t *o = json_object(), *buckets = json_array();
	uint64_t sum = 0;

	for (unsigned i = 0; i <= shape->histogram.n_bounds; i++) {
		const char *le = i < shape->histogram.n_bounds ? blob_text(v->blob, shape->le[i]) : "+Inf";

		sum += words[H_CLASSIC + i];
		json_array_append_new(buckets, json_pack("{s:s,s:o}", "le", le, "count", json_u64(sum)));
	}
	json_object_set_new(o, "count", json_u64(sum));
	json_object_set_new(o, "sum", json_real(distribution_sum(words)));
	json_object_set_new(o, "created", json_seconds(words[H_CREATED]));
	json_object_set_new(o, "buckets", buckets);
	return o;
}

static json_t *json_value(const struct expo_view *v, const struct blob_series *s)
{
	uint64_t word = view_word(v, s), product;
	double real;

	switch ((enum blob_kind)s->kind) {
	case BLOB_U64:
		return json_u64(word + s->carry);
	case BLOB_NSEC:
		return json_seconds(word + s->carry);
	case BLOB_SCALED:
		if (s->scale < 0x1p53 && s->scale == floor(s->scale) &&
		    !__builtin_mul_overflow(word + s->carry, (uint64_t)s->scale, &product))
			return json_u64(product);
		return json_real((double)(word + s->carry) * s->scale);
	case BLOB_DOUBLE:
		memcpy(&real, &word, sizeof(real));
		return json_real(real);
	case BLOB_IS_ZERO:
		return json_integer(word ? 0 : 1);
	case BLOB_DISTRIBUTION:
		return json_distribution(v, s);
	default:
		return json_u64(s->kind == BLOB_CONST ? s->carry : 1);
	}
}

/* Totals and gauges that are left out in the text stand here without a value and with the reason; rows that exist
 * only to say that something is wrong do not. */
static const char *hidden_reason(const struct expo_view *v, const struct blob_series *s)
{
	const struct layout *l;

	if (s->when != BLOB_IF_EQUAL || s->kind == BLOB_CONST || s->socket >= v->blob->n_sockets)
		return NULL;
	l = &blob_sockets(v->blob)[s->socket].layout;
	if (s->test_word >= l->metric_state)
		return view_metric_reason(v, s->socket, s->test_word - l->metric_state);
	return view_slot_reason(v, s->socket, s->test_word - l->slot_reason);
}

static json_t *json_series(const struct expo_view *v, const struct blob_series *s)
{
	bool shown = view_shown(v, s);
	const char *reason = shown ? NULL : hidden_reason(v, s);
	json_t *o;

	if (!shown && !reason)
		return NULL;
	o = json_object();
	json_object_set_new(o, "labels", json_labels(v, s));
	json_object_set_new(o, "valid", json_boolean(shown));
	if (shown)
		json_object_set_new(o, "value", json_value(v, s));
	else
		json_object_set_new(o, "reason", json_string(reason));
	return o;
}

char *json_render(const struct expo_view *v, size_t *ret_n)
{
	static const char *const types[BLOB_TYPES] = { [BLOB_COUNTER] = "counter", [BLOB_GAUGE] = "gauge", [BLOB_INFO] = "info",
						       [BLOB_HISTOGRAM] = "histogram" };
	json_t *root = json_identity(v->blob), *metrics = json_array();

	for (uint32_t f = 0; f < v->blob->n_families; f++) {
		const struct blob_family *family = &blob_families(v->blob)[f];
		json_t *o = json_object(), *series = json_array();

		json_object_set_new(o, "name", json_text(v->blob, family->name));
		json_object_set_new(o, "type", json_string(types[family->type]));
		json_object_set_new(o, "unit", json_text(v->blob, family->unit));
		json_object_set_new(o, "help", json_text(v->blob, family->help));
		for (uint32_t k = family->first; k < family->first + family->n; k++) {
			json_t *one = json_series(v, &blob_series(v->blob)[k]);

			if (one)
				json_array_append_new(series, one);
		}
		if (json_array_size(series)) {
			json_object_set_new(o, "series", series);
			json_array_append_new(metrics, o);
		} else {
			json_decref(series);
			json_decref(o);
		}
	}
	json_object_set_new(root, "metrics", metrics);
	return json_body(root, ret_n);
}

/* ------------------------------------------------------------------ /api/v1/status */

static json_t *status_groups(const struct expo_view *v, uint32_t i)
{
	const struct blob_socket *s = &blob_sockets(v->blob)[i];
	json_t *all = json_array();

	for (uint32_t g = 0; g < s->n_groups; g++) {
		const struct blob_group *group = &blob_groups(v->blob)[s->first_group + g];
		const struct blob_series *seconds = &blob_series(v->blob)[group->seconds];
		const uint32_t *members = &blob_members(v->blob)[group->first];
		json_t *o = json_object();
		unsigned valid = 0;

		for (uint32_t k = 0; k < group->n; k++)
			valid += !*view_slot_reason(v, i, members[k]);
		json_object_set_new(o, "name", json_text(v->blob, group->name));
		json_object_set_new(o, "round", json_integer(group->round));
		json_object_set_new(o, "running", json_boolean(v->numbers[i] && v->words[i][W_ROUND] == group->round));
		json_object_set_new(o, "active_seconds", json_seconds(view_word(v, seconds) + seconds->carry));
		json_object_set_new(o, "slots", json_integer(group->n));
		json_object_set_new(o, "slots_valid", json_integer(valid));
		json_array_append_new(all, o);
	}
	return all;
}

/* Names of the groups that hold a slot. */
static json_t *groups_of_slot(const struct expo_view *v, const struct blob_socket *s, uint32_t slot)
{
	json_t *names = json_array();

	for (uint32_t g = 0; g < s->n_groups; g++) {
		const struct blob_group *group = &blob_groups(v->blob)[s->first_group + g];

		for (uint32_t k = 0; k < group->n; k++)
			if (blob_members(v->blob)[group->first + k] == slot)
				json_array_append_new(names, json_text(v->blob, group->name));
	}
	return names;
}

static json_t *status_invalid_slots(const struct expo_view *v, uint32_t i)
{
	const struct blob_socket *s = &blob_sockets(v->blob)[i];
	json_t *all = json_array();

	for (uint32_t k = 0; k < s->n_slots; k++) {
		const char *reason = view_slot_reason(v, i, k);
		json_t *o;

		if (!*reason)
			continue;
		o = json_object();
		json_object_set_new(o, "slot", json_text(v->blob, blob_slots(v->blob)[s->first_slot + k].identity));
		json_object_set_new(o, "groups", groups_of_slot(v, s, k));
		json_object_set_new(o, "reason", json_string(reason));
		json_array_append_new(all, o);
	}
	return all;
}

/* Metrics without a value now: a guard (conflict), or nothing to divide by or from (no_data). */
static json_t *status_invalid_metrics(const struct expo_view *v, uint32_t i)
{
	const struct blob_socket *s = &blob_sockets(v->blob)[i];
	json_t *all = json_array();

	for (uint32_t k = 0; k < s->n_metrics; k++) {
		const struct blob_metric *m = &blob_metrics(v->blob)[s->first_metric + k];
		const char *reason = view_metric_reason(v, i, k);
		json_t *o;

		if (!*reason)
			continue;
		o = json_object();
		json_object_set_new(o, "metric", json_text(v->blob, m->name));
		json_object_set_new(o, "labels", json_labels(v, &blob_series(v->blob)[m->series]));
		json_object_set_new(o, "reason", json_string(reason));
		json_array_append_new(all, o);
	}
	return all;
}

/* A cumulative word of the socket with what older plans left. */
static uint64_t socket_total(const struct expo_view *v, uint32_t socket, uint32_t word)
{
	for (uint32_t k = 0; k < v->blob->n_series; k++) {
		const struct blob_series *s = &blob_series(v->blob)[k];

		if (s->socket == socket && s->word == word && s->carries)
			return view_word(v, s) + s->carry;
	}
	return 0;
}

static json_t *status_socket(const struct expo_view *v, uint32_t i)
{
	const struct blob_socket *s = &blob_sockets(v->blob)[i];
	const uint64_t *w = v->words[i], *board = v->words[v->blob->n_sockets];
	bool cpu = (uint32_t)w[W_CPU] != UINT32_MAX;
	json_t *o = json_object();

	json_object_set_new(o, "socket", json_integer(s->id));
	json_object_set_new(o, "processor", json_text(v->blob, v->blob->processor));
	json_object_set_new(o, "engine", json_text(v->blob, s->engine));
	json_object_set_new(o, "cpu", cpu ? json_integer((json_int_t)w[W_CPU]) : json_null());
	json_object_set_new(o, "up", json_boolean(board[B_UP + i]));
	json_object_set_new(o, "ready", json_boolean(v->numbers[i]));
	json_object_set_new(o, "rounds", json_integer(s->n_rounds));
	json_object_set_new(o, "running_round", v->numbers[i] ? json_u64(w[W_ROUND]) : json_null());
	json_object_set_new(o, "last_sample_timestamp_seconds", v->numbers[i] ? json_seconds(w[W_NOW_WALL]) : json_null());
	json_object_set_new(o, "sample_duration_seconds", json_seconds(w[W_DURATION]));
	json_object_set_new(o, "lateness_seconds", json_seconds(w[W_LATENESS]));
	json_object_set_new(o, "samples", json_u64(socket_total(v, i, W_TICKS)));
	json_object_set_new(o, "ticks_missed", json_u64(socket_total(v, i, W_MISSED)));
	json_object_set_new(o, "groups", status_groups(v, i));
	json_object_set_new(o, "invalid_slots", status_invalid_slots(v, i));
	json_object_set_new(o, "invalid_metrics", status_invalid_metrics(v, i));
	return o;
}

char *status_render(const struct expo_view *v, size_t *ret_n)
{
	const uint64_t *board = v->words[v->blob->n_sockets];
	json_t *root = json_identity(v->blob), *sockets = json_array();
	bool ready = true;

	for (uint32_t i = 0; i < v->blob->n_sockets; i++) {
		json_array_append_new(sockets, status_socket(v, i));
		ready = ready && v->numbers[i];
	}
	json_object_set_new(root, "ready", json_boolean(ready));
	json_object_set_new(root, "config_last_reload_successful",
			    board[B_START_WALL_NSEC] ? json_boolean(board[B_CONFIG_OK]) : json_null());
	json_object_set_new(root, "sockets", sockets);
	return json_body(root, ret_n);
}
