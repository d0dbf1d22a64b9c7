/* SPDX-License-Identifier: MIT
 * Every register of the Xeon E5/E7 v2 is where documented. */
#include "ivt.h"
#include "registers.h"

#include <string.h>

static const struct cat_unit *unit_of(const struct cat_location *at)
{
	return &at->box->units[at->unit];
}

static unsigned number_or_0(const struct tsv *t, const struct tsv_row *r, unsigned column)
{
	return strcmp(r->col[column], "-") ? (unsigned)tsv_number(t, r, r->col[column]) : 0;
}

static struct reg row_reg(const struct tsv *t, const struct tsv_row *r)
{
	bool pci = strcmp(r->col[R_SPACE], "pci") == 0;

	return (struct reg){
		.space = pci ? SPACE_PCI : SPACE_MSR, .bytes = 4,
		.off = number_or_0(t, r, R_OFFSET),
		.dev = (uint8_t)number_or_0(t, r, R_DEV), .fn = (uint8_t)number_or_0(t, r, R_FN),
	};
}

/* QPI ports 0 and 1 share their rate register: it is located at the first. */
static bool is_shared(const struct tsv_row *r)
{
	return strcmp(r->col[R_NAME], "rate_status") == 0 && strcmp(r->col[R_UNIT], "1") == 0;
}

static unsigned compare_counter(const struct tsv *t, const struct tsv_row *r,
				const struct cat_location *at)
{
	bool fixed = at->row->role == CAT_FIXED_CTR;
	unsigned bad = 0;

	if (cat_width(at->box, fixed) != tsv_number(t, r, r->col[R_WIDTH]))
		bad += tsv_wrong(t, r, "%u bits", cat_width(at->box, fixed));
	/* PCI: two halves of 32 bits, which one row stands for. */
	if (at->row->bytes != 8)
		bad += tsv_wrong(t, r, "%u bytes", at->row->bytes);
	return bad;
}

static unsigned compare_register(const struct tsv *t, const struct tsv_row *r)
{
	unsigned bad = 0, unit = (unsigned)tsv_number(t, r, r->col[R_UNIT]);
	struct cat_location at = { 0 };

	if (!cat_locate(cpu(), row_reg(t, r), &at) || !at.row)
		return tsv_wrong(t, r, "not in the catalog");
	if (strcmp(roles[at.row->role], r->col[R_ROLE]))
		bad += tsv_wrong(t, r, "role %s", roles[at.row->role]);
	/* The global control and only it has no box. */
	if (!at.box)
		return strcmp(r->col[R_ROLE], "global_ctl") ? bad + tsv_wrong(t, r, "has no box")
			: bad;
	if (strcmp(at.box->name, r->col[R_BOX]) || at.unit != (is_shared(r) ? 0 : unit))
		bad += tsv_wrong(t, r, "located in %s%u", at.box->name, at.unit);
	if (strcmp(r->col[R_INDEX], "-") && at.index != tsv_number(t, r, r->col[R_INDEX]))
		bad += tsv_wrong(t, r, "index %u", at.index);
	if (unit_of(&at)->id[at.row->bank] != number_or_0(t, r, R_ID))
		bad += tsv_wrong(t, r, "device id 0x%04x", unit_of(&at)->id[at.row->bank]);
	if (!reg_equal(cat_reg_address(at.box, at.row, unit, at.index), row_reg(t, r)))
		bad += tsv_wrong(t, r, "the unit's address is another");
	if (at.row->role == CAT_CTR || at.row->role == CAT_FIXED_CTR)
		bad += compare_counter(t, r, &at);
	return bad;
}

static void test_every_register_is_where_documented(void **state)
{
	(void)state;
	every_register("ivytown_registers.tsv", compare_register);
}

static void test_registers_of_others_are_not_located(void **state)
{
	/* A C-Box 15, between the C-Boxes, Nehalem's global control; a fourth counter of R3QPI;
	 * IRP's second counter where other boxes have theirs; a function between those of the
	 * memory channels. */
	static const struct reg others[] = {
		{ SPACE_MSR, 4, 0, 0, 0xef0 }, { SPACE_MSR, 4, 0, 0, 0xd1b },
		{ SPACE_MSR, 4, 0, 0, 0x391 },
		{ SPACE_PCI, 4, 19, 5, 0xe4 }, { SPACE_PCI, 8, 5, 6, 0xa8 },
		{ SPACE_PCI, 4, 16, 2, 0xd8 },
	};
	struct cat_location at;

	(void)state;
	for (unsigned i = 0; i < COUNT(others); i++)
		if (cat_locate(cpu(), others[i], &at))
			fail_msg("0x%x is located", others[i].off);
}

/* 329468-002 p 21 and p 173. */
static void test_geometry(void **state)
{
	const struct cat_box *u = box("ubox"), *r3 = box("r3qpi");

	(void)state;
	assert_int_equal(u->n_counters, 2);
	assert_int_equal(cat_width(u, false), 44);
	assert_true(u->has_fixed);
	assert_int_equal(cat_width(u, true), 48);
	assert_int_equal(cat_reg_address(u, cat_reg_find(u, CAT_CTR, 0, 1), 0, 1).off, 0xc17);
	assert_int_equal(cat_reg_address(u, cat_reg_find(u, CAT_FIXED_CTL, 0, 0), 0, 0).off, 0xc08);
	assert_int_equal(cat_reg_find(u, CAT_CTL, 0, 1)->bytes, 4);
	assert_int_equal(r3->n_counters, 3);
	assert_int_equal(cat_width(r3, false), 44);
	assert_false(r3->has_fixed);
}

/* 329468-002 Table 2-2, p 19: frz_all 31 and unfrz_all 29 act when written. Box control: frz 8. */
static void test_global_control(void **state)
{
	const struct cat_global *g = cpu()->global;

	(void)state;
	assert_int_equal(g->ctl.off, 0xc00);
	assert_int_equal(g->enable, BIT(29));
	assert_int_equal(g->freeze, BIT(31));
	assert_true(g->pulse);
	for (const struct cat_box *b = cat_box_next(cpu(), NULL); b; b = cat_box_next(cpu(), b)) {
		bool has_control = strcmp(b->name, "ubox") != 0;

		assert_int_equal(b->box_freeze, has_control ? BIT(8) : 0);
		/* p 133: bits 17:16 are to be written as 1; the driver's 0 works too. */
		assert_int_equal(b->box_always, has_control ? BIT(17) | BIT(16) : 0);
	}
	assert_true(box("ubox")->local_only);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_register_is_where_documented),
		cmocka_unit_test(test_registers_of_others_are_not_located),
		cmocka_unit_test(test_geometry),
		cmocka_unit_test(test_global_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
