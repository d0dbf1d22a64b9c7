/* SPDX-License-Identifier: MIT
 * Another program takes the counters of some instances of a PMU: each
 * exported number is right, or absent with a reason.
 * Every event of the made-up kernel counts 1000 a millisecond while it runs, so the truth is 1e6 a
 * second for each.
 */
#include "plan_test.h"
#include "expo_scene.h"
#include "perf_fixture.h"

#include <math.h>

#define GROUPS \
	"groups = ( { name = \"memory\"; events = [ \"perf/uncore_imc/cas_count_read/\", " \
	"\"perf/uncore_imc/cas_count_write/\" ]; } );" \
	"metrics = ( { name = \"unit_ratio\"; per = \"unit\"; numerator = ( " \
	"\"perf/uncore_imc/cas_count_read/\" );" \
	"              denominator = ( \"perf/uncore_imc/cas_count_write/\" ); }," \
	"            { name = \"socket_ratio\"; per = \"socket\"; numerator = ( " \
	"\"perf/uncore_imc/cas_count_read/\" );" \
	"              denominator = ( \"perf/uncore_imc/cas_count_write/\" ); } );"

static const char seconds[] = "interval = \"1s\"; " GROUPS;
static const char fast[] = "interval = \"100ms\"; " GROUPS;
static const char rare[] = "interval = \"10s\"; " GROUPS;

enum { CHANNELS = 6, IMC_0 = 60 }; /* of a socket of skx.txt; the type of the first one's PMU */
#define READ_BYTES "memory_read_bytes_total"

static void busy(uint32_t type, unsigned percent)
{
	k.busy_type = type;
	k.busy_percent = percent;
}

static uint64_t state_of(const char *name) { return words[lay.metric_reason + metric_index(name)]; }

/* What is shown, and the time that it stands for; NAN: absent. */
struct shown {
	double slot[2 * CHANNELS], slot_active[2 * CHANNELS], bytes, bytes_active;
};

static struct shown look(void)
{
	unsigned bytes = metric_index(READ_BYTES);
	struct shown w;

	for (unsigned i = 0; i < 2 * CHANNELS; i++) {
		w.slot[i] = reason(i) == REASON_NONE ? (double)total(i) : NAN;
		w.slot_active[i] = (double)words[lay.slot_active + i] / 1e9;
	}
	w.bytes = state_of(READ_BYTES) == REASON_NONE
		? (double)words[lay.metric_value + bytes] : NAN;
	w.bytes_active = (double)words[lay.metric_active + bytes] / 1e9;
	return w;
}

static void right(double more, double seconds_more, double truth)
{
	if (isnan(more) || seconds_more <= 0)
		return;
	if (fabs(more / seconds_more / truth - 1) > 0.01 + 1e-9)
		fail_msg("%g in %g s, %g %% off", more, seconds_more,
			 (more / seconds_more / truth - 1) * 100);
}

/* Every rate between two looks is within 1 % of the truth, unless it is absent. */
static void all_right(const struct shown *was, const struct shown *is)
{
	for (unsigned i = 0; i < 2 * CHANNELS; i++)
		right(is->slot[i] - was->slot[i], is->slot_active[i] - was->slot_active[i], 1e6);
	right(is->bytes - was->bytes, is->bytes_active - was->bytes_active,
	      CHANNELS * 64e6);         /* 64 bytes for each read */
}

/* Ticks for so many ms, each of which has to show what is right. */
static void run(unsigned ms)
{
	nsec end = now + ms * NSEC_PER_MSEC;

	while (now < end) {
		struct shown was = look(), is;

		tick();
		is = look();
		all_right(&was, &is);
	}
}

static unsigned invalid_slots(enum reason why)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2 * CHANNELS; i++)
		n += reason(i) == why;
	return n;
}

/*
 * The first channel has a counter for 60 % of the time, five have one always. By the least of their
 * times, 6 of 10 s, the bytes would be (5 + 0.6) / 6 / 0.6 = 156 % of the truth.
 */
static void test_one_of_six(void **state)
{
	(void)state;
	run(2000);
	assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	assert_int_equal(state_of(READ_BYTES), REASON_NONE);
	busy(IMC_0, 60);
	run(10000);
	/* each total has its own time, and the sum of them none */
	assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	assert_int_equal(words[W_INVALID + REASON_NO_DATA], 0);
	assert_int_equal(active_ms(0), 12000);
	assert_int_equal(total(1), 12000000);
	assert_int_equal(words[lay.slot_active + 1] / NSEC_PER_MSEC, 12000);
	assert_int_equal(total(0), 2000000 + 6000000);
	assert_int_equal(words[lay.slot_active + 0] / NSEC_PER_MSEC, 8000);
	assert_int_equal(words[lay.slot_active_shown + 0], 1);
	assert_int_equal(words[lay.slot_active_shown + 1], 0);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	/* what both inputs counted for the same time, and what not */
	near(metric("unit_ratio"), 1);          /* of the first channel */
	assert_int_equal(state_of("socket_ratio"), REASON_NO_DATA);
	busy(0, 0);
	run(2000);
	assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	assert_int_equal(state_of(READ_BYTES), REASON_NONE);
	/* nothing that was counted is lost */
	assert_int_equal(total(0), 2000000 + 6000000 + 2000000);
	near(metric("socket_ratio"), 1);
}

/* One channel has no counter for nine tenths of a second and for another: what the others counted
 * then is no part of the sum. */
static void test_one_had_none(void **state)
{
	struct shown was, is;

	(void)state;
	run(2000);
	was = look();
	step(100);
	now += 100 * NSEC_PER_MSEC;
	busy(IMC_0, 0);
	tick();
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	tick();
	assert_int_equal(reason(0), REASON_NO_DATA);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	busy(0, 0);
	run(10000);
	assert_int_equal(state_of(READ_BYTES), REASON_NONE);
	is = look();
	all_right(&was, &is);
}

/* The same to a scrape: the sum is not there, and a row says why. */
static void test_shown(void **state)
{
	struct scene scene;
	char *text;

	(void)state;
	scene_open(&scene, m.p, NULL);
	tick();
	memcpy(scene.words[0], words, scene.rings[0].n_words * sizeof(*words));
	scene_publish(&scene);
	text = body_text(&scene, EXPO_TEXT);
	assert_non_null(strstr(text, "\nuncore_memory_read_bytes_total{socket=\"0\"} 384000000\n"));
	assert_null(strstr(text, "metric_invalid{socket=\"0\",metric=\"memory_read_bytes_total\""));
	free(text);
	busy(IMC_0, 60);
	tick();
	memcpy(scene.words[0], words, scene.rings[0].n_words * sizeof(*words));
	scene_publish(&scene);
	text = body_text(&scene, EXPO_TEXT);
	assert_null(strstr(text, "\nuncore_memory_read_bytes_total{socket=\"0\""));
	assert_non_null(strstr(text, "\nuncored_metric_invalid{socket=\"0\","
				     "metric=\"memory_read_bytes_total\","
				     "reason=\"no_data\"} 1\n"));
	assert_non_null(strstr(text, "\nuncore_imc_cas_count_read_total{socket=\"0\","
				     "unit=\"0\"} 1600000\n"));
	assert_non_null(strstr(text, "\nuncore_imc_cas_count_read_total{socket=\"0\","
				     "unit=\"1\"} 2000000\n"));
	assert_non_null(strstr(text, "\nuncored_slot_active_seconds_total{socket=\"0\","
				     "box=\"imc\",unit=\"0\","
				     "event=\"cas_count_read\"} 1.5999994277954102\n"));
	assert_null(strstr(text, "\nuncored_slot_active_seconds_total{socket=\"0\","
				 "box=\"imc\",unit=\"1\""));
	free(text);
	scene_close(&scene);
}

/* Shares that differ by less than 1 % are no news; those that differ by more are, always. */
static void test_how_much(void **state)
{
	(void)state;
	for (unsigned percent = 1; percent < 99; percent += 7) {
		busy(IMC_0, percent);
		run(3000);
		assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	}
	busy(IMC_0, 99);                /* not more than 1 % */
	run(10000);
	assert_int_equal(state_of(READ_BYTES), REASON_NONE);
	busy(IMC_0, 98);                /* that may be an odd second, but not three of them */
	for (unsigned i = 0; i < 3; i++)
		tick();
	for (unsigned i = 0; i < 20; i++) {
		tick();
		assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	}
}

/* A little that is missing all the time adds up: then the time of the total is shown. */
static void test_a_little_at_a_time(void **state)
{
	(void)state;
	run(2000);
	busy(IMC_0, 99);                /* 10 ms of each second */
	run(10000);
	assert_int_equal(words[lay.slot_active_shown + 0], 1);
	assert_int_equal(words[lay.slot_active_shown + 1], 0);
	assert_int_equal(words[lay.slot_active + 0] / NSEC_PER_MSEC, 12000 - 100);
}

/* All of them wait as long: the group's time is what they have, and everything is there. */
static void test_all_alike(void **state)
{
	(void)state;
	k.percent = 60;
	run(10000);
	assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	assert_int_equal(active_ms(0), 6000);
	assert_int_equal(total(3), 6000000);
	near(metric("socket_ratio"), 1);
	/* one of them waits longer, then one shorter: the time is that of those that ran longest */
	busy(IMC_0, 30);
	run(10000);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	assert_int_equal(active_ms(0), 12000);
	busy(IMC_0, 100);
	run(10000);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	assert_int_equal(active_ms(0), 22000);
}

/* Told at the next check where samples come faster, and forgotten within a few seconds. */
static void test_fast(void **state)
{
	(void)state;
	run(1000);
	busy(IMC_0, 60);
	run(100);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	assert_int_equal(state_of("socket_ratio"), REASON_NO_DATA);
	run(5000);
	busy(0, 0);
	run(5000);
	assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	assert_int_equal(state_of(READ_BYTES), REASON_NONE);
	near(metric("socket_ratio"), 1);
}

/*
 * The kernel changes events every 4 ms: in 100 ms those of one instance have 4 ms more than those
 * of another, in the next 100 less. Nothing is left out for that, and the group's time does not
 * become the sum of whoever had more.
 */
static void test_out_of_step(void **state)
{
	struct shown was, is;

	(void)state;
	k.percent = 50;
	run(3000);
	was = look();
	for (unsigned i = 0; i < 100; i++) {
		k.percent = i % 2 ? 52 : 48;
		busy(IMC_0, i % 2 ? 48 : 52);
		tick();
		assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	}
	is = look();
	assert_in_range(active_ms(0), 1500 + 4950, 1500 + 5050);
	all_right(&was, &is);
}

/* The same with a second between two samples, all of them waiting. */
static void test_out_of_step_by_the_second(void **state)
{
	(void)state;
	k.percent = 50;
	for (unsigned i = 0; i < 30; i++) {
		busy(IMC_0, i % 2 ? 49 : 51);   /* 10 ms more, 10 ms less */
		tick();
		assert_int_equal(invalid_slots(REASON_NONE), 2 * CHANNELS);
	}
}

/* Three of ten seconds are a window that is not whole, even if the end of it is. */
static void test_within_a_long_window(void **state)
{
	nsec begun;

	(void)state;
	run(20000);
	begun = now;
	busy(IMC_0, 60);
	while (now < begun + 3 * NSEC_PER_SEC)
		tick();
	busy(0, 0);
	run(7000);
	assert_int_equal(now % (10 * NSEC_PER_SEC), 0);
	assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
	assert_int_equal(state_of("socket_ratio"), REASON_NO_DATA);
}

/* In turns: five events of each instance do not fit onto its four counters. */
static const char turns[] =
	"interval = \"1s\"; rotation = \"2s\"; groups = ("
	"{ name = \"a\"; events = [ \"perf/uncore_imc/cas_count_read/\", "
	"\"perf/uncore_imc/cas_count_write/\", \"perf/uncore_imc/event=1,name=e1/\" ]; },"
	"{ name = \"b\"; events = [ \"perf/uncore_imc/event=2,name=e2/\", "
	"\"perf/uncore_imc/event=3,name=e3/\" ]; } );";

static void test_turns(void **state)
{
	uint64_t bytes = 0, active = 0;

	(void)state;
	assert_int_equal(m.p->sockets[0].n_rounds, 2);
	for (unsigned i = 0; i < 60; i++) {
		if (i == 20)
			busy(IMC_0 + 3, 60);
		if (i == 40)
			busy(0, 0);
		tick();
		if (i < 20 || i > 45)
			assert_int_equal(state_of(READ_BYTES), REASON_NONE);
		if (i > 24 && i < 40)
			assert_int_equal(state_of(READ_BYTES), REASON_NO_DATA);
		if (i == 15) {
			bytes = words[lay.metric_value + metric_index(READ_BYTES)];
			active = words[lay.metric_active + metric_index(READ_BYTES)];
		}
	}
	/* what was counted for different times is in neither */
	assert_true(words[lay.metric_active + metric_index(READ_BYTES)] >
		    active + 5 * NSEC_PER_SEC);
	right((double)(words[lay.metric_value + metric_index(READ_BYTES)] - bytes),
	      (double)(words[lay.metric_active + metric_index(READ_BYTES)] - active) / 1e9,
	      CHANNELS * 64e6);
}

/* A clock that one instance counts for all, and one that waits: the quotient is of two times. */
static const char clocked[] =
	"interval = \"1s\"; groups = ( { name = \"a\"; events = [ "
	"\"perf/uncore_imc_0/clockticks/\", \"perf/uncore_imc/cas_count_read/\" ]; } );"
	"metrics = ( { name = \"reads_per_tick_ratio\"; numerator = ( "
	"\"perf/uncore_imc_3/cas_count_read/\" );"
	"              denominator = ( \"perf/uncore_imc_0/clockticks/\" ); },"
	"            { name = \"others_hertz\"; numerator = ( "
	"\"perf/uncore_imc_3/cas_count_read/\" ); denominator = ( \"seconds\" ); } );";

static void test_gauges(void **state)
{
	(void)state;
	tick();
	tick();
	near(metric("reads_per_tick_ratio"), 1);
	busy(IMC_0, 60);
	tick();
	tick();
	assert_int_equal(state_of("reads_per_tick_ratio"), REASON_NO_DATA);
	near(metric("others_hertz"), 1e6);
	busy(IMC_0 + 3, 60);	/* it is the other's that is left out then; alone it is as it was */
	tick();
	tick();
	assert_int_equal(state_of("reads_per_tick_ratio"), REASON_NO_DATA);
	near(metric("others_hertz"), 1e6);
}

/* Samples of a sum whose parts ran for different times are no part of its peak. */
static const char peaks[] =
	"interval = \"1s\"; groups = ( { name = \"memory\"; resolution = \"100ms\"; events = [ "
	"\"perf/uncore_imc/cas_count_read/\","
	"\"perf/uncore_imc/cas_count_write/\" ]; } );";

static uint64_t left_out(void)
{
	const struct plan_socket *socket = &m.p->sockets[0];

	for (unsigned i = 0; i < socket->n_distributions; i++)
		if (strcmp(plan_distribution_metric(socket, &socket->distributions[i])->name,
			   READ_BYTES) == 0)
			return words[lay.samples_invalid + i];
	fail_msg("no peak of " READ_BYTES);
	return 0;
}

static void test_peaks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		tick();
	assert_int_equal(left_out(), 0);
	busy(IMC_0, 60);
	for (unsigned i = 0; i < 20; i++)
		tick();
	assert_int_equal(left_out(), 20);
}

/* While an event has no counter, there is no sample of its rate: it did not count 0. */
static const char rates[] =
	"interval = \"1s\"; groups = ( { name = \"reads\"; resolution = \"100ms\"; "
	"distribution = { counters = ( 1e6, 1e8 ); }; events = [ "
	"\"perf/uncore_imc_0/cas_count_read/\" ]; } );";

static void test_rates(void **state)
{
	const struct plan_socket *socket = &m.p->sockets[0];
	const uint64_t *h, *invalid;
	unsigned i = 0;

	(void)state;
	while (socket->distributions[i].metric >= 0)
		i++;
	assert_true(i < socket->n_distributions);
	h = &words[layout_histogram(socket, i)];
	invalid = &words[lay.samples_invalid + socket->distributions[i].series];
	for (i = 0; i < 20; i++)
		tick();
	assert_int_equal(*invalid, 0);
	busy(IMC_0, 0);
	for (i = 0; i < 5; i++)
		tick();
	busy(0, 0);
	for (i = 0; i < 25; i++)
		tick();
	assert_int_equal(*invalid, 5);
	assert_int_equal(h[H_CLASSIC + 0], 0);
	assert_in_range(h[H_CLASSIC + 1], 35, 45);     /* 64e6 bytes a second */
}

int main(void)
{
#define TEST(f, text) { #f, f, setup, teardown, &(struct scenario){ "skx.txt", text } }
	const struct CMUnitTest tests[] = {
		TEST(test_one_of_six, seconds), TEST(test_one_had_none, seconds),
		TEST(test_shown, seconds),
		TEST(test_how_much, seconds), TEST(test_a_little_at_a_time, seconds),
		TEST(test_all_alike, seconds),
		TEST(test_fast, fast), TEST(test_out_of_step, fast),
		TEST(test_out_of_step_by_the_second, seconds),
		TEST(test_within_a_long_window, rare), TEST(test_turns, turns),
		TEST(test_gauges, clocked), TEST(test_peaks, peaks), TEST(test_rates, rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
