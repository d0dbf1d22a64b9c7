/* SPDX-License-Identifier: MIT
 * Groups that name metrics, and ready-made groups by their names.
 * What a metric needs is written here as the Xeon 7500 guide has it: the latency of the in-flight
 * memory table (323535-001, 2.4.4.2) is its occupancy by its inserts, in cycles of the uncore
 * clock, where conflicts are few.
 */
#include "groups.h"

#include "base/bits.h"

#include <errno.h>

#define BUCKETS(of_metrics, of_counters) \
	"distribution = { buckets = ( " of_metrics " ); counters = ( " of_counters " ); };"
#define NAMES(name, metrics) "{ name = \"" name "\"; metrics = [ " metrics " ]; }"

/* The identities of a group's slots, in its order. */
static void expect_slots(int line, const struct plan *p, unsigned group, const char *want)
{
	const struct plan_socket *s = &p->sockets[0];
	const struct plan_group *g = &s->groups[group];
	char got[2048] = "";

	for (unsigned i = 0; i < g->n_slots; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 s->rounds[g->round].slots[g->slots[g->round][i]].identity);
	if (strcmp(got, want) != 0)
		fail_msg("line %d: %s", line, got);
}

static void test_inputs(void **state)
{
	static const struct { int line; const char *names, *slots; } rows[] = {
		/* occupancy, inserts, both of the guard, the clock; of each B-Box */
		{ __LINE__, "\"imt_latency_seconds\"",
		  "bbox0/IMT_VALID_OCCUPANCY bbox1/IMT_VALID_OCCUPANCY bbox0/IMT_INSERTS_ALL "
		  "bbox1/IMT_INSERTS_ALL bbox0/CONFLICTS bbox1/CONFLICTS wbox0/CLOCKTICKS" },
		{ __LINE__, "\"imt_latency_seconds,unit=1\"",
		  "bbox1/IMT_VALID_OCCUPANCY bbox1/IMT_INSERTS_ALL bbox1/CONFLICTS "
		  "wbox0/CLOCKTICKS" },
		/* once more for another unit: what both need is counted once */
		{ __LINE__, "\"imt_latency_seconds,unit=1\", \"imt_latency_seconds,unit=0\"",
		  "bbox1/IMT_VALID_OCCUPANCY bbox1/IMT_INSERTS_ALL bbox1/CONFLICTS "
		  "wbox0/CLOCKTICKS "
		  "bbox0/IMT_VALID_OCCUPANCY bbox0/IMT_INSERTS_ALL bbox0/CONFLICTS" },
		/* port 0 is link qpi1, port 5 qpi3 */
		{ __LINE__, "\"link_utilization_ratio,port=0\"",
		  "rbox0/NULL_IDLE,port=0 rbox0/FLITS_SENT,port=0" },
		{ __LINE__, "\"link_utilization_ratio,link=qpi3\"",
		  "rbox0/NULL_IDLE,port=5 rbox0/FLITS_SENT,port=5" },
		{ __LINE__, "\"link_utilization_ratio\"",
		  "rbox0/NULL_IDLE,port=0 rbox0/NULL_IDLE,port=1 rbox0/NULL_IDLE,port=2 "
		  "rbox0/NULL_IDLE,port=3 rbox0/NULL_IDLE,port=4 rbox0/NULL_IDLE,port=5 "
		  "rbox0/NULL_IDLE,port=6 rbox0/NULL_IDLE,port=7 "
		  "rbox0/FLITS_SENT,port=0 rbox0/FLITS_SENT,port=1 rbox0/FLITS_SENT,port=2 "
		  "rbox0/FLITS_SENT,port=3 rbox0/FLITS_SENT,port=4 rbox0/FLITS_SENT,port=5 "
		  "rbox0/FLITS_SENT,port=6 rbox0/FLITS_SENT,port=7" },
		/* a name that several rows have, one for each link */
		{ __LINE__, "\"link_drs_utilization_ratio,link=s2r\"",
		  "sbox0/FLITS_SENT_DRS sbox1/FLITS_SENT_DRS wbox0/CLOCKTICKS" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[512];
		struct made m;

		snprintf(text, sizeof(text), GROUPS(NAMES("g", "%s")), rows[i].names);
		m = make_nhmex(text);
		expect_slots(rows[i].line, m.p, 0, rows[i].slots);
		made_done(&m);
	}
}

/* The unit of Ivytown's QPI box is the link. */
static void test_link_of_a_unit(void **state)
{
	struct made m = make(GROUPS(NAMES("g", "\"link_sent_data_bytes_total,link=qpi1\"")),
			     "ivytown", 1, NULL, false);

	(void)state;
	assert_int_equal(m.r, 0);
	expect_slots(__LINE__, m.p, 0, "qpi1/TXL_FLITS_G0:DATA");
	made_done(&m);
}

/* All of it is shown, and the metric is of the group that names it. */
static void test_shown(void **state)
{
	struct made m = make_nhmex(GROUPS(
		"{ name = \"fine\"; resolution = \"10ms\"; metrics = [ \"clock_hertz\" ]; }, "
		NAMES("memory", "\"imt_latency_seconds\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(s->n_rounds, 1);
	assert_int_equal(s->n_series, 7);
	for (unsigned i = 0; i < s->n_series; i++)
		assert_true(s->series[i].shown);
	assert_int_equal(metrics_of(m.p, "imt_latency_seconds", ",unit=\"1\"", &x), 1);
	assert_int_equal(x->n_groups, 1);
	assert_int_equal(x->groups[0], 1);
	assert_int_equal(x->resolution, NSEC_PER_SEC);  /* a shared clock is no conflict */
	assert_int_equal(metrics_of(m.p, "clock_hertz", NULL, &x), 1);
	assert_int_equal(x->n_groups, 1);
	assert_int_equal(x->resolution, 10 * NSEC_PER_MSEC);
	made_done(&m);
}

/* An event of the group that is an input already is the one that is meant. */
static void test_own_events(void **state)
{
	struct made m = make_nhmex(GROUPS(
		"{ name = \"g\"; events = [ \"wbox/CLOCKTICKS\", \"rbox/NULL_IDLE,port=4,iperf=1\" "
		  "]; "
		"metrics = [ \"link_utilization_ratio,port=4\" ]; }"));

	(void)state;
	expect_slots(__LINE__, m.p, 0,
		     "wbox0/CLOCKTICKS rbox0/NULL_IDLE,port=4 rbox0/FLITS_SENT,port=4");
	assert_int_equal(metrics_of(m.p, "link_utilization_ratio", NULL, NULL), 1);
	made_done(&m);
}

/* The configuration's own rows are named alike, and evaluated where they are not named, too. */
static void test_own_rows(void **state)
{
#define OWN "metrics = ( { name = \"fill_ratio\"; numerator = ( \"bbox/IMT_FULL\" ); " \
	    "denominator = ( \"bbox/IMT_NE_CYCLES\" ); } );\n"
	struct made m = make_nhmex(GROUPS(NAMES("g", "\"fill_ratio,unit=0\"")) OWN);

	(void)state;
	expect_slots(__LINE__, m.p, 0, "bbox0/IMT_FULL bbox0/IMT_NE_CYCLES");
	made_done(&m);
	m = make_nhmex(GROUPS(GROUP("a", "\"bbox/IMT_FULL\"") "," GROUP("b",
		"\"bbox/IMT_NE_CYCLES\""))
		       OWN);
	assert_int_equal(metrics_of(m.p, "fill_ratio", NULL, NULL), 2);
	made_done(&m);
}

/* By name, as a list or an array, beside others: what the default has of that name. */
static void test_ready_made(void **state)
{
	struct made m = make_nhmex("groups = [ \"llc\" ];\n");
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_groups, 1);
	assert_string_equal(s->groups[0].name, "llc");
	assert_int_equal(s->groups[0].n_slots, 2 * 8);
	made_done(&m);
	m = make_nhmex("resolution = \"100ms\";\n" GROUPS(NAMES("m", "\"clock_hertz\"") ", "
		  "\"llc\""));
	assert_int_equal(m.p->sockets[0].n_groups, 2);
	assert_int_equal(m.p->sockets[0].groups[1].resolution, 100 * NSEC_PER_MSEC);
	made_done(&m);
	/* by both of its names: only a set leaves out what is named alone */
	m = make_nhmex("groups = [ \"cache\", \"llc\" ];\n");
	assert_string_equal(rounds_text(m.p), "cache llc");
	made_done(&m);
}

static void test_refused(void **state)
{
	static const struct { const char *text, *sentence; } rows[] = {
		{ "groups = [ \"memroy\" ];\n",
		  "t.conf:1: there is no ready-made group 'memroy' here; the nearest is 'memory'" },
		{ "groups = [ \"traffic\" ];\n",
		  "t.conf:1: there is no ready-made group 'traffic' here; the choices are memory, "
		  "llc, links and writes" },
		{ GROUPS(NAMES("g", "\"imt_latency_second\"")),
		  "t.conf:1: group 'g': there is no metric 'imt_latency_second' here; the nearest "
		  "is "
		  "'imt_latency_seconds' (uncorectl list metrics has all)" },
		{ GROUPS("{ name = \"g\"; events = [ \"uncore_clock_hertz\" ]; }"),
		  "t.conf:1: \"uncore_clock_hertz\" is a metric, not an event: metrics = [ "
		  "\"clock_hertz\" ], or uncorectl stat -M clock_hertz" },
		{ GROUPS(NAMES("g", "\"imt_latency_seconds,unit=2\"")),
		  "t.conf:1: group 'g': metric 'imt_latency_seconds' does not have the unit, port "
		  "or link that is given" },
		{ GROUPS(NAMES("g", "\"imt_latency_seconds,socket=0\"")),
		  "t.conf:1: \"imt_latency_seconds,socket=0\": there is no key \"socket\", because "
		  "every socket is counted; remove it, and select a socket where you read: "
		  "{socket=\"0\"} in PromQL" },
		{ GROUPS(NAMES("g", "\"link_utilization_ratio,unit=1\"")),
		  "t.conf:1: group 'g': metric 'link_utilization_ratio' has no other unit than 0; "
		  "remove unit=" },
		{ GROUPS(NAMES("g", "\"imt_latency_seconds,port=0\"")),
		  "t.conf:1: group 'g': metric 'imt_latency_seconds' has no port; remove port=" },
		{ GROUPS(NAMES("g", "\"imt_latency_seconds,link=qpi0\"")),
		  "t.conf:1: group 'g': metric 'imt_latency_seconds' has no link; remove link=" },
		{ GROUPS(NAMES("g", "\"clock_hertz,threshold=1\"")),
		  "t.conf:1: \"clock_hertz,threshold=1\": a metric has no key \"threshold\"; the "
		  "keys "
		  "are unit, port and link" },
		{ GROUPS(NAMES("g", "\"link_utilization_ratio,port=x\"")),
		  "t.conf:1: \"link_utilization_ratio,port=x\": key \"port\" needs a number" },
		/* in terms of the metrics: both need counter 1 of each B-Box */
		{ GROUPS(NAMES("g", "\"imt_latency_seconds\", \"memory_read_bytes_total\"")),
		  "t.conf:1: group 'g': bbox: IMT_INSERTS_ALL and IMT_INSERTS_RD both count only "
		  "on counter 1 (IMT_INSERTS_ALL is needed by imt_latency_seconds, IMT_INSERTS_RD "
		  "is needed by memory_read_bytes_total); move one of them to another group" },
		/* eight events of one metric, four sent and four received, on four counters */
		{ GROUPS(NAMES("g", "\"link_message_utilization_ratio\"")),
		  "t.conf:1: group 'g': "
		  "sbox: FLITS_SENT_DRS, PKTS_RCVD_SNP, PKTS_RCVD_NDR, PKTS_RCVD_DRS_FROM_R and "
		  "PKTS_RCVD_NCB are 5 events, but the unit has only 4 counters (all are needed by "
		  "link_message_utilization_ratio); "
		  "sbox: PKTS_SENT_NDR, FLITS_SENT_DRS, PKTS_RCVD_SNP, PKTS_RCVD_NDR and "
		  "PKTS_RCVD_DRS_FROM_R are 5 events, but the unit has only 4 counters (all are "
		  "needed by link_message_utilization_ratio); "
		  "sbox: PKTS_SENT_SNP, PKTS_SENT_NDR, FLITS_SENT_DRS, PKTS_RCVD_SNP and "
		  "PKTS_RCVD_NDR are 5 events, but the unit has only 4 counters (all are needed by "
		  "link_message_utilization_ratio); and others; narrow the metric by link=, port= "
		  "or unit=, and count the rest of it in another group" },
		{ GROUPS("{ name = \"w\"; window = { event = \"bbox0/IMT_INSERTS_ALL\"; count = "
			  "1000; "
			 "}; events = [ \"bbox/IMT_INSERTS_ALL\" ]; metrics = [ "
			 "\"imt_latency_seconds\" ]; }, " NAMES("g", "\"imt_latency_seconds\"")),
		  "t.conf:1: groups 'w' and 'g' both name 'imt_latency_seconds', but they do not "
		  "share the windows of 'w'; name the metric in only one of the groups" },
		{ GROUPS("{ name = \"a\"; metrics = [ \"clock_hertz\" ]; events = [ "
			 "\"bbox/IMT_FULL\" ]; " BUCKETS("1e9, 2e9", "1e6") " },\n"
			 "{ name = \"b\"; metrics = [ \"clock_hertz\" ]; "
			 BUCKETS("1e9, 3e9", "1e6") " }"),
		  "t.conf:2: groups 'a' and 'b' both name 'clock_hertz', but with different "
		  "buckets; its samples make one distribution, so give both groups the same "
		  "buckets, or only one of them any" },
		/* two units are one mistake */
		{ GROUPS("{ name = \"a\"; events = [ \"bbox/IMT_FULL\" ]; " BUCKETS("1", "1e6, 1e7")
			 " },\n{ name = \"b\"; events = [ \"bbox/IMT_FULL\" ]; " BUCKETS("1", "1e6")
			 " }"),
		  "t.conf:2: groups 'a' and 'b' both name 'bbox/IMT_FULL', but with different "
		  "buckets; its samples make one distribution, so give both groups the same "
		  "buckets, or only one of them any" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		refuse(rows[i].text, rows[i].sentence);
}

/* Where the kernel counts, a metric of registers alone is a mistake and not just left out. */
static void test_registers_alone(void **state)
{
	struct made m = make(GROUPS(NAMES("g", "\"imt_latency_seconds\"")), "nehalem-ex", 1, NULL,
			     true);

	(void)state;
	assert_int_equal(m.r, -EINVAL);
	assert_int_equal(m.d.n, 1);
	assert_string_equal(m.d.v[0], "t.conf:1: group 'g': metric 'imt_latency_seconds' counts "
			    "through registers, which the perf engine does not use; uncorectl "
			    "doctor says what prevents it");
	made_done(&m);
}

/* The inserts of all requests and those of reads need counter 1 of each B-Box (323535-001 Table
 * 2-24), so that the groups take turns. What both name is one distribution, with the buckets of the
 * group that has some. */
static void test_buckets_of_two_rounds(void **state)
{
	struct made m = make_nhmex(GROUPS(
		"{ name = \"a\"; metrics = [ \"imt_latency_seconds\", \"clock_hertz\" ]; "
		"events = [ \"cbox2/LLC_HITS:M:E\" ]; distribution = true; }, "
		"{ name = \"b\"; metrics = [ \"memory_read_bytes_total\", "
		"\"clock_hertz\" ]; events = [ \"cbox2/LLC_HITS:M:E\" ]; "
		BUCKETS("5, 7", "1e6, 3e6") " }"));
	const struct plan_socket *s = &m.p->sockets[0];
	unsigned found[2] = { 0 };

	(void)state;
	assert_int_equal(s->n_rounds, 2);
	for (unsigned i = 0; i < s->n_distributions; i++) {
		const struct plan_distribution *w = &s->distributions[i];
		const char *name = plan_distribution_metric(s, w)->name;
		bool counter = strcmp(name, "cbox_llc_hits_total") == 0;

		if (!counter && strcmp(name, "clock_hertz") != 0)
			continue;
		found[counter]++;
		assert_int_equal(w->histogram.n_bounds, 2);
		assert_true(w->histogram.bounds[1] == (counter ? 3e6 : 7));
	}
	assert_int_equal(found[0], 2);
	assert_int_equal(found[1], 2);
	made_done(&m);
}

/* Bands of the PCU move to a free byte of its filter (329468-002 Table 2-123), so one round can
 * have two of event FREQ_BAND0_CYCLES, whose band the metric leaves free. */
static void test_two_events_for_one_input(void **state)
{
	static const char both[] = "frequency_band0_ratio is not derived: "
		"pcu0/FREQ_BAND0_CYCLES,band=10 and pcu0/FREQ_BAND0_CYCLES,band=20 both fit its "
		"event pcu/FREQ_BAND0_CYCLES; ",
		own[] = "metrics = ( { name = \"mine_ratio\"; numerator = ( "
		"\"pcu/FREQ_BAND0_CYCLES\" ); denominator = ( \"pcu/CLOCKTICKS\" ); } );\n";
#define SLOW "\"pcu/FREQ_BAND0_CYCLES,band=10\""
#define FAST "\"pcu/FREQ_BAND0_CYCLES,band=20\""
#define TICKS "\"pcu/CLOCKTICKS\""
	static const struct { const char *groups; int of; const char *note; } rows[] = {
		{ GROUPS(GROUP("a", SLOW "," FAST "," TICKS)), -1,
		  "name it in the metrics of the group whose event is meant." },
		{ GROUPS(NAMES("a", "\"frequency_band0_ratio\" ]; events = [ " FAST "," TICKS) ", "
			 GROUP("b", SLOW)), 20, NULL },
		{ GROUPS(NAMES("b", "\"frequency_band0_ratio\" ]; events = [ " SLOW "," TICKS) ", "
			 GROUP("a", FAST)), 10, NULL },
		{ GROUPS(NAMES("a", "\"frequency_band0_ratio\" ]; events = [ "
			       SLOW "," FAST "," TICKS)), -1,
		  "put one of them into another group." },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = make(rows[i].groups, "ivytown", 1, NULL, false);
		const struct plan_socket *s = &m.p->sockets[0];
		int of = -1;

		assert_int_equal(s->n_rounds, 1);
		for (unsigned k = 0; k < s->n_metrics; k++)
			if (strcmp(s->metrics[k].name, "frequency_band0_ratio") == 0)
				of = strstr(s->rounds[0].slots[s->metrics[k].num.v->slot].identity,
					    "band=10") ? 10 : 20;
		assert_int_equal(of, rows[i].of);
		assert_int_equal(m.p->n_notes, rows[i].note ? 1 : 0);
		if (rows[i].note) {
			assert_memory_equal(m.p->notes[0], both, strlen(both));
			assert_string_equal(m.p->notes[0] + strlen(both), rows[i].note);
		}
		made_done(&m);
	}
	/* a row of the configuration is no mistake because of that */
	{
		char text[1024];
		struct made m;

		snprintf(text, sizeof(text), "%s%s", own, rows[0].groups);
		m = make(text, "ivytown", 1, NULL, false);
		assert_int_equal(m.p->sockets[0].n_metrics, 0);
		assert_int_equal(m.p->n_notes, 2);
		made_done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inputs), cmocka_unit_test(test_link_of_a_unit),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_own_events),
		cmocka_unit_test(test_own_rows),
		cmocka_unit_test(test_ready_made),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_registers_alone),
		cmocka_unit_test(test_buckets_of_two_rounds),
		cmocka_unit_test(test_two_events_for_one_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
