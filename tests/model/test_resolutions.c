/* SPDX-License-Identifier: MIT
 * Groups that look more often than the interval: what shows of a burst, how
 * many samples there are beside others, after a reset, a read that was held up, a check that
 * failed, over turns and a reload.
 * Numbers of samples are counted by hand from what is done and when; what a clock or a link is
 * worth is the model's.
 */
#include "samples.h"

/* ------------------------------------------------------------------ a burst between two scrapes */

#define LINKS(resolution, more) \
	"interval = \"1s\"; groups = ( { name = \"links\"; resolution = \"" resolution "\"; " more \
	" events = [ \"wbox/CLOCKTICKS\", \"rbox/FLITS_SENT,port=0\", \"rbox/NULL_IDLE,port=0\" " \
	"]; } );"

static unsigned watch_of(const struct run *run, const char *name)
{
	const struct plan_socket *s = &run->plan->sockets[0];

	for (unsigned w = 0; w < s->n_distributions; w++)
		if (strcmp(plan_distribution_metric(s, &s->distributions[w])->name, name) == 0)
			return w;
	print_error("no watch of %s\n", name);
	fail();
	return 0;
}

/* Busy for 25 ms, calm for 25 ms: the window of a second knows the mean only. */
static void a_burst_shows(void **state)
{
	unsigned w, links;
	double mean, peak;

	(void)state;
	rig_open(&r, 1, "bursty", 5);
	run_open(&u, &r, LINKS("5ms", "distribution = true;"), NULL);
	w = watch_of(&u, "link_utilization_ratio");
	links = socket0()->distributions[w].metric;
	run_start(&u);
	run_ticks(&u, 3 * 200, 0);
	mean = real(u.s[0].words[u.s[0].layout.metric_value + links]);
	peak = real(u.s[0].words[u.s[0].layout.peak_value + w]);
	/* the model's load of a burst: 0.40 of the link; calm: 0.01 */
	assert_true(peak > 0.38 && peak < 0.42);
	assert_true(mean > 0.19 && mean < 0.22);
	/* Five samples of 5 ms in each burst, five in each pause; the bounds 0.05 and 0.4 or 0.5
	 * part them. */
	assert_int_equal(words_of(w)[H_CLASSIC], 300);
	assert_int_equal(words_of(w)[H_CLASSIC + 4] + words_of(w)[H_CLASSIC + 5], 300);
	/* It is remembered for a minute, whoever looks meanwhile. Then there is but one sample, and
	 * that a long one. */
	run_ticks(&u, 1, 58 * NSEC_PER_SEC);
	assert_true(real(u.s[0].words[u.s[0].layout.peak_value + w]) > 0.38);
	run_ticks(&u, 1, 61 * NSEC_PER_SEC);
	assert_true(real(u.s[0].words[u.s[0].layout.peak_value + w]) < 0.22);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------ two resolutions at once; rotation */

/* Samples in the histograms of this metric or counter, of all units. */
static uint64_t count_of(const struct run *run, const char *name)
{
	const struct plan_socket *s = &run->plan->sockets[0];
	uint64_t n = 0;

	for (unsigned w = 0; w < s->n_distributions; w++) {
		const struct plan_metric *m = plan_distribution_metric(s, &s->distributions[w]);
		const uint64_t *words = &run->s[0].words[layout_histogram(s, w)];

		if (s->distributions[w].has_histogram && strcmp(m->name, name) == 0)
			for (unsigned b = 0; b <= s->distributions[w].histogram.n_bounds; b++)
				n += words[H_CLASSIC + b];
	}
	return n;
}

static void groups_keep_their_resolution(void **state)
{
	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ("
		 "{ name = \"a\"; resolution = \"2ms\"; events = [ \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; resolution = \"50ms\"; events = [ \"cbox/LLC_HITS:ALL\", "
		 "\"cbox/LLC_MISSES:ALL\" ]; },"
		 "{ name = \"c\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; distribution = true; },"
		 "{ name = \"d\"; resolution = \"2ms\"; events = [ \"rbox/NULL_IDLE,port=0\" ]; "
		 "distribution = false; } );", NULL);
	run_start(&u);
	run_ticks(&u, 2000, 0);
	/* A metric of the whole socket has a distribution unless the group says no. */
	assert_int_equal(count_of(&u, "clock_hertz"), 2000);
	assert_int_equal(count_of(&u, "llc_socket_hit_ratio"), 80);
	assert_int_equal(count_of(&u, "memory_read_bytes_total"), 2 * 4);
	/* So has the rate of a counter if its group says yes. */
	assert_int_equal(count_of(&u, "bbox_imt_inserts_rd_total"), 2 * 4);
	assert_int_equal(count_of(&u, "link_utilization_ratio"), 0);
	assert_int_equal(u.s[0].words[W_TICKS], 2001);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* What several groups count has the finest resolution of theirs, and the distribution that one of
 * them asks for. */
static void groups_share_what_they_count(void **state)
{
	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ("
		 "{ name = \"a\"; resolution = \"50ms\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; "
		 "distribution = true; },"
		 "{ name = \"b\"; resolution = \"2ms\"; events = [ \"bbox/IMT_INSERTS_RD\" ]; "
		 "distribution = false; } );", NULL);
	run_start(&u);
	run_ticks(&u, 500, 0);
	assert_int_equal(count_of(&u, "memory_read_bytes_total"), 2 * 500);
	assert_int_equal(count_of(&u, "bbox_imt_inserts_rd_total"), 2 * 500);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* No tick from 48 to 90 ms: the sample of 50 ms is one of 90. What is left until 100 ms is too
 * short for one and is the next one's, which ends at 150 ms as it should, and not as soon as a tick
 * in between finds it long enough. */
static void a_late_sample_keeps_the_grid(void **state)
{
	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ("
		 "{ name = \"a\"; resolution = \"2ms\"; events = [ \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; resolution = \"50ms\"; events = [ \"cbox/LLC_HITS:ALL\", "
		 "\"cbox/LLC_MISSES:ALL\" ]; } );", NULL);
	run_start(&u);
	run_ticks(&u, 24, 0);
	run_ticks(&u, 1, 42 * MSEC);
	run_ticks(&u, 55, 0);
	assert_int_equal(model_now(r.m), 200 * MSEC);
	assert_int_equal(u.s[0].words[W_MISSED], 20);
	assert_int_equal(count_of(&u, "clock_hertz"), 24 + 1 + 55);
	assert_int_equal(count_of(&u, "llc_socket_hit_ratio"), 3);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A counter set to 0 in the middle of a long sample spoils that one, and of the short ones the one
 * it happened in. */
static void a_reset_spoils_its_sample(void **state)
{
	unsigned clock, cache;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ("
		 "{ name = \"a\"; resolution = \"2ms\"; events = [ \"wbox/CLOCKTICKS\" ]; },"
		 "{ name = \"b\"; resolution = \"50ms\"; events = [ \"cbox/LLC_HITS:ALL\", "
		 "\"cbox/LLC_MISSES:ALL\" ]; } );", NULL);
	clock = u.s[0].layout.samples_invalid + watch_of(&u, "clock_hertz");
	cache = u.s[0].layout.samples_invalid + watch_of(&u, "llc_socket_hit_ratio");
	for (unsigned k = 0; k < 2; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, TOP48 / 2);
	run_start(&u);
	run_ticks(&u, 25 + 7, 0);
	for (unsigned k = 0; k < 2; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, 0);
	run_ticks(&u, 500 - 25 - 7, 0);
	assert_int_equal(u.s[0].words[W_RESETS], 2);
	assert_int_equal(count_of(&u, "clock_hertz"), 499);
	assert_int_equal(u.s[0].words[clock], 1);
	assert_int_equal(count_of(&u, "llc_socket_hit_ratio"), 19);
	assert_int_equal(u.s[0].words[cache], 1);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* Three milliseconds pass in the middle of a read. */
static void hold_up(struct rig *rig, unsigned socket, struct reg reg, bool write)
{
	unsigned *reads = rig->hook_arg;

	(void)socket;
	(void)reg;
	if (!write && ++*reads == 5)
		model_advance(rig->m, 3 * MSEC);
}

/* Counters before and after it did not count for the same time: no sample, before and after; no
 * count is lost. */
static void a_read_that_was_held_up(void **state)
{
	unsigned reads = 0;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	r.latency = 2000;               /* eleven reads of 2 us are no matter */
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"a\"; resolution = \"1ms\"; "
		 "distribution = true; events = [ "
		 "\"wbox/CLOCKTICKS\", \"cbox/LLC_HITS:ALL\", \"bbox/IMT_INSERTS_RD\" ]; } );",
		 NULL);
	assert_int_equal(u.s[0].n_slots, 11);
	run_start(&u);
	run_ticks(&u, 250, 0);
	r.hook = hold_up;
	r.hook_arg = &reads;
	run_ticks(&u, 1, 0);
	assert_true(reads >= 11);
	r.hook = NULL;
	run_ticks(&u, 150, 0);
	for (unsigned w = 0; w < socket0()->n_distributions; w++)
		assert_int_equal(u.s[0].words[u.s[0].layout.samples_invalid + w], 2);
	assert_int_equal(u.s[0].words[W_MISSED], 2);      /* the third is late */
	assert_true(real(u.s[0].words[u.s[0].layout.peak_value +
				      watch_of(&u, "clock_hertz")]) < 2.41e9);
	assert_true(real(u.s[0].words[u.s[0].layout.peak_value +
				      watch_of(&u, "clock_hertz")]) > 2.39e9);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A check that cannot tell vouches for nothing: what waited for it goes with what is found
 * later. */
static void doubt_waits(void **state)
{
	const struct slot *s;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"a\"; resolution = \"10ms\"; "
			 "events = [ \"wbox/CLOCKTICKS\" ]; } );",
		 NULL);
	s = &u.s[0].slots[0];
	run_start(&u);
	run_ticks(&u, 15, 0);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, true);
	run_ticks(&u, 10, 0);
	assert_int_equal(slot_reason(&u, 0, s), REASON_READ_ERROR);
	assert_int_equal(count_of(&u, "clock_hertz"), 10);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, false);
	run_ticks(&u, 10, 0);
	assert_int_equal(count_of(&u, "clock_hertz"), 30);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, true);
	run_ticks(&u, 5, 0);
	model_fault(r.m, 0, MODEL_EIO, s->ctl, false);
	model_poke(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ 1);
	run_ticks(&u, 10, 0);
	assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
	assert_int_equal(count_of(&u, "clock_hertz"), 30);
	assert_int_equal(u.s[0].words[u.s[0].layout.samples_invalid], 20);
	run_close(&u);
	rig_close(&r);
}

/* Each round at its own pace, nothing lost at the turns. */
static void rounds_tick_differently(void **state)
{
	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"500ms\"; rotation = \"500ms\"; groups = ("
		 "{ name = \"a\"; resolution = \"5ms\"; events = [ \"wbox/CLOCKTICKS\", "
		 "\"bbox/IMT_INSERTS_ALL\" ]; },"
		 "{ name = \"b\"; resolution = \"250ms\"; distribution = true; events = [ "
		 "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_RD\" ]; } );", NULL);
	assert_int_equal(socket0()->n_rounds, 2);
	run_start(&u);
	run_ticks(&u, 2 * (100 + 2), 0);
	assert_int_equal(model_now(r.m), 2 * NSEC_PER_SEC);
	/* both count the clock: its samples are those of the finer one */
	assert_int_equal(count_of(&u, "clock_hertz"), 200);
	assert_int_equal(count_of(&u, "memory_read_bytes_total"), 2 * 4);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(u.s[0].words[u.s[0].layout.group_active + i], NSEC_PER_SEC);
	assert_int_equal(u.s[0].words[W_MISSED], 0);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ reload */

static void a_reload_goes_on(void **state)
{
	static const char *const next[] = {
		LINKS("5ms", "distribution = true;"),
		LINKS("5ms", "distribution = { buckets = ( 0.1, 0.2 ); };"),
	};
	unsigned w;

	(void)state;
	for (size_t i = 0; i < COUNT(next); i++) {
		struct run v;
		uint64_t before[512];

		rig_open(&r, 1, "bursty", 5);
		run_open(&u, &r, LINKS("5ms", "distribution = true;"), NULL);
		w = watch_of(&u, "link_utilization_ratio");
		run_start(&u);
		run_ticks(&u, 1000, 0);
		run_stop(&u);
		memcpy(before, words_of(w),
		       histogram_words(&socket0()->distributions[w].histogram) * sizeof(*before));
		run_open(&v, &r, next[i], &u);
		v.before = &u;
		run_start(&v);
		run_close(&u);
		u = v;
		w = watch_of(&u, "link_utilization_ratio");
		if (i == 0) {
			assert_memory_equal(words_of(w), before, sizeof(uint64_t) * H_POSITIVE);
			run_ticks(&u, 100, 0);
			assert_int_equal(count_of(&u, "link_utilization_ratio"), 1100);
			assert_int_equal(words_of(w)[H_CREATED], before[H_CREATED]);
		} else {
			assert_true(words_of(w)[H_CREATED] > before[H_CREATED]);
			run_ticks(&u, 100, 0);
			assert_int_equal(count_of(&u, "link_utilization_ratio"), 100);
		}
		assert_true(real(u.s[0].words[u.s[0].layout.peak_value + w]) > 0.38);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* A window of another length has other parts: the old peak is no peak of it, but one of the same
 * length goes on. */
static void another_peak_window(void **state)
{
	static const char *const windows[] = { "peak_window = \"60s\"; ",
					       "peak_window = \"600s\"; " };

	(void)state;
	for (unsigned same = 0; same < 2; same++) {
		char first[512], next[512];
		struct run v;
		unsigned w;

		snprintf(first, sizeof(first), "%s%s", windows[0], LINKS("5ms", ""));
		snprintf(next, sizeof(next), "%s%s", windows[!same], LINKS("5ms", ""));
		rig_open(&r, 1, "bursty", 5);
		run_open(&u, &r, first, NULL);
		run_start(&u);
		run_ticks(&u, 1000, 0);
		w = watch_of(&u, "link_utilization_ratio");
		assert_int_equal(u.s[0].words[u.s[0].layout.peak_valid + w], 1);
		run_stop(&u);
		run_open(&v, &r, next, &u);
		v.before = &u;
		run_start(&v);
		run_close(&u);
		u = v;
		w = watch_of(&u, "link_utilization_ratio");
		assert_int_equal(u.s[0].words[u.s[0].layout.peak_valid + w], same);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* While nobody answers, no round begins and nothing is read: what was the peak of the last minute
 * is not for ever. */
static void peaks_grow_old_though_nothing_is_read(void **state)
{
	const uint64_t *words;
	unsigned w;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, "interval = \"500ms\"; rotation = \"500ms\"; groups = ("
		 "{ name = \"read\"; resolution = \"50ms\"; events = [ \"wbox/CLOCKTICKS\", "
		 "\"bbox/IMT_INSERTS_RD\" ]; },"
		 "{ name = \"write\"; events = [ \"bbox/IMT_INSERTS_WR\" ]; } );", NULL);
	assert_int_equal(socket0()->n_rounds, 2);
	w = watch_of(&u, "clock_hertz");
	words = u.s[0].words;
	run_start(&u);
	run_ticks(&u, 40, 0);
	assert_int_equal(words[u.s[0].layout.peak_valid + w], 1);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), true);
	run_ticks(&u, 50, NSEC_PER_SEC);
	assert_int_equal(words[u.s[0].layout.peak_valid + w], 1);
	run_ticks(&u, 20, NSEC_PER_SEC);
	assert_int_equal(words[u.s[0].layout.peak_valid + w], 0);
	model_fault(r.m, 0, MODEL_OFFLINE, msr(0), false);
	run_ticks(&u, 40, 0);
	assert_int_equal(words[u.s[0].layout.peak_valid + w], 1);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A metric of one's own that a reload puts together differently is another one, by the same name:
 * what the old one was worth is neither among its samples nor its peak. Who only writes its events
 * in another order goes on. */
#define OWN(scale, numerator, denominator, more) \
	"interval = \"1s\"; groups = ( { name = \"a\"; resolution = \"10ms\"; distribution = " \
	"true; events = [ \"wbox/CLOCKTICKS\"," \
	" \"bbox0/IMT_INSERTS_ALL\", \"bbox1/IMT_INSERTS_ALL\" ]; } ); metrics = ( { name = " \
	"\"own_ratio\"; per = \"socket\"; " \
	"scale = " scale "; numerator = ( " numerator " ); denominator = ( " denominator " ); " \
	more " } );"
#define BOTH "\"bbox0/IMT_INSERTS_ALL\", \"bbox1/IMT_INSERTS_ALL\""
#define BACK "\"bbox1/IMT_INSERTS_ALL\", \"bbox0/IMT_INSERTS_ALL\""
#define CLOCK "\"wbox/CLOCKTICKS\""

static void another_formula_begins_anew(void **state)
{
	static const struct { unsigned line; const char *conf; bool goes_on; } rows[] = {
		{ __LINE__, OWN("1000.0", BOTH, CLOCK, ""), true },
		{ __LINE__, OWN("1000.0", BACK, CLOCK, ""), true },
		{ __LINE__, OWN("1.0", BOTH, CLOCK, ""), false },
		{ __LINE__, OWN("1000.0", "\"bbox0/IMT_INSERTS_ALL\"", CLOCK, ""), false },
		{ __LINE__, OWN("1000.0", BOTH, "\"seconds\"", ""), false },
		{ __LINE__, OWN("1000.0", "\"bbox0/IMT_INSERTS_ALL\", { event = \"bbox1/IMT_INSERTS_ALL\"; weight = 2; }", CLOCK, ""), false },
		{ __LINE__, OWN("1000.0", BOTH, CLOCK, "clamp = true;"), false },
		{ __LINE__, OWN("1000.0", BOTH, CLOCK, "guard = { numerator = ( " CLOCK
				" ); denominator = ( \"seconds\" ); max = 1e12; };"),
		  false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run v;
		unsigned w;

		rig_open(&r, 1, "stream", 5);
		run_open(&u, &r, OWN("1000.0", BOTH, CLOCK, ""), NULL);
		run_start(&u);
		run_ticks(&u, 200, 0);
		assert_int_equal(count_of(&u, "own_ratio"), 200);
		run_stop(&u);
		run_open(&v, &r, rows[i].conf, &u);
		v.before = &u;
		run_start(&v);
		run_close(&u);
		u = v;
		w = watch_of(&u, "own_ratio");
		if (count_of(&u, "own_ratio") != (rows[i].goes_on ? 200 : 0) ||
		    u.s[0].words[u.s[0].layout.peak_valid + w] != rows[i].goes_on)
			fail_msg("row at line %u", rows[i].line);
		/* beside it everything goes on */
		assert_int_equal(count_of(&u, "clock_hertz"), 200);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_shows),
		cmocka_unit_test(groups_keep_their_resolution),
		cmocka_unit_test(groups_share_what_they_count),
		cmocka_unit_test(a_late_sample_keeps_the_grid),
		cmocka_unit_test(a_reset_spoils_its_sample),
		cmocka_unit_test(a_read_that_was_held_up),
		cmocka_unit_test(doubt_waits),
		cmocka_unit_test(rounds_tick_differently),
		cmocka_unit_test(a_reload_goes_on), cmocka_unit_test(another_peak_window),
		cmocka_unit_test(peaks_grow_old_though_nothing_is_read),
		cmocka_unit_test(another_formula_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
