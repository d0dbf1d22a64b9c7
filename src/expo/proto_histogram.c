/* proto_histogram.c - a distribution as protobuf, with both kinds of buckets; see proto.h.
 *
 * Owns:  how a row of native buckets becomes spans and deltas.
 * http child.
 */
#include "expo/proto.h"

#include "expo/distribution.h"
#include "expo/metrics.pb-c.h"

#define GAP_MAX 2               /* empty buckets in a row that cost less than a further span */
#define BUCKET_BYTES_MAX 24     /* tags, length, count, bound */
#define NATIVE_BYTES_MAX 24     /* a delta, and a span for it alone */
#define FIXED_BYTES_MAX 128     /* everything else */

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

size_t proto_histogram(const struct expo_view *v, const struct desc_series *s, char *p)
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

size_t proto_histogram_bound(const struct desc *d, const struct desc_series *s)
{
	return FIXED_BYTES_MAX + PLAN_BOUNDS * BUCKET_BYTES_MAX +
	       HISTOGRAM_NATIVE * NATIVE_BYTES_MAX * (distribution_shape(d, s)->histogram.negative ?
						      2 : 1);
}
