/* SPDX-License-Identifier: MIT
 * Which process ran most for a while.
 *
 * Owns:  what each process had run before.
 * Never: what they did.
 * One thread.
 */
#ifndef TOPO_BUSIEST_H
#define TOPO_BUSIEST_H

struct busiest_process {
	long pid;                       /* 0: none is known */
	double seconds;                 /* of CPU time */
	char name[16];                  /* proc(5): comm */
};

/* What processes have run until now, in the order of their numbers. */
struct busiest {
	struct busiest_process *was;
	unsigned n;
};

void busiest_begin(struct busiest *b, const char *procfs);
/* busiest_end - the one that ran most since then, but for the caller. Frees what was remembered; b
 * may be {}. */
struct busiest_process busiest_end(struct busiest *b, const char *procfs);

#endif
