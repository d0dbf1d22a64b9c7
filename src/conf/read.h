/* read.h - typed access to libconfig's tree, and what is said when a value is not what it should be.
 *
 * Owns:  types, required and unknown keys, the form of strings and numbers.
 * Never: what a key means.
 * Pure; any thread. Nothing is looked up by type: libconfig answers 0 with success to the wrong question.
 */
#ifndef CONF_READ_H
#define CONF_READ_H

#include "conf/conf.h"

#include <libconfig.h>

struct reader {
	struct conf *conf;
	struct diags *d;
	const struct scan *scan;
	unsigned n_specs;           /* event specifications so far */
	bool no_engine;             /* one is given, and could not be read */
};

struct where read_where(const struct reader *r, const config_setting_t *s);
/* A complaint about setting s. */
#define read_bad(r, s, ...) diags_add((r)->d, read_where((r), (s)), __VA_ARGS__)

/* The setting `key` of a block; NULL: absent. */
static inline const config_setting_t *read_key(const config_setting_t *block, const char *key)
{
	return config_setting_get_member(block, key);
}

/* read_known - complain about every key of `block` that is not in `known` (ended by NULL). */
void read_known(struct reader *r, const config_setting_t *block, const char *what, const char *const *known);

/* The value of s as text (borrowed), or NULL and a complaint. `what` is how a message calls it. */
const char *read_text(struct reader *r, const config_setting_t *s, const char *what, const char *example);
/* The same for a key of a block; absent: NULL, and a complaint if it is required. */
const char *read_key_text(struct reader *r, const config_setting_t *block, const char *key, bool required,
			  const char *example);
/* These leave *ret alone if the key is absent or wrong; false: it was wrong. */
bool read_key_bool(struct reader *r, const config_setting_t *block, const char *key, bool *ret);
bool read_key_number(struct reader *r, const config_setting_t *block, const char *key, double *ret);
bool read_number(struct reader *r, const config_setting_t *s, const char *what, double *ret);
/* A whole number of at least 1, plain or, if it is large, in quotes; absent: a complaint. */
bool read_key_count(struct reader *r, const config_setting_t *block, const char *key, uint64_t *ret);
/* A list ( ) or array [ ] with at least one element; NULL and a complaint otherwise. required: it cannot be left out. */
const config_setting_t *read_list(struct reader *r, const config_setting_t *s, const char *what, bool required,
				  const char *example);

/* Zeroed memory, and copies, that live with the configuration. */
static inline void *read_alloc(struct reader *r, size_t n, size_t size)
{
	return arena_alloc(r->conf->arena, n, size);
}
static inline char *read_copy(struct reader *r, const char *text)
{
	return arena_text(r->conf->arena, text);
}
/* read_spec - text, which stands at s, into *ret; false: complained, and *ret is empty. */
bool read_spec(struct reader *r, const config_setting_t *s, const char *text, struct spec *ret);

/* sampling.c: interval, resolution, rotation and peak_window of the file; the keys of groups and metrics that say how finely
 * they are looked at. The file's come first: a resolution divides the interval. */
void conf_times_read(struct reader *r, const config_setting_t *root);
void conf_resolution_read(struct reader *r, const config_setting_t *block, struct conf_resolution *ret);
/* counters: the block is a group, which may say something about its counters, too. */
void conf_distribution_read(struct reader *r, const config_setting_t *block, bool counters, struct conf_distribution *ret);

/* metric.c: one row of `metrics`, all zero before. */
void conf_metric_read(struct reader *r, const config_setting_t *s, struct conf_metric *ret);

static inline size_t read_mistakes(const struct reader *r)
{
	return r->d->n + r->d->dropped;
}

#endif
