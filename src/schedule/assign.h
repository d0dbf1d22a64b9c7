/* assign.h - which encoding and which counter for each event of one unit: a complete search that
 * knows no box.
 *
 * Pure; any thread; allocates nothing.
 */
#ifndef SCHEDULE_ASSIGN_H
#define SCHEDULE_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

/* reg: any number that names a register */
struct assign_value { uint32_t reg; uint64_t mask, value; };
struct assign_option {              /* one encoding of one event */
	uint32_t counters;          /* bit per counter */
	const struct assign_value *values;
	unsigned n_values;
};
struct assign_event {
	const struct assign_option *options;
	unsigned n_options;
};
struct assign_result { uint8_t option, counter; };
/*
 * assign - choose an option and a counter for each event: counters distinct, no bit of a register
 * wanted with two values. If any assignment exists it is found; lower options and counters are
 * preferred. Returns true and ret[n], or false.
 */
bool assign(const struct assign_event *events, unsigned n, struct assign_result *ret);

#endif
