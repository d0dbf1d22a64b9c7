/* SPDX-License-Identifier: MIT
 * Strict numbers from text, and the larger of two.
 *
 * Pure; any thread.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* num_parse_u64 - decimal or 0x hex, the whole string, no sign, no blank, no octal.
 * -EINVAL: not a number; -ERANGE: above 2^64 - 1. */
int num_parse_u64(const char *s, uint64_t *ret);

/* A list of CPUs, as "0-3,8,10-11\n" of sysfs, is taken range by range. */
struct cpu_range {
	const char *rest;           /* of the text */
	unsigned first, end;        /* first .. end - 1; 0 before the first range */
};
/* num_next_range - the next range, from { text } on. Returns 1, or 0 at the end. Absurd ranges
 * (above `max`), those that do not ascend and trailing rubbish are -EINVAL. */
int num_next_range(struct cpu_range *r, unsigned max);

/* fmax() and fmin() of numbers. These are all that uncored would need libm for: 0.3 MB. */
static inline double num_larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double num_smaller(double a, double b)
{
	return a < b ? a : b;
}

#endif
