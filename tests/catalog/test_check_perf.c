/* SPDX-License-Identifier: MIT
 * The self-check of the tables for Linux' PMUs: the real ones pass, each fault
 * is refused by name. */
#include "check_tables.h"
#include "spec/kernel.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "complaints.h"

#define BUSY  "perf/uncore_box/busy/"
#define CLOCK "perf/uncore_box_0/event=0x00,name=clockticks/"
#define FREE  "perf/uncore_free/bytes/"

/* A table with two counters, one event that counts on the second alone, and a neighbour for the
 * same processors. */
struct fake {
	struct cat_perf_pmu pmus[2];
	struct cat_perf_event events[3];
	const char *specs[3], *free_specs[2], *no_pmu[2];
	struct cat_group groups[2];
	struct cat_term busy[2], seconds[2], bytes[2];
	struct cat_metric metrics[2];
	struct cat_perf_id ids[1];
	struct cat_perf t, o;
	struct cat_group other_group;
	struct cat_metric other_metric;
};

static const struct cat_set plenty = { "plenty", "All that it does" };
static const struct cat_set no_help = { "plenty", NULL };
static const struct cat_set called_free = { "free", "All that it does" };

static void fake_init(struct fake *f)
{
	*f = (struct fake){
		.pmus = { { "uncore_box", 2, "invented" }, { "uncore_free", 0, "invented" } },
		.events = { { .spec = BUSY, .counters = 0x2, .source = "invented" },
			    { .spec = CLOCK, .clock = true, .source = "invented" },
			    { .spec = FREE, .source = "invented" } },
		.specs = { BUSY, CLOCK }, .free_specs = { FREE }, .no_pmu = { "uncore_bix" },
		.groups = { { "box", f->specs, .metrics_only = true,
			      .help = "Whether it is busy" },
			    { .name = "free", .specs = f->free_specs,
			      .help = "What came and went" } },
		.busy = { { .spec = BUSY } }, .seconds = { { .spec = "seconds" } },
		.bytes = { { .spec = FREE } },
		.metrics = { { .name = "busy_seconds", .unit = "seconds", .num = f->busy,
			       .den = f->seconds,
			       .cycles_of = CLOCK, .help = "Time in which it is busy",
			       .source = "invented" },
			     { .name = "free_bytes_total", .unit = "bytes", .scaled = true,
			       .num = f->bytes,
			       .help = "Bytes that came and went", .source = "invented" } },
		.ids = { { 6, 80, 85, 0 } },
		.t = { .name = "fake", .title = "An invented processor", .vendor = "Maker",
		       .ids = f->ids, .pmus = f->pmus,
		       .events = f->events, .groups = f->groups, .metrics = f->metrics, .n_ids = 1,
		       .n_pmus = 2, .n_events = 3,
		       .n_groups = 2, .n_metrics = 2 },
		.o = { .name = "other", .title = "Another invented one",
		       .pmus = &f->pmus[1], .n_pmus = 1,
		       .groups = &f->other_group, .metrics = &f->other_metric },
		.other_group = { .name = "box", .specs = f->free_specs },
		.other_metric = { .name = "free_bytes_total" },
	};
}

static int check(const struct fake *f, struct diags *d)
{
	const struct cat_perf *v[] = { &f->o, &f->t };

	int r = catalog_check_perf(v, COUNT(v), d), s = spec_check_perf(&f->t, d);

	return r < 0 ? r : s;
}

enum { FIRST = __COUNTER__ + 1 };
#define FAULT(change, text) case __COUNTER__ - FIRST: *line = __LINE__; change; return text

static const char *spoil(struct fake *f, unsigned n, unsigned *line)
{
	struct cat_perf *t = &f->t;

	switch (n) {
	FAULT(t->name = "A table", "table \"A table\" is not a name");
	FAULT(t->name = "other", "two tables have this name");
	FAULT(t->title = "TBD: title", "the title says TBD");
	FAULT(t->vendor = NULL, "ids need a vendor");
	FAULT(t->by_pmu = true; t->n_ids = 0, "without ids it holds by its PMU anyway");
	FAULT(t->listed = true; t->executed = "driver",
	      "what a guest has executed is not only listed");
	FAULT(f->ids[0].last = 79, "models 80 to 79 run backwards");
	FAULT(t->n_pmus = 0, "no PMU");
	/* PMUs */
	FAULT(f->pmus[0].name = "uncore_free", "uncore_free: it is there twice");
	FAULT(f->pmus[0].source = NULL, "uncore_box: no source");
	FAULT(f->pmus[0].counters = 33, "uncore_box: 33 counters");
	FAULT(t->one_filter = f->no_pmu,
	      "uncore_bix: it has one filter and is no PMU of the table");
	/* events */
	FAULT(f->events[0].spec = "uncore_box/busy/", "no perf/PMU/EVENT/ or");
	FAULT(f->events[0].spec = "perf/uncore_box/busy", "no perf/PMU/EVENT/ or");
	FAULT(f->events[0].spec = "perf/uncore_box/event=1/", "no perf/PMU/EVENT/ or");
	FAULT(f->events[0].spec = "perf/uncore_bix/busy/", "the table has no such PMU");
	FAULT(f->events[0].spec = "perf/uncore_box_1/busy/", "the table has no such PMU");
	FAULT(f->events[0].source = "", BUSY ": no source");
	FAULT(f->events[0].counters = 0x4, "counts on a counter that the PMU does not have");
	FAULT(f->events[2].counters = 0x1, "counts on a counter that the PMU does not have");
	FAULT(f->events[0].fixed = true, "has a counter of its own, and others");
	FAULT(f->events[0].max_inc = 1,
	      BUSY ": a largest increment, but the table has no highest clock");
	FAULT(f->events[1].spec = BUSY, BUSY ": it is there twice");
	FAULT(t->n_groups = 1; t->n_metrics = 1, FREE ": no group and no metric uses it");
	FAULT(f->events[2].never_still = "", FREE ": no source");
	/* counters */
	FAULT(f->pmus[0].counters = 1; f->events[0].counters = 0,
	      "2 events of uncore_box do not fit onto its 1 counters");
	FAULT(f->events[1].counters = 0x2,
	      "2 events of uncore_box do not fit onto its 2 counters");
	/* groups */
	FAULT(f->groups[0].name = "The box", "group \"The box\" is not a name");
	FAULT(f->specs[0] = "perf/uncore_box/bizy/", "there is no event perf/uncore_box/bizy/");
	FAULT(f->specs[1] = BUSY, BUSY " is there twice");
	FAULT(f->groups[0].help = NULL, "fake box: no help");
	FAULT(f->groups[0].set = &no_help; f->groups[0].on_request = true,
	      "fake box: no help of the set");
	FAULT(f->groups[0].set = &plenty, "fake box: a group of a set counts by default");
	FAULT(f->groups[0].set = &called_free; f->groups[0].on_request = true,
	      "fake box: a group has the name of the set free");
	FAULT(f->t.sets = true, "fake box: it counts by default, in a table of sets");
	FAULT(f->groups[1].name = "box", "fake box: two groups have this name");
	FAULT(f->specs[1] = NULL, "fake box: it is of metrics only and yields none");
	/* metrics: what holds for a processor's rows holds for these */
	FAULT(f->metrics[0].name = "upi_busy_seconds", "the name begins like an event's of a box");
	FAULT(f->metrics[0].name = "busy_time", "the name does not end in _seconds");
	FAULT(f->metrics[0].source = NULL, "busy_seconds: no source");
	FAULT(f->metrics[0].help = "Busy", "the help is too short");
	FAULT(f->busy[0].spec = "perf/uncore_box/bizy/", "there is no event perf/uncore_box/bizy/");
	FAULT(f->seconds[0].spec = "minutes", "there is no constant minutes");
	FAULT(f->metrics[0].cycles_of = BUSY, BUSY " is no clock that always runs");
	FAULT(f->metrics[0].cycles_of = "perf/uncore_box/ticks/",
	      "perf/uncore_box/ticks/ is no clock that always runs");
	FAULT(f->metrics[1].name = "busy_seconds", "two metrics have this name");
	FAULT(f->metrics[1].absent = "nobody knows how", "the reason is too short");
	FAULT(f->metrics[1].absent = "no public source names an event for it",
	      "free_bytes_total: it is absent and has inputs");
	FAULT(f->metrics[0].num = NULL; f->metrics[0].den = NULL; f->metrics[0].cycles_of = NULL;
	      f->metrics[0].absent = "no public source names an event for it",
		      "fake box: it is of metrics only and yields none");
	FAULT(f->metrics[0].num = NULL, "busy_seconds: no numerator");
	/* two tables for one machine */
	FAULT(f->o.n_groups = 1; f->o.vendor = "Maker",
	      "the group box is also in other, for the same processor");
	FAULT(f->o.n_groups = 1, "the group box is also in other, for the same processor");
	FAULT(f->o.n_groups = 1; f->other_group.name = "plenty"; f->groups[0].set = &plenty;
	      f->groups[0].on_request = true,
		      "a group and a set of other have one name: box or plenty");
	FAULT(f->o.n_metrics = 1,
	      "the metric free_bytes_total is also in other, for the same processor");
	}
	return NULL;
}

static void test_good_table_passes(void **state)
{
	struct fake f;
	struct diags d = { 0 };

	(void)state;
	fake_init(&f);
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
	/* the same names for another processor */
	f.o.ids = &(struct cat_perf_id){ 6, 86, 90, 0 };
	f.o.n_ids = f.o.n_groups = f.o.n_metrics = 1;
	f.o.vendor = "Maker";
	f.o.groups = &f.groups[1];
	f.o.metrics = &f.metrics[1];
	f.o.events = &f.events[2];
	f.o.n_events = 1;
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
	f.o.ids = &(struct cat_perf_id){ 6, 85, 90, 0 };
	expect_complaint(check(&f, &d), &d, __LINE__, "for the same processor");
	f.t.instead_of = f.no_pmu;
	expect_complaint(check(&f, &d), &d, __LINE__, "for the same processor");
	f.no_pmu[0] = "other";
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
	f.t.instead_of = NULL;
	f.o.vendor = "Taker";
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
	/* what has a counter of its own takes none */
	f.events[1].fixed = true;
	f.pmus[0].counters = 1;
	f.events[0].counters = 0x1;
	expect_complaint(check(&f, &d), &d, __LINE__, NULL);
}

static void test_bad_tables_are_refused(void **state)
{
	unsigned n, line = 0;

	(void)state;
	for (n = 0;; n++) {
		struct fake f;
		struct diags d = { 0 };
		const char *expected;

		fake_init(&f);
		expected = spoil(&f, n, &line);
		if (!expected)
			break;
		expect_complaint(check(&f, &d), &d, line, expected);
	}
	assert_true(n >= 35);
}

static void test_tables_pass(void **state)
{
	struct diags d = { 0 };

	(void)state;
	expect_complaint(catalog_check_perf(cat_perfs, cat_n_perfs, &d), &d, __LINE__, NULL);
	for (unsigned i = 0; i < cat_n_perfs; i++)
		expect_complaint(spec_check_perf(cat_perfs[i], &d), &d, __LINE__, NULL);
}

static void test_ids(void **state)
{
	struct fake f;

	(void)state;
	fake_init(&f);
	assert_true(cat_perf_is_for(&f.t, "Maker", 6, 80, 0));
	assert_true(cat_perf_is_for(&f.t, "Maker", 6, 85, 0));
	assert_false(cat_perf_is_for(&f.t, "Maker", 6, 79, 0));
	assert_false(cat_perf_is_for(&f.t, "Maker", 6, 86, 0));
	assert_false(cat_perf_is_for(&f.t, "Maker", 15, 80, 0));
	assert_false(cat_perf_is_for(&f.t, "Taker", 6, 80, 0));
	assert_false(cat_perf_is_for(&f.t, "", 6, 80, 0));
	f.ids[0].stepping = 5;
	assert_false(cat_perf_is_for(&f.t, "Maker", 6, 85, 4));
	assert_true(cat_perf_is_for(&f.t, "Maker", 6, 85, 5));
	assert_true(cat_perf_is_for(&f.t, "Maker", 6, 85, 11));
	assert_true(cat_perf_is_for(&f.o, "", 0, 0, 0));
	f.o.vendor = "";
	assert_true(cat_perf_is_for(&f.o, "", 0, 0, 0));
	assert_false(cat_perf_is_for(&f.o, "Maker", 6, 80, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_table_passes),
		cmocka_unit_test(test_bad_tables_are_refused),
		cmocka_unit_test(test_tables_pass), cmocka_unit_test(test_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
