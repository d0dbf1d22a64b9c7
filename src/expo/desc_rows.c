/* SPDX-License-Identifier: MIT
 * A plan as a description: every series that it can ever show.
 * Owns:  the order of all families; the daemon's own, their HELP, which value a series of them has,
 *        and which one shows it.
 * Never: what the plan counts (desc_counted.c), values, how a body is put together.
 * Main thread; allocates.
 */
#include "expo/desc_counted.h"
#include "expo/distribution.h"
#include "expo/verified.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a family has one series for. */
enum scope {
	SCOPE_BUILD,            /* the program */
	SCOPE_STALE,            /* each reason why what verify left does not hold any more */
	SCOPE_CURVE,            /* each reason why the curve of memory does not */
	SCOPE_DAEMON,           /* the daemon, once it has written its values */
	SCOPE_REGISTERS,        /* the same, with the engine registers only */
	SCOPE_HTTP,             /* the http process, where there is one */
	SCOPE_ANSWER,           /* each of its kinds of answers */
	SCOPE_INFO,             /* each socket, with processor and engine */
	SCOPE_ROUNDS,           /* each socket; the value is the plan's */
	SCOPE_NODES,            /* each socket that has several nodes; likewise */
	SCOPE_SOCKET,           /* each socket */
	SCOPE_SAMPLED,          /* each socket that has been sampled */
	SCOPE_FAST,             /* each socket that ticks more than once a second */
	SCOPE_LATENESS,         /* the same, a distribution */
	SCOPE_CHANNELS,         /* each socket that counts memory channels, and state of these */
	SCOPE_IO_STACK,         /* each I/O stack of which there is room to say the root bus */
	SCOPE_IO_DEVICE,        /* each device of those of which there is room to say that */
	SCOPE_UNIT_NODE,        /* each unit of which a node is proved, where there is room */
	SCOPE_REASON,           /* each socket and reason */
	SCOPE_VERIFIED,         /* each metric that verify has compared with its load */
	SCOPE_GROUP,            /* each group of each socket */
	SCOPE_SLOT,             /* each identity that slots count */
	SCOPE_METRIC,           /* each metric */
	SCOPE_DISTRIBUTION,     /* each metric with a peak or a distribution */
};

#define FAMILY_VALUE_SOCKET(id) W_##id
#define FAMILY_VALUE_DAEMON(id) D_##id
#define FAMILY_VALUE_NONE(id)   0
#define FAMILY_ID(values, id, ...) DAEMON_##id,
#define FAMILY_ROW(values, id, scope, kind, type, unit, name, help) \
	{ { name, help, DESC_##type, unit, "", 0 }, \
	  SCOPE_##scope, DESC_##kind, FAMILY_VALUE_##values(id) },

#define ANSWER_LABELS(code, path) { #code, #path },

/* The daemon's own families; what is counted has its names and HELP from the plan. */
enum daemon_family_id { DAEMON_METRICS(FAMILY_ID) DAEMON_COUNT };
static const struct daemon_family {
	struct build_family family;
	uint8_t scope, kind;            /* enum scope, desc_kind */
	uint16_t index;
} daemon_families[] = { DAEMON_METRICS(FAMILY_ROW) };

/* One more series of a family of the daemon. */
static uint32_t add_daemon_series(struct builder *b, const struct daemon_family *o,
				  struct desc_series s)
{
	s.kind = o->kind;
	return build_series(b, &o->family, &s);
}

/* A series for each of the bits, which are of enum stale. */
static void add_reasons_stale(struct builder *b, const struct daemon_family *o, unsigned bits)
{
	for (unsigned r = 0; r < STALE_REASONS; r++) {
		if (!(bits & BIT(r)))
			continue;
		build_labels(b, b->plan->n_sockets);
		build_label(b, "reason", stale_names[r]);
		add_daemon_series(b, o, (struct desc_series){ .constant = 1 });
	}
}

static void add_stale(struct builder *b, const struct daemon_family *o, unsigned i)
{
	(void)i;
	if (b->id->verified)
		add_reasons_stale(b, o, b->id->verified->stale);
}

static void add_curve_stale(struct builder *b, const struct daemon_family *o, unsigned i)
{
	(void)i;
	add_reasons_stale(b, o, b->plan->curve_stale);
}

static void add_build(struct builder *b, const struct daemon_family *o, unsigned i)
{
	(void)i;
	build_labels(b, 0);
	build_label(b, "version", b->id->version);
	build_label(b, "revision", b->id->revision);
	add_daemon_series(b, o, (struct desc_series){ .constant = 1 });
}

/* Shown once its writer has written it. */
static void build_daemon_series(struct builder *b, const struct daemon_family *o, unsigned index)
{
	unsigned began = o->scope >= SCOPE_HTTP ? D_HTTP_BEGAN : D_START_WALL_NSEC;

	add_daemon_series(b, o, (struct desc_series){
		.index = index, .created = index == D_DROPPED ? D_HTTP_BEGAN : began,
		.when = DESC_IF_DIFFERENT, .test_index = began });
}

static void add_daemon(struct builder *b, const struct daemon_family *o, unsigned i)
{
	(void)i;
	if (o->scope == SCOPE_REGISTERS && strcmp(b->id->engine, "registers") != 0)
		return;
	build_labels(b, b->plan->n_sockets);
	build_daemon_series(b, o, o->index);
}

static void add_answers(struct builder *b, const struct daemon_family *o, unsigned i)
{
	static const char *const labels[][2] = { HTTP_ANSWERS(ANSWER_LABELS) };

	(void)i;
	for (unsigned k = 0; k < COUNT(labels); k++) {
		build_labels(b, b->plan->n_sockets);
		build_label(b, "code", labels[k][0]);
		build_label(b, "path", labels[k][1]);
		build_daemon_series(b, o, D_ANSWERS + k);
	}
}

/* The box engine; perf if there is no box slot. */
static const char *socket_engine(const struct builder *b, unsigned i)
{
	return build_socket(b, i)->has_reg || b->id->simulated_perf ? b->id->engine : "perf";
}

/* A model must not be taken for a machine: its note comes first in the HELP. */
static void add_info(struct builder *b, const struct daemon_family *o, unsigned i)
{
	struct desc_series s = { .kind = o->kind, .index = o->index };
	struct build_family f = o->family;

	f.note = b->id->engine_note;
	desc_labels_socket(b, i);
	build_label(b, "processor", b->id->processor);
	if (b->id->model && *b->id->model)
		build_label(b, "model", b->id->model);
	build_label(b, "engine", socket_engine(b, i));
	build_series(b, &f, &s);
}

static bool needs_any(const struct plan_metric *m, const bool *slots)
{
	for METRIC_EACH_ADDEND(a, m)
		if (a->slot >= 0 && slots[a->slot])
			return true;
	return false;
}

/* Marks the metrics of a round that have one of the group's slots as an input, by their series. */
static void find_group_metrics(struct builder *b, const struct plan_socket *s,
			       const struct plan_group *g, unsigned round, bool *found)
{
	AUTO_FREE(free) bool *slots = calloc(s->rounds[round].n_slots + 1, sizeof(*slots));

	if (!slots) {
		b->pool.failed = true;
		return;
	}
	for (unsigned k = 0; k < g->n_slots; k++)
		slots[g->slots[round][k]] = true;
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metrics[i].round == round && needs_any(&s->metrics[i], slots))
			found[s->metrics[i].series] = true;
}

static uint32_t add_member(struct builder *b, uint32_t number)
{
	strb_add_mem(&b->members, &number, sizeof(number));
	return 1;
}

static bool runs_in(const struct plan_round *r, unsigned group)
{
	for (unsigned i = 0; i < r->n_groups; i++)
		if (r->groups[i] == group)
			return true;
	return false;
}

/* The metrics and the rounds of a group. */
static void add_group_members(struct builder *b, const struct plan_socket *s, unsigned group,
			      struct desc_group *row)
{
	AUTO_FREE(free) bool *found = calloc(s->n_metric_series + 1UL, sizeof(*found));

	if (!found) {
		b->pool.failed = true;
		return;
	}
	for (unsigned r = 0; r < s->n_rounds; r++)
		if (runs_in(&s->rounds[r], group))
			find_group_metrics(b, s, &s->groups[group], r, found);
	row->first_metric = desc_n_members(b);
	for (unsigned m = 0; m < s->n_metric_series; m++)
		if (found[m])
			row->n_metrics += add_member(b, m);
	row->first_round = desc_n_members(b);
	for (unsigned r = 0; r < s->n_rounds; r++)
		if (runs_in(&s->rounds[r], group))
			row->n_rounds += add_member(b, r);
}

static void add_groups(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct plan_group *group = &s->groups[g];
		struct desc_group row = { .name = strings_add_text(&b->strings, group->name),
					  .first = desc_n_members(b),
					  .n = group->n_slots };

		desc_labels_socket(b, i);
		build_label(b, "group", group->name);
		row.active_series = add_daemon_series(b, o, (struct desc_series){
			.index = layout_of(s).group_active + g, .subject = DESC_SUBJECT_GROUP,
			.item = g, .at_reload = RELOAD_CONTINUES });
		for (unsigned k = 0; k < group->n_slots; k++) {
			const struct plan_round *round = &s->rounds[group->round];

			add_member(b, round->slots[group->slots[group->round][k]].series);
		}
		add_group_members(b, s, g, &row);
		strb_add_mem(&b->groups, &row, sizeof(row));
	}
}

static void add_nodes(struct builder *b, const struct daemon_family *o, unsigned i)
{
	if (build_socket(b, i)->n_nodes < 2)
		return;
	desc_labels_socket(b, i);
	add_daemon_series(b, o, (struct desc_series){ .constant = build_socket(b, i)->n_nodes });
}

static void add_channels(struct builder *b, const struct daemon_family *o, unsigned i)
{
	static const struct { const char *state; unsigned word; } states[] = {
		{ "with_memory", W_CHANNELS_WITH_MEMORY }, { "counting", W_CHANNELS_COUNTING },
	};

	for (unsigned k = 0; build_socket(b, i)->n_channels && k < COUNT(states); k++) {
		desc_labels_socket(b, i);
		build_label(b, "state", states[k].state);
		add_daemon_series(b, o, (struct desc_series){
			.index = states[k].word, .when = DESC_IF_DIFFERENT,
			.test_index = W_NOW_WALL, .at_reload = RELOAD_RESTARTS });
	}
}

/* Where something is: of a modelled machine, too, it must not be taken for a real one's. */
static void add_location(struct builder *b, const struct daemon_family *o)
{
	struct build_family f = o->family;

	if (b->id->simulated_perf && *b->id->engine_note)
		f.note = "SIMULATED:";
	build_series(b, &f, &(struct desc_series){ .kind = o->kind, .constant = 1 });
}

static void add_io_stacks(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (const struct plan_stack *k = s->stacks; k && k < s->stacks + s->n_stacks; k++) {
		if (!k->shown)
			continue;
		desc_labels_socket(b, i);
		build_label_number(b, "unit", k->unit);
		build_label(b, "pci_bus", k->pci_bus);
		add_location(b, o);
	}
}

/* A label whose value is empty is none. */
static void label_unless_empty(struct builder *b, const char *name, const char *value)
{
	if (*value)
		build_label(b, name, value);
}

static void add_io_devices(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (const struct plan_stack *k = s->stacks; k && k < s->stacks + s->n_stacks; k++)
		for (unsigned n = 0; k->devices_shown && n < k->n_devices; n++) {
			const struct plan_io_device *d = &k->devices[n];

			desc_labels_socket(b, i);
			build_label_number(b, "unit", k->unit);
			build_label(b, "pci", d->pci);
			label_unless_empty(b, "driver", d->driver);
			build_label(b, "class", d->kind);
			label_unless_empty(b, "name", d->name);
			build_label_number(b, "devices", k->n_sharing);
			add_location(b, o);
		}
}

static void add_unit_nodes(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (const struct plan_unit *u = s->units; u && u < s->units + s->n_units; u++) {
		if (!u->node_shown)
			continue;
		desc_labels_socket(b, i);
		build_label(b, "box", u->box_name);
		build_label_number(b, "unit", u->unit);
		build_label_number(b, "node", (unsigned)u->node);
		add_location(b, o);
	}
}

/* What page and JSON say of the stacks, whatever has room among the series. */
static void add_stacks(struct builder *b, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (const struct plan_stack *k = s->stacks; k && k < s->stacks + s->n_stacks; k++) {
		struct desc_stack row = { .socket = i, .unit = k->unit,
					  .pci_bus = strings_add_text(&b->strings, k->pci_bus),
					  .names = strings_add_text(&b->strings, k->names) };

		strb_add_mem(&b->stacks, &row, sizeof(row));
	}
}

static void add_reasons(struct builder *b, const struct daemon_family *o, unsigned i)
{
	for (unsigned r = REASON_NONE + 1; r < REASON_COUNT; r++) {
		desc_labels_socket(b, i);
		build_label(b, "reason", reason_name(r));
		add_daemon_series(b, o, (struct desc_series){
			.index = W_INVALID + r, .at_reload = RELOAD_CONTINUES });
	}
}

static bool is_fast(const struct plan_socket *s)
{
	for (unsigned r = 0; r < s->n_rounds; r++)
		if (s->rounds[r].tick < NSEC_PER_SEC)
			return true;
	return false;
}

/* A series without other labels. */
static void add_plain(struct builder *b, const struct daemon_family *o, unsigned i)
{
	bool sampled = o->scope == SCOPE_SAMPLED || o->scope == SCOPE_LATENESS;
	struct desc_series s = { .index = o->index, .test_index = W_NOW_WALL,
				 .when = sampled ? DESC_IF_DIFFERENT : DESC_ALWAYS,
				 .constant = build_socket(b, i)->n_rounds,
				 .at_reload = o->family.type == DESC_COUNTER ?
					RELOAD_CONTINUES : RELOAD_RESTARTS };

	if (o->scope > SCOPE_SAMPLED && !is_fast(build_socket(b, i)))
		return;
	desc_labels_socket(b, i);
	if (o->kind != DESC_DISTRIBUTION) {
		add_daemon_series(b, o, s);
		return;
	}
	s.index = layout_of(build_socket(b, i)).lateness;
	build_distribution(b, &o->family, &layout_lateness, &s);
}

static void add_distributions_invalid(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);

	for (unsigned k = 0; k < s->n_distribution_series; k++) {
		const struct plan_distribution *w = layout_distribution(s, k);
		struct desc_series v = { .index = layout_of(s).samples_invalid + k,
					 .at_reload = RELOAD_CONTINUES };

		desc_samples_subject(&v, w, plan_distribution_metric(s, w));
		desc_labels_metric(b, i, plan_distribution_metric(s, w), true);
		add_daemon_series(b, o, v);
	}
}

/* What the daemon says of a slot: its time, whether it is valid, why not. */
static void add_slot_state(struct builder *b, unsigned i, unsigned number)
{
	const struct plan_slot *slot = build_socket(b, i)->series[number].slot;
	bool shown = build_socket(b, i)->series[number].shown;
	struct layout l = layout_of(build_socket(b, i));
	struct desc_series s = { .subject = DESC_SUBJECT_SLOT, .item = number,
				 .index = l.slot_reason + number };

	desc_labels_socket(b, i);
	build_label(b, "box", slot->box_name);
	build_label_number(b, "unit", slot->unit);
	build_label(b, "event", slot->event_name);
	build_label_all(b, slot->labels);
	if (shown) {
		add_daemon_series(b, &daemon_families[DAEMON_SLOT_ACTIVE], (struct desc_series){
			.subject = DESC_SUBJECT_SLOT, .item = number,
			.index = l.slot_active + number, .at_reload = RELOAD_STAYS,
			.when = DESC_IF_DIFFERENT, .test_index = l.slot_active_shown + number,
			.key = strings_add_text(&b->strings, slot->identity) });
		add_daemon_series(b, &daemon_families[DAEMON_SLOT_VALID], s);
	}
	s.when = DESC_IF_DIFFERENT;
	s.test_index = s.index;
	s.test_value = REASON_NONE;
	add_daemon_series(b, &daemon_families[DAEMON_SLOT_INVALID], s);
}

/* The time for which the inputs of a derived counter were counted. */
static void add_metric_active(struct builder *b, unsigned i, unsigned number)
{
	const struct plan_socket *s = build_socket(b, i);
	const struct plan_metric *m = desc_metric_of(s, number);
	struct layout l = layout_of(s);

	if (!m->counter)
		return;
	desc_labels_metric(b, i, m, true);
	add_daemon_series(b, &daemon_families[DAEMON_METRIC_ACTIVE], (struct desc_series){
		.subject = DESC_SUBJECT_METRIC, .item = number, .index = l.metric_active + number,
		.when = DESC_IF_DIFFERENT, .test_index = l.metric_active_shown + number,
		.at_reload = RELOAD_STAYS });
}

/* The first series of the socket of a metric of this name; n_metric_series: it is no metric of the
 * plan. */
static unsigned verified_series(const struct plan_socket *s, const struct verified_metric *m)
{
	if (m->socket != s->id)
		return s->n_metric_series;
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (strcmp(s->metrics[i].name, m->name) == 0)
			return s->metrics[i].series;
	return s->n_metric_series;
}

/* What verify has found of the metrics of the socket's plan, one series each. */
static void add_verified(struct builder *b, const struct daemon_family *o, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);
	const struct verified *v = b->id->verified;

	for (unsigned k = 0; v && !v->stale && k < v->n; k++) {
		const struct verified_metric *m = &v->v[k];
		unsigned series = verified_series(s, m);
		struct desc_series d = { .subject = DESC_SUBJECT_METRIC, .item = series,
					 .constant = v->timestamp };

		if (series == s->n_metric_series)
			continue;
		if (o->kind == DESC_CONST_DOUBLE)
			memcpy(&d.constant, &m->error, sizeof(d.constant));
		desc_labels_socket(b, i);
		build_label(b, "metric", m->name);
		add_daemon_series(b, o, d);
	}
}

/* Why a metric is left out, while it is. */
static void add_metric_invalid(struct builder *b, unsigned i, unsigned number)
{
	const struct plan_metric *m = desc_metric_of(build_socket(b, i), number);
	unsigned reason = layout_of(build_socket(b, i)).metric_reason + number;

	desc_labels_metric(b, i, m, true);
	add_daemon_series(b, &daemon_families[DAEMON_METRIC_INVALID], (struct desc_series){
		.subject = DESC_SUBJECT_METRIC, .item = number, .index = reason,
		.when = DESC_IF_DIFFERENT, .test_index = reason, .test_value = REASON_NONE });
}

/* A socket's row and its slots. Its groups and metrics are there already. */
static void add_socket(struct builder *b, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);
	struct desc_socket row = {
		.id = s->id, .layout = layout_of(s), .n_rounds = s->n_rounds,
		.n_groups = s->n_groups, .n_metrics = s->n_metric_series, .n_slots = s->n_series,
		.first_slot = (uint32_t)(b->slots.n / sizeof(struct desc_str)),
		.engine = strings_add_text(&b->strings, socket_engine(b, i)) };

	row.n_words = row.layout.n_words;
	for (unsigned k = 0; k < i; k++) {
		row.first_group += build_socket(b, k)->n_groups;
		row.first_metric += build_socket(b, k)->n_metric_series;
	}
	for (unsigned k = 0; k < s->n_series; k++) {
		const char *identity = s->series[k].slot->identity;
		struct desc_str slot = strings_add_text(&b->strings, identity);

		strb_add_mem(&b->slots, &slot, sizeof(slot));
	}
	strb_add_mem(&b->sockets, &row, sizeof(row));
}

/* The daemon's families from..to-1. Series of slots and metrics are added elsewhere. */
static void add_rows(struct builder *b, enum daemon_family_id from, enum daemon_family_id to)
{
	static void (*const add[])(struct builder *, const struct daemon_family *, unsigned) = {
		[SCOPE_BUILD] = add_build, [SCOPE_STALE] = add_stale,
		[SCOPE_CURVE] = add_curve_stale, [SCOPE_DAEMON] = add_daemon,
		[SCOPE_REGISTERS] = add_daemon, [SCOPE_HTTP] = add_daemon,
		[SCOPE_ANSWER] = add_answers, [SCOPE_INFO] = add_info, [SCOPE_ROUNDS] = add_plain,
		[SCOPE_NODES] = add_nodes,
		[SCOPE_SOCKET] = add_plain, [SCOPE_SAMPLED] = add_plain, [SCOPE_FAST] = add_plain,
		[SCOPE_LATENESS] = add_plain, [SCOPE_CHANNELS] = add_channels,
		[SCOPE_IO_STACK] = add_io_stacks, [SCOPE_IO_DEVICE] = add_io_devices,
		[SCOPE_UNIT_NODE] = add_unit_nodes, [SCOPE_REASON] = add_reasons,
		[SCOPE_VERIFIED] = add_verified,
		[SCOPE_GROUP] = add_groups, [SCOPE_DISTRIBUTION] = add_distributions_invalid,
		[SCOPE_SLOT] = NULL, [SCOPE_METRIC] = NULL,
	};

	for (const struct daemon_family *o = &daemon_families[from]; o < &daemon_families[to]; o++)
		for (unsigned i = 0; add[o->scope] &&
		     i < (o->scope <= SCOPE_ANSWER ? 1 : b->plan->n_sockets); i++)
			add[o->scope](b, o, i);
}

int expo_describe(const struct plan *p, const struct expo_identity *id,
		  const struct expo_offsets *offsets, void **ret, size_t *ret_len, struct err *err)
{
	struct builder b;
	int r;

	if (p->n_sockets > EXPO_SOCKETS_MAX)
		return err_set(err, -E2BIG, "%u sockets, but no more than %u can be shown",
			       p->n_sockets, EXPO_SOCKETS_MAX);
	build_init(&b, p, id, offsets);
	add_rows(&b, 0, DAEMON_SAMPLE_INVALID);
	for (unsigned i = 0; i < p->n_sockets; i++)
		add_stacks(&b, i);
	for (unsigned i = 0; i < p->n_sockets; i++)
		desc_add_metrics(&b, i);
	for (unsigned i = 0; i < p->n_sockets; i++)
		desc_add_distributions(&b, i);
	add_rows(&b, DAEMON_SAMPLE_INVALID, DAEMON_SLOT_ACTIVE);
	for (unsigned i = 0; i < p->n_sockets; i++)
		for (unsigned k = 0; k < p->sockets[i].n_series; k++)
			desc_add_slot(&b, i, k);
	for (unsigned i = 0; i < p->n_sockets; i++) {
		for (unsigned k = 0; k < p->sockets[i].n_series; k++)
			add_slot_state(&b, i, k);
		for (unsigned k = 0; k < p->sockets[i].n_metric_series; k++)
			add_metric_active(&b, i, k);
		for (unsigned k = 0; k < p->sockets[i].n_metric_series; k++)
			add_metric_invalid(&b, i, k);
		add_socket(&b, i);
	}
	add_rows(&b, DAEMON_SLOT_ACTIVE, DAEMON_COUNT);
	r = build_finish(&b, ret, ret_len, err);
	build_done(&b);
	return r;
}
