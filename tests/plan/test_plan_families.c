/* SPDX-License-Identifier: MIT
 * Plans for Nehalem, Westmere, Westmere-EX and Ivytown: registers, keys,
 * constants, refusals.
 * Addresses and values are those of the manuals: SDM volume 3B 18.17.2 (document 253669-034),
 * 329468-002, and the kernel's uncore_snbep.c for devices of PCI space.
 */
#include "plan_test.h"

#define GROUP(events)  "groups = ( { name = \"a\"; events = [ " events " ]; } );\n"
#define WHOLE          (~UINT64_C(0))

static struct made make_on(const char *processor, const char *text)
{
	struct made m = make(text, processor, 1, NULL, false);

	for (size_t i = 0; m.r < 0 && i < m.d.n; i++)
		print_message("%s\n", m.d.v[i]);
	assert_int_equal(m.r, 0);
	return m;
}

/* The write to a register in a phase, which must be there. */
static const struct reg_write *the_write(const struct plan *p, enum plan_phase phase,
					 struct reg reg)
{
	const struct reg_write *w = write_at(p, 0, phase, reg);

	if (!w)
		fail_msg("no write to %s in phase %s", reg_text(reg).s, plan_phase_name(phase));
	assert_int_equal(w->reg.bytes, reg.bytes);
	return w;
}

static const struct plan_reg_slot *regslot(const struct plan *p, const char *identity)
{
	return &p->sockets[0].program->rounds[0].slots[slot_of(p, 0, identity)->engine_slot];
}

#define MSR(a)          ((struct reg){ SPACE_MSR, 8, 0, 0, (a) })
#define PCI(n, d, f, o) ((struct reg){ SPACE_PCI, (n), (d), (f), (o) })

/* ------------------------------------------------------------------ Nehalem, Westmere */

/* 18.17.2.1-2: event 7:0, unit mask 15:8, occupancy reset 17, edge 18, enable 22, invert 23,
 * threshold 31:24. */
static void nehalem_registers(void **state)
{
	static const struct { const char *identity; uint32_t ctl, value;
			      uint64_t pulse; } rows[] = {
		{ "uncore0/QMC_NORMAL_READS:ANY", 0x3c0, 0x40072c, 0 },
		{ "uncore0/GQ_CYCLES_FULL:READ_TRACKER,threshold=1,edge", 0x3c1, 0x1440100, 0 },
		{ "uncore0/QHL_OCCUPANCY:LOCAL", 0x3c2, 0x400423 | 1 << 17, 1 << 17 },
	};
	struct made m = make_on("nehalem", "freeze = true; "
				GROUP("\"uncore/QMC_NORMAL_READS:ANY,counter=0\", "
		"\"uncore/GQ_CYCLES_FULL:READ_TRACKER,threshold=1,edge,counter=1\", "
		"\"uncore/QHL_OCCUPANCY:LOCAL,counter=2\", \"uncore/CLK_UNHALTED\""));
	const struct plan_program *g = m.p->sockets[0].program;
	const struct plan_write *freeze = g->rounds[0].freeze.v;
	const struct reg_write *w;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		w = the_write(m.p, PHASE_ENABLE_COUNTER, MSR(rows[i].ctl));
		assert_true(w->value == rows[i].value && w->mask == WHOLE && w->enable == BIT(22));
		assert_true((w->check & rows[i].pulse) == 0 &&
			    (w->check & rows[i].value) == (rows[i].value & ~rows[i].pulse));
		assert_int_equal(regslot(m.p, rows[i].identity)->data.off, 0x3b0 + i);
		assert_int_equal(slot_of(m.p, 0, rows[i].identity)->width, 48);
	}
	/* MSR_UNCORE_FIXED_CTR_CTRL: EN bit 0; MSR_UNCORE_PERF_GLOBAL_CTRL (p 18-81, Figure 18-29):
	 * EN_PC0..7 = 7:0, EN_FC0 = 32 */
	w = the_write(m.p, PHASE_ENABLE_COUNTER, MSR(0x395));
	assert_true(w->value == 1 && w->enable == 1);
	assert_int_equal(regslot(m.p, "uncore0/CLK_UNHALTED")->data.off, 0x394);
	w = the_write(m.p, PHASE_ENABLE_BOX, MSR(0x391));
	assert_true(w->value == (BIT(32) | 7) && w->mask == w->value && w->check == w->value);
	/* MSR_UNCORE_PERF_GLOBAL_OVF_CTRL: the same bits */
	assert_int_equal(g->rounds[0].n_clear, 1);
	assert_int_equal(g->rounds[0].clear[0].reg.off, 0x393);
	assert_int_equal(regslot(m.p, "uncore0/QHL_OCCUPANCY:LOCAL")->clear, 0);
	assert_true(regslot(m.p, "uncore0/CLK_UNHALTED")->ovf_clear == BIT(32));
	assert_true(regslot(m.p, "uncore0/QHL_OCCUPANCY:LOCAL")->ovf_clear == 4);
	assert_int_equal(g->rounds[0].start.n, 5);
	assert_int_equal(g->n_counters, 9);
	assert_true(g->n_devices == 0 && g->anchor.device == 0);
	assert_int_equal(g->rounds[0].freeze.n, 2);
	assert_true(g->regs[freeze[0].reg].reg.off == 0x391 && freeze[0].value == 0);
	assert_true(g->regs[freeze[1].reg].reg.off == 0x391 && freeze[1].value == (BIT(32) | 7));
	made_done(&m);
}

/* Figure 18-31 MSR_UNCORE_ADDR_OPCODE_MATCH: address 39:3, opcode 47:40, MatchSel 63:61 (4 address,
 * 2 opcode, 6 either, 1 both). */
static void nehalem_match(void **state)
{
	static const struct { const char *keys; uint64_t value, mask; } rows[] = {
		{ "match=address,address=0x12340", UINT64_C(4) << 61 | 0x12340, UINT64_C(7) << 61 | UINT64_C(0xfffffffff8) },
		{ "match=opcode,opc=0x1a", UINT64_C(2) << 61 | UINT64_C(0x1a) << 40, UINT64_C(7) << 61 | UINT64_C(0xff) << 40 },
		{ "match=opcode,opc=0", UINT64_C(2) << 61, UINT64_C(7) << 61 | UINT64_C(0xff) << 40 },
		{ "match=either,address=0xfffffffff8,opc=0x1d",
		  UINT64_C(6) << 61 | UINT64_C(0x1d) << 40 | UINT64_C(0xfffffffff8),
		  UINT64_C(7) << 61 | UINT64_C(0xfffffffffff8) },
		{ "match=both,address=8,opc=0xff", UINT64_C(1) << 61 | UINT64_C(0xff) << 40 | 8,
		  UINT64_C(7) << 61 | UINT64_C(0xfffffffffff8) },
	};
	char text[256];

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct reg_write *w;
		struct made m;

		snprintf(text, sizeof(text), GROUP("\"uncore/ADDR_OPCODE_MATCH:LOCAL,%s\""),
			 rows[i].keys);
		m = make_on("westmere", text);
		w = the_write(m.p, PHASE_SELECT, MSR(0x396));
		assert_true(w->value == rows[i].value && w->mask == rows[i].mask &&
			    w->check == rows[i].mask);
		w = write_of(m.p, 0, PHASE_ENABLE_COUNTER, 0x3c0);
		assert_non_null(w);
		assert_int_equal(w->value, 0x400435);
		made_done(&m);
	}
}

#define MATCH "uncore/ADDR_OPCODE_MATCH:LOCAL"
static void nehalem_refusals(void **state)
{
	static const struct { const char *spec, *sentence; } rows[] = {
		{ MATCH, "uncore/ADDR_OPCODE_MATCH: 'match' is required" },
		{ MATCH ",address=0x40", "'address' needs 'match' too" },
		{ MATCH ",match=opcode", "'match=opcode' needs 'opc' too" },
		{ MATCH ",match=both,opc=1", "'match=both' needs 'address' too" },
		{ MATCH ",match=address,address=8,opc=1", "'opc' has no effect with match=address" },
		{ MATCH ",match=opcode,address=8,opc=1", "'address' has no effect with match=opcode" },
		{ MATCH ",match=4,address=8", "'match' is one of address, opcode, either and both" },
		{ MATCH ",match,address=8", "'match' is one of address, opcode, either and both" },
		{ MATCH ",match=address,address=0x44", "address=0x44 is not a multiple of 8" },
		{ MATCH ",match=address,address=0x10000000000", "address=0x10000000000 does not fit" },
		{ MATCH ",match=opcode,opc=0x100", "opc=0x100 does not fit" },
		{ "uncore/CLK_UNHALTED,threshold=1", "the fixed counter only counts" },
		{ "cbox/LLC_HITS:ALL", "westmere has no box 'cbox' (only uncore): it is a box of nehalem-ex, westmere-ex and ivytown" },
	};
	char text[256];

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		snprintf(text, sizeof(text), GROUP("\"%s\""), rows[i].spec);
		m = make(text, "westmere", 1, NULL, false);
		assert_int_not_equal(m.r, 0);
		assert_int_equal(m.d.n, 1);
		if (!strstr(m.d.v[0], rows[i].sentence))
			fail_msg("%s: %s", rows[i].spec, m.d.v[0]);
		made_done(&m);
	}
	refuse_on("westmere",
		  GROUP("\"" MATCH ",match=opcode,opc=0x1a\", \"" MATCH ",match=opcode,opc=0x1d\""),
		  "t.conf:1: group 'a': uncore: ADDR_OPCODE_MATCH:LOCAL,opc=0x1a,match=opcode and "
		  "ADDR_OPCODE_MATCH:LOCAL,opc=0x1d,match=opcode need different values in "
		  "MSR_UNCORE_ADDR_OPCODE_MATCH, which they share; move one of them to another "
		  "group");
}

/* ------------------------------------------------------------------ Ivytown */

/* 329468-002 2.5, uncore_snbep.c: box control 0xf4, controls 0xd8 + 4n, counters 0xa0 + 8n, fixed
 * 0xf0 and 0xd0; channel 0 is device 16 function 4, and there is no enable of the box: frz (8) is
 * cleared. */
static void ivytown_registers(void **state)
{
	struct made m = make_on("ivytown",
				GROUP("\"imc0/CAS_COUNT:RD,counter=0\", "
		"\"imc0/CAS_COUNT:WR,counter=1\", \"imc0/DCLK\", "
		"\"ubox/UCLK\", \"qpi1/CTO_COUNT,match0=0x1c00,mask0=0x1f80\", "
		"\"ha0/ADDR_OPC_MATCH:FILT,address=0x123456789c0,opc=0x2a\""));
	const struct plan_program *g = m.p->sockets[0].program;
	const struct reg_write *w;

	(void)state;
	w = the_write(m.p, PHASE_ENABLE_COUNTER, PCI(4, 16, 4, 0xd8));
	assert_true(w->value == 0x400304 && w->enable == BIT(22));
	w = the_write(m.p, PHASE_ENABLE_COUNTER, PCI(4, 16, 4, 0xdc));
	assert_true(w->value == 0x400c04);
	w = the_write(m.p, PHASE_ENABLE_COUNTER, PCI(4, 16, 4, 0xf0));
	assert_true(w->value == BIT(22));
	w = the_write(m.p, PHASE_ENABLE_BOX, PCI(4, 16, 4, 0xf4));
	assert_true(w->value == 0x30000 && w->mask == 0x30100 && w->check == 0x100);
	assert_true(reg_equal(regslot(m.p, "imc0/CAS_COUNT:WR")->data, PCI(8, 16, 4, 0xa8)));
	assert_int_equal(regslot(m.p, "imc0/CAS_COUNT:WR")->data.bytes, 8);
	assert_true(reg_equal(regslot(m.p, "imc0/DCLK")->data, PCI(8, 16, 4, 0xd0)));
	/* unfrz_all is an action: written, never compared */
	w = the_write(m.p, PHASE_ENABLE_GLOBAL, MSR(0xc00));
	assert_true((w->value & (BIT(29) | BIT(31))) == BIT(29) &&
		    !(w->check & (BIT(29) | BIT(31))));
	/* UBox: MSRs C08 and C09, no box control; its fixed counter has 48 bits */
	w = the_write(m.p, PHASE_ENABLE_COUNTER, MSR(0xc08));
	assert_true(w->value == BIT(22));
	assert_int_equal(slot_of(m.p, 0, "ubox0/UCLK")->width, 48);
	/* the packet match of the second link is in function 6 of its device, its counters in
	 * function 2 */
	assert_int_equal(the_write(m.p, PHASE_SELECT, PCI(4, 9, 6, 0x228))->value, 0x1c00);
	assert_int_equal(the_write(m.p, PHASE_SELECT, PCI(4, 9, 6, 0x238))->value, 0x1f80);
	assert_int_equal(regslot(m.p, "qpi1/CTO_COUNT,match0=0x1c00,mask0=0x1f80")->data.dev, 9);
	assert_int_equal(regslot(m.p, "qpi1/CTO_COUNT,match0=0x1c00,mask0=0x1f80")->data.fn, 2);
	/* address 45:6 in two registers: 31:6 and 13:0 */
	assert_int_equal(the_write(m.p, PHASE_SELECT, PCI(4, 14, 1, 0x40))->value, 0x456789c0);
	assert_int_equal(the_write(m.p, PHASE_SELECT, PCI(4, 14, 1, 0x44))->value, 0x123);
	assert_int_equal(the_write(m.p, PHASE_SELECT, PCI(4, 14, 1, 0x48))->value, 0x2a);

	/* UBox 2 + 1 fixed, 15 C-Boxes and the PCU 4 each, 2 HA of 4, 8 channels of 4 + 1 fixed,
	 * IRP 4, 3 links of 4, R2PCIe 4, 3 R3QPI of 3 */
	assert_int_equal(g->n_counters, 3 + 15 * 4 + 4 + 2 * 4 + 8 * 5 + 4 + 3 * 4 + 4 + 3 * 3);
	assert_int_equal(g->anchor.device, 0x0e1e);
	for (unsigned i = 0, found = 0; i <= g->n_devices; i++) {
		assert_true(i < g->n_devices || found == 3);
		found += i < g->n_devices &&
			((g->devices[i].dev == 16 && g->devices[i].fn == 4 &&
			  g->devices[i].id == 0x0eb4) ||
			 (g->devices[i].dev == 9 && g->devices[i].fn == 2 &&
			  g->devices[i].id == 0x0e33) ||
			 (g->devices[i].dev == 9 && g->devices[i].fn == 6 &&
			  g->devices[i].id == 0x0e96));
	}
	made_done(&m);
}

static void ivytown_keys(void **state)
{
	(void)state;
	refuse_on("ivytown", GROUP("\"ha/ADDR_OPC_MATCH:ADDR\""),
		  "t.conf:1: ha/ADDR_OPC_MATCH: 'address' is required with this unit mask; "
		  "address=...: Count only requests to the cache line at this system address, a "
		  "multiple of 64");
	refuse_on("ivytown", GROUP("\"ha/ADDR_OPC_MATCH:ADDR,address=0x40,opc=1\""),
		  "t.conf:1: ha/ADDR_OPC_MATCH: 'opc' has no effect with this unit mask");
	refuse_on("ivytown", GROUP("\"ha/ADDR_OPC_MATCH:ADDR,address=0x44\""),
		  "t.conf:1: ha/ADDR_OPC_MATCH: address=0x44 is not a multiple of 64");
	refuse_on("ivytown", GROUP("\"cbox/TOR_INSERTS:ALL,opc=0x182\""),
		  "t.conf:1: cbox/TOR_INSERTS: 'opc' has no effect with this unit mask");
	refuse_on("ivytown", GROUP("\"cbox/TOR_INSERTS:NID_ALL\""),
		  "t.conf:1: cbox/TOR_INSERTS: 'nid' is required with this unit mask; "
		  "nid=...: Count only requests to these nodes, a bit for each: 1 is node 0, 2 "
		  "node 1, 3 both");
	/* not the number of a node: no bit, no node, nothing counted */
	refuse_on("ivytown", GROUP("\"cbox/TOR_INSERTS:NID_ALL,nid=0\""),
		  "t.conf:1: cbox/TOR_INSERTS: nid=0 does not fit: 1 to 65535");
}

/* ------------------------------------------------------------------ constants */

#define LINKS GROUP("\"qpi/TXL_FLITS_G0:DATA\", \"qpi/TXL_FLITS_G0:NON_DATA\"")
#define USED  "link_sent_utilization_ratio"

/* Link u carries (u + 1) GB/s, but one does not say. */
static void link_rates(const struct cat_processor *p, unsigned silent, struct plan_constant ret[3])
{
	assert_int_equal(p->n_constants, 1);
	assert_string_equal(p->constants[0].name, "link_bytes");
	for (unsigned u = 0; u < 3; u++)
		ret[u] = (struct plan_constant){ p->constants, 0, u,
						 u == silent ? 0 : 1e9 * (u + 1) };
}

static void constants_of_units(void **state)
{
	for (unsigned silent = 0; silent < 4; silent++) {
		struct topo *t = topo_model(6, 0x3e, 1, 8);
		struct diags d = { 0 };
		struct conf *c = NULL;
		struct made m = { 0 };
		struct plan_constant rates[3];
		const struct plan_constants constants = { rates, 3 };
		struct plan_input in = { .processor = cat_processor_by_name("ivytown"), .topo = t,
					 .constants = &constants };

		link_rates(in.processor, silent, rates);
		assert_int_equal(conf_parse("t.conf", LINKS, strlen(LINKS), &c, &d), 0);
		in.conf = c;
		assert_int_equal(plan_build(&in, &m.p, &d), 0);
		conf_free(c);
		topo_free(t);
		assert_int_equal(metrics_of(m.p, USED, NULL, NULL), silent < 3 ? 2 : 3);
		for (unsigned u = 0; u < 3; u++) {
			const struct plan_metric *x = NULL;
			char labels[64];

			snprintf(labels, sizeof(labels), ",unit=\"%u\",link=\"qpi%u\"", u, u);
			assert_int_equal(metrics_of(m.p, USED, labels, &x), u != silent);
			if (!x)
				continue;
			assert_int_equal(x->den.n, 1);
			assert_int_equal(x->den.v[0].slot, -1);
			assert_true(x->den.v[0].weight > 1e9 * (u + 1) * 0.999 &&
				    x->den.v[0].weight < 1e9 * (u + 1) * 1.001);
		}
		made_done(&m);
		diags_done(&d);
	}
	(void)state;
}

/* ------------------------------------------------------------------ metrics */

struct events {                         /* of one metric, as a configuration names them */
	const char *seen[40];
	unsigned n;
	char text[2048];
};

/* Once each, with a port, and with a value of keys that the row leaves open. */
static void add_event(const struct cat_processor *p, struct events *v, const char *spec)
{
	size_t box = strcspn(spec, "/"), event;
	const struct cat_event *e;
	const struct cat_box *b;
	char name[64];

	for (unsigned i = 0; i < v->n; i++)
		if (strcmp(v->seen[i], spec) == 0)
			return;
	if (!spec[box])                         /* seconds, a constant */
		return;
	v->seen[v->n++] = spec;
	snprintf(name, sizeof(name), "%.*s", (int)box, spec);
	b = cat_box_by_name(p, name);
	assert_non_null(b);
	event = strcspn(spec + box + 1, ":,");
	snprintf(name, sizeof(name), "%.*s", (int)event, spec + box + 1);
	e = cat_event_by_name(b, name);
	assert_non_null(e);
	box = strlen(v->text);
	box += (size_t)snprintf(v->text + box, sizeof(v->text) - box, "%s\"%s%s",
				v->n > 1 ? ", " : "", spec, b->port_key ? ",port=1" : "");
	for (unsigned i = 0; e->selector && i < e->selector->n_keys; i++)
		if (e->selector->keys[i].free)
			box += (size_t)snprintf(v->text + box, sizeof(v->text) - box, ",%s=17",
						e->selector->keys[i].name);
	snprintf(v->text + box, sizeof(v->text) - box, "\"");
}

/* A row whose events no group can hold, or that does not know them again, would never be seen by
 * anybody. */
static void every_metric_can_be_had(void **state)
{
	(void)state;
	for (unsigned i = 0; i < cat_n_processors; i++)
		for (unsigned k = 0; k < cat_processors[i]->metrics->n; k++) {
			const struct cat_metric *m = &cat_processors[i]->metrics->v[k];
			const struct cat_guard none = { 0 }, *g = m->guard ? m->guard : &none;
			const struct cat_term *const sums[] = { m->num, m->den, g->num, g->den };
			struct events v = { 0 };
			char text[2200];
			struct made made;

			if (m->knee)            /* a curve decides about it */
				continue;
			for (unsigned s = 0; s < COUNT(sums); s++)
				for (const struct cat_term *t = sums[s]; t && t->spec; t++)
					add_event(cat_processors[i], &v, t->spec);
			if (m->cycles_of)
				add_event(cat_processors[i], &v, m->cycles_of);
			snprintf(text, sizeof(text), GROUP("%s"), v.text);
			if (m->on_request)      /* its events do not bring it */
				snprintf(text, sizeof(text), "groups = ( { name = \"a\"; "
					 "metrics = [ \"%s\" ]; } );", m->name);
			made = make_on(cat_processors[i]->name, text);
			if (!metrics_of(made.p, m->name, NULL, NULL) ||
			    made.p->sockets[0].n_rounds != 1)
				fail_msg("%s %s: %s", cat_processors[i]->name, m->name, text);
			made_done(&made);
		}
}

/* Two bands of one event: which of them would the metric be? 0x0b + k compares with byte k: one of
 * them moves. */
static void a_metric_of_two_is_none(void **state)
{
	struct made m = make_on("ivytown", GROUP("\"pcu/FREQ_BAND0_CYCLES,band=12\", "
						 "\"pcu/CLOCKTICKS\", "
						 "\"pcu/FREQ_BAND1_CYCLES,band=20\""));

	(void)state;
	assert_int_equal(metrics_of(m.p, "frequency_band0_ratio", "", NULL), 1);
	assert_int_equal(metrics_of(m.p, "frequency_band1_ratio", "", NULL), 1);
	made_done(&m);
	m = make_on("ivytown", GROUP("\"pcu/FREQ_BAND0_CYCLES,band=12\", \"pcu/CLOCKTICKS\", "
				     "\"pcu/FREQ_BAND0_CYCLES,band=20\""));
	assert_int_equal(metrics_of(m.p, "frequency_band0_ratio", NULL, NULL), 0);
	assert_int_equal(m.p->sockets[0].rounds[0].n_slots, 3);
	made_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nehalem_registers),
		cmocka_unit_test(nehalem_match),
		cmocka_unit_test(nehalem_refusals),
		cmocka_unit_test(ivytown_registers),
		cmocka_unit_test(ivytown_keys),
		cmocka_unit_test(constants_of_units),
		cmocka_unit_test(every_metric_can_be_had),
		cmocka_unit_test(a_metric_of_two_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
