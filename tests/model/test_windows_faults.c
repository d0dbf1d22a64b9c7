/* SPDX-License-Identifier: MIT
 * Overflow windows on hardware that fails for a moment, whichever access it
 * is: no count is lost or made up, nobody is blamed, no frozen time is taken for time in which
 * something was counted, and windows go on.
 */
#include "windows.h"

#include <math.h>

struct family {
	const char *processor, *conf, *event, *clock;
	uint64_t count;
};

#define WINDOWS(event, n, events) \
	SECOND "groups = ( { name = \"w\"; distribution = { buckets = ( 1e9, 3e9 ); }; " \
	"window = { event = \"" event "\"; count = \"" #n "\"; }; events = [ " events " ]; } );"
#define NX_EVENTS "\"wbox/CLOCKTICKS\", \"bbox/IMT_INSERTS_ALL\""
#define IVT_EVENTS "\"ubox/UCLK\", \"ha/REQUESTS:READS\""
static const struct family families[] = {
	{ "nehalem-ex", WINDOWS("bbox1/IMT_INSERTS_ALL", 1000000, NX_EVENTS),
	  "bbox1/IMT_INSERTS_ALL", "wbox0/CLOCKTICKS",
	  1000000 },
	{ "ivytown", WINDOWS("ha1/REQUESTS:READS", 200000, IVT_EVENTS), "ha1/REQUESTS:READS", "ubox0/UCLK", 200000 },
	/* of microseconds: only looks between two samples see it running, and the first ones come
	 * too late */
	{ "nehalem-ex", WINDOWS("bbox1/IMT_INSERTS_ALL", 9000, NX_EVENTS), "bbox1/IMT_INSERTS_ALL", "wbox0/CLOCKTICKS", 9000 },
	/* of some seconds: most samples see it running */
	{ "nehalem-ex", WINDOWS("bbox1/IMT_INSERTS_ALL", 400000000, NX_EVENTS),
	  "bbox1/IMT_INSERTS_ALL", "wbox0/CLOCKTICKS",
	  400000000 },
	{ "ivytown", WINDOWS("ha1/REQUESTS:READS", 150000000, IVT_EVENTS), "ha1/REQUESTS:READS", "ubox0/UCLK", 150000000 },
};

/* One access fails, and until `until` every other one to the same register. */
struct fault {
	struct watch watch;         /* first: the hook of windows.h finds it there */
	enum model_fault how;
	unsigned at, n;             /* the access; how many there were */
	nsec lasts, until;          /* 0: that access alone */
	struct reg reg;
	bool on;
};

static void fault_off(struct rig *r, struct fault *f)
{
	if (f->on)
		model_fault(r->m, 0, f->how, f->reg, false);
	f->on = false;
}

static void fail_at(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct fault *f = r->hook_arg;

	watch_writes(r, socket, reg, write);
	if (model_now(r->m) >= f->until)
		fault_off(r, f);
	if (f->n++ != f->at)
		return;
	f->reg = reg;
	f->on = true;
	f->until = model_now(r->m) + f->lasts;
	model_fault(r->m, socket, f->how, reg, true);
}

/* Returns whether there was such an access. */
static bool one_access_fails(const struct family *of, enum model_fault how, nsec lasts, unsigned at)
{
	struct fault f = { .how = how, .at = at, .lasts = lasts };
	uint64_t active, clock;
	const uint64_t *words;
	unsigned most;
	char what[96];
	struct rig r;
	struct run u;

	rig_open_as(&r, of->processor, 1, "stream", 3);
	run_open(&u, &r, of->conf, NULL);
	watch_begin(&f.watch, &u, 0, of->event, of->count);
	r.hook = watch_writes;
	r.hook_arg = &f;
	run_start(&u);
	/* Each window begins at a sample, on the second. */
	most = 12 / (unsigned)ceil((double)of->count / model_rate(r.m, 0, f.watch.slot->data));
	grid_ticks(&u, 4);
	r.hook = fail_at;
	grid_ticks(&u, 2);
	r.hook = watch_writes;
	if (lasts)
		grid_ticks(&u, 3);
	fault_off(&r, &f);
	grid_ticks(&u, lasts ? 3 : 6);
	r.hook = NULL;

	snprintf(what, sizeof(what), "%s, windows of %u, access %u, 0x%x fails", of->processor,
		 (unsigned)of->count, at, f.reg.off);
	for (unsigned k = 0; k < u.s[0].n_slots; k++)
		if (slot_reason(&u, 0, &u.s[0].slots[k]))
			fail_msg("%s: %s is %s", what, u.s[0].slots[k].plan->identity,
				 reason_name(slot_reason(&u, 0, &u.s[0].slots[k])));
		else
			same_u64(slot_total(&u, 0, &u.s[0].slots[k]),
				 slot_truth(&u, 0, &u.s[0].slots[k]), what, __LINE__);
	words = u.s[0].words;
	same_u64(words[W_RESETS], 0, what, __LINE__);
	same_u64(words[W_FOREIGN], 0, what, __LINE__);
	active = words[u.s[0].layout.group_active];
	clock = slot_total(&u, 0, run_slot(&u, 0, of->clock));
	same_u64(words[W_FROZEN] + active, 12 * NSEC_PER_SEC, what, __LINE__);
	/* 2.4 GHz; a clock that was seen for 20 us has shown some 48000 counts, one more or less */
	if (active * 24 / 10 < clock - clock / 10000 || active * 24 / 10 > clock + clock / 10000)
		fail_msg("%s: %" PRIu64 " ns active, clock %" PRIu64, what, active, clock);
	if (f.watch.windows + (lasts ? 6 : 2) < most || f.watch.windows > most)
		fail_msg("%s: %u windows of %u", what, f.watch.windows, most);
	/* A window is one sample, however often it was seen to be over, or none if it was not
	 * read. */
	if (samples_of(&u, "clock_hertz") > f.watch.windows)
		fail_msg("%s: %" PRIu64 " samples of %u windows", what,
			 samples_of(&u, "clock_hertz"), f.watch.windows);
	run_stop(&u);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
	return f.n > at;
}

static void whichever_access_fails_once(void **state)
{
	static const enum model_fault how[] = { MODEL_EIO, MODEL_OFFLINE };

	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++)
		for (unsigned k = 0; k < COUNT(how); k++)
			for (unsigned at = 0; one_access_fails(&families[i], how[k], 0, at); at++)
				;
}

static void whichever_register_fails_for_three_seconds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++)
		for (unsigned at = 0;
		     one_access_fails(&families[i], MODEL_EIO, 3 * NSEC_PER_SEC, at); at++)
			;
}

/* A group beside windows counts another clock, of 0.933 GHz: its rate is of the time in which it
 * counted, or it is not told; so are its single samples. */
static bool neighbour_of_a_failure(unsigned at)
{
	struct fault f = { .how = MODEL_EIO, .at = at };
	const struct plan_socket *p;
	const uint64_t *h;
	unsigned told = 0;
	struct rig r;
	struct run u;

	rig_open_as(&r, "ivytown", 1, "stream", 3);
	run_open(&u, &r, SECOND
		 "groups = ( { name = \"m\"; resolution = \"200ms\"; events = [ \"imc0/DCLK\" ]; "
		 "distribution = { buckets = ( 0.9e9, 0.966e9 ); }; }, { name = \"w\"; events = [ "
		 IVT_EVENTS " ]; "
		 "window = { event = \"ha1/REQUESTS:READS\"; count = 200000; }; } );", NULL);
	watch_begin(&f.watch, &u, 0, "ha1/REQUESTS:READS", 200000);
	p = &u.plan->sockets[0];
	assert_string_equal(p->metrics[p->distributions[0].metric].name, "dram_clock_hertz");
	r.hook = watch_writes;
	r.hook_arg = &f;
	run_start(&u);
	/* also in the first second, before the rate of the windows' clock is known */
	for (unsigned k = 0; k < 7; k++) {
		double v;

		if (k == 3)
			r.hook = fail_at;
		grid_ticks(&u, 1);
		if (k == 4)
			fault_off(&r, &f);
		if (u.s[0].words[u.s[0].layout.metric_reason + p->distributions[0].metric])
			continue;
		memcpy(&v, &u.s[0].words[u.s[0].layout.metric_value + p->distributions[0].metric],
		       sizeof(v));
		if (v < 0.9e9 || v > 0.966e9)
			fail_msg("access %u, 0x%x fails: %.0f Hz", at, f.reg.off, v);
		told++;
	}
	h = &u.s[0].words[layout_histogram(p, 0)];
	if (told < 4 || h[H_CLASSIC] || h[H_CLASSIC + 2] || h[H_CLASSIC + 1] < 25)
		fail_msg("access %u, 0x%x fails: %" PRIu64 " samples too low, %" PRIu64 " right, %"
			 PRIu64 " too high", at, f.reg.off,
			 h[H_CLASSIC], h[H_CLASSIC + 1], h[H_CLASSIC + 2]);
	r.hook = NULL;
	run_stop(&u);
	run_close(&u);
	rig_close(&r);
	return f.n > at && at < 200;    /* those of five samples, and of looks */
}

static void neighbours_hear_no_frozen_time(void **state)
{
	(void)state;
	for (unsigned at = 0; neighbour_of_a_failure(at); at++)
		;
}

/* Somebody takes the clock in a window of seconds: what it showed is not all of that window, and
 * tells no rate. */
static void a_clock_that_somebody_took(void **state)
{
	uint64_t active, clock;
	const uint64_t *words;
	const struct slot *s;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 900000000, NX_EVENTS), NULL);
	run_start(&u);
	s = run_slot(&u, 0, "wbox0/CLOCKTICKS");
	words = u.s[0].words;
	grid_ticks(&u, 30);
	assert_true(model_counting(r.m, 0, s->data));
	model_write(r.m, 0, s->ctl, 0);
	grid_ticks(&u, 1);
	assert_int_equal(slot_reason(&u, 0, s), REASON_FOREIGN);
	grid_ticks(&u, 10);                     /* armed again, and that window is over */
	assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
	active = words[u.s[0].layout.group_active];
	clock = slot_total(&u, 0, s);
	grid_ticks(&u, 40);
	active = words[u.s[0].layout.group_active] - active;
	clock = slot_total(&u, 0, s) - clock;
	assert_in_range(clock, active * 24 / 10 * 99 / 100, active * 24 / 10 * 101 / 100);
	run_stop(&u);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* The clock cannot be read for 15 s of a window that lasts longer, or until that one is over: its
 * time is told all the same, to a sample when it had to be told without the clock, and no rate is
 * seen in a count that stands. */
static void a_clock_that_is_gone_for_a_while(void **state)
{
	(void)state;
	for (unsigned to_the_end = 0; to_the_end < 2; to_the_end++) {
		const unsigned bound = to_the_end ? 40 : 1;     /* thousandths */
		uint64_t active, clock;
		const uint64_t *words;
		const struct slot *s;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", 3);
		run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 4500000000, NX_EVENTS),
			 NULL);
		run_start(&u);
		s = run_slot(&u, 0, "wbox0/CLOCKTICKS");
		words = u.s[0].words;
		grid_ticks(&u, 2);
		model_fault(r.m, 0, MODEL_EIO, s->data, true);
		grid_ticks(&u, 14);
		assert_in_range(words[u.s[0].layout.group_active], 10 * NSEC_PER_SEC,
				16 * NSEC_PER_SEC);
		grid_ticks(&u, 1);
		while (to_the_end && model_counting(r.m, 0, s->data))
			grid_ticks(&u, 1);
		if (to_the_end)
			grid_ticks(&u, 5);
		model_fault(r.m, 0, MODEL_EIO, s->data, false);
		while ((to_the_end ? slot_reason(&u, 0, s) != REASON_NONE : !words[W_FROZEN]) &&
		       model_now(r.m) < 60 * NSEC_PER_SEC)
			grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
		active = words[u.s[0].layout.group_active];
		clock = slot_total(&u, 0, s);
		assert_in_range(clock, active * 24 / 10 * (1000 - bound) / 1000,
				active * 24 / 10 * (1000 + bound) / 1000);
		same_u64(words[W_FROZEN] + active, (uint64_t)model_now(r.m),
			 "all of the time", __LINE__);
		run_stop(&u);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* Stopped between the end of a window and the beginning of the next, which has failed half-way: it
 * is known to be over. */
static void stopped_before_the_next_one(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct slot *s;
		struct rig r;
		struct run u;

		rig_open_as(&r, families[i].processor, 1, "stream", 3);
		run_open(&u, &r, families[i].conf, NULL);
		run_start(&u);
		grid_ticks(&u, 4);
		s = run_slot(&u, 0, families[i].event);
		model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), true);
		grid_ticks(&u, 1);
		model_fault(r.m, 0, MODEL_WRITE_EPERM, msr(0), false);
		assert_int_equal(model_write(r.m, 0,
					     i ? (struct reg){ .space = SPACE_PCI, .bytes = 4,
					     .dev = 28, .fn = 1, .off = 0xf8 } :
					     /* as far as it may have come */
					     msr(0xc62), i ? BIT(0) : BIT(1)), 0);
		assert_false(model_counting(r.m, 0, s->data));
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		assert_int_equal(u.s[0].words[W_RESETS] + u.s[0].words[W_FOREIGN], 0);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* The clock cannot be read any more: windows wait for it, but not for ever, and go on without their
 * time. */
static void a_clock_that_is_gone(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct family *of = &families[i];
		const uint64_t *words;
		const struct slot *clock;
		struct watch w;
		struct rig r;
		struct run u;

		rig_open_as(&r, of->processor, 1, "stream", 3);
		run_open(&u, &r, of->conf, NULL);
		watch_begin(&w, &u, 0, of->event, of->count);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		grid_ticks(&u, 5);
		words = u.s[0].words;
		clock = run_slot(&u, 0, of->clock);
		assert_int_equal(w.windows, 5);
		model_fault(r.m, 0, MODEL_EIO, clock->data, true);
		for (unsigned k = 0; k < 45; k++) {
			grid_ticks(&u, 1);
			assert_int_equal(slot_reason(&u, 0, clock), REASON_READ_ERROR);
			run_exact(&u, __LINE__, (const char *const[]){ of->clock, NULL });
		}
		assert_in_range(w.windows, 8, 10);
		model_fault(r.m, 0, MODEL_EIO, clock->data, false);
		grid_ticks(&u, 10);
		run_exact(&u, __LINE__, NULL);
		assert_in_range(w.windows, 18, 20);
		same_u64(words[W_FROZEN] + words[u.s[0].layout.group_active], 60 * NSEC_PER_SEC,
			 "all of the time", __LINE__);
		assert_int_equal(words[W_RESETS] + words[W_FOREIGN], 0);
		r.hook = NULL;
		run_stop(&u);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* The clock cannot be read when the turn of a group of windows ends: of that time it is not known
 * how much was not frozen. It is told when the next turn begins, not a turn later. */
static void a_turn_ends_while_the_clock_is_gone(void **state)
{
	const uint64_t *words;
	uint64_t before;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	run_open(&u, &r, "interval = \"1s\"; rotation = \"5s\"; groups = ("
		 "{ name = \"w\"; window = { event = \"bbox1/IMT_INSERTS_ALL\"; "
		 "count = 1000000; }; events = [ " NX_EVENTS " ]; },"
		 "{ name = \"plain\"; events = [ \"bbox/IMT_INSERTS_WR\", "
		 "\"mbox/CYCLES\" ]; } );", NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 2);
	run_start(&u);
	words = u.s[0].words;
	grid_ticks(&u, 11);
	assert_int_equal(u.s[0].words[W_ROUND], 0);
	before = words[W_FROZEN];
	model_fault(r.m, 0, MODEL_EIO, run_slot(&u, 0, "wbox0/CLOCKTICKS")->data, true);
	for (unsigned k = 12; k < 20; k++) {
		uint64_t told;

		grid_ticks(&u, 1);
		assert_int_equal(words[W_ROUND], k >= 15);
		told = words[W_FROZEN] + words[u.s[0].layout.group_active] +
		       words[u.s[0].layout.group_active + 1];
		/* four seconds without a clock: since the eleventh */
		same_u64(told, (k < 15 ? 11 : k) * NSEC_PER_SEC, "time told", __LINE__);
		same_u64(words[W_FROZEN], before + (k < 15 ? 0 : 4 * NSEC_PER_SEC), "frozen",
			 __LINE__);
	}
	run_stop(&u);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whichever_access_fails_once),
		cmocka_unit_test(whichever_register_fails_for_three_seconds),
		cmocka_unit_test(neighbours_hear_no_frozen_time),
		cmocka_unit_test(a_clock_that_somebody_took),
		cmocka_unit_test(stopped_before_the_next_one),
		cmocka_unit_test(a_clock_that_is_gone),
		cmocka_unit_test(a_clock_that_is_gone_for_a_while),
		cmocka_unit_test(a_turn_ends_while_the_clock_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
