/* SPDX-License-Identifier: MIT
 * Histograms in the description; inside expo/ only.
 *
 * Owns:  how the shape of a distribution lies in the description.
 * Never: how samples get into buckets (sample/histogram.c).
 *
 * A distribution is one series of a DESC_HISTOGRAM family, of kind DESC_DISTRIBUTION: its index is
 * that of the first of its words (sample/layout.h), its shape the number of a desc_shape.
 */
#ifndef EXPO_DISTRIBUTION_H
#define EXPO_DISTRIBUTION_H

#include "expo/desc_build.h"

/* build_distribution - one more distribution of a family. s: labels, socket and index are given. */
void build_distribution(struct builder *b, const struct build_family *f,
			const struct plan_histogram *h, struct desc_series *s);

static inline const struct desc_shape *distribution_shape(const struct desc *d,
							  const struct desc_series *s)
{
	return &desc_shapes(d)[s->shape];
}

/* Its words: H_CREATED is index 0. */
static inline const uint64_t *distribution_words(const struct expo_view *v,
						 const struct desc_series *s)
{
	return &v->words[s->socket][s->index];
}

#endif
