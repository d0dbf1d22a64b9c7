/* SPDX-License-Identifier: MIT
 * From a sysfs tree to perf_event_attr: the PMUs of real servers.
 * Expected numbers are put together by hand from the format texts of the trees.
 */
#include "pmus_fixture.h"

/* ------------------------------------------------------------------ numbers */

struct row {
	int line;
	const char *spec;
	unsigned socket, n, slot;       /* slots of the socket; the one to look at */
	const char *box;
	unsigned unit;
	uint32_t type;
	int cpu;
	uint64_t config, config1, config2;
};

/* On the tree that is there. */
static void check_rows_here(const struct row *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct made m = make_good(v[i].line, v[i].spec);
		const struct plan_socket *s = &m.p->sockets[v[i].socket];
		const struct plan_slot *slot;
		const struct plan_perf *e;

		if (s->rounds[0].n_slots != v[i].n)
			fail_msg("line %d: %u slots", v[i].line, s->rounds[0].n_slots);
		slot = &s->rounds[0].slots[v[i].slot];
		e = &s->perf->rounds[0].events[slot->engine_slot];
		if (strcmp(slot->box_name, v[i].box) != 0 || slot->unit != v[i].unit ||
		    e->type != v[i].type || e->cpu != v[i].cpu)
			fail_msg("line %d: %s%u, type %u, CPU %d", v[i].line, slot->box_name,
				 slot->unit, e->type, e->cpu);
		if (e->config != v[i].config || e->config1 != v[i].config1 ||
		    e->config2 != v[i].config2)
			fail_msg("line %d: config 0x%llx 0x%llx 0x%llx", v[i].line,
				 (unsigned long long)e->config,
				 (unsigned long long)e->config1, (unsigned long long)e->config2);
		made_done(&m);
	}
}

static void check_rows(const char *text, const struct row *v, unsigned n)
{
	tree_make(&tree, text);
	check_rows_here(v, n);
	tree_drop(&tree);
}

static void test_skx(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/uncore_imc/cas_count_read/", 0, 6, 5, "imc", 5, 65, 0, 0x304, 0, 0 },
		{ __LINE__, "perf/uncore_imc/CAS_Count_Write/", 1, 6, 0, "imc", 0, 60, 4, 0xc04, 0, 0 },
		{ __LINE__, "perf/imc_2/clockticks/", 1, 1, 0, "imc", 2, 62, 4, 0, 0, 0 },
		{ __LINE__, "perf/uncore_cha/event=0x34,umask=0x11,filter_state=0x3ff,name=llc/", 1,
		  28, 27, "cha", 27, 40, 4, 0x1134,
		  0x7fe0000, 0 },
		{ __LINE__, "perf/uncore_cha_12/event=0x35,umask=0x21,filter_opc0=0x3ff,"
			    "filter_isoc,name=tor/", 0, 1, 0, "cha", 12, 25, 0,
		  0x2135, UINT64_C(0x8007fe0000000000), 0 },
		/* a hole in the middle of a field: 8 + 12 + 11 bits */
		{ __LINE__, "perf/uncore_upi_2/event=3,umask=0x7fffffff,name=f/", 0, 1, 0, "upi", 2, 70, 0, UINT64_C(0x00ffefff0000ff03), 0, 0 },
		{ __LINE__, "perf/uncore_upi_0/event=3,umask=0x100,name=f/", 0, 1, 0, "upi", 0, 68, 0, UINT64_C(0x0000000100000003), 0, 0 },
		{ __LINE__, "perf/uncore_iio_free_running_3/bw_in_port0/", 0, 1, 0, "iio_free_running", 3, 50, 0, 0x20ff, 0, 0 },
		{ __LINE__, "perf/uncore_iio/event=0x83,ch_mask=0xff,fc_mask=7,thresh=0xfff,"
			    "name=d/", 0, 6, 1, "iio", 1, 42, 0,
		  UINT64_C(0x00007fffff000083), 0, 0 },
		{ __LINE__, "perf/uncore_imc_0/event=4,umask=0xc,edge,inv=1,thresh=255,name=x/", 0, 1, 0, "imc", 0, 60, 0, 0xff840c04, 0, 0 },
		{ __LINE__, "perf/uncore_imc_0/config=0x1304,config1=0x10,"
			    "config2=18446744073709551615,name=x/", 0, 1, 0, "imc", 0, 60, 0,
		  0x1304, 0x10, UINT64_MAX },
		{ __LINE__, "perf/uncore_imc_0/cas_count_read,umask=0x7/", 0, 1, 0, "imc", 0, 60, 0, 0x704, 0, 0 },
		{ __LINE__, "perf/uncore_pcu/event=0xb/,name=a", 1, 1, 0, "pcu", 0, 59, 4, 0xb, 0, 0 },
		{ __LINE__, "perf/power/energy-ram/", 1, 1, 0, "power", 0, 9, 4, 3, 0, 0 },
		{ __LINE__, "perf/msr/smi/", 1, 1, 0, "msr", 0, 8, 4, 4, 0, 0 },
	};

	(void)state;
	check_rows("skx.txt", rows, COUNT(rows));
}

static void test_zen4(void **state)
{
	static const struct row rows[] = {
		/* six L3s a socket are units 0 to 5; the UMCs of socket 1 keep their numbers */
		{ __LINE__, "perf/amd_l3/event=4,umask=0xff,enallslices,enallcores,threadmask=3,"
			    "sliceid=3,name=l/", 1, 6, 5, "amd_l3", 5, 11, 22,
		  UINT64_C(0x0303c0000000ff04), 0, 0 },
		{ __LINE__, "perf/amd_umc/event=0xa,rdwrmask=1,name=cas/", 0, 12, 11, "amd_umc", 11, 23, 0, 0x10a, 0, 0 },
		{ __LINE__, "perf/amd_umc/event=0xa,rdwrmask=1,name=cas/", 1, 12, 0, "amd_umc", 12, 24, 12, 0x10a, 0, 0 },
		{ __LINE__, "perf/amd_df/event=0x1f07,umask=0xffe,name=d/", 1, 1, 0, "amd_df", 0, 10, 12, UINT64_C(0x1f0f00fe07), 0, 0 },
		{ __LINE__, "perf/amd_iommu_1/mem_pass_untrans,devid=0x10,devid_mask=0xffff/", 0, 1, 0, "amd_iommu", 1, 37, 0, 0x1001, 0xffff, 0 },
	};

	(void)state;
	check_rows("zen4.txt", rows, COUNT(rows));
}

static void test_arm(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/arm_cmn_0/hnf_cache_miss/", 0, 1, 0, "arm_cmn", 0, 9, 0, 0x10005, 0, 0 },
		{ __LINE__, "perf/arm_cmn/hnf_cache_miss,bynodeid,nodeid=0x24/", 0, 1, 0, "arm_cmn", 0, 9, 0, UINT64_C(0x2480010005), 0, 0 },
		{ __LINE__, "perf/arm_cmn_0/watchpoint_up,wp_dev_sel=1,wp_chn_sel=0,wp_grp=0,"
			    "wp_val=0xffffffffffffffff,wp_mask=1/", 0, 1, 0, "arm_cmn", 0, 9, 0,
		  UINT64_C(0x1000000007770), UINT64_MAX, 1 },
		{ __LINE__, "perf/arm_dsu/cycles/", 0, 4, 3, "arm_dsu", 3, 17, 4, 0x11, 0, 0 },
		/* in the order of their addresses: 8c000, 90000, 10008c000, 100090000 */
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 0, 4, 0, "arm_dmc620", 0, 12, 3, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 0, 4, 2, "arm_dmc620", 2, 10, 3, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_dmc620_100090000/clkdiv2_rdwr/", 0, 1, 0, "arm_dmc620", 3, 11, 3, 0, 0, 0x290 },
		{ __LINE__, "perf/armv8_pmuv3_0/cpu_cycles/", 0, 1, 0, "armv8_pmuv3", 0, 8, 0, 0x11, 0, 0 },
	};

	(void)state;
	check_rows("cmn600.txt", rows, COUNT(rows));
}

/* Older kernels give the mesh's events eight bits, and what they select the four behind them. */
static void test_older_layout(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/arm_cmn_0/hnf_cache_miss/", 0, 1, 0, "arm_cmn", 0, 9, 0, 0x10005, 0, 0 },
		{ __LINE__, "perf/arm_cmn_0/type=5,eventid=0xf,occupid=3,name=t/", 0, 1, 0, "arm_cmn", 0, 9, 0, 0x30f0005, 0, 0 },
	};

	(void)state;
	tree_make(&tree, "cmn600.txt");
	tree_put(&tree, "bus/event_source/devices/arm_cmn_0/format/eventid", "config:16-23");
	tree_put(&tree, "bus/event_source/devices/arm_cmn_0/format/occupid", "config:24-27");
	check_rows_here(rows, COUNT(rows));
	tree_drop(&tree);
}

/* Memory controllers belong to the socket of their NUMA node, whichever CPU serves them, and each
 * counts once. Cores' PMUs and software count on every socket. */
static void test_devices(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 0, 2, 0, "arm_dmc620", 0, 20, 2, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 0, 2, 1, "arm_dmc620", 1, 21, 2, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 1, 2, 0, "arm_dmc620", 2, 30, 2, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", 1, 2, 1, "arm_dmc620", 3, 31, 2, 0, 0, 0x290 },
		{ __LINE__, "perf/arm_cmn/dtc_cycles/", 0, 1, 0, "arm_cmn", 0, 9, 0, 3, 0, 0 },
		{ __LINE__, "perf/arm_cmn/dtc_cycles/", 1, 1, 0, "arm_cmn", 1, 10, 4, 3, 0, 0 },
		{ __LINE__, "perf/armv8_pmuv3_0/cpu_cycles/", 0, 1, 0, "armv8_pmuv3", 0, 8, 0, 0x11, 0, 0 },
		{ __LINE__, "perf/armv8_pmuv3_0/cpu_cycles/", 1, 1, 0, "armv8_pmuv3", 0, 8, 4, 0x11, 0, 0 },
	};

	struct made m;

	(void)state;
	check_rows("altra2.txt", rows, COUNT(rows));
	/* so is any device whose one CPU is of another socket than its node */
	tree_make(&tree, "altra2.txt");
	tree_put(&tree, "bus/event_source/devices/arm_cmn_0/cpumask", "5");
	m = make_good(__LINE__, "perf/arm_cmn_0/dtc_cycles/");
	assert_int_equal(m.p->n_sockets, 2);
	assert_int_equal(m.p->sockets[0].n_series, 1);
	assert_int_equal(m.p->sockets[0].perf->rounds[0].events[0].cpu, 5);
	assert_int_equal(m.p->sockets[1].n_series, 0);
	made_done(&m);
	tree_drop(&tree);
}

/* The same machine with a kernel that says nothing of their place: refused by name, and noted once
 * where ready-made groups would count them. On one socket there is nothing to say. */
static void test_devices_without_a_place(void **state)
{
	static const char cannot[] = "nothing says on which of the 2 sockets the device of the "
				     "kernel's PMU arm_dmc620_";
	struct made m;

	(void)state;
	tree_make(&tree, "altra2_lts.txt");
	refused(__LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", cannot);
	refused(__LINE__, "perf/arm_dmc620_10008c000/clk_cycle_count/", cannot);
	/* a mask of the CPU that serves it says no more */
	tree_put(&tree, "bus/event_source/devices/arm_dmc620_10008c000/cpumask", "5");
	refused(__LINE__, "perf/arm_dmc620_10008c000/clk_cycle_count/", cannot);
	m = make_on(&tree, "groups = (\"memory\");");
	assert_int_not_equal(m.r, 0);
	assert_non_null(strstr(m.d.v[0], cannot));
	made_done(&m);
	m = make_on(&tree, NULL);
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_notes, 1);
	assert_non_null(strstr(m.p->notes[0], cannot));
	made_done(&m);
	/* the other socket is there, and offline: its controllers still count */
	tree_put(&tree, "devices/system/cpu/online", "0-3");
	tree_put(&tree, "devices/system/cpu/present", "0-7");
	refused(__LINE__, "perf/arm_dmc620/clkdiv2_rdwr/", "nothing says on which socket, as 4 "
		"CPUs are offline and may be of another one, the device of the kernel's PMU "
		"arm_dmc620_");
	tree_put(&tree, "devices/system/cpu/present", "0-3");
	m = make_on(&tree, "groups = (\"memory\");");
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->n_sockets, 1);
	assert_int_equal(m.p->sockets[0].n_series, 8);  /* two events of four controllers */
	made_done(&m);
	tree_drop(&tree);
}

/* The driver of the DMC-620 takes one event of a perf group. */
static void test_each_alone(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "altra2.txt");
	m = make_on(&tree, "groups = (\"memory\", \"mesh\");");
	assert_int_equal(m.r, 0);
	for (unsigned s = 0; s < 2; s++) {
		const struct plan_perf_round *r = &m.p->sockets[s].perf->rounds[0];

		assert_int_equal(r->n_events, 4 + 3);
		for (unsigned i = 0; i < r->n_events; i++)
			for (unsigned k = 0; k < i; k++)
				assert_int_equal(r->events[i].perf_group == r->events[k].perf_group,
						 strncmp(r->events[i].pmu, "arm_cmn", 7) == 0 &&
						 strncmp(r->events[k].pmu, "arm_cmn", 7) == 0);
	}
	made_done(&m);
	tree_drop(&tree);
}

/* Whether events of home nodes and of I/O nodes fit together the driver alone knows: those of the
 * group io take turns. What a ready-made group names may be left out, what a configuration names
 * may not, also where both name it. */
static void test_apart(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "cmn600.txt");
	m = make_on(&tree, "groups = (\"mesh\", \"io\", {name = \"own\"; "
			   "events = [\"perf/arm_cmn/hnf_cache_miss/\"];});");
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->sockets[0].n_rounds, 2);
	for (unsigned r = 0; r < 2; r++) {
		const struct plan_perf_round *round = &m.p->sockets[0].perf->rounds[r];
		bool io = strstr(round->events[0].text, "rnid_") != NULL;

		assert_int_equal(round->n_events, io ? 2 : 3);
		for (unsigned i = 0; i < round->n_events; i++)
			assert_int_equal(round->events[i].may_lack,
					 !strstr(round->events[i].text, "hnf_cache_miss"));
	}
	made_done(&m);
	m = make_on(&tree, "groups = (\"io\", \"memory\");");
	assert_int_equal(m.r, 0);
	assert_int_equal(m.p->sockets[0].n_rounds, 1);
	made_done(&m);
	tree_drop(&tree);
}

static void test_nehalem_ex(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/uncore_rbox_1/xbr_mm_cfg=0xdeadbeef,xbr_match=1,"
		  "xbr_mask=0xffffffffffffffff,event=0x1f,name=x/", 0, 1, 0,
		  "rbox", 1, 19, 0, UINT64_C(0xdeadbeef0000003e), 1, UINT64_MAX },
		{ __LINE__, "perf/uncore_rbox/qpi0_flit_send/", 1, 2, 0, "rbox", 0, 18, 2, 0, 0x80000000, 0 },
		{ __LINE__, "perf/uncore_mbox_0/bbox_cmds_read/", 0, 1, 0, "mbox", 0, 16, 0, 0x1a00, 0x2800, 0 },
		{ __LINE__, "perf/uncore_mbox_0/bbox_cmds_read,pld=1,filter_cfg_en,"
			    "filter_mask=0xfffffff/", 0, 1, 0, "mbox", 0, 16, 0, 0x1a00,
		  UINT64_C(0x100002800), UINT64_C(0xbffffffc00000000) },
		{ __LINE__, "perf/uncore_bbox_1/event=0x16,counter=2,name=b/", 0, 1, 0, "bbox", 1, 13, 0, 0xac, 0, 0 },
		{ __LINE__, "perf/uncore_wbox/clockticks/", 1, 1, 0, "wbox", 0, 20, 2, 0xff, 0, 0 },
	};

	(void)state;
	check_rows("nehalem_ex.txt", rows, COUNT(rows));
	tree_make(&tree, "nehalem_ex.txt");
	refused(__LINE__, "perf/uncore_mbox_0/bbox_cmds_read,dsp=1/", "dsp=1 conflicts with bits");
	tree_drop(&tree);
}

/* Names of libpfm4; the numbers are Intel's (event and umask of the E5/SP manuals), its filters are
 * in config1. */
static void test_pfm(void **state)
{
	static const struct row rows[] = {
		{ __LINE__, "perf/skx_unc_imc0::UNC_M_CAS_COUNT:RD/", 0, 1, 0, "imc", 0, 60, 0, 0x304, 0, 0 },
		{ __LINE__, "perf/skx_unc_imc::UNC_M_CAS_COUNT:WR/", 1, 6, 3, "imc", 3, 63, 4, 0xc04, 0, 0 },
		{ __LINE__, "perf/skx_unc_cha27::UNC_C_LLC_LOOKUP:ANY/", 0, 1, 0, "cha", 27, 40, 0, 0x1134, 0xfe0000, 0 },
		{ __LINE__, "perf/skx_unc_cha1::unc_c_llc_lookup:any:t=2:e/,name=x", 0, 1, 0, "cha", 1, 14, 0, 0x2041134, 0xfe0000, 0 },
		{ __LINE__, "perf/skx_unc_pcu::UNC_P_CLOCKTICKS/", 0, 1, 0, "pcu", 0, 59, 0, 0, 0, 0 },
		/* the opcode 0xe of UNC_UPI_RxL_BASIC_HDR_MATCH.NCB_OPC in Intel's list:
		 * 0x100000e05 */
		{ __LINE__, "perf/skx_unc_upi0::UNC_UPI_RXL_BASIC_HDR_MATCH:NCB_OPC_NCWR/", 0, 1, 0, "upi", 0, 68, 0, 0x100000e05, 0, 0 },
	};
	struct made m;

	(void)state;
	tree_make(&tree, "skx.txt");
	m = make_on(&tree, ONE("\"perf/skx_unc_imc0::UNC_M_CAS_COUNT:RD/\""));
	if (m.r < 0 && strstr(m.d.v[0], "built without")) {
		made_done(&m);
		tree_drop(&tree);
		print_message("SKIP: this build is without libpfm4\n");
		skip();
	}
	assert_string_equal(m.p->sockets[0].rounds[0].slots[0].event_name, "UNC_M_CAS_COUNT:RD");
	assert_string_equal(m.p->sockets[0].rounds[0].slots[0].family,
			    "uncore_imc_unc_m_cas_count_rd_total");
	made_done(&m);
	refused(__LINE__, "perf/skx_unc_imc0::UNC_M_CAS_COUNT/", "unit mask; its unit masks: ");
	refused(__LINE__, "perf/skx_unc_imc0::UNC_M_CAS_COUNT/", " RD_REG ");
	refused(__LINE__, "perf/skx_unc_imc0::UNC_M_CAS_CUONT:RD/",
		"no event 'UNC_M_CAS_CUONT'; the nearest is 'UNC_M_CAS_COUNT'");
	refused(__LINE__, "perf/skx_unc_imx0::UNC_M_CAS_COUNT:RD/",
		"no uncore PMU 'skx_unc_imx0'; the nearest is 'skx_unc_imc0'");
	refused(__LINE__, "perf/bdx_unc_sbo0::UNC_S_CLOCKTICKS/", "no PMU 'uncore_sbox_0'");
	tree_take_away("bus/event_source/devices/uncore_pcu/format/thresh");
	refused(__LINE__,
		"perf/skx_unc_pcu::UNC_P_CLOCKTICKS:t=2/", "libpfm4 sets bits 0x2000000 of config, "
		"which the kernel's PMU 'uncore_pcu' "
		"does not have");
	/* all instances point there */
	tree_take_away("bus/event_source/devices/uncore_cha_0/format/filter_state");
	refused(__LINE__,
		"perf/skx_unc_cha1::UNC_C_LLC_LOOKUP:ANY/", "libpfm4 sets bits 0xfe0000 of "
		"config1, which the kernel's PMU "
		"'uncore_cha_1' does not have");
	refused(__LINE__, "perf/::UNC/", "is not an event of libpfm4");
	tree_drop(&tree);
	check_rows("skx.txt", rows, COUNT(rows));
}

/*
 * The kernel's spelling, if this kernel has the PMU: names and fields of uncore_nhmex.c,
 * uncore_snb.c and uncore_snbep.c (the R-Box of a Xeon 7500 is two of them, ports 0-3 and 4-7;
 * selects are 6 x (port mod 4) + 0, Table 2-46). Else never a PMU, but who has the box, what this
 * machine is, and what to do.
 */
static void test_boxes(void **state)
{
#define NO_UNIT(pmu) " counts through registers, which the perf engine does not use, and this " \
		     "machine's kernel has no PMU '" pmu "'; uncorectl doctor says"
	static const struct {
		int line;
		const char *tree, *spec, *part;
	} rows[] = {
		{ __LINE__, "nehalem_ex.txt", "cbox1/LLC_HITS:M:E,threshold=2", "does not use: write perf/uncore_cbox_1/event=0x15,umask=0x3,thresh=2,name=llc_hits/" },
		{ __LINE__, "nehalem_ex.txt", "bbox/IMT_FULL", "write perf/uncore_bbox/event=0x16,counter=3,name=imt_full/" },
		{ __LINE__, "nehalem_ex.txt", "bbox1/IMT_INSERTS_ALL", "write perf/uncore_bbox_1/event=0x7,counter=1,name=imt_inserts_all/" },
		{ __LINE__, "nehalem_ex.txt", "rbox/FLITS_SENT,port=2", "write perf/uncore_rbox_0/event=0xc," },
		{ __LINE__, "nehalem_ex.txt", "rbox/FLITS_SENT,port=5", "write perf/uncore_rbox_1/event=0x6," },
		{ __LINE__, "nehalem.txt", "uncore/LLC_MISS:ANY", "write perf/uncore/event=0x9,umask=0x3,name=llc_miss/" },
		{ __LINE__, "ivt.txt", "ha0/REQUESTS:READS", "write perf/uncore_ha_0/event=0x1,umask=0x3,name=requests/" },
		{ __LINE__, "ivt.txt", "imc/NIX", "write perf/uncore_imc/TERMS/" },
		/* the kernel has the PMU, but uncored knows no registers of the processor */
		{ __LINE__, "skx.txt", "imc/NIX", "is given by numbers: perf/uncore_imc/event=" },
		{ __LINE__, "skx.txt", "imc3/NIX", "is given by numbers: perf/uncore_imc/event=" },
		/* the processor has the box, the kernel no PMU of it */
		{ __LINE__, "nehalem_ex.txt", "cbox7/LLC_HITS:M", "cbox7/LLC_HITS:M" NO_UNIT("uncore_cbox_7") },
		{ __LINE__, "ivt.txt", "ha1/REQUESTS:READS", "ha1/REQUESTS:READS" NO_UNIT("uncore_ha_1") },
		/* a box of others */
		{ __LINE__, "ivt.txt", "wbox/CLOCKTICKS", "ivytown has no box 'wbox' (only ubox, "
		  "cbox, pcu, ha, imc, irp, qpi, r2pcie and r3qpi): it is a box of nehalem-ex and "
		  "westmere-ex; uncorectl doctor says what "
		  "counts here, and --engine model:nehalem-ex simulates it" },
		{ __LINE__, "zen4.txt",
		  "wbox/CLOCKTICKS", "this machine's processor (AuthenticAMD family 25 model 17) "
		  "has no box 'wbox': it is a box of nehalem-ex and "
		  "westmere-ex; uncorectl doctor says what counts here, and --engine "
		  "model:nehalem-ex simulates it" },
		{ __LINE__, "zen4.txt",
		  "imc3/CAS_COUNT:RD", "(AuthenticAMD family 25 model 17) has no box 'imc': it is "
		  "a box of ivytown; uncorectl doctor says what counts "
		  "here, and --engine model:ivytown simulates it" },
		/* and of nobody */
		{ __LINE__, "ivt.txt", "wibox/CLOCKTICKS", "ivytown has no box 'wibox'; " },
		{ __LINE__, "cmn700.txt",
		  "foo/BAR", "this machine's processor has no box 'foo', and no other; "
		  "the kernel's events are written perf/PMU/TERMS/: "
		  "uncorectl doctor says what counts here" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[128];
		struct topo_pmus *pmus;
		struct diags d = { 0 };
		struct conf *c = NULL;
		struct plan *p = NULL;
		struct topo *t;
		int n = snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].spec);

		tree_make(&tree, rows[i].tree);
		t = tree_topo(&tree);
		pmus = tree_pmus(&tree);
		assert_int_equal(conf_parse("t.conf", text, (size_t)n, &c, &d), 0);
		plan_build(&(struct plan_input){ .conf = c,
			.processor = cat_processor_by_id(t->vendor, t->family, t->model),
						 .topo = t, .pmus = pmus,
						 .perf_engine = true }, &p, &d);
		if (p || d.n != 1 || !strstr(d.v[0], rows[i].part))
			fail_msg("line %d: %s", rows[i].line, d.n ? d.v[0] : "accepted");
		diags_done(&d);
		conf_free(c);
		topo_pmus_free(pmus);
		topo_free(t);
		tree_drop(&tree);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skx), cmocka_unit_test(test_zen4), cmocka_unit_test(test_arm),
		cmocka_unit_test(test_nehalem_ex), cmocka_unit_test(test_pfm),
		cmocka_unit_test(test_older_layout),
		cmocka_unit_test(test_devices), cmocka_unit_test(test_devices_without_a_place),
		cmocka_unit_test(test_each_alone), cmocka_unit_test(test_apart),
		cmocka_unit_test(test_boxes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
