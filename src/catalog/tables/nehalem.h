/* SPDX-License-Identifier: MIT
 * What the files of Nehalem and Westmere give each other; private to the room.
 *
 * Owns:  the names of the one box and of the metrics, for both processors.
 * Never: rows.
 */
#ifndef CATALOG_TABLES_NEHALEM_H
#define CATALOG_TABLES_NEHALEM_H

#include "catalog/tables/rows.h"

extern const struct cat_box nehalem_uncore, westmere_uncore;
extern const struct cat_metrics nehalem_metrics, westmere_metrics;
extern const struct cat_processor cat_nehalem, cat_westmere;

#endif
