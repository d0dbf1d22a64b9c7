/* SPDX-License-Identifier: MIT
 * What holds for every row of the Xeon E5/E7 v2: bits that are never set,
 * bounds, counters. */
#include "ivt.h"
#include "selection.h"

#include <string.h>

/* Rules 25 and 28: ov_en (20), rst (17), the queue reset (16) and what is the invert bit elsewhere
 * (23) are 0 whatever is asked for. */
static unsigned compare_never(const struct cat_selection *selection)
{
	struct cat_selection c = *selection;
	unsigned bad = 0;

	for (unsigned encoding = 0; encoding < cat_encodings(c.event); encoding++)
		for (unsigned counter = 0; counter < c.box->n_counters; counter++)
			for (unsigned with = 0; with < 2; with++) {
				struct cat_field_value w[CAT_FIELD_VALUES];
				uint64_t ctl;

				c.edge = with;
				c.threshold = with
					? bits_mask((unsigned)(c.box->threshold.hi -
					c.box->threshold.lo), 0) : 0;
				cat_encode(&c, encoding, counter, &ctl, w);
				bad += (ctl & (BIT(23) | BIT(20) | BIT(17) | BIT(16))) != 0 ||
					ctl >> 32 || !(ctl & BIT(22));
			}
	if (bad)
		print_error("%s/%s umasks 0x%llx\n", c.box->name, c.event->name,
			    (unsigned long long)c.umasks);
	return bad;
}

/* Rule 26: each row has its bound, none above that of its box. */
static unsigned compare_bound(const struct cat_selection *c)
{
	unsigned most = cat_max_inc(c);

	if (c->box->max_inc && most >= 1 && most <= c->box->max_inc &&
	    c->event->max_inc <= c->box->max_inc)
		return 0;
	print_error("%s/%s: at most %u in a cycle, the box %u\n", c->box->name, c->event->name,
		    most, c->box->max_inc);
	return 1;
}

/* Rule 27 and its like: what adds up entries each cycle has the counter that can. */
static unsigned compare_occupancy(const struct cat_selection *c)
{
	static const char *const boxes[] = { "cbox", "r2pcie", "r3qpi" };
	const char *name = c->event->name;
	size_t n = strlen(name);

	if (n < 9 || strcmp(name + n - 9, "OCCUPANCY") || !strcmp(name, "COUNTER0_OCCUPANCY"))
		return 0;
	for (unsigned i = 0; i < COUNT(boxes); i++)
		if (!strcmp(c->box->name, boxes[i]) && cat_counters(c) != 0x1) {
			print_error("%s/%s counts on 0x%x\n", c->box->name, name, cat_counters(c));
			return 1;
		}
	return 0;
}

static unsigned for_each_selection(unsigned (*f)(const struct cat_selection *))
{
	unsigned bad = 0;

	for (const struct cat_box *b = cat_box_next(cpu(), NULL); b; b = cat_box_next(cpu(), b))
		for (const struct cat_event *e = cat_event_next(b, NULL); e;
		     e = cat_event_next(b, e)) {
			struct cat_selection c = { .box = b, .event = e };

			for (unsigned u = 0; u < (e->n_umasks ? e->n_umasks : 1); u++) {
				c.umasks = e->n_umasks ? BIT(u) : 0;
				give_required_keys(&c);
				bad += f(&c);
			}
		}
	return bad;
}

static void test_bits_that_are_never_set(void **state)
{
	(void)state;
	assert_int_equal(for_each_selection(compare_never), 0);
	for (const struct cat_box *b = cat_box_next(cpu(), NULL); b; b = cat_box_next(cpu(), b)) {
		uint64_t pulse = cat_pulse_bits(cat_reg_find(b, CAT_CTL, 0, 0));

		assert_false(cat_has(b->invert));
		assert_false(cat_has(b->occ_reset));
		assert_int_equal(b->ctl_always, 0);
		/* Not compared: rst, and the home agent's queue reset. */
		assert_int_equal(pulse, strcmp(b->name, "ha") ? BIT(17) : BIT(17) | BIT(16));
	}
}

static void test_every_row_has_a_bound(void **state)
{
	(void)state;
	assert_int_equal(for_each_selection(compare_bound), 0);
	/* p 173: 8 bits per cycle; 44 bits wrap in 23 s at 3 GHz. */
	assert_int_equal(box("r3qpi")->max_inc, 255);
	assert_int_equal(BIT(44) / (255 * UINT64_C(3000000000)), 22);
}

static void test_occupancy_is_on_counter_0(void **state)
{
	struct cat_selection c = { .box = box("cbox") };

	(void)state;
	assert_int_equal(for_each_selection(compare_occupancy), 0);
	/* It looks at counter 0 from the others. */
	c.event = cat_event_by_name(c.box, "COUNTER0_OCCUPANCY");
	assert_non_null(c.event);
	assert_int_equal(cat_counters(&c), 0xe);
}

/* The event file names a filter that no source places: the row must say that nothing is written
 * there. */
static void test_filters_without_an_encoding(void **state)
{
	static const struct { const char *box, *event; } rows[] = { { "ubox", "FILTER_MATCH" },
		{ "irp", "TRANSACTIONS" } };

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct cat_event *e = cat_event_by_name(box(rows[i].box), rows[i].event);

		assert_true(e && !e->selector && e->note && strstr(e->note, "it stays as it is"));
	}
}

/* Rule 27: the links share one stop of the ring. */
static void test_no_metric_adds_ring_events_over_links(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cpu()->metrics->n; i++) {
		const struct cat_metric *m = &cpu()->metrics->v[i];

		for (const struct cat_term *t = m->num; t->spec; t++)
			if (!strncmp(t->spec, "r3qpi/RING_", 11) && m->per != CAT_PER_UNIT)
				fail_msg("%s", m->name);
	}
}

/* Opcode 0x182 holds the data reads that a core's prefetchers ask for, too (perfmon IVT:
 * llc_data_read_demand_plus_prefetch_miss_latency). */
static void test_data_reads_say_what_they_hold(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < cpu()->metrics->n; i++) {
		const struct cat_metric *m = &cpu()->metrics->v[i];

		if (!strstr(m->num->spec, "opc=0x182"))
			continue;
		n++;
		if (!strstr(m->help, "prefetches of the cores"))
			fail_msg("%s: %s", m->name, m->help);
	}
	assert_true(n >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits_that_are_never_set),
		cmocka_unit_test(test_every_row_has_a_bound),
		cmocka_unit_test(test_occupancy_is_on_counter_0),
		cmocka_unit_test(test_filters_without_an_encoding),
		cmocka_unit_test(test_data_reads_say_what_they_hold),
		cmocka_unit_test(test_no_metric_adds_ring_events_over_links),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
