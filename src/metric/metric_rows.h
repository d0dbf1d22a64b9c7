/* SPDX-License-Identifier: MIT
 * Rows with their inputs resolved; between the files of metric/ only.
 *
 * Pure; main thread.
 */
#ifndef METRIC_METRIC_ROWS_H
#define METRIC_METRIC_ROWS_H

#include "base/texts.h"
#include "metric/bind.h"

/* As the sums of struct plan_metric. */
enum role { ROLE_NUM, ROLE_DEN, ROLE_GUARD_NUM, ROLE_GUARD_DEN, ROLE_CYCLES };

/* An event that is an input of rows, resolved; many rows have the same ones. */
struct input {
	const char *text;           /* as written; rows that share it are read once */
	struct spec spec;           /* the text, parsed */
	struct spec_box s;          /* registers */
	struct spec_perf p;         /* perf: n > 0 */
	double per_count;           /* perf: base units by .scale and .unit, 0: none */
	bool counted; /* perhaps: some group has the event, of whatever unit, with whatever keys */
	/* the slots of the round that count it, while rows are bound to them */
	unsigned *slots, n_slots;
};

struct term {
	uint8_t role;
	/* without an input: what a unit's register says, a second */
	const struct cat_constant *constant;
	struct input *in;           /* NULL: the word `seconds` */
	const char *text;           /* of the word or event, as written */
	double weight;
};

struct row {
	const struct cat_metric *m;
	const struct conf_metric *conf;     /* that it is of; NULL: the catalog's */
	const struct cat_perf *table;       /* that it is of; NULL: none, or a processor's */
	const char *family, *help, *rests, *unit;    /* the plan's, once the row is bound */
	struct term *terms;
	unsigned n_terms, bound;
	bool ambiguous;             /* two events of a round fit one input */
	const char *absent;         /* why it cannot be counted here; NULL: it can */
};

struct metric_rows {
	struct schedule *sc;
	const struct conf *conf;
	const struct plan_constants *constants;
	const struct plan_knees *knees;     /* NULL: nobody looked */
	struct input **inputs;
	unsigned n_inputs;
	struct texts input_texts;   /* place in inputs + 1 of each text */
	struct diags *mistakes;     /* of the configuration's rows, until the groups are there */
	struct row *rows;
	unsigned n_rows;
	/* of the catalog, those that are absent or that the configuration replaces */
	struct row *others;
	unsigned n_others;
};

/* Why no knee of this machine is known whatever its sockets are; NULL: one was measured, or could
 * not be used. */
const char *knee_unmeasured(const struct metric_rows *m);
/* The knee of a socket, the plan's; or why it has none, a sentence, which is noted. */
const char *knee_bind(const struct metric_rows *m, unsigned socket, const struct plan_knee **ret);

/* The configuration's row of this name, which replaces the catalog's; NULL: none. */
const struct conf_metric *metric_conf_row(const struct metric_rows *m, const char *name);

/* Does a group mean this row by that name? If several rows have the name, such as one for each
 * link, it means all of them. */
bool metric_named(const struct row *r, const struct sched_named *by);

/* Is the slot of a round one of the group's? */
bool group_holds(const struct plan_group *g, unsigned round, unsigned slot);
/* Adds a group to those that have the metric. Its values are those of the round's overflow windows
 * only if no other group than theirs has it. */
void metric_add_group(const struct metric_rows *m, const struct plan_socket *s,
		      struct plan_metric *metric, unsigned group);

/* Decides which metrics and counters of s have a peak and a distribution. distributions.c */
void distributions_add(const struct metric_rows *m, struct plan_socket *s);

#endif
