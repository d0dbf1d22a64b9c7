/* metric_rows.h - rows with their inputs resolved; between the files of metric/ only.
 *
 * Pure; main thread.
 */
#ifndef METRIC_METRIC_ROWS_H
#define METRIC_METRIC_ROWS_H

#include "metric/bind.h"

enum role { ROLE_NUM, ROLE_DEN, ROLE_GUARD_NUM, ROLE_GUARD_DEN, ROLE_CYCLES };

/* A specification that is an input of rows; many rows have the same ones. */
struct input {
	struct input *next;
	const char *text;           /* as written; borrowed from catalog or configuration */
	bool perf;
	struct spec_box s;          /* no event: no group counts what it names */
	char *box, *rest;           /* perf */
	double per_count;           /* perf: base units by .scale and .unit, 0: none */
	bool one_pmu;               /* perf: a single instance, of this type */
	uint32_t pmu_type;
	unsigned *slots, n_slots, room;     /* which of the group's slots it stands for, while rows are bound to it */
};

struct term {
	uint8_t role;
	const struct cat_constant *constant;    /* without an input: what a unit's register says, a second */
	const struct input *in;     /* NULL: the word `seconds` */
	double weight;
};

struct row {
	const char *name, *help, *unit, *link, *group;
	const char *kept_family, *kept_help, *kept_unit;    /* the plan's, once the row is bound */
	const struct conf_metric *conf;     /* NULL: the catalog's */
	struct term *terms;
	unsigned n_terms, bound;
	bool per_socket, complement, clamp, counter;
	double scale, guard_max;
};

struct metric_rows {
	struct schedule *sc;
	const struct conf *conf;
	const struct plan_constants *constants;
	struct input *inputs;
	struct row *rows;
	unsigned n_rows;
};

/* Decides for the metric of s, just bound, whether its samples are looked at. conf: its row of the configuration, or
 * NULL. peaks.c */
void watch_add(const struct metric_rows *m, struct metric_socket *s, unsigned metric, const struct conf_metric *conf);

/* The same for the counters of every group of s. */
void watch_counters(const struct metric_rows *m, struct metric_socket *s);

#endif
