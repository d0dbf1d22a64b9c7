/* SPDX-License-Identifier: MIT
 * A load in step with the turns does not mislead for ever: the order is shuffled.
 * The workload `rotation` has full load in even seconds, counted from the model's start, and an
 * eighth of it in odd ones. Its mean is 9/16 of the full load.
 */
#include "rig.h"

#define TURNS \
	"interval = \"100ms\"; rotation = \"1s\"; groups = (" \
	"{ name = \"reads\";  events = [ \"bbox/IMT_INSERTS_RD\" ]; }," \
	"{ name = \"writes\"; events = [ \"bbox/IMT_INSERTS_WR\" ]; } );"

static double rate_of(struct run *u, const char *slot)
{
	const struct slot *s = run_slot(u, 0, slot);

	return (double)slot_total(u, 0, s) /
	       (double)u->s[0].words[u->s[0].layout.slot_active + s->word];
}

/* Rates of both groups after so many seconds, over what they would be at full load. */
static void measure(uint64_t seed, unsigned seconds, double ret[2])
{
	static const char *const slots[] = { "bbox0/IMT_INSERTS_RD", "bbox0/IMT_INSERTS_WR" };
	double full[2];
	struct rig r;
	struct run u;

	for (unsigned load = 0; load < 2; load++) {
		rig_open(&r, 1, load ? "rotation" : "stream", 5);
		r.seed_of_turns = seed;
		run_open(&u, &r, TURNS, NULL);
		assert_int_equal(u.plan->sockets[0].n_rounds, 2);
		run_start(&u);
		run_ticks(&u, seconds * 10, 0);
		for (unsigned i = 0; i < 2; i++)
			*(load ? &ret[i] : &full[i]) = rate_of(&u, slots[i]);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
	for (unsigned i = 0; i < 2; i++)
		ret[i] /= full[i];
}

/* In the rounds' own order one group meets the load always, the other never. */
static void in_step_without_shuffling(void **state)
{
	double got[2];

	(void)state;
	measure(0, 600, got);
	assert_true(got[0] > 0.98 && got[0] < 1.02);
	assert_true(got[1] > 0.115 && got[1] < 0.135);
}

/* Shuffled, both come near the mean: of 300 turns of each, half in even seconds to within three
 * standard deviations. */
static void shuffled(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		double got[2];

		measure(seed * UINT64_C(0x9e3779b97f4a7c15), 600, got);
		for (unsigned i = 0; i < 2; i++)
			if (got[i] < 0.5625 - 0.08 || got[i] > 0.5625 + 0.08)
				fail_msg("seed %u: group %u has %g of the full load",
					 (unsigned)seed, i, got[i]);
	}
}

/* Every round once a cycle, whatever the seed. */
static void every_round_once_a_cycle(void **state)
{
	unsigned orders = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	r.seed_of_turns = 7;
	run_open(&u, &r, "interval = \"1s\"; rotation = \"1s\"; groups = ("
		 "{ name = \"all\";    events = [ \"bbox/IMT_INSERTS_ALL\" ]; },"
		 "{ name = \"reads\";  events = [ \"bbox/IMT_INSERTS_RD\" ]; },"
		 "{ name = \"writes\"; events = [ \"bbox/IMT_INSERTS_WR\" ]; } );", NULL);
	run_start(&u);
	for (unsigned cycle = 0; cycle < 60; cycle++) {
		unsigned seen = 0, order = 0;

		for (unsigned turn = 0; turn < 3; turn++) {
			seen |= 1u << u.s[0].words[W_ROUND];
			order = order * 3 + (unsigned)u.s[0].words[W_ROUND];
			run_ticks(&u, 1, 0);
		}
		assert_int_equal(seen, 7);
		orders |= 1u << order;
	}
	/* all six of them: 012 021 102 120 201 210 */
	assert_int_equal(orders, 1u << 5 | 1u << 7 | 1u << 11 | 1u << 15 | 1u << 19 | 1u << 21);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_step_without_shuffling),
		cmocka_unit_test(shuffled),
		cmocka_unit_test(every_round_once_a_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
