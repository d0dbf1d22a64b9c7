/* SPDX-License-Identifier: MIT
 * Which engine --engine auto means, and that the sentence says why. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "machine/choose.h"

#include <string.h>

static struct topo_pmus pmus_of(struct topo_pmu *pmu)
{
	return (struct topo_pmus){ .v = pmu, .n = pmu->name != NULL };
}

static void test_rule(void **state)
{
	static const struct {
		int line;
		const char *processor;
		unsigned family, model;
		char pmu[32];
		const char *device;
		enum plan_engine engine;
		const char *words;
	} rows[] = {
		{ __LINE__, "nehalem-ex", 6, 46, "", NULL, PLAN_REGISTERS, "nehalem-ex: registers through /x/cpu/N/msr" },
		{ __LINE__, "nehalem-ex", 6, 46, "msr", NULL, PLAN_REGISTERS, "registers" },
		{ __LINE__, "nehalem-ex", 6, 46, "uncore_cbox_0", NULL, PLAN_PERF, "(uncore_cbox_0)" },
		{ __LINE__, "nehalem-ex", 6, 46, "uncore", NULL, PLAN_PERF,
		  "the kernel's driver owns the counters (uncore); counting through the kernel "
		  "(perf)" },
		{ __LINE__, "nehalem-ex", 6, 46, "", "it is locked", PLAN_PERF,
		  "cannot access the registers of nehalem-ex (it is locked); counting through "
		  "the kernel" },
		/* Intel's lists: model 0x8f is Sapphire Rapids */
		{ __LINE__, NULL, 6, 143, "uncore_imc_0", NULL, PLAN_PERF,
		  "Sapphire Rapids: counting through the kernel (perf)" },
		{ __LINE__, NULL, 6, 85, "", NULL, PLAN_PERF,
		  "Skylake-SP: counting through the kernel (perf)" },
		{ __LINE__, NULL, 6, 99, "uncore_imc_0", NULL, PLAN_PERF,
		  "GenuineIntel family 6 model 99: counting through the kernel (perf)" },
		{ __LINE__, NULL, 0, 0, "", NULL, PLAN_PERF,
		  "a processor without CPUID: counting through the kernel (perf)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char name[32];
		struct topo t = { .family = rows[i].family, .model = rows[i].model,
				  .vendor = "GenuineIntel" };
		struct topo_pmu pmu = { .name = rows[i].pmu[0] ? strcpy(name, rows[i].pmu) : NULL };
		struct topo_pmus pmus = pmus_of(&pmu);
		struct choose_input seen = { .processor = rows[i].processor
					    ? cat_processor_by_name(rows[i].processor) : NULL,
					  .topo = &t, .pmus = &pmus, .dev = "/x",
					  .device = rows[i].device };
		struct err why = { "" };

		if (choose_engine(&seen, &why) != rows[i].engine ||
		    !strstr(why.text, rows[i].words) ||
		    strstr(why.text, "does not know"))
			fail_msg("line %d: \"%s\"", rows[i].line, why.text);
	}
}

static void test_no_pmus(void **state)
{
	struct topo t = { .family = 6, .model = 46 };
	struct choose_input seen = { .processor = cat_processor_by_name("nehalem-ex"), .topo = &t,
				    .dev = "/dev" };
	struct err why = { "" };

	(void)state;
	assert_null(choose_kernel_driver(NULL));
	assert_int_equal(choose_engine(&seen, &why), PLAN_REGISTERS);
}

/* A PMU of the driver with a file that cannot be read is a driver all the same. */
static void test_odd_pmu(void **state)
{
	struct topo t = { .family = 6, .model = 46 };
	struct topo_pmu_bad bad = { (char[]){ "uncore_cbox_0" }, (char[]){ "its type is odd" } };
	struct topo_pmus pmus = { .bad = &bad, .n_bad = 1 };
	struct choose_input seen = { .processor = cat_processor_by_name("nehalem-ex"), .topo = &t,
				    .pmus = &pmus, .dev = "/dev" };
	struct err why = { "" };

	(void)state;
	assert_int_equal(choose_engine(&seen, &why), PLAN_PERF);
	assert_non_null(strstr(why.text, "(uncore_cbox_0)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rule),
					    cmocka_unit_test(test_no_pmus),
		cmocka_unit_test(test_odd_pmu) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
