/* SPDX-License-Identifier: MIT
 * The perf engine on the machine's own software events; skipped where perf_event_open is not
 * permitted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "access/counting.h"
#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int cpu;

#define EVENT(config_, name) \
	{ .type = PERF_TYPE_SOFTWARE, .config = (config_), .mask = -1, .pmu = "software", .text = "perf/software/" name "/" }
static struct plan_perf first[] = {
	EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"), EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"),
	EVENT(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"),
};
static struct plan_perf second[] = { EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock") };
static struct plan_perf_round rounds[] = { { first, COUNT(first) }, { second, COUNT(second) } };
static const struct plan_perf_program prog = { .socket = 0, .rounds = rounds,
					       .n_rounds = COUNT(rounds) };

/* The engine, or the test is skipped with the reason. */
static struct counting *opened(void)
{
	struct counting *c = NULL;
	struct err err;

	for (unsigned i = 0; i < COUNT(first); i++)
		first[i].cpu = cpu;
	second[0].cpu = cpu;
	if (counting_perf_new(NULL, &prog, &c, &err) < 0) {
		fprintf(stderr, "SKIP: %s\n", err.text);
		skip();
	}
	return c;
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pass(int64_t ns)
{
	for (int64_t end = now() + ns; now() < end;)
		continue;
}

static void counts_only_while_running(void **state)
{
	struct counting *c = opened();
	uint64_t base[3], raw[3], after[3], enabled, running;
	uint8_t reason[3] = { 0 };
	int64_t t0, t1, t2, t3;

	(void)state;
	t0 = now();
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	t1 = now();
	assert_int_equal(base[0], 0);
	pass(20000000);
	t2 = now();
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	t3 = now();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(reason[i], 0);
	/* cpu-clock of a whole CPU is wall time in ns: between what lay inside and what lay outside
	 * of it */
	for (unsigned i = 0; i < 2; i++)
		if (raw[i] < (uint64_t)(t2 - t1) * 99 / 100 ||
		    raw[i] > (uint64_t)(t3 - t0) * 101 / 100)
			fail_msg("%llu ns counted in %lld .. %lld", (unsigned long long)raw[i],
				 (long long)(t2 - t1),
				 (long long)(t3 - t0));
	c->ops->times(c, 0, &enabled, &running);
	assert_true(enabled >= (uint64_t)(t2 - t1) * 99 / 100 &&
		    enabled <= (uint64_t)(t3 - t0) * 101 / 100);
	assert_int_equal(running, enabled);
	assert_int_equal(c->ops->check(c, reason), 0);

	assert_int_equal(c->ops->stop(c), 0);
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	pass(5000000);
	assert_int_equal(c->ops->read(c, after, reason), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(after[i], raw[i]);
	/* and goes on from there */
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	assert_int_equal(base[0], raw[0]);
	c->ops->times(c, 0, &enabled, &running);
	assert_int_equal(enabled, 0);
	c->ops->free(c);
}

/* The kernel keeps cpu-clock and context-switches in different PMUs of one type: whoever leads,
 * both count, at every start. Sleeping on the CPU that is counted is a switch at least. */
static void mixed_members_all_count(void **state)
{
	static struct plan_perf events[][2] = {
		{ EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"), EVENT(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches") },
		{ EVENT(PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches"), EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock") },
	};
	struct counting *c = opened();
	cpu_set_t all, one;

	(void)state;
	c->ops->free(c);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	for (unsigned k = 0; k < COUNT(events); k++) {
		struct plan_perf_round round = { events[k], 2 };
		const struct plan_perf_program p = { .rounds = &round, .n_rounds = 1 };

		events[k][0].cpu = events[k][1].cpu = cpu;
		assert_int_equal(counting_perf_new(NULL, &p, &c, NULL), 0);
		for (unsigned again = 0; again < 2; again++) {
			uint64_t base[2], raw[2];
			uint8_t reason[2] = { 0 };

			assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
			usleep(2000);
			assert_int_equal(c->ops->read(c, raw, reason), 0);
			assert_int_equal(c->ops->stop(c), 0);
			if (raw[0] <= base[0] || raw[1] <= base[1])
				fail_msg("order %u, start %u: %llu and %llu counted", k, again,
					 (unsigned long long)(raw[0] - base[0]),
					 (unsigned long long)(raw[1] - base[1]));
		}
		c->ops->free(c);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void rounds_take_turns(void **state)
{
	struct counting *c = opened();
	uint64_t base[3], raw[3], again[3];
	uint8_t reason[3] = { 0 };

	(void)state;
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	pass(3000000);
	assert_int_equal(c->ops->read(c, raw, reason), 0);
	assert_int_equal(c->ops->start(c, 1, base, reason, NULL), 0);
	assert_int_equal(base[0], 0);
	pass(3000000);
	assert_int_equal(c->ops->read(c, again, reason), 0);
	assert_true(again[0] >= 2900000);
	assert_int_equal(c->ops->start(c, 0, base, reason, NULL), 0);
	assert_true(base[0] >= raw[0] && base[0] < raw[0] + 2900000);   /* stood still meanwhile */
	c->ops->free(c);
}

static void leaks_no_descriptor(void **state)
{
	struct counting *c = opened();
	bool before[256];
	unsigned opened_now = 0;

	(void)state;
	c->ops->free(c);
	for (int fd = 0; fd < 256; fd++)
		before[fd] = fcntl(fd, F_GETFD) >= 0;
	c = opened();
	for (int fd = 0; fd < 256; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags < 0 || before[fd])
			continue;
		assert_true(flags & FD_CLOEXEC);
		opened_now++;
	}
	assert_int_equal(opened_now, 4);
	c->ops->free(c);
	for (int fd = 0; fd < 256; fd++)
		assert_int_equal(fcntl(fd, F_GETFD) >= 0, before[fd]);
}

/* One bad event among good ones: nothing stays open, and the sentence says which. */
static void errors_say_what_to_do(void **state)
{
	static struct plan_perf events[2] = { EVENT(PERF_COUNT_SW_CPU_CLOCK, "cpu-clock"),
					      EVENT(0, "odd") };
	static struct plan_perf_round round = { events, 2 };
	static const struct plan_perf_program p = { .rounds = &round, .n_rounds = 1 };
	static const struct { int line; uint32_t type; uint64_t config; int cpu; int want, or;
			      const char *text; } rows[] = {
		{ __LINE__, PERF_TYPE_SOFTWARE, 9999, 0, -ENOENT, -EINVAL, "odd" },
		{ __LINE__, 0x7ffffff0, 0, 0, -ENOENT, -ENODEV, "the kernel has no such event" },
		{ __LINE__, PERF_TYPE_SOFTWARE, 0, 100000, -EINVAL, -ENODEV, "CPU 100000" },
	};
	struct counting *c = opened();

	(void)state;
	c->ops->free(c);
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct counting *none = NULL;
		struct err err;
		int r;

		events[0].cpu = cpu;
		events[1].type = rows[i].type;
		events[1].config = rows[i].config;
		events[1].cpu = rows[i].cpu ? rows[i].cpu : cpu;
		r = counting_perf_new(NULL, &p, &none, &err);
		if (r != rows[i].want && r != rows[i].or)
			fail_msg("line %d: %d", rows[i].line, r);
		assert_null(none);
		assert_non_null(strstr(err.text, "PMU software, event perf/software/odd/"));
		if (!strstr(err.text, rows[i].text))
			fail_msg("line %d: %s", rows[i].line, err.text);
	}
}

static void too_many_files(void **state)
{
	struct counting *c = opened();
	struct rlimit old, few;
	struct err err;
	int r;

	(void)state;
	c->ops->free(c);
	c = NULL;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 4;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	r = counting_perf_new(NULL, &prog, &c, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(r, -EMFILE);
	assert_non_null(strstr(err.text, "LimitNOFILE"));
}

static void empty_round(void **state)
{
	static struct plan_perf_round none[1];
	static const struct plan_perf_program p = { .rounds = none, .n_rounds = 1 };
	struct counting *c = NULL;

	(void)state;
	assert_int_equal(counting_perf_new(NULL, &p, &c, NULL), 0);
	assert_int_equal(c->ops->start(c, 0, NULL, NULL, NULL), 0);
	assert_int_equal(c->ops->read(c, NULL, NULL), 0);
	assert_int_equal(c->ops->stop(c), 0);
	c->ops->free(c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_only_while_running),
		cmocka_unit_test(mixed_members_all_count),
		cmocka_unit_test(rounds_take_turns),
		cmocka_unit_test(leaks_no_descriptor), cmocka_unit_test(errors_say_what_to_do),
		cmocka_unit_test(too_many_files), cmocka_unit_test(empty_round),
	};

	cpu = sched_getcpu();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
