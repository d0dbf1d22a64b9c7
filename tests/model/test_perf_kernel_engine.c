/* SPDX-License-Identifier: MIT
 * The perf engine on the modelled kernel: all that is ready on a machine counts, each event what
 * happened; one of which the text says nothing is refused.
 */
#include "kernel_fixture.h"
#include "plan_test.h"

#include "access/counting.h"
#include "base/name.h"

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
		fail_msg("%s: %s", m.tree.text->name, err.text);
	if (counting_perf_left_out(c))
		fail_msg("%s: %s", m.tree.text->name, counting_perf_left_out(c));
	for (unsigned i = 0; i < r->n_events; i++)
		before[i] = truth_of(&r->events[i]);
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	m.now += 10 * NSEC_PER_SEC;
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	for (unsigned i = 0; i < r->n_events; i++) {
		uint64_t enabled, running;

		assert_int_equal(reason[i], 0);
		if (raw[i] - base[i] != truth_of(&r->events[i]) - before[i])
			fail_msg("%s: %s on %s", m.tree.text->name, r->events[i].text,
				 r->events[i].pmu);
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

static void check_machine(const char *name)
{
	struct made made;
	char text[32];

	snprintf(text, sizeof(text), "%s.txt", name);
	begin(text);
	made = make_for_kernel(NULL, m.topo, m.pmus);
	if (made.r < 0)
		fail_msg("%s: %s", name, made.d.v[0]);
	assert_int_equal(made.p->n_sockets, m.topo->n_sockets);
	for (unsigned i = 0; i < made.p->n_sockets; i++) {
		const struct plan_socket *s = &made.p->sockets[i];

		if (s->n_rounds != 1 || !s->perf->rounds[0].n_events)
			fail_msg("%s, socket %u: %u rounds", name, i, s->n_rounds);
		check_socket(s);
	}
	made_done(&made);
	end();
}

/* All texts but those of processors that have a register model, and two that do not say what all
 * events of their PMUs of links count. */
static void test_machines(void **state)
{
	static const char without[] = "nehalem westmere nehalem_ex ivt vera kunpeng930";
	static const char *const names[] = { SYSFS_TREES };

	(void)state;
	for (unsigned i = 0; i < COUNT(names); i++)
		if (!name_listed(without, names[i], strlen(names[i])))
			check_machine(names[i]);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
