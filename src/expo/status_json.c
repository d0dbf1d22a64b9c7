/* SPDX-License-Identifier: MIT
 * JSON: the status page for programs.
 * Owns:  its keys (contrib/schema/status.schema.json), and what snapshots say of who speaks.
 *        Numbers above 2^53 are texts.
 * http child, or main for --once.
 */
#include "expo/description.h"
#include "expo/json.h"

#include <string.h>

static json_t *seconds_of(uint64_t ns)
{
	uint64_t second = NSEC_PER_SEC;

	return json_real((double)(ns / second) + (double)(ns % second) / (double)second);
}

static json_t *text(const struct desc *d, struct desc_str s)
{
	return json_stringn_nocheck(desc_text(d, s), s.len);
}

/* NULL where it is empty: such a member is left out. */
static json_t *text_or_none(const struct desc *d, struct desc_str s)
{
	return s.len ? text(d, s) : NULL;
}

/* Who speaks: the same in both documents. */
static json_t *add_identity(json_t *o, const struct desc *d)
{
	return JS_ADD(o,
		{ "name", js_text("uncored") }, { "version", text(d, d->version) },
		{ "revision", text(d, d->revision) }, { "host", text_or_none(d, d->host) },
		{ "machine", text_or_none(d, d->machine) }, { "processor", text(d, d->processor) },
		{ "model", text_or_none(d, d->model) }, { "engine", text(d, d->engine) },
		{ "simulated", json_boolean(strcmp(desc_text(d, d->engine), "model") == 0) },
		{ "note", text(d, d->note) }, { "workload", text(d, d->workload) },
		{ "interval_seconds", seconds_of((uint64_t)d->interval) });
}

char *json_identity_text(const struct desc *d)
{
	return js_dump(JS_ADD(add_identity(json_object(), d),
		{ "rotation_seconds", d->rotation ? seconds_of((uint64_t)d->rotation) : NULL }), 0);
}

static json_t *json_labels(const struct expo_view *v, const struct desc_series *s)
{
	const struct desc_label *l = desc_labels(v->desc) + s->labels.first;
	char cpu[DIGITS_MAX];
	const char *value, *label = value_label(s->kind, view_word(v, s), cpu, &value);
	json_t *o = json_object();

	for (uint32_t i = 0; i < s->labels.n; i++)
		json_object_set_new(o, desc_text(v->desc, l[i].name), text(v->desc, l[i].value));
	if (label)
		json_object_set_new(o, label, js_text(value));
	return o;
}

static json_t *status_groups(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	json_t *all = json_array();

	for (uint32_t g = 0; g < s->n_groups; g++) {
		const struct desc_group *group = &desc_groups(v->desc)[s->first_group + g];
		const struct desc_series *seconds = &desc_series(v->desc)[group->active_series];
		const uint32_t *members = &desc_members(v->desc)[group->first];
		const uint32_t *rounds = &desc_members(v->desc)[group->first_round];
		unsigned valid = 0;

		for (uint32_t k = 0; k < group->n; k++)
			valid += !view_slot_reason(v, i, members[k]);
		json_array_append_new(all, JS_OBJECT(
			{ "name", text(v->desc, group->name) },
			{ "round", json_integer(rounds[0]) },
			{ "rounds", JS_LIST(k, group->n_rounds, json_integer(rounds[k])) },
			{ "running", json_boolean(v->publications[i] &&
				desc_has(rounds, group->n_rounds, v->words[i][W_ROUND])) },
			{ "active_seconds", seconds_of(view_word(v, seconds) + seconds->offset) },
			{ "slots", json_integer(group->n) },
			{ "slots_valid", json_integer(valid) }));
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
				json_array_append_new(names, text(v->desc, group->name));
	}
	return names;
}

static json_t *status_invalid_slots(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	const struct desc_str *slots = &desc_slots(v->desc)[s->first_slot];

	return JS_LIST(k, s->n_slots, !view_slot_reason(v, i, k) ? NULL : JS_OBJECT(
		{ "slot", text(v->desc, slots[k]) },
		{ "groups", groups_of_slot(v, s, k) },
		{ "reason", js_text(reason_name(view_slot_reason(v, i, k))) }));
}

/* Metrics without a value now. */
static json_t *status_invalid_metrics(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	const struct desc_metric *m = &desc_metrics(v->desc)[s->first_metric];

	return JS_LIST(k, s->n_metrics, !view_metric_reason(v, i, k) ? NULL : JS_OBJECT(
		{ "metric", text(v->desc, m[k].name) },
		{ "labels", json_labels(v, &desc_series(v->desc)[m[k].series]) },
		{ "reason", js_text(reason_name(view_metric_reason(v, i, k))) }));
}

/* The socket's I/O stacks; devices: their names for people. */
static json_t *status_stacks(const struct expo_view *v, uint32_t i)
{
	const struct desc_stack *s = desc_stacks(v->desc);

	return JS_LIST(k, v->desc->stacks.n, s[k].socket != i ? NULL : JS_OBJECT(
		{ "unit", json_integer(s[k].unit) }, { "pci_bus", text(v->desc, s[k].pci_bus) },
		{ "devices", text(v->desc, s[k].names) }));
}

/* A total of the socket, with what it was before the last reload. */
static uint64_t socket_total(const struct expo_view *v, uint32_t socket, uint32_t index)
{
	for (uint32_t k = 0; k < v->desc->series.n; k++) {
		const struct desc_series *s = &desc_series(v->desc)[k];

		if (s->socket == socket && s->index == index && s->at_reload != RELOAD_RESTARTS)
			return view_word(v, s) + s->offset;
	}
	return 0;
}

static json_t *status_socket(const struct expo_view *v, uint32_t i)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[i];
	const uint64_t *w = v->words[i];

	return JS_OBJECT(
		{ "socket", json_integer(s->id) },
		{ "processor", text(v->desc, v->desc->processor) },
		{ "model", text_or_none(v->desc, v->desc->model) },
		{ "engine", text(v->desc, s->engine) },
		{ "cpu", (uint32_t)w[W_CPU] == UINT32_MAX ? json_null() :
			 json_integer((json_int_t)w[W_CPU]) },
		{ "up", json_boolean(w[W_UP]) }, { "ready", json_boolean(w[W_UP]) },
		{ "rounds", json_integer(s->n_rounds) },
		{ "running_round", v->publications[i] ? js_number(w[W_ROUND]) : json_null() },
		{ "last_sample_timestamp_seconds",
		  v->publications[i] ? seconds_of(w[W_NOW_WALL]) : json_null() },
		{ "sample_duration_seconds", seconds_of(w[W_DURATION]) },
		{ "lateness_seconds", seconds_of(w[W_LATENESS]) },
		{ "samples", js_number(socket_total(v, i, W_TICKS)) },
		{ "ticks_missed", js_number(socket_total(v, i, W_MISSED)) },
		{ "groups", status_groups(v, i) }, { "invalid_slots", status_invalid_slots(v, i) },
		{ "invalid_metrics", status_invalid_metrics(v, i) },
		{ "io_stacks", status_stacks(v, i) });
}

char *status_render(const struct expo_view *v, size_t *ret_n)
{
	const uint64_t *daemon = v->words[v->desc->sockets.n];
	json_t *root = JS_OBJECT({ "format", js_text("uncored-status-1") });
	bool ready = true;

	for (uint32_t i = 0; i < v->desc->sockets.n; i++)
		ready = ready && v->words[i][W_UP];
	JS_ADD(add_identity(root, v->desc),
		{ "ready", json_boolean(ready) },
		{ "without_counters", text(v->desc, v->desc->no_counters_reason) },
		{ "uncounted_memory", text(v->desc, v->desc->uncounted) },
		{ "config_last_reload_successful",
		  daemon[D_START_WALL_NSEC] ? json_boolean(daemon[D_CONFIG_OK]) : json_null() },
		{ "log_lines_lost", js_number(daemon[D_LOG_LOST]) },
		{ "sockets", JS_LIST(i, v->desc->sockets.n, status_socket(v, i)) });
	return js_body(root, 1, ret_n);
}
