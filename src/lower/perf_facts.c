/* SPDX-License-Identifier: MIT
 * What the catalog's tables know of perf events: which are clocks, which clock
 * others run under, how fast they can count.
 * Owns:  what follows from the row of a table that means an event.
 * Never: what the sampler makes of it.
 * Pure; main thread.
 */
#include "lower/lower.h"

#include "base/bits.h"

#include <string.h>

#define CLOCK_MARGIN 1.25           /* the highest clock is a column, never measured: room for
                                     * overclocking */

static bool has_pmu(const struct cat_perf *t, const char *pmu)
{
	for (unsigned i = 0; i < t->n_pmus; i++)
		if (perf_is_family(t->pmus[i].name, pmu))
			return true;
	return false;
}

static uint64_t max_hz(const struct schedule *sc, const char *pmu)
{
	for PERF_EACH_TABLE(t, &sc->machine)
		if (t->max_hz && has_pmu(t, pmu))
			return t->max_hz;
	return 0;
}

/* Counters compare what comes in a clock with a threshold: no event adds more than that can say. 0:
 * there is none. */
static unsigned widest(const struct topo_pmu *pmu)
{
	for (unsigned i = 0; pmu && i < pmu->n_format; i++)
		if (strcmp(pmu->format[i].name, "thresh") == 0 ||
		    strcmp(pmu->format[i].name, "cmask") == 0)
			return (unsigned)(BIT(__builtin_popcountll(perf_format_mask(&pmu->format[i],
										    0))) - 1);
	return 0;
}

void slot_set_max_rate(struct plan_slot *s, unsigned max_inc, uint64_t max_hz)
{
	s->max_inc = max_inc;
	s->max_rate = (double)max_inc * (double)max_hz * CLOCK_MARGIN;
}

/* What one event adds at most in a clock; 0: it is not known. */
static unsigned largest_increment(const struct cat_perf_event *row, const struct spec_pmu *event)
{
	if (row && row->clock)
		return 1;
	if (row && row->max_inc)
		return row->max_inc;
	return widest(event->pmu);
}

void perf_facts(const struct schedule *sc, const struct cat_perf_event *row,
		const struct spec_pmu *event, struct plan_slot *s)
{
	s->always_runs = row && row->clock;
	s->cas = row && row->cas;
	s->never_still = row && row->never_still;
	s->beside = cat_perf_is_beside(event->name);
	slot_set_max_rate(s, largest_increment(row, event), max_hz(sc, event->name));
}
