/* SPDX-License-Identifier: MIT
 * Specifications against the Xeon 7500 catalog: canonical text, or the sentence that
 * refuses. */
#include "plan_test.h"

#include "spec/resolve.h"

#include <stdlib.h>

static struct arena *arena;

static const struct {
	int line;
	const char *spec, *text;        /* canonical text, with the unit */
	int pin, encoding;
} good[] = {
	/* the contract's own examples */
	{ __LINE__, "bbox/IMT_INSERTS_ALL", "bbox0/IMT_INSERTS_ALL", -1, -1 },
	{ __LINE__, "cbox3/LLC_HITS:M:E,threshold=2", "cbox3/LLC_HITS:M:E,threshold=2", -1, -1 },
	{ __LINE__, "rbox/FLITS_SENT,port=1", "rbox0/FLITS_SENT,port=1", -1, -1 },
	{ __LINE__, "mbox0/BCMD_SCHEDQ_OCCUPANCY:ALL", "mbox0/BCMD_SCHEDQ_OCCUPANCY:ALL", -1, -1 },
	{ __LINE__, "sbox/TO_R_PROG_EV,match=0xAB,mask=0x0f", "sbox0/TO_R_PROG_EV,match=0xab,mask=0xf", -1, -1 },
	{ __LINE__, "wbox/CLOCKTICKS", "wbox0/CLOCKTICKS", -1, -1 },
	{ __LINE__, "wbox/UNCORE_CLOCK", "wbox0/CLOCKTICKS", -1, -1 },
	{ __LINE__, "wbox/CLOCKTICKS,counter=fixed", "wbox0/CLOCKTICKS", -1, -1 },
	/* names: case, aliases, Intel's prefix, '.' and '_' */
	{ __LINE__, "bbox/imt_inserts_all", "bbox0/IMT_INSERTS_ALL", -1, -1 },
	{ __LINE__, "cbox/UNC_C_LLC_HITS:m", "cbox0/LLC_HITS:M", -1, -1 },
	{ __LINE__, "rbox/XBAR_MM:drs_anyresp9flits,port=1", "rbox0/XBAR_MM:DRS.ANYRESP9FLITS,port=1", -1, -1 },
	/* unit masks in catalog order, the default written out */
	{ __LINE__, "cbox/LLC_HITS:E:M", "cbox0/LLC_HITS:M:E", -1, -1 },
	{ __LINE__, "cbox/LLC_HITS", "cbox0/LLC_HITS:ALL", -1, -1 },
	/* defaults dropped, placement not part of it */
	{ __LINE__, "cbox/LLC_HITS:M,threshold=0,edge=0,invert=0", "cbox0/LLC_HITS:M", -1, -1 },
	{ __LINE__, "cbox/LLC_HITS:M,counter=5", "cbox0/LLC_HITS:M", 5, -1 },
	{ __LINE__, "cbox/LLC_HITS:M,invert,threshold=0x10,edge=1", "cbox0/LLC_HITS:M,threshold=16,edge,invert", -1, -1 },
	{ __LINE__, "rbox/NULL_IDLE,port=7,iperf=1", "rbox0/NULL_IDLE,port=7", -1, 1 },
	{ __LINE__, "rbox/XBAR_MM,port=7,xbar=2", "rbox0/XBAR_MM,port=7", -1, 1 },
	{ __LINE__, "rbox/XBAR_MM,port=7,xbar=1,flits=1", "rbox0/XBAR_MM,port=7", -1, 0 },
	{ __LINE__, "rbox/XBAR_MM:NCB.ANYINT,port=7,flits=any", "rbox0/XBAR_MM:NCB.ANYINT,port=7,flits=any", -1, -1 },
	{ __LINE__, "rbox/XBAR_MM,port=7,flits=15,match=0x0,mask=0x1c00", "rbox0/XBAR_MM,port=7,mask=0x1c00,flits=15", -1, -1 },
	{ __LINE__, "sbox/TO_R_PROG_EV,match=1,mask=0x7fffffffff", "sbox0/TO_R_PROG_EV,match=0x1", -1, -1 },
	/* an address of 0 still switches the filter on */
	{ __LINE__, "mbox/DRAM_CMD:RAS,address=0", "mbox0/DRAM_CMD:RAS,address=0x0", -1, -1 },
	{ __LINE__, "mbox/DRAM_CMD:RAS", "mbox0/DRAM_CMD:RAS", -1, -1 },
};

static void test_good(void **state)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");

	(void)state;
	for (unsigned i = 0; i < COUNT(good); i++) {
		struct spec s;
		struct spec_box box;
		struct err err = { "" };
		char *text;
		int r;

		assert_int_equal(spec_parse(arena, good[i].spec, &s, &err), 0);
		r = spec_resolve(arena, p, &s, 0, &box, &err);
		if (r < 0)
			fail_msg("line %d: %s: %s", good[i].line, good[i].spec, err.text);
		text = spec_text(&box.selection, true);
		if (strcmp(text, good[i].text) != 0 || box.pin != good[i].pin ||
		    box.encoding != good[i].encoding)
			fail_msg("line %d: %s: %s pin %d encoding %d", good[i].line, good[i].spec,
				 text, box.pin, box.encoding);
		free(text);
	}
}

static const struct {
	int line;
	const char *spec, *part;        /* of the sentence */
} bad[] = {
	{ __LINE__, "cbx/LLC_HITS:M", "no box 'cbx'; the nearest is 'cbox'" },
	{ __LINE__, "hbox9/LLC_HITS:M", "no box 'hbox'; the nearest is 'ubox'" },
	{ __LINE__, "memory/LLC_HITS:M", "no box 'memory'; the choices are ubox, cbox, bbox, sbox, rbox, mbox and wbox" },
	{ __LINE__, "cbox/CORE_CYCLES", "cbox has no event 'CORE_CYCLES'; see: uncorectl list events --processor nehalem-ex" },
	{ __LINE__, "cbox/LLC_HITS:Q", "has no unit mask 'Q'; the choices are M, E, S, F and ALL" },
	{ __LINE__, "cbox/LLC_HITS:AL", "has no unit mask 'AL'; the nearest is 'ALL'" },
	{ __LINE__, "bbox/IMT_FULLL", "bbox has no event 'IMT_FULLL'; the nearest is IMT_FULL" },
	{ __LINE__, "cbox8/LLC_HITS:M", "cbox has no unit 8: 0 to 7" },
	{ __LINE__, "rbox1/NULL_IDLE,port=1", "a socket has one rbox: unit 0" },
	{ __LINE__, "cbox/LLC_HITS:Q", "has no unit mask 'Q'" },
	{ __LINE__, "bbox/IMT_FULL:ALL", "bbox/IMT_FULL has no unit masks" },
	{ __LINE__, "rbox/EOT_INSERTS,port=1", "needs a unit mask out of HOM_VN0, HOM_VN1, NDR" },
	/* rule 1: Tables 2-6, 2-20, 2-44: what the control registers of a box have */
	{ __LINE__, "bbox/IMT_FULL,threshold=1", "bbox has no 'threshold'" },
	{ __LINE__, "rbox/NULL_IDLE,port=1,invert", "rbox has no 'invert'" },
	{ __LINE__, "mbox/CYCLES,edge", "mbox has no 'edge'" },
	{ __LINE__, "ubox/WOKEN,threshold=1", "ubox has no 'threshold'" },
	{ __LINE__, "cbox/LLC_HITS:M,invert", "needs 'threshold'" },
	{ __LINE__, "sbox/TO_R_DRS_MSGQ_OCCUPANCY:ALL,edge", "'edge' needs 'threshold' too, because the event can count up to 64" },
	{ __LINE__, "cbox/LLC_HITS:M,edge=2", "'edge' is a flag" },
	{ __LINE__, "cbox/LLC_HITS:M,threshold=256", "threshold=256 does not fit: 0 to 255" },
	{ __LINE__, "cbox/LLC_HITS:M,threshold", "'threshold' needs a value" },
	{ __LINE__, "cbox/LLC_HITS:M,threshold=two", "is not a number" },
	{ __LINE__, "cbox/LLC_HITS:M,cmask=2", "has no key 'cmask'; the choices are counter, threshold, edge and invert" },
	{ __LINE__, "cbox/LLC_HITS:M,inv", "has no key 'inv'; the nearest is 'invert'" },
	{ __LINE__, "cbox/LLC_HITS:M,treshold=2", "has no key 'treshold'; the nearest is 'threshold'" },
	/* rule 3: Tables 2-48, 2-49 */
	{ __LINE__, "rbox/NEW_PACKETS_RECV:VN0_SNP:VN1_SNP,port=0", "VN0_SNP and VN1_SNP are two values of one number" },
	{ __LINE__, "rbox/EOT_INSERTS:HOM_VN0:NDR,port=0", "takes one unit mask" },
	{ __LINE__, "rbox/QUE_ARB_BID:VN0_HOM:VN0_SNP,port=0", "takes one unit mask" },
	/* rule 4: p 2-66, 2-68, 2-69 */
	{ __LINE__, "sbox/TO_R_DRS_MSGQ_CYCLES_FULL:ALL", "takes exactly one unit mask" },
	{ __LINE__, "sbox/TO_R_NCB_MSGQ_CYCLES_FULL:CBOX0_4:CBOX1_5", "undefined" },
	{ __LINE__, "sbox/TO_R_DRS_MSGQ_CYCLES_FULL", "needs a unit mask out of CBOX0_4, CBOX1_5, CBOX2_6 and CBOX3_7" },
	/* ports and placement */
	{ __LINE__, "rbox/NULL_IDLE", "'port' is required: port=0 to port=7" },
	{ __LINE__, "rbox/NULL_IDLE,port=8", "rbox has no port 8: 0 to 7" },
	{ __LINE__, "bbox/IMT_FULL,port=1", "has no key 'port'" },
	{ __LINE__, "rbox/NULL_IDLE,port=1,qlx=0", "has no key 'qlx'" },
	{ __LINE__, "rbox/NULL_IDLE,port=1,iperf=2", "iperf=2 does not exist: 0 to 1" },
	{ __LINE__, "rbox/XBAR_MM,port=1,xbar=0", "xbar=0 does not exist: 1 to 2" },
	{ __LINE__, "bbox/IMT_FULL,counter=1", "counts only on counter 3, not on counter 1" },
	{ __LINE__, "rbox/NULL_IDLE,port=1,counter=8", "counts only on counters 0 to 7, not on counter 8" },
	{ __LINE__, "bbox/IMT_FULL,counter=4", "bbox has no counter 4: 0 to 3" },
	{ __LINE__, "bbox/IMT_FULL,counter=fixed", "does not count on the fixed counter" },
	{ __LINE__, "wbox/CLOCKTICKS,counter=0", "counts only on the fixed counter" },
	{ __LINE__, "wbox/CLOCKTICKS,threshold=1", "the fixed counter only counts" },
	/* match and mask */
	{ __LINE__, "bbox/MSG_ADDR_IN_MATCH,match=1", "'match' needs 'mask' too" },
	{ __LINE__, "bbox/MSG_ADDR_IN_MATCH", "'match' is required" },
	{ __LINE__, "bbox/MSG_ADDR_IN_MATCH,mask=1", "'match' is required" },
	{ __LINE__, "rbox/XBAR_MM,port=0,match=1", "'match' needs 'mask' too" },
	{ __LINE__, "rbox/XBAR_MM:DRS.ANYRESP,port=0,match=1,mask=1", "a unit mask already says what 'match' would say" },
	{ __LINE__, "rbox/XBAR_MM,port=0,flits=0", "flits=0 does not fit: 1 to 15" },
	{ __LINE__, "rbox/XBAR_MM,port=0,flits=16", "flits=16 does not fit: 1 to 15" },
	{ __LINE__, "sbox/TO_R_PROG_EV,mask=0x8000000000", "does not fit: 0 to 0x7fffffffff" },
	{ __LINE__, "mbox/DRAM_CMD:RAS,address_mask=1", "'address_mask' needs 'address' too" },
};

static void test_bad(void **state)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");

	(void)state;
	for (unsigned i = 0; i < COUNT(bad); i++) {
		struct spec s;
		struct spec_box box = { .selection.unit = 99, .pin = 77, .encoding = 77 };
		struct err err = { "" };

		assert_int_equal(spec_parse(arena, bad[i].spec, &s, &err), 0);
		if (spec_resolve(arena, p, &s, 0, &box, &err) == 0)
			fail_msg("line %d: %s was accepted", bad[i].line, bad[i].spec);
		if (!strstr(err.text, bad[i].part))
			fail_msg("line %d: %s: %s", bad[i].line, bad[i].spec, err.text);
		assert_true(box.selection.unit == 99 && box.pin == 77 && box.encoding == 77);
	}
}

/* What the canonical text of any event says is accepted again and says the same. */
static void test_round_trip(void **state)
{
	const struct cat_processor *p = cat_processor_by_name("nehalem-ex");
	unsigned n = 0;

	(void)state;
	for (unsigned b = 0; b < p->n_boxes; b++)
		for (unsigned e = 0; e < p->boxes[b]->n_events; e++)
			for (unsigned u = 0;
			     u < (p->boxes[b]->events[e].n_umasks
				  ? p->boxes[b]->events[e].n_umasks : 1u); u++) {
				const struct cat_event *ev = &p->boxes[b]->events[e];
				bool matches = strcmp(p->boxes[b]->name, "bbox") == 0 &&
					       strstr(ev->name, "_MATCH");
				char spec[256];
				struct spec s;
				struct spec_box box;
				struct err err = { "" };
				char *text;

				snprintf(spec, sizeof(spec), "%s%u/%s%s%s%s%s", p->boxes[b]->name,
					 p->boxes[b]->n_units - 1u, ev->name,
					 ev->n_umasks ? ":" : "",
					 ev->n_umasks ? ev->umasks[u].name : "",
					 p->boxes[b]->port_key ? ",port=3" : "",
					 matches ? ",match=0x0,mask=0x0" : "");
				assert_int_equal(spec_parse(arena, spec, &s, &err), 0);
				if (spec_resolve(arena, p, &s, 0, &box, &err) < 0) {
					/* ALL of rule 4 */
					assert_non_null(strstr(err.text, "exactly one unit mask"));
				} else {
					text = spec_text(&box.selection, true);
					assert_string_equal(text, spec);
					free(text);
					n++;
				}
			}
	assert_true(n > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_round_trip),
	};
	int r;

	arena = arena_new((size_t)1 << 30, NULL);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(arena);
	return r;
}
