/* watch.c - which metrics have their single samples looked at, and how those are shown.
 *
 * Owns:  whether a metric has a peak and a distribution, their names, the usual bounds of each unit.
 * Never: values (sample/).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include <stdlib.h>
#include <string.h>

/* Bounds for who names none; native buckets below `zero` would only tell noise apart. */
static const struct {
	const char *unit;
	double zero;
	struct conf_distribution usual;
} units[] = {
	{ "ratio", 0x1p-17, { .n_bounds = 11, .bounds = { 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 } } },
	{ "seconds", 0x1p-40, { .n_bounds = 11, .bounds = { 5e-8, 7.5e-8, 1e-7, 1.5e-7, 2e-7, 3e-7, 5e-7, 7.5e-7, 1e-6, 2e-6,
							    5e-6 } } },
	{ "cycles", 0x1p-10, { .n_bounds = 11, .bounds = { 10, 25, 50, 100, 200, 300, 500, 750, 1000, 2000, 5000 } } },
	{ "entries", 0x1p-17, { .n_bounds = 11, .bounds = { 0.25, 0.5, 1, 2, 4, 8, 16, 24, 32, 64, 128 } } },
	{ "hertz", 1, { .n_bounds = 11, .bounds = { 1e6, 1e7, 5e7, 1e8, 5e8, 1e9, 1.5e9, 2e9, 2.5e9, 3e9, 4e9 } } },
	{ "bytes_per_second", 1, { .n_bounds = 11, .bounds = { 1e8, 5e8, 1e9, 2e9, 4e9, 8e9, 1.2e10, 1.6e10, 2.4e10, 3.2e10,
							       6.4e10 } } },
	/* anything else: the last row */
	{ "", 0x1p-17, { .n_bounds = 11, .bounds = { 0.1, 1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 } } },
};

/* Where the unit begins in a metric's name: after its last word but one, or what comes before "per". */
static size_t unit_begin(const char *name, size_t n)
{
	const char *at = memrchr(name, '_', n), *before = NULL;

	if (at && at - name > 4 && memcmp(at - 4, "_per", 4) == 0)
		before = memrchr(name, '_', (size_t)(at - 4 - name));
	at = before ? before : at;
	return at ? (size_t)(at + 1 - name) : 0;
}

/* "memory_read_bytes_total" -> stem "memory_read", unit "bytes_per_second". Both to be freed. */
static void name_split(const struct plan_metric *m, char **ret_stem, char **ret_unit)
{
	size_t n = strlen(m->name), total = strlen("_total"), begin;

	if (m->counter && n > total && strcmp(m->name + n - total, "_total") == 0)
		n -= total;
	begin = unit_begin(m->name, n);
	*ret_stem = plan_text("%.*s", (int)(begin ? begin - 1 : 0), m->name);
	*ret_unit = plan_text("%.*s%s", (int)(n - begin), m->name + begin, m->counter ? "_per_second" : "");
}

/* Can a value be below 0? Counts and constants are not. */
static bool may_be_negative(const struct plan_metric *m)
{
	bool below = m->scale < 0;

	for (unsigned i = 0; i < m->n_num; i++)
		below |= m->num[i].weight < 0;
	for (unsigned i = 0; i < m->n_den; i++)
		below |= m->den[i].weight < 0;
	return (below || m->complement) && !m->clamp;
}

static void histogram_init(struct plan_histogram *h, const char *unit, const struct conf_distribution *chosen,
			   bool negative)
{
	const struct conf_distribution *d = chosen;
	size_t i = 0;

	while (i < COUNT(units) - 1 && strcmp(unit, units[i].unit) != 0)
		i++;
	if (!d->n_bounds)
		d = &units[i].usual;
	*h = (struct plan_histogram){ .n_bounds = d->n_bounds, .zero = units[i].zero, .negative = negative };
	memcpy(h->bounds, d->bounds, sizeof(h->bounds));
}

void watch_add(const struct build *b, struct plan_socket *s, unsigned metric, const struct conf_metric *conf)
{
	const struct plan_metric *m = &s->metrics[metric];
	const struct conf_distribution *group = &b->groups[m->group].conf->distribution;
	const struct conf_distribution *own = conf && conf->distribution.wanted ? &conf->distribution : group;
	bool finer = s->groups[m->group].resolution < b->plan->interval;
	bool distribution = own->wanted == CONF_ON || (own->wanted == CONF_BY_DEFAULT && finer && m->sum);
	char *stem, *unit;
	struct plan_watch *w;

	if (!finer && !distribution)
		return;
	s->watches = plan_grow(s->watches, s->n_watches, sizeof(*s->watches));
	w = &s->watches[s->n_watches++];
	name_split(m, &stem, &unit);
	*w = (struct plan_watch){ .metric = metric, .distribution = distribution };
	histogram_init(&w->histogram, unit, own->n_bounds ? own : group, may_be_negative(m));
	w->peak_family = plan_text("uncore_%s_peak_%s", stem, unit);
	w->peak_help = plan_text("Largest sample of %s in the last while (peak_window). %s.", m->family, m->help);
	w->family = plan_text("uncore_%s_distribution_%s", stem, unit);
	w->help = plan_text("Samples of %s%s, one for each %s. %s.", m->counter ? "the rate of " : "", m->family,
			    b->groups[m->group].window ? "exact window of the group" : "tick of the group's resolution", m->help);
	w->key = plan_text("%s{%s}%s", m->family, m->labels, s->groups[m->group].name);
	free(stem);
	free(unit);
}

void watch_done(struct plan_watch *w)
{
	free(w->peak_family);
	free(w->peak_help);
	free(w->family);
	free(w->help);
	free(w->key);
}
