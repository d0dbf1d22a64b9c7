/* SPDX-License-Identifier: MIT
 * The perf engine on the modelled kernel: all that is ready on a machine counts, each event what
 * happened; one of which the text says nothing is refused.
 */
#include "kernel_fixture.h"
#include "plan_test.h"

#include "access/counting.h"

static struct modelled m;
static const struct perf_sys *sys;

static void begin(const char *text)
{
	modelled_make(&m, text, NULL);
	assert_int_equal(perf_sys_model_new(m.k, &sys), 0);
}

static void end(void)
{
	perf_sys_model_free(sys);
	modelled_drop(&m);
}

static uint64_t truth_of(const struct plan_perf *e)
{
	const struct perf_event_attr attr = perf_attr_of(e, true);
	struct kernel_event event;

	assert_int_equal(kernel_event_init(m.k, &attr, e->cpu, &event), 0);
	return kernel_truth(m.k, &event, kernel_now(m.k));
}

static void check_socket(const struct plan_socket *s)
{
	const struct plan_perf_round *r = &s->perf->rounds[0];
	uint64_t *base = calloc(r->n_events, sizeof(*base));
	uint64_t *raw = calloc(r->n_events, sizeof(*raw));
	uint64_t *before = calloc(r->n_events, sizeof(*before));
	uint8_t *reason = calloc(r->n_events, 1);
	struct counting *c;
	struct err err;

	if (counting_perf_new(sys, s->perf, &c, &err) < 0)
		fail_msg("%s", err.text);
	if (counting_perf_left_out(c))
		fail_msg("%s", counting_perf_left_out(c));
	for (unsigned i = 0; i < r->n_events; i++)
		before[i] = truth_of(&r->events[i]);
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	m.now += 10 * NSEC_PER_SEC;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	for (unsigned i = 0; i < r->n_events; i++) {
		uint64_t enabled, running;

		assert_int_equal(reason[i], 0);
		if (raw[i] - base[i] != truth_of(&r->events[i]) - before[i])
			fail_msg("%s on %s", r->events[i].text, r->events[i].pmu);
		c->ops->times(c, i, &enabled, &running);
		assert_int_equal(enabled, 10 * NSEC_PER_SEC);
		assert_int_equal(running, enabled);
	}
	c->ops->free(c);
	free(base);
	free(raw);
	free(before);
	free(reason);
}

static void test_machine(void **state)
{
	struct made made;

	begin(*state);
	made = make_for_kernel(NULL, m.topo, m.pmus);
	if (made.r < 0)
		fail_msg("%s", made.d.v[0]);
	assert_int_equal(made.p->n_sockets, 2);
	for (unsigned s = 0; s < 2; s++) {
		assert_int_equal(made.p->sockets[s].n_rounds, 1);
		assert_true(made.p->sockets[s].perf->rounds[0].n_events >= 20);
		check_socket(&made.p->sockets[s]);
	}
	made_done(&made);
	end();
}

/* Not the sentence of a kernel without such an event: what is missing is a line of the text. */
static void test_unknown(void **state)
{
	static const char conf[] = "groups = ( { name = \"a\"; "
		"events = [ \"perf/uncore_m2m/event=0x22,name=x/\" ]; } );";
	struct counting *c;
	struct made made;
	struct err err = { "" };

	(void)state;
	begin("spr.txt");
	made = make_for_kernel(conf, m.topo, m.pmus);
	if (made.r < 0)
		fail_msg("%s", made.d.v[0]);
	assert_int_equal(counting_perf_new(sys, made.p->sockets[0].perf, &c, &err), -EINVAL);
	if (!strstr(err.text, "no line `counts` of the simulated machine's text"))
		fail_msg("%s", err.text);
	made_done(&made);
	end();
}

int main(void)
{
	static char spr[] = "spr.txt", icx[] = "icx.txt", zen4[] = "zen4.txt", gnr[] = "gnr.txt",
		    emr[] = "emr.txt", skx[] = "skx.txt", clx[] = "clx.txt", zen5[] = "zen5.txt",
		    zen6[] = "zen6.txt";
	const struct CMUnitTest tests[] = {
		{ "spr", test_machine, NULL, NULL, spr },
		{ "icx", test_machine, NULL, NULL, icx },
		{ "zen4", test_machine, NULL, NULL, zen4 },
		{ "gnr", test_machine, NULL, NULL, gnr },
		{ "emr", test_machine, NULL, NULL, emr },
		{ "skx", test_machine, NULL, NULL, skx },
		{ "clx", test_machine, NULL, NULL, clx },
		{ "zen5", test_machine, NULL, NULL, zen5 },
		{ "zen6", test_machine, NULL, NULL, zen6 },
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
