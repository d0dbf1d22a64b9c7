/* SPDX-License-Identifier: MIT
 * The time now. Rooms that do not hold a main are passed it.
 *
 * Any thread.
 */
#ifndef PROCESS_CLOCK_H
#define PROCESS_CLOCK_H

#include "base/nsec.h"

#include <time.h>

static inline nsec clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

#endif
