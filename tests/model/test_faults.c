/* SPDX-License-Identifier: MIT
 * Scripted faults, offline CPUs, preloads, options, real time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_test.h"

#include <errno.h>
#include <string.h>
#include <time.h>

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
	/* cpu 8 is core 0 of socket 1 */
	assert_int_equal(model_cpu_write(m, 8, msr(0xd10), 0x0714), 0);
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
	model_poke(m, 0, msr(0xd11), TOP - 3);	/* software and preloads do not change the truth */
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
}

static nsec monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void test_real_time(void **state)
{
	struct model_options o = { .processor = "nehalem-ex", .n_sockets = 1, .cores = 1,
				   .real_time = true };
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
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_offline_cpu),
		cmocka_unit_test(test_poke_and_truth),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_real_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
