/* SPDX-License-Identifier: MIT
 * Derived metrics in plans for the Xeon 7500, their peaks and distributions.
 * Addresses and values are those of 323535-001 (table or page at each) and of the contract's own
 * examples.
 */
#include "groups.h"

/* ------------------------------------------------------------------ metrics */

static void test_metrics(void **state)
{
	struct made m = make_nhmex(GROUPS(
		GROUP("memory", MEMORY ", \"wbox/CLOCKTICKS\"") ","
		GROUP("links", "\"rbox/FLITS_SENT,port=0\", \"rbox/NULL_IDLE,port=0\", "
			       "\"rbox/FLITS_SENT,port=5\", \"rbox/NULL_IDLE,port=5\"") ","
		GROUP("llc", "\"cbox/LLC_HITS:ALL\", \"cbox/LLC_MISSES\"") ","
		GROUP("one", "\"cbox2/LLC_HITS:ALL\", \"cbox2/LLC_MISSES:ALL\"") ","
		GROUP("filtered", "\"cbox/LLC_HITS:ALL,threshold=2\", \"cbox/LLC_MISSES\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	const struct plan_slot *v = s->rounds[0].slots;
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "clock_hertz", "", &x), 1);
	assert_string_equal(x->family, "uncore_clock_hertz");
	assert_int_equal(x->labels.n, 0);
	assert_string_equal(x->unit, "hertz");
	assert_int_equal(x->den.v[0].slot, -1);
	assert_false(x->counter);

	assert_int_equal(metrics_of(m.p, "imt_latency_seconds", ",unit=\"1\"", &x), 1);
	assert_string_equal(x->unit, "seconds");
	assert_int_equal(x->groups[0], 0);
	assert_true(x->num.n == 1 && x->den.n == 1 && x->guard_num.n == 1 && x->guard_den.n == 1);
	assert_string_equal(v[x->num.v[0].slot].identity, "bbox1/IMT_VALID_OCCUPANCY");
	assert_string_equal(v[x->den.v[0].slot].identity, "bbox1/IMT_INSERTS_ALL");
	assert_string_equal(v[x->guard_num.v[0].slot].identity, "bbox1/CONFLICTS");
	assert_string_equal(v[x->clock.v->slot].identity, "wbox0/CLOCKTICKS");
	assert_true(x->scale > 31.9 && x->scale < 32.1 && x->guard_max > 0.049 &&
		    x->guard_max < 0.051);

	assert_int_equal(metrics_of(m.p, "link_utilization_ratio", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "link_utilization_ratio",
				    ",unit=\"0\",port=\"0\",link=\"qpi1\"", NULL), 1);
	assert_int_equal(metrics_of(m.p, "link_utilization_ratio",
				    ",unit=\"0\",port=\"5\",link=\"qpi3\"", &x), 1);
	/* What refutes it leaves it out: it is not clamped. */
	assert_true(x->complement && !x->clamp && x->guard_max == 1);
	assert_string_equal(v[x->num.v[0].slot].identity, "rbox0/NULL_IDLE,port=5");
	assert_string_equal(v[x->den.v[0].slot].identity, "rbox0/FLITS_SENT,port=5");

	/* once, whoever names the events; never with a threshold in the way */
	assert_int_equal(metrics_of(m.p, "llc_hit_ratio", NULL, NULL), 8);
	assert_int_equal(metrics_of(m.p, "llc_hit_ratio", ",unit=\"2\"", &x), 1);
	assert_int_equal(x->n_groups, 3);
	assert_int_equal(metrics_of(m.p, "llc_socket_hit_ratio", NULL, &x), 1);
	assert_string_equal(s->groups[x->groups[0]].name, "llc");
	assert_true(x->num.n == 8 && x->den.n == 16);
	made_done(&m);
}

/* Links of the S-Box: one family, the link is a label of the row. */
static void test_metric_links(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("s", "\"wbox/CLOCKTICKS\", "
						     "\"sbox/FLITS_SENT_DRS\", "
						     "\"sbox/PKTS_RCVD_DRS_FROM_B\"") ","
					  GROUP("bytes", "\"bbox/IMT_INSERTS_RD\"")));
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio", NULL, NULL), 4);
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio",
				    ",unit=\"0\",link=\"s2r\"", NULL), 1);
	assert_int_equal(metrics_of(m.p, "link_drs_utilization_ratio",
				    ",unit=\"1\",link=\"b2s\"", &x), 1);
	assert_true(x->scale > 8.9 && x->scale < 9.1);
	assert_int_equal(metrics_of(m.p, "memory_read_bytes_total", ",unit=\"1\"", &x), 1);
	assert_true(x->counter && x->den.n == 0);
	made_done(&m);
}

#define OWN(fields) "metrics = ( { " fields " } );\n"
#define HITS GROUPS(GROUP("g", "\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\", \"wbox/CLOCKTICKS\"") \
		    "," GROUP("h", "\"cbox/LLC_HITS:M\", \"cbox/LLC_HITS:E\""))

#define FAMILY "OpenMetrics calls a counter without its _total, so it and the metric "
#define CHOOSE " would be one; choose another name"

static void test_own_metrics(void **state)
{
	struct made m = make_nhmex(HITS "metrics = ( { name = \"modified_ratio\"; numerator = ( "
		"\"cbox/LLC_HITS:M\" );"
		"denominator = ( { event = \"cbox/LLC_HITS:M\"; weight = 2; }, \"cbox/LLC_HITS:E\" "
		"); scale = 2.0; help = \"Own\"; },"
		"{ name = \"hits_per_second\"; unit = \"second\"; per = \"socket\"; "
		"numerator = ( \"cbox/LLC_HITS:M\" );"
		"denominator = ( \"seconds\" ); } );\n");
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "modified_ratio", NULL, NULL), 8);
	assert_int_equal(metrics_of(m.p, "modified_ratio", ",unit=\"7\"", &x), 1);
	assert_string_equal(x->family, "uncore_modified_ratio");
	assert_string_equal(x->help, "Own");
	assert_true(x->den.v[0].weight > 1.9 && x->den.v[0].weight < 2.1 && x->scale > 1.9 &&
		    x->scale < 2.1);
	assert_int_equal(metrics_of(m.p, "hits_per_second", "", &x), 1);
	assert_int_equal(x->n_groups, 2);
	assert_true(x->num.n == 8 && x->den.v[0].slot == -1);
	made_done(&m);

	/* both inputs of the same port */
	m = make_nhmex(GROUPS(GROUP("p", "\"rbox/NULL_IDLE,port=0\", \"rbox/NULL_IDLE,port=5\", "
		"\"rbox/FLITS_SENT,port=5\"")) OWN(
		"name = \"idle_ratio\"; numerator = ( \"rbox/NULL_IDLE\" ); denominator = ( "
		"\"rbox/FLITS_SENT\" );"));
	assert_int_equal(metrics_of(m.p, "idle_ratio", NULL, &x), 1);
	assert_string_equal(labels_text(m.p->arena, x->labels),
			    ",unit=\"0\",port=\"5\",link=\"qpi3\"");
	assert_true(x->num.v[0].slot == 1 && x->den.v[0].slot == 2);
	made_done(&m);

	refuse(HITS OWN("name = \"cbox_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = "
	       "( \"seconds\" );"),
	       "t.conf:2: metric 'cbox_ratio': its first word 'cbox' is the name of a box or PMU "
	       "and would look like a count of it");
	/* of any processor's: a configuration may be for many machines */
	refuse(HITS OWN("name = \"r3qpi_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator "
	       "= ( \"seconds\" );"),
	       "t.conf:2: metric 'r3qpi_ratio': its first word 'r3qpi' is the name of a box or PMU "
	       "and would look like a count of it");
	/* of the kernel's PMUs, those of other machines too */
	refuse(HITS OWN("name = \"upi_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = "
	       "( \"seconds\" );"),
	       "t.conf:2: metric 'upi_ratio': its first word 'upi' is the name of a box or PMU and "
	       "would look like a count of it");
	refuse(HITS OWN("name = \"cstate_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator "
	       "= ( \"seconds\" );"),
	       "t.conf:2: metric 'cstate_ratio': its first word 'cstate' is the name of a box or "
	       "PMU and would look like a count of it");
	/* of every machine, whatever the one is that the plan is for */
	refuse(HITS OWN("name = \"cpu_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = "
	       "( \"seconds\" );"),
	       "t.conf:2: metric 'cpu_ratio': its first word 'cpu' is the name of a box or PMU and "
	       "would look like a count of it");
	/* a counter x_total is the family x in OpenMetrics: of two rows, and of a row and
	 * uncored's own metrics, those of other machines too */
	refuse(HITS "metrics = ( { name = \"hit_lines_total\"; numerator = ( \"cbox/LLC_HITS:M\" "
	       "); },\n{ name = \"hit_lines\"; numerator = ( \"cbox/LLC_HITS:M\" ); "
	       "denominator = ( \"seconds\" ); } );",
	       "t.conf:2: metric 'hit_lines_total': " FAMILY "'hit_lines'" CHOOSE);
	refuse(HITS "metrics = ( { name = \"hit_lines_total_total\"; numerator = ( "
	       "\"cbox/LLC_HITS:M\" ); },\n{ name = \"hit_lines_total\"; numerator = ( "
	       "\"cbox/LLC_HITS:M\" ); } );",
	       "t.conf:2: metric 'hit_lines_total_total': " FAMILY "'hit_lines_total'" CHOOSE);
	refuse(HITS OWN("name = \"memory_read_bytes\"; numerator = ( \"cbox/LLC_HITS:M\" ); "
			"denominator = ( \"seconds\" );"),
	       "t.conf:2: metric 'memory_read_bytes': " FAMILY "'memory_read_bytes_total'" CHOOSE);
	refuse(HITS OWN("name = \"llc_data_read_miss_latency_seconds_total\"; numerator = ( "
			"\"cbox/LLC_HITS:M\" );"),
	       "t.conf:2: metric 'llc_data_read_miss_latency_seconds_total': " FAMILY
	       "'llc_data_read_miss_latency_seconds'" CHOOSE);
	/* but uncored's own names may be used again */
	m = make_nhmex(HITS OWN("name = \"clock_hertz\"; numerator = ( \"cbox/LLC_HITS:M\" ); "
				"denominator = ( \"seconds\" );"));
	made_done(&m);
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/NIX\" ); denominator = ( "
	       "\"seconds\" );"),
	       "t.conf:2: metric 'x_ratio': cbox has no event 'NIX'; see: uncorectl list events "
	       "--processor nehalem-ex");
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/LLC_HITS:S\" ); denominator = ( "
	       "\"seconds\" );"),
	       "t.conf:2: metric 'x_ratio': no round counts all its events (of the same "
	       "unit); name it in the metrics of a group");
	refuse(HITS OWN("name = \"x_ratio\"; numerator = ( \"cbox/LLC_HITS:M\" ); denominator = ( "
	       "\"hours\" );"),
	       "t.conf:2: metric 'x_ratio': 'hours' is neither an event (box/EVENT) nor the word "
	       "'seconds'");
}

/* The contract's example of a row has the name of one of the processor's: the configuration's
 * counts, once a unit. */
static void test_row_of_the_contract(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("memory", MEMORY)) OWN(
		"name = \"imt_latency_cycles\"; unit = \"cycles\"; per = \"unit\"; "
		"scale = 32.0;"
		"numerator = ( \"bbox/IMT_VALID_OCCUPANCY\" ); denominator = ( { event = "
		"\"bbox/IMT_INSERTS_ALL\"; weight = 1; } );"
		"guard = { numerator = ( \"bbox/CONFLICTS\" ); denominator = ( "
		"\"bbox/IMT_INSERTS_ALL\" ); max = 0.05; };"
		"help = \"Mine\";"));
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "imt_latency_cycles", ",unit=\"1\"", &x), 1);
	assert_string_equal(x->help, "Mine");
	assert_true(x->scale > 31.9 && x->scale < 32.1 && x->guard_num.n == 1);
	made_done(&m);
}

/* A clock is in most rows: a group that has no more of a row is not told what it lacks. */
static void test_lacking(void **state)
{
	struct made m = make_nhmex(GROUPS(GROUP("clock", "\"mbox/CYCLES\"") ","
					  GROUP("tf", "\"bbox/TF_ALL\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	const char *group = "";
	unsigned clock = 0, occupancy = 0;

	(void)state;
	for (unsigned i = 0; i < s->n_lacking; i++) {
		clock += strcmp(s->lacking[i].group, "clock") == 0;
		occupancy += strcmp(s->lacking[i].metric, "tf_all_occupancy_entries") == 0 &&
			     strcmp(s->lacking[i].event, "wbox/CLOCKTICKS") == 0;
		if (strcmp(s->lacking[i].metric, "tf_all_occupancy_entries") == 0)
			group = s->lacking[i].group;
	}
	assert_int_equal(clock, 0);
	assert_int_equal(occupancy, 1);
	assert_string_equal(group, "tf");
	made_done(&m);

	/* it may stand in another group of the same round */
	m = make_nhmex(GROUPS(GROUP("clock", "\"wbox/CLOCKTICKS\"") ","
			      GROUP("tf", "\"bbox/TF_ALL\"")));
	assert_int_equal(metrics_of(m.p, "tf_all_occupancy_entries", NULL, NULL), 2);
	made_done(&m);
}

/* ------------------------------------------------------------------ peaks and distributions */

#define CLOCK_GROUP(resolution, more) \
	GROUPS(FINE("a", resolution, more, "\"wbox/CLOCKTICKS\", \"bbox0/IMT_NE_CYCLES\""))

/* clock_hertz is of the socket, imt_busy_ratio of one unit; two slots, two metrics. */
static void test_watches(void **state)
{
	static const struct { int line; const char *text; unsigned peaks, distributions,
			      series; } rows[] = {
		{ __LINE__, CLOCK_GROUP("1s", ""), 0, 0, 4 },
		{ __LINE__, CLOCK_GROUP("10ms", ""), 2, 1, 4 + 2 + 14 },        /* peaks; 11 bounds, +Inf, sum, count */
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = false;"), 2, 0, 4 + 2 },
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = true;"), 4, 4, 4 + 4 + 4 * 14 },
		{ __LINE__, CLOCK_GROUP("10ms", "distribution = { counters = false; };"), 2, 2, 4 + 2 + 28 },
		{ __LINE__, CLOCK_GROUP("1s", "distribution = { counters = false; buckets = ( 0.5, 1 ); };"), 2, 2, 4 + 2 + 10 },
		{ __LINE__, CLOCK_GROUP("1s", "distribution = { buckets = ( 0.5, 1 ); counters = ( 1e6 ); };"), 4, 4, 4 + 4 + 10 + 8 },
		{ __LINE__, CLOCK_GROUP("1s", "")
		  " metrics = ( { name = \"idle_x_ratio\"; distribution = true; "
		  "numerator = ( \"bbox0/IMT_NE_CYCLES\" ); denominator = ( \"wbox/CLOCKTICKS\" ); "
		  "complement = true; } );",
		  1, 1, 5 + 1 + 14 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = make_nhmex(rows[i].text);
		const struct plan_socket *s = &m.p->sockets[0];
		unsigned distributions = 0;

		for (unsigned w = 0; w < s->n_distributions; w++)
			distributions += s->distributions[w].has_histogram;
		if (s->n_distributions != rows[i].peaks || distributions != rows[i].distributions ||
		    m.p->n_series != rows[i].series)
			fail_msg("line %d: %u peaks, %u distributions, %u series", rows[i].line,
				 s->n_distributions, distributions,
				 m.p->n_series);
		made_done(&m);
	}
}

static void test_distribution_names(void **state)
{
	static const struct { const char *metric, *peak, *family; double zero;
			      bool negative; } rows[] = {
		{ "clock_hertz", "uncore_clock_peak_hertz", "uncore_clock_distribution_hertz", 1, false },
		{ "memory_read_bytes_total", "uncore_memory_read_peak_bytes_per_second",
		  "uncore_memory_read_distribution_bytes_per_second", 1, false },
		{ "imt_busy_ratio", "uncore_imt_busy_peak_ratio", "uncore_imt_busy_distribution_ratio", 0x1p-17, false },
		{ "free_x_ratio", "uncore_free_x_peak_ratio", "uncore_free_x_distribution_ratio", 0x1p-17, true },
		{ "round_trips_per_second", "uncore_round_peak_trips_per_second", "uncore_round_distribution_trips_per_second", 0x1p-17, false },
	};
	struct made m = make_nhmex("metrics = ( { name = \"free_x_ratio\"; numerator = ( "
				   "\"bbox0/IMT_NE_CYCLES\" ); "
				   "denominator = ( \"wbox/CLOCKTICKS\" ); complement = true; "
				   "}, { name = \"round_trips_per_second\"; "
				   "numerator = ( \"bbox0/IMT_INSERTS_RD\" ); denominator = ( "
				   "\"seconds\" ); } );\n"
				   GROUPS(FINE("a", "10ms",
					       "distribution = { buckets = ( 0.5, 1 ); };",
					       "\"wbox/CLOCKTICKS\", \"bbox0/IMT_NE_CYCLES\", "
					       "\"bbox0/IMT_INSERTS_RD\"")));
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct plan_distribution *w = s->distributions;

		while (w < s->distributions + s->n_distributions &&
		       strcmp(plan_distribution_metric(s, w)->name, rows[i].metric) != 0)
			w++;
		if (w == s->distributions + s->n_distributions)
			fail_msg("no distribution of %s", rows[i].metric);
		assert_string_equal(w->peak_family, rows[i].peak);
		assert_string_equal(w->family, rows[i].family);
		assert_true(w->histogram.zero == rows[i].zero &&
			    w->histogram.negative == rows[i].negative);
		assert_true(w->histogram.n_bounds == 2 && w->histogram.bounds[0] == 0.5 &&
			    w->histogram.bounds[1] == 1);
	}
	made_done(&m);
}

/* Of a counter it is the rate: in each group that asks for it, with the labels of the raw
 * series, and with the bounds of the group that names some, be it the first or not. */
static void test_counter_watches(void **state)
{
	struct made m = make_nhmex("peak_window = \"90s\"; " GROUPS(
		FINE("z", "10ms", "distribution = true;", "\"cbox2/LLC_HITS:M:E\"") ", "
		FINE("a", "10ms", "distribution = { counters = ( 1e6, 2e6 ); };",
		     "\"bbox1/MSGS_S_TO_B\", \"cbox2/LLC_HITS:M:E\"") ", "
		FINE("b", "10ms", "distribution = true;", "\"cbox2/LLC_HITS:M:E\"") ", "
		FINE("c", "10ms", "", "\"cbox2/LLC_HITS:M:E\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	static const struct { const char *name, *labels, *family, *peak; unsigned group, bounds;
			      double last; } rows[] = {
		{ "cbox_llc_hits_total", ",unit=\"2\",umask=\"M:E\"",
		  "uncore_cbox_llc_hits_distribution_events_per_second",
		  "uncore_cbox_llc_hits_peak_events_per_second", 0, 2, 2e6 },
		{ "bbox_msgs_sbox_to_bbox_total", ",unit=\"1\"",
		  "uncore_bbox_msgs_sbox_to_bbox_distribution_events_per_second",
		  "uncore_bbox_msgs_sbox_to_bbox_peak_events_per_second", 1, 2, 2e6 },
	};

	(void)state;
	assert_int_equal(s->n_distributions, COUNT(rows));
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_distribution *w = &s->distributions[i];

		assert_string_equal(plan_distribution_metric(s, w)->name, rows[i].name);
		assert_string_equal(labels_text(m.p->arena, plan_distribution_metric(s, w)->labels),
				    rows[i].labels);
		assert_string_equal(w->family, rows[i].family);
		assert_string_equal(w->peak_family, rows[i].peak);
		assert_int_equal(plan_distribution_metric(s, w)->groups[0], rows[i].group);
		assert_int_equal(w->histogram.n_bounds, rows[i].bounds);
		assert_true(w->histogram.bounds[rows[i].bounds - 1] == rows[i].last);
		assert_non_null(strstr(w->peak_help, "in the last 90s "));
	}
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_metric_links),
		cmocka_unit_test(test_own_metrics),
		cmocka_unit_test(test_row_of_the_contract),
		cmocka_unit_test(test_lacking),
		cmocka_unit_test(test_watches),
		cmocka_unit_test(test_distribution_names),
		cmocka_unit_test(test_counter_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
