/* SPDX-License-Identifier: MIT
 * Metric rows bound to slots; peaks and distributions of their samples.
 *
 * Owns:  their shape.
 * Never: how a slot is read, values (derive/, sample/).
 * Immutable once built; any thread. Texts are the plan's, and shared.
 */
#ifndef PLAN_METRIC_H
#define PLAN_METRIC_H

#include "base/labels.h"
#include "base/nsec.h"
#include "plan/knee.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_stack;

/* A memory channel that was counted for so long, and moved nothing, is empty. */
#define PLAN_CHANNELS_KNOWN (60 * NSEC_PER_SEC)

struct plan_addend {
	int slot;	/* index in the round; -1: the word `seconds`; -2: constant (in weight) */
	double weight;
};
struct plan_sum { struct plan_addend *v; unsigned n; };
enum { METRIC_SUMS = 5 };

/* A metric row bound to the slots of one round on one socket (and one unit or port). */
struct plan_metric {
	const char *name; /* "imt_latency_seconds"; this and all texts are the plan's, and shared */
	const char *family;         /* "uncore_imt_latency_seconds" */
	const char *help;
	const char *rests;          /* what its values rest on, in words */
	const char *unit;           /* "seconds", "entries"; of a total what is counted */
	struct labels labels;       /* after socket: unit="0", port="1", link="qpi0" */
	unsigned row;               /* of all rows of the plan; a name may have several */
	unsigned round;
	/* Which groups it is of, by index into plan_socket.groups: those that name it, else those
	 * that hold its inputs. */
	unsigned *groups, n_groups;
	unsigned series;            /* of all rounds: the same for the same name and labels */
	nsec resolution;            /* the finest of its groups */
	bool overflow_windows;      /* its window is the round's overflow window */
	bool counter;               /* no denominator: an exact integer total */
	/* Why it never has a value on this socket, whatever its inputs count: a sentence. NULL: it
	 * has. */
	const char *hidden;
	const struct plan_stack *stack;     /* the I/O stack that it is of; NULL: of none */
	bool sum; /* over the units of a socket: one that the hardware does not have is left out */
	double scale;
	union {
		struct plan_sum sums[METRIC_SUMS];
		/* guard_num: empty if there is no guard; clock: the slot whose cycles become
		 * seconds, or none */
		struct { struct plan_sum num, den, guard_num, guard_den, clock; };
	};
	double guard_max;
	double clock_most;          /* largest count of an event of den, or of the one that a
				     * counter is, in a second; 0: any */
	/* of_knee: no quotient, but the knee of the mix of num, which is read, and den, which is
	 * written, both times scale; with `headroom` how much of it is left. */
	bool of_knee, headroom;
	const struct plan_knee *knee;       /* then, unless it is hidden */
	bool with_memory;           /* leaves out channels without memory (plan_slot.channel); of
	                             * all together it waits for PLAN_CHANNELS_KNOWN */
	bool complement, clamp;
	bool bounded;               /* a share of what there is at most: 0..1 but for the difference
				     * of its counters' reads, else a conflict */
};

/* Every addend of a sum; an empty one has none (v NULL). */
#define SUM_EACH_ADDEND(a, sum) \
	(const struct plan_addend *a = (sum)->v; a && a < (sum)->v + (sum)->n; a++)
/* Every addend of every sum; a break leaves the sum alone. */
#define METRIC_EACH_ADDEND(a, m) \
	(const struct plan_sum *sum = (m)->sums; sum < (m)->sums + METRIC_SUMS; sum++) \
		for SUM_EACH_ADDEND(a, sum)

/* The shape of a distribution: classic buckets with chosen bounds, and native ones beside them
 * (sample/layout.h). */
#define PLAN_BOUNDS 11           /* with +Inf, twelve buckets */
struct plan_histogram {
	unsigned n_bounds;          /* above the last one there is one bucket more */
	double bounds[PLAN_BOUNDS]; /* rising; a bound belongs to the bucket below it */
	double zero;                /* native: values in -zero .. zero are in the bucket of zero */
	uint8_t negative;           /* 1: values below 0 are possible */
};

/* A metric, or the rate of a counter, each sample of which is kept: as the peak of a period, and
 * perhaps in a histogram. */
struct plan_distribution {
	/* index into plan_socket.metrics; the samples of a counter row are its rate per second.
	 * -1: `rate` */
	int metric;
	unsigned series;            /* of all rounds: samples of the same thing */
	/* counts of one slot, in its base unit if it has one, per second */
	struct plan_metric rate;
	bool has_histogram;          /* false: its peak alone */
	struct plan_histogram histogram;
	const char *peak_family, *peak_help;
	const char *family, *help;  /* of the distribution */
	const char *unit;           /* of a sample: of a counter row "bytes_per_second" */
	const char *key;            /* family and labels of the metric or counter */
};

struct plan_lacking {               /* a metric row that lacks exactly one event */
	const char *group, *metric, *event;
	unsigned row;               /* plan_metric.row */
	bool ready_made;            /* nobody wrote the group's events, and nothing is wrong */
};

#endif
