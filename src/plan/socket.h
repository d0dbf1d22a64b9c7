/* SPDX-License-Identifier: MIT
 * What is counted on a socket, lowered for the engines, and the metrics that it yields.
 *
 * Owns:  the shape of a socket's plan. planner/ makes the rounds and groups, lower/ the program and
 *        the perf events, metric/ all that is derived.
 * Never: values.
 * Immutable once built; any thread.
 */
#ifndef PLAN_SOCKET_H
#define PLAN_SOCKET_H

#include "plan/location.h"
#include "plan/metric.h"
#include "plan/slot.h"

struct plan_program;
struct plan_perf_program;

/* A memory channel: a unit whose commands that move data are counted. */
struct plan_channel { const char *box_name; unsigned unit; };

struct plan_socket {
	unsigned id;                /* physical package id */
	unsigned n_nodes;           /* NUMA nodes that have CPUs of it; 0: not known */
	unsigned *cpus;             /* reader CPUs in trying order */
	unsigned n_cpus;
	struct plan_round *rounds;
	unsigned n_rounds;
	struct plan_group *groups;
	unsigned n_groups;
	struct plan_series *series; /* what the slots of all rounds yield */
	unsigned n_series;
	struct plan_channel *channels;
	unsigned n_channels;
	struct plan_metric *metrics;        /* of one round after the other */
	unsigned n_metrics, n_metric_series;
	struct plan_distribution *distributions;
	unsigned n_distributions, n_distribution_series;
	struct plan_lacking *lacking;
	unsigned n_lacking;
	struct plan_stack *stacks;
	unsigned n_stacks;
	struct plan_unit *units;
	unsigned n_units;
	unsigned n_locations;       /* series that stacks, devices and nodes yield */
	unsigned n_exported;        /* series that all of these yield */
	/* n_rounds equals the socket's; empty rounds allowed; the arrays are the first socket's */
	struct plan_program *program;       /* of registers and of perf events: plan/program.h */
	struct plan_perf_program *perf;
	bool has_reg, has_perf;
};

/* Every slot of every round of s. */
#define PLAN_EACH_SLOT(slot, r, s) \
	(struct plan_round *r = (s)->rounds; r < (s)->rounds + (s)->n_rounds; r++) \
		for (struct plan_slot *slot = r->slots; slot < r->slots + r->n_slots; slot++)

/* Does a group count this series? In each of its rounds it counts the same ones. */
static inline bool plan_group_counts(const struct plan_socket *s, const struct plan_group *g,
				     unsigned series)
{
	for (unsigned i = 0; i < g->n_slots; i++)
		if (s->rounds[g->round].slots[g->slots[g->round][i]].series == series)
			return true;
	return false;
}

static inline const struct plan_metric *plan_distribution_metric(const struct plan_socket *s,
								 const struct plan_distribution *w)
{
	return w->metric < 0 ? &w->rate : &s->metrics[w->metric];
}

#endif
