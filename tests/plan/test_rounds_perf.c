/* SPDX-License-Identifier: MIT
 * Groups of perf events that want more counters than a PMU has take turns.
 * The counters are the drivers' (num_counters and fixed_ctr in Linux 6.12,
 * arch/x86/events/intel/uncore_snbep.c).
 */
#include "plan_test.h"
#include "sysfs_tree.h"

/* "a: imc/1 imc/2; b: imc_0/3" as groups of a configuration: events of that number on that PMU. */
static void write_groups(const char *groups, char *text, size_t size)
{
	char copy[512], *group = NULL, *save = NULL;

	snprintf(copy, sizeof(copy), "%s", groups);
	snprintf(text, size, "groups = (");
	for (char *w = strtok_r(copy, " ;", &save); w; w = strtok_r(NULL, " ;", &save)) {
		size_t used = strlen(text);
		char *slash = strchr(w, '/');

		if (slash) {
			snprintf(text + used, size - used, "%s \"perf/%.*s/config=%s,name=e%s/\"",
				 text[used - 1] == '[' ? "" : ",",
				 (int)(slash - w), w, slash + 1, slash + 1);
			continue;
		}
		w[strlen(w) - 1] = '\0';
		snprintf(text + used, size - used, "%s { name = \"%s\"; events = [",
			 group ? " ]; }," : "", w);
		group = w;
	}
	strcat(text, " ]; } );");
}

static struct made make_any(const char *text, const char *groups)
{
	struct sysfs_tree tree;
	struct topo_pmus *pmus;
	struct conf *c = NULL;
	struct made m = { 0 };
	struct topo *topo;

	tree_make(&tree, text);
	topo = tree_topo(&tree);
	pmus = tree_pmus(&tree);
	m.r = conf_parse("t.conf", groups, strlen(groups), &c, &m.d);
	if (m.r == 0) {
		struct plan_input in = { .conf = c, .topo = topo, .pmus = pmus,
					 .perf_engine = true };

		m.r = plan_build(&in, &m.p, &m.d);
		conf_free(c);
	}
	topo_pmus_free(pmus);
	topo_free(topo);
	tree_drop(&tree);
	return m;
}

static struct made make_on(const char *text, const char *groups)
{
	struct made m = make_any(text, groups);

	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	return m;
}

static void test_turns(void **state)
{
	static const struct { int line; const char *tree, *groups, *rounds, *all; } rows[] = {
		/* four counters: 3 and 3 do not fit, 3 and 1 do; a group of another PMU goes along
		 * with the first */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/5 imc/6; c: pcu/1",
		  "010", "a c|b c" },
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4",
		  "00", "a b" },
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/5; c: imc/6",
		  "010", "a c|b c" },
		/* one counter is left of each round: e and f have as many of them */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/5 imc/6; "
		  "c: imc/7 imc/8 imc/9; d: imc/10 imc/11 imc/12; e: imc/13; f: imc/14",
		  "012301", "a e|b f|c e|d f" },
		/* what the PMU of a CXL device can count at once, it says itself: c and b may be
		 * too much */
		{ __LINE__, "cmns3.txt",
		  "a: arm_cmn/1 arm_cmn/2 arm_cmn/3 arm_cmn/4 arm_cmn/5 cxl_pmu_mem/6; "
		  "b: arm_cmn/11 arm_cmn/12 arm_cmn/13 arm_cmn/14 cxl_pmu_mem/16; "
		  "c: cxl_pmu_mem/7", "010", "a c|b" },
		/* what stands in both is counted once */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/2 imc/3 imc/4",
		  "00", "a b" },
		/* one of HN-S has another variant: arm-cmn.c arm_cmn_set_event_sel_hi */
		{ __LINE__, "cmns3.txt",
		  "a: arm_cmn/0x10200; b: arm_cmn/0x8010200; c: arm_cmn/0x20200", "010", "a c|b" },
		/* each instance has its own */
		{ __LINE__, "skx.txt", "a: imc_0/1 imc_0/2 imc_0/3; b: imc_1/1 imc_1/2 imc_1/3",
		  "00", "a b" },
		{ __LINE__, "skx.txt", "a: imc_0/1 imc_0/2 imc_0/3; b: imc/4 imc/5",
		  "01", "a|b" },
		/* the fixed counter is none of the four */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/3; b: imc/4 imc/0xff",
		  "00", "a b" },
		{ __LINE__, "skx.txt", "a: imc/1 imc/2 imc/0xff; b: imc/3 imc/4 imc/0xff",
		  "00", "a b" },
		/* six, and one for the clock (likwid, its counters of Grace) */
		{ __LINE__, "grace.txt",
		  "a: nvidia_scf_pmu/1 nvidia_scf_pmu/2 nvidia_scf_pmu/3; "
		  "b: nvidia_scf_pmu/4 nvidia_scf_pmu/5 nvidia_scf_pmu/6 "
		  "nvidia_scf_pmu/0x100000000",
		  "00", "a b" },
		{ __LINE__, "grace.txt",
		  "a: nvidia_scf_pmu/1 nvidia_scf_pmu/2 nvidia_scf_pmu/3; "
		  "b: nvidia_scf_pmu/4 nvidia_scf_pmu/5 nvidia_scf_pmu/6 nvidia_scf_pmu/7",
		  "01", "a|b" },
		/* five of six instances have room for it, one has not */
		{ __LINE__, "skx.txt", "a: imc/1 imc/2; b: imc_5/3 imc_5/4 imc_5/5; c: imc/6",
		  "010", "a c|b c" },
		{ __LINE__, "skx.txt",
		  "a: imc/1 imc/2; "
		  "b: imc_5/3 imc_5/4 imc_5/5 imc_5/7; "
		  "c: imc/6",
		  "010", "a c|b" },
		/* no table knows this PMU */
		{ __LINE__, "zen2.txt",
		  "a: amd_iommu/1 amd_iommu/2 amd_iommu/3; "
		  "b: amd_iommu/4 amd_iommu/5 amd_iommu/6",
		  "00", "a b" },
		/* nobody knows how many events that can count at once: only in its own round */
		{ __LINE__, "zen2.txt", "a: amd_df/1 amd_df/2 amd_df/3 amd_iommu/1; "
		  "b: amd_df/4 amd_df/5; c: amd_iommu/2", "010", "a c|b c" },
		{ __LINE__, "zen2.txt", "a: amd_df/1 amd_df/2 amd_df/3; "
		  "b: amd_df/4 amd_df/5 amd_iommu/1; c: amd_iommu/2", "010", "a c|b" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[2048];
		struct made m;

		write_groups(rows[i].groups, text, sizeof(text));
		m = make_on(rows[i].tree, text);
		for (unsigned s = 0; s < m.p->n_sockets; s++)
			for (unsigned g = 0; rows[i].rounds[g]; g++)
				if (m.p->sockets[s].groups[g].round !=
				    (unsigned)(rows[i].rounds[g] - '0'))
					fail_msg("line %d: group %u is in round %u", rows[i].line,
						 g, m.p->sockets[s].groups[g].round);
		assert_int_equal(m.p->sockets[0].perf->n_rounds, m.p->sockets[0].n_rounds);
		if (strcmp(rounds_text(m.p), rows[i].all) != 0)
			fail_msg("line %d: %s", rows[i].line, rounds_text(m.p));
		made_done(&m);
	}
}

#define CBOX "perf/uncore_cbox/event=0x35,umask=0x"
/* One opcode filter for all events of a C-Box, and inserts on counters 0 and 1 of Sandy Bridge-EP
 * alone (uncore_snbep.c: snbep_uncore_cbox_constraints, snbep_uncore_cbox_extra_regs,
 * hswep_uncore_cbox_extra_regs). */
static void test_filters(void **state)
{
	static const struct { int line; const char *tree, *a, *b, *why; } rows[] = {
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,name=x/",
		  CBOX "01,filter_opc=0x19e,name=y/",
		  "the kernel's PMU uncore_cbox_0 has one filter, and two events need different "
		  "values of filter_opc" },
		/* the same value, another field, no filter at all */
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,name=x/", CBOX "03,filter_opc=0x182,name=y/", NULL },
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,name=x/", "perf/uncore_cbox/event=0x34,umask=0x11,filter_state=1,name=y/", NULL },
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,name=x/", "perf/uncore_cbox/event=0x00,name=y/", NULL },
		/* another instance has another filter */
		{ __LINE__, "hsx.txt", "perf/uncore_cbox_0/event=0x35,umask=0x01,filter_opc=0x182,"
		  "name=x/",
		  "perf/uncore_cbox_1/event=0x35,umask=0x01,filter_opc=0x19e,name=y/", NULL },
		{ __LINE__, "skx.txt", "perf/uncore_cha/event=0x35,umask=0x21,"
		  "config1=0x4043300000000,name=x/",
		  "perf/uncore_cha/event=0x35,umask=0x21,config1=0x4043200000000,name=y/",
		  "the kernel's PMU uncore_cha_0 has one filter, and two events need different "
		  "values of filter_rem" },
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,filter_isoc,name=x/",
		  CBOX "01,filter_opc=0x182,name=y/",
		  "the kernel's PMU uncore_cbox_0 has one filter, and two events need different "
		  "values of filter_isoc" },
		/* the request table is chosen by the unit mask from Ice Lake on */
		{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x35,umask=0xc817fe01,name=x/", "perf/uncore_cha/event=0x35,umask=0xc816fe01,name=y/", NULL },
		/* in whatever words: three inserts on two counters */
		{ __LINE__, "snbep.txt",
		  CBOX "01,filter_opc=0x182,name=x/\", \"perf/uncore_cbox/umask=0x03,event=0x35,"
		  "filter_opc=386,name=y/",
		  "perf/uncore_cbox/event=0x36,umask=3,filter_opc=0x182,name=z/",
		  "3 events do not fit on the counters of the kernel's PMU uncore_cbox_0" },
		{ __LINE__, "snbep.txt",
		  CBOX "01,filter_opc=0x182,name=tor_inserts_opcode_drd/\", \"" CBOX
		  "03,filter_opc=0x182,name=tor_inserts_miss_opcode_drd/",
		  "perf/uncore_cbox/event=0x36,umask=0x03,filter_opc=0x182,"
		  "name=tor_occupancy_miss_opcode_drd/",
		  "3 events do not fit on the counters of the kernel's PMU uncore_cbox_0" },
		{ __LINE__, "hsx.txt", CBOX "01,filter_opc=0x182,name=tor_inserts_opcode_drd/\", \""
		  CBOX "03,filter_opc=0x182,name=tor_inserts_miss_opcode_drd/",
		  "perf/uncore_cbox/event=0x36,umask=0x03,filter_opc=0x182,"
		  "name=tor_occupancy_miss_opcode_drd/", NULL },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[1024];
		struct made m;

		snprintf(text, sizeof(text), "groups = ( { name = \"a\"; events = [ \"%s\" ]; "
					     "}, { name = \"b\"; events = [ \"%s\" ]; } );",
			 rows[i].a, rows[i].b);
		m = make_on(rows[i].tree, text);
		if (m.p->sockets[0].groups[1].round != (rows[i].why ? 1u : 0u))
			fail_msg("line %d: the second group is in round %u", rows[i].line,
				 m.p->sockets[0].groups[1].round);
		if (rows[i].why && (!m.p->n_notes || !strstr(m.p->notes[0], rows[i].why)))
			fail_msg("line %d: %s", rows[i].line,
				 m.p->n_notes ? m.p->notes[0] : "no note");
		made_done(&m);
	}
}

static void test_says_why(void **state)
{
	char text[512];
	struct made m;

	write_groups("a: imc/1 imc/2 imc/3; b: imc/4 imc/5 imc/6", text, sizeof(text));
	m = make_on("skx.txt", text);
	(void)state;
	assert_int_equal(m.p->n_notes, 1);
	assert_string_equal(m.p->notes[0], "Group 'b' takes turns with 'a': 6 events compete for "
			    "the 4 counters of the kernel's PMU uncore_imc_0.");
	made_done(&m);
}

/* A group that the kernel must refuse is refused by the plan. All events of a group are one group
 * of perf, whose events the drivers count at once or not at all (uncore.c: uncore_validate_group);
 * TOR_OCCUPANCY, 0x36, is on counter 0 alone, whatever its unit mask (uncore_snbep.c:
 * skx_uncore_chabox_constraints, also of Ice Lake). */
#define CMN "perf/arm_cmn/"
static void test_alone(void **state)
{
	static const struct { int line; const char *tree, *events, *why; } rows[] = {
		{ __LINE__, "skx.txt",
		  "perf/uncore_cha/event=0x35,umask=0x21,filter_loc=1,name=x/\", \""
		  "perf/uncore_cha/event=0x35,umask=0x21,filter_rem=1,name=y/",
		  "one filter, and two events need different values of filter_" },
		{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=x/\", \""
		  "perf/uncore_cha/event=0x36,umask=0xc816fe01,name=y/",
		  "2 events do not fit on the counters of the kernel's PMU uncore_cha_0" },
		{ __LINE__, "skx.txt", "perf/uncore_imc/config=1,name=a/\", \""
		  "perf/uncore_imc/config=2,name=b/\", \"perf/uncore_imc/config=3,name=c/\", \""
		  "perf/uncore_imc/config=4,name=d/\", \"perf/uncore_imc/config=5,name=e/",
		  "5 events compete for the 4 counters of the kernel's PMU uncore_imc_0" },
		/* one event by two names is two events for the kernel */
		{ __LINE__, "skx.txt", "perf/uncore_imc/config=1,name=a/\", \""
		  "perf/uncore_imc/config=1,name=b/\", \"perf/uncore_imc/config=2,name=c/\", \""
		  "perf/uncore_imc/config=3,name=d/\", \"perf/uncore_imc/config=4,name=e/",
		  "PMU uncore_imc_0, and 'b' is 'a' by another name" },
		{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=x/\", \""
		  "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=y/",
		  "can count every event, and 'y' is 'x' by another name" },
		/* each driver has one counter for it */
		{ __LINE__, "skx.txt", "perf/uncore_imc/event=0xff,name=a/\", \""
		  "perf/uncore_imc/config=0xff,name=b/",
		  "PMU uncore_imc_0 has one fixed counter, and 'b' is 'a' by another name" },
		{ __LINE__, "grace.txt", "perf/nvidia_scf_pmu/cycles/\", \""
		  "perf/nvidia_scf_pmu/config=0x100000000,name=b/",
		  "one fixed counter, and 'b' is 'cycles' by another name" },
		/* unit masks of which no row speaks: RFO and code reads */
		{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x36,umask=0xc807fe01,name=x/\", \""
		  "perf/uncore_cha/event=0x36,umask=0xc80ffe01,name=y/",
		  "2 events do not fit on the counters of the kernel's PMU uncore_cha_0" },
		{ __LINE__, "icx.txt", "perf/uncore_cha/event=0x36,umask=0xc817fe01,name=x/\", \""
		  "perf/uncore_cha/event=0x35,umask=0xc816fe01,name=y/", NULL },
		/* arm-cmn.c: a node has one CMN__PMU_HBT_LBT_SEL and one CMN__PMU_SN_HOME_SEL */
		{ __LINE__, "cmns3.txt", CMN "hns_cache_miss_all/\", \"" CMN "hns_sf_hit_hbt/",
		  "a node of the kernel's PMU arm_cmn_0 counts one variant of its events" },
		{ __LINE__, "cmns3.txt", CMN "hns_cache_miss_hbt/\", \"" CMN "hns_sf_hit_hbt/",
		  NULL },
		{ __LINE__, "cmns3.txt", CMN "hns_mc_reqs_local_sn/\", \""
		  CMN "hns_mc_reqs_remote_all/", "different values of occupid" },
		{ __LINE__, "cmns3.txt", CMN "hns_mc_reqs_local_sn/\", \""
		  CMN "hns_cache_miss_all/", NULL },
		{ __LINE__, "cmns3.txt", CMN "hns_sf_evictions/\", \"" CMN "hns_cache_miss_hbt/",
		  NULL },
		{ __LINE__, "cmns3.txt", CMN "hns_cache_miss_all/\", \""
		  CMN "hns_cache_miss_hbt,bynodeid=1,nodeid=16,name=y/", "values of occupid" },
		{ __LINE__, "cmns3.txt", CMN "hns_cache_miss_all,bynodeid=1,nodeid=8,name=x/\", \""
		  CMN "hns_cache_miss_hbt,bynodeid=1,nodeid=16,name=y/", NULL },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[1024];
		struct made m;

		snprintf(text, sizeof(text), "groups = ( { name = \"g\"; events = [ \"%s\" ]; } );",
			 rows[i].events);
		m = make_any(rows[i].tree, text);
		if (m.r < 0 ? !rows[i].why || m.d.n != 1 || !strstr(m.d.v[0], rows[i].why)
			    : rows[i].why != NULL)
			fail_msg("line %d: %s", rows[i].line, m.r < 0 ? m.d.v[0] : "accepted");
		made_done(&m);
	}
}

/* In each of its rounds the events of a group are one group of the kernel's, although they are
 * other slots there. */
static void test_together(void **state)
{
	const struct plan_socket *s;
	char text[512];
	struct made m;

	(void)state;
	write_groups("a: imc/1 imc/2 imc/3; b: imc_0/4 imc_0/5; c: pcu/1 pcu/2", text,
		     sizeof(text));
	m = make_on("skx.txt", text);
	assert_string_equal(rounds_text(m.p), "a c|b c");
	s = m.p->sockets;
	assert_int_not_equal(s->groups[2].slots[0][0], s->groups[2].slots[1][0]);
	for (unsigned r = 0; r < 2; r++) {
		const struct plan_perf *events = s->perf->rounds[r].events;
		const struct plan_slot *slots = s->rounds[r].slots;
		const unsigned *c = s->groups[2].slots[r];

		assert_string_equal(slots[c[0]].pmu, "uncore_pcu");
		assert_int_equal(events[slots[c[0]].engine_slot].perf_group,
				 events[slots[c[1]].engine_slot].perf_group);
	}
	made_done(&m);
}

/* What a group names is shown, also where a ready-made one counts it for its metrics alone, in the
 * same round or in another one: an event of 28 CHAs of two sockets. */
static void test_named_by_one(void **state)
{
	static const char hit[] =
		"\"perf/uncore_cha/event=0x35,umask=0x11,filter_opc0=0x202,filter_rem=1,"
		"filter_loc=1,filter_nm=1,filter_not_nm=1,name=tor_inserts_ia_hit_drd/\"";
	static const struct { const char *more; unsigned events, rounds; } rows[] = {
		{ "", 1, 1 },
		{ ", \"perf/uncore_cha/config=1,name=a/\", \"perf/uncore_cha/config=2,name=b/\", "
		  "\"perf/uncore_cha/config=3,name=c/\"", 4, 2 },
	};
	struct made alone = make_on("skx.txt", "groups = ( \"llc\" );");

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char text[512];
		struct made m;

		snprintf(text, sizeof(text),
			 "groups = ( %s { name = \"g\"; events = [ %s%s ]; } %s );",
			 i % 2 ? "" : "\"llc\",", hit, rows[i / 2].more,
			 i % 2 ? ", \"llc\"" : "");
		m = make_on("skx.txt", text);
		assert_int_equal(m.p->sockets[0].n_rounds, rows[i / 2].rounds);
		assert_int_equal(m.p->n_series - alone.p->n_series, 2 * 28 * rows[i / 2].events);
		made_done(&m);
	}
	made_done(&alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_turns),
					    cmocka_unit_test(test_together),
					    cmocka_unit_test(test_named_by_one),
					    cmocka_unit_test(test_filters),
					    cmocka_unit_test(test_alone),
					    cmocka_unit_test(test_says_why) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
