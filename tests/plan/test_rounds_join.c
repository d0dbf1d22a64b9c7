/* SPDX-License-Identifier: MIT
 * A group counts in every round that has room for it, and in no other.
 * IMT_FULL, CONFLICTS and DEMAND_FETCH count only on counter 3 of a B-Box, inserts only on counter
 * 1 (323535-001 Table 2-24).
 */
#include "groups.h"

#define A GROUP("a", "\"bbox/IMT_FULL\"")
#define B GROUP("b", "\"bbox/CONFLICTS\"")
#define C GROUP("c", "\"bbox/IMT_INSERTS_ALL\"")
#define WINDOW(name, event) \
	"{ name = \"" name "\"; window = { event = \"" event "\"; count = 5000; }; " \
	"events = [ \"wbox/CLOCKTICKS\", \"" event "\" ]; }"

static void test_room(void **state)
{
	static const struct { int line; const char *processor, *conf, *rounds; } rows[] = {
		{ __LINE__, "nehalem-ex", GROUPS(A "," B), "a|b" },
		{ __LINE__, "nehalem-ex", GROUPS(A "," B "," C), "a c|b c" },
		{ __LINE__, "nehalem-ex", GROUPS(A "," C "," B), "a c|c b" },
		{ __LINE__, "nehalem-ex", GROUPS(C "," A "," B), "c a|c b" },
		/* of all its events, on every unit */
		{ __LINE__, "nehalem-ex",
		  GROUPS(A "," GROUP("b", "\"bbox/CONFLICTS\", \"bbox1/IMT_INSERTS_WR\"") ","
			 GROUP("c", "\"bbox/IMT_INSERTS_RD\"")), "a c|b" },
		/* an event that is there already takes no counter */
		{ __LINE__, "nehalem-ex",
		  GROUPS(A "," GROUP("b", "\"bbox/CONFLICTS\", \"bbox/IMT_INSERTS_RD\"") ","
			 GROUP("c", "\"bbox/IMT_INSERTS_RD\"")), "a c|b c" },
		/* of d and e the third round has room for one: the first */
		{ __LINE__, "nehalem-ex",
		  GROUPS(A "," B "," GROUP("c", "\"bbox/DEMAND_FETCH\"") ","
			 GROUP("d", "\"bbox/IMT_INSERTS_RD\"") ","
			 GROUP("e", "\"bbox/IMT_INSERTS_WR\"")), "a d|b e|c d" },
		/* a socket that stands still between overflow windows */
		{ __LINE__, "nehalem-ex", GROUPS(WINDOW("a", "bbox0/IMT_FULL") "," B "," C), "a c|b" },
		{ __LINE__, "nehalem-ex", GROUPS(A "," WINDOW("b", "bbox0/CONFLICTS") "," C), "a c|b" },
		/* read every 20 ms, of which 30 ms are no multiple */
		{ __LINE__, "nehalem-ex",
		  "interval = \"60ms\";" GROUPS(A ","
			FINE("b", "30ms", "", "\"bbox/CONFLICTS\"") ","
			FINE("c", "20ms", "", "\"bbox/IMT_INSERTS_ALL\"")), "a c|b" },
		{ __LINE__, "nehalem-ex",
		  "interval = \"60ms\";" GROUPS(A ","
			FINE("b", "20ms", "", "\"bbox/CONFLICTS\"") ","
			FINE("c", "10ms", "", "\"bbox/IMT_INSERTS_ALL\"")), "a c|b c" },
		{ __LINE__, "nehalem-ex",
		  "interval = \"60ms\";" GROUPS(A ","
			FINE("b", "20ms", "", "\"bbox/CONFLICTS\"") ","
			FINE("c", "30ms", "", "\"bbox/IMT_INSERTS_ALL\"")), "a c|b" },
		/* A metric that leaves the band free would not know which of two is meant. */
		{ __LINE__, "ivytown",
		  GROUPS(GROUP("a", "\"pcu/CLOCKTICKS,counter=0\"") ","
			 GROUP("b", "\"pcu/FREQ_BAND0_CYCLES,band=12,counter=0\"") ","
			 GROUP("c", "\"pcu/FREQ_BAND0_CYCLES,band=20,counter=1\"")), "a c|b" },
		{ __LINE__, "ivytown",
		  GROUPS(GROUP("a", "\"pcu/CLOCKTICKS,counter=0\"") ","
			 GROUP("b", "\"pcu/FREQ_BAND0_CYCLES,band=12,counter=0\"") ","
			 GROUP("c", "\"pcu/FREQ_BAND1_CYCLES,band=20,counter=1\"")), "a c|b c" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = make(rows[i].conf, rows[i].processor, 2, NULL, false);

		if (m.r < 0 || strcmp(rounds_text(m.p), rows[i].rounds) != 0)
			fail_msg("line %d: %s", rows[i].line, m.r < 0 ? m.d.v[0] :
				 rounds_text(m.p));
		made_done(&m);
	}
}

static unsigned bound(const struct plan_socket *s, const char *name, const char **groups)
{
	unsigned n = 0;

	*groups = "";
	for (unsigned i = 0; i < s->n_metrics; i++)
		if (strcmp(s->metrics[i].name, name) == 0) {
			n++;
			*groups = s->groups[s->metrics[i].groups[0]].name;
		}
	return n;
}

/* One series of each unit, bound in each round of its group. What two groups of different PMUs'
 * rounds yield together is bound where both are. */
static void test_metrics(void **state)
{
	struct made m = make_nhmex(GROUPS(A "," B ","
		GROUP("c", "\"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\"")));
	const struct plan_socket *s = &m.p->sockets[0];
	unsigned n_clock = 0;
	const char *group;

	(void)state;
	assert_string_equal(rounds_text(m.p), "a c|b c");
	/* wbox0/CLOCKTICKS and IMT_INSERTS_ALL of two units in both, IMT_FULL and CONFLICTS once */
	assert_int_equal(s->rounds[0].n_slots, 5);
	assert_int_equal(s->rounds[1].n_slots, 5);
	assert_int_equal(s->n_series, 1 + 2 + 2 + 2);
	for PLAN_EACH_SLOT(slot, r, s)
		n_clock += strcmp(slot->identity, "wbox0/CLOCKTICKS") == 0;
	assert_int_equal(n_clock, 2);
	assert_int_equal(bound(s, "clock_hertz", &group), 2);
	assert_string_equal(group, "c");
	/* a share of the clock's cycles: a's event and c's, in the round that has both */
	assert_int_equal(bound(s, "imt_full_ratio", &group), 2);
	assert_string_equal(group, "a");
	/* it is derived, so nothing is said to be lacking for it */
	for (unsigned i = 0; i < s->n_lacking; i++)
		assert_string_not_equal(s->lacking[i].metric, "imt_full_ratio");
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
