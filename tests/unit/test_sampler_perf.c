/* SPDX-License-Identifier: MIT
 * The sampler over perf events on a made-up kernel: shared counters, lost
 * CPUs. */
#include "perf_fixture.h"

static const char conf[] =
	"interval = \"100ms\"; groups = ("
	"{ name = \"a\"; events = [ \"perf/uncore/clockticks/\", "
	"\"perf/uncore/qmc_normal_reads_any/\" ]; },"
	"{ name = \"b\"; events = [ \"perf/uncore/qmc_writes_full_any/\" ]; } );"
	"metrics = ( { name = \"writes_hertz\"; numerator = ( \"perf/uncore/qmc_writes_full_any/\" "
	"); denominator = ( \"seconds\" ); },"
	"{ name = \"reads_per_tick_ratio\"; numerator = ( \"perf/uncore/qmc_normal_reads_any/\" );"
	"denominator = ( \"perf/uncore/clockticks/\" ); } );";

enum { TICKS, READS, WRITES };          /* slots, in the order written */
#define RATIO "reads_per_tick_ratio"
#define HERTZ "writes_hertz"

/* Alone on the PMU: active all the time, rates as they are. */
static void test_alone(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++)
		tick();
	assert_int_equal(total(WRITES), 1000000);
	assert_int_equal(active_ms(0), 1000);
	assert_int_equal(active_ms(1), 1000);
	near(metric(HERTZ), 1e6);
	near(metric(RATIO), 1);
}

/*
 * A third of the time: totals are what was seen, the group's seconds say for how long, and a rate
 * of the two is the true one, as is the derived value.
 */
static void test_multiplexed(void **state)
{
	(void)state;
	k.percent = 33;
	for (unsigned i = 0; i < 10; i++)
		tick();
	assert_int_equal(total(WRITES), 330000);
	assert_int_equal(active_ms(0), 330);
	assert_int_equal(active_ms(1), 330);
	near((double)total(WRITES) / ((double)active_ms(1) / 1000), 1e6);
	near(metric(HERTZ), 1e6);
	near(metric(RATIO), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(reason(i), REASON_NONE);
	k.percent = 100;
	tick();
	tick();
	assert_int_equal(active_ms(1), 330 + 200);
	assert_int_equal(total(WRITES), 530000);
	near(metric(HERTZ), 1e6);
}

/* Never a counter: no value and a reason within the first interval; once it counts, the total goes
 * on. */
static void test_starved(void **state)
{
	(void)state;
	k.percent = 0;
	tick();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(reason(i), REASON_NO_DATA);
	assert_int_equal(active_ms(0), 0);
	assert_int_not_equal(words[lay.metric_reason + metric_index(HERTZ)], REASON_NONE);
	tick();
	assert_int_equal(words[W_INVALID + REASON_NO_DATA], 6);
	assert_int_equal(words[W_READ_ERRORS], 0);
	k.percent = 50;
	tick();
	assert_int_equal(reason(WRITES), REASON_NONE);
	assert_int_equal(total(WRITES), 50000);
	assert_int_equal(active_ms(1), 50);
	tick();
	near(metric(HERTZ), 1e6);
	k.percent = 0;
	tick();
	assert_int_equal(reason(WRITES), REASON_NO_DATA);
	assert_int_equal(total(WRITES), 100000);
}

/* A tick in time, whose reads have the counts of so many ms since the last ones. */
static void tick_with(unsigned ms)
{
	step(ms);
	now = sampler_next(s);
	sampler_tick(s);
	assert_true(ring_read(&ring, words) > 0);
}

/*
 * Reads that the kernel held up after our look at the clock: each window has more or less of its
 * counts than its time. The group's seconds are short of the counts until the next read comes in
 * time, and not for ever; a rate is always right.
 */
static void test_held_up(void **state)
{
	static const unsigned ms[] = { 100, 150, 50, 190, 10, 100, 110, 90, 180, 90, 30 };
	unsigned sum = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(ms); i++) {
		tick_with(ms[i]);
		sum += ms[i];
		assert_int_equal(active_ms(0), 100 * (i + 1));
		assert_int_equal(active_ms(1), 100 * (i + 1));
		assert_int_equal(total(WRITES), 1000 * sum);
		near(metric(HERTZ), 1e6);
		near(metric(RATIO), 1);
	}
	assert_int_equal(sum, 100 * COUNT(ms));
}

/* The kernel's clock runs a tenth faster than ours. What it is ahead is no stock of time: at most
 * one interval of it fills what a slot lacks later. */
static void test_clocks_that_differ(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		tick_with(110);
	assert_int_equal(active_ms(1), 2000);
	k.percent = 50;
	for (unsigned i = 0; i < 3; i++)
		tick();
	assert_int_equal(active_ms(1), 2000 + 3 * 50 + 100);
}

/* The first read of a round is taken at once: what it has too much is more than that window, and is
 * not lost either. */
static void test_held_up_at_first(void **state)
{
	(void)state;
	sampler_stop(s);
	k.late = 30;
	assert_int_equal(sampler_start(s, NULL), 0);
	assert_int_equal(k.late, 0);
	tick_with(70);
	assert_int_equal(total(WRITES), 100000);
	assert_int_equal(active_ms(0), 100);
	assert_int_equal(active_ms(1), 100);
}

/* The last read of a turn has too much: the next turn has the time for it. */
static void test_held_up_at_last(void **state)
{
	(void)state;
	tick_with(70);
	step(30);
	now += 20 * NSEC_PER_MSEC;
	sampler_stop(s);
	assert_int_equal(sampler_start(s, NULL), 0);
	tick_with(70);
	assert_int_equal(total(WRITES), 170000);
	assert_int_equal(active_ms(0), 170);
	assert_int_equal(active_ms(1), 170);
}

/* Enabled, and then kept from its CPU: the group's seconds begin with the counts, not when we came
 * back. */
static void test_slow_start(void **state)
{
	(void)state;
	sampler_stop(s);
	slow = 40;
	assert_int_equal(sampler_start(s, NULL), 0);
	assert_int_equal(slow, 0);
	for (unsigned i = 1; i <= 3; i++) {
		tick();
		assert_int_equal(total(TICKS), i * 100000);
		assert_int_equal(active_ms(0), i * 100);
		/* enabled after the other group */
		assert_int_equal(total(WRITES), active_ms(1) * 1000);
	}
	near(metric(HERTZ), 1e6);
}

/* The designated CPU goes: flagged for one tick, then counted on elsewhere; no total falls, no
 * second is claimed that was not. */
static void test_hotplug(void **state)
{
	uint64_t before, seconds;

	(void)state;
	tick();
	before = total(WRITES);
	seconds = active_ms(1);
	assert_int_equal(words[W_CPU], 0);
	offline(0);
	tree_put(&tree, "bus/event_source/devices/uncore/cpumask", "1,2");
	tick();
	assert_int_equal(reason(WRITES), REASON_OFFLINE);
	assert_int_equal(total(WRITES), before);
	assert_int_equal(active_ms(1), seconds);
	assert_int_equal(words[W_INVALID + REASON_OFFLINE], 3);
	tick();
	assert_int_equal(reason(WRITES), REASON_NONE);
	assert_int_equal(total(WRITES), before + 100000);
	assert_int_equal(active_ms(1), seconds + 100);
	/* its window had a gap */
	assert_int_equal(words[lay.metric_reason + metric_index(HERTZ)], REASON_NO_DATA);
	tick();
	near(metric(HERTZ), 1e6);
	assert_int_equal(words[W_CPU], 1);
	assert_int_equal(words[W_RESETS], 0);
	/* all of the socket, and back */
	offline(1);
	tree_put(&tree, "bus/event_source/devices/uncore/cpumask", "2");
	for (unsigned i = 0; i < 5; i++)
		tick();
	before = total(READS);
	assert_int_equal(reason(READS), REASON_OFFLINE);
	k.online[0] = true;
	tree_put(&tree, "bus/event_source/devices/uncore/cpumask", "0,2");
	tick();
	tick();
	assert_int_equal(reason(READS), REASON_NONE);
	assert_int_equal(total(READS), before + 100000);
	assert_int_equal(words[W_CPU], 0);
}

/* The same with ten seconds between two ticks: told, opened again and back within two. */
static const char rare[] = "interval = \"10s\"; groups = ( { name = \"a\"; events = [ "
			   "\"perf/uncore/clockticks/\" ]; } );";

static void test_hotplug_between_ticks(void **state)
{
	nsec first = now, gone;

	(void)state;
	while (now < first + 3 * NSEC_PER_SEC) {
		tick();
		assert_int_equal(words[W_TICKS], 1);            /* nothing to tell */
	}
	gone = now;
	offline(0);
	tree_put(&tree, "bus/event_source/devices/uncore/cpumask", "1,2");
	tick();
	assert_in_range(now - gone, 1, NSEC_PER_SEC);
	assert_int_equal(reason(TICKS), REASON_OFFLINE);
	assert_int_equal(words[W_INVALID + REASON_OFFLINE], 1);
	assert_int_equal(k.open_now, 1);
	tick();
	assert_in_range(now - gone, 1, 2 * NSEC_PER_SEC);
	assert_int_equal(reason(TICKS), REASON_NONE);
	assert_int_equal(words[W_TICKS], 3);
	/* a second is missing, and only that */
	assert_int_equal(total(TICKS), (now - first - NSEC_PER_SEC) / 1000);
	while (now % (10 * NSEC_PER_SEC))
		tick();
	assert_int_equal(words[W_TICKS], 4);
	assert_int_equal(total(TICKS), (now - first - NSEC_PER_SEC) / 1000);
	assert_int_equal(active_ms(0), (now - first) / NSEC_PER_MSEC - 1000);
}

/* Nine events for eight counters: our own turns, each group whole and all of its turn. c has room
 * in both rounds, as another slot of each. */
#define A \
	"{ name = \"a\"; events = [ \"perf/uncore/event=1,name=a1/\", " \
	"\"perf/uncore/event=2,name=a2/\", \"perf/uncore/event=3,name=a3/\"," \
	"                           \"perf/uncore/event=4,name=a4/\", " \
	"\"perf/uncore/event=5,name=a5/\" ]; },"
#define B \
	"{ name = \"b\"; events = [ \"perf/uncore/event=6,name=b6/\", " \
	"\"perf/uncore/event=7,name=b7/\", \"perf/uncore/event=8,name=b8/\"," \
	"                           \"perf/uncore/event=9,name=b9/\" ]; }"
#define TURNS(groups) "interval = \"100ms\"; rotation = \"1s\"; groups = (" groups ");"
static const char crowded[] = TURNS(A B);
static const char joined[] =
	TURNS(A B ", { name = \"c\"; events = [ \"perf/uncore/event=10,name=c/\" ]; }");

static void test_turns(void **state)
{
	(void)state;
	assert_int_equal(m.p->sockets[0].n_rounds, 2);
	for (unsigned i = 0; i < 100; i++)
		tick();
	assert_in_range(active_ms(0), 4800, 5200);
	assert_in_range(active_ms(0) + active_ms(1), 9900, 10000);
	for (unsigned slot = 0; slot < 9; slot++) {
		assert_int_equal(reason(slot), REASON_NONE);
		assert_int_equal(total(slot), active_ms(slot >= 5) * 1000);
	}
}

/* Its time is that of both, and its total stands for it. */
static void test_in_both_turns(void **state)
{
	enum { C = 5 };                 /* its series, after those of a */

	(void)state;
	assert_int_equal(m.p->sockets[0].n_rounds, 2);
	assert_int_equal(m.p->sockets[0].groups[2].n_rounds, 2);
	for (unsigned i = 0; i < 100; i++) {
		tick();
		assert_int_equal(active_ms(2), active_ms(0) + active_ms(1));
		assert_int_equal(total(C), active_ms(2) * 1000);
	}
	assert_in_range(active_ms(2), 9900, 10000);
}

int main(void)
{
#define TEST(f, text) { #f, f, setup, teardown, &(struct scenario){ "nehalem.txt", text } }
	const struct CMUnitTest tests[] = {
		TEST(test_alone, conf), TEST(test_multiplexed, conf), TEST(test_starved, conf),
		TEST(test_held_up, conf), TEST(test_clocks_that_differ, conf),
		TEST(test_held_up_at_first, conf), TEST(test_slow_start, conf),
		TEST(test_held_up_at_last, conf),
		TEST(test_hotplug, conf),
		TEST(test_hotplug_between_ticks, rare), TEST(test_turns, crowded),
		TEST(test_in_both_turns, joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
