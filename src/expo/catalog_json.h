/* catalog_json.h - a processor's catalog as JSON, so that other tools can use the tables.
 *
 * Owns:  the keys of that document; contrib/schema/catalog.schema.json says what each means.
 * Never: how events are chosen or placed (plan/), this machine.
 * Pure but for allocation; any thread. Objects belong to the caller; NULL: out of memory.
 */
#ifndef EXPO_CATALOG_H
#define EXPO_CATALOG_H

#include "spec/kernel.h"

#include <jansson.h>

#define CATALOG_FORMAT "uncored-catalog-1"  /* changes when a reader of the one before would be misled */

/* Everything that is known of a processor. */
json_t *catalog_document(const struct cat_processor *p);

/* Its parts. */
json_t *catalog_box(const struct cat_box *b);
json_t *catalog_event(const struct cat_box *b, const struct cat_event *e);
json_t *catalog_metric(const struct cat_metric *m);
/* The kernel's own events of these PMUs, added to an array. */
void catalog_add_kernel_events(json_t *events, const struct topo_pmus *pmus);
/* Members name, title, ids of a processor, added to o. */
void catalog_identify(json_t *o, const struct cat_processor *p);

/* For the files of this document only: one member of an object. Text: NULL is null. */
void catalog_put_text(json_t *o, const char *key, const char *text);
void catalog_put_hex(json_t *o, const char *key, uint64_t v);
void catalog_put_number(json_t *o, const char *key, uint64_t v);
void catalog_put_bits(json_t *o, const char *key, struct cat_bits b);
/* The fields of a register. */
json_t *catalog_fields(const struct cat_field *f, unsigned n);

#endif
