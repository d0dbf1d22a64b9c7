/* SPDX-License-Identifier: MIT
 * Prometheus text 0.0.4, OpenMetrics 1.0.0.
 * Owns:  how lines are put together; the description has metadata and labels, this makes digits.
 * http child, or main for --once.
 */
#include "expo/description.h"
#include "expo/digits.h"
#include "expo/distribution.h"
#include "sample/histogram.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BUCKET "_bucket"
#define LABEL_MAX 32    /* of a label added here: ,reason="read_error" ,cpu="4294967295" */

/* The beginning of a line, n bytes with labels, with one more before "} ". */
static char *put_label(char *p, const char *begin, size_t n, const char *name, const char *value)
{
	p = digits_text(p, begin, n - 2);
	*p++ = ',';
	p = digits_text(p, name, strlen(name));
	p = digits_text(p, "=\"", 2);
	p = digits_text(p, value, strlen(value));
	return digits_text(p, "\"} ", 3);
}

/* The part before the value in a line of a family that has several lines for a series:
 * "name_suffix{labels} ", without the suffix of the family's type; with the label `le` if that is
 * not NULL. */
static char *text_begin(char *p, const struct desc *d, const struct desc_family *f,
			const struct desc_series *s, const char *suffix, const char *le)
{
	const char *labels = desc_labels_text(d, f, s);
	size_t n = s->prefix.len - f->name.len;

	p = digits_text(p, desc_text(d, f->name), f->base_n);
	p = digits_text(p, suffix, strlen(suffix));
	return le ? put_label(p, labels, n, "le", le) : digits_text(p, labels, n);
}

/* The line that says when a series began: ns since 1970. */
static char *text_created(char *p, const struct desc *d, const struct desc_family *f,
			  const struct desc_series *s, uint64_t created)
{
	p = text_begin(p, d, f, s, TEXT_CREATED, NULL);
	p = digits_seconds(p, created);
	*p++ = '\n';
	return p;
}

/* The part before the value; prefix: the row's, from the pool. */
static char *put_begin(char *p, const char *prefix, struct view_row r, uint64_t word)
{
	char cpu[DIGITS_MAX];
	const char *value, *label = value_label(r.kind, word, cpu, &value);

	return label ? put_label(p, prefix, r.prefix_n, label, value) :
	       digits_text(p, prefix, r.prefix_n);
}

/* The text asks for each line: a call of its own costs a sixteenth of a body. */
inline char *text_value(char *p, struct view_row r, uint64_t word, const struct desc_series *s)
{
	switch ((enum desc_kind)r.kind) {
	case DESC_U64:
		return digits_u64(p, word + r.offset);
	case DESC_NSEC:
	case DESC_DURATION:
	case DESC_DOUBLE:
		return digits_double(p, value_double(r.kind, word, r.offset));
	case DESC_SCALED:
		return digits_scaled(p, word + r.offset, s->scale);
	case DESC_CONST:
		return digits_u64(p, s->constant);
	case DESC_CONST_DOUBLE:
		return digits_double(p, exported_gauge(word_double(s->constant)));
	case DESC_IS_ZERO:
		*p++ = word ? '0' : '1';
		return p;
	case DESC_REASON:
	case DESC_CPU:
	case DESC_DISTRIBUTION:
	case DESC_KINDS:
		break;
	}
	*p++ = '1';
	return p;
}

/* The lines of a histogram, in both text formats. If values may be negative, OpenMetrics has
 * neither _sum nor _count, because it forbids a sum that may fall (1.0.0, "Histogram"). */
static char *distribution_text(char *p, const struct expo_view *v, const struct desc_family *f,
			       const struct desc_series *s, bool openmetrics)
{
	const struct desc_shape *shape = distribution_shape(v->desc, s);
	const uint64_t *words = distribution_words(v, s);
	unsigned n = shape->histogram.n_bounds;
	uint64_t sum = 0;
	bool sums = !openmetrics || !shape->histogram.negative;

	for (unsigned i = 0; i <= n; i++) {
		sum += words[H_CLASSIC + i];
		p = text_begin(p, v->desc, f, s, BUCKET,
			       i < n ? desc_text(v->desc, shape->le[i]) : "+Inf");
		p = digits_u64(p, sum);
		*p++ = '\n';
	}
	if (sums) {
		p = text_begin(p, v->desc, f, s, "_sum", NULL);
		p = digits_double(p, word_double(words[H_SUM]));
		*p++ = '\n';
		p = text_begin(p, v->desc, f, s, "_count", NULL);
		p = digits_u64(p, sum);
		*p++ = '\n';
	}
	return openmetrics && v->desc->with_created ?
	       text_created(p, v->desc, f, s, words[H_CREATED]) : p;
}

/* The most bytes that they take. */
static size_t distribution_text_bound(const struct desc *d, const struct desc_series *s)
{
	size_t line = sizeof(TEXT_CREATED) + s->prefix.len + sizeof(",le=\"\"") +
		      2 * DIGITS_MAX + 1;

	return line * (distribution_shape(d, s)->histogram.n_bounds + 4);
}

/* Does each series have a line that says when it began, in OpenMetrics? */
static bool has_created(const struct desc *d, const struct desc_family *f)
{
	return d->with_created && f->type == DESC_COUNTER;
}

size_t text_bound(const struct desc *d)
{
	size_t n = 64;

	for (uint32_t f = 0; f < d->families.n; f++) {
		const struct desc_family *family = &desc_families(d)[f];

		size_t lines = has_created(d, family) ? 2 : 1;

		n += family->head[0].len + family->head[1].len;
		for (uint32_t k = family->first; k < family->first + family->n; k++)
			n += desc_series(d)[k].kind == DESC_DISTRIBUTION ?
			     distribution_text_bound(d, &desc_series(d)[k]) :
			     lines * (desc_series(d)[k].prefix.len + LABEL_MAX + DIGITS_MAX + 1);
	}
	return n;
}

/* All of this left the caches since the last body, and memory answers slower than a line is made:
 * prefetch what is due some lines later. Behind the end that does nothing. */
#define AHEAD       1024        /* bytes of the pool and of the body */
#define AHEAD_ROWS  16
#define CACHE_LINE  64

static void prefetch_ahead(const char *prefix, const char *p, const struct view_row *row)
{
	__builtin_prefetch(row + AHEAD_ROWS);
	/* a line of text is seldom longer than two of memory */
	for (unsigned i = 0; i < 2; i++) {
		__builtin_prefetch(prefix + AHEAD + i * CACHE_LINE);
		__builtin_prefetch(p + AHEAD + i * CACHE_LINE, 1);
	}
}

/* A family with all that is shown of it; nothing at all if that is nothing. */
static char *put_family(char *p, const struct expo_view *view, const struct desc_family *f,
			bool openmetrics)
{
	const struct expo_view v = *view;       /* see struct expo_view */
	const char *pool = desc_text(v.desc, (struct desc_str){ 0, 0 });
	bool begun = false, created = openmetrics && has_created(v.desc, f);

	for (uint32_t k = f->first; k < f->first + f->n; k++) {
		const struct desc_series *s;
		struct view_row r;

		if (!view_included(&v, k))
			continue;
		r = v.rows[k];
		s = &desc_series(v.desc)[k];
		prefetch_ahead(pool + r.prefix, p, &v.rows[k]);
		if (!begun)
			p = digits_text(p, pool + f->head[openmetrics].off,
					f->head[openmetrics].len);
		begun = true;
		if (r.kind == DESC_DISTRIBUTION) {
			p = distribution_text(p, view, f, s, openmetrics);
			continue;
		}
		p = put_begin(p, pool + r.prefix, r, v.values[r.index]);
		p = text_value(p, r, v.values[r.index], s);
		*p++ = '\n';
		if (created)
			p = text_created(p, v.desc, f, s, view_created(view, s));
	}
	return p;
}

char *text_render(const struct expo_view *v, bool openmetrics, size_t bound, size_t *ret_n)
{
	char *body = malloc(bound), *p = body;

	if (!body)
		return NULL;
	/* The body does not shrink at the end: else it would be mapped anew each time. */
	for (uint32_t f = 0; f < v->desc->families.n; f++)
		if (filter_takes_family(v->filter, f))
			p = put_family(p, v, &desc_families(v->desc)[f], openmetrics);
	if (openmetrics)
		p = digits_text(p, "# EOF\n", 6);
	*ret_n = (size_t)(p - body);
	assert(*ret_n <= bound);
	return body;
}
