/* SPDX-License-Identifier: MIT
 * What is counted at the same time, where: slots, groups and rounds of a socket.
 *
 * Owns:  their shape.
 * Never: registers and perf attributes (lower/), values (sample/).
 * Immutable once built; any thread. Texts are the catalog's or the plan's.
 */
#ifndef PLAN_SLOT_H
#define PLAN_SLOT_H

#include "base/labels.h"
#include "base/nsec.h"
#include "base/reg.h"

#include <stdbool.h>
#include <stdint.h>

struct cat_box;
struct cat_selection;

enum plan_engine { PLAN_REGISTERS, PLAN_PERF };

/* One event on one counter of one unit of one socket, in one round. */
struct plan_slot {
	/* What every tick looks at comes first, in one or two cache lines. */
	uint8_t engine;             /* enum plan_engine */
	uint8_t width;              /* 64: perf, no bound */
	bool always_runs;           /* a clock: one that stands still measures nothing */
	bool never_still;           /* its counter cannot stand still: 0 is no value of it */
	unsigned engine_slot; /* index among the round's slots of that engine: position in raw[] */
	unsigned series;            /* index into plan_socket.series */
	unsigned channel;           /* of its unit, index of plan_socket.channels + 1; 0: its unit
				     * is no memory channel */
	bool cas;                   /* commands of it that move data */
	bool shown;                 /* somebody wants its total, not metrics alone */
	bool beside;                /* of a PMU that is no uncore PMU but ready-made: energy, sleep
				     * states */
	unsigned max_inc;
	int clock_slot;             /* slot (same round) of the clock of its unit, -1: none
				     * counted */
	double max_rate; /* counts per second, most: max_inc x highest clock x 1.25; 0: no bound */
	nsec safe_interval;         /* 2^width / max_rate; 0: no bound */
	struct reg_erratum erratum;

	const struct cat_box *box;  /* NULL: perf */
	const struct cat_selection *selection;    /* registers only */
	unsigned encoding;
	int counter;                /* -1: the fixed counter, or perf */
	unsigned unit;
	/* Texts are the catalog's or the plan's; slots of one event share them. */
	const char *identity;       /* "bbox0/IMT_INSERTS_ALL", canonical, with unit */
	const char *box_name;       /* label `box` */
	const char *event_name;     /* label `event`: upper case, as in the manual */
	const char *family;         /* "uncore_bbox_imt_inserts_all_total" */
	const char *help;           /* of the family */
	struct labels labels;       /* after socket and unit: umask="ALL", port="0" */
	const char *umask;          /* names joined by ':' or "" */
	const char *link;           /* or NULL */
	int port;                   /* or -1 */
	/* perf: "die" or "device" of its unit, one of the labels, where the units of a socket
	 * differ in it; name NULL: they do not */
	struct label part;
	const char *pmu;            /* perf: name of the PMU instance; else NULL */
	const uint64_t *config;	/* perf: config, config1, config2 of the first instance; or NULL */
	double scale;               /* perf .scale with .unit: 0 none */
	const char *scaled_family, *scaled_help, *scaled_unit;
};

/* What the slots of one identity, each in another round, count together: one series, whichever
 * groups name it. */
struct plan_series {
	const struct plan_slot *slot;       /* the first of them: names and labels */
	bool shown;                 /* false: its groups show their metrics only */
};

/* A group on a socket. */
struct plan_group {
	const char *name;
	unsigned round, n_rounds;   /* the first round in which it counts, in how many it does */
	/* Of each round of the socket: n_slots indexes into the round's slots, in the order
	 * written; NULL: it has none there. */
	unsigned **slots;
	unsigned n_slots;
	nsec resolution;            /* one sample each; the interval is a multiple of it */
	bool metrics_only;	/* its events are no series of their own, only inputs of metrics */
};

/* Overflow windows of a group: all counters stop when one of them has counted `count` events. The
 * group's derived values are those of such windows. */
struct plan_overflow_window {
	unsigned group;             /* index into plan_socket.groups */
	/* indexes of the round's slots: whose overflow ends it, whose counts measure its time */
	unsigned slot, clock;
	uint64_t count;             /* 0: the round has no window */
};

struct plan_round {
	nsec tick;                  /* how often it is read: the finest resolution of its groups */
	struct plan_slot *slots;
	unsigned n_slots, n_reg, n_perf;
	unsigned *groups;           /* indexes into plan_socket.groups, rising */
	unsigned n_groups;
	struct plan_overflow_window overflow_window;
};

#endif
