/* SPDX-License-Identifier: MIT
 * A processor's catalog as JSON, so that other tools can use the tables.
 *
 * Owns:  the keys of that document; contrib/schema/catalog.schema.json says what each means.
 * Never: how events are chosen or placed (planner/), this machine.
 * Pure but for allocation; any thread. Objects belong to the caller; NULL: out of memory.
 */
#ifndef EXPO_CATALOG_H
#define EXPO_CATALOG_H

#include "expo/json.h"
#include "spec/kernel.h"

#define CATALOG_FORMAT "uncored-catalog-1"  /* changes when a reader of the one before would be
                                             * misled */

/* Everything that is known of a processor. */
json_t *catalog_document(const struct cat_processor *p);
/* Of a processor that has no tables, for the kernel's events alone. */
json_t *catalog_other(const char *name);

/* Its parts. */
json_t *catalog_box_json(const struct cat_box *b);
json_t *catalog_event_json(const struct cat_box *b, const struct cat_event *e);
json_t *catalog_metric_json(const struct cat_metric *m);
/* The kernel's own events of these PMUs, added to an array. catalog_kernel.c */
void catalog_add_kernel_events(json_t *events, const struct topo_pmus *pmus);
/* What a processor is known by: a list of families and models. */
json_t *catalog_ids_json(const struct cat_processor *p);

/* For the files of this document only: highest and lowest bit of a field, or null; the fields of a
 * register. catalog_box.c */
json_t *catalog_bits_json(struct cat_bits b);
json_t *catalog_fields_json(const struct cat_field *f, unsigned n);

#endif
