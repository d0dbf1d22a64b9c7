/* SPDX-License-Identifier: MIT
 * Errors with context, and lists of diagnostics.
 *
 * Owns:  the text of one failure; the list of all mistakes in one input.
 * Never: where the text ends up (only daemon/ and ctl/ print).
 * Pure; any thread.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

/* One failure: a whole sentence, written where it happened. */
struct err {
	char text[768];
};

/*
 * err_set - write the sentence.
 *
 * e    may be NULL: nothing is written. The arguments are computed all the same, so code on the
 *      sampling path tests e first
 * r    negative errno, returned unchanged
 */
int err_set(struct err *e, int r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* err_prefix - put "where" in front of the sentence; returns r. */
int err_prefix(struct err *e, int r, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Where in an input a thing is. `file` is borrowed and outlives the user; line 0: no line. */
struct where {
	const char *file;
	unsigned line;
};

/* All the mistakes of one input, in the order found; at most DIAGS_MAX are kept. */
#define DIAGS_MAX 256
struct diags {
	char *v[DIAGS_MAX];     /* "file:line: sentence", owned */
	size_t n;
	size_t dropped;    /* more than DIAGS_MAX */
};

/* diags_add - append one; line 0 leaves the number out, file NULL the place. Returns -EINVAL. */
int diags_add(struct diags *d, struct where at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline size_t diags_count(const struct diags *d)
{
	return d->n + d->dropped;
}
/* Appends all of `from`, which is empty then. */
void diags_move(struct diags *d, struct diags *from);
void diags_done(struct diags *d);

#endif
