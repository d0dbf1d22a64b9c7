/* SPDX-License-Identifier: MIT
 * uncorectl stat: what its files tell each other.
 * Owns:  the shape of a run, and of a row: what one series, or a sum of some, went in a time.
 * Never: what a series means.
 */
#ifndef CTL_STAT_H
#define CTL_STAT_H

#include "ctl/ctl.h"

/* Of a row; in JSON, too. */
#define STAT_NAME    "name"             /* as Prometheus writes it; a sum: "sum(...)" */
#define STAT_VALUE   "value"            /* of a total how far it went; null: not known */
#define STAT_TIME    "active_seconds"   /* of a total: for how long it was counted */
#define STAT_RATE    "rate"             /* of a total: value / time; of a sum, those of its parts */
#define STAT_REASON  "reason"           /* why there is no value; "": there is one */
#define STAT_KNOWN   "known_after_seconds"      /* of what has no value before that */

/* How values are written: text to standard error, what programs read to standard output. */
struct stat_form {
	enum { STAT_TEXT, STAT_CSV, STAT_JSON } kind;
	const char *by;                 /* between two cells of CSV */
};

struct stat_runs {
	const struct ctl *c;
	struct stat_form form;
	bool beside;                    /* another uncored counts */
	bool gauges;                    /* of all the time of a run: they are reported */
	int runs;
	int groups;                     /* -g, -e and -M as a configuration; -1: none */
	struct stat_lines *lines;       /* of --interval; NULL: not asked for */
	json_t *rows;                   /* by the name of a series or a sum: what JSON says of it */
	json_t *about;                  /* the last snapshot; NULL: none */
	double counted;                 /* seconds of all runs */
	double wall;                    /* the same by the clock */
};

/* ---- stat_gains.c */

/* The totals of a snapshot, by name. older: of an earlier one, or NULL: a series without a value
 * keeps what it had there, as its total will go on from that. */
json_t *stat_by_name(json_t *snapshot, json_t *older);
/*
 * stat_gains - rows of what each series went since `before`, and of sums of them.
 *
 * before  of stat_by_name(); what it does not have began at 0. Borrowed, as `now`
 * gauges  these have rows, too, with their value in `now`
 *
 * A family is followed by its sums, of what differs in its place alone (unit, port, link, socket):
 * of each socket, if several have more than one, and of the machine. Only totals are added, and
 * only where every part has a value.
 */
json_t *stat_gains(json_t *before, json_t *now, bool gauges);
bool stat_is_sum(const char *name);
/* Why a row has no value, for people: its reason, and how long it takes. Returns buf. */
enum { STAT_WHY = 64 };
char *stat_why(json_t *row, char buf[STAT_WHY]);
/* For how long the sockets counted since `before`: of the one where that is longest. */
double stat_longest(json_t *before, json_t *now);

/* ---- stat_lines.c */

/* --interval: a line for each value. NULL: there is no memory. */
struct stat_lines *stat_lines_new(struct stat_form form);
void stat_lines_free(struct stat_lines *l);
/* What the first line counts from, by stat_by_name(), which it takes; without it from 0. */
void stat_lines_begin(struct stat_lines *l, json_t *before);
/* The lines of a snapshot, `seconds` after the beginning, all of them written when it returns. */
void stat_lines_print(struct stat_lines *l, json_t *snapshot, double seconds);
/* The descriptor that is written to; -1: nobody reads it any more, or a write has failed. */
int stat_lines_fd(const struct stat_lines *l);
/* A write has failed though somebody reads: a disk is full. */
bool stat_lines_failed(const struct stat_lines *l);
/* Nobody reads it: poll() says so. */
void stat_lines_unread(struct stat_lines *l);

/* ---- stat_count.c */

/* One run, with an uncored of its own or beside the one that runs: s->about, and lines if they are
 * asked for. The caller releases *ret, totals at its beginning by stat_by_name(). Returns the exit
 * code, of the command if it was counted. */
int stat_count(struct stat_runs *s, json_t **ret);

/* ---- stat_report.c */

/* Takes what a run counted since `before`. */
void stat_report_add(struct stat_runs *s, json_t *before);
/* Prints what all runs counted; code: the command's. Returns 0, or an exit code. */
int stat_report(const struct stat_runs *s, int code);
/* A cell of CSV that is a text. */
void stat_print_cell(const char *text);

#endif
