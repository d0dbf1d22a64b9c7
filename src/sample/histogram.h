/* histogram.h - a distribution of samples in fixed memory: classic and native buckets of the same
 * values.
 *
 * Owns:  which bucket a value belongs to.
 * Never: what is measured, when a sample counts.
 *
 * Native buckets need a range, which metrics do not tell. 160 buckets in a row start 9 % wide and
 * become twice as wide when a value lies outside, as OpenTelemetry's do; Prometheus takes a lower
 * schema of the same series for what it is, not for a reset.
 *
 * Pure; the sampler thread; allocates nothing. The words are those of sample/layout.h.
 */
#ifndef SAMPLE_HISTOGRAM_H
#define SAMPLE_HISTOGRAM_H

#include "sample/layout.h"

/* histogram_begin - an empty one, begun at `wall` (ns since 1970). words: histogram_words(h) of
 * them. */
void histogram_begin(const struct plan_histogram *h, uint64_t *words, nsec wall);
/* histogram_add - n samples, all finite; what is below 0 only where h->negative. The sum ends at
 * the largest double, either way. */
void histogram_add(const struct plan_histogram *h, uint64_t *words, const double *v, unsigned n);

/* Do the words of one mean the same in the other? */
bool histogram_same(const struct plan_histogram *a, const struct plan_histogram *b);

#endif
