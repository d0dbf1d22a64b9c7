/* SPDX-License-Identifier: MIT
 * What uncored does after what: every state, every event. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "daemon/life.h"

#include <errno.h>

static const struct { int line; enum life_state now; enum life_event event; int next; } rows[] = {
	/* a start, the first or a later one */
	{ __LINE__, LIFE_WAITING, LIFE_COUNTS, LIFE_COUNTING },
	{ __LINE__, LIFE_WAITING, LIFE_FINDS_NOTHING, LIFE_WAITING },
	{ __LINE__, LIFE_WAITING, LIFE_PAUSES, LIFE_PAUSED },
	{ __LINE__, LIFE_WAITING, LIFE_ENDS, LIFE_ENDING },
	/* a reload; one to nothing leaves the old configuration in use */
	{ __LINE__, LIFE_COUNTING, LIFE_COUNTS, LIFE_COUNTING },
	{ __LINE__, LIFE_COUNTING, LIFE_FINDS_NOTHING, -EPERM },
	{ __LINE__, LIFE_COUNTING, LIFE_PAUSES, LIFE_PAUSED },
	{ __LINE__, LIFE_COUNTING, LIFE_ENDS, LIFE_ENDING },
	/* the end of a pause is a start */
	{ __LINE__, LIFE_PAUSED, LIFE_COUNTS, LIFE_COUNTING },
	{ __LINE__, LIFE_PAUSED, LIFE_FINDS_NOTHING, LIFE_WAITING },
	{ __LINE__, LIFE_PAUSED, LIFE_PAUSES, -EPERM },
	{ __LINE__, LIFE_PAUSED, LIFE_ENDS, LIFE_ENDING },
	/* nothing follows the end; a second SIGTERM is none */
	{ __LINE__, LIFE_ENDING, LIFE_COUNTS, -EPERM },
	{ __LINE__, LIFE_ENDING, LIFE_FINDS_NOTHING, -EPERM },
	{ __LINE__, LIFE_ENDING, LIFE_PAUSES, -EPERM },
	{ __LINE__, LIFE_ENDING, LIFE_ENDS, LIFE_ENDING },
};

static void test_every_transition(void **state)
{
	unsigned seen[LIFE_STATES][LIFE_EVENTS] = { { 0 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int got = life_of(rows[i].now)->next[rows[i].event];

		seen[rows[i].now][rows[i].event]++;
		if (got != rows[i].next)
			fail_msg("line %d: %d", rows[i].line, got);
	}
	for (unsigned s = 0; s < LIFE_STATES; s++)
		for (unsigned e = 0; e < LIFE_EVENTS; e++)
			if (seen[s][e] != 1)
				fail_msg("%s: state %u of src/daemon/life.h, event %u, is in %u "
					 "rows instead of one; add what follows", __FILE__, s, e,
					 seen[s][e]);
}

/* What is done in a state follows from its row: of a start and of samplers, one is due at most. */
static void test_every_state(void **state)
{
	(void)state;
	for (enum life_state s = 0; s < LIFE_STATES; s++) {
		const struct life_row *l = life_of(s);

		if (!l->name)
			fail_msg("src/daemon/life.c has no row for state %u of life.h", s);
		assert_int_equal(l->waits, s == LIFE_WAITING);
		assert_int_equal(l->counts, s == LIFE_COUNTING);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_state), cmocka_unit_test(test_every_transition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
