/* SPDX-License-Identifier: MIT
 * Events that a PMU of the kernel does not take, and PMUs whose formats, events and instances are
 * odd: each is a sentence, and nothing else is lost.
 */
#include "pmus_fixture.h"

static void test_refused(void **state)
{
	(void)state;
	tree_make(&tree, "skx.txt");
	refused(__LINE__, "perf/uncore_upi_0/event=3,umask=0x80000000,name=f/",
		"umask=0x80000000 does not fit into config:8-15,32-43,45-55");
	refused(__LINE__, "perf/uncore_imc_0/event=256,name=f/",
		"event=256 does not fit into config:0-7");
	refused(__LINE__, "perf/uncore_imc_0/event=18446744073709551616,name=f/",
		"is not a number below 2^64");
	refused(__LINE__, "perf/uncore_imc_0/event=-1,name=f/", "is not a number");
	/* perf would count umask 0x03 | 0x04 */
	refused(__LINE__, "perf/uncore_imc_0/cas_count_read,umask=0x4/",
		"umask=0x4 conflicts with bits that other terms or the event 'cas_count_read' set "
		"already");
	refused(__LINE__, "perf/uncore_imc_0/umask=3,umask=4,event=4,name=x/",
		"umask=4 conflicts with bits that other terms set already");
	refused(__LINE__, "perf/uncore_imc_0/event=4,config=0x300,name=x/",
		"config=0x300 conflicts with");
	refused(__LINE__, "perf/uncore_imc_0/cas_count_read,cas_count_write/",
		"'cas_count_read' and 'cas_count_write' are two events");
	refused(__LINE__, "perf/uncore_imc_0/cas_count_raed/",
		"no event or term 'cas_count_raed'; the nearest is 'cas_count_read'");
	refused(__LINE__, "perf/uncore_imc_0/cas_count_read,filter_isoc/",
		"no event or term 'filter_isoc'");
	refused(__LINE__, "perf/uncore_imc_0/cas_count_read=2/",
		"'cas_count_read' is an event and takes no value");
	refused(__LINE__, "perf/uncore_imc_0/event=4,period=1000,name=x/",
		"'period' tells perf how to sample");
	refused(__LINE__, "perf/uncore_imc_0/cas_count_read,percore/",
		"uncored only counts: leave it out");
	refused(__LINE__, "perf/uncore_imc_0/r304/", "needs a name");
	refused(__LINE__, "perf/uncore_imc_0/rabcdefg,name=x/", "no event or term 'rabcdefg'");
	refused(__LINE__, "perf/uncore_imc_6/cas_count_read/", "no PMU 'uncore_imc_6'");
	refused(__LINE__, "perf/uncore_iio_free_runing/ioclk/",
		"the nearest is 'uncore_iio_free_running_0'");
	tree_drop(&tree);
	tree_make(&tree, "cmn600.txt");
	refused(__LINE__, "perf/arm_cmn_0/watchpoint_up,wp_val=1/",
		"the event 'watchpoint_up' needs a value for 'wp_dev_sel': write "
		"perf/arm_cmn_0/watchpoint_up,wp_dev_sel=VALUE/");
	tree_drop(&tree);
}

/* A format file that says nonsense costs its own term, by name; all others go on. */
/* One instance whose format/ differs: the same terms are other bits there. */
static void test_one_other_format(void **state)
{
	static const char *const fields[][2] = {
		{ "event", "config:8-15" }, { "umask", "config:0-7" }, { "edge", "config:18" },
		{ "inv", "config:23" }, { "thresh", "config:24-31" },
	};
	static const uint64_t config[] = { 0x102, 0x201 };
	char format[512];
	struct made m;

	(void)state;
	tree_make(&tree, "skx.txt");
	snprintf(format, sizeof(format), "%s/bus/event_source/devices/uncore_m2m_1/format",
		 tree.root);
	assert_int_equal(unlink(format), 0);            /* it pointed to that of the first */
	for (unsigned i = 0; i < COUNT(fields); i++) {
		snprintf(format, sizeof(format), "bus/event_source/devices/uncore_m2m_1/format/%s",
			 fields[i][0]);
		tree_put(&tree, format, fields[i][1]);
	}
	m = make_good(__LINE__, "perf/uncore_m2m/event=0x2,umask=0x1,name=x/");
	for (unsigned i = 0; i < COUNT(config); i++)
		assert_int_equal(m.p->sockets[0].perf->rounds[0].events[i].config, config[i]);
	made_done(&m);
	tree_drop(&tree);
}

static void test_odd_formats(void **state)
{
	static const struct { int line; const char *text, *why; } rows[] = {
		{ __LINE__, "config:7-0", "its bits run backwards" },
		{ __LINE__, "config:0-64", "bits are numbers from 0 to 63" },
		{ __LINE__, "config:0-3,2-5", "it names a bit twice" },
		{ __LINE__, "config:5,5", "it names a bit twice" },
		{ __LINE__, "config3:0-7", "not of config, config1 or config2" },
		{ __LINE__, "cfg:0-7", "not of config" },
		{ __LINE__, "config:", "bits are numbers" },
		{ __LINE__, "config:0-", "bits are numbers" },
		{ __LINE__, "config:-5", "bits are numbers" },
		{ __LINE__, "config:0-7,", "bits are numbers" },
		{ __LINE__, "config:+1", "bits are numbers" },
		{ __LINE__, "config: 1", "bits are numbers" },
		{ __LINE__, "config:0x7", "something follows its bits" },
		{ __LINE__, "config:0-7;", "something follows its bits" },
		{ __LINE__, "config:99999999999999999999", "bits are numbers" },
		{ __LINE__, "config:0-4294967296", "bits are numbers" },
		{ __LINE__, "config", "not of config" },
	};

	(void)state;
	tree_make(&tree, "nehalem.txt");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		tree_put(&tree, "bus/event_source/devices/uncore/format/edge", rows[i].text);
		refused(rows[i].line, "perf/uncore/clockticks,edge/", "/uncore/format/edge says ");
		refused(rows[i].line, "perf/uncore/clockticks,edge/", rows[i].why);
		m = make_good(rows[i].line, "perf/uncore/clockticks,inv/");
		assert_int_equal(m.p->sockets[0].perf->rounds[0].events[0].config, 0x8000ff);
		made_done(&m);
	}
	tree_put(&tree, "bus/event_source/devices/uncore/format/edge", "");
	refused(__LINE__, "perf/uncore/clockticks,edge/", "/uncore/format/edge: empty");
	tree_drop(&tree);
}

static void test_odd_events(void **state)
{
	static const struct { int line; const char *file, *text, *why; } rows[] = {
		{ __LINE__, "clockticks", "event=0xff,color=3", "/uncore/events/clockticks says \"event=0xff,color=3\", and format/ has no 'color'" },
		{ __LINE__, "clockticks", "event=blue", "event=blue is not a number" },
		{ __LINE__, "clockticks", "event=0x1ff", "does not fit into config:0-7" },
		{ __LINE__, "clockticks", "", "/uncore/events/clockticks: empty" },
		{ __LINE__, "clockticks", "qhl_request_ioh_reads", "format/ has no 'qhl_request_ioh_reads'" },
		{ __LINE__, "clockticks.snapshot", "1", "'clockticks' is a level at an instant, not a count" },
	}, scales[] = {
		{ __LINE__, NULL, "nan", NULL }, { __LINE__, NULL, "inf", NULL },
		{ __LINE__, NULL, "-1", NULL }, { __LINE__, NULL, "0", NULL },
		{ __LINE__, NULL, "1e999", NULL }, { __LINE__, NULL, "1e-999", NULL },
		{ __LINE__, NULL, "1e300", NULL },
		{ __LINE__, NULL, "1e-300", NULL }, { __LINE__, NULL, "0x10", NULL },
		{ __LINE__, NULL, "1,5", NULL }, { __LINE__, NULL, "1.0 MiB", NULL },
		{ __LINE__, NULL, ".", NULL },
	};
	char path[128];
	struct made m;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		tree_make(&tree, "nehalem.txt");
		snprintf(path, sizeof(path), "bus/event_source/devices/uncore/events/%s",
			 rows[i].file);
		tree_put(&tree, path, rows[i].text);
		refused(rows[i].line, "perf/uncore/clockticks/", rows[i].why);
		m = make_good(rows[i].line, "perf/uncore/qmc_normal_reads_any/");
		assert_int_equal(m.p->sockets[0].perf->rounds[0].events[0].config, 0xf2c);
		made_done(&m);
		tree_drop(&tree);
	}
	tree_make(&tree, "nehalem.txt");
	tree_put(&tree, "bus/event_source/devices/uncore/events/clockticks.unit", "MiB");
	for (unsigned i = 0; i < COUNT(scales); i++) {
		tree_put(&tree, "bus/event_source/devices/uncore/events/clockticks.scale",
			 scales[i].text);
		refused(scales[i].line, "perf/uncore/clockticks/",
			"/uncore/events/clockticks.scale says ");
	}
	/* a snapshot of 0 is a count */
	tree_put(&tree, "bus/event_source/devices/uncore/events/clockticks.scale", "1");
	tree_put(&tree, "bus/event_source/devices/uncore/events/clockticks.snapshot", "0");
	m = make_good(__LINE__, "perf/uncore/clockticks/");
	made_done(&m);
	/* the default group leaves out what is odd, and says so */
	tree_put(&tree, "bus/event_source/devices/uncore/events/clockticks.scale", "nan");
	tree_put(&tree, "cpuinfo", "processor\t: 0");          /* no table holds for it */
	m = make_on(&tree, NULL);
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->sockets[0].groups[0].n_slots, 4);
	assert_int_equal(m.p->n_notes, 2);
	assert_non_null(strstr(m.p->notes[0], "clockticks.scale"));
	assert_non_null(strstr(m.p->notes[1], "'uncore' counts 4 of the "));
	assert_true(m.p->sockets[0].perf->rounds[0].events[0].may_lack);
	made_done(&m);
	tree_drop(&tree);
}

/* An instance that cannot be used: its own name is refused with the reason, the family counts the
 * others and says so. */
static void test_odd_instances(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "skx.txt");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_3/type", "3x");
	refused(__LINE__, "perf/uncore_imc_3/clockticks/", "'uncore_imc_3' cannot be used: ");
	refused(__LINE__, "perf/imc_3/clockticks/", "uncore_imc_3/type: \"3x\" is not a number");
	m = make_good(__LINE__, "perf/uncore_imc/clockticks/");
	assert_int_equal(m.p->sockets[0].rounds[0].n_slots, 5);
	assert_int_equal(m.p->sockets[0].rounds[0].slots[3].unit, 4);
	assert_int_equal(m.p->n_notes, 1);
	assert_non_null(strstr(m.p->notes[0], "uncore_imc_3/type"));
	made_done(&m);
	/* a PMU that counts nowhere now is not one without a cpumask */
	tree_put(&tree, "bus/event_source/devices/uncore_ubox/cpumask", "");
	refused(__LINE__, "perf/uncore_ubox/event=1,name=x/",
		"the cpumask of this PMU names no CPU");
	tree_drop(&tree);
}

/* --------------------------------------------------------- a box of registers where perf counts */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_one_other_format), cmocka_unit_test(test_odd_formats),
		cmocka_unit_test(test_odd_events), cmocka_unit_test(test_odd_instances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
