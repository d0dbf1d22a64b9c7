/* SPDX-License-Identifier: MIT
 * How a point is taken, kept and told; see history.h.
 * Owns:  rates, what stands in the place of a number, the keys of the document
 *        (contrib/schema/history.schema.json).
 * Never: clocks.
 * The http child's one thread.
 */
#include "serve/history.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPAN (HISTORY_POINTS * NSEC_PER_SEC)
/* All others wake up at the second, or 2 ms behind it, and then there are new values. */
#define BEHIND (5 * NSEC_PER_MSEC)
/* Where they are late, as on a busy machine, it is looked again, for so long. */
#define AGAIN (50 * NSEC_PER_MSEC)
#define AGAIN_MAX (NSEC_PER_SEC / 2)
/* A point of "-1.234e+11," or a reason; what else an event has, of all series and of each. */
enum { VALUE_MAX = 16, TIME_MAX = 24, EVENT_MAX = 256, SERIES_MAX = 1024 };
/* A float that is no number says why there is none: an enum reason, or one of these. */
enum { NOTHING_NEW = REASON_NONE, HELD = REASON_COUNT };
#define QUIET_NAN UINT32_C(0x7fc00000)

static float none(unsigned why)
{
	uint32_t bits = QUIET_NAN | why;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static unsigned why_none(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits & ~QUIET_NAN;
}

static void history_done(struct history *h)
{
	free(h->values);
	free(h->at);
	free(h->last);
	free(h->now);
	*h = (struct history){ 0 };
}

/* Empty; with n = 0 where there is no memory. */
static struct history history_empty(unsigned n)
{
	struct history h = { .n = n < HISTORY_SERIES ? n : HISTORY_SERIES };

	if (!h.n)
		return h;
	h.room = HISTORY_VALUES / h.n < HISTORY_POINTS ? HISTORY_VALUES / h.n : HISTORY_POINTS;
	h.values = calloc((size_t)h.room * h.n, sizeof(*h.values));
	h.at = calloc(h.room, sizeof(*h.at));
	h.last = calloc(h.n, sizeof(*h.last));
	h.now = calloc(n, sizeof(*h.now));
	if (!h.values || !h.at || !h.last || !h.now)
		history_done(&h);
	return h;
}

/* Point i of those that there are; the first is the oldest. */
static unsigned row_of(const struct history *h, unsigned i)
{
	return (h->next + h->room - h->points + i) % h->room;
}

/* The number of this series in the old one, UINT_MAX: it has none. Mostly it follows the one that
 * was found last. */
static unsigned find(const struct history *h, const struct expo_renderer *r, const char *key,
		     unsigned begin)
{
	for (unsigned i = 0; i < h->n; i++) {
		unsigned k = (begin + i) % h->n;

		if (strcmp(expo_drawn_key(r, k), key) == 0)
			return k;
	}
	return UINT32_MAX;
}

/* The points of all series that both have. */
static void copy_points(struct history *to, const struct expo_renderer *r,
			const struct history *from, const struct expo_renderer *old)
{
	unsigned n = from->points < to->room ? from->points : to->room, next = 0;

	for (unsigned k = 0; k < n; k++)
		to->at[k] = from->at[row_of(from, from->points - n + k)];
	for (unsigned i = 0; i < to->n; i++) {
		unsigned was = find(from, old, expo_drawn_key(r, i), next);

		for (unsigned k = 0; k < n; k++)
			to->values[(size_t)k * to->n + i] = was == UINT32_MAX ? none(NOTHING_NEW) :
				from->values[(size_t)row_of(from, from->points - n + k) * from->n +
					     was];
		if (was == UINT32_MAX)
			continue;
		to->last[i] = from->last[was];
		next = was + 1;
	}
	to->points = n;
	to->next = n % to->room;
	to->due = from->due;
}

void history_swap(struct history *h, const struct expo_renderer *old, struct expo_renderer *r)
{
	struct history made = { 0 };

	if (r && expo_drawn_new(r))
		made = history_empty(expo_drawn_count(r));
	if (made.n && h->n)
		copy_points(&made, r, h, old);
	history_done(h);
	*h = made;
}

nsec history_timeout(const struct history *h, nsec now)
{
	if (!h->n)
		return -1;
	return h->due > now ? h->due - now : 0;
}

/* Has its socket ticked, or stalled? */
static bool is_new(const struct expo_drawn *last, const struct expo_drawn *now)
{
	return now->at != last->at || (now->at && now->reason != last->reason);
}

/* An own metric may be more than a float holds. */
static float kept(double v)
{
	return fabs(v) <= (double)FLT_MAX ? (float)v : none(REASON_NO_DATA);
}

/* The value of a point between two looks at a series. */
static float point(const struct expo_drawn *last, const struct expo_drawn *now)
{
	double turn = now->turns - last->turns, passed = (double)(now->at - last->at);
	double gained = now->value - last->value, counted = now->counted - last->counted;
	bool rests = last->at && turn < passed / NSEC_PER_SEC / 10;     /* others have their turn */

	if (!is_new(last, now))
		return none(NOTHING_NEW);       /* it is of the point before */
	if (!last->at && now->reason == REASON_NO_DATA)
		return none(NOTHING_NEW);       /* its first window has just begun */
	if (rests && (!now->reason || now->reason == REASON_NO_DATA))
		return none(HELD);              /* also before its first one */
	if (now->reason)
		return none(now->reason);
	if (isnan(now->counted))
		return kept(now->value);
	/* the first look at it, or it began anew */
	if (last->reason || !last->at || !(counted > 0) || gained < 0)
		return none(NOTHING_NEW);
	return kept(gained / counted);
}

/* When what is new was sampled; 0: nothing is. */
static nsec newest(const struct history *h, nsec now)
{
	nsec at = 0;

	for (unsigned i = 0; i < h->n; i++) {
		nsec of = h->now[i].at > h->last[i].at ? h->now[i].at : now;

		if (is_new(&h->last[i], &h->now[i]) && of > at)
			at = of;
	}
	return at;
}

/* When the last point was sampled; 0: there is none. */
static nsec newest_kept(const struct history *h)
{
	return h->points ? h->at[row_of(h, h->points - 1)] : 0;
}

void history_run(struct history *h, struct expo_renderer *r, nsec now)
{
	nsec at;

	if (!h->n || now < h->due)
		return;
	h->due = (now - BEHIND) / NSEC_PER_SEC * NSEC_PER_SEC + NSEC_PER_SEC + BEHIND;
	expo_drawn_read(r, now, h->now);
	at = newest(h, now);
	if (!at) {
		nsec late = now - newest_kept(h) - expo_interval(r);

		if (late >= 0 && late < AGAIN_MAX)
			h->due = now + AGAIN;
		return;
	}
	for (unsigned i = 0; i < h->n; i++)
		h->values[(size_t)h->next * h->n + i] = point(&h->last[i], &h->now[i]);
	h->at[h->next] = at;
	memcpy(h->last, h->now, h->n * sizeof(*h->last));
	h->next = (h->next + 1) % h->room;
	if (h->points < h->room)
		h->points++;
}

/* ---- told */

/* The oldest point of the last ten minutes. */
static unsigned first_recent(const struct history *h, nsec now)
{
	unsigned i = 0;

	while (i < h->points && now - h->at[row_of(h, i)] > SPAN)
		i++;
	return i;
}

static void add_value(struct strb *t, float v)
{
	if (!isnan(v))
		strb_addf(t, "%.4g", (double)v);
	else if (why_none(v) == NOTHING_NEW)
		strb_add(t, "null");
	else if (why_none(v) == HELD)
		strb_add(t, "\"held\"");
	else
		strb_addf(t, "\"%s\"", reason_name((enum reason)why_none(v)));
}

char *history_event(const struct history *h, const struct expo_renderer *r, nsec now, nsec wall,
		    size_t *ret_n)
{
	unsigned first = first_recent(h, now);
	struct strb t;

	strb_init(&t, EVENT_MAX + TIME_MAX * (size_t)h->points +
		  (SERIES_MAX + VALUE_MAX * (size_t)h->points) * h->n);
	strb_add(&t, "event: history\ndata: {\"format\":\"uncored-history-1\",\"times\":[");
	for (unsigned i = first; i < h->points; i++) {
		nsec at = wall - (now - h->at[row_of(h, i)]);

		strb_addf(&t, "%s%" PRId64 ".%03d", i > first ? "," : "", at / NSEC_PER_SEC,
			  (int)(at % NSEC_PER_SEC / NSEC_PER_MSEC));
	}
	strb_add(&t, "],\"series\":[");
	for (unsigned k = 0; k < h->n; k++) {
		strb_add(&t, k ? ",{" : "{");
		expo_drawn_names(r, k, &t);
		strb_add(&t, ",\"values\":[");
		for (unsigned i = first; i < h->points; i++) {
			if (i > first)
				strb_add_char(&t, ',');
			add_value(&t, h->values[(size_t)row_of(h, i) * h->n + k]);
		}
		strb_add(&t, "]}");
	}
	strb_add(&t, "]}\n\n");
	*ret_n = t.n;
	return strb_take(&t);
}
