/* SPDX-License-Identifier: MIT
 * Overflow windows: who ended one is asked down to the counter, at whatever
 * moment, and the next one begins in the order of 323535-001 2.1.4.
 */
#include "windows.h"

#define NX_EVENTS "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\""
#define NX_WINDOW(n) SECOND GROUP("bbox1/IMT_INSERTS_ALL", n, NX_EVENTS)
#define IVT_WINDOW(n) SECOND GROUP("ha1/REQUESTS:READS", n, "\"ubox/UCLK\", \"ha/REQUESTS:READS\"")

static void open_window(struct rig *r, struct run *u, const char *processor, const char *conf)
{
	rig_open_as(r, processor, 1, "stream", 3);
	run_open(u, r, conf, NULL);
}

static void close_all(struct rig *r, struct run *u)
{
	r->hook = NULL;
	run_stop(u);
	rig_no_violation(r);
	run_restore(u, NULL);
	run_close(u);
	rig_close(r);
}

/* ------------------------------------------------ the order of what happens between two windows */

struct access {
	char op;                    /* 'R', 'W'; 'w': any write of these */
	uint32_t off;
	uint8_t fn;                 /* of a PCI device, else 0 */
};

struct order {
	const struct access *want;
	unsigned n, at;
	bool begun;                 /* the first of them was seen */
	int line;
};

/* From the first on, these and no others. */
static void in_order(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct order *o = r->hook_arg;
	const struct access *a = &o->want[o->at];
	bool is = (write ? 'W' : 'R') == a->op && reg.off == a->off &&
		(reg.space != SPACE_PCI || reg.fn == a->fn);

	(void)socket;
	if (o->at == o->n || (!o->begun && !is))
		return;
	o->begun = true;
	if (!is)
		fail_msg("row of line %d: access %u is %c 0x%x, not %c 0x%x", o->line, o->at,
			 write ? 'W' : 'R', reg.off, a->op, a->off);
	o->at++;
}

/* Rule 14: cleared at the box, then through the socket's register, then its status is read back;
 * the counter is preloaded while all stands still (2.1.4 c), and en_all comes last (d). Ivytown:
 * 329468-002 2.2.2.1. */
static void order_of_the_guide(void **state)
{
	static const struct access nx[] = {
		{ 'W', 0xc62, 0 }, { 'W', 0xc02, 0 }, { 'R', 0xc01, 0 }, { 'R', 0xc61, 0 },
		{ 'W', 0xc73, 0 }, { 'R', 0xc73, 0 },
		{ 'R', 0xc00, 0 }, { 'W', 0xc00, 0 },
	};
	static const struct access ivt[] = {
		{ 'W', 0xf8, 1 }, { 'W', 0xc01, 0 }, { 'R', 0xc01, 0 }, { 'R', 0xf8, 1 },
		{ 'W', 0xa0, 1 }, { 'R', 0xa0, 1 },
		{ 'R', 0xc00, 0 }, { 'W', 0xc00, 0 },
	};
	static const struct { int line; const char *processor, *conf;
			      const struct access *want; } rows[] = {
		{ __LINE__, "nehalem-ex", NX_WINDOW(1000000), nx },
		{ __LINE__, "ivytown", IVT_WINDOW(200000), ivt },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct order o = { .want = rows[i].want, .n = COUNT(nx), .line = rows[i].line };
		struct rig r;
		struct run u;

		open_window(&r, &u, rows[i].processor, rows[i].conf);
		run_start(&u);
		grid_ticks(&u, 3);
		r.hook = in_order;
		r.hook_arg = &o;
		grid_ticks(&u, 1);
		assert_int_equal(o.at, o.n);
		close_all(&r, &u);
	}
}

/* ------------------------------------------------------------------ the moment */

/* Time passes before one access: the window ends there. */
struct pause {
	uint32_t off;
	nsec by;                    /* 0: it was */
};

static void pause_before(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct pause *p = r->hook_arg;

	(void)socket;
	if (write || reg.off != p->off || !p->by)
		return;
	rig_advance(r, p->by);
	p->by = 0;
}

/*
 * The status says no, then the window ends: while the counters are read, or after that, before the
 * controls are looked at. Nobody is blamed for en_all, the overflow is left to be seen by the next
 * read, and another counter's overflow in the same box is cleared.
 */
static void ends_in_the_middle_of_a_sample(void **state)
{
	/* the first data register, the last one, the first control */
	static const uint32_t rows[] = { 0x394, 0xc73, 0x395 };
	const nsec most = 20 * NSEC_PER_SEC;

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct slot *s, *beside;
		uint64_t rate, rate_beside;
		struct pause p = { .off = rows[i] };
		struct watch w;
		struct rig r;
		struct run u;

		open_window(&r, &u, "nehalem-ex", SECOND GROUP("bbox1/IMT_INSERTS_ALL", 600000000,
			    "\"wbox/CLOCKTICKS\", \"bbox1/CONFLICTS\", \"bbox1/IMT_INSERTS_ALL\""));
		s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
		beside = run_slot(&u, 0, "bbox1/CONFLICTS");
		assert_int_equal(s->ctl.off, 0xc72);
		assert_int_equal(beside->data.off, 0xc77);
		run_start(&u);
		rate = (uint64_t)model_rate(r.m, 0, s->data);
		rate_beside = (uint64_t)model_rate(r.m, 0, beside->data);
		run_stop(&u);
		run_close(&u);
		rig_close(&r);

		open_window(&r, &u, "nehalem-ex", SECOND GROUP("bbox1/IMT_INSERTS_ALL", 600000000,
			    "\"wbox/CLOCKTICKS\", \"bbox1/CONFLICTS\", \"bbox1/IMT_INSERTS_ALL\""));
		s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
		beside = run_slot(&u, 0, "bbox1/CONFLICTS");
		model_poke(r.m, 0, beside->data, BIT(48) - 600000000 / rate * rate_beside * 9 / 10);
		watch_begin(&w, &u, 0, "bbox1/IMT_INSERTS_ALL", 600000000);
		run_start(&u);
		r.hook = pause_before;
		r.hook_arg = &p;
		p.by = most;
		assert_true(model_counting(r.m, 0, s->data));
		rig_advance(&r, sampler_next(u.s[0].sampler) - model_now(r.m));
		run_tick(&u);
		assert_int_equal(p.by, 0);
		assert_false(model_counting(r.m, 0, s->data));
		assert_int_equal(u.s[0].words[W_FOREIGN], 0);
		for (unsigned k = 0; k < u.s[0].n_slots; k++)
			assert_int_equal(slot_reason(&u, 0, &u.s[0].slots[k]), REASON_NONE);
		/* the other one was seen to wrap if it was read after that */
		assert_int_equal(model_peek(r.m, 0, msr(0xc61)),
				 rows[i] == 0x394 ? BIT(1) : BIT(3) | BIT(1));
		r.hook = watch_writes;
		r.hook_arg = &w;
		grid_ticks(&u, 10);
		run_exact(&u, __LINE__, NULL);
		assert_in_range(w.windows, 2, 4);
		assert_int_equal(u.s[0].words[W_FOREIGN], 0);
		close_all(&r, &u);
	}
}

/* ------------------------------------------------------------------ whose overflow it is */

/* Somebody begins to count while a window runs, with pmi_en: frz_all is ours, so that his overflow
 * stops everything, and says in the socket's status what ours would say. It ends no window: it is
 * somebody's doing. */
static void somebody_elses_overflow(void **state)
{
	static const struct { int line; const char *conf, *event; uint64_t count; uint32_t ctl, box,
			      data; uint64_t bit; } rows[] = {
		/* C-Box 5 counter 2 reports to S-Box 1 as B-Box 1 does; W-Box counter 1 shares
		 * nothing but pmi */
		{ __LINE__, NX_WINDOW(900000000), "bbox1/IMT_INSERTS_ALL", 900000000, 0xdb4, 0xda0, 0xdb5, BIT(2) },
		/* B-Box 1 counter 0, in the same box */
		{ __LINE__, NX_WINDOW(900000000), "bbox1/IMT_INSERTS_ALL", 900000000, 0xc70, 0xc60, 0xc71, BIT(0) },
		/* the U-Box has a status bit for itself, and pmi is everybody's */
		{ __LINE__, SECOND GROUP("ubox/U2R_REQUESTS", 100000000000,
					 "\"wbox/CLOCKTICKS\", \"ubox/U2R_REQUESTS\""),
		  "ubox0/U2R_REQUESTS", 100000000000, 0xdb4, 0xda0, 0xdb5, BIT(2) },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const uint64_t enable = rows[i].box == 0xc60 ? BIT(20) | 0xf
			: BIT(22) | BIT(20) | 0x714;
		const struct slot *s;
		struct watch w;
		struct rig r;
		struct run u;
		uint64_t now;

		open_window(&r, &u, "nehalem-ex", rows[i].conf);
		watch_begin(&w, &u, 0, rows[i].event, rows[i].count);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		grid_ticks(&u, 2);
		s = run_slot(&u, 0, rows[i].event);
		assert_int_equal(model_write(r.m, 0, msr(rows[i].data), BIT(48) - 1000), 0);
		assert_int_equal(model_write(r.m, 0, msr(rows[i].box),
					     model_peek(r.m, 0, msr(rows[i].box)) | rows[i].bit),
					     0);
		assert_int_equal(model_write(r.m, 0, msr(rows[i].ctl), enable), 0);
		rig_advance(&r, NSEC_PER_SEC / 2);
		assert_false(model_counting(r.m, 0, s->data));
		assert_int_equal(model_read(r.m, 0, msr(0xc01), &now), 0);
		if (!(now & BIT(30)))
			fail_msg("row of line %d: no pmi", rows[i].line);
		grid_ticks(&u, 1);
		assert_int_equal(w.windows, 0);
		if (slot_reason(&u, 0, s) != REASON_FOREIGN)
			fail_msg("row of line %d: %s", rows[i].line,
				 reason_name(slot_reason(&u, 0, s)));
		/* Armed again, on top of his overflow, which nobody clears for him. */
		r.hook = NULL;
		grid_ticks(&u, 3);
		assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
		assert_true(model_counting(r.m, 0, s->data));
		assert_int_equal(model_write(r.m, 0, msr(rows[i].ctl), 0), 0);
		close_all(&r, &u);
	}
}

/* An overflow of the window's own counter stands from before, in the box and above: hardware
 * freezes for a new one only (2.3.2.1; 329468-002 2.2.2.1), so it is cleared when the round
 * starts. */
static void an_overflow_that_stands_from_before(void **state)
{
	const struct reg ha1 = { .space = SPACE_PCI, .bytes = 4, .dev = 28, .fn = 1, .off = 0xf8 };

	(void)state;
	for (unsigned ivytown = 0; ivytown < 2; ivytown++) {
		struct watch w;
		struct rig r;
		struct run u;

		open_window(&r, &u, ivytown ? "ivytown" : "nehalem-ex",
			    ivytown ? IVT_WINDOW(200000) : NX_WINDOW(1000000));
		model_poke(r.m, 0, ivytown ? ha1 : msr(0xc61), ivytown ? 1 : BIT(1));
		model_poke(r.m, 0, msr(0xc01), ivytown ? BIT(19) : BIT(30) | BIT(2));
		watch_begin(&w, &u, 0, ivytown ? "ha1/REQUESTS:READS" : "bbox1/IMT_INSERTS_ALL",
			    ivytown ? 200000 : 1000000);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		grid_ticks(&u, 5);
		run_exact(&u, __LINE__, NULL);
		assert_int_equal(w.windows, 5);
		close_all(&r, &u);
	}
}

/* ---------------------------------------------------- the smallest and the largest, the fastest */

static void smallest_and_largest(void **state)
{
	static const struct { const char *processor, *conf, *event; uint64_t count;
			      nsec step; } rows[] = {
		{ "nehalem-ex", NX_WINDOW(1), "bbox1/IMT_INSERTS_ALL", 1, 0 },
		{ "ivytown", IVT_WINDOW(1), "ha1/REQUESTS:READS", 1, 0 },
		{ "nehalem-ex", SECOND GROUP("mbox0/CYCLES", 140737488355328, "\"mbox/CYCLES\""),
		  "mbox0/CYCLES", BIT(47),
		  700 * NSEC_PER_SEC },
		/* 44 bits, many in a cycle */
		{ "ivytown", SECOND GROUP("r3qpi0/RXR_OCCUPANCY:DRS", 8796093022208,
					  "\"ubox/UCLK\", \"r3qpi0/RXR_OCCUPANCY:DRS\""),
		  "r3qpi0/RXR_OCCUPANCY:DRS", BIT(43), 8 * NSEC_PER_SEC },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const uint64_t *words;
		struct watch w;
		struct rig r;
		struct run u;
		nsec length;

		open_window(&r, &u, rows[i].processor, rows[i].conf);
		watch_begin(&w, &u, 0, rows[i].event, rows[i].count);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		if (!rows[i].step) {
			grid_ticks(&u, 50);
		} else {
			length = (nsec)((double)
					rows[i].count / model_rate(r.m, 0, w.slot->data) * 1e9);
			run_ticks(&u, (unsigned)(2 * length / rows[i].step) + 4, rows[i].step);
		}
		run_exact(&u, __LINE__, NULL);
		words = u.s[0].words;
		assert_in_range(w.windows, rows[i].step ? 1 : 50, 50);
		assert_int_equal(words[W_RESETS], 0);
		assert_int_equal(words[W_FOREIGN], 0);
		close_all(&r, &u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_the_guide),
		cmocka_unit_test(ends_in_the_middle_of_a_sample),
		cmocka_unit_test(somebody_elses_overflow),
		cmocka_unit_test(an_overflow_that_stands_from_before),
		cmocka_unit_test(smallest_and_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
