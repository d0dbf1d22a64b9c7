/* SPDX-License-Identifier: MIT */
#include "daemon/life.h"

#include <assert.h>
#include <errno.h>

enum { NO = -EPERM };

static const int next[LIFE_STATES][LIFE_EVENTS] = {
	[LIFE_WAITING] = { [LIFE_COUNTS] = LIFE_COUNTING, [LIFE_FINDS_NOTHING] = LIFE_WAITING,
			   [LIFE_PAUSES] = LIFE_PAUSED, [LIFE_ENDS] = LIFE_ENDING },
	[LIFE_COUNTING] = { [LIFE_COUNTS] = LIFE_COUNTING, [LIFE_FINDS_NOTHING] = NO,
			    [LIFE_PAUSES] = LIFE_PAUSED, [LIFE_ENDS] = LIFE_ENDING },
	[LIFE_PAUSED] = { [LIFE_COUNTS] = LIFE_COUNTING, [LIFE_FINDS_NOTHING] = LIFE_WAITING,
			  [LIFE_PAUSES] = NO, [LIFE_ENDS] = LIFE_ENDING },
	[LIFE_ENDING] = { [LIFE_COUNTS] = NO, [LIFE_FINDS_NOTHING] = NO, [LIFE_PAUSES] = NO,
			  [LIFE_ENDS] = LIFE_ENDING },
};

int life_next(enum life_state now, enum life_event event)
{
	assert((unsigned)now < LIFE_STATES && (unsigned)event < LIFE_EVENTS);
	return next[now][event];
}
