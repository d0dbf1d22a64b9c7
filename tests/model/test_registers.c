/* SPDX-License-Identifier: MIT
 * Enables, reset, freeze, overflow chain and access rules, against
 * 323535-001. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_every_counter_counts(void **state)
{
	unsigned n = 0;

	(void)state;
	for (size_t k = 0; k < COUNT(units); k++)
		for (unsigned i = 0; i < units[k].n; i++) {
			const struct unit *u = &units[k];
			struct model *m = new_model("stream", 1, 1);
			unsigned ctr = unit_ctr(u, i);
			uint64_t seen;

			prepare(m, u, i);
			check(u, model_counting(m, 0, msr(ctr)));
			model_advance(m, NSEC_PER_SEC);
			seen = rd(m, ctr);
			check(u, seen > 1000 && seen == truth(m, ctr));
			check(u, fabs((double)seen - rate(m, ctr)) <= 1);
			no_violation(m);
			model_free(m);
			n++;
		}
	assert_int_equal(n, 98);		/* 1 + 8 x 6 + 2 x 4 + 2 x 4 + 16 + 2 x 6 + 4 + 1 */
}

static void test_enable_hierarchy(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(units); k++) {
		const struct unit *u = &units[k];
		unsigned i = u->n - 1, ctr = unit_ctr(u, i), ctl = u->ctl + 2 * i;
		struct model *m = new_model("stream", 1, 1);
		uint64_t counted;

		prepare(m, u, i);
		model_advance(m, NSEC_PER_MSEC);
		counted = truth(m, ctr);
		check(u, counted > 0);

		wr(m, ctl, busy_event(u, i));                       /* not enabled locally */
		model_advance(m, NSEC_PER_MSEC);
		check(u, truth(m, ctr) == counted);
		wr(m, ctl, busy_event(u, i) | u->en);

		/* not at the box */
		wr(m, u->global, u->global == 0xc00 ? EN_ALL : ~BIT(u->bit + i) & 0xff);
		model_advance(m, NSEC_PER_MSEC);
		check(u, truth(m, ctr) == counted);
		wr(m, u->global, BIT(u->bit + i));

		wr(m, 0xc00, u->global == 0xc00);                    /* not globally */
		model_advance(m, NSEC_PER_MSEC);
		check(u, truth(m, ctr) == counted);

		wr(m, 0xc00, EN_ALL | (u->global == 0xc00));
		model_advance(m, NSEC_PER_MSEC);
		check(u, truth(m, ctr) > counted);
		no_violation(m);
		model_free(m);
	}
}

static void test_wrap_and_overflow_chain(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(units); k++)
		for (unsigned i = 0; i < units[k].n; i++) {
			const struct unit *u = &units[k];
			struct model *m = new_model("stream", 1, 1);
			unsigned ctr = unit_ctr(u, i);
			uint64_t ov = u->ctl == 0xc10 ? BIT(0) : BIT(u->bit + i);

			prepare(m, u, i);
			wr(m, ctr, TOP - 5);
			check(u, rd(m, ctr) == TOP - 5);
			model_advance(m, NSEC_PER_SEC);
			check(u, rd(m, ctr) == ((TOP - 5 + truth(m, ctr)) & (TOP - 1)));
			check(u, truth(m, ctr) > 5 && rd(m, ctr) < TOP - 5);
			check(u, rd(m, u->status) == ov);
			check(u, rd(m, 0xc01) == BIT(u->u_bit));
			check(u, rd(m, 0xc43) == (u->summary == 0xc43 ? BIT(u->summary_bit) : 0));
			check(u, rd(m, 0xcc3) == (u->summary == 0xcc3 ? BIT(u->summary_bit) : 0));

			wr(m, u->status + 1, ~ov & 0xf); /* clearing others changes nothing */
			check(u, rd(m, u->status) == ov);
			wr(m, u->status + 1, ov);	/* the bits above follow (2.1.4 b) */
			check(u, rd(m, u->status) == 0 && rd(m, 0xc01) == 0);
			check(u, rd(m, 0xc43) == 0 && rd(m, 0xcc3) == 0);
			no_violation(m);
			model_free(m);
		}
}

static void test_summary_holds_while_one_is_left(void **state)
{
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	wr(m, 0xcb0, 0x3641);                       /* M0 and B0: both are ov_mb of S0 */
	wr(m, 0xca0, 1);
	wr(m, 0xc32, 0x0f);
	wr(m, 0xc20, 2);
	wr(m, 0xcb1, TOP - 1);
	wr(m, 0xc33, TOP - 1);
	wr(m, 0xc00, EN_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_int_equal(rd(m, 0xc43), BIT(16));
	wr(m, 0xca2, 1);
	assert_int_equal(rd(m, 0xc43), BIT(16));
	assert_int_equal(rd(m, 0xc01), BIT(3));
	wr(m, 0xc02, BIT(3));                       /* the U-Box bit alone */
	assert_int_equal(rd(m, 0xc01), 0);
	assert_int_equal(rd(m, 0xc43), BIT(16));
	wr(m, 0xc22, 2);
	assert_int_equal(rd(m, 0xc43), 0);
	model_free(m);
}

/* --- clocks, reset, freeze --- */

static void test_clocks_are_exact(void **state)
{
	struct model *m = new_model("idle", 1, 7);

	(void)state;
	wr(m, 0x395, 1);
	wr(m, 0xc80, BIT(31));
	wr(m, 0xcb0, 0x3641);                       /* M CYCLES at 4/3 GHz */
	wr(m, 0xca0, 1);
	wr(m, 0xc00, EN_ALL);
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0x394), UINT64_C(2400000000));
	assert_int_equal(rd(m, 0xcb1), UINT64_C(1333333333));
	model_advance(m, 2 * NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xcb1), UINT64_C(4000000000));
	/* 30 days: 2.4 GHz x 2592000 s = 22 wraps of 2^48 and a rest */
	model_advance(m, (2592000 - 3) * NSEC_PER_SEC);
	assert_int_equal(truth(m, 0x394), UINT64_C(6220800000000000));
	assert_int_equal(rd(m, 0x394), UINT64_C(6220800000000000) - 22 * TOP);
	assert_true(rd(m, 0x10) > rd(m, 0x394));    /* TSC: 48 bits are not its width */
	model_free(m);
}

static void test_rst_all(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	uint64_t before;

	(void)state;
	prepare(m, &units[1], 0);
	model_advance(m, NSEC_PER_MSEC);
	before = truth(m, 0xd11);
	assert_true(before > 0);
	wr(m, 0xc00, EN_ALL | RST_ALL);
	assert_int_equal(rd(m, 0xd11), 0);
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xd11), 0);          /* while it is 1 counters stand at 0 */
	wr(m, 0xd11, 77);
	assert_int_equal(rd(m, 0xd11), 0);
	assert_int_equal(rd(m, 0xc00), EN_ALL | RST_ALL);   /* not self-clearing */
	assert_int_equal(truth(m, 0xd11), before);
	wr(m, 0xc00, EN_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_int_equal(rd(m, 0xd11) + before, truth(m, 0xd11));
	model_free(m);
}

static void test_freeze_on_overflow(void **state)
{
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	wr(m, 0xcb4, 0x3643);			/* M0 counter 2: CYCLES, wrap_mode, pmi_en, en */
	wr(m, 0xca0, 4);
	wr(m, 0x395, 1);
	wr(m, 0xc80, BIT(31));
	wr(m, 0xcb5, TOP - 1000);
	wr(m, 0xc00, EN_ALL | FRZ_ALL | 0x100);     /* pmi_core_sel: core 7 */
	model_advance(m, 700);
	assert_int_equal(rd(m, 0xc00), EN_ALL | FRZ_ALL | 0x100);
	model_advance(m, NSEC_PER_SEC);
	/* 1000 cycles of 4/3 GHz last 750 ns; the freeze takes 40 ns more */
	assert_int_equal(rd(m, 0xc00), FRZ_ALL | 0x100);
	assert_int_equal(rd(m, 0xc01), BIT(31) | BIT(30) | BIT(3));
	assert_int_equal(rd(m, 0xcb5), 53);
	assert_int_equal(truth(m, 0xcb5), 1053);
	assert_int_equal(rd(m, 0x394), 1896);       /* 790 ns x 2.4 */

	/* its overflow bit still stands: no new freeze */
	wr(m, 0xcb5, TOP - 1000);
	wr(m, 0xc00, EN_ALL | FRZ_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_int_equal(rd(m, 0xc00), EN_ALL | FRZ_ALL);
	wr(m, 0xc00, FRZ_ALL);
	wr(m, 0xca2, 4);
	assert_int_equal(rd(m, 0xc01), BIT(31) | BIT(30));
	wr(m, 0xc02, BIT(31) | BIT(30));
	assert_int_equal(rd(m, 0xc01), 0);
	wr(m, 0xcb5, TOP - 1000);
	wr(m, 0xc00, EN_ALL | FRZ_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_int_equal(rd(m, 0xc00), FRZ_ALL);

	/* without pmi_en, or without frz_all, nothing freezes */
	wr(m, 0xca2, 4);
	wr(m, 0xcb4, 0x3641);
	wr(m, 0xcb5, TOP - 1000);
	wr(m, 0xc00, EN_ALL | FRZ_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_true(rd(m, 0xc00) & EN_ALL);
	wr(m, 0xca2, 4);
	wr(m, 0xc02, BIT(31) | BIT(30));
	wr(m, 0xcb4, 0x3643);
	wr(m, 0xcb5, TOP - 1000);
	wr(m, 0xc00, EN_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_true(rd(m, 0xc00) & EN_ALL);
	assert_int_equal(rd(m, 0xc01), BIT(30) | BIT(3));
	no_violation(m);
	model_free(m);
}

/*
 * The session of pages 2-1 to 2-3, step by step: all counting stops at the 1,000th event of counter
 * 3 of B-Box 1, the chain says who it was, and a new interval begins. (Event 0x17 instead of 0x03,
 * which no list has on that counter.)
 */
static void test_session_of_the_guide(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	uint64_t rest, first;

	(void)state;
	wr(m, 0xc77, 12345);
	wr(m, 0xc00, RST_ALL);                      /* 2.1.2 a: reset */
	assert_int_equal(rd(m, 0xc77), 0);
	wr(m, 0xc76, 0x17 << 1);                    /* b: select */
	wr(m, 0xc76, 0x17 << 1 | 1);                /* c: enable locally */
	wr(m, 0xc60, BIT(3));                       /* d: at the box */
	wr(m, 0xc00, 0);
	wr(m, 0xc77, TOP - 1000); /* e: sample interval, pmi_en, frz_all; no core is selected */
	wr(m, 0xc76, BIT(20) | 0x17 << 1 | 1);
	wr(m, 0xc90, 0xff04 | BIT(22));             /* beside it, a W-Box counter */
	wr(m, 0xc80, 1);
	wr(m, 0xc00, FRZ_ALL);
	wr(m, 0xc00, FRZ_ALL | EN_ALL);	/* f: counting begins, rst_all 0 in the same write */
	model_advance(m, NSEC_PER_SEC);

	assert_int_equal(rd(m, 0xc00), FRZ_ALL);    /* 2.1.1.1: en_all was set to 0 */
	/* 2.1.3 b: pmi; S-Box 1, not W nor S-Box 0 */
	assert_int_equal(rd(m, 0xc01) & ~BIT(31), BIT(30) | BIT(2));
	assert_int_equal(rd(m, 0xc43), 0);
	assert_int_equal(rd(m, 0xcc3), BIT(16));    /* ov_mb */
	assert_int_equal(rd(m, 0xc61), BIT(3));
	assert_int_equal(rd(m, 0xce1), 0);
	rest = rd(m, 0xc77);	/* "the counter value will wrap and continue" until the freeze */
	assert_true(rest < 100);
	assert_int_equal(truth(m, 0xc77), 1000 + rest);
	first = truth(m, 0xc91);
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(truth(m, 0xc91), first);

	wr(m, 0xc62, BIT(3));	/* 2.1.4 b: clears ov_mb of S-Box 1 and ov_s1 along with it */
	assert_int_equal(rd(m, 0xc61), 0);
	assert_int_equal(rd(m, 0xcc3), 0);
	assert_int_equal(rd(m, 0xc01) & 0xf, 0);
	wr(m, 0xc02, BIT(31) | BIT(30));
	wr(m, 0xc77, TOP - 1000);                   /* c: the next sample */
	wr(m, 0xc00, FRZ_ALL | EN_ALL);             /* d */
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xc00), FRZ_ALL);
	assert_int_equal(truth(m, 0xc77), 2000 + rest + rd(m, 0xc77));
	no_violation(m);
	model_free(m);
}

static void test_mbox_stops_without_wrap_mode(void **state)
{
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	wr(m, 0xcb0, 0x3601);
	wr(m, 0xca0, 1);
	wr(m, 0xcb1, TOP - 1000);
	wr(m, 0xc00, EN_ALL);
	model_advance(m, NSEC_PER_MSEC);
	assert_int_equal(rd(m, 0xcb1), 0);
	assert_int_equal(truth(m, 0xcb1), 1000);
	assert_int_equal(rd(m, 0xca1), 1);
	wr(m, 0xcb1, 5);
	model_advance(m, 3);
	assert_int_equal(rd(m, 0xcb1), 9);
	model_free(m);
}

/* --- access rules --- */

static void test_access(void **state)
{
	static const struct { int line; unsigned addr; int read, write; } rows[] = {
		{ __LINE__, 0xc00, 0, 0 }, { __LINE__, 0xc01, 0, 0 }, { __LINE__, 0xc02, 0, 0 },
		{ __LINE__, 0xc03, -EIO, -EIO }, { __LINE__, 0xbff, -EIO, -EIO },
		{ __LINE__, 0xea0, -EIO, -EIO },
		{ __LINE__, 0xd02, -EIO, 0 }, { __LINE__, 0xc22, -EIO, 0 },
		{ __LINE__, 0xc42, -EIO, 0 },
		{ __LINE__, 0xc43, 0, -EIO }, { __LINE__, 0xcc3, 0, -EIO },
		{ __LINE__, 0xe01, 0, -EIO },
		{ __LINE__, 0xe21, 0, -EIO }, { __LINE__, 0xe02, 0, 0 }, { __LINE__, 0xe22, 0, 0 },
		{ __LINE__, 0xca4, 0, -EIO }, { __LINE__, 0xce4, 0, -EIO },
		{ __LINE__, 0xca2, -EIO, 0 },
		{ __LINE__, 0xc82, -EIO, 0 }, { __LINE__, 0x394, 0, 0 }, { __LINE__, 0x395, 0, 0 },
		{ __LINE__, 0x10, 0, -EIO }, { __LINE__, 0x391, -EIO, -EIO },
		{ __LINE__, 0xd1c, -EIO, -EIO }, { __LINE__, 0xc38, -EIO, -EIO },
		{ __LINE__, 0xe63, -EIO, -EIO },
		{ __LINE__, 0xf40, -EIO, -EIO },            /* C8 is Westmere-EX only */
		{ __LINE__, 0xe47, -EIO, -EIO }, { __LINE__, 0xe4b, -EIO, -EIO },
		{ __LINE__, 0xe57, -EIO, -EIO },
	};
	struct model *m = new_model("stream", 1, 1);
	struct reg pci = { .space = SPACE_PCI, .dev = 19, .fn = 5, .off = 0xd10 };
	unsigned violations = 0;
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		check(&rows[i], model_read(m, 0, msr(rows[i].addr), &v) == rows[i].read);
		check(&rows[i], model_write(m, 0, msr(rows[i].addr), 0) == rows[i].write);
		if ((rows[i].read == 0) != (rows[i].write == 0))
			violations++;
	}
	assert_int_equal(model_violations(m, NULL, 0), violations);
	assert_int_equal(model_read(m, 0, pci, &v), -EIO);
	assert_int_equal(model_read(m, 1, msr(0xc00), &v), -ENXIO);
	model_free(m);
}

/* What is left of a write of all ones, and which of the ones are violations: counted from the field
 * tables. */
static void test_fields(void **state)
{
	static const struct { int line; unsigned addr; uint64_t reads, rsv;
			      const char *name; } rows[] = {
		{ __LINE__, 0xc00, 0xb00001ff, 0x4ffffe00, "U0.global_ctl" },
		{ __LINE__, 0xc10, 0x5400ff, BIT(62), "U0.ctl0" },
		{ __LINE__, 0xd00, 0x3f, 0, "" },
		{ __LINE__, 0xd10, 0xffd4ffff, BIT(62) | BIT(61), "C0.ctl0" },
		{ __LINE__, 0xdfa, 0xffd4ffff, BIT(62) | BIT(61), "C7.ctl5" },
		{ __LINE__, 0xd11, TOP - 1, 0, "" },
		{ __LINE__, 0xc76, 0x10003f, BIT(62) | BIT(61) | BIT(50), "B1.ctl3" },
		{ __LINE__, 0xe45, BIT(60) - 1, 0, "" },
		{ __LINE__, 0xc50, 0xffd4ffff, BIT(62) | BIT(61), "S0.ctl0" },     /* reset_occ_cnt: a pulse */
		{ __LINE__, 0xe49, UINT64_MAX, 0, "" },
		{ __LINE__, 0xe4a, BIT(39) - 1, 0, "" },
		{ __LINE__, 0xe58, BIT(63), 0, "" },
		{ __LINE__, 0xe3e, 0x7f, BIT(62) | BIT(61), "R1.ctl7" },
		{ __LINE__, 0xe2b, 0xff3fffff, 0, "" },
		{ __LINE__, 0xe0f, 0xffff, 0, "" },
		{ __LINE__, 0xe8c, BIT(63) | 0x3fffff, 0, "" },
		{ __LINE__, 0xe8d, UINT64_C(0x000f000f8003fff8), UINT64_C(0xfff0fff07ffc0007), "R.port7.set1.match" },
		{ __LINE__, 0xe76, UINT64_C(0x000f000f8003fff8), UINT64_C(0xfff0fff07ffc0007), "R.port1.set2.mask" },
		{ __LINE__, 0xcb6, 0x383eff, BIT(62) | BIT(61) | 0x1c7c100, "M0.ctl3" },
		{ __LINE__, 0xceb, 0xffffff, 0, "" },
		{ __LINE__, 0xca6, 0x3ff, 0, "" },
		{ __LINE__, 0xe5d, UINT64_C(0x3ffffffff), 0, "" },
		{ __LINE__, 0xc96, 0xffd4ffff, BIT(62) | BIT(61) | BIT(50), "W0.ctl3" },
		{ __LINE__, 0xc80, 0x8000000f, 0, "" },
		{ __LINE__, 0x395, 1, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct model *m = new_model("stream", 1, 1);
		char text[160] = "", bits[64];

		wr(m, rows[i].addr, UINT64_MAX);
		check(&rows[i], rd(m, rows[i].addr) == rows[i].reads);
		check(&rows[i], model_violations(m, text, sizeof(text)) == (rows[i].rsv ? 1 : 0));
		snprintf(bits, sizeof(bits), "reserved bits 0x%llx",
			 (unsigned long long)rows[i].rsv);
		check(&rows[i], !rows[i].rsv || (strstr(text, rows[i].name) && strstr(text, bits)));
		model_free(m);
	}
}

static void test_sbox_match_faults_while_enabled(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	char text[160];
	uint64_t all, hom;

	(void)state;
	for (unsigned s = 0; s < 2; s++) {
		unsigned mm = 0xe48 + 0x10 * s;

		wr(m, mm + 1, 0x1234);
		wr(m, mm, BIT(63));
		assert_int_equal(model_write(m, 0, msr(mm + 1), 1), -EIO);
		assert_int_equal(model_write(m, 0, msr(mm + 2), 1), -EIO);
		assert_int_equal(rd(m, mm + 1), 0x1234);
		assert_int_equal(model_violations(m, text, sizeof(text)), 2 * (s + 1));
		assert_non_null(strstr(text, s ? "S1.mask (0xe5a)" : "S0.mask (0xe4a)"));
		wr(m, mm, 0);
		wr(m, mm + 1, 1);
	}
	/* TO_R_PROG_EV counts only with MM_CFG[63], and a class is a part of all packets */
	wr(m, 0xe49, 0);
	wr(m, 0xe4a, 0x7fffffffff);
	wr(m, 0xc50, BIT(22));
	assert_true(rate(m, 0xc51) == 0);
	wr(m, 0xe48, BIT(63));
	all = (uint64_t)rate(m, 0xc51);
	wr(m, 0xe48, 0);
	wr(m, 0xe49, BIT(43));                      /* HOM0 */
	wr(m, 0xe48, BIT(63));
	hom = (uint64_t)rate(m, 0xc51);
	assert_true(hom > 0 && hom < all);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_counter_counts),
		cmocka_unit_test(test_enable_hierarchy),
		cmocka_unit_test(test_wrap_and_overflow_chain),
		cmocka_unit_test(test_summary_holds_while_one_is_left),
		cmocka_unit_test(test_clocks_are_exact),
		cmocka_unit_test(test_rst_all),
		cmocka_unit_test(test_freeze_on_overflow),
		cmocka_unit_test(test_session_of_the_guide),
		cmocka_unit_test(test_mbox_stops_without_wrap_mode),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_sbox_match_faults_while_enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
