/* SPDX-License-Identifier: MIT
 * A sysfs with CPUs and PMUs in a temporary directory, from a text of
 * tests/plan/sysfs.
 *
 * Owns:  the little language of those texts:
 *     cpuinfo GenuineIntel 6 85 4                  vendor, family, model, stepping;
 *                                                  "cpuinfo arm 0x41 0xd0c" on Arm
 *     cpu 0-3 socket 0 [die 1] [llc] [node 1]      CPUs, each a core of its own; llc: they share
 *                                                  a last-level cache
 *     release 5.15.0                               the kernel's
 *     like skx                                     everything of skx.txt here, but for its cpuinfo
 *     PMU uncore_imc_{0-1,4} type=12 cpumask=0,4   instances take the next types; "cpumask=-": no
 *                                                  such file
 *       device ARMHD620:{} node 1                  the device that an instance counts for, and its
 *                                                  NUMA node; before other files of the PMU
 *       format event=config:0-7 umask=config:8-15  files of format/, of all PMUs of the line above
 *       events e=event=1,umask=2 f=event=3         files of events/
 *       events/e.scale: 1.5                        one of them
 *       alias: uncore_type_6_{}                    any other file; {} in it is the number of the
 *                                                  instance
 *       counters 4 fixed 0x83-0x85:0x3 0x80/0x80:0xe
 *                                                  what the driver has: general counters, a fixed
 *                                                  one for event 0xff, and which events (of these
 *                                                  bits) go to which counters only
 *       counters 0 free                            event 0xff with a unit mask: each has a counter
 *                                                  of its own
 *       filters 0x35/0xff:0xff00                   the bits of config1 that count for these
 *                                                  events; none for others
 *     # a comment
 * Never: expected values.
 *
 * A new machine: such a text, from the kernel's driver, and a row in test_plan_platforms.c with its
 * boxes and units from the processor's guide. `counters` and `filters` say what everything that is
 * ready has to fit. A driver drops a filter without a word if the event is not one that it filters:
 * on Skylake-SP filter_state holds for six codes of LLC_LOOKUP alone. tests/plan/make_tree TEXT DIR
 * makes a directory for uncorectl --path-sysfs DIR --path-procfs DIR.
 */
#ifndef SYSFS_TREE_H
#define SYSFS_TREE_H

#include "topo/topo.h"

#define TREE_RULES 96

/* The trees of machines, by the names of their texts. */
#define SYSFS_TREES \
	"nehalem", "nehalem_ex", "snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx", "clxap", \
	"icx", "spr", "sprhbm", "emr", "gnr", "srf", "cwf", \
	"skl", "tgl", "adl", "mtl", "lnl", "zen1", "zen2", "zen3", "zen4", "zen5", "cmn600", \
	"cmn700", "altra2", "altra2_lts"

struct tree_rule {		/* of events from first to last, by the bits of config in mask */
	uint64_t first, last, mask, value;
};

struct tree_hw {		/* what a PMU of this family has, from `counters` and `filters` */
	char family[64];            /* "uncore_imc" */
	unsigned counters;
	bool known, fixed, free, filtered;
	struct tree_rule counter[TREE_RULES], filter[TREE_RULES];
	unsigned n_counter, n_filter;
};

struct sysfs_tree {
	char root[128];
	struct tree_hw *hw;
	unsigned n_hw;
};

/* Aborts with a sentence if the text is not of this language. text: "skx.txt". */
void tree_make(struct sysfs_tree *t, const char *text);
/* The same in an existing directory; release with tree_forget. */
void tree_make_in(struct sysfs_tree *t, const char *dir, const char *text);
void tree_forget(struct sysfs_tree *t);
void tree_drop(struct sysfs_tree *t);
/* A file with a newline after the text; its directories are made. */
void tree_put(const struct sysfs_tree *t, const char *file, const char *text);
/* NULL: the tree says nothing of this PMU's counters. */
const struct tree_hw *tree_hw(const struct sysfs_tree *t, const char *pmu);

struct topo *tree_topo(const struct sysfs_tree *t);
/* Aborts if anything is odd. */
struct topo_pmus *tree_pmus(const struct sysfs_tree *t);

#endif
