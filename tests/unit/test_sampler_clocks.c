/* SPDX-License-Identifier: MIT
 * The sampler over perf events on a made-up kernel: counters that stand still, and rise faster than
 * their clocks let them.
 */
#include "perf_fixture.h"

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
#define READY(tree) ON(tree, test_nothing_counts, ready), ON(tree, test_idle, ready), \
	ON(tree, test_jump, ready)
	const struct CMUnitTest tests[] = {
		READY("nehalem"), READY("nehalem_ex"), READY("snbep"), READY("hsx"), READY("skx"),
		READY("icx"), READY("spr"), READY("gnr"),
		READY("srf"), ON("skx", test_links_are_off, ready),
		ON("skx", test_one_cha_stands, ready),
		ON("nehalem", test_spelled_otherwise, spelled),
		ON("nehalem", test_starved_clock, spelled),
		ON("skx", test_no_bound, unknown),
		ON("spr", test_energy_never_rises, energy), ON("spr", test_dead_tsc, states),
		ON("zen5", test_channels_without_memory, ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
