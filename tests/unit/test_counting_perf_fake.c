/* SPDX-License-Identifier: MIT
 * The perf engine on a made-up kernel: groups, refusals, what is tried before. */
#include "perf_engine_fixture.h"

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
	e[4].where = "a.conf:7";
	make(&m, e, COUNT(e), false);
	assert_int_equal(m.r, -EINVAL);
	assert_string_equal(m.err.text,
			    "a.conf:7: PMU uncore_imc_0 cannot count perf/uncore_imc_0/e5/ "
			    "together with perf/uncore_imc_0/e1/, perf/uncore_imc_0/e2/, "
			    "perf/uncore_imc_0/e3/, perf/uncore_imc_0/e4/: it has too few "
			    "counters, or these events exclude each other. Move one to another "
			    "group; groups that share an event count as one group");
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
	for (unsigned i = 0; i < COUNT(e); i++)
		e[i].where = "a.conf:7";        /* which may name the group */
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
	assert_null(strstr(m.err.text, "a.conf"));
	assert_int_equal(k.open_now, 0);
}

/* Every error has its own words, and names PMU and event; what is wrong with the event itself names
 * its place in the configuration, too. */
static void test_errors(void **state)
{
	static const struct { int line, r; const char *words; bool of_event; } rows[] = {
		{ __LINE__, EACCES, "Permission denied: ", false },
		{ __LINE__, EPERM, "perf_event_open", false },
		{ __LINE__, EBUSY, "exclusive use", false },
		{ __LINE__, ENOSPC, "no counter", false },
		{ __LINE__, EMFILE, "LimitNOFILE", false },
		{ __LINE__, ENFILE, "fs.file-max", false },
		{ __LINE__, EINVAL, "format directory", true },
		{ __LINE__, ENOENT, "no such event", true },
		{ __LINE__, ENODEV, "offline", false },
		{ __LINE__, EOPNOTSUPP, "hypervisor", false },
		{ __LINE__, ENOSYS, "without perf events", false },
	};
	struct plan_perf e[] = { UNCORE(12, 1, 0, 0), UNCORE(12, 2, 0, 0) };
	char seen[COUNT(rows)][768];

	(void)state;
	e[1].where = "a.conf:7";
	k.refuse_config = 2;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		struct made m;

		k.refuse = rows[i].r;
		make(&m, e, COUNT(e), false);
		if (m.r != -rows[i].r || !strstr(m.err.text, rows[i].words) ||
		    !strstr(m.err.text, "PMU uncore_imc_0, event perf/uncore_imc_0/e2/, CPU 0: ") ||
		    (strncmp(m.err.text, "a.conf:7: ", 10) == 0) != rows[i].of_event)
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_groups), TEST(test_open_files), TEST(test_too_many),
		TEST(test_ready_made), TEST(test_errors),
		TEST(test_try), TEST(test_rise),
	};

	return cmocka_run_group_tests(tests, make_masks, remove_masks);
}
