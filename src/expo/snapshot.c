/* SPDX-License-Identifier: MIT
 * Every value with unit and validity as one line of JSON: --once, /api/v1/snapshot,
 * each message of the stream.
 * Owns:  the keys of the document (contrib/schema/snapshot.schema.json). What does not change from
 *        one body to the next is written once for each description; a body copies it and adds
 *        values, as a stream renders it at every publication. Whole numbers above 2^53 are texts.
 * Never: what is shown, in which order (description.h); the digits of a value (digits.h).
 * http child, or main for --once.
 */
#include "expo/digits.h"
#include "expo/distribution.h"
#include "expo/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What follows the labels of a series that is shown, and of one that is not. */
#define VALUE   "},\"valid\":true,\"value\":"
#define REASON  "},\"valid\":false,\"reason\":\""
#define TIME    ",\"active_seconds\":"
enum {
	LABEL_MAX = 32,         /* of a label added here: ,"reason":"read_error" */
	TEXT_MAX = DIGITS_MAX + 2,      /* of a number, in quotes or not */
	SERIES_MAX = 1 + LABEL_MAX + sizeof(VALUE) + sizeof(TIME) + 2 * TEXT_MAX + 1,
	BUCKET_MAX = sizeof(",{\"le\":\"\",\"count\":}") + 2 * TEXT_MAX,
	DISTRIBUTION_MAX = 64 + 3 * TEXT_MAX,
	SOCKET_MAX = 64 + 3 * TEXT_MAX,
	EVENT_MAX = 64,         /* what stands around all of it */
};

struct snapshot {
	struct strb pool;
	struct desc_str document;       /* in pool: up to the sockets */
	struct desc_str *families;      /* per family: up to its series */
	struct desc_str *series;        /* per series: up to its value */
	uint32_t *time;         /* per series: who says how long it was counted; DESC_NONE */
	size_t bound;           /* the most bytes of a body */
};

/* ---- once for each description */

static void pool_member(struct strb *t, const char *key, const struct desc *d, struct desc_str s)
{
	strb_add(t, key);
	js_add_text(t, desc_text(d, s), s.len);
}

/* Does one more label follow those of the description? */
static bool has_value_label(const struct desc_series *s)
{
	return s->kind == DESC_REASON || s->kind == DESC_CPU;
}

static struct desc_str series_head(struct strb *t, const struct desc *d,
				   const struct desc_series *s)
{
	const struct desc_label *l = desc_labels(d) + s->labels.first;
	size_t begun = t->n;

	strb_add(t, "{\"labels\":{");
	for (uint32_t i = 0; i < s->labels.n; i++) {
		strb_addf(t, "%s\"%s\":", i ? "," : "", desc_text(d, l[i].name));
		js_add_text(t, desc_text(d, l[i].value), l[i].value.len);
	}
	if (!has_value_label(s))
		strb_add(t, VALUE);
	return (struct desc_str){ (uint32_t)begun, (uint32_t)(t->n - begun) };
}

static struct desc_str family_head(struct strb *t, const struct desc *d,
				   const struct desc_family *f)
{
	size_t begun = t->n;

	pool_member(t, "{\"name\":", d, f->name);
	strb_addf(t, ",\"type\":\"%s\"", desc_type_names[f->type]);
	pool_member(t, ",\"unit\":", d, f->unit);
	pool_member(t, ",\"help\":", d, f->help);
	if (f->known_after)
		strb_addf(t, ",\"known_after_seconds\":%u",
			  (unsigned)(f->known_after / NSEC_PER_SEC));
	strb_add(t, ",\"series\":[");
	return (struct desc_str){ (uint32_t)begun, (uint32_t)(t->n - begun) };
}

/* The document up to its sockets, with who speaks. */
static struct desc_str document_head(struct strb *t, const struct desc *d)
{
	char *identity = json_identity_text(d);
	size_t begun = t->n;

	if (!identity) {
		t->failed = true;
		return (struct desc_str){ 0, 0 };
	}
	strb_add(t, "{\"format\":\"uncored-snapshot-1\",");
	strb_add_mem(t, identity + 1, strlen(identity) - 2);    /* without its braces */
	free(identity);
	strb_add(t, ",\"sockets\":[");
	return (struct desc_str){ (uint32_t)begun, (uint32_t)(t->n - begun) };
}

static size_t distribution_bound(const struct desc *d, const struct desc_series *s)
{
	return DISTRIBUTION_MAX + BUCKET_MAX * (distribution_shape(d, s)->histogram.n_bounds + 1);
}

static void snapshot_fill(struct snapshot *n, const struct desc *d)
{
	const struct desc_family *const times[DESC_ORIGINS] = {
		[DESC_ORIGIN_SLOT] = desc_times(d, DESC_ORIGIN_SLOT),
		[DESC_ORIGIN_METRIC] = desc_times(d, DESC_ORIGIN_METRIC),
	};

	n->document = document_head(&n->pool, d);
	for (uint32_t i = 0; i < d->families.n; i++) {
		const struct desc_family *f = &desc_families(d)[i];

		n->families[i] = family_head(&n->pool, d, f);
		for (uint32_t k = f->first; k < f->first + f->n; k++) {
			const struct desc_series *s = &desc_series(d)[k];

			n->series[k] = series_head(&n->pool, d, s);
			n->time[k] = f->type != DESC_COUNTER ? DESC_NONE :
				     desc_time_of(d, s, times[s->origin]);
			n->bound += SERIES_MAX;
			if (s->kind == DESC_DISTRIBUTION)
				n->bound += distribution_bound(d, s);
		}
	}
	n->bound += n->pool.n + (size_t)SOCKET_MAX * d->sockets.n + EVENT_MAX;
}

struct snapshot *snapshot_new(const struct desc *d)
{
	struct snapshot *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	strb_init(&n->pool, POOL_MAX);
	n->series = calloc(d->series.n + d->families.n + 1UL, sizeof(*n->series));
	n->time = calloc(d->series.n + 1UL, sizeof(*n->time));
	if (n->series && n->time) {
		n->families = n->series + d->series.n;
		snapshot_fill(n, d);
		if (!n->pool.failed)
			return n;
	}
	snapshot_free(n);
	return NULL;
}

void snapshot_free(struct snapshot *n)
{
	if (!n)
		return;
	strb_done(&n->pool);
	free(n->series);
	free(n->time);
	free(n);
}

/* ---- for each body */

/* A text that is constant. */
#define PUT(p, text) digits_text(p, text, sizeof(text) - 1)

/* Digits from `digits` to p, in quotes if they are of a whole number that a double does not hold.
 * Returns where they end. */
static char *quote_large(char *digits, char *p)
{
	static const char most[] = "9007199254740992";
	size_t n = (size_t)(p - digits);

	if (n < sizeof(most) - 1 || memchr(digits, '.', n) || memchr(digits, 'e', n))
		return p;
	if (n == sizeof(most) - 1 && memcmp(digits, most, n) <= 0)
		return p;
	memmove(digits + 1, digits, n);
	*digits = '"';
	p[1] = '"';
	return p + 2;
}

static char *put_u64(char *p, uint64_t v)
{
	return quote_large(p, digits_u64(p, v));
}

/* {"buckets":[{"le":"0.25","count":3},...],"count":7,"sum":1.5,"created":...}, cumulative. */
static char *put_distribution(char *p, const struct expo_view *v, const struct desc_series *s)
{
	const struct desc_shape *shape = distribution_shape(v->desc, s);
	const uint64_t *words = distribution_words(v, s);
	unsigned n = shape->histogram.n_bounds;
	uint64_t sum = 0;

	p = PUT(p, "{\"buckets\":[");
	for (unsigned i = 0; i <= n; i++) {
		sum += words[H_CLASSIC + i];
		if (i)
			*p++ = ',';
		p = PUT(p, "{\"le\":\"");
		if (i < n)
			p = digits_text(p, desc_text(v->desc, shape->le[i]), shape->le[i].len);
		else
			p = PUT(p, "+Inf");
		p = PUT(p, "\",\"count\":");
		p = put_u64(p, sum);
		*p++ = '}';
	}
	p = PUT(p, "],\"count\":");
	p = put_u64(p, sum);
	p = PUT(p, ",\"sum\":");
	p = digits_double(p, word_double(words[H_SUM]));
	p = PUT(p, ",\"created\":");
	p = digits_seconds(p, words[H_CREATED]);
	*p++ = '}';
	return p;
}

static char *put_value(char *p, const struct expo_view *v, uint32_t k)
{
	const struct desc_series *s = &desc_series(v->desc)[k];
	char *end;

	if (s->kind == DESC_DISTRIBUTION)
		return put_distribution(p, v, s);
	end = text_value(p, v->rows[k], view_word(v, s), s);
	return s->kind == DESC_DOUBLE || s->kind == DESC_CONST_DOUBLE ? end : quote_large(p, end);
}

/* The label that a series has because of its value, behind those of the description. */
static char *put_value_label(char *p, const struct desc_series *s, uint64_t word)
{
	char cpu[DIGITS_MAX];
	const char *value, *label = value_label(s->kind, word, cpu, &value);

	if (s->labels.n)
		*p++ = ',';
	*p++ = '"';
	p = digits_text(p, label, strlen(label));
	p = PUT(p, "\":\"");
	p = digits_text(p, value, strlen(value));
	*p++ = '"';
	return PUT(p, VALUE);
}

static const char *series_reason(const struct expo_view *v, const struct desc_series *s)
{
	return reason_name(s->origin == DESC_ORIGIN_SLOT ?
			   view_slot_reason(v, s->socket, s->item) :
			   view_metric_reason(v, s->socket, s->item));
}

/* A series that is shown. */
static char *put_shown(char *p, const struct snapshot *n, const struct expo_view *v, uint32_t k)
{
	const struct desc_series *s = &desc_series(v->desc)[k];

	p = digits_text(p, n->pool.s + n->series[k].off, n->series[k].len);
	if (has_value_label(s))
		p = put_value_label(p, s, view_word(v, s));
	p = put_value(p, v, k);
	if (n->time[k] != DESC_NONE) {
		const struct desc_series *of = &desc_series(v->desc)[n->time[k]];

		p = PUT(p, TIME);
		p = digits_seconds(p, view_word(v, of) + of->offset);
	}
	*p++ = '}';
	return p;
}

/* A slot or metric without a value says why. */
static char *put_omitted(char *p, const struct snapshot *n, const struct expo_view *v, uint32_t k)
{
	const struct desc_series *s = &desc_series(v->desc)[k];
	const char *why = series_reason(v, s);

	p = digits_text(p, n->pool.s + n->series[k].off, n->series[k].len - (sizeof(VALUE) - 1));
	p = PUT(p, REASON);
	p = digits_text(p, why, strlen(why));
	return PUT(p, "\"}");
}

/* Other series are left out while they have no value. */
static bool is_omitted_silently(const struct desc_series *s)
{
	return s->origin != DESC_ORIGIN_SLOT && s->origin != DESC_ORIGIN_METRIC;
}

/* A family with all that is known of it; nothing at all if that is nothing. *before: what stands
 * between this family and the one before it. */
static char *put_family(char *p, const struct snapshot *n, const struct expo_view *v,
			uint32_t family, const char **before)
{
	const struct desc_family *f = &desc_families(v->desc)[family];
	bool begun = false;

	for (uint32_t k = f->first; k < f->first + f->n; k++) {
		bool shown = view_shown(v, k);

		if (!shown && is_omitted_silently(&desc_series(v->desc)[k]))
			continue;
		if (begun) {
			*p++ = ',';
		} else {
			p = digits_text(p, *before, strlen(*before));
			p = digits_text(p, n->pool.s + n->families[family].off,
					n->families[family].len);
		}
		begun = true;
		p = shown ? put_shown(p, n, v, k) : put_omitted(p, n, v, k);
	}
	if (!begun)
		return p;
	*before = ",";
	return PUT(p, "]}");
}

/* What each socket published last. By its number a listener sees whether it missed one. */
static char *put_sockets(char *p, const struct expo_view *v)
{
	for (uint32_t i = 0; i < v->desc->sockets.n; i++) {
		if (i)
			*p++ = ',';
		p = PUT(p, "{\"socket\":");
		p = digits_u64(p, desc_sockets(v->desc)[i].id);
		p = PUT(p, ",\"publication\":");
		p = put_u64(p, v->publications[i]);
		p = PUT(p, ",\"timestamp_seconds\":");
		if (v->publications[i])
			p = digits_seconds(p, v->words[i][W_NOW_WALL]);
		else
			p = PUT(p, "null");
		*p++ = '}';
	}
	return p;
}

char *snapshot_render(const struct snapshot *n, const struct expo_view *v, bool event,
		      size_t *ret_n)
{
	char *body = malloc(n->bound), *p = body;
	const char *before = "";

	if (!body)
		return NULL;
	/* after a broken stream a browser asks again in 2000 ms */
	if (event)
		p = PUT(p, "retry: 2000\nevent: snapshot\ndata: ");
	p = digits_text(p, n->pool.s + n->document.off, n->document.len);
	p = put_sockets(p, v);
	p = PUT(p, "],\"metrics\":[");
	for (uint32_t f = 0; f < v->desc->families.n; f++)
		p = put_family(p, n, v, f, &before);
	p = PUT(p, "]}\n");
	if (event)
		*p++ = '\n';
	*ret_n = (size_t)(p - body);
	assert(*ret_n <= n->bound);
	*p = '\0';
	return body;
}
