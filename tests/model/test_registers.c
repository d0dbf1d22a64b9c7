/* test_registers.c - the register model against values counted by hand from 323535-001. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"
#include "model/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EN_ALL  BIT(28)
#define RST_ALL BIT(29)
#define FRZ_ALL BIT(31)
#define TOP     BIT(48)
#define check(row, cond) do { if (!(cond)) fail_msg("row of line %d: %s", (row)->line, #cond); } while (0)

static struct reg msr(unsigned addr)
{
	return (struct reg){ .space = SPACE_MSR, .bytes = 8, .off = addr };
}

static struct model *new_model(const char *workload, unsigned sockets, uint64_t seed)
{
	struct model_options o = { .processor = "nehalem-ex", .workload = workload, .n_sockets = sockets, .cores = 8,
				   .seed = seed };
	struct model *m = NULL;
	struct err err;

	if (model_new(&o, &m, &err) < 0)
		fail_msg("%s", err.text);
	return m;
}

static void wr(struct model *m, unsigned addr, uint64_t value)
{
	int r = model_write(m, 0, msr(addr), value);

	if (r < 0)
		fail_msg("write 0x%x: %d", addr, r);
}

static uint64_t rd(struct model *m, unsigned addr)
{
	uint64_t v = 0;
	int r = model_read(m, 0, msr(addr), &v);

	if (r < 0)
		fail_msg("read 0x%x: %d", addr, r);
	return v;
}

static uint64_t truth(struct model *m, unsigned addr)
{
	return model_truth(m, 0, msr(addr));
}

static double rate(struct model *m, unsigned addr)
{
	return model_rate(m, 0, msr(addr));
}

static void no_violation(struct model *m)
{
	char text[160] = "";

	if (model_violations(m, text, sizeof(text)))
		fail_msg("violation: %s", text);
}

/* --- every counter: pair addresses, enables, overflow bits --- */

/* One unit of a box: first control, step 2; the bit enables counter 0; S summary bit and U bit of its overflow. */
struct unit {
	int line;
	unsigned ctl, n, global, bit, status;
	unsigned summary, summary_bit, u_bit;
	uint64_t en;
};
static const struct unit units[] = {
	{ __LINE__, 0xc10, 1, 0xc00, 0, 0xc01, 0, 0, 0, BIT(22) },
	{ __LINE__, 0xd10, 6, 0xd00, 0, 0xd01, 0xc43, 2, 3, BIT(22) },     /* C0, C1: ov_c_l of S0 */
	{ __LINE__, 0xd90, 6, 0xd80, 0, 0xd81, 0xc43, 2, 3, BIT(22) },
	{ __LINE__, 0xd50, 6, 0xd40, 0, 0xd41, 0xc43, 0, 3, BIT(22) },     /* C2, C3: ov_c_r of S0 */
	{ __LINE__, 0xdd0, 6, 0xdc0, 0, 0xdc1, 0xc43, 0, 3, BIT(22) },
	{ __LINE__, 0xd30, 6, 0xd20, 0, 0xd21, 0xcc3, 2, 2, BIT(22) },     /* C4, C5: ov_c_l of S1 */
	{ __LINE__, 0xdb0, 6, 0xda0, 0, 0xda1, 0xcc3, 2, 2, BIT(22) },
	{ __LINE__, 0xd70, 6, 0xd60, 0, 0xd61, 0xcc3, 0, 2, BIT(22) },     /* C6, C7: ov_c_r of S1 */
	{ __LINE__, 0xdf0, 6, 0xde0, 0, 0xde1, 0xcc3, 0, 2, BIT(22) },
	{ __LINE__, 0xc30, 4, 0xc20, 0, 0xc21, 0xc43, 16, 3, BIT(0) },
	{ __LINE__, 0xc70, 4, 0xc60, 0, 0xc61, 0xcc3, 16, 2, BIT(0) },
	{ __LINE__, 0xc50, 4, 0xc40, 0, 0xc41, 0xc43, 18, 3, BIT(22) },
	{ __LINE__, 0xcd0, 4, 0xcc0, 0, 0xcc1, 0xcc3, 18, 2, BIT(22) },
	{ __LINE__, 0xe10, 8, 0xe00, 0, 0xe01, 0xc43, 19, 3, BIT(0) },
	{ __LINE__, 0xe30, 8, 0xe20, 0, 0xe21, 0xcc3, 19, 2, BIT(0) },
	{ __LINE__, 0xcb0, 6, 0xca0, 0, 0xca1, 0xc43, 16, 3, BIT(0) },
	{ __LINE__, 0xcf0, 6, 0xce0, 0, 0xce1, 0xcc3, 16, 2, BIT(0) },
	{ __LINE__, 0xc90, 4, 0xc80, 0, 0xc81, 0, 0, 1, BIT(22) },
	{ __LINE__, 0x395, 1, 0xc80, 31, 0xc81, 0, 0, 1, BIT(0) },         /* fixed: 394 counts, 395 controls */
};

static unsigned unit_ctr(const struct unit *u, unsigned i)
{
	return u->ctl == 0x395 ? 0x394 : u->ctl + 2 * i + 1;
}

/* A control value that makes the counter count something often, without its enable bit. */
static uint64_t busy_event(const struct unit *u, unsigned i)
{
	static const uint64_t bbox[4] = { 0x07 << 1, 0x07 << 1, 0x07 << 1, 0x17 << 1 };

	switch (u->ctl & 0xff0) {
	case 0xc10: return 0x51;                    /* U2B_REQUEST_CYCLES */
	case 0xc30: case 0xc70: return bbox[i];     /* IMT: occupancy, inserts, not empty; CONFLICTS */
	case 0xc50: case 0xcd0: return 0x62;        /* PKTS_SENT_SNP */
	case 0xe10: case 0xe30: return 0;           /* PORT0_IPERF0, PORT4_IPERF0 */
	case 0xcb0: case 0xcf0: return 0x3640;      /* CYCLES, wrap_mode */
	case 0xc90: return 0xff04;                  /* C_CYCLES_TURBO, all cores */
	case 0x390: return 0;
	default: return 0x0714;                     /* LLC_MISSES, all states */
	}
}

static void prepare(struct model *m, const struct unit *u, unsigned i)
{
	wr(m, 0xe04, BIT(31));                      /* FLITS_SENT */
	wr(m, 0xe08, BIT(31));
	wr(m, u->ctl + 2 * i, busy_event(u, i) | u->en);
	model_write(m, 0, msr(u->global), BIT(u->bit + i));
	wr(m, 0xc00, EN_ALL | (u->ctl == 0xc10));
}

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
	assert_int_equal(n, 98);                    /* 1 + 8 x 6 + 2 x 4 + 2 x 4 + 16 + 2 x 6 + 4 + 1 */
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

		wr(m, u->global, u->global == 0xc00 ? EN_ALL : ~BIT(u->bit + i) & 0xff);     /* not at the box */
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

			wr(m, u->status + 1, ~ov & 0xf);            /* clearing others changes nothing */
			check(u, rd(m, u->status) == ov);
			wr(m, u->status + 1, ov);                   /* the bits above follow (2.1.4 b) */
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
	wr(m, 0xcb4, 0x3643);                       /* M0 counter 2: CYCLES, wrap_mode, pmi_en, en */
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
		{ __LINE__, 0xc03, -EIO, -EIO }, { __LINE__, 0xbff, -EIO, -EIO }, { __LINE__, 0xea0, -EIO, -EIO },
		{ __LINE__, 0xd02, -EIO, 0 }, { __LINE__, 0xc22, -EIO, 0 }, { __LINE__, 0xc42, -EIO, 0 },
		{ __LINE__, 0xc43, 0, -EIO }, { __LINE__, 0xcc3, 0, -EIO }, { __LINE__, 0xe01, 0, -EIO },
		{ __LINE__, 0xe21, 0, -EIO }, { __LINE__, 0xe02, 0, 0 }, { __LINE__, 0xe22, 0, 0 },
		{ __LINE__, 0xca4, 0, -EIO }, { __LINE__, 0xce4, 0, -EIO }, { __LINE__, 0xca2, -EIO, 0 },
		{ __LINE__, 0xc82, -EIO, 0 }, { __LINE__, 0x394, 0, 0 }, { __LINE__, 0x395, 0, 0 },
		{ __LINE__, 0x10, 0, -EIO }, { __LINE__, 0x391, -EIO, -EIO },
		{ __LINE__, 0xd1c, -EIO, -EIO }, { __LINE__, 0xc38, -EIO, -EIO }, { __LINE__, 0xe63, -EIO, -EIO },
		{ __LINE__, 0xf40, -EIO, -EIO },            /* C8 is Westmere-EX only */
		{ __LINE__, 0xe47, -EIO, -EIO }, { __LINE__, 0xe4b, -EIO, -EIO }, { __LINE__, 0xe57, -EIO, -EIO },
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

/* What is left of a write of all ones, and which of the ones are violations: counted from the field tables. */
static void test_fields(void **state)
{
	static const struct { int line; unsigned addr; uint64_t reads, rsv; const char *name; } rows[] = {
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
		snprintf(bits, sizeof(bits), "reserved bits 0x%llx", (unsigned long long)rows[i].rsv);
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

/* --- which event a control selects --- */

static void test_rbox_redirection(void **state)
{
	/* ev_sel 6 p + slot -> register, ports 0-3 by counters 0-7, ports 4-7 by counters 8-15 (Tables 2-39, 2-45, 2-46) */
	static const unsigned target[48] = {
		0xe04, 0xe24, 0xe0c, 0xe0c, 0xe60, 0xe70, 0xe05, 0xe25, 0xe0d, 0xe0d, 0xe64, 0xe74,
		0xe06, 0xe26, 0xe0e, 0xe0e, 0xe68, 0xe78, 0xe07, 0xe27, 0xe0f, 0xe0f, 0xe6c, 0xe7c,
		0xe08, 0xe28, 0xe2c, 0xe2c, 0xe80, 0xe90, 0xe09, 0xe29, 0xe2d, 0xe2d, 0xe84, 0xe94,
		0xe0a, 0xe2a, 0xe2e, 0xe2e, 0xe88, 0xe98, 0xe0b, 0xe2b, 0xe2f, 0xe2f, 0xe8c, 0xe9c,
	};
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	for (unsigned p = 0; p < 8; p++)                             /* type 15: reserved, counts nothing */
		wr(m, (p < 4 ? 0xe0c : 0xe2c - 4) + p, 0xffff);
	for (unsigned half = 0; half < 2; half++)
		for (unsigned sel = 0; sel < 32; sel++) {
			unsigned ctr = 0xe17 + 0x20 * half, ctl = ctr - 1, slot = sel % 6;
			unsigned reg = sel < 24 ? target[24 * half + sel] : 0;

			wr(m, ctl, sel << 1 | 1);
			assert_true(rate(m, ctr) == 0);
			if (!reg)
				continue;                            /* 0x18-0x1f are illegal */
			wr(m, reg, slot < 2 ? BIT(31) : slot == 2 ? 0xff09 : slot == 3 ? 0x09ff : 0x210000);
			if (rate(m, ctr) <= 0)
				fail_msg("half %u ev_sel 0x%x does not look at 0x%x", half, sel, reg);
			wr(m, reg, slot < 2 ? 0 : slot < 4 ? 0xffff : 0);
		}
	no_violation(m);
	model_free(m);
}

/* 2.6.2.1: FLITS_SENT on QPI0 = port 1, IPERF1 bit 31, CTL3 ev_sel 7. */
static void test_rbox_worked_example(void **state)
{
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	wr(m, 0xe16, 7 << 1 | 1);
	wr(m, 0xe00, BIT(3));
	wr(m, 0xc00, EN_ALL);
	wr(m, 0xe05, BIT(31));                      /* IPERF0 of the port: not this one */
	wr(m, 0xe24, BIT(31));                      /* IPERF1 of port 0 */
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xe17), 0);
	wr(m, 0xe25, BIT(31));
	model_advance(m, NSEC_PER_SEC);
	assert_true(rd(m, 0xe17) > 0);
	no_violation(m);
	model_free(m);
}

static void test_rbox_packets_and_flits(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	double packets9, packets11, flits, all, data;

	(void)state;
	wr(m, 0xe18, 4 << 1 | 1);                   /* counter 4: port 0, XBAR set 1 */
	wr(m, 0xe62, 0x1f00);
	wr(m, 0xe61, 0x1c00);                       /* DRS.AnyResp9flits, Table 2-53 */
	assert_true(rate(m, 0xe19) == 0);           /* mm_trig_en is not set */
	wr(m, 0xe60, 0x210000);
	packets9 = rate(m, 0xe19);
	wr(m, 0xe60, 0x290000);                     /* those that have a 9th flit: all */
	assert_true(fabs(rate(m, 0xe19) - packets9) < 1);
	wr(m, 0xe60, 0x2a0000);                     /* a 10th */
	assert_true(rate(m, 0xe19) == 0);
	wr(m, 0xe60, 0x310000);                     /* ig_flt_cnt: flits */
	flits = rate(m, 0xe19);
	assert_true(packets9 > 0 && fabs(flits / packets9 - 9) < 1e-6);
	wr(m, 0xe60, 0x210000);
	wr(m, 0xe61, 0x1d00);                       /* AnyResp11flits */
	packets11 = rate(m, 0xe19);
	wr(m, 0xe62, 0x1e00);
	all = rate(m, 0xe19);                       /* AnyResp = both */
	assert_true(packets11 > 0 && fabs(packets9 + packets11 - all) < 2);
	wr(m, 0xe62, 0x1f80);
	wr(m, 0xe61, 0x1c00);                       /* AnyDataC goes to S-Boxes only: nothing on a QPI port */
	assert_true(rate(m, 0xe19) == 0);
	wr(m, 0xe18, 16 << 1 | 1);                  /* port 2 */
	wr(m, 0xe6a, 0x1f80);
	wr(m, 0xe69, 0x1c00);
	wr(m, 0xe68, 0x210000);
	data = rate(m, 0xe19);
	assert_true(data > 0);
	wr(m, 0xe68, BIT(63) | 0x210000);           /* dis */
	assert_true(rate(m, 0xe19) == 0);
	no_violation(m);
	model_free(m);
}

static void test_mbox_fvc(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	double reads, writes, acks;

	(void)state;
	wr(m, 0xcb0, 0x1a41);                       /* FVC_EV0, FVC_EV1 as PCM writes them */
	wr(m, 0xcb2, 0x1c41);
	wr(m, 0xcab, 5 << 11 | 6 << 14);            /* bcmd match (read), resp match (ack) */
	reads = rate(m, 0xcb1);
	acks = rate(m, 0xcb3);
	assert_true(reads > 1e6 && acks > reads);
	wr(m, 0xcab, 5 << 11 | 1 << 5);
	writes = rate(m, 0xcb1);
	assert_true(writes > 1e6 && writes < reads);
	assert_true(rate(m, 0xcb3) < 1e3);          /* field 1 is CRC errors now */
	wr(m, 0xcab, 0x5000);                       /* the Westmere-EX layout selects something else here */
	assert_true(rate(m, 0xcb1) < 1e3);
	wr(m, 0xceb, 5 << 11);                      /* the other M-Box */
	assert_true(rate(m, 0xcb1) < 1e3);
	/* flag_mode: CYCLES_SCHED_MODE adds up to all cycles over the four modes of ISS[6:4] */
	wr(m, 0xcb0, 0x800c1);
	reads = 0;
	for (unsigned mode = 0; mode < 4; mode++) {
		wr(m, 0xca6, mode << 4);
		reads += rate(m, 0xcb1);
	}
	assert_true(fabs(reads - 4e9 / 3) < 10);
	no_violation(m);
	model_free(m);
}

static unsigned codes_that_count(struct model *m, unsigned ctl, unsigned first, unsigned last, unsigned shift,
				 uint64_t rest)
{
	unsigned n = 0;

	for (unsigned code = first; code <= last; code++) {
		wr(m, ctl, (uint64_t)code << shift | rest);
		if (rate(m, ctl + 1) > 0)
			n++;
	}
	return n;
}

/* How many codes count something: the number of events in Tables 2-8, 2-15, 2-24, 2-37, 2-84 and 2-102. */
static void test_all_events_count(void **state)
{
	struct model *m = new_model("idle", 1, 3);

	(void)state;
	assert_int_equal(codes_that_count(m, 0xc10, 0, 255, 0, 0), 13);
	assert_int_equal(codes_that_count(m, 0xd12, 0, 255, 0, 0xff00), 34);
	assert_int_equal(codes_that_count(m, 0xc30, 0, 31, 1, 0), 14);
	assert_int_equal(codes_that_count(m, 0xc32, 0, 31, 1, 0), 20);
	assert_int_equal(codes_that_count(m, 0xc34, 0, 31, 1, 0), 5);
	assert_int_equal(codes_that_count(m, 0xc36, 0, 31, 1, 0), 11);
	wr(m, 0xe58, BIT(63));
	assert_int_equal(codes_that_count(m, 0xcd2, 0, 255, 0, 0x0100), 77);
	assert_int_equal(codes_that_count(m, 0xc90, 0, 255, 0, 0xff00), 7);
	wr(m, 0xca5, 0x80);                         /* DSP: RDQ_FULL */
	assert_int_equal(codes_that_count(m, 0xcb0, 0, 31, 9, 0x41), 30);
	assert_int_equal(codes_that_count(m, 0xcb0, 0, 7, 19, 0xc1), 6);
	/* umask 0 where there are sub-events; below 0 is always true, yet nothing is counted */
	wr(m, 0xd10, 0x14);
	assert_true(rate(m, 0xd11) == 0);
	wr(m, 0xd10, 0x14 | BIT(23) | 1 << 24);
	assert_true(rate(m, 0xd11) == 0);
	/* TO_R_DRS_MSGQ_CYCLES_FULL takes one sub-event */
	wr(m, 0xc50, 0x020e);
	assert_true(rate(m, 0xc51) > 0);
	wr(m, 0xc50, 0x0f0e);
	assert_true(rate(m, 0xc51) == 0);
	model_free(m);
}

static void test_sub_events_add_up(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	double sum = 0;

	(void)state;
	for (unsigned bit = 0; bit < 4; bit++) {
		wr(m, 0xd10, 0x15 | BIT(8 + bit));
		sum += rate(m, 0xd11);
	}
	wr(m, 0xd10, 0x0f15);                       /* LLC_HITS.ALL */
	assert_true(fabs(sum - rate(m, 0xd11)) < 5);
	wr(m, 0xe04, 0x30);                         /* VN0: SNP, HOM */
	wr(m, 0xe10, 1);
	sum = rate(m, 0xe11);
	wr(m, 0xe04, 0xc0 | 0x30);                  /* any network */
	assert_true(rate(m, 0xe11) > 5 * sum);
	model_free(m);
}

static void test_threshold_invert_edge(void **state)
{
	struct model *m = new_model("stream", 1, 1);
	const double clock = 2.4e9;
	double p, at_least1, at_least2;

	(void)state;
	wr(m, 0xd10, 0x1e);                         /* OCCUPANCY_MAF: 0 .. 16 a cycle */
	p = rate(m, 0xd11) / clock / 16;
	assert_true(p > 0.01 && p < 0.9);
	at_least1 = 1 - pow(1 - p, 16);             /* binomial, by the formula */
	at_least2 = at_least1 - 16 * p * pow(1 - p, 15);

	wr(m, 0xd10, 0x1e | 1 << 24);
	assert_true(fabs(rate(m, 0xd11) - clock * at_least1) < 10);
	wr(m, 0xd10, 0x1e | 2 << 24);
	assert_true(fabs(rate(m, 0xd11) - clock * at_least2) < 10);
	wr(m, 0xd10, 0x1e | 2 << 24 | BIT(23));
	assert_true(fabs(rate(m, 0xd11) - clock * (1 - at_least2)) < 10);
	wr(m, 0xd10, 0x1e | 2 << 24 | BIT(18));
	assert_true(fabs(rate(m, 0xd11) - clock * at_least2 * (1 - at_least2)) < 10);
	wr(m, 0xd10, 0x1e | 17 << 24);              /* never */
	assert_true(rate(m, 0xd11) == 0);
	wr(m, 0xd10, 0x1e | 17 << 24 | BIT(23));    /* always */
	assert_true(fabs(rate(m, 0xd11) - clock) < 10);
	wr(m, 0xd10, 0x1e | BIT(23));               /* threshold 0: nothing is compared */
	assert_true(fabs(rate(m, 0xd11) - clock * 16 * p) < 10);
	model_free(m);
}

/* --- workloads --- */

static double window(struct model *m, unsigned ctr, uint64_t *last)
{
	uint64_t now = truth(m, ctr);
	double d = (double)(now - *last);

	*last = now;
	return d;
}

static void test_numbers_are_plausible(void **state)
{
	(void)state;
	for (const char *const *w = model_workloads(); *w; w++) {
		struct model *m = new_model(*w, 1, 1);
		uint64_t occ = 0, ins = 0, conf = 0;
		unsigned over = 0, under = 0;
		double hit;

		wr(m, 0xc30, 0x0f);
		wr(m, 0xc32, 0x0f);
		wr(m, 0xc36, 0x2f);
		wr(m, 0xc20, 0xf);
		wr(m, 0xc00, EN_ALL);
		for (unsigned second = 0; second < 12; second++) {
			double i, latency;

			model_advance(m, NSEC_PER_SEC);
			i = window(m, 0xc33, &ins);
			latency = 32 * window(m, 0xc31, &occ) / i;
			assert_true(latency > 50 && latency < 400);
			*(window(m, 0xc37, &conf) / i > 0.05 ? &over : &under) += 1;
		}
		assert_true(under > 0);
		assert_int_equal(over, strcmp(*w, "bursty") == 0 ? 3 : 0);     /* one second of four */

		wr(m, 0xd10, 0x0f15);
		wr(m, 0xd12, 0x0714);
		hit = rate(m, 0xd11) / (rate(m, 0xd11) + rate(m, 0xd13));
		assert_true(hit > 0 && hit < 1);
		wr(m, 0xe04, BIT(30));
		wr(m, 0xe10, 1);
		assert_true(rate(m, 0xe11) > 0 && rate(m, 0xe11) < 2.4e9);
		wr(m, 0xd10, 0xff28);               /* snoop hits, snoops */
		wr(m, 0xd12, 0x0327);
		assert_true(rate(m, 0xd11) < rate(m, 0xd13));
		model_free(m);
	}
}

static void test_sockets_and_seeds_differ(void **state)
{
	struct model *m = new_model("stream", 2, 1), *other = new_model("stream", 1, 2);

	(void)state;
	model_write(m, 0, msr(0xd10), 0x010b);
	model_write(m, 1, msr(0xd10), 0x010b);
	model_write(other, 0, msr(0xd10), 0x010b);
	assert_true(model_rate(m, 0, msr(0xd11)) != model_rate(m, 1, msr(0xd11)));
	assert_true(model_rate(m, 0, msr(0xd11)) != model_rate(other, 0, msr(0xd11)));
	model_free(m);
	model_free(other);
}

/* Reading often or seldom makes no difference, to the last count, in a workload with phases. */
static void test_determinism(void **state)
{
	struct model *a = new_model("bursty", 1, 42), *b = new_model("bursty", 1, 42);
	struct reg ctrs[128];
	size_t n = model_counters(a, ctrs, COUNT(ctrs));
	nsec total = 0;
	unsigned random = 12345;

	(void)state;
	assert_int_equal(n, 98);
	for (size_t k = 0; k < COUNT(units); k++)
		for (unsigned i = 0; i < units[k].n; i++) {
			prepare(a, &units[k], i);
			prepare(b, &units[k], i);
			wr(a, units[k].global, units[k].global == 0xc00 ? EN_ALL | 1 : UINT64_MAX >> 32);
			wr(b, units[k].global, units[k].global == 0xc00 ? EN_ALL | 1 : UINT64_MAX >> 32);
		}
	wr(a, 0xc00, EN_ALL | 1);
	wr(b, 0xc00, EN_ALL | 1);
	for (unsigned step = 0; step < 2000; step++) {
		nsec by;

		random = random * 1103515245 + 12345;
		by = random >> 8 & 0x3fffff;
		total += by;
		model_advance(a, by);
		for (size_t i = step % 7; i < n; i += 7)
			rd(a, ctrs[i].off);
	}
	model_advance(b, total);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rd(a, ctrs[i].off), rd(b, ctrs[i].off));
		assert_int_equal(truth(a, ctrs[i].off), truth(b, ctrs[i].off));
		assert_true(truth(a, ctrs[i].off) > 0);
	}
	model_free(a);
	model_free(b);
}

static void test_bursty_mean_rate(void **state)
{
	struct model *m = new_model("bursty", 1, 1);

	(void)state;
	prepare(m, &units[1], 0);
	model_advance(m, 40 * NSEC_PER_SEC);        /* ten whole turns */
	assert_true(fabs((double)rd(m, 0xd11) - 40 * rate(m, 0xd11)) < 2);
	model_free(m);
}

/* --- faults --- */

static void test_faults(void **state)
{
	struct model *m = new_model("stream", 2, 1);
	uint64_t v, before;

	(void)state;
	prepare(m, &units[1], 0);
	model_fault(m, 0, MODEL_EIO, msr(0xd11), true);
	assert_int_equal(model_read(m, 0, msr(0xd11), &v), -EIO);
	assert_int_equal(model_write(m, 0, msr(0xd11), 0), -EIO);
	assert_int_equal(model_read(m, 0, msr(0xd13), &v), 0);
	assert_int_equal(model_read(m, 1, msr(0xd11), &v), 0);
	model_fault(m, 0, MODEL_EIO, msr(0xd11), false);
	assert_int_equal(model_read(m, 0, msr(0xd11), &v), 0);

	model_fault(m, 0, MODEL_STOP_CLOCK, msr(0), true);
	before = rd(m, 0xd11);
	model_advance(m, NSEC_PER_SEC);
	assert_int_equal(rd(m, 0xd11), before);
	assert_false(model_counting(m, 0, msr(0xd11)));
	model_fault(m, 0, MODEL_STOP_CLOCK, msr(0), false);
	model_advance(m, NSEC_PER_SEC);
	assert_true(rd(m, 0xd11) > before);
	assert_int_equal(rd(m, 0xd11), truth(m, 0xd11));

	model_fault(m, 0, MODEL_WRITE_EPERM, msr(0), true);
	assert_int_equal(model_write(m, 0, msr(0xd10), 0), -EPERM);
	assert_int_equal(model_read(m, 0, msr(0xd10), &v), 0);
	model_fault(m, 0, MODEL_WRITE_EPERM, msr(0), false);

	model_fault(m, 0, MODEL_STUCK, msr(0xd12), true);
	wr(m, 0xd12, 0x400715);
	assert_int_equal(rd(m, 0xd12), 0);
	model_fault(m, 0, MODEL_STUCK, msr(0xd12), false);
	wr(m, 0xd12, 0x400715);
	assert_int_equal(rd(m, 0xd12), 0x400715);

	model_fault(m, 0, MODEL_OFFLINE, msr(0), true);
	assert_int_equal(model_read(m, 0, msr(0xd10), &v), -ENXIO);
	assert_int_equal(model_cpu_read(m, 7, msr(0xd10), &v), -ENXIO);
	assert_int_equal(model_cpu_read(m, 8, msr(0xd10), &v), 0);
	model_fault(m, 0, MODEL_OFFLINE, msr(0), false);

	/* W erratum: low 24 bits 0 or 1 read 0x1000000 too high */
	wr(m, 0x394, 0x12000001);
	assert_int_equal(rd(m, 0x394), 0x12000001);
	model_fault(m, 0, MODEL_ERRATUM, msr(0), true);
	assert_int_equal(rd(m, 0x394), 0x13000001);
	wr(m, 0xc93, 0x5000000);
	assert_int_equal(rd(m, 0xc93), 0x6000000);
	wr(m, 0xc93, 0x5000002);
	assert_int_equal(rd(m, 0xc93), 0x5000002);
	wr(m, 0xd15, 0x5000000);                    /* other boxes do not have it */
	assert_int_equal(rd(m, 0xd15), 0x5000000);
	no_violation(m);
	model_free(m);
}

static void test_offline_cpu(void **state)
{
	struct model *m = new_model("stream", 2, 1);
	uint64_t v;

	(void)state;
	assert_int_equal(model_cpu_write(m, 8, msr(0xd10), 0x0714), 0);    /* cpu 8 is core 0 of socket 1 */
	assert_int_equal(model_peek(m, 1, msr(0xd10)), 0x0714);
	assert_int_equal(model_peek(m, 0, msr(0xd10)), 0);
	model_cpu_online(m, 8, false);
	assert_false(model_cpu_is_online(m, 8));
	assert_int_equal(model_cpu_read(m, 8, msr(0xd10), &v), -ENXIO);
	assert_int_equal(model_cpu_write(m, 8, msr(0xd10), 0), -ENXIO);
	assert_int_equal(model_cpu_read(m, 9, msr(0xd10), &v), 0);
	assert_int_equal(v, 0x0714);
	assert_int_equal(model_read(m, 1, msr(0xd10), &v), 0);
	for (unsigned cpu = 9; cpu < 16; cpu++)
		model_cpu_online(m, cpu, false);
	assert_int_equal(model_read(m, 1, msr(0xd10), &v), -ENXIO);        /* nobody left to ask */
	assert_int_equal(model_cpu_read(m, 16, msr(0xd10), &v), -ENXIO);
	model_cpu_online(m, 8, true);
	assert_int_equal(model_cpu_read(m, 8, msr(0xd10), &v), 0);
	model_free(m);
}

static void test_poke_and_truth(void **state)
{
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	prepare(m, &units[1], 0);
	model_advance(m, NSEC_PER_MSEC);
	model_poke(m, 0, msr(0xd11), TOP - 3);      /* software and preloads do not change the truth */
	assert_int_equal(rd(m, 0xd11), TOP - 3);
	assert_true(truth(m, 0xd11) > 0 && truth(m, 0xd11) < 1000000);
	model_poke(m, 0, msr(0xe01), 5);            /* read-only for software */
	assert_int_equal(rd(m, 0xe01), 5);
	assert_int_equal(model_peek(m, 0, msr(0xd10)), 0x400714);
	assert_int_equal(truth(m, 0xd10), 0);       /* no counter */
	no_violation(m);
	model_free(m);
}

static void test_options(void **state)
{
	static const struct { int line; struct model_options o; const char *text; } rows[] = {
		{ __LINE__, { .processor = "pentium", .n_sockets = 1, .cores = 1 }, "pentium" },
		{ __LINE__, { .processor = "nehalem-ex", .workload = "nap", .n_sockets = 1, .cores = 1 }, "nap" },
		{ __LINE__, { .processor = "nehalem-ex", .n_sockets = 0, .cores = 1 }, "sockets" },
		{ __LINE__, { .processor = "nehalem-ex", .n_sockets = 1, .cores = 0 }, "cores" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct model *m = NULL;
		struct err err = { "" };

		check(&rows[i], model_new(&rows[i].o, &m, &err) == -EINVAL && !m);
		check(&rows[i], strstr(err.text, rows[i].text));
	}
	model_free(NULL);
	assert_string_equal(model_processors()[0], "nehalem-ex");
}

static nsec monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void test_real_time(void **state)
{
	struct model_options o = { .processor = "nehalem-ex", .n_sockets = 1, .cores = 1, .real_time = true };
	struct model *m = NULL;
	nsec outer, inner, pause = 20 * NSEC_PER_MSEC;
	double counted;

	(void)state;
	assert_int_equal(model_new(&o, &m, NULL), 0);
	wr(m, 0x395, 1);
	wr(m, 0xc80, BIT(31));
	outer = monotonic();
	wr(m, 0xc00, EN_ALL);
	inner = monotonic();
	nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
	inner = monotonic() - inner;
	counted = (double)rd(m, 0x394);
	outer = monotonic() - outer;
	assert_true(counted >= 2.4 * (double)inner - 5 && counted <= 2.4 * (double)outer + 5);
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
		cmocka_unit_test(test_mbox_stops_without_wrap_mode),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_sbox_match_faults_while_enabled),
		cmocka_unit_test(test_rbox_redirection),
		cmocka_unit_test(test_rbox_worked_example),
		cmocka_unit_test(test_rbox_packets_and_flits),
		cmocka_unit_test(test_mbox_fvc),
		cmocka_unit_test(test_all_events_count),
		cmocka_unit_test(test_sub_events_add_up),
		cmocka_unit_test(test_threshold_invert_edge),
		cmocka_unit_test(test_numbers_are_plausible),
		cmocka_unit_test(test_sockets_and_seeds_differ),
		cmocka_unit_test(test_determinism),
		cmocka_unit_test(test_bursty_mean_rate),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_offline_cpu),
		cmocka_unit_test(test_poke_and_truth),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_real_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
