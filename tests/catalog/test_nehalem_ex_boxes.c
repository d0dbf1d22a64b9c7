/* SPDX-License-Identifier: MIT
 * Registers, fields, geometry and names of the Xeon 7500's boxes.
 * Expected registers and fields stand in the .tsv files beside this one (their heads name the
 * sources), the rest here, each with its table or page.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <strings.h>

#include "check_tables.h"
#include "ex.h"
#include "registers.h"
#include "selection.h"
#include "tsv.h"

#include "spec/resolve.h"

/* ------------------------------------------------------------------ the check itself */

static void test_every_processor_passes_its_check(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++) {
		struct diags d = { 0 };
		int r = catalog_check(cat_processors[i], &d) + spec_check(cat_processors[i], &d);

		for (size_t k = 0; k < d.n; k++)
			print_error("%s\n", d.v[k]);
		assert_int_equal(r, 0);
		assert_int_equal(d.n, 0);
		diags_done(&d);
	}
}

/* ------------------------------------------------------------------ registers */

static const char *const accesses[] = {
	[CAT_RW] = "rw", [CAT_RO] = "ro", [CAT_WO] = "wo", [CAT_W1C] = "w1c",
};

static unsigned compare_register(const struct tsv *t, const struct tsv_row *r)
{
	uint32_t off = (uint32_t)tsv_number(t, r, r->col[0]);
	char name[CAT_NAME_TEXT];
	struct cat_location at;
	unsigned bad = 0;

	if (!cat_locate(cpu(), msr(off), &at) || !at.row)
		return tsv_wrong(t, r, "not in the catalog");
	cat_reg_name(at.row, at.unit, at.index, name, sizeof(name));
	if (strcmp(at.box ? at.box->name : "ubox", r->col[1]) ||
	    at.unit != tsv_number(t, r, r->col[2]))
		bad += tsv_wrong(t, r, "located in %s%u",
				 at.box ? at.box->name : "the global control", at.unit);
	if (!at.box != !strcmp(r->col[4], "global_ctl"))
		bad += tsv_wrong(t, r, "the global control and only it has no box");
	if (strcmp(roles[at.row->role], r->col[4]))
		bad += tsv_wrong(t, r, "role %s", roles[at.row->role]);
	if (strcmp(r->col[5], "-") && at.index != tsv_number(t, r, r->col[5]))
		bad += tsv_wrong(t, r, "index %u", at.index);
	if (strcmp(r->col[6], "-") && strcmp(accesses[at.row->access], r->col[6]))
		bad += tsv_wrong(t, r, "access %s instead of %s",
				 accesses[at.row->access], r->col[6]);
	if (strcmp(r->col[1], "mbox") ? strcmp(name, r->col[7]) != 0 : !strstr(name, r->col[7]))
		bad += tsv_wrong(t, r, "is called %s instead of %s", name, r->col[7]);
	return bad;
}

static void test_every_register_is_where_documented(void **state)
{
	(void)state;
	every_register("nehalem_ex_registers.tsv", compare_register);
}

static void test_addresses_of_others_are_not_located(void **state)
{
	/* C-Boxes 8 and 9 exist on the Xeon E7 only; 0xcf7 - 1 is M-Box 1's CTL3, 0xc12 is
	 * nobody's. */
	static const uint32_t others[] = { 0xf40, 0xfc0, 0xc12, 0x391, 0xd03, 0xd1c, 0xe03 };
	struct cat_location at;

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++)
		if (cat_locate(cpu(), msr(others[i]), &at))
			fail_msg("0x%x is located", others[i]);
	assert_false(cat_locate(cpu(), (struct reg){ SPACE_PCI, 4, 0, 0, 0xd10 }, &at));
}

static unsigned compare_field(const struct tsv *t, const struct tsv_row *r)
{
	unsigned hi = (unsigned)tsv_number(t, r, r->col[3]),
		lo = (unsigned)tsv_number(t, r, r->col[4]);
	bool rsv = !strcmp(r->col[2], "rsv");
	struct cat_location at;

	if (!cat_locate(cpu(), msr((uint32_t)tsv_number(t, r, r->col[0])), &at) || !at.row)
		return tsv_wrong(t, r, "not in the catalog");
	for (unsigned i = 0; i < at.row->n_fields; i++) {
		const struct cat_field *f = &at.row->fields[i];

		if (f->hi != hi || f->lo != lo)
			continue;
		if (rsv != (f->kind == CAT_FIELD_RSV))
			return tsv_wrong(t, r, "reserved or not");
		if (strcasecmp(f->name, r->col[2]))
			return tsv_wrong(t, r, "is called %s", f->name);
		return 0;
	}
	return tsv_wrong(t, r, "no such field");
}

static void test_every_field_is_where_documented(void **state)
{
	unsigned bad = 0;
	struct tsv t;

	(void)state;
	tsv_read(&t, "nehalem_ex_fields.tsv");
	for (unsigned i = 0; i < t.n; i++)
		bad += compare_field(&t, &t.rows[i]);
	assert_int_equal(bad, 0);
	tsv_done(&t);
}

static void test_global_control(void **state)
{
	const struct cat_global *g = cpu()->global;

	(void)state;
	/* Table 2-2: en_all 28, rst_all 29, the U-Box counter's enable 0. */
	assert_int_equal(g->ctl.off, 0xc00);
	assert_string_equal(g->name, "U_MSR_PMON_GLOBAL_CTL");
	assert_int_equal(g->enable, BIT(28));
	assert_int_equal(g->reset, BIT(29));
	assert_int_equal(g->box_enable, BIT(0));
	assert_true(box("ubox")->global_also);
	assert_ptr_equal(cat_processor_by_id("GenuineIntel", 6, 0x2e), cpu());
	assert_int_equal(cpu()->cores, 8);
}

/* ------------------------------------------------------------------ geometry and rules */

static void test_geometry_of_boxes(void **state)
{
	/* Which control words have threshold, invert, edge, unit mask: Tables 2-6, 2-13, 2-20,
	 * 2-30, 2-44, 2-67, 2-98. */
	static const struct {
		unsigned line;
		const char *name;
		unsigned counters, units;
		bool umask, threshold, edge;
		uint64_t enable;
	} rows[] = {
		{ __LINE__, "ubox", 1, 1, false, false, true, BIT(22) },
		{ __LINE__, "cbox", 6, 8, true, true, true, BIT(22) },
		{ __LINE__, "bbox", 4, 2, false, false, false, BIT(0) },
		{ __LINE__, "sbox", 4, 2, true, true, true, BIT(22) },
		{ __LINE__, "rbox", 16, 1, false, false, false, BIT(0) },
		{ __LINE__, "mbox", 6, 2, false, false, false, BIT(0) },
		{ __LINE__, "wbox", 4, 1, true, true, true, BIT(22) },
	};

	(void)state;
	assert_int_equal(cpu()->n_boxes, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cat_box *b = box(rows[i].name);

		if (b->n_counters != rows[i].counters || b->n_units != rows[i].units ||
		    b->width != 48 ||
		    cat_has(b->umask) != rows[i].umask ||
		    cat_has(b->threshold) != rows[i].threshold ||
		    cat_has(b->invert) != rows[i].threshold || cat_has(b->edge) != rows[i].edge ||
		    cat_ctl_enable(b, false) != rows[i].enable)
			fail_msg("line %u: %s", rows[i].line, rows[i].name);
	}
	/* 784 counters on 8 sockets */
	assert_int_equal(8 * (1 + 8 * 6 + 2 * 4 + 2 * 4 + 16 + 2 * 6 + 4 + 1), 784);
	assert_true(box("wbox")->has_fixed);
	assert_int_equal(box("wbox")->fixed_box_bit, 31);          /* Table 2-95 */
	assert_int_equal(cat_ctl_enable(box("wbox"), true), 1);    /* Table 2-99 */
	/* p 2-128: low 24 bits 0 or 1 mean that the value is 0x1000000 too high */
	assert_int_equal(box("wbox")->erratum.mask, 0xffffff);
	assert_int_equal(box("wbox")->erratum.max, 1);
	assert_int_equal(box("wbox")->erratum.sub, 0x1000000);
}

static void test_ports(void **state)
{
	/* Table 2-40: port 0 = QPI1, 1 = QPI0, 4 = QPI2, 5 = QPI3. */
	static const char *const link[] = { "qpi1", "qpi0", NULL, NULL, "qpi2",
					    "qpi3", NULL, NULL };
	const struct cat_box *r = box("rbox");

	(void)state;
	assert_string_equal(r->port_key, "port");
	assert_int_equal(r->n_ports, 8);
	for (unsigned i = 0; i < 8; i++) {
		if (link[i])
			assert_string_equal(r->ports[i].link, link[i]);
		else
			assert_null(r->ports[i].link);
	}
}

/* 2.5.5 p 2-66, 2-68, 2-69: "select only one C-Box". */
static void test_full_queues_take_one_cbox(void **state)
{
	static const char *const names[] = {
		"TO_R_DRS_MSGQ_CYCLES_FULL", "TO_R_NCB_MSGQ_CYCLES_FULL",
		"TO_R_NCS_MSGQ_CYCLES_FULL",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct cat_selection c = choose("sbox", names[i], NULL);

		assert_true(c.event->one_umask || c.event->combine == CAT_UMASK_ONE);
		assert_int_equal(c.event->dflt, -1);
	}
	assert_false(choose("sbox", "TO_R_DRS_MSGQ_CYCLES_NE", NULL).event->one_umask);
}

/* 2.5.2.1: the occupancy counter behind an S-Box counter is reset by bit 17 of the enabling
 * write. */
static void test_occupancy_reset(void **state)
{
	const struct cat_reg *r = cat_reg_find(box("sbox"), CAT_CTL, 0, 0);

	(void)state;
	assert_int_equal(cat_pulse_bits(r), BIT(17));
	for (unsigned i = 0; i < box("sbox")->n_events; i++) {
		const struct cat_event *e = &box("sbox")->events[i];

		if (e->occupancy != (strstr(e->name, "OCCUPANCY") != NULL))
			fail_msg("%s", e->name);
	}
	assert_false(choose("cbox", "OCCUPANCY_IRQ", NULL).event->occupancy);
}

/* Where sub-events add up, so do their increments; threshold and edge make it 1 a cycle. */
static void test_max_increments(void **state)
{
	struct cat_selection c = choose("sbox", "EGRESS_BYPASS", "AD_CW");

	(void)state;
	assert_int_equal(cat_max_inc(&c), 1);
	c.umasks |= choose("sbox", "EGRESS_BYPASS", "AK_CW").umasks;
	assert_int_equal(cat_max_inc(&c), 2);
	c.umasks |= choose("sbox", "EGRESS_BYPASS", "AD").umasks;      /* AD_CW is in it already */
	assert_int_equal(cat_max_inc(&c), 3);
	c.threshold = 2;
	assert_int_equal(cat_max_inc(&c), 1);
	c = choose("sbox", "TO_R_DRS_MSGQ_CYCLES_NE", "CBOX0_4");      /* OR */
	c.umasks |= choose("sbox", "TO_R_DRS_MSGQ_CYCLES_NE", "CBOX1_5").umasks;
	assert_int_equal(cat_max_inc(&c), 1);
	c = choose("sbox", "PKTS_SENT_NCB", "CBOX0_4");                /* 1 or 11 printed */
	assert_int_equal(cat_max_inc(&c), 11);
	c = choose("cbox", "OCCUPANCY_IRQ", NULL);
	assert_int_equal(cat_max_inc(&c), 24);
	c.edge = true;
	assert_int_equal(cat_max_inc(&c), 1);
}

/* 2.4.4.2 and the event list: what one count of a B-Box occupancy stands for. */
static void test_sub_counters(void **state)
{
	static const struct { unsigned line; const char *name; unsigned per; } rows[] = {
		{ __LINE__, "IMT_VALID_OCCUPANCY", 32 }, { __LINE__, "TF_ALL", 256 },
		{ __LINE__, "TF_IOH_WR", 256 },
		{ __LINE__, "DRSQ_OCCUPANCY", 4 }, { __LINE__, "SNPOQ_OCCUPANCY", 256 },
		{ __LINE__, "DIRQ_OCCUPANCY", 256 },
		{ __LINE__, "IMT_INSERTS_ALL", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (choose("bbox", rows[i].name, NULL).event->per != rows[i].per)
			fail_msg("line %u: %s", rows[i].line, rows[i].name);
}

static void test_clocks_always_run(void **state)
{
	(void)state;
	assert_true(choose("wbox", "CLOCKTICKS", NULL).event->always_runs);
	assert_true(choose("wbox", "uncore_clock", NULL).event->fixed);
	assert_true(choose("mbox", "CYCLES", NULL).event->always_runs);
	assert_false(choose("cbox", "LLC_HITS", "ALL").event->always_runs);
}

/* A default unit mask selects everything that the others select. */
static void test_default_unit_masks_cover_the_others(void **state)
{
	const struct cat_processor *p = cpu();

	(void)state;
	for (unsigned b = 0; b < p->n_boxes; b++)
		for (unsigned i = 0; i < p->boxes[b]->n_events; i++) {
			const struct cat_event *e = &p->boxes[b]->events[i];
			uint64_t all = 0;

			if (!e->n_umasks || e->dflt < 0 || e->combine != CAT_UMASK_BITS ||
			    e->selector)
				continue;
			for (unsigned u = 0; u < e->n_umasks; u++)
				all |= e->umasks[u].value;
			if (e->umasks[e->dflt].value != all)
				fail_msg("%s/%s: default %s", p->boxes[b]->name, e->name,
					 e->umasks[e->dflt].name);
		}
}

/* ------------------------------------------------------------------ names */

static void test_names(void **state)
{
	const struct cat_box *c = box("CBOX");

	(void)state;
	assert_ptr_equal(cat_event_by_name(c, "llc_hits"), cat_event_by_name(c, "LLC_HITS"));
	assert_ptr_equal(cat_event_by_name(c, "UNC_C_LLC_HITS"), cat_event_by_name(c, "LLC_HITS"));
	assert_ptr_equal(cat_event_by_name(c, "unc_c_llc_hits"), cat_event_by_name(c, "LLC_HITS"));
	assert_null(cat_event_by_name(c, "UNC_S_LLC_HITS"));
	assert_null(cat_event_by_name(c, "LLC_HIT"));
	assert_string_equal(cat_nearest_event(c, "LLC_HIT"), "LLC_HITS");
	assert_string_equal(cat_nearest_event(c, "unc_c_llc_mises"), "LLC_MISSES");
	/* Table 2-24 and the event list of 2.4.6 spell two families differently. */
	assert_ptr_equal(cat_event_by_name(box("bbox"), "TF_OCCUPANCY_ALL"),
			 cat_event_by_name(box("bbox"), "TF_ALL"));
	assert_ptr_equal(cat_event_by_name(box("bbox"), "MSGS_IN_NON_SNOOP"),
			 cat_event_by_name(box("bbox"), "MSGS_IN_NON_SNP"));
	assert_ptr_equal(cat_event_by_name(box("sbox"), "RBOX_CREDITS"),
			 cat_event_by_name(box("sbox"), "RBOX_CREDIT_CARRIERS"));
	assert_ptr_equal(cat_event_by_name(box("wbox"), "UNCORE_CLOCK"),
			 cat_event_by_name(box("wbox"), "CLOCKTICKS"));
	assert_int_equal(cat_umask_by_name(choose("rbox", "XBAR_MM", NULL).event,
					   "drs_anyresp9flits"),
			 cat_umask_by_name(choose("rbox", "XBAR_MM", NULL).event,
					   "DRS.AnyResp9flits"));
	assert_int_equal(cat_umask_by_name(choose("cbox", "LLC_HITS", NULL).event, "X"), -1);
	assert_null(cat_box_by_name(cpu(), "qbox"));
	assert_null(cat_processor_by_name("skylake"));
	assert_null(cat_processor_by_id("GenuineIntel", 6, 0x2f + 0x100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_processor_passes_its_check),
		cmocka_unit_test(test_every_register_is_where_documented),
		cmocka_unit_test(test_addresses_of_others_are_not_located),
		cmocka_unit_test(test_every_field_is_where_documented),
		cmocka_unit_test(test_global_control),
		cmocka_unit_test(test_geometry_of_boxes),
		cmocka_unit_test(test_ports),
		cmocka_unit_test(test_full_queues_take_one_cbox),
		cmocka_unit_test(test_occupancy_reset),
		cmocka_unit_test(test_max_increments),
		cmocka_unit_test(test_sub_counters),
		cmocka_unit_test(test_clocks_always_run),
		cmocka_unit_test(test_default_unit_masks_cover_the_others),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
