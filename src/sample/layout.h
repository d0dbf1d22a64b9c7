/* SPDX-License-Identifier: MIT
 * What each word of a socket's snapshot is.
 *
 * Owns:  value indexes: the numbers of the words. Values only: names, labels and units are in the
 *        description that expo/ builds from the plan and from daemon_metrics.h.
 * Pure; any thread.
 */
#ifndef SAMPLE_LAYOUT_H
#define SAMPLE_LAYOUT_H

#include "base/nsec.h"
#include "base/reg.h"
#include "plan/metric.h"
#include "sample/daemon_metrics.h"

struct plan_socket;

#define SOCKET_VALUE_SOCKET(id) W_##id,
#define SOCKET_VALUE_DAEMON(id)
#define SOCKET_VALUE_NONE(id)
#define SOCKET_VALUE(values, id, ...) SOCKET_VALUE_##values(id)
/* Fixed words, all cumulative ones since this sampler began (expo adds what was counted before a
 * reload). Times are in ns. */
enum layout_word {
	W_TICK_MONO,        /* on the sampler's clock: when the tick that published this ended */
	W_LATENESS,         /* of the last tick */
	W_ROUND,            /* running now */
	/* The daemon's metrics of a socket. W_CPU: ~0 is none. W_UP: 1; a reader puts 0 in for a
	 * socket that has stalled, see layout_stalled(). W_NOW_WALL: 0 before the first sample. */
	DAEMON_METRICS(SOCKET_VALUE)
	W_INVALID,          /* REASON_COUNT words: slots x ticks per reason */
	/* How many memory channels are so. */
	W_CHANNELS_WITH_MEMORY = W_INVALID + REASON_COUNT,
	W_CHANNELS_COUNTING,
	W_FIRST,
};

#define DAEMON_VALUE_SOCKET(id)
#define DAEMON_VALUE_DAEMON(id) D_##id,
#define DAEMON_VALUE_NONE(id)
#define DAEMON_VALUE(values, id, ...) DAEMON_VALUE_##values(id)
/* Words of the daemon's own ring, written by main once a second and when something changes.
 * D_CPU_NSEC, D_RSS_BYTES, D_FDS: of both processes. D_LISTENERS, D_DROPPED, and all from D_HTTP
 * on: the http process puts them in, see expo_note_http(). */
#define ANSWER_VALUE(code, path) D_ANSWER_##code##_##path,
enum daemon_value {
	DAEMON_METRICS(DAEMON_VALUE)
	HTTP_ANSWERS(ANSWER_VALUE)
	D_HTTP_BEGAN,       /* ns since 1970: when its counters stood at 0 */
	D_VALUES,
	D_HTTP = D_HTTP_CONNECTIONS,
	D_ANSWERS = D_ANSWER_200_metrics,
};

/*
 * A distribution: histogram_words() words, the same samples in classic and in native buckets.
 * Everything but the sum is a complete number, and they are of one moment, so that the buckets of
 * either kind add up to the number of samples.
 * It continues over a reload (sampler_inherit()): no offset is added to it, as to totals.
 */
#define HISTOGRAM_SCHEMA 3          /* the finest: eight native buckets for each doubling, 9 %
                                     * wide */
#define HISTOGRAM_NATIVE 160        /* native buckets in a row; values farther apart make them
                                     * wider, never lost */
enum histogram_word {
	H_CREATED,          /* ns since 1970: when it began */
	H_SUM,              /* double bits */
	H_SCHEMA,           /* int64, HISTOGRAM_SCHEMA or less: native bucket i holds (base^(i-1),
	                     * base^i], base = 2^(2^-schema) */
	H_ZERO,             /* samples in -zero .. zero (plan_histogram.zero), which are in no
	                     * other native bucket */
	H_POSITIVE,         /* int64: index i of the first native bucket */
	H_NEGATIVE,         /* int64: the same for values below 0, bucket i holds [-base^i,
	                     * -base^(i-1)) */
	H_CLASSIC,          /* n_bounds + 1 words, not cumulative: up to bounds[0], ..., above the
			     * last bound; then HISTOGRAM_NATIVE words: samples in native bucket
			     * H_POSITIVE, the one after it, ...; then, only if
			     * plan_histogram.negative, as many from H_NEGATIVE on */
};
/* How many words a distribution of this shape has. */
unsigned histogram_words(const struct plan_histogram *h);
/* Where the native buckets begin, counted from the first word of the distribution. */
static inline unsigned histogram_native(const struct plan_histogram *h, bool negative)
{
	return H_CLASSIC + h->n_bounds + 1 + (negative ? HISTOGRAM_NATIVE : 0);
}
/* The shape of the lateness of ticks, in seconds. */
extern const struct plan_histogram layout_lateness;

struct layout {
	unsigned group_active;      /* + group: ns in which the group counted */
	/* Of plan_socket.series, by plan_slot.series: */
	unsigned slot_total;        /* counts of all rounds */
	unsigned slot_reason;       /* enum reason, of the latest round that has it */
	unsigned slot_active;       /* ns in which the total was counted */
	unsigned slot_active_shown; /* 1: less than the socket counted, so that `active` is shown */
	/* By plan_metric.series: */
	unsigned metric_value;      /* double bits, or the uint64 total of a counter row */
	unsigned metric_reason;     /* enum reason: why it has no value */
	unsigned metric_active;     /* counter rows: ns that the total stands for */
	unsigned metric_active_shown; /* the same as of slots */
	/* By plan_distribution.series: */
	unsigned peak_value;        /* double bits */
	unsigned peak_valid;      /* 1 if there was a valid sample within peak_window, else 0 */
	unsigned samples_invalid;     /* samples that were not valid: no part of the distribution */
	unsigned lateness;          /* a distribution: how late ticks came */
	unsigned n_words;
};
/* The same for the same plan, in every process. */
struct layout layout_of(const struct plan_socket *s);
/*
 * layout_stalled - has the sampler not ticked for three intervals, and three seconds?
 *
 * words     as published last; before that there is no tick to count from
 * interval  of the plan. A socket publishes at each tick, or ten times a second if it ticks faster.
 * now       ns on the sampler's clock, in any process; earlier than the tick: it has not
 */
bool layout_stalled(const uint64_t *words, nsec interval, nsec now);
/* First word of the histogram of distribution i's series; 0: it has none. */
unsigned layout_histogram(const struct plan_socket *s, unsigned i);
/* The first distribution of a series. */
const struct plan_distribution *layout_distribution(const struct plan_socket *s, unsigned series);

#endif
