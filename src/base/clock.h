/* SPDX-License-Identifier: MIT
 * The time now. Only what lives with the real time reads it; everybody else is passed `now`.
 *
 * Any thread.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/nsec.h"

#include <time.h>

static inline nsec clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

#endif
