/* SPDX-License-Identifier: MIT
 * A box specification against the catalog.
 *
 * Owns:  which unit masks and keys an event accepts, when two specifications mean the same, the
 *        canonical text.
 * Never: whether the event fits beside others (schedule/).
 * Pure; any thread.
 */
#ifndef SPEC_RESOLVE_H
#define SPEC_RESOLVE_H

#include "base/strb.h"
#include "catalog/catalog.h"
#include "spec/spec.h"

struct topo;

struct spec_box {                   /* a box specification, resolved */
	struct cat_selection selection;   /* unit 0 if every_unit */
	bool every_unit;
	bool any_port;              /* the box has ports and none was given */
	int pin, encoding;             /* pinned counter and encoding, -1: none */
};
/* required keys that may be left out */
enum spec_optional { SPEC_PORT_OPTIONAL = 1, SPEC_FILTERS_OPTIONAL = 2 };
/* a: of an event that is given by numbers, what ret points to */
int spec_resolve(struct arena *a, const struct cat_processor *p, const struct spec *s,
		 unsigned optional, struct spec_box *ret, struct err *err);
/* -EINVAL and why the box of s cannot be counted: p (NULL: the processor of machine t, whose
 * registers nobody knows) has none. */
int spec_no_box(const struct cat_processor *p, const struct topo *t, const struct spec *s,
		struct err *err);
/* The same event with the same unit masks and keys; the unit does not matter. */
bool spec_equal(const struct cat_selection *a, const struct cat_selection *b);
/* Is it what a metric's row means? The row leaves out the port and free keys where it holds for
 * any. */
bool spec_matches(const struct spec_box *row, const struct cat_selection *c);

/* "cbox3/LLC_HITS:M:E,threshold=2", canonical: unit masks in catalog order, defaults dropped.
 * free() it. */
char *spec_text(const struct cat_selection *c, bool with_unit);

/* spec_row - what a row of the catalog's names: of every unit, and every port that it does not
 * name. */
int spec_row(struct arena *a, const struct cat_processor *p, const char *text, struct spec_box *ret,
	     struct err *err);

/* ---- spec_raw.c */

/* The event of ret's box that s gives by numbers, of arena a. */
int spec_raw(struct arena *a, const struct spec *s, struct spec_box *ret, struct err *err);
/* Appends its terms, "event=0x3,umask=0x1", without what every event of the box has, and its
 * name. */
void spec_raw_terms(const struct cat_selection *c, struct strb *b);
/* The event that a control register selects, as one by numbers; false: none that may be. */
bool spec_raw_of(struct arena *a, const struct cat_location *at, uint64_t ctl,
		 struct cat_selection *ret);

/* ---- spec_keys.c */

/* The keys of a specification whose event and unit masks are in *ret already. */
int spec_keys(const struct spec *s, unsigned optional, struct spec_box *ret, struct err *err);
/* The value of selector key i: true and *ret, or false if it is the default (and says nothing). */
bool spec_key_value(const struct cat_selection *c, unsigned i, uint64_t *ret,
		    const char **ret_word);

#endif
