/* SPDX-License-Identifier: MIT
 * The keys that say how often and how finely counters are looked at.
 * Owns:  interval, resolution, rotation, peak_window, distribution: their bounds and how they go
 *        together.
 * Never: what a counter allows (planner/).
 * Pure; any thread.
 */
#include "conf/read.h"

#include <errno.h>

#define DURATION_MAX    (365 * 24 * 3600 * NSEC_PER_SEC)        /* counters allow less: planner/ */
#define BOUNDS          .most = CONF_BOUNDS, .elements = "bounds; the values above the last one " \
			"have a bucket of their own"
#define COUNTERS_EXAMPLE "distribution = { counters = ( 1e6, 1e7, 1e8 ); }"

void read_duration(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	const char *text = read_text(r, k, s, k->name);
	int e;
	nsec t;

	if (!text)
		return;
	e = nsec_parse(text, &t);
	if (e == 0 && t >= k->least && t <= DURATION_MAX)
		*(nsec *)at = t;
	else if (e == -EINVAL)
		read_bad(r, s, "%s = \"%.60s\" is not a duration; write a number with its unit "
			 "(ms, s, min, h), for example: %s", k->name, text, k->example);
	else
		read_bad(r, s, "%s = \"%.60s\" is not between %s and %lldh", k->name, text,
			 nsec_text(k->least).s, (long long)(DURATION_MAX / (3600 * NSEC_PER_SEC)));
}

/* Without a resolution, the interval is it. */
void read_interval(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf *c = r->conf;
	nsec t = 0;

	read_duration(r, k, s, &t);
	if (t)
		*(nsec *)at = t;
	c->resolution = (struct conf_resolution){ { c->file, 0 }, *(nsec *)at, .unread = !t };
}

void read_rotation(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	nsec *t = at, interval = r->conf->interval;

	read_duration(r, k, s, t);
	*t = (*t + interval - 1) / interval * interval;
}

/* *at is what holds without the key. */
void read_resolution(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_resolution *ret = at;
	nsec every = 0, interval = r->conf->interval;

	read_duration(r, k, s, &every);
	ret->unread |= !every;
	if (ret->unread)
		return;
	if (interval % every) {
		read_bad(r, s, "resolution = \"%s\": the interval of %s must be a whole multiple "
			 "of it", nsec_text(every).s, nsec_text(interval).s);
		ret->unread = true;
		return;
	}
	ret->where = read_where(r, s);
	ret->every = every;
}

/* ---- distributions */

static void read_bounds(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_bounds b = { 0 };
	unsigned n = read_list(r, k, s);

	for (; b.n < n; b.n++) {
		const struct setting *e = setting_element(s, b.n);
		double *v = &b.at[b.n];

		if (!read_double(r, e, "a bound of buckets", v))
			return;
		if (*v < 0)
			read_bad(r, e, "%s: a bound cannot be negative; values below 0 go into the "
				 "first bucket", k->name);
		else if (b.n && *v <= v[-1])
			read_bad(r, e, "%s: bounds must rise, but %g follows %g", k->name, *v,
				 v[-1]);
		else
			continue;
		return;
	}
	if (n)
		*(struct conf_bounds *)at = b;
}

/* counters = true, false or bounds. */
static void read_counters(struct reader *r, const struct key *k, const struct setting *s,
			  void *at)
{
	struct conf_distribution *ret = at;

	if (s->type == SETTING_BOOL)
		ret->counters = s->v.integer;
	else
		read_bounds(r, k, s, &ret->counter);
}

static const struct key keys[] = {
	{ "buckets", "list", "Rising upper bounds for metrics",
	  read_bounds, CONF_DISTRIBUTION_EXAMPLE, AT(conf_distribution, metric), BOUNDS },
	{ "counters", "true, false or list", "Rising upper bounds for events, in counts per second",
	  read_counters, COUNTERS_EXAMPLE, BOUNDS },
};
const struct block conf_group_distribution = { "a distribution", .keys = keys, .n_keys = 2 };
const struct block conf_metric_distribution = { "a distribution", .keys = keys, .n_keys = 1 };

void read_distribution(struct reader *r, const struct key *k, const struct setting *s, void *at)
{
	struct conf_distribution *ret = at;
	bool counters = k->block == &conf_group_distribution;   /* also of the rates of events */

	switch (s->type) {
	case SETTING_BOOL:
		ret->wanted = s->v.integer ? CONF_ON : CONF_OFF;
		ret->counters = counters && ret->wanted == CONF_ON;
		return;
	case SETTING_BLOCK:
		ret->wanted = CONF_ON;
		ret->counters = counters;
		read_block(r, k->block, s, ret);
		return;
	default:
		read_bad(r, s, "distribution must be true, false or a block with the bounds of its "
			 "buckets: %s", k->example);
	}
}
