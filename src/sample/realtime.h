/* realtime.h - SCHED_FIFO for the threads of fast samplers, and the way out of it.
 *
 * Owns:  scheduling policy, the limit of CPU time in one go (RLIMIT_RTTIME), SIGXCPU.
 * Never: who wants it; what a tick does.
 *
 * Default scheduling loses a tick of 1 ms in each hundred to time slices of others. A thread under
 * SCHED_FIFO that does not sleep takes its CPU from everybody, so that the kernel tells us when one
 * goes on for REALTIME_MOST; every sampler then goes back to plain scheduling and stays there.
 */
#ifndef SAMPLE_REALTIME_H
#define SAMPLE_REALTIME_H

#include "base/nsec.h"

#define REALTIME_BELOW (100 * NSEC_PER_MSEC)    /* resolutions for which it is worth it */
#define REALTIME_MOST  (100 * NSEC_PER_MSEC)    /* of CPU time without sleep */

struct realtime {
	int tid;                    /* 0: not under SCHED_FIFO */
	unsigned fallbacks;         /* times that it was taken from it */
};

/* realtime_prepare - before such a thread is created, in the thread that creates it: SIGXCPU is not
 * for this one. */
void realtime_prepare(void);
/* realtime_enter - the calling thread; r: zeroed, until realtime_leave() at its place. 0, or
 * -errno: it may not. */
int realtime_enter(struct realtime *r);
/* realtime_leave - before the calling thread ends; also where it never entered. */
void realtime_leave(struct realtime *r);

#endif
