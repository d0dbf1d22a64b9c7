/* SPDX-License-Identifier: MIT
 * Traffic of CPUs with their own socket's memory at chosen rates, on all sockets at once.
 *
 * Bursts at full speed with rests between them have the latency of bursts. So the threads of a
 * socket move a few kilobytes at a time, and wait until the next are due.
 *
 * Owns:  the threads, and how they keep a rate; a load that is only told, for a model.
 * Never: what is counted.
 * One thread calls; the threads that move bytes live from pace_start() to pace_stop().
 */
#ifndef VERIFY_PACE_H
#define VERIFY_PACE_H

#include "verify/load.h"

/* Bytes that are read alone, twice as many as are written, as many. */
enum pace_mix { PACE_READS, PACE_TWO_TO_ONE, PACE_ONE_TO_ONE, PACE_MIXES };
/* The share of reads in each. */
extern const double pace_shares[PACE_MIXES];

struct pace;
/* told: nothing is moved; what would be is only said to a model (base/traffic.h). NULL: there is no
 * memory. l is borrowed. */
struct pace *pace_new(struct load *l, bool told);
/* rate: bytes a second, of each socket; INFINITY: as fast as it goes. One thread of each socket
 * reads beside that, each read after the one before, so that there are always reads that wait.
 * Returns 0, or -errno with a sentence and no thread left. */
int pace_start(struct pace *p, enum pace_mix mix, const double *rate, struct err *err);
void pace_stop(struct pace *p);
/* Bytes that it has moved, read and written, or told of: of the socket's memory, since it was
 * made. */
uint64_t pace_moved(const struct pace *p, unsigned socket);
/* After pace_stop(). */
void pace_free(struct pace *p);

#endif
