/* SPDX-License-Identifier: MIT
 * What a plan counts as series of a description; inside expo/ only.
 *
 * `i` is the number of a socket in the plan. Main thread; allocates. Failures are remembered in the
 * builder and come out of build_finish().
 */
#ifndef EXPO_DESC_COUNTED_H
#define EXPO_DESC_COUNTED_H

#include "expo/desc_build.h"

/* Begins a label set with the socket. */
void desc_labels_socket(struct builder *b, unsigned i);

/* The labels of a metric; with_name: its name too, for a family that all metrics share. */
void desc_labels_metric(struct builder *b, unsigned i, const struct plan_metric *m, bool with_name);

/* The first metric of a series of the socket; series: below n_metric_series. */
const struct plan_metric *desc_metric_of(const struct plan_socket *s, unsigned series);

/* Sets in `v` what a series of single samples is about. */
void desc_samples_subject(struct desc_series *v, const struct plan_distribution *w,
			  const struct plan_metric *m);

/* The socket's metrics, after its stacks. */
void desc_add_metrics(struct builder *b, unsigned i);

/* Of the single samples of its metrics: the peaks, and the distributions. */
void desc_add_distributions(struct builder *b, unsigned i);

/* The total of series `number` of its slots, and the same in a base unit where the kernel gives a
 * scale; nothing where the series is not shown. */
void desc_add_slot(struct builder *b, unsigned i, unsigned number);

#endif
