/* SPDX-License-Identifier: MIT
 * Bit fields of a 64-bit register, and small helpers.
 *
 * Pure; any thread.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BIT(n)   (UINT64_C(1) << (n))
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))         /* for qsort(): -1, 0 or 1 */

/* bits_mask - ones in bits hi..lo, 0 <= lo <= hi <= 63. */
static inline uint64_t bits_mask(unsigned hi, unsigned lo)
{
	return (~UINT64_C(0) >> (63 - hi)) & (~UINT64_C(0) << lo);
}

static inline uint64_t bits_get(uint64_t v, unsigned hi, unsigned lo)
{
	return (v & bits_mask(hi, lo)) >> lo;
}

static inline uint64_t bits_put(uint64_t field, unsigned hi, unsigned lo)
{
	return (field << lo) & bits_mask(hi, lo);
}

/* bits_fit - does `field` fit into hi..lo? */
static inline bool bits_fit(uint64_t field, unsigned hi, unsigned lo)
{
	return (field & ~(~UINT64_C(0) >> (63 - (hi - lo)))) == 0;
}

#endif
