/* SPDX-License-Identifier: MIT
 * Shares of what a link or channel can carry at most, on counters that are read one after the
 * other.
 *
 * The clock's counter and the event's are functions of the time, and each is read at a time of its
 * own: a read takes 2 us between the two, and now and then something holds it up there. What a
 * sample should be follows from the load alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "sample/layout.h"
#include "sampler_fixture.h"

static struct {
	double load;                    /* events in a clock; the clock has one each ns */
	double hold;                    /* of held-up reads, the longest, ns */
	uint64_t seed;
	bool event_first;               /* of the two */
} link_;

static uint64_t random_below(uint64_t n)
{
	link_.seed = link_.seed * 6364136223846793005u + 1442695040888963407u;
	return (link_.seed >> 33) % n;
}

static uint64_t clock_now(void) { return (uint64_t)now; }
static uint64_t event_now(void) { return (uint64_t)((double)now * link_.load); }

static int link_read(struct counting *c, uint64_t *raw, uint8_t *reason)
{
	(void)c;
	memset(reason, 0, SLOTS);
	now += 500;
	if (link_.event_first)
		raw[EVENT] = event_now();
	else
		raw[CLOCK] = clock_now();
	now += 2000;
	if (random_below(10) == 0)
		now += (nsec)random_below((uint64_t)link_.hold);
	if (link_.event_first)
		raw[CLOCK] = clock_now();
	else
		raw[EVENT] = event_now();
	now += 500;
	return 0;
}

static int link_start(struct counting *c, unsigned round, uint64_t *base, uint8_t *reason,
		      struct err *err)
{
	(void)c;
	(void)round;
	(void)err;
	base[CLOCK] = clock_now();
	base[EVENT] = event_now();
	memset(reason, 0, SLOTS);
	return 0;
}

static const struct counting_ops link_ops = {
	.start = link_start, .read = link_read, .check = hand_check, .stop = hand_stop,
};

static void begin(nsec interval, double load)
{
	setup(1, interval, 64, 0);
	f.hand.base.ops = &link_ops;
	f.metric.bounded = true;
	f.metric.clock_most = 1.01e9;           /* as of the fastest memory of a row */
	f.den = (struct plan_addend){ CLOCK, 1 };
	link_.load = load;
	link_.hold = (double)interval / 20;
	link_.seed = 1;
	assert_int_equal(sampler_start(f.s, NULL), 0);
}

/* Until the first sample is shown: 100 ms, where ticks are closer. */
static void wait_for_sample(void)
{
	for (unsigned i = 0; i < 12; i++)
		tick();
}

/* Every sample of so many seconds is the same, and there is one in each interval. */
static void expect(nsec interval, unsigned seconds, double value)
{
	uint64_t n = (uint64_t)seconds * (uint64_t)(NSEC_PER_SEC / interval);

	wait_for_sample();
	for (uint64_t i = 0; i < n; i++) {
		tick();
		assert_true(metric() == value);
	}
}

static void test_full(void **state)
{
	static const nsec intervals[] = { NSEC_PER_SEC, 100 * NSEC_PER_MSEC, 10 * NSEC_PER_MSEC };

	for (unsigned i = 0; i < COUNT(intervals); i++)
		for (unsigned order = 0; order < 2; order++) {
			link_.event_first = order;
			begin(intervals[i], 1);
			expect(intervals[i], 3600, 1);
			teardown(state);
		}
}

/* The same of each sample of 10 ms between the windows of a second, in its distribution. */
static void test_full_between(void **state)
{
	struct plan_distribution d = { .metric = 0, .peak_family = "peak", .has_histogram = true,
				       .histogram = { .n_bounds = 2, .bounds = { 0.999999, 1 } } };
	const uint64_t *h;

	link_.event_first = false;
	begin(NSEC_PER_SEC, 1);
	sampler_free(f.s);
	free(f.mem);
	f.plan.peak_window = 60 * NSEC_PER_SEC;
	f.metric.resolution = f.rounds[0].tick = 10 * NSEC_PER_MSEC;
	f.socket.distributions = &d;
	f.socket.n_distributions = f.socket.n_distribution_series = 1;
	f.layout = layout_of(&f.socket);
	assert_true(f.layout.n_words <= COUNT(f.words));
	f.mem = calloc(1, ring_bytes(f.layout.n_words));
	ring_init(&f.ring, f.mem, f.layout.n_words);
	assert_int_equal(sampler_new(&f.options, &f.s, NULL), 0);
	link_.hold = 500000;
	assert_int_equal(sampler_start(f.s, NULL), 0);
	for (unsigned i = 0; i < 360000; i++)
		tick();
	h = &f.words[layout_histogram(&f.socket, 0)];
	assert_int_equal(h[H_CLASSIC], 0);
	assert_true(h[H_CLASSIC + 1] >= 359980);
	assert_int_equal(h[H_CLASSIC + 2], 0);
	assert_int_equal(f.words[f.layout.samples_invalid], 0);
	teardown(state);
}

/* What it could carry is every clock of a minute, whatever held up the reads. */
static void test_capacity(void **state)
{
	uint64_t before;

	for (unsigned order = 0; order < 2; order++) {
		link_.event_first = order;
		begin(100 * NSEC_PER_MSEC, 1);
		f.metric.counter = true;
		f.metric.bounded = false;
		f.metric.den.n = 0;
		f.num.slot = CLOCK;
		again();
		wait_for_sample();
		before = f.words[f.layout.metric_value] - total(CLOCK);
		for (unsigned i = 0; i < 600; i++) {
			tick();
			assert_int_equal(f.words[f.layout.metric_reason], REASON_NONE);
			assert_int_equal(f.words[f.layout.metric_value] - total(CLOCK), before);
		}
		teardown(state);
	}
}

/* What is not full is what it is, to within the reads: 2 us and what holds them up, 5 % of 10 ms,
 * at either end. */
static void test_not_full(void **state)
{
	unsigned ones = 0;

	begin(10 * NSEC_PER_MSEC, 0.5);
	wait_for_sample();
	for (unsigned i = 0; i < 100000; i++) {
		tick();
		assert_true(metric() > 0.5 - 0.06 && metric() < 0.5 + 0.06);
	}
	teardown(state);
	begin(10 * NSEC_PER_MSEC, 0.97);
	wait_for_sample();
	for (unsigned i = 0; i < 100000; i++) {
		tick();
		assert_true(metric() <= 1 && metric() > 0.97 - 0.11);
		ones += metric() == 1;
	}
	/* a tenth of the reads is held up, so a fifth of the samples, most of them by too little */
	assert_true(ones < 20000);
	teardown(state);
}

/* Twice what the clock allows is no full link but a wrong clock. */
static void test_beyond(void **state)
{
	begin(10 * NSEC_PER_MSEC, 1.2);
	wait_for_sample();
	for (unsigned i = 0; i < 1000; i++) {
		tick();
		assert_int_equal(f.words[f.layout.metric_reason], REASON_CONFLICT);
	}
	teardown(state);
	/* of a row taken from 1, likewise, and a little too much of what is idle is all of it */
	begin(NSEC_PER_SEC, 1.2);
	f.metric.complement = true;
	wait_for_sample();
	assert_int_equal(f.words[f.layout.metric_reason], REASON_CONFLICT);
	teardown(state);
	begin(10 * NSEC_PER_MSEC, 1);
	f.metric.complement = true;
	wait_for_sample();
	for (unsigned i = 0; i < 1000; i++) {
		tick();
		assert_true(metric() >= 0 && metric() < 0.11);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_between),
		cmocka_unit_test(test_capacity),
		cmocka_unit_test(test_not_full),
		cmocka_unit_test_teardown(test_beyond, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
