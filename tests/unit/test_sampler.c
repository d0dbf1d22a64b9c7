/* test_sampler.c - ticks against a counting engine made by hand and a clock that stands until it is moved. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "derive/derive.h"
#include "sample/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, ROUNDS = 2, CLOCK = 0, EVENT = 1 };

/* The engine: counters that the test sets; reads fail, checks fail and starts fail on command. */
struct hand {
	struct counting base;
	uint64_t raw[SLOTS];
	uint8_t read_reason[SLOTS], check_reason[SLOTS], start_reason[SLOTS];
	uint64_t at_stop;               /* counts that happen between the last read and the stop */
	int start_result, check_result, starts, stops, rearms, reads, checks;
	unsigned round;
	bool counting;
};

static nsec now;

static int hand_start(struct counting *c, unsigned round, uint64_t *base, uint8_t *reason, struct err *err)
{
	struct hand *h = (struct hand *)c;

	(void)err;
	h->starts++;
	if (h->start_result < 0)
		return h->start_result;
	h->round = round;
	h->counting = true;
	memcpy(base, h->raw, sizeof(h->raw));
	memcpy(reason, h->start_reason, sizeof(h->start_reason));
	return 0;
}

static int hand_read(struct counting *c, uint64_t *raw, uint8_t *reason)
{
	struct hand *h = (struct hand *)c;

	h->reads++;
	memcpy(raw, h->raw, sizeof(h->raw));
	memcpy(reason, h->read_reason, sizeof(h->read_reason));
	return 0;
}

static int hand_check(struct counting *c, uint8_t *reason)
{
	struct hand *h = (struct hand *)c;

	h->checks++;
	memcpy(reason, h->check_reason, sizeof(h->check_reason));
	return h->check_result;
}

static int hand_rearm(struct counting *c, const uint8_t *slots, uint64_t *base, uint8_t *reason)
{
	struct hand *h = (struct hand *)c;

	(void)slots;
	(void)reason;
	h->rearms++;
	memcpy(base, h->raw, sizeof(h->raw));
	return 0;
}

static int hand_stop(struct counting *c)
{
	struct hand *h = (struct hand *)c;

	h->stops++;
	h->raw[EVENT] += h->at_stop;
	now += NSEC_PER_USEC;
	h->counting = false;
	return 0;
}

static const struct counting_ops hand_ops = { .start = hand_start, .read = hand_read, .check = hand_check,
					      .rearm = hand_rearm, .stop = hand_stop };

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

/* counting_regs_io() is asked for the CPU only if there is a register engine: ours is the perf one. */
struct fixture {
	struct hand hand;
	struct plan plan;
	struct plan_socket socket;
	struct plan_round rounds[ROUNDS];
	struct plan_slot slots[ROUNDS][SLOTS];
	struct plan_group groups[ROUNDS];
	unsigned group_index[ROUNDS];
	struct plan_metric metric;
	struct plan_addend num, den;
	struct layout layout;
	struct ring ring;
	void *mem;
	uint64_t words[512];
	struct sampler *s;
};

static struct fixture f;

static void setup(unsigned rounds, nsec interval, unsigned width, double max_rate)
{
	struct sampler_options o;

	memset(&f, 0, sizeof(f));
	now = 5 * NSEC_PER_SEC;
	f.hand.base.ops = &hand_ops;
	f.plan.interval = interval;
	f.plan.rotation = 2 * NSEC_PER_SEC;
	f.plan.sockets = &f.socket;
	f.plan.n_sockets = 1;
	f.socket.rounds = f.rounds;
	f.socket.n_rounds = rounds;
	f.socket.groups = f.groups;
	f.socket.n_groups = rounds;
	for (unsigned r = 0; r < rounds; r++) {
		f.group_index[r] = r;
		f.groups[r].round = r;
		f.rounds[r] = (struct plan_round){ .tick = interval, .slots = f.slots[r], .n_slots = SLOTS, .n_perf = SLOTS,
						   .groups = &f.group_index[r], .n_groups = 1 };
		for (unsigned i = 0; i < SLOTS; i++)
			f.slots[r][i] = (struct plan_slot){ .engine = PLAN_PERF, .engine_slot = i, .width = (uint8_t)width,
							    .max_inc = 1, .max_rate = max_rate, .clock = i == EVENT ? CLOCK : -1,
							    .always_runs = i == CLOCK };
		if (max_rate > 0)
			f.slots[r][EVENT].safe_interval = f.slots[r][CLOCK].safe_interval =
				(nsec)(281474976710656.0 / max_rate * 1e9);
	}
	f.num = (struct plan_addend){ EVENT, 1 };
	f.den = (struct plan_addend){ -1, 1 };
	f.metric = (struct plan_metric){ .group = 0, .scale = 1, .num = &f.num, .n_num = 1, .den = &f.den, .n_den = 1,
					 .cycles_of = -1 };
	f.socket.metrics = &f.metric;
	f.socket.n_metrics = 1;
	f.layout = layout_of(&f.socket);
	f.mem = calloc(1, ring_bytes(f.layout.n_words));
	ring_init(&f.ring, f.mem, f.layout.n_words);
	o = (struct sampler_options){ .plan = &f.plan, .perf = &f.hand.base, .ring = &f.ring,
				      .clock = { hand_mono, hand_wall, NULL } };
	assert_int_equal(sampler_new(&o, &f.s, NULL), 0);
}

static int teardown(void **state)
{
	(void)state;
	sampler_free(f.s);
	free(f.mem);
	f.s = NULL;
	f.mem = NULL;
	return 0;
}

static void count(uint64_t clock, uint64_t event)
{
	f.hand.raw[CLOCK] += clock;
	f.hand.raw[EVENT] += event;
}

static void tick(void)
{
	now = sampler_next(f.s);
	sampler_tick(f.s);
	assert_true(ring_read(&f.ring, f.words) > 0);
}

static uint64_t total(unsigned slot) { return f.words[f.layout.slot_total + slot]; }
static uint64_t reason(unsigned slot) { return f.words[f.layout.slot_reason + slot]; }

static double metric(void)
{
	double v;

	assert_int_equal(f.words[f.layout.metric_state], DERIVE_VALID);
	memcpy(&v, &f.words[f.layout.metric_value], sizeof(v));
	return v;
}

static void test_wrap_delta(void **state)
{
	static const struct {
		unsigned line;
		uint64_t prev, now;
		unsigned width;
		uint64_t delta;
	} rows[] = {
		{ __LINE__, 0, 0, 48, 0 },
		{ __LINE__, 5, 9, 48, 4 },
		{ __LINE__, 0xffffffffffff, 0, 48, 1 },
		{ __LINE__, 0xfffffffffff0, 0x10, 48, 0x20 },
		{ __LINE__, 1, 0, 48, 0xffffffffffff },
		{ __LINE__, 0xfffffffffff, 0, 44, 1 },
		{ __LINE__, 0xffffffff, 0, 32, 1 },
		{ __LINE__, UINT64_MAX, 0, 64, 1 },
		{ __LINE__, 0, 1, 1, 1 },
		{ __LINE__, 1, 0, 1, 1 },
		{ __LINE__, 0xabcd000000000001, 0x1234000000000003, 48, 2 },     /* bits above the width are ignored */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wrap_delta(rows[i].prev, rows[i].now, rows[i].width) != rows[i].delta)
			fail_msg("line %u", rows[i].line);
}

/* Counts from the enabling write on are in the total, also those before the first sample. */
static void test_totals_and_wrap(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.raw[EVENT] = 0xfffffffffff0;
	assert_int_equal(sampler_start(f.s, NULL), 0);
	assert_int_equal(ring_read(&f.ring, f.words), 1);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(f.words[f.layout.metric_state], DERIVE_NONE);
	f.hand.raw[EVENT] = 0x20;               /* over the edge: 0x30 events */
	f.hand.raw[CLOCK] = 100;
	tick();
	assert_int_equal(total(EVENT), 0x30);
	assert_int_equal(f.words[W_WRAPS], 1);
	assert_true(metric() == 48.0);          /* 0x30 in one second */
	assert_int_equal(f.words[f.layout.group_active], NSEC_PER_SEC);
	assert_int_equal(f.words[W_MISSED], 0);
	assert_int_equal(f.words[W_TICKS], 2);
}

/* Slots x ticks: the sample at the start is one, and so is each tick whose count is thrown away later. */
static void test_invalid_is_slots_times_ticks(void **state)
{
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	sampler_start(f.s, NULL);
	tick();
	tick();
	assert_int_equal(f.words[W_TICKS], 3);
	assert_int_equal(f.words[W_INVALID + REASON_READ_ERROR], 3);
	teardown(state);

	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 9; i++)        /* no check is due yet */
		tick();
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	tick();
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(f.words[W_TICKS], 11);
	assert_int_equal(f.words[W_INVALID + REASON_FOREIGN], 10);      /* all but the start's */
}

/* A round whose turn comes while nobody answers is offline, not refused, and counts at a later turn. */
static void test_round_that_cannot_start(void **state)
{
	static const struct { int line, result, reason; } rows[] = {
		{ __LINE__, -ENXIO, REASON_OFFLINE }, { __LINE__, -EPERM, REASON_REFUSED },
	};

	for (unsigned i = 0; i < COUNT(rows); i++) {
		setup(2, NSEC_PER_SEC, 48, 1e9);
		sampler_start(f.s, NULL);
		f.hand.start_result = rows[i].result;
		while (f.hand.starts < 2)
			tick();
		if (reason(SLOTS + EVENT) != (uint64_t)rows[i].reason || reason(EVENT) != REASON_NONE)
			fail_msg("line %d: reasons %u and %u", rows[i].line, (unsigned)reason(SLOTS + EVENT), (unsigned)reason(EVENT));
		f.hand.start_result = 0;
		while (f.hand.starts < 4)
			tick();
		assert_int_equal(f.hand.round, 1);
		assert_int_equal(reason(SLOTS + EVENT), REASON_NONE);
		teardown(state);
	}
}

static void test_missed_ticks(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	now = sampler_next(f.s) + 10 * NSEC_PER_SEC + 5;        /* ten whole intervals late */
	count(1000, 77);
	sampler_tick(f.s);
	ring_read(&f.ring, f.words);
	assert_int_equal(f.words[W_MISSED], 10);
	assert_int_equal(total(EVENT), 77);
	assert_int_equal(sampler_next(f.s) % NSEC_PER_SEC, 0);  /* back on the grid: one catch-up, not ten */
	assert_true(sampler_next(f.s) - now <= NSEC_PER_SEC);
}

static void test_implausible_is_a_reset(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.raw[EVENT] = 1000000;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 3;                  /* somebody reset it: modulo 2^48 that would be 2^48 - 999997 */
	f.hand.raw[CLOCK] = 100;
	tick();
	assert_int_equal(reason(EVENT), REASON_RESET);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(f.words[W_RESETS], 1);
	assert_int_equal(f.words[W_INVALID + REASON_RESET], 1);
	assert_int_equal(f.words[f.layout.metric_state], DERIVE_UNUSABLE);
	count(100, 40);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 40);
	assert_true(metric() == 40.0);          /* the new base stood at the beginning of this window */
}

static void test_foreign_discards_and_rearms(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 10);
	count(100, 500);
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	tick();
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(total(EVENT), 10);     /* what was counted since the last good check is not ours */
	assert_int_equal(total(CLOCK), 200);    /* the other slot goes on */
	assert_int_equal(f.words[W_FOREIGN], 1);
	count(100, 600);
	tick();
	/* A perf slot cannot be re-armed: it stays invalid, and is told once. */
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(f.words[W_FOREIGN], 1);
	assert_int_equal(f.words[W_INVALID + REASON_FOREIGN], 2);
}

/* A gap: the old base stays, the delta of the gap counts. */
static void test_gap(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	f.hand.read_reason[EVENT] = REASON_READ_ERROR;
	count(100, 20);
	tick();
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	assert_int_equal(total(EVENT), 10);
	assert_int_equal(f.words[W_READ_ERRORS], 1);
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 30);
	tick();
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 60);
	/* Two windows of counts in a window of one second are no rate. */
	assert_int_equal(f.words[f.layout.metric_state], DERIVE_UNUSABLE);
	count(100, 5);
	tick();
	assert_true(metric() == 5.0);
}

static void test_gap_longer_than_safe(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e14);       /* 2^48 / 1e14 = 2.8 s */
	sampler_start(f.s, NULL);
	f.hand.read_reason[EVENT] = REASON_OFFLINE;
	tick();
	tick();
	f.hand.read_reason[EVENT] = REASON_NONE;
	count(100, 30);
	now += 100 * NSEC_PER_MSEC;
	tick();
	assert_int_equal(reason(EVENT), REASON_LATE);
	assert_int_equal(total(EVENT), 0);
	count(100, 4);
	tick();
	assert_int_equal(total(EVENT), 4);
}

/* A check that cannot be made vouches for nothing: the counts wait for the next one. */
static void test_check_fails(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	f.hand.check_result = -EIO;
	tick();
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(reason(EVENT), REASON_READ_ERROR);
	f.hand.check_result = 0;
	count(100, 10);
	tick();
	assert_int_equal(total(EVENT), 20);
	assert_int_equal(f.words[f.layout.group_active], 2 * NSEC_PER_SEC);
}

/* Below 100 ms one tick in each 100 ms checks; what lies between is pending until then. */
static void test_fast(void **state)
{
	(void)state;
	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 1; i < 10; i++) {
		count(10, 1);
		tick();
		assert_int_equal(total(EVENT), 0);
	}
	count(10, 1);
	tick();
	assert_int_equal(total(EVENT), 10);
	for (unsigned i = 0; i < 5; i++) {
		count(10, 1);
		tick();
	}
	f.hand.check_reason[EVENT] = REASON_FOREIGN;
	for (unsigned i = 0; i < 5; i++) {
		count(10, 1);
		tick();
	}
	assert_int_equal(reason(EVENT), REASON_FOREIGN);
	assert_int_equal(total(EVENT), 10);
}

/* Ten checks a second, however long it runs and whichever tick is a little late. */
static void test_fast_checks_stay_rare(void **state)
{
	(void)state;
	setup(1, 10 * NSEC_PER_MSEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.reads = f.hand.checks = 0;
	for (unsigned i = 0; i < 600; i++) {
		now = sampler_next(f.s) + (i % 20 == 9 ? 300 : 20) * NSEC_PER_USEC;
		sampler_tick(f.s);
	}
	assert_int_equal(f.hand.reads, 600);
	assert_int_equal(f.hand.checks, 60);
}

static void test_stopped_clock(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	for (unsigned i = 0; i < 9; i++) {
		tick();
		assert_int_equal(reason(EVENT), REASON_NONE);
	}
	tick();                                 /* 10 s without a count of the clock */
	assert_int_equal(reason(CLOCK), REASON_STOPPED);
	assert_int_equal(reason(EVENT), REASON_STOPPED);
	assert_int_equal(total(EVENT), 10);
	count(100, 1);
	tick();
	assert_int_equal(reason(CLOCK), REASON_NONE);
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_int_equal(total(EVENT), 11);
}

/* Zero is a value: an event that does not happen is not stopped. */
static void test_zero_is_a_value(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	for (unsigned i = 0; i < 30; i++) {
		count(100, 0);
		tick();
	}
	assert_int_equal(reason(EVENT), REASON_NONE);
	assert_true(metric() == 0.0);
}

static void test_rotation(void **state)
{
	(void)state;
	setup(2, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.at_stop = 3;                     /* counted after the last check, before the stop: not lost */
	count(100, 10);
	tick();
	assert_int_equal(f.words[W_ROUND], 0);
	count(100, 10);
	tick();                                 /* the rotation of 2 s is over */
	assert_int_equal(f.words[W_ROUND], 1);
	assert_int_equal(f.hand.round, 1);
	assert_int_equal(f.hand.stops, 1);
	assert_int_equal(total(layout_slot(&f.socket, 0, EVENT)), 23);
	assert_int_equal(total(layout_slot(&f.socket, 1, EVENT)), 0);
	count(100, 7);
	tick();
	count(100, 7);
	tick();
	assert_int_equal(f.words[W_ROUND], 0);
	assert_int_equal(total(layout_slot(&f.socket, 1, EVENT)), 17);
	assert_int_equal(total(layout_slot(&f.socket, 0, EVENT)), 23);
	/* Stopping takes 1 us, in which the round still counts: 5 s to 7 s + 1 us, then to 9 s + 1 us. */
	assert_int_equal(f.words[f.layout.group_active], 2 * NSEC_PER_SEC + NSEC_PER_USEC);
	assert_int_equal(f.words[f.layout.group_active + 1], 2 * NSEC_PER_SEC);
	assert_true(sampler_all_rounds(f.s));
}

static void test_stop_reads_the_rest(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	sampler_start(f.s, NULL);
	f.hand.at_stop = 5;
	count(100, 10);
	now += 300 * NSEC_PER_MSEC;
	sampler_stop(f.s);
	ring_read(&f.ring, f.words);
	assert_int_equal(total(EVENT), 15);
	assert_false(f.hand.counting);
}

static void test_refused_stays(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.hand.start_reason[EVENT] = REASON_REFUSED;
	sampler_start(f.s, NULL);
	count(100, 10);
	tick();
	assert_int_equal(reason(EVENT), REASON_REFUSED);
	assert_int_equal(total(EVENT), 0);
	assert_int_equal(total(CLOCK), 100);
}

/* 323535-001 p 2-128: low 24 bits 0 or 1 read 0x1000000 too high; never on the base. */
/* A counter that stood at 0 was read as 0x1000000: its base can be told only by what comes after it. */
static void test_erratum_of_a_base(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e6);        /* 2^24 counts are not possible in a second */
	f.slots[0][EVENT].erratum = (struct cat_erratum){ 0xffffff, 1, 0x1000000 };
	f.hand.raw[EVENT] = 0x1000000;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 5;
	f.hand.raw[CLOCK] = 1;
	tick();
	assert_int_equal(total(EVENT), 5);
	assert_int_equal(f.words[W_WRAPS] + f.words[W_RESETS], 0);
	f.hand.raw[EVENT] = 2;                  /* and this is a reset */
	f.hand.raw[CLOCK] = 2;
	tick();
	assert_int_equal(f.words[W_RESETS], 1);
	assert_int_equal(reason(EVENT), REASON_RESET);
}

static void test_erratum(void **state)
{
	(void)state;
	setup(1, NSEC_PER_SEC, 48, 1e9);
	f.slots[0][EVENT].erratum = (struct cat_erratum){ 0xffffff, 1, 0x1000000 };
	f.hand.raw[EVENT] = 0xffffff - 10;
	sampler_start(f.s, NULL);
	f.hand.raw[EVENT] = 0x2000000;          /* truly 0x1000000 */
	f.hand.raw[CLOCK] = 1;
	tick();
	assert_int_equal(total(EVENT), 11);
	f.hand.raw[EVENT] = 0x1000005;
	f.hand.raw[CLOCK] = 2;
	tick();
	assert_int_equal(total(EVENT), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_delta),
		cmocka_unit_test_teardown(test_totals_and_wrap, teardown),
		cmocka_unit_test_teardown(test_invalid_is_slots_times_ticks, teardown),
		cmocka_unit_test_teardown(test_round_that_cannot_start, teardown),
		cmocka_unit_test_teardown(test_missed_ticks, teardown),
		cmocka_unit_test_teardown(test_implausible_is_a_reset, teardown),
		cmocka_unit_test_teardown(test_foreign_discards_and_rearms, teardown),
		cmocka_unit_test_teardown(test_gap, teardown),
		cmocka_unit_test_teardown(test_gap_longer_than_safe, teardown),
		cmocka_unit_test_teardown(test_check_fails, teardown),
		cmocka_unit_test_teardown(test_fast, teardown),
		cmocka_unit_test_teardown(test_fast_checks_stay_rare, teardown),
		cmocka_unit_test_teardown(test_stopped_clock, teardown),
		cmocka_unit_test_teardown(test_zero_is_a_value, teardown),
		cmocka_unit_test_teardown(test_rotation, teardown),
		cmocka_unit_test_teardown(test_stop_reads_the_rest, teardown),
		cmocka_unit_test_teardown(test_refused_stays, teardown),
		cmocka_unit_test_teardown(test_erratum, teardown),
		cmocka_unit_test_teardown(test_erratum_of_a_base, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
