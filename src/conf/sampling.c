/* sampling.c - the keys that say how often and how finely counters are looked at.
 *
 * Owns:  interval, resolution, rotation, peak_window, distribution: their bounds and how they go together.
 * Never: what a counter allows (plan/).
 * Pure; any thread.
 */
#include "config.h"

#include "conf/read.h"

#include <errno.h>

#define INTERVAL_MIN    NSEC_PER_MSEC
#define PEAK_WINDOW_MIN NSEC_PER_SEC
#define DURATION_MAX    (365 * 24 * 3600 * NSEC_PER_SEC)        /* what the counters allow is less: plan/ */
#define BUCKETS_EXAMPLE "distribution = { buckets = ( 0.25, 0.5, 0.75 ); }"
#define COUNTERS_EXAMPLE "distribution = { counters = ( 1e6, 1e7, 1e8 ); }"

/* False: the key is there, and wrong. */
static bool read_duration(struct reader *r, const config_setting_t *block, const char *key, const char *example, nsec least,
			  nsec *ret)
{
	const config_setting_t *s = read_key(block, key);
	const char *text = read_key_text(r, block, key, false, example);
	char from[NSEC_TEXT];
	nsec t;
	int e;

	if (!text)
		return !s;
	e = nsec_parse(text, &t);
	if (e == 0 && t >= least && t <= DURATION_MAX) {
		*ret = t;
		return true;
	}
	if (e == -EINVAL)
		read_bad(r, s, "%s = \"%.60s\" is not a duration; write a number with its unit (ms, s, min, h), for "
			 "example %s", key, text, example);
	else
		read_bad(r, s, "%s = \"%.60s\" is outside of %s .. %lldh", key, text, nsec_format(least, from, sizeof(from)),
			 (long long)(DURATION_MAX / (3600 * NSEC_PER_SEC)));
	return false;
}

void conf_times_read(struct reader *r, const config_setting_t *root)
{
	struct conf *c = r->conf;
	bool known = read_duration(r, root, "interval", "interval = \"1s\"", INTERVAL_MIN, &c->interval);

	read_duration(r, root, "rotation", "rotation = \"1s\"", INTERVAL_MIN, &c->rotation);
	read_duration(r, root, "peak_window", "peak_window = \"60s\"", PEAK_WINDOW_MIN, &c->peak_window);
	c->rotation = (c->rotation + c->interval - 1) / c->interval * c->interval;
	c->resolution = (struct conf_resolution){ .where = { c->file, 0 }, .every = c->interval, .unread = !known };
	conf_resolution_read(r, root, &c->resolution);
}

/* Without the key: the file's. */
void conf_resolution_read(struct reader *r, const config_setting_t *block, struct conf_resolution *ret)
{
	const config_setting_t *s = read_key(block, "resolution");
	char is[NSEC_TEXT], whole[NSEC_TEXT];
	nsec every = 0, interval = r->conf->interval;

	*ret = r->conf->resolution;
	ret->unread |= !read_duration(r, block, "resolution", "resolution = \"10ms\"", INTERVAL_MIN, &every);
	if (!every || ret->unread)
		return;
	if (interval % every) {
		read_bad(r, s, "resolution = \"%s\" does not divide the interval of %s into whole parts",
			 nsec_format(every, is, sizeof(is)), nsec_format(interval, whole, sizeof(whole)));
		ret->unread = true;
		return;
	}
	ret->where = read_where(r, s);
	ret->every = every;
}

/* ---- distributions */

/* The bounds of key `what`, which stand at s. */
static void read_bounds(struct reader *r, const config_setting_t *s, const char *what, const char *example, struct conf_bounds *ret)
{
	struct conf_bounds b = { 0 };
	unsigned n;

	if (!read_list(r, s, what, false, example))
		return;
	n = (unsigned)config_setting_length(s);
	if (n > CONF_BOUNDS) {
		read_bad(r, s, "%s has more than %d bounds; the values above the last one have a bucket of their own", what,
			 CONF_BOUNDS);
		return;
	}
	for (; b.n < n; b.n++) {
		const config_setting_t *e = config_setting_get_elem(s, b.n);
		double *at = &b.at[b.n];

		if (!read_number(r, e, "a bound of buckets", at))
			return;
		if (*at < 0) {
			read_bad(r, e, "%s: bounds are 0 or more; what is below 0 is in the first bucket", what);
			return;
		}
		if (b.n && *at <= at[-1]) {
			read_bad(r, e, "%s: bounds rise, and %g does not follow %g", what, *at, at[-1]);
			return;
		}
	}
	*ret = b;
}

/* counters = true, false or bounds. */
static void read_counters(struct reader *r, const config_setting_t *s, struct conf_distribution *ret)
{
	if (config_setting_type(s) == CONFIG_TYPE_BOOL)
		ret->counters = config_setting_get_bool(s);
	else
		read_bounds(r, s, "counters", COUNTERS_EXAMPLE, &ret->counter);
}

void conf_distribution_read(struct reader *r, const config_setting_t *block, bool counters, struct conf_distribution *ret)
{
	static const char *const known[] = { "buckets", "counters", NULL }, *const of_metric[] = { "buckets", NULL };
	const config_setting_t *s = read_key(block, "distribution"), *v;

	if (!s)
		return;
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_BOOL:
		ret->wanted = config_setting_get_bool(s) ? CONF_ON : CONF_OFF;
		ret->counters = counters && ret->wanted == CONF_ON;
		return;
	case CONFIG_TYPE_GROUP:
		ret->wanted = CONF_ON;
		ret->counters = counters;
		read_known(r, s, "a distribution", counters ? known : of_metric);
		v = read_key(s, "buckets");
		if (v)
			read_bounds(r, v, "buckets", BUCKETS_EXAMPLE, &ret->metric);
		v = counters ? read_key(s, "counters") : NULL;
		if (v)
			read_counters(r, v, ret);
		return;
	default:
		read_bad(r, s, "distribution is true, false or a block with the bounds of its buckets: %s", BUCKETS_EXAMPLE);
	}
}
