/* SPDX-License-Identifier: MIT
 * Perf specifications: terms, instances, CPUs, units, names, and what is
 * refused.
 * The PMUs are copies of what Linux 6.1 shows on two-socket machines (formats, aliases, scales,
 * cpumasks).
 */
#include "plan_test.h"

#include <math.h>

#define ONE(spec) "groups = ( { name = \"g\"; events = [ " spec " ]; } );"

#define TERM(name_, text_, scale_, unit_) \
	{ .name = (char *)(name_), .text = (char *)(text_), .scale = (char *)(scale_), .unit = (char *)(unit_) }

static struct topo_term imc_format[] = {
	TERM("event", "config:0-7", NULL, NULL), TERM("umask", "config:8-15", NULL, NULL),
	TERM("edge", "config:18", NULL, NULL),
	TERM("thresh", "config:24-31", NULL, NULL), TERM("ch_mask", "config1:0-3,8-11", NULL, NULL),
};
static struct topo_term imc_events[] = {
	TERM("cas_count_read", "event=0x04,umask=0x03", "6.103515625e-5", "MiB"),
	TERM("clockticks", "event=0xff", NULL, NULL),
};
static struct topo_term power_format[] = { TERM("event", "config:0-7", NULL, NULL) };
static struct topo_term power_events[] = {
	TERM("energy-pkg", "event=0x02", "2.3283064365386962890625e-10", "Joules"),
};
static struct topo_term msr_format[] = { TERM("event", "config:0-63", NULL, NULL) };
static struct topo_term msr_events[] = { TERM("tsc", "event=0x00", NULL, NULL),
					 TERM("aperf", "event=0x01", NULL, NULL) };
static unsigned both[] = { 0, 8 };              /* one CPU of each socket */
static unsigned four[] = { 0, 4, 8, 12 };       /* two of each: a PMU per die */

#define TERMS(box) .format = box##_format, .n_format = COUNT(box##_format), \
	.events = box##_events, .n_events = COUNT(box##_events), .node = -1
static struct topo_pmu v[] = {
	{ .name = (char *)"msr", .type = 9, .of_cpus = true, TERMS(msr) },
	{ .name = (char *)"power", .type = 11, .cpumask = both, .n_cpumask = 2, TERMS(power) },
	{ .name = (char *)"uncore_bbox_0", .type = 18, .cpumask = both, .n_cpumask = 2,
	  .format = imc_format, .n_format = 1, .node = -1 },
	{ .name = (char *)"uncore_die", .type = 16, .cpumask = four, .n_cpumask = 4, TERMS(imc) },
	{ .name = (char *)"uncore_die_1", .type = 17, .cpumask = four, .n_cpumask = 4, TERMS(imc) },
	{ .name = (char *)"uncore_imc_0", .type = 12, .cpumask = both, .n_cpumask = 2, TERMS(imc) },
	{ .name = (char *)"uncore_imc_10", .type = 15, .cpumask = both, .n_cpumask = 2, TERMS(imc) },
	{ .name = (char *)"uncore_imc_3", .type = 13, .cpumask = both, .n_cpumask = 2, TERMS(imc) },
	{ .name = (char *)"uncore_imc_free_running_0", .type = 14, .cpumask = both, .n_cpumask = 2, TERMS(imc) },
	{ .name = (char *)"uncore_nowhere", .type = 19, .cpumask = both, .n_cpumask = 0, TERMS(imc) },
};
static const struct topo_pmus pmus = { .v = v, .n = COUNT(v) };

static struct made make_perf(const char *text)
{
	struct made m = make(text, NULL, 2, &pmus, true);

	for (size_t i = 0; m.r < 0 && i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	assert_true(m.p->sockets[1].has_perf && !m.p->sockets[1].has_reg);
	return m;
}

static const struct {
	int line;
	const char *spec;
	unsigned slot;                  /* of socket 1 */
	const char *identity, *family, *event, *pmu;
	uint32_t type;
	uint64_t config, config1;
	int cpu;
	unsigned unit;
} good[] = {
	{ __LINE__, "perf/uncore_imc_3/cas_count_read/", 0, "imc3/cas_count_read,config=0x304",
	  "uncore_imc_cas_count_read_total",
	  "cas_count_read", "uncore_imc_3", 13, 0x304, 0, 8, 3 },
	/* all instances, by number; free_running is another PMU */
	{ __LINE__, "perf/uncore_imc/clockticks/", 0, "imc0/clockticks,config=0xff",
	  "uncore_imc_clockticks_total", "clockticks",
	  "uncore_imc_0", 12, 0xff, 0, 8, 0 },
	{ __LINE__, "perf/uncore_imc/clockticks/", 1, "imc3/clockticks,config=0xff",
	  "uncore_imc_clockticks_total", "clockticks",
	  "uncore_imc_3", 13, 0xff, 0, 8, 3 },
	{ __LINE__, "perf/uncore_imc/clockticks/", 2, "imc10/clockticks,config=0xff",
	  "uncore_imc_clockticks_total", "clockticks",
	  "uncore_imc_10", 15, 0xff, 0, 8, 10 },
	/* numbers need a name; a term without value is 1; bits of a value are dealt out over
	 * ranges */
	{ __LINE__, "perf/uncore_imc_0/event=0x50,umask=3,edge,ch_mask=0xa5,name=Own.Event-b/", 0,
	  "imc0/Own.Event-b,config=0x40350,config1=0xa05", "uncore_imc_own_event_bbox_total",
	  "Own.Event-b", "uncore_imc_0", 12, 0x40350,
	  0xa05, 8, 0 },
	{ __LINE__, "perf/uncore_imc_0/config=0x1234/,name=raw", 0, "imc0/raw,config=0x1234",
	  "uncore_imc_raw_total", "raw",
	  "uncore_imc_0", 12, 0x1234, 0, 8, 0 },
	{ __LINE__, "perf/uncore_imc_0/clockticks,umask=0x7/", 0, "imc0/clockticks,config=0x7ff",
	  "uncore_imc_clockticks_total",
	  "clockticks", "uncore_imc_0", 12, 0x7ff, 0, 8, 0 },
	/* several CPUs of a socket: the index is the unit, after number x CPUs */
	{ __LINE__, "perf/uncore_die/clockticks/", 1, "die1/clockticks,config=0xff",
	  "uncore_die_clockticks_total", "clockticks", "uncore_die",
	  16, 0xff, 0, 12, 1 },
	{ __LINE__, "perf/uncore_die_1/clockticks/", 1, "die3/clockticks,config=0xff",
	  "uncore_die_clockticks_total", "clockticks",
	  "uncore_die_1", 17, 0xff, 0, 12, 3 },
	{ __LINE__, "perf/power/energy-pkg/", 0, "power0/energy-pkg,config=0x2",
	  "uncore_power_energy_pkg_total", "energy-pkg", "power", 11, 2,
	  0, 8, 0 },
	/* no cpumask: the reader CPU; software events are the kernel's numbers (enum
	 * perf_sw_ids) */
	{ __LINE__, "perf/msr/tsc/", 0, "msr0/tsc,config=0x0", "uncore_msr_tsc_total", "tsc", "msr", 9, 0, 0, 8, 0 },
	{ __LINE__, "perf/software/context-switches/", 0, "software0/context-switches,config=0x3",
	  "uncore_software_context_switches_total",
	  "context-switches", "software", 1, 3, 0, 8, 0 },
	{ __LINE__, "perf/software/cgroup-switches/", 0, "software0/cgroup-switches,config=0xb",
	  "uncore_software_cgroup_switches_total",
	  "cgroup-switches", "software", 1, 11, 0, 8, 0 },
};

static void test_good(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(good); i++) {
		const struct plan_socket *s;
		const struct plan_slot *slot;
		const struct plan_perf *e;
		char text[256];
		struct made m;

		snprintf(text, sizeof(text), ONE("\"%s\""), good[i].spec);
		m = make_perf(text);
		s = &m.p->sockets[1];
		assert_true(good[i].slot < s->rounds[0].n_slots);
		slot = &s->rounds[0].slots[good[i].slot];
		e = &s->perf->rounds[0].events[slot->engine_slot];
		if (strcmp(slot->identity, good[i].identity) != 0 ||
		    strcmp(slot->family, good[i].family) != 0)
			fail_msg("line %d: %s %s", good[i].line, slot->identity, slot->family);
		assert_string_equal(slot->event_name, good[i].event);
		assert_int_equal(slot->labels.n, 0);
		assert_int_equal(slot->unit, good[i].unit);
		assert_true(slot->width == 64 && slot->max_rate <= 0 && slot->safe_interval == 0 &&
			    slot->engine == PLAN_PERF);
		assert_string_equal(e->pmu, good[i].pmu);
		assert_int_equal(e->type, good[i].type);
		assert_int_equal(e->config, good[i].config);
		assert_int_equal(e->config1, good[i].config1);
		if (e->cpu != good[i].cpu)
			fail_msg("line %d: cpu %d", good[i].line, e->cpu);
		made_done(&m);
	}
}

static void test_scaled(void **state)
{
	struct made m = make_perf(ONE("\"perf/uncore_imc_0/cas_count_read/\", "
				      "\"perf/power/energy-pkg/\", \"perf/msr/tsc/\""));
	const struct plan_slot *s = m.p->sockets[0].rounds[0].slots;

	(void)state;
	/* 6.103515625e-5 MiB are 64 bytes. */
	assert_string_equal(s[0].scaled_family, "uncore_imc_cas_count_read_bytes_total");
	assert_true(s[0].scale > 63.999999 && s[0].scale < 64.000001);
	assert_string_equal(s[1].scaled_family, "uncore_power_energy_pkg_joules_total");
	assert_true(s[1].scale > 2.32830643e-10 && s[1].scale < 2.32830645e-10);
	assert_null(s[2].scaled_family);
	assert_non_null(strstr(s[2].help, "counted on CPUs 0 and 8 alone"));
	assert_null(strstr(s[1].help, "alone"));
	/* the last: power of the package, a ready-made metric */
	assert_int_equal(m.p->n_series, 2 * (2 + 2 + 1 + 1));
	made_done(&m);
}

/* The rate of an event with a scale is that of the series in its base unit. */
static void test_scaled_rates(void **state)
{
	struct made m = make_perf("groups = ( { name = \"g\"; distribution = true; events = ( "
				  "\"perf/uncore_imc_0/cas_count_read/\", "
				  "\"perf/power/energy-pkg/\", \"perf/msr/tsc/\" ); } );");
	static const struct { const char *name, *family, *help; double scale, first; } rows[] = {
		{ "imc_cas_count_read_bytes_total", "uncore_imc_cas_count_read_distribution_bytes_per_second", "in bytes", 64, 1e8 },
		{ "power_energy_pkg_joules_total", "uncore_power_energy_pkg_distribution_joules_per_second", "in joules", 2.3283064365e-10, 0.1 },
		{ "msr_tsc_total", "uncore_msr_tsc_distribution_events_per_second", "tsc", 1, 1e3 },
	};
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	for (unsigned i = 0, w = 0; i < COUNT(rows); i++, w++) {
		while (w < s->n_distributions && s->distributions[w].metric >= 0)
			w++;
		assert_true(w < s->n_distributions);
		assert_string_equal(plan_distribution_metric(s, &s->distributions[w])->name,
				    rows[i].name);
		assert_string_equal(s->distributions[w].family, rows[i].family);
		assert_non_null(strstr(s->distributions[w].help, rows[i].help));
		assert_true(fabs(plan_distribution_metric(s, &s->distributions[w])->scale /
					 rows[i].scale -
				 1) < 1e-8);
		assert_true(s->distributions[w].histogram.bounds[0] == rows[i].first);
	}
	made_done(&m);
}

static void refuse_perf(int line, const char *text, const char *processor, bool perf_engine,
			const char *part)
{
	struct made m = make(text, processor, 2, &pmus, perf_engine);

	if (m.r == 0 || m.d.n != 1 || !strstr(m.d.v[0], part))
		fail_msg("line %d: %zu: %s", line, m.d.n, m.d.n ? m.d.v[0] : "accepted");
	assert_non_null(strstr(m.d.v[0], "t.conf:1: "));
	made_done(&m);
}

static void test_bad(void **state)
{
	static const struct { int line; const char *spec, *part; } bad[] = {
		{ __LINE__, "perf/uncore_ime_0/clockticks/", "no PMU 'uncore_ime_0'; the nearest is 'uncore_imc_0'" },
		{ __LINE__, "perf/uncore_imc_0/clockticsk/", "no event or term 'clockticsk'; the nearest is 'clockticks'" },
		{ __LINE__, "perf/uncore_imc_0/event=1/", "needs a name" },
		{ __LINE__, "perf/uncore_imc_0/event=0x100,name=a/", "event=0x100 does not fit into config:0-7" },
		{ __LINE__, "perf/uncore_imc_0/edge=2,name=a/", "edge=2 does not fit" },
		{ __LINE__, "perf/uncore_imc_0/event=one,name=a/", "event=one is not a number" },
		{ __LINE__, "perf/uncore_imc_0/clockticks/,edge", "the only key after the last slash is 'name='" },
		{ __LINE__, "perf/software/cpu-clok/", "the nearest is 'cpu-clock'" },
		{ __LINE__, "perf/uncore_imc_0/event=1,name=12/", "at least one letter" },
		{ __LINE__, "perf/uncore_nowhere/clockticks/", "names no CPU" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(bad); i++) {
		char text[256];

		snprintf(text, sizeof(text), ONE("\"%s\""), bad[i].spec);
		refuse_perf(bad[i].line, text, NULL, true, bad[i].part);
	}
	refuse_perf(__LINE__, ONE("\"perf/msr/tsc/\", \"perf/msr/event=0,name=tsc/\""), NULL, true,
		    "is listed twice");
	refuse_perf(__LINE__, ONE("\"perf/uncore_imc/clockticks/\", "
				  "\"perf/uncore_imc_3/clockticks/\""), NULL, true,
		    "is listed twice");
	refuse_perf(__LINE__, ONE("\"perf/msr/tsc/\", \"perf/msr/aperf,name=tsc/\""), NULL, true,
		    "would both be uncore_msr_tsc_total{unit=\"0\"}");
	refuse_perf(__LINE__, ONE("\"perf/msr/event=1,name=a-x/\", \"perf/msr/event=2,name=a.x/\""),
		    NULL, true, "give one of them another name=");
	refuse_perf(__LINE__, ONE("\"perf/uncore_imc_0/cas_count_read/\", "
		    "\"perf/uncore_imc_0/event=1,name=cas_count_read_bytes/\""), NULL, true,
		    "would both be uncore_imc_cas_count_read_bytes_total{unit=\"0\"}");
	refuse_perf(__LINE__, ONE("\"perf/uncore_imc_0/event=1,name=cas_count_read_bytes/\", "
		    "\"perf/uncore_imc_0/cas_count_read/\""), NULL, true,
		    "would both be uncore_imc_cas_count_read_bytes_total{unit=\"0\"}");
	/* one box, two ways */
	refuse_perf(__LINE__, ONE("\"bbox/IMT_FULL\", \"perf/uncore_bbox_0/event=1,name=x/\""),
		    "nehalem-ex", false,
		    "would count bbox through perf_event, but bbox/IMT_FULL counts it through "
		    "registers");
}

/* Both engines in one group: places in each engine's program of their own, one list of slots. */
static void test_mixed(void **state)
{
	struct made m = make(ONE("\"perf/msr/tsc/\", \"wbox/CLOCKTICKS\", \"perf/msr/aperf/\"")
			     "metrics = ( { name = \"busy_ratio\"; numerator = ( "
			     "\"perf/msr/aperf/\" ); denominator = ( \"perf/msr/tsc/\" ); } );",
			     "nehalem-ex", 2, &pmus, false);
	const struct plan_round *r;
	const struct plan_metric *x = NULL;

	(void)state;
	assert_int_equal(m.r, 0);
	r = &m.p->sockets[1].rounds[0];
	assert_true(r->n_slots == 3 && r->n_reg == 1 && r->n_perf == 2);
	assert_int_equal(r->slots[1].engine, PLAN_REGISTERS);
	assert_int_equal(r->slots[1].engine_slot, 0);
	assert_int_equal(r->slots[2].engine_slot, 1);
	assert_string_equal(m.p->sockets[1].perf->rounds[0].events[1].text, "perf/msr/aperf/");
	assert_int_equal(metrics_of(m.p, "busy_ratio", ",unit=\"0\"", &x), 1);
	assert_true(x->num.v[0].slot == 2 && x->den.v[0].slot == 0);
	made_done(&m);
}

/* Without groups: PMUs that count a socket, not msr and software; at most 100 series a socket. */
static void test_default_groups(void **state)
{
	struct made m = make_perf(NULL);
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 1);
	assert_true(s->n_groups >= 2);
	for (unsigned i = 0; i < s->n_groups; i++)
		assert_true(strcmp(s->groups[i].name, "msr") != 0 &&
			    strcmp(s->groups[i].name, "software") != 0);
	assert_string_equal(s->groups[0].name, "power");
	assert_string_equal(s->groups[1].name, "die");
	assert_string_equal(s->groups[2].name, "imc");
	assert_int_equal(s->groups[2].n_slots, 3 * 2);
	assert_true(m.p->n_series / 2 <= 100);
	made_done(&m);
	m = make(NULL, NULL, 1, NULL, true);
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_series, 0);
	assert_false(m.p->sockets[0].has_perf);
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_scaled), cmocka_unit_test(test_scaled_rates),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mixed),
		cmocka_unit_test(test_default_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
