/* wrap.c - difference of two reads of a free-running counter.
 *
 * Owns:  the modular arithmetic, for every counter width.
 * Never: which counter this is, how it was read, when.
 * Pure; any thread.
 */
#include "config.h"

#include "sample/sampler.h"

#include <assert.h>

/*
 * wrap_delta - events counted between two reads.
 *
 * prev, now  raw register values; bits at or above `width` are ignored
 * width      bits, 1..64, a fact of the box (Nehalem-EX 48, E5 v2 C-Box 44)
 *
 * Returns the count, 0 .. 2^width - 1. Exact while fewer than 2^width events
 * happen between reads; the plan's safe interval ensures that. Cannot fail.
 */
uint64_t wrap_delta(uint64_t prev, uint64_t now, unsigned width)
{
	assert(width >= 1 && width <= 64);
	unsigned shift = 64 - width;

	return ((now << shift) - (prev << shift)) >> shift;
}
