/* test_sampler_perf.c - the sampler over perf events on a made-up kernel: shared counters, lost CPUs. */
#include "config.h"

#include "plan_test.h"
#include "sysfs_tree.h"

#include "fake_perf.h"

#include "derive/derive.h"
#include "sample/sampler.h"

#include <stdlib.h>

static const char conf[] =
	"interval = \"100ms\"; groups = ("
	"{ name = \"a\"; events = [ \"perf/uncore/clockticks/\", \"perf/uncore/qmc_normal_reads_any/\" ]; },"
	"{ name = \"b\"; events = [ \"perf/uncore/qmc_writes_full_any/\" ]; } );"
	"metrics = ( { name = \"writes_hertz\"; numerator = ( \"perf/uncore/qmc_writes_full_any/\" ); denominator = ( \"seconds\" ); },"
	"{ name = \"reads_per_tick_ratio\"; numerator = ( \"perf/uncore/qmc_normal_reads_any/\" );"
	"denominator = ( \"perf/uncore/clockticks/\" ); } );";

enum { TICKS, READS, WRITES };          /* slots, in the order written */
#define RATIO "reads_per_tick_ratio"
#define HERTZ "writes_hertz"

static struct sysfs_tree tree;
static struct made m;
static struct counting *engine;
static struct sampler *s;
static struct layout lay;
static struct ring ring;
static void *mem;
static uint64_t words[512];
static nsec now;

static nsec clock_now(void *p)
{
	(void)p;
	return now;
}

static unsigned slow;                   /* ms until the next enabling returns, while the event counts */

static int enable(void *p, int fd, bool on)
{
	int r = fake.enable(p, fd, on);

	if (on && slow) {
		step(slow);
		now += slow * NSEC_PER_MSEC;
		slow = 0;
	}
	return r;
}

static const struct perf_sys kernel = { fake_open, fake_read, enable, fake_close, NULL };

static int setup(void **state)
{
	struct sampler_options o = { .clock = { clock_now, clock_now, NULL } };
	struct topo_pmus *pmus;
	struct conf *c = NULL;
	struct topo *topo;
	struct err err;
	const char *text = *state ? *state : conf;

	fake_reset();
	k.counters = 8;                 /* as the driver has */
	k.online[0] = k.online[1] = true;
	now = 1000 * NSEC_PER_SEC;
	tree_make(&tree, "nehalem.txt");
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m = (struct made){ 0 };
	assert_int_equal(conf_parse("t.conf", text, strlen(text), &c, &m.d), 0);
	if (plan_build(&(struct plan_input){ .conf = c, .topo = topo, .pmus = pmus, .perf_engine = true }, &m.p, &m.d) < 0)
		fail_msg("%s", m.d.v[0]);
	conf_free(c);
	topo_free(topo);
	topo_pmus_free(pmus);
	if (counting_perf_new_on(&kernel, &m.p->sockets[0].perf, &engine, &err) < 0)
		fail_msg("%s", err.text);
	lay = layout_of(&m.p->sockets[0]);
	assert_true(lay.n_words <= COUNT(words));
	mem = calloc(1, ring_bytes(lay.n_words));
	ring_init(&ring, mem, lay.n_words);
	o.plan = m.p;
	o.perf = engine;
	o.ring = &ring;
	assert_int_equal(sampler_new(&o, &s, NULL), 0);
	assert_int_equal(sampler_start(s, NULL), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sampler_stop(s);
	sampler_free(s);
	engine->ops->free(engine);
	assert_int_equal(k.open_now, 0);
	made_done(&m);
	free(mem);
	tree_drop(&tree);
	return 0;
}

/* The kernel counts until the next tick or look. */
static void tick(void)
{
	step((unsigned)((sampler_next(s) - now) / NSEC_PER_MSEC));
	now = sampler_next(s);
	sampler_tick(s);
	assert_true(ring_read(&ring, words) > 0);
}

static uint64_t total(unsigned slot) { return words[lay.slot_total + slot]; }
static enum reason reason(unsigned slot) { return (enum reason)words[lay.slot_reason + slot]; }
static uint64_t active_ms(unsigned group) { return words[lay.group_active + group] / NSEC_PER_MSEC; }

static unsigned metric_index(const char *name)
{
	unsigned i = 0;

	while (i < m.p->sockets[0].n_metrics && strcmp(m.p->sockets[0].metrics[i].name, name) != 0)
		i++;
	assert_true(i < m.p->sockets[0].n_metrics);
	return i;
}

static double metric(const char *name)
{
	unsigned i = metric_index(name);
	double v;

	assert_int_equal(words[lay.metric_state + i], DERIVE_VALID);
	memcpy(&v, &words[lay.metric_value + i], sizeof(v));
	return v;
}

static void near(double v, double want)
{
	if (v < want * 0.999 || v > want * 1.001)
		fail_msg("%g, expected %g", v, want);
}

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
 * A third of the time: totals are what was seen, the group's seconds say for how long, and a rate of the two is the true
 * one, as is the derived value.
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

/* Never a counter: no value and a reason within the first interval; once it counts, the total goes on. */
static void test_starved(void **state)
{
	(void)state;
	k.percent = 0;
	tick();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(reason(i), REASON_NO_DATA);
	assert_int_equal(active_ms(0), 0);
	assert_int_not_equal(words[lay.metric_state + metric_index(HERTZ)], DERIVE_VALID);
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
 * Reads that the kernel held up after our look at the clock: each window has more or less of its counts than its time. The
 * group's seconds are short of the counts until the next read comes in time, and not for ever; a rate is always right.
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

/* The first read of a round is taken at once: what it has too much is more than that window, and is not lost either. */
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

/* Enabled, and then kept from its CPU: the group's seconds begin with the counts, not when we came back. */
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
		assert_int_equal(total(WRITES), active_ms(1) * 1000);   /* enabled after the other group */
	}
	near(metric(HERTZ), 1e6);
}

/* The designated CPU goes: flagged for one tick, then counted on; no total falls, no second is claimed that was not. */
static void test_hotplug(void **state)
{
	uint64_t before, seconds;

	(void)state;
	tick();
	before = total(WRITES);
	seconds = active_ms(1);
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
	assert_int_equal(words[lay.metric_state + metric_index(HERTZ)], DERIVE_UNUSABLE);         /* its window had a gap */
	tick();
	near(metric(HERTZ), 1e6);
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
}

/* The same with ten seconds between two ticks: told, opened again and back within two. */
static const char rare[] = "interval = \"10s\"; groups = ( { name = \"a\"; events = [ \"perf/uncore/clockticks/\" ]; } );";

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
	assert_int_equal(total(TICKS), (now - first - NSEC_PER_SEC) / 1000);    /* a second is missing, and only that */
	while (now % (10 * NSEC_PER_SEC))
		tick();
	assert_int_equal(words[W_TICKS], 4);
	assert_int_equal(total(TICKS), (now - first - NSEC_PER_SEC) / 1000);
	assert_int_equal(active_ms(0), (now - first) / NSEC_PER_MSEC - 1000);
}

/* Nine events for eight counters: our own turns, each group whole and all of its turn. */
static const char crowded[] =
	"interval = \"100ms\"; rotation = \"1s\"; groups = ("
	"{ name = \"a\"; events = [ \"perf/uncore/event=1,name=a1/\", \"perf/uncore/event=2,name=a2/\", \"perf/uncore/event=3,name=a3/\","
	"                           \"perf/uncore/event=4,name=a4/\", \"perf/uncore/event=5,name=a5/\" ]; },"
	"{ name = \"b\"; events = [ \"perf/uncore/event=6,name=b6/\", \"perf/uncore/event=7,name=b7/\", \"perf/uncore/event=8,name=b8/\","
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

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(test_alone), TEST(test_multiplexed), TEST(test_starved), TEST(test_held_up), TEST(test_held_up_at_first),
		TEST(test_slow_start), TEST(test_hotplug),
		{ "test_hotplug_between_ticks", test_hotplug_between_ticks, setup, teardown, (void *)rare }, { "test_turns", test_turns, setup, teardown, (void *)crowded },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
