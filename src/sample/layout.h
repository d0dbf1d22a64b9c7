/* layout.h - what each word of a socket's snapshot is.
 *
 * Owns:  word numbers. Values only: every name, label and unit is in the blob that expo/ builds from the plan.
 * Pure; any thread.
 */
#ifndef SAMPLE_LAYOUT_H
#define SAMPLE_LAYOUT_H

#include "base/reg.h"
#include "plan/plan.h"

/* Fixed words, all cumulative ones since this sampler began (expo adds what was carried over). */
enum layout_word {
	W_NOW_MONO,         /* ns, of the last sample inside the published values */
	W_NOW_WALL,         /* ns since 1970 */
	W_DURATION,         /* ns that the last read took */
	W_TICKS,            /* samples taken */
	W_MISSED,           /* ticks missed */
	W_LATENESS,         /* ns, of the last tick */
	W_WRAPS, W_RESETS, W_FOREIGN, W_READ_ERRORS,
	W_FROZEN,           /* ns */
	W_ROUND,            /* running now */
	W_CPU,              /* reader CPU now, ~0: none */
	W_INVALID,          /* REASON_COUNT words: slots x ticks per reason */
	W_FIRST = W_INVALID + REASON_COUNT,
};

struct layout {
	unsigned group_active;      /* + group: ns in which the group counted */
	unsigned slot_total;        /* + slot: see layout_slot */
	unsigned slot_reason;       /* + slot: enum reason */
	unsigned metric_value;      /* + metric: double bits, or the uint64 total of a counter row */
	unsigned metric_state;      /* + metric: enum derive_state; counter rows: DERIVE_VALID or DERIVE_NONE */
	unsigned n_slots;           /* of all rounds */
	unsigned n_words;
};
struct layout layout_of(const struct plan_socket *s);
/* Slots of all rounds are numbered through: round 0's first. */
unsigned layout_slot(const struct plan_socket *s, unsigned round, unsigned slot);

#endif
