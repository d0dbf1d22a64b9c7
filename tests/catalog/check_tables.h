/* SPDX-License-Identifier: MIT
 * What refuses tables that contradict themselves: the catalog's self-check.
 *
 * Owns:  the rules that every table keeps; check_*.c has them. It is a test: no program runs it.
 * Never: what the manuals say (the .tsv of each processor).
 */
#ifndef TESTS_CHECK_TABLES_H
#define TESTS_CHECK_TABLES_H

#include "catalog/perf.h"

/*
 * catalog_check - refuse a table with doubled names, codes and help texts, "TBD", a counter outside
 * the box, a register field without register, a row without source. What rows say in event
 * specifications is for spec_check(). Adds every mistake to d; returns 0 or -EINVAL.
 */
int catalog_check(const struct cat_processor *p, struct diags *d);

/*
 * catalog_check_perf - refuse tables with a metric of absent events, a row without source, and
 * tables for one processor that contradict each other. What rows say in event specifications is for
 * spec_check_perf(). Adds every mistake to d; returns 0 or -EINVAL.
 */
int catalog_check_perf(const struct cat_perf *const *v, unsigned n, struct diags *d);

/* spec_check - refuse a table that catalog_check() accepts with a group, metric or clock of an
 * event that does not exist, or is no clock. Adds every mistake to d; returns 0 or -EINVAL. */
int spec_check(const struct cat_processor *p, struct diags *d);

/* spec_check_perf - refuse a table that catalog_check_perf() accepts with an event that is none, or
 * on a PMU that the table does not have, and groups that do not fit onto the counters together.
 * Adds every mistake to d; returns 0 or -EINVAL. */
int spec_check_perf(const struct cat_perf *t, struct diags *d);

#endif
