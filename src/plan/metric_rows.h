/* metric_rows.h - what metric_rows.c hands to metrics.c: rows with their inputs resolved.
 *
 * Owns:  the form of a row between text and slots; inside plan/ only.
 * Pure; main thread.
 */
#ifndef PLAN_METRIC_ROWS_H
#define PLAN_METRIC_ROWS_H

#include "plan/build.h"

enum role { ROLE_NUM, ROLE_DEN, ROLE_GUARD_NUM, ROLE_GUARD_DEN, ROLE_CYCLES };

struct term {
	uint8_t role;
	bool seconds;               /* the word: no slot */
	const struct cat_constant *constant;    /* with `seconds`: what a unit's register says, a second */
	bool perf;
	double weight;
	const char *text;           /* as written; borrowed from catalog or configuration */
	struct build_spec s;
	char *box, *rest;           /* perf */
	double per_count;           /* perf: base units by .scale and .unit, 0: none */
	bool one_pmu;               /* perf: a single instance, of this type */
	uint32_t pmu_type;
	unsigned *slots, n_slots;   /* the group's slots that are this input, while a row is bound; metrics.c */
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
	struct row *rows;
	unsigned n_rows;
};

#endif
