/* SPDX-License-Identifier: MIT
 * What a configuration of the Xeon 7500 is refused for, and with which words.
 * Addresses and values are those of 323535-001 (table or page at each) and of the contract's own
 * examples.
 */
#include "groups.h"

#include <errno.h>

#define ALONE  "move one of them to another group"

/* ------------------------------------------------------------------ refusals */

static void test_refusals(void **state)
{
	(void)state;
	refuse(GROUPS(GROUP("a", "\"bbox/IMT_FULL\", \"bbox/CONFLICTS\", \"bbox/TF_ALL\"")),
	       "t.conf:1: group 'a': bbox: IMT_FULL and CONFLICTS both count only on counter 3; "
	       ALONE);
	refuse(GROUPS("\n" GROUP("a", "\"bbox1/IMT_FULL\", \"bbox/CONFLICTS\"")),
	       "t.conf:2: group 'a': bbox1: IMT_FULL and CONFLICTS both count only on counter 3; "
	       ALONE);
	refuse(GROUPS(GROUP("a", "\"cbox/LLC_HITS:M,counter=2\", \"cbox/LLC_MISSES:S,counter=2\"")),
	       "t.conf:1: group 'a': cbox: LLC_HITS and LLC_MISSES are both pinned to counter 2; "
	       ALONE);
	/* 2.6.2 */
	refuse(GROUPS(GROUP("a", "\"rbox/FLITS_SENT,port=4\", \"rbox/NULL_IDLE,port=4\", "
	       "\"rbox/RETRYQ_NE,port=4\", \"rbox/RETRYQ_NE,port=5\"")),
	       "t.conf:1: group 'a': rbox port 4: FLITS_SENT, NULL_IDLE and RETRYQ_NE all need the "
	       "IPERF register of the port (at most "
	       "two of any event per port, 323535-001 2.6.2); " ALONE);
	refuse(GROUPS(GROUP("a", "\"bbox/MSG_ADDR_IN_MATCH,match=1,mask=1\", "
	       "\"bbox/MSG_IN_MATCH,match=2,mask=1\"")),
	       "t.conf:1: group 'a': bbox: MSG_ADDR_IN_MATCH and MSG_IN_MATCH need different "
	       "values in BB0_CR_B_MSR_MATCH, which they share; "ALONE);
	refuse(GROUPS(GROUP("a", "\"ubox/WOKEN\", \"ubox/RECOV\"")),
	       "t.conf:1: group 'a': ubox: WOKEN and RECOV are 2 events, but the unit has only 1 "
	       "counter; " ALONE);
	refuse(GROUPS(GROUP("a", "\"bbox/IMT_FULL\", \"bbox1/IMT_FULL\"")),
	       "t.conf:1: bbox1/IMT_FULL is listed twice in group 'a'");
	refuse(GROUPS(GROUP("a", "\"cbox/LLC_HITS:ALL\", \"cbox/LLC_HITS,counter=3\"")),
	       "t.conf:1: cbox/LLC_HITS,counter=3 is listed twice in group 'a'");
}

/* Two boxes, and two conflicts of one box: all are said at once, and none twice. */
static void test_every_conflict(void **state)
{
	static const char *const parts[] = {
		"cbox: LLC_HITS and LLC_MISSES are both pinned to counter 2",
		"bbox: IMT_FULL and CONFLICTS both count only on counter 3",
		"MSG_ADDR_IN_MATCH and MSG_IN_MATCH need different values in BB0_CR_B_MSR_MATCH",
	};
	struct made m = make(GROUPS(GROUP("a", "\"cbox/LLC_HITS:M,counter=2\", "
					  "\"cbox/LLC_MISSES:S,counter=2\", \"bbox/IMT_FULL\", "
					  "\"bbox/CONFLICTS\", "
					  "\"bbox/MSG_ADDR_IN_MATCH,match=1,mask=1\", "
					  "\"bbox/MSG_IN_MATCH,match=2,mask=1\"")),
			     "nehalem-ex", 1, NULL, false);

	(void)state;
	assert_int_not_equal(m.r, 0);
	for (unsigned i = 0; i < COUNT(parts); i++) {
		unsigned n = 0;

		for (size_t k = 0; k < m.d.n; k++)
			for (const char *at = m.d.v[k]; (at = strstr(at, parts[i])); at++)
				n++;
		if (n != 1)
			fail_msg("%u times: %s\n%s", n, parts[i], m.d.n ? m.d.v[0] : "");
	}
	made_done(&m);
}

static void test_every_mistake(void **state)
{
	struct made m = make(GROUPS("\n"
				    GROUP("a", "\"bbox/NIX\", \"cbx/LLC_HITS\", "
					       "\"cbx1/LLC_MISSES\"") ",\n"
				    GROUP("b", "\"rbox/NULL_IDLE\", \"cbx/LLC_HITS\"")),
			     "nehalem-ex", 1, NULL, false);

	(void)state;
	assert_int_not_equal(m.r, 0);
	assert_int_equal(m.d.n, 4);	/* a box that is not there is one mistake of a group */
	assert_non_null(strstr(m.d.v[0], "t.conf:2: bbox has no event 'NIX'"));
	assert_non_null(strstr(m.d.v[1], "t.conf:2: nehalem-ex has no box 'cbx'"));
	assert_non_null(strstr(m.d.v[2], "t.conf:3: rbox/NULL_IDLE: 'port' is required"));
	assert_non_null(strstr(m.d.v[3], "t.conf:3: nehalem-ex has no box 'cbx'"));
	made_done(&m);
}

#define METRIC_OF(events, fields) GROUPS(GROUP("a", events)) "metrics = ( { " fields " } );\n"

/* Table 1-1: a socket has eight C-Boxes, two B-Boxes, two M-Boxes and one W-Box. */
static void test_units_that_are_no_pair(void **state)
{
	struct made m;

	(void)state;
	refuse(METRIC_OF("\"bbox/CONFLICTS\", \"cbox/LLC_HITS:ALL\"",
	       "name = \"x_ratio\"; numerator = ( \"bbox/CONFLICTS\" ); denominator = ( "
	       "\"cbox/LLC_HITS\" );"),
	       "t.conf:2: metric 'x_ratio': a value for each unit, but a socket has 2 units of "
	       "bbox and 8 of cbox; name one of them "
	       "(cbox0/...), or sum up: per = \"socket\"");
	m = make_nhmex(METRIC_OF("\"bbox/CONFLICTS\", \"cbox/LLC_HITS:ALL\", \"mbox/CYCLES\", "
				 "\"wbox/CLOCKTICKS\"",
				 "name = \"x_ratio\"; per = \"socket\"; numerator = ( "
				 "\"bbox/CONFLICTS\" ); denominator = ( \"cbox/LLC_HITS\" ); }, "
				 "{ name = \"y_ratio\"; numerator = ( \"bbox/CONFLICTS\" ); "
				 "denominator = ( \"mbox/CYCLES\", \"wbox/CLOCKTICKS\" ); }, "
				 "{ name = \"z_ratio\"; numerator = ( \"bbox/CONFLICTS\" ); "
				 "denominator = ( \"cbox3/LLC_HITS\" );"));
	assert_int_equal(metrics_of(m.p, "x_ratio", NULL, NULL), 1);
	assert_int_equal(metrics_of(m.p, "y_ratio", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "z_ratio", NULL, NULL), 2);
	made_done(&m);
}

static void test_cycles_of_no_clock(void **state)
{
	(void)state;
	refuse(METRIC_OF("\"bbox/CONFLICTS\"",
			 "name = \"x_seconds\"; numerator = ( \"bbox/CONFLICTS\" ); denominator = "
			 "( \"bbox/CONFLICTS\" ); "
			 "cycles_of = \"bbox/CONFLICTS\";"),
	       "t.conf:2: metric 'x_seconds': bbox/CONFLICTS is not a clock that always runs, "
	       "which cycles_of needs; the clock of its box is "
	       "wbox/CLOCKTICKS");
}

static void test_cycles_of_another_unit(void **state)
{
	struct made m;

	(void)state;
	m = make_nhmex(METRIC_OF("\"bbox/CONFLICTS\", \"wbox/CLOCKTICKS\"",
				 "name = \"x_cycles\"; numerator = ( \"bbox/CONFLICTS\" ); "
				 "denominator = ( \"bbox/CONFLICTS\" ); "
				 "cycles_of = \"wbox/CLOCKTICKS\"; }, "
				 "{ name = \"y_seconds\"; numerator = ( \"bbox/CONFLICTS\" ); "
				 "denominator = ( \"bbox/CONFLICTS\" ); "
				 "cycles_of = \"wbox/CLOCKTICKS\";"));
	assert_int_equal(metrics_of(m.p, "x_cycles", NULL, NULL), 2);
	assert_int_equal(metrics_of(m.p, "y_seconds", NULL, NULL), 2);
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "t.conf:2: metric 'x_cycles' is in seconds, as "
					   "cycles_of makes it, but its name says cycles.");
	made_done(&m);
}

/* 2^48 counts at 64 a cycle, 2.67 GHz and a quarter more: 1317.8 s; half of it, in whole seconds,
 * is 658 s. */
static void test_safe_interval(void **state)
{
	struct made m;

	(void)state;
	refuse("interval = \"659s\";\n"
	       GROUPS(GROUP("a", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\", \"bbox/IMT_FULL\"")),
	       "t.conf:1: interval 659s is too long for sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL: its "
	       "48-bit counter can rise by 64 per cycle and "
	       "must be read at least twice before it wraps; the largest interval allowed is 658s");
	m = make_nhmex("interval = \"658s\";\n"
		       GROUPS(GROUP("a",
				    "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\", \"bbox/IMT_FULL\"")));
	assert_int_equal(slot_of(m.p, 0,
				 "sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL")->safe_interval / NSEC_PER_SEC,
				 1317);
	assert_int_equal(slot_of(m.p, 0, "bbox0/IMT_FULL")->safe_interval / NSEC_PER_SEC, 84337);
	made_done(&m);
}

static void test_resolution(void **state)
{
	struct made m;

	(void)state;
	/* What counts is how often it is read, not the interval. */
	m = make_nhmex("interval = \"1300s\";\n"
		       GROUPS(FINE("a", "650s", "", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")));
	assert_int_equal(m.p->sockets[0].rounds[0].tick, 650 * NSEC_PER_SEC);
	assert_int_equal(m.p->sockets[0].groups[0].resolution, 650 * NSEC_PER_SEC);
	assert_int_equal(m.p->interval, 1300 * NSEC_PER_SEC);
	made_done(&m);
	refuse("interval = \"2000s\";\n"
	       GROUPS(FINE("a", "1000s", "", "\"sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL\"")),
	       "t.conf:2: resolution 1000s is too long for sbox0/TO_R_DRS_MSGQ_OCCUPANCY:ALL: its "
	       "48-bit counter can rise by 64 per cycle and "
	       "must be read at least twice before it wraps; the largest resolution allowed "
	       "is 658s");
	/* A round ticks at the finest of its groups. */
	m = make_nhmex("interval = \"1s\";\n"
		       GROUPS(FINE("a", "20ms", "", "\"bbox/IMT_INSERTS_ALL\"") ", "
							FINE("b", "5ms", "",
							     "\"wbox/CLOCKTICKS\"") ", "
							     GROUP("c", "\"bbox/IMT_FULL\"")));
	assert_int_equal(m.p->sockets[0].n_rounds, 1);
	assert_int_equal(m.p->sockets[0].rounds[0].tick, 5 * NSEC_PER_MSEC);
	assert_int_equal(m.p->sockets[0].groups[0].resolution, 20 * NSEC_PER_MSEC);
	assert_int_equal(m.p->sockets[0].groups[2].resolution, NSEC_PER_SEC);
	made_done(&m);
	refuse("interval = \"60ms\";\n"
	       GROUPS(FINE("a", "30ms", "", "\"bbox/IMT_INSERTS_ALL\"") ", "
						FINE("b", "20ms", "", "\"wbox/CLOCKTICKS\"")),
	       "t.conf:2: group 'a' is counted at the same time as group 'b', which is read every "
	       "20ms; its resolution of 30ms must be a multiple of that");
}

/* Mistakes of the file's form, of events, of a group that fits nowhere and of the interval: all of
 * them at once. */
static void test_all_mistakes(void **state)
{
	static const char text[] = "interval = \"12h\";\nrotation = 1;\n"
		"groups = ( { name = \"a\"; events = [ \"cbox/NIX\", \"cbox/LLC_HITS:M,\",\n"
		"\"bbox/IMT_FULL\" ]; },\n"
		"{ name = \"a\"; events = [ \"bbox/IMT_FULL\", \"bbox/CONFLICTS\" ]; } );\n"
		"metrics = ( { name = \"x_ratio\"; numerator = ( \"bbox/NIX\" ); denominator = ( "
		"\"seconds\" ); },\n"
		"{ name = \"X\"; numerator = ( \"bbox/NIX\" ); denominator = ( \"seconds\" "
		"); } );\n";
	static const char *const want[] = {
		"t.conf:2: rotation is a number",
		"t.conf:3: \"cbox/LLC_HITS:M,\": a key (key or key=value) is missing after a comma",
		"t.conf:5: there are two groups \"a\"; the first is on line 3",
		"t.conf:7: metric name \"X\"",
		"t.conf:3: cbox has no event 'NIX'",
		"t.conf:6: metric 'x_ratio': bbox has no event 'NIX'",
		"t.conf:7: metric '?': bbox has no event 'NIX'",
		"t.conf:1: interval 43200s is too long for bbox0/IMT_FULL",
		"t.conf:5: group 'a': bbox: IMT_FULL and CONFLICTS both count only on counter 3",
	};
	struct topo *t = topo_model(6, 0x2e, 1, 8);
	struct diags d = { 0 };
	struct conf *c = NULL;
	struct plan *p = NULL;

	(void)state;
	assert_int_not_equal(conf_parse_keep("t.conf", text, strlen(text), &c, &d), 0);
	assert_true(c && c->faulty);
	assert_int_not_equal(plan_build(&(struct plan_input){ .conf = c,
		.processor = cat_processor_by_name("nehalem-ex"), .topo = t }, &p, &d), 0);
	assert_null(p);
	for (size_t i = 0; i < d.n || i < COUNT(want); i++)
		if (i >= d.n || i >= COUNT(want) || strncmp(d.v[i], want[i], strlen(want[i])) != 0)
			fail_msg("%zu: \"%s\", expected \"%s\"", i, i < d.n ? d.v[i] : "",
				 i < COUNT(want) ? want[i] : "");
	diags_done(&d);
	conf_free(c);
	topo_free(t);
}

/* The mistakes of a text, exactly these: none that comes from one before it, and none that is
 * missing. */
static void refuse_all(int line, const char *text, const char *const *want)
{
	struct topo *t = topo_model(6, 0x2e, 1, 8);
	struct diags d = { 0 };
	struct conf *c = NULL;
	struct plan *p = NULL;
	size_t n = 0;

	conf_parse_keep("t.conf", text, strlen(text), &c, &d);
	assert_int_not_equal(plan_build(&(struct plan_input){ .conf = c,
		.processor = cat_processor_by_name("nehalem-ex"), .topo = t }, &p, &d), 0);
	for (; want[n]; n++)
		if (n >= d.n || !strstr(d.v[n], want[n]))
			fail_msg("line %d: \"%s\", expected \"%s\"", line,
				 n < d.n ? d.v[n] : "no more", want[n]);
	if (d.n != n)
		fail_msg("line %d: one too many: %s", line, d.v[n]);
	diags_done(&d);
	conf_free(c);
	topo_free(t);
}
#define REFUSE(text, ...) refuse_all(__LINE__, text, (const char *const[]){ __VA_ARGS__, NULL })

/* What was not read whole is not held against the rest of the file. */
static void test_no_mistake_of_a_mistake(void **state)
{
	(void)state;
	/* no duration divides an interval that nobody knows */
	REFUSE("interval = 10;\n" GROUPS(FINE("a", "3ms", "", "\"bbox/IMT_FULL\"")
					 ", " FINE("b", "7ms", "", "\"wbox/CLOCKTICKS\"")),
	       ":1: interval is a number");
	/* the interval would be too long, the resolution that was meant perhaps not */
	REFUSE("interval = \"12h\";\n" GROUPS(FINE("a", "x", "", "\"bbox/IMT_FULL\"")),
	       ":2: resolution = \"x\" is not a duration");
	REFUSE("interval = \"1s\";\n" GROUPS(FINE("a", "x", "", "\"bbox/IMT_FULL\"")
					     ", " FINE("b", "20ms", "", "\"wbox/CLOCKTICKS\"")),
	       ":2: resolution = \"x\" is not a duration");
	/* an event that could not be read may be the window's; the window's own mistakes stay */
	REFUSE(GROUPS("{ name = \"a\"; window = { event = \"bbox0/IMT_FULL\"; count = 5; }; "
	       "events = [ \"bbox0/IMT_FUL\", \"wbox/CLOCKTICKS\" ]; }"),
	       "bbox has no event 'IMT_FUL'");
	REFUSE(GROUPS("{ name = \"a\"; window = { event = \"bbox0/NIX\"; count = 5; }; events = [ "
	       "\"bbox0/IMT_FUL\", \"wbox/CLOCKTICKS\" ]; }"),
	       "bbox has no event 'IMT_FUL'", "bbox has no event 'NIX'");
	/* events of a metric with other mistakes are looked up, too */
	REFUSE(GROUPS(GROUP("a", "\"bbox/IMT_FULL\"")) "metrics = ( { name = \"x_ratio\"; scale = "
	       "0; numerator = ( \"bbox/NIX\", 5, \"gbox/X\" ); "
	       "denominator = ( \"seconds\" ); cycles_of = \"wbox/NIX\"; } );", "a scale of 0",
	       "numerator is a number", "bbox has no event 'NIX'",
	       "no box 'gbox'", "wbox has no event 'NIX'");
}

/* The samples of a counter are its rate: a metric may not have the name that they get. Where nobody
 * looks at samples it may. */
#define INSERTS(name, more) "{ name = \"" name \
	"\"; per = \"socket\"; scale = 64; numerator = ( \"bbox/IMT_INSERTS_ALL\" ); " more " }"
#define RATE "denominator = ( \"seconds\" ); "
#define TWO(a, b) "metrics = ( " a ", " b " );\n"

static void test_names_of_samples(void **state)
{
	static const char same[] = "t.conf:2: metric 'x_bytes_per_second': its samples would be "
				   "called uncore_x_distribution_bytes_per_second, "
				   "and so would those of 'x_bytes_total'; give it another name";
	struct made m;

	(void)state;
	refuse(GROUPS(FINE("a", "100ms", "", "\"bbox/IMT_INSERTS_ALL\""))
	       TWO(INSERTS("x_bytes_total", ""), INSERTS("x_bytes_per_second", RATE)), same);
	refuse(GROUPS(FINE("a", "1s", "distribution = true;", "\"bbox/IMT_INSERTS_ALL\""))
	       TWO(INSERTS("x_bytes_total", ""), INSERTS("x_bytes_per_second", RATE)), same);
	/* the catalog's counter link_capacity_bytes_total; it stands first, the row that can be
	 * changed is named */
	refuse(GROUPS(FINE("a", "100ms", "", "\"rbox/FLITS_SENT,port=0\""))
	       "metrics = ( { name = \"link_capacity_bytes_per_second\"; numerator = ( "
	       "\"rbox/FLITS_SENT,port=0\" ); " RATE "} );\n",
	       "t.conf:2: metric 'link_capacity_bytes_per_second': its samples would be called "
	       "uncore_link_capacity_distribution_bytes_per_second, and so would those of "
	       "'link_capacity_bytes_total'; give it another name");
	m = make_nhmex(GROUPS(GROUP("a", "\"bbox/IMT_INSERTS_ALL\""))
		       TWO(INSERTS("x_bytes_total", ""), INSERTS("x_bytes_per_second", RATE)));
	made_done(&m);
}

/* Of topo_model(): CPUs 0 to 7 are of socket 0, 8 to 15 of socket 1. */
static void test_cpus(void **state)
{
	static const struct { int line; const char *cpus, *want[3]; unsigned first[2]; } rows[] = {
		{ __LINE__, "0,8", { NULL }, { 0, 8 } },
		{ __LINE__, "15, 7", { NULL }, { 7, 15 } },
		{ __LINE__, "3,16", { "CPU 16 does not exist or is offline",
				      "no CPU of socket 1 is named; add one, for example CPU 8" },
		  { 0 } },
		{ __LINE__, "1,2,3", { "CPU 1 and CPU 2 are both on socket 0; name only one",
				       "CPU 2 and CPU 3 are both on socket 0",
				       "no CPU of socket 1 is named" }, { 0 } },
	};
	char text[200], want[200];

	(void)state;
	for (const typeof(*rows) *r = rows; r < rows + COUNT(rows); r++) {
		struct made m;

		snprintf(text, sizeof(text), "\ncpus = \"%s\";\n%s", r->cpus,
			 GROUPS(GROUP("a", "\"wbox/CLOCKTICKS\"")));
		m = make(text, "nehalem-ex", 2, NULL, false);
		for (unsigned i = 0; i < COUNT(r->want) && r->want[i]; i++) {
			snprintf(want, sizeof(want), "t.conf:2: cpus: %s", r->want[i]);
			if (m.d.n <= i || !strstr(m.d.v[i], want))
				fail_msg("line %d: no: %s", r->line, want);
		}
		assert_int_equal(m.r, r->want[0] ? -EINVAL : 0);
		for (unsigned s = 0; s < 2 && !m.r; s++) {
			const struct plan_socket *socket = &m.p->sockets[s];

			assert_int_equal(socket->n_cpus, 8);
			assert_int_equal(socket->cpus[0], r->first[s]);
			/* the others follow in their order */
			assert_int_equal(socket->cpus[1], r->first[s] == 8 * s ? 8 * s + 1 : 8 * s);
			assert_int_equal(socket->cpus[7], r->first[s] == 8 * s + 7 ? 8 * s + 6 :
					 8 * s + 7);
		}
		made_done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_every_conflict), cmocka_unit_test(test_every_mistake),
		cmocka_unit_test(test_units_that_are_no_pair),
		cmocka_unit_test(test_cycles_of_no_clock),
		cmocka_unit_test(test_cycles_of_another_unit),
		cmocka_unit_test(test_safe_interval),
		cmocka_unit_test(test_resolution),
		cmocka_unit_test(test_names_of_samples), cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_all_mistakes), cmocka_unit_test(test_no_mistake_of_a_mistake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
