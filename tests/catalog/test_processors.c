/* SPDX-License-Identifier: MIT
 * What holds for the tables of all processors: they pass their check, every row
 * has an encoding, and decoding gives it back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "check_tables.h"
#include "selection.h"
#include "spec/resolve.h"

/* CPU models: SDM Table 35-14 (Nehalem, Westmere), 323535-001 (06_2E), Linux uncore.c (06_2F,
 * 06_3E). */
static const struct {
	unsigned line;
	const char *vendor;
	unsigned family, model;
	const char *processor;
} ids[] = {
	{ __LINE__, "GenuineIntel", 6, 0x2e, "nehalem-ex" },
	{ __LINE__, "GenuineIntel", 6, 0x2f, "westmere-ex" },
	{ __LINE__, "GenuineIntel", 6, 0x1a, "nehalem" },
	{ __LINE__, "GenuineIntel", 6, 0x1e, "nehalem" },
	{ __LINE__, "GenuineIntel", 6, 0x1f, "nehalem" },
	{ __LINE__, "GenuineIntel", 6, 0x25, "westmere" },
	{ __LINE__, "GenuineIntel", 6, 0x2c, "westmere" },
	{ __LINE__, "GenuineIntel", 6, 0x3e, "ivytown" },
	{ __LINE__, "GenuineIntel", 6, 0x3a, NULL },            /* Ivy Bridge, the client */
	{ __LINE__, "GenuineIntel", 6, 0x2a, NULL },            /* Sandy Bridge */
	{ __LINE__, "GenuineIntel", 6, 0x2d, NULL },            /* Sandy Bridge EP */
	{ __LINE__, "GenuineIntel", 6, 0x17, NULL },            /* Core 2 */
	{ __LINE__, "GenuineIntel", 15, 0x1a, NULL },
	{ __LINE__, "GenuineIntel", 0, 0, NULL },
	/* What CPUID says of real machines of others: hwloc's dumps tests/hwloc/x86
	 * Zhaoxin-CentaurHauls-ZXD-4600, Zhaoxin-Shanghai-KaiSheng-ZXC+-FC1081; a vendor's numbers
	 * with another's name. */
	{ __LINE__, "CentaurHauls", 6, 31, NULL },
	{ __LINE__, "  Shanghai  ", 6, 25, NULL },
	{ __LINE__, "AuthenticAMD", 6, 0x1a, NULL },
	{ __LINE__, "", 6, 0x2e, NULL },
};

static void test_processors_are_told_by_cpuid(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct cat_processor *p = cat_processor_by_id(ids[i].vendor, ids[i].family,
								    ids[i].model);

		if (!p != !ids[i].processor || (p && strcmp(p->name, ids[i].processor) != 0))
			fail_msg("line %u: %s", ids[i].line, p ? p->name : "none");
	}
}

static void test_no_model_belongs_to_two(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++)
		for (unsigned k = 0; k < cat_processors[i]->n_ids; k++) {
			const struct cat_id *id = &cat_processors[i]->ids[k];

			assert_ptr_equal(cat_processor_by_id("GenuineIntel", id->family, id->model),
					 cat_processors[i]);
		}
}

static void test_every_table_passes_its_check(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		struct diags d = { 0 };

		bad += catalog_check(cat_processors[i], &d) != 0;
		bad += spec_check(cat_processors[i], &d) != 0;
		for (size_t k = 0; k < d.n; k++)
			print_error("%s\n", d.v[k]);
		diags_done(&d);
	}
	assert_int_equal(bad, 0);
}

/* ------------------------------------------------------------------ encode and decode */

static bool same_selection(const struct cat_selection *a, const struct cat_selection *b)
{
	return a->box == b->box && a->event == b->event && a->unit == b->unit &&
		a->port == b->port &&
	       a->umasks == b->umasks && a->threshold == b->threshold && a->edge == b->edge &&
	       a->invert == b->invert &&
	       a->key_given == b->key_given && !memcmp(a->keys.v, b->keys.v, sizeof(a->keys.v));
}

static unsigned row_returns(const struct cat_processor *p, const struct cat_selection *c,
			    unsigned encoding, unsigned counter)
{
	bool fixed = c->event->fixed;
	struct cat_field_value w[CAT_FIELD_VALUES];
	struct reg regs[CAT_FIELD_VALUES + 1];
	uint64_t values[CAT_FIELD_VALUES + 1], unsaid;
	struct cat_selection found[16];
	unsigned n = cat_encode(c, encoding, counter, &values[0], w), k, at = 99;

	regs[0] = cat_reg_address(c->box,
				  cat_reg_find(c->box, fixed ? CAT_FIXED_CTL : CAT_CTL, 0, counter),
				  c->unit, counter);
	if (!(values[0] & cat_ctl_enable(c->box, fixed)))
		fail_msg("%s/%s: not enabled", c->box->name, c->event->name);
	for (unsigned i = 0; i < n; i++) {
		regs[i + 1] = w[i].reg;
		values[i + 1] = w[i].value;
	}
	k = cat_decode(p, regs, values, n + 1, found, 16, &at, &unsaid);
	for (unsigned i = 0; i < k; i++)
		if (same_selection(&found[i], c))
			return at != (fixed ? c->box->n_counters : counter);
	print_error("%s %s/%s umasks 0x%llx place %u counter %u: %u candidates, none of "
		    "them this\n", p->name, c->box->name,
		    c->event->name, (unsigned long long)c->umasks, encoding, counter, k);
	return 1;
}

static unsigned row_round_trip(const struct cat_processor *p, struct cat_selection *c)
{
	unsigned ports = c->box->n_ports ? c->box->n_ports : 1, bad = 0;

	give_required_keys(c);
	if (c->event->fixed)
		return row_returns(p, c, 0, 0);
	for (c->port = 0; c->port < ports; c->port++)
		for (unsigned encoding = 0; encoding < cat_encodings(c->event); encoding++) {
			if (!cat_counters(c)) {
				print_error("%s %s/%s counts on no counter\n", p->name,
					    c->box->name, c->event->name);
				bad++;
			}
			for (unsigned counter = 0; counter < c->box->n_counters; counter++)
				if (cat_counters(c) & BIT(counter))
					bad += row_returns(p, c, encoding, counter);
		}
	return bad;
}

static unsigned event_round_trip(const struct cat_processor *p, const struct cat_box *b,
				 const struct cat_event *e)
{
	struct cat_selection c = { .box = b, .event = e, .unit = b->n_units - 1 };
	unsigned bad = 0;

	if (!e->n_umasks || e->dflt == CAT_OPTIONAL)
		bad += row_round_trip(p, &c);
	for (unsigned u = 0; u < e->n_umasks; u++) {
		c.umasks = BIT(u);
		bad += row_round_trip(p, &c);
	}
	return bad;
}

static void test_every_row_is_encoded_and_decoded(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b))
			for (const struct cat_event *e = cat_event_next(b, NULL); e;
			     e = cat_event_next(b, e))
				bad += event_round_trip(p, b, e);
	}
	assert_int_equal(bad, 0);
}

/* Rule 28 and rule 5 of every table: something bounds what a counter can do in a cycle. */
static void test_every_event_has_a_bound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		const struct cat_processor *p = cat_processors[i];

		for (const struct cat_box *b = cat_box_next(p, NULL); b; b = cat_box_next(p, b))
			for (const struct cat_event *e = cat_event_next(b, NULL); e;
			     e = cat_event_next(b, e)) {
				struct cat_selection c = { .box = b, .event = e,
							.umasks = e->n_umasks ? 1 : 0 };

				assert_true(cat_max_inc(&c) >= 1);
				assert_true(b->max_hz > 0);
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processors_are_told_by_cpuid),
		cmocka_unit_test(test_no_model_belongs_to_two),
		cmocka_unit_test(test_every_table_passes_its_check),
		cmocka_unit_test(test_every_row_is_encoded_and_decoded),
		cmocka_unit_test(test_every_event_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
