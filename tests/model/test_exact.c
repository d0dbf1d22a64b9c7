/* SPDX-License-Identifier: MIT
 * Totals equal what the counters counted, to the last count: every box, every wrap,
 * any ticks. */
#include "rig.h"

#define SECOND "interval = \"1s\"; "

/* Where a counter begins that shall wrap after `after`. */
static uint64_t wrap_within(nsec after, double rate)
{
	assert_true(rate * (double)after / 1e9 > 1);
	return TOP48 - 1 - (uint64_t)(rate * (double)after / 1e9) % TOP48;
}

static void all_counters_of_eight_sockets(void **state)
{
	/* By hand: U 1, C 8 x 6, B 2 x 4, S 2 x 4, R 16, M 2 x 6, W 4 and the fixed one. */
	static const unsigned per_socket = 1 + 48 + 8 + 8 + 16 + 12 + 5;
	static uint64_t start[RIG_SOCKETS][98];
	unsigned ticks = rig_long() ? 86400 : 900, turns = rig_long() ? 24 : 12;
	nsec all = ticks * NSEC_PER_SEC + turns * 600 * NSEC_PER_SEC;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, RIG_SOCKETS, "stream", 7);
	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	for (unsigned i = 0; i < RIG_SOCKETS; i++)
		assert_int_equal(u.s[i].n_slots, per_socket);
	/* How fast each will count is known once it is programmed; then each is set to wrap within
	 * the run. */
	run_start(&u);
	for (unsigned i = 0; i < RIG_SOCKETS; i++)
		for (unsigned k = 0; k < per_socket; k++)
			start[i][k] = wrap_within(all * (1 + k) / (2 + per_socket),
						  model_rate(r.m, i, u.s[i].slots[k].data));
	run_stop(&u);
	run_restore(&u, NULL);
	run_close(&u);

	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	for (unsigned i = 0; i < RIG_SOCKETS; i++)
		for (unsigned k = 0; k < per_socket; k++)
			model_poke(r.m, i, u.s[i].slots[k].data, start[i][k]);
	run_start(&u);
	run_exact(&u, __LINE__, NULL);
	for (unsigned turn = 0; turn < turns; turn++) {
		run_ticks(&u, ticks / turns, NSEC_PER_SEC);
		run_exact(&u, __LINE__, NULL);
		run_ticks(&u, 1, 600 * NSEC_PER_SEC);           /* nobody ticks for ten minutes */
		run_exact(&u, __LINE__, NULL);
	}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	for (unsigned i = 0; i < RIG_SOCKETS; i++) {
		uint64_t wraps = 0;

		for (unsigned k = 0; k < per_socket; k++) {
			uint64_t times = (start[i][k] +
					  slot_truth(&u, i, &u.s[i].slots[k])) / TOP48;

			assert_true(times >= 1);
			wraps += times;
		}
		assert_int_equal(u.s[i].words[W_WRAPS], wraps);
		assert_int_equal(u.s[i].words[W_RESETS], 0);
		assert_int_equal(u.s[i].words[W_FOREIGN], 0);
		assert_int_equal(u.s[i].words[W_TICKS], 1 + ticks + turns);
		assert_int_equal(u.s[i].words[W_MISSED], turns * 599);
	}
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* The deadlines of a run in which each access takes time, so that nothing happens at one moment. */
static void nothing_is_lost_while_registers_are_slow(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "bursty", 3);
	/* ns: about what an rdmsr of another core costs, and no divisor of anything */
	r.latency = 1709;
	run_open(&u, &r, RIG_ALL("interval = \"10ms\"; "), NULL);
	run_start(&u);
	run_ticks(&u, 300, 0);
	for (unsigned i = 0; i < r.n_sockets; i++)
		for (unsigned k = 0; k < u.s[i].n_slots; k++) {
			const struct slot *s = &u.s[i].slots[k];

			assert_true(slot_total(&u, i, s) <= slot_truth(&u, i, s));
			assert_int_equal(slot_reason(&u, i, s), REASON_NONE);
		}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

static void irregular_and_missed_ticks(void **state)
{
	static const nsec steps[] = {
		NSEC_PER_SEC, 1, 999999999, NSEC_PER_SEC / 3, 0, 17 * NSEC_PER_SEC,
		NSEC_PER_SEC + 1,
		300 * NSEC_PER_SEC, 800 * NSEC_PER_SEC, 5 * NSEC_PER_MSEC, NSEC_PER_SEC,
	};
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "bursty", 11);
	run_open(&u, &r, RIG_ALL(SECOND), NULL);
	run_start(&u);
	for (unsigned k = 0; k < 10 * COUNT(steps); k++) {
		rig_advance(&r, steps[k % COUNT(steps)]);
		run_tick(&u);
		run_exact(&u, __LINE__, NULL);
	}
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ rotation */

#define THREE_ROUNDS \
	"interval = \"1s\"; rotation = \"3s\"; groups = (" \
	"{ name = \"all\";    events = [ \"bbox/IMT_INSERTS_ALL\", \"wbox/CLOCKTICKS\", " \
	"\"mbox/CYCLES\" ]; }," \
	"{ name = \"reads\";  events = [ \"bbox/IMT_INSERTS_RD\", \"wbox/CLOCKTICKS\" ]; }," \
	"{ name = \"writes\"; events = [ \"bbox/IMT_INSERTS_WR\", \"wbox/CLOCKTICKS\", " \
	"\"cbox/LLC_HITS:M\" ]; } );"

/* What each slot's counter counted while its round ran, kept by watching who runs after each
 * tick. */
struct shares {
	uint64_t truth[32], seen[32];   /* per slot of socket 0 */
	nsec active[3];
	nsec at;
	unsigned round;
};

static void shares_begin(struct shares *sh, const struct run *u)
{
	memset(sh, 0, sizeof(*sh));
	assert_true(u->s[0].n_slots <= COUNT(sh->truth));
	for (unsigned k = 0; k < u->s[0].n_slots; k++)
		sh->seen[k] = u->s[0].slots[k].truth0;
	sh->at = model_now(u->rig->m);
}

static void shares_follow(struct shares *sh, const struct run *u)
{
	for (unsigned k = 0; k < u->s[0].n_slots; k++) {
		const struct slot *s = &u->s[0].slots[k];
		uint64_t now = model_truth(u->rig->m, 0, s->data);

		/* one series for what several rounds count */
		for (unsigned i = 0; s->round == sh->round && i < u->s[0].n_slots; i++)
			if (u->s[0].slots[i].word == s->word)
				sh->truth[i] += now - sh->seen[k];
	}
	for (unsigned k = 0; k < u->s[0].n_slots; k++)
		sh->seen[k] = model_truth(u->rig->m, 0, u->s[0].slots[k].data);
	sh->active[sh->round] += model_now(u->rig->m) - sh->at;
	sh->at = model_now(u->rig->m);
	sh->round = (unsigned)u->s[0].words[W_ROUND];
}

/* Three rounds, each counter one billion below its wrap, with their shares from now on. */
static void three_rounds_start(struct rig *r, struct run *u, const char *conf, struct shares *sh)
{
	rig_open(r, 1, "bursty", 5);
	run_open(u, r, conf, NULL);
	assert_int_equal(u->plan->sockets[0].n_rounds, 3);
	for (unsigned k = 0; k < u->s[0].n_slots; k++)
		model_poke(r->m, 0, u->s[0].slots[k].data, TOP48 - 1000000000);
	run_start(u);
	shares_begin(sh, u);
}

static void rotation_of_three_rounds(void **state)
{
	const uint64_t *words;
	struct shares sh;
	const struct slot *clock, *reads;
	unsigned turns[3] = { 0 };
	uint64_t all = 0;
	struct rig r;
	struct run u;

	(void)state;
	three_rounds_start(&r, &u, THREE_ROUNDS, &sh);
	words = u.s[0].words;
	for (unsigned k = 0; k < 200; k++) {
		run_ticks(&u, 1, k % 7 == 3 ? NSEC_PER_SEC * 5 / 2 : 0);
		shares_follow(&sh, &u);
		turns[sh.round]++;
		for (unsigned i = 0; i < u.s[0].n_slots; i++) {
			const struct slot *s = &u.s[0].slots[i];

			/* out of turn is valid */
			assert_int_equal(slot_reason(&u, 0, s), REASON_NONE);
			same_u64(slot_total(&u, 0, s), sh.truth[i], s->plan->identity, __LINE__);
		}
		for (unsigned g = 0; g < 3; g++)
			same_u64(words[u.s[0].layout.group_active + g], (uint64_t)sh.active[g],
				 "active seconds", __LINE__);
	}
	run_stop(&u);
	shares_follow(&sh, &u);
	/* The uncore clock ran at 2.4 GHz while a group was active, and at no other time. Each
	 * round counts it, so it never paused. What one of them counts has the time of its
	 * turns. */
	clock = run_slot(&u, 0, "wbox0/CLOCKTICKS");
	reads = run_slot(&u, 0, "bbox0/IMT_INSERTS_RD");
	for (unsigned g = 0; g < 3; g++) {
		assert_true(turns[g] > 20);
		all += words[u.s[0].layout.group_active + g];
	}
	assert_in_range(slot_total(&u, 0, clock) * 10 + 60, all * 24,
			all * 24 + 120 + 10 * (turns[0] + turns[1] + turns[2]));
	same_u64(words[W_ACTIVE], all, "socket", __LINE__);
	same_u64(words[u.s[0].layout.slot_active + clock->word], all, "clock", __LINE__);
	same_u64(words[u.s[0].layout.slot_active_shown + clock->word], 0, "clock paused", __LINE__);
	same_u64(words[u.s[0].layout.slot_active + reads->word],
		 words[u.s[0].layout.group_active + 1], "reads", __LINE__);
	same_u64(words[u.s[0].layout.slot_active_shown + reads->word], 1, "reads paused", __LINE__);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* A group that fits beside each of three that take turns counts all of the time: its totals are
 * what its counters counted in all rounds, its time is the socket's, and none of it ever paused. */
static void a_group_of_all_rounds(void **state)
{
	static const char *const always[] = {
		"cbox2/LLC_HITS:E", "mbox1/CYCLES", "wbox0/CLOCKTICKS",
	};
	const uint64_t *words;
	struct shares sh;
	struct rig r;
	struct run u;

	(void)state;
	three_rounds_start(&r, &u, "interval = \"1s\"; rotation = \"1s\"; groups = ("
		"{ name = \"reads\";  events = [ \"bbox0/IMT_INSERTS_RD\" ]; },"
		"{ name = \"always\"; events = [ \"cbox2/LLC_HITS:E\", \"mbox1/CYCLES\", "
		"\"wbox/CLOCKTICKS\" ]; },"
		"{ name = \"writes\"; events = [ \"bbox0/IMT_INSERTS_WR\" ]; },"
		"{ name = \"all\";    events = [ \"bbox0/IMT_INSERTS_ALL\" ]; } );", &sh);
	words = u.s[0].words;
	for (unsigned k = 0; k < 200; k++) {
		run_ticks(&u, 1, k % 7 == 3 ? NSEC_PER_SEC * 5 / 2 : 0);
		shares_follow(&sh, &u);
		for (unsigned i = 0; i < u.s[0].n_slots; i++)
			same_u64(slot_total(&u, 0, &u.s[0].slots[i]), sh.truth[i],
				 u.s[0].slots[i].plan->identity, __LINE__);
		same_u64(words[u.s[0].layout.group_active + 1], words[W_ACTIVE], "always",
			 __LINE__);
		same_u64(words[W_ACTIVE], (uint64_t)(sh.active[0] + sh.active[1] + sh.active[2]),
			 "socket", __LINE__);
	}
	run_stop(&u);
	shares_follow(&sh, &u);
	for (unsigned i = 0; i < COUNT(always); i++) {
		const struct slot *s = run_slot(&u, 0, always[i]);

		/* nobody else used its counter */
		same_u64(slot_total(&u, 0, s), slot_truth(&u, 0, s), always[i], __LINE__);
		same_u64(words[u.s[0].layout.slot_active + s->word], words[W_ACTIVE], always[i],
			 __LINE__);
		same_u64(words[u.s[0].layout.slot_active_shown + s->word], 0, always[i], __LINE__);
	}
	for (unsigned g = 0; g < 4; g++)
		same_u64(words[u.s[0].layout.group_active + g], (uint64_t)(g == 1 ?
			 sh.active[0] + sh.active[1] + sh.active[2] : sh.active[g ? g - 1 : 0]),
			 "active seconds", __LINE__);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* With accesses that take time a round ends and the next begins at no one moment: the sum over the
 * rounds that use a counter is what the counter counted. */
static void rotation_while_registers_are_slow(void **state)
{
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 2, "stream", 6);
	r.latency = 1100;
	run_open(&u, &r, THREE_ROUNDS, NULL);
	run_start(&u);
	run_ticks(&u, 100, 0);
	run_stop(&u);
	for (unsigned i = 0; i < r.n_sockets; i++)
		for (unsigned k = 0; k < u.s[i].n_slots; k++) {
			const struct slot *s = &u.s[i].slots[k];

			same_u64(counter_total(&u, i, s), slot_truth(&u, i, s), s->plan->identity,
				 __LINE__);
		}
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* ------------------------------------------------------------------ special ways to count */

/* Whatever is read stands still. */
static void must_stand(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	unsigned *reads = r->hook_arg;

	assert_false(!write && model_counting(r->m, socket, reg));
	*reads += !write && reg.off == 0x394;
}

static void freeze_loses_nothing_that_was_counted(void **state)
{
	uint64_t frozen, all;
	unsigned reads = 0;
	struct rig r;
	struct run u;

	(void)state;
	rig_open(&r, 1, "stream", 1);
	r.latency = 1000;
	r.hook = must_stand;
	r.hook_arg = &reads;
	run_open(&u, &r, RIG_ALL("interval = \"1s\"; freeze = true; "), NULL);
	run_start(&u);
	run_ticks(&u, 50, 0);
	run_stop(&u);
	run_exact(&u, __LINE__, NULL);
	/* base, first sample, ticks, before and after the stop */
	assert_int_equal(reads, 1 + 1 + 50 + 2);
	/* Each read stops the counters for 98 data registers, each 1 us; 52 such reads, the last
	 * after the stop. */
	frozen = u.s[0].words[W_FROZEN];
	assert_in_range(frozen, 51 * 98 * 1000, 53 * 104 * 1000);
	/* And so much the fixed counter lacks: time enabled is time since the start less frozen
	 * time. */
	all = u.s[0].words[u.s[0].layout.group_active];
	assert_in_range(slot_total(&u, 0, run_slot(&u, 0, "wbox0/CLOCKTICKS")),
			(all - frozen) * 24 / 10,
			(all - frozen) * 24 / 10 + 24 * 53 * 6 * 100);
	rig_no_violation(&r);
	run_restore(&u, NULL);
	run_close(&u);
	rig_close(&r);
}

/* Just before the next multiple of 2^24, then through it count by count: a value whose low 24 bits
 * are 0 or 1 reads 0x1000000 too high. Returns how often such a value was read. */
static unsigned creep_through(struct rig *r, struct run *u, const struct slot *s)
{
	double rate = model_rate(r->m, 0, s->data) / 1e9;
	unsigned hits = 0;

	rig_advance(r,
		    (nsec)((double)(0xfffff8 - (model_peek(r->m, 0, s->data) & 0xffffff)) / rate));
	for (unsigned step = 0; step < 12 / rate; step++) {
		run_tick(u);
		run_exact(u, __LINE__, NULL);
		hits += (model_peek(r->m, 0, s->data) & 0xffffff) <= 1;
		rig_advance(r, 1);
	}
	return hits;
}

static void w_box_erratum_is_corrected(void **state)
{
	/* The base is read from a stopped counter, and not corrected (rule 17): the next sample
	 * shows that it was too high. */
	static const uint64_t from[] = { 0, 1, 2, 0xffff00, 0x123000000, 0x123000002, TOP48 - 5 };
	struct rig r;
	struct run u;

	(void)state;
	for (unsigned k = 0; k < COUNT(from); k++) {
		unsigned hits = 0;

		rig_open(&r, 1, "stream", k);
		model_fault(r.m, 0, MODEL_ERRATUM, msr(0), true);
		run_open(&u, &r, "interval = \"1s\"; groups = ( { name = \"w\"; events = [ "
			 "\"wbox/CLOCKTICKS\", "
			 "\"wbox/C_CYCLES_TURBO\" ]; } );", NULL);
		for (unsigned i = 0; i < u.s[0].n_slots; i++)
			model_poke(r.m, 0, u.s[0].slots[i].data, from[k]);
		r.latency = 500; /* the first sample is taken at once, but not at the same moment */
		run_start(&u);
		r.latency = 0;
		assert_int_equal(u.s[0].words[W_RESETS], 0);
		for (unsigned turn = 0; turn < 20; turn++)
			hits += creep_through(&r,
					      &u, run_slot(&u, 0, turn % 2 ? "wbox0/CLOCKTICKS"
					      : "wbox0/C_CYCLES_TURBO:ALL"));
		assert_true(hits > 20);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

struct meeting {
	struct reg reg;                 /* of socket 0: met at a value that looks wrong */
	bool due, freeze;               /* freeze: all stand still at a read, from a write on */
	unsigned reads;
};

static void meet_doubtful(struct rig *r, unsigned socket, struct reg reg, bool write)
{
	struct meeting *m = r->hook_arg;
	uint64_t low = model_peek(r->m, socket, m->reg) & 0xffffff;

	m->reads += !write && reg_equal(reg, m->reg);
	if (!m->due || write != m->freeze || (!write && !reg_equal(reg, m->reg)))
		return;
	m->due = false;
	for (; low > 1; low = model_peek(r->m, socket, m->reg) & 0xffffff)
		model_advance(r->m, low < 0xffff00 ? (0xfffff0 - (nsec)low) * 10 / 24 : 1);
}

/* Whether the hardware has the erratum or not: what a counter that runs shows with low 24 bits of 0
 * or 1, a second later, is not taken for wrong when it is right, nor the reverse. It is read once
 * more then, and never else. */
static void w_box_doubtful_is_read_again(void **state)
{
	static const struct { bool erratum, freeze; } rows[] = {
		{ false, false }, { true, false }, { false, true }, { true, true },
	};

	(void)state;
	for (unsigned k = 0; k < COUNT(rows); k++) {
		struct meeting m = { .freeze = rows[k].freeze };
		const struct slot *s;
		struct rig r;
		struct run u;

		rig_open(&r, 1, "stream", k);
		model_fault(r.m, 0, MODEL_ERRATUM, msr(0), rows[k].erratum);
		run_open(&u, &r, rows[k].freeze ? RIG_ALL(SECOND "freeze = true; ")
			 : RIG_ALL(SECOND), NULL);
		s = run_slot(&u, 0, "wbox0/CLOCKTICKS");
		r.latency = 100;
		run_start(&u);
		run_ticks(&u, 2, 0);
		m.reg = s->data;
		r.hook = meet_doubtful;
		r.hook_arg = &m;
		for (unsigned turn = 0; turn < 20; turn++) {
			uint64_t lacks;

			m.reads = 0;
			run_ticks(&u, 1, 0);
			assert_int_equal(m.reads, 1);
			m.due = true;
			run_ticks(&u, 1, 0);
			assert_int_equal(m.reads, 3);
			/* 98 registers are read, at most twice, and compared: below 1 ms */
			lacks = slot_truth(&u, 0, s) - slot_total(&u, 0, s);
			assert_in_range(lacks, 0, 2400000);
		}
		assert_int_equal(u.s[0].words[W_RESETS], 0);
		run_stop(&u);
		run_exact(&u, __LINE__, NULL);
		rig_no_violation(&r);
		run_restore(&u, NULL);
		run_close(&u);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_counters_of_eight_sockets),
		cmocka_unit_test(nothing_is_lost_while_registers_are_slow),
		cmocka_unit_test(irregular_and_missed_ticks),
		cmocka_unit_test(rotation_of_three_rounds),
		cmocka_unit_test(a_group_of_all_rounds),
		cmocka_unit_test(rotation_while_registers_are_slow),
		cmocka_unit_test(freeze_loses_nothing_that_was_counted),
		cmocka_unit_test(w_box_erratum_is_corrected),
		cmocka_unit_test(w_box_doubtful_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
