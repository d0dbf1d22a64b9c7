/* SPDX-License-Identifier: MIT
 * Protobuf: delimited MetricFamily messages.
 * Owns:  how messages are put together: protobuf-c encodes heads and label sets once for each
 *        description; a body copies them and adds lengths and numbers. (Pieces of a message, one
 *        after the other, are that message.) How a row of native buckets becomes spans and deltas.
 * Never: what is shown, in which order (description.h).
 * http child.
 */
#include "expo/description.h"
#include "expo/digits.h"
#include "expo/distribution.h"
#include "expo/metrics.pb-c.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>

#define LABEL_BYTES_MAX 64      /* of a label that is added here: reason, cpu */
#define LENGTH_MAX      5       /* of a length, as base 128 digits */
#define VALUE_BYTES     11      /* Metric.counter or .gauge: two tags, a length, a double */
/* Counter.created_timestamp: a tag, a length, then a tag and a number twice */
#define CREATED_BYTES   (2 + 2 * (1 + NUMBER_MAX))
#define NUMBER_MAX      5       /* of seconds that 64 bits of ns can be; of nanoseconds */
#define GAP_MAX 2               /* empty buckets in a row that cost less than a further span */
#define BUCKET_BYTES_MAX 24     /* tags, length, count, bound */
#define NATIVE_BYTES_MAX 24     /* a delta, and a span for it alone */
#define FIXED_BYTES_MAX 128     /* everything else */
/* Fields that are written without protobuf-c. Lowest bits 2: of so many bytes; 1: of eight; 0: a
 * number. */
#define TAG_METRIC      (4 << 3 | 2)        /* MetricFamily.metric */
#define TAG_GAUGE       (2 << 3 | 2)        /* Metric.gauge */
#define TAG_COUNTER     (3 << 3 | 2)        /* Metric.counter */
#define TAG_VALUE       (1 << 3 | 1)        /* Gauge.value, Counter.value */
#define TAG_CREATED     (3 << 3 | 2)        /* Counter.created_timestamp */
#define TAG_SECONDS     (1 << 3 | 0)        /* Timestamp.seconds */
#define TAG_NANOS       (2 << 3 | 0)        /* Timestamp.nanos */

struct proto {
	struct strb pool;
	struct desc_str *labels, *heads;        /* in pool; per series, per family */
	size_t bound;           /* the most bytes of a body */
};

static void pool_message(struct strb *pool, const ProtobufCMessage *m)
{
	char *to = strb_room(pool, protobuf_c_message_get_packed_size(m));

	if (to)
		protobuf_c_message_pack(m, (uint8_t *)to);
}

/* protobuf-c writes to none of its strings. */
static char *text(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* A Metric with nothing but this label, into `to` or the pool. Returns its bytes at `to`. */
static size_t label_pack(const char *name, const char *value, struct strb *pool, char *to)
{
	Expo__LabelPair label = EXPO__LABEL_PAIR__INIT, *labels[] = { &label };
	Expo__Metric m = EXPO__METRIC__INIT;

	label.name = text(name);
	label.value = text(value);
	m.label = labels;
	m.n_label = 1;
	if (to)
		return protobuf_c_message_pack(&m.base, (uint8_t *)to);
	pool_message(pool, &m.base);
	return 0;
}

/* A row of native buckets; protobuf-c wants pointers to the spans. */
struct native {
	Expo__BucketSpan spans[HISTOGRAM_NATIVE], *span[HISTOGRAM_NATIVE];
	int64_t deltas[HISTOGRAM_NATIVE];
	size_t n_spans, n_deltas;
};

/* counts[0] belongs to bucket `first`; runs that are not empty become spans. */
static void native_make(struct native *n, const uint64_t *counts, int64_t first)
{
	uint64_t before = 0;
	int64_t end = 0;                /* index after the last span; the first counts from 0 */

	n->n_spans = n->n_deltas = 0;
	for (unsigned i = 0; i < HISTOGRAM_NATIVE; i++) {
		Expo__BucketSpan *span;
		int64_t gap = first + i - end;

		if (!counts[i])
			continue;
		if (!n->n_spans || gap > GAP_MAX) {
			span = n->span[n->n_spans] = &n->spans[n->n_spans];
			*span = (Expo__BucketSpan)EXPO__BUCKET_SPAN__INIT;
			span->offset = (int32_t)gap;
			n->n_spans++;
			gap = 0;
		}
		span = &n->spans[n->n_spans - 1];
		for (; gap; gap--, before = 0, span->length++)
			n->deltas[n->n_deltas++] = -(int64_t)before;
		n->deltas[n->n_deltas++] = (int64_t)(counts[i] - before);
		before = counts[i];
		span->length++;
		end = first + i + 1;
	}
}

static void native_set(Expo__Histogram *m, const struct plan_histogram *h, const uint64_t *words,
		       struct native *positive, struct native *negative)
{
	static Expo__BucketSpan none = EXPO__BUCKET_SPAN__INIT, *no_span[] = { &none };

	m->has_schema = m->has_zero_threshold = m->has_zero_count = true;
	m->schema = (int32_t)(int64_t)words[H_SCHEMA];
	m->zero_threshold = h->zero;
	m->zero_count = words[H_ZERO];
	native_make(positive, words + histogram_native(h, false), (int64_t)words[H_POSITIVE]);
	negative->n_spans = negative->n_deltas = 0;
	if (h->negative)
		native_make(negative, words + histogram_native(h, true),
			    (int64_t)words[H_NEGATIVE]);
	m->positive_span = positive->span;
	m->n_positive_span = positive->n_spans;
	m->positive_delta = positive->deltas;
	m->n_positive_delta = positive->n_deltas;
	m->negative_span = negative->span;
	m->n_negative_span = negative->n_spans;
	m->negative_delta = negative->deltas;
	m->n_negative_delta = negative->n_deltas;
	/* else it would be taken for a classic one */
	if (!positive->n_spans && !negative->n_spans) {
		m->positive_span = no_span;
		m->n_positive_span = 1;
	}
}

/* Metric.histogram of a distribution, classic and native buckets: at p, returns its bytes. p NULL:
 * only how many. */
static size_t histogram_pack(const struct expo_view *v, const struct desc_series *s, char *p)
{
	const struct plan_histogram *h = &distribution_shape(v->desc, s)->histogram;
	const uint64_t *words = distribution_words(v, s);
	Expo__Bucket buckets[PLAN_BOUNDS], *bucket[PLAN_BOUNDS];
	Expo__Timestamp created = EXPO__TIMESTAMP__INIT;
	Expo__Histogram m = EXPO__HISTOGRAM__INIT;
	Expo__Metric metric = EXPO__METRIC__INIT;
	struct native positive, negative;

	for (unsigned i = 0; i < h->n_bounds; i++) {
		bucket[i] = &buckets[i];
		buckets[i] = (Expo__Bucket)EXPO__BUCKET__INIT;
		m.sample_count += words[H_CLASSIC + i];
		buckets[i].cumulative_count = m.sample_count;
		buckets[i].upper_bound = h->bounds[i];
	}
	m.sample_count += words[H_CLASSIC + h->n_bounds];
	m.sample_sum = word_double(words[H_SUM]);
	m.bucket = bucket;
	m.n_bucket = h->n_bounds;
	created.seconds = (int64_t)(words[H_CREATED] / NSEC_PER_SEC);
	created.nanos = (int32_t)(words[H_CREATED] % NSEC_PER_SEC);
	m.created_timestamp = &created;
	native_set(&m, h, words, &positive, &negative);
	metric.histogram = &m;
	return p ? protobuf_c_message_pack(&metric.base, (uint8_t *)p) :
	       protobuf_c_message_get_packed_size(&metric.base);
}

/* The most bytes that it takes. */
static size_t histogram_bound(const struct desc *d, const struct desc_series *s)
{
	return FIXED_BYTES_MAX + PLAN_BOUNDS * BUCKET_BYTES_MAX +
	       HISTOGRAM_NATIVE * NATIVE_BYTES_MAX * (distribution_shape(d, s)->histogram.negative ?
						      2 : 1);
}

static void labels_pack(struct proto *p, const struct desc *d)
{
	for (uint32_t k = 0; k < d->series.n; k++) {
		const struct desc_series *s = &desc_series(d)[k];

		p->labels[k].off = (uint32_t)p->pool.n;
		for (uint32_t i = s->labels.first; i < s->labels.first + s->labels.n; i++)
			label_pack(desc_text(d, desc_labels(d)[i].name),
				   desc_text(d, desc_labels(d)[i].value), &p->pool, NULL);
		p->labels[k].len = (uint32_t)p->pool.n - p->labels[k].off;
		p->bound += 1 + LENGTH_MAX + p->labels[k].len + LABEL_BYTES_MAX +
			(s->kind == DESC_DISTRIBUTION ? histogram_bound(d, s) :
			 VALUE_BYTES + CREATED_BYTES);
	}
}

static void heads_pack(struct proto *p, const struct desc *d)
{
	static const Expo__MetricType types[DESC_TYPES] = {
		[DESC_COUNTER] = EXPO__METRIC_TYPE__COUNTER,
		[DESC_GAUGE] = EXPO__METRIC_TYPE__GAUGE,
		[DESC_INFO] = EXPO__METRIC_TYPE__GAUGE,
		[DESC_HISTOGRAM] = EXPO__METRIC_TYPE__HISTOGRAM,
	};

	for (uint32_t f = 0; f < d->families.n; f++) {
		const struct desc_family *family = &desc_families(d)[f];
		Expo__MetricFamily m = EXPO__METRIC_FAMILY__INIT;

		m.name = text(desc_text(d, family->name));
		m.help = text(desc_text(d, family->help));
		m.type = types[family->type];
		if (family->unit.len)
			m.unit = text(desc_text(d, family->unit));
		p->heads[f].off = (uint32_t)p->pool.n;
		pool_message(&p->pool, &m.base);
		p->heads[f].len = (uint32_t)p->pool.n - p->heads[f].off;
		p->bound += LENGTH_MAX + p->heads[f].len;
	}
}

static void proto_free(struct proto *p)
{
	if (!p)
		return;
	strb_done(&p->pool);
	free(p->labels);
	free(p);
}

static struct proto *proto_new(const struct desc *d)
{
	struct proto *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	strb_init(&p->pool, POOL_MAX);
	p->labels = calloc(d->series.n + d->families.n + 1, sizeof(*p->labels));
	if (p->labels) {
		p->heads = p->labels + d->series.n;
		labels_pack(p, d);
		heads_pack(p, d);
		if (!p->pool.failed)
			return p;
	}
	proto_free(p);
	return NULL;
}

/* Base 128, the lowest digit first; all but the last have their highest bit set. */
static char *put_number(char *p, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*p++ = (char)(n | 0x80);
	*p++ = (char)n;
	return p;
}

static char *put_created(char *p, uint64_t ns)
{
	char *begin = p;

	p += 2;
	*p++ = TAG_SECONDS;
	p = put_number(p, ns / NSEC_PER_SEC);
	*p++ = TAG_NANOS;
	p = put_number(p, ns % NSEC_PER_SEC);
	begin[0] = TAG_CREATED;
	begin[1] = (char)(p - begin - 2);
	return p;
}

static char *put_value(char *p, const struct expo_view *v, const struct desc_family *family,
		       const struct desc_series *s)
{
	double number = view_number(v, s);
	char *begin = p;
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	bits = htole64(bits);
	*p++ = family->type == DESC_COUNTER ? TAG_COUNTER : TAG_GAUGE;
	*p++ = VALUE_BYTES - 2;
	*p++ = TAG_VALUE;
	p = mempcpy(p, &bits, sizeof(bits));
	if (family->type != DESC_COUNTER)
		return p;
	p = put_created(p, view_created(v, s));
	begin[1] = (char)(p - begin - 2);
	return p;
}

static char *put_metric(char *p, const struct proto *proto, const struct expo_view *v,
			const struct desc_family *family, const struct desc_series *s)
{
	const struct desc_str *labels = &proto->labels[s - desc_series(v->desc)];
	bool histogram = s->kind == DESC_DISTRIBUTION;
	char extra[LABEL_BYTES_MAX], number[VALUE_BYTES + CREATED_BYTES], cpu[DIGITS_MAX];
	const char *value, *label = value_label(s->kind, view_word(v, s), cpu, &value);
	size_t n_extra = label ? label_pack(label, value, NULL, extra) : 0;
	size_t n_value = histogram ? histogram_pack(v, s, NULL) :
			 (size_t)(put_value(number, v, family, s) - number);

	*p++ = TAG_METRIC;
	p = put_number(p, labels->len + n_extra + n_value);
	p = digits_text(p, proto->pool.s + labels->off, labels->len);
	p = digits_text(p, extra, n_extra);
	return histogram ? p + histogram_pack(v, s, p) : digits_text(p, number, n_value);
}

/* A family's bytes from `start` on, behind the room for their length, move up to it. */
static char *family_close(char *start, const char *end)
{
	size_t n = (size_t)(end - start) - LENGTH_MAX;
	char *p = put_number(start, n);

	memmove(p, start + LENGTH_MAX, n);
	return p + n;
}

/* A family with all that is shown of it; nothing at all if that is nothing. */
static char *put_family(char *start, const struct proto *proto, const struct expo_view *v,
			uint32_t family)
{
	const struct desc_family *f = &desc_families(v->desc)[family];
	char *begin = digits_text(start + LENGTH_MAX, proto->pool.s + proto->heads[family].off,
			  proto->heads[family].len), *p = begin;

	for (uint32_t k = f->first; k < f->first + f->n; k++)
		if (view_included(v, k))
			p = put_metric(p, proto, v, f, &desc_series(v->desc)[k]);
	return p == begin ? start : family_close(start, p);
}

static char *proto_render(const struct proto *proto, const struct expo_view *v, size_t *ret_n)
{
	char *body = malloc(proto->bound + 1), *p = body;

	if (!body)
		return NULL;
	for (uint32_t f = 0; f < v->desc->families.n; f++)
		if (filter_takes_family(v->filter, f))
			p = put_family(p, proto, v, f);
	*ret_n = (size_t)(p - body);
	assert(*ret_n <= proto->bound);
	return body;
}

const struct expo_encoder expo_protobuf = { proto_new, proto_free, proto_render };
