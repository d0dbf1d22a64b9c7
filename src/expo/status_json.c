/* status_json.c - JSON: the status page for programs.
 *
 * Owns:  its keys (contrib/schema/status.schema.json), and what snapshots say of who speaks. Numbers above 2^53 are texts.
 * http child, or main for --once.
 */
#include "config.h"

#include "expo/description.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX   (UINT64_C(1) << 53)
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

static json_t *json_text(const struct desc *b, struct desc_str s)
{
	return json_stringn_nocheck(desc_text(b, s), s.len);
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

/* Who speaks: the same in both documents. */
static json_t *json_identity(const struct desc *b)
{
	json_t *o = json_object();

	json_object_set_new(o, "name", json_string("uncored"));
	json_object_set_new(o, "version", json_text(b, b->version));
	json_object_set_new(o, "revision", json_text(b, b->revision));
	json_object_set_new(o, "processor", json_text(b, b->processor));
	json_object_set_new(o, "engine", json_text(b, b->engine));
	json_object_set_new(o, "simulated", json_boolean(strcmp(desc_text(b, b->engine), "model") == 0));
	json_object_set_new(o, "note", json_text(b, b->note));
	json_object_set_new(o, "workload", json_text(b, b->workload));
	json_object_set_new(o, "interval_seconds", json_seconds((uint64_t)b->interval));
	return o;
}

char *json_identity_text(const struct desc *b)
{
	json_t *o = json_identity(b);
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));

	json_decref(o);
	return text;
}

static json_t *json_labels(const struct expo_view *v, const struct desc_series *s)
{
	const struct desc_label *l = desc_labels(v->desc) + s->labels.first;
	json_t *o = json_object();

	for (uint32_t i = 0; i < s->labels.n; i++)
		json_object_set_new(o, desc_text(v->desc, l[i].name), json_text(v->desc, l[i].value));
	if (s->kind == DESC_REASON)
		json_object_set_new(o, "reason", json_string(reason_name((enum reason)view_word(v, s))));
	if (s->kind == DESC_CPU)
		json_object_set_new(o, "cpu", (uint32_t)view_word(v, s) == UINT32_MAX ? json_string("") :
				    json_sprintf("%u", (uint32_t)view_word(v, s)));
	return o;
}

/* ------------------------------------------------------------------ /api/v1/status */

static json_t *status_groups(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	json_t *all = json_array();

	for (uint32_t g = 0; g < s->n_groups; g++) {
		const struct desc_group *group = &desc_groups(v->desc)[s->first_group + g];
		const struct desc_series *seconds = &desc_series(v->desc)[group->seconds];
		const uint32_t *members = &desc_members(v->desc)[group->first];
		json_t *o = json_object();
		unsigned valid = 0;

		for (uint32_t k = 0; k < group->n; k++)
			valid += !*view_slot_reason(v, i, members[k]);
		json_object_set_new(o, "name", json_text(v->desc, group->name));
		json_object_set_new(o, "round", json_integer(group->round));
		json_object_set_new(o, "running", json_boolean(v->numbers[i] && v->words[i][W_ROUND] == group->round));
		json_object_set_new(o, "active_seconds", json_seconds(view_word(v, seconds) + seconds->offset));
		json_object_set_new(o, "slots", json_integer(group->n));
		json_object_set_new(o, "slots_valid", json_integer(valid));
		json_array_append_new(all, o);
	}
	return all;
}

/* Names of the groups that hold a slot. */
static json_t *groups_of_slot(const struct expo_view *v, const struct desc_socket *s, uint32_t slot)
{
	json_t *names = json_array();

	for (uint32_t g = 0; g < s->n_groups; g++) {
		const struct desc_group *group = &desc_groups(v->desc)[s->first_group + g];

		for (uint32_t k = 0; k < group->n; k++)
			if (desc_members(v->desc)[group->first + k] == slot)
				json_array_append_new(names, json_text(v->desc, group->name));
	}
	return names;
}

static json_t *status_invalid_slots(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	json_t *all = json_array();

	for (uint32_t k = 0; k < s->n_slots; k++) {
		const char *reason = view_slot_reason(v, i, k);
		json_t *o;

		if (!*reason)
			continue;
		o = json_object();
		json_object_set_new(o, "slot", json_text(v->desc, desc_slots(v->desc)[s->first_slot + k].identity));
		json_object_set_new(o, "groups", groups_of_slot(v, s, k));
		json_object_set_new(o, "reason", json_string(reason));
		json_array_append_new(all, o);
	}
	return all;
}

/* Metrics without a value now: a guard (conflict), nothing to divide by or from (no_data), or the socket is stalled. */
static json_t *status_invalid_metrics(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	json_t *all = json_array();

	for (uint32_t k = 0; k < s->n_metrics; k++) {
		const struct desc_metric *m = &desc_metrics(v->desc)[s->first_metric + k];
		const char *reason = view_metric_reason(v, i, k);
		json_t *o;

		if (!*reason)
			continue;
		o = json_object();
		json_object_set_new(o, "metric", json_text(v->desc, m->name));
		json_object_set_new(o, "labels", json_labels(v, &desc_series(v->desc)[m->series]));
		json_object_set_new(o, "reason", json_string(reason));
		json_array_append_new(all, o);
	}
	return all;
}

/* A cumulative word of the socket with what older plans left. */
static uint64_t socket_total(const struct expo_view *v, uint32_t socket, uint32_t word)
{
	for (uint32_t k = 0; k < v->desc->series.n; k++) {
		const struct desc_series *s = &desc_series(v->desc)[k];

		if (s->socket == socket && s->word == word && s->continues)
			return view_word(v, s) + s->offset;
	}
	return 0;
}

static json_t *status_socket(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	const uint64_t *w = v->words[i];
	bool cpu = (uint32_t)w[W_CPU] != UINT32_MAX;
	json_t *o = json_object();

	json_object_set_new(o, "socket", json_integer(s->id));
	json_object_set_new(o, "processor", json_text(v->desc, v->desc->processor));
	json_object_set_new(o, "engine", json_text(v->desc, s->engine));
	json_object_set_new(o, "cpu", cpu ? json_integer((json_int_t)w[W_CPU]) : json_null());
	json_object_set_new(o, "up", json_boolean(w[W_UP]));
	json_object_set_new(o, "ready", json_boolean(w[W_UP]));
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
	const uint64_t *daemon = v->words[v->desc->sockets.n];
	json_t *root = json_object(), *identity = json_identity(v->desc), *sockets = json_array();
	bool ready = true;

	json_object_set_new(root, "format", json_string("uncored-status-1"));
	json_object_update(root, identity);
	json_decref(identity);

	for (uint32_t i = 0; i < v->desc->sockets.n; i++) {
		json_array_append_new(sockets, status_socket(v, i));
		ready = ready && v->words[i][W_UP];
	}
	json_object_set_new(root, "ready", json_boolean(ready));
	json_object_set_new(root, "config_last_reload_successful",
			    daemon[D_START_WALL_NSEC] ? json_boolean(daemon[D_CONFIG_OK]) : json_null());
	json_object_set_new(root, "log_lines_lost", json_u64(daemon[D_LOG_LOST]));
	json_object_set_new(root, "sockets", sockets);
	return json_body(root, ret_n);
}
