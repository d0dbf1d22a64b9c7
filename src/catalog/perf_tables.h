/* perf_tables.h - the tables that perf.c lists, one file each; private to the room. */
#ifndef CATALOG_PERF_TABLES_H
#define CATALOG_PERF_TABLES_H

#include "catalog/perf.h"

#define INTEL "GenuineIntel"
#define IN(spec_) { .spec = (spec_) }
#define TIMES(weight_, spec_) { .spec = (spec_), .weight = (weight_) }
#define SPECS(...) (const char *const[]){ __VA_ARGS__, NULL }

extern const struct cat_perf cat_perf_skx;

#endif
