/* test_families.c - every family of registers counts exactly: all counters of all boxes at once, over wraps of every
 * width, with rotation, freeze, somebody who interferes, and nothing left behind.
 */
#include "config.h"

#include "rig.h"

struct family {
	const char *name;
	unsigned counters;          /* of a socket */
	const char *events;         /* fill them all */
	const char *clock;          /* identity of a slot that always counts */
};

#define NEHALEM_EVENTS \
	"\"uncore/CLK_UNHALTED\", \"uncore/LLC_MISS:ANY\", \"uncore/LLC_HITS:ANY,threshold=1\", " \
	"\"uncore/QHL_OCCUPANCY:LOCAL\", \"uncore/QMC_WRITES:FULL_ANY\", \"uncore/QMC_NORMAL_READS:ANY\", " \
	"\"uncore/GQ_ALLOC:READ_TRACKER\", \"uncore/QMC_BUSY:READ_CH0,threshold=1,edge\", "
/* IRP: its events are listed for counters 0 and 1 only. */
#define IVYTOWN_EVENTS \
	"\"ubox/UCLK\", \"ubox/LOCK_CYCLES\", \"ubox/CLOCKTICKS\", " \
	"\"cbox/TOR_OCCUPANCY:ALL\", \"cbox/LLC_LOOKUP:ANY,state=0x3e\", \"cbox/RING_AD_USED:CW\", \"cbox/RING_BL_USED:CCW\", " \
	"\"pcu/CLOCKTICKS\", \"pcu/FREQ_BAND0_CYCLES,band=20\", \"pcu/POWER_STATE_OCCUPANCY:CORES_C0\", " \
	"\"pcu/FREQ_TRANS_CYCLES\", " \
	"\"ha/CLOCKTICKS\", \"ha/REQUESTS:READS\", \"ha/REQUESTS:WRITES\", \"ha/IMC_READS:NORMAL\", " \
	"\"imc/DCLK\", \"imc/CAS_COUNT:RD\", \"imc/CAS_COUNT:WR\", \"imc/ACT_COUNT:RD\", \"imc/PRE_COUNT:PAGE_MISS\", " \
	"\"irp/CLOCKTICKS\", \"irp/RXR_AK_INSERTS\", " \
	"\"qpi/CLOCKTICKS\", \"qpi/TXL_FLITS_G0:DATA\", \"qpi/TXL_FLITS_G1:SNP\", " \
	"\"qpi/CTO_COUNT,match0=0x1c00,mask0=0x1f80\", " \
	"\"r2pcie/CLOCKTICKS\", \"r2pcie/RXR_OCCUPANCY:DRS\", \"r2pcie/RING_AD_USED:CW\", \"r2pcie/RXR_INSERTS:NCB\", " \
	"\"r3qpi/RXR_OCCUPANCY:DRS\", \"r3qpi/RXR_INSERTS:DRS\", \"r3qpi/RING_BL_USED:CW\""
static const struct family families[] = {
	{ "ivytown", 142, IVYTOWN_EVENTS, "ubox0/UCLK" },
	{ "nehalem-ex", 98, RIG_ALL_EVENTS, "wbox0/CLOCKTICKS" },
	{ "westmere-ex", 110, RIG_ALL_EVENTS, "wbox0/CLOCKTICKS" },
	{ "nehalem", 9, NEHALEM_EVENTS "\"uncore/QMC_NORMAL_FULL:READ_CH0\"", "uncore0/CLK_UNHALTED" },
	{ "westmere", 9, NEHALEM_EVENTS "\"uncore/ADDR_OPCODE_MATCH:LOCAL,match=both,address=0x12340,opc=0x1a\"",
	  "uncore0/CLK_UNHALTED" },
};

static char *all(const struct family *f, const char *settings)
{
	static char text[16384];

	snprintf(text, sizeof(text), "%s groups = ( { name = \"all\"; events = [ %s ]; } );", settings, f->events);
	return text;
}

/* Everything that the catalog says is there, but counts and what only tells of overflows. */
static unsigned peek(struct rig *r, unsigned socket, uint64_t *v, unsigned most)
{
	unsigned n = 0;

	for (const struct cat_box *b = r->cpu->boxes; b < r->cpu->boxes + r->cpu->n_boxes; b++)
		for (const struct cat_reg *row = b->regs; row < b->regs + b->n_regs; row++)
			for (unsigned u = 0; u < b->n_units; u++)
				for (unsigned i = row->first; i < (unsigned)row->first + row->count; i++) {
					bool still = row->role == CAT_GLOBAL_CTL || row->role == CAT_BOX_CTL || row->role == CAT_CTL ||
						     row->role == CAT_FIXED_CTL || row->role == CAT_SUB || row->role == CAT_FILTER;

					assert_true(n < most);
					v[n++] = still ? model_peek(r->m, socket, cat_reg_address(b, row, u, i)) : 0;
				}
	return n;
}

#define REGS 4000
static uint64_t before[REGS], after[REGS];

static void same_as_before(struct rig *r, const char *name)
{
	unsigned n = peek(r, 0, after, REGS);

	for (unsigned i = 0; i < n; i++)
		if (before[i] != after[i])
			fail_msg("%s: register %u of the tables was 0x%" PRIx64 ", is 0x%" PRIx64, name, i, before[i], after[i]);
}

static uint64_t top(const struct slot *s)
{
	return BIT(s->plan->width);
}

/* All counters, each set to wrap at its own moment of the run. */
static void count_all(const struct family *f)
{
	const unsigned ticks = 40;
	static uint64_t start[2][256];
	struct rig r;
	struct run u;

	rig_open_as(&r, f->name, 2, "stream", 3);
	run_open(&u, &r, all(f, "interval = \"1s\";"), NULL);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(u.s[i].n_slots, f->counters);
	run_start(&u);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < f->counters; k++) {
			const struct slot *s = &u.s[i].slots[k];
			double rate = model_rate(r.m, i, s->data), whole = (double)top(s);
			double ahead = rate * ticks * (double)(k + 1) / (double)(f->counters + 2);

			if (rate <= 0)
				fail_msg("%s: %s counts nothing", f->name, s->plan->identity);
			start[i][k] = (uint64_t)(whole - ahead);
		}
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);

	peek(&r, 0, before, REGS);
	run_open(&u, &r, all(f, "interval = \"1s\";"), NULL);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < f->counters; k++)
			model_poke(r.m, i, u.s[i].slots[k].data, start[i][k]);
	run_start(&u);
	run_exact(&u, __LINE__, NULL);
	run_ticks(&u, ticks, 0);
	run_exact(&u, __LINE__, NULL);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t wraps = 0;

		for (unsigned k = 0; k < f->counters; k++)
			wraps += (start[i][k] + slot_truth(&u, i, &u.s[i].slots[k])) / top(&u.s[i].slots[k]);
		assert_in_range(wraps, f->counters * 9 / 10, f->counters);
		assert_int_equal(u.s[i].words[W_WRAPS], wraps);
		assert_int_equal(u.s[i].words[W_RESETS], 0);
		assert_int_equal(u.s[i].words[W_FOREIGN], 0);
	}
	rig_no_violation(&r);
	run_restore(&u, NULL);
	same_as_before(&r, f->name);
	run_close(&u);
	rig_close(&r);
}

static void every_counter_of_every_family_is_exact(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++)
		count_all(&families[i]);
}

/* Whatever is read stands still. */
static void must_stand(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	assert_false(!write && model_counting(r->m, socket, reg));
}

static void freeze_stops_all_of_them(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		r.latency = 1000;
		r.hook = must_stand;
		peek(&r, 0, before, REGS);
		run_open(&u, &r, all(&families[i], "interval = \"1s\"; freeze = true;"), NULL);
		run_start(&u);
		run_ticks(&u, 20, 0);
		assert_true(slot_total(&u, 0, run_slot(&u, 0, families[i].clock)) > UINT64_C(15) * 1000000000);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		assert_true(u.s[0].words[W_FROZEN] > 0);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		same_as_before(&r, families[i].name);
		run_close(&u);
		rig_close(&r);
	}
}

/* Somebody changes an event's control, then its box's enables: flagged at the next tick, counted on after. */
static void interference_is_flagged_and_mended(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		const struct slot *s;
		uint64_t held;
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		run_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL);
		run_start(&u);
		run_ticks(&u, 5, 0);
		s = &u.s[0].slots[families[i].counters - 1];
		held = slot_total(&u, 0, s);
		model_poke(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ BIT(0));
		run_ticks(&u, 1, 0);
		assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
		assert_int_equal(slot_total(&u, 0, s), held);
		assert_int_equal(u.s[0].words[W_FOREIGN], 1);
		run_ticks(&u, 3, 0);
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* A counter that somebody uses is not ours, and stays as it is. */
static void a_counter_in_use_is_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++) {
		struct err err = { "" };
		struct plan_counter k;
		uint64_t ctl;
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].name, 1, "stream", 1);
		run_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL);
		k = u.plan->sockets[0].program.counters[u.s[0].slots[families[i].counters - 1].regs->counter];
		run_start(&u);
		ctl = model_peek(r.m, 0, k.ctl);
		run_stop(&u);
		run_restore(&u, NULL);
		run_close(&u);

		model_poke(r.m, 0, k.ctl, ctl);
		if (k.box_enable)
			model_poke(r.m, 0, k.box, k.box_enable);
		if (k.global_enable)
			model_poke(r.m, 0, k.global, k.global_enable);
		assert_int_equal(run_try_open(&u, &r, all(&families[i], "interval = \"1s\";"), NULL, &err), -EBUSY);
		assert_non_null(strstr(err.text, k.name));
		assert_int_equal(model_peek(r.m, 0, k.ctl), ctl);
		run_close(&u);
		run_open(&u, &r, all(&families[i], "interval = \"1s\"; takeover = true;"), NULL);
		run_start(&u);
		run_ticks(&u, 3, 0);
		run_exact(&u, __LINE__, NULL);
		run_stop(&u);
		run_restore(&u, NULL);
		assert_int_equal(model_peek(r.m, 0, k.ctl), ctl);
		run_close(&u);
		rig_close(&r);
	}
}

/* ------------------------------------------------------------------ what only some families have */

/* Somebody freezes a box, or the whole socket, of an Ivytown; and what polling must never do (rule 25, 28). */
static void freeze_of_a_box_by_somebody(void **state)
{
	const struct reg box = { .space = SPACE_PCI, .bytes = 4, .dev = 16, .fn = 4, .off = 0xf4 };
	const struct slot *s, *other;
	uint64_t held, before_c00;
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 1);
	model_poke(r.m, 0, box, BIT(8));        /* found frozen: it is let go, and frozen again at the end */
	before_c00 = model_peek(r.m, 0, msr(0xc00));
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"m\"; events = [ \"imc/CAS_COUNT:RD\", \"imc/DCLK\" ]; } );", NULL);
	run_start(&u);
	run_ticks(&u, 5, 0);
	run_exact(&u, __LINE__, NULL);
	s = run_slot(&u, 0, "imc0/CAS_COUNT:RD");
	other = run_slot(&u, 0, "imc1/CAS_COUNT:RD");
	held = slot_total(&u, 0, s);
	assert_true(held > 1000000);
	assert_int_equal(model_peek(r.m, 0, box) & BIT(8), 0);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)           /* no overflow is reported, nothing is reset */
		assert_int_equal(model_peek(r.m, 0, u.s[0].slots[k].ctl) & (BIT(20) | BIT(17) | BIT(16)), 0);
	assert_int_equal(model_peek(r.m, 0, msr(0xc00)), before_c00);

	assert_int_equal(model_write(r.m, 0, box, 0x30100), 0);
	run_ticks(&u, 1, 0);
	assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
	assert_int_equal(slot_reason(&u, 0, run_slot(&u, 0, "imc0/DCLK")), REASON_FOREIGN);
	assert_int_equal(slot_reason(&u, 0, other), REASON_NONE);
	assert_int_equal(slot_total(&u, 0, s), held);
	run_ticks(&u, 3, 0);                                    /* armed again */
	assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
	assert_true(slot_total(&u, 0, s) > held);
	run_stop(&u);
	run_restore(&u, NULL);
	assert_int_equal(model_peek(r.m, 0, box) & BIT(8), BIT(8));
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* A 44-bit counter wraps every few minutes in a busy machine: nothing freezes, nothing is lost (329468-002 2.10.2). */
static void wraps_of_44_bits_freeze_nothing(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 9);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"r\"; events = [ \"cbox/CLOCKTICKS\", \"r3qpi/RXR_INSERTS:DRS\", "
		 "\"ubox/UCLK\", \"imc/DCLK\" ]; } );", NULL);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, top(&u.s[0].slots[k]) - 1);
	run_start(&u);
	for (unsigned k = 0; k < 30; k++) {
		run_ticks(&u, 1, 0);
		run_exact(&u, __LINE__, NULL);
	}
	assert_int_equal(u.s[0].words[W_WRAPS], u.s[0].n_slots);
	assert_int_equal(model_peek(r.m, 0, msr(0xc01)), 0);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* Two channels, a QPI port and three C-Boxes are not there: their slots say so, the rest counts, sums leave them out. */
static void hidden_units_are_reported_not_fatal(void **state)
{
	const struct reg channel = { .space = SPACE_PCI, .dev = 30, .fn = 0 }, port = { .space = SPACE_PCI, .dev = 24, .fn = 2 };
	const char *gone[] = { "imc6/CAS_COUNT:RD", "qpi2/TXL_FLITS_G0:DATA", "cbox12/CLOCKTICKS", "cbox14/CLOCKTICKS", NULL };
	unsigned found = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 2);
	model_fault(r.m, 0, MODEL_HIDDEN, channel, true);
	model_fault(r.m, 0, MODEL_HIDDEN, port, true);
	for (unsigned off = 0xe80; off <= 0xeda; off++)         /* C-Boxes 12 to 14 */
		model_fault(r.m, 0, MODEL_EIO, msr(off), true);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"m\"; events = [ \"imc/CAS_COUNT:RD\", "
		 "\"qpi/TXL_FLITS_G0:DATA\", \"cbox/CLOCKTICKS\" ]; } ); metrics = ( { name = \"all_read_bytes_total\"; "
		 "unit = \"bytes\"; per = \"socket\"; scale = 64.0; numerator = ( \"imc/CAS_COUNT:RD\" ); } );", NULL);
	run_start(&u);
	run_ticks(&u, 5, 0);
	for (unsigned i = 0; gone[i]; i++)
		assert_int_equal(slot_reason(&u, 0, run_slot(&u, 0, gone[i])), REASON_HIDDEN);
	for (unsigned k = 0; k < u.s[0].n_slots; k++) {
		const struct slot *s = &u.s[0].slots[k];

		if (slot_reason(&u, 0, s) == REASON_HIDDEN)
			continue;
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		same_u64(slot_total(&u, 0, s), slot_truth(&u, 0, s), s->plan->identity, __LINE__);
	}
	for (unsigned i = 0; i < u.plan->sockets[0].n_metrics; i++) {
		const struct plan_metric *m = &u.plan->sockets[0].metrics[i];
		uint64_t sum = 0;

		if (strcmp(m->name, "all_read_bytes_total") != 0)
			continue;
		assert_int_equal(u.s[0].words[u.s[0].layout.metric_state + i], 1);       /* DERIVE_VALID */
		for (unsigned k = 0; k < u.s[0].n_slots; k++)
			if (strstr(u.s[0].slots[k].plan->identity, "CAS_COUNT"))
				sum += slot_total(&u, 0, &u.s[0].slots[k]);
		same_u64(u.s[0].words[u.s[0].layout.metric_value + i], 64 * sum, m->name, __LINE__);
		found++;
	}
	assert_int_equal(found, 1);
	run_stop(&u);
	run_restore(&u, NULL);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* SDM 3B p 18-81, Figure 18-29: EN_PC0 to EN_PC7 are bits 7:0 of the global control, EN_FC0 bit 32. EN_PMI_CORE0 to 3 (51:48) and
 * PMI_FRZ (63) are somebody else's and stay as they are found, and so does his counter 7 (rule 29). */
static void global_control_of_nehalem(void **state)
{
	static const struct { unsigned line; const char *settings; uint64_t found; } rows[] = {
		{ __LINE__, "interval = \"1s\";", BIT(63) | BIT(51) | BIT(48) | BIT(7) },
		{ __LINE__, "interval = \"1s\"; freeze = true;", BIT(63) | BIT(51) | BIT(48) },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		char text[256];
		struct rig r;
		struct run u;

		rig_open_as(&r, "nehalem", 1, "stream", 5);
		model_poke(r.m, 0, msr(0x391), rows[i].found);
		if (rows[i].found & BIT(7))
			model_poke(r.m, 0, msr(0x3c7), 0x400108);       /* LLC_HITS:READ, enabled */
		snprintf(text, sizeof(text), "%s groups = ( { name = \"g\"; events = [ \"uncore/CLK_UNHALTED\", "
			 "\"uncore/LLC_MISS:ANY,counter=2\" ]; } );", rows[i].settings);
		run_open(&u, &r, text, NULL);
		run_start(&u);
		for (unsigned k = 0; k < 3; k++) {
			same_u64(model_peek(r.m, 0, msr(0x391)), rows[i].found | BIT(32) | BIT(2), rows[i].settings, rows[i].line);
			run_ticks(&u, 1, 0);
			run_exact(&u, __LINE__, NULL);
		}
		run_stop(&u);
		run_restore(&u, NULL);
		same_u64(model_peek(r.m, 0, msr(0x391)), rows[i].found, rows[i].settings, rows[i].line);
		rig_no_violation(&r);
		run_close(&u);
		rig_close(&r);
	}
}

/* Westmere's match register is one for all counters: two different matches do not fit into one round. */
static void one_match_register(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "westmere", 1, "stream", 4);
	run_open(&u, &r, "interval = \"1s\"; rotation = \"2s\"; groups = ("
		 "{ name = \"a\"; events = [ \"uncore/ADDR_OPCODE_MATCH:LOCAL,match=opcode,opc=0x0\", "
		 "\"uncore/ADDR_OPCODE_MATCH:REMOTE,match=opcode,opc=0\" ]; },"
		 "{ name = \"b\"; events = [ \"uncore/ADDR_OPCODE_MATCH:LOCAL,match=address,address=0x1000\" ]; } );", NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 2);
	run_start(&u);
	for (unsigned k = 0; k < 10; k++) {
		run_ticks(&u, 1, 0);
		for (unsigned i = 0; i < u.s[0].n_slots; i++)
			assert_int_equal(slot_reason(&u, 0, &u.s[0].slots[i]), REASON_NONE);
	}
	assert_true(slot_total(&u, 0, run_slot(&u, 0, "uncore0/ADDR_OPCODE_MATCH:LOCAL,opc=0x0,match=opcode")) > 0);
	assert_true(slot_total(&u, 0, run_slot(&u, 0, "uncore0/ADDR_OPCODE_MATCH:LOCAL,address=0x1000,match=address")) > 0);
	run_stop(&u);
	run_restore(&u, NULL);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* Nehalem: every write of the global control leaves PMI_FRZ, EN_PMI_COREn and the enables of other counters (rule 29), at a freeze
 * too, and sets those of the round's counters, no others. Every write that enables an occupancy event resets its queue (rule 30):
 * start, turn and arming again. */
static void nehalem_shares_its_global_control(void **state)
{
	const uint64_t others = BIT(63) | BIT(50) | BIT(7);
	unsigned enabled = 0, frozen = 0;
	char *text = NULL, *line, *save;
	size_t n = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "nehalem", 1, "stream", 1);
	r.trace = open_memstream(&text, &n);
	assert_non_null(r.trace);
	model_poke(r.m, 0, msr(0x391), others);
	run_open(&u, &r, "interval = \"1s\"; rotation = \"4s\"; freeze = true; groups = ("
		 "{ name = \"a\"; events = [ \"uncore/CLK_UNHALTED\", \"uncore/QHL_OCCUPANCY:LOCAL,counter=2\", \"uncore/LLC_MISS:ANY,counter=3\" ]; },"
		 "{ name = \"b\"; events = [ \"uncore/QHL_OCCUPANCY:REMOTE,counter=2\" ]; } );", NULL);
	run_start(&u);
	for (unsigned k = 0; k < 16; k++) {
		assert_true(model_peek(r.m, 0, msr(0x391)) == (others | (u.s[0].words[W_ROUND] ? BIT(2) : BIT(32) | BIT(3) | BIT(2))));
		if (k == 1)
			model_poke(r.m, 0, msr(0x3c2), model_peek(r.m, 0, msr(0x3c2)) ^ BIT(8));
		run_ticks(&u, 1, 0);
	}
	assert_int_equal(u.s[0].words[W_FOREIGN], 1);
	run_stop(&u);
	run_restore(&u, NULL);
	assert_true(model_peek(r.m, 0, msr(0x391)) == others);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
	fclose(r.trace);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned off;
		uint64_t v;

		if (sscanf(line, "socket 0: W 0x%x 0x%" SCNx64, &off, &v) != 2)
			continue;
		if (off == 0x391 && (v & ~(BIT(32) | BIT(3) | BIT(2))) != others)
			fail_msg("%s", line);
		frozen += off == 0x391 && v == others;
		if (off == 0x3c2 && v & BIT(22)) {
			enabled++;
			if (!(v & BIT(17)))
				fail_msg("%s", line);
		}
	}
	free(text);
	assert_in_range(enabled, 5, 6);         /* four turns, and once again */
	assert_true(frozen > 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_counter_of_every_family_is_exact),
		cmocka_unit_test(freeze_stops_all_of_them),
		cmocka_unit_test(interference_is_flagged_and_mended),
		cmocka_unit_test(a_counter_in_use_is_refused),
		cmocka_unit_test(freeze_of_a_box_by_somebody),
		cmocka_unit_test(wraps_of_44_bits_freeze_nothing),
		cmocka_unit_test(hidden_units_are_reported_not_fatal),
		cmocka_unit_test(global_control_of_nehalem),
		cmocka_unit_test(one_match_register),
		cmocka_unit_test(nehalem_shares_its_global_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
