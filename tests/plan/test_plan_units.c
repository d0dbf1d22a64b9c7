/* SPDX-License-Identifier: MIT
 * Which instances and dies of the kernel's PMUs are which units, and what
 * counts together.
 * Expected numbers are put together by hand from the masks of the trees.
 */
#include "pmus_fixture.h"

/* Instances with different numbers of dies: no two units share a number. */
static void test_dies(void **state)
{
	struct made m;
	unsigned seen = 0;

	(void)state;
	tree_make(&tree, "skx.txt");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/cpumask", "0,2,4,6");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_1/cpumask", "2,4");
	m = make_good(__LINE__, "perf/uncore_imc/clockticks/");
	assert_int_equal(m.p->sockets[0].rounds[0].n_slots, 7);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(seen & BIT(m.p->sockets[0].rounds[0].slots[i].unit), 0);
		seen |= (unsigned)BIT(m.p->sockets[0].rounds[0].slots[i].unit);
	}
	assert_int_equal(seen, 0x557);          /* 0 and 1, then every even number: number x 2 */
	assert_string_equal(m.p->sockets[0].perf->masks[0].path + strlen(tree.root),
			    "/bus/event_source/devices/uncore_imc_0/cpumask");
	assert_int_equal(m.p->sockets[0].perf->n_masks, 6);
	made_done(&m);
	tree_drop(&tree);
}

/* Which CPUs may stand in for a CPU of the mask: those of its die, or of its last-level cache, or
 * of the whole socket. */
static void test_stand_ins(void **state)
{
	static const struct {
		int line;
		const char *mask, *die[4], *llc[4];     /* of CPUs 0-3, NULL: no file */
		unsigned serving_cpu[4];
	} rows[] = {
		{ __LINE__, "1,4", { NULL }, { NULL }, { 1, 1, 1, 1 } },
		{ __LINE__, "0,2,4", { "0", "0", "1", "1" }, { NULL }, { 0, 0, 2, 2 } },
		{ __LINE__, "0,3,4", { "0", "1", "0", "1" }, { NULL }, { 0, 3, 0, 3 } },
		{ __LINE__, "1,2,4", { "0", "0", "0", "0" }, { "0-1", "0-1", "2-3", "2-3" }, { 1, 1, 2, 2 } },
		{ __LINE__, "1,2", { NULL }, { NULL }, { ~0U, 1, 2, ~0U } },    /* the kernel does not tell: no guess */
		{ __LINE__, "1,2,3", { "0", "0", "1", "1" }, { NULL }, { ~0U, 1, 2, 3 } },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_perf_program *p;
		struct made m;

		tree_make(&tree, "skx.txt");
		tree_put(&tree, "bus/event_source/devices/uncore_pcu/cpumask", rows[i].mask);
		for (unsigned c = 0; c < 4; c++) {
			char path[128];

			snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/die_id", c);
			if (rows[i].die[c])
				tree_put(&tree, path, rows[i].die[c]);
			snprintf(path, sizeof(path),
				 "devices/system/cpu/cpu%u/cache/index3/shared_cpu_list", c);
			if (rows[i].llc[c])
				tree_put(&tree, path, rows[i].llc[c]);
		}
		m = make_good(rows[i].line, "perf/uncore_pcu/event=1,name=x/");
		p = m.p->sockets[0].perf;
		assert_int_equal(p->n_masks, 1);
		assert_int_equal(p->n_cpus, 4);
		for (unsigned c = 0; c < 4; c++)
			if (p->masks[0].serving_cpu[c] != rows[i].serving_cpu[p->cpus[c]])
				fail_msg("line %d: CPU %u goes with %d", rows[i].line, p->cpus[c],
					 (int)p->masks[0].serving_cpu[c]);
		made_done(&m);
		tree_drop(&tree);
	}
}

static unsigned perf_group(const struct made *m, const char *identity)
{
	const struct plan_slot *s = slot_of(m->p, 0, identity);

	return m->p->sockets[0].perf->rounds[0].events[s->engine_slot].perf_group;
}

/* One kernel group for each instance and group; groups that share an event on an instance are one
 * there. */
static void test_together(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "skx.txt");
	m = make_on(&tree, "groups = ( { name = \"a\"; events = [ "
		    "\"perf/uncore_imc/cas_count_read/\", "
		    "\"perf/uncore_imc/cas_count_write/\" ]; },"
		    "{ name = \"b\"; events = [ \"perf/uncore_imc/clockticks/\", "
		    "\"perf/uncore_imc_1/cas_count_read/\" ]; },"
		    "{ name = \"c\"; events = [ \"perf/msr/tsc/\", \"perf/msr/aperf/\", "
		    "\"perf/power/energy-pkg/\" ]; } );");
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	assert_int_equal(perf_group(&m, "imc0/cas_count_read,config=0x304"),
			 perf_group(&m, "imc0/cas_count_write,config=0xc04"));
	assert_int_not_equal(perf_group(&m, "imc0/cas_count_read,config=0x304"),
			     perf_group(&m, "imc1/cas_count_read,config=0x304"));
	assert_int_not_equal(perf_group(&m, "imc0/cas_count_read,config=0x304"),
			     perf_group(&m, "imc0/clockticks,config=0x0"));
	assert_int_equal(perf_group(&m, "imc1/cas_count_read,config=0x304"),
			 perf_group(&m, "imc1/clockticks,config=0x0"));
	assert_int_equal(perf_group(&m, "imc1/cas_count_write,config=0xc04"),
			 perf_group(&m, "imc1/clockticks,config=0x0"));
	assert_int_equal(perf_group(&m, "msr0/tsc,config=0x0"),
			 perf_group(&m, "msr0/aperf,config=0x1"));
	assert_int_not_equal(perf_group(&m, "msr0/tsc,config=0x0"),
			     perf_group(&m, "power0/energy-pkg,config=0x2"));
	made_done(&m);
	tree_drop(&tree);
}

/* .scale and .unit in base units; what the kernel rounded in decimal is a whole number again. */
static void test_units(void **state)
{
	static const struct { int line; const char *spec, *family; double scale; } rows[] = {
		{ __LINE__, "perf/uncore_imc_0/cas_count_read/", "uncore_imc_cas_count_read_bytes_total", 64 },
		{ __LINE__, "perf/uncore_iio_free_running_0/bw_in_port0/", "uncore_iio_free_running_bw_in_port0_bytes_total", 4 },
		{ __LINE__, "perf/power/energy-pkg/", "uncore_power_energy_pkg_joules_total", 0x1p-32 },
		{ __LINE__, "perf/power/energy-ram/", "uncore_power_energy_ram_joules_total", 0x1p-32 },
		{ __LINE__, "perf/uncore_imc_0/made/", "uncore_imc_made_seconds_total", 1e-9 },
		/* Linux i915_pmu.c has units of 1, "ns", and no scales */
		{ __LINE__, "perf/uncore_imc_0/unscaled/", "uncore_imc_unscaled_seconds_total", 1e-9 },
	};

	(void)state;
	tree_make(&tree, "skx.txt");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/events/made", "event=1");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/events/made.scale", "1");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/events/made.unit", "ns");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/events/unscaled", "event=2");
	tree_put(&tree, "bus/event_source/devices/uncore_imc_0/events/unscaled.unit", "ns");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m = make_good(rows[i].line, rows[i].spec);
		const struct plan_slot *s = &m.p->sockets[0].rounds[0].slots[0];

		if (!s->scaled_family || strcmp(s->scaled_family, rows[i].family) != 0 ||
		    s->scale < rows[i].scale || s->scale > rows[i].scale)
			fail_msg("line %d: %s %.17g", rows[i].line,
				 s->scaled_family ? s->scaled_family : "none", s->scale);
		made_done(&m);
	}
	tree_drop(&tree);
}

/* Bytes of one channel are no bytes of another: a family has one scale. */
static void test_other_units(void **state)
{
	static const char *const files[][2] = {
		{ "cas_count_read", "event=0x04,umask=0x03" },
		{ "cas_count_read.scale", "6.103515625e-5" }, { "cas_count_read.unit", "MiB" },
	};
	static const struct { int line; unsigned file; const char *text; } rows[] = {
		{ __LINE__, 1, "6.2e-5" }, { __LINE__, 2, "Joules" }, { __LINE__, 2, NULL },
		{ __LINE__, COUNT(files), "as it is" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char events[256], path[128];
		struct made m;

		tree_make(&tree, "skx.txt");
		snprintf(events, sizeof(events),
			 "%s/bus/event_source/devices/uncore_imc_3/events", tree.root);
		assert_int_equal(unlink(events), 0);            /* a link to those of the first */
		for (unsigned k = 0; k < COUNT(files); k++) {
			snprintf(path, sizeof(path),
				 "bus/event_source/devices/uncore_imc_3/events/%s", files[k][0]);
			tree_put(&tree, path, k == rows[i].file ? rows[i].text : files[k][1]);
		}
		if (!rows[i].text)
			tree_take_away(path);
		m = make_good(rows[i].line, "perf/uncore_imc_3/cas_count_read/");
		made_done(&m);
		if (rows[i].file == COUNT(files)) {
			m = make_good(rows[i].line, "perf/uncore_imc/cas_count_read/");
			made_done(&m);
		} else {
			refused(rows[i].line, "perf/uncore_imc/cas_count_read/",
				"one count of cas_count_read is not the same on PMU "
				"'uncore_imc_3' as on 'uncore_imc_0' (events/cas_count_read.scale "
				"and .unit): write a specification for each");
		}
		tree_drop(&tree);
	}
}

/* Metrics on one instance of a PMU with dies: by unit, of that instance alone. */
static void test_metric_of_an_instance(void **state)
{
	const struct plan_metric *x = NULL;
	unsigned rows = 0;
	struct made m;

	(void)state;
	tree_make(&tree, "skx.txt");
	for (unsigned i = 0; i < 6; i++) {
		char path[128];

		snprintf(path, sizeof(path), "bus/event_source/devices/uncore_imc_%u/cpumask", i);
		tree_put(&tree, path, "0,2,4,6");
	}
	m = make_on(&tree, ONE("\"perf/uncore_imc/cas_count_read/\", "
		    "\"perf/uncore_imc/clockticks/\"")
		    "metrics = ( { name = \"reads_of_one_ratio\"; numerator = ( "
		    "\"perf/uncore_imc_3/cas_count_read/\" );"
		    "denominator = ( \"perf/uncore_imc_3/clockticks/\" ); } );");
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	for (unsigned i = 0; i < m.p->sockets[0].n_metrics; i++)
		rows += strcmp(m.p->sockets[0].metrics[i].name, "reads_of_one_ratio") == 0;
	assert_int_equal(rows, 2);
	assert_int_equal(metrics_of(m.p, "reads_of_one_ratio", ",unit=\"7\"", &x), 1);
	assert_string_equal(m.p->sockets[0].rounds[0].slots[x->num.v[0].slot].identity,
			    "imc7/cas_count_read,config=0x304");
	made_done(&m);
	tree_drop(&tree);
}

/* Units by all numbers of a name, with its PMU; the first number where a socket has several. */
static void test_parts(void **state)
{
	static const struct {
		int line;
		const char *tree, *spec;
		unsigned socket;
		const char *units;
	} rows[] = {
		{ __LINE__, "kunpeng920.txt", "perf/hisi_sccl_hha/rx_outer/", 0,
		  "0 hisi_sccl1_hha2 die=1, 1 hisi_sccl1_hha3 die=1, 2 hisi_sccl3_hha0 die=3, "
		  "3 hisi_sccl3_hha1 die=3, " },
		{ __LINE__, "kunpeng920.txt", "perf/hisi_sccl_hha/rx_outer/", 1,
		  "4 hisi_sccl5_hha6 die=5, 5 hisi_sccl5_hha7 die=5, 6 hisi_sccl7_hha4 die=7, "
		  "7 hisi_sccl7_hha5 die=7, " },
		{ __LINE__, "kunpeng920.txt", "perf/hisi_sccl7_hha5/rx_outer/", 1,
		  "7 hisi_sccl7_hha5 die=7, " },
		{ __LINE__, "kunpeng920.txt", "hisi_sccl_hha7/rx_outer,config=1,die=7", 1,
		  "7 hisi_sccl7_hha5 die=7, " },
		{ __LINE__, "kunpeng930.txt", "perf/hisi_sccl_ddrc/flux_rd/", 0,
		  "0 hisi_sccl1_ddrc0_0 die=1, 1 hisi_sccl1_ddrc0_1 die=1, "
		  "2 hisi_sccl1_ddrc1_0 die=1, 3 hisi_sccl1_ddrc1_1 die=1, "
		  "4 hisi_sccl3_ddrc0_0 die=3, 5 hisi_sccl3_ddrc0_1 die=3, "
		  "6 hisi_sccl3_ddrc1_0 die=3, 7 hisi_sccl3_ddrc1_1 die=3, " },
		/* of each device the PMU that names the event */
		{ __LINE__, "cmns3.txt", "perf/cxl_pmu_mem/m2s_rwd_memwr/", 0,
		  "0 cxl_pmu_mem0.0 device=0, 2 cxl_pmu_mem1.0 device=1, " },
		{ __LINE__, "cmns3.txt", "perf/cxl_pmu_mem/ddr_casrd/", 0,
		  "1 cxl_pmu_mem0.1 device=0, 3 cxl_pmu_mem1.1 device=1, " },
		{ __LINE__, "cmns3.txt", "perf/cxl_pmu_mem/clock_ticks/", 0,
		  "0 cxl_pmu_mem0.0 device=0, 1 cxl_pmu_mem0.1 device=0, "
		  "2 cxl_pmu_mem1.0 device=1, 3 cxl_pmu_mem1.1 device=1, " },
		/* nothing differs: no label */
		{ __LINE__, "dies.txt", "perf/hisi_sccl_ddrc/flux_rd/", 0,
		  "0 hisi_sccl1_ddrc0, 1 hisi_sccl1_ddrc2, " },
		{ __LINE__, "dies.txt", "perf/hisi_sccl_ddrc/flux_rd/", 1,
		  "2 hisi_sccl11_ddrc0, 3 hisi_sccl11_ddrc2, 4 hisi_sccl11_ddrc10, " },
		{ __LINE__, "dies.txt", "perf/cxl_pmu_mem/m2s_rwd_memwr/", 1,
		  "0 cxl_pmu_mem3.0, 1 cxl_pmu_mem3.1, " },
		{ __LINE__, "dies.txt", "perf/cxl_pmu_mem/m2s_rwd_memwr/", 0, "" },
		/* holes, and no label but where a socket has several */
		{ __LINE__, "numbers.txt", "perf/hisi_sicl_cpa/cpa_cycles/", 0,
		  "0 hisi_sicl0_cpa0, 1 hisi_sicl0_cpa2, " },
		{ __LINE__, "numbers.txt", "perf/hisi_sicl_cpa/cpa_cycles/", 1, "2 hisi_sicl16_cpa0, " },
		{ __LINE__, "numbers.txt", "perf/nvidia_pcie_pmu_rc/rd_bytes/", 0,
		  "0 nvidia_pcie_pmu_0_rc_0, 1 nvidia_pcie_pmu_0_rc_1, "
		  "2 nvidia_pcie_pmu_0_rc_4, " },
		{ __LINE__, "numbers.txt", "perf/nvidia_pcie_pmu_rc/rd_bytes/", 1,
		  "3 nvidia_pcie_pmu_1_rc_4, " },
		{ __LINE__, "numbers.txt", "perf/arm_ni_cd/cycles/", 0,
		  "0 arm_ni_0_cd_0 device=0, 1 arm_ni_0_cd_1 device=0, "
		  "2 arm_ni_1_cd_1 device=1, " },
		{ __LINE__, "numbers.txt", "perf/mac_iod_mac_ch/read-count/", 1,
		  "2 mac_iod1_mac0_ch0, 3 mac_iod1_mac0_ch1, " },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char all[1024] = "";
		struct made m;
		const struct plan_round *r;

		tree_make(&tree, rows[i].tree);
		m = make_good(rows[i].line, rows[i].spec);
		r = &m.p->sockets[rows[i].socket].rounds[0];
		for (unsigned k = 0; k < r->n_slots; k++) {
			const struct plan_slot *s = &r->slots[k];
			size_t n = strlen(all);

			snprintf(all + n, sizeof(all) - n, "%u %s%s%s%s%s, ", s->unit, s->pmu,
				 s->labels.n ? " " : "", s->labels.n ? s->labels.v[0].name : "",
				 s->labels.n ? "=" : "", s->labels.n ? s->labels.v[0].value : "");
		}
		if (strcmp(all, rows[i].units) != 0)
			fail_msg("line %d: %s", rows[i].line, all);
		made_done(&m);
		tree_drop(&tree);
	}
	tree_make(&tree, "kunpeng920.txt");
	refused(__LINE__, "hisi_sccl_hha7/rx_outer,config=1,die=5",
		"no such unit of hisi_sccl_hha");
	refused(__LINE__, "hisi_sccl_hha7/rx_outer,config=1,device=7", "no such unit");
	tree_drop(&tree);
}

/* Part of a metric's series, too: of each CXL device the bytes, and no sum. */
static void test_metrics_of_parts(void **state)
{
	struct made m;
	unsigned n = 0;

	(void)state;
	tree_make(&tree, "cmns3.txt");
	m = make_on(&tree, NULL);
	assert_int_equal(m.r, 0);
	for (unsigned i = 0; i < m.p->sockets[0].n_metrics; i++) {
		const struct plan_metric *v = &m.p->sockets[0].metrics[i];

		if (strcmp(v->name, "cxl_read_bytes_total") != 0)
			continue;
		assert_int_equal(v->labels.n, 2);
		assert_string_equal(v->labels.v[0].value, n ? "2" : "0");
		assert_string_equal(v->labels.v[1].name, "device");
		assert_string_equal(v->labels.v[1].value, n ? "1" : "0");
		n++;
	}
	assert_int_equal(n, 2);
	made_done(&m);
	tree_drop(&tree);
}

/* Of each mesh what nodes of both kinds looked up: one of them is a part. */
static void test_home_nodes_of_both_kinds(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "meshes.txt");
	m = make_on(&tree, NULL);
	assert_int_equal(m.r, 0);
	for (unsigned s = 0; s < 2; s++) {
		const struct plan_socket *socket = &m.p->sockets[s];
		unsigned n = 0;

		for (unsigned i = 0; i < socket->n_metrics; i++) {
			const struct plan_metric *v = &socket->metrics[i];
			char unit[8];

			if (strcmp(v->name, "llc_misses_total") != 0)
				continue;
			snprintf(unit, sizeof(unit), "%u", s + 2 * n++);
			assert_string_equal(v->labels.v[0].value, unit);
			assert_int_equal(v->num.n, 2);
			for (unsigned k = 0; k < 2; k++) {
				const struct plan_slot *slot =
					&socket->rounds[0].slots[v->num.v[k].slot];

				assert_int_equal(slot->config[0], k ? 0x10200 : 0x10005);
				assert_int_equal(slot->unit, s + 2 * (n - 1));
			}
		}
		assert_int_equal(n, 2);
	}
	made_done(&m);
	tree_drop(&tree);
}

/* Without a configuration: one group for each kind of PMU that has a cpumask and events. */
static void test_defaults(void **state)
{
	static const struct { int line; const char *tree; const char *groups[8]; } rows[] = {
		{ __LINE__, "skx.txt", { "power", "cstates", "iio_free_running", "imc" } },
		{ __LINE__, "zen4.txt", { "power", "amd_iommu" } },
		{ __LINE__, "cmn600.txt", { "mesh", "memory", "arm_dsu" } },
		{ __LINE__, "nehalem_ex.txt", { "mbox", "rbox", "wbox" } },
		{ __LINE__, "numbers.txt", { "arm_ni_cd", "hisi_sicl_cpa", "mac_iod_mac_ch",
					     "nvidia_pcie_pmu_rc" } },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;
		unsigned n = 0;

		tree_make(&tree, rows[i].tree);
		tree_put(&tree, "cpuinfo", "processor\t: 0");          /* no table holds for it */
		m = make_on(&tree, NULL);
		if (m.r < 0)
			fail_msg("line %d: %s", rows[i].line, m.d.v[0]);
		for (; rows[i].groups[n]; n++)
			if (n >= m.p->sockets[0].n_groups ||
			    strcmp(m.p->sockets[0].groups[n].name, rows[i].groups[n]) != 0)
				fail_msg("line %d: group %u is not %s", rows[i].line, n,
					 rows[i].groups[n]);
		assert_int_equal(m.p->sockets[0].n_groups, n);
		assert_int_equal(m.p->sockets[0].n_rounds, 1);
		assert_true(m.p->n_series <= 100 * m.p->n_sockets);
		made_done(&m);
		tree_drop(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dies), cmocka_unit_test(test_stand_ins),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_units), cmocka_unit_test(test_other_units),
		cmocka_unit_test(test_metric_of_an_instance),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_metrics_of_parts),
		cmocka_unit_test(test_home_nodes_of_both_kinds),
		cmocka_unit_test(test_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
