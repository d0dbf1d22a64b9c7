/* SPDX-License-Identifier: MIT
 * Which encoding and which counter for each event of one unit: a complete search that
 * knows no box.
 *
 * Pure; any thread; allocates nothing.
 */
#ifndef SCHEDULE_ASSIGN_H
#define SCHEDULE_ASSIGN_H

#include "catalog/catalog.h"

#include <stdbool.h>
#include <stdint.h>

#define ASSIGN_MAX 32       /* counters: bits of a set, and so the most events that can fit */

struct assign_option {              /* one encoding of one event: the bits that it wants */
	struct cat_field_value values[CAT_FIELD_VALUES];
	unsigned n;
};
struct assign_event {
	uint32_t counters;          /* that can count it, a bit each */
	struct assign_option *options;
	unsigned n_options;
};
struct assign_result { uint8_t option, counter; };
/* Do both want a bit of a register, with two values? */
static inline bool assign_clash(const struct cat_field_value *x, const struct cat_field_value *y)
{
	return reg_equal(x->reg, y->reg) && ((x->value ^ y->value) & x->mask & y->mask);
}
/* Can each of n events have a counter of its own? sets: for each event, the counters that can count
 * it, a bit each. */
bool assign_counters(const uint32_t *sets, unsigned n);
/*
 * assign - choose an option and a counter for each event: counters distinct, no bit of a register
 * wanted with two values. If any assignment exists it is found; lower options and counters are
 * preferred. Returns true and ret[n], or false.
 */
bool assign(const struct assign_event *events, unsigned n, struct assign_result *ret);

#endif
