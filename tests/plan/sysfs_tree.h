/* SPDX-License-Identifier: MIT
 * A sysfs with CPUs and PMUs in a temporary directory, from a text of src/topo/machines: see
 * topo/machine_text.h for the language.
 *
 * Owns:  the directory, and that a test ends where anything is odd.
 * Never: the language; expected values.
 *
 * tests/plan/make_tree TEXT DIR makes a directory for uncorectl --path-sysfs DIR --path-procfs DIR.
 */
#ifndef SYSFS_TREE_H
#define SYSFS_TREE_H

#include "topo/machine_text.h"
#include "topo/topo.h"

/* The trees of machines, by the names of their texts. */
#define SYSFS_TREES \
	"nehalem", "westmere", "nehalem_ex", "snbep", "ivt", "hsx", "bdx", "bdxde", "skx", "clx", \
	"clxap", "cpx", "icx", "spr", "sprhbm", "emr", "gnr", "srf", "cwf", \
	"skl", "tgl", "adl", "mtl", "lnl", "zen1", "zen2", "zen3", "zen4", "zen5", "zen6", \
	"ryzen", "raphael", "cmn600", "cmn700", "altra2", "altra2_lts", \
	"cmns3", "kunpeng920", "kunpeng930", "ampereone", "yitian710", "grace", "vera"

struct sysfs_tree {
	char root[128];
	struct machine_text *text;
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
const struct machine_family *tree_hw(const struct sysfs_tree *t, const char *pmu);

struct topo *tree_topo(const struct sysfs_tree *t);
/* Aborts if anything is odd. */
struct topo_pmus *tree_pmus(const struct sysfs_tree *t);

#endif
