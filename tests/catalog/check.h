/* SPDX-License-Identifier: MIT
 * Shared by the parts of catalog_check(); private to the room.
 *
 * Pure; one thread at a time.
 */
#ifndef CATALOG_CHECK_H
#define CATALOG_CHECK_H

#include "catalog/perf.h"
#include "check_tables.h"

/* Where the check is: what complaints are about. */
struct check {
	const struct cat_processor *p;
	const struct cat_perf *perf;    /* NULL: a processor; else p has the table's name and
					 * metrics only */
	const struct cat_box *box;      /* NULL: the processor as a whole */
	const struct cat_event *event;  /* NULL: the box as a whole */
	const char *row;                /* a metric, group or register; NULL: none */
	struct diags *d;
	unsigned bad;
};

/* check_wrong - one complaint. Returns true. */
bool check_wrong(struct check *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Complains if `bad`, and says whether it did. */
#define WRONG_IF(k, bad, ...) ((bad) ? check_wrong(k, __VA_ARGS__) : false)

/* check_text - a text that users read: there, long enough, finished, without final full stop. */
void check_text(struct check *k, const char *what, const char *text, size_t least);
/* check_source - a row without source is refused. */
void check_source(struct check *k, const char *source);
/* check_name - only characters of `set`, at least one. */
bool check_name(struct check *k, const char *what, const char *name, const char *set);

void check_geometry(struct check *k);           /* check_box.c: what all the rest relies on */
void check_box(struct check *k);                /* check_box.c: registers, texts */
void check_events(struct check *k);             /* check_event.c: events, unit masks, selectors */
void check_metrics(struct check *k);            /* check_metric.c */
void check_constants(struct check *k);
void check_groups(struct check *k);

/* The event of a table that a group or metric names; NULL: there is none. check_perf.c */
const struct cat_perf_event *check_perf_event(const struct cat_perf *t, const char *spec);

#endif
