/* SPDX-License-Identifier: MIT
 * Overflow windows: counts, time, the beginning of the next; see state.h.
 * Owns:  struct overflow_time: what belongs to a window, and how long it lasted.
 * Never: how the counters are stopped and resumed (access/).
 * The sampler thread; allocates only when the sampler is made.
 */
#include "sample/state.h"

#define PEEK_LEAST  (20 * 1000)     /* ns after the beginning; before that a peek sees nothing */
#define GOOD        50              /* a rate is good enough if it was measured for this many times
                                     * the duration of a read ... */
#define FAIR        16              /* ... and is not used if for fewer times than this */
#define PATIENCE    (10 * NSEC_PER_SEC)     /* for this long the next window waits until all of the
                                             * ended one could be read */

/* The overflow window under way in a round that has them. No register holds the
 * moment at which it ended. A clock of the group stops with it: its count and the rate that it had
 * while it ran tell how long the window lasted. Counts from before that rate was known are
 * accounted later. */
struct overflow_time {
	bool sampled;               /* its distributions have taken their sample */
	nsec begun, uncertain;      /* when it began, to within so many ns */
	nsec peek, peek_at;         /* the clock is read between two ticks: so long after the
	                             * beginning, and when that is; 0: not */
	nsec counted;               /* how long it counted, by the spans so far ... */
	nsec accounted;             /* ... and all windows before it */
	nsec ended_at;              /* when it was first seen to have ended, 0: not yet */
	nsec unread_time;           /* time in which the clock could not be read ... */
	nsec unread_since;          /* ... and where it began */
	bool counted_unknown;       /* how long registers counted in the interval under way cannot
	                             * be known */
	unsigned baselines;         /* the clock's when it began: if they differ, its count is not
	                             * that of the whole window */
	unsigned round;             /* the round of hz and unaccounted_counts */
	double hz;                  /* clock counts per ns while it ran, 0: not known yet */
	double quality;             /* of hz: the time it was taken over, by that time's error */
	uint64_t unaccounted_counts;        /* clock counts from before hz was known ... */
	nsec unaccounted_time;      /* ... and the time in which they happened */
	uint64_t *counts;           /* of each slot of the round, since the window began */
	bool *complete;             /* of each slot: nothing of them is missing */
};

void overflow_new(struct sampler *s, unsigned slots)
{
	struct overflow_time *w = s->overflow_time = arena_alloc(s->arena, 1, sizeof(*w));

	w->counts = arena_alloc(s->arena, slots, sizeof(*w->counts));
	w->complete = arena_alloc(s->arena, slots, sizeof(*w->complete));
}

nsec overflow_peek_at(const struct sampler *s)
{
	return s->overflow_time->peek_at;
}

/* Did this sample read the clock, and everything that it counted in this window? */
static bool clock_is_known(const struct sampler *s)
{
	const struct slot_state *clock = &states_of(s)[round_of(s)->overflow_window.clock];

	return clock->prev_at == s->read.before && !clock->check_failed &&
	       clock->baselines == s->overflow_time->baselines;
}

static bool is_unread(const struct slot_state *st)
{
	return st->check_failed || st->reason == REASON_READ_ERROR || st->reason == REASON_OFFLINE;
}

/* Must the next window wait, with all counters stopped, as the ended one could not be read? Its
 * beginning would overwrite the count that ended this one, or lose how long this one lasted. */
static bool window_waits(const struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);

	return s->read.at - s->overflow_time->ended_at < PATIENCE &&
	       (is_unread(&st[round->overflow_window.slot]) ||
		is_unread(&st[round->overflow_window.clock]));
}

/* Another window begins: how much of the unread time was not frozen will never be known. */
static void publish_unread_time(struct sampler *s)
{
	span_frozen(s, s->overflow_time->unread_time);
	s->overflow_time->unread_time = 0;
}

static void window_begin(struct sampler *s, nsec at, nsec uncertain)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = states_of(s);
	struct overflow_time *w = s->overflow_time;

	if (w->round != s->round) {
		w->hz = 0;
		w->unaccounted_counts = 0;
		w->unaccounted_time = 0;
		w->round = s->round;
	}
	w->sampled = false;
	w->begun = at;
	w->uncertain = uncertain;
	w->peek_at = w->peek ? at + w->peek : 0;
	w->accounted += w->counted;
	w->counted = 0;
	w->ended_at = 0;
	publish_unread_time(s);
	w->baselines = st[round->overflow_window.clock].baselines;
	w->quality *= 0.75;             /* a clock may change */
	for (unsigned i = 0; i < round->n_slots; i++) {
		w->counts[i] = 0;
		w->complete[i] = !st[i].reason && st[i].has_baseline && !st[i].pending;
	}
}

/* The clock ran from the beginning of the window until `at`, known to within `took`, and counted so
 * much; the beginning is known to within `uncertain`. */
static void update_rate(struct overflow_time *w, uint64_t counts, nsec at, nsec took)
{
	nsec span = at - w->begun;
	double quality = (double)span / ((double)(took + w->uncertain) + 1);

	if (quality < FAIR || !counts || (quality < GOOD && quality < w->quality))
		return;
	w->hz = (double)counts / (double)span;
	w->quality = quality;
}

/* Accounts the time of earlier windows, which ended before the clock's rate was known. */
static void account_late(struct overflow_time *w, struct span *span)
{
	nsec counted;

	if (!w->unaccounted_counts || w->hz <= 0)
		return;
	counted = (nsec)((double)w->unaccounted_counts / w->hz + 0.5);
	counted = counted < w->unaccounted_time ? counted : w->unaccounted_time;
	span->late = counted;
	span->frozen += w->unaccounted_time - counted;
	w->unaccounted_counts = 0;
	w->unaccounted_time = 0;
	w->accounted += counted;
}

/* The window ended at most `since` ns after it began: the next peek comes well before that. */
static void peek_sooner(struct overflow_time *w, nsec since)
{
	w->peek = since / 8 > PEEK_LEAST ? since / 8 : PEEK_LEAST;
}

/* Adds what was just committed to the window's counts. Returns the clock's part. */
static uint64_t add_counts(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct slot_state *st = states_of(s);
	struct overflow_time *w = s->overflow_time;

	for (unsigned i = 0; i < round->n_slots; i++) {
		w->counts[i] += st[i].last_commit;
		w->complete[i] &= st[i].complete && !st[i].reason && !st[i].check_failed;
	}
	return st[round->overflow_window.clock].last_commit;
}

/* How long the window has lasted, at the read that ends the span: the clock's count says it once
 * its rate is known, else our own clock. */
static nsec window_length(const struct sampler *s, const struct span *span, bool clock_known)
{
	const struct overflow_time *w = s->overflow_time;

	if (!s->read.stopped)
		return span->until - w->begun;
	if (!clock_known)
		return w->ended_at - w->begun;
	return (nsec)((double)w->counts[round_of(s)->overflow_window.clock] / w->hz + 0.5);
}

/* The window has ended and its clock's rate is not known yet: the span waits for it. */
static void put_off(struct overflow_time *w, const struct span *span, uint64_t counts, nsec time)
{
	nsec since = span->until - w->begun;

	w->unaccounted_counts += counts;
	w->unaccounted_time += time;
	w->counted_unknown = true;
	if (!w->peek || w->peek >= since)       /* else the peeks come while windows run, and move
	                                         * by what they see */
		peek_sooner(w, since);
}

static void account(struct sampler *s, struct span *span)
{
	unsigned k = round_of(s)->overflow_window.clock;
	struct overflow_time *w = s->overflow_time;
	uint64_t fresh = add_counts(s);
	bool known = clock_is_known(s);
	nsec all = span_length(span) + w->unread_time;  /* that has to be accounted for */
	nsec counted;

	if (s->read.stopped && !w->ended_at)
		w->ended_at = span->until;
	if (!w->unread_time)
		w->unread_since = span->since;
	w->counted_unknown |= w->unread_since < s->window.start;
	if (!known && is_unread(&states_of(s)[k]) && all < PATIENCE) {
		w->unread_time = all;
		return;
	}
	w->unread_time = 0;
	if (!s->read.stopped && known)
		update_rate(w, w->counts[k], span->until, s->read.took);
	if (s->read.stopped && w->hz <= 0) {
		put_off(w, span, fresh, all);
		return;
	}
	counted = window_length(s, span, known) - w->counted;
	if (counted < 0)
		counted = 0;
	if (counted > all)
		counted = all;
	w->counted += counted;
	if (s->read.stopped)
		w->peek = w->counted / 2 > PEEK_LEAST ? w->counted / 2 : PEEK_LEAST;
	span->counted = counted;
	span->frozen = all - counted;
	account_late(w, span);
}

/* Can gauges be derived from the overflow window, as far as its slots go? */
static bool is_valid(const struct sampler *s)
{
	const struct plan_group *g = &s->socket->groups[round_of(s)->overflow_window.group];
	const struct slot_state *st = states_of(s);

	for (unsigned i = 0; i < g->n_slots; i++) {
		uint8_t reason = st[g->slots[s->round][i]].reason;

		if (reason && reason != REASON_HIDDEN)
			return false;
	}
	return true;
}

/* How long the present window, which has ended, lasted; 0: that is not known, or it is none. */
static nsec usable_length(const struct sampler *s)
{
	const struct overflow_time *w = s->overflow_time;

	const struct slot_state *end = &states_of(s)[round_of(s)->overflow_window.slot];

	if (end->arming.last > w->begun)        /* whose overflow was to end it */
		return 0;
	return is_valid(s) && w->hz > 0 ? w->counted : 0;
}

/* The window's counts as inputs of metrics. */
static void window_gather(struct sampler *s)
{
	const struct slot_state *st = states_of(s);
	const struct overflow_time *w = s->overflow_time;

	for (unsigned k = 0; k < round_of(s)->n_slots; k++)
		s->inputs[k] = (struct derive_input){
			.count = w->counts[k],
			.usable = !st[k].reason && w->complete[k],
			.absent = st[k].reason == REASON_HIDDEN,
		};
}

static void overflow_account(struct sampler *s, struct span *span)
{
	struct overflow_time *w = s->overflow_time;

	account(s, span);
	if (!s->read.stopped || w->sampled)
		return;
	w->sampled = true;
	if (usable_length(s) <= 0)
		return;
	window_gather(s);
	distributions_overflow(s, usable_length(s));
}

/* A window that has just ended gives the gauges of its group new values; until the next one ends,
 * these stay. */
static bool overflow_derive(struct sampler *s, enum commit c)
{
	struct overflow_time *w = s->overflow_time;
	bool known = !w->counted_unknown && !w->unread_time;
	nsec length = 0;

	if (c == COMMIT_WINDOW) {
		metrics_gather(s);
		metrics_derive(s, OF_WINDOW, s->read.at - s->window.start,
			       known ? s->window.counted : 0);
	}
	if (s->read.stopped)
		length = usable_length(s);
	else if (is_valid(s))
		length = -1;
	window_gather(s);
	metrics_derive(s, OF_OVERFLOW_WINDOW, length, length);
	if (c != COMMIT_PART)
		w->counted_unknown = false;
	return c == COMMIT_WINDOW && !(s->read.stopped && w->hz <= 0);
}

static void overflow_peek(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	const struct plan_slot *slot = &round->slots[round->overflow_window.clock];
	const struct slot_state *clock = &states_of(s)[round->overflow_window.clock];
	struct overflow_time *w = s->overflow_time;
	nsec before = mono(s), after;
	uint64_t raw;
	bool runs = overflow_windows_peek(&s->overflow, slot->engine_slot, &raw);

	after = mono(s);
	w->peek_at = 0;
	if (!runs)
		peek_sooner(w, after - w->begun);
	else if (!clock->reason && clock->has_baseline && clock->baselines == w->baselines)
		update_rate(w, w->counts[round->overflow_window.clock] + clock->pending +
			    wrap_delta(clock->prev, raw, slot->width),
			    before + (after - before) / 2, after - before);
	if (runs && w->hz <= 0)
		w->peek += w->peek / 2;         /* too soon to tell how fast it runs */
}

static bool overflow_counted(const struct sampler *s, nsec *ret)
{
	unsigned k = round_of(s)->overflow_window.clock;
	const struct slot_state *clock = &states_of(s)[k];
	const struct overflow_time *w = s->overflow_time;

	*ret = s->read.at + w->accounted - w->begun;
	if (s->read.stopped && w->hz > 0)
		*ret = w->accounted +
		       (nsec)((double)(w->counts[k] + clock->pending) / w->hz);
	/* Time not accounted for is not known yet, but its counts are in the totals. */
	return !w->unaccounted_counts && (!s->read.stopped || (w->hz > 0 && clock_is_known(s)));
}

static void overflow_resume(struct sampler *s)
{
	const struct plan_round *round = round_of(s);
	struct slot_state *st = &states_of(s)[round->overflow_window.slot];
	uint8_t reason = REASON_NONE;
	nsec before, after;
	uint64_t base;

	if (!s->read.stopped || window_waits(s))
		return;
	before = mono(s);
	base = st->prev;
	if (overflow_windows_restart(&s->overflow, &base, &reason) < 0) {
		st->has_baseline = false;       /* still stopped: tried again at a later tick, which
		                                 * sets a new baseline */
		return;
	}
	after = mono(s);
	st->prev = base;
	if (reason)
		st->reason = reason;
	window_begin(s, before + (after - before) / 2, (after - before) / 2);
}

/* The counters were stopped while their bases were read: the window's counts are complete. */
static void overflow_begin(struct sampler *s, nsec at, nsec uncertain)
{
	struct slot_state *st = states_of(s);

	s->overflow_time->counted_unknown = false;
	window_begin(s, at, uncertain);
	for (unsigned i = 0; i < round_of(s)->n_slots; i++)
		st[i].complete |= st[i].has_baseline;
}

const struct round_ops overflow_round = {
	.begin = overflow_begin, .peek = overflow_peek, .account = overflow_account,
	.counted = overflow_counted, .derive = overflow_derive, .resume = overflow_resume,
};

/* ---- a round that counts all the time */

static void plain_begin(struct sampler *s, nsec at, nsec uncertain)
{
	(void)at, (void)uncertain;
	publish_unread_time(s);
	s->overflow_time->peek_at = 0;
}

static void plain_go_on(struct sampler *s)
{
	(void)s;
}

static void plain_account(struct sampler *s, struct span *span)
{
	(void)s;
	span->counted = span_length(span);
}

static bool plain_counted(const struct sampler *s, nsec *ret)
{
	*ret = s->read.at;
	return true;
}

static bool plain_derive(struct sampler *s, enum commit w)
{
	if (w != COMMIT_WINDOW)
		return false;
	metrics_gather(s);
	metrics_derive(s, OF_WINDOW, s->read.at - s->window.start, s->window.counted);
	return true;
}

const struct round_ops plain_round = {
	.begin = plain_begin, .peek = plain_go_on, .account = plain_account,
	.counted = plain_counted, .derive = plain_derive, .resume = plain_go_on,
};
