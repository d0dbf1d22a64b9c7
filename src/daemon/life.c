/* SPDX-License-Identifier: MIT */
#include "daemon/life.h"

#include <assert.h>
#include <errno.h>

enum {
	WAITING = LIFE_WAITING, COUNTING = LIFE_COUNTING, PAUSED = LIFE_PAUSED,
	ENDING = LIFE_ENDING, NO = -EPERM
};

static const struct life_row states[LIFE_STATES] = {
	/*                                            COUNTS    FINDS_NOTHING  PAUSES  ENDS */
	[WAITING] = { "waiting", .waits = true,
		      .next =                       { COUNTING, WAITING,       PAUSED, ENDING } },
	[COUNTING] = { "counting", .counts = true,
		       .next =                      { COUNTING, NO,            PAUSED, ENDING } },
	[PAUSED] = { "paused", .paused = true,
		     .next =                { COUNTING, WAITING,       NO,     ENDING } },
	[ENDING] = { "ending", .next =              { NO,       NO,            NO,     ENDING } },
};

const struct life_row *life_of(enum life_state state)
{
	assert((unsigned)state < LIFE_STATES);
	return &states[state];
}
