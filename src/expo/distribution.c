/* SPDX-License-Identifier: MIT
 * Histograms in the description; see distribution.h.
 * Main thread; allocates.
 */
#include "expo/distribution.h"

#include "sample/histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* bound_text - a bound as Prometheus itself writes it, in the shortest digits that read back:
 * "0.25", "1.0", "5e-08", "2.5e+09". So `le` equals the one that Prometheus makes of a number. */
static void bound_text(double bound, struct strb *ret)
{
	char text[64];
	int precision = -1, exponent;

	do
		snprintf(text, sizeof(text), "%.*e", ++precision, bound);
	while (precision < 16 && strtod(text, NULL) != bound);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent < -4 || exponent >= 6)
		strb_add(ret, text);
	else
		strb_addf(ret, "%.*f", precision > exponent ? precision - exponent : 1, bound);
}

/* The number of a shape in the description, which has each once. */
static uint32_t shape_number(struct builder *b, const struct plan_histogram *h)
{
	const struct desc_shape *all = (const struct desc_shape *)b->shapes.s;
	size_t n = b->shapes.n / sizeof(*all);
	struct desc_shape shape;

	for (size_t i = 0; i < n; i++)
		if (histogram_same(&all[i].histogram, h))
			return (uint32_t)i;
	memset(&shape, 0, sizeof(shape));
	memcpy(&shape.histogram, h, sizeof(*h));
	for (unsigned i = 0; i < h->n_bounds; i++) {
		strb_clear(&b->text);
		bound_text(h->bounds[i], &b->text);
		shape.le[i] = strings_add(&b->strings, b->text.s, b->text.n);
	}
	strb_add_mem(&b->shapes, &shape, sizeof(shape));
	return (uint32_t)n;
}

void build_distribution(struct builder *b, const struct build_family *f,
			const struct plan_histogram *h, struct desc_series *s)
{
	s->kind = DESC_DISTRIBUTION;
	s->shape = shape_number(b, h);
	build_series(b, f, s);
}
