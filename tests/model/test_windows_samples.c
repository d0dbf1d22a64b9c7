/* SPDX-License-Identifier: MIT
 * Distributions and overflow windows: a window is one sample, and none of a group beside it takes
 * the counts or the time of one.
 */
#include "windows.h"

/* Ten looks in the time of a window make no sample; a window makes one, and its value is the
 * window's. */
static void a_window_is_one_sample(void **state)
{
	uint64_t done;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, SECOND SAMPLED("resolution = \"100ms\"; ", 600000000), NULL);
	run_start(&u);
	for (unsigned k = 0; k < 40; k++) {
		grid_ticks(&u, 1);
		done = slot_total(&u, 0, run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL")) / 600000000;
		same_u64(samples_of(&u, "imt_rate_hertz"), done, "samples", __LINE__);
		same_u64(samples_of(&u, "imt_inserts_per_clock_ratio"), done, "samples", __LINE__);
	}
	assert_in_range(done, 9, 12);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* Single samples of a group beside windows: none takes the counts of a window whose length was
 * unknown when it was taken, or its time. Clocks show it: all their samples lie within 7 % of the
 * rate that they have. */
static void samples_of_a_clock(const char *processor, nsec latency, const char *clock,
			       const char *metric, const char *groups,
			       const char *buckets)
{
	const struct plan_socket *p;
	char conf[1024];
	struct rig r;
	struct run u;

	rig_open_as(&r, processor, 1, "stream", 5);
	r.latency = latency;
	snprintf(conf, sizeof(conf), "interval = \"200ms\"; groups = ( { name = \"m\"; resolution "
		 "= \"20ms\"; events = [ \"%s\" ]; "
		 "distribution = { buckets = ( %s ); counters = ( %s ); }; }, %s );", clock,
		 buckets, buckets, groups);
	run_open(&u, &r, conf, NULL);
	run_start(&u);
	grid_ticks(&u, 20);
	p = &u.plan->sockets[0];
	assert_int_equal(p->n_distributions, 2); /* the metric, and the rate of the event itself */
	assert_string_equal(plan_distribution_metric(p, &p->distributions[0])->name, metric);
	for (unsigned w = 0; w < p->n_distributions; w++) {
		const uint64_t *h = &u.s[0].words[layout_histogram(p, w)];

		assert_int_equal(p->distributions[w].histogram.n_bounds, 2);
		/* 200 ticks; some at the beginning nobody can tell the time of. */
		if (h[H_CLASSIC] || h[H_CLASSIC + 2] || h[H_CLASSIC + 1] < 150)
			fail_msg("%s: %" PRIu64 " samples too low, %" PRIu64 " right, %" PRIu64
				 " too high", processor,
				 h[H_CLASSIC], h[H_CLASSIC + 1], h[H_CLASSIC + 2]);
	}
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
}

static void a_neighbours_samples_are_of_the_unfrozen_time(void **state)
{
	static const char nehalem_ex[] =
		"{ name = \"w\"; events = [ \"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\" ]; "
		"window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = 1000000; }; }";
	static const char ivytown[] =
		"{ name = \"w\"; events = [ \"imc/DCLK\", \"imc/CAS_COUNT:RD\" ]; "
		"window = { event = \"imc0/CAS_COUNT:RD\"; count = 100000; }; }";

	(void)state;
	for (nsec latency = 0; latency <= 900; latency += 300) {
		samples_of_a_clock("nehalem-ex", latency, "wbox/CLOCKTICKS", "clock_hertz",
				   nehalem_ex, "2.24e9, 2.56e9");
		samples_of_a_clock("ivytown", latency, "imc0/DCLK", "dram_clock_hertz", ivytown,
				   "0.87e9, 1.0e9");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_is_one_sample),
		cmocka_unit_test(a_neighbours_samples_are_of_the_unfrozen_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
