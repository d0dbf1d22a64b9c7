/* rounds_perf.c - which groups of perf events fit onto the counters of their PMUs at once.
 *
 * Owns:  what the catalog's tables say of a PMU's counters and filters, against the events of a
 *        round.
 * Never: what the kernel's driver knows beyond that (it has the last word when events are opened).
 * Pure; main thread.
 *
 * Where groups have to share counters, our own rounds are better than the kernel's multiplexing:
 * each group has its counters for a whole turn, and its events always count at the same time.
 */
#include "config.h"

#include "schedule/schedule.h"

#include "base/bits.h"

#include <string.h>

/* General counters of an instance; 0: no table knows, or every event has one of its own. */
static unsigned counters_of(const struct schedule *sc, const char *pmu)
{
	for (const struct cat_perf *t = perf_table_next(&sc->machine, NULL); t;
	     t = perf_table_next(&sc->machine, t))
		for (unsigned i = 0; i < t->n_pmus; i++)
			if (perf_is_family(t->pmus[i].name, pmu))
				return t->pmus[i].counters;
	return 0;
}

/* Do all events of an instance share its filter? */
static bool one_filter(const struct schedule *sc, const char *pmu)
{
	for (const struct cat_perf *t = perf_table_next(&sc->machine, NULL); t;
	     t = perf_table_next(&sc->machine, t))
		for (const char *const *name = t->one_filter; name && *name; name++)
			if (perf_is_family(*name, pmu))
				return true;
	return false;
}

/* Counters that can count an event which a table names in the same words; else all. */
static uint32_t counters_for(const struct schedule *sc, const char *spec, unsigned counters)
{
	for (const struct cat_perf *t = perf_table_next(&sc->machine, NULL); t;
	     t = perf_table_next(&sc->machine, t))
		for (unsigned i = 0; i < t->n_events; i++)
			if (t->events[i].counters && strcmp(t->events[i].spec, spec) == 0)
				return t->events[i].counters;
	return (uint32_t)(BIT(counters) - 1);
}

/* The kernel's number of the fixed counter that some of Intel's boxes have (UNCORE_FIXED_EVENT). */
static bool is_fixed(const struct spec_pmu *v)
{
	return strncmp(v->name, "uncore", 6) == 0 && v->config[0] == 0xff;
}

struct crowd {                      /* the events of one instance */
	const struct topo_pmu *pmu;
	unsigned counters;
	struct crowd_event {
		const struct spec_pmu *v;
		uint32_t counters;      /* that can count it */
	} *v;
	unsigned n;
};

/* Calls for every instance that an event of the round counts on, group by group; stops at the first
 * that returns false. */
static bool each_instance(const struct schedule *sc, const struct sched_round *r,
			  bool (*each)(const struct schedule *sc, const struct sched_item *item,
				       const struct spec_pmu *v, void *p),
			  void *p)
{
	for (unsigned g = 0; g < r->n_groups; g++)
		for (unsigned i = 0; i < sc->groups[r->groups[g]].n_items; i++) {
			const struct sched_item *item = &sc->groups[r->groups[g]].items[i];

			for (unsigned k = 0; item->perf && k < item->p.n; k++)
				if (!each(sc, item, &item->p.v[k], p))
					return false;
		}
	return true;
}

static bool gather(const struct schedule *sc, const struct sched_item *item,
		   const struct spec_pmu *v, void *p)
{
	struct crowd *c = p;

	if (v->pmu != c->pmu || is_fixed(v))
		return true;
	for (unsigned i = 0; i < c->n; i++)
		if (memcmp(c->v[i].v->config, v->config, sizeof(v->config)) == 0)
			return true;            /* in two groups: counted once */
	c->v = arena_grow(sc->work, c->v, c->n, sizeof(*c->v));
	c->v[c->n++] = (struct crowd_event){ v, counters_for(sc, item->spec->text, c->counters) };
	return true;
}

/* A counter for each, from the first on. */
static bool place(const struct crowd *c, unsigned first, uint32_t used)
{
	if (first == c->n)
		return true;
	for (uint32_t rest = c->v[first].counters & ~used; rest; rest &= rest - 1)
		if (place(c, first + 1, used | (rest & -rest)))
			return true;
	return false;
}

/* Do two events want two values of these bits? 0 is no wish; but a flag at 0 is one, if the event
 * filters at all by the half of the word that the flag stands in: drivers take such flags together
 * with what they qualify. */
static bool differ(uint64_t a, uint64_t b, uint64_t mask)
{
	uint64_t half = mask >> 32 ? ~UINT64_C(0xffffffff) : UINT64_C(0xffffffff);
	uint64_t wish = mask & (mask - 1) ? mask : half;

	return ((a ^ b) & mask) && (a & wish) && (b & wish);
}

/* A field of the filter that two events want with two values; NULL: none. */
static const struct topo_term *contended(const struct crowd *c)
{
	for (unsigned f = 0; f < c->pmu->n_format; f++)
		for (unsigned which = 1; which <= 2; which++) {
			uint64_t mask = perf_format_mask(&c->pmu->format[f], which);

			for (unsigned i = 0; mask && i < c->n; i++)
				for (unsigned k = 0; k < i; k++)
					if (differ(c->v[i].v->config[which],
						   c->v[k].v->config[which], mask))
						return &c->pmu->format[f];
		}
	return NULL;
}

struct check {
	const struct sched_round *round;
	const char *why;
};

static bool instance_fits(const struct schedule *sc, const struct sched_item *item,
			  const struct spec_pmu *v, void *p)
{
	struct check *k = p;
	unsigned counters = v->pmu ? counters_of(sc, v->name) : 0;
	struct crowd c = { .pmu = v->pmu, .counters = counters };
	const struct topo_term *field;

	(void)item;
	if (!counters)
		return true;
	each_instance(sc, k->round, gather, &c);
	field = one_filter(sc, v->name) ? contended(&c) : NULL;
	if (c.n > counters)
		k->why = arena_printf(sc->work, "%u events want one of the %u counters of the "
						"kernel's PMU %s", c.n, counters, v->name);
	else if (field)
		k->why = arena_printf(sc->work, "the kernel's PMU %s has one filter, and two "
						"events want two values of %s", v->name,
				      field->name);
	else if (!place(&c, 0, 0))
		k->why = arena_printf(sc->work, "%u events do not fit onto the counters of the "
				      "kernel's PMU %s: not each of them "
				      "counts every event", c.n, v->name);
	return !k->why;
}

const char *rounds_perf_crowded(const struct schedule *sc, const struct sched_round *r)
{
	struct check k = { .round = r };

	if (r->n_groups > 1)	/* a group that does not fit alone is for the kernel to refuse */
		each_instance(sc, r, instance_fits, &k);
	return k.why;
}
