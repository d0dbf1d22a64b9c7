/* SPDX-License-Identifier: MIT
 * Groups that count in several rounds: in every one that has room for them.
 * Owns:  whether a group may be added to a round whose groups are there already.
 * Never: how many rounds there are, and which groups need one of their own (rounds.c).
 * Pure; main thread.
 *
 * A group that only waits because others take turns with each other would count for a part of the
 * time although nobody wants its counters. What the groups of a round count must stay what it was:
 * where that is not sure, none is added.
 */
#include "schedule/schedule.h"

/* Does a group of the round count in overflow windows? They stop all counters of the socket, so
 * that what is derived beside it may be of a window, too: groups that have to be there stay there
 * alone, and no other comes. */
static bool has_window(const struct schedule *sc, const struct sched_round *r)
{
	for ROUND_EACH_GROUP(g, r, sc)
		if (g->window)
			return true;
	return false;
}

/* The groups of a round are read together: at the finest resolution, of which the others are
 * multiples. */
static bool have_resolution(const struct schedule *sc, const struct sched_round *r,
			    const struct sched_group *g)
{
	nsec finest = g->resolution;
	bool multiples = true;

	for ROUND_EACH_GROUP(o, r, sc)
		if (o->resolution < finest)
			finest = o->resolution;
	for ROUND_EACH_GROUP(o, r, sc)
		multiples &= o->resolution % finest == 0;
	return multiples && g->resolution % finest == 0;
}

/* Do two events differ in keys alone? A metric that leaves these free would mean both, and be lost
 * in a round that has both. */
static bool differ_in_keys(const struct cat_selection *a, const struct cat_selection *b)
{
	return a->box == b->box && a->unit == b->unit && a->port == b->port &&
	       cat_event_same(a->event, b->event) && a->umasks == b->umasks &&
	       a->threshold == b->threshold && a->edge == b->edge && a->invert == b->invert &&
	       !spec_equal(a, b);
}

/* Has the group events in registers? *ret_confused: some metric would not know which of two events
 * it means, that of the group or that of another one in the round. */
static bool has_registers(const struct schedule *sc, const struct sched_round *r,
			  const struct sched_group *g, bool *ret_confused)
{
	bool any = false;

	*ret_confused = false;
	for (unsigned i = 0; i < g->n_items; i++) {
		if (g->items[i].perf)
			continue;
		any = true;
		for ROUND_EACH_ITEM(item, r, sc)
			*ret_confused |= !item->perf && differ_in_keys(&item->s.selection,
								       &g->items[i].s.selection);
	}
	return any;
}

/* Adds a group to a round of others, unless that would change what these count. */
static void join_round(struct schedule *sc, struct sched_round *r, unsigned group)
{
	const struct sched_group *g = &sc->groups[group];
	enum sched_sharing sharing = rounds_perf_sharing(sc, r, g);
	struct arena_mark mark = arena_mark(sc->work);
	struct sched_round with = { 0 };
	bool confused, registers = has_registers(sc, r, g, &confused);

	if (confused || sharing == SHARES_UNKNOWN_PMU || !have_resolution(sc, r, g))
		return;
	for (unsigned i = 0; i < r->n_groups; i++) {
		if (with.n_groups == i && r->groups[i] > group)
			*ARENA_ADD(sc->work, with.groups, with.n_groups) = group;
		*ARENA_ADD(sc->work, with.groups, with.n_groups) = r->groups[i];
	}
	if (with.n_groups == r->n_groups)
		*ARENA_ADD(sc->work, with.groups, with.n_groups) = group;
	if (sharing == SHARES_NO_PMU && !registers) {
		r->groups = with.groups;        /* nothing there is in its way */
		r->n_groups = with.n_groups;
	} else if (rounds_fit(sc, &with, NULL)) {
		*r = with;
	} else {
		arena_release(sc->work, mark);
	}
}

/* How many rounds have the group; 0 where one of them has a window: it stays there alone. */
static unsigned rounds_of(const struct schedule *sc, unsigned group)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sc->n_rounds; i++) {
		bool has = round_has(&sc->rounds[i], group);

		if (has && has_window(sc, &sc->rounds[i]))
			return 0;
		n += has;
	}
	return n;
}

/* Into each round first the groups that have the fewest: those that want the same counters have
 * about as many each. */
void rounds_join(struct schedule *sc)
{
	unsigned *n = arena_alloc(sc->work, sc->n_groups, sizeof(*n));

	for (unsigned g = 0; g < sc->n_groups; g++)
		n[g] = rounds_of(sc, g);
	for (unsigned i = 0; i < sc->n_rounds; i++) {
		struct sched_round *r = &sc->rounds[i];

		if (has_window(sc, r))
			continue;
		for (unsigned few = 1; few < sc->n_rounds; few++)
			for (unsigned g = 0; g < sc->n_groups; g++) {
				if (n[g] != few || round_has(r, g))
					continue;
				join_round(sc, r, g);
				n[g] += round_has(r, g);
			}
	}
}
