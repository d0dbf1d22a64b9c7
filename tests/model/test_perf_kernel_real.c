/* SPDX-License-Identifier: MIT
 * The modelled kernel beside this machine's: the same opens, groups, refusals and reads of both.
 * Errors are the same, and what a read returns has the same form; the times that it tells lie
 * between the same two looks at the clock.
 *
 *     test_perf_kernel_real [TEXT]
 *
 * TEXT: this machine, captured, with what its events count: tests/vm/driver.py does so in a guest
 * with a driver of the uncore. Without it the PMU msr alone is compared.
 *
 * Not compared: an event of which the text says nothing, which the model refuses; a CPU that is
 * offline, of which only Linux knows the socket; an msr event of a task or in a group of another
 * PMU, and what is pinned, exclusive or sampled with its group: uncored opens no such event.
 */
#include "base/clock.h"
#include "base/num.h"

#include "kernel_fixture.h"

#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)
#define GROUP (PERF_FORMAT_GROUP | TIMES)
#define SLACK 100000                    /* ns: of two clocks */
enum { TSC = 0, UNKNOWN = 99 };
/* of Skylake-SP: uncore_imc, uncore_cha and uncore_iio */
enum { CLOCK = 0, READS = 0x304, WRITES = 0xc04, FIXED = 0xff };
enum { INSERTS = 0x2135, OCCUPANCY = 0x2136 };
#define PORT_0 0x70f000000483ULL
#define FILTER 0x4043300000000ULL
#define OTHER_FILTER 0x4083300000000ULL

static struct modelled modelled;

/* ------------------------------------------------------------------ two kernels */

struct kernel {
	const char *name;
	int (*open)(const struct perf_event_attr *a, pid_t pid, int cpu, int leader);
	ssize_t (*read)(int fd, void *buf, size_t n);
	int (*enable)(int fd, bool on);
	int (*close)(int fd);
};

static int linux_open(const struct perf_event_attr *a, pid_t pid, int cpu, int leader)
{
	long fd = syscall(SYS_perf_event_open, a, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static ssize_t linux_read(int fd, void *buf, size_t n)
{
	ssize_t r = read(fd, buf, n);

	return r < 0 ? -errno : r;
}

static int linux_enable(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) < 0 ? -errno : 0;
}

static int linux_close(int fd)
{
	return close(fd) < 0 ? -errno : 0;
}

static int mdl_open(const struct perf_event_attr *a, pid_t pid, int cpu, int leader)
{
	return perf_kernel_open(modelled.k, a, pid, cpu, leader);
}

static ssize_t mdl_read(int fd, void *buf, size_t n)
{
	return perf_kernel_read(modelled.k, fd, buf, n);
}

static int mdl_enable(int fd, bool on)
{
	return perf_kernel_enable(modelled.k, fd, on);
}

static int mdl_close(int fd)
{
	return perf_kernel_close(modelled.k, fd);
}

static const struct kernel kernels[] = {
	{ "Linux", linux_open, linux_read, linux_enable, linux_close },
	{ "the model", mdl_open, mdl_read, mdl_enable, mdl_close },
};

/* ------------------------------------------------------------------ refusals */

/* An event; what is not given is that of uncored's events: of a CPU, read with its group. */
struct event {
	const char *pmu;
	uint64_t config, config1;
	int cpu;
	bool of_task, excludes, inherits, off;
	uint64_t period;
	uint64_t format;                /* 0: GROUP; ALONE: none */
};
#define ALONE (1ULL << 63)

static int open_on(const struct kernel *k, const struct event *e, int leader)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = type_of(&modelled, e->pmu), .config = e->config,
		.config1 = e->config1, .disabled = leader < 0 || e->off,
		.sample_period = e->period, .exclude_user = e->excludes, .inherit = e->inherits,
		.read_format = e->format ?: GROUP,
	};

	if (e->format == ALONE)
		a.read_format = 0;
	return k->open(&a, e->of_task ? getpid() : -1, e->cpu, leader);
}

#define E(p, c, ...) { .pmu = p, .config = c, __VA_ARGS__ }
#define IMC "uncore_imc_0"
#define CHA "uncore_cha_0"
#define IIO "uncore_iio_0"

static const struct step {
	int line;
	struct event e;
	const char *as;                 /* what others call it */
	const char *of;                 /* the leader; NULL: alone */
} steps[] = {
	{ __LINE__, E("msr", TSC), "tsc", NULL },
	{ __LINE__, E("msr", TSC), "tsc2", "tsc" },    /* as many of it as one likes */
	{ __LINE__, E("msr", TSC), NULL, "tsc" },
	{ __LINE__, E("msr", TSC, .off = true), NULL, "tsc" },
	{ __LINE__, E("msr", UNKNOWN), NULL, NULL },   /* the driver knows no such event */
	{ __LINE__, E("msr", UNKNOWN), NULL, "tsc" },
	{ __LINE__, E("msr", TSC), NULL, "tsc2" },     /* a member does not lead */
	{ __LINE__, E("msr", TSC, .cpu = 1), NULL, "tsc" },
	{ __LINE__, E("msr", TSC, .cpu = 1), NULL, NULL },
	{ __LINE__, E("msr", TSC, .cpu = -1), NULL, NULL },
	{ __LINE__, E("msr", TSC, .cpu = 100000), NULL, NULL },
	{ __LINE__, E("msr", TSC, .period = 1000), NULL, NULL },
	{ __LINE__, E("msr", TSC, .excludes = true), NULL, NULL },
	{ __LINE__, E("msr", TSC, .inherits = true), NULL, NULL },
	{ __LINE__, E("msr", TSC, .inherits = true, .format = TIMES), NULL, NULL },

	{ __LINE__, E(IMC, READS), "imc", NULL },
	{ __LINE__, E(IMC, WRITES), "writes", "imc" },
	{ __LINE__, E(IMC, CLOCK), NULL, "imc" },
	{ __LINE__, E(IMC, FIXED), NULL, "imc" },      /* a counter of its own ... */
	{ __LINE__, E(IMC, FIXED), NULL, "imc" },      /* ... of which there is one */
	{ __LINE__, E(IMC, WRITES), NULL, "imc" },     /* the fourth */
	{ __LINE__, E(IMC, CLOCK), NULL, "imc" },      /* one too many */
	{ __LINE__, E(IMC, CLOCK), NULL, "writes" },
	{ __LINE__, E("uncore_imc_1", CLOCK), NULL, "imc" },   /* another PMU */
	{ __LINE__, E(IMC, CLOCK, .cpu = 4), NULL, "imc" },    /* another socket */
	{ __LINE__, E(IMC, READS, .cpu = 3), NULL, NULL },     /* not in its mask */
	{ __LINE__, E(IMC, READS, .cpu = 7), NULL, NULL },
	{ __LINE__, E(IMC, READS, .cpu = -1), NULL, NULL },
	{ __LINE__, E(IMC, READS, .cpu = 100000), NULL, NULL },
	{ __LINE__, E(IMC, READS, .of_task = true), NULL, NULL },
	{ __LINE__, E(IMC, READS, .of_task = true, .cpu = -1), NULL, NULL },
	{ __LINE__, E(IMC, READS, .period = 1000), NULL, NULL },
	{ __LINE__, E(IMC, READS, .excludes = true), NULL, NULL },
	{ __LINE__, E(IMC, READS, .inherits = true), NULL, NULL },
	{ __LINE__, E(IMC, READS, .inherits = true, .format = TIMES), NULL, NULL },
	/* bits of config that format/ does not name are dropped */
	{ __LINE__, E(IMC, READS | 1ULL << 40), NULL, NULL },
	{ __LINE__, E(IMC, READS, .config1 = 1), NULL, NULL },
	{ __LINE__, E(IMC, WRITES, .off = true), "off", NULL },
	/* a member that is off wants no counter */
	{ __LINE__, E(IMC, WRITES, .off = true), NULL, "off" },
	{ __LINE__, E(IMC, WRITES, .off = true), NULL, "off" },
	{ __LINE__, E(IMC, WRITES, .off = true), NULL, "off" },
	{ __LINE__, E(IMC, WRITES, .off = true), NULL, "off" },
	{ __LINE__, E(IMC, WRITES, .off = true), NULL, "off" },
	{ __LINE__, E(IMC, WRITES), NULL, "off" },

	/* TOR_OCCUPANCY has counter 0, TOR_INSERTS any; a box has one filter */
	{ __LINE__, E(CHA, OCCUPANCY, .config1 = FILTER), "cha", NULL },
	{ __LINE__, E(CHA, OCCUPANCY, .config1 = FILTER), NULL, "cha" },
	{ __LINE__, E(CHA, INSERTS, .config1 = FILTER), NULL, "cha" },
	{ __LINE__, E(CHA, INSERTS, .config1 = OTHER_FILTER), NULL, "cha" },
	{ __LINE__, E(CHA, INSERTS, .config1 = OTHER_FILTER), NULL, NULL },
	/* which the clock does not look at */
	{ __LINE__, E(CHA, CLOCK), NULL, "cha" },
	{ __LINE__, E(CHA, CLOCK, .config1 = OTHER_FILTER), NULL, "cha" },
	{ __LINE__, E(CHA, 0xff), NULL, NULL },                /* it has no fixed counter */

	/* counters 0 and 1 */
	{ __LINE__, E(IIO, PORT_0), "iio", NULL },
	{ __LINE__, E(IIO, PORT_0), NULL, "iio" },
	{ __LINE__, E(IIO, PORT_0), NULL, "iio" },
	{ __LINE__, E("uncore_iio_free_running_0", 0xf0ff), NULL, NULL },
};

static bool is_here(const char *pmu)
{
	return topo_pmu_find(modelled.pmus, pmu) != NULL;
}

static int leader_of(const struct step *s, const int *fds)
{
	for (unsigned i = 0; s->of && i < COUNT(steps); i++)
		if (steps[i].as && strcmp(steps[i].as, s->of) == 0)
			return fds[i];
	return -1;
}

/* On both kernels, as each line of the table says. Returns how many answers differ. */
static unsigned open_steps(int fds[COUNT(kernels)][COUNT(steps)])
{
	unsigned n = 0;

	for (unsigned i = 0; i < COUNT(steps); i++) {
		const struct step *s = &steps[i];

		for (unsigned k = 0; k < COUNT(kernels); k++) {
			fds[k][i] = -1;
			if (is_here(s->e.pmu))
				fds[k][i] = open_on(&kernels[k], &s->e, leader_of(s, fds[k]));
		}
		if ((fds[0][i] < 0 || fds[1][i] < 0) && fds[0][i] != fds[1][i]) {
			print_error("line %d: Linux answers %d, the model %d\n", s->line,
				    fds[0][i], fds[1][i]);
			n++;
		}
	}
	return n;
}

/* What a read returns, and one into a buffer that is too small, or nothing. */
static void read_sizes(const struct kernel *k, int fd, ssize_t ret[3])
{
	uint64_t buf[16];

	ret[0] = k->read(fd, buf, sizeof(buf));
	ret[1] = ret[0] > 0 ? k->read(fd, buf, (size_t)ret[0] - 1) : 0;
	ret[2] = ret[0] > 0 ? k->read(fd, buf, 0) : 0;
}

static unsigned compare_sizes(int line, const int fds[COUNT(kernels)])
{
	ssize_t sizes[COUNT(kernels)][3];

	for (unsigned k = 0; k < COUNT(kernels); k++)
		read_sizes(&kernels[k], fds[k], sizes[k]);
	if (memcmp(sizes[0], sizes[1], sizeof(sizes[0])) == 0)
		return 0;
	print_error("line %d: Linux reads %zd, %zd, %zd, the model %zd, %zd, %zd\n", line,
		    sizes[0][0], sizes[0][1], sizes[0][2], sizes[1][0], sizes[1][1], sizes[1][2]);
	return 1;
}

static void test_refusals(void **state)
{
	int fds[COUNT(kernels)][COUNT(steps)];
	unsigned wrong = open_steps(fds), opened = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(steps); i++) {
		const int both[] = { fds[0][i], fds[1][i] };

		if (both[0] >= 0 && both[1] >= 0) {
			wrong += compare_sizes(steps[i].line, both);
			opened++;
		}
	}
	for (unsigned k = 0; k < COUNT(kernels); k++)
		for (unsigned i = 0; i < COUNT(steps); i++)
			if (fds[k][i] >= 0)
				assert_int_equal(kernels[k].close(fds[k][i]), 0);
	assert_int_equal(wrong, 0);
	assert_true(opened > 0);
	print_message("%u of %zu events were opened\n", opened, COUNT(steps));
}

/* One read returns 16 kB at most: so many events has a group. */
static void test_most(void **state)
{
	const struct rlimit files = { 4096, 4096 };
	const struct event tsc = E("msr", TSC);
	int n[COUNT(kernels)] = { 0 }, last[COUNT(kernels)];
	static int fds[4096];

	(void)state;
	if (!is_here("msr"))
		return;
	setrlimit(RLIMIT_NOFILE, &files);
	for (unsigned k = 0; k < COUNT(kernels); k++) {
		while ((last[k] = open_on(&kernels[k], &tsc, n[k] ? fds[0] : -1)) >= 0)
			fds[n[k]++] = last[k];
		for (int i = n[k]; i > 0; i--)
			kernels[k].close(fds[i - 1]);
	}
	assert_int_equal(last[0], -E2BIG);
	assert_int_equal(last[1], last[0]);
	assert_int_equal(n[1], n[0]);
}

/* ------------------------------------------------------------------ times */

struct moment {                         /* something happened in between */
	nsec before, after;
};

static struct moment switch_on(const struct kernel *k, int fd, bool on)
{
	struct moment m = { .before = clock_read(CLOCK_MONOTONIC) };

	assert_int_equal(k->enable(fd, on), 0);
	m.after = clock_read(CLOCK_MONOTONIC);
	return m;
}

static struct moment read_now(const struct kernel *k, int fd, uint64_t buf[8])
{
	struct moment m = { .before = clock_read(CLOCK_MONOTONIC) };

	assert_true(k->read(fd, buf, 8 * sizeof(*buf)) > 0);
	m.after = clock_read(CLOCK_MONOTONIC);
	return m;
}

static void is_between(const struct kernel *k, const char *what, uint64_t ns, struct moment from,
		       struct moment to)
{
	nsec least = to.before - from.after - SLACK, most = to.after - from.before + SLACK;

	if ((nsec)ns < least || (nsec)ns > most)
		fail_msg("%s: %s are %llu ns, of %lld to %lld", k->name, what,
			 (unsigned long long)ns, (long long)least, (long long)most);
}

/* of a group of three: how many, enabled, running, and their counts */
enum { N, ENABLED, RUNNING, FIRST, SECOND, THIRD, GROUP_WORDS };

/* The third is off until it is switched on by itself. */
static void run_group(const struct kernel *k, const int fds[3])
{
	uint64_t v[8], last[8];
	struct moment on, off, now;

	read_now(k, fds[0], v);
	assert_int_equal(v[N], 3);
	assert_int_equal(v[ENABLED] + v[RUNNING] + v[FIRST] + v[SECOND] + v[THIRD], 0);
	on = switch_on(k, fds[0], true);
	usleep(50000);
	now = read_now(k, fds[1], v);
	is_between(k, "enabled", v[ENABLED], on, now);
	assert_int_equal(v[RUNNING], v[ENABLED]);
	assert_true(v[FIRST] > 0 && v[SECOND] > 0 && v[THIRD] == 0);
	switch_on(k, fds[2], true);
	usleep(20000);
	off = switch_on(k, fds[0], false);
	read_now(k, fds[0], v);
	is_between(k, "enabled in all", v[ENABLED], on, off);
	assert_int_equal(v[RUNNING], v[ENABLED]);
	assert_true(v[THIRD] > 0 && v[THIRD] < v[SECOND]);
	usleep(5000);
	read_now(k, fds[0], last);
	assert_memory_equal(v, last, GROUP_WORDS * sizeof(*v));
}

/* The leader goes at once when it was switched off (from then on Linux counts the time), and its
 * members are wanted; they count when counters are given again. */
static void lose_leader(const struct kernel *k, const struct event *e, const int fds[3])
{
	struct moment gone, now, again;
	uint64_t last[8], v[8];
	int other;

	switch_on(k, fds[0], true);
	gone = switch_on(k, fds[0], false);
	read_now(k, fds[0], last);
	k->close(fds[0]);
	usleep(20000);
	now = read_now(k, fds[1], v);
	assert_int_equal(v[N], 1);
	is_between(k, "enabled without a leader", v[ENABLED] - last[ENABLED], gone, now);
	assert_int_equal(v[RUNNING], last[RUNNING]);
	assert_int_equal(v[FIRST], last[SECOND]);
	other = open_on(k, e, -1);
	again = switch_on(k, other, true);
	usleep(20000);
	now = read_now(k, fds[1], v);
	is_between(k, "running again", v[RUNNING] - last[RUNNING], again, now);
	assert_true(v[FIRST] > last[SECOND]);
	k->close(other);
	k->close(fds[1]);
	k->close(fds[2]);
}

static void test_times(void **state)
{
	static const struct event pairs[][2] = {
		{ E("msr", TSC), E("msr", TSC) },
		{ E(IMC, READS), E(IMC, WRITES) },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(pairs); i++)
		for (unsigned k = 0; k < COUNT(kernels) && is_here(pairs[i][0].pmu); k++) {
			struct event third = pairs[i][1];
			int fds[3];

			third.off = true;
			fds[0] = open_on(&kernels[k], &pairs[i][0], -1);
			fds[1] = open_on(&kernels[k], &pairs[i][1], fds[0]);
			fds[2] = open_on(&kernels[k], &third, fds[0]);
			assert_true(fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0);
			run_group(&kernels[k], fds);
			lose_leader(&kernels[k], &pairs[i][0], fds);
		}
}

/* The words of a read are those of its format, in the same order. */
static void test_formats(void **state)
{
	static const uint64_t formats[] = {
		ALONE, PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, TIMES,
		PERF_FORMAT_GROUP, PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED,
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_RUNNING, GROUP,
	};

	(void)state;
	for (unsigned i = 0; i < 2 * COUNT(formats); i++) {
		struct event e = i % 2 ? (struct event)E(IMC, READS) : (struct event)E("msr", TSC);
		uint64_t v[8], format = formats[i / 2] & ~ALONE;
		bool grouped = format & PERF_FORMAT_GROUP;
		int times = __builtin_popcountll(format & TIMES);
		struct moment on, off;

		e.format = formats[i / 2];
		for (unsigned k = 0; k < COUNT(kernels) && is_here(e.pmu); k++) {
			int fd = open_on(&kernels[k], &e, -1);

			assert_true(fd >= 0);
			on = switch_on(&kernels[k], fd, true);
			usleep(10000);
			off = switch_on(&kernels[k], fd, false);
			assert_int_equal(kernels[k].read(fd, v, sizeof(v)),
					 (1 + times + grouped) * (int)sizeof(*v));
			for (int t = 0; t < times; t++)
				is_between(&kernels[k], "of a format", v[1 + t], on, off);
			assert_true(v[grouped ? 1 + times : 0] > 0);
			assert_true(!grouped || v[N] == 1);
			kernels[k].close(fd);
		}
	}
}

/* ------------------------------------------------------------------ too few counters */

#define WHILE 1000000                   /* us that they take turns */
#define TURNS 0.1                       /* as much of the time may be another's turn */
#define TRIES 5                         /* on a machine that is busy, turns come late */

/* Events alone, or with the one before them. */
static const struct few {
	int line;
	struct event e[6];
	bool with_last[6];
	unsigned n;
} few[] = {
	{ __LINE__, { E(IMC, READS), E(IMC, WRITES), E(IMC, CLOCK), E(IMC, READS), E(IMC, WRITES) },
	  { false }, 5 },
	{ __LINE__, { E(IMC, READS), E(IMC, WRITES), E(IMC, CLOCK), E(IMC, READS), E(IMC, WRITES),
	  E(IMC, CLOCK) }, { [5] = true }, 6 },
	{ __LINE__, { E(IMC, READS), E(IMC, WRITES), E(IMC, CLOCK), E(IMC, READS), E(IMC, WRITES),
	  E(IMC, FIXED) }, { false }, 6 },
	{ __LINE__, { E(CHA, OCCUPANCY, .config1 = FILTER), E(CHA, OCCUPANCY, .config1 = FILTER),
	  E(CHA, OCCUPANCY, .config1 = FILTER) }, { false }, 3 },
	{ __LINE__, { E(CHA, INSERTS, .config1 = FILTER), E(CHA, INSERTS, .config1 = OTHER_FILTER),
	  E(CHA, CLOCK) }, { false }, 3 },
	{ __LINE__, { E(IIO, PORT_0), E(IIO, PORT_0), E(IIO, PORT_0) }, { false }, 3 },
};

/* The shares of the time in which they counted while all were wanted; then one is switched off and
 * another closed, and the shares of the others from then on. */
static void take_turns(const struct kernel *k, const struct few *f, double ret[2][6])
{
	uint64_t v[6][8], w[8];
	int fds[6] = { 0 };

	for (unsigned i = 0; i < f->n; i++) {
		fds[i] = open_on(k, &f->e[i], f->with_last[i] ? fds[i - 1] : -1);
		assert_true(fds[i] >= 0);
	}
	for (unsigned i = 0; i < f->n; i++)
		switch_on(k, fds[i], true);
	usleep(WHILE);
	for (unsigned i = 0; i < f->n; i++) {
		read_now(k, fds[i], v[i]);
		ret[0][i] = (double)v[i][RUNNING] / (double)v[i][ENABLED];
	}
	switch_on(k, fds[0], false);
	k->close(fds[1]);
	usleep(WHILE);
	for (unsigned i = 2; i < f->n; i++) {
		read_now(k, fds[i], w);
		ret[1][i] = (double)(w[RUNNING] - v[i][RUNNING]) /
			(double)(w[ENABLED] - v[i][ENABLED]);
	}
	for (unsigned i = f->n; i > 0; i--)
		if (i != 2)
			k->close(fds[i - 1]);
}

/* How far the shares of the two kernels are apart, at most. */
static double compare_turns(const struct few *f)
{
	double shares[COUNT(kernels)][2][6] = { 0 }, most = 0;

	for (unsigned k = 0; k < COUNT(kernels); k++)
		take_turns(&kernels[k], f, shares[k]);
	for (unsigned j = 0; j < 2 * f->n; j++) {
		unsigned later = j / f->n, e = j % f->n;
		double theirs = shares[0][later][e], ours = shares[1][later][e];

		if (theirs - ours > TURNS || ours - theirs > TURNS)
			print_error("line %d, event %u%s: %.3f on Linux, %.3f on the model\n",
				    f->line, e, later ? " later" : "", theirs, ours);
		most = num_larger(most, num_larger(theirs - ours, ours - theirs));
	}
	return most;
}

static void test_turns(void **state)
{
	double most = 0;
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < COUNT(few) && is_here(few[i].e[0].pmu); i++) {
		double apart = compare_turns(&few[i]);

		for (unsigned t = 1; t < TRIES && apart > TURNS; t++)
			apart = compare_turns(&few[i]);
		assert_true(apart <= TURNS);
		most = num_larger(most, apart);
		n++;
	}
	if (n)
		print_message("in %u sets shares of the time differ by at most %.3f\n", n, most);
}

/* ------------------------------------------------------------------ the machine */

/* This one: a CPU for each that it has, and what Linux knows of the PMU msr. */
static void describe_here(char *path, size_t size)
{
	char type[16] = "";
	FILE *f = fopen("/sys/bus/event_source/devices/msr/type", "re");

	if (f && !fgets(type, sizeof(type), f))
		type[0] = '\0';
	if (f)
		fclose(f);
	type[strcspn(type, "\n")] = '\0';
	if (!type[0] || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		fprintf(stderr, "SKIP: this machine has no PMU msr, or one CPU alone\n");
		exit(77);
	}
	snprintf(path, size, "/tmp/uncored-here-%d.txt", (int)getpid());
	f = fopen(path, "we");
	assert_non_null(f);
	fprintf(f, "cpuinfo GenuineIntel 6 143 8\ncpu 0-%ld socket 0\n"
		"PMU msr type=%s cpumask=-\n  format event=config:0-63\n  counts 0x0 tsc\n"
		"curve 50 0 100\ncurve 50 100 300\n", sysconf(_SC_NPROCESSORS_ONLN) - 1, type);
	fclose(f);
}

/* Ends the test as skipped where perf events are not permitted. */
static void try_linux(void)
{
	const struct event e = { .pmu = modelled.pmus->v[0].name };
	int fd = open_on(&kernels[0], &e, -1);

	if (fd == -EACCES || fd == -EPERM) {
		fprintf(stderr, "SKIP: perf_event_open is not permitted\n");
		exit(77);
	}
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_most),
		cmocka_unit_test(test_times), cmocka_unit_test(test_formats),
		cmocka_unit_test(test_turns),
	};
	char here[64];
	int r;

	if (argc < 2)
		describe_here(here, sizeof(here));
	modelled_make(&modelled, argc < 2 ? here : argv[1], "stream");
	if (argc < 2)
		unlink(here);
	modelled.k->o.clock = NULL;             /* in real time */
	modelled.k->start = 0;
	modelled.k->start = kernel_now(modelled.k);
	try_linux();
	r = cmocka_run_group_tests(tests, NULL, NULL);
	modelled_drop(&modelled);
	return r;
}
