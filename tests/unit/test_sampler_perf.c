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
		step(ms[i]);
		now = sampler_next(s);
		sampler_tick(s);
		assert_true(ring_read(&ring, words) > 0);
		sum += ms[i];
		assert_int_equal(active_ms(0), 100 * (i + 1));
		assert_int_equal(active_ms(1), 100 * (i + 1));
		assert_int_equal(total(WRITES), 1000 * sum);
		near(metric(HERTZ), 1e6);
		near(metric(RATIO), 1);
	}
	assert_int_equal(sum, 100 * COUNT(ms));
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
	step(70);
	now = sampler_next(s);
	sampler_tick(s);
	assert_true(ring_read(&ring, words) > 0);
	assert_int_equal(total(WRITES), 100000);
	assert_int_equal(active_ms(0), 100);
	assert_int_equal(active_ms(1), 100);
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

/* Nine events for eight counters: our own turns, each group whole and all of its turn. */
static const char crowded[] =
	"interval = \"100ms\"; rotation = \"1s\"; groups = ("
	"{ name = \"a\"; events = [ \"perf/uncore/event=1,name=a1/\", "
	"\"perf/uncore/event=2,name=a2/\", \"perf/uncore/event=3,name=a3/\","
	"                           \"perf/uncore/event=4,name=a4/\", "
	"\"perf/uncore/event=5,name=a5/\" ]; },"
	"{ name = \"b\"; events = [ \"perf/uncore/event=6,name=b6/\", "
	"\"perf/uncore/event=7,name=b7/\", \"perf/uncore/event=8,name=b8/\","
	"                           \"perf/uncore/event=9,name=b9/\" ]; } );";

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

/* ------------------------------------------------------------------ clocks */

static const struct plan_slot *slots_of_socket(unsigned *ret_n)
{
	*ret_n = m.p->sockets[0].rounds[0].n_slots;
	return m.p->sockets[0].rounds[0].slots;
}

static bool is_uncore(unsigned slot)
{
	return strncmp(m.p->sockets[0].perf->rounds[0].events[slot].pmu, "uncore", 6) == 0;
}

/* The open event of a slot. */
static struct event *event_of(unsigned slot)
{
	const struct plan_perf *of = &m.p->sockets[0].perf->rounds[0].events[slot];

	for (unsigned i = 0; i < FDS; i++)
		if (events[i].open && events[i].type == of->type &&
		    events[i].config == of->config &&
		    events[i].config1 == of->config1 && events[i].cpu == of->cpu)
			return &events[i];
	fail_msg("slot %u is not open", slot);
	return NULL;
}

static bool any(const struct plan_slot *slot) { return slot != NULL; }
static bool is_clock(const struct plan_slot *slot) { return slot->always_runs; }
static bool is_no_clock(const struct plan_slot *slot) { return !slot->always_runs; }

/* Events of the uncore that count nothing from here on, or again. */
static void stick(bool (*which)(const struct plan_slot *slot), bool stuck)
{
	unsigned n;
	const struct plan_slot *v = slots_of_socket(&n);

	for (unsigned i = 0; i < n; i++)
		if (is_uncore(i) && which(&v[i]))
			event_of(i)->stuck = stuck;
}

/* Metrics of the uncore; those that have a value. */
static unsigned ready_metrics(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m.p->sockets[0].n_metrics; i++) {
		const struct plan_metric *of = &m.p->sockets[0].metrics[i];

		n += of->num.v[0].slot >= 0 && is_uncore((unsigned)of->num.v[0].slot);
	}
	return n;
}

static unsigned valid_metrics(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m.p->sockets[0].n_metrics; i++) {
		const struct plan_metric *of = &m.p->sockets[0].metrics[i];

		n += words[lay.metric_reason + i] == REASON_NONE && of->num.v[0].slot >= 0 &&
			is_uncore((unsigned)of->num.v[0].slot);
	}
	return n;
}

/* Is a clock of the slot's own unit counted? */
static bool has_clock(const struct plan_slot *v, unsigned n, unsigned slot)
{
	for (unsigned i = 0; i < n; i++)
		if (v[i].always_runs && v[i].unit == v[slot].unit &&
		    strcmp(v[i].box_name, v[slot].box_name) == 0)
			return true;
	return false;
}

/*
 * What is ready for a machine, in a guest whose kernel shows PMUs that do not count: zeros for 10
 * s, then no clock of 0 Hz and nothing that is measured by it in its unit, but the reason. What
 * another unit's clock does says nothing.
 */
static const char ready[] = "interval = \"1s\";";

static void test_nothing_counts(void **state)
{
	nsec begun = now;
	unsigned n, stopped = 0;
	const struct plan_slot *v;

	(void)state;
	stick(any, true);
	while (now < begun + 14 * NSEC_PER_SEC)
		tick();
	assert_int_equal(m.p->sockets[0].n_rounds, 1);
	v = slots_of_socket(&n);
	for (unsigned i = 0; i < n; i++) {
		bool stands = is_uncore(i) && has_clock(v, n, i);

		stopped += stands;
		assert_int_equal(reason(i), stands ? REASON_STOPPED : REASON_NONE);
	}
	assert_true(stopped > 0);
	assert_true(valid_metrics() < ready_metrics());
	/* it was only late */
	stick(any, false);
	tick();
	tick();
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(reason(i), REASON_NONE);
	assert_true(valid_metrics() > 0);
}

/* Nothing to count is no reason: the clock runs, and zeros are values. */
static void test_idle(void **state)
{
	unsigned n;

	(void)state;
	slots_of_socket(&n);
	stick(is_no_clock, true);
	for (unsigned i = 0; i < 20; i++)
		tick();
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(reason(i), REASON_NONE);
	assert_true(valid_metrics() > 2);
}

/*
 * As long as any clock of the processor runs, counting works: those of links that are off stand by
 * themselves, as does a CHA's, and take along what their own instance counts.
 */
static void some_clocks_stand(const char *box)
{
	unsigned n, stopped = 0;
	const struct plan_slot *v = slots_of_socket(&n);

	stick(is_no_clock, true);
	for (unsigned i = 0; i < n; i++)
		if (v[i].always_runs && strcmp(v[i].box_name, box) == 0)
			event_of(i)->stuck = true;
	for (unsigned i = 0; i < 15; i++)
		tick();
	for (unsigned i = 0; i < n; i++) {
		bool own = strcmp(v[i].box_name, box) == 0 &&
			(strcmp(box, "upi") == 0 || v[i].unit == 0);

		stopped += own;
		assert_int_equal(reason(i), own ? REASON_STOPPED : REASON_NONE);
	}
	assert_in_range(stopped, 2, n / 2);
}

static void test_links_are_off(void **state)
{
	(void)state;
	some_clocks_stand("upi");
}

static void test_one_cha_stands(void **state)
{
	(void)state;
	some_clocks_stand("cha");
}

/* A clock in other words than the table's is one all the same; it takes its own PMU along whatever
 * that counts. */
static const char spelled[] =
	"interval = \"1s\"; groups = ( { name = \"a\"; events = [ "
	"\"perf/uncore/event=0xff,name=ticks/\", \"perf/uncore/event=0x2f,umask=0x7,name=w/\" "
	"]; } );";

static void test_spelled_otherwise(void **state)
{
	unsigned n;
	const struct plan_slot *v = slots_of_socket(&n);

	(void)state;
	assert_int_equal(n, 2);
	assert_true(v[0].always_runs && !v[1].always_runs);
	assert_int_equal(v[1].clock_slot, 0);
	for (unsigned i = 0; i < 3; i++)
		tick();
	stick(is_clock, true);
	for (unsigned i = 0; i < 13; i++)
		tick();
	assert_int_equal(reason(0), REASON_STOPPED);
	assert_int_equal(reason(1), REASON_STOPPED);
}

/* ------------------------------------------------------------------ what cannot stand still */

static const char energy[] =
	"interval = \"1s\"; groups = ( { name = \"a\"; events = [ \"perf/power/energy-pkg/\", "
	"\"perf/power/energy-ram/\", \"perf/uncore_imc_0/cas_count_read/\" ]; } );";
enum { PKG, DRAM, CAS };

static uint64_t slot_ms(unsigned slot)
{
	return words[lay.slot_active + slot] / NSEC_PER_MSEC;
}

/*
 * Energy that never rises is no energy of 0, from the first sample on and for ever: no value, not
 * a slot that was lost, and no word about the others. Once it has risen it counts, for the time
 * from then on; then standing still is what a stopped counter does.
 */
static void test_energy_never_rises(void **state)
{
	(void)state;
	/* the first sample comes before anything could rise */
	assert_int_equal(reason(PKG), REASON_NO_DATA);
	assert_int_equal(reason(DRAM), REASON_NO_DATA);
	assert_int_equal(reason(CAS), REASON_NONE);
	event_of(DRAM)->stuck = true;
	for (unsigned i = 0; i < 30; i++) {
		tick();
		assert_int_equal(reason(PKG), REASON_NONE);
		assert_int_equal(reason(DRAM), REASON_NO_DATA);
		assert_int_equal(reason(CAS), REASON_NONE);
		assert_int_equal(total(PKG), (i + 1) * 1000000);
		assert_int_equal(total(CAS), (i + 1) * 1000000);
	}
	for (unsigned why = 0; why < REASON_COUNT; why++)
		assert_int_equal(words[W_INVALID + why], 0);
	assert_int_equal(slot_ms(CAS), 30000);
	assert_int_equal(slot_ms(DRAM), 0);
	event_of(DRAM)->stuck = false;
	tick();
	assert_int_equal(reason(DRAM), REASON_NONE);
	assert_int_equal(total(DRAM), 1000000);
	assert_int_equal(slot_ms(DRAM), 1000);
	event_of(DRAM)->stuck = true;
	for (unsigned i = 0; i < 9; i++) {
		tick();
		assert_int_equal(reason(DRAM), REASON_NONE);
	}
	tick();
	assert_int_equal(reason(DRAM), REASON_STOPPED);
	assert_int_equal(reason(PKG), REASON_NONE);
	assert_int_equal(reason(CAS), REASON_NONE);
	assert_int_equal(words[W_INVALID + REASON_STOPPED], 1);
}

/* A time stamp counter, dead or stopped, says nothing of sleep states, which are another PMU's. */
static const char states[] =
	"interval = \"1s\"; groups = ( { name = \"a\"; events = [ \"perf/msr/tsc/\", "
	"\"perf/cstate_pkg/c6-residency/\", \"perf/msr/aperf/\" ]; } );";
enum { TSC, C6, APERF };

static void test_dead_tsc(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		event_of(i)->stuck = true;
	for (unsigned i = 0; i < 15; i++)
		tick();
	assert_int_equal(reason(TSC), REASON_NO_DATA);
	assert_int_equal(reason(C6), REASON_NONE);
	assert_int_equal(reason(APERF), REASON_NONE);
	event_of(TSC)->stuck = false;
	tick();
	assert_int_equal(reason(TSC), REASON_NONE);
	event_of(TSC)->stuck = true;
	for (unsigned i = 0; i < 11; i++)
		tick();
	assert_int_equal(reason(TSC), REASON_STOPPED);
	assert_int_equal(reason(C6), REASON_NONE);
	assert_int_equal(reason(APERF), REASON_STOPPED);        /* its own PMU's, on its CPU */
}

static bool is_channel(const struct plan_slot *slot)
{
	return strcmp(slot->box_name, "amd_umc") == 0;
}

/* Memory channels without memory: nothing there counts, the clock neither. Their zeros are
 * values, for the sum too. */
static void test_channels_without_memory(void **state)
{
	unsigned n, empty = 0, full = 0;
	const struct plan_slot *v = slots_of_socket(&n);
	const struct plan_metric *bytes =
		&m.p->sockets[0].metrics[metric_index("memory_read_bytes_total")];

	(void)state;
	for (unsigned i = 0; i < n; i++)
		if (is_channel(&v[i]) && v[i].unit % 3 == 0)
			event_of(i)->stuck = true;
	for (unsigned i = 0; i < bytes->num.n; i++) {
		empty += v[bytes->num.v[i].slot].unit % 3 == 0;
		full += v[bytes->num.v[i].slot].unit % 3 != 0;
	}
	assert_true(empty > 1 && full > 1);
	for (unsigned i = 0; i < 15; i++)
		tick();
	for (unsigned i = 0; i < n; i++)
		assert_false(is_channel(&v[i]) && reason(i));
	assert_int_equal(words[lay.metric_reason + bytes->series], REASON_NONE);
	assert_int_equal(words[lay.metric_value + bytes->series], UINT64_C(64000000) * 15 * full);
	/* one that was in use and stands is stopped */
	for (unsigned i = 0; i < n; i++)
		if (is_channel(&v[i]) && v[i].unit == 1)
			event_of(i)->stuck = true;
	for (unsigned i = 0; i < 11; i++)
		tick();
	for (unsigned i = 0; i < n; i++)
		if (is_channel(&v[i]))
			assert_int_equal(reason(i), v[i].unit == 1 ? REASON_STOPPED : REASON_NONE);
	assert_int_not_equal(words[lay.metric_reason + bytes->series], REASON_NONE);
}

/* A clock that has no counter stands as little as one that cannot be read. */
static void test_starved_clock(void **state)
{
	(void)state;
	k.percent = 0;
	for (unsigned i = 0; i < 30; i++)
		tick();
	assert_int_equal(reason(0), REASON_NO_DATA);
	assert_int_equal(reason(1), REASON_NO_DATA);
	k.percent = 100;
	tick();
	assert_int_equal(reason(0), REASON_NONE);
	assert_int_equal(reason(1), REASON_NONE);
}

/* ------------------------------------------------------------------ plausibility */

/* Firmware or another tool sets a counter: the kernel adds a jump of 2^46. It is counted as a
 * reset, flagged, and adds nothing. */
static void test_jump(void **state)
{
	unsigned n;
	const struct plan_slot *v = slots_of_socket(&n);
	uint64_t before;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		tick();
	for (unsigned slot = 0; slot < n; slot++) {
		uint64_t resets = words[W_RESETS];

		if (!is_uncore(slot))
			continue;
		before = total(slot);
		event_of(slot)->value += UINT64_C(1) << 46;
		tick();
		if (reason(slot) != REASON_RESET || words[W_RESETS] != resets + 1)
			fail_msg("%s: reason %u, %u resets", v[slot].identity, reason(slot),
				 (unsigned)(words[W_RESETS] - resets));
		tick();
		tick();
		assert_int_equal(reason(slot), REASON_NONE);
		assert_int_equal(total(slot), before + 2000000);        /* of three seconds, two */
	}
}

/* What nobody knows the clock of has no bound. */
static const char unknown[] =
	"interval = \"1s\"; groups = ( { name = \"a\"; events = [ \"perf/msr/aperf/\" ]; } );";

static void test_no_bound(void **state)
{
	unsigned n;

	(void)state;
	assert_true(slots_of_socket(&n)[0].max_rate <= 0);
	event_of(0)->value += UINT64_C(1) << 46;
	tick();
	assert_int_equal(reason(0), REASON_NONE);
	assert_int_equal(total(0), (UINT64_C(1) << 46) + 1000000);
}

int main(void)
{
#define ON(tree, f, text) \
	{ #f " on " tree, f, setup, teardown, &(struct scenario){ tree ".txt", text } }
#define TEST(f, text) ON("nehalem", f, text)
#define READY(tree) ON(tree, test_nothing_counts, ready), ON(tree, test_idle, ready), \
	ON(tree, test_jump, ready)
	const struct CMUnitTest tests[] = {
		TEST(test_alone, conf), TEST(test_multiplexed, conf), TEST(test_starved, conf),
		TEST(test_held_up, conf),
		TEST(test_held_up_at_first, conf), TEST(test_slow_start, conf),
		TEST(test_hotplug, conf),
		TEST(test_hotplug_between_ticks, rare), TEST(test_turns, crowded),
		READY("nehalem"), READY("nehalem_ex"), READY("snbep"), READY("hsx"), READY("skx"),
		READY("icx"), READY("spr"), READY("gnr"),
		READY("srf"), ON("skx", test_links_are_off, ready),
		ON("skx", test_one_cha_stands, ready),
		TEST(test_spelled_otherwise, spelled), TEST(test_starved_clock, spelled),
		ON("skx", test_no_bound, unknown),
		ON("spr", test_energy_never_rises, energy), ON("spr", test_dead_tsc, states),
		ON("zen5", test_channels_without_memory, ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
