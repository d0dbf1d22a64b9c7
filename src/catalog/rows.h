/* rows.h - how rows of the tables point to what only some of them have, or have more or less of; private to the room.
 *
 * Owns:  macros for lists, sums of metrics, values of targets, the rows of a box.
 * Never: facts.
 *
 * Where the loader puts an address it copies the page, in both processes: room in each row for all that a row can have would be
 * mostly zeros that are copied too.
 */
#ifndef CATALOG_ROWS_H
#define CATALOG_ROWS_H

#include "catalog/catalog.h"

/* Names, specifications. */
#define TEXTS(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Values for a route's targets. */
#define SET(...) &(const struct cat_set){ __VA_ARGS__ }

/* The rows of a box: the arrays regs and events of its file; its units; what a variant has more. */
#define ROWS     .regs = regs, .n_regs = COUNT(regs), .events = events, .n_events = COUNT(events)
#define UNITS(v) .units = v, .n_units = COUNT(v)
#define EXTRA(v) .extra = v, .n_extra = COUNT(v)

/* A metric's numerator or denominator. */
#define SUM(...) (const struct cat_term[]){ __VA_ARGS__, { .spec = NULL } }

#endif
