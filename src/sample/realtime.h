/* SPDX-License-Identifier: MIT
 * SCHED_FIFO for the threads of fast samplers, and the way out of it.
 *
 * Owns:  scheduling policy, the limit of CPU time in one go (RLIMIT_RTTIME), SIGXCPU.
 * Never: who wants it; what a tick does.
 *
 * With default scheduling one tick of 1 ms in a hundred is lost to time slices of other threads. A
 * thread under SCHED_FIFO that does not sleep takes its CPU from all others. So the kernel sends a
 * signal when one runs for REALTIME_MOST, and every sampler then goes back to plain scheduling for
 * good.
 */
#ifndef SAMPLE_REALTIME_H
#define SAMPLE_REALTIME_H

#include "base/nsec.h"

#define REALTIME_BELOW (100 * NSEC_PER_MSEC)    /* resolutions for which it is worth it */
#define REALTIME_MOST  (100 * NSEC_PER_MSEC)    /* of CPU time without sleep */

struct realtime {
	int tid;                    /* 0: not under SCHED_FIFO */
	unsigned fallbacks;         /* how often it was put back to plain scheduling */
};

/* realtime_prepare - call it before creating such a thread: the calling thread blocks SIGXCPU. */
void realtime_prepare(void);
/* realtime_enter - puts the calling thread under SCHED_FIFO. r: zeroed, must stay at its place
 * until realtime_leave(). 0, or -errno: it may not. */
int realtime_enter(struct realtime *r);
/* realtime_leave - before the calling thread ends; also where it never entered. */
void realtime_leave(struct realtime *r);

#endif
