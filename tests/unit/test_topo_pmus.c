/* SPDX-License-Identifier: MIT
 * The kernel's PMUs, as made-up trees in a temporary directory tell of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "temp_dir.h"

#include "base/bits.h"
#include "topo/topo.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PMU "bus/event_source/devices/"

static int setup(void **state)
{
	(void)state;
	return temp_make("pmus");
}

static int teardown(void **state)
{
	(void)state;
	return drop("");
}

static void put_pmus(void)
{
	put(PMU "uncore_imc_1/type", "13\n");
	put(PMU "uncore_imc_1/cpumask", "0,8\n");
	put(PMU "uncore_imc_1/format/event", "config:0-7\n");
	put(PMU "uncore_imc_1/format/umask", "config:8-15\n");
	put(PMU "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n");
	put(PMU "uncore_imc_1/events/cas_count_read.scale", "6.103515625e-5\n");
	put(PMU "uncore_imc_1/events/cas_count_read.unit", "MiB\n");
	put(PMU "uncore_imc_1/events/cas_count_read.snapshot", "1\n");
	put(PMU "uncore_imc_1/events/clockticks", "event=0x00\n");
	put("devices/msr/type", "4294967295\n");        /* perf_event_attr.type is 32 bits wide */
	put("devices/msr/format/event", "config:0-63\n");
	put("devices/msr/events/tsc", "event=0x00\n");
	assert_int_equal(symlink("../../../devices/msr", temp_path(PMU "msr")), 0);
	put(PMU "software/type", "1\n");
}

static struct topo_pmus *read_pmus(const char *want_err)
{
	struct topo_pmus *p = NULL;
	struct err err = { "stale" };

	assert_int_equal(topo_pmus_read(root, &p, &err), 0);
	if (want_err ? !strstr(err.text, want_err) : err.text[0] != 0)
		fail_msg("\"%s\", expected \"%s\"", err.text, want_err ? want_err : "");
	return p;
}

static void test_pmus(void **state)
{
	const struct topo_pmu *u;
	struct topo_pmus *p;

	(void)state;
	put_pmus();
	p = read_pmus(NULL);
	assert_int_equal(p->n, 3);
	assert_string_equal(p->v[0].name, "msr");
	assert_int_equal(p->v[0].type, UINT32_MAX);
	assert_null(p->v[0].cpumask);
	assert_string_equal(p->v[0].events[0].text, "event=0x00");
	assert_int_equal(topo_pmu_find(p, "software")->n_format, 0);
	assert_null(topo_pmu_find(p, "uncore_imc"));
	u = topo_pmu_find(p, "uncore_imc_1");
	assert_non_null(u);
	assert_int_equal(u->type, 13);
	assert_int_equal(u->n_cpumask, 2);
	assert_int_equal(u->cpumask[1], 8);
	assert_int_equal(u->n_format, 2);
	assert_string_equal(u->format[1].name, "umask");
	assert_string_equal(u->format[1].text, "config:8-15");
	assert_null(u->format[1].scale);
	assert_int_equal(u->n_events, 2);
	assert_string_equal(u->events[0].name, "cas_count_read");
	assert_string_equal(u->events[0].scale, "6.103515625e-5");
	assert_string_equal(u->events[0].unit, "MiB");
	assert_string_equal(u->events[1].name, "clockticks");
	assert_null(u->events[1].scale);
	topo_pmus_free(p);
}

static unsigned bad_terms(const struct topo_term *v, unsigned n, const char *name, const char *file)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < n; i++)
		bad += v[i].bad && strcmp(v[i].name, name) == 0 && strstr(v[i].bad, file) &&
			v[i].text;
	return bad;
}

/* term NULL: the PMU is out. */
static void check_hostile(int line, const struct topo_pmus *p, const char *file, const char *term)
{
	const struct topo_pmu *u = topo_pmu_find(p, "uncore_imc_1");

	if (!topo_pmu_find(p, "msr") || p->n + p->n_bad != 3)
		fail_msg("line %d: %u PMUs, %u bad", line, p->n, p->n_bad);
	if (!term && (u || p->n_bad != 1 || strcmp(p->bad[0].name, "uncore_imc_1") != 0 ||
		      !strstr(p->bad[0].why, file)))
		fail_msg("line %d: still there", line);
	if (term && (!u || p->n_bad || bad_terms(u->format, u->n_format, term, file) +
		     bad_terms(u->events, u->n_events, term, file) != 1))
		fail_msg("line %d: %s is not bad", line, term);
}

/* An odd type or cpumask costs its own PMU only, any other file its own term; the sentence names
 * the file. */
static void test_pmus_hostile(void **state)
{
	static char big[8192];
	static const struct { int line; const char *name, *text, *term; } rows[] = {
		{ __LINE__, PMU "uncore_imc_1/type", "", NULL },
		{ __LINE__, PMU "uncore_imc_1/type", "4294967296\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/type", "-1\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/type", "12a\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/cpumask", "0-4294967295", NULL },
		{ __LINE__, PMU "uncore_imc_1/cpumask", "x", NULL },
		{ __LINE__, PMU "uncore_imc_1/cpumask", "-2\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/format/event", "", "event" },
		{ __LINE__, PMU "uncore_imc_1/format/event", "config:\x1b[2J", "event" },
		{ __LINE__, PMU "uncore_imc_1/events/clockticks", "\xff", "clockticks" },
		{ __LINE__, PMU "uncore_imc_1/events/cas_count_read.scale", "\n", "cas_count_read" },
		{ __LINE__, PMU "uncore_imc_1/events/cas_count_read.unit", big, "cas_count_read" },
		{ __LINE__, PMU "uncore_imc_1/events/cas_count_read.snapshot", "\n", "cas_count_read" },
	};

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	put_pmus();
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topo_pmus *p;

		drop(PMU "uncore_imc_1");
		drop("devices");
		drop(PMU "msr");
		put_pmus();
		put(rows[i].name, rows[i].text);
		p = read_pmus(rows[i].name);
		check_hostile(rows[i].line, p, rows[i].name, rows[i].term);
		topo_pmus_free(p);
	}
	drop(PMU "uncore_imc_1/type");
	topo_pmus_free(read_pmus(PMU "uncore_imc_1/type"));
}

/* What cannot be opened at all: loops, links into nowhere, directories and FIFOs in the place of
 * files. */
static void test_pmus_odd_files(void **state)
{
	static const char *const files[] = { "type", "format/event", "events/clockticks" };

	(void)state;
	put_pmus();
	for (unsigned i = 0; i < COUNT(files) * 4; i++) {
		char name[128];
		struct topo_pmus *p;

		snprintf(name, sizeof(name), PMU "uncore_imc_1/%s", files[i / 4]);
		drop(name);
		switch (i % 4) {
		case 0: assert_int_equal(symlink(strrchr(name, '/') + 1, temp_path(name)), 0);
			break;
		case 1: assert_int_equal(symlink("/nowhere/at/all", temp_path(name)), 0); break;
		case 2: assert_int_equal(mkdir(temp_path(name), 0755), 0); break;
		default: assert_int_equal(mkfifo(temp_path(name), 0644), 0);
		}
		p = read_pmus(name);
		assert_non_null(topo_pmu_find(p, "msr"));
		assert_int_equal(p->n + p->n_bad, 3);
		topo_pmus_free(p);
		drop(PMU "uncore_imc_1");
		drop("devices/msr");
		drop(PMU "msr");
		put_pmus();
	}
	/* a name that no message should print */
	put(PMU "uncore_imc_1/events/a b", "event=0x1\n");
	put(PMU "we\nird/type", "1\n");
	assert_int_equal(symlink("loop", temp_path(PMU "loop")), 0);
	{
		struct topo_pmus *p = read_pmus("odd name");

		assert_int_equal(p->n, 3);
		assert_int_equal(p->n_bad, 1);
		assert_string_equal(p->bad[0].name, "loop");
		assert_non_null(strstr(p->bad[0].why, "loop: Too many levels"));
		topo_pmus_free(p);
	}
}

/* One array for instances that have the same files, which are found by the beginning of their
 * names; another where a name or a text differs. */
static void test_instances(void **state)
{
	static const struct { const char *event, *other; } format[] = {
		{ "config:0-7\n", "umask" }, { "config:0-7\n", "umask" },
		{ "config:0-8\n", "umask" }, { "config:0-8\n", "umask2" },
	};
	struct topo_pmus *p;
	const struct topo_pmu *v;
	char name[64];
	unsigned n = 0;

	(void)state;
	put(PMU "uncore_im/type", "20\n");
	put(PMU "uncore_imd_0/type", "21\n");
	for (unsigned i = 0; i < COUNT(format); i++) {
		snprintf(name, sizeof(name), PMU "uncore_imc_%u/type", i);
		put(name, "30\n");
		snprintf(name, sizeof(name), PMU "uncore_imc_%u/format/event", i);
		put(name, format[i].event);
		snprintf(name, sizeof(name), PMU "uncore_imc_%u/format/%s", i, format[i].other);
		put(name, "config:8-15\n");
	}
	p = read_pmus(NULL);
	v = topo_pmu_find(p, "uncore_imc_0");
	for TOPO_EACH_PMU(pmu, p, "uncore_imc_", strlen("uncore_imc_"))
		assert_ptr_equal(pmu, v + n++);
	assert_int_equal(n, COUNT(format));
	assert_ptr_equal(v[0].format, v[1].format);
	assert_ptr_not_equal(v[1].format, v[2].format);
	assert_ptr_not_equal(v[2].format, v[3].format);
	assert_string_equal(v[2].format[0].text, "config:0-8");
	assert_string_equal(v[3].format[1].name, "umask2");
	for TOPO_EACH_PMU(pmu, p, "uncore_z", strlen("uncore_z"))
		fail_msg("%s", pmu->name);
	assert_null(topo_pmu_find(p, "uncore_imc"));
	assert_string_equal(topo_pmu_find(p, "uncore_im")->name, "uncore_im");
	topo_pmus_free(p);
}

/* Events are one array, too, where all that belongs to them is the same; a bad one is shared with
 * nobody, as its sentence names its file. */
static void test_events_that_are_the_same(void **state)
{
	static const struct { const char *scale, *unit; bool snapshot; } rows[] = {
		{ "6.1e-5\n", "MiB\n", false }, { "6.1e-5\n", "MiB\n", false },
		{ "6.2e-5\n", "MiB\n", false }, { "6.2e-5\n", "GiB\n", false },
		{ "6.2e-5\n", NULL, false }, { "6.2e-5\n", NULL, true }, { "", NULL, true },
		{ "", NULL, true },
	};
	struct topo_pmus *p;
	const struct topo_pmu *v;
	char name[80];

	(void)state;
	for (unsigned i = 0; i < COUNT(rows); i++) {
		snprintf(name, sizeof(name), PMU "uncore_eve_%u/type", i);
		put(name, "40\n");
		snprintf(name, sizeof(name), PMU "uncore_eve_%u/events/reads", i);
		put(name, "event=0x4\n");
		snprintf(name, sizeof(name), PMU "uncore_eve_%u/events/reads.scale", i);
		put(name, rows[i].scale);
		snprintf(name, sizeof(name), PMU "uncore_eve_%u/events/reads.unit", i);
		if (rows[i].unit)
			put(name, rows[i].unit);
		snprintf(name, sizeof(name), PMU "uncore_eve_%u/events/reads.snapshot", i);
		if (rows[i].snapshot)
			put(name, "1\n");
	}
	p = read_pmus("uncore_eve_6/events/reads.scale: empty");
	v = topo_pmu_find(p, "uncore_eve_0");
	assert_ptr_equal(v[0].events, v[1].events);
	assert_int_equal(v[1].n_events, 1);
	for (unsigned i = 2; i < COUNT(rows); i++)
		assert_ptr_not_equal(v[i - 1].events, v[i].events);
	assert_string_equal(v[1].events[0].unit, "MiB");
	assert_string_equal(v[3].events[0].unit, "GiB");
	assert_null(v[4].events[0].unit);
	assert_true(v[5].events[0].snapshot);
	assert_non_null(strstr(v[7].events[0].bad, "uncore_eve_7"));
	topo_pmus_free(p);
}

static void test_cpumask(void **state)
{
	static const struct { int line; const char *text; unsigned n; } rows[] = {
		{ __LINE__, "0,8\n", 2 }, { __LINE__, "0", 1 }, { __LINE__, "\n", 0 },
		{ __LINE__, "", 0 }, { __LINE__, "0-3,8-11\n", 8 },
		/* HiSilicon's drivers: "%d\n" of the CPU that serves the PMU, -1 if none does */
		{ __LINE__, "-1\n", 0 },
	};
	struct topo_pmus *p;

	(void)state;
	put_pmus();
	for (unsigned i = 0; i < COUNT(rows); i++) {
		const struct topo_pmu *u;

		put(PMU "uncore_imc_1/cpumask", rows[i].text);
		p = read_pmus(NULL);
		u = topo_pmu_find(p, "uncore_imc_1");
		if (!u || !u->cpumask || u->n_cpumask != rows[i].n)
			fail_msg("line %d", rows[i].line);
		assert_non_null(strstr(u->dir, PMU "uncore_imc_1"));
		topo_pmus_free(p);
	}
	drop(PMU "uncore_imc_1/cpumask");
	p = read_pmus(NULL);
	assert_null(topo_pmu_find(p, "uncore_imc_1")->cpumask);
	assert_true(topo_pmu_find(p, "uncore_imc_1")->events[0].snapshot);
	assert_false(topo_pmu_find(p, "uncore_imc_1")->events[1].snapshot);
	topo_pmus_free(p);
}

/* However few descriptors there are, nothing of the PMUs is left out for that. */
static void test_few_descriptors(void **state)
{
	struct rlimit before, few;
	int free_from, r = -EMFILE;
	unsigned refused = 0;

	(void)state;
	put_pmus();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	free_from = dup(STDIN_FILENO);
	close(free_from);
	for (unsigned n = 0; n < 16; n++) {
		struct topo_pmus *p = NULL;
		struct err err = { "" };

		few = (struct rlimit){ (rlim_t)free_from + n, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		r = topo_pmus_read(root, &p, &err);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (r < 0) {
			assert_int_equal(r, -EMFILE);
			assert_non_null(strstr(err.text, strerror(EMFILE)));
			assert_null(p);
			refused++;
			continue;
		}
		assert_string_equal(err.text, "");
		assert_int_equal(p->n_bad, 0);
		topo_pmus_free(p);
	}
	assert_int_equal(r, 0);
	assert_in_range(refused, 2, 8);
}

static void test_no_pmus(void **state)
{
	struct topo_pmus *p = read_pmus(NULL);

	(void)state;
	assert_int_equal(p->n, 0);
	assert_null(topo_pmu_find(p, "msr"));
	topo_pmus_free(p);
	p = NULL;
	put(PMU "x", "a file, not a directory\n");
	topo_pmus_free(read_pmus(PMU "x: Not a directory"));
}

/* The files of Documentation/ABI/testing/sysfs-devices-mapping of Linux, and odd ones. */
static void test_stacks(void **state)
{
	const struct topo_pmu *u;
	struct topo_pmus *p;

	(void)state;
	put(PMU "uncore_iio_3/type", "13\n");
	put(PMU "uncore_iio_3/cpumask", "0,8\n");
	put(PMU "uncore_iio_3/die10", "0001:c0\n");
	put(PMU "uncore_iio_3/die0", "0000:5e\n");
	put(PMU "uncore_iio_3/die1", "0000:5e:00\n");
	put(PMU "uncore_iio_3/die2", "nothing\n");
	put(PMU "uncore_iio_3/die3x", "0000:5e\n");
	put(PMU "uncore_iio_3/die4", "");
	put(PMU "uncore_iio_3/die5/x", "a directory");
	put(PMU "uncore_iio_4/type", "14\n");
	put(PMU "uncore_upi_0/type", "15\n");
	put(PMU "uncore_upi_0/die0", "upi_1,die_1\n");
	p = read_pmus(NULL);
	u = topo_pmu_find(p, "uncore_iio_3");
	assert_int_equal(u->n_stacks, 2);
	assert_true(u->stacks[0].die == 0 && u->stacks[0].root == 0x5e);
	assert_true(u->stacks[1].die == 10 && u->stacks[1].root == 0x1c0);
	assert_int_equal(topo_pmu_find(p, "uncore_iio_4")->n_stacks, 0);
	assert_int_equal(topo_pmu_find(p, "uncore_upi_0")->n_stacks, 0);
	topo_pmus_free(p);
}

/* The node of the device: of its parent, or as CXL has it, two levels above that. */
static void test_near(void **state)
{
	static const char cxl[] = "devices/pci0000:34/0000:35:00.0/mem0/pmu_mem0.0/cxl_pmu_mem0.0";
	char name[128];
	struct topo_pmus *p;

	(void)state;
	put("devices/system/node/node1/cpulist", "4-7\n");
	put("devices/pci0000:34/0000:35:00.0/numa_node", "1\n");
	snprintf(name, sizeof(name), "%s/type", cxl);
	put(name, "20\n");
	put("devices/platform/ARMHC600:00/numa_node", "-1\n");
	put("devices/platform/ARMHC600:00/arm_cmn_0/type", "21\n");
	put(PMU "nvidia_scf_pmu_0/type", "22\n");
	put(PMU "nvidia_scf_pmu_0/associated_cpus", "0-3,8\n");
	put(PMU "nvidia_scf_pmu_1/type", "23\n");
	put(PMU "nvidia_scf_pmu_1/associated_cpus", "all\n");
	snprintf(name, sizeof(name), "../../../%s", cxl);
	assert_int_equal(symlink(name, temp_path(PMU "cxl_pmu_mem0.0")), 0);
	assert_int_equal(symlink("../../../devices/platform/ARMHC600:00/arm_cmn_0",
				 temp_path(PMU "arm_cmn_0")), 0);
	p = read_pmus(NULL);
	assert_int_equal(topo_pmu_find(p, "cxl_pmu_mem0.0")->node, 1);
	assert_true(topo_pmu_find(p, "cxl_pmu_mem0.0")->has_home);
	assert_int_equal(topo_pmu_find(p, "cxl_pmu_mem0.0")->home, 4);
	assert_int_equal(topo_pmu_find(p, "arm_cmn_0")->node, -1);
	assert_int_equal(topo_pmu_find(p, "nvidia_scf_pmu_0")->node, -1);
	assert_int_equal(topo_pmu_find(p, "nvidia_scf_pmu_0")->n_near_cpus, 5);
	assert_int_equal(topo_pmu_find(p, "nvidia_scf_pmu_0")->near_cpus[4], 8);
	assert_null(topo_pmu_find(p, "nvidia_scf_pmu_1")->near_cpus);
	topo_pmus_free(p);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_pmus), TEST(test_pmus_hostile), TEST(test_pmus_odd_files),
		TEST(test_instances), TEST(test_events_that_are_the_same),
		TEST(test_cpumask), TEST(test_few_descriptors), TEST(test_no_pmus),
		TEST(test_stacks), TEST(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
