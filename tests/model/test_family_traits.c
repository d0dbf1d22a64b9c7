/* SPDX-License-Identifier: MIT
 * What only some families of registers have: boxes that freeze, 44 bits,
 * units that are hidden, one match register for all, enables that each write clears.
 */
#include "rig.h"

/* Somebody freezes a box, or the whole socket, of an Ivytown; and what polling must never do (rule
 * 25, 28). */
static void freeze_of_a_box_by_somebody(void **state)
{
	const struct reg box = { .space = SPACE_PCI, .bytes = 4, .dev = 16, .fn = 4, .off = 0xf4 };
	const struct slot *s, *other;
	uint64_t held, before_c00;
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 1);
	/* found frozen: it is let go, and frozen again at the end */
	model_poke(r.m, 0, box, BIT(8));
	before_c00 = model_peek(r.m, 0, msr(0xc00));
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"m\"; events = [ "
			 "\"imc/CAS_COUNT:RD\", \"imc/DCLK\" ]; } );", NULL);
	run_start(&u);
	run_ticks(&u, 5, 0);
	run_exact(&u, __LINE__, NULL);
	s = run_slot(&u, 0, "imc0/CAS_COUNT:RD");
	other = run_slot(&u, 0, "imc1/CAS_COUNT:RD");
	held = slot_total(&u, 0, s);
	assert_true(held > 1000000);
	assert_int_equal(model_peek(r.m, 0, box) & BIT(8), 0);
	/* no overflow is reported, nothing is reset */
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		assert_int_equal(model_peek(r.m, 0,
					    u.s[0].slots[k].ctl) & (BIT(20) | BIT(17) | BIT(16)),
					    0);
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

/* A 44-bit counter wraps every few minutes in a busy machine: nothing freezes, nothing is lost
 * (329468-002 2.10.2). */
static void wraps_of_44_bits_freeze_nothing(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 9);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"r\"; events = [ "
		 "\"cbox/CLOCKTICKS\", \"r3qpi/RXR_INSERTS:DRS\", "
		 "\"ubox/UCLK\", \"imc/DCLK\" ]; } );", NULL);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		model_poke(r.m, 0, u.s[0].slots[k].data, BIT(u.s[0].slots[k].plan->width) - 1);
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

/* Two channels, a QPI port and three C-Boxes are not there: their slots say so, the rest counts,
 * sums leave them out. */
static void hidden_units_are_reported_not_fatal(void **state)
{
	const struct reg channel = { .space = SPACE_PCI, .dev = 30, .fn = 0 },
		port = { .space = SPACE_PCI, .dev = 24, .fn = 2 };
	const char *gone[] = { "imc6/CAS_COUNT:RD", "qpi2/TXL_FLITS_G0:DATA", "cbox12/CLOCKTICKS",
			       "cbox14/CLOCKTICKS", NULL };
	unsigned found = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "ivytown", 1, "stream", 2);
	model_fault(r.m, 0, MODEL_HIDDEN, channel, true);
	model_fault(r.m, 0, MODEL_HIDDEN, port, true);
	for (unsigned off = 0xe80; off <= 0xeda; off++)         /* C-Boxes 12 to 14 */
		model_fault(r.m, 0, MODEL_EIO, msr(off), true);
	run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"m\"; events = [ "
		 "\"imc/CAS_COUNT:RD\", "
		 "\"qpi/TXL_FLITS_G0:DATA\", \"cbox/CLOCKTICKS\" ]; } ); metrics = ( { name = "
		 "\"all_read_bytes_total\"; "
		 "unit = \"bytes\"; per = \"socket\"; scale = 64.0; numerator = ( "
		 "\"imc/CAS_COUNT:RD\" ); } );", NULL);
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
		assert_int_equal(u.s[0].words[u.s[0].layout.metric_reason + i], REASON_NONE);
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

/* SDM 3B p 18-81, Figure 18-29: EN_PC0 to EN_PC7 are bits 7:0 of the global control, EN_FC0 bit 32.
 * EN_PMI_CORE0 to 3 (51:48) and PMI_FRZ (63) are somebody else's and stay as they are found, and so
 * does his counter 7 (rule 29). */
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
		snprintf(text, sizeof(text),
			 "%s groups = ( { name = \"g\"; events = [ \"uncore/CLK_UNHALTED\", "
			 "\"uncore/LLC_MISS:ANY,counter=2\" ]; } );", rows[i].settings);
		run_open(&u, &r, text, NULL);
		run_start(&u);
		for (unsigned k = 0; k < 3; k++) {
			same_u64(model_peek(r.m, 0, msr(0x391)), rows[i].found | BIT(32) | BIT(2),
				 rows[i].settings, rows[i].line);
			run_ticks(&u, 1, 0);
			run_exact(&u, __LINE__, NULL);
		}
		run_stop(&u);
		run_restore(&u, NULL);
		same_u64(model_peek(r.m, 0, msr(0x391)), rows[i].found, rows[i].settings,
			 rows[i].line);
		rig_no_violation(&r);
		run_close(&u);
		rig_close(&r);
	}
}

/* Westmere's match register is one for all counters: two different matches do not fit into one
 * round. */
static void one_match_register(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open_as(&r, "westmere", 1, "stream", 4);
	run_open(&u, &r, "interval = \"1s\"; rotation = \"2s\"; groups = ("
		 "{ name = \"a\"; events = [ "
		 "\"uncore/ADDR_OPCODE_MATCH:LOCAL,match=opcode,opc=0x0\", "
		 "\"uncore/ADDR_OPCODE_MATCH:REMOTE,match=opcode,opc=0\" ]; },"
		 "{ name = \"b\"; events = [ "
		 "\"uncore/ADDR_OPCODE_MATCH:LOCAL,match=address,address=0x1000\" ]; } );", NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 2);
	run_start(&u);
	for (unsigned k = 0; k < 10; k++) {
		run_ticks(&u, 1, 0);
		for (unsigned i = 0; i < u.s[0].n_slots; i++)
			assert_int_equal(slot_reason(&u, 0, &u.s[0].slots[i]), REASON_NONE);
	}
	assert_true(slot_total(&u,
			       0, run_slot(&u, 0, "uncore0/ADDR_OPCODE_MATCH:LOCAL,opc=0x0,"
						  "match=opcode")) > 0);
	assert_true(slot_total(&u,
			       0, run_slot(&u, 0, "uncore0/ADDR_OPCODE_MATCH:LOCAL,address=0x1000,"
						  "match=address")) > 0);
	run_stop(&u);
	run_restore(&u, NULL);
	rig_no_violation(&r);
	run_close(&u);
	rig_close(&r);
}

/* Nehalem: every write of the global control leaves PMI_FRZ, EN_PMI_COREn and the enables of other
 * counters (rule 29), at a freeze too, and sets those of the round's counters, no others. Every
 * write that enables an occupancy event resets its queue (rule 30): start, turn and arming
 * again. */
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
		 "{ name = \"a\"; events = [ \"uncore/CLK_UNHALTED\", "
		 "\"uncore/QHL_OCCUPANCY:LOCAL,counter=2\", \"uncore/LLC_MISS:ANY,counter=3\" ]; },"
		 "{ name = \"b\"; events = [ \"uncore/QHL_OCCUPANCY:REMOTE,counter=2\" ]; } );",
		 NULL);
	run_start(&u);
	for (unsigned k = 0; k < 16; k++) {
		assert_true(model_peek(r.m, 0,
				       msr(0x391)) == (others | (u.s[0].words[W_ROUND] ? BIT(2)
				       : BIT(32) | BIT(3) | BIT(2))));
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
		cmocka_unit_test(freeze_of_a_box_by_somebody),
		cmocka_unit_test(wraps_of_44_bits_freeze_nothing),
		cmocka_unit_test(hidden_units_are_reported_not_fatal),
		cmocka_unit_test(global_control_of_nehalem),
		cmocka_unit_test(one_match_register),
		cmocka_unit_test(nehalem_shares_its_global_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
