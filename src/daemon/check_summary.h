/* SPDX-License-Identifier: MIT
 * What a good configuration would count, in one sentence.
 *
 * Owns:  the sentence of uncored --check-config.
 * Never: mistakes (generation.h).
 * Main thread.
 */
#ifndef DAEMON_CHECK_SUMMARY_H
#define DAEMON_CHECK_SUMMARY_H

#include "plan/plan.h"

/* Prints it on stdout: groups, rounds, series and sockets; then the metrics for which a group lacks
 * one event, and that event. */
void check_summary_print(const struct plan *p);

#endif
