/* SPDX-License-Identifier: MIT
 * What the tests of the Xeon E5/E7 v2's tables share.
 *
 * The expected values stand in ivytown_events.tsv and ivytown_registers.tsv (their heads name the
 * sources) and in the tests, each with its page; none of them was read from the tables under test.
 */
#ifndef TESTS_IVT_H
#define TESTS_IVT_H

#define CATALOG_OF "ivytown"
#include "names.h"

#include "selection.h"
#include "tsv.h"

/* Columns of ivytown_registers.tsv. */
enum { R_BOX, R_UNIT, R_NAME, R_ROLE, R_INDEX, R_SPACE, R_DEV, R_FN, R_ID, R_OFFSET, R_WIDTH };

#endif
