/* SPDX-License-Identifier: MIT
 * Resolved groups, the rounds in which they count, and why some cannot count together.
 *
 * Owns:  rounds, the use of one counter by several groups, the sentences that explain a refusal.
 * Never: registers' addresses, sockets (every socket gets the same rounds).
 * Pure; main thread.
 *
 * Memory is of two arenas, and nothing is freed by itself: `keep`, the plan's own, has all that the
 * plan points to; `work` ends with plan_build(). All runs inside one arena_try(), so that an
 * allocation never fails where it is made.
 */
#ifndef SCHEDULE_SCHEDULE_H
#define SCHEDULE_SCHEDULE_H

#include "plan/slot.h"
#include "schedule/assign.h"
#include "spec/kernel.h"
#include "spec/resolve.h"

struct conf_group;
struct conf_overflow_window;

/* One event of a group, on one unit (registers) or where its PMUs serve (perf) */
struct sched_item {
	const struct spec *spec;
	const char *metric;         /* that needs it; NULL: the group names the event itself */
	bool metrics_only;          /* its total is not shown */
	bool may_lack;              /* of a ready-made group */
	bool perf;
	struct spec_box s;        /* registers */
	char *identity;
	struct spec_perf p;
	const struct cat_perf_event *row; /* perf: what a table says of it; NULL: none does */
	const struct plan_slot *made;   /* perf: one of its slots, once there is one */
	unsigned n_slots;           /* perf: slots that it yielded, all sockets */
};
/* A metric that a group names, on some of its units and ports. */
struct sched_named {
	const char *name;
	int unit, port;             /* -1: all */
	const char *link;           /* NULL: all */
	struct where where;
};
struct sched_group {
	const struct conf_group *conf;
	struct where where;
	const char *name, *plan_name;    /* plan_name: the plan's copy */
	bool metrics_only;                 /* see plan_group */
	bool ready_made;
	bool apart;                 /* never beside another group of its PMUs */
	nsec resolution;            /* how often it is read; > 0 */
	const struct cat_set *set;  /* ready-made, with others that take turns; NULL: none */
	bool complete;              /* every specification is resolved: no item is missing */
	struct sched_item *items;
	unsigned n_items;
	struct sched_named *named;
	unsigned n_named;
	const struct conf_overflow_window *window;       /* NULL: none */
	unsigned window_item, clock_item; /* of items: its event, the clock that gives its time */
};
struct sched_event {               /* a register event with its encoding in a round */
	struct spec_box s;
	const char *metric;         /* that needs it, as of the first item; or NULL */
	const char *identity;       /* borrowed from the first item */
	/* counters: allowed, after pins; FIXED_COUNTER_BIT: the fixed counter. options: once it was
	 * tried */
	struct assign_event possible;
	unsigned encoding;
	int counter;
	const struct plan_slot *made;   /* its slot on one of the sockets, once there is one */
};
#define FIXED_COUNTER_BIT 31
struct sched_round {
	unsigned *groups;           /* rising */
	unsigned n_groups;
	struct sched_event *events;
	unsigned n_events;
	/* Of each register item, one group after the other: the index of its event. */
	unsigned *item_events;
	unsigned n_item_events;
};
struct schedule {
	struct arena *work, *keep;
	struct spec_machine machine;
	struct perf_rows rows;      /* of the machine's tables */
	struct diags *d;
	struct sched_group *groups;
	unsigned n_groups;
	struct sched_round *rounds;
	unsigned n_rounds;
	char **notes;	/* of keep: why groups were put into rounds, warnings; whole sentences */
	unsigned n_notes;
};

/* Every item of every group g; a break leaves the group alone. */
#define SCHED_EACH_ITEM(item, g, sc) \
	(const struct sched_group *g = (sc)->groups; g && g < (sc)->groups + (sc)->n_groups; g++) \
		for (const struct sched_item *item = g->items; \
		     item && item < g->items + g->n_items; item++)

/* Every group of a round, whose number is *at; a continue goes on to the next. */
#define ROUND_EACH_GROUP(g, r, sc) \
	(const unsigned *at = (r)->groups; at < (r)->groups + (r)->n_groups; at++) \
		for (const struct sched_group *g = &(sc)->groups[*at]; g; g = NULL)

/* Every item of every group of a round. */
#define ROUND_EACH_ITEM(item, r, sc) \
	(const unsigned *at = (r)->groups; at < (r)->groups + (r)->n_groups; at++) \
		for (struct sched_item *item = (sc)->groups[*at].items; \
		     item && item < (sc)->groups[*at].items + (sc)->groups[*at].n_items; item++)

/* Is the group, by its number, in the round? */
static inline bool round_has(const struct sched_round *r, unsigned group)
{
	for (unsigned i = 0; i < r->n_groups; i++)
		if (r->groups[i] == group)
			return true;
	return false;
}

/* Puts every group into the rounds that have room for it and every register event onto a counter;
 * explains itself in the notes. -EINVAL: some group does not fit alone, the diagnostics say why. */
int rounds_build(struct schedule *sc);
/* Do these groups fit together? Fills r->events; else *why (if wanted) says for each box why not.
 * rounds_fit.c */
bool rounds_fit(const struct schedule *sc, struct sched_round *r, const char **why);
/* Adds every group to the other rounds that have room for it: their number stays. rounds_join.c */
void rounds_join(struct schedule *sc);
/* Why the perf events of a round do not fit onto their PMUs' counters; NULL: they do, as far as the
 * catalog's tables know. rounds_perf.c */
const char *rounds_perf_crowded(const struct schedule *sc, const struct sched_round *r);
/* How a group that is added to a round shares the kernel's PMUs with those that are there. */
enum sched_sharing {
	SHARES_NO_PMU,
	SHARES_KNOWN_PMUS,          /* rounds_perf_crowded() says whether it fits */
	SHARES_UNKNOWN_PMU,         /* no table says what that can count at once */
};
enum sched_sharing rounds_perf_sharing(const struct schedule *sc, const struct sched_round *r,
				       const struct sched_group *g);
/* Adds a note, as printf does; _once: unless there is the same one already. */
#define schedule_note(sc, ...) \
	schedule_add_note(sc, arena_printf((sc)->keep, __VA_ARGS__), false)
#define schedule_note_once(sc, ...) \
	schedule_add_note(sc, arena_printf((sc)->keep, __VA_ARGS__), true)
/* text: of the arena `keep`. */
void schedule_add_note(struct schedule *sc, char *text, bool once);

#endif
