/* SPDX-License-Identifier: MIT
 * Difference of two reads of a free-running counter.
 * Owns:  the modular arithmetic, for every counter width.
 * Never: which counter this is, how it was read, when.
 * Pure; any thread.
 */
#include "sample/sampler.h"

#include <assert.h>

uint64_t wrap_delta(uint64_t prev, uint64_t now, unsigned width)
{
	assert(width >= 1 && width <= 64);
	unsigned shift = 64 - width;

	return ((now << shift) - (prev << shift)) >> shift;
}
