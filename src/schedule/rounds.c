/* SPDX-License-Identifier: MIT
 * Which groups count at the same time.
 * Owns:  rounds: how many, and which groups are in each; the notes and refusals about it.
 * Never: on which counters events count, and why these do not fit together (rounds_fit.c); sockets
 *        (every socket gets the same rounds).
 * Pure; main thread.
 */
#include "schedule/schedule.h"

#include "base/name.h"
#include "base/words.h"

#include <errno.h>
#include <string.h>

void schedule_add_note(struct schedule *sc, char *text, bool once)
{
	if (!once || !NAME_FIND(sc->notes, sc->n_notes, text))
		*ARENA_ADD(sc->keep, sc->notes, sc->n_notes) = text;
}

/* Why a group is not in a round, for the note about it. */
struct apart {
	unsigned group;
	struct sched_round round;   /* as it was then */
	const char *why;
};

static bool meet(const struct schedule *sc, unsigned a, unsigned b)
{
	for (unsigned i = 0; i < sc->n_rounds; i++)
		if (round_has(&sc->rounds[i], a) && round_has(&sc->rounds[i], b))
			return true;
	return false;
}

/* The groups that are never beside this one. Where each is in some round, all of them: together
 * they leave it no room. */
static const char *names_apart(const struct schedule *sc, const struct apart *a)
{
	const char **names = arena_alloc(sc->work, a->round.n_groups, sizeof(*names));
	unsigned n = 0;

	for (unsigned met = 0; !n && met < 2; met++)
		for (unsigned i = 0; i < a->round.n_groups; i++) {
			unsigned other = a->round.groups[i];

			if (met || !meet(sc, a->group, other))
				names[n++] = arena_printf(sc->work, "'%s'",
							  sc->groups[other].name);
		}
	return words_list(sc->work, names, n);
}

/* Groups of a set take turns because that is what a set is: only the first reason is worth a note
 * that comes from outside of it. */
static bool is_worth_a_note(const struct schedule *sc, const struct sched_group *g,
			    const struct sched_round *r, bool said)
{
	for ROUND_EACH_GROUP(o, r, sc)
		if (g->set && (said || o->set == g->set))
			return false;
	return true;
}

struct aparts {
	struct apart *v;
	unsigned n;
};

/* Puts a group that fits alone into the first round that takes it, or a new one. Adds to `aparts`
 * what is worth a note. */
static void place_group(struct schedule *sc, unsigned group, struct aparts *aparts)
{
	const struct sched_group *g = &sc->groups[group];
	struct sched_round *r;
	bool said = false;

	for (unsigned i = 0; i < sc->n_rounds; i++) {
		const struct sched_round before = sc->rounds[i];
		struct arena_mark mark = arena_mark(sc->work);
		const char *why = NULL;

		r = &sc->rounds[i];
		*ARENA_ADD(sc->work, r->groups, r->n_groups) = group;
		if (rounds_fit(sc, r, &why))
			return;
		if (is_worth_a_note(sc, g, &before, said)) {
			*ARENA_ADD(sc->keep, aparts->v, aparts->n) = (struct apart){
				group, before, arena_text(sc->keep, why) };
			said = true;
		}
		*r = before;
		arena_release(sc->work, mark);
	}
	r = ARENA_ADD(sc->work, sc->rounds, sc->n_rounds);
	*ARENA_ADD(sc->work, r->groups, r->n_groups) = group;
	rounds_fit(sc, r, NULL);
}

/* Did one metric add all events of the group, so that none can be moved? */
static bool is_of_one_metric(const struct sched_group *g)
{
	for (unsigned i = 0; i < g->n_items; i++)
		if (!g->items[i].metric || strcmp(g->items[i].metric, g->items[0].metric) != 0)
			return false;
	return true;
}

static int refuse_alone(const struct schedule *sc, const struct sched_group *g, const char *why)
{
	if (is_of_one_metric(g))
		return diags_add(sc->d, g->where, "group '%s': %s; narrow the metric by link=, "
				 "port= or unit=, and count the rest of it in another group",
				 g->name, why);
	return diags_add(sc->d, g->where, "group '%s': %s; move one of them to another group",
			 g->name, why);
}

static int check_alone(struct schedule *sc)
{
	int ret = 0;

	for (unsigned g = 0; g < sc->n_groups; g++) {
		struct arena_mark mark = arena_mark(sc->work);
		struct sched_round r = { 0 };
		const char *why = NULL;

		*ARENA_ADD(sc->work, r.groups, r.n_groups) = g;
		if (!rounds_fit(sc, &r, &why))
			ret = refuse_alone(sc, &sc->groups[g], why);
		arena_release(sc->work, mark);
	}
	return ret;
}

/* Usually all groups fit together, and then each fits alone: that case needs one search. */
int rounds_build(struct schedule *sc)
{
	struct arena_mark mark = arena_mark(sc->work);
	struct sched_round all = { 0 };
	struct aparts aparts = { NULL, 0 };

	for (unsigned g = 0; g < sc->n_groups; g++)
		*ARENA_ADD(sc->work, all.groups, all.n_groups) = g;
	if (sc->n_groups && rounds_fit(sc, &all, NULL)) {
		*ARENA_ADD(sc->work, sc->rounds, sc->n_rounds) = all;
		return 0;
	}
	arena_release(sc->work, mark);
	if (check_alone(sc) < 0)
		return -EINVAL;
	for (unsigned g = 0; g < sc->n_groups; g++)
		place_group(sc, g, &aparts);
	rounds_join(sc);
	for (unsigned i = 0; i < aparts.n; i++)
		schedule_note(sc, "Group '%s' takes turns with %s: %s.",
			      sc->groups[aparts.v[i].group].name, names_apart(sc, &aparts.v[i]),
			      aparts.v[i].why);
	return 0;
}
