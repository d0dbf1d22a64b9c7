/* watch.c - which metrics and counters have their single samples looked at, and how those are shown.
 *
 * Owns:  whether a metric or the rate of a counter has a peak and a distribution, their names, the usual bounds of each unit;
 *        which of them go on over a reload.
 * Never: values (sample/).
 * Pure; main thread.
 */
#include "config.h"

#include "plan/build.h"

#include <string.h>

/* Bounds for who names none; native buckets below `zero` would only tell noise apart. */
static const struct {
	const char *unit;
	double zero;
	struct conf_bounds usual;
} units[] = {
	{ "ratio", 0x1p-17, { .n = 11, .at = { 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1 } } },
	{ "seconds", 0x1p-40, { .n = 11, .at = { 5e-8, 7.5e-8, 1e-7, 1.5e-7, 2e-7, 3e-7, 5e-7, 7.5e-7, 1e-6, 2e-6,
							    5e-6 } } },
	{ "cycles", 0x1p-10, { .n = 11, .at = { 10, 25, 50, 100, 200, 300, 500, 750, 1000, 2000, 5000 } } },
	{ "entries", 0x1p-17, { .n = 11, .at = { 0.25, 0.5, 1, 2, 4, 8, 16, 24, 32, 64, 128 } } },
	{ "hertz", 1, { .n = 11, .at = { 1e6, 1e7, 5e7, 1e8, 5e8, 1e9, 1.5e9, 2e9, 2.5e9, 3e9, 4e9 } } },
	{ "bytes_per_second", 1, { .n = 11, .at = { 1e8, 5e8, 1e9, 2e9, 4e9, 8e9, 1.2e10, 1.6e10, 2.4e10, 3.2e10,
							       6.4e10 } } },
	{ "events_per_second", 1, { .n = 11, .at = { 1e3, 1e4, 1e5, 1e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10 } } },
	/* anything else: the last row */
	{ "", 0x1p-17, { .n = 11, .at = { 0.1, 1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 } } },
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

/* "memory_read_bytes_total" -> stem "memory_read", unit "bytes_per_second". */
static void name_split(const struct build *b, const struct plan_metric *m, char **ret_stem, char **ret_unit)
{
	size_t n = strlen(m->name), total = strlen("_total"), begin;

	if (m->counter && n > total && strcmp(m->name + n - total, "_total") == 0)
		n -= total;
	begin = unit_begin(m->name, n);
	*ret_stem = arena_text_n(b->work, m->name, begin ? begin - 1 : 0);
	*ret_unit = arena_printf(b->work, "%.*s%s", (int)(n - begin), m->name + begin, m->counter ? "_per_second" : "");
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

/* chosen: n 0 if nobody did. */
static void histogram_init(struct plan_histogram *h, const char *unit, const struct conf_bounds *chosen, bool negative)
{
	const struct conf_bounds *bounds = chosen;
	size_t i = 0;

	while (i < COUNT(units) - 1 && strcmp(unit, units[i].unit) != 0)
		i++;
	if (!bounds->n)
		bounds = &units[i].usual;
	*h = (struct plan_histogram){ .n_bounds = bounds->n, .zero = units[i].zero, .negative = negative };
	memcpy(h->bounds, bounds->at, sizeof(h->bounds));
}

static struct plan_watch *watch_new(const struct build *b, struct plan_socket *s)
{
	s->watches = arena_grow(b->work, s->watches, s->n_watches, sizeof(*s->watches));
	return &s->watches[s->n_watches++];
}

/* What the families of a watch are called and say. rate: not the metric itself is looked at, but how fast it rises. */
static void watch_name(const struct build *b, const struct plan_socket *s, struct plan_watch *w, bool rate, const char *stem,
		       const char *unit)
{
	const struct plan_metric *m = plan_watched(s, w);
	const char *of = rate ? "the rate of " : "", *end = m->help[strlen(m->help) - 1] == '.' ? "" : ".";
	char window[NSEC_TEXT];

	w->peak_family = arena_printf(b->keep, "uncore_%s_peak_%s", stem, unit);
	w->peak_help = arena_printf(b->keep, "Largest sample of %s%s in the last %s (peak_window). %s%s", of, m->family,
				    nsec_format(b->plan->peak_window, window, sizeof(window)), m->help, end);
	w->family = arena_printf(b->keep, "uncore_%s_distribution_%s", stem, unit);
	w->help = arena_printf(b->keep, "Samples of %s%s, one for each %s. %s%s", of, m->family, b->groups[m->group].window ?
			       "exact window of the group" : "tick of the group's resolution", m->help, end);
	w->key = arena_printf(b->keep, "%s{%s}%s", m->family, m->labels, s->groups[m->group].name);
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
	w = watch_new(b, s);
	name_split(b, m, &stem, &unit);
	*w = (struct plan_watch){ .metric = (int)metric, .distribution = distribution };
	histogram_init(&w->histogram, unit, own->metric.n ? &own->metric : &group->metric, may_be_negative(m));
	watch_name(b, s, w, m->counter, stem, unit);
}

/* The rate of a slot: of the series in its base unit, if it has one. */
static void rate_init(const struct build *b, struct plan_metric *m, const struct plan_slot *slot, unsigned number, unsigned group)
{
	*m = (struct plan_metric){ .group = group, .scale = slot->scale > 0 ? slot->scale : 1, .cycles_of = -1,
				   .n_num = 1, .n_den = 1 };
	m->num = arena_alloc(b->keep, 1, sizeof(*m->num));
	*m->num = (struct plan_addend){ (int)number, 1 };
	m->den = arena_alloc(b->keep, 1, sizeof(*m->den));
	*m->den = (struct plan_addend){ -1, 1 };
	m->family = slot->scale > 0 ? slot->scaled_family : slot->family;
	m->name = m->family + strlen("uncore_");
	m->help = slot->scale > 0 ? slot->scaled_help : slot->help;
	m->labels = arena_printf(b->keep, ",unit=\"%u\"%s", slot->unit, slot->tail);
	m->unit_label = arena_printf(b->keep, "%u", slot->unit);
}

void watch_counters(const struct build *b, struct plan_socket *s)
{
	for (unsigned g = 0; g < s->n_groups; g++) {
		const struct conf_distribution *d = &b->groups[g].conf->distribution;
		const struct plan_group *group = &s->groups[g];

		for (unsigned i = 0; d->counters && !group->quiet && i < group->n_slots; i++) {
			const struct plan_slot *slot = &s->rounds[group->round].slots[group->slots[i]];
			struct plan_watch *w = watch_new(b, s);
			size_t stem = strlen(slot->family) - strlen("uncore_") - strlen("_total");
			const char *scaled = slot->scale > 0 ? slot->scaled_family + strlen(slot->family) - strlen("total") : "";
			const char *name = arena_text_n(b->work, slot->family + strlen("uncore_"), stem);
			const char *unit = *scaled ? arena_printf(b->work, "%.*s_per_second", (int)(strlen(scaled) - strlen("_total")),
								  scaled) : "events_per_second";

			*w = (struct plan_watch){ .metric = -1, .distribution = true };
			rate_init(b, &w->rate, slot, group->slots[i], g);
			histogram_init(&w->histogram, unit, &d->counter, false);
			watch_name(b, s, w, true, name, unit);
		}
	}
	s->watches = arena_copy(b->keep, s->watches, s->n_watches, sizeof(*s->watches));
}

/* The row of the configuration that a metric is of; NULL: the catalog's. */
static const struct conf_metric *row_of(const struct build *b, const struct plan_metric *m)
{
	for (unsigned i = 0; i < b->in->conf->n_metrics; i++)
		if (strcmp(b->in->conf->metrics[i].name, m->name) == 0)
			return &b->in->conf->metrics[i];
	return NULL;
}

bool watch_check_names(const struct build *b, const struct plan_socket *s)
{
	for (unsigned i = 0; i < s->n_watches; i++)
		for (unsigned k = 0; k < i && s->watches[i].metric >= 0; k++) {
			const struct plan_watch *w = &s->watches[i];
			const struct plan_metric *m = plan_watched(s, w), *o = plan_watched(s, &s->watches[k]);
			const struct conf_metric *row;

			if (m->counter == o->counter || strcmp(w->peak_family, s->watches[k].peak_family) != 0)
				continue;
			row = row_of(b, m);
			if (!row) {
				row = row_of(b, o);
				o = m;
			}
			diags_add(b->d, row ? row->where : (struct where){ "catalog", 0 }, "metric '%s': its samples would be called %s, "
				  "and so would those of '%s'; give it another name", row ? row->name : m->name, w->family, o->name);
			return false;
		}
	return true;
}

/* ------------------------------------------------------------------ over a reload */

/* A side of a metric, whose slots are those of a round. */
struct side {
	const struct plan_slot *slots;
	const struct plan_addend *v;
	unsigned n;
};

static bool addend_same(const struct side *a, const struct plan_addend *x, const struct side *b, const struct plan_addend *y)
{
	if (x->weight != y->weight)
		return false;
	if (x->slot < 0 || y->slot < 0)
		return x->slot == y->slot;
	return strcmp(a->slots[x->slot].identity, b->slots[y->slot].identity) == 0;
}

/* In whatever order they stand. */
static bool side_same(const struct side *a, const struct side *b)
{
	for (unsigned i = 0; a->n == b->n && i < a->n; i++) {
		unsigned k = 0;

		while (k < b->n && !addend_same(a, &a->v[i], b, &b->v[k]))
			k++;
		if (k == b->n)
			return false;
	}
	return a->n == b->n;
}

/* The same inputs, weighed and put together alike? m is one of s, o one of t. */
static bool formula_same(const struct plan_socket *s, const struct plan_metric *m, const struct plan_socket *t,
			 const struct plan_metric *o)
{
	const struct plan_slot *ms = s->rounds[s->groups[m->group].round].slots;
	const struct plan_slot *os = t->rounds[t->groups[o->group].round].slots;
	struct plan_addend clock_m = { m->cycles_of, 1 }, clock_o = { o->cycles_of, 1 };
	struct side mine[] = { { ms, m->num, m->n_num }, { ms, m->den, m->n_den }, { ms, m->guard_num, m->n_guard_num },
			       { ms, m->guard_den, m->n_guard_den }, { ms, &clock_m, 1 } };
	struct side other[] = { { os, o->num, o->n_num }, { os, o->den, o->n_den }, { os, o->guard_num, o->n_guard_num },
				{ os, o->guard_den, o->n_guard_den }, { os, &clock_o, 1 } };
	bool same = m->counter == o->counter && m->complement == o->complement &&
		    m->clamp == o->clamp && m->scale == o->scale && m->guard_max == o->guard_max;

	for (size_t i = 0; same && i < COUNT(mine); i++)
		same = side_same(&mine[i], &other[i]);
	return same;
}

bool plan_watch_same(const struct plan_socket *s, const struct plan_watch *a, const struct plan_socket *t,
		     const struct plan_watch *b)
{
	return strcmp(a->key, b->key) == 0 && formula_same(s, plan_watched(s, a), t, plan_watched(t, b));
}
