/* SPDX-License-Identifier: MIT
 * Addresses, encoding and decoding on the invented processor of fake.c: what the
 * real tables use rarely or not at all. Expected values follow from the numbers in fake.c by
 * hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "fake.h"
#include "selection.h"

static struct fake f;

static int setup(void **state)
{
	(void)state;
	fake_init(&f);
	return 0;
}

static struct cat_selection on_a(unsigned event, uint64_t umasks)
{
	return (struct cat_selection){ .box = &f.boxes[0], .event = &f.a_events[event],
				    .umasks = umasks };
}

static struct cat_selection on_p(unsigned event, uint64_t umasks)
{
	return (struct cat_selection){ .box = &f.boxes[1], .event = &f.p_events[event],
				    .umasks = umasks };
}

static uint64_t control_word(struct cat_selection c)
{
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 0);
	return ctl;
}

static void test_pci_addresses(void **state)
{
	const struct cat_box *a = &f.boxes[0];
	struct reg r = cat_reg_address(a, &f.a_regs[2], 1, 1);
	char name[CAT_NAME_TEXT], tiny[4];
	struct cat_location at;

	(void)state;
	assert_string_equal(reg_text(r).s, "16:5+0x148");
	assert_int_equal(r.bytes, 8);
	assert_int_equal(cat_reg_address(a, &f.a_regs[1], 0, 1).bytes, 4);
	/* an MSR access */
	assert_int_equal(cat_reg_address(&f.boxes[1], &f.p_regs[3], 0, 1).bytes, 8);
	assert_string_equal(reg_text(cat_reg_address(a, &f.a_regs[4], 0, 0)).s, "16:4+0x188");
	assert_true(cat_locate(&f.p, r, &at));
	assert_ptr_equal(at.box, a);
	assert_ptr_equal(at.row, &f.a_regs[2]);
	assert_int_equal(at.unit, 1);
	assert_int_equal(at.index, 1);
	assert_string_equal(cat_reg_name(at.row, at.unit, at.index, name, sizeof(name)), "A1_CTR1");
	assert_string_equal(cat_reg_name(at.row, 12, 3, tiny, sizeof(tiny)), "A12");
	assert_true(cat_locate(&f.p, f.global.ctl, &at));    /* in no box's table */
	assert_null(at.box);
	assert_null(at.row);
	assert_null(cat_reg_find(a, CAT_CTL, 0, 2));
	assert_null(cat_reg_find(a, CAT_SUB, 0, 0));
	assert_ptr_equal(cat_reg_find(&f.boxes[1], CAT_FILTER, 3, 1), &f.p_regs[5]);
}

static void test_plain_control_words(void **state)
{
	struct cat_selection c = on_a(A_PLAIN, 0);

	(void)state;
	assert_int_equal(control_word(c), 0x400010);
	c.threshold = 0xfe;
	c.edge = true;
	assert_int_equal(control_word(c), 0xfe440010);
	c.invert = true;
	assert_int_equal(control_word(c), 0xfec40010);
	assert_int_equal(control_word(on_a(A_BITS, 0x3)), 0x400311);
	assert_int_equal(control_word(on_a(A_BITS, 0x8)), 0x408111);
	assert_int_equal(control_word(on_a(A_ADDS, 0x1)), 0x420112); /* resets its queue counter */
	assert_int_equal(control_word(on_a(A_CLOCK, 0)), 1);
	assert_int_equal(cat_counters(&c), 0x1);
	c = on_a(A_BITS, 1);
	assert_int_equal(cat_counters(&c), 0x3);
	c = on_a(A_CLOCK, 0);
	assert_int_equal(cat_counters(&c), 0);
	assert_int_equal(cat_pulse_bits(&f.a_regs[1]), BIT(17));
	assert_int_equal(cat_ctl_enable(&f.boxes[0], false), BIT(22));
	assert_int_equal(cat_ctl_enable(&f.boxes[0], true), 1);
}

static void test_increments(void **state)
{
	struct cat_selection c = on_a(A_ADDS, 0x4);       /* LOW.ALL is two sub-events */

	(void)state;
	assert_int_equal(cat_max_inc(&c), 2);
	f.a_events[A_ADDS].max_inc = 3;
	assert_int_equal(cat_max_inc(&c), 3);
	c.edge = true;
	assert_int_equal(cat_max_inc(&c), 1);
	c = on_a(A_BITS, 0x3);
	assert_int_equal(cat_max_inc(&c), 1);
}

static void test_selectors_ports_and_keys(void **state)
{
	struct cat_selection c = on_p(P_IPERF, 0x2);
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c.port = 1;
	assert_int_equal(cat_counters(&c), 0xc);
	assert_int_equal(cat_encodings(c.event), 2);
	assert_int_equal(cat_encode(&c, 1, 2, &ctl, w), 1);
	assert_int_equal(ctl, (1 + 3) << 1 | 0x40 | 1);
	assert_int_equal(w[0].reg.off, 0x531);
	assert_int_equal(w[0].mask, 0xff00);
	assert_int_equal(w[0].value, 0x2000);

	/* Without a key: match and mask of the unit mask, flit 1, the switch; one want a register,
	 * the write enable's register last as in the table; the address bits are nobody's. */
	c = on_p(P_MATCH, 0x1);
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 3);
	assert_int_equal(w[0].reg.off, 0x541);
	assert_int_equal(w[0].value, 0x10);
	assert_int_equal(w[1].reg.off, 0x542);
	assert_int_equal(w[1].value, 0xf0);
	assert_int_equal(w[2].reg.off, 0x540);
	assert_int_equal(w[2].mask, BIT(63) | 0xf00);
	assert_int_equal(w[2].value, BIT(63) | 0x100);

	/* flit=any and address=0x12 */
	c.key_given = BIT(2) | BIT(3);
	c.keys = (struct cat_values){ .has = BIT(3) | BIT(4), .v = { [3] = 8, [4] = 0x12 } };
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 3);
	assert_int_equal(w[2].mask, BIT(63) | 0xffff0f00);
	assert_int_equal(w[2].value, BIT(63) | 0x80120800);

	/* A key that owns another register field makes it wanted at its default. */
	f.keys[0].owns = BIT(4);
	c.key_given = BIT(0);
	c.keys = (struct cat_values){ .has = BIT(0), .v = { 0x1 } };
	cat_encode(&c, 0, 0, &ctl, w);
	assert_int_equal(w[2].mask, BIT(63) | 0xffff0f00);
	assert_int_equal(w[2].value, BIT(63) | 0x100);
}

static unsigned decode(struct reg *regs, uint64_t *values, unsigned n,
		       struct cat_selection *found, unsigned max)
{
	uint64_t unsaid;
	unsigned counter = 99, k = cat_decode(&f.p, regs, values, n, found, max, &counter, &unsaid);

	if (k)
		assert_int_not_equal(counter, 99);
	return k;
}

static void test_decode_unit_masks(void **state)
{
	static const struct {
		unsigned line;
		uint64_t value;
		unsigned n;
		int event;
		uint64_t umasks;
	} rows[] = {
		{ __LINE__, 0x400010, 1, A_PLAIN, 0 },
		{ __LINE__, 0x000010, 1, A_PLAIN, 0 },  /* not enabled, selected all the same */
		{ __LINE__, 0x520010, 1, A_PLAIN, 0 },          /* pulse and unknown bits */
		{ __LINE__, 0x400110, 0, 0, 0 },        /* a sub-event that it does not have */
		{ __LINE__, 0x400111, 1, A_BITS, 0x1 },
		{ __LINE__, 0x400311, 1, A_BITS, 0x4 },         /* the exact one, not LOW.A:LOW.B */
		{ __LINE__, 0x408111, 1, A_BITS, 0x8 },
		{ __LINE__, 0x408211, 0, 0, 0 },                /* LOW.B with the other number */
		{ __LINE__, 0x400011, 0, 0, 0 },                /* no sub-event: counts nothing */
		{ __LINE__, 0x400411, 0, 0, 0 },
		{ __LINE__, 0x400013, 0, 0, 0 },
	};
	struct reg r = cat_reg_address(&f.boxes[0], &f.a_regs[1], 1, 0);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t value = rows[i].value;
		struct cat_selection found[4];

		if (decode(&r, &value, 1, found, 4) != rows[i].n ||
		    (rows[i].n && (found[0].event != &f.a_events[rows[i].event] ||
				   found[0].umasks != rows[i].umasks || found[0].unit != 1)))
			fail_msg("line %u", rows[i].line);
	}
}

static void test_decode_combinations(void **state)
{
	struct reg r = cat_reg_address(&f.boxes[0], &f.a_regs[1], 0, 1);
	uint64_t value = 0x400311, plain = 0x400010;
	struct cat_selection found[4];

	(void)state;
	f.a_events[A_BITS].n_umasks = 2;        /* without LOW.ALL: the two that it stands for */
	assert_int_equal(decode(&r, &value, 1, found, 4), 1);
	assert_int_equal(found[0].umasks, 0x3);
	f.a_events[A_BITS].one_umask = true;
	assert_int_equal(decode(&r, &value, 1, found, 4), 0);
	assert_int_equal(decode(&r, &plain, 1, found, 4), 0);  /* not on counter 1 */
}

/* A unit mask with a control bit of its own is found only with that bit. */
static void test_decode_more_control_bits(void **state)
{
	struct reg r = cat_reg_address(&f.boxes[0], &f.a_regs[1], 0, 1);
	uint64_t value = 0x408111;
	struct cat_selection found[4];

	(void)state;
	f.bits[3].ctl = BIT(40);
	assert_int_equal(control_word(on_a(A_BITS, 0x8)), BIT(40) | value);
	assert_int_equal(decode(&r, &value, 1, found, 4), 0);
	value |= BIT(40);
	assert_int_equal(decode(&r, &value, 1, found, 4), 1);
	assert_int_equal(found[0].umasks, 0x8);
}

static void test_decode_keys(void **state)
{
	struct reg regs[] = { { .off = 0x541 }, { .off = 0x542 }, { .off = 0x540 },
			      { .off = 0x510 } };
	uint64_t v[] = { 0x10, 0xf0, BIT(63) | 0x100, 2 << 1 | 0x41 };
	struct cat_selection found[4];

	(void)state;
	assert_int_equal(decode(regs, v, 4, found, 4), 1);
	assert_int_equal(found[0].umasks, 0x1);
	assert_int_equal(found[0].key_given, 0);
	/* no unit mask's value: with a unit mask it takes one key, alone it takes two */
	v[0] = 0x30;
	assert_int_equal(decode(regs, v, 4, found, 4), 2);
	assert_int_equal(found[0].key_given, BIT(0));
	assert_int_equal(found[0].umasks, 0x1);
	assert_int_equal(found[0].keys.v[0], 0x20);
	v[0] = 0x7;
	assert_int_equal(decode(regs, v, 4, found, 4), 1);
	assert_int_equal(found[0].umasks, 0);
	assert_int_equal(found[0].key_given, BIT(0) | BIT(1));
	assert_int_equal(found[0].keys.v[0], 0x7);
	assert_int_equal(found[0].keys.v[1], 0xf0);
	v[0] = 0x10;
	v[2] = BIT(63) | 0x80000800;    /* flit any; an address of 0 is an address all the same */
	assert_int_equal(decode(regs, v, 4, found, 4), 1);
	assert_int_equal(found[0].key_given, BIT(2) | BIT(3));
	assert_int_equal(found[0].keys.v[3], 8);
	assert_int_equal(found[0].keys.v[4], 0x8000);
	v[2] = 0x100;                   /* the switch is off */
	assert_int_equal(decode(regs, v, 4, found, 4), 0);
	v[2] = BIT(63);                 /* flit 0 does not exist */
	assert_int_equal(decode(regs, v, 4, found, 4), 0);
	assert_int_equal(decode(regs, v, 3, found, 4), 0);     /* no control register */
	assert_int_equal(decode(regs, v, 4, found, 0), 0);
}

static void test_decode_fixed(void **state)
{
	struct reg r = cat_reg_address(&f.boxes[0], &f.a_regs[3], 1, 0);
	struct cat_selection found[2];
	unsigned counter = 0;
	uint64_t value = 1, unsaid;

	(void)state;
	assert_int_equal(cat_decode(&f.p, &r, &value, 1, found, 2, &counter, &unsaid), 1);
	assert_ptr_equal(found[0].event, &f.a_events[A_CLOCK]);
	assert_int_equal(found[0].unit, 1);
	assert_int_equal(counter, f.boxes[0].n_counters);
}

static void test_names(void **state)
{
	const struct cat_box *a = &f.boxes[0];

	(void)state;
	assert_ptr_equal(cat_box_by_name(&f.p, "PBox"), &f.boxes[1]);
	assert_ptr_equal(cat_event_by_name(a, "unc_a_ticks"), &f.a_events[A_CLOCK]);
	assert_null(cat_event_by_name(a, "UNC_A_"));
	assert_null(cat_event_by_name(a, ""));
	assert_int_equal(cat_umask_by_name(&f.a_events[A_BITS], "low_a"), 0);
	assert_int_equal(cat_umask_by_name(&f.a_events[A_BITS], "Low.A"), 0);
	assert_int_equal(cat_umask_by_name(&f.a_events[A_BITS], "any"), 2);
	assert_int_equal(cat_umask_by_name(&f.a_events[A_BITS], "LOW"), -1);
	assert_int_equal(cat_umask_by_name(&f.a_events[A_PLAIN], "ALL"), -1);
	assert_string_equal(cat_nearest_event(a, "subs"), "SUBEVENTS");         /* by its alias */
	assert_string_equal(cat_nearest_event(a, "palin"), "PLAIN");
	assert_null(cat_nearest_event(a, ""));
	assert_null(cat_nearest_event(a, "MEM_CHANNEL_BW"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_pci_addresses, setup),
		cmocka_unit_test_setup(test_plain_control_words, setup),
		cmocka_unit_test_setup(test_increments, setup),
		cmocka_unit_test_setup(test_selectors_ports_and_keys, setup),
		cmocka_unit_test_setup(test_decode_unit_masks, setup),
		cmocka_unit_test_setup(test_decode_combinations, setup),
		cmocka_unit_test_setup(test_decode_more_control_bits, setup),
		cmocka_unit_test_setup(test_decode_keys, setup),
		cmocka_unit_test_setup(test_decode_fixed, setup),
		cmocka_unit_test_setup(test_names, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
