/* SPDX-License-Identifier: MIT
 * Events by the names that Intel publishes: on every tree of a processor of which it publishes
 * metrics each name is the event with the codes that stand beside it in its lists
 * (tests/catalog/perfmon.tsv). */
#include "pmus_fixture.h"

#include "../catalog/tsv.h"

#include <inttypes.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ all that is published */

static const struct { const char *arch, *text; } archs[] = {
	{ "SKX", "skx.txt" }, { "CLX", "clx.txt" }, { "ICX", "icx.txt" }, { "SPR", "spr.txt" },
	{ "SPRHBM", "sprhbm.txt" }, { "EMR", "emr.txt" }, { "GNR", "gnr.txt" },
	{ "SRF", "srf.txt" }, { "CWF", "cwf.txt" },
};

/* The only event of a plan, on the first unit that has it. */
static const struct plan_perf *first_event(const struct made *m)
{
	const struct plan_socket *s = m->p->sockets;

	return &s->perf->rounds[0].events[s->rounds[0].slots[0].engine_slot];
}

static void check_name(const char *arch, const char *name, const char *pmu, const char *terms)
{
	char text[256], numbers[256];
	struct made named, given;
	const struct plan_perf *n, *g;

	snprintf(text, sizeof(text), ONE("\"%s\""), name);
	snprintf(numbers, sizeof(numbers), ONE("\"perf/%s/%s,name=x/\""), pmu, terms);
	named = make_on(&tree, text);
	given = make_on(&tree, numbers);
	if (named.r < 0 || given.r < 0)
		fail_msg("%s %s: %s", arch, name, named.r < 0 ? named.d.v[0] : given.d.v[0]);
	n = first_event(&named);
	g = first_event(&given);
	if (strcmp(n->pmu, g->pmu) != 0 || n->config != g->config || n->config1 != g->config1 ||
	    n->config2 != g->config2 ||
	    named.p->sockets->rounds[0].n_slots != given.p->sockets->rounds[0].n_slots)
		fail_msg("%s %s: config 0x%" PRIx64 ",0x%" PRIx64 " on %u units of %s, not 0x%"
			 PRIx64 ",0x%" PRIx64, arch, name, n->config, n->config1,
			 named.p->sockets->rounds[0].n_slots, n->pmu, g->config, g->config1);
	made_done(&named);
	made_done(&given);
}

/* "NAME=PMU/TERMS/@COUNTERS"; a name with a filter, a threshold or a unit of its own is of another
 * event. Returns whether it was looked for. */
static bool check_event(const char *arch, char *text)
{
	char *name = text, *pmu = strchr(text, '='), *terms, *end, *filter, event[256];

	if (strchr(name, '[') || (strchr(name, ':') && strchr(name, ':') < strchr(name, '/')))
		return false;
	*pmu++ = '\0';
	terms = strchr(pmu, '/');
	end = terms ? strchr(terms + 1, '/') : NULL;
	assert_non_null(end);
	*terms++ = *end = '\0';
	/* the driver takes register FILTER1 from the upper half of config1: Linux
	 * arch/x86/events/intel/uncore_snbep.c */
	filter = strstr(terms, "filter1=");
	if (filter)
		snprintf(event, sizeof(event), "%.*sconfig1=0x%" PRIx64, (int)(filter - terms),
			 terms, (uint64_t)strtoul(filter + strlen("filter1="), NULL, 16) << 32);
	check_name(arch, name, pmu, filter ? event : terms);
	return true;
}

static void test_published(void **state)
{
	struct tsv t;

	(void)state;
	tsv_read(&t, "perfmon.tsv");
	for (unsigned i = 0; i < COUNT(archs); i++) {
		unsigned n = 0;

		tree_make(&tree, archs[i].text);
		for (unsigned k = 0; k < t.n; k++) {
			char *save = NULL, *all = strdup(t.rows[k].col[3]);

			assert_non_null(all);
			for (char *e = strtok_r(all, " ", &save);
			     e && strcmp(t.rows[k].col[0], archs[i].arch) == 0;
			     e = strtok_r(NULL, " ", &save))
				n += check_event(archs[i].arch, e);
			free(all);
		}
		if (n < 10)
			fail_msg("%s: %u names", archs[i].arch, n);
		tree_drop(&tree);
	}
	tsv_done(&t);
}

/* ------------------------------------------------------------------ how they are written */

/* Identities by hand: event 0x35 with umask 0xc8177e01 is bits 7:0 and 15:8, 63:32 of config. */
#define REMOTE(units_) units_ "/tor_inserts_ia_miss_drd_remote,config=0xc8177e00000135"
static void test_forms(void **state)
{
	static const struct { int line; const char *text, *first; unsigned units; } rows[] = {
		{ __LINE__, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE", REMOTE("cha0"), 56 },
		{ __LINE__, "unc_cha_tor_inserts.ia_miss_drd_remote", REMOTE("cha0"), 56 },
		{ __LINE__, "UNC_CHA_TOR_INSERTS:IA_MISS_DRD_REMOTE", REMOTE("cha0"), 56 },
		{ __LINE__, "UNC_CHA_TOR_INSERTS_IA_MISS_DRD_REMOTE", REMOTE("cha0"), 56 },
		{ __LINE__, "cha/UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE", REMOTE("cha0"), 56 },
		{ __LINE__, "cha/TOR_INSERTS.IA_MISS_DRD_REMOTE", REMOTE("cha0"), 56 },
		{ __LINE__, "uncore_cha/tor_inserts.ia_miss_drd_remote", REMOTE("cha0"), 56 },
		{ __LINE__, "cha3/UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE", REMOTE("cha3"), 1 },
		{ __LINE__, "cha[3-4]/TOR_INSERTS.IA_MISS_DRD_REMOTE", REMOTE("cha3"), 2 },
		{ __LINE__, "UNC_M_CAS_COUNT.RD", "imc0/cas_count_read,config=0xcf05", 8 },
		{ __LINE__, "imc/CAS_COUNT.WR", "imc0/cas_count_write,config=0xf005", 8 },
		{ __LINE__, "UNC_M_CLOCKTICKS", "imc0/dclk,config=0x101", 8 },
		{ __LINE__, "UNC_CHA_CLOCKTICKS", "cha0/clockticks,config=0x1", 56 },
		{ __LINE__, "UNC_UPI_TxL_FLITS.ALL_DATA",
		  "upi0/txl_flits_all_data,config=0xf02", 4 },
		/* umask 4, event 0x83; ch_mask 47:36, fc_mask 50:48 */
		{ __LINE__, "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS",
		  "iio0/data_req_of_cpu_mem_read,config=0x70ff000000483", 12 },
		/* one port: perfmon SPR has PortMask 0x0004 for PART2, 0x0080 for PART7 */
		{ __LINE__, "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2",
		  "iio0/data_req_of_cpu_mem_read_part2,config=0x7004000000483", 12 },
		{ __LINE__, "iio3/DATA_REQ_OF_CPU.MEM_WRITE.PART7",
		  "iio3/data_req_of_cpu_mem_write_part7,config=0x7080000000183", 1 },
		{ __LINE__, "iio/data_req_of_cpu_mem_read_part0",
		  "iio0/data_req_of_cpu_mem_read_part0,config=0x7001000000483", 12 },
		{ __LINE__, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD,thresh=1,name=waiting",
		  "cha0/waiting,config=0xc817fe01000136", 56 },
	};

	(void)state;
	tree_make(&tree, "spr.txt");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m = make_good(rows[i].line, rows[i].text);
		const struct plan_round *r = &m.p->sockets->rounds[0];

		if (strcmp(r->slots[0].identity, rows[i].first) != 0 || r->n_slots != rows[i].units)
			fail_msg("line %d: %u of %s", rows[i].line, r->n_slots,
				 r->slots[0].identity);
		made_done(&m);
	}
	tree_drop(&tree);
}

/* AMD's names: Linux tools/perf/pmu-events, amdzen5/l3-cache.json and amdzen2/cache.json; of the
 * data fabric event bits 37:32 and 7:0, unit mask 27:24 and 15:8 (uncore.c of the kernel). The
 * PMU's own name ends in a digit. */
static void test_amd(void **state)
{
	static const struct { int line; const char *tree, *text, *part; } rows[] = {
		{ __LINE__, "zen5.txt", "amd_l3/l3_lookup_state.l3_miss", "config=0x104" },
		{ __LINE__, "zen5.txt", "amd_l3/l3_lookup_state_all", "config=0xff04" },
		{ __LINE__, "zen5.txt", "amd_l3[0]/l3_lookup_state_all", "config=0xff04" },
		{ __LINE__, "zen2.txt", "amd_l3/xi_ccx_sdp_req1.all_l3_miss_req_typs",
		  "config=0x3f9a" },
		{ __LINE__, "zen5.txt", "amd_umc/umc_cas_cmd.rd", "config=0x10a" },
		{ __LINE__, "zen5.txt", "amd_df/local_socket_outbound_data_beats_link_0",
		  "config=0xd0f003e5f" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		tree_make(&tree, rows[i].tree);
		m = make_good(rows[i].line, rows[i].text);
		if (!strstr(m.p->sockets->rounds[0].slots[0].identity, rows[i].part))
			fail_msg("line %d: %s", rows[i].line,
				 m.p->sockets->rounds[0].slots[0].identity);
		made_done(&m);
		tree_drop(&tree);
	}
}

/* The sums of a metric name their inputs likewise. */
static void test_sums(void **state)
{
	struct made m;

	(void)state;
	tree_make(&tree, "spr.txt");
	m = make_on(&tree, "groups = ( { name = \"g\"; events = [ \"UNC_M_CAS_COUNT.RD\" ]; } ); "
		    "metrics = ( { name = \"reads_bytes_total\"; unit = \"bytes\"; "
		    "per = \"socket\"; scale = 64.0; numerator = ( \"UNC_M_CAS_COUNT.RD\" ); } );");
	if (m.r < 0)
		fail_msg("%s", m.d.v[0]);
	assert_int_equal(m.p->sockets->n_metrics, 2);
	assert_string_equal(m.p->sockets->metrics[1].name, "reads_bytes_total");
	made_done(&m);
	tree_drop(&tree);
}

/* With more terms it is another event, of which the row says nothing: a clock with a threshold or
 * at its edges stands still, and what counts beside it does not stand still with it. */
static void test_more_terms(void **state)
{
	static const struct { int line; const char *text; bool clock; } rows[] = {
		{ __LINE__, "UNC_CHA_CLOCKTICKS", true },
		{ __LINE__, "cha/clockticks,name=x", true },
		{ __LINE__, "cha/clockticks,thresh=200,name=x", false },
		{ __LINE__, "UNC_CHA_CLOCKTICKS,edge=1,name=x", false },
	};

	(void)state;
	tree_make(&tree, "spr.txt");
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct plan_slot *s;
		char text[256];
		struct made m;

		snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].text);
		m = make_on(&tree, text);
		if (m.r < 0)
			fail_msg("line %d: %s", rows[i].line, m.d.v[0]);
		s = &m.p->sockets->rounds[0].slots[0];
		if (s->always_runs != rows[i].clock || s->never_still)
			fail_msg("line %d: %s is %s clock", rows[i].line, s->identity,
				 s->always_runs ? "a" : "no");
		made_done(&m);
	}
	tree_drop(&tree);
}

static void test_refused_names(void **state)
{
	static const struct { int line; const char *text, *part; } rows[] = {
		{ __LINE__, "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOT", "uncored knows no event "
		  "'UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOT' here; the nearest is "
		  "'cha/tor_inserts_ia_miss_drd_remote'" },
		{ __LINE__, "cha/TOR_INSERT.IA_MISS_DRD_REMOTE", "no event "
		  "'TOR_INSERT.IA_MISS_DRD_REMOTE' of cha here; the nearest is "
		  "'cha/tor_inserts_ia_miss_drd_remote'" },
		{ __LINE__, "UNC_M_CAS_COUNT.REED", "the nearest is 'imc/cas_count_read'" },
		{ __LINE__, "UNC_M_CAS_COUNT.RX", "the nearest is 'imc/CAS_COUNT.RD'" },
		{ __LINE__, "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART8", "no event" },
		{ __LINE__, "UNC_IIO_DATA_REQ_OF_CPU.MEM_RAED.PART7",
		  "the nearest is 'iio/DATA_REQ_OF_CPU.MEM_READ.PART7'" },
		/* how it is counted nevertheless, and that libpfm4 may know it */
		{ __LINE__, "UNC_CHA_TOR_INSERTS.IA_ITOM", "'cha/tor_inserts_io_itom', and one "
		  "that is not listed is given by numbers: perf/PMU/event=...,umask=...,"
		  "name=.../; " },
		/* of another unit */
		{ __LINE__, "upi/UNC_CHA_CLOCKTICKS",
		  "no event 'UNC_CHA_CLOCKTICKS' of upi here" },
		{ __LINE__, "UNC_ZZZ_NOTHING", "uncorectl search finds events by words" },
		/* the name is of the row's event alone */
		{ __LINE__, "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD,thresh=1",
		  "needs a name of its own: add ,name=" },
		{ __LINE__, "UNC_M_CAS_COUNT.RD,treshold=1,name=x", "treshold" },
		/* sentences say what was typed */
		{ __LINE__, "cha99/UNC_CHA_CLOCKTICKS",
		  "t.conf:1: cha99/UNC_CHA_CLOCKTICKS: this machine has no such unit of cha" },
		{ __LINE__, "UNC_CHA_CLOCKTICKS,thresh=999,name=x",
		  "t.conf:1: UNC_CHA_CLOCKTICKS,thresh=999,name=x: PMU 'uncore_cha_0': thresh=999 "
		  "does not fit into config:24-31" },
		{ __LINE__, "perf/uncore_cha[99]/event=1,name=x/",
		  "t.conf:1: perf/uncore_cha[99]/event=1,name=x/: the kernel's PMU" },
	};

	(void)state;
	tree_make(&tree, "spr.txt");
	for (unsigned i = 0; i < COUNT(rows); i++)
		refused(rows[i].line, rows[i].text, rows[i].part);
	tree_drop(&tree);
}

/* ------------------------------------------------------------------ libpfm4 */

/* Codes of github.com/intel/perfmon, SKX: event and unit mask are the lower two bytes; ports 39:36
 * and FCMask 46:44 of IIO. Intel has other letters for some PMUs than libpfm4. */
static const struct { int line; const char *tree, *text, *first; unsigned n; } of_libpfm[] = {
	{ __LINE__, "skx.txt", "UNC_M_ACT_COUNT.RD", "imc0/UNC_M_ACT_COUNT:RD,config=0x101", 6 },
	{ __LINE__, "clx.txt", "imc/ACT_COUNT.RD", "imc0/UNC_M_ACT_COUNT:RD,config=0x101", 6 },
	{ __LINE__, "skx.txt", "imc3/ACT_COUNT:RD", "imc3/UNC_M_ACT_COUNT:RD,config=0x101", 1 },
	{ __LINE__, "skx.txt", "UNC_CHA_MISC.RFO_HIT_S",
	  "cha0/UNC_C_MISC:RFO_HIT_S,config=0x839", 28 },
	{ __LINE__, "clx.txt", "uncore_m2m/UNC_M2M_DIRECTORY_LOOKUP.ANY",
	  "m2m0/UNC_M2_DIRECTORY_LOOKUP:ANY,config=0x12d", 2 },
	{ __LINE__, "skx.txt", "UNC_M3UPI_D2U_SENT", "m3upi0/UNC_M3_D2U_SENT,config=0x2a", 3 },
	{ __LINE__, "skx.txt", "UNC_IIO_DATA_REQ_BY_CPU.MEM_WRITE.PART2",
	  "iio0/UNC_IO_DATA_REQ_BY_CPU:MEM_WRITE_PART2,config=0x7040000001c0", 6 },
};

static bool without_libpfm(const struct made *m)
{
	return m->r < 0 && strstr(m->d.v[0], "; libpfm4, without which this uncored was built, "
				  "knows more names");
}

static void test_libpfm(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(of_libpfm); i++) {
		const struct plan_round *r;
		struct made m;
		char text[256];

		tree_make(&tree, of_libpfm[i].tree);
		snprintf(text, sizeof(text), ONE("\"%s\""), of_libpfm[i].text);
		m = make_on(&tree, text);
		if (m.r < 0 && !without_libpfm(&m))
			fail_msg("line %d: %s", of_libpfm[i].line, m.d.v[0]);
		r = m.r < 0 ? NULL : &m.p->sockets->rounds[0];
		if (r && (strcmp(r->slots[0].identity, of_libpfm[i].first) != 0 ||
			  r->n_slots != of_libpfm[i].n))
			fail_msg("line %d: %u of %s", of_libpfm[i].line, r->n_slots,
				 r->slots[0].identity);
		made_done(&m);
		tree_drop(&tree);
	}
}

/* Intel's name would count something else: perfmon HSX has UMask 0x0e, libpfm4 0xe0; SKX 0x01, not
 * 0xa1. SKX and CLX leave CHAFilter0 and 1 at 0, where libpfm4 sets all states and 0x3b; of the
 * match of a UPI they have another bit (UMaskExt 1). */
static void test_libpfm_contradicts(void **state)
{
	static const struct { int line; const char *tree, *text; } rows[] = {
		{ __LINE__, "hsx.txt", "UNC_M_RD_CAS_RANK5.BANK14" },
		{ __LINE__, "hsx.txt", "imc0/WR_CAS_RANK0.BANKG3" },
		{ __LINE__, "skx.txt", "UNC_CHA_LLC_VICTIMS.TOTAL_M" },
		{ __LINE__, "skx.txt", "UNC_CHA_TOR_INSERTS.IO_HIT" },
		{ __LINE__, "clx.txt", "UNC_CHA_TOR_OCCUPANCY.IO_HIT" },
		{ __LINE__, "clx.txt", "cha3/unc_cha_llc_lookup.write" },
		{ __LINE__, "clx.txt", "UNC_UPI_RxL_BASIC_HDR_MATCH.RSPCNFLT" },
		{ __LINE__, "bdx.txt", "UNC_C_LLC_LOOKUP.WRITE" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;

		tree_make(&tree, rows[i].tree);
		snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].text);
		m = make_on(&tree, text);
		if (m.r == 0 || (!without_libpfm(&m) && !strstr(m.d.v[0], "; libpfm4 has it with "
								 "another code than Intel's list")))
			fail_msg("line %d: %s", rows[i].line, m.r ? m.d.v[0] : "counted");
		made_done(&m);
		tree_drop(&tree);
	}
}

/* Of an event of other processors it is said for which machine libpfm4 was asked. */
static void test_libpfm_of_others(void **state)
{
	static const char *const trees[] = { "zen4.txt", "icx.txt" };

	(void)state;
	for (unsigned i = 0; i < COUNT(trees); i++) {
		struct made m;

		tree_make(&tree, trees[i]);
		m = make_on(&tree, ONE("\"UNC_M_PRE_COUNT.PAGE_CLOSE\""));
		if (m.r == 0 || (!without_libpfm(&m) &&
				 !strstr(m.d.v[0], "; libpfm4 does not know it for this machine")))
			fail_msg("%s: %s", trees[i], m.r ? m.d.v[0] : "counted");
		made_done(&m);
		tree_drop(&tree);
	}
}

/* ------------------------------------------------------------------ boxes with registers */

static void test_registers(void **state)
{
	static const struct { int line; const char *processor, *text, *identity; } rows[] = {
		{ __LINE__, "ivytown", "UNC_C_LLC_LOOKUP.ANY", "cbox0/LLC_LOOKUP:ANY" },
		{ __LINE__, "ivytown", "UNC_C_LLC_LOOKUP:ANY,threshold=2",
		  "cbox0/LLC_LOOKUP:ANY,threshold=2" },
		{ __LINE__, "ivytown", "UNC_H_REQUESTS.READS", "ha0/REQUESTS:READS" },
		{ __LINE__, "nehalem", "UNC_LLC_MISS.ANY", "uncore0/LLC_MISS:ANY" },
	};

	struct made m;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];

		snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].text);
		m = make(text, rows[i].processor, 1, NULL, false);
		if (m.r < 0)
			fail_msg("line %d: %s", rows[i].line, m.d.v[0]);
		if (strcmp(m.p->sockets->rounds[0].slots[0].identity, rows[i].identity) != 0)
			fail_msg("line %d: %s", rows[i].line,
				 m.p->sockets->rounds[0].slots[0].identity);
		made_done(&m);
	}
	m = make(ONE("\"UNC_LLC_HIT\""), "nehalem-ex", 1, NULL, false);
	assert_true(m.r < 0 && m.d.n == 1);
	assert_non_null(strstr(m.d.v[0], "t.conf:1: uncored knows no event 'UNC_LLC_HIT' here; "
			       "uncorectl search finds events by words, and one that is not listed "
			       "is given by numbers: perf/PMU/event=...,umask=...,name=.../; "));
	made_done(&m);
}

/* Errors name the event as the manual does, behind what was typed where that is another name. */
static void test_registers_refused(void **state)
{
	static const struct { int line; const char *text, *sentence; } rows[] = {
		{ __LINE__, "UNC_R_FLITS_SENT", "t.conf:1: UNC_R_FLITS_SENT: rbox/FLITS_SENT: "
		  "'port' is required: port=0 to port=7" },
		{ __LINE__, "UNC_R_FLITS_SENT,port=77",
		  "t.conf:1: UNC_R_FLITS_SENT,port=77: rbox has no port 77: 0 to 7" },
		{ __LINE__, "wbox/UNCORE_CLOCK:X",
		  "t.conf:1: wbox/UNCORE_CLOCK:X: wbox/CLOCKTICKS has no unit masks" },
		{ __LINE__, "rbox/event=0x1,name=x/", "t.conf:1: rbox/event=0x1,name=x/: rbox/x: "
		  "'port' is required: port=0 to port=7" },
		{ __LINE__, "cbox/event=0x1,umask=0x100,name=x/",
		  "t.conf:1: cbox/event=0x1,umask=0x100,name=x/: umask=0x100 does not fit" },
		{ __LINE__, "rbox/flits_sent",
		  "t.conf:1: rbox/FLITS_SENT: 'port' is required: port=0 to port=7" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct made m;

		snprintf(text, sizeof(text), ONE("\"%s\""), rows[i].text);
		m = make(text, "nehalem-ex", 1, NULL, false);
		if (m.r == 0 || strncmp(m.d.v[0], rows[i].sentence, strlen(rows[i].sentence)) != 0)
			fail_msg("line %d: %s", rows[i].line, m.r ? m.d.v[0] : "counted");
		made_done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published), cmocka_unit_test(test_forms),
		cmocka_unit_test(test_amd), cmocka_unit_test(test_sums),
		cmocka_unit_test(test_more_terms),
		cmocka_unit_test(test_refused_names), cmocka_unit_test(test_libpfm),
		cmocka_unit_test(test_libpfm_contradicts), cmocka_unit_test(test_libpfm_of_others),
		cmocka_unit_test(test_registers), cmocka_unit_test(test_registers_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
