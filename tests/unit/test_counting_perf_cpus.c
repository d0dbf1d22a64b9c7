/* SPDX-License-Identifier: MIT
 * The perf engine on a made-up kernel: CPUs that come and go. */
#include "perf_engine_fixture.h"

/* The designated CPU goes: found at the next read, open again on the new one by the check after it;
 * nothing falls. */
static void test_moves_with_the_mask(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), UNCORE(12, 3, 8, 2) };
	struct made m;
	uint64_t enabled, running;

	(void)state;
	started(&m, e, COUNT(e));
	step(5);
	tick(&m);
	assert_int_equal(m.raw[1], 5000);
	step(1);                                /* 1000 counts that nobody will read */
	offline(0);
	put_mask(0, "1,8\n");
	tick(&m);
	assert_int_equal(m.reason[0], REASON_OFFLINE);
	assert_int_equal(m.reason[1], REASON_OFFLINE);
	assert_int_equal(m.reason[2], 0);
	assert_int_equal(m.raw[1], 5000);
	step(4);
	tick(&m);
	assert_int_equal(m.reason[1], 0);
	assert_int_equal(m.raw[0], 9000);
	assert_int_equal(m.raw[1], 9000);
	assert_int_equal(m.raw[2], 10000);
	assert_int_equal(k.log_cpu[k.log_n - 1], 1);
	m.c->ops->times(m.c, 0, &enabled, &running);
	assert_int_equal(enabled, 9000000);
	freed(&m);
}

/* A group of one event cannot lose members: its time stands still. */
static void test_single_event(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0) };
	struct made m;

	(void)state;
	started(&m, e, 1);
	tick(&m);			/* at once after the start: no time need have passed */
	assert_int_equal(m.reason[0], 0);
	step(2);
	tick(&m);
	offline(0);
	put_mask(0, "2,8");
	step(1);
	tick(&m);
	assert_int_equal(m.reason[0], REASON_OFFLINE);
	step(3);
	tick(&m);
	assert_int_equal(m.reason[0], 0);
	assert_int_equal(m.raw[0], 5000);
	freed(&m);
}

/* The whole socket goes and comes back, twice; also while nothing of the mask is left or the file
 * is odd. */
static void test_socket_gone_and_back(void **state)
{
	static const char *const odd[] = { "\n", "", "16,17\n", "0-\n", "none" };
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), ANYWHERE(3, 2) };
	struct made m;

	(void)state;
	started(&m, e, COUNT(e));
	for (unsigned round = 0; round < 2; round++) {
		uint64_t before;

		step(10);
		tick(&m);
		before = m.raw[0];
		for (unsigned i = 0; i < COUNT(socket_cpus); i++)
			offline((int)socket_cpus[i]);
		for (unsigned i = 0; i < COUNT(odd); i++) {
			put_mask(0, odd[i]);
			step(1);
			tick(&m);
			assert_true(m.reason[0] == REASON_OFFLINE &&
				    m.reason[1] == REASON_OFFLINE && m.reason[2] == REASON_OFFLINE);
			assert_int_equal(m.raw[0], before);
		}
		assert_int_equal(k.open_now, 0);
		k.online[3] = k.online[9] = true;
		put_mask(0, "3,16\n");
		tick(&m);
		step(1);
		tick(&m);
		assert_true(!m.reason[0] && !m.reason[1] && !m.reason[2]);
		assert_int_equal(m.raw[0], before + 1000);
		for (unsigned i = 0; i < COUNT(socket_cpus); i++)
			k.online[socket_cpus[i]] = true;
	}
	freed(&m);
}

/* PMUs without a cpumask: the socket's CPUs in trying order; a CPU that returns is not run back
 * to. */
static void test_reader_order(void **state)
{
	struct plan_perf e[] = { ANYWHERE(1, 0), ANYWHERE(2, 0) };
	struct made m;

	(void)state;
	started(&m, e, COUNT(e));
	offline(0);
	offline(1);
	offline(2);
	tick(&m);
	assert_int_equal(k.log_cpu[k.log_n - 1], 3);
	for (unsigned i = 0; i < 3; i++)
		k.online[i] = true;
	step(2);
	tick(&m);
	assert_true(!m.reason[0] && m.raw[0] == 2000);
	assert_int_equal(k.log_n, 2);
	freed(&m);
}

static unsigned four_dies[] = { 0, 0, 2, 2, 8, 8, 10, 10 };

/*
 * Dies: events stay with theirs, whichever other ones are gone. Each row: the mask now, which of
 * the CPUs 0, 2, 8, 10 are gone, and where the four dies count then (-1: nowhere).
 */
static void test_dies(void **state)
{
	static const struct { int line; const char *mask; int gone[4]; int want[4]; } rows[] = {
		{ __LINE__, "1,2,8,10\n", { 1, 0, 0, 0 }, { 1, 2, 8, 10 } },
		{ __LINE__, "0,2,9,10\n", { 0, 0, 1, 0 }, { 0, 2, 9, 10 } },
		{ __LINE__, "0,3,8,11\n", { 0, 1, 0, 1 }, { 0, 3, 8, 11 } },
		{ __LINE__, "0,8,10\n", { 0, 1, 0, 0 }, { 0, -1, 8, 10 } },
		{ __LINE__, "1,3,9,11\n", { 1, 1, 1, 1 }, { 1, 3, 9, 11 } },
		{ __LINE__, "\n", { 1, 1, 1, 1 }, { -1, -1, -1, -1 } },
		{ __LINE__, "3,8,10\n", { 1, 0, 0, 0 }, { -1, 2, 8, 10 } },    /* the kernel moved the events of CPU 2 itself */
		{ __LINE__, "9\n", { 1, 1, 1, 1 }, { -1, -1, 9, -1 } },
		{ __LINE__, "11,12\n", { 1, 1, 1, 1 }, { -1, -1, -1, 11 } },
		{ __LINE__, "1,16,17\n", { 1, 1, 1, 1 }, { 1, -1, -1, -1 } },
	};
	static const int at[4] = { 0, 2, 8, 10 };

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 2, 1),
					 UNCORE(12, 3, 8, 2), UNCORE(12, 4, 10, 3) };
		struct made m;

		setup(NULL);
		put_mask(0, "0,2,8,10\n");
		plan_masks[0].serving_cpu = four_dies;
		started(&m, e, COUNT(e));
		step(1);
		tick(&m);
		for (unsigned d = 0; d < 4; d++)
			if (rows[i].gone[d])
				offline(at[d]);
		put_mask(0, rows[i].mask);
		step(1);
		tick(&m);
		step(1);
		tick(&m);
		for (unsigned d = 0; d < 4; d++) {
			bool counts = rows[i].want[d] >= 0;
			uint64_t want = rows[i].gone[d] ? 2000 : 3000;

			if (!counts)
				want = 1000;
			if (!m.reason[d] != counts || m.raw[d] != want)
				fail_msg("line %d: die %u reason %u, %llu counts", rows[i].line,
					 d, m.reason[d],
					 (unsigned long long)m.raw[d]);
			for (int fd = 1; counts && fd < FDS; fd++)
				if (events[fd].open &&
				    events[fd].value == (rows[i].gone[d] ? 1000U : 3000U) &&
				    events[fd].cpu == rows[i].want[d])
					counts = false;
			if (counts)
				fail_msg("line %d: die %u is not on CPU %d", rows[i].line, d,
					 rows[i].want[d]);
		}
		freed(&m);
	}
}

/* A group of a round that does not run dies unseen; it is found when the round starts. */
static void test_other_round(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0) },
		f[] = { ANYWHERE(3, 0) };
	struct plan_perf_round rounds[] = { { e, 2 }, { f, 1 } };
	struct made m = { .prog = { .cpus = socket_cpus, .n_cpus = 8, .masks = plan_masks,
				    .n_masks = 2, .rounds = rounds, .n_rounds = 2 } };
	const struct counting_ops *o;

	(void)state;
	assert_int_equal(counting_perf_new(&fake, &m.prog, &m.c, &m.err), 0);
	o = m.c->ops;
	assert_int_equal(o->start(m.c, 0, m.raw, m.reason, NULL), 0);
	step(1);
	tick(&m);
	assert_int_equal(o->start(m.c, 1, m.raw, m.reason, NULL), 0);
	offline(0);
	put_mask(0, "1,8\n");
	step(1);
	tick(&m);                               /* the reader moved on */
	memset(m.reason, 0, sizeof(m.reason));
	assert_int_equal(o->start(m.c, 0, m.raw, m.reason, NULL), 0);
	assert_int_equal(m.reason[0], REASON_OFFLINE);
	tick(&m);
	step(2);
	tick(&m);
	assert_true(!m.reason[0] && m.raw[0] == 3000 && m.raw[1] == 3000);
	freed(&m);
}

/* The plan is older than the machine: its CPU is offline when it is opened. */
static void test_opened_late(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), ANYWHERE(3, 2) };
	struct made m;

	(void)state;
	offline(0);
	put_mask(0, "1,8\n");
	started(&m, e, COUNT(e));
	assert_int_equal(k.log_cpu[0], 1);
	assert_int_equal(k.log_cpu[1], 1);
	step(1);
	tick(&m);
	assert_true(m.raw[0] == 1000 && m.raw[2] == 1000);
	freed(&m);
	for (unsigned i = 0; i < COUNT(socket_cpus); i++)
		offline((int)socket_cpus[i]);
	make(&m, e, COUNT(e), false);
	assert_int_equal(m.r, -ENODEV);
	assert_int_equal(k.open_now, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_moves_with_the_mask),
		TEST(test_single_event), TEST(test_socket_gone_and_back), TEST(test_reader_order),
		TEST(test_dies),
		TEST(test_other_round), TEST(test_opened_late),
	};

	return cmocka_run_group_tests(tests, make_masks, remove_masks);
}
