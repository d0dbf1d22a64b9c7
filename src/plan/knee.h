/* SPDX-License-Identifier: MIT
 * Where the memory of a socket saturates: at its knee a read that misses the caches takes 1.5 times
 * as long as in an idle memory.
 *
 * Owns:  the shape of what was measured of this machine, by the share of reads.
 * Never: who measured it (uncorectl verify --curve), the file (machine/curve.h).
 * Immutable once built; any thread.
 */
#ifndef PLAN_KNEE_H
#define PLAN_KNEE_H

#include <stddef.h>

enum { KNEE_MIXES = 3 };

/* Traffic at the knee while `reads` of it (0..1) is read. 0: no traffic of this mix gets there, and
 * `most` is all that memory can move of it. */
struct plan_knee_mix {
	double reads, bytes_per_second, most;
};

struct plan_knee {
	unsigned socket;            /* physical package id */
	unsigned channels;          /* that had memory; 0: nobody knows */
	/* By rising share of reads. */
	struct plan_knee_mix mix[KNEE_MIXES];
	unsigned n;
};

struct plan_knees {
	struct plan_knee *v;        /* of each socket that was measured */
	unsigned n;
	/* Why there is none, a sentence: nobody has measured this machine; or what there is cannot
	 * be used. NULL: neither. */
	const char *unmeasured, *refused;
	unsigned stale;             /* of what is refused: a bit for each enum stale (topo/) */
	const char *measured;       /* with the day, words; NULL: what holds is no measurement */
};

/* What a knee rests on, in words. k NULL: nobody looked. */
static inline const char *plan_knee_rests(const struct plan_knees *k)
{
	return k && k->measured ? k->measured :
		"a curve that uncorectl verify --curve measures on the machine";
}

#endif
