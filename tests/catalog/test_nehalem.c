/* SPDX-License-Identifier: MIT
 * Every event of Nehalem and Westmere is programmed as documented, in the right
 * registers.
 * The expected values stand in nehalem_events.tsv (its head names the sources) and here, each with
 * its page; none of them was read from the tables under test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "selection.h"
#include "tsv.h"

static const struct cat_processor *cpu(const char *name)
{
	const struct cat_processor *p = cat_processor_by_name(name);

	assert_non_null(p);
	assert_int_equal(p->n_boxes, 1);
	return p;
}

static struct cat_selection choose(const char *processor, const char *event, const char *umask)
{
	struct cat_selection c = { .box = cpu(processor)->boxes[0] };
	int u;

	c.event = cat_event_by_name(c.box, event);
	if (c.event && umask && strcmp(umask, "-") != 0) {
		u = cat_umask_by_name(c.event, umask);
		if (u < 0)
			c.event = NULL;
		else
			c.umasks = BIT(u);
	}
	return c;
}

/* ------------------------------------------------------------------ events */

enum { E_CPU, E_EVENT, E_UMASK, E_COUNTERS, E_CONTROL, E_MAX, E_OPEN };

static unsigned compare(const struct tsv *t, const struct tsv_row *r)
{
	struct cat_selection c = choose(r->col[E_CPU], r->col[E_EVENT], r->col[E_UMASK]);
	struct cat_field_value w[CAT_FIELD_VALUES];
	unsigned bad = 0;
	bool open;
	uint64_t ctl;

	if (!c.event)
		return tsv_wrong(t, r, "not in the catalog");
	if (c.event->n_umasks && !c.umasks)
		return tsv_wrong(t, r, "wants a unit mask");
	cat_encode(&c, 0, 0, &ctl, w);
	if (ctl != tsv_number(t, r, r->col[E_CONTROL]))
		bad += tsv_wrong(t, r, "control word 0x%llx", (unsigned long long)ctl);
	if (!strcmp(r->col[E_COUNTERS], "fixed") ? !c.event->fixed
	    : cat_counters(&c) != tsv_number(t, r, r->col[E_COUNTERS]))
		bad += tsv_wrong(t, r, "counters 0x%x", cat_counters(&c));
	if (cat_max_inc(&c) != tsv_number(t, r, r->col[E_MAX]))
		bad += tsv_wrong(t, r, "maximum increment %u", cat_max_inc(&c));
	open = c.event->disputed ||
		(c.umasks && c.event->umasks[__builtin_ctzll(c.umasks)].disputed);
	if (!open && r->col[E_OPEN][0] == '1')
		bad += tsv_wrong(t, r, "is open in the sources, but the row does not say so");
	return bad;
}

static void test_every_event_is_encoded_as_documented(void **state)
{
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "nehalem_events.tsv");
	assert_true(t.n > 350);
	for (unsigned i = 0; i < t.n; i++)
		bad += compare(&t, &t.rows[i]);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

/* And the other way round. Nehalem's match event is there by Westmere's rows and says that it is
 * open. */
static void test_no_event_is_invented(void **state)
{
	static const char *const names[] = { "nehalem", "westmere" };
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "nehalem_events.tsv");
	for (unsigned p = 0; p < 2; p++) {
		const struct cat_box *b = cpu(names[p])->boxes[0];

		for (const struct cat_event *e = cat_event_next(b, NULL); e;
		     e = cat_event_next(b, e)) {
			uint64_t seen = 0;
			bool any = false;

			for (unsigned i = 0; i < t.n; i++) {
				struct cat_selection c = choose(t.rows[i].col[E_CPU],
					t.rows[i].col[E_EVENT], t.rows[i].col[E_UMASK]);

				if (strcmp(t.rows[i].col[E_CPU], names[p]) == 0 && c.event == e) {
					any = true;
					seen |= c.umasks;
				}
			}
			if ((any && seen == (e->n_umasks ? BIT(e->n_umasks) - 1 : 0)) ||
			    (!strncmp(e->name, "ADDR_OPCODE_MATCH", 17) &&
			     (p == 0 ? e->disputed != NULL : !e->name[17])))
				continue;
			print_error("tests/catalog/nehalem_events.tsv: add %s of %s, or a unit "
				    "mask of it\n", e->name, names[p]);
			bad++;
		}
	}
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

static void test_names(void **state)
{
	const struct cat_box *n = cpu("nehalem")->boxes[0], *w = cpu("westmere")->boxes[0];

	(void)state;
	assert_string_equal(n->name, "uncore");
	assert_ptr_equal(cat_event_by_name(n, "UNC_QMC_WRITES"),
			 cat_event_by_name(n, "qmc_writes"));
	assert_non_null(cat_event_by_name(n, "UNC_CLK_UNHALTED"));
	assert_ptr_equal(cat_event_by_name(n, "L3_HITS"), cat_event_by_name(n, "LLC_HITS"));
	/* What only one of the two has, and what differs. */
	assert_non_null(cat_event_by_name(n, "QMC_NORMAL_FULL"));
	assert_null(cat_event_by_name(w, "QMC_NORMAL_FULL"));
	assert_null(cat_event_by_name(n, "TURBO_MODE"));
	assert_non_null(cat_event_by_name(w, "TURBO_MODE"));
	assert_int_equal(cat_umask_by_name(cat_event_by_name(n, "QPI_TX_HEADER"), "FULL_LINK_0"),
			 -1);
	assert_true(cat_umask_by_name(cat_event_by_name(w, "QPI_TX_HEADER"), "FULL_LINK_0") >= 0);
}

/* ------------------------------------------------------------------ registers */

/* SDM 3B 18.17.2, Linux uncore_snb.c: addresses; the global bit of the fixed counter is 32. */
static const struct {
	unsigned line;
	uint32_t off;
	uint8_t role, index;
} registers[] = {
	{ __LINE__, 0x391, CAT_BOX_CTL, 0 },
	{ __LINE__, 0x392, CAT_STATUS, 0 },
	{ __LINE__, 0x393, CAT_OVF_CTL, 0 },
	{ __LINE__, 0x394, CAT_FIXED_CTR, 0 },
	{ __LINE__, 0x395, CAT_FIXED_CTL, 0 },
	{ __LINE__, 0x396, CAT_FILTER, 0 },
	{ __LINE__, 0x3b0, CAT_CTR, 0 },
	{ __LINE__, 0x3b7, CAT_CTR, 7 },
	{ __LINE__, 0x3c0, CAT_CTL, 0 },
	{ __LINE__, 0x3c7, CAT_CTL, 7 },
};

static void test_registers(void **state)
{
	const struct cat_processor *p = cpu("westmere");

	(void)state;
	for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		struct reg r = { .space = SPACE_MSR, .bytes = 8, .off = registers[i].off };
		struct cat_location at;

		if (!cat_locate(p, r, &at) || at.row->role != registers[i].role ||
		    at.index != registers[i].index)
			fail_msg("line %u", registers[i].line);
	}
	assert_null(p->global->name);
	assert_int_equal(p->boxes[0]->n_counters, 8);
	assert_int_equal(cat_width(p->boxes[0], false), 48);
	assert_int_equal(cat_width(p->boxes[0], true), 48);
	assert_int_equal(p->boxes[0]->fixed_box_bit, 32);
	assert_false(cat_locate(p, (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = 0x3b8 },
				&(struct cat_location){ 0 }));
}

/* Rule 30: the pulse is in every enabling write of an occupancy event, and in no other. */
static void test_occupancy_reset(void **state)
{
	struct cat_selection occupied = choose("westmere", "GC_OCCUPANCY", "READ_TRACKER");
	struct cat_selection plain = choose("westmere", "GQ_ALLOC", "READ_TRACKER");
	const struct cat_reg *r = cat_reg_find(occupied.box, CAT_CTL, 0, 0);
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	assert_int_equal(cat_pulse_bits(r), BIT(17));
	cat_encode(&occupied, 0, 3, &ctl, w);
	assert_int_equal(ctl, 0x420102);
	cat_encode(&plain, 0, 3, &ctl, w);
	assert_int_equal(ctl, 0x400103);
}

/* ------------------------------------------------------------------ address and opcode match */

/* SDM 3B 18.17.2.3: address 39:3, opcode 47:40, MatchSel 63:61 (4 address, 2 opcode, 6 either, 1
 * both). */
static void test_match_register(void **state)
{
	struct cat_selection c = choose("westmere", "ADDR_OPCODE_MATCH", "LOCAL");
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c = give(give(give(c, "match", 1), "address", 0x23456789f8), "opc", 0x1a);
	assert_int_equal(cat_encode(&c, 0, 5, &ctl, w), 1);
	assert_int_equal(ctl, 0x400435);
	assert_int_equal(w[0].reg.off, 0x396);
	assert_int_equal(w[0].mask, UINT64_C(0xe000fffffffffff8));
	assert_int_equal(w[0].value, UINT64_C(0x20001a23456789f8));
}

static void test_match_by_opcode_owns_no_address(void **state)
{
	struct cat_selection c = choose("westmere", "ADDR_OPCODE_MATCH", "REMOTE");
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c = give(give(c, "match", 2), "opc", 0xe4);
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	assert_int_equal(w[0].mask, UINT64_C(0xe000ff0000000000));
	assert_int_equal(w[0].value, UINT64_C(0x4000e40000000000));
	/* The ready-made one: RspIWb. */
	c = choose("westmere", "ADDR_OPCODE_MATCH_RSPIWB", "IOH");
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	assert_int_equal(ctl, 0x400135);
	assert_int_equal(w[0].value, UINT64_C(0x40001d0000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_is_encoded_as_documented),
		cmocka_unit_test(test_no_event_is_invented),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_occupancy_reset),
		cmocka_unit_test(test_match_register),
		cmocka_unit_test(test_match_by_opcode_owns_no_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
