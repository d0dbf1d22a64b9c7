/* SPDX-License-Identifier: MIT
 * What the front page draws, as numbers; see expo.h.
 * Owns:  which series these are, and what each says now.
 * Never: how long that is kept (serve/history.c), how it is drawn (page.js).
 * The http child's one thread.
 */
#include "expo/drawn.h"

#include "expo/json.h"
#include "expo/overview.h"

#include <stdlib.h>
#include <string.h>

struct drawn {
	struct drawn_row {
		uint32_t series, time;  /* time: who says how long it was counted, or DESC_NONE */
	} *rows;
	uint32_t n;
	double *turns;                  /* per metric of the description: see struct expo_drawn */
};

#define NAMES(title, unit, how, limit, of) of " "

/* Is a family one of those that the overview names? */
static bool overview_names(const char *family)
{
	static const char names[] = OVERVIEW(NAMES), prefix[] = "uncore_";
	const char *name = family + sizeof(prefix) - 1, *p = names;
	size_t n;

	if (strncmp(family, prefix, sizeof(prefix) - 1) != 0 || !*name)
		return false;
	n = strlen(name);
	while ((p = strstr(p, name))) {
		bool begins = p == names || strchr(" +-", p[-1]);

		if (begins && strchr(" +", p[n]))
			return true;
		p += n;
	}
	return false;
}

static bool is_drawn(const struct desc *d, const struct desc_family *f, bool named)
{
	bool total = f->type == DESC_COUNTER;

	if (f->type != DESC_GAUGE && !total)
		return false;
	return overview_names(desc_text(d, f->name)) == named && (named || !total);
}

static void take_family(struct drawn *w, const struct desc *d, const struct desc_family *f)
{
	const struct desc_family *times = f->type == DESC_COUNTER ?
		desc_times(d, DESC_ORIGIN_METRIC) : NULL;

	for (uint32_t k = f->first; k < f->first + f->n; k++) {
		const struct desc_series *s = &desc_series(d)[k];

		if (s->origin == DESC_ORIGIN_METRIC)
			w->rows[w->n++] = (struct drawn_row){ k, desc_time_of(d, s, times) };
	}
}

struct drawn *drawn_new(const struct desc *d)
{
	struct drawn *w = calloc(1, sizeof(*w));
	const struct desc_family *f = desc_families(d);
	uint32_t n = 0;

	if (!w)
		return NULL;
	for (uint32_t k = 0; k < d->series.n; k++)
		n += desc_series(d)[k].origin == DESC_ORIGIN_METRIC;
	w->rows = calloc(n + 1UL, sizeof(*w->rows));
	w->turns = calloc(d->metrics.n + 1UL, sizeof(*w->turns));
	if (!w->rows || !w->turns) {
		drawn_free(w);
		return NULL;
	}
	for (uint32_t i = 0; i < d->families.n; i++)
		if (is_drawn(d, &f[i], true))
			take_family(w, d, &f[i]);
	for (uint32_t i = 0; i < d->families.n; i++)
		if (is_drawn(d, &f[i], false))
			take_family(w, d, &f[i]);
	return w;
}

void drawn_free(struct drawn *w)
{
	if (!w)
		return;
	free(w->rows);
	free(w->turns);
	free(w);
}

unsigned drawn_count(const struct drawn *w)
{
	return w ? w->n : 0;
}

const char *drawn_key(const struct drawn *w, const struct desc *d, unsigned i)
{
	return desc_text(d, desc_series(d)[w->rows[i].series].prefix);
}

void drawn_names(const struct drawn *w, const struct desc *d, unsigned i, struct strb *t)
{
	const struct desc_series *s = &desc_series(d)[w->rows[i].series];
	const struct desc_label *l = desc_labels(d) + s->labels.first;
	const char *key = drawn_key(w, d, i);

	strb_addf(t, "\"name\":\"%.*s\",\"labels\":{", (int)strcspn(key, "{ "), key);
	for (uint32_t k = 0; k < s->labels.n; k++) {
		strb_addf(t, "%s\"%s\":", k ? "," : "", desc_text(d, l[k].name));
		js_add_text(t, desc_text(d, l[k].value), l[k].value.len);
	}
	strb_add_char(t, '}');
}

static double seconds_of(const struct expo_view *v, const struct desc_series *s)
{
	return (double)(view_word(v, s) + s->offset) / (double)NSEC_PER_SEC;
}

/* For how long the groups of each metric of a socket ran, all of them together. */
static void add_turns(struct drawn *w, const struct expo_view *v, const struct desc_socket *s)
{
	const struct desc *d = v->desc;

	for (uint32_t k = 0; k < s->n_metrics; k++) {
		const struct desc_metric *m = &desc_metrics(d)[s->first_metric + k];
		const uint32_t *members = desc_members(d) + m->first_group;
		double *turns = &w->turns[s->first_metric + k];

		*turns = s->n_rounds > 1 ? 0 : NAN;
		for (uint32_t n = 0; s->n_rounds > 1 && n < m->n_groups; n++) {
			const struct desc_group *g = &desc_groups(d)[s->first_group + members[n]];

			*turns += seconds_of(v, &desc_series(d)[g->active_series]);
		}
	}
}

static struct expo_drawn value_now(const struct drawn *w, const struct expo_view *v, unsigned i)
{
	const struct desc *d = v->desc;
	const struct desc_series *s = &desc_series(d)[w->rows[i].series];
	const struct desc_socket *socket = &desc_sockets(d)[s->socket];
	const uint64_t *words = v->words[s->socket];
	struct expo_drawn now = { .at = (nsec)words[W_TICK_MONO], .counted = NAN,
				  .turns = w->turns[socket->first_metric + s->item],
				  .reason = view_metric_reason(v, s->socket, s->item) };

	if (!view_shown(v, w->rows[i].series)) {
		if (!now.reason)
			now.reason = REASON_NO_DATA;
		return now;
	}
	now.value = view_number(v, s);
	if (w->rows[i].time != DESC_NONE)
		now.counted = seconds_of(v, &desc_series(d)[w->rows[i].time]);
	return now;
}

void drawn_read(struct drawn *w, const struct expo_view *v, struct expo_drawn *ret)
{
	for (uint32_t i = 0; i < v->desc->sockets.n; i++)
		add_turns(w, v, &desc_sockets(v->desc)[i]);
	for (unsigned i = 0; i < w->n; i++)
		ret[i] = value_now(w, v, i);
}
