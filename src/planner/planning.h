/* SPDX-License-Identifier: MIT
 * What the files of planner/ share while a plan is being built.
 *
 * Owns:  default groups, the order of the steps.
 * Never: anything that another room may use.
 * Pure; main thread.
 */
#ifndef PLANNER_PLANNING_H
#define PLANNER_PLANNING_H

#include "lower/lower.h"
#include "metric/bind.h"
#include "plan/slot_labels.h"
#include "planner/plan_build.h"

struct build {
	struct schedule s;
	const struct plan_input *in;
	struct conf_group *defaults; /* of the processor or of PMUs; NULL: the configuration's */
	unsigned n_defaults;
	struct plan *plan;
	struct metric_rows *rows;
	struct diags deferred;      /* mistakes of those rows, until the groups' are reported */
	bool refused;               /* there were mistakes */
};
/* Resolves every group of the configuration, or the default ones; mistakes go to the diagnostics.
 * groups.c */
void groups_build(struct build *b);
/* ---- items.c */

/* Adds an event to a group: on a unit of its box, or of perf. */
struct sched_item *item_add_box(struct build *b, struct sched_group *g, const struct spec *s,
				const struct spec_box *box, unsigned unit);
struct sched_item *item_add_perf(struct build *b, struct sched_group *g, const struct spec *s,
				 const struct spec_perf *p);

/* Lets the CPUs of the configuration be tried first; mistakes go to the diagnostics. pins.c */
void pins_apply(struct build *b);

/* Where the units of a socket are whose series it shows, and of what there are series. room: how
 * many there may be. locations.c */
void locations_build(struct build *b, struct plan_socket *s, unsigned room);
/* Notes of what there are none for lack of room; after all sockets. */
void locations_note(struct build *b);

/* ---- named.c */

/* The events that the metrics need which a group names. */
void named_build(struct build *b, struct sched_group *g);
/* Complains about what two groups name that cannot be both of theirs: with a window and without,
 * with other buckets. */
void named_check(struct build *b);

/* Numbers the series of a socket whose rounds and groups are there. series.c */
void series_build(const struct build *b, struct plan_socket *s);
/* Finds its memory channels, and the slots of each. series.c */
void channels_build(const struct build *b, struct plan_socket *s);

/* Finds the event and the clock of every group's window; mistakes go to the diagnostics.
 * windows.c */
void windows_build(struct build *b);
/* Complains about two groups of one round that both have a window. */
void windows_check_rounds(struct build *b);

/* ---- ready.c */

#define READY_SERIES 100            /* of one socket, at most, without a configuration */

struct ready_group {
	const struct cat_perf *table;       /* NULL: made of a PMU that no table knows */
	const struct cat_group *group;
	const char **notes;                 /* what is left out of it, whole sentences */
	unsigned n_notes;
};
struct ready_groups {
	struct ready_group *v;
	unsigned n;
};
/* May the configuration mean a group of a set, its events or its metrics? */
bool ready_may_mean_sets(const struct conf *c, const struct spec_machine *m);
/* The ready-made groups of the kernel's PMUs, in the order in which they count by default. */
void ready_groups(struct arena *a, const struct spec_machine *m, struct ready_groups *ret);
/* Adds `each` series for every unit that an event has on a socket, to that socket's; false: no CPU
 * of this machine counts it. */
bool ready_units(const struct spec_machine *m, const struct spec_perf *p, unsigned each,
		 unsigned *series);
/* Likewise the series of the event itself: its total, and the scaled one where the kernel has a
 * .unit. */
bool ready_series(const struct spec_machine *m, const struct spec_perf *p, unsigned *series);
/* Of the socket that has the most. */
unsigned ready_most(const struct spec_machine *m, const unsigned *series);

/* ---- defaults.c */

/* Counts those groups of the kernel's PMUs for which there is room. */
void perf_default_groups(struct build *b);
/* Can one of a group's metrics be counted here, or does it show events? err: why not. */
bool ready_yields(const struct build *b, const struct ready_group *r, struct err *err);
/* A default group, without events. It moves when another one is added. */
struct conf_group *default_group_add(struct build *b, const char *origin, const char *name,
				     bool metrics_only);
/* Adds an event to a ready-made group if this machine can count it; err may say why it cannot.
 * series (NULL: do not count): those that it makes of each socket are added. */
bool ready_made_add(const struct build *b, struct conf_group *g, const char *text,
		    unsigned *series, struct err *err);
/* Notes, where that is so, that the default groups count nothing of the uncore. */
void defaults_note_beside(struct build *b);
/* Notes what a ready-made table says of the events of a group. */
void defaults_note_caveats(struct build *b, const struct sched_group *g);
/* For plan.uncounted, a sentence of its arena; after all groups. */
const char *defaults_uncounted(struct build *b);

#endif
