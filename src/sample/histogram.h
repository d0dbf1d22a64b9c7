/* SPDX-License-Identifier: MIT
 * A distribution of samples in fixed memory: classic and native buckets of the same
 * values.
 *
 * Owns:  which bucket a value belongs to.
 * Never: what is measured, when a sample counts.
 *
 * The range of a metric is not known beforehand. 160 native buckets in a row start 9 % wide and
 * become twice as wide when a value lies outside, as OpenTelemetry's do. Prometheus accepts a lower
 * schema of the same series and does not take it for a reset.
 *
 * Pure; the sampler thread; allocates nothing. The words are those of sample/layout.h.
 */
#ifndef SAMPLE_HISTOGRAM_H
#define SAMPLE_HISTOGRAM_H

#include "sample/layout.h"

/* histogram_begin - makes words[histogram_words(h)] an empty one. wall: now, ns since 1970. */
void histogram_begin(const struct plan_histogram *h, uint64_t *words, nsec wall);
/* histogram_add - n samples, all finite; values below 0 only if h->negative. The sum stops at the
 * largest double of either sign. */
void histogram_add(const struct plan_histogram *h, uint64_t *words, const double *v, unsigned n);

/* Do both have the same buckets? */
bool histogram_same(const struct plan_histogram *a, const struct plan_histogram *b);

#endif
