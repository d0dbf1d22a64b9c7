/* layout.c - see layout.h. */
#include "config.h"

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

/* Words of the histograms of the first n distributions. */
static unsigned histograms_words(const struct plan_socket *s, unsigned n)
{
	unsigned words = 0;

	for (unsigned i = 0; i < n; i++)
		if (s->distributions[i].has_histogram)
			words += histogram_words(&s->distributions[i].histogram);
	return words;
}

struct layout layout_of(const struct plan_socket *s)
{
	struct layout l = { .group_active = W_FIRST };

	for (unsigned r = 0; r < s->n_rounds; r++)
		l.n_slots += s->rounds[r].n_slots;
	l.slot_total = l.group_active + s->n_groups;
	l.slot_reason = l.slot_total + l.n_slots;
	l.metric_value = l.slot_reason + l.n_slots;
	l.metric_state = l.metric_value + s->n_metrics;
	l.peak_value = l.metric_state + s->n_metrics;
	l.peak_valid = l.peak_value + s->n_distributions;
	l.samples_invalid = l.peak_valid + s->n_distributions;
	l.lateness = l.samples_invalid + s->n_distributions;
	l.n_words = l.lateness + histogram_words(&layout_lateness) +
		    histograms_words(s, s->n_distributions);
	return l;
}

bool layout_stalled(const uint64_t *words, nsec interval, nsec now)
{
	nsec patience = 3 * (interval > NSEC_PER_SEC ? interval : NSEC_PER_SEC);

	return now - (nsec)words[W_TICK_MONO] > patience;
}

unsigned layout_histogram(const struct plan_socket *s, unsigned i)
{
	unsigned first = layout_of(s).lateness + histogram_words(&layout_lateness);

	return s->distributions[i].has_histogram ? first + histograms_words(s, i) : 0;
}

unsigned layout_slot(const struct plan_socket *s, unsigned round, unsigned slot)
{
	for (unsigned r = 0; r < round; r++)
		slot += s->rounds[r].n_slots;
	return slot;
}
