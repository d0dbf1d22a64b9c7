/* SPDX-License-Identifier: MIT
 * How a tree is read by the tables of keys.
 *
 * Owns:  the types of values, required and unknown keys, the form of strings and numbers.
 * Never: what a key means.
 * Pure; any thread.
 */
#ifndef CONF_READ_H
#define CONF_READ_H

#include "base/bits.h"
#include "conf/conf.h"
#include "conf/key.h"
#include "conf/tree.h"

struct reader {
	struct conf *conf;
	struct diags *d;
	unsigned n_specs;           /* event specifications so far */
	bool no_engine;             /* one is given, and could not be read */
};

/* Every key of block s into the struct at `into`; s NULL: the defaults. */
void read_block(struct reader *r, const struct block *b, const struct setting *s, void *into);

/* The line of setting s in the file that is read. */
struct where read_where(const struct reader *r, const struct setting *s);
/* A complaint about setting s. */
#define read_bad(r, s, ...) diags_add((r)->d, read_where((r), (s)), __VA_ARGS__)

read_type read_bool, read_number /* double */, read_count /* uint64_t */, read_string /* char * */,
	read_choice /* enum: 1 + the number of the choice */,
	read_spec /* struct spec */;

#define BOOL(key, help_, at_) \
	key, "true or false", help_, read_bool, .at = at_, .def = "false"

/* Parts of them: the text of s, which messages call `what`, or the default (NULL: complained); */
const char *read_text(struct reader *r, const struct key *k, const struct setting *s,
		      const char *what);
/* one number; */
bool read_double(struct reader *r, const struct setting *s, const char *what, double *ret);
/* how many elements a list ( ) or array [ ] has, at least one; 0: complained; */
unsigned read_list(struct reader *r, const struct key *k, const struct setting *s);
/* whether it is a block; false: complained; */
bool read_is_block(struct reader *r, const struct setting *s, const char *what,
		   const char *example);
/* and text, which is at s, as a specification; false: complained, *ret is empty. */
bool read_spec_text(struct reader *r, const struct setting *s, const char *text,
		    struct spec *ret);

/* Zeroed memory, and copies, that live with the configuration. */
static inline void *read_alloc(struct reader *r, size_t n, size_t size)
{
	return arena_alloc(r->conf->arena, n, size);
}
static inline char *read_copy(struct reader *r, const char *text)
{
	return arena_text(r->conf->arena, text);
}

/* sampling.c: what says how often and how finely something is looked at. */
#define CONF_DISTRIBUTION_EXAMPLE "distribution = { buckets = ( 0.25, 0.5, 0.75 ); }"
extern const struct block conf_group_distribution, conf_metric_distribution;
#define DISTRIBUTION(type) read_distribution, CONF_DISTRIBUTION_EXAMPLE, AT(type, distribution), \
	.block = &type##_distribution
read_type read_duration, read_interval, read_rotation /* nsec */, read_resolution,
	read_distribution;

/* serving.c: who may read what is served. read_nested: a block into the struct at `at`,
 * or its defaults; such a key has the default "". */
extern const struct block conf_socket;
read_type read_nested, read_tls, read_pause;

/* metric.c: the rows of `metrics`, into the struct conf. */
extern const struct block conf_metric;
read_type read_metrics;

static inline size_t read_mistakes(const struct reader *r)
{
	return r->d->n + r->d->dropped;
}

#endif
