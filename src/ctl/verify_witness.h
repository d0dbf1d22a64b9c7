/* SPDX-License-Identifier: MIT
 * perf stat beside uncored, over the same seconds: a second witness of what is counted.
 *
 * Owns:  which events perf is asked for, its process, what it printed.
 * Never: what was moved, who of both is right (cmd_verify.c).
 * One thread.
 */
#ifndef CTL_VERIFY_WITNESS_H
#define CTL_VERIFY_WITNESS_H

#include "ctl/ctl.h"

#include "base/cleanup.h"

struct witness;

/*
 * witness_new - what perf has to count for these metrics, on all sockets of this machine.
 *
 * metrics  without uncore_: totals, which uncored counts through the kernel's PMUs
 * Returns 0, or -errno with a sentence: perf is not there, or cannot count any of them.
 */
int witness_new(const struct ctl *c, const char *const *metrics, unsigned n, struct witness **ret,
		struct err *err);
/* From its return on perf counts. 0, or -errno with a sentence. */
int witness_start(struct witness *w, struct err *err);
/* Reads what perf counted. 0, or -errno with a sentence, as where it had no counter for an event
 * all the time. */
int witness_stop(struct witness *w, struct err *err);
/* What perf counted of the metrics whose families fit the pattern of fnmatch(); NAN: nothing. */
double witness_total(const struct witness *w, const char *family, unsigned socket);
/* Ends perf if it runs. */
void witness_free(struct witness *w);
CLEANUP_POINTER(witness_free, struct witness);

#endif
