/* SPDX-License-Identifier: MIT
 * The modelled kernel on Sapphire Rapids: what it refuses, its times, its counts. Numbers in
 * comments are counted by hand from the text's lines.
 */
#include "kernel_fixture.h"
#include "model/server.h"

#include <math.h>

#define READS      0xcf05       /* of uncore_imc */
#define WRITES     0xf005
#define PMEM_READ  0xe3
#define PMEM_WRITE 0xe7
#define DCLK       0x101
#define MISSES     0xc817fe00000135     /* of uncore_cha */
#define HITS       0xc817fd00000135
#define WAITING    0xc817fe00000136
#define CLOCK      0x1

static struct modelled m;

static int spr(void **state)
{
	modelled_make(&m, "spr.txt", *state ?: "stream");
	return 0;
}

static int drop(void **state)
{
	(void)state;
	modelled_drop(&m);
	return 0;
}

/* ------------------------------------------------------------------ refusals */

static void test_refusals(void **state)
{
	static const struct {
		int line;
		const char *pmu;
		uint64_t config;
		int cpu, r;             /* 0: it is opened */
	} rows[] = {
		{ __LINE__, "uncore_imc_0", READS, 0, 0 },
		{ __LINE__, "uncore_imc_7", WRITES, 4, 0 },
		/* on a CPU that its cpumask does not name: the driver moves it */
		{ __LINE__, "uncore_imc_0", READS, 3, 0 },
		{ __LINE__, "uncore_imc_0", READS, -1, -EINVAL },
		{ __LINE__, "uncore_imc_0", READS, 8, -EINVAL },
		{ __LINE__, "uncore_imc_0", READS, 100000, -EINVAL },
		/* of which the text says nothing: another unit mask, event, PMU */
		{ __LINE__, "uncore_imc_0", 0xc105, 0, -ENOENT },
		{ __LINE__, "uncore_imc_0", 0xcf04, 0, -ENOENT },
		{ __LINE__, "uncore_m2m_0", READS, 0, -ENOENT },
		/* a fixed counter that these do not have, a free-running one of no number */
		{ __LINE__, "uncore_cha_0", 0xff, 0, -EINVAL },
		{ __LINE__, "uncore_iio_free_running_0", 0xf0ff, 0, -EINVAL },
		{ __LINE__, "power", 2, 0, 0 },
		{ __LINE__, "power", 4, 0, -EINVAL },
		{ __LINE__, "cstate_pkg", 1, 0, -EINVAL },
		{ __LINE__, "msr", 0, 5, 0 },
		{ __LINE__, "msr", 99, 5, -EINVAL },
	};
	const struct perf_event_attr nobody = { .type = 4000 };

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		int fd = open_event(&m, rows[i].pmu, rows[i].config, rows[i].cpu, -1);

		if ((fd < 0 ? fd : 0) != rows[i].r)
			fail_msg("line %d: %d", rows[i].line, fd);
		if (fd >= 0)
			assert_int_equal(perf_kernel_close(m.k, fd), 0);
	}
	assert_int_equal(perf_kernel_open(m.k, &nobody, -1, 0, -1), -ENOENT);
	assert_int_equal(perf_kernel_close(m.k, 0), -EBADF);
	assert_int_equal(perf_kernel_enable(m.k, 12345, true), -EBADF);
	assert_int_equal(perf_kernel_read(m.k, -1, NULL, 0), -EBADF);
}

/* Four counters: a fifth event fits no group, whoever leads. Groups are of one PMU and CPU. */
static void test_groups(void **state)
{
	static const uint64_t configs[] = { READS, WRITES, PMEM_READ, PMEM_WRITE };
	int leader = open_event(&m, "uncore_imc_0", DCLK, 0, -1), member = -1;
	uint64_t small[4];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		member = open_event(&m, "uncore_imc_0", configs[i], 0, leader);
		assert_true(member >= 0);
	}
	assert_int_equal(open_event(&m, "uncore_imc_0", configs[3], 0, leader), -EINVAL);
	assert_int_equal(open_event(&m, "uncore_imc_0", configs[3], 0, member), -EINVAL);
	assert_int_equal(open_event(&m, "uncore_imc_1", configs[3], 0, leader), -EINVAL);
	assert_int_equal(open_event(&m, "uncore_imc_0", configs[3], 4, leader), -EINVAL);
	assert_int_equal(open_event(&m, "uncore_imc_0", configs[3], 0, 99), -EBADF);
	assert_int_equal(perf_kernel_read(m.k, leader, small, sizeof(small)), -ENOSPC);
	assert_int_equal(read_group(&m, leader).n, 4);
	assert_int_equal(read_group(&m, member).n, 4);
	/* with one less there is room again, on CPU 2 of that socket, too */
	assert_int_equal(perf_kernel_close(m.k, member), 0);
	assert_true(open_event(&m, "uncore_imc_0", configs[3], 2, leader) >= 0);
}

/* TOR_OCCUPANCY has counter 0 only (`counters 4 ... 0x36:0x1`): not two of them. IIO: 0x83 goes to
 * 0 and 1 only, so two of the text's events fit and the same event a third time does not. */
static void test_constraints(void **state)
{
	int leader = open_event(&m, "uncore_cha_0", MISSES, 0, -1);

	(void)state;
	assert_true(open_event(&m, "uncore_cha_0", WAITING, 0, leader) >= 0);
	assert_int_equal(open_event(&m, "uncore_cha_0", WAITING, 0, leader), -EINVAL);
	assert_true(open_event(&m, "uncore_cha_0", HITS, 0, leader) >= 0);
	leader = open_event(&m, "uncore_iio_0", 0x70ff000000483, 0, -1);
	assert_true(open_event(&m, "uncore_iio_0", 0x70ff000000183, 0, leader) >= 0);
	assert_int_equal(open_event(&m, "uncore_iio_0", 0x70ff000000483, 0, leader), -EINVAL);
}

/* ------------------------------------------------------------------ times and counts */

static void test_times(void **state)
{
	int fd = open_event(&m, "uncore_imc_3", READS, 0, -1);
	int member = open_event(&m, "uncore_imc_3", WRITES, 0, fd);
	uint64_t before, reads;
	struct read_of_group r;

	(void)state;
	m.now += 7 * NSEC_PER_SEC;
	r = read_group(&m, fd);
	assert_int_equal(r.enabled + r.running + r.value[0] + r.value[1], 0);
	before = truth(&m, "uncore_imc_3", READS, 0);
	assert_true(before > 0);
	assert_int_equal(perf_kernel_enable(m.k, fd, true), 0);
	m.now += 1234567891;
	r = read_group(&m, fd);
	assert_int_equal(r.enabled, 1234567891);
	assert_int_equal(r.running, 1234567891);
	reads = truth(&m, "uncore_imc_3", READS, 0) - before;
	assert_int_equal(r.value[0], reads);
	assert_true(r.value[1] > 0);
	assert_int_equal(perf_kernel_enable(m.k, fd, false), 0);
	m.now += 3600 * NSEC_PER_SEC;
	assert_int_equal(read_group(&m, fd).value[0], reads);
	assert_int_equal(read_group(&m, fd).enabled, 1234567891);
	/* a member that loses its leader is on its own, and wanted; it stands still until counters
	 * are given again */
	assert_int_equal(perf_kernel_close(m.k, fd), 0);
	m.now += NSEC_PER_SEC;
	assert_int_equal(read_group(&m, member).n, 1);
	assert_int_equal(read_group(&m, member).enabled, 1234567891 + NSEC_PER_SEC);
	assert_int_equal(read_group(&m, member).running, 1234567891);
	assert_int_equal(read_group(&m, member).value[0], r.value[1]);
}

/* Five events, four counters, turns of 4 ms: each counts in four of five, and what it counts is
 * what happens meanwhile. */
static void test_turns(void **state)
{
	static const uint64_t configs[] = { READS, WRITES, PMEM_READ, PMEM_WRITE, DCLK };
	int fd[COUNT(configs)], group;
	struct read_of_group r;

	(void)state;
	for (unsigned i = 0; i < COUNT(configs); i++) {
		fd[i] = open_event(&m, "uncore_imc_0", configs[i], 0, -1);
		assert_int_equal(perf_kernel_enable(m.k, fd[i], true), 0);
	}
	m.now += 200 * NSEC_PER_MSEC;
	for (unsigned i = 0; i < COUNT(configs); i++) {
		r = read_group(&m, fd[i]);
		assert_int_equal(r.enabled, 200 * NSEC_PER_MSEC);
		assert_int_equal(r.running, 160 * NSEC_PER_MSEC);
	}
	/* 2.4 a ns */
	assert_true(fabs((double)r.value[0] / (2.4 * 160e6) - 1) < 1e-6);
	/* without one of them nobody waits */
	assert_int_equal(perf_kernel_close(m.k, fd[2]), 0);
	m.now += 100 * NSEC_PER_MSEC;
	assert_int_equal(read_group(&m, fd[0]).running, 260 * NSEC_PER_MSEC);
	/* a group has all of its counters or none: beside these four, two never have both */
	group = open_event(&m, "uncore_imc_0", READS, 0, -1);
	assert_true(open_event(&m, "uncore_imc_0", WRITES, 0, group) >= 0);
	assert_int_equal(perf_kernel_enable(m.k, group, true), 0);
	m.now += 100 * NSEC_PER_MSEC;
	r = read_group(&m, group);
	assert_int_equal(r.enabled, 100 * NSEC_PER_MSEC);
	assert_true(r.running > 0 && r.running < r.enabled);
	assert_true(fabs((double)r.value[0] / (double)truth(&m, "uncore_imc_0", READS, 0) -
			 (double)r.running / (double)kernel_now(m.k)) < 1e-6);
}

/* However often it is read, through all phases, a count is the truth to the last one. */
static void test_month(void **state)
{
	int fd = open_event(&m, "uncore_imc_5", READS, 4, -1);
	uint64_t count = 0, last = 0;

	(void)state;
	perf_kernel_enable(m.k, fd, true);
	for (unsigned i = 0; i < 100000; i++) {
		m.now += 25999999991;
		count = read_group(&m, fd).value[0];
		assert_true(count >= last);
		last = count;
	}
	assert_int_equal(count, truth(&m, "uncore_imc_5", READS, 4));
}

/* ------------------------------------------------------------------ what a load is */

static double sum(const char *pmu, unsigned n, uint64_t config, int cpu)
{
	double all = 0;
	char name[64];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s_%u", pmu, i);
		all += (double)truth(&m, name, config, cpu);
	}
	return all / (double)kernel_now(m.k);
}

static void near(const char *what, double v, double want)
{
	if (fabs(v / want - 1) > 1e-4)
		fail_msg("%s: %.9g, expected %.9g", what, v, want);
}

/*
 * "stream": two thirds are reads, which is between 51 and 67 % on the curve. The most there:
 * 187.515 + (194.268 - 187.515) * 15.667 / 16 = 194.1274 GB/s, of which 0.07 / (0.08 / 0.95) =
 * 0.83125 are 161.3684. A fifth would be remote, 32 GB/s; the four links take 0.25 * 4 * 18 = 18.
 * Socket 1 does 0.97 of all that. So socket 0 moves 161.3684 - 18 + 17.46 = 160.8284 GB/s, a share
 * of 0.828468. Latency there: 51 %: 155.3502 GB/s is 0.849060 of the way from 176.98 to 254.62 ns,
 * 242.8970; 67 %: 160.9488 GB/s is 0.030554 of that from 201.89 to 251.55, 203.4073; 0.979167 of
 * the way from one to the other: 204.2300 ns.
 */
static void test_stream(void **state)
{
	double misses, hits, waiting, clock;

	(void)state;
	m.now += 1000 * NSEC_PER_SEC;
	near("read", 64 * sum("uncore_imc", 8, READS, 0), 160.8284 * 2 / 3);
	near("written", 64 * sum("uncore_imc", 8, WRITES, 0), 160.8284 / 3);
	misses = sum("uncore_cha", 56, MISSES, 0);
	hits = sum("uncore_cha", 56, HITS, 0);
	waiting = sum("uncore_cha", 56, WAITING, 0);
	clock = sum("uncore_cha", 1, CLOCK, 0);
	near("latency", waiting / misses / clock, 204.2300);
	near("miss ratio", misses / (misses + hits), 0.40);
	/* a third of 18 are writes, two thirds of 17.46 are asked for by the other socket */
	near("sent", 64.0 / 9 * sum("uncore_upi", 4, 0xf02, 0), 18 / 3.0 + 17.46 * 2 / 3);
	near("received elsewhere", 64.0 / 9 * sum("uncore_upi", 4, 0xf03, 4),
	     18 / 3.0 + 17.46 * 2 / 3);
	/* 80 + 250 * 0.5 W */
	near("power", (double)truth(&m, "power", 2, 0) / 0x1p32 / 1000, 205);
	assert_int_equal(truth(&m, "uncore_imc_2", PMEM_READ, 0), 0);
}

/* What it has counted after 1000 s, in 1e9 a second. */
static double grace_rate(const char *pmu, uint64_t config, uint64_t config1, int cpu)
{
	const struct perf_event_attr attr = { .type = type_of(&m, pmu), .config = config,
					      .config1 = config1 };
	struct kernel_event e;

	assert_int_equal(kernel_event_init(m.k, &attr, cpu, &e), 0);
	return (double)kernel_truth(m.k, &e, kernel_now(m.k)) / 1e12;
}

/* Devices read 6 GB/s, 12 x the half of activity that "stream" has, and 3 % less on the second
 * socket: two rows share them, and 7 of 8 bytes are of local memory. The others come over
 * NVLink-C2C0 on a board of two CPUs, where CNVLink joins nothing (Linux nvidia-pmu.rst, Traffic
 * Coverage). */
static void test_shared(void **state)
{
	double local, remote;

	(void)state;
	modelled_make(&m, "grace.txt", "stream");
	m.now += 1000 * NSEC_PER_SEC;
	local = grace_rate("nvidia_pcie_pmu_0", 0, 0x3ff, 0);
	remote = grace_rate("nvidia_pcie_pmu_0", 1, 0x3ff, 0);
	near("devices read", local + remote, 6);
	near("of local memory", local, 6 * 7 / 8.0);
	near("read by others' devices", grace_rate("nvidia_nvlink_c2c0_pmu_1", 0, 0, 8), remote);
	near("of the first", grace_rate("nvidia_nvlink_c2c0_pmu_0", 0, 0, 0), 6 * 0.97 / 8);
	near("written by others' devices", grace_rate("nvidia_nvlink_c2c0_pmu_1", 2, 0, 8),
	     grace_rate("nvidia_pcie_pmu_0", 3, 0x3ff, 0));
	for (uint64_t c = 0; c < 4; c++)
		assert_true(grace_rate("nvidia_cnvlink_pmu_0", c, 0xf, 0) == 0);
	modelled_drop(&m);
}

/* A half of activity on the first of four sockets, and 0.97, 0.94 and 0.91 of it on the others. */
static void test_four_sockets(void **state)
{
	struct server_flow flows[4 * PHASES];

	(void)state;
	server_flows(workload_find("stream"), m.tree.text, 4, 4, flows);
	near("of the others", flows[0].guest_activity, 0.5 * (0.97 + 0.94 + 0.91) / 3);
	near("of those of the last", flows[3 * PHASES].guest_activity, 0.5 * (1 + 0.97 + 0.94) / 3);
}

/* "day": on one socket the memory is as busy as it gets while the other has little; links are used
 * most in another phase; it idles in a third. */
static void test_day(void **state)
{
	double most[2] = { 0, 0 }, least = 1e9, beside = 0, crossing = 0, of_crossing = 0;

	(void)state;
	for (unsigned s = 0; s < 600; s++) {
		double v[2], sent;

		for (int i = 0; i < 2; i++)
			v[i] = -64 * (double)truth(&m, "uncore_imc_0", READS, 4 * i);
		sent = -64.0 / 9 * (double)truth(&m, "uncore_upi_0", 0xf02, 0);
		m.now += NSEC_PER_SEC;
		for (int i = 0; i < 2; i++) {
			v[i] += 64 * (double)truth(&m, "uncore_imc_0", READS, 4 * i);
			if (v[i] > most[i]) {
				most[i] = v[i];
				beside = v[!i];
			}
			least = v[i] < least ? v[i] : least;
		}
		sent += 64.0 / 9 * (double)truth(&m, "uncore_upi_0", 0xf02, 0);
		if (sent > crossing) {
			crossing = sent;
			of_crossing = v[0];
		}
	}
	/* reads of a channel, in bytes: the saturated socket has five times what the other has */
	assert_true(most[1] > 14e9 && beside < most[1] / 3);
	assert_true(least < 0.5e9);
	assert_true(crossing > 10e9 && of_crossing < most[0]);
}

/* ------------------------------------------------------------------ texts that say too little */

static void test_lacks(void **state)
{
	static const struct { const char *text, *workload, *says; } rows[] = {
		{ "ivt.txt", NULL, "what its events count" },
		{ "spr.txt", "nonsense", "idle, stream, bursty, day, rotation and verify" },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct perf_kernel_options o = { .workload = rows[i].workload };
		struct perf_kernel *k = NULL;
		struct sysfs_tree tree;
		struct err err = { "" };

		tree_make(&tree, rows[i].text);
		o.text = tree.text;
		o.topo = tree_topo(&tree);
		o.pmus = tree_pmus(&tree);
		assert_int_equal(perf_kernel_new(&o, &k, &err), -EINVAL);
		if (!strstr(err.text, rows[i].says))
			fail_msg("%s", err.text);
		topo_free((struct topo *)o.topo);
		topo_pmus_free((struct topo_pmus *)o.pmus);
		tree_drop(&tree);
	}
}

int main(void)
{
	static char day[] = "day";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refusals, spr, drop),
		cmocka_unit_test_setup_teardown(test_groups, spr, drop),
		cmocka_unit_test_setup_teardown(test_constraints, spr, drop),
		cmocka_unit_test_setup_teardown(test_times, spr, drop),
		cmocka_unit_test_setup_teardown(test_turns, spr, drop),
		cmocka_unit_test_setup_teardown(test_stream, spr, drop),
		cmocka_unit_test_prestate_setup_teardown(test_month, spr, drop, day),
		cmocka_unit_test_prestate_setup_teardown(test_day, spr, drop, day),
		cmocka_unit_test(test_shared),
		cmocka_unit_test_setup_teardown(test_four_sockets, spr, drop),
		cmocka_unit_test(test_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
