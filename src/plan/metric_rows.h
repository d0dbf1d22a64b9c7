/* metric_rows.h - what metric_rows.c hands to metrics.c: rows with their inputs resolved.
 *
 * Owns:  the form of a row between text and slots; inside plan/ only.
 * Pure; main thread.
 */
#ifndef PLAN_METRIC_ROWS_H
#define PLAN_METRIC_ROWS_H

#include "plan/build.h"

enum role { ROLE_NUM, ROLE_DEN, ROLE_GUARD_NUM, ROLE_GUARD_DEN, ROLE_CYCLES };

/* A specification that is an input of rows; many rows have the same ones. */
struct input {
	struct input *next;
	const char *text;           /* as written; borrowed from catalog or configuration */
	bool perf;
	struct build_spec s;        /* no event: no group counts what it names */
	char *box, *rest;           /* perf */
	double per_count;           /* perf: base units by .scale and .unit, 0: none */
	bool one_pmu;               /* perf: a single instance, of this type */
	uint32_t pmu_type;
	unsigned *slots, n_slots, room;     /* which of the group's slots it stands for, while rows are bound to the group; metrics.c */
};

struct term {
	uint8_t role;
	const struct cat_constant *constant;    /* without an input: what a unit's register says, a second */
	const struct input *in;     /* NULL: the word `seconds` */
	double weight;
};

struct row {
	const char *name, *help, *link, *group;
	const char *kept_family, *kept_help;    /* the plan's, once the row is bound */
	const struct conf_metric *conf;     /* NULL: the catalog's */
	struct term *terms;
	unsigned n_terms, bound;
	bool per_socket, complement, clamp, counter;
	double scale, guard_max;
};

struct build_metrics {
	struct input *inputs;
	struct row *rows;
	unsigned n_rows;
};

#endif
