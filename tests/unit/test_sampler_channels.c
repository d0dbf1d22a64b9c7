/* SPDX-License-Identifier: MIT
 * Memory channels with and without memory: whose use a socket's ratio is of, and from when on.
 *
 * Four channels of one socket, each with a clock of 1 GHz and an event of which four clocks make a
 * full channel. Which of them move data, and how much, is the test's; what the ratio has to be is
 * worked out by hand beside it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "derive/derive.h"
#include "hand_series.h"
#include "sample/sampler.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 4, EACH = 2, ALL = CHANNELS * EACH };

static struct {
	struct counting base;
	uint64_t raw[ALL];              /* clock and event of each channel */
	double use[CHANNELS];           /* events in a clock, of the most that there can be */
	double hz[CHANNELS];
	uint8_t reason[ALL];
} hand;

static nsec now, counted_to;

static void count_up(void)
{
	double seconds = (double)(now - counted_to) / 1e9;

	for (unsigned i = 0; i < CHANNELS; i++) {
		hand.raw[i * EACH] += (uint64_t)(hand.hz[i] * seconds);
		hand.raw[i * EACH + 1] += (uint64_t)(hand.hz[i] * seconds * hand.use[i] / 4);
	}
	counted_to = now;
}

static int hand_start(struct counting *c, unsigned round, uint64_t *base, uint8_t *reason,
		      struct err *err)
{
	(void)c;
	(void)round;
	(void)err;
	count_up();
	memcpy(base, hand.raw, sizeof(hand.raw));
	memset(reason, 0, ALL);
	return 0;
}

static int hand_read(struct counting *c, uint64_t *raw, uint8_t *reason)
{
	(void)c;
	count_up();
	memcpy(raw, hand.raw, sizeof(hand.raw));
	memcpy(reason, hand.reason, ALL);
	return 0;
}

static int hand_check(struct counting *c, uint8_t *reason)
{
	(void)c;
	memset(reason, 0, ALL);
	return 0;
}

static int hand_stop(struct counting *c)
{
	(void)c;
	return 0;
}

static const struct counting_ops ops = {
	.start = hand_start, .read = hand_read, .check = hand_check, .stop = hand_stop,
};

static nsec hand_mono(void *p)
{
	(void)p;
	return now;
}

static nsec hand_wall(void *p)
{
	(void)p;
	return now + 1000 * NSEC_PER_SEC;
}

static struct plan plan;
static struct plan_socket socket_;
static struct plan_round round_;
static struct plan_slot slots[ALL];
static struct plan_group group;
static unsigned *slots_of[1];
static struct plan_channel channels[CHANNELS];
static struct plan_metric metrics[2];           /* of the socket; of channel 2 */
static struct plan_addend num[CHANNELS], den[CHANNELS];
static unsigned group_index, slot_index[ALL];
static struct layout layout;
static struct ring ring;
static void *mem;
static uint64_t words[1024];
static struct sampler *s;

static void sampler_make(void)
{
	struct sampler_options o = { .plan = &plan, .perf = &hand.base, .ring = &ring,
				     .clock = { .mono = hand_mono, .wall = hand_wall } };

	layout = layout_of(&socket_);
	assert_true(layout.n_words <= 1024);
	mem = calloc(1, ring_bytes(layout.n_words));
	ring_init(&ring, mem, layout.n_words);
	assert_int_equal(sampler_new(&o, &s, NULL), 0);
}

static void setup(void)
{
	memset(&hand, 0, sizeof(hand));
	memset(&plan, 0, sizeof(plan));
	memset(&socket_, 0, sizeof(socket_));
	now = counted_to = 5 * NSEC_PER_SEC;
	hand.base.ops = &ops;
	plan.interval = plan.rotation = NSEC_PER_SEC;
	plan.sockets = &socket_;
	plan.n_sockets = 1;
	slots_of[0] = slot_index;
	group = (struct plan_group){ .n_rounds = 1, .slots = slots_of, .n_slots = ALL };
	round_ = (struct plan_round){ .tick = NSEC_PER_SEC, .slots = slots, .n_slots = ALL,
				      .n_perf = ALL, .groups = &group_index, .n_groups = 1 };
	socket_.rounds = &round_;
	socket_.groups = &group;
	socket_.n_rounds = socket_.n_groups = 1;
	socket_.channels = channels;
	socket_.n_channels = CHANNELS;
	for (unsigned i = 0; i < ALL; i++) {
		slot_index[i] = i;
		slots[i] = (struct plan_slot){ .engine = PLAN_PERF, .engine_slot = i, .width = 64,
			.max_inc = 1, .clock_slot = -1, .unit = i / EACH, .channel = i / EACH + 1,
			.cas = i % EACH == 1, .box_name = "imc" };
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		channels[i] = (struct plan_channel){ "imc", i };
		den[i] = (struct plan_addend){ (int)(i * EACH), 1 };
		num[i] = (struct plan_addend){ (int)(i * EACH + 1), 1 };
		hand.hz[i] = 1e9;
	}
	hand_series(&socket_);
	metrics[0] = (struct plan_metric){ .scale = 4, .sum = true, .bounded = true,
		.with_memory = true, .num = { num, CHANNELS }, .den = { den, CHANNELS } };
	metrics[1] = (struct plan_metric){ .scale = 4, .bounded = true, .with_memory = true,
		.series = 1, .num = { &num[2], 1 }, .den = { &den[2], 1 } };
	socket_.metrics = metrics;
	socket_.n_metrics = socket_.n_metric_series = 2;
	sampler_make();
}

static void run(unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++) {
		now = sampler_next(s);
		sampler_tick(s);
	}
	assert_true(ring_read(&ring, words) > 0);
}

static int teardown(void **state)
{
	(void)state;
	sampler_free(s);
	free(mem);
	free(socket_.series);
	return 0;
}

static uint64_t reason(unsigned m) { return words[layout.metric_reason + m]; }

static bool is(unsigned m, double value)
{
	double v;

	memcpy(&v, &words[layout.metric_value + m], sizeof(v));
	return reason(m) == REASON_NONE && v > value - 1e-6 && v < value + 1e-6;
}

static void expect_channels(unsigned with_memory, unsigned counting)
{
	assert_int_equal(words[W_CHANNELS_WITH_MEMORY], with_memory);
	assert_int_equal(words[W_CHANNELS_COUNTING], counting);
}

/* Channels 0 and 1 move 0.6 and 0.2: 0.4 of what two could, not 0.2 of four. */
static void test_empty_channels(void **state)
{
	(void)state;
	setup();
	hand.use[0] = 0.6;
	hand.use[1] = 0.2;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(2);
	expect_channels(2, 4);
	assert_int_equal(reason(0), REASON_NO_DATA);    /* not known yet which have memory */
	assert_int_equal(reason(1), REASON_NO_DATA);    /* no memory */
	run(57);
	assert_int_equal(reason(0), REASON_NO_DATA);
	run(3);
	assert_true(is(0, 0.4));
	assert_int_equal(reason(1), REASON_NO_DATA);
	/* One that moves nothing now still has memory: 0.2 of the two. */
	hand.use[0] = 0;
	hand.use[1] = 0.4;
	run(2);
	assert_true(is(0, 0.2));
	/* A third joins both sums: (0 + 0.4 + 0.8) / 3. */
	hand.use[2] = 0.8;
	run(1);
	assert_true(is(0, 0.4) && is(1, 0.8));
	expect_channels(3, 4);
	run(100);
	assert_true(is(0, 0.4) && is(1, 0.8));
}

/* Nobody knows before a minute that there is no other. */
static void test_all_have_memory(void **state)
{
	(void)state;
	setup();
	for (unsigned i = 0; i < CHANNELS; i++)
		hand.use[i] = 0.5;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(59);
	assert_int_equal(reason(0), REASON_NO_DATA);
	assert_true(is(1, 0.5));
	run(2);
	assert_true(is(0, 0.5));
}

/* The clock of an empty channel may stand, run at another rate, or be unreadable: it is left out.
 * One with memory that cannot be read leaves no part of the sum. */
static void test_invalid_channels(void **state)
{
	(void)state;
	setup();
	hand.use[0] = hand.use[1] = 0.5;
	hand.hz[2] = 0;
	hand.hz[3] = 3e9;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(62);
	assert_true(is(0, 0.5));
	hand.reason[6] = hand.reason[7] = REASON_OFFLINE;
	run(2);
	assert_true(is(0, 0.5));
	expect_channels(2, 3);
	hand.reason[0] = hand.reason[1] = REASON_OFFLINE;
	run(2);
	assert_int_equal(reason(0), REASON_OFFLINE);
	expect_channels(2, 2);
	memset(hand.reason, 0, sizeof(hand.reason));
	run(3);
	assert_true(is(0, 0.5));
	expect_channels(2, 4);
}

/* Of a channel that could never be counted nobody knows whether it has memory: there is no ratio of
 * the others, and the reason is its own. Once it counts, it is known after a minute. */
static void test_unknown_channel(void **state)
{
	(void)state;
	setup();
	hand.use[0] = hand.use[1] = 0.5;
	hand.reason[6] = hand.reason[7] = REASON_OFFLINE;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(200);
	assert_int_equal(reason(0), REASON_OFFLINE);
	hand.reason[6] = hand.reason[7] = REASON_NONE;
	run(50);
	assert_int_equal(reason(0), REASON_NO_DATA);
	run(15);
	assert_true(is(0, 0.5));
}

/* The knee was measured with so many channels. Fewer have memory now, or more: it is not theirs;
 * for a minute those that moved nothing yet may still do. */
static void test_measured_channels(void **state)
{
	static const struct plan_knee of_two = { .channels = 2, .n = 1, .mix = { { 1, 5e8, 0 } } },
		of_three = { .channels = 3, .n = 1, .mix = { { 1, 5e8, 0 } } },
		unknown = { .n = 1, .mix = { { 1, 5e8, 0 } } };

	(void)state;
	setup();
	metrics[0] = (struct plan_metric){ .scale = 1, .sum = true, .of_knee = true,
		.knee = &of_two, .num = { num, CHANNELS } };
	metrics[1] = (struct plan_metric){ .scale = 1, .sum = true, .of_knee = true,
		.knee = &of_three, .series = 1, .num = { num, CHANNELS } };
	hand.use[0] = hand.use[1] = 0.5;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(2);
	expect_channels(2, 4);
	assert_true(is(0, 5e8));
	assert_int_equal(reason(1), REASON_NO_DATA);
	run(62);
	assert_true(is(0, 5e8));
	assert_int_equal(reason(1), REASON_CONFLICT);
	hand.use[2] = 0.5;
	run(2);
	assert_int_equal(reason(0), REASON_CONFLICT);
	assert_true(is(1, 5e8));
	metrics[0].knee = &unknown;
	run(2);
	assert_true(is(0, 5e8));
}

/* A reload forgets neither which have memory nor for how long they were counted. */
static void test_reload(void **state)
{
	struct sampler *old;
	void *old_mem;

	(void)state;
	setup();
	hand.use[0] = 0.5;
	hand.use[1] = 0.1;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(62);
	assert_true(is(0, 0.3));
	hand.use[1] = 0;
	sampler_stop(s);
	old = s;
	old_mem = mem;
	sampler_make();
	sampler_inherit(s, old);
	assert_int_equal(sampler_start(s, NULL), 0);
	run(2);
	assert_true(is(0, 0.25));
	expect_channels(2, 4);
	sampler_free(old);
	free(old_mem);
}

/* A clock that is faster than the row says refutes it, where there is memory. */
static void test_too_fast(void **state)
{
	(void)state;
	setup();
	metrics[0].clock_most = metrics[1].clock_most = 1.1e9;
	hand.use[0] = hand.use[2] = 0.5;
	hand.hz[1] = 2e9;
	assert_int_equal(sampler_start(s, NULL), 0);
	run(62);
	assert_true(is(0, 0.5) && is(1, 0.5));
	hand.hz[2] = 1.2e9;
	run(2);
	assert_int_equal(reason(0), REASON_CONFLICT);
	assert_int_equal(reason(1), REASON_CONFLICT);
}

/* So it does what channel 2 could have moved, 16 bytes in a clock: what is counted meanwhile is in
 * neither the total nor its time. */
static void test_capacity_too_fast(void **state)
{
	uint64_t bytes, ns;

	(void)state;
	setup();
	sampler_free(s);
	free(mem);
	metrics[1] = (struct plan_metric){ .scale = 16, .counter = true, .clock_most = 1.1e9,
		.series = 1, .num = { &den[2], 1 } };
	sampler_make();
	assert_int_equal(sampler_start(s, NULL), 0);
	run(3);
	assert_int_equal(reason(1), REASON_NONE);
	bytes = words[layout.metric_value + 1];
	ns = words[layout.metric_active + 1];
	hand.hz[2] = 1.2e9;
	run(2);
	assert_int_equal(reason(1), REASON_CONFLICT);
	hand.hz[2] = 1e9;
	run(2);
	assert_int_equal(reason(1), REASON_NONE);
	assert_int_equal(words[layout.metric_value + 1] - bytes, UINT64_C(2) * 16000000000);
	assert_int_equal(words[layout.metric_active + 1] - ns, 2 * NSEC_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_empty_channels, teardown),
		cmocka_unit_test_teardown(test_all_have_memory, teardown),
		cmocka_unit_test_teardown(test_invalid_channels, teardown),
		cmocka_unit_test_teardown(test_unknown_channel, teardown),
		cmocka_unit_test_teardown(test_measured_channels, teardown),
		cmocka_unit_test_teardown(test_reload, teardown),
		cmocka_unit_test_teardown(test_too_fast, teardown),
		cmocka_unit_test_teardown(test_capacity_too_fast, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
