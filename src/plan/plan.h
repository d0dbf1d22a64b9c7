/* SPDX-License-Identifier: MIT
 * What is counted on every socket, with all names and label texts, and lowered for the
 * engines.
 *
 * Owns:  the shape of a plan.
 * Never: configuration, catalog and topology, of which it is made (plan_build.h); fds, clocks,
 * HTTP. Immutable once built; any thread.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "lower/program.h"
#include "metric/metric.h"
#include "schedule/slot.h"

struct arena;
struct cat_processor;

struct plan_socket {
	unsigned id;                /* physical package id */
	unsigned *cpus;             /* reader CPUs in trying order */
	unsigned n_cpus;
	struct plan_round *rounds;
	unsigned n_rounds;
	struct plan_group *groups;
	unsigned n_groups;
	struct plan_series *series; /* what the slots of all rounds yield */
	unsigned n_series;
	struct plan_metric *metrics;        /* of one round after the other */
	unsigned n_metrics, n_metric_series;
	struct plan_distribution *distributions;
	unsigned n_distributions, n_distribution_series;
	struct plan_lacking *lacking;
	unsigned n_lacking;
	/* n_rounds equals the socket's; empty rounds allowed; the arrays are the first socket's */
	struct plan_program program;
	struct plan_perfprogram perf;
	bool has_reg, has_perf;
};

static inline const struct plan_metric *plan_distribution_metric(const struct plan_socket *s,
								 const struct plan_distribution *w)
{
	return metric_of_distribution(s->metrics, w);
}

/*
 * plan_distribution_same - are two distributions, of a socket's plan and of the one before a
 * reload, of the same samples?
 *
 * True: the same series by the same formula, so that samples of one may stand beside those of the
 * other.
 */
bool plan_distribution_same(const struct plan_socket *s, const struct plan_distribution *a,
			    const struct plan_socket *t, const struct plan_distribution *b);

struct plan {
	struct arena *arena;	/* owns the plan, and all that it points to but for the catalog */
	const struct cat_processor *processor;   /* NULL: perf only, unknown family */
	nsec interval, rotation, peak_window;
	struct plan_socket *sockets;
	unsigned n_sockets;
	char **notes;               /* why groups were put into rounds, warnings: whole sentences */
	unsigned n_notes;
	unsigned n_series;          /* series that the plan yields, all sockets */
};

void plan_free(struct plan *p);

#endif
