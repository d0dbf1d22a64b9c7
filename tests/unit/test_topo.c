/* test_topo.c - CPUs, sockets and PMUs of made-up trees in a temporary directory. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "topo/topo.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU "devices/system/cpu/"
#define PMU "bus/event_source/devices/"

/* ---- the tree: sysfs and procfs are the same directory here */

static char root[64];

static char *tree_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void put_bytes(const char *name, const void *p, size_t n)
{
	char *path = tree_path(name);
	FILE *f;

	for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = '\0';
		mkdir(path, 0755);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static void put_cpu(unsigned cpu, int package, int core)
{
	char name[128], text[32];

	snprintf(name, sizeof(name), CPU "cpu%u/topology/physical_package_id", cpu);
	snprintf(text, sizeof(text), "%d\n", package);
	put(name, text);
	snprintf(name, sizeof(name), CPU "cpu%u/topology/core_id", cpu);
	snprintf(text, sizeof(text), "%d\n", core);
	put(name, text);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void drop(const char *name)
{
	nftw(tree_path(name), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* What a kernel shows of a Nehalem-EX: 2 sockets, 2 cores. */
static const char cpuinfo[] =
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 46\n"
	"model name\t: Intel Core i7 9xx (Nehalem Class Core i7)\nstepping\t: 6\n\n"
	"processor\t: 1\nvendor_id\t: Other\ncpu family\t: 7\nmodel\t\t: 1\nstepping\t: 1\n\n";

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/uncored-topo-XXXXXX");
	assert_non_null(mkdtemp(root));
	put("cpuinfo", cpuinfo);
	put(CPU "online", "0-3\n");
	for (unsigned i = 0; i < 4; i++)
		put_cpu(i, (int)i / 2, (int)i % 2);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	drop("");
	return 0;
}

static struct topo *read_good(const struct topo *old)
{
	struct topo *t = NULL;
	struct err err = { "" };
	int r = topo_read(root, root, old, &t, &err);

	if (r < 0)
		fail_msg("%s", err.text);
	return t;
}

/* The reading fails, and the sentence names the file. */
static void read_bad(int line, int r, const char *file)
{
	struct topo *t = NULL;
	struct err err = { "" };
	int got = topo_read(root, root, NULL, &t, &err);

	if (got != r || !strstr(err.text, file) || t)
		fail_msg("line %d: %d \"%s\", expected %d and %s", line, got, err.text, r, file);
}

/* "0 4 1": the CPUs of a socket in the order in which they are tried, an offline one in brackets. */
static void check_order(const struct topo_socket *s, const char *want)
{
	char text[256] = "";

	for (unsigned i = 0; i < s->n_cpus; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), s->cpus[i].online ? "%s%u" : "%s(%u)",
			 i ? " " : "", s->cpus[i].cpu);
	assert_string_equal(text, want);
}

/* ---- CPUs and sockets */

static void test_two_sockets(void **state)
{
	struct topo *t = read_good(NULL);

	(void)state;
	assert_int_equal(t->family, 6);
	assert_int_equal(t->model, 46);
	assert_int_equal(t->stepping, 6);
	assert_string_equal(t->vendor, "GenuineIntel");
	assert_int_equal(t->n_sockets, 2);
	check_order(&t->sockets[0], "0 1");
	check_order(&t->sockets[1], "2 3");
	assert_int_equal(topo_reader(&t->sockets[1]), 2);
	topo_free(t);
}

/* Sparse CPU numbers, package ids not 0..n and not in the order of the CPUs, hyper-threads. */
static void test_sparse(void **state)
{
	struct topo *t;

	(void)state;
	put(CPU "online", "3,8-9,64,1000-1001\n");
	put_cpu(3, 7, 9);
	put_cpu(8, 7, 2);
	put_cpu(9, 2, 0);
	put_cpu(64, 7, 2);
	put_cpu(1000, 7, 9);
	put_cpu(1001, 2, 0);
	t = read_good(NULL);
	assert_int_equal(t->n_sockets, 2);
	assert_int_equal(t->sockets[0].id, 2);
	assert_int_equal(t->sockets[1].id, 7);
	check_order(&t->sockets[0], "9 1001");
	check_order(&t->sockets[1], "8 3 64 1000");
	assert_int_equal(t->sockets[1].cpus[0].thread, 0);
	assert_int_equal(t->sockets[1].cpus[2].thread, 1);
	assert_int_equal(t->sockets[1].cpus[3].core, 9);
	topo_free(t);
}

/* An offline CPU has no topology directory; its place is remembered. */
static void test_offline(void **state)
{
	struct topo *t = read_good(NULL), *u, *v;

	(void)state;
	put(CPU "online", "0-1,3\n");
	drop(CPU "cpu2");
	u = read_good(t);
	check_order(&u->sockets[1], "(2) 3");
	assert_int_equal(topo_reader(&u->sockets[1]), 3);

	put(CPU "online", "0-1\n");
	v = read_good(u);
	check_order(&v->sockets[1], "(2) (3)");
	assert_int_equal(topo_reader(&v->sockets[1]), -1);
	topo_free(t);

	put(CPU "online", "0-3\n");
	t = read_good(v);
	check_order(&t->sockets[1], "2 3");
	assert_int_equal(t->sockets[1].cpus[1].core, 1);
	topo_free(t);
	topo_free(u);
	topo_free(v);
}

/* A thread keeps its rank while its sibling is away: CPU 4 is still tried after the other core. */
static void test_offline_sibling(void **state)
{
	struct topo *t, *u;

	(void)state;
	put(CPU "online", "0-1,4-5\n");
	put_cpu(0, 0, 0);
	put_cpu(1, 0, 1);
	put_cpu(4, 0, 0);
	put_cpu(5, 0, 1);
	t = read_good(NULL);
	check_order(&t->sockets[0], "0 1 4 5");
	put(CPU "online", "1,4-5\n");
	u = read_good(t);
	check_order(&u->sockets[0], "(0) 1 4 5");
	assert_int_equal(topo_reader(&u->sockets[0]), 1);
	topo_free(t);
	topo_free(u);
}

static void test_cpu_online_file(void **state)
{
	struct topo *t, *u;

	(void)state;
	put(CPU "cpu1/online", "1\n");
	put(CPU "cpu2/online", "1\n");
	t = read_good(NULL);            /* cpu0 and cpu3 have none */
	put(CPU "cpu2/online", "0\n");
	u = read_good(t);
	check_order(&u->sockets[1], "(2) 3");
	topo_free(t);
	topo_free(u);
	put(CPU "cpu1/online", "maybe\n");
	read_bad(__LINE__, -EINVAL, "cpu1/online");
}

static void test_no_package(void **state)
{
	struct topo *t;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		put_cpu(i, -1, -1);
	t = read_good(NULL);
	assert_int_equal(t->n_sockets, 1);
	assert_int_equal(t->sockets[0].id, 0);
	check_order(&t->sockets[0], "0 1 2 3");
	topo_free(t);
}

static void test_hostile_lists(void **state)
{
	static const struct { int line; const char *text; } rows[] = {
		{ __LINE__, "" }, { __LINE__, "\n" }, { __LINE__, "0-4294967295\n" }, { __LINE__, "0-8192\n" },
		{ __LINE__, "8192" }, { __LINE__, "18446744073709551616" }, { __LINE__, "0-" }, { __LINE__, "-1" },
		{ __LINE__, "3-1" }, { __LINE__, "0-3,2" }, { __LINE__, "0 1" }, { __LINE__, "0\n1\n" }, { __LINE__, "0x0" },
		{ __LINE__, "0,\x80" }, { __LINE__, "all" },
	};
	static char big[1 << 20];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		put(CPU "online", rows[i].text);
		read_bad(rows[i].line, -EINVAL, CPU "online");
	}
	memset(big, '1', sizeof(big));
	put_bytes(CPU "online", big, sizeof(big));
	read_bad(__LINE__, -EFBIG, CPU "online");
	put_bytes(CPU "online", "0-3\0001", 5);
	read_bad(__LINE__, -EINVAL, CPU "online");
	drop(CPU "online");
	read_bad(__LINE__, -ENOENT, CPU "online");
	mkdir(tree_path(CPU "online"), 0755);
	read_bad(__LINE__, -EISDIR, CPU "online");
	drop(CPU "online");
	mkfifo(tree_path(CPU "online"), 0644);
	read_bad(__LINE__, -EINVAL, CPU "online");      /* and does not wait for a writer */
}

static void test_hostile_ids(void **state)
{
	static const struct { int line; const char *text; } rows[] = {
		{ __LINE__, "" }, { __LINE__, "-2\n" }, { __LINE__, "x\n" }, { __LINE__, "1 2\n" }, { __LINE__, "4294967296\n" },
		{ __LINE__, "99999999999999999999\n" }, { __LINE__, " 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		put(CPU "cpu3/topology/physical_package_id", rows[i].text);
		read_bad(rows[i].line, -EINVAL, "cpu3/topology/physical_package_id");
	}
	drop(CPU "cpu3/topology");
	read_bad(__LINE__, -ENOENT, "cpu3/topology/physical_package_id");
	put_cpu(3, 1, 1);
	drop(CPU "cpu1/topology/core_id");
	read_bad(__LINE__, -ENOENT, "cpu1/topology/core_id");
}

static void test_cpuinfo(void **state)
{
	static const struct { int line; const char *text; unsigned family, model, stepping; const char *vendor; } rows[] = {
		{ __LINE__, "processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n", 0, 0, 0, "" },
		{ __LINE__, "", 0, 0, 0, "" },
		{ __LINE__, "vendor_id\t: AVeryLongVendorNameIndeed\ncpu family\t: 6\n", 6, 0, 0, "AVeryLongVendor" },
		{ __LINE__, "model name\t: model : 7\nmodel\t\t: 62\nstepping\t: unknown\ncpu family : 6\n", 6, 62, 0, "" },
		{ __LINE__, "model\t: 99999999999\ncpu family\t: -6\nstepping\t: 3x\n", 0, 0, 0, "" },
		{ __LINE__, "model: 26", 0, 0, 0, "" },         /* cut off: it may be 265 */
		{ __LINE__, "model: 26\n\nstepping: 5\n", 0, 26, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topo *t;

		put("cpuinfo", rows[i].text);
		t = read_good(NULL);
		if (t->family != rows[i].family || t->model != rows[i].model || t->stepping != rows[i].stepping ||
		    strcmp(t->vendor, rows[i].vendor) != 0)
			fail_msg("line %d: %u %u %u \"%s\"", rows[i].line, t->family, t->model, t->stepping, t->vendor);
		topo_free(t);
	}
	drop("cpuinfo");
	read_bad(__LINE__, -ENOENT, "/cpuinfo");
}

/* Parts of a package; what says nothing is part 0. */
static void test_parts(void **state)
{
	struct topo *t, *u;

	(void)state;
	put(CPU "cpu2/topology/die_id", "0\n");
	put(CPU "cpu3/topology/die_id", "1\n");
	put(CPU "cpu1/topology/die_id", "-1\n");
	put(CPU "cpu2/cache/index3/shared_cpu_list", "2,6\n");
	put(CPU "cpu3/cache/index3/shared_cpu_list", "3-5\n");
	put(CPU "cpu1/cache/index3/shared_cpu_list", "all\n");
	t = read_good(NULL);
	assert_int_equal(t->sockets[1].cpus[0].die, 0);
	assert_int_equal(t->sockets[1].cpus[1].die, 1);
	assert_int_equal(t->sockets[1].cpus[0].llc, 2);
	assert_int_equal(t->sockets[1].cpus[1].llc, 3);
	assert_true(t->sockets[0].cpus[1].die == 0 && t->sockets[0].cpus[1].llc == 0);
	drop(CPU "cpu3");
	put(CPU "online", "0-2\n");
	u = read_good(t);                       /* remembered while offline */
	assert_true(u->sockets[1].cpus[1].die == 1 && u->sockets[1].cpus[1].llc == 3);
	topo_free(t);
	topo_free(u);
}

static void test_model(void **state)
{
	struct topo *t = topo_model(6, 46, 8, 8);

	(void)state;
	assert_int_equal(t->family, 6);
	assert_int_equal(t->model, 46);
	assert_int_equal(t->n_sockets, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(t->sockets[i].id, i);
		assert_int_equal(t->sockets[i].n_cpus, 8);
		assert_int_equal(topo_reader(&t->sockets[i]), 8 * i);
		assert_int_equal(t->sockets[i].cpus[7].cpu, 8 * i + 7);
	}
	topo_free(t);
	assert_null(topo_model(6, 46, TOPO_CPUS_MAX, 2));
	assert_null(topo_model(6, 46, 1, 0));
}

/* ---- PMUs */

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
	assert_int_equal(symlink("../../../devices/msr", tree_path(PMU "msr")), 0);
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
		bad += v[i].bad && strcmp(v[i].name, name) == 0 && strstr(v[i].bad, file) && v[i].text;
	return bad;
}

/* term NULL: the PMU is out. */
static void check_hostile(int line, const struct topo_pmus *p, const char *file, const char *term)
{
	const struct topo_pmu *u = topo_pmu_find(p, "uncore_imc_1");

	if (!topo_pmu_find(p, "msr") || p->n + p->n_bad != 3)
		fail_msg("line %d: %u PMUs, %u bad", line, p->n, p->n_bad);
	if (!term && (u || p->n_bad != 1 || strcmp(p->bad[0].name, "uncore_imc_1") != 0 || !strstr(p->bad[0].why, file)))
		fail_msg("line %d: still there", line);
	if (term && (!u || p->n_bad || bad_terms(u->format, u->n_format, term, file) + bad_terms(u->events, u->n_events, term, file) != 1))
		fail_msg("line %d: %s is not bad", line, term);
}

/* An odd type or cpumask costs its own PMU only, any other file its own term; the sentence names the file. */
static void test_pmus_hostile(void **state)
{
	static char big[8192];
	static const struct { int line; const char *name, *text, *term; } rows[] = {
		{ __LINE__, PMU "uncore_imc_1/type", "", NULL }, { __LINE__, PMU "uncore_imc_1/type", "4294967296\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/type", "-1\n", NULL }, { __LINE__, PMU "uncore_imc_1/type", "12a\n", NULL },
		{ __LINE__, PMU "uncore_imc_1/cpumask", "0-4294967295", NULL }, { __LINE__, PMU "uncore_imc_1/cpumask", "x", NULL },
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

/* What cannot be opened at all: loops, links into nowhere, directories and FIFOs in the place of files. */
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
		case 0: assert_int_equal(symlink(strrchr(name, '/') + 1, tree_path(name)), 0); break;
		case 1: assert_int_equal(symlink("/nowhere/at/all", tree_path(name)), 0); break;
		case 2: assert_int_equal(mkdir(tree_path(name), 0755), 0); break;
		default: assert_int_equal(mkfifo(tree_path(name), 0644), 0);
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
	assert_int_equal(symlink("loop", tree_path(PMU "loop")), 0);
	{
		struct topo_pmus *p = read_pmus("odd name");

		assert_int_equal(p->n, 3);
		assert_int_equal(p->n_bad, 1);
		assert_string_equal(p->bad[0].name, "loop");
		assert_non_null(strstr(p->bad[0].why, "loop/type"));
		topo_pmus_free(p);
	}
}

static void test_cpumask(void **state)
{
	static const struct { int line; const char *text; unsigned n; } rows[] = {
		{ __LINE__, "0,8\n", 2 }, { __LINE__, "0", 1 }, { __LINE__, "\n", 0 }, { __LINE__, "", 0 }, { __LINE__, "0-3,8-11\n", 8 },
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

static void test_no_pmus(void **state)
{
	struct topo_pmus *p = read_pmus(NULL);

	(void)state;
	assert_int_equal(p->n, 0);
	assert_null(topo_pmu_find(p, "msr"));
	topo_pmus_free(p);
	p = NULL;
	put(PMU "x", "a file, not a directory\n");
	topo_pmus_free(read_pmus(PMU "x/type"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_two_sockets), TEST(test_sparse), TEST(test_offline), TEST(test_offline_sibling),
		TEST(test_cpu_online_file), TEST(test_no_package), TEST(test_hostile_lists), TEST(test_hostile_ids),
		TEST(test_cpuinfo), TEST(test_parts), TEST(test_model), TEST(test_pmus), TEST(test_pmus_hostile), TEST(test_pmus_odd_files),
		TEST(test_cpumask), TEST(test_no_pmus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
