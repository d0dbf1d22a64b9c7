/* SPDX-License-Identifier: MIT
 * Overflow windows: the worked example of the guide as writes, and everything
 * that is refused. */
#include "plan_test.h"

#define WINDOW(event, count) "window = { event = \"" event "\"; count = " count "; };"
#define GROUP(window, events) \
	"groups = ( { name = \"w\";\n" window "\nevents = [ " events " ]; } );"
#define CLOCK "\"wbox/CLOCKTICKS\", "

static void has_bits(const struct plan_bits *is, uint32_t off, uint64_t bits)
{
	assert_int_equal(is->reg.off, off);
	assert_true(is->bits == bits);
}

static void acknowledges(const struct plan *p, unsigned i, uint32_t off, uint64_t bits)
{
	const struct plan_program *g = p->sockets[0].program;
	const struct plan_write *w = &g->rounds[0].overflow.acknowledge.v[i];

	assert_int_equal(g->regs[w->reg].reg.off, off);
	assert_true(w->value == bits);
}

/*
 * 323535-001 pages 2-1 and 2-2: counter 3 of B-Box 1 shall stop all counting at its 1,000th event.
 * 2.1.2 d: bit 3 of the box's global control. e: data register 2^48 - 1000, pmi_en of the control
 * register, frz_all. f: en_all, with rst_all 0 in the same write. 2.1.4 b: clr_ov[3] in that B-Box;
 * above it are ov_mb of S-Box 1 and ov_s1. The guide's event SNP_MERGE is in no list; CONFLICTS is
 * one that counts on counter 3. pmi_core_sel stays 0: nobody waits for an interrupt.
 */
static void worked_example(void **state)
{
	struct made m = make_nhmex(GROUP(WINDOW("bbox1/CONFLICTS", "1000"),
					 CLOCK "\"bbox1/CONFLICTS\""));
	const struct plan_reg_round *r = &m.p->sockets[0].program->rounds[0];
	const struct plan_overflow *o = &r->overflow;
	const struct reg_write *w;

	(void)state;
	w = write_of(m.p, 0, PHASE_PRELOAD, 0xc77);
	assert_true(w->value == (UINT64_C(1) << 48) - 1000 && w->check == 0);
	w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0xc76);
	assert_int_equal(w->value, 1 << 20 | 0x17 << 1 | 1);
	assert_int_equal(w->check & 1 << 20, 1 << 20);
	w = write_of(m.p, 0, PHASE_ENABLE_BOX, 0xc60);
	assert_int_equal(w->value, 1 << 3);
	w = write_of(m.p, 0, PHASE_ENABLE_GLOBAL, 0xc00);
	assert_int_equal(w->value, UINT64_C(0x90000000));
	assert_int_equal(w->mask, UINT64_C(0xb00001fe));
	assert_int_equal(w->check, UINT64_C(0x900001fe));
	for (unsigned i = 1; i < r->start.n; i++)
		assert_true(r->start.v[i - 1].phase <= r->start.v[i].phase);

	assert_int_equal(plan_preload(o)->value, (UINT64_C(1) << 48) - 1000);
	assert_int_equal(r->slots[o->slot].data.off, 0xc77);
	assert_int_equal(o->n_status, 3);
	has_bits(&o->status[0], 0xc01, 1 << 30 | 1 << 2);
	has_bits(&o->status[1], 0xcc3, 1 << 16);
	has_bits(&o->status[2], 0xc61, 1 << 3);
	assert_int_equal(o->acknowledge.n, 2);
	acknowledges(m.p, 0, 0xc62, 1 << 3);
	acknowledges(m.p, 1, 0xc02, UINT64_C(3) << 30 | 1 << 2);
	assert_string_equal(o->status[0].name, "U_MSR_PMON_GLOBAL_STATUS");
	made_done(&m);
}

/* Where an overflow of each box is told of (Tables 2-3 and 2-26), and where its control register
 * says so. */
static void every_box_of_the_xeon_7500(void **state)
{
	static const struct { int line; const char *spec; uint32_t ctl; uint64_t pmi_en;
			      uint32_t ov, s; uint64_t summary; } rows[] = {
		{ __LINE__, "ubox/U2R_REQUESTS", 0xc10, BIT(20), 1, 0, 0 },
		{ __LINE__, "wbox/C_CYCLES_TURBO", 0xc90, BIT(20), 2, 0, 0 },
		{ __LINE__, "cbox1/MAF_ACK", 0xd90, BIT(20), 8, 0xc43, BIT(2) },
		{ __LINE__, "cbox3/MAF_ACK", 0xdd0, BIT(20), 8, 0xc43, BIT(0) },
		{ __LINE__, "cbox4/MAF_ACK", 0xd30, BIT(20), 4, 0xcc3, BIT(2) },
		{ __LINE__, "cbox7/MAF_ACK", 0xdf0, BIT(20), 4, 0xcc3, BIT(0) },
		{ __LINE__, "bbox0/IMT_INSERTS_ALL", 0xc32, BIT(20), 8, 0xc43, BIT(16) },
		{ __LINE__, "sbox1/REQ_TBL_OCCUPANCY", 0xcd0, BIT(20), 4, 0xcc3, BIT(18) },
		{ __LINE__, "rbox/FLITS_SENT,port=1", 0xe10, BIT(6), 8, 0xc43, BIT(19) },
		{ __LINE__, "rbox/FLITS_SENT,port=4", 0xe30, BIT(6), 4, 0xcc3, BIT(19) },
		{ __LINE__, "mbox1/CYCLES", 0xcf0, BIT(1), 4, 0xcc3, BIT(16) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[512];
		struct made m;
		const struct plan_overflow *w;
		unsigned n_status = rows[i].ov == 1 ? 1 : 2;

		if (rows[i].s)
			n_status = 3;
		snprintf(text, sizeof(text), "groups = ( { name = \"w\"; window = { event = "
					     "\"%s\"; count = 5000; }; events = [ "
			 CLOCK "\"%s\" ]; } );", rows[i].spec, rows[i].spec);
		m = make_nhmex(text);
		w = &m.p->sockets[0].program->rounds[0].overflow;
		if ((write_of(m.p, 0, PHASE_ENABLE_COUNTER, rows[i].ctl)->value & rows[i].pmi_en) !=
		    rows[i].pmi_en ||
		    w->status[0].bits != (BIT(30) | rows[i].ov) ||
		    (rows[i].s && (w->status[1].reg.off != rows[i].s ||
				   w->status[1].bits != rows[i].summary)) ||
		    w->n_status != n_status)
			fail_msg("row of line %d", rows[i].line);
		made_done(&m);
	}
}

/* 329468-002 2.2.2.1, 2.10.2.1, p 18: ov_en, the box's status, the socket's; both are cleared by
 * writing 1 to them. 44 bits. */
static void ivytown(void **state)
{
	struct made m = make(GROUP(WINDOW("r3qpi1/RXR_INSERTS:DRS", "1000"),
				   "\"ubox/UCLK\", \"r3qpi/RXR_INSERTS:DRS\""), "ivytown", 1,
			     NULL, false);
	const struct plan_reg_round *r = &m.p->sockets[0].program->rounds[0];
	const struct reg_write *w = NULL;

	(void)state;
	assert_int_equal(m.r, 0);
	for (unsigned i = 0; i < r->start.n; i++) {
		const struct reg_write *x = write_nth(m.p, 0, i);

		if (x->phase == PHASE_PRELOAD)
			w = x;
		if (x->phase == PHASE_ENABLE_COUNTER)
			assert_int_equal(!!(x->value & BIT(20)),
					 w && x->reg.dev == 19 && x->reg.fn == 6);
	}
	assert_true(w->value == BIT(44) - 1000 && w->reg.bytes == 8 && w->reg.dev == 19 &&
		    w->reg.fn == 6);
	assert_true(reg_equal(w->reg, r->slots[r->overflow.slot].data));
	w = write_of(m.p, 0, PHASE_ENABLE_GLOBAL, 0xc00);
	assert_int_equal(w->value, 1 << 29);
	assert_int_equal(w->mask, UINT64_C(0xa0007fff));
	assert_int_equal(w->check, 0x7fff);
	assert_int_equal(r->overflow.n_status, 2);
	has_bits(&r->overflow.status[0], 0xc01, BIT(25));
	has_bits(&r->overflow.status[1], 0xf8, BIT(0));
	assert_int_equal(r->overflow.status[1].reg.fn, 6);
	assert_int_equal(r->overflow.acknowledge.n, 2);
	acknowledges(m.p, 0, 0xf8, BIT(0));
	acknowledges(m.p, 1, 0xc01, BIT(25));
	made_done(&m);
}

static void refusals(void **state)
{
#define B0 "bbox0/IMT_INSERTS_ALL"
	(void)state;
	refuse(GROUP(WINDOW("bbox0/IMT_INSERTS_RD", "5000"), CLOCK "\"" B0 "\""),
	       "t.conf:2: window of group 'w': bbox0/IMT_INSERTS_RD is not among the group's "
	       "events; add it");
	refuse(GROUP(WINDOW("bbox/IMT_INSERTS_ALL", "5000"), CLOCK "\"bbox/IMT_INSERTS_ALL\""),
	       "t.conf:2: window of group 'w': bbox/IMT_INSERTS_ALL is counted by 2 units, but "
	       "only one counter can end a window; name one unit: bbox0/IMT_INSERTS_ALL");
	refuse(GROUP(WINDOW("bbox0/NIX", "5000"),
		     CLOCK "\"" B0 "\""), "t.conf:2: bbox has no event 'NIX'; see: uncorectl list "
					  "events --processor nehalem-ex");
	refuse(GROUP(WINDOW("wbox/CLOCKTICKS", "5000"), CLOCK "\"" B0 "\""),
	       "t.conf:2: window of group 'w': no manual says how an overflow of the fixed counter "
	       "of wbox0 stops the counters; choose an event of another counter to end the window");
	refuse(GROUP(WINDOW(B0, "5000"), "\"" B0 "\""),
	       "t.conf:2: window of group 'w': the group must also count a clock to time each "
	       "window; add wbox/CLOCKTICKS to its events");
	refuse(GROUP(WINDOW(B0, "\n\"140737488355329\""), CLOCK "\"" B0 "\""),
	       "t.conf:3: window of group 'w': count 140737488355329 is too large for the 48-bit "
	       "counter of bbox0/IMT_INSERTS_ALL, which must be read before it can wrap; the "
	       "largest count allowed is 140737488355328");
	/* p 2-128: W-Box values that end in 0x000000 or 0x000001 read wrong; those before them are
	 * not to be preloaded either. */
	for (uint64_t n = UINT64_C(1) << 24; n < (1 << 24) + 5; n++) {
		char text[512], want[256];
		struct made m;

		snprintf(text, sizeof(text),
			 GROUP(WINDOW("wbox/C_CYCLES_TURBO", "%u"),
			       CLOCK "\"wbox/C_CYCLES_TURBO\""), (unsigned)n - 1);
		snprintf(want, sizeof(want), "t.conf:2: window of group 'w': count %u needs a "
			 "start value of wbox0/C_CYCLES_TURBO:ALL "
			 "that its hardware misreads; add 4 to it", (unsigned)n - 1);
		if (n < (1 << 24) + 4) {
			refuse(text, want);
			continue;
		}
		m = make_nhmex(text);
		made_done(&m);
	}
	refuse(GROUP(WINDOW("perf/msr/tsc/", "5000"), CLOCK "\"" B0 "\""),
	       "t.conf:2: window of group 'w': perf/msr/tsc/ counts through perf_event, where an "
	       "overflow cannot stop the counters; name an event that counts through registers");
	refuse("freeze = true; " GROUP(WINDOW(B0, "5000"), CLOCK "\"" B0 "\""),
	       "t.conf:2: window of group 'w': freeze = true stops the counters at each sample, "
	       "but a window must run on; use only one of the two");
	refuse("groups = ( { name = \"a\"; " WINDOW(B0, "5000")
	       " events = [ " CLOCK "\"" B0 "\" ]; },\n"
	       "{ name = \"b\"; "
	       WINDOW("mbox0/CYCLES", "5000") " events = [ \"mbox0/CYCLES\" ]; } );",
	       "t.conf:2: groups 'a' and 'b' run at the same time and both have a window; the end "
	       "of a window stops the counters of both groups, so only one of them can have one");
	refuse_on("nehalem", GROUP(WINDOW("uncore/LLC_MISS:ANY", "5000"),
				   "\"uncore/CLK_UNHALTED\", \"uncore/LLC_MISS:ANY\""),
		  "t.conf:2: window of group 'w': on nehalem an overflow cannot stop the counters "
		  "without an interrupt; windows work only on nehalem-ex, westmere-ex and ivytown");
	/* a clock that counts some of its cycles tells no time */
#define NO_CLOCK(clock) \
	refuse_on("ivytown", GROUP(WINDOW("ha0/REQUESTS:READS", "5000"), \
				   "\"ha0/REQUESTS:READS\", \"" clock "\""), \
		  "t.conf:2: window of group 'w': the group must also count a clock to time each " \
		  "window; add ubox/UCLK to its events")
	NO_CLOCK("ha0/CLOCKTICKS,threshold=1");
	NO_CLOCK("ha0/CLOCKTICKS,edge");
	refuse_on("westmere-ex", GROUP(WINDOW("cbox8/MAF_ACK", "5000"), CLOCK "\"cbox/MAF_ACK\""),
		  "t.conf:2: window of group 'w': no manual says how an overflow of a counter of "
		  "cbox8 stops the counters; choose an event of another counter to end the window");
	refuse_on("ivytown", GROUP(WINDOW("imc0/DCLK", "5000"), "\"imc/DCLK\""),
		  "t.conf:2: window of group 'w': no manual says how an overflow of the fixed "
		  "counter of imc0 stops the counters; choose an event of another counter to end "
		  "the window");
	refuse_on("ivytown", GROUP(WINDOW("irp/RXR_AK_INSERTS", "5000"),
				   "\"ubox/UCLK\", \"irp/RXR_AK_INSERTS\""),
		  "t.conf:2: window of group 'w': no manual says how an overflow of a counter of "
		  "irp0 stops the counters; choose an event of another counter to end the window");
	refuse_on("ivytown", GROUP(WINDOW("r3qpi0/RXR_INSERTS:DRS", "\"8796093022209\""),
				   "\"ubox/UCLK\", \"r3qpi0/RXR_INSERTS:DRS\""),
		  "t.conf:2: window of group 'w': count 8796093022209 is too large for the 44-bit "
		  "counter of r3qpi0/RXR_INSERTS:DRS, which must be read before it can wrap; the "
		  "largest count allowed is 8796093022208");
}

/* A kernel's event in the group would count on while the others stand still. */
static void no_perf_event_beside_it(void **state)
{
	static struct topo_term format = { .name = (char *)"event", .text = (char *)"config:0-63" };
	static struct topo_term tsc = { .name = (char *)"tsc", .text = (char *)"event=0x00" };
	static struct topo_pmu msr = { .name = (char *)"msr", .type = 9, .format = &format,
				       .n_format = 1, .events = &tsc, .n_events = 1 };
	const struct topo_pmus pmus = { .v = &msr, .n = 1 };
	struct made m = make(GROUP(WINDOW(B0, "5000"), CLOCK "\"" B0 "\",\n\"perf/msr/tsc/\""),
			     "nehalem-ex", 1, &pmus, false);

	(void)state;
	assert_int_not_equal(m.r, 0);
	assert_string_equal(m.d.v[0], "t.conf:4: window of group 'w': perf/msr/tsc/ counts through "
			    "perf_event and would not stop with the window; move it to another "
			    "group");
	made_done(&m);
}

/* The smallest one, and the largest of each width. */
static void smallest_and_largest(void **state)
{
	static const struct { const char *processor, *conf; uint64_t preload; } rows[] = {
		{ "nehalem-ex", GROUP(WINDOW(B0, "1"), CLOCK "\"" B0 "\""), (UINT64_C(1) << 48) - 1 },
		{ "nehalem-ex", GROUP(WINDOW(B0, "\"140737488355328\""), CLOCK "\"" B0 "\""), UINT64_C(1) << 47 },
		{ "ivytown", GROUP(WINDOW("r3qpi0/RXR_INSERTS:DRS", "1"),
				   "\"ubox/UCLK\", \"r3qpi0/RXR_INSERTS:DRS\""),
		  (UINT64_C(1) << 44) - 1 },
		{ "ivytown", GROUP(WINDOW("r3qpi0/RXR_INSERTS:DRS", "\"8796093022208\""),
				   "\"ubox/UCLK\", \"r3qpi0/RXR_INSERTS:DRS\""),
		  UINT64_C(1) << 43 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct made m = make(rows[i].conf, rows[i].processor, 1, NULL, false);

		assert_int_equal(m.r, 0);
		assert_true(plan_preload(&m.p->sockets[0].program->rounds[0].overflow)->value ==
			    rows[i].preload);
		made_done(&m);
	}
}

/* Groups that take turns may have a window each. */
static void turns(void **state)
{
	struct made m = make_nhmex("groups = ( { name = \"a\"; " WINDOW("bbox0/IMT_FULL", "5000")
		" events = [ " CLOCK "\"bbox0/IMT_FULL\" ]; },"
		"{ name = \"b\"; "
		WINDOW("bbox0/CONFLICTS",
		       "6000") " events = [ \"mbox0/CYCLES\", \"bbox0/CONFLICTS\" ]; } );");
	const struct plan_socket *s = &m.p->sockets[0];

	(void)state;
	assert_int_equal(s->n_rounds, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(s->rounds[i].overflow_window.count, i ? 6000 : 5000);
		assert_int_equal(s->rounds[i].overflow_window.group, i);
		assert_string_equal(s->rounds[i].slots[s->rounds[i].overflow_window.slot].identity,
				    i ? "bbox0/CONFLICTS" : "bbox0/IMT_FULL");
		assert_string_equal(s->rounds[i].slots[s->rounds[i].overflow_window.clock].identity,
				    i ? "mbox0/CYCLES" : "wbox0/CLOCKTICKS");
	}
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(every_box_of_the_xeon_7500),
		cmocka_unit_test(ivytown),
		cmocka_unit_test(refusals),
		cmocka_unit_test(no_perf_event_beside_it),
		cmocka_unit_test(smallest_and_largest),
		cmocka_unit_test(turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
