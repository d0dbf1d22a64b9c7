/* SPDX-License-Identifier: MIT
 * Metric rows evaluated on one window's numbers.
 *
 * Owns:  the arithmetic of derived metrics and their validity rule.
 * Never: text, time of day, where numbers come from.
 * Pure; sampler thread; allocates nothing.
 */
#ifndef DERIVE_DERIVE_H
#define DERIVE_DERIVE_H

#include "base/nsec.h"
#include "plan/metric.h"

enum derive_state {
	DERIVE_NONE,        /* no sample: denominator 0, no window yet */
	DERIVE_VALID,
	DERIVE_CONFLICT,    /* the guard omits it, or the present mix has no knee */
	DERIVE_UNUSABLE,    /* an input is not valid */
};

struct derive_window {
	nsec length;                /* > 0: wall time of the window, in which the group counted */
	/* by so much, at most, one counter may have counted longer in it than another, because they
	 * were not read at one time; the part of that for which these reads took longer than reads
	 * of the round do that nothing held up */
	nsec apart, held;
};

struct derive_input {               /* of a slot of the metric's round */
	uint64_t count;             /* in the window */
	bool usable;                /* false makes the metric DERIVE_UNUSABLE */
	bool absent;                /* its registers do not exist: a sum over units leaves it out.
	                             * If nothing is left, or the row is no such sum, it counts as
	                             * not usable */
	bool empty;                 /* of a channel that has no memory, as far as is known: a row
				     * with_memory leaves it out likewise */
};

/*
 * derive_eval - a gauge row on one window.
 *
 * m        m->counter is false
 * slots    of the metric's round
 * ret      finite; changed only with DERIVE_VALID
 */
enum derive_state derive_eval(const struct plan_metric *m, const struct derive_input *slots,
			      const struct derive_window *window, double *ret);

/*
 * derive_scale - a counter row (m->counter): what the weighted sum of its slots' counts comes to,
 * modulo 2^64.
 *
 * Weights and the scale of a user's row are whole numbers (planner/ ensures it): the value is
 * exact. With a catalog row's scale that is not whole (64/9 bytes a flit) it is rounded: off by
 * less than one until 2^53.
 */
uint64_t derive_scale(const struct plan_metric *m, uint64_t sum);

/* derive_too_fast - so many counts in the window are more than a clock of the row may have, however
 * its reads were held up: they refute it. */
bool derive_too_fast(const struct plan_metric *m, uint64_t count, const struct derive_window *w);

/* derive_rate - a counter row on the counts of one window: per second. */
enum derive_state derive_rate(const struct plan_metric *m, const struct derive_input *slots,
			      const struct derive_window *window, double *ret);

#endif
