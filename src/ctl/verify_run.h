/* SPDX-License-Identifier: MIT
 * A run of uncorectl verify: what was moved, and what uncored counted of it.
 *
 * Owns:  its shape. cmd_verify.c fills it, verify_report.c says what follows.
 * One thread.
 */
#ifndef CTL_VERIFY_RUN_H
#define CTL_VERIFY_RUN_H

#include "ctl/ctl.h"
#include "ctl/verify_rows.h"
#include "verify/load.h"
#include "verify/verdict.h"

enum { ROWS = COUNT(verify_rows), CELLS = LOAD_SOCKETS * ROWS, JOBS = VERIFY_SAMPLES_MAX };

/* One sample of every socket, as uncored serves it. A cell is a row of a socket, and those of a
 * socket follow each other. */
struct reading {
	struct { unsigned n; double sum; } series[CELLS];
	double oldest;                  /* time of the sample that was taken first */
};

struct verify {
	const struct ctl *c;
	struct load *load;
	struct load_job jobs[JOBS];
	unsigned n_jobs, n_cells;
	double sample_length, interval;
	struct reading last;
	struct cell {
		struct verify_sample samples[JOBS];
		unsigned n;
		bool outside;           /* of the row's range */
		/* While perf counted, too: bytes; NAN: one of both did not count them. */
		struct { double moved, counted, perf; } witness;
	} cells[CELLS];
	bool beside;                    /* perf counts now: what is sampled is for it alone */
	double witness_seconds;         /* how long perf counted; 0: it did not */
	struct err no_witness;          /* why */
	double fastest[TRAFFIC_KINDS];  /* bytes a second */
	json_t *about;                  /* the last snapshot */
};

/* Prints what the run says of each metric. Returns the exit code. */
int verify_report(const struct verify *v);

#endif
