/* SPDX-License-Identifier: MIT
 * Westmere-EX is the Xeon 7500 but for what westmere_ex_events.tsv and this
 * file list. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "tsv.h"

static const struct cat_box *box_of(const char *processor, const char *name)
{
	const struct cat_box *b = cat_box_by_name(cat_processor_by_name(processor), name);

	assert_non_null(b);
	return b;
}

enum { E_BOX, E_EVENT, E_UMASK, E_COUNTERS, E_CONTROL, E_SUB, E_ADDRESS, E_VALUE };

static unsigned compare(const struct tsv *t, const struct tsv_row *r)
{
	struct cat_selection c = { .box = box_of("westmere-ex", r->col[E_BOX]) };
	struct cat_field_value w[CAT_FIELD_VALUES];
	unsigned n, bad = 0, counter;
	uint64_t ctl;

	c.event = cat_event_by_name(c.box, r->col[E_EVENT]);
	if (!c.event)
		return tsv_wrong(t, r, "not in the catalog");
	if (strcmp(r->col[E_UMASK], "-") != 0) {
		int u = cat_umask_by_name(c.event, r->col[E_UMASK]);

		if (u < 0)
			return tsv_wrong(t, r, "no such unit mask");
		c.umasks = BIT(u);
	}
	counter = (unsigned)__builtin_ctz(cat_counters(&c));
	n = cat_encode(&c, 0, counter, &ctl, w);
	if (ctl != tsv_number(t, r, r->col[E_CONTROL]))
		bad += tsv_wrong(t, r, "control word 0x%llx", (unsigned long long)ctl);
	if (strcmp(r->col[E_COUNTERS], "any")
	    ? cat_counters(&c) != BIT(tsv_number(t, r, r->col[E_COUNTERS])) :
	    cat_counters(&c) != BIT(c.box->n_counters) - 1)
		bad += tsv_wrong(t, r, "counters 0x%x", cat_counters(&c));
	if (!strcmp(r->col[E_ADDRESS], "-"))
		return n ? bad + tsv_wrong(t, r, "%u sub-registers", n) : bad;
	if (n != 1 || w[0].reg.off != tsv_number(t, r, r->col[E_ADDRESS]) ||
	    w[0].value != tsv_number(t, r, r->col[E_VALUE]) ||
	    !strstr(w[0].row->name, r->col[E_SUB]))
		bad += tsv_wrong(t, r, "%u sub-registers, %s at 0x%x = 0x%llx", n,
				 n ? w[0].row->name : "", n ? w[0].reg.off : 0,
				 n ? (unsigned long long)w[0].value : 0);
	return bad;
}

static void test_what_differs(void **state)
{
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "westmere_ex_events.tsv");
	assert_true(t.n >= 60 + 9);
	for (unsigned i = 0; i < t.n; i++)
		bad += compare(&t, &t.rows[i]);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

/* Every event that the table does not name is the very row of the Xeon 7500. */
static void test_the_rest_is_shared(void **state)
{
	static const char *const own_codes[] = { /* three that a wider one took the place of */
		"SCHED_MODE_CHANGES", "RETRIES", "PAGE_EMPTY",
	};
	const struct cat_processor *ex = cat_processor_by_name("nehalem-ex");
	unsigned shared = 0, own = 0;

	(void)state;
	for (unsigned i = 0; i < ex->n_boxes; i++) {
		const struct cat_box *a = ex->boxes[i], *b = box_of("westmere-ex", a->name);

		assert_ptr_equal(a->regs, b->regs);
		assert_ptr_equal(a->events, b->events);
		for (const struct cat_event *e = cat_event_next(a, NULL); e;
		     e = cat_event_next(a, e)) {
			const struct cat_event *f = cat_event_by_name(b, e->name);

			assert_non_null(f);
			shared += e == f;
			own += e != f;
		}
	}
	assert_int_equal(own, 1 + 2 + 12 + 5 + COUNT(own_codes));       /* C, B, S, M */
	assert_true(shared > 200);
	for (unsigned i = 0; i < COUNT(own_codes); i++)	/* the old names still say what they said */
		assert_non_null(cat_event_by_name(box_of("westmere-ex", "mbox"), own_codes[i]));
}

/* Linux uncore_nhmex.c: the C-Boxes' offsets from 0xd00, in order; the last two are
 * Westmere-EX's. */
static void test_ten_cboxes(void **state)
{
	static const uint32_t offsets[] = { 0, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0,
					    0x240, 0x2c0 };
	const struct cat_box *b = box_of("westmere-ex", "cbox");

	(void)state;
	assert_int_equal(b->n_units, 10);
	for (unsigned u = 0; u < 10; u++) {
		assert_int_equal(cat_reg_address(b, cat_reg_find(b, CAT_BOX_CTL, 0, 0), u, 0).off,
				 0xd00 + offsets[u]);
		assert_int_equal(cat_reg_address(b, cat_reg_find(b, CAT_CTL, 0, 5), u, 5).off,
				 0xd1a + offsets[u]);
	}
	assert_int_equal(box_of("nehalem-ex", "cbox")->n_units, 8);
}

/* The layout that `decode` shows is this processor's. */
static void test_fields_of_the_wider_registers(void **state)
{
	const struct cat_box *wide = box_of("westmere-ex", "mbox"),
		*narrow = box_of("nehalem-ex", "mbox");
	struct reg fvc = { .space = SPACE_MSR, .bytes = 8, .off = 0xcab };
	const struct cat_field *f;
	struct cat_location at;
	unsigned n;

	(void)state;
	assert_true(cat_locate(cat_processor_by_name("westmere-ex"), fvc, &at));
	f = cat_reg_fields(wide, at.row, &n);
	assert_string_equal(f[n - 1].name, "fvid");
	assert_int_equal(f[n - 1].hi, 5);
	assert_string_equal(f[0].name, "pbox_init_err");
	assert_int_equal(f[0].hi, 24);
	f = cat_reg_fields(narrow, at.row, &n);
	assert_int_equal(f[n - 1].hi, 4);
	assert_int_equal(f[0].hi, 23);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_differs),
		cmocka_unit_test(test_the_rest_is_shared),
		cmocka_unit_test(test_ten_cboxes),
		cmocka_unit_test(test_fields_of_the_wider_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
