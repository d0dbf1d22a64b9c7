/* SPDX-License-Identifier: MIT */
#include "sample/layout.h"
#include "plan/plan.h"

/* From a timer that is on time to a sampler that did not get its CPU. */
const struct plan_histogram layout_lateness = {
	.n_bounds = 11, .zero = 0x1p-30,
	.bounds = { 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1e-1 },
};

unsigned histogram_words(const struct plan_histogram *h)
{
	return histogram_native(h, false) + HISTOGRAM_NATIVE * (h->negative ? 2 : 1);
}

const struct plan_distribution *layout_distribution(const struct plan_socket *s, unsigned series)
{
	unsigned i = 0;

	while (s->distributions[i].series != series)
		i++;
	return &s->distributions[i];
}

/* Where the distributions from that series on begin, counted from the lateness. */
static unsigned distribution_word(const struct plan_socket *s, unsigned series)
{
	unsigned word = histogram_words(&layout_lateness);

	for (unsigned i = 0; i < series; i++) {
		const struct plan_distribution *w = layout_distribution(s, i);

		word += w->has_histogram ? histogram_words(&w->histogram) : 0;
	}
	return word;
}

struct layout layout_of(const struct plan_socket *s)
{
	struct layout l = { .group_active = W_FIRST };

	l.slot_total = l.group_active + s->n_groups;
	l.slot_reason = l.slot_total + s->n_series;
	l.slot_active = l.slot_reason + s->n_series;
	l.slot_active_shown = l.slot_active + s->n_series;
	l.metric_value = l.slot_active_shown + s->n_series;
	l.metric_reason = l.metric_value + s->n_metric_series;
	l.metric_active = l.metric_reason + s->n_metric_series;
	l.metric_active_shown = l.metric_active + s->n_metric_series;
	l.peak_value = l.metric_active_shown + s->n_metric_series;
	l.peak_valid = l.peak_value + s->n_distribution_series;
	l.samples_invalid = l.peak_valid + s->n_distribution_series;
	l.lateness = l.samples_invalid + s->n_distribution_series;
	l.n_words = l.lateness + distribution_word(s, s->n_distribution_series);
	return l;
}

bool layout_stalled(const uint64_t *words, nsec interval, nsec now)
{
	nsec patience = 3 * (interval > NSEC_PER_SEC ? interval : NSEC_PER_SEC);

	return (nsec)((uint64_t)now - words[W_TICK_MONO]) > patience;
}

unsigned layout_histogram(const struct plan_socket *s, unsigned i)
{
	const struct plan_distribution *w = &s->distributions[i];

	return w->has_histogram ? layout_of(s).lateness + distribution_word(s, w->series) : 0;
}
