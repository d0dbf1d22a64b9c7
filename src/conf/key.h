/* SPDX-License-Identifier: MIT
 * Keys of the configuration file: one is a row in the table of its block.
 *
 * Owns:  what a row says.
 * Never: libconfig; what follows from a value.
 * Constant tables.
 */
#ifndef CONF_KEY_H
#define CONF_KEY_H

#include "base/bits.h"
#include "base/nsec.h"

#include <stdbool.h>
#include <stddef.h>

struct reader;
struct setting;
struct key;
/* A type of values: from s, or from the default if that is NULL, to what `at` points to. What is
 * wrong is complained of, and *at stays as it is. */
typedef void read_type(struct reader *r, const struct key *k, const struct setting *s,
		       void *at);

/*
 * A key of a block. Only its row defines it: how the value is read, which values are allowed, the
 * default, what messages and uncorectl show, and what the documents have to name.
 */
struct key {
	const char *name;
	const char *type;           /* of the value, in words */
	const char *help;           /* what it says, in a sentence without a full stop */
	read_type *read;
	const char *example;        /* key and value, as messages show them */
	size_t at;                  /* in the block's struct */
	size_t where_at;            /* in the struct: the line. 0: not wanted */
	const char *def;            /* the value that holds without the key; NULL: none */
	const char *choices[3];     /* of a choice, ended by NULL */
	bool required;
	nsec least;                 /* of a duration */
	unsigned most;              /* of a list: elements; of a text: bytes */
	const char *elements;       /* "addresses" */
	const char *not_zero, *not_negative;    /* of a number: the message for one that is */
	const struct block *block;  /* of a block, of a list of them */
	const char *wrong_name;     /* another word that is written for it */
	bool is_path;               /* of a text: an absolute one */
	bool of_quotient;           /* of a metric: one with a denominator */
};

#define AT(type, member) offsetof(struct type, member)
/* The same of a member that has its line beside it. */
#define WHERE(type, member) AT(type, member), AT(type, member##_where)
/* A type. */
#define CHOICE(a, b) .choices = { a, b }, .type = a " or " b

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

/* The configuration itself, in which all other blocks are. Those of conf_tls that name a file begin
 * with CONF_TLS_CERT and so on. */
extern const struct block conf_root, conf_tls;

#endif
