/* test_plan_random.c - random plans for the Xeon 7500: what was merged is what every event wants.
 *
 * Addresses and values are those of 323535-001 (table or page at each) and of the contract's own examples.
 */
#include "config.h"

#include "groups.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void random_spec(char *to, size_t n)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");
	const struct cat_box *b = &p->boxes[random() % p->n_boxes];
	const struct cat_event *e = &b->events[random() % b->n_events];
	char unit[8] = "", port[16] = "";

	if (random() % 2)
		snprintf(unit, sizeof(unit), "%u", (unsigned)random() % b->n_units);
	if (b->port_key)
		snprintf(port, sizeof(port), ",port=%u", (unsigned)random() % 8);
	snprintf(to, n, "%s%s/%s%s%s%s", b->name, unit, e->name, e->n_umasks ? ":" : "",
		 e->n_umasks ? e->umasks[random() % e->n_umasks].name : "", port);
}

static bool depends(const struct plan_reground *r, const struct plan_regslot *s, const struct plan_write *w)
{
	for (unsigned i = 0; i < s->n_dep; i++)
		if (&r->writes[s->dep[i]] == w)
			return true;
	return false;
}

/* Every slot finds in the merged writes what its event wants, and depends on those writes; no counter serves two. */
static void check_round(const struct plan *p, unsigned round)
{
	const struct plan_reground *r = &p->sockets[0].program.rounds[round];
	uint64_t seen[2] = { 0, 0 };

	for (unsigned i = 0; i < r->n_slots; i++) {
		const struct plan_slot *s = &p->sockets[0].rounds[round].slots[i];
		unsigned counter = s->counter < 0 ? 0 : (unsigned)s->counter, n, c = r->slots[i].counter;
		struct cat_want wants[CAT_WANTS];
		const struct plan_counter *pc = &p->sockets[0].program.counters[c];
		const struct plan_write *w;
		uint64_t ctl;

		assert_true(!(seen[c / 64] >> c % 64 & 1));
		seen[c / 64] |= UINT64_C(1) << c % 64;
		n = cat_encode(&s->choice, s->place, counter, &ctl, wants);
		for (unsigned k = 0; k < n; k++) {
			w = write_of(p, round, PHASE_SELECT, wants[k].reg.off);
			assert_non_null(w);
			assert_int_equal(w->mask & wants[k].mask, wants[k].mask);
			assert_int_equal(w->value & wants[k].mask, wants[k].value);
			assert_true(depends(r, &r->slots[i], w));
		}
		w = write_of(p, round, PHASE_ENABLE_COUNTER, pc->ctl.off);
		assert_int_equal(w->value, ctl);
		assert_int_equal(w->value & pc->ctl_enable, pc->ctl_enable);
		assert_true(depends(r, &r->slots[i], w));
		if (pc->box_enable)
			assert_true(write_of(p, round, PHASE_ENABLE_BOX, pc->box.off)->value & pc->box_enable);
	}
}

static void test_random_plans(void **state)
{
	const char *env = getenv("SEED");
	unsigned seed = env ? (unsigned)atoi(env) : (unsigned)time(NULL) ^ (unsigned)getpid(), planned = 0, turns = 0;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (unsigned i = 0; i < 120; i++) {
		char text[4096], spec[128];
		size_t n = 0;
		struct made m;

		n += (size_t)snprintf(text + n, sizeof(text) - n, "groups = (");
		for (unsigned g = 0; g < 3; g++) {
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s{ name = \"%u\"; events = [", g ? "," : "", g);
			for (unsigned e = 0; e < 5; e++) {
				random_spec(spec, sizeof(spec));
				n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"%s\"", e ? "," : "", spec);
			}
			n += (size_t)snprintf(text + n, sizeof(text) - n, "]; }");
		}
		snprintf(text + n, sizeof(text) - n, ");");
		m = make(text, "nehalem-ex", 1, NULL, false);
		for (size_t k = 0; k < m.d.n; k++)
			assert_memory_equal(m.d.v[k], "t.conf:1: ", 10);
		if (m.r == 0) {
			planned++;
			turns += m.p->sockets[0].n_rounds > 1;
			for (unsigned r = 0; r < m.p->sockets[0].n_rounds; r++)
				check_round(m.p, r);
		}
		made_done(&m);
	}
	assert_true(planned > 10 && planned < 120 && turns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
