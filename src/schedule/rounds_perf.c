/* SPDX-License-Identifier: MIT
 * Which groups of perf events fit onto the counters of their PMUs at once.
 * Owns:  what the catalog's tables say of a PMU's counters and filters, against the events of a
 *        round.
 * Never: what the kernel's driver knows beyond that (it has the last word when events are opened).
 * Pure; main thread.
 *
 * Where groups have to share counters, our own rounds are better than the kernel's multiplexing:
 * each group has its counters for a whole turn, and its events always count at the same time.
 */
#include "schedule/schedule.h"

#include "base/bits.h"
#include "base/name.h"

#include <string.h>

/* Does a table say how many events an instance can count at once? */
static bool is_known(const struct schedule *sc, const char *pmu, const struct cat_perf_pmu **ret)
{
	return perf_table_of(&sc->machine, pmu, ret) && (*ret)->counters != CAT_COUNTERS_UNKNOWN;
}

/* General counters of an instance; 0: nobody knows, or every event has one of its own. */
static unsigned counters_of(const struct schedule *sc, const char *pmu)
{
	const struct cat_perf_pmu *row;

	return is_known(sc, pmu, &row) ? row->counters : 0;
}

/* Do all events of an instance share its filter? */
static bool one_filter(const struct schedule *sc, const char *pmu)
{
	for PERF_EACH_TABLE(t, &sc->machine)
		for (const char *const *name = t->one_filter; name && *name; name++)
			if (perf_is_family(*name, pmu))
				return true;
	return false;
}

/* The kernel's number of the fixed counter that some of Intel's boxes have (UNCORE_FIXED_EVENT),
 * whatever tables say. */
static bool is_fixed(const struct spec_pmu *v)
{
	return strncmp(v->name, "uncore", 6) == 0 && v->config[0] == 0xff;
}

/* The counters that can count an event of which no row speaks: drivers bind a code to counters,
 * whatever its unit mask. 0: any. */
static uint32_t counters_of_code(const struct schedule *sc, const struct spec_pmu *v)
{
	const struct topo_term *event = NAME_FIND(v->pmu->format, v->pmu->n_format, "event");
	uint64_t mask = event ? perf_format_mask(event, 0) : 0;

	if (!mask)
		return 0;
	for (unsigned i = 0; i < sc->rows.n; i++) {
		const struct perf_row *r = &sc->rows.v[i];

		if (r->row->counters && ((r->v.config[0] ^ v->config[0]) & mask) == 0 &&
		    perf_same_family(r->v.name, v->name))
			return r->row->counters;
	}
	return 0;
}

/* An instance of a PMU, and the events of the round that need one of its counters. */
struct instance {
	const struct topo_pmu *pmu;
	const char *name;
	unsigned n_counters;
	const struct spec_pmu **events;
	const struct spec_perf **specs; /* of each event: with its name */
	uint32_t *counters;             /* for each event: those that can count it */
	unsigned n;
	const struct spec_perf *fixed, *fixed_too;      /* for the fixed counter; NULL: none */
};

/* Counted once if two groups have it; under another name it is another series, and opened, too. */
static void add_event(const struct schedule *sc, struct instance *at, const struct spec_pmu *v,
		      const struct spec_perf *spec, const struct cat_perf_event *row)
{
	uint32_t can;

	for (unsigned i = 0; i < at->n; i++)
		if (strcmp(at->specs[i]->rest, spec->rest) == 0)
			return;
	at->events = arena_grow(sc->work, at->events, at->n, sizeof(*at->events));
	at->specs = arena_grow(sc->work, at->specs, at->n, sizeof(*at->specs));
	at->counters = arena_grow(sc->work, at->counters, at->n, sizeof(*at->counters));
	at->events[at->n] = v;
	at->specs[at->n] = spec;
	can = row ? row->counters : counters_of_code(sc, v);
	at->counters[at->n++] = can ? can : (uint32_t)(BIT(at->n_counters) - 1);
}

static void add_fixed(struct instance *at, const struct spec_perf *spec)
{
	if (!at->fixed)
		at->fixed = spec;
	else if (strcmp(at->fixed->rest, spec->rest) != 0)
		at->fixed_too = spec;
}

/* of_pmu: of each PMU of the machine; without a PMU where no event needs a counter of it. */
static void add_item(const struct schedule *sc, struct instance *of_pmu,
		     const struct sched_item *item)
{
	const struct spec_perf *p = &item->p;
	unsigned n_counters = item->perf && p->v->pmu ? counters_of(sc, p->v->name) : 0;

	for (unsigned k = 0; n_counters && k < p->n; k++) {
		const struct spec_pmu *v = &p->v[k];
		struct instance *at = &of_pmu[v->pmu - sc->machine.pmus->v];

		if (!at->pmu)
			*at = (struct instance){ .pmu = v->pmu, .name = v->name,
						 .n_counters = n_counters };
		if (is_fixed(v) || (item->row && item->row->fixed))
			add_fixed(at, p);
		else
			add_event(sc, at, v, p, item->row);
	}
}

/* Do two events want different values of these bits of a filter? A field of 0 is not wanted. But a
 * flag of one bit that is 0 is wanted as 0 if the event sets anything in that half of the word:
 * drivers write such a flag together with what it qualifies. */
static bool differ(uint64_t a, uint64_t b, uint64_t mask)
{
	uint64_t half = mask >> 32 ? ~UINT64_C(0xffffffff) : UINT64_C(0xffffffff);
	uint64_t wish = mask & (mask - 1) ? mask : half;

	return ((a ^ b) & mask) && (a & wish) && (b & wish);
}

/* A field of the filter that two events want with two values; NULL: none. */
static const struct topo_term *contended(const struct instance *c)
{
	for (unsigned f = 0; f < c->pmu->n_format; f++)
		for (unsigned which = 1; which <= 2; which++) {
			uint64_t mask = perf_format_mask(&c->pmu->format[f], which);

			for (unsigned i = 0; mask && i < c->n; i++)
				for (unsigned k = 0; k < i; k++)
					if (differ(c->events[i]->config[which],
						   c->events[k]->config[which], mask))
						return &c->pmu->format[f];
		}
	return NULL;
}

/* Bits of config that a field of the PMU has; 0: it has no such field. */
static uint64_t bits_of(const struct spec_pmu *v, const char *field)
{
	const struct topo_term *format = NAME_FIND(v->pmu->format, v->pmu->n_format, field);

	return format ? perf_format_mask(format, 0) : 0;
}

/* Of an event of which the PMU names variants: the last word of the one with occupid=1, "_hbt", by
 * which kinds of variants differ; NULL: of this event it names none. */
static const char *variants_of(const struct schedule *sc, const struct spec_pmu *v)
{
	uint64_t occupid = bits_of(v, "occupid"), same = bits_of(v, "type") | bits_of(v, "eventid");

	for (unsigned i = 0; i < v->pmu->n_events; i++) {
		const char *name = v->pmu->events[i].name;
		struct perf_terms t;

		if (perf_terms_resolve(sc->work, v, name, &t, NULL) == 0 &&
		    ((t.config[0] ^ v->config[0]) & same) == 0 &&
		    (t.config[0] & occupid) == (occupid & -occupid))
			return strrchr(name, '_');
	}
	return NULL;
}

/* Do two events of Arm's mesh want different variants of a kind? Each node has one setting of it
 * (_all, _hbt, _wbt; _all, _sn, _home) for all that it counts: Linux drivers/perf/arm-cmn.c
 * arm_cmn_set_event_sel_hi, arm_cmn_validate_group. */
static bool want_variants(const struct schedule *sc, const struct spec_pmu *a,
			  const struct spec_pmu *b)
{
	uint64_t unlike = a->config[0] ^ b->config[0], nodes = bits_of(a, "nodeid");
	uint64_t one_node = a->config[0] & b->config[0] & bits_of(a, "bynodeid");
	const char *kind;

	if (!(unlike & bits_of(a, "occupid")) || (unlike & bits_of(a, "type")) ||
	    (one_node && (unlike & nodes)))
		return false;
	kind = variants_of(sc, a);
	return kind && strcmp(kind, variants_of(sc, b) ?: "") == 0;
}

static bool one_variant(const struct schedule *sc, const struct instance *c)
{
	bool has = c->n && bits_of(c->events[0], "occupid") != 0;

	for (unsigned i = 0; has && i < c->n; i++)
		for (unsigned k = 0; k < i; k++)
			if (want_variants(sc, c->events[i], c->events[k]))
				return true;
	return false;
}

/* Behind how many there are: which of them are one; "": none. */
static const char *same_twice(const struct schedule *sc, const struct instance *at)
{
	for (unsigned i = 0; i < at->n; i++)
		for (unsigned k = 0; k < i; k++)
			if (memcmp(at->events[i]->config, at->events[k]->config,
				   sizeof(at->events[k]->config)) == 0)
				return arena_printf(sc->work, ", and '%s' is '%s' by another name",
						    at->specs[i]->event, at->specs[k]->event);
	return "";
}

/* Why the events do not fit onto the instance; NULL: they do. */
static const char *crowded(const struct schedule *sc, const struct instance *at)
{
	const struct topo_term *field = one_filter(sc, at->name) ? contended(at) : NULL;

	if (at->n > at->n_counters)
		return arena_printf(sc->work, "%u events compete for the %u counters of the "
				    "kernel's PMU %s%s", at->n, at->n_counters, at->name,
				    same_twice(sc, at));
	if (at->fixed_too)
		return arena_printf(sc->work, "the kernel's PMU %s has one fixed counter, and '%s' "
				    "is '%s' by another name", at->name, at->fixed_too->event,
				    at->fixed->event);
	if (field)
		return arena_printf(sc->work, "the kernel's PMU %s has one filter, and two events "
				    "need different values of %s", at->name, field->name);
	if (one_variant(sc, at))
		return arena_printf(sc->work, "a node of the kernel's PMU %s counts one variant "
				    "of its events at a time, and two events need different "
				    "values of occupid", at->name);
	if (!assign_counters(at->counters, at->n))
		return arena_printf(sc->work, "%u events do not fit on the counters of the "
				    "kernel's PMU %s, because not every counter can count every "
				    "event%s", at->n, at->name, same_twice(sc, at));
	return NULL;
}

static bool shares_pmu(const struct sched_group *x, const struct sched_group *y)
{
	for (unsigned i = 0; i < x->n_items; i++)
		for (unsigned k = 0; k < y->n_items; k++)
			if (x->items[i].perf && y->items[k].perf &&
			    perf_same_family(x->items[i].p.v[0].name, y->items[k].p.v[0].name))
				return true;
	return false;
}

/* Why a group that counts apart cannot be in this round; NULL: none of it does. */
static const char *apart(const struct schedule *sc, const struct sched_round *r)
{
	for (unsigned i = 0; i < r->n_groups; i++)
		for (unsigned k = 0; k < r->n_groups; k++) {
			const struct sched_group *x = &sc->groups[r->groups[i]];
			const struct sched_group *y = &sc->groups[r->groups[k]];

			if (x != y && x->apart && shares_pmu(x, y))
				return arena_printf(sc->work, "the kernel alone knows whether "
						    "their events fit on the counters of the PMU "
						    "%s together",
						    perf_family(x->items[0].p.v[0].name).s);
		}
	return NULL;
}

enum sched_sharing rounds_perf_sharing(const struct schedule *sc, const struct sched_round *r,
				       const struct sched_group *g)
{
	enum sched_sharing ret = SHARES_NO_PMU;

	for (unsigned i = 0; i < g->n_items; i++) {
		const char *pmu = g->items[i].perf ? g->items[i].p.v[0].name : NULL;
		const struct cat_perf_pmu *row;
		bool shared = false;

		for ROUND_EACH_ITEM(item, r, sc)
			shared |= pmu && item->perf && perf_same_family(item->p.v[0].name, pmu);
		if (!shared)
			continue;
		if (!is_known(sc, pmu, &row))
			return SHARES_UNKNOWN_PMU;
		ret = SHARES_KNOWN_PMUS;
	}
	return ret;
}

const char *rounds_perf_crowded(const struct schedule *sc, const struct sched_round *r)
{
	unsigned n = sc->machine.pmus ? sc->machine.pmus->n : 0;
	struct instance *of_pmu = arena_alloc(sc->work, n, sizeof(*of_pmu));
	const char *why = NULL;

	why = apart(sc, r);
	for ROUND_EACH_ITEM(item, r, sc)
		add_item(sc, of_pmu, item);
	for (unsigned i = 0; i < n && !why; i++)
		if (of_pmu[i].pmu)
			why = crowded(sc, &of_pmu[i]);
	return why;
}
