/* rows.h - how rows of the tables point to what only some of them have, or have more or less of; private to the room.
 *
 * Owns:  macros for sums of metrics.
 * Never: facts.
 *
 * Where the loader puts an address it copies the page, in both processes: room for twelve addends in each row would be mostly
 * zeros that are copied too.
 */
#ifndef CATALOG_ROWS_H
#define CATALOG_ROWS_H

#include "catalog/catalog.h"

/* A metric's numerator or denominator. */
#define SUM(...) (const struct cat_term[]){ __VA_ARGS__, { .spec = NULL } }

#endif
