/* SPDX-License-Identifier: MIT
 * The documents' worked examples, and decode(encode(x)) == x over the
 * whole catalog of the Xeon 7500. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ex.h"

/* ------------------------------------------------------------------ worked examples */

/* The contract's own example: cbox0, counter 0, LLC_HITS:ALL. */
static void test_example_llc_hits(void **state)
{
	struct cat_selection c = choose("cbox", "LLC_HITS", "ALL"), found[4];
	struct cat_field_value wants[CAT_FIELD_VALUES];
	struct reg r = msr(0xd10);
	unsigned counter = 9;
	uint64_t ctl;

	(void)state;
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, wants), 0);
	assert_int_equal(ctl, 0x400f15);
	assert_int_equal(ctl_reg(c.box, 0, 0).off, 0xd10);
	assert_int_equal(cat_decode(cpu(), &r, &ctl, 1, found, COUNT(found), &counter,
				    &(uint64_t){ 0 }), 1);
	assert_ptr_equal(found[0].event, c.event);
	assert_int_equal(found[0].umasks, c.umasks);
	assert_int_equal(counter, 0);
}

/* 323535-001 2.6.2.1, page 2-73: FLITS_SENT on QPI0 is R_MSR_PORT1_IPERF1 bit 31 and CTL3.ev_sel
 * 7. */
static void test_example_flits_sent(void **state)
{
	struct cat_selection c = choose("rbox", "FLITS_SENT", NULL);
	struct cat_field_value wants[CAT_FIELD_VALUES];
	char name[CAT_NAME_TEXT];
	uint64_t ctl;

	(void)state;
	c.port = 1;
	assert_string_equal(c.box->ports[c.port].link, "qpi0");
	assert_true(cat_counters(&c) & BIT(3));
	assert_int_equal(cat_encode(&c, 1, 3, &ctl, wants), 1);
	assert_int_equal(wants[0].reg.off, 0xe25);
	assert_string_equal(cat_reg_name(wants[0].row, 0, wants[0].index, name, sizeof(name)),
			    "R_MSR_PORT1_IPERF_CFG1");
	assert_int_equal(wants[0].value, BIT(31));
	assert_int_equal(bits_get(ctl, 5, 1), 7);
	assert_int_equal(ctl & 1, 1);
	assert_int_equal(ctl_reg(c.box, 0, 3).off, 0xe16);
}

/* 323535-001 2.1.2, page 2-1: B_MSR_PERF_CTL3.ev_sel = 3 and .en = 1, then bit 3 of the B-Box's
 * global control. The guide's event SNP_MERGE is in no list: only the layout is tested. */
static void test_example_bbox_layout(void **state)
{
	const struct cat_box *b = box("bbox");
	const struct cat_reg *ctl = cat_reg_find(b, CAT_BOX_CTL, 0, 3);
	struct cat_selection c = choose("bbox", "EARLY_ACK", NULL);       /* counter 3, code 2 */
	struct cat_field_value wants[CAT_FIELD_VALUES];
	char name[CAT_NAME_TEXT];
	uint64_t word;

	(void)state;
	assert_int_equal(bits_put(3, (unsigned)b->event.hi, (unsigned)b->event.lo) |
			 cat_ctl_enable(b, false), 0x7);
	assert_int_equal(cat_encode(&c, 0, 3, &word, wants), 0);
	assert_int_equal(word, 0x5);
	assert_int_equal(ctl_reg(b, 0, 3).off, 0xc36);
	assert_string_equal(cat_reg_name(cat_reg_find(b, CAT_CTL, 0, 3), 0, 3, name, sizeof(name)),
			    "BB0_CR_B_MSR_PERF_CTL3_REG");
	assert_int_equal(cat_reg_address(b, ctl, 0, 3).off, 0xc20);
	assert_int_equal(cat_reg_address(b, ctl, 1, 3).off, 0xc60);
	assert_int_equal(3 - ctl->first, 3);
	assert_int_equal(cat_counters(&c), BIT(3));
}

/* 323535-001 2.5.3.4, page 2-49: MM_CFG bit 63 is 0 while match and mask are written, then 1. */
static void test_example_sbox_match(void **state)
{
	struct cat_selection c = choose("sbox", "TO_R_PROG_EV", NULL), found[2];
	struct cat_field_value w[CAT_FIELD_VALUES];
	struct reg regs[4];
	uint64_t values[4];
	unsigned counter;

	(void)state;
	c.unit = 1;
	c.keys = (struct cat_values){ .has = 1, .v = { 0x123000000000 } };
	c.key_given = 1;                /* match=, no mask= */
	assert_int_equal(cat_encode(&c, 0, 2, &values[3], w), 3);
	assert_int_equal(w[0].reg.off, 0xe59);
	assert_int_equal(w[0].value, 0x123000000000);
	assert_int_equal(w[1].reg.off, 0xe5a);
	assert_int_equal(w[1].value, 0x7fffffffff);
	assert_int_equal(w[2].reg.off, 0xe58);
	assert_int_equal(w[2].value, BIT(63));
	assert_int_equal(w[2].row->write_enable, BIT(63));
	assert_int_equal(values[3], 0x400000);
	regs[3] = ctl_reg(c.box, 1, 2);
	for (unsigned i = 0; i < 3; i++) {
		regs[i] = w[i].reg;
		values[i] = w[i].value;
	}
	assert_int_equal(cat_decode(cpu(), regs, values, 4, found, COUNT(found), &counter,
				    &(uint64_t){ 0 }), 1);
	assert_ptr_equal(found[0].event, c.event);
	assert_int_equal(found[0].unit, 1);
	assert_int_equal(found[0].key_given, 1);
	assert_int_equal(found[0].keys.v[0], 0x123000000000);
	assert_int_equal(counter, 2);
}

/* PCM's programming of the R- and M-Box (types.h, in use for years). */
static void test_example_pcm(void **state)
{
	struct cat_selection c = choose("rbox", "NEW_PACKETS_RECV", "ANY_DRS");
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c.port = 5;
	assert_int_equal(cat_encode(&c, 0, 8, &ctl, w), 1);
	assert_int_equal(w[0].value, 0xc4);
	assert_int_equal(w[0].reg.off, 0xe09);
	assert_int_equal(ctl, 0xd);
	c = choose("mbox", "FVC_EV0", "BBOX_CMDS_READS");
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	assert_int_equal(ctl, 0x1a41);
	assert_int_equal(w[0].value, 0x2800);
	c = choose("bbox", "IMT_INSERTS_WR", NULL);
	cat_encode(&c, 0, 1, &ctl, w);
	assert_int_equal(ctl, 0x19);
}

/* ------------------------------------------------------------------ decode(encode(x)) == x */

static unsigned decode(const struct cat_selection *c, unsigned encoding, unsigned counter,
		       struct cat_selection *found,
		       unsigned max, unsigned *ret_counter)
{
	struct cat_field_value w[CAT_FIELD_VALUES];
	struct reg regs[CAT_FIELD_VALUES + 1];
	uint64_t values[CAT_FIELD_VALUES + 1];
	unsigned n = cat_encode(c, encoding, counter, &values[0], w);

	regs[0] = ctl_reg(c->box, c->unit, counter);
	if (c->event->fixed)
		regs[0] = cat_reg_address(c->box,
					  cat_reg_find(c->box, CAT_FIXED_CTL, 0, 0), c->unit, 0);
	for (unsigned i = 0; i < n; i++) {
		regs[i + 1] = w[i].reg;
		values[i + 1] = w[i].value;
	}
	return cat_decode(cpu(), regs, values, n + 1, found, max, ret_counter, &(uint64_t){ 0 });
}

static bool same_selection(const struct cat_selection *a, const struct cat_selection *b)
{
	return a->box == b->box && a->event == b->event && a->unit == b->unit &&
		a->port == b->port &&
	       a->umasks == b->umasks && a->threshold == b->threshold && a->edge == b->edge &&
	       a->invert == b->invert && a->key_given == b->key_given &&
	       !memcmp(a->keys.v, b->keys.v, sizeof(a->keys.v));
}

/* Only these have a second reading: DRAM_CMD gives ALL and ILLEGAL one code, and each FVC event can
 * move to the others' fields. */
static bool is_ambiguous(const struct cat_event *e)
{
	return !strcmp(e->name, "DRAM_CMD") || !strncmp(e->name, "FVC_EV", 6);
}

static void assert_returns(const struct cat_selection *c, unsigned encoding, unsigned counter)
{
	struct cat_selection found[8];
	unsigned at = 99, n = decode(c, encoding, counter, found, COUNT(found), &at);

	if (n > 1 && !is_ambiguous(c->event))
		fail_msg("%s/%s could also be %s", c->box->name, found[0].event->name,
			 found[1].event->name);
	for (unsigned i = 1; i < n; i++)
		assert_false(same_selection(&found[i], &found[i - 1]));
	for (unsigned i = 0; i < n; i++)
		if (same_selection(&found[i], c)) {
			assert_int_equal(at, c->event->fixed ? c->box->n_counters : counter);
			return;
		}
	fail_msg("%s/%s umasks 0x%llx port %u place %u counter %u: %u candidates, first %s umasks "
		 "0x%llx keys 0x%x",
		 c->box->name, c->event->name, (unsigned long long)c->umasks, c->port, encoding,
		 counter, n,
		 n ? found[0].event->name : "none", n ? (unsigned long long)found[0].umasks : 0,
		 n ? found[0].key_given : 0U);
}

/* Which key of an event's selector, as a bit for key_given; fails if there is none. */
static void give(struct cat_selection *c, const char *key, uint64_t value)
{
	const struct cat_selector *r = c->event->selector;

	for (unsigned i = 0; i < r->n_keys; i++)
		if (!strcmp(r->keys[i].name, key)) {
			const struct cat_key *k = &r->keys[i];

			c->key_given |= (uint8_t)BIT(i);
			c->keys.has |= (uint8_t)(BIT(k->field) | k->owns);
			c->keys.v[k->field] |= k->word && value == UINT64_MAX ? k->word_bits
				: bits_put(value, k->hi, k->lo);
			if (k->also) {
				c->keys.has |= (uint8_t)BIT(k->also_field);
				c->keys.v[k->also_field] |= k->also_value;
			}
			return;
		}
	fail_msg("%s has no key %s", c->event->name, key);
}

/* One selection on every port, encoding and counter. */
static void round_trip(struct cat_selection *c)
{
	unsigned ports = c->box->n_ports ? c->box->n_ports : 1;
	struct cat_selection before = *c;

	if (strcmp(c->box->name, "bbox") == 0 && strstr(c->event->name, "_MATCH")) {
		give(c, "match", 1);
		give(c, "mask", 1);
	}
	for (c->port = 0; c->port < ports; c->port++)
		for (unsigned encoding = 0; encoding < cat_encodings(c->event); encoding++)
			for (unsigned counter = 0; counter < c->box->n_counters; counter++)
				if (cat_counters(c) & BIT(counter))
					assert_returns(c, encoding, counter);
	c->port = 0;
	if (c->event->fixed)
		assert_returns(c, 0, 0);
	*c = before;
}

static void test_decode_returns_what_was_encoded(void **state)
{
	const struct cat_processor *p = cpu();

	(void)state;
	for (unsigned b = 0; b < p->n_boxes; b++)
		for (unsigned i = 0; i < p->boxes[b]->n_events; i++) {
			const struct cat_event *e = &p->boxes[b]->events[i];
			struct cat_selection c = { .box = p->boxes[b], .event = e,
						.unit = p->boxes[b]->n_units - 1 };

			if (!e->n_umasks || e->dflt == CAT_OPTIONAL)
				round_trip(&c);
			for (unsigned u = 0; u < e->n_umasks; u++) {
				c.umasks = BIT(u);
				round_trip(&c);
			}
		}
}

/* Threshold, edge, invert; two unit masks; keys. */
static void test_decode_returns_the_rest(void **state)
{
	struct cat_selection c = choose("cbox", "LLC_HITS", "M");

	(void)state;
	c.umasks |= choose("cbox", "LLC_HITS", "F").umasks;
	c.threshold = 0x81;
	c.edge = true;
	c.invert = true;
	c.unit = 3;
	assert_returns(&c, 0, 5);
	c = choose("rbox", "NEW_PACKETS_RECV", "VN1_SNP");
	c.umasks |= choose("rbox", "NEW_PACKETS_RECV", "VN1_DRS").umasks;
	c.port = 6;
	assert_returns(&c, 1, 9);
	c = choose("rbox", "ALLOC_TO_ARB", "NCB");
	c.umasks |= choose("rbox", "ALLOC_TO_ARB", "HOM_VN0").umasks;
	assert_returns(&c, 0, 7);
}

static void test_keys_of_xbar_mm(void **state)
{
	struct cat_selection c = choose("rbox", "XBAR_MM", NULL);
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	/* Table 2-50: ig_flt_cnt 20, match_flt_cnt 19:16, match_71_64 15:8, mask_71_64 7:0,
	 * mm_trig_en 21 */
	give(&c, "match", 0x1c00);
	give(&c, "mask", 0x1f00);
	give(&c, "match_hi", 0x12);
	give(&c, "mask_hi", 0xf3);
	give(&c, "flits", UINT64_MAX);
	assert_int_equal(cat_encode(&c, 1, 0, &ctl, w), 3);
	/* 2.6.3.6: a) MM_CFG, b) match and mask */
	assert_int_equal(w[0].value, 0x3012f3);
	assert_int_equal(w[0].reg.off, 0xe70);
	assert_int_equal(w[1].value, 0x1c00);
	assert_int_equal(w[2].value, 0x1f00);
	c = choose("rbox", "XBAR_MM", NULL);
	give(&c, "match", 0x2c00);
	give(&c, "mask", 0x3f00);
	give(&c, "flits", 9);
	c.port = 4;
	assert_returns(&c, 0, 8);
	c = choose("rbox", "XBAR_MM", "DRS.AnyResp");
	give(&c, "flits", UINT64_MAX);
	assert_returns(&c, 1, 0);
}

static void test_keys_of_mbox(void **state)
{
	struct cat_selection c = choose("mbox", "DRAM_CMD", "RAS");
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;
	unsigned n, seen = 0;

	(void)state;
	give(&c, "address", 0x12345);
	give(&c, "address_mask", 0x7ff);
	c.unit = 1;
	n = cat_encode(&c, 0, 0, &ctl, w);
	for (unsigned i = 0; i < n; i++) {
		if (w[i].reg.off == 0xe5d && w[i].value == 0x12345)
			seen |= 1;
		if (w[i].reg.off == 0xe5e && w[i].value == 0x7ff)
			seen |= 2;
		if (w[i].reg.off == 0xe5c && w[i].value == BIT(63))
			seen |= 4;
	}
	assert_int_equal(seen, 7);
	assert_returns(&c, 0, 5);
	c = choose("mbox", "FVC_EV0", "BBOX_CMDS_READS");
	give(&c, "fvid", 17);
	assert_returns(&c, 0, 0);
	c = choose("mbox", "BCMD_SCHEDQ_OCCUPANCY", "ALL");
	give(&c, "fvid", 3);
	cat_encode(&c, 0, 0, &ctl, w);
	assert_int_equal(w[0].reg.off, 0xca7);
	assert_int_equal(w[0].value, 8 << 5 | 3);
	assert_returns(&c, 0, 0);
}

/* M-Box DRAM_CMD:ALL and :ILLEGAL have one code in the only source: both are named. */
static void test_two_candidates(void **state)
{
	struct cat_selection c = choose("mbox", "DRAM_CMD", "ILLEGAL"), found[4];
	unsigned counter;

	(void)state;
	assert_int_equal(decode(&c, 0, 0, found, COUNT(found), &counter), 2);
	assert_int_equal(found[0].umasks | found[1].umasks,
			 choose("mbox", "DRAM_CMD", "ALL").umasks | c.umasks);
	assert_int_equal(decode(&c, 0, 0, found, 1, &counter), 1);
}

static void test_nothing_to_decode(void **state)
{
	/* A counter; event codes that do not exist; reserved ev_sel of the R-Box; sub-events of
	 * none. */
	static const struct { unsigned line; uint32_t off; uint64_t value; } rows[] = {
		{ __LINE__, 0xd11, 0x400f15 }, { __LINE__, 0xd10, 0x40010d },
		{ __LINE__, 0xe10, 0x31 },
		{ __LINE__, 0xd10, 0x400015 }, { __LINE__, 0xc36, 0x7 }, { __LINE__, 0xc00, 1 },
		{ __LINE__, 0x999, 1 },
	};
	struct cat_selection found[2];
	unsigned counter;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct reg r = msr(rows[i].off);

		if (cat_decode(cpu(), &r, &rows[i].value, 1, found, COUNT(found), &counter,
			       &(uint64_t){ 0 }))
			fail_msg("line %u: decoded as %s; if that is right, take a value here that "
				 "no event has", rows[i].line, found[0].event->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example_llc_hits),
		cmocka_unit_test(test_example_flits_sent),
		cmocka_unit_test(test_example_bbox_layout),
		cmocka_unit_test(test_example_sbox_match),
		cmocka_unit_test(test_example_pcm),
		cmocka_unit_test(test_decode_returns_what_was_encoded),
		cmocka_unit_test(test_decode_returns_the_rest),
		cmocka_unit_test(test_keys_of_xbar_mm),
		cmocka_unit_test(test_keys_of_mbox),
		cmocka_unit_test(test_two_candidates),
		cmocka_unit_test(test_nothing_to_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
