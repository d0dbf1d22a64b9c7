/* SPDX-License-Identifier: MIT
 * Ready-made groups and metrics for the PMUs of Linux: what to count where uncored
 * programs no register itself.
 *
 * Owns:  tables of events in the kernel's terms, groups that fit onto the counters, metric rows,
 *        and their sources.
 * Never: files; which PMUs this machine has (planner/defaults.c finds out what can be counted of a
 *        table).
 * Pure; any thread; everything here lives for ever.
 *
 * The names of PMUs do not tell generations apart (SNB-EP to BDX have one set of names, SKX to GNR
 * another, and events have other codes behind them): a table says by family and model which
 * processors it holds for. One that has no ids holds wherever its first PMU exists; where that
 * counts other things on other hardware, `needs` tells them apart.
 *
 * A part of a sum is no sum: four counters for eight channels, or a slice that cannot be opened,
 * would show a part of the traffic. Such metrics are `absent`; what can be counted is a metric of
 * its own. Linux counts one of the four dies of an EPYC 7001 from 6.10 on, so its fabric is counted
 * by die. One instance is not one unit: uncore_cha_0 counts once in each die of a socket (Cascade
 * Lake-AP has two), so that a metric of one instance that is not by unit would add up clocks.
 *
 * A new table: a PMU with many instances is `metrics_only`, or its events make too many series (100
 * a socket are enough). It needs a tree in src/topo/machines, and rows in tests/plan/ready.tsv
 * which somebody else looks up. planner/defaults.c leaves out what a kernel does not have, and
 * `uncorectl doctor` says why.
 */
#ifndef CATALOG_PERF_H
#define CATALOG_PERF_H

#include "catalog/catalog.h"

/* What an instance counts on each CPU of its cpumask: it names one CPU for each of them that a
 * socket has. CAT_PART_UNKNOWN: a core, or nobody knows. */
enum cat_part { CAT_PART_DIE, CAT_PART_SOCKET, CAT_PART_CACHE, CAT_PART_UNKNOWN };

enum { CAT_COUNTERS_UNKNOWN = UINT8_MAX };

struct cat_perf_pmu {
	const char *name;           /* of the kernel, without the number of an instance:
				     * "uncore_imc" */
	uint8_t counters;           /* of an instance, for events at once; 0: every event has one of
				     * its own; CAT_COUNTERS_UNKNOWN: the hardware alone says */
	const char *source;
};

struct cat_perf_event {
	const char *spec;           /* "perf/uncore_imc/cas_count_read/", or terms by numbers with
				     * name= */
	uint32_t counters;          /* that can count it, bit per counter; 0: all of the PMU */
	bool fixed;                 /* has a counter of its own, beside those of its PMU */
	bool clock;                 /* always runs, adds one in a clock, and may be a metric's
				     * cycles_of */
	uint8_t max_inc;            /* most that it adds in a clock; 0: as much as the threshold of
				     * its PMU can say */
	bool cas;                   /* commands of a memory channel that move data: a unit that has
				     * counted one has memory */
	const char *never_still;    /* the source by which its counter rises as long as the machine
				     * runs, also in deep sleep states of the package; NULL: it may
				     * stand still, and 0 is a value */
	const char *source;
	const char *numbers;        /* the terms of a name that a kernel without the PMU's name does
				     * not have either; NULL: spec has numbers */
	const char *published;      /* as its maker's lists of events have it, without "UNC_x_",
				     * where that is not the event's own name: "CAS_COUNT.RD" of
				     * cas_count_read; NULL: it is */
};

/* Room for the own name of any event. */
#define CAT_PERF_NAME 80

/* An event that counts half of what its name says; a group without the other half gets a note. */
struct cat_perf_caveat {
	const char *box;            /* "imc" */
	uint64_t config, other;     /* of both halves */
	const char *text;           /* a sentence that follows the specification: what it counts,
				     * and what the other half is */
};

struct cat_perf_id {
	uint16_t family, first, last;   /* models first to last */
	uint8_t stepping;               /* and later ones */
};

/* The first Linux whose driver gives a processor's PMUs their names. */
#define LINUX(major_, minor_) ((major_) << 8 | (minor_))
struct cat_perf_since {
	uint16_t family, model, release;        /* of Linux: LINUX(6, 8) */
	const char *source;
};

struct cat_perf {
	const char *name;           /* "skx" */
	const char *title;          /* "Intel Xeon Scalable (Skylake-SP, Cascade Lake)" */
	const char *vendor;         /* of cpuinfo; "": it names none, as on Arm; NULL: any */
	const struct cat_perf_id *ids;
	const struct cat_perf_pmu *pmus;        /* of sets: the first one decides to which tables
						 * they add, cat_perf_adds_to(), and so which
						 * `since` is theirs */
	const char *const *needs;   /* it holds only where its first PMU names all of these events,
				     * ended by NULL: drivers show those of the hardware that is
				     * there; NULL: always */
	const struct cat_perf_event *events;
	const struct cat_group *groups;         /* counted without a configuration, in this order,
						 * while there is room */
	const struct cat_metric *metrics;       /* inputs are specs of events, word by word */
	const char *const *one_filter;  /* PMUs whose config1 and config2 are registers of the
					 * instance, not of a counter: two events cannot want two
					 * values of a field, so that their groups take turns: the
					 * kernel would rotate them itself or, with QPI's match
					 * registers, let one overwrite the other. Ended by NULL;
					 * NULL: none */
	const struct cat_perf_caveat *caveats;  /* ended by box == NULL; NULL: none */
	bool each_alone;            /* the driver of its PMUs takes one event of a perf group: of
				     * those that the kernel reads at once */
	bool served_anywhere;       /* their cpumask is the CPU that happens to serve them, wherever
				     * the device is */
	enum cat_part part;         /* of all its PMUs */
	const char *executed;       /* Linux's driver, where a guest has executed it on registers of
				     * known rates and its counts were compared with these
				     * (tests/vm/driver.py, arm64.py); NULL: only the kernel's perf
				     * was, on PMUs of known rates (tests/vm/live.py), unless
				     * listed */
	bool listed;                /* no kernel has counted its PMUs in a test: they are known from
				     * the sources and listings of their drivers */
	const struct cat_perf_since *since;     /* where it is known; NULL: nowhere. Of sets: where
						 * the tables to which they add do not say it */
	uint16_t pmus_since;        /* the first Linux that has them for any of its processors:
				     * LINUX(6, 7); 0: not known, or since says it */
	uint8_t unnamed;            /* N of "uncore_type_N", as which its PMU shows on a kernel that
				     * does not name it; 0: not needed */
	uint64_t max_hz;            /* none of its PMUs has a faster clock; 0: no source says */
	bool sets;                  /* no group of it counts by default: a plan looks at its rows
				     * only where a configuration may mean them */
	bool few;                   /* few of its processors have its PMUs: those of others lack
				     * nothing */
	bool by_pmu;                /* others have its processors, too: it holds where there is one
				     * of its PMUs */
	const char *const *instead_of;  /* tables that do not hold where it does, ended by NULL;
					 * NULL: none */
	bool beside;                /* its PMUs are no uncore PMUs: alone they say nothing of
				     * memory, caches and links, and in a virtual machine nothing at
				     * all */
	uint8_t n_ids, n_pmus, n_events, n_groups, n_metrics, n_since;
};

enum { CAT_PERFS_MAX = 64 };        /* tables at most */
extern const struct cat_perf *const cat_perfs[];
extern const unsigned cat_n_perfs;

/* What values rest on beside their formula, in words: those of metrics of a table, or t NULL, of a
 * processor's registers. Returns ret. */
#define CAT_RESTS 96
#define CAT_RESTS_FORMULA "the published formula of its source"
const char *cat_rests_on(const struct cat_perf *t, char ret[CAT_RESTS]);

/* Does the table hold for processors of this vendor, family, model and stepping? True also of a
 * table without ids, if the vendor is right. */
bool cat_perf_is_for(const struct cat_perf *t, const char *vendor, unsigned family, unsigned model,
		     unsigned stepping);

/* Has a table of sets rows for processors of table t, on a PMU that t is the first to have? */
bool cat_perf_adds_to(const struct cat_perf *sets, const struct cat_perf *t);

/* Does t stand in the place of the other one? */
bool cat_perf_is_instead_of(const struct cat_perf *t, const struct cat_perf *other);

/* As what the instances of Intel's "uncore_imc" show where a kernel that reads the processor's list
 * of its counters has no name for them: "uncore_type_6"; NULL: never so, or nobody says. */
const char *cat_perf_unnamed(const char *pmu);

/* Is the PMU, by its name, one of a table `beside`? */
bool cat_perf_is_beside(const char *pmu);
/* As LINUX(6, 8), the first one that names the table's PMUs on such a processor; 0: not known. That
 * of a table of sets is known from the table to which it adds. */
unsigned cat_perf_since(const struct cat_perf *t, const char *vendor, unsigned family,
			unsigned model, unsigned stepping);

/* The event's own name, of name= or the kernel's: "tor_inserts_ia_miss_drd". Returns ret. */
char *cat_perf_event_name(const struct cat_perf_event *e, char ret[CAT_PERF_NAME]);
/* Is the event called so, by its own name or as its maker publishes it, with Intel's "UNC_x_" of
 * its PMU or without? Case-insensitive; '.', ':' and '_' are the same. */
bool cat_perf_event_is_called(const struct cat_perf_event *e, const char *name);
/* The same of what one is published as: is the name, without "UNC_x_", this one, or an older one of
 * the same event? */
bool cat_perf_is_published(const char *published, const char *name);
/* The ports of an I/O stack that the event counts together, bit per port, where its maker publishes
 * it as ...ALL_PARTS and each port as an event of its own; 0: it is no such event. */
uint32_t cat_perf_ports(const struct cat_perf_event *e);
/* What its maker calls such an event of one of these ports alone: DATA_REQ_OF_CPU.MEM_READ.PART2.
 * Returns ret. */
char *cat_perf_port_name(const struct cat_perf_event *e, unsigned port, char ret[CAT_PERF_NAME]);
/* What follows the "UNC_x_" of the PMU's events, or the name itself where it does not begin so. */
const char *cat_perf_without_prefix(const char *pmu, const char *name);

/* Does the group hold all that the metric needs? */
bool cat_perf_yields(const struct cat_group *g, const struct cat_metric *m);

#endif
