/* SPDX-License-Identifier: MIT
 * What a view says of one series, slot or metric, for every format.
 * http child, or main for --once.
 */
#include "expo/description.h"
#include "expo/digits.h"

#include <stdlib.h>
#include <string.h>

static enum reason word_reason(uint64_t word)
{
	return word < REASON_COUNT ? (enum reason)word : REASON_NONE;
}

enum reason view_slot_reason(const struct expo_view *v, uint32_t socket, uint32_t slot)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[socket];

	return word_reason(v->words[socket][s->layout.slot_reason + slot]);
}

enum reason view_metric_reason(const struct expo_view *v, uint32_t socket, uint32_t metric)
{
	const struct desc_socket *s = &desc_sockets(v->desc)[socket];

	return word_reason(v->words[socket][s->layout.metric_reason + metric]);
}

double view_number(const struct expo_view *v, const struct desc_series *s)
{
	uint64_t word = view_word(v, s);
	char text[DIGITS_MAX + 1];

	if (s->kind == DESC_U64)
		return (double)(word + s->offset);
	if (kind_is_double(s->kind))
		return value_double(s->kind, word, s->offset);
	*text_value(text, v->rows[s - desc_series(v->desc)], word, s) = '\0';
	return strtod(text, NULL);
}

const struct desc_family *desc_times(const struct desc *d, enum desc_origin origin)
{
	static const char *const names[DESC_ORIGINS] = {
		[DESC_ORIGIN_SLOT] = "uncored_slot_active_seconds_total",
		[DESC_ORIGIN_METRIC] = "uncored_metric_active_seconds_total",
	};
	const struct desc_family *f = desc_families(d), *end = f + d->families.n;

	while (f < end && (!names[origin] || strcmp(desc_text(d, f->name), names[origin]) != 0))
		f++;
	return f < end ? f : NULL;
}

/* The series of a family lie by socket and number. */
static int subject_compare(const void *a, const void *b)
{
	const struct desc_series *x = a, *y = b;
	int c = (x->socket > y->socket) - (x->socket < y->socket);

	return c ?: (x->item > y->item) - (x->item < y->item);
}

uint32_t desc_time_of(const struct desc *d, const struct desc_series *s,
		      const struct desc_family *times)
{
	const struct desc_series *first = desc_series(d), *of;

	if (!times)
		return DESC_NONE;
	of = bsearch(s, first + times->first, times->n, sizeof(*s), subject_compare);
	return of ? (uint32_t)(of - first) : DESC_NONE;
}
