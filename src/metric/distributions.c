/* SPDX-License-Identifier: MIT
 * Which metrics and counters have a peak and a distribution of their samples.
 * Owns:  whether a metric or the rate of a counter has a peak and a distribution, their names, the
 *        usual bounds of each unit.
 * Never: values (sample/).
 * Pure; main thread.
 */
#include "metric/metric_rows.h"

#include <string.h>

/* Bounds of a configuration that names none. Values below `zero` are noise: one native bucket. */
static const struct {
	const char *unit;
	double zero;
	struct conf_bounds usual;
} units[] = {
	{ "ratio", 0x1p-17,
	  { .n = 11, .at = { 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 } } },
	{ "seconds", 0x1p-40,
	  { .n = 11, .at = { 5e-8, 7.5e-8, 1e-7, 1.5e-7, 2e-7, 3e-7, 5e-7, 7.5e-7, 1e-6, 2e-6,
							    5e-6 } } },
	{ "cycles", 0x1p-10,
	  { .n = 11, .at = { 10, 25, 50, 100, 200, 300, 500, 750, 1000, 2000, 5000 } } },
	{ "entries", 0x1p-17, { .n = 11, .at = { 0.25, 0.5, 1, 2, 4, 8, 16, 24, 32, 64, 128 } } },
	{ "hertz", 1,
	  { .n = 11, .at = { 1e6, 1e7, 5e7, 1e8, 5e8, 1e9, 1.5e9, 2e9, 2.5e9, 3e9, 4e9 } } },
	/* A link or an I/O stack moves up to 64 GB/s, the memory of a socket up to 1 TB/s (HBM). */
	{ "bytes_per_second", 1,
	  { .n = 11, .at = { 1e8, 1e9, 4e9, 1.6e10, 3.2e10, 6.4e10, 1e11, 1.5e11, 2.5e11, 5e11,
							     1e12 } } },
	{ "events_per_second", 1,
	  { .n = 11, .at = { 1e3, 1e4, 1e5, 1e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10 } } },
	/* anything else: the last row */
	{ "", 0x1p-17, { .n = 11, .at = { 0.1, 1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 } } },
};

/* Can a value be below 0? Counts and constants are not. */
static bool may_be_negative(const struct plan_metric *m)
{
	bool below = m->scale < 0;

	for METRIC_EACH_ADDEND(a, m)
		below |= (sum == &m->num || sum == &m->den) && a->weight < 0;
	return m->headroom || ((below || m->complement) && !m->clamp && !m->bounded);
}

/* chosen: the configuration's bounds; n is 0 if it has none. */
static void histogram_init(struct plan_histogram *h, const char *unit,
			   const struct conf_bounds *chosen, bool negative)
{
	const struct conf_bounds *bounds = chosen;
	size_t i = 0;

	while (i < COUNT(units) - 1 && strcmp(unit, units[i].unit) != 0)
		i++;
	if (!bounds->n)
		bounds = &units[i].usual;
	*h = (struct plan_histogram){ .n_bounds = bounds->n, .zero = units[i].zero,
				      .negative = negative };
	memcpy(h->bounds, bounds->at, sizeof(h->bounds));
}

/* What the families of a distribution are called and say. rate: the samples are of how fast
 * the metric rises, not of its value. name: of n bytes, without unit. */
static void name_distribution(const struct metric_rows *rows, const struct plan_socket *s,
			      struct plan_distribution *w, bool rate, const char *name, size_t n)
{
	const struct plan_metric *m = plan_distribution_metric(s, w);
	const char *of = rate ? "the rate of " : "";
	const char *end = m->help[strlen(m->help) - 1] == '.' ? "" : ".";
	const char *each = m->overflow_windows ? "overflow window of the group"
					       : "tick of the group's resolution";

	w->peak_family = arena_printf(rows->sc->keep, "uncore_%.*s_peak_%s", (int)n, name, w->unit);
	w->peak_help = arena_printf(rows->sc->keep,
				    "Largest sample of %s%s in the last %s (peak_window). %s%s", of,
				    m->family, nsec_text(rows->conf->peak_window).s, m->help, end);
	w->family = arena_printf(rows->sc->keep, "uncore_%.*s_distribution_%s", (int)n,
				 name, w->unit);
	w->help = arena_printf(rows->sc->keep, "Samples of %s%s, one for each %s. %s%s", of,
			       m->family, each, m->help, end);
	w->key = arena_printf(rows->sc->keep, "%s{%s}", m->family,
			      labels_text(rows->sc->work, m->labels));
}

static unsigned demand(const struct conf_distribution *d)
{
	return 2 * (d->wanted == CONF_ON) + (d->metric.n > 0);
}

/* What the groups of a metric ask of its samples in any round: the one that asks for most. */
static const struct conf_distribution *asked(const struct metric_rows *rows,
					     const struct plan_socket *s,
					     const struct plan_metric *of)
{
	const struct sched_group *groups = rows->sc->groups;
	const struct conf_distribution *most = &groups[of->groups[0]].conf->distribution;

	for (unsigned i = 0; i < s->n_metrics; i++) {
		const struct plan_metric *m = &s->metrics[i];

		if (m->series != of->series)
			continue;
		for (unsigned k = 0; k < m->n_groups; k++)
			if (demand(&groups[m->groups[k]].conf->distribution) > demand(most))
				most = &groups[m->groups[k]].conf->distribution;
	}
	return most;
}

static void add_metric(const struct metric_rows *rows, struct plan_socket *s, unsigned metric)
{
	const struct plan_metric *m = &s->metrics[metric];
	const struct conf_metric *conf = metric_conf_row(rows, m->name);
	const struct conf_distribution *group = asked(rows, s, m);
	const struct conf_distribution *chosen = conf && conf->distribution.wanted
		? &conf->distribution : group;
	bool finer = m->resolution < rows->conf->interval;
	bool has_histogram = chosen->wanted == CONF_ON ||
		(chosen->wanted == CONF_BY_DEFAULT && finer && m->sum);
	size_t suffix = strlen(m->unit) + strlen("_") + (m->counter ? strlen("_total") : 0);
	struct plan_distribution *w;

	if (!finer && !has_histogram)
		return;
	w = ARENA_ADD(rows->sc->work, s->distributions, s->n_distributions);
	*w = (struct plan_distribution){ .metric = (int)metric, .has_histogram = has_histogram,
				  .unit = m->counter ? arena_printf(rows->sc->keep, "%s_per_second",
					  m->unit) : m->unit };
	histogram_init(&w->histogram, w->unit, chosen->metric.n ? &chosen->metric : &group->metric,
		       may_be_negative(m));
	name_distribution(rows, s, w, m->counter, m->name, strlen(m->name) - suffix);
}

static struct plan_sum one_addend(const struct metric_rows *rows, int slot)
{
	const struct plan_addend a = { slot, 1 };

	return (struct plan_sum){ arena_copy(rows->sc->keep, &a, 1, sizeof(a)), 1 };
}

/* The rate of a slot: of the series in its base unit, if it has one. */
static void rate_init(const struct metric_rows *rows, struct plan_metric *m,
		      const struct plan_slot *slot, unsigned number)
{
	struct label *labels;

	m->scale = slot->scale > 0 ? slot->scale : 1;
	m->num = one_addend(rows, (int)number);
	m->den = one_addend(rows, -1);
	m->family = slot->scale > 0 ? slot->scaled_family : slot->family;
	m->name = m->family + strlen("uncore_");
	m->help = slot->scale > 0 ? slot->scaled_help : slot->help;
	m->unit = slot->scale > 0 ? slot->scaled_unit : "events";
	labels = arena_alloc(rows->sc->keep, slot->labels.n + 1, sizeof(*labels));
	labels[0] = (struct label){ "unit", arena_printf(rows->sc->keep, "%u", slot->unit) };
	for (unsigned i = 0; i < slot->labels.n; i++)
		labels[i + 1] = slot->labels.v[i];
	m->labels = (struct labels){ labels, slot->labels.n + 1 };
}

/* The groups of a round that show a slot. */
static void counter_groups(const struct metric_rows *rows, const struct plan_socket *s,
			   unsigned slot, struct plan_metric *rate)
{
	const struct plan_round *r = &s->rounds[rate->round];

	for (unsigned i = 0; i < r->n_groups; i++) {
		const struct plan_group *g = &s->groups[r->groups[i]];

		if (!g->metrics_only && group_holds(g, rate->round, slot))
			metric_add_group(rows, s, rate, r->groups[i]);
	}
}

/* Does a group ask for the rates of this counter, in whichever round? Then *bounds are the first
 * that one names, if any does. */
static bool counter_asked(const struct metric_rows *rows, const struct plan_socket *s,
			  unsigned series, const struct conf_bounds **bounds)
{
	bool asked = false;

	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct conf_distribution *d = &rows->sc->groups[g].conf->distribution;

		if (!d->counters || s->groups[g].metrics_only ||
		    !plan_group_counts(s, &s->groups[g], series))
			continue;
		*bounds = asked && (*bounds)->n ? *bounds : &d->counter;
		asked = true;
	}
	return asked;
}

static void add_counters(const struct metric_rows *rows, struct plan_socket *s, unsigned round)
{
	for (unsigned k = 0; k < s->rounds[round].n_slots; k++) {
		const struct plan_slot *slot = &s->rounds[round].slots[k];
		struct plan_metric rate = { .round = round, .series = slot->series };
		size_t n = strlen(slot->family) - strlen("uncore_") - strlen("_total");
		const struct conf_bounds *bounds = NULL;
		struct plan_distribution *w;

		if (!slot->shown || !counter_asked(rows, s, slot->series, &bounds))
			continue;
		counter_groups(rows, s, k, &rate);
		w = ARENA_ADD(rows->sc->work, s->distributions, s->n_distributions);
		*w = (struct plan_distribution){ .metric = -1, .has_histogram = true };
		rate_init(rows, &rate, slot, k);
		w->rate = rate;
		w->unit = arena_printf(rows->sc->keep, "%s_per_second", w->rate.unit);
		histogram_init(&w->histogram, w->unit, bounds, false);
		name_distribution(rows, s, w, true, slot->family + strlen("uncore_"), n);
	}
}

static const struct plan_metric *metric_at(const struct plan_socket *s, unsigned i)
{
	return plan_distribution_metric(s, &s->distributions[i]);
}

static bool same_samples(const struct plan_socket *s, unsigned i, unsigned k)
{
	return metric_at(s, i)->round != metric_at(s, k)->round &&
	       strcmp(s->distributions[i].key, s->distributions[k].key) == 0;
}

/* Samples of one thing in several rounds are one series. Those of a coarser resolution than the
 * finest do not belong to it. */
static void number_series(struct plan_socket *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_distributions; i++) {
		bool finest = true;

		for (unsigned k = 0; k < s->n_distributions; k++)
			finest &= !same_samples(s, i, k) ||
				metric_at(s, k)->resolution >= metric_at(s, i)->resolution;
		if (finest)
			s->distributions[n++] = s->distributions[i];
	}
	s->n_distributions = n;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = 0;

		while (k < i && !same_samples(s, i, k))
			k++;
		s->distributions[i].series =
			k < i ? s->distributions[k].series : s->n_distribution_series++;
	}
}

void distributions_add(const struct metric_rows *rows, struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (!s->metrics[i].hidden)
			add_metric(rows, s, i);
	for (unsigned r = 0; r < s->n_rounds; r++)
		add_counters(rows, s, r);
	number_series(s);
	s->distributions = arena_copy(rows->sc->keep, s->distributions, s->n_distributions,
				      sizeof(*s->distributions));
}

bool distribution_check_names(const struct metric_rows *rows, const struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_distributions; i++)
		for (unsigned k = 0; k < i && s->distributions[i].metric >= 0; k++) {
			const struct plan_distribution *w = &s->distributions[i];
			const struct plan_metric *m = plan_distribution_metric(s, w),
				*o = plan_distribution_metric(s, &s->distributions[k]);
			const struct conf_metric *row;

			if (m->counter == o->counter ||
			    strcmp(w->peak_family, s->distributions[k].peak_family) != 0)
				continue;
			row = metric_conf_row(rows, m->name);
			if (!row) {
				row = metric_conf_row(rows, o->name);
				o = m;
			}
			diags_add(rows->sc->d, row ? row->where : (struct where){ "catalog", 0 },
				  "metric '%s': its samples would be called %s, "
				  "and so would those of '%s'; give it another name",
				  row ? row->row.name : m->name, w->family, o->name);
			return false;
		}
	return true;
}
