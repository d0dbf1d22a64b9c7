/* rounds_perf.c - which groups of perf events fit onto the counters of their PMUs at once.
 *
 * Owns:  what the catalog's tables say of a PMU's counters, against the events of a round.
 * Never: what the kernel's driver knows beyond that (it has the last word when events are opened).
 * Pure; main thread.
 *
 * Where groups have to share counters, our own rounds are better than the kernel's multiplexing: each group has its
 * counters for a whole turn, and its events always count at the same time.
 */
#include "config.h"

#include "plan/build.h"

#include "base/bits.h"
#include "catalog/perf.h"

#include <stdlib.h>
#include <string.h>

/* General counters of an instance; 0: no table knows, or every event has one of its own. */
static unsigned counters_of(const struct build *b, const char *pmu)
{
	size_t n = perf_pmu_family(pmu);

	for (const struct cat_perf *t = ready_table(b, NULL); t; t = ready_table(b, t))
		for (unsigned i = 0; i < t->n_pmus; i++)
			if (strlen(t->pmus[i].name) == n && strncmp(t->pmus[i].name, pmu, n) == 0)
				return t->pmus[i].counters;
	return 0;
}

/* The kernel's number of the fixed counter that some of Intel's boxes have (UNCORE_FIXED_EVENT). */
static bool is_fixed(const struct build_pmu *v)
{
	return strncmp(v->name, "uncore", 6) == 0 && v->config[0] == 0xff;
}

struct crowd {                      /* the events of one instance */
	const struct topo_pmu *pmu;
	uint64_t (*config)[3];
	unsigned n;
};

static void crowd_add(struct crowd *c, const struct build_pmu *v)
{
	for (unsigned i = 0; i < c->n; i++)
		if (memcmp(c->config[i], v->config, sizeof(v->config)) == 0)
			return;                 /* in two groups: counted once */
	c->config = plan_grow(c->config, c->n, sizeof(*c->config));
	memcpy(c->config[c->n++], v->config, sizeof(v->config));
}

/* Calls for every instance that an event of the round counts on, group by group; stops at the first that returns false. */
static bool each_instance(const struct build *b, const struct build_round *r,
			  bool (*each)(const struct build *b, const struct build_pmu *v, void *p), void *p)
{
	for (unsigned g = 0; g < r->n_groups; g++)
		for (unsigned i = 0; i < b->groups[r->groups[g]].n_items; i++) {
			const struct build_item *item = &b->groups[r->groups[g]].items[i];

			for (unsigned k = 0; item->perf && k < item->p.n; k++)
				if (!each(b, &item->p.v[k], p))
					return false;
		}
	return true;
}

static bool gather(const struct build *b, const struct build_pmu *v, void *p)
{
	struct crowd *c = p;

	(void)b;
	if (v->pmu == c->pmu && !is_fixed(v))
		crowd_add(c, v);
	return true;
}

struct check {
	const struct build_round *round;
	char *why;
};

static bool instance_fits(const struct build *b, const struct build_pmu *v, void *p)
{
	struct check *k = p;
	struct crowd c = { .pmu = v->pmu };
	unsigned counters = v->pmu ? counters_of(b, v->name) : 0;

	if (!counters)
		return true;
	each_instance(b, k->round, gather, &c);
	free(c.config);
	if (c.n > counters)
		k->why = plan_text("%u events want one of the %u counters of the kernel's PMU %s", c.n, counters, v->name);
	return c.n <= counters;
}

char *rounds_perf_crowded(const struct build *b, const struct build_round *r)
{
	struct check k = { .round = r };

	if (r->n_groups > 1)            /* a group that does not fit alone is for the kernel to refuse */
		each_instance(b, r, instance_fits, &k);
	return k.why;
}
