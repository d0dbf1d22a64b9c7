/* SPDX-License-Identifier: MIT
 * What a plan counts as series: metrics, peaks and distributions, totals of events.
 * Owns:  the HELP and the order of these families; which value a series has, which one shows it.
 * Never: the daemon's own families (desc_rows.c), values, how a body is put together.
 * Main thread; allocates.
 */
#include "expo/desc_counted.h"
#include "expo/distribution.h"
#include "expo/verified.h"

#include <stdlib.h>
#include <string.h>

#define HELP_MAX 4096

void desc_labels_socket(struct builder *b, unsigned i)
{
	build_labels(b, i);
	build_label_number(b, "socket", build_socket(b, i)->id);
}

/* The box events beside a model are of the model; perf events count for real there, unless the
 * model is of a kernel. */
static const char *slot_note(const struct builder *b, const struct plan_slot *slot)
{
	return *b->id->engine_note && (slot->box || b->id->simulated_perf) ? "SIMULATED:" : "";
}

static const char *metric_note(const struct builder *b, const struct plan_socket *s,
			       const struct plan_metric *m)
{
	const struct plan_slot *slots = s->rounds[m->round].slots;

	for SUM_EACH_ADDEND(a, &m->num)
		if (a->slot >= 0 && *slot_note(b, &slots[a->slot]))
			return slot_note(b, &slots[a->slot]);
	return "";
}

void desc_labels_metric(struct builder *b, unsigned i, const struct plan_metric *m,
			  bool with_name)
{
	desc_labels_socket(b, i);
	build_label_all(b, m->labels);
	if (with_name)
		build_label(b, "metric", m->name);
}

const struct plan_metric *desc_metric_of(const struct plan_socket *s, unsigned series)
{
	const struct plan_metric *m = s->metrics;

	while (m->series != series)
		m++;
	return m;
}

/* A gauge is of the last interval alone, which a scrape every few intervals has to know. free() it;
 * NULL: there is no memory. */
static char *metric_help(const struct plan_metric *m)
{
	const char *end = m->help[strlen(m->help) - 1] == '.' ? "" : ".";
	struct strb t;

	strb_init(&t, HELP_MAX);
	strb_add(&t, m->help);
	if (!m->counter)
		strb_addf(&t, "%s Of the last interval in which it was counted.", end);
	return strb_take(&t);
}

/* Which of the description's stacks a metric is of, and one more; 0: of none. */
static uint32_t stack_of(const struct builder *b, unsigned i, const struct plan_metric *m)
{
	const struct desc_stack *all = (const struct desc_stack *)b->stacks.s;
	size_t n = b->stacks.n / sizeof(*all);

	for (size_t k = 0; m->stack && k < n; k++)
		if (all[k].socket == i && all[k].unit == m->stack->unit)
			return (uint32_t)k + 1;
	return 0;
}

#define RESTS_MAX 4096

/* What its values rest on; what was measured of them on a model is no measurement. */
static struct desc_str metric_rests(struct builder *b, const struct plan_metric *m)
{
	const struct verified *v = b->id->verified;
	char measured[VERIFIED_TEXT];
	struct desc_str ret;
	struct strb t;

	strb_init(&t, RESTS_MAX);
	strb_add(&t, m->rests ?: "");
	for (unsigned i = 0; v && !v->stale && !v->simulated && i < v->n; i++)
		if (strcmp(v->v[i].name, m->name) == 0)
			strb_addf(&t, "; %s", verified_text(v, &v->v[i], measured));
	ret = strings_add_text(&b->strings, t.s ?: "");
	strb_done(&t);
	return ret;
}

static nsec metric_known_after(const struct plan_metric *m)
{
	return m->with_memory && m->sum ? PLAN_CHANNELS_KNOWN : 0;
}

/* Does a group count in other rounds, too, than those in which a metric is derived? */
static bool runs_beside(const struct builder *b, const struct desc_metric *m,
			const struct desc_group *g)
{
	const uint32_t *members = (const uint32_t *)b->members.s;

	for (uint32_t i = 0; i < g->n_rounds; i++)
		if (!desc_has(members + m->first_round, m->n_rounds,
			      members[g->first_round + i]))
			return true;
	return false;
}

/* The rounds in which the metric `series` of a socket is derived, and the groups whose time shows
 * when. */
static void add_metric_members(struct builder *b, unsigned socket, uint32_t series,
			       struct desc_metric *row)
{
	const struct plan_socket *s = build_socket(b, socket);
	const struct desc_group *groups = (const struct desc_group *)b->groups.s;

	if (b->groups.failed || b->members.failed)
		return;                         /* build_finish() says so */
	for (unsigned i = 0; i < socket; i++)
		groups += build_socket(b, i)->n_groups;
	row->first_round = desc_n_members(b);
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (s->metrics[i].series == series) {
			strb_add_mem(&b->members, &s->metrics[i].round, sizeof(uint32_t));
			row->n_rounds++;
		}
	row->first_group = desc_n_members(b);
	for (unsigned all = 0; !row->n_groups && all < 2; all++)
		for (uint32_t g = 0; g < s->n_groups && !b->members.failed; g++) {
			const uint32_t *members = (const uint32_t *)b->members.s;

			if (!desc_has(members + groups[g].first_metric, groups[g].n_metrics,
				      series) || (!all && runs_beside(b, row, &groups[g])))
				continue;
			strb_add_mem(&b->members, &g, sizeof(g));
			row->n_groups++;
		}
}

void desc_add_metrics(struct builder *b, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);
	struct layout l = layout_of(s);

	for (unsigned m = 0; m < s->n_metric_series; m++) {
		const struct plan_metric *from = desc_metric_of(s, m);
		char *help = metric_help(from);
		struct build_family f = { from->family, help ?: from->help, from->counter ?
					  DESC_COUNTER : DESC_GAUGE, from->unit,
					  metric_note(b, s, from),
					  metric_known_after(from) };
		struct desc_series v = { .kind = from->counter ? DESC_U64 : DESC_DOUBLE,
					 .index = l.metric_value + m, .when = DESC_IF_EQUAL,
					 .test_index = l.metric_reason + m,
					 .test_value = REASON_NONE, .origin = DESC_ORIGIN_METRIC,
					 .subject = DESC_SUBJECT_METRIC, .item = m,
					 .at_reload = from->counter ?
						RELOAD_CONTINUES : RELOAD_RESTARTS };
		struct desc_metric row = { .name = strings_add_text(&b->strings, from->name),
					   .rests = metric_rests(b, from),
					   .group = from->groups[0],
					   .stack = stack_of(b, i, from) };

		desc_labels_metric(b, i, from, false);
		row.series = build_series(b, &f, &v);
		free(help);
		add_metric_members(b, i, m, &row);
		strb_add_mem(&b->metrics, &row, sizeof(row));
	}
}

void desc_samples_subject(struct desc_series *v, const struct plan_distribution *w,
			  const struct plan_metric *m)
{
	v->subject = w->metric < 0 ? DESC_SUBJECT_SLOT : DESC_SUBJECT_METRIC;
	v->item = m->series;
}

/* Of the single samples of a metric: the peak, and the distribution. */
void desc_add_distributions(struct builder *b, unsigned i)
{
	const struct plan_socket *s = build_socket(b, i);
	struct layout l = layout_of(s);

	for (unsigned k = 0; k < s->n_distribution_series; k++) {
		const struct plan_distribution *w = layout_distribution(s, k);
		const struct plan_metric *m = plan_distribution_metric(s, w);
		const char *note = metric_note(b, s, m);
		struct build_family peak = { w->peak_family, w->peak_help, DESC_GAUGE, w->unit,
					     note, 0 };
		struct build_family all = { w->family, w->help, DESC_HISTOGRAM, w->unit, note,
					    0 };
		struct desc_series v = { .origin = DESC_ORIGIN_SAMPLES, .kind = DESC_DOUBLE,
					 .index = l.peak_value + k, .when = DESC_IF_DIFFERENT,
					 .test_index = l.peak_valid + k };

		desc_samples_subject(&v, w, m);
		desc_labels_metric(b, i, m, false);
		build_series(b, &peak, &v);
		if (!w->has_histogram)
			continue;
		v.index = layout_histogram(s, (unsigned)(w - s->distributions));
		v.test_index = W_UP;    /* shown even while empty, once the socket is sampled */
		build_distribution(b, &all, &w->histogram, &v);
	}
}

/* A slot's total, and the same in a base unit where the kernel gives a scale. */
void desc_add_slot(struct builder *b, unsigned i, unsigned number)
{
	const struct plan_slot *slot = build_socket(b, i)->series[number].slot;
	struct layout l = layout_of(build_socket(b, i));
	struct build_family raw = { slot->family, slot->help, DESC_COUNTER, NULL,
				    slot_note(b, slot), 0 };
	struct build_family scaled = { slot->scaled_family, slot->scaled_help, DESC_COUNTER,
				       slot->scaled_unit, slot_note(b, slot), 0 };
	struct desc_series total = { .kind = DESC_U64, .index = l.slot_total + number,
				     .at_reload = RELOAD_CONTINUES, .when = DESC_IF_EQUAL,
				     .test_index = l.slot_reason + number,
				     .test_value = REASON_NONE, .origin = DESC_ORIGIN_SLOT,
				     .subject = DESC_SUBJECT_SLOT, .item = number,
				     .key = strings_add_text(&b->strings, slot->identity) };

	if (!build_socket(b, i)->series[number].shown)
		return;
	desc_labels_socket(b, i);
	build_label_number(b, "unit", slot->unit);
	build_label_all(b, slot->labels);
	build_series(b, &raw, &total);
	if (slot->scale <= 0)
		return;
	total.kind = DESC_SCALED;
	total.scale = slot->scale;
	build_series(b, &scaled, &total);
}
