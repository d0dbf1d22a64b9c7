/* SPDX-License-Identifier: MIT
 * Counters that cannot stand still, such as those of energy: what has never risen is no value, and
 * what has risen once is known in each round and after a reload.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampler_fixture.h"

/* The event cannot stand still. */
static void setup_energy(unsigned rounds)
{
	setup(rounds, NSEC_PER_SEC, 48, 1e9);
	for (unsigned r = 0; r < rounds; r++) {
		f.slots[r][EVENT].never_still = true;
		f.slots[r][EVENT].clock_slot = -1;
	}
	sampler_free(f.s);
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
}

/* A round whose turn has not come yet has no value of it either; what one round has counted is a
 * value in each. A new plan knows what the old one has seen. */
static void test_moved_once(void **state)
{
	struct sampler *old;
	struct plan other;

	setup_energy(2);
	f.slots[1][EVENT].series = f.slots[0][EVENT].series;
	f.slots[0][EVENT].identity = f.slots[1][EVENT].identity = "power0/energy-pkg";
	f.slots[0][CLOCK].identity = "box0/ticks";
	f.slots[1][CLOCK].identity = "box1/ticks";
	sampler_start(f.s, NULL);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(reason(EVENT), REASON_NO_DATA);
	assert_int_equal(reason(CLOCK), REASON_NONE);
	count(100, 0);
	tick();
	assert_int_equal(reason(EVENT), REASON_NO_DATA);
	count(100, 7);
	tick();
	while (f.hand.starts < 3)               /* the other round has its first turn */
		tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 7);
	assert_int_equal(f.words[W_INVALID + REASON_NO_DATA], 0);
	sampler_stop(f.s);
	old = f.s;
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
	sampler_inherit(f.s, old);
	sampler_free(old);
	sampler_start(f.s, NULL);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(reason(EVENT), REASON_NONE);
	teardown(state);

	setup_energy(2);
	f.slots[0][EVENT].identity = "power0/energy-pkg";
	f.slots[1][EVENT].identity = "power1/energy-pkg";
	f.slots[0][CLOCK].identity = "box0/ticks";
	f.slots[1][CLOCK].identity = "box1/ticks";
	sampler_start(f.s, NULL);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(reason(SLOTS + EVENT), REASON_NO_DATA);        /* not read yet */
	assert_int_equal(reason(SLOTS + CLOCK), REASON_NONE);
	while (f.words[W_ROUND] != 1)
		tick();
	count(100, 7);
	tick();
	assert_int_equal(reason(SLOTS + EVENT), REASON_NONE);
	sampler_stop(f.s);
	old = f.s;
	other = f.plan;
	f.options.plan = &other;                /* of another plan, the first round begins */
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
	sampler_inherit(f.s, old);
	sampler_free(old);
	sampler_start(f.s, NULL);
	assert_true(ring_read(&f.ring, f.words) > 0);
	assert_int_equal(f.words[W_ROUND], 0);
	assert_int_equal(reason(SLOTS + EVENT), REASON_NONE);           /* before its turn, too */
}

/* Of two energies one has risen. A new plan, in which they have changed places, knows which. */
static void test_one_of_two_moved(void **state)
{
	struct plan_socket after;
	struct plan_round round;
	struct plan_slot slots[SLOTS];
	struct plan_group group;
	struct plan plan;
	struct sampler *old;

	(void)state;
	setup_energy(1);
	for (unsigned i = 0; i < SLOTS; i++) {
		f.slots[0][i].always_runs = false;
		f.slots[0][i].never_still = true;
		f.slots[0][i].family = "uncore_power_energy_total";
	}
	f.slots[0][EVENT].identity = "power0/energy-pkg";
	f.slots[0][CLOCK].identity = "power0/energy-psys";
	again();
	count(0, 7);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(reason(CLOCK), REASON_NO_DATA);
	sampler_stop(f.s);
	old = f.s;
	memcpy(slots, f.slots[0], sizeof(slots));
	slots[EVENT].identity = "power0/energy-psys";
	slots[CLOCK].identity = "power0/energy-pkg";
	round = f.rounds[0];
	round.slots = slots;
	group = f.groups[0];
	after = f.socket;
	after.rounds = &round;
	after.groups = &group;
	hand_series(&after);
	plan = f.plan;
	plan.sockets = &after;
	f.options.plan = &plan;
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
	sampler_inherit(f.s, old);
	sampler_free(old);
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 3; i++) {
		tick();
		assert_int_equal(reason(CLOCK), REASON_NONE);
		assert_int_equal(reason(EVENT), REASON_NO_DATA);
	}
	count(1, 1);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	sampler_free(f.s);
	f.s = NULL;
	free(after.series);
}

/* A read that fails is said as what it is, and counted. */
static void test_unread_before_it_moved(void **state)
{
	(void)state;
	setup_energy(1);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	sampler_start(f.s, NULL);
	tick();
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	assert_int_equal(f.words[W_INVALID + REASON_READ_ERROR], 2);
	f.hand.read_reason[EVENT] = REASON_NONE;
	tick();
	assert_int_equal(reason(EVENT), REASON_NO_DATA);
	count(1, 1);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(f.words[W_INVALID + REASON_NO_DATA], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_moved_once, teardown),
		cmocka_unit_test_teardown(test_one_of_two_moved, teardown),
		cmocka_unit_test_teardown(test_unread_before_it_moved, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
