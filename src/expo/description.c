/* SPDX-License-Identifier: MIT
 * Is a description complete, with every offset in its bounds?
 * Owns:  what uncored-http believes of the memory that it maps.
 * Never: what is in a description (desc_build.c).
 * Any thread.
 */
#include "expo/description.h"
#include "expo/digits.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const desc_type_names[DESC_TYPES] = { "counter", "gauge", "info", "histogram" };
const char *const desc_type_suffixes[DESC_TYPES] = { "_total", "", "_info", "" };

unsigned expo_desc_sockets(const void *desc)
{
	return ((const struct desc *)desc)->sockets.n;
}

unsigned expo_desc_values(const void *desc, unsigned socket)
{
	return desc_sockets(desc)[socket].n_words;
}

static bool array_fits(const struct desc *d, uint32_t off, uint32_t n, size_t size)
{
	return off % 8 == 0 && off <= d->len && n <= (d->len - off) / size;
}

static bool str_fits(const struct desc *d, struct desc_str s)
{
	return s.off < d->pool.n && s.len < d->pool.n - s.off && desc_text(d, s)[s.len] == '\0';
}

static bool part_fits(uint32_t first, uint32_t n, uint32_t all)
{
	return first <= all && n <= all - first;
}

static bool shape_fits(const struct desc *d, const struct desc_shape *s)
{
	bool fits = s->histogram.n_bounds <= PLAN_BOUNDS;

	for (unsigned i = 0; fits && i < s->histogram.n_bounds; i++)
		fits = str_fits(d, s->le[i]) && s->le[i].len < DIGITS_MAX &&
		       isfinite(s->histogram.bounds[i]);
	return fits;
}

static bool stack_fits(const struct desc *d, const struct desc_stack *s)
{
	return s->socket < d->sockets.n && str_fits(d, s->pci_bus) && str_fits(d, s->names);
}

static bool distribution_fits(const struct desc *d, const struct desc_series *s, uint32_t words)
{
	return s->shape < d->shapes.n &&
	       part_fits(s->index, histogram_words(&desc_shapes(d)[s->shape].histogram), words);
}

/* Does the socket have the slot, metric or group that the series is about? */
static bool item_fits(const struct desc_socket *of, const struct desc_series *s)
{
	bool slot = s->origin == DESC_ORIGIN_SLOT || s->subject == DESC_SUBJECT_SLOT,
	     metric = s->origin == DESC_ORIGIN_METRIC || s->subject == DESC_SUBJECT_METRIC;

	return (!slot || s->item < of->n_slots) && (!metric || s->item < of->n_metrics) &&
	       (s->subject != DESC_SUBJECT_GROUP || s->item < of->n_groups);
}

/* Of a family whose name has n bytes. */
static bool series_fit(const struct desc *d, const struct desc_series *s, uint32_t n)
{
	uint32_t words = s->socket < d->sockets.n ? desc_sockets(d)[s->socket].n_words : D_VALUES;
	bool labelled = s->kind == DESC_REASON || s->kind == DESC_CPU ||
		s->kind == DESC_DISTRIBUTION;

	return s->socket <= d->sockets.n && s->index < words && s->test_index < words &&
	       s->kind < DESC_KINDS &&
	       s->origin < DESC_ORIGINS && s->subject < DESC_SUBJECTS && s->when < DESC_WHENS &&
	       (s->socket < d->sockets.n ? item_fits(&desc_sockets(d)[s->socket], s) :
		!s->subject && !s->origin && s->created < D_VALUES) &&
	       (s->kind != DESC_DISTRIBUTION || distribution_fits(d, s, words)) &&
	       isfinite(s->scale * 0x1p64) && str_fits(d, s->prefix) &&   /* any word, scaled */
	       s->prefix.len >= n + (labelled ? strlen("{} ") : strlen(" ")) &&
	       str_fits(d, s->key) && part_fits(s->labels.first, s->labels.n, d->labels.n);
}

static bool socket_fits(const struct desc *d, const struct desc_socket *s)
{
	const struct layout *l = &s->layout;

	return s->n_words >= W_FIRST && l->n_words == s->n_words && str_fits(d, s->engine) &&
	       part_fits(l->group_active, s->n_groups, s->n_words) &&
	       part_fits(l->slot_total, s->n_slots, s->n_words) &&
	       part_fits(l->slot_reason, s->n_slots, s->n_words) &&
	       part_fits(l->metric_value, s->n_metrics, s->n_words) &&
	       part_fits(l->metric_reason, s->n_metrics, s->n_words) &&
	       l->peak_valid <= l->samples_invalid && l->samples_invalid <= s->n_words &&
	       part_fits(s->first_group, s->n_groups, d->groups.n) &&
	       part_fits(s->first_slot, s->n_slots, d->slots.n) &&
	       part_fits(s->first_metric, s->n_metrics, d->metrics.n);
}

/* Groups and metrics of one socket. */
static bool socket_rows_fit(const struct desc *d, const struct desc_socket *s)
{
	for (uint32_t k = s->first_group; k < s->first_group + s->n_groups; k++) {
		const struct desc_group *g = &desc_groups(d)[k];

		if (!str_fits(d, g->name) || g->active_series >= d->series.n ||
		    !part_fits(g->first, g->n, d->members.n) ||
		    !part_fits(g->first_metric, g->n_metrics, d->members.n) ||
		    !part_fits(g->first_round, g->n_rounds, d->members.n))
			return false;
		for (uint32_t i = 0; i < g->n; i++)
			if (desc_members(d)[g->first + i] >= s->n_slots)
				return false;
		for (uint32_t i = 0; i < g->n_metrics; i++)
			if (desc_members(d)[g->first_metric + i] >= s->n_metrics)
				return false;
	}
	for (uint32_t k = s->first_metric; k < s->first_metric + s->n_metrics; k++) {
		const struct desc_metric *m = &desc_metrics(d)[k];

		if (!str_fits(d, m->name) || !str_fits(d, m->rests) || m->group >= s->n_groups ||
		    m->family >= d->families.n || !desc_families(d)[m->family].n ||
		    m->series >= d->series.n ||
		    m->stack > d->stacks.n ||
		    !part_fits(m->first_round, m->n_rounds, d->members.n) ||
		    !part_fits(m->first_group, m->n_groups, d->members.n))
			return false;
		for (uint32_t i = 0; i < m->n_groups; i++)
			if (desc_members(d)[m->first_group + i] >= s->n_groups)
				return false;
	}
	return true;
}

static bool family_fits(const struct desc *d, const struct desc_family *f)
{
	if (!part_fits(f->first, f->n, d->series.n) || f->type >= DESC_TYPES ||
	    !str_fits(d, f->name) || f->base_n > f->name.len || !str_fits(d, f->help) ||
	    !str_fits(d, f->unit) || !str_fits(d, f->head[0]) || !str_fits(d, f->head[1]))
		return false;
	for (uint32_t k = f->first; k < f->first + f->n; k++)
		if (!series_fit(d, &desc_series(d)[k], f->name.len))
			return false;
	return true;
}

const size_t desc_part_size[DESC_PARTS] = {
	sizeof(struct desc_family), sizeof(struct desc_series), sizeof(struct desc_socket),
	sizeof(struct desc_group), sizeof(struct desc_str), sizeof(struct desc_metric),
	sizeof(struct desc_shape), sizeof(struct desc_label), sizeof(uint32_t),
	sizeof(struct desc_stack), sizeof(char),
};

static bool desc_complete(const struct desc *d)
{
	const struct desc_str said[] = { d->version, d->revision, d->host, d->engine, d->note,
					 d->no_counters_reason, d->uncounted,
					 d->processor, d->model, d->machine, d->workload,
					 d->kernel };
	uint32_t series = 0;

	for (unsigned i = 0; i < DESC_PARTS; i++)
		if (!array_fits(d, d->parts[i].off, d->parts[i].n, desc_part_size[i]))
			return false;
	for (unsigned i = 0; i < COUNT(said); i++)
		if (!str_fits(d, said[i]))
			return false;
	if (d->sockets.n > EXPO_SOCKETS_MAX || d->interval <= 0 || d->interval > INT64_MAX / 4 ||
	    d->rotation < 0)
		return false;
	for (uint32_t i = 0; i < d->labels.n; i++)
		if (!str_fits(d, desc_labels(d)[i].name) || !str_fits(d, desc_labels(d)[i].value))
			return false;
	for (uint32_t i = 0; i < d->slots.n; i++)
		if (!str_fits(d, desc_slots(d)[i]))
			return false;
	for (uint32_t i = 0; i < d->sockets.n; i++)
		if (!socket_fits(d, &desc_sockets(d)[i]) ||
		    !socket_rows_fit(d, &desc_sockets(d)[i]))
			return false;
	for (uint32_t i = 0; i < d->stacks.n; i++)
		if (!stack_fits(d, &desc_stacks(d)[i]))
			return false;
	for (uint32_t i = 0; i < d->shapes.n; i++)
		if (!shape_fits(d, &desc_shapes(d)[i]))
			return false;
	for (uint32_t i = 0; i < d->families.n; series += desc_families(d)[i++].n)
		if (desc_families(d)[i].first != series || !family_fits(d, &desc_families(d)[i]))
			return false;
	return series == d->series.n;           /* each is of one family, and was looked at */
}

int desc_check(const void *bytes, size_t len, struct err *err)
{
	const struct desc *d = bytes;

	if (len < sizeof(*d) || memcmp(d->magic, DESC_MAGIC, sizeof(DESC_MAGIC)) != 0 ||
	    d->len != len || !desc_complete(d))
		return err_set(err, -EBADMSG, "the description of what is shown (%zu bytes) is "
			       "damaged", len);
	return 0;
}
