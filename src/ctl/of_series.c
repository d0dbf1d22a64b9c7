/* SPDX-License-Identifier: MIT
 * uncorectl describe, search and encode of a series that was copied from /metrics, or of stat's
 * sum of it.
 * Owns:  what is asked for instead.
 * Never: how a family is spelled (planner/series_name.c).
 */
#include "ctl/ctl.h"

#include "base/name.h"
#include "expo/daemon_help.h"
#include "planner/series_name.h"

#include <string.h>

struct asked {
	const struct ctl *c;
	struct arena *a;
	const char *text;
	const char *instead, *help;
};

/* A ready-made metric of this machine. */
struct ready {
	const char *series, *name;
};

static void match_ready(void *p, const struct plan_predefined *r)
{
	struct ready *ready = p;

	if (!ready->name && cat_metric_is(r->metric, ready->series))
		ready->name = r->metric->name;
}

static const char *metric_of(const struct cat_metric *v, unsigned n, const char *series)
{
	for (unsigned i = 0; i < n; i++)
		if (cat_metric_is(&v[i], series))
			return v[i].name;
	return NULL;
}

/* Of this machine, or else of any. */
static const char *find_metric(const struct ctl *c, const char *series)
{
	struct ready ready = { series, NULL };
	const char *name = c->processor ? metric_of(c->processor->metrics->v,
						    c->processor->metrics->n, series) : NULL;

	if (name)
		return name;
	ctl_each_predefined(c, match_ready, &ready);
	if (ready.name || c->processor_given)
		return ready.name;
	for (unsigned i = 0; !name && i < cat_n_processors; i++)
		name = metric_of(cat_processors[i]->metrics->v, cat_processors[i]->metrics->n,
				 series);
	for (unsigned i = 0; !name && i < cat_n_perfs; i++)
		name = metric_of(cat_perfs[i]->metrics, cat_perfs[i]->n_metrics, series);
	return name;
}

static const char *find_event(const struct ctl *c, struct arena *a, const struct spec *s)
{
	struct machine m = { .asked.roots = c->roots };
	const char *event = series_event(a, &(struct spec_machine){ .processor = c->processor }, s);

	if (!event && !c->processor_given && machine_read(&m, NULL) == 0) {
		const struct spec_machine on = spec_machine(NULL, m.topo, m.topo, m.pmus);

		event = series_event(a, &on, s);
	}
	machine_close(&m);
	if (c->processor)
		return event;
	for (unsigned i = 0; !event && i < cat_n_processors; i++)
		event = series_event(a, &(struct spec_machine){ .processor = cat_processors[i] },
				     s);
	return event;
}

/* What stat adds up: X of "sum(X)". */
static const char *summed(struct arena *a, const char *text)
{
	const char *of = name_after(text, "sum(");
	size_t n = of ? strlen(of) : 0;

	return n && of[n - 1] == ')' ? arena_text_n(a, of, n - 1) : text;
}

static void find(void *p)
{
	struct asked *q = p;
	struct spec s;

	q->text = summed(q->a, q->text);
	if (spec_parse_name(q->a, q->text, &s, NULL) < 0 || s.box || s.perf || s.n_umasks)
		return;
	q->help = daemon_help(s.event) ?: daemon_help(arena_printf(q->a, "uncore_%s", s.event));
	if (!q->help)
		q->instead = find_metric(q->c, s.event) ?: find_event(q->c, q->a, &s);
}

const char *ctl_of_series(const struct ctl *c, struct arena *a, const char *text,
			  const char **ret_help)
{
	struct asked q = { c, a, text, NULL, NULL };

	arena_try(a, find, &q);
	*ret_help = q.help;
	return q.instead ?: text;
}
