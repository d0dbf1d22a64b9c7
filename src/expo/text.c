/* text.c - Prometheus text 0.0.4 and 1.0.0, which are the same bytes as no name needs quotes, and
 * OpenMetrics 1.0.0.
 *
 * Owns:  how lines are put together: metadata and labels are in the description, only digits are
 *        made here.
 * http child, or main for --once.
 */
#include "config.h"

#include "expo/description.h"
#include "expo/digits.h"
#include "expo/distribution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* of a label that is added here: ,reason="read_error" ,cpu="4294967295" */
#define LABEL_MAX 32

static char *put(char *p, const char *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}

/* The beginning of a line with one more label before the closing "} ". */
static char *put_prefix_and(char *p, const char *prefix, size_t n, const char *name,
			    const char *value, size_t value_n)
{
	p = put(p, prefix, n - 2);
	*p++ = ',';
	p = put(p, name, strlen(name));
	p = put(p, "=\"", 2);
	p = put(p, value, value_n);
	return put(p, "\"} ", 3);
}

/* What stands before the value; prefix: the row's, from the pool. */
static char *put_begin(char *p, const char *prefix, struct view_row r, uint64_t word)
{
	if (r.kind == DESC_REASON) {
		const char *reason = reason_name((enum reason)word);

		return put_prefix_and(p, prefix, r.prefix_n, "reason", reason, strlen(reason));
	}
	if (r.kind == DESC_CPU) {
		char cpu[DIGITS_MAX], *end = cpu;

		if ((uint32_t)word != UINT32_MAX)
			end = digits_u64(cpu, (uint32_t)word);
		return put_prefix_and(p, prefix, r.prefix_n, "cpu", cpu, (size_t)(end - cpu));
	}
	return put(p, prefix, r.prefix_n);
}

static char *put_value(char *p, struct view_row r, uint64_t word, const struct desc_series *s)
{
	double real;

	switch ((enum desc_kind)r.kind) {
	case DESC_U64:
		return digits_u64(p, word + r.offset);
	case DESC_NSEC:
		return digits_seconds(p, word + r.offset);
	case DESC_SCALED:
		return digits_scaled(p, word + r.offset, s->scale);
	case DESC_DOUBLE:
		memcpy(&real, &word, sizeof(real));
		return digits_double(p, real);
	case DESC_CONST:
		return digits_u64(p, s->constant);
	case DESC_IS_ZERO:
		*p++ = word ? '0' : '1';
		return p;
	default:
		*p++ = '1';
		return p;
	}
}

static char *put_line(char *p, const char *prefix, struct view_row r, uint64_t word,
		      const struct desc_series *s)
{
	p = put_begin(p, prefix, r, word);
	p = put_value(p, r, word, s);
	*p++ = '\n';
	return p;
}

size_t text_bound(const struct desc *b)
{
	size_t n = 64;

	for (uint32_t f = 0; f < b->families.n; f++) {
		const struct desc_family *family = &desc_families(b)[f];

		n += family->head[0].len + family->head[1].len;
		for (uint32_t k = family->first; k < family->first + family->n; k++)
			n += desc_series(b)[k].kind == DESC_DISTRIBUTION ?
			     distribution_text_bound(b, &desc_series(b)[k]) :
			     desc_series(b)[k].prefix.len + LABEL_MAX + DIGITS_MAX + 1;
	}
	return n;
}

/* All of this went cold since the last generation, and a line is put together faster than memory
 * answers: what is due some lines later is asked for now; behind the end that is nothing. */
#define AHEAD       1024        /* bytes of the pool and of the body */
#define AHEAD_ROWS  16
#define CACHE_LINE  64

static void ask_ahead(const char *prefix, const char *p, const struct view_row *row)
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
	const struct expo_view v = *view;       /* ours alone: the compiler sees that no byte
	                                         * written changes it */
	const char *pool = desc_text(v.desc, (struct desc_str){ 0, 0 });
	bool begun = false;

	for (uint32_t k = f->first; k < f->first + f->n; k++) {
		const struct desc_series *s = &desc_series(v.desc)[k];
		struct view_row r = v.rows[k];

		ask_ahead(pool + r.prefix, p, &v.rows[k]);
		if (!view_asked(&v, k))
			continue;
		if (!begun)
			p = put(p, pool + f->head[openmetrics].off, f->head[openmetrics].len);
		begun = true;
		p = r.kind == DESC_DISTRIBUTION ? distribution_text(p, view, f, s, openmetrics) :
		    put_line(p, pool + r.prefix, r, v.all[r.index], s);
	}
	return p;
}

char *text_render(const struct expo_view *v, bool openmetrics, size_t bound, size_t *ret_n)
{
	char *body = malloc(bound), *p = body;

	if (!body)
		return NULL;
	/* Handed on as long as it is: a body that shrinks would be mapped and unmapped anew each
	 * time. */
	for (uint32_t f = 0; f < v->desc->families.n; f++)
		if (filter_takes_family(v->filter, f))
			p = put_family(p, v, &desc_families(v->desc)[f], openmetrics);
	if (openmetrics)
		p = put(p, "# EOF\n", 6);
	*ret_n = (size_t)(p - body);
	assert(*ret_n <= bound);
	return body;
}
