/* SPDX-License-Identifier: MIT
 * The modelled kernel beside this machine's: the same opens, groups, refusals and reads, on the PMU
 * msr of both. Errors are the same; the times that a read tells lie between the same two looks at
 * the clock.
 */
#include "access/perf_engine.h"
#include "base/clock.h"

#include "kernel_fixture.h"

#include <string.h>
#include <unistd.h>

enum { TSC = 0, UNKNOWN = 99 };

static uint32_t msr_type;               /* of this machine; 0: it has none */

static uint32_t read_type(const char *pmu)
{
	char path[128];
	unsigned type = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%u", &type) != 1)
			type = 0;
		fclose(f);
	}
	return type;
}

/* A machine of one CPU for each that this one has, whose text says of that PMU what Linux
 * knows. */
static void make_here(struct modelled *m, char *path, size_t size)
{
	char text[512];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	FILE *f;

	snprintf(text, sizeof(text), "cpuinfo GenuineIntel 6 143 8\ncpu 0-%ld socket 0\n"
		 "PMU msr type=%u cpumask=-\n  format event=config:0-63\n  counts 0x0 tsc\n"
		 "curve 50 0 100\ncurve 50 100 300\n", cpus - 1, msr_type);
	snprintf(path, size, "/tmp/uncored-here-%d.txt", (int)getpid());
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	modelled_make(m, path, "stream");
	m->k->o.clock = NULL;           /* in real time */
	m->k->start = 0;
	m->k->start = kernel_now(m->k);
	unlink(path);
}

static const struct step {
	int line;
	uint64_t config;
	int cpu;
	int leader;                     /* the step that led; -1: alone */
} steps[] = {
	{ __LINE__, TSC, 0, -1 },
	{ __LINE__, TSC, 0, 0 },             /* as many of it as one likes */
	{ __LINE__, TSC, 0, 0 },
	{ __LINE__, TSC, 0, 0 },
	{ __LINE__, TSC, 0, 0 },
	{ __LINE__, UNKNOWN, 0, -1 },        /* the driver knows no such event */
	{ __LINE__, UNKNOWN, 0, 0 },
	{ __LINE__, TSC, 0, 1 },             /* a member does not lead */
	{ __LINE__, TSC, 1, 0 },             /* another CPU */
	{ __LINE__, TSC, 1, -1 },
};

/* Opens all on a kernel; r: 0 or -errno each, the descriptors into fds. */
static void open_all(const struct perf_sys *sys, int *fds)
{
	for (unsigned i = 0; i < COUNT(steps); i++) {
		const struct plan_perf e = { .type = msr_type, .config = steps[i].config };
		int leader = steps[i].leader < 0 ? -1 : fds[steps[i].leader];

		fds[i] = sys->open(sys, &e, steps[i].cpu, leader);
	}
}

/* enabled and running of a group that leads, after it was switched on for a while and off, and read
 * twice while it stood; what it read while it was never on. */
static void run(const struct perf_sys *sys, int fd, const char *who)
{
	uint64_t before[16] = { 0 }, during[16], after[16], later[16];
	nsec t0, t1, t2, t3;

	assert_true(sys->read(sys, fd, before, sizeof(before)) > 0);
	assert_int_equal(before[1] + before[2], 0);
	t0 = clock_read(CLOCK_MONOTONIC);
	assert_int_equal(sys->enable(sys, fd, true), 0);
	t1 = clock_read(CLOCK_MONOTONIC);
	usleep(50000);
	t2 = clock_read(CLOCK_MONOTONIC);
	assert_true(sys->read(sys, fd, during, sizeof(during)) > 0);
	t3 = clock_read(CLOCK_MONOTONIC);
	if ((nsec)during[1] < t2 - t1 - 100000 || (nsec)during[1] > t3 - t0 + 100000)
		fail_msg("%s: %llu ns enabled in %lld .. %lld", who,
			 (unsigned long long)during[1], (long long)(t2 - t1),
			 (long long)(t3 - t0));
	assert_int_equal(during[2], during[1]);
	assert_int_equal(sys->enable(sys, fd, false), 0);
	assert_true(sys->read(sys, fd, after, sizeof(after)) > 0);
	usleep(5000);
	assert_true(sys->read(sys, fd, later, sizeof(later)) > 0);
	assert_memory_equal(after, later, (3 + after[0]) * sizeof(after[0]));
	for (unsigned i = 0; i < after[0]; i++)
		assert_true(during[3 + i] > before[3 + i]);
	assert_int_equal(sys->read(sys, fd, after, 3 * sizeof(after[0])), -ENOSPC);
}

static void test_the_same(void **state)
{
	int ours[COUNT(steps)], theirs[COUNT(steps)];
	const struct perf_sys *sys;
	struct modelled m;
	char path[64];

	(void)state;
	msr_type = read_type("msr");
	if (!msr_type || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		fprintf(stderr, "SKIP: this machine has no PMU msr, or one CPU alone\n");
		skip();
	}
	make_here(&m, path, sizeof(path));
	assert_int_equal(perf_sys_model_new(m.k, &sys), 0);
	open_all(&perf_sys_linux, theirs);
	if (theirs[0] == -EACCES || theirs[0] == -EPERM) {
		fprintf(stderr, "SKIP: perf_event_open is not permitted\n");
		skip();
	}
	open_all(sys, ours);
	for (unsigned i = 0; i < COUNT(steps); i++)
		if ((ours[i] < 0 ? ours[i] : 0) != (theirs[i] < 0 ? theirs[i] : 0))
			fail_msg("line %d: the model answers %d, Linux %d", steps[i].line,
				 ours[i], theirs[i]);
	run(&perf_sys_linux, theirs[0], "Linux");
	run(sys, ours[0], "the model");
	for (unsigned i = 0; i < COUNT(steps); i++) {
		if (theirs[i] >= 0)
			assert_int_equal(perf_sys_linux.close(&perf_sys_linux, theirs[i]), 0);
		if (ours[i] >= 0)
			assert_int_equal(sys->close(sys, ours[i]), 0);
	}
	perf_sys_model_free(sys);
	modelled_drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
