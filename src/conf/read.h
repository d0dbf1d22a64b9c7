/* SPDX-License-Identifier: MIT
 * Keys as rows of a table, and how libconfig's tree is read by them.
 *
 * Owns:  the types of values, required and unknown keys, the form of strings and numbers.
 * Never: what a key means.
 * Pure; any thread. Nothing is looked up by type: libconfig answers 0 with success to the wrong
 * question. It never reports a key that nobody asked for: each block is compared with its table.
 */
#ifndef CONF_READ_H
#define CONF_READ_H

#include "base/bits.h"
#include "conf/conf.h"
#include "conf/scan.h"

#include <libconfig.h>

struct reader {
	struct conf *conf;
	struct diags *d;
	const struct scan *scan;
	unsigned n_specs;           /* event specifications so far */
	bool no_engine;             /* one is given, and could not be read */
};

struct key;
/* A type of values: from s, or from the default if that is NULL, to what `at` points to. What is
 * wrong is complained of, and *at stays as it is. */
typedef void read_type(struct reader *r, const struct key *k, const config_setting_t *s, void *at);

/*
 * A key of a block. Only its row defines it: how the value is read, which values are allowed, the
 * default, what messages show, and what the documents have to name.
 */
struct key {
	const char *name;
	read_type *read;
	size_t at;                  /* in the block's struct */
	const char *example;        /* key and value, as messages show them */
	const char *def;            /* the value that holds without the key; NULL: none */
	bool required;
	size_t where_at;            /* in the struct: the line. 0: not wanted */
	nsec least;                 /* of a duration */
	unsigned most;              /* of a list: elements; of a text: bytes */
	const char *elements;       /* "addresses" */
	const char *not_zero, *not_negative;    /* of a number: the message for one that is */
	const struct block *block;  /* of a block */
	const char *wrong_name;     /* another word that is written for it */
	const char *choices[2];     /* of a choice */
	bool is_path;               /* of a text: an absolute one */
	bool of_quotient;           /* of a metric: one with a denominator */
};

#define AT(type, member) offsetof(struct type, member)

struct block {
	const char *name;           /* "a group" */
	const struct key *keys;
	unsigned n_keys;
	const char *what;           /* "this group" */
	const char *why;            /* the required ones are needed; NULL: no message says it */
	const char *former;         /* a key that there was, NULL: none, and what is written now */
	const char *instead;
};
#define BLOCK(what_it_is, rows) .name = what_it_is, .keys = rows, .n_keys = COUNT(rows)

/* All blocks: the configuration itself and the blocks in it. */
extern const struct block *const conf_blocks[];
extern const unsigned conf_n_blocks;

/* Every key of block s into the struct at `into`; s NULL: the defaults. */
void read_block(struct reader *r, const struct block *b, const config_setting_t *s, void *into);

struct where read_where(const struct reader *r, const config_setting_t *s);
/* A complaint about setting s. */
#define read_bad(r, s, ...) diags_add((r)->d, read_where((r), (s)), __VA_ARGS__)

/* The setting `key` of a block; NULL: absent, or there is no block. */
static inline const config_setting_t *read_key(const config_setting_t *block, const char *key)
{
	return block ? config_setting_get_member(block, key) : NULL;
}

read_type read_bool, read_number /* double */, read_count /* uint64_t */, read_string /* char * */,
	read_choice /* enum: 1 + the number of the choice */,
	read_spec /* struct spec */;

/* Parts of them: the text of s, which messages call `what`, or the default (NULL: complained); */
const char *read_text(struct reader *r, const struct key *k, const config_setting_t *s,
		      const char *what);
/* one number; */
bool read_double(struct reader *r, const config_setting_t *s, const char *what, double *ret);
/* how many elements a list ( ) or array [ ] has, at least one; 0: complained; */
unsigned read_list(struct reader *r, const struct key *k, const config_setting_t *s);
/* whether it is a block; false: complained; */
bool read_is_block(struct reader *r, const config_setting_t *s, const char *what,
		   const char *example);
/* and text, which is at s, as a specification; false: complained, *ret is empty. */
bool read_spec_text(struct reader *r, const config_setting_t *s, const char *text,
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
read_type read_duration, read_interval, read_rotation /* nsec */, read_resolution,
	read_distribution;

/* serving.c: who may read what is served. read_nested: a block into the struct at `at`,
 * or its defaults; such a key has the default "". */
extern const struct block conf_socket, conf_tls;
read_type read_nested, read_tls;

/* metric.c: the rows of `metrics`, into the struct conf. */
extern const struct block conf_metric, conf_addend, conf_guard;
read_type read_metrics;

static inline size_t read_mistakes(const struct reader *r)
{
	return r->d->n + r->d->dropped;
}

#endif
