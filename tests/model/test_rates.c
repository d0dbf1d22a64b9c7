/* SPDX-License-Identifier: MIT
 * Which event a control selects, how often it counts, the workloads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_test.h"

#include <math.h>
#include <string.h>

/* --- which event a control selects --- */

static void test_rbox_redirection(void **state)
{
	/* ev_sel 6 p + slot -> register, ports 0-3 by counters 0-7, ports 4-7 by counters 8-15
	 * (Tables 2-39, 2-45, 2-46) */
	static const unsigned target[48] = {
		0xe04, 0xe24, 0xe0c, 0xe0c, 0xe60, 0xe70, 0xe05, 0xe25, 0xe0d, 0xe0d, 0xe64, 0xe74,
		0xe06, 0xe26, 0xe0e, 0xe0e, 0xe68, 0xe78, 0xe07, 0xe27, 0xe0f, 0xe0f, 0xe6c, 0xe7c,
		0xe08, 0xe28, 0xe2c, 0xe2c, 0xe80, 0xe90, 0xe09, 0xe29, 0xe2d, 0xe2d, 0xe84, 0xe94,
		0xe0a, 0xe2a, 0xe2e, 0xe2e, 0xe88, 0xe98, 0xe0b, 0xe2b, 0xe2f, 0xe2f, 0xe8c, 0xe9c,
	};
	/* what lets it count, and what does not, by its place in a row */
	static const uint64_t on[] = { BIT(31), BIT(31), 0xff09, 0x09ff, 0x210000, 0x210000 },
		off[] = { 0, 0, 0xffff, 0xffff, 0, 0 };
	struct model *m = new_model("stream", 1, 1);

	(void)state;
	for (unsigned p = 0; p < 8; p++)		/* type 15: reserved, counts nothing */
		wr(m, (p < 4 ? 0xe0c : 0xe2c - 4) + p, 0xffff);
	for (unsigned half = 0; half < 2; half++)
		for (unsigned sel = 0; sel < 32; sel++) {
			unsigned ctr = 0xe17 + 0x20 * half, ctl = ctr - 1, slot = sel % 6;
			unsigned reg = sel < 24 ? target[24 * half + sel] : 0;

			wr(m, ctl, sel << 1 | 1);
			assert_true(rate(m, ctr) == 0);
			if (!reg)
				continue;                            /* 0x18-0x1f are illegal */
			wr(m, reg, on[slot]);
			if (rate(m, ctr) <= 0)
				fail_msg("half %u ev_sel 0x%x does not follow 0x%x",
					 half, sel, reg);
			wr(m, reg, off[slot]);
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
	wr(m, 0xe61, 0x1c00);		/* AnyDataC goes to S-Boxes only: nothing on a QPI port */
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
	wr(m, 0xcab, 0x5000);		/* the Westmere-EX layout selects something else here */
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

static unsigned codes_that_count(struct model *m, unsigned ctl, unsigned first, unsigned last,
				 unsigned shift,
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

/* How many codes count something: the number of events in Tables 2-8, 2-15, 2-24, 2-37, 2-84 and
 * 2-102, and SNP_MERGE, which section 2.1.2 alone has. */
static void test_all_events_count(void **state)
{
	struct model *m = new_model("idle", 1, 3);

	(void)state;
	assert_int_equal(codes_that_count(m, 0xc10, 0, 255, 0, 0), 13);
	assert_int_equal(codes_that_count(m, 0xd12, 0, 255, 0, 0xff00), 34);
	assert_int_equal(codes_that_count(m, 0xc30, 0, 31, 1, 0), 14);
	assert_int_equal(codes_that_count(m, 0xc32, 0, 31, 1, 0), 20);
	assert_int_equal(codes_that_count(m, 0xc34, 0, 31, 1, 0), 5);
	assert_int_equal(codes_that_count(m, 0xc36, 0, 31, 1, 0), 11 + 1);
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
	const char *workload;

	(void)state;
	for (unsigned w = 0; (workload = model_workload(w)); w++) {
		struct model *m = new_model(workload, 1, 1);
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
		/* one second of four; day has its storms later */
		assert_int_equal(over, strcmp(workload, "bursty") == 0 ? 3 : 0);

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
static void read_often_or_once(const char *workload, unsigned scale)
{
	struct model *a = new_model(workload, 1, 42), *b = new_model(workload, 1, 42);
	struct reg ctrs[128];
	size_t n = model_counters(a, ctrs, COUNT(ctrs));
	nsec total = 0;
	unsigned random = 12345;

	assert_int_equal(n, 98);
	for (size_t k = 0; k < COUNT(units); k++)
		for (unsigned i = 0; i < units[k].n; i++) {
			prepare(a, &units[k], i);
			prepare(b, &units[k], i);
			wr(a, units[k].global,
			   units[k].global == 0xc00 ? EN_ALL | 1 : UINT64_MAX >> 32);
			wr(b, units[k].global,
			   units[k].global == 0xc00 ? EN_ALL | 1 : UINT64_MAX >> 32);
		}
	wr(a, 0xc00, EN_ALL | 1);
	wr(b, 0xc00, EN_ALL | 1);
	for (unsigned step = 0; step < 2000; step++) {
		nsec by;

		random = random * 1103515245 + 12345;
		by = (nsec)(random >> 8 & 0x3fffff) * scale;
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

static void test_determinism(void **state)
{
	(void)state;
	read_often_or_once("bursty", 1);                    /* some seconds */
	read_often_or_once("day", 1000);                    /* more than an hour */
	read_often_or_once("rotation", 13);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
