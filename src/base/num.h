/* num.h - strict numbers from text.
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

/* num_parse_cpulist - "0-3,8,10-11\n" of sysfs into a callback, ascending. Absurd ranges
 * (above `max`) and trailing rubbish are -EINVAL; never loops longer than `max`. */
int num_parse_cpulist(const char *s, unsigned max, void (*add)(void *, unsigned), void *p);

#endif
