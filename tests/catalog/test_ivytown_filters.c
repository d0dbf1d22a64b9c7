/* SPDX-License-Identifier: MIT
 * What the filters of the Xeon E5/E7 v2 hold: C-Box, home agent, QPI
 * packets, PCU bands. */
#include "ivt.h"

#include <string.h>

static void expect_want(const struct cat_field_value *w, uint32_t off, uint64_t mask,
			uint64_t value)
{
	assert_int_equal(w->reg.off, off);
	assert_int_equal(w->mask, mask);
	assert_int_equal(w->value, value);
}

/* filter0: tid 4:0 (with tid_en 19), link 8:5, state 22:17; filter1: nid 15:0, opc 28:20. C-Box 2
 * is at 0xd40. */
static void test_cbox_filters(void **state)
{
	struct cat_selection c = give(give(choose("cbox", "TOR_INSERTS", "NID_MISS_OPCODE"), "nid",
					0x3), "opc", 0x182);
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c.unit = 2;
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	assert_int_equal(ctl, 0x404335);
	expect_want(&w[0], 0xd5a, 0xfff0ffff, 0x18200003);
	c = give(choose("cbox", "RING_AD_USED", "UP"), "tid", 5);
	assert_int_equal(cat_encode(&c, 0, 2, &ctl, w), 1);
	assert_int_equal(ctl, 0x40331b | BIT(19));
	expect_want(&w[0], 0xd14, 0x1f, 5);
	c = choose("cbox", "LLC_LOOKUP", "ANY");
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 1);
	expect_want(&w[0], 0xd14, 0x7e0000, 0x7e0000);
	c = give(c, "state", 1);
	cat_encode(&c, 0, 0, &ctl, w);
	expect_want(&w[0], 0xd14, 0x7e0000, 0x20000);
}

/* Address 31:6 in the first register, 45:32 in the second; opcode 5:0 in the third. */
static void test_ha_filter(void **state)
{
	struct cat_selection c = give(give(choose("ha", "ADDR_OPC_MATCH", "FILT"), "address",
					0x2abcdef01240), "opc", 0x2c);
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c.unit = 1;
	assert_int_equal(cat_encode(&c, 0, 3, &ctl, w), 3);
	assert_int_equal(ctl, 0x400320);
	assert_int_equal(w[0].reg.dev, 28);
	expect_want(&w[0], 0x40, 0xffffffc0, 0xdef01240);
	expect_want(&w[1], 0x44, 0x3fff, 0x2abc);
	expect_want(&w[2], 0x48, 0x3f, 0x2c);
}

/* 329468-002 Tables 2-133, 2-134: class MC 12:9 (14 DRS), opcode 8:5 (0), data state RDS 19:16 (8
 * M). */
static void test_qpi_filter(void **state)
{
	struct cat_selection c = choose("qpi", "MESSAGE", "DRS.DataC_M");
	struct cat_field_value w[CAT_FIELD_VALUES];
	uint64_t ctl;

	(void)state;
	c.unit = 1;
	assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 4);
	assert_int_equal(ctl, 0x600038);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(w[i].reg.dev, 9);
		assert_int_equal(w[i].reg.fn, 6);
	}
	expect_want(&w[0], 0x228, 0xffffffff, 14 << 9);
	expect_want(&w[1], 0x22c, 0xffffffff, 8 << 16);
	expect_want(&w[2], 0x238, 0xffffffff, 0xff << 5);
	expect_want(&w[3], 0x23c, 0xffffffff, 0xf << 16);
}

/* The same tables: what the name of a packet says is what its match compares. Bit 8 is the longer
 * form. */
static const struct {
	unsigned line;
	const char *part;
	unsigned word;                  /* 0: match0, 1: match1 */
	uint64_t mask, value;
} parts[] = {
	{ __LINE__, "DRS.", 0, 0x1e00, 14 << 9 },
	{ __LINE__, "NCB.", 0, 0x1e00, 12 << 9 },
	{ __LINE__, "NCS.", 0, 0x1e00, 4 << 9 },
	{ __LINE__, "SNP.", 0, 0x1e00, 3 << 9 },
	{ __LINE__, "NDR.", 0, 0x1e00, 2 << 9 },
	{ __LINE__, "HOM.RESP", 0, 0x1e00, 1 << 9 },
	{ __LINE__, "HOM.ANYRESP", 0, 0x1e00, 1 << 9 },
	{ __LINE__, "HOM.ANYREQ", 0, 0x1e00, 0 << 9 },
	{ __LINE__, "9FLITS", 0, 0x100, 0 },
	{ __LINE__, "11FLITS", 0, 0x100, 0x100 },
	{ __LINE__, "1OR2FLITS", 0, 0x100, 0 },
	{ __LINE__, "3FLITS", 0, 0x100, 0x100 },
	{ __LINE__, "DATAC_M", 1, 0xf0000, 8 << 16 },
	{ __LINE__, "DATAC_E", 1, 0xf0000, 4 << 16 },
	{ __LINE__, "DATAC_F", 1, 0xf0000, 1 << 16 },
};

static void test_qpi_packets_match_what_they_are_called(void **state)
{
	const struct cat_event *e = cat_event_by_name(box("qpi"), "MESSAGE");
	unsigned n = 0;

	(void)state;
	assert_non_null(e);
	for (unsigned u = 0; u < e->n_umasks; u++) {
		struct cat_selection c = { .box = box("qpi"), .event = e, .umasks = BIT(u) };
		struct cat_field_value w[CAT_FIELD_VALUES];
		uint64_t ctl;

		assert_int_equal(cat_encode(&c, 0, 0, &ctl, w), 4);
		/* What is not compared is not matched either. */
		assert_int_equal(w[0].value & ~w[2].value, 0);
		assert_int_equal(w[1].value & ~w[3].value, 0);
		for (unsigned i = 0; i < COUNT(parts); i++) {
			unsigned k = parts[i].word;

			if (!strstr(e->umasks[u].name, parts[i].part))
				continue;
			n++;
			if ((w[k].value & parts[i].mask) != parts[i].value ||
			    (w[k + 2].value & parts[i].mask) != parts[i].mask)
				fail_msg("line %u: %s", parts[i].line, e->umasks[u].name);
		}
	}
	/* 32 packets by class, 6 by length, 7 by state */
	assert_int_equal(n, 32 + 6 + 7);
}

/* Event 0x0b + k compares with byte k; any of the four may stand in for another, its own comes
 * first. */
static void test_pcu_bands(void **state)
{
	static const char *const names[] = {
		"FREQ_BAND0_CYCLES", "FREQ_BAND1_CYCLES", "FREQ_BAND2_CYCLES", "FREQ_BAND3_CYCLES",
	};

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct cat_selection c = give(choose("pcu", names[k], NULL), "band", 12);
		unsigned seen = 0;

		assert_int_equal(cat_encodings(c.event), 4);
		for (unsigned encoding = 0; encoding < 4; encoding++) {
			struct cat_field_value w[CAT_FIELD_VALUES];
			uint64_t ctl;
			unsigned band;

			assert_int_equal(cat_encode(&c, encoding, 0, &ctl, w), 1);
			band = (unsigned)(ctl & 0xff) - 0x0b;
			assert_in_range(band, 0, 3);
			if (!encoding)
				assert_int_equal(band, k);
			seen |= 1U << band;
			expect_want(&w[0], 0xc34, UINT64_C(0xff) << 8 * band,
				    UINT64_C(12) << 8 * band);
		}
		assert_int_equal(seen, 0xf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cbox_filters),
		cmocka_unit_test(test_ha_filter),
		cmocka_unit_test(test_qpi_filter),
		cmocka_unit_test(test_qpi_packets_match_what_they_are_called),
		cmocka_unit_test(test_pcu_bands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
