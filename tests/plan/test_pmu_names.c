/* SPDX-License-Identifier: MIT
 * What the names of the kernel's PMUs say: box, unit, which of them belong
 * together.
 * The names are those that drivers of Linux 6.12 give (arch/x86/events, drivers/perf, drivers/gpu,
 * drivers/cxl).
 */
#include "plan_test.h"

#include "spec/kernel.h"

static struct arena *arena;


static void test_boxes(void **state)
{
	static const struct { int line; const char *pmu, *box; int number; } rows[] = {
		{ __LINE__, "uncore_imc_0", "imc", 0 }, { __LINE__, "uncore_imc_11", "imc", 11 },
		{ __LINE__, "uncore_imc", "imc", -1 },
		{ __LINE__, "uncore_imc_free_running", "imc_free_running", -1 },
		{ __LINE__, "uncore_imc_free_running_3", "imc_free_running", 3 },
		{ __LINE__, "uncore_iio_free_running_11", "iio_free_running", 11 },
		{ __LINE__, "uncore_cha_12", "cha", 12 },
		{ __LINE__, "uncore_cha_127", "cha", 127 },
		{ __LINE__, "uncore_mdf_sbo_95", "mdf_sbo", 95 },
		{ __LINE__, "uncore_m2m_0", "m2m", 0 },
		{ __LINE__, "uncore_b2cmi_3", "b2cmi", 3 },
		{ __LINE__, "uncore_pciex16_7", "pciex16", 7 },
		{ __LINE__, "uncore_r2pcie", "r2pcie", -1 },
		{ __LINE__, "uncore", "uncore", -1 }, { __LINE__, "uncore_ubox", "ubox", -1 },
		/* no name in the kernel: the first number is the kind of box, a second one the
		 * instance */
		{ __LINE__, "uncore_type_5", "type_5", -1 },
		{ __LINE__, "uncore_type_16_2", "type_16", 2 },
		{ __LINE__, "amd_df", "amd_df", -1 }, { __LINE__, "amd_l3", "amd_l3", -1 },
		{ __LINE__, "amd_umc_23", "amd_umc", 23 },
		{ __LINE__, "amd_iommu_0", "amd_iommu", 0 }, { __LINE__, "power", "power", -1 },
		{ __LINE__, "cstate_pkg", "cstate_pkg", -1 },
		{ __LINE__, "arm_cmn_0", "arm_cmn", 0 }, { __LINE__, "arm_dsu_3", "arm_dsu", 3 },
		{ __LINE__, "nvidia_scf_pmu_1", "nvidia_scf_pmu", 1 },
		{ __LINE__, "uncore_l3c_1", "l3c", 1 },
		/* drivers that number one kind of unit in a name of two kinds of digits */
		{ __LINE__, "nvidia_nvlink_c2c0_pmu_0", "nvidia_nvlink_c2c0_pmu", 0 },
		{ __LINE__, "nvidia_nvlink_c2c1_pmu_1", "nvidia_nvlink_c2c1_pmu", 1 },
		{ __LINE__, "armv8_pmuv3_0", "armv8_pmuv3", 0 },
		{ __LINE__, "hns3_pmu_sicl_2", "hns3_pmu_sicl", 2 },
		/* addresses of hardware, or several numbers: -2, their order gives the units */
		{ __LINE__, "hisi_sccl1_ddrc0", "hisi_sccl_ddrc", -2 },
		{ __LINE__, "hisi_sccl3_l3c10", "hisi_sccl_l3c", -2 },
		{ __LINE__, "hisi_sccl1_ddrc0_1", "hisi_sccl_ddrc", -2 },
		{ __LINE__, "hisi_sicl0_pa1", "hisi_sicl_pa", -2 },
		{ __LINE__, "hisi_pcie0_core1", "hisi_pcie_core", -2 },
		{ __LINE__, "cxl_pmu_mem0.1", "cxl_pmu_mem", -2 },
		{ __LINE__, "mac_iod0_mac1_ch2", "mac_iod_mac_ch", -2 },
		{ __LINE__, "pci_iod0_pci1", "pci_iod_pci", -2 },
		{ __LINE__, "arm_ni_0_cd_1", "arm_ni_cd", -2 },
		{ __LINE__, "nvidia_pcie_pmu_0_rc_1", "nvidia_pcie_pmu_rc", -2 },
		{ __LINE__, "l3cache_0_5", "l3cache", -2 },
		{ __LINE__, "arm_dmc620_10008c000", "arm_dmc620", -2 },
		{ __LINE__, "smmuv3_pmcg_2b442", "smmuv3_pmcg", -2 },
		{ __LINE__, "ali_drw_27080", "ali_drw", -2 },
		{ __LINE__, "mrvl_ddr_pmu_87e1b0000000", "mrvl_ddr_pmu", -2 },
		{ __LINE__, "dwc_rootport_50018", "dwc_rootport", -2 },
		/* a number that is part of a word is not a unit */
		{ __LINE__, "imx8_ddr0", "imx8_ddr0", -1 },
		{ __LINE__, "imx9_ddr1", "imx9_ddr1", -1 },
		{ __LINE__, "sifive_u74_l2", "sifive_u74_l2", -1 },
		{ __LINE__, "i915", "i915", -1 },
		{ __LINE__, "i915_0000_03_00.0", "i915_0000_03_00.0", -1 },
		{ __LINE__, "intel_bts", "intel_bts", -1 },
		{ __LINE__, "cpu_atom", "cpu_atom", -1 }, { __LINE__, "msr", "msr", -1 },
		/* and what no driver gives */
		{ __LINE__, "_0", "_0", -1 }, { __LINE__, "uncore_", "", -1 },
		{ __LINE__, "x_", "x_", -1 }, { __LINE__, "uncore_0", "0", -1 },
		{ __LINE__, "x_00000000000000000", "x_00000000000000000", -1 },
		{ __LINE__, "x_1_2_3_4", "x", -2 }, { __LINE__, "x_1_2_3_4_5", "x_1_2_3_4_5", -1 },
		{ __LINE__, "x_1_y", "x_1_y", -1 }, { __LINE__, "hisi_sccl1", "hisi_sccl", 1 },
		{ __LINE__, "hisi_sccl1_ddrc", "hisi_sccl1_ddrc", -1 },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char box[PERF_NAME];
		int number;

		perf_pmu_box(rows[i].pmu, box, sizeof(box), &number);
		if (strcmp(box, rows[i].box) != 0 || number != rows[i].number)
			fail_msg("line %d: %s is '%s' %d", rows[i].line, rows[i].pmu, box, number);
	}
}

/* Which PMUs a name of a specification stands for, with their numbers, in that order. */
static void test_families(void **state)
{
	static struct topo_pmu v[] = {
		{ .name = (char *)"arm_dmc620_10008c000" },
		{ .name = (char *)"arm_dmc620_100090000" }, { .name = (char *)"arm_dmc620_8c000" },
		{ .name = (char *)"hisi_sccl11_ddrc0" }, { .name = (char *)"hisi_sccl1_ddrc0" },
		{ .name = (char *)"hisi_sccl1_ddrc10" }, { .name = (char *)"hisi_sccl1_ddrc2" },
		{ .name = (char *)"hisi_sccl1_hha0" }, { .name = (char *)"hisi_sccl3_ddrc1" },
		{ .name = (char *)"imc_7" }, { .name = (char *)"uncore_imc_0" },
		{ .name = (char *)"uncore_imc_10" }, { .name = (char *)"uncore_imc_2" },
		{ .name = (char *)"uncore_imc_free_running" },
		{ .name = (char *)"uncore_imc_free_running_0" }, { .name = (char *)"uncore_pcu" },
		{ .name = (char *)"uncore_type_3_0" }, { .name = (char *)"uncore_type_3_1" },
		{ .name = (char *)"uncore_type_5" },
		{ .name = (char *)"uncore_type_9" },
	};
	static const struct topo_pmus pmus = { .v = v, .n = COUNT(v) };
	static const struct { int line; const char *name, *want; } rows[] = {
		{ __LINE__, "uncore_imc", "uncore_imc_0=0 uncore_imc_2=2 uncore_imc_10=10 " },
		/* "uncore_" may be left out, but not where a PMU is called so */
		{ __LINE__, "imc_2", "uncore_imc_2=2 " }, { __LINE__, "imc", "imc_7=7 " },
		{ __LINE__, "pcu", "uncore_pcu=-1 " },
		/* one of exactly this name alone */
		{ __LINE__, "uncore_imc_free_running", "uncore_imc_free_running=-1 " },
		{ __LINE__, "imc_free_running_0", "uncore_imc_free_running_0=0 " },
		{ __LINE__, "arm_dmc620", "arm_dmc620_8c000=0 arm_dmc620_10008c000=1 arm_dmc620_100090000=2 " },
		{ __LINE__, "arm_dmc620_100090000", "arm_dmc620_100090000=2 " },
		/* in the order of all numbers, others between them */
		{ __LINE__, "hisi_sccl_ddrc", "hisi_sccl1_ddrc0=0 hisi_sccl1_ddrc2=1 "
		  "hisi_sccl1_ddrc10=2 hisi_sccl3_ddrc1=3 hisi_sccl11_ddrc0=4 " },
		{ __LINE__, "hisi_sccl3_ddrc1", "hisi_sccl3_ddrc1=3 " },
		{ __LINE__, "hisi_sccl_hha", "hisi_sccl1_hha0=0 " },
		{ __LINE__, "hisi_sccl1_ddrc", NULL },
		{ __LINE__, "uncore_type_3", "uncore_type_3_0=0 uncore_type_3_1=1 " },
		{ __LINE__, "type_5", "uncore_type_5=-1 " },
		{ __LINE__, "uncore_type", NULL }, { __LINE__, "type", NULL },
		{ __LINE__, "uncore", NULL }, { __LINE__, "uncore_im", NULL },
		{ __LINE__, "imc_1", NULL }, { __LINE__, "imc_0", "uncore_imc_0=0 " },
		{ __LINE__, "", NULL },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct spec_perf p = { 0 };
		char got[512] = "";
		struct err err = { "" };
		int r = perf_find_pmus(arena, &pmus, rows[i].name, &p, &err);

		for (unsigned k = 0; k < p.n; k++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s=%d ",
				 p.v[k].name, p.v[k].number);
		if (rows[i].want ? r < 0 || strcmp(got, rows[i].want) != 0 : r == 0 ||
		    !strstr(err.text, "has no PMU"))
			fail_msg("line %d: '%s' is %s%s", rows[i].line, rows[i].name,
				 got, err.text);
	}
}

/* An instance that cannot be read leaves its number free: the others keep theirs, whose series
 * carry it. */
static void test_bad_instances_keep_their_numbers(void **state)
{
	static struct topo_pmu v[] = { { .name = (char *)"arm_dmc620_10008c000" },
				       { .name = (char *)"arm_dmc620_100090000" } };
	static struct topo_pmu one = { .name = (char *)"arm_dmc620_7" };
	static struct topo_pmu_bad bad[] =
		{ { .name = (char *)"arm_dmc620_8c000", .why = (char *)"no type" } };
	static const struct topo_pmus beside = { .v = &one, .n = 1, .bad = bad,
						 .n_bad = COUNT(bad) };
	static const struct topo_pmus pmus = { .v = v, .n = COUNT(v), .bad = bad,
					       .n_bad = COUNT(bad) };
	struct spec_perf p = { 0 };

	(void)state;
	assert_int_equal(perf_find_pmus(arena, &pmus, "arm_dmc620", &p, NULL), 0);
	assert_int_equal(p.n, 2);
	for (unsigned k = 0; k < 2; k++) {
		assert_string_equal(p.v[k].name, v[k].name);
		assert_int_equal(p.v[k].number, k + 1);
	}
	/* also where it alone has an address: 7 is one, before it */
	p = (struct spec_perf){ 0 };
	assert_int_equal(perf_find_pmus(arena, &beside, "arm_dmc620", &p, NULL), 0);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.v[0].number, 0);
}

/* ------------------------------------------------------------------ names of libpfm4 */

struct listed {
	const struct topo_pmus *pmus;
	unsigned n;
};

/* What is listed can be written into a configuration. */
static void each_listed(void *p, const char *spec, const char *help)
{
	struct listed *l = p;
	struct spec_perf b = { 0 };
	struct spec s = { 0 };
	struct err err = { "" };

	if (spec_parse(arena, spec, &s, &err) < 0 ||
	    perf_resolve(arena, l->pmus, &s, &b, &err) < 0 || !*help)
		fail_msg("%s: '%s' %s", spec, help, err.text);
	l->n++;
}

/* libpfm4 tells of the processor it runs on alone, and looks into the real sysfs for its PMUs. */
static void test_libpfm4_list(void **state)
{
	struct listed l = { 0 };
	struct topo_pmus *pmus = NULL;

	(void)state;
	topo_pmus_read("/sys", &pmus, NULL);
	l.pmus = pmus;
	spec_pfm_events(pmus, each_listed, &l);
	topo_pmus_free(pmus);
	if (!l.n) {
		print_message("SKIP: libpfm4 knows no uncore PMU that this machine's kernel has\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_boxes),
					    cmocka_unit_test(test_families),
		cmocka_unit_test(test_bad_instances_keep_their_numbers),
		cmocka_unit_test(test_libpfm4_list) };
	int r;

	arena = arena_new((size_t)1 << 30, NULL);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return r;
}
