/* SPDX-License-Identifier: MIT
 * Which metrics the events of a plan yield, on which slots; which of them have peaks and
 * distributions.
 *
 * Owns:  rows of the catalog and of the configuration, their inputs; the names of peaks and
 *        distributions.
 * Never: values.
 * Pure; main thread.
 */
#ifndef METRIC_BIND_H
#define METRIC_BIND_H

#include "conf/conf.h"
#include "plan/constant.h"
#include "plan/knee.h"
#include "plan/socket.h"
#include "schedule/schedule.h"

/* ---- metric_rows.c */

struct metric_rows;
/* Resolves every row, once; the groups need not be there. constants NULL: they are unknown, and
 * each is taken as 1. knees NULL: nobody looked. Collects the mistakes of the configuration's
 * rows. */
struct metric_rows *metric_rows_new(struct schedule *sc, const struct conf *conf,
				    const struct plan_constants *constants,
				    const struct plan_knees *knees, struct diags *mistakes);
/* Once the groups are there: reports those mistakes, after the groups' own. */
void metric_rows_with_groups(struct metric_rows *m);
/* Why a row of the machine's tables cannot be counted here; NULL: it can. Then *ret_first is the
 * first event of its sum, or NULL if that is a word. */
const char *metric_row_absent(const struct metric_rows *m, const struct cat_metric *c,
			      const struct spec_perf **ret_first);
/* What a knee is found by that uncored does not count on this machine, a sentence that lives for
 * ever; NULL: nothing. */
const char *knee_missing(const struct metric_rows *m);
/* Of rows with a knee: why this machine's curve cannot be used; and where it can, at which mixes of
 * reads and writes it has none. Sentences, until the arena for work is freed; NULL: nothing. */
const char *knee_refused(const struct metric_rows *m);
const char *knee_in_part(const struct metric_rows *m);

/* ---- metric_inputs.c */

/* An event that a metric needs: a box's, of every unit unless it names one and of every port unless
 * it names one, or perf's. */
struct metric_input {
	const struct spec *spec;                 /* as the row writes it */
	const struct spec_box *box;              /* NULL: perf */
	const struct spec_perf *perf;
	bool metrics_only;                       /* its totals are not shown */
};
struct metric_inputs {
	struct metric_input *v;
	unsigned n;
	bool of_socket;                          /* it is one value for the whole socket */
	bool of_link;                            /* it has a row for each link */
};
/* What the metric that a group names needs, clock and guard included; perf: without registers.
 * Memory of `work`. -errno and why it cannot be counted. */
int metric_inputs(const struct metric_rows *m, const struct sched_named *by, bool perf,
		  struct metric_inputs *ret, struct err *err);

/* The metric of this machine that a series, without "uncore_", is of; NULL: none is. */
const char *metric_of_series(const struct metric_rows *m, const char *series);

/* ---- metric_bind.c */

/* Binds the rows to the rounds of a socket, whose rounds and groups are there, and chooses the
 * distributions. */
void metric_bind(struct metric_rows *m, struct plan_socket *s);
/* Complains about rows of the configuration that no round of any socket serves. */
void metric_check_used(const struct metric_rows *m);

/* ---- distributions.c */

/* The samples of a counter X_bytes_total are a rate, which a metric X_bytes_per_second may be too:
 * complains about the first two metrics whose samples would have one name. */
bool distribution_check_names(const struct metric_rows *m, const struct plan_socket *s);

#endif
