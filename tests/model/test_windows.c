/* SPDX-License-Identifier: MIT
 * Overflow windows (323535-001 2.1.1 to 2.1.4): totals are what the counters counted,
 * each window holds N and what came until the freeze, however late it is looked at, and lasted as
 * long as its clock says.
 * Every expectation is taken from the model's own account: model_truth(), model_counting().
 */
#include "windows.h"

/* One group, one window in each second: 1000000 inserts of B-Box 1. beside_perf: the round also
 * counts events of the kernel, and the group's time is told by its slots. */
static void windows_are_exact(bool beside_perf)
{
	const uint64_t *words;
	struct watch w;
	uint64_t clock;
	struct rig r;
	struct run u;

	rig_open(&r, 1, "stream", 3);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS), NULL);
	u.plan->sockets[0].rounds[0].n_perf = beside_perf;
	words = u.s[0].words;
	watch_begin(&w, &u, 0, "bbox1/IMT_INSERTS_ALL", 1000000);
	r.hook = watch_writes;
	r.hook_arg = &w;
	run_start(&u);
	for (unsigned k = 0; k < 300; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
		assert_int_equal(w.windows, k + 1);
	}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	/* Time stands still during a tick here: what was active and what was frozen is all of
	 * it. */
	clock = slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
	same_u64(words[W_FROZEN] + words[u.s[0].layout.group_active], 300 * NSEC_PER_SEC,
		 "frozen and active", __LINE__);
	/* The uncore clock of 2.4 GHz ran in the active time only; each of the 300 windows is
	 * rounded to a ns. */
	assert_in_range(words[u.s[0].layout.group_active] * 24 / 10, clock - 720, clock + 720);
	same_u64(words[u.s[0].layout.group_active], words[W_ACTIVE], "active", __LINE__);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

static void totals_and_windows_are_exact(void **state)
{
	(void)state;
	windows_are_exact(false);
}

/* What is known late, as the clock's rate was not known yet, is time of the group all the same. */
static void beside_perf_events_too(void **state)
{
	(void)state;
	windows_are_exact(true);
}

/* --------------------------------------------------------- every family, slow registers, bursts */

struct family {
	int line;
	const char *name, *event;   /* that ends the windows */
	uint64_t count;
	const char *events, *clock;
	double ghz;                 /* of the clock */
	bool often;                 /* counts in the 40 ns that the model's freeze takes, too */
};

static const struct family families[] = {
	{ __LINE__, "nehalem-ex", "bbox1/IMT_INSERTS_ALL", 400000,
	  "\"bbox/IMT_INSERTS_ALL\", \"cbox/LLC_MISSES:ALL\", \"mbox/CYCLES\"",
	  "wbox0/CLOCKTICKS", 2.4, true },
	{ __LINE__, "nehalem-ex", "mbox0/CYCLES", 5000000, "\"bbox/IMT_INSERTS_ALL\", \"mbox/CYCLES\"", "wbox0/CLOCKTICKS", 2.4, true },
	/* no status register of its own: the U-Box; the right half of the R-Box */
	{ __LINE__, "nehalem-ex", "ubox0/U2B_REQUEST_CYCLES", 100000,
	  "\"ubox/U2B_REQUEST_CYCLES\", \"cbox/MAF_ACK\"",
	  "wbox0/CLOCKTICKS", 2.4, false },
	{ __LINE__, "nehalem-ex", "rbox0/FLITS_SENT,port=4", 900000,
	  "\"rbox/FLITS_SENT,port=4\", \"rbox/NULL_IDLE,port=4\"",
	  "wbox0/CLOCKTICKS", 2.4, false },
	{ __LINE__, "nehalem-ex", "wbox0/C_CYCLES_TURBO:ALL", 900000,
	  "\"wbox/C_CYCLES_TURBO:ALL\", \"sbox/PKTS_SENT_HOM:RBOX\"",
	  "wbox0/CLOCKTICKS", 2.4, true },
	{ __LINE__, "westmere-ex", "cbox7/LLC_MISSES:ALL", 30000, "\"cbox/LLC_MISSES:ALL\"", "wbox0/CLOCKTICKS", 2.4, false },
	/* many in one cycle, of 48 and of 44 bits, in PCI space and without a status of the box */
	{ __LINE__, "nehalem-ex", "cbox2/OCCUPANCY_IRQ", 2000000, "\"cbox/OCCUPANCY_IRQ\", \"cbox/TRANS_IRQ\"", "wbox0/CLOCKTICKS", 2.4, true },
	{ __LINE__, "ivytown", "ha1/REQUESTS:READS", 100000, "\"ha/REQUESTS:READS\", \"imc/CAS_COUNT:RD\"", "ubox0/UCLK", 2.4, false },
	{ __LINE__, "ivytown", "r3qpi1/RXR_OCCUPANCY:DRS", 500000,
	  "\"r3qpi/RXR_OCCUPANCY:DRS\", \"r3qpi/RXR_INSERTS:DRS\"",
	  "ubox0/UCLK", 2.4, false },
	{ __LINE__, "ivytown", "cbox14/TOR_OCCUPANCY:ALL", 2000000, "\"cbox/TOR_OCCUPANCY:ALL\", \"imc/DCLK\"", "ubox0/UCLK", 2.4, true },
	{ __LINE__, "ivytown", "ubox0/UCLK", 9000000, "\"qpi/TXL_FLITS_G0:DATA\"", "ubox0/UCLK", 2.4, true },
	{ __LINE__, "ivytown", "pcu0/CLOCKTICKS", 900000, "\"pcu/CLOCKTICKS\", \"r2pcie/RXR_INSERTS:NCB\"", "pcu0/CLOCKTICKS", 0.8, true },
};

static char *family_conf(const struct family *f, const char *settings)
{
	static char text[2048];
	char clock[64], *digit = clock;

	snprintf(clock, sizeof(clock), "%s", f->clock);
	digit = clock + strcspn(clock, "0");	/* the clock of the box that a socket has once */
	memmove(digit, digit + 1, strlen(digit));
	snprintf(text, sizeof(text),
		 "%s groups = ( { name = \"w\"; window = { event = \"%s\"; count = %" PRIu64
		 "; }; events = [ "
		 "%s%s%s%s ]; } );", settings, f->event, f->count, f->events,
		 strstr(f->events, clock) ? "" : ", \"",
		 strstr(f->events, clock) ? "" : clock, strstr(f->events, clock) ? "" : "\"");
	return text;
}

/* Two sockets, bursts of load, and every access to a register takes its time: 300 windows and more
 * of each family. */
static void windows_of(const struct family *f, nsec latency)
{
	struct watch w;
	struct rig r;
	struct run u;

	rig_open_as(&r, f->name, 2, "bursty", (uint64_t)f->line);
	r.latency = latency;
	run_open(&u, &r, family_conf(f, "interval = \"100ms\"; "), NULL);
	watch_begin(&w, &u, 1, f->event, f->count);
	r.hook = watch_writes;
	r.hook_arg = &w;
	run_start(&u);
	grid_ticks(&u, 400);
	r.hook = NULL;
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	if (w.windows < 300 || (f->often && !w.rests))
		fail_msg("row of line %d: %u windows, rests of %" PRIu64, f->line,
			 w.windows, w.rests);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t *words = u.s[i].words;
		double active = (double)words[u.s[i].layout.group_active],
			clock = (double)slot_total(&u, i, run_slot(&u, i, f->clock));

		/* The clock's rate is seen over at least eight times the duration of a read. */
		if (active * f->ghz < clock * 0.97 || active * f->ghz > clock * 1.03)
			fail_msg("row of line %d: %.0f ns active, clock %.0f", f->line,
				 active, clock);
		assert_int_equal(words[W_RESETS], 0);
		assert_int_equal(words[W_FOREIGN], 0);
		for (unsigned k = 0; k < REASON_COUNT; k++)
			assert_int_equal(words[W_INVALID + k], 0);
		assert_in_range(words[W_FROZEN] + words[u.s[i].layout.group_active],
				words[W_TICK_MONO] - 2 * (uint64_t)u.plan->interval,
				words[W_TICK_MONO]);
	}
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

static void every_family(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(families); i++)
		windows_of(&families[i], i % 2 ? 900 : 0);
}

/* Registers so slow that a clock seen an eighth of a window after its beginning tells nothing: it
 * is looked at later then, until it does, or until the window is over. */
static void slow_registers_show_no_rate(void **state)
{
	static const struct { int line; nsec latency; uint64_t count; } rows[] = {
		{ __LINE__, 10000, 1000000 }, { __LINE__, 20000, 1000000 },
		{ __LINE__, 20000, 700000 }, { __LINE__, 30000, 1500000 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char conf[512];
		double active, clock;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", 3);
		r.latency = rows[i].latency;
		snprintf(conf, sizeof(conf), "interval = \"50ms\"; groups = ( { name = \"w\"; "
			 "window = { event = \"bbox1/IMT_INSERTS_ALL\"; "
			 "count = %" PRIu64
			 "; }; events = [ \"wbox/CLOCKTICKS\", \"bbox1/IMT_INSERTS_ALL\" ]; } );",
			 rows[i].count);
		run_open(&u, &r, conf, NULL);
		run_start(&u);
		grid_ticks(&u, 40);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		active = (double)u.s[0].words[u.s[0].layout.group_active];
		clock = (double)slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
		/* 2.4 GHz, seen over sixteen times what is not known of the span, or more. */
		if (active * 2.4 < clock * 0.93 || active * 2.4 > clock * 1.07)
			fail_msg("row of line %d: %.0f ns active, clock %.0f", rows[i].line,
				 active, clock);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* Time as the sampler sees it: from `slow_since` on a quarter longer, so that clocks are slower. */
static nsec slow_since;

static nsec slow_mono(void *p)
{
	const struct rig *r = p;
	nsec now = model_now(r->m);

	return now < slow_since ? now : now + (now - slow_since) / 4;
}

/* Looks at clocks until a sample is due, and takes it. */
static void slow_tick(struct run *u)
{
	bool look;

	do {
		nsec next = sampler_next(u->s[0].sampler), now = slow_mono(u->rig);

		look = sampler_next_peek(u->s[0].sampler);
		rig_advance(u->rig, next > now ? (next - now) * 4 / 5 + 1 : 0);
		sampler_tick(u->s[0].sampler);
	} while (look);
}

/* A clock runs slower than when its rate was last seen well, and since then registers are so slow
 * that no later look is as good. Its old rate is not believed for ever: after enough windows (the
 * first look was good to a nanosecond of 3 ms, the later ones are to a twentieth of it, and a rate
 * loses a quarter of its weight with each window) a worse look at the present is taken. */
static void an_old_rate_is_not_for_ever(void **state)
{
	double active = 0, clock = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 3);
	r.clock.mono = slow_mono;
	slow_since = INT64_MAX;
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000,
				      "\"wbox/CLOCKTICKS\", \"bbox1/IMT_INSERTS_ALL\""), NULL);
	run_start(&u);
	grid_ticks(&u, 5);
	slow_since = model_now(r.m);
	r.latency = 25000;
	for (unsigned k = 0; k < 80; k++) {
		if (k == 60) {
			run_read_words(&u);
			active = (double)u.s[0].words[u.s[0].layout.group_active];
			clock = (double)slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
		}
		slow_tick(&u);
	}
	run_read_words(&u);
	active = (double)u.s[0].words[u.s[0].layout.group_active] - active;
	clock = (double)slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS")) - clock;
	/* 2.4 GHz of the old time; seen for sixteen times what is not known of that, or more */
	if (active * 2.4 / 1.25 < clock * 0.93 || active * 2.4 / 1.25 > clock * 1.07)
		fail_msg("%.0f ns active, clock %.0f: %.3f GHz", active, clock, clock / active);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ time and values of a window */

/* Whoever looks an hour after a window of some milliseconds sees what it came to, and that it
 * lasted some milliseconds. */
static void late_polls_change_nothing(void **state)
{
	const struct slot *s, *clock;
	uint64_t active, held;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS), NULL);
	run_start(&u);
	grid_ticks(&u, 5);              /* the rate of the clock is known now */
	s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
	clock = run_slot(&u, 0, "wbox0/CLOCKTICKS");
	for (unsigned k = 0; k < 20; k++) {
		active = u.s[0].words[u.s[0].layout.group_active];
		held = slot_truth(&u, 0, clock);
		rig_advance(&r, 50 * NSEC_PER_MSEC);
		assert_false(model_counting(r.m, 0, s->data));
		held = slot_truth(&u, 0, clock) - held;
		rig_advance(&r, 3600 * NSEC_PER_SEC);
		run_tick(&u);
		run_exact(&u, __LINE__, NULL);
		assert_int_equal(slot_truth(&u, 0, s) % 1000000,
				 6 * (slot_truth(&u, 0, s) / 1000000));
		active = u.s[0].words[u.s[0].layout.group_active] - active;
		assert_in_range(active * 24 / 10, held - 24, held + 24);
	}
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

static double metric(const struct run *u, const char *name, bool *ret_valid)
{
	const struct plan_socket *p = &u->plan->sockets[0];
	double v = 0;

	for (unsigned i = 0; i < p->n_metrics; i++)
		if (strcmp(p->metrics[i].name, name) == 0) {
			*ret_valid = !u->s[0].words[u->s[0].layout.metric_reason + i];
			memcpy(&v, &u->s[0].words[u->s[0].layout.metric_value + i], sizeof(v));
			return v;
		}
	fail();
	return 0;
}

/* One window lasts some six seconds: its value appears when it is over and stands until the next
 * one is. */
static void a_value_is_one_whole_window(void **state)
{
	const struct slot *b0, *b1, *clock;
	uint64_t inserts = 0, clocks = 0, done = 0;
	double ratio = 0, rate = 0, want = 0;
	bool valid;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "bursty", 5);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 600000000, EVENTS) RATIO, NULL);
	run_start(&u);
	b0 = run_slot(&u, 0, "bbox0/IMT_INSERTS_ALL");
	b1 = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
	clock = run_slot(&u, 0, "wbox0/CLOCKTICKS");
	for (unsigned k = 0; k < 60; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
		if (slot_total(&u, 0, b1) / 600000000 > done) {
			uint64_t now = slot_total(&u, 0, b0) + slot_total(&u, 0, b1);

			done++;
			want = (double)(now - inserts) / (double)(slot_total(&u, 0,
				clock) - clocks);
			inserts = now;
			clocks = slot_total(&u, 0, clock);
		}
		ratio = metric(&u, "imt_inserts_per_clock_ratio", &valid);
		assert_int_equal(valid, done > 0);
		assert_true(!valid || ratio == want);
		rate = metric(&u, "imt_rate_hertz", &valid);
		assert_true(!valid || (rate > want * 2.399e9 && rate < want * 2.401e9));
	}
	assert_in_range(done, 5, 20);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A window of some microseconds, which no tick ever sees running: the sampler looks in between
 * until it does. */
static void short_windows_have_their_time(void **state)
{
	struct rig r;
	struct run u;
	bool valid;
	double rate;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, SECOND GROUP("bbox1/IMT_INSERTS_ALL", 20000, EVENTS) RATIO, NULL);
	run_start(&u);
	grid_ticks(&u, 60);
	run_exact(&u, __LINE__, NULL);
	/* 60 windows; each as long as 20000 inserts take, and the 40 ns until the freeze. */
	rate = model_rate(r.m, 0, run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL")->data);
	assert_in_range(u.s[0].words[u.s[0].layout.group_active],
			(uint64_t)(60 * 20000 / rate * 1e9),
			(uint64_t)(60 * (20000 / rate * 1e9 + 45)));
	rate += model_rate(r.m, 0, run_slot(&u, 0, "bbox0/IMT_INSERTS_ALL")->data);
	assert_true(metric(&u, "imt_rate_hertz", &valid) > 0.999 * rate &&
		    metric(&u, "imt_rate_hertz", &valid) < 1.001 * rate);
	assert_true(valid);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* Where the uncore clock has a rate, it is 2.4 GHz, in the first window as in the last. Returns in
 * how many groups. */
static unsigned clocks_are_right(const struct run *u)
{
	const struct plan_socket *p = &u->plan->sockets[0];
	const struct run_socket *s = &u->s[0];
	unsigned n = 0;
	double v;

	for (unsigned i = 0; i < p->n_metrics; i++) {
		if (strcmp(p->metrics[i].name, "clock_hertz") != 0 ||
		    s->words[s->layout.metric_reason + i])
			continue;
		memcpy(&v, &s->words[s->layout.metric_value + i], sizeof(v));
		assert_true(v > 2.399e9 && v < 2.401e9);
		n++;
	}
	return n;
}

/* A group without a window in the same round stands still with it: its rates are of the time in
 * which it counted. */
static void a_neighbour_counts_in_the_unfrozen_time(void **state)
{
	const struct run_socket *s;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, SECOND "groups = ( { name = \"w\"; window = { event = "
		 "\"bbox1/IMT_INSERTS_ALL\"; count = 1000000; }; "
		 "events = [ " EVENTS
		 " ]; }, { name = \"m\"; events = [ \"mbox/CYCLES\", \"wbox/CLOCKTICKS\" ]; } );",
		 NULL);
	assert_int_equal(u.plan->sockets[0].n_rounds, 1);
	run_start(&u);
	for (unsigned k = 0; k < 100; k++) {
		grid_ticks(&u, 1);
		run_exact(&u, __LINE__, NULL);
		clocks_are_right(&u);
	}
	assert_int_equal(clocks_are_right(&u), 1);
	s = &u.s[0];
	same_u64(s->words[s->layout.group_active + 1], s->words[s->layout.group_active],
		 "active seconds of both", __LINE__);
	/* 4/3 GHz */
	assert_in_range(slot_total(&u, 0, run_slot(&u, 0, "mbox0/CYCLES")) * 3 / 4,
			s->words[s->layout.group_active + 1] - 200,
			s->words[s->layout.group_active + 1] + 200);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* At 10 ms not every sample is vouched for; a window that is over is, at once. */
static void fast_samples_see_windows_too(void **state)
{
	uint64_t active, clock;
	struct watch w;
	struct rig r;
	struct run u;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		rig_open(&r, 1, "stream", 5);
		r.latency = 700;
		/* of 6 ms, and of 45 */
		run_open(&u, &r, i ? "interval = \"10ms\"; "
			 GROUP("bbox1/IMT_INSERTS_ALL", 7500000, EVENTS) :
			 "interval = \"10ms\"; " GROUP("bbox1/IMT_INSERTS_ALL", 1000000, EVENTS),
			 NULL);
		watch_begin(&w, &u, 0, "bbox1/IMT_INSERTS_ALL", i ? 7500000 : 1000000);
		r.hook = watch_writes;
		r.hook_arg = &w;
		run_start(&u);
		grid_ticks(&u, 500);
		r.hook = NULL;
		/* Five seconds: ten publications in each and the first, however many windows
		 * end. */
		assert_in_range(ring_published(&u.s[0].ring), 50, 51);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		assert_in_range(w.windows, i ? 95 : 495, i ? 101 : 501);
		active = u.s[0].words[u.s[0].layout.group_active];
		clock = slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS"));
		assert_in_range(clock, active * 24 / 10 * 97 / 100, active * 24 / 10 * 103 / 100);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

/* Its own counter was armed anew, in the middle: what ends then is no window of N, and has no
 * value; the next one has. */
static void a_broken_window_has_no_value(void **state)
{
	const struct slot *s;
	uint64_t ended = 0, seen;
	bool valid;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 5);
	run_open(&u, &r, SECOND SAMPLED("", 900000000), NULL);
	run_start(&u);
	s = run_slot(&u, 0, "bbox1/IMT_INSERTS_ALL");
	grid_ticks(&u, 10);
	metric(&u, "imt_rate_hertz", &valid);
	assert_true(valid);
	seen = samples_of(&u, "imt_rate_hertz");
	model_write(r.m, 0, s->ctl, model_peek(r.m, 0, s->ctl) ^ BIT(4));
	for (unsigned k = 0; k < 24 && ended < 2; k++) {
		uint64_t was = u.s[0].words[W_FROZEN];

		grid_ticks(&u, 1);
		ended += u.s[0].words[W_FROZEN] != was;
		metric(&u, "imt_rate_hertz", &valid);
		assert_int_equal(valid, ended > 1);
		metric(&u, "clock_hertz", &valid);      /* whose counters nobody has touched */
		assert_int_equal(valid, ended > 1);
		assert_int_equal(samples_of(&u, "imt_rate_hertz"), seen + (ended > 1));
	}
	assert_int_equal(ended, 2);
	assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_windows_are_exact),
		cmocka_unit_test(beside_perf_events_too),
		cmocka_unit_test(every_family),
		cmocka_unit_test(slow_registers_show_no_rate),
		cmocka_unit_test(an_old_rate_is_not_for_ever),
		cmocka_unit_test(late_polls_change_nothing),
		cmocka_unit_test(a_value_is_one_whole_window),
		cmocka_unit_test(short_windows_have_their_time),
		cmocka_unit_test(a_neighbour_counts_in_the_unfrozen_time),
		cmocka_unit_test(fast_samples_see_windows_too),
		cmocka_unit_test(a_broken_window_has_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
