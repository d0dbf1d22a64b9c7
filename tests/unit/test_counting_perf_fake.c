/* SPDX-License-Identifier: MIT
 * The perf engine on a made-up kernel: groups, refusals, CPUs that come
 * and go. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_perf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the sysfs */

static char dir[] = "/tmp/uncored-perf-XXXXXX";
static char masks[2][64];

static void put_mask(unsigned i, const char *text)
{
	int fd = open(masks[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* ---- programs */

#define UNCORE(type_, config_, cpu_, perf_group_) \
	{ .type = (type_), .config = (config_), .cpu = (cpu_), .perf_group = (perf_group_), \
	  .mask = 0, .pmu = "uncore_imc_0", \
	  .text = "perf/uncore_imc_0/e" #config_ "/" }
#define ANYWHERE(config_, perf_group_) \
	{ .type = 9, .config = (config_), .perf_group = (perf_group_), .mask = -1, .pmu = "msr", .text = "perf/msr/e" #config_ "/" }

static unsigned socket_cpus[] = { 0, 1, 2, 3, 8, 9, 10, 11 };
/* For each of socket_cpus, the CPU that counts for it. */
static unsigned two_dies[] = { 0, 0, 0, 0, 8, 8, 8, 8 }, four_dies[] = { 0, 0, 2, 2, 8, 8, 10, 10 };
static struct plan_cpumask plan_masks[] = { { masks[0], two_dies }, { masks[1], two_dies } };

struct made {
	struct plan_perf_program prog;
	struct plan_perf_round round;
	struct counting *c;
	struct err err;
	int r;
	uint64_t raw[8];
	uint8_t reason[8];
};

static void make(struct made *m, struct plan_perf *e, unsigned n, bool may_lack)
{
	for (unsigned i = 0; i < n; i++)
		e[i].may_lack = may_lack;
	*m = (struct made){
		.prog = { .cpus = socket_cpus, .n_cpus = COUNT(socket_cpus),
			  .masks = plan_masks, .n_masks = 2,
			  .rounds = &m->round, .n_rounds = 1 },
		.round = { e, n },
	};
	m->r = counting_perf_new(&fake, &m->prog, &m->c, &m->err);
}

static void started(struct made *m, struct plan_perf *e, unsigned n)
{
	make(m, e, n, false);
	if (m->r < 0)
		fail_msg("%s", m->err.text);
	assert_int_equal(m->c->ops->start(m->c, 0, m->raw, m->reason, &m->err), 0);
}

/* One tick: read, then check. */
static void tick(struct made *m)
{
	memset(m->reason, 0, sizeof(m->reason));
	m->c->ops->read(m->c, m->raw, m->reason);
	assert_int_equal(m->c->ops->check(m->c, m->reason), 0);
}

static void freed(struct made *m)
{
	m->c->ops->free(m->c);
	assert_int_equal(k.open_now, 0);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	for (unsigned i = 0; i < COUNT(socket_cpus); i++)
		k.online[socket_cpus[i]] = true;
	put_mask(0, "0,8\n");
	put_mask(1, "0\n");
	plan_masks[0].serving_cpu = two_dies;
	return 0;
}

/* ---- tests */

/* Two groups of one PMU, interleaved in the plan: two descriptors to read, values to the right
 * slots. */
static void test_groups(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 1), UNCORE(12, 3, 0, 0),
				 UNCORE(12, 4, 0, 1), ANYWHERE(5, 4) };
	struct made m;
	uint64_t enabled, running;

	(void)state;
	started(&m, e, COUNT(e));
	assert_int_equal(k.log_n, 3);
	assert_int_equal(k.opened, 5);
	step(7);
	for (int fd = 1; fd < 6; fd++)          /* tell them apart */
		events[fd].value += (uint64_t)fd;
	tick(&m);
	/* opened in this order: 0 2 | 1 3 | 4 */
	assert_int_equal(m.raw[0], 7001);
	assert_int_equal(m.raw[2], 7002);
	assert_int_equal(m.raw[1], 7003);
	assert_int_equal(m.raw[3], 7004);
	assert_int_equal(m.raw[4], 7005);
	m.c->ops->times(m.c, 3, &enabled, &running);
	assert_true(enabled == 7000000 && running == enabled);
	k.percent = 0;
	step(3);
	tick(&m);
	m.c->ops->times(m.c, 3, &enabled, &running);
	assert_true(enabled == 10000000 && running == 7000000);
	assert_int_equal(m.raw[3], 7004);
	assert_int_equal(m.reason[3], 0);
	/* times are since start() */
	k.percent = 100;
	m.c->ops->stop(m.c);
	assert_int_equal(m.c->ops->start(m.c, 0, m.raw, m.reason, NULL), 0);
	assert_int_equal(m.raw[3], 7004);
	step(1);
	tick(&m);
	m.c->ops->times(m.c, 3, &enabled, &running);
	assert_true(enabled == 1000000 && running == enabled);
	freed(&m);
}

static unsigned open_files(void)
{
	AUTO_FREE(closedir) DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	return n;
}

/* Events are all that it keeps open: a server has hundreds of PMUs, each with a cpumask. */
static void test_open_files(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(13, 1, 0, 0) };
	unsigned before = open_files();
	struct made m;

	(void)state;
	e[1].mask = 1;
	started(&m, e, COUNT(e));
	tick(&m);
	assert_int_equal(open_files(), before);         /* those of the fake kernel are no files */
	freed(&m);
}

/* What cannot count together is refused with all names; nothing stays open. */
static void test_too_many(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), UNCORE(12, 3, 0, 0),
				 UNCORE(12, 4, 0, 0),
				 UNCORE(12, 5, 0, 0), UNCORE(12, 6, 0, 5) };
	struct made m;

	(void)state;
	make(&m, e, COUNT(e), false);
	assert_int_equal(m.r, -EINVAL);
	assert_string_equal(m.err.text,
			    "PMU uncore_imc_0 cannot count perf/uncore_imc_0/e5/ together with "
			    "perf/uncore_imc_0/e1/, perf/uncore_imc_0/e2/, perf/uncore_imc_0/e3/, "
			    "perf/uncore_imc_0/e4/: it "
			    "has too few counters, or these events exclude each other. "
			    "Move one to another group; groups that "
			    "share an event count as one group");
	assert_int_equal(k.open_now, 0);
	/* in a group of its own it counts */
	e[4].perf_group = 4;
	started(&m, e, COUNT(e));
	step(1);
	tick(&m);
	assert_int_equal(m.raw[4], 1000);
	freed(&m);
}

/* Default groups lose what this machine cannot count, and say so once. */
static void test_ready_made(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), UNCORE(12, 3, 0, 0),
				 UNCORE(12, 4, 0, 3) };
	struct made m;

	(void)state;
	k.refuse_config = 1;
	k.refuse = EOPNOTSUPP;
	k.counters = 1;
	make(&m, e, COUNT(e), true);
	assert_int_equal(m.r, 0);
	assert_non_null(strstr(counting_perf_left_out(m.c), "event perf/uncore_imc_0/e1/"));
	assert_int_equal(m.c->ops->start(m.c, 0, m.raw, m.reason, &m.err), 0);
	assert_int_equal(m.reason[0], REASON_REFUSED);
	assert_int_equal(m.reason[1], 0);
	assert_int_equal(m.reason[2], REASON_REFUSED);          /* one counter: not beside e2 */
	assert_int_equal(m.reason[3], 0);
	step(2);
	tick(&m);
	assert_true(m.raw[1] == 2000 && m.raw[3] == 2000);
	freed(&m);
	/* a shortage says nothing of the event: nothing is left out for it */
	for (unsigned i = 0; i < 3; i++) {
		k.refuse = (const int[]){ EMFILE, ENFILE, ENOMEM }[i];
		make(&m, e, COUNT(e), true);
		assert_int_equal(m.r, -k.refuse);
		assert_int_equal(k.open_now, 0);
	}
	k.counters = 0;
	k.refuse = 0;
	make(&m, e, COUNT(e), true);            /* nothing left: the first reason */
	assert_int_equal(m.r, -EINVAL);
	assert_non_null(strstr(m.err.text, "perf/uncore_imc_0/e1/"));
	assert_int_equal(k.open_now, 0);
}

/* Every error has its own words, and names PMU and event. */
static void test_errors(void **state)
{
	static const struct { int line, r; const char *words; } rows[] = {
		{ __LINE__, EACCES, "Permission denied: " }, { __LINE__, EPERM, "perf_event_open" },
		{ __LINE__, EBUSY, "exclusive use" },
		{ __LINE__, ENOSPC, "no counter" }, { __LINE__, EMFILE, "LimitNOFILE" },
		{ __LINE__, ENFILE, "fs.file-max" },
		{ __LINE__, EINVAL, "format directory" }, { __LINE__, ENOENT, "no such event" },
		{ __LINE__, ENODEV, "offline" }, { __LINE__, EOPNOTSUPP, "hypervisor" },
		{ __LINE__, ENOSYS, "without perf events" },
	};
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0) };
	char seen[COUNT(rows)][768];

	(void)state;
	k.refuse_config = 2;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		k.refuse = rows[i].r;
		make(&m, e, COUNT(e), false);
		if (m.r != -rows[i].r || !strstr(m.err.text, rows[i].words) ||
		    !strstr(m.err.text, "PMU uncore_imc_0, event perf/uncore_imc_0/e2/, CPU 0: "))
			fail_msg("line %d: %d %s", rows[i].line, m.r, m.err.text);
		assert_int_equal(k.open_now, 0);
		snprintf(seen[i], sizeof(seen[i]), "%s", strrchr(m.err.text, ':'));
		for (unsigned o = i > 1 ? 0 : i; o < i; o++)
			if (strcmp(seen[o], seen[i]) == 0)
				fail_msg("line %d: the same words as line %d", rows[i].line,
					 rows[o].line);
	}
}

/* One event is opened and closed, and says what counting_perf_new() would: of default groups the
 * first that can be opened decides, of others the first that cannot. */
static void test_try(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0), UNCORE(12, 3, 8, 2) };
	static const struct {
		int line;
		bool may_lack;
		int refused, r;
		const char *event;
	} rows[] = {
		{ __LINE__, true, 0, 0, "perf/uncore_imc_0/e1/" },
		{ __LINE__, true, 1, 0, "perf/uncore_imc_0/e2/" },
		{ __LINE__, false, 0, 0, "perf/uncore_imc_0/e1/" },
		{ __LINE__, false, 3, -EACCES, "perf/uncore_imc_0/e3/" },
		{ __LINE__, false, 1, -EACCES, "perf/uncore_imc_0/e1/" },
	};
	struct plan_perf_round round = { .events = e, .n_events = COUNT(e) };
	struct counting_perf_tried t;
	struct made m;

	(void)state;
	k.refuse = EACCES;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct plan_perf_program p = { .rounds = &round, .n_rounds = 1 };

		for (unsigned n = 0; n < COUNT(e); n++)
			e[n].may_lack = rows[i].may_lack;
		k.refuse_config = rows[i].refused;
		if (counting_perf_try(&fake, &p, &t) != rows[i].r || t.r != rows[i].r ||
		    strcmp(t.event, rows[i].event) != 0 || !t.why.text[0] != !t.r)
			fail_msg("line %d: %d %s: %s", rows[i].line, t.r, t.event, t.why.text);
		assert_int_equal(k.open_now, 0);
	}
	make(&m, e, COUNT(e), false);           /* the same sentence, and what to do */
	assert_int_equal(m.r, -EACCES);
	assert_ptr_equal(strstr(m.err.text, t.why.text), m.err.text);
	assert_non_null(strstr(m.err.text, t.todo.text));
	memset(k.online, true, sizeof(k.online));
	k.refuse_config = 0;                    /* PERF_COUNT_SW_CPU_CLOCK */
	assert_int_equal(counting_perf_try(&fake, NULL, &t), -EACCES);
	assert_string_equal(t.event, "perf/software/cpu-clock/");
}

static unsigned waits;
static const char *dead;                /* configs of events that count nothing; NULL: none */

static void wait_a_second(nsec span)
{
	assert_int_equal(span, NSEC_PER_SEC);
	waits++;
	for (unsigned i = 0; i < FDS; i++)      /* all are open and count from before it on */
		if (events[i].open) {
			assert_true(events[i].on);
			events[i].stuck = dead && strchr(dead, (int)('0' + events[i].config));
		}
	step(1000);
}

/* Events of two sockets, read twice, a second apart, at one time; none stays open. */
static void test_rise(void **state)
{
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0) },
		o[] = { UNCORE(12, 3, 8, 0) };
	static const struct {
		int line;
		const char *dead;
		int refuse_config, refuse, r;
		unsigned waits;
	} rows[] = {
		{ __LINE__, NULL, 0, 0, 1, 1 },
		{ __LINE__, "123", 0, 0, 0, 1 },
		{ __LINE__, "12", 0, 0, 1, 1 },                 /* the other socket's counts */
		{ __LINE__, "123", 2, EACCES, 0, 1 },
		{ __LINE__, "23", 1, EACCES, 0, 1 },    /* the one that counts cannot be read */
	};
	struct plan_perf_round round = { .events = e, .n_events = COUNT(e) },
		other = { .events = o, .n_events = COUNT(o) };
	const struct plan_perf_program a = { .rounds = &round, .n_rounds = 1 },
		b = { .rounds = &other, .n_rounds = 1 }, *const programs[] = { &a, &b };

	(void)state;
	memset(k.online, true, sizeof(k.online));
	for (unsigned i = 0; i < COUNT(rows); i++) {
		int r;

		k.refuse_config = rows[i].refuse_config;
		k.refuse = rows[i].refuse;
		dead = rows[i].dead;
		waits = 0;
		r = counting_perf_rise_with(&fake, wait_a_second, programs, 2);
		if (r != rows[i].r || waits != rows[i].waits)
			fail_msg("line %d: %d after %u waits", rows[i].line, r, waits);
		assert_int_equal(k.open_now, 0);
	}
	memset(k.online, false, sizeof(k.online));      /* then nothing is known */
	waits = 0;
	assert_int_equal(counting_perf_rise_with(&fake, wait_a_second, programs, 2), -ENODEV);
	assert_int_equal(waits, 0);
}

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
			uint64_t want = counts ? rows[i].gone[d] ? 2000 : 3000 : 1000;

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
#define TEST(f) cmocka_unit_test_setup(f, setup)
	static const struct CMUnitTest tests[] = {
		TEST(test_groups), TEST(test_open_files), TEST(test_too_many),
		TEST(test_ready_made), TEST(test_errors),
		TEST(test_try), TEST(test_rise), TEST(test_moves_with_the_mask),
		TEST(test_single_event), TEST(test_socket_gone_and_back), TEST(test_reader_order),
		TEST(test_dies),
		TEST(test_other_round), TEST(test_opened_late),
	};
	int r;

	if (!mkdtemp(dir))
		return 99;
	for (unsigned i = 0; i < 2; i++)
		snprintf(masks[i], sizeof(masks[i]), "%s/cpumask%u", dir, i);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	for (unsigned i = 0; i < 2; i++)
		unlink(masks[i]);
	rmdir(dir);
	return r;
}
